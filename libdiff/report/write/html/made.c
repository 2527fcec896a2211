/*
 * How a report was made: by which version and command, of which captures, how objects were recognised, what counts as
 * noise, what the signs mean, what of the heap stands in the file.
 */
#include <hscapture/hscapture.h>
#include <stdio.h>
#include <string.h>

#include "report/words/number.h"
#include "report/write/html/parts.h"

#define CAPTURES_SHOWN 20

/* ---- facts ---- */

static hsd_status put_made_writer(hsd_buffer *to, const char *text, hsd_error *err)
{
    return hsd_buffer_append(to, text, strlen(text), err);
}

static hsd_buffer *add_made_writer(hsd_html_made *made, const char *label)
{
    made->labels[made->count] = label;
    return &made->texts[made->count++];
}

uint64_t hsd_html_noise(const hsd_html_subject *subject, const hsd_report_options *options)
{
    if (options->noise_bytes > 0) return options->noise_bytes;
    if (subject->series) return subject->series->noise_bytes;
    return hsd_noise_of(subject->diff->total.before.bytes);
}

static hsd_status add_noise(hsd_html_made *made, const hsd_html_subject *subject, const hsd_report_options *options,
                            hsd_error *err)
{
    char size[HSD_NUMBER_CHARS];
    hsd_buffer *text = add_made_writer(made, "Noise");
    HSD_TRY(put_made_writer(text, "Changes below ", err));
    HSD_TRY(put_made_writer(text, hsd_format_bytes(size, hsd_html_noise(subject, options)), err));
    return put_made_writer(text,
                           subject->series ? " are noise: such a row is steady."
                                           : " are noise: ~ stands for their percentage.",
                           err);
}

static void say_match(hsd_screen *screen)
{
    const hsd_diff *diff = screen->diff;
    if (hsd_screen_match(screen)) return;
    hsd_out_text(&screen->out, diff->is_summary ? "Totals by type were compared, single objects were not."
                                                : "Single objects could not be recognised");
    if (diff->is_summary) return;
    if (diff->match_reason.size > 0) hsd_out_text(&screen->out, ": ");
    hsd_out_escaped(&screen->out, screen->form, diff->match_reason);
    hsd_out_text(&screen->out, ".");
}

static hsd_status add_cohorts(hsd_html_made *made, const hsd_series *series, hsd_error *err)
{
    hsd_buffer *text = add_made_writer(made, "Objects");
    if (series->cohorts.are_known)
        return put_made_writer(text,
                               series->cohorts.is_by_structure ? "Recognised from capture to capture by structure."
                                                               : "Recognised from capture to capture by their ids.",
                               err);
    HSD_TRY(put_made_writer(text, "Not recognised from capture to capture", err));
    if (series->cohorts.why_not.size > 0) HSD_TRY(put_made_writer(text, ": ", err));
    HSD_TRY(hsd_escape_append(text, HSD_ESCAPE_TERMINAL, series->cohorts.why_not.data, series->cohorts.why_not.size,
                              err));
    return put_made_writer(text, ".", err);
}

/* "before 5f…, after 91…", by which a colleague sees that a file is the same capture. */
static hsd_status put_digest(hsd_buffer *text, const char *name, const hsd_capture_info *info, hsd_error *err)
{
    char digits[HSD_HEX_CHARS];
    if (text->size > 0) HSD_TRY(put_made_writer(text, ", ", err));
    HSD_TRY(put_made_writer(text, name, err));
    return put_made_writer(text, info->has_digest ? hsd_format_hex(digits, info->digest) : "not known", err);
}

static hsd_status add_digests(hsd_html_made *made, const hsd_html_subject *subject, hsd_error *err)
{
    char number[HSD_NUMBER_CHARS], name[HSD_NUMBER_CHARS + 2];
    const hsd_series *series = subject->series;
    hsd_buffer *text = add_made_writer(made, "Digests");
    if (subject->diff) HSD_TRY(put_digest(text, "before ", &subject->diff->before.info, err));
    if (subject->diff) HSD_TRY(put_digest(text, "after ", &subject->diff->after.info, err));
    for (size_t i = 0; series && i < series->point_count && i < CAPTURES_SHOWN; i++) {
        snprintf(name, sizeof name, "%s: ", hsd_format_count(number, i + 1));
        HSD_TRY(put_digest(text, name, &series->points[i].side.info, err));
    }
    if (series && series->point_count > CAPTURES_SHOWN) {
        HSD_TRY(put_made_writer(text, ", and of ", err));
        HSD_TRY(put_made_writer(text, hsd_format_count(number, series->point_count - CAPTURES_SHOWN), err));
        HSD_TRY(put_made_writer(text, " more", err));
    }
    return put_made_writer(text, ". hsdiff info FILE tells that of a file.", err);
}

static bool has_values(const hsd_html_subject *subject)
{
    uint32_t facts = 0;
    if (subject->diff) facts = subject->diff->before.info.facts | subject->diff->after.info.facts;
    for (size_t i = 0; subject->series && i < subject->series->point_count; i++)
        facts |= subject->series->points[i].side.info.facts;
    return (facts & HSC_FACT_VALUES) != 0;
}

static const char live_words[] =
    "Live is what can be reached from a root over strong references; what cannot is garbage, and counts nowhere.";
static const char sign_words[] = "A percentage is of the row's own size before; [NEW] had none, [DEL] has none left, [ "
                                 "= ] did not change, x281 is 281 times as large, ? is not "
                                 "known.";
static const char private_words[] =
    "This file holds names of types, fields, roots, threads and files, sizes and counts, and no values of objects.";
static const char values_words[] = "The captures were made with values: map keys and other data of users may stand in "
                                   "the names of references in this file.";

hsd_status hsd_html_made_of(hsd_html_made *made, const hsd_html_subject *subject, const hsd_report_options *options,
                            hsd_error *err)
{
    HSD_TRY(put_made_writer(add_made_writer(made, "Made by"), "hsdiff " HSDIFF_VERSION, err));
    if (options->command) HSD_TRY(put_made_writer(add_made_writer(made, "Command"), options->command, err));
    HSD_TRY(add_digests(made, subject, err));
    if (subject->diff)
        HSD_TRY(hsd_html_say(add_made_writer(made, "Objects"), subject->diff, options, say_match, err));
    else
        HSD_TRY(add_cohorts(made, subject->series, err));
    HSD_TRY(add_noise(made, subject, options, err));
    HSD_TRY(put_made_writer(add_made_writer(made, "Signs"), sign_words, err));
    HSD_TRY(put_made_writer(add_made_writer(made, "Live"), live_words, err));
    return put_made_writer(add_made_writer(made, "In this file"), has_values(subject) ? values_words : private_words,
                           err);
}

void hsd_html_made_release(hsd_html_made *made)
{
    for (size_t i = 0; i < made->count; i++)
        hsd_buffer_release(&made->texts[i]);
}

/* ---- the captures ---- */

static void cell_of_text(hsd_html *page, const char *text)
{
    hsd_out_text(&page->out, "<td>");
    if (text && text[0]) hsd_html_name(page, (hsd_text){text, strlen(text)});
    hsd_out_text(&page->out, "</td>");
}

static void put_capture(hsd_html *page, const hsd_side *side)
{
    const hsd_capture_info *info = &side->info;
    char text[HSD_NUMBER_CHARS];
    const char *path = info->path && strcmp(info->path, "-") != 0 ? info->path : "standard input";
    hsd_html_begin_row(page, NULL, (hsd_text){path, strlen(path)});
    cell_of_text(page, info->runtime);
    cell_of_text(page, info->process_name);
    cell_of_text(page, info->taken_unix_ns > 0 ? hsd_format_time(text, info->taken_unix_ns) : "");
    hsd_html_cell(page, hsd_html_size(page, text, side->live.bytes));
    hsd_html_cell(page, hsd_format_count(text, side->live.objects));
    cell_of_text(page, info->is_complete ? "yes" : "no");
    hsd_html_end_row(page);
}

static void put_captures(hsd_html *page, const hsd_html_subject *subject)
{
    static const char *const headings[] = {"Capture", "Runtime", "Process", "Taken", "Live", "Objects", "Complete"};
    const hsd_series *series = subject->series;
    char number[HSD_NUMBER_CHARS];
    hsd_html_begin_table(page, headings, 7);
    if (subject->diff) {
        put_capture(page, &subject->diff->before);
        put_capture(page, &subject->diff->after);
    }
    for (size_t i = 0; series && i < series->point_count && i < CAPTURES_SHOWN; i++)
        put_capture(page, &series->points[i].side);
    hsd_html_end_table(page);
    if (series && series->point_count > CAPTURES_SHOWN)
        hsd_out_format(&page->out, "<p>And %s more.</p>\n",
                       hsd_format_count(number, series->point_count - CAPTURES_SHOWN));
}

void hsd_html_how(hsd_html *page, const hsd_html_subject *subject)
{
    hsd_html_made made = {0};
    hsd_out *out = &page->out;
    if (out->status == HSD_OK) out->status = hsd_html_made_of(&made, subject, page->options, out->err);
    hsd_html_begin(page, "made", "How it was made");
    put_captures(page, subject);
    hsd_out_text(out, "<dl class=\"made\">\n");
    for (size_t i = 0; i < made.count; i++) {
        hsd_html_begin_fact(page, made.labels[i]);
        hsd_html_prose(page, &made.texts[i]);
        hsd_html_end_fact(page);
    }
    hsd_out_text(out, "</dl>\n");
    hsd_html_end(page);
    hsd_html_made_release(&made);
}

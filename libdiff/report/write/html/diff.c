/*
 * The page of a diff: the answer, who holds or allocated the growth, types and roots, how it was made.
 */
#include "report/formats.h"
#include "report/model/lost_rows.h"
#include "report/write/html/parts.h"

#define PLACE_COLUMNS 120 /* of a place in a sentence */

hsd_status hsd_html_say(hsd_buffer *text, const hsd_diff *diff, const hsd_report_options *options,
                        void (*part)(hsd_screen *screen), hsd_error *err)
{
    hsd_report_options plain = *options;
    plain.width = PLACE_COLUMNS;
    plain.use_color = false;
    plain.use_utf8 = true;
    hsd_screen screen = {.diff = diff,
                         .options = &plain,
                         .form = HSD_ESCAPE_TERMINAL,
                         .noise_bytes = hsd_html_noise(&(hsd_html_subject){.diff = diff}, options)};
    hsd_out_init(&screen.out, hsd_html_gather, text, err);
    part(&screen);
    return hsd_out_finish(&screen.out);
}

static hsd_buffer say(hsd_html *page, const hsd_diff *diff, void (*part)(hsd_screen *screen))
{
    hsd_buffer text = {0};
    if (page->out.status == HSD_OK) page->out.status = hsd_html_say(&text, diff, page->options, part, page->out.err);
    return text;
}

static void put_sites(hsd_html *page, const hsd_model *model)
{
    if (hsd_html_section(page, model, "sites")) return;
    hsd_html_begin(page, "sites", "Where it was allocated");
    hsd_out_text(&page->out, "<p>No site has more or less than it had.</p>\n");
    hsd_html_end(page);
}

static void put_sections(hsd_html *page, const hsd_model *model, const hsd_diff *diff)
{
    const bool leads = hsd_lost_leads(diff, hsd_model_noise(model));
    const bool sites_first = diff->has_sites && !diff->has_holders; /* then they are the answer */
    if (leads) hsd_html_section(page, model, "lost");
    if (sites_first) put_sites(page, model);
    hsd_html_holders(page, diff);
    if (!leads) hsd_html_section(page, model, "lost");
    if (diff->has_sites && !sites_first) put_sites(page, model);
    if (diff->has_holders)
        hsd_html_empty(page, "picture", "Growth by what retains it", "this picture of the heap, from the roots down");
    hsd_html_section(page, model, "types");
    hsd_html_section(page, model, "roots");
    hsd_html_section(page, model, "uncollected");
    if (diff->has_holders) hsd_html_empty(page, "map", "Size by what retains it", "a map of the heap after");
}

void hsd_html_diff_sections(hsd_html *page, const hsd_diff *diff)
{
    hsd_model *model = hsd_html_model(page, &(hsd_reported){.diff = diff});
    if (model) put_sections(page, model, diff);
    hsd_model_close(model);
}

static void put_page(hsd_html *page, const hsd_html_subject *subject)
{
    const hsd_diff *diff = subject->diff;
    hsd_buffer answer = say(page, diff, hsd_screen_answer), relation = say(page, diff, hsd_screen_relation);
    hsd_html_open(page, "diff", &answer);
    hsd_html_relation(page, &relation);
    hsd_html_card(page, diff);
    hsd_html_diff_facts(page, diff);
    hsd_html_end_answer(page);
    hsd_html_warnings(page, diff->warnings, diff->warning_count, NULL, 0);
    hsd_html_diff_sections(page, diff);
    hsd_html_how(page, subject);
}

hsd_status hsd_html_diff(const hsd_diff *diff, const hsd_report_options *options, hsd_write_fn write, void *context,
                         hsd_error *err)
{
    const hsd_html_subject subject = {.diff = diff};
    return hsd_html_write(&subject, put_page, options, write, context, err);
}

/*
 * What is said first of a diff: the key numbers, the place that holds most of the growth, what must be known before any
 * number is believed.
 */
#include <hscapture/hscapture.h>
#include <string.h>

#include "report/model/growth_rows.h"
#include "report/model/holder_rows.h"
#include "report/sentences/place.h"
#include "report/words/number.h"
#include "report/write/html/parts.h"

#define TEXTS_MOST 30

/* ---- key numbers ---- */

static void put_fact(hsd_html *page, const char *label, const char *value)
{
    hsd_html_begin_fact(page, label);
    hsd_out_text(&page->out, value);
    hsd_html_end_fact(page);
}

static void put_amount(hsd_html *page, const char *label, hsd_amount amount)
{
    char size[HSD_NUMBER_CHARS], count[HSD_NUMBER_CHARS];
    hsd_html_begin_fact(page, label);
    hsd_out_format(&page->out, "%s <small>%s object%s</small>", hsd_html_size(page, size, amount.bytes),
                   hsd_format_count(count, amount.objects), amount.objects == 1 ? "" : "s");
    hsd_html_end_fact(page);
}

static void put_growth(hsd_html *page, const hsd_diff *diff)
{
    const hsd_change *total = &diff->total;
    const int64_t bytes = hsd_change_bytes(total), objects = hsd_change_objects(total);
    if (!hsd_change_is_proven(diff, bytes)) {
        put_fact(page, "Growth", "not known");
        return;
    }
    char size[HSD_NUMBER_CHARS], count[HSD_NUMBER_CHARS], percent[HSD_NUMBER_CHARS];
    hsd_html_begin_fact(page, "Growth");
    hsd_out_format(&page->out, "<b class=\"%s\">%s</b> <small>%s, %s object%s</small>", hsd_html_sign(bytes),
                   hsd_html_growth(page, size, bytes),
                   hsd_format_percent(percent, total->before.bytes, total->after.bytes),
                   hsd_format_count_signed(count, objects), objects == 1 || objects == -1 ? "" : "s");
    hsd_html_end_fact(page);
}

static void put_time_apart(hsd_html *page, uint64_t before_ns, uint64_t after_ns)
{
    char text[HSD_NUMBER_CHARS];
    if (before_ns == 0 || after_ns == 0) return;
    hsd_html_begin_fact(page, "Apart");
    hsd_out_text(&page->out,
                 hsd_format_duration(text, after_ns >= before_ns ? after_ns - before_ns : before_ns - after_ns));
    if (after_ns < before_ns) hsd_out_text(&page->out, ", in reverse order");
    hsd_html_end_fact(page);
}

static const char *completeness(const hsd_diff *diff)
{
    const bool before = diff->before.info.is_complete, after = diff->after.info.is_complete;
    return before && after ? "both captures"
           : before        ? "before, not after"
           : after         ? "after, not before"
                           : "neither capture";
}

void hsd_html_diff_facts(hsd_html *page, const hsd_diff *diff)
{
    const bool has_values = ((diff->before.info.facts | diff->after.info.facts) & HSC_FACT_VALUES) != 0;
    hsd_out_text(&page->out, "<dl id=\"facts\">\n");
    put_amount(page, "Before", diff->total.before);
    put_amount(page, "After", diff->total.after);
    put_growth(page, diff);
    if (hsd_new_is_known(diff)) put_amount(page, "New", hsd_change_sure(&diff->total, diff->total.new_));
    if (hsd_freed_is_known(diff)) put_amount(page, "Freed", hsd_change_sure(&diff->total, diff->total.freed));
    if (diff->total.undecided.objects > 0) put_amount(page, "Replaced or only written to", diff->total.undecided);
    put_time_apart(page, diff->before.info.taken_unix_ns, diff->after.info.taken_unix_ns);
    put_fact(page, "Complete", completeness(diff));
    put_fact(page, "Values inside", has_values ? "yes: user data may stand in names" : "no");
    hsd_out_text(&page->out, "</dl>\n");
}

/* ---- the place ---- */

/* The largest that is a place; holders are sorted. */
static const hsd_holder *largest_of(const hsd_diff *diff)
{
    for (size_t i = 0; diff->has_holders && i < diff->holder_count && diff->holders[i].growth_bytes > 0; i++)
        if (!diff->holders[i].is_code && !hsd_holder_is_nobody(&diff->holders[i])) return &diff->holders[i];
    return NULL;
}

void hsd_html_card(hsd_html *page, const hsd_diff *diff)
{
    const hsd_holder *holder = largest_of(diff);
    const int64_t total = hsd_change_bytes(&diff->total);
    char growth[HSD_NUMBER_CHARS];
    hsd_buffer raw = {0};
    hsd_out *out = &page->out;
    if (!holder || out->status != HSD_OK) return;
    out->status = hsd_holder_append(&raw, holder, ": ", "", out->err);
    hsd_out_text(out, "<p class=\"card\"><span class=\"place\">");
    hsd_html_raw(page, &raw);
    hsd_out_format(out, "</span> <span class=\"n up\">%s</span>", hsd_html_growth(page, growth, holder->growth_bytes));
    if (total > 0)
        hsd_out_format(out, " <span class=\"share\">%u%% of the growth</span>",
                       hsd_percent_of(holder->growth_bytes, total));
    hsd_out_text(out, "</p>\n");
}

/* ---- what must be known ---- */

void hsd_html_texts(hsd_html *page, const hsd_text *texts, size_t count)
{
    char number[HSD_NUMBER_CHARS];
    const size_t shown = count < TEXTS_MOST ? count : TEXTS_MOST;
    hsd_out_text(&page->out, "<ul>\n");
    for (size_t i = 0; i < shown; i++) {
        hsd_buffer raw = {0};
        if (page->out.status == HSD_OK)
            page->out.status = hsd_buffer_append(&raw, texts[i].data, texts[i].size, page->out.err);
        hsd_out_text(&page->out, "<li>");
        hsd_html_raw(page, &raw);
        hsd_out_text(&page->out, "</li>\n");
    }
    if (shown < count) hsd_out_format(&page->out, "<li>and %s more</li>\n", hsd_format_count(number, count - shown));
    hsd_out_text(&page->out, "</ul>\n");
}

void hsd_html_warnings(hsd_html *page, const hsd_text *warnings, size_t count, const hsd_text *problems,
                       size_t problem_count)
{
    if (count == 0 && problem_count == 0) return;
    hsd_html_begin(page, "warnings", "Know before you believe a number");
    if (problem_count > 0) {
        hsd_out_text(&page->out, "<p>The captures cannot be judged:</p>\n");
        hsd_html_texts(page, problems, problem_count);
    }
    if (count > 0) hsd_html_texts(page, warnings, count);
    hsd_html_end(page);
}

/*
 * Where it was allocated: the stacks of which most came or went, each with its callers; and what is lost, by who
 * allocated what heads it.
 */
#include <stdio.h>

#include "report/model/lost_rows.h"
#include "report/model/site_rows.h"
#include "report/write/html/parts.h"

static void put_frame(hsd_html *page, const hsd_site_frame *frame)
{
    hsd_buffer raw = {0};
    hsd_out *out = &page->out;
    if (out->status == HSD_OK) out->status = hsd_site_frame_append(&raw, frame, out->err);
    hsd_html_name(page, (hsd_text){(const char *)raw.data, raw.size});
    hsd_buffer_release(&raw);
}

static void put_callers(hsd_html *page, const hsd_site_row *row)
{
    const size_t callers = hsd_site_callers_shown(row);
    if (callers == 0) return;
    hsd_out_text(&page->out, "<ol class=\"frames\">");
    for (size_t i = 1; i <= callers; i++) {
        hsd_out_text(&page->out, "<li>");
        put_frame(page, &row->frames[row->wanted + i]);
        hsd_out_text(&page->out, "</li>");
    }
    const size_t told = row->wanted + callers + 1;
    if (row->frame_count > told) hsd_out_format(&page->out, "<li>%zu more</li>", row->frame_count - told);
    hsd_out_text(&page->out, "</ol>");
}

static void put_site(hsd_html *page, const hsd_diff *diff, const hsd_site_row *row)
{
    hsd_out_text(&page->out, "<tr><th scope=\"row\" class=\"name\">");
    if (row->frame_count > 0)
        put_frame(page, &row->frames[row->wanted]);
    else
        hsd_out_text(&page->out, "(no stack)");
    put_callers(page, row);
    hsd_out_text(&page->out, "</th>");
    hsd_html_change(page, diff, &row->change);
    hsd_html_end_row(page);
}

static void put_sum(hsd_html *page, const hsd_diff *diff, const char *class_name, const char *name,
                    const hsd_change *change)
{
    hsd_html_begin_sum(page, class_name, name);
    hsd_html_change(page, diff, change);
    hsd_html_end_row(page);
}

static void put_table(hsd_html *page, const hsd_diff *diff, const hsd_site_pick *pick)
{
    static const char *const headings[] = {"Site", "Before", "After", "Growth", "%", "Objects"};
    char number[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 32];
    hsd_html_begin_table(page, headings, 6);
    for (size_t i = 0; i < pick->count; i++)
        put_site(page, diff, hsd_site_pick_row(pick, i));
    snprintf(text, sizeof text, "%s other site%s", hsd_format_count(number, pick->other_count),
             pick->other_count == 1 ? "" : "s");
    if (pick->other_count > 0) put_sum(page, diff, "others", text, &pick->others);
    put_sum(page, diff, "total", "TOTAL", &diff->total);
    hsd_html_end_table(page);
}

void hsd_html_sites(hsd_html *page, const hsd_diff *diff)
{
    const size_t top = page->options->top;
    const hsd_site_pick pick = hsd_sites_pick(diff, top > 0 && top < HSD_SITES_SHOWN ? top : HSD_SITES_SHOWN, 1);
    hsd_html_begin(page, "sites", "Where it was allocated");
    if (pick.count > 0)
        put_table(page, diff, &pick);
    else
        hsd_out_text(&page->out, "<p>No site has more or less than it had.</p>\n");
    hsd_html_end(page);
}

/* ---- what is lost ---- */

static void put_lost(hsd_html *page, const hsd_diff *diff, const hsd_lost_row *row)
{
    const hsd_change change = hsd_lost_change(row);
    hsd_buffer what = {0};
    hsd_out *out = &page->out;
    hsd_out_text(out, "<tr><th scope=\"row\" class=\"name\">");
    if (row->place.size > 0) hsd_html_name(page, row->place);
    if (row->place.size > 0) hsd_out_text(out, "<ol class=\"frames\"><li>");
    if (out->status == HSD_OK) out->status = hsd_lost_what_append(&what, row, out->err);
    hsd_html_raw(page, &what);
    if (row->place.size > 0) hsd_out_text(out, "</li></ol>");
    hsd_out_text(out, "</th>");
    hsd_html_change(page, diff, &change);
    hsd_html_end_row(page);
}

/* Rows that `put` writes, and their sums. */
static void put_lost_table(hsd_html *page, const hsd_diff *diff, const hsd_lost *lost, const char *heading,
                           void (*put)(hsd_html *page, const hsd_diff *diff, const hsd_lost_row *row), size_t usual)
{
    const char *const headings[] = {heading, "Before", "After", "Growth", "%", "Objects"};
    const size_t top = page->options->top;
    const hsd_lost_pick pick = hsd_lost_choose(lost, top > 0 && top < usual ? top : usual, 1);
    const hsd_change others = hsd_lost_change(&pick.others), total = hsd_lost_total(diff);
    hsd_html_begin_table(page, headings, 6);
    for (size_t i = 0; i < pick.count; i++)
        put(page, diff, &lost->rows[i]);
    if (pick.other_count > 0) put_sum(page, diff, "others", "Others", &others);
    put_sum(page, diff, "total", "TOTAL", &total);
    hsd_html_end_table(page);
}

void hsd_html_lost(hsd_html *page, const hsd_diff *diff)
{
    if (diff->lost.row_count == 0 || hsd_lost_growth(&diff->lost.rows[0]) <= 0) return;
    hsd_html_begin(page, "lost", "Lost: no pointer to it is left");
    put_lost_table(page, diff, &diff->lost, "Lost", put_lost, HSD_LOST_SHOWN);
    hsd_html_end(page);
}

/* ---- what is not collected yet ---- */

static void put_uncollected(hsd_html *page, const hsd_diff *diff, const hsd_lost_row *row)
{
    const hsd_change change = hsd_lost_change(row);
    char size[HSD_NUMBER_CHARS], revived[HSD_REVIVED_CHARS];
    hsd_out_text(&page->out, "<tr><th scope=\"row\" class=\"name\">");
    hsd_html_name(page, row->type);
    if (hsd_uncollected_revived(row, hsd_html_size(page, size, row->revived.bytes), revived))
        hsd_out_format(&page->out, "<ol class=\"frames\"><li>%s</li></ol>", revived);
    hsd_out_text(&page->out, "</th>");
    hsd_html_change(page, diff, &change);
    hsd_html_end_row(page);
}

void hsd_html_uncollected(hsd_html *page, const hsd_diff *diff)
{
    const hsd_html_subject subject = {.diff = diff};
    if (!hsd_uncollected_matters(diff, hsd_html_noise(&subject, page->options))) return;
    hsd_html_begin(page, "uncollected", "Not yet collected: no root reaches it");
    put_lost_table(page, diff, &diff->uncollected, "Type", put_uncollected, HSD_LOST_SHOWN);
    hsd_html_end(page);
}

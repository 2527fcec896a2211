/*
 * The page of a diff: the answer, who holds or allocated the growth, types and roots, how it was made.
 */
#include "report/formats.h"
#include "report/model/lost_rows.h"
#include "report/write/html/parts.h"

#define TYPES_SHOWN   20
#define ROOTS_SHOWN   10
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

void hsd_html_diff_sections(hsd_html *page, const hsd_diff *diff)
{
    const bool leads = hsd_lost_leads(diff, hsd_html_noise(&(hsd_html_subject){.diff = diff}, page->options));
    const bool sites_first = diff->has_sites && !diff->has_holders; /* then they are the answer */
    if (leads) hsd_html_lost(page, diff);
    if (sites_first) hsd_html_sites(page, diff);
    hsd_html_holders(page, diff);
    if (!leads) hsd_html_lost(page, diff);
    if (diff->has_sites && !sites_first) hsd_html_sites(page, diff);
    if (diff->has_holders)
        hsd_html_empty(page, "picture", "Growth by what retains it", "this picture of the heap, from the roots down");
    hsd_html_begin(page, "types", "Growth by type");
    hsd_html_growth_table(page, diff, HSD_TABLE_TYPES, TYPES_SHOWN);
    hsd_html_end(page);
    if (diff->root_count > 0) {
        hsd_html_begin(page, "roots", "Growth by root");
        hsd_html_growth_table(page, diff, HSD_TABLE_ROOTS, ROOTS_SHOWN);
        hsd_html_end(page);
    }
    hsd_html_uncollected(page, diff);
    if (diff->has_holders) hsd_html_empty(page, "map", "Size by what retains it", "a map of the heap after");
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

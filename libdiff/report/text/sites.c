/*
 * GROWTH BY SITE: for captures that say where memory was allocated. A row is all that one stack allocated, named by who
 * wanted it; the callers stand below.
 *
 *      SITE                              BEFORE     AFTER    GROWTH      %  OBJECTS
 *      main.(*Cache).Put (cache.go:31)   1.2 MiB   48.0 MiB  +46.8 MiB  x40  +12,000
 *        < main.handle (main.go:12)
 *        < net/http.(*conn).serve (server.go:1995)
 *        … 3 more
 *      TOTAL …
 */
#include <stdio.h>

#include "report/model/site_rows.h"
#include "report/text/growth.h"
#include "report/words/number.h"

static void add_line(hsd_growth_table *growth, hsd_buffer *text, size_t indent)
{
    hsd_growth_add_foreign(growth, (hsd_text){(const char *)text->data, text->size}, indent);
    hsd_buffer_release(text);
}

static void add_caller(hsd_growth_table *growth, const hsd_site_frame *frame)
{
    hsd_buffer text = {0};
    hsd_out *out = &growth->screen->out;
    if (out->status == HSD_OK) out->status = hsd_buffer_append(&text, "< ", 2, out->err);
    if (out->status == HSD_OK) out->status = hsd_site_frame_append(&text, frame, out->err);
    add_line(growth, &text, 2);
}

static void add_site(hsd_growth_table *growth, const hsd_site_row *row)
{
    const size_t callers = hsd_site_callers_shown(row);
    hsd_out *out = &growth->screen->out;
    hsd_buffer text = {0};
    char more[48];
    if (out->status == HSD_OK) out->status = hsd_site_append(&text, row, out->err);
    add_line(growth, &text, 0);
    hsd_growth_put(growth, &row->change, false);
    for (size_t i = 1; i <= callers; i++)
        add_caller(growth, &row->frames[row->wanted + i]);
    if (row->frame_count <= row->wanted + callers + 1) return;
    snprintf(more, sizeof more, "  %s %zu more", growth->screen->options->use_utf8 ? "\xe2\x80\xa6" : "...",
             row->frame_count - row->wanted - callers - 1);
    hsd_growth_add(growth, more, HSD_PAINT_NONE);
}

static void add_others(hsd_growth_table *growth, const hsd_site_pick *pick)
{
    char number[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 32];
    if (pick->other_count == 0) return;
    snprintf(text, sizeof text, "%s other site%s", hsd_format_count(number, pick->other_count),
             pick->other_count == 1 ? "" : "s");
    hsd_growth_add(growth, text, HSD_PAINT_NONE);
    hsd_growth_put(growth, &pick->others, false);
}

/* With --top whatever changed is worth a row, else what changed by more than noise. */
static uint64_t least_of(const hsd_screen *screen)
{
    const size_t top = screen->options->top;
    return top == HSD_TOP_ALL ? 0 : top > 0 ? 1 : screen->noise_bytes;
}

void hsd_screen_sites(hsd_screen *screen, bool *folded)
{
    const hsd_diff *diff = screen->diff;
    hsd_growth_table growth;
    if (screen->out.status != HSD_OK || !diff->has_sites) return;
    const hsd_site_pick pick =
        hsd_sites_pick(diff, screen->options->top > 0 ? screen->options->top : HSD_SITES_SHOWN, least_of(screen));
    if (pick.count == 0) return;
    if (!hsd_growth_begin(&growth, screen, "SITE", pick.count * (HSD_CALLERS_SHOWN + 2) + 2, HSD_GROWTH_SIZES)) return;
    for (size_t i = 0; i < pick.count; i++)
        add_site(&growth, hsd_site_pick_row(&pick, i));
    add_others(&growth, &pick);
    hsd_growth_add(&growth, "TOTAL", HSD_PAINT_HEADING);
    hsd_growth_put(&growth, &diff->total, true);
    hsd_growth_end(&growth);
    *folded = *folded || pick.has_folded;
}

/*
 * LOST: what no root reaches where nothing but the program frees memory. A row is who allocated what heads it; below
 * stand what that is, and the callers.
 *
 *      LOST                               BEFORE     AFTER    GROWTH      %  OBJECTS
 *      Parser::field (lost.cpp:5)        1.2 MiB  48.0 MiB  +46.8 MiB  x40  +12,000
 *        <=256 B at Parser::field
 *        < main (lost.cpp:12)
 *      TOTAL …
 *
 * NOT YET COLLECTED: the same where a collector frees, by type, with what of it came back to life.
 */
#include <stdio.h>
#include <string.h>

#include "report/model/lost_rows.h"
#include "report/model/site_rows.h"
#include "report/text/growth.h"
#include "report/words/number.h"

#define CALLERS_SHOWN 3u

/* ---- the sentence ---- */

/* Of its growth, what one site has, where that is worth a clause: half of it. */
static void print_place(hsd_screen *screen, int64_t growth)
{
    const hsd_lost *lost = &screen->diff->lost;
    hsd_buffer raw = {0};
    hsd_out *out = &screen->out;
    if (lost->row_count == 0 || hsd_lost_frame(&lost->rows[0]) == NULL) return;
    const int64_t most = hsd_lost_growth(&lost->rows[0]);
    if (most < growth - most) return;
    const unsigned percent = most >= growth ? 100 : (unsigned)((double)most * 100.0 / (double)growth);
    if (percent == 100)
        hsd_out_text(out, "; it was allocated at ");
    else
        hsd_out_format(out, "; %u%% of it was allocated at ", percent);
    if (out->status == HSD_OK) out->status = hsd_lost_place_append(&raw, &lost->rows[0], out->err);
    hsd_out_escaped(out, screen->form, (hsd_text){(const char *)raw.data, raw.size});
    hsd_buffer_release(&raw);
}

void hsd_screen_lost_answer(hsd_screen *screen)
{
    const hsd_change total = hsd_lost_total(screen->diff);
    char size[HSD_NUMBER_CHARS], count[HSD_NUMBER_CHARS];
    if (!hsd_lost_matters(screen->diff, screen->noise_bytes)) return;
    const int64_t growth = hsd_change_bytes(&total), objects = hsd_change_objects(&total);
    hsd_out_begin_paragraph(&screen->out);
    hsd_out_format(&screen->out, "%s more is lost, in %s object%s: no pointer to it is left",
                   hsd_screen_size(screen, size, hsd_magnitude(growth)),
                   hsd_format_count(count, hsd_magnitude(objects)), objects == 1 ? "" : "s");
    print_place(screen, growth);
    hsd_out_text(&screen->out, ".");
    hsd_out_end_paragraph(&screen->out, 0);
}

/* ---- the table ---- */

static void add_line(hsd_growth_table *growth, hsd_buffer *text, size_t indent)
{
    hsd_growth_add_foreign(growth, (hsd_text){(const char *)text->data, text->size}, indent);
    hsd_buffer_clear(text);
}

static void add_callers(hsd_growth_table *growth, const hsd_lost_row *row, hsd_buffer *text)
{
    hsd_out *out = &growth->screen->out;
    for (size_t i = row->wanted + 1; i < row->frame_count && i <= row->wanted + CALLERS_SHOWN; i++) {
        if (out->status == HSD_OK) out->status = hsd_buffer_append(text, "< ", 2, out->err);
        if (out->status == HSD_OK) out->status = hsd_site_frame_append(text, &row->frames[i], out->err);
        add_line(growth, text, 2);
    }
}

static void add_row(hsd_growth_table *growth, const hsd_lost_row *row)
{
    const hsd_change change = hsd_lost_change(row);
    hsd_out *out = &growth->screen->out;
    hsd_buffer text = {0};
    if (out->status == HSD_OK) out->status = hsd_lost_place_append(&text, row, out->err);
    add_line(growth, &text, 0);
    hsd_growth_put(growth, &change, false);
    if (hsd_lost_frame(row) != NULL) {
        if (out->status == HSD_OK) out->status = hsd_lost_what_append(&text, row, out->err);
        add_line(growth, &text, 2);
    }
    add_callers(growth, row, &text);
    hsd_buffer_release(&text);
}

static void add_others(hsd_growth_table *growth, const hsd_lost_pick *pick)
{
    const hsd_change change = hsd_lost_change(&pick->others);
    char number[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 32];
    if (pick->other_count == 0) return;
    snprintf(text, sizeof text, "%s other%s", hsd_format_count(number, pick->other_count),
             pick->other_count == 1 ? "" : "s");
    hsd_growth_add(growth, text, HSD_PAINT_NONE);
    hsd_growth_put(growth, &change, false);
}

/* Rows of less than a tenth of the noise say nothing; with --top whatever grew does. */
static hsd_lost_pick choose(const hsd_screen *screen, const hsd_lost *lost, size_t usual)
{
    const size_t top = screen->options->top;
    return hsd_lost_choose(lost, top > 0 ? top : usual, top > 0 ? 1 : screen->noise_bytes / 10);
}

static void end_table(hsd_growth_table *growth, const hsd_lost_pick *pick, bool *folded)
{
    const hsd_change total = hsd_lost_total(growth->screen->diff);
    add_others(growth, pick);
    hsd_growth_add(growth, "TOTAL", HSD_PAINT_HEADING);
    hsd_growth_put(growth, &total, true);
    hsd_growth_end(growth);
    *folded = *folded || pick->has_folded;
}

void hsd_screen_lost(hsd_screen *screen, bool *folded)
{
    hsd_growth_table growth;
    if (screen->out.status != HSD_OK || !hsd_lost_matters(screen->diff, screen->noise_bytes)) return;
    const hsd_lost_pick pick = choose(screen, &screen->diff->lost, HSD_LOST_SHOWN);
    if (!hsd_growth_begin(&growth, screen, "LOST", pick.count * (CALLERS_SHOWN + 2) + 2, HSD_GROWTH_SIZES)) return;
    for (size_t i = 0; i < pick.count; i++)
        add_row(&growth, &screen->diff->lost.rows[i]);
    end_table(&growth, &pick, folded);
}

/* ---- what is not collected yet ---- */

static void add_uncollected(hsd_growth_table *growth, const hsd_lost_row *row)
{
    const hsd_change change = hsd_lost_change(row);
    char size[HSD_NUMBER_CHARS], revived[HSD_REVIVED_CHARS];
    hsd_growth_add_foreign(growth, row->type, 0);
    hsd_growth_put(growth, &change, false);
    if (!hsd_uncollected_revived(row, hsd_screen_size(growth->screen, size, row->revived.bytes), revived)) return;
    hsd_growth_add_foreign(growth, (hsd_text){revived, strlen(revived)}, 2);
}

void hsd_screen_uncollected(hsd_screen *screen, bool *folded)
{
    hsd_growth_table growth;
    if (screen->out.status != HSD_OK || !hsd_uncollected_matters(screen->diff, screen->noise_bytes)) return;
    const hsd_lost_pick pick = choose(screen, &screen->diff->uncollected, HSD_UNCOLLECTED_SHOWN);
    if (!hsd_growth_begin(&growth, screen, "NOT YET COLLECTED", 2 * pick.count + 2, HSD_GROWTH_SIZES)) return;
    for (size_t i = 0; i < pick.count; i++)
        add_uncollected(&growth, &screen->diff->uncollected.rows[i]);
    end_table(&growth, &pick, folded);
}

/*
 * One table of repeated captures, before against after, as benchstat has it: median and spread of each side, the
 * growth between the medians, and how often chance alone gives as much.
 *
 *      TYPE            BEFORE (3)       AFTER (4)      GROWTH      %      P
 *      Session   38.1 MiB ± 1%  163.9 MiB ± 0.5%  +125.8 MiB  +330%  0.029
 *      Buffer    96.4 MiB ± 2%   99.1 MiB ± 4%      +2.70 MiB     ~  0.400
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/text/series_screen.h"
#include "report/words/number.h"

enum column { NAME, BEFORE, AFTER, GROWTH, PERCENT, P, COLUMNS };

typedef struct sheet {
    hsd_series_screen *screen;
    hsd_report_table which;
    hsd_table table;
} sheet;

static void put(sheet *s, enum column column, const char *text, hsd_paint paint)
{
    hsd_page_put(&s->screen->page, &s->table, column, text, paint);
}

/* "412.6 MiB ± 1%"; the spread is a share of the median, or exact with --bytes. */
static void put_side(sheet *s, enum column column, uint64_t median, uint64_t spread)
{
    char size[HSD_NUMBER_CHARS], around[HSD_NUMBER_CHARS], text[2 * HSD_NUMBER_CHARS + 8];
    hsd_page_size(&s->screen->page, size, median);
    if (s->screen->options->exact_bytes)
        hsd_format_exact(around, spread);
    else
        hsd_format_share(around, spread, median);
    snprintf(text, sizeof text, "%s %s %s", size, s->screen->options->use_utf8 ? "\xc2\xb1" : "+-", around);
    put(s, column, median == 0 && spread == 0 ? "0" : text, HSD_PAINT_NONE);
}

static void put_contrast(sheet *s, const hsd_contrast *contrast)
{
    char text[HSD_NUMBER_CHARS];
    const int64_t growth = (int64_t)(contrast->median_after - contrast->median_before);
    const hsd_paint paint = contrast->is_significant ? hsd_paint_of(growth) : HSD_PAINT_NONE;
    put_side(s, BEFORE, contrast->median_before, contrast->spread_before);
    put_side(s, AFTER, contrast->median_after, contrast->spread_after);
    put(s, GROWTH, hsd_series_growth_size(s->screen, text, growth), paint);
    hsd_format_percent(text, contrast->median_before, contrast->median_after);
    put(s, PERCENT, contrast->is_significant ? text : "~", paint);
    put(s, P, hsd_format_p(text, contrast->p_millionths), HSD_PAINT_NONE);
}

/* ---- what was folded here: medians of the sums, and no more ---- */

static int by_value(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Sorts the bytes of `count` captures. */
static uint64_t median_of(uint64_t *bytes, const hsd_amount *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = values[i].bytes;
    qsort(bytes, count, sizeof *bytes, by_value);
    const uint64_t low = bytes[(count - 1) / 2], high = bytes[count / 2];
    return low + (high - low) / 2;
}

static void put_sums(sheet *s, const hsd_amount *values)
{
    const hsd_series *series = s->screen->series;
    hsd_out *out = &s->screen->page.out;
    char text[HSD_NUMBER_CHARS];
    uint64_t *bytes = calloc(series->point_count, sizeof *bytes);
    if (!bytes) {
        if (out->status == HSD_OK) out->status = hsd_fail(out->err, HSD_E_NOMEM, "no memory for a table");
        return;
    }
    const uint64_t before = median_of(bytes, values, series->before_count),
                   after = median_of(bytes, values + series->before_count, series->point_count - series->before_count);
    free(bytes);
    put(s, BEFORE, hsd_page_size(&s->screen->page, text, before), HSD_PAINT_NONE);
    put(s, AFTER, hsd_page_size(&s->screen->page, text, after), HSD_PAINT_NONE);
    put(s, GROWTH, hsd_series_growth_size(s->screen, text, (int64_t)(after - before)), HSD_PAINT_NONE);
}

/* ---- the table ---- */

static bool begin(sheet *s, size_t rows)
{
    char before[HSD_NUMBER_CHARS], after[HSD_NUMBER_CHARS];
    const hsd_series *series = s->screen->series;
    const char *headings[] = {hsd_series_heading(s->which), before, after, "GROWTH", "%", "P"};
    snprintf(before, sizeof before, "BEFORE (%zu)", series->before_count);
    snprintf(after, sizeof after, "AFTER (%zu)", series->point_count - series->before_count);
    if (!hsd_page_begin_table(&s->screen->page, &s->table, COLUMNS, rows)) return false;
    s->table.is_shared = true;
    hsd_page_headings(&s->screen->page, &s->table, headings);
    return true;
}

static void put_others(sheet *s, const hsd_series_pick *pick)
{
    hsd_table_add_row(&s->table);
    hsd_series_put_others_name(s->screen, &s->table, s->which, pick->other_count);
    if (pick->others_row)
        put_contrast(s, &pick->others_row->contrast);
    else
        put_sums(s, pick->others);
}

static void print_pick(sheet *s, const hsd_series_pick *pick)
{
    const bool has_total = s->which == HSD_TABLE_TYPES;
    if (!begin(s, pick->count + 3)) return;
    for (size_t i = 0; i < pick->count; i++) {
        hsd_table_add_row(&s->table);
        hsd_series_put_row_name(s->screen, &s->table, s->which, pick->rows[i]);
        put_contrast(s, &pick->rows[i]->contrast);
    }
    if (pick->other_count > 0) put_others(s, pick);
    if (has_total) {
        hsd_table_add_row(&s->table);
        put(s, NAME, "TOTAL", HSD_PAINT_HEADING);
        put_contrast(s, &s->screen->series->total.contrast);
    }
    hsd_series_end_table(s->screen, &s->table, s->which, pick->other_count);
}

void hsd_series_print_contrast(hsd_series_screen *screen, hsd_report_table which, size_t top, bool moving)
{
    hsd_out *out = &screen->page.out;
    sheet s = {.screen = screen, .which = which};
    hsd_series_pick pick;
    if (out->status != HSD_OK) return;
    out->status = hsd_series_pick_init(&pick, screen->series, which, screen->options->sort_by, top, moving, out->err);
    if (out->status != HSD_OK) return;
    if (pick.count > 0 || which == HSD_TABLE_TYPES) print_pick(&s, &pick);
    hsd_series_pick_release(&pick);
}

/*
 * One table of a series: first, last, growth, how fast, a picture of all values and the verdict.
 *
 *      TYPE            FIRST       LAST      GROWTH   PER HOUR  TREND   VERDICT
 *      Session      38.1 MiB  163.9 MiB  +125.8 MiB  +25.2 MiB  ▁▂▄▅▇█  each step
 *      9 other types 266 MiB    266 MiB       [ = ]             ▁▁▁▁▁▁  steady
 *
 * The picture takes what room names and numbers leave. Places are long: where they do not fit they stand on lines of
 * their own.
 */
#include <stdlib.h>
#include <string.h>

#include "report/text/series_screen.h"
#include "report/words/number.h"
#include "report/words/sparkline.h"
#include "report/words/width.h"

enum column { NAME, FIRST, LAST, GROWTH, RATE, TREND, VERDICT, COLUMNS };
enum short_column { PERCENT = RATE, OBJECTS, SHORT_COLUMNS }; /* of two captures */

#define GAP_COLUMNS  2
#define NAME_COLUMNS 16 /* a name is given so many before the picture gets more than the least */
#define TREND_LEAST  6
#define TREND_USUAL  12

typedef struct sheet {
    hsd_series_screen *screen;
    hsd_report_table which;
    hsd_table table;
    const hsd_amount **values; /* of each line; NULL for the heading */
    bool has_trend;
} sheet;

static void put(sheet *s, size_t column, const char *text, hsd_paint paint)
{
    hsd_page_put(&s->screen->page, &s->table, column, text, paint);
}

/* Growth below the noise is not painted. */
static hsd_paint paint_of(const sheet *s, int64_t growth)
{
    return hsd_magnitude(growth) < s->screen->series->noise_bytes ? HSD_PAINT_NONE : hsd_paint_of(growth);
}

static hsd_paint paint_of_verdict(hsd_verdict verdict)
{
    if (verdict == HSD_VERDICT_EACH_STEP || verdict == HSD_VERDICT_GROWING) return HSD_PAINT_GROWTH;
    return verdict == HSD_VERDICT_SHRINKING ? HSD_PAINT_SHRINKAGE : HSD_PAINT_NONE;
}

/* ---- the numbers of a line ---- */

static void put_trend(sheet *s, const hsd_amount *values, const hsd_series_row *row, int64_t growth)
{
    char text[HSD_NUMBER_CHARS];
    const hsd_series *series = s->screen->series;
    if (row && growth != 0) {
        const int64_t rate = hsd_series_rate(series, &row->trend);
        put(s, RATE, rate != 0 ? hsd_series_growth_size(s->screen, text, rate) : "0", HSD_PAINT_NONE);
    }
    if (row)
        put(s, VERDICT, hsd_verdict_word(row->trend.verdict), paint_of_verdict(row->trend.verdict));
    else if (hsd_series_is_steady(series, values))
        put(s, VERDICT, hsd_verdict_word(HSD_VERDICT_STEADY), HSD_PAINT_NONE);
}

/* A change below the noise prints as ~; what is new, gone or unchanged is a fact and stays. */
static void put_percent(sheet *s, hsd_amount first, hsd_amount last, int64_t growth, bool is_total)
{
    char text[HSD_NUMBER_CHARS];
    hsd_format_percent(text, first.bytes, last.bytes);
    const bool is_noise = text[0] != '[' && !is_total && hsd_magnitude(growth) < s->screen->series->noise_bytes;
    put(s, PERCENT, is_noise ? "~" : text, paint_of(s, growth));
    put(s, OBJECTS, hsd_format_count_signed(text, (int64_t)(last.objects - first.objects)), HSD_PAINT_NONE);
}

/* Fills the newest line; `row` is NULL for what was folded here. */
static void put_values(sheet *s, const hsd_amount *values, const hsd_series_row *row, bool is_total)
{
    char text[HSD_NUMBER_CHARS];
    const hsd_series *series = s->screen->series;
    const hsd_amount first = hsd_series_first(series, values), last = hsd_series_last(series, values);
    const int64_t growth = (int64_t)(last.bytes - first.bytes);
    s->values[s->table.rows - 1] = values;
    put(s, FIRST, hsd_page_size(&s->screen->page, text, first.bytes), HSD_PAINT_NONE);
    put(s, LAST, hsd_page_size(&s->screen->page, text, last.bytes), HSD_PAINT_NONE);
    put(s, GROWTH, hsd_series_growth_size(s->screen, text, growth), paint_of(s, growth));
    if (s->has_trend)
        put_trend(s, values, row, growth);
    else
        put_percent(s, first, last, growth, is_total);
}

/* ---- the picture ---- */

static size_t width_of_column(const hsd_table *table, size_t column)
{
    size_t widest = 0;
    for (size_t row = 0; row < table->rows; row++) {
        const size_t width = table->cells[row * table->columns + column].width;
        if (width > widest) widest = width;
    }
    return widest;
}

/* Columns of the terminal for the picture: all values if there is room beside the names. */
static size_t columns_of_trend(const sheet *s)
{
    const size_t width = s->screen->options->width, count = s->screen->series->point_count - s->screen->series->warmup,
                 most = count < HSD_SPARKLINE_COLUMNS_MAX ? count : HSD_SPARKLINE_COLUMNS_MAX;
    size_t taken = GAP_COLUMNS, name = width_of_column(&s->table, NAME);
    if (width == 0 || most <= TREND_LEAST) return most;
    for (size_t column = FIRST; column < COLUMNS; column++)
        if (column != TREND) taken += width_of_column(&s->table, column) + GAP_COLUMNS;
    const size_t room = width > taken ? width - taken : 0;
    if (room >= name + TREND_USUAL) return most < room - name ? most : room - name;
    if (name > NAME_COLUMNS) name = NAME_COLUMNS;
    const size_t rest = room > name ? room - name : 0, usual = most < TREND_USUAL ? most : TREND_USUAL;
    return rest < TREND_LEAST ? TREND_LEAST : rest < usual ? rest : usual;
}

static void put_picture(sheet *s, const hsd_amount *values, uint64_t *bytes, size_t columns)
{
    char text[HSD_SPARKLINE_CHARS];
    const hsd_series *series = s->screen->series;
    const size_t count = series->point_count - series->warmup;
    for (size_t i = 0; i < count; i++)
        bytes[i] = values[series->warmup + i].bytes;
    put(s, TREND, hsd_sparkline(text, bytes, count, columns, series->noise_bytes, s->screen->options->use_utf8),
        HSD_PAINT_NONE);
}

/* Of all lines, when their other cells are there to be measured. */
static void put_pictures(sheet *s)
{
    hsd_out *out = &s->screen->page.out;
    const size_t rows = s->table.rows, columns = columns_of_trend(s);
    uint64_t *bytes = calloc(s->screen->series->point_count, sizeof *bytes);
    if (!bytes && out->status == HSD_OK)
        out->status = hsd_fail(out->err, HSD_E_NOMEM, "no memory for a table of %zu rows", rows);
    for (size_t row = 0; bytes && row < rows; row++) {
        s->table.rows = row + 1; /* cells are put into the newest line */
        if (s->values[row]) put_picture(s, s->values[row], bytes, columns);
    }
    s->table.rows = rows;
    free(bytes);
}

/* ---- the table ---- */

static bool begin(sheet *s, size_t rows)
{
    static const char *const headings[] = {"", "FIRST", "LAST", "GROWTH", "", "TREND", "VERDICT"};
    static const char *const short_headings[] = {"", "FIRST", "LAST", "GROWTH", "%", "OBJECTS"};
    const char *texts[COLUMNS];
    hsd_page *page = &s->screen->page;
    if (!hsd_page_begin_table(page, &s->table, s->has_trend ? COLUMNS : SHORT_COLUMNS, rows)) return false;
    s->values = calloc(rows, sizeof *s->values);
    if (!s->values) {
        page->out.status = hsd_fail(page->out.err, HSD_E_NOMEM, "no memory for a table of %zu rows", rows);
        hsd_table_release(&s->table);
        return false;
    }
    for (size_t column = 0; column < s->table.columns; column++)
        texts[column] = s->has_trend ? headings[column] : short_headings[column];
    texts[NAME] = hsd_series_heading(s->which);
    if (s->has_trend) {
        texts[RATE] = hsd_series_is_hourly(s->screen->series) ? "PER HOUR" : "PER STEP";
        s->table.left_from = TREND;
    }
    s->table.is_shared = true;
    hsd_page_headings(page, &s->table, texts);
    return true;
}

static void print_pick(sheet *s, const hsd_series_pick *pick)
{
    const hsd_series *series = s->screen->series;
    const bool has_total = s->which == HSD_TABLE_TYPES;
    if (!begin(s, pick->count + 3)) return;
    for (size_t i = 0; i < pick->count; i++) {
        hsd_table_add_row(&s->table);
        hsd_series_put_row_name(s->screen, &s->table, s->which, pick->rows[i]);
        put_values(s, pick->rows[i]->values, pick->rows[i], false);
    }
    if (pick->other_count > 0) {
        hsd_table_add_row(&s->table);
        hsd_series_put_others_name(s->screen, &s->table, s->which, pick->other_count);
        put_values(s, pick->others, pick->others_row, false);
    }
    if (has_total) {
        hsd_table_add_row(&s->table);
        put(s, NAME, "TOTAL", HSD_PAINT_HEADING);
        put_values(s, series->total.values, &series->total, true);
    }
    if (s->has_trend) put_pictures(s);
    hsd_series_end_table(s->screen, &s->table, s->which, pick->other_count);
    free(s->values);
}

void hsd_series_print_table(hsd_series_screen *screen, hsd_report_table which, size_t top, bool moving)
{
    hsd_out *out = &screen->page.out;
    sheet s = {.screen = screen, .which = which, .has_trend = hsd_series_has_trend(screen->series)};
    hsd_series_pick pick;
    if (out->status != HSD_OK) return;
    out->status = hsd_series_pick_init(&pick, screen->series, which, screen->options->sort_by, top, moving, out->err);
    if (out->status != HSD_OK) return;
    if (pick.count > 0 || which == HSD_TABLE_TYPES) print_pick(&s, &pick);
    hsd_series_pick_release(&pick);
}

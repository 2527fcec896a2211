/*
 * One table of the text report: growth by type or by root. Rows are chosen by rank.h, so that rows and
 * the line of others add up to TOTAL; sizes are rounded when printed and at no other place.
 */
#include <stdio.h>
#include <string.h>

#include "report/number.h"
#include "report/rank.h"
#include "report/table.h"
#include "report/text.h"

enum column { NAME, BEFORE, AFTER, GROWTH, PERCENT, OBJECTS, NEW, FREED };

#define COLUMNS_NARROW 6 /* without NEW and FREED */
#define COLUMNS_WIDE   8
#define WIDE_LINE      110 /* a terminal with room for all columns beside a name */

typedef struct growth_table {
    hsd_screen *screen;
    hsd_table table;
    bool is_wide;
} growth_table;

static void put(growth_table *growth, enum column column, const char *text, hsd_paint paint)
{
    hsd_out *out = &growth->screen->out;
    if (out->status == HSD_OK)
        out->status = hsd_table_put(&growth->table, column, text, strlen(text), paint, out->err);
}

static void put_name(growth_table *growth, hsd_text name)
{
    hsd_screen *screen = growth->screen;
    hsd_buffer escaped = {0};
    const size_t size = hsd_escape(screen->form, name.data, name.size, NULL, 0);
    hsd_out *out = &screen->out;
    if (out->status == HSD_OK) out->status = hsd_buffer_reserve(&escaped, size + 1, out->err);
    if (out->status == HSD_OK) {
        hsd_escape(screen->form, name.data, name.size, (char *)escaped.data, size + 1);
        out->status =
            hsd_table_put(&growth->table, NAME, size > 0 ? (char *)escaped.data : "(no name)",
                          size > 0 ? size : strlen("(no name)"), HSD_PAINT_NONE, out->err);
    }
    hsd_buffer_release(&escaped);
}

static hsd_paint paint_of(int64_t growth)
{
    return growth > 0 ? HSD_PAINT_GROWTH : growth < 0 ? HSD_PAINT_SHRINKAGE : HSD_PAINT_NONE;
}

/* Of a partial capture, growth alone can be proven: what is not found may only be lost. */
static bool is_proven(const hsd_screen *screen, int64_t growth)
{
    return !screen->diff->is_partial || (hsd_screen_proves_growth(screen) && growth > 0);
}

/* A change below the noise prints as ~; what is new, gone or unchanged is a fact and stays. */
static void put_percent(growth_table *growth, const hsd_change *change, bool is_total)
{
    char text[HSD_NUMBER_CHARS];
    const int64_t bytes = hsd_change_bytes(change);
    hsd_format_percent(text, change->before.bytes, change->after.bytes);
    if (!is_proven(growth->screen, bytes)) {
        put(growth, PERCENT, "?", HSD_PAINT_NONE);
        return;
    }
    const bool is_noise =
        text[0] != '[' && !is_total && hsd_magnitude(bytes) < growth->screen->noise_bytes;
    put(growth, PERCENT, is_noise ? "~" : text, is_noise ? HSD_PAINT_NONE : paint_of(bytes));
}

static void put_numbers(growth_table *growth, const hsd_change *change, bool is_total)
{
    const hsd_screen *screen = growth->screen;
    char text[HSD_NUMBER_CHARS];
    const int64_t bytes = hsd_change_bytes(change);
    put(growth, BEFORE, hsd_screen_size(screen, text, change->before.bytes), HSD_PAINT_NONE);
    put(growth, AFTER, hsd_screen_size(screen, text, change->after.bytes), HSD_PAINT_NONE);
    if (is_proven(screen, bytes))
        put(growth, GROWTH, hsd_screen_growth_size(screen, text, bytes), paint_of(bytes));
    else
        put(growth, GROWTH, "?", HSD_PAINT_NONE);
    put_percent(growth, change, is_total);
    const int64_t objects = hsd_change_objects(change);
    put(growth, OBJECTS, is_proven(screen, objects) ? hsd_format_count_signed(text, objects) : "?",
        HSD_PAINT_NONE);
    if (!growth->is_wide) return;
    put(growth, NEW, hsd_screen_growth_size(screen, text, (int64_t)change->new_.bytes),
        HSD_PAINT_NONE);
    put(growth, FREED, hsd_screen_growth_size(screen, text, -(int64_t)change->freed.bytes),
        HSD_PAINT_NONE);
}

static void put_heading(growth_table *growth, const char *name)
{
    static const char *const headings[] = {"",  "BEFORE",  "AFTER", "GROWTH",
                                           "%", "OBJECTS", "NEW",   "FREED"};
    hsd_table_add_row(&growth->table);
    for (size_t column = 0; column < growth->table.columns; column++)
        put(growth, (enum column)column, column == NAME ? name : headings[column],
            HSD_PAINT_HEADING);
}

static void put_rows(growth_table *growth, const hsd_ranking *ranking, const char *noun)
{
    for (size_t i = 0; i < ranking->shown; i++) {
        hsd_table_add_row(&growth->table);
        put_name(growth, ranking->rows[i].name);
        put_numbers(growth, ranking->rows[i].change, false);
    }
    const size_t folded = ranking->count - ranking->shown;
    if (folded > 0) {
        char count[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 32];
        snprintf(text, sizeof text, "%s %s %s%s", hsd_format_count(count, folded),
                 ranking->others_are_unchanged ? "unchanged" : "other", noun,
                 folded == 1 ? "" : "s");
        hsd_table_add_row(&growth->table);
        put(growth, NAME, text, HSD_PAINT_NONE);
        put_numbers(growth, &ranking->others, false);
    }
    hsd_table_add_row(&growth->table);
    put(growth, NAME, "TOTAL", HSD_PAINT_HEADING);
    put_numbers(growth, &growth->screen->diff->total, true);
}

static void print_table(hsd_screen *screen, const hsd_ranking *ranking, hsd_report_table which)
{
    const hsd_report_options *options = screen->options;
    const bool has_room = options->width == 0 || options->width >= WIDE_LINE;
    growth_table growth = {.screen = screen,
                           .is_wide = has_room && screen->diff->identity_is_known &&
                                      !screen->diff->is_partial};
    hsd_out *out = &screen->out;
    if (out->status == HSD_OK)
        out->status = hsd_table_init(&growth.table, growth.is_wide ? COLUMNS_WIDE : COLUMNS_NARROW,
                                     ranking->shown + 3, out->err);
    if (out->status != HSD_OK) return;
    put_heading(&growth, which == HSD_TABLE_TYPES ? "TYPE" : "ROOT");
    put_rows(&growth, ranking, which == HSD_TABLE_TYPES ? "type" : "root");
    if (out->status == HSD_OK)
        out->status =
            hsd_table_cut_names(&growth.table, options->width, options->use_utf8, out->err);
    if (out->status == HSD_OK) hsd_table_print(&growth.table, out, options->use_color);
    hsd_table_release(&growth.table);
    hsd_out_text(out, "\n");
}

void hsd_screen_growth(hsd_screen *screen, hsd_report_table table, size_t top, bool *folded)
{
    if (screen->out.status != HSD_OK) return;
    if ((table == HSD_TABLE_TYPES ? screen->diff->type_count : screen->diff->root_count) == 0)
        return;
    hsd_ranking ranking;
    const uint64_t quiet_bytes = top == HSD_TOP_ALL ? 1 : screen->noise_bytes;
    screen->out.status = hsd_ranking_init(&ranking, screen->diff, table, screen->options->sort_by,
                                          top, quiet_bytes, screen->out.err);
    if (screen->out.status != HSD_OK) return;
    const bool is_news = ranking.shown > 0; /* a table of unchanged rows says nothing */
    if (is_news) print_table(screen, &ranking, table);
    *folded = *folded || (ranking.shown < ranking.count && !ranking.others_are_unchanged);
    hsd_ranking_release(&ranking);
}

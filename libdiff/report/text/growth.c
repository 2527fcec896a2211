/*
 * One table of the text report: growth by type or by root. Rows are chosen by rank.h, so that rows and
 * the line of others add up to TOTAL; sizes are rounded when printed and at no other place.
 */
#include <stdio.h>
#include <string.h>

#include "report/sentences/churn.h"
#include "report/text/growth.h"
#include "report/words/number.h"

enum column { NAME, BEFORE, AFTER, GROWTH, PERCENT, OBJECTS, NEW, FREED };

#define COLUMNS_NARROW 6 /* without NEW and FREED */
#define COLUMNS_WIDE   8
#define INDENT_MOST    24
#define WIDE_LINE      110 /* a terminal with room for all columns beside a name */

static void put(hsd_growth_table *growth, size_t column, const char *text, hsd_paint paint)
{
    hsd_out *out = &growth->screen->out;
    if (out->status == HSD_OK) out->status = hsd_table_put(&growth->table, column, text, strlen(text), paint, out->err);
}

void hsd_growth_add(hsd_growth_table *growth, const char *name, hsd_paint paint)
{
    hsd_table_add_row(&growth->table);
    put(growth, NAME, name, paint);
}

void hsd_growth_add_foreign(hsd_growth_table *growth, hsd_text name, size_t indent)
{
    static const char blanks[INDENT_MOST + 1] = "                        ";
    hsd_out *out = &growth->screen->out;
    hsd_buffer text = {0};
    if (name.size == 0) name = (hsd_text){"(no name)", strlen("(no name)")};
    hsd_table_add_row(&growth->table);
    if (out->status == HSD_OK)
        out->status = hsd_buffer_append(&text, blanks, indent < INDENT_MOST ? indent : INDENT_MOST, out->err);
    if (out->status == HSD_OK)
        out->status = hsd_escape_append(&text, growth->screen->form, name.data, name.size, out->err);
    if (out->status == HSD_OK)
        out->status = hsd_table_put(&growth->table, NAME, (const char *)text.data, text.size, HSD_PAINT_NONE, out->err);
    hsd_buffer_release(&text);
}

/* Of a partial capture, growth alone can be proven: what is not found may only be lost. */
static bool is_proven(const hsd_screen *screen, int64_t growth)
{
    return !screen->diff->is_partial || (hsd_screen_proves_growth(screen) && growth > 0);
}

/* A change below the noise prints as ~; what is new, gone or unchanged is a fact and stays. */
static void put_percent(hsd_growth_table *growth, const hsd_change *change, bool is_total)
{
    char text[HSD_NUMBER_CHARS];
    const int64_t bytes = hsd_change_bytes(change);
    hsd_format_percent(text, change->before.bytes, change->after.bytes);
    if (!is_proven(growth->screen, bytes)) {
        put(growth, PERCENT, "?", HSD_PAINT_NONE);
        return;
    }
    const bool is_noise = text[0] != '[' && !is_total && hsd_magnitude(bytes) < growth->screen->noise_bytes;
    put(growth, PERCENT, is_noise ? "~" : text, is_noise ? HSD_PAINT_NONE : hsd_paint_of(bytes));
}

void hsd_growth_put(hsd_growth_table *growth, const hsd_change *change, bool is_total)
{
    const hsd_screen *screen = growth->screen;
    char text[HSD_NUMBER_CHARS];
    const int64_t bytes = hsd_change_bytes(change);
    put(growth, BEFORE, hsd_screen_size(screen, text, change->before.bytes), HSD_PAINT_NONE);
    put(growth, AFTER, hsd_screen_size(screen, text, change->after.bytes), HSD_PAINT_NONE);
    if (is_proven(screen, bytes))
        put(growth, GROWTH, hsd_screen_growth_size(screen, text, bytes), hsd_paint_of(bytes));
    else
        put(growth, GROWTH, "?", HSD_PAINT_NONE);
    put_percent(growth, change, is_total);
    const int64_t objects = hsd_change_objects(change);
    put(growth, OBJECTS, is_proven(screen, objects) ? hsd_format_count_signed(text, objects) : "?", HSD_PAINT_NONE);
    if (!growth->is_wide) return;
    put(growth, NEW, hsd_screen_growth_size(screen, text, (int64_t)hsd_change_sure(change, change->new_).bytes),
        HSD_PAINT_NONE);
    put(growth, FREED, hsd_screen_growth_size(screen, text, -(int64_t)hsd_change_sure(change, change->freed).bytes),
        HSD_PAINT_NONE);
}

void hsd_growth_put_retained(hsd_growth_table *growth, int64_t bytes)
{
    char text[HSD_NUMBER_CHARS];
    if (!growth->has_retained) return;
    const bool is_known = is_proven(growth->screen, bytes);
    put(growth, growth->table.columns - 1, is_known ? hsd_screen_growth_size(growth->screen, text, bytes) : "?",
        is_known ? hsd_paint_of(bytes) : HSD_PAINT_NONE);
}

bool hsd_growth_begin(hsd_growth_table *growth, hsd_screen *screen, const char *name, size_t rows,
                      hsd_growth_columns which)
{
    static const char *const headings[] = {"", "BEFORE", "AFTER", "GROWTH", "%", "OBJECTS", "NEW", "FREED"};
    const unsigned width = screen->options->width;
    const bool has_retained = which == HSD_GROWTH_RETAINED;
    hsd_out *out = &screen->out;
    *growth = (hsd_growth_table){.screen = screen,
                                 .is_wide = which != HSD_GROWTH_SIZES && (width == 0 || width >= WIDE_LINE) &&
                                            screen->diff->identity_is_known && !screen->diff->is_partial &&
                                            hsd_churn_is_told(screen->diff),
                                 .has_retained = has_retained};
    const size_t columns = growth->is_wide ? COLUMNS_WIDE : COLUMNS_NARROW;
    if (out->status == HSD_OK) out->status = hsd_table_init(&growth->table, columns + has_retained, rows + 1, out->err);
    if (out->status != HSD_OK) return false;
    hsd_growth_add(growth, name, HSD_PAINT_HEADING);
    for (size_t column = 1; column < columns; column++)
        put(growth, column, headings[column], HSD_PAINT_HEADING);
    if (has_retained) put(growth, columns, "RETAINED", HSD_PAINT_HEADING);
    return true;
}

void hsd_growth_end(hsd_growth_table *growth)
{
    const hsd_report_options *options = growth->screen->options;
    hsd_out *out = &growth->screen->out;
    if (out->status == HSD_OK)
        out->status =
            hsd_table_cut_names(&growth->table, options->width, options->name_width, options->use_utf8, out->err);
    if (out->status == HSD_OK) hsd_table_print(&growth->table, out, options->use_color);
    hsd_table_release(&growth->table);
    hsd_out_text(out, "\n");
}

static void add_others(hsd_growth_table *growth, const hsd_ranking *ranking, const char *noun)
{
    char count[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 32];
    const size_t folded = ranking->count - ranking->shown;
    if (folded == 0) return;
    snprintf(text, sizeof text, "%s %s %s%s", hsd_format_count(count, folded),
             ranking->others_are_unchanged ? "unchanged" : "other", noun, folded == 1 ? "" : "s");
    hsd_growth_add(growth, text, HSD_PAINT_NONE);
    hsd_growth_put(growth, &ranking->others, false);
}

/* Types of the runtime's own code: one row, below those of the program. */
static void add_code(hsd_growth_table *growth, const hsd_ranking *ranking)
{
    char text[HSD_RANK_CODE_CHARS];
    if (ranking->code_count == 0) return;
    hsd_rank_code_text(ranking, text);
    if (text[0] != '\0')
        hsd_growth_add(growth, text, HSD_PAINT_NONE);
    else
        hsd_growth_add_foreign(growth, ranking->rows[ranking->count].name, 0);
    hsd_growth_put(growth, &ranking->code, false);
}

static void print_table(hsd_screen *screen, const hsd_ranking *ranking, hsd_report_table which)
{
    const bool is_types = which == HSD_TABLE_TYPES;
    hsd_growth_table growth;
    if (!hsd_growth_begin(&growth, screen, is_types ? "TYPE" : "ROOT", ranking->shown + 3,
                          screen->options->sort_by == HSD_SORT_RETAINED && screen->diff->has_holders
                              ? HSD_GROWTH_RETAINED
                              : HSD_GROWTH_NEW))
        return;
    for (size_t i = 0; i < ranking->shown; i++) {
        hsd_growth_add_foreign(&growth, ranking->rows[i].name, 0);
        hsd_growth_put(&growth, ranking->rows[i].change, false);
        hsd_growth_put_retained(&growth, hsd_rank_row_retained_growth(&ranking->rows[i]));
    }
    add_others(&growth, ranking, is_types ? "type" : "root");
    add_code(&growth, ranking);
    hsd_growth_add(&growth, "TOTAL", HSD_PAINT_HEADING);
    hsd_growth_put(&growth, &screen->diff->total, true);
    hsd_growth_end(&growth);
}

void hsd_screen_growth(hsd_screen *screen, hsd_report_table table, size_t top, bool *folded)
{
    if (screen->out.status != HSD_OK) return;
    if ((table == HSD_TABLE_TYPES ? screen->diff->type_count : screen->diff->root_count) == 0) return;
    hsd_ranking ranking;
    const uint64_t quiet_bytes = top == HSD_TOP_ALL ? 1 : screen->noise_bytes;
    screen->out.status = hsd_ranking_init(&ranking, screen->diff, table, screen->options->sort_by, top, quiet_bytes,
                                          top != HSD_TOP_ALL, screen->out.err);
    if (screen->out.status != HSD_OK) return;
    /* a table of unchanged rows says nothing */
    const bool is_news = ranking.shown > 0 || !hsd_change_is_none(&ranking.code);
    if (is_news) print_table(screen, &ranking, table);
    *folded = *folded || (ranking.shown < ranking.count && !ranking.others_are_unchanged) || ranking.code_count > 1;
    hsd_ranking_release(&ranking);
}

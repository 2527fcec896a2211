/*
 * WHAT KEEPS IT ALIVE: the places that the growth hangs from, and below each the references through which it hangs.
 *
 *      global.app.state.sessions: Map          +79,000  +3.96 MiB    73%     a holder, and its share of the growth
 *        [*]: Session          2,000 -> 14,000 items    +3.90 MiB            what hangs below it, as a tree
 *          .cart: Array                   12,000 new    +2.10 MiB
 *      app.byId: Map and app.byName: Map, together                           what several hold together, and what each
 *        by app.byId: Map                              +1.20 MiB             of them reaches, if not all
 *      1,203 other holders                    +412  +87.2 KiB     2%
 *
 * Shares are of the growth of the heap, so they are left out where it did not grow. A partial capture has no holders.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/holder_rows.h"
#include "report/sentences/place.h"
#include "report/text/outline.h"
#include "report/text/table.h"
#include "report/text/text.h"
#include "report/words/number.h"

enum column { NAME, OBJECTS, GROWTH, SHARE };

#define HOLDERS_SHOWN 3  /* without --top, and of these only those with: */
#define SHARE_SHOWN   20 /* one part in so many of the growth, or of the holder's growth for a reference */
#define EDGES_SHOWN   8
#define INDENT_MOST   12

typedef struct holder_table {
    hsd_screen *screen;
    hsd_table table;
    hsd_buffer text;
    int64_t growth; /* of the heap; 0 = no shares */
} holder_table;

static void put(holder_table *holders, enum column column, const char *text, size_t size, hsd_paint paint)
{
    hsd_out *out = &holders->screen->out;
    if (out->status == HSD_OK && column < holders->table.columns)
        out->status = hsd_table_put(&holders->table, column, text, size, paint, out->err);
}

static void put_text(holder_table *holders, enum column column, const char *text)
{
    put(holders, column, text, strlen(text), HSD_PAINT_NONE);
}

/* What `text` holds, escaped, behind `indent` blanks. */
static void put_name(holder_table *holders, size_t indent)
{
    static const char blanks[2 * INDENT_MOST + 1] = "                        ";
    hsd_out *out = &holders->screen->out;
    hsd_buffer name = {0};
    if (out->status == HSD_OK) out->status = hsd_buffer_append(&name, blanks, indent, out->err);
    if (out->status == HSD_OK)
        out->status = hsd_escape_append(&name, holders->screen->form, (const char *)holders->text.data,
                                        holders->text.size, out->err);
    put(holders, NAME, (const char *)name.data, name.size, HSD_PAINT_NONE);
    hsd_buffer_release(&name);
}

static void put_growth(holder_table *holders, int64_t bytes)
{
    char text[HSD_NUMBER_CHARS];
    hsd_screen_growth_size(holders->screen, text, bytes);
    put(holders, GROWTH, text, strlen(text), hsd_paint_of(bytes));
}

static void put_share(holder_table *holders, int64_t bytes)
{
    char text[HSD_NUMBER_CHARS];
    if (holders->growth > 0) put_text(holders, SHARE, hsd_format_growth_share(text, bytes, holders->growth));
}

static void put_net_objects(holder_table *holders, int64_t objects)
{
    char text[HSD_NUMBER_CHARS];
    put_text(holders, OBJECTS, hsd_format_count_signed(text, objects));
}

/* ---- a holder ---- */

static void put_holder(holder_table *holders, const hsd_holder *holder)
{
    hsd_out *out = &holders->screen->out;
    hsd_buffer_clear(&holders->text);
    if (out->status == HSD_OK) out->status = hsd_holder_append(&holders->text, holder, ": ", "", out->err);
    hsd_table_add_row(&holders->table);
    put_name(holders, 0);
    put_net_objects(holders, holder->net_objects);
    put_growth(holders, holder->growth_bytes);
    put_share(holders, holder->growth_bytes);
}

#define LONGEST_NAME 52u /* that is sure to be read in a line of 80 columns */

/* By what it is held together, where the name does not say it all: some are left out there or cut, or do not reach
 * everything. */
static void put_held_by(holder_table *holders, const hsd_holder *holder)
{
    char text[HSD_NUMBER_CHARS];
    hsd_out *out = &holders->screen->out;
    const bool is_needed =
        hsd_holder_needs_shares(holder) || (holder->by_count > 1 && holders->text.size > LONGEST_NAME);
    for (size_t i = 0; i < holder->by_count && is_needed; i++) {
        hsd_buffer_clear(&holders->text);
        if (out->status == HSD_OK) out->status = hsd_buffer_append(&holders->text, "by ", 3, out->err);
        if (out->status == HSD_OK)
            out->status = hsd_co_holder_append(&holders->text, &holder->by[i], ": ", "", out->err);
        hsd_table_add_row(&holders->table);
        put_name(holders, 2);
        hsd_screen_growth_size(holders->screen, text, (int64_t)holder->by[i].bytes);
        put(holders, GROWTH, text, strlen(text), HSD_PAINT_NONE);
    }
}

/* ---- the references below it ---- */

/*
 * How many are in this place: the length of a container before and after, what came elsewhere. One that was there and
 * is there needs no words.
 */
static void format_items(const hsd_diff *diff, const hsd_growth_edge *edge, char *text, size_t size)
{
    char a[HSD_NUMBER_CHARS], b[HSD_NUMBER_CHARS];
    const uint64_t before = edge->before.objects, after = edge->after.objects;
    const bool is_item = hsd_edge_is_item(edge->edge),
               is_all_new = hsd_new_is_known(diff) && edge->freed.objects == 0 && edge->new_.objects > 0;
    text[0] = 0;
    if (is_all_new && !(is_item && before > 0))
        snprintf(text, size, "%s new", hsd_format_count(a, edge->new_.objects));
    else if (before == after && (is_item || after > 1))
        snprintf(text, size, "%s %s%s", hsd_format_count(a, after), is_item ? "item" : "object", after == 1 ? "" : "s");
    else if (before != after && (hsd_new_is_known(diff) || is_item))
        snprintf(text, size, "%s -> %s%s", hsd_format_count(a, before), hsd_format_count(b, after),
                 is_item ? " items" : "");
    else if (before != after)
        snprintf(text, size, "%s", hsd_format_count_signed(a, (int64_t)(after - before)));
}

static void put_edge(holder_table *holders, const hsd_growth_edge *edge)
{
    char items[2 * HSD_NUMBER_CHARS + 16];
    hsd_out *out = &holders->screen->out;
    const hsd_step step = {.edge = edge->edge, .type = edge->type, .repeat = 1};
    hsd_buffer_clear(&holders->text);
    if (out->status == HSD_OK) out->status = hsd_step_append_with_type(&holders->text, &step, out->err);
    hsd_table_add_row(&holders->table);
    put_name(holders, 2 * (size_t)(edge->depth < INDENT_MOST ? edge->depth : INDENT_MOST));
    format_items(holders->screen->diff, edge, items, sizeof items);
    put_text(holders, OBJECTS, items);
    put_growth(holders, edge->growth_bytes);
}

static void put_edges(holder_table *holders, const hsd_holder *holder)
{
    hsd_out *out = &holders->screen->out;
    hsd_outline_row *rows = calloc(holder->edge_count + 1, sizeof *rows);
    const bool is_all = holders->screen->options->top == HSD_TOP_ALL;
    if (!rows && out->status == HSD_OK)
        out->status = hsd_fail(out->err, HSD_E_NOMEM, "no memory for a table of the report");
    for (size_t i = 0; rows && i < holder->edge_count; i++)
        rows[i] = (hsd_outline_row){.depth = holder->edges[i].depth, .weight = holder->edges[i].growth_bytes};
    if (out->status == HSD_OK)
        out->status = hsd_outline_choose(rows, holder->edge_count, is_all ? SIZE_MAX : EDGES_SHOWN,
                                         is_all ? 0 : hsd_magnitude(holder->growth_bytes) / SHARE_SHOWN, out->err);
    for (size_t i = 0; out->status == HSD_OK && i < holder->edge_count; i++)
        if (rows[i].is_shown) put_edge(holders, &holder->edges[i]);
    free(rows);
}

/* ---- the table ---- */

/* Whether a holder says where the growth is; --top asks for more. */
static bool is_worth_a_row(const hsd_screen *screen, const hsd_holder *holder)
{
    const int64_t growth = hsd_change_bytes(&screen->diff->total);
    if (screen->options->top == HSD_TOP_ALL) return true;
    if (screen->options->top == 0 && hsd_growth_is_room(screen->diff, screen->noise_bytes)) return false;
    if (screen->options->top > 0 || growth < (int64_t)screen->noise_bytes)
        return holder->growth_bytes >= (int64_t)screen->noise_bytes;
    return holder->growth_bytes >= growth / SHARE_SHOWN;
}

static size_t count_shown(const hsd_screen *screen)
{
    const hsd_diff *diff = screen->diff;
    const size_t most = hsd_holders_shown(diff, screen->options->top, HOLDERS_SHOWN);
    size_t shown = 0;
    while (shown < most && !diff->holders[shown].is_code && is_worth_a_row(screen, &diff->holders[shown]))
        shown++;
    const bool has_grown = hsd_change_bytes(&diff->total) >= (int64_t)screen->noise_bytes;
    while (!has_grown && screen->options->top == 0 && shown > 0 &&
           hsd_holder_is_paid_below(diff, &diff->holders[shown - 1], screen->noise_bytes))
        shown--;
    return shown;
}

/* Program code has a row of its own below those of the program, however many these are. */
static const hsd_holder *code_shown(const hsd_screen *screen)
{
    const hsd_holder *code = hsd_holders_code(screen->diff);
    return code != NULL && is_worth_a_row(screen, code) ? code : NULL;
}

static size_t most_rows(const hsd_diff *diff, size_t shown)
{
    size_t rows = shown + 3; /* heading, program code and others */
    for (size_t i = 0; i < shown; i++)
        rows += diff->holders[i].edge_count + diff->holders[i].by_count;
    return rows;
}

static void put_heading(holder_table *holders)
{
    static const char *const headings[] = {"WHAT KEEPS IT ALIVE", "OBJECTS", "GROWTH", "SHARE"};
    hsd_table_add_row(&holders->table);
    for (size_t column = 0; column < holders->table.columns; column++)
        put(holders, (enum column)column, headings[column], strlen(headings[column]), HSD_PAINT_HEADING);
}

/* Nothing came, nothing went: said of none by itself. */
static bool is_idle(const hsd_holder *holder)
{
    return holder->new_.objects == 0 && holder->freed.objects == 0 && holder->net_objects == 0 &&
           holder->growth_bytes == 0;
}

static void put_others(holder_table *holders, size_t shown, const hsd_holder *code, size_t idle)
{
    char count[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 32];
    const hsd_diff *diff = holders->screen->diff;
    hsd_holder_rest rest = code != NULL ? hsd_holders_rest_without_code(diff, shown) : hsd_holders_rest(diff, shown);
    rest.rows += idle;
    if (rest.rows == 0) return;
    snprintf(text, sizeof text, "%s other holder%s", hsd_format_count(count, rest.rows), rest.rows == 1 ? "" : "s");
    hsd_table_add_row(&holders->table);
    put_text(holders, NAME, text);
    put_net_objects(holders, rest.sum.net_objects);
    put_growth(holders, rest.sum.growth_bytes);
    put_share(holders, rest.sum.growth_bytes);
}

static void print_table(hsd_screen *screen, size_t shown, const hsd_holder *code)
{
    const hsd_diff *diff = screen->diff;
    hsd_out *out = &screen->out;
    size_t idle = 0;
    holder_table holders = {.screen = screen, .growth = hsd_change_bytes(&diff->total)};
    out->status =
        hsd_table_init(&holders.table, holders.growth > 0 ? SHARE + 1 : GROWTH + 1, most_rows(diff, shown), out->err);
    if (out->status != HSD_OK) return;
    holders.table.is_shared = true;
    put_heading(&holders);
    for (size_t i = 0; i < shown; i++) {
        if (is_idle(&diff->holders[i])) {
            idle++;
            continue;
        }
        put_holder(&holders, &diff->holders[i]);
        put_held_by(&holders, &diff->holders[i]);
        put_edges(&holders, &diff->holders[i]);
    }
    if (code != NULL) put_holder(&holders, code);
    put_others(&holders, shown, code, idle);
    if (out->status == HSD_OK)
        out->status = hsd_table_cut_names(&holders.table, screen->options->width, screen->options->name_width,
                                          screen->options->use_utf8, out->err);
    if (out->status == HSD_OK) hsd_table_print(&holders.table, out, screen->options->use_color);
    hsd_table_release(&holders.table);
    hsd_buffer_release(&holders.text);
    hsd_out_text(out, "\n");
}

void hsd_screen_holders(hsd_screen *screen)
{
    const hsd_diff *diff = screen->diff;
    if (screen->out.status != HSD_OK || !diff->has_holders) return;
    const size_t shown = count_shown(screen);
    const hsd_holder *code = code_shown(screen);
    if (shown > 0 || code != NULL) print_table(screen, shown, code);
}

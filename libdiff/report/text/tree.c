/*
 * GROWTH BY PATH, with --tree: the dominator trees of both captures, added up by what a person can read, as a picture.
 *
 *      GROWTH BY PATH            GROWTH  SHARE   OBJECTS
 *      ██████████████████▏   +236.0 MiB    91%  +412,310  global.sessions
 *      █████████████████▉    +232.1 MiB    90%  +412,309    -> SessionCache
 *      ▒                      -1.20 MiB    <1%    -4,000  static Shop.carts
 *      █▊                     +24.5 MiB     9%   +22,100  1,204 other places
 *      ████████████████████  +259.3 MiB   100%  +430,410  TOTAL
 *
 * A line is all objects that are reached the same way, with all that they hold, so lines contain what is indented below
 * them; the others are what is in no line of its own, each object once. Shares are of the growth of the heap, so there
 * are none where it did not grow.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/tree_rows.h"
#include "report/sentences/place.h"
#include "report/text/table.h"
#include "report/text/text.h"
#include "report/words/bar.h"
#include "report/words/number.h"
#include "report/words/shorten.h"

#define ROWS_SHOWN  20  /* with the heading, the others and the total a screen of 24 lines */
#define SHARE_SHOWN 100 /* one part in so many of what grew or shrank */
#define BAR_COLUMNS 20
#define BAR_LEAST   14  /* as wide as its heading */
#define BAR_SHORT   8   /* beside which a path still has room */
#define WIDE_LINE   100 /* a terminal with room for the longer bar */
#define NARROW_LINE 64  /* one with none for objects, */
#define SHORT_LINE  52  /* and one with none for shares either */
#define PATH_LEAST  16  /* columns; narrower than that a path says nothing */
#define GAP_COLUMNS 2
#define INDENT_MOST 24 /* columns, on a terminal: what is deeper says how deep */
#define INDENT_STEP 2u

typedef struct picture {
    hsd_screen *screen;
    hsd_table table;
    hsd_arena texts;       /* paths as they are before they are cut */
    hsd_short_name *paths; /* of each line behind the heading */
    size_t *indents;
    int64_t growth; /* of the heap; not above 0 = no shares */
    uint64_t most;  /* what the longest bar stands for */
    size_t bar_columns;
    size_t share, objects, path; /* columns; 0 = not there */
} picture;

enum { BAR, GROWTH };

static void put_tree(picture *p, size_t column, const char *text, hsd_paint paint)
{
    hsd_out *out = &p->screen->out;
    if (out->status == HSD_OK && column < p->table.columns)
        out->status = hsd_table_put(&p->table, column, text, strlen(text), paint, out->err);
}

static void fail_for_memory(hsd_screen *screen)
{
    if (screen->out.status == HSD_OK)
        screen->out.status = hsd_fail(screen->out.err, HSD_E_NOMEM, "no memory for a table of the report");
}

/* ---- which lines ---- */

/* Where no place changed enough by itself, the largest of those that changed at all. */
static hsd_status choose_tree(hsd_screen *screen, hsd_tree_pick *pick)
{
    const size_t top = screen->options->top, limit = top > 0 ? top : ROWS_SHOWN;
    const hsd_change all = hsd_tree_change(&screen->diff->tree[0]);
    const uint64_t share = hsd_magnitude(hsd_change_bytes(&all)) / SHARE_SHOWN;
    const uint64_t least = top == HSD_TOP_ALL            ? 0
                           : top > 0                     ? 1
                           : share < screen->noise_bytes ? screen->noise_bytes
                                                         : share;
    HSD_TRY(hsd_tree_pick_init(pick, screen->diff, limit, least, screen->out.err));
    if (pick->count > 0 || least <= 1) return HSD_OK;
    hsd_tree_pick_release(pick);
    return hsd_tree_pick_init(pick, screen->diff, limit, 1, screen->out.err);
}

/* The longest bar is that of the largest line. */
static uint64_t largest(const hsd_tree_pick *pick, const hsd_diff *diff)
{
    const hsd_change all = hsd_tree_change(&diff->tree[0]);
    uint64_t most = hsd_magnitude(hsd_change_bytes(&all));
    const uint64_t others = hsd_magnitude(hsd_change_bytes(&pick->others));
    if (others > most) most = others;
    for (size_t i = 1; i < diff->tree_count; i++)
        if (pick->rows[i].is_shown && hsd_magnitude(pick->rows[i].weight) > most)
            most = hsd_magnitude(pick->rows[i].weight);
    return most;
}

/* ---- a line but for its path ---- */

static void add_line(picture *p, const hsd_change *change)
{
    char bar[HSD_BAR_CHARS], text[HSD_NUMBER_CHARS];
    const int64_t bytes = hsd_change_bytes(change);
    const hsd_paint paint = hsd_paint_of(bytes);
    hsd_table_add_row(&p->table);
    put_tree(p, BAR, hsd_bar(bar, bytes, p->most, p->bar_columns, p->screen->options->use_utf8), paint);
    put_tree(p, GROWTH, hsd_screen_growth_size(p->screen, text, bytes), paint);
    if (p->share > 0) put_tree(p, p->share, hsd_format_growth_share(text, bytes, p->growth), HSD_PAINT_NONE);
    if (p->objects > 0)
        put_tree(p, p->objects, hsd_format_count_signed(text, hsd_change_objects(change)), HSD_PAINT_NONE);
}

/* The path of the newest line. */
static void keep_path(picture *p, hsd_text text, size_t indent)
{
    const char *copy = hsd_arena_copy(&p->texts, text.data, text.size);
    if (copy == NULL) {
        fail_for_memory(p->screen);
        return;
    }
    p->paths[p->table.rows - 2] =
        (hsd_short_name){.full = copy, .full_size = text.size, .text = copy, .size = text.size};
    p->indents[p->table.rows - 2] = indent;
}

/* ".state: Object", escaped; what is too deep to be indented so far says how deep it is: "(17) .next: Entry". */
static hsd_status append_place(const picture *p, const hsd_tree_row *row, bool is_too_deep, hsd_buffer *out,
                               hsd_error *err)
{
    char depth[HSD_NUMBER_CHARS];
    hsd_buffer name = {0};
    const hsd_step step = {.edge = row->edge, .type = row->type, .repeat = 1};
    const int size = snprintf(depth, sizeof depth, "(%lu) ", (unsigned long)row->depth);
    hsd_status status = is_too_deep ? hsd_buffer_append(out, depth, (size_t)size, err) : HSD_OK;
    if (status == HSD_OK && row->is_root) status = hsd_buffer_append(&name, row->type.data, row->type.size, err);
    if (status == HSD_OK && !row->is_root) status = hsd_step_append_with_type(&name, &step, err);
    if (status == HSD_OK && name.size == 0) status = hsd_buffer_append(&name, "(no name)", strlen("(no name)"), err);
    if (status == HSD_OK) status = hsd_escape_append(out, p->screen->form, (const char *)name.data, name.size, err);
    hsd_buffer_release(&name);
    return status;
}

static void add_place(picture *p, const hsd_tree_row *row)
{
    hsd_out *out = &p->screen->out;
    hsd_buffer text = {0};
    const hsd_change change = hsd_tree_change(row);
    const size_t indent = row->depth > 0 ? INDENT_STEP * (size_t)(row->depth - 1) : 0;
    const bool is_too_deep = p->screen->options->width > 0 && indent > INDENT_MOST;
    add_line(p, &change);
    if (out->status == HSD_OK) out->status = append_place(p, row, is_too_deep, &text, out->err);
    if (out->status == HSD_OK)
        keep_path(p, (hsd_text){(const char *)text.data, text.size}, is_too_deep ? INDENT_MOST : indent);
    hsd_buffer_release(&text);
}

static void add_others(picture *p, const hsd_tree_pick *pick)
{
    char count[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 32];
    if (pick->other_count == 0) return;
    const int size = snprintf(text, sizeof text, "%s %s place%s", hsd_format_count(count, pick->other_count),
                              pick->others_are_unchanged ? "unchanged" : "other", pick->other_count == 1 ? "" : "s");
    add_line(p, &pick->others);
    if (p->screen->out.status == HSD_OK) keep_path(p, (hsd_text){text, (size_t)size}, 0);
}

/* ---- paths, when all else is there to be measured ---- */

static size_t width_before_paths(const picture *p)
{
    size_t taken = 0;
    for (size_t column = 0; column < p->path; column++) {
        size_t widest = 0;
        for (size_t row = 0; row < p->table.rows; row++) {
            const size_t width = p->table.cells[row * p->table.columns + column].width;
            if (width > widest) widest = width;
        }
        taken += widest + GAP_COLUMNS;
    }
    return taken;
}

static hsd_status cut_paths(picture *p, size_t count, hsd_error *err)
{
    const hsd_report_options *options = p->screen->options;
    const size_t taken = width_before_paths(p),
                 width = options->width > 0 || options->name_width == 0 ? options->width : options->name_width + taken,
                 room = width > taken + PATH_LEAST ? width - taken : PATH_LEAST;
    if (width == 0) return HSD_OK;
    for (size_t i = 0; i < count; i++)
        p->paths[i].room = room > p->indents[i] + PATH_LEAST ? room - p->indents[i] : PATH_LEAST;
    return hsd_shorten_names(p->paths, count, room, p->screen->options->use_utf8, &p->texts, err);
}

static hsd_status put_path(picture *p, size_t line, hsd_buffer *text, hsd_error *err)
{
    const size_t rows = p->table.rows;
    hsd_buffer_clear(text);
    for (size_t i = 0; i < p->indents[line]; i++)
        HSD_TRY(hsd_buffer_append(text, " ", 1, err));
    HSD_TRY(hsd_buffer_append(text, p->paths[line].text, p->paths[line].size, err));
    p->table.rows = line + 2; /* cells are put into the newest line */
    const hsd_status status =
        hsd_table_put(&p->table, p->path, (const char *)text->data, text->size, HSD_PAINT_NONE, err);
    p->table.rows = rows;
    return status;
}

static void put_paths(picture *p)
{
    hsd_out *out = &p->screen->out;
    hsd_buffer text = {0};
    const size_t count = p->table.rows - 1;
    if (out->status == HSD_OK) out->status = cut_paths(p, count, out->err);
    for (size_t i = 0; out->status == HSD_OK && i < count; i++)
        out->status = put_path(p, i, &text, out->err);
    hsd_buffer_release(&text);
}

/* ---- the picture ---- */

/* Room for so many lines below the heading. */
static bool begin_tree(picture *p, size_t lines)
{
    hsd_out *out = &p->screen->out;
    const unsigned width = p->screen->options->width;
    const bool is_short = width > 0 && width < SHORT_LINE;
    size_t columns = GROWTH + 1;
    if (p->growth > 0 && !is_short) p->share = columns++;
    if (width == 0 || width >= NARROW_LINE) p->objects = columns++;
    p->path = columns++;
    p->bar_columns = width == 0 || width >= WIDE_LINE ? BAR_COLUMNS : is_short ? BAR_SHORT : BAR_LEAST;
    p->paths = calloc(lines, sizeof *p->paths);
    p->indents = calloc(lines, sizeof *p->indents);
    out->status = hsd_table_init(&p->table, columns, lines + 1, out->err);
    if (p->paths == NULL || p->indents == NULL) fail_for_memory(p->screen);
    if (out->status != HSD_OK) return false;
    p->table.left_from = p->path;
    hsd_table_add_row(&p->table);
    put_tree(p, BAR, is_short ? "BY PATH" : "GROWTH BY PATH", HSD_PAINT_HEADING);
    put_tree(p, GROWTH, "GROWTH", HSD_PAINT_HEADING);
    if (p->share > 0) put_tree(p, p->share, "SHARE", HSD_PAINT_HEADING);
    if (p->objects > 0) put_tree(p, p->objects, "OBJECTS", HSD_PAINT_HEADING);
    return out->status == HSD_OK;
}

static void draw(picture *p, const hsd_tree_pick *pick)
{
    const hsd_diff *diff = p->screen->diff;
    const hsd_change all = hsd_tree_change(&diff->tree[0]);
    static const char total[] = "TOTAL";
    for (size_t i = 1; i < diff->tree_count; i++)
        if (pick->rows[i].is_shown) add_place(p, &diff->tree[i]);
    add_others(p, pick);
    add_line(p, &all);
    if (p->screen->out.status == HSD_OK) keep_path(p, (hsd_text){total, sizeof total - 1}, 0);
    put_paths(p);
    if (p->screen->out.status == HSD_OK) hsd_table_print(&p->table, &p->screen->out, p->screen->options->use_color);
    hsd_out_text(&p->screen->out, "\n");
}

void hsd_screen_tree(hsd_screen *screen)
{
    const hsd_diff *diff = screen->diff;
    hsd_tree_pick pick;
    if (screen->out.status != HSD_OK || !diff->has_holders || diff->tree_count == 0) return;
    screen->out.status = choose_tree(screen, &pick);
    if (screen->out.status != HSD_OK) return;
    const hsd_change all = hsd_tree_change(&diff->tree[0]);
    picture p = {.screen = screen, .growth = hsd_change_bytes(&all), .most = largest(&pick, diff)};
    if (pick.count > 0 && begin_tree(&p, pick.count + 2)) draw(&p, &pick);
    hsd_table_release(&p.table);
    hsd_arena_release(&p.texts);
    free(p.paths);
    free(p.indents);
    hsd_tree_pick_release(&pick);
}

/*
 * GROWTH BY PATH, with --tree: the dominator trees of both captures, added up by what a person can read. A row is all
 * objects that are reached the same way, with all that they hold, so rows contain what is indented below them; the
 * last line is all of it.
 */
#include <stdlib.h>

#include "report/growth.h"
#include "report/number.h"
#include "report/outline.h"
#include "report/place.h"

#define ROWS_SHOWN  30
#define SHARE_SHOWN 100 /* one part in so many of what grew or shrank */

static hsd_change change_of(const hsd_tree_row *row)
{
    return (hsd_change){
        .before = row->before, .after = row->after, .new_ = row->new_, .freed = row->freed};
}

static int64_t growth_of(const hsd_tree_row *row)
{
    const hsd_change change = change_of(row);
    return hsd_change_bytes(&change);
}

/* Row 0 is the total and stands below. */
static hsd_outline_row *choose(hsd_screen *screen)
{
    const hsd_diff *diff = screen->diff;
    const size_t top = screen->options->top;
    hsd_out *out = &screen->out;
    hsd_outline_row *rows = calloc(diff->tree_count + 1, sizeof *rows);
    const uint64_t share = hsd_magnitude(growth_of(&diff->tree[0])) / SHARE_SHOWN;
    const uint64_t least = top == HSD_TOP_ALL            ? 0
                           : top > 0                     ? 1
                           : share < screen->noise_bytes ? screen->noise_bytes
                                                         : share;
    if (!rows && out->status == HSD_OK)
        out->status = hsd_fail(out->err, HSD_E_NOMEM, "no memory for a table of the report");
    if (out->status != HSD_OK) return rows;
    for (size_t i = 1; i < diff->tree_count; i++)
        rows[i] =
            (hsd_outline_row){.depth = diff->tree[i].depth, .weight = growth_of(&diff->tree[i])};
    out->status = hsd_outline_choose(rows + 1, diff->tree_count - 1, top > 0 ? top : ROWS_SHOWN,
                                     least, out->err);
    return rows;
}

static void add_row(hsd_growth_table *growth, const hsd_tree_row *row)
{
    hsd_out *out = &growth->screen->out;
    hsd_buffer text = {0};
    const hsd_step step = {.edge = row->edge, .type = row->type, .repeat = 1};
    const hsd_change change = change_of(row);
    if (out->status == HSD_OK)
        out->status = row->is_root
                          ? hsd_buffer_append(&text, row->type.data, row->type.size, out->err)
                          : hsd_step_append_with_type(&text, &step, out->err);
    hsd_growth_add_foreign(growth, (hsd_text){(const char *)text.data, text.size},
                           2 * (size_t)(row->depth - 1));
    hsd_growth_put(growth, &change, false);
    hsd_buffer_release(&text);
}

void hsd_screen_tree(hsd_screen *screen)
{
    const hsd_diff *diff = screen->diff;
    hsd_growth_table growth;
    size_t shown = 0;
    if (screen->out.status != HSD_OK || !diff->has_holders || diff->tree_count == 0) return;
    hsd_outline_row *rows = choose(screen);
    for (size_t i = 1; screen->out.status == HSD_OK && i < diff->tree_count; i++)
        shown += rows[i].is_shown;
    if (shown > 0 && hsd_growth_begin(&growth, screen, "GROWTH BY PATH", shown + 1, false)) {
        for (size_t i = 1; i < diff->tree_count; i++)
            if (rows[i].is_shown) add_row(&growth, &diff->tree[i]);
        const hsd_change total = change_of(&diff->tree[0]);
        hsd_growth_add(&growth, "TOTAL", HSD_PAINT_HEADING);
        hsd_growth_put(&growth, &total, true);
        hsd_growth_end(&growth);
    }
    free(rows);
}

/*
 * Places by their growth. What a place holds contains what hangs below it, so places that are left out are added up by
 * what is in them alone: each object once.
 */
#include "report/model/tree_rows.h"

#include <stdlib.h>

hsd_change hsd_tree_change(const hsd_tree_row *row)
{
    return (hsd_change){.before = row->before, .after = row->after, .new_ = row->new_, .freed = row->freed};
}

static void add_amount(hsd_amount *sum, hsd_amount part)
{
    sum->objects += part.objects;
    sum->bytes += part.bytes;
}

static bool is_unchanged(const hsd_tree_row *row)
{
    return (row->own_new.objects | row->own_freed.objects) == 0 && row->own_before.objects == row->own_after.objects &&
           row->own_before.bytes == row->own_after.bytes;
}

static void add_other(hsd_tree_pick *pick, const hsd_tree_row *row)
{
    pick->other_count++;
    add_amount(&pick->others.before, row->own_before);
    add_amount(&pick->others.after, row->own_after);
    add_amount(&pick->others.new_, row->own_new);
    add_amount(&pick->others.freed, row->own_freed);
    pick->others_are_unchanged = pick->others_are_unchanged && is_unchanged(row);
}

hsd_status hsd_tree_pick_init(hsd_tree_pick *pick, const hsd_diff *diff, size_t limit, uint64_t least_bytes,
                              hsd_error *err)
{
    *pick = (hsd_tree_pick){.rows = calloc(diff->tree_count + 1, sizeof *pick->rows), .others_are_unchanged = true};
    if (!pick->rows) return hsd_fail(err, HSD_E_NOMEM, "no memory for a tree of %zu places", diff->tree_count);
    if (diff->tree_count == 0) return HSD_OK;
    for (size_t i = 1; i < diff->tree_count; i++) {
        const hsd_change change = hsd_tree_change(&diff->tree[i]);
        pick->rows[i] = (hsd_outline_row){.depth = diff->tree[i].depth, .weight = hsd_change_bytes(&change)};
    }
    const hsd_status status = hsd_outline_choose(pick->rows + 1, diff->tree_count - 1, limit, least_bytes, err);
    for (size_t i = 1; i < diff->tree_count; i++) {
        pick->count += pick->rows[i].is_shown;
        if (!pick->rows[i].is_shown) add_other(pick, &diff->tree[i]);
    }
    if (status != HSD_OK) hsd_tree_pick_release(pick);
    return status;
}

void hsd_tree_pick_release(hsd_tree_pick *pick)
{
    free(pick->rows);
    *pick = (hsd_tree_pick){0};
}

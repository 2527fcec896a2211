/*
 * From a node to its path as people read it: the insides of containers are left out, as in a diff. A FOLD edge leads
 * inside, what cannot hold behind it is inside too, and what comes out is an item, [*], where the program has names for
 * the insides.
 */
#include "series/holders.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

static hsd_text text_of(const hsd_place_join *join, uint32_t number)
{
    return hsd_series_text_of(hsd_names_get(&join->texts, number));
}

static bool is_item(hsd_text edge) { return edge.size == 3 && memcmp(edge.data, "[*]", 3) == 0; }

/* The program says nothing with it: no name, or one of the runtime's. */
static bool is_mute(hsd_text edge) { return edge.size == 0 || edge.data[0] == '<'; }

typedef struct fold {
    bool is_inside, is_items;
} fold;

/* False if the node is left out, unless it is the last. *edge is what to show for it, *is_item_of: with [*] in front.
 */
static bool step_on(fold *f, const hsd_place_node *node, hsd_text edge, bool *is_item_of)
{
    *is_item_of = f->is_items;
    if (!node->is_fold && !(f->is_inside && node->is_inner)) {
        *f = (fold){false, false};
        return true;
    }
    f->is_inside = true;
    f->is_items = f->is_items || !is_mute(edge);
    return false;
}

static hsd_status edge_text(hsd_series_store *store, hsd_text edge, bool is_item_of, hsd_text *out, hsd_error *err)
{
    if (!is_item_of || is_item(edge)) return hsd_series_text(store, edge, out, err);
    if (is_mute(edge)) return hsd_series_words(store, "[*]", out, err);
    void *joined;
    HSD_TRY(hsd_series_take(store, edge.size + 4, &joined, err));
    memcpy(joined, "[*]", 3);
    memcpy((char *)joined + 3, edge.data, edge.size);
    *out = (hsd_text){joined, edge.size + 3};
    return HSD_OK;
}

static bool is_same_place_path(const hsd_step *a, const hsd_step *b)
{
    return hsd_series_compare(a->edge, b->edge) == 0 && hsd_series_compare(a->type, b->type) == 0;
}

/* Nodes from below the root to `node`, which is `count` deep. */
static void collect_place_path(const hsd_place_join *join, uint32_t node, uint32_t *way, size_t count)
{
    for (; count > 0; node = join->nodes[node].parent)
        way[--count] = node;
}

static hsd_status fill_path(const hsd_place_join *join, const uint32_t *way, size_t count, hsd_series_store *store,
                            hsd_series_row *row, hsd_error *err)
{
    void *memory;
    fold f = {false, false};
    HSD_TRY(hsd_series_take(store, count * sizeof(hsd_step), &memory, err));
    hsd_step *steps = memory;
    row->path = steps;
    for (size_t i = 0; i < count; i++) {
        const hsd_place_node *node = &join->nodes[way[i]];
        const hsd_text edge = text_of(join, node->edge);
        bool is_item_of;
        hsd_step step = {.repeat = 1};
        if (!step_on(&f, node, edge, &is_item_of) && i + 1 < count) continue;
        HSD_TRY(edge_text(store, edge, is_item_of, &step.edge, err));
        HSD_TRY(hsd_series_text(store, text_of(join, node->type), &step.type, err));
        if (row->path_count > 0 && is_same_place_path(&steps[row->path_count - 1], &step))
            steps[row->path_count - 1].repeat++;
        else
            steps[row->path_count++] = step;
    }
    row->name = count > 0 ? steps[row->path_count - 1].type : (hsd_text){"", 0};
    return HSD_OK;
}

hsd_status hsd_place_path(const hsd_place_join *join, uint32_t node, hsd_series_store *store, hsd_series_row *row,
                          hsd_error *err)
{
    uint32_t top = node;
    size_t count = 0;
    for (; top != 0 && !join->nodes[top].is_root; top = join->nodes[top].parent)
        count++;
    const hsd_text root = top == 0 ? (hsd_text){"(roots)", 7} : text_of(join, join->nodes[top].type);
    HSD_TRY(hsd_series_text(store, root, &row->root, err));
    uint32_t *way = malloc((count + 1) * sizeof *way);
    if (way == NULL) return hsd_fail_nomem(err, "the paths to holders");
    collect_place_path(join, node, way, count);
    const hsd_status status = fill_path(join, way, count, store, row, err);
    free(way);
    return status;
}

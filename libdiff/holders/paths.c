/*
 * The way to each holder that is an object: the shortest path from the roots of after (graph/shortest.h), or without
 * identity the path of its node in the trie from the root nearest to it. Both read alike: insides of containers are
 * left out, steps that repeat are one (paths/path_text.h).
 */
#include "holders/growth.h"

#include <stdlib.h>

#include "base/fail.h"
#include "paths/path_find.h"
#include "walk/keep.h"

/* ---- with identity ---- */

static hsd_status fill_path(hsd_growth_texts *names, const hsd_growth *growth, hsd_path_texts *texts, hsd_node node,
                            hsd_holder *row, hsd_error *err)
{
    hsd_path_text path;
    HSD_TRY(hsd_path_texts_get(texts, node, &path, err));
    row->root_kind = path.root_kind;
    row->path = path.steps;
    row->path_count = path.step_count;
    row->path_cut = path.step_cut;
    return hsd_growth_text_of_root(names, growth->pair->root_number[AFTER][path.root], &row->root, err);
}

static hsd_status fill_paths(hsd_growth *growth, hsd_growth_texts *names, hsd_holder *rows, hsd_error *err)
{
    hsd_path_texts *texts;
    if (!growth->ways.are_there) return HSD_OK;
    HSD_TRY(hsd_path_texts_new(&texts, &growth->ways.shortest, &growth->pair->sides[AFTER], &growth->diff->store->arena,
                               err));
    hsd_status status = HSD_OK;
    for (uint32_t i = 0; i < growth->choice_count && status == HSD_OK; i++) {
        if (growth->choices[i].by != HSD_HELD_BY_OBJECT) continue;
        status = fill_path(names, growth, texts, growth->choices[i].node[AFTER], &rows[i], err);
    }
    if (status == HSD_OK) status = hsd_growth_by_rows(growth, names, texts, rows, err);
    if (status == HSD_OK) status = hsd_path_texts_name(texts, err);
    hsd_path_texts_free(texts);
    return status;
}

/* Where the plan left room for the types of all objects the search has all of it in memory, and sorts no references.
 * Nobody else asks for types meanwhile. */
static hsd_status bring_graph(const hsd_growth *growth, hsd_error *err)
{
    hsd_side_walk *side = &growth->pair->sides[AFTER];
    const uint64_t bytes = hsd_growth_type_bytes(side);
    if (!side->has_types_of || hsd_growth_spare_bytes(growth) < bytes) return HSD_OK;
    HSD_TRY(hsd_adjacency_set_memory(side->adjacency, side->request->plan.adjacency_bytes, err));
    HSD_TRY(hsd_adjacency_set_name_memory(side->adjacency, side->request->plan.name_bytes, err));
    hsd_adjacency_load(side->adjacency);
    hsd_adjacency_load_names(side->adjacency);
    HSD_TRY(hsd_paged_grow(&side->types_of, bytes, err));
    hsd_paged_load(&side->types_of);
    return HSD_OK;
}

static int compare_sought(const void *left, const void *right)
{
    const hsd_node a = *(const hsd_node *)left, b = *(const hsd_node *)right;
    return (a > b) - (a < b);
}

/* Where one that is wanted was not met in the tree all ways are gone. */
static hsd_status find_ways(hsd_growth_via *via, hsd_shortest *out, hsd_side_walk *side, hsd_error *err)
{
    const hsd_shortest_via known = {via->on_way, via->sought, via->sought_count};
    hsd_path_search search;
    HSD_TRY(hsd_path_search_begin(&search, side, err));
    search.config.wanted = via->wanted;
    search.config.wanted_count = via->wanted_count;
    if (via->sought_count > 0) qsort(via->sought, via->sought_count, sizeof *via->sought, compare_sought);
    if (via->found_count == via->wanted_count) search.config.via = &known;
    const hsd_status status = hsd_path_search_run(&search, out, err);
    hsd_path_search_release(&search);
    return status;
}

hsd_status hsd_growth_search(hsd_growth *growth, hsd_growth_via *via, hsd_error *err)
{
    hsd_side_walk *side = &growth->pair->sides[AFTER];
    const hsd_keeper *keeper = side->request->keeper;
    if (keeper != NULL && keeper->search != NULL) HSD_TRY(keeper->search(keeper->context, err));
    HSD_TRY(bring_graph(growth, err));
    const hsd_status status = find_ways(via, &growth->ways.shortest, side, err);
    growth->ways.are_there = status == HSD_OK;
    return status;
}

/* ---- from the trie ---- */

typedef struct way { /* nodes of the trie, the root first */
    hsd_trie_node nodes[HSD_TRIE_MAX_DEPTH];
    uint32_t count;
} way;

/* From the root that is nearest; all of it when there is none. */
static void collect_holder_path(hsd_growth *growth, uint32_t node, way *w)
{
    hsd_trie_node up[HSD_TRIE_MAX_DEPTH];
    uint32_t count = 0;
    do {
        hsd_trie_get(growth->trie, node, &up[count]);
        node = up[count++].parent;
    } while (node != HSD_TRIE_ROOT && (up[count - 1].type & HSD_TRIE_IS_ROOT) == 0);
    w->count = count;
    for (uint32_t i = 0; i < count; i++)
        w->nodes[i] = up[count - 1 - i];
}

static bool repeats(const hsd_step *last, const hsd_step *step)
{
    return hsd_store_compare(last->edge, step->edge) == 0 && hsd_store_compare(last->type, step->type) == 0;
}

static hsd_status fill_steps(hsd_growth *growth, hsd_growth_texts *names, const way *w, hsd_holder *row, hsd_error *err)
{
    hsd_path_fold fold = {false, false};
    hsd_step *steps = hsd_arena_take(&growth->diff->store->arena, (w->count + 1) * sizeof *steps);
    if (steps == NULL) return hsd_fail_nomem(err, "the paths to holders");
    row->path = steps;
    for (uint32_t i = 0; i < w->count; i++) {
        const hsd_trie_node *node = &w->nodes[i];
        uint32_t edge;
        hsd_step step = {.repeat = 1};
        if (node->type & HSD_TRIE_IS_ROOT) { /* the first, if any */
            row->root_kind = growth->pair->root_kinds[node->type & ~HSD_TRIE_IS_ROOT];
            HSD_TRY(hsd_growth_text_of_type(names, node->type, &row->root, err));
            continue;
        }
        const bool is_shown = hsd_growth_fold(growth, &fold, node->edge, node->type, &edge);
        if (!is_shown && i + 1 < w->count) continue;
        HSD_TRY(hsd_growth_text_of_shown(names, edge, &step.edge, err));
        HSD_TRY(hsd_growth_text_of_type(names, node->type, &step.type, err));
        if (row->path_count > 0 && repeats(&steps[row->path_count - 1], &step))
            steps[row->path_count - 1].repeat++;
        else
            steps[row->path_count++] = step;
    }
    return HSD_OK;
}

static hsd_status read_trie(hsd_growth *growth, hsd_growth_texts *names, hsd_holder *rows, hsd_error *err)
{
    for (uint32_t i = 0; i < growth->choice_count; i++) {
        way w;
        if (growth->choices[i].by != HSD_HELD_BY_OBJECT) continue;
        collect_holder_path(growth, (uint32_t)growth->choices[i].node[AFTER], &w); /* of the trie */
        HSD_TRY(fill_steps(growth, names, &w, &rows[i], err));
    }
    return hsd_trie_check(growth->trie, err);
}

hsd_status hsd_growth_paths(hsd_growth *growth, hsd_growth_texts *names, hsd_holder *rows, hsd_error *err)
{
    return growth->has_identity ? fill_paths(growth, names, rows, err) : read_trie(growth, names, rows, err);
}

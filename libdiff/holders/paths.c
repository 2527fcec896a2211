/*
 * The way to each holder that is an object: the shortest path from the roots of after (graph/shortest.h), or without
 * identity the path of its node in the trie from the root nearest to it. Both read alike: insides of containers are
 * left out, steps that repeat are one (paths/path_text.h).
 */
#include "holders/growth.h"

#include <stdlib.h>

#include "base/fail.h"
#include "paths/path_find.h"

/* ---- with identity ---- */

static void want_node(uint8_t *bits, hsd_node node, uint64_t *count)
{
    *count += !hsd_bit_get(bits, node);
    hsd_bit_set(bits, node);
}

uint8_t *hsd_growth_wanted(const hsd_growth *growth, uint64_t *count)
{
    uint8_t *bits = calloc((size_t)growth->pair->sides[AFTER].node_count / 8 + 1, 1);
    *count = 0;
    for (uint32_t i = 0; bits != NULL && i < growth->choice_count; i++) {
        if (growth->choices[i].by == HSD_HELD_BY_OBJECT) want_node(bits, growth->choices[i].node[AFTER], count);
    }
    for (uint32_t i = 0; bits != NULL && i < growth->set_count; i++) {
        for (uint32_t k = 0; k < growth->sets[i].count; k++)
            want_node(bits, growth->sets[i].list[k].node, count);
    }
    return bits;
}

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

hsd_status hsd_growth_search(const hsd_growth *growth, hsd_growth_ways *out, hsd_error *err)
{
    uint64_t count;
    out->are_there = false;
    if (!growth->has_identity) return HSD_OK;
    uint8_t *wanted = hsd_growth_wanted(growth, &count);
    if (wanted == NULL) return hsd_fail_nomem(err, "one bit an object");
    hsd_status status = HSD_OK;
    if (count > 0) {
        status = bring_graph(growth, err);
        if (status == HSD_OK) status = hsd_path_find(&out->shortest, &growth->pair->sides[AFTER], wanted, count, err);
        out->are_there = status == HSD_OK;
    }
    free(wanted);
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

/*
 * What a rank tells of the side that it walked. Names of roots go to all, for records of the census have their numbers;
 * sums, places in the tree and sums by site go to rank 0, which has everything of the other side itself.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "ranks/ranked.h"
#include "walk/allocated.h"
#include "walk/tree.h"

enum { IS_SITE, IS_LOST };
enum { SUM_WORDS = 5 }; /* which; site, or both words of a key of what is lost; objects, bytes */

/* ---- numbers and names ---- */

typedef struct numbers {
    uint64_t dangling, node_count, soft_objects, soft_bytes, root_count, is_full, type_count, counted;
    uint64_t has_external, has_tree, has_allocated, has_lost;
} numbers;

static numbers numbers_of(const hsd_side_walk *side)
{
    const hsd_fold_side *counts = side->counts;
    return (numbers){.dangling = side->dangling,
                     .node_count = side->node_count,
                     .soft_objects = side->soft.objects,
                     .soft_bytes = side->soft.bytes,
                     .root_count = side->roots.names.count,
                     .is_full = side->roots.is_full,
                     .type_count = counts->type_count,
                     .counted = counts->counted,
                     .has_external = counts->external_by_type != NULL,
                     .has_tree = side->tree != NULL,
                     .has_allocated = side->allocated != NULL,
                     .has_lost = side->allocated != NULL && side->allocated->lost != NULL};
}

static hsd_status put_names(hsd_buffer *out, const hsd_root_names *roots, hsd_error *err)
{
    for (uint32_t i = 0; i < roots->names.count; i++) {
        const hsd_bytes name = hsd_names_get(&roots->names, i);
        const uint64_t size = name.size;
        HSD_TRY(hsd_buffer_append(out, &roots->kinds[i], 1, err));
        HSD_TRY(hsd_buffer_append(out, &size, sizeof size, err));
        HSD_TRY(hsd_buffer_append(out, name.data, name.size, err));
    }
    return HSD_OK;
}

static hsd_status put_counts(hsd_buffer *out, const hsd_fold_side *counts, hsd_error *err)
{
    const size_t types = counts->type_count;
    HSD_TRY(hsd_buffer_append(out, counts->live_by_type, types * sizeof *counts->live_by_type, err));
    HSD_TRY(hsd_buffer_append(out, counts->unreached_by_type, types * sizeof *counts->unreached_by_type, err));
    HSD_TRY(hsd_buffer_append(out, counts->live_by_root, counts->root_count * sizeof *counts->live_by_root, err));
    if (counts->external_by_type == NULL) return HSD_OK;
    return hsd_buffer_append(out, counts->external_by_type, types * sizeof *counts->external_by_type, err);
}

static hsd_status put_side(hsd_buffer *out, const hsd_side_walk *side, hsd_error *err)
{
    const numbers n = numbers_of(side);
    HSD_TRY(hsd_buffer_append(out, &n, sizeof n, err));
    HSD_TRY(put_names(out, &side->roots, err));
    return put_counts(out, side->counts, err);
}

static void take(hsd_bytes *from, void *out, size_t size)
{
    if (size > 0) memcpy(out, from->data, size);
    from->data += size;
    from->size -= size;
}

static hsd_status take_names(hsd_bytes *from, hsd_root_names *roots, const numbers *n, hsd_error *err)
{
    roots->is_full = n->is_full != 0;
    roots->kinds = calloc(n->root_count + 1, 1);
    roots->kind_capacity = (uint32_t)n->root_count + 1;
    if (roots->kinds == NULL) return hsd_fail_nomem(err, "the names of roots");
    for (uint32_t i = 0; i < n->root_count; i++) {
        uint64_t size;
        uint32_t number;
        take(from, &roots->kinds[i], 1);
        take(from, &size, sizeof size);
        HSD_TRY(hsd_names_put(&roots->names, (hsd_bytes){from->data, size}, &number, err));
        *from = (hsd_bytes){from->data + size, from->size - size};
    }
    return HSD_OK;
}

static hsd_status take_counts(hsd_bytes *from, hsd_side_walk *side, const numbers *n, hsd_error *err)
{
    const uint32_t types = (uint32_t)n->type_count, roots = (uint32_t)hsd_max_u64(n->root_count, 1);
    side->counts = calloc(1, sizeof *side->counts);
    if (side->counts == NULL) return hsd_fail_nomem(err, "the tables of the diff");
    HSD_TRY(hsd_fold_side_init(side->counts, types, roots, err));
    side->counts->counted = n->counted;
    take(from, side->counts->live_by_type, types * sizeof *side->counts->live_by_type);
    take(from, side->counts->unreached_by_type, types * sizeof *side->counts->unreached_by_type);
    take(from, side->counts->live_by_root, roots * sizeof *side->counts->live_by_root);
    if (n->has_external == 0) return HSD_OK;
    side->counts->external_by_type = calloc(types, sizeof *side->counts->external_by_type);
    if (side->counts->external_by_type == NULL) return hsd_fail_nomem(err, "the tables of the diff");
    take(from, side->counts->external_by_type, types * sizeof *side->counts->external_by_type);
    return HSD_OK;
}

static hsd_status take_side(hsd_ranked *r, hsd_bytes from, hsd_side_walk *side, numbers *n, hsd_error *err)
{
    take(&from, n, sizeof *n);
    side->dangling = n->dangling;
    side->node_count = (hsd_node)n->node_count;
    side->soft = (hsd_amount){n->soft_objects, n->soft_bytes};
    HSD_TRY(take_names(&from, &side->roots, n, err));
    return hsd_ranked_is(r, 0) ? take_counts(&from, side, n, err) : HSD_OK;
}

/* ---- the tree ---- */

static hsd_status take_node(void *context, unsigned from, const uint64_t *record, hsd_error *err)
{
    (void)from;
    return hsd_tree_put(context, record, err);
}

static hsd_status send_tree(hsd_scatter *scatter, hsd_sorter *tree, hsd_error *err)
{
    const uint64_t *record;
    hsd_status status;
    while ((status = hsd_sorter_next(tree, &record, err)) == HSD_OK)
        HSD_TRY(hsd_scatter_put(scatter, 0, record, err));
    return status == HSD_END ? HSD_OK : status;
}

/* In order, so that it need not be sorted again. */
static hsd_status move_tree(hsd_ranked *r, hsd_side_walk *side, bool is_walker, hsd_error *err)
{
    const hsd_plan_side *plan = &side->request->plan;
    hsd_sorter *tree = is_walker ? side->tree : NULL;
    hsd_scatter scatter;
    hsd_status status = HSD_OK;
    side->tree = NULL;
    if (hsd_ranked_is(r, 0))
        status = hsd_side_sorter(side, HSD_TREE_WORDS, HSD_TREE_KEY_WORDS, plan->tree_sort_bytes, &side->tree, err);
    status = hsd_together_agree(&r->together, status, err);
    if (status == HSD_OK) {
        status = hsd_scatter_open(&scatter, &r->together, HSD_TREE_WORDS, take_node, side->tree, err);
        if (status == HSD_OK && is_walker) status = send_tree(&scatter, tree, err);
        status = hsd_scatter_finish(&scatter, status, err);
    }
    hsd_sorter_free(tree);
    HSD_TRY(status);
    if (side->tree != NULL) status = hsd_side_serve(side->tree, plan->tree_serve_bytes, err);
    return hsd_together_agree(&r->together, status, err);
}

/* ---- sums by site ---- */

static hsd_status take_sum(void *context, unsigned from, const uint64_t *record, hsd_error *err)
{
    hsd_allocated *allocated = context;
    const hsd_amount amount = {record[3], record[4]};
    (void)from;
    if (record[0] == IS_SITE) return hsd_allocated_add(allocated, (uint32_t)record[1], amount, err);
    return hsd_tally_add(allocated->lost, record + 1, amount.objects, amount.bytes, err);
}

static hsd_status send_sums(hsd_scatter *scatter, hsd_allocated *allocated, hsd_error *err)
{
    const uint64_t *key;
    hsd_amount sum;
    hsd_status status = allocated->lost == NULL ? HSD_END : HSD_OK;
    for (uint32_t i = 0; i < allocated->live_count; i++) {
        const hsd_site_live *live = &allocated->live[i];
        const uint64_t record[SUM_WORDS] = {IS_SITE, live->site, 0, live->amount.objects, live->amount.bytes};
        HSD_TRY(hsd_scatter_put(scatter, 0, record, err));
    }
    while (status == HSD_OK && (status = hsd_tally_next(allocated->lost, &key, &sum, err)) == HSD_OK) {
        const uint64_t record[SUM_WORDS] = {IS_LOST, key[0], key[1], sum.objects, sum.bytes};
        HSD_TRY(hsd_scatter_put(scatter, 0, record, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status move_sums(hsd_ranked *r, hsd_side_walk *side, const numbers *n, bool is_walker, hsd_error *err)
{
    hsd_scatter scatter;
    hsd_status status = hsd_ranked_is(r, 0) ? hsd_allocated_make(side, n->has_lost != 0, err) : HSD_OK;
    HSD_TRY(hsd_together_agree(&r->together, status, err));
    status = hsd_scatter_open(&scatter, &r->together, SUM_WORDS, take_sum, side->allocated, err);
    if (status == HSD_OK && is_walker) status = send_sums(&scatter, side->allocated, err);
    HSD_TRY(hsd_scatter_finish(&scatter, status, err));
    status = hsd_ranked_is(r, 0) ? hsd_allocated_finish(side, err) : HSD_OK;
    return hsd_together_agree(&r->together, status, err);
}

/* ---- the whole ---- */

hsd_status hsd_ranked_tell_side(hsd_ranked *r, int which, hsd_error *err)
{
    hsd_side_walk *side = &r->c->pair.sides[which];
    const unsigned walker = hsd_ranked_walker(which);
    const bool is_walker = hsd_ranked_is(r, walker);
    hsd_buffer told = {0};
    numbers n = {0};
    hsd_status status = hsd_together_agree(&r->together, is_walker ? put_side(&told, side, err) : HSD_OK, err);
    if (status == HSD_OK) status = hsd_together_tell(&r->together, walker, &told, err);
    if (status == HSD_OK && is_walker) n = numbers_of(side);
    if (status == HSD_OK && !is_walker) status = take_side(r, (hsd_bytes){told.data, told.size}, side, &n, err);
    hsd_buffer_release(&told);
    if (!r->together.has_failed) status = hsd_together_agree(&r->together, status, err);
    HSD_TRY(status);
    if (walker == 0) return HSD_OK;
    if (n.has_tree != 0) HSD_TRY(move_tree(r, side, is_walker, err));
    return n.has_allocated != 0 ? move_sums(r, side, &n, is_walker, err) : HSD_OK;
}

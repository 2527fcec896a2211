/*
 * The type-path tree of the result: the trie cut to the HSD_MAX_TREE_ROWS heaviest places (holders/trie/cut.h),
 * children of one place by growth.
 */
#include "base/fail.h"
#include "holders/growth.h"

#include "holders/trie/cut.h"

/* Growth as a rank: unsigned, in the same order. */
static uint64_t rank_of(const hsd_trie_node *node)
{
    return (node->all.after.bytes - node->all.before.bytes) ^ (UINT64_C(1) << 63);
}

static hsd_status name_places(hsd_trie_cut *cut, hsd_growth_texts *texts, hsd_error *err)
{
    for (uint32_t i = 1; i < cut->count; i++) {
        hsd_trie_kept *kept = &cut->list[i];
        HSD_TRY(hsd_growth_text_of_edge(texts, kept->node.edge, &kept->edge, err));
        HSD_TRY(hsd_growth_text_of_type(texts, kept->node.type, &kept->type, err));
        kept->rank = rank_of(&kept->node);
    }
    return HSD_OK;
}

static hsd_tree_row row_of(const hsd_trie_kept *kept)
{
    const hsd_trie_sums *own = &kept->node.own, *all = &kept->node.all;
    return (hsd_tree_row){
        .depth = kept->node.depth,
        .parent = kept->node.parent,
        .is_root = (kept->node.type & HSD_TRIE_IS_ROOT) != 0,
        .edge = kept->edge,
        .type = kept->type,
        .own_before = own->before,
        .own_after = own->after,
        .own_new = own->new_,
        .own_freed = own->freed,
        .before = all->before,
        .after = all->after,
        .new_ = all->new_,
        .freed = all->freed,
    };
}

static hsd_status make_rows(const hsd_growth *growth, const hsd_trie_cut *cut, hsd_error *err)
{
    hsd_diff *diff = growth->diff;
    diff->tree = hsd_arena_take(&diff->store->arena, cut->count * sizeof *diff->tree);
    if (diff->tree == NULL) return hsd_fail_nomem(err, "the tree of type paths");
    for (uint32_t i = 0; i < cut->count; i++)
        diff->tree[i] = row_of(&cut->list[cut->order[i]]);
    diff->tree_count = cut->count;
    diff->tree_least_bytes = cut->least_bytes;
    diff->tree_depth = hsd_trie_is_cut(growth->trie) ? HSD_TRIE_MAX_DEPTH : 0;
    return HSD_OK;
}

hsd_status hsd_growth_tree_rows(hsd_growth *growth, hsd_growth_texts *texts, hsd_error *err)
{
    hsd_trie_cut cut;
    const hsd_trie_source source = hsd_trie_as_source(growth->trie);
    hsd_status status = hsd_trie_cut_find(&cut, &source, HSD_MAX_TREE_ROWS, err);
    if (status == HSD_OK) status = hsd_trie_check(growth->trie, err);
    if (status == HSD_OK) status = name_places(&cut, texts, err);
    if (status == HSD_OK) status = hsd_trie_cut_order(&cut, err);
    if (status == HSD_OK) status = make_rows(growth, &cut, err);
    hsd_trie_cut_release(&cut);
    return status;
}

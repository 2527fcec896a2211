/*
 * Who holds the growth. The holder of a new object is its nearest dominator that is kept and no helper of a
 * container: neither of an HSC_TYPE_INTERNAL type nor behind an HSC_LABEL_FOLD reference. That is the surviving old
 * object through which alone it is reached. Names of roots are kept when both captures have them, and hold what
 * hangs from them directly; what nothing holds alone is held by `(roots)`. Freed objects are credited the same way
 * in the tree of before. So new and freed bytes of all holders sum to all new and all freed bytes, and
 * net = new - freed is right where single identities are not.
 *
 *      walk after    new by holder  ┐                      ┌ the first HSD_MAX_HOLDERS by growth, the rest in one
 *      walk before   freed by holder┴ join over the match ─┤ walk both again: what hangs from each, by type and as a
 *      merge         resized                               └ small tree of edges; shortest paths to them
 *
 * Where single objects cannot be recognised (a moving collector, another process) holders come from the type-path
 * trie: a path with exactly one object on both sides is the same place, and its net is what grew below
 * it up to the next such place. New and freed are then unknown; net is exact.
 *
 * A capture that is incomplete has no holders: what was lost may hold what is left, so neither a dominator nor a
 * retained size would be a lower bound of anything.
 */
#ifndef HSD_HOLDERS_HOLDERS_H
#define HSD_HOLDERS_HOLDERS_H

#include "base/node.h"
#include "walk/pair.h"

/* Rows in the result; the rest is one. Fixed, so that the answer does not depend on the budget. */
#define HSD_MAX_HOLDERS 1024u
/* Of these so many get edges (hsd_growth_edge) and of each so many. */
#define HSD_MAX_EDGED_HOLDERS 64u
#define HSD_MAX_GROWTH_EDGES  32u
#define HSD_GROWTH_EDGE_DEPTH 12u
/* Rows of the type-path tree: the heaviest places. */
#define HSD_MAX_TREE_ROWS 16384u

/* Fills diff->holders, tree, retained columns, soft; or says in why_no_holders why not. After the merge and with the
 * other rows of `diff` made. */
hsd_status hsd_growth_find(hsd_pair *pair, hsd_diff *diff, hsd_error *err);

/* Words of a pair, behind its ordinals before and after, which are the first two numbers. */
enum {
    HSD_GROWTH_PAIR_ID = HSD_TWO_WORDS,
    HSD_GROWTH_PAIR_DIFFERENCE, /* in bytes */
    HSD_GROWTH_PAIR_TYPE,
    HSD_GROWTH_PAIR_WORDS
};

/* Of the pairs of kept objects in the censuses of both sides those that are credited (bits of `pair`'s is_kept, which
 * holds them meanwhile) or have another size, without regard to what is_part names; tells `put` of each:
 * HSD_GROWTH_PAIR_WORDS. */
typedef hsd_status (*hsd_growth_pair_fn)(void *context, const uint64_t *pair, hsd_error *err);
hsd_status hsd_growth_pairs(const hsd_pair *pair, uint8_t *const is_part[SIDE_COUNT], hsd_growth_pair_fn put,
                            void *context, hsd_error *err);

/* The same without objects: `fill` adds the places of both sides to the trie (KEPT_BEFORE, KEPT_AFTER) and what types
 * and roots retain. */
struct hsd_growth;
typedef hsd_status (*hsd_growth_fill_fn)(void *context, struct hsd_growth *growth, hsd_error *err);
hsd_status hsd_growth_find_in(hsd_pair *pair, hsd_diff *diff, hsd_growth_fill_fn fill, void *context, hsd_error *err);

#endif

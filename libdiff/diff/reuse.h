/*
 * Addresses that were used again: counts those that were seen, and estimates those that were not.
 *
 * Where ids are addresses, an object can be freed between two captures and another one be made in its place. If they
 * differ in type or mark (walk/marks.h), that is seen. If not, the two are taken for one object that stayed: a pair
 * too many, a freed and a new object too few.
 *
 *      address   before   after
 *      0x1000    A        A        pair, rightly (the object stayed) or wrongly (unseen reuse)
 *      0x1040    A        B        seen reuse
 *      0x1080    B                 freed
 *      0x10c0             A        new
 *
 * THE MODEL. An allocator keeps pools of slots by size; which object comes into a freed slot of a pool has nothing to
 * do with which one left it. Then, in each pool, with p(k) the share of kind k among all that was freed and n(k) its
 * share among all that is new, a reuse is not seen with the chance
 *
 *      q = sum over kinds of p(k) * n(k)
 *
 * and of the seen ones, S, follow
 *
 *      unseen = S * q / (1 - q)
 *
 * The unseen ones are missing among freed and new, so that both shares are wrong where many are unseen: the unseen of
 * each kind, unseen * p(k) * n(k) / q, are added to what was freed and is new, and the sum is taken anew until it
 * stands. In pools of three kinds and more the fixed point is that of quasi-independence: the diagonal of a table of
 * which only the rest was seen.
 *
 * Kinds are type, site and whether the generation is known. Two kinds agree if types are equal, sites are equal or one
 * is unknown, and not both generations are known: an object that was made later has another generation.
 *
 * Pools are found, not assumed, for SIZE is not always the size of the slot (a string may count its text, which lies
 * elsewhere). Sizes fall into classes, four to a doubling, as allocators have them. Classes that use each other's slots
 * (where a thirty-second of what came or went did so) make one pool.
 *
 * WHAT CANNOT BE TOLD. In a pool of one kind (q = 1) no reuse is ever seen, and near 1 the quotient is all noise. Above
 * HSD_REUSE_MOST q is taken as HSD_REUSE_MOST, and the pairs of such a pool are counted as `untold` if anything in it
 * was freed and is new; where nothing was freed or nothing is new there is no sign of reuse, and none is assumed.
 * Slots that are not drawn alike (types that die in turns, an allocator that goes by address or by thread) break the
 * model: the estimate is then too low, since like follows like.
 *
 * Symmetric: with before and after exchanged the same numbers come out, to the last place. Memory is bounded: 1 MiB,
 * and HSD_REUSE_KINDS kinds at most; what is freed or new of further kinds agrees with nothing, which makes the
 * estimate a lower bound.
 */
#ifndef HSD_DIFF_REUSE_H
#define HSD_DIFF_REUSE_H

#include <stdbool.h>
#include <stdint.h>

#include <hsdiff/status.h>

/* Fixed, so that the answer does not depend on the budget: (class, type, site) of what is freed or new. */
#define HSD_REUSE_KINDS (UINT32_C(1) << 15)

/* Most of it is for kinds, and taken as they come. For the planner: with all of them, while estimating. */
#define HSD_REUSE_MOST_BYTES (UINT64_C(8) << 20)

/* Above this chance of not being seen, what was seen says too little: 31 unseen for each seen. */
#define HSD_REUSE_MOST (31.0 / 32.0)

/* Of `untold` among all pairs: up to here the estimate stands for the whole. */
#define HSD_REUSE_UNTOLD_PERCENT 5u

typedef struct hsd_reuse hsd_reuse;

typedef struct hsd_reuse_object {
    uint64_t bytes;
    uint32_t type; /* common number */
    uint32_t mark; /* hsd_marks_of */
} hsd_reuse_object;

typedef struct hsd_reuse_sums {
    uint64_t pairs;  /* addresses that hold what may be the same object */
    uint64_t seen;   /* addresses that hold another object after */
    uint64_t unseen; /* estimate: of the pairs, those that are two objects which look alike; at most `pairs` */
    uint64_t untold; /* pairs in pools of which it cannot be told */
    bool is_told;    /* untold is at most HSD_REUSE_UNTOLD_PERCENT of the pairs */
} hsd_reuse_sums;

hsd_status hsd_reuse_new(hsd_reuse **out, hsd_error *err);
void hsd_reuse_free(hsd_reuse *reuse);

/* True if both can be one object as far as type and mark tell. Sizes do not matter: objects grow. */
bool hsd_reuse_is_alike(const hsd_reuse_object *before, const hsd_reuse_object *after);

/*
 * Takes what one step of the merge brings: an id, and the object of either side or NULL. Steps come by ascending id; of
 * one id there may be several (one a type), and what is left of them without a partner on the two sides is a seen
 * reuse. Objects that are not alike may be given in one step or in two. O(1), allocates only while kinds are new.
 * HSD_E_NOMEM.
 */
hsd_status hsd_reuse_take(hsd_reuse *reuse, uint64_t id, const hsd_reuse_object *before, const hsd_reuse_object *after,
                          hsd_error *err);

/* Of the pairs that are taken one is known to be two objects (diff/replaced.h): the model counts it among the pairs, as
 * it would without this knowledge, and the sums among what was seen. */
void hsd_reuse_tell(hsd_reuse *reuse);

/*
 * Where several processes each take a part of the steps (libdiff/ranks): hsd_reuse_is_part at the beginning, then
 * hsd_reuse_settle after the last step of a part. Tables add up, word by word; kinds of all parts are joined, so that
 * the same are left as of one.
 */
typedef struct hsd_reuse_table {
    uint64_t *words;
    uint64_t count;
} hsd_reuse_table;

typedef struct hsd_reuse_kind { /* words alone */
    uint64_t key;
    uint64_t first, order; /* the id with which it came, and which of its part it was */
    uint64_t seen[4];
} hsd_reuse_kind;

#define HSD_REUSE_TABLES 5u
void hsd_reuse_is_part(hsd_reuse *reuse); /* of kinds all are kept */
hsd_status hsd_reuse_settle(hsd_reuse *reuse, hsd_error *err);
void hsd_reuse_tables(hsd_reuse *reuse, hsd_reuse_table tables[HSD_REUSE_TABLES]);
uint32_t hsd_reuse_kind_count(const hsd_reuse *reuse);
hsd_reuse_kind hsd_reuse_kind_get(const hsd_reuse *reuse, uint32_t i);

/* In place of its own. `kinds` are sorted; HSD_E_NOMEM. */
hsd_status hsd_reuse_join_kinds(hsd_reuse *reuse, hsd_reuse_kind *kinds, uint32_t count, hsd_error *err);

/* After the last step, once. O(rounds * kinds), rounds at most 200. HSD_E_NOMEM. */
hsd_status hsd_reuse_estimate(hsd_reuse *reuse, hsd_reuse_sums *out, hsd_error *err);

#endif

/*
 * Seeds: pairs that need no neighbours. Two streams sorted by a hash are walked side by side, and where each has a
 * hash exactly once, the two objects are one.
 */
#ifndef HSD_MATCH_SEEDS_SEEDS_H
#define HSD_MATCH_SEEDS_SEEDS_H

#include "base/note.h"
#include "io/temp.h"
#include "match/sequence.h"

#define HSD_SEEDS_LEAST_BYTES (UINT64_C(6) * HSD_SORT_MIN_BYTES)

typedef struct hsd_seeds_config {
    uint64_t memory_bytes; /* for sorters; at least HSD_SEEDS_LEAST_BYTES */
    hsd_temp_space *space;
    hsd_reporter *reporter;
} hsd_seeds_config;

/*
 * Pairs the objects that are unique by `by` (wholes, names or keys of the two; finished, of records (hash, position)),
 * unless one of them has a partner. With `mark_shared` sets is_shared of both sides for every hash that is on both,
 * unique or not. `*pairs` is how many it made. Pairs are written in order of positions (sorted where the arrays do not
 * fit), never at random.
 */
hsd_status hsd_seeds_unique(hsd_sequence *a, hsd_sequence *b, hsd_sorter *in_a, hsd_sorter *in_b, hsd_rung rung,
                            bool mark_shared, const hsd_seeds_config *config, uint64_t *pairs, hsd_error *err);

/* The same for `places`: unique by the place (the root's name and the types on the way) and the object's own type.
 * Asked last. An object whose places disagree has no partner. */
hsd_status hsd_seeds_places(hsd_sequence *a, hsd_sequence *b, const hsd_seeds_config *config, uint64_t *pairs,
                            hsd_error *err);

/*
 * Same address and same hsd_element_key: addresses of both are walked side by side. When these are at least
 * HSD_ADDRESS_SHARE percent of the smaller side the heap hardly moved and they are paired (*pairs), else none is.
 * After a compaction hardly any object has its old address, and those that seem so are other ones: 0.1-0.5% measured
 * after full collections of Serial and Parallel, 16-89% with G1 and ZGC. With `at_once` a thread more has half of them,
 * where elements and partners are in memory. Addresses need not be.
 */
#define HSD_ADDRESS_SHARE 10u
hsd_status hsd_seeds_addresses(hsd_sequence *a, hsd_sequence *b, bool at_once, const hsd_seeds_config *config,
                               uint64_t *pairs, hsd_error *err);

#endif

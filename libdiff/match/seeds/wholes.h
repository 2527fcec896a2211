/*
 * The rung of structure: what is the only one with its whole on both sides. And which wholes are on both sides, of
 * objects that have no partner yet: it is asked of no others.
 */
#ifndef HSD_MATCH_SEEDS_WHOLES_H
#define HSD_MATCH_SEEDS_WHOLES_H

#include "match/seeds/seeds.h"

/* Pairs them, with HSD_RUNG_STRUCTURE, and fills is_shared. `*pairs` of them. With `at_once` both sides are put in
 * order at the same time, the first on a thread of its own. Fails as hsd_seeds_unique. */
hsd_status hsd_seeds_wholes(hsd_sequence *a, hsd_sequence *b, bool at_once, const hsd_seeds_config *config,
                            uint64_t *pairs, hsd_error *err);

/* Pairs that were made before were taken back: is_shared of these, too. */
hsd_status hsd_seeds_share_again(hsd_sequence *a, hsd_sequence *b, bool at_once, const hsd_seeds_config *config,
                                 hsd_error *err);

#endif

/*
 * Objects that are known by whom they belong to. Of two that are one:
 *
 *      down   what the one alone refers to is what the other alone refers to, as many of a type on either side
 *      up     what alone refers to the one is what alone refers to the other
 *
 *      before   entry ─► key 17                after   entry' ─► key 17'      the keys are one by their value: so are the
 *                   └──► session ─► leaf                   └──► session'      entries (up), the sessions and the leaves (down),
 *                                                                 └─► leaf'   whatever was written into them
 *
 * That an object alone refers to another does not say that this was never replaced. But what was replaced lies
 * elsewhere: each of a round's pairs must have the right neighbours, in front and behind, of those that were recognised
 * before the round. Its own kin do not count among them: an entry, its key and the text of the key all follow from one
 * value.
 */
#ifndef HSD_MATCH_KIN_H
#define HSD_MATCH_KIN_H

#include "match/seeds/seeds.h"

#define HSD_KIN_MOST 16u /* of a type that belong to one object; of more, none is known by it */

/*
 * Pairs objects without a partner, HSD_RUNG_PLACE, until a round finds few. Reads owners, partners, rungs and elements
 * of both in order, and at random what lies near: who belongs together was mostly made together. Nothing where owners
 * are not known. With `at_once` a thread more looks at one side while this one looks at the other.
 */
hsd_status hsd_kin(hsd_sequence *older, hsd_sequence *newer, bool at_once, const hsd_seeds_config *config,
                   uint64_t *pairs, hsd_error *err);

#endif

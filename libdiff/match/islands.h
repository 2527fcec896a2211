/*
 * Objects that stayed while all around them moved. A collector packs what moves around what is pinned, as far as there
 * is room in front of it, so the order of the one to the others says nothing:
 *
 *      before   A  s0 s1 s2  P  s3 s4 s5 s6  B        P is pinned: a buffer that a read was given
 *      after    A  s0 s1 s2 s3 s4  P  s5 s6  B
 *
 * Between A and P, and between P and B, sessions would be taken for others, and two of them for new and for freed. So
 * what is recognised, has one address on both sides, and lies where nobody else has, is held out while order is asked,
 * and comes back afterwards. Rows of HSD_ISLAND_LESS and more stayed together, and are a part of the heap that did.
 * A shorter one may be twins that lie where others lay: where the distance grows by a filler every few of them, it
 * comes to a whole number of their periods time and again.
 */
#ifndef HSD_MATCH_ISLANDS_H
#define HSD_MATCH_ISLANDS_H

#include <stdbool.h>

#include "base/note.h"
#include "match/sequence.h"

#define HSD_ISLAND_LESS  64u
#define HSD_ISLAND_SHORE 8u     /* positions to either side: none of these stayed */
#define HSD_ISLANDS_MOST 32768u /* objects; of more all stay where they are */

typedef struct hsd_island {
    hsd_node older, newer; /* positions */
    hsd_rung rung;
    bool is_held;
} hsd_island;

typedef struct hsd_islands {
    hsd_island *all; /* NULL: none */
    uint32_t count;
} hsd_islands;

/* Lists all islands. One pass over partners of `older`, and over addresses of what has one. HSD_E_NOMEM, HSD_E_IO,
 * HSD_E_CANCELLED. */
hsd_status hsd_islands_find(hsd_islands *islands, hsd_sequence *older, hsd_sequence *newer, hsd_reporter *reporter,
                            hsd_error *err);

/* Takes back the pairs of those that still are pairs; how many. */
uint32_t hsd_islands_hold(const hsd_islands *islands, hsd_sequence *older, hsd_sequence *newer);

/* Makes what was held a pair again, unless one of the two has another partner by now; counts in `lost` by
 * rung those that do not come back. Frees the list. */
void hsd_islands_return(hsd_islands *islands, hsd_sequence *older, hsd_sequence *newer, uint64_t lost[HSD_RUNG_COUNT]);

void hsd_islands_free(hsd_islands *islands);

#endif

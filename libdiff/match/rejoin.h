/*
 * Where two strands that went apart are of the same stuff again. More than a window of one kind went in a row (the
 * nodes of a table that was made anew), or came into a gap in front of what stayed:
 *
 *      before   … A  n n n n n … n n  s t s t s t …        the nodes n went, and the walk sees no further than these
 *      after    … A' s t s t s t …
 *
 * The next elements of one side, taken in rows of HSD_REJOIN_ROW, are looked for on the other, where others may have
 * come or gone among them; the nearer of both answers is where the walk goes on.
 */
#ifndef HSD_MATCH_REJOIN_H
#define HSD_MATCH_REJOIN_H

#include "match/strand.h"

#define HSD_REJOIN_ROW 8u /* elements that have to be alike, one after the other */

typedef struct hsd_rejoiner hsd_rejoiner; /* working memory, some 60 KiB */
hsd_rejoiner *hsd_rejoiner_new(void);     /* NULL: no memory */
void hsd_rejoiner_free(hsd_rejoiner *rejoiner);

/* Moves one of the two on to there, and says by how much; 0 = nowhere. What is left of each strand is read once. */
hsd_node hsd_rejoin(hsd_rejoiner *rejoiner, hsd_strand *before, hsd_strand *after);

#endif

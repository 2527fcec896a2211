/*
 * Pairs by address in what moved. A collector that closes a gap in front of a row of twins moves all of them by as
 * much, and if that is a whole number of their periods, each lies where another one lay:
 *
 *      before   A  s0 s1 s2 s3 s4 s5 B       s2 of before has the address of s4 of after, and looks like it
 *      after    s0 s1 s2 s3 s4 s5 B
 *
 * What is unique, like B, tells: it moved, and what stands beside it stands beside it still, at the same distance. So
 * from each pair by HSD_RUNG_STRUCTURE that moved the neighbours are followed as long as they look alike and moved as
 * far, give or take what fills a gap between two of them, and where these are HSD_MOVED_LEAST and more, pairs by
 * HSD_RUNG_SAME_ADDRESS among them are taken back. Order pairs them (match/sweep.h).
 */
#ifndef HSD_MATCH_MOVED_H
#define HSD_MATCH_MOVED_H

#include "base/note.h"
#include "match/sequence.h"

#define HSD_MOVED_LEAST  16u
#define HSD_MOVED_FILLER 64u /* bytes: what a collector leaves between two objects, or not */

/* `*dropped` is how many pairs were taken back. No position is looked at more than a few times. HSD_E_IO,
 * HSD_E_CANCELLED. */
hsd_status hsd_moved(hsd_sequence *older, hsd_sequence *newer, hsd_reporter *reporter, uint64_t *dropped,
                     hsd_error *err);

#endif

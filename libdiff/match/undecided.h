/*
 * Which objects without a partner may be each other. What came or went leaves a gap on one side alone:
 *
 *      before   … A  x  B …          x went: between A' and B' there is nothing that it could be
 *      after    … A'    B' …
 *
 *      before   … A  x y x y  B …    all of them were written to, or replaced: nobody knows
 *      after    … A' x y x y  B' …
 *
 * So is told of each that has one of its type between the same two recognised neighbours, or whose neighbours moved
 * apart, so that nobody knows where to look. Never of what has a name or a key.
 */
#ifndef HSD_MATCH_UNDECIDED_H
#define HSD_MATCH_UNDECIDED_H

#include "base/note.h"
#include "match/sequence.h"

/* Such objects get HSD_RUNG_UNDECIDED and no partner. Partners and elements of both are read in order, a gap's other
 * side where that lies; 8 bytes for each type of its own. HSD_E_NOMEM, HSD_E_IO, HSD_E_CANCELLED. */
hsd_status hsd_undecided(hsd_sequence *a, hsd_sequence *b, hsd_reporter *reporter, hsd_error *err);

#endif

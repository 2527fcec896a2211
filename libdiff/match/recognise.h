/*
 * Which objects of two captures are the same when their ids say nothing: the structural part of the ladder. Each rung
 * takes what those above it left over.
 *
 *      key        a field the user named has the same value           match/seeds/seeds.c
 *      exact      the runtime keeps a hash for it, which no other of its type has
 *      name       the only class, thread … of that name
 *      address    most stayed where they were, and this one looks alike
 *      structure  the only one with this neighbourhood
 *                 (pairs by address among what moved together with it are taken back: match/moved.c)
 *      order      between recognised neighbours, in the same order    match/sweep.c, match/align.c
 *      place      it belongs to what was recognised, or the other way  match/kin.c
 *      place      the only one at its place below a named root        match/descend.c
 *
 * What is left is new or freed. Of it, what has an equal on the other side that was not recognised either is
 * *undecidable*: the numbers are right, the individuals are not known. It is never paired: a pair that was missed is
 * once new and once freed below the same holder and cancels, a wrong one moves growth from one holder to another.
 *
 * Besides, what has one of its type without a partner in the same gap may be that one (match/undecided.h).
 *
 * The two captures are brought into an order of their own first, so that the same pairs come out whichever is before.
 */
#ifndef HSD_MATCH_RECOGNISE_H
#define HSD_MATCH_RECOGNISE_H

#include "base/note.h"
#include "io/temp.h"
#include "match/sequence.h"

typedef struct hsd_recognise_config {
    uint64_t memory_bytes;
    hsd_temp_space *space;
    hsd_reporter *reporter;
    bool is_reversed; /* `after` is the older one */
    bool at_once;     /* what needs one side alone goes on at both at once, on a thread of its own */
} hsd_recognise_config;

typedef struct hsd_recognised {
    uint64_t pairs[HSD_RUNG_COUNT];
    uint64_t undecidable[2]; /* without a partner, but with an equal without a partner on the other side */
} hsd_recognised;

/* Fills partners and rungs of both. Sorters of both are used up. Memory: memory_bytes and one bit a position a side. */
hsd_status hsd_recognise(hsd_sequence *before, hsd_sequence *after, const hsd_recognise_config *config,
                         hsd_recognised *out, hsd_error *err);

#endif

/*
 * What objects look like, told in any order of positions, brought into that order: what goes into a sequence whose
 * arrays do not fit in memory.
 *
 *      told ──► a tape for each window of positions ──► each in memory once ──► elements, owners, wholes, in order
 *
 * So whatever the number of windows all of it is written twice and read once.
 */
#ifndef HSD_MATCH_ORDERING_H
#define HSD_MATCH_ORDERING_H

#include "base/note.h"
#include "io/temp.h"
#include "match/sequence.h"

#define HSD_NO_WHOLE UINT64_C(0)

typedef struct hsd_ordering hsd_ordering;

typedef struct hsd_ordering_config {
    hsd_sequence *sequence; /* whose elements, wholes and, if they are open, owners are filled */
    uint64_t window_bytes;  /* what a window may take; a little is taken in any case */
    uint64_t tape_bytes;    /* for chunks of tapes, where all windows have one each; no more than they must have */
    hsd_temp_space *space;
    hsd_reporter *reporter;
} hsd_ordering_config;

typedef struct hsd_ordered { /* of one position */
    hsd_element element;
    hsd_node owner; /* as in hsd_sequence.owners */
    uint64_t whole; /* HSD_NO_WHOLE: it has none */
} hsd_ordered;

/* HSD_E_NOMEM. */
hsd_status hsd_ordering_new(hsd_ordering **out, const hsd_ordering_config *config, hsd_error *err);
void hsd_ordering_free(hsd_ordering *ordering); /* NULL is accepted */

/* No position comes twice. Failures stick: hsd_ordering_finish. */
void hsd_ordering_put(hsd_ordering *ordering, hsd_node position, const hsd_ordered *told);

/* Fills the sequence; wholes must have been opened. HSD_E_IO, HSD_E_NOMEM, HSD_E_CANCELLED. */
hsd_status hsd_ordering_finish(hsd_ordering *ordering, hsd_error *err);

#endif

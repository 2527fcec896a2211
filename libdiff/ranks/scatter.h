/*
 * Records of a few words from each rank to each, in rounds: a rank gathers what it has for the others until there is no
 * room for one of them, and then all exchange what they have. So memory is bounded, whatever the number of records.
 *
 *      put put put …   room is full: a round       all ranks are in rounds from their first put to their finish
 *      finish          rounds until everybody has finished, or somebody failed
 */
#ifndef HSD_RANKS_SCATTER_H
#define HSD_RANKS_SCATTER_H

#include "ranks/together.h"

/* A record that rank `from` sent. */
typedef hsd_status (*hsd_scatter_fn)(void *context, unsigned from, const uint64_t *record, hsd_error *err);

typedef struct hsd_scatter {
    hsd_together *together;
    unsigned words;
    uint64_t room;  /* records for one rank */
    uint64_t *out;  /* room for each rank */
    uint64_t *used; /* records, of each rank */
    uint64_t *in;   /* room from each rank */
    hsd_scatter_fn take;
    void *context;
    hsd_status taken; /* the first failure of take, with its error */
    hsd_error error;
    bool is_over;   /* nobody sends any more */
    bool is_broken; /* since somebody failed */
} hsd_scatter;

/* `take` is called in every rank for what comes. Until the finish all ranks do nothing else together. */
hsd_status hsd_scatter_open(hsd_scatter *scatter, hsd_together *together, unsigned words, hsd_scatter_fn take,
                            void *context, hsd_error *err);

/* Copies a record for rank `to`; one for this rank is taken at once. HSD_E_CANCELLED when another rank failed: the
 * finish tells why. */
hsd_status hsd_scatter_put(hsd_scatter *scatter, unsigned to, const uint64_t *record, hsd_error *err);

/* No more puts of this rank, which got so far with `status`; `err` has its error. Releases. All ranks return the same.
 * It follows every open, that failed, too. */
hsd_status hsd_scatter_finish(hsd_scatter *scatter, hsd_status status, hsd_error *err);

#endif

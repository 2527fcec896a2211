/*
 * What the files of a profile share. Private to profile*.c:
 *
 *      profile.c           which way a capture goes; order of rows, metrics
 *      profile_walk.c      a full capture: one walk of the stages, one of its dominator tree
 *      profile_read.c      a baseline: sums that were kept; profile_read_places.c its places
 *      profile_summary.c   type totals alone
 *      profile_places.c    places as rows, whoever found them
 */
#ifndef HSD_PROFILE_PROFILE_STATE_H
#define HSD_PROFILE_PROFILE_STATE_H

#include "holders/trie/cut.h"
#include "walk/edges.h"
#include "walk/store.h"
#include <hsdiff/profile.h>

/* Each fills types, roots, places, side and warnings of a new profile, and tells options->each of objects, if it is
 * wanted, when all else is done. */
hsd_status hsd_profile_walk(hsd_profile *profile, hsd_capture *capture, const hsd_profile_options *options,
                            const hsd_run *run, hsd_error *err);
hsd_status hsd_profile_read(hsd_profile *profile, hsd_capture *capture, const hsd_profile_options *options,
                            const hsd_run *run, hsd_error *err);
hsd_status hsd_profile_summarise(hsd_profile *profile, hsd_capture *capture, hsd_error *err);

/* Types and roots into the order of the result. */
void hsd_profile_sort(hsd_profile *profile);

/* The rows of types by another numbering of the same names; a type without a row is HSD_ID_NONE. For the caller to
 * free. */
hsd_status hsd_profile_rows_of(const hsd_profile *profile, const hsd_names *names, uint32_t **rows, hsd_error *err);

hsd_status hsd_profile_say_why(hsd_profile *profile, const char *why, hsd_error *err);
hsd_status hsd_profile_say_too_few(hsd_profile *profile, uint64_t memory_bytes, uint64_t suffices, hsd_error *err);

/* options->places as it counts. */
uint32_t hsd_profile_most_places(const hsd_profile_options *options);

/* ---- places ---- */

/* What the numbers of a source of places mean. */
typedef struct hsd_profile_names {
    const hsd_names *types, *roots;
    const hsd_edge_names *edges;
    const void *context;
    bool (*can_hold)(const void *context, const hsd_trie_kept *place); /* asked of objects alone */
} hsd_profile_names;

/* Fills places and place_least_bytes: at most `most` of those in the source. */
hsd_status hsd_profile_places(hsd_profile *profile, const hsd_trie_source *source, const hsd_profile_names *names,
                              uint32_t most, hsd_error *err);

/* Bytes that so many rows take while they are made. */
uint64_t hsd_profile_place_bytes(uint64_t places);

#endif

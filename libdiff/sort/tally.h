/*
 * Sums by key, whatever the number of keys: a table in memory that empties itself into a sorter when it is full, and
 * equal keys that meet again when the sorter serves. The trie, the types and the places below a holder are tallies.
 *
 *      add add add …  ──►  table, equal keys add up  ──full──►  sorter  ──next──►  every key once, ascending
 *
 * Sums are plain sums, so nothing depends on the order of what is added or on the memory.
 */
#ifndef HSD_SORT_TALLY_H
#define HSD_SORT_TALLY_H

#include <stdint.h>

#include "base/note.h"
#include "io/temp.h"
#include <hsdiff/diff.h>

#define HSD_TALLY_MAX_KEY_WORDS 6u
#define HSD_TALLY_LEAST_BYTES   (UINT64_C(384) << 10)

typedef struct hsd_tally hsd_tally;

/* `memory_bytes` bounds all that it holds; less than the least is taken for the least. */
hsd_status hsd_tally_new(hsd_tally **out, unsigned key_words, uint64_t memory_bytes, hsd_temp_space *space,
                         hsd_reporter *reporter, hsd_error *err);

/* Adds to the sums of a key of key_words words. Amortised O(1). */
hsd_status hsd_tally_add(hsd_tally *tally, const uint64_t *key, uint64_t objects, uint64_t bytes, hsd_error *err);

/* What an add of the key will touch comes from memory meanwhile: for who knows some keys ahead. */
void hsd_tally_fetch(const hsd_tally *tally, const uint64_t *key);

/* Adds all that `other` has, which had no finish yet and is then of no more use. */
hsd_status hsd_tally_absorb(hsd_tally *tally, hsd_tally *other, hsd_error *err);

/* No more adds; from now on it serves from `serve_bytes` (0 = all it has). */
hsd_status hsd_tally_finish(hsd_tally *tally, uint64_t serve_bytes, hsd_error *err);

/* The next key and its sum, HSD_END after the last. The key is borrowed until the following call. */
hsd_status hsd_tally_next(hsd_tally *tally, const uint64_t **key, hsd_amount *sum, hsd_error *err);

/* Serves from the first key again. */
hsd_status hsd_tally_rewind(hsd_tally *tally, hsd_error *err);

void hsd_tally_free(hsd_tally *tally); /* NULL is accepted */

#endif

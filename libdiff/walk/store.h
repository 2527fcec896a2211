/*
 * What owns a result: one arena for its rows and texts, and its warnings. Results of a diff, of top and of paths are
 * made with it alike, so that captures can be closed before a result is printed.
 */
#ifndef HSD_WALK_STORE_H
#define HSD_WALK_STORE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "walk/side/side.h"
#include <hsdiff/diff.h>

#define HSD_MAX_WARNINGS 16u

typedef struct hsd_diff_store {
    hsd_arena arena;
    hsd_text warnings[HSD_MAX_WARNINGS]; /* most important first */
    size_t warning_count;
} hsd_diff_store;

/* NULL is accepted. */
void hsd_store_free(hsd_diff_store *store);

/* A copy of a name, NUL-terminated behind its size. */
hsd_status hsd_store_text(hsd_diff_store *store, hsd_bytes name, hsd_text *out, hsd_error *err);

/* What a capture says of itself, its strings copied. */
hsd_status hsd_store_info(hsd_diff_store *store, const hsd_capture_info *info, hsd_capture_info *out, hsd_error *err);

/* A side as it was walked; `out` has no info yet. */
void hsd_store_side(hsd_side *out, const hsd_side_walk *walk, hsd_amount live, hsd_amount unreached);

/* Bytewise, the shorter one first: the order of names in every result. */
int hsd_store_compare(hsd_text a, hsd_text b);

/* ---- warnings; those of two captures: diff/warn.h ---- */

/* A warning that does not fit or for which there is no memory is dropped: the answer stands. */
void hsd_store_warn(hsd_diff_store *store, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* That it is incomplete, that the producer lost something, that it was sampled. */
void hsd_store_warn_of_capture(hsd_diff_store *store, const hsd_capture_info *info);

/* That it has no references or roots, that many references lead nowhere. */
void hsd_store_warn_of_references(hsd_diff_store *store, const hsd_side *side);

#endif

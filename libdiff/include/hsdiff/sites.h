/*
 * Where the objects of a type were allocated, in two captures: growth by allocation site, where captures have sites
 * (native allocations, HPROF with stack traces, V8 with allocation tracking). One pass over the objects of each
 * capture; memory for the sites of the types asked for.
 */
#ifndef HSDIFF_SITES_H
#define HSDIFF_SITES_H

#include <hsdiff/diff.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hsd_site_growth {
    hsd_text type;
    const hsd_site_frame *frames; /* innermost first; at most 32 */
    size_t frame_count;
    hsd_amount before, after;
} hsd_site_growth;

typedef struct hsd_sites {
    bool are_known; /* else neither capture has sites */
    /* by type as asked for, then by growth in bytes, largest first, then by frames */
    hsd_site_growth *rows;
    size_t row_count;
    struct hsd_diff_store *store;
} hsd_sites;

#define HSD_SITES_OF_A_TYPE 8u /* rows of one type at most, the largest */

/*
 * Finds where the objects of some types were allocated, in both captures. Objects count, live or not.
 *
 *   out    freed by the caller with hsd_sites_free; NULL on failure
 *   types  `type_count` exact names, borrowed for the call
 *   run    NULL = defaults
 *
 * Returns HSD_OK, also when neither capture has sites (are_known is false then); HSD_E_NOMEM; HSD_E_CANCELLED; or what
 * reading returns (hsdiff/capture.h). Time: one pass over the objects of each capture. Memory: the sites of these
 * types.
 */
HSD_API hsd_status hsd_sites_run(hsd_sites **out, hsd_capture *before, hsd_capture *after, const hsd_text *types,
                                 size_t type_count, const hsd_run *run, hsd_error *err);

/* Frees a result and all its texts. NULL is accepted. */
HSD_API void hsd_sites_free(hsd_sites *sites);

#ifdef __cplusplus
}
#endif
#endif

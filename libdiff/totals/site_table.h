/*
 * The allocation sites of one capture as texts. Sites of two captures have nothing in common but what their stacks say,
 * so a stack is written out as bytes (its *spelling*: frames, innermost first), and equal spellings are one stack.
 *
 *      load ── want the sites that matter ── texts ── spell
 */
#ifndef HSD_TOTALS_SITE_TABLE_H
#define HSD_TOTALS_SITE_TABLE_H

#include <hsdiff/diff.h>

#include "base/id_map.h"
#include "format/tables.h"
#include "walk/store.h"

#define HSD_SITE_FRAMES 32u /* of a stack that are told, the innermost */

typedef struct hsd_site_table { /* zeroed: empty */
    hsd_id_map index;           /* site -> place in sites */
    hsd_site *sites;
    uint32_t count, capacity;
    hsd_texts texts;
} hsd_site_table;

/* True if the sites of a capture may be held in memory: there are some, and they take no more than an eighth of the
 * budget. */
bool hsd_site_table_fits(const hsd_capture_info *info, const hsd_run *run);

/* One pass over the sites. HSD_E_NOMEM, and what reading brings. */
hsd_status hsd_site_table_load(hsd_site_table *table, hsd_capture *capture, hsd_error *err);

/* Wants the texts of a stack; then one pass over the strings brings all that are wanted. */
hsd_status hsd_site_table_want(hsd_site_table *table, uint32_t site, hsd_error *err);
hsd_status hsd_site_table_texts(hsd_site_table *table, hsd_capture *capture, hsd_error *err);

/* Appends the spelling of a stack; nothing of a site that is not there. */
hsd_status hsd_site_table_spell(hsd_site_table *table, uint32_t site, hsd_buffer *out, hsd_error *err);

void hsd_site_table_release(hsd_site_table *table);

/* Of frames the innermost that does not allocate for others; 0 where all do. */
size_t hsd_site_wanted(const hsd_site_frame *frames, size_t count);

/* The frames of a spelling, innermost first, owned by the store; a part of one is no spelling. */
hsd_status hsd_site_frames_of(hsd_bytes spelling, hsd_diff_store *store, const hsd_site_frame **out, size_t *count,
                              hsd_error *err);

#endif

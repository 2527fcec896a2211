/*
 * What a block holds, counted: every block is decoded whole, with every rule that reading depends on, and its records
 * are added to the counts of the capture. The ground of the survey, of verify and of salvage.
 */
#ifndef HSD_FORMAT_CONTENT_H
#define HSD_FORMAT_CONTENT_H

#include "format/block.h"
#include "format/object_block.h"
#include "format/record_block.h"
#include "format/sums.h"

/* Counts as END has them (FORMAT.md 8.4); sums stay at 2^64-1 (1.5). */
typedef struct hsd_counts {
    uint64_t objects, pseudo_objects, references, bytes, native_bytes;
    uint64_t edges, roots, strings, types, labels, sites, threads, frames, metrics, losses, lost;
    uint64_t total_objects, total_bytes; /* sums over the type totals */
    uint64_t live_totals, root_totals, places, site_totals;
    uint64_t sum_objects, sum_bytes; /* over the live totals, with what is unreached */
    uint64_t blocks;                 /* decoded */
} hsd_counts;

typedef struct hsd_content {
    hsd_counts counts;
    bool has_parts;
    bool has_last;         /* some object was seen */
    uint64_t last_ordinal; /* the greatest ordinal seen … */
    uint64_t last_id;      /* … and the id of that object */
    uint64_t orphans;      /* records that continue an object that is lost */
    hsd_sum_walk sums;
    hsd_object_block objects;
    hsd_record_block records;
} hsd_content; /* zeroed: nothing counted yet */

/*
 * Called for each record of a block, in order; orphans are left out. For a block of objects `record` is NULL, else
 * `object` is.
 */
typedef void (*hsd_content_fn)(void *context, const hsd_block_header *header, const hsd_object *object,
                               const hsd_record *record);

/*
 * Decodes an unfolded block (not INDEX, INFO, END, nor one of a skipped type) and counts it, or counts nothing and says
 * what is wrong. `allow_gaps`: a continuation without its object is left out instead of refused. `each` may be NULL.
 * Ordinals that are not greater than those before are refused, and places that are not the next.
 */
hsd_status hsd_content_take(hsd_content *content, const hsd_block *block, bool allow_gaps, hsd_content_fn each,
                            void *context, hsd_fault *fault);

/* Whether hsd_content_take is for this type. */
static inline bool hsd_content_is_counted(uint8_t type)
{
    return (type >= HSC_BLOCK_STRINGS && type <= HSC_BLOCK_GROUP_TOTALS) || hsd_block_is_later(type);
}

void hsd_content_release(hsd_content *content);

#endif

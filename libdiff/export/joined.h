/*
 * A capture in the order of its objects, each with all references that leave it, wherever they stood in the file, and
 * with their targets resolved: what every exporter of a graph reads.
 *
 *      places of all ids in memory (places.h)     straight from the capture, targets looked up, and edges apart sorted by source
 *      no room for them        references ──sort by target──► join with the objects ──sort by source, then as they came──► beside the objects
 *
 * Memory: what it is given, whatever the size of the capture; the rest is in temporary files. References keep the order
 * in which they were recorded. Those that lead to no object of the capture are left out and counted.
 */
#ifndef HSD_EXPORT_JOINED_H
#define HSD_EXPORT_JOINED_H

#include "base/note.h"
#include "io/temp.h"
#include <hsdiff/capture.h>

typedef struct hsd_joined hsd_joined;

typedef struct hsd_joined_options {
    unsigned want;          /* HSD_WANT_* of objects; references, labels and indexes always come */
    bool want_ids;          /* of targets too: hsd_joined_reference.target_id */
    bool no_references;     /* objects and roots alone */
    bool sorts_always;      /* as if there were no room for places: tests */
    uint64_t memory_bytes;  /* at least HSD_JOINED_MIN_BYTES */
    hsd_temp_space *space;  /* borrowed until free */
    hsd_reporter *reporter; /* may be NULL */
} hsd_joined_options;

#define HSD_JOINED_MIN_BYTES (UINT64_C(4) << 20)

typedef struct hsd_joined_reference {
    uint64_t target;    /* ordinal */
    uint64_t target_id; /* 0 unless wanted */
    uint64_t index;
    uint32_t label;
} hsd_joined_reference;

typedef struct hsd_joined_root {
    uint64_t target;    /* ordinal */
    uint64_t target_id; /* 0 unless wanted */
    uint32_t kind, label, thread, frame, flags;
} hsd_joined_root;

/* Sorts and joins. HSD_E_OVER_BUDGET below the least; else as reading and sorting. The capture outlives it. */
hsd_status hsd_joined_new(hsd_joined **out, hsd_capture *capture, const hsd_joined_options *options, hsd_error *err);

/* The next object: reference_count and the arrays of references are 0 in it. Texts are borrowed until the next call.
 * References that were not taken are passed over. HSD_END behind the last. */
hsd_status hsd_joined_next_object(hsd_joined *joined, hsd_object *object, hsd_error *err);

/* The next reference of the object. HSD_END behind its last. */
hsd_status hsd_joined_next_reference(hsd_joined *joined, hsd_joined_reference *reference, hsd_error *err);

/* Back in front of the first object, any number of times: lists that need their length first are counted in a pass
 * before. */
hsd_status hsd_joined_rewind(hsd_joined *joined, hsd_error *err);

/* Roots in the order of the capture. HSD_END behind the last; rewind_roots goes back. Independent of the objects. */
hsd_status hsd_joined_next_root(hsd_joined *joined, hsd_joined_root *root, hsd_error *err);
hsd_status hsd_joined_rewind_roots(hsd_joined *joined, hsd_error *err);

uint64_t hsd_joined_reference_count(
    const hsd_joined *joined); /* that lead somewhere; UINT64_MAX where they come straight from the
                                * capture and were not counted yet: until the first full pass */
uint64_t hsd_joined_root_count(const hsd_joined *joined); /* likewise resolved */
uint64_t hsd_joined_dangling(const hsd_joined *joined);   /* references and roots that lead nowhere */
void hsd_joined_free(hsd_joined *joined);

#endif

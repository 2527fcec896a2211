/*
 * The root records of a capture, which are gone through several times: for their texts, their names, their targets.
 * Few, as they are as a rule, are kept by the first pass for those behind it; many are read again.
 */
#ifndef HSD_WALK_SIDE_ROOT_RECORDS_H
#define HSD_WALK_SIDE_ROOT_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include <hsdiff/capture.h>
#include <hsdiff/status.h>

#define HSD_ROOT_RECORDS_MOST 32768u /* that are kept, in 1 MiB */

typedef struct hsd_kept_root {
    uint64_t target;
    uint32_t kind, label, flags, thread, frame;
} hsd_kept_root;

typedef struct hsd_root_records { /* with its capture alone it is valid */
    hsd_capture *capture;
    hsd_kept_root *kept;
    uint32_t count, capacity;
    bool are_kept; /* all of them */
    bool are_many;
} hsd_root_records;

/* Of a record target, kind, label, flags, thread and frame are told. */
typedef hsd_status (*hsd_root_record_fn)(void *context, const hsd_root *root, hsd_error *err);

/* All records, in their order. The first that fails ends it. */
hsd_status hsd_root_records_each(hsd_root_records *records, hsd_root_record_fn take, void *context, hsd_error *err);

void hsd_root_records_release(hsd_root_records *records);

#endif

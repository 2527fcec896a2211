/*
 * Several heaps of one process in one capture. Each worker of Node has a heap of its own, and V8 a snapshot for each:
 * they stand one behind the other, that of the main thread in front, those of workers with the thread's number.
 *
 *      {"snapshot":{…}, … ,"strings":[…]}
 *      {"thread":3,"snapshot":{…}, … ,"strings":[…]}
 *
 * Each is read by itself, and what it writes has numbers behind those of the heaps before: objects by their ordinal,
 * ids by the thread (V8 gives the same ones to each heap), strings, types and labels. Strings of the importer's own
 * (import.h) count down from the top, those of each heap below those of the heap before.
 */
#ifndef HSD_IMPORT_V8_HEAPS_H
#define HSD_IMPORT_V8_HEAPS_H

#include <stdint.h>

#include "base/turn.h"
#include "import/v8/import.h"

#define HSD_V8_MOST_HEAPS 256u
/* Above the ids of any heap. */
#define HSD_V8_THREAD_SHIFT HSD_TURN_HEAP_SHIFT

/* How many strings the importer may define of its own for a heap. */
#define HSD_V8_OWN_STRINGS (HSD_V8_STRING_TOP - HSD_V8_STRING_ORIGINALS + 1)

/* The number in the capture of a string of this heap; 0 = none, or none that fits. */
static inline uint32_t hsd_v8_string_in_capture(const hsd_v8 *v8, uint32_t string)
{
    const hsd_v8_heap *heap = &v8->heap;
    if (string >= HSD_V8_STRING_ORIGINALS) return string - heap->index * HSD_V8_OWN_STRINGS;
    if (string == 0) return 0;
    const uint32_t end = HSD_V8_STRING_ORIGINALS - heap->index * HSD_V8_OWN_STRINGS;
    return (uint64_t)string + heap->first_string < end ? string + heap->first_string : 0;
}

/* Defines a string of this heap. */
static inline hsd_status hsd_v8_write_string(hsd_v8 *v8, uint32_t string, const void *bytes, size_t size,
                                             hsd_error *err)
{
    const uint32_t number = hsd_v8_string_in_capture(v8, string);
    if (number != 0) HSD_WRITE(v8->import, hsc_define_string(v8->import->writer, number, bytes, size), err);
    return HSD_OK;
}

static inline hsd_status hsd_v8_write_type(hsd_v8 *v8, uint32_t type, const void *name, size_t size, uint32_t flags,
                                           hsd_error *err)
{
    HSD_WRITE(v8->import, hsc_define_type(v8->import->writer, v8->heap.first_type + type, name, size, flags), err);
    return HSD_OK;
}

/* A root by what it is in the snapshot. */
static inline hsd_status hsd_v8_write_root(hsd_v8 *v8, hsc_root_record record, hsd_error *err)
{
    record.label = hsd_v8_string_in_capture(v8, record.label);
    record.target = v8->heap.first_object + hsd_v8_late_ordinal(&v8->late, (uint32_t)record.target);
    HSD_WRITE(v8->import, hsc_root(v8->import->writer, &record), err);
    return HSD_OK;
}

/* Where the heap behind this one begins. */
hsd_v8_heap hsd_v8_heap_behind(const hsd_v8 *v8);

#endif

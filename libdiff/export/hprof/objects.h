/*
 * An array of references on its way into the dump. A small one is put together in the buffer of the stream; of a large
 * one only a chunk is held, so its elements come in ascending order.
 */
#ifndef HSD_EXPORT_HPROF_OBJECTS_H
#define HSD_EXPORT_HPROF_OBJECTS_H

#include "export/hprof/hout.h"

#define HOUT_MOST_ELEMENTS ((UINT32_MAX - HOUT_HEAD_BYTES) / HOUT_ID_BYTES)

typedef struct hout_array {
    hout *h;
    uint8_t *small; /* its elements in the buffer; NULL = it is large */
    uint64_t length;
    uint64_t next; /* of a large one: element behind the last one put */
    size_t held;   /* elements in h->chunk */
} hout_array;

/* `length` <= HOUT_MOST_ELEMENTS. Nothing else is written until hsd_hout_end_array. */
hsd_status hsd_hout_begin_array(hout_array *a, hout *h, uint64_t id, uint32_t serial, uint64_t class_id,
                                uint64_t length, hsd_error *err);

/* Element `index` < length, not below one that was put. */
hsd_status hsd_hout_put_element(hout_array *a, uint64_t index, uint64_t id, hsd_error *err);
hsd_status hsd_hout_end_array(hout_array *a, hsd_error *err); /* the rest is null */

#endif

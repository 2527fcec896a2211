/*
 * Thrift's compact protocol, the part that a Parquet file needs: page headers and the footer are such structs. Written
 * from the protocol's specification; nothing here reads.
 *
 *      hsd_thrift t = {.out = &buffer};
 *      hsd_thrift_i32(&t, 1, 2); hsd_thrift_struct(&t, 5); …  hsd_thrift_end(&t); hsd_thrift_end(&t)
 *
 * Fields of a struct come by ascending number. Memory that cannot be had is remembered and told by `status` at the end.
 */
#ifndef HSD_EXPORT_PARQUET_THRIFT_H
#define HSD_EXPORT_PARQUET_THRIFT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

#define HSD_THRIFT_DEPTH 8u

typedef enum hsd_thrift_type {
    HSD_THRIFT_TRUE = 1,
    HSD_THRIFT_FALSE = 2,
    HSD_THRIFT_I16 = 4,
    HSD_THRIFT_I32 = 5,
    HSD_THRIFT_I64 = 6,
    HSD_THRIFT_BINARY = 8,
    HSD_THRIFT_LIST = 9,
    HSD_THRIFT_STRUCT = 12
} hsd_thrift_type;

/* A struct being written. Zeroed but for `out`: at the first field of the outermost one. */
typedef struct hsd_thrift {
    hsd_buffer *out; /* borrowed; appended to */
    int16_t last[HSD_THRIFT_DEPTH];
    unsigned depth;
    hsd_status status; /* HSD_OK or HSD_E_NOMEM */
} hsd_thrift;

void hsd_thrift_i16(hsd_thrift *t, int16_t field, int16_t value);
void hsd_thrift_i32(hsd_thrift *t, int16_t field, int32_t value);
void hsd_thrift_i64(hsd_thrift *t, int16_t field, int64_t value);
void hsd_thrift_bool(hsd_thrift *t, int16_t field, bool value);
void hsd_thrift_binary(hsd_thrift *t, int16_t field, const void *data, size_t size);
void hsd_thrift_string(hsd_thrift *t, int16_t field, const char *text);

/* Begins a field that is a struct; ended by hsd_thrift_end. */
void hsd_thrift_struct(hsd_thrift *t, int16_t field);
/* Begins a list of `count` elements, which follow by the calls below. */
void hsd_thrift_list(hsd_thrift *t, int16_t field, hsd_thrift_type element, uint32_t count);
void hsd_thrift_element_i32(hsd_thrift *t, int32_t value);
void hsd_thrift_element_string(hsd_thrift *t, const char *text);
void hsd_thrift_element_struct(hsd_thrift *t); /* ended by hsd_thrift_end */
void hsd_thrift_end(hsd_thrift *t);

#endif

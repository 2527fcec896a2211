/*
 * The records of one block of any type but INFO, OBJECTS, INDEX and END (FORMAT.md 6.2 to 6.15, 6.17 to 6.20),
 * decoded and then given out one after the other. What ties the records of sums together is for sums.h.
 */
#ifndef HSD_FORMAT_RECORD_BLOCK_H
#define HSD_FORMAT_RECORD_BLOCK_H

#include <hsdiff/capture.h>

#include "format/columns.h"
#include "format/forms.h"

#define HSD_RECORD_KINDS (HSD_RECORD_SITE_TOTAL + 1)

typedef struct hsd_record_block {
    uint8_t type;
    uint32_t records, next;
    const hsd_form *form;
    struct hsd_field_values { /* of columns of one value a record, by the place of the field in the form */
        hsd_u32s narrow;
        hsd_u64s wide; /* HSD_FIELD_U64 */
    } values[HSD_FORM_FIELDS];
    uint8_t *text;        /* what is left of TEXT */
    uint8_t *restore_at;  /* a byte that stands under the NUL of the last text … */
    uint8_t restore_byte; /* … and what it was */
    bool source_is_ordinal;
    uint32_t first_place; /* number of the first, in a block of places */
    const uint64_t *bucket_objects, *bucket_bytes;
    const uint32_t *buckets;
    uint8_t bucket_numbers[HSC_HISTOGRAM_BUCKETS];
    hsd_columns columns;
    hsd_column_store store;
} hsd_record_block;

/* Block type of a kind of record, and back; HSC_BLOCK_INFO (1) / HSD_RECORD_KINDS where there is none. */
uint8_t hsd_record_block_type(hsd_record_kind kind);
hsd_record_kind hsd_record_block_kind(uint8_t block_type);

/* Decodes an unfolded block and stands before its first record. HSD_E_CORRUPT, HSD_E_NOMEM. Borrows from the
 * block and writes into its payload (a NUL behind each text, for as long as the record is borrowed). */
hsd_status hsd_record_block_decode(hsd_record_block *records, const hsd_block *block, hsd_fault *fault);

/* The next record; false past the last. Borrowed until the next call. */
bool hsd_record_block_next(hsd_record_block *records, hsd_record *out);

void hsd_record_block_release(hsd_record_block *records);

#endif

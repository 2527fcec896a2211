/*
 * Objects and their references on the way to OBJECTS blocks.
 *
 * Each field that is in use has a column in the staging area, of 4 bytes a value until a value comes that
 * needs 8, and none until a value comes that is not 0. Room is divided between the columns of objects and
 * of references by the ratio that the last block had. When something does not fit, the block goes out
 * and the area is laid out anew: `mask` has the bits that a field can hold now, so one and-not over
 * all fields of a record says whether it fits.
 */
#ifndef HSC_STAGE_H
#define HSC_STAGE_H

#include <hscapture/hscapture.h>

#include "block.h"

/* Fields of an object, then those of a reference; the columns stand in a block in this order. */
enum hsc_field {
    HSC_F_ID,
    HSC_F_TYPE,
    HSC_F_SIZE,
    HSC_F_NATIVE,
    HSC_F_ELEMENTS,
    HSC_F_SITE,
    HSC_F_AGE,
    HSC_F_FLAGS,
    HSC_F_NAME,
    HSC_F_CATEGORY,
    HSC_F_IDENTITY,
    HSC_F_CONTENT,
    HSC_F_VALUE_BYTES,
    HSC_F_REF_COUNT,
    HSC_F_TARGET,
    HSC_F_LABEL,
    HSC_F_INDEX,
    HSC_FIELDS,
    HSC_OBJECT_FIELDS = HSC_F_TARGET
};

typedef struct hsc_stage {
    /* Hot: what a reference touches. */
    uint32_t ref_used, ref_limit;      /* limit 0: not between begin and end, or failed */
    uint64_t mask[HSC_FIELDS];         /* bits that a field can hold */
    unsigned char *column[HSC_FIELDS]; /* NULL: the field is 0 everywhere */
    uint8_t width[HSC_FIELDS];         /* 0, 4 or 8 bytes a value */
    /* What an object touches. */
    uint32_t used, limit; /* records; limit 0: between begin and end, or failed */
    uint32_t ref_start;   /* first reference of the last record */
    uint32_t value_used;
    uint64_t ordinal; /* objects begun, ever */
    bool has_rare;    /* a column of objects but for id, type, size, flags, name and count of references */
    /* The layout. */
    uint32_t capacity, ref_capacity, value_capacity;
    uint64_t block_ordinal; /* ordinal of the first object that begins in this block */
    uint32_t refs_per_256;  /* references for 256 objects in the last block */
    unsigned char *memory;
    size_t memory_bytes;
    unsigned char *values;
    bool is_open; /* between begin and end */
    /* Totals for the end record. */
    uint64_t references, pseudo, bytes, native_bytes;
} hsc_stage;

/* The area; `value_bytes` of it, at least HSC_MAX_VALUE_BYTES or 0, are for value previews. */
void hsc_stage_init(hsc_stage *o, unsigned char *memory, size_t bytes, size_t value_bytes);

/* The most that one block's payload can take when the area has this size. */
size_t hsc_stage_bound(size_t bytes);

/* The smallest area that works. */
size_t hsc_stage_least(size_t value_bytes);

/* Widens `width` for a value; false if the field can never hold it. */
bool hsc_stage_widen(uint8_t *width, unsigned field, uint64_t value);

/* Writes a block and makes room for at least one record more of each sort, in columns of these widths. */
hsc_status hsc_stage_make_room(hsc_writer *w, const uint8_t *width);

/* True if the first record staged, of which there is one, continues an object of the block before. */
bool hsc_stage_continues(const hsc_stage *o);

/* Encodes what was staged into the raw region and sends it: hsc_block_send. Touches nothing else. */
typedef struct hsc_staged hsc_staged;
hsc_status hsc_staged_write(const hsc_staged *staged, hsc_blocks *blocks, unsigned char *raw);

/* Writes what is staged, at the end; no object is open. */
hsc_status hsc_stage_flush(hsc_writer *w);

static inline void hsc_stage_put(const hsc_stage *o, unsigned field, uint32_t at, uint64_t value)
{
    if (o->width[field] == 4)
        ((uint32_t *)(void *)o->column[field])[at] = (uint32_t)value;
    else if (o->width[field] == 8)
        ((uint64_t *)(void *)o->column[field])[at] = value;
}

#endif

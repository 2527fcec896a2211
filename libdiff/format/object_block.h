/*
 * The objects of one block (FORMAT.md 6.6, 6.8), decoded as far as somebody wants them, one after the other.
 *
 * The hot path of the whole reader: hsd_object_block_next() is inline and copies no references. The five columns that
 * nearly every heap has are plain arrays, zeros where they are not there or not wanted; the others are views, looked at
 * only in blocks where one of them varies.
 */
#ifndef HSD_FORMAT_OBJECT_BLOCK_H
#define HSD_FORMAT_OBJECT_BLOCK_H

#include <hsdiff/capture.h>

#include "format/columns.h"
#include "format/unpack.h"

typedef struct hsd_object_block {
    const uint64_t *id, *size;
    const uint32_t *type, *flags, *ref_count;
    hsd_u64s native, elements, identity, content;
    hsd_u32s site, age, name, category, value_bytes;
    bool has_varying; /* one of the views varies; else they are all as in `constant` */
    hsd_object constant;
    const uint64_t *targets, *indexes; /* of the next record; NULL unless wanted */
    bool has_differences;              /* with HSD_WANT_DIFFERENCES: see hsd_object_block_target */
    unsigned difference_shift;
    const uint32_t *labels;
    const uint8_t *values;
    uint32_t records, next; /* index of the next record */
    uint64_t references;    /* in the block; 0 unless some part of them is wanted */
    uint64_t next_ordinal;  /* of the next record that begins an object */
    bool starts_with_continuation;
    hsd_columns columns;
    hsd_column_store store;
} hsd_object_block;

/* Slots of the store that no column has: for the source of each reference, and for columns that are not wanted. */
#define HSD_SLOT_SOURCES 0
#define HSD_SLOT_ZEROS   15

/* Bits of FLAGS that reading itself acts on (FORMAT.md 6.6). */
#define HSD_OBJECT_PSEUDO    0x1u
#define HSD_OBJECT_CONTINUES 0x80u

/*
 * Decodes the columns that `want` (HSD_WANT_*) needs of an unfolded block and stands before its first record.
 * HSD_E_CORRUPT, HSD_E_NOMEM. Borrows from the block.
 */
hsd_status hsd_object_block_decode(hsd_object_block *objects, const hsd_block *block, unsigned want, hsd_fault *fault);

/* How many objects begin in the block. */
static inline uint32_t hsd_object_block_begun(const hsd_object_block *objects)
{
    return objects->records - (objects->starts_with_continuation ? 1 : 0);
}

/* Moves past `count` records without looking at them. */
void hsd_object_block_skip(hsd_object_block *objects, uint32_t count);

/* The fields that most captures do not have, or have alike in whole blocks. */
static inline void hsd_object_block_get_rest(const hsd_object_block *restrict objects, uint32_t i,
                                             hsd_object *restrict out)
{
    if (!objects->has_varying) {
        out->native_bytes = objects->constant.native_bytes;
        out->elements = objects->constant.elements;
        out->identity = objects->constant.identity;
        out->content = objects->constant.content;
        out->site = objects->constant.site;
        out->age = objects->constant.age;
        out->name = objects->constant.name;
        out->category = objects->constant.category;
        return;
    }
    out->native_bytes = hsd_u64s_get(objects->native, i);
    out->elements = hsd_u64s_get(objects->elements, i);
    out->identity = hsd_u64s_get(objects->identity, i);
    out->content = hsd_u64s_get(objects->content, i);
    out->site = hsd_u32s_get(objects->site, i);
    out->age = hsd_u32s_get(objects->age, i);
    out->name = hsd_u32s_get(objects->name, i);
    out->category = hsd_u32s_get(objects->category, i);
}

/* The next record; false past the last. */
static inline bool hsd_object_block_next(hsd_object_block *restrict objects, hsd_object *restrict out)
{
    const uint32_t i = objects->next;
    if (i >= objects->records) return false;
    const uint32_t reference_count = objects->ref_count[i];
    const bool is_continuation = (objects->flags[i] & HSD_OBJECT_CONTINUES) != 0;
    out->id = objects->id[i];
    out->ordinal = objects->next_ordinal - is_continuation;
    out->size_bytes = objects->size[i];
    out->type = objects->type[i];
    out->flags = objects->flags[i];
    hsd_object_block_get_rest(objects, i, out);
    out->reference_count = reference_count;
    out->is_continuation = is_continuation;
    out->targets = objects->targets;
    out->labels = objects->labels;
    out->indexes = objects->indexes;
    out->value = (hsd_text){(const char *)objects->values, 0};
    if (objects->targets != NULL) objects->targets += reference_count;
    if (objects->labels != NULL) objects->labels += reference_count;
    if (objects->indexes != NULL) objects->indexes += reference_count;
    if (objects->values != NULL) {
        out->value.size = hsd_u32s_get(objects->value_bytes, i);
        objects->values += out->value.size;
    }
    objects->next_ordinal += !is_continuation;
    objects->next = i + 1;
    return true;
}

/* A target as it stands in `targets`: absolute, or with has_differences what is added to the ordinal of its source. */
static inline uint64_t hsd_object_block_target(const hsd_object_block *objects, uint64_t target, uint64_t ordinal)
{
    return objects->has_differences ? ordinal + (hsd_unzigzag(target) << objects->difference_shift) : target;
}

void hsd_object_block_release(hsd_object_block *objects);

#endif

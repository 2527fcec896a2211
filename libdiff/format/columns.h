/*
 * Columns: the payload of a block taken apart, checked, and decoded into arrays (FORMAT.md 5).
 *
 * Two steps. hsd_columns_parse() walks the column headers of a payload and holds them against the table
 * of fields that this type of block has: afterwards every column's data is known to lie inside the payload
 * and to hold as many values as it says. hsd_column_u64() and its kin then decode the columns that somebody
 * wants; the others cost nothing.
 *
 * Decoded values are views: `at[i & mask]`. A column with one value in every place, or one that is not there,
 * is a single number and mask 0: no loop, no array.
 */
#ifndef HSD_FORMAT_COLUMNS_H
#define HSD_FORMAT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/assert.h"
#include "base/buffer.h"
#include "format/block.h"

#define HSD_COLUMN_LIMIT 64 /* column numbers that this version knows are below */

typedef struct hsd_column {
    const uint8_t *data;
    uint32_t count, bytes;
    uint8_t coding, transform, shift;
} hsd_column;

typedef struct hsd_columns {
    uint8_t type; /* of the block */
    uint32_t records;
    uint64_t present; /* bit of each column that is there */
    hsd_column column[HSD_COLUMN_LIMIT];
} hsd_columns;

typedef struct hsd_u64s {
    const uint64_t *at;
    uint64_t mask; /* ~0, or 0 where one value stands for all */
} hsd_u64s;

typedef struct hsd_u32s {
    const uint32_t *at;
    uint64_t mask;
} hsd_u32s;

static inline uint64_t hsd_u64s_get(hsd_u64s values, size_t i)
{
    HSD_ASSERT(values.at != NULL);
    return values.at[i & values.mask];
}
static inline uint32_t hsd_u32s_get(hsd_u32s values, size_t i)
{
    HSD_ASSERT(values.at != NULL);
    return values.at[i & values.mask];
}

/* Nothing but zeros. */
extern const hsd_u64s hsd_u64s_zero;
extern const hsd_u32s hsd_u32s_zero;

/* The arrays of one block, used again for the next. A zeroed one is valid. */
typedef struct hsd_column_store {
    struct hsd_column_slot {
        void *array;
        size_t capacity_bytes;
        uint64_t constant;   /* of a view with mask 0 */
        uint64_t fill_value; /* what the first fill_count places of the array hold, when it was filled */
        uint32_t fill_count;
    } slot[HSD_COLUMN_LIMIT];
} hsd_column_store;

void hsd_column_store_release(hsd_column_store *store);

/*
 * Takes the payload of an unfolded block apart. HSD_E_CORRUPT (rules 5.1 to 5.8) or HSD_E_TOO_NEW. The result
 * borrows from the block.
 */
hsd_status hsd_columns_parse(const hsd_block *block, hsd_columns *columns, hsd_fault *fault);

static inline bool hsd_columns_has(const hsd_columns *columns, unsigned id)
{
    return (columns->present >> id & 1) != 0;
}

/*
 * Decodes a column of numbers. `count` is how many values it must have where it is there (rule 5.3). Views stay
 * valid until the same column of the same store is decoded again. HSD_E_CORRUPT, HSD_E_NOMEM. Values of
 * transform SOURCE are left as they are coded: see hsd_column_add_sources.
 */
hsd_status hsd_column_u64(const hsd_columns *columns, hsd_column_store *store, unsigned id, uint64_t count,
                          hsd_u64s *out, hsd_fault *fault);

/* The same for fields below 2^32 or 2^31 (rule 5.9). */
hsd_status hsd_column_u32(const hsd_columns *columns, hsd_column_store *store, unsigned id, uint64_t count,
                          hsd_u32s *out, hsd_fault *fault);

/* The same, always with an array behind it that has `count` values (mask ~0). */
hsd_status hsd_column_u64_array(const hsd_columns *columns, hsd_column_store *store, unsigned id, uint64_t count,
                                const uint64_t **out, hsd_fault *fault);
hsd_status hsd_column_u32_array(const hsd_columns *columns, hsd_column_store *store, unsigned id, uint64_t count,
                                const uint32_t **out, hsd_fault *fault);

/* `count` zeros, in the place of columns that are not wanted. They take the slot `id`, which no column of the block may
 * have. */
hsd_status hsd_column_zeros(hsd_column_store *store, unsigned id, uint64_t count, const uint64_t **out,
                            hsd_fault *fault);

/* A column of bytes, empty where it is not there. Its bytes may be written to for the caller's own ends. */
hsd_status hsd_column_bytes(const hsd_columns *columns, unsigned id, uint64_t count, hsd_bytes *out, hsd_fault *fault);

/* Makes coded differences to a source absolute, in place: `sources` has one value for each. */
void hsd_column_add_sources(const hsd_columns *columns, unsigned id, const uint64_t *sources, uint64_t *values);

/* True if the column's values are differences to the source (5.7). */
static inline bool hsd_column_is_of_source(const hsd_columns *columns, unsigned id)
{
    return hsd_columns_has(columns, id) && columns->column[id].transform == HSC_TRANSFORM_SOURCE;
}

/* An array of `count` values of `width` bytes for a column number that the caller uses as it likes. NULL and a fault
 * when there is no memory. */
void *hsd_column_store_array(hsd_column_store *store, unsigned id, uint64_t count, size_t width, hsd_fault *fault);

#endif

/*
 * Sizes as classes, for a copy that shall not tell how long a text is: each size, native size and length becomes the
 * greatest class that it reaches, and the totals of the capture lose what its objects lost.
 *
 *      classes     0, then 1, 1.25, 1.5 and 1.75 times each power of two
 *      1,000       896 = 1.75 * 512
 *
 * Down, so that a size stays in its bucket (FORMAT.md 6.14) and a total cannot pass what it may hold; by less than a
 * fifth. A class is a function of the size alone, so equal sizes are equal in every copy.
 */
#ifndef HSD_REDACT_BLUR_H
#define HSD_REDACT_BLUR_H

#include "format/columns.h"
#include "format/totals.h"

#define HSD_BLUR_TOTALS_BYTES (UINT64_C(64) << 20) /* most that the sums by type take */

typedef struct hsd_blur {
    hsd_totals lost; /* what was taken off: bytes by type and bucket, and by category */
    uint64_t lost_bytes, lost_native_bytes;
    uint64_t objects; /* of which something was taken off */
} hsd_blur;           /* zeroed: nothing yet */

void hsd_blur_release(hsd_blur *blur);

/* The class of a size; of 0 it is 0. */
static inline uint64_t hsd_blur_size(uint64_t size)
{
    if (size < 8) return size;
    const unsigned step = 61u - (unsigned)__builtin_clzll(size); /* 2 less than the power of two below it */
    return size >> step << step;
}

/* Columns SIZE, NATIVE_SIZE and ELEMENTS of a block of OBJECTS, `made[0]` to `made[2]` with room for its records.
 * HSD_E_CORRUPT, HSD_E_NOMEM, HSD_E_OVER_BUDGET. */
hsd_status hsd_blur_objects(hsd_blur *blur, const hsd_columns *columns, hsd_column_store *store,
                            uint64_t *const made[3], hsd_fault *fault);

/* Columns BYTES and NATIVE_BYTES (`made[0]`, `made[1]`) of a block of TYPE_TOTALS, and BUCKET_BYTES into `*buckets`,
 * which lies in the store. HSD_E_CORRUPT, HSD_E_NOMEM. */
hsd_status hsd_blur_type_totals(const hsd_blur *blur, const hsd_columns *columns, hsd_column_store *store,
                                uint64_t *const made[2], const uint64_t **buckets, uint64_t *bucket_count,
                                hsd_fault *fault);

/* Column BYTES of a block of GROUP_TOTALS. HSD_E_CORRUPT, HSD_E_NOMEM. */
hsd_status hsd_blur_group_totals(const hsd_blur *blur, const hsd_columns *columns, hsd_column_store *store,
                                 uint64_t *made, hsd_fault *fault);

#endif

/* Sizes as classes. See blur.h. */
#include "redact/blur.h"

#include <hsdiff/capture.h>

#include "base/check.h"
#include "format/object_block.h"

void hsd_blur_release(hsd_blur *blur) { hsd_totals_release(&blur->lost); }

/* A sum that stays at its most (FORMAT.md 1.5) stays there. */
static uint64_t left_of_total(uint64_t total, uint64_t lost)
{
    if (total == UINT64_MAX) return total;
    return total > lost ? total - lost : 0;
}

/* ---- objects ---- */

typedef struct blurred_columns {
    hsd_u64s of[3]; /* SIZE, NATIVE_SIZE, ELEMENTS */
    hsd_u32s type, flags, category;
} blurred_columns;

static hsd_status decode_blurred(const hsd_columns *columns, hsd_column_store *store, blurred_columns *c,
                                 hsd_fault *fault)
{
    static const uint8_t ids[] = {HSC_COL_SIZE, HSC_COL_NATIVE_SIZE, HSC_COL_ELEMENTS};
    const uint32_t records = columns->records;
    for (size_t n = 0; n < HSD_ARRAY_LEN(ids); n++)
        HSD_TRY(hsd_column_u64(columns, store, ids[n], records, &c->of[n], fault));
    HSD_TRY(hsd_column_u32(columns, store, HSC_COL_TYPE, records, &c->type, fault));
    HSD_TRY(hsd_column_u32(columns, store, HSC_COL_FLAGS, records, &c->flags, fault));
    return hsd_column_u32(columns, store, HSC_COL_CATEGORY, records, &c->category, fault);
}

static hsd_status add_lost_of_blur(hsd_blur *blur, uint64_t key, uint64_t bytes, uint64_t native_bytes,
                                   hsd_fault *fault)
{
    hsd_total *total;
    HSD_TRY(hsd_totals_take(&blur->lost, key, &total, fault));
    total->bytes = hsd_add_saturating(total->bytes, bytes);
    total->native_bytes = hsd_add_saturating(total->native_bytes, native_bytes);
    return HSD_OK;
}

/* Of a record whose size was that: no total has pseudo objects, and a continuation has no size. */
static hsd_status count_lost(hsd_blur *blur, const blurred_columns *c, uint32_t i, uint64_t bytes,
                             uint64_t native_bytes, hsd_fault *fault)
{
    if ((bytes | native_bytes) == 0 || (hsd_u32s_get(c->flags, i) & HSD_OBJECT_PSEUDO) != 0) return HSD_OK;
    const unsigned bucket = hsd_size_bucket(hsd_u64s_get(c->of[0], i));
    const uint64_t category = hsd_u32s_get(c->category, i);
    blur->lost_bytes = hsd_add_saturating(blur->lost_bytes, bytes);
    blur->lost_native_bytes = hsd_add_saturating(blur->lost_native_bytes, native_bytes);
    HSD_TRY(add_lost_of_blur(blur, HSD_TOTAL_OF_TYPE | (uint64_t)hsd_u32s_get(c->type, i) << 8 | bucket, bytes,
                             native_bytes, fault));
    return category == 0 ? HSD_OK
                         : add_lost_of_blur(blur, HSD_TOTAL_OF_CATEGORY | category << 8, bytes, native_bytes, fault);
}

hsd_status hsd_blur_objects(hsd_blur *blur, const hsd_columns *columns, hsd_column_store *store,
                            uint64_t *const made[3], hsd_fault *fault)
{
    blurred_columns c;
    blur->lost.memory_bytes = HSD_BLUR_TOTALS_BYTES;
    HSD_TRY(decode_blurred(columns, store, &c, fault));
    for (uint32_t i = 0; i < columns->records; i++) {
        uint64_t lost[3];
        for (size_t n = 0; n < 3; n++) {
            const uint64_t size = hsd_u64s_get(c.of[n], i);
            made[n][i] = hsd_blur_size(size);
            lost[n] = size - made[n][i];
        }
        blur->objects += (lost[0] | lost[1] | lost[2]) != 0;
        HSD_TRY(count_lost(blur, &c, i, lost[0], lost[1], fault));
    }
    return HSD_OK;
}

/* ---- totals ---- */

/* What the objects of a type lost, all buckets together. */
static hsd_total lost_of_type(const hsd_blur *blur, uint32_t type)
{
    hsd_total sum = {0};
    for (unsigned bucket = 0; bucket < HSC_HISTOGRAM_BUCKETS; bucket++) {
        const hsd_total *lost = hsd_totals_find(&blur->lost, HSD_TOTAL_OF_TYPE | (uint64_t)type << 8 | bucket);
        if (lost == NULL) continue;
        sum.bytes = hsd_add_saturating(sum.bytes, lost->bytes);
        sum.native_bytes = hsd_add_saturating(sum.native_bytes, lost->native_bytes);
    }
    return sum;
}

static uint64_t lost_of_bucket(const hsd_blur *blur, uint32_t type, uint64_t bucket)
{
    if (bucket >= HSC_HISTOGRAM_BUCKETS) return 0;
    const hsd_total *lost = hsd_totals_find(&blur->lost, HSD_TOTAL_OF_TYPE | (uint64_t)type << 8 | bucket);
    return lost == NULL ? 0 : lost->bytes;
}

typedef struct blurred_totals {
    hsd_u32s type, count, bucket;
    hsd_u64s bytes, native_bytes, bucket_bytes;
} blurred_totals;

static hsd_status decode_totals(const hsd_columns *columns, hsd_column_store *store, blurred_totals *t,
                                uint64_t *buckets, hsd_fault *fault)
{
    const uint32_t records = columns->records;
    HSD_TRY(hsd_column_u32(columns, store, HSC_COL_KEY, records, &t->type, fault));
    HSD_TRY(hsd_column_u64(columns, store, HSC_COL_BYTES, records, &t->bytes, fault));
    HSD_TRY(hsd_column_u64(columns, store, HSC_COL_NATIVE_BYTES, records, &t->native_bytes, fault));
    HSD_TRY(hsd_column_u32(columns, store, HSC_COL_BUCKET_COUNT, records, &t->count, fault));
    *buckets = 0;
    for (uint32_t i = 0; i < records; i++)
        *buckets += hsd_u32s_get(t->count, i);
    if (*buckets > HSC_MAX_REFERENCES)
        return hsd_fault_corrupt(fault, "10.4", "a block of type totals has %llu buckets",
                                 (unsigned long long)*buckets);
    HSD_TRY(hsd_column_u32(columns, store, HSC_COL_BUCKET, *buckets, &t->bucket, fault));
    return hsd_column_u64(columns, store, HSC_COL_BUCKET_BYTES, *buckets, &t->bucket_bytes, fault);
}

hsd_status hsd_blur_type_totals(const hsd_blur *blur, const hsd_columns *columns, hsd_column_store *store,
                                uint64_t *const made[2], const uint64_t **buckets, uint64_t *bucket_count,
                                hsd_fault *fault)
{
    blurred_totals t;
    uint64_t at = 0;
    HSD_TRY(decode_totals(columns, store, &t, bucket_count, fault));
    uint64_t *bytes = hsd_column_store_array(store, 0, *bucket_count + 1, sizeof *bytes, fault); /* no column is 0 */
    if (bytes == NULL) return fault->status;
    for (uint32_t i = 0; i < columns->records; i++) {
        const uint32_t type = hsd_u32s_get(t.type, i);
        const hsd_total lost = lost_of_type(blur, type);
        made[0][i] = left_of_total(hsd_u64s_get(t.bytes, i), lost.bytes);
        made[1][i] = left_of_total(hsd_u64s_get(t.native_bytes, i), lost.native_bytes);
        for (const uint64_t end = at + hsd_u32s_get(t.count, i); at < end; at++)
            bytes[at] =
                left_of_total(hsd_u64s_get(t.bucket_bytes, at), lost_of_bucket(blur, type, hsd_u32s_get(t.bucket, at)));
    }
    *buckets = bytes;
    return HSD_OK;
}

hsd_status hsd_blur_group_totals(const hsd_blur *blur, const hsd_columns *columns, hsd_column_store *store,
                                 uint64_t *made, hsd_fault *fault)
{
    const uint32_t records = columns->records;
    hsd_u32s kind, key;
    hsd_u64s bytes;
    HSD_TRY(hsd_column_u32(columns, store, HSC_COL_KIND, records, &kind, fault));
    HSD_TRY(hsd_column_u32(columns, store, HSC_COL_KEY, records, &key, fault));
    HSD_TRY(hsd_column_u64(columns, store, HSC_COL_BYTES, records, &bytes, fault));
    for (uint32_t i = 0; i < records; i++) {
        const hsd_total *lost =
            hsd_totals_find(&blur->lost, HSD_TOTAL_OF_CATEGORY | (uint64_t)hsd_u32s_get(key, i) << 8);
        const bool is_category = hsd_u32s_get(kind, i) == 0;
        made[i] = left_of_total(hsd_u64s_get(bytes, i), is_category && lost != NULL ? lost->bytes : 0);
    }
    return HSD_OK;
}

/*
 * The staging area of objects (core/stage.h): how its room is divided, and what a block of it can take.
 */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/column.h"
#include "core/layout.h"
#include "core/stage.h"

/* Bytes that the layout takes, each column beginning at one of 8: all of them lie inside the area, none in another. */
static size_t laid_out(const hsc_stage *o)
{
    const unsigned char *at = o->memory;
    for (unsigned f = 0; f < HSC_FIELDS; f++) {
        const size_t count = f < HSC_OBJECT_FIELDS ? o->capacity : o->ref_capacity;
        if (o->width[f] == 0) {
            cr_assert_null(o->column[f]);
            continue;
        }
        cr_assert(o->column[f] >= at && o->column[f] - at < 8, "field %u", f);
        cr_assert_eq((size_t)(o->column[f] - o->memory) % 8, 0);
        at = o->column[f] + count * o->width[f];
    }
    cr_assert(o->values >= at && o->values + o->value_capacity <= o->memory + o->memory_bytes);
    return (size_t)(at - o->memory);
}

/* What is left would not hold one object and one reference more, but for what each column loses to its beginning. */
Test(stage, has_as_much_in_it_as_fits)
{
    for (size_t bytes = 16 << 10; bytes <= (size_t)1 << 20; bytes += bytes / 7) {
        for (size_t value_bytes = 0; value_bytes <= HSC_MAX_VALUE_BYTES; value_bytes += HSC_MAX_VALUE_BYTES) {
            hsc_stage o;
            const size_t size = bytes & ~(size_t)15;
            unsigned char *memory = malloc(size);
            hsc_stage_init(&o, memory, size, value_bytes);
            cr_assert_eq(o.width[HSC_F_VALUE_BYTES] != 0, value_bytes != 0);
            cr_assert(!o.is_open && o.limit == o.capacity && o.ref_limit == 0 && o.value_capacity == value_bytes);
            size_t record = 0, slack = 0;
            for (unsigned f = 0; f < HSC_FIELDS; f++) {
                record += o.width[f];
                slack += 8;
            }
            const size_t left = size - value_bytes - laid_out(&o);
            cr_assert_lt(left, record + slack, "%zu bytes: %zu are left", size, left);
            free(memory);
        }
    }
}

/* Of any number of records of any width: 12 bytes of each column, its control bytes, and 8 that a put may write behind
 * it. */
Test(stage, a_block_is_bounded)
{
    for (unsigned width = 4; width <= 8; width += 4) {
        for (size_t records = 1; records <= 4096; records = records * 2 + records % 3) {
            for (size_t references = 1; references <= 4096; references = references * 3 + 1) {
                for (size_t values = 0; values <= 1000; values += 500) {
                    size_t staged = values, payload = HSC_COLUMN_HEADER_BYTES + values;
                    for (unsigned f = 0; f < HSC_FIELDS; f++) {
                        const size_t count = f < HSC_OBJECT_FIELDS ? records : references;
                        staged += count * width;
                        payload += hsc_column_bound(count, width);
                    }
                    cr_assert_leq(payload, hsc_stage_bound(staged), "%zu records, %zu references", records, references);
                }
            }
        }
    }
}

/* No column, one of 4 bytes, one of 8: as wide as the widest value so far, and never less. */
Test(stage, columns_are_as_wide_as_their_values)
{
    static const struct {
        uint64_t value;
        uint8_t alone, after_4, after_8;
    } cases[] = {
        {0, 0, 4, 8}, {1, 4, 4, 8}, {UINT32_MAX, 4, 4, 8}, {UINT64_C(1) << 32, 8, 8, 8}, {UINT64_MAX, 8, 8, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t width[HSC_FIELDS] = {[HSC_F_SIZE] = 0, [HSC_F_NATIVE] = 4, [HSC_F_CONTENT] = 8};
        cr_assert(hsc_stage_widen(width, HSC_F_SIZE, cases[i].value));
        cr_assert(hsc_stage_widen(width, HSC_F_NATIVE, cases[i].value));
        cr_assert(hsc_stage_widen(width, HSC_F_CONTENT, cases[i].value));
        cr_assert(width[HSC_F_SIZE] == cases[i].alone && width[HSC_F_NATIVE] == cases[i].after_4 &&
                  width[HSC_F_CONTENT] == cases[i].after_8);
        cr_assert_eq(hsc_stage_widen(width, HSC_F_TYPE, cases[i].value), cases[i].value <= HSC_MAX_TABLE_ID);
    }
}

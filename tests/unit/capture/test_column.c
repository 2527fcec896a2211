/*
 * The column encoder, read back by a decoder written here from FORMAT.md §5: random columns of every shape come back as
 * they went in, in no more room than was promised, and the choices that make captures small are made.
 */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/column.h"
#include "core/layout.h"
#include "core/narrow.h"

enum { MOST = 3000 };

static uint64_t state;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uint64_t number(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

/* Decodes one column and returns the byte behind it. */
static const unsigned char *decode(const unsigned char *at, const uint64_t *sources, uint64_t *out)
{
    const unsigned coding = at[1] & 15, transform = at[1] >> 4, shift = at[2];
    const size_t count = (size_t)number(at + 4, 4), bytes = (size_t)number(at + 8, 4);
    const unsigned char *control = at + 12, *data = control + (count + 3) / 4, *end = at + 12 + bytes;
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t v = coding == HSC_CODING_CONSTANT ? number(at + 12, 8) : 0;
        if (coding == HSC_CODING_PACKED) {
            const unsigned size = 1u << (control[i / 4] >> (2 * (i % 4)) & 3);
            v = number(data, size);
            data += size;
            cr_assert(size == 1 || v >> (4 * size) != 0, "%u bytes where fewer would do", size);
        }
        if (transform != HSC_TRANSFORM_NONE) v = (v >> 1) ^ (0 - (v & 1));
        v <<= shift;
        if (transform == HSC_TRANSFORM_DELTA) v += before;
        if (transform == HSC_TRANSFORM_SOURCE) v += sources[i];
        out[i] = before = v;
    }
    if (coding == HSC_CODING_PACKED) cr_assert_eq(data, end);
    return end;
}

/* The values of a random column: `shape` says what they have in common. */
static void fill(uint64_t *values, size_t count, unsigned shape)
{
    const uint64_t base = next_random();
    for (size_t i = 0; i < count; i++) {
        const uint64_t r = next_random();
        switch (shape % 13) {
        case 0: values[i] = r; break;
        case 1: values[i] = r % 256; break;
        case 2: values[i] = base + 16 * i; break;
        case 3: values[i] = (r % 1000) << 12; break;
        case 4: values[i] = base; break;
        case 5: values[i] = 0; break;
        case 6: values[i] = r % 50 == 0 ? r : r % 7; break;
        case 7: values[i] = UINT64_MAX - r % 3; break;
        case 8: values[i] = (r % 9 == 0 ? r >> 34 : r % 300) * 8; break; /* codes of 1, 2 and 4 bytes */
        case 9: values[i] = (base | 0x80000000u) + (r & 0xffff) * 8 - 0x10000 * i; break; /* from 2^31 on */
        case 10: values[i] = base + i * 0x7fffffffu + r % 2; break;                       /* steps about 2^31 */
        case 11: values[i] = base - i * 0x80000000u - r % 2; break;
        default: values[i] = i % 2 == 0 ? UINT64_MAX : 0; break;
        }
    }
}

static void round_trip(const uint64_t *values, size_t count, unsigned width, const hsc_sources *sources,
                       const uint64_t *source_of)
{
    static uint64_t back[MOST], expected[MOST];
    /* No longer than they are, so that the address sanitizer sees who reads past them. */
    uint32_t *narrow = malloc(count * sizeof *narrow);
    uint64_t *wide = malloc(count * sizeof *wide);
    const size_t bound = hsc_column_bound(count, width);
    unsigned char *out = malloc(bound + 9);
    out[bound + 8] = 0xA5;
    for (size_t i = 0; i < count; i++) {
        narrow[i] = (uint32_t)values[i];
        wide[i] = values[i];
        expected[i] = width == 4 ? narrow[i] : values[i];
    }
    const hsc_values staged = {width == 4 ? (const void *)narrow : wide, width};
    const unsigned char *end = hsc_column_put(out, HSC_COL_REF_TARGET, staged, count, sources);
    cr_assert_leq((size_t)(end - out), bound);
    cr_assert_eq(out[bound + 8], 0xA5);
    if (end == out) {
        for (size_t i = 0; i < count; i++)
            cr_assert_eq(expected[i], 0);
    } else {
        cr_assert_eq(number(out + 4, 4), count);
        cr_assert_eq(out[0], HSC_COL_REF_TARGET);
        cr_assert_eq(out[3], 0);
        cr_assert_eq(decode(out, source_of, back), end);
        cr_assert_arr_eq(back, expected, count * sizeof *back);
    }
    free(out);
    free(narrow);
    free(wide);
}

Test(column, gives_back_any_values)
{
    static uint64_t values[MOST];
    state = 11;
    for (unsigned run = 0; run < 4000; run++) {
        const size_t count = 1 + next_random() % (run % 10 == 0 ? MOST : 140);
        fill(values, count, run);
        round_trip(values, count, run % 2 == 0 ? 4 : 8, NULL, NULL);
    }
}

Test(column, gives_back_references_relative_to_their_sources)
{
    static uint64_t values[MOST], ids[MOST], source_of[MOST];
    static uint32_t counts[MOST], narrow_ids[MOST];
    state = 23;
    for (unsigned run = 0; run < 600; run++) {
        const size_t count = 1 + next_random() % MOST;
        const bool by_ordinal = run % 3 == 0, narrow = run % 3 == 1;
        const uint64_t first = next_random() % 1000;
        size_t records = 0, total = 0;
        while (total < count) {
            const uint32_t n = (uint32_t)(next_random() % 6 == 0 ? next_random() % 400 : next_random() % 4);
            counts[records] = total + n > count ? (uint32_t)(count - total) : n;
            ids[records] = narrow ? (uint32_t)next_random() : next_random();
            narrow_ids[records] = (uint32_t)ids[records];
            for (uint32_t i = 0; i < counts[records]; i++, total++) {
                source_of[total] = by_ordinal ? first + records : ids[records];
                values[total] = run % 2 == 0 ? source_of[total] + 8 * (next_random() % 64) - 256 : next_random();
            }
            if (++records == MOST) records = 0, total = 0;
        }
        const hsc_values id_values = {narrow ? (const void *)narrow_ids : ids, narrow ? 4 : 8};
        const hsc_sources sources = {by_ordinal ? (hsc_values){NULL, 0} : id_values, counts, first};
        round_trip(values, count, 8, &sources, source_of);
        if (by_ordinal || narrow) round_trip(values, count, 4, &sources, source_of);
    }
}

/* What was chosen for a column. */
typedef struct choice {
    unsigned coding, transform, shift;
    size_t bytes;
} choice;

static choice choose(const uint64_t *values, size_t count, const hsc_sources *sources)
{
    static unsigned char out[MOST * 9 + 64];
    const unsigned char *end = hsc_column_put(out, HSC_COL_REF_TARGET, (hsc_values){values, 8}, count, sources);
    return (choice){out[1] & 15, out[1] >> 4, out[2], (size_t)(end - out)};
}

Test(column, leaves_out_zeros)
{
    static const uint64_t zeros[100];
    cr_assert_eq(choose(zeros, 100, NULL).bytes, 0);
    cr_assert_eq(choose(zeros, 0, NULL).bytes, 0);
    unsigned char out[64];
    cr_assert_eq(hsc_column_put_zeros(out, HSC_COL_ID, 5) - out, 20);
    uint64_t back[5];
    decode(out, NULL, back);
    cr_assert_arr_eq(back, zeros, sizeof back);
}

Test(column, writes_equal_values_once)
{
    uint64_t values[1000];
    for (size_t i = 0; i < 1000; i++)
        values[i] = 4096;
    const choice c = choose(values, 1000, NULL);
    cr_assert_eq(c.coding, HSC_CODING_CONSTANT);
    cr_assert_eq(c.bytes, 20);
}

Test(column, writes_equal_steps_once)
{
    uint64_t values[1000];
    for (size_t i = 0; i < 1000; i++)
        values[i] = 48 * (i + 1);
    const choice c = choose(values, 1000, NULL);
    cr_assert_eq(c.coding, HSC_CODING_CONSTANT);
    cr_assert_eq(c.transform, HSC_TRANSFORM_DELTA);
    cr_assert_eq(c.bytes, 20);
}

Test(column, shifts_out_what_addresses_have_in_common)
{
    uint64_t values[1000];
    state = 5;
    values[0] = 0x7F0000000000;
    for (size_t i = 1; i < 1000; i++)
        values[i] = values[i - 1] + 16 * (1 + next_random() % 100);
    const choice c = choose(values, 1000, NULL);
    cr_assert_eq(c.transform, HSC_TRANSFORM_DELTA);
    cr_assert_eq(c.shift, 4);
    cr_assert_lt(c.bytes, 1000 * 5 / 4 + 40);
}

Test(column, takes_references_relative_to_sources_that_are_near)
{
    static uint64_t values[MOST], ids[MOST];
    state = 7;
    for (size_t i = 0; i < MOST; i++) {
        ids[i] = next_random() % 1000000 * 8;
        values[i] = ids[i] + 8 * (next_random() % 16);
    }
    const hsc_sources sources = {.ids = {ids, 8}};
    const choice c = choose(values, MOST, &sources);
    cr_assert_eq(c.transform, HSC_TRANSFORM_SOURCE);
    cr_assert_eq(c.shift, 3);
    cr_assert_eq(c.bytes, 12 + MOST / 4 + MOST);
}

Test(column, differences_too_wide_for_narrow_values_are_not_taken)
{
    uint32_t values[64];
    for (size_t i = 0; i < 64; i++) /* steps of the sample are small, one is not */
        values[i] = i < 40 ? (uint32_t)i : UINT32_MAX - (uint32_t)i;
    unsigned char out[600];
    const unsigned char *end = hsc_column_put(out, HSC_COL_ID, (hsc_values){values, 4}, 64, NULL);
    cr_assert_leq((size_t)(end - out), hsc_column_bound(64, 4) - 8);
}

/* What columns have in common is soon known; one difference far behind is of 33 bits, or of 41. */
Test(column, takes_a_wide_difference_behind_many_narrow_ones)
{
    static uint64_t values[MOST], sources_of[MOST];
    for (unsigned width = 4; width <= 8; width += 4) {
        for (size_t wide = MOST - 300; wide < MOST; wide += 7) {
            for (size_t i = 0; i < MOST; i++) {
                values[i] = 5 + i * 1001 + i % 3;
                sources_of[i] = values[i] + i % 700;
            }
            values[wide] = width == 4 ? UINT32_MAX : UINT64_C(1) << 40;
            round_trip(values, MOST, width, NULL, NULL);
            const hsc_sources sources = {.ids = {sources_of, 8}};
            round_trip(values, MOST, width, &sources, sources_of);
        }
    }
}

Test(column, bytes_stand_as_they_are)
{
    unsigned char out[64];
    const unsigned char *end = hsc_column_put_bytes(out, HSC_COL_TEXT, "abc", 3);
    cr_assert_eq(end - out, 15);
    cr_assert_eq(out[1], HSC_CODING_BYTES);
    cr_assert_eq(memcmp(out + 12, "abc", 3), 0);
    cr_assert_eq(hsc_column_put_bytes(out, HSC_COL_TEXT, NULL, 0), out);
}

/* ---- where a choice turns ---- */

Test(column, differences_must_be_smaller_to_be_taken)
{
    static const uint64_t equal[] = {9, 12}, smaller[] = {9, 10}; /* 4 + 4 bits; 5 + 3, or 5 + 2, of differences */
    cr_assert_eq(choose(equal, 2, NULL).transform, HSC_TRANSFORM_NONE);
    cr_assert_eq(choose(smaller, 2, NULL).transform, HSC_TRANSFORM_DELTA);
}

/* Sources are looked at from 256 references on. */
Test(column, few_references_are_not_taken_relative_to_sources)
{
    static uint64_t values[256], ids[256];
    state = 9;
    for (size_t i = 0; i < 256; i++) {
        ids[i] = next_random() % 100000000 * 8;
        values[i] = ids[i] + 8;
    }
    const hsc_sources sources = {.ids = {ids, 8}};
    cr_assert_eq(choose(values, 256, &sources).transform, HSC_TRANSFORM_SOURCE);
    cr_assert_neq(choose(values, 255, &sources).transform, HSC_TRANSFORM_SOURCE);
}

/* All bits of a byte are met at once; what is wider comes later. */
Test(column, wider_values_may_follow_those_that_fill_a_byte)
{
    static uint64_t values[600];
    for (unsigned width = 4; width <= 8; width += 4) {
        for (uint64_t most = 254; most <= 257; most++) {
            for (size_t i = 0; i < 600; i++)
                values[i] = i < 300 ? (i % 2 == 0 ? most : 1) : i % 7 * 300 + 1;
            round_trip(values, 600, width, NULL, NULL);
        }
    }
}

/* References of 4 bytes from objects whose ids need 8. */
Test(column, narrow_references_have_wide_sources)
{
    static uint64_t values[MOST], ids[MOST];
    state = 31;
    for (unsigned run = 0; run < 4; run++) {
        for (size_t i = 0; i < MOST; i++) {
            values[i] = next_random() % 1000000 * 8;
            ids[i] = values[i] + 8 + (i % 50 == 0 ? (uint64_t)run << 32 : 0);
        }
        const hsc_sources sources = {.ids = {ids, 8}};
        round_trip(values, MOST, 4, &sources, ids);
    }
}

Test(column, is_measured_narrowly_where_it_can_be)
{
    static const uint32_t narrow[] = {8, 16, 32, 0x80000000};
    static const uint64_t wide[] = {UINT64_C(1) << 40, (UINT64_C(1) << 40) + 0x7fffffff, UINT64_C(1) << 40};
    const hsc_values values = {narrow, 4}, wides = {wide, 8};
    const hsc_sources narrow_ids = {.ids = {narrow, 4}}, wide_ids = {.ids = {wide, 8}}, ordinals = {.first = 7};
    hsc_traits t;
    cr_assert(hsc_narrow_measure(values, 4, HSC_TRANSFORM_NONE, NULL, &t));
    cr_assert(t.any == 0x80000038 && t.any_coded == t.any && t.first == 8 && !t.is_constant);
    cr_assert(hsc_narrow_measure(values, 3, HSC_TRANSFORM_DELTA, NULL, &t));
    cr_assert(t.any == 24 && t.any_coded == 48 && t.first == 8 && !t.is_constant);
    cr_assert(hsc_narrow_measure(values, 4, HSC_TRANSFORM_SOURCE, &narrow_ids, &t));
    cr_assert(t.any == 0 && t.is_constant);
    cr_assert(hsc_narrow_measure(values, 3, HSC_TRANSFORM_SOURCE, &ordinals, &t));
    cr_assert(!hsc_narrow_measure(values, 3, HSC_TRANSFORM_SOURCE, &wide_ids, &t));
    cr_assert(!hsc_narrow_measure(wides, 3, HSC_TRANSFORM_NONE, NULL, &t));
    cr_assert(!hsc_narrow_measure(wides, 3, HSC_TRANSFORM_DELTA, NULL, &t), "the first is no small one");
    cr_assert(hsc_narrow_measure(wides, 3, HSC_TRANSFORM_SOURCE, &wide_ids, &t));
}

/* Four stretches are looked at, one behind the other in a column of 256: what is bad in one of them is not taken. */
Test(column, sources_are_asked_all_over_the_column)
{
    static uint64_t values[256], ids[256];
    state = 77;
    for (size_t bad = 0; bad < 4; bad++) {
        for (size_t i = 0; i < 256; i++) {
            values[i] = next_random() % 200 + 1;
            ids[i] = i / 64 == bad ? next_random() : values[i] + 1;
        }
        const hsc_sources sources = {.ids = {ids, 8}};
        cr_assert_neq(choose(values, 256, &sources).transform, HSC_TRANSFORM_SOURCE, "stretch %zu", bad);
    }
}

/* Tiles are of 128 values. */
Test(column, gives_back_whole_tiles)
{
    static uint64_t values[MOST];
    for (size_t count = 126; count <= 514; count += count % 128 == 2 ? 124 : 1) {
        for (unsigned shape = 0; shape < 13; shape++) {
            state = count;
            fill(values, count, shape);
            round_trip(values, count, 4, NULL, NULL);
            round_trip(values, count, 8, NULL, NULL);
        }
    }
}

/* All but one are the same. */
Test(column, gives_back_the_one_that_differs)
{
    static uint64_t values[400];
    for (size_t at = 0; at < 400; at += 19) {
        for (unsigned width = 4; width <= 8; width += 4) {
            for (uint64_t same = 1; same < 100000; same = 10 * same + 1) {
                for (size_t i = 0; i < 400; i++)
                    values[i] = i == at ? 3 : same;
                round_trip(values, 400, width, NULL, NULL);
            }
        }
    }
}

/* ---- what a sample does not see, and where a size ends ---- */

/* One value of all bits among small ones, where the sample does not look: its own width counts, not that of the rest.
 */
Test(column, gives_back_the_one_that_is_wide)
{
    static uint64_t values[MOST];
    for (unsigned width = 4; width <= 8; width += 4) {
        for (size_t at = 70; at < 900; at += 83) {
            state = at;
            for (size_t i = 0; i < 900; i++)
                values[i] = i == at ? UINT64_MAX : next_random() % 128;
            round_trip(values, 900, width, NULL, NULL);
        }
    }
}

/* The least and the greatest number of each size: decode refuses bytes where fewer would do. */
Test(column, takes_the_fewest_bytes_at_each_edge)
{
    static const uint64_t edges[] = {1,      0xFE,    0xFF,       0x100,      0xFFFE,
                                     0xFFFF, 0x10000, 0xFFFFFFFE, 0xFFFFFFFF, UINT64_C(1) << 32};
    static uint64_t values[MOST];
    state = 41;
    for (unsigned run = 0; run < 400; run++) {
        const size_t count = 1 + next_random() % (run % 4 == 0 ? 400 : 12);
        for (size_t i = 0; i < count; i++)
            values[i] = edges[next_random() % (run % 8 < 4 ? 10 : 6)];
        round_trip(values, count, run % 2 == 0 ? 4 : 8, NULL, NULL);
    }
}

/* As many bits as a value has are not too many for a difference: 2^31 - 1 is one of 32, with its sign. */
Test(column, differences_may_fill_a_value)
{
    uint32_t values[200];
    for (uint32_t i = 0; i < 200; i++)
        values[i] = 1000000 + i * 16 + (i < 100 ? 0 : 0x7fffffff - 16);
    unsigned char out[1200];
    hsc_column_put(out, HSC_COL_ID, (hsc_values){values, 4}, 200, NULL);
    cr_assert_eq(out[1] >> 4, HSC_TRANSFORM_DELTA);
}

/* Four stretches are looked at, the last at the very end. */
Test(column, differences_are_asked_all_over_the_column)
{
    static uint64_t values[256];
    state = 78;
    for (size_t near = 0; near < 4; near++) {
        for (size_t i = 0; i < 256; i++)
            values[i] = i / 64 == near && i % 64 > 15 ? (UINT64_C(1) << 50) + i : next_random() % 15 + 1;
        cr_assert_eq(choose(values, 256, NULL).transform, HSC_TRANSFORM_DELTA, "stretch %zu", near);
    }
}

/* Each source is the target before: both differences are the same. */
Test(column, sources_must_be_nearer_than_the_value_before)
{
    static uint64_t values[300], ids[300];
    state = 79;
    for (size_t i = 0; i < 300; i++) {
        ids[i] = i == 0 ? 0 : values[i - 1];
        values[i] = 1000000 + next_random() % 5000;
    }
    const hsc_sources sources = {.ids = {ids, 8}};
    cr_assert_eq(choose(values, 300, &sources).transform, HSC_TRANSFORM_DELTA);
}

/* Any differences from -2^31 to 2^31 - 1 are narrow, of values of 4 bytes and of 8, and one beyond is not. */
Test(column, is_narrow_where_all_differences_are)
{
    static const int64_t edges[] = {INT32_MIN, INT32_MIN + 1, -1, 0, 1, INT32_MAX - 1, INT32_MAX};
    uint64_t wide[64], sources_of[64];
    uint32_t narrow[64], narrow_sources[64];
    unsigned char out[1000];
    state = 83;
    for (unsigned run = 0; run < 2000; run++) {
        const bool is_beyond = run % 5 == 4, has_edges = run % 3 == 0;
        for (size_t i = 0; i < 64; i++) {
            const int64_t d = has_edges ? edges[next_random() % 7] : (int32_t)next_random();
            sources_of[i] = narrow_sources[i] = (uint32_t)next_random();
            if ((int64_t)narrow_sources[i] + d < 0 || (int64_t)narrow_sources[i] + d > UINT32_MAX)
                narrow_sources[i] = d < 0 ? UINT32_MAX : 0; /* so that the sum is one of 4 bytes */
            narrow[i] = (uint32_t)(narrow_sources[i] + d);
            wide[i] = sources_of[i] + (uint64_t)d;
        }
        const size_t at = next_random() % 64;
        if (is_beyond) {
            narrow_sources[at] = run % 2 == 0 ? 0 : 0x80000001;
            narrow[at] = run % 2 == 0 ? 0x80000000 : 0;
            wide[at] = sources_of[at] + (run % 2 == 0 ? UINT64_C(0x80000000) : UINT64_MAX - 0x80000000);
        }
        for (unsigned width = 4; width <= 8; width += 4) {
            hsc_traits t;
            const hsc_values values = {width == 4 ? (const void *)narrow : wide, width};
            const hsc_sources sources = {.ids = {width == 4 ? (const void *)narrow_sources : sources_of, width}};
            cr_assert_eq(hsc_narrow_measure(values, 64, HSC_TRANSFORM_SOURCE, &sources, &t), !is_beyond, "run %u", run);
            cr_assert_eq(hsc_narrow_pack(out, values, 64, HSC_TRANSFORM_SOURCE, &sources, 0, 32) != NULL, !is_beyond,
                         "run %u", run);
        }
    }
}

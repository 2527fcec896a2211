/* Unpacking against a loop that takes one byte at a time. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "format/unpack.h"
#include "support/random.h"

#define MAX_COUNT 300

typedef struct packed {
    uint8_t control[MAX_COUNT / 4 + 1];
    uint8_t *values; /* exactly the value bytes and the slack */
    uint32_t count, value_bytes;
    uint64_t expected[MAX_COUNT];
    uint64_t all_bits;
} packed;

/* Random lengths and values, written by the letter of FORMAT.md 5.5. */
static packed make(test_random *random, uint32_t count, bool is_delta)
{
    packed p = {.count = count};
    uint8_t bytes[8 * MAX_COUNT];
    uint64_t last = 0;
    const unsigned most = (unsigned)test_below(random, 4);
    for (uint32_t i = 0; i < count; i++) {
        const unsigned code = (unsigned)test_below(random, most + 1);
        uint64_t coded = test_next(random);
        if (code < 3) coded &= (UINT64_C(1) << (8u << code)) - 1;
        p.control[i / 4] = (uint8_t)(p.control[i / 4] | code << (2 * (i % 4)));
        for (unsigned k = 0; k < 1u << code; k++)
            bytes[p.value_bytes++] = (uint8_t)(coded >> (8 * k));
        p.expected[i] = is_delta ? last + ((coded >> 1) ^ (0 - (coded & 1))) : coded;
        last = p.expected[i];
        p.all_bits |= p.expected[i];
    }
    p.values = malloc(p.value_bytes + HSD_UNPACK_SLACK_BYTES);
    cr_assert_not_null(p.values);
    memcpy(p.values, bytes, p.value_bytes);
    memset(p.values + p.value_bytes, 0xEE, HSD_UNPACK_SLACK_BYTES);
    return p;
}

static void check(test_random *random, uint32_t count, bool is_delta)
{
    packed p = make(random, count, is_delta);
    uint64_t *wide = malloc(count * sizeof *wide + 1);
    uint32_t *narrow = malloc(count * sizeof *narrow + 1);
    cr_assert(wide != NULL && narrow != NULL);
    cr_assert_eq(hsd_unpack_value_bytes(p.control, count), p.value_bytes);
    cr_assert_eq(hsd_unpack_u64(p.control, p.values, count, is_delta, wide), p.all_bits);
    cr_assert_eq(hsd_unpack_u32(p.control, p.values, count, is_delta, narrow), p.all_bits, "32-bit form: all 64 bits");
    for (uint32_t i = 0; i < count; i++) {
        cr_assert_eq(wide[i], p.expected[i], "value %u of %u", i, count);
        cr_assert_eq(narrow[i], (uint32_t)p.expected[i], "value %u of %u", i, count);
    }
    free(wide);
    free(narrow);
    free(p.values);
}

Test(unpack, agrees_with_the_definition_for_every_count)
{
    test_random random = {test_seed(11)};
    for (uint32_t count = 1; count <= MAX_COUNT; count++) {
        check(&random, count, false);
        check(&random, count, true);
    }
}

Test(unpack, takes_every_control_byte)
{
    for (unsigned control = 0; control < 256; control++) {
        const uint8_t code = (uint8_t)control;
        uint8_t values[32 + HSD_UNPACK_SLACK_BYTES];
        uint64_t out[4];
        size_t at = 0;
        for (size_t i = 0; i < sizeof values; i++)
            values[i] = (uint8_t)(i + 1);
        hsd_unpack_u64(&code, values, 4, 0, out);
        for (unsigned i = 0; i < 4; i++) {
            const unsigned length = 1u << (control >> (2 * i) & 3);
            uint64_t expected = 0;
            for (unsigned k = 0; k < length; k++)
                expected |= (uint64_t)values[at++] << (8 * k);
            cr_assert_eq(out[i], expected, "control byte %u, value %u", control, i);
        }
        cr_assert_eq(hsd_unpack_value_bytes(&code, 4), at);
    }
}

Test(unpack, sees_codes_behind_the_last_value)
{
    const uint8_t control[2] = {0xFF, 0x04};
    cr_assert(hsd_unpack_tail_is_zero(control, 4));
    cr_assert(hsd_unpack_tail_is_zero(control, 6));
    cr_assert(!hsd_unpack_tail_is_zero(control, 5));
    cr_assert(!hsd_unpack_tail_is_zero(control, 3));
    cr_assert_eq(hsd_unpack_value_bytes(control, 5), 33, "codes past the count do not count");
    cr_assert_eq(hsd_unpack_control_bytes(0), 0);
    cr_assert_eq(hsd_unpack_control_bytes(5), 2);
    cr_assert_eq(hsd_unpack_control_bytes(UINT32_MAX), (uint32_t)1 << 30);
}

Test(unpack, undoes_zigzag)
{
    cr_assert_eq(hsd_unzigzag(0), 0);
    cr_assert_eq(hsd_unzigzag(1), UINT64_MAX);
    cr_assert_eq(hsd_unzigzag(2), 1);
    cr_assert_eq(hsd_unzigzag(3), UINT64_MAX - 1);
    cr_assert_eq(hsd_unzigzag(UINT64_MAX), UINT64_C(1) << 63);
    cr_assert_eq(hsd_unzigzag(UINT64_MAX - 1), (UINT64_C(1) << 63) - 1);
}

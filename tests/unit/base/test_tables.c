/* Buffer, arena, names, hash, checked arithmetic: what holds bytes and names in memory. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/check.h"
#include "base/names.h"
#include "support/fault.h"

static hsd_bytes bytes_of(const char *text) { return (hsd_bytes){(const uint8_t *)text, strlen(text)}; }

Test(check, sums_and_products_tell_of_overflow)
{
    uint64_t wide;
    size_t size;
    cr_assert(hsd_add_u64(UINT64_MAX - 1, 1, &wide) && wide == UINT64_MAX);
    cr_assert(!hsd_add_u64(UINT64_MAX, 1, &wide));
    cr_assert(hsd_mul_u64(UINT64_MAX, 1, &wide) && !hsd_mul_u64(UINT64_C(1) << 32, UINT64_C(1) << 32, &wide));
    cr_assert(hsd_add_size(1, 2, &size) && size == 3 && !hsd_add_size(SIZE_MAX, 1, &size));
    cr_assert(hsd_mul_size(3, 4, &size) && size == 12 && !hsd_mul_size(SIZE_MAX, 2, &size));
    cr_assert_eq(hsd_add_saturating(UINT64_MAX, 5), UINT64_MAX);
    cr_assert_eq(hsd_add_saturating(2, 5), 7);
    cr_assert_eq(hsd_min_u64(2, 5), 2);
    cr_assert_eq(hsd_max_u64(2, 5), 5);
}

Test(buffer, grows_and_keeps_what_it_has)
{
    hsd_buffer buffer = {0};
    for (uint32_t i = 0; i < 10000; i++)
        cr_assert_eq(hsd_buffer_append(&buffer, &i, sizeof i, NULL), HSD_OK);
    cr_assert_eq(buffer.size, 40000);
    cr_assert_geq(buffer.capacity, buffer.size);
    for (uint32_t i = 0; i < 10000; i++)
        cr_assert_eq(memcmp(buffer.data + 4 * i, &i, 4), 0);
    const size_t capacity = buffer.capacity;
    hsd_buffer_clear(&buffer);
    cr_assert(buffer.size == 0 && buffer.capacity == capacity);
    hsd_buffer_release(&buffer);
    cr_assert_null(buffer.data);
    hsd_buffer_release(&buffer);
}

Test(buffer, appending_nothing_allocates_nothing)
{
    hsd_buffer buffer = {0};
    cr_assert_eq(hsd_buffer_append(&buffer, NULL, 0, NULL), HSD_OK);
    cr_assert_null(buffer.data);
}

Test(buffer, a_request_beyond_the_address_space_is_refused)
{
    hsd_buffer buffer = {0};
    hsd_error err;
    hsd_error_init(&err);
    cr_assert_eq(hsd_buffer_append(&buffer, "abc", 3, NULL), HSD_OK);
    cr_assert_eq(hsd_buffer_reserve(&buffer, SIZE_MAX, &err), HSD_E_NOMEM);
    cr_assert_eq(hsd_buffer_reserve(&buffer, SIZE_MAX / 2, &err), HSD_E_NOMEM);
    cr_assert(buffer.size == 3 && memcmp(buffer.data, "abc", 3) == 0);
    hsd_buffer_release(&buffer);
}

Test(buffer, a_failed_allocation_leaves_it_as_it_was)
{
    hsd_buffer buffer = {0};
    hsd_error err;
    hsd_error_init(&err);
    cr_assert_eq(hsd_buffer_append(&buffer, "abc", 3, NULL), HSD_OK);
    hsd_fault_reset();
    hsd_fault_arm(HSD_FAULT_MALLOC, 1, true, ENOMEM);
    cr_assert_eq(hsd_buffer_reserve(&buffer, 4096, &err), HSD_E_NOMEM);
    hsd_fault_reset();
    cr_assert(buffer.size == 3 && memcmp(buffer.data, "abc", 3) == 0);
    hsd_buffer_release(&buffer);
}

Test(arena, gives_zeroed_aligned_memory_that_does_not_overlap)
{
    hsd_arena arena = {0};
    unsigned char *taken[2000];
    size_t sizes[2000];
    for (size_t i = 0; i < HSD_ARRAY_LEN(taken); i++) {
        sizes[i] = i % 97 == 0 ? 40000 + i : i % 53;
        taken[i] = hsd_arena_take(&arena, sizes[i]);
        cr_assert_not_null(taken[i]);
        cr_assert_eq((uintptr_t)taken[i] % 16, 0);
        for (size_t k = 0; k < sizes[i]; k++)
            cr_assert_eq(taken[i][k], 0);
        memset(taken[i], (int)(i % 251) + 1, sizes[i]);
    }
    for (size_t i = 0; i < HSD_ARRAY_LEN(taken); i++)
        for (size_t k = 0; k < sizes[i]; k++)
            cr_assert_eq(taken[i][k], i % 251 + 1);
    hsd_arena_release(&arena);
    cr_assert(arena.chunk == NULL && arena.total_bytes == 0);
}

Test(arena, small_tables_cost_little_and_large_ones_few_calls)
{
    hsd_arena arena = {0};
    cr_assert_not_null(hsd_arena_take(&arena, 10));
    cr_assert_leq(arena.total_bytes, 4096);
    hsd_fault_reset();
    for (int i = 0; i < 100000; i++)
        cr_assert_not_null(hsd_arena_take(&arena, 32));
    cr_assert_leq(hsd_fault_calls(HSD_FAULT_MALLOC), 30);
    cr_assert_leq(arena.total_bytes, 100000 * 32 + (512 << 10));
    hsd_arena_release(&arena);
}

Test(arena, a_large_piece_does_not_waste_the_open_chunk)
{
    hsd_arena arena = {0};
    char *before = hsd_arena_take(&arena, 16);
    cr_assert_not_null(hsd_arena_take(&arena, 1 << 20));
    char *after = hsd_arena_take(&arena, 16);
    cr_assert_eq(after - before, 16);
    hsd_arena_release(&arena);
}

Test(arena, copies_end_with_a_nul_and_may_contain_some)
{
    hsd_arena arena = {0};
    const char *copy = hsd_arena_copy(&arena, "a\0b", 3);
    cr_assert_eq(memcmp(copy, "a\0b\0", 4), 0);
    cr_assert_str_eq(hsd_arena_copy(&arena, NULL, 0), "");
    hsd_arena_release(&arena);
}

Test(arena, says_when_the_system_is_out_of_memory)
{
    hsd_arena arena = {0};
    cr_assert_null(hsd_arena_take(&arena, SIZE_MAX));
    cr_assert_null(hsd_arena_take(&arena, SIZE_MAX - 40));
    cr_assert_null(hsd_arena_copy(&arena, "", SIZE_MAX));
    hsd_fault_reset();
    hsd_fault_arm(HSD_FAULT_MALLOC, 1, true, ENOMEM);
    cr_assert_null(hsd_arena_take(&arena, 8));
    cr_assert_null(hsd_arena_take(&arena, 1 << 20));
    hsd_fault_reset();
    cr_assert_eq(arena.total_bytes, 0);
    hsd_arena_release(&arena);
}

Test(names, numbers_follow_arrival_and_lead_back)
{
    hsd_names names = {0};
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 20000; i++) {
            char text[32];
            snprintf(text, sizeof text, "name %u", i * 7919);
            uint32_t number = HSD_NAME_NONE;
            cr_assert_eq(hsd_names_put(&names, bytes_of(text), &number, NULL), HSD_OK);
            cr_assert_eq(number, i);
            cr_assert_eq(hsd_names_find(&names, bytes_of(text)), i);
            cr_assert_str_eq((const char *)hsd_names_get(&names, i).data, text);
        }
    }
    cr_assert_eq(names.count, 20000);
    cr_assert_eq(hsd_names_find(&names, bytes_of("not there")), HSD_NAME_NONE);
    cr_assert_geq(hsd_names_memory(&names), 20000 * 20);
    hsd_names_release(&names);
    cr_assert_eq(hsd_names_memory(&names), 0);
}

Test(names, the_empty_name_and_names_with_nuls_are_names)
{
    hsd_names names = {0};
    uint32_t empty, with_nul, without;
    cr_assert_eq(hsd_names_find(&names, bytes_of("")), HSD_NAME_NONE);
    cr_assert_eq(hsd_names_put(&names, (hsd_bytes){NULL, 0}, &empty, NULL), HSD_OK);
    cr_assert_eq(hsd_names_put(&names, (hsd_bytes){(const uint8_t *)"a\0b", 3}, &with_nul, NULL), HSD_OK);
    cr_assert_eq(hsd_names_put(&names, bytes_of("a"), &without, NULL), HSD_OK);
    cr_assert(empty == 0 && with_nul == 1 && without == 2);
    cr_assert_eq(hsd_names_find(&names, bytes_of("")), 0);
    hsd_names_release(&names);
}

Test(names, survive_every_failed_allocation)
{
    for (uint64_t at = 1; at < 60; at++) {
        hsd_names names = {0};
        uint32_t number, given = 0;
        char text[32];
        hsd_fault_reset();
        hsd_fault_arm(HSD_FAULT_MALLOC, at, false, ENOMEM);
        for (uint32_t i = 0; i < 3000; i++) {
            snprintf(text, sizeof text, "%u", i);
            const hsd_status status = hsd_names_put(&names, bytes_of(text), &number, NULL);
            cr_assert(status == HSD_OK || status == HSD_E_NOMEM);
            if (status == HSD_OK) cr_assert_eq(number, given++);
        }
        cr_assert_eq(names.count, given);
        const uint64_t strikes = hsd_fault_strikes();
        cr_assert_eq(given, 3000 - strikes);
        hsd_names_release(&names);
        if (strikes == 0) return; /* every allocation has had its turn */
    }
    cr_assert_fail("more allocations than expected");
}

Test(hash, is_the_same_on_every_machine)
{
    cr_assert_eq(hsd_hash_bytes("", 0, 0), hsd_hash_bytes(NULL, 0, 0));
    cr_assert_eq(hsd_hash_bytes("session", 7, 0), UINT64_C(0x33426e254fafaa73));
    cr_assert_eq(hsd_hash_bytes("java.util.HashMap$Node", 22, 1), UINT64_C(0x6008906f389e5e20));
}

Test(hash, one_bit_changes_half_of_the_bits)
{
    uint8_t data[40];
    for (size_t size = 1; size <= sizeof data; size++) {
        unsigned changed = 0, tries = 0;
        for (size_t bit = 0; bit < size * 8; bit++) {
            memset(data, 0x33, sizeof data);
            const uint64_t before = hsd_hash_bytes(data, size, 5);
            data[bit / 8] = (uint8_t)(data[bit / 8] ^ 1u << bit % 8);
            changed += (unsigned)__builtin_popcountll(before ^ hsd_hash_bytes(data, size, 5));
            tries++;
        }
        cr_assert(changed > tries * 24 && changed < tries * 40, "size %zu: %u of %u", size, changed, tries);
    }
}

Test(hash, the_seed_and_the_length_count)
{
    cr_assert_neq(hsd_hash_bytes("a", 1, 1), hsd_hash_bytes("a", 1, 2));
    cr_assert_neq(hsd_hash_bytes("a\0", 2, 1), hsd_hash_bytes("a", 1, 1));
    cr_assert_neq(hsd_hash_bytes("\0\0\0\0\0\0\0\0", 8, 1), hsd_hash_bytes("", 0, 1));
}

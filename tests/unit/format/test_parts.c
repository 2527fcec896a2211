/* The small parts of the format layer: lists, sets, sums, encoded columns, wording, input files. */
#define _GNU_SOURCE /* pipe2 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/block_list.h"
#include "format/columns.h"
#include "format/encode.h"
#include "format/fault.h"
#include "format/id_set.h"
#include "format/input.h"
#include "format/totals.h"
#include "support/memfile.h"
#include "support/random.h"

/* ---- block_list ---- */

static size_t find_naively(const hsd_block_list *list, uint64_t ordinal)
{
    size_t best = list->count;
    for (size_t i = 0; i < list->count; i++) {
        if (list->refs[i].type == HSC_BLOCK_OBJECTS && list->refs[i].first_ordinal <= ordinal) best = i;
    }
    return best;
}

Test(block_list, finds_the_block_of_an_ordinal)
{
    test_random random = {test_seed(31)};
    for (unsigned round = 0; round < 200; round++) {
        hsd_block_list list = {0};
        hsd_fault fault;
        uint64_t ordinal = test_below(&random, 5);
        for (uint64_t blocks = test_below(&random, 40); blocks > 0; blocks--) {
            const uint8_t type = test_below(&random, 2) ? HSC_BLOCK_OBJECTS : HSC_BLOCK_EDGES;
            const hsd_block_ref ref = {.type = type, .first_ordinal = type == HSC_BLOCK_OBJECTS ? ordinal : 0};
            if (type == HSC_BLOCK_OBJECTS) ordinal += test_below(&random, 4);
            cr_assert_eq(hsd_block_list_add(&list, &ref, &fault), HSD_OK);
        }
        for (uint64_t o = 0; o < ordinal + 3; o++)
            cr_assert_eq(hsd_block_list_find_ordinal(&list, o), find_naively(&list, o));
        hsd_block_list_release(&list);
    }
}

Test(block_list, names_the_memory_that_suffices)
{
    hsd_block_list list = {.memory_bytes = 10000};
    hsd_fault fault = {0};
    hsd_error err;
    const hsd_block_ref ref = {.type = HSC_BLOCK_EDGES};
    hsd_status status = HSD_OK;
    while (status == HSD_OK)
        status = hsd_block_list_add(&list, &ref, &fault);
    cr_assert_eq(status, HSD_E_OVER_BUDGET);
    hsd_error_init(&err);
    cr_assert_eq(hsd_fault_raise(&fault, "x.hs", &err), HSD_E_OVER_BUDGET);
    cr_assert(strcmp(err.hint, "--memory 17M") == 0, "%s", err.hint);
    hsd_block_list_release(&list);
}

Test(block_list, takes_as_much_memory_as_it_may_have)
{
    const hsd_block_ref ref = {.type = HSC_BLOCK_EDGES};
    for (size_t most = 64; most <= 512; most *= 2) {
        hsd_block_list list = {.memory_bytes = most * sizeof ref};
        hsd_fault fault = {0};
        for (size_t i = 0; i < most; i++)
            cr_assert_eq(hsd_block_list_add(&list, &ref, &fault), HSD_OK, "%zu of %zu", i, most);
        cr_assert_eq(hsd_block_list_add(&list, &ref, &fault), HSD_E_OVER_BUDGET);
        cr_assert(list.count == most && list.capacity == most);
        hsd_block_list_release(&list);
    }
}

/* ---- id_set ---- */

Test(id_set, holds_what_was_put_in)
{
    hsd_id_set a = {0}, b = {0};
    const uint32_t ids[] = {0, 1, 63, 64, 32767, 32768, 8388607, 8388608, 0x7FFFFFFF};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        cr_assert(!hsd_id_set_has(&a, ids[i]));
        cr_assert_eq(hsd_id_set_add(&a, ids[i]), HSD_ID_ADDED);
        cr_assert_eq(hsd_id_set_add(&a, ids[i]), HSD_ID_THERE);
        cr_assert(hsd_id_set_has(&a, ids[i]));
        cr_assert_eq(hsd_id_set_first_missing(&a, &b), ids[i]);
        hsd_id_set_add(&b, ids[i]);
        cr_assert_eq(hsd_id_set_first_missing(&a, &b), UINT32_MAX);
    }
    cr_assert(!hsd_id_set_has(&a, 2));
    hsd_id_set_release(&a);
    hsd_id_set_release(&b);
}

/* ---- totals ---- */

Test(totals, sums_by_type_bucket_and_category)
{
    hsd_totals totals = {0};
    hsd_fault fault = {0};
    test_random random = {test_seed(32)};
    uint64_t objects[40][65] = {{0}}, bytes[40][65] = {{0}}, categories[8] = {0};
    for (unsigned i = 0; i < 20000; i++) {
        const uint64_t bits = test_below(&random, 41);
        hsd_object o = {.type = (uint32_t)test_below(&random, 40),
                        .size_bytes = bits == 0 ? 0 : test_next(&random) >> (64 - bits),
                        .category = (uint32_t)test_below(&random, 8),
                        .flags = (uint32_t)test_below(&random, 2),
                        .is_continuation = test_below(&random, 10) == 0};
        cr_assert_eq(hsd_totals_add_object(&totals, &o, &fault), HSD_OK);
        if (o.is_continuation || (o.flags & 1)) continue;
        unsigned bucket = 0;
        while (bucket < 64 && o.size_bytes >> bucket != 0)
            bucket++;
        objects[o.type][bucket]++;
        bytes[o.type][bucket] += o.size_bytes;
        categories[o.category]++;
    }
    hsd_totals_sort(&totals);
    size_t at = 0;
    for (uint32_t type = 0; type < 40; type++) {
        for (unsigned bucket = 0; bucket < 65; bucket++) {
            if (objects[type][bucket] == 0) continue;
            const hsd_total *t = &totals.entries[at++];
            cr_assert(!hsd_total_is_category(t) && hsd_total_id(t) == type && hsd_total_bucket(t) == bucket);
            cr_assert(t->objects == objects[type][bucket] && t->bytes == bytes[type][bucket]);
        }
    }
    for (uint32_t category = 1; category < 8; category++) {
        const hsd_total *t = &totals.entries[at++];
        cr_assert(hsd_total_is_category(t) && hsd_total_id(t) == category && t->objects == categories[category]);
    }
    cr_assert_eq(at, totals.used);
    hsd_totals_release(&totals);
}

Test(totals, know_the_edges_of_buckets_and_stay_within_their_memory)
{
    hsd_totals totals = {.memory_bytes = 100000};
    hsd_fault fault = {0};
    cr_assert_eq(hsd_size_bucket(0), 0);
    cr_assert_eq(hsd_size_bucket(1), 1);
    cr_assert_eq(hsd_size_bucket(2), 2);
    cr_assert_eq(hsd_size_bucket(3), 2);
    cr_assert_eq(hsd_size_bucket(UINT64_C(1) << 63), 64);
    hsd_status status = HSD_OK;
    for (uint32_t type = 0; status == HSD_OK; type++)
        status = hsd_totals_add_object(&totals, &(hsd_object){.type = type}, &fault);
    cr_assert_eq(status, HSD_E_OVER_BUDGET);
    hsd_totals_release(&totals);
}

Test(totals, find_what_was_taken)
{
    hsd_totals totals = {0};
    hsd_fault fault = {0};
    hsd_total *taken;
    cr_assert_null(hsd_totals_find(&totals, 8), "there is no table yet");
    for (uint64_t key = 8; key < 8000; key += 8) {
        cr_assert_null(hsd_totals_find(&totals, key));
        cr_assert_eq(hsd_totals_take(&totals, key, &taken, &fault), HSD_OK);
        taken->objects = key;
        for (uint64_t before = key % 24; before <= key; before += 24)
            cr_assert(before == 0 || hsd_totals_find(&totals, before)->objects == before);
    }
    hsd_totals_release(&totals);
}

/* ---- encode against columns ---- */

Test(encode, columns_come_back)
{
    static const uint64_t shapes[][4] = {
        {0, 0, 0, 0}, {7, 7, 7, 7}, {1, 255, 256, 65536}, {UINT64_MAX, 0, UINT32_MAX, UINT64_C(1) << 32}};
    for (size_t i = 0; i < 4; i++) {
        for (uint32_t count = 1; count <= 4; count++) {
            hsd_buffer payload = {0};
            hsd_block block = {.header = {.type = HSC_BLOCK_METRICS, .record_count = count}};
            hsd_columns columns;
            hsd_column_store store = {0};
            hsd_u64s values;
            hsd_fault fault;
            cr_assert_eq(hsd_encode_column(&payload, HSC_COL_VALUE_U64, shapes[i], count, NULL), HSD_OK);
            cr_assert_eq(payload.size == 0, i == 0, "zeros are left out");
            cr_assert_eq(hsd_buffer_reserve(&payload, 64, NULL), HSD_OK);
            block.payload = payload.data;
            block.header.raw_bytes = (uint32_t)payload.size;
            cr_assert_eq(hsd_columns_parse(&block, &columns, &fault), HSD_OK);
            cr_assert_eq(hsd_column_u64(&columns, &store, HSC_COL_VALUE_U64, count, &values, &fault), HSD_OK);
            for (uint32_t k = 0; k < count; k++)
                cr_assert_eq(hsd_u64s_get(values, k), shapes[i][k]);
            hsd_column_store_release(&store);
            hsd_buffer_release(&payload);
        }
    }
}

/* ---- fault ---- */

Test(fault, groups_digits)
{
    char text[HSD_DIGITS_BYTES];
    cr_assert_str_eq(hsd_group_digits(text, 0), "0");
    cr_assert_str_eq(hsd_group_digits(text, 999), "999");
    cr_assert_str_eq(hsd_group_digits(text, 1000), "1,000");
    cr_assert_str_eq(hsd_group_digits(text, 64313344), "64,313,344");
    cr_assert_str_eq(hsd_group_digits(text, UINT64_MAX), "18,446,744,073,709,551,615");
}

Test(fault, becomes_an_error_with_the_next_command)
{
    hsd_error err;
    hsd_fault fault = {.block = 7, .offset_bytes = 1234};
    cr_assert_eq(hsd_fault_corrupt(&fault, "4.4", "its %s", "checksum"), HSD_E_CORRUPT);
    hsd_error_init(&err);
    cr_assert_eq(hsd_fault_raise(&fault, "dir/after.hs", &err), HSD_E_CORRUPT);
    cr_assert_str_eq(err.text, "block 7 is damaged: its checksum (FORMAT.md 4.4)");
    cr_assert_str_eq(err.hint, "to use what is there: --partial; to keep a clean copy: hsdiff "
                               "salvage dir/after.hs -o dir/after-part.hs");
    cr_assert_str_eq(err.file, "dir/after.hs");
    cr_assert_eq(err.offset_bytes, 1234);
    fault.block = HSD_NO_BLOCK;
    hsd_error_init(&err);
    hsd_fault_raise(&fault, "noending", &err);
    cr_assert_str_eq(err.text, "damaged: its checksum (FORMAT.md 4.4)");
    cr_assert(strstr(err.hint, "noending-part.hs") != NULL);
    hsd_error_init(&err);
    hsd_fault_raise(&fault, "-", &err);
    cr_assert_str_eq(err.hint, "to use what is there: --partial");
    cr_assert_eq(hsd_fault_raise(&fault, NULL, NULL), HSD_E_CORRUPT, "nobody need listen");
}

/* ---- input ---- */

static void expect_bytes(const hsd_input *input, const char *expected)
{
    char bytes[64] = {0};
    cr_assert_eq(input->size_bytes, strlen(expected));
    cr_assert_eq(hsd_input_read(input, 0, bytes, strlen(expected), NULL), HSD_OK);
    cr_assert_str_eq(bytes, expected);
    cr_assert_eq(hsd_input_read(input, 3, bytes, 2, NULL), HSD_OK);
    cr_assert_arr_eq(bytes, expected + 3, 2);
}

Test(input, reads_files_and_pipes_at_any_place)
{
    hsd_input input;
    hsd_error err;
    int ends[2];
    memfile file = memfile_of("some bytes", 10);
    hsd_error_init(&err);
    cr_assert_eq(hsd_input_open(&input, file.path, NULL, &err), HSD_OK, "%s", err.text);
    expect_bytes(&input, "some bytes");
    hsd_input_close(&input);
    hsd_input_close(&input);
    cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
    cr_assert_eq(write(ends[1], "through a pipe", 14), 14);
    close(ends[1]);
    cr_assert_eq(hsd_input_open_fd(&input, ends[0], "pipe", NULL, &err), HSD_OK, "%s", err.text);
    expect_bytes(&input, "through a pipe");
    hsd_input_close(&input);
    memfile_close(&file);
}

Test(input, tells_what_is_wrong_with_a_file)
{
    hsd_input input;
    hsd_error err;
    char byte;
    hsd_error_init(&err);
    cr_assert_eq(hsd_input_open(&input, "/nowhere/at/all", NULL, &err), HSD_E_IO);
    cr_assert_eq(err.sys_errno, ENOENT);
    cr_assert_str_eq(err.file, "/nowhere/at/all");
    hsd_error_init(&err);
    cr_assert_eq(hsd_input_open(&input, "/tmp", NULL, &err), HSD_E_IO);
    cr_assert_eq(err.sys_errno, EISDIR);
    memfile file = memfile_of("short", 5);
    hsd_error_init(&err);
    cr_assert_eq(hsd_input_open(&input, file.path, NULL, &err), HSD_OK);
    memfile_set(&file, "sh", 2);
    cr_assert_eq(hsd_input_read(&input, 4, &byte, 1, &err), HSD_E_TRUNCATED, "it has become shorter");
    cr_assert_eq(err.offset_bytes, 4);
    hsd_input_close(&input);
    memfile_close(&file);
}

/* Eight bytes are enough to know an encrypted file by, which nobody without a key reads. */
Test(input, that_is_encrypted_needs_a_key)
{
    static const char start[] = "age-encryption.org/v1\n";
    for (size_t size = 0; size < sizeof start; size++) {
        hsd_input input;
        hsd_error err;
        memfile file = memfile_of(start, size);
        hsd_error_init(&err);
        const hsd_status status = hsd_input_open(&input, file.path, NULL, &err);
        cr_assert_eq(status == HSD_OK, size < 8, "%zu bytes: %s", size, err.text);
        hsd_input_close(&input);
        memfile_close(&file);
    }
}

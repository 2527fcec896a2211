/*
 * What salvage writes anew when it is more than one block holds: totals of types (512 a block), totals of categories
 * and roots and the index (8,192 a block), and what it copies when that is more than it reads at once.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "format/bytes.h"
#include "support/reseal.h"
#include "unit/format/legal.h"

enum { TYPES_A_BLOCK = 512, RECORDS_A_BLOCK = 8192, MOST_BLOCKS = 20000 };

static char path[64];
static hsd_error err;
static hsd_salvage_result result;

static void choose_path(void) { snprintf(path, sizeof path, "/tmp/hsdiff-salvage-blocks-%d.hs", (int)getpid()); }
static void remove_path(void) { unlink(path); }

TestSuite(salvage_blocks, .init = choose_path, .fini = remove_path);

static void salvage(forge *f)
{
    memfile file = forge_file(f);
    hsd_error_init(&err);
    cr_assert_eq(hsd_capture_salvage(file.path, path, true, NULL, &result, &err), HSD_OK, "%s", err.text);
    memfile_close(&file);
}

/* What was salvaged breaks no rule, and has blocks of this type with so many records each, and no others. */
static void expect_blocks(uint8_t type, const uint32_t *records, size_t count)
{
    static size_t offsets[MOST_BLOCKS];
    hsd_verify_result verified;
    size_t size, found = 0;
    cr_assert_eq(hsd_capture_verify(path, NULL, NULL, NULL, &verified, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(verified.faults, 0);
    uint8_t *bytes = memfile_read_all(path, &size);
    const size_t blocks = block_offsets(bytes, size, offsets, MOST_BLOCKS);
    cr_assert_eq(blocks, verified.blocks);
    for (size_t i = 0; i < blocks; i++) {
        const uint8_t *header = bytes + offsets[i];
        if (header[4] != type) continue;
        cr_assert_lt(found, count, "one block more");
        cr_assert_eq(hsd_get_u32(header + 8), records[found], "block %zu of them", found);
        found++;
    }
    cr_assert_eq(found, count);
    free(bytes);
}

#define EXPECT_BLOCKS(type, ...)                                                                                       \
    expect_blocks(type, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* ---- totals ---- */

/* Cut off behind its objects: so many types with objects of so many sizes each, from 0 on by powers of two. */
static forge with_types(uint32_t types, uint32_t sizes)
{
    const uint32_t objects = types * sizes;
    uint64_t *ids = calloc(objects, sizeof *ids), *of = calloc(objects, sizeof *of),
             *bytes = calloc(objects, sizeof *bytes);
    cr_assert(ids != NULL && of != NULL && bytes != NULL);
    for (uint32_t i = 0; i < objects; i++) {
        const uint32_t size = i / types;
        ids[i] = 8 * (uint64_t)i + 8;
        of[i] = types - i % types; /* descending */
        bytes[i] = size == 0 ? 0 : UINT64_C(1) << (size - 1);
    }
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    forge_column(&f, HSC_COL_ID, ids, objects);
    forge_column(&f, HSC_COL_TYPE, of, objects);
    forge_column(&f, HSC_COL_SIZE, bytes, objects);
    forge_column(&f, HSC_COL_NATIVE_SIZE, of, objects);
    forge_block(&f, HSC_BLOCK_OBJECTS, 0, objects, 0);
    free(ids);
    free(of);
    free(bytes);
    return f;
}

static void salvage_types(uint32_t types, uint32_t sizes)
{
    forge f = with_types(types, sizes);
    salvage(&f);
    cr_assert_eq(result.objects, types * sizes);
    forge_free(&f);
}

Test(salvage_blocks, totals_of_many_types)
{
    enum { T = HSC_BLOCK_TYPE_TOTALS, MOST = TYPES_A_BLOCK };
    salvage_types(1, 1);
    EXPECT_BLOCKS(T, 1);
    salvage_types(MOST - 1, 2);
    EXPECT_BLOCKS(T, MOST - 1);
    salvage_types(MOST, 2);
    EXPECT_BLOCKS(T, MOST);
    salvage_types(MOST + 1, 2);
    EXPECT_BLOCKS(T, MOST, 1);
    salvage_types(2 * MOST, 1);
    EXPECT_BLOCKS(T, MOST, MOST);
    salvage_types(2 * MOST + 1, 3);
    EXPECT_BLOCKS(T, MOST, MOST, 1);
}

/* All sizes that there are, so the sums of bytes stay at their most. */
Test(salvage_blocks, totals_of_many_types_with_all_buckets)
{
    salvage_types(TYPES_A_BLOCK + 1, HSC_HISTOGRAM_BUCKETS);
    EXPECT_BLOCKS(HSC_BLOCK_TYPE_TOTALS, TYPES_A_BLOCK, 1);
}

/* So many categories with an object each, and a root of each of `kinds` kinds. */
static void salvage_groups(uint32_t categories, uint32_t kinds)
{
    static uint64_t values[3 * RECORDS_A_BLOCK];
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    for (uint32_t i = 0; i < categories; i++)
        values[i] = 8 * (uint64_t)i + 8;
    forge_column(&f, HSC_COL_ID, values, categories);
    forge_column(&f, HSC_COL_SIZE, values, categories);
    for (uint32_t i = 0; i < categories; i++)
        values[i] = categories - i;
    forge_column(&f, HSC_COL_CATEGORY, values, categories);
    forge_block(&f, HSC_BLOCK_OBJECTS, 0, categories, 0);
    for (uint32_t i = 0; i < kinds; i++)
        values[i] = 11 - i;
    if (kinds > 0) {
        forge_column(&f, HSC_COL_KIND, values, kinds);
        forge_column(&f, HSC_COL_TARGET, values, kinds);
        forge_block(&f, HSC_BLOCK_ROOTS, 0, kinds, 0);
    }
    salvage(&f);
    cr_assert_eq(result.objects, categories);
    forge_free(&f);
}

Test(salvage_blocks, totals_of_many_categories_and_roots)
{
    enum { G = HSC_BLOCK_GROUP_TOTALS, MOST = RECORDS_A_BLOCK };
    salvage_groups(1, 0);
    EXPECT_BLOCKS(G, 1);
    salvage_groups(1, 12);
    EXPECT_BLOCKS(G, 13);
    salvage_groups(MOST, 0);
    EXPECT_BLOCKS(G, MOST);
    salvage_groups(MOST, 1);
    EXPECT_BLOCKS(G, MOST, 1);
    salvage_groups(MOST - 3, 3);
    EXPECT_BLOCKS(G, MOST);
    salvage_groups(MOST - 3, 5);
    EXPECT_BLOCKS(G, MOST, 2);
    salvage_groups(2 * MOST + 1, 12);
    EXPECT_BLOCKS(G, MOST, MOST, 13);
}

/* ---- the index ---- */

/* INFO and so many more blocks are kept. */
static void salvage_threads(uint32_t blocks)
{
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    for (uint32_t i = 0; i < blocks; i++) {
        FORGE(&f, HSC_COL_KEY, i + 1);
        forge_block(&f, HSC_BLOCK_THREADS, 0, 1, 0);
    }
    salvage(&f);
    cr_assert_eq(result.blocks_kept, 1 + blocks);
    forge_free(&f);
}

static void expect_threads(uint32_t threads)
{
    hsd_capture *capture;
    hsd_record_reader *reader;
    hsd_record record;
    cr_assert_eq(hsd_capture_open(&capture, path, HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_record_reader_open(&reader, capture, HSD_RECORD_THREAD, &err), HSD_OK);
    for (uint32_t i = 0; i < threads; i++) {
        cr_assert_eq(hsd_record_reader_next(reader, &record, &err), HSD_OK, "%s", err.text);
        cr_assert_eq(record.thread.id, i + 1);
    }
    cr_assert_eq(hsd_record_reader_next(reader, &record, &err), HSD_END);
    hsd_record_reader_close(reader);
    hsd_capture_close(capture);
}

Test(salvage_blocks, an_index_of_many_blocks)
{
    enum { I = HSC_BLOCK_INDEX, MOST = RECORDS_A_BLOCK };
    salvage_threads(MOST - 2);
    EXPECT_BLOCKS(I, MOST - 1);
    salvage_threads(MOST - 1);
    EXPECT_BLOCKS(I, MOST);
    expect_threads(MOST - 1);
    salvage_threads(MOST);
    EXPECT_BLOCKS(I, MOST, 1);
    expect_threads(MOST);
}

/* ---- copies ---- */

/* A sound capture of exactly so many bytes. */
static forge of_size(size_t wanted)
{
    static char text[2200000];
    size_t more = wanted - 1200;
    forge f;
    memset(text, 't', sizeof text);
    for (;;) {
        f = forge_begin();
        forge_info(&f, 0, 0);
        for (size_t put = 0; put < more; put += HSC_MAX_TEXT_BYTES) {
            const size_t length = more - put < HSC_MAX_TEXT_BYTES ? more - put : HSC_MAX_TEXT_BYTES;
            FORGE(&f, HSC_COL_KEY, 1 + put / HSC_MAX_TEXT_BYTES);
            FORGE(&f, HSC_COL_TEXT_BYTES, length);
            forge_raw_column(&f, HSC_COL_TEXT, HSC_CODING_BYTES, HSC_TRANSFORM_NONE, 0, (uint32_t)length, text, length);
            forge_block(&f, HSC_BLOCK_STRINGS, 0, 1, 0);
            f.end[HSC_END_STRINGS]++;
        }
        forge_finish(&f, HSC_STATE_COMPLETE);
        if (f.bytes.size == wanted) return f;
        more = more + wanted - f.bytes.size;
        forge_free(&f);
    }
}

Test(salvage_blocks, a_copy_is_the_same_whatever_its_size)
{
    static const size_t sizes[] = {(1 << 20) - 1, 1 << 20, (1 << 20) + 1, 2 << 20};
    for (size_t i = 0; i < HSD_ARRAY_LEN(sizes); i++) {
        size_t size;
        forge f = of_size(sizes[i]);
        salvage(&f);
        cr_assert(result.was_complete);
        uint8_t *bytes = memfile_read_all(path, &size);
        cr_assert(size == sizes[i] && memcmp(bytes, f.bytes.data, size) == 0, "%zu", sizes[i]);
        free(bytes);
        forge_free(&f);
    }
}

/* ---- what is not kept ---- */

/* Type totals of nothing are no summary. */
Test(salvage_blocks, totals_of_nothing_are_not_kept)
{
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    FORGE(&f, HSC_COL_KEY, 5);
    forge_block(&f, HSC_BLOCK_TYPE_TOTALS, 0, 1, 0);
    salvage(&f);
    expect_blocks(HSC_BLOCK_TYPE_TOTALS, NULL, 0);
    FORGE(&f, HSC_COL_KEY, 6);
    FORGE(&f, HSC_COL_COUNT, 1);
    forge_block(&f, HSC_BLOCK_TYPE_TOTALS, 0, 1, 0);
    salvage(&f);
    EXPECT_BLOCKS(HSC_BLOCK_TYPE_TOTALS, 1, 1);
    forge_free(&f);
}

/* A record that goes on with an object whose block is lost, though an object before it has the same id. */
Test(salvage_blocks, what_goes_on_with_a_lost_object_is_left_out)
{
    hsd_capture *capture;
    hsd_object_reader *reader;
    hsd_object object;
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    FORGE(&f, HSC_COL_ID, 1, 5);
    forge_block(&f, HSC_BLOCK_OBJECTS, 0, 2, 0);
    f.next_number++;
    FORGE(&f, HSC_COL_ID, 5, 6);
    FORGE(&f, HSC_COL_FLAGS, 0x80, 0);
    FORGE(&f, HSC_COL_REF_COUNT, 1, 1);
    FORGE(&f, HSC_COL_REF_TARGET, 1, 5);
    forge_block(&f, HSC_BLOCK_OBJECTS, 0, 2, 9);
    salvage(&f);
    cr_assert_eq(result.objects, 3);
    EXPECT_BLOCKS(HSC_BLOCK_OBJECTS, 2, 2);
    cr_assert_eq(hsd_capture_open(&capture, path, HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_capture_get_info(capture)->references, 1);
    cr_assert_eq(hsd_object_reader_open(&reader, capture, HSD_WANT_ALL, &err), HSD_OK);
    static const uint64_t ids[] = {1, 5, 6};
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(hsd_object_reader_next(reader, &object, &err), HSD_OK, "%s", err.text);
        cr_assert(object.id == ids[i] && !object.is_continuation && object.reference_count == (i == 2));
    }
    cr_assert_eq(hsd_object_reader_next(reader, &object, &err), HSD_END);
    hsd_object_reader_close(reader);
    hsd_capture_close(capture);
    forge_free(&f);
}

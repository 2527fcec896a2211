/*
 * Totals against the records that they are of, every number of them one too many and one too few, and what is told
 * then: all of it, and nothing else (FORMAT.md 6.14, 6.15, 6.20, 8.4). And numbers that nothing defines.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "format/header.h"
#include "format/object_block.h"
#include "unit/format/legal.h"

#define HALF (UINT64_C(1) << 63)

/* What a test changes one number of. */
static struct heap {
    uint64_t types[3][4];   /* type, objects, bytes, native bytes */
    uint64_t buckets[5][3]; /* bucket, objects, bytes: one of the first type, two of each other */
    uint64_t groups[5][4];  /* key, kind, count, bytes */
    uint64_t sites[2][4];   /* site, type, objects, bytes; how many of them: */
    size_t site_count, without_type, without_group;
    uint64_t counted_objects, counted_bytes, state;
} heap;

static const struct heap right = {
    .types = {{0, 1, 8, 0}, {5, 3, 47, 7}, {6, 2, HALF + 1, 2}},
    .buckets = {{4, 1, 8}, {0, 1, 0}, {5, 2, 47}, {1, 1, 1}, {64, 1, HALF}},
    .groups = {{1, 0, 2, 16}, {2, 0, 2, HALF + 31}, {3, 0, 1, 8}, {0, 1, 1, 0}, {11, 1, 2, 0}},
    .without_type = SIZE_MAX,
    .without_group = SIZE_MAX,
    .state = HSC_STATE_COMPLETE,
};

static void put_strings_and_types(forge *f)
{
    FORGE(f, HSC_COL_KEY, 1, 2, 3);
    FORGE(f, HSC_COL_TEXT_BYTES, 1, 1, 1);
    forge_text(f, HSC_COL_TEXT, "abc");
    forge_block(f, HSC_BLOCK_STRINGS, 0, 3, 0);
    f->end[HSC_END_STRINGS] = 3;
    FORGE(f, HSC_COL_KEY, 5, 6);
    FORGE(f, HSC_COL_TEXT_BYTES, 2, 1);
    forge_text(f, HSC_COL_TEXT, "Map");
    forge_block(f, HSC_BLOCK_TYPES, 0, 2, 0);
    f->end[HSC_END_TYPES] = 2;
    FORGE(f, HSC_COL_KEY, 1, 2);
    forge_block(f, HSC_BLOCK_SITES, 0, 2, 0);
    f->end[HSC_END_SITES] = 2;
}

/* Two blocks: three objects each, and a pseudo object, which is in no total. */
static void put_objects_and_roots(forge *f)
{
    FORGE(f, HSC_COL_ID, 8, 16, 24);
    FORGE(f, HSC_COL_TYPE, 5, 5, 5);
    FORGE(f, HSC_COL_SIZE, 0, 16, 31);
    FORGE(f, HSC_COL_NATIVE_SIZE, 7, 0, 0);
    FORGE(f, HSC_COL_CATEGORY, 1, 1, 2);
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 3, 0);
    FORGE(f, HSC_COL_ID, 32, 40, 48, 56);
    FORGE(f, HSC_COL_TYPE, 6, 5, 6, 0);
    FORGE(f, HSC_COL_SIZE, 1, 100, HALF, 8);
    FORGE(f, HSC_COL_NATIVE_SIZE, 2, 100, 0, 0);
    FORGE(f, HSC_COL_FLAGS, 0, HSD_OBJECT_PSEUDO, 0, 0);
    FORGE(f, HSC_COL_CATEGORY, 0, 1, 2, 3);
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 4, 3);
    f->end[HSC_END_OBJECTS] = 7;
    f->end[HSC_END_PSEUDO] = 1;
    f->end[HSC_END_BYTES] = HALF + 56;
    f->end[HSC_END_NATIVE_BYTES] = 9;
    FORGE(f, HSC_COL_KIND, 11, 0, 11);
    FORGE(f, HSC_COL_TARGET, 8, 16, 24);
    forge_block(f, HSC_BLOCK_ROOTS, 0, 3, 0);
    f->end[HSC_END_ROOTS] = 3;
}

/* Of `count` rows this number of each, but for those of the row `without`. */
static void put_rows(forge *f, unsigned column, const uint64_t *rows, size_t width, const size_t *owners, size_t count,
                     size_t without)
{
    uint64_t values[8];
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        if (owners[i] != without) values[used++] = rows[i * width];
    forge_column(f, column, values, used);
}

static const size_t each[] = {0, 1, 2, 3, 4}, of_type[] = {0, 1, 1, 2, 2};

static void put_type_totals(forge *f)
{
    static const uint64_t buckets[] = {1, 2, 2};
    static const unsigned columns[] = {HSC_COL_KEY, HSC_COL_COUNT, HSC_COL_BYTES, HSC_COL_NATIVE_BYTES},
                          of_buckets[] = {HSC_COL_BUCKET, HSC_COL_BUCKET_OBJECTS, HSC_COL_BUCKET_BYTES};
    for (size_t c = 0; c < 4; c++)
        put_rows(f, columns[c], &heap.types[0][c], 4, each, 3, heap.without_type);
    put_rows(f, HSC_COL_BUCKET_COUNT, buckets, 1, each, 3, heap.without_type);
    for (size_t c = 0; c < 3; c++)
        put_rows(f, of_buckets[c], &heap.buckets[0][c], 3, of_type, 5, heap.without_type);
    forge_block(f, HSC_BLOCK_TYPE_TOTALS, 0, heap.without_type < 3 ? 2 : 3, 0);
}

static void put_group_totals(forge *f)
{
    static const unsigned columns[] = {HSC_COL_KEY, HSC_COL_KIND, HSC_COL_COUNT, HSC_COL_BYTES};
    for (size_t c = 0; c < 4; c++)
        put_rows(f, columns[c], &heap.groups[0][c], 4, each, 5, heap.without_group);
    forge_block(f, HSC_BLOCK_GROUP_TOTALS, 0, heap.without_group < 5 ? 4 : 5, 0);
}

static void put_sites(forge *f)
{
    const unsigned columns[] = {HSC_COL_SITE, HSC_COL_KEY, HSC_COL_COUNT, HSC_COL_BYTES};
    for (size_t c = 0; c < 4; c++)
        put_rows(f, columns[c], &heap.sites[0][c], 4, each, heap.site_count, SIZE_MAX);
    forge_block(f, HSC_BLOCK_SITE_TOTALS, 0, (uint32_t)heap.site_count, 0);
}

static forge built(void)
{
    forge f = forge_begin();
    hsd_file_header_build(f.bytes.data, f.id, HSC_VERSION_MINOR_SITE_TOTALS);
    f.with_numbers = heap.state == HSC_STATE_SALVAGED;
    forge_info(&f, 0, 0);
    put_strings_and_types(&f);
    put_objects_and_roots(&f);
    if (heap.site_count > 0) put_sites(&f);
    put_type_totals(&f);
    put_group_totals(&f);
    f.end[HSC_END_COUNTED_OBJECTS] = heap.counted_objects;
    f.end[HSC_END_COUNTED_BYTES] = heap.counted_bytes;
    forge_finish(&f, heap.state);
    return f;
}

static void expect_told(const char *text)
{
    forge f = built();
    const char *told = forge_told(&f);
    cr_assert_str_eq(told, text, "told:\n%snot:\n%s", told, text);
    forge_free(&f);
}

/* One number of a row, so much more or less; what is told then. */
static void expect_of(uint64_t *number, uint64_t change, const char *text)
{
    *number += change;
    expect_told(text);
    *number -= change;
}

Test(verify_totals, are_right)
{
    heap = right;
    expect_told("");
}

Test(verify_totals, each_number_of_a_type_is_held)
{
    static const char *const of[] = {"6.14 of 7: the totals of type 0 are not those of its objects\n",
                                     "6.14 of 7: the totals of type 5 are not those of its objects\n",
                                     "6.14 of 7: the totals of type 6 are not those of its objects\n"};
    heap = right;
    for (size_t i = 0; i < 3; i++) {
        expect_of(&heap.types[i][3], 1, of[i]);
        if (heap.types[i][3] > 0) expect_of(&heap.types[i][3], UINT64_MAX, of[i]);
    }
    for (size_t i = 0; i < 5; i++) {
        const uint64_t bucket = heap.buckets[i][0];
        if (bucket < 64) expect_of(&heap.buckets[i][0], 1, of[of_type[i]]);
        if (bucket > 0) expect_of(&heap.buckets[i][0], UINT64_MAX, of[of_type[i]]);
        expect_of(&heap.buckets[i][1], 1, of[of_type[i]]);
        expect_of(&heap.buckets[i][2], 1, of[of_type[i]]);
        if (heap.buckets[i][2] > 0) expect_of(&heap.buckets[i][2], UINT64_MAX, of[of_type[i]]);
    }
    expect_of(&heap.buckets[2][1], UINT64_MAX, of[1]);
    expect_of(&heap.buckets[0][1], UINT64_MAX,
              "6.14 of 7: type 0 has an empty bucket\n6.14 of 7: the totals of type 0 are not those of its objects\n");
}

/* The sums of all are right, so those of each are asked. */
Test(verify_totals, objects_and_bytes_are_those_of_the_type)
{
    heap = right;
    heap.types[1][1]++;
    expect_of(&heap.types[2][1], UINT64_MAX,
              "6.14 of 7: the totals of type 5 are not those of its objects\n"
              "6.14 of 7: the same 1 more times in this block\n");
    heap = right;
    heap.types[1][2]--;
    expect_of(&heap.types[0][2], 1,
              "6.14 of 7: the totals of type 0 are not those of its objects\n"
              "6.14 of 7: the same 1 more times in this block\n");
    heap = right;
    expect_of(&heap.types[1][1], 1,
              "8.5 of 10: the type totals sum up to 7 objects with 9223372036854775864 bytes, the end record to 6 with "
              "9223372036854775864\n6.14 of 7: the totals of type 5 are not those of its objects\n");
    expect_of(&heap.types[1][2], UINT64_MAX,
              "8.5 of 10: the type totals sum up to 6 objects with 9223372036854775863 bytes, the end record to 6 with "
              "9223372036854775864\n6.14 of 7: the totals of type 5 are not those of its objects\n");
}

Test(verify_totals, one_that_is_missing_is_told)
{
    heap = right;
    heap.without_type = 1; /* its two buckets */
    heap.types[0][1] += 3, heap.types[0][2] += 47;
    expect_told("6.14 of 7: the totals of type 0 are not those of its objects\n"
                "6.14 of 10: 2 sums by type or category are missing in the totals\n");
    for (size_t i = 0; i < 3; i++) {
        heap = right;
        heap.without_group = i;
        expect_told("6.14 of 10: 1 sums by type or category are missing in the totals\n");
    }
    heap = right;
    heap.without_group = 3;
    expect_told("6.15 of 10: the total of root kind 0 is missing\n");
    heap.without_group = 4;
    expect_told("6.15 of 10: the total of root kind 11 is missing\n");
}

Test(verify_totals, each_number_of_a_group_is_held)
{
    static const char *const of[] = {"6.15 of 8: the total of category 1 is not that of its objects\n",
                                     "6.15 of 8: the total of category 2 is not that of its objects\n",
                                     "6.15 of 8: the total of category 3 is not that of its objects\n",
                                     "6.15 of 8: the total of root kind 0 is not that of its roots\n",
                                     "6.15 of 8: the total of root kind 11 is not that of its roots\n"};
    heap = right;
    for (size_t i = 0; i < 5; i++) {
        expect_of(&heap.groups[i][2], 1, of[i]);
        expect_of(&heap.groups[i][2], UINT64_MAX, of[i]);
        expect_of(&heap.groups[i][3], 1, of[i]);
        if (heap.groups[i][3] > 0) expect_of(&heap.groups[i][3], UINT64_MAX, of[i]);
    }
    /* Kinds that nobody knows yet have no roots. */
    expect_of(&heap.groups[4][0], 1,
              "6.15 of 8: the total of root kind 12 is not that of its roots\n"
              "6.15 of 10: the total of root kind 11 is missing\n");
    heap.groups[4][2] = 0;
    expect_of(&heap.groups[4][0], 1, "6.15 of 10: the total of root kind 11 is missing\n");
    /* A category without objects: the last, the first, and one between. */
    heap = right;
    heap.groups[0][0] = 0;
    expect_told("6.15 of 8: the total of category 0 is not that of its objects\n"
                "6.14 of 10: 1 sums by type or category are missing in the totals\n");
    heap = right;
    heap.groups[2][0] = 4;
    expect_told("6.15 of 8: the total of category 4 is not that of its objects\n"
                "6.14 of 10: 1 sums by type or category are missing in the totals\n"
                "6.2 of 8: string 4 is used and nowhere defined\n");
}

/* Where there is no object there is no category. */
Test(verify_totals, of_nothing_are_held)
{
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    legal_put_strings(&f);
    FORGE(&f, HSC_COL_KEY, 1);
    forge_block(&f, HSC_BLOCK_GROUP_TOTALS, 0, 1, 0);
    forge_finish(&f, HSC_STATE_COMPLETE);
    const char *told = forge_told(&f);
    cr_assert_str_eq(told, "6.15 of 2: the total of category 1 is not that of its objects\n", "%s", told);
    forge_free(&f);
}

/* ---- order ---- */

Test(verify_totals, ascend)
{
    heap = right;
    expect_of(&heap.types[2][0], UINT64_MAX, /* type 5 again */
              "6.14 of 7: the totals of type 5 do not stand in order\n"
              "6.14 of 7: the totals of type 5 are not those of its objects\n");
    heap = right;
    memcpy(heap.groups[1], heap.groups[0], sizeof heap.groups[0]);
    expect_told("6.15 of 8: the totals of group 1 do not stand in order\n");
    heap = right;
    memcpy(heap.groups[3], heap.groups[4], sizeof heap.groups[0]);
    expect_told("6.15 of 8: the totals of group 11 do not stand in order\n"
                "6.15 of 10: the total of root kind 0 is missing\n");
    heap = right;
    heap.buckets[2][0] = 0; /* as the one before */
    expect_told("6.14 of 7: the buckets of type 5 do not ascend\n"
                "6.14 of 7: the totals of type 5 are not those of its objects\n");
}

/* ---- objects that were only counted ---- */

Test(verify_totals, may_be_more_where_objects_were_counted)
{
    heap = right;
    heap.counted_objects = 2, heap.counted_bytes = 10;
    heap.types[1][1] += 2, heap.types[1][2] += 10;
    expect_told("");
    heap.types[1][1]++, heap.types[2][1]--; /* one less than its objects */
    expect_told("6.14 of 7: the totals of type 6 are not those of its objects\n");
    heap.types[1][1]--, heap.types[2][1]++;
    heap.types[1][2]++, heap.types[0][2]--;
    expect_told("6.14 of 7: the totals of type 0 are not those of its objects\n");
    heap.types[1][2]--, heap.types[0][2]++;
    expect_of(&heap.types[1][3], 1, "6.14 of 7: the totals of type 5 are not those of its objects\n");
    heap = right;
    heap.counted_objects = 2; /* of no size */
    heap.types[1][1] += 2;
    expect_told("");
    heap = right;
    heap.counted_bytes = 10;
    heap.types[1][2] += 10;
    expect_told("");
}

/* ---- what is known by site ---- */

/* Type 5 has two objects with 10 bytes more than there are records of. */
static void begin_sites(void)
{
    heap = right;
    heap.counted_objects = 2, heap.counted_bytes = 10;
    heap.types[1][1] += 2, heap.types[1][2] += 10;
    heap.site_count = 2;
    heap.sites[0][0] = 1, heap.sites[0][1] = 5, heap.sites[0][2] = 1, heap.sites[0][3] = 4;
    heap.sites[1][0] = 2, heap.sites[1][1] = 5, heap.sites[1][2] = 1, heap.sites[1][3] = 6;
}

Test(verify_totals, sites_have_what_has_no_records_at_most)
{
    static const char told[] = "6.20 of 8: the site totals of type 5 are more than its totals leave\n";
    begin_sites();
    expect_told("");
    for (size_t i = 0; i < 2; i++) {
        for (size_t number = 2; number < 4; number++) {
            expect_of(&heap.sites[i][number], UINT64_MAX, ""); /* not all of it need be known */
            expect_of(&heap.sites[i][number], 1, told);
        }
    }
    heap.sites[1][1] = 6, heap.sites[1][2] = 0, heap.sites[1][3] = 0; /* nothing is left of it, and nothing is said */
    expect_told("");
    expect_of(&heap.sites[1][2], 1, "6.20 of 8: the site totals of type 6 are more than its totals leave\n");
    expect_of(&heap.sites[1][3], 1, "6.20 of 8: the site totals of type 6 are more than its totals leave\n");
    heap.sites[1][1] = 0;
    expect_told("");
    expect_of(&heap.sites[1][3], 1, "6.20 of 8: the site totals of type 0 are more than its totals leave\n");
    heap.sites[1][1] = 5, heap.sites[1][0] = 0;
    expect_told("6.20 of 7: a site total of type 5 has no site\n");
}

/* A sum that stays at its most may be any that is greater (FORMAT.md 1.5). */
Test(verify_totals, what_a_sum_at_its_most_leaves_is_not_known)
{
    begin_sites();
    heap.types[2][2] = UINT64_MAX;
    heap.counted_bytes = HALF + 10;
    heap.sites[1][1] = 6, heap.sites[1][2] = 0, heap.sites[1][3] = HALF;
    expect_told("");
    heap.types[2][2] = UINT64_MAX - 1; /* leaves HALF - 3 */
    expect_told("6.20 of 8: the site totals of type 6 are more than its totals leave\n");
    heap.sites[1][3] = HALF - 3;
    expect_told("");
    heap.sites[1][3]++;
    expect_told("6.20 of 8: the site totals of type 6 are more than its totals leave\n");
}

/* What was salvaged may have lost its totals, and kept its sites. */
Test(verify_totals, of_sites_are_not_held_in_what_was_salvaged)
{
    begin_sites();
    heap.state = HSC_STATE_SALVAGED;
    heap.sites[0][2] = 99;
    expect_told("");
    heap.state = HSC_STATE_INCOMPLETE;
    expect_told("6.20 of 8: the site totals of type 5 are more than its totals leave\n");
}

/* ---- numbers that nothing defines ---- */

static void put_users(forge *f, uint64_t string, uint64_t type, uint64_t label, uint64_t site, uint64_t thread)
{
    FORGE(f, HSC_COL_ID, 8, 16);
    FORGE(f, HSC_COL_TYPE, 0, type);
    FORGE(f, HSC_COL_SITE, 0, site);
    FORGE(f, HSC_COL_NAME, 0, string);
    FORGE(f, HSC_COL_REF_COUNT, 1, 2);
    FORGE(f, HSC_COL_REF_TARGET, 8, 8, 16);
    FORGE(f, HSC_COL_REF_LABEL, 0, 0, label);
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 2, 0);
    FORGE(f, HSC_COL_PARENT, thread);
    FORGE(f, HSC_COL_TARGET, 8);
    forge_block(f, HSC_BLOCK_ROOTS, 0, 1, 0);
    f->end[HSC_END_OBJECTS] = 2;
    f->end[HSC_END_REFERENCES] = 3;
    f->end[HSC_END_ROOTS] = 1;
}

static void put_keys(forge *f, uint8_t type, unsigned counter, uint64_t key)
{
    FORGE(f, HSC_COL_KEY, key);
    forge_block(f, type, 0, 1, 0);
    f->end[counter]++;
}

/* Users first, in blocks 1 and 2, then what defines 1 and `most` of each table. */
static forge with_users(const uint64_t numbers[5], uint64_t most, uint64_t state)
{
    static const struct {
        uint8_t type;
        unsigned counter;
    } tables[] = {{HSC_BLOCK_STRINGS, HSC_END_STRINGS},
                  {HSC_BLOCK_TYPES, HSC_END_TYPES},
                  {HSC_BLOCK_LABELS, HSC_END_LABELS},
                  {HSC_BLOCK_SITES, HSC_END_SITES},
                  {HSC_BLOCK_THREADS, HSC_END_THREADS}};
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    put_users(&f, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
    for (size_t i = 0; i < HSD_ARRAY_LEN(tables); i++) {
        put_keys(&f, tables[i].type, tables[i].counter, 1);
        put_keys(&f, tables[i].type, tables[i].counter, most);
    }
    FORGE(&f, HSC_COL_KEY, 0, numbers[1]);
    FORGE(&f, HSC_COL_COUNT, 1, 1);
    FORGE(&f, HSC_COL_BUCKET_COUNT, 1, 1);
    FORGE(&f, HSC_COL_BUCKET, 0, 0);
    FORGE(&f, HSC_COL_BUCKET_OBJECTS, 1, 1);
    forge_block(&f, HSC_BLOCK_TYPE_TOTALS, 0, 2, 0);
    FORGE(&f, HSC_COL_KEY, 0);
    FORGE(&f, HSC_COL_KIND, 1);
    FORGE(&f, HSC_COL_COUNT, 1);
    forge_block(&f, HSC_BLOCK_GROUP_TOTALS, 0, 1, 0);
    forge_finish(&f, state);
    return f;
}

Test(verify_numbers, that_nothing_defines_are_told_where_they_are_used)
{
    static const char *const names[] = {"string", "type", "label", "site", "thread"}, *const rules[] = {"6.2", "6.3",
                                                                                                        "6.4", "6.5",
                                                                                                        "6.10"};
    static const uint64_t most[] = {HSC_MAX_TABLE_ID, 64, 2};
    for (size_t m = 0; m < HSD_ARRAY_LEN(most); m++) {
        uint64_t numbers[5] = {1, most[m], 1, most[m], 1};
        forge f = with_users(numbers, most[m], HSC_STATE_COMPLETE);
        cr_assert_str_eq(forge_told(&f), "");
        forge_free(&f);
        for (size_t i = 0; i < 5; i++) {
            char text[256];
            for (size_t k = 0; k < 5; k++)
                numbers[k] = 1;
            numbers[i] = most[m] - 1 > 1 ? most[m] - 1 : 3;
            f = with_users(numbers, most[m], HSC_STATE_COMPLETE);
            int size = snprintf(text, sizeof text, "%s of %d: %s %u is used and nowhere defined\n", rules[i],
                                i == 4 ? 2 : 1, names[i], (unsigned)numbers[i]);
            if (i == 1) /* its totals, too */
                snprintf(text + size, sizeof text - (size_t)size, "6.3 of 13: type %u is used and nowhere defined\n",
                         (unsigned)numbers[i]);
            const char *told = forge_told(&f);
            cr_assert_str_eq(told, text, "told:\n%snot:\n%s", told, text);
            forge_free(&f);
            f = with_users(numbers, most[m], HSC_STATE_INCOMPLETE);
            cr_assert_str_eq(forge_told(&f), "", "what was not written may define it");
            forge_free(&f);
        }
    }
}

/* One of each table in one capture: the second look tells of all of them. */
Test(verify_numbers, of_all_tables_may_be_undefined_at_once)
{
    const uint64_t numbers[5] = {3, 3, 3, 3, 3};
    forge f = with_users(numbers, 2, HSC_STATE_COMPLETE);
    const char *told = forge_told(&f);
    static const char *const rules[] = {"6.2 of 1: ", "6.3 of 1: ", "6.4 of 1: ", "6.5 of 1: ", "6.10 of 2: "};
    for (size_t i = 0; i < HSD_ARRAY_LEN(rules); i++)
        cr_assert_not_null(strstr(told, rules[i]), "%s is not told:\n%s", rules[i], told);
    forge_free(&f);
}

/* Lists of blocks grow by doubling from 64: the second look goes to the end of one that is full, and no further. */
Test(verify_numbers, are_looked_for_in_as_many_blocks_as_there_are)
{
    for (size_t blocks = 62; blocks <= 66; blocks++) {
        forge f = forge_begin();
        forge_info(&f, 0, 0);
        while (f.blocks.count < blocks - 3) {
            FORGE(&f, HSC_COL_KEY, f.blocks.count);
            forge_block(&f, HSC_BLOCK_THREADS, 0, 1, 0);
            f.end[HSC_END_THREADS]++;
        }
        FORGE(&f, HSC_COL_PARENT, 7000);
        forge_block(&f, HSC_BLOCK_FRAMES, 0, 1, 0);
        f.end[HSC_END_FRAMES] = 1;
        forge_finish(&f, HSC_STATE_COMPLETE);
        cr_assert_eq(f.blocks.count, blocks);
        char expected[80];
        snprintf(expected, sizeof expected, "6.10 of %zu: thread 7000 is used and nowhere defined\n", blocks - 3);
        cr_assert_str_eq(forge_told(&f), expected, "%s", forge_told(&f));
        forge_free(&f);
    }
}

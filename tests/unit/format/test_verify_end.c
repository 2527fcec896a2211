/*
 * The rules about the order of blocks, totals, INFO, END, index and trailer, each broken once; and how verify tells of
 * what it finds.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "unit/format/legal.h"

/* ---- order, totals, end, index, trailer ---- */

static void put_second_info(forge *f) { forge_info(f, 0, 0); }

static void put_more_objects(forge *f)
{
    legal_put_type_totals(f);
    FORGE(f, HSC_COL_KEY, 1);
    forge_block(f, HSC_BLOCK_THREADS, 0, 1, 0);
    f->end[HSC_END_THREADS]++;
}

Test(verify, holds_the_order_of_blocks)
{
    legal_expect(legal_with(put_second_info, NULL, NULL), "2.3", false);
    legal_expect(legal_with(NULL, NULL, put_more_objects), "2.3", false);
    forge f = forge_begin();
    legal_put_tables(&f);
    legal_put_objects(&f);
    legal_put_roots(&f);
    legal_put_end(&f);
    legal_expect(f, "2.3", true);
}

/* Totals of types and groups with one number wrong. */
static forge with_totals(const uint64_t types[4], const uint64_t buckets[6], uint64_t kind, uint64_t key,
                         uint64_t roots)
{
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    legal_put_tables(&f);
    legal_put_objects(&f);
    legal_put_roots(&f);
    FORGE(&f, HSC_COL_KEY, types[0]);
    FORGE(&f, HSC_COL_COUNT, types[1]);
    FORGE(&f, HSC_COL_BYTES, types[2]);
    FORGE(&f, HSC_COL_NATIVE_BYTES, types[3]);
    FORGE(&f, HSC_COL_BUCKET_COUNT, 2);
    FORGE(&f, HSC_COL_BUCKET, buckets[0], buckets[1]);
    FORGE(&f, HSC_COL_BUCKET_OBJECTS, buckets[2], buckets[3]);
    FORGE(&f, HSC_COL_BUCKET_BYTES, buckets[4], buckets[5]);
    forge_block(&f, HSC_BLOCK_TYPE_TOTALS, 0, 1, 0);
    FORGE(&f, HSC_COL_KEY, key);
    FORGE(&f, HSC_COL_KIND, kind);
    FORGE(&f, HSC_COL_COUNT, roots);
    forge_block(&f, HSC_BLOCK_GROUP_TOTALS, 0, 1, 0);
    forge_finish(&f, HSC_STATE_COMPLETE);
    return f;
}

#define TYPES(...)   ((const uint64_t[4]){__VA_ARGS__})
#define BUCKETS(...) ((const uint64_t[6]){__VA_ARGS__})

Test(verify, holds_totals_against_records)
{
    const uint64_t *types = TYPES(5, 2, 16, 0), *buckets = BUCKETS(0, 5, 1, 1, 0, 16);
    legal_expect(with_totals(types, buckets, 1, 2, 1), "", false);
    legal_expect(with_totals(TYPES(5, 3, 16, 0), buckets, 1, 2, 1), "8.5", false);
    legal_expect(with_totals(TYPES(5, 2, 16, 1), buckets, 1, 2, 1), "6.14", false);
    legal_expect(with_totals(TYPES(0, 2, 16, 0), buckets, 1, 2, 1), "6.14", false);
    legal_expect(with_totals(types, BUCKETS(0, 4, 1, 1, 0, 16), 1, 2, 1), "6.14", false);
    legal_expect(with_totals(types, BUCKETS(5, 0, 1, 1, 16, 0), 1, 2, 1), "6.14", false);
    legal_expect(with_totals(types, BUCKETS(0, 5, 2, 0, 0, 16), 1, 2, 1), "6.14", false);
    legal_expect(with_totals(types, BUCKETS(0, 65, 1, 1, 0, 16), 1, 2, 1), "6.14", true);
    legal_expect(with_totals(types, buckets, 1, 2, 2), "6.15", false);
    legal_expect(with_totals(types, buckets, 1, 3, 1), "6.15", false);
    legal_expect(with_totals(types, buckets, 0, 1, 1), "6.15", false);
    legal_expect(with_totals(types, buckets, 9, 9, 9), "6.15",
                 false); /* another kind is ignored: that of the root is missing */
}

static void put_many_buckets(forge *f)
{
    FORGE(f, HSC_COL_BUCKET_COUNT, 66);
    forge_block(f, HSC_BLOCK_TYPE_TOTALS, 0, 1, 0);
}

static void put_totals_out_of_order(forge *f)
{
    FORGE(f, HSC_COL_KEY, 7, 6);
    forge_block(f, HSC_BLOCK_TYPE_TOTALS, 0, 2, 0);
}

static void put_groups_out_of_order(forge *f)
{
    legal_put_type_totals(f);
    FORGE(f, HSC_COL_KIND, 1, 0);
    forge_block(f, HSC_BLOCK_GROUP_TOTALS, 0, 2, 0);
}

Test(verify, holds_the_order_of_totals)
{
    legal_expect(legal_with(NULL, NULL, put_many_buckets), "6.14", true);
    legal_expect(legal_with(NULL, NULL, put_totals_out_of_order), "6.14", false);
    legal_expect(legal_with(NULL, NULL, put_groups_out_of_order), "6.15", false);
}

Test(verify, holds_the_end_record_against_the_file)
{
    for (unsigned key = HSC_END_OBJECTS; key <= HSC_END_LOST; key++) {
        forge f = forge_begin();
        forge_info(&f, 0, 0);
        legal_put_tables(&f);
        legal_put_objects(&f);
        legal_put_roots(&f);
        f.end[key]++;
        legal_put_end(&f);
        /* What the index tells too is held when a capture is opened. */
        const bool is_sum = key == HSC_END_PSEUDO || key == HSC_END_REFERENCES || key == HSC_END_BYTES ||
                            key == HSC_END_NATIVE_BYTES || key == HSC_END_LOST;
        legal_expect(f, "8.4", !is_sum);
    }
    forge f = legal_capture();
    forge_free(&f);
    f = forge_begin();
    forge_info(&f, 0, 0);
    legal_put_tables(&f);
    legal_put_objects(&f);
    legal_put_roots(&f);
    legal_put_type_totals(&f);
    legal_put_group_totals(&f);
    forge_finish(&f, 4);
    legal_expect(f, "8.4", true);
}

Test(verify, holds_index_and_trailer_against_the_file)
{
    forge f = legal_capture();
    const size_t index = (size_t)f.blocks.refs[f.blocks.count - 2].offset_bytes;
    f.bytes.data[index + 56 + 12 + 5] ^= 1; /* an offset */
    forge_reseal(&f);
    legal_expect(f, "9.1", true);

    f = legal_capture();
    f.bytes.data[f.bytes.size - 32] ^= 1;
    forge_reseal(&f);
    legal_expect(f, "9.3", true);

    f = legal_capture();
    f.bytes.data[f.bytes.size - 24] ^= 1;
    forge_reseal(&f);
    legal_expect(f, "9.3", true);

    f = legal_capture();
    f.bytes.data[f.bytes.size - 32] ^= 1;
    legal_expect(f, "9.3", true);

    f = legal_capture();
    f.bytes.data[f.bytes.size - 10] ^= 1;
    legal_expect(f, "9.2", true);

    f = legal_capture();
    cr_assert_eq(hsd_buffer_append(&f.bytes, "!", 1, NULL), HSD_OK);
    legal_expect(f, "9.4", true);

    f = legal_capture();
    f.bytes.size -= 5;
    legal_expect(f, "2.1", true);

    f = forge_begin();
    forge_info(&f, 0, 0);
    legal_expect(f, "2.1", true);
}

Test(verify, a_trailer_that_is_damaged_was_not_cut_off)
{
    hsd_error err;
    forge f = legal_capture();
    f.bytes.data[f.bytes.size - 10] ^= 1;
    cr_assert_eq(forge_read(&f, HSD_DAMAGE_REFUSE, &err), HSD_E_CORRUPT, "%s", err.text);
    cr_assert(strstr(err.text, "9.2)") != NULL, "%s", err.text);
    forge_free(&f);
}

Test(verify, wants_numbers_in_the_index_of_salvaged_captures_alone)
{
    for (int with_numbers = 0; with_numbers < 2; with_numbers++) {
        for (uint64_t state = HSC_STATE_COMPLETE; state <= HSC_STATE_SALVAGED; state++) {
            forge f = forge_begin();
            f.with_numbers = with_numbers;
            forge_info(&f, 0, 0);
            legal_put_tables(&f);
            legal_put_objects(&f);
            legal_put_roots(&f);
            legal_put_type_totals(&f);
            legal_put_group_totals(&f);
            forge_finish(&f, state);
            const bool is_right = with_numbers == (state == HSC_STATE_SALVAGED);
            legal_expect(f, is_right ? "" : "9.1", !is_right);
        }
    }
}

/* ---- INFO and END ---- */

static forge with_info(void (*put)(forge *f))
{
    forge f = forge_begin();
    put(&f);
    const uint32_t facts = f.facts;
    forge_block(&f, HSC_BLOCK_INFO, 0, facts, 0);
    legal_put_tables(&f);
    legal_put_objects(&f);
    legal_put_roots(&f);
    legal_put_end(&f);
    return f;
}

static void info_of_another(forge *f) { forge_bytes(f, HSC_INFO_CAPTURE_ID, "fedcba9876543210", 16); }
static void info_without_id(forge *f) { forge_number(f, HSC_INFO_PID, 4); }

static void info_with_targets_2(forge *f)
{
    forge_bytes(f, HSC_INFO_CAPTURE_ID, f->id, 16);
    forge_number(f, HSC_INFO_TARGETS, 2);
}

static void info_with_short_number(forge *f)
{
    forge_bytes(f, HSC_INFO_CAPTURE_ID, f->id, 16);
    forge_bytes(f, HSC_INFO_PID, "1234", 4);
}

static void info_with_short_domain(forge *f)
{
    forge_bytes(f, HSC_INFO_CAPTURE_ID, f->id, 16);
    forge_bytes(f, HSC_INFO_DOMAIN, "1234", 4);
}

static void info_out_of_order(forge *f)
{
    forge_bytes(f, HSC_INFO_CAPTURE_ID, f->id, 16);
    forge_number(f, HSC_INFO_PID, 1);
    forge_number(f, HSC_INFO_PID, 1);
}

static void info_with_reserved(forge *f)
{
    forge_bytes(f, HSC_INFO_CAPTURE_ID, f->id, 16);
    f->payload.data[2] = 1;
}

static void info_with_more_entries(forge *f)
{
    forge_bytes(f, HSC_INFO_CAPTURE_ID, f->id, 16);
    f->facts++;
}

static void info_that_ends_early(forge *f)
{
    forge_bytes(f, HSC_INFO_CAPTURE_ID, f->id, 16);
    f->payload.size -= 3;
}

static void info_with_a_bit_more(forge *f)
{
    forge_bytes(f, HSC_INFO_CAPTURE_ID, f->id, 16);
    cr_assert_eq(hsd_buffer_append(&f->payload, "abc", 3, NULL), HSD_OK);
}

static void info_with_long_text(forge *f)
{
    static const char text[HSC_MAX_FACT_TEXT_BYTES + 1] = "long";
    forge_bytes(f, HSC_INFO_CAPTURE_ID, f->id, 16);
    forge_bytes(f, HSC_INFO_RUNTIME, text, sizeof text);
}

static void info_of_a_later_version(forge *f)
{
    forge_bytes(f, HSC_INFO_CAPTURE_ID, f->id, 16);
    forge_bytes(f, 999, "anything", 8);
}

Test(verify, holds_the_rules_of_entries)
{
    legal_expect(with_info(info_of_another), "8.2", true);
    legal_expect(with_info(info_without_id), "8.2", true);
    legal_expect(with_info(info_with_targets_2), "8.2", true);
    legal_expect(with_info(info_with_short_number), "8.2", true);
    legal_expect(with_info(info_with_short_domain), "8.2", true);
    legal_expect(with_info(info_out_of_order), "8.1", true);
    legal_expect(with_info(info_with_reserved), "8.1", true);
    legal_expect(with_info(info_with_more_entries), "8.1", true);
    legal_expect(with_info(info_that_ends_early), "8.1", true);
    legal_expect(with_info(info_with_a_bit_more), "8.1", true);
    legal_expect(with_info(info_with_long_text), "10.6", true);
    legal_expect(with_info(info_of_a_later_version), "", false);
}

/* ---- how it tells ---- */

typedef struct told {
    unsigned calls;
    char texts[4][64];
} told;

static void tell(void *context, const char *rule, uint64_t offset_bytes, uint64_t block, const char *text)
{
    told *t = context;
    (void)rule, (void)offset_bytes, (void)block;
    if (t->calls < 4) snprintf(t->texts[t->calls], sizeof t->texts[0], "%s", text);
    t->calls++;
}

Test(verify, tells_a_rule_once_a_block_and_counts_the_rest)
{
    told t = {0};
    hsd_error err;
    hsd_verify_result result;
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    FORGE(&f, HSC_COL_KEY, 7, 7, 7, 7);
    forge_block(&f, HSC_BLOCK_STRINGS, 0, 4, 0);
    f.end[HSC_END_STRINGS] = 4;
    forge_finish(&f, HSC_STATE_COMPLETE);
    memfile file = forge_file(&f);
    hsd_error_init(&err);
    cr_assert_eq(hsd_capture_verify(file.path, NULL, tell, &t, &result, &err), HSD_OK);
    cr_assert_eq(result.faults, 3);
    cr_assert_eq(t.calls, 2);
    cr_assert_str_eq(t.texts[0], "string 7 is defined twice");
    cr_assert_str_eq(t.texts[1], "the same 2 more times in this block");
    cr_assert_eq(result.blocks, 4);
    cr_assert_eq(result.bytes, f.bytes.size);
    memfile_close(&file);
    forge_free(&f);
}

Test(verify, goes_on_after_a_fault)
{
    told t = {0};
    hsd_error err;
    hsd_verify_result result;
    forge f = legal_capture();
    f.bytes.data[f.blocks.refs[2].offset_bytes + 60] ^= 1;
    f.bytes.data[f.blocks.refs[5].offset_bytes + 60] ^= 1;
    memfile file = forge_file(&f);
    hsd_error_init(&err);
    cr_assert_eq(hsd_capture_verify(file.path, NULL, tell, &t, &result, &err), HSD_OK);
    cr_assert_eq(result.faults, 2);
    cr_assert_eq(result.blocks, f.blocks.count - 2);
    memfile_close(&file);
    forge_free(&f);
}

/* Fewer slots than ids: the file is read in parts, and the answer is the same. */
Test(verify, finds_equal_ids_with_little_memory)
{
    hsd_error err;
    hsd_verify_result result;
    static uint64_t ids[20000];
    for (int with_twin = 0; with_twin < 2; with_twin++) {
        const hsd_run run = {.memory_bytes = 65536};
        for (size_t i = 0; i < 20000; i++)
            ids[i] = 8 * i;
        if (with_twin) ids[19999] = ids[77];
        forge f = forge_begin();
        forge_info(&f, 0, 0);
        forge_column(&f, HSC_COL_ID, ids, 20000);
        forge_block(&f, HSC_BLOCK_OBJECTS, 0, 20000, 0);
        f.end[HSC_END_OBJECTS] = 20000;
        FORGE(&f, HSC_COL_COUNT, 20000);
        FORGE(&f, HSC_COL_BUCKET_COUNT, 1);
        FORGE(&f, HSC_COL_BUCKET_OBJECTS, 20000);
        forge_block(&f, HSC_BLOCK_TYPE_TOTALS, 0, 1, 0);
        forge_finish(&f, HSC_STATE_COMPLETE);
        memfile file = forge_file(&f);
        hsd_error_init(&err);
        cr_assert_eq(hsd_capture_verify(file.path, &run, NULL, NULL, &result, &err), HSD_OK, "%s", err.text);
        cr_assert_eq(result.faults, (uint64_t)with_twin);
        memfile_close(&file);
        forge_free(&f);
    }
}

/* The hash of verify_ids.c, for ids that are made to fall into one part. */
static uint64_t mix(uint64_t id)
{
    id ^= id >> 32;
    id *= UINT64_C(0xD6E8FEB86659FD93);
    id ^= id >> 32;
    id *= UINT64_C(0xD6E8FEB86659FD93);
    return id ^ id >> 32;
}

Test(verify, asks_for_memory_when_ids_are_made_to_collide)
{
    hsd_error err;
    static uint64_t ids[20000];
    const hsd_run run = {.memory_bytes = 65536};
    uint64_t id = 0;
    for (size_t i = 0; i < 20000; i++) {
        while ((mix(++id) >> 40) % 20 != 0)
            continue; /* 20 parts of 4,096 slots */
        ids[i] = id;
    }
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    forge_column(&f, HSC_COL_ID, ids, 20000);
    forge_block(&f, HSC_BLOCK_OBJECTS, 0, 20000, 0);
    forge_finish(&f, HSC_STATE_COMPLETE);
    memfile file = forge_file(&f);
    hsd_error_init(&err);
    cr_assert_eq(hsd_capture_verify(file.path, &run, NULL, NULL, NULL, &err), HSD_E_OVER_BUDGET, "%s", err.text);
    cr_assert(strcmp(err.hint, "--memory 17M") == 0, "%s", err.hint);
    cr_assert_str_eq(err.text, "telling its object ids apart needs more memory: 17 MiB suffice");
    memfile_close(&file);
    forge_free(&f);
}

static bool refuse(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)context, (void)stage, (void)done, (void)total;
    return false;
}

Test(verify, can_be_cancelled_and_needs_a_file)
{
    hsd_error err;
    const hsd_run run = {.progress = refuse};
    forge f = legal_capture();
    memfile file = forge_file(&f);
    hsd_error_init(&err);
    cr_assert_eq(hsd_capture_verify(file.path, &run, NULL, NULL, NULL, &err), HSD_E_CANCELLED);
    memfile_close(&file);
    forge_free(&f);
    f = forge_begin(); /* without objects, at whose ids one could be cancelled again */
    forge_info(&f, 0, 0);
    legal_put_types(&f);
    forge_finish(&f, HSC_STATE_COMPLETE);
    file = forge_file(&f);
    hsd_error_init(&err);
    cr_assert_eq(hsd_capture_verify(file.path, &run, NULL, NULL, NULL, &err), HSD_E_CANCELLED);
    hsd_error_init(&err);
    cr_assert_eq(hsd_capture_verify("/nowhere/x.hs", NULL, NULL, NULL, NULL, &err), HSD_E_IO);
    memfile_set(&file, "not a capture", 13);
    hsd_error_init(&err);
    cr_assert_eq(hsd_capture_verify(file.path, NULL, NULL, NULL, NULL, &err), HSD_E_NOT_THIS_FORMAT);
    memfile_close(&file);
    forge_free(&f);
}

Test(verify, counts_blocks_and_their_records)
{
    hsd_error err;
    hsd_verify_result result;
    forge f = legal_capture();
    uint64_t records = 0;
    for (size_t i = 0; i < f.blocks.count; i++)
        records += f.blocks.refs[i].record_count;
    memfile file = forge_file(&f);
    hsd_error_init(&err);
    cr_assert_eq(hsd_capture_verify(file.path, NULL, NULL, NULL, &result, &err), HSD_OK);
    cr_assert(result.faults == 0 && result.blocks == f.blocks.count && result.records == records, "%llu blocks, %llu",
              (unsigned long long)result.blocks, (unsigned long long)result.records);
    memfile_close(&file);
    forge_free(&f);
}

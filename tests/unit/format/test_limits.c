/*
 * What is exactly as much as FORMAT.md allows is read, and one more is refused: sizes, numbers of columns and kinds,
 * pieces without a byte at the end of a payload, the descriptor 0.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "format/block.h"
#include "format/bytes.h"
#include "format/fault.h"
#include "format/record_block.h"
#include "format/totals.h"
#include "unit/format/legal.h"

/* The legal capture behind this INFO. */
static forge with_info(forge f)
{
    forge_block(&f, HSC_BLOCK_INFO, 0, f.facts, 0);
    legal_put_tables(&f);
    legal_put_objects(&f);
    legal_put_roots(&f);
    legal_put_end(&f);
    return f;
}

static forge begin_info(void)
{
    forge f = forge_begin();
    forge_bytes(&f, HSC_INFO_CAPTURE_ID, f.id, sizeof f.id);
    return f;
}

/* ---- headers ---- */

/* As a later version may write it. */
static forge with_header_of(size_t size)
{
    forge f = forge_begin();
    cr_assert_eq(hsd_buffer_reserve(&f.bytes, size, NULL), HSD_OK);
    memset(f.bytes.data + f.bytes.size, 0, size - f.bytes.size);
    f.bytes.size = size;
    hsd_put_u32(f.bytes.data + 12, (uint32_t)size);
    forge_info(&f, 0, 0);
    legal_put_tables(&f);
    legal_put_objects(&f);
    legal_put_roots(&f);
    legal_put_end(&f);
    forge_reseal(&f);
    return f;
}

Test(limits, of_the_file_header)
{
    legal_expect(with_header_of(HSC_MAX_FILE_HEADER_BYTES), "", false);
    forge f = with_header_of(HSC_MAX_FILE_HEADER_BYTES + 1);
    hsd_error err;
    cr_expect_str_eq(forge_verify(&f), "corrupt");
    cr_expect_eq(forge_read(&f, HSD_DAMAGE_REFUSE, &err), HSD_E_CORRUPT);
    cr_expect_not_null(strstr(err.text, "3.5)"), "%s", err.text);
    forge_free(&f);
}

Test(limits, every_type_of_block_has_a_name)
{
    unsigned kinds = 0;
    for (unsigned type = 0; type <= UINT8_MAX; type++) {
        const bool is_known =
            (type > 0 && type <= HSC_BLOCK_END) || (type >= HSC_BLOCK_LIVE_TOTALS && type <= HSC_BLOCK_SITE_TOTALS);
        cr_expect_eq(strcmp(hsd_block_type_name((uint8_t)type), "unknown records") != 0, is_known, "%u", type);
        const hsd_record_kind kind = hsd_record_block_kind((uint8_t)type);
        if (kind == HSD_RECORD_KINDS) continue;
        cr_expect_eq(hsd_record_block_type(kind), type);
        kinds++;
    }
    cr_expect_eq(kinds, HSD_RECORD_KINDS);
    cr_expect_eq(hsd_record_block_type(HSD_RECORD_KINDS), HSC_BLOCK_INFO, "there is none");
}

/* What is opened goes by the index. */
static forge with_ordinals_of_index(uint64_t second, uint64_t third)
{
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    legal_put_tables(&f);
    legal_put_objects(&f);
    for (uint64_t first = 2; first <= 3; first++) {
        FORGE(&f, HSC_COL_ID, 0x20 + 0x10 * (first - 1));
        FORGE(&f, HSC_COL_TYPE, 5);
        forge_block(&f, HSC_BLOCK_OBJECTS, 0, 1, first);
    }
    f.blocks.refs[f.blocks.count - 2].first_ordinal = second;
    f.blocks.refs[f.blocks.count - 1].first_ordinal = third;
    f.end[HSC_END_OBJECTS] = 4;
    legal_put_roots(&f);
    FORGE(&f, HSC_COL_KEY, 5);
    FORGE(&f, HSC_COL_COUNT, 4);
    FORGE(&f, HSC_COL_BYTES, 16);
    FORGE(&f, HSC_COL_BUCKET_COUNT, 2);
    FORGE(&f, HSC_COL_BUCKET, 0, 5);
    FORGE(&f, HSC_COL_BUCKET_OBJECTS, 3, 1);
    FORGE(&f, HSC_COL_BUCKET_BYTES, 0, 16);
    forge_block(&f, HSC_BLOCK_TYPE_TOTALS, 0, 1, 0);
    legal_put_group_totals(&f);
    forge_finish(&f, HSC_STATE_COMPLETE);
    return f;
}

Test(limits, of_ordinals_in_the_index)
{
    static const uint64_t wrong[][2] = {{4, 4}, {0, 3}, {2, 1}, {2, 4}, {2, HSC_MAX_OBJECTS}};
    hsd_error err;
    legal_expect(with_ordinals_of_index(2, 3), "", false);
    for (size_t i = 0; i < HSD_ARRAY_LEN(wrong); i++) {
        forge f = with_ordinals_of_index(wrong[i][0], wrong[i][1]);
        cr_expect_str_neq(forge_verify(&f), "", "%zu", i);
        cr_expect_eq(forge_read(&f, HSD_DAMAGE_REFUSE, &err), HSD_E_CORRUPT, "%zu: %s", i, err.text);
        cr_expect_not_null(strstr(err.text, "4.10)"), "%zu: %s", i, err.text);
        forge_free(&f);
    }
}

Test(limits, of_types_in_the_index)
{
    static const uint8_t wrong[] = {0, HSC_BLOCK_TYPES, HSC_BLOCK_END, 17};
    hsd_error err;
    for (size_t i = 0; i < sizeof wrong; i++) {
        forge f = forge_begin();
        forge_info(&f, 0, 0);
        legal_put_tables(&f);
        legal_put_objects(&f);
        f.blocks.refs[f.blocks.count - 1].type = wrong[i];
        legal_put_roots(&f);
        legal_put_end(&f);
        cr_expect_str_neq(forge_verify(&f), "", "%u", wrong[i]);
        cr_expect_eq(forge_read(&f, HSD_DAMAGE_REFUSE, &err), HSD_E_CORRUPT, "%u: %s", wrong[i], err.text);
        if (wrong[i] == 0) cr_expect_not_null(strstr(err.text, "9.1)"), "%s", err.text);
        forge_free(&f);
    }
}

Test(limits, of_kinds_of_records)
{
    forge f = legal_capture();
    memfile file = forge_file(&f);
    hsd_capture *capture;
    hsd_record_reader *reader;
    hsd_error err;
    hsd_error_init(&err);
    cr_assert_eq(hsd_capture_open_fd(&capture, file.fd, "x.hs", HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK);
    for (unsigned kind = 0; kind < HSD_RECORD_KINDS; kind++) {
        cr_expect_eq(hsd_record_reader_open(&reader, capture, (hsd_record_kind)kind, &err), HSD_OK, "%u", kind);
        hsd_record_reader_close(reader);
    }
    cr_expect_eq(hsd_record_reader_open(&reader, capture, HSD_RECORD_KINDS, &err), HSD_E_MISUSE);
    hsd_capture_close(capture);
    forge_free(&f);
}

/* ---- facts ---- */

static forge with_text(size_t size)
{
    static char text[HSC_MAX_FACT_TEXT_BYTES + 1];
    memset(text, 'x', sizeof text);
    forge f = begin_info();
    forge_bytes(&f, HSC_INFO_RUNTIME, text, size);
    forge_number(&f, HSC_INFO_FACTS, 0);
    forge_number(&f, HSC_INFO_TARGETS, 0);
    return with_info(f);
}

/* An entry that nobody knows yet, or a text of a baseline, stands last. */
static forge with_empty_text_last(unsigned key)
{
    forge f = begin_info();
    forge_number(&f, HSC_INFO_FACTS, 0);
    forge_number(&f, HSC_INFO_TARGETS, 0);
    forge_bytes(&f, key, "", 0);
    return with_info(f);
}

Test(limits, of_facts)
{
    legal_expect(with_text(HSC_MAX_FACT_TEXT_BYTES), "", false);
    legal_expect(with_text(HSC_MAX_FACT_TEXT_BYTES + 1), "10.6", true);
    legal_expect(with_empty_text_last(HSC_INFO_WHY_NO_PLACES), "", false);
    legal_expect(with_empty_text_last(999), "", false);
    forge f = begin_info();
    f.with_later_entry = true;
    forge_number(&f, HSC_INFO_FACTS, 0);
    forge_number(&f, HSC_INFO_TARGETS, 0);
    legal_expect(with_info(f), "", false);
}

/* Each text of INFO comes back, as long as it may be. */
Test(limits, of_texts)
{
    static const unsigned keys[] = {HSC_INFO_PRODUCER, HSC_INFO_RUNTIME, HSC_INFO_PROCESS_NAME, HSC_INFO_SOURCE_FORMAT};
    for (size_t k = 0; k < HSD_ARRAY_LEN(keys); k++) {
        hsd_capture *capture;
        hsd_error err;
        static char text[HSC_MAX_FACT_TEXT_BYTES + 1];
        memset(text, 'a' + (int)k, HSC_MAX_FACT_TEXT_BYTES);
        forge f = begin_info();
        forge_bytes(&f, keys[k], text, strlen(text));
        forge_number(&f, HSC_INFO_FACTS, 0);
        forge_number(&f, HSC_INFO_TARGETS, 0);
        f = with_info(f);
        memfile file = forge_file(&f);
        cr_assert_eq(hsd_capture_open_fd(&capture, file.fd, "x.hs", HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s",
                     err.text);
        const hsd_capture_info *info = hsd_capture_get_info(capture);
        const char *const texts[] = {info->producer, info->runtime, info->process_name, info->source_format};
        for (size_t i = 0; i < HSD_ARRAY_LEN(keys); i++)
            cr_assert_str_eq(texts[i], i == k ? text : "", "key %u", keys[i]);
        hsd_capture_close(capture);
        forge_free(&f);
    }
}

Test(limits, of_kinds_of_identity)
{
    static const hsd_identity expected[] = {HSD_IDENTITY_NONE, 1, 2, HSD_IDENTITY_MOVING, HSD_IDENTITY_NONE};
    for (uint64_t identity = 0; identity < HSD_ARRAY_LEN(expected); identity++) {
        hsd_capture *capture;
        hsd_error err;
        forge f = begin_info();
        forge_number(&f, HSC_INFO_FACTS, 0);
        forge_number(&f, HSC_INFO_IDENTITY, identity);
        forge_number(&f, HSC_INFO_TARGETS, 0);
        f = with_info(f);
        memfile file = forge_file(&f);
        hsd_error_init(&err);
        cr_assert_eq(hsd_capture_open_fd(&capture, file.fd, "x.hs", HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s",
                     err.text);
        cr_expect_eq(hsd_capture_get_info(capture)->identity, expected[identity], "%u", (unsigned)identity);
        hsd_capture_close(capture);
        forge_free(&f);
    }
}

/* ---- columns ---- */

static struct {
    unsigned id, shift;
    const char *data;
    size_t size;
} added;

static void put_added_column(forge *f)
{
    FORGE(f, HSC_COL_ID, 0x10, 0x20);
    FORGE(f, HSC_COL_TYPE, 5, 5);
    FORGE(f, HSC_COL_SIZE, 16, 0);
    forge_raw_column(f, added.id, HSC_CODING_PACKED, HSC_TRANSFORM_NONE, added.shift, 2, added.data, added.size);
    if (added.id < HSC_COL_REF_COUNT) {
        FORGE(f, HSC_COL_REF_COUNT, 1, 0);
        FORGE(f, HSC_COL_REF_TARGET, 0x20);
        FORGE(f, HSC_COL_REF_LABEL, 9);
    }
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 2, 0);
    legal_count_objects(f);
    if (added.id > HSC_COL_REF_COUNT) f->end[HSC_END_REFERENCES] = 0;
}

static void expect_added(const char *rule, unsigned id, unsigned shift, const char *data, size_t size)
{
    added.id = id, added.shift = shift, added.data = data, added.size = size;
    legal_expect(legal_with(NULL, put_added_column, NULL), rule, rule[0] != '\0');
}

/* Columns of bytes have nothing done to them. */
static void put_changed_text(forge *f)
{
    FORGE(f, HSC_COL_KEY, 7);
    FORGE(f, HSC_COL_TEXT_BYTES, 3);
    forge_raw_column(f, HSC_COL_TEXT, HSC_CODING_BYTES, added.id, added.shift, 3, "Set", 3);
    forge_block(f, HSC_BLOCK_TYPES, 0, 1, 0);
    f->end[HSC_END_TYPES]++;
}

static void expect_changed_text(const char *rule, unsigned transform, unsigned shift)
{
    added.id = transform, added.shift = shift;
    legal_expect(legal_with(put_changed_text, NULL, NULL), rule, rule[0] != '\0');
}

static void put_empty_column_last(forge *f)
{
    FORGE(f, HSC_COL_ID, 0x10, 0x20);
    legal_put_object_columns(f);
    forge_raw_column(f, 128, HSC_CODING_BYTES, HSC_TRANSFORM_NONE, 0, 0, "", 0);
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 2, 0);
    legal_count_objects(f);
}

Test(limits, of_columns)
{
    expect_added("", HSC_COL_CONTENT, 63, "\0\x01\0", 3);
    expect_added("5.8", HSC_COL_CONTENT, 64, "\0\x01\0", 3);
    for (unsigned id = HSC_COL_UNREACHED_BYTES + 1; id < 128; id++)
        expect_added("5.2", id, 0, "\0\x01\0", 3);
    legal_expect(legal_with(NULL, put_empty_column_last, NULL), "", false);
    expect_changed_text("", HSC_TRANSFORM_NONE, 0);
    expect_changed_text("5.8", HSC_TRANSFORM_NONE, 1);
    expect_changed_text("5.8", HSC_TRANSFORM_DELTA, 0);
    expect_changed_text("5.8", HSC_TRANSFORM_DELTA, 1);
}

/* ---- records ---- */

static uint64_t references;

static void put_many_references(forge *f)
{
    uint64_t *values = calloc((size_t)references, sizeof *values);
    cr_assert_not_null(values);
    FORGE(f, HSC_COL_ID, 0x10, 0x20);
    FORGE(f, HSC_COL_TYPE, 5, 5);
    FORGE(f, HSC_COL_SIZE, 16, 0);
    FORGE(f, HSC_COL_REF_COUNT, references, 0);
    for (uint64_t i = 0; i < references; i++)
        values[i] = 0x20;
    forge_column(f, HSC_COL_REF_TARGET, values, (size_t)references);
    for (uint64_t i = 0; i < references; i++)
        values[i] = 9;
    forge_column(f, HSC_COL_REF_LABEL, values, (size_t)references);
    free(values);
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 2, 0);
    legal_count_objects(f);
    f->end[HSC_END_REFERENCES] = references;
}

Test(limits, of_references)
{
    references = HSC_MAX_REFERENCES;
    legal_expect(legal_with(NULL, put_many_references, NULL), "", false);
    references = HSC_MAX_REFERENCES + 1;
    legal_expect(legal_with(NULL, put_many_references, NULL), "10.4", true);
}

static uint64_t root_kind;

/* A second root, of this kind. */
static void put_root_of_kind(forge *f)
{
    FORGE(f, HSC_COL_KIND, root_kind);
    FORGE(f, HSC_COL_TEXT_ID, 1);
    FORGE(f, HSC_COL_TARGET, 0x10);
    forge_block(f, HSC_BLOCK_ROOTS, 0, 1, 0);
    f->end[HSC_END_ROOTS]++;
}

/* And a total of so many roots of `key`. */
static forge with_root_total(uint64_t kind, uint64_t key, uint64_t count)
{
    forge f = forge_begin();
    root_kind = kind;
    forge_info(&f, 0, 0);
    legal_put_tables(&f);
    legal_put_objects(&f);
    legal_put_roots(&f);
    put_root_of_kind(&f);
    legal_put_type_totals(&f);
    const bool is_first = key < 2; /* they ascend */
    FORGE(&f, HSC_COL_KEY, is_first ? key : 2, is_first ? 2 : key);
    FORGE(&f, HSC_COL_KIND, 1, 1);
    FORGE(&f, HSC_COL_COUNT, is_first ? count : 1, is_first ? 1 : count);
    forge_block(&f, HSC_BLOCK_GROUP_TOTALS, 0, 2, 0);
    forge_finish(&f, HSC_STATE_COMPLETE);
    return f;
}

Test(limits, of_kinds_of_roots)
{
    legal_expect(with_root_total(1, 1, 1), "", false);
    legal_expect(with_root_total(HSD_ROOT_KINDS - 1, HSD_ROOT_KINDS - 1, 1), "", false);
    legal_expect(with_root_total(HSD_ROOT_KINDS - 1, HSD_ROOT_KINDS - 1, 2), "6.15", false);
    legal_expect(with_root_total(HSD_ROOT_KINDS, 0, 1), "", false); /* read as 0 */
    legal_expect(with_root_total(HSD_ROOT_KINDS, HSD_ROOT_KINDS, 1), "6.15", false);
    legal_expect(with_root_total(UINT32_MAX, 0, 1), "", false);
}

/* ---- totals ---- */

static forge with_type_total(const uint64_t *buckets, const uint64_t *objects, const uint64_t *bytes, size_t count)
{
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    legal_put_tables(&f);
    legal_put_objects(&f);
    legal_put_roots(&f);
    FORGE(&f, HSC_COL_KEY, 5);
    FORGE(&f, HSC_COL_COUNT, 2);
    FORGE(&f, HSC_COL_BYTES, 16);
    FORGE(&f, HSC_COL_BUCKET_COUNT, count);
    forge_column(&f, HSC_COL_BUCKET, buckets, count);
    forge_column(&f, HSC_COL_BUCKET_OBJECTS, objects, count);
    forge_column(&f, HSC_COL_BUCKET_BYTES, bytes, count);
    forge_block(&f, HSC_BLOCK_TYPE_TOTALS, 0, 1, 0);
    legal_put_group_totals(&f);
    forge_finish(&f, HSC_STATE_COMPLETE);
    return f;
}

#define WITH_BUCKETS(count, ...)                                                                                       \
    with_type_total((const uint64_t[3][4]){__VA_ARGS__}[0], (const uint64_t[3][4]){__VA_ARGS__}[1],                    \
                    (const uint64_t[3][4]){__VA_ARGS__}[2], count)

Test(limits, of_buckets)
{
    uint64_t many[HSC_HISTOGRAM_BUCKETS + 1];
    for (size_t i = 0; i < HSD_ARRAY_LEN(many); i++)
        many[i] = i;
    legal_expect(WITH_BUCKETS(2, {0, 5}, {1, 1}, {0, 16}), "", false);
    legal_expect(WITH_BUCKETS(2, {5, 5}, {1, 1}, {0, 16}), "6.14", false);
    legal_expect(WITH_BUCKETS(1, {5}, {1}, {16}), "6.14", false);
    legal_expect(WITH_BUCKETS(3, {0, 5, 6}, {1, 1, 1}, {0, 16, 0}), "6.14", false);
    legal_expect(with_type_total(many, many, many, HSC_HISTOGRAM_BUCKETS), "6.14", false);
    legal_expect(with_type_total(many, many, many, HSC_HISTOGRAM_BUCKETS + 1), "6.14", true);
}

/* ---- files ---- */

Test(limits, a_file_may_be_called_so)
{
    static const struct {
        const char *file, *part;
    } cases[] = {{"a.hs", "a.hs -o a-part.hs"}, {".hs", ".hs -o .hs-part.hs"}, {"ahs", "ahs -o ahs-part.hs"}};
    hsd_error err;
    char name[182];
    for (size_t i = 0; i < HSD_ARRAY_LEN(cases); i++) {
        hsd_error_init(&err);
        hsd_fault_hint(cases[i].file, &err);
        const char *at = strstr(err.hint, "salvage ");
        cr_expect(at != NULL && strcmp(at + strlen("salvage "), cases[i].part) == 0, "%s: %s", cases[i].file, err.hint);
    }
    memset(name, 'x', sizeof name);
    name[181] = '\0';
    hsd_error_init(&err);
    hsd_fault_hint(name, &err);
    cr_expect_null(strstr(err.hint, "salvage"), "%s", err.hint);
    name[180] = '\0';
    hsd_fault_hint(name, &err);
    cr_expect_not_null(strstr(err.hint, "salvage"), "%s", err.hint);
}

Test(limits, eight_bytes_are_known)
{
    forge f = legal_capture();
    cr_expect(hsd_capture_probe(f.bytes.data, 8));
    cr_expect_not(hsd_capture_probe(f.bytes.data, 7));
    forge_free(&f);
}

/* Where a program has no standard input its first file is that. */
Test(limits, a_capture_may_be_the_descriptor_zero)
{
    forge f = legal_capture();
    memfile file = forge_file(&f);
    hsd_capture *capture;
    hsd_error err;
    hsd_error_init(&err);
    close(STDIN_FILENO);
    cr_assert_eq(hsd_capture_open(&capture, file.path, HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    cr_expect_neq(fcntl(STDIN_FILENO, F_GETFD), -1);
    hsd_capture_close(capture);
    cr_expect_eq(fcntl(STDIN_FILENO, F_GETFD), -1, "it is closed");
    memfile_close(&file);
    forge_free(&f);
}

/* ---- lists ---- */

/* Lists of blocks grow by doubling from 64: they may be full. */
Test(limits, a_list_of_blocks_may_be_full)
{
    hsd_error err;
    for (unsigned more = 61; more <= 63; more++) {
        forge f = forge_begin();
        forge_info(&f, 0, 0);
        legal_put_tables(&f);
        legal_put_objects(&f);
        legal_put_roots(&f);
        for (uint64_t i = f.blocks.count; i < more - 3; i++) {
            FORGE(&f, HSC_COL_KEY, i);
            forge_block(&f, HSC_BLOCK_THREADS, 0, 1, 0);
            f.end[HSC_END_THREADS]++;
        }
        legal_put_end(&f);
        cr_assert_eq(f.blocks.count, more + 1);
        cr_assert_str_eq(forge_told(&f), "");
        cr_assert_eq(forge_read(&f, HSD_DAMAGE_REFUSE, &err), HSD_OK, "%s", err.text);
        cr_assert_eq(forge_read(&f, HSD_DAMAGE_SKIP, &err), HSD_OK, "%s", err.text);
        forge_free(&f);
    }
}

/* The last type that a later version may use for what readers skip. */
Test(limits, a_block_may_be_of_the_last_type)
{
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    legal_put_tables(&f);
    legal_put_objects(&f);
    FORGE(&f, HSC_COL_KEY, 1);
    forge_block(&f, 255, 0, 1, 0);
    legal_put_roots(&f);
    legal_put_end(&f);
    legal_expect(f, "", false);
}

/* ---- many buckets ---- */

static void expect_buckets(uint32_t types, uint64_t last, const char *rule)
{
    hsd_error err;
    static uint64_t keys[HSC_MAX_REFERENCES], buckets[HSC_MAX_REFERENCES + 1];
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < types; i++) {
        keys[i] = i;
        buckets[i] = i + 1 < types ? 64 : last;
        sum += buckets[i];
    }
    forge_column(&f, HSC_COL_KEY, keys, types);
    forge_column(&f, HSC_COL_BUCKET_COUNT, buckets, types);
    for (uint64_t i = 0; i < sum; i++)
        buckets[i] = i % 64;
    forge_column(&f, HSC_COL_BUCKET, buckets, (size_t)sum);
    forge_block(&f, HSC_BLOCK_TYPE_TOTALS, 0, types, 0);
    forge_finish(&f, HSC_STATE_COMPLETE);
    const hsd_status status = forge_read(&f, HSD_DAMAGE_REFUSE, &err);
    cr_assert_eq(status, rule[0] == '\0' ? HSD_OK : HSD_E_CORRUPT, "%s", err.text);
    cr_assert(rule[0] == '\0' || strstr(err.text, rule) != NULL, "%s", err.text);
    forge_free(&f);
}

Test(limits, of_buckets_of_a_block)
{
    expect_buckets(HSC_MAX_REFERENCES / 64, 64, "");
    expect_buckets(HSC_MAX_REFERENCES / 64 + 1, 1, "10.4)");
}

/* ---- what the machine refuses ---- */

Test(limits, a_failed_read_is_told_with_its_place)
{
    uint8_t bytes[8];
    hsd_error err;
    hsd_input input = {.fd = open("/dev/null", O_WRONLY)};
    cr_assert_geq(input.fd, 0);
    hsd_error_init(&err);
    cr_assert_eq(hsd_input_read(&input, 77, bytes, sizeof bytes, &err), HSD_E_IO);
    cr_assert_eq(err.offset_bytes, 77);
    cr_assert_eq(hsd_input_read(&input, 77, bytes, sizeof bytes, NULL), HSD_E_IO);
    close(input.fd);
}

/* A text has its NUL, and so has one of no bytes, whatever stands behind it. */
Test(limits, a_text_may_be_empty)
{
    hsd_capture *capture;
    hsd_record_reader *reader;
    hsd_record record;
    hsd_error err;
    static const char *const expected[] = {"", "ab", "", "c", ""};
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    FORGE(&f, HSC_COL_KEY, 1, 2, 3, 4, 5);
    FORGE(&f, HSC_COL_TEXT_BYTES, 0, 2, 0, 1, 0);
    forge_text(&f, HSC_COL_TEXT, "abc");
    forge_block(&f, HSC_BLOCK_STRINGS, 0, 5, 0);
    f.end[HSC_END_STRINGS] = 5;
    forge_finish(&f, HSC_STATE_COMPLETE);
    memfile file = forge_file(&f);
    cr_assert_eq(hsd_capture_open_fd(&capture, file.fd, "x.hs", HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_record_reader_open(&reader, capture, HSD_RECORD_STRING, &err), HSD_OK);
    for (size_t i = 0; i < HSD_ARRAY_LEN(expected); i++) {
        cr_assert_eq(hsd_record_reader_next(reader, &record, &err), HSD_OK, "%s", err.text);
        cr_assert_str_eq(record.string.text.data, expected[i]);
        cr_assert_eq(record.string.text.size, strlen(expected[i]));
    }
    hsd_record_reader_close(reader);
    hsd_capture_close(capture);
    forge_free(&f);
}

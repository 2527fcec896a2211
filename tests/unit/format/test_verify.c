/*
 * Every rule that verify can find broken, broken once: a small legal capture, changed in one place. Where reading
 * depends on the rule, reading must refuse the capture too. Here headers, columns and records; the rest in
 * test_verify_end.c.
 */
#include <criterion/criterion.h>

#include "unit/format/legal.h"

Test(verify, finds_nothing_in_a_legal_capture) { legal_expect(legal_capture(), "", false); }

/* ---- headers of blocks ---- */

/* The legal capture with one byte of the header of block `block` changed and everything sealed again. */
static forge with_header_byte(size_t block, size_t offset, uint8_t value)
{
    forge f = legal_capture();
    f.bytes.data[f.blocks.refs[block].offset_bytes + offset] = value;
    forge_reseal(&f);
    return f;
}

enum { OBJECTS = 4, ROOTS = 5 };

Test(verify, holds_the_rules_of_block_headers)
{
    legal_expect(with_header_byte(OBJECTS, 16, 3), "4.5", true);
    legal_expect(with_header_byte(OBJECTS, 16, 9), "4.5", true);
    legal_expect(with_header_byte(OBJECTS, 4, 17), "4.6", true);
    legal_expect(with_header_byte(OBJECTS, 4, 0), "4.6", true);
    legal_expect(with_header_byte(OBJECTS, 5, 2), "4.7", true);
    legal_expect(with_header_byte(OBJECTS, 5, 1), "4.7", true);
    legal_expect(with_header_byte(OBJECTS, 32, 1), "4.7", true);
    legal_expect(with_header_byte(OBJECTS, 6, 4), "4.8", true);
    legal_expect(with_header_byte(OBJECTS, 6, 2), "4.8", true);
    legal_expect(with_header_byte(OBJECTS, 6, 1), "4.8", true);
    legal_expect(with_header_byte(ROOTS, 6, 1), "4.8", true);
    legal_expect(with_header_byte(OBJECTS, 8, 0), "4.9", true);
    legal_expect(with_header_byte(OBJECTS, 24, 1), "4.10", true);
    legal_expect(with_header_byte(ROOTS, 24, 1), "4.10", true);
    legal_expect(with_header_byte(OBJECTS, 31, 1), "10.8", true);
    legal_expect(with_header_byte(OBJECTS, 12, 1), "4.11", true);
    legal_expect(with_header_byte(OBJECTS, 10, 2), "10.3", true);
    legal_expect(with_header_byte(0, 5, 1), "4.7", true);
}

Test(verify, skips_types_of_later_versions)
{
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    legal_put_tables(&f);
    forge_number(&f, 77, 77);
    forge_block(&f, 200, 0xFFFF, 70000, 5);
    f.next_number--;
    f.blocks.count--;
    forge_free(&f);
    f = forge_begin();
    forge_info(&f, 0, 0);
    legal_put_tables(&f);
    legal_put_objects(&f);
    forge_number(&f, 77, 77);
    forge_block(&f, 200, 0xFFFF, 5, 5);
    legal_put_roots(&f);
    legal_put_end(&f);
    legal_expect(f, "", false);
}

Test(verify, finds_bytes_that_differ_from_their_checksums)
{
    static const struct {
        size_t block, offset;
        const char *rule;
    } places[] = {
        {OBJECTS, 0, "4.2"}, {OBJECTS, 20, "4.3"}, {OBJECTS, 45, "4.4"}, {OBJECTS, 50, "4.3"}, {OBJECTS, 60, "4.4"}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        forge f = legal_capture();
        f.bytes.data[f.blocks.refs[places[i].block].offset_bytes + places[i].offset] ^= 0x40;
        legal_expect(f, places[i].rule, true);
    }
}

Test(verify, reads_on_behind_a_damaged_file_header)
{
    forge f = legal_capture();
    f.bytes.data[40] ^= 1;
    legal_expect(f, "3.3", true);
    f = legal_capture();
    f.bytes.data[0] ^= 1;
    legal_expect(f, "3.2", true);
    f = legal_capture();
    f.bytes.data[8] = 2;
    forge_reseal(&f);
    legal_expect(f, "too_new", true);
}

/* ---- columns: the block of objects is put together by hand ---- */

/* SIZE of the two objects as it is given, everything else legal. */
static struct raw_column {
    unsigned id, coding, transform, shift;
    uint32_t count;
    const char *data;
    size_t size;
} raw;

static void put_raw_objects(forge *f)
{
    FORGE(f, HSC_COL_ID, 0x10, 0x20);
    FORGE(f, HSC_COL_TYPE, 5, 5);
    forge_raw_column(f, raw.id, raw.coding, raw.transform, raw.shift, raw.count, raw.data, raw.size);
    FORGE(f, HSC_COL_REF_COUNT, 1, 0);
    FORGE(f, HSC_COL_REF_TARGET, 0x20);
    FORGE(f, HSC_COL_REF_LABEL, 9);
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 2, 0);
    legal_count_objects(f);
}

static void expect_column(const char *rule, unsigned id, unsigned coding, unsigned transform, unsigned shift,
                          uint32_t count, const char *data, size_t size)
{
    raw = (struct raw_column){id, coding, transform, shift, count, data, size};
    legal_expect(legal_with(NULL, put_raw_objects, NULL), rule, rule[0] != '\0');
}

Test(verify, holds_the_rules_of_columns)
{
    expect_column("", HSC_COL_SIZE, 1, 0, 0, 2, "\0\x10\0", 3);
    expect_column("", HSC_COL_SIZE, 1, 0, 4, 2, "\0\x01\0", 3);
    expect_column("", HSC_COL_SIZE, 1, 1, 0, 2, "\0\x20\x1F", 3);
    expect_column("", HSC_COL_SIZE, 1, 1, 3, 2, "\0\x04\x03", 3);
    expect_column("5.4", HSC_COL_SIZE, 0, 0, 0, 2, "\x10\0\0\0", 4);
    expect_column("5.3", HSC_COL_SIZE, 0, 0, 0, 3, "\x10\0\0\0\0\0\0\0", 8);
    expect_column("5.3", HSC_COL_SIZE, 1, 0, 0, 0, "", 0);
    expect_column("5.5", HSC_COL_SIZE, 1, 0, 0, 2, "\0\x10\0\0", 4);
    expect_column("5.5", HSC_COL_SIZE, 1, 0, 0, 2, "", 0);
    expect_column("5.5", HSC_COL_SIZE, 1, 0, 0, 2, "\x03\x10\0", 3);
    expect_column("5.5", HSC_COL_SIZE, 1, 0, 0, 2, "\x10\x10\0", 3);
    expect_column("5.6", HSC_COL_SIZE, 2, 0, 0, 2, "ab", 2);
    expect_column("5.6", HSC_COL_SIZE, 3, 0, 0, 2, "ab", 2);
    expect_column("5.7", HSC_COL_SIZE, 1, 2, 0, 2, "\0\x10\0", 3);
    expect_column("5.7", HSC_COL_SIZE, 1, 3, 0, 2, "\0\x10\0", 3);
    expect_column("5.8", HSC_COL_SIZE, 1, 0, 64, 2, "\0\x10\0", 3);
    expect_column("5.2", HSC_COL_KEY, 1, 0, 0, 2, "\0\x10\0", 3);
    expect_column("5.2", 100, 1, 0, 0, 2, "\0\x10\0", 3);
    expect_column("5.2", HSC_COL_TYPE, 1, 0, 0, 2, "\0\x05\x05", 3);
    expect_column("5.9", HSC_COL_SITE, 1, 0, 0, 2, "\x02\0\0\0\x80\0", 6);
    expect_column("5.9", HSC_COL_AGE, 1, 0, 1, 2, "\x02\0\0\0\x80\0", 6);
    expect_column("5.9", HSC_COL_AGE, 0, 0, 0, 2, "\0\0\0\0\x01\0\0\0", 8);
    expect_column("5.9", HSC_COL_AGE, 1, 1, 0, 2, "\0\x01\0", 3);
    expect_column("10.6", HSC_COL_VALUE_BYTES, 0, 0, 0, 2, "\x01\x10\0\0\0\0\0\0", 8);
    expect_column("5.3", HSC_COL_VALUE_BYTES, 0, 0, 0, 2, "\x01\0\0\0\0\0\0\0", 8);
    expect_column("5.3", HSC_COL_VALUE, 2, 0, 0, 2, "ab", 2);
}

static void put_columns_that_do_not_end(forge *f)
{
    FORGE(f, HSC_COL_ID, 0x10, 0x20);
    legal_put_object_columns(f);
    f->payload.size -= 2;
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 2, 0);
    legal_count_objects(f);
}

static void put_columns_and_more(forge *f)
{
    FORGE(f, HSC_COL_ID, 0x10, 0x20);
    legal_put_object_columns(f);
    cr_assert_eq(hsd_buffer_append(&f->payload, "more", 4, NULL), HSD_OK);
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 2, 0);
    legal_count_objects(f);
}

static void put_reserved_byte(forge *f)
{
    FORGE(f, HSC_COL_ID, 0x10, 0x20);
    f->payload.data[3] = 1;
    legal_put_object_columns(f);
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 2, 0);
    legal_count_objects(f);
}

static void put_later_column(forge *f)
{
    FORGE(f, HSC_COL_ID, 0x10, 0x20);
    legal_put_object_columns(f);
    forge_raw_column(f, 200, 15, 15, 255, 99, "any", 3);
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 2, 0);
    legal_count_objects(f);
}

Test(verify, holds_columns_against_their_payload)
{
    legal_expect(legal_with(NULL, put_columns_that_do_not_end, NULL), "5.1", true);
    legal_expect(legal_with(NULL, put_columns_and_more, NULL), "5.1", true);
    legal_expect(legal_with(NULL, put_reserved_byte, NULL), "5.8", true);
    legal_expect(legal_with(NULL, put_later_column, NULL), "", false);
}

/* ---- objects ---- */

static void put_equal_ids(forge *f)
{
    FORGE(f, HSC_COL_ID, 0x10, 0x10);
    legal_put_object_columns(f);
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 2, 0);
    legal_count_objects(f);
}

static void put_zero_ids(forge *f)
{
    legal_put_object_columns(f);
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 2, 0);
    legal_count_objects(f);
}

static void put_value(forge *f)
{
    FORGE(f, HSC_COL_ID, 0x10, 0x20);
    FORGE(f, HSC_COL_TYPE, 5, 5);
    FORGE(f, HSC_COL_SIZE, 16, 0);
    FORGE(f, HSC_COL_VALUE_BYTES, 0, 3);
    forge_text(f, HSC_COL_VALUE, "abc");
    FORGE(f, HSC_COL_REF_COUNT, 1, 0);
    FORGE(f, HSC_COL_REF_TARGET, 0x20);
    FORGE(f, HSC_COL_REF_LABEL, 9);
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 2, 0);
    legal_count_objects(f);
}

static void put_too_many_references(forge *f)
{
    FORGE(f, HSC_COL_ID, 0x10, 0x20);
    FORGE(f, HSC_COL_TYPE, 5, 5);
    FORGE(f, HSC_COL_SIZE, 16, 0);
    FORGE(f, HSC_COL_REF_COUNT, HSC_MAX_REFERENCES, 1);
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 2, 0);
    legal_count_objects(f);
}

static void put_fewer_references(forge *f)
{
    FORGE(f, HSC_COL_ID, 0x10, 0x20);
    FORGE(f, HSC_COL_TYPE, 5, 5);
    FORGE(f, HSC_COL_SIZE, 16, 0);
    FORGE(f, HSC_COL_REF_COUNT, 1, 2);
    FORGE(f, HSC_COL_REF_TARGET, 0x20);
    FORGE(f, HSC_COL_REF_LABEL, 9);
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 2, 0);
    legal_count_objects(f);
}

static void put_objects_without_tables(forge *f)
{
    FORGE(f, HSC_COL_ID, 0x10, 0x20);
    FORGE(f, HSC_COL_TYPE, 5, 5);
    FORGE(f, HSC_COL_SIZE, 16, 0);
    FORGE(f, HSC_COL_SITE, 3, 0);
    FORGE(f, HSC_COL_REF_COUNT, 1, 0);
    FORGE(f, HSC_COL_REF_TARGET, 0x20);
    FORGE(f, HSC_COL_REF_LABEL, 9);
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 2, 0);
    legal_count_objects(f);
}

Test(verify, holds_the_rules_of_objects)
{
    legal_expect(legal_with(NULL, put_equal_ids, NULL), "6.6", false);
    legal_expect(legal_with(NULL, put_zero_ids, NULL), "6.6", false);
    legal_expect(legal_with(NULL, put_value, NULL), "6.6", false);
    legal_expect(legal_with(NULL, put_too_many_references, NULL), "10.4", true);
    legal_expect(legal_with(NULL, put_fewer_references, NULL), "5.3", true);
    legal_expect(legal_with(NULL, put_objects_without_tables, NULL), "6.5", false);
}

/* A third part: more references of the object 0x20, or what claims to be that. */
static struct {
    uint64_t id, first_ordinal, size, flags;
    bool is_second_record;
} part;

static void put_part(forge *f)
{
    if (part.is_second_record) {
        FORGE(f, HSC_COL_ID, 0x30, part.id);
        FORGE(f, HSC_COL_FLAGS, 0, part.flags);
    } else {
        FORGE(f, HSC_COL_ID, part.id);
        if (part.size != 0) FORGE(f, HSC_COL_SIZE, part.size);
        FORGE(f, HSC_COL_FLAGS, part.flags);
    }
    forge_block(f, HSC_BLOCK_OBJECTS, 0, part.is_second_record ? 2 : 1, part.first_ordinal);
}

Test(verify, holds_the_rules_of_continuations)
{
    part.flags = 0x80, part.id = 0x20, part.first_ordinal = 2;
    legal_expect(legal_with(NULL, NULL, put_part), "", false);
    part.id = 0x10;
    legal_expect(legal_with(NULL, NULL, put_part), "6.8", false); /* readers go by the ordinal */
    part.id = 0x20, part.size = 8;
    legal_expect(legal_with(NULL, NULL, put_part), "6.8", true);
    part.size = 0, part.flags = 0x81;
    legal_expect(legal_with(NULL, NULL, put_part), "6.8", true);
    part.flags = 0x80, part.is_second_record = true;
    legal_expect(legal_with(NULL, NULL, put_part), "6.8", true);
    part.is_second_record = false, part.first_ordinal = 0;
    legal_expect(legal_with(put_part, NULL, NULL), "6.8", true);
    part.first_ordinal = 5;
    legal_expect(legal_with(NULL, NULL, put_part), "4.10", true);
}

/* ---- tables ---- */

static void put_string_twice(forge *f)
{
    FORGE(f, HSC_COL_KEY, 1);
    forge_block(f, HSC_BLOCK_STRINGS, 0, 1, 0);
    f->end[HSC_END_STRINGS]++;
}

static void put_thread_zero(forge *f)
{
    FORGE(f, HSC_COL_TEXT_ID, 1);
    forge_block(f, HSC_BLOCK_THREADS, 0, 1, 0);
    f->end[HSC_END_THREADS]++;
}

static void put_bad_strength(forge *f)
{
    FORGE(f, HSC_COL_FLAGS, 3);
    FORGE(f, HSC_COL_KEY, 10);
    forge_block(f, HSC_BLOCK_LABELS, 0, 1, 0);
    f->end[HSC_END_LABELS]++;
}

static void put_long_text(forge *f)
{
    FORGE(f, HSC_COL_KEY, 3);
    FORGE(f, HSC_COL_TEXT_BYTES, HSC_MAX_TEXT_BYTES + 1);
    forge_block(f, HSC_BLOCK_STRINGS, 0, 1, 0);
    f->end[HSC_END_STRINGS]++;
}

static void put_text_that_is_missing(forge *f)
{
    FORGE(f, HSC_COL_KEY, 3);
    FORGE(f, HSC_COL_TEXT_BYTES, 5);
    forge_block(f, HSC_BLOCK_STRINGS, 0, 1, 0);
    f->end[HSC_END_STRINGS]++;
}

static void put_frame_of_no_thread(forge *f)
{
    FORGE(f, HSC_COL_PARENT, 4);
    forge_block(f, HSC_BLOCK_FRAMES, 0, 1, 0);
    f->end[HSC_END_FRAMES]++;
}

static void put_long_unit(forge *f)
{
    FORGE(f, HSC_COL_TEXT_BYTES, 3);
    forge_text(f, HSC_COL_TEXT, "abc");
    FORGE(f, HSC_COL_UNIT, 4);
    forge_block(f, HSC_BLOCK_METRICS, 0, 1, 0);
    f->end[HSC_END_METRICS]++;
}

static void put_edges_of_two_kinds(forge *f)
{
    forge_raw_column(f, HSC_COL_REF_TARGET, 0, HSC_TRANSFORM_SOURCE, 0, 1, "\x02\0\0\0\0\0\0\0", 8);
    FORGE(f, HSC_COL_EDGE_SOURCE, 1);
    forge_block(f, HSC_BLOCK_EDGES, HSC_BLOCK_FLAG_SOURCE_ORDINAL, 1, 0);
    f->end[HSC_END_EDGES]++;
}

Test(verify, holds_the_rules_of_tables_and_edges)
{
    legal_expect(legal_with(put_string_twice, NULL, NULL), "6.2", false);
    legal_expect(legal_with(put_thread_zero, NULL, NULL), "10.7", false);
    legal_expect(legal_with(put_bad_strength, NULL, NULL), "6.4", false);
    legal_expect(legal_with(put_long_text, NULL, NULL), "10.5", true);
    legal_expect(legal_with(put_text_that_is_missing, NULL, NULL), "5.3", true);
    legal_expect(legal_with(put_frame_of_no_thread, NULL, NULL), "6.10", false);
    legal_expect(legal_with(put_long_unit, NULL, NULL), "6.12", true);
    legal_expect(legal_with(put_edges_of_two_kinds, NULL, NULL), "5.7", true);
}

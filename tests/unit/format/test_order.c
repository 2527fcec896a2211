/* Blocks of objects that do not go with those before them, and what an index says that cannot be: rules 4.10, 6.8, 10.3
 * and 10.8 of FORMAT.md, where headers and index alone would let them pass. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "core/layout.h"
#include "format/object_reader.h"
#include "unit/format/legal.h"

/* A block of two objects, by the ids 1 and 2 more than the first ordinal. */
static void put_two(forge *f, uint64_t first_ordinal)
{
    FORGE(f, HSC_COL_ID, first_ordinal + 1, first_ordinal + 2);
    FORGE(f, HSC_COL_TYPE, 5, 5);
    FORGE(f, HSC_COL_SIZE, 8, 8);
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 2, first_ordinal);
    f->end[HSC_END_OBJECTS] = first_ordinal + 2; /* by the index */
    f->end[HSC_END_BYTES] += 16;
}

static forge with_two_blocks(uint64_t second_ordinal)
{
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    legal_put_types(&f);
    put_two(&f, 0);
    put_two(&f, second_ordinal);
    return f;
}

static void expect_said(forge *f, const char *rule)
{
    hsd_error err;
    char cited[16];
    snprintf(cited, sizeof cited, "%s)", rule);
    cr_assert_lt(forge_read(f, HSD_DAMAGE_REFUSE, &err), 0);
    cr_assert(strstr(err.text, cited) != NULL, "rule %s: \"%s\"", rule, err.text);
    forge_free(f);
}

/* The index allows it: the block's first record might continue the last object. It does not. */
Test(order, objects_of_a_block_are_not_those_of_the_one_before)
{
    forge f = with_two_blocks(1);
    forge_finish(&f, HSC_STATE_COMPLETE);
    cr_assert_str_eq(forge_verify(&f), "4.10");
    hsd_error err;
    cr_assert_eq(forge_read(&f, HSD_DAMAGE_SKIP, &err), HSD_OK, "a bad block costs one block: %s", err.text);
    expect_said(&f, "4.10");
}

Test(order, nor_where_salvage_may_have_left_gaps)
{
    forge f = forge_begin();
    f.with_numbers = true;
    forge_info(&f, 0, 0);
    legal_put_types(&f);
    f.next_number++;
    put_two(&f, 10);
    put_two(&f, 11);
    f.end[HSC_END_OBJECTS] = 4;
    forge_finish(&f, HSC_STATE_SALVAGED);
    expect_said(&f, "4.10");
}

/* Two objects, and a block whose first record continues the second: three in all. */
static forge with_a_continuation(void)
{
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    legal_put_types(&f);
    put_two(&f, 0);
    FORGE(&f, HSC_COL_ID, 2, 3);
    FORGE(&f, HSC_COL_TYPE, 0, 5);
    FORGE(&f, HSC_COL_SIZE, 0, 8);
    FORGE(&f, HSC_COL_FLAGS, 0x80, 0);
    forge_block(&f, HSC_BLOCK_OBJECTS, 0, 2, 2);
    f.end[HSC_END_OBJECTS] = 3;
    f.end[HSC_END_BYTES] += 8;
    return f;
}

/* The other way round: one record less begins an object than the index counts. */
Test(order, no_ordinal_is_left_out)
{
    forge f = with_a_continuation();
    put_two(&f, 4); /* ordinal 3 is nobody's */
    forge_finish(&f, HSC_STATE_COMPLETE);
    cr_assert_str_eq(forge_verify(&f), "4.10");
    expect_said(&f, "4.10");
}

/* The index does not know which of the two it is. */
Test(order, the_end_record_counts_the_objects_that_are_there)
{
    hsd_error err;
    forge f = with_a_continuation();
    forge_finish(&f, HSC_STATE_COMPLETE);
    cr_assert_eq(forge_read(&f, HSD_DAMAGE_REFUSE, &err), HSD_OK, "%s", err.text);
    forge_free(&f);

    f = with_a_continuation();
    f.end[HSC_END_OBJECTS] = 4; /* one that is not there */
    forge_finish(&f, HSC_STATE_COMPLETE);
    cr_assert_str_eq(forge_verify(&f), "8.4");
    expect_said(&f, "8.4");

    f = with_two_blocks(2);
    f.end[HSC_END_OBJECTS] = 3; /* one less */
    forge_finish(&f, HSC_STATE_COMPLETE);
    cr_assert_str_eq(forge_verify(&f), "8.4");
    expect_said(&f, "8.4");
}

Test(order, of_a_capture_without_an_index_is_looked_at_in_headers)
{
    forge f = with_two_blocks(0); /* its end is cut off with the index */
    cr_assert_str_eq(forge_verify(&f), "4.10");
    expect_said(&f, "4.10");
}

static void put_orphan(forge *f)
{
    FORGE(f, HSC_COL_ID, 0x10);
    FORGE(f, HSC_COL_FLAGS, 0x80); /* more references of the object before */
    FORGE(f, HSC_COL_REF_COUNT, 1);
    FORGE(f, HSC_COL_REF_TARGET, 0x10);
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 1, 0);
    f->end[HSC_END_REFERENCES]++;
}

Test(order, an_object_that_was_not_begun_is_not_continued)
{
    hsd_capture *capture;
    hsd_object_reader *reader;
    hsd_object object;
    hsd_error err;
    forge f = legal_with(put_orphan, NULL, NULL);
    memfile file = forge_file(&f);
    cr_assert_eq(hsd_capture_open_fd(&capture, file.fd, "forged.hs", HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s",
                 err.text);
    cr_assert_eq(hsd_object_reader_open(&reader, capture, HSD_WANT_ALL, &err), HSD_OK);
    cr_assert_eq(hsd_object_reader_next(reader, &object, &err), HSD_E_CORRUPT);
    cr_assert(strstr(err.text, "6.8)") != NULL, "%s", err.text);
    hsd_object_reader_close(reader);
    hsd_capture_close(capture);
    forge_free(&f);
}

Test(order, ordinals_end_at_the_limit)
{
    forge f = forge_begin(); /* what salvage leaves may have gaps */
    f.with_numbers = true;
    forge_info(&f, 0, 0);
    legal_put_types(&f);
    f.next_number += HSC_MAX_OBJECTS;
    put_two(&f, HSC_MAX_OBJECTS - 1);
    f.end[HSC_END_OBJECTS] = 2;
    forge_finish(&f, HSC_STATE_SALVAGED);
    expect_said(&f, "10.8");
}

Test(order, an_index_keeps_to_the_limits_of_a_block)
{
    forge f = with_two_blocks(2);
    f.blocks.refs[1].record_count = HSC_MAX_RECORDS + 1; /* the types */
    forge_finish(&f, HSC_STATE_COMPLETE);
    expect_said(&f, "10.3");
    f = with_two_blocks(2);
    f.blocks.refs[1].first_ordinal = HSC_MAX_OBJECTS + 1;
    forge_finish(&f, HSC_STATE_COMPLETE);
    expect_said(&f, "10.3");
}

/* What is as much as a block may hold is no fault by itself: the next check finds what is wrong. */
Test(order, an_index_may_say_as_much_as_a_block_can_hold)
{
    hsd_error err;
    forge f = with_two_blocks(2);
    f.blocks.refs[1].record_count = HSC_MAX_RECORDS;
    forge_finish(&f, HSC_STATE_COMPLETE);
    expect_said(&f, "8.4");
    f = with_two_blocks(2);
    f.blocks.refs[1].stored_bytes = HSC_MAX_STORED_BYTES;
    forge_finish(&f, HSC_STATE_COMPLETE);
    cr_assert_lt(forge_read(&f, HSD_DAMAGE_REFUSE, &err), 0);
    cr_assert_not_null(strstr(err.text, "block 2 "), "it is the next that does not lie behind it: %s", err.text);
    expect_said(&f, "9.1");
}

/* Salvaged: numbers may be left out, and none stands there twice. */
Test(order, numbers_of_a_salvaged_index_ascend)
{
    for (uint64_t third = 1; third <= 4; third++) {
        hsd_error err;
        forge f = forge_begin();
        f.with_numbers = true;
        forge_info(&f, 0, 0);
        legal_put_types(&f);
        put_two(&f, 0);
        f.blocks.refs[2].number = third;
        put_two(&f, 2);
        f.end[HSC_END_OBJECTS] = 4;
        forge_finish(&f, HSC_STATE_SALVAGED);
        const bool is_right = third == 2; /* 0, 1, then that, then 3 */
        const hsd_status status = forge_read(&f, HSD_DAMAGE_REFUSE, &err);
        cr_assert_eq(status == HSD_OK, is_right, "%u: %s", (unsigned)third, err.text);
        if (third == 1 || third >= 3) cr_assert_not_null(strstr(err.text, "4.5)"), "%u: %s", (unsigned)third, err.text);
        forge_free(&f);
    }
}

/* Ordinals end at the limit, and the last two may be used. What blocks there are, 64 of them, fills their list. */
Test(order, what_was_salvaged_may_be_the_last_objects)
{
    static const uint64_t firsts[] = {0, 1000, HSC_MAX_OBJECTS - 2};
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++) {
        hsd_capture *capture;
        hsd_error err;
        forge f = forge_begin();
        f.with_numbers = true;
        forge_info(&f, 0, 0);
        legal_put_types(&f);
        f.next_number += firsts[i];
        put_two(&f, firsts[i]);
        while (f.blocks.count < 62) {
            FORGE(&f, HSC_COL_KEY, f.blocks.count);
            forge_block(&f, HSC_BLOCK_THREADS, 0, 1, 0);
            f.end[HSC_END_THREADS]++;
        }
        f.end[HSC_END_OBJECTS] = 2;
        forge_finish(&f, HSC_STATE_SALVAGED);
        cr_assert_eq(f.blocks.count, 64);
        cr_assert_eq(forge_read(&f, HSD_DAMAGE_REFUSE, &err), HSD_OK, "%s", err.text);
        memfile file = forge_file(&f);
        cr_assert_eq(hsd_capture_open_fd(&capture, file.fd, "x.hs", HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s",
                     err.text);
        cr_assert_eq(hsd_capture_get_info(capture)->ordinals, firsts[i] + 2);
        hsd_capture_close(capture);
        forge_free(&f);
    }
}

/* The index has 64 blocks, and the end record is the last of them. */
Test(order, an_end_that_counts_wrongly_is_told_with_its_place)
{
    hsd_error err;
    char words[64];
    forge f = with_two_blocks(2);
    while (f.blocks.count < 62) {
        FORGE(&f, HSC_COL_KEY, f.blocks.count);
        forge_block(&f, HSC_BLOCK_THREADS, 0, 1, 0);
    }
    forge_finish(&f, HSC_STATE_COMPLETE); /* it counts no object, and no thread */
    snprintf(words, sizeof words, "block %zu ", f.blocks.count - 1);
    cr_assert_eq(forge_read(&f, HSD_DAMAGE_REFUSE, &err), HSD_E_CORRUPT);
    cr_assert_not_null(strstr(err.text, words), "%s", err.text);
    cr_assert_eq(err.offset_bytes, f.blocks.refs[f.blocks.count - 1].offset_bytes);
    expect_said(&f, "8.4");
}

/* ---- readers that do not begin at the beginning, or read ids alone ---- */

static hsd_object_reader *reader_of(forge *f, hsd_capture **capture)
{
    hsd_object_reader *reader;
    hsd_error err;
    memfile file = forge_file(f);
    hsd_error_init(&err);
    cr_assert_eq(hsd_capture_open_fd(capture, file.fd, "forged.hs", HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s",
                 err.text);
    cr_assert_eq(hsd_object_reader_open(&reader, *capture, HSD_WANT_ALL, &err), HSD_OK);
    return reader;
}

/* What comes behind the last of the ids; *ids: how many there were. */
static hsd_status end_of_ids(uint64_t objects, uint64_t *ids)
{
    hsd_capture *capture;
    hsd_error err;
    const uint64_t *found;
    uint64_t first;
    uint32_t count;
    hsd_status status;
    forge f = with_a_continuation();
    FORGE(&f, HSC_COL_ID, 3);
    FORGE(&f, HSC_COL_FLAGS, 0x80); /* and a block that begins none */
    forge_block(&f, HSC_BLOCK_OBJECTS, 0, 1, 3);
    f.end[HSC_END_OBJECTS] = objects;
    forge_finish(&f, HSC_STATE_COMPLETE);
    hsd_object_reader *reader = reader_of(&f, &capture);
    *ids = 0;
    hsd_error_init(&err);
    while ((status = hsd_object_reader_next_ids(reader, &found, &count, &first, &err)) == HSD_OK) {
        for (uint32_t i = 0; i < count; i++)
            cr_assert_eq(found[i], *ids + i + 1);
        cr_assert(count == 0 || first == *ids);
        *ids += count;
    }
    if (status != HSD_END) cr_assert(strstr(err.text, "8.4)") != NULL, "%s", err.text);
    hsd_object_reader_close(reader);
    hsd_capture_close(capture);
    forge_free(&f);
    return status;
}

Test(order, ids_are_as_many_as_the_end_record_counts)
{
    uint64_t ids;
    cr_assert_eq(end_of_ids(3, &ids), HSD_END);
    cr_assert_eq(ids, 3);
    cr_assert_eq(end_of_ids(4, &ids), HSD_E_CORRUPT, "the index lets it pass");
    cr_assert_eq(ids, 3);
}

/* From each object to the end, once where the end record is right and once where it is not. */
static void expect_from(uint64_t ordinal, uint64_t objects)
{
    hsd_capture *capture;
    hsd_object object;
    hsd_error err;
    forge f = with_a_continuation();
    f.end[HSC_END_OBJECTS] = objects;
    forge_finish(&f, HSC_STATE_COMPLETE);
    hsd_object_reader *reader = reader_of(&f, &capture);
    hsd_error_init(&err);
    const hsd_status status = hsd_object_reader_seek(reader, ordinal, &err);
    cr_assert_eq(status, ordinal < 3 ? HSD_OK : HSD_END, "to %u: %s", (unsigned)ordinal, err.text);
    for (uint64_t expected = ordinal; expected < 3; expected++) {
        cr_assert_eq(hsd_object_reader_next(reader, &object, &err), HSD_OK, "%s", err.text);
        if (object.is_continuation) cr_assert_eq(hsd_object_reader_next(reader, &object, &err), HSD_OK);
        cr_assert(object.ordinal == expected && object.id == expected + 1);
    }
    const hsd_status last = hsd_object_reader_next(reader, &object, &err);
    cr_assert_eq(last, objects == 3 ? HSD_END : HSD_E_CORRUPT, "from %u: %s", (unsigned)ordinal, err.text);
    hsd_object_reader_close(reader);
    hsd_capture_close(capture);
    forge_free(&f);
}

Test(order, objects_may_be_read_from_any_on)
{
    for (uint64_t ordinal = 0; ordinal <= 5; ordinal++) {
        expect_from(ordinal, 3);
        expect_from(ordinal, 4);
    }
}

/* ---- what is wanted ---- */

/* Each column of its own shape: constant, a stair, or any values. */
static void put_shaped(forge *f, unsigned id, unsigned shape, uint64_t base)
{
    if (shape == 0) return;
    const uint64_t step = shape == 1 ? 0 : 3;
    FORGE(f, id, base, base + step, base + 2 * step, base + (shape == 3 ? 77 : 3 * step));
}

static forge with_shapes(unsigned type, unsigned age, unsigned elements, unsigned site)
{
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    FORGE(&f, HSC_COL_ID, 8, 16, 24, 32);
    put_shaped(&f, HSC_COL_TYPE, type, 5);
    put_shaped(&f, HSC_COL_SIZE, elements, 64);
    put_shaped(&f, HSC_COL_ELEMENTS, elements, 1000);
    put_shaped(&f, HSC_COL_SITE, site, 40);
    put_shaped(&f, HSC_COL_AGE, age, 300);
    put_shaped(&f, HSC_COL_NAME, age, 20);
    put_shaped(&f, HSC_COL_CATEGORY, site, 60);
    forge_block(&f, HSC_BLOCK_OBJECTS, 0, 4, 0);
    f.end[HSC_END_OBJECTS] = 4;
    forge_finish(&f, HSC_STATE_COMPLETE);
    return f;
}

/* All facts of an object that come with `want` are those that come with everything. */
Test(order, what_is_wanted_is_the_same_whatever_else_is)
{
    for (unsigned shapes = 0; shapes < 256; shapes++) {
        hsd_capture *capture;
        hsd_error err;
        forge f = with_shapes(shapes & 3, shapes >> 2 & 3, shapes >> 4 & 3, shapes >> 6);
        hsd_object_reader *whole = reader_of(&f, &capture), *readers[3];
        static const unsigned wants[] = {0, HSD_WANT_SIZES, HSD_WANT_DETAILS};
        for (size_t i = 0; i < 3; i++)
            cr_assert_eq(hsd_object_reader_open(&readers[i], capture, wants[i], &err), HSD_OK);
        hsd_object expected, got;
        for (unsigned n = 0; n < 4; n++) {
            cr_assert_eq(hsd_object_reader_next(whole, &expected, &err), HSD_OK, "%s", err.text);
            for (size_t i = 0; i < 3; i++) {
                cr_assert_eq(hsd_object_reader_next(readers[i], &got, &err), HSD_OK, "%s", err.text);
                cr_assert(got.ordinal == n && got.type == expected.type && got.flags == expected.flags,
                          "shapes %u, want %x", shapes, wants[i]);
                if (wants[i] == HSD_WANT_SIZES)
                    cr_assert(got.size_bytes == expected.size_bytes && got.elements == expected.elements);
                if (wants[i] == HSD_WANT_DETAILS)
                    cr_assert(got.site == expected.site && got.age == expected.age && got.name == expected.name &&
                              got.category == expected.category);
            }
        }
        for (size_t i = 0; i < 3; i++)
            hsd_object_reader_close(readers[i]);
        hsd_object_reader_close(whole);
        hsd_capture_close(capture);
        forge_free(&f);
    }
}

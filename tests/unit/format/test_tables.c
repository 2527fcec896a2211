/* The small tables of a capture in memory (format/tables.h), and objects that are read ahead (format/object_reader.h).
 */
#include <criterion/criterion.h>
#include <hscapture/hscapture.h>
#include <stdio.h>
#include <string.h>

#include "format/object_reader.h"
#include "format/tables.h"
#include "unit/format/legal.h"

static hsd_capture *opened(const forge *f, memfile *file, hsd_damage damage)
{
    hsd_capture *capture;
    hsd_error err;
    *file = forge_file(f);
    cr_assert_eq(hsd_capture_open_fd(&capture, file->fd, "forged.hs", damage, NULL, &err), HSD_OK, "%s", err.text);
    return capture;
}

static bool is_text(hsd_bytes bytes, const char *text)
{
    return bytes.size == strlen(text) && memcmp(bytes.data, text, bytes.size) == 0;
}

/* ---- types ---- */

enum { MANY_TYPES = 300 };

/* Three digits are the name of each; the other side has the same in the other order, with other flags. */
static forge with_types(bool is_backwards)
{
    uint64_t ids[MANY_TYPES], flags[MANY_TYPES], sizes[MANY_TYPES];
    char text[3 * MANY_TYPES + 1];
    for (unsigned i = 0; i < MANY_TYPES; i++) {
        const unsigned name = is_backwards ? MANY_TYPES - 1 - i : i;
        ids[i] = 1000 + i;
        flags[i] = name % 2 == is_backwards ? HSC_TYPE_INTERNAL : HSC_TYPE_PART;
        sizes[i] = 3;
        snprintf(text + 3 * i, 4, "%03u", name);
    }
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    forge_column(&f, HSC_COL_FLAGS, flags, MANY_TYPES);
    forge_column(&f, HSC_COL_KEY, ids, MANY_TYPES);
    forge_column(&f, HSC_COL_TEXT_BYTES, sizes, MANY_TYPES);
    forge_text(&f, HSC_COL_TEXT, text);
    forge_block(&f, HSC_BLOCK_TYPES, 0, MANY_TYPES, 0);
    f.end[HSC_END_TYPES] = MANY_TYPES;
    forge_finish(&f, HSC_STATE_COMPLETE);
    return f;
}

Test(tables, types_of_all_captures_have_one_numbering)
{
    hsd_error err;
    hsd_type_names names;
    hsd_type_table table[2];
    cr_assert_eq(hsd_type_names_init(&names, &err), HSD_OK);
    for (int side = 0; side < 2; side++) {
        memfile file;
        forge f = with_types(side == 1);
        hsd_capture *capture = opened(&f, &file, HSD_DAMAGE_REFUSE);
        cr_assert_eq(hsd_type_table_load(&table[side], capture, &names, &err), HSD_OK, "%s", err.text);
        hsd_capture_close(capture);
        forge_free(&f);
    }
    cr_assert_eq(names.names.count, 1 + MANY_TYPES);
    for (unsigned i = 0; i < MANY_TYPES; i++) {
        char text[8];
        snprintf(text, sizeof text, "%03u", i);
        const uint32_t number = hsd_type_common(&table[0], 1000 + i);
        cr_assert_eq(number, hsd_type_common(&table[1], 1000 + MANY_TYPES - 1 - i));
        cr_assert(is_text(hsd_names_get(&names.names, number), text));
        cr_assert_eq(hsd_type_flags(&table[0], 1000 + i), i % 2 == 0 ? HSC_TYPE_INTERNAL : HSC_TYPE_PART);
        cr_assert_eq(names.flags[number], hsd_type_flags(&table[0], 1000 + i), "of the first that has the name");
    }
    cr_assert_eq(hsd_type_common(&table[0], 7), HSD_TYPE_UNDEFINED);
    cr_assert_eq(hsd_type_flags(&table[0], 7), 0);
    cr_assert(is_text(hsd_names_get(&names.names, HSD_TYPE_UNDEFINED), "(undefined type)"));
    hsd_type_table_release(&table[0]);
    hsd_type_table_release(&table[1]);
    hsd_type_names_release(&names);
}

/* Of a number that is defined twice the first stands: what verify refuses (FORMAT.md 6.1) is read all the same. */
static forge with_two_of_each(void)
{
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    legal_put_strings(&f);
    legal_put_types(&f);
    legal_put_labels(&f);
    FORGE(&f, HSC_COL_KEY, 5, 6);
    FORGE(&f, HSC_COL_TEXT_BYTES, 3, 3);
    forge_text(&f, HSC_COL_TEXT, "SetMap");
    forge_block(&f, HSC_BLOCK_TYPES, 0, 2, 0);
    FORGE(&f, HSC_COL_KEY, 9, 10);
    FORGE(&f, HSC_COL_KIND, 3, 3);
    FORGE(&f, HSC_COL_TEXT_ID, 1, 1);
    forge_block(&f, HSC_BLOCK_LABELS, 0, 2, 0);
    FORGE(&f, HSC_COL_KEY, 1, 3);
    FORGE(&f, HSC_COL_TEXT_BYTES, 3, 3);
    forge_text(&f, HSC_COL_TEXT, "newtop");
    forge_block(&f, HSC_BLOCK_STRINGS, 0, 2, 0);
    f.end[HSC_END_TYPES] = f.end[HSC_END_LABELS] = 3;
    f.end[HSC_END_STRINGS] = 4;
    forge_finish(&f, HSC_STATE_COMPLETE);
    return f;
}

Test(tables, the_first_of_two_definitions_stands)
{
    memfile file;
    hsd_error err;
    hsd_type_names names;
    hsd_type_table types;
    hsd_label_table labels;
    forge f = with_two_of_each();
    hsd_capture *capture = opened(&f, &file, HSD_DAMAGE_REFUSE);
    cr_assert_eq(hsd_type_names_init(&names, &err), HSD_OK);
    cr_assert_eq(hsd_type_table_load(&types, capture, &names, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(types.count, 2);
    cr_assert_eq(names.names.count, 2, "\"Set\" is no type");
    cr_assert(is_text(hsd_names_get(&names.names, hsd_type_common(&types, 5)), "Map"));
    cr_assert_eq(hsd_type_common(&types, 5), hsd_type_common(&types, 6), "one name, one number");
    cr_assert_eq(hsd_label_table_load(&labels, capture, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(labels.count, 2);
    cr_assert_eq(hsd_label_get(&labels, 9)->kind, 0);
    cr_assert_eq(hsd_label_get(&labels, 9)->name, 2);
    cr_assert_eq(hsd_label_get(&labels, 10)->kind, 3);
    cr_assert_null(hsd_label_get(&labels, 0));
    cr_assert_null(hsd_label_get(&labels, 11));
    hsd_label_table_release(&labels);
    hsd_type_table_release(&types);
    hsd_type_names_release(&names);
    hsd_capture_close(capture);
    forge_free(&f);
}

/* ---- texts ---- */

Test(tables, texts_are_those_that_were_wanted)
{
    memfile file;
    hsd_error err;
    hsd_texts texts = {.most_bytes = 3};
    forge f = with_two_of_each();
    hsd_capture *capture = opened(&f, &file, HSD_DAMAGE_REFUSE);
    cr_assert_eq(hsd_texts_load(&texts, capture, &err), HSD_OK);
    cr_assert(is_text(hsd_texts_get(&texts, 1), ""), "nothing was wanted");
    static const uint32_t wanted[] = {0, 2, 1, 2, 77};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        cr_assert_eq(hsd_texts_want(&texts, wanted[i], &err), HSD_OK);
    cr_assert_eq(texts.wanted, 3);
    cr_assert_eq(hsd_texts_load(&texts, capture, &err), HSD_OK, "%s", err.text);
    cr_assert(is_text(hsd_texts_get(&texts, 1), "roo"));
    cr_assert(is_text(hsd_texts_get(&texts, 2), "tna"), "cut after three bytes");
    cr_assert(is_text(hsd_texts_get(&texts, 77), ""), "never defined");
    cr_assert(is_text(hsd_texts_get(&texts, 3), "") && !hsd_texts_has(&texts, 3), "not wanted");
    cr_assert(hsd_texts_has(&texts, 77) && !hsd_texts_has(&texts, 0));
    hsd_texts_release(&texts);
    hsd_capture_close(capture);
    forge_free(&f);
}

/* As they are where no length was asked for, and else no longer than that. */
Test(tables, texts_are_cut_where_that_was_asked_for)
{
    for (uint32_t most = 0; most <= 5; most++) {
        memfile file;
        hsd_error err;
        hsd_texts texts = {.most_bytes = most};
        forge f = with_two_of_each();
        hsd_capture *capture = opened(&f, &file, HSD_DAMAGE_REFUSE);
        cr_assert_eq(hsd_texts_want(&texts, 2, &err), HSD_OK);
        cr_assert_eq(hsd_texts_load(&texts, capture, &err), HSD_OK, "%s", err.text);
        const hsd_bytes text = hsd_texts_get(&texts, 2);
        cr_assert(text.size == (most == 0 || most > 4 ? 4 : most) && memcmp(text.data, "tnam", text.size) == 0);
        hsd_texts_release(&texts);
        hsd_capture_close(capture);
        forge_free(&f);
    }
}

/* ---- objects ---- */

enum { BLOCKS = 5, OBJECTS_OF_A_BLOCK = 2 };

/* Of ids 1, 2, 3 …. One block less than `broken` can be read: its checksum is wrong. BLOCKS = all are as they should
 * be. */
static forge with_blocks(unsigned broken)
{
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    legal_put_types(&f);
    for (unsigned i = 0; i < BLOCKS; i++) {
        const uint64_t first = (uint64_t)OBJECTS_OF_A_BLOCK * i;
        FORGE(&f, HSC_COL_ID, first + 1, first + 2);
        FORGE(&f, HSC_COL_TYPE, 5, 5);
        FORGE(&f, HSC_COL_SIZE, 8, 8);
        forge_block(&f, HSC_BLOCK_OBJECTS, 0, OBJECTS_OF_A_BLOCK, first);
        if (i == broken) f.bytes.data[f.bytes.size - 1] ^= 1;
    }
    f.end[HSC_END_OBJECTS] = (uint64_t)BLOCKS * OBJECTS_OF_A_BLOCK;
    f.end[HSC_END_BYTES] = (uint64_t)BLOCKS * OBJECTS_OF_A_BLOCK * 8;
    forge_finish(&f, HSC_STATE_COMPLETE);
    return f;
}

static hsd_object_reader *reading_ahead(hsd_capture *capture)
{
    hsd_error err;
    hsd_object_reader *reader;
    cr_assert_eq(hsd_object_reader_open(&reader, capture, HSD_WANT_ID, &err), HSD_OK);
    hsd_object_reader_read_ahead(reader);
    return reader;
}

/* As many objects as come, each with the right id; what came then. */
static hsd_status read_all(hsd_object_reader *reader, unsigned *count)
{
    hsd_error err;
    hsd_object object;
    hsd_status status;
    for (*count = 0; (status = hsd_object_reader_next(reader, &object, &err)) == HSD_OK; ++*count) {
        cr_assert_eq(object.ordinal, *count);
        cr_assert_eq(object.id, *count + 1);
    }
    return status;
}

Test(tables, objects_that_are_read_ahead_are_those_of_the_capture)
{
    memfile file;
    unsigned count;
    forge f = with_blocks(BLOCKS);
    hsd_capture *capture = opened(&f, &file, HSD_DAMAGE_REFUSE);
    hsd_object_reader *reader = reading_ahead(capture);
    cr_assert_eq(read_all(reader, &count), HSD_END);
    cr_assert_eq(count, BLOCKS * OBJECTS_OF_A_BLOCK);
    hsd_object_reader_close(reader);
    hsd_capture_close(capture);
    forge_free(&f);
}

Test(tables, a_fault_that_is_read_ahead_is_told_at_its_place)
{
    memfile file;
    unsigned count;
    forge f = with_blocks(3);
    hsd_capture *capture = opened(&f, &file, HSD_DAMAGE_REFUSE);
    hsd_object_reader *reader = reading_ahead(capture);
    cr_assert_eq(read_all(reader, &count), HSD_E_CORRUPT);
    cr_assert_eq(count, 3 * OBJECTS_OF_A_BLOCK);
    hsd_object_reader_close(reader);
    hsd_capture_close(capture);
    forge_free(&f);
}

Test(tables, a_reader_that_is_ahead_can_be_closed)
{
    memfile file;
    hsd_error err;
    hsd_object object;
    forge f = with_blocks(BLOCKS);
    hsd_capture *capture = opened(&f, &file, HSD_DAMAGE_REFUSE);
    hsd_object_reader *reader = reading_ahead(capture);
    cr_assert_eq(hsd_object_reader_next(reader, &object, &err), HSD_OK);
    hsd_object_reader_close(reader);
    hsd_capture_close(capture);
    forge_free(&f);
}

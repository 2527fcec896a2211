/*
 * All that verify tells of captures that are damaged, cut off or out of order: each fault once, where it is, and
 * nothing that cannot be known any more.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/check.h"
#include "format/bytes.h"
#include "unit/format/legal.h"

enum { INFO, STRINGS, TYPES, LABELS, OBJECTS, ROOTS, TYPE_TOTALS, GROUP_TOTALS, INDEX, END };

static void expect_told(forge *f, const char *expected)
{
    const char *told = forge_told(f);
    cr_expect_str_eq(told, expected, "told:\n%snot:\n%s", told, expected);
    forge_free(f);
}

static void damage(forge *f, size_t block, size_t offset)
{
    f->bytes.data[f->blocks.refs[block].offset_bytes + offset] ^= 1;
}

Test(verify_damage, of_headers_is_told_block_by_block)
{
    forge f = legal_capture();
    damage(&f, TYPES, 8);
    expect_told(&f, "4.3 of 2: the checksum of its header does not match\n");
    f = legal_capture();
    damage(&f, TYPES, 8);
    damage(&f, OBJECTS, 0);
    damage(&f, ROOTS, 60);
    expect_told(&f, "4.3 of 2: the checksum of its header does not match\n"
                    "4.2 of 4: no block begins here\n"
                    "4.4 of 5: the checksum of its payload does not match\n");
    f = legal_capture();
    damage(&f, STRINGS, 0);
    f.bytes.size -= 200; /* and cut off */
    expect_told(&f, "4.2 of 1: no block begins here\n"
                    "2.1 of 9 at 1445: was cut off at byte 1,445, inside block 9\n");
    f = legal_capture();
    damage(&f, END, 8); /* what follows is no trailer then */
    expect_told(&f, "4.3 of 9: the checksum of its header does not match\n"
                    "2.1 at 1645: the file ends without an end record\n");
    f = legal_capture();
    damage(&f, INFO, 60);
    expect_told(&f, "4.4 of 0: the checksum of its payload does not match\n");
}

Test(verify_damage, of_the_end_is_told_with_its_place)
{
    forge f = legal_capture();
    const size_t whole = f.bytes.size, end = (size_t)f.blocks.refs[END].offset_bytes,
                 index = (size_t)f.blocks.refs[INDEX].offset_bytes;
    static const char *const told[] = {"2.1 at 1644: the file was cut off inside the trailer\n",
                                       "2.1 at 1614: the file was cut off inside the trailer\n",
                                       "2.1 at 1613: the file was cut off inside the trailer\n",
                                       "2.1 of 9 at 1612: was cut off at byte 1,612, inside block 9\n",
                                       "2.1 of 9 at 1293: was cut off at byte 1,293, inside block 9\n",
                                       "2.1 of 9 at 1238: was cut off at byte 1,238, inside block 9\n",
                                       "2.1 at 1237: the file ends without an end record\n",
                                       "2.1 at 1067: the file ends without an end record\n"};
    const size_t sizes[] = {whole - 1, whole - 31, whole - 32, whole - 33, end + 56, end + 1, end, index};
    forge_free(&f);
    for (size_t i = 0; i < HSD_ARRAY_LEN(sizes); i++) {
        f = legal_capture();
        f.bytes.size = sizes[i];
        expect_told(&f, told[i]);
    }
    f = legal_capture();
    memset(f.bytes.data + end, 0, whole - end);
    expect_told(&f, "2.1 of 9: was cut off at byte 1,237, before block 9: the rest of the file is zeros\n");
    f = legal_capture();
    cr_assert_eq(hsd_buffer_append(&f.bytes, "more", 4, NULL), HSD_OK);
    expect_told(&f, "9.4 at 1645: 4 bytes follow the trailer\n");
    f = legal_capture();
    f.bytes.data[whole - 10] ^= 1;
    expect_told(&f, "9.2 at 1613: there is no trailer at the end of the file\n");
}

static void trailer(forge *f, uint64_t index, uint64_t end)
{
    hsd_put_u64(f->bytes.data + f->bytes.size - 32, index);
    hsd_put_u64(f->bytes.data + f->bytes.size - 24, end);
    forge_reseal(f);
}

Test(verify_damage, of_the_trailer_is_told_once)
{
    forge f = legal_capture();
    const uint64_t index = f.blocks.refs[INDEX].offset_bytes, end = f.blocks.refs[END].offset_bytes;
    trailer(&f, index + 1, end);
    expect_told(&f, "9.3 at 1613: the trailer says that the index is at byte 1068\n");
    f = legal_capture();
    trailer(&f, index, end + 1);
    expect_told(&f, "9.3 at 1613: the trailer says that the end record is at byte 1238\n");
    f = legal_capture();
    trailer(&f, index + 1, end + 1);
    expect_told(&f, "9.3 at 1613: the trailer says that the index is at byte 1068\n");
}

static void put_second_info(forge *f) { forge_info(f, 0, 0); }

static void put_thread_behind_totals(forge *f)
{
    legal_put_type_totals(f);
    FORGE(f, HSC_COL_KEY, 1);
    forge_block(f, HSC_BLOCK_THREADS, 0, 1, 0);
    f->end[HSC_END_THREADS]++;
}

static void put_unknown_behind_totals(forge *f)
{
    legal_put_type_totals(f);
    forge_number(f, 77, 77);
    forge_block(f, 200, 0xFFFF, 5, 5);
}

static void put_other_targets(forge *f)
{
    FORGE(f, HSC_COL_EDGE_SOURCE, 0x10);
    forge_block(f, HSC_BLOCK_EDGES, HSC_BLOCK_FLAG_TARGET_ORDINAL, 1, 0);
    f->end[HSC_END_EDGES]++;
}

Test(verify_damage, of_order_is_told_once_a_block)
{
    forge f = legal_with(put_second_info, NULL, NULL);
    expect_told(&f, "2.3 of 4: an info block stands in the middle\n");
    f = legal_with(NULL, NULL, put_thread_behind_totals);
    expect_told(&f, "2.3 of 7: threads stand behind blocks that must follow them\n"
                    "6.14 of 8: the totals of type 5 do not stand in order\n"
                    "8.5 of 11: the type totals sum up to 4 objects with 32 bytes, the end record to 2 with 16\n");
    f = legal_with(NULL, NULL, put_unknown_behind_totals);
    expect_told(&f, "6.14 of 8: the totals of type 5 do not stand in order\n"
                    "8.5 of 11: the type totals sum up to 4 objects with 32 bytes, the end record to 2 with 16\n");
    f = legal_with(NULL, NULL, put_other_targets);
    expect_told(&f, "4.8 of 6: its targets are ordinals, unlike those of the capture\n");
    f = forge_begin(); /* no info */
    legal_put_tables(&f);
    legal_put_objects(&f);
    legal_put_roots(&f);
    legal_put_end(&f);
    expect_told(&f, "2.3 of 0: the first block is strings, not info\n");
    f = legal_capture(); /* a block is missing */
    const size_t at = (size_t)f.blocks.refs[LABELS].offset_bytes, next = (size_t)f.blocks.refs[OBJECTS].offset_bytes;
    memmove(f.bytes.data + at, f.bytes.data + next, f.bytes.size - next);
    f.bytes.size -= next - at;
    for (size_t i = OBJECTS; i <= END; i++)
        f.blocks.refs[i].offset_bytes -= next - at;
    expect_told(&f, "4.5 of 4: 1 blocks are missing before it\n"
                    "9.3 at 1517: the trailer says that the index is at byte 1067\n");
}

Test(verify_damage, of_the_index_is_told_record_by_record)
{
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    legal_put_tables(&f);
    legal_put_objects(&f);
    legal_put_roots(&f);
    legal_put_type_totals(&f);
    legal_put_group_totals(&f);
    f.blocks.refs[TYPES].record_count++;
    f.blocks.refs[GROUP_TOTALS].stored_bytes++;
    forge_finish(&f, HSC_STATE_COMPLETE);
    f.blocks.refs[TYPES].record_count--;
    f.blocks.refs[GROUP_TOTALS].stored_bytes--;
    expect_told(&f, "9.1 at 1067: record 2 of the index is not what stands in the file\n"
                    "9.1 at 1067: the same 1 more times in this block\n");
    f = legal_capture();
    f.bytes.size = (size_t)f.blocks.refs[INDEX].offset_bytes;
    f.blocks.count = 0;
    expect_told(&f, "2.1 at 1067: the file ends without an end record\n");
}

/* An END that cannot be read does not say that blocks may be missing. */
Test(verify_damage, of_the_end_hides_no_gap)
{
    for (int is_damaged = 0; is_damaged < 2; is_damaged++) {
        forge f = forge_begin();
        f.with_numbers = true;
        forge_info(&f, 0, 0);
        legal_put_tables(&f);
        f.next_number++;
        legal_put_objects(&f);
        legal_put_roots(&f);
        legal_put_type_totals(&f);
        legal_put_group_totals(&f);
        forge_finish(&f, HSC_STATE_SALVAGED);
        if (is_damaged) damage(&f, END, HSC_BLOCK_HEADER_BYTES);
        expect_told(&f, is_damaged ? "4.5 of 5: 1 blocks are missing before it\n"
                                     "9.1 of 9: the index has the numbers of the blocks\n"
                                     "4.4 of 10: the checksum of its payload does not match\n"
                                   : "");
    }
}

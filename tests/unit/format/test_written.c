/*
 * What the writer of the capture library makes in little memory, where totals, index and objects take many blocks: it
 * breaks no rule that verify knows, and says again what went in.
 */
#include <criterion/criterion.h>
#include <hscapture/hscapture.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/layout.h"
#include "core/writer.h"
#include "format/bytes.h"
#include "support/reseal.h"
#include "unit/capture/memory_sink.h"
#include "unit/format/legal.h"

enum { ROOM = 16 << 20, MOST_BLOCKS = 4000 };

static memory_sink sink;
static hsc_options options;
static hsd_error err;

static void set_up(void)
{
    sink = memory_sink_new(ROOM);
    hsc_options_init(&options);
    options.memory_bytes = 64 << 10;
}

static void tear_down(void) { memory_sink_free(&sink); }

TestSuite(written, .init = set_up, .fini = tear_down);

static hsc_writer *begin(void)
{
    hsc_writer *w = NULL;
    const hsc_sink s = memory_sink_of(&sink);
    cr_assert_eq(hsc_open(&w, &s, &options), HSC_OK);
    return w;
}

/* Ends the capture, verifies it, and counts its blocks of this type, which have so many records together. */
static size_t end(hsc_writer *w, uint8_t type, uint64_t records)
{
    static size_t offsets[MOST_BLOCKS];
    hsd_verify_result result;
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
    memfile file = memfile_of(sink.bytes, sink.size);
    hsd_error_init(&err);
    cr_assert_eq(hsd_capture_verify(file.path, NULL, NULL, NULL, &result, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(result.faults, 0);
    memfile_close(&file);
    const size_t blocks = block_offsets(sink.bytes, sink.size, offsets, MOST_BLOCKS);
    cr_assert_eq(blocks, result.blocks);
    size_t found = 0;
    for (size_t i = 0; i < blocks; i++) {
        if (sink.bytes[offsets[i] + 4] != type) continue;
        found++;
        records -= hsd_get_u32(sink.bytes + offsets[i] + 8);
    }
    cr_assert_eq(records, 0);
    return found;
}

static hsd_capture *opened(void)
{
    hsd_capture *capture;
    memfile file = memfile_of(sink.bytes, sink.size);
    cr_assert_eq(hsd_capture_open_fd(&capture, file.fd, "x.hs", HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    return capture;
}

static void define_strings(hsc_writer *w, uint32_t count)
{
    for (uint32_t i = 1; i <= count; i++)
        cr_assert_eq(hsc_define_string(w, i, "s", 1), HSC_OK);
}

/* ---- totals ---- */

/* Each category has its number of objects, and of bytes; roots are of four kinds. */
static void expect_categories(uint32_t categories, size_t blocks)
{
    sink.size = 0;
    hsc_writer *w = begin();
    uint64_t id = 0;
    define_strings(w, categories);
    for (uint32_t i = categories; i > 0; i--) {
        for (uint32_t n = 0; n <= i % 3; n++) {
            const hsc_object object = {.id = ++id, .size_bytes = i + n, .category = i};
            cr_assert(hsc_begin_object(w, &object) == HSC_OK && hsc_end_object(w) == HSC_OK);
        }
    }
    const hsc_object pseudo = {.id = ++id, .size_bytes = 5, .category = 1, .flags = HSC_OBJECT_PSEUDO};
    cr_assert(hsc_begin_object(w, &pseudo) == HSC_OK && hsc_end_object(w) == HSC_OK);
    for (unsigned i = 0; i < 9; i++)
        cr_assert_eq(hsc_root(w, &(hsc_root_record){.kind = (hsc_root_kind)(i % 4), .target = 1}), HSC_OK);
    cr_assert_eq(end(w, HSC_BLOCK_GROUP_TOTALS, categories + 4), blocks, "%u", categories);
    hsd_capture *capture = opened();
    hsd_record_reader *reader;
    hsd_record record;
    cr_assert_eq(hsd_record_reader_open(&reader, capture, HSD_RECORD_GROUP_TOTAL, &err), HSD_OK);
    for (uint32_t i = 1; i <= categories; i++) {
        const uint64_t count = 1 + i % 3;
        cr_assert_eq(hsd_record_reader_next(reader, &record, &err), HSD_OK, "%s", err.text);
        cr_assert(record.group_total.kind == 0 && record.group_total.key == i && record.group_total.count == count);
        cr_assert_eq(record.group_total.bytes, count * i + count * (count - 1) / 2);
    }
    for (uint32_t kind = 0; kind < 4; kind++) {
        cr_assert_eq(hsd_record_reader_next(reader, &record, &err), HSD_OK, "%s", err.text);
        cr_assert(record.group_total.kind == 1 && record.group_total.key == kind);
        cr_assert_eq(record.group_total.count, kind == 0 ? 3 : 2);
    }
    cr_assert_eq(hsd_record_reader_next(reader, &record, &err), HSD_END);
    hsd_record_reader_close(reader);
    hsd_capture_close(capture);
}

/* So many numbers of 8 bytes are room for what is put together at the end. */
static size_t cells(void)
{
    hsc_writer *w = begin();
    const size_t bytes = w->objects.memory_bytes;
    hsc_close(w);
    return bytes / 8;
}

Test(written, totals_of_many_categories)
{
    const uint32_t room = (uint32_t)(cells() / 4);
    cr_assert(room > 100 && room < 4000);
    expect_categories(1, 1);
    expect_categories(room - 5, 1);
    expect_categories(room - 4, 1);
    expect_categories(room - 3, 2);
    expect_categories(2 * room - 4, 2);
    expect_categories(2 * room - 3, 3);
}

/* Objects of each type with so many sizes. */
static size_t blocks_of_types(uint32_t types, unsigned sizes)
{
    sink.size = 0;
    hsc_writer *w = begin();
    uint64_t id = 0;
    for (uint32_t i = 1; i <= types; i++)
        cr_assert_eq(hsc_define_type(w, i, "t", 1, 0), HSC_OK);
    for (unsigned size = 0; size < sizes; size++) {
        for (uint32_t i = types; i > 0; i--) {
            const hsc_object object = {
                .id = ++id, .type = i, .size_bytes = size == 0 ? 0 : UINT64_C(1) << (size - 1), .native_bytes = i};
            cr_assert(hsc_begin_object(w, &object) == HSC_OK && hsc_end_object(w) == HSC_OK);
        }
    }
    return end(w, HSC_BLOCK_TYPE_TOTALS, types);
}

Test(written, totals_of_many_types)
{
    options.compression = 0;
    const uint32_t room = (uint32_t)((cells() - 3 * HSC_HISTOGRAM_BUCKETS) / (5 + 3 * 3));
    cr_assert(room > 65 && room < 1000);
    cr_assert_eq(blocks_of_types(1, HSC_HISTOGRAM_BUCKETS), 1);
    cr_assert_eq(blocks_of_types(room - 1, 3), 1);
    cr_assert_eq(blocks_of_types(room, 3), 1);
    cr_assert_eq(blocks_of_types(room + 1, 3), 2);
    cr_assert_eq(blocks_of_types(2 * room, 1), 2);
    cr_assert_eq(blocks_of_types(2 * room + 1, 1), 3);
    /* There is room for three buckets a type, and for all of one more. */
    const size_t fit = room * 3 / HSC_HISTOGRAM_BUCKETS + 1;
    cr_assert_eq(blocks_of_types((uint32_t)fit, HSC_HISTOGRAM_BUCKETS), 1);
    cr_assert_eq(blocks_of_types((uint32_t)fit + 1, HSC_HISTOGRAM_BUCKETS), 2);
    cr_assert_eq(blocks_of_types((uint32_t)(2 * fit + 1), HSC_HISTOGRAM_BUCKETS), 3);
}

/* ---- the index ---- */

/* Strings so long that each is a block. */
static size_t blocks_of_index(uint32_t strings)
{
    static char text[8192];
    memset(text, 's', sizeof text);
    sink.size = 0;
    options.compression = 0;
    hsc_writer *w = begin();
    for (uint32_t i = 1; i <= strings; i++)
        cr_assert_eq(hsc_define_string(w, i, text, sizeof text), HSC_OK);
    return end(w, HSC_BLOCK_INDEX, strings + 1);
}

Test(written, an_index_of_many_blocks)
{
    options.compression = 0;
    const uint32_t room = (uint32_t)(cells() / 5);
    cr_assert(room > 100 && room < 1000);
    cr_assert_eq(blocks_of_index(room - 2), 1);
    cr_assert_eq(blocks_of_index(room - 1), 1);
    cr_assert_eq(blocks_of_index(room), 2);
    cr_assert_eq(blocks_of_index(2 * room - 1), 2);
    cr_assert_eq(blocks_of_index(2 * room), 3);
}

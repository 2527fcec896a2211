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

/* ---- objects and edges ---- */

/* Some have all facts, some have none, over many blocks: none has those of another. */
Test(written, facts_are_those_of_their_object)
{
    enum { OBJECTS = 3000 };
    options.facts = HSC_FACT_VALUES;
    hsc_writer *w = begin();
    define_strings(w, 3);
    cr_assert_eq(hsc_define_site(w, 3, 0, 0, 0, 0, 0), HSC_OK);
    for (uint32_t i = 1; i <= OBJECTS; i++) {
        const uint32_t has = i * 2654435761u >> 30; /* 0 to 3 */
        hsc_object object = {.id = i, .type = 0};
        if (has > 0) {
            object = (hsc_object){.id = i, .size_bytes = i, .native_bytes = i + 1, .elements = i + 2, .age = i + 3};
            object.identity = i + 4, object.content = i + 5, object.name = 1, object.category = 2, object.site = 3;
        }
        cr_assert_eq(hsc_begin_object(w, &object), HSC_OK);
        if (has > 1) cr_assert_eq(hsc_value(w, "value", has), HSC_OK);
        cr_assert_eq(hsc_end_object(w), HSC_OK);
    }
    cr_assert_gt(end(w, HSC_BLOCK_OBJECTS, OBJECTS), 3);
    hsd_capture *capture = opened();
    hsd_object_reader *reader;
    hsd_object o;
    cr_assert_eq(hsd_object_reader_open(&reader, capture, HSD_WANT_ALL, &err), HSD_OK);
    for (uint32_t i = 1; i <= OBJECTS; i++) {
        const uint32_t has = i * 2654435761u >> 30;
        const uint64_t all = has > 0 ? UINT64_MAX : 0;
        cr_assert_eq(hsd_object_reader_next(reader, &o, &err), HSD_OK, "%s", err.text);
        cr_assert(o.id == i && o.size_bytes == (all & i) && o.native_bytes == (all & (i + 1)) &&
                      o.elements == (all & (i + 2)) && o.age == (all & (i + 3)) && o.identity == (all & (i + 4)) &&
                      o.content == (all & (i + 5)) && o.name == (all & 1) && o.category == (all & 2) &&
                      o.site == (all & 3),
                  "object %u", (unsigned)i);
        cr_assert(o.value.size == (has > 1 ? has : 0) && memcmp(o.value.data, "value", o.value.size) == 0);
    }
    hsd_object_reader_close(reader);
    hsd_capture_close(capture);
}

/* Targets near their sources are written as differences to them, and nothing else is. */
Test(written, edges_are_relative_to_their_sources)
{
    enum { EDGES = 1000 };
    static size_t offsets[MOST_BLOCKS];
    options.compression = 0;
    options.memory_bytes = 1 << 20;
    hsc_writer *w = begin();
    for (uint32_t i = 1; i <= EDGES; i++) {
        const uint64_t source = i * 2654435761u % 1000000 * 8;
        cr_assert_eq(hsc_edge(w, source, source + 8 * (i % 5), 0, source + i % 3), HSC_OK);
    }
    cr_assert_eq(end(w, HSC_BLOCK_EDGES, EDGES), 1);
    const size_t blocks = block_offsets(sink.bytes, sink.size, offsets, MOST_BLOCKS);
    unsigned relative = 0;
    for (size_t i = 0; i < blocks; i++) {
        const unsigned char *header = sink.bytes + offsets[i];
        if (header[4] != HSC_BLOCK_EDGES) continue;
        const unsigned char *at = header + HSC_BLOCK_HEADER_BYTES, *behind = at + hsd_get_u32(header + 36);
        for (; at < behind; at += HSC_COLUMN_HEADER_BYTES + hsd_get_u32(at + 8)) {
            const bool is_relative = at[1] >> 4 == HSC_TRANSFORM_SOURCE;
            cr_assert_eq(is_relative, at[0] == HSC_COL_REF_TARGET, "column %u", at[0]);
            relative += is_relative;
        }
    }
    cr_assert_eq(relative, 1);
}

/* Walking damaged files, the index and the trailer, edges by difference: what the samples of the capture library do not
 * show. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/bytes.h"
#include "format/scan.h"
#include "io/checksum.h"
#include "support/random.h"
#include "unit/format/legal.h"

static hsd_error err;

/* ---- walking over damage ---- */

/* The legal capture with `garbage` put in before block `block`. */
static hsd_buffer with_garbage(const forge *f, size_t block, const uint8_t *garbage, size_t size)
{
    hsd_buffer bytes = {0};
    const size_t at = (size_t)f->blocks.refs[block].offset_bytes;
    cr_assert_eq(hsd_buffer_append(&bytes, f->bytes.data, at, NULL), HSD_OK);
    cr_assert_eq(hsd_buffer_append(&bytes, garbage, size, NULL), HSD_OK);
    cr_assert_eq(hsd_buffer_append(&bytes, f->bytes.data + at, f->bytes.size - at, NULL), HSD_OK);
    return bytes;
}

typedef struct notes {
    unsigned count;
    char first[512];
} notes;

static void note(void *context, hsd_note_level level, const char *text)
{
    notes *n = context;
    if (level == HSD_NOTE_DAMAGE && n->count++ == 0) snprintf(n->first, sizeof n->first, "%s", text);
}

static void expect_all_blocks_found(const forge *f, const hsd_buffer *bytes, const char *first_note)
{
    hsd_capture *capture;
    notes n = {0};
    const hsd_run run = {.note = note, .note_context = &n};
    memfile file = memfile_of(bytes->data, bytes->size);
    hsd_error_init(&err);
    cr_assert_eq(hsd_capture_open_fd(&capture, file.fd, "x.hs", HSD_DAMAGE_SKIP, &run, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_capture_get_info(capture)->blocks, f->blocks.count);
    cr_assert_eq(hsd_capture_get_info(capture)->objects, 2);
    cr_assert(!hsd_capture_get_info(capture)->is_complete);
    cr_assert_str_eq(n.first, first_note);
    hsd_capture_close(capture);
}

Test(scan, finds_the_next_block_behind_bytes_of_any_number)
{
    forge f = legal_capture();
    test_random random = {test_seed(41)};
    static uint8_t garbage[700000];
    for (size_t i = 0; i < sizeof garbage; i++)
        garbage[i] = (uint8_t)test_next(&random);
    for (size_t i = 0; i + 4 < sizeof garbage; i += 99)
        memcpy(garbage + i, "HSBK", 4); /* looks like headers */
    /* Around the size of the window, so that a header lies across two of them. */
    static const size_t sizes[] = {1,      55,     56,     57,     262080, 262087, 262088,
                                   262110, 262143, 262144, 262145, 524288, 700000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char text[128], bytes_text[HSD_DIGITS_BYTES], offset_text[HSD_DIGITS_BYTES];
        hsd_buffer bytes = with_garbage(&f, 4, garbage, sizes[i]);
        snprintf(text, sizeof text, "x.hs: %s bytes at byte %s are no block: %s",
                 hsd_group_digits(bytes_text, sizes[i]), hsd_group_digits(offset_text, f.blocks.refs[4].offset_bytes),
                 sizes[i] < 4 ? "no block begins here" : "the checksum of its header does not match");
        expect_all_blocks_found(&f, &bytes, text);
        hsd_buffer_release(&bytes);
    }
    forge_free(&f);
}

Test(scan, tells_steps_apart)
{
    forge f = legal_capture();
    hsd_file file = {0};
    hsd_fault fault;
    hsd_scan scan;
    hsd_scan_step step;
    f.bytes.data[f.blocks.refs[2].offset_bytes + 8] ^= 1; /* damage */
    f.bytes.size -= 200;
    memfile memory = forge_file(&f);
    cr_assert_eq(hsd_input_open(&file.input, memory.path, NULL, &err), HSD_OK);
    cr_assert_eq(hsd_file_read_header(&file, &fault), HSD_OK);
    hsd_scan_begin(&scan, &file);
    for (unsigned i = 0; i < 2; i++) {
        cr_assert_eq(hsd_scan_next(&scan, &step), HSD_OK);
        cr_assert(step.kind == HSD_SCAN_BLOCK && step.is_usable && step.missing == 0 && step.ref.number == i);
    }
    cr_assert_eq(hsd_scan_next(&scan, &step), HSD_OK);
    cr_assert_eq(step.kind, HSD_SCAN_DAMAGE);
    cr_assert_eq(step.bytes, 56 + (uint64_t)f.blocks.refs[2].stored_bytes);
    cr_assert_eq(hsd_scan_next(&scan, &step), HSD_OK);
    cr_assert(step.kind == HSD_SCAN_BLOCK && step.missing == 1 && step.ref.number == 3);
    while (step.kind == HSD_SCAN_BLOCK)
        cr_assert_eq(hsd_scan_next(&scan, &step), HSD_OK);
    cr_assert_eq(step.kind, HSD_SCAN_CUT);
    cr_assert_eq(step.fault.status, HSD_E_TRUNCATED);
    hsd_scan_finish(&scan);
    hsd_input_close(&file.input);
    memfile_close(&memory);
    forge_free(&f);
}

/* ---- blocks that claim too much, sealed with right checksums ---- */

static void expect_text(forge *f, const char *part)
{
    cr_assert_lt(forge_read(f, HSD_DAMAGE_REFUSE, &err), 0);
    cr_assert(strstr(err.text, part) != NULL, "\"%s\"", err.text);
    forge_free(f);
}

Test(block, refuses_lengths_past_the_limits)
{
    forge f = legal_capture();
    uint8_t *header = f.bytes.data + f.blocks.refs[4].offset_bytes;
    hsd_put_u32(header + 36, HSC_MAX_STORED_BYTES + 1);
    forge_reseal(&f);
    cr_assert_str_eq(forge_verify(&f), "10.2");
    expect_text(&f, "FORMAT.md 10.2");

    f = legal_capture();
    header = f.bytes.data + f.blocks.refs[4].offset_bytes;
    header[5] = HSC_CODEC_ZSTD;
    hsd_put_u32(header + 32, HSC_MAX_RAW_BYTES + 1);
    forge_reseal(&f);
    cr_assert_str_eq(forge_verify(&f), "10.1");
    expect_text(&f, "FORMAT.md 10.1");
}

/* Of a header of its own, since the lengths are those of no block here. */
static hsd_status parsed(uint32_t records, uint32_t raw_bytes, uint32_t stored_bytes, hsd_fault *fault)
{
    uint8_t bytes[HSC_BLOCK_HEADER_BYTES];
    hsd_block_header header;
    forge f = legal_capture();
    memcpy(bytes, f.bytes.data + f.blocks.refs[4].offset_bytes, sizeof bytes);
    bytes[5] = HSC_CODEC_ZSTD;
    hsd_put_u32(bytes + 8, records);
    hsd_put_u32(bytes + 32, raw_bytes);
    hsd_put_u32(bytes + 36, stored_bytes);
    hsd_put_u64(bytes + 48, hsd_checksum(bytes, 40, f.seed));
    const uint64_t seed = f.seed;
    forge_free(&f);
    const hsd_status status = hsd_block_header_parse(bytes, seed, &header, fault);
    return status == HSD_OK ? hsd_block_header_check(&header, fault) : status;
}

Test(block, takes_lengths_up_to_the_limits)
{
    const uint32_t records = HSC_MAX_RECORDS, raw = HSC_MAX_RAW_BYTES, stored = HSC_MAX_STORED_BYTES;
    for (unsigned past = 0; past < 8; past++) {
        hsd_fault fault = {0};
        const hsd_status status = parsed(records + (past & 1), raw + (past >> 1 & 1), stored + (past >> 2 & 1), &fault);
        cr_assert_eq(status, past == 0 ? HSD_OK : HSD_E_CORRUPT, "%u: %s", past, fault.error.text);
    }
}

/* As long as a block may be, and all of it there: it is its bytes that are wrong. */
Test(block, is_read_up_to_the_greatest_length)
{
    hsd_input input;
    hsd_block block = {0};
    uint8_t *zeros = calloc(1, HSC_BLOCK_HEADER_BYTES + HSC_MAX_STORED_BYTES);
    memfile file = memfile_of(zeros, HSC_BLOCK_HEADER_BYTES + HSC_MAX_STORED_BYTES);
    hsd_error_init(&err);
    cr_assert_eq(hsd_input_open(&input, file.path, NULL, &err), HSD_OK);
    for (uint32_t past = 0; past < 2; past++) {
        hsd_fault fault = {0};
        hsd_error_init(&fault.error);
        cr_assert_eq(hsd_block_read(&block, &input, &(hsd_block_ref){.stored_bytes = HSC_MAX_STORED_BYTES + past}, 0,
                                    &fault),
                     HSD_E_CORRUPT);
        cr_assert_eq(strcmp(fault.rule, "9.1") == 0, past == 1, "%s", fault.rule);
    }
    hsd_block_release(&block);
    hsd_input_close(&input);
    memfile_close(&file);
    free(zeros);
}

/* ---- index and trailer ---- */

static void set_trailer(forge *f, uint64_t index_offset, uint64_t end_offset)
{
    hsd_put_u64(f->bytes.data + f->bytes.size - 32, index_offset);
    hsd_put_u64(f->bytes.data + f->bytes.size - 24, end_offset);
    forge_reseal(f);
}

Test(index, is_only_found_where_it_is)
{
    forge f = legal_capture();
    const uint64_t index = f.blocks.refs[f.blocks.count - 2].offset_bytes,
                   end = f.blocks.refs[f.blocks.count - 1].offset_bytes;
    set_trailer(&f, index, index);
    expect_text(&f, "the places that the trailer tells of cannot be");
    f = legal_capture();
    set_trailer(&f, 0, end);
    expect_text(&f, "the places that the trailer tells of cannot be");
    f = legal_capture();
    set_trailer(&f, index, index + 1);
    expect_text(&f, "no block begins here");
    f = legal_capture();
    set_trailer(&f, f.blocks.refs[3].offset_bytes, f.blocks.refs[4].offset_bytes);
    expect_text(&f, "the trailer leads to objects, not to the end record");
    f = legal_capture();
    set_trailer(&f, f.blocks.refs[4].offset_bytes, end);
    expect_text(&f, "the trailer leads to objects, not to the index");
    f = legal_capture();
    set_trailer(&f, index, UINT64_MAX);
    expect_text(&f, "inside the header of a block");
}

/* Two END blocks: the trailer leads to the first. */
Test(index, is_followed_by_end_and_trailer_alone)
{
    forge f = legal_capture();
    const uint64_t end = f.blocks.refs[f.blocks.count - 1].offset_bytes;
    f.bytes.size -= HSC_TRAILER_BYTES;
    forge_number(&f, HSC_END_STATE, HSC_STATE_COMPLETE);
    forge_block(&f, HSC_BLOCK_END, 0, 1, 0);
    uint8_t trailer[HSC_TRAILER_BYTES];
    hsd_trailer_build(trailer, f.seed, &(hsd_trailer){f.blocks.refs[f.blocks.count - 3].offset_bytes, end});
    cr_assert_eq(hsd_buffer_append(&f.bytes, trailer, sizeof trailer, NULL), HSD_OK);
    cr_assert_str_eq(forge_verify(&f), "9.2");
    expect_text(&f, "the trailer does not follow the end record");
}

Test(index, must_be_there_and_whole)
{
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    const uint64_t end = f.bytes.size;
    forge_number(&f, HSC_END_STATE, HSC_STATE_COMPLETE);
    forge_number(&f, HSC_END_BLOCKS, 1);
    forge_block(&f, HSC_BLOCK_END, 0, 2, 0);
    uint8_t trailer[HSC_TRAILER_BYTES];
    hsd_trailer_build(trailer, f.seed, &(hsd_trailer){64, end});
    cr_assert_eq(hsd_buffer_append(&f.bytes, trailer, sizeof trailer, NULL), HSD_OK);
    cr_assert_str_eq(forge_verify(&f), "2.3");
    expect_text(&f, "the trailer leads to info, not to the index");

    f = forge_begin();
    forge_info(&f, 0, 0);
    legal_put_strings(&f);
    f.blocks.count--; /* the index does not know of it */
    forge_finish(&f, HSC_STATE_COMPLETE);
    cr_assert_str_eq(forge_verify(&f), "9.1");
    expect_text(&f, "FORMAT.md 9.1");
}

Test(capture, tells_of_missing_and_refused_blocks_when_the_trailer_is_gone)
{
    forge f = legal_capture();
    const size_t at = (size_t)f.blocks.refs[2].offset_bytes, next = (size_t)f.blocks.refs[3].offset_bytes;
    memmove(f.bytes.data + at, f.bytes.data + next, f.bytes.size - next);
    f.bytes.size -= next - at + 1;
    expect_text(&f, "1 blocks are missing before it");
    f = legal_capture();
    f.bytes.data[f.blocks.refs[2].offset_bytes + 4] = 99;
    forge_reseal(&f);
    f.bytes.size--;
    expect_text(&f, "block 2 is of type 99");
}

Test(facts, refuse_an_end_without_a_state)
{
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    forge_number(&f, HSC_END_OBJECTS, 0);
    forge_block(&f, HSC_BLOCK_END, 0, 1, 0);
    cr_assert_str_eq(forge_verify(&f), "8.4");
    forge_free(&f);
}

/* ---- edges as differences to their source ---- */

static void read_edges(forge *f, const uint64_t *sources, const uint64_t *targets, size_t count)
{
    hsd_capture *capture;
    hsd_record_reader *reader;
    hsd_record record;
    f->end[HSC_END_EDGES] = count;
    forge_finish(f, HSC_STATE_COMPLETE);
    memfile file = forge_file(f);
    hsd_error_init(&err);
    cr_assert_eq(hsd_capture_open_fd(&capture, file.fd, "x.hs", HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_record_reader_open(&reader, capture, HSD_RECORD_EDGE, &err), HSD_OK);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(hsd_record_reader_next(reader, &record, &err), HSD_OK, "%s", err.text);
        cr_assert_eq(record.edge.source, sources[i]);
        cr_assert_eq(record.edge.target, targets[i], "edge %zu", i);
    }
    cr_assert_eq(hsd_record_reader_next(reader, &record, &err), HSD_END);
    hsd_record_reader_close(reader);
    hsd_capture_close(capture);
    forge_free(f);
}

Test(edges, give_targets_as_differences_to_sources)
{
    /* coded 2, 1, 4 with shift 3: +8, -8, +16 */
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    forge_raw_column(&f, HSC_COL_REF_TARGET, HSC_CODING_PACKED, HSC_TRANSFORM_SOURCE, 3, 3, "\0\2\1\4", 4);
    FORGE(&f, HSC_COL_EDGE_SOURCE, 100, 200, 300);
    forge_block(&f, HSC_BLOCK_EDGES, 0, 3, 0);
    read_edges(&f, (const uint64_t[]){100, 200, 300}, (const uint64_t[]){108, 192, 316}, 3);

    /* one difference for all, from one source for all; and from sources that ascend by 5 */
    f = forge_begin();
    forge_info(&f, 0, 0);
    forge_raw_column(&f, HSC_COL_REF_TARGET, HSC_CODING_CONSTANT, HSC_TRANSFORM_SOURCE, 0, 2, "\2\0\0\0\0\0\0\0", 8);
    FORGE(&f, HSC_COL_EDGE_SOURCE, 100, 100);
    forge_block(&f, HSC_BLOCK_EDGES, 0, 2, 0);
    forge_raw_column(&f, HSC_COL_REF_TARGET, HSC_CODING_CONSTANT, HSC_TRANSFORM_SOURCE, 0, 2, "\1\0\0\0\0\0\0\0", 8);
    forge_raw_column(&f, HSC_COL_EDGE_SOURCE, HSC_CODING_CONSTANT, HSC_TRANSFORM_DELTA, 0, 2, "\x0A\0\0\0\0\0\0\0", 8);
    forge_block(&f, HSC_BLOCK_EDGES, 0, 2, 0);
    read_edges(&f, (const uint64_t[]){100, 100, 5, 10}, (const uint64_t[]){101, 101, 4, 9}, 4);

    /* no source column: every source is 0 */
    f = forge_begin();
    forge_info(&f, 0, 0);
    forge_raw_column(&f, HSC_COL_REF_TARGET, HSC_CODING_PACKED, HSC_TRANSFORM_SOURCE, 0, 2, "\0\2\1", 3);
    forge_block(&f, HSC_BLOCK_EDGES, 0, 2, 0);
    read_edges(&f, (const uint64_t[]){0, 0}, (const uint64_t[]){1, UINT64_MAX}, 2);
}

/* The same for objects, with and without a wish for ids. */
Test(objects, give_targets_as_differences_whatever_is_wanted)
{
    hsd_capture *capture;
    hsd_object_reader *reader;
    hsd_object o;
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    forge_raw_column(&f, HSC_COL_ID, HSC_CODING_CONSTANT, HSC_TRANSFORM_DELTA, 4, 3, "\2\0\0\0\0\0\0\0",
                     8); /* 16, 32, 48 */
    FORGE(&f, HSC_COL_REF_COUNT, 2, 0, 1);
    forge_raw_column(&f, HSC_COL_REF_TARGET, HSC_CODING_PACKED, HSC_TRANSFORM_SOURCE, 4, 3, "\0\2\4\1",
                     4); /* +16 +32 | | -16 */
    forge_block(&f, HSC_BLOCK_OBJECTS, 0, 3, 0);
    f.end[HSC_END_OBJECTS] = f.end[HSC_END_REFERENCES] = 3;
    forge_finish(&f, HSC_STATE_COMPLETE);
    memfile file = forge_file(&f);
    hsd_error_init(&err);
    cr_assert_eq(hsd_capture_open_fd(&capture, file.fd, "x.hs", HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    for (unsigned want = 0; want <= HSD_WANT_ALL; want++) {
        if (!(want & HSD_WANT_REFERENCES)) continue;
        cr_assert_eq(hsd_object_reader_open(&reader, capture, want, &err), HSD_OK);
        cr_assert_eq(hsd_object_reader_next(reader, &o, &err), HSD_OK);
        cr_assert(o.id == (want & HSD_WANT_IDS ? 16 : 0) && o.reference_count == 2 && o.targets[0] == 32 &&
                  o.targets[1] == 48);
        cr_assert_eq(hsd_object_reader_next(reader, &o, &err), HSD_OK);
        cr_assert_eq(o.reference_count, 0);
        cr_assert_eq(hsd_object_reader_next(reader, &o, &err), HSD_OK);
        cr_assert(o.reference_count == 1 && o.targets[0] == 32);
        hsd_object_reader_close(reader);
    }
    hsd_capture_close(capture);
    forge_free(&f);
}

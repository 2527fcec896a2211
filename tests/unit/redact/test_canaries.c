/*
 * A thousand canaries in every place of a capture that holds a text or what can be computed from one, and none in the
 * copy: its blocks are unpacked and searched byte for byte. Then the same for texts that a hostile producer would
 * write.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hscapture/hscapture.h>
#include <hsdiff/redact.h>

#include "core/layout.h"
#include "format/scan.h"
#include "support/memfile.h"
#include "unit/format/legal.h"
#include "unit/symbols/rewritten.h"

#define CANARIES 1000

/* What stands in each: found however it is cut, in either case of letters. */
static const char marks[][16] = {"CaNaRy", "4711999", "k\xc3\xa4nguru"};

/* `#` stands for the number. */
static void make_canary(char *out, size_t room, unsigned i)
{
    static const char *const forms[] = {"CaNaRy#",
                                        "com.CaNaRy#.Cart$CaNaRy#[]",
                                        "CaNaRy_#@example.com",
                                        "user:4711999#",
                                        "4711999#",
                                        "k\xc3\xa4nguru#",
                                        "(CaNaRy#)",
                                        "CaNaRy#.js",
                                        "std::map<CaNaRy#, int>",
                                        "CaNaRy#_malloc",
                                        "id=4711999# x=\"CaNaRy#\"",
                                        "/home/CaNaRy#/src/CaNaRy.py",
                                        "thread \"CaNaRy#\"",
                                        "<=48 B at CaNaRy#",
                                        "system / Script / CaNaRy#",
                                        "libCaNaRy#.so+0x1af0{4711999}"};
    size_t used = 0;
    for (const char *at = forms[i % (sizeof forms / sizeof forms[0])]; *at != '\0' && used + 12 < room; at++)
        used += (size_t)(*at == '#' ? snprintf(out + used, room - used, "%u", i) : snprintf(out + used, 2, "%c", *at));
}

typedef struct canary_file {
    uint8_t *data;
    size_t size, capacity;
} canary_file;

static ptrdiff_t take_bytes(void *context, const void *bytes, size_t size)
{
    canary_file *file = context;
    if (file->size + size > file->capacity) {
        file->capacity = 2 * (file->size + size);
        file->data = realloc(file->data, file->capacity);
        if (file->data == NULL) return -1;
    }
    memcpy(file->data + file->size, bytes, size);
    file->size += size;
    return (ptrdiff_t)size;
}

static void put_objects(hsc_writer *w)
{
    for (uint32_t i = 1; i <= CANARIES; i++) {
        char text[128];
        make_canary(text, sizeof text, i);
        const hsc_object object = {.id = 64 * (uint64_t)i,
                                   .size_bytes = 48,
                                   .content = 0xCAFE0000u + i,
                                   .type = i,
                                   .site = i,
                                   .name = i,
                                   .category = i};
        cr_assert_eq(hsc_begin_object(w, &object), HSC_OK);
        cr_assert_eq(hsc_value(w, text, strlen(text)), HSC_OK);
        cr_assert_eq(hsc_reference(w, 64 * (uint64_t)(i % CANARIES + 1), i, 0), HSC_OK);
        cr_assert_eq(hsc_end_object(w), HSC_OK);
        cr_assert_eq(
            hsc_root(w,
                     &(hsc_root_record){
                         .kind = HSC_ROOT_STACK, .label = i, .target = 64 * (uint64_t)i, .thread = i, .frame = 1}),
            HSC_OK);
    }
}

static void put_tables(hsc_writer *w)
{
    for (uint32_t i = 1; i <= CANARIES; i++) {
        char text[128];
        make_canary(text, sizeof text, i);
        cr_assert_eq(hsc_define_string(w, i, text, strlen(text)), HSC_OK);
        cr_assert_eq(hsc_define_type(w, i, text, strlen(text), 0), HSC_OK);
        cr_assert_eq(hsc_define_label(w, i, HSC_LABEL_KEY, 0, i), HSC_OK);
        cr_assert_eq(hsc_define_site(w, i, i - 1 == 0 || i % 8 == 0 ? 0 : i - 1, i, i, i, 1), HSC_OK);
        cr_assert_eq(hsc_define_thread(w, i, i), HSC_OK);
        cr_assert_eq(hsc_frame(w, i, 0, i, i, i), HSC_OK);
        cr_assert_eq(hsc_metric(w, text, i % 2 ? "bytes" : "CaNaRy", i), HSC_OK);
        cr_assert_eq(hsc_loss(w, text, i), HSC_OK);
    }
}

static canary_file write_canaries(bool is_cut)
{
    canary_file file = {0};
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    options.producer = "CaNaRy producer";
    options.runtime = "V8 CaNaRy";
    options.process_name = "CaNaRy.py";
    options.source_format = "4711999";
    options.facts = HSC_FACT_VALUES;
    cr_assert_eq(hsc_open(&w, &(hsc_sink){.write = take_bytes, .context = &file}, &options), HSC_OK);
    put_tables(w);
    put_objects(w);
    if (is_cut) hsc_mark_incomplete(w, "CaNaRy ended");
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
    return file;
}

/* ---- looking for them ---- */

static char small(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

static size_t count_of(const uint8_t *bytes, size_t size, const char *mark)
{
    size_t count = 0;
    const size_t length = strlen(mark);
    for (size_t at = 0; at + length <= size; at++) {
        size_t same = 0;
        while (same < length && small((char)bytes[at + same]) == small(mark[same]))
            same++;
        count += same == length;
    }
    return count;
}

static size_t count_canaries(const uint8_t *bytes, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        count += count_of(bytes, size, marks[i]);
    return count;
}

/* In the payloads of all blocks, unpacked, and in the file as it is. */
static size_t canaries_in(const uint8_t *bytes, size_t size)
{
    memfile file = memfile_of(bytes, size);
    hsd_file opened = {.input = {.fd = -1}};
    hsd_fault fault;
    hsd_block block = {0};
    hsd_scan scan;
    hsd_scan_step step;
    hsd_error err;
    size_t count = count_canaries(bytes, size), blocks = 0;
    cr_assert_eq(hsd_input_open_fd(&opened.input, open(file.path, O_RDONLY | O_CLOEXEC), "", NULL, &err), HSD_OK);
    cr_assert_eq(hsd_file_read_header(&opened, &fault), HSD_OK);
    hsd_scan_begin(&scan, &opened);
    while (hsd_scan_next(&scan, &step) == HSD_OK && step.kind == HSD_SCAN_BLOCK) {
        cr_assert_eq(hsd_block_load(&block, &opened.input, &step.ref, opened.header.seed, &fault), HSD_OK);
        count += count_canaries(block.payload, block.header.raw_bytes);
        blocks++;
    }
    cr_assert_gt(blocks, 8);
    hsd_scan_finish(&scan);
    hsd_block_release(&block);
    hsd_input_close(&opened.input);
    memfile_close(&file);
    return count;
}

static uint8_t *redacted(const canary_file *file, const hsd_redact_options *options, size_t *size,
                         hsd_redact_result *result)
{
    static const hsd_redact_key key = {.bytes = {7, 7}};
    memfile in = memfile_of(file->data, file->size), out = memfile_of("", 0);
    const int in_fd = open(in.path, O_RDONLY | O_CLOEXEC), out_fd = open(out.path, O_WRONLY | O_CLOEXEC);
    hsd_error err;
    hsd_error_init(&err);
    cr_assert_eq(hsd_redact(in_fd, out_fd, &key, options, NULL, result, &err), HSD_OK, "%s", err.text);
    close(in_fd);
    close(out_fd);
    uint8_t *bytes = memfile_read_all(out.path, size);
    memfile_close(&in);
    memfile_close(&out);
    return bytes;
}

static void expect_none(bool is_cut)
{
    size_t size;
    hsd_redact_result result;
    canary_file file = write_canaries(is_cut);
    uint8_t *copy = redacted(&file, NULL, &size, &result);
    const size_t there = canaries_in(file.data, file.size), readable = canaries_in(copy, size);
    cr_expect_geq(there, 4 * CANARIES, "only %zu were put there", there);
    cr_expect_eq(readable, 0, "%zu canaries are readable", readable);
    cr_expect_eq(result.values, CANARIES);
    cr_expect_eq(result.contents, CANARIES);
    cr_expect_eq(result.values_lost, 0);
    cr_expect_eq(faults_of_capture(copy, size), faults_of_capture(file.data, file.size));
    free(copy);
    free(file.data);
}

Test(canaries, of_a_thousand_none_is_readable) { expect_none(false); }

Test(canaries, of_a_capture_that_ended_early_none_is_readable) { expect_none(true); }

/* A hash of contents can be looked up in a list of hashes: none may be what it was. */
Test(canaries, no_hash_of_contents_is_what_it_was)
{
    size_t size;
    hsd_redact_result result;
    canary_file file = write_canaries(false);
    uint8_t *copy = redacted(&file, NULL, &size, &result);
    char *before = text_of_capture(file.data, file.size, HSD_DAMAGE_REFUSE),
         *after = text_of_capture(copy, size, HSD_DAMAGE_REFUSE);
    cr_assert_not_null(before);
    cr_assert_not_null(after);
    for (unsigned i = 1; i <= CANARIES; i++) {
        char hash[32];
        snprintf(hash, sizeof hash, "content=0x%x ", 0xCAFE0000u + i);
        cr_assert_not_null(strstr(before, hash));
        cr_assert_null(strstr(after, hash));
    }
    free(before);
    free(after);
    free(copy);
    free(file.data);
}

/* ---- hostile texts ---- */

Test(canaries, texts_of_any_bytes_and_length_are_replaced)
{
    static char large[HSC_MAX_TEXT_BYTES];
    static const struct {
        const char *text;
        size_t size;
    } texts[] = {{"", 0},
                 {"\0CaNaRy\0", 8},
                 {"CaNaRy\xff\xfe", 8},
                 {"\xed\xa0\x80 CaNaRy", 10},
                 {"\x1b[31mCaNaRy", 11},
                 {large, sizeof large},
                 {large + 1, sizeof large - 1},
                 {"malloc\0CaNaRy", 13},
                 {"std::map<CaNaRy", 15},
                 {"=CaNaRy()", 9},
                 {"<CaNaRy>&\"'", 11}};
    canary_file file = {0};
    hsc_writer *w;
    hsc_options options;
    size_t size;
    hsd_redact_result result;
    for (size_t i = 0; i < sizeof large; i++)
        large[i] = "CaNaRy. $"[i % 9];
    hsc_options_init(&options);
    cr_assert_eq(hsc_open(&w, &(hsc_sink){.write = take_bytes, .context = &file}, &options), HSC_OK);
    for (uint32_t i = 0; i < 66; i++) {
        const size_t n = i % (sizeof texts / sizeof texts[0]);
        cr_assert_eq(hsc_define_string(w, i + 1, texts[n].text, texts[n].size), HSC_OK);
        cr_assert_eq(hsc_define_type(w, i + 1, texts[n].text, texts[n].size, 0), HSC_OK);
        cr_assert_eq(hsc_begin_object(
                         w,
                         &(hsc_object){.id = 16 * (uint64_t)(i + 1), .size_bytes = 16, .type = i + 1, .name = i + 1}),
                     HSC_OK);
        cr_assert_eq(hsc_end_object(w), HSC_OK);
    }
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
    uint8_t *copy = redacted(&file, NULL, &size, &result);
    cr_expect_geq(canaries_in(file.data, file.size), 66);
    cr_expect_eq(canaries_in(copy, size), 0);
    cr_expect_eq(faults_of_capture(copy, size), 0);
    free(copy);
    free(file.data);
}

/* ---- what is not known, and what has no room ---- */

static void put_later(forge *f)
{
    FORGE(f, HSC_COL_KEY, 40);
    FORGE(f, HSC_COL_TEXT_BYTES, 3);
    forge_text(f, HSC_COL_TEXT, "abc");
    forge_text(f, 130, "CaNaRy in a column");
    f->end[HSC_END_STRINGS]++;
    forge_block(f, HSC_BLOCK_STRINGS, 0, 1, 0);
    FORGE(f, HSC_COL_KEY, 41);
    forge_text(f, 131, "CaNaRy in a column of numbers");
    f->end[HSC_END_THREADS]++;
    forge_block(f, HSC_BLOCK_THREADS, 0, 1, 0);
    forge_text(f, 132, "CaNaRy in a block");
    forge_block(f, 200, 0, 1, 0);
    forge_text(f, 133, "CaNaRy alone");
    forge_block(f, HSC_BLOCK_EDGES, 0, 1, 0);
    f->end[HSC_END_EDGES]++;
}

Test(canaries, what_a_later_version_put_there_is_left_out)
{
    size_t size;
    hsd_redact_result result;
    forge f = forge_begin();
    forge_bytes(&f, HSC_INFO_CAPTURE_ID, f.id, sizeof f.id);
    forge_bytes(&f, 999, "CaNaRy", 6);
    forge_block(&f, HSC_BLOCK_INFO, 0, f.facts, 0);
    legal_put_tables(&f);
    put_later(&f);
    legal_put_objects(&f);
    legal_put_roots(&f);
    legal_put_end(&f);
    const canary_file file = {.data = f.bytes.data, .size = f.bytes.size};
    cr_expect_eq(canaries_in(file.data, file.size), 2 * 5, "stored blocks are counted as they are and unpacked");
    uint8_t *copy = redacted(&file, NULL, &size, &result);
    cr_expect_eq(canaries_in(copy, size), 0);
    cr_expect_eq(result.left_out, 5 - 1, "columns of texts are left out with their blocks");
    cr_expect_eq(faults_of_capture(copy, size), faults_of_capture(file.data, file.size));
    free(copy);
    forge_free(&f);
}

Test(canaries, previews_that_have_no_room_are_left_out)
{
    enum { OBJECTS = 1100, PREVIEW = 583 };
    static uint64_t ids[OBJECTS], sizes[OBJECTS];
    static char previews[OBJECTS * PREVIEW];
    size_t size;
    hsd_redact_result result;
    forge f = forge_begin();
    forge_info(&f, 0, HSC_FACT_VALUES);
    for (size_t i = 0; i < OBJECTS; i++) {
        ids[i] = 16 * (i + 1);
        sizes[i] = PREVIEW;
        for (size_t at = 0; at < PREVIEW; at++)
            previews[i * PREVIEW + at] = "x=7 "[at % 4];
    }
    forge_column(&f, HSC_COL_ID, ids, OBJECTS);
    forge_column(&f, HSC_COL_VALUE_BYTES, sizes, OBJECTS);
    forge_raw_column(&f, HSC_COL_VALUE, HSC_CODING_BYTES, 0, 0, sizeof previews, previews, sizeof previews);
    forge_block(&f, HSC_BLOCK_OBJECTS, 0, OBJECTS, 0);
    f.end[HSC_END_OBJECTS] = OBJECTS;
    forge_finish(&f, HSC_STATE_COMPLETE);
    const canary_file file = {.data = f.bytes.data, .size = f.bytes.size};
    uint8_t *copy = redacted(&file, NULL, &size, &result);
    cr_expect_eq(result.values, OBJECTS);
    cr_expect_gt(result.values_lost, 0);
    cr_expect_lt(result.values_lost, OBJECTS / 2);
    cr_expect_eq(faults_of_capture(copy, size), faults_of_capture(file.data, file.size));
    free(copy);
    forge_free(&f);
}

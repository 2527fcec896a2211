/*
 * The gzip filter: the same bytes whatever the members, faults found, rewinding; and HPROF through it.
 */
#include "import/gzip.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/import/hprof_case.h"

#define SIZE ((size_t)300000)

static uint8_t data[SIZE];

static void fill(void)
{
    for (size_t i = 0; i < SIZE; i++)
        data[i] = (uint8_t)(i * 2654435761u >> 15);
}

TestSuite(gzip, .init = fill);

/* Reads a source to its end or fault. */
static hsd_status drain(hsd_source *source, size_t *size, bool *equal, hsd_error *err)
{
    *size = 0;
    *equal = true;
    for (;;) {
        const hsd_status status = hsd_source_peek(source, 1, err);
        if (status != HSD_OK) return status;
        const size_t ahead = hsd_source_ahead(source);
        *equal = *equal && *size + ahead <= SIZE && memcmp(source->at, data + *size, ahead) == 0;
        *size += ahead;
        hsd_source_take(source, ahead);
    }
}

typedef struct opened {
    hsd_source below, source;
    hsd_error err;
} opened;

static void open_gzip(opened *o, const void *bytes, size_t size)
{
    hsd_error_init(&o->err);
    cr_assert(hsd_source_open_memory(&o->below, (hsd_bytes){bytes, size}, "a.gz", &o->err) == HSD_OK);
    cr_assert(hsd_gzip_open(&o->source, &o->below, 4096, true, &o->err) == HSD_OK);
}

static void close_gzip(opened *o)
{
    hsd_source_close(&o->source);
    hsd_source_close(&o->below);
}

Test(gzip, gives_the_same_bytes_whatever_the_members)
{
    static const size_t members[] = {0, 1 << 16, 4096, 4095, 1000};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        size_t size = 0, got = 0;
        bool equal = false;
        opened o;
        uint8_t *packed = case_gzip(data, SIZE, members[i], &size);
        cr_expect(hsd_gzip_probe(packed, size));
        open_gzip(&o, packed, size);
        cr_expect(drain(&o.source, &got, &equal, &o.err) == HSD_END);
        cr_expect(got == SIZE && equal);
        close_gzip(&o);
        free(packed);
    }
}

Test(gzip, of_nothing_is_nothing)
{
    size_t size = 0, got = 0;
    bool equal = false;
    opened o;
    uint8_t *packed = case_gzip(data, 0, 0, &size);
    open_gzip(&o, packed, size);
    cr_expect(drain(&o.source, &got, &equal, &o.err) == HSD_END && got == 0);
    close_gzip(&o);
    free(packed);
}

Test(gzip, zeros_behind_the_last_member_are_padding_and_nothing_else_is)
{
    size_t size = 0, got = 0;
    bool equal = false;
    opened o;
    uint8_t *packed = case_gzip(data, SIZE, 100000, &size);
    packed = realloc(packed, size + 64);
    cr_assert_not_null(packed);
    memset(packed + size, 0, 64);
    open_gzip(&o, packed, size + 64);
    cr_expect(drain(&o.source, &got, &equal, &o.err) == HSD_END && got == SIZE && equal);
    close_gzip(&o);
    packed[size + 40] = 'x';
    open_gzip(&o, packed, size + 64);
    cr_expect(drain(&o.source, &got, &equal, &o.err) == HSD_E_CORRUPT && got == SIZE);
    cr_expect(o.err.offset_bytes == size + 40);
    cr_expect(drain(&o.source, &got, &equal, &o.err) == HSD_E_CORRUPT && got == 0); /* for ever */
    close_gzip(&o);
    free(packed);
}

Test(gzip, cut_anywhere_delivers_what_came_before)
{
    size_t size = 0, got = 0;
    bool equal = false;
    uint8_t *packed = case_gzip(data, 60000, 20000, &size);
    for (size_t cut = 10; cut < size; cut += 61) {
        opened o;
        open_gzip(&o, packed, cut);
        const hsd_status status = drain(&o.source, &got, &equal, &o.err);
        cr_expect(status == HSD_E_TRUNCATED || (status == HSD_END && got % 20000 == 0), "cut at %zu", cut);
        cr_expect(equal && got <= 60000);
        close_gzip(&o);
    }
    free(packed);
}

Test(gzip, flipped_bits_are_found)
{
    size_t size = 0, got = 0;
    bool equal = false;
    uint8_t *packed = case_gzip(data, 60000, 20000, &size);
    unsigned unnoticed = 0;
    for (size_t at = 10; at < size; at += 37) { /* the header's time and system mean nothing */
        opened o;
        packed[at] ^= 0x10;
        open_gzip(&o, packed, size);
        const hsd_status status = drain(&o.source, &got, &equal, &o.err);
        if (status == HSD_END && !equal) unnoticed++;
        close_gzip(&o);
        packed[at] ^= 0x10;
    }
    cr_expect(unnoticed == 0);
    free(packed);
}

Test(gzip, goes_back_and_forth)
{
    size_t size = 0, got = 0;
    bool equal = false;
    opened o;
    uint8_t *packed = case_gzip(data, SIZE, 70000, &size);
    open_gzip(&o, packed, size);
    cr_assert(drain(&o.source, &got, &equal, &o.err) == HSD_END);
    cr_assert(hsd_source_rewind(&o.source, &o.err) == HSD_OK);
    cr_expect(drain(&o.source, &got, &equal, &o.err) == HSD_END && got == SIZE && equal);
    static const uint64_t offsets[] = {150000, 150001, 10, SIZE - 1, 70000, 0};
    for (size_t i = 0; i < 6; i++) {
        cr_assert(hsd_source_seek(&o.source, offsets[i], &o.err) == HSD_OK);
        cr_assert(hsd_source_peek(&o.source, 1, &o.err) == HSD_OK);
        cr_expect(*o.source.at == data[offsets[i]] && hsd_source_offset(&o.source) == offsets[i]);
    }
    cr_expect(hsd_source_seek(&o.source, SIZE + 1, &o.err) == HSD_E_TRUNCATED);
    close_gzip(&o);
    free(packed);
}

Test(gzip, that_cannot_go_back_says_so)
{
    size_t size = 0;
    hsd_source below, source;
    hsd_error err;
    hsd_error_init(&err);
    uint8_t *packed = case_gzip(data, 1000, 0, &size);
    cr_assert(hsd_source_open_memory(&below, (hsd_bytes){packed, size}, "a.gz", &err) == HSD_OK);
    cr_assert(hsd_gzip_open(&source, &below, 0, false, &err) == HSD_OK);
    cr_expect(hsd_source_rewind(&source, &err) == HSD_E_UNSUPPORTED);
    hsd_source_close(&source);
    hsd_source_close(&below);
    free(packed);
}

Test(gzip, shows_its_beginning)
{
    size_t size = 0;
    uint8_t out[1000];
    uint8_t *packed = case_gzip(data, SIZE, 5000, &size);
    cr_expect(hsd_source_unpack_prefix(hsd_gzip_open, packed, size, out, sizeof out) == sizeof out);
    cr_expect(memcmp(out, data, sizeof out) == 0);
    cr_expect(hsd_source_unpack_prefix(hsd_gzip_open, packed, 600, out, sizeof out) > 100); /* cut */
    cr_expect(hsd_source_unpack_prefix(hsd_gzip_open, data, SIZE, out, sizeof out) == 0);
    cr_expect(!hsd_gzip_probe(packed, 9));
    free(packed);
}

/* ---- a heap dump inside */

Test(gzip, hprof_reads_the_same_through_it)
{
    const heap_form form = {.segment_every = 8};
    hprof_writer w;
    heap_write(&w, &form);
    static const size_t members[] = {0, 1000, 50};
    for (size_t i = 0; i < 3; i++)
        for (unsigned summary = 0; summary < 2; summary++) {
            size_t size = 0;
            uint8_t *packed = case_gzip(w.data, w.size, members[i], &size);
            cr_expect_str_eq(hsd_import_probe(packed, size), "hprof");
            hprof_case plain = {.options = {.summary_only = summary == 1}}, c = plain;
            case_import(&plain, w.data, w.size);
            case_import(&c, packed, size);
            cr_assert(c.status == HSD_OK, "%s", c.err.text);
            cr_expect(c.result.objects == plain.result.objects && c.result.bytes == plain.result.bytes);
            cr_expect(c.result.references == plain.result.references);
            cr_expect(c.result.input_bytes == size);
            case_close(&plain);
            case_close(&c);
            free(packed);
        }
    hw_free(&w);
}

/* The whole input waits in a pipe, plain or packed; it can be read only once. */
static hsd_import_result import_from_pipe(const void *bytes, size_t size, bool summary_only)
{
    int ends[2], out = -1;
    hsd_import_result result;
    hsd_error err;
    const hsd_import_options options = {.summary_only = summary_only, .compression = 1};
    hsd_error_init(&err);
    cr_assert(pipe(ends) == 0);
    cr_assert(write(ends[1], bytes, size) == (ssize_t)size);
    close(ends[1]);
    cr_assert(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    close(ends[0]);
    cr_assert(hsd_import_temp("-", &options, NULL, &out, &result, &err) == HSD_OK, "%s", err.text);
    close(out);
    return result;
}

Test(gzip, hprof_comes_through_a_pipe)
{
    const heap_form forms[2] = {{.segment_every = 8}, {.version = "1.0.1", .dump_tag = 0x0C}};
    for (unsigned i = 0; i < 4; i++) {
        hprof_writer w;
        size_t size = 0;
        heap_write(&w, &forms[i % 2]);
        uint8_t *packed = case_gzip(w.data, w.size, 900, &size);
        const hsd_import_result plain = import_from_pipe(w.data, w.size, i < 2);
        const hsd_import_result unpacked = import_from_pipe(packed, size, i < 2);
        cr_expect(plain.objects == heap_object_count(1) + HEAP_CLASS_COUNT);
        cr_expect(unpacked.objects == plain.objects && unpacked.bytes == plain.bytes);
        cr_expect(plain.input_bytes == w.size && unpacked.input_bytes == size);
        free(packed);
        hw_free(&w);
    }
}

Test(gzip, hprof_of_one_record_finds_its_end)
{
    const heap_form form = {.version = "1.0.1", .dump_tag = 0x0C};
    hprof_writer w;
    heap_write(&w, &form);
    for (unsigned summary = 0; summary < 2; summary++) {
        size_t size = 0;
        uint8_t *packed = case_gzip(w.data, w.size, 700, &size);
        hprof_case c = {.options = {.summary_only = summary == 1}};
        case_import(&c, packed, size);
        cr_expect(c.status == HSD_OK && c.view.info->is_complete, "%s", c.err.text);
        case_close(&c);
        free(packed);
    }
    hw_free(&w);
}

Test(gzip, hprof_that_is_cut_gives_what_is_there)
{
    const heap_form forms[2] = {{.segment_every = 8}, {.version = "1.0.1", .dump_tag = 0x0C}};
    for (unsigned i = 0; i < 2; i++) {
        hprof_writer w;
        size_t size = 0;
        heap_write(&w, &forms[i]);
        uint8_t *packed = case_gzip(w.data, w.size, 500, &size);
        hprof_case c = {0};
        case_import(&c, packed, size - 200);
        cr_expect(c.status == HSD_E_TRUNCATED, "%s", hsd_status_name(c.status));
        cr_expect_not_null(strstr(c.err.hint, "--partial"));
        c = (hprof_case){.options = {.salvage = true}};
        case_import(&c, packed, size - 200);
        cr_assert(c.status == HSD_OK, "%s", c.err.text);
        cr_expect(!c.view.info->is_complete && c.view.object_count > HEAP_CLASS_COUNT);
        case_close(&c);
        free(packed);
        hw_free(&w);
    }
}

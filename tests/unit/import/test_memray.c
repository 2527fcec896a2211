/*
 * The importer of memray's capture files, on files that are known byte by byte: what is left of both forms, by stack;
 * tables of lines of each kind; and files that contradict themselves or end too early.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "import/memray/memray.h"
#include "support/import_bytes.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

enum { MAIN = 7, OTHER = 8, PYTHON_3_8 = 0x03080000, PYTHON_3_10 = 0x030A0000, PYTHON_3_11 = 0x030B0000 };
enum { PYMALLOC_MALLOC = 2, FREE = 5, MALLOC = 6, MMAP = 14, MUNMAP = 15 };
enum { SMALL = 4 << 20 };

typedef struct file {
    uint8_t data[65536];
    size_t size;
    uint64_t address; /* the last one, as the file has it */
} file;

static void put(file *f, const void *bytes, size_t size)
{
    cr_assert(f->size + size <= sizeof f->data);
    memcpy(f->data + f->size, bytes, size);
    f->size += size;
}

#define PUT(f, text) put((f), (text), sizeof(text) - 1)

static void put_byte(file *f, unsigned byte) { put(f, &(uint8_t){(uint8_t)byte}, 1); }

static void put_word(file *f, uint64_t word, int bytes)
{
    for (int i = 0; i < bytes; i++)
        put_byte(f, (unsigned)(word >> 8 * i & 0xff));
}

static void put_number(file *f, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        put_byte(f, (unsigned)(number & 0x7f) | 0x80);
    put_byte(f, (unsigned)number);
}

static void put_signed(file *f, int64_t number)
{
    put_number(f, (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0));
}

static void put_head(file *f, unsigned version, bool is_aggregated, uint64_t skipped)
{
    put(f, "memray", 7);
    put_word(f, version, 4);
    put_word(f, PYTHON_3_8, 4);
    put_byte(f, 0);
    put_byte(f, is_aggregated);
    put_word(f, 3, 8), put_word(f, 0, 8);
    put_word(f, 1600000000000, 8), put_word(f, 1600000001000, 8);
    put(f, "app.py --password=hunter2", 26);
    put_word(f, 4711, 4);
    put_word(f, MAIN, 8), put_word(f, skipped, 8);
    put(f, "\1\0\0", 3);
    if (version >= 13) put(f, "/lib\0/a\0/b\0\0/c\0", 16);
}

/* A code object of `file` that has line `line` up to byte 9 of its code, and the next one behind. */
static void put_code(file *f, uint64_t id, const char *function, const char *name, int64_t line_delta)
{
    put_byte(f, 14);
    put_number(f, id);
    put(f, function, strlen(function) + 1);
    put(f, name, strlen(name) + 1);
    put_signed(f, line_delta);
    put_number(f, 2);
    put(f, "\x0a\x01", 2);
}

static void put_thread(file *f, uint64_t id)
{
    put_byte(f, 12);
    put_word(f, id, 8);
}

static void put_frame(file *f, uint64_t code, int64_t offset)
{
    put_byte(f, 65);
    put_number(f, code);
    put_signed(f, offset);
}

/* `recent` 15: a new address. */
static void put_allocation(file *f, unsigned recent, unsigned allocator, uint64_t address, uint64_t bytes)
{
    put_byte(f, 128 | recent << 3 | (allocator < 8 ? allocator : 0));
    if (recent == 15) {
        put_signed(f, (int64_t)((address >> 3) - f->address));
        f->address = address >> 3;
    }
    if (allocator >= 8) put_byte(f, allocator);
    if (allocator != FREE && allocator != 1) put_number(f, bytes);
}

static void begin_records(file *f, uint64_t skipped)
{
    *f = (file){0};
    put_head(f, 13, false, skipped);
    put_code(f, 1, "main", "/srv/shop/app.py", 7);
    put_code(f, 2, "fill", "/srv/shop/cache.py", 24);
    put_thread(f, MAIN);
    put_frame(f, 1, 4);
}

static void end_records(file *f) { PUT(f, "\1\0\0\0"); }

static const hsd_import_options plain = {.compression = 1}, whatever = {.compression = 1, .salvage = true},
                                summary = {.compression = 1, .summary_only = true};

static hsd_status import(const file *f, size_t size, const hsd_import_options *options, uint64_t memory_bytes,
                         hsd_import_result *result, capture_view *view, hsd_error *err)
{
    const hsd_run run = {.memory_bytes = memory_bytes};
    return import_bytes(f->data, size, "file", options, &run, result, view, err);
}

static void open_file(const file *f, const hsd_import_options *options, hsd_import_result *result, capture_view *view)
{
    hsd_error err;
    cr_assert(import(f, f->size, options, SMALL, result, view, &err) == HSD_OK, "%s", err.text);
    cr_assert_str_eq(result->format, "memray");
}

static void expect_failure(const file *f, hsd_status wanted, const char *word)
{
    hsd_error err;
    hsd_import_result result;
    const hsd_status got = import(f, f->size, &plain, SMALL, &result, NULL, &err);
    cr_assert(got == wanted && strstr(err.text, word) != NULL, "%d: %s", got, err.text);
}

static void expect_total(const capture_view *view, const char *type, uint64_t objects, uint64_t bytes)
{
    uint64_t got_objects = 0, got_bytes = 0;
    view_total(view, type, &got_objects, &got_bytes);
    cr_assert(got_objects == objects && got_bytes == bytes, "%s: %llu of %llu bytes", type,
              (unsigned long long)got_objects, (unsigned long long)got_bytes);
}

Test(memray, adds_up_what_is_left_by_its_stack)
{
    static file f;
    hsd_import_result result;
    capture_view view;
    begin_records(&f, 0);
    put_allocation(&f, 15, MALLOC, 0x1000, 100);
    put_frame(&f, 2, 12);
    put_allocation(&f, 15, PYMALLOC_MALLOC, 0x2000, 30);
    put_allocation(&f, 15, MALLOC, 0x3000, 20);
    put_allocation(&f, 0, MALLOC, 0, 25);            /* the same address again: it grew */
    put_allocation(&f, 2, FREE, 0, 0);               /* the third last address: 0x1000 */
    put_allocation(&f, 15, FREE, 0x9000, 0);         /* of before memray's time */
    PUT(&f, "\x10\x02\x80\x20\x05\x3f\x00\x3e\x00"); /* a frame ends; RSS; objects, which have addresses, too */
    put_allocation(&f, 15, MALLOC, 0x4000, 7);
    end_records(&f);
    open_file(&f, &plain, &result, &view);
    cr_assert(result.objects == 3 && result.bytes == 62 && result.is_complete);
    expect_total(&view, "allocated at shop/cache.py:32", 2, 55);
    expect_total(&view, "allocated at shop/app.py:7", 1, 7);
    cr_assert(view.site_total_count == 2);
    for (size_t i = 0; i < view.site_total_count; i++) {
        const hsd_site *site = &view.sites[view.site_totals[i].site];
        if (site->line != 32) continue;
        const hsd_site *caller = &view.sites[site->parent];
        cr_assert_str_eq(view_string(&view, site->function), "fill");
        cr_assert(strcmp(view_string(&view, caller->file), "/srv/shop/app.py") == 0 && caller->line == 7 &&
                  caller->parent == 0);
    }
    view_close(&view);
}

Test(memray, keeps_no_command_line)
{
    static file f;
    hsd_import_result result;
    capture_view view;
    begin_records(&f, 0);
    put_allocation(&f, 15, MALLOC, 0x1000, 100);
    end_records(&f);
    open_file(&f, &plain, &result, &view);
    for (size_t i = 1; i < view.string_limit; i++)
        cr_assert(strstr(view_string(&view, (uint32_t)i), "hunter2") == NULL);
    view_close(&view);
}

/* Each thread has its stack; memray's own frames are those of the main thread. */
Test(memray, keeps_threads_apart_and_leaves_out_memrays_frames)
{
    static file f;
    hsd_import_result result;
    capture_view view;
    begin_records(&f, 1);
    put_allocation(&f, 15, MALLOC, 0x1000, 1);
    put_thread(&f, OTHER);
    put_frame(&f, 1, 0);
    put_thread(&f, MAIN);
    put_frame(&f, 2, 0);
    put_allocation(&f, 15, MALLOC, 0x2000, 2);
    put_thread(&f, OTHER);
    put_allocation(&f, 15, MALLOC, 0x3000, 4);
    PUT(&f, "\x10");
    put_allocation(&f, 15, MALLOC, 0x4000, 8);
    end_records(&f);
    open_file(&f, &plain, &result, &view);
    expect_total(&view, "(no stack)", 2, 9);
    expect_total(&view, "allocated at shop/cache.py:31", 1, 2);
    expect_total(&view, "allocated at shop/app.py:7", 1, 4);
    cr_assert(view.sites[view.site_totals[0].site].parent == 0 && view.sites[view.site_totals[1].site].parent == 0);
    view_close(&view);
}

Test(memray, takes_unmapped_parts_out_of_ranges)
{
    static file f;
    hsd_import_result result;
    capture_view view;
    begin_records(&f, 0);
    put_allocation(&f, 15, MMAP, 0x10000, 0x8000);
    put_allocation(&f, 15, MMAP, 0x20000, 0x1000);
    put_allocation(&f, 15, MUNMAP, 0x10000, 0x1000); /* the begin */
    put_allocation(&f, 15, MUNMAP, 0x17000, 0x9800); /* the end, and half of the other */
    put_allocation(&f, 15, MUNMAP, 0x13000, 0x1000); /* the middle: two remain */
    put_allocation(&f, 15, MMAP, 0x40000, 0x100);
    put_allocation(&f, 15, MUNMAP, 0x40000, 0x1000); /* all */
    end_records(&f);
    open_file(&f, &plain, &result, &view);
    expect_total(&view, "allocated at shop/app.py:7", 3, 0x5000 + 0x800);
    view_close(&view);
}

Test(memray, has_totals_alone_when_asked_for_a_summary)
{
    static file f;
    hsd_import_result result;
    capture_view view;
    begin_records(&f, 0);
    put_allocation(&f, 15, MALLOC, 0x1000, 100);
    end_records(&f);
    open_file(&f, &summary, &result, &view);
    expect_total(&view, "allocated at shop/app.py:7", 1, 100);
    cr_assert(view.site_total_count == 0);
    view_close(&view);
}

/* ---- the aggregated form ---- */

static void begin_sums(file *f, uint64_t skipped)
{
    *f = (file){0};
    put_head(f, 12, true, skipped);
    PUT(f, "\1");
    put_word(f, 1, 8), put_word(f, 4096, 8), put_word(f, 3, 8);
    put_code(f, 1, "main", "/srv/shop/app.py", 7);
    put_code(f, 2, "fill", "/srv/shop/cache.py", 24);
    PUT(f, "\4\0\1\0\1\4\1\2\0\1"); /* two frames, and the stacks main, main > fill */
    PUT(f, "\3\0\0\3\1\1");
}

static void put_sum(file *f, uint64_t thread, uint64_t stack, uint64_t objects, uint64_t bytes)
{
    put_byte(f, 2);
    const uint64_t words[] = {thread, 6, 0, stack, 0, objects + 1, objects, bytes + 1, bytes};
    for (int i = 0; i < 9; i++)
        put_word(f, words[i], 8);
}

Test(memray, reads_what_memray_has_added_up)
{
    static file f;
    hsd_import_result result;
    capture_view view;
    begin_sums(&f, 1);
    put_sum(&f, MAIN, 2, 5, 50);
    put_sum(&f, MAIN, 1, 1, 3);
    put_sum(&f, OTHER, 2, 4, 40);
    put_sum(&f, OTHER, 0, 2, 8);
    PUT(&f, "\x0d\x05\x0f"); /* an object that is left; the end */
    open_file(&f, &plain, &result, &view);
    cr_assert(result.objects == 12 && result.bytes == 101);
    expect_total(&view, "allocated at shop/cache.py:31", 9, 90);
    expect_total(&view, "(no stack)", 3, 11);
    cr_assert(view.site_total_count == 2); /* with and without main, which is memray's own in the main thread */
    view_close(&view);
}

/* ---- lines ---- */

#define LINE(version, table, first, offset)                                                                            \
    hsd_mr_line(version, (const uint8_t *)(table), sizeof(table) - 1, first, offset)

Test(memray, finds_lines_in_tables_of_each_version)
{
    static const char lnotab[] = "\x04\x01\x06\xff\x00\x05"; /* 0-3: 10, 4-9: 11, 10-: 10 + 5 */
    cr_assert(LINE(PYTHON_3_8, lnotab, 10, 0) == 10 && LINE(PYTHON_3_8, lnotab, 10, 3) == 10);
    cr_assert(LINE(PYTHON_3_8, lnotab, 10, 4) == 11 && LINE(PYTHON_3_8, lnotab, 10, 9) == 11);
    cr_assert(LINE(PYTHON_3_8, lnotab, 10, 10) == 15 && LINE(PYTHON_3_8, lnotab, 10, 500) == 15);
    static const char ranges[] = "\x04\x00\x02\x80\x06\x02"; /* units of two: 0-1: 10, 2: no line, 3-5: 12 */
    cr_assert(LINE(PYTHON_3_10, ranges, 10, 1) == 10 && LINE(PYTHON_3_10, ranges, 10, 3) == 12);
    /* one unit of line 10, one of 12 with columns, one long one 3 lines above, one without columns of line 73 */
    static const char locations[] = "\xd0\x01\x02\xe0\x04\x08\xf0\x07\x00\x00\x00\xe8\x40\x02";
    cr_assert(LINE(PYTHON_3_11, locations, 10, 0) == 10 && LINE(PYTHON_3_11, locations, 10, 2) == 12);
    cr_assert(LINE(PYTHON_3_11, locations, 10, 4) == 9 && LINE(PYTHON_3_11, locations, 10, 6) == 9 + 64);
    cr_assert(LINE(PYTHON_3_11, locations, 10, 8) == 0 && LINE(PYTHON_3_11, locations, 10, -1) == 0);
    cr_assert(LINE(PYTHON_3_11, "\xf0\x40\x40", 10, 0) == 10, "cut off in a number");
    cr_assert(LINE(PYTHON_3_8, "\x04\xf0", 3, 9) == 0, "below 0");
}

/* ---- what is refused ---- */

Test(memray, refuses_other_versions)
{
    static file f;
    put_head(&f, 11, false, 0);
    expect_failure(&f, HSD_E_UNSUPPORTED, "version 11");
    f.size = 0;
    put_head(&f, 14, false, 0);
    expect_failure(&f, HSD_E_TOO_NEW, "version 14");
}

#define EXPECT_DAMAGED(text, word)                                                                                     \
    do {                                                                                                               \
        begin_records(&f, 0);                                                                                          \
        PUT(&f, text);                                                                                                 \
        end_records(&f);                                                                                               \
        expect_failure(&f, HSD_E_CORRUPT, word);                                                                       \
    } while (0)

Test(memray, finds_contradictions)
{
    static file f;
    EXPECT_DAMAGED("\x03", "a record that is none");
    EXPECT_DAMAGED("\xf8\x02\x00", "an allocator that is none");
    EXPECT_DAMAGED("\xf8\x02\x10", "an allocator that is none");
    EXPECT_DAMAGED("\x11", "more frames end");
    EXPECT_DAMAGED("\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "a number has no end");
    EXPECT_DAMAGED("\x0e\x05"
                   "f\0f\0\x02\xff\xff\xff\xff\x7f",
                   "a table of lines");
    f = (file){0};
    put_head(&f, 13, false, 0);
    PUT(&f, "\xfe\x02\x05");
    expect_failure(&f, HSD_E_CORRUPT, "no thread");
    f = (file){0};
    put_head(&f, 13, false, 0);
    f.data[16] = 2;
    expect_failure(&f, HSD_E_CORRUPT, "form");
    begin_sums(&f, 0);
    PUT(&f, "\3\5\0");
    expect_failure(&f, HSD_E_CORRUPT, "not there");
    begin_sums(&f, 0);
    PUT(&f, "\4\3\1\0\1");
    expect_failure(&f, HSD_E_CORRUPT, "order");
    begin_sums(&f, 0);
    put_sum(&f, MAIN, 3, 1, 1);
    expect_failure(&f, HSD_E_CORRUPT, "not there");
    begin_sums(&f, 0);
    PUT(&f, "\x1f");
    expect_failure(&f, HSD_E_CORRUPT, "a record that is none");
}

Test(memray, tells_frames_of_code_that_is_not_there)
{
    static file f;
    hsd_import_result result;
    capture_view view;
    begin_records(&f, 0);
    put_frame(&f, 99, 0);
    put_allocation(&f, 15, MALLOC, 0x1000, 9);
    end_records(&f);
    open_file(&f, &plain, &result, &view);
    expect_total(&view, "allocated at (unknown)", 1, 9);
    cr_assert(view_loss(&view, "frames of code that the file does not name") == 1);
    view_close(&view);
}

static void expect_cut_anywhere(const file *f, size_t end, size_t head)
{
    hsd_error err;
    hsd_import_result result;
    for (size_t size = 16; size < end; size++) {
        const hsd_status got = import(f, size, &plain, SMALL, &result, NULL, &err);
        cr_assert(got == HSD_E_TRUNCATED, "%zu of %zu: %d %s", size, end, got, err.text);
        const hsd_status kept = import(f, size, &whatever, SMALL, &result, NULL, &err);
        cr_assert(size < head ? kept == HSD_E_TRUNCATED : kept == HSD_OK && !result.is_complete, "%zu: %d %s", size,
                  kept, err.text);
    }
}

Test(memray, cut_anywhere_gives_what_came_before)
{
    static file f, head;
    put_head(&head, 13, false, 0);
    begin_records(&f, 0);
    put_allocation(&f, 15, MALLOC, 0x1000, 100);
    put_allocation(&f, 15, MMAP, 0x100000, 8192);
    const size_t end = f.size;
    end_records(&f);
    expect_cut_anywhere(&f, end + 1, head.size);
    head = (file){0};
    put_head(&head, 12, true, 0);
    begin_sums(&f, 0);
    put_sum(&f, MAIN, 2, 5, 50);
    PUT(&f, "\x0f");
    expect_cut_anywhere(&f, f.size, head.size);
}

/* Addresses that are all alike but for their middle, allocated and freed in another order: the table closes its gaps.
 */
Test(memray, frees_what_was_allocated_in_any_order)
{
    enum { BLOCKS = 20000 };
    mr_heap heap = {0};
    hsd_error err;
    for (uint64_t i = 0; i < BLOCKS; i++)
        cr_assert(hsd_mr_heap_add(&heap, i << 12, i, (uint32_t)i, &err) == HSD_OK);
    for (uint64_t i = 0; i < BLOCKS; i++)
        if (i * 7919 % BLOCKS % 3 != 0) hsd_mr_heap_remove(&heap, (i * 7919 % BLOCKS) << 12);
    uint64_t count = 0, bytes = 0, wanted = 0;
    const uint64_t slots = UINT64_C(1) << (64 - heap.shift);
    for (uint64_t i = 0; i < slots; i++) {
        if (heap.slots[i].node == 0) continue;
        cr_assert(heap.slots[i].address == heap.slots[i].bytes << 12 && heap.slots[i].bytes % 3 == 0);
        count++;
        bytes += heap.slots[i].bytes;
    }
    for (uint64_t i = 0; i < BLOCKS; i += 3)
        wanted += i;
    cr_assert(count == (BLOCKS + 2) / 3 && count == heap.count && bytes == wanted && heap.bytes == wanted);
    cr_assert(heap.peak_bytes == (uint64_t)BLOCKS * (BLOCKS - 1) / 2);
    hsd_mr_heap_release(&heap);
}

Test(memray, says_how_much_memory_would_do)
{
    enum { BLOCKS = 400000 };
    file head = {0};
    uint8_t *data = malloc((size_t)BLOCKS * 8 + sizeof head.data);
    begin_records(&head, 0);
    memcpy(data, head.data, head.size);
    size_t size = head.size;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        memcpy(data + size, "\xfe\x10\x01", 3); /* 64 bytes further, one byte */
        size += 3;
    }
    data[size++] = 1;
    const int in = temporary(), out = temporary();
    const hsd_run run = {.memory_bytes = 8 << 20};
    hsd_import_result result;
    hsd_error err;
    hsd_error_init(&err);
    cr_assert(write(in, data, size) == (ssize_t)size && lseek(in, 0, SEEK_SET) == 0);
    const hsd_status status = hsd_import_descriptor(in, "file", out, &plain, &run, &result, &err);
    cr_assert(status == HSD_E_OVER_BUDGET && strstr(err.hint, "--memory") != NULL, "%d %s", status, err.text);
    close(in), close(out);
    free(data);
}

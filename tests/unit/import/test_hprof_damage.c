/*
 * HPROF files that are cut, overflowed, never finished or plainly hostile: refused with the offset, or with
 * --partial read as far as they go, and never called complete.
 */
#define _GNU_SOURCE
#include "unit/import/hprof_case.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/random.h"

#ifndef SWEEP
#define SWEEP 67 /* every so many bytes a cut, in the quick test */
#endif

#define LOST "bytes of heap segments that could not be read"

static void refused(hprof_case *c, hsd_status status, const char *words)
{
    cr_expect(c->status == status, "%s: %s", hsd_status_name(c->status), c->err.text);
    cr_expect_not_null(strstr(c->err.text, words), "%s", c->err.text);
    case_close(c);
}

/* ---- cut anywhere */

static void cut_everywhere(const heap_form *form, size_t step)
{
    hprof_writer w;
    heap_write(&w, form);
    for (size_t size = 0; size < w.size; size += step) {
        hprof_case whole = {0}, part = {.options = {.salvage = true}};
        case_import(&whole, w.data, size);
        cr_expect(whole.status != HSD_OK, "cut at %zu of %zu: nobody noticed", size, w.size);
        case_import(&part, w.data, size);
        if (part.status == HSD_OK) {
            cr_expect(!part.view.info->is_complete && !part.result.is_complete, "cut at %zu", size);
            cr_expect(part.view.object_count <= heap_object_count(1) + HEAP_CLASS_COUNT);
        }
        case_close(&whole);
        case_close(&part);
    }
    hw_free(&w);
}

Test(hprof_damage, a_cut_segmented_dump_is_never_complete)
{
    const heap_form form = {.segment_every = 6};
    cut_everywhere(&form, SWEEP);
}

Test(hprof_damage, a_cut_single_record_is_never_complete)
{
    const heap_form form = {.version = "1.0.1", .dump_tag = 0x0C, .id_bytes = 4};
    cut_everywhere(&form, SWEEP);
}

/* Packed, the end is met where a record is passed over, not where it is looked at. */
static void cut_packed(const heap_form *form)
{
    hprof_writer w;
    size_t size, told = 0;
    heap_write(&w, form);
    uint8_t *packed = case_gzip(w.data, w.size, w.size, &size);
    for (size_t part = 1; part + 16 < size; part += 1 + size / 61) { /* behind that all but the checksum is there */
        hprof_case c = {.options = {.salvage = true}};
        case_import(&c, packed, part);
        if (c.status == HSD_OK) {
            told++;
            cr_expect(!c.view.info->is_complete && !c.result.is_complete, "cut at %zu of %zu", part, size);
            cr_expect(strstr(c.notes, "was cut off") || strstr(c.notes, "is damaged"), "cut at %zu of %zu: %s", part,
                      size, c.notes);
        } else {
            cr_expect_null(strstr(c.err.text, "to its end"), "cut at %zu of %zu: %s", part, size, c.err.text);
        }
        case_close(&c);
    }
    cr_expect(told > 10, "%zu of 61 were read", told);
    free(packed);
    hw_free(&w);
}

Test(hprof_damage, a_cut_packed_dump_gives_what_is_there)
{
    cut_packed(&(heap_form){.segment_every = 6});
    cut_packed(&(heap_form){.version = "1.0.1", .dump_tag = 0x0C, .id_bytes = 4});
}

Test(hprof_damage, a_cut_dump_gives_the_objects_before_the_cut)
{
    const heap_form form = {0};
    hprof_writer w;
    heap_write(&w, &form);
    hprof_case c = {.options = {.salvage = true}};
    case_import(&c, w.data, w.size - 9 - 100); /* the end mark and some roots */
    cr_assert(c.status == HSD_OK, "%s", c.err.text);
    cr_expect(c.view.object_count == heap_object_count(1) + HEAP_CLASS_COUNT);
    cr_expect_not_null(strstr(c.notes, "was cut off"));
    case_close(&c);
    c = (hprof_case){.options = {.summary_only = true, .salvage = true}};
    case_import(&c, w.data, w.size - 9 - 100);
    cr_expect(c.status == HSD_OK && !c.view.info->is_complete);
    cr_expect(c.result.objects == heap_object_count(1) + HEAP_CLASS_COUNT);
    case_close(&c);
    hw_free(&w);
}

Test(hprof_damage, a_missing_end_mark_is_a_cut)
{
    const heap_form form = {.no_end = true};
    hprof_case c = {0};
    case_import_form(&c, &form);
    cr_expect(c.err.offset_bytes != HSD_NO_OFFSET);
    cr_expect_not_null(strstr(c.err.hint, "--partial"));
    refused(&c, HSD_E_TRUNCATED, "end mark is missing");
    c = (hprof_case){.options = {.salvage = true}};
    case_import_form(&c, &form);
    cr_assert(c.status == HSD_OK);
    cr_expect(!c.view.info->is_complete);
    cr_expect(c.view.object_count == heap_object_count(1) + HEAP_CLASS_COUNT);
    case_close(&c);
}

Test(hprof_damage, of_a_later_dump_does_not_touch_the_first)
{
    const heap_form form = {.is_agent = true, .dumps = 2, .dump_tag = 0x0C, .version = "1.0.1"};
    hprof_writer w;
    heap_write(&w, &form);
    hprof_case c = {.options = {.dump_number = 1, .salvage = true}};
    case_import(&c, w.data, w.size - 300);
    cr_assert(c.status == HSD_OK, "%s", c.err.text);
    cr_expect(c.view.info->is_complete);
    case_close(&c);
    c = (hprof_case){.options = {.dump_number = 2, .salvage = true}};
    case_import(&c, w.data, w.size - 300);
    cr_expect(c.status == HSD_OK && !c.view.info->is_complete);
    case_close(&c);
    hw_free(&w);
}

Test(hprof_damage, stray_bytes_behind_the_end_are_no_loss)
{
    const heap_form form = {0};
    hprof_writer w;
    heap_write(&w, &form);
    hw_bytes(&w, "\0\0\0", 3);
    hprof_case c = {0};
    case_import(&c, w.data, w.size);
    cr_expect(c.status == HSD_OK && c.view.info->is_complete);
    case_close(&c);
    hw_free(&w);
}

Test(hprof_damage, a_hole_of_zeros_is_damage)
{
    static const uint8_t zeros[4096];
    hprof_writer w;
    hw_begin(&w, "1.0.2", 4, 0);
    hw_open(&w, 0x1C);
    hw_prim_array(&w, 0x1000, 1, 8, 4, zeros);
    hw_close(&w);
    hw_bytes(&w, zeros, sizeof zeros);
    const size_t hole = w.size;
    hw_end_mark(&w);
    hprof_case c = {0};
    case_import(&c, w.data, w.size);
    cr_expect(c.err.offset_bytes == 31 + 9 + 18);
    refused(&c, HSD_E_CORRUPT, "zeros stand where");
    c = (hprof_case){.options = {.salvage = true}};
    case_import(&c, w.data, w.size);
    cr_assert(c.status == HSD_OK);
    cr_expect(!c.view.info->is_complete && c.view.object_count == 1);
    case_close(&c);
    w.size = hole - sizeof zeros; /* the same behind the end is padding */
    hw_end_mark(&w);
    hw_bytes(&w, zeros, sizeof zeros);
    c = (hprof_case){0};
    case_import(&c, w.data, w.size);
    cr_expect(c.status == HSD_OK && c.view.info->is_complete, "%s", c.err.text);
    case_close(&c);
    hw_free(&w);
}

/* ---- lengths */

/* Offset of the first record with this tag. */
static size_t find_record(const hprof_writer *w, unsigned tag)
{
    size_t at = 31;
    while (at + 9 <= w->size && w->data[at] != tag)
        at += 9 + ((size_t)w->data[at + 5] << 24 | (size_t)w->data[at + 6] << 16 | (size_t)w->data[at + 7] << 8 |
                   w->data[at + 8]);
    cr_assert(at + 9 <= w->size);
    return at;
}

Test(hprof_damage, length_zero_means_up_to_the_end)
{
    const heap_form forms[2] = {{.no_end = true}, {.dump_tag = 0x0C, .version = "1.0.1"}};
    for (unsigned i = 0; i < 2; i++) {
        hprof_writer w;
        heap_write(&w, &forms[i]);
        hw_patch_u4(&w, find_record(&w, i == 0 ? 0x1C : 0x0C) + 5, 0);
        hprof_case c = {0};
        case_import(&c, w.data, w.size);
        refused(&c, HSD_E_TRUNCATED, "cut off");
        c = (hprof_case){.options = {.salvage = true}};
        case_import(&c, w.data, w.size);
        cr_assert(c.status == HSD_OK, "%s", c.err.text);
        cr_expect(!c.view.info->is_complete);
        cr_expect(c.view.object_count == heap_object_count(1) + HEAP_CLASS_COUNT);
        case_close(&c);
        hw_free(&w);
    }
}

Test(hprof_damage, an_empty_segment_before_the_end_is_right)
{
    const heap_form form = {.no_end = true};
    hprof_writer w;
    heap_write(&w, &form);
    hw_open(&w, 0x1C);
    hw_close(&w);
    hw_end_mark(&w);
    hprof_case c = {0};
    case_import(&c, w.data, w.size);
    cr_expect(c.status == HSD_OK && c.view.info->is_complete, "%s", c.err.text);
    case_close(&c);
    hw_free(&w);
}

/* A dump of more than 4 GiB in one record, whose length stands modulo 2^32: two byte arrays of 2.5 GiB
 * that are holes in the file. */
Test(hprof_damage, an_overflowed_length_is_put_right)
{
    const uint32_t huge = UINT32_C(0xa0000000);
    char path[] = "/var/tmp/hsd-hprof-XXXXXX";
    hprof_writer w;
    int out = -1;
    hw_begin(&w, "1.0.1", 8, 0);
    const size_t record = w.size;
    hw_open(&w, 0x0C);
    const int fd = mkstemp(path);
    cr_assert(fd >= 0);
    off_t at = 0;
    for (unsigned i = 0; i < 2; i++) {
        hw_u1(&w, 0x23);
        hw_id(&w, 0x1000 + i);
        hw_u4(&w, 1);
        hw_u4(&w, huge);
        hw_u1(&w, 8);
        if (i == 1) { /* the length of all, modulo 2^32 */
            const uint64_t length = 2 * (UINT64_C(18) + huge);
            hw_patch_u4(&w, record + 5, (uint32_t)length);
        }
        const size_t from = i == 0 ? 0 : w.size - 18;
        if (i == 0)
            cr_assert(pwrite(fd, w.data, w.size, 0) == (ssize_t)w.size);
        else
            cr_assert(pwrite(fd, w.data + from, 18, at) == 18);
        at = i == 0 ? (off_t)(w.size + huge) : at + 18 + (off_t)huge;
    }
    cr_assert(pwrite(fd, w.data + record, 9, (off_t)record) == 9);
    cr_assert(ftruncate(fd, at) == 0);
    close(fd);
    const hsd_import_options options = {.summary_only = true, .compression = 1};
    hsd_import_result result;
    hsd_error err;
    hsd_error_init(&err);
    const hsd_status status = hsd_import_temp(path, &options, NULL, &out, &result, &err);
    unlink(path);
    hw_free(&w);
    cr_assert(status == HSD_OK, "%s", err.text);
    close(out);
    cr_expect(result.objects == 2 && result.is_complete);
    cr_expect(result.bytes == 2 * (((uint64_t)huge + 16 + 7) & ~UINT64_C(7)));
}

/* Names come first, and the heap after them. The hprof agent writes profiles that have none. */
Test(hprof_damage, a_file_that_ends_before_its_heap_was_cut_off)
{
    for (unsigned form = 0; form < 4; form++) {
        hprof_writer w;
        hw_begin(&w, "1.0.2", 8, 0);
        if (form > 0) hw_string(&w, 1, "java/lang/Object");
        if (form == 3) {
            hw_open(&w, 0x0E); /* its settings */
            hw_u4(&w, 0);
            hw_u2(&w, 0);
            hw_close(&w);
        }
        hprof_case c = {.options = {.salvage = form == 2}};
        case_import(&c, w.data, w.size);
        if (form == 0 || form == 3)
            refused(&c, HSD_E_UNSUPPORTED, "holds no heap dump");
        else
            refused(&c, HSD_E_TRUNCATED, "cut off before its first object");
        hw_free(&w);
    }
}

Test(hprof_damage, a_length_past_the_end_is_a_cut)
{
    const heap_form form = {0};
    hprof_writer w;
    heap_write(&w, &form);
    hw_patch_u4(&w, find_record(&w, 0x1C) + 5, 0x7fffffff);
    hprof_case c = {0};
    case_import(&c, w.data, w.size);
    refused(&c, HSD_E_TRUNCATED, "cut off");
    hw_free(&w);
}

/* ---- sub-records that are none */

static void write_two_segments(hprof_writer *w, const void *bad, size_t bad_size)
{
    static const uint8_t bytes[4] = {1, 2, 3, 4};
    hw_begin(w, "1.0.2", 8, 0);
    hw_open(w, 0x1C);
    hw_prim_array(w, 0x1000, 1, 8, 4, bytes);
    hw_bytes(w, bad, bad_size);
    hw_close(w);
    hw_open(w, 0x1C);
    hw_prim_array(w, 0x2000, 1, 8, 4, bytes);
    hw_close(w);
    hw_end_mark(w);
}

static void expect_one_lost_stretch(const void *bad, size_t bad_size, const char *words)
{
    hprof_writer w;
    write_two_segments(&w, bad, bad_size);
    hprof_case c = {0};
    case_import(&c, w.data, w.size);
    cr_expect(c.err.offset_bytes == 31 + 9 + 22, "%llu", (unsigned long long)c.err.offset_bytes);
    refused(&c, HSD_E_CORRUPT, words);
    c = (hprof_case){.options = {.salvage = true}};
    case_import(&c, w.data, w.size);
    cr_assert(c.status == HSD_OK, "%s", c.err.text);
    cr_expect(c.view.object_count == 2);
    cr_expect(view_loss(&c.view, LOST) == bad_size);
    cr_expect(!c.view.info->is_complete);
    cr_expect_not_null(strstr(c.view.info->incomplete_reason, "parts of the heap dump were damaged"));
    case_close(&c);
    c = (hprof_case){.options = {.salvage = true, .summary_only = true}};
    case_import(&c, w.data, w.size);
    cr_expect(c.status == HSD_OK && c.result.objects == 2);
    cr_expect(view_loss(&c.view, LOST) == bad_size && !c.view.info->is_complete);
    case_close(&c);
    hw_free(&w);
}

Test(hprof_damage, an_unknown_sub_record_loses_its_segment_alone)
{
    expect_one_lost_stretch("\x77 and what follows it", 20, "no sub-record with the tag 0x77");
}

Test(hprof_damage, a_sub_record_may_not_pass_its_segment)
{
    hprof_writer w;
    hw_begin(&w, "1.0.2", 8, 0);
    const size_t start = w.size;
    hw_u1(&w, 0x23);
    hw_id(&w, 0x3000);
    hw_u4(&w, 1);
    hw_u4(&w, 0x10000000);
    hw_u1(&w, 11);
    expect_one_lost_stretch(w.data + start, w.size - start, "longer than its heap segment");
    hw_free(&w);
    expect_one_lost_stretch("\x21\0\0", 3, "longer than its heap segment"); /* a piece of a header */
}

Test(hprof_damage, an_array_has_elements_of_a_type)
{
    hprof_writer w;
    hw_begin(&w, "1.0.2", 8, 0);
    const size_t start = w.size;
    hw_u1(&w, 0x23);
    hw_id(&w, 0x3000);
    hw_u4(&w, 1);
    hw_u4(&w, 1);
    hw_u1(&w, 3); /* there is none */
    hw_u8(&w, 0);
    expect_one_lost_stretch(w.data + start, w.size - start, "no sub-record");
    hw_free(&w);
}

Test(hprof_damage, a_class_has_fields_of_a_type)
{
    const hw_field fields[] = {{7, 3, 0}, {0}};
    const hw_class class = {.id = 0x3000, .fields = fields};
    hprof_writer w;
    hw_begin(&w, "1.0.2", 8, 0);
    const size_t start = w.size;
    hw_class_dump(&w, &class);
    expect_one_lost_stretch(w.data + start, w.size - start, "type that does not exist");
    expect_one_lost_stretch(w.data + start, 40, "a class passes the end");
    hw_free(&w);
}

/* ---- headers */

static void import_text(hprof_case *c, const char *text, size_t size)
{
    *c = (hprof_case){0};
    case_import(c, text, size);
}

Test(hprof_damage, other_versions_are_told_apart)
{
    hprof_case c;
    import_text(&c, "JAVA PROFILE 1.0\0\0\0\0\4\0\0\0\0\0\0\0\0", 29);
    refused(&c, HSD_E_UNSUPPORTED, "trial version 1.0");
    import_text(&c, "JAVA PROFILE 1.0.4\0\0\0\0\4\0\0\0\0\0\0\0\0", 31);
    refused(&c, HSD_E_TOO_NEW, "version \"1.0.4\"");
    import_text(&c, "JAVA PROFILE 1.0.1, created Mon\nHEAP DUMP", 41);
    refused(&c, HSD_E_UNSUPPORTED, "text form");
    import_text(&c, "JAVA PROFILE 1.0.1", 18);
    refused(&c, HSD_E_TOO_NEW, "1.0.1"); /* not one of those known, as far as one can see */
    import_text(&c, "JAVA PROFILE 1.0.2\0\0\0\0\4\0", 24);
    refused(&c, HSD_E_TRUNCATED, "inside its header");
    import_text(&c, "JAVA PROFILE 1.0.2\0\0\0\0\5\0\0\0\0\0\0\0\0", 31);
    refused(&c, HSD_E_CORRUPT, "ids of 5 bytes");
    import_text(&c, "JAVA PROFILE 1.0.2\0\0\0\0\4\0\0\0\0\0\0\0\0", 31);
    refused(&c, HSD_E_UNSUPPORTED, "holds no heap dump");
}

/* ---- hostile */

Test(hprof_damage, classes_may_be_their_own_ancestors)
{
    const hw_field fields[] = {{1, 2, 0}, {1, 10, 0}, {0}};
    const hw_class a = {.id = 0x10, .super = 0x20, .fields = fields};
    const hw_class b = {.id = 0x20, .super = 0x10, .fields = fields};
    hprof_writer w;
    hw_begin(&w, "1.0.2", 4, 0);
    hw_open(&w, 0x1C);
    hw_class_dump(&w, &a);
    hw_class_dump(&w, &b);
    hw_instance(&w, 0x1000, 1, 0x10);
    hw_u8(&w, UINT64_C(0x0000001000000001));
    hw_instance_end(&w);
    hw_close(&w);
    hw_end_mark(&w);
    hprof_case c = {0};
    case_import(&c, w.data, w.size);
    cr_assert(c.status == HSD_OK, "%s", c.err.text);
    cr_expect(c.view.object_count == 3);
    cr_expect(view_loss(&c.view, "instances shorter than their class says") == 1);
    case_close(&c);
    hw_free(&w);
}

Test(hprof_damage, instances_of_unknown_classes_are_counted)
{
    hprof_writer w;
    hw_begin(&w, "1.0.2", 4, 0);
    hw_open(&w, 0x1C);
    hw_instance(&w, 0x1000, 1, 0x10);
    hw_u8(&w, 0);
    hw_instance_end(&w);
    hw_close(&w);
    hw_end_mark(&w);
    for (unsigned summary = 0; summary < 2; summary++) {
        hprof_case c = {.options = {.summary_only = summary == 1}};
        case_import(&c, w.data, w.size);
        cr_assert(c.status == HSD_OK, "%s", c.err.text);
        uint64_t objects, bytes;
        view_total(&c.view, "(unknown class)", &objects, &bytes);
        cr_expect(objects == 1 && bytes == 8 + 8);
        if (summary == 0) cr_expect(view_loss(&c.view, "instances of classes that the dump does not describe") == 1);
        case_close(&c);
    }
    hw_free(&w);
}

/* Two instances of java.lang.Class that have a CLASS_DUMP, too: one object each. */
Test(hprof_damage, a_class_that_is_also_an_instance_is_one_object)
{
    const hw_field fields[] = {{1, 2, 0}, {0}};
    const hw_class object = {.id = 0x10}, class = {.id = 0x20, .super = 0x10, .fields = fields};
    hprof_writer w;
    hw_begin(&w, "1.0.2", 4, 0);
    hw_string(&w, 1, "module");
    hw_string(&w, 2, "java/lang/Class");
    hw_load_class(&w, 1, 0x20, 2);
    hw_load_class(&w, 2, 0x10, 3);
    hw_open(&w, 0x1C);
    hw_class_dump(&w, &object);
    hw_class_dump(&w, &class);
    for (unsigned i = 1; i <= 3; i++) {
        hw_instance(&w, 0x10 * i, 1, 0x20);
        hw_id(&w, 0x99);
        hw_instance_end(&w);
    }
    hw_close(&w);
    hw_end_mark(&w);
    uint64_t bytes[2];
    for (unsigned summary = 0; summary < 2; summary++) {
        hprof_case c = {.options = {.summary_only = summary == 1}};
        case_import(&c, w.data, w.size);
        cr_assert(c.status == HSD_OK, "%s", c.err.text);
        cr_expect(c.result.objects == 3);
        bytes[summary] = c.result.bytes;
        if (summary == 0) cr_expect(c.view.object_count == 3 && c.view.info->edges == 2);
        case_close(&c);
    }
    cr_expect(bytes[0] == bytes[1]);
    hw_free(&w);
}

/* A class of 65,535 fields that is its own ancestor, and thousands below it, each with an instance. */
Test(hprof_damage, hierarchies_cost_no_more_than_they_are_long)
{
    static hw_field fields[65536];
    for (unsigned i = 0; i < 65535; i++)
        fields[i] = (hw_field){1 + i % 7, i % 2 == 0 ? 2 : 11, 0};
    const hw_class base = {.id = 0x10, .super = 0x10, .fields = fields};
    hprof_writer w;
    hw_begin(&w, "1.0.2", 4, 0);
    hw_open(&w, 0x1C);
    hw_class_dump(&w, &base);
    for (uint32_t i = 0; i < 20000; i++) {
        const hw_class below = {.id = 0x100 + i, .super = 0x10};
        hw_class_dump(&w, &below);
        hw_instance(&w, 0x100000 + i * 8, 1, below.id);
        hw_u8(&w, 0);
        hw_instance_end(&w);
    }
    hw_close(&w);
    hw_end_mark(&w);
    hprof_case c = {.memory_bytes = UINT64_C(64) << 20};
    case_import(&c, w.data, w.size);
    cr_assert(c.status == HSD_OK, "%s", c.err.text);
    cr_expect(c.view.info->objects == 40001);
    case_close(&c);
    hw_free(&w);
}

/* Thousands of threads that claim the same deep stack. */
Test(hprof_damage, stacks_are_written_once)
{
    static uint64_t ids[3000];
    hprof_writer w;
    hw_begin(&w, "1.0.2", 4, 0);
    for (uint32_t i = 0; i < 3000; i++) {
        ids[i] = 1 + i;
        hw_frame(&w, ids[i], 0, 0, 0, 1);
    }
    hw_trace(&w, 9, 1, 3000, ids);
    hw_open(&w, 0x1C);
    for (uint32_t i = 1; i <= 3000; i++)
        hw_root_in_thread(&w, 0x08, 0x1000 + i, i, 9);
    hw_close(&w);
    hw_end_mark(&w);
    hprof_case c = {0};
    case_import(&c, w.data, w.size);
    cr_assert(c.status == HSD_OK, "%s", c.err.text);
    cr_expect(c.view.thread_count == 3000 && c.view.frame_count == 3000);
    case_close(&c);
    hw_free(&w);
}

Test(hprof_damage, tables_stay_within_the_memory_given)
{
    hprof_writer w;
    hw_begin(&w, "1.0.2", 4, 0);
    for (uint32_t i = 1; i < 300000; i++)
        hw_load_class(&w, i, i, i);
    hw_open(&w, 0x1C);
    hw_close(&w);
    hw_end_mark(&w);
    hprof_case c = {.memory_bytes = HSD_MEMORY_MIN_BYTES};
    case_import(&c, w.data, w.size);
    cr_expect_not_null(strstr(c.err.hint, "--memory"));
    refused(&c, HSD_E_OVER_BUDGET, "more than");
    hw_free(&w);
}

/* Every place in turn holds a length that nobody can mean. */
Test(hprof_damage, hostile_lengths_cost_nothing)
{
    static const uint32_t values[] = {0, 1, 0x7fffffff, 0x80000000, 0xfffffff7, 0xffffffff};
    const heap_form forms[2] = {{.id_bytes = 4, .segment_every = 30}, {.classes_last = true}};
    test_random random = {test_seed(7)};
    for (unsigned n = 0; n < 40000 / SWEEP; n++) {
        hprof_writer w;
        heap_write(&w, &forms[n % 2]);
        const size_t at = 31 + test_below(&random, w.size - 31 - 4);
        hw_patch_u4(&w, at, values[test_below(&random, 6)]);
        hprof_case c = {.options = {.salvage = n % 3 != 0, .summary_only = n % 5 == 0}};
        case_import(&c, w.data, w.size);
        if (c.status == HSD_OK) cr_expect(c.result.objects <= 200);
        case_close(&c);
        hw_free(&w);
    }
}

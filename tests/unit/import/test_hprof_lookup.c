/*
 * Names of threads and the version of the JVM, which stand in Strings inside the heap: every layout that
 * java.lang.String and java.lang.Thread have had.
 */
#include "unit/import/hprof_case.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "import/hprof/hprof.h"

enum { OBJECT = 0x10, STRING = 0x20, THREAD = 0x30, SUBCLASS = 0x40, VERSION = 0x50 };

/* How a JDK keeps its strings. */
typedef struct string_layout {
    const hw_field *string_fields, *thread_fields;
    bool has_coder, has_offset, thread_has_chars;
} string_layout;

/* strings: 1 value 2 hash 3 coder 4 offset 5 count 6 name 7 other 8 java_version, 10.. class names */
static const hw_field jdk17_string[] = {{1, 2, 0}, {2, 10, 0}, {3, 8, 0}, {0}};
static const hw_field jdk8_string[] = {{1, 2, 0}, {2, 10, 0}, {0}};
static const hw_field jdk6_string[] = {{1, 2, 0}, {4, 10, 0}, {5, 10, 0}, {2, 10, 0}, {0}};
static const hw_field thread_fields[] = {{7, 11, 0}, {6, 2, 0}, {0}};
static const hw_field subclass_fields[] = {{7, 8, 0}, {7, 2, 0}, {0}};

static void write_classes(hprof_writer *w, const string_layout *layout)
{
    static const char *const words[] = {"value", "hash", "coder", "offset", "count", "name", "other", "java_version"};
    static const char *const classes[] = {"java/lang/Object", "java/lang/String", "java/lang/Thread", "com/x/Worker",
                                          "sun/misc/Version"};
    const hw_field version[] = {{8, 2, 0x2000}, {0}};
    for (unsigned i = 0; i < 8; i++)
        hw_string(w, i + 1, words[i]);
    for (unsigned i = 0; i < 5; i++) {
        hw_string(w, 10 + i, classes[i]);
        hw_load_class(w, 1 + i, OBJECT + 0x10 * i, 10 + i);
    }
    hw_open(w, 0x1C);
    hw_class_dump(w, &(hw_class){.id = OBJECT});
    hw_class_dump(w, &(hw_class){.id = STRING, .super = OBJECT, .fields = layout->string_fields});
    hw_class_dump(w, &(hw_class){.id = THREAD, .super = OBJECT, .fields = thread_fields});
    hw_class_dump(w, &(hw_class){.id = SUBCLASS, .super = THREAD, .fields = subclass_fields});
    hw_class_dump(w, &(hw_class){.id = VERSION, .super = OBJECT, .statics = version});
}

static void write_string(hprof_writer *w, const string_layout *layout, uint64_t id, uint64_t chars, unsigned coder,
                         uint32_t offset, uint32_t count)
{
    hw_instance(w, id, 1, STRING);
    hw_id(w, chars);
    if (layout->has_offset) {
        hw_u4(w, offset);
        hw_u4(w, count);
    }
    hw_u4(w, 0);
    if (layout->has_coder) hw_u1(w, coder);
    hw_instance_end(w);
}

static void write_thread(hprof_writer *w, uint64_t id, uint64_t class_id, uint64_t name)
{
    hw_instance(w, id, 1, class_id);
    if (class_id == SUBCLASS) {
        hw_u1(w, 0);
        hw_id(w, 0);
    }
    hw_u8(w, 0);
    hw_id(w, name);
    hw_instance_end(w);
}

static void begin(hprof_writer *w, const string_layout *layout)
{
    hw_begin(w, "1.0.2", 8, 0);
    write_classes(w, layout);
}

static void finish(hprof_writer *w, hprof_case *c, unsigned threads)
{
    for (unsigned i = 0; i < threads; i++)
        hw_root_in_thread(w, 0x08, 0x1000 + i, i + 1, 0);
    hw_close(w);
    hw_end_mark(w);
    *c = (hprof_case){0};
    case_import(c, w->data, w->size);
    hw_free(w);
    cr_assert(c->status == HSD_OK, "%s", c->err.text);
}

static void expect_thread(const hprof_case *c, unsigned number, const char *name)
{
    char label[300];
    const size_t size = strlen(name);
    cr_assert(size + 16 < sizeof label);
    memcpy(label, "thread \"", 8);
    memcpy(label + 8, name, size);
    memcpy(label + 8 + size, "\"", 2);
    cr_expect(view_count_roots(&c->view, HSC_ROOT_THREAD, label, 0x1000 + number) == 1, "no %s", label);
}

Test(hprof_lookup, reads_strings_of_bytes_with_a_coder)
{
    const string_layout layout = {.string_fields = jdk17_string, .has_coder = true};
    hprof_writer w;
    hprof_case c;
    begin(&w, &layout);
    write_thread(&w, 0x1000, THREAD, 0x2000);
    write_thread(&w, 0x1001, SUBCLASS, 0x2001);
    write_thread(&w, 0x1002, THREAD, 0x2000); /* two threads, one String */
    write_thread(&w, 0x1003, THREAD, 0x2003);
    write_thread(&w, 0x1004, THREAD, 0); /* no name */
    write_string(&w, &layout, 0x2000, 0x3000, 0, 0, 0);
    write_string(&w, &layout, 0x2001, 0x3001, 1, 0, 0);
    write_string(&w, &layout, 0x2003, 0x3003, 0, 0, 0);
    hw_prim_array(&w, 0x3000, 1, 8, 4, "caf\xe9");
    hw_prim_array(&w, 0x3001, 1, 8, 8, "\x6e\x30\x3d\xd8\x00\xde\xac\x20"); /* UTF-16, little-endian */
    hw_prim_array(&w, 0x3003, 1, 8, 0, "");
    finish(&w, &c, 5);
    expect_thread(&c, 0, "caf\xc3\xa9");
    expect_thread(&c, 1, "\xe3\x81\xae\xf0\x9f\x98\x80\xe2\x82\xac");
    expect_thread(&c, 2, "caf\xc3\xa9");
    cr_expect(view_count_roots(&c.view, HSC_ROOT_THREAD, "thread 4", 0x1003) == 1);
    cr_expect(view_count_roots(&c.view, HSC_ROOT_THREAD, "thread 5", 0x1004) == 1);
    cr_expect_str_eq(c.view.info->runtime, "HotSpot caf\xc3\xa9"); /* java_version shares the String */
    case_close(&c);
}

Test(hprof_lookup, reads_strings_of_chars)
{
    const string_layout layout = {.string_fields = jdk8_string};
    hprof_writer w;
    hprof_case c;
    begin(&w, &layout);
    write_string(&w, &layout, 0x2000, 0x3000, 0, 0, 0); /* before its thread, behind its chars */
    hw_prim_array(&w, 0x3000, 1, 5, 3, "\0a\0b\x20\xac");
    write_thread(&w, 0x1000, THREAD, 0x2000);
    finish(&w, &c, 1);
    expect_thread(&c, 0, "ab\xe2\x82\xac");
    case_close(&c);
}

Test(hprof_lookup, reads_strings_that_share_their_chars)
{
    const string_layout layout = {.string_fields = jdk6_string, .has_offset = true};
    hprof_writer w;
    hprof_case c;
    begin(&w, &layout);
    write_thread(&w, 0x1000, THREAD, 0x2000);
    write_thread(&w, 0x1001, THREAD, 0x2001);
    write_thread(&w, 0x1002, THREAD, 0x2002);
    write_thread(&w, 0x1003, THREAD, 0x3000); /* Thread.name was a char[] once */
    write_string(&w, &layout, 0x2000, 0x3000, 0, 0, 2);
    write_string(&w, &layout, 0x2001, 0x3000, 0, 2, 3);
    write_string(&w, &layout, 0x2002, 0x3000, 0, 4, UINT32_MAX); /* longer than there is */
    hw_prim_array(&w, 0x3000, 1, 5, 6, "\0a\0b\0c\0d\0e\0f");
    finish(&w, &c, 4);
    expect_thread(&c, 0, "ab");
    expect_thread(&c, 1, "cde");
    expect_thread(&c, 2, "ef");
    expect_thread(&c, 3, "abcdef");
    case_close(&c);
}

Test(hprof_lookup, cuts_long_names)
{
    const string_layout layout = {.string_fields = jdk17_string, .has_coder = true};
    char text[5000], expected[257];
    hprof_writer w;
    hprof_case c;
    memset(text, 'x', sizeof text);
    memset(expected, 'x', 256);
    expected[256] = '\0';
    begin(&w, &layout);
    write_thread(&w, 0x1000, THREAD, 0x2000);
    write_string(&w, &layout, 0x2000, 0x3000, 0, 0, 0);
    hw_prim_array(&w, 0x3000, 1, 8, sizeof text, text);
    finish(&w, &c, 1);
    expect_thread(&c, 0, expected);
    case_close(&c);
}

Test(hprof_lookup, is_not_led_in_circles)
{
    const string_layout layout = {.string_fields = jdk17_string, .has_coder = true};
    hprof_writer w;
    hprof_case c;
    begin(&w, &layout);
    write_thread(&w, 0x1000, THREAD, 0x1000); /* its name is itself */
    write_thread(&w, 0x1001, THREAD, 0x2000);
    write_string(&w, &layout, 0x2000, 0x2000, 0, 0, 0); /* its value is itself */
    write_thread(&w, 0x1002, THREAD, 0x7777);           /* not in the dump */
    finish(&w, &c, 3);
    for (unsigned i = 0; i < 3; i++) {
        const char *const labels[] = {"thread 1", "thread 2", "thread 3"};
        cr_expect(view_count_roots(&c.view, HSC_ROOT_THREAD, labels[i], 0x1000 + i) == 1);
    }
    case_close(&c);
}

/* Names far apart in a file of many chunks, ids in no order. */
Test(hprof_lookup, finds_objects_anywhere_in_the_file)
{
    const string_layout layout = {.string_fields = jdk17_string, .has_coder = true};
    static uint8_t padding[700000];
    hprof_writer w;
    hprof_case c;
    begin(&w, &layout);
    hw_prim_array(&w, 0x3001, 1, 8, 3, "two");
    for (unsigned i = 0; i < 6; i++) {
        hw_prim_array(&w, 0x900000 - i * 0x1000, 1, 8, sizeof padding, padding);
        if (i % 2 == 1) {
            hw_close(&w);
            hw_string(&w, 0x100 + i, "between the segments");
            hw_open(&w, 0x1C);
        }
        if (i == 1) write_thread(&w, 0x1001, THREAD, 0x2001);
        if (i == 2) write_string(&w, &layout, 0x2000, 0x3000, 0, 0, 0);
        if (i == 3) write_string(&w, &layout, 0x2001, 0x3001, 0, 0, 0);
        if (i == 4) hw_prim_array(&w, 0x3000, 1, 8, 3, "one");
    }
    write_thread(&w, 0x1000, THREAD, 0x2000);
    finish(&w, &c, 2);
    expect_thread(&c, 0, "one");
    expect_thread(&c, 1, "two");
    case_close(&c);
}

/* More chunks than there is room for: two become one, and every object is still where one says. */
Test(hprof_lookup, joins_chunks_when_there_are_too_many)
{
    const uint32_t count = 200000;
    const hsd_import_options options = {0};
    hprof_writer w;
    hsd_source source;
    hsd_error err;
    hsd_error_init(&err);
    hw_begin(&w, "1.0.2", 4, 0);
    hw_open(&w, 0x1C);
    for (uint32_t i = 0; i < count; i++)
        hw_prim_array(&w, 0x1000 + (i * 7919 % count) * 8, 1, 8, 4, "data");
    hw_close(&w);
    hw_end_mark(&w);
    cr_assert(hsd_source_open_memory(&source, (hsd_bytes){w.data, w.size}, "test", &err) == HSD_OK);
    hsd_import import = {.source = &source, .options = &options, .memory_bytes = UINT64_C(64) << 20};
    hprof self = {.import = &import, .chunks = {.chunk_bytes = 20}};
    cr_assert(hsd_hprof_open(&self.reader, &source, false, &err) == HSD_OK);
    cr_assert(hsd_hprof_scan(&self, &err) == HSD_OK, "%s", err.text);
    const hprof_chunks *chunks = &self.chunks;
    cr_assert(chunks->count <= 65536 && chunks->count > 16384 && chunks->chunk_bytes > 20);
    for (uint32_t i = 0, chunk = 0; i < count; i++) {
        const uint64_t offset = 31 + 9 + (uint64_t)i * 18, id = 0x1000 + (i * 7919 % count) * 8;
        while (chunk + 1 < chunks->count && chunks->items[chunk + 1].offset <= offset)
            chunk++;
        cr_assert(chunks->items[chunk].least <= id && id <= chunks->items[chunk].most);
    }
    hsd_source_close(&source);
    hsd_hprof_classes_release(&self.classes);
    hsd_hprof_names_release(&self.names);
    hsd_hprof_stacks_release(&self.stacks);
    free(self.chunks.items);
    hw_free(&w);
}

/*
 * The importer of portable heap dumps, on dumps that are made here record by record: each form of each record, both
 * widths of addresses, what is a root, and what is wrong with a damaged one.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>

#include <string.h>

#include "support/import_bytes.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

enum {
    OBJECT = 0x1000,
    CLASS = 0x1100,
    NODE = 0x1200,
    THREAD = 0x1300,
    LOADER = 0x1400,
    INTS = 0x1500,
    ROOM = 1 << 20
};
enum { FLAG_64 = 1, FLAG_HASHED = 2, FLAG_J9 = 4 };

typedef struct dump {
    uint8_t data[ROOM];
    size_t size;
    uint64_t last;
    unsigned word, shift;
    bool has_hashes, has_sizes;
} dump;

static dump made;

static void put(uint64_t number, unsigned bytes)
{
    cr_assert(made.size + bytes <= sizeof made.data);
    for (; bytes > 0; bytes--)
        made.data[made.size++] = (uint8_t)(number >> 8 * (bytes - 1));
}

static void text(const char *words)
{
    put(strlen(words), 2);
    for (; *words != '\0'; words++)
        put((uint8_t)*words, 1);
}

static void head(unsigned version, unsigned flags)
{
    made.size = 0;
    made.last = 0;
    made.word = (flags & FLAG_64) != 0 ? 8 : 4;
    made.shift = (flags & FLAG_J9) != 0 || version == 5 ? 2 : 3;
    made.has_hashes = (flags & FLAG_J9) != 0 && (flags & FLAG_HASHED) != 0;
    made.has_sizes = version >= 6;
    text("portable heap dump");
    put(version, 4);
    put(flags, 4);
    put(1, 1);
    put(1, 1); /* totals */
    put(7, 8);
    put(3, 1); /* randoms */
    put(7, 8);
    put(4, 1);
    text("JRE 17 Linux amd64-64-Bit 20260101_1 (JIT enabled)");
    put(2, 1);
    put(2, 1);
}

static void gap(uint64_t address, unsigned bytes)
{
    put((uint64_t)((int64_t)(address - made.last) >> made.shift), bytes);
    made.last = address;
}

static void hash(void)
{
    if (made.has_hashes) put(0x7abc, 2);
}

static void references(const uint64_t *targets, unsigned count, unsigned bytes)
{
    for (unsigned i = 0; i < count; i++)
        put((uint64_t)((int64_t)(targets[i] - made.last) >> made.shift), bytes);
}

static void size_of_array(uint64_t bytes)
{
    if (made.has_sizes) put(bytes / 4, 4);
}

static void short_object(unsigned cached, uint64_t address, const uint64_t *targets, unsigned count)
{
    put(0x80 | cached << 5 | count << 3 | 1 << 2 | 1, 1);
    gap(address, 2);
    hash();
    references(targets, count, 2);
}

static void medium_object(uint64_t address, uint64_t class, const uint64_t *targets, unsigned count)
{
    put(0x40 | count << 3 | 1 << 2 | 2, 1);
    gap(address, 2);
    put(class, made.word);
    hash();
    references(targets, count, 4);
}

static void long_object(uint64_t address, uint64_t class, const uint64_t *targets, unsigned count, bool is_hashed)
{
    put(4, 1);
    put(1 | 2 << 6 | 3 << 4 | (is_hashed ? 2 : 0), 1);
    gap(address, 4);
    put(class, made.word);
    hash();
    if (is_hashed && !made.has_hashes) put(0x1234567, 4);
    put(count, 4);
    references(targets, count, 8);
}

static void array(uint64_t address, uint64_t class, const uint64_t *targets, unsigned count, uint32_t length,
                  uint64_t bytes)
{
    put(8, 1);
    put(1 | 1 << 6 | 2 << 4, 1);
    gap(address, 2);
    put(class, made.word);
    hash();
    put(count, 4);
    references(targets, count, 4);
    put(length, 4);
    size_of_array(bytes);
}

static void primitives(uint64_t address, unsigned kind, unsigned length, uint64_t bytes)
{
    put(0x20 | kind << 2 | 1, 1);
    gap(address, 2);
    put(length, 2);
    hash();
    size_of_array(bytes);
}

static void long_primitives(uint64_t address, unsigned kind, unsigned length, uint64_t bytes)
{
    put(7, 1);
    put(kind << 5 | 0x10 | 2, 1);
    gap(address, made.word);
    put(length, made.word);
    hash();
    if (!made.has_hashes) put(0x1234567, 4);
    size_of_array(bytes);
}

static void class(uint64_t address, const char *name, uint64_t super, uint32_t bytes, const uint64_t *targets,
                  unsigned count)
{
    put(6, 1);
    put(2 << 6 | 2 << 4, 1);
    gap(address, 4);
    put(bytes, 4);
    hash();
    put(super, made.word);
    text(name);
    put(count, 4);
    references(targets, count, 4);
}

static void classes(void)
{
    class(OBJECT, "java/lang/Object", 0, 8, NULL, 0);
    class(CLASS, "java/lang/Class", OBJECT, 100, (const uint64_t[]){OBJECT}, 1);
    class(NODE, "com/acme/Node", OBJECT, 20, (const uint64_t[]){0x5000, 0x2000, OBJECT}, 3);
    class(THREAD, "com/acme/Worker", 0x1301, 20, NULL, 0);
    class(0x1301 & ~3u, "java/lang/Thread", OBJECT, 20, NULL, 0);
    class(LOADER, "java/lang/ClassLoader", OBJECT, 40, NULL, 0);
    class(INTS, "[[I", OBJECT, 16, NULL, 0);
}

/* Worker is a Thread by its superclass, whose address is that of a word. */
static void objects(void)
{
    medium_object(0x2000, NODE, (const uint64_t[]){NODE, 0x3000}, 2); /* its class first, as J9 writes it */
    short_object(0, 0x2100, (const uint64_t[]){0x2100, 0x3000, 0x4000}, 3);
    long_object(0x3000, NODE, (const uint64_t[]){0x2000, CLASS}, 2, true);
    array(0x3100, NODE, (const uint64_t[]){0x2100, 0x2000}, 2, 2, 24);
    array(0x3200, INTS, (const uint64_t[]){0x3300}, 1, 3, 32);
    primitives(0x3300, 6, 5, 40);
    long_primitives(0x3400, 4, 300, 320);
    medium_object(0x4000, THREAD, NULL, 0);
    medium_object(0x5000, LOADER, NULL, 0);
}

static void make(unsigned version, unsigned flags)
{
    head(version, flags);
    objects();
    classes();
    put(3, 1);
}

static hsd_status import_with(hsd_import_options options, uint64_t memory, hsd_import_result *result,
                              capture_view *view, hsd_error *err)
{
    const hsd_run run = {.memory_bytes = memory};
    options.compression = 1;
    options.format = "phd";
    return import_bytes(made.data, made.size, "dump", &options, &run, result, view, err);
}

static void open_made(hsd_import_result *result, capture_view *view)
{
    hsd_error err;
    cr_assert(import_with((hsd_import_options){0}, 32 << 20, result, view, &err) == HSD_OK, "%s", err.text);
}

static const char *type_of(const capture_view *view, uint64_t address)
{
    const view_object *object = view_find(view, address);
    cr_assert(object != NULL, "%#lx is not there", (unsigned long)address);
    return view_type(view, object->type);
}

static void expect_the_heap(bool has_sizes)
{
    hsd_import_result result;
    capture_view view;
    open_made(&result, &view);
    cr_expect_str_eq(result.format, "phd");
    cr_assert(result.objects == 16 && result.is_complete, "%lu", (unsigned long)result.objects);
    cr_expect_str_eq(type_of(&view, 0x2000), "com.acme.Node");
    cr_expect_str_eq(type_of(&view, 0x2100), "com.acme.Node");
    cr_expect_str_eq(type_of(&view, 0x3100), "com.acme.Node[]");
    cr_expect_str_eq(type_of(&view, 0x3200), "int[][][]");
    cr_expect_str_eq(type_of(&view, 0x3300), "int[]");
    cr_expect_str_eq(type_of(&view, 0x3400), "byte[]");
    cr_expect_str_eq(type_of(&view, NODE), "java.lang.Class");
    cr_expect_str_eq(view_string(&view, view_find(&view, NODE)->name), "com.acme.Node");
    cr_expect_eq(view_find(&view, 0x2000)->size_bytes, 24);
    cr_expect_eq(view_find(&view, NODE)->size_bytes, 104);
    if (has_sizes) cr_expect(view_find(&view, 0x3100)->size_bytes == 24 && view_find(&view, 0x3400)->size_bytes == 320);
    cr_expect_eq(view_find(&view, 0x3200)->elements, 3);
    view_close(&view);
}

Test(phd, reads_every_form_of_records)
{
    make(6, FLAG_64 | FLAG_J9);
    expect_the_heap(true);
    make(6, FLAG_J9);
    expect_the_heap(true);
    make(6, FLAG_64 | FLAG_J9 | FLAG_HASHED);
    expect_the_heap(true);
    make(5, FLAG_64 | FLAG_J9);
    expect_the_heap(false);
}

Test(phd, elements_are_in_their_order_where_none_is_null)
{
    hsd_import_result result;
    capture_view view;
    make(6, FLAG_64 | FLAG_J9);
    open_made(&result, &view);
    const view_object *full = view_find(&view, 0x3100), *node = view_find(&view, 0x2000);
    cr_expect_eq(view_reference_of(&view, full, NULL, 0)->target, 0x2000); /* the last is written first */
    cr_expect_eq(view_reference_of(&view, full, NULL, 1)->target, 0x2100);
    const view_object *holes = view_find(&view, 0x3200);
    cr_expect_eq(view_label_of(&view, &view.references[holes->first]).kind, HSC_LABEL_VALUE);
    cr_assert_eq(node->count, 1); /* without its class */
    cr_expect_eq(view.references[node->first].target, 0x3000);
    view_close(&view);
}

Test(phd, what_nothing_holds_is_a_root)
{
    hsd_import_result result;
    capture_view view;
    make(6, FLAG_64 | FLAG_J9);
    open_made(&result, &view);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_CLASS, "class com.acme.Node", NODE), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_RUNTIME, "class loader java.lang.ClassLoader", 0x5000), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_UNKNOWN, "(stack or JVM)", 0x3100), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_UNKNOWN, "(stack or JVM)", 0x3200), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_UNKNOWN, "(stack or JVM)", 0x2000), 0);
    /* classes are referred to weakly: they are roots themselves */
    const view_object *node = view_find(&view, 0x3000), *of = view_find(&view, NODE);
    cr_assert(node->count == 2 && of->count == 3);
    cr_expect_eq(view_label_of(&view, &view.references[node->first + 1]).flags, HSC_STRENGTH_WEAK);
    cr_expect_eq(view_label_of(&view, &view.references[of->first]).flags, HSC_STRENGTH_WEAK);
    cr_expect_eq(view.references[of->first + 1].label, 0);
    view_close(&view);
}

Test(phd, threads_are_roots_by_their_superclass)
{
    hsd_import_result result;
    capture_view view;
    head(6, FLAG_64 | FLAG_J9);
    medium_object(0x2000, THREAD, (const uint64_t[]){0x2100}, 1);
    medium_object(0x2100, NODE, (const uint64_t[]){0x2000, 0x2100}, 2);
    class(NODE, "com/acme/Node", 0, 20, NULL, 0);
    class(THREAD, "com/acme/Worker", 0x1600, 20, NULL, 0);
    class(0x1600, "java/lang/Thread", 0x1600, 20, NULL, 0); /* above itself: a hostile one */
    put(3, 1);
    open_made(&result, &view);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_THREAD, "thread com.acme.Worker", 0x2000), 1);
    const view_object *node = view_find(&view, 0x2100);
    cr_expect_eq(view_label_of(&view, &view.references[node->first]).flags, HSC_STRENGTH_WEAK);
    view_close(&view);
}

/* More of them than are kept until their class is known. */
Test(phd, very_many_threads_are_roots)
{
    hsd_import_result result;
    capture_view view;
    head(6, FLAG_64 | FLAG_J9);
    long_object(0x2000, NODE, (const uint64_t[]){0x3000 + 64 * 1999}, 1, false);
    for (unsigned i = 0; i < 2000; i++)
        medium_object(0x3000 + 64 * i, THREAD, (const uint64_t[]){0x3000}, 1);
    class(NODE, "com/acme/Node", 0, 20, NULL, 0);
    class(THREAD, "java/lang/Thread", 0, 20, NULL, 0);
    put(3, 1);
    open_made(&result, &view);
    size_t threads = 0;
    for (size_t i = 0; i < view.root_count; i++)
        threads += view.roots[i].kind == HSC_ROOT_THREAD;
    cr_expect_eq(threads, 2000);
    const view_object *node = view_find(&view, 0x2000);
    cr_expect_eq(view_label_of(&view, &view.references[node->first]).flags, HSC_STRENGTH_WEAK);
    view_close(&view);
}

/* The first of the circle in the file, which reaches the rest of it. */
Test(phd, a_circle_has_one_root)
{
    hsd_import_result result;
    capture_view view;
    head(6, FLAG_64 | FLAG_J9);
    medium_object(0x2000, NODE, (const uint64_t[]){0x2100, 0x2200}, 2);
    medium_object(0x2100, NODE, (const uint64_t[]){0x2000}, 1);
    medium_object(0x2200, NODE, (const uint64_t[]){0x2000}, 1);
    class(NODE, "com/acme/Node", 0, 20, NULL, 0);
    put(3, 1);
    open_made(&result, &view);
    cr_expect_eq(view.root_count, 2);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_UNKNOWN, "(stack or JVM)", 0x2000), 1);
    view_close(&view);
}

/* A chain from a static field against the order of the file, longer than there are passes: each is there, and what is
 * taken for a root is a secondary one, which owns nothing of what the class holds. */
Test(phd, long_chains_are_reached)
{
    enum { LINKS = 40 };
    hsd_import_result result;
    capture_view view;
    const uint64_t last = 0x2000 + 64 * (LINKS - 1);
    head(6, FLAG_64 | FLAG_J9);
    medium_object(0x2000, NODE, NULL, 0);
    for (unsigned i = 1; i < LINKS; i++)
        medium_object(0x2000 + 64 * i, NODE, (const uint64_t[]){0x2000 + 64 * (i - 1)}, 1);
    class(NODE, "com/acme/Node", 0, 20, &last, 1);
    put(3, 1);
    open_made(&result, &view);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_UNKNOWN, "(stack or JVM)", last), 0);
    for (size_t i = 0; i < view.root_count; i++)
        cr_expect(view.roots[i].kind == HSC_ROOT_CLASS || (view.roots[i].flags & HSC_ROOT_SECONDARY) != 0);
    view_close(&view);
}

Test(phd, an_object_that_refers_to_itself_alone_is_a_root)
{
    hsd_import_result result;
    capture_view view;
    head(6, FLAG_J9);
    medium_object(0x2000, NODE, (const uint64_t[]){0x2000}, 1);
    class(NODE, "N", 0, 20, NULL, 0);
    class(NODE, "twice", 0, 20, NULL, 0);
    put(3, 1);
    open_made(&result, &view);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_UNKNOWN, "(stack or JVM)", 0x2000), 1);
    cr_expect_str_eq(type_of(&view, 0x2000), "N");
    view_close(&view);
}

Test(phd, before_version_6_arrays_are_estimated)
{
    hsd_import_result result;
    capture_view view;
    head(4, 0);
    made.data[made.size - 1] = 2;
    primitives(0x2000, 1, 9, 0);
    put(5, 1); /* without a length, as old JVMs wrote it */
    put(1 | 1 << 6 | 2 << 4, 1);
    gap(0x2100, 2);
    put(NODE, 4);
    put(1, 4);
    references((const uint64_t[]){0x2000}, 1, 4);
    class(NODE, "N", 0, 20, NULL, 0);
    put(3, 1);
    open_made(&result, &view);
    cr_expect((view.info->facts & HSC_FACT_ESTIMATED) != 0);
    cr_expect_str_eq(type_of(&view, 0x2000), "char[]");
    cr_expect_eq(view_find(&view, 0x2000)->size_bytes, 32); /* 8 + 9 * 2, in steps of 8 */
    cr_expect_eq(view_find(&view, 0x2100)->size_bytes, 16);
    cr_expect_str_eq(view.info->runtime, "JVM of IBM, JRE 17 Linux amd64-64-Bit 20260101_1");
    view_close(&view);
}

/* More references than are seen at once: what stands behind them is read first. */
Test(phd, large_arrays_have_their_sizes)
{
    static uint64_t targets[120000];
    hsd_import_result result;
    capture_view view;
    head(6, FLAG_64 | FLAG_J9);
    for (size_t i = 0; i < 120000; i++)
        targets[i] = 0x2000 + 8 * i;
    array(0x2000, NODE, targets, 120000, 200000, 800016);
    put(3, 1);
    open_made(&result, &view);
    cr_expect_eq(view_find(&view, 0x2000)->size_bytes, 800016);
    cr_expect_eq(view_find(&view, 0x2000)->elements, 200000);
    cr_expect_eq(result.references, 120000);
    cr_expect_eq(view_loss(&view, "instances of classes that the dump does not describe"), 1);
    view_close(&view);
}

static void expect_damage(hsd_status wanted, const char *word)
{
    hsd_error err;
    hsd_import_result result;
    const hsd_status got = import_with((hsd_import_options){0}, 16 << 20, &result, NULL, &err);
    cr_assert(got == wanted && strstr(err.text, word) != NULL, "%d, not %d with '%s': %s", got, wanted, word, err.text);
}

Test(phd, says_what_is_wrong)
{
    head(7, FLAG_J9);
    expect_damage(HSD_E_TOO_NEW, "version 7");
    head(3, FLAG_J9);
    expect_damage(HSD_E_UNSUPPORTED, "version 3");
    make(6, FLAG_J9);
    made.data[28] = 9;
    expect_damage(HSD_E_CORRUPT, "its header should begin here");
    made.data[28] = 1;
    made.data[29] = 9;
    expect_damage(HSD_E_CORRUPT, "a record of kind 9");
    head(6, FLAG_J9);
    made.data[made.size - 1] = 7;
    put(0, 8);
    expect_damage(HSD_E_CORRUPT, "its body should begin here");
    head(6, FLAG_J9);
    put(9, 1);
    expect_damage(HSD_E_CORRUPT, "a record of kind 9");
    head(6, FLAG_J9);
    long_object(0x2000, NODE, NULL, 0, false);
    made.data[made.size - 4] = 0x80;
    put(3, 1);
    expect_damage(HSD_E_CORRUPT, "references");
    head(6, FLAG_J9);
    put(3, 1);
    expect_damage(HSD_E_CORRUPT, "no objects");
}

Test(phd, a_dump_that_was_cut_gives_what_is_there)
{
    make(6, FLAG_64 | FLAG_J9);
    const size_t whole = made.size;
    head(6, FLAG_64 | FLAG_J9);
    const size_t begin = made.size + 17; /* the first object */
    make(6, FLAG_64 | FLAG_J9);
    for (made.size = whole - 1; made.size > 20; made.size -= made.size > 60 ? 3 : 1) {
        hsd_import_result result;
        capture_view view;
        hsd_error err;
        expect_damage(HSD_E_TRUNCATED, "cut off");
        const hsd_status status = import_with((hsd_import_options){.salvage = true}, 16 << 20, &result, &view, &err);
        if (made.size > begin + 8) cr_assert(status == HSD_OK, "%zu: %s", made.size, err.text);
        if (status != HSD_OK) continue;
        cr_expect(!result.is_complete && result.objects > 0);
        view_close(&view);
    }
}

/* References to everywhere: each has a page of its own. */
Test(phd, a_heap_without_end_is_over_the_budget)
{
    hsd_error err;
    hsd_import_result result;
    uint64_t targets[7];
    head(6, FLAG_64 | FLAG_J9);
    for (unsigned i = 0; i < 8000; i++) {
        for (unsigned k = 0; k < 7; k++)
            targets[k] = (UINT64_C(7) * i + k) << 20;
        long_object(0x2000 + 64 * i, NODE, targets, 7, false);
    }
    put(3, 1);
    cr_assert(import_with((hsd_import_options){0}, HSD_MEMORY_MIN_BYTES, &result, NULL, &err) == HSD_E_OVER_BUDGET,
              "%s", err.text);
    cr_expect(strstr(err.hint, "--memory") != NULL, "%s", err.hint);
}

Test(phd, sums_by_type_are_those_of_the_objects)
{
    hsd_error err;
    hsd_import_result result;
    capture_view view;
    uint64_t count, bytes;
    make(6, FLAG_64 | FLAG_J9);
    cr_assert(import_with((hsd_import_options){.summary_only = true}, 16 << 20, &result, &view, &err) == HSD_OK);
    view_total(&view, "com.acme.Node", &count, &bytes);
    cr_expect(count == 3 && bytes == 72 && view.object_count == 0);
    view_close(&view);
}

Test(phd, survives_every_change_of_a_byte)
{
    make(6, FLAG_64 | FLAG_J9);
    for (size_t i = 0; i < made.size; i++) {
        const uint8_t was = made.data[i];
        hsd_error err;
        hsd_import_result result;
        made.data[i] ^= (uint8_t)(1u << i % 8 | 0x80u >> i / 8 % 8);
        const hsd_status status = import_with((hsd_import_options){.salvage = true}, 16 << 20, &result, NULL, &err);
        cr_assert(status == HSD_OK || err.text[0] != '\0');
        made.data[i] = was;
    }
}

/*
 * The importer of Dart's heap snapshots, on one that is made here byte by byte: a list in a static field, with a
 * session whose name is a text, a map with bytes outside the heap, an entry of an Expando, and what the VM says of the
 * field.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "support/import_bytes.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

enum { /* classes; and, behind them, objects */
       OF_ROOT = 1,
       OF_PAGES,
       OF_ISOLATE,
       OF_NULL,
       OF_SMI,
       OF_STRING,
       OF_LIST,
       OF_ARRAY,
       OF_MAP,
       OF_SESSION,
       OF_WEAK,
       OF_FIELD,
       OF_CLASS,
       OF_PATCH,
       OF_LIBRARY,
       OF_CONTEXT,
       OF_BOOL,
       CLASSES = OF_BOOL
};

enum { /* objects */
       ROOT = 1,
       PAGES,
       ISOLATE,
       NIL,
       YES,
       LIST,
       ARRAY,
       SESSION,
       NAME,
       WIDE,
       MAP,
       WEAK,
       FIELD,
       CLASS,
       PATCH,
       LIBRARY,
       CONTEXT,
       GARBAGE,
       SEVEN,
       TWO,
       OBJECTS = TWO
};

enum { ROOM = 1 << 16, FREE = 8 };
static const char library[] = "package:shop/src/cart.dart";

typedef struct dump {
    uint8_t data[ROOM];
    size_t size;
    bool is_old;       /* of a VM that tells no isolates and no hashes */
    uint64_t class_of; /* of the session; OF_SESSION but for a test */
    uint64_t target;   /* of the session's third field */
    uint64_t outside;  /* object with bytes outside */
    uint64_t hash;     /* of the session */
    unsigned data_of;  /* tag of the session */
    unsigned isolates; /* classes of isolates behind all others */
    size_t objects_at, session_at, outside_at, hashes_at;
} dump;

static dump made;

static void put(uint64_t number)
{
    for (; number > 0x7f; number >>= 7)
        made.data[made.size++] = (uint8_t)(number | 0x80);
    made.data[made.size++] = (uint8_t)number;
    cr_assert(made.size < ROOM - 64);
}

static void bytes(const void *data, size_t size)
{
    memcpy(made.data + made.size, data, size);
    made.size += size;
}

static void text(const char *words)
{
    put(strlen(words));
    bytes(words, strlen(words));
}

static void type(const char *name, const char *of, const char *const *fields)
{
    unsigned count = 0;
    put(0);
    text(name);
    text("");
    text(of);
    text("");
    while (fields != NULL && fields[count] != NULL)
        count++;
    put(count);
    for (unsigned i = 0; i < count; i++) {
        put(1);
        put(i);
        text(fields[i]);
        text("");
    }
}

static void types(void)
{
    put(CLASSES + made.isolates);
    type("Root", "", NULL);
    type("Read-Only Pages", "", NULL);
    type("Isolate", "", (const char *const[]){"", "count", "log", "other", NULL});
    type("Null", "dart:core", NULL);
    type("_Smi", "dart:core", NULL);
    type("_OneByteString", "dart:core", NULL);
    type("_GrowableList", "dart:core", (const char *const[]){"type_arguments_", "length_", "data_", NULL});
    type("_List", "dart:core", (const char *const[]){"type_arguments_", "length_", NULL});
    type("_Map", "dart:_compact_hash", (const char *const[]){"type_arguments_", "hash_mask_", "data_", NULL});
    type("Session", library, (const char *const[]){"id", "name", "wide", "seen", NULL});
    type("_WeakProperty", "dart:core", (const char *const[]){"key_", "value_", NULL});
    type("Field", "", (const char *const[]){"name_", "owner_", "type_", "host_offset_or_field_id_", NULL});
    type("Class", "", (const char *const[]){"name_", "library_", NULL});
    type("PatchClass", "", (const char *const[]){"wrapped_class_", "script_", NULL});
    type("Library", "", (const char *const[]){"name_", NULL});
    type("Context", "", (const char *const[]){"parent_", NULL});
    type("bool", "dart:core", NULL);
    for (unsigned i = 0; i < made.isolates; i++)
        type("Isolate", "", NULL);
}

static void front(uint64_t of, uint64_t size, unsigned tag)
{
    put(of);
    put(size);
    put(tag);
}

static void references(unsigned count, const uint64_t *targets)
{
    put(count);
    for (unsigned i = 0; i < count; i++)
        put(targets[i]);
}

#define REFER(...) references(sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), (const uint64_t[]){__VA_ARGS__})

static void named(uint64_t of, const char *name)
{
    front(of, 64, 8);
    text(name);
}

static void nodes(void)
{
    if (made.is_old) { /* one root, of no class; the others are objects */
        front(0, 0, 0);
        REFER(LIST, CLASS);
        front(OF_SESSION, 0, 0);
        put(0);
        front(OF_SESSION, 0, 0);
        put(0);
        return;
    }
    front(OF_ROOT, 0, 0);
    REFER(CLASS, PAGES, ISOLATE);
    front(OF_PAGES, 0, 0);
    REFER(LIBRARY);
    front(OF_ISOLATE, 0, 8);
    text("123456789");
    REFER(0, SEVEN, LIST, MAP, SESSION);
}

static void session(void)
{
    made.session_at = made.size;
    front(made.class_of, 64, made.data_of);
    REFER(SEVEN, NAME, made.target, YES);
}

static void objects(void)
{
    static const uint8_t wide[] = {0x15, 0x26, 0x16, 0x26};
    made.objects_at = made.size;
    nodes();
    front(OF_NULL, 0, 1);
    put(0);
    front(OF_BOOL, 0, 2);
    put(1);
    put(0);
    front(OF_LIST, 32, 7);
    put(1);
    REFER(NIL, SEVEN, ARRAY);
    front(OF_ARRAY, 48, 7);
    put(4);
    REFER(NIL, SEVEN, NIL, NIL, SESSION, NIL);
    session();
    front(OF_STRING, 32, 5);
    put(300); /* the VM writes 128 */
    text("secret");
    put(0);
    front(OF_STRING, 32, 6);
    put(2);
    put(2);
    bytes(wide, sizeof wide);
    put(0);
    front(OF_MAP, 48, 7);
    put(6);
    REFER(NIL, SEVEN, NIL);
    front(OF_WEAK, 32, 0);
    REFER(SESSION, NAME);
    named(OF_FIELD, "log");
    REFER(NIL, PATCH, NIL, TWO);
    named(OF_CLASS, "Session");
    REFER(NIL, LIBRARY);
    front(OF_PATCH, 32, 0);
    REFER(CLASS, NIL);
    named(OF_LIBRARY, library);
    REFER(NIL);
    front(OF_CONTEXT, 32, 0);
    REFER(NIL, SESSION);
    front(OF_STRING, 16, 5);
    put(0);
    text("");
    put(0);
    front(OF_SMI, 0, 3);
    put(7);
    put(0);
    front(OF_SMI, 0, 3);
    put(2);
    put(0);
}

static void make(dump shape)
{
    made = shape;
    bytes("dartheap", 8);
    put(0);
    text("main");
    put(1000);
    put(2000);
    put(4096);
    types();
    put(40);
    put(OBJECTS);
    objects();
    made.outside_at = made.size + 1;
    put(1);
    put(made.outside);
    put(4096);
    text("finalizer");
    if (made.is_old) return;
    made.hashes_at = made.size;
    for (uint64_t i = 1; i <= OBJECTS; i++)
        put(i == SESSION ? made.hash : i == CONTEXT ? 77 : 0);
}

static const dump whole = {.class_of = OF_SESSION, .target = WIDE, .outside = MAP, .hash = 0xfedcba98, .data_of = 0};

static hsd_status import(hsd_import_options options, hsd_import_result *result, capture_view *view, hsd_error *err)
{
    return import_bytes(made.data, made.size, "dump", &options, NULL, result, view, err);
}

static capture_view view;
static hsd_import_result result;
static hsd_error err;

static void import_whole(dump shape)
{
    make(shape);
    cr_assert(import((hsd_import_options){0}, &result, &view, &err) == HSD_OK, "%s", err.text);
}

/* ---- what a capture has ---- */

Test(dart, objects_have_their_types_and_sizes)
{
    static const struct {
        uint64_t id;
        const char *type;
    } expected[] = {{NAME, "String"},
                    {LIST, "List"},
                    {ARRAY, "_List (dart:core)"},
                    {MAP, "Map"},
                    {SESSION, "Session (shop/src/cart.dart)"},
                    {CLASS, "(Class)"},
                    {CONTEXT, "(closure context)"},
                    {WEAK, "_WeakProperty (dart:core)"}};
    import_whole(whole);
    cr_expect_str_eq(result.format, "dart");
    cr_expect_eq(result.objects, OBJECTS - 3 - 2, "%lu", (unsigned long)result.objects);
    cr_expect(result.is_complete);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        cr_expect_str_eq(view_type(&view, view_find(&view, expected[i].id)->type), expected[i].type);
    cr_expect_eq(view_find(&view, SESSION)->size_bytes, 64);
    cr_expect_eq(view_find(&view, LIST)->elements, 1);
    cr_expect_eq(view_find(&view, MAP)->elements, 3, "keys and values");
    cr_expect_eq(view_find(&view, MAP)->native_bytes, 4096);
    cr_expect_str_eq(view_string(&view, view_find(&view, CLASS)->name), "Session");
    view_close(&view);
}

Test(dart, references_are_fields_elements_and_variables)
{
    import_whole(whole);
    const view_object *session_ = view_find(&view, SESSION), *list = view_find(&view, LIST),
                      *array = view_find(&view, ARRAY), *context = view_find(&view, CONTEXT);
    cr_expect_eq(view_reference_of(&view, session_, "name", 0)->target, NAME - 1, "ordinals");
    cr_expect_null(view_reference_of(&view, session_, "id", 0), "small numbers are values");
    cr_expect_null(view_reference_of(&view, session_, "seen", 0), "and so is true");
    cr_expect_eq(session_->count, 2);
    const view_reference *inside = view_reference_of(&view, list, "data", 0);
    cr_assert_not_null(inside);
    cr_expect_eq(view_label_of(&view, inside).flags, HSC_LABEL_FOLD);
    cr_expect_eq(array->count, 1, "null is none");
    cr_expect_eq(view_reference_of(&view, array, NULL, 2)->target, SESSION - 1);
    cr_expect_eq(view.labels[view.references[context->first].label].kind, HSC_LABEL_VARIABLE);
    view_close(&view);
}

Test(dart, an_expando_does_not_keep_its_keys)
{
    import_whole(whole);
    const view_object *weak = view_find(&view, WEAK);
    cr_expect_eq(view_label_of(&view, view_reference_of(&view, weak, "key", 0)).flags, HSC_STRENGTH_WEAK);
    cr_expect_eq(view_label_of(&view, view_reference_of(&view, weak, "value", 0)).flags, HSC_STRENGTH_STRONG);
    view_close(&view);
}

Test(dart, static_fields_are_roots_by_their_names)
{
    import_whole(whole);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_STATIC, "static Session.log (shop/src/cart.dart)", LIST - 1), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_STATIC, "static other", MAP - 1), 1, "nothing tells whose it is");
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_STACK, "isolate (stack, handles)", SESSION - 1), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_RUNTIME, "read-only pages", LIBRARY - 1), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_RUNTIME, "Dart VM", CLASS - 1), 1);
    for (size_t i = 0; i < view.root_count; i++)
        cr_expect_eq(view.roots[i].flags == HSC_ROOT_SECONDARY, view.roots[i].kind != HSC_ROOT_STATIC);
    view_close(&view);
}

Test(dart, hashes_are_identities_and_texts_are_not_kept)
{
    import_whole(whole);
    cr_expect_eq(view.info->identity, HSD_IDENTITY_MOVING);
    cr_expect_eq(view_find(&view, SESSION)->identity, 0xfedcba98);
    cr_expect_eq(view_find(&view, CONTEXT)->identity, 77);
    cr_expect_eq(view_find(&view, LIST)->identity, 0);
    cr_expect_neq(view_find(&view, NAME)->content, 0);
    cr_expect_neq(view_find(&view, NAME)->content, view_find(&view, WIDE)->content);
    for (uint32_t i = 0; i < view.string_limit; i++)
        cr_expect(view.strings[i] == NULL || strstr(view.strings[i], "secret") == NULL, "%s", view.strings[i]);
    static const uint8_t unknown[16];
    cr_expect_neq(memcmp(view.info->domain, unknown, sizeof unknown), 0, "the port of the isolate");
    view_close(&view);
}

/* Dart 2.13 and older. */
Test(dart, older_snapshots_have_one_root_and_no_hashes)
{
    dump shape = whole;
    shape.is_old = true;
    import_whole(shape);
    cr_expect(result.is_complete);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_RUNTIME, "Dart VM", LIST - 1), 1);
    cr_expect_eq(view_find(&view, SESSION)->identity, 0);
    view_close(&view);
}

Test(dart, a_long_array_is_whole)
{
    enum { MANY = 3000 };
    make(whole);
    made.size = made.objects_at - 1; /* one byte is the number of objects */
    put(3);
    front(OF_ROOT, 0, 0);
    REFER(3);
    front(OF_NULL, 0, 1);
    put(0);
    front(OF_ARRAY, 48, 7);
    put(MANY);
    put(MANY);
    for (unsigned i = 0; i < MANY; i++)
        put(i % 2 == 0 ? 3 : 2);
    put(0);
    cr_assert(import((hsd_import_options){0}, &result, &view, &err) == HSD_OK, "%s", err.text);
    const view_object *array = view_find(&view, 3);
    cr_expect_eq(array->count, MANY / 2);
    cr_expect_eq(view.references[array->first + array->count - 1].index, MANY - 2 - 2, "behind two fields");
    view_close(&view);
}

/* Small integers are written without their sign, boxed ones with it: both may take ten bytes. */
Test(dart, negative_numbers_are_read)
{
    static const uint8_t least[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f},
                         minus[] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
    make(whole);
    made.size = made.objects_at - 1; /* one byte is the number of objects */
    put(4);
    front(OF_ROOT, 0, 0);
    REFER(2, 3);
    front(OF_STRING, 16, 3);
    bytes(least, sizeof least);
    put(0);
    front(OF_ARRAY, 32, 7);
    put(1);
    REFER(4, 4, 4, 2);
    front(OF_SMI, 0, 3);
    bytes(minus, sizeof minus);
    put(0);
    put(0);
    cr_assert(import((hsd_import_options){0}, &result, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect_eq(result.objects, 2);
    cr_expect_eq(view_find(&view, 3)->count, 1);
    view_close(&view);
}

Test(dart, summary_has_the_same_sums)
{
    hsd_import_result all, sums;
    make(whole);
    cr_assert(import((hsd_import_options){0}, &all, NULL, &err) == HSD_OK, "%s", err.text);
    cr_assert(import((hsd_import_options){.summary_only = true}, &sums, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect(all.objects == sums.objects && all.bytes == sums.bytes);
    uint64_t count, size;
    view_total(&view, "String", &count, &size);
    cr_expect(count == 3 && size == 80);
    view_close(&view);
}

static void front_number(uint64_t of)
{
    front(of, 0, 3);
    put(7);
    put(0);
}

/* Small numbers at the end are of more than one class, and the last is of one that nothing else is of. */
Test(dart, summary_has_the_same_sums_whatever_numbers_are_of)
{
    enum { MANY = 100 };
    static const uint64_t lasts[] = {OF_SMI, OF_STRING, OF_ISOLATE, CLASSES + 1, CLASSES + 64, CLASSES + MANY};
    for (size_t i = 0; i < sizeof lasts / sizeof lasts[0]; i++) {
        const uint64_t last = lasts[i];
        hsd_import_result all, sums;
        dump shape = whole;
        shape.isolates = MANY;
        make(shape);
        made.size = made.objects_at - 1; /* one byte is the number of objects */
        put(6);
        front(OF_ROOT, 0, 0);
        REFER(2);
        front_number(OF_SMI);
        front(OF_STRING, 16, 5);
        put(0);
        text("");
        put(0);
        front_number(OF_SMI);
        front_number(OF_ARRAY);
        front_number(last);
        put(0);
        cr_assert(import((hsd_import_options){0}, &all, NULL, &err) == HSD_OK, "%lu: %s", (unsigned long)last,
                  err.text);
        cr_assert(import((hsd_import_options){.summary_only = true}, &sums, &view, &err) == HSD_OK, "%s", err.text);
        cr_expect(all.objects == 2 && sums.objects == 2, "class %lu: %lu, and by a summary %lu", (unsigned long)last,
                  (unsigned long)all.objects, (unsigned long)sums.objects);
        cr_expect_eq(all.bytes, sums.bytes);
        view_close(&view);
    }
}

/* ---- damage ---- */

static void expect_refused(hsd_status wanted, const char *words, uint64_t offset)
{
    const hsd_status got = import((hsd_import_options){.format = "dart"}, &result, NULL, &err);
    cr_expect_eq(got, wanted, "%d: %s", got, err.text);
    cr_expect(strstr(err.text, words) != NULL, "%s", err.text);
    if (offset != 0)
        cr_expect_eq(err.offset_bytes, offset, "%lu, not %lu", (unsigned long)err.offset_bytes, (unsigned long)offset);
}

Test(dart, damage_is_told_with_its_place)
{
    dump shape = whole;
    shape.class_of = CLASSES + 1;
    make(shape);
    expect_refused(HSD_E_CORRUPT, "object 8 is of class 18 of 17", made.session_at);
    shape = whole;
    shape.target = OBJECTS + 1;
    make(shape);
    expect_refused(HSD_E_CORRUPT, "object 8 refers to object 21 of 20", made.session_at);
    shape = whole;
    shape.data_of = 9;
    make(shape);
    expect_refused(HSD_E_CORRUPT, "object 8 has data of kind 9, which is not known", made.session_at);
    cr_expect(strstr(err.hint, "newer Dart") != NULL, "%s", err.hint);
    shape = whole;
    shape.outside = OBJECTS + 1;
    make(shape);
    expect_refused(HSD_E_CORRUPT, "memory of object 21 of 20", made.outside_at);
    shape = whole;
    shape.hash = UINT64_C(1) << 32;
    make(shape);
    expect_refused(HSD_E_CORRUPT, "the identity hash of object 8 has more than 32 bits", made.hashes_at + SESSION - 1);
}

Test(dart, numbers_and_texts_have_a_most)
{
    make(whole);
    made.size = made.objects_at - 1;
    put(UINT64_C(1) << 33);
    expect_refused(HSD_E_UNSUPPORTED, "8589934592 objects", 0);
    make(whole);
    memset(made.data + 8, 0xff, 16);
    expect_refused(HSD_E_CORRUPT, "a number has more than 64 bits", 8);
    make(whole);
    made.size = made.session_at;
    front(OF_STRING, 16, 5);
    put(3);
    put(4);
    expect_refused(HSD_E_CORRUPT, "of object 8 4 of 3 characters are there", made.session_at);
    static const char head[] = "dartheap\0\0\0\0\0";
    made.size = 0;
    bytes(head, sizeof head - 1);
    put(UINT64_C(1) << 40);
    expect_refused(HSD_E_CORRUPT, "it has 1099511627776 classes", 0);
}

/* Where older snapshots end, one that was cut off cannot be told from them. */
Test(dart, a_cut_snapshot_is_refused_and_partly_read)
{
    make(whole);
    const size_t end = made.size;
    for (size_t size = end - 1; size > FREE; size--) {
        made.size = size;
        if (size == made.hashes_at) continue;
        const bool has_objects = size > made.objects_at + 8;
        expect_refused(HSD_E_TRUNCATED, "ends in the middle", 0);
        if (has_objects) cr_expect(strstr(err.hint, "--partial") != NULL, "%s", err.hint);
        const hsd_status status = import((hsd_import_options){.salvage = true}, &result, &view, &err);
        cr_assert(status == HSD_OK || !has_objects, "%s", err.text);
        if (status != HSD_OK) continue;
        cr_expect(!result.is_complete);
        view_close(&view);
        if (size % 5 != 0) continue; /* each import costs */
        hsd_import_result sums;
        cr_assert(import((hsd_import_options){.salvage = true, .summary_only = true}, &sums, NULL, &err) == HSD_OK,
                  "%s", err.text);
        cr_expect(sums.objects == result.objects && sums.bytes == result.bytes, "%zu: %lu, not %lu", size,
                  (unsigned long)sums.objects, (unsigned long)result.objects);
    }
}

/* Names that do not fit into the memory. */
Test(dart, a_budget_that_is_too_small_says_what_suffices)
{
    enum { NAMES = 1 << 18, BYTES = 24 << 20 };
    uint8_t *const data = malloc(BYTES);
    cr_assert_not_null(data);
    made.size = 0;
    bytes("dartheap\0\0\0\0\0", 13);
    put(NAMES);
    memcpy(data, made.data, made.size);
    size_t size = made.size;
    for (unsigned i = 0; i < NAMES; i++) {
        char name[32];
        made.size = 0;
        snprintf(name, sizeof name, "a class of number %u", i);
        type(name, library, NULL);
        memcpy(data + size, made.data, made.size);
        size += made.size;
    }
    const hsd_run run = {.memory_bytes = 16 << 20};
    const hsd_status status = import_bytes(data, size, "dump", NULL, &run, &result, NULL, &err);
    cr_expect_eq(status, HSD_E_OVER_BUDGET, "%d: %s", status, err.text);
    cr_expect(strstr(err.text, "the names of this heap snapshot take more than") != NULL, "%s", err.text);
    cr_expect(strstr(err.hint, "--memory ") != NULL, "%s", err.hint);
    free(data);
}

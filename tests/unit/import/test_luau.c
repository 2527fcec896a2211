/*
 * The importer of Luau's heap dumps, on dumps that are known line by line, with all that is wrong in real ones.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/import_bytes.h"
#include "support/luau_writer.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

#define AT(n) (UINT64_C(0x7f0000000000) + (n))

static hsd_status import(const void *data, size_t size, const hsd_import_options *options, hsd_import_result *result,
                         capture_view *view, hsd_error *err)
{
    static const hsd_run small = {.memory_bytes = UINT64_C(2) << 20};
    return import_bytes(data, size, "dump", options, &small, result, view, err);
}

static const hsd_import_options plain = {.compression = 1};

static void open_shop(unsigned sessions, bool is_msvc, const hsd_import_options *options, hsd_import_result *result,
                      capture_view *view)
{
    luau_dump dump;
    hsd_error err;
    luau_shop(&dump, sessions, is_msvc);
    cr_assert(import(dump.data, dump.size, options, result, view, &err) == HSD_OK, "%s", err.text);
    luau_release(&dump);
}

static const char *type_of(const capture_view *view, uint64_t id)
{
    const view_object *object = view_find(view, id);
    cr_assert(object != NULL, "no object 0x%llx", (unsigned long long)id);
    return view_type(view, object->type);
}

/* The label of the reference to this target. */
static view_label label_to(const capture_view *view, uint64_t source, uint64_t target)
{
    const view_object *object = view_find(view, source);
    cr_assert(object != NULL);
    for (size_t i = 0; i < object->count; i++)
        if (view->references[object->first + i].target == target)
            return view_label_of(view, &view->references[object->first + i]);
    cr_assert(false, "0x%llx does not refer to 0x%llx", (unsigned long long)source, (unsigned long long)target);
    return (view_label){0};
}

static uint64_t metric(const capture_view *view, const char *name)
{
    hsd_record_reader *reader;
    hsd_record record;
    hsd_error err;
    uint64_t value = UINT64_MAX;
    cr_assert(hsd_record_reader_open(&reader, view->capture, HSD_RECORD_METRIC, &err) == HSD_OK);
    while (hsd_record_reader_next(reader, &record, &err) == HSD_OK)
        if (strlen(name) == record.metric.name.size &&
            memcmp(name, record.metric.name.data, record.metric.name.size) == 0)
            value = record.metric.value;
    hsd_record_reader_close(reader);
    return value;
}

Test(luau, has_every_object_of_a_shop_with_all_flaws)
{
    hsd_import_result result;
    capture_view view;
    open_shop(20, false, &plain, &result, &view);
    cr_expect(result.is_complete && result.objects == 40 + LUAU_SHOP_OTHERS && view.object_count == result.objects,
              "%zu", view.object_count);
    cr_expect_eq(view.loss_count, 0);
    cr_expect_str_eq(view.info->runtime, "Luau");
    cr_expect(view.info->identity == HSD_IDENTITY_ADDRESS && view.info->pointer_bytes == 8);
    static const uint8_t unknown[16];
    cr_expect(memcmp(view.info->domain, unknown, 16) != 0);
    view_close(&view);
}

Test(luau, names_types)
{
    hsd_import_result result;
    capture_view view;
    open_shop(20, false, &plain, &result, &view);
    cr_expect_str_eq(type_of(&view, LUAU_SHOP_FIRST), "Session"); /* its metatable is the global of that name */
    cr_expect_str_eq(type_of(&view, LUAU_SHOP_SESSIONS), "table");
    cr_expect_str_eq(type_of(&view, AT(0x3000)), "function open shop.luau:12");
    cr_expect_str_eq(type_of(&view, AT(0x3400)), "C function dump\"quoted, \"proto");
    cr_expect_str_eq(type_of(&view, AT(0x3500)), "Socket"); /* __type */
    cr_expect_str_eq(type_of(&view, AT(0x3700)), "buffer");
    cr_expect_str_eq(type_of(&view, AT(0x3800)), "thread");
    cr_expect_str_eq(type_of(&view, AT(0x3900)), "class");
    cr_expect_str_eq(type_of(&view, AT(0x3a00)), "Point");
    cr_expect_str_eq(type_of(&view, AT(0x3b00)), "vector");
    cr_expect_str_eq(type_of(&view, AT(0x3100)), "proto");
    cr_expect_str_eq(type_of(&view, AT(0x3200)), "upvalue");
    cr_expect_str_eq(view_string(&view, view_find(&view, AT(0x3100))->name), "shop.luau:12");
    cr_expect_str_eq(view_string(&view, view_find(&view, AT(0x3800))->name), "shop.luau:30");
    cr_expect_eq(view_find(&view, AT(0x3b00))->flags, HSC_OBJECT_CUT);
    view_close(&view);
}

Test(luau, tells_a_key_that_sixteen_tables_have)
{
    hsd_import_result result;
    capture_view view;
    open_shop(16, false, &plain, &result, &view);
    cr_expect_not_null(view_reference_of(&view, view_find(&view, LUAU_SHOP_FIRST), "owner", 0));
    view_close(&view);
    open_shop(15, false, &plain, &result, &view);
    cr_expect_null(view_reference_of(&view, view_find(&view, LUAU_SHOP_FIRST), "owner", 0));
    cr_expect_eq(label_to(&view, LUAU_SHOP_FIRST, AT(0x3300)).kind, HSC_LABEL_VALUE);
    view_close(&view);
    const hsd_import_options values = {.compression = 1, .with_values = true};
    open_shop(2, false, &values, &result, &view);
    cr_expect_not_null(view_reference_of(&view, view_find(&view, LUAU_SHOP_FIRST), "owner", 0));
    cr_expect_str_eq(view_find(&view, LUAU_SHOP_FIRST + 0x100)->value, "session number 0");
    view_close(&view);
}

Test(luau, tells_globals_and_the_registry_by_name_and_data_not_at_all)
{
    hsd_import_result result;
    capture_view view;
    open_shop(1, false, &plain, &result, &view);
    const view_object *globals = view_find(&view, AT(0x1200)), *registry = view_find(&view, AT(0x1100));
    const view_reference *sessions = view_reference_of(&view, globals, "sessions", 0),
                         *hidden = view_reference_of(&view, globals, "[key]", 0);
    cr_assert(sessions != NULL && sessions->target == LUAU_SHOP_SESSIONS && hidden != NULL &&
              hidden->target == AT(0x3700));
    cr_expect_eq(view_label_of(&view, sessions).flags, HSC_LABEL_NAMED_ROOT);
    cr_expect_str_eq(view_string(&view, globals->name), "_G");
    cr_expect_str_eq(view_string(&view, registry->name), "registry");
    cr_expect_not_null(view_reference_of(&view, registry, "_LOADED", 0));
    cr_expect_eq(view_reference_of(&view, registry, "(references)", 0)->target, AT(0x3d00));
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_THREAD, "main thread", AT(0x1000)), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_RUNTIME, "registry", AT(0x1100)), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_RUNTIME, "(metatables of basic types)", AT(0x1600)), 1);
    /* __mode */
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_RUNTIME, "(VM internals)", AT(0x8000)), 1);
    /* a source */
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_RUNTIME, "(VM internals)", AT(0x8000 + 12 * 0x100)), 1);
    for (uint32_t i = 0; i < view.string_limit; i++)
        cr_expect(view.strings[i] == NULL || strstr(view.strings[i], "session number") == NULL, "%s", view.strings[i]);
    view_close(&view);
}

/* A script in a sandbox: its thread has globals of its own, which look in those of the program. */
Test(luau, tells_globals_of_a_thread_with_an_environment_of_its_own)
{
    luau_dump dump = {0};
    hsd_import_result result;
    capture_view view;
    hsd_error err;
    luau_begin(&dump);
    luau_thread(&dump, 0x1000, 0x2000, NULL, 0, LUAU_LIST(0x3000), "null");
    luau_table(&dump, 0x2000, LUAU_NONE, LUAU_NONE, 0);
    luau_table(&dump, 0x4000, LUAU_LIST(0x5000, 0x6000), LUAU_NONE, 0);
    luau_table(&dump, 0x6000, LUAU_LIST(0x5100, 0x6100), LUAU_NONE, 0);
    luau_table(&dump, 0x6100, LUAU_NONE, LUAU_NONE, 0);
    luau_thread(&dump, 0x3000, 0x4000, "@script.luau", 1, LUAU_NONE, NULL);
    luau_string(&dump, 0x5000, "sessions");
    luau_string(&dump, 0x5100, "data");
    luau_roots(&dump, 0x1000, 0x2000, 1);
    luau_end(&dump);
    cr_assert(import(dump.data, dump.size, &plain, &result, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect_eq(view_reference_of(&view, view_find(&view, 0x4000), "sessions", 0)->target, 0x6000);
    cr_expect_null(view_reference_of(&view, view_find(&view, 0x6000), "data", 0));
    view_close(&view);
    luau_release(&dump);
}

/* cache has weak values, keyed weak keys but for strings, and strong values. Their metatables stand far behind them. */
Test(luau, resolves_weak_tables)
{
    hsd_import_result result;
    capture_view view;
    open_shop(1, false, &plain, &result, &view);
    cr_expect_eq(label_to(&view, AT(0x1700), AT(0x3c00)).flags & HSC_STRENGTH_MASK, HSC_STRENGTH_WEAK);
    /* a key */
    cr_expect_eq(label_to(&view, AT(0x1700), AT(0x3800)).flags & HSC_STRENGTH_MASK, HSC_STRENGTH_STRONG);
    cr_expect_eq(label_to(&view, AT(0x1900), AT(0x3800)).flags & HSC_STRENGTH_MASK, HSC_STRENGTH_WEAK);
    cr_expect_eq(label_to(&view, AT(0x1900), AT(0x3a00)).flags & HSC_STRENGTH_MASK, HSC_STRENGTH_WEAK);
    /* a value */
    cr_expect_eq(label_to(&view, AT(0x1900), AT(0x3b00)).flags & HSC_STRENGTH_MASK, HSC_STRENGTH_STRONG);
    /* a string */
    cr_expect_eq(label_to(&view, AT(0x1900), AT(0x8000 + 16 * 0x100)).flags & HSC_STRENGTH_MASK, HSC_STRENGTH_STRONG);
    view_close(&view);
}

Test(luau, names_slots_of_a_stack_if_there_are_as_many_names)
{
    hsd_import_result result;
    capture_view view;
    open_shop(1, false, &plain, &result, &view);
    const view_reference *local = view_reference_of(&view, view_find(&view, AT(0x1000)), "sessions", 0);
    cr_assert(local != NULL && local->target == LUAU_SHOP_SESSIONS &&
              view_label_of(&view, local).kind == HSC_LABEL_VARIABLE);
    cr_expect_not_null(view_reference_of(&view, view_find(&view, AT(0x1000)), "called", 0));
    /* "od"d" is no name */
    cr_expect_not_null(view_reference_of(&view, view_find(&view, AT(0x3800)), "stack", 0));
    view_close(&view);
}

Test(luau, has_categories_and_what_the_allocator_says)
{
    hsd_import_result result;
    capture_view view;
    open_shop(3, false, &plain, &result, &view);
    cr_expect_str_eq(view_string(&view, view_find(&view, LUAU_SHOP_FIRST)->category), "cat \"3\"");
    cr_expect_str_eq(view_string(&view, view_find(&view, AT(0x1000))->category), "main");
    cr_expect_eq(view_find(&view, AT(0x3b00))->category, 0);
    cr_expect_eq(metric(&view, "heap.used"), 237668);
    cr_expect_eq(metric(&view, "heap.category.main"), 230000);
    cr_expect_eq(metric(&view, "heap.category.cat \"3\""), (UINT64_C(1) << 32) - 1000000000);
    cr_expect_eq(metric(&view, "heap.category.category 7"), 512);
    view_close(&view);
}

Test(luau, takes_sizes_above_two_gigabytes_modulo_four)
{
    luau_dump dump = {0};
    hsd_import_result result;
    capture_view view;
    hsd_error err;
    luau_begin(&dump);
    luau_thread(&dump, 0x1000, 0x2000, NULL, 0, LUAU_NONE, NULL);
    luau_table(&dump, 0x2000, LUAU_LIST(0, 0x3000), LUAU_NONE, 0);
    luau_raw(&dump, "\"0x3000\":{\"type\":\"buffer\",\"cat\":0,\"size\":-1294967296},\n");
    luau_roots(&dump, 0x1000, 0x2000, 1);
    luau_end(&dump);
    cr_assert(import(dump.data, dump.size, &plain, &result, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect_eq(view_find(&view, 0x3000)->size_bytes, UINT64_C(3000000000));
    cr_expect_eq(view_find(&view, 0x3000)->flags, HSC_OBJECT_CUT);
    cr_expect_eq(metric(&view, "heap.used"), (UINT64_C(1) << 32) + 1); /* the least that holds the objects */
    cr_expect_eq(view.info->pointer_bytes, 0);
    view_close(&view);
    luau_release(&dump);
}

Test(luau, reads_addresses_of_any_width)
{
    hsd_import_result result;
    capture_view one, other;
    open_shop(20, false, &plain, &result, &one);
    open_shop(20, true, &plain, &result, &other);
    cr_assert(one.object_count == other.object_count && one.reference_count == other.reference_count);
    for (size_t i = 0; i < one.reference_count; i++)
        cr_expect_eq(one.references[i].target, other.references[i].target);
    view_close(&one);
    view_close(&other);
}

Test(luau, has_the_same_totals_in_a_summary)
{
    const hsd_import_options summary = {.compression = 1, .summary_only = true};
    hsd_import_result result;
    capture_view view;
    uint64_t objects, bytes;
    open_shop(20, false, &summary, &result, &view);
    view_total(&view, "Session", &objects, &bytes);
    cr_expect(objects == 20 && bytes == 20 * (48 + 2 * 32) && view.object_count == 0 &&
              result.objects == 40 + LUAU_SHOP_OTHERS);
    view_close(&view);
}

Test(luau, counts_lines_that_it_cannot_read)
{
    luau_dump dump = {0};
    hsd_import_result result, sums;
    capture_view view;
    hsd_error err;
    luau_begin(&dump);
    luau_thread(&dump, 0x1000, 0x2000, NULL, 0, LUAU_NONE, NULL);
    luau_raw(&dump, "\"0x3000\":{\"type\":\"table\",\"cat\":0,\"size\":48,\"pairs\":[\"0x4000\",12]},\n");
    luau_raw(&dump,
             "\"0x3300\":{\"type\":\"table\",\"cat\":0,\"size\":48,\"pairs\":[\"0x40,\"metatable\":\"0x3000\"},\n");
    luau_raw(&dump, "\"0xg\":{\"type\":\"table\",\"cat\":0,\"size\":48},\n");
    luau_raw(&dump, "\"0x3100\":{\"type\":\"string\",\"cat\":256,\"size\":48,\"data\":\"\"},\n");
    luau_raw(&dump, "\"0x3200\":{\"type\":\"novelty\",\"cat\":1,\"size\":48,\"weight\":1.5,\"of\":[\"0x1000\"]},\n");
    luau_raw(&dump, "garbage\n");
    luau_table(&dump, 0x2000, LUAU_NONE, LUAU_LIST(0x3000, 0x3200), 0);
    luau_roots(&dump, 0x1000, 0x2000, 1);
    luau_end(&dump);
    cr_assert(import(dump.data, dump.size, &plain, &result, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect_eq(view.object_count, 5, "%zu", view.object_count); /* what could be read of the first two is there */
    cr_expect_str_eq(type_of(&view, 0x3200), "(unknown)");
    cr_expect_eq(view_loss(&view, "lines of the heap dump that could not be read"), 4);
    view_close(&view);
    const hsd_import_options summary = {.compression = 1, .summary_only = true};
    cr_assert(import(dump.data, dump.size, &summary, &sums, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect(sums.objects == result.objects && sums.bytes == result.bytes, "%lu, not %lu", (unsigned long)sums.objects,
              (unsigned long)result.objects);
    view_close(&view);
    luau_release(&dump);
}

/* A prefix has no end and is refused; with salvage it gives what is there, marked incomplete. */
Test(luau, is_known_when_it_is_cut)
{
    const hsd_import_options salvage = {.compression = 1, .salvage = true};
    luau_dump dump;
    size_t salvaged = 0;
    luau_shop(&dump, 2, false);
    for (size_t size = 16; size < dump.size - 3; size++) {
        hsd_import_result result;
        capture_view view;
        hsd_error err;
        cr_assert(import(dump.data, size, &plain, &result, NULL, &err) == HSD_E_TRUNCATED, "%zu bytes: %s", size,
                  err.text);
        if (size % 7 != 0 || import(dump.data, size, &salvage, &result, &view, &err) != HSD_OK) continue;
        cr_expect(!result.is_complete && !view.info->is_complete &&
                  view_loss(&view, "lines of the heap dump that could not be read") == 0);
        salvaged++;
        view_close(&view);
    }
    luau_release(&dump);
    cr_expect(salvaged > 500, "%zu", salvaged);
}

/* Lines longer than any window: tables, one of them weak by a metatable that its line ends with, and a string. */
Test(luau, takes_a_line_of_any_length)
{
    enum { COUNT = 60000, LENGTH = 1 << 20 };
    luau_dump dump = {0};
    hsd_import_result result;
    capture_view view;
    hsd_error err;
    uint64_t *items = malloc(COUNT * sizeof *items);
    char *text = malloc(LENGTH + 1);
    cr_assert(items != NULL && text != NULL);
    for (unsigned i = 0; i < COUNT; i++)
        items[i] = 0x100000 + 8 * (uint64_t)i;
    memset(text, 'x', LENGTH);
    text[LENGTH] = '\0';
    luau_begin(&dump);
    luau_thread(&dump, 0x1000, 0x2000, NULL, 0, LUAU_NONE, NULL);
    luau_table(&dump, 0x2000, LUAU_LIST(0, 0x3000, 0, 0x4000, 0, 0x5000), LUAU_NONE, 0);
    luau_table(&dump, 0x3000, LUAU_NONE, (luau_list){items, COUNT}, 0);
    luau_table(&dump, 0x4000, (luau_list){items, COUNT}, LUAU_NONE, 0x6000);
    luau_string(&dump, 0x5000, text);
    luau_table(&dump, 0x6000, LUAU_LIST(0x7000, 0x7100), LUAU_NONE, 0);
    luau_string(&dump, 0x7000, "__mode");
    luau_string(&dump, 0x7100, "v");
    luau_roots(&dump, 0x1000, 0x2000, 1);
    luau_end(&dump);
    cr_assert(import(dump.data, dump.size, &plain, &result, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect(view.object_count == 8 && view.loss_count == 0);
    const view_object *list = view_find(&view, 0x3000), *weak = view_find(&view, 0x4000);
    cr_assert(list->count == COUNT && weak->count == COUNT + 1);
    for (unsigned i = 0; i < COUNT; i++)
        cr_assert_eq(view.references[list->first + i].target, items[i]);
    cr_expect_eq(label_to(&view, 0x4000, items[1]).flags & HSC_STRENGTH_MASK, HSC_STRENGTH_WEAK);
    cr_expect_eq(view_find(&view, 0x5000)->elements, LENGTH);
    cr_expect_neq(view_find(&view, 0x5000)->content, 0);
    view_close(&view);
    luau_release(&dump);
    free(items);
    free(text);
}

/*
 * The importer of Ruby's heap dumps, on dumps that are known line by line, with all that is wrong in real ones.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/import_bytes.h"
#include "support/ruby_dumps.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

static hsd_status import(const void *data, size_t size, const hsd_import_options *options, hsd_import_result *result,
                         capture_view *view, hsd_error *err)
{
    static const hsd_run small = {.memory_bytes = UINT64_C(2) << 20};
    return import_bytes(data, size, "dump", options, &small, result, view, err);
}

static void open_dump(const char *name, const hsd_import_options *options, hsd_import_result *result,
                      capture_view *view)
{
    const ruby_dump *dump = ruby_dump_named(name);
    hsd_error err;
    cr_assert(dump != NULL);
    cr_assert(import(dump->data, dump->size, options, result, view, &err) == HSD_OK, "%s: %s", name, err.text);
}

static const hsd_import_options plain = {.compression = 1};

static const char *type_of(const capture_view *view, uint64_t id)
{
    const view_object *object = view_find(view, id);
    cr_assert(object != NULL, "no object 0x%llx", (unsigned long long)id);
    return view_type(view, object->type);
}

Test(ruby, names_types_by_classes_that_stand_behind_their_instances)
{
    hsd_import_result result;
    capture_view view;
    open_dump("shop", &plain, &result, &view);
    cr_expect(result.is_complete && result.objects == 18 && view.object_count == 18, "%zu", view.object_count);
    cr_expect_str_eq(view.info->runtime, "Ruby");
    cr_expect(view.info->identity == HSD_IDENTITY_ADDRESS);
    cr_expect_str_eq(type_of(&view, 0x1000), "Session");
    cr_expect_str_eq(type_of(&view, 0x1080), "String");
    cr_expect_str_eq(type_of(&view, 0x10c0), "(internal String)");
    cr_expect_str_eq(type_of(&view, 0x2000), "Array");
    cr_expect_str_eq(type_of(&view, 0x2040), "Hash");
    cr_expect_str_eq(type_of(&view, 0x2080), "(anonymous Session)");
    cr_expect_str_eq(type_of(&view, 0x3000), "Class");
    cr_expect_str_eq(type_of(&view, 0x3180), "(singleton class)");
    cr_expect_str_eq(type_of(&view, 0x4000), "(imemo constcache)");
    cr_expect_str_eq(type_of(&view, 0x4040), "(imemo env)");
    cr_expect_str_eq(type_of(&view, 0x4080), "(node NODE_SCOPE)");
    cr_expect_str_eq(type_of(&view, 0x5000), "(data VM/thread)");
    cr_expect_str_eq(type_of(&view, 0x5040), "(data odd\"struct)");
    cr_expect_str_eq(type_of(&view, 0x5080), "(internal Float)");
    cr_expect_eq(view.type_flags[view_find(&view, 0x4000)->type], HSC_TYPE_CODE | HSC_TYPE_INTERNAL);
    cr_expect_str_eq(view_string(&view, view_find(&view, 0x3080)->name), "Shop::Cache");
    view_close(&view);
}

Test(ruby, has_references_once_and_the_class_as_one_of_them)
{
    hsd_import_result result;
    capture_view view;
    open_dump("shop", &plain, &result, &view);
    const view_object *session = view_find(&view, 0x1000), *cache = view_find(&view, 0x3080);
    cr_assert(session != NULL && cache != NULL && session->count == 2);
    const view_reference *class = view_reference_of(&view, session, "class", 0);
    cr_assert(class != NULL && class->target == 0x3000 && view_label_of(&view, class).kind == HSC_LABEL_CLASS);
    cr_expect_eq(view.references[session->first + 1].target, 0x1080);
    const view_reference *state = view_reference_of(&view, cache, "(state)", 0);
    cr_assert(cache->count == 2 && state != NULL && state->target == 0x2040);
    cr_expect_eq(view_label_of(&view, state).flags, HSC_LABEL_NAMED_ROOT);
    /* What a constant cache and the stack of a thread refer to is held by others. Words in the place of their class are
     * none. */
    const view_object *constants = view_find(&view, 0x4000), *thread = view_find(&view, 0x5000);
    cr_assert(constants->count == 1 && thread->count == 2 && view_find(&view, 0x4040)->count == 0);
    cr_expect_eq(view_label_of(&view, &view.references[constants->first]).flags, HSC_STRENGTH_WEAK);
    cr_expect_eq(view_label_of(&view, &view.references[thread->first]).flags, HSC_STRENGTH_WEAK);
    cr_expect_eq(view_find(&view, 0x3180)->count, 0); /* its class is nil */
    view_close(&view);
}

Test(ruby, has_roots_once_for_each_category)
{
    hsd_import_result result;
    capture_view view;
    open_dump("shop", &plain, &result, &view);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_RUNTIME, "vm", 0x3000), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_RUNTIME, "vm", 0x3080), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_RUNTIME, "vm", 0x5000), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_STACK, "machine_context", 0x1000), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_GLOBAL, "global_tbl", 0x2000), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_RUNTIME, "(caches of constants)", 0x2040), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_STACK, "threads", 0x2040), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_STACK, "threads", 0x4040), 1);
    cr_expect_eq(view.root_count, 8);
    for (size_t i = 0; i < view.root_count; i++)
        if (view.roots[i].kind == HSC_ROOT_STACK) cr_expect_eq(view.roots[i].flags, HSC_ROOT_SECONDARY);
    static const uint8_t unknown[16];
    cr_expect(memcmp(view.info->domain, unknown, 16) != 0);
    view_close(&view);
}

Test(ruby, has_sizes_lengths_sites_and_values)
{
    const hsd_import_options values = {.compression = 1, .with_values = true};
    hsd_import_result result;
    capture_view view;
    open_dump("shop", &values, &result, &view);
    const view_object *session = view_find(&view, 0x1000), *text = view_find(&view, 0x1080);
    cr_assert(session->site != 0);
    const hsd_site site = view.sites[session->site];
    cr_expect_str_eq(view_string(&view, site.function), "open");
    cr_expect_str_eq(view_string(&view, site.file), "/srv/shop.rb");
    cr_expect_eq(site.line, 12);
    cr_expect_eq(view_find(&view, 0x1040)->site, 0);
    cr_expect_eq(view_find(&view, 0x1040)->size_bytes, 40); /* says nothing of its size */
    cr_expect_eq(view_find(&view, 0x2000)->elements, 2);
    cr_expect_eq(view_find(&view, 0x2040)->elements, 1);
    cr_expect_eq(view_find(&view, 0x2040)->size_bytes, 192);
    cr_assert(text->value != NULL && text->content != 0);
    cr_expect(memcmp(text->value, "a\"b\\\0\x7f", 6) == 0);
    cr_expect_str_eq(view_find(&view, 0x5080)->value, "1.79769e+308");
    view_close(&view);
    open_dump("shop", &plain, &result, &view);
    cr_expect(view_find(&view, 0x1080)->value == NULL && view_find(&view, 0x1080)->content != 0);
    view_close(&view);
}

Test(ruby, reads_texts_that_are_no_json)
{
    hsd_import_result result;
    capture_view view;
    open_dump("raw", &plain, &result, &view);
    cr_expect_eq(view.object_count, 3);
    cr_expect_eq(view.loss_count, 0);
    cr_expect_str_eq(type_of(&view, 0x1000), "Od\"d\\");
    const hsd_site site = view.sites[view_find(&view, 0x1000)->site];
    cr_expect_str_eq(view_string(&view, site.file), "we\"ird\\pa\nth, \"x\".rb");
    cr_expect_str_eq(view_string(&view, site.function), "??t");
    cr_expect_eq(site.line, 3);
    view_close(&view);
}

Test(ruby, counts_all_as_live_without_roots)
{
    hsd_import_result result;
    capture_view view;
    open_dump("since", &plain, &result, &view);
    static const uint8_t unknown[16];
    cr_expect((view.info->facts & HSC_FACT_NO_ROOTS) != 0 && view.root_count == 0);
    cr_expect(memcmp(view.info->domain, unknown, 16) == 0);
    cr_expect_str_eq(type_of(&view, 0x1000), "(Object of class 0x2000)");
    cr_expect_str_eq(type_of(&view, 0x1040), "Array");
    view_close(&view);
}

Test(ruby, passes_shapes_free_slots_and_keys_of_the_future)
{
    hsd_import_result result;
    capture_view view;
    open_dump("shapes", &plain, &result, &view);
    cr_expect_eq(view.object_count, 4);
    cr_expect_eq(view.loss_count, 0);
    cr_expect_eq(view_find(&view, 0x1000)->size_bytes, 160);
    cr_expect_str_eq(type_of(&view, 0x1000), "Cart");
    cr_expect_str_eq(type_of(&view, 0x10a0), "Module");
    cr_expect_str_eq(type_of(&view, 0x1168), "(finalized object)");
    view_close(&view);
}

Test(ruby, counts_lines_that_it_cannot_read)
{
    hsd_import_result result;
    capture_view view;
    open_dump("broken", &plain, &result, &view);
    cr_expect_eq(view.object_count, 2);
    cr_expect_eq(view_loss(&view, "lines of the heap dump that could not be read"), 5);
    view_close(&view);
}

/* What collects sites has a table as large as the heap, which is none of the program's. */
Test(ruby, leaves_out_the_table_of_the_tracer)
{
    static const char dump[] = "{\"type\":\"ROOT\", \"root\":\"vm\", \"references\":[\"0x1000\"]}\n"
                               "{\"address\":\"0x1000\", \"type\":\"DATA\", \"class\":\"0x3000\", "
                               "\"struct\":\"ObjectTracing/allocation_info_tracer\", \"memsize\":2000000}\n";
    hsd_import_result result;
    capture_view view;
    hsd_error err;
    cr_assert(import(dump, sizeof dump - 1, &plain, &result, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect(result.objects == 1 && result.bytes == 40 && view.info->metrics == 1);
    view_close(&view);
}

Test(ruby, has_the_same_totals_in_a_summary)
{
    const hsd_import_options summary = {.compression = 1, .summary_only = true};
    hsd_import_result result;
    capture_view view;
    uint64_t objects, bytes;
    open_dump("shop", &summary, &result, &view);
    view_total(&view, "Session", &objects, &bytes);
    cr_expect(objects == 2 && bytes == 80 && result.objects == 18 && view.object_count == 0);
    view_close(&view);
}

/* A prefix is whole where a line ends and an object has been, else cut off; with salvage it gives what is there. */
Test(ruby, is_known_when_it_is_cut)
{
    const hsd_import_options salvage = {.compression = 1, .salvage = true};
    size_t salvaged = 0, whole = 0;
    for (size_t i = 0; i < ruby_dump_count; i++)
        for (size_t size = 16; size < ruby_dumps[i].size; size++) {
            const char *data = ruby_dumps[i].data;
            hsd_import_result result;
            capture_view view;
            hsd_error err;
            const hsd_status status = import(data, size, &plain, &result, NULL, &err);
            cr_assert(status == (result.objects > 0 && data[size - 1] == '\n' ? HSD_OK : HSD_E_TRUNCATED) ||
                          (data[size - 1] == '\n' && status == HSD_E_TRUNCATED), /* the newline of a text */
                      "%s, %zu bytes: %s", ruby_dumps[i].name, size, err.text);
            whole += status == HSD_OK;
            if (status == HSD_OK || import(data, size, &salvage, &result, &view, &err) != HSD_OK) continue;
            cr_expect(!result.is_complete && !view.info->is_complete);
            salvaged++;
            view_close(&view);
        }
    cr_expect(salvaged > 1000 && whole > 20, "%zu, %zu", salvaged, whole);
}

/* One line of more references than there is room for, longer than any window. Whole, and cut off in their midst. */
static void import_long_line(bool is_cut, hsd_import_result *result, capture_view *view)
{
    enum { COUNT = 300000 };
    static const hsd_run small = {.memory_bytes = UINT64_C(4) << 20};
    const hsd_import_options salvage = {.compression = 1, .salvage = true};
    char path[] = "/tmp/ruby-XXXXXX";
    const int in = mkstemp(path), out = temporary();
    FILE *file = fdopen(in, "w+");
    hsd_error err;
    cr_assert(file != NULL && unlink(path) == 0);
    fprintf(file, "{\"type\":\"ROOT\", \"root\":\"vm\", \"references\":[\"0x1000\"]}\n");
    fprintf(file, "{\"address\":\"0x2000\", \"type\":\"STRING\", \"memsize\":40}\n");
    fprintf(file, "{\"address\":\"0x1000\", \"type\":\"ARRAY\", \"length\":%d, \"references\":[\"0x1000\"", COUNT);
    for (unsigned i = 0; i < COUNT; i++)
        fprintf(file, ", \"0x%x\", \"0x1000\"", 0x100000 + i / 2 * 8);
    if (!is_cut) fprintf(file, "], \"memsize\":%d}\n", COUNT * 8);
    rewind(file);
    hsd_error_init(&err);
    cr_assert(hsd_import_descriptor(in, "dump", out, &salvage, &small, result, &err) == HSD_OK, "%s", err.text);
    cr_assert(view_open_fd(view, out));
    cr_expect(view->object_count == 2 && view_find(view, 0x1000) != NULL);
    cr_expect(result->references >= COUNT / 4 && result->references < COUNT / 2 + 100, "%llu",
              (unsigned long long)result->references);
    fclose(file);
}

Test(ruby, takes_an_array_of_any_length)
{
    hsd_import_result result;
    capture_view view;
    import_long_line(false, &result, &view);
    cr_expect(result.is_complete && result.references >= 150000 && view_find(&view, 0x1000)->flags == 0);
    view_close(&view);
    import_long_line(true, &result, &view);
    cr_expect(!result.is_complete && view_find(&view, 0x1000)->flags == HSC_OBJECT_CUT);
    view_close(&view);
}

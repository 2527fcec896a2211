/*
 * The importer of files of Mono's log profiler, on files that are known event by event.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/import_bytes.h"
#include "support/mlpd_writer.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

static hsd_status import(const void *data, size_t size, const hsd_import_options *options, uint64_t memory_bytes,
                         hsd_import_result *result, capture_view *view, hsd_error *err)
{
    const hsd_run run = {.memory_bytes = memory_bytes};
    return import_bytes(data, size, "file", options, &run, result, view, err);
}

enum { SMALL = 2 << 20 };

static void open_shop(unsigned version, unsigned first, unsigned second, unsigned shot, hsd_import_result *result,
                      capture_view *view)
{
    const hsd_import_options options = {.compression = 1, .dump_number = shot};
    mlpd_file file;
    hsd_error err;
    mlpd_shop(&file, version, first, second);
    cr_assert(import(file.data, file.size, &options, SMALL, result, view, &err) == HSD_OK, "version %u: %s", version,
              err.text);
    mlpd_release(&file);
}

static const char *type_of(const capture_view *view, uint64_t id)
{
    const view_object *object = view_find(view, id);
    cr_assert(object != NULL, "no object 0x%llx", (unsigned long long)id);
    return view_type(view, object->type);
}

Test(mlpd, has_the_objects_of_a_shot_in_every_version)
{
    for (unsigned version = 14; version <= 17; version++) {
        hsd_import_result result;
        capture_view view;
        open_shop(version, 300, 5, 1, &result, &view);
        cr_assert(result.is_complete && view.object_count == 602 && result.objects == 602, "version %u: %zu", version,
                  view.object_count);
        cr_expect(view.loss_count == 0 && view.info->pointer_bytes == 8 && view.info->pid == 4711);
        cr_expect(view.info->identity == HSD_IDENTITY_ADDRESS && (view.info->facts & HSC_FACT_COLLECTED) != 0);
        cr_expect_str_eq(view.info->runtime, "Mono");
        cr_expect_str_eq(type_of(&view, MLPD_SHOP_FIRST), "Shop.Session");
        cr_expect_str_eq(type_of(&view, MLPD_SHOP_FIRST + 0x80), "System.String");
        cr_expect_str_eq(type_of(&view, MLPD_SHOP_ARRAY), "Shop.Session[]");
        cr_expect_eq(view_find(&view, MLPD_SHOP_ARRAY)->size_bytes, 32 + 300 * 8);
        view_close(&view);
    }
}

/* The 300 references of the array come in three events, of which two have size 0. */
Test(mlpd, has_references_by_place_and_elements_by_number)
{
    hsd_import_result result;
    capture_view view;
    open_shop(17, 300, 5, 1, &result, &view);
    const view_object *array = view_find(&view, MLPD_SHOP_ARRAY);
    cr_assert(array != NULL && array->count == 300);
    for (unsigned i = 0; i < 300; i++) {
        const view_reference *reference = &view.references[array->first + i];
        cr_assert(reference->index == i && reference->target == MLPD_SHOP_FIRST + 0x100 * (uint64_t)i);
        cr_assert_eq(view_label_of(&view, reference).kind, HSC_LABEL_ELEMENT);
    }
    const view_reference *string = view_reference_of(&view, view_find(&view, MLPD_SHOP_FIRST), "+0x10", 0);
    cr_assert(string != NULL && string->target == MLPD_SHOP_FIRST + 0x80 &&
              view_label_of(&view, string).kind == HSC_LABEL_FIELD);
    view_close(&view);
}

Test(mlpd, tells_what_roots_belong_to)
{
    hsd_import_result result;
    capture_view view;
    open_shop(17, 3, 5, 1, &result, &view);
    cr_expect_eq(view.root_count, 4);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_STATIC, "static Shop.Cache+0x8", MLPD_SHOP_ARRAY), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_STACK, "thread \"main\"", MLPD_SHOP_FIRST), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_FINALIZER, "(finalizer queue)", 0x7f0000020000), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_UNKNOWN, "(roots of no known range)", 0x7f0000020000), 1);
    for (size_t i = 0; i < view.root_count; i++)
        if (view.roots[i].kind == HSC_ROOT_STACK)
            cr_expect(view.roots[i].flags == HSC_ROOT_SECONDARY && view.roots[i].thread == 1);
    cr_expect(view.thread_count == 1);
    view_close(&view);
    open_shop(14, 3, 5, 1, &result, &view); /* kinds, and no ranges */
    cr_expect(view.root_count == 4 && view_count_roots(&view, HSC_ROOT_STACK, "(stacks)", MLPD_SHOP_ARRAY) == 1);
    view_close(&view);
}

Test(mlpd, has_generations_as_categories)
{
    hsd_import_result result;
    capture_view view;
    open_shop(16, 3, 5, 1, &result, &view);
    cr_expect_str_eq(view_string(&view, view_find(&view, MLPD_SHOP_FIRST + 0x100)->category), "nursery");
    cr_expect_str_eq(view_string(&view, view_find(&view, MLPD_SHOP_FIRST)->category), "major heap");
    view_close(&view);
    open_shop(15, 3, 5, 1, &result, &view);
    cr_expect_eq(view_find(&view, MLPD_SHOP_FIRST)->category, 0);
    view_close(&view);
}

Test(mlpd, keeps_ids_of_objects_that_move)
{
    hsd_import_result result;
    capture_view before, after;
    open_shop(17, 300, 360, 1, &result, &before);
    open_shop(17, 300, 360, 2, &result, &after);
    cr_expect(after.object_count == 723 && memcmp(before.info->domain, after.info->domain, 16) == 0);
    /* The first session is elsewhere; what is at its place is another. */
    cr_expect_str_eq(type_of(&after, MLPD_SHOP_FIRST), "Shop.Session");
    cr_expect_not_null(view_reference_of(&after, view_find(&after, MLPD_SHOP_FIRST), "+0x10", 0));
    cr_expect_not_null(view_find(&after, MLPD_SHOP_FIRST | UINT64_C(1) << 48));
    cr_expect_null(view_find(&after, MLPD_SHOP_MOVED));
    const view_object *array = view_find(&after, MLPD_SHOP_ARRAY);
    cr_expect_eq(after.references[array->first].target, MLPD_SHOP_FIRST);
    cr_expect_eq(after.references[array->first + 360].target, MLPD_SHOP_FIRST | UINT64_C(1) << 48);
    size_t missing = 0;
    for (size_t i = 0; i < before.object_count; i++)
        missing += view_find(&after, before.objects[i].id) == NULL;
    cr_expect_eq(missing, 0, "%zu", missing);
    view_close(&before);
    view_close(&after);
}

Test(mlpd, has_the_same_totals_in_a_summary)
{
    const hsd_import_options summary = {.compression = 1, .summary_only = true, .dump_number = 2};
    mlpd_file file;
    hsd_import_result result;
    capture_view view;
    hsd_error err;
    uint64_t objects, bytes;
    mlpd_shop(&file, 17, 3, 5);
    cr_assert(import(file.data, file.size, &summary, SMALL, &result, &view, &err) == HSD_OK, "%s", err.text);
    view_total(&view, "Shop.Session", &objects, &bytes);
    cr_expect(objects == 6 && bytes == 6 * 24 && view.object_count == 0 && result.objects == 13);
    view_close(&view);
    mlpd_release(&file);
}

Test(mlpd, asks_which_shot)
{
    const hsd_import_options any = {.compression = 1}, third = {.compression = 1, .dump_number = 3};
    mlpd_file file;
    hsd_import_result result;
    hsd_error err;
    mlpd_shop(&file, 17, 3, 5);
    cr_expect(import(file.data, file.size, &any, SMALL, &result, NULL, &err) == HSD_E_UNSUPPORTED);
    cr_expect(strstr(err.text, "2 heap shots") != NULL && strstr(err.text, "1 with 8, 2 with 13 objects") != NULL, "%s",
              err.text);
    cr_expect(import(file.data, file.size, &third, SMALL, &result, NULL, &err) == HSD_E_UNSUPPORTED);
    mlpd_release(&file);
    mlpd_begin(&file, 3, 17, 8, "");
    mlpd_buffer(&file, 1, 1);
    mlpd_noise(&file);
    mlpd_end(&file);
    cr_expect(import(file.data, file.size, &any, SMALL, &result, NULL, &err) == HSD_E_UNSUPPORTED &&
              strstr(err.text, "no heap shot") != NULL);
    mlpd_release(&file);
}

Test(mlpd, refuses_versions_that_it_does_not_know)
{
    static const struct {
        unsigned version;
        hsd_status status;
    } rows[] = {{13, HSD_E_UNSUPPORTED}, {18, HSD_E_TOO_NEW}};
    for (size_t i = 0; i < 2; i++) {
        const hsd_import_options any = {.compression = 1};
        mlpd_file file;
        hsd_import_result result;
        hsd_error err;
        mlpd_begin(&file, 3, rows[i].version, 8, "");
        cr_expect_eq(import(file.data, file.size, &any, SMALL, &result, NULL, &err), rows[i].status);
        mlpd_release(&file);
    }
}

/* Whole where the shot that is wanted is, else refused; with salvage what is there, marked incomplete. */
Test(mlpd, is_known_when_it_is_cut)
{
    const hsd_import_options first = {.compression = 1, .dump_number = 1},
                             salvage = {.compression = 1, .dump_number = 1, .salvage = true};
    mlpd_file file;
    size_t whole = 0, refused = 0, salvaged = 0;
    mlpd_shop(&file, 17, 40, 2);
    for (size_t size = 120; size < file.size; size += 3) {
        hsd_import_result result;
        capture_view view;
        hsd_error err;
        const hsd_status status = import(file.data, size, &first, SMALL, &result, &view, &err);
        if (status == HSD_OK) {
            cr_expect(result.is_complete && view.object_count == 82 && view.loss_count == 0, "%zu bytes: %zu objects",
                      size, view.object_count);
            whole++;
            view_close(&view);
            continue;
        }
        cr_assert(status == HSD_E_TRUNCATED || status == HSD_E_UNSUPPORTED, "%zu bytes: %s", size, err.text);
        refused++;
        if (import(file.data, size, &salvage, SMALL, &result, &view, &err) != HSD_OK) continue;
        cr_expect(!result.is_complete && !view.info->is_complete && view.object_count < 83);
        salvaged++;
        view_close(&view);
    }
    mlpd_release(&file);
    cr_expect(whole > 100 && refused > salvaged && salvaged > 100, "%zu, %zu, %zu", whole, refused, salvaged);
}

/* An event that cannot be one ends its buffer, and nothing else. */
Test(mlpd, counts_buffers_that_it_cannot_read)
{
    const hsd_import_options any = {.compression = 1};
    mlpd_file file;
    hsd_import_result result;
    capture_view view;
    hsd_error err;
    mlpd_begin(&file, 3, 17, 8, "gcmove");
    mlpd_buffer(&file, 1, 10);
    mlpd_class_load(&file, 0x100, "Known");
    mlpd_event(&file, 15, 0, 1);
    mlpd_class_load(&file, 0x200, "Lost");
    mlpd_buffer(&file, 2, 20);
    mlpd_heap_start(&file);
    mlpd_object(&file, 0x7f0000000010, 0x100, 16, 1, NULL, 0);
    mlpd_object(&file, 0x7f0000000020, 0x200, 16, 1, NULL, 0);
    mlpd_buffer(&file, 1, 30); /* of another thread, in the midst of the shot */
    mlpd_object(&file, 0x7f0000000030, 0x100, 16, 1, NULL, 0);
    mlpd_buffer(&file, 2, 40);
    mlpd_heap_end(&file);
    mlpd_end(&file);
    const hsd_import_options salvage = {.compression = 1, .salvage = true};
    cr_expect(import(file.data, file.size, &any, SMALL, &result, NULL, &err) == HSD_OK, "%s", err.text);
    cr_assert(import(file.data, file.size, &salvage, SMALL, &result, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect_eq(view.object_count, 2);
    cr_expect_str_eq(type_of(&view, 0x7f0000000010), "Known");
    cr_expect_str_eq(type_of(&view, 0x7f0000000020), "(class 0x200)");
    cr_expect_eq(view_loss(&view, "buffers of the profiler that could not be read to their end"), 1);
    view_close(&view);
    mlpd_release(&file);
}

/* Objects far from each other take more memory than there is for their moves: then nothing is said of ids. */
Test(mlpd, gives_up_ids_that_have_no_room)
{
    enum { COUNT = 4000 };
    const hsd_import_options second = {.compression = 1, .dump_number = 2};
    mlpd_file file;
    hsd_import_result result;
    capture_view view;
    hsd_error err;
    mlpd_begin(&file, 3, 17, 8, "gcmove");
    for (unsigned shot = 0; shot < 2; shot++) {
        mlpd_buffer(&file, 1, 10 + shot);
        mlpd_class_load(&file, 0x100, "Far");
        mlpd_heap_start(&file);
        for (uint64_t i = 0; i < COUNT; i++)
            mlpd_object(&file, 0x7f0000000000 + (i << 20), 0x100, 16, 1, NULL, 0);
        mlpd_heap_end(&file);
    }
    mlpd_end(&file);
    cr_assert(import(file.data, file.size, &second, SMALL, &result, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect(view.object_count == COUNT && view.info->identity == HSD_IDENTITY_MOVING);
    view_close(&view);
    cr_assert(import(file.data, file.size, &second, 64 << 20, &result, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect(view.info->identity == HSD_IDENTITY_ADDRESS);
    view_close(&view);
    mlpd_release(&file);
}

/*
 * Captures of any heap as heap dumps, read back by the importer: random heaps whole, and what each part of a dump
 * stands for.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "support/heap_model.h"
#include "unit/export/test_hprof_export_kit.h"

static kit k;

static void begin_test(void) { kit_begin(&k, "hprof-export"); }
static void end_test(void) { kit_end(&k); }

TestSuite(hprof_export, .init = begin_test, .fini = end_test, .timeout = 300);

Test(hprof_export, random_heaps_come_back)
{
    enum { HEAPS = 60 };
    for (uint64_t seed = 1; seed <= HEAPS; seed++) {
        test_random random = {seed};
        const model_heap heap = model_random(&random);
        model_form form = model_random_form(&random);
        form.separate_edges = false; /* test_joined.c has those */
        cr_assert(model_write(&heap, &form, k.capture));
        kit_round(&k);
        kit_compare(&k);
        cr_assert(k.result.objects == k.before.object_count);
    }
}

Test(hprof_export, the_same_capture_gives_the_same_bytes)
{
    test_random random = {7};
    const model_heap heap = model_random(&random);
    model_form form = model_random_form(&random);
    cr_assert(model_write(&heap, &form, k.capture));
    kit_round(&k);
    uint8_t *first = k.bytes;
    const size_t size = k.size;
    k.bytes = NULL;
    k.memory_bytes = UINT64_C(16) << 20;
    kit_round(&k);
    cr_assert(k.size == size && memcmp(first, k.bytes, size) == 0);
    free(first);
}

/* ---- sizes ---- */

static void put_object(hsc_writer *w, uint64_t id, uint32_t type, uint64_t size)
{
    hsc_begin_object(w, &(hsc_object){.id = id, .type = type, .size_bytes = size});
    hsc_end_object(w);
}

Test(hprof_export, sizes_are_those_of_the_capture)
{
    hsc_writer *w = kit_writer(&k, NULL);
    kit_type(w, 1, "Even");
    kit_type(w, 2, "Odd");
    kit_type(w, 3, "Large");
    for (uint64_t i = 1; i <= 10; i++)
        put_object(w, i, 1, 104);
    put_object(w, 20, 2, 24);
    put_object(w, 21, 2, 56);
    put_object(w, 22, 3, 40);
    put_object(w, 23, 3, 1000040);
    kit_finish(w);
    kit_round(&k);
    uint64_t objects, bytes;
    view_total(&k.after, "Even", &objects, &bytes);
    cr_assert(objects == 10 && bytes == 1040, "%llu", (unsigned long long)bytes);
    view_total(&k.after, "Odd", &objects, &bytes);
    cr_assert(objects == 2 && bytes == 80, "%llu", (unsigned long long)bytes); /* both the mean */
    view_total(&k.after, "Large", &objects, &bytes);
    cr_assert(objects == 2 && bytes == 80);
    view_total(&k.after, "byte[]", &objects, &bytes);
    cr_assert(objects == 1 && bytes == 1000000, "%llu", (unsigned long long)bytes);
}

/* ---- arrays ---- */

static void put_array(hsc_writer *w, uint64_t id, uint32_t type, uint64_t length, uint64_t step)
{
    hsc_begin_object(w, &(hsc_object){.id = id, .type = type, .size_bytes = 16 + 4 * length, .elements = length});
    for (uint64_t i = 0; i < length; i += step)
        hsc_reference(w, 1 + i % 3, 1, i);
    hsc_end_object(w);
}

static void check_array(size_t at, uint64_t length, uint64_t step)
{
    const view_object *image = kit_image(&k, at);
    cr_assert(image->elements == length, "%llu elements", (unsigned long long)image->elements);
    cr_assert(image->count == (length + step - 1) / step);
    for (size_t i = 0; i < image->count; i++) {
        const view_reference *reference = &k.after.references[image->first + i];
        cr_assert(reference->index == i * step && reference->target == 1 + i * step % 3);
    }
}

Test(hprof_export, arrays_keep_their_length_and_indexes)
{
    hsc_writer *w = kit_writer(&k, NULL);
    kit_type(w, 1, "Node");
    kit_type(w, 2, "Node[]");
    hsc_define_label(w, 1, HSC_LABEL_ELEMENT, 0, 0);
    for (uint64_t i = 1; i <= 3; i++)
        put_object(w, i, 1, 16);
    put_array(w, 10, 2, 0, 1);
    put_array(w, 11, 2, 7, 2);
    put_array(w, 12, 2, 40000, 1);   /* more than are held */
    put_array(w, 13, 2, 300000, 50); /* larger than the buffer */
    put_array(w, 14, 2, 5000, 4999); /* mostly empty */
    kit_finish(w);
    kit_round(&k);
    check_array(3, 0, 1);
    check_array(4, 7, 2);
    check_array(5, 40000, 1);
    check_array(6, 300000, 50);
    check_array(7, 5000, 4999);
    cr_assert(kit_compare(&k) == 0);
}

Test(hprof_export, objects_with_elements_and_fields_keep_both)
{
    hsc_writer *w = kit_writer(&k, NULL);
    kit_type(w, 1, "Table");
    kit_string(w, 1, "shape");
    hsc_define_label(w, 1, HSC_LABEL_ELEMENT, 0, 0);
    hsc_define_label(w, 2, HSC_LABEL_FIELD, 0, 1);
    for (uint64_t id = 1; id <= 3; id++) {
        hsc_begin_object(w, &(hsc_object){.id = id, .type = 1, .size_bytes = 64});
        for (uint64_t i = 0; i < (id == 3 ? 40000 : id); i++)
            hsc_reference(w, 1 + i % 2, 1, i);
        hsc_reference(w, 2, 2, 0);
        hsc_end_object(w);
    }
    kit_finish(w);
    kit_round(&k);
    cr_assert(kit_compare(&k) == 1); /* that of the huge one */
    cr_assert_not_null(view_reference_of(&k.after, kit_image(&k, 0), "shape", 0));
    cr_assert_not_null(view_reference_of(&k.after, kit_image(&k, 0), "(elements)", 0));
}

Test(hprof_export, primitives_have_as_many_elements_as_they_are_large)
{
    hsc_writer *w = kit_writer(&k, NULL);
    kit_type(w, 1, "int[]");
    kit_type(w, 2, "[]byte");
    put_object(w, 5, 1, 16 + 400);
    put_object(w, 6, 2, 16 + 3000000);
    kit_finish(w);
    kit_round(&k);
    const view_object *ints = view_find(&k.after, 5), *bytes = view_find(&k.after, 6);
    cr_assert_str_eq(view_type(&k.after, ints->type), "int[]");
    cr_assert(ints->elements == 100 && ints->size_bytes == 416);
    cr_assert_str_eq(view_type(&k.after, bytes->type), "byte[]");
    cr_assert(bytes->elements == 3000000 && bytes->size_bytes == 3000016);
}

/* ---- names ---- */

Test(hprof_export, names_that_tools_would_misread_are_turned)
{
    static const char *const names[][2] = {{"[]*main.Node", "*main.Node[]"},
                                           {"[4]int", "int[4]"},
                                           {"net/http.Request", "net∕http.Request"},
                                           {"[broken", "_[broken"},
                                           {"", "(unnamed)"},
                                           {"[]", "_[]"},
                                           {"a\"b\n", "a\"b\n"}};
    enum { COUNT = sizeof names / sizeof names[0] };
    hsc_writer *w = kit_writer(&k, NULL);
    for (uint32_t i = 0; i < COUNT; i++) {
        kit_type(w, i + 1, names[i][0]);
        put_object(w, i + 1, i + 1, 32);
    }
    kit_finish(w);
    kit_round(&k);
    for (size_t i = 0; i < COUNT; i++)
        cr_assert_str_eq(view_type(&k.after, kit_image(&k, i)->type), names[i][1]);
}

Test(hprof_export, rare_names_go_without_a_field_and_it_is_said)
{
    enum { OBJECTS = 400 };
    char name[32];
    hsc_writer *w = kit_writer(&k, NULL);
    kit_type(w, 1, "Bag");
    for (uint32_t i = 1; i <= OBJECTS; i++) {
        snprintf(name, sizeof name, "key%u", i);
        kit_string(w, i, name);
        hsc_define_label(w, i, HSC_LABEL_FIELD, 0, i);
    }
    for (uint32_t i = 1; i <= OBJECTS; i++) {
        hsc_begin_object(w, &(hsc_object){.id = i, .type = 1, .size_bytes = 32});
        hsc_reference(w, 1, 1, 0);
        hsc_reference(w, 2, i, 0);
        hsc_end_object(w);
    }
    kit_finish(w);
    kit_round(&k);
    cr_assert(kit_compare(&k) > 0);
    cr_assert_not_null(strstr(k.notes, "went without a name"), "%s", k.notes);
    cr_assert_not_null(view_reference_of(&k.after, kit_image(&k, 9), "key1", 0));
}

/* ---- ids ---- */

static void write_ids(uint64_t first, uint64_t second, uint64_t third)
{
    hsc_options options;
    hsc_options_init(&options);
    options.targets_are_ordinals = true;
    hsc_writer *w = kit_writer(&k, &options);
    const uint64_t ids[] = {first, second, third};
    kit_type(w, 1, "Node");
    for (size_t i = 0; i < 3; i++) {
        hsc_begin_object(w, &(hsc_object){.id = ids[i], .type = 1, .size_bytes = 24});
        hsc_reference(w, (i + 1) % 3, 0, 0);
        hsc_end_object(w);
    }
    kit_finish(w);
    kit_round(&k);
    cr_assert(kit_compare(&k) == 0);
}

Test(hprof_export, ids_are_kept_where_they_can_be)
{
    write_ids(9, 3, 7);
    cr_assert(kit_image(&k, 0)->id == 9 && kit_image(&k, 1)->id == 3);
    write_ids(1, 2, UINT64_C(1) << 48);
    cr_assert(kit_image(&k, 2)->id == UINT64_C(1) << 48);
    write_ids(0, 1, 2);
    cr_assert(kit_image(&k, 0)->id == 8);
    write_ids(5, 5, 2);
    cr_assert(kit_image(&k, 0)->id == 8 && kit_image(&k, 1)->id == 16);
    write_ids(1, 2, UINT64_MAX);
    cr_assert(kit_image(&k, 2)->id == 24);
}

/* ---- the rest ---- */

Test(hprof_export, values_are_texts_where_they_are_asked_for)
{
    hsc_options options;
    hsc_options_init(&options);
    options.facts = HSC_FACT_VALUES;
    hsc_writer *w = kit_writer(&k, &options);
    kit_type(w, 1, "text");
    hsc_begin_object(w, &(hsc_object){.id = 4, .type = 1, .size_bytes = 32});
    hsc_value(w, "h\xc3\xa9llo \xf0\x9f\x98\x80", 11);
    hsc_end_object(w);
    kit_finish(w);
    k.with_values = true;
    kit_round(&k);
    uint64_t objects, bytes;
    view_total(&k.after, "char[]", &objects, &bytes);
    cr_assert(objects == 0);
    k.options.with_values = true;
    kit_round(&k);
    const view_reference *value = view_reference_of(&k.after, kit_image(&k, 0), "value", 0);
    cr_assert_not_null(value);
    cr_assert_str_eq(view_find(&k.after, value->target)->value, "h\xc3\xa9llo \xf0\x9f\x98\x80");
}

Test(hprof_export, threads_have_names_and_stacks)
{
    hsc_writer *w = kit_writer(&k, NULL);
    kit_type(w, 1, "Node");
    kit_string(w, 1, "worker");
    kit_string(w, 2, "main.run");
    kit_string(w, 3, "main.go");
    kit_string(w, 4, "main.cache");
    kit_string(w, 5, "(handles)");
    put_object(w, 1, 1, 24);
    hsc_define_thread(w, 6, 1);
    hsc_frame(w, 6, 0, 2, 3, 17);
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STACK, .target = 1, .thread = 6, .frame = 1});
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = 1, .label = 4});
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_HANDLE, .target = 1, .label = 5});
    kit_finish(w);
    kit_round(&k);
    kit_compare(&k);
    cr_assert(k.after.thread_count == 1);
    cr_assert_str_eq(view_string(&k.after, k.after.threads[0].name), "worker");
    cr_assert(view_count_roots(&k.after, HSC_ROOT_STACK, "thread \"worker\", main.run(main.go:17)", 1) == 1);
    cr_assert(view_count_roots(&k.after, HSC_ROOT_HANDLE, "(JNI globals)", 1) == 1);
}

Test(hprof_export, sites_are_stack_traces)
{
    hsc_writer *w = kit_writer(&k, NULL);
    kit_type(w, 1, "Node");
    kit_string(w, 1, "main");
    kit_string(w, 2, "make");
    kit_string(w, 3, "a.rb");
    hsc_define_site(w, 1, 0, 1, 3, 3, 0);
    hsc_define_site(w, 2, 1, 2, 3, 9, 0);
    hsc_begin_object(w, &(hsc_object){.id = 1, .type = 1, .size_bytes = 24, .site = 2});
    hsc_end_object(w);
    kit_finish(w);
    kit_round(&k);
    const hsd_site *site = &k.after.sites[kit_image(&k, 0)->site];
    cr_assert_str_eq(view_string(&k.after, site->function), "make");
    cr_assert(site->line == 9 && site->parent != 0);
    cr_assert_str_eq(view_string(&k.after, k.after.sites[site->parent].function), "main");
}

Test(hprof_export, weak_references_are_left_out_and_counted)
{
    hsc_writer *w = kit_writer(&k, NULL);
    kit_type(w, 1, "Node");
    hsc_define_label(w, 1, HSC_LABEL_FIELD, HSC_STRENGTH_WEAK, 0);
    hsc_begin_object(w, &(hsc_object){.id = 1, .type = 1, .size_bytes = 24});
    hsc_reference(w, 1, 1, 0);
    hsc_end_object(w);
    kit_finish(w);
    kit_round(&k);
    cr_assert(k.result.references == 0);
    cr_assert_not_null(strstr(k.notes, "1 reference that keep"), "%s", k.notes);
}

Test(hprof_export, tables_that_outgrow_the_memory_are_refused_with_what_suffices)
{
    char name[64];
    hsc_writer *w = kit_writer(&k, NULL);
    for (uint32_t i = 1; i <= 120000; i++) {
        snprintf(name, sizeof name, "a type with a rather long name that nobody else has %u", i);
        kit_type(w, i, name);
        put_object(w, i, i, 24);
    }
    kit_finish(w);
    k.memory_bytes = UINT64_C(16) << 20;
    cr_assert(kit_export(&k) == HSD_E_OVER_BUDGET);
    cr_assert_not_null(strstr(k.err.hint, "--memory"));
}

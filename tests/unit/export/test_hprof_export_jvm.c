/*
 * Heap dumps of a JVM there and back: the known Java heap in the forms that dumpers choose, imported, exported, and
 * imported again. Both captures must say the same, object by object.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <hsdiff/import.h>

#include "support/hprof_heap.h"
#include "unit/export/test_hprof_export_kit.h"

static kit k;

static void begin_test(void) { kit_begin(&k, "hprof-jvm"); }
static void end_test(void) { kit_end(&k); }

TestSuite(hprof_export_jvm, .init = begin_test, .fini = end_test, .timeout = 300);

/* The heap as a capture in k.capture. */
static void import_form(const heap_form *form)
{
    const hsd_import_options options = {.compression = 1, .with_values = k.with_values};
    char path[96];
    hprof_writer w;
    hsd_import_result result;
    snprintf(path, sizeof path, "%s.in", k.dump);
    heap_write(&w, form);
    FILE *file = fopen(path, "wb");
    cr_assert(file != NULL && fwrite(w.data, 1, w.size, file) == w.size);
    fclose(file);
    hw_free(&w);
    remove(k.capture);
    const hsd_status status = hsd_import_file(path, k.capture, true, &options, NULL, &result, &k.err);
    cr_assert(status == HSD_OK, "%s", k.err.text);
    remove(path);
}

static bool is_class(const capture_view *view, const view_object *object)
{
    return strcmp(view_type(view, object->type), "java.lang.Class") == 0 && object->name != 0;
}

/* Classes that tools need and the heap has not. */
static size_t made_up_classes(void)
{
    size_t count = 0;
    for (size_t i = 0; i < k.after.object_count; i++)
        count += is_class(&k.after, &k.after.objects[i]) && view_find(&k.before, k.after.objects[i].id) == NULL;
    return count;
}

static bool has_reference(const view_object *from, uint64_t target, const char *label, uint64_t index)
{
    for (size_t i = 0; i < from->count; i++) {
        const view_reference *reference = &k.after.references[from->first + i];
        const char *name = view_string(&k.after, view_label_of(&k.after, reference).name);
        if (reference->target == target && reference->index == index && strcmp(name, label) == 0) return true;
    }
    return false;
}

static void compare_object(const view_object *before, bool by_name)
{
    const view_object *after = view_find(&k.after, before->id);
    cr_assert_not_null(after, "object %#llx is lost", (unsigned long long)before->id);
    cr_assert_str_eq(view_type(&k.after, after->type), view_type(&k.before, before->type));
    cr_assert(after->elements == before->elements);
    for (size_t i = 0; i < before->count; i++) {
        const view_reference *reference = &k.before.references[before->first + i];
        const char *label = view_string(&k.before, view_label_of(&k.before, reference).name);
        if (view_find(&k.before, reference->target) == NULL) continue;
        cr_assert(has_reference(after, reference->target, label, reference->index), "%s of %s is lost", label,
                  view_type(&k.before, before->type));
    }
    if (by_name && is_class(&k.before, before))
        cr_assert_str_eq(view_string(&k.after, after->name), view_string(&k.before, before->name));
}

static void compare(void)
{
    for (size_t i = 0; i < k.before.object_count; i++)
        compare_object(&k.before.objects[i], true);
    cr_assert(k.after.object_count == k.before.object_count + made_up_classes());
    for (size_t i = 0; i < k.before.root_count; i++) {
        const hsd_root *root = &k.before.roots[i];
        cr_assert(view_count_roots(&k.after, root->kind, view_string(&k.before, root->label), root->target) > 0,
                  "root %s is lost", view_string(&k.before, root->label));
    }
}

Test(hprof_export_jvm, every_form_of_the_known_heap_comes_back)
{
    heap_form form;
    for (size_t i = 0; heap_sample(i, &form) != NULL; i++) {
        if (form.is_android || form.no_end || form.is_agent) continue; /* heaps of their own, cut off, tags */
        import_form(&form);
        kit_round(&k);
        compare();
    }
}

Test(hprof_export_jvm, tags_of_the_agent_stay_tags)
{
    import_form(&(heap_form){.is_agent = true, .dotted = true});
    kit_round(&k);
    compare();
    cr_assert(k.after.info->identity == HSD_IDENTITY_EXACT);
}

Test(hprof_export_jvm, weak_and_soft_references_stay_what_they_are)
{
    const heap_form form = {0};
    import_form(&form);
    kit_round(&k);
    static const struct {
        enum heap_object from, to;
        uint32_t strength;
    } references[] = {{HEAP_WEAK, HEAP_WEAK_VALUE, HSC_STRENGTH_WEAK},
                      {HEAP_SOFT, HEAP_SOFT_VALUE, HSC_STRENGTH_SOFT},
                      {HEAP_PHANTOM, HEAP_PHANTOM_VALUE, HSC_STRENGTH_WEAK},
                      {HEAP_FINAL, HEAP_FINAL_VALUE, HSC_STRENGTH_WEAK}};
    for (size_t i = 0; i < sizeof references / sizeof references[0]; i++) {
        const view_object *from = view_find(&k.after, heap_id(&form, references[i].from));
        const view_reference *referent = view_reference_of(&k.after, from, "referent", 0);
        cr_assert(referent != NULL && referent->target == heap_id(&form, references[i].to));
        cr_assert((view_label_of(&k.after, referent).flags & HSC_STRENGTH_MASK) == references[i].strength);
    }
    cr_assert(k.notes[0] == '\0', "%s", k.notes);
}

/* The list of the classes of a loader, that of the threads of a group: a reader of the dump gets to what they lead to
 * by nothing else. */
Test(hprof_export_jvm, weak_references_that_are_no_referents_are_written)
{
    hsc_writer *w = kit_writer(&k, NULL);
    kit_type(w, 1, "java.lang.Class");
    kit_type(w, 2, "java.lang.Object[]");
    kit_type(w, 3, "Group");
    kit_string(w, 1, "Loaded");
    kit_string(w, 2, "threads");
    hsc_define_label(w, 1, HSC_LABEL_ELEMENT, HSC_STRENGTH_WEAK, 0);
    hsc_define_label(w, 2, HSC_LABEL_FIELD, HSC_STRENGTH_WEAK, 2);
    hsc_begin_object(w, &(hsc_object){.id = 1, .type = 1, .size_bytes = 112, .name = 1});
    hsc_end_object(w);
    hsc_begin_object(w, &(hsc_object){.id = 2, .type = 2, .size_bytes = 32, .elements = 2});
    hsc_reference(w, 1, 1, 1);
    hsc_end_object(w);
    hsc_begin_object(w, &(hsc_object){.id = 3, .type = 3, .size_bytes = 24});
    hsc_reference(w, 2, 2, 0);
    hsc_end_object(w);
    kit_finish(w);
    kit_round(&k);
    cr_assert(has_reference(view_find(&k.after, 2), 1, "", 1));
    cr_assert(has_reference(view_find(&k.after, 3), 2, "threads", 0));
    cr_assert_null(strstr(k.notes, "keep nothing alive"), "%s", k.notes);
}

Test(hprof_export_jvm, statics_stay_with_their_class)
{
    const heap_form form = {0};
    import_form(&form);
    kit_round(&k);
    const view_object *cache = view_find(&k.after, heap_class_id(&form, HEAP_C_CACHE));
    const view_reference *map = view_reference_of(&k.after, cache, "map", 0);
    cr_assert(map != NULL && map->target == heap_id(&form, HEAP_MAP));
    cr_assert(view_label_of(&k.after, map).kind == HSC_LABEL_STATIC);
    const view_reference *resolved = view_reference_of(&k.after, cache, "resolved_references", 0);
    cr_assert(resolved != NULL && view_label_of(&k.after, resolved).kind == HSC_LABEL_INTERNAL);
}

/* Classes of a capture that makes no sense: each its own ancestor, two of one name, instances of what is no class. */
Test(hprof_export_jvm, classes_that_cannot_be_are_written_as_far_as_they_can)
{
    hsc_writer *w = kit_writer(&k, NULL);
    kit_type(w, 1, "java.lang.Class");
    kit_type(w, 2, "Loop");
    kit_type(w, 3, "Lost");
    kit_string(w, 1, "Loop");
    kit_string(w, 2, "super");
    kit_string(w, 3, "class");
    kit_string(w, 4, "[");
    hsc_define_label(w, 1, HSC_LABEL_INTERNAL, 0, 2);
    hsc_define_label(w, 2, HSC_LABEL_CLASS, 0, 3);
    for (uint64_t id = 1; id <= 3; id++) {
        hsc_begin_object(w, &(hsc_object){.id = id, .type = 1, .size_bytes = 112, .name = id == 3 ? 4 : 1});
        hsc_reference(w, id % 3 + 1, 1, 0);
        hsc_end_object(w);
    }
    for (uint64_t id = 10; id < 14; id++) {
        hsc_begin_object(w, &(hsc_object){.id = id, .type = id == 13 ? 3 : 2, .size_bytes = 24});
        hsc_reference(w, id == 13 ? 10 : id % 2 + 1, 2, 0);
        hsc_end_object(w);
    }
    kit_finish(w);
    kit_round(&k);
    for (size_t i = 3; i < k.before.object_count; i++)
        compare_object(&k.before.objects[i], false);
    const view_object *lost = view_find(&k.after, 13);
    cr_assert(has_reference(lost, 10, "class", 0));
}

Test(hprof_export_jvm, contents_of_arrays_come_back_where_they_are_asked_for)
{
    const heap_form form = {0};
    k.with_values = k.options.with_values = true;
    import_form(&form);
    kit_round(&k);
    static const enum heap_object arrays[] = {HEAP_CHARS_KEY, HEAP_CHARS_MAIN, HEAP_CHARS, HEAP_BYTES,
                                              HEAP_SHORTS,    HEAP_INTS,       HEAP_LONGS};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        const view_object *before = view_find(&k.before, heap_id(&form, arrays[i])),
                          *after = view_find(&k.after, before->id);
        cr_assert_str_eq(after->value, before->value);
    }
}

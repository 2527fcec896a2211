/*
 * The HPROF importer on the known heap in every form: the right objects, references, names, strengths,
 * sizes and roots, and the same from all forms.
 */
#include "unit/import/hprof_case.h"

#include <criterion/criterion.h>
#include <string.h>

static const heap_form forms[] = {
    {.segment_every = 0},
    {.segment_every = 1},
    {.segment_every = 5},
    {.id_bytes = 4},
    {.version = "1.0.1", .dump_tag = 0x0C},
    {.classes_last = true},
    {.roots_first = true},
    {.classes_last = true, .roots_first = true, .dotted = true, .segment_every = 3},
    {.version = "1.0.1", .dump_tag = 0x0C, .id_bytes = 4, .classes_last = true, .is_agent = true},
    {.is_agent = true, .classes_last = true, .roots_first = true},
    {.version = "1.0.3", .id_bytes = 4, .is_android = true, .segment_every = 7, .roots_first = true},
};

#define FORM_COUNT (sizeof forms / sizeof forms[0])

static void open_case(hprof_case *c, const heap_form *form)
{
    *c = (hprof_case){0};
    case_import_form(c, form);
    cr_assert(c->status == HSD_OK, "%s", c->err.text);
}

Test(hprof, has_every_object_and_class_in_every_form)
{
    for (size_t i = 0; i < FORM_COUNT; i++) {
        hprof_case c;
        open_case(&c, &forms[i]);
        const size_t expected = heap_object_count(1) + HEAP_CLASS_COUNT;
        cr_expect(c.view.object_count == expected, "form %zu: %zu objects", i, c.view.object_count);
        cr_expect(c.result.objects == expected && c.result.is_complete);
        cr_expect(c.view.info->is_complete && c.view.loss_count == 0);
        cr_expect(c.result.references == c.view.reference_count);
        case_close(&c);
    }
}

Test(hprof, names_types_the_same_way_in_every_form)
{
    static const struct {
        enum heap_object object;
        const char *type;
    } expected[] = {{HEAP_MAP, "java.util.HashMap"},
                    {HEAP_TABLE, "java.util.HashMap$Node[]"},
                    {HEAP_RESOLVED, "java.lang.Object[]"},
                    {HEAP_LAMBDA, "lambda in com.x.Main"},
                    {HEAP_BOOLEANS, "boolean[]"},
                    {HEAP_CHARS, "char[]"},
                    {HEAP_FLOATS, "float[]"},
                    {HEAP_DOUBLES, "double[]"},
                    {HEAP_BYTES, "byte[]"},
                    {HEAP_SHORTS, "short[]"},
                    {HEAP_INTS, "int[]"},
                    {HEAP_LONGS, "long[]"}};
    for (size_t i = 0; i < FORM_COUNT; i++) {
        hprof_case c;
        open_case(&c, &forms[i]);
        for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
            const view_object *object = case_object(&c, &forms[i], expected[k].object);
            cr_expect_str_eq(view_type(&c.view, object->type), expected[k].type);
        }
        case_close(&c);
    }
}

Test(hprof, follows_fields_through_the_superclasses)
{
    for (size_t i = 0; i < FORM_COUNT; i++) {
        hprof_case c;
        open_case(&c, &forms[i]);
        const view_object *derived = case_object(&c, &forms[i], HEAP_DERIVED);
        case_refers(&c, derived, "own", heap_id(&forms[i], HEAP_OWN));
        case_refers(&c, derived, "ref", heap_id(&forms[i], HEAP_REF));
        const view_object *node = case_object(&c, &forms[i], HEAP_NODE_1);
        case_refers(&c, node, "key", heap_id(&forms[i], HEAP_KEY_1));
        case_refers(&c, node, "value", heap_id(&forms[i], HEAP_VALUE_1));
        const view_label next = case_refers(&c, node, "next", heap_id(&forms[i], HEAP_NODE_2));
        cr_expect(next.kind == HSC_LABEL_FIELD && (next.flags & HSC_LABEL_FOLD) != 0);
        case_close(&c);
    }
}

Test(hprof, numbers_the_elements_of_arrays)
{
    const heap_form form = {0};
    hprof_case c;
    open_case(&c, &form);
    const view_object *table = case_object(&c, &form, HEAP_TABLE);
    cr_expect(table->elements == 4);
    const view_reference *second = view_reference_of(&c.view, table, NULL, 1);
    cr_assert_not_null(second);
    cr_expect(second->target == heap_id(&form, HEAP_NODE_1));
    cr_expect(view_label_of(&c.view, second).kind == HSC_LABEL_ELEMENT);
    cr_expect_null(view_reference_of(&c.view, table, NULL, 0)); /* null elements are no references */
    const view_object *arrays = case_object(&c, &form, HEAP_ARRAYS);
    for (unsigned i = 0; i < 8; i++) {
        const view_reference *element = view_reference_of(&c.view, arrays, NULL, i);
        cr_expect(element != NULL && element->target == heap_id(&form, HEAP_BOOLEANS + i));
    }
    case_close(&c);
}

Test(hprof, makes_statics_owners_named_by_their_class)
{
    for (size_t i = 0; i < FORM_COUNT; i++) {
        hprof_case c;
        open_case(&c, &forms[i]);
        const view_object *cache = view_find(&c.view, heap_class_id(&forms[i], HEAP_C_CACHE));
        cr_assert_not_null(cache);
        cr_expect_str_eq(view_type(&c.view, cache->type), "java.lang.Class");
        cr_expect_str_eq(view_string(&c.view, cache->name), "com.x.Cache");
        const view_label map = case_refers(&c, cache, "map", heap_id(&forms[i], HEAP_MAP));
        cr_expect(map.kind == HSC_LABEL_STATIC && map.flags == HSC_LABEL_NAMED_ROOT);
        const view_label made_up = case_refers(&c, cache, "resolved_references", heap_id(&forms[i], HEAP_RESOLVED));
        cr_expect(made_up.kind == HSC_LABEL_INTERNAL && made_up.flags == 0);
        const view_label super = case_refers(&c, cache, "super", heap_class_id(&forms[i], HEAP_C_OBJECT));
        cr_expect(super.kind == HSC_LABEL_INTERNAL);
        case_refers(&c, cache, "loader", heap_id(&forms[i], HEAP_LOADER));
        case_close(&c);
    }
}

/* A constant of the constant pool, and what Android says of a class object by way of statics. */
Test(hprof, tells_the_programs_statics_from_what_dumpers_make_up)
{
    static const char *const words[] = {"com.x.A", "CACHE", "$class$name", "$classOverhead", "$VALUES"};
    hprof_writer w;
    hprof_case c = {0};
    hw_begin(&w, "1.0.3", 4, 0);
    for (unsigned i = 0; i < 5; i++)
        hw_string(&w, 1 + i, words[i]);
    hw_load_class(&w, 1, 0x10, 1);
    hw_open(&w, 0x1C);
    hw_u1(&w, 0x20);
    hw_id(&w, 0x10);
    for (unsigned i = 0; i < 8; i++)
        hw_u4(&w, 0); /* stack, superclass … instance size */
    hw_u2(&w, 2);     /* constants: a reference and an int */
    hw_u2(&w, 7);
    hw_u1(&w, 2);
    hw_id(&w, 0x100);
    hw_u2(&w, 8);
    hw_u1(&w, 10);
    hw_u4(&w, 5);
    hw_u2(&w, 4);
    for (unsigned i = 0; i < 4; i++) {
        hw_id(&w, 2 + i);
        hw_u1(&w, 2);
        hw_id(&w, 0x200 + i);
    }
    hw_u2(&w, 0);
    hw_close(&w);
    hw_end_mark(&w);
    case_import(&c, w.data, w.size);
    hw_free(&w);
    cr_assert(c.status == HSD_OK, "%s", c.err.text);
    const view_object *class = view_find(&c.view, 0x10);
    cr_assert(class != NULL && class->count == 5);
    cr_expect(case_refers(&c, class, "constant pool", 0x100).kind == HSC_LABEL_INTERNAL);
    cr_expect(case_refers(&c, class, "CACHE", 0x200).flags == HSC_LABEL_NAMED_ROOT);
    const view_label name = case_refers(&c, class, "name", 0x201);
    cr_expect(name.kind == HSC_LABEL_FIELD && name.flags == 0);
    const view_label overhead = case_refers(&c, class, "$classOverhead", 0x202);
    cr_expect(overhead.kind == HSC_LABEL_INTERNAL && overhead.flags == 0);
    cr_expect(case_refers(&c, class, "$VALUES", 0x203).kind == HSC_LABEL_STATIC);
    cr_expect(class->size_bytes == 4 + 4); /* the two that are the program's */
    case_close(&c);
}

Test(hprof, leads_from_objects_to_classes_that_are_no_roots)
{
    const heap_form form = {0};
    hprof_case c;
    open_case(&c, &form);
    const view_object *value = case_object(&c, &form, HEAP_VALUE_1);
    const view_label label = case_refers(&c, value, "class", heap_class_id(&form, HEAP_C_VALUE));
    cr_expect(label.kind == HSC_LABEL_CLASS);
    const view_object *string = case_object(&c, &form, HEAP_KEY_1);
    cr_expect_null(view_reference_of(&c.view, string, "class", 0));
    case_close(&c);
}

Test(hprof, weakens_referents_by_their_class)
{
    static const uint32_t strengths[4] = {HSC_STRENGTH_WEAK, HSC_STRENGTH_SOFT, HSC_STRENGTH_WEAK, HSC_STRENGTH_WEAK};
    for (unsigned strong = 0; strong < 2; strong++) {
        const heap_form form = {0};
        hprof_case c = {.options = {.final_is_strong = strong == 1}};
        case_import_form(&c, &form);
        for (unsigned i = 0; i < 4; i++) {
            const view_object *reference = case_object(&c, &form, HEAP_WEAK + i);
            const view_label label = case_refers(&c, reference, "referent", heap_id(&form, HEAP_WEAK_VALUE + i));
            const bool is_strong = strong == 1 && i == 3;
            cr_expect(label.flags == (is_strong ? HSC_STRENGTH_STRONG : strengths[i]), "%u: %u", i, label.flags);
        }
        case_close(&c);
    }
}

Test(hprof, holds_what_waits_for_its_finalizer_by_that)
{
    const heap_form form = {.is_queued = true};
    hprof_case c;
    open_case(&c, &form);
    for (unsigned i = 0; i < 4; i++) {
        static const uint32_t flags[4] = {HSC_STRENGTH_WEAK, HSC_STRENGTH_SOFT, HSC_STRENGTH_WEAK, HSC_STRENGTH_STRONG};
        const view_object *reference = case_object(&c, &form, HEAP_WEAK + i);
        const view_label label = case_refers(&c, reference, "referent", heap_id(&form, HEAP_WEAK_VALUE + i));
        cr_expect(label.flags == flags[i], "%u: %u", i, label.flags);
        cr_expect_str_eq(view_string(&c.view, reference->name), i == 3 ? "finalizer queue" : "");
    }
    case_close(&c);
}

/* What a Cleaner will call lives as long as what it waits for, and not in the Cleaner's list. */
Test(hprof, holds_what_a_cleaner_calls_by_what_it_waits_for)
{
    const heap_form form = {.cleans = true};
    hprof_case c;
    open_case(&c, &form);
    cr_expect_eq(view_count_edges(&c.view, "cleaner", heap_id(&form, HEAP_PHANTOM_VALUE), heap_id(&form, HEAP_PHANTOM)),
                 1);
    cr_expect_eq(view_count_edges(&c.view, "cleaner", heap_id(&form, HEAP_WEAK_VALUE), heap_id(&form, HEAP_WEAK)), 0);
    case_close(&c);
}

Test(hprof, names_threads_and_what_they_hold)
{
    for (size_t i = 0; i < FORM_COUNT; i++) {
        hprof_case c;
        open_case(&c, &forms[i]);
        const view_object *worker = case_object(&c, &forms[i], HEAP_THREAD_WORKER);
        cr_expect_str_eq(view_string(&c.view, worker->name), "thread \"worker-1\"", "form %zu", i);
        const view_label locals = case_refers(&c, worker, "threadLocals", heap_id(&forms[i], HEAP_LOCALS));
        cr_expect(locals.flags == (HSC_LABEL_NAMED_ROOT | HSC_LABEL_FOLD));
        cr_expect(locals.kind == HSC_LABEL_FIELD);
        cr_expect(view_count_roots(&c.view, HSC_ROOT_THREAD, "thread \"main\"", heap_id(&forms[i], HEAP_THREAD_MAIN)) ==
                  1);
        cr_assert(c.view.thread_count == 2);
        cr_expect_str_eq(view_string(&c.view, c.view.threads[0].name), "main");
        case_close(&c);
    }
}

Test(hprof, names_the_frame_of_a_local)
{
    for (size_t i = 0; i < FORM_COUNT; i++) {
        hprof_case c;
        open_case(&c, &forms[i]);
        const uint64_t derived = heap_id(&forms[i], HEAP_DERIVED);
        cr_expect(view_count_roots(&c.view, HSC_ROOT_STACK, "thread \"main\", com.x.Main.run(Main.java:12)", derived) ==
                  1);
        cr_expect(view_count_roots(&c.view, HSC_ROOT_HANDLE, "thread \"main\"", derived) == 1);
        cr_assert(c.view.frame_count == 1);
        cr_expect_str_eq(view_string(&c.view, c.view.frames[0].function), "com.x.Main.run");
        cr_expect_str_eq(view_string(&c.view, c.view.frames[0].file), "Main.java");
        cr_expect(c.view.frames[0].line == 12 && c.view.frames[0].depth == 0);
        case_close(&c);
    }
}

Test(hprof, names_roots_by_kind)
{
    const heap_form form = {0};
    hprof_case c;
    open_case(&c, &form);
    cr_expect(view_count_roots(&c.view, HSC_ROOT_HANDLE, "(JNI globals)", heap_id(&form, HEAP_LAMBDA)) == 1);
    cr_expect(view_count_roots(&c.view, HSC_ROOT_UNKNOWN, "(unknown roots)", heap_id(&form, HEAP_ARRAYS)) == 1);
    cr_expect(view_count_roots(&c.view, HSC_ROOT_MONITOR, "(monitors)", heap_id(&form, HEAP_SOFT)) == 1);
    cr_expect(view_count_roots(&c.view, HSC_ROOT_CLASS, "(system classes)", heap_class_id(&form, HEAP_C_STRING)) == 1);
    case_close(&c);
}

Test(hprof, keeps_the_heaps_and_roots_of_android)
{
    const heap_form form = forms[FORM_COUNT - 1];
    hprof_case c;
    open_case(&c, &form);
    const uint64_t map = heap_id(&form, HEAP_MAP);
    cr_expect(view_count_roots(&c.view, HSC_ROOT_INTERNED, "(interned strings)", map) == 1);
    cr_expect(view_count_roots(&c.view, HSC_ROOT_FINALIZER, "(finalizing)", map) == 1);
    cr_expect(view_count_roots(&c.view, HSC_ROOT_RUNTIME, "(debugger)", map) == 1);
    cr_expect(view_count_roots(&c.view, HSC_ROOT_RUNTIME, "(reference cleanup)", map) == 1);
    cr_expect(view_count_roots(&c.view, HSC_ROOT_RUNTIME, "(VM internals)", map) == 1);
    cr_expect(view_count_roots(&c.view, HSC_ROOT_MONITOR, "(JNI monitors)", map) == 1);
    for (size_t i = 0; i < c.view.root_count; i++) {
        const hsd_root *root = &c.view.roots[i];
        cr_expect(root->target != heap_id(&form, HEAP_LOST)); /* UNREACHABLE is no root */
        const bool is_of_stack = root->kind == HSC_ROOT_STACK || (root->kind == HSC_ROOT_HANDLE && root->thread != 0);
        cr_expect(root->flags == (root->kind == HSC_ROOT_RUNTIME || is_of_stack ? HSC_ROOT_SECONDARY : 0));
    }
    cr_expect_str_eq(c.view.info->runtime, "Android Runtime");
    cr_expect(case_object(&c, &form, HEAP_LONGS)->category == 0); /* the heap ends with the segment */
    cr_expect(case_object(&c, &form, HEAP_MAP)->size_bytes == 100 + HEAP_C_MAP);
    cr_expect(case_object(&c, &form, HEAP_INTS)->size_bytes == 12 + 3 * 4);
    cr_expect(case_object(&c, &form, HEAP_LONGS)->size_bytes == 16 + 3 * 8); /* without data */
    case_close(&c);
}

Test(hprof, puts_objects_of_android_into_their_heap)
{
    heap_form form = forms[FORM_COUNT - 1];
    form.segment_every = 0;
    hprof_case c;
    open_case(&c, &form);
    cr_expect_str_eq(view_string(&c.view, case_object(&c, &form, HEAP_MAP)->category), "app");
    cr_expect_str_eq(view_string(&c.view, case_object(&c, &form, HEAP_LONGS)->category), "app");
    case_close(&c);
}

Test(hprof, says_what_ids_mean)
{
    hprof_case hotspot, agent, again;
    const heap_form agent_form = {.is_agent = true, .dumps = 2};
    open_case(&hotspot, &forms[0]);
    cr_expect(hotspot.view.info->identity == HSD_IDENTITY_MOVING);
    cr_expect(hotspot.view.info->taken_unix_ns == UINT64_C(1700000000123000000));
    cr_expect_str_eq(hotspot.view.info->runtime, "HotSpot 17.0.9");
    cr_expect_str_eq(hotspot.view.info->source_format, "hprof 1.0.2");
    agent = (hprof_case){.options = {.dump_number = 1}};
    again = (hprof_case){.options = {.dump_number = 2}};
    case_import_form(&agent, &agent_form);
    case_import_form(&again, &agent_form);
    cr_expect(agent.view.info->identity == HSD_IDENTITY_EXACT);
    static const uint8_t none[16] = {0};
    cr_expect(memcmp(agent.view.info->domain, none, 16) != 0);
    cr_expect(memcmp(agent.view.info->domain, again.view.info->domain, 16) == 0);
    case_close(&hotspot);
    case_close(&agent);
    case_close(&again);
}

Test(hprof, gives_objects_of_the_agent_their_allocation_site)
{
    const heap_form form = {.is_agent = true};
    hprof_case c;
    open_case(&c, &form);
    const view_object *value = case_object(&c, &form, HEAP_VALUE_1);
    cr_assert(value->site != 0 && value->site < c.view.site_limit);
    cr_expect_str_eq(view_string(&c.view, c.view.sites[value->site].function), "com.x.Main.run");
    cr_expect(c.view.sites[value->site].line == 12);
    case_close(&c);
    open_case(&c, &forms[0]); /* HotSpot's stack serials name no allocation */
    cr_expect(case_object(&c, &forms[0], HEAP_VALUE_1)->site == 0);
    case_close(&c);
}

Test(hprof, chooses_one_of_several_dumps)
{
    const heap_form form = {.is_agent = true, .dumps = 2, .segment_every = 4};
    hprof_case c = {0};
    case_import_form(&c, &form);
    cr_expect(c.status == HSD_E_UNSUPPORTED);
    cr_expect_str_eq(c.err.text, "this file holds 2 heap dumps");
    cr_expect_not_null(strstr(c.err.hint, "--dump"));
    for (unsigned dump = 1; dump <= 2; dump++) {
        c = (hprof_case){.options = {.dump_number = dump}};
        case_import_form(&c, &form);
        cr_assert(c.status == HSD_OK, "%s", c.err.text);
        cr_expect(c.view.object_count == heap_object_count(dump) + HEAP_CLASS_COUNT);
        cr_expect((view_find(&c.view, heap_id(&form, HEAP_EXTRA)) != NULL) == (dump == 2));
        case_close(&c);
    }
    c = (hprof_case){.options = {.dump_number = 3}};
    case_import_form(&c, &form);
    cr_expect(c.status == HSD_E_UNSUPPORTED);
}

Test(hprof, summarises_to_the_same_totals)
{
    for (size_t i = 0; i < FORM_COUNT; i++) {
        hprof_case whole, summary = {.options = {.summary_only = true}};
        open_case(&whole, &forms[i]);
        case_import_form(&summary, &forms[i]);
        cr_assert(summary.status == HSD_OK, "%s", summary.err.text);
        cr_expect(summary.view.object_count == 0);
        cr_expect(summary.result.objects == whole.result.objects);
        cr_expect(summary.result.bytes == whole.result.bytes, "form %zu", i);
        cr_expect(summary.view.total_count == whole.view.total_count);
        for (size_t k = 0; k < whole.view.total_count; k++) {
            const hsd_type_total *total = &whole.view.totals[k];
            uint64_t objects, bytes;
            view_total(&summary.view, view_type(&whole.view, total->type), &objects, &bytes);
            cr_expect(objects == total->objects && bytes == total->bytes, "form %zu: %s", i,
                      view_type(&whole.view, total->type));
        }
        case_close(&whole);
        case_close(&summary);
    }
}

Test(hprof, hashes_content_and_nothing_else)
{
    const heap_form form = {0}, segments = {.segment_every = 1}; /* other reads, same bytes */
    hprof_case a, b;
    open_case(&a, &form);
    open_case(&b, &segments);
    for (unsigned i = 0; i < heap_object_count(1); i++)
        cr_expect(case_object(&a, &form, i)->content == case_object(&b, &segments, i)->content);
    cr_expect(case_object(&a, &form, HEAP_VALUE_1)->content != case_object(&a, &form, HEAP_VALUE_2)->content);
    cr_expect(case_object(&a, &form, HEAP_KEY_1)->content == case_object(&a, &form, HEAP_KEY_2)->content);
    cr_expect(case_object(&a, &form, HEAP_WEAK)->content == 0); /* references alone */
    case_close(&a);
    case_close(&b);
}

Test(hprof, keeps_values_only_when_asked)
{
    const heap_form form = {0};
    hprof_case c;
    open_case(&c, &form);
    for (size_t i = 0; i < c.view.object_count; i++)
        cr_expect_null(c.view.objects[i].value);
    for (uint32_t i = 0; i < c.view.string_limit; i++) /* "key" is also the name of a field */
        cr_expect(c.view.strings[i] == NULL || strstr(c.view.strings[i], "17.0.9") == NULL);
    case_close(&c);
    c = (hprof_case){.options = {.with_values = true}};
    case_import_form(&c, &form);
    cr_assert(c.status == HSD_OK, "%s", c.err.text);
    cr_expect((c.view.info->facts & HSC_FACT_VALUES) != 0);
    cr_expect_str_eq(case_object(&c, &form, HEAP_CHARS_WORKER)->value, "worker-1");
    cr_expect_str_eq(case_object(&c, &form, HEAP_VALUE_3)->value, "n=2");
    cr_expect_str_eq(case_object(&c, &form, HEAP_DERIVED)->value, "z=122 d=1.5 b=true l=9");
    cr_expect_str_eq(case_object(&c, &form, HEAP_BYTES)->value, "1, 2, 3");
    case_close(&c);
}

Test(hprof, marks_types_of_containers_and_code)
{
    const heap_form form = {0};
    hprof_case c;
    open_case(&c, &form);
    cr_expect(c.view.type_flags[case_object(&c, &form, HEAP_NODE_1)->type] == HSC_TYPE_INTERNAL);
    cr_expect(c.view.type_flags[case_object(&c, &form, HEAP_TABLE)->type] == HSC_TYPE_INTERNAL);
    cr_expect(c.view.type_flags[case_object(&c, &form, HEAP_MAP)->type] == 0);
    cr_expect(c.view.type_flags[case_object(&c, &form, HEAP_RESOLVED)->type] == 0);
    cr_expect(c.view.type_flags[view_find(&c.view, heap_class_id(&form, HEAP_C_MAP))->type] == HSC_TYPE_CODE);
    case_close(&c);
}

Test(hprof, works_in_little_memory)
{
    hprof_case c = {.memory_bytes = HSD_MEMORY_MIN_BYTES};
    case_import_form(&c, &forms[0]);
    cr_expect(c.status == HSD_OK, "%s", c.err.text);
    case_close(&c);
}

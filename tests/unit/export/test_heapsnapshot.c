/*
 * Heap snapshots out of captures, held against what the importer of snapshots reads in them: small random heaps in every form of a
 * capture, with an oracle of its own; ids; names that no JSON may carry as they are; a heap too large for the memory given.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <criterion/criterion.h>
#include <hsdiff/export.h>

#include "support/capture_file.h"
#include "support/capture_view.h"
#include "support/fault.h"
#include "support/heap_model.h"
#include "support/v8_loaded.h"

static char snapshot[80];

static void begin_test(void)
{
    setup();
    snprintf(snapshot, sizeof snapshot, "%s/heap.heapsnapshot", folder);
}

static void end_test(void)
{
    remove(snapshot);
    teardown();
}

TestSuite(heapsnapshot, .init = begin_test, .fini = end_test, .timeout = 300);

static hsd_export_result export_with(const hsd_export_options *options, const hsd_run *run)
{
    hsd_export_result result;
    hsd_capture *capture = open_capture(run);
    remove(snapshot);
    const hsd_status status = hsd_export_file(NULL, capture, snapshot, options, run, &result, &err);
    hsd_capture_close(capture);
    cr_assert_eq(status, HSD_OK, "%s", err.text);
    return result;
}

static char *read_snapshot(size_t *size)
{
    struct stat info;
    FILE *file = fopen(snapshot, "rb");
    cr_assert(file != NULL && fstat(fileno(file), &info) == 0);
    *size = (size_t)info.st_size;
    char *text = malloc(*size + 1);
    cr_assert(text != NULL && fread(text, 1, *size, file) == *size);
    text[*size] = '\0';
    fclose(file);
    return text;
}

/* The capture at `path` as a snapshot, and that as a capture again. */
static void round_trip(loaded *view)
{
    static const hsd_import_options usual;
    size_t size;
    export_with(NULL, NULL);
    char *text = read_snapshot(&size);
    cr_assert_eq(loaded_import(view, text, size, &usual, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert(!view->has_undefined && view->lost == 0);
    free(text);
}

/* ---- random heaps, by definition ---- */

static struct {
    const model_heap *heap;
    bool by_ordinal;
    uint32_t order[MODEL_MAX_OBJECTS]; /* place in the file -> object of the model */
    uint32_t place[MODEL_MAX_OBJECTS]; /* and back */
    uint32_t groups, named;
    uint32_t first;                    /* ordinal in the snapshot of the first object */
} known;

#define NOWHERE UINT32_MAX

static uint32_t object_of(uint64_t id)
{
    for (uint32_t i = 0; i < known.heap->object_count; i++)
        if (known.heap->objects[i].id == id) return i;
    return NOWHERE;
}

static void root_name(const model_root *root, char *name, size_t capacity)
{
    if (root->name == 0) snprintf(name, capacity, "(stacks)");
    else snprintf(name, capacity, "root%u", (unsigned)root->name);
}

static bool is_new_group(uint32_t root)
{
    const model_root *roots = known.heap->roots;
    if (object_of(roots[root].target) == NOWHERE) return false;
    for (uint32_t i = 0; i < root; i++)
        if (object_of(roots[i].target) != NOWHERE && roots[i].name == roots[root].name && roots[i].is_secondary == roots[root].is_secondary)
            return false;
    return true;
}

static void know(const model_heap *heap)
{
    capture_view before;
    known.heap = heap;
    known.groups = known.named = 0;
    cr_assert(view_open(&before, path));
    cr_assert_eq(before.object_count, heap->object_count);
    for (uint32_t i = 0; i < heap->object_count; i++) {
        known.order[i] = object_of(before.objects[i].id);
        known.place[known.order[i]] = i;
        known.named += heap->objects[i].has_name;
    }
    for (uint32_t i = 0; i < heap->root_count; i++) known.groups += is_new_group(i);
    known.first = 2 + known.groups;
    view_close(&before);
}

typedef struct reference { /* of either side */
    uint32_t to;
    char name[24]; /* what leads there; "weak" alone if it is */
} reference;

static int compare_references(const void *a, const void *b)
{
    const reference *x = a, *y = b;
    return x->to != y->to ? (x->to < y->to ? -1 : 1) : strcmp(x->name, y->name);
}

static uint32_t wanted_references(const model_object *object, reference *out)
{
    static const char *const names[MODEL_LABELS] = {
        [MODEL_STRONG] = "0 field", [MODEL_WEAK] = "weak",       [MODEL_SOFT] = "0 field", [MODEL_NAMED] = "0 field",
        [MODEL_STATIC] = "0 field", [MODEL_ANOTHER] = "0 another", [MODEL_ITEM] = "1 ",     [MODEL_FOLD] = "0 inside",
    };
    uint32_t count = 0;
    for (uint32_t i = 0; i < object->reference_count; i++) {
        const uint32_t target = object_of(object->references[i].target);
        if (target == NOWHERE) continue;
        out[count].to = known.first + known.place[target];
        snprintf(out[count++].name, sizeof out->name, "%s", names[object->references[i].label]);
    }
    return count;
}

static uint32_t found_references(const loaded_object *object, reference *out)
{
    uint32_t count = 0;
    for (size_t i = 0; i < object->reference_count; i++) {
        const loaded_reference *r = &object->references[i];
        if (r->target >= known.first + known.heap->object_count) continue; /* its name */
        cr_assert_lt(count, MODEL_MAX_REFERENCES);
        out[count].to = (uint32_t)r->target;
        if ((r->flags & HSC_STRENGTH_MASK) == HSC_STRENGTH_WEAK) snprintf(out[count++].name, sizeof out->name, "weak");
        else snprintf(out[count++].name, sizeof out->name, "%u %.16s", (unsigned)r->kind, r->name);
    }
    return count;
}

static void check_references(const model_object *object, const loaded_object *found)
{
    reference wanted[MODEL_MAX_REFERENCES], got[MODEL_MAX_REFERENCES];
    const uint32_t count = wanted_references(object, wanted), got_count = found_references(found, got);
    cr_assert_eq(got_count, count, "%u references, not %u", got_count, count);
    qsort(wanted, count, sizeof *wanted, compare_references);
    qsort(got, count, sizeof *got, compare_references);
    for (uint32_t i = 0; i < count; i++) {
        cr_assert_eq(got[i].to, wanted[i].to);
        cr_assert_str_eq(got[i].name, wanted[i].name);
    }
}

static void check_object(const loaded *view, uint32_t place)
{
    const model_object *object = &known.heap->objects[known.order[place]];
    const loaded_object *found = &view->objects[known.first + place];
    const bool is_pseudo = (object->flags & HSC_OBJECT_PSEUDO) != 0;
    char type[16];
    snprintf(type, sizeof type, "T%u", (unsigned)object->type);
    if (object->type == MODEL_PART_TYPE && !is_pseudo) snprintf(type, sizeof type, "(system)");
    cr_assert_str_eq(found->type, type);
    cr_assert_eq(found->size, is_pseudo ? 0 : object->size_bytes);
    cr_assert_eq((found->flags & HSC_OBJECT_PSEUDO) != 0, is_pseudo || object->size_bytes == 0);
    check_references(object, found);
}

/* ---- what is live, by definition ---- */

static void reach(const loaded *view, uint32_t from, bool *live)
{
    static uint32_t todo[1024];
    uint32_t count = 0;
    if (live[from]) return;
    live[from] = true;
    todo[count++] = from;
    while (count > 0) {
        const loaded_object *object = &view->objects[todo[--count]];
        for (size_t i = 0; i < object->reference_count; i++) {
            const loaded_reference *r = &object->references[i];
            if ((r->flags & HSC_STRENGTH_MASK) == HSC_STRENGTH_WEAK || live[r->target]) continue;
            live[r->target] = true;
            todo[count++] = (uint32_t)r->target;
        }
    }
}

static void model_reach(uint32_t from, bool *live)
{
    const model_object *object = &known.heap->objects[from];
    if (live[from]) return;
    live[from] = true;
    for (uint32_t i = 0; i < object->reference_count; i++) {
        const uint32_t target = object_of(object->references[i].target);
        if (target != NOWHERE && object->references[i].label != MODEL_WEAK) model_reach(target, live);
    }
}

static void check_live(const loaded *view)
{
    bool wanted[MODEL_MAX_OBJECTS] = {false}, found[1024] = {false};
    cr_assert_lt(view->object_count, 1024);
    for (uint32_t i = 0; i < known.heap->root_count; i++)
        if (object_of(known.heap->roots[i].target) != NOWHERE) model_reach(object_of(known.heap->roots[i].target), wanted);
    for (size_t i = 0; i < view->root_count; i++) reach(view, (uint32_t)view->roots[i].target, found);
    for (uint32_t i = 0; i < known.heap->object_count; i++)
        cr_assert_eq(found[known.first + known.place[i]], wanted[i], "object %u is %slive", i, wanted[i] ? "not " : "");
}

/* A primary root hangs from a node that is called as it is, and that is a root; a secondary one is a root of that name. */
static void check_root(const loaded *view, const model_root *root)
{
    char name[24];
    const uint32_t object = object_of(root->target);
    if (object == NOWHERE) return;
    const uint32_t target = known.first + known.place[object];
    root_name(root, name, sizeof name);
    size_t found = 0;
    for (size_t i = 0; i < view->root_count; i++) {
        const loaded_root *r = &view->roots[i];
        if (strcmp(r->label, name) != 0) continue;
        if (root->is_secondary) found += r->target == target;
        const loaded_object *group = &view->objects[r->target];
        if (!root->is_secondary && strcmp(group->type, name) == 0)
            for (size_t k = 0; k < group->reference_count; k++) found += group->references[k].target == target;
    }
    cr_assert_geq(found, 1, "root %s is lost", name);
}

static void check_heap(const model_heap *heap, const model_form *form)
{
    loaded view;
    cr_assert(model_write(heap, form, path));
    know(heap);
    round_trip(&view);
    const size_t least = known.first + heap->object_count + known.named;
    cr_assert(view.object_count == least || view.object_count == least + 1, "%zu nodes, not %zu", view.object_count, least);
    for (uint32_t place = 0; place < heap->object_count; place++) check_object(&view, place);
    check_live(&view);
    for (uint32_t i = 0; i < heap->root_count; i++) check_root(&view, &heap->roots[i]);
    loaded_release(&view);
}

Test(heapsnapshot, says_of_random_heaps_what_is_in_them)
{
    const uint64_t seed = test_seed(20261122);
    fprintf(stderr, "first seed %llu\n", (unsigned long long)seed);
    for (uint64_t i = 0; i < 400; i++) {
        test_random random = {seed + i};
        const model_heap heap = model_random(&random);
        const model_form form = model_random_form(&random);
        check_heap(&heap, &form);
    }
}

/* ---- ids ---- */

static void write_ids(hsc_identity identity, const uint64_t *ids, size_t count)
{
    hsc_options options;
    hsc_writer *w;
    hsc_options_init(&options);
    options.identity = identity;
    options.capture_id[0] = 7;
    remove(path);
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    hsc_define_type(w, 1, "Thing", 5, 0);
    for (size_t i = 0; i < count; i++) {
        hsc_begin_object(w, &(hsc_object){.id = ids[i], .type = 1, .size_bytes = 8 * (i + 1)});
        hsc_end_object(w);
        hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = ids[i]});
    }
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
}

/* Ids of the objects in the snapshot, by their place in the capture. */
static void ids_of(hsc_identity identity, const uint64_t *ids, size_t count, uint64_t *out)
{
    loaded view;
    write_ids(identity, ids, count);
    round_trip(&view);
    for (size_t i = 0; i < count; i++) {
        out[i] = view.objects[3 + i].id;
        cr_assert_eq(view.objects[3 + i].size, 8 * (i + 1));
        cr_assert(out[i] % 2 == 1 && out[i] <= UINT32_MAX, "id %llu", (unsigned long long)out[i]);
        for (size_t k = 0; k < i; k++) cr_assert_neq(out[i], out[k]);
    }
    loaded_release(&view);
}

Test(heapsnapshot, gives_an_object_the_same_id_in_two_snapshots)
{
    static const uint64_t before[] = {1, 77, 0x3fffffff, 0x40000000, 0x7f1200000010, 0x7f1200000020, UINT64_MAX};
    static const uint64_t after[] = {0x7f1200000020, 5, 77, UINT64_MAX, 0x40000000, 0x7f1200000040};
    uint64_t a[7], b[6];
    for (int identity = HSC_IDENTITY_EXACT; identity <= HSC_IDENTITY_ADDRESS; identity++) {
        ids_of((hsc_identity)identity, before, 7, a);
        ids_of((hsc_identity)identity, after, 6, b);
        cr_assert_eq(b[0], a[5]);
        cr_assert_eq(b[2], a[1]);
        cr_assert_eq(b[3], a[6]);
        cr_assert_eq(b[4], a[3]);
        for (size_t i = 0; i < 7; i++) cr_assert(b[1] != a[i] && b[5] != a[i]);
    }
    ids_of(HSC_IDENTITY_EXACT, before, 7, a);
    cr_assert_eq(a[1], 2 * (77 + 65536) + 1);
}

/* Where ids say nothing, they must not look as if they did. */
Test(heapsnapshot, gives_ids_that_say_nothing_no_meaning)
{
    static const uint64_t ids[] = {0x1000, 0x2000, 0x3000};
    uint64_t a[3], exact[3];
    ids_of(HSC_IDENTITY_EXACT, ids, 3, exact);
    for (int i = 0; i < 2; i++) {
        ids_of(i == 0 ? HSC_IDENTITY_MOVING : HSC_IDENTITY_NONE, ids, 3, a);
        cr_assert(a[1] == a[0] + 2 && a[2] == a[0] + 4);
        cr_assert_neq(a[0], exact[0]);
    }
}

Test(heapsnapshot, tells_objects_apart_whose_hashes_meet)
{
    enum { COUNT = 150000 };
    uint64_t *ids = malloc(COUNT * sizeof *ids);
    loaded view;
    cr_assert_not_null(ids);
    for (size_t i = 0; i < COUNT; i++) ids[i] = UINT64_C(0x7f0000000000) + i * 16;
    write_ids(HSC_IDENTITY_ADDRESS, ids, COUNT); /* about five pairs meet */
    round_trip(&view);
    uint8_t *seen = calloc((size_t)1 << 28, 1);
    cr_assert_not_null(seen);
    for (size_t i = 0; i < COUNT; i++) {
        const uint64_t half = view.objects[3 + i].id / 2;
        cr_assert_eq(seen[half >> 3] >> (half & 7) & 1, 0, "id %llu twice", (unsigned long long)half * 2 + 1);
        seen[half >> 3] = (uint8_t)(seen[half >> 3] | 1u << (half & 7));
    }
    free(seen);
    free(ids);
    loaded_release(&view);
}

/* ---- texts ---- */

typedef struct hostile {
    const char *bytes;
    size_t size;
    const char *json;
} hostile;

static const hostile hostile_names[] = {
    {"plain", 5, "\"plain\""},
    {"a\"b\\c", 5, "\"a\\\"b\\\\c\""},
    {"\b\f\n\r\t\x01\x7f", 7, "\"\\b\\f\\n\\r\\t\\u0001\\u007f\""},
    {"nul\0nul", 7, "\"nul\\u0000nul\""},
    {"caf\xc3\xa9 \xe2\x82\xac", 9, "\"caf\\u00e9 \\u20ac\""},
    {"\xf0\x9f\x98\x80", 4, "\"\\ud83d\\ude00\""},
    {"\xff\xc3(\xe2\x82", 5, "\"\\ufffd\\ufffd(\\ufffd\\ufffd\""},
    {"\xc0\xaf\xed\xa0\x80", 5, "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\""},
    {"\xf4\x90\x80\x80", 4, "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
};
enum { HOSTILE = sizeof hostile_names / sizeof hostile_names[0] };

static void write_hostile(void)
{
    hsc_options options;
    hsc_writer *w;
    hsc_options_init(&options);
    options.facts = HSC_FACT_VALUES;
    remove(path);
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    hsc_define_type(w, HOSTILE + 1, "string", 6, 0);
    for (uint32_t i = 0; i < HOSTILE; i++) {
        hsc_define_type(w, i + 1, hostile_names[i].bytes, hostile_names[i].size, 0);
        hsc_define_string(w, i + 1, hostile_names[i].bytes, hostile_names[i].size);
        hsc_define_label(w, i + 1, HSC_LABEL_FIELD, 0, i + 1);
        hsc_begin_object(w, &(hsc_object){.id = i + 1, .type = i + 1, .size_bytes = 16});
        hsc_reference(w, (i + 1) % HOSTILE + 1, i + 1, 0);
        hsc_end_object(w);
        hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STATIC, .target = i + 1, .label = i + 1});
    }
    hsc_begin_object(w, &(hsc_object){.id = 100, .type = HOSTILE + 1, .size_bytes = 32});
    hsc_value(w, "the \"secret\"", 12);
    hsc_end_object(w);
    hsc_begin_object(w, &(hsc_object){.id = 101, .type = 1, .size_bytes = 32});
    hsc_value(w, "id=17", 5);
    hsc_end_object(w);
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
}

Test(heapsnapshot, is_pure_ascii_whatever_the_names)
{
    size_t size;
    loaded view;
    write_hostile();
    round_trip(&view);
    char *text = read_snapshot(&size);
    for (size_t i = 0; i < size; i++) cr_assert(text[i] == '\n' || (text[i] >= 0x20 && text[i] < 0x7f), "byte %d at %zu", text[i], i);
    for (size_t i = 0; i < HOSTILE; i++) cr_assert_not_null(strstr(text, hostile_names[i].json), "no %s", hostile_names[i].json);
    for (size_t i = 0; i < 5; i++) /* what is UTF-8 comes back as it was; a NUL ends the text */
        cr_assert_eq(strncmp(view.objects[2 + HOSTILE + i].type, hostile_names[i].bytes, hostile_names[i].size), 0);
    cr_assert_null(strstr(text, "secret"));
    cr_assert_null(strstr(text, "id=17"));
    free(text);
    loaded_release(&view);
}

Test(heapsnapshot, tells_values_only_when_asked)
{
    const hsd_export_options options = {.with_values = true};
    size_t size;
    write_hostile();
    export_with(&options, NULL);
    char *text = read_snapshot(&size);
    cr_assert_not_null(strstr(text, "\"the \\\"secret\\\"\""));
    cr_assert_not_null(strstr(text, "\"id=17\""));
    free(text);
}

/* ---- captures of other kinds ---- */

/* Without roots everything counts as live, and does so afterwards. */
Test(heapsnapshot, keeps_everything_live_where_no_roots_are_known)
{
    hsc_options options;
    hsc_writer *w;
    loaded view;
    bool live[16] = {false};
    hsc_options_init(&options);
    options.facts = HSC_FACT_NO_ROOTS;
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    hsc_define_type(w, 1, "Ring", 4, 0);
    for (uint64_t i = 0; i < 5; i++) {
        hsc_begin_object(w, &(hsc_object){.id = i + 1, .type = 1, .size_bytes = 16});
        hsc_reference(w, (i + 1) % 5 + 1, 0, 0);
        hsc_end_object(w);
    }
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
    round_trip(&view);
    for (size_t i = 0; i < view.root_count; i++) reach(&view, (uint32_t)view.roots[i].target, live);
    for (size_t i = 2; i < 7; i++) cr_assert(live[i]);
    loaded_release(&view);
}

Test(heapsnapshot, adds_what_an_object_owns_outside_the_heap)
{
    hsc_options options;
    hsc_writer *w;
    loaded view;
    hsc_options_init(&options);
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    hsc_begin_object(w, &(hsc_object){.id = 1, .size_bytes = 48, .native_bytes = UINT64_C(5) << 30});
    hsc_end_object(w);
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
    round_trip(&view);
    cr_assert_eq(view.info.bytes, (UINT64_C(5) << 30) + 48);
    loaded_release(&view);
}

/* ---- snapshots that were snapshots ---- */

/* A page: its window has a detached element, whose span is detached with it, but not the document, which is attached, with its body. */
static const char page[] =
    "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\",\"detachedness\"],"
    "\"node_types\":[[\"hidden\",\"array\",\"string\",\"object\",\"code\",\"closure\",\"regexp\",\"number\",\"native\",\"synthetic\"],"
    "\"string\",\"number\",\"number\",\"number\",\"number\"],"
    "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],"
    "\"edge_types\":[[\"context\",\"element\",\"property\",\"internal\",\"hidden\",\"shortcut\",\"weak\"],\"string_or_number\",\"node\"]},"
    "\"node_count\":9,\"edge_count\":9,\"extra_native_bytes\":4096},\n"
    "\"nodes\":[9,1,1,0,3,0, 9,2,3,0,1,0, 3,4,5,16,1,0, 8,5,7,32,2,2, 8,6,9,32,0,0, 8,7,11,64,1,1, 8,8,13,40,0,0, 9,3,15,0,1,0, 9,14,17,24,0,0],\n"
    "\"edges\":[1,1,6, 5,13,12, 1,2,48, 1,1,42, 2,9,18, 3,10,24, 3,11,30, 3,12,36, 1,1,30],\n"
    "\"strings\":[\"<dummy>\",\"\",\"(GC roots)\",\"(Global handles)\",\"Window\",\"HTMLDivElement\",\"HTMLSpanElement\",\"Document\","
    "\"HTMLBodyElement\",\"div\",\"parent\",\"doc\",\"body\",\"1\",\"C++ roots\"]}";

static const loaded_object *by_id(const loaded *view, uint64_t id)
{
    for (size_t i = 0; i < view->object_count; i++)
        if (view->objects[i].id == id) return &view->objects[i];
    return NULL;
}

Test(heapsnapshot, keeps_what_is_detached_and_the_roots_of_a_page)
{
    static const hsd_import_options usual;
    hsd_import_result result;
    loaded before, after;
    FILE *file = fopen(snapshot, "wb");
    cr_assert(file != NULL && fwrite(page, 1, sizeof page - 1, file) == sizeof page - 1);
    fclose(file);
    cr_assert_eq(hsd_import_file(snapshot, path, true, &usual, NULL, &result, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(loaded_import(&before, page, sizeof page - 1, &usual, NULL, &err), HSD_OK, "%s", err.text);
    round_trip(&after);
    for (uint64_t id = 5; id <= 17; id += 2) {
        const loaded_object *was = by_id(&before, id), *is = by_id(&after, id);
        if (id == 15) continue; /* a group of roots */
        cr_assert(was != NULL && is != NULL, "object %llu", (unsigned long long)id);
        cr_assert_str_eq(is->type, was->type);
        cr_assert(is->size == was->size && is->flags == was->flags && is->reference_count == was->reference_count);
    }
    cr_assert_str_eq(by_id(&after, 9)->type, "Detached HTMLSpanElement");
    cr_assert_str_eq(by_id(&after, 13)->type, "HTMLBodyElement");
    cr_assert_eq(after.root_count, before.root_count);
    for (size_t i = 0; i < before.root_count; i++) {
        const loaded_root *root = &before.roots[i];
        const loaded_object *target = by_id(&after, before.objects[root->target].id);
        cr_assert(loaded_has_root(&after, root->kind, root->label, (uint64_t)(target - after.objects)), "root %s", root->label);
    }
    cr_assert_eq(after.native_used, 4096);
    loaded_release(&before);
    loaded_release(&after);
}

/* ---- memory ---- */

static void write_many(uint64_t count)
{
    hsc_options options;
    hsc_writer *w;
    test_random random = {5};
    hsc_options_init(&options);
    options.identity = HSC_IDENTITY_ADDRESS;
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    hsc_define_type(w, 1, "Many", 4, 0);
    hsc_define_string(w, 1, "next", 4);
    hsc_define_label(w, 1, HSC_LABEL_FIELD, 0, 1);
    hsc_define_label(w, 2, HSC_LABEL_ELEMENT, HSC_STRENGTH_WEAK, 0);
    for (uint64_t i = 1; i <= count; i++) {
        hsc_begin_object(w, &(hsc_object){.id = i << 20, .type = 1, .size_bytes = 16 + i % 64});
        for (uint64_t k = test_below(&random, 5); k > 0; k--) hsc_reference(w, (1 + test_below(&random, count)) << 20, 1, 0);
        if (i % 16 == 0) hsc_reference(w, (1 + test_below(&random, count)) << 20, 2, i);
        hsc_end_object(w);
        if (i % 1000 == 0) hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STACK, .target = i << 20});
    }
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
}

Test(heapsnapshot, writes_the_same_bytes_with_little_memory)
{
    const hsd_run much = {.memory_bytes = UINT64_C(1) << 30}, little = {.memory_bytes = HSD_MEMORY_MIN_BYTES};
    size_t a_size, b_size;
    write_many(300000);
    export_with(NULL, &much);
    char *a = read_snapshot(&a_size);
    export_with(NULL, &little);
    char *b = read_snapshot(&b_size);
    cr_assert(a_size == b_size && memcmp(a, b, a_size) == 0);
    free(a);
    free(b);
}

Test(heapsnapshot, refuses_a_pair)
{
    write_many(10);
    hsd_capture *capture = open_capture(NULL);
    cr_assert_eq(hsd_export_file(capture, capture, snapshot, NULL, NULL, NULL, &err), HSD_E_UNSUPPORTED);
    cr_assert_neq(access(snapshot, F_OK), 0);
    hsd_capture_close(capture);
}

/* ---- when something fails ---- */

static hsd_status try_export(hsd_capture *capture)
{
    const hsd_run run = {.memory_bytes = HSD_MEMORY_MIN_BYTES};
    return hsd_export_file(NULL, capture, snapshot, NULL, &run, NULL, &err);
}

/* Each call in turn: the export fails with that status, and leaves nothing. */
static void fail_at_each(hsd_capture *capture, hsd_fault_family family, hsd_status expected)
{
    remove(snapshot);
    hsd_fault_reset();
    cr_assert_eq(try_export(capture), HSD_OK, "%s", err.text);
    const uint64_t calls = hsd_fault_calls(family), step = calls / 60 + 1;
    uint64_t failed = 0;
    for (uint64_t at = 1; at <= calls; at += step) {
        remove(snapshot);
        hsd_fault_reset();
        hsd_fault_arm(family, at, false, ENOSPC);
        const hsd_status status = try_export(capture);
        hsd_fault_reset();
        if (status == HSD_OK) continue; /* what can be done without: a sorter takes less */
        failed++;
        cr_assert_eq(status, expected, "%s call %llu: status %d", hsd_fault_name(family), (unsigned long long)at, (int)status);
        cr_assert_neq(access(snapshot, F_OK), 0);
    }
    cr_assert_gt(failed, 0);
}

Test(heapsnapshot, leaves_nothing_behind_when_something_fails)
{
    write_many(40000); /* enough for temporary files */
    hsd_capture *capture = open_capture(NULL);
    fail_at_each(capture, HSD_FAULT_MALLOC, HSD_E_NOMEM);
    fail_at_each(capture, HSD_FAULT_PWRITE, HSD_E_IO);
    fail_at_each(capture, HSD_FAULT_WRITE, HSD_E_IO);
    hsd_capture_close(capture);
}

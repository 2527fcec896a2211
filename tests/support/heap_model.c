/*
 * Random small heaps and their captures.
 */
#include "support/heap_model.h"

#include <stdio.h>
#include <string.h>

static uint64_t random_size(test_random *random)
{
    return test_below(random, 10) == 0 ? 0 : 8 * test_below(random, 1000);
}

static model_reference random_reference(const model_heap *heap, test_random *random)
{
    static const model_label labels[] = {MODEL_STRONG, MODEL_STRONG, MODEL_STRONG, MODEL_ANOTHER, MODEL_ITEM,
                                         MODEL_FOLD,   MODEL_WEAK,   MODEL_SOFT,   MODEL_NAMED,   MODEL_STATIC};
    const uint64_t any = test_below(random, heap->object_count + 1u);
    return (model_reference){
        .target = any < heap->object_count ? heap->objects[any].id : UINT64_C(0xdead),
        .label = labels[test_below(random, sizeof labels / sizeof labels[0])],
    };
}

static void random_references(const model_heap *heap, model_object *object, test_random *random)
{
    object->reference_count = (uint32_t)test_below(random, 5);
    for (uint32_t i = 0; i < object->reference_count; i++)
        object->references[i] = random_reference(heap, random);
}

static model_object random_object(uint64_t id, test_random *random)
{
    return (model_object){
        .id = id,
        .size_bytes = random_size(random),
        .type = (uint32_t)test_below(random, MODEL_TYPES),
        .flags = test_below(random, 12) == 0 ? HSC_OBJECT_PSEUDO : 0,
        .has_name = test_below(random, 2) == 0,
    };
}

static void random_roots(model_heap *heap, test_random *random)
{
    heap->root_count = 1 + (uint32_t)test_below(random, MODEL_MAX_ROOTS);
    for (uint32_t i = 0; i < heap->root_count; i++) {
        heap->roots[i].target = random_reference(heap, random).target;
        heap->roots[i].name = (uint32_t)test_below(random, MODEL_ROOT_NAMES);
        heap->roots[i].is_secondary = test_below(random, 4) == 0;
    }
}

model_heap model_random(test_random *random)
{
    model_heap heap = {.object_count = (uint32_t)test_below(random, MODEL_MAX_OBJECTS - 8)};
    const uint64_t step = test_below(random, 4) == 0 ? UINT64_MAX / 64 : 16;
    for (uint32_t i = 0; i < heap.object_count; i++)
        heap.objects[i] = random_object(step * (i + 1), random);
    for (uint32_t i = 0; i < heap.object_count; i++)
        random_references(&heap, &heap.objects[i], random);
    random_roots(&heap, random);
    return heap;
}

static void change_object(const model_heap *heap, model_object *object, test_random *random)
{
    switch (test_below(random, 8)) {
    case 0: object->size_bytes = random_size(random); break;
    case 1: random_references(heap, object, random); break;
    case 2: object->type = (uint32_t)test_below(random, MODEL_TYPES); break; /* the id was used again */
    case 3: object->flags ^= test_below(random, 4) == 0 ? HSC_OBJECT_PSEUDO : 0; break;
    default: break;
    }
}

model_heap model_later(const model_heap *heap, test_random *random)
{
    model_heap later = {0};
    for (uint32_t i = 0; i < heap->object_count; i++) {
        if (test_below(random, 6) != 0) later.objects[later.object_count++] = heap->objects[i];
    }
    const uint32_t room = MODEL_MAX_OBJECTS - later.object_count;
    const uint32_t added = (uint32_t)test_below(random, room < 12 ? room + 1 : 12);
    for (uint32_t i = 0; i < added; i++) {
        later.objects[later.object_count++] = random_object(UINT64_C(0x100001) + i, random);
    }
    for (uint32_t i = 0; i < later.object_count; i++)
        change_object(&later, &later.objects[i], random);
    for (uint32_t i = 0; i < added; i++) {
        random_references(&later, &later.objects[later.object_count - 1 - i], random);
    }
    if (test_below(random, 3) == 0)
        random_roots(&later, random);
    else {
        later.root_count = heap->root_count;
        memcpy(later.roots, heap->roots, sizeof later.roots);
    }
    return later;
}

static bool is_there(const model_heap *heap, uint64_t id)
{
    for (uint32_t i = 0; i < heap->object_count; i++) {
        if (heap->objects[i].id == id) return true;
    }
    return false;
}

bool model_has_graph(const model_heap *heap)
{
    bool has_references = false, has_roots = false;
    for (uint32_t i = 0; i < heap->object_count; i++) {
        const model_object *object = &heap->objects[i];
        for (uint32_t r = 0; r < object->reference_count; r++) {
            has_references |= is_there(heap, object->references[r].target);
        }
    }
    for (uint32_t i = 0; i < heap->root_count; i++)
        has_roots |= is_there(heap, heap->roots[i].target);
    return has_references && has_roots;
}

model_form model_random_form(test_random *random)
{
    return (model_form){
        .by_ordinal = test_below(random, 2) == 0,
        .separate_edges = test_below(random, 3) == 0,
        .tables_last = test_below(random, 2) == 0,
        .shuffle = test_next(random),
        .compression = (int)test_below(random, 2),
        .identity = HSC_IDENTITY_EXACT,
    };
}

/* ---- writing ---- */

typedef struct writing {
    const model_heap *heap;
    const model_form *form;
    hsc_writer *w;
    uint32_t order[MODEL_MAX_OBJECTS]; /* position in the file -> object */
    bool is_good;
} writing;

static void good(writing *x, hsc_status status)
{
    if (status == HSC_OK || !x->is_good) return;
    fprintf(stderr, "the writer refused (%d): %s\n", status, hsc_error_text(x->w));
    x->is_good = false;
}

static uint32_t flags_of(uint32_t type)
{
    return type == MODEL_PART_TYPE ? HSC_TYPE_PART : type == MODEL_INTERNAL_TYPE ? HSC_TYPE_INTERNAL : 0;
}

static void write_labels(writing *x)
{
    static const struct {
        hsc_label_kind kind;
        uint32_t flags, name;
    } labels[MODEL_LABELS] = {
        [MODEL_STRONG] = {HSC_LABEL_FIELD, HSC_STRENGTH_STRONG, 4},
        [MODEL_WEAK] = {HSC_LABEL_FIELD, HSC_STRENGTH_WEAK, 4},
        [MODEL_SOFT] = {HSC_LABEL_FIELD, HSC_STRENGTH_SOFT, 4},
        [MODEL_NAMED] = {HSC_LABEL_FIELD, HSC_LABEL_NAMED_ROOT, 4},
        [MODEL_STATIC] = {HSC_LABEL_STATIC, HSC_LABEL_NAMED_ROOT, 4},
        [MODEL_ANOTHER] = {HSC_LABEL_FIELD, 0, 20},
        [MODEL_ITEM] = {HSC_LABEL_ELEMENT, 0, 0},
        [MODEL_FOLD] = {HSC_LABEL_FIELD, HSC_LABEL_FOLD, 21},
    };
    for (uint32_t i = 0; i < MODEL_LABELS; i++) {
        good(x, hsc_define_label(x->w, i + 1, labels[i].kind, labels[i].flags, labels[i].name));
    }
}

/* Strings: 1..3 names of objects, 4 the name of labels, 5.. names of roots, 20 and 21 names of other labels. */
static void write_tables(writing *x)
{
    char name[16];
    for (uint32_t i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "N%u", i);
        good(x, hsc_define_string(x->w, 1 + i, name, strlen(name)));
    }
    good(x, hsc_define_string(x->w, 4, "field", 5));
    good(x, hsc_define_string(x->w, 20, "another", 7));
    good(x, hsc_define_string(x->w, 21, "inside", 6));
    for (uint32_t i = 1; i < MODEL_ROOT_NAMES; i++) {
        snprintf(name, sizeof name, "root%u", i);
        good(x, hsc_define_string(x->w, 5 + i, name, strlen(name)));
    }
    for (uint32_t t = 0; t < MODEL_TYPES; t++) {
        snprintf(name, sizeof name, "T%u", t);
        good(x, hsc_define_type(x->w, t + 1, name, strlen(name), flags_of(t)));
    }
    write_labels(x);
}

static void shuffle(writing *x)
{
    test_random random = {x->form->shuffle};
    for (uint32_t i = 0; i < x->heap->object_count; i++)
        x->order[i] = i;
    for (uint32_t i = x->heap->object_count; i > 1; i--) {
        const uint32_t other = (uint32_t)test_below(&random, i);
        const uint32_t keep = x->order[i - 1];
        x->order[i - 1] = x->order[other];
        x->order[other] = keep;
    }
}

/* The object's number as references name it; false when it is not there and cannot be named. */
static bool name_target(const writing *x, uint64_t id, uint64_t *out)
{
    *out = id;
    if (!x->form->by_ordinal) return true;
    for (uint32_t i = 0; i < x->heap->object_count; i++) {
        *out = i;
        if (x->heap->objects[x->order[i]].id == id) return true;
    }
    return false;
}

static bool goes_apart(const writing *x, const model_reference *reference)
{
    return x->form->separate_edges && reference->label == MODEL_STRONG;
}

static void write_object(writing *x, const model_object *object)
{
    const hsc_object record = {
        .id = object->id,
        .size_bytes = object->size_bytes,
        .content = object->content,
        .type = object->type + 1,
        .flags = object->flags,
        .name = object->has_name ? 1 + (uint32_t)(object->id % 3) : 0,
    };
    good(x, hsc_begin_object(x->w, &record));
    for (uint32_t i = 0; i < object->reference_count; i++) {
        uint64_t target;
        const model_reference *reference = &object->references[i];
        if (goes_apart(x, reference) || !name_target(x, reference->target, &target)) continue;
        good(x, hsc_reference(x->w, target, (uint32_t)reference->label + 1, 0));
    }
    good(x, hsc_end_object(x->w));
}

static void write_edges(writing *x, const model_object *object)
{
    uint64_t source, target;
    name_target(x, object->id, &source);
    for (uint32_t i = 0; i < object->reference_count; i++) {
        const model_reference *reference = &object->references[i];
        if (!goes_apart(x, reference) || !name_target(x, reference->target, &target)) continue;
        good(x, hsc_edge(x->w, source, target, (uint32_t)reference->label + 1, 0));
    }
}

static void write_roots(writing *x)
{
    for (uint32_t i = 0; i < x->heap->root_count; i++) {
        const uint32_t at = x->form->shuffle % 2 == 0 ? i : x->heap->root_count - 1 - i;
        const model_root *root = &x->heap->roots[at];
        uint64_t target;
        if (!name_target(x, root->target, &target)) continue;
        good(x, hsc_root(x->w, &(hsc_root_record){.kind = HSC_ROOT_STACK,
                                                  .target = target,
                                                  .flags = root->is_secondary ? HSC_ROOT_SECONDARY : 0,
                                                  .label = root->name == 0 ? 0 : 5 + root->name}));
    }
}

bool model_write(const model_heap *heap, const model_form *form, const char *path)
{
    writing x = {.heap = heap, .form = form, .is_good = true};
    hsc_options options;
    hsc_options_init(&options);
    options.producer = "test";
    options.identity = form->identity;
    options.compression = form->compression;
    options.targets_are_ordinals = form->by_ordinal;
    options.memory_bytes = 64 << 10;
    options.taken_unix_ns = 1 + form->moment;
    options.domain[0] = form->domain;
    options.started_unix_ns = form->started;
    if (form->started != 0) options.pid = 4121;
    remove(path);
    if (hsc_open_file(&x.w, path, &options) != HSC_OK) return false;
    shuffle(&x);
    if (!form->tables_last) write_tables(&x);
    for (uint32_t i = 0; i < heap->object_count; i++)
        write_object(&x, &heap->objects[x.order[i]]);
    for (uint32_t i = 0; i < heap->object_count; i++)
        write_edges(&x, &heap->objects[x.order[i]]);
    write_roots(&x);
    if (form->tables_last) write_tables(&x);
    good(&x, hsc_finish(x.w));
    hsc_close(x.w);
    return x.is_good;
}

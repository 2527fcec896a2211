/*
 * Heap snapshots out of captures, held against what the importer of snapshots reads in them: small random heaps in
 * every form of a capture, with an oracle of its own. What is told of ids, names and memory: test_heapsnapshot_forms.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/capture_view.h"
#include "support/heap_model.h"
#include "unit/export/heapsnapshot_case.h"

TestSuite(heapsnapshot, .init = begin_test, .fini = end_test, .timeout = 300);

/* ---- random heaps, by definition ---- */

static struct {
    const model_heap *heap;
    bool by_ordinal;
    uint32_t order[MODEL_MAX_OBJECTS]; /* place in the file -> object of the model */
    uint32_t place[MODEL_MAX_OBJECTS]; /* and back */
    uint32_t groups, named;
    uint32_t first; /* ordinal in the snapshot of the first object */
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
    if (root->name == 0)
        snprintf(name, capacity, "(stacks)");
    else
        snprintf(name, capacity, "root%u", (unsigned)root->name);
}

static bool is_new_group(uint32_t root)
{
    const model_root *roots = known.heap->roots;
    if (object_of(roots[root].target) == NOWHERE) return false;
    for (uint32_t i = 0; i < root; i++)
        if (object_of(roots[i].target) != NOWHERE && roots[i].name == roots[root].name &&
            roots[i].is_secondary == roots[root].is_secondary)
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
    for (uint32_t i = 0; i < heap->root_count; i++)
        known.groups += is_new_group(i);
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
        [MODEL_STRONG] = "0 field", [MODEL_WEAK] = "weak",         [MODEL_SOFT] = "0 field", [MODEL_NAMED] = "0 field",
        [MODEL_STATIC] = "0 field", [MODEL_ANOTHER] = "0 another", [MODEL_ITEM] = "1 ",      [MODEL_FOLD] = "0 inside",
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
        if ((r->flags & HSC_STRENGTH_MASK) == HSC_STRENGTH_WEAK)
            snprintf(out[count++].name, sizeof out->name, "weak");
        else
            snprintf(out[count++].name, sizeof out->name, "%u %.16s", (unsigned)r->kind, r->name);
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
        if (object_of(known.heap->roots[i].target) != NOWHERE)
            model_reach(object_of(known.heap->roots[i].target), wanted);
    for (size_t i = 0; i < view->root_count; i++)
        reach(view, (uint32_t)view->roots[i].target, found);
    for (uint32_t i = 0; i < known.heap->object_count; i++)
        cr_assert_eq(found[known.first + known.place[i]], wanted[i], "object %u is %slive", i, wanted[i] ? "not " : "");
}

/* A primary root hangs from a node that is called as it is, and that is a root; a secondary one is a root of that name.
 */
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
            for (size_t k = 0; k < group->reference_count; k++)
                found += group->references[k].target == target;
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
    cr_assert(view.object_count == least || view.object_count == least + 1, "%zu nodes, not %zu", view.object_count,
              least);
    for (uint32_t place = 0; place < heap->object_count; place++)
        check_object(&view, place);
    check_live(&view);
    for (uint32_t i = 0; i < heap->root_count; i++)
        check_root(&view, &heap->roots[i]);
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

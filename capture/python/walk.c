/*
 * The walk, in this order, which is the same for every capture of a heap:
 *
 *      modules with their dicts    so that each is known as what it is
 *      lists of the collector      all that it follows but plain dicts: an instance writes its dict itself
 *      lists of the collector      dicts that nobody has written
 *      what else was referred to   objects that are in no list: those of a collection that is under way
 *
 * What the collector does not follow waits in a queue from the reference that led to it until the object that refers is
 * written.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "python_agent.h"

enum { ROLE_BITS = 3, UNCOUNTED = 4, REFERENCE_BITS = 7 }; /* below the address of an object */
enum { FIRST_QUEUE = 1 << 16, GENERATIONS = 3, GENERATION_BYTES = 24 };
enum { GENERATION_PERMANENT = 3, GENERATION_NONE = 4 };

/* The writer is asked now and then: what is written behind an error goes nowhere. */
bool walk_is_over(walk *w)
{
    enum { STEPS = 256 };
    if (w->failure == NULL && ++w->steps % STEPS == 0 && hsc_error_text(w->writer)[0] != '\0')
        w->failure = "the capture could not be written";
    return w->failure != NULL;
}

/* ---- the queue ---- */

static bool grow_queue(walk *w)
{
    const size_t room = w->queue_room == 0 ? FIRST_QUEUE : w->queue_room * 2, bytes = room * sizeof *w->queue;
    void *queue = w->queue == NULL
                      ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                      : mremap(w->queue, w->queue_room * sizeof *w->queue, bytes, MREMAP_MAYMOVE);
    if (queue == MAP_FAILED) {
        w->failure = "no memory for the objects that wait";
        return false;
    }
    w->queue = queue;
    w->queue_room = room;
    return true;
}

static void put_walk(walk *w, py_object *object, role as)
{
    if (w->waiting == w->queue_room && !grow_queue(w)) return;
    w->queue[w->waiting++] = (uintptr_t)object | (uintptr_t)as;
}

/* ---- references ---- */

static uint64_t *meet(walk *w, py_object *object, role as)
{
    bool is_new;
    uint64_t *slot = visited_slot(&w->seen, object, &is_new);
    if (slot == NULL) {
        w->failure = "no memory for the set of objects that were met";
        return NULL;
    }
    if (is_new ? as != ROLE_NONE || !py_is_tracked(object) : as != ROLE_NONE && !visited_is_written(*slot))
        put_walk(w, object, as);
    return slot;
}

static void count(walk *w, uint64_t *slot)
{
    if (!visited_add(&w->seen, slot, 1)) w->failure = "no memory for counts of references";
}

static void look_up(walk *w, uintptr_t reference)
{
    uint64_t *slot = meet(w, (py_object *)(reference & ~(uintptr_t)REFERENCE_BITS), (role)(reference & ROLE_BITS));
    if (slot != NULL && (reference & UNCOUNTED) == 0) count(w, slot);
}

static void look_up_pending(walk *w)
{
    for (; w->pending_count > 0; w->pending_count--) {
        const size_t at = w->pending_first;
        w->pending_first = (at + 1) % PENDING;
        look_up(w, w->pending[at]);
    }
}

/* Of a reference the target and the target's slot are in no cache: without waiting for them a walk takes half the time.
 */
static void later(walk *w, py_object *target, uintptr_t bits)
{
    __builtin_prefetch(py_gc_of(target));
    visited_fetch(&w->seen, target);
    if (w->pending_count == PENDING) {
        look_up(w, w->pending[w->pending_first]);
        w->pending[w->pending_first] = (uintptr_t)target | bits;
        w->pending_first = (w->pending_first + 1) % PENDING;
        return;
    }
    w->pending[(w->pending_first + w->pending_count++) % PENDING] = (uintptr_t)target | bits;
}

static void refer(walk *w, py_object *target, uint32_t label, uint64_t index, uintptr_t bits)
{
    if (target == NULL) return;
    later(w, target, bits);
    if (w->out_count == OUT_ROWS) edges_flush(w);
    w->targets[w->out_count] = (uint64_t)(uintptr_t)target;
    w->labels[w->out_count] = label;
    w->indexes[w->out_count++] = index;
}

void walk_refer(walk *w, py_object *target, uint32_t label, uint64_t index) { refer(w, target, label, index, 0); }
void walk_refer_role(walk *w, py_object *target, uint32_t label, role as) { refer(w, target, label, 0, as); }
void walk_refer_uncounted(walk *w, py_object *target, uint32_t label) { refer(w, target, label, 0, UNCOUNTED); }

bool walk_meet(walk *w, py_object *object, bool is_counted)
{
    uint64_t *slot = object == NULL ? NULL : meet(w, object, ROLE_NONE);
    if (slot != NULL && is_counted) count(w, slot);
    return slot != NULL;
}

/* ---- objects ---- */

static uint64_t items_in(const py_object *object)
{
    const intptr_t size = ((const py_sized *)object)->size;
    return (uint64_t)(size < 0 ? 0 : size);
}

/* Of any other object no more than its head is read: nothing may be mapped behind it. */
static uint64_t elements_of(const plan *p, const py_object *object)
{
    switch (p->kind) {
    case PLAN_LIST:
    case PLAN_TUPLE: return items_in(object);
    case PLAN_DICT: return (uint64_t)((const py_dict *)object)->used;
    case PLAN_SET: return (uint64_t)((const py_set *)object)->used;
    default: return 0;
    }
}

static bool has_own_name(const plan *p)
{
    return p->kind == PLAN_FUNCTION || p->kind == PLAN_METHOD || p->kind == PLAN_GENERATOR || p->kind == PLAN_FRAME;
}

static uint32_t type_of(walk *w, const plan *p, const py_object *object, role as)
{
    if (as == ROLE_INSTANCE_DICT && p->kind == PLAN_DICT && p->is_exact)
        return names_put(&w->names, NAME_PART_TYPE, "dict of an instance", 19);
    return has_own_name(p) ? plans_function_type(w, p, object) : p->number;
}

static void write_one(walk *w, py_object *object, role as, uint32_t name, uint32_t generation)
{
    const plan *p = plans_of(w, object->type);
    if (p == NULL) {
        w->failure = "no memory for what is known of types";
        return;
    }
    const sizes size = sizes_of(w, p, object);
    const hsc_object record = {.id = (uint64_t)(uintptr_t)object,
                               .size_bytes = size.bytes,
                               .native_bytes = size.outside,
                               .type = type_of(w, p, object, as),
                               .elements = elements_of(p, object),
                               .category = w->generation_string[generation],
                               .name = name};
    hsc_begin_object(w->writer, &record);
    edges_of(w, p, object, as);
    hsc_end_object(w->writer);
}

/* Is it to be written now? */
static bool claim(walk *w, py_object *object)
{
    uint64_t *slot = meet(w, object, ROLE_NONE);
    if (slot == NULL || !visited_write(slot)) return false;
    roots_account(w, object, slot);
    return true;
}

/* A class, and its dict, whose entries start owners of their own if the class is one that lasts. */
static void write_class(walk *w, py_object *object, uint32_t generation)
{
    char text[NAME_BYTES];
    const py_type *type = (const py_type *)object;
    const uint32_t name = names_put(&w->names, NAME_STRING, text, plans_type_name(&w->py, type, text));
    write_one(w, object, ROLE_NONE, name, generation);
    if (type->dict != NULL && type->dict->type == w->py.types.dict && claim(w, type->dict))
        write_one(w, type->dict, roots_is_named(w, type) ? ROLE_CLASS_DICT : ROLE_LOOSE_CLASS_DICT, name,
                  GENERATION_NONE);
}

static void write_any(walk *w, py_object *object, role as, uint32_t name, uint32_t generation)
{
    if (py_is(object->type, PY_IS_TYPE))
        write_class(w, object, generation);
    else
        write_one(w, object, as, name, generation);
}

/* What waits is written; what is not looked up yet may stay so for the next object. */
static void drain_some(walk *w)
{
    while (w->waiting > 0 && !walk_is_over(w)) {
        const uintptr_t next = w->queue[--w->waiting];
        py_object *object = (py_object *)(next & ~(uintptr_t)REFERENCE_BITS);
        if (claim(w, object)) write_any(w, object, (role)(next & ROLE_BITS), 0, GENERATION_NONE);
    }
}

static void drain(walk *w)
{
    do {
        look_up_pending(w);
        drain_some(w);
    } while ((w->waiting > 0 || w->pending_count > 0) && !walk_is_over(w));
}

void walk_write(walk *w, py_object *object, role as, uint32_t name)
{
    if (object == NULL) return;
    if (claim(w, object)) write_any(w, object, as, name, GENERATION_NONE);
    drain(w);
}

/* ---- lists of the collector ---- */

typedef void (*each_fn)(walk *w, py_object *object, uint32_t generation);

static py_gc_head *head_of(const walk *w, void *interpreter, uint32_t generation)
{
    const layout *at = w->py.at;
    char *state = at->interp_gc != 0 ? (char *)interpreter + at->interp_gc : w->py.runtime + at->runtime_gc;
    return (py_gc_head *)(state + (generation == GENERATION_PERMANENT
                                       ? at->gc_permanent
                                       : at->gc_generations + generation * GENERATION_BYTES));
}

static py_gc_head *next_of(const py_gc_head *head) { return (py_gc_head *)(head->next & ~(uintptr_t)3); }

/* Lists that are not what the layout says are seen before one is followed: each head's neighbours point back to it. */
static bool is_list(const py_gc_head *head)
{
    const py_gc_head *next = next_of(head), *previous = (const py_gc_head *)(head->prev & ~(uintptr_t)3);
    return next != NULL && previous != NULL && ((uintptr_t)next & 7) == 0 &&
           (const py_gc_head *)(next->prev & ~(uintptr_t)3) == head && next_of(previous) == head;
}

static void each_tracked(walk *w, void *interpreter, each_fn each)
{
    for (uint32_t g = 0; g <= GENERATION_PERMANENT; g++) {
        py_gc_head *head = head_of(w, interpreter, g);
        for (py_gc_head *at = next_of(head), *next; at != head && !walk_is_over(w); at = next) {
            next = next_of(at);
            __builtin_prefetch(next);
            visited_fetch(&w->seen, (py_object *)(next + 1));
            each(w, (py_object *)(at + 1), g);
        }
    }
}

static void write_but_dicts(walk *w, py_object *object, uint32_t generation)
{
    w->tracked++;
    if (object->type == w->py.types.dict || !claim(w, object)) return;
    write_any(w, object, ROLE_NONE, 0, generation);
    drain_some(w);
}

static void write_dicts(walk *w, py_object *object, uint32_t generation)
{
    if (object->type != w->py.types.dict || !claim(w, object)) return;
    write_one(w, object, ROLE_NONE, 0, generation);
    drain_some(w);
}

/* What was referred to and is in no list. */
static void write_others(walk *w)
{
    for (size_t before = 0; before != w->seen.count && !walk_is_over(w);) {
        before = w->seen.count;
        for (size_t i = 0; i < w->seen.capacity && !walk_is_over(w); i++) {
            const uint64_t slot = w->seen.slots[i];
            if (slot == 0 || visited_is_written(slot)) continue;
            walk_write(w, visited_object(slot), ROLE_NONE, 0);
        }
    }
}

/* ---- interpreters ---- */

/* From 3.12 on an interpreter may have a lock of its own, and runs while this walk does. */
static bool shares_lock(const walk *w, void *interpreter)
{
    const uint32_t own_gil = w->py.at->interp_own_gil;
    return own_gil == 0 || w->py.interpreter_number(interpreter) == 0 || py_int_at(interpreter, own_gil) == 0;
}

bool walk_is_ours(const walk *w, void *interpreter)
{
    void *current = w->py.current_interpreter();
    return interpreter == current || (shares_lock(w, interpreter) && shares_lock(w, current));
}

static void each_interpreter(walk *w, void (*each)(walk *, void *))
{
    void *interpreter = w->py.first_interpreter();
    for (; interpreter != NULL && !walk_is_over(w); interpreter = w->py.next_interpreter(interpreter))
        if (walk_is_ours(w, interpreter)) each(w, interpreter);
}

static void check_walk(walk *w, void *interpreter)
{
    for (uint32_t g = 0; g <= GENERATION_PERMANENT; g++)
        if (!is_list(head_of(w, interpreter, g)))
            w->failure = "the lists of this interpreter's collector do not lie where its version has them: it is not "
                         "built as usual";
}

static void first_pass(walk *w, void *interpreter)
{
    each_tracked(w, interpreter, write_but_dicts);
    drain(w);
}

static void second_pass(walk *w, void *interpreter)
{
    each_tracked(w, interpreter, write_dicts);
    drain(w);
}

static void name_generations(walk *w)
{
    static const char *const texts[] = {"gc generation 0", "gc generation 1", "gc generation 2",
                                        "gc permanent generation", "not followed by the gc"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        w->generation_string[i] = names_put(&w->names, NAME_STRING, texts[i], strlen(texts[i]));
}

static void count_others(walk *w)
{
    for (void *interpreter = w->py.first_interpreter(); interpreter != NULL;
         interpreter = w->py.next_interpreter(interpreter))
        w->other_interpreters += !walk_is_ours(w, interpreter);
}

void walk_all(walk *w)
{
    count_others(w);
    name_generations(w);
    each_interpreter(w, check_walk);
    each_interpreter(w, roots_modules);
    each_interpreter(w, roots_interpreter);
    each_interpreter(w, frames_of_threads);
    each_interpreter(w, first_pass);
    each_interpreter(w, second_pass);
    write_others(w);
    each_interpreter(w, roots_tasks);
    if (!walk_is_over(w)) roots_held(w);
}

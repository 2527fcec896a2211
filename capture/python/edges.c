/*
 * What an object refers to, by name. Containers are read as they lie. Of anything else the members that have names are
 * candidates; its tp_traverse then tells what it holds, and each reference gets the name of a candidate with the same
 * target. Candidates that traverse does not tell are held all the same (names of functions, constants of code, which
 * are in no cycle) and come behind.
 */
#include <string.h>

#include "python_agent.h"
#include "structures.h"

/* ---- dicts ---- */

enum { COPIED_MOST = 64, COPIED_NAME_BYTES = 128 };

/* The values of such a dict stand in its instance, which in 3.13 tells them too. */
static bool is_beside_instance(const walk *w, const py_dict *dict)
{
    enum { EMBEDDED_AT = 2 };
    return w->py.at->minor == 13 && dict->values != NULL && dict->values[EMBEDDED_AT] != 0;
}

/*
 * functools.wraps copies the attributes of what is wrapped, and notes what that is: the copies hold nothing that it
 * does not. Without this a list of a middleware of Django, an object that is wrapped in a function, was an attribute of
 * that function, and its class in no path. NULL: nothing is wrapped, or by what has more attributes than people write.
 */
static const py_object *wrapped_by(const walk *w, const py_object *dict)
{
    if (py_dict_entries(&w->py, (const py_dict *)dict).left > COPIED_MOST) return NULL;
    const py_object *wrapped = py_dict_find(&w->py, dict, "__wrapped__");
    const py_object *own = wrapped == NULL ? NULL : py_instance_dict(&w->py, wrapped);
    const bool is_large =
        own != NULL && py_is(own->type, PY_IS_DICT) && py_dict_entries(&w->py, (const py_dict *)own).left > COPIED_MOST;
    return is_large ? NULL : wrapped;
}

static bool is_copied(const walk *w, const py_object *wrapped, const py_object *key, const py_object *value)
{
    size_t size;
    char name[COPIED_NAME_BYTES];
    const char *text = wrapped == NULL || value == wrapped ? NULL : py_ascii(&w->py, key, &size);
    if (text == NULL || size >= sizeof name) return false;
    memcpy(name, text, size);
    name[size] = '\0';
    return py_attribute(&w->py, wrapped, name) == value;
}

static void dict_entries(walk *w, py_object *dict, role as)
{
    static const struct {
        name_kind kind, held;
    } kinds[] = {[ROLE_NONE] = {NAME_VALUE, NAME_VALUE},
                 [ROLE_INSTANCE_DICT] = {NAME_FIELD, NAME_FIELD},
                 [ROLE_MODULE_DICT] = {NAME_FIELD, NAME_GLOBAL},
                 [ROLE_CLASS_DICT] = {NAME_FIELD, NAME_GLOBAL},
                 [ROLE_LOOSE_CLASS_DICT] = {NAME_FIELD, NAME_FIELD},
                 [ROLE_THREADS] = {NAME_VALUE, NAME_VALUE}};
    const python_types *t = &w->py.types;
    py_object *key, *value;
    const bool is_counted = !is_beside_instance(w, (const py_dict *)dict);
    const py_object *wrapped = as == ROLE_INSTANCE_DICT ? wrapped_by(w, dict) : NULL;
    for (py_entries all = py_dict_entries(&w->py, (const py_dict *)dict); py_next_entry(&all, &key, &value);) {
        const bool is_program = value->type == t->function || value->type == t->module ||
                                value->type == t->builtin_function || py_is(value->type, PY_IS_TYPE);
        const uint32_t label =
            as == ROLE_THREADS ? frames_thread_label(w, value)
            : is_copied(w, wrapped, key, value)
                ? LABEL_COPIED
                : names_key(&w->names, &w->py, is_program ? kinds[as].kind : kinds[as].held, key, LABEL_VALUE);
        if (is_counted)
            walk_refer(w, value, label, 0);
        else
            walk_refer_uncounted(w, value, label);
        walk_refer(w, key, LABEL_KEY, 0);
    }
}

/* ---- sequences and sets ---- */

static py_object *const *items_of(const walk *w, const plan *p, const py_object *object, size_t *count)
{
    const intptr_t size = ((const py_sized *)object)->size;
    *count = size > 0 ? (size_t)size : 0;
    if (p->kind == PLAN_LIST) return ((const py_list *)object)->items;
    return (py_object *const *)((const char *)object + w->py.at->tuple_items);
}

static void items(walk *w, const plan *p, py_object *object)
{
    size_t count;
    py_object *const *all = items_of(w, p, object, &count);
    for (size_t i = 0; all != NULL && i < count; i++)
        walk_refer(w, all[i], LABEL_ELEMENT, i);
}

/* A key that was taken out leaves a mark, whose hash is -1. */
static void set_keys(walk *w, py_object *object)
{
    const py_set *set = (const py_set *)object;
    for (intptr_t i = 0; set->table != NULL && i <= set->mask; i++)
        if (set->table[i].key != NULL && set->table[i].hash != -1) walk_refer(w, set->table[i].key, LABEL_VALUE, 0);
}

/* ---- candidates ---- */

static void put_candidate(walk *w, const py_object *target, uint32_t label)
{
    if (target == NULL || w->candidate_count == CANDIDATES_MAX) return;
    w->candidates[w->candidate_count++] = (candidate){target, label, false, true};
}

/* A name alone: it is no reference unless traverse tells it. From 3.14 on an instance that has a dict leaves its
 * attributes to that. */
static void put_hint(walk *w, const py_object *target, uint32_t label)
{
    put_candidate(w, target, label);
    if (w->candidate_count > 0 && target != NULL) w->candidates[w->candidate_count - 1].is_held = false;
}

static void member_candidates(walk *w, const plan *p, const py_object *object)
{
    for (uint32_t i = 0; i < p->member_count; i++)
        put_candidate(w, py_object_at(object, p->members[i].offset), p->members[i].label);
}

static void inline_candidates(walk *w, const py_object *object)
{
    py_object *key, *value;
    for (py_entries all = py_inline_entries(&w->py, object); all.values != NULL && py_next_entry(&all, &key, &value);)
        put_hint(w, value, names_key(&w->names, &w->py, NAME_FIELD, key, LABEL_VALUE));
}

static void frame_candidates(walk *w, const void *frame)
{
    const py_object *code = frame == NULL ? NULL : frames_code(&w->py, frame);
    if (code == NULL) return;
    const frame_variables all = frames_variables(&w->py, frame);
    for (size_t i = 0; i < all.named && i < all.count; i++) {
        const py_object *name = frames_variable_name(&w->py, code, i);
        if (name != NULL)
            put_hint(w, frames_plain(&w->py, all.values[i]),
                     names_key(&w->names, &w->py, NAME_FIELD, name, LABEL_NONE));
    }
}

/* The values of a context, by the names of their variables. */
static void variable_candidates(walk *w, const py_object *node)
{
    enum { PAIR = 2 * sizeof(void *) };
    const intptr_t slots = ((const py_sized *)node)->size;
    for (uint32_t i = 0; i < CANDIDATES_MAX && (intptr_t)(2 * i + 1) < slots; i++) {
        const py_object *variable = py_object_at(node, STRUCTURE_PAIRS_AT + i * PAIR);
        if (variable == NULL || variable->type->name == NULL || !structure_is_variable(variable->type->name)) continue;
        const py_object *name = py_object_at(variable, STRUCTURE_VARIABLE_NAME_AT);
        put_hint(w, py_object_at(node, STRUCTURE_PAIRS_AT + i * PAIR + PAIR / 2),
                 name == NULL ? LABEL_VALUE : names_key(&w->names, &w->py, NAME_VALUE, name, LABEL_VALUE));
    }
}

static uint32_t take_label(walk *w, const py_object *target)
{
    for (size_t i = 0; i < w->candidate_count && w->candidates_left > 0; i++) {
        candidate *one = &w->candidates[i];
        if (one->is_used || one->target != target) continue;
        one->is_used = true;
        w->candidates_left--;
        return one->label;
    }
    return LABEL_NONE;
}

/* ---- names for what has none ---- */

static bool is_called(const py_type *type, const char *name)
{
    return type->name != NULL && strcmp(type->name, name) == 0;
}

static bool is_a(const py_type *type, const char *name)
{
    for (; type != NULL; type = type->base)
        if (is_called(type, name)) return true;
    return false;
}

bool edges_has_rules(const py_type *type)
{
    for (size_t i = 0; i < structure_rule_count; i++)
        if (is_a(type, structure_rules[i].source)) return true;
    return false;
}

static uint32_t label_by_rule(walk *w, const py_type *type, const py_object *target)
{
    for (size_t i = 0; i < structure_rule_count; i++) {
        if (!is_a(type, structure_rules[i].source) ||
            (structure_rules[i].target != NULL && !is_called(target->type, structure_rules[i].target)))
            continue;
        if (structure_rules[i].label[0] == '[') return LABEL_VALUE;
        if (structure_rules[i].label[0] == '=') return LABEL_CONTENT;
        return structure_rules[i].label[0] == '\0'
                   ? LABEL_NONE
                   : names_put(&w->names, NAME_FIELD, structure_rules[i].label, strlen(structure_rules[i].label));
    }
    return LABEL_NONE;
}

/* ---- what traverse tells ---- */

typedef struct told {
    walk *w;
    const plan *plan;
    const py_object *dict; /* the instance's own */
    /* entries that were written already, which it tells again: of a container that is no plain one */
    py_entries entries;
    py_object *const *items;
    size_t first, end;
    py_object *value, *key, *pending_key;
    bool is_class_told;
} told;

/* A dict tells each value, and behind it the key, unless all its keys are str. */
static bool is_entry(told *all, const py_object *target)
{
    if (all->pending_key == target && target != NULL) {
        all->pending_key = NULL;
        return true;
    }
    if (all->value == NULL && !py_next_entry(&all->entries, &all->key, &all->value)) all->value = NULL;
    if (all->value != target) return false;
    all->pending_key = all->entries.is_text_only ? NULL : all->key;
    all->value = NULL;
    return true;
}

static bool is_item(told *all, const py_object *target)
{
    while (all->first < all->end && all->items[all->first] == NULL)
        all->first++;
    while (all->first < all->end && all->items[all->end - 1] == NULL)
        all->end--;
    if (all->first == all->end) return false;
    if (all->items[all->end - 1] == target) return all->end--, true;
    return all->items[all->first] == target ? (all->first++, true) : false;
}

static bool is_written_already(told *all, const py_object *target)
{
    if (all->plan->kind == PLAN_DICT) return is_entry(all, target);
    if (all->plan->kind == PLAN_LIST || all->plan->kind == PLAN_TUPLE) return is_item(all, target);
    return false;
}

static uint32_t label_of(const told *all, const py_object *target)
{
    const uint32_t label = take_label(all->w, target);
    if (label != LABEL_NONE) return label;
    if (target == (const py_object *)all->plan->type) return LABEL_CLASS;
    return all->plan->has_rules ? label_by_rule(all->w, all->plan->type, target) : LABEL_NONE;
}

static int visit(py_object *target, void *context)
{
    told *all = context;
    walk *w = all->w;
    if (target == NULL || is_written_already(all, target)) return 0;
    if (target == (py_object *)all->plan->type) all->is_class_told = true;
    if (target == all->dict)
        walk_refer_role(w, target, LABEL_DICT,
                        all->plan->kind == PLAN_MODULE || all->plan->kind == PLAN_TYPE ? ROLE_NONE
                                                                                       : ROLE_INSTANCE_DICT);
    else
        walk_refer(w, target, label_of(all, target), 0);
    return 0;
}

/* From 3.9 on objects tell their class if it is no static one; before they only hold it. */
static void class_reference(walk *w, const plan *p, bool is_told)
{
    if (!is_told && py_is(p->type, PY_HEAP_TYPE)) walk_refer(w, (py_object *)p->type, LABEL_CLASS, 0);
}

static void rest_of_candidates(walk *w)
{
    for (size_t i = 0; i < w->candidate_count; i++)
        if (!w->candidates[i].is_used && w->candidates[i].is_held)
            walk_refer(w, (py_object *)w->candidates[i].target, w->candidates[i].label, 0);
}

static py_object *own_dict(const walk *w, const plan *p, const py_object *object)
{
    if (p->kind == PLAN_MODULE) return ((const py_module *)object)->dict;
    if (p->kind == PLAN_TYPE) return ((const py_type *)object)->dict;
    if (p->kind == PLAN_EXCEPTION) return py_object_at(object, w->py.at->exception_dict);
    return py_instance_dict(&w->py, object);
}

static void traverse(walk *w, const plan *p, py_object *object)
{
    told all = {.w = w, .plan = p, .dict = own_dict(w, p, object)};
    size_t count = 0;
    w->candidates_left = w->candidate_count;
    if (p->kind == PLAN_DICT) all.entries = py_dict_entries(&w->py, (const py_dict *)object);
    if (p->kind == PLAN_LIST || p->kind == PLAN_TUPLE)
        all.items = items_of(w, p, object, &count), all.end = all.items == NULL ? 0 : count;
    const bool is_told = p->type->traverse != NULL && py_is_gc(object);
    if (is_told)
        (void)p->type->traverse(object, visit, &all);
    else if (all.dict != NULL)
        walk_refer_role(w, (py_object *)all.dict, LABEL_DICT, p->kind == PLAN_TYPE ? ROLE_NONE : ROLE_INSTANCE_DICT);
    rest_of_candidates(w);
    class_reference(w, p, all.is_class_told);
}

/* ---- by kind ---- */

/* What a closure sees, beside the tuple of its cells, by the names of the variables. */
static void captured(walk *w, const py_object *function)
{
    const py_object *code = py_object_at(function, w->py.at->function_code),
                    *closure = py_object_at(function, w->py.at->function_closure);
    if (closure == NULL || closure->type != w->py.types.tuple || code == NULL || code->type != w->py.types.code) return;
    const size_t count = (size_t)((const py_sized *)closure)->size;
    py_object *const *cells = (py_object *const *)((const char *)closure + w->py.at->tuple_items);
    for (size_t i = 0; i < count; i++) {
        size_t all = 0;
        const py_object *names =
            py_object_at(code, w->py.at->code_free_names != 0 ? w->py.at->code_free_names : w->py.at->code_local_names);
        if (names == NULL || names->type != w->py.types.tuple || cells[i] == NULL || cells[i]->type != w->py.types.cell)
            return;
        all = (size_t)((const py_sized *)names)->size;
        if (all < count) return;
        const py_object *name = ((py_object *const *)((const char *)names + w->py.at->tuple_items))[all - count + i];
        walk_refer_uncounted(w, ((const py_cell *)cells[i])->content,
                             names_key(&w->names, &w->py, NAME_VARIABLE, name, LABEL_NONE));
    }
}

/* Values that parameters have by default, beside the tuple of them, by the names of the parameters. What somebody else
 * has, too, a module's variable, is told by that. */
static void default_values(walk *w, const py_object *function)
{
    const py_object *code = py_object_at(function, w->py.at->function_code),
                    *values = py_object_at(function, w->py.at->function_defaults);
    if (values == NULL || values->type != w->py.types.tuple || code == NULL || code->type != w->py.types.code) return;
    const intptr_t count = ((const py_sized *)values)->size, first = py_int_at(code, w->py.at->code_arguments) - count;
    py_object *const *all = (py_object *const *)((const char *)values + w->py.at->tuple_items);
    for (intptr_t i = 0; first >= 0 && i < count; i++) {
        if (all[i] == NULL || py_refcount(&w->py, all[i]) != 1) continue;
        const py_object *name = frames_variable_name(&w->py, code, (size_t)(first + i));
        if (name != NULL)
            walk_refer_uncounted(w, all[i], names_key(&w->names, &w->py, NAME_VARIABLE, name, LABEL_NONE));
    }
}

/* numpy tells the collector nothing of an array: what it is a view of, its type, and elements that are objects. */
static void array(walk *w, py_object *object)
{
    typedef struct array_head {
        py_object head;
        char *data;
        int dimensions;
        intptr_t *sizes, *strides;
        py_object *base, *descriptor;
        int flags;
    } array_head;
    enum { IS_C_CONTIGUOUS = 1, OWNS_DATA = 4, TYPE_NUMBER_AT = 28, OBJECTS = 17 };
    const array_head *a = (const array_head *)object;
    walk_refer(w, a->base, names_put(&w->names, NAME_FIELD, "base", 4), 0);
    walk_refer(w, a->descriptor, names_put(&w->names, NAME_FIELD, "dtype", 5), 0);
    if (a->descriptor == NULL || py_int_at(a->descriptor, TYPE_NUMBER_AT) != OBJECTS ||
        (a->flags & IS_C_CONTIGUOUS) == 0 || (a->flags & OWNS_DATA) == 0)
        return;
    size_t count = 1;
    for (int i = 0; i < a->dimensions; i++)
        count *= (size_t)a->sizes[i];
    for (size_t i = 0; i < count; i++)
        walk_refer(w, ((py_object **)a->data)[i], LABEL_ELEMENT, i);
}

static void weak(walk *w, const plan *p, py_object *object)
{
    const py_weak *reference = (const py_weak *)object;
    member_candidates(w, p, object);
    traverse(w, p, object);
    if (reference->object != NULL && reference->object != w->py.none)
        walk_refer_uncounted(w, reference->object, LABEL_WEAK);
}

/* The frame of a frame object, a generator or a coroutine; NULL where it has none of its own. */
static const void *frame_of(const walk *w, const plan *p, const py_object *object)
{
    const layout *at = w->py.at;
    if (p->kind == PLAN_FRAME) return at->minor >= 11 ? py_at(object, at->frame_of_object) : object;
    return at->minor >= 11 ? (const char *)object + at->generator_frame : NULL;
}

/* From 3.11 on a frame that runs is told by its thread, though it may have an object. */
static bool tells_variables(const walk *w, const plan *p, const void *frame)
{
    enum { OWNED_BY_OBJECT = 2 };
    return p->kind == PLAN_GENERATOR || w->py.at->minor < 11 ||
           ((const char *)frame)[w->py.at->frame_owner] == OWNED_BY_OBJECT;
}

/* A variable that a function inside sees as well lies in a cell, which says nothing: what it holds is told by the
 * variable, as that of a closure. */
static void contents_of_cells(walk *w, const plan *p, const void *frame)
{
    const py_object *code = frame == NULL ? NULL : frames_code(&w->py, frame);
    if (code == NULL || !tells_variables(w, p, frame)) return;
    const frame_variables all = frames_variables(&w->py, frame);
    for (size_t i = 0; i < all.named && i < all.count; i++) {
        const py_object *value = frames_plain(&w->py, all.values[i]), *name;
        if (value == NULL || value->type != w->py.types.cell) continue;
        if ((name = frames_variable_name(&w->py, code, i)) != NULL)
            walk_refer_uncounted(w, ((const py_cell *)value)->content,
                                 names_key(&w->names, &w->py, NAME_FIELD, name, LABEL_NONE));
    }
}

/* What a class holds that is in no cycle, and is not told: its names, and its subclasses, which it holds by weak
 * references. */
static void class_candidates(walk *w, const py_object *object)
{
    const py_type *type = (const py_type *)object;
    if (!py_is(type, PY_HEAP_TYPE)) return;
    put_candidate(w, py_object_at(object, w->py.at->heap_name), names_put(&w->names, NAME_FIELD, "__name__", 8));
    put_candidate(w, py_object_at(object, w->py.at->heap_qualname),
                  names_put(&w->names, NAME_FIELD, "__qualname__", 12));
    put_candidate(w, type->subclasses, names_put(&w->names, NAME_FIELD, "__subclasses__", 14));
}

static void stack(walk *w, const plan *p, py_object *greenlet)
{
    py_object *innermost = p->stack->get(greenlet, p->stack->closure);
    if (innermost == NULL) {
        w->py.clear_error();
        return;
    }
    if (innermost->type == w->py.types.frame) frames_of_greenlet(w, innermost);
    w->py.release(innermost);
}

static void plain(walk *w, const plan *p, py_object *object)
{
    member_candidates(w, p, object);
    inline_candidates(w, object);
    traverse(w, p, object);
    if (p->stack != NULL) stack(w, p, object);
}

static void by_kind(walk *w, const plan *p, py_object *object)
{
    switch (p->kind) {
    case PLAN_LEAF: return;
    case PLAN_DICT: dict_entries(w, object, ROLE_NONE); break;
    case PLAN_LIST:
    case PLAN_TUPLE: items(w, p, object); break;
    case PLAN_SET:
        if (p->is_exact) set_keys(w, object);
        break;
    case PLAN_ARRAY: array(w, object); break;
    case PLAN_FRAME:
    case PLAN_GENERATOR: frame_candidates(w, frame_of(w, p, object)); break;
    case PLAN_TYPE: class_candidates(w, object); break;
    case PLAN_VARIABLES: variable_candidates(w, object); break;
    case PLAN_WEAK: weak(w, p, object); return;
    case PLAN_CELL: put_candidate(w, ((const py_cell *)object)->content, LABEL_CONTENT); break;
    default: break;
    }
    if (!p->is_exact) plain(w, p, object);
    if (p->kind == PLAN_FUNCTION) captured(w, object);
    if (p->kind == PLAN_FUNCTION) default_values(w, object);
    if (p->kind == PLAN_GENERATOR || p->kind == PLAN_FRAME) contents_of_cells(w, p, frame_of(w, p, object));
}

void edges_of(walk *w, const plan *p, py_object *object, role as)
{
    w->candidate_count = 0;
    if (as != ROLE_NONE && p->kind == PLAN_DICT && p->is_exact)
        dict_entries(w, object, as);
    else
        by_kind(w, p, object);
    edges_flush(w);
}

void edges_flush(walk *w)
{
    if (w->out_count > 0) hsc_references(w->writer, w->targets, w->labels, w->indexes, w->out_count);
    w->out_count = 0;
}

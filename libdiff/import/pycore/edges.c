/*
 * What an object refers to, by name, as capture/python/edges.c tells it. Containers are read as they lie. Of anything
 * else the members that have names are candidates; its tp_traverse, interpreted, tells what it holds, and each
 * reference gets the name of a candidate with the same target. Candidates that traverse does not tell are held all the
 * same and come behind.
 */
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "import/pycore/pycore.h"

enum { WORD = 8, HASH_AT = 8, SET_ENTRY = 16, COPIED_MOST = 64, COPIED_NAME_BYTES = 128 };

/* ---- dicts, sequences, sets ---- */

/* The values of such a dict stand in its instance, which in 3.13 tells them too. */
static bool is_beside_instance(pycore *c, uint64_t dict)
{
    const uint64_t values = c->at.minor == 13 ? py_word(c, dict + DICT_VALUES) : 0;
    return values != 0 && hsd_pymemory_byte(&c->memory, values + 2) != 0;
}

static bool is_program(pycore *c, uint64_t value)
{
    const pytype *type = hsd_pyplans_of_object(c, value);
    return type != NULL && (type->kind == KIND_FUNCTION || type->at == py_symbol(c, PY_MODULE) ||
                            type->at == py_symbol(c, PY_BUILTIN) || py_is(type, PY_IS_TYPE));
}

/* What functools.wraps has copied from hangs from there; 0: nothing is wrapped, or by what has many attributes. */
static uint64_t wrapped_by(pycore *c, uint64_t dict)
{
    if (hsd_pyvalues_dict(c, dict).left > COPIED_MOST) return 0;
    const uint64_t wrapped = hsd_pyvalues_find(c, dict, "__wrapped__");
    const pytype *type = wrapped == 0 ? NULL : hsd_pyplans_of_object(c, wrapped);
    const uint64_t own = type == NULL ? 0 : hsd_pyvalues_instance_dict(c, wrapped, type);
    const bool is_large =
        own != 0 && py_is(hsd_pyplans_of_object(c, own), PY_IS_DICT) && hsd_pyvalues_dict(c, own).left > COPIED_MOST;
    return is_large ? 0 : wrapped;
}

static bool is_copied(pycore *c, uint64_t wrapped, uint64_t key, uint64_t value)
{
    char name[COPIED_NAME_BYTES];
    size_t size;
    if (wrapped == 0 || value == wrapped || !hsd_pyvalues_ascii(c, key, name, sizeof name - 1, &size)) return false;
    name[size] = '\0';
    return hsd_pyvalues_attribute(c, wrapped, name) == value;
}

static void dict_entries(pycore *c, uint64_t dict, pyrole as)
{
    static const struct {
        pynaming kind, held;
    } kinds[] = {[ROLE_NONE] = {NAME_VALUE, NAME_VALUE},
                 [ROLE_INSTANCE_DICT] = {NAME_FIELD, NAME_FIELD},
                 [ROLE_MODULE_DICT] = {NAME_FIELD, NAME_GLOBAL},
                 [ROLE_CLASS_DICT] = {NAME_FIELD, NAME_GLOBAL},
                 [ROLE_LOOSE_CLASS_DICT] = {NAME_FIELD, NAME_FIELD},
                 [ROLE_THREADS] = {NAME_VALUE, NAME_VALUE}};
    uint64_t key, value;
    const bool is_counted = !is_beside_instance(c, dict);
    const uint64_t wrapped = as == ROLE_INSTANCE_DICT ? wrapped_by(c, dict) : 0;
    for (pyentries all = hsd_pyvalues_dict(c, dict);
         hsd_pyvalues_next(c, &all, &key, &value) && !hsd_pywalk_is_over(c);) {
        const pynaming kind = as != ROLE_NONE && is_program(c, value) ? kinds[as].kind : kinds[as].held;
        const uint32_t label = as == ROLE_THREADS                  ? hsd_pyframes_thread_label(c, value)
                               : is_copied(c, wrapped, key, value) ? LABEL_COPIED
                                                                   : hsd_pytables_key(c, kind, key, LABEL_VALUE);
        hsd_pywalk_refer(c, value, label, 0, ROLE_NONE, is_counted);
        hsd_pywalk_refer(c, key, LABEL_KEY, 0, ROLE_NONE, true);
    }
}

static uint64_t items_of(pycore *c, const pytype *type, uint64_t object, uint64_t *count)
{
    const int64_t size = (int64_t)py_word(c, object + AT_SIZE);
    const uint64_t at = type->kind == KIND_LIST ? py_word(c, object + LIST_ITEMS) : object + c->at.tuple_items;
    *count = size <= 0 || at == 0
                 ? 0
                 : hsd_pymemory_extent(&c->memory, at, hsd_min_u64((uint64_t)size, UINT64_MAX / WORD) * WORD) / WORD;
    return at;
}

static void items(pycore *c, uint64_t at, uint64_t count)
{
    for (uint64_t i = 0; i < count && !hsd_pywalk_is_over(c); i++)
        hsd_pywalk_refer(c, py_word(c, at + i * WORD), LABEL_ELEMENT, i, ROLE_NONE, true);
}

/* A key that was taken out leaves a mark, whose hash is -1. */
static void set_keys(pycore *c, uint64_t object)
{
    const uint64_t table = py_word(c, object + SET_TABLE), mask = py_word(c, object + SET_MASK);
    const uint64_t bytes = table == 0 || mask > UINT64_MAX / SET_ENTRY - 1 ? 0 : (mask + 1) * SET_ENTRY;
    const uint64_t count = hsd_pymemory_extent(&c->memory, table, bytes) / SET_ENTRY;
    for (uint64_t i = 0; i < count && !hsd_pywalk_is_over(c); i++) {
        const uint64_t key = py_word(c, table + i * SET_ENTRY);
        if (key != 0 && py_word(c, table + i * SET_ENTRY + HASH_AT) != UINT64_MAX)
            hsd_pywalk_refer(c, key, LABEL_VALUE, 0, ROLE_NONE, true);
    }
}

/* ---- candidates ---- */

static void put_candidate(pycore *c, uint64_t target, uint32_t label, bool is_held)
{
    if (target == 0 || c->candidate_count == PY_CANDIDATES_MAX) return;
    c->candidates[c->candidate_count++] = (pycandidate){target, label, false, is_held};
}

static uint32_t field_label(pycore *c, const char *name) { return hsd_pytables_put(c, NAME_FIELD, name, strlen(name)); }

static void member_candidates(pycore *c, const pytype *type, uint64_t object)
{
    for (uint32_t i = 0; i < type->member_count; i++)
        put_candidate(c, py_word(c, object + type->members[i].offset), type->members[i].label, true);
}

/* Names alone: they are no references unless traverse tells them. */
static void inline_candidates(pycore *c, uint64_t object, const pytype *type)
{
    uint64_t key, value;
    for (pyentries all = hsd_pyvalues_inline(c, object, type);
         all.values != 0 && hsd_pyvalues_next(c, &all, &key, &value);)
        put_candidate(c, value, hsd_pytables_key(c, NAME_FIELD, key, LABEL_VALUE), false);
}

static void frame_candidates(pycore *c, uint64_t frame)
{
    const uint64_t code = frame == 0 ? 0 : hsd_pyframes_code(c, frame);
    if (code == 0) return;
    const pyvariables all = hsd_pyframes_variables(c, frame);
    for (uint64_t i = 0; i < all.named && i < all.count && i < PY_CANDIDATES_MAX; i++) {
        const uint64_t name = hsd_pyframes_variable_name(c, code, i);
        if (name != 0)
            put_candidate(c, hsd_pyframes_plain(c, py_word(c, all.values + i * WORD)),
                          hsd_pytables_key(c, NAME_FIELD, name, LABEL_NONE), false);
    }
}

/* The values of a context, by the names of their variables. */
static void variable_candidates(pycore *c, uint64_t node)
{
    const uint64_t slots = py_word(c, node + AT_SIZE);
    for (uint64_t i = 0; i < PY_CANDIDATES_MAX && 2 * i + 1 < slots; i++) {
        const uint64_t pair = node + STRUCTURE_PAIRS_AT + 2 * i * WORD, variable = py_word(c, pair);
        const pytype *of = variable == 0 ? NULL : hsd_pyplans_of_object(c, variable);
        if (of == NULL || of->c_name == NULL || !structure_is_variable(of->c_name)) continue;
        const uint64_t name = py_word(c, variable + STRUCTURE_VARIABLE_NAME_AT);
        put_candidate(c, py_word(c, pair + WORD),
                      name == 0 ? LABEL_VALUE : hsd_pytables_key(c, NAME_VALUE, name, LABEL_VALUE), false);
    }
}

static uint32_t take_label(pycore *c, uint64_t target)
{
    for (size_t i = 0; i < c->candidate_count && c->candidates_left > 0; i++) {
        pycandidate *one = &c->candidates[i];
        if (one->is_used || one->target != target) continue;
        one->is_used = true;
        c->candidates_left--;
        return one->label;
    }
    return LABEL_NONE;
}

/* ---- names for what has none ---- */

static bool is_a(pycore *c, const pytype *type, const char *name)
{
    char text[64];
    if (hsd_pyplans_is_called(type, name)) return true;
    uint64_t base = type->base;
    for (int depth = 0; base != 0 && depth < PY_BASES_MAX; depth++, base = py_word(c, base + TYPE_BASE)) {
        (void)hsd_pymemory_text(&c->memory, py_word(c, base + TYPE_NAME), text, sizeof text);
        if (strcmp(text, name) == 0) return true;
    }
    return false;
}

bool hsd_pyedges_has_rules(pycore *c, const pytype *type)
{
    for (size_t i = 0; i < structure_rule_count; i++)
        if (is_a(c, type, structure_rules[i].source)) return true;
    return false;
}

static uint32_t label_by_rule(pycore *c, const pytype *type, uint64_t target)
{
    const pytype *to = hsd_pyplans_of_object(c, target);
    for (size_t i = 0; i < structure_rule_count; i++) {
        if (!is_a(c, type, structure_rules[i].source) ||
            (structure_rules[i].target != NULL &&
             (to == NULL || !hsd_pyplans_is_called(to, structure_rules[i].target))))
            continue;
        if (structure_rules[i].label[0] == '[') return LABEL_VALUE;
        if (structure_rules[i].label[0] == '=') return LABEL_CONTENT;
        return structure_rules[i].label[0] == '\0' ? LABEL_NONE : field_label(c, structure_rules[i].label);
    }
    return LABEL_NONE;
}

/* ---- what traverse tells ---- */

typedef struct pytold {
    pycore *c;
    const pytype *type;
    uint64_t dict; /* the instance's own */
    /* entries that were written already, which it tells again: of a container that is no plain one */
    pyentries entries;
    uint64_t items, first, end;
    uint64_t value, key, pending_key;
    bool is_class_told;
} pytold;

/* A dict tells each value, and behind it the key, unless all its keys are str. */
static bool is_entry(pytold *all, uint64_t target)
{
    if (all->pending_key == target && target != 0) {
        all->pending_key = 0;
        return true;
    }
    if (all->value == 0 && !hsd_pyvalues_next(all->c, &all->entries, &all->key, &all->value)) all->value = 0;
    if (all->value != target) return false;
    all->pending_key = all->entries.is_text_only ? 0 : all->key;
    all->value = 0;
    return true;
}

static bool is_item(pytold *all, uint64_t target)
{
    pycore *c = all->c;
    while (all->first < all->end && py_word(c, all->items + all->first * WORD) == 0)
        all->first++;
    while (all->first < all->end && py_word(c, all->items + (all->end - 1) * WORD) == 0)
        all->end--;
    if (all->first == all->end) return false;
    if (py_word(c, all->items + (all->end - 1) * WORD) == target) return all->end--, true;
    return py_word(c, all->items + all->first * WORD) == target ? (all->first++, true) : false;
}

static bool is_written_already(pytold *all, uint64_t target)
{
    if (all->type->kind == KIND_DICT) return is_entry(all, target);
    if (all->type->kind == KIND_LIST || all->type->kind == KIND_TUPLE) return is_item(all, target);
    return false;
}

static uint32_t label_of(const pytold *all, uint64_t target)
{
    const uint32_t label = take_label(all->c, target);
    if (label != LABEL_NONE) return label;
    if (target == all->type->at) return LABEL_CLASS;
    return all->type->has_rules ? label_by_rule(all->c, all->type, target) : LABEL_NONE;
}

static void take_told(pytold *all, uint64_t target)
{
    if (target == 0 || is_written_already(all, target)) return;
    if (target == all->type->at) all->is_class_told = true;
    if (target != all->dict)
        hsd_pywalk_refer(all->c, target, label_of(all, target), 0, ROLE_NONE, true);
    else
        hsd_pywalk_refer(all->c, target, LABEL_DICT, 0,
                         all->type->kind == KIND_MODULE || all->type->kind == KIND_TYPE ? ROLE_NONE
                                                                                        : ROLE_INSTANCE_DICT,
                         true);
}

/* From 3.9 on objects tell their class if it is no static one; before they only hold it. */
static void class_reference(pycore *c, const pytype *type, bool is_told)
{
    if (!is_told && py_is(type, PY_HEAP_TYPE)) hsd_pywalk_refer(c, type->at, LABEL_CLASS, 0, ROLE_NONE, true);
}

static void rest_of_candidates(pycore *c)
{
    for (size_t i = 0; i < c->candidate_count; i++)
        if (!c->candidates[i].is_used && c->candidates[i].is_held)
            hsd_pywalk_refer(c, c->candidates[i].target, c->candidates[i].label, 0, ROLE_NONE, true);
}

static uint64_t own_dict(pycore *c, const pytype *type, uint64_t object)
{
    if (type->kind == KIND_MODULE) return py_word(c, object + MODULE_DICT);
    if (type->kind == KIND_TYPE) return py_word(c, object + TYPE_DICT);
    if (type->kind == KIND_EXCEPTION) return py_word(c, object + c->at.exception_dict);
    return hsd_pyvalues_instance_dict(c, object, type);
}

/* ---- an object whose traverse cannot be interpreted ---- */

static bool collect(void *context, uint64_t target)
{
    pycore *c = context;
    hsd_error err;
    if (c->told.count >= c->most_references) return false;
    hsd_error_init(&err);
    if (hsd_import_grow((void **)&c->told.at, &c->told.room, c->told.count, sizeof *c->told.at, &err) != HSD_OK)
        return hsd_pycore_failed(c, &err);
    c->told.at[c->told.count++] = target;
    return true;
}

static bool looks_like_object(pycore *c, uint64_t word)
{
    return word >= 4096 && word % 8 == 0 && hsd_pyplans_of_object(c, word) != NULL && (int64_t)py_word(c, word) != 0;
}

/* Attributes, and every word of its own that leads to an object; not that of its weak references, which it does not
 * hold. */
static void look_through(pycore *c, const pytype *type, uint64_t object)
{
    uint64_t key, value;
    const uint64_t dict = own_dict(c, type, object);
    for (pyentries all = hsd_pyvalues_inline(c, object, type);
         all.values != 0 && hsd_pyvalues_next(c, &all, &key, &value);)
        (void)collect(c, value);
    if (py_is(type, PY_HEAP_TYPE)) (void)collect(c, type->at);
    if (dict != 0 && type->kind != KIND_MODULE) (void)collect(c, dict);
    const uint64_t bytes = hsd_pymemory_extent(&c->memory, object, type->basic);
    for (uint64_t at = AT_SIZE; at + WORD <= bytes; at += WORD) {
        const uint64_t word = py_word(c, object + at);
        if ((int64_t)at != type->weaklist_offset && word != dict && looks_like_object(c, word)) (void)collect(c, word);
    }
    if (dict != 0 && type->kind == KIND_MODULE) (void)collect(c, dict);
}

static void traverse(pycore *c, pytype *type, uint64_t object)
{
    pytold all = {.c = c, .type = type, .dict = own_dict(c, type, object)};
    c->candidates_left = c->candidate_count;
    c->told.count = 0;
    if (type->kind == KIND_DICT) all.entries = hsd_pyvalues_dict(c, object);
    if (type->kind == KIND_LIST || type->kind == KIND_TUPLE) all.items = items_of(c, type, object, &all.end);
    const bool is_told = type->traverse != 0 && hsd_pyplans_is_gc(c, type, object);
    if (is_told && (type->is_opaque || !hsd_pymachine_traverse(c, type->traverse, object, collect, c))) {
        if (type->kind != KIND_TUPLE) c->opaque++; /* whose items are read as they lie */
        type->is_opaque = true;
        c->told.count = 0;
        if (!hsd_pywalk_is_over(c)) look_through(c, type, object);
    }
    for (uint32_t i = 0; i < c->told.count; i++)
        take_told(&all, c->told.at[i]);
    if (!is_told && all.dict != 0)
        hsd_pywalk_refer(c, all.dict, LABEL_DICT, 0, type->kind == KIND_TYPE ? ROLE_NONE : ROLE_INSTANCE_DICT, true);
    rest_of_candidates(c);
    class_reference(c, type, all.is_class_told);
}

/* ---- by kind ---- */

static uint64_t tuple_size(pycore *c, uint64_t tuple)
{
    const int64_t size =
        tuple != 0 && py_type_of(c, tuple) == py_symbol(c, PY_TUPLE) ? (int64_t)py_word(c, tuple + AT_SIZE) : 0;
    return size <= 0 ? 0 : (uint64_t)size;
}

/* What a closure sees, beside the tuple of its cells, by the names of the variables. */
static void captured(pycore *c, uint64_t function)
{
    const uint64_t code = py_word(c, function + c->at.function_code),
                   closure = py_word(c, function + c->at.function_closure);
    const uint64_t count = tuple_size(c, closure);
    if (count == 0 || code == 0 || py_type_of(c, code) != py_symbol(c, PY_CODE)) return;
    const uint64_t names =
        py_word(c, code + (c->at.code_free_names != 0 ? c->at.code_free_names : c->at.code_local_names));
    const uint64_t all = tuple_size(c, names);
    for (uint64_t i = 0; i < count && all >= count && !hsd_pywalk_is_over(c); i++) {
        const uint64_t cell = py_word(c, closure + c->at.tuple_items + i * WORD);
        if (cell == 0 || py_type_of(c, cell) != py_symbol(c, PY_CELL)) return;
        const uint64_t name = py_word(c, names + c->at.tuple_items + (all - count + i) * WORD);
        hsd_pywalk_refer(c, py_word(c, cell + CELL_CONTENT), hsd_pytables_key(c, NAME_VARIABLE, name, LABEL_NONE), 0,
                         ROLE_NONE, false);
    }
}

static bool is_held_once(pycore *c, uint64_t object)
{
    bool is_immortal = false;
    return object != 0 && hsd_pywalk_refcount(c, py_word(c, object), &is_immortal) == 1 && !is_immortal;
}

/* Values that parameters have by default, beside the tuple of them, by the names of the parameters. What somebody else
 * has, too, a module's variable, is told by that. */
static void default_values(pycore *c, uint64_t function)
{
    const uint64_t code = py_word(c, function + c->at.function_code),
                   values = py_word(c, function + c->at.function_defaults);
    const uint64_t count = tuple_size(c, values);
    if (count == 0 || code == 0 || py_type_of(c, code) != py_symbol(c, PY_CODE)) return;
    const uint64_t parameters = hsd_pymemory_half(&c->memory, code + c->at.code_arguments);
    for (uint64_t i = 0; i < count && count <= parameters && !hsd_pywalk_is_over(c); i++) {
        const uint64_t value = py_word(c, values + c->at.tuple_items + i * WORD);
        const uint64_t name = is_held_once(c, value) ? hsd_pyframes_variable_name(c, code, parameters - count + i) : 0;
        if (name != 0)
            hsd_pywalk_refer(c, value, hsd_pytables_key(c, NAME_VARIABLE, name, LABEL_NONE), 0, ROLE_NONE, false);
    }
}

/* numpy tells the collector nothing of an array: what it is a view of, its type, and elements that are objects. */
static void array(pycore *c, uint64_t object)
{
    enum { DATA = 16, DIMENSIONS = 24, SIZES = 32, BASE = 48, DESCRIPTOR = 56, FLAGS = 64, MOST_DIMENSIONS = 64 };
    enum { IS_C_CONTIGUOUS = 1, OWNS_DATA = 4, TYPE_NUMBER_AT = 28, OBJECTS = 17 };
    const uint64_t descriptor = py_word(c, object + DESCRIPTOR), sizes = py_word(c, object + SIZES),
                   data = py_word(c, object + DATA);
    const uint32_t flags = hsd_pymemory_half(&c->memory, object + FLAGS),
                   dimensions = hsd_pymemory_half(&c->memory, object + DIMENSIONS);
    hsd_pywalk_refer(c, py_word(c, object + BASE), field_label(c, "base"), 0, ROLE_NONE, true);
    hsd_pywalk_refer(c, descriptor, field_label(c, "dtype"), 0, ROLE_NONE, true);
    if (descriptor == 0 || hsd_pymemory_half(&c->memory, descriptor + TYPE_NUMBER_AT) != OBJECTS ||
        (flags & IS_C_CONTIGUOUS) == 0 || (flags & OWNS_DATA) == 0 || dimensions > MOST_DIMENSIONS)
        return;
    uint64_t count = 1, bytes;
    for (uint32_t i = 0; i < dimensions; i++)
        if (!hsd_mul_u64(count, py_word(c, sizes + i * WORD), &count)) return;
    if (hsd_mul_u64(count, WORD, &bytes)) items(c, data, hsd_pymemory_extent(&c->memory, data, bytes) / WORD);
}

/* 0 where it has no frame of its own. */
static uint64_t frame_of(pycore *c, const pytype *type, uint64_t object)
{
    if (type->kind == KIND_FRAME) return c->at.minor >= 11 ? py_word(c, object + c->at.frame_of_object) : object;
    return c->at.minor >= 11 ? object + c->at.generator_frame : 0;
}

/* What a variable holds that a function inside sees as well, beside its cell, by the variable. From 3.11 on a frame
 * that runs is told by its thread. */
static void contents_of_cells(pycore *c, const pytype *type, uint64_t frame)
{
    enum { OWNED_BY_OBJECT = 2 };
    const uint64_t code = frame == 0 ? 0 : hsd_pyframes_code(c, frame);
    const bool is_told = type->kind == KIND_GENERATOR || c->at.minor < 11 ||
                         hsd_pymemory_byte(&c->memory, frame + c->at.frame_owner) == OWNED_BY_OBJECT;
    if (code == 0 || !is_told) return;
    const pyvariables all = hsd_pyframes_variables(c, frame);
    for (uint64_t i = 0; i < all.named && i < all.count && !hsd_pywalk_is_over(c); i++) {
        const uint64_t value = hsd_pyframes_plain(c, py_word(c, all.values + i * WORD));
        if (value == 0 || py_type_of(c, value) != py_symbol(c, PY_CELL)) continue;
        const uint64_t name = hsd_pyframes_variable_name(c, code, i);
        if (name != 0)
            hsd_pywalk_refer(c, py_word(c, value + CELL_CONTENT), hsd_pytables_key(c, NAME_FIELD, name, LABEL_NONE), 0,
                             ROLE_NONE, false);
    }
}

static void class_candidates(pycore *c, uint64_t object)
{
    if ((py_word(c, object + TYPE_FLAGS) & PY_HEAP_TYPE) == 0) return;
    put_candidate(c, py_word(c, object + c->at.heap_name), field_label(c, "__name__"), true);
    put_candidate(c, py_word(c, object + c->at.heap_qualname), field_label(c, "__qualname__"), true);
    put_candidate(c, py_word(c, object + TYPE_SUBCLASSES), field_label(c, "__subclasses__"), true);
}

static void weak(pycore *c, pytype *type, uint64_t object)
{
    const uint64_t target = py_word(c, object + WEAK_OBJECT);
    member_candidates(c, type, object);
    traverse(c, type, object);
    if (target != 0 && target != py_symbol(c, PY_NONE)) hsd_pywalk_refer(c, target, LABEL_WEAK, 0, ROLE_NONE, false);
}

static void by_kind(pycore *c, pytype *type, uint64_t object)
{
    uint64_t at, count;
    switch (type->kind) {
    case KIND_LEAF: return;
    case KIND_DICT: dict_entries(c, object, ROLE_NONE); break;
    case KIND_LIST:
    case KIND_TUPLE:
        at = items_of(c, type, object, &count);
        items(c, at, count);
        break;
    case KIND_SET:
        if (type->is_exact) set_keys(c, object);
        break;
    case KIND_ARRAY: array(c, object); break;
    case KIND_FRAME:
    case KIND_GENERATOR: frame_candidates(c, frame_of(c, type, object)); break;
    case KIND_TYPE: class_candidates(c, object); break;
    case KIND_VARIABLES: variable_candidates(c, object); break;
    case KIND_WEAK: weak(c, type, object); return;
    case KIND_CELL: put_candidate(c, py_word(c, object + CELL_CONTENT), LABEL_CONTENT, true); break;
    case KIND_PLAIN:
    case KIND_FUNCTION:
    case KIND_METHOD:
    case KIND_CODE:
    case KIND_MODULE:
    case KIND_EXCEPTION:
    case KIND_TRACEBACK: break;
    }
    if (!type->is_exact) {
        member_candidates(c, type, object);
        inline_candidates(c, object, type);
        traverse(c, type, object);
    }
    if (type->kind == KIND_FUNCTION) captured(c, object);
    if (type->kind == KIND_FUNCTION) default_values(c, object);
    if (type->kind == KIND_GENERATOR || type->kind == KIND_FRAME) contents_of_cells(c, type, frame_of(c, type, object));
}

void hsd_pyedges_of(pycore *c, pytype *type, uint64_t object, pyrole as)
{
    c->candidate_count = 0;
    if (as != ROLE_NONE && type->kind == KIND_DICT && type->is_exact)
        dict_entries(c, object, as);
    else
        by_kind(c, type, object);
}

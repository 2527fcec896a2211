/*
 * Finds out what a node is. Most are what their type says; some are told by their edges, which are looked at
 * before the first of them is written:
 *
 *      a context of a module, a global object, a dictionary        object
 *      a module, and the call that runs one                        object, V8's own
 *      which function and which context belong together            closure
 *      which script a function is of                               code
 *      the names in a scope, which a context of a block needs      code
 *      a cell, which holds what something else holds as well       V8's own
 *      a root, or a group of roots                                 what node 0 leads to
 */
#include "import/v8/source.h"

#include "base/check.h"
#include "import/v8/heaps.h"

/* An object with more properties than this is a dictionary, whose keys are data. */
#define MOST_FIELDS 128u
/* A global object has all of JavaScript's own: about 60 properties. */
#define GLOBAL_FIELDS 30u
/* Functions and scripts have four to six edges, in Chromium up to 23. */
#define MOST_CODE_EDGES 32u

const hsd_v8_source hsd_v8_source_plain = {
    .group = HSD_V8_NO_GROUP,
    .scope = HSD_V8_NO_SCOPE,
    .global = HSD_V8_NO_SCOPE,
    .function = HSD_V8_NO_FUNCTION,
    .module = HSD_V8_NO_MODULE,
    .exported = HSD_V8_NO_ENTRY,
    .doubled = UINT32_MAX,
    .last_string = UINT32_MAX,
    .block = HSD_V8_NO_BLOCK,
    .weak_target = UINT32_MAX,
};

/* ---- what a node is, by all its edges ---- */

#define MOST_BARE_EDGES 8u /* of a context that has no variables */

typedef hsd_v8_reference edge;

static bool is_object(const hsd_v8 *v8, const edge *e)
{
    return !e->is_dangling && hsd_v8_marks_get(&v8->marks, e->target) == HSD_V8_MARK_OBJECT;
}

static edge edge_at(const hsd_v8 *v8, const hsd_v8_view *v, size_t i)
{
    return hsd_v8_reference_at(v8, v->items + i * v8->layout.edge_width);
}

/* A context: first its variables, if it has some, then its scope info, then the context around it, which of the
 * outermost is no object of the program. */
static hsd_status find_scope(hsd_v8 *v8, hsd_v8_source *s, const hsd_v8_view *v, hsd_error *err)
{
    hsd_v8_context_node node = {.ordinal = s->ordinal, .home = UINT32_MAX, .is_block = s->block != HSD_V8_NO_BLOCK};
    if (!v->is_whole) return HSD_OK;
    for (size_t i = 0; i < v->count; i++) {
        const edge e = edge_at(v8, v, i);
        if (e.kind != HSD_V8_EDGE_INTERNAL) continue;
        if (is_object(v8, &e)) {
            const bool is_inner =
                node.home != UINT32_MAX && hsd_v8_marks_get(&v8->marks, node.home) == HSD_V8_MARK_CODE;
            node.around = (hsd_v8_link){e.name, e.target};
            return is_inner ? hsd_v8_scopes_inner(&v8->scopes, &v8->names, &node, err) : HSD_OK;
        }
        if (node.home == UINT32_MAX && !e.is_dangling) node.home = e.target;
    }
    const bool has_variables = node.is_block || edge_at(v8, v, 0).kind == HSD_V8_EDGE_CONTEXT;
    if (node.home == UINT32_MAX || !has_variables) return HSD_OK;
    return hsd_v8_scopes_context(&v8->scopes, &node, &s->scope, err);
}

/* A context of a block: first its scope info, then others of V8's own, then variables without names. */
static hsd_status find_block(hsd_v8 *v8, hsd_v8_source *s, const hsd_v8_view *v, hsd_error *err)
{
    const edge first = edge_at(v8, v, 0), last = edge_at(v8, v, v->count - 1);
    uint32_t proof;
    if (!v->is_whole || first.is_dangling || last.kind != HSD_V8_EDGE_HIDDEN ||
        hsd_v8_marks_get(&v8->marks, first.target) != HSD_V8_MARK_CODE)
        return HSD_OK;
    HSD_TRY(hsd_v8_put_proof(&v8->names, first.name, &proof, err));
    s->last_variable = last.name;
    return hsd_v8_blocks_context(&v8->blocks, first.target, proof, &s->block, err);
}

/* A scope info: the names of its variables are hidden, before anything else of that kind. */
static hsd_status look_at_names(hsd_v8 *v8, const hsd_v8_source *s, const hsd_v8_view *v, hsd_error *err)
{
    uint32_t names[HSD_V8_BLOCK_VARIABLES + 1], count = 0;
    for (size_t i = 0; i < v->count && count <= HSD_V8_BLOCK_VARIABLES; i++) {
        const edge e = edge_at(v8, v, i);
        if (e.kind == HSD_V8_EDGE_INTERNAL) continue;
        if (e.kind != HSD_V8_EDGE_HIDDEN || e.is_dangling || e.name != count ||
            hsd_v8_marks_get(&v8->marks, e.target) != HSD_V8_MARK_OTHER)
            break;
        names[count++] = e.target;
    }
    return hsd_v8_blocks_info(&v8->blocks, s->ordinal, names, count, err);
}

/* Many properties make a dictionary, or a global object. */
static hsd_status count_fields(hsd_v8 *v8, hsd_v8_source *s, const hsd_v8_view *v, hsd_error *err)
{
    size_t fields = 0;
    hsd_v8_proxies proxies = {.count = 0};
    for (size_t i = 0; i < v->count; i++) {
        const edge e = edge_at(v8, v, i);
        fields += e.kind == HSD_V8_EDGE_PROPERTY;
        if (e.kind != HSD_V8_EDGE_INTERNAL || e.is_dangling || proxies.count == HSD_V8_MOST_PROXIES) continue;
        const hsd_v8_mark mark = hsd_v8_marks_get(&v8->marks, e.target);
        if (mark == HSD_V8_MARK_OBJECT || hsd_v8_mark_is_native(mark)) proxies.names[proxies.count++] = e.name;
    }
    s->is_dictionary = fields > MOST_FIELDS || !v->is_whole;
    if (fields < GLOBAL_FIELDS || proxies.count == 0) return HSD_OK;
    const hsd_v8_global_node node = {.id = s->node.id, .ordinal = s->ordinal, .class_name = s->node.name};
    return hsd_v8_scopes_global(&v8->scopes, &v8->names, &node, &proxies, &s->global, err);
}

/* closure -> function, the reference before the one -> context, which is an object or, the outermost, V8's own. A class
 * that is a key of WeakMaps, as decorators make of it, has their values before these, or behind. */
static hsd_status look_at_closure(hsd_v8 *v8, hsd_v8_source *s, const hsd_v8_view *v, hsd_error *err)
{
    edge before = {.is_dangling = true};
    for (size_t i = 0; i < v->count; i++) {
        const edge e = edge_at(v8, v, i);
        if (e.kind != HSD_V8_EDGE_INTERNAL) continue;
        const bool is_behind_code =
            !before.is_dangling && hsd_v8_marks_get(&v8->marks, before.target) == HSD_V8_MARK_CODE;
        if (is_behind_code && (is_object(v8, &e) || (!e.is_dangling && hsd_v8_is_movable(v8, e.target)))) {
            const hsd_v8_link links[2] = {{before.name, before.target}, {e.name, e.target}};
            return hsd_v8_functions_closure(&v8->functions, &v8->names, s->ordinal, s->node.name, links, &s->function,
                                            err);
        }
        before = e;
    }
    return HSD_OK;
}

/* function -> script, the second of its references; a script is told by being one's target. */
static hsd_status look_at_code(hsd_v8 *v8, const hsd_v8_source *s, const hsd_v8_view *v, hsd_error *err)
{
    unsigned internal = 0;
    for (size_t i = 0; i < v->count && v->count <= MOST_CODE_EDGES; i++) {
        const edge e = edge_at(v8, v, i);
        if (e.kind != HSD_V8_EDGE_INTERNAL || e.is_dangling || ++internal < 2) continue;
        const hsd_v8_link link = {e.name, e.target};
        return hsd_v8_functions_code(&v8->functions, &v8->names, s->ordinal, s->node.name, link, err);
    }
    return HSD_OK;
}

/* Objects with fewer and more references are no modules: they have 10 to 20. */
#define LEAST_MODULE_EDGES 8u
#define MOST_MODULE_EDGES  40u

/* Old Node keeps what a module exports in a WeakMap as well, so the module, which is the key, refers to it twice. */
static uint32_t doubled_of(const hsd_v8 *v8, const hsd_v8_view *v)
{
    for (size_t i = 0; i < v->count; i++) {
        const edge inside = edge_at(v8, v, i);
        if (inside.kind != HSD_V8_EDGE_INTERNAL || inside.is_dangling) continue;
        for (size_t j = 0; j < v->count; j++) {
            const edge e = edge_at(v8, v, j);
            if (e.kind == HSD_V8_EDGE_PROPERTY && e.target == inside.target && !hsd_v8_is_movable(v8, e.target))
                return e.target;
        }
    }
    return UINT32_MAX;
}

/* A CommonJS module: the first property leads to a string, and a later one to the same. */
static hsd_status find_module(hsd_v8 *v8, hsd_v8_source *s, const hsd_v8_view *v, hsd_error *err)
{
    uint32_t first = UINT32_MAX;
    bool has_object = false, is_twice = false;
    if (!v->is_whole || v->count < LEAST_MODULE_EDGES || v->count > MOST_MODULE_EDGES) return HSD_OK;
    for (size_t i = 0; i < v->count; i++) {
        const edge e = edge_at(v8, v, i);
        if (e.kind != HSD_V8_EDGE_PROPERTY || e.is_dangling) continue;
        has_object |= is_object(v8, &e);
        if (first != UINT32_MAX)
            is_twice |= e.target == first;
        else if (hsd_v8_marks_get(&v8->marks, e.target) != HSD_V8_MARK_OTHER)
            return HSD_OK;
        else
            first = e.target;
    }
    if (!has_object || !is_twice) return HSD_OK;
    HSD_TRY(hsd_v8_modules_object(&v8->modules, &v8->names, &v8->wishes, s->ordinal, s->node.name, first, &s->module,
                                  err));
    if (s->module == HSD_V8_NO_MODULE) return HSD_OK;
    s->class_entry = v8->modules.items[s->module].proof + 1;
    s->doubled = doubled_of(v8, v);
    return HSD_OK;
}

/* An ES module, of a kind that the names will tell: hidden references to its table of exports, to its call, to lists of
 * cells. */
static hsd_status find_es_module(hsd_v8 *v8, hsd_v8_source *s, const hsd_v8_view *v, hsd_error *err)
{
    uint32_t parts[HSD_V8_MODULE_PARTS];
    if (s->kind == 0 || !v->is_whole || v->count > MOST_MODULE_EDGES) return HSD_OK;
    for (unsigned part = 0; part < HSD_V8_MODULE_PARTS; part++)
        parts[part] = UINT32_MAX;
    for (size_t i = 0; i < v->count; i++) {
        const edge e = edge_at(v8, v, i);
        if (e.kind != HSD_V8_EDGE_HIDDEN || e.is_dangling || e.name >= HSD_V8_MODULE_PARTS) continue;
        if (e.name == HSD_V8_MODULE_CALL ? is_object(v8, &e) : hsd_v8_is_movable(v8, e.target))
            parts[e.name] = e.target;
    }
    if (parts[HSD_V8_MODULE_TABLE] == UINT32_MAX || parts[HSD_V8_MODULE_CALL] == UINT32_MAX) return HSD_OK;
    return hsd_v8_modules_source(&v8->modules, s->ordinal, s->kind - 1, parts, &s->module, err);
}

/* A cell, whose only reference leads to what a module exports by it. */
static void look_at_cell(const hsd_v8 *v8, hsd_v8_source *s)
{
    s->exported = hsd_v8_modules_export(&v8->modules, s->ordinal);
    if (s->exported != HSD_V8_NO_ENTRY) s->module = v8->names.entries[s->exported].owner;
}

/* The call that runs an ES module: its first reference leads to its closure. */
static void look_at_call(hsd_v8 *v8, const hsd_v8_source *s, const hsd_v8_view *v)
{
    const uint32_t module = hsd_v8_modules_of_call(&v8->modules, s->ordinal);
    if (module == HSD_V8_NO_MODULE) return;
    for (size_t i = 0; i < v->count; i++) {
        const edge e = edge_at(v8, v, i);
        if (e.kind != HSD_V8_EDGE_INTERNAL || e.is_dangling) continue;
        v8->modules.items[module].closure = e.target;
        return;
    }
}

/* Objects of the embedder, and what arrays and strings keep outside the heap. Newer V8 makes embedder objects of its
 * own nodes too; but those of the embedder have no hidden references. */
static bool is_of_embedder(const hsd_v8 *v8, const hsd_v8_source *s, const hsd_v8_view *v)
{
    if (s->class != HSD_V8_NATIVE) return false;
    return v->count == 0 || edge_at(v8, v, v->count - 1).kind != HSD_V8_EDGE_HIDDEN;
}

/* V8's own nodes are of a kind, by name, because some of their references mean something. */
static hsd_status find_kind(hsd_v8 *v8, hsd_v8_source *s, hsd_error *err)
{
    uint32_t entry;
    if (s->is_external) return HSD_OK;
    HSD_TRY(hsd_v8_names_intern(&v8->names, HSD_V8_WAIT_SOURCE, 0, 0, s->node.name, &entry, err));
    s->kind = entry == HSD_V8_NO_ENTRY ? 0 : entry + 1;
    return HSD_OK;
}

/* A root is called by its class, unless that is a value of the program. */
static hsd_status await_root(hsd_v8 *v8, hsd_v8_source *s, hsd_error *err)
{
    const bool has_name = s->class == HSD_V8_SYNTHETIC || s->class == HSD_V8_NATIVE || s->class == HSD_V8_OBJECT ||
                          s->class == HSD_V8_CODE;
    const bool is_group = s->class == HSD_V8_SYNTHETIC && hsd_v8_is_pseudo(&s->node);
    return hsd_v8_roots_node(&v8->roots, &v8->names, s->ordinal, has_name ? s->node.name : 0, is_group, &s->group, err);
}

/* By its class and its edges. */
static inline hsd_status recognise(hsd_v8 *v8, hsd_v8_source *s, const hsd_v8_view *v, hsd_error *err)
{
    s->is_dictionary = v->count > MOST_FIELDS || !v->is_whole;
    s->is_external = is_of_embedder(v8, s, v);
    if (v->count == 0) return HSD_OK;
    switch ((unsigned)s->class) {
    case HSD_V8_OBJECT:
        if (edge_at(v8, v, 0).kind == HSD_V8_EDGE_CONTEXT) return find_scope(v8, s, v, err);
        if (edge_at(v8, v, 0).kind == HSD_V8_EDGE_INTERNAL) {
            HSD_TRY(find_block(v8, s, v, err));
            if (v->count <= MOST_BARE_EDGES || s->block != HSD_V8_NO_BLOCK) HSD_TRY(find_scope(v8, s, v, err));
        }
        look_at_call(v8, s, v);
        HSD_TRY(find_module(v8, s, v, err));
        return v->count >= GLOBAL_FIELDS ? count_fields(v8, s, v, err) : HSD_OK;
    case HSD_V8_CLOSURE: return look_at_closure(v8, s, v, err);
    case HSD_V8_ARRAY: s->module = hsd_v8_modules_of_table(&v8->modules, s->ordinal); return HSD_OK;
    case HSD_V8_CODE: HSD_TRY(look_at_names(v8, s, v, err)); return look_at_code(v8, s, v, err);
    case HSD_V8_HIDDEN:
    case HSD_V8_NATIVE:
        HSD_TRY(find_kind(v8, s, err));
        if (v->count == 1) look_at_cell(v8, s);
        return find_es_module(v8, s, v, err);
    default: return HSD_OK;
    }
}

hsd_status hsd_v8_source_recognise(hsd_v8 *v8, hsd_v8_source *s, const hsd_v8_view *v, hsd_error *err)
{
    if (__builtin_expect(!hsd_v8_marks_is_awaited(&v8->marks, s->ordinal), 1)) return recognise(v8, s, v, err);
    if (hsd_v8_roots_has(&v8->roots, &v8->marks, s->ordinal)) HSD_TRY(await_root(v8, s, err));
    HSD_TRY(recognise(v8, s, v, err));
    const bool has_name = s->class == HSD_V8_OBJECT || s->class == HSD_V8_CODE || s->class == HSD_V8_HIDDEN;
    if (!hsd_v8_frames_has(&v8->roots.frames, s->ordinal) || (!has_name && s->function == HSD_V8_NO_FUNCTION))
        return HSD_OK;
    hsd_v8_frames_see(&v8->roots.frames, s->ordinal, s->node.name, s->function);
    return HSD_OK;
}

/* ---- the object ---- */

/* The type of a class; past the limit of names they share one. */
static hsd_status class_type(hsd_v8 *v8, hsd_v8_wait wait, uint32_t name, uint32_t *out, hsd_error *err)
{
    uint32_t entry = hsd_v8_names_find(&v8->names, hsd_v8_key(wait, 0, 0, name));
    if (__builtin_expect(entry == HSD_V8_NO_ENTRY, 0))
        HSD_TRY(hsd_v8_names_intern(&v8->names, wait, 0, 0, name, &entry, err));
    *out = entry == HSD_V8_NO_ENTRY ? HSD_V8_TYPE_OTHER : v8->names.entries[entry].number;
    return HSD_OK;
}

/* Types made of node types have fixed numbers; classes of objects get theirs by name. */
hsd_status hsd_v8_type_of(hsd_v8 *v8, const hsd_v8_node *node, uint32_t *out, hsd_error *err)
{
    const hsd_v8_class class = hsd_v8_class_of(&v8->layout, node->type);
    if (class == HSD_V8_OBJECT) return class_type(v8, HSD_V8_WAIT_TYPE, node->name, out, err);
    if (class == HSD_V8_NATIVE) {
        const hsd_v8_wait wait = node->state == HSD_V8_STATE_DETACHED ? HSD_V8_WAIT_DETACHED : HSD_V8_WAIT_NATIVE;
        return class_type(v8, wait, node->name, out, err);
    }
    v8->type_used[node->type] = true;
    *out = (uint32_t)node->type + 1;
    return HSD_OK;
}

/* The string that names this one object: what its type does not say. */
static hsd_status name_of(hsd_v8 *v8, const hsd_v8_source *s, uint32_t *out, hsd_error *err)
{
    uint32_t entry;
    *out = 0;
    if (s->global != HSD_V8_NO_SCOPE) {
        *out = HSD_V8_STRING_GLOBALS + s->global;
        return HSD_OK;
    }
    if (s->scope != HSD_V8_NO_SCOPE) {
        *out = HSD_V8_STRING_SCOPES + s->scope;
        return HSD_OK;
    }
    if (s->module != HSD_V8_NO_MODULE) {
        *out = HSD_V8_STRING_MODULES + s->module;
        return HSD_OK;
    }
    const bool is_named = s->class == HSD_V8_CLOSURE || s->class == HSD_V8_CODE || s->class == HSD_V8_HIDDEN ||
                          s->class == HSD_V8_OBJECT_SHAPE;
    if (!is_named || s->node.name >= HSD_V8_MOST_STRINGS) return HSD_OK;
    HSD_TRY(hsd_v8_names_intern(&v8->names, HSD_V8_WAIT_NAME, 0, 0, s->node.name, &entry, err));
    if (entry != HSD_V8_NO_ENTRY) *out = s->node.name + 1;
    return HSD_OK;
}

/* Of a heap that is not the first. */
static void move_behind(const hsd_v8 *v8, hsc_object *object)
{
    object->id += v8->heap.thread << HSD_V8_THREAD_SHIFT;
    object->type += v8->heap.first_type;
    object->name = hsd_v8_string_in_capture(v8, object->name);
}

hsd_status hsd_v8_source_begin(hsd_v8 *v8, const hsd_v8_source *s, hsd_error *err)
{
    hsc_object object = {.id = s->node.id,
                         .size_bytes = s->is_external ? 0 : s->node.self_size,
                         .native_bytes = s->is_external ? s->node.self_size : 0};
    if (s->function != HSD_V8_NO_FUNCTION)
        object.type = v8->functions.items[s->function].type;
    else
        HSD_TRY(hsd_v8_type_of(v8, &s->node, &object.type, err));
    HSD_TRY(name_of(v8, s, &object.name, err));
    if (s->node.trace != 0) HSD_TRY(hsd_v8_traces_site(&v8->traces, s->node.trace, &object.site, err));
    if (hsd_v8_is_pseudo(&s->node)) object.flags |= HSC_OBJECT_PSEUDO;
    if (s->class == HSD_V8_NATIVE && s->node.state == HSD_V8_STATE_DETACHED) object.flags |= HSC_OBJECT_DETACHED;
    if (v8->heap.index > 0) move_behind(v8, &object);
    HSD_WRITE(v8->import, hsc_begin_object(v8->import->writer, &object), err);
    v8->import->result->objects += !hsd_v8_is_pseudo(&s->node);
    v8->import->result->bytes = hsd_add_saturating(v8->import->result->bytes, s->node.self_size);
    return HSD_OK;
}

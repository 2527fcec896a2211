/*
 * Reads the list of edges beside the spool of nodes and writes objects with their references.
 *
 * Edges are grouped by source in the order of the nodes, so both are walked once. Before the first
 * reference of a node is written, all its edges are looked at where they can make it something
 * special: a global object, a module's context, a group of roots.
 *
 *      edge type   from                  reference
 *      property    object                FIELD .name; names that are data become "[key]"
 *      element     array                 ELEMENT [i]
 *      context     context               VARIABLE
 *      internal    any                   INTERNAL <name>; slots of arrays have no name
 *      hidden      any                   INTERNAL
 *      shortcut    any but node 0        INTERNAL, WEAK: there is another way
 *      weak        any                   WEAK
 *
 * Two strong references of V8 say twice what holds once, and the second is weakened: the table of a
 * WeakMap -> value (the key holds it; V8 tells both), and PropertyCell -> value (the global object holds
 * it). Not where they lead to something movable, because DevTools counts both ways to an owner there,
 * nor to what may be V8's own.
 */
#include "import/v8_import.h"

#include <string.h>

#include "base/check.h"

/* An object with more properties than this is a dictionary, whose keys are data. */
#define MOST_FIELDS 128u
/* … unless the name is seen on as many objects that are none. */
#define COMMON_FIELD 16u
/* A global object has all of JavaScript's own: about 60 properties. */
#define GLOBAL_FIELDS 30u
/* Names of V8's own references: some hundred, and one for each pair of a WeakMap. */
#define MOST_INTERNAL 16384u
/* Functions and scripts have four to six edges, in Chromium up to 23. */
#define MOST_CODE_EDGES 32u

/* The node whose references are written, and what is known of it. */
typedef struct source {
    hsd_v8_node node;
    hsd_v8_class class;
    uint32_t ordinal;
    uint32_t group;         /* of roots, or HSD_V8_NO_GROUP */
    uint32_t scope, global; /* or HSD_V8_NO_SCOPE */
    uint32_t kind;          /* V8's own: entry of its WAIT_SOURCE, + 1 */
    bool is_dictionary;
    uint32_t weak_target; /* of the edge before, if that was weak; else UINT32_MAX */
} source;

typedef hsd_v8_reference edge;

typedef struct walk {
    hsd_v8 *v8;
    hsd_v8_feed feed;
} walk;

/* ---- one edge ---- */

static inline bool is_movable(const walk *w, uint32_t node)
{
    return hsd_v8_marks_get(&w->v8->marks, node) == HSD_V8_MARK_MOVABLE;
}

static inline bool is_object(const walk *w, const edge *e)
{
    return !e->is_dangling && hsd_v8_marks_get(&w->v8->marks, e->target) == HSD_V8_MARK_OBJECT;
}

/* ---- what a node is, by all its edges ---- */

/* The edges of this node that can be seen. */
typedef struct view {
    const uint64_t *items;
    size_t count;
    bool is_whole;
} view;

static edge edge_at(const walk *w, const view *v, size_t i)
{
    return hsd_v8_reference_at(w->v8, v->items + i * w->v8->layout.edge_width);
}

/* An outermost context: first its variables, then its scope info, and no object as V8's own. */
static hsd_status find_scope(walk *w, source *s, const view *v, hsd_error *err)
{
    uint32_t home = UINT32_MAX;
    if (!v->is_whole) return HSD_OK;
    for (size_t i = 0; i < v->count; i++) {
        const edge e = edge_at(w, v, i);
        if (e.kind != HSD_V8_EDGE_INTERNAL) continue;
        if (is_object(w, &e)) return HSD_OK;
        if (home == UINT32_MAX && !e.is_dangling) home = e.target;
    }
    if (home == UINT32_MAX) return HSD_OK;
    return hsd_v8_scopes_context(&w->v8->scopes, s->ordinal, home, &s->scope, err);
}

/* Many properties make a dictionary, or a global object. */
static hsd_status count_fields(walk *w, source *s, const view *v, hsd_error *err)
{
    size_t fields = 0;
    hsd_v8_proxies proxies = {.count = 0};
    for (size_t i = 0; i < v->count; i++) {
        const edge e = edge_at(w, v, i);
        fields += e.kind == HSD_V8_EDGE_PROPERTY;
        if (e.kind != HSD_V8_EDGE_INTERNAL || e.is_dangling || proxies.count == HSD_V8_MOST_PROXIES)
            continue;
        const hsd_v8_mark mark = hsd_v8_marks_get(&w->v8->marks, e.target);
        if (mark == HSD_V8_MARK_OBJECT || hsd_v8_mark_is_native(mark))
            proxies.names[proxies.count++] = e.name;
    }
    s->is_dictionary = fields > MOST_FIELDS || !v->is_whole;
    if (fields < GLOBAL_FIELDS || proxies.count == 0) return HSD_OK;
    return hsd_v8_scopes_global(&w->v8->scopes, &w->v8->names, s->ordinal, s->node.name, &proxies,
                                &s->global, err);
}

/* closure -> function, the reference before the one -> context. */
static hsd_status look_at_closure(walk *w, const view *v, hsd_error *err)
{
    edge before = {.is_dangling = true};
    for (size_t i = 0; i < v->count; i++) {
        const edge e = edge_at(w, v, i);
        if (e.kind != HSD_V8_EDGE_INTERNAL) continue;
        if (is_object(w, &e)) {
            const bool is_code = !before.is_dangling &&
                                 hsd_v8_marks_get(&w->v8->marks, before.target) == HSD_V8_MARK_CODE;
            if (!is_code) return HSD_OK;
            const hsd_v8_link function = {before.name, before.target}, context = {e.name, e.target};
            return hsd_v8_scopes_closure(&w->v8->scopes, &w->v8->names, function, context, err);
        }
        before = e;
    }
    return HSD_OK;
}

/* function -> script, the second of its references; a script is told by being one's target. */
static hsd_status look_at_code(walk *w, const source *s, const view *v, hsd_error *err)
{
    unsigned internal = 0;
    for (size_t i = 0; i < v->count && v->count <= MOST_CODE_EDGES; i++) {
        const edge e = edge_at(w, v, i);
        if (e.kind != HSD_V8_EDGE_INTERNAL || e.is_dangling || ++internal < 2) continue;
        const hsd_v8_link link = {e.name, e.target};
        return hsd_v8_scopes_code(&w->v8->scopes, &w->v8->names, s->ordinal, s->node.name, link,
                                  err);
    }
    return HSD_OK;
}

/* V8's own nodes are of a kind, by name, because some of their references mean something. Newer V8 makes
 * them embedder objects; those of the embedder have no hidden references. */
static hsd_status find_kind(walk *w, source *s, const view *v, hsd_error *err)
{
    uint32_t entry;
    if (s->class == HSD_V8_NATIVE && edge_at(w, v, v->count - 1).kind != HSD_V8_EDGE_HIDDEN)
        return HSD_OK;
    HSD_TRY(
        hsd_v8_names_intern(&w->v8->names, HSD_V8_WAIT_SOURCE, 0, 0, s->node.name, &entry, err));
    s->kind = entry == HSD_V8_NO_ENTRY ? 0 : entry + 1;
    return HSD_OK;
}

static hsd_status recognise(walk *w, source *s, const view *v, hsd_error *err)
{
    s->is_dictionary = v->count > MOST_FIELDS || !v->is_whole;
    if (v->count == 0) return HSD_OK;
    switch ((unsigned)s->class) {
    case HSD_V8_OBJECT:
        if (edge_at(w, v, 0).kind == HSD_V8_EDGE_CONTEXT) return find_scope(w, s, v, err);
        return v->count >= GLOBAL_FIELDS ? count_fields(w, s, v, err) : HSD_OK;
    case HSD_V8_CLOSURE: return look_at_closure(w, v, err);
    case HSD_V8_CODE: return look_at_code(w, s, v, err);
    case HSD_V8_HIDDEN:
    case HSD_V8_NATIVE: return find_kind(w, s, v, err);
    default: return HSD_OK;
    }
}

/* ---- labels ---- */

/* The label of a name, or `otherwise` when there is no room for more. */
static inline hsd_status intern(hsd_v8 *v8, hsd_v8_wait wait, unsigned flags, uint32_t owner,
                                uint32_t name, uint32_t otherwise, uint32_t *label, hsd_error *err)
{
    uint32_t entry = hsd_v8_names_find(&v8->names, hsd_v8_key(wait, flags, owner, name));
    if (__builtin_expect(entry == HSD_V8_NO_ENTRY, 0))
        HSD_TRY(hsd_v8_names_intern(&v8->names, wait, flags, owner, name, &entry, err));
    *label = entry == HSD_V8_NO_ENTRY ? otherwise : v8->names.entries[entry].number;
    return HSD_OK;
}

/* A label that no other object has. */
static hsd_status own_label(hsd_v8 *v8, hsd_v8_wait wait, uint32_t owner, uint32_t name,
                            uint32_t otherwise, uint32_t *label, hsd_error *err)
{
    uint32_t entry;
    HSD_TRY(hsd_v8_names_add(&v8->names, wait, owner, name, 0, &entry, err));
    *label = entry == HSD_V8_NO_ENTRY ? otherwise : v8->names.entries[entry].number;
    return HSD_OK;
}

static inline hsd_status field_label(hsd_v8 *v8, const source *s, uint32_t name, uint32_t *label,
                                     hsd_error *err)
{
    if (s->global != HSD_V8_NO_SCOPE)
        return own_label(v8, HSD_V8_WAIT_GLOBAL_FIELD, s->global, name, HSD_V8_LABEL_KEY, label,
                         err);
    const uint64_t key = hsd_v8_key(HSD_V8_WAIT_FIELD, 0, 0, name);
    uint32_t entry = hsd_v8_names_find(&v8->names, key);
    if (s->is_dictionary && !v8->import->options->with_values) {
        const bool is_common =
            entry != HSD_V8_NO_ENTRY && v8->names.entries[entry].seen >= COMMON_FIELD;
        *label = is_common ? v8->names.entries[entry].number : HSD_V8_LABEL_KEY;
        return HSD_OK;
    }
    if (__builtin_expect(entry == HSD_V8_NO_ENTRY, 0))
        HSD_TRY(hsd_v8_names_intern(&v8->names, HSD_V8_WAIT_FIELD, 0, 0, name, &entry, err));
    *label = HSD_V8_LABEL_KEY;
    if (entry == HSD_V8_NO_ENTRY) return HSD_OK;
    hsd_v8_entry *field = &v8->names.entries[entry];
    field->seen = (uint8_t)(field->seen + (field->seen < COMMON_FIELD));
    *label = field->number;
    return HSD_OK;
}

static hsd_status internal_label(walk *w, const source *s, const edge *e, uint32_t *label,
                                 hsd_error *err)
{
    hsd_v8 *v8 = w->v8;
    *label = HSD_V8_LABEL_INTERNAL;
    if (s->class == HSD_V8_ARRAY) {
        /* A WeakMap's table: weak to the value, and then a second time, because the pair holds it. */
        if (e->target == s->weak_target && !is_movable(w, e->target))
            *label = HSD_V8_LABEL_INTERNAL_WEAK;
        return HSD_OK;
    }
    if (s->class == HSD_V8_SYNTHETIC) return HSD_OK;
    if (s->kind != 0) {
        /* V8's accessors, hidden nodes once and embedder objects now, hang from their cell alone. */
        const bool is_kept = is_movable(w, e->target) ||
                             hsd_v8_marks_get(&v8->marks, e->target) == HSD_V8_MARK_NATIVE;
        const unsigned flags = is_kept ? HSD_V8_ENTRY_MOVABLE : 0;
        return intern(v8, HSD_V8_WAIT_CELL, flags, s->kind, e->name, HSD_V8_LABEL_INTERNAL, label,
                      err);
    }
    const uint32_t entry =
        hsd_v8_names_find(&v8->names, hsd_v8_key(HSD_V8_WAIT_INTERNAL, 0, 0, e->name));
    if (__builtin_expect(entry != HSD_V8_NO_ENTRY, 1)) {
        *label = v8->names.entries[entry].number;
        return HSD_OK;
    }
    if (v8->internal_count == MOST_INTERNAL) return HSD_OK;
    v8->internal_count++;
    return intern(v8, HSD_V8_WAIT_INTERNAL, 0, 0, e->name, HSD_V8_LABEL_INTERNAL, label, err);
}

static inline hsd_status label_of(walk *w, const source *s, const edge *e, uint32_t *label,
                                  uint64_t *index, hsd_error *err)
{
    hsd_v8 *v8 = w->v8;
    *index = 0;
    switch (e->kind) {
    case HSD_V8_EDGE_PROPERTY: return field_label(v8, s, e->name, label, err);
    case HSD_V8_EDGE_INTERNAL: return internal_label(w, s, e, label, err);
    case HSD_V8_EDGE_ELEMENT:
        *label = HSD_V8_LABEL_ELEMENT;
        *index = e->name;
        return HSD_OK;
    case HSD_V8_EDGE_CONTEXT:
        if (s->scope != HSD_V8_NO_SCOPE)
            return own_label(v8, HSD_V8_WAIT_SCOPE_VARIABLE, s->scope, e->name, HSD_V8_LABEL_KEY,
                             label, err);
        return intern(v8, HSD_V8_WAIT_VARIABLE, 0, 0, e->name, HSD_V8_LABEL_KEY, label, err);
    case HSD_V8_EDGE_SHORTCUT:
        *label = HSD_V8_LABEL_INTERNAL;
        if (s->ordinal == 0) return HSD_OK;
        return intern(v8, HSD_V8_WAIT_SHORTCUT, is_movable(w, e->target) ? HSD_V8_ENTRY_MOVABLE : 0,
                      0, e->name, HSD_V8_LABEL_INTERNAL, label, err);
    case HSD_V8_EDGE_WEAK:
        *label = HSD_V8_LABEL_WEAK;
        if (s->class != HSD_V8_OBJECT) return HSD_OK;
        return intern(v8, HSD_V8_WAIT_WEAK, 0, 0, e->name, HSD_V8_LABEL_WEAK, label, err);
    case HSD_V8_EDGE_HIDDEN:
    case HSD_V8_EDGE_OTHER:
    case HSD_V8_EDGE_COUNT: break;
    }
    *label = HSD_V8_LABEL_INTERNAL;
    *index = e->name;
    return HSD_OK;
}

/* ---- objects ---- */

/* Types made of node types have fixed numbers; classes of objects get theirs by name. */
hsd_status hsd_v8_type_of(hsd_v8 *v8, const hsd_v8_node *node, uint32_t *out, hsd_error *err)
{
    const hsd_v8_class class = hsd_v8_class_of(&v8->layout, node->type);
    if (class == HSD_V8_OBJECT)
        return intern(v8, HSD_V8_WAIT_TYPE, 0, 0, node->name, HSD_V8_TYPE_OTHER, out, err);
    if (class == HSD_V8_NATIVE) {
        const hsd_v8_wait wait =
            node->state == HSD_V8_STATE_DETACHED ? HSD_V8_WAIT_DETACHED : HSD_V8_WAIT_NATIVE;
        return intern(v8, wait, 0, 0, node->name, HSD_V8_TYPE_OTHER, out, err);
    }
    v8->type_used[node->type] = true;
    *out = (uint32_t)node->type + 1;
    return HSD_OK;
}

/* The string that names this one object: what its type does not say. */
static hsd_status name_of(hsd_v8 *v8, const source *s, uint32_t *out, hsd_error *err)
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
    const bool is_named = s->class == HSD_V8_CLOSURE || s->class == HSD_V8_CODE ||
                          s->class == HSD_V8_HIDDEN || s->class == HSD_V8_OBJECT_SHAPE;
    if (!is_named || s->node.name >= HSD_V8_MOST_STRINGS) return HSD_OK;
    HSD_TRY(hsd_v8_names_intern(&v8->names, HSD_V8_WAIT_NAME, 0, 0, s->node.name, &entry, err));
    if (entry != HSD_V8_NO_ENTRY) *out = s->node.name + 1;
    return HSD_OK;
}

static hsd_status begin_object(hsd_v8 *v8, const source *s, hsd_error *err)
{
    hsc_object object = {.id = s->node.id, .size_bytes = s->node.self_size};
    HSD_TRY(hsd_v8_type_of(v8, &s->node, &object.type, err));
    HSD_TRY(name_of(v8, s, &object.name, err));
    if (hsd_v8_is_pseudo(&s->node)) object.flags |= HSC_OBJECT_PSEUDO;
    if (s->class == HSD_V8_NATIVE && s->node.state == HSD_V8_STATE_DETACHED)
        object.flags |= HSC_OBJECT_DETACHED;
    HSD_WRITE(v8->import, hsc_begin_object(v8->import->writer, &object), err);
    v8->import->result->objects += !hsd_v8_is_pseudo(&s->node);
    v8->import->result->bytes = hsd_add_saturating(v8->import->result->bytes, s->node.self_size);
    return HSD_OK;
}

static hsd_status write_edges(walk *w, source *s, const uint64_t *items, size_t count,
                              hsd_error *err)
{
    hsd_v8 *v8 = w->v8;
    const size_t width = v8->layout.edge_width;
    const bool is_root = s->ordinal == 0 || s->group != HSD_V8_NO_GROUP;
    for (size_t i = 0; i < count; i++, items += width) {
        const edge e = hsd_v8_reference_at(v8, items);
        uint32_t label;
        uint64_t index;
        if (__builtin_expect(e.is_dangling, 0)) {
            v8->dangling++;
            continue;
        }
        if (__builtin_expect(is_root, 0))
            HSD_TRY(hsd_v8_roots_reference(&v8->roots, &v8->marks, s->ordinal, s->group, e.kind,
                                           e.target, err));
        hsd_v8_marks_refer(&v8->marks, e.target);
        HSD_TRY(label_of(w, s, &e, &label, &index, err));
        s->weak_target = e.kind == HSD_V8_EDGE_WEAK ? e.target : UINT32_MAX;
        HSD_WRITE(v8->import,
                  hsc_reference(v8->import->writer, hsd_v8_late_ordinal(&v8->late, e.target), label,
                                index),
                  err);
    }
    v8->import->result->references += count;
    return HSD_OK;
}

/* A root is called by its class, unless that is a value of the program. */
static hsd_status await_root(hsd_v8 *v8, source *s, hsd_error *err)
{
    const bool has_name = s->class == HSD_V8_SYNTHETIC || s->class == HSD_V8_NATIVE ||
                          s->class == HSD_V8_OBJECT || s->class == HSD_V8_CODE;
    const bool is_group = s->class == HSD_V8_SYNTHETIC && hsd_v8_is_pseudo(&s->node);
    return hsd_v8_roots_node(&v8->roots, &v8->names, s->ordinal, has_name ? s->node.name : 0,
                             is_group, &s->group, err);
}

static hsd_status write_object(walk *w, source *s, hsd_error *err)
{
    hsd_v8 *v8 = w->v8;
    const size_t due = s->node.edge_count,
                 seen = due < HSD_V8_FEED_MOST_EDGES ? due : HSD_V8_FEED_MOST_EDGES;
    if (hsd_v8_marks_is_awaited(&v8->marks, s->ordinal)) HSD_TRY(await_root(v8, s, err));
    HSD_TRY(hsd_v8_feed_need(&w->feed, seen, err));
    size_t step = hsd_v8_feed_ahead(&w->feed);
    if (step > due) step = due;
    const view v = {w->feed.items + w->feed.at, step, step == due};
    HSD_TRY(recognise(w, s, &v, err));
    HSD_TRY(begin_object(v8, s, err));
    for (size_t left = due; left > 0;) {
        HSD_TRY(write_edges(w, s, w->feed.items + w->feed.at, step, err));
        hsd_v8_feed_take(&w->feed, step);
        left -= step;
        if (left == 0) break;
        HSD_TRY(hsd_v8_feed_need(
            &w->feed, left < HSD_V8_FEED_MOST_EDGES ? left : HSD_V8_FEED_MOST_EDGES, err));
        HSD_TRY(hsd_v8_progress(v8, err));
        step = hsd_v8_feed_ahead(&w->feed);
        if (step > left) step = left;
        if (step == 0) break; /* the list is too short: see check_end */
    }
    HSD_WRITE(v8->import, hsc_end_object(v8->import->writer), err);
    return HSD_OK;
}

/* ---- embedder objects wait: see v8_late.h ---- */

static hsd_status put_late_edges(walk *w, const source *s, const uint64_t *items, size_t count,
                                 hsd_error *err)
{
    hsd_v8 *v8 = w->v8;
    for (size_t i = 0; i < count; i++, items += v8->layout.edge_width) {
        const edge e = hsd_v8_reference_at(v8, items);
        HSD_TRY(hsd_v8_feed_put_away(&v8->late.edges, &v8->layout, items, err));
        if (e.is_dangling || e.kind == HSD_V8_EDGE_HIDDEN || e.kind == HSD_V8_EDGE_WEAK) continue;
        if (hsd_v8_marks_get(&v8->marks, e.target) != HSD_V8_MARK_NATIVE) continue;
        HSD_TRY(hsd_v8_late_pair(&v8->late, s->ordinal, e.target, err));
    }
    return HSD_OK;
}

static hsd_status put_late(walk *w, const source *s, hsd_error *err)
{
    hsd_v8_spool *nodes = &w->v8->late.nodes;
    HSD_TRY(hsd_v8_spool_room(nodes, sizeof *s, err));
    memcpy(nodes->at, s, sizeof *s);
    nodes->at += sizeof *s;
    for (uint64_t left = s->node.edge_count; left > 0;) {
        HSD_TRY(hsd_v8_feed_need(&w->feed, 1, err));
        const size_t step = (size_t)hsd_min_u64(left, hsd_v8_feed_ahead(&w->feed));
        if (step == 0) break; /* the list is too short: see check_end */
        HSD_TRY(put_late_edges(w, s, w->feed.items + w->feed.at, step, err));
        hsd_v8_feed_take(&w->feed, step);
        left -= step;
    }
    return HSD_OK;
}

static hsd_status write_late(walk *w, hsd_error *err)
{
    hsd_v8 *v8 = w->v8;
    hsd_v8_spool *nodes = &v8->late.nodes;
    HSD_TRY(hsd_v8_late_spread(&v8->late, &v8->marks, err));
    HSD_TRY(hsd_v8_spool_rewind(nodes, false, err));
    HSD_TRY(hsd_v8_spool_rewind(&v8->late.edges, false, err));
    hsd_v8_feed_switch(&w->feed, &v8->late.edges);
    for (;;) {
        source s;
        const hsd_status status = hsd_v8_spool_next(nodes, err);
        if (status == HSD_END) return HSD_OK;
        HSD_TRY(status);
        memcpy(&s, nodes->at, sizeof s);
        nodes->at += sizeof s;
        if (hsd_v8_marks_get(&v8->marks, s.ordinal) == HSD_V8_MARK_DETACHED)
            s.node.state = HSD_V8_STATE_DETACHED;
        HSD_TRY(write_object(w, &s, err));
    }
}

/* ---- all nodes ---- */

static hsd_status take_node(walk *w, uint32_t ordinal, uint64_t *last_id, hsd_error *err)
{
    hsd_v8 *v8 = w->v8;
    source s = {.ordinal = ordinal,
                .group = HSD_V8_NO_GROUP,
                .scope = HSD_V8_NO_SCOPE,
                .global = HSD_V8_NO_SCOPE,
                .weak_target = UINT32_MAX};
    v8->nodes.at = hsd_v8_node_unpack(v8->nodes.at, &s.node, *last_id);
    *last_id = s.node.id;
    s.class = hsd_v8_class_of(&v8->layout, s.node.type);
    return v8->late.is_used && s.class == HSD_V8_NATIVE ? put_late(w, &s, err)
                                                        : write_object(w, &s, err);
}

static hsd_status write_all(walk *w, hsd_error *err)
{
    hsd_v8 *v8 = w->v8;
    uint64_t last_id = 0;
    HSD_TRY(hsd_v8_spool_rewind(&v8->nodes, false, err));
    for (uint32_t ordinal = 0;; ordinal++) {
        const hsd_status status = hsd_v8_spool_next(&v8->nodes, err);
        if (status == HSD_END) break;
        HSD_TRY(status);
        HSD_TRY(take_node(w, ordinal, &last_id, err));
        if ((ordinal & 0xfff) == 0) HSD_TRY(hsd_v8_progress(v8, err));
        if (w->feed.failure != HSD_OK && !v8->import->options->salvage) break;
    }
    return hsd_v8_feed_need(&w->feed, 1, err); /* sees the end of the list, or that it goes on */
}

/* ---- the list ---- */

/* What nothing refers to is held by V8 itself: a collection ran just before. */
static hsd_status put_orphans(hsd_v8 *v8, hsd_error *err)
{
    for (uint64_t node = 1; node < v8->marks.count; node++)
        if (!hsd_v8_marks_is_referred(&v8->marks, node))
            HSD_TRY(hsd_v8_roots_put(&v8->roots, HSD_V8_GROUP_ORPHANS, (uint32_t)node, err));
    return HSD_OK;
}

static hsd_status fail_count(const hsd_v8 *v8, const char *what, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(v8->source),
                       "no valid heap snapshot: the list has %s edges than its nodes say, %llu",
                       what, (unsigned long long)v8->edges_due);
}

/* All nodes have their edges; there must be no more, and no fewer. */
static hsd_status check_end(walk *w, const hsd_v8_numbers *numbers, hsd_error *err)
{
    const hsd_v8 *v8 = w->v8;
    uint64_t due;
    if (w->feed.failure != HSD_OK) {
        if (err != NULL) *err = w->feed.error;
        return w->feed.failure;
    }
    if (!hsd_mul_u64(v8->edges_due, v8->layout.edge_width, &due) || numbers->count < due)
        return fail_count(v8, "fewer", err);
    return numbers->count > due ? fail_count(v8, "more", err) : HSD_OK;
}

/* The snapshot ends before its edges. */
static hsd_status write_without_edges(walk *w, hsd_error *err)
{
    HSD_TRY(write_all(w, err));
    return w->v8->late.is_used ? write_late(w, err) : HSD_OK;
}

/* The end of the list may be the end of the input: then what is there is written first, if wanted. */
static hsd_status write_and_check(walk *w, const hsd_v8_numbers *numbers, hsd_error *err)
{
    hsd_v8 *v8 = w->v8;
    HSD_TRY(write_all(w, err));
    const hsd_status status = check_end(w, numbers, err);
    if (status != HSD_OK && !v8->import->options->salvage) return status;
    if (v8->late.is_used) HSD_TRY(write_late(w, err));
    return status == HSD_OK ? put_orphans(v8, err) : status;
}

hsd_status hsd_v8_write_objects(hsd_v8 *v8, hsd_v8_numbers *numbers, hsd_error *err)
{
    hsd_v8_numbers none = {.source = v8->source, .is_at_end = true};
    walk w = {.v8 = v8};
    HSD_TRY(hsd_v8_marks_seal(&v8->marks, err));
    if (v8->has_detached)
        HSD_TRY(hsd_v8_late_open(&v8->late, &v8->marks, v8->import->space,
                                 v8->import->memory_bytes / 8, err));
    hsd_status status =
        hsd_v8_feed_open(&w.feed, &v8->layout, numbers == NULL ? &none : numbers, err);
    if (status == HSD_OK)
        status = numbers == NULL ? write_without_edges(&w, err) : write_and_check(&w, numbers, err);
    hsd_v8_feed_close(&w.feed);
    return status;
}

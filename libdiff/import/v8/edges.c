/*
 * Reads the list of edges beside the spool of nodes and writes objects with their references.
 *
 * Edges are grouped by source in the order of the nodes, so both are walked once. Before the first
 * reference of a node is written, all its edges are looked at where they can make it something
 * special: a global object, a module's context, a group of roots.
 *
 *      edge type   from                  reference
 *      property    object                FIELD .name; where the name is data, a VALUE without one
 *      element     array                 ELEMENT [i]
 *      context     context               VARIABLE
 *      internal    array                 VALUE without a name: an item of what the array is the inside of
 *      internal    any other             INTERNAL <name>
 *      hidden      context of a block    VARIABLE, its name from elsewhere (blocks.h)
 *      hidden      any other             INTERNAL
 *      shortcut    any but node 0        INTERNAL, WEAK: there is another way
 *      weak        any                   WEAK
 *
 * Two strong references of V8 say twice what holds once, and the second is weakened: the table of a
 * WeakMap -> value (the key holds it; V8 tells both), and PropertyCell -> value (the global object holds
 * it); what a module has as a property, and as a key, is weakened likewise. Not where they lead to something movable,
 * because DevTools counts both ways to an owner there, nor to what may be V8's own.
 *
 * A table of a WeakMap is known by its names, one for each pair, which are not there yet. But V8 numbers
 * strings as it meets them, so no edge before has had that name. All items of an array that are new in
 * this way share a label, and the text of the first will tell what that is. Node also has a weak reference
 * to the value right before the strong one, pages have not.
 */
#include <string.h>

#include "base/check.h"
#include "import/v8/heaps.h"
#include "import/v8/source.h"

/* Strings of one node of code that are looked at. */
#define MOST_CONSTANTS 4096u
/* Names of V8's own references: some hundred, and one for each pair of a WeakMap. */
#define MOST_INTERNAL 16384u
/* Arrays with a name that no edge before had: tables of WeakMaps, and those longer than any before. */
#define MOST_TABLES 16384u

typedef hsd_v8_source source;
typedef hsd_v8_reference edge;

typedef struct walk {
    hsd_v8 *v8;
    hsd_v8_feed feed;
    /* Of the code that is looked at. Locals are cleared (-ftrivial-auto-var-init): 16 KiB for each object of code. */
    uint32_t constants[MOST_CONSTANTS];
} walk;

/* ---- labels ---- */

/* The label of a name, or `otherwise` when there is no room for more. */
static inline hsd_status intern_v8_edge(hsd_v8 *v8, hsd_v8_wait wait, unsigned flags, uint32_t owner, uint32_t name,
                                        uint32_t otherwise, uint32_t *label, hsd_error *err)
{
    uint32_t entry = hsd_v8_names_find(&v8->names, hsd_v8_key(wait, flags, owner, name));
    if (__builtin_expect(entry == HSD_V8_NO_ENTRY, 0))
        HSD_TRY(hsd_v8_names_intern(&v8->names, wait, flags, owner, name, &entry, err));
    *label = entry == HSD_V8_NO_ENTRY ? otherwise : v8->names.entries[entry].number;
    return HSD_OK;
}

/* A label that no other object has. */
static hsd_status own_label(hsd_v8 *v8, hsd_v8_wait wait, uint32_t owner, uint32_t name, uint32_t otherwise,
                            uint32_t *label, hsd_error *err)
{
    uint32_t entry;
    HSD_TRY(hsd_v8_names_add(&v8->names, wait, owner, name, 0, &entry, err));
    *label = entry == HSD_V8_NO_ENTRY ? otherwise : v8->names.entries[entry].number;
    return HSD_OK;
}

static inline hsd_status field_label(hsd_v8 *v8, const source *s, uint32_t name, uint32_t *label, hsd_error *err)
{
    if (s->global != HSD_V8_NO_SCOPE)
        return own_label(v8, HSD_V8_WAIT_GLOBAL_FIELD, s->global, name, HSD_V8_LABEL_KEY, label, err);
    if (s->class_entry != 0) {
        /* whether code mentions it is noted with the name of a field */
        HSD_TRY(intern_v8_edge(v8, HSD_V8_WAIT_FIELD, 0, 0, name, HSD_V8_LABEL_KEY, label, err));
        return intern_v8_edge(v8, HSD_V8_WAIT_MODULE_FIELD, 0, s->class_entry, name, HSD_V8_LABEL_KEY, label, err);
    }
    const uint64_t key = hsd_v8_key(HSD_V8_WAIT_FIELD, 0, 0, name);
    uint32_t entry = hsd_v8_names_find(&v8->names, key);
    if (s->is_dictionary && !v8->import->options->with_values) {
        const bool is_common = entry != HSD_V8_NO_ENTRY && v8->names.entries[entry].seen >= HSD_V8_COMMON_FIELD;
        *label = is_common ? v8->names.entries[entry].number : HSD_V8_LABEL_KEY;
        return HSD_OK;
    }
    if (__builtin_expect(entry == HSD_V8_NO_ENTRY, 0))
        HSD_TRY(hsd_v8_names_intern(&v8->names, HSD_V8_WAIT_FIELD, 0, 0, name, &entry, err));
    *label = HSD_V8_LABEL_KEY;
    if (entry == HSD_V8_NO_ENTRY) return HSD_OK;
    hsd_v8_entry *field = &v8->names.entries[entry];
    if (field->seen == 0) field->owner = s->ordinal;
    field->seen = (uint8_t)(field->seen + (field->seen < HSD_V8_COMMON_FIELD));
    *label = field->number;
    return HSD_OK;
}

/* An item of the table of what a module exports: a name, and behind it the cell that has the value. */
static hsd_status export_label(hsd_v8 *v8, source *s, const edge *e, uint32_t *label, hsd_error *err)
{
    uint32_t entry;
    const uint32_t string = s->last_string;
    const bool is_string = hsd_v8_marks_get(&v8->marks, e->target) == HSD_V8_MARK_OTHER;
    *label = HSD_V8_LABEL_SLOT;
    s->last_string = is_string ? e->target : UINT32_MAX;
    if (is_string || string == UINT32_MAX) return HSD_OK;
    HSD_TRY(hsd_v8_names_add(&v8->names, HSD_V8_WAIT_EXPORT, s->module, HSD_V8_NO_STRING, 0, &entry, err));
    if (entry == HSD_V8_NO_ENTRY) return HSD_OK;
    HSD_TRY(hsd_v8_wishes_put(&v8->wishes, string, entry, err));
    /* the cell will have the label */
    if (e->target > s->ordinal) return hsd_id_map_put(&v8->modules.cells, e->target, entry, err);
    *label = v8->names.entries[entry].number;
    return HSD_OK;
}

/* An item of a list of a module's cells, which its table holds, or that of the module they come from. */
static hsd_status cell_label(hsd_v8 *v8, source *s, uint32_t module, uint32_t *label, hsd_error *err)
{
    if (s->table_label == 0)
        HSD_TRY(own_label(v8, HSD_V8_WAIT_CELLS, module, HSD_V8_NO_STRING, HSD_V8_LABEL_SLOT, &s->table_label, err));
    *label = s->table_label;
    return HSD_OK;
}

/* An item of an array of V8's own. */
static hsd_status item_label(hsd_v8 *v8, source *s, const edge *e, uint32_t *label, hsd_error *err)
{
    *label = HSD_V8_LABEL_SLOT;
    if (hsd_v8_is_movable(v8, e->target)) {
        const uint32_t module = hsd_v8_modules_of_list(&v8->modules, s->ordinal);
        return module == HSD_V8_NO_MODULE ? HSD_OK : cell_label(v8, s, module, label, err);
    }
    if (e->target == s->weak_target) {
        *label = HSD_V8_LABEL_SLOT_WEAK;
        return HSD_OK;
    }
    if (e->name <= v8->newest_name) return HSD_OK;
    if (s->table_label == 0 && v8->table_count < MOST_TABLES) {
        v8->table_count++;
        HSD_TRY(own_label(v8, HSD_V8_WAIT_TABLE, 0, e->name, 0, &s->table_label, err));
    }
    if (s->table_label != 0) *label = s->table_label;
    return HSD_OK;
}

static hsd_status internal_label(hsd_v8 *v8, source *s, const edge *e, uint32_t *label, hsd_error *err)
{
    *label = HSD_V8_LABEL_INTERNAL;
    if (s->class == HSD_V8_ARRAY)
        return s->module == HSD_V8_NO_MODULE ? item_label(v8, s, e, label, err) : export_label(v8, s, e, label, err);
    if (s->class == HSD_V8_SYNTHETIC) return HSD_OK;
    if (e->target == s->doubled)
        return intern_v8_edge(v8, HSD_V8_WAIT_MODULE_TWICE, 0, s->class_entry, e->name, HSD_V8_LABEL_INTERNAL, label,
                              err);
    if (s->exported != HSD_V8_NO_ENTRY) {
        *label = v8->names.entries[s->exported].number;
        return HSD_OK;
    }
    if (s->kind != 0) {
        /* V8's accessors, hidden nodes once and embedder objects now, hang from their cell alone. */
        const bool is_kept =
            hsd_v8_is_movable(v8, e->target) || hsd_v8_marks_get(&v8->marks, e->target) == HSD_V8_MARK_NATIVE;
        const unsigned flags = is_kept ? HSD_V8_ENTRY_MOVABLE : 0;
        return intern_v8_edge(v8, HSD_V8_WAIT_CELL, flags, s->kind, e->name, HSD_V8_LABEL_INTERNAL, label, err);
    }
    const uint32_t entry = hsd_v8_names_find(&v8->names, hsd_v8_key(HSD_V8_WAIT_INTERNAL, 0, 0, e->name));
    if (__builtin_expect(entry != HSD_V8_NO_ENTRY, 1)) {
        *label = v8->names.entries[entry].number;
        return HSD_OK;
    }
    if (v8->internal_count == MOST_INTERNAL) return HSD_OK;
    v8->internal_count++;
    return intern_v8_edge(v8, HSD_V8_WAIT_INTERNAL, 0, 0, e->name, HSD_V8_LABEL_INTERNAL, label, err);
}

static hsd_status block_label(hsd_v8 *v8, const source *s, const edge *e, uint32_t *label, hsd_error *err)
{
    uint32_t entry;
    HSD_TRY(hsd_v8_blocks_label(&v8->names, s->block, s->last_variable, e->name, &entry, err));
    *label = entry == HSD_V8_NO_ENTRY ? HSD_V8_LABEL_INTERNAL : v8->names.entries[entry].number;
    return HSD_OK;
}

static inline hsd_status label_of(hsd_v8 *v8, source *s, const edge *e, uint32_t *label, uint64_t *index,
                                  hsd_error *err)
{
    *index = 0;
    switch (e->kind) {
    case HSD_V8_EDGE_PROPERTY: return field_label(v8, s, e->name, label, err);
    case HSD_V8_EDGE_INTERNAL: return internal_label(v8, s, e, label, err);
    case HSD_V8_EDGE_ELEMENT:
        *label = HSD_V8_LABEL_ELEMENT;
        *index = e->name;
        return HSD_OK;
    case HSD_V8_EDGE_CONTEXT:
        if (s->scope != HSD_V8_NO_SCOPE)
            return own_label(v8, HSD_V8_WAIT_SCOPE_VARIABLE, s->scope, e->name, HSD_V8_LABEL_KEY, label, err);
        return intern_v8_edge(v8, HSD_V8_WAIT_VARIABLE, 0, 0, e->name, HSD_V8_LABEL_KEY, label, err);
    case HSD_V8_EDGE_SHORTCUT:
        *label = HSD_V8_LABEL_INTERNAL;
        if (s->ordinal == 0) return HSD_OK;
        return intern_v8_edge(v8, HSD_V8_WAIT_SHORTCUT, hsd_v8_is_movable(v8, e->target) ? HSD_V8_ENTRY_MOVABLE : 0, 0,
                              e->name, HSD_V8_LABEL_INTERNAL, label, err);
    case HSD_V8_EDGE_WEAK:
        *label = HSD_V8_LABEL_WEAK;
        if (s->class != HSD_V8_OBJECT) return HSD_OK;
        return intern_v8_edge(v8, HSD_V8_WAIT_WEAK, 0, 0, e->name, HSD_V8_LABEL_WEAK, label, err);
    case HSD_V8_EDGE_HIDDEN:
        if (s->block == HSD_V8_NO_BLOCK) break;
        return block_label(v8, s, e, label, err);
    case HSD_V8_EDGE_OTHER:
    case HSD_V8_EDGE_COUNT: break;
    }
    *label = HSD_V8_LABEL_INTERNAL;
    *index = e->name;
    return HSD_OK;
}

/* ---- objects ---- */

/* What code refers to: constants by internal references, which are put first, and what hangs by hidden ones. */
static hsd_status look_at_constants(walk *w, const source *s, const uint64_t *items, size_t count, hsd_error *err)
{
    hsd_v8 *v8 = w->v8;
    uint32_t *strings = w->constants, found = 0, sure = 0;
    for (size_t i = 0; i < count && found < MOST_CONSTANTS; i++) {
        const edge e = hsd_v8_reference_at(v8, items + i * v8->layout.edge_width);
        const bool is_hidden = e.kind == HSD_V8_EDGE_HIDDEN;
        if ((e.kind != HSD_V8_EDGE_INTERNAL && !is_hidden) || e.is_dangling ||
            hsd_v8_marks_get(&v8->marks, e.target) != HSD_V8_MARK_OTHER)
            continue;
        strings[found++] = e.target;
        if (is_hidden) continue;
        strings[found - 1] = strings[sure];
        strings[sure++] = e.target;
    }
    return hsd_v8_declared_mention(&v8->declared, &v8->names, s->node.name, strings, sure, found, err);
}

static hsd_status write_edges(walk *w, source *s, const uint64_t *items, size_t count, hsd_error *err)
{
    hsd_v8 *v8 = w->v8;
    const size_t width = v8->layout.edge_width;
    const bool is_root = s->ordinal == 0 || s->group != HSD_V8_NO_GROUP;
    const uint64_t first_object = v8->heap.first_object;
    const uint32_t first_label = v8->heap.first_label;
    const uint64_t dangling = v8->dangling, index_bits = v8->import->options->without_indexes ? 0 : UINT64_MAX;
    if (__builtin_expect(s->class == HSD_V8_CODE, 0)) HSD_TRY(look_at_constants(w, s, items, count, err));
    for (size_t i = 0; i < count; i++, items += width) {
        const edge e = hsd_v8_reference_at(v8, items);
        uint32_t label;
        uint64_t index;
        if (__builtin_expect(e.is_dangling, 0)) {
            v8->dangling++;
            continue;
        }
        if (__builtin_expect(is_root, 0)) {
            const hsd_v8_root_edge of_root = {s->ordinal, s->group, e.kind, e.name, e.target};
            HSD_TRY(hsd_v8_roots_reference(&v8->roots, &v8->marks, &of_root, err));
            hsd_v8_marks_root(&v8->marks, e.target);
        } else {
            hsd_v8_marks_refer(&v8->marks, e.target);
        }
        HSD_TRY(label_of(v8, s, &e, &label, &index, err));
        s->weak_target = e.kind == HSD_V8_EDGE_WEAK ? e.target : UINT32_MAX;
        if (e.kind != HSD_V8_EDGE_ELEMENT && e.kind != HSD_V8_EDGE_HIDDEN && e.name > v8->newest_name)
            v8->newest_name = e.name;
        HSD_WRITE(v8->import,
                  hsc_reference(v8->import->writer, first_object + hsd_v8_late_ordinal(&v8->late, e.target),
                                first_label + label, index & index_bits),
                  err);
    }
    v8->import->result->references += count - (v8->dangling - dangling);
    return HSD_OK;
}

static hsd_status write_object(walk *w, source *s, hsd_error *err)
{
    hsd_v8 *v8 = w->v8;
    const size_t due = s->node.edge_count, seen = due < HSD_V8_FEED_MOST_EDGES ? due : HSD_V8_FEED_MOST_EDGES;
    HSD_TRY(hsd_v8_feed_need(&w->feed, seen, err));
    size_t step = hsd_v8_feed_ahead(&w->feed);
    if (step > due) step = due;
    const hsd_v8_view view = {w->feed.items + w->feed.at, step, step == due};
    HSD_TRY(hsd_v8_source_recognise(v8, s, &view, err));
    HSD_TRY(hsd_v8_source_begin(v8, s, err));
    for (size_t left = due; left > 0;) {
        HSD_TRY(write_edges(w, s, w->feed.items + w->feed.at, step, err));
        hsd_v8_feed_take(&w->feed, step);
        left -= step;
        if (left == 0) break;
        HSD_TRY(hsd_v8_feed_need(&w->feed, left < HSD_V8_FEED_MOST_EDGES ? left : HSD_V8_FEED_MOST_EDGES, err));
        HSD_TRY(hsd_v8_progress(v8, err));
        step = hsd_v8_feed_ahead(&w->feed);
        if (step > left) step = left;
        if (step == 0) break; /* the list is too short: see check_end */
    }
    HSD_WRITE(v8->import, hsc_end_object(v8->import->writer), err);
    return HSD_OK;
}

/* ---- embedder objects wait: see late.h ---- */

static hsd_status put_late_edges(walk *w, const source *s, const uint64_t *items, size_t count, hsd_error *err)
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
        if (hsd_v8_marks_get(&v8->marks, s.ordinal) == HSD_V8_MARK_DETACHED) s.node.state = HSD_V8_STATE_DETACHED;
        HSD_TRY(write_object(w, &s, err));
    }
}

/* ---- all nodes ---- */

static hsd_status take_node(walk *w, uint32_t ordinal, uint64_t *last_id, hsd_error *err)
{
    hsd_v8 *v8 = w->v8;
    source s = hsd_v8_source_plain;
    v8->nodes.at = hsd_v8_node_unpack(v8->nodes.at, &s.node, *last_id); /* to where it is wanted: it is not copied */
    *last_id = s.node.id;
    if (v8->traces.is_used) HSD_TRY(hsd_v8_traces_next(&v8->traces, &s.node.trace, err));
    s.class = hsd_v8_class_of(&v8->layout, s.node.type);
    s.ordinal = ordinal;
    return v8->late.is_used && s.class == HSD_V8_NATIVE ? put_late(w, &s, err) : write_object(w, &s, err);
}

static hsd_status write_all_v8_edges(walk *w, hsd_error *err)
{
    hsd_v8 *v8 = w->v8;
    uint64_t last_id = 0;
    HSD_TRY(hsd_v8_spool_rewind(&v8->nodes, true, err)); /* blocks.h reads it again */
    if (v8->traces.is_used) HSD_TRY(hsd_v8_spool_rewind(&v8->traces.nodes, false, err));
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
        if (!hsd_v8_marks_is_referred(&v8->marks, node) && !hsd_v8_marks_is_rooted(&v8->marks, node))
            HSD_TRY(hsd_v8_roots_put(&v8->roots, HSD_V8_GROUP_ORPHANS, (uint32_t)node, err));
    return HSD_OK;
}

static hsd_status fail_count(const hsd_v8 *v8, uint64_t offset, const char *what, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, offset,
                       "not a valid heap snapshot: the list has %s edges than its nodes say, %llu", what,
                       (unsigned long long)v8->edges_due);
}

/* All nodes have their edges; there must be no more, and no fewer. */
static hsd_status check_end_of_v8_edge(walk *w, const hsd_v8_numbers *numbers, hsd_error *err)
{
    const hsd_v8 *v8 = w->v8;
    uint64_t due;
    if (w->feed.failure != HSD_OK) {
        if (err != NULL) *err = w->feed.error;
        return w->feed.failure;
    }
    if (!hsd_mul_u64(v8->edges_due, v8->layout.edge_width, &due) || numbers->count < due)
        return fail_count(v8, hsd_v8_offset(v8), "fewer", err);
    return numbers->count > due ? fail_count(v8, numbers->start, "more", err) : HSD_OK;
}

/* The snapshot ends before its edges. */
static hsd_status write_without_edges(walk *w, hsd_error *err)
{
    HSD_TRY(write_all_v8_edges(w, err));
    return w->v8->late.is_used ? write_late(w, err) : HSD_OK;
}

/* The end of the list may be the end of the input: then what is there is written first, if wanted. */
static hsd_status write_and_check(walk *w, const hsd_v8_numbers *numbers, hsd_error *err)
{
    hsd_v8 *v8 = w->v8;
    HSD_TRY(write_all_v8_edges(w, err));
    const hsd_status status = check_end_of_v8_edge(w, numbers, err);
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
        HSD_TRY(hsd_v8_late_open(&v8->late, &v8->marks, v8->import->space, v8->import->memory_bytes / 8, err));
    hsd_status status = hsd_v8_feed_open(&w.feed, &v8->layout, numbers == NULL ? &none : numbers, err);
    if (status == HSD_OK) status = numbers == NULL ? write_without_edges(&w, err) : write_and_check(&w, numbers, err);
    hsd_v8_feed_close(&w.feed);
    return status;
}

/*
 * The definitions of design and format taken literally, with quadratic loops and no shared code:
 * reachability, owners, parts, identity, rows.
 */
#include "oracle.h"

#include <stdio.h>
#include <string.h>

#include "oracle_growth.h"
#include "oracle_view.h"

enum { ABSENT, UNREACHED, LIVE };
enum { MAX_NODES = MODEL_MAX_OBJECTS };

typedef oracle_view view;

int oracle_find(const model_heap *heap, uint64_t id)
{
    for (uint32_t i = 0; i < heap->object_count; i++) {
        if (heap->objects[i].id == id) return (int)i;
    }
    return -1;
}

bool oracle_names_root(model_label label) { return label == MODEL_NAMED || label == MODEL_STATIC; }

void oracle_root_name(const model_root *root, char *out)
{
    if (root->name == 0)
        snprintf(out, 32, "(stacks)");
    else
        snprintf(out, 32, "root%u", root->name);
}

void oracle_label_name(const model_object *source, model_label label, char *out)
{
    const char *prefix = label == MODEL_STATIC ? "static " : "";
    if (source->has_name)
        snprintf(out, 32, "%sN%u.field", prefix, (unsigned)(source->id % 3));
    else
        snprintf(out, 32, "%sT%u.field", prefix, source->type);
}

/* One round of following references; `only_plain` stops at those that name a root, and nothing goes to what is
 * `barred`. */
static bool spread(const model_heap *heap, bool *reached, bool only_plain, const bool *barred)
{
    bool changed = false;
    for (uint32_t i = 0; i < heap->object_count; i++) {
        const model_object *source = &heap->objects[i];
        if (!reached[i]) continue;
        for (uint32_t r = 0; r < source->reference_count; r++) {
            const model_label label = source->references[r].label;
            const int target = oracle_find(heap, source->references[r].target);
            if (target < 0 || label == MODEL_WEAK || (only_plain && oracle_names_root(label))) continue;
            if (!reached[target] && !(barred != NULL && barred[target])) reached[target] = changed = true;
        }
    }
    return changed;
}

static void find_live(const view *v, bool *live, bool only_primary)
{
    for (uint32_t i = 0; i < v->heap->root_count; i++) {
        const int target = oracle_find(v->heap, v->heap->roots[i].target);
        if (target >= 0 && !(only_primary && v->heap->roots[i].is_secondary)) live[target] = true;
    }
    while (spread(v->heap, live, false, NULL))
        continue;
}

/* What hangs from all roots of one standing and all root-naming references of one name, among what primary roots
 * reach or, for secondary ones, among the rest. */
static void reach_from(const view *v, const char *name, bool is_secondary, bool *reached)
{
    char found[32];
    const bool *barred = is_secondary ? v->first : NULL;
    for (uint32_t i = 0; i < v->heap->root_count; i++) {
        const model_root *root = &v->heap->roots[i];
        const int target = oracle_find(v->heap, root->target);
        oracle_root_name(root, found);
        if (target < 0 || root->is_secondary != is_secondary || strcmp(found, name) != 0) continue;
        if (barred == NULL || !barred[target]) reached[target] = true;
    }
    for (uint32_t i = 0; i < v->heap->object_count; i++) {
        const model_object *source = &v->heap->objects[i];
        if (!v->live[i] || v->first[i] == is_secondary) continue;
        for (uint32_t r = 0; r < source->reference_count; r++) {
            const int target = oracle_find(v->heap, source->references[r].target);
            if (target < 0 || !oracle_names_root(source->references[r].label)) continue;
            oracle_label_name(source, source->references[r].label, found);
            if (strcmp(found, name) == 0 && (barred == NULL || !barred[target])) reached[target] = true;
        }
    }
    while (spread(v->heap, reached, true, barred))
        continue;
}

static void claim(view *v, const char *name, char done[][32], uint32_t *done_count)
{
    for (uint32_t i = 0; i < *done_count; i++) {
        if (strcmp(done[i], name) == 0) return;
    }
    snprintf(done[(*done_count)++], 32, "%s", name);
    bool reached[MAX_NODES] = {false}, reached_later[MAX_NODES] = {false};
    reach_from(v, name, false, reached);
    reach_from(v, name, true, reached_later);
    for (uint32_t i = 0; i < v->heap->object_count; i++) {
        if (reached[i] || reached_later[i])
            snprintf(v->owner[i], sizeof v->owner[i], "%s", v->owner[i][0] == 0 ? name : "(shared)");
    }
}

static void find_owners(view *v)
{
    char done[64][32], name[32];
    uint32_t done_count = 0;
    for (uint32_t i = 0; i < v->heap->root_count; i++) {
        oracle_root_name(&v->heap->roots[i], name);
        claim(v, name, done, &done_count);
    }
    for (uint32_t i = 0; i < v->heap->object_count; i++) {
        for (uint32_t r = 0; r < v->heap->objects[i].reference_count; r++) {
            if (!oracle_names_root(v->heap->objects[i].references[r].label)) continue;
            oracle_label_name(&v->heap->objects[i], v->heap->objects[i].references[r].label, name);
            claim(v, name, done, &done_count);
        }
    }
}

/* The one object that is no part from which `part` is reached through parts; -1 = none or several. */
static int sole_owner(const model_heap *heap, uint32_t part)
{
    bool back[MAX_NODES] = {false};
    int owner = -1;
    back[part] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < heap->object_count; i++) {
            const model_object *source = &heap->objects[i];
            for (uint32_t r = 0; r < source->reference_count; r++) {
                const int target = oracle_find(heap, source->references[r].target);
                if (target < 0 || !back[target] || source->references[r].label == MODEL_WEAK) continue;
                if (source->type == MODEL_PART_TYPE) {
                    if (!back[i]) back[i] = changed = true;
                } else if (owner != (int)i) {
                    if (owner >= 0) return -1;
                    owner = (int)i;
                }
            }
        }
    }
    return owner;
}

static void find_parts(view *v)
{
    for (uint32_t i = 0; i < v->heap->object_count; i++) {
        v->counts[i] = (v->heap->objects[i].flags & HSC_OBJECT_PSEUDO) == 0;
        v->bytes[i] += v->heap->objects[i].size_bytes;
        if (v->heap->objects[i].type != MODEL_PART_TYPE) continue;
        const int owner = sole_owner(v->heap, i);
        if (owner < 0 || (v->heap->objects[owner].flags & HSC_OBJECT_PSEUDO)) continue;
        v->counts[i] = false;
        v->bytes[owner] += v->heap->objects[i].size_bytes;
    }
}

void oracle_look(oracle_view *v, const model_heap *heap, bool is_dangling_kept)
{
    memset(v, 0, sizeof *v);
    v->heap = heap;
    v->is_dangling_kept = is_dangling_kept;
    find_live(v, v->live, false);
    find_live(v, v->first, true);
    find_owners(v);
    find_parts(v);
    oracle_look_tree(v);
}

bool oracle_has_root(const oracle_view *v, const char *name)
{
    char found[ORACLE_NAME];
    for (uint32_t i = 0; i < v->heap->root_count; i++) {
        oracle_root_name(&v->heap->roots[i], found);
        const bool is_there = v->is_dangling_kept || oracle_find(v->heap, v->heap->roots[i].target) >= 0;
        if (is_there && strcmp(found, name) == 0) return true;
    }
    for (uint32_t i = 0; i < v->heap->object_count; i++) {
        const model_object *source = &v->heap->objects[i];
        for (uint32_t r = 0; r < source->reference_count; r++) {
            if (!oracle_names_root(source->references[r].label)) continue;
            oracle_label_name(source, source->references[r].label, found);
            const bool is_there = v->is_dangling_kept || oracle_find(v->heap, source->references[r].target) >= 0;
            if (is_there && strcmp(found, name) == 0) return true;
        }
    }
    return false;
}

static void add(hsd_amount *amount, uint64_t bytes)
{
    amount->objects++;
    amount->bytes += bytes;
}

oracle_row *oracle_root_row(oracle_diff *diff, const char *name)
{
    for (uint32_t i = 0; i < diff->root_count; i++) {
        if (strcmp(diff->roots[i].name, name) == 0) return &diff->roots[i];
    }
    snprintf(diff->roots[diff->root_count].name, 32, "%s", name);
    return &diff->roots[diff->root_count++];
}

/* The object as `v` sees it: -1 when it is absent or does not count. */
static int counted(const view *v, uint64_t id, uint32_t type)
{
    const int at = oracle_find(v->heap, id);
    return at >= 0 && v->counts[at] && v->heap->objects[at].type == type ? at : -1;
}

static void compare_one(oracle_diff *diff, const view *b, int x, const view *a, int y, uint32_t type)
{
    oracle_row *row = &diff->types[type];
    const int before = x < 0 ? ABSENT : b->live[x] ? LIVE : UNREACHED;
    const int after = y < 0 ? ABSENT : a->live[y] ? LIVE : UNREACHED;
    if (before == LIVE) add(&row->live.before, b->bytes[x]);
    if (before == UNREACHED) add(&row->unreached_before, b->bytes[x]);
    if (after == LIVE) add(&row->live.after, a->bytes[y]);
    if (after == UNREACHED) add(&row->unreached_after, a->bytes[y]);
    if (before == LIVE) add(&oracle_root_row(diff, b->owner[x])->live.before, b->bytes[x]);
    if (after == LIVE) add(&oracle_root_row(diff, a->owner[y])->live.after, a->bytes[y]);
    diff->matched += before != ABSENT && after != ABSENT;
    diff->unmatched_before += after == ABSENT;
    diff->unmatched_after += before == ABSENT;
    if (before == LIVE && after == LIVE) {
        const bool same_owner = strcmp(b->owner[x], a->owner[y]) == 0;
        add(&row->live.kept, b->bytes[x]);
        row->live.resized_bytes += (int64_t)(a->bytes[y] - b->bytes[x]);
        if (same_owner) {
            add(&oracle_root_row(diff, a->owner[y])->live.kept, b->bytes[x]);
            oracle_root_row(diff, a->owner[y])->live.resized_bytes += (int64_t)(a->bytes[y] - b->bytes[x]);
        } else {
            add(&oracle_root_row(diff, b->owner[x])->moved_out, b->bytes[x]);
            add(&oracle_root_row(diff, a->owner[y])->moved_in, a->bytes[y]);
        }
    } else if (after == LIVE) {
        add(&row->live.new_, a->bytes[y]);
        diff->new_ids[type][diff->new_id_count[type]++] = a->heap->objects[y].id;
        add(&oracle_root_row(diff, a->owner[y])->live.new_, a->bytes[y]);
        if (before == UNREACHED) add(&row->revived, a->bytes[y]);
    } else if (before == LIVE) {
        add(&row->live.freed, b->bytes[x]);
        add(&oracle_root_row(diff, b->owner[x])->live.freed, b->bytes[x]);
        if (after == UNREACHED) add(&row->dropped, b->bytes[x]);
    }
}

static void compare_objects(oracle_diff *diff, const view *b, const view *a)
{
    for (uint32_t i = 0; i < b->heap->object_count; i++) {
        const model_object *object = &b->heap->objects[i];
        if (!b->counts[i]) continue;
        compare_one(diff, b, (int)i, a, counted(a, object->id, object->type), object->type);
    }
    for (uint32_t i = 0; i < a->heap->object_count; i++) {
        const model_object *object = &a->heap->objects[i];
        if (!a->counts[i] || counted(b, object->id, object->type) >= 0) continue;
        compare_one(diff, b, -1, a, (int)i, object->type);
    }
}

void oracle_compare(oracle_diff *diff, const oracle_heaps *heaps)
{
    static oracle_view b, a;
    memset(diff, 0, sizeof *diff);
    oracle_look(&b, heaps->before, !heaps->before_form.by_ordinal);
    oracle_look(&a, heaps->after, !heaps->after_form.by_ordinal);
    for (uint32_t t = 0; t < MODEL_TYPES; t++)
        snprintf(diff->types[t].name, 32, "T%u", t);
    compare_objects(diff, &b, &a);
    oracle_compare_growth(diff, &b, &a, heaps->before_form.identity == HSC_IDENTITY_EXACT);
}

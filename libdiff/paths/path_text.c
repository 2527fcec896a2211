/*
 * From the ways of a search to the steps of a path. The way leads up, from the node to the root; what a step reads
 * like depends on the steps before it; so the nodes are stacked (the stack spills) and read from the root down:
 *
 *      up      node … label node, root node or milestone       on the stack
 *      down    one reading, carried from node to node: the first steps, the last steps, how many fell out between
 *
 * Milestones: one node in so many, chosen by its number, keeps a copy of the reading at it. Another walk that meets
 * it goes no further up. When they become too many, they are thinned out.
 */
#include "paths/path_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/id_map.h"
#include "graph/worklist.h"
#include "paths/path_find.h"
#include "paths/path_names.h"

#define HALF            (HSD_MAX_PATH_STEPS / 2)
#define MOST_MILESTONES 2048u
#define MILESTONE_SLOTS (2 * MOST_MILESTONES)
#define FIRST_SPACING   256u
#define STACK_BYTES     (UINT64_C(256) << 10)
#define EDGE_TEXT_BYTES 1024

typedef struct path_step {
    hsd_path_edge edge;
    uint32_t type;
    uint32_t repeat;
    hsd_node node; /* of the last one */
} path_step;

typedef struct reading { /* of the path to one node, so far */
    hsd_node node;
    uint32_t root, root_kind;
    uint64_t length, cut;
    hsd_path_fold fold;
    bool has_hidden; /* the node itself is left out, if the path goes on */
    path_step hidden;
    uint32_t head_count, tail_count, tail_begin;
    path_step head[HALF];
    path_step tail[HALF]; /* a ring */
} reading;

typedef struct text_cache { /* texts that are in the arena already, by number */
    hsd_id_map index;
    hsd_text *texts;
    uint32_t count, capacity;
} text_cache;

struct hsd_path_texts {
    hsd_shortest *shortest;
    hsd_side_walk *side;
    hsd_arena *arena;
    hsd_worklist stack;
    text_cache edges, types;
    uint32_t *type_of_order; /* where the search kept types, by hsd_name_ranks less 1; else NULL */
    reading *milestones;
    uint32_t slots[MILESTONE_SLOTS]; /* place in milestones + 1, by a hash of the node; 0 = empty */
    uint32_t milestone_count, milestone_capacity;
    uint32_t spacing; /* one node in so many is a milestone; a power of two */
    hsd_path_names names;
};

/* ---- one reading ---- */

static path_step *last_step(reading *r)
{
    if (r->tail_count > 0) return &r->tail[(r->tail_begin + r->tail_count - 1) % HALF];
    return r->head_count > 0 ? &r->head[r->head_count - 1] : NULL;
}

static void push_path_text(reading *r, path_step step)
{
    path_step *last = last_step(r);
    if (last != NULL && last->edge == step.edge && last->type == step.type && last->repeat < UINT32_MAX) {
        last->repeat++;
        last->node = step.node;
        return;
    }
    if (r->head_count < HALF) {
        r->head[r->head_count++] = step;
        return;
    }
    if (r->tail_count == HALF) {
        r->cut += r->tail[r->tail_begin].repeat;
        r->tail_begin = (r->tail_begin + 1) % HALF;
        r->tail_count--;
    }
    r->tail[(r->tail_begin + r->tail_count++) % HALF] = step;
}

static void begin_at_root(const hsd_path_texts *t, hsd_node node, reading *r)
{
    const hsd_side_walk *side = t->side;
    memset(r, 0, sizeof *r);
    r->node = node;
    r->root = node < side->object_count ? HSD_ROOT_SHARED : side->name_of_node[node - side->object_count];
    r->root_kind = side->roots.kinds[r->root];
}

/* What the search has seen of a node it need not be asked again. */
static uint32_t type_of(const hsd_path_texts *t, hsd_node node)
{
    const uint32_t order = t->type_of_order != NULL ? hsd_shortest_type(t->shortest, node) : 0;
    return order != 0 ? t->type_of_order[order - 1] : hsd_paged_get_u32(&t->side->types_of, node);
}

static void advance_path_text(const hsd_path_texts *t, reading *r, hsd_node node, uint32_t edge)
{
    hsd_side_walk *side = t->side;
    const uint32_t type = type_of(t, node);
    hsd_path_edge shown;
    r->node = node;
    r->length++;
    r->has_hidden =
        !hsd_path_fold_step(&r->fold, side->request->edge_names, side->request->type_names, edge, type, &shown);
    const path_step next = {shown, type, 1, node};
    if (r->has_hidden)
        r->hidden = next;
    else
        push_path_text(r, next);
}

/* ---- milestones ---- */

static uint64_t hash_node(hsd_node node) { return node * UINT64_C(0x9E3779B97F4A7C15); }

static bool is_milestone(const hsd_path_texts *t, hsd_node node)
{
    return (hash_node(node) >> 40 & (t->spacing - 1)) == 0;
}

/* The slot of a node, or the empty one where it belongs: half of them are. */
static uint32_t slot_of(const hsd_path_texts *t, hsd_node node)
{
    for (uint64_t at = hash_node(node) >> 24;; at++) {
        const uint32_t slot = (uint32_t)(at % MILESTONE_SLOTS);
        if (t->slots[slot] == 0 || t->milestones[t->slots[slot] - 1].node == node) return slot;
    }
}

static const reading *find_milestone(const hsd_path_texts *t, hsd_node node)
{
    if (!is_milestone(t, node)) return NULL;
    const uint32_t at = t->slots[slot_of(t, node)];
    return at == 0 ? NULL : &t->milestones[at - 1];
}

/* Twice as far apart: half of them go. */
static void thin_out(hsd_path_texts *t)
{
    uint32_t kept = 0;
    t->spacing *= 2;
    memset(t->slots, 0, sizeof t->slots);
    for (uint32_t i = 0; i < t->milestone_count; i++) {
        if (!is_milestone(t, t->milestones[i].node)) continue;
        if (kept != i) t->milestones[kept] = t->milestones[i];
        t->slots[slot_of(t, t->milestones[kept].node)] = kept + 1;
        kept++;
    }
    t->milestone_count = kept;
}

static hsd_status keep_milestone(hsd_path_texts *t, const reading *r, hsd_error *err)
{
    if (t->milestone_count == MOST_MILESTONES) thin_out(t);
    if (t->milestone_count == MOST_MILESTONES || !is_milestone(t, r->node)) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(t->milestones, t->milestone_capacity, t->milestone_count + 1, 32, "the texts of paths",
                           err));
    const uint32_t slot = slot_of(t, r->node);
    t->milestones[t->milestone_count++] = *r;
    t->slots[slot] = t->milestone_count;
    return HSD_OK;
}

/* ---- up and down ---- */

/* Stacks the nodes above which the reading is known, and begins it there. */
static hsd_status climb(hsd_path_texts *t, hsd_node node, reading *r, hsd_error *err)
{
    for (;;) {
        const reading *known = find_milestone(t, node);
        if (known != NULL) {
            *r = *known;
            return HSD_OK;
        }
        const hsd_way way = hsd_shortest_way(t->shortest, node);
        if (node >= t->side->object_count || way.parent == HSD_WAY_NONE) {
            begin_at_root(t, node, r);
            return HSD_OK;
        }
        HSD_TRY(hsd_worklist_push(&t->stack, node, err));
        node = way.parent;
    }
}

static hsd_status descend(hsd_path_texts *t, reading *r, hsd_error *err)
{
    for (;;) {
        hsd_node node;
        const hsd_status status = hsd_worklist_pop(&t->stack, &node, err);
        if (status == HSD_END) return HSD_OK;
        HSD_TRY(status);
        advance_path_text(t, r, node, hsd_shortest_way(t->shortest, node).name);
        if (is_milestone(t, node)) HSD_TRY(keep_milestone(t, r, err));
    }
}

/* ---- texts ---- */

static hsd_status cached_text(text_cache *cache, hsd_arena *arena, uint32_t number, hsd_bytes text, hsd_text *out,
                              hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(cache->texts, cache->capacity, cache->count + 1, 64, "the texts of paths", err));
    const char *copy = hsd_arena_copy(arena, text.data, text.size);
    if (copy == NULL) return hsd_fail_nomem(err, "the texts of paths");
    *out = cache->texts[cache->count] = (hsd_text){copy, text.size};
    return hsd_id_map_put(&cache->index, number, cache->count++, err);
}

static hsd_status edge_text(hsd_path_texts *t, hsd_path_edge edge, hsd_text *out, hsd_error *err)
{
    const uint32_t at = hsd_id_map_get(&t->edges.index, edge);
    char buffer[EDGE_TEXT_BYTES];
    if (at != HSD_ID_NONE) {
        *out = t->edges.texts[at];
        return HSD_OK;
    }
    const hsd_bytes text = hsd_path_edge_text(t->side->request->edge_names, edge, buffer, sizeof buffer);
    return cached_text(&t->edges, t->arena, edge, text, out, err);
}

static hsd_status type_text(hsd_path_texts *t, uint32_t type, hsd_text *out, hsd_error *err)
{
    const uint32_t at = hsd_id_map_get(&t->types.index, type);
    if (at == HSD_ID_NONE) {
        return cached_text(&t->types, t->arena, type, hsd_names_get(&t->side->request->type_names->names, type), out,
                           err);
    }
    *out = t->types.texts[at];
    return HSD_OK;
}

/* Of several steps that are one, none in particular is meant. */
static bool may_have_name(const hsd_path_texts *t, const path_step *step)
{
    return step->repeat == 1 && t->side->has_named != NULL && hsd_bit_get(t->side->has_named, step->type);
}

static hsd_status write_step(hsd_path_texts *t, const path_step *step, hsd_step *out, hsd_error *err)
{
    out->repeat = step->repeat;
    out->name = (hsd_text){"", 0};
    if (may_have_name(t, step)) HSD_TRY(hsd_path_names_want(&t->names, step->node, out, err));
    HSD_TRY(edge_text(t, step->edge, &out->edge, err));
    return type_text(t, step->type, &out->type, err);
}

static hsd_status write_steps(hsd_path_texts *t, const reading *r, hsd_path_text *out, hsd_error *err)
{
    const size_t count = (size_t)r->head_count + r->tail_count;
    hsd_step *steps = hsd_arena_take(t->arena, count * sizeof *steps);
    if (steps == NULL) return hsd_fail_nomem(err, "the texts of paths");
    for (uint32_t i = 0; i < r->head_count; i++)
        HSD_TRY(write_step(t, &r->head[i], &steps[i], err));
    for (uint32_t i = 0; i < r->tail_count; i++) {
        HSD_TRY(write_step(t, &r->tail[(r->tail_begin + i) % HALF], &steps[r->head_count + i], err));
    }
    *out = (hsd_path_text){.root = r->root,
                           .root_kind = r->root_kind,
                           .steps = steps,
                           .step_count = count,
                           .step_cut = r->cut,
                           .length = r->length};
    return HSD_OK;
}

static hsd_status end_reading(hsd_path_texts *t, reading *r, hsd_path_text *out, hsd_error *err)
{
    if (r->has_hidden) push_path_text(r, r->hidden);
    if (r->length == 0 && r->node < t->side->object_count) { /* not reached */
        push_path_text(r, (path_step){HSD_EDGE_NAMELESS << 1, type_of(t, r->node), 1, r->node});
    }
    HSD_TRY(hsd_shortest_check(t->shortest, err));
    HSD_TRY(hsd_paged_check(&t->side->types_of, err));
    return write_steps(t, r, out, err);
}

hsd_status hsd_path_texts_get(hsd_path_texts *t, hsd_node node, hsd_path_text *out, hsd_error *err)
{
    HSD_ASSERT(node < t->side->node_count);
    reading r;
    HSD_TRY(climb(t, node, &r, err));
    HSD_TRY(descend(t, &r, err));
    return end_reading(t, &r, out, err);
}

hsd_status hsd_path_texts_get_through(hsd_path_texts *t, hsd_node source, uint32_t edge, hsd_node node,
                                      hsd_path_text *out, hsd_error *err)
{
    HSD_ASSERT(source < t->side->node_count && node < t->side->node_count);
    reading r;
    HSD_TRY(climb(t, source, &r, err));
    HSD_TRY(descend(t, &r, err));
    advance_path_text(t, &r, node, edge);
    return end_reading(t, &r, out, err);
}

hsd_status hsd_path_texts_name(hsd_path_texts *t, hsd_error *err)
{
    return hsd_path_names_fill(&t->names, t->side->request->capture, t->arena, err);
}

/* ---- life ---- */

static hsd_status order_types(hsd_path_texts *t, hsd_error *err)
{
    const hsd_names *names = &t->side->request->type_names->names;
    if (t->shortest->few_nodes == NULL) return HSD_OK;
    uint32_t *ranks = hsd_name_ranks(names);
    t->type_of_order = malloc(((size_t)names->count + 1) * sizeof *t->type_of_order);
    for (uint32_t i = 0; ranks != NULL && t->type_of_order != NULL && i < names->count; i++)
        t->type_of_order[ranks[i] - 1] = i;
    const bool has_all = ranks != NULL && t->type_of_order != NULL;
    free(ranks);
    return has_all ? HSD_OK : hsd_fail_nomem(err, "the texts of paths");
}

hsd_status hsd_path_texts_new(hsd_path_texts **out, hsd_shortest *shortest, hsd_side_walk *side, hsd_arena *arena,
                              hsd_error *err)
{
    HSD_ASSERT(side->request->edge_names != NULL);
    hsd_path_texts *t = calloc(1, sizeof *t);
    *out = NULL;
    if (t == NULL) return hsd_fail_nomem(err, "the texts of paths");
    t->shortest = shortest;
    t->side = side;
    t->arena = arena;
    t->spacing = FIRST_SPACING;
    hsd_status status = hsd_worklist_open(&t->stack, STACK_BYTES, side->request->space, err);
    if (status != HSD_OK) {
        free(t);
        return status;
    }
    status = order_types(t, err);
    if (status != HSD_OK) {
        hsd_path_texts_free(t);
        return status;
    }
    *out = t;
    return HSD_OK;
}

static void release_cache(text_cache *cache)
{
    hsd_id_map_release(&cache->index);
    free(cache->texts);
}

void hsd_path_texts_free(hsd_path_texts *t)
{
    if (t == NULL) return;
    hsd_worklist_close(&t->stack);
    release_cache(&t->edges);
    release_cache(&t->types);
    free(t->type_of_order);
    hsd_path_names_release(&t->names);
    free(t->milestones);
    free(t);
}

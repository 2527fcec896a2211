/*
 * Step 1, the walk: depth first, in two rounds, over an explicit stack. All targets of a node that were not
 * reached yet go onto the stack, with the node that pushed them; whoever comes off it first is reached through
 * the last one that pushed it, which makes a true depth-first tree although no list is ever read twice. The
 * stack may thus hold as many entries as there are references; what does not fit its window goes to a file in
 * large pieces and comes back the same way.
 *
 * Every reference is met exactly once more than it is followed, and then it is clear what it is:
 *
 *      its target was reached before the list was read     it leads back or across: `back`
 *      its target was reached while it lay on the stack    it leads forward, past the tree: `forward`
 *      else                                                it is an edge of the tree
 *
 * Only the first two make a node core, and only they are written down.
 */
#include <stdlib.h>

#include "base/fail.h"
#include "graph/dominators/parts.h"

#define IS_REACHED 1u
#define IS_CORE    2u
#define EXPECTED   2u /* of a list: these come next */
#define PLACED     8u /* and these soon */

typedef struct walk {
    hsd_dominators *d;
    uint8_t *states;
    hsd_two *stack; /* source's place, node */
    uint64_t stack_count, stack_items;
    hsd_pages stack_pages;
    uint64_t spilled; /* half windows in the file */
    hsd_temp file;
    hsd_node last_source, last_first; /* of the last list written to `back` */
    hsd_node last_expected;
    hsd_node fresh[HSD_ADJACENCY_PART_ITEMS];
    hsd_node old[HSD_ADJACENCY_PART_ITEMS];
} walk;

static inline uint32_t state_of(const walk *w, hsd_node node)
{
    return (uint32_t)w->states[node >> 2] >> (node & 3) * 2 & 3u;
}

static inline void add_state(walk *w, hsd_node node, uint32_t bits)
{
    w->states[node >> 2] = (uint8_t)(w->states[node >> 2] | bits << (node & 3) * 2);
}

/* ---- the stack ---- */

static hsd_status spill(walk *w, hsd_error *err)
{
    const uint64_t half = w->stack_items / 2;
    const size_t bytes = (size_t)half * sizeof *w->stack;
    if (w->file.fd < 0) HSD_TRY(hsd_temp_open(&w->file, w->d->config->space, err));
    HSD_TRY(hsd_temp_write(&w->file, w->spilled * bytes, w->stack, bytes, err));
    memmove(w->stack, w->stack + half, bytes);
    w->spilled++;
    w->stack_count = half;
    w->d->stats.faults++;
    return HSD_OK;
}

static hsd_status refill(walk *w, hsd_error *err)
{
    const uint64_t half = w->stack_items / 2;
    const size_t bytes = (size_t)half * sizeof *w->stack;
    if (w->spilled == 0) return HSD_END;
    w->spilled--;
    w->stack_count = half;
    w->d->stats.faults++;
    return hsd_temp_read(&w->file, w->spilled * bytes, w->stack, bytes, err);
}

/* The first one comes off first. */
static hsd_status push(walk *w, hsd_node place, const hsd_node *nodes, uint32_t count, hsd_error *err)
{
    for (uint32_t i = count; i-- > 0;) {
        if (__builtin_expect(w->stack_count == w->stack_items, 0)) HSD_TRY(spill(w, err));
        w->stack[w->stack_count++] = hsd_two_of(place, nodes[i]);
    }
    return HSD_OK;
}

/* ---- lists ---- */

/* Writes references to nodes that were reached before. Each chunk can be read without those before it. */
static void put_back(walk *w, hsd_node place, const hsd_node *nodes, uint32_t count)
{
    hsd_tape *tape = &w->d->back;
    w->d->back_count += count;
    while (count > 0) {
        const uint32_t part = count < HSD_BACK_LIST_ITEMS ? count : HSD_BACK_LIST_ITEMS;
        uint8_t *at = hsd_tape_room(tape, (3 + HSD_BACK_LIST_ITEMS) * HSD_VARINT_MOST);
        if (at == tape->buffer) w->last_source = w->last_first = 0;
        at = hsd_varint_put(at, place - w->last_source);
        at = hsd_varint_put(at, part);
        at = hsd_varint_put(at, hsd_fold_difference(nodes[0], w->last_first));
        for (uint32_t i = 1; i < part; i++)
            at = hsd_varint_put(at, nodes[i] - nodes[i - 1] - 1);
        tape->at = at;
        w->last_source = place;
        w->last_first = nodes[0];
        nodes += part;
        count -= part;
    }
}

bool hsd_back_get(hsd_tape_reader *reader, const hsd_back_list *last, hsd_back_list *list)
{
    static const hsd_back_list none;
    hsd_node number;
    if (!hsd_tape_has_more(reader)) return false;
    if (reader->at == reader->begin) last = &none;
    const uint8_t *at = hsd_tape_varint(reader->at, &number);
    list->source = last->source + number;
    at = hsd_tape_varint(at, &number);
    list->count = (uint32_t)number;
    at = hsd_tape_varint(at, &number);
    hsd_node target = hsd_unfold_difference(number, last->targets[0]);
    list->targets[0] = target;
    for (uint32_t i = 1; i < list->count; i++) {
        at = hsd_tape_varint(at, &number);
        list->targets[i] = target += number + 1;
    }
    reader->at = at;
    return true;
}

/* Fetches the list of a node that comes soon: 1.63 s become 1.42 s for 5 M nodes of a random heap. */
static void expect(walk *w, hsd_node node)
{
    if (node == w->last_expected || hsd_adjacency_is_leaf(w->d->adjacency, node)) return;
    w->last_expected = node;
    hsd_adjacency_expect(w->d->adjacency, node);
}

/* Sorts one part of a list into `fresh` and `old`; no branch depends on the heap. */
static hsd_status expand_part(walk *w, hsd_node place, const hsd_targets *targets, hsd_error *err)
{
    uint32_t fresh = 0, old = 0;
    for (uint32_t i = 0; i < targets->count; i++) {
        const hsd_node target = targets->items[i];
        const uint32_t is_old = state_of(w, target) & IS_REACHED;
        w->fresh[fresh] = target;
        w->old[old] = target;
        old += is_old;
        fresh += 1 - is_old;
    }
    for (uint32_t i = EXPECTED; i < fresh && i < PLACED; i++)
        hsd_adjacency_expect_place(w->d->adjacency, w->fresh[i]);
    for (uint32_t i = 0; i < fresh && i < EXPECTED; i++)
        expect(w, w->fresh[i]);
    for (uint32_t i = 0; i < old; i++)
        add_state(w, w->old[i], IS_CORE);
    put_back(w, place, w->old, old);
    return push(w, place, w->fresh, fresh, err);
}

/* Gives `node` its place below `parent`. */
static hsd_status reach(walk *w, hsd_node node, hsd_node parent, hsd_error *err)
{
    hsd_dominators *d = w->d;
    const hsd_node place = d->count++;
    add_state(w, node, IS_REACHED);
    hsd_tape_put_node(&d->node_of, node);
    hsd_tape_put_node(&d->parent_of, parent);
    if ((place & HSD_DOMINATORS_TICK) == 0) HSD_TRY(hsd_dominators_tick(d, 0, place, d->nodes, err));
    if (hsd_adjacency_is_leaf(d->adjacency, node)) return HSD_OK;
    hsd_targets targets;
    hsd_adjacency_get(d->adjacency, node, &targets);
    for (;;) {
        HSD_TRY(expand_part(w, place, &targets, err));
        if (!targets.has_more) return HSD_OK;
        hsd_adjacency_more(d->adjacency, &targets);
    }
}

static hsd_status run_dry_dominators_walk(walk *w, hsd_error *err)
{
    for (;;) {
        if (w->stack_count == 0) {
            const hsd_status status = refill(w, err);
            if (status != HSD_OK) return status == HSD_END ? HSD_OK : status;
        }
        const hsd_two entry = w->stack[--w->stack_count];
        if (w->stack_count >= 2) expect(w, hsd_two_second(w->stack[w->stack_count - 2]));
        const hsd_node node = hsd_two_second(entry);
        if (state_of(w, node) & IS_REACHED) {
            add_state(w, node, IS_CORE);
            hsd_tape_put_two(&w->d->forward, entry);
            w->d->forward_count++;
        } else {
            HSD_TRY(reach(w, node, hsd_two_first(entry), err));
        }
    }
}

/* Root nodes count as reached from the start: none is a child of what refers to it, if anything does. Being
 * children of the super-root, they have it for a dominator whatever else leads to them. */
static hsd_status walk_all_dominators_walk(walk *w, hsd_error *err)
{
    hsd_dominators *d = w->d;
    const hsd_root_nodes *roots = &d->config->roots;
    for (hsd_node root = roots->begin; root < roots->end; root++)
        add_state(w, root, IS_REACHED);
    hsd_tape_put_node(&d->node_of, HSD_NODE_MAX);
    hsd_tape_put_node(&d->parent_of, 0);
    d->count = 1;
    for (hsd_node root = roots->begin; root < roots->end; root++) {
        if (root == roots->second) d->secondary = d->count;
        HSD_TRY(reach(w, root, 0, err));
        HSD_TRY(run_dry_dominators_walk(w, err));
    }
    if (roots->second >= roots->end) d->secondary = d->count;
    hsd_tape_finish(&d->node_of);
    hsd_tape_finish(&d->parent_of);
    hsd_tape_finish(&d->forward);
    hsd_tape_finish(&d->back);
    HSD_TRY(hsd_adjacency_check(d->adjacency, err));
    return hsd_reel_check(&d->reel, err);
}

static hsd_status open_walk(walk *w, hsd_error *err)
{
    hsd_dominators *d = w->d;
    w->states = d->states;
    w->stack_items = d->limits.stack_items;
    if (!hsd_pages_take(&w->stack_pages, (size_t)w->stack_items * sizeof *w->stack))
        return hsd_fail_nomem(err, "the stack of the dominators");
    w->stack = w->stack_pages.data;
    return HSD_OK;
}

hsd_status hsd_dominators_walk(hsd_dominators *d, hsd_error *err)
{
    walk *w = calloc(1, sizeof *w);
    if (w == NULL) return hsd_fail_nomem(err, "the walk of the dominators");
    w->d = d;
    w->file.fd = -1;
    hsd_status status = open_walk(w, err);
    if (status == HSD_OK) status = walk_all_dominators_walk(w, err);
    if (w->file.fd >= 0) hsd_temp_close(&w->file);
    hsd_pages_give(&w->stack_pages);
    free(w);
    return status;
}

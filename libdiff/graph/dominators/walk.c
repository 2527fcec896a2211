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
 *
 * Where some references are marked, those of a node come last, and what is first reached through one is *apart* until
 * the walk is back at where it came from: it has its bit in config.by_marked. It loses that as soon as a reference
 * which is not marked leads there from a node that is not apart; what those lead to from there on is followed in the
 * end. So bits stay with what marked references alone reach. Two entries of the stack are of no node: one stands on an
 * entry which is of a marked reference, the other one under what is apart.
 */
#include <stdlib.h>

#include "base/bits.h"
#include "base/fail.h"
#include "graph/dominators/parts.h"
#include "graph/worklist.h"

#define IS_REACHED  1u
#define IS_CORE     2u
#define NO_NODE     HSD_NODE_MAX /* an entry of the stack: a marked reference comes next, or nothing is apart any more */
#define GROUP_SHIFT 12u
#define EXPECTED    2u      /* of a list: these come next */
#define PLACED      8u      /* and these soon */
#define LOOK_UP     0x1fffu /* places between two looks at what was read, as a mask */

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
    uint8_t *by_marked; /* NULL = nobody asks */
    bool is_apart, was_apart;
    uint64_t reads_before; /* of the blocks */
    uint8_t *groups; /* one bit for each 2^GROUP_SHIFT nodes: some were apart; in the cache nearest to the processor */
    hsd_worklist rejoined; /* what was apart, and is no longer */
    hsd_node marked[HSD_ADJACENCY_PART_ITEMS];
    hsd_node plain[HSD_ADJACENCY_PART_ITEMS];
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
static inline __attribute__((always_inline)) hsd_status push(walk *w, hsd_node place, const hsd_node *nodes,
                                                             uint32_t count, hsd_error *err)
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
    if (node == w->last_expected || node == NO_NODE || hsd_adjacency_is_leaf(w->d->adjacency, node)) return;
    w->last_expected = node;
    hsd_adjacency_expect(w->d->adjacency, node);
}

/* ---- marked references ---- */

static void set_apart(walk *w, hsd_node node)
{
    hsd_bit_set(w->groups, node >> GROUP_SHIFT);
    hsd_bit_set(w->by_marked, node);
}

static inline hsd_status rejoin(walk *w, hsd_node node, hsd_error *err)
{
    if (!hsd_bit_get(w->groups, node >> GROUP_SHIFT) || !hsd_bit_get(w->by_marked, node)) return HSD_OK;
    hsd_bit_clear(w->by_marked, node);
    return hsd_worklist_push(&w->rejoined, node, err);
}

static hsd_status rejoin_all(walk *w, const hsd_node *nodes, uint32_t count, hsd_error *err)
{
    for (uint32_t i = 0; i < count; i++)
        HSD_TRY(rejoin(w, nodes[i], err));
    return HSD_OK;
}

static bool may_have_marked(const walk *w, hsd_node node)
{
    const hsd_dominators_config *config = w->d->config;
    return w->by_marked != NULL && node < config->object_count && hsd_bit_get(config->has_marked, node);
}

/* Sorts one part of a list with names into `marked` and `plain`. */
static hsd_targets split_marked(walk *w, const hsd_targets *targets, uint32_t *marked_count)
{
    uint32_t marked = 0, plain = 0;
    for (uint32_t i = 0; i < targets->count; i++) {
        const uint32_t is_marked = (targets->names[i] & w->d->config->mark) != 0;
        w->marked[marked] = targets->items[i];
        w->plain[plain] = targets->items[i];
        marked += is_marked;
        plain += 1 - is_marked;
    }
    *marked_count = marked;
    return (hsd_targets){.items = w->plain, .count = plain};
}

/* Lists of what is no longer apart: what is not marked in them leads to what is not apart, either. */
static hsd_status follow_rejoined(walk *w, hsd_error *err)
{
    hsd_adjacency *a = w->d->adjacency;
    hsd_status status;
    hsd_node node;
    while ((status = hsd_worklist_pop(&w->rejoined, &node, err)) == HSD_OK) {
        hsd_targets targets;
        uint32_t marked;
        if (hsd_adjacency_is_leaf(a, node)) continue;
        hsd_adjacency_get_named_alone(a, node, &targets);
        for (;;) {
            const hsd_targets plain = split_marked(w, &targets, &marked);
            HSD_TRY(rejoin_all(w, plain.items, plain.count, err));
            if (!targets.has_more) break;
            hsd_adjacency_more(a, &targets);
        }
    }
    return status == HSD_END ? HSD_OK : status;
}

/* Sorts one part of a list into `fresh` and `old`; no branch depends on the heap. */
static inline __attribute__((always_inline)) hsd_status expand_part(walk *w, hsd_node place, const hsd_targets *targets,
                                                                    hsd_error *err)
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
    if (w->was_apart && !w->is_apart) HSD_TRY(rejoin_all(w, w->old, old, err));
    put_back(w, place, w->old, old);
    return push(w, place, w->fresh, fresh, err);
}

/* Each reference to what was not reached before, with an entry above it that says so. */
static hsd_status push_marked(walk *w, hsd_node place, uint32_t count, hsd_error *err)
{
    static const hsd_node none = NO_NODE;
    uint32_t old = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (state_of(w, w->marked[i]) & IS_REACHED) {
            add_state(w, w->marked[i], IS_CORE);
            w->old[old++] = w->marked[i];
            continue;
        }
        HSD_TRY(push(w, place, &w->marked[i], 1, err));
        HSD_TRY(push(w, 0, &none, 1, err));
    }
    put_back(w, place, w->old, old);
    return HSD_OK;
}

/* Likewise of a node with marked references, while nothing is apart: these go down first. */
static __attribute__((noinline)) hsd_status expand_marked(walk *w, hsd_node place, hsd_node node, hsd_error *err)
{
    hsd_targets targets;
    uint32_t marked;
    hsd_adjacency_get_named_alone(w->d->adjacency, node, &targets);
    for (;;) {
        const hsd_targets plain = split_marked(w, &targets, &marked);
        HSD_TRY(push_marked(w, place, marked, err));
        HSD_TRY(expand_part(w, place, &plain, err));
        if (!targets.has_more) return HSD_OK;
        hsd_adjacency_more(w->d->adjacency, &targets);
    }
}

/* HSD_END when scans are cheaper. */
static __attribute__((noinline)) hsd_status look_up(const walk *w, hsd_node place, hsd_error *err)
{
    hsd_dominators *d = w->d;
    const uint64_t reads = hsd_adjacency_reads(d->adjacency) - w->reads_before;
    if (hsd_dominators_reads_too_much(d, reads, hsd_adjacency_block_count(d->adjacency), place, d->nodes))
        return HSD_END;
    return (place & HSD_DOMINATORS_TICK) == 0 ? hsd_dominators_tick(d, 0, place, d->nodes, err) : HSD_OK;
}

/* Gives `node` its place below `parent`. */
static inline __attribute__((always_inline)) hsd_status reach(walk *w, hsd_node node, hsd_node parent, hsd_error *err)
{
    hsd_dominators *d = w->d;
    const hsd_node place = d->count++;
    add_state(w, node, IS_REACHED);
    hsd_tape_put_node(&d->node_of, node);
    hsd_tape_put_node(&d->parent_of, parent);
    if ((place & LOOK_UP) == 0) HSD_TRY(look_up(w, place, err));
    if (w->is_apart) set_apart(w, node);
    if (hsd_adjacency_is_leaf(d->adjacency, node)) return HSD_OK;
    hsd_targets targets;
    if (!w->is_apart && may_have_marked(w, node)) return expand_marked(w, place, node, err);
    hsd_adjacency_get(d->adjacency, node, &targets);
    for (;;) {
        HSD_TRY(expand_part(w, place, &targets, err));
        if (!targets.has_more) return HSD_OK;
        hsd_adjacency_more(d->adjacency, &targets);
    }
}

/* The target of a reference was reached while the reference lay on the stack. */
static inline __attribute__((always_inline)) hsd_status overtake(walk *w, hsd_two entry, bool is_marked, hsd_error *err)
{
    const hsd_node node = hsd_two_second(entry);
    add_state(w, node, IS_CORE);
    hsd_tape_put_two(&w->d->forward, entry);
    w->d->forward_count++;
    return w->was_apart && !w->is_apart && !is_marked ? rejoin(w, node, err) : HSD_OK;
}

static inline __attribute__((always_inline)) hsd_status pop(walk *w, hsd_two *entry, hsd_error *err)
{
    if (w->stack_count == 0) HSD_TRY(refill(w, err));
    *entry = w->stack[--w->stack_count];
    return HSD_OK;
}

/* The entry was of no node. */
static __attribute__((noinline)) hsd_status take_marked(walk *w, hsd_two entry, hsd_error *err)
{
    static const hsd_node none = NO_NODE;
    if (hsd_two_first(entry) != 0) {
        w->is_apart = false;
        return HSD_OK;
    }
    HSD_TRY(pop(w, &entry, err));
    const hsd_node node = hsd_two_second(entry);
    if (state_of(w, node) & IS_REACHED) return overtake(w, entry, true, err);
    HSD_TRY(push(w, 1, &none, 1, err));
    w->is_apart = w->was_apart = true;
    return reach(w, node, hsd_two_first(entry), err);
}

static hsd_status run_dry_dominators_walk(walk *w, hsd_error *err)
{
    for (;;) {
        hsd_two entry;
        const hsd_status status = pop(w, &entry, err);
        if (status != HSD_OK) return status == HSD_END ? HSD_OK : status;
        if (w->stack_count >= 2) expect(w, hsd_two_second(w->stack[w->stack_count - 2]));
        const hsd_node node = hsd_two_second(entry);
        if (__builtin_expect(node == NO_NODE, 0))
            HSD_TRY(take_marked(w, entry, err));
        else if (state_of(w, node) & IS_REACHED)
            HSD_TRY(overtake(w, entry, false, err));
        else
            HSD_TRY(reach(w, node, hsd_two_first(entry), err));
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
    if (w->was_apart) HSD_TRY(follow_rejoined(w, err));
    d->stats.tells_marked = w->by_marked != NULL;
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
    w->by_marked = d->config->by_marked;
    w->reads_before = hsd_adjacency_reads(d->adjacency);
    if (w->by_marked != NULL) {
        HSD_TRY(hsd_worklist_open(&w->rejoined, 0, d->config->space, err));
        w->groups = calloc((size_t)(d->nodes >> GROUP_SHIFT) / 8 + 1, 1);
        if (w->groups == NULL) return hsd_fail_nomem(err, "the walk of the dominators");
    }
    w->stack_items = d->limits.stack_items;
    if (!hsd_pages_take_any(&w->stack_pages, (size_t)w->stack_items * sizeof *w->stack))
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
    if (w->rejoined.space != NULL) hsd_worklist_close(&w->rejoined);
    hsd_pages_give(&w->stack_pages);
    free(w->groups);
    free(w);
    return status;
}

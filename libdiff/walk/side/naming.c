/*
 * Names of references from dominators where places are sorted by node, from what the walk of the dominators knows: a
 * node that is not core has one reference, and that is from its dominator. Only of core nodes, a quarter of a Java
 * heap, must be known who dominates them.
 *
 *      places, once    parents    of core nodes, in the order of nodes: onto a tape
 *                      sources    nodes that dominate anything, and where their places begin: onto a tape
 *      references      in the order of sources, by two threads in turns of some chunks: names[target], two bytes a node
 *                      as a rule, becomes the name if that is less, and the target hangs from the source: it is not
 *                      core, or parents[its rank] is the source's place
 *      names           onto a tape, that is read in order with the places
 *
 * By the way owners are made ready to be told (graph/owner_tree.h), where that is possible: `parents` of a candidate is
 * its number, counted from the largest one down, and sources are all nodes that refer to anything. That is more to go
 * through, on two threads, and saves the walk of the owners, on one.
 *
 * A rank is the number of core nodes before a node. Where names and parents do not fit they are found for half of the
 * nodes, and then for the others; if that does not do, in windows as without such knowledge (side/dominators.c).
 *
 * References wait in a short ring, as there: first a target's bit and the count before it are fetched, then its parent.
 */
#include "walk/side/naming.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/search.h"
#include "base/worker.h"
#include "graph/owner_tree.h"
#include "graph/tape.h"
#include "sort/read_ahead.h"
#include "walk/places.h"

#define RING_ITEMS      32u
#define FOUND_AHEAD     16u /* of these, whose rank is known already */
#define MOST_WINDOWS    2u
#define PIECE           4u /* chunks of sources that a thread takes at a time */
#define PROGRESS_STEPS  0xffffu
#define BUFFER_BYTES    (UINT64_C(2) << 20) /* chunks that are read and written, and what is read ahead */
#define CANDIDATES_PART 512u                /* nodes: a line of the cache has their bits */
#define SIMPLE          HSD_NODE_MAX        /* the rank of a node that is not core */

typedef struct naming { /* both threads read it, and write nothing but names */
    const hsd_side_walk *side;
    hsd_places *places;
    const uint64_t *bits; /* of core nodes */
    hsd_node words;
    hsd_pages rank_pages, parent_pages, name_pages;
    hsd_node *ranks;   /* core nodes before each word */
    hsd_node *parents; /* where the dominator's place begins, of core nodes in the window by their ranks */
    uint64_t room;     /* bytes of parents and names */
    hsd_node begin, span, first_rank; /* the window */
    hsd_tape parents_tape, spans_tape, sources;
    hsd_owner_tree *tree; /* of owners; NULL = they are not told */
    bool sees_all;        /* for owners: references of nodes that dominate nothing, too */
    hsd_node object_rank; /* core nodes that are objects */
    hsd_node candidates;  /* before the window, and in it once it was brought */
    hsd_pages candidate_pages;
    uint64_t *candidate_bits;    /* by node */
    hsd_node *candidates_before; /* each CANDIDATES_PART nodes */
    hsd_node most_place;         /* what is more in `parents` is a candidate */
    _Atomic uint32_t next_chunk; /* of sources, that nobody takes yet */
} naming;

/* ---- ranks ---- */

static inline hsd_node rank_of(const naming *n, hsd_node node)
{
    const uint64_t below = (UINT64_C(1) << node % 64) - 1;
    return n->ranks[node / 64] + hsd_count_bits_u64(n->bits[node / 64] & below);
}

static inline bool is_core(const naming *n, hsd_node node) { return (n->bits[node / 64] >> node % 64 & 1) != 0; }

static hsd_status count_ranks(naming *n, hsd_error *err)
{
    if (!hsd_pages_take(&n->rank_pages, ((size_t)n->words + 1) * sizeof *n->ranks))
        return hsd_fail_nomem(err, "names of references");
    n->ranks = n->rank_pages.data;
    for (hsd_node word = 0; word < n->words; word++)
        n->ranks[word + 1] = n->ranks[word] + hsd_count_bits_u64(n->bits[word]);
    return HSD_OK;
}

/* ---- windows of whole words ---- */

static uint64_t window_bytes(const naming *n, hsd_node from, hsd_node until)
{
    return (uint64_t)(until - from) * 64 * n->places->name_bytes +
           (uint64_t)(n->ranks[until] - n->ranks[from]) * HSD_NODE_BYTES;
}

/* The word behind the last one whose names and parents fit with those from `from` on. */
static hsd_node window_end(const naming *n, hsd_node from)
{
    hsd_node until;
    HSD_PARTITION(until, from, n->words, window_bytes(n, from, until + 1) <= n->room);
    return until;
}

/* More than MOST_WINDOWS are MOST_WINDOWS + 1. */
static uint32_t count_windows(const naming *n)
{
    uint32_t count = 0;
    for (hsd_node word = 0; word < n->words && count <= MOST_WINDOWS; count++)
        word = window_end(n, word);
    return count;
}

static bool fits_in_windows(const naming *n) { return count_windows(n) <= MOST_WINDOWS; }

/* ---- places ---- */

typedef struct source {
    hsd_node node, first;
    bool is_plain; /* it dominates nothing: for owners alone */
} source;

static void put_source(hsd_tape *tape, source *last, source next)
{
    uint8_t *at = hsd_tape_room(tape, 2 * HSD_VARINT_MOST);
    if (at == tape->buffer) *last = (source){0, 0, false};
    at = hsd_varint_put(at, (uint64_t)(next.node - last->node) << 1 | next.is_plain);
    tape->at = hsd_varint_put(at, hsd_fold_difference(next.first, last->first));
    *last = next;
}

static bool get_source(hsd_tape_reader *reader, source *next)
{
    uint64_t step;
    hsd_node folded;
    if (!hsd_tape_has_more(reader)) return false;
    if (reader->at == reader->begin) *next = (source){0, 0, false};
    const uint8_t *at = hsd_varint_get(reader->at, &step);
    reader->at = hsd_tape_varint(at, &folded);
    next->node += (hsd_node)(step >> 1);
    next->is_plain = step & 1;
    next->first = hsd_unfold_difference(folded, next->first);
    return true;
}

/* What owners are told from: which nodes are open, and the places of all that may be below one. */
static void see_place(naming *n, const hsd_interval *place)
{
    if (place->end != place->first + 1) hsd_owner_order_see_place(n->tree, place->first, place->end);
    if (!n->sees_all || !is_core(n, place->node)) return;
    hsd_tape_put_node(&n->spans_tape, place->first);
    hsd_tape_put_small(&n->spans_tape, place->end - place->first);
}

static bool is_source(const naming *n, const hsd_interval *place)
{
    if (place->end != place->first + 1) return true;
    return n->sees_all && !hsd_adjacency_is_leaf(n->side->adjacency, place->node);
}

static hsd_status pass_places(naming *n, hsd_read_ahead *ahead, hsd_error *err)
{
    source last = {0, 0, false};
    const uint64_t *records;
    hsd_status status;
    size_t count;
    while ((status = hsd_read_ahead_next_some(ahead, &records, &count, err)) == HSD_OK) {
        for (size_t i = 0; i < count; i++) {
            hsd_interval place;
            hsd_places_of_record(records + i * HSD_PLACES_WORDS, &place);
            if (is_core(n, place.node)) hsd_tape_put_node(&n->parents_tape, place.parent);
            if (n->tree != NULL) see_place(n, &place);
            if (is_source(n, &place))
                put_source(&n->sources, &last, (source){place.node, place.first, place.end == place.first + 1});
        }
    }
    hsd_tape_finish(&n->parents_tape);
    hsd_tape_finish(&n->spans_tape);
    hsd_tape_finish(&n->sources);
    return status == HSD_END ? hsd_reel_check(n->sources.reel, err) : status;
}

static hsd_status read_places(naming *n, hsd_error *err)
{
    const hsd_read_ahead_how how = {.with_thread = n->side->request->use_thread,
                                    .is_dense = true,
                                    .shift = HSD_PLACES_NODE_SHIFT,
                                    .memory_bytes = HSD_READ_AHEAD_BYTES};
    hsd_read_ahead ahead;
    hsd_status status = hsd_read_ahead_begin(&ahead, n->places->by_node, &how, err);
    if (status == HSD_OK) status = pass_places(n, &ahead, err);
    hsd_read_ahead_end(&ahead);
    return status;
}

/* ---- owners ---- */

static hsd_node candidate_parts(const hsd_side_walk *side) { return side->node_count / CANDIDATES_PART + 1; }

static uint64_t candidate_bytes(const hsd_side_walk *side)
{
    return (uint64_t)candidate_parts(side) * (CANDIDATES_PART / 8 + HSD_NODE_BYTES);
}

static hsd_status take_candidates(naming *n, hsd_error *err)
{
    if (!hsd_pages_take(&n->candidate_pages, (size_t)candidate_bytes(n->side)))
        return hsd_fail_nomem(err, "names of references");
    n->candidate_bits = n->candidate_pages.data;
    n->candidates_before = (hsd_node *)(void *)(n->candidate_bits + candidate_parts(n->side) * (CANDIDATES_PART / 64));
    return HSD_OK;
}

/* Of the core nodes of one word. */
static hsd_status add_word(naming *n, hsd_node word, hsd_tape_reader *parents, hsd_tape_reader *spans, hsd_error *err)
{
    for (uint64_t left = n->bits[word]; left != 0; left &= left - 1) {
        const hsd_node node = word * 64 + (hsd_node)__builtin_ctzll(left);
        hsd_node parent, first, size;
        if (node >= n->side->object_count || !hsd_tape_get_node(parents, &parent) ||
            !hsd_tape_get_node(spans, &first) || !hsd_tape_get_small(spans, &size))
            return HSD_OK;
        if (!hsd_owner_order_has_candidates(n->tree, parent)) continue;
        n->candidate_bits[word] |= left & -left;
        HSD_TRY(hsd_owner_order_add(n->tree, first, first + size, parent, err));
    }
    return HSD_OK;
}

static hsd_status add_candidates(naming *n, hsd_tape_reader *parents, hsd_tape_reader *spans, hsd_error *err)
{
    hsd_node count = 0;
    HSD_TRY(take_candidates(n, err));
    for (hsd_node word = 0; word < n->words && n->sees_all; word++) {
        if (word % (CANDIDATES_PART / 64) == 0) n->candidates_before[word / (CANDIDATES_PART / 64)] = count;
        HSD_TRY(add_word(n, word, parents, spans, err));
        count += hsd_count_bits_u64(n->candidate_bits[word]);
    }
    HSD_TRY(hsd_reel_check(n->sources.reel, err));
    return hsd_owner_order_begin(n->tree, err);
}

static void drop_owners(naming *n)
{
    hsd_owner_tree_free(n->tree);
    n->tree = NULL;
    n->most_place = HSD_NODE_MAX;
}

static hsd_status find_candidates(naming *n, hsd_error *err)
{
    hsd_tape_reader parents, spans;
    if (n->tree == NULL) return HSD_OK;
    hsd_tape_read(&parents, &n->parents_tape, HSD_TAPE_FORWARD, false);
    hsd_tape_read(&spans, &n->spans_tape, HSD_TAPE_FORWARD, true);
    const hsd_status status = add_candidates(n, &parents, &spans, err);
    hsd_tape_close(&parents);
    hsd_tape_close(&spans);
    if (status != HSD_END) return status;
    drop_owners(n);
    return HSD_OK;
}

/* Once all references were seen. */
static hsd_status resolve_owners(naming *n, hsd_error *err)
{
    hsd_walk_graph *graph = n->side->graph;
    if (n->tree == NULL) return HSD_OK;
    HSD_TRY(hsd_owner_tree_resolve(&n->tree, err));
    if (n->tree != NULL && hsd_owner_tree_bytes(n->tree) > n->side->request->plan.owner_tell_bytes) drop_owners(n);
    graph->owner_tree = n->tree;
    graph->tells_in_order = n->tree != NULL;
    n->tree = NULL;
    return HSD_OK;
}

/* ---- references ---- */

typedef struct seen { /* a reference in the ring */
    hsd_node target, first, rank;
    uint32_t name;
} seen;

typedef struct namer { /* of one thread */
    naming *n;
    hsd_adjacency *adjacency;
    hsd_owner_view owners;
    seen ring[RING_ITEMS];
    uint32_t count; /* of all references so far, as it comes round */
} namer;

/* True if the reference is from the dominator of what it leads to. */
static inline __attribute__((always_inline)) bool hangs(namer *w, const seen *s)
{
    const naming *n = w->n;
    if (s->rank == SIMPLE) return true;
    const hsd_node parent = n->parents[s->rank - n->first_rank];
    if (parent <= n->most_place || s->first == 0) return parent == s->first;
    return hsd_owner_order_see(&w->owners, s->first, (uint32_t)(HSD_NODE_MAX - parent));
}

static inline __attribute__((always_inline)) void offer(namer *w, const seen *s, bool is_narrow)
{
    const naming *n = w->n;
    if (!hangs(w, s)) return;
    const size_t at = s->target - n->begin;
    if (is_narrow) {
        uint16_t *const name = (uint16_t *)n->name_pages.data + at;
        const uint16_t offered = hsd_places_narrow(s->name);
        if (offered < *name) *name = offered;
    } else {
        uint32_t *const name = (uint32_t *)n->name_pages.data + at;
        if (s->name < *name) *name = s->name;
    }
}

static inline void find_parent(const naming *n, seen *s)
{
    const hsd_node rank = rank_of(n, s->target);
    __builtin_prefetch(&n->parents[rank - n->first_rank]);
    s->rank = is_core(n, s->target) ? rank : SIMPLE;
}

static inline __attribute__((always_inline)) void see(namer *w, hsd_node target, hsd_node first, uint32_t name,
                                                      bool is_narrow)
{
    const naming *n = w->n;
    const hsd_node at = target - n->begin;
    if (at >= n->span) return;
    seen *slot = &w->ring[w->count % RING_ITEMS];
    offer(w, slot, is_narrow);
    *slot = (seen){target, first, SIMPLE, name};
    __builtin_prefetch(&n->bits[target / 64]);
    __builtin_prefetch(&n->ranks[target / 64]);
    __builtin_prefetch((const uint8_t *)n->name_pages.data + (size_t)at * (is_narrow ? 2 : 4), 1);
    find_parent(n, &w->ring[(w->count + RING_ITEMS - FOUND_AHEAD) % RING_ITEMS]);
    w->count++;
}

static inline __attribute__((always_inline)) void see_all(namer *w, const source *from, bool is_narrow)
{
    hsd_targets targets;
    if (hsd_adjacency_is_leaf(w->adjacency, from->node)) return;
    hsd_adjacency_get_named(w->adjacency, from->node, &targets);
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++)
            see(w, targets.items[i], from->first, targets.names[i], is_narrow);
        if (!targets.has_more) return;
        hsd_adjacency_more(w->adjacency, &targets);
    }
}

static void see_candidate(namer *w, hsd_node target, hsd_node first)
{
    const naming *n = w->n;
    const uint64_t *bits = n->candidate_bits + target / 64;
    const hsd_node part = target / CANDIDATES_PART;
    if ((*bits >> target % 64 & 1) == 0) return;
    hsd_node number = n->candidates_before[part] + hsd_count_bits_u64(*bits & ((UINT64_C(1) << target % 64) - 1));
    for (const uint64_t *before = n->candidate_bits + part * (CANDIDATES_PART / 64); before < bits; before++)
        number += hsd_count_bits_u64(*before);
    hsd_owner_order_see(&w->owners, first, (uint32_t)number);
}

/* Of a node that dominates nothing: once, whatever the window. */
static void see_candidates(namer *w, const source *from)
{
    hsd_targets targets;
    hsd_adjacency_get(w->adjacency, from->node, &targets);
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++)
            see_candidate(w, targets.items[i], from->first);
        if (!targets.has_more) return;
        hsd_adjacency_more(w->adjacency, &targets);
    }
}

static hsd_status check_namer(const namer *w, hsd_node node, hsd_error *err)
{
    const hsd_side_walk *side = w->n->side;
    HSD_TRY(hsd_reel_check(w->n->sources.reel, err));
    HSD_TRY(hsd_adjacency_check(w->adjacency, err));
    return hsd_progress(side->request->reporter, "naming references", node, side->node_count, err);
}

static inline __attribute__((always_inline)) hsd_status pass_piece(namer *w, uint32_t chunk, bool is_narrow,
                                                                   hsd_error *err)
{
    naming *n = w->n;
    const uint32_t until = (uint32_t)hsd_min_u64((uint64_t)chunk + PIECE, n->sources.chunk_count);
    hsd_tape_reader reader;
    source from = {0, 0, false};
    hsd_status status = HSD_OK;
    hsd_tape_read_chunks(&reader, &n->sources, chunk, until, false);
    for (uint32_t done = 0; status == HSD_OK && get_source(&reader, &from); done++) {
        if (!from.is_plain)
            see_all(w, &from, is_narrow);
        else if (n->begin == 0 && n->tree != NULL)
            see_candidates(w, &from);
        if ((done & PROGRESS_STEPS) == 0) status = check_namer(w, from.node, err);
    }
    hsd_tape_close(&reader);
    return status;
}

/* What is in an empty slot is behind the window, where nobody writes: its name is not less than none. */
static inline __attribute__((always_inline)) hsd_status pass_pieces(namer *w, bool is_narrow, hsd_error *err)
{
    naming *n = w->n;
    for (uint32_t i = 0; i < RING_ITEMS; i++)
        w->ring[i] = (seen){n->begin + n->span, 0, SIMPLE, HSD_PLACES_NO_NAME};
    for (;;) {
        const uint32_t chunk = atomic_fetch_add(&n->next_chunk, PIECE);
        if (chunk >= n->sources.chunk_count) break;
        HSD_TRY(pass_piece(w, chunk, is_narrow, err));
    }
    for (uint32_t i = 0; i < RING_ITEMS; i++) {
        find_parent(n, &w->ring[i]);
        offer(w, &w->ring[i], is_narrow);
    }
    return check_namer(w, n->side->node_count, err);
}

static hsd_status pass_narrow(namer *w, hsd_error *err) { return pass_pieces(w, true, err); }
static hsd_status pass_wide(namer *w, hsd_error *err) { return pass_pieces(w, false, err); }

/* On a copy of its own: the two stand side by side, and what both write all the time must not share a line of cache. */
static hsd_status run_namer(void *context, hsd_error *err)
{
    namer w = *(const namer *)context;
    return w.n->places->name_bytes == sizeof(uint16_t) ? pass_narrow(&w, err) : pass_wide(&w, err);
}

static hsd_status pass_references(naming *n, hsd_error *err)
{
    hsd_adjacency *const adjacency = n->side->adjacency;
    namer first = {.n = n, .adjacency = adjacency, .owners = {.tree = n->tree}},
          second = {.n = n, .owners = {.tree = n->tree, .thread = 1}};
    atomic_store(&n->next_chunk, 0);
    if (!n->side->request->use_thread) return run_namer(&first, err);
    HSD_TRY(hsd_adjacency_view(adjacency, &second.adjacency, err));
    const hsd_status status = hsd_run_both((hsd_job){run_namer, &second}, (hsd_job){run_namer, &first}, true, err);
    hsd_adjacency_free(second.adjacency);
    return status;
}

/* ---- a window ---- */

static hsd_status bring_parents(naming *n, hsd_node from, hsd_node until, hsd_error *err)
{
    hsd_tape_reader reader;
    n->first_rank = n->ranks[from];
    hsd_tape_read(&reader, &n->parents_tape, HSD_TAPE_FORWARD, false);
    for (hsd_node rank = n->first_rank; rank < n->ranks[until]; rank++) {
        hsd_node *const parent = &n->parents[rank - n->first_rank];
        if (!hsd_tape_seek_node(&reader, rank, parent)) break;
        if (n->tree != NULL && rank < n->object_rank && hsd_owner_order_has_candidates(n->tree, *parent))
            *parent = HSD_NODE_MAX - n->candidates++;
    }
    hsd_tape_close(&reader);
    return hsd_reel_check(n->parents_tape.reel, err);
}

static void put_names(naming *n)
{
    for (hsd_node i = 0; i < n->span; i++) {
        const hsd_node name = n->places->name_bytes == sizeof(uint16_t) ? ((const uint16_t *)n->name_pages.data)[i]
                                                                        : ((const uint32_t *)n->name_pages.data)[i];
        hsd_tape_put_wide(&n->places->names, name, n->places->name_bytes);
    }
}

static hsd_status name_window(naming *n, hsd_node from, hsd_node until, hsd_error *err)
{
    const uint64_t begin = (uint64_t)from * 64, end = hsd_min_u64((uint64_t)until * 64, n->side->node_count);
    n->begin = (hsd_node)begin;
    n->span = (hsd_node)(end - begin);
    const size_t names = ((size_t)n->span + 1) * n->places->name_bytes;
    const size_t parents = ((size_t)(n->ranks[until] - n->ranks[from]) + 1) * HSD_NODE_BYTES;
    if (!hsd_pages_take(&n->name_pages, names) || !hsd_pages_take(&n->parent_pages, parents))
        return hsd_fail_nomem(err, "names of references");
    n->parents = n->parent_pages.data;
    memset(n->name_pages.data, 0xff, names);
    HSD_TRY(bring_parents(n, from, until, err));
    HSD_TRY(pass_references(n, err));
    put_names(n);
    hsd_pages_give(&n->name_pages);
    hsd_pages_give(&n->parent_pages);
    return HSD_OK;
}

static hsd_status name_all(naming *n, hsd_error *err)
{
    HSD_TRY(read_places(n, err));
    HSD_TRY(find_candidates(n, err));
    for (hsd_node word = 0; word < n->words;) {
        const hsd_node until = window_end(n, word);
        HSD_TRY(name_window(n, word, until, err));
        word = until;
    }
    hsd_tape_finish(&n->places->names);
    HSD_TRY(hsd_reel_check(n->places->names.reel, err));
    return resolve_owners(n, err);
}

/* ---- the whole ---- */

/* What is there beside names and parents: bits, ranks, and what both threads read through. */
static uint64_t fixed_bytes(const hsd_side_walk *side)
{
    const uint64_t words = (uint64_t)side->node_count / 64 + 1;
    return words * (8 + HSD_NODE_BYTES) + BUFFER_BYTES + hsd_adjacency_view_bytes(side->adjacency);
}

bool hsd_side_may_name_by_core(const hsd_side_walk *side)
{
    const uint64_t names = (uint64_t)side->node_count * sizeof(uint16_t);
    return side->request->plan.link_bytes >= fixed_bytes(side) + names / MOST_WINDOWS;
}

bool hsd_side_may_tell_in_order(const hsd_side_walk *side)
{
    const uint64_t bytes = side->request->plan.owner_tell_bytes;
    const uint64_t others = (uint64_t)hsd_side_others(side) * HSD_TWO_BYTES;
    if (side->graph->places->is_whole || side->object_count == 0 || others == 0 || bytes < 2 * others) return false;
    if (side->node_count > HSD_NODE_MAX / 8 * 7) return false; /* numbers of candidates have no room behind places */
    return hsd_side_may_name_by_core(side) && !hsd_side_wants_lost(side);
}

static bool fits_beside(naming *n, uint64_t bytes, uint32_t windows)
{
    const uint64_t room = n->room;
    if (room <= bytes) return false;
    n->room = room - bytes;
    const bool fits = count_windows(n) <= windows;
    n->room = room;
    return fits;
}

/* What owners have: a fifth of a byte a node does for a Java heap, an eighth does not, more is for heaps in no order,
 * and adds no window. One window more is less than a walk of the owners. 0 = they do not fit. */
static uint64_t tree_bytes(naming *n)
{
    const hsd_node nodes = n->side->node_count;
    const uint64_t labels = (uint64_t)hsd_side_others(n->side) * (3 * HSD_OWNER_ITEM_BYTES + HSD_TWO_BYTES);
    const uint64_t least = hsd_owner_order_open_bytes(nodes) + candidate_bytes(n->side) + labels;
    const uint32_t windows = count_windows(n);
    for (uint64_t more = 8 * (uint64_t)nodes; more >= nodes / 5; more -= more / 8)
        if (fits_beside(n, least + more, windows)) return least + more;
    for (uint64_t more = nodes; more >= nodes / 32; more /= 2)
        if (fits_beside(n, least + more, MOST_WINDOWS)) return least + more;
    return 0;
}

static hsd_status begin_owners(naming *n, hsd_error *err)
{
    const hsd_side_walk *side = n->side;
    const uint64_t bits = hsd_owner_order_open_bytes(side->node_count) + candidate_bytes(side), room = n->room;
    const uint64_t bytes = n->places->other_spans != NULL && !hsd_side_asks_soft(side) ? tree_bytes(n) : 0;
    const hsd_owner_tree_config config = {.roots = side->root_span,
                                          .node_count = side->node_count,
                                          .object_count = side->object_count,
                                          .name_of_node = side->name_of_node,
                                          .spans = n->places->other_spans,
                                          .first_node = side->object_count,
                                          .memory_bytes = bytes - hsd_min_u64(bits, bytes)};
    if (bytes == 0) return HSD_OK;
    n->room = room - bytes;
    HSD_TRY(hsd_owner_tree_begin(&n->tree, &config, err));
    if (n->tree == NULL) return HSD_OK;
    n->sees_all = hsd_owner_tree_crossings(n->tree, 0) != NULL;
    n->object_rank = rank_of(n, side->object_count);
    n->most_place = side->node_count;
    return HSD_OK;
}

static hsd_status begin_naming(naming *n, hsd_error *err)
{
    const uint64_t fixed = fixed_bytes(n->side), bytes = n->side->request->plan.link_bytes;
    n->room = bytes > fixed ? bytes - fixed : 0;
    HSD_TRY(count_ranks(n, err));
    return fits_in_windows(n) ? begin_owners(n, err) : HSD_END;
}

static void end_naming(naming *n)
{
    hsd_owner_tree_free(n->tree);
    hsd_tape_release(&n->parents_tape);
    hsd_tape_release(&n->spans_tape);
    hsd_tape_release(&n->sources);
    hsd_pages_give(&n->rank_pages);
    hsd_pages_give(&n->parent_pages);
    hsd_pages_give(&n->name_pages);
    hsd_pages_give(&n->candidate_pages);
}

hsd_status hsd_side_name_by_core(hsd_side_walk *side, hsd_error *err)
{
    hsd_places *places = side->graph->places;
    naming n = {.side = side, .places = places, .bits = places->core_bits.data, .most_place = HSD_NODE_MAX};
    n.words = side->node_count / 64 + (side->node_count % 64 != 0);
    if (n.bits == NULL) return HSD_END;
    hsd_places_begin_names(places, side);
    hsd_tape_init(&n.parents_tape, &places->name_reel);
    hsd_tape_init(&n.spans_tape, &places->name_reel);
    hsd_tape_init(&n.sources, &places->name_reel);
    hsd_status status = begin_naming(&n, err);
    if (status == HSD_OK) status = name_all(&n, err);
    end_naming(&n);
    if (status == HSD_END) hsd_places_forget_names(places);
    hsd_pages_give(&places->core_bits);
    return status;
}

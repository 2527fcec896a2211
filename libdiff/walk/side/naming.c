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
#include "graph/tape.h"
#include "sort/read_ahead.h"
#include "walk/places.h"

#define RING_ITEMS     32u
#define FOUND_AHEAD    16u /* of these, whose rank is known already */
#define MOST_WINDOWS   2u
#define PIECE          4u /* chunks of sources that a thread takes at a time */
#define PROGRESS_STEPS 0xffffu
#define BUFFER_BYTES   (UINT64_C(2) << 20) /* chunks that are read and written, and what is read ahead */
#define SIMPLE         HSD_NODE_MAX        /* the rank of a node that is not core */

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
    hsd_tape parents_tape, sources;
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

static bool fits_in_windows(const naming *n)
{
    hsd_node word = 0;
    for (uint32_t i = 0; i < MOST_WINDOWS; i++)
        word = window_end(n, word);
    return word == n->words;
}

/* ---- places ---- */

typedef struct source {
    hsd_node node, first;
} source;

static void put_source(hsd_tape *tape, source *last, source next)
{
    uint8_t *at = hsd_tape_room(tape, 2 * HSD_VARINT_MOST);
    if (at == tape->buffer) *last = (source){0, 0};
    at = hsd_varint_put(at, next.node - last->node);
    tape->at = hsd_varint_put(at, hsd_fold_difference(next.first, last->first));
    *last = next;
}

static bool get_source(hsd_tape_reader *reader, source *next)
{
    hsd_node step, folded;
    if (!hsd_tape_has_more(reader)) return false;
    if (reader->at == reader->begin) *next = (source){0, 0};
    const uint8_t *at = hsd_tape_varint(reader->at, &step);
    reader->at = hsd_tape_varint(at, &folded);
    next->node += step;
    next->first = hsd_unfold_difference(folded, next->first);
    return true;
}

static hsd_status pass_places(naming *n, hsd_read_ahead *ahead, hsd_error *err)
{
    source last = {0, 0};
    const uint64_t *records;
    hsd_status status;
    size_t count;
    while ((status = hsd_read_ahead_next_some(ahead, &records, &count, err)) == HSD_OK) {
        for (size_t i = 0; i < count; i++) {
            hsd_interval place;
            hsd_places_of_record(records + i * HSD_PLACES_WORDS, &place);
            if (is_core(n, place.node)) hsd_tape_put_node(&n->parents_tape, place.parent);
            if (place.end != place.first + 1) put_source(&n->sources, &last, (source){place.node, place.first});
        }
    }
    hsd_tape_finish(&n->parents_tape);
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

/* ---- references ---- */

typedef struct seen { /* a reference in the ring */
    hsd_node target, first, rank;
    uint32_t name;
} seen;

typedef struct namer { /* of one thread */
    naming *n;
    hsd_adjacency *adjacency;
    seen ring[RING_ITEMS];
    uint32_t count; /* of all references so far, as it comes round */
} namer;

static inline __attribute__((always_inline)) void offer(const naming *n, const seen *s, bool is_narrow)
{
    if (s->rank != SIMPLE && n->parents[s->rank - n->first_rank] != s->first) return;
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
    offer(n, slot, is_narrow);
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
    source from = {0, 0};
    hsd_status status = HSD_OK;
    hsd_tape_read_chunks(&reader, &n->sources, chunk, until, false);
    for (uint32_t done = 0; status == HSD_OK && get_source(&reader, &from); done++) {
        see_all(w, &from, is_narrow);
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
        offer(n, &w->ring[i], is_narrow);
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
    namer first = {.n = n, .adjacency = adjacency}, second = {.n = n};
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
    for (hsd_node rank = n->first_rank; rank < n->ranks[until]; rank++)
        if (!hsd_tape_seek_node(&reader, rank, &n->parents[rank - n->first_rank])) break;
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
    for (hsd_node word = 0; word < n->words;) {
        const hsd_node until = window_end(n, word);
        HSD_TRY(name_window(n, word, until, err));
        word = until;
    }
    hsd_tape_finish(&n->places->names);
    return hsd_reel_check(n->places->names.reel, err);
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

static hsd_status begin_naming(naming *n, hsd_error *err)
{
    const uint64_t fixed = fixed_bytes(n->side), bytes = n->side->request->plan.link_bytes;
    n->room = bytes > fixed ? bytes - fixed : 0;
    HSD_TRY(count_ranks(n, err));
    return fits_in_windows(n) ? HSD_OK : HSD_END;
}

static void end_naming(naming *n)
{
    hsd_tape_release(&n->parents_tape);
    hsd_tape_release(&n->sources);
    hsd_pages_give(&n->rank_pages);
    hsd_pages_give(&n->parent_pages);
    hsd_pages_give(&n->name_pages);
}

hsd_status hsd_side_name_by_core(hsd_side_walk *side, hsd_error *err)
{
    hsd_places *places = side->graph->places;
    naming n = {.side = side, .places = places, .bits = places->core_bits.data};
    n.words = side->node_count / 64 + (side->node_count % 64 != 0);
    if (n.bits == NULL) return HSD_END;
    hsd_places_begin_names(places, side);
    hsd_tape_init(&n.parents_tape, &places->name_reel);
    hsd_tape_init(&n.sources, &places->name_reel);
    hsd_status status = begin_naming(&n, err);
    if (status == HSD_OK) status = name_all(&n, err);
    end_naming(&n);
    if (status == HSD_END) hsd_places_forget_names(places);
    hsd_pages_give(&places->core_bits);
    return status;
}

/*
 * What the steps of graph/dominators/dominators.h hand to each other. Private to the dominators and their tests.
 *
 *      walk   ──► node_of, parent_of   by preorder; the super-root is 0
 *             ──► forward, back        the references that are no edges of the walk's tree
 *      core   ──► core_of              (preorder, parent, core parent) of each core node
 *             ──► buckets              predecessors of core nodes
 *      semi   ──► semi_of              semidominators, last core node first
 *      nca    ──► dominator_of         immediate dominators by preorder
 *      order  ──► config.take
 *
 * By scans (dominators/scan.c):
 *
 *      search ──► node_of              in some order in which dominators come first
 *      gather ──► back, leaf_back      predecessors of each place; of those that refer to nothing
 *             ──► buckets              where raise has room to sort them: references, by target
 *      raise  ──► dominator_of         forward: lists that are looked at again
 *      order  ──► config.take          where numbers of upper places do not fit, first_of and size_of by place before
 *
 * With far more references than nodes (dominators/dense.c): search, then raise from the references themselves.
 *
 * By windows (dominators/windows.h), where no number of each place fits in memory:
 *
 *      search ──► node_of
 *      gather ──► windows              predecessors by windows of their places
 *      raise  ──► windows              dominators
 *      order  ──► config.take
 *
 * A node is *core* if some reference outside of the tree leads to it; the walk knows that when it meets the
 * reference, so a node of the rest costs no bit and no predecessor. Such a *simple* node is dominated by its
 * parent. Each node belongs to the *group* of the nearest core node on its way up, itself included.
 */
#ifndef HSD_GRAPH_DOMINATORS_PARTS_H
#define HSD_GRAPH_DOMINATORS_PARTS_H

#include <stdatomic.h>

#include "base/pages.h"
#include "base/worker.h"
#include "graph/dominators/dominators.h"
#include "graph/tape.h"

/* Of which places numbers are in memory while places are told by scans, and when sizes are added up: what memory
 * allows, or what a test asks for. */
typedef enum hsd_order_way { HSD_ORDER_AS_FITS, HSD_ORDER_UPPER_FROM_TAPE, HSD_ORDER_ALL_BY_TAPES } hsd_order_way;

/* How one run divides its memory; hsd_dominators_divide fills it, tests shrink it further. */
typedef struct hsd_dominators_limits {
    bool is_resident;      /* tapes in memory, and the blocks of the adjacency left alone */
    bool uses_flat;        /* arrays that fit are used as plain ones */
    bool uses_scans;       /* before a walk depth first, if that is cheap, or where it reads too much (most_reads) */
    bool uses_windows;     /* of these: no number of each place is in memory (dominators/windows.h) */
    bool is_dense;         /* of scans: nothing is written down of references (dominators/dense.c) */
    uint64_t most_reads;   /* of scans: at random, by a walk depth first that is tried, too; 0 = none is */
    bool is_trial;         /* of scans: a walk comes next, so they end where blocks are asked for again */
    uint32_t chunk_bytes;  /* of the reel */
    uint64_t stack_items;  /* of the walk, in memory; even */
    uint32_t bucket_items; /* predecessors that are sorted at a time */
    uint32_t max_buckets;  /* that are written at a time */
    uint64_t
        climb_steps; /* of step 4, for each core node on average, before it builds jumps; of scans, before they end */
    uint32_t batch_items;   /* places that are told at a time; four times as many are worth a second thread */
    hsd_node window_nodes;  /* whose numbers are looked up at a time, if not all fit; 0 = as many as fit */
    hsd_node window_places; /* of one window, by windows; 0 = as many as are worth it */
    bool has_wide_starts;   /* by windows: all bytes of a number where 3 would do */
    uint64_t window_room;   /* numbers of places in memory at a time, by windows; 0 = as many as fit */
    hsd_order_way order_way;
    uint64_t memory_bytes; /* all of it */
    uint64_t floor_bytes;  /* of adjacency blocks after the walk */
    /* Resident: how much steps may hold behind the walk, blocks not counted; if it is more, as can be told then, the
     * rest of the way is that of less memory. 0 = whatever it is */
    uint64_t later_bytes;
} hsd_dominators_limits;

/* Predecessors of the core nodes lo … hi - 1. First the forward references, as (node - lo, predecessor); then
 * the others, as (node - lo, predecessor, its group), ascending by predecessor, as differences, which begin anew where
 * what a second thread wrote begins. */
typedef struct hsd_bucket {
    hsd_tape tape;
    hsd_node lo, hi;
    uint64_t forward_count, back_count;
    uint64_t anew_count;                         /* of back_count: by the second thread */
    hsd_node last_source, last_slot, last_group; /* of the writer */
} hsd_bucket;

typedef struct hsd_dominators {
    hsd_adjacency *adjacency;
    const hsd_dominators_config *config;
    hsd_dominators_limits limits;
    hsd_dominators_stats stats;
    hsd_pages state_pages;
    hsd_node nodes;          /* of the adjacency */
    hsd_node count;          /* places: reached nodes and the super-root */
    hsd_node secondary;      /* places from here on were reached in the second round */
    hsd_node core_count;     /* the super-root is core node 0 */
    hsd_node core_secondary; /* core nodes from here on were reached in the second round */
    uint64_t forward_count, back_count;
    uint8_t *states;      /* walk, core: two bits a node, 64 nodes at a time */
    uint64_t array_bytes; /* of arrays that are open: in memory */
    uint64_t kept_bytes;  /* of config.core_bits */
    hsd_reel reel;
    hsd_tape node_of, parent_of; /* a number each */
    bool has_near_nodes;         /* node_of is as hsd_near_node_put has it */
    hsd_tape forward;            /* two: source's place, target node */
    hsd_tape back;               /* lists, see hsd_back_list */
    hsd_tape core_of;            /* see hsd_core_node */
    hsd_tape semi_of;            /* a number each, of the last core node first */
    hsd_tape dominator_of;       /* see hsd_dominator_put; by scans as dominator_width says */
    uint32_t dominator_width;    /* bytes of each; 0 = as hsd_dominator_put does */
    hsd_tape first_of, size_of;  /* a number each: order, by scans */
    /* Where dominator_of has ranks of upper places, these (a bit a place) and sizes by rank, if they are known already:
     * dominators/order_upper.c. Of all other ways empty */
    hsd_pages upper_pages, size_pages;
    hsd_node upper_count;
    hsd_tape leaf_back;          /* lists: by scans */
    hsd_tape place_of;           /* by node: by windows */
    struct hsd_windows *windows; /* NULL but by windows */
    hsd_bucket *buckets;
    uint32_t bucket_count;
    uint32_t bucket_shift; /* core node >> shift = its bucket */
    bool sorts_late;       /* by scans: buckets wait for raise */
    hsd_pages leaf_pages;  /* and a bit a place: it refers to nothing */
} hsd_dominators;

/* ---- steps, in order ---- */

hsd_status hsd_dominators_walk(hsd_dominators *d, hsd_error *err);
hsd_status hsd_dominators_number(hsd_dominators *d, hsd_error *err);
hsd_status hsd_dominators_semi(hsd_dominators *d, hsd_error *err);
hsd_status hsd_dominators_nca(hsd_dominators *d, hsd_error *err);
hsd_status hsd_dominators_order(hsd_dominators *d, hsd_error *err);

/* Likewise by scans. HSD_END of `raise`: it takes too long. */
hsd_status hsd_dominators_search(hsd_dominators *d, hsd_error *err);
hsd_status hsd_dominators_gather(hsd_dominators *d, hsd_error *err);
hsd_status hsd_dominators_raise(hsd_dominators *d, hsd_error *err);
hsd_status hsd_dominators_raise_dense(hsd_dominators *d, hsd_error *err);
hsd_status hsd_dominators_order_by_scans(hsd_dominators *d, hsd_error *err);

/* What gather left in buckets, one after the other: its lists stand on `back` while `take` is asked, and on leaf_back
 * in the end. HSD_E_NOMEM, HSD_E_IO; what `take` returns other than HSD_OK ends the call and is returned. */
typedef hsd_status (*hsd_lists_fn)(void *context, hsd_error *err);
hsd_status hsd_dominators_sort_buckets(hsd_dominators *d, hsd_lists_fn take, void *context, hsd_error *err);

/* Of raise: dominator_of, in the coding that takes less, and what the order needs besides. What is right above each
 * place is used up. HSD_E_NOMEM, HSD_E_IO. */
hsd_status hsd_dominators_put(hsd_dominators *d, hsd_node *above, hsd_error *err);

/* Of these, dominators/order_upper.c: HSD_END where there is no room for numbers of upper places, and nothing is used
 * up.
 */
hsd_status hsd_dominators_put_upper(hsd_dominators *d, hsd_node *above, hsd_error *err);
hsd_status hsd_dominators_order_upper(hsd_dominators *d, hsd_error *err);

/* ---- the driver's helpers ---- */

/* True if what is touched at random by scans fits in memory. */
bool hsd_dominators_scans_fit(const hsd_dominators *d);

/* True if references are so many that reading them again is cheaper than writing some down, and arrays of the nodes
 * fit.
 */
bool hsd_dominators_are_dense(const hsd_dominators *d);

/* Of an array of numbers of nodes that is all in memory; as a plain array, of which all will be touched, here and
 * there.
 */
uint64_t hsd_dominators_array_bytes(uint64_t items);
hsd_node *hsd_dominators_at_random(hsd_paged *array);

/* What scans have beside so many bytes: what places will need is free until they are told. */
uint64_t hsd_dominators_scan_spare(const hsd_dominators *d, uint64_t used_bytes);

/* Of a reference that is sorted by scans, as read and as sorted. */
#define HSD_SCAN_ITEM_BYTES (HSD_TWO_BYTES + HSD_NODE_BYTES)

/* References that are sorted at a time by scans. */
uint32_t hsd_dominators_scan_items(const hsd_dominators *d);

/* How `memory_bytes` are divided for this graph. */
hsd_dominators_limits hsd_dominators_divide(const hsd_adjacency *adjacency, uint64_t memory_bytes);

/* True if scans could do what is being tried and are cheaper: `reads` of the file, of which `once` are as many as
 * things that are read, when `done` of `total` is done. */
bool hsd_dominators_reads_too_much(const hsd_dominators *d, uint64_t reads, uint64_t once, uint64_t done,
                                   uint64_t total);

/* The super-root, and nodes with the second of their two bits. */
uint64_t hsd_dominators_core_nodes(const hsd_dominators *d);

/* True if a second thread is there, and memory for what it works with: that is to be found beside the rest where not
 * everything is in memory. */
bool hsd_dominators_has_thread(const hsd_dominators *d);

/* Predecessors that are sorted at a time where the walk was depth first. */
uint32_t hsd_dominators_bucket_items(const hsd_dominators *d);

/* What the arrays of a step may have when so much is used for other things. */
uint64_t hsd_dominators_spare(const hsd_dominators *d, uint64_t used_bytes);

/* hsd_dominators_find with limits of the caller's choice. */
hsd_status hsd_dominators_find_within(hsd_adjacency *adjacency, const hsd_dominators_config *config,
                                      const hsd_dominators_limits *limits, hsd_dominators_stats *stats, hsd_error *err);

/* Opens an array of `items` items of `item_bytes` each with all of `memory_bytes` that it can use, but no less
 * than it needs at least. */
hsd_status hsd_dominators_open(hsd_dominators *d, hsd_paged *array, uint64_t items, uint32_t item_bytes,
                               uint64_t memory_bytes, hsd_error *err);

/* Chunks of tapes stay in memory as far as there is room beside so many bytes and the arrays that are open: what places
 * will need is free until they are told. Not by scans. */
void hsd_dominators_make_room(hsd_dominators *d, uint64_t used_bytes, bool tells_places);

/* Books what an array moved, checks and closes it. */
hsd_status hsd_dominators_close(hsd_dominators *d, hsd_paged *array, hsd_error *err);

/* Failures of the reel, cancelling; call it once in a while. `done` of `total` of step `step`. */
hsd_status hsd_dominators_tick(hsd_dominators *d, uint32_t step, uint64_t done, uint64_t total, hsd_error *err);

#define HSD_DOMINATORS_TICK 0xffffu /* steps between two looks at the clock, as a mask */

/* ---- telling places ---- */

/*
 * Places on their way to config.take, a batch at a time. With a second thread two batches: while one is filled the
 * other is taken, by that thread, and where two may take at once by the first one, too, when it has filled its own.
 */
typedef struct hsd_dominators_teller {
    const hsd_dominators_config *config;
    hsd_pages pages;
    hsd_interval *batch; /* being filled */
    uint32_t count, capacity;
    bool uses_thread;
    hsd_interval *taken; /* the other one */
    uint32_t taken_count;
    _Atomic uint32_t next_piece; /* of it, that nobody takes yet */
    hsd_worker worker;
} hsd_dominators_teller;

/* What batches take beside arrays, where there is a second thread. */
uint64_t hsd_teller_bytes(const hsd_dominators *d);

hsd_status hsd_teller_begin(hsd_dominators_teller *teller, const hsd_dominators *d, hsd_error *err);

/* Slow path of hsd_tell_place: the batch is full. */
hsd_status hsd_teller_turn(hsd_dominators_teller *teller, hsd_error *err);

static inline hsd_status hsd_tell_place(hsd_dominators_teller *teller, const hsd_interval *place, hsd_error *err)
{
    teller->batch[teller->count++] = *place;
    return teller->count == teller->capacity ? hsd_teller_turn(teller, err) : HSD_OK;
}

/* Tells what is left if `status` is HSD_OK, else only ends, and returns it. A zeroed teller is accepted. */
hsd_status hsd_teller_end(hsd_dominators_teller *teller, hsd_status status, hsd_error *err);

/* ---- records ---- */

/* The dominator of a place as it stands on dominator_of: how far before it. Of five places of a Java heap four have it
 * within 250. */
static inline void hsd_dominator_put(hsd_dominators *d, hsd_node place, hsd_node dominator)
{
    hsd_tape_put_small(&d->dominator_of, place - dominator);
}

static inline bool hsd_dominator_get(hsd_tape_reader *reader, hsd_node place, hsd_node *dominator)
{
    hsd_node before;
    if (!hsd_tape_get_small(reader, &before)) return false;
    *dominator = place - before;
    return true;
}

static inline bool hsd_dominator_get_back(hsd_tape_reader *reader, hsd_node place, hsd_node *dominator)
{
    hsd_node before;
    if (!hsd_tape_get_small_back(reader, &before)) return false;
    *dominator = place - before;
    return true;
}

/* The node of a place on node_of, after the one of the place before it, 0 in front of the first: by scans, where a
 * search in the order of blocks comes to neighbours one after the other, as a difference. */
static inline void hsd_near_node_put(hsd_tape *tape, hsd_node node, hsd_node last)
{
    tape->at = hsd_tape_far_put(hsd_tape_room(tape, HSD_VARINT_MOST), hsd_fold_difference(node, last));
}

static inline bool hsd_near_node_get(hsd_tape_reader *reader, hsd_node *node)
{
    hsd_node folded;
    if (!hsd_tape_has_more(reader)) return false;
    reader->at = hsd_tape_far(reader->at, &folded);
    *node = hsd_unfold_difference(folded, *node);
    return true;
}

/* A core node as it stands on core_of, in order of numbers: preorder - the last one's, preorder - parent,
 * number - core parent, as varints. */
typedef struct hsd_core_node {
    hsd_node place, parent, core_parent;
} hsd_core_node;

static inline void hsd_core_put(hsd_tape *tape, const hsd_core_node *node, hsd_node number, hsd_node last_place)
{
    uint8_t *at = hsd_tape_room(tape, 3 * HSD_VARINT_MOST);
    at = hsd_varint_put(at, node->place - last_place);
    at = hsd_varint_put(at, node->place - node->parent);
    tape->at = hsd_varint_put(at, number - node->core_parent);
}

/* `node` holds the one before and becomes the next. */
static inline bool hsd_core_get(hsd_tape_reader *reader, hsd_core_node *node, hsd_node number)
{
    hsd_node difference, up, core_up;
    if (!hsd_tape_has_more(reader)) return false;
    reader->at = hsd_tape_varint(reader->at, &difference);
    reader->at = hsd_tape_varint(reader->at, &up);
    reader->at = hsd_tape_varint(reader->at, &core_up);
    node->place += difference;
    node->parent = node->place - up;
    node->core_parent = number - core_up;
    return true;
}

/* References of one node to nodes that were reached before it: source's place - that of the list before,
 * number of targets, the first target folded against the list's before, gaps - 1; as varints. A long list comes in
 * several. The first list of a chunk stands as if none came before it. */
#define HSD_BACK_LIST_ITEMS 32u

typedef struct hsd_back_list {
    hsd_node source;
    uint32_t count;
    hsd_node targets[HSD_BACK_LIST_ITEMS];
} hsd_back_list;

/* `last` is the list before, zeroed for the first one. */
bool hsd_back_get(hsd_tape_reader *reader, const hsd_back_list *last, hsd_back_list *list);

/* A bucket's records. */
static inline void hsd_bucket_put_forward(hsd_bucket *bucket, hsd_node node, hsd_node source)
{
    uint8_t *at = hsd_tape_room(&bucket->tape, 2 * HSD_VARINT_MOST);
    at = hsd_varint_put(at, node - bucket->lo);
    bucket->tape.at = hsd_varint_put(at, source);
    bucket->forward_count++;
}

/*
 * References of scans, in a bucket that has no more places than two bytes hold: each against the one before, since
 * sources come nearly in order, and what one refers to lies together as a rule. `slot` is a place's number in the
 * bucket, both differences are folded (hsd_fold_difference).
 *
 *      0 … 0x7f             the same source; 1 + the first byte is the difference of slots
 *      0x80 … 0xbf, byte    two bits of the difference of sources; twelve of that of slots
 *      0xc0 … 0xde, 2 bytes difference of sources; slot
 *      0xdf … 0xfd, byte    difference of sources; difference of slots
 *      0xff, 2 bytes, far   slot, difference of sources
 */
#define HSD_NARROW_BUCKET (UINT32_C(1) << 16)
#define HSD_NARROW_TWELVE 0x80u
#define HSD_NARROW_SLOT   0xc0u
#define HSD_NARROW_EIGHT  0xdfu
#define HSD_NARROW_FAR    0xffu
#define HSD_NARROW_NEAR   (HSD_NARROW_EIGHT - HSD_NARROW_SLOT) /* differences of sources within the first byte */

static inline bool hsd_bucket_is_narrow(const hsd_bucket *bucket)
{
    return bucket->hi - bucket->lo <= HSD_NARROW_BUCKET;
}

static inline uint8_t *hsd_narrow_slot_put(uint8_t *at, uint32_t slot)
{
    *at++ = (uint8_t)slot;
    *at++ = (uint8_t)(slot >> 8);
    return at;
}

/* `sources` and `slots`: the differences to the reference before. */
static inline uint8_t *hsd_narrow_put(uint8_t *at, hsd_node sources, hsd_node slots, hsd_node slot)
{
    if (sources == 0 && slots - 1 < HSD_NARROW_TWELVE) {
        *at++ = (uint8_t)(slots - 1);
    } else if (sources < 4 && slots < 0x1000) {
        *at++ = (uint8_t)(HSD_NARROW_TWELVE | sources << 4 | slots >> 8);
        *at++ = (uint8_t)slots;
    } else if (sources < HSD_NARROW_NEAR && slots < 0x100) {
        *at++ = (uint8_t)(HSD_NARROW_EIGHT + sources);
        *at++ = (uint8_t)slots;
    } else if (sources < HSD_NARROW_NEAR) {
        *at++ = (uint8_t)(HSD_NARROW_SLOT + sources);
        at = hsd_narrow_slot_put(at, (uint32_t)slot);
    } else {
        *at++ = HSD_NARROW_FAR;
        at = hsd_tape_far_put(hsd_narrow_slot_put(at, (uint32_t)slot), sources);
    }
    return at;
}

/* Slot and source are those of the reference before, and become those of this one. */
static inline const uint8_t *hsd_narrow_get(const uint8_t *at, hsd_node *slot, hsd_node *source)
{
    const uint32_t head = *at++;
    hsd_node sources = 0;
    if (head < HSD_NARROW_TWELVE) {
        *slot = hsd_unfold_difference(head + 1, *slot);
        return at;
    }
    if (head < HSD_NARROW_SLOT) {
        sources = head >> 4 & 3;
        *slot = hsd_unfold_difference((head & 15) << 8 | *at++, *slot);
    } else if (head - HSD_NARROW_EIGHT < HSD_NARROW_NEAR) {
        sources = head - HSD_NARROW_EIGHT;
        *slot = hsd_unfold_difference(*at++, *slot);
    } else {
        sources = head - HSD_NARROW_SLOT;
        *slot = (hsd_node)at[0] | (hsd_node)at[1] << 8;
        at += 2;
        if (head == HSD_NARROW_FAR) at = hsd_tape_far(at, &sources);
    }
    *source = hsd_unfold_difference(sources, *source);
    return at;
}

/* A reference of scans, whose sources come nearly in order: each against the one before. */
static inline void hsd_bucket_put_reference(hsd_bucket *bucket, hsd_node node, hsd_node source)
{
    const hsd_node slot = node - bucket->lo, sources = hsd_fold_difference(source, bucket->last_source);
    uint8_t *at = hsd_tape_room(&bucket->tape, 2 * HSD_VARINT_MOST);
    if (hsd_bucket_is_narrow(bucket)) {
        bucket->tape.at = hsd_narrow_put(at, sources, hsd_fold_difference(slot, bucket->last_slot), slot);
        bucket->last_slot = slot;
    } else {
        bucket->tape.at = hsd_tape_far_put(hsd_varint_put(at, slot), sources);
    }
    bucket->last_source = source;
    bucket->forward_count++;
}

static inline void hsd_bucket_put_back(hsd_bucket *bucket, hsd_node node, hsd_node source, hsd_node group)
{
    uint8_t *at = hsd_tape_room(&bucket->tape, 3 * HSD_VARINT_MOST);
    at = hsd_varint_put(at, node - bucket->lo);
    at = hsd_varint_put(at, source - bucket->last_source);
    bucket->tape.at = hsd_varint_put(at, hsd_fold_difference(group, bucket->last_group));
    bucket->last_source = source;
    bucket->last_group = group;
    bucket->back_count++;
}

/* A list on `back`, `leaf_back` or, by scans, `forward`: the place against the one before it there, and the number of
 * predecessors, in a byte as a rule; the first against the place, each against the one before. Of so many at most they
 * ascend, and in that case only the first is folded. */
#define HSD_LIST_ASCENDS 32u
#define HSD_LIST_FEW     7u /* a number of predecessors that has no place beside the step */

static inline void hsd_list_begin(hsd_tape *tape, hsd_node place, hsd_node *last, hsd_node count)
{
    const uint64_t step = place - *last - 1;
    uint8_t *at = hsd_tape_room(tape, 2 * HSD_VARINT_MOST);
    at = hsd_varint_put(at, step << 3 | (count < HSD_LIST_FEW ? count : HSD_LIST_FEW));
    tape->at = count < HSD_LIST_FEW ? at : hsd_varint_put(at, count - HSD_LIST_FEW);
    *last = place;
}

/* `place` is that of the list before, and becomes this one's. */
static inline const uint8_t *hsd_list_begun(const uint8_t *at, hsd_node *place, hsd_node *count)
{
    uint64_t head, more = 0;
    at = hsd_varint_get(at, &head);
    if ((head & HSD_LIST_FEW) == HSD_LIST_FEW) at = hsd_varint_get(at, &more);
    *count = (hsd_node)((head & HSD_LIST_FEW) + more);
    *place += (hsd_node)(head >> 3) + 1;
    return at;
}

/* Source number i of `count`; `last` is the one before, and the place before the first. */
static inline bool hsd_list_is_folded(hsd_node i, hsd_node count) { return i == 0 || count > HSD_LIST_ASCENDS; }

static inline void hsd_list_put_source(hsd_tape *tape, hsd_node source, hsd_node last, bool is_folded)
{
    const hsd_node number = is_folded ? hsd_fold_difference(source, last) : source - last;
    tape->at = hsd_tape_far_put(hsd_tape_room(tape, HSD_TAPE_MOST_FAR), number);
}

static inline const uint8_t *hsd_list_source(const uint8_t *at, hsd_node *source, hsd_node last, bool is_folded)
{
    hsd_node number;
    at = hsd_tape_far(at, &number);
    *source = is_folded ? hsd_unfold_difference(number, last) : last + number;
    return at;
}

/* Starts buckets of 2^shift nodes each from lo on, until hi. */
void hsd_buckets_begin(hsd_dominators *d, hsd_bucket *buckets, uint32_t count, uint32_t shift, hsd_node lo,
                       hsd_node hi);

#endif

/*
 * Dominators by scans where not even one number of each place fits in memory.
 *
 * A place is *upper* if anything may ever stand right below it. What refers to a place that is no upper one climbs past
 * it at once, so only upper places need a number in memory: up[rank] is the rank of the nearest one above, ranks count
 * upper places in the order of places, and the super-root is rank 0. A random graph has a tenth of upper places. In the
 * order of the first pass something comes to stand below p only if p is the only one before some place that refers to
 * it, which is known as soon as predecessors are sorted; later passes only move places up, below what has some already.
 *
 * Places are cut into *windows*. Where a climb from a source begins, `start`, is in memory for one window of sources at
 * a time; the dominators of all places stand on tapes, one a window, and are read and written beside the lists:
 *
 *      lists[k][j]  predecessors in window k of places in window j
 *      first pass   for each k: window k from its first place to its last, after which its starts are known;
 *                   then lists[k][j] for each j > k: what is known of a place so far is raised by what is in window k
 *      later ones   for each k, each j, until nothing rises; what refers to nothing comes last
 *
 * Private to the dominators and their tests.
 */
#ifndef HSD_GRAPH_DOMINATORS_WINDOWS_H
#define HSD_GRAPH_DOMINATORS_WINDOWS_H

#include "base/bits.h"
#include "base/check.h"
#include "graph/dominators/parts.h"

#define HSD_WINDOW_LIST_ITEMS 32u
#define HSD_WINDOW_UNKNOWN    HSD_NODE_MAX /* no dominator yet */

/* Predecessors in one window of places in another. */
typedef struct hsd_window_lists {
    hsd_tape tape;   /* records: place against the one before, doubled, + 1 if the number of sources follows, which is
                      * 1 else; the first against the place, gaps */
    hsd_node *bases; /* of each chunk: the place of the record before it; none where there was no memory */
    uint32_t base_count, base_capacity;
    bool has_bases;
    hsd_node last; /* place of the record that was written last */
} hsd_window_lists;

typedef struct hsd_windows {
    hsd_dominators *d;
    hsd_node places, window; /* of one window; the last may have fewer */
    uint32_t count;
    hsd_window_lists *inner, *leaves; /* of places that refer to something, and to nothing: count x count */
    hsd_tape *values;                 /* of each window: see hsd_window_value_put */
    hsd_pages upper_pages;
    uint8_t *upper;  /* one bit a place */
    hsd_node *ranks; /* of the first place of each window, and of the end */
    uint32_t now;    /* window of places whose lists are being written */
} hsd_windows;

hsd_status hsd_windows_begin(hsd_dominators *d, hsd_error *err);

/* All predecessors of a place, ascending, or some of many; places ascend. */
void hsd_windows_put(hsd_windows *windows, hsd_node place, bool is_leaf, const hsd_node *sources, uint32_t count);

/* Nothing follows: ranks are known. */
void hsd_windows_end(hsd_windows *windows);

/* Also of NULL. */
void hsd_windows_free(hsd_windows *windows);

void hsd_window_lists_release(hsd_window_lists *lists);

static inline hsd_node hsd_window_begin(const hsd_windows *windows, uint32_t window)
{
    return (hsd_node)hsd_min_u64((uint64_t)window * windows->window, windows->places);
}

static inline hsd_window_lists *hsd_window_inner(const hsd_windows *windows, uint32_t from, uint32_t to)
{
    return &windows->inner[(size_t)from * windows->count + to];
}

static inline hsd_window_lists *hsd_window_leaves(const hsd_windows *windows, uint32_t from, uint32_t to)
{
    return &windows->leaves[(size_t)from * windows->count + to];
}

/* ---- reading lists ---- */

typedef struct hsd_window_reader {
    hsd_window_lists *lists;
    hsd_tape_reader tape;
    const uint8_t *wanted; /* one bit a place; chunks without are not read. NULL = all */
    hsd_node place;        /* HSD_NODE_MAX at the end */
    uint32_t count;
    hsd_node sources[HSD_WINDOW_LIST_ITEMS];
} hsd_window_reader;

/* The first record is at hand. */
void hsd_window_read(hsd_window_reader *reader, hsd_windows *windows, hsd_window_lists *lists, uint32_t to,
                     const uint8_t *wanted, bool is_last);
void hsd_window_next(hsd_window_reader *reader);
void hsd_window_close(hsd_window_reader *reader);

/* True if some place in these lists may be wanted. */
bool hsd_window_has_wanted(const hsd_window_lists *lists, const uint8_t *wanted);

/* ---- dominators on tapes ---- */

/* The rank of the dominator of a place before which there are `rank` upper ones: against the first of them, or against
 * the last. */
static inline void hsd_window_value_put(hsd_tape *tape, hsd_node rank, hsd_node value)
{
    const hsd_node below = value == HSD_WINDOW_UNKNOWN ? 0 : rank - value;
    hsd_tape_put_spread(tape, value < below ? value << 1 : below << 1 | 1);
}

static inline hsd_node hsd_window_value(hsd_node stored, hsd_node rank)
{
    if (stored == 1) return HSD_WINDOW_UNKNOWN;
    return (stored & 1) != 0 ? rank - (stored >> 1) : stored >> 1;
}

/* ---- steps ---- */

/* HSD_END: it takes too long. */
hsd_status hsd_windows_raise(hsd_dominators *d, hsd_error *err);
hsd_status hsd_windows_order(hsd_dominators *d, hsd_error *err);

/* True if there is memory for a bit or two of each place, and for windows of some size. */
bool hsd_windows_fit(const hsd_dominators *d);

#endif

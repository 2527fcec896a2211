/*
 * Sums over what nodes refer to, where what is known of the targets does not fit in memory, and targets lie anywhere:
 * asked for one by one each would cost a call of the system, or a page of 16 KiB.
 *
 *      references, by source ──► a tape for each window of targets ──► each with its window in memory: a tape of sums,
 *                                                                      by source ──► all of these side by side
 *
 * Whatever the number of windows, a reference is written once, some four bytes, and read once a round; a sum is
 * written and read once for each source and window that have a reference, nine bytes.
 */
#ifndef HSD_MATCH_AROUND_H
#define HSD_MATCH_AROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/node.h"
#include "base/note.h"
#include "io/temp.h"
#include <hsdiff/status.h>

typedef struct hsd_around hsd_around;

typedef struct hsd_around_config {
    hsd_node node_count;
    uint64_t window_bytes; /* what a window may take, of `item_bytes` a node; at least one node's */
    uint32_t item_bytes;
    uint64_t tape_bytes; /* for chunks of tapes, where all windows have one each; no more than they must have */
    hsd_temp_space *space;
    hsd_reporter *reporter;
} hsd_around_config;

/* HSD_E_NOMEM. */
hsd_status hsd_around_new(hsd_around **out, const hsd_around_config *config, hsd_error *err);
void hsd_around_free(hsd_around *around); /* NULL is accepted */

/* Nodes of a window; the last one may have fewer. */
hsd_node hsd_around_window(const hsd_around *around);

/* A reference. Sources ascend. Failures stick: hsd_around_finish. */
void hsd_around_put(hsd_around *around, hsd_node source, hsd_node target);

/* No more of them. HSD_E_IO, HSD_E_NOMEM. */
hsd_status hsd_around_finish(hsd_around *around, hsd_error *err);

typedef struct hsd_around_round {
    const char *name;
    bool is_last; /* of the rounds: references are forgotten behind it */
    void *context;
    /* The window begins: what is known of nodes `first` … `first + count - 1` comes to memory. */
    hsd_status (*begin)(void *context, hsd_node first, hsd_node count, hsd_error *err);
    /* What the node `first + at` adds to the sum of `source`. Sources ascend. */
    uint64_t (*see)(void *context, hsd_node source, hsd_node at);
    /* All was seen; NULL: nobody cares. */
    hsd_status (*end)(void *context, hsd_node first, hsd_node count, hsd_error *err);
} hsd_around_round;

/* Goes through all windows in their order. Then sums may be asked for. What the round says, HSD_E_IO, HSD_E_NOMEM,
 * HSD_E_CANCELLED. */
hsd_status hsd_around_run(hsd_around *around, const hsd_around_round *round, hsd_error *err);

/* The sum of a source; those that are asked for ascend, each once. Failures stick: hsd_around_check. */
uint64_t hsd_around_next_sum(hsd_around *around, hsd_node source);

hsd_status hsd_around_check(const hsd_around *around, hsd_error *err);

#endif

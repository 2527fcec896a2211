/*
 * A walk over references on two threads: one takes nodes off the frontier and decodes their lists, the other one looks
 * at the targets, and finds who is to be expanded because of them. For walks whose result does not depend on their
 * order.
 *
 *      frontier ──pop──► decode ──► | batch being filled |   | batch being looked at | ──► found ──┐
 *         ▲                              └── they change places when both are done ──┘              │
 *         └────────────────────────── found, when the batches change places ────────────────────────┘
 *
 * Only full batches change threads: where few nodes wait, as along a list, the one thread does all of it.
 */
#ifndef HSD_GRAPH_RELAY_H
#define HSD_GRAPH_RELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/node.h"
#include "graph/frontier.h"
#include <hsdiff/status.h>

#define HSD_RELAY_BATCH_BYTES ((uint32_t)128 << 10)
#define HSD_RELAY_BYTES       (3 * (uint64_t)HSD_RELAY_BATCH_BYTES) /* memory of one, and little more */
#define HSD_RELAY_HELD        32u /* targets that may be kept from one batch to the next */

/* Lists that were decoded, one after the other: the source, how many targets, the targets. A long list comes in
 * several. */
typedef struct hsd_relay_batch {
    const hsd_node *at, *end;
    bool is_last;    /* nothing else waits: nothing may be kept */
    hsd_node *found; /* who is to be expanded: of each target one at most */
    uint32_t found_count;
} hsd_relay_batch;

/* Looks at a batch, on either thread, never on both at once. */
typedef hsd_status (*hsd_relay_take)(void *context, hsd_relay_batch *batch, hsd_error *err);

typedef struct hsd_relay hsd_relay;

/* HSD_E_NOMEM. */
hsd_status hsd_relay_new(hsd_relay **out, hsd_frontier *frontier, hsd_relay_take take, void *context, hsd_error *err);

/* Some of the targets of a node. May wait for the other thread, and pushes what that has found. */
hsd_status hsd_relay_put(hsd_relay *relay, hsd_node source, const hsd_node *targets, uint32_t count, hsd_error *err);

/* Nothing waits in the frontier: what the other thread has found is pushed, or else what it found nothing in is looked
 * at here. *is_dry: there was nothing, and nobody looks at anything any more. */
hsd_status hsd_relay_settle(hsd_relay *relay, bool *is_dry, hsd_error *err);

/* NULL is accepted. Also after a failure. */
void hsd_relay_free(hsd_relay *relay);

#endif

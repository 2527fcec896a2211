/*
 * Which nodes lie on the way to the wanted ones: those that any shortest path to one leads through, of each wanted one
 * by the round that reaches it first (graph/shortest.h). A search for the best of these paths has to look at no other:
 * a node that refers to one of them and is none itself is not a level before it.
 *
 *      there   level by level, without names, types and ranks: references to what no level before had go to a tape a
 *              level
 *      back    the tapes, the last one first: who refers to what is on the way is so, too
 *
 * Where there are more levels than tapes, all that lies behind them counts as on the way. Where there is a byte a node
 * levels are found by sweeps (graph/sweeps.c).
 */
#ifndef HSD_GRAPH_TOWARD_H
#define HSD_GRAPH_TOWARD_H

#include "graph/shortest.h"

/*
 * One bit a node of the adjacency into *bits, which the caller frees. Of the config the roots, what is wanted, which
 * must be given, and what is avoided count. HSD_E_NOMEM, HSD_E_IO.
 */
hsd_status hsd_toward_find(uint8_t **bits, hsd_adjacency *adjacency, const hsd_shortest_config *config, hsd_error *err);

/* What it takes for so many nodes; afterwards hsd_toward_bits_bytes stay. */
uint64_t hsd_toward_bytes(uint64_t nodes);
uint64_t hsd_toward_bits_bytes(uint64_t nodes);

/* The same by sweeps, which read less, and what that takes; bits stay likewise. */
hsd_status hsd_sweeps_find(uint8_t **bits, hsd_adjacency *adjacency, const hsd_shortest_config *config, hsd_error *err);
uint64_t hsd_sweeps_bytes(uint64_t nodes);

#endif

/*
 * Who refers to whom, compressed: 16 KiB blocks, for each node the sorted, de-duplicated targets as
 * variable-length differences (3.2-4.0 bytes a reference on real heaps), in a temporary file that is
 * read through a page cache of a given size. A node whose list does not fit a block gets blocks of
 * its own. Knows ordinals and nothing else.
 *
 * Nodes 0 … object_count-1 are objects. Behind them stand *label nodes*: nodes without bytes that
 * start an owner of their own (a static field, a property of the global object), and behind those
 * *root nodes*: one for each name of a root, which refers to all targets of that root and to which nothing
 * refers. The references that lead into and out of them are ordinary.
 *
 * References may carry names: numbers whose order is the order of the names (walk/edges.h). They lie in
 * blocks of their own beside the others, so that walks which need no names never touch them.
 */
#ifndef HSD_GRAPH_ADJACENCY_H
#define HSD_GRAPH_ADJACENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/node.h"
#include "graph/paged.h"
#include "io/temp.h"
#include <hsdiff/status.h>

typedef struct hsd_adjacency hsd_adjacency;

/* Starts a graph. `memory_bytes` bounds the builder's own buffers (at least 256 KiB) and, while the
 * graph fits in it, its blocks, which then never touch the disk. */
hsd_status hsd_adjacency_begin(hsd_adjacency **out, uint64_t memory_bytes, hsd_temp_space *space, hsd_error *err);

/* From now on references have names, whose blocks stay in `memory_bytes` (at least 256 KiB) while they
 * fit. Before the first hsd_adjacency_add. */
hsd_status hsd_adjacency_with_names(hsd_adjacency *adjacency, uint64_t memory_bytes, hsd_error *err);

/*
 * References of `source`, which must not be smaller than any source before it; the same source may
 * come again with more. Targets in any order, duplicates and self references allowed (both dropped).
 * Fan-out is unlimited: a list longer than HSD_ADJACENCY_PART_ITEMS is stored in parts, each sorted by
 * itself, and a duplicate is dropped only within its part; of several references to one target the
 * least name is kept. `names` has one name a target; NULL = all 0, or a graph without names.
 */
hsd_status hsd_adjacency_add(hsd_adjacency *adjacency, hsd_node source, const hsd_node *targets, const uint32_t *names,
                             uint64_t count, hsd_error *err);

/*
 * The same for who makes many lists: writes them where they are encoded from. Of each list one pair of its source and
 * of how many references follow (at least one), then target and name of each (ignored in a graph without names). A
 * longer list comes in several.
 */
typedef struct hsd_lists_out {
    hsd_two *at;        /* where the next one begins; who writes moves it behind what was written */
    const hsd_two *end; /* of the room */
} hsd_lists_out;

/* The lists of a graph that is built; borrowed, and their room is there until hsd_adjacency_finish. */
hsd_lists_out *hsd_adjacency_lists(hsd_adjacency *adjacency);

/* Takes what was written, so that there is room for HSD_ADJACENCY_PART_ITEMS references and the pair before them. Fails
 * as hsd_adjacency_add. */
hsd_status hsd_adjacency_turn(hsd_adjacency *adjacency, hsd_error *err);

/*
 * From now on a second thread encodes what is added, some hundred kilobytes at a time, while more is gathered. The same
 * graph comes of it; a failure may be told by a later call, hsd_adjacency_finish at the latest. Before the first
 * reference. HSD_E_NOMEM.
 */
hsd_status hsd_adjacency_use_thread(hsd_adjacency *adjacency, hsd_error *err);

/* Ends building. Every target must be below node_count (HSD_E_MISUSE otherwise). */
hsd_status hsd_adjacency_finish(hsd_adjacency *adjacency, hsd_node node_count, hsd_error *err);

hsd_node hsd_adjacency_node_count(const hsd_adjacency *adjacency);
uint64_t hsd_adjacency_edge_count(const hsd_adjacency *adjacency); /* after dropping duplicates */
uint64_t hsd_adjacency_bytes(const hsd_adjacency *adjacency);      /* size of the blocks */
uint64_t hsd_adjacency_name_bytes(const hsd_adjacency *adjacency); /* of those with names */

/* Bounds the page cache of reading from now on; where that makes a difference everything is dropped from memory first.
 */
hsd_status hsd_adjacency_set_memory(hsd_adjacency *adjacency, uint64_t memory_bytes, hsd_error *err);

/* Where all blocks have a place in memory: brings them there. Failures stick: hsd_adjacency_check. */
void hsd_adjacency_load(hsd_adjacency *adjacency);

/* The same for the blocks of names. */
void hsd_adjacency_load_names(hsd_adjacency *adjacency);

/* Bounds the page cache of names, as hsd_adjacency_set_memory does. */
hsd_status hsd_adjacency_set_name_memory(hsd_adjacency *adjacency, uint64_t memory_bytes, hsd_error *err);

#define HSD_ADJACENCY_PART_ITEMS 2048u

/* A walk over one node's targets, ascending within a part. Not thread-safe. */
typedef struct hsd_targets {
    const hsd_node *items; /* borrowed until the next call on the same adjacency */
    const uint32_t *names; /* one an item, borrowed likewise; NULL unless got by hsd_adjacency_get_named */
    uint32_t count;
    bool has_more;                /* call hsd_adjacency_more for the next part of a long list */
    uint32_t next_block, next_at; /* private: where the next part stands; at 0 = at the begin of its block */
} hsd_targets;

/* True if the node refers to nothing: one bit, no block is touched. */
bool hsd_adjacency_is_leaf(const hsd_adjacency *adjacency, hsd_node node);

/* The same of 64 nodes from `first` on, a multiple of 64: a bit for each that refers to something. */
uint64_t hsd_adjacency_with_targets(const hsd_adjacency *adjacency, hsd_node first);

/* ---- blocks, for walks that care which of them are in memory (graph/frontier.h) ---- */

/* True while all blocks are in memory. */
bool hsd_adjacency_is_resident(const hsd_adjacency *adjacency);
uint32_t hsd_adjacency_block_count(const hsd_adjacency *adjacency);

/* The block with the targets of a node, the first one of a long list. */
uint32_t hsd_adjacency_block_of(const hsd_adjacency *adjacency, hsd_node node);

/* The first node of a block; of a long list that node. No block is touched. */
hsd_node hsd_adjacency_first_of(const hsd_adjacency *adjacency, uint32_t block);

/* Blocks, and lists alone, read from the file since the memory was last bounded. */
uint64_t hsd_adjacency_reads(const hsd_adjacency *adjacency);

/* True if reading the block costs no I/O now. */
bool hsd_adjacency_is_block_near(const hsd_adjacency *adjacency, uint32_t block);

/* Brings a block into memory and tells the nodes in it: first … end - 1. */
void hsd_adjacency_bring_block(hsd_adjacency *adjacency, uint32_t block, hsd_node *first, hsd_node *end);

/* Targets of `node`, the first part of a long list. Failures stick: see hsd_adjacency_check. */
void hsd_adjacency_get(hsd_adjacency *adjacency, hsd_node node, hsd_targets *out);
void hsd_adjacency_more(hsd_adjacency *adjacency, hsd_targets *targets);

/* A hint for walks that know which nodes come soon: fetches the list of a node from slow memory. No I/O, and
 * nothing happens if its block is not in memory. */
void hsd_adjacency_expect(const hsd_adjacency *adjacency, hsd_node node);

/* The same for nodes that come later: fetches where the list stands, for which hsd_adjacency_expect then does not wait.
 */
void hsd_adjacency_expect_place(const hsd_adjacency *adjacency, hsd_node node);

/* hsd_adjacency_get with names (all 0 in a graph without); hsd_adjacency_more goes on with names. Cheap for nodes in
 * ascending order and for nodes of one block. */
void hsd_adjacency_get_named(hsd_adjacency *adjacency, hsd_node node, hsd_targets *out);

/* The same for nodes here and there: of a block that is not in memory one list is read, and its names, not the block.
 */
void hsd_adjacency_get_named_alone(hsd_adjacency *adjacency, hsd_node node, hsd_targets *out);

/* One part of a list that has several, with names: the first is 0. hsd_adjacency_more goes on behind it. */
void hsd_adjacency_get_part(hsd_adjacency *adjacency, hsd_node node, uint32_t part, hsd_targets *out);

/*
 * Another reader of the same graph, for another thread: a finished one, whose blocks, those of names too, stay where
 * they are as long as the view is. Both read what is in memory; of what is in a file the view has the least pages of
 * its own, which suffice to go through it in order. The memory of a view cannot be bounded. Freed like any other,
 * before the graph. HSD_E_NOMEM.
 */
hsd_status hsd_adjacency_view(const hsd_adjacency *adjacency, hsd_adjacency **out, hsd_error *err);

/* What such pages take. */
uint64_t hsd_adjacency_view_bytes(const hsd_adjacency *adjacency);

/* True if all blocks, those of names too, are in memory. */
bool hsd_adjacency_is_all_resident(const hsd_adjacency *adjacency);

/* Counts for the cost model (base/work.h) that all lists were decoded, in the order of the nodes or in any, with their
 * names or without. */
void hsd_adjacency_count_scan(const hsd_adjacency *adjacency, bool with_names);
void hsd_adjacency_count_walk(const hsd_adjacency *adjacency, uint64_t nodes);

hsd_status hsd_adjacency_check(const hsd_adjacency *adjacency, hsd_error *err);
void hsd_adjacency_free(hsd_adjacency *adjacency);

#endif

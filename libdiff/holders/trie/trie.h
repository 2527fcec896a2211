/*
 * The type-path trie: the dominator trees of both sides, added up by what a person can read. A node is a
 * path root -> .edge Type -> .edge Type …, and has the sums of all objects that stand there: before, after, new,
 * freed, in objects and bytes, of its own and of all below it. Sums are exact.
 *
 * What keeps it small, without regard to the order of anything:
 *   repetition   an object with the edge and type of one of the last HSD_TRIE_LOOK_BACK steps of the path above it
 * stands
 *                where that step leads, and the path is cut back to there: a linked list is one node, whatever its length
 *   fan-out      more than HSD_TRIE_FAN_OUT edges from one node to one type become one edge, [*], with all that
 *                hangs below them: an object used as a dictionary
 *   depth        deeper than depth_limit steps objects count for their ancestor there
 *
 * Where an object stands (a *place*) follows from the path above it alone, so the walker keeps a place a frame and
 * the trie knows no walk. Places are keys of a tally (sort/tally.h), so their number has no bound in memory. When
 * all is added, the levels are built from the top: fan-out needs every edge of a node before it can be told.
 *
 *      walks ──place, sums──►  tally  ──level by level──►  nodes by number, parents before children, children of a
 *                                                          node side by side: a paged array, read front to back
 *
 * A node of the tally is renamed to the final number of its parent by a merge join, level after level; nodes of one
 * parent, edge and type become one.
 */
#ifndef HSD_HOLDERS_TRIE_TRIE_H
#define HSD_HOLDERS_TRIE_TRIE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/node.h"
#include "base/note.h"
#include "io/temp.h"
#include "paths/steps.h"
#include <hsdiff/diff.h>

#define HSD_TRIE_LOOK_BACK HSD_PATH_LOOK_BACK
#define HSD_TRIE_FAN_OUT   64u
#define HSD_TRIE_MAX_DEPTH 64u
#define HSD_TRIE_ROOT      0u

#define HSD_TRIE_ANY      UINT32_C(0x7ffffffe) /* edge: [*] */
#define HSD_TRIE_INDIRECT UINT32_C(0x7fffffff) /* no edge: HSD_TREE_INDIRECT; fan-out leaves it alone */
#define HSD_TRIE_IS_ROOT  UINT32_C(0x80000000) /* or-ed to a type: it is the number of a root */

/* One step of a path: the node it leads to, and by what. */
typedef struct hsd_trie_step {
    uint64_t key; /* depth << 56 | hash of the path */
    uint32_t edge;
    uint32_t type; /* common type, or common root number | HSD_TRIE_IS_ROOT */
} hsd_trie_step;

/* Where an object stands, and as much of the path above as is looked back at. Zeroed: the root of all. Plain bytes
 * without holes. */
typedef struct hsd_trie_place {
    uint32_t depth;
    uint32_t count; /* steps that are known; the last one leads here */
    uint64_t above; /* key of the node above steps[0] */
    hsd_trie_step steps[HSD_TRIE_LOOK_BACK];
} hsd_trie_place;

/* What is summed. Before = KEPT_BEFORE + FREED, after = KEPT_AFTER + NEW. */
typedef enum hsd_trie_sum {
    HSD_TRIE_KEPT_BEFORE,
    HSD_TRIE_FREED,
    HSD_TRIE_KEPT_AFTER,
    HSD_TRIE_NEW,
    HSD_TRIE_SUMS
} hsd_trie_sum;

typedef struct hsd_trie_sums {
    hsd_amount before, after, new_, freed;
} hsd_trie_sums;

typedef struct hsd_trie_node {
    uint32_t parent; /* less than the node's own number */
    uint32_t edge;   /* HSD_TRIE_ANY, HSD_TRIE_INDIRECT, or as given */
    uint32_t type;   /* as given */
    uint32_t depth;
    hsd_trie_sums own;
    hsd_trie_sums all; /* own and below */
} hsd_trie_node;

typedef struct hsd_trie hsd_trie;

/* Of one that is finished, with its sums. */
#define HSD_TRIE_NODE_BYTES (80u + 8u * HSD_NODE_BYTES)

/* At least this much memory; less is taken for it. */
#define HSD_TRIE_LEAST_BYTES (UINT64_C(2) << 20)

typedef struct hsd_trie_config {
    uint64_t memory_bytes;
    uint32_t depth_limit; /* 1 … HSD_TRIE_MAX_DEPTH; 0 = the most */
    hsd_temp_space *space;
    hsd_reporter *reporter;
} hsd_trie_config;

hsd_status hsd_trie_new(hsd_trie **out, const hsd_trie_config *config, hsd_error *err);

/* The place of what stands below `parent` by an edge and a type. No memory, no failure. */
hsd_trie_place hsd_trie_step_to(hsd_trie *trie, const hsd_trie_place *parent, uint32_t edge, uint32_t type);

/* The same into `out`, which is not `parent`: for walks of many nodes. */
void hsd_trie_step_into(hsd_trie *trie, const hsd_trie_place *restrict parent, uint32_t edge, uint32_t type,
                        hsd_trie_place *restrict out);

/* The key of the place that hsd_trie_step_into leads to. */
uint64_t hsd_trie_key_below(const hsd_trie *trie, const hsd_trie_place *parent, uint32_t edge, uint32_t type);

/* A number for a place: the same for all that stands there. */
static inline uint64_t hsd_trie_key(const hsd_trie_place *place)
{
    return place->count == 0 ? 0 : place->steps[place->count - 1].key;
}

/* The same where repetition was looked after before, as in sums of another trie. */
hsd_trie_place hsd_trie_step_below(hsd_trie *trie, const hsd_trie_place *parent, uint32_t edge, uint32_t type);

/* Adds to one of the sums of a place. A node is made by its first add, of whatever (0 objects, 0 bytes too); every
 * place on the way to it must have had one. */
hsd_status hsd_trie_add(hsd_trie *trie, const hsd_trie_place *place, hsd_trie_sum sum, uint64_t objects, uint64_t bytes,
                        hsd_error *err);

/* The same to the place that hsd_trie_step_into leads to, which nobody asks for else: where nothing hangs below. */
hsd_status hsd_trie_add_below(hsd_trie *trie, const hsd_trie_place *parent, uint32_t edge, uint32_t type,
                              hsd_trie_sum sum, uint64_t objects, uint64_t bytes, hsd_error *err);

/* Adds all that `other` has, which is then of no more use: two walks may fill a trie each at the same time. */
hsd_status hsd_trie_absorb(hsd_trie *trie, hsd_trie *other, hsd_error *err);

/* From now on the trie may take this much, if that is more: others gave theirs back. Before it is finished. */
void hsd_trie_widen(hsd_trie *trie, uint64_t memory_bytes);

/* No more adds: builds the nodes and adds up `all`. HSD_E_UNSUPPORTED: there are more of them than 32 bits number. */
hsd_status hsd_trie_finish(hsd_trie *trie, hsd_error *err);

/* ---- finished ---- */

/* Nodes, the root of all included. Numbers say nothing but parents before children; their order depends on the
 * numbers of edges and types. */
uint32_t hsd_trie_count(const hsd_trie *trie);

/* True if something was deeper than the limit. */
bool hsd_trie_is_cut(const hsd_trie *trie);

/* One node. Cheap in ascending and in descending order. Failures of the paged array stick: hsd_trie_check. */
void hsd_trie_get(hsd_trie *trie, uint32_t node, hsd_trie_node *out);
/* Parts of it, of which each reads one array: the bytes of all below it, before and after; and the node above. */
uint64_t hsd_trie_weight(hsd_trie *trie, uint32_t node);
uint32_t hsd_trie_parent(hsd_trie *trie, uint32_t node);
hsd_status hsd_trie_check(const hsd_trie *trie, hsd_error *err);

void hsd_trie_free(hsd_trie *trie); /* NULL is accepted */

#endif

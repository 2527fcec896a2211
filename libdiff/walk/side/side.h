/*
 * One capture on its way through the engine, and the steps it takes:
 *
 *      side_open        types, labels                                        tables.c
 *      side_graph       objects, references, roots -> adjacency blocks       side/graph.c, side/references.c,
 *                                                                            side/join.c, side/roots.c
 *      side_parts       which objects are folded into their sole owner       side/parts.c
 *      side_structure   what each object looks like, in address order, where ids say nothing: side/shapes.c, side/structure.c
 *      side_dominators  a place in the dominator tree for each node          side/dominators.c
 *      side_owners      an owner for each object, and what is live softly    side/owners.c
 *      side_lost        a head for each object that is lost                  side/lost.c
 *      side_census      one record an object that counts, by identity, and one by place    side/census.c
 *
 * Everything but the tables lives in sorters, adjacency blocks and paged arrays, whose memory the
 * planner divides (walk/plan/plan.h).
 */
#ifndef HSD_WALK_SIDE_SIDE_H
#define HSD_WALK_SIDE_SIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/node.h"
#include "base/note.h"
#include "format/tables.h"
#include "graph/adjacency.h"
#include "graph/dominators/dominators.h"
#include "graph/owners.h"
#include "graph/paged.h"
#include "graph/tape.h"
#include "io/temp.h"
#include "match/sequence.h"
#include "sort/join.h"
#include "sort/sorter.h"
#include "walk/marks.h"
#include "walk/ordinals.h"
#include "walk/plan/plan.h"
#include <hsdiff/diff.h>

/* A reference whose label starts an owner of its own. */
typedef struct hsd_label_node {
    uint64_t target;      /* object id or ordinal */
    uint32_t label;       /* place in the label table */
    uint32_t source_name; /* string, 0 = none: the type's name serves */
    uint32_t source_type; /* number in the common type names */
    uint32_t root;        /* number of its owner's name in hsd_side_walk.roots */
} hsd_label_node;

/* Behind the label nodes: one node for each name of a root, primary ones first. */
typedef struct hsd_root_node {
    uint32_t root; /* number of its name in hsd_side_walk.roots */
    uint32_t kind; /* hsc_root_kind */
    bool is_secondary;
} hsd_root_node;

/* Names of owners, in the order of their first appearance; number 0 is "(shared)". */
typedef struct hsd_root_names {
    hsd_names names;
    uint8_t *kinds; /* the least hsc_root_kind of its roots that is known */
    uint32_t kind_capacity;
    bool is_full; /* more than HSD_MAX_ROOT_NAMES: the rest share "(other roots)" */
} hsd_root_names;

#define HSD_ROOT_SHARED 0u

/* What of an object may be compared with one of the other capture. */
typedef struct hsd_side_look {
    bool has_sizes;    /* same runtime and width of pointers */
    bool has_contents; /* and the same producer: contents are its hashes */
    bool has_hashes;   /* maybe of one process: identity hashes, where objects have them */
} hsd_side_look;

/* Fixed, so that the answer does not depend on the budget. What the budget cannot hold is an error that
 * names the number that suffices. */
#define HSD_MAX_ROOT_NAMES  (UINT32_C(1) << 20)
#define HSD_MAX_LABEL_NODES (UINT32_C(1) << 22)

/* Where ids say nothing: how the objects of two captures may be told apart (match/). */
typedef struct hsd_walk_alike {
    bool is_after; /* the side whose identities are those of its partners */
    hsd_side_look look;
    const struct hsd_user_keys *user_keys; /* NULL = none */
    struct hsd_user_key_count *key_counts; /* one for each of them: what became of it */
} hsd_walk_alike;

/* Who takes the records of a census instead of a sorter (libdiff/ranks): each has hsd_census_words. */
typedef struct hsd_census_sink {
    void *context;
    hsd_status (*put)(void *context, const uint64_t *record, hsd_error *err);
} hsd_census_sink;

typedef enum hsd_walk_keeps {
    HSD_GRAPH_GOES,  /* with the walk */
    HSD_GRAPH_WAITS, /* at its least, until hsd_side_drop_graph */
    HSD_GRAPH_STAYS  /* for shortest paths; so do the types of all objects */
} hsd_walk_keeps;

/* What is asked of a walk, and what it has for that. The stages only read it. */
typedef struct hsd_walk_request {
    hsd_capture *capture;
    hsd_temp_space *space;
    hsd_reporter *reporter;
    /* types are numbered in it when the side is opened; afterwards it is only read */
    hsd_type_names *type_names;
    const struct hsd_edge_names *edge_names; /* NULL where the tree is not wanted */
    /* bytes for each step; what follows from a plan is filled in once the side is open (hsd_side_needs) */
    hsd_plan_side plan;
    uint64_t table_bytes;        /* for names of roots and label nodes */
    uint64_t spare_bytes;        /* for the keeper, once the side is walked; 0 = there is no thread for it */
    bool use_thread;             /* sorters may write on threads of their own */
    bool want_identity;          /* the census sorts by identity; else it only counts */
    const hsd_census_sink *sink; /* with want_identity: has the records, and `census` stays NULL. NULL = sorted here */
    /* identity is that of `sequence`: between the graph and the census objects are recognised. NULL = it is the id */
    const hsd_walk_alike *alike;
    /* ids are addresses: the census carries what tells of their reuse. NULL = it does not */
    const hsd_marks *marks;
    bool want_tree; /* dominators and `tree`; needs roots and references */
    /* records of `tree` have HSD_TREE_ID_WORDS: who asks for one side alone names objects */
    bool want_ids;
    bool want_lost;  /* who heads what is lost, where that can be told: hsd_side_loses */
    bool want_sites; /* what is live is summed by allocation site */
    hsd_walk_keeps keeps;
    const struct hsd_keeper *keeper; /* told of each node; the blocks stay, as small as they get, and the tree has
                                      * places that are hidden (walk/keep.h). NULL = nobody */
} hsd_walk_request;

/* The graph while it is built and labelled: from hsd_side_open to the end of the census. Each step fills its part, in
 * this order. */
typedef struct hsd_walk_graph {
    /* hsd_side_graph */
    hsd_label_node *label_nodes;
    uint32_t label_node_count, label_node_capacity;
    uint64_t edge_count;
    uint8_t *is_pseudo; /* one bit an object */
    uint8_t *is_part;   /* one bit an object; NULL when no type is a part */
    uint8_t *has_soft;  /* one bit an object: it has soft references; NULL when there are none */
    /* (id, ordinal), when references are by id, and where objects must be told apart; until the sequence is there */
    hsd_sorter *ids;
    hsd_ordinals ordinals; /* or these, where they know every object; likewise */
    hsd_temp shapes_file;  /* shape of each node, u64 (match/keys.h), as they come; likewise */
    uint8_t *is_named;     /* one bit an object: it has a name, or a key; likewise */
    uint8_t *is_keyed;     /* one bit an object: it has a key; NULL without keys; likewise */
    uint8_t *is_hashed;    /* one bit an object: it has an identity hash; NULL until one has; likewise */
    hsd_reel part_reel;    /* with is_part, until parts are attributed */
    hsd_tape part_sizes;   /* of parts, in the order of their ordinals (side/parts.c) */

    /* hsd_side_parts */
    uint8_t *is_folded; /* one bit an object; NULL when no type is a part */
    hsd_sorter *folded; /* (ordinal of the owner, bytes) of folded parts */

    /* hsd_side_structure */
    hsd_sequence sequence;

    /* hsd_side_dominators */
    struct hsd_places *places;         /* places in the dominator tree by node; NULL without */
    bool tells_soft;                   /* is_soft is filled, by the way */
    struct hsd_owner_tree *owner_tree; /* what tells owners; NULL = they are walked */
    bool tells_in_order;               /* it does for whoever goes through sorted places */

    /* hsd_side_owners */
    hsd_owner_labels owners; /* label of each node; of lost ones HSD_LOST and their head, with `cycles` */
    bool has_owners;
    uint8_t *is_soft; /* one bit a node: live, but by soft references alone; NULL when none is soft */
    /* one bit a node: on a cycle of lost ones (graph/lost.h); NULL when nothing is lost or nobody asks */
    uint8_t *cycles;
} hsd_walk_graph;

/* One side, and what its walk hands on. */
typedef struct hsd_side_walk {
    const hsd_walk_request *request; /* borrowed until release */
    hsd_walk_graph *graph;           /* NULL once the census is over */

    /* hsd_side_open */
    const hsd_capture_info *info;
    hsd_type_table types;
    hsd_label_table labels;
    hsd_node object_count;          /* nodes that are objects (pseudo objects among them) */
    bool has_roots, has_references; /* without both, everything counts as live */

    /* hsd_side_graph */
    uint64_t dangling;
    hsd_node node_count; /* objects, label nodes, root nodes */
    hsd_root_node *root_nodes;
    hsd_root_nodes root_span; /* their node numbers */
    hsd_root_names roots;
    uint32_t *name_of_node;   /* root name (hsd_root_names) of label node or root node object_count + i */
    uint8_t *has_named;       /* one bit a common type: an object of it has a name; where the graph stays */
    hsd_adjacency *adjacency; /* NULL once it went (hsd_walk_keeps) */
    /* common type of each object, u32, as they come; where the graph stays or objects are told apart */
    hsd_temp types_file;
    hsd_paged types_of; /* the same to be read at random, once the walk is over */
    bool has_types_of;

    /* hsd_side_census */
    hsd_sorter *census;              /* hsd_census_record by identity; NULL without want_identity */
    hsd_sorter *tree;                /* hsd_tree_record by place (walk/tree.h); NULL without want_tree */
    struct hsd_fold_side *counts;    /* what the census counts by type and root */
    struct hsd_allocated *allocated; /* and by allocation site (walk/allocated.h); NULL without */
    hsd_amount soft;                 /* of what is live: by soft references alone; only with want_tree */
} hsd_side_walk;

/* Label nodes and root nodes. */
static inline uint32_t hsd_side_others(const hsd_side_walk *side)
{
    return (uint32_t)(side->node_count - side->object_count); /* HSD_MAX_LABEL_NODES, 2 * HSD_MAX_ROOT_NAMES at most */
}

static inline bool hsd_side_keeps_graph(const hsd_side_walk *side) { return side->request->keeps == HSD_GRAPH_STAYS; }

/* True if there is a thread that can decode objects before they are looked at, and memory for what it decodes. */
static inline bool hsd_side_reads_ahead(const hsd_side_walk *side)
{
    return side->request->use_thread && side->request->plan.has_room_ahead;
}

/* What an object counts for: its own bytes and those outside the heap that it owns. */
static inline uint64_t hsd_side_bytes_of(const hsd_object *object)
{
    return hsd_add_saturating(object->size_bytes, object->native_bytes);
}

/* Of a record of `folded`: its bytes are external, outside the heap. */
#define HSD_FOLDED_EXTERNAL (UINT64_C(1) << 63)

/* True if reachability can be told. */
static inline bool hsd_side_has_graph(const hsd_side_walk *side) { return side->has_roots && side->has_references; }

/* True if what no root reaches is lost, and not garbage that a collector will free (FORMAT.md 7.13). */
bool hsd_side_loses(const hsd_side_walk *side);

/* True if that can be told, and somebody asks. */
static inline bool hsd_side_wants_lost(const hsd_side_walk *side)
{
    return side->request->want_lost && hsd_side_loses(side);
}

/* Why reachability cannot be told, as what follows "the capture"; NULL when it can. */
static inline const char *hsd_side_why_no_graph(const hsd_side_walk *side)
{
    if (hsd_side_has_graph(side)) return NULL;
    if (!side->has_references) return "carries no references";
    return side->info->is_complete ? "carries no roots" : "is incomplete: no root is left in it";
}

/* The same of what is retained: a part of a capture does not even give a lower bound of it. */
static inline const char *hsd_side_why_no_tree(const hsd_side_walk *side)
{
    if (!side->info->is_complete) return "is incomplete: what was lost may hold what is left";
    return hsd_side_why_no_graph(side);
}

/*
 * Words of a census record:
 *      HSD_CENSUS_IDENTITY   the id, or where objects are told apart the position of the object before, of one without a
 *                            partner after HSD_CENSUS_ALONE + its position
 *      HSD_CENSUS_TYPE       common type << 32 | owner
 *      HSD_CENSUS_BYTES      bytes << 1 | is live
 *      HSD_CENSUS_ORDINAL    HSD_TWO: rung (match/sequence.h; where objects are told apart) or mark (walk/marks.h; with
 *                            marks), and the ordinal; with either of them, or a tree
 *      HSD_CENSUS_ID         where objects are told apart
 */
enum {
    HSD_CENSUS_IDENTITY,
    HSD_CENSUS_TYPE,
    HSD_CENSUS_BYTES,
    HSD_CENSUS_ORDINAL,
    HSD_CENSUS_ID = HSD_CENSUS_ORDINAL + HSD_TWO_WORDS,
    HSD_CENSUS_WORDS,
};
#define HSD_CENSUS_KEY_WORDS 2u
#define HSD_CENSUS_ALONE     (UINT64_C(1) << (HSD_NODE_BITS == 32 ? 32 : 63))

static inline unsigned hsd_census_words(const hsd_side_walk *side)
{
    const hsd_walk_request *request = side->request;
    if (request->alike != NULL) return HSD_CENSUS_WORDS;
    return request->want_tree || request->marks != NULL ? HSD_CENSUS_ID : HSD_CENSUS_ORDINAL;
}

static inline uint32_t hsd_census_type(const uint64_t *record) { return (uint32_t)(record[HSD_CENSUS_TYPE] >> 32); }
static inline uint32_t hsd_census_root(const uint64_t *record) { return (uint32_t)record[HSD_CENSUS_TYPE]; }
static inline uint64_t hsd_census_bytes(const uint64_t *record) { return record[HSD_CENSUS_BYTES] >> 1; }
static inline bool hsd_census_is_live(const uint64_t *record) { return record[HSD_CENSUS_BYTES] & 1; }

static inline hsd_node hsd_census_ordinal(const uint64_t *record)
{
    return hsd_words_second(record + HSD_CENSUS_ORDINAL);
}

static inline hsd_rung hsd_census_rung(const uint64_t *record)
{
    return (hsd_rung)hsd_words_first(record + HSD_CENSUS_ORDINAL);
}

static inline uint32_t hsd_census_mark(const uint64_t *record)
{
    return (uint32_t)hsd_words_first(record + HSD_CENSUS_ORDINAL);
}

static inline uint64_t hsd_census_id(const hsd_side_walk *side, const uint64_t *record)
{
    return record[side->request->alike != NULL ? HSD_CENSUS_ID : HSD_CENSUS_IDENTITY];
}

/* Reads the tables of the request's capture and numbers its types. Both sides one after the other. `side` is
 * overwritten, and to be released on failure, too. */
hsd_status hsd_side_open(hsd_side_walk *side, const hsd_walk_request *request, hsd_error *err);

/* What the planner must know of an open side; want_identity and want_ids are set. Of one whose graph was read that is
 * what the graph takes. */
hsd_plan_capture hsd_side_needs(const hsd_side_walk *side, bool with_tree);

/* All steps of one side; both sides may run at the same time. Where they must be told apart in two halves: between them
 * the objects of both sides are recognised (match/recognise.h). */
hsd_status hsd_side_run(hsd_side_walk *side, hsd_error *err);
hsd_status hsd_side_run_graph(hsd_side_walk *side, hsd_error *err);
hsd_status hsd_side_run_census(hsd_side_walk *side, hsd_error *err);

/* True once dominators are found, if owners come out of their tree, and places stay in memory for that. */
bool hsd_side_tree_tells_owners(const hsd_side_walk *side);

/* True if owners are to say what lives by soft references alone: dominators that were walked depth first have told it.
 */
bool hsd_side_asks_soft(const hsd_side_walk *side);

/* Likewise where places are sorted: labels are in no array then, and whoever goes through the places asks the tree. */
static inline bool hsd_side_tells_in_order(const hsd_side_walk *side) { return side->graph->tells_in_order; }

static inline bool hsd_side_has_owners(const hsd_side_walk *side)
{
    return side->graph->has_owners || side->graph->tells_in_order;
}

/* The first step of hsd_side_run, which may be done before it: then the request's plan may be another one behind it. */
hsd_status hsd_side_run_reading(hsd_side_walk *side, hsd_error *err);

/* Gives up an adjacency that only waited. */
void hsd_side_drop_graph(hsd_side_walk *side);

void hsd_side_release(hsd_side_walk *side);

/* ---- the steps, each in its file ---- */

hsd_status hsd_side_graph(hsd_side_walk *side, hsd_error *err);
hsd_status hsd_side_owners(hsd_side_walk *side, hsd_error *err);
hsd_status hsd_side_lost(hsd_side_walk *side, hsd_error *err);      /* part of hsd_side_owners */
hsd_status hsd_side_take_soft(hsd_side_walk *side, hsd_error *err); /* is_soft, zeroed, where has_soft is there */
hsd_status hsd_side_parts(hsd_side_walk *side, hsd_error *err);
void hsd_side_begin_part_sizes(hsd_side_walk *side); /* parts of hsd_side_graph: */
void hsd_side_put_part_size(hsd_side_walk *side, uint64_t size_bytes, uint64_t native_bytes); /* of the next part */
void hsd_side_end_part_sizes(hsd_side_walk *side);
void hsd_side_release_part_sizes(hsd_side_walk *side);
hsd_status hsd_side_structure(hsd_side_walk *side, hsd_error *err);  /* fills sequence */
hsd_status hsd_side_dominators(hsd_side_walk *side, hsd_error *err); /* fills places */
hsd_status hsd_side_census(hsd_side_walk *side, hsd_error *err);

/* What that begins with where objects were recognised by structure: brings partners and rungs into the order of
 * ordinals, or into memory, where positions do not follow ordinals (plan.partner_bytes). */
hsd_status hsd_side_order_partners(hsd_side_walk *side, hsd_error *err);

/*
 * Names label nodes, makes root nodes and tells of each root's target (object id or ordinal, which may not
 * be there) with its root node. Part of hsd_side_graph, once all label nodes are known.
 */
typedef hsd_status (*hsd_root_fn)(void *context, hsd_node node, uint64_t target, hsd_error *err);
hsd_status hsd_side_roots(hsd_side_walk *side, hsd_root_fn take, void *context, hsd_error *err);

/* Number 0 of the owners' names, "(shared)", and 1, "(other roots)". */
hsd_status hsd_side_fixed_roots(hsd_side_walk *side, hsd_error *err);

/* ---- sorters (side/join.c); ids become ordinals by sort/join.h ---- */

/* A sorter in this side's temporary space. */
hsd_status hsd_side_sorter(const hsd_side_walk *side, unsigned record_words, unsigned key_words, uint64_t memory_bytes,
                           hsd_sorter **out, hsd_error *err);

/* The same for what is read again and again, one record an object: of a pair its runs are packed where memory is
 * little. One side alone reads it once or twice. */
hsd_status hsd_side_stream(const hsd_side_walk *side, unsigned record_words, unsigned key_words, uint64_t memory_bytes,
                           hsd_sorter **out, hsd_error *err);

/* HSD_E_OVER_BUDGET once names of roots, label nodes and `more` bytes take more than the planner's tables. */
hsd_status hsd_side_check_tables(const hsd_side_walk *side, uint64_t more, hsd_error *err);

/* Ends a sorter's input; it serves from `memory_bytes`, or from the least it can. */
hsd_status hsd_side_serve(hsd_sorter *sorter, uint64_t memory_bytes, hsd_error *err);

#endif

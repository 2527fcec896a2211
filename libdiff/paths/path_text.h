/*
 * A shortest path as a person reads it. graph/shortest.h knows nodes and numbers of names; here they become a
 * root and the steps of hsd_step:
 *
 *      root       the label node nearest to the object ("static Cache.map"), else the root node
 *      left out   objects behind a FOLD reference (HSC_LABEL_FOLD), and INTERNAL ones behind those: the insides of a
 *                 container. The object itself is always there.
 *      [*]        what comes out of the insides keeps the name of its own reference, with [*] before it:
 *                 HashMap .table Node[] [*] Node .next Node .value X   reads   HashMap, [*].value X
 *                 ArrayList .elementData Object[] [*] X                reads   ArrayList, [*] X
 *                 Insides that the runtime alone has names for say nothing of items:
 *                 closure <context> Context .x X                       reads   closure, .x X
 *      repeat     the same reference to the same type again is the same step
 *      cut        of more than HSD_MAX_PATH_STEPS steps the first and the last half stand there; step_cut references
 *                 are left out between steps[HSD_MAX_PATH_STEPS / 2 - 1] and steps[HSD_MAX_PATH_STEPS / 2]
 *
 * Use, with a side that was walked with want_tree and whose graph stays:
 *
 *      hsd_path_find(&shortest, side, wanted, count, err);     paths/path_find.h
 *      hsd_path_texts_new(&texts, &shortest, side, &store->arena, err);
 *      hsd_path_texts_get(texts, node, &path, err);    as often as needed; path.steps live in the arena
 *      hsd_path_texts_name(texts, err);         objects that have a name get it in all steps so far
 *      hsd_path_texts_free(texts);
 *      hsd_shortest_close(&shortest);
 *
 * For texts `side` gives types_of, edge_names, type_names, roots, name_of_node, object_count, for names has_named and
 * capture; nothing else of it is touched, and its adjacency may be gone. Texts are copied into the arena, each once, so
 * the result may outlive the side.
 *
 * Memory: at most 4 MiB besides the arena, whatever the depth. Many paths through one deep list cost one walk of
 * it: readings are remembered at milestones on the way.
 */
#ifndef HSD_PATHS_PATH_TEXT_H
#define HSD_PATHS_PATH_TEXT_H

#include "base/arena.h"
#include "base/node.h"
#include "graph/shortest.h"
#include "paths/steps.h"
#include "walk/edges.h"
#include "walk/side/side.h"
#include <hsdiff/diff.h>

/* ---- what is left out (path_fold.c) ---- */

typedef struct hsd_path_fold { /* how a path stands to the container it is in; zeroed at a root */
    bool is_inside;            /* the node is among the insides */
    bool is_items;             /* and what comes out of them is an item */
} hsd_path_fold;

/* A number for the text of an edge in a path: one number for one text. */
typedef uint32_t hsd_path_edge;
#define HSD_PATH_EDGE_ITEM UINT32_C(1) /* [*] */

/* Goes one reference on. False if the node is left out, unless it is the object itself; *out is what
 * to show for the reference. */
bool hsd_path_fold_step(hsd_path_fold *fold, const hsd_edge_names *edges, const hsd_type_names *types, uint32_t edge,
                        uint32_t type, hsd_path_edge *out);

/* The text of an edge: written to `buffer` (and cut off there) when it is put together, else borrowed. */
hsd_bytes hsd_path_edge_text(const hsd_edge_names *edges, hsd_path_edge edge, char *buffer, size_t size);

/* ---- the texts (path_text.c) ---- */

typedef struct hsd_path_text {
    uint32_t root;         /* number of its name in side->roots; HSD_ROOT_SHARED: the node was not reached */
    uint32_t root_kind;    /* hsc_root_kind */
    const hsd_step *steps; /* behind the root; the last one is the node. None when it is a root itself */
    size_t step_count;
    uint64_t step_cut; /* references left out in the middle */
    uint64_t length;   /* references from the root, left out ones included */
} hsd_path_text;

typedef struct hsd_path_texts hsd_path_texts;

/* All arguments are borrowed until free. */
hsd_status hsd_path_texts_new(hsd_path_texts **out, hsd_shortest *shortest, hsd_side_walk *side, hsd_arena *arena,
                              hsd_error *err);

/* The path to a node: object, label node or root node. A node that was not reached has itself as its only step. */
hsd_status hsd_path_texts_get(hsd_path_texts *texts, hsd_node node, hsd_path_text *out, hsd_error *err);

/* The same for a node that the search avoided, by a reference `edge` from one that it reached. */
hsd_status hsd_path_texts_get_through(hsd_path_texts *texts, hsd_node source, uint32_t edge, hsd_node node,
                                      hsd_path_text *out, hsd_error *err);

/* Names the objects in the steps of all paths so far, where they have names: one look at the blocks they stand in
 * (paths/path_names.h). */
hsd_status hsd_path_texts_name(hsd_path_texts *texts, hsd_error *err);

void hsd_path_texts_free(hsd_path_texts *texts);

#endif

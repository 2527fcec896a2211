/*
 * One capture through the stages of a diff: what top and paths begin with.
 *
 *      open ── plan ── names of references ── walk
 */
#ifndef HSD_WALK_SINGLE_H
#define HSD_WALK_SINGLE_H

#include "walk/edges.h"
#include "walk/side/side.h"
#include <hsdiff/diff.h>

typedef struct hsd_single { /* stays where it is from init to release */
    hsd_reporter reporter;
    hsd_temp_space space;
    hsd_page_pool pool; /* the space's, once the memory was divided */
    hsd_type_names types;
    hsd_edge_names edges;
    hsd_plan plan;
    /* what is wanted besides is set between init and open: want_identity, want_lost */
    hsd_walk_request request;
    hsd_side_walk side;
    /* set before open: the graph is enough, and there may be one of a part of a capture */
    bool is_for_paths;
    bool is_for_sums;            /* set before open: no graph stays, and records of the tree have no ids */
    bool stops_at_owners;        /* set before open: no tree */
    bool keeps_graph;            /* set before open: with is_for_sums, too */
    struct hsd_walked *behind;   /* set before open: one that was walked; NULL afterwards if the two are no pair */
    const struct hsd_keep *keep; /* set before open: told of all nodes (walk/keep.h); NULL = nobody */
    /* side.tree, with ids, and the graph with names are there; of these is_for_sums has the tree alone */
    bool has_tree;
    char why_no_tree[160]; /* a clause; empty with has_tree */
} hsd_single;

/* `run` is borrowed until release. */
void hsd_single_init(hsd_single *single, const hsd_run *run);

/* All but the walk: tables, plan, names of references. The side's steps are then the caller's (walk/side/side.h); with
 * has_tree the graph comes with names and stays. Failures name the file. */
hsd_status hsd_single_open(hsd_single *single, hsd_capture *capture, hsd_error *err);

/*
 * Opens and walks the capture: counts, and with has_tree the dominator tree (records of HSD_TREE_ID_WORDS) and the
 * graph for shortest paths. A capture that is not whole or has no roots or no references, or a budget too small for
 * dominators, gives no tree and says why. Failures name the file.
 */
hsd_status hsd_single_walk(hsd_single *single, hsd_capture *capture, hsd_error *err);

/* Behind the walk: where a capture has totals by type and no objects, they stand for what is live. */
hsd_status hsd_single_count_totals(hsd_single *single, hsd_error *err);

void hsd_single_release(hsd_single *single);

#endif

/*
 * The references of a graph turned round: from passes over it in the order of sources to lists of who refers to each
 * target, in the order of targets. Two ways, which give the same blocks:
 *
 *      counted   as many passes as ranges of targets whose referrers memory holds, each source put where its target's list has come
 *                to (referrers_counted.c)
 *      sorted    through sort/, where that would be many passes (referrers_sorted.c)
 *
 * Names stay where they are: a reference that is asked for is named by the list of its source (browse/lists.h).
 */
#ifndef HSD_BROWSE_REFERRERS_H
#define HSD_BROWSE_REFERRERS_H

#include "browse/index.h"

typedef struct hsd_turn {
    hsd_index *index;
    hsd_column_file longs;        /* targets whose lists have several parts, ascending */
    hsd_node target, last_source; /* of what was put last */
    uint64_t total;               /* referrers of it so far */
    bool knows_long;              /* sources with long lists were found */
} hsd_turn;

/* A part of what a node refers to. */
typedef hsd_status (*hsd_turn_fn)(void *context, hsd_node node, const hsd_targets *targets, hsd_error *err);

/* Tells of all references, sources ascending. The first time finds the long lists, too. */
hsd_status hsd_turn_pass(hsd_turn *turn, const char *what, hsd_turn_fn take, void *context, hsd_error *err);

/* Who refers to `target`, ascending, as often as they do; overwritten. Targets ascend; one may come again with sources
 * that are not less. Each source stays once. */
hsd_status hsd_turn_put(hsd_turn *turn, hsd_node target, hsd_node *sources, uint64_t count, hsd_error *err);

/* *is_done is false where it would be too many passes, and nothing was put. */
hsd_status hsd_turn_counted(hsd_turn *turn, bool *is_done, hsd_error *err);
hsd_status hsd_turn_sorted(hsd_turn *turn, hsd_error *err);

#endif

/*
 * Weak references of one object: the graph of the walk has none, so they are read from the block of the capture that
 * the object stands in, and whatever blocks its references go on in. Those of the object that was asked about last stay
 * at hand: its page asks several times.
 */
#ifndef HSD_BROWSE_WEAK_H
#define HSD_BROWSE_WEAK_H

#include "base/node.h"
#include "format/tables.h"
#include "walk/edges.h"

#define HSD_WEAK_MOST 4096u /* of one object that are looked at */

struct hsd_index;

typedef struct hsd_weak {
    hsd_label_table labels; /* the weak ones alone; none: nothing is ever read */
    hsd_edge_names names;   /* of these, from the first weak reference on */
    bool has_names;
    bool has_node;
    hsd_node node;        /* whose they are */
    uint64_t *references; /* HSD_TWO of target and name, ascending, each target once; HSD_WEAK_MOST at most */
    uint32_t count;
    uint32_t looked_at; /* those that lead nowhere are left out */
    bool has_more;      /* there are some that were not looked at */
} hsd_weak;

/* Finds the weak labels among those of the walk. */
hsd_status hsd_weak_begin(struct hsd_index *index, hsd_error *err);

/* What a reader of objects must decode for hsd_weak_gather; 0 where there is nothing to gather. */
unsigned hsd_weak_wants(const struct hsd_index *index);

/* Those of an object that `reader` has just read, which may read on. */
hsd_status hsd_weak_gather(struct hsd_index *index, hsd_node node, hsd_object_reader *reader, const hsd_object *object,
                           hsd_error *err);

/* Those of any node. */
hsd_status hsd_weak_look(struct hsd_index *index, hsd_node node, hsd_error *err);

void hsd_weak_release(hsd_weak *weak);

#endif

/*
 * Which objects of the capture become nodes, and what their ids are.
 *
 * DevTools recognises an object in another snapshot by its id, 32 bits wide. So that two exports of two captures of one
 * process agree without knowing of each other, an id depends on the id in the capture and, as far as that can be, on
 * nothing else:
 *
 *      of V8           kept as they are
 *      exact, < 2^30   2 (id + 2^16) + 1
 *      exact, above    odd, by a hash into the upper half; addresses into all of the range. Objects that meet in one number take the
 *                      next free ones, in the order of their ids in the capture: n of them have about n²/2^32 such neighbours
 *      moving, none    odd, one after the other, from a number that the capture's id determines: the ids of two such captures say nothing of
 *                      each other, and now they seldom look as if they did
 *
 * Other nodes (groups of roots) have odd ids from 1 on, or behind the greatest of V8's; strings beside objects have
 * even ones.
 */
#ifndef HSD_EXPORT_HEAPSNAPSHOT_IDS_H
#define HSD_EXPORT_HEAPSNAPSHOT_IDS_H

#include "export/heapsnapshot/kinds.h"
#include "sort/sorter.h"

#define HSD_SNAP_RESERVED_IDS UINT32_C(65536) /* odd ones, for other nodes */

typedef enum hsd_snap_id_rule {
    HSD_SNAP_IDS_KEPT,
    HSD_SNAP_IDS_SMALL,
    HSD_SNAP_IDS_SORTED,
    HSD_SNAP_IDS_COUNTED
} hsd_snap_id_rule;

typedef struct hsd_snap_ids {
    hsd_snap_id_rule rule;
    uint64_t count;       /* objects that become nodes */
    uint64_t next;        /* COUNTED: place of the next; SORTED, in memory: how many were told */
    uint32_t first_other; /* id of the first other node behind the two roots */
    uint32_t *given;      /* SORTED: ids, in the order of the objects … */
    hsd_sorter *sorted;   /* … or here, where there is no room for them in memory */
    uint64_t ordinals;
    uint64_t *kept;   /* one bit an ordinal; NULL: all ordinals are objects, and all become nodes */
    uint32_t *before; /* nodes before each 64 ordinals */
    /* V8: ordinals of synthetic nodes that have a size, roots of the embedder -> number of the name that roots.c finds
     */
    hsd_id_map embedder;
    uint32_t embedder_count;
} hsd_snap_ids;

#define HSD_SNAP_NO_NODE UINT64_MAX

/* Reads what it needs of the objects. HSD_E_OVER_BUDGET, HSD_E_UNSUPPORTED: more objects than ids. Release it then,
 * too. */
hsd_status hsd_snap_ids_open(hsd_snap_ids *ids, const hsd_snap_kinds *kinds, hsd_export *x, uint64_t memory_bytes,
                             hsd_error *err);

/* Which node an object is: 0 is the first object. HSD_SNAP_NO_NODE: it is left out. */
static inline uint64_t hsd_snap_ids_place(const hsd_snap_ids *ids, uint64_t ordinal)
{
    if (ids->kept == NULL) return ordinal < ids->count ? ordinal : HSD_SNAP_NO_NODE;
    if (ordinal >= ids->ordinals) return HSD_SNAP_NO_NODE;
    const uint64_t word = ids->kept[ordinal >> 6];
    /* nearly always: groups stand together */
    if (word == UINT64_MAX) return ids->before[ordinal >> 6] + (ordinal & 63);
    if ((word >> (ordinal & 63) & 1) == 0) return HSD_SNAP_NO_NODE;
    return ids->before[ordinal >> 6] + (unsigned)__builtin_popcountll(word & ((UINT64_C(1) << (ordinal & 63)) - 1));
}

/* The id of the next node, in the order of the objects; `id` is the one of the capture. */
hsd_status hsd_snap_ids_next(hsd_snap_ids *ids, uint64_t id, uint32_t *out, hsd_error *err);

void hsd_snap_ids_release(hsd_snap_ids *ids);

#endif

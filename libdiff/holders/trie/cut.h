/*
 * A tree of type paths cut to a number of rows. It may have any number of places; kept are the heaviest, of which a
 * place has at least as many bytes as any below it. So what is kept hangs together, and what is not kept counts for the
 * place above. The limit in bytes is the least that leaves few enough: all places of one weight are kept or none, and
 * nothing depends on their order.
 *
 *      source ──hsd_trie_cut_find──► list, parents first ──texts, ranks──► hsd_trie_cut_order ──► its preorder
 */
#ifndef HSD_HOLDERS_TRIE_CUT_H
#define HSD_HOLDERS_TRIE_CUT_H

#include "base/pages.h"
#include "holders/trie/trie.h"

#define HSD_TRIE_CUT_MAX_DEPTH 255u

/* What is cut: a finished trie, or places that were read. Node 0 is the root of all, parents come before children, no
 * place is deeper than HSD_TRIE_CUT_MAX_DEPTH. Cheap in ascending order. */
typedef struct hsd_trie_source {
    void *context;
    uint32_t count;
    void (*get)(void *context, uint32_t node, hsd_trie_node *out);
    /* Parts of it, where they cost less to find; NULL: get does it. Bytes below a node, before and after together; and
     * the node above. */
    uint64_t (*weight)(void *context, uint32_t node);
    uint32_t (*parent)(void *context, uint32_t node);
} hsd_trie_source;

hsd_trie_source hsd_trie_as_source(hsd_trie *trie);

typedef struct hsd_trie_kept {
    /* parent: in the list, and in the order once there is one; own: with all below that was not kept */
    hsd_trie_node node;
    hsd_text edge, type; /* by the caller between find and order; empty */
    /* likewise: children of one place come by rank, largest first; ties by texts of edge and type */
    uint64_t rank;
    uint32_t number;     /* in the source */
    uint32_t first, end; /* its children, while they are ordered */
} hsd_trie_kept;

typedef struct hsd_trie_cut {
    hsd_trie_kept *list; /* in the pages */
    hsd_pages pages;
    uint32_t *order; /* the list in preorder; NULL before hsd_trie_cut_order */
    uint32_t count;
    /* places with less below them, before and after together, are not kept; 0 = all are */
    uint64_t least_bytes;
} hsd_trie_cut;

/* Bytes that a cut to so many places takes at most. */
uint64_t hsd_trie_cut_bytes(uint64_t places);

/* Keeps at most `most` places, the root of all included; most >= 1. HSD_E_NOMEM. For the caller to release in any
 * case. */
hsd_status hsd_trie_cut_find(hsd_trie_cut *cut, const hsd_trie_source *source, uint32_t most, hsd_error *err);

/* Finds the preorder. Parents are told by it from then on. HSD_E_NOMEM. */
hsd_status hsd_trie_cut_order(hsd_trie_cut *cut, hsd_error *err);

void hsd_trie_cut_release(hsd_trie_cut *cut);

#endif

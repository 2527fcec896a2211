/*
 * One model heap, looked at: what is live, who owns it, what counts, and its dominator tree, each by its
 * definition. Shared by the files of the oracle.
 */
#ifndef HSD_TESTS_ORACLE_VIEW_H
#define HSD_TESTS_ORACLE_VIEW_H

#include "support/heap_model.h"

enum {
    ORACLE_NAME = 32,
    ORACLE_MAX_NODES = MODEL_MAX_OBJECTS + MODEL_MAX_OBJECTS * MODEL_MAX_REFERENCES + 2 * MODEL_ROOT_NAMES,
    ORACLE_MAX_EDGES = 3 * MODEL_MAX_OBJECTS * MODEL_MAX_REFERENCES + MODEL_MAX_ROOTS,
    ORACLE_NOBODY = -1, /* the super-root */
};

typedef struct oracle_node { /* objects have the numbers they have in the heap; then label nodes, then root nodes */
    bool is_object;
    char name[ORACLE_NAME]; /* of a label or root node */
    bool is_live, is_first; /* reached at all, reached from primary roots */
    uint32_t dominators;    /* how many dominate it, itself included */
    int parent;             /* nearest dominator that is shown: counts, or is no object; ORACLE_NOBODY */
    /* text of the reference from the immediate dominator; "-" = none, or nameless */
    char edge[ORACLE_NAME];
    bool is_apart; /* none */
} oracle_node;

typedef struct oracle_edge {
    int from, to;
    const char *text;
    bool is_soft;
} oracle_edge;

typedef struct oracle_view {
    const model_heap *heap;
    bool is_dangling_kept; /* the form of the capture names targets that are not there */
    bool live[MODEL_MAX_OBJECTS], first[MODEL_MAX_OBJECTS];
    bool counts[MODEL_MAX_OBJECTS];    /* neither pseudo nor folded */
    uint64_t bytes[MODEL_MAX_OBJECTS]; /* with the bytes of folded parts */
    char owner[MODEL_MAX_OBJECTS][ORACLE_NAME];
    oracle_node nodes[ORACLE_MAX_NODES];
    int node_count;
    oracle_edge edges[ORACLE_MAX_EDGES];
    int edge_count;
    bool dominates[ORACLE_MAX_NODES][ORACLE_MAX_NODES]; /* [d][v] */
} oracle_view;

int oracle_find(const model_heap *heap, uint64_t id);
bool oracle_names_root(model_label label);
void oracle_root_name(const model_root *root, char *out);
void oracle_label_name(const model_object *source, model_label label, char *out);

/* Live, owners, parts (oracle.c), then the tree (oracle_tree.c). */
void oracle_look(oracle_view *view, const model_heap *heap, bool is_dangling_kept);
void oracle_look_tree(oracle_view *view);

/* True if a capture of this heap has the name among its roots. */
bool oracle_has_root(const oracle_view *view, const char *name);

#endif

/*
 * The oracle's part about what holds the growth: holders, retained sizes, places.
 */
#ifndef HSD_TESTS_ORACLE_GROWTH_H
#define HSD_TESTS_ORACLE_GROWTH_H

#include "oracle.h"
#include "oracle_view.h"

/* One heap and the other, to ask for what was kept. */
typedef struct oracle_side {
    const oracle_view *view, *other;
    bool has_identity, is_after;
    bool *holds_nothing; /* by node: it stands at a crowded place; NULL = none does */
} oracle_side;

bool oracle_is_shown(const oracle_view *view, int node);
/* the same object, live and counted, on the other side; -1 */
int oracle_partner(const oracle_side *side, int node);
bool oracle_can_hold(const oracle_side *side, int node);

/* The holder that a node is, ORACLE_NOBODY the super-root; made when there is none. */
oracle_holder *oracle_holder_at(oracle_diff *diff, const oracle_side *side, int node);

/* A path, step by step, and how many of its last steps are looked back at. */
typedef struct oracle_steps {
    char step[ORACLE_MAX_NODES][2 * ORACLE_NAME];
    uint32_t count, known;
} oracle_steps;

void oracle_go_on(oracle_steps *path, const char *step, uint32_t most);

/* The place of a node as one text. */
void oracle_find_place(const oracle_view *view, int node, char text[ORACLE_PATH]);

/* True if there are crowds that matter; their objects hold nothing from then on (oracle_crowds.c). */
bool oracle_leave_crowds(oracle_diff *diff, const oracle_side *const sides[2]);

/* Places below holders, with identity (oracle_edges.c). */
void oracle_find_edges(oracle_diff *diff, const oracle_side *before, const oracle_side *after);

/* By which roots what no one holds is held together (oracle_by.c). After the holders. */
void oracle_find_by(oracle_diff *diff, const oracle_side *after);

void oracle_compare_growth(oracle_diff *diff, const oracle_view *before, const oracle_view *after, bool has_identity);

#endif

/*
 * A walk over a dominator tree as an automaton that is made while it goes. What a walk makes of a node (where it stands
 * in the trie, among kin, below which holder) follows from what it made of the node above, from the reference and from
 * the type; and a heap repeats itself: ten million objects stand at some thousand places. So what a step comes to is
 * worked out once. A *state* is all that is asked of a node by those below it, and has a number; a *move* goes from a
 * state by a reference to a type, knows the state that it leads to, and counts who went there. What is added up of each
 * is added up once, of all.
 *
 *      state 7 ──.buf Buffer, kept──► state 12        3,104,288 objects, 198,674,432 bytes
 *
 * Both are tables of a fixed memory. What finds no room is worked out node by node: of a heap in which no two objects
 * are alike nothing is gained, and the same comes of it. Where most that is asked for finds none nobody looks any more.
 */
#ifndef HSD_HOLDERS_MOVES_H
#define HSD_HOLDERS_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/assert.h"

typedef struct hsd_move {
    uint64_t from_type;      /* state << 32 | type; 0 = an empty place */
    uint64_t edge_tags;      /* the reference << 32 | what else tells two apart */
    uint64_t objects, bytes; /* that went here, and wait to be told */
    uint64_t place;          /* these three: the walk's own, 0 at first */
    uint32_t to, flags;
} hsd_move;

typedef struct hsd_moves {
    hsd_move *list; /* open addressing, at most half full; NULL = there are none */
    uint32_t mask, count, most;
    uint8_t *states; /* from 1 */
    uint32_t *slots; /* of states, by hash, likewise */
    size_t state_bytes;
    uint32_t state_count, state_most, slot_mask;
    uint64_t asked, states_asked; /* times, since it was last seen whether that pays */
    uint32_t missed, states_missed;
    bool is_off; /* it does not */
} hsd_moves;

/* Plain bytes without holes, all of which tell states apart; `state_bytes` a multiple of 8. Without memory there is
 * room for nothing, which is no failure. */
void hsd_moves_open(hsd_moves *moves, size_t state_bytes, uint64_t memory_bytes);
void hsd_moves_close(hsd_moves *moves); /* a zeroed one is accepted */

/* The number of a state, from 1; 0 = there is no room. */
uint32_t hsd_moves_state(hsd_moves *moves, const void *state);

static inline const void *hsd_moves_state_at(const hsd_moves *moves, uint32_t state)
{
    HSD_ASSERT(state >= 1 && state <= moves->state_count);
    return moves->states + (size_t)(state - 1) * moves->state_bytes;
}

/* One that was not there; NULL = there is no room. */
hsd_move *hsd_moves_add(hsd_moves *moves, uint64_t from_type, uint64_t edge_tags);

static inline uint32_t hsd_moves_slot(const hsd_moves *moves, uint64_t from_type, uint64_t edge_tags)
{
    const uint64_t hash = (from_type * UINT64_C(0x9e3779b97f4a7c15)) ^ (edge_tags * UINT64_C(0xd1b54a32d192ed03));
    return (uint32_t)((hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 32) & moves->mask;
}

/* The move from a state, which is made if it is not there; NULL = there is no room. Valid until the next is asked for.
 */
static inline hsd_move *hsd_moves_at(hsd_moves *moves, uint32_t state, uint32_t type, uint32_t edge, uint32_t tags)
{
    const uint64_t from_type = (uint64_t)state << 32 | type, edge_tags = (uint64_t)edge << 32 | tags;
    if (state == 0 || moves->is_off) return NULL;
    moves->asked++;
    for (uint32_t at = hsd_moves_slot(moves, from_type, edge_tags);; at = (at + 1) & moves->mask) {
        hsd_move *move = &moves->list[at];
        if (move->from_type == from_type && move->edge_tags == edge_tags) return move;
        if (move->from_type == 0) return hsd_moves_add(moves, from_type, edge_tags);
    }
}

static inline uint32_t hsd_move_from(const hsd_move *move) { return (uint32_t)(move->from_type >> 32); }
static inline uint32_t hsd_move_type(const hsd_move *move) { return (uint32_t)move->from_type; }
static inline uint32_t hsd_move_edge(const hsd_move *move) { return (uint32_t)(move->edge_tags >> 32); }
static inline uint32_t hsd_move_tags(const hsd_move *move) { return (uint32_t)move->edge_tags; }

/* All of them, from *at = 0 on, in an order that says nothing; NULL behind the last. */
static inline hsd_move *hsd_moves_next(hsd_moves *moves, uint32_t *at)
{
    while (moves->list != NULL && *at <= moves->mask) {
        hsd_move *move = &moves->list[(*at)++];
        if (move->from_type != 0) return move;
    }
    return NULL;
}

#endif

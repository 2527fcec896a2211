/*
 * Both tables grow by doubling until their memory is used up.
 */
#include "holders/moves.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"

#define FIRST_MOVES  256u /* places; a power of two */
#define FIRST_STATES 64u
#define MISSES       8192u /* so many, and it is seen whether looking pays */

/* True if it does not: most of what is asked for has no room. */
static bool is_in_vain(uint64_t *asked, uint32_t *missed)
{
    if (++*missed < MISSES) return false;
    const bool is_most = *missed > *asked / 4 * 3;
    *asked = *missed = 0;
    return is_most;
}

/* ---- states */

static uint64_t hash_of(const hsd_moves *moves, const void *state)
{
    return hsd_hash_bytes(state, moves->state_bytes, 0);
}

static uint32_t slot_of(const hsd_moves *moves, const void *state)
{
    uint32_t at = (uint32_t)hash_of(moves, state) & moves->slot_mask;
    while (moves->slots[at] != 0 && memcmp(hsd_moves_state_at(moves, moves->slots[at]), state, moves->state_bytes) != 0)
        at = (at + 1) & moves->slot_mask;
    return at;
}

/* Twice as many; false if the system has no memory, and all is as it was. */
static bool grow_states(hsd_moves *moves, uint32_t room)
{
    uint8_t *states = realloc(moves->states, (size_t)room * moves->state_bytes);
    if (states == NULL) return false;
    moves->states = states;
    uint32_t *slots = calloc((size_t)2 * room, sizeof *slots);
    if (slots == NULL) return false;
    free(moves->slots);
    moves->slots = slots;
    moves->slot_mask = 2 * room - 1;
    for (uint32_t i = 1; i <= moves->state_count; i++)
        moves->slots[slot_of(moves, hsd_moves_state_at(moves, i))] = i;
    return true;
}

uint32_t hsd_moves_state(hsd_moves *moves, const void *state)
{
    if (moves->list == NULL || moves->is_off) return 0;
    moves->states_asked++;
    const uint32_t at = slot_of(moves, state), room = (moves->slot_mask + 1) / 2;
    if (moves->slots[at] != 0) return moves->slots[at];
    if (moves->state_count == room) {
        if (2 * room > moves->state_most || !grow_states(moves, 2 * room)) {
            moves->is_off = is_in_vain(&moves->states_asked, &moves->states_missed);
            return 0;
        }
        return hsd_moves_state(moves, state);
    }
    memcpy(moves->states + (size_t)moves->state_count * moves->state_bytes, state, moves->state_bytes);
    moves->slots[at] = ++moves->state_count;
    return moves->state_count;
}

/* ---- moves */

static hsd_move *free_slot(hsd_moves *moves, uint64_t from_type, uint64_t edge_tags)
{
    uint32_t at = hsd_moves_slot(moves, from_type, edge_tags);
    while (moves->list[at].from_type != 0)
        at = (at + 1) & moves->mask;
    return &moves->list[at];
}

static bool grow_moves(hsd_moves *moves)
{
    hsd_move *old = moves->list;
    const uint32_t places = moves->mask + 1;
    if (2 * places > moves->most) return false;
    hsd_move *list = calloc((size_t)2 * places, sizeof *list);
    if (list == NULL) return false;
    moves->list = list;
    moves->mask = 2 * places - 1;
    for (uint32_t i = 0; i < places; i++)
        if (old[i].from_type != 0) *free_slot(moves, old[i].from_type, old[i].edge_tags) = old[i];
    free(old);
    return true;
}

hsd_move *hsd_moves_add(hsd_moves *moves, uint64_t from_type, uint64_t edge_tags)
{
    HSD_ASSERT(from_type >> 32 != 0);
    if (2 * moves->count > moves->mask && !grow_moves(moves)) {
        moves->is_off = is_in_vain(&moves->asked, &moves->missed);
        return NULL;
    }
    hsd_move *move = free_slot(moves, from_type, edge_tags);
    *move = (hsd_move){.from_type = from_type, .edge_tags = edge_tags};
    moves->count++;
    return move;
}

/* ---- */

/* The greatest power of two that fits, from `first` on; 0 = that does not. */
static uint32_t most_of(uint64_t memory_bytes, size_t item_bytes, uint32_t first)
{
    uint32_t most = 0;
    for (uint64_t room = first; room <= UINT32_MAX / 4 && room * item_bytes <= memory_bytes; room *= 2)
        most = (uint32_t)room;
    return most;
}

void hsd_moves_open(hsd_moves *moves, size_t state_bytes, uint64_t memory_bytes)
{
    HSD_ASSERT(state_bytes % 8 == 0);
    *moves = (hsd_moves){.state_bytes = state_bytes, .mask = FIRST_MOVES - 1};
    /* while a table grows, half of it is there once more */
    moves->most = most_of(memory_bytes / 3, sizeof *moves->list, FIRST_MOVES);
    moves->state_most = most_of(memory_bytes / 3, state_bytes + 2 * sizeof *moves->slots, FIRST_STATES);
    if (moves->most == 0 || moves->state_most == 0) return;
    moves->list = calloc(FIRST_MOVES, sizeof *moves->list);
    if (moves->list != NULL && grow_states(moves, FIRST_STATES)) return;
    free(moves->list);
    moves->list = NULL;
}

void hsd_moves_close(hsd_moves *moves)
{
    free(moves->list);
    free(moves->states);
    free(moves->slots);
    *moves = (hsd_moves){.state_bytes = 0};
}

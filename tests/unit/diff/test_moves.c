/*
 * States that are the same have one number, moves count what goes their way however their table grows, and where there
 * is no room that is said and nothing is lost.
 */
#include <criterion/criterion.h>

#include <errno.h>

#include "holders/moves.h"
#include "support/fault.h"

enum { STATE_WORDS = 3 };

static uint32_t state_of(hsd_moves *moves, uint64_t last)
{
    const uint64_t state[STATE_WORDS] = {7, 0, last};
    return hsd_moves_state(moves, state);
}

static void go(hsd_moves *moves, uint32_t state, uint32_t type, uint32_t edge, uint32_t tags, uint64_t bytes)
{
    hsd_move *move = hsd_moves_at(moves, state, type, edge, tags);
    cr_assert_not_null(move);
    move->objects++;
    move->bytes += bytes;
}

Test(moves, go_between_states_that_have_one_number_each)
{
    hsd_moves moves;
    hsd_moves_open(&moves, STATE_WORDS * 8, 1 << 20);
    cr_assert(state_of(&moves, 5) == 1 && state_of(&moves, 6) == 2 && state_of(&moves, 5) == 1);
    cr_assert_eq(((const uint64_t *)hsd_moves_state_at(&moves, 2))[2], 6);
    go(&moves, 1, 3, 4, 0, 10);
    go(&moves, 1, 3, 4, 1, 20);
    go(&moves, 1, 4, 3, 0, 30);
    go(&moves, 2, 3, 4, 0, 40);
    go(&moves, 1, 3, 4, 0, 50);
    const hsd_move *move = hsd_moves_at(&moves, 1, 3, 4, 0);
    cr_assert(move->objects == 2 && move->bytes == 60 && move->to == 0 && move->flags == 0);
    cr_assert(hsd_move_from(move) == 1 && hsd_move_type(move) == 3 && hsd_move_edge(move) == 4);
    cr_assert_eq(hsd_move_tags(hsd_moves_at(&moves, 1, 3, 4, 1)), 1);
    cr_assert_eq(moves.count, 4);
    hsd_moves_close(&moves);
}

/* Until there is no room: what has its place goes on being counted. */
Test(moves, count_all_that_found_room)
{
    enum { MOST = 100000 };
    hsd_moves moves;
    uint32_t states = 0, found = 0;
    uint64_t objects = 0;
    hsd_moves_open(&moves, STATE_WORDS * 8, 1 << 20);
    while (states < MOST && state_of(&moves, states + 1) == states + 1)
        states++;
    cr_assert(states > 1000 && states < MOST);
    cr_assert_eq(state_of(&moves, states + 1), 0);
    for (uint32_t i = 0; i < states; i++)
        cr_assert_eq(state_of(&moves, i + 1), i + 1);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < (round == 0 ? 10000 : moves.count); i++) {
            hsd_move *move = hsd_moves_at(&moves, 1 + i % states, i, i ^ 5, 0);
            cr_assert(move == NULL || move->objects == round);
            if (move == NULL) continue;
            move->objects++;
            found++;
        }
    }
    for (uint32_t at = 0; hsd_moves_next(&moves, &at) != NULL;)
        objects += 1;
    cr_assert(moves.count > 1000 && moves.count < 10000);
    cr_assert(objects == moves.count && found == 2 * moves.count);
    cr_assert_null(hsd_moves_at(&moves, 0, 1, 1, 0), "from no state");
    hsd_moves_close(&moves);
}

/* Looking takes time, too: it ends where most that is asked for has no room, and not where a part has. */
Test(moves, end_where_looking_is_in_vain)
{
    hsd_moves moves;
    for (uint32_t known = 0; known < 2; known++) {
        hsd_moves_open(&moves, STATE_WORDS * 8, 1 << 20);
        cr_assert_eq(state_of(&moves, 1), 1);
        for (uint32_t i = 0; i < 100000; i++) {
            for (uint32_t k = 0; known == 1 && k < 3; k++)
                cr_assert_not_null(hsd_moves_at(&moves, 1, 7, 7, 0));
            (void)hsd_moves_at(&moves, 1, i, 8, 0);
        }
        cr_assert_eq(moves.is_off, known == 0);
        cr_assert_eq(state_of(&moves, 1), known);
        cr_assert_eq(hsd_moves_at(&moves, 1, 7, 7, 0) != NULL, known == 1);
        hsd_moves_close(&moves);
    }
}

Test(moves, without_memory_find_no_room)
{
    hsd_moves moves;
    hsd_moves_open(&moves, STATE_WORDS * 8, 1 << 10);
    cr_assert_eq(state_of(&moves, 1), 0);
    uint32_t at = 0;
    cr_assert_null(hsd_moves_next(&moves, &at));
    hsd_moves_close(&moves);
    for (uint64_t i = 1; i <= 3; i++) {
        hsd_fault_arm(HSD_FAULT_MALLOC, i, false, ENOMEM);
        hsd_moves_open(&moves, STATE_WORDS * 8, 1 << 20);
        hsd_fault_reset();
        cr_assert_eq(state_of(&moves, 1), 0, "allocation %lu", (unsigned long)i);
        hsd_moves_close(&moves);
    }
}

/* A table that cannot grow stays what it was. */
Test(moves, stay_where_the_system_has_no_more)
{
    hsd_moves moves;
    hsd_moves_open(&moves, STATE_WORDS * 8, 1 << 20);
    uint32_t states = 0;
    hsd_fault_arm(HSD_FAULT_MALLOC, 1, true, ENOMEM);
    while (state_of(&moves, states + 1) == states + 1)
        states++;
    uint32_t count = 0;
    while (hsd_moves_at(&moves, 1, count, 1, 0) != NULL)
        count++;
    hsd_fault_reset();
    cr_assert(states > 10 && count > 10);
    for (uint32_t i = 0; i < states; i++)
        cr_assert_eq(state_of(&moves, i + 1), i + 1);
    cr_assert_eq(state_of(&moves, states + 1), states + 1, "there is memory again");
    cr_assert_eq(moves.count, count);
    hsd_moves_close(&moves);
}

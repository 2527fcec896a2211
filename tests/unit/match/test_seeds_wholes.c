/*
 * Pairs by wholes, and which wholes are on both sides, held against their definition: whoever has a partner already,
 * and whether the filter is there or not, nothing else may come out for those that have none.
 */
#include <string.h>

#include "base/bits.h"
#include "match/seeds/wholes.h"
#include "sequence_kit.h"

#define MOST 1200u

static hsd_temp_space space;
static hsd_error err;
static hsd_sequence sides[2];
static uint64_t wholes[2][MOST]; /* 0 = none */

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
}

static void teardown(void)
{
    for (int i = 0; i < 2; i++)
        hsd_sequence_release(&sides[i]);
    cr_assert_eq(space.bytes_now, 0);
}

TestSuite(seeds_wholes, .init = setup, .fini = teardown);

static uint64_t spread(uint64_t number) { return (number + 1) * UINT64_C(0x9e3779b97f4a7c15); }

/* Wholes of `kinds` kinds, written in an order of their own. */
static void open_side(int i, test_random *random, hsd_node count, uint64_t kinds, uint64_t memory)
{
    hsd_node order[MOST];
    kit_sequence(&sides[i], count, 1, memory, &space);
    cr_assert_eq(hsd_wholes_open(&sides[i].wholes, &space, NULL), HSD_OK);
    for (hsd_node at = 0; at < count; at++) {
        order[at] = at;
        wholes[i][at] = test_below(random, 20) == 0 ? 0 : spread(test_below(random, kinds));
    }
    kit_shuffle(random, order, count);
    for (hsd_node k = 0; k < count; k++)
        if (wholes[i][order[k]] != 0)
            cr_assert_eq(hsd_wholes_put(&sides[i].wholes, wholes[i][order[k]], order[k], NULL), HSD_OK);
    cr_assert_eq(hsd_wholes_finish(&sides[i].wholes, NULL), HSD_OK);
}

static bool is_free(int side, hsd_node at) { return hsd_sequence_partner(&sides[side], at) == HSD_NO_PARTNER; }

/* So many in a hundred, in order. */
static void pair_some(test_random *random, uint64_t percent)
{
    const hsd_node count = sides[0].count < sides[1].count ? sides[0].count : sides[1].count;
    for (hsd_node at = 0; at < count; at++)
        if (test_below(random, 100) < percent) hsd_sequence_pair(&sides[0], at, &sides[1], at, HSD_RUNG_SAME_ADDRESS);
}

static hsd_node count_of(int side, uint64_t whole, hsd_node *last)
{
    hsd_node count = 0;
    for (hsd_node at = 0; at < sides[side].count; at++) {
        if (wholes[side][at] != whole) continue;
        *last = at;
        count++;
    }
    return count;
}

static void check_shared(void)
{
    for (int i = 0; i < 2; i++) {
        for (hsd_node at = 0; at < sides[i].count; at++) {
            hsd_node there = 0;
            if (!is_free(i, at)) continue;
            const bool is_there = wholes[i][at] != 0 && count_of(1 - i, wholes[i][at], &there) > 0;
            cr_assert_eq(hsd_bit_get(sides[i].is_shared, at) != 0, is_there, "side %d, %" HSD_PRI_NODE, i, at);
        }
    }
}

/* What must become of each of before that is free. */
static uint64_t naive_partners(hsd_node *partners)
{
    uint64_t pairs = 0;
    for (hsd_node at = 0; at < sides[0].count; at++) {
        hsd_node here = 0, there = 0;
        partners[at] = hsd_sequence_partner(&sides[0], at);
        if (partners[at] != HSD_NO_PARTNER || wholes[0][at] == 0 || count_of(0, wholes[0][at], &here) != 1 ||
            count_of(1, wholes[0][at], &there) != 1 || !is_free(1, there))
            continue;
        partners[at] = there;
        pairs++;
    }
    return pairs;
}

static hsd_seeds_config config_of(uint64_t memory)
{
    return (hsd_seeds_config){.memory_bytes = memory + 2 * HSD_SEEDS_LEAST_BYTES, .space = &space};
}

static void check_run(uint64_t seed, uint64_t kinds, uint64_t percent, uint64_t memory, bool at_once)
{
    test_random random = {seed};
    static hsd_node partners[MOST];
    const hsd_seeds_config config = config_of(memory);
    uint64_t pairs;
    for (int i = 0; i < 2; i++)
        open_side(i, &random, 1 + (hsd_node)test_below(&random, MOST), kinds, memory);
    pair_some(&random, percent);
    const uint64_t wanted = naive_partners(partners);
    cr_assert_eq(hsd_seeds_wholes(&sides[0], &sides[1], at_once, &config, &pairs, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(pairs, wanted);
    for (hsd_node at = 0; at < sides[0].count; at++) {
        const hsd_node there = hsd_sequence_partner(&sides[0], at);
        cr_assert_eq(there, partners[at], "%" HSD_PRI_NODE, at);
        if (there != HSD_NO_PARTNER) cr_assert_eq(hsd_sequence_partner(&sides[1], there), at);
    }
    check_shared();
    /* some had moved: their wholes are asked for as well, and no more is paired */
    for (hsd_node at = 0; at < sides[0].count; at++) {
        const hsd_node there = hsd_sequence_partner(&sides[0], at);
        if (there != HSD_NO_PARTNER && test_below(&random, 4) == 0)
            hsd_sequence_unpair(&sides[0], at, &sides[1], there);
        partners[at] = hsd_sequence_partner(&sides[0], at);
    }
    cr_assert_eq(hsd_seeds_share_again(&sides[0], &sides[1], at_once, &config, &err), HSD_OK, "%s", err.text);
    for (hsd_node at = 0; at < sides[0].count; at++)
        cr_assert_eq(hsd_sequence_partner(&sides[0], at), partners[at]);
    check_shared();
    teardown();
}

Test(seeds_wholes, agree_with_their_definition_whoever_has_a_partner)
{
    static const uint64_t percents[] = {0, 30, 60, 95, 100}, kinds[] = {1, 40, 1000, 1000000};
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (size_t p = 0; p < 5; p++)
            for (size_t k = 0; k < 4; k++)
                check_run(seed, kinds[k], percents[p], seed & 1 ? KIT_PLENTY : KIT_LEAST, seed & 2);
}

Test(seeds_wholes, are_not_asked_for_where_one_side_has_none)
{
    test_random random = {7};
    const hsd_seeds_config config = config_of(0);
    uint64_t pairs = 1;
    open_side(0, &random, 10, 10, 0);
    kit_sequence(&sides[1], 10, 1, 0, &space);
    cr_assert_eq(hsd_seeds_wholes(&sides[0], &sides[1], false, &config, &pairs, &err), HSD_OK);
    cr_assert_eq(pairs, 0);
}

/* Few stay in memory, many go to a file, and come back as they went, again and again. */
Test(seeds_wholes, come_back_in_their_order)
{
    enum { IN_MEMORY = HSD_WHOLES_BUFFER_BYTES / (sizeof(uint64_t) + sizeof(hsd_node)) };
    static const hsd_node counts[] = {0, 1, IN_MEMORY, IN_MEMORY + 1, 20000};
    for (size_t i = 0; i < 5; i++) {
        hsd_wholes w;
        cr_assert_eq(hsd_wholes_open(&w, &space, NULL), HSD_OK);
        for (hsd_node k = 0; k < counts[i]; k++)
            cr_assert_eq(hsd_wholes_put(&w, spread(k), k * 3, NULL), HSD_OK);
        cr_assert_eq(hsd_wholes_finish(&w, NULL), HSD_OK);
        cr_assert_eq(w.count, counts[i]);
        cr_assert_eq(space.bytes_now > 0, counts[i] > IN_MEMORY);
        for (int turn = 0; turn < 2; turn++) {
            kit_list list = {.all = malloc((counts[i] * 2 + 1) * sizeof(uint64_t))};
            cr_assert_eq(hsd_wholes_each(&w, kit_take_whole, &list, NULL), HSD_OK);
            cr_assert_eq(list.count, counts[i]);
            for (hsd_node k = 0; k < counts[i]; k++)
                cr_assert(list.all[2 * k] == spread(k) && list.all[2 * k + 1] == k * 3);
            free(list.all);
        }
        hsd_wholes_close(&w);
    }
}

/*
 * Seeds against their definition over small sets, in resident arrays and in the fewest pages: who is unique on both
 * sides, who has a partner already, and how many must have stayed where they were.
 */
#include "match/seeds/seeds.h"
#include "sequence_kit.h"

static hsd_temp_space space;

static void setup(void) { hsd_temp_space_init(&space, NULL); }

TestSuite(seeds, .init = setup);

/* Beyond 16 pages of partners and rungs: then pairs go through sorters. Most positions stay empty. */
#define MANY         300000u
#define MOST_RECORDS 4000u

typedef struct half { /* one side */
    hsd_sequence sequence;
    hsd_sorter *sorter;
    hsd_node count;
    uint64_t hash[MOST_RECORDS];
    hsd_node position[MOST_RECORDS];
} half;

typedef struct both {
    half a, b;
    hsd_node positions;
} both;

static const hsd_seeds_config config = {.memory_bytes = HSD_SEEDS_LEAST_BYTES, .space = &space};

static both *both_new(hsd_node positions, uint64_t memory)
{
    both *t = calloc(1, sizeof *t);
    t->positions = positions;
    kit_sequence(&t->a.sequence, positions, 1, memory, &space);
    kit_sequence(&t->b.sequence, positions, 1, memory, &space);
    return t;
}

static void both_free(both *t)
{
    hsd_sorter_free(t->a.sorter);
    hsd_sorter_free(t->b.sorter);
    hsd_sequence_release(&t->a.sequence);
    hsd_sequence_release(&t->b.sequence);
    free(t);
}

static void add(half *h, uint64_t hash, hsd_node position)
{
    if (h->sorter == NULL) h->sorter = kit_sorter(&space);
    kit_put(h->sorter, hash, position);
    h->hash[h->count] = hash;
    h->position[h->count++] = position;
}

static void finish(half *h)
{
    if (h->sorter == NULL) h->sorter = kit_sorter(&space);
    cr_assert_eq(hsd_sorter_finish(h->sorter, 0, NULL), HSD_OK);
}

/* ---- unique ones ---- */

static bool is_there(const half *h, uint64_t hash)
{
    for (hsd_node i = 0; i < h->count; i++) {
        if (h->hash[i] == hash) return true;
    }
    return false;
}

/* The only object with that hash, or HSD_NO_POSITION. */
static hsd_node only_one(const half *h, uint64_t hash)
{
    hsd_node found = HSD_NO_POSITION;
    for (hsd_node i = 0; i < h->count; i++) {
        if (h->hash[i] != hash || h->position[i] == found) continue;
        if (found != HSD_NO_POSITION) return HSD_NO_POSITION;
        found = h->position[i];
    }
    return found;
}

/* Each position once, spread over all pages; hashes of which some are there several times and some on one side. */
static void fill(half *h, test_random *random, hsd_node count, uint32_t hashes, hsd_node positions)
{
    const hsd_node step = positions / count, shift = (hsd_node)test_below(random, step);
    hsd_node *order = calloc(count, sizeof *order);
    for (hsd_node i = 0; i < count; i++)
        order[i] = i;
    kit_shuffle(random, order, count);
    for (hsd_node i = 0; i < count; i++)
        add(h, test_below(random, hashes) * UINT64_C(0x9e3779b97f4a7c15), order[i] * step + shift);
    finish(h);
    free(order);
}

/* Some of both sides have partners already. */
static void pair_some(both *t, test_random *random)
{
    for (hsd_node i = 0; i < t->a.count; i++) {
        const hsd_node at_a = t->a.position[i], at_b = t->b.position[test_below(random, t->b.count)];
        if (test_below(random, 8) != 0 || hsd_sequence_partner(&t->b.sequence, at_b) != HSD_NO_PARTNER) continue;
        hsd_sequence_pair(&t->a.sequence, at_a, &t->b.sequence, at_b, HSD_RUNG_KEY);
    }
}

/* What must be the partner of each record's object on side `of`, given what `partners` were before. */
static hsd_node wanted_partner(const half *of, const half *other, const hsd_node *partners,
                               const hsd_node *other_partners, hsd_node record)
{
    const hsd_node at = of->position[record];
    const hsd_node there = only_one(other, of->hash[record]);
    if (partners[at] != HSD_NO_PARTNER) return partners[at];
    if (only_one(of, of->hash[record]) != at || there == HSD_NO_POSITION) return HSD_NO_PARTNER;
    return other_partners[there] == HSD_NO_PARTNER ? there : HSD_NO_PARTNER;
}

static hsd_node *partners_of(half *h)
{
    hsd_node *all = calloc(h->sequence.count, sizeof *all);
    for (hsd_node i = 0; i < h->sequence.count; i++)
        all[i] = hsd_sequence_partner(&h->sequence, i);
    return all;
}

static uint64_t check_half(half *of, const half *other, const hsd_node *before, const hsd_node *other_before)
{
    uint64_t made = 0;
    for (hsd_node i = 0; i < of->count; i++) {
        const hsd_node at = of->position[i];
        const hsd_node wanted = wanted_partner(of, other, before, other_before, i);
        cr_assert_eq(hsd_sequence_partner(&of->sequence, at), wanted, "position %" HSD_PRI_NODE, at);
        if (wanted == before[at]) continue;
        cr_assert_eq(hsd_sequence_rung(&of->sequence, at), HSD_RUNG_STRUCTURE);
        made++;
    }
    return made;
}

static void check_shared(const half *of, const half *other, bool is_marked)
{
    hsd_node bits = 0, wanted = 0;
    for (hsd_node i = 0; i < of->count; i++) {
        const hsd_node at = of->position[i];
        const bool is_shared = of->sequence.is_shared[at >> 3] >> (at & 7) & 1;
        cr_assert_eq(is_shared, is_marked && is_there(other, of->hash[i]));
        wanted += is_shared;
    }
    for (hsd_node i = 0; i <= of->sequence.count / 8; i++)
        bits += (hsd_node)__builtin_popcount(of->sequence.is_shared[i]);
    cr_assert_eq(bits, wanted, "no others are marked");
}

static void check_unique(test_random *random, hsd_node count, uint32_t hashes, hsd_node positions, uint64_t memory)
{
    both *t = both_new(positions, memory);
    const bool is_marked = test_below(random, 2) == 0;
    uint64_t pairs;
    hsd_error err;
    fill(&t->a, random, count, hashes, positions);
    fill(&t->b, random, count - count / 7, hashes, positions);
    pair_some(t, random);
    hsd_node *before_a = partners_of(&t->a), *before_b = partners_of(&t->b);
    cr_assert_eq(hsd_seeds_unique(&t->a.sequence, &t->b.sequence, t->a.sorter, t->b.sorter, HSD_RUNG_STRUCTURE,
                                  is_marked, &config, &pairs, &err),
                 HSD_OK, "%s", err.text);
    cr_assert_eq(check_half(&t->a, &t->b, before_a, before_b), pairs);
    cr_assert_eq(check_half(&t->b, &t->a, before_b, before_a), pairs);
    check_shared(&t->a, &t->b, is_marked);
    check_shared(&t->b, &t->a, is_marked);
    free(before_a);
    free(before_b);
    both_free(t);
    cr_assert_eq(space.bytes_now, 0);
}

Test(seeds, pair_what_is_unique_on_both_sides)
{
    test_random random = {test_seed(1)};
    for (int round = 0; round < 100; round++) {
        const hsd_node count = 1 + (hsd_node)test_below(&random, 300);
        check_unique(&random, count, 1 + (uint32_t)test_below(&random, 2 * count), count * 3, KIT_PLENTY);
    }
}

Test(seeds, pair_the_same_in_few_pages)
{
    test_random random = {test_seed(2)};
    for (int round = 0; round < 4; round++)
        check_unique(&random, 2000, 1500, MANY, KIT_LEAST);
}

Test(seeds, do_not_need_streams)
{
    both *t = both_new(10, KIT_PLENTY);
    uint64_t pairs = 7;
    finish(&t->a);
    cr_assert_eq(hsd_seeds_unique(&t->a.sequence, &t->b.sequence, t->a.sorter, NULL, HSD_RUNG_KEY, false, &config,
                                  &pairs, NULL),
                 HSD_OK);
    cr_assert_eq(pairs, 0);
    pairs = 7;
    finish(&t->b);
    cr_assert_eq(hsd_seeds_unique(&t->a.sequence, &t->b.sequence, t->a.sorter, t->b.sorter, HSD_RUNG_KEY, true, &config,
                                  &pairs, NULL),
                 HSD_OK);
    cr_assert_eq(pairs, 0);
    both_free(t);
}

Test(seeds, take_one_object_twice_for_one)
{
    both *t = both_new(10, KIT_PLENTY);
    uint64_t pairs;
    add(&t->a, 5, 3), add(&t->a, 5, 3), add(&t->b, 5, 8);
    add(&t->a, 6, 1), add(&t->a, 6, 2), add(&t->b, 6, 1);
    finish(&t->a), finish(&t->b);
    cr_assert_eq(hsd_seeds_unique(&t->a.sequence, &t->b.sequence, t->a.sorter, t->b.sorter, HSD_RUNG_NAME, false,
                                  &config, &pairs, NULL),
                 HSD_OK);
    cr_assert_eq(pairs, 1);
    cr_assert_eq(hsd_sequence_partner(&t->a.sequence, 3), 8);
    both_free(t);
}

/* ---- places ---- */

static void set_type(half *h, hsd_node position, uint32_t type)
{
    const hsd_element e = {.type = type};
    hsd_sequence_write(&h->sequence, position, &e);
}

static void give_places(half *h)
{
    finish(h);
    h->sequence.places = h->sorter;
    h->sorter = NULL;
}

/* Of the objects of one root those of a type that only one of them has. */
static void check_places(hsd_node positions, uint64_t memory)
{
    both *t = both_new(positions, memory);
    const hsd_node far = positions - 10;
    uint64_t pairs;
    hsd_error err;
    const uint32_t types_a[] = {1, 2, 2, 3, 4}, types_b[] = {1, 2, 3, 3, 5};
    for (hsd_node i = 0; i < 5; i++) {
        set_type(&t->a, far + i, types_a[i]), add(&t->a, 77, far + i);
        set_type(&t->b, 2 * i, types_b[i]), add(&t->b, 77, 2 * i);
    }
    set_type(&t->a, 0, 2), add(&t->a, 78, 0); /* by another root the only one of its type */
    set_type(&t->b, 9, 2), add(&t->b, 78, 9), add(&t->b, 78, 9);
    give_places(&t->a), give_places(&t->b);
    cr_assert_eq(hsd_seeds_places(&t->a.sequence, &t->b.sequence, &config, &pairs, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(pairs, 2);
    cr_assert_eq(hsd_sequence_partner(&t->a.sequence, far), 0);
    cr_assert_eq(hsd_sequence_rung(&t->b.sequence, 0), HSD_RUNG_PLACE);
    cr_assert_eq(hsd_sequence_partner(&t->a.sequence, 0), 9);
    for (hsd_node i = 1; i < 5; i++)
        cr_assert_eq(hsd_sequence_partner(&t->a.sequence, far + i), HSD_NO_PARTNER);
    both_free(t);
}

Test(seeds, pair_places_by_root_and_type)
{
    check_places(100, KIT_PLENTY);
    check_places(MANY, KIT_LEAST);
}

Test(seeds, pair_an_object_of_many_roots_once)
{
    both *t = both_new(100, KIT_PLENTY);
    uint64_t pairs;
    for (hsd_node root = 0; root < 50; root++)
        add(&t->a, root, 10), add(&t->b, root, 20);
    give_places(&t->a), give_places(&t->b);
    cr_assert_eq(hsd_seeds_places(&t->a.sequence, &t->b.sequence, &config, &pairs, NULL), HSD_OK);
    cr_assert_eq(pairs, 1);
    cr_assert_eq(hsd_sequence_partner(&t->b.sequence, 20), 10);
    both_free(t);
}

/* Objects 1 and 2 of a are tied up with 1 and 2 of b by three roots; nothing follows for any of them. */
static void check_disagreement(bool is_turned, hsd_node positions, uint64_t memory)
{
    both *t = both_new(positions, memory);
    const hsd_node tied[][2] = {{1, 1}, {1, 2}, {2, 2}};
    uint64_t pairs;
    for (hsd_node root = 0; root < 3; root++) {
        add(&t->a, root + 9, tied[root][is_turned]);
        add(&t->b, root + 9, tied[root][!is_turned]);
    }
    add(&t->a, 50, 3), add(&t->b, 50, 3);
    give_places(&t->a), give_places(&t->b);
    cr_assert_eq(hsd_seeds_places(&t->a.sequence, &t->b.sequence, &config, &pairs, NULL), HSD_OK);
    cr_assert_eq(pairs, 1);
    for (hsd_node i = 1; i < 4; i++) {
        cr_assert_eq(hsd_sequence_partner(&t->a.sequence, i), i == 3 ? 3 : HSD_NO_PARTNER);
        cr_assert_eq(hsd_sequence_partner(&t->b.sequence, i), i == 3 ? 3 : HSD_NO_PARTNER);
    }
    both_free(t);
}

Test(seeds, leave_objects_for_which_roots_disagree)
{
    for (int i = 0; i < 2; i++) {
        check_disagreement(i == 1, 10, KIT_PLENTY);
        check_disagreement(i == 1, MANY, KIT_LEAST);
    }
}

/* ---- addresses ---- */

static void place(half *h, hsd_node position, uint64_t address, uint32_t look)
{
    const hsd_element e = {.structure = look, .referrer = look / 2, .type = look % 3};
    hsd_sequence_write(&h->sequence, position, &e);
    hsd_paged_set_u64(&h->sequence.addresses, position, address);
}

static uint64_t pair_addresses(both *t)
{
    uint64_t pairs;
    hsd_error err;
    cr_assert_eq(hsd_seeds_addresses(&t->a.sequence, &t->b.sequence, true, &config, &pairs, &err), HSD_OK, "%s",
                 err.text);
    return pairs;
}

/* Addresses of a are multiples of 16, of b those and others in between; `stayed` of a are alike. */
static both *neighbours(hsd_node positions, hsd_node stayed, uint64_t memory)
{
    both *t = both_new(positions, memory);
    for (hsd_node i = 0; i < positions; i++) {
        place(&t->a, i, 16 * (uint64_t)i, (uint32_t)i + 10);
        place(&t->b, i, 8 * (uint64_t)i, (uint32_t)(i % 2 == 0 && i / 2 < stayed ? i / 2 + 10 : i + positions));
    }
    return t;
}

static void check_addresses(hsd_node positions, hsd_node stayed, uint64_t memory)
{
    both *t = neighbours(positions, stayed, memory);
    const bool is_enough = stayed > 0 && (uint64_t)stayed * 100 >= (uint64_t)positions * HSD_ADDRESS_SHARE;
    cr_assert_eq(pair_addresses(t), is_enough ? stayed : 0, "%" HSD_PRI_NODE " of %" HSD_PRI_NODE, stayed, positions);
    for (hsd_node i = 0; i < positions; i++) {
        const hsd_node partner = hsd_sequence_partner(&t->a.sequence, i);
        cr_assert_eq(partner, is_enough && i < stayed ? 2 * i : HSD_NO_PARTNER);
        if (partner != HSD_NO_PARTNER) cr_assert_eq(hsd_sequence_partner(&t->b.sequence, partner), i);
    }
    both_free(t);
}

Test(seeds, pair_addresses_from_a_share_on)
{
    for (hsd_node stayed = 0; stayed <= 100; stayed += 5)
        check_addresses(200, stayed, KIT_PLENTY);
    check_addresses(200, 19, KIT_PLENTY);
    check_addresses(1, 0, KIT_PLENTY);
    check_addresses(0, 0, KIT_PLENTY);
}

Test(seeds, pair_addresses_in_few_pages)
{
    check_addresses(MANY, MANY / 10 - 1, KIT_LEAST);
    check_addresses(MANY, MANY / 4, KIT_LEAST);
}

/* Those that have one address in the middle are on one side of it, and no two threads take one for the only one. */
Test(seeds, pair_addresses_in_two_halves)
{
    const hsd_node count = MANY / 2, middle = count / 2;
    for (hsd_node front = 0; front < 3; front++) {
        both *t = neighbours(MANY, count, KIT_PLENTY);
        t->a.sequence.count = count;
        for (hsd_node i = middle - front; i < middle - front + 3; i++)
            place(&t->a, i, 16 * (uint64_t)(middle - front), (uint32_t)i + 10);
        cr_assert_eq(pair_addresses(t), count - 3);
        for (hsd_node i = 0; i < count; i++) {
            const bool is_repeated = i >= middle - front && i < middle - front + 3;
            cr_assert_eq(hsd_sequence_partner(&t->a.sequence, i), is_repeated ? HSD_NO_PARTNER : 2 * i);
        }
        both_free(t);
    }
    check_addresses(MANY, MANY / 4, KIT_PLENTY);
    check_addresses(MANY, MANY / 20, KIT_PLENTY);
}

Test(seeds, measure_the_share_against_the_smaller_side)
{
    both *t = neighbours(200, 15, KIT_PLENTY);
    t->a.sequence.count = 150;
    cr_assert_eq(pair_addresses(t), 15);
    both_free(t);
}

Test(seeds, pair_no_address_that_is_there_twice)
{
    both *t = neighbours(200, 100, KIT_PLENTY);
    place(&t->a, 7, 16 * 6, 7 + 10);     /* 6 and 7 of a */
    place(&t->b, 2 * 20 + 1, 8 * 40, 1); /* 40 and 41 of b */
    hsd_sequence_pair(&t->a.sequence, 30, &t->b.sequence, 199, HSD_RUNG_KEY);
    hsd_sequence_pair(&t->a.sequence, 199, &t->b.sequence, 2 * 31, HSD_RUNG_KEY);
    cr_assert_eq(pair_addresses(t), 95);
    const hsd_node not [] = {6, 7, 20, 31};
    for (int i = 0; i < 4; i++)
        cr_assert_eq(hsd_sequence_partner(&t->a.sequence, not [i]), HSD_NO_PARTNER);
    cr_assert_eq(hsd_sequence_partner(&t->a.sequence, 30), 199);
    both_free(t);
}

Test(seeds, do_not_pair_other_types_at_one_address)
{
    both *t = neighbours(20, 10, KIT_PLENTY);
    hsd_element e;
    hsd_sequence_read(&t->b.sequence, 4, 1, &e);
    e.type++;
    hsd_sequence_write(&t->b.sequence, 4, &e);
    cr_assert_eq(pair_addresses(t), 9);
    cr_assert_eq(hsd_sequence_partner(&t->a.sequence, 2), HSD_NO_PARTNER);
    both_free(t);
}

/* ---- positions that do not fit 32 bits ---- */

#if HSD_NODE_BITS == 64

#define FAR (UINT64_C(1) << 32)

/* A number and what its lower half is are two positions. */
Test(seeds, pair_positions_past_32_bits)
{
    both *t = both_new(FAR + 100000, KIT_LEAST);
    uint64_t pairs;
    for (hsd_node i = 0; i < 3; i++) {
        add(&t->a, 10 + i, FAR + 40000 * i), add(&t->b, 10 + i, FAR + 7 * i);
        add(&t->a, 20 + i, i), add(&t->a, 20 + i, FAR + i), add(&t->b, 20 + i, i);
    }
    finish(&t->a), finish(&t->b);
    cr_assert_eq(hsd_seeds_unique(&t->a.sequence, &t->b.sequence, t->a.sorter, t->b.sorter, HSD_RUNG_STRUCTURE, true,
                                  &config, &pairs, NULL),
                 HSD_OK);
    cr_assert_eq(pairs, 3);
    for (hsd_node i = 0; i < 3; i++) {
        cr_assert_eq(hsd_sequence_partner(&t->a.sequence, FAR + 40000 * i), FAR + 7 * i);
        cr_assert_eq(hsd_sequence_partner(&t->b.sequence, FAR + 7 * i), FAR + 40000 * i);
        cr_assert_eq(hsd_sequence_partner(&t->a.sequence, i), HSD_NO_PARTNER);
        cr_assert_eq(t->a.sequence.is_shared[(FAR + i) / 8] >> i & 1, 1);
    }
    both_free(t);
}

Test(seeds, pair_places_past_32_bits) { check_places(FAR + 100000, KIT_LEAST); }

#endif

/*
 * The rungs of recognising by structure, one at a time: small heaps made by hand in which one rung alone can tell what
 * is which, and what follows from the ladder's order.
 */
#include "structure_kit.h"

static grove before, after;

static told all;

static void finish(void)
{
    told_free(&all);
    grove_free(&before);
    grove_free(&after);
    teardown();
}

TestSuite(rungs, .init = setup, .fini = finish);

/* ---- telling ---- */

static hsd_diff *tell_with(const char *key)
{
    grove_form form = {.identity = HSC_IDENTITY_MOVING, .has_values = key != NULL};
    const hsd_run run = {.memory_bytes = UINT64_C(32) << 20};
    cr_assert(grove_write(&before, &form, before_path));
    form.moment = 1;
    cr_assert(grove_write(&after, &form, after_path));
    told_free(&all);
    const hsd_diff_options options = {.keys = &key, .key_count = key != NULL};
    hsd_diff *diff = compare_files(before_path, after_path, options, &run, &all);
    told_sort_by_before(&all);
    return diff;
}

static hsd_diff *tell(void) { return tell_with(NULL); }

static const grove_object *object(const grove *g, uint32_t who)
{
    for (size_t i = 0; i < g->object_count; i++) {
        if (g->objects[i].who == who) return &g->objects[i];
    }
    cr_assert_fail("nobody is %u", who);
    return NULL;
}

static const told_pair *pair_of(uint32_t who) { return told_of_before(&all, object(&before, who)->address); }

/* The object is the same one after, by that rung. */
static void expect(uint32_t who, hsd_match_rung rung)
{
    const told_pair *pair = pair_of(who);
    cr_assert_not_null(pair, "%u has no partner", who);
    cr_assert_eq(pair->after, object(&after, who)->address, "%u is another one", who);
    cr_assert_eq(pair->rung, rung, "%u is recognised by rung %d, not %d", who, pair->rung, rung);
}

static void expect_none(uint32_t who) { cr_assert_null(pair_of(who), "%u has a partner", who); }

static void place(grove *g, uint32_t who, uint64_t address)
{
    for (size_t i = 0; i < g->object_count; i++) {
        if (g->objects[i].who == who) g->objects[i].address = address;
    }
}

/* ---- heaps ---- */

/* Object 1 is a map that refers to all others by hand; what it is follows from nothing, and it is in front of them all.
 */
static void begin(grove *g, uint32_t first, uint32_t last)
{
    grove_add(g, 1, GROVE_MAP, 48)->content = 11;
    for (uint32_t who = first; who <= last; who++)
        grove_refer(g, who, GROVE_ITEM);
    grove_root_at(g, 1, 0);
}

static void add_users(grove *g, uint32_t first, uint32_t last)
{
    for (uint32_t who = first; who <= last; who++)
        grove_add(g, who, GROVE_USER, 40)->value = who;
}

/* An object that is recognised by its content, wherever it is. */
static void add_stake(grove *g, uint32_t who) { grove_add(g, who, GROVE_STRING, 24)->content = 1000 + who; }

static void reverse(grove *g, uint32_t first, uint32_t last)
{
    for (uint32_t who = first; who <= last; who++)
        place(g, who, (uint64_t)(first + last - who) * 64);
}

Test(rungs, key)
{
    begin(&before, 2, 7);
    add_users(&before, 2, 7);
    begin(&after, 2, 7);
    add_users(&after, 2, 7);
    reverse(&after, 2, 7);
    hsd_diff_free(tell());
    cr_assert_neq(pair_of(2)->after, object(&after, 2)->address); /* without a key their order tells, wrongly */
    hsd_diff *diff = tell_with("shop.User:id");
    for (uint32_t who = 2; who <= 7; who++)
        expect(who, HSD_MATCH_KEY);
    cr_assert_eq(diff->match.ambiguous, 0);
    hsd_diff_free(diff);
}

/* Who stays where he was and looks the same, and is told by the only name there is, is another one if his key says so.
 */
Test(rungs, key_before_all_others)
{
    begin(&before, 2, 5);
    add_users(&before, 2, 5);
    begin(&after, 2, 5);
    add_users(&after, 2, 5);
    for (size_t i = 0; i < 2;
         i++) { /* 2 and 3 change places in memory; 4 goes and 5 comes between recognised neighbours */
        const uint32_t who = 2 + (uint32_t)i;
        place(&after, who, object(&before, 5 - who)->address);
    }
    for (size_t i = 0; i < after.object_count; i++) {
        if (after.objects[i].who == 4) after.objects[i].value = 40;
        if (after.objects[i].who <= 3) after.objects[i].name = 7;
    }
    for (size_t i = 0; i < before.object_count; i++) {
        if (before.objects[i].who <= 3) before.objects[i].name = 7;
    }
    hsd_diff *diff = tell_with("shop.User:id");
    expect(2, HSD_MATCH_KEY);
    expect(3, HSD_MATCH_KEY);
    expect_none(4);
    expect(5, HSD_MATCH_KEY);
    cr_assert_eq(diff->total.new_.objects, 1);
    cr_assert_eq(diff->total.freed.objects, 1);
    hsd_diff_free(diff);
}

/* A place does not make one user of two either, nor do recognised neighbours. */
Test(rungs, another_key_is_another_object)
{
    for (int i = 0; i < 2; i++) {
        grove *g = i == 0 ? &before : &after;
        grove_add(g, 1, GROVE_CLASS, 120)->name = 3;
        grove_refer(g, 2, GROVE_STATIC);
        grove_root_at(g, 1, 0);
        grove_add(g, 2, GROVE_USER, 40)->value = 20 + (uint32_t)i;
        grove_refer(g, 3, GROVE_FIELD);
        add_stake(g, 3);
    }
    for (uint32_t who = 1; who <= 3; who++)
        place(&after, who, 10000 + 64 * (uint64_t)who);
    hsd_diff_free(tell());
    expect(2, HSD_MATCH_STRUCTURE);
    hsd_diff *diff = tell_with("shop.User:id");
    expect_none(2);
    expect(1, HSD_MATCH_NAME);
    hsd_diff_free(diff);
}

static void give_hashes(grove *g, uint32_t first, uint32_t last)
{
    for (size_t i = 0; i < g->object_count; i++)
        if (g->objects[i].who >= first && g->objects[i].who <= last) g->objects[i].hash = 1000 + g->objects[i].who;
}

/* The runtime keeps a hash for each, wherever it goes; what belongs to one of them alone goes with it, though all look
 * alike and each lies where another one lay, since the first of them went. */
Test(rungs, identity_hash)
{
    for (int i = 0; i < 2; i++) {
        grove *g = i == 0 ? &before : &after;
        const uint32_t first = 2 + (uint32_t)i;
        begin(g, first, 7);
        for (uint32_t who = first; who <= 7; who++) {
            grove_add(g, who, GROVE_NODE, 32);
            grove_refer(g, 10 + who, GROVE_FIELD);
        }
        for (uint32_t who = 10 + first; who <= 17; who++)
            grove_add(g, who, GROVE_POINT, 24);
        give_hashes(g, 2, 7);
    }
    for (uint32_t who = 3; who <= 17; who++)
        if (who <= 7 || who >= 13) place(&after, who, object(&before, who - 1)->address);
    hsd_diff *diff = tell();
    for (uint32_t who = 3; who <= 7; who++) {
        expect(who, HSD_MATCH_EXACT);
        cr_assert_not_null(pair_of(10 + who));
        cr_assert_eq(pair_of(10 + who)->after, object(&after, 10 + who)->address, "%u is another one", 10 + who);
    }
    expect_none(2);
    expect_none(12);
    cr_assert_eq(diff->match.exact, 5);
    cr_assert_eq(diff->match.rungs[HSD_MATCH_SAME_ADDRESS].objects, 0);
    hsd_diff_free(diff);
}

/* One that has another hash is another one, by whatever it looks alike and wherever it is; one that stands twice says
 * nothing, and a type of its own has hashes of its own. */
Test(rungs, another_hash_is_another_object)
{
    for (int i = 0; i < 2; i++) {
        grove *g = i == 0 ? &before : &after;
        begin(g, 2, 6);
        for (uint32_t who = 2; who <= 5; who++)
            grove_add(g, who, GROVE_NODE, 32);
        grove_add(g, 6, GROVE_POINT, 24);
        give_hashes(g, 2, 6);
        for (size_t k = 0; k < g->object_count; k++) {
            grove_object *o = &g->objects[k];
            if (o->who == 3 && i == 1) o->hash = 77;
            if (o->who == 5) o->hash = 1004; /* as 4 */
            if (o->who == 6) o->hash = 1002; /* as 2 */
        }
    }
    hsd_diff *diff = tell();
    expect(2, HSD_MATCH_EXACT);
    expect(6, HSD_MATCH_EXACT);
    expect_none(3);
    cr_assert(pair_of(4) == NULL || pair_of(4)->rung != HSD_MATCH_EXACT);
    cr_assert_eq(diff->match.exact, 2);
    cr_assert_eq(diff->total.new_.objects, 1);
    cr_assert_eq(diff->total.freed.objects, 1);
    hsd_diff_free(diff);
}

Test(rungs, name)
{
    for (int i = 0; i < 2; i++) {
        grove *g = i == 0 ? &before : &after;
        for (uint32_t who = 1; who <= 6; who++) {
            /* 5 and 6 have one name */
            grove_add(g, who, GROVE_THREAD, 400 + 8 * (uint64_t)i)->name = who <= 4 ? who : 5;
            grove_refer(g, 8 + (who + (uint32_t)i) % 3, GROVE_FIELD);
            grove_root_at(g, who, 0);
        }
        for (uint32_t who = 8; who <= 10; who++)
            add_stake(g, who);
    }
    reverse(&after, 1, 6);
    hsd_diff *diff = tell();
    for (uint32_t who = 1; who <= 4; who++)
        expect(who, HSD_MATCH_NAME);
    cr_assert(pair_of(5) == NULL || pair_of(5)->rung != HSD_MATCH_NAME);
    cr_assert_eq(diff->total.resized_objects, diff->total.kept.objects - 3); /* the stakes stay as they are */
    hsd_diff_free(diff);
}

/* One thread ends and another begins between the same neighbours: names differ, so they are two. */
Test(rungs, another_name_is_another_object)
{
    for (int i = 0; i < 2; i++) {
        grove *g = i == 0 ? &before : &after;
        for (uint32_t who = 1; who <= 3; who++) {
            grove_add(g, who, GROVE_THREAD, 400)->name = who == 2 && i == 1 ? 9 : who;
            grove_refer(g, 4, GROVE_FIELD);
            grove_root_at(g, who, 0);
        }
        add_stake(g, 4);
    }
    hsd_diff *diff = tell();
    expect(1, HSD_MATCH_NAME);
    expect_none(2);
    expect(3, HSD_MATCH_NAME);
    cr_assert_eq(diff->total.new_.objects, 1);
    hsd_diff_free(diff);
}

/* The map of a static field is another one in content, size and neighbours, and lies elsewhere. */
Test(rungs, place)
{
    for (int i = 0; i < 2; i++) {
        grove *g = i == 0 ? &before : &after;
        grove_add(g, 10, GROVE_CLASS, 120)->name = 1;
        grove_refer(g, 11, GROVE_STATIC);
        grove_root_at(g, 10, 0);
        grove_add(g, 11, GROVE_MAP, 48 + 16 * (uint64_t)i)->content = 5 + (uint64_t)i * 7;
        grove_refer(g, 12, GROVE_FIELD);
        grove_add(g, 12, GROVE_STRING, 24)->content = 100 + (uint64_t)i;
        for (uint32_t who = 30; who <= 33; who++)
            add_stake(g, who);
    }
    place(&after, 11, 64 * 1000);
    hsd_diff *diff = tell();
    expect(10, HSD_MATCH_NAME);
    expect(11, HSD_MATCH_PLACE);
    cr_assert_eq(diff->total.resized_objects, 1);
    hsd_diff_free(diff);
}

/* Twins that stayed are who they were; when all but a few have moved, an old address says nothing. */
Test(rungs, same_address)
{
    for (int i = 0; i < 2; i++) {
        grove *g = i == 0 ? &before : &after;
        begin(g, 2, 101);
        add_users(g, 2, 101);
    }
    hsd_diff *diff = tell();
    for (uint32_t who = 1; who <= 101; who++)
        expect(who, HSD_MATCH_SAME_ADDRESS);
    hsd_diff_free(diff);
    for (uint32_t who = 6; who <= 101; who++)
        place(&after, who, 1000000 + 64 * (uint64_t)who);
    diff = tell();
    cr_assert_eq(diff->match.rungs[HSD_MATCH_SAME_ADDRESS].objects, 0);
    hsd_diff_free(diff);
}

Test(rungs, structure)
{
    for (int i = 0; i < 2; i++) {
        grove *g = i == 0 ? &before : &after;
        begin(g, 2, 21);
        for (uint32_t who = 2; who <= 21; who++) {
            grove_add(g, who, GROVE_NODE, 32); /* alike, but for what they refer to */
            grove_refer(g, 100 + who, GROVE_FIELD);
        }
        for (uint32_t who = 102; who <= 121; who++)
            add_stake(g, who);
    }
    test_random random = {5};
    grove_move(&after, &before, MOVED_SHUFFLED, &random);
    hsd_diff_free(tell());
    for (uint32_t who = 2; who <= 21; who++)
        expect(who, HSD_MATCH_STRUCTURE);
    for (uint32_t who = 102; who <= 121; who++)
        expect(who, HSD_MATCH_STRUCTURE);
}

/* stake, twins, stake, twins … : nothing but the order tells which twin is which. */
static void add_fence(grove *g, uint32_t stakes, uint32_t twins)
{
    begin(g, 2, 1 + stakes * (twins + 1));
    for (uint32_t s = 0; s < stakes; s++) {
        add_stake(g, 2 + s * (twins + 1));
        for (uint32_t t = 1; t <= twins; t++)
            grove_add(g, 2 + s * (twins + 1) + t, GROVE_POINT, 24);
    }
}

Test(rungs, order)
{
    test_random random = {5};
    add_fence(&before, 10, 4);
    add_fence(&after, 10, 4);
    grove_move(&after, &before, MOVED_COMPACTED, &random);
    hsd_diff *diff = tell();
    for (uint32_t who = 2; who <= 51; who++)
        expect(who, (who - 2) % 5 == 0 ? HSD_MATCH_STRUCTURE : HSD_MATCH_ORDER);
    cr_assert_eq(diff->match.ambiguous, 0);
    hsd_diff_free(diff);
}

/* A node behind each stake was written to: it refers to another point, and has another size. */
Test(rungs, changed)
{
    for (int i = 0; i < 2; i++) {
        grove *g = i == 0 ? &before : &after;
        begin(g, 2, 31);
        for (uint32_t who = 2; who <= 31; who += 3) {
            add_stake(g, who);
            grove_add(g, who + 1, GROVE_NODE, 32 + (who % 2 == 0 ? 0 : 8 * (uint64_t)i));
            grove_refer(g, i == 0 ? who + 2 : who, GROVE_FIELD);
            grove_add(g, who + 2, GROVE_POINT, 24);
        }
    }
    test_random random = {5};
    grove_move(&after, &before, MOVED_COMPACTED, &random);
    hsd_diff *diff = tell();
    for (uint32_t who = 2; who <= 31; who += 3) {
        expect(who, HSD_MATCH_STRUCTURE);
        expect(who + 1, HSD_MATCH_CHANGED);
    }
    cr_assert_geq(diff->match.weak.objects, 10);
    cr_assert_eq(diff->total.resized_bytes, 40);
    cr_assert_eq(diff->total.new_.objects + diff->total.freed.objects, 0);
    hsd_diff_free(diff);
}

/* One of each four twins went: three pairs, of which nobody knows which. */
Test(rungs, twins)
{
    test_random random = {5};
    add_fence(&before, 10, 4);
    begin(&after, 2, 51);
    for (uint32_t who = 2; who <= 51; who++) {
        if ((who - 2) % 5 == 0)
            add_stake(&after, who);
        else if ((who - 2) % 5 != 3)
            grove_add(&after, who, GROVE_POINT, 24);
    }
    grove_move(&after, &before, MOVED_COMPACTED, &random);
    hsd_diff *diff = tell();
    cr_assert_eq(diff->match.rungs[HSD_MATCH_TWINS].objects, 30);
    /* not what refers to them all: it is known by what refers to it */
    cr_assert_eq(diff->match.weak.objects, 30);
    cr_assert_eq(diff->match.ambiguous, 30);
    cr_assert_eq(diff->total.freed.objects, 10);
    cr_assert_eq(diff->total.undecided.objects, 0, "ten went, and nothing came");
    cr_assert_eq(diff->total.new_.objects, 0);
    hsd_diff_free(diff);
}

/* Twins between two stakes that changed sides: no neighbour says which is which, so none is paired. */
Test(rungs, undecidable)
{
    for (int i = 0; i < 2; i++) {
        grove *g = i == 0 ? &before : &after;
        begin(g, 2, 5);
        add_stake(g, 2);
        grove_add(g, 3, GROVE_POINT, 24);
        grove_add(g, 4, GROVE_POINT, 24);
        add_stake(g, 5);
    }
    static const uint64_t places[] = {5000, 4000, 2000, 3000, 1000}; /* stake 5, twin, twin, stake 2, map */
    for (uint32_t who = 1; who <= 5; who++)
        place(&after, who, places[who - 1]);
    hsd_diff *diff = tell();
    expect(2, HSD_MATCH_STRUCTURE);
    expect(5, HSD_MATCH_STRUCTURE);
    expect_none(3);
    expect_none(4);
    cr_assert_eq(diff->match.ambiguous, 4);
    cr_assert_eq(diff->total.new_.objects, 2);
    cr_assert_eq(diff->total.freed.objects, 2);
    cr_assert_eq(diff->total.undecided.objects, 2);
    cr_assert_eq(diff->total.undecided.bytes, 48);
    /* it cancels */
    for (size_t i = 0; i < diff->holder_count; i++)
        cr_assert_eq(diff->holders[i].growth_bytes, 0);
    hsd_diff_free(diff);
}

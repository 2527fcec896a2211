/*
 * Places over captures: who holds, what counts for whom, and how paths read.
 */
#include "profile_kit.h"
#include "series/holders.h"
#include <hscapture/hscapture.h>

static hsd_error err;

typedef struct joined {
    hsd_temp_space space;
    hsd_place_join places;
    hsd_named_table roots;
    hsd_series *series;
} joined;

static joined *join(kit_profile **kits, size_t count, size_t warmup, uint64_t nodes_bytes)
{
    joined *j = calloc(1, sizeof *j);
    hsd_temp_space_init(&j->space, "/tmp");
    j->series = kit_series(count);
    cr_assert_eq(hsd_place_join_open(&j->places, nodes_bytes, &j->space, &err), HSD_OK);
    cr_assert_eq(hsd_named_table_open(&j->roots, 1 << 20, &j->space, &err), HSD_OK);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(hsd_place_join_add(&j->places, &kits[i]->profile, i >= warmup, &err), HSD_OK);
    cr_assert_eq(hsd_place_join_finish(&j->places, &j->roots, j->series, &j->series->holders, 1 << 20, &err), HSD_OK);
    kit_check_sums(j->series, &j->series->holders, kits);
    return j;
}

static void leave(joined *j, kit_profile **kits, size_t count)
{
    hsd_place_join_close(&j->places);
    hsd_named_table_close(&j->roots);
    cr_assert_eq(j->space.bytes_now, 0);
    kit_free_series(j->series);
    free(j);
    for (size_t i = 0; i < count; i++)
        free(kits[i]);
}

/* A cache whose map grows, and an object that several reach. */
static kit_profile *cache_of(uint64_t items)
{
    kit_profile *kit = kit_new();
    const uint32_t root = kit_add_place(kit, 0, "", "cache", KIT_ROOT, 0, 0);
    const uint32_t map = kit_add_place(kit, root, ".map", "HashMap", KIT_HOLDS, 1, 48);
    const uint32_t table = kit_add_place(kit, map, ".table", "Node[]", KIT_FOLD, 1, 16 + 8 * items);
    const uint32_t nodes = kit_add_place(kit, table, "[*]", "Node", 0, items, 32 * items);
    kit_add_place(kit, nodes, ".value", "Session", KIT_HOLDS, items, 100 * items);
    kit_add_place(kit, 0, "", "Shared", KIT_HOLDS, 3, 30);
    return kit;
}

Test(holders, everything_counts_for_the_nearest_one_above)
{
    kit_profile *kits[3] = {cache_of(10), cache_of(20), cache_of(30)};
    joined *j = join(kits, 3, 0, 1 << 20);
    const hsd_series_table *holders = &j->series->holders;
    cr_assert_eq(holders->row_count, 2);
    const hsd_series_row *map = kit_row(holders, "cache", "HashMap");
    cr_assert_str_eq(kit_values(j->series, map), "22/1464 42/2864 62/4264");
    cr_assert_str_eq(kit_path(map), "cache .map HashMap");
    const hsd_series_row *rest = kit_row(holders, "(roots)", "");
    cr_assert_str_eq(kit_values(j->series, rest), "3/30 3/30 3/30");
    cr_assert_eq(rest->path_count, 0);
    cr_assert_eq(map, &holders->rows[0]);
    cr_assert_eq(map->trend.verdict, HSD_VERDICT_EACH_STEP);
    leave(j, kits, 3);
}

Test(holders, a_container_inside_a_container_reads_without_its_insides)
{
    kit_profile *kits[2];
    for (int i = 0; i < 2; i++) {
        kits[i] = kit_new();
        const uint32_t root = kit_add_place(kits[i], 0, "", "registry", KIT_ROOT, 0, 0);
        const uint32_t table = kit_add_place(kits[i], root, ".table", "Node[]", KIT_FOLD, 1, 80);
        const uint32_t node = kit_add_place(kits[i], table, "[*]", "Node", 0, 1, 32);
        const uint32_t list = kit_add_place(kits[i], node, ".value", "List", KIT_HOLDS, 1, 24);
        const uint32_t next = kit_add_place(kits[i], list, ".next", "Cell", KIT_HOLDS, 1, 16);
        kit_add_place(kits[i], next, ".next", "Cell", KIT_HOLDS, 1, 16 + (uint64_t)i);
        const uint32_t context = kit_add_place(kits[i], root, "<elements>", "(array)", KIT_FOLD, 1, 8);
        kit_add_place(kits[i], context, "<x>", "Thing", KIT_HOLDS, 1, 8);
    }
    joined *j = join(kits, 2, 0, 1 << 20);
    const hsd_series_table *holders = &j->series->holders;
    cr_assert_str_eq(kit_path(kit_row(holders, "registry", "List")), "registry [*].value List");
    cr_assert_str_eq(kit_path(&holders->rows[0]), "registry [*].value List .next Cell x2"); /* it grew */
    cr_assert_str_eq(kit_path(kit_row(holders, "registry", "Thing")), "registry <x> Thing");
    cr_assert_eq(holders->row_count, 5);
    leave(j, kits, 2);
}

/* The root has an object that is code, with arrays of the program's types below it. */
static kit_profile *notes_of(uint64_t notes, uint32_t flags)
{
    kit_profile *kit = kit_new();
    kit_add_type(kit, "Notes", 0, 0);
    kit->types[0].flags = flags;
    const uint32_t root = kit_add_place(kit, 0, "", "handle", KIT_ROOT, 0, 0);
    const uint32_t table = kit_add_place(kit, root, "", "Notes", 0, 1, 24);
    const uint32_t array = kit_add_place(kit, table, "", "Object[]", KIT_HOLDS, 1, 100);
    kit_add_place(kit, array, "[*]", "SByte[]", KIT_HOLDS, notes, 10 * notes);
    kit_add_place(kit, root, "", "Queue", KIT_HOLDS, 1, 50);
    return kit;
}

Test(holders, what_hangs_from_what_is_code_as_a_whole_is_code)
{
    const uint32_t code = HSC_TYPE_CODE | HSC_TYPE_INTERNAL;
    kit_profile *kits[2] = {notes_of(5, code | HSC_TYPE_WHOLE), notes_of(9, code | HSC_TYPE_WHOLE)};
    joined *j = join(kits, 2, 0, 1 << 20);
    const hsd_series_table *holders = &j->series->holders;
    const hsd_series_row *notes = kit_row(holders, HSD_RUNTIME_NOTES, "");
    cr_assert_str_eq(kit_values(j->series, notes), "6/150 10/190");
    cr_assert(notes->is_code && kit_row(holders, "(program code)", "")->is_code);
    cr_assert_str_eq(kit_values(j->series, kit_row(holders, "(program code)", "")), "1/24 1/24");
    cr_assert_str_eq(kit_values(j->series, kit_row(holders, "handle", "Queue")), "1/50 1/50");
    leave(j, kits, 2);
    kits[0] = notes_of(5, code);
    kits[1] = notes_of(9, code);
    j = join(kits, 2, 0, 1 << 20);
    cr_assert_str_eq(kit_values(j->series, kit_row(&j->series->holders, "handle", "Object[]")), "6/150 10/190");
    leave(j, kits, 2);
}

Test(holders, one_object_must_be_there_in_each_capture)
{
    kit_profile *kits[3];
    for (uint64_t i = 0; i < 3; i++) {
        kits[i] = kit_new();
        const uint32_t root = kit_add_place(kits[i], 0, "", "r", KIT_ROOT, 0, 0);
        const uint32_t twice = kit_add_place(kits[i], root, ".twice", "A", KIT_HOLDS, i == 1 ? 2 : 1, 10);
        kit_add_place(kits[i], twice, ".below", "B", KIT_HOLDS, 1, 100);
        if (i != 1) kit_add_place(kits[i], root, ".gone", "C", KIT_HOLDS, 1, 1000);
        if (i > 0)
            kit_add_place(kits[i], kit_add_place(kits[i], root, ".late", "D", KIT_HOLDS, 1, 10000), ".x", "E",
                          KIT_HOLDS, 1, 100000);
    }
    joined *j = join(kits, 3, 0, 1 << 20);
    const hsd_series_table *holders = &j->series->holders;
    cr_assert_eq(holders->row_count, 2);
    cr_assert_str_eq(kit_values(j->series, kit_row(holders, "r", "B")), "1/100 1/100 1/100");
    cr_assert_str_eq(kit_values(j->series, kit_row(holders, "r", "")), "2/1010 4/110010 4/111010");
    leave(j, kits, 3);
}

Test(holders, a_root_that_owns_little_at_first_is_known_by_the_table_of_roots)
{
    kit_profile *kits[3];
    for (uint64_t i = 0; i < 3; i++) {
        kits[i] = kit_new();
        kit_add_place(kits[i], 0, "", "Other", KIT_HOLDS, 2, 1000);
        kits[i]->profile.has_places = true;
        kits[i]->profile.roots[0] = (hsd_top_root){.name = {"audit", 5}, .live = {1, 56}};
        kits[i]->profile.roots[1] = (hsd_top_root){.name = {"(shared)", 8}, .is_shared = true, .live = {2, 1000}};
        kits[i]->profile.root_count = 2;
        if (i == 0) continue; /* 56 bytes are none of the largest places */
        const uint32_t root = kit_add_place(kits[i], 0, "", "audit", KIT_ROOT, 0, 0);
        kit_add_place(kits[i], kit_add_place(kits[i], root, "", "list", KIT_HOLDS, 1, 56), "[*]", "Row", 0, i, 100 * i);
    }
    joined *j = join(kits, 3, 0, 1 << 20);
    cr_assert_str_eq(kit_values(j->series, kit_row(&j->series->holders, "audit", "")), "0/0 2/156 3/256");
    cr_assert_str_eq(kit_values(j->series, kit_row(&j->series->holders, "(roots)", "")), "2/1000 2/1000 2/1000");
    leave(j, kits, 3);
}

Test(holders, two_rows_of_one_path_are_one_place)
{
    kit_profile *kits[2];
    for (int i = 0; i < 2; i++) {
        kits[i] = kit_new();
        const uint32_t root = kit_add_place(kits[i], 0, "", "r", KIT_ROOT, 0, 0);
        kit_add_place(kits[i], root, "[*]", "A", KIT_HOLDS, 1, 10);
        kit_add_place(kits[i], root, "[*]", "A", KIT_HOLDS, 1, 20);
    }
    joined *j = join(kits, 2, 0, 1 << 20);
    cr_assert_eq(j->series->holders.row_count, 1);
    cr_assert_str_eq(kit_values(j->series, kit_row(&j->series->holders, "r", "")), "2/30 2/30");
    leave(j, kits, 2);
}

Test(holders, the_warm_up_does_not_decide)
{
    kit_profile *kits[4] = {kit_new(), cache_of(2), cache_of(3), cache_of(4)};
    const uint32_t root = kit_add_place(kits[0], 0, "", "start", KIT_ROOT, 0, 0);
    kit_add_place(kits[0], root, ".x", "Starter", KIT_HOLDS, 1, 7);
    joined *j = join(kits, 4, 1, 1 << 20);
    const hsd_series_table *holders = &j->series->holders;
    cr_assert_str_eq(kit_values(j->series, kit_row(holders, "cache", "HashMap")), "0/0 6/344 8/484 10/624");
    cr_assert_str_eq(kit_values(j->series, kit_row(holders, "(roots)", "")), "1/7 3/30 3/30 3/30");
    leave(j, kits, 4);
}

Test(holders, a_root_that_goes_holds_nothing)
{
    kit_profile *kits[2] = {cache_of(5), kit_new()};
    const uint32_t root = kit_add_place(kits[1], 0, "", "other", KIT_ROOT, 0, 0);
    kit_add_place(kits[1], root, ".map", "HashMap", KIT_HOLDS, 1, 48);
    joined *j = join(kits, 2, 0, 1 << 20);
    cr_assert_eq(j->series->holders.row_count, 1);
    cr_assert_str_eq(kit_values(j->series, kit_row(&j->series->holders, "(roots)", "")), "15/794 1/48");
    leave(j, kits, 2);
}

Test(holders, places_past_the_memory_count_for_those_above)
{
    kit_profile *kits[2] = {cache_of(5), cache_of(6)};
    joined *j = join(kits, 2, 0, 2 * HSD_PLACE_NODE_BYTES + 20);
    const hsd_series_table *holders = &j->series->holders;
    cr_assert_eq(holders->row_count, 2);
    cr_assert_str_eq(kit_values(j->series, kit_row(holders, "cache", "HashMap")), "12/764 14/904");
    leave(j, kits, 2);
}

/*
 * The join of rows by name: values over captures that know different names, what is folded when memory is short, order.
 */
#include "profile_kit.h"
#include "series/table.h"

static hsd_error err;

typedef struct joined {
    hsd_temp_space space;
    hsd_named_table table;
    hsd_series *series;
} joined;

static joined *join(kit_profile **kits, size_t count, uint64_t names_bytes, uint64_t values_bytes)
{
    joined *j = calloc(1, sizeof *j);
    hsd_temp_space_init(&j->space, "/tmp");
    j->series = kit_series(count);
    cr_assert_eq(hsd_named_table_open(&j->table, names_bytes, &j->space, &err), HSD_OK);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(hsd_named_table_add_types(&j->table, &kits[i]->profile, &err), HSD_OK);
    cr_assert_eq(hsd_named_table_finish(&j->table, j->series, &j->series->types, values_bytes, &err), HSD_OK);
    kit_check_sums(j->series, &j->series->types, kits);
    return j;
}

static void leave(joined *j, kit_profile **kits, size_t count)
{
    hsd_named_table_close(&j->table);
    cr_assert_eq(j->space.bytes_now, 0);
    kit_free_series(j->series);
    free(j);
    for (size_t i = 0; i < count; i++)
        free(kits[i]);
}

Test(table, joins_names_that_come_and_go)
{
    kit_profile *kits[3] = {kit_new(), kit_new(), kit_new()};
    kit_add_type(kits[0], "A", 1, 10);
    kit_add_type(kits[0], "B", 2, 20);
    kit_add_type(kits[1], "C", 3, 300);
    kit_add_type(kits[1], "A", 2, 20);
    kit_add_type(kits[2], "B", 2, 20);
    kit_add_type(kits[2], "A", 4, 40);
    kit_add_type(kits[2], "unreached alone", 0, 0);
    joined *j = join(kits, 3, 1 << 20, 1 << 20);
    const hsd_series_table *types = &j->series->types;
    cr_assert_eq(types->row_count, 3);
    cr_assert_str_eq(kit_values(j->series, kit_row(types, NULL, "A")), "1/10 2/20 4/40");
    cr_assert_str_eq(kit_values(j->series, kit_row(types, NULL, "B")), "2/20 0/0 2/20");
    cr_assert_str_eq(kit_values(j->series, kit_row(types, NULL, "C")), "0/0 3/300 0/0");
    cr_assert_str_eq(types->rows[0].name.data, "A"); /* grew most; then by name */
    cr_assert_str_eq(types->rows[1].name.data, "B");
    cr_assert_eq(types->rows[0].flags, 4); /* of the last capture that has it */
    cr_assert_eq(types->rows[0].trend.verdict, HSD_VERDICT_EACH_STEP);
    cr_assert_eq(types->other_count, 0);
    leave(j, kits, 3);
}

Test(table, objects_without_bytes_are_rows)
{
    kit_profile *kits[2] = {kit_new(), kit_new()};
    kit_add_type(kits[0], "empty", 5, 0);
    joined *j = join(kits, 2, 1 << 20, 1 << 20);
    cr_assert_str_eq(kit_values(j->series, kit_row(&j->series->types, NULL, "empty")), "5/0 0/0");
    leave(j, kits, 2);
}

Test(table, folds_what_never_had_many_bytes)
{
    kit_profile *kits[3] = {kit_new(), kit_new(), kit_new()};
    char name[16];
    for (uint64_t i = 0; i < 200; i++) { /* type 199 is small until the last capture */
        snprintf(name, sizeof name, "T%lu", (unsigned long)i);
        for (uint64_t k = 0; k < 3; k++)
            kit_add_type(kits[k], name, 1, i == 199 ? (k == 2 ? 5000 : 1) : 1000 + i + k);
    }
    joined *j = join(kits, 3, 1 << 20, 1);
    const hsd_series_table *types = &j->series->types;
    cr_assert(types->row_count == 64 && types->other_count == 136);
    cr_assert_str_eq(types->rows[0].name.data, "T199");
    cr_assert_str_eq(kit_values(j->series, &types->rows[0]), "1/1 1/1 1/5000");
    for (uint64_t i = 0; i < 199; i++) {
        snprintf(name, sizeof name, "T%lu", (unsigned long)i);
        cr_assert_eq(kit_row(types, NULL, name) != NULL, i >= 136, "%s", name);
    }
    cr_assert_eq(types->others.values[0].objects, 136);
    leave(j, kits, 3);
}

Test(table, names_past_the_memory_are_not_told_apart)
{
    kit_profile *kits[2] = {kit_new(), kit_new()};
    char name[16];
    for (uint64_t i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "T%lu", (unsigned long)i);
        kit_add_type(kits[0], name, 1, 100 - i);
        kit_add_type(kits[1], name, 1, 200 - i);
    }
    joined *j = join(kits, 2, 5 * (HSD_NAMED_ROW_BYTES + 2 * 2), 1 << 20);
    const hsd_series_table *types = &j->series->types;
    cr_assert(types->row_count == 5 && types->other_count == 15);
    cr_assert_str_eq(kit_values(j->series, kit_row(types, NULL, "T4")), "1/96 1/196");
    cr_assert_eq(types->others.values[1].objects, 15);
    leave(j, kits, 2);
}

Test(table, groups_are_ordered_by_their_medians)
{
    kit_profile *kits[6];
    for (uint64_t i = 0; i < 6; i++) {
        kits[i] = kit_new();
        kit_add_type(kits[i], "wild", 1, i == 5 ? 100000 : 100);
        kit_add_type(kits[i], "grown", 1, i < 3 ? 100 + i : 500 + i);
        kit_add_type(kits[i], "shrunk", 1, i < 3 ? 900 : 100);
    }
    joined *j = calloc(1, sizeof *j);
    hsd_temp_space_init(&j->space, "/tmp");
    j->series = kit_series(6);
    j->series->before_count = 3;
    cr_assert_eq(hsd_named_table_open(&j->table, 1 << 20, &j->space, &err), HSD_OK);
    for (size_t i = 0; i < 6; i++)
        cr_assert_eq(hsd_named_table_add_types(&j->table, &kits[i]->profile, &err), HSD_OK);
    cr_assert_eq(hsd_named_table_finish(&j->table, j->series, &j->series->types, 1 << 20, &err), HSD_OK);
    const hsd_series_row *rows = j->series->types.rows;
    cr_assert_str_eq(rows[0].name.data, "grown");
    cr_assert(rows[0].contrast.median_before == 101 && rows[0].contrast.median_after == 504);
    cr_assert_str_eq(rows[1].name.data, "wild");
    cr_assert_eq(rows[1].contrast.median_after, 100);
    cr_assert_str_eq(rows[2].name.data, "shrunk");
    leave(j, kits, 6);
}

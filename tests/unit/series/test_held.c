/*
 * Who holds what grows in a series, by the diff of two of its captures: which rows hear of whom, and when it is asked
 * at all.
 */
#include "profile_kit.h"

#include <hsdiff/series.h>

#define KIB   INT64_C(1024)
#define ROWS  8u
#define PATHS 8u

static hsd_error err;

/* A series of four captures, the first of them the warm-up, and the diff of the second and the last. */
typedef struct asked {
    hsd_series *series;
    hsd_diff *pair;
    hsd_series_row rows[ROWS];
    hsd_amount values[ROWS + 1][4];
    hsd_holder holders[ROWS];
    hsd_co_holder by[2];
    hsd_step steps[2 * ROWS][PATHS];
    size_t path_count;
} asked;

static void begin(asked *a)
{
    memset(a, 0, sizeof *a);
    a->series = kit_series(4);
    a->series->warmup = 1;
    a->series->noise_bytes = 4096;
    a->series->holders = (hsd_series_table){.is_known = true, .rows = a->rows};
    a->pair = calloc(1, sizeof *a->pair);
    a->pair->has_holders = true;
    a->pair->holders = a->holders;
    for (size_t i = 0; i < 4; i++) {
        hsd_side *side = &a->series->points[i].side;
        side->info.is_complete = side->has_roots = side->has_references = true;
    }
}

static void end(asked *a) { hsd_series_free(a->series); }

/* ".a Map .b Node": edges and types by turns; a step without a name is "-". */
static const hsd_step *path_of(asked *a, const char *text, size_t *count)
{
    static char words[2 * ROWS][PATHS * 16];
    char *rest = words[a->path_count], *save = NULL;
    hsd_step *steps = a->steps[a->path_count++];
    snprintf(rest, sizeof words[0], "%s", text);
    *count = 0;
    for (char *edge = strtok_r(rest, " ", &save); edge != NULL; edge = strtok_r(NULL, " ", &save))
        steps[(*count)++] = (hsd_step){.edge = kit_text(strcmp(edge, "-") == 0 ? "" : edge),
                                       .type = kit_text(strtok_r(NULL, " ", &save)),
                                       .repeat = 1};
    return steps;
}

static void add_growth(asked *a, hsd_series_row *row, hsd_amount *values, int64_t growth)
{
    for (size_t i = 0; i < 4; i++)
        values[i].bytes = (uint64_t)(100 * KIB + growth * (int64_t)i / 3);
    values[3].bytes = values[1].bytes + (uint64_t)growth;
    row->values = values;
    row->trend = (hsd_trend){.growth = growth, .verdict = growth > 0 ? HSD_VERDICT_EACH_STEP : HSD_VERDICT_STEADY};
    (void)a;
}

static hsd_series_row *add_row(asked *a, const char *root, const char *path, int64_t growth)
{
    const size_t i = a->series->holders.row_count++;
    hsd_series_row *row = &a->rows[i];
    row->root = kit_text(root);
    row->path = path_of(a, path, &row->path_count);
    add_growth(a, row, a->values[i], growth);
    return row;
}

static hsd_holder *add_holder(asked *a, const char *root, const char *path, int64_t growth)
{
    hsd_holder *holder = &a->holders[a->pair->holder_count++];
    holder->root = kit_text(root);
    holder->path = path_of(a, path, &holder->path_count);
    holder->type = holder->path_count > 0 ? holder->path[holder->path_count - 1].type : kit_text("");
    holder->growth_bytes = growth;
    return holder;
}

/* What two variables hold together. */
static hsd_holder *add_together(asked *a, const char *one, const char *other, int64_t growth)
{
    hsd_holder *holder = add_holder(a, "(roots)", "", growth);
    a->by[0] = (hsd_co_holder){.root = kit_text(one)};
    a->by[1] = (hsd_co_holder){.root = kit_text(other)};
    for (size_t i = 0; i < 2; i++)
        a->by[i].path = path_of(a, "- Map", &a->by[i].path_count);
    holder->by = a->by;
    holder->by_count = 2;
    return holder;
}

static void take(asked *a) { cr_assert_eq(hsd_series_take_pair(a->series, a->pair, 1, 3, &err), HSD_OK); }

Test(held, what_two_hold_together_is_what_the_roots_hold)
{
    asked a;
    begin(&a);
    hsd_series_row *nobody = add_row(&a, "(roots)", "", 800 * KIB), *own = add_row(&a, "byId", "- Map", 200 * KIB);
    const hsd_holder *both = add_together(&a, "byId", "byName", 790 * KIB);
    add_holder(&a, "byId", "- Map", 200 * KIB);
    take(&a);
    cr_assert_eq(nobody->held_count, 1);
    cr_assert_eq(nobody->held[0], both);
    cr_assert_eq(own->held_count, 0, "its place says it");
    end(&a);
}

Test(held, a_path_that_begins_nowhere_goes_on_in_that_of_a_static)
{
    asked a;
    begin(&a);
    hsd_series_row *orders = add_row(&a, "(roots)", "- Shop .orders Map", 500 * KIB),
                   *cells = add_row(&a, "(roots)", "- Sheet .cells double[][]", 300 * KIB);
    const hsd_holder *map = add_holder(&a, "static Shop.open", "- Shop .orders Map", 500 * KIB);
    const hsd_holder *sheet = add_holder(&a, "static Grid.sheet", "- Sheet", 300 * KIB);
    take(&a);
    cr_assert_eq(orders->held_count, 1);
    cr_assert_eq(orders->held[0], map);
    cr_assert_eq(cells->held_count, 1, "the object above it");
    cr_assert_eq(cells->held[0], sheet);
    end(&a);
}

Test(held, another_field_of_the_same_type_is_not_it)
{
    asked a;
    begin(&a);
    hsd_series_row *orders = add_row(&a, "(roots)", "- Shop .orders Map", 500 * KIB);
    add_holder(&a, "static Shop.open", "- Shop .clients Map", 2000 * KIB);
    const hsd_holder *map = add_holder(&a, "static Shop.open", "- Shop .orders Map", 500 * KIB);
    take(&a);
    cr_assert_eq(orders->held_count, 1);
    cr_assert_eq(orders->held[0], map);
    end(&a);
}

Test(held, several_share_what_no_one_holds_alone)
{
    asked a;
    begin(&a);
    hsd_series_row *nobody = add_row(&a, "(roots)", "", 1000 * KIB);
    for (size_t i = 0; i < 5; i++)
        add_holder(&a, "app.root", "- Node", 300 * KIB - (int64_t)i);
    take(&a);
    cr_assert_eq(nobody->held_count, 3, "four fifths, and three at most");
    cr_assert_eq(nobody->held[0], &a.holders[0]);
    end(&a);
}

Test(held, what_is_much_larger_belongs_to_another_row)
{
    asked a;
    begin(&a);
    hsd_series_row *nobody = add_row(&a, "(roots)", "", 20 * KIB), *noise = add_row(&a, "(roots)", "- Timer", 2 * KIB);
    add_holder(&a, "app.queue", "- Queue", 900 * KIB);
    take(&a);
    cr_assert_eq(nobody->held_count, 0);
    cr_assert_eq(noise->held_count, 0);
    end(&a);
}

Test(held, rows_that_begin_nowhere_may_be_one_holders_and_are_one_row)
{
    asked a;
    begin(&a);
    add_row(&a, "(roots)", "", 960 * KIB);
    add_row(&a, "app.queue", "- Queue", 700 * KIB);
    add_row(&a, "(roots)", "- Context - Promise", 400 * KIB);
    add_row(&a, "app.log", "- Array", 50 * KIB);
    const hsd_holder *promise = add_holder(&a, "server.js.shutdown", "- Promise", 1340 * KIB);
    take(&a);
    cr_assert_eq(a.series->holders.row_count, 3);
    cr_assert_eq(a.rows[0].held_count, 1);
    cr_assert_eq(a.rows[0].held[0], promise);
    cr_assert_eq(a.rows[0].values[1].bytes, a.values[0][1].bytes + a.values[2][1].bytes);
    cr_assert_eq(a.rows[0].trend.growth, 1360 * KIB);
    cr_assert_eq(a.rows[0].trend.verdict, HSD_VERDICT_EACH_STEP);
    cr_assert_eq(a.rows[1].trend.growth, 700 * KIB);
    cr_assert_eq(a.rows[2].trend.growth, 50 * KIB);
    end(&a);
}

Test(held, what_a_holders_own_row_leaves_may_be_a_row_that_begins_nowhere)
{
    asked a;
    begin(&a);
    add_row(&a, "(roots)", "", 2100 * KIB);
    add_row(&a, "byId", "- Map", 150 * KIB);
    const hsd_holder *both = add_together(&a, "byId", "byName", 2280 * KIB);
    take(&a);
    cr_assert_eq(a.series->holders.row_count, 1);
    cr_assert_eq(a.rows[0].held_count, 1);
    cr_assert_eq(a.rows[0].held[0], both);
    cr_assert_eq(a.rows[0].root.size, strlen("byId"), "the one that has a place");
    cr_assert_eq(a.rows[0].trend.growth, 2250 * KIB);
    end(&a);
}

Test(held, a_place_says_who_holds_most)
{
    asked a;
    begin(&a);
    add_row(&a, "app.plugins", "- list", 150 * KIB);
    add_row(&a, "(roots)", "", 1300 * KIB);
    add_holder(&a, "app.plugins", "- list", 1450 * KIB);
    take(&a);
    cr_assert_eq(a.series->holders.row_count, 1, "what nobody holds alone is what it has left");
    cr_assert_eq(a.rows[0].held_count, 0, "its place says it");
    cr_assert_eq(a.rows[0].trend.growth, 1450 * KIB);
    cr_assert(a.series->is_pair_said);
    end(&a);
}

Test(held, a_place_that_others_share_says_so)
{
    asked a;
    begin(&a);
    hsd_series_row *one = add_row(&a, "byId", "- Map", 700 * KIB);
    const hsd_holder *both = add_together(&a, "byId", "byName", 700 * KIB);
    take(&a);
    cr_assert_eq(one->held_count, 1);
    cr_assert_eq(one->held[0], both);
    end(&a);
}

Test(held, it_is_asked_where_no_place_says_it)
{
    asked a;
    begin(&a);
    add_growth(&a, &a.series->total, a.values[ROWS], 600 * KIB);
    add_row(&a, "app.queue", "- Queue", 500 * KIB);
    cr_assert_not(hsd_series_wants_pair(a.series), "it has a place");
    hsd_series_row *nobody = add_row(&a, "(roots)", "", 2 * KIB);
    cr_assert_not(hsd_series_wants_pair(a.series), "that is noise");
    add_growth(&a, nobody, a.values[1], 100 * KIB);
    cr_assert(hsd_series_wants_pair(a.series));
    nobody->trend.verdict = HSD_VERDICT_LEVELLED;
    cr_assert_not(hsd_series_wants_pair(a.series));
    a.rows[0].trend.verdict = HSD_VERDICT_NO_TREND;
    cr_assert(hsd_series_wants_pair(a.series), "the heap grows, and nothing in it does");
    hsd_diff_free(a.pair);
    end(&a);
}

Test(held, the_pair_has_objects_behind_the_warm_up)
{
    asked a;
    size_t from = 9, to = 9;
    begin(&a);
    cr_assert(hsd_series_find_pair(a.series, &from, &to));
    cr_assert_eq(from, 1);
    cr_assert_eq(to, 3);
    a.series->points[1].is_baseline = true;
    cr_assert(hsd_series_find_pair(a.series, &from, &to));
    cr_assert_eq(from, 2);
    a.series->points[3].side.info.is_complete = false;
    cr_assert_not(hsd_series_find_pair(a.series, &from, &to), "one is no pair");
    hsd_diff_free(a.pair);
    end(&a);
}

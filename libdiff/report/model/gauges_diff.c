/*
 * A diff as gauges: bytes and objects of both captures, in total, by type and by root, and what is lost. Of each those
 * of the largest growth; how many are left out, and what these sum up to, are gauges too, so that the whole can be had
 * from the parts.
 */
#include "report/model/gauges.h"
#include "report/model/lost_rows.h"
#include "report/model/rank.h"

#define ROWS_MOST (HSD_GAUGES_MOST / 2) /* two samples each */

/* One of the two sides of a row: before, then after. */
typedef struct sided_row {
    hsd_amount amount;
    const hsd_rank_row *rank;
    const hsd_lost_row *lost;
} sided_row;

typedef struct sums { /* before, after */
    hsd_amount sides[2];
} sums;

typedef struct diff_gauges {
    hsd_model model;
    hsd_ranking rankings[HSD_TABLE_ROOTS + 1];
    sums live, unreached, others[HSD_TABLE_LOST + 1];
    uint64_t other_counts[HSD_TABLE_LOST + 1];
    sided_row current;
} diff_gauges;

/* ---- columns ---- */

static const hsd_diff *diff_of(const hsd_scope *scope) { return scope->result; }
static bool knows_new(const hsd_scope *scope) { return hsd_new_is_known(diff_of(scope)); }
static bool knows_freed(const hsd_scope *scope) { return hsd_freed_is_known(diff_of(scope)); }
static hsd_value side_of(const hsd_scope *scope) { return hsd_value_string(scope->index % 2 > 0 ? "after" : "before"); }
static const sided_row *row_of(const hsd_scope *scope) { return scope->row; }
static hsd_value name_of(const hsd_scope *scope) { return hsd_value_text(row_of(scope)->rank->name); }
static hsd_value type_of(const hsd_scope *scope) { return hsd_value_text(row_of(scope)->lost->type); }
static hsd_value place_of(const hsd_scope *scope) { return hsd_value_text(row_of(scope)->lost->place); }
static hsd_value cycle_of(const hsd_scope *scope) { return hsd_value_text(row_of(scope)->lost->cycle); }

#define SIDE                                                                                                           \
    {                                                                                                                  \
        "side", HSD_KIND_STRING, .get = side_of                                                                        \
    }
#define AMOUNT(about_bytes, about_objects)                                                                             \
    {"bytes", HSD_KIND_BYTES, HSD_AT(hsd_amount, bytes), .title = (about_bytes)},                                      \
    {                                                                                                                  \
        "objects", HSD_KIND_COUNT, HSD_AT(hsd_amount, objects), .unit = "objects", .title = (about_objects)            \
    }

static const hsd_column live_columns[] = {
    SIDE, AMOUNT("Live heap of each capture", "Live objects of each capture"), {0}};
static const hsd_column unreached_columns[] = {
    SIDE,
    AMOUNT("What no root reaches: lost where nothing but the program frees, else garbage that was not collected yet",
           "Objects that no root reaches"),
    {0}};

/* Only where single objects are recognised. */
static const hsd_column flow_columns[] = {
    {"new_bytes", HSD_KIND_BYTES, HSD_AT(hsd_change, new_.bytes), .has = knows_new,
     .title = "Live after and not live before"},
    {"freed_bytes", HSD_KIND_BYTES, HSD_AT(hsd_change, freed.bytes), .has = knows_freed,
     .title = "Live before and not live after"},
    {0},
};

static const hsd_column type_columns[] = {
    SIDE, {"type", HSD_KIND_TEXT, .get = name_of}, AMOUNT("Live bytes by type", "Live objects by type"), {0}};
static const hsd_column root_columns[] = {
    SIDE,
    {"root", HSD_KIND_TEXT, .get = name_of},
    AMOUNT("Live bytes by the root that owns them", "Live objects by the root that owns them"),
    {0}};
static const hsd_column lost_columns[] = {
    SIDE,
    {"type", HSD_KIND_TEXT, .get = type_of},
    {"site", HSD_KIND_TEXT, .get = place_of},
    {"cycle", HSD_KIND_TEXT, .get = cycle_of},
    AMOUNT("Bytes that no pointer leads to, by the type of what heads them and who allocated that",
           "Objects that no pointer leads to, likewise"),
    {0}};

/* What rows without gauges of their own add up to, and how many they are. */
#define REST(what) what " without gauges of their own"
#define COUNT(what)                                                                                                    \
    {                                                                                                                  \
        NULL, HSD_KIND_COUNT, .at = 0, .title = REST(what) " here"                                                     \
    }

static const hsd_column other_type_columns[] = {
    SIDE, AMOUNT(REST("Live bytes of all types"), REST("Live objects of all types")), {0}};
static const hsd_column other_root_columns[] = {
    SIDE, AMOUNT(REST("Live bytes of all roots"), REST("Live objects of all roots")), {0}};
static const hsd_column other_lost_columns[] = {
    SIDE, AMOUNT(REST("Lost bytes of all rows"), REST("Lost objects of all rows")), {0}};
static const hsd_column type_count_column[] = {COUNT("Types"), {0}};
static const hsd_column root_count_column[] = {COUNT("Roots"), {0}};
static const hsd_column lost_count_column[] = {COUNT("Rows of what is lost"), {0}};

/* ---- rows ---- */

static diff_gauges *gauges_of(const hsd_sheet *sheet) { return sheet->state; }

static const void *ranked_at(const hsd_sheet *sheet, size_t i)
{
    const hsd_rank_row *row = (const hsd_rank_row *)sheet->rows.first + i / 2;
    sided_row *current = &gauges_of(sheet)->current;
    *current = (sided_row){.amount = i % 2 > 0 ? row->change->after : row->change->before, .rank = row};
    return current;
}

static const void *lost_at(const hsd_sheet *sheet, size_t i)
{
    const hsd_lost_row *row = (const hsd_lost_row *)sheet->rows.first + i / 2;
    sided_row *current = &gauges_of(sheet)->current;
    *current = (sided_row){.amount = i % 2 > 0 ? row->after : row->before, .lost = row};
    return current;
}

static void add_rows(diff_gauges *g, const char *names, const hsd_column *columns, const void *rows, size_t count,
                     const void *(*row_at)(const hsd_sheet *sheet, size_t i))
{
    hsd_model_add(&g->model, (hsd_part){.kind = HSD_PART_TABLE,
                                        .in = HSD_IN_GAUGES,
                                        .gauges = names,
                                        .columns = columns,
                                        .sheet = {.rows = {rows, 2 * count, 0, false}, .row_at = row_at, .state = g}});
}

static void add_sums(diff_gauges *g, const char *names, const hsd_column *columns, sums *at, hsd_amount before,
                     hsd_amount after)
{
    *at = (sums){{before, after}};
    hsd_gauges_add(&g->model, names, columns, at->sides, 2, sizeof at->sides[0]);
}

/* ---- parts ---- */

typedef struct table {
    hsd_report_table table;
    const char *names, *rest;
    const hsd_column *columns, *rest_columns, *count_column;
} table;

static const table types = {HSD_TABLE_TYPES,    "heap",           "heap_other_types", type_columns,
                            other_type_columns, type_count_column};
static const table roots = {HSD_TABLE_ROOTS, "heap_root",        "heap_other_roots",
                            root_columns,    other_root_columns, root_count_column};
static const table lost = {HSD_TABLE_LOST, "heap_lost",        "heap_other_lost",
                           lost_columns,   other_lost_columns, lost_count_column};

static void add_rest(diff_gauges *g, const table *t, const hsd_change *others, uint64_t count)
{
    g->other_counts[t->table] = count;
    add_sums(g, t->rest, t->rest_columns, &g->others[t->table], others->before, others->after);
    hsd_gauges_add(&g->model, t->rest, t->count_column, &g->other_counts[t->table], 1, 0);
}

static hsd_status add_ranked(diff_gauges *g, const hsd_diff *diff, const hsd_model_request *request, size_t most,
                             const table *t)
{
    hsd_ranking *ranking = &g->rankings[t->table];
    HSD_TRY(hsd_ranking_init(ranking, diff, t->table, request->options->sort_by, most, 0, false, request->err));
    add_rows(g, t->names, t->columns, ranking->rows, ranking->shown, ranked_at);
    add_rest(g, t, &ranking->others, ranking->count - ranking->shown);
    return HSD_OK;
}

static void add_lost(diff_gauges *g, const hsd_diff *diff, size_t most)
{
    if (!diff->lost.is_known) return;
    const hsd_lost_pick pick = hsd_lost_choose(&diff->lost, most, 0);
    const hsd_change others = hsd_lost_change(&pick.others);
    add_rows(g, lost.names, lost.columns, diff->lost.rows, pick.count, lost_at);
    add_rest(g, &lost, &others, pick.other_count);
}

static void release_gauges_diff_model(hsd_model *model)
{
    diff_gauges *g = (diff_gauges *)(void *)model;
    hsd_ranking_release(&g->rankings[HSD_TABLE_TYPES]);
    hsd_ranking_release(&g->rankings[HSD_TABLE_ROOTS]);
}

const size_t hsd_gauges_diff_bytes = sizeof(diff_gauges);

hsd_status hsd_gauges_diff(hsd_model *model, const hsd_diff *diff, const hsd_model_request *request)
{
    diff_gauges *g = (diff_gauges *)(void *)model;
    const size_t most = request->most->types < ROWS_MOST ? request->most->types : ROWS_MOST;
    model->schema = "hsdiff.diff/1";
    model->result = diff;
    model->release = release_gauges_diff_model;
    add_sums(g, "heap_live", live_columns, &g->live, diff->total.before, diff->total.after);
    add_sums(g, "heap_unreached", unreached_columns, &g->unreached, diff->unreached_before, diff->unreached_after);
    hsd_gauges_add(model, "heap", flow_columns, &diff->total, 1, 0);
    HSD_TRY(add_ranked(g, diff, request, most, &types));
    if (diff->root_count > 0) HSD_TRY(add_ranked(g, diff, request, most, &roots));
    add_lost(g, diff, most);
    return HSD_OK;
}

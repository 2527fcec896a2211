/*
 * What a report of a diff says, schema hsdiff.diff/1: the captures, how objects were recognised, the total, growth by
 * type, root and holder, sizes, the tree of places, allocation sites, what is lost or not collected yet.
 */
#include <stdlib.h>

#include "report/model/columns.h"
#include "report/model/diff_columns.h"
#include "report/model/diff_screen.h"
#include "report/model/holder_rows.h"
#include "report/model/lost_rows.h"
#include "report/model/open.h"
#include "report/model/rank.h"
#include "report/model/site_rows.h"
#include "report/model/tree_cut.h"
#include "report/model/tree_rows.h"

typedef struct diff_model {
    hsd_model model;
    hsd_capture_row captures[2];
    hsd_ranking types, roots;
    hsd_type_row other_type; /* what types that are no rows add up to */
    hsd_rank_row other_types, other_roots, total;
    hsd_site_pick sites;
    hsd_site_row other_sites;
    hsd_lost_pick lost, uncollected;
    hsd_holder_rest rest;
    bool *kept; /* of the tree */
    hsd_tree_pick places;
    hsd_tree_row other_places;
    hsd_diff_people people;
    size_t tree_at; /* the row behind the one that was asked for last */
} diff_model;

#define PLAIN_SIZES   "before_bytes after_bytes growth_bytes before_objects after_objects growth_objects"
#define PLAIN_FLOW    " new_bytes new_objects freed_bytes freed_objects"
#define PLAIN_HOLDERS "depth place type growth_bytes before_objects after_objects growth_objects" PLAIN_FLOW
#define PLAIN_TREE                                                                                                     \
    "depth edge type before_bytes after_bytes before_objects after_objects" PLAIN_FLOW " growth_bytes growth_objects"

/* ---- parts ---- */

static bool is_plain(const diff_model *m) { return m->model.format == HSD_IN_PLAIN; }

static const char *plain_changes(const hsd_diff *diff)
{
    return diff->identity_is_known ? "name " PLAIN_SIZES PLAIN_FLOW " resized_bytes" : "name " PLAIN_SIZES;
}

static bool is_asked(const diff_model *m, const hsd_model_request *request, hsd_report_table table)
{
    return m->model.format != HSD_IN_CSV || request->options->table == table;
}

static void tell_answer(hsd_out *out, const hsd_model *model, hsd_escape_form form)
{
    hsd_diff_tell_answer(out, model->result, model, form);
}

static void add_head(diff_model *m, const hsd_diff *diff)
{
    hsd_model_add(&m->model, hsd_answer_part(tell_answer, NULL));
    hsd_capture_rows_of_diff(m->captures, diff, diff->has_holders);
    /* JSON has them in "match" */
    if (is_plain(m)) hsd_model_add(&m->model, hsd_warnings_part(diff->warnings, diff->warning_count));
    hsd_model_add(&m->model,
                  hsd_captures_part(m->captures, 2,
                                    "side path taken bytes objects unreached_bytes unreached_objects state"));
    hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_RECORD,
                                        .in = HSD_IN_PLAIN,
                                        .names = "basis",
                                        .record = "basis",
                                        .columns = hsd_diff_plain_basis_columns,
                                        .plain = "basis matched_objects only_before_objects only_after_objects "
                                                 "ambiguous_objects reused_addresses reuse_estimate reason",
                                        .row = diff});
    hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_TABLE,
                                        .in = HSD_IN_PLAIN,
                                        .names = "rung",
                                        .plain = "rung objects bytes",
                                        .record = "rung",
                                        .columns = hsd_diff_rung_columns,
                                        .sheet = {.rows = {diff->match.rungs, HSD_MATCH_RUNG_COUNT,
                                                           sizeof diff->match.rungs[0], false}}});
    m->total = (hsd_rank_row){.name = {"", 0}, .change = &diff->total};
    hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_RECORD,
                                        .in = HSD_IN_PLAIN,
                                        .names = "total, type, root",
                                        .plain = plain_changes(diff),
                                        .record = "total",
                                        .columns = hsd_diff_root_columns,
                                        .row = &m->total});
    hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_RECORD,
                                        .in = HSD_IN_JSON,
                                        .member = "match",
                                        .record = "match",
                                        .columns = hsd_diff_match_columns,
                                        .row = diff});
    hsd_model_add(&m->model,
                  (hsd_part){
                      .kind = HSD_PART_FACTS, .in = HSD_IN_DOCUMENT, .columns = hsd_diff_fact_columns, .row = diff});
    hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_RECORD,
                                        .in = HSD_IN_JSON,
                                        .member = "total",
                                        .record = "total",
                                        .columns = hsd_diff_total_columns,
                                        .row = diff});
}

/* With --top a document tells the others even where there are none. */
static void add_ranking(diff_model *m, const hsd_model_request *request, bool is_types)
{
    hsd_ranking *ranking = is_types ? &m->types : &m->roots;
    hsd_rank_row *others = is_types ? &m->other_types : &m->other_roots;
    const bool is_cut = (is_types ? request->most->types : request->most->roots) != HSD_TOP_ALL;
    m->other_type.unreached_before = m->types.others_unreached_before;
    m->other_type.unreached_after = m->types.others_unreached_after;
    *others = (hsd_rank_row){.name = {"", 0}, .change = &ranking->others, .type = is_types ? &m->other_type : NULL};
    hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_TABLE,
                                        .in = HSD_IN_PROGRAMS | HSD_IN_PLAIN,
                                        .member = is_types ? "types" : "roots",
                                        .record = is_types ? "type" : "root",
                                        .others_record = is_types ? "others-type" : "others-root",
                                        .first = "row",
                                        .plain = plain_changes(m->model.result),
                                        .columns = is_types ? hsd_diff_type_columns : hsd_diff_root_columns,
                                        .sheet = {.rows = {ranking->rows, ranking->shown, sizeof *ranking->rows, false},
                                                  .other_count = ranking->count - ranking->shown,
                                                  .others = others,
                                                  .other_columns = hsd_diff_other_rank_columns,
                                                  .others_in = is_cut ? HSD_OTHERS_ALWAYS : HSD_OTHERS_NONE}});
}

static hsd_status add_ranked(diff_model *m, const hsd_diff *diff, const hsd_model_request *request,
                             hsd_report_table table)
{
    const bool is_types = table == HSD_TABLE_TYPES;
    if (!is_asked(m, request, table)) return HSD_OK;
    HSD_TRY(hsd_ranking_init(is_types ? &m->types : &m->roots, diff, table, request->options->sort_by,
                             is_types ? request->most->types : request->most->roots, 0, false, request->err));
    add_ranking(m, request, is_types);
    return HSD_OK;
}

static void add_holders(diff_model *m, const hsd_diff *diff, const hsd_model_request *request)
{
    const size_t most = request->most->holders, shown = diff->holder_count < most ? diff->holder_count : most;
    if (!is_asked(m, request, HSD_TABLE_HOLDERS)) return;
    m->rest = hsd_holders_rest(diff, shown);
    hsd_model_add(&m->model,
                  (hsd_part){.kind = HSD_PART_TABLE,
                             .in = HSD_IN_PROGRAMS | HSD_IN_PLAIN,
                             .member = "holders",
                             .record = "holder",
                             .names = "holder, edge",
                             .others_record = "others-holder",
                             .first = "row",
                             .columns = hsd_diff_holder_columns,
                             .plain = PLAIN_HOLDERS,
                             .below = {{is_plain(m) ? "held-by" : NULL, &hsd_diff_co_holder_list, NULL, PLAIN_HOLDERS},
                                       {"edge", &hsd_diff_edge_list, NULL, PLAIN_HOLDERS}},
                             .sheet = {.rows = {diff->holders, shown, sizeof *diff->holders, false},
                                       .is_unknown = !diff->has_holders,
                                       .why = diff->why_no_holders,
                                       .why_member = "why_no_holders",
                                       .why_record = "no_holders",
                                       .why_plain = "no-holders",
                                       .other_count = m->rest.rows,
                                       .others = &m->rest.sum,
                                       .other_columns = hsd_diff_holder_sum_columns,
                                       .others_in = most != HSD_TOP_ALL ? HSD_OTHERS_ALWAYS : HSD_OTHERS_TOGETHER}});
}

static void add_sizes(diff_model *m, const hsd_diff *diff, const hsd_model_request *request, unsigned in)
{
    const size_t count = diff->size_count < request->most->sizes ? diff->size_count : request->most->sizes;
    hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_TABLE,
                                        .in = in,
                                        .member = "sizes",
                                        .record = "sizes",
                                        .columns = hsd_diff_size_columns,
                                        .sheet = {.rows = {diff->sizes, count, sizeof *diff->sizes, false}}});
}

static const void *next_kept(const hsd_sheet *sheet, size_t i)
{
    diff_model *m = sheet->state;
    const hsd_diff *diff = m->model.result;
    if (i == 0) m->tree_at = 0;
    while (m->tree_at < diff->tree_count && !m->kept[m->tree_at])
        m->tree_at++;
    return &diff->tree[m->tree_at++];
}

/* Records may have the heaviest places alone; a document has all or none. */
static hsd_status add_tree(diff_model *m, const hsd_diff *diff, const hsd_model_request *request)
{
    hsd_part part = {
        .kind = HSD_PART_TABLE,
        .in = HSD_IN_PROGRAMS,
        .member = "tree",
        .record = "tree",
        .columns = hsd_diff_tree_columns,
        .sheet = {.rows = {diff->tree, diff->tree_count, sizeof *diff->tree, false}, .is_unknown = !diff->has_holders}};
    if (is_plain(m) ||
        (m->model.format == HSD_IN_CSV ? !is_asked(m, request, HSD_TABLE_TREE) : request->most->tree == 0))
        return HSD_OK;
    if (m->model.format == HSD_IN_RECORDS) {
        if (!diff->has_holders) return HSD_OK;
        HSD_TRY(hsd_tree_cut(&m->kept, diff, request->most->tree, request->err));
        part.sheet.row_at = next_kept;
        part.sheet.state = m;
        part.sheet.rows.count = 0;
        for (size_t i = 0; i < diff->tree_count; i++)
            part.sheet.rows.count += m->kept[i];
    }
    if (diff->has_holders)
        hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_FACTS,
                                            .in = HSD_IN_DOCUMENT,
                                            .columns = hsd_diff_tree_fact_columns,
                                            .row = diff});
    hsd_model_add(&m->model, part);
    return HSD_OK;
}

/* Depth 0 is all; with --top the places that changed most and what is above them. */
static const void *next_picked(const hsd_sheet *sheet, size_t i)
{
    diff_model *m = sheet->state;
    const hsd_diff *diff = m->model.result;
    if (i == 0) m->tree_at = 0;
    while (m->tree_at > 0 && m->tree_at < diff->tree_count && !m->places.rows[m->tree_at].is_shown)
        m->tree_at++;
    return &diff->tree[m->tree_at++];
}

static hsd_status add_plain_tree(diff_model *m, const hsd_diff *diff, const hsd_model_request *request)
{
    if (!is_plain(m) || request->most->tree == 0 || !diff->has_holders) return HSD_OK;
    HSD_TRY(hsd_tree_pick_init(&m->places, diff, request->most->types, 0, request->err));
    const hsd_change *others = &m->places.others;
    m->other_places = (hsd_tree_row){.edge = {"", 0},
                                     .type = {"", 0},
                                     .before = others->before,
                                     .after = others->after,
                                     .new_ = others->new_,
                                     .freed = others->freed};
    hsd_part part = {.kind = HSD_PART_TABLE,
                     .in = HSD_IN_PLAIN,
                     .names = "tree",
                     .record = "tree",
                     .others_record = "others-tree",
                     .plain = PLAIN_TREE,
                     .columns = hsd_diff_tree_columns,
                     .sheet = {.rows = {.count = diff->tree_count > 0},
                               .row_at = next_picked,
                               .state = m,
                               .other_count = m->places.other_count,
                               .others = &m->other_places}};
    for (size_t i = 1; i < diff->tree_count; i++)
        part.sheet.rows.count += m->places.rows[i].is_shown;
    hsd_model_add(&m->model, part);
    return HSD_OK;
}

static const void *site_at(const hsd_sheet *sheet, size_t i) { return hsd_site_pick_row(sheet->state, i); }

static void add_sites(diff_model *m, const hsd_diff *diff, const hsd_model_request *request)
{
    if (!diff->has_sites) return;
    m->sites = hsd_sites_pick(diff, request->most->sites, 0);
    m->other_sites.change = m->sites.others;
    hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_TABLE,
                                        .in = HSD_IN_JSON | HSD_IN_PLAIN,
                                        .member = "sites",
                                        .record = "site",
                                        .names = "site",
                                        .others_record = "others-site",
                                        .plain = "stack " PLAIN_SIZES,
                                        .columns = hsd_diff_site_columns,
                                        .sheet = {.rows = {.count = m->sites.count},
                                                  .row_at = site_at,
                                                  .state = &m->sites,
                                                  .other_count = m->sites.other_count,
                                                  .others = &m->other_sites,
                                                  .other_columns = hsd_diff_other_site_columns,
                                                  .others_in = HSD_OTHERS_BESIDE}});
}

static void add_lost(diff_model *m, const hsd_diff *diff, const hsd_model_request *request, bool is_lost)
{
    const hsd_lost *lost = is_lost ? &diff->lost : &diff->uncollected;
    hsd_lost_pick *pick = is_lost ? &m->lost : &m->uncollected;
    const size_t most = request->most->sites;
    const char *name = is_lost ? "lost" : "uncollected";
    if (!is_asked(m, request, is_lost ? HSD_TABLE_LOST : HSD_TABLE_UNCOLLECTED) ||
        (!lost->is_known && m->model.format != HSD_IN_CSV))
        return;
    const bool is_cut = m->model.format == HSD_IN_CSV || is_plain(m) ? request->options->top > 0 : most != HSD_TOP_ALL;
    *pick = hsd_lost_choose(lost, most, is_cut);
    hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_TABLE,
                                        .in = HSD_IN_PROGRAMS | HSD_IN_PLAIN,
                                        .member = name,
                                        .record = name,
                                        .names = name,
                                        .others_record = is_lost ? "others-lost" : "others-uncollected",
                                        .first = "row",
                                        .plain = is_lost ? "place " PLAIN_SIZES " type cycle"
                                                         : "type " PLAIN_SIZES " revived_bytes revived_objects",
                                        .columns = is_lost ? hsd_diff_lost_columns : hsd_diff_uncollected_columns,
                                        .sheet = {.rows = {lost->rows, pick->count, sizeof *lost->rows, false},
                                                  .other_count = pick->other_count,
                                                  .others = &pick->others,
                                                  .other_columns = is_lost ? hsd_diff_lost_sum_columns
                                                                           : hsd_diff_uncollected_sum_columns,
                                                  .others_in = HSD_OTHERS_BESIDE}});
}

static void release_diff_model(hsd_model *model)
{
    diff_model *m = (diff_model *)(void *)model;
    hsd_ranking_release(&m->types);
    hsd_ranking_release(&m->roots);
    hsd_tree_pick_release(&m->places);
    free(m->kept);
    hsd_diff_people_release(&m->people);
}

const size_t hsd_model_diff_bytes = sizeof(diff_model);

hsd_status hsd_model_diff(hsd_model *model, const hsd_diff *diff, const hsd_model_request *request)
{
    diff_model *m = (diff_model *)(void *)model;
    model->schema = "hsdiff.diff/1";
    model->result = diff;
    model->others_key = "of";
    model->release = release_diff_model;
    if (model->format == HSD_AS_TEXT) return hsd_diff_add_screen(model, &m->people, request);
    if (model->format == HSD_AS_MARKDOWN) return hsd_diff_add_markdown(model, &m->people, request);
    if (model->format == HSD_AS_HTML) return hsd_diff_add_page(model, &m->people, request);
    add_head(m, diff);
    HSD_TRY(add_ranked(m, diff, request, HSD_TABLE_TYPES));
    HSD_TRY(add_ranked(m, diff, request, HSD_TABLE_ROOTS));
    if (model->format != HSD_IN_PLAIN) add_holders(m, diff, request);
    if (model->format == HSD_IN_DOCUMENT) {
        add_sizes(m, diff, request, HSD_IN_DOCUMENT);
        HSD_TRY(add_tree(m, diff, request));
    }
    add_sites(m, diff, request);
    add_lost(m, diff, request, true);
    add_lost(m, diff, request, false);
    if (model->format == HSD_IN_PLAIN) add_holders(m, diff, request);
    HSD_TRY(add_plain_tree(m, diff, request));
    if (model->format == HSD_IN_DOCUMENT) return HSD_OK;
    add_sizes(m, diff, request, HSD_IN_RECORDS);
    return add_tree(m, diff, request);
}

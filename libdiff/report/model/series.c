/*
 * What a report of a series says, schema hsdiff.series/1: the nouns of hsdiff.diff/1 with lists, one value for each
 * capture in their order, and of each row the trend and the verdict, or with repeated captures the contrast. Captures
 * in cohorts are counted from 0, as the lists are. CSV has the long form that spreadsheets pivot, one record for each
 * row of the table and each capture, which counts from 1.
 */
#include <stdlib.h>

#include "report/model/columns.h"
#include "report/model/open.h"
#include "report/model/series_columns.h"
#include "report/model/series_rows.h"
#include "report/model/series_screen.h"

typedef struct series_model {
    hsd_model model;
    hsd_capture_row *captures;
    hsd_series_pick picks[HSD_TABLE_UNCOLLECTED + 1];
    hsd_series_others others[HSD_TABLE_UNCOLLECTED + 1];
    hsd_series_cohorts_row cohorts;
    hsd_series_plain_cohort cohort;
    hsd_series_csv_row current;
    const hsd_series_pick *csv_pick;
    hsd_series_people people;
} series_model;

/* ---- CSV ---- */

static const void *csv_record(const hsd_sheet *sheet, size_t i)
{
    static const hsd_series_row nobody;
    series_model *m = sheet->state;
    const hsd_series *series = m->model.result;
    const hsd_series_pick *pick = m->csv_pick;
    const size_t row = i / series->point_count, point = i % series->point_count;
    const bool is_row = row < pick->count;
    m->current = (hsd_series_csv_row){.table = is_row ? (hsd_report_table)(pick - m->picks) : HSD_TABLE_TREE,
                                      .row = is_row ? pick->rows[row] : &nobody,
                                      .point = &series->points[point],
                                      .value = is_row ? pick->rows[row]->values[point] : pick->others[point]};
    return &m->current;
}

static hsd_status add_csv(series_model *m, const hsd_series *series, const hsd_model_request *request)
{
    const hsd_report_table table = request->options->table;
    if (!hsd_series_table_of(series, table))
        return hsd_fail(request->err, HSD_E_UNSUPPORTED,
                        "a series has no tree: its tables are types, roots, holders and lost (--table)");
    hsd_series_pick *pick = &m->picks[table];
    HSD_TRY(hsd_series_pick_init(pick, series, table, request->options->sort_by, request->most->types, false,
                                 request->err));
    m->csv_pick = pick;
    hsd_model_add(&m->model,
                  (hsd_part){.kind = HSD_PART_TABLE,
                             .in = HSD_IN_CSV,
                             .columns = hsd_series_csv_columns,
                             .sheet = {.rows = {.count = (pick->count + (pick->other_count > 0)) * series->point_count},
                                       .row_at = csv_record,
                                       .state = m}});
    return HSD_OK;
}

/* ---- parts ---- */

/* One cohort after the other, each from its own end on. */
static const void *next_cohort(const hsd_sheet *sheet, size_t i)
{
    series_model *m = sheet->state;
    const hsd_series *series = m->model.result;
    hsd_series_plain_cohort *current = &m->cohort;
    const size_t count = series->cohorts.cohort_count;
    if (i == 0)
        *current = (hsd_series_plain_cohort){.row = sheet->rows.first};
    else if (++current->at == count) {
        current->born = current->born + 1 < count ? current->born + 1 : 0;
        current->at = current->born;
        current->row += current->born == 0;
    }
    return current;
}

#define PLAIN_COHORT "type first_capture last_capture live_at bytes objects"

static void add_plain_cohorts(series_model *m, const hsd_series *series, size_t types)
{
    const hsd_cohorts *cohorts = &series->cohorts;
    const size_t lines = cohorts->cohort_count * (cohorts->cohort_count + 1) / 2;
    if (!cohorts->are_known && cohorts->why_not.size > 0)
        hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_TEXTS,
                                            .in = HSD_IN_PLAIN,
                                            .record = "no-cohorts",
                                            .texts = &cohorts->why_not,
                                            .text_count = 1});
    if (!cohorts->are_known) return;
    hsd_model_add(&m->model,
                  (hsd_part){.kind = HSD_PART_TABLE,
                             .in = HSD_IN_PLAIN,
                             .names = "cohort, cohort-type",
                             .record = "cohort",
                             .plain = PLAIN_COHORT,
                             .columns = hsd_series_plain_cohort_columns,
                             .sheet = {.rows = {&cohorts->all, lines, 0, false}, .row_at = next_cohort, .state = m}});
    hsd_model_add(&m->model,
                  (hsd_part){
                      .kind = HSD_PART_TABLE,
                      .in = HSD_IN_PLAIN,
                      .record = "cohort-type",
                      .plain = PLAIN_COHORT,
                      .columns = hsd_series_plain_cohort_columns,
                      .sheet = {.rows = {cohorts->types, types * lines, 0, false}, .row_at = next_cohort, .state = m}});
    if (cohorts->retained_since)
        hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_TABLE,
                                            .in = HSD_IN_PLAIN,
                                            .names = "retained-since",
                                            .record = "retained-since",
                                            .plain = "capture bytes objects",
                                            .columns = hsd_series_plain_since_columns,
                                            .sheet = {.rows = {cohorts->retained_since, series->point_count,
                                                               sizeof(hsd_amount), false}}});
}

static hsd_status add_table(series_model *m, const hsd_series *series, const hsd_model_request *request,
                            hsd_report_table which, size_t most)
{
    static const char *const members[] = {"types", "roots", "holders"}, *const records[] = {"type", "root", "holder"},
                             *const whys[] = {"why_no_types", "why_no_roots", "why_no_holders"},
                             *const plain_whys[] = {"no-types", "no-roots", "no-holders"},
                             *const others[] = {"others-type", "others-root", "others-holder"};
    static const hsd_column *const columns[] = {hsd_series_type_columns, hsd_series_root_columns,
                                                hsd_series_holder_columns};
    const hsd_series_table *table = hsd_series_table_of(series, which);
    hsd_series_pick *pick = &m->picks[which];
    HSD_TRY(hsd_series_pick_init(pick, series, which, request->options->sort_by, most, false, request->err));
    m->others[which].has_trend = pick->others_row != NULL;
    if (pick->others_row) m->others[which].row = *pick->others_row;
    m->others[which].row.values = pick->others;
    hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_TABLE,
                                        .in = HSD_IN_JSON | HSD_IN_PLAIN,
                                        .member = members[which],
                                        .record = records[which],
                                        .others_record = others[which],
                                        .plain = hsd_series_plain_row(series),
                                        .columns = m->model.format == HSD_IN_PLAIN ? hsd_series_plain_columns(series)
                                                                                   : columns[which],
                                        .sheet = {.rows = {pick->rows, pick->count, sizeof *pick->rows, true},
                                                  .is_unknown = !table->is_known,
                                                  .why = table->why_not,
                                                  .why_member = whys[which],
                                                  .why_plain = plain_whys[which],
                                                  .other_count = pick->other_count,
                                                  .others = &m->others[which],
                                                  .other_columns = hsd_series_number_columns,
                                                  .others_in = HSD_OTHERS_TOGETHER}});
    return HSD_OK;
}

/* A document has all of what is lost, whatever --top says. */
static void add_lost(series_model *m, const hsd_series *series, const hsd_model_request *request)
{
    const hsd_series_table *lost = &series->lost;
    const size_t most = m->model.format == HSD_IN_DOCUMENT ? HSD_TOP_ALL : request->most->types;
    if (!lost->is_known) return;
    hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_TABLE,
                                        .in = HSD_IN_JSON,
                                        .member = "lost",
                                        .record = "lost",
                                        .columns = hsd_series_lost_columns,
                                        .sheet = {.rows = {lost->rows, lost->row_count < most ? lost->row_count : most,
                                                           sizeof *lost->rows, false}}});
}

static void add_cohorts(series_model *m, const hsd_series *series, const hsd_model_request *request)
{
    const hsd_cohorts *cohorts = &series->cohorts;
    const size_t most = request->most->ages, types = cohorts->type_count < most ? cohorts->type_count : most;
    m->cohorts = (hsd_series_cohorts_row){cohorts, types};
    add_plain_cohorts(m, series, types);
    if (cohorts->are_known)
        hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_RECORD,
                                            .in = HSD_IN_DOCUMENT,
                                            .member = "cohorts",
                                            .is_hanging = true,
                                            .columns = hsd_series_cohorts_columns,
                                            .row = &m->cohorts});
    hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_TABLE,
                                        .in = cohorts->are_known ? HSD_IN_RECORDS : HSD_IN_JSON,
                                        .member = "cohorts",
                                        .record = "cohort",
                                        .columns = hsd_series_cohort_columns,
                                        .sheet = {.rows = {cohorts->cohorts, cohorts->cohort_count,
                                                           sizeof *cohorts->cohorts, false},
                                                  .is_unknown = !cohorts->are_known,
                                                  .why = cohorts->why_not,
                                                  .why_member = "why_no_cohorts"}});
    if (cohorts->are_known)
        hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_TABLE,
                                            .in = HSD_IN_RECORDS,
                                            .record = "survivor",
                                            .columns = hsd_series_survivor_columns,
                                            .sheet = {.rows = {cohorts->types, types, sizeof *cohorts->types, false}}});
}

static void tell_answer(hsd_out *out, const hsd_model *model, hsd_escape_form form)
{
    hsd_series_tell_answer(out, model->result, model, form);
}

static hsd_status add_head(series_model *m, const hsd_series *series, const hsd_model_request *request)
{
    const bool is_document = m->model.format == HSD_IN_DOCUMENT;
    const hsd_column *columns =
        m->model.format == HSD_IN_PLAIN ? hsd_series_plain_columns(series) : hsd_series_number_columns;
    m->captures = calloc(series->point_count + 1, sizeof *m->captures);
    if (!m->captures)
        return hsd_fail(request->err, HSD_E_NOMEM, "no memory for a report of %zu captures", series->point_count);
    hsd_capture_rows_of_series(m->captures, series);
    hsd_part captures =
        hsd_captures_part(m->captures, series->point_count,
                          "number label path taken bytes objects unreached_bytes unreached_objects side state");
    captures.columns = hsd_series_capture_columns;
    hsd_model_add(&m->model, hsd_answer_part(tell_answer, NULL));
    if (is_document) hsd_model_add(&m->model, captures);
    hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_FACTS,
                                        .in = HSD_IN_JSON,
                                        .record = "series",
                                        .is_one_line = true,
                                        .columns = hsd_series_fact_columns,
                                        .row = series});
    hsd_model_add(&m->model, hsd_warnings_part(series->warnings, series->warning_count));
    if (!is_document) hsd_model_add(&m->model, captures);
    hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_RECORD,
                                        .in = HSD_IN_JSON | HSD_IN_PLAIN,
                                        .member = "total",
                                        .record = "total",
                                        .names = "total, unreached, type, root, holder",
                                        .plain = hsd_series_plain_row(series),
                                        .columns = columns,
                                        .row = &series->total});
    hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_RECORD,
                                        .in = HSD_IN_JSON | HSD_IN_PLAIN,
                                        .member = "unreached",
                                        .record = "unreached",
                                        .plain = hsd_series_plain_row(series),
                                        .columns = columns,
                                        .row = &series->unreached});
    return HSD_OK;
}

static void release_serie_model(hsd_model *model)
{
    series_model *m = (series_model *)(void *)model;
    free(m->captures);
    for (size_t i = 0; i < sizeof m->picks / sizeof m->picks[0]; i++)
        hsd_series_pick_release(&m->picks[i]);
    hsd_series_people_release(&m->people);
}

const size_t hsd_model_series_bytes = sizeof(series_model);

hsd_status hsd_model_series(hsd_model *model, const hsd_series *series, const hsd_model_request *request)
{
    series_model *m = (series_model *)(void *)model;
    const hsd_most *most = request->most;
    model->schema = "hsdiff.series/1";
    model->result = series;
    model->others_key = "table";
    model->others_below = true;
    model->release = release_serie_model;
    if (model->format == HSD_IN_CSV) return add_csv(m, series, request);
    if (model->format == HSD_AS_TEXT) return hsd_series_add_screen(model, &m->people, request);
    if (model->format == HSD_AS_MARKDOWN) return hsd_series_add_markdown(model, &m->people, request);
    if (model->format == HSD_AS_HTML) return hsd_series_add_page(model, &m->people, request);
    HSD_TRY(add_head(m, series, request));
    HSD_TRY(add_table(m, series, request, HSD_TABLE_TYPES, most->types));
    HSD_TRY(add_table(m, series, request, HSD_TABLE_ROOTS, most->roots));
    HSD_TRY(add_table(m, series, request, HSD_TABLE_HOLDERS, most->holders));
    add_lost(m, series, request);
    add_cohorts(m, series, request);
    return HSD_OK;
}

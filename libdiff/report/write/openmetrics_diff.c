/*
 * A diff as OpenMetrics: bytes and objects of both captures, in total, by type and by root, and what is lost. Of each
 * those of the largest growth; how many are left out, and what these sum up to, are gauges too, so that the whole can
 * be had from the parts.
 */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "report/formats.h"
#include "report/model/lost_rows.h"
#include "report/model/rank.h"
#include "report/write/openmetrics.h"

#define ROWS_MOST (HSD_METRICS_MOST / 2) /* two samples each */

typedef struct family {
    const char *name, *unit, *help;
} family;

static uint64_t value_of(hsd_amount amount, bool is_bytes) { return is_bytes ? amount.bytes : amount.objects; }

/* before and after; `label` may be NULL. */
static void put_sides(hsd_out *out, const char *name, const hsd_metric_label *label, hsd_amount before,
                      hsd_amount after, bool is_bytes)
{
    hsd_metric_label labels[2] = {hsd_metrics_label("side", "before")};
    if (label) labels[1] = *label;
    hsd_metrics_sample_count(out, name, labels, label ? 2 : 1, value_of(before, is_bytes));
    labels[0] = hsd_metrics_label("side", "after");
    hsd_metrics_sample_count(out, name, labels, label ? 2 : 1, value_of(after, is_bytes));
}

static void put_pair(hsd_out *out, const family families[2], hsd_amount before, hsd_amount after)
{
    for (int i = 0; i < 2; i++) {
        hsd_metrics_family(out, families[i].name, families[i].unit, families[i].help);
        put_sides(out, families[i].name, NULL, before, after, i == 0);
    }
}

static void put_totals(hsd_out *out, const hsd_diff *diff)
{
    static const family live[] = {{"hsdiff_heap_live_bytes", "bytes", "Live heap of each capture."},
                                  {"hsdiff_heap_live_objects", "objects", "Live objects of each capture."}};
    static const family unreached[] = {
        {"hsdiff_heap_unreached_bytes", "bytes",
         "What no root reaches: lost where nothing but the program frees, else garbage that was not collected yet."},
        {"hsdiff_heap_unreached_objects", "objects", "Objects that no root reaches."}};
    put_pair(out, live, diff->total.before, diff->total.after);
    put_pair(out, unreached, diff->unreached_before, diff->unreached_after);
}

/* Only where single objects are recognised. */
static void put_flow(hsd_out *out, const hsd_diff *diff)
{
    if (hsd_new_is_known(diff)) {
        hsd_metrics_family(out, "hsdiff_heap_new_bytes", "bytes", "Live after and not live before.");
        hsd_metrics_sample_count(out, "hsdiff_heap_new_bytes", NULL, 0, diff->total.new_.bytes);
    }
    if (hsd_freed_is_known(diff)) {
        hsd_metrics_family(out, "hsdiff_heap_freed_bytes", "bytes", "Live before and not live after.");
        hsd_metrics_sample_count(out, "hsdiff_heap_freed_bytes", NULL, 0, diff->total.freed.bytes);
    }
}

/* ---- by type and by root ---- */

typedef struct table {
    hsd_report_table table;
    const char *key; /* of the label */
    family rows[2], rest[2];
    const char *left_out, *left_out_help;
} table;

static const table tables[] = {
    {HSD_TABLE_TYPES,
     "type",
     {{"hsdiff_heap_bytes", "bytes", "Live bytes by type."},
      {"hsdiff_heap_objects", "objects", "Live objects by type."}},
     {{"hsdiff_heap_other_types_bytes", "bytes", "Live bytes of all types without gauges of their own."},
      {"hsdiff_heap_other_types_objects", "objects", "Live objects of all types without gauges of their own."}},
     "hsdiff_heap_other_types",
     "Types without gauges of their own here."},
    {HSD_TABLE_ROOTS,
     "root",
     {{"hsdiff_heap_root_bytes", "bytes", "Live bytes by the root that owns them."},
      {"hsdiff_heap_root_objects", "objects", "Live objects by the root that owns them."}},
     {{"hsdiff_heap_other_roots_bytes", "bytes", "Live bytes of all roots without gauges of their own."},
      {"hsdiff_heap_other_roots_objects", "objects", "Live objects of all roots without gauges of their own."}},
     "hsdiff_heap_other_roots",
     "Roots without gauges of their own here."},
};

static void put_rows(hsd_out *out, const table *t, const hsd_ranking *ranking)
{
    for (int i = 0; i < 2; i++) {
        hsd_metrics_family(out, t->rows[i].name, t->rows[i].unit, t->rows[i].help);
        for (size_t k = 0; k < ranking->shown; k++) {
            const hsd_metric_label label = {t->key, ranking->rows[k].name};
            put_sides(out, t->rows[i].name, &label, ranking->rows[k].change->before, ranking->rows[k].change->after,
                      i == 0);
        }
    }
    put_pair(out, t->rest, ranking->others.before, ranking->others.after);
    hsd_metrics_family(out, t->left_out, NULL, t->left_out_help);
    hsd_metrics_sample_count(out, t->left_out, NULL, 0, ranking->count - ranking->shown);
}

static void put_table(hsd_out *out, const hsd_diff *diff, const hsd_report_options *options, const table *t)
{
    hsd_ranking ranking;
    const size_t top = options->top > 0 && options->top < ROWS_MOST ? options->top : ROWS_MOST;
    if (out->status != HSD_OK) return;
    out->status = hsd_ranking_init(&ranking, diff, t->table, options->sort_by, top, 0, false, out->err);
    if (out->status != HSD_OK) return;
    put_rows(out, t, &ranking);
    hsd_ranking_release(&ranking);
}

/* ---- what is lost ---- */

static const family lost_rows[] = {
    {"hsdiff_heap_lost_bytes", "bytes",
     "Bytes that no pointer leads to, by the type of what heads them and who allocated that."},
    {"hsdiff_heap_lost_objects", "objects", "Objects that no pointer leads to, likewise."}};
static const family lost_rest[] = {
    {"hsdiff_heap_other_lost_bytes", "bytes", "Lost bytes of all rows without gauges of their own."},
    {"hsdiff_heap_other_lost_objects", "objects", "Lost objects of all rows without gauges of their own."}};

static void put_lost_row(hsd_out *out, const char *name, const hsd_lost_row *row, const char *again, bool is_bytes)
{
    hsd_metric_label labels[] = {hsd_metrics_label("side", "before"),
                                 {"type", row->type},
                                 {"site", row->place},
                                 {"cycle", row->cycle},
                                 hsd_metrics_label("again", again)};
    const size_t count = HSD_ARRAY_LEN(labels) - (again[0] == '\0');
    hsd_metrics_sample_count(out, name, labels, count, value_of(row->before, is_bytes));
    labels[0] = hsd_metrics_label("side", "after");
    hsd_metrics_sample_count(out, name, labels, count, value_of(row->after, is_bytes));
}

static bool same_text(hsd_text a, hsd_text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* Rows may read alike, since stacks differ behind the frame that names them: `again` tells them apart. */
static void name_again(const hsd_lost *lost, size_t row, char out[24])
{
    const hsd_lost_row *x = &lost->rows[row];
    size_t again = 1;
    for (size_t i = 0; i < row; i++) {
        const hsd_lost_row *y = &lost->rows[i];
        again += same_text(x->type, y->type) && same_text(x->place, y->place) && same_text(x->cycle, y->cycle);
    }
    out[0] = '\0';
    if (again > 1) snprintf(out, 24, "%zu", again);
}

static void put_lost(hsd_out *out, const hsd_diff *diff, const hsd_report_options *options)
{
    const hsd_lost_pick pick =
        hsd_lost_choose(&diff->lost, options->top > 0 && options->top < ROWS_MOST ? options->top : ROWS_MOST, 0);
    for (int i = 0; i < 2; i++) {
        hsd_metrics_family(out, lost_rows[i].name, lost_rows[i].unit, lost_rows[i].help);
        for (size_t k = 0; k < pick.count; k++) {
            char again[24];
            name_again(&diff->lost, k, again);
            put_lost_row(out, lost_rows[i].name, &diff->lost.rows[k], again, i == 0);
        }
    }
    put_pair(out, lost_rest, pick.others.before, pick.others.after);
    hsd_metrics_family(out, "hsdiff_heap_other_lost", NULL, "Rows of what is lost without gauges of their own here.");
    hsd_metrics_sample_count(out, "hsdiff_heap_other_lost", NULL, 0, pick.other_count);
}

hsd_status hsd_openmetrics_diff(const hsd_diff *diff, const hsd_report_options *options, hsd_write_fn write,
                                void *context, hsd_error *err)
{
    hsd_out out;
    hsd_out_init(&out, write, context, err);
    put_totals(&out, diff);
    put_flow(&out, diff);
    put_table(&out, diff, options, &tables[0]);
    if (diff->root_count > 0) put_table(&out, diff, options, &tables[1]);
    if (diff->lost.is_known) put_lost(&out, diff, options);
    hsd_metrics_end(&out);
    return hsd_out_finish(&out);
}

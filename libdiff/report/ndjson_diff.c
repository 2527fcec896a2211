/*
 * A diff as lines of JSON: the captures, how objects were recognised, the total, each type, root and holder, allocation
 * site, what is lost or not collected yet, the sizes of objects, with --tree each place. Fields are those of the document (json.c); the rest
 * of a table that is not whole is a record "others".
 */
#include <stdlib.h>

#include "report/formats.h"
#include "report/holder_rows.h"
#include "report/json_holders.h"
#include "report/json_listing.h"
#include "report/json_pieces.h"
#include "report/json_rows.h"
#include "report/json_sizes.h"
#include "report/ndjson.h"
#include "report/records.h"
#include "report/tree_cut.h"

#define SCHEMA "hsdiff.diff/1"

static void put_side(hsd_out *out, const hsd_side *side, const char *which, bool has_soft)
{
    hsd_ndjson_begin(out, SCHEMA, "capture");
    hsd_json_text(out, ", \"side\": ", which);
    hsd_json_side_fields(out, ", \"path\": ", side, has_soft);
    hsd_ndjson_end(out);
}

static void put_head(hsd_out *out, const hsd_diff *diff)
{
    put_side(out, &diff->before, "before", diff->has_holders);
    put_side(out, &diff->after, "after", diff->has_holders);
    hsd_ndjson_begin(out, SCHEMA, "match");
    hsd_out_text(out, ", ");
    hsd_json_match(out, diff);
    hsd_ndjson_end(out);
    hsd_ndjson_begin(out, SCHEMA, "total");
    hsd_json_bool(out, ", \"identity_known\": ", diff->identity_is_known);
    hsd_json_bool(out, ", \"partial\": ", diff->is_partial);
    hsd_json_bool(out, ", \"summary\": ", diff->is_summary);
    hsd_out_text(out, ", ");
    hsd_json_change(out, diff, &diff->total);
    hsd_ndjson_end(out);
}

static void put_table(hsd_out *out, const hsd_diff *diff, hsd_report_table table, hsd_sort_by sort_by, size_t most)
{
    hsd_ranking ranking;
    const char *record = table == HSD_TABLE_TYPES ? "type" : "root";
    if (out->status != HSD_OK) return;
    out->status = hsd_ranking_init(&ranking, diff, table, sort_by, most, 0, false, out->err);
    if (out->status != HSD_OK) return;
    for (size_t i = 0; i < ranking.shown; i++) {
        hsd_ndjson_begin(out, SCHEMA, record);
        hsd_out_text(out, ", ");
        hsd_json_row(out, diff, &ranking.rows[i]);
        hsd_ndjson_end(out);
    }
    if (ranking.shown < ranking.count) {
        hsd_ndjson_begin(out, SCHEMA, "others");
        hsd_json_text(out, ", \"of\": ", record);
        hsd_json_count(out, ", \"rows\": ", ranking.count - ranking.shown);
        hsd_out_text(out, ", ");
        hsd_json_change(out, diff, &ranking.others);
        hsd_ndjson_end(out);
    }
    hsd_ranking_release(&ranking);
}

static void put_holders(hsd_out *out, const hsd_diff *diff, size_t most)
{
    const size_t shown = diff->has_holders && diff->holder_count > most ? most : diff->holder_count;
    if (!diff->has_holders) {
        hsd_ndjson_text(out, SCHEMA, "no_holders", diff->why_no_holders);
        return;
    }
    for (size_t i = 0; i < shown; i++) {
        hsd_ndjson_begin(out, SCHEMA, "holder");
        hsd_out_text(out, ", ");
        hsd_json_holder(out, diff, &diff->holders[i]);
        hsd_ndjson_end(out);
    }
    if (hsd_holders_count(diff) <= shown) return;
    hsd_ndjson_begin(out, SCHEMA, "others");
    hsd_json_text(out, ", \"of\": ", "holder");
    hsd_out_text(out, ", ");
    hsd_json_holder_rest(out, diff, shown);
    hsd_ndjson_end(out);
}

/* Where it was allocated, what is lost, what is not collected yet: where captures tell it. */
static void put_listings(hsd_out *out, const hsd_diff *diff, size_t most)
{
    const hsd_json_listing sites = hsd_json_sites(diff, most), lost = hsd_json_lost(diff, most), uncollected = hsd_json_uncollected(diff, most);
    if (diff->has_sites) hsd_ndjson_put_listing(out, SCHEMA, &sites);
    if (diff->lost.is_known) hsd_ndjson_put_listing(out, SCHEMA, &lost);
    if (diff->uncollected.is_known) hsd_ndjson_put_listing(out, SCHEMA, &uncollected);
}

static void put_sizes(hsd_out *out, const hsd_diff *diff, size_t most)
{
    for (size_t i = 0; i < diff->size_count && i < most; i++) {
        hsd_ndjson_begin(out, SCHEMA, "sizes");
        hsd_out_text(out, ", ");
        hsd_json_size_row(out, &diff->sizes[i]);
        hsd_ndjson_end(out);
    }
}

static void put_tree(hsd_out *out, const hsd_diff *diff, size_t most)
{
    bool *keep;
    if (out->status != HSD_OK || !diff->has_holders || most == 0) return;
    out->status = hsd_tree_cut(&keep, diff, most, out->err);
    for (size_t i = 0; out->status == HSD_OK && i < diff->tree_count; i++) {
        if (!keep[i]) continue;
        hsd_ndjson_begin(out, SCHEMA, "tree");
        hsd_json_count(out, ", \"row\": ", i);
        hsd_out_text(out, ", ");
        hsd_json_place(out, diff, i);
        hsd_ndjson_end(out);
    }
    free(keep);
}

hsd_records_most hsd_records_of_top(size_t top, bool has_tree)
{
    const size_t most = top > 0 ? top : HSD_TOP_ALL;
    return (hsd_records_most){most, most, most, .sites = most, .tree = has_tree ? HSD_TOP_ALL : 0, .sizes = most, .ages = most};
}

void hsd_diff_records(hsd_out *out, const hsd_diff *diff, hsd_sort_by sort_by, const hsd_records_most *most)
{
    put_head(out, diff);
    put_table(out, diff, HSD_TABLE_TYPES, sort_by, most->types);
    put_table(out, diff, HSD_TABLE_ROOTS, sort_by, most->roots);
    put_holders(out, diff, most->holders);
    put_listings(out, diff, most->sites);
    put_sizes(out, diff, most->sizes);
    put_tree(out, diff, most->tree);
}

hsd_status hsd_ndjson_diff(const hsd_diff *diff, const hsd_report_options *options, hsd_write_fn write, void *context,
                           hsd_error *err)
{
    const hsd_records_most most = hsd_records_of_top(options->top, options->tree);
    hsd_out out;
    hsd_out_init(&out, write, context, err);
    hsd_diff_records(&out, diff, options->sort_by, &most);
    return hsd_out_finish(&out);
}

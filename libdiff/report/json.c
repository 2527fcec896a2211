/*
 * JSON, schema hsdiff.diff/1: the contract that scripts rely on. Names are fixed, fields may be added.
 * Sizes and counts are exact integers; arrays are sorted by growth and complete unless --top was given,
 * and then "others" carries the rest; of holders, of which a heap may have millions, also when it was not. One row a
 * line, so that two reports can be compared with diff(1).
 *
 * What is not known is null: new, freed, kept and resized when single objects cannot be recognised
 * ("identity_known": false), freed when a capture is partial, new when the one before is.
 */
#include <string.h>

#include "report/formats.h"
#include "report/holder_rows.h"
#include "report/json_holders.h"
#include "report/json_listing.h"
#include "report/json_pieces.h"
#include "report/json_rows.h"
#include "report/json_sizes.h"
#include "report/out.h"
#include "report/rank.h"

typedef struct json {
    hsd_out out;
    const hsd_diff *diff;
    const hsd_report_options *options;
} json;

static void put_change(json *j, const hsd_change *change) { hsd_json_change(&j->out, j->diff, change); }

static void put_match(json *j)
{
    hsd_out_text(&j->out, "  \"match\": {");
    hsd_json_match(&j->out, j->diff);
    hsd_out_text(&j->out, "},\n");
}

/* ---- tables ---- */

static void put_row(json *j, const hsd_rank_row *row)
{
    hsd_out_text(&j->out, "    {");
    hsd_json_row(&j->out, j->diff, row);
    hsd_out_text(&j->out, "}");
}

static void put_table(json *j, const char *key, const hsd_ranking *ranking)
{
    hsd_out_format(&j->out, "  \"%s\": [", key);
    for (size_t i = 0; i < ranking->shown; i++) {
        hsd_out_text(&j->out, i > 0 ? ",\n" : "\n");
        put_row(j, &ranking->rows[i]);
    }
    hsd_out_text(&j->out, ranking->shown > 0 ? "\n  ]" : "]");
}

static void put_rest(json *j, const char *key, const hsd_ranking *ranking)
{
    hsd_out_format(&j->out, "%s{\"rows\": %llu, ", key,
                   (unsigned long long)(ranking->count - ranking->shown));
    put_change(j, &ranking->others);
    hsd_out_text(&j->out, "}");
}

/* The rest of each table with --top; of holders whenever some are no rows. */
static void put_others(json *j, const hsd_ranking *types, const hsd_ranking *roots,
                       size_t holders_shown)
{
    const bool is_cut = j->options->top > 0 && j->options->top != HSD_TOP_ALL;
    const bool has_rest =
        j->diff->has_holders && (is_cut || hsd_holders_count(j->diff) > holders_shown);
    if (!is_cut && !has_rest) return;
    hsd_out_text(&j->out, ",\n  \"others\": {");
    if (is_cut) {
        put_rest(j, "\"types\": ", types);
        put_rest(j, ",\n    \"roots\": ", roots);
    }
    if (is_cut && has_rest) hsd_out_text(&j->out, ",\n    ");
    if (has_rest) hsd_json_other_holders(&j->out, j->diff, holders_shown);
    hsd_out_text(&j->out, "}");
}

static void put_listing(json *j, bool is_known, const hsd_json_listing *listing)
{
    if (!is_known) return;
    hsd_out_text(&j->out, ",\n");
    hsd_json_put_listing(&j->out, listing);
}

/* Where captures tell it. */
static void put_listings(json *j)
{
    const hsd_diff *diff = j->diff;
    const size_t most = j->options->top > 0 ? j->options->top : HSD_TOP_ALL;
    const hsd_json_listing sites = hsd_json_sites(diff, most), lost = hsd_json_lost(diff, most), uncollected = hsd_json_uncollected(diff, most);
    put_listing(j, diff->has_sites, &sites);
    put_listing(j, diff->lost.is_known, &lost);
    put_listing(j, diff->uncollected.is_known, &uncollected);
}

static void put_tables(json *j, const hsd_ranking *types, const hsd_ranking *roots)
{
    const size_t holders_shown = hsd_holders_shown(j->diff, j->options->top, HSD_TOP_ALL);
    put_table(j, "types", types);
    hsd_out_text(&j->out, ",\n");
    put_table(j, "roots", roots);
    hsd_out_text(&j->out, ",\n");
    hsd_json_holders(&j->out, j->diff, holders_shown);
    hsd_out_text(&j->out, ",\n");
    hsd_json_sizes(&j->out, j->diff, j->options->top ? j->options->top : HSD_TOP_ALL);
    if (j->options->tree) {
        hsd_out_text(&j->out, ",\n");
        hsd_json_tree(&j->out, j->diff);
    }
    put_listings(j);
    put_others(j, types, roots, holders_shown);
    hsd_out_text(&j->out, "\n}\n");
}

static void put_head(json *j)
{
    hsd_out_text(&j->out, "{\n  \"schema\": \"hsdiff.diff/1\",\n  \"captures\": [\n");
    hsd_json_side(&j->out, &j->diff->before, j->diff->has_holders);
    hsd_out_text(&j->out, ",\n");
    hsd_json_side(&j->out, &j->diff->after, j->diff->has_holders);
    hsd_out_text(&j->out, "\n  ],\n");
    put_match(j);
    hsd_json_bool(&j->out, "  \"identity_known\": ", j->diff->identity_is_known);
    hsd_json_bool(&j->out, ",\n  \"partial\": ", j->diff->is_partial);
    hsd_json_bool(&j->out, ",\n  \"summary\": ", j->diff->is_summary);
    hsd_out_text(&j->out, ",\n  \"total\": {");
    put_change(j, &j->diff->total);
    hsd_json_external(&j->out, j->diff->external_before, j->diff->external_after);
    hsd_out_text(&j->out, "},\n");
}

hsd_status hsd_json_diff(const hsd_diff *diff, const hsd_report_options *options,
                             hsd_write_fn write, void *context, hsd_error *err)
{
    json j = {.diff = diff, .options = options};
    hsd_ranking types = {0}, roots = {0};
    const size_t top = options->top ? options->top : HSD_TOP_ALL;
    HSD_TRY(hsd_ranking_init(&types, diff, HSD_TABLE_TYPES, options->sort_by, top, 0, false, err));
    const hsd_status status =
        hsd_ranking_init(&roots, diff, HSD_TABLE_ROOTS, options->sort_by, top, 0, false, err);
    if (status != HSD_OK) {
        hsd_ranking_release(&types);
        return status;
    }
    hsd_out_init(&j.out, write, context, err);
    put_head(&j);
    put_tables(&j, &types, &roots);
    hsd_ranking_release(&types);
    hsd_ranking_release(&roots);
    return hsd_out_finish(&j.out);
}

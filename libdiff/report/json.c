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
#include "report/json_pieces.h"
#include "report/match.h"
#include "report/out.h"
#include "report/rank.h"

typedef struct json {
    hsd_out out;
    const hsd_diff *diff;
    const hsd_report_options *options;
} json;

static void put_resized(json *j, const hsd_change *change)
{
    if (!j->diff->identity_is_known) {
        hsd_out_text(&j->out, ", \"resized_bytes\": null, \"resized_objects\": null");
        return;
    }
    hsd_json_signed(&j->out, ", \"resized_bytes\": ", change->resized_bytes);
    hsd_json_count(&j->out, ", \"resized_objects\": ", change->resized_objects);
}

static void put_change(json *j, const hsd_change *change)
{
    const bool is_known = j->diff->identity_is_known;
    hsd_json_amount(&j->out, "\"before\": ", change->before);
    hsd_json_amount(&j->out, ", \"after\": ", change->after);
    hsd_json_signed(&j->out, ", \"growth\": {\"objects\": ", hsd_change_objects(change));
    hsd_json_signed(&j->out, ", \"bytes\": ", hsd_change_bytes(change));
    hsd_out_text(&j->out, "}");
    hsd_json_known(&j->out, hsd_new_is_known(j->diff), ", \"new\": ", change->new_);
    hsd_json_known(&j->out, hsd_freed_is_known(j->diff), ", \"freed\": ", change->freed);
    hsd_json_known(&j->out, is_known, ", \"kept\": ", change->kept);
    put_resized(j, change);
}

/* Those that gave something, strong to weak: live in both, and their bytes after. */
static void put_rungs(json *j)
{
    const char *separator = "";
    hsd_out_text(&j->out, ", \"rungs\": [");
    for (int rung = 0; rung < HSD_MATCH_RUNG_COUNT; rung++) {
        const hsd_amount amount = j->diff->match.rungs[rung];
        if (amount.objects == 0) continue;
        hsd_out_text(&j->out, separator);
        hsd_json_text(&j->out, "{\"rung\": ", hsd_rung_name((hsd_match_rung)rung));
        hsd_json_count(&j->out, ", \"objects\": ", amount.objects);
        hsd_json_count(&j->out, ", \"bytes\": ", amount.bytes);
        hsd_out_text(&j->out, "}");
        separator = ", ";
    }
    hsd_out_text(&j->out, "]");
}

static void put_match(json *j)
{
    const hsd_match *match = &j->diff->match;
    hsd_json_text(&j->out, "  \"match\": {\"basis\": ", hsd_basis_name(j->diff));
    if (j->diff->match_reason.size > 0)
        hsd_json_string(&j->out, ", \"reason\": ", j->diff->match_reason);
    else
        hsd_out_text(&j->out, ", \"reason\": null");
    hsd_json_count(&j->out, ", \"exact\": ", match->exact);
    hsd_json_count(&j->out, ", \"address\": ", match->address);
    hsd_json_count(&j->out, ", \"structure\": ", match->structure);
    hsd_json_count(&j->out, ", \"unmatched_before\": ", match->unmatched_before);
    hsd_json_count(&j->out, ", \"unmatched_after\": ", match->unmatched_after);
    hsd_json_count(&j->out, ", \"ambiguous\": ", match->ambiguous);
    put_rungs(j);
    hsd_json_amount(&j->out, ", \"weak\": ", match->weak);
    hsd_json_count(&j->out, ", \"reused\": ", match->reused);
    hsd_json_count(&j->out, ", \"reuse_estimate\": ", match->reuse_estimate);
    hsd_json_texts(&j->out, ", \"warnings\": ", j->diff->warnings, j->diff->warning_count);
    hsd_out_text(&j->out, "},\n");
}

/* ---- tables ---- */

/* Rows of types overlap: what a list retains, its elements retain too. So there is no such sum. */
static void put_retained(json *j, const hsd_rank_row *row)
{
    if (!j->diff->has_holders) {
        hsd_out_text(&j->out, ", \"retained\": null");
        return;
    }
    hsd_json_count(&j->out, ", \"retained\": {\"before\": ", hsd_rank_row_retained(row, false));
    hsd_json_count(&j->out, ", \"after\": ", hsd_rank_row_retained(row, true));
    hsd_out_text(&j->out, "}");
}

static void put_row(json *j, const hsd_rank_row *row)
{
    hsd_json_string(&j->out, row->type ? "    {\"type\": " : "    {\"root\": ", row->name);
    if (row->root && row->root->is_shared)
        hsd_json_text(&j->out, ", \"kind\": ", "shared");
    else if (row->root)
        hsd_json_root_kind(&j->out, ", \"kind\": ", row->root->kind);
    hsd_out_text(&j->out, ", ");
    put_change(j, row->change);
    put_retained(j, row);
    if (row->type) {
        hsd_json_amount(&j->out, ", \"unreached\": {\"before\": ", row->type->unreached_before);
        hsd_json_amount(&j->out, ", \"after\": ", row->type->unreached_after);
        hsd_out_text(&j->out, "}");
        hsd_json_known(&j->out, hsd_new_is_known(j->diff), ", \"revived\": ", row->type->revived);
        hsd_json_known(&j->out, hsd_freed_is_known(j->diff), ", \"dropped\": ", row->type->dropped);
    } else {
        hsd_json_known(&j->out, j->diff->identity_is_known,
                       ", \"moved_in\": ", row->root->moved_in);
        hsd_json_known(&j->out, j->diff->identity_is_known,
                       ", \"moved_out\": ", row->root->moved_out);
    }
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

static void put_tables(json *j, const hsd_ranking *types, const hsd_ranking *roots)
{
    const size_t holders_shown = hsd_holders_shown(j->diff, j->options->top, HSD_TOP_ALL);
    put_table(j, "types", types);
    hsd_out_text(&j->out, ",\n");
    put_table(j, "roots", roots);
    hsd_out_text(&j->out, ",\n");
    hsd_json_holders(&j->out, j->diff, holders_shown);
    if (j->options->tree) {
        hsd_out_text(&j->out, ",\n");
        hsd_json_tree(&j->out, j->diff);
    }
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
    hsd_out_text(&j->out, "},\n");
}

hsd_status hsd_json_diff(const hsd_diff *diff, const hsd_report_options *options,
                             hsd_write_fn write, void *context, hsd_error *err)
{
    json j = {.diff = diff, .options = options};
    hsd_ranking types = {0}, roots = {0};
    const size_t top = options->top ? options->top : HSD_TOP_ALL;
    HSD_TRY(hsd_ranking_init(&types, diff, HSD_TABLE_TYPES, options->sort_by, top, 0, err));
    const hsd_status status =
        hsd_ranking_init(&roots, diff, HSD_TABLE_ROOTS, options->sort_by, top, 0, err);
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

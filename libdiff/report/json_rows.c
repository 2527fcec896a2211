/*
 * What stands in one row of JSON, without the braces around it: shared by the document and by its lines (ndjson).
 */
#include "report/json_rows.h"

#include "report/json_pieces.h"
#include "report/match.h"

static void put_resized(hsd_out *out, const hsd_diff *diff, const hsd_change *change)
{
    if (!diff->identity_is_known) {
        hsd_out_text(out, ", \"resized_bytes\": null, \"resized_objects\": null");
        return;
    }
    hsd_json_signed(out, ", \"resized_bytes\": ", change->resized_bytes);
    hsd_json_count(out, ", \"resized_objects\": ", change->resized_objects);
}

void hsd_json_change(hsd_out *out, const hsd_diff *diff, const hsd_change *change)
{
    const bool is_known = diff->identity_is_known;
    hsd_json_amount(out, "\"before\": ", change->before);
    hsd_json_amount(out, ", \"after\": ", change->after);
    hsd_json_signed(out, ", \"growth\": {\"objects\": ", hsd_change_objects(change));
    hsd_json_signed(out, ", \"bytes\": ", hsd_change_bytes(change));
    hsd_out_text(out, "}");
    hsd_json_known(out, hsd_new_is_known(diff), ", \"new\": ", change->new_);
    hsd_json_known(out, hsd_freed_is_known(diff), ", \"freed\": ", change->freed);
    hsd_json_known(out, is_known, ", \"kept\": ", change->kept);
    if (change->undecided.objects > 0) hsd_json_amount(out, ", \"undecided\": ", change->undecided);
    put_resized(out, diff, change);
}

/* ---- match ---- */

/* Those that gave something, strong to weak: live in both, and their bytes after. */
static void put_rungs(hsd_out *out, const hsd_diff *diff)
{
    const char *separator = "";
    hsd_out_text(out, ", \"rungs\": [");
    for (int rung = 0; rung < HSD_MATCH_RUNG_COUNT; rung++) {
        const hsd_amount amount = diff->match.rungs[rung];
        if (amount.objects == 0) continue;
        hsd_out_text(out, separator);
        hsd_json_text(out, "{\"rung\": ", hsd_rung_name((hsd_match_rung)rung));
        hsd_json_count(out, ", \"objects\": ", amount.objects);
        hsd_json_count(out, ", \"bytes\": ", amount.bytes);
        hsd_out_text(out, "}");
        separator = ", ";
    }
    hsd_out_text(out, "]");
}

void hsd_json_match(hsd_out *out, const hsd_diff *diff)
{
    const hsd_match *match = &diff->match;
    hsd_json_text(out, "\"basis\": ", hsd_basis_name(diff));
    if (diff->match_reason.size > 0)
        hsd_json_string(out, ", \"reason\": ", diff->match_reason);
    else
        hsd_out_text(out, ", \"reason\": null");
    hsd_json_count(out, ", \"exact\": ", match->exact);
    hsd_json_count(out, ", \"address\": ", match->address);
    hsd_json_count(out, ", \"structure\": ", match->structure);
    hsd_json_count(out, ", \"unmatched_before\": ", match->unmatched_before);
    hsd_json_count(out, ", \"unmatched_after\": ", match->unmatched_after);
    hsd_json_count(out, ", \"ambiguous\": ", match->ambiguous);
    put_rungs(out, diff);
    hsd_json_amount(out, ", \"weak\": ", match->weak);
    hsd_json_count(out, ", \"reused\": ", match->reused);
    hsd_json_count(out, ", \"reuse_estimate\": ", match->reuse_estimate);
    hsd_json_texts(out, ", \"warnings\": ", diff->warnings, diff->warning_count);
}

/* ---- rows ---- */

/* Rows of types overlap: what a list retains, its elements retain too. So there is no such sum. */
static void put_retained(hsd_out *out, const hsd_diff *diff, const hsd_rank_row *row)
{
    if (!diff->has_holders) {
        hsd_out_text(out, ", \"retained\": null");
        return;
    }
    hsd_json_count(out, ", \"retained\": {\"before\": ", hsd_rank_row_retained(row, false));
    hsd_json_count(out, ", \"after\": ", hsd_rank_row_retained(row, true));
    hsd_out_text(out, "}");
}

/* Ids of new objects, to look for in the capture after. */
static void put_examples(hsd_out *out, const hsd_type_row *type)
{
    hsd_out_text(out, ", \"examples\": [");
    for (uint32_t i = 0; i < type->example_count; i++)
        hsd_json_id(out, i > 0 ? ", " : "", type->examples[i]);
    hsd_out_text(out, "]");
}

void hsd_json_row(hsd_out *out, const hsd_diff *diff, const hsd_rank_row *row)
{
    hsd_json_string(out, row->type ? "\"type\": " : "\"root\": ", row->name);
    if (row->root && row->root->is_shared)
        hsd_json_text(out, ", \"kind\": ", "shared");
    else if (row->root)
        hsd_json_root_kind(out, ", \"kind\": ", row->root->kind);
    hsd_out_text(out, ", ");
    hsd_json_change(out, diff, row->change);
    put_retained(out, diff, row);
    if (row->type) {
        hsd_json_external(out, row->type->external_before, row->type->external_after);
        hsd_json_amount(out, ", \"unreached\": {\"before\": ", row->type->unreached_before);
        hsd_json_amount(out, ", \"after\": ", row->type->unreached_after);
        hsd_out_text(out, "}");
        hsd_json_known(out, hsd_new_is_known(diff), ", \"revived\": ", row->type->revived);
        hsd_json_known(out, hsd_freed_is_known(diff), ", \"dropped\": ", row->type->dropped);
        put_examples(out, row->type);
    } else {
        hsd_json_known(out, diff->identity_is_known,
                       ", \"moved_in\": ", row->root->moved_in);
        hsd_json_known(out, diff->identity_is_known,
                       ", \"moved_out\": ", row->root->moved_out);
    }
}

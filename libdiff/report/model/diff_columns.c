/*
 * The columns of a diff. Rows add up: new, freed, net and growth of all holders with their others are those of the
 * total, and so are the own amounts of all rows of the tree. Not known, so null: new, freed, kept and resized where
 * single objects cannot be recognised, freed where a capture is partial, new where the one before is.
 */
#include "report/model/diff_columns.h"

#include "report/model/columns.h"
#include "report/model/holder_rows.h"
#include "report/model/lost_rows.h"
#include "report/model/rank.h"
#include "report/model/site_rows.h"
#include "report/model/tree_rows.h"
#include "report/sentences/match.h"
#include "report/sentences/place.h"

static const hsd_diff *diff_of(const hsd_scope *scope) { return scope->result; }
static bool knows_objects(const hsd_scope *scope) { return diff_of(scope)->identity_is_known; }
static bool knows_new(const hsd_scope *scope) { return hsd_new_is_known(diff_of(scope)); }
static bool knows_freed(const hsd_scope *scope) { return hsd_freed_is_known(diff_of(scope)); }
static bool has_holders(const hsd_scope *scope) { return diff_of(scope)->has_holders; }

/* ---- a change ---- */

static hsd_value growth_of(const hsd_scope *scope)
{
    const hsd_change *change = scope->row;
    return hsd_value_net(hsd_change_objects(change), hsd_change_bytes(change));
}

static const hsd_column change_columns[] = {
    {"before", HSD_KIND_AMOUNT, HSD_AT(hsd_change, before)},
    {"after", HSD_KIND_AMOUNT, HSD_AT(hsd_change, after)},
    {"growth", HSD_KIND_NET, .get = growth_of},
    {"new", HSD_KIND_AMOUNT, HSD_AT(hsd_change, new_), .in = HSD_IN_PLAIN},
    {"freed", HSD_KIND_AMOUNT, HSD_AT(hsd_change, freed), .in = HSD_IN_PLAIN},
    {"new", HSD_KIND_AMOUNT, HSD_AT(hsd_change, new_), .is_known = knows_new},
    {"freed", HSD_KIND_AMOUNT, HSD_AT(hsd_change, freed), .is_known = knows_freed},
    {"kept", HSD_KIND_AMOUNT, HSD_AT(hsd_change, kept), .in = HSD_IN_JSON, .is_known = knows_objects},
    {"undecided", HSD_KIND_AMOUNT, HSD_AT(hsd_change, undecided), .in = HSD_IN_JSON, .flags = HSD_IF_ANY},
    {"resized_bytes", HSD_KIND_SIGNED, HSD_AT(hsd_change, resized_bytes), .is_known = knows_objects},
    {"resized_objects", HSD_KIND_COUNT, HSD_AT(hsd_change, resized_objects), .in = HSD_IN_JSON,
     .is_known = knows_objects},
    {0},
};

/* before, after, growth: of what is not told apart object by object. */
static const hsd_column growth_columns[] = {
    {"before", HSD_KIND_AMOUNT, HSD_AT(hsd_change, before)},
    {"after", HSD_KIND_AMOUNT, HSD_AT(hsd_change, after)},
    {"growth", HSD_KIND_NET, .get = growth_of},
    {0},
};

/* ---- how objects were recognised ---- */

static hsd_value rungs_of(const hsd_scope *scope)
{
    return hsd_value_items(diff_of(scope)->match.rungs, HSD_MATCH_RUNG_COUNT, sizeof(hsd_amount));
}

static bool gave_any(const hsd_scope *scope) { return !scope->row || ((const hsd_amount *)scope->row)->objects > 0; }
static hsd_value rung_name(const hsd_scope *scope)
{
    return hsd_value_string(hsd_rung_name((hsd_match_rung)scope->index));
}
static hsd_value basis_of(const hsd_scope *scope) { return hsd_value_string(hsd_basis_name(diff_of(scope))); }

/* Those that gave something, strong to weak: live in both, and their bytes after. */
const hsd_column hsd_diff_rung_columns[] = {
    {"rung", HSD_KIND_STRING, .get = rung_name, .has = gave_any},
    {"objects", HSD_KIND_COUNT, HSD_AT(hsd_amount, objects)},
    {"bytes", HSD_KIND_COUNT, HSD_AT(hsd_amount, bytes)},
    {0},
};

const hsd_column hsd_diff_match_columns[] = {
    {"basis", HSD_KIND_STRING, .get = basis_of},
    {"reason", HSD_KIND_TEXT, HSD_AT(hsd_diff, match_reason), .flags = HSD_OR_NULL},
    {"exact", HSD_KIND_COUNT, HSD_AT(hsd_diff, match.exact)},
    {"address", HSD_KIND_COUNT, HSD_AT(hsd_diff, match.address)},
    {"structure", HSD_KIND_COUNT, HSD_AT(hsd_diff, match.structure)},
    {"unmatched_before", HSD_KIND_COUNT, HSD_AT(hsd_diff, match.unmatched_before)},
    {"unmatched_after", HSD_KIND_COUNT, HSD_AT(hsd_diff, match.unmatched_after)},
    {"ambiguous", HSD_KIND_COUNT, HSD_AT(hsd_diff, match.ambiguous)},
    {"rungs", HSD_KIND_LIST, .get = rungs_of, .columns = hsd_diff_rung_columns},
    {"weak", HSD_KIND_AMOUNT, HSD_AT(hsd_diff, match.weak)},
    {"reused", HSD_KIND_COUNT, HSD_AT(hsd_diff, match.reused)},
    {"reuse_estimate", HSD_KIND_COUNT, HSD_AT(hsd_diff, match.reuse_estimate)},
    {"warnings", HSD_KIND_LIST, HSD_LIST_AT(hsd_diff, warnings, warning_count, hsd_text), .columns = hsd_text_column},
    {0},
};

const hsd_column hsd_diff_fact_columns[] = {
    {"identity_known", HSD_KIND_FLAG, HSD_AT(hsd_diff, identity_is_known)},
    {"partial", HSD_KIND_FLAG, HSD_AT(hsd_diff, is_partial)},
    {"summary", HSD_KIND_FLAG, HSD_AT(hsd_diff, is_summary)},
    {0},
};

/* ---- the total ---- */

static bool has_external(const hsd_scope *scope)
{
    return diff_of(scope)->external_before > 0 || diff_of(scope)->external_after > 0;
}

static const hsd_column external_columns[] = {
    {"before", HSD_KIND_COUNT, HSD_AT(hsd_diff, external_before)},
    {"after", HSD_KIND_COUNT, HSD_AT(hsd_diff, external_after)},
    {0},
};

const hsd_column hsd_diff_total_columns[] = {
    {NULL, HSD_KIND_SPREAD, .in = HSD_IN_RECORDS, .columns = hsd_diff_fact_columns},
    {NULL, HSD_KIND_SPREAD, HSD_AT(hsd_diff, total), .columns = change_columns},
    {"external", HSD_KIND_RECORD, .in = HSD_IN_DOCUMENT, .has = has_external, .columns = external_columns},
    {0},
};

/* ---- types and roots ---- */

static const hsd_rank_row *rank_of(const hsd_scope *scope) { return scope->row; }
static const void *change_in(const hsd_scope *scope) { return rank_of(scope)->change; }
static const void *type_in(const hsd_scope *scope) { return rank_of(scope)->type; }
static const void *root_in(const hsd_scope *scope) { return rank_of(scope)->root; }
static hsd_value retained_before(const hsd_scope *scope)
{
    return hsd_value_count(hsd_rank_row_retained(scope->row, false));
}
static hsd_value retained_after(const hsd_scope *scope)
{
    return hsd_value_count(hsd_rank_row_retained(scope->row, true));
}

/* Rows overlap in what they retain: what a list retains, its elements retain too. So there is no such sum. */
static bool knows_retained(const hsd_scope *scope) { return has_holders(scope) && !scope->is_rest; }

static const hsd_column retained_columns[] = {
    {"before", HSD_KIND_COUNT, .get = retained_before},
    {"after", HSD_KIND_COUNT, .get = retained_after},
    {0},
};

static bool type_has_external(const hsd_scope *scope)
{
    const hsd_type_row *type = scope->row;
    return type->external_before > 0 || type->external_after > 0;
}

static hsd_value examples_of(const hsd_scope *scope)
{
    const hsd_type_row *type = scope->row;
    return hsd_value_items(type->examples, type->example_count, sizeof type->examples[0]);
}

static const hsd_column type_external_columns[] = {
    {"before", HSD_KIND_COUNT, HSD_AT(hsd_type_row, external_before)},
    {"after", HSD_KIND_COUNT, HSD_AT(hsd_type_row, external_after)},
    {0},
};

static const hsd_column unreached_columns[] = {
    {"before", HSD_KIND_AMOUNT, HSD_AT(hsd_type_row, unreached_before)},
    {"after", HSD_KIND_AMOUNT, HSD_AT(hsd_type_row, unreached_after)},
    {0},
};

static const hsd_column id_column[] = {{NULL, HSD_KIND_ID, .at = 0}, {0}};

static const hsd_column of_type_columns[] = {
    {"external", HSD_KIND_RECORD, .has = type_has_external, .columns = type_external_columns},
    {"unreached", HSD_KIND_RECORD, .columns = unreached_columns},
    {"revived", HSD_KIND_AMOUNT, HSD_AT(hsd_type_row, revived), .is_known = knows_new},
    {"dropped", HSD_KIND_AMOUNT, HSD_AT(hsd_type_row, dropped), .is_known = knows_freed},
    /* to look for in the capture after */
    {"examples", HSD_KIND_LIST, .get = examples_of, .columns = id_column},
    {0},
};

static const hsd_column unreached_of_type_column[] = {{"unreached", HSD_KIND_RECORD, .columns = unreached_columns},
                                                      {0}};

const hsd_column hsd_diff_type_columns[] = {
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_rank_row, name), .in = HSD_IN_JSON},
    {"name", HSD_KIND_TEXT, HSD_AT(hsd_rank_row, name), .in = HSD_IN_CSV},
    {NULL, HSD_KIND_SPREAD, .into = change_in, .columns = change_columns},
    {NULL, HSD_KIND_SPREAD, .in = HSD_IN_CSV, .into = type_in, .columns = unreached_of_type_column},
    {"retained", HSD_KIND_RECORD, .in = HSD_IN_JSON, .is_known = has_holders, .columns = retained_columns},
    {"retained_before_bytes", HSD_KIND_COUNT, .in = HSD_IN_CSV, .get = retained_before, .is_known = knows_retained},
    {"retained_after_bytes", HSD_KIND_COUNT, .in = HSD_IN_CSV, .get = retained_after, .is_known = knows_retained},
    {NULL, HSD_KIND_SPREAD, .in = HSD_IN_JSON, .into = type_in, .columns = of_type_columns},
    {0},
};

static hsd_value kind_of_root(const hsd_scope *scope)
{
    const hsd_root_row *root = rank_of(scope)->root;
    return hsd_value_string(root->is_shared ? "shared" : hsd_root_kind_word(root->kind));
}

static const hsd_column of_root_columns[] = {
    {"moved_in", HSD_KIND_AMOUNT, HSD_AT(hsd_root_row, moved_in), .is_known = knows_objects},
    {"moved_out", HSD_KIND_AMOUNT, HSD_AT(hsd_root_row, moved_out), .is_known = knows_objects},
    {0},
};

const hsd_column hsd_diff_root_columns[] = {
    {"root", HSD_KIND_TEXT, HSD_AT(hsd_rank_row, name), .in = HSD_IN_JSON},
    {"name", HSD_KIND_TEXT, HSD_AT(hsd_rank_row, name), .in = HSD_IN_CSV},
    {"kind", HSD_KIND_STRING, .in = HSD_IN_JSON, .get = kind_of_root},
    {NULL, HSD_KIND_SPREAD, .into = change_in, .columns = change_columns},
    {"retained", HSD_KIND_RECORD, .in = HSD_IN_JSON, .is_known = has_holders, .columns = retained_columns},
    {"retained_before_bytes", HSD_KIND_COUNT, .in = HSD_IN_CSV, .get = retained_before, .is_known = knows_retained},
    {"retained_after_bytes", HSD_KIND_COUNT, .in = HSD_IN_CSV, .get = retained_after, .is_known = knows_retained},
    {NULL, HSD_KIND_SPREAD, .in = HSD_IN_JSON, .into = root_in, .columns = of_root_columns},
    {0},
};

const hsd_column hsd_diff_other_rank_columns[] = {{NULL, HSD_KIND_SPREAD, .into = change_in, .columns = change_columns},
                                                  {0}};

/* ---- holders ---- */

static hsd_value net_of_type(const hsd_scope *scope)
{
    const hsd_type_growth *type = scope->row;
    return hsd_value_signed(type->net_objects);
}

static const hsd_column holder_type_columns[] = {
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_type_growth, type)},
    {"objects", HSD_KIND_SIGNED, .get = net_of_type},
    {"bytes", HSD_KIND_SIGNED, HSD_AT(hsd_type_growth, net_bytes)},
    {"new", HSD_KIND_AMOUNT, HSD_AT(hsd_type_growth, new_), .is_known = knows_new},
    {"freed", HSD_KIND_AMOUNT, HSD_AT(hsd_type_growth, freed), .is_known = knows_freed},
    {0},
};

static hsd_value edge_growth(const hsd_scope *scope)
{
    const hsd_growth_edge *edge = scope->row;
    return hsd_value_signed((int64_t)(edge->after.objects - edge->before.objects));
}

static const hsd_column edge_columns[] = {
    {"place", HSD_KIND_TEXT, HSD_AT(hsd_growth_edge, edge), .in = HSD_IN_PLAIN},
    {"growth_objects", HSD_KIND_SIGNED, .in = HSD_IN_PLAIN, .get = edge_growth},
    {"depth", HSD_KIND_COUNT32, HSD_AT(hsd_growth_edge, depth)},
    {"edge", HSD_KIND_TEXT, HSD_AT(hsd_growth_edge, edge)},
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_growth_edge, type)},
    {"before", HSD_KIND_AMOUNT, HSD_AT(hsd_growth_edge, before)},
    {"after", HSD_KIND_AMOUNT, HSD_AT(hsd_growth_edge, after)},
    {"new", HSD_KIND_AMOUNT, HSD_AT(hsd_growth_edge, new_), .is_known = knows_new},
    {"freed", HSD_KIND_AMOUNT, HSD_AT(hsd_growth_edge, freed), .is_known = knows_freed},
    {"growth_bytes", HSD_KIND_SIGNED, HSD_AT(hsd_growth_edge, growth_bytes)},
    {0},
};

static hsd_value net_of_holder(const hsd_scope *scope)
{
    const hsd_holder *holder = scope->row;
    return hsd_value_net(holder->net_objects, holder->net_bytes);
}

const hsd_column hsd_diff_holder_sum_columns[] = {
    {"new", HSD_KIND_AMOUNT, HSD_AT(hsd_holder, new_), .is_known = knows_new},
    {"freed", HSD_KIND_AMOUNT, HSD_AT(hsd_holder, freed), .is_known = knows_freed},
    {"net", HSD_KIND_NET, .get = net_of_holder},
    {"resized_bytes", HSD_KIND_SIGNED, HSD_AT(hsd_holder, resized_bytes)},
    {"growth_bytes", HSD_KIND_SIGNED, HSD_AT(hsd_holder, growth_bytes)},
    {0},
};

static hsd_status holder_place(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    const hsd_holder *holder = scope->row;
    return hsd_place_append(text, &(hsd_spot){holder->root, holder->path, holder->path_count, holder->path_cut}, err);
}

static bool has_id(const hsd_scope *scope) { return ((const hsd_holder *)scope->row)->has_id; }

/* By what it is held together, as one text. */
static hsd_status held_by(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    const hsd_holder *holder = scope->row;
    for (size_t i = 0; i < holder->by_count; i++) {
        if (i > 0) HSD_TRY(hsd_buffer_append(text, "; ", 2, err));
        HSD_TRY(hsd_co_holder_append(text, &holder->by[i], ": ", "", err));
    }
    return HSD_OK;
}

/* 0 is the holder; what is deeper hangs from the record before that is higher. */
static hsd_value depth_below(const hsd_scope *scope) { return hsd_value_count(scope->above != NULL); }

const hsd_column hsd_diff_holder_columns[] = {
    {"depth", HSD_KIND_COUNT, .in = HSD_IN_PLAIN, .get = depth_below},
    {"growth_objects", HSD_KIND_SIGNED, HSD_AT(hsd_holder, net_objects), .in = HSD_IN_PLAIN},
    {NULL, HSD_KIND_SPREAD, .in = HSD_IN_JSON, .columns = hsd_who_columns},
    {"root", HSD_KIND_TEXT, HSD_AT(hsd_holder, root), .in = HSD_IN_CSV},
    {"place", HSD_KIND_WORDS, .in = HSD_IN_CSV, .words = holder_place},
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_holder, type), .in = HSD_IN_CSV},
    {"object", HSD_KIND_ID, HSD_AT(hsd_holder, id), .in = HSD_IN_CSV, .is_known = has_id},
    {NULL, HSD_KIND_SPREAD, .columns = hsd_diff_holder_sum_columns},
    {"held_by", HSD_KIND_WORDS, .in = HSD_IN_CSV, .words = held_by},
    {"types", HSD_KIND_LIST, HSD_LIST_AT(hsd_holder, types, type_count, hsd_type_growth), .in = HSD_IN_JSON,
     .columns = holder_type_columns},
    {"edges", HSD_KIND_LIST, HSD_LIST_AT(hsd_holder, edges, edge_count, hsd_growth_edge), .in = HSD_IN_JSON,
     .columns = edge_columns},
    {0},
};

/* ---- sizes ---- */

static hsd_value sizes_before(const hsd_scope *scope)
{
    return hsd_value_items(((const hsd_size_row *)scope->row)->before, HSD_SIZE_BUCKETS, sizeof(hsd_amount));
}

static hsd_value sizes_after(const hsd_scope *scope)
{
    return hsd_value_items(((const hsd_size_row *)scope->row)->after, HSD_SIZE_BUCKETS, sizeof(hsd_amount));
}

static hsd_value bucket_number(const hsd_scope *scope) { return hsd_value_count(scope->index); }

/* Three numbers each; of 65 most are empty. */
static const hsd_column bucket_columns[] = {
    {NULL, HSD_KIND_COUNT, .get = bucket_number, .has = gave_any},
    {NULL, HSD_KIND_COUNT, HSD_AT(hsd_amount, objects)},
    {NULL, HSD_KIND_COUNT, HSD_AT(hsd_amount, bytes)},
    {0},
};

const hsd_column hsd_diff_size_columns[] = {
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_size_row, type)},
    {"before", HSD_KIND_LIST, .get = sizes_before, .columns = bucket_columns},
    {"after", HSD_KIND_LIST, .get = sizes_after, .columns = bucket_columns},
    {0},
};

/* ---- the tree: parents before children ---- */

static size_t tree_number(const hsd_scope *scope)
{
    return (size_t)((const hsd_tree_row *)scope->row - diff_of(scope)->tree);
}
static hsd_value number_of_place(const hsd_scope *scope) { return hsd_value_count(tree_number(scope)); }
static bool has_parent(const hsd_scope *scope) { return tree_number(scope) > 0; }

static hsd_value word_of_place(const hsd_scope *scope)
{
    const hsd_tree_row *row = scope->row;
    return hsd_value_string(row->is_root ? "root" : tree_number(scope) > 0 ? "place" : "total");
}

static const hsd_column own_columns[] = {
    {"before", HSD_KIND_AMOUNT, HSD_AT(hsd_tree_row, own_before)},
    {"after", HSD_KIND_AMOUNT, HSD_AT(hsd_tree_row, own_after)},
    {"new", HSD_KIND_AMOUNT, HSD_AT(hsd_tree_row, own_new), .is_known = knows_new},
    {"freed", HSD_KIND_AMOUNT, HSD_AT(hsd_tree_row, own_freed), .is_known = knows_freed},
    {0},
};

static const hsd_column all_columns[] = {
    {"before", HSD_KIND_AMOUNT, HSD_AT(hsd_tree_row, before)},
    {"after", HSD_KIND_AMOUNT, HSD_AT(hsd_tree_row, after)},
    {"new", HSD_KIND_AMOUNT, HSD_AT(hsd_tree_row, new_), .is_known = knows_new},
    {"freed", HSD_KIND_AMOUNT, HSD_AT(hsd_tree_row, freed), .is_known = knows_freed},
    {0},
};

static hsd_value tree_growth(const hsd_scope *scope)
{
    const hsd_change change = hsd_tree_change(scope->row);
    return hsd_value_net(hsd_change_objects(&change), hsd_change_bytes(&change));
}

static bool is_row(const hsd_scope *scope) { return !scope->is_rest; }

const hsd_column hsd_diff_tree_columns[] = {
    {"growth", HSD_KIND_NET, .in = HSD_IN_PLAIN, .get = tree_growth},
    {"row", HSD_KIND_STRING, .in = HSD_IN_CSV, .get = word_of_place},
    {"row", HSD_KIND_COUNT, .in = HSD_IN_RECORDS, .get = number_of_place},
    {"number", HSD_KIND_COUNT, .in = HSD_IN_CSV, .get = number_of_place},
    {"depth", HSD_KIND_COUNT32, HSD_AT(hsd_tree_row, depth), .is_known = is_row},
    {"parent", HSD_KIND_COUNT32, HSD_AT(hsd_tree_row, parent), .is_known = has_parent},
    {"is_root", HSD_KIND_FLAG, HSD_AT(hsd_tree_row, is_root), .in = HSD_IN_JSON},
    {"edge", HSD_KIND_TEXT, HSD_AT(hsd_tree_row, edge)},
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_tree_row, type)},
    {"own", HSD_KIND_RECORD, .columns = own_columns},
    {"total", HSD_KIND_RECORD, .in = HSD_IN_JSON, .columns = all_columns},
    {NULL, HSD_KIND_SPREAD, .in = HSD_IN_CSV | HSD_IN_PLAIN, .columns = all_columns},
    {0},
};

const hsd_column hsd_diff_tree_fact_columns[] = {
    {"tree_depth", HSD_KIND_COUNT32, HSD_AT(hsd_diff, tree_depth)},
    {"tree_least_bytes", HSD_KIND_COUNT, HSD_AT(hsd_diff, tree_least_bytes)},
    {0},
};

/* ---- sites: frames innermost first, `frame` is the one that wanted the memory; none where no site is known ---- */

static bool has_site(const hsd_scope *scope) { return ((const hsd_site_row *)scope->row)->frame_count > 0; }

/* A stack in one field, the innermost frame first. */
static hsd_status stack_of(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    const hsd_site_row *row = scope->row;
    if (scope->is_rest) return HSD_OK;
    HSD_TRY(hsd_site_append(text, row, err));
    for (size_t i = row->wanted + 1; i < row->frame_count; i++) {
        HSD_TRY(hsd_buffer_append(text, " < ", 3, err));
        HSD_TRY(hsd_site_frame_append(text, &row->frames[i], err));
    }
    return HSD_OK;
}

const hsd_column hsd_diff_site_columns[] = {
    {"stack", HSD_KIND_WORDS, .in = HSD_IN_PLAIN, .words = stack_of},
    {"frames", HSD_KIND_LIST, HSD_LIST_AT(hsd_site_row, frames, frame_count, hsd_site_frame),
     .columns = hsd_frame_columns},
    {"frame", HSD_KIND_SIZE, HSD_AT(hsd_site_row, wanted), .is_known = has_site},
    {NULL, HSD_KIND_SPREAD, HSD_AT(hsd_site_row, change), .columns = growth_columns},
    {0},
};

const hsd_column hsd_diff_other_site_columns[] = {
    {NULL, HSD_KIND_SPREAD, HSD_AT(hsd_site_row, change), .columns = growth_columns}, {0}};

/* ---- what is lost, or not collected yet ---- */

static hsd_value lost_growth(const hsd_scope *scope)
{
    const hsd_change change = hsd_lost_change(scope->row);
    return hsd_value_net(hsd_change_objects(&change), hsd_change_bytes(&change));
}

static bool lost_has_site(const hsd_scope *scope) { return ((const hsd_lost_row *)scope->row)->frame_count > 0; }
static bool knows_heads(const hsd_scope *scope) { return !diff_of(scope)->lost.is_by_type; }
static bool knows_revived(const hsd_scope *scope) { return diff_of(scope)->uncollected.knows_revived; }

static const hsd_column head_columns[] = {
    {"before", HSD_KIND_AMOUNT, HSD_AT(hsd_lost_row, heads_before)},
    {"after", HSD_KIND_AMOUNT, HSD_AT(hsd_lost_row, heads_after)},
    {0},
};

const hsd_column hsd_diff_lost_sum_columns[] = {
    {"before", HSD_KIND_AMOUNT, HSD_AT(hsd_lost_row, before)},
    {"after", HSD_KIND_AMOUNT, HSD_AT(hsd_lost_row, after)},
    {"growth", HSD_KIND_NET, .get = lost_growth},
    {"heads", HSD_KIND_RECORD, .in = HSD_IN_JSON, .is_known = knows_heads, .columns = head_columns},
    {"before_heads", HSD_KIND_COUNT, HSD_AT(hsd_lost_row, heads_before.objects), .in = HSD_IN_CSV,
     .is_known = knows_heads},
    {"after_heads", HSD_KIND_COUNT, HSD_AT(hsd_lost_row, heads_after.objects), .in = HSD_IN_CSV,
     .is_known = knows_heads},
    {0},
};

const hsd_column hsd_diff_lost_columns[] = {
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_lost_row, type)},
    {"cycle", HSD_KIND_TEXT, HSD_AT(hsd_lost_row, cycle), .flags = HSD_OR_NULL},
    {"place", HSD_KIND_TEXT, HSD_AT(hsd_lost_row, place), .in = HSD_IN_CSV},
    {"frames", HSD_KIND_LIST, HSD_LIST_AT(hsd_lost_row, frames, frame_count, hsd_site_frame), .in = HSD_IN_JSON,
     .columns = hsd_frame_columns},
    {"frame", HSD_KIND_SIZE, HSD_AT(hsd_lost_row, wanted), .in = HSD_IN_JSON, .is_known = lost_has_site},
    {NULL, HSD_KIND_SPREAD, .columns = hsd_diff_lost_sum_columns},
    {0},
};

const hsd_column hsd_diff_uncollected_sum_columns[] = {
    {"before", HSD_KIND_AMOUNT, HSD_AT(hsd_lost_row, before)},
    {"after", HSD_KIND_AMOUNT, HSD_AT(hsd_lost_row, after)},
    {"growth", HSD_KIND_NET, .get = lost_growth},
    {"revived", HSD_KIND_AMOUNT, HSD_AT(hsd_lost_row, revived), .is_known = knows_revived},
    {0},
};

const hsd_column hsd_diff_uncollected_columns[] = {
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_lost_row, type)},
    {NULL, HSD_KIND_SPREAD, .columns = hsd_diff_uncollected_sum_columns},
    {0},
};

/* ---- --plain ---- */

static hsd_value matched_of(const hsd_scope *scope)
{
    const hsd_match *match = &diff_of(scope)->match;
    return hsd_value_count(match->exact + match->address + match->structure);
}

const hsd_column hsd_diff_plain_basis_columns[] = {
    {"basis", HSD_KIND_STRING, .get = basis_of},
    {"matched_objects", HSD_KIND_COUNT, .get = matched_of, .is_known = knows_objects},
    {"only_before_objects", HSD_KIND_COUNT, HSD_AT(hsd_diff, match.unmatched_before), .is_known = knows_objects},
    {"only_after_objects", HSD_KIND_COUNT, HSD_AT(hsd_diff, match.unmatched_after), .is_known = knows_objects},
    {"ambiguous_objects", HSD_KIND_COUNT, HSD_AT(hsd_diff, match.ambiguous), .is_known = knows_objects},
    {"reused_addresses", HSD_KIND_COUNT, HSD_AT(hsd_diff, match.reused), .is_known = knows_objects},
    {"reuse_estimate", HSD_KIND_COUNT, HSD_AT(hsd_diff, match.reuse_estimate), .is_known = knows_objects},
    {"reason", HSD_KIND_TEXT, HSD_AT(hsd_diff, match_reason)},
    {0},
};

static hsd_status co_holder_place(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    const hsd_co_holder *by = scope->row;
    return hsd_place_append(text, &(hsd_spot){by->root, by->path, by->path_count, by->path_cut}, err);
}

/* Of what holds together the growth is what each reaches. */
static const hsd_column plain_co_holder_columns[] = {
    {"depth", HSD_KIND_COUNT, .get = depth_below},
    {"place", HSD_KIND_WORDS, .words = co_holder_place},
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_co_holder, type)},
    {"growth_bytes", HSD_KIND_COUNT, HSD_AT(hsd_co_holder, bytes)},
    {0},
};

const hsd_column hsd_diff_co_holder_list = {
    .kind = HSD_KIND_LIST, HSD_LIST_AT(hsd_holder, by, by_count, hsd_co_holder), .columns = plain_co_holder_columns};
const hsd_column hsd_diff_edge_list = {
    .kind = HSD_KIND_LIST, HSD_LIST_AT(hsd_holder, edges, edge_count, hsd_growth_edge), .columns = edge_columns};

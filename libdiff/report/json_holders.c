/*
 * Holders and the tree as JSON. Rows add up: new, freed, net and growth of all holders, "others" included, are those of
 * "total"; the own amounts of all rows of the tree are too.
 */
#include "report/json_holders.h"

#include "report/holder_rows.h"
#include "report/json_pieces.h"

static void put_net(hsd_out *out, const char *key, int64_t objects, int64_t bytes)
{
    hsd_out_text(out, key);
    hsd_json_signed(out, "{\"objects\": ", objects);
    hsd_json_signed(out, ", \"bytes\": ", bytes);
    hsd_out_text(out, "}");
}

static void put_new_and_freed(hsd_out *out, const hsd_diff *diff, hsd_amount fresh,
                              hsd_amount freed)
{
    hsd_json_known(out, hsd_new_is_known(diff), ", \"new\": ", fresh);
    hsd_json_known(out, hsd_freed_is_known(diff), ", \"freed\": ", freed);
}

static void put_sums(hsd_out *out, const hsd_diff *diff, const hsd_holder *holder)
{
    put_new_and_freed(out, diff, holder->new_, holder->freed);
    put_net(out, ", \"net\": ", holder->net_objects, holder->net_bytes);
    hsd_json_signed(out, ", \"resized_bytes\": ", holder->resized_bytes);
    hsd_json_signed(out, ", \"growth_bytes\": ", holder->growth_bytes);
}

static void put_types(hsd_out *out, const hsd_diff *diff, const hsd_holder *holder)
{
    hsd_out_text(out, ", \"types\": [");
    for (size_t i = 0; i < holder->type_count; i++) {
        const hsd_type_growth *type = &holder->types[i];
        hsd_json_string(out, i > 0 ? ", {\"type\": " : "{\"type\": ", type->type);
        hsd_json_signed(out, ", \"objects\": ", type->net_objects);
        hsd_json_signed(out, ", \"bytes\": ", type->net_bytes);
        put_new_and_freed(out, diff, type->new_, type->freed);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, "]");
}

static void put_edges(hsd_out *out, const hsd_diff *diff, const hsd_holder *holder)
{
    hsd_out_text(out, ", \"edges\": [");
    for (size_t i = 0; i < holder->edge_count; i++) {
        const hsd_growth_edge *edge = &holder->edges[i];
        hsd_json_count(out, i > 0 ? ", {\"depth\": " : "{\"depth\": ", edge->depth);
        hsd_json_string(out, ", \"edge\": ", edge->edge);
        hsd_json_string(out, ", \"type\": ", edge->type);
        hsd_json_amount(out, ", \"before\": ", edge->before);
        hsd_json_amount(out, ", \"after\": ", edge->after);
        put_new_and_freed(out, diff, edge->new_, edge->freed);
        hsd_json_signed(out, ", \"growth_bytes\": ", edge->growth_bytes);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, "]");
}

/* What is not an object has no type: the name of a root. */
static void put_type(hsd_out *out, hsd_text type, size_t path_count)
{
    if (type.size > 0 || path_count > 0)
        hsd_json_string(out, "\"type\": ", type);
    else
        hsd_out_text(out, "\"type\": null");
}

static void put_root(hsd_out *out, hsd_text root, uint32_t kind)
{
    hsd_json_string(out, ", \"root\": ", root);
    if (hsd_root_is_nobody(root) || hsd_root_is_code(root))
        hsd_out_text(out, ", \"kind\": null");
    else
        hsd_json_root_kind(out, ", \"kind\": ", kind);
}

static void put_path(hsd_out *out, const hsd_step *path, size_t count, uint64_t cut)
{
    hsd_json_steps(out, ", \"path\": ", path, count);
    if (cut > 0) hsd_json_count(out, ", \"path_cut\": ", cut);
}

/* By what it is held together; nothing where one thing holds it. */
static void put_held_by(hsd_out *out, const hsd_holder *holder)
{
    if (holder->by_count == 0) return;
    hsd_json_count(out, ", \"held_together_bytes\": ", holder->by_bytes);
    hsd_out_text(out, ", \"held_by\": [");
    for (size_t i = 0; i < holder->by_count; i++) {
        const hsd_co_holder *by = &holder->by[i];
        hsd_out_text(out, i > 0 ? ", {" : "{");
        put_type(out, by->type, by->path_count);
        put_root(out, by->root, by->root_kind);
        put_path(out, by->path, by->path_count, by->path_cut);
        hsd_json_count(out, ", \"bytes\": ", by->bytes);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, "]");
}

static void put_who(hsd_out *out, const hsd_holder *holder)
{
    put_type(out, holder->type, holder->path_count);
    if (holder->has_id)
        hsd_json_id(out, ", \"object\": ", holder->id);
    else
        hsd_out_text(out, ", \"object\": null");
    put_root(out, holder->root, holder->root_kind);
    put_path(out, holder->path, holder->path_count, holder->path_cut);
    if (holder->thread_count > 0) hsd_json_count(out, ", \"threads\": ", holder->thread_count);
    put_held_by(out, holder);
}

void hsd_json_held(hsd_out *out, const char *key, const hsd_holder *const *holders, size_t count)
{
    if (count == 0) return;
    hsd_out_text(out, key);
    for (size_t i = 0; i < count; i++) {
        hsd_out_text(out, i > 0 ? ", {" : "[{");
        put_who(out, holders[i]);
        hsd_json_signed(out, ", \"growth_bytes\": ", holders[i]->growth_bytes);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, "]");
}

void hsd_json_holder(hsd_out *out, const hsd_diff *diff, const hsd_holder *holder)
{
    put_who(out, holder);
    put_sums(out, diff, holder);
    put_types(out, diff, holder);
    put_edges(out, diff, holder);
}

void hsd_json_holders(hsd_out *out, const hsd_diff *diff, size_t shown)
{
    if (!diff->has_holders) {
        hsd_out_text(out, "  \"holders\": null,\n");
        hsd_json_string(out, "  \"why_no_holders\": ", diff->why_no_holders);
        return;
    }
    hsd_out_text(out, "  \"holders\": [");
    for (size_t i = 0; i < shown; i++) {
        hsd_out_text(out, i > 0 ? ",\n    {" : "\n    {");
        hsd_json_holder(out, diff, &diff->holders[i]);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, shown > 0 ? "\n  ]" : "]");
}

void hsd_json_holder_rest(hsd_out *out, const hsd_diff *diff, size_t shown)
{
    const hsd_holder_rest rest = hsd_holders_rest(diff, shown);
    hsd_json_count(out, "\"rows\": ", rest.rows);
    put_sums(out, diff, &rest.sum);
}

void hsd_json_other_holders(hsd_out *out, const hsd_diff *diff, size_t shown)
{
    hsd_out_text(out, "\"holders\": {");
    hsd_json_holder_rest(out, diff, shown);
    hsd_out_text(out, "}");
}

/* ---- the tree ---- */

static void put_place(hsd_out *out, const hsd_diff *diff, const char *key,
                      const hsd_amount amounts[4])
{
    hsd_out_text(out, key);
    hsd_json_amount(out, "{\"before\": ", amounts[0]);
    hsd_json_amount(out, ", \"after\": ", amounts[1]);
    put_new_and_freed(out, diff, amounts[2], amounts[3]);
    hsd_out_text(out, "}");
}

void hsd_json_place(hsd_out *out, const hsd_diff *diff, size_t i)
{
    const hsd_tree_row *row = &diff->tree[i];
    const hsd_amount own[] = {row->own_before, row->own_after, row->own_new, row->own_freed};
    const hsd_amount all[] = {row->before, row->after, row->new_, row->freed};
    hsd_json_count(out, "\"depth\": ", row->depth);
    if (i > 0)
        hsd_json_count(out, ", \"parent\": ", row->parent);
    else
        hsd_out_text(out, ", \"parent\": null");
    hsd_json_bool(out, ", \"is_root\": ", row->is_root);
    hsd_json_string(out, ", \"edge\": ", row->edge);
    hsd_json_string(out, ", \"type\": ", row->type);
    put_place(out, diff, ", \"own\": ", own);
    put_place(out, diff, ", \"total\": ", all);
}

void hsd_json_tree(hsd_out *out, const hsd_diff *diff)
{
    if (!diff->has_holders) {
        hsd_out_text(out, "  \"tree\": null");
        return;
    }
    hsd_json_count(out, "  \"tree_depth\": ", diff->tree_depth);
    hsd_json_count(out, ",\n  \"tree_least_bytes\": ", diff->tree_least_bytes);
    hsd_out_text(out, ",\n  \"tree\": [");
    for (size_t i = 0; i < diff->tree_count; i++) {
        hsd_out_text(out, i > 0 ? ",\n    {" : "\n    {");
        hsd_json_place(out, diff, i);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, diff->tree_count > 0 ? "\n  ]" : "]");
}

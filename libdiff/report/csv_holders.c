/*
 * Holders and the tree as CSV. Without holders a table is its heading alone.
 */
#include "report/csv_holders.h"

#include "report/holder_rows.h"
#include "report/place.h"

static void put_count(hsd_out *out, uint64_t value)
{
    hsd_out_format(out, ",%llu", (unsigned long long)value);
}

static void put_signed(hsd_out *out, int64_t value)
{
    hsd_out_format(out, ",%lld", (long long)value);
}

static void put_amount(hsd_out *out, bool is_known, hsd_amount value)
{
    if (!is_known) {
        hsd_out_text(out, ",,");
        return;
    }
    put_count(out, value.objects);
    put_count(out, value.bytes);
}

static void put_field(hsd_out *out, hsd_text text)
{
    hsd_out_text(out, ",");
    hsd_out_escaped(out, HSD_ESCAPE_CSV, text);
}

/* ---- holders ---- */

/* Root, the whole place as one text, type, id. */
static void put_place(hsd_out *out, const hsd_holder *holder)
{
    const hsd_spot place = {holder->root, holder->path, holder->path_count, holder->path_cut};
    hsd_buffer text = {0};
    put_field(out, holder->root);
    if (out->status == HSD_OK) out->status = hsd_place_append(&text, &place, out->err);
    put_field(out, (hsd_text){(const char *)text.data, text.size});
    hsd_buffer_release(&text);
    put_field(out, holder->type);
    if (holder->has_id)
        hsd_out_format(out, ",0x%llx", (unsigned long long)holder->id);
    else
        hsd_out_text(out, ",");
}

static void put_sums(hsd_out *out, const hsd_diff *diff, const hsd_holder *holder)
{
    put_amount(out, hsd_new_is_known(diff), holder->new_);
    put_amount(out, hsd_freed_is_known(diff), holder->freed);
    put_signed(out, holder->net_objects);
    put_signed(out, holder->net_bytes);
    put_signed(out, holder->resized_bytes);
    put_signed(out, holder->growth_bytes);
}

/* By what it is held together, as one text. */
static void put_held_by(hsd_out *out, const hsd_holder *holder)
{
    hsd_buffer text = {0};
    for (size_t i = 0; i < holder->by_count && out->status == HSD_OK; i++) {
        if (i > 0) out->status = hsd_buffer_append(&text, "; ", 2, out->err);
        if (out->status == HSD_OK) out->status = hsd_co_holder_append(&text, &holder->by[i], ": ", "", out->err);
    }
    put_field(out, (hsd_text){(const char *)text.data, text.size});
    hsd_buffer_release(&text);
    hsd_out_text(out, "\r\n");
}

void hsd_csv_holders(hsd_out *out, const hsd_diff *diff, size_t shown)
{
    const hsd_holder_rest rest = hsd_holders_rest(diff, shown);
    hsd_out_text(out, "row,root,place,type,object,new_objects,new_bytes,freed_objects,freed_bytes,"
                      "net_objects,net_bytes,resized_bytes,growth_bytes,held_by\r\n");
    for (size_t i = 0; i < shown; i++) {
        hsd_out_text(out, "holder");
        put_place(out, &diff->holders[i]);
        put_sums(out, diff, &diff->holders[i]);
        put_held_by(out, &diff->holders[i]);
    }
    if (rest.rows == 0) return;
    hsd_out_text(out, "others,,,,");
    put_sums(out, diff, &rest.sum);
    put_held_by(out, &rest.sum);
}

/* ---- the tree ---- */

static void put_row(hsd_out *out, const hsd_diff *diff, size_t i)
{
    const hsd_tree_row *row = &diff->tree[i];
    const bool knows_new = hsd_new_is_known(diff), knows_freed = hsd_freed_is_known(diff);
    hsd_out_format(out, "%s,%llu,%lu",
                   row->is_root ? "root"
                   : i > 0      ? "place"
                                : "total",
                   (unsigned long long)i, (unsigned long)row->depth);
    if (i > 0)
        put_count(out, row->parent);
    else
        hsd_out_text(out, ",");
    put_field(out, row->edge);
    put_field(out, row->type);
    put_amount(out, true, row->own_before);
    put_amount(out, true, row->own_after);
    put_amount(out, knows_new, row->own_new);
    put_amount(out, knows_freed, row->own_freed);
    put_amount(out, true, row->before);
    put_amount(out, true, row->after);
    put_amount(out, knows_new, row->new_);
    put_amount(out, knows_freed, row->freed);
    hsd_out_text(out, "\r\n");
}

void hsd_csv_tree(hsd_out *out, const hsd_diff *diff)
{
    static const char *const amounts[] = {"own_before", "own_after", "own_new", "own_freed",
                                          "before",     "after",     "new",     "freed"};
    hsd_out_text(out, "row,number,depth,parent,edge,type");
    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++)
        hsd_out_format(out, ",%s_objects,%s_bytes", amounts[i], amounts[i]);
    hsd_out_text(out, "\r\n");
    for (size_t i = 0; diff->has_holders && i < diff->tree_count; i++)
        put_row(out, diff, i);
}

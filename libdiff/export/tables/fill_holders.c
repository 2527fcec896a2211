/*
 * Holders of growth: each with its path, with what its growth is made of, and with the references through which it
 * hangs.
 */
#include "export/tables/fill.h"

typedef struct holder_rows {
    const hsd_diff *diff;
    hsd_inserter holders, steps, types, edges, by, by_steps;
} holder_rows;

static hsd_status put_holder(holder_rows *rows, uint64_t number, const hsd_holder *h, uint64_t others, hsd_error *err)
{
    hsd_inserter *in = &rows->holders;
    hsd_put_count(in, number);
    hsd_put_text_or_null(in, h->type);
    if (h->has_id)
        hsd_put_id(in, h->id);
    else
        hsd_put_null(in);
    hsd_put_text(in, h->root);
    hsd_put_word(in, others == 0 ? hsd_root_word(h->root_kind) : NULL);
    hsd_put_count(in, h->path_cut);
    hsd_put_known(in, hsd_new_is_known(rows->diff), h->new_);
    hsd_put_known(in, hsd_freed_is_known(rows->diff), h->freed);
    hsd_put_signed(in, h->net_objects);
    hsd_put_signed(in, h->net_bytes);
    hsd_put_signed(in, h->resized_bytes);
    hsd_put_signed(in, h->growth_bytes);
    hsd_put_some(in, others);
    hsd_put_some(in, h->thread_count);
    hsd_put_some(in, h->by_count > 0 ? h->by_bytes : 0);
    return hsd_put_row(in, err);
}

static hsd_status put_steps(hsd_inserter *in, uint64_t number, const hsd_holder *h, hsd_error *err)
{
    for (size_t i = 0; i < h->path_count; i++) {
        hsd_put_count(in, number);
        hsd_put_count(in, i);
        hsd_put_text(in, h->path[i].edge);
        hsd_put_text(in, h->path[i].type);
        hsd_put_count(in, h->path[i].repeat);
        HSD_TRY(hsd_put_row(in, err));
    }
    return HSD_OK;
}

static hsd_status put_types(holder_rows *rows, uint64_t number, const hsd_holder *h, hsd_error *err)
{
    hsd_inserter *in = &rows->types;
    for (size_t i = 0; i < h->type_count; i++) {
        const hsd_type_growth *type = &h->types[i];
        hsd_put_count(in, number);
        hsd_put_count(in, i);
        hsd_put_text(in, type->type);
        hsd_put_known(in, hsd_new_is_known(rows->diff), type->new_);
        hsd_put_known(in, hsd_freed_is_known(rows->diff), type->freed);
        hsd_put_signed(in, type->net_objects);
        hsd_put_signed(in, type->net_bytes);
        HSD_TRY(hsd_put_row(in, err));
    }
    return HSD_OK;
}

static hsd_status put_edges(holder_rows *rows, uint64_t number, const hsd_holder *h, hsd_error *err)
{
    hsd_inserter *in = &rows->edges;
    for (size_t i = 0; i < h->edge_count; i++) {
        const hsd_growth_edge *edge = &h->edges[i];
        hsd_put_count(in, number);
        hsd_put_count(in, i);
        hsd_put_count(in, edge->depth);
        hsd_put_text(in, edge->edge);
        hsd_put_text(in, edge->type);
        hsd_put_amount(in, edge->before);
        hsd_put_amount(in, edge->after);
        hsd_put_known(in, hsd_new_is_known(rows->diff), edge->new_);
        hsd_put_known(in, hsd_freed_is_known(rows->diff), edge->freed);
        hsd_put_signed(in, edge->growth_bytes);
        HSD_TRY(hsd_put_row(in, err));
    }
    return HSD_OK;
}

/* ---- by what it is held together ---- */

static hsd_status put_by_steps(hsd_inserter *in, uint64_t number, size_t rank, const hsd_co_holder *by, hsd_error *err)
{
    for (size_t i = 0; i < by->path_count; i++) {
        hsd_put_count(in, number);
        hsd_put_count(in, rank);
        hsd_put_count(in, i);
        hsd_put_text(in, by->path[i].edge);
        hsd_put_text(in, by->path[i].type);
        hsd_put_count(in, by->path[i].repeat);
        HSD_TRY(hsd_put_row(in, err));
    }
    return HSD_OK;
}

static hsd_status put_by(holder_rows *rows, uint64_t number, const hsd_holder *h, hsd_error *err)
{
    hsd_inserter *in = &rows->by;
    for (size_t i = 0; i < h->by_count; i++) {
        hsd_put_count(in, number);
        hsd_put_count(in, i);
        hsd_put_text_or_null(in, h->by[i].type);
        hsd_put_text(in, h->by[i].root);
        hsd_put_word(in, hsd_root_word(h->by[i].root_kind));
        hsd_put_count(in, h->by[i].path_cut);
        hsd_put_count(in, h->by[i].bytes);
        hsd_put_signed(in, h->by[i].growth_bytes);
        HSD_TRY(hsd_put_row(in, err));
        HSD_TRY(put_by_steps(&rows->by_steps, number, i, &h->by[i], err));
    }
    return HSD_OK;
}

static hsd_status put_all_holder_records(holder_rows *rows, hsd_error *err)
{
    const hsd_diff *diff = rows->diff;
    for (size_t i = 0; i < diff->holder_count; i++) {
        HSD_TRY(put_holder(rows, i, &diff->holders[i], 0, err));
        HSD_TRY(put_steps(&rows->steps, i, &diff->holders[i], err));
        HSD_TRY(put_types(rows, i, &diff->holders[i], err));
        HSD_TRY(put_edges(rows, i, &diff->holders[i], err));
        HSD_TRY(put_by(rows, i, &diff->holders[i], err));
    }
    if (diff->other_holder_count == 0) return HSD_OK;
    hsd_holder others = diff->other_holders;
    others.type = (hsd_text){0};
    others.root = (hsd_text){.data = "(others)", .size = 8};
    others.has_id = false;
    return put_holder(rows, diff->holder_count, &others, diff->other_holder_count, err);
}

hsd_status hsd_fill_holders(hsd_filling *f, const hsd_diff *diff, const bool *wanted, hsd_error *err)
{
    holder_rows rows = {.diff = diff};
    bool is_asked = false;
    for (unsigned i = HSD_TABLE_OF_HOLDERS; i <= HSD_TABLE_OF_HOLDER_BY_STEPS; i++)
        is_asked |= wanted[i];
    if (!is_asked || !diff->has_holders) return HSD_OK;
    hsd_status status = hsd_fill_open(&rows.holders, f, 1, HSD_TABLE_OF_HOLDERS, diff->holder_count, err);
    if (status == HSD_OK) status = hsd_fill_open(&rows.steps, f, 1, HSD_TABLE_OF_HOLDER_STEPS, 0, err);
    if (status == HSD_OK) status = hsd_fill_open(&rows.types, f, 1, HSD_TABLE_OF_HOLDER_TYPES, 0, err);
    if (status == HSD_OK) status = hsd_fill_open(&rows.edges, f, 1, HSD_TABLE_OF_HOLDER_EDGES, 0, err);
    if (status == HSD_OK) status = hsd_fill_open(&rows.by, f, 1, HSD_TABLE_OF_HOLDER_BY, 0, err);
    if (status == HSD_OK) status = hsd_fill_open(&rows.by_steps, f, 1, HSD_TABLE_OF_HOLDER_BY_STEPS, 0, err);
    if (status == HSD_OK) status = put_all_holder_records(&rows, err);
    status = hsd_fill_close(&rows.holders, f, status, err);
    status = hsd_fill_close(&rows.steps, f, status, err);
    status = hsd_fill_close(&rows.types, f, status, err);
    status = hsd_fill_close(&rows.edges, f, status, err);
    status = hsd_fill_close(&rows.by, f, status, err);
    return hsd_fill_close(&rows.by_steps, f, status, err);
}

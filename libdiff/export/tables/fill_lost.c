/*
 * What no root reaches: lost, by what heads it and who allocated that; or not collected yet, by type.
 */
#include "export/tables/fill.h"

static void put_sums(hsd_inserter *in, const hsd_lost_row *row)
{
    hsd_put_amount(in, row->before);
    hsd_put_amount(in, row->after);
    hsd_put_signed(in, (int64_t)(row->after.objects - row->before.objects));
    hsd_put_signed(in, hsd_lost_growth(row));
}

/* ---- what is lost ---- */

static hsd_status put_row(hsd_inserter *in, const hsd_lost *lost, size_t number, const hsd_lost_row *row,
                          uint64_t others, hsd_error *err)
{
    hsd_put_count(in, number);
    hsd_put_text_or_null(in, row->type);
    hsd_put_text_or_null(in, row->cycle);
    hsd_put_text_or_null(in, row->place);
    put_sums(in, row);
    if (lost->is_by_type) {
        hsd_put_null(in);
        hsd_put_null(in);
    } else {
        hsd_put_count(in, row->heads_before.objects);
        hsd_put_count(in, row->heads_after.objects);
    }
    hsd_put_some(in, others);
    return hsd_put_row(in, err);
}

static hsd_status put_frames(hsd_inserter *in, size_t number, const hsd_lost_row *row, hsd_error *err)
{
    for (size_t i = 0; i < row->frame_count; i++) {
        hsd_put_count(in, number);
        hsd_put_count(in, i);
        hsd_put_count(in, i == row->wanted);
        hsd_put_text_or_null(in, row->frames[i].function);
        hsd_put_text_or_null(in, row->frames[i].file);
        hsd_put_some(in, row->frames[i].line);
        hsd_put_some(in, row->frames[i].column);
        HSD_TRY(hsd_put_row(in, err));
    }
    return HSD_OK;
}

static hsd_status put_rows(hsd_inserter *rows, hsd_inserter *frames, const hsd_lost *lost, hsd_error *err)
{
    for (size_t i = 0; i < lost->row_count; i++) {
        HSD_TRY(put_row(rows, lost, i, &lost->rows[i], 0, err));
        HSD_TRY(put_frames(frames, i, &lost->rows[i], err));
    }
    return lost->other_count > 0 ? put_row(rows, lost, lost->row_count, &lost->others, lost->other_count, err) : HSD_OK;
}

static hsd_status fill_lost(hsd_filling *f, const hsd_lost *lost, hsd_error *err)
{
    hsd_inserter rows = {.sink = NULL}, frames = {.sink = NULL};
    hsd_status status = hsd_fill_open(&rows, f, 1, HSD_TABLE_OF_LOST, lost->row_count, err);
    if (status == HSD_OK) status = hsd_fill_open(&frames, f, 1, HSD_TABLE_OF_LOST_FRAMES, 0, err);
    if (status == HSD_OK) status = put_rows(&rows, &frames, lost, err);
    status = hsd_fill_close(&rows, f, status, err);
    return hsd_fill_close(&frames, f, status, err);
}

/* ---- what is not collected yet ---- */

static hsd_status put_uncollected(hsd_inserter *in, const hsd_lost *lost, size_t number, const hsd_lost_row *row,
                                  uint64_t others, hsd_error *err)
{
    hsd_put_count(in, number);
    hsd_put_text_or_null(in, row->type);
    put_sums(in, row);
    hsd_put_known(in, lost->knows_revived, row->revived);
    hsd_put_some(in, others);
    return hsd_put_row(in, err);
}

static hsd_status fill_uncollected(hsd_filling *f, const hsd_lost *lost, hsd_error *err)
{
    hsd_inserter in;
    hsd_status status = hsd_fill_open(&in, f, 1, HSD_TABLE_OF_UNCOLLECTED, lost->row_count, err);
    for (size_t i = 0; i < lost->row_count && status == HSD_OK; i++)
        status = put_uncollected(&in, lost, i, &lost->rows[i], 0, err);
    if (status == HSD_OK && lost->other_count > 0)
        status = put_uncollected(&in, lost, lost->row_count, &lost->others, lost->other_count, err);
    return hsd_fill_close(&in, f, status, err);
}

hsd_status hsd_fill_lost(hsd_filling *f, const hsd_diff *diff, const bool *wanted, hsd_error *err)
{
    const bool wants_lost = wanted[HSD_TABLE_OF_LOST] || wanted[HSD_TABLE_OF_LOST_FRAMES];
    if (wants_lost && diff->lost.is_known) HSD_TRY(fill_lost(f, &diff->lost, err));
    if (!wanted[HSD_TABLE_OF_UNCOLLECTED] || !diff->uncollected.is_known) return HSD_OK;
    return fill_uncollected(f, &diff->uncollected, err);
}

/*
 * Objects by id, and by the object of the other side that they were recognised as. Both are one sort each and a column of nodes.
 */
#include <stdlib.h>

#include "base/check.h"
#include "browse/index.h"

#define PROGRESS_STEPS 0xffffu

/* ---- ids ---- */

static hsd_status read_ids(hsd_index *index, hsd_sorter *sorter, hsd_error *err)
{
    const uint32_t count = index->walk->object_count;
    for (uint32_t node = 0; node < count; node++) {
        const uint64_t record[2] = {hsd_index_row(index, node).id, node};
        if ((node & PROGRESS_STEPS) == 0) HSD_TRY(hsd_progress(index->reporter, "indexing ids", node, count, err));
        HSD_TRY(hsd_sorter_put(sorter, record, err));
    }
    return hsd_paged_check(&index->rows, err);
}

static hsd_status write_ids(hsd_sorter *sorter, hsd_column_file *file, hsd_error *err)
{
    const uint64_t *record;
    hsd_status status;
    while ((status = hsd_sorter_next(sorter, &record, err)) == HSD_OK) HSD_TRY(hsd_column_put_u32(file, (uint32_t)record[1], err));
    return status == HSD_END ? HSD_OK : status;
}

hsd_status hsd_index_ids(hsd_index *index, hsd_error *err)
{
    hsd_sorter *sorter = NULL;
    hsd_column_file file = {.used = 0};
    index->id_count = index->walk->object_count;
    if (index->ids_ascend) return HSD_OK;
    hsd_status status = hsd_side_sorter(index->walk, 2, 1, hsd_index_share(index, 12), &sorter, err);
    if (status == HSD_OK) status = read_ids(index, sorter, err);
    if (status == HSD_OK) status = hsd_side_serve(sorter, hsd_index_share(index, 12), err);
    if (status == HSD_OK) status = hsd_column_begin(&file, sizeof(uint32_t), index->space, err);
    if (status == HSD_OK) status = write_ids(sorter, &file, err);
    if (status == HSD_OK) status = hsd_column_end(&file, &index->by_id, 0, err);
    hsd_column_close(&file);
    hsd_sorter_free(sorter);
    return status;
}

/* ---- partners ---- */

static hsd_status put_pairs(const hsd_index *index, const uint64_t *pairs, uint64_t count, hsd_sorter *sorter, hsd_error *err)
{
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t pair = index->is_after ? pairs[i] << 32 | pairs[i] >> 32 : pairs[i];
        HSD_TRY(hsd_sorter_put(sorter, &pair, err));
    }
    return HSD_OK;
}

/* Both sides read the same file at once, each by itself. */
static hsd_status read_pairs(const hsd_index *index, hsd_sorter *sorter, hsd_error *err)
{
    uint64_t *pairs = malloc(HSD_COLUMN_BYTES);
    const uint64_t room = HSD_COLUMN_BYTES / sizeof *pairs;
    hsd_status status = HSD_OK;
    if (pairs == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory for the index");
    for (uint64_t done = 0; done < index->pair_count && status == HSD_OK; done += room) {
        const uint64_t count = hsd_min_u64(room, index->pair_count - done);
        status = hsd_temp_read(index->pairs, done * sizeof *pairs, pairs, (size_t)count * sizeof *pairs, err);
        if (status == HSD_OK) status = put_pairs(index, pairs, count, sorter, err);
    }
    free(pairs);
    return status;
}

static hsd_status write_partners(hsd_index *index, hsd_sorter *sorter, hsd_column_file *file, hsd_error *err)
{
    const uint64_t *record;
    hsd_status status;
    while ((status = hsd_sorter_next(sorter, &record, err)) == HSD_OK) {
        const uint32_t node = (uint32_t)(record[0] >> 32);
        while (file->count < node) HSD_TRY(hsd_column_put_u32(file, HSD_NODE_NONE, err));
        if (file->count == node) HSD_TRY(hsd_column_put_u32(file, (uint32_t)record[0], err));
    }
    if (status != HSD_END) return status;
    while (file->count < index->walk->object_count) HSD_TRY(hsd_column_put_u32(file, HSD_NODE_NONE, err));
    return HSD_OK;
}

hsd_status hsd_index_partners(hsd_index *index, hsd_error *err)
{
    hsd_sorter *sorter = NULL;
    hsd_column_file file = {.used = 0};
    if (index->pairs == NULL) return HSD_OK;
    hsd_status status = hsd_progress(index->reporter, "indexing pairs", 0, index->pair_count, err);
    if (status == HSD_OK) status = hsd_side_sorter(index->walk, 1, 1, hsd_index_share(index, 12), &sorter, err);
    if (status == HSD_OK) status = read_pairs(index, sorter, err);
    if (status == HSD_OK) status = hsd_side_serve(sorter, hsd_index_share(index, 12), err);
    if (status == HSD_OK) status = hsd_column_begin(&file, sizeof(uint32_t), index->space, err);
    if (status == HSD_OK) status = write_partners(index, sorter, &file, err);
    if (status == HSD_OK) status = hsd_column_end(&file, &index->partners, 0, err);
    index->has_partners = status == HSD_OK;
    hsd_column_close(&file);
    hsd_sorter_free(sorter);
    return status;
}

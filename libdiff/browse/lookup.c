/*
 * Objects by id, and by the object of the other side that they were recognised as. Both are one sort each and a column
 * of nodes.
 */
#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "browse/index.h"

#define PROGRESS_STEPS 0xffffu

/* ---- ids ---- */

static hsd_status read_ids(void *context, hsd_sorter *sorter, hsd_error *err)
{
    hsd_index *index = context;
    const hsd_node count = index->walk->object_count;
    for (hsd_node node = 0; node < count; node++) {
        const uint64_t record[2] = {hsd_index_row(index, node).id, node};
        if ((node & PROGRESS_STEPS) == 0) HSD_TRY(hsd_progress(index->reporter, "indexing ids", node, count, err));
        HSD_TRY(hsd_sorter_put(sorter, record, err));
    }
    return hsd_paged_check(&index->rows, err);
}

static hsd_status write_id(void *context, const uint64_t *record, hsd_column_file *file, hsd_error *err)
{
    (void)context;
    return hsd_column_put_node(file, (hsd_node)record[1], err);
}

hsd_status hsd_index_ids(hsd_index *index, hsd_error *err)
{
    static const hsd_sorted ids = {2, 1, sizeof(hsd_node), read_ids, write_id, NULL};
    index->id_count = index->walk->object_count;
    return index->ids_ascend ? HSD_OK : hsd_index_sort(index, &ids, index, &index->by_id, err);
}

/* ---- partners ---- */

static hsd_status put_pairs(const hsd_index *index, const uint64_t *pairs, uint64_t count, hsd_sorter *sorter,
                            hsd_error *err)
{
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t *pair = pairs + i * HSD_TWO_WORDS;
        const hsd_node before = hsd_words_first(pair), after = hsd_words_second(pair);
        uint64_t record[HSD_TWO_WORDS];
        hsd_words_set_two(record, index->is_after ? after : before, index->is_after ? before : after);
        HSD_TRY(hsd_sorter_put(sorter, record, err));
    }
    return HSD_OK;
}

/* Both sides read the same file at once, each by itself. */
static hsd_status read_pairs(void *context, hsd_sorter *sorter, hsd_error *err)
{
    const hsd_index *index = context;
    uint64_t *pairs = malloc(HSD_COLUMN_BYTES);
    const uint64_t pair_bytes = HSD_TWO_WORDS * sizeof *pairs, room = HSD_COLUMN_BYTES / pair_bytes;
    hsd_status status = HSD_OK;
    if (pairs == NULL) return hsd_fail_nomem(err, "the index");
    for (uint64_t done = 0; done < index->pair_count && status == HSD_OK; done += room) {
        const uint64_t count = hsd_min_u64(room, index->pair_count - done);
        status = hsd_temp_read(index->pairs, done * pair_bytes, pairs, (size_t)(count * pair_bytes), err);
        if (status == HSD_OK) status = put_pairs(index, pairs, count, sorter, err);
    }
    free(pairs);
    return status;
}

/* Objects that are passed over have none. */
static hsd_status fill_up(hsd_column_file *file, uint64_t count, hsd_error *err)
{
    while (file->count < count)
        HSD_TRY(hsd_column_put_node(file, HSD_NODE_NONE, err));
    return HSD_OK;
}

static hsd_status write_partner(void *context, const uint64_t *record, hsd_column_file *file, hsd_error *err)
{
    const hsd_node node = hsd_words_first(record);
    (void)context;
    HSD_TRY(fill_up(file, node, err));
    return file->count == node ? hsd_column_put_node(file, hsd_words_second(record), err) : HSD_OK;
}

static hsd_status end_partners(void *context, hsd_column_file *file, hsd_error *err)
{
    return fill_up(file, ((const hsd_index *)context)->walk->object_count, err);
}

hsd_status hsd_index_partners(hsd_index *index, hsd_error *err)
{
    static const hsd_sorted partners = {HSD_TWO_WORDS, HSD_TWO_WORDS, sizeof(hsd_node),
                                        read_pairs,    write_partner, end_partners};
    if (index->pairs == NULL) return HSD_OK;
    HSD_TRY(hsd_progress(index->reporter, "indexing pairs", 0, index->pair_count, err));
    HSD_TRY(hsd_index_sort(index, &partners, index, &index->partners, err));
    index->has_partners = true;
    return HSD_OK;
}

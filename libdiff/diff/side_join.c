/*
 * Object ids into ordinals by sorting: both the (id, ordinal) pairs and the references are brought
 * into order of ids and walked side by side, so that no table of ids is ever held in memory.
 */
#include "diff/side.h"

#include "base/check.h"

hsd_status hsd_side_sorter(const hsd_side_walk *side, unsigned record_words, unsigned key_words,
                           uint64_t memory_bytes, hsd_sorter **out, hsd_error *err)
{
    const hsd_sorter_config config = {
        .record_words = record_words,
        .key_words = key_words,
        .memory_bytes = (size_t)hsd_max_u64(memory_bytes, HSD_SORT_MIN_BYTES),
        .use_thread = side->use_thread,
        .codec = HSD_RUN_DELTA,
        .space = side->space,
        .reporter = side->reporter,
    };
    return hsd_sorter_new(out, &config, err);
}

hsd_status hsd_side_serve(hsd_sorter *sorter, uint64_t memory_bytes, hsd_error *err)
{
    return hsd_sorter_finish(sorter, (size_t)hsd_max_u64(memory_bytes, HSD_SORT_MIN_BYTES), err);
}

hsd_status hsd_join_ids(hsd_sorter *ids, hsd_sorter *by_target, hsd_joined_fn take, void *context,
                        uint64_t *dangling, hsd_error *err)
{
    const uint64_t *object = NULL;
    const uint64_t *record;
    HSD_TRY(hsd_sorter_rewind(ids, err));
    hsd_status have_object = hsd_sorter_next(ids, &object, err);
    hsd_status have_record = hsd_sorter_next(by_target, &record, err);
    while (have_record == HSD_OK) {
        while (have_object == HSD_OK && object[0] < record[0]) have_object = hsd_sorter_next(ids, &object, err);
        if (have_object < 0) return have_object;
        if (have_object == HSD_OK && object[0] == record[0]) {
            HSD_TRY(take(context, record, (uint32_t)object[1], err));
        } else {
            (*dangling)++;
        }
        have_record = hsd_sorter_next(by_target, &record, err);
    }
    return have_record == HSD_END ? HSD_OK : have_record;
}

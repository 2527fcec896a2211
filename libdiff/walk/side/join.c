/*
 * The sorters of one side's walk: made and served within its plan.
 */
#include "base/assert.h"
#include "walk/side/side.h"

#include "base/check.h"

static hsd_status new_sorter(const hsd_side_walk *side, unsigned record_words, unsigned key_words,
                             uint64_t memory_bytes, hsd_run_codec codec, hsd_sorter **out, hsd_error *err)
{
    HSD_ASSERT(key_words >= 1 && key_words <= record_words);
    const hsd_sorter_config config = {
        .record_words = record_words,
        .key_words = key_words,
        .memory_bytes = (size_t)hsd_max_u64(memory_bytes, HSD_SORT_MIN_BYTES),
        .use_thread = side->request->use_thread,
        .codec = codec,
        .space = side->request->space,
        .reporter = side->request->reporter,
    };
    return hsd_sorter_new(out, &config, err);
}

hsd_status hsd_side_sorter(const hsd_side_walk *side, unsigned record_words, unsigned key_words, uint64_t memory_bytes,
                           hsd_sorter **out, hsd_error *err)
{
    return new_sorter(side, record_words, key_words, memory_bytes, HSD_RUN_DELTA, out, err);
}

hsd_status hsd_side_stream(const hsd_side_walk *side, unsigned record_words, unsigned key_words, uint64_t memory_bytes,
                           hsd_sorter **out, hsd_error *err)
{
    const bool is_packed = side->request->plan.is_little && !side->request->want_ids;
    const hsd_run_codec codec = is_packed ? HSD_RUN_PACKED : HSD_RUN_DELTA;
    return new_sorter(side, record_words, key_words, memory_bytes, codec, out, err);
}

hsd_status hsd_side_serve(hsd_sorter *sorter, uint64_t memory_bytes, hsd_error *err)
{
    return hsd_sorter_finish(sorter, (size_t)hsd_max_u64(memory_bytes, HSD_SORT_MIN_BYTES), err);
}

/*
 * Arrays that one sort makes: records into a sorter, and from there into a column, each with most of the memory in
 * turn.
 */
#include "base/check.h"
#include "browse/index.h"

static hsd_status write(const hsd_sorted *how, void *context, hsd_sorter *sorter, hsd_column_file *file, hsd_error *err)
{
    const uint64_t *record;
    hsd_status status;
    while ((status = hsd_sorter_next(sorter, &record, err)) == HSD_OK)
        HSD_TRY(how->write(context, record, file, err));
    if (status != HSD_END) return status;
    return how->end != NULL ? how->end(context, file, err) : HSD_OK;
}

static hsd_status run_sorted_list(hsd_index *index, const hsd_sorted *how, void *context, hsd_sorter *sorter,
                                  hsd_column_file *file, hsd_error *err)
{
    HSD_TRY(how->read(context, sorter, err));
    HSD_TRY(hsd_side_serve(sorter, hsd_index_share(index, 12), err));
    HSD_TRY(hsd_column_begin(file, how->record_bytes, index->space, err));
    return write(how, context, sorter, file, err);
}

hsd_status hsd_index_sort(hsd_index *index, const hsd_sorted *how, void *context, hsd_paged *out, hsd_error *err)
{
    hsd_sorter *sorter;
    hsd_column_file file = {.used = 0};
    HSD_TRY(hsd_side_sorter(index->walk, how->record_words, how->key_words, hsd_index_share(index, 12), &sorter, err));
    hsd_status status = run_sorted_list(index, how, context, sorter, &file, err);
    if (status == HSD_OK) status = hsd_column_end(&file, out, 0, err);
    hsd_column_close(&file);
    hsd_sorter_free(sorter);
    return status;
}

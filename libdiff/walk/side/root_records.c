/*
 * The first pass reads, and keeps what it reads until there are too many.
 */
#include "walk/side/root_records.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"

static void forget_kept(hsd_root_records *records)
{
    free(records->kept);
    records->kept = NULL;
    records->count = records->capacity = 0;
}

static hsd_status keep_root(hsd_root_records *records, const hsd_root *root, hsd_error *err)
{
    if (records->are_many) return HSD_OK;
    if (records->count == HSD_ROOT_RECORDS_MOST) {
        records->are_many = true;
        forget_kept(records);
        return HSD_OK;
    }
    HSD_TRY(HSD_ARRAY_GROW(records->kept, records->capacity, records->count + 1, 256, "the roots", err));
    records->kept[records->count++] =
        (hsd_kept_root){root->target, root->kind, root->label, root->flags, root->thread, root->frame};
    return HSD_OK;
}

static hsd_status tell_kept(const hsd_root_records *records, hsd_root_record_fn take, void *context, hsd_error *err)
{
    for (uint32_t i = 0; i < records->count; i++) {
        const hsd_kept_root *kept = &records->kept[i];
        const hsd_root root = {.target = kept->target,
                               .kind = kept->kind,
                               .label = kept->label,
                               .flags = kept->flags,
                               .thread = kept->thread,
                               .frame = kept->frame};
        HSD_TRY(take(context, &root, err));
    }
    return HSD_OK;
}

static hsd_status tell_read(hsd_root_records *records, hsd_record_reader *reader, hsd_root_record_fn take,
                            void *context, hsd_error *err)
{
    for (;;) {
        hsd_record record;
        const hsd_status status = hsd_record_reader_next(reader, &record, err);
        if (status == HSD_END) return HSD_OK;
        HSD_TRY(status);
        HSD_TRY(keep_root(records, &record.root, err));
        HSD_TRY(take(context, &record.root, err));
    }
}

hsd_status hsd_root_records_each(hsd_root_records *records, hsd_root_record_fn take, void *context, hsd_error *err)
{
    HSD_ASSERT(records->capture != NULL);
    hsd_record_reader *reader;
    if (records->are_kept) return tell_kept(records, take, context, err);
    forget_kept(records);
    HSD_TRY(hsd_record_reader_open(&reader, records->capture, HSD_RECORD_ROOT, err));
    const hsd_status status = tell_read(records, reader, take, context, err);
    hsd_record_reader_close(reader);
    records->are_kept = status == HSD_OK && !records->are_many;
    return status;
}

void hsd_root_records_release(hsd_root_records *records)
{
    forget_kept(records);
    records->are_kept = false;
}

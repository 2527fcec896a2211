/* The iterator over all objects of a capture: block after block of the list, decoded as far as is wanted. */
#include <stdlib.h>

#include "base/fail.h"
#include "format/capture_state.h"
#include "format/object_block.h"

struct hsd_object_reader {
    hsd_capture *capture;
    unsigned want;
    size_t next_ref;       /* where on the list to look for the next block of objects */
    bool has_last;         /* some object was passed */
    uint64_t last_ordinal; /* of the last object that began */
    hsd_status failed;     /* sticks */
    hsd_block block;
    hsd_object_block objects;
};

hsd_status hsd_object_reader_open(hsd_object_reader **out, hsd_capture *capture, unsigned want, hsd_error *err)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL) return hsd_fail_nomem(err, "reading objects");
    (*out)->capture = capture;
    (*out)->want = want & HSD_WANT_ALL;
    return HSD_OK;
}

void hsd_object_reader_close(hsd_object_reader *reader)
{
    if (reader == NULL) return;
    hsd_object_block_release(&reader->objects);
    hsd_block_release(&reader->block);
    free(reader);
}

/* A block that begins with references of an object before it: is that the one that was read last? */
static hsd_status settle_continuation(hsd_object_reader *reader, hsd_fault *fault)
{
    hsd_object_block *objects = &reader->objects;
    if (!objects->starts_with_continuation) return HSD_OK;
    if (reader->has_last && reader->last_ordinal + 1 == objects->next_ordinal) return HSD_OK;
    if (hsd_capture_has_gaps(reader->capture)) {
        hsd_object_block_skip(objects, 1);
        return HSD_OK;
    }
    return hsd_fault_corrupt(fault, "6.8", "it continues an object that is not the last before it");
}

static hsd_status load_format_object(hsd_object_reader *reader, const hsd_block_ref *ref, hsd_fault *fault)
{
    HSD_TRY(hsd_capture_load(reader->capture, ref, &reader->block, fault));
    HSD_TRY(hsd_object_block_decode(&reader->objects, &reader->block, reader->want, fault));
    return settle_continuation(reader, fault);
}

static hsd_status load_next(hsd_object_reader *reader, hsd_error *err)
{
    const hsd_block_list *list = &reader->capture->list;
    hsd_fault fault = {.block = HSD_NO_BLOCK};
    if (reader->failed != HSD_OK) return hsd_fail(err, reader->failed, "objects could not be read before");
    const size_t i = hsd_block_list_find(list, reader->next_ref, HSC_BLOCK_OBJECTS);
    if (i == list->count) return HSD_END;
    reader->next_ref = i + 1;
    reader->failed = load_format_object(reader, &list->refs[i], &fault);
    if (reader->failed == HSD_OK) return HSD_OK;
    reader->objects.records = 0;
    return hsd_fault_raise(&fault, reader->capture->file.input.name, err);
}

hsd_status hsd_object_reader_next(hsd_object_reader *reader, hsd_object *object, hsd_error *err)
{
    while (!hsd_object_block_next(&reader->objects, object))
        HSD_TRY(load_next(reader, err));
    reader->has_last = true;
    reader->last_ordinal = object->ordinal;
    return HSD_OK;
}

hsd_status hsd_object_reader_seek(hsd_object_reader *reader, uint64_t ordinal, hsd_error *err)
{
    const hsd_block_list *list = &reader->capture->list;
    hsd_object_block *objects = &reader->objects;
    const size_t i = hsd_block_list_find_ordinal(list, ordinal);
    if (i == list->count) {
        reader->next_ref = 0; /* every object that is there lies behind it */
        objects->records = 0;
        return HSD_END;
    }
    reader->next_ref = i;
    objects->records = 0;
    const uint64_t first = list->refs[i].first_ordinal;
    reader->has_last = first > 0; /* as if all before the block had been read */
    reader->last_ordinal = first - 1;
    HSD_TRY(load_next(reader, err));
    const uint64_t before = ordinal - first;
    const uint64_t records = before + (objects->starts_with_continuation ? 1 : 0);
    reader->has_last = ordinal > 0;
    reader->last_ordinal = ordinal - 1;
    if (before >= hsd_object_block_begun(objects)) {
        hsd_object_block_skip(objects, objects->records);
        return HSD_END;
    }
    hsd_object_block_skip(objects, (uint32_t)records);
    return HSD_OK;
}

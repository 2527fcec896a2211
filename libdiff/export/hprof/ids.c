/*
 * Ids of the dump. An id of the capture is kept, so that what DevTools calls @1234 is 0x4d2 here, and addresses are
 * addresses. Java programs read them as signed, 0 is null, and they must be different: where references are by id they
 * are, else a bit for each id says so.
 */
#include <stdlib.h>

#include "base/bits.h"
#include "base/fail.h"
#include "export/hprof/hout.h"

#define MOST_ID   (UINT64_MAX >> 1)
#define BITS_EACH UINT64_C(64) /* of an object: sparser ids get no bits */

/* One bit an id: true if two objects have the same, or if it is not worth finding out. */
static hsd_status look_for_doubles(hout *h, bool *has_double, hsd_error *err)
{
    const uint64_t bytes = h->ids.most / 8 + 1;
    hsd_object_reader *reader = NULL;
    hsd_object object;
    *has_double = h->ids.most / BITS_EACH > h->info->objects || bytes > h->x->memory_bytes / 4;
    if (*has_double) return HSD_OK;
    uint8_t *bits = calloc(1, (size_t)bytes);
    if (bits == NULL) return hsd_fail_nomem(err, "comparing the ids of objects");
    hsd_status status = hsd_object_reader_open(&reader, h->capture, HSD_WANT_IDS, err);
    while (status == HSD_OK && (status = hsd_object_reader_next(reader, &object, err)) == HSD_OK) {
        if (object.is_continuation) continue;
        *has_double |= object.id > h->ids.most || hsd_bit_get(bits, object.id);
        if (object.id <= h->ids.most) hsd_bit_set(bits, object.id);
    }
    hsd_object_reader_close(reader);
    free(bits);
    return status == HSD_END ? HSD_OK : status;
}

hsd_status hsd_hout_choose_ids(hout *h, hsd_error *err)
{
    const hout_ids *ids = &h->ids;
    const bool is_fit = !ids->has_zero && ids->most < MOST_ID - UINT32_MAX * UINT64_C(64);
    bool has_double = false;
    if (is_fit && ids->has_descended && h->info->targets_are_ordinals) HSD_TRY(look_for_doubles(h, &has_double, err));
    h->by_ordinal = !is_fit || has_double;
    h->next_id = ((h->by_ordinal ? (h->info->ordinals + 1) << 3 : ids->most) | 7) + 1 + 8;
    return HSD_OK;
}

/*
 * Ids of the dump. An id of the capture is kept, so that what DevTools calls @1234 is 0x4d2 here, and addresses are addresses. Java
 * programs read them as signed, 0 is null, and they must be different: where references are by id they are, else a bit for each id says so.
 */
#include <stdlib.h>

#include "base/bits.h"
#include "export/hprof/hout.h"

#define MOST_ID   (UINT64_MAX >> 1)
#define BITS_EACH UINT64_C(64) /* of an object: sparser ids get no bits */

typedef struct ids {
    uint64_t most, last;
    uint8_t *bits; /* NULL in the first pass */
    bool has_zero, is_ascending, has_double;
} ids;

static void take(ids *i, uint64_t id)
{
    if (i->bits != NULL) {
        i->has_double |= hsd_bit_get(i->bits, id);
        hsd_bit_set(i->bits, id);
        return;
    }
    i->has_zero |= id == 0;
    i->is_ascending &= id > i->last;
    i->last = id;
    i->most = hsd_max_u64(i->most, id);
}

static hsd_status pass(hout *h, ids *i, hsd_error *err)
{
    hsd_object_reader *reader;
    hsd_object object;
    hsd_status status;
    HSD_TRY(hsd_object_reader_open(&reader, h->capture, HSD_WANT_IDS, err));
    while ((status = hsd_object_reader_next(reader, &object, err)) == HSD_OK)
        if (!object.is_continuation) take(i, object.id);
    hsd_object_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status look_for_doubles(hout *h, ids *i, hsd_error *err)
{
    const uint64_t bytes = i->most / 8 + 1;
    i->has_double = i->most / BITS_EACH > h->info->objects || bytes > h->x->memory_bytes / 4; /* not worth finding out */
    if (i->has_double) return HSD_OK;
    i->bits = calloc(1, (size_t)bytes);
    if (i->bits == NULL) return hsd_fail(err, HSD_E_NOMEM, "no memory to compare the ids of objects");
    const hsd_status status = pass(h, i, err);
    free(i->bits);
    return status;
}

hsd_status hsd_hout_choose_ids(hout *h, hsd_error *err)
{
    ids i = {.is_ascending = true};
    HSD_TRY(pass(h, &i, err));
    const bool is_fit = !i.has_zero && i.most < MOST_ID - UINT32_MAX * UINT64_C(64);
    if (is_fit && !i.is_ascending && h->info->targets_are_ordinals) HSD_TRY(look_for_doubles(h, &i, err));
    h->by_ordinal = !is_fit || i.has_double;
    h->next_id = ((h->by_ordinal ? (h->info->ordinals + 1) << 3 : i.most) | 7) + 1 + 8;
    return HSD_OK;
}

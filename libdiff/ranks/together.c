/* What ranks agree on, and what they tell each other in pieces. */
#include "ranks/together.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

#define PIECE_BYTES (UINT64_C(4) << 20)

hsd_status hsd_together_init(hsd_together *t, const hsd_ranks *ranks, hsd_error *err)
{
    *t = (hsd_together){.ranks = ranks};
    t->out = calloc((size_t)ranks->count * HSD_TOGETHER_WORDS, sizeof *t->out);
    t->in = calloc((size_t)ranks->count * HSD_TOGETHER_WORDS, sizeof *t->in);
    t->sizes = calloc((size_t)ranks->count * 2, sizeof *t->sizes);
    return t->out == NULL || t->in == NULL || t->sizes == NULL ? hsd_fail_nomem(err, "the other ranks") : HSD_OK;
}

void hsd_together_release(hsd_together *t)
{
    free(t->out);
    free(t->in);
    free(t->sizes);
    *t = (hsd_together){0};
}

/* The rank whose failure counts; the number of ranks if there is none. */
static unsigned first_failure(const hsd_together *t)
{
    const unsigned count = t->ranks->count;
    if (count > 1 && t->in[1] != 0) return 1;
    for (unsigned i = 0; i < count; i++)
        if (t->in[i] != 0) return i;
    return count;
}

hsd_status hsd_together_agree(hsd_together *t, hsd_status status, hsd_error *err)
{
    const hsd_ranks *ranks = t->ranks;
    hsd_error shared;
    for (unsigned i = 0; i < ranks->count; i++)
        t->out[i] = (uint64_t)(int64_t)status;
    t->has_failed = true; /* if they cannot talk, too */
    HSD_TRY(ranks->all_to_all(ranks->context, t->out, t->in, 1, err));
    const unsigned failed = first_failure(t);
    t->has_failed = failed < ranks->count;
    if (!t->has_failed) return HSD_OK;
    hsd_error_init(&shared);
    if (failed == ranks->rank && err != NULL) shared = *err;
    HSD_TRY(ranks->broadcast(ranks->context, failed, &shared, sizeof shared, err));
    if (err != NULL) *err = shared;
    return (hsd_status)(int64_t)t->in[failed];
}

hsd_status hsd_together_tell_bytes(hsd_together *t, unsigned from, void *data, uint64_t bytes, hsd_error *err)
{
    const hsd_ranks *ranks = t->ranks;
    for (uint64_t at = 0; at < bytes; at += PIECE_BYTES) {
        HSD_TRY(ranks->broadcast(ranks->context, from, (uint8_t *)data + at, hsd_min_u64(PIECE_BYTES, bytes - at),
                                 err));
    }
    if (from == ranks->rank) t->stats.sent_bytes += bytes * (ranks->count - 1);
    return HSD_OK;
}

hsd_status hsd_together_tell(hsd_together *t, unsigned from, hsd_buffer *buffer, hsd_error *err)
{
    const bool is_told = from != t->ranks->rank;
    uint64_t size = buffer->size;
    HSD_TRY(hsd_together_tell_bytes(t, from, &size, sizeof size, err));
    if (is_told) hsd_buffer_clear(buffer);
    const hsd_status status = is_told ? hsd_buffer_reserve(buffer, size, err) : HSD_OK;
    HSD_TRY(hsd_together_agree(t, status, err));
    buffer->size = size;
    return hsd_together_tell_bytes(t, from, buffer->data, size, err);
}

hsd_status hsd_together_add_up(hsd_together *t, uint64_t *values, uint64_t count, hsd_error *err)
{
    const hsd_ranks *ranks = t->ranks;
    const uint64_t piece = PIECE_BYTES / sizeof *values;
    for (uint64_t at = 0; at < count; at += piece)
        HSD_TRY(ranks->add_up(ranks->context, values + at, hsd_min_u64(piece, count - at), err));
    if (ranks->rank != 0) t->stats.sent_bytes += count * sizeof *values;
    return HSD_OK;
}

hsd_status hsd_together_unite(hsd_together *t, uint8_t *bits, uint64_t bytes, hsd_error *err)
{
    const hsd_ranks *ranks = t->ranks;
    for (uint64_t at = 0; at < bytes; at += PIECE_BYTES)
        HSD_TRY(ranks->unite(ranks->context, bits + at, hsd_min_u64(PIECE_BYTES, bytes - at), err));
    if (ranks->rank != 0) t->stats.sent_bytes += bytes;
    return HSD_OK;
}

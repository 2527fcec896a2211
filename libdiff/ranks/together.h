/*
 * What ranks must agree on: whether one of them failed, and what all of them know.
 */
#ifndef HSD_RANKS_TOGETHER_H
#define HSD_RANKS_TOGETHER_H

#include "base/buffer.h"
#include <hsdiff/ranks.h>

typedef struct hsd_together {
    const hsd_ranks *ranks; /* borrowed until the release */
    uint64_t *out, *in;     /* HSD_TOGETHER_WORDS for each rank */
    uint64_t *sizes;        /* two for each rank: bytes that go to it, and behind those of all, bytes that come */
    bool has_failed;        /* all ranks know it: nobody waits for anybody any more */
    hsd_ranks_stats stats;
} hsd_together;

#define HSD_TOGETHER_WORDS 3u

hsd_status hsd_together_init(hsd_together *together, const hsd_ranks *ranks, hsd_error *err);
void hsd_together_release(hsd_together *together);

/* All ranks: HSD_OK if it is `status` of all, else the first failure with its error. Of several that of rank 1 counts,
 * who reads before, then that of rank 0. */
hsd_status hsd_together_agree(hsd_together *together, hsd_status status, hsd_error *err);

/* All ranks: what `from` has in the buffer, which is cleared elsewhere before. */
hsd_status hsd_together_tell(hsd_together *together, unsigned from, hsd_buffer *buffer, hsd_error *err);

/* The same of bytes whose number all know; in pieces. */
hsd_status hsd_together_tell_bytes(hsd_together *together, unsigned from, void *data, uint64_t bytes, hsd_error *err);
hsd_status hsd_together_add_up(hsd_together *together, uint64_t *values, uint64_t count, hsd_error *err);
hsd_status hsd_together_unite(hsd_together *together, uint8_t *bits, uint64_t bytes, hsd_error *err);

#endif

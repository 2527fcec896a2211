/*
 * Records of twelve bytes in blocks of a buffer. What fits into one never gets to a file.
 */
#include "match/wholes.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"

#define RECORD_BYTES (8u + HSD_NODE_BYTES)

_Static_assert(HSD_WHOLES_BUFFER_BYTES % RECORD_BYTES == 0, "a record lies in one block");

hsd_status hsd_wholes_open(hsd_wholes *w, hsd_temp_space *space, hsd_error *err)
{
    memset(w, 0, sizeof *w);
    w->file.fd = -1;
    w->buffer = malloc(HSD_WHOLES_BUFFER_BYTES);
    if (w->buffer == NULL) return hsd_fail_nomem(err, "what objects look like");
    w->space = space;
    return HSD_OK;
}

static hsd_status write_block(hsd_wholes *w, hsd_error *err)
{
    if (w->file.space == NULL) HSD_TRY(hsd_temp_open(&w->file, w->space, err));
    HSD_TRY(hsd_temp_write(&w->file, w->file.size_bytes, w->buffer, w->used, err));
    w->used = 0;
    return HSD_OK;
}

hsd_status hsd_wholes_put(hsd_wholes *w, uint64_t whole, hsd_node position, hsd_error *err)
{
    HSD_ASSERT(w->buffer != NULL);
    if (w->used == HSD_WHOLES_BUFFER_BYTES) HSD_TRY(write_block(w, err));
    memcpy(w->buffer + w->used, &whole, sizeof whole);
    memcpy(w->buffer + w->used + sizeof whole, &position, sizeof position);
    w->used += RECORD_BYTES;
    w->count++;
    return HSD_OK;
}

hsd_status hsd_wholes_finish(hsd_wholes *w, hsd_error *err)
{
    if (w->file.space == NULL) return HSD_OK;
    HSD_TRY(write_block(w, err));
    free(w->buffer);
    w->buffer = NULL;
    return HSD_OK;
}

static hsd_status visit_block(const uint8_t *block, uint64_t bytes, hsd_wholes_visit *visit, void *context,
                              hsd_error *err)
{
    for (uint64_t at = 0; at < bytes; at += RECORD_BYTES) {
        uint64_t whole;
        hsd_node position;
        memcpy(&whole, block + at, sizeof whole);
        memcpy(&position, block + at + sizeof whole, sizeof position);
        HSD_TRY(visit(context, whole, position, err));
    }
    return HSD_OK;
}

static hsd_status visit_file(const hsd_wholes *w, uint8_t *block, hsd_wholes_visit *visit, void *context,
                             hsd_error *err)
{
    for (uint64_t at = 0; at < w->file.size_bytes; at += HSD_WHOLES_BUFFER_BYTES) {
        const uint64_t bytes = hsd_min_u64(HSD_WHOLES_BUFFER_BYTES, w->file.size_bytes - at);
        HSD_TRY(hsd_temp_read(&w->file, at, block, (size_t)bytes, err));
        HSD_TRY(visit_block(block, bytes, visit, context, err));
    }
    return HSD_OK;
}

hsd_status hsd_wholes_each(const hsd_wholes *w, hsd_wholes_visit *visit, void *context, hsd_error *err)
{
    if (w->buffer != NULL) return visit_block(w->buffer, w->used, visit, context, err);
    uint8_t *block = malloc(HSD_WHOLES_BUFFER_BYTES);
    if (block == NULL) return hsd_fail_nomem(err, "what objects look like");
    const hsd_status status = visit_file(w, block, visit, context, err);
    free(block);
    return status;
}

void hsd_wholes_close(hsd_wholes *w)
{
    if (w->file.space != NULL) hsd_temp_close(&w->file);
    free(w->buffer);
    memset(w, 0, sizeof *w);
}

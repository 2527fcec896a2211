/*
 * Chunks of records, in memory or in a temporary file. A record never lies in two chunks, so neither
 * side has to think of it. Chunks that were read are released at once: when the writer of the capture
 * needs its memory, the spool's is already going.
 */
#include "import/v8/spool.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"

void hsd_v8_spool_init(hsd_v8_spool *spool, hsd_temp_space *space, uint64_t memory_bytes)
{
    *spool = (hsd_v8_spool){.space = space, .memory_bytes = memory_bytes, .temp = {.fd = -1}};
}

static uint8_t *take_chunk(void) { return malloc(HSD_V8_SPOOL_CHUNK_BYTES + HSD_V8_SPOOL_SLACK_BYTES); }

/* Writes the chunk in the buffer to its place in the file. */
static hsd_status put_away(hsd_v8_spool *spool, hsd_v8_chunk *chunk, hsd_error *err)
{
    const uint64_t offset = (uint64_t)(chunk - spool->chunks) * HSD_V8_SPOOL_CHUNK_BYTES;
    if (spool->temp.space == NULL) HSD_TRY(hsd_temp_open(&spool->temp, spool->space, err));
    HSD_TRY(hsd_temp_write(&spool->temp, offset, chunk->data, chunk->size, err));
    chunk->data = NULL;
    return HSD_OK;
}

/* The last chunk is full, or the last. */
static hsd_status finish_chunk(hsd_v8_spool *spool, hsd_error *err)
{
    if (spool->chunk_count == 0) return HSD_OK;
    hsd_v8_chunk *last = &spool->chunks[spool->chunk_count - 1];
    last->size = (size_t)(spool->at - last->data);
    return last->data == spool->buffer ? put_away(spool, last, err) : HSD_OK;
}

/* A chunk without data behind the last, or NULL. */
static hsd_v8_chunk *add_chunk(hsd_v8_spool *spool)
{
    if (HSD_ARRAY_GROW(spool->chunks, spool->chunk_capacity, spool->chunk_count + 1, 64, "", NULL) != HSD_OK)
        return NULL;
    hsd_v8_chunk *chunk = &spool->chunks[spool->chunk_count];
    *chunk = (hsd_v8_chunk){.first = spool->record};
    return chunk;
}

hsd_status hsd_v8_spool_grow(hsd_v8_spool *spool, hsd_error *err)
{
    HSD_TRY(finish_chunk(spool, err));
    hsd_v8_chunk *chunk = add_chunk(spool);
    if (chunk == NULL) return hsd_fail_nomem(err, "nodes that wait for their edges");
    const bool is_first = spool->chunk_count == 0;
    if (is_first || spool->memory_used + 2 * HSD_V8_SPOOL_CHUNK_BYTES <= spool->memory_bytes) {
        chunk->data = take_chunk();
        spool->memory_used += HSD_V8_SPOOL_CHUNK_BYTES;
    } else {
        if (spool->buffer == NULL) spool->buffer = take_chunk();
        chunk->data = spool->buffer;
    }
    if (chunk->data == NULL) return hsd_fail_nomem(err, "nodes that wait for their edges");
    spool->chunk_count++;
    spool->at = chunk->data;
    spool->end = chunk->data + HSD_V8_SPOOL_CHUNK_BYTES;
    return HSD_OK;
}

hsd_status hsd_v8_spool_rewind(hsd_v8_spool *spool, bool keeps, hsd_error *err)
{
    if (!spool->is_reading) HSD_TRY(finish_chunk(spool, err));
    spool->at = spool->end = NULL;
    spool->next_chunk = 0;
    spool->is_reading = true;
    spool->keeps = keeps;
    return HSD_OK;
}

/* The chunk that was read last is not wanted any more. */
static void leave_chunk(hsd_v8_spool *spool)
{
    if (spool->next_chunk == 0 || spool->keeps) return;
    hsd_v8_chunk *before = &spool->chunks[spool->next_chunk - 1];
    free(before->data);
    before->data = NULL;
}

uint32_t hsd_v8_spool_skip(hsd_v8_spool *spool, uint32_t next, uint32_t wanted)
{
    size_t chunk = spool->next_chunk;
    while (chunk < spool->chunk_count && spool->chunks[chunk].first <= wanted)
        chunk++;
    if (chunk == spool->next_chunk) return next; /* it is in the chunk at hand */
    for (; spool->next_chunk + 1 < chunk; spool->next_chunk++)
        leave_chunk(spool);
    spool->at = spool->end = NULL;
    return spool->chunks[spool->next_chunk].first;
}

hsd_status hsd_v8_spool_load(hsd_v8_spool *spool, hsd_error *err)
{
    leave_chunk(spool);
    if (spool->next_chunk == spool->chunk_count) {
        spool->at = spool->end = NULL;
        return HSD_END;
    }
    const hsd_v8_chunk *chunk = &spool->chunks[spool->next_chunk];
    const uint64_t offset = (uint64_t)spool->next_chunk++ * HSD_V8_SPOOL_CHUNK_BYTES;
    spool->at = chunk->data;
    if (chunk->data == NULL) {
        HSD_TRY(hsd_temp_read(&spool->temp, offset, spool->buffer, chunk->size, err));
        spool->at = spool->buffer;
    }
    spool->end = spool->at + chunk->size;
    return HSD_OK;
}

void hsd_v8_spool_release(hsd_v8_spool *spool)
{
    for (size_t i = 0; i < spool->chunk_count; i++)
        if (spool->chunks[i].data != spool->buffer) free(spool->chunks[i].data);
    free(spool->chunks);
    free(spool->buffer);
    hsd_temp_close(&spool->temp);
    *spool = (hsd_v8_spool){.temp = {.fd = -1}};
}

/*
 * The reel and its tapes. Chunks in memory are cut from slabs of 1 MiB and recycled, never given back before
 * the reel ends; chunks in the file are recycled likewise, so the file grows to what is alive at once. Where a reel has
 * room for some, what is written first is in memory.
 */
#include "graph/tape.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/pages.h"
#include "base/work.h"

#define SLAB_BYTES ((size_t)1 << 20)
#define NO_CHUNK   UINT32_MAX
/* Of tapes that windows have. */
#define MOST_CHUNK   (UINT32_C(16) << 10)
#define MOST_WINDOWS UINT32_C(65536)
/* Less is not worth giving back: a call of the system for each chunk, after which no processor may see it any more. */
#define TRIM_LEAST_BYTES (UINT64_C(4) << 20)

hsd_tape_windows hsd_tape_windows_of(hsd_node items, uint64_t fit, uint64_t tape_bytes)
{
    const uint64_t each = hsd_min_u64(hsd_max_u64(fit, items / MOST_WINDOWS + 1), hsd_max_u64(items, 1));
    const uint64_t count = hsd_max_u64(1, (items + each - 1) / each);
    const uint64_t chunk = hsd_min_u64(tape_bytes / count, MOST_CHUNK) / 16 * 16;
    return (hsd_tape_windows){.each = (hsd_node)each,
                              .count = (uint32_t)count,
                              .chunk_bytes = (uint32_t)hsd_max_u64(chunk, HSD_TAPE_MIN_CHUNK)};
}

void hsd_reel_init(hsd_reel *reel, bool is_resident, uint32_t chunk_bytes, hsd_temp_space *space)
{
    HSD_ASSERT(chunk_bytes % 16 == 0 && chunk_bytes >= HSD_TAPE_MIN_CHUNK);
    *reel = (hsd_reel){.lock = PTHREAD_MUTEX_INITIALIZER};
    reel->is_resident = is_resident;
    reel->room = is_resident ? NO_CHUNK : 0;
    reel->chunk_bytes = chunk_bytes;
    reel->space = space;
    reel->file.fd = -1;
}

hsd_status hsd_reel_check(const hsd_reel *reel, hsd_error *err)
{
    const hsd_status status = reel->status;
    if (status != HSD_OK && err != NULL) *err = reel->error;
    return status;
}

/* Whoever sees the status sees the error. */
static void stick(hsd_reel *reel, hsd_status status, const hsd_error *error)
{
    pthread_mutex_lock(&reel->lock);
    if (reel->status == HSD_OK) {
        reel->error = *error;
        reel->status = status;
    }
    pthread_mutex_unlock(&reel->lock);
}

static const char TAPES[] = "the dominators' tapes";

static void stick_no_memory(hsd_reel *reel)
{
    hsd_error error;
    hsd_error_init(&error);
    stick(reel, hsd_fail_nomem(&error, TAPES), &error);
}

/* ---- the reel ---- */

static uint32_t chunks_of_slab(const hsd_reel *reel)
{
    return reel->chunk_bytes >= SLAB_BYTES ? 1 : (uint32_t)(SLAB_BYTES / reel->chunk_bytes);
}

/* Chunks that are in memory, or may be. */
static uint32_t count_resident(const hsd_reel *reel) { return reel->resident.count - reel->resident.idle_count; }

/* Memory for the next chunks. */
static bool add_slab(hsd_reel *reel)
{
    hsd_pages pages;
    const uint32_t count = chunks_of_slab(reel), have = reel->resident.count;
    if (HSD_ARRAY_GROW(reel->memory, reel->memory_capacity, (uint64_t)have + count, 16, TAPES, NULL) != HSD_OK)
        return false;
    if (!hsd_pages_take_any(&pages, (size_t)count * reel->chunk_bytes)) return false;
    for (uint32_t i = 0; i < count; i++)
        reel->memory[have + i] = (uint8_t *)pages.data + (size_t)i * reel->chunk_bytes;
    return true;
}

static bool find_chunk(hsd_reel *reel, bool is_resident, uint32_t *number)
{
    hsd_reel_chunks *chunks = is_resident ? &reel->resident : &reel->filed;
    if (chunks->idle_count > 0) {
        *number = chunks->idle[--chunks->idle_count];
        return true;
    }
    if (chunks->count == NO_CHUNK) return false;
    if (is_resident && chunks->count % chunks_of_slab(reel) == 0 && !add_slab(reel)) return false;
    *number = chunks->count++;
    return true;
}

static bool take_chunk(hsd_reel *reel, bool spares_memory, hsd_tape_chunk *chunk)
{
    *chunk = (hsd_tape_chunk){0};
    pthread_mutex_lock(&reel->lock);
    const bool is_resident = reel->is_resident || (!spares_memory && count_resident(reel) < reel->room);
    const bool is_there = find_chunk(reel, is_resident, &chunk->number);
    if (is_there && is_resident) chunk->bytes = reel->memory[chunk->number];
    pthread_mutex_unlock(&reel->lock);
    return is_there;
}

static void give_chunk(hsd_reel *reel, hsd_tape_chunk *chunk)
{
    const uint32_t number = chunk->number;
    hsd_reel_chunks *chunks = chunk->bytes != NULL ? &reel->resident : &reel->filed;
    if (number == NO_CHUNK) return;
    chunk->number = NO_CHUNK;
    if (chunk->bytes != NULL && reel->is_trimmed) hsd_pages_forget(chunk->bytes, reel->chunk_bytes);
    pthread_mutex_lock(&reel->lock);
    /* a chunk that cannot be remembered is only lost until the reel ends */
    if (HSD_ARRAY_GROW(chunks->idle, chunks->idle_capacity, (uint64_t)chunks->idle_count + 1, 16, TAPES, NULL) ==
        HSD_OK)
        chunks->idle[chunks->idle_count++] = number;
    pthread_mutex_unlock(&reel->lock);
}

static void free_memory(hsd_reel *reel)
{
    const uint32_t step = chunks_of_slab(reel);
    for (uint32_t i = 0; i < reel->resident.count; i += step) {
        hsd_pages pages = {reel->memory[i], (size_t)step * reel->chunk_bytes};
        hsd_pages_give(&pages);
    }
    free(reel->memory);
}

void hsd_reel_trim(hsd_reel *reel)
{
    if ((uint64_t)reel->resident.count * reel->chunk_bytes <= TRIM_LEAST_BYTES) return;
    reel->is_trimmed = true;
    for (uint32_t i = 0; i < reel->resident.idle_count; i++)
        hsd_pages_forget(reel->memory[reel->resident.idle[i]], reel->chunk_bytes);
}

bool hsd_reel_set_room(hsd_reel *reel, uint64_t bytes)
{
    const uint64_t chunks = bytes / reel->chunk_bytes;
    reel->is_resident = false;
    reel->room = chunks < NO_CHUNK ? (uint32_t)chunks : NO_CHUNK;
    for (uint32_t i = 0; reel->resident.count > reel->room && i < reel->resident.idle_count; i++)
        hsd_pages_forget(reel->memory[reel->resident.idle[i]], reel->chunk_bytes);
    return count_resident(reel) <= reel->room;
}

void hsd_reel_release(hsd_reel *reel)
{
    free_memory(reel);
    free(reel->resident.idle);
    free(reel->filed.idle);
    if (reel->space != NULL) hsd_temp_close(&reel->file);
    memset(reel, 0, sizeof *reel);
    reel->file.fd = -1;
}

/* ---- writing ---- */

void hsd_tape_init(hsd_tape *tape, hsd_reel *reel)
{
    HSD_ASSERT(reel->chunk_bytes >= HSD_TAPE_MIN_CHUNK);
    memset(tape, 0, sizeof *tape);
    tape->reel = reel;
}

/* From now on what is written goes nowhere. */
static uint8_t *write_nowhere(hsd_tape *tape)
{
    tape->at = tape->reel->nowhere;
    tape->end = tape->at + sizeof tape->reel->nowhere;
    return tape->at;
}

static hsd_status open_file(hsd_reel *reel, hsd_error *err)
{
    pthread_mutex_lock(&reel->lock);
    const hsd_status status = reel->file.fd < 0 ? hsd_temp_open(&reel->file, reel->space, err) : HSD_OK;
    pthread_mutex_unlock(&reel->lock);
    return status;
}

static void write_chunk(hsd_reel *reel, const hsd_tape_chunk *chunk, const uint8_t *bytes)
{
    hsd_error error;
    hsd_error_init(&error);
    hsd_status status = open_file(reel, &error);
    if (status == HSD_OK)
        status = hsd_temp_write(&reel->file, (uint64_t)chunk->number * reel->chunk_bytes, bytes, chunk->used, &error);
    reel->transfers++;
    if (status != HSD_OK) stick(reel, status, &error);
}

/* The chunk that is being written is complete. */
static void end_chunk(hsd_tape *tape)
{
    hsd_reel *reel = tape->reel;
    if (tape->buffer == NULL || reel->status != HSD_OK) return;
    hsd_tape_chunk *chunk = &tape->chunks[tape->chunk_count - 1];
    chunk->used = (uint32_t)(tape->at - tape->buffer);
    hsd_work_did(HSD_COST_WRITTEN, chunk->used);
    if (chunk->bytes == NULL) write_chunk(reel, chunk, tape->buffer);
}

/* A new chunk at the end of the tape, and memory to write it in. */
static bool add_chunk(hsd_tape *tape)
{
    hsd_reel *reel = tape->reel;
    hsd_tape_chunk chunk;
    if (HSD_ARRAY_GROW(tape->chunks, tape->chunk_capacity, (uint64_t)tape->chunk_count + 1, 16, TAPES, NULL) != HSD_OK)
        return false;
    if (!take_chunk(reel, tape->spares_memory, &chunk)) return false;
    if (chunk.bytes == NULL && tape->filed == NULL) tape->filed = malloc(reel->chunk_bytes);
    tape->buffer = chunk.bytes != NULL ? chunk.bytes : tape->filed;
    tape->chunks[tape->chunk_count++] = chunk;
    return tape->buffer != NULL;
}

uint8_t *hsd_tape_turn(hsd_tape *tape)
{
    hsd_reel *reel = tape->reel;
    end_chunk(tape);
    if (reel->status == HSD_OK && !add_chunk(tape)) stick_no_memory(reel);
    if (reel->status != HSD_OK) return write_nowhere(tape);
    tape->at = tape->buffer;
    tape->end = tape->buffer + reel->chunk_bytes;
    return tape->at;
}

void hsd_tape_finish(hsd_tape *tape)
{
    end_chunk(tape);
    free(tape->filed);
    tape->buffer = tape->filed = NULL;
    tape->at = tape->end = NULL;
}

bool hsd_tape_is_in_memory(const hsd_tape *tape)
{
    for (uint32_t i = 0; i < tape->chunk_count; i++)
        if (tape->chunks[i].bytes == NULL) return false;
    return true;
}

void hsd_tape_append(hsd_tape *tape, hsd_tape *more)
{
    HSD_ASSERT(tape->reel == more->reel && tape->buffer == NULL && more->buffer == NULL);
    const uint64_t chunks = (uint64_t)tape->chunk_count + more->chunk_count;
    if (HSD_ARRAY_GROW(tape->chunks, tape->chunk_capacity, chunks, 16, TAPES, NULL) != HSD_OK) {
        stick_no_memory(tape->reel);
    } else if (more->chunk_count > 0) {
        memcpy(tape->chunks + tape->chunk_count, more->chunks, more->chunk_count * sizeof *more->chunks);
        tape->chunk_count += more->chunk_count;
        more->chunk_count = 0;
    }
    hsd_tape_release(more);
}

void hsd_tape_leave_memory(hsd_tape *tape)
{
    hsd_reel *reel = tape->reel;
    if (reel == NULL) return; /* it was released */
    HSD_ASSERT(!reel->is_resident && tape->buffer == NULL);
    for (uint32_t i = tape->chunk_count; i-- > 0 && count_resident(reel) > reel->room && reel->status == HSD_OK;) {
        hsd_tape_chunk *chunk = &tape->chunks[i], filed = {.used = chunk->used};
        if (chunk->bytes == NULL || chunk->number == NO_CHUNK) continue;
        if (!find_chunk(reel, false, &filed.number)) {
            stick_no_memory(reel);
            return;
        }
        write_chunk(reel, &filed, chunk->bytes);
        hsd_pages_forget(chunk->bytes, reel->chunk_bytes);
        give_chunk(reel, chunk);
        *chunk = filed;
    }
}

void hsd_tape_release(hsd_tape *tape)
{
    if (tape->reel == NULL) return;
    for (uint32_t i = 0; i < tape->chunk_count; i++)
        give_chunk(tape->reel, &tape->chunks[i]);
    free(tape->filed);
    free(tape->chunks);
    memset(tape, 0, sizeof *tape);
}

/* ---- reading ---- */

void hsd_tape_read(hsd_tape_reader *reader, hsd_tape *tape, hsd_tape_order order, bool is_last)
{
    memset(reader, 0, sizeof *reader);
    reader->tape = tape;
    reader->order = order;
    reader->is_last = is_last;
    reader->until = tape->chunk_count;
}

void hsd_tape_read_chunks(hsd_tape_reader *reader, hsd_tape *tape, uint32_t from, uint32_t until, bool is_last)
{
    HSD_ASSERT(from <= until && until <= tape->chunk_count);
    hsd_tape_read(reader, tape, HSD_TAPE_FORWARD, is_last);
    reader->turned = reader->from = from;
    reader->until = until;
}

/* Brings the bytes of a chunk; NULL on failure. */
static uint8_t *load(hsd_tape_reader *reader, const hsd_tape_chunk *chunk)
{
    hsd_reel *reel = reader->tape->reel;
    hsd_error error;
    hsd_error_init(&error);
    if (chunk->bytes != NULL) return chunk->bytes;
    if (reader->buffer == NULL) reader->buffer = malloc(reel->chunk_bytes);
    if (reader->buffer == NULL) {
        stick_no_memory(reel);
        return NULL;
    }
    reel->transfers++;
    const hsd_status status =
        hsd_temp_read(&reel->file, (uint64_t)chunk->number * reel->chunk_bytes, reader->buffer, chunk->used, &error);
    if (status != HSD_OK) stick(reel, status, &error);
    return status == HSD_OK ? reader->buffer : NULL;
}

/* The chunk that was read is not needed any more. */
static void leave_chunk(hsd_tape_reader *reader)
{
    hsd_tape *tape = reader->tape;
    if (!reader->is_last || reader->turned == reader->from) return;
    const uint32_t index = reader->order == HSD_TAPE_FORWARD ? reader->turned - 1 : tape->chunk_count - reader->turned;
    give_chunk(tape->reel, &tape->chunks[index]);
}

bool hsd_tape_next_chunk(hsd_tape_reader *reader)
{
    hsd_tape *tape = reader->tape;
    reader->at = reader->begin = reader->end = NULL;
    if (tape->reel->status != HSD_OK) return false;
    leave_chunk(reader);
    if (reader->turned == reader->until) return false;
    reader->turned++;
    const bool is_forward = reader->order == HSD_TAPE_FORWARD;
    const hsd_tape_chunk *chunk = &tape->chunks[is_forward ? reader->turned - 1 : tape->chunk_count - reader->turned];
    uint8_t *bytes = load(reader, chunk);
    hsd_work_did(HSD_COST_READ, chunk->used);
    if (bytes == NULL) return false;
    reader->begin = bytes;
    reader->end = bytes + chunk->used;
    reader->at = is_forward ? reader->begin : reader->end;
    return true;
}

bool hsd_tape_seek_chunk(hsd_tape_reader *reader, uint64_t index)
{
    const uint32_t items = reader->tape->reel->chunk_bytes / HSD_NODE_BYTES;
    const uint64_t chunk = index / items;
    HSD_ASSERT(reader->order == HSD_TAPE_FORWARD);
    if (chunk < reader->turned || chunk >= reader->until) return false;
    reader->turned = (uint32_t)chunk;
    if (!hsd_tape_next_chunk(reader)) return false;
    reader->first = chunk * items;
    return (uint64_t)(reader->end - reader->begin) > (index - reader->first) * HSD_NODE_BYTES;
}

void hsd_tape_close(hsd_tape_reader *reader)
{
    free(reader->buffer);
    memset(reader, 0, sizeof *reader);
}

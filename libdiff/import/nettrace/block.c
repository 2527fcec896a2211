/*
 * Headers of events, packed and whole, and the arithmetic of what is missing: see block.h.
 */
#include "import/nettrace/block.h"

#include <stdlib.h>

#define BLOCK_PACKED 0x1u

/* Which parts of a packed header are there. */
enum {
    HAS_METADATA = 0x01,
    HAS_SEQUENCE = 0x02, /* and thread that wrote it, and processor */
    HAS_THREAD = 0x04,
    HAS_STACK = 0x08,
    HAS_ACTIVITY = 0x10,
    HAS_RELATED = 0x20,
    HAS_PAYLOAD_SIZE = 0x80
};

#define ACTIVITY_BYTES     16u
#define WHOLE_HEADER_BYTES 76u /* behind the size of the event */

static hsd_status fail_nettrace_block(const nettrace_block *block, const char *what, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, block->offset + (uint64_t)(block->in.at - block->begin),
                       "not a valid nettrace: %s", what);
}

hsd_status hsd_nettrace_block_open(nettrace_block *block, hsd_bytes bytes, uint64_t offset, hsd_error *err)
{
    *block = (nettrace_block){.in = nettrace_cursor_over(bytes), .begin = bytes.data, .offset = offset};
    const uint64_t header_bytes = nettrace_number(&block->in, 2), flags = nettrace_number(&block->in, 2);
    if (block->in.is_short || header_bytes < 4 || nettrace_take(&block->in, (size_t)header_bytes - 4) == NULL)
        return fail_nettrace_block(block, "a block of events without its header", err);
    block->is_packed = (flags & BLOCK_PACKED) != 0;
    return HSD_OK;
}

static void read_packed(nettrace_block *block)
{
    nettrace_cursor *in = &block->in;
    nettrace_event *last = &block->last;
    const unsigned parts = (unsigned)nettrace_number(in, 1);
    if (parts & HAS_METADATA) last->metadata = (uint32_t)nettrace_packed(in, 32);
    if (parts & HAS_SEQUENCE) {
        last->sequence += (uint32_t)nettrace_packed(in, 32);
        last->thread = nettrace_packed(in, 64);
        nettrace_packed(in, 32);
    }
    if (last->metadata != 0) last->sequence++;
    if (parts & HAS_THREAD) nettrace_packed(in, 64);
    if (parts & HAS_STACK) nettrace_packed(in, 32);
    last->ticks += nettrace_packed(in, 64);
    if (parts & HAS_ACTIVITY) nettrace_take(in, ACTIVITY_BYTES);
    if (parts & HAS_RELATED) nettrace_take(in, ACTIVITY_BYTES);
    if (parts & HAS_PAYLOAD_SIZE) block->payload_bytes = (uint32_t)nettrace_packed(in, 32);
}

static void read_whole(nettrace_block *block)
{
    nettrace_cursor *in = &block->in;
    nettrace_event *last = &block->last;
    const uint32_t size = nettrace_u32(in);
    last->metadata = nettrace_u32(in) & 0x7fffffff; /* the top bit says that events behind it are newer */
    last->sequence = nettrace_u32(in);
    nettrace_u64(in); /* the thread that it is about */
    last->thread = nettrace_u64(in);
    nettrace_u64(in); /* processor, stack */
    last->ticks = nettrace_u64(in);
    nettrace_take(in, 2 * ACTIVITY_BYTES);
    block->payload_bytes = nettrace_u32(in);
    if (size < WHOLE_HEADER_BYTES || size - WHOLE_HEADER_BYTES < block->payload_bytes) in->is_short = true;
}

hsd_status hsd_nettrace_block_next(nettrace_block *block, nettrace_event *out, hsd_error *err)
{
    nettrace_cursor *in = &block->in;
    if (nettrace_left(in) == 0) return HSD_END;
    if (block->is_packed)
        read_packed(block);
    else
        read_whole(block);
    block->last.metadata &= 0x7fffffff;
    const uint8_t *payload = in->is_short ? NULL : nettrace_take(in, block->payload_bytes);
    if (payload == NULL) return fail_nettrace_block(block, "an event does not end within its block", err);
    block->last.payload = (hsd_bytes){payload, block->payload_bytes};
    if (!block->is_packed) /* whole events begin at multiples of 4 bytes of the file */
        while (nettrace_left(in) > 0 && ((block->offset + (uint64_t)(in->at - block->begin)) & 3) != 0)
            in->at++;
    *out = block->last;
    return HSD_OK;
}

/* ---- what is missing ---- */

/* Numbers go round behind 2^32 - 1; what looks like more than half of that is a number of before. */
static void step_to(nettrace_thread *thread, uint32_t expected, uint32_t sequence)
{
    const uint32_t ahead = sequence - expected;
    if (ahead < UINT32_C(0x80000000)) thread->lost += ahead;
}

hsd_status hsd_nettrace_threads_note(nettrace_threads *threads, const nettrace_event *event, hsd_error *err)
{
    uint32_t number = hsd_id_table_find(&threads->numbers, event->thread);
    if (number == 0) {
        if (threads->numbers.count >= NETTRACE_THREADS_MAX) return HSD_OK;
        HSD_TRY(hsd_id_table_put(&threads->numbers, event->thread, &number, err));
        HSD_TRY(hsd_import_grow((void **)&threads->threads, &threads->capacity, number, sizeof *threads->threads, err));
    }
    nettrace_thread *thread = &threads->threads[number];
    /* 1 once more: a thread has ended, and a new one has its number */
    if (event->sequence != 1) step_to(thread, thread->last + 1, event->sequence);
    thread->last = event->sequence;
    return HSD_OK;
}

void hsd_nettrace_threads_reach(nettrace_threads *threads, uint64_t id, uint32_t sequence)
{
    const uint32_t number = hsd_id_table_find(&threads->numbers, id);
    if (number == 0) return;
    nettrace_thread *thread = &threads->threads[number];
    const uint32_t ahead = sequence - thread->last;
    if (ahead == 0 || ahead >= UINT32_C(0x80000000)) return;
    thread->lost += ahead;
    thread->last = sequence;
}

uint64_t hsd_nettrace_threads_lost(const nettrace_threads *threads, uint64_t thread)
{
    const uint32_t number = hsd_id_table_find(&threads->numbers, thread);
    return number == 0 ? 0 : threads->threads[number].lost;
}

void hsd_nettrace_threads_release(nettrace_threads *threads)
{
    hsd_id_table_release(&threads->numbers);
    free(threads->threads);
    *threads = (nettrace_threads){0};
}

/*
 * The form with all allocations. The first byte of a record says what it is, and in its low bits more:
 *
 *      1 rrrr aaa   an allocation or a free: r which recent address (15: a new one follows), a the allocator (0: follows)
 *      01 uuuuu e   a frame begins        001 rrrr c   an object, which is passed over      0001 nnnn   n + 1 frames end
 *
 * Frames belong to the thread of the last switch.
 */
#include <string.h>

#include "base/check.h"
#include "import/memray/memray.h"

enum { FILLER = 0, TRAILER = 1, RSS = 2, SWITCH = 12, FRAMES_END = 16, OBJECT = 32, FRAME = 64, ALLOCATION = 128 };
enum { NEW_ADDRESS = 15, CHECK_EVERY = 4096 };

/* ---- threads ---- */

static hsd_status switch_thread(mr *m, hsd_error *err)
{
    uint64_t id;
    HSD_TRY(hsd_mr_word(m, &id, err));
    HSD_TRY(hsd_id_table_put(&m->thread_ids, id, &m->thread, err));
    HSD_TRY(hsd_import_grow((void **)&m->threads, &m->thread_room, m->thread - 1, sizeof *m->threads, err));
    m->threads[m->thread - 1].id = id;
    return m->thread % CHECK_EVERY == 0 ? hsd_mr_check_memory(m, err) : HSD_OK;
}

static hsd_status expect_thread(const mr *m, hsd_error *err)
{
    return m->thread > 0 ? HSD_OK : hsd_mr_corrupt(m, "it names no thread before the first frame", err);
}

/* How many frames below are memray's own. */
static uint64_t skipped_of(const mr *m, const mr_thread *thread)
{
    return thread->id == m->main_thread ? m->skipped_frames : 0;
}

static hsd_status begin_frame(mr *m, hsd_error *err)
{
    uint64_t code;
    int64_t offset;
    uint32_t place;
    HSD_TRY(hsd_mr_number(m, &code, err));
    HSD_TRY(hsd_mr_signed(m, &offset, err));
    HSD_TRY(expect_thread(m, err));
    mr_thread *thread = &m->threads[m->thread - 1];
    if (thread->depth++ < skipped_of(m, thread)) return HSD_OK;
    HSD_TRY(hsd_mr_place(m, code, offset, &place, err));
    return hsd_mr_node(m, thread->node, place, &thread->node, err);
}

static hsd_status end_frames(mr *m, unsigned count, hsd_error *err)
{
    HSD_TRY(expect_thread(m, err));
    mr_thread *thread = &m->threads[m->thread - 1];
    if (count > thread->depth) return hsd_mr_corrupt(m, "more frames end than have begun", err);
    for (; count > 0; count--)
        if (thread->depth-- > skipped_of(m, thread)) thread->node = m->node_parents[thread->node];
    return HSD_OK;
}

/* ---- allocations ---- */

static hsd_status read_address(mr *m, unsigned which, uint64_t *address, hsd_error *err)
{
    if (which == NEW_ADDRESS) {
        HSD_TRY(hsd_mr_delta(m, &m->last_address, err));
        memmove(m->recent + 1, m->recent, sizeof m->recent - sizeof *m->recent);
        m->recent[0] = m->last_address << 3;
        which = 0;
    }
    *address = m->recent[which];
    return HSD_OK;
}

static hsd_status take_allocation(mr *m, uint8_t allocator, uint64_t address, uint64_t bytes, hsd_error *err)
{
    HSD_TRY(expect_thread(m, err));
    const uint32_t node = m->threads[m->thread - 1].node;
    if (allocator == MR_MUNMAP) return hsd_mr_heap_unmap(&m->heap, address, bytes, err);
    if (allocator == MR_MMAP)
        HSD_TRY(hsd_mr_heap_map(&m->heap, address, bytes, node, err));
    else
        HSD_TRY(hsd_mr_heap_add(&m->heap, address, bytes, node, err));
    return m->heap.count % CHECK_EVERY == 0 ? hsd_mr_check_memory(m, err) : HSD_OK;
}

static hsd_status read_allocation(mr *m, uint8_t token, hsd_error *err)
{
    uint64_t address, bytes;
    uint8_t allocator = token & 7;
    HSD_TRY(read_address(m, token >> 3 & 15, &address, err));
    if (allocator == 0) HSD_TRY(hsd_mr_byte(m, &allocator, err));
    if (allocator == 0 || allocator > MR_MUNMAP) return hsd_mr_corrupt(m, "it has an allocator that is none", err);
    if (allocator == MR_FREE || allocator == MR_PYMALLOC_FREE) {
        hsd_mr_heap_remove(&m->heap, address);
        return HSD_OK;
    }
    if (m->has_native) HSD_TRY(hsd_mr_delta(m, &m->last_native, err));
    HSD_TRY(hsd_mr_number(m, &bytes, err));
    return take_allocation(m, allocator, address, bytes, err);
}

static hsd_status pass_object(mr *m, uint8_t token, hsd_error *err)
{
    uint64_t address;
    HSD_TRY(read_address(m, token >> 1 & 15, &address, err));
    return m->has_native && (token & 1) != 0 ? hsd_mr_delta(m, &m->last_native, err) : HSD_OK;
}

/* ---- the others ---- */

static hsd_status read_rss(mr *m, hsd_error *err)
{
    uint64_t ms;
    HSD_TRY(hsd_mr_number(m, &m->rss_bytes, err));
    return hsd_mr_number(m, &ms, err);
}

static hsd_status read_other(mr *m, uint8_t token, hsd_error *err)
{
    bool is_mine;
    if (token == FILLER) return HSD_OK;
    if (token == RSS) return read_rss(m, err);
    if (token == SWITCH) return switch_thread(m, err);
    HSD_TRY(hsd_mr_read_common(m, token, &is_mine, err));
    return is_mine ? HSD_OK : hsd_mr_corrupt(m, "it has a record that is none", err);
}

static hsd_status read_record(mr *m, uint8_t token, hsd_error *err)
{
    if (token >= ALLOCATION) return read_allocation(m, token, err);
    if (token >= FRAME) return begin_frame(m, err);
    if (token >= OBJECT) return pass_object(m, token, err);
    if (token >= FRAMES_END) return end_frames(m, (token & 15u) + 1, err);
    return read_other(m, token, err);
}

hsd_status hsd_mr_read_records(mr *m, hsd_error *err)
{
    for (;;) {
        uint8_t token;
        HSD_TRY(hsd_mr_byte(m, &token, err));
        if (token == TRAILER) return HSD_OK;
        HSD_TRY(read_record(m, token, err));
    }
}

hsd_status hsd_mr_read_common(mr *m, uint8_t token, bool *is_mine, hsd_error *err)
{
    enum { NATIVE_FRAME = 5, MAPPINGS = 6, IMAGE = 7, SEGMENT = 8, THREAD_NAME = 10, CODE = 14 };
    uint64_t number;
    *is_mine = true;
    switch (token) {
    case NATIVE_FRAME: HSD_TRY(hsd_mr_delta(m, &m->last_ip, err)); return hsd_mr_delta(m, &m->last_native, err);
    case MAPPINGS: return HSD_OK;
    case IMAGE:
        HSD_TRY(hsd_mr_skip_text(m, err));
        HSD_TRY(hsd_mr_number(m, &number, err));
        return hsd_mr_word(m, &number, err);
    case SEGMENT: HSD_TRY(hsd_mr_word(m, &number, err)); return hsd_mr_number(m, &number, err);
    case THREAD_NAME: return hsd_mr_skip_text(m, err);
    case CODE: return hsd_mr_read_code(m, err);
    default: *is_mine = false; return HSD_OK;
    }
}

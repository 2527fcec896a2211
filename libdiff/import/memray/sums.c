/*
 * The aggregated form: frames and stacks by number, and for each stack and allocator what was left at the end, and at
 * the peak. A stack is a frame and the stack that called it; both come in the order of their numbers.
 */
#include "base/check.h"
#include "import/memray/memray.h"

enum { SNAPSHOT = 1, SUM = 2, STACK = 3, FRAME = 4, SWITCH = 12, SURVIVOR = 13, TRAILER = 15 };
enum { CHECK_EVERY = 4096 };

static hsd_status read_frame(mr *m, hsd_error *err)
{
    uint64_t number, code;
    int64_t offset;
    uint8_t is_entry;
    HSD_TRY(hsd_mr_number(m, &number, err));
    HSD_TRY(hsd_mr_number(m, &code, err));
    HSD_TRY(hsd_mr_signed(m, &offset, err));
    HSD_TRY(hsd_mr_byte(m, &is_entry, err));
    if (number != m->frame_count) return hsd_mr_corrupt(m, "its frames are not in their order", err);
    HSD_TRY(hsd_import_grow((void **)&m->frame_places, &m->frame_room, number, sizeof *m->frame_places, err));
    HSD_TRY(hsd_mr_place(m, code, offset, &m->frame_places[number], err));
    return ++m->frame_count % CHECK_EVERY == 0 ? hsd_mr_check_memory(m, err) : HSD_OK;
}

/* Number 0 is the stack without a frame. */
static hsd_status read_stack(mr *m, hsd_error *err)
{
    uint64_t frame, caller;
    HSD_TRY(hsd_mr_number(m, &frame, err));
    HSD_TRY(hsd_mr_number(m, &caller, err));
    if (frame >= m->frame_count || caller > m->trace_count)
        return hsd_mr_corrupt(m, "a stack is of a frame or of a caller that is not there", err);
    HSD_TRY(hsd_import_grow((void **)&m->traces, &m->trace_room, m->trace_count + 1, sizeof *m->traces, err));
    mr_trace *trace = &m->traces[++m->trace_count];
    const mr_trace from = m->traces[caller];
    trace->depth = from.depth + 1;
    HSD_TRY(hsd_mr_node(m, from.node, m->frame_places[frame], &trace->node, err));
    if (from.depth >= m->skipped_frames)
        HSD_TRY(hsd_mr_node(m, from.main_node, m->frame_places[frame], &trace->main_node, err));
    return m->trace_count % CHECK_EVERY == 0 ? hsd_mr_check_memory(m, err) : HSD_OK;
}

/* Thread, allocator in eight bytes, native frame, stack, generation; objects at the peak, and left; bytes alike. */
static hsd_status read_sum(mr *m, hsd_error *err)
{
    uint64_t words[9];
    for (size_t i = 0; i < HSD_ARRAY_LEN(words); i++)
        HSD_TRY(hsd_mr_word(m, &words[i], err));
    const uint64_t stack = words[3];
    if (stack > m->trace_count) return hsd_mr_corrupt(m, "a sum is of a stack that is not there", err);
    const mr_trace trace = stack != 0 ? m->traces[stack] : (mr_trace){0};
    m->peak_bytes = hsd_add_saturating(m->peak_bytes, words[7]);
    return hsd_mr_add_sum(m, words[0] == m->main_thread ? trace.main_node : trace.node, words[6], words[8], err);
}

static hsd_status read_snapshot(mr *m, hsd_error *err)
{
    uint64_t word;
    HSD_TRY(hsd_mr_word(m, &word, err));
    HSD_TRY(hsd_mr_word(m, &m->rss_bytes, err));
    return hsd_mr_word(m, &word, err);
}

static hsd_status pass_survivor(mr *m, hsd_error *err)
{
    uint64_t number;
    HSD_TRY(hsd_mr_number(m, &number, err));
    return m->has_native ? hsd_mr_number(m, &number, err) : HSD_OK;
}

static hsd_status read_part(mr *m, uint8_t token, hsd_error *err)
{
    uint64_t word;
    bool is_mine;
    switch (token) {
    case SNAPSHOT: return read_snapshot(m, err);
    case SUM: return read_sum(m, err);
    case STACK: return read_stack(m, err);
    case FRAME: return read_frame(m, err);
    case SWITCH: return hsd_mr_word(m, &word, err);
    case SURVIVOR: return pass_survivor(m, err);
    default: break;
    }
    HSD_TRY(hsd_mr_read_common(m, token, &is_mine, err));
    return is_mine ? HSD_OK : hsd_mr_corrupt(m, "it has a record that is none", err);
}

hsd_status hsd_mr_read_sums(mr *m, hsd_error *err)
{
    for (;;) {
        uint8_t token;
        HSD_TRY(hsd_mr_byte(m, &token, err));
        if (token == TRAILER) return HSD_OK;
        HSD_TRY(read_part(m, token, err));
    }
}

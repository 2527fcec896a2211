/*
 * One pass over a dominator tree in the order of its places. The frames of the nodes on the way down stand on
 * a stack, each with the end of its node's interval; a node whose interval ends before the next record begins
 * is left, from the top down.
 *
 *      file     chunk 0 │ chunk 1 │ …            deep trees: the lower frames, in chunks
 *      memory                     │ chunk │ chunk│     a window of two: spilled when full, brought back
 *                                          top ▲       when one frame is left, so that neither moves
 *                                                      back and forth at a boundary
 */
#include "walk/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/work.h"
#include "io/temp.h"
#include "sort/read_ahead.h"

#define MAX_FRAME_BYTES 256u
#define AHEAD           8u /* records, whose bits are fetched */
#define LEAST_BYTES     ((uint64_t)64 << 10)
#define BATCH_BYTES     ((size_t)128 << 10)
#define BATCH_LEAST     ((size_t)32 << 10)
#define MOST_BYTES      ((uint64_t)64 << 20) /* deeper trees spill */

typedef struct walk {
    const hsd_tree_visitor *visitor;
    void *root;
    uint8_t *window; /* of items: u64 end of the interval, then the frame */
    size_t item_bytes;
    uint32_t chunk;   /* items; the window is two */
    uint32_t count;   /* items in the window */
    uint8_t *top;     /* the last of them, with any */
    uint64_t top_end; /* of its interval; UINT64_MAX without any */
    uint64_t spilled; /* chunks in the file */
    uint64_t more;    /* bytes of the next node, beside those in its record */
    uint64_t entered;
    hsd_temp file;
    hsd_temp_space *space;
} walk;

static uint8_t *item_at(const walk *w, uint32_t i) { return w->window + (size_t)i * w->item_bytes; }

/* After the window or the number of items changed. */
static void find_top(walk *w)
{
    w->top_end = UINT64_MAX;
    if (w->count == 0) return;
    w->top = item_at(w, w->count - 1);
    memcpy(&w->top_end, w->top, sizeof w->top_end);
}

/* The lower chunk goes to the file, the upper one takes its place. */
static hsd_status spill(walk *w, hsd_error *err)
{
    const size_t bytes = w->chunk * w->item_bytes;
    if (w->file.space == NULL) HSD_TRY(hsd_temp_open(&w->file, w->space, err));
    HSD_TRY(hsd_temp_write(&w->file, w->spilled * bytes, w->window, bytes, err));
    memmove(w->window, w->window + bytes, bytes);
    w->spilled++;
    w->count -= w->chunk;
    find_top(w);
    return HSD_OK;
}

/* The newest chunk of the file comes back below the one frame that is left. */
static hsd_status refill(walk *w, hsd_error *err)
{
    const size_t bytes = w->chunk * w->item_bytes;
    memmove(w->window + bytes, w->window, w->count * w->item_bytes);
    HSD_TRY(hsd_temp_read(&w->file, (w->spilled - 1) * bytes, w->window, bytes, err));
    w->spilled--;
    w->count += w->chunk;
    find_top(w);
    return HSD_OK;
}

/* Leaves the node on top. What is then on top is in memory, and so is the frame below it. */
static hsd_status leave(walk *w, hsd_error *err)
{
    uint8_t *below = w->top - w->item_bytes;
    void *parent = w->count == 1 ? w->root : below + sizeof(uint64_t);
    if (w->visitor->leave != NULL)
        HSD_TRY(w->visitor->leave(w->visitor->context, w->top + sizeof(uint64_t), parent, err));
    if (--w->count == 0) {
        w->top_end = UINT64_MAX;
        return HSD_OK;
    }
    w->top = below;
    memcpy(&w->top_end, below, sizeof w->top_end);
    return w->count == 1 && w->spilled > 0 ? refill(w, err) : HSD_OK;
}

static void *frame_on_top(const walk *w) { return w->count == 0 ? w->root : w->top + sizeof(uint64_t); }

static hsd_status enter(walk *w, const hsd_tree_node *node, hsd_error *err)
{
    const uint64_t end = node->end;
    if (w->count == 2 * w->chunk) HSD_TRY(spill(w, err));
    void *parent = frame_on_top(w);
    w->entered++;
    w->top = w->count == 0 ? w->window : w->top + w->item_bytes;
    w->top_end = end;
    w->count++;
    memcpy(w->top, &end, sizeof end);
    void *frame = w->top + sizeof end;
    if (!w->visitor->fills_frames) memset(frame, 0, w->visitor->frame_bytes);
    return w->visitor->enter(w->visitor->context, node, parent, frame, err);
}

static hsd_status visit(walk *w, const uint64_t *record, hsd_error *err)
{
    if (!hsd_tree_is_node(record)) {
        w->more = hsd_tree_more(record);
        return HSD_OK;
    }
    hsd_tree_node node = hsd_tree_read(record);
    node.bytes += w->more;
    w->more = 0;
    if ((node.flags & HSD_TREE_IS_HIDDEN) && !w->visitor->sees_hidden) return HSD_OK;
    if (w->visitor->has_ids) node.id = record[HSD_TREE_WORDS];
    while (w->top_end <= node.first)
        HSD_TRY(leave(w, err));
    if (node.first >= node.end || node.end > w->top_end)
        return hsd_fail(err, HSD_E_MISUSE, "place %" HSD_PRI_NODE " of the dominator tree does not nest", node.first);
    if (node.end - node.first == 1 && w->visitor->leaf != NULL)
        return w->visitor->leaf(w->visitor->context, &node, frame_on_top(w), err);
    return enter(w, &node, err);
}

/* What is asked of a node that comes soon is fetched meanwhile. */
static inline void fetch(const walk *w, const uint64_t *record)
{
    const hsd_node node = hsd_tree_record_node(record);
    for (size_t i = 0; i < HSD_TREE_MOST_BITS && w->visitor->bits[i] != NULL; i++)
        __builtin_prefetch((const void *)((uintptr_t)w->visitor->bits[i] + node / 8));
}

static hsd_status pass_tree(walk *w, hsd_read_ahead *tree, hsd_error *err)
{
    const size_t words = hsd_sorter_words(tree->sorter), ahead = AHEAD * words;
    const bool has_bits = w->visitor->bits[0] != NULL;
    for (;;) {
        const uint64_t *record;
        size_t count;
        const hsd_status status = hsd_read_ahead_next_some(tree, &record, &count, err);
        if (status == HSD_END) break;
        HSD_TRY(status);
        const uint64_t *end = record + count * words;
        for (; record < end; record += words) {
            if (has_bits && (size_t)(end - record) > ahead) fetch(w, record + ahead);
            HSD_TRY(visit(w, record, err));
        }
    }
    while (w->count > 0)
        HSD_TRY(leave(w, err));
    return HSD_OK;
}

/* Places are dense, so that records of many runs come in batches, where there is memory for one. */
static hsd_read_ahead_how how_to_read(const hsd_tree_visitor *visitor, uint64_t memory_bytes)
{
    hsd_read_ahead_how how = {.is_dense = true, .shift = HSD_TREE_FIRST_SHIFT};
    how.with_thread = visitor->reads_ahead && memory_bytes >= 2 * HSD_READ_AHEAD_BYTES;
    if (how.with_thread)
        how.memory_bytes = HSD_READ_AHEAD_BYTES;
    else if (memory_bytes / 4 >= BATCH_LEAST)
        how.memory_bytes = (size_t)hsd_min_u64(memory_bytes / 4, BATCH_BYTES);
    return how;
}

hsd_status hsd_tree_walk(hsd_sorter *tree, const hsd_tree_visitor *visitor, void *root, uint64_t memory_bytes,
                         hsd_temp_space *space, hsd_error *err)
{
    walk w = {.visitor = visitor, .root = root, .space = space, .item_bytes = sizeof(uint64_t) + visitor->frame_bytes};
    HSD_ASSERT(visitor->rare_bytes <= visitor->frame_bytes);
    if (visitor->frame_bytes % 8 != 0 || visitor->frame_bytes > MAX_FRAME_BYTES) {
        return hsd_fail(err, HSD_E_MISUSE, "frames of %zu bytes", visitor->frame_bytes);
    }
    const hsd_read_ahead_how how = how_to_read(visitor, memory_bytes);
    memory_bytes -= how.memory_bytes;
    const uint64_t bytes = hsd_min_u64(hsd_max_u64(memory_bytes, LEAST_BYTES), MOST_BYTES);
    w.chunk = (uint32_t)(bytes / w.item_bytes / 2);
    w.window = malloc(2 * w.chunk * w.item_bytes);
    if (w.window == NULL) return hsd_fail_nomem(err, "a walk over the dominator tree");
    find_top(&w);
    hsd_read_ahead records;
    hsd_status status = hsd_read_ahead_begin(&records, tree, &how, err);
    if (status == HSD_OK) status = pass_tree(&w, &records, err);
    hsd_read_ahead_end(&records);
    hsd_work_did(HSD_COST_WRITTEN, w.entered * (w.item_bytes - visitor->rare_bytes)); /* a frame for each */
    free(w.window);
    hsd_temp_close(&w.file);
    return status;
}

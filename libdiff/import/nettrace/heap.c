/*
 * Events of the heap, and how objects and their references find each other: see heap.h.
 */
#include "import/nettrace/heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

#define FULL_COLLECTION 2u /* its depth */
#define BACKGROUND      1u /* type of a collection that tells no heap */
/* objects with more references do not wait for the last of them */
#define AT_ONCE     ((uint64_t)NETTRACE_CHUNK)
#define STATS_BYTES ((size_t)94)

hsd_status hsd_nettrace_heap_init(nettrace_heap *heap, hsd_import *import, unsigned pointer_bytes, hsd_error *err)
{
    *heap = (nettrace_heap){
        .import = import, .pointer_bytes = pointer_bytes, .types = {.memory_bytes = import->memory_bytes / 2}};
    HSD_TRY(hsd_nettrace_queue_init(&heap->edges, import->space, err));
    heap->nodes = malloc(NETTRACE_NODES_MAX * sizeof *heap->nodes);
    return heap->nodes == NULL ? hsd_fail_nomem(err, "objects that wait") : HSD_OK;
}

/* ---- objects and their references ---- */

static nettrace_node *oldest(nettrace_heap *heap) { return &heap->nodes[heap->node_at]; }

static void drop_oldest(nettrace_heap *heap)
{
    heap->node_at = (heap->node_at + 1) % NETTRACE_NODES_MAX;
    heap->node_count--;
}

/* The next `count` references that wait, of the object that was begun, or of one that is written already. */
static hsd_status write_references(nettrace_heap *heap, const nettrace_node *node, uint64_t count, hsd_error *err)
{
    hsd_import *import = heap->import;
    while (count > 0) {
        const uint64_t *targets;
        size_t some;
        HSD_TRY(hsd_nettrace_queue_take(&heap->edges, count, &targets, &some, err));
        if (some == 0) break;
        if (!node->is_written) HSD_WRITE(import, hsc_references(import->writer, targets, NULL, NULL, some), err);
        for (size_t i = 0; node->is_written && i < some; i++)
            HSD_WRITE(import, hsc_edge(import->writer, node->id, targets[i], 0, 0), err);
        import->result->references += some;
        count -= some;
    }
    return HSD_OK;
}

/* An object with the first `count` of its references; the others are edges, or missing. */
static hsd_status write_node(nettrace_heap *heap, nettrace_node *node, uint64_t count, hsd_error *err)
{
    hsd_import *import = heap->import;
    if (!node->is_written) {
        const hsc_object object = {.id = node->id, .size_bytes = node->size, .type = node->type};
        HSD_WRITE(import, hsc_begin_object(import->writer, &object), err);
        import->result->objects++;
        import->result->bytes = hsd_add_saturating(import->result->bytes, node->size);
    }
    HSD_TRY(write_references(heap, node, count, err));
    if (!node->is_written) HSD_WRITE(import, hsc_end_object(import->writer), err);
    node->is_written = true;
    node->left -= count;
    return HSD_OK;
}

/* Writes all objects that need wait no longer. */
static hsd_status settle_nettrace_heap(nettrace_heap *heap, hsd_error *err)
{
    while (heap->node_count > 0) {
        nettrace_node *node = oldest(heap);
        const uint64_t here = hsd_min_u64(node->left, hsd_nettrace_queue_count(&heap->edges));
        if (here < node->left && (node->left <= AT_ONCE || here == 0) && !(node->is_written && here > 0)) break;
        HSD_TRY(write_node(heap, node, here, err));
        if (node->left > 0) break;
        drop_oldest(heap);
    }
    return HSD_OK;
}

hsd_status hsd_nettrace_heap_give_up(nettrace_heap *heap, hsd_error *err)
{
    for (; heap->node_count > 0; drop_oldest(heap)) {
        nettrace_node *node = oldest(heap);
        HSD_TRY(write_node(heap, node, hsd_min_u64(node->left, hsd_nettrace_queue_count(&heap->edges)), err));
        heap->lost_references = hsd_add_saturating(heap->lost_references, node->left);
    }
    return HSD_OK;
}

static hsd_status add_node(nettrace_heap *heap, const nettrace_node *node, hsd_error *err)
{
    const bool is_alone = node->left == 0 || heap->has_lost_nodes || heap->has_lost_edges;
    if (is_alone) {
        nettrace_node alone = *node;
        heap->lost_references = hsd_add_saturating(heap->lost_references, node->left);
        return write_node(heap, &alone, 0, err);
    }
    if (heap->node_count == NETTRACE_NODES_MAX) { /* no runtime is so far ahead of itself */
        heap->has_lost_edges = true;
        HSD_TRY(hsd_nettrace_heap_give_up(heap, err));
        return add_node(heap, node, err);
    }
    heap->nodes[(heap->node_at + heap->node_count) % NETTRACE_NODES_MAX] = *node;
    heap->node_count++;
    return HSD_OK;
}

static hsd_status read_nodes(nettrace_heap *heap, nettrace_cursor *in, hsd_error *err)
{
    while (nettrace_left(in) > 0) {
        nettrace_node node = {.id = nettrace_number(in, heap->pointer_bytes), .size = nettrace_u64(in)};
        const uint64_t type = nettrace_u64(in);
        node.left = nettrace_u64(in);
        if (in->is_short) break;
        HSD_TRY(hsd_nettrace_types_put(&heap->types, type, &node.type, err));
        nettrace_type *total = &heap->types.types[node.type];
        total->objects++;
        total->bytes = hsd_add_saturating(total->bytes, node.size);
        if (heap->import->options->summary_only) {
            heap->import->result->objects++;
            heap->import->result->bytes = hsd_add_saturating(heap->import->result->bytes, node.size);
            continue;
        }
        HSD_TRY(add_node(heap, &node, err));
        if (heap->node_count == NETTRACE_NODES_MAX) HSD_TRY(settle_nettrace_heap(heap, err));
    }
    return heap->import->options->summary_only ? HSD_OK : settle_nettrace_heap(heap, err);
}

static hsd_status read_edges(nettrace_heap *heap, nettrace_cursor *in, hsd_error *err)
{
    while (nettrace_left(in) > 0) {
        const uint64_t target = nettrace_number(in, heap->pointer_bytes);
        nettrace_u32(in); /* the field: no runtime says which */
        if (in->is_short) break;
        if (heap->has_lost_edges || (heap->has_lost_nodes && heap->node_count == 0))
            heap->lost_references++;
        else
            HSD_TRY(hsd_nettrace_queue_put(&heap->edges, target, err));
    }
    return settle_nettrace_heap(heap, err);
}

/* ---- events ---- */

/* An event of a kind whose events are numbered. What is missing before it counts as lost. */
static hsd_status check_index(nettrace_heap *heap, uint32_t kind, uint32_t index, hsd_error *err)
{
    uint32_t *next = &heap->next_index[kind - NETTRACE_ROOTS];
    const uint32_t missing = index - *next;
    *next = index + 1;
    if (missing == 0) return HSD_OK;
    heap->lost_events += missing < UINT32_C(0x80000000) ? missing : 1;
    if (kind == NETTRACE_NODES) heap->has_lost_nodes = true;
    if (kind == NETTRACE_EDGES) {
        heap->has_lost_edges = true;
        return hsd_nettrace_heap_give_up(heap, err);
    }
    return HSD_OK;
}

static hsd_status read_records(nettrace_heap *heap, uint32_t kind, nettrace_cursor *in, hsd_error *err)
{
    const bool is_summary = heap->import->options->summary_only;
    if (kind == NETTRACE_NODES) return read_nodes(heap, in, err);
    if (is_summary) return HSD_OK;
    switch (kind) {
    case NETTRACE_EDGES: return read_edges(heap, in, err);
    case NETTRACE_ROOTS: return hsd_nettrace_roots(heap, in, err);
    case NETTRACE_WEAK_TABLE: return hsd_nettrace_weak_table(heap, in, err);
    case NETTRACE_COM_ROOTS: return hsd_nettrace_com_roots(heap, in, err);
    default: return hsd_nettrace_statics(heap, in, err);
    }
}

/* Number of the event (where it has one), number of records, number of the runtime (and for statics of the domain),
 * records. */
static hsd_status read_bulk(nettrace_heap *heap, uint32_t kind, const nettrace_event *event, hsd_error *err)
{
    nettrace_cursor in = nettrace_cursor_over(event->payload);
    if (heap->stage == NETTRACE_TOLD) {
        heap->other_dumps++;
        return HSD_OK;
    }
    if (heap->stage == NETTRACE_BEFORE) heap->thread = event->thread;
    heap->stage = NETTRACE_TELLING;
    const bool is_numbered = kind >= NETTRACE_ROOTS && kind <= NETTRACE_EDGES;
    if (is_numbered) HSD_TRY(check_index(heap, kind, nettrace_u32(&in), err));
    nettrace_u32(&in); /* how many: the payload says it too */
    if (kind == NETTRACE_STATICS) nettrace_u64(&in);
    nettrace_number(&in, 2);
    if (!in.is_short) HSD_TRY(read_records(heap, kind, &in, err));
    return in.is_short ? hsd_fail(err, HSD_E_CORRUPT, "not a valid nettrace: an event of the heap ends within a record")
                       : HSD_OK;
}

static hsd_status read_types(nettrace_heap *heap, const nettrace_event *event, hsd_error *err)
{
    nettrace_cursor in = nettrace_cursor_over(event->payload);
    nettrace_take(&in, 6);
    while (!in.is_short && nettrace_left(&in) > 0) {
        const uint64_t id = nettrace_u64(&in);
        nettrace_take(&in, 17); /* module, name's number, flags, kind of element */
        const hsd_bytes name = nettrace_text(&in);
        const uint64_t parameters = nettrace_u32(&in);
        if (in.is_short || nettrace_take(&in, (size_t)parameters * 8) == NULL) break;
        HSD_TRY(hsd_nettrace_types_name(&heap->types, id, name, err));
    }
    return in.is_short ? hsd_fail(err, HSD_E_CORRUPT, "not a valid nettrace: an event of types ends within a record")
                       : HSD_OK;
}

static void begin_collection(nettrace_heap *heap, const nettrace_event *event)
{
    nettrace_cursor in = nettrace_cursor_over(event->payload);
    const uint32_t number = nettrace_u32(&in), depth = nettrace_u32(&in);
    nettrace_u32(&in);
    const uint32_t type = nettrace_u32(&in);
    if (in.is_short || heap->stage != NETTRACE_BEFORE || depth < FULL_COLLECTION || type == BACKGROUND) return;
    heap->has_collection = true;
    heap->collection = number;
    if (heap->suspending_thread != event->thread) heap->is_suspended = false;
}

static void end_collection(nettrace_heap *heap, const nettrace_event *event)
{
    nettrace_cursor in = nettrace_cursor_over(event->payload);
    const uint32_t number = nettrace_u32(&in), depth = nettrace_u32(&in);
    const bool is_it = heap->has_collection ? number == heap->collection : depth >= FULL_COLLECTION;
    if (in.is_short || !is_it) return;
    if (heap->stage == NETTRACE_BEFORE) { /* it has told nothing: it had begun before it was asked to */
        heap->has_collection = false;
        return;
    }
    if (heap->stage == NETTRACE_TELLING) heap->stage = NETTRACE_TOLD;
    heap->collection = number;
    heap->has_collection = true;
}

/* The state behind the collection that told. */
static void take_stats(nettrace_heap *heap, const nettrace_event *event)
{
    const uint8_t *at = event->payload.data;
    if (heap->stage != NETTRACE_TOLD || heap->has_stats || event->thread != heap->thread ||
        event->payload.size < STATS_BYTES)
        return;
    for (size_t i = 0; i < 4; i++)
        heap->generations[i] = nettrace_at(at + 16 * i, 8);
    if (event->payload.size >= STATS_BYTES + 8) heap->generations[4] = nettrace_at(at + STATS_BYTES, 8);
    heap->has_stats = true;
}

static void take_pause(nettrace_heap *heap, uint32_t kind, const nettrace_event *event)
{
    if (kind == NETTRACE_SUSPEND_BEGIN && heap->stage == NETTRACE_BEFORE) {
        heap->suspended_ticks = event->ticks;
        heap->suspending_thread = event->thread;
        heap->is_suspended = true;
    } else if (kind == NETTRACE_RESTART_END && heap->stage == NETTRACE_TOLD && heap->is_suspended && !heap->has_pause &&
               event->thread == heap->suspending_thread && event->ticks >= heap->suspended_ticks) {
        heap->paused_ticks = event->ticks - heap->suspended_ticks;
        heap->has_pause = true;
    }
}

hsd_status hsd_nettrace_heap_event(nettrace_heap *heap, uint32_t kind, const nettrace_event *event, hsd_error *err)
{
    switch (kind) {
    case NETTRACE_TYPES: return read_types(heap, event, err);
    case NETTRACE_ROOTS:
    case NETTRACE_WEAK_TABLE:
    case NETTRACE_NODES:
    case NETTRACE_EDGES:
    case NETTRACE_COM_ROOTS:
    case NETTRACE_STATICS: return read_bulk(heap, kind, event, err);
    case NETTRACE_GC_START: begin_collection(heap, event); break;
    case NETTRACE_GC_STOP: end_collection(heap, event); break;
    case NETTRACE_HEAP_STATS: take_stats(heap, event); break;
    default: take_pause(heap, kind, event);
    }
    return HSD_OK;
}

void hsd_nettrace_heap_release(nettrace_heap *heap)
{
    hsd_nettrace_types_release(&heap->types);
    hsd_nettrace_queue_release(&heap->edges);
    free(heap->nodes);
    *heap = (nettrace_heap){.edges = {.spill = {.fd = -1}}};
}

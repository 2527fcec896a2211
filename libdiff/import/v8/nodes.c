/*
 * Reads the list of nodes: into the spool, until their edges come, or, for a summary, straight into the
 * totals of their types.
 */
#include "import/v8/nodes.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "import/v8/import.h"
#include "import/v8/pump.h"

static hsd_v8_mark mark_of(hsd_v8_class class, unsigned state)
{
    static const uint8_t marks[HSD_V8_CLASS_COUNT] = {
        [HSD_V8_HIDDEN] = HSD_V8_MARK_MOVABLE,      [HSD_V8_ARRAY] = HSD_V8_MARK_MOVABLE,
        [HSD_V8_OBJECT] = HSD_V8_MARK_OBJECT,       [HSD_V8_CODE] = HSD_V8_MARK_CODE,
        [HSD_V8_SYNTHETIC] = HSD_V8_MARK_SYNTHETIC, [HSD_V8_NATIVE] = HSD_V8_MARK_NATIVE,
    };
    if (class == HSD_V8_NATIVE && state == HSD_V8_STATE_ATTACHED) return HSD_V8_MARK_ATTACHED;
    if (class == HSD_V8_NATIVE && state == HSD_V8_STATE_DETACHED) return HSD_V8_MARK_DETACHED;
    return (hsd_v8_mark)marks[class];
}

static hsd_status fail_node(const hsd_v8 *v8, const char *column, uint64_t value, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, hsd_v8_offset(v8), "not a valid heap snapshot: the %s of node %llu is %llu",
                       column, (unsigned long long)v8->marks.count, (unsigned long long)value);
}

static hsd_status take_columns(const hsd_v8 *v8, const uint64_t *item, hsd_v8_node *node, hsd_error *err)
{
    const hsd_v8_layout *layout = &v8->layout;
    const uint64_t type = item[layout->type], edge_count = item[layout->edge_count_column];
    const uint64_t state = layout->detachedness == HSD_V8_NO_COLUMN ? 0 : item[layout->detachedness];
    if (edge_count > UINT32_MAX) return fail_node(v8, "edge count", edge_count, err);
    if (item[layout->self_size] > UINT64_MAX >> 1) return fail_node(v8, "size", item[layout->self_size], err);
    node->type = (uint8_t)hsd_min_u64(type, HSD_V8_MAX_TYPES);
    node->state = (uint8_t)(state <= HSD_V8_STATE_DETACHED ? state : 0);
    node->name = (uint32_t)item[layout->name];
    node->id = item[layout->id];
    node->self_size = item[layout->self_size];
    node->edge_count = (uint32_t)edge_count;
    return HSD_OK;
}

/* ---- into the spool ---- */

static hsd_status spool_node(hsd_v8 *v8, const hsd_v8_node *node, uint64_t *last_id, hsd_error *err)
{
    const hsd_v8_class class = hsd_v8_class_of(&v8->layout, node->type);
    v8->edges_due += node->edge_count; /* fewer than 2^32 nodes: no overflow */
    v8->has_detached |= class == HSD_V8_NATIVE && node->state == HSD_V8_STATE_DETACHED;
    HSD_TRY(hsd_v8_marks_put(&v8->marks, mark_of(class, node->state), err));
    v8->nodes.record = (uint32_t)(v8->marks.count - 1);
    HSD_TRY(hsd_v8_spool_room(&v8->nodes, HSD_V8_NODE_BYTES, err));
    v8->nodes.at = hsd_v8_node_pack(v8->nodes.at, node, *last_id);
    *last_id = node->id;
    return HSD_OK;
}

/* ---- into totals ---- */

static hsd_status make_room_for_v8_node(hsd_v8 *v8, uint32_t type, hsd_error *err)
{
    return HSD_ARRAY_GROW_ZEROED(v8->totals, v8->total_capacity, type + 1, 1024, "totals of types", err);
}

static hsd_status count_node(hsd_v8 *v8, const hsd_v8_node *node, hsd_error *err)
{
    uint32_t type;
    v8->marks.count++; /* for messages; a summary needs no marks */
    if (hsd_v8_is_pseudo(node)) return HSD_OK;
    HSD_TRY(hsd_v8_type_of(v8, node, &type, err));
    HSD_TRY(make_room_for_v8_node(v8, type, err));
    v8->totals[type].objects++;
    v8->totals[type].bytes = hsd_add_saturating(v8->totals[type].bytes, node->self_size);
    return HSD_OK;
}

/* ---- the list ---- */

static hsd_status put_trace(hsd_v8 *v8, const uint64_t *item, hsd_error *err)
{
    return v8->traces.is_used ? hsd_v8_traces_put(&v8->traces, item[v8->layout.trace], err) : HSD_OK;
}

static hsd_status take_batch(hsd_v8 *v8, const uint64_t *items, size_t count, uint64_t *last_id, hsd_error *err)
{
    const bool is_summary = v8->import->options->summary_only;
    const size_t width = v8->layout.node_width;
    for (size_t i = 0; i + width <= count; i += width) {
        hsd_v8_node node = {0};
        HSD_TRY(take_columns(v8, items + i, &node, err));
        HSD_TRY(is_summary ? count_node(v8, &node, err) : spool_node(v8, &node, last_id, err));
        HSD_TRY(put_trace(v8, items + i, err));
    }
    return HSD_OK;
}

static hsd_status read_batches(hsd_v8 *v8, hsd_v8_numbers *numbers, uint64_t *items, size_t capacity, hsd_error *err)
{
    uint64_t last_id = 0;
    while (!numbers->is_at_end) {
        size_t count = 0;
        const hsd_status status = hsd_v8_numbers_read(numbers, items, capacity, &count, err);
        if (status < 0 && status != HSD_E_TRUNCATED) return status;
        HSD_TRY(take_batch(v8, items, count, &last_id, err));
        if (status < 0) return status;
        if (count % v8->layout.node_width != 0)
            return hsd_fail_at(err, HSD_E_CORRUPT, hsd_v8_offset(v8),
                               "not a valid heap snapshot: the list of nodes ends inside node %llu",
                               (unsigned long long)v8->marks.count);
        HSD_TRY(hsd_v8_progress(v8, err));
    }
    return HSD_OK;
}

hsd_status hsd_v8_read_nodes(hsd_v8 *v8, hsd_error *err)
{
    hsd_v8_numbers numbers;
    const size_t capacity = HSD_V8_BATCH_NUMBERS / v8->layout.node_width * v8->layout.node_width;
    HSD_TRY(hsd_v8_numbers_begin(&numbers, v8->source, "nodes", err));
    uint64_t *items = malloc(capacity * sizeof *items);
    if (items == NULL) return hsd_fail_nomem(err, "a batch of nodes");
    if (v8->import->has_threads) hsd_v8_pump_start(&numbers, capacity);
    v8->numbers = &numbers;
    const hsd_status status = read_batches(v8, &numbers, items, capacity, err);
    v8->numbers = NULL;
    hsd_v8_pump_stop(&numbers);
    free(items);
    return status;
}

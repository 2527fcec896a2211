/* An ordinal refers to its position, and that to what stands there: a round for each array. */
#include "match/permute.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "match/around.h"

#define LEAST_BYTES (UINT64_C(512) << 10)

typedef struct permuting {
    const hsd_permute_config *config;
    const hsd_permuted *array; /* of the round */
    hsd_around *around;
    uint8_t *window; /* of what stands by position */
} permuting;

static hsd_status begin_window(void *context, hsd_node first, hsd_node count, hsd_error *err)
{
    const permuting *p = context;
    const uint64_t each = p->array->item_bytes, end = p->config->position_count;
    if (first >= end) return HSD_OK;
    return hsd_paged_peek(p->array->by_position, first * each, p->window,
                          (size_t)(hsd_min_u64(count, end - first) * each), err);
}

static uint64_t see_item(void *context, hsd_node ordinal, hsd_node at)
{
    const permuting *p = context;
    const uint32_t each = p->array->item_bytes;
    uint64_t item = 0;
    (void)ordinal;
    memcpy(&item, p->window + (size_t)at * each, each); /* as it is read back */
    return item;
}

/* Those that have no position keep what they are. */
static hsd_status write_items(const permuting *p, hsd_error *err)
{
    const hsd_permute_config *c = p->config;
    const uint32_t each = p->array->item_bytes;
    for (hsd_node ordinal = 0; ordinal < c->object_count; ordinal++) {
        if (hsd_paged_get_node(c->positions, ordinal) >= c->position_count) continue;
        const uint64_t item = hsd_around_next_sum(p->around, ordinal), byte = (uint64_t)ordinal * each;
        memcpy(hsd_paged_at(p->array->by_ordinal, byte, HSD_FRAME_USED | HSD_FRAME_DIRTY), &item, each);
    }
    HSD_TRY(hsd_around_check(p->around, err));
    HSD_TRY(hsd_paged_check(c->positions, err));
    return hsd_paged_check(p->array->by_ordinal, err);
}

static hsd_status put_positions(const permuting *p, hsd_error *err)
{
    const hsd_permute_config *c = p->config;
    for (hsd_node ordinal = 0; ordinal < c->object_count; ordinal++) {
        const hsd_node position = hsd_paged_get_node(c->positions, ordinal);
        if (position < c->position_count) hsd_around_put(p->around, ordinal, position);
    }
    HSD_TRY(hsd_paged_check(c->positions, err));
    return hsd_around_finish(p->around, err);
}

static hsd_status permute_all(permuting *p, const hsd_permuted *arrays, size_t count, hsd_error *err)
{
    HSD_TRY(put_positions(p, err));
    for (size_t i = 0; i < count; i++) {
        const hsd_around_round round = {
            .name = p->config->name, .is_last = i + 1 == count, .context = p, .begin = begin_window, .see = see_item};
        p->array = &arrays[i];
        HSD_TRY(hsd_around_run(p->around, &round, err));
        HSD_TRY(write_items(p, err));
    }
    return HSD_OK;
}

static uint32_t most_bytes(const hsd_permuted *arrays, size_t count)
{
    uint32_t most = 1;
    for (size_t i = 0; i < count; i++) {
        HSD_ASSERT(arrays[i].item_bytes <= sizeof(uint64_t));
        if (arrays[i].item_bytes > most) most = arrays[i].item_bytes;
    }
    return most;
}

hsd_status hsd_permute(const hsd_permute_config *config, const hsd_permuted *arrays, size_t count, hsd_error *err)
{
    permuting p = {.config = config};
    const uint64_t memory = hsd_max_u64(config->memory_bytes, LEAST_BYTES);
    const hsd_around_config around = {.node_count = config->object_count,
                                      .window_bytes = memory / 4 * 3,
                                      .item_bytes = most_bytes(arrays, count),
                                      .tape_bytes = memory / 4,
                                      .space = config->space,
                                      .reporter = config->reporter};
    HSD_ASSERT(config->position_count <= config->object_count);
    if (config->position_count == 0) return HSD_OK;
    hsd_status status = hsd_around_new(&p.around, &around, err);
    if (status == HSD_OK) p.window = malloc((size_t)hsd_around_window(p.around) * around.item_bytes);
    if (status == HSD_OK && p.window == NULL) status = hsd_fail_nomem(err, "objects by their addresses");
    if (status == HSD_OK) status = permute_all(&p, arrays, count, err);
    free(p.window);
    hsd_around_free(p.around);
    return status;
}

/*
 * Level by level. A level is put only once all of it is known, so that one which is too wide leaves nothing behind,
 * whatever the order in which it was found.
 */
#include "match/descend.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/mix.h"

typedef struct place {
    uint64_t hash; /* of the root and the types above */
    hsd_node object;
} place;

typedef struct level {
    place *items;
    uint32_t count, capacity;
    bool is_too_wide;
} level;

typedef struct descent {
    const hsd_descend_config *config;
    hsd_sequence *sequence;
    level now, next;
} descent;

static hsd_status add_descent(level *l, place item, hsd_error *err)
{
    if (l->count == HSD_DESCEND_WIDEST) l->is_too_wide = true;
    if (l->is_too_wide) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(l->items, l->capacity, l->count + 1, 256, "the places of objects", err));
    l->items[l->count++] = item;
    return HSD_OK;
}

/* The targets of a node, none where there are too many. */
static hsd_targets targets_of(const descent *d, hsd_node node, uint32_t most)
{
    hsd_targets targets;
    hsd_adjacency_get(d->config->adjacency, node, &targets);
    if (targets.has_more || targets.count > most) targets.count = 0;
    return targets;
}

static hsd_status begin_descent(descent *d, hsd_error *err)
{
    const hsd_descend_config *c = d->config;
    for (hsd_node node = c->object_count; node < c->node_count; node++) {
        const uint64_t hash = c->hash_of_root(c->context, node);
        const hsd_targets targets = targets_of(d, node, HSD_DESCEND_TABLE);
        for (uint32_t i = 0; i < targets.count; i++)
            if (targets.items[i] < c->object_count) HSD_TRY(add_descent(&d->now, (place){hash, targets.items[i]}, err));
    }
    return HSD_OK;
}

static uint64_t hash_below(const descent *d, const place *p)
{
    return hsd_mix(p->hash, d->config->type_hash[hsd_paged_get_u32(d->config->types, p->object)]);
}

static hsd_status go_below(descent *d, const place *p, uint32_t most, hsd_error *err)
{
    const hsd_descend_config *c = d->config;
    const hsd_targets targets = targets_of(d, p->object, most);
    for (uint32_t i = 0; i < targets.count; i++) {
        const hsd_node target = targets.items[i];
        if (target >= c->object_count || hsd_paged_get_node(c->referrers, target) < HSD_REFERRER_FIRST) continue;
        HSD_TRY(add_descent(&d->next, (place){hash_below(d, p), target}, err));
    }
    return HSD_OK;
}

static hsd_status put_level(const descent *d, hsd_error *err)
{
    for (uint32_t i = 0; i < d->now.count; i++) {
        const hsd_node position = hsd_paged_get_node(&d->sequence->positions, d->now.items[i].object);
        const bool has_elements = hsd_paged_get_u64(d->config->shapes, d->now.items[i].object) & HSD_SHAPE_HAS_ELEMENTS;
        if (position == HSD_NO_POSITION || has_elements) continue;
        const uint64_t record[2] = {d->now.items[i].hash, position};
        HSD_TRY(hsd_sorter_put(d->sequence->places, record, err));
    }
    return HSD_OK;
}

static hsd_status descend(descent *d, hsd_error *err)
{
    HSD_TRY(begin_descent(d, err));
    for (unsigned depth = 1; depth < HSD_DESCEND_DEEPEST && d->now.count > 0 && !d->now.is_too_wide; depth++) {
        const uint32_t most = depth == 1 ? HSD_DESCEND_TABLE : HSD_DESCEND_CHILDREN;
        for (uint32_t i = 0; i < d->now.count; i++)
            HSD_TRY(go_below(d, &d->now.items[i], most, err));
        if (d->next.is_too_wide) break;
        const level done = d->now;
        d->now = d->next;
        d->next = (level){.items = done.items, .capacity = done.capacity};
        HSD_TRY(put_level(d, err));
    }
    HSD_TRY(hsd_adjacency_check(d->config->adjacency, err));
    HSD_TRY(hsd_paged_check(d->config->types, err));
    return hsd_paged_check(d->config->referrers, err);
}

hsd_status hsd_descend(const hsd_descend_config *config, hsd_sequence *sequence, hsd_error *err)
{
    HSD_ASSERT(config->object_count <= config->node_count && config->hash_of_root != NULL);
    descent d = {.config = config, .sequence = sequence};
    const hsd_status status = descend(&d, err);
    free(d.now.items);
    free(d.next.items);
    return status;
}

/*
 * What is known of the nodes of a window lies in plain arrays. Of an only referrer type and position make one sum, or
 * two where a number has 64 bits.
 */
#include "match/key_windows.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "match/around.h"

#define WINDOW_LEAST (UINT64_C(64) << 10)
#define WHAT         "the neighbours of objects"

enum { NAMES, OWNERS, SUMS = HSD_NODE_BITS == 32 ? 1 : 2 };

struct hsd_key_windows {
    hsd_key_windows_config config;
    hsd_around *targets;
    hsd_around *referrers[SUMS]; /* by object: its only referrer */
    unsigned sum;                /* which of them */
    hsd_paged *told;             /* of the round: referrers, or structures */
    struct {                     /* of the nodes of the window at hand */
        uint64_t *shapes;
        hsd_node *referrers;
        uint32_t *structures, *types;
        hsd_node *positions;
        hsd_node first;
    } here;
};

/* ---- memory ---- */

static hsd_status open_around(const hsd_key_windows_config *config, uint32_t item_bytes, hsd_around **out,
                              hsd_error *err)
{
    const hsd_around_config around = {
        .node_count = config->keys->node_count,
        .window_bytes = hsd_max_u64(config->window_bytes, WINDOW_LEAST),
        .item_bytes = item_bytes,
        .tape_bytes = config->tape_bytes,
        .space = config->keys->space,
        .reporter = config->keys->reporter,
    };
    return hsd_around_new(out, &around, err);
}

hsd_status hsd_key_windows_new(hsd_key_windows **out, const hsd_key_windows_config *config, hsd_error *err)
{
    hsd_key_windows *w = *out = calloc(1, sizeof *w);
    if (w == NULL) return hsd_fail_nomem(err, WHAT);
    w->config = *config;
    return open_around(config, sizeof *w->here.shapes + sizeof *w->here.referrers, &w->targets, err);
}

static void drop_window(hsd_key_windows *w)
{
    free(w->here.shapes);
    free(w->here.referrers);
    free(w->here.structures);
    free(w->here.types);
    free(w->here.positions);
    memset(&w->here, 0, sizeof w->here);
}

void hsd_key_windows_free(hsd_key_windows *w)
{
    if (w == NULL) return;
    drop_window(w);
    hsd_around_free(w->targets);
    for (unsigned i = 0; i < SUMS; i++)
        hsd_around_free(w->referrers[i]);
    free(w);
}

hsd_status hsd_key_windows_check(const hsd_key_windows *w, hsd_error *err)
{
    for (unsigned i = 0; i < SUMS; i++)
        if (w->referrers[i] != NULL) HSD_TRY(hsd_around_check(w->referrers[i], err));
    return hsd_around_check(w->targets, err);
}

/* Items `first` … of an array of the caller's, as many as it has of them. */
static hsd_status peek_items(const hsd_paged *array, hsd_node first, hsd_node count, hsd_node end, void *out,
                             size_t item_bytes, hsd_error *err)
{
    if (first >= end) return HSD_OK;
    return hsd_paged_peek(array, (uint64_t)first * item_bytes, out,
                          (size_t)hsd_min_u64(count, end - first) * item_bytes, err);
}

/* ---- targets ---- */

void hsd_key_windows_put(hsd_key_windows *w, hsd_node source, hsd_node target)
{
    hsd_around_put(w->targets, source, target);
}

uint64_t hsd_key_windows_sum(hsd_key_windows *w, hsd_node node) { return hsd_around_next_sum(w->targets, node); }

static hsd_status begin_shapes(void *context, hsd_node first, hsd_node count, hsd_error *err)
{
    hsd_key_windows *w = context;
    const hsd_node nodes = w->config.keys->node_count;
    memset(w->here.referrers, 0, (size_t)count * sizeof *w->here.referrers); /* HSD_REFERRER_NONE */
    return peek_items(w->config.keys->shapes, first, count, nodes, w->here.shapes, sizeof *w->here.shapes, err);
}

static uint64_t see_shape(void *context, hsd_node source, hsd_node at)
{
    hsd_key_windows *w = context;
    const bool is_first = w->here.referrers[at] == HSD_REFERRER_NONE;
    w->here.referrers[at] = is_first ? source + HSD_REFERRER_FIRST : HSD_REFERRER_MANY;
    return w->config.of_target(w->here.shapes[at]);
}

static hsd_status end_shapes(void *context, hsd_node first, hsd_node count, hsd_error *err)
{
    hsd_key_windows *w = context;
    for (hsd_node i = 0; i < count; i++)
        hsd_paged_set_node(w->told, first + i, w->here.referrers[i]);
    return hsd_paged_check(w->told, err);
}

hsd_status hsd_key_windows_first(hsd_key_windows *w, const char *name, hsd_paged *referrers, hsd_error *err)
{
    const hsd_around_round round = {
        .name = name, .context = w, .begin = begin_shapes, .see = see_shape, .end = end_shapes};
    HSD_TRY(hsd_around_finish(w->targets, err));
    const size_t count = (size_t)hsd_around_window(w->targets);
    w->told = referrers;
    w->here.shapes = malloc(count * sizeof *w->here.shapes);
    w->here.referrers = malloc(count * sizeof *w->here.referrers);
    if (w->here.shapes == NULL || w->here.referrers == NULL) return hsd_fail_nomem(err, WHAT);
    HSD_TRY(hsd_around_run(w->targets, &round, err));
    drop_window(w);
    return HSD_OK;
}

static hsd_status begin_structures(void *context, hsd_node first, hsd_node count, hsd_error *err)
{
    hsd_key_windows *w = context;
    const hsd_node nodes = w->config.keys->node_count;
    return peek_items(w->told, first, count, nodes, w->here.structures, sizeof *w->here.structures, err);
}

static uint64_t see_structure(void *context, hsd_node source, hsd_node at)
{
    const hsd_key_windows *w = context;
    (void)source;
    return w->config.of_target(w->here.structures[at]);
}

hsd_status hsd_key_windows_second(hsd_key_windows *w, const char *name, hsd_paged *structures, hsd_error *err)
{
    const hsd_around_round round = {
        .name = name, .is_last = true, .context = w, .begin = begin_structures, .see = see_structure};
    w->told = structures;
    w->here.structures = malloc((size_t)hsd_around_window(w->targets) * sizeof *w->here.structures);
    if (w->here.structures == NULL) return hsd_fail_nomem(err, WHAT);
    HSD_TRY(hsd_around_run(w->targets, &round, err));
    drop_window(w);
    return HSD_OK;
}

/* ---- referrers ---- */

static hsd_status begin_referrers(void *context, hsd_node first, hsd_node count, hsd_error *err)
{
    hsd_key_windows *w = context;
    const hsd_keys_config *keys = w->config.keys;
    const hsd_node objects = keys->object_count;
    w->here.first = first;
    HSD_TRY(peek_items(keys->types, first, count, objects, w->here.types, sizeof *w->here.types, err));
    return peek_items(&w->config.sequence->positions, first, count, objects, w->here.positions,
                      sizeof *w->here.positions, err);
}

static uint64_t see_referrer(void *context, hsd_node object, hsd_node at)
{
    const hsd_key_windows *w = context;
    const hsd_keys_config *keys = w->config.keys;
    const hsd_node node = w->here.first + at;
    const bool is_object = node < keys->object_count;
    const uint32_t hash = is_object ? keys->type_hash[w->here.types[at]] : keys->root_hash[node - keys->object_count];
    const hsd_node owner = is_object ? w->here.positions[at] + 1 : 0; /* HSD_NO_POSITION + 1 is 0 */
    (void)object;
    if (SUMS == 1) return (uint64_t)hsd_key_class(hash) << 32 | owner;
    return w->sum == NAMES ? hsd_key_class(hash) : owner;
}

static hsd_status put_referrers(hsd_key_windows *w, hsd_around *around, hsd_paged *referrers, hsd_error *err)
{
    for (hsd_node object = 0; object < w->config.keys->object_count; object++) {
        const hsd_node referrer = hsd_paged_get_node(referrers, object);
        if (referrer >= HSD_REFERRER_FIRST) hsd_around_put(around, object, referrer - HSD_REFERRER_FIRST);
    }
    HSD_TRY(hsd_paged_check(referrers, err));
    return hsd_around_finish(around, err);
}

static hsd_status look_once(hsd_key_windows *w, const hsd_around_round *round, hsd_paged *referrers, hsd_error *err)
{
    hsd_around **around = &w->referrers[w->sum];
    HSD_TRY(open_around(&w->config, sizeof *w->here.types + sizeof *w->here.positions, around, err));
    HSD_TRY(put_referrers(w, *around, referrers, err));
    const size_t count = (size_t)hsd_around_window(*around);
    w->here.types = malloc(count * sizeof *w->here.types);
    w->here.positions = malloc(count * sizeof *w->here.positions);
    if (w->here.types == NULL || w->here.positions == NULL) return hsd_fail_nomem(err, WHAT);
    HSD_TRY(hsd_around_run(*around, round, err));
    drop_window(w);
    return HSD_OK;
}

hsd_status hsd_key_windows_look(hsd_key_windows *w, const char *name, hsd_paged *referrers, hsd_error *err)
{
    const hsd_around_round round = {
        .name = name, .is_last = true, .context = w, .begin = begin_referrers, .see = see_referrer};
    for (w->sum = 0; w->sum < SUMS; w->sum++)
        HSD_TRY(look_once(w, &round, referrers, err));
    return HSD_OK;
}

hsd_key_referrer hsd_key_windows_referrer(hsd_key_windows *w, hsd_node object, hsd_node referrer)
{
    if (referrer < HSD_REFERRER_FIRST) return (hsd_key_referrer){(uint32_t)referrer, 0};
    const uint64_t sum = hsd_around_next_sum(w->referrers[NAMES], object);
    if (SUMS == 1) return (hsd_key_referrer){(uint32_t)(sum >> 32), (hsd_node)(uint32_t)sum};
    return (hsd_key_referrer){(uint32_t)sum, (hsd_node)hsd_around_next_sum(w->referrers[SUMS - 1], object)};
}

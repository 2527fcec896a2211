/*
 * Step 2: numbers for the core nodes, and their predecessors into buckets.
 *
 *      by preorder      group of each place = its own number if it is core, else that of its parent
 *      by node          number of each core node, so that a target finds it
 *      forward, back    read once, in order of sources: (core node, source's place, source's group) goes to the
 *                       bucket of the core node
 *
 * Sources come in order of their places, so their groups are read in sequence; only the look-up of targets is
 * random. Where their numbers do not fit in memory they are looked up in windows: a part of the nodes at a time has its
 * numbers in memory, which the places tell anew, and each window reads all references. So a reference costs no page,
 * and the whole (4 or 8 bytes a node / memory) times what the references take. First all windows for forward
 * references, then for the others, since a bucket wants them in this order; among the others it asks for none.
 *
 * In the second round a reference to a node of the first round holds nothing and is left out here. (Its target
 * then counts as core without need, which changes nothing.)
 *
 * With a second thread and everything in memory, that thread gives nodes their numbers while the first finds the
 * groups; then each scatters half of the references that lead back, into buckets of its own, which become one.
 */
#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "graph/dominators/parts.h"

#define IS_CORE       2u
#define LISTS_AHEAD   8u
#define FORWARD_AHEAD 16
#define NODES_AHEAD   16
#define SHARED_CHUNKS 2u /* of references that lead back: as many are worth a second thread */

typedef struct numbering { /* both threads read it, neither writes to it while they are two */
    hsd_dominators *d;
    hsd_paged group_of;  /* by place */
    hsd_paged number_of; /* of the core nodes in the window, by node */
    uint64_t window;     /* nodes in one; all where they fit */
    hsd_node begin, span;
    bool uses_thread;
} numbering;

/* ---- numbers ---- */

static bool is_core(const hsd_dominators *d, hsd_node node)
{
    return ((uint32_t)d->states[node >> 2] >> (node & 3) * 2 & IS_CORE) != 0;
}

/* With everything in memory there is one window. */
static inline bool is_inside(const numbering *n, hsd_node node, bool is_flat)
{
    return is_flat || node - n->begin < n->span;
}

/* `fills`: nodes get their numbers on the way. Counts in numbers of its own: who reads `d` meanwhile shares no line
 * with them. */
static inline __attribute__((always_inline)) hsd_status number_all(numbering *n, hsd_tape_reader *nodes,
                                                                   hsd_tape_reader *parents, bool is_flat, bool fills,
                                                                   hsd_error *err)
{
    hsd_dominators *d = n->d;
    hsd_node last_place = 0, core_count = 0;
    for (hsd_node place = 0; place < d->count; place++) {
        hsd_node node, parent, later;
        if (!hsd_tape_get_node(nodes, &node) || !hsd_tape_get_node(parents, &parent)) break;
        if (is_flat && fills && hsd_tape_peek_node(nodes, NODES_AHEAD, &later) && is_core(d, later))
            hsd_paged_prefetch_node(&n->number_of, later);
        const hsd_node above = place == 0 ? 0 : hsd_flat_get_node(&n->group_of, parent, is_flat);
        if (place == d->secondary) d->core_secondary = core_count;
        if (place == 0 || is_core(d, node)) {
            const hsd_core_node core = {place, parent, above};
            const hsd_node number = core_count++;
            hsd_core_put(&d->core_of, &core, number, last_place);
            last_place = place;
            hsd_flat_set_node(&n->group_of, place, number, is_flat);
            if (fills && place > 0 && is_inside(n, node, is_flat))
                hsd_flat_set_node(&n->number_of, node - n->begin, number, is_flat);
        } else {
            hsd_flat_set_node(&n->group_of, place, above, is_flat);
        }
        if ((place & HSD_DOMINATORS_TICK) == 0) HSD_TRY(hsd_dominators_tick(d, 1, place, d->count, err));
    }
    d->core_count = core_count;
    if (d->secondary == d->count) d->core_secondary = d->core_count;
    hsd_tape_finish(&d->core_of);
    return hsd_reel_check(&d->reel, err);
}

static hsd_status number_flat(numbering *n, hsd_tape_reader *nodes, hsd_tape_reader *parents, hsd_error *err)
{
    return number_all(n, nodes, parents, true, true, err);
}

static hsd_status number_shared(numbering *n, hsd_tape_reader *nodes, hsd_tape_reader *parents, hsd_error *err)
{
    return number_all(n, nodes, parents, true, false, err);
}

static hsd_status number_paged(numbering *n, hsd_tape_reader *nodes, hsd_tape_reader *parents, hsd_error *err)
{
    return number_all(n, nodes, parents, false, true, err);
}

static bool is_flat(const numbering *n)
{
    return n->d->limits.uses_flat && n->group_of.is_flat && n->number_of.is_flat && n->window >= n->d->nodes;
}

/* Numbers of the nodes in the window, which the places tell in their order. */
static inline __attribute__((always_inline)) hsd_status fill_numbers(numbering *n, bool is_flat_array, hsd_error *err)
{
    hsd_dominators *d = n->d;
    hsd_tape_reader nodes;
    hsd_node node, later, number = 1;
    hsd_status status = HSD_OK;
    hsd_tape_read(&nodes, &d->node_of, HSD_TAPE_FORWARD, false);
    for (hsd_node place = 0; place < d->count && hsd_tape_get_node(&nodes, &node) && status == HSD_OK; place++) {
        if (is_flat_array && hsd_tape_peek_node(&nodes, NODES_AHEAD, &later) && is_core(d, later))
            hsd_paged_prefetch_node(&n->number_of, later);
        if (place > 0 && is_core(d, node)) {
            if (is_inside(n, node, is_flat_array))
                hsd_flat_set_node(&n->number_of, node - n->begin, number, is_flat_array);
            number++;
        }
        if ((place & HSD_DOMINATORS_TICK) == 0) status = hsd_dominators_tick(d, 1, place, d->count, err);
    }
    hsd_tape_close(&nodes);
    return status;
}

static hsd_status fill_flat(void *context, hsd_error *err) { return fill_numbers(context, true, err); }

static hsd_status number_groups(void *context, hsd_error *err)
{
    numbering *n = context;
    hsd_tape_reader nodes, parents;
    hsd_tape_read(&nodes, &n->d->node_of, HSD_TAPE_FORWARD, false);
    hsd_tape_read(&parents, &n->d->parent_of, HSD_TAPE_FORWARD, false);
    const hsd_status status = n->uses_thread ? number_shared(n, &nodes, &parents, err)
                              : is_flat(n)   ? number_flat(n, &nodes, &parents, err)
                                             : number_paged(n, &nodes, &parents, err);
    hsd_tape_close(&nodes);
    hsd_tape_close(&parents);
    return status;
}

static hsd_status number(numbering *n, hsd_error *err)
{
    if (!n->uses_thread) return number_groups(n, err);
    return hsd_run_both((hsd_job){fill_flat, n}, (hsd_job){number_groups, n}, true, err);
}

/* ---- windows ---- */

static uint32_t window_count(const numbering *n) { return (uint32_t)((n->d->nodes + n->window - 1) / n->window); }

static void take_window(numbering *n, uint32_t window)
{
    n->begin = (hsd_node)(window * n->window);
    n->span = (hsd_node)hsd_min_u64(n->window, n->d->nodes - n->begin);
}

static hsd_status fill_window(numbering *n, uint32_t window, hsd_error *err)
{
    take_window(n, window);
    return fill_numbers(n, false, err);
}

/* ---- predecessors ---- */

void hsd_buckets_begin(hsd_dominators *d, hsd_bucket *buckets, uint32_t count, uint32_t shift, hsd_node lo, hsd_node hi)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t begin = lo + ((uint64_t)i << shift), end = lo + ((uint64_t)(i + 1) << shift);
        memset(&buckets[i], 0, sizeof buckets[i]);
        hsd_tape_init(&buckets[i].tape, &d->reel);
        buckets[i].lo = (hsd_node)begin;
        buckets[i].hi = (hsd_node)hsd_min_u64(end, hi);
    }
}

/* As many buckets as let an average one be sorted at once, by predecessors and by nodes. */
static hsd_status plan_buckets(hsd_dominators *d, hsd_error *err)
{
    const uint64_t items = 2 * hsd_max_u64(d->forward_count + d->back_count, d->core_count);
    const uint64_t wanted = hsd_min_u64(items / d->limits.bucket_items + 1, d->limits.max_buckets);
    while (((uint64_t)(d->core_count - 1) >> d->bucket_shift) + 1 > wanted)
        d->bucket_shift++;
    d->bucket_count = (uint32_t)((d->core_count - 1) >> d->bucket_shift) + 1;
    d->buckets = calloc(d->bucket_count, sizeof *d->buckets);
    if (d->buckets == NULL) return hsd_fail_nomem(err, "the buckets of the dominators");
    hsd_buckets_begin(d, d->buckets, d->bucket_count, d->bucket_shift, 0, d->core_count);
    return HSD_OK;
}

static inline __attribute__((always_inline)) hsd_node number_in_window(numbering *n, hsd_node node, bool is_flat_array)
{
    return hsd_flat_get_node(&n->number_of, is_flat_array ? node : node - n->begin, is_flat_array);
}

static inline void prefetch_number(const numbering *n, hsd_node node, bool is_flat_array)
{
    if (is_inside(n, node, is_flat_array))
        hsd_paged_prefetch_node(&n->number_of, is_flat_array ? node : node - n->begin);
}

/* `is_last`: no window comes after this one. */
static inline __attribute__((always_inline)) hsd_status scatter_forward(numbering *n, bool is_flat_array, bool is_last,
                                                                        hsd_error *err)
{
    hsd_dominators *d = n->d;
    hsd_status status = HSD_OK;
    hsd_tape_reader reader;
    hsd_two entry;
    uint64_t done = 0;
    hsd_tape_read(&reader, &d->forward, HSD_TAPE_FORWARD, is_last);
    while (status == HSD_OK && hsd_tape_get_two(&reader, &entry)) {
        if ((size_t)(reader.end - reader.at) > FORWARD_AHEAD * HSD_TWO_BYTES) {
            hsd_two later;
            memcpy(&later, reader.at + FORWARD_AHEAD * HSD_TWO_BYTES, HSD_TWO_BYTES);
            prefetch_number(n, hsd_two_second(later), is_flat_array);
        }
        if ((++done & HSD_DOMINATORS_TICK) == 0) status = hsd_dominators_tick(d, 1, done, d->forward_count, err);
        const hsd_node node = hsd_two_second(entry);
        if (!is_inside(n, node, is_flat_array)) continue;
        const hsd_node target = number_in_window(n, node, is_flat_array);
        hsd_bucket_put_forward(&d->buckets[target >> d->bucket_shift], target, hsd_two_first(entry));
    }
    hsd_tape_close(&reader);
    return status;
}

/* Which of the references that lead back are scattered, and where to. */
typedef struct share {
    numbering *n;
    hsd_bucket *buckets;
    uint32_t from, until; /* chunks of their tape */
    bool has_forward;     /* and, before them, those that lead forward */
} share;

static inline __attribute__((always_inline)) void scatter_list(numbering *n, const hsd_back_list *list,
                                                               hsd_bucket *buckets, bool is_flat_array)
{
    const hsd_dominators *d = n->d;
    const hsd_node group = hsd_flat_get_node(&n->group_of, list->source, is_flat_array);
    const hsd_node least = list->source < d->secondary ? 0 : d->core_secondary;
    for (uint32_t i = 0; i < list->count; i++) {
        if (!is_inside(n, list->targets[i], is_flat_array)) continue;
        const hsd_node target = number_in_window(n, list->targets[i], is_flat_array);
        if (target < least) continue;
        hsd_bucket_put_back(&buckets[target >> d->bucket_shift], target, list->source, group);
    }
}

/* Lists are read some way ahead of their use, and the numbers of their targets fetched. */
static inline __attribute__((always_inline)) hsd_status scatter_back(const share *part, bool is_flat_array,
                                                                     bool is_last, hsd_error *err)
{
    numbering *n = part->n;
    hsd_dominators *d = n->d;
    hsd_status status = HSD_OK;
    hsd_tape_reader reader;
    hsd_back_list ring[LISTS_AHEAD] = {{0}};
    uint64_t read = 0, used = 0;
    bool has_more = true;
    hsd_tape_read_chunks(&reader, &d->back, part->from, part->until, is_last);
    while (status == HSD_OK) {
        hsd_back_list *list = &ring[read % LISTS_AHEAD];
        if (has_more) has_more = hsd_back_get(&reader, &ring[(read + LISTS_AHEAD - 1) % LISTS_AHEAD], list);
        for (uint32_t i = 0; has_more && i < list->count; i++) {
            prefetch_number(n, list->targets[i], is_flat_array);
        }
        if (has_more && ++read - used < LISTS_AHEAD) continue;
        if (used == read) break;
        const hsd_back_list *next = &ring[used++ % LISTS_AHEAD];
        scatter_list(n, next, part->buckets, is_flat_array);
        if ((used & HSD_DOMINATORS_TICK) == 0) status = hsd_dominators_tick(d, 1, next->source, d->count, err);
    }
    hsd_tape_close(&reader);
    return status;
}

static share whole_share(numbering *n)
{
    return (share){.n = n, .buckets = n->d->buckets, .until = n->d->back.chunk_count, .has_forward = true};
}

static hsd_status scatter_share(void *context, hsd_error *err)
{
    const share *part = context;
    if (part->has_forward) HSD_TRY(scatter_forward(part->n, true, true, err));
    return scatter_back(part, true, true, err);
}

/* What the second thread wrote goes behind what the first one did. */
static void join_buckets(hsd_dominators *d, hsd_bucket *seconds)
{
    for (uint32_t i = 0; i < d->bucket_count; i++) {
        hsd_bucket *bucket = &d->buckets[i];
        hsd_tape_finish(&bucket->tape);
        hsd_tape_finish(&seconds[i].tape);
        hsd_tape_append(&bucket->tape, &seconds[i].tape);
        bucket->back_count += seconds[i].back_count;
        bucket->anew_count = seconds[i].back_count;
    }
}

static hsd_status scatter_halves(numbering *n, hsd_error *err)
{
    hsd_dominators *d = n->d;
    hsd_bucket *seconds = calloc(d->bucket_count, sizeof *seconds);
    if (seconds == NULL) return hsd_fail_nomem(err, "the buckets of the dominators");
    hsd_buckets_begin(d, seconds, d->bucket_count, d->bucket_shift, 0, d->core_count);
    share first = whole_share(n), second = whole_share(n);
    first.until = second.from = d->back.chunk_count / 2;
    second.has_forward = false;
    second.buckets = seconds;
    const hsd_status status =
        hsd_run_both((hsd_job){scatter_share, &second}, (hsd_job){scatter_share, &first}, true, err);
    join_buckets(d, seconds);
    free(seconds);
    return status;
}

static hsd_status scatter_flat(numbering *n, hsd_error *err)
{
    share all = whole_share(n);
    return n->uses_thread ? scatter_halves(n, err) : scatter_share(&all, err);
}

/* The first window is there when core nodes were numbered, and the last of the forward references is the first of the
 * others. */
static hsd_status scatter_windows(numbering *n, hsd_error *err)
{
    const uint32_t count = window_count(n);
    const share all = whole_share(n);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) HSD_TRY(fill_window(n, i, err));
        HSD_TRY(scatter_forward(n, false, i + 1 == count, err));
    }
    for (uint32_t i = count; i-- > 0;) {
        if (i + 1 < count) HSD_TRY(fill_window(n, i, err));
        HSD_TRY(scatter_back(&all, false, i == 0, err));
    }
    return HSD_OK;
}

static hsd_status scatter(numbering *n, hsd_error *err)
{
    hsd_dominators *d = n->d;
    HSD_TRY(plan_buckets(d, err));
    HSD_TRY(is_flat(n) ? scatter_flat(n, err) : scatter_windows(n, err));
    for (uint32_t i = 0; i < d->bucket_count; i++)
        hsd_tape_finish(&d->buckets[i].tape);
    hsd_tape_release(&d->forward);
    hsd_tape_release(&d->back);
    return hsd_reel_check(&d->reel, err);
}

/* ---- the step ---- */

/* Numbers that do not fit get the array of one window instead. */
static hsd_status cut_window(numbering *n, hsd_error *err)
{
    hsd_dominators *d = n->d;
    n->window = hsd_max_u64(d->nodes, 1);
    if (!n->number_of.is_flat || d->limits.window_nodes > 0) {
        n->window = hsd_paged_window(&n->number_of, HSD_NODE_BYTES);
        if (d->limits.window_nodes > 0) n->window = d->limits.window_nodes;
        const uint64_t bytes = hsd_paged_full_bytes(n->window * HSD_NODE_BYTES);
        HSD_TRY(hsd_dominators_close(d, &n->number_of, err));
        HSD_TRY(hsd_dominators_open(d, &n->number_of, n->window, HSD_NODE_BYTES, bytes, err));
    }
    take_window(n, 0);
    return HSD_OK;
}

/* Places come with their parents close behind them: an eighth of the memory goes a long way. */
static hsd_status open_arrays(numbering *n, hsd_error *err)
{
    hsd_dominators *d = n->d;
    const uint64_t buckets = (uint64_t)d->limits.max_buckets * d->limits.chunk_bytes;
    const uint64_t all = hsd_dominators_scan_spare(d, d->state_pages.size + buckets);
    const uint64_t numbers = hsd_paged_full_bytes((uint64_t)d->nodes * HSD_NODE_BYTES);
    const uint64_t groups = all > numbers + all / 8 ? all - numbers : all / 8;
    HSD_TRY(hsd_dominators_open(d, &n->group_of, d->count, HSD_NODE_BYTES, groups, err));
    HSD_TRY(hsd_dominators_open(d, &n->number_of, d->nodes, HSD_NODE_BYTES, all - groups, err));
    hsd_paged_touch(&n->group_of);
    hsd_paged_touch(&n->number_of);
    HSD_TRY(cut_window(n, err));
    hsd_dominators_make_room(d, d->state_pages.size + buckets, false);
    n->uses_thread =
        is_flat(n) && d->config->uses_thread && d->reel.is_resident && d->back.chunk_count >= SHARED_CHUNKS;
    return HSD_OK;
}

hsd_status hsd_dominators_number(hsd_dominators *d, hsd_error *err)
{
    numbering n = {.d = d};
    hsd_status status = open_arrays(&n, err);
    if (status == HSD_OK) status = number(&n, err);
    if (status == HSD_OK) status = scatter(&n, err);
    const hsd_status groups = hsd_dominators_close(d, &n.group_of, status == HSD_OK ? err : NULL);
    if (status == HSD_OK) status = groups;
    const hsd_status numbers = hsd_dominators_close(d, &n.number_of, status == HSD_OK ? err : NULL);
    return status == HSD_OK ? numbers : status;
}

/*
 * The driver of the dominators: divides the memory, runs the five steps one after the other, tells what they
 * took. dominators/parts.h shows what goes from step to step.
 *
 * Two ways, one code: with enough memory every tape and array is in memory and the loops run over plain arrays;
 * with less, tapes are files that are read in sequence, and arrays are paged. Between the two lie arrays that
 * fit beside tapes that do not, which costs little. The blocks of the adjacency are needed by the walk alone and
 * are put out of memory after it.
 */
#include <stdlib.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "graph/dominators/windows.h"
#include "io/stopwatch.h"

#define MAX_BUCKETS    512u
#define LEAST_BUCKETS  64u
#define LEAST_CHUNK    (UINT64_C(4) << 10)
#define MOST_CHUNK     (UINT64_C(128) << 10)
#define SCAN_CHUNK     (UINT64_C(16) << 10) /* tapes are few */
#define SCAN_BUCKETS   UINT64_C(256)        /* so many should fit, for raising to sort them */
#define RESIDENT_CHUNK (UINT64_C(16) << 10)
#define RESIDENT_ITEMS (UINT64_C(128) << 10)
#define LEAST_ITEMS    UINT64_C(4096)
#define ITEM_BYTES     (8 * HSD_NODE_BYTES) /* of an item that is sorted, as read, as sorted and by node */
#define NUMBER         ((uint64_t)HSD_NODE_BYTES)
#define SPLIT_BUCKETS  64u
#define CLIMB_STEPS    16u
#define TRIAL_STEPS    2u                   /* of these, while a walk depth first is still to be tried */
#define BATCH_ITEMS    (UINT32_C(64) << 10) /* 1 MiB or 2, twice with a second thread */
#define TAPE_BYTES     2u                   /* a reference that is no edge of the tree, as a rule */
#define BLOCK_SLACK    8u                   /* bytes a reference in adjacency blocks, at most */
#define READS_SHARE    128u                 /* references, for one of which a page or less may be read at random */

/* ---- how much memory ---- */

static uint64_t varint_bytes(uint64_t value)
{
    uint64_t bytes = 1;
    for (; value >= 0x80; value >>= 7)
        bytes++;
    return bytes;
}

static uint64_t resident_slack(uint64_t places, uint64_t references)
{
    const uint64_t buckets = hsd_min_u64(2 * hsd_max_u64(references, places) / RESIDENT_ITEMS + 1, MAX_BUCKETS);
    return (buckets + SPLIT_BUCKETS + 16) * RESIDENT_CHUNK + 2 * RESIDENT_ITEMS * ITEM_BYTES + places / 64 +
           (UINT64_C(1) << 20);
}

/* The most that the walk ever holds with everything in memory, adjacency blocks not counted. Each number is what
 * one record takes when its numbers are as long as they can get. */
static uint64_t walk_bytes(uint64_t nodes, uint64_t references)
{
    const uint64_t places = nodes + 1, number = varint_bytes(2 * places);
    return places / 4 + 2 * NUMBER * places + (2 * NUMBER + hsd_max_u64(2 * NUMBER, 2 * number + 1)) * references +
           resident_slack(places, references);
}

/* The same of the steps behind it: `core` nodes, and references that are no edges of the tree. */
static uint64_t later_bytes(uint64_t nodes, uint64_t core, uint64_t references)
{
    const uint64_t places = nodes + 1, number = varint_bytes(2 * places);
    const uint64_t numbering =
        places / 4 + 4 * NUMBER * places + (2 * NUMBER + 3 * number) * core + 3 * number * references;
    const uint64_t semi = 3 * NUMBER * places + (5 * NUMBER + 3 * number) * core + 3 * number * references;
    const uint64_t order = (3 * NUMBER + hsd_tape_small_bytes(places)) * places;
    return hsd_max_u64(hsd_max_u64(numbering, semi), order) + resident_slack(places, references);
}

static uint64_t resident_bytes(uint64_t nodes, uint64_t references)
{
    return hsd_max_u64(walk_bytes(nodes, references), later_bytes(nodes, nodes + 1, references));
}

uint64_t hsd_dominators_useful_bytes(uint64_t nodes, uint64_t references)
{
    const uint64_t blocks = 3 * nodes + BLOCK_SLACK * references;
    return resident_bytes(nodes, references) + hsd_paged_full_bytes(blocks) + (UINT64_C(1) << 20);
}

/* Tables of pages, and 16 pages of each array that is open at a time; buffers of the smallest useful size. */
uint64_t hsd_dominators_least_bytes(uint64_t nodes, uint64_t references)
{
    const uint64_t places = nodes + 1;
    const uint64_t blocks = hsd_paged_least_bytes(3 * nodes + BLOCK_SLACK * references);
    const uint64_t arrays = 2 * hsd_paged_least_bytes(2 * NUMBER * places) + hsd_paged_least_bytes(NUMBER * places);
    const uint64_t buffers =
        (LEAST_BUCKETS + SPLIT_BUCKETS + 16) * LEAST_CHUNK + 2 * LEAST_ITEMS * ITEM_BYTES + (UINT64_C(128) << 10);
    return places / 4 + places / 6 + blocks + arrays + buffers;
}

/* ---- dividing it ---- */

static void divide_resident(hsd_dominators_limits *limits, uint64_t references)
{
    limits->is_resident = true;
    limits->chunk_bytes = (uint32_t)RESIDENT_CHUNK;
    limits->stack_items = references + 2 * HSD_ADJACENCY_PART_ITEMS;
    limits->bucket_items = (uint32_t)RESIDENT_ITEMS;
    limits->max_buckets = MAX_BUCKETS;
}

static uint64_t between(uint64_t value, uint64_t least, uint64_t most)
{
    return hsd_min_u64(hsd_max_u64(value, least), most);
}

/* An eighth to the buckets that are written, an eighth to sorting them. */
static void divide_paged(hsd_dominators_limits *limits)
{
    const uint64_t eighth = limits->memory_bytes / 8;
    limits->chunk_bytes = (uint32_t)(between(eighth / MAX_BUCKETS, LEAST_CHUNK, MOST_CHUNK) & ~UINT64_C(4095));
    limits->max_buckets = (uint32_t)between(eighth / limits->chunk_bytes, LEAST_BUCKETS, MAX_BUCKETS);
    limits->bucket_items = (uint32_t)between(eighth / ITEM_BYTES, LEAST_ITEMS, UINT32_MAX / 64);
    limits->stack_items =
        between(limits->memory_bytes / 64, UINT64_C(64) << 10, UINT64_C(4) << 20) / HSD_TWO_BYTES & ~UINT64_C(1);
}

hsd_dominators_limits hsd_dominators_divide(const hsd_adjacency *adjacency, uint64_t memory_bytes)
{
    const uint64_t nodes = hsd_adjacency_node_count(adjacency), references = hsd_adjacency_edge_count(adjacency);
    const uint64_t blocks = hsd_paged_full_bytes(hsd_adjacency_bytes(adjacency)) + (UINT64_C(1) << 20);
    hsd_dominators_limits limits = {
        .uses_flat = true, .climb_steps = CLIMB_STEPS, .batch_items = BATCH_ITEMS, .memory_bytes = memory_bytes};
    if (memory_bytes >= walk_bytes(nodes, references) + blocks) {
        limits.floor_bytes = blocks;
        limits.later_bytes = memory_bytes - blocks;
        divide_resident(&limits, references);
    } else {
        limits.floor_bytes = hsd_paged_least_bytes(hsd_adjacency_bytes(adjacency));
        divide_paged(&limits);
    }
    return limits;
}

uint64_t hsd_dominators_spare(const hsd_dominators *d, uint64_t used_bytes)
{
    const uint64_t tapes = 8 * (uint64_t)d->limits.chunk_bytes; /* as many are read and written at a time */
    const uint64_t used = d->limits.floor_bytes + tapes + d->kept_bytes + used_bytes;
    return d->limits.memory_bytes > used ? d->limits.memory_bytes - used : 0;
}

/* ---- helpers of the steps ---- */

bool hsd_dominators_has_thread(const hsd_dominators *d)
{
    return d->config->uses_thread && (!d->limits.is_resident || d->config->has_room_ahead);
}

hsd_status hsd_dominators_open(hsd_dominators *d, hsd_paged *array, uint64_t items, uint32_t item_bytes,
                               uint64_t memory_bytes, hsd_error *err)
{
    const uint64_t bytes = items * item_bytes;
    const uint64_t least = hsd_paged_least_bytes(bytes);
    HSD_TRY(hsd_paged_open(array, bytes, hsd_max_u64(memory_bytes, least), d->config->space, err));
    d->array_bytes += (uint64_t)array->frame_count * HSD_PAGE_BYTES;
    if (!array->is_flat) d->stats.was_paged = true;
    return HSD_OK;
}

hsd_status hsd_dominators_close(hsd_dominators *d, hsd_paged *array, hsd_error *err)
{
    if (array->frames == NULL) return HSD_OK;
    const hsd_status status = hsd_paged_check(array, err);
    d->stats.faults += array->transfers;
    d->array_bytes -= (uint64_t)array->frame_count * HSD_PAGE_BYTES;
    hsd_paged_close(array);
    return status;
}

void hsd_dominators_make_room(hsd_dominators *d, uint64_t used_bytes, bool tells_places)
{
    hsd_tape *tapes[] = {&d->node_of, &d->core_of, &d->dominator_of, &d->back, &d->forward, &d->semi_of};
    const uint64_t spare = hsd_dominators_spare(d, 0), used = used_bytes + d->array_bytes;
    const uint64_t room = spare + (tells_places ? 0 : d->config->take_bytes);
    if (d->limits.is_resident || hsd_reel_set_room(&d->reel, room > used ? room - used : 0)) return;
    for (size_t i = 0; i < HSD_ARRAY_LEN(tapes); i++)
        hsd_tape_leave_memory(tapes[i]);
    for (uint32_t i = 0; i < d->bucket_count; i++)
        hsd_tape_leave_memory(&d->buckets[i].tape);
    hsd_tape_leave_memory(&d->parent_of); /* of all tapes that alone is asked for at random (dominators/semi.h) */
}

hsd_status hsd_dominators_tick(hsd_dominators *d, uint32_t step, uint64_t done, uint64_t total, hsd_error *err)
{
    static const char *const names[] = {"walking references", "numbering references", "finding semidominators",
                                        "finding dominators", "ordering dominators"};
    HSD_TRY(hsd_reel_check(&d->reel, err));
    return hsd_progress(d->config->reporter, names[step], done, total, err);
}

/* With a second thread there are two sets of them, and buckets are smaller instead. */
uint32_t hsd_dominators_bucket_items(const hsd_dominators *d)
{
    const uint32_t items = d->limits.bucket_items;
    if (d->limits.is_resident || !hsd_dominators_has_thread(d)) return items;
    return items / 3 * 2 + 1;
}

/* ---- the steps ---- */

uint64_t hsd_dominators_core_nodes(const hsd_dominators *d)
{
    uint64_t count = 1; /* the super-root */
    for (hsd_node i = 0; i <= d->nodes / 4; i++)
        count += (uint64_t)__builtin_popcount(d->states[i] & 0xaau);
    return count;
}

/* The walk knows how many nodes are core: mostly less than half, and everything stays in memory. Else the blocks, which
 * others may read, do, and of tapes what there is room for. */
static void leave_memory_if_short(hsd_dominators *d)
{
    hsd_dominators_limits *limits = &d->limits;
    const uint32_t chunk_bytes = limits->chunk_bytes;
    if (!limits->is_resident || limits->later_bytes == 0) return;
    if (later_bytes(d->count, hsd_dominators_core_nodes(d), d->forward_count + d->back_count) <= limits->later_bytes)
        return;
    limits->is_resident = false;
    divide_paged(limits);
    limits->chunk_bytes = chunk_bytes;
    limits->max_buckets = (uint32_t)between(limits->memory_bytes / 8 / chunk_bytes, LEAST_BUCKETS, MAX_BUCKETS);
    hsd_dominators_make_room(d, d->state_pages.size, false);
    d->stats.was_paged = true;
}

/* Nodes by place are asked for twice, in order, and long after the walk: where not all fits that it writes, they leave
 * memory to the others, of which parents are looked up at random. */
static void spare_memory(hsd_dominators *d)
{
    const uint64_t places = (uint64_t)d->nodes + 1, references = hsd_adjacency_edge_count(d->adjacency);
    const uint64_t wanted = 2 * NUMBER * places + TAPE_BYTES * references;
    d->node_of.spares_memory = !d->limits.is_resident && (uint64_t)d->reel.room * d->limits.chunk_bytes < wanted;
}

/* Blocks get what the walk can spare, and afterwards no more than they need to be there at all. */
static hsd_status walk_with_blocks(hsd_dominators *d, hsd_error *err)
{
    hsd_adjacency *a = d->adjacency;
    const hsd_dominators_limits *limits = &d->limits;
    const bool is_resident = limits->is_resident, fits = is_resident && hsd_adjacency_is_resident(a);
    const uint64_t used = d->state_pages.size + limits->stack_items * HSD_TWO_BYTES;
    uint64_t bytes = hsd_dominators_scan_spare(d, used) + limits->floor_bytes;
    if (limits->is_resident) bytes = limits->floor_bytes;
    if (!fits) HSD_TRY(hsd_adjacency_set_memory(a, bytes, err));
    if (!hsd_adjacency_is_resident(a)) d->stats.was_paged = true;
    bytes = hsd_min_u64(bytes, hsd_paged_full_bytes(hsd_adjacency_bytes(a)));
    hsd_dominators_make_room(d, used + bytes - hsd_min_u64(bytes, limits->floor_bytes), false);
    spare_memory(d);
    HSD_TRY(hsd_dominators_walk(d, err));
    d->stats.faults += hsd_adjacency_reads(a);
    leave_memory_if_short(d);
    return is_resident ? HSD_OK : hsd_adjacency_set_memory(a, limits->floor_bytes, err);
}

static hsd_status number_and_forget(hsd_dominators *d, hsd_error *err)
{
    const hsd_status status = hsd_dominators_number(d, err);
    hsd_pages_give(&d->state_pages);
    d->states = NULL;
    return status;
}

/* ---- what a step needs at least, for the cost model (base/work.h); tapes count by themselves */

/* The list of each node; two bits of each target. */
static void count_walking(const hsd_dominators *d)
{
    hsd_adjacency_count_walk(d->adjacency, d->count);
    hsd_work_at_random(hsd_adjacency_edge_count(d->adjacency), d->nodes / 4);
}

static uint64_t predecessors(const hsd_dominators *d) { return d->forward_count + d->back_count; }

/* The number of each target. */
static void count_numbering(const hsd_dominators *d)
{
    hsd_work_at_random(predecessors(d), (uint64_t)d->core_count * HSD_NODE_BYTES);
    hsd_work_did(HSD_COST_VARINTS, 3 * (predecessors(d) + d->core_count));
}

/* Two links on the way of each predecessor, which are sorted by node. */
static void count_semi(const hsd_dominators *d)
{
    hsd_work_at_random(2 * predecessors(d), (uint64_t)d->core_count * HSD_TWO_BYTES);
    hsd_work_did(HSD_COST_VARINTS, 3 * (predecessors(d) + d->core_count));
    hsd_work_did(HSD_COST_SORTED, predecessors(d) * 8);
}

static void count_ancestors(const hsd_dominators *d)
{
    hsd_work_at_random(2 * (uint64_t)d->core_count, (uint64_t)d->core_count * HSD_TWO_BYTES);
}

/* The size of each dominator, then where it begins; and the node is told its place. */
static void count_order(const hsd_dominators *d)
{
    hsd_work_at_random(2 * (uint64_t)d->count, (uint64_t)d->count * HSD_NODE_BYTES);
    hsd_work_at_random(d->count, (uint64_t)d->nodes * sizeof(hsd_interval));
}

/* All references once more, and a place of each target. */
static void count_scan(const hsd_dominators *d)
{
    hsd_adjacency_count_scan(d->adjacency, false);
    hsd_work_at_random(hsd_adjacency_edge_count(d->adjacency), (uint64_t)d->nodes * HSD_NODE_BYTES);
}

/* Of all references the source's dominator, and at least one step from there. */
static void count_raising(const hsd_dominators *d)
{
    const uint64_t references = hsd_adjacency_edge_count(d->adjacency);
    hsd_work_at_random(2 * references, hsd_min_u64((uint64_t)d->count * HSD_NODE_BYTES, d->config->memory_bytes));
    hsd_work_did(HSD_COST_VARINTS, references + d->count);
}

/* The same as in searching, in each pass. */
static void count_dense(const hsd_dominators *d)
{
    for (uint32_t pass = 0; pass < d->stats.passes; pass++)
        count_scan(d);
}

typedef struct dominators_step {
    hsd_status (*run)(hsd_dominators *d, hsd_error *err);
    const char *name;
    void (*count)(const hsd_dominators *d);
} dominators_step;

#define DOMINATORS_STEPS 5u

static hsd_status run_steps(hsd_dominators *d, const dominators_step *steps, hsd_error *err)
{
    hsd_stopwatch watch = hsd_stopwatch_start(d->config->space);
    for (size_t i = 0; i < DOMINATORS_STEPS; i++) {
        const uint64_t start = hsd_now_ns();
        if (steps[i].run == NULL) continue;
        HSD_TRY(steps[i].run(d, err));
        steps[i].count(d);
        d->stats.seconds[i] = (double)(hsd_now_ns() - start) * 1e-9;
        hsd_stopwatch_note(&watch, d->config->reporter, "dominators", steps[i].name);
    }
    return HSD_OK;
}

static hsd_status run_depth_first(hsd_dominators *d, hsd_error *err)
{
    static const dominators_step steps[DOMINATORS_STEPS] = {{walk_with_blocks, "walking", count_walking},
                                                            {number_and_forget, "numbering the core", count_numbering},
                                                            {hsd_dominators_semi, "semidominators", count_semi},
                                                            {hsd_dominators_nca, "nearest ancestors", count_ancestors},
                                                            {hsd_dominators_order, "order", count_order}};
    return run_steps(d, steps, err);
}

/* HSD_END when ways up are too long. */
static hsd_status run_by_scans(hsd_dominators *d, hsd_error *err)
{
    static const dominators_step steps[DOMINATORS_STEPS] = {
        {hsd_dominators_search, "searching by scans", count_scan},
        {hsd_dominators_gather, "gathering predecessors", count_scan},
        {hsd_dominators_raise, "raising to ancestors", count_raising},
        {NULL, NULL, NULL},
        {hsd_dominators_order_by_scans, "order", count_order}};
    return run_steps(d, steps, err);
}

/* The same. */
static hsd_status run_dense(hsd_dominators *d, hsd_error *err)
{
    static const dominators_step steps[DOMINATORS_STEPS] = {
        {hsd_dominators_search, "searching by scans", count_scan},
        {NULL, NULL, NULL},
        {hsd_dominators_raise_dense, "raising to ancestors", count_dense},
        {NULL, NULL, NULL},
        {hsd_dominators_order_by_scans, "order", count_order}};
    return run_steps(d, steps, err);
}

/* HSD_END when ways up are too long. */
static hsd_status run_by_windows(hsd_dominators *d, hsd_error *err)
{
    static const dominators_step steps[DOMINATORS_STEPS] = {
        {hsd_dominators_search, "searching by scans", count_scan},
        {hsd_dominators_gather, "gathering predecessors", count_scan},
        {hsd_windows_raise, "raising to ancestors", count_raising},
        {NULL, NULL, NULL},
        {hsd_windows_order, "order", count_order}};
    return run_steps(d, steps, err);
}

static void tell_stats(const hsd_dominators *d)
{
    const hsd_dominators_stats *s = &d->stats;
    if (s->passes > 0) {
        hsd_note(d->config->reporter, HSD_NOTE_DETAIL,
                 "dominators: %" HSD_PRI_NODE
                 " nodes reached, by scans%s, %u passes; search %.2f s, predecessors %.2f s, dominators "
                 "%.2f s, order %.2f s",
                 s->reached, d->limits.uses_windows ? " in windows" : "", s->passes, s->seconds[0], s->seconds[1],
                 s->seconds[2], s->seconds[4]);
        return;
    }
    hsd_note(d->config->reporter, HSD_NOTE_DETAIL,
             "dominators: %" HSD_PRI_NODE
             " nodes reached, %.1f%% core, %s, %llu pages moved; walk %.2f s, core %.2f s, "
             "semidominators %.2f s, dominators %.2f s, order %.2f s",
             s->reached, s->reached == 0 ? 0 : 100.0 * (double)s->core / (double)s->reached,
             s->was_paged ? "paged" : "resident", (unsigned long long)s->faults, s->seconds[0], s->seconds[1],
             s->seconds[2], s->seconds[3], s->seconds[4]);
}

/* What one way through the steps needs. */
static hsd_status begin_steps(hsd_dominators *d, hsd_error *err)
{
    if (!hsd_pages_take(&d->state_pages, (size_t)(d->nodes / 64 + 1) * 16))
        return hsd_fail_nomem(err, "the nodes of the dominators");
    d->states = d->state_pages.data;
    hsd_reel_init(&d->reel, d->limits.is_resident, d->limits.chunk_bytes, d->config->space);
    hsd_tape *tapes[] = {&d->node_of,      &d->parent_of, &d->forward, &d->back,      &d->core_of, &d->semi_of,
                         &d->dominator_of, &d->first_of,  &d->size_of, &d->leaf_back, &d->place_of};
    for (size_t i = 0; i < HSD_ARRAY_LEN(tapes); i++)
        hsd_tape_init(tapes[i], &d->reel);
    return HSD_OK;
}

static void end_steps(hsd_dominators *d)
{
    hsd_tape *tapes[] = {&d->node_of,      &d->parent_of, &d->forward, &d->back,      &d->core_of, &d->semi_of,
                         &d->dominator_of, &d->first_of,  &d->size_of, &d->leaf_back, &d->place_of};
    for (size_t i = 0; i < HSD_ARRAY_LEN(tapes); i++)
        hsd_tape_release(tapes[i]);
    hsd_windows_free(d->windows);
    d->windows = NULL;
    for (uint32_t i = 0; d->buckets != NULL && i < d->bucket_count; i++)
        hsd_tape_release(&d->buckets[i].tape);
    free(d->buckets);
    d->buckets = NULL;
    d->bucket_count = d->bucket_shift = 0;
    d->sorts_late = false;
    hsd_pages_give(&d->leaf_pages);
    hsd_pages_give(&d->upper_pages);
    hsd_pages_give(&d->size_pages);
    d->upper_count = 0;
    hsd_pages_give(&d->state_pages);
    d->stats.faults += d->reel.transfers;
    if (d->reel.space != NULL) hsd_reel_release(&d->reel);
}

static hsd_status begin_dominator(const hsd_dominators *d, hsd_error *err)
{
    const hsd_root_nodes *roots = &d->config->roots;
    if (roots->begin > roots->second || roots->second > roots->end || roots->end > d->nodes) {
        return hsd_fail(err, HSD_E_MISUSE,
                        "root nodes %" HSD_PRI_NODE ", %" HSD_PRI_NODE ", %" HSD_PRI_NODE " of %" HSD_PRI_NODE " nodes",
                        roots->begin, roots->second, roots->end, d->nodes);
    }
    if (d->nodes == HSD_NODE_MAX)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "dominators of more than %" HSD_PRI_NODE " nodes", HSD_NODE_MAX - 1);
    return HSD_OK;
}

/* What was found is forgotten, for another way. */
static void begin_anew(hsd_dominators *d, const char *why)
{
    hsd_note(d->config->reporter, HSD_NOTE_DETAIL, "dominators: %s", why);
    end_steps(d);
    d->count = d->secondary = d->core_count = d->core_secondary = 0;
    d->forward_count = d->back_count = 0;
    d->has_near_nodes = false;
    d->stats.passes = 0;
    d->stats.tells_marked = false;
    d->kept_bytes = 0;
    if (d->config->core_bits != NULL) hsd_pages_give(d->config->core_bits);
    if (d->config->by_marked != NULL) memset(d->config->by_marked, 0, (size_t)d->nodes / 8 + 1);
}

bool hsd_dominators_reads_too_much(const hsd_dominators *d, uint64_t reads, uint64_t once, uint64_t done,
                                   uint64_t total)
{
    const uint64_t most = d->limits.most_reads;
    if (most == 0) return false;
    return reads > once + most / 8 + (uint64_t)((double)most * (double)done / (double)total);
}

/* One way. HSD_END if it gives up, and what it found is forgotten. */
static hsd_status try_way(hsd_dominators *d, hsd_status (*way)(hsd_dominators *d, hsd_error *err),
                          const hsd_dominators_limits *limits, const char *otherwise, hsd_error *err)
{
    d->limits = *limits;
    HSD_TRY(begin_steps(d, err));
    const hsd_status status = way(d, err);
    if (status == HSD_END) begin_anew(d, otherwise);
    return status;
}

/* One way after the other, until one does not give up: scans where each block comes once, the walk where little is read
 * at random, scans, the walk. */
static hsd_status run_either(hsd_dominators *d, hsd_error *err)
{
    const hsd_dominators_limits scans = d->limits;
    hsd_dominators_limits walk = scans, trial = scans;
    hsd_status status = HSD_END;
    if (!scans.uses_scans) return try_way(d, run_depth_first, &walk, NULL, err);
    hsd_status (*by_scans)(hsd_dominators *, hsd_error *) = scans.is_dense       ? run_dense
                                                            : scans.uses_windows ? run_by_windows
                                                                                 : run_by_scans;
    divide_paged(&walk);
    if (scans.most_reads > 0) {
        trial.is_trial = true;
        trial.climb_steps = hsd_min_u64(scans.climb_steps, TRIAL_STEPS);
        status = try_way(d, by_scans, &trial, "blocks come again and again, or ways up are long: depth first", err);
        if (status == HSD_END) status = try_way(d, run_depth_first, &walk, "too much is read at random, by scans", err);
        if (status != HSD_END) return status;
    }
    status = try_way(d, by_scans, &scans, "ways up are too long for scans, walking depth first", err);
    walk.most_reads = 0;
    return status == HSD_END ? try_way(d, run_depth_first, &walk, NULL, err) : status;
}

hsd_status hsd_dominators_find_within(hsd_adjacency *adjacency, const hsd_dominators_config *config,
                                      const hsd_dominators_limits *limits, hsd_dominators_stats *stats, hsd_error *err)
{
    hsd_dominators d = {
        .adjacency = adjacency, .config = config, .limits = *limits, .nodes = hsd_adjacency_node_count(adjacency)};
    HSD_TRY(begin_dominator(&d, err));
    hsd_status status = run_either(&d, err);
    end_steps(&d);
    d.stats.reached = d.count > 0 ? d.count - 1 : 0;
    d.stats.core = d.core_count > 0 ? d.core_count - 1 : 0;
    if (status == HSD_OK) tell_stats(&d);
    if (stats != NULL) *stats = d.stats;
    return status;
}

/* A chunk is a request to the disk: where all is by scans they are made as large as buckets leave room for, up to a
 * size from which later passes would read much that may not rise. */
static void widen_chunks(const hsd_dominators *d, hsd_dominators_limits *limits)
{
    const uint64_t places = (uint64_t)d->nodes + 1;
    const uint64_t beside = hsd_dominators_scan_spare(d, hsd_dominators_array_bytes(places) + places / 8);
    const uint64_t each = beside / hsd_max_u64(2 * (places / HSD_NARROW_BUCKET + 1), SCAN_BUCKETS);
    const uint64_t most = hsd_max_u64(limits->chunk_bytes, SCAN_CHUNK);
    limits->chunk_bytes = (uint32_t)between(each & ~UINT64_C(4095), limits->chunk_bytes, most);
}

/* Scans where blocks do not fit in what the walk depth first leaves them; in windows where not even a number of each
 * node fits. */
static void choose_way(hsd_adjacency *adjacency, const hsd_dominators_config *config, hsd_dominators_limits *limits)
{
    hsd_dominators d = {
        .adjacency = adjacency, .config = config, .limits = *limits, .nodes = hsd_adjacency_node_count(adjacency)};
    const bool has_numbers = hsd_dominators_scans_fit(&d);
    if (limits->is_resident || (!has_numbers && !hsd_windows_fit(&d))) return;
    limits->is_dense = hsd_dominators_are_dense(&d);
    limits->uses_scans = limits->is_dense;
    if (limits->is_dense) {
        hsd_note(config->reporter, HSD_NOTE_DETAIL,
                 "dominators: %llu references of %" HSD_PRI_NODE
                 " nodes are read again and again, nothing is written down of them",
                 (unsigned long long)hsd_adjacency_edge_count(adjacency), d.nodes);
        return;
    }
    if (hsd_paged_full_bytes(hsd_adjacency_bytes(adjacency)) <= hsd_dominators_scan_spare(&d, 0)) return;
    hsd_note(config->reporter, HSD_NOTE_DETAIL,
             "dominators: %.1f MiB of references do not fit in %.1f MiB, %u bytes a node %s: depth first or by scans%s",
             (double)hsd_adjacency_bytes(adjacency) / 1048576.0, (double)hsd_dominators_scan_spare(&d, 0) / 1048576.0,
             HSD_NODE_BYTES, has_numbers ? "do" : "do not, either", has_numbers ? "" : " in windows");
    limits->uses_scans = true;
    limits->most_reads = hsd_adjacency_edge_count(adjacency) / READS_SHARE + 1;
    limits->uses_windows = !has_numbers;
    if (limits->uses_windows)
        limits->chunk_bytes = (uint32_t)hsd_max_u64(limits->chunk_bytes, SCAN_CHUNK);
    else
        widen_chunks(&d, limits);
    limits->bucket_items = hsd_dominators_scan_items(&d);
}

hsd_status hsd_dominators_find(hsd_adjacency *adjacency, const hsd_dominators_config *config,
                               hsd_dominators_stats *stats, hsd_error *err)
{
    HSD_ASSERT(config->take != NULL);
    const uint64_t least =
        hsd_dominators_least_bytes(hsd_adjacency_node_count(adjacency), hsd_adjacency_edge_count(adjacency));
    if (config->memory_bytes < least) {
        return hsd_fail(err, HSD_E_OVER_BUDGET, "dominators need at least %llu bytes of memory, %llu are planned",
                        (unsigned long long)least, (unsigned long long)config->memory_bytes);
    }
    hsd_dominators_limits limits = hsd_dominators_divide(adjacency, config->memory_bytes);
    choose_way(adjacency, config, &limits);
    return hsd_dominators_find_within(adjacency, config, &limits, stats, err);
}

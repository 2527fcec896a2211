/*
 * The search for shortest paths, level by level. What a level is made of:
 *
 *      nodes       (node, rank)                         by node: the order in which their blocks lie
 *      references  (target, rank of source, name, source)   by target: the smallest of each is its way
 *      readings    (rank of source, name, type, node)       by the first three: equal ones share a rank
 *
 *      nodes ──expand──► references ──choose──► readings ──rank──► nodes of the next level
 *
 * Two areas take turns, and one that the radix sort swaps with is shared. A reference to a node that was seen in an
 * earlier level costs one bit. Nodes that refer to nothing get a way and no rank, unless somebody listens; where some
 * nodes alone are wanted and nobody listens, those that refer to nothing and are not wanted are left out altogether.
 *
 * Directly: where ways, blocks and types are in memory and nobody listens, references are not sorted. The readings of a
 * level are gone through in the order of their ranks, so whoever comes to a node first has the smallest rank. Only
 * nodes of one rank, a *group*, can still differ by the name; when the group is over its nodes have their ways.
 */
#include "graph/shortest.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/page_pool.h"
#include "base/pages.h"
#include "graph/quads.h"

#define AREAS          3u
#define WAY_BYTES      8u
#define LEAST_PAGES    16u
#define ENOUGH_BYTES   (UINT64_C(48) << 20) /* for the areas of small graphs */
#define PROGRESS_STEPS 0xffffu
#define FRESH_MOST     ((uint32_t)4096) /* nodes of a group that are listed; more are found by their bits */
#define FRESH_FEW      ((uint32_t)40)   /* that are sorted by insertion */

typedef struct fresh { /* nodes that the group at hand came to */
    uint8_t *bits;     /* one bit a node; NULL: the search is not direct */
    uint32_t *list;    /* the first FRESH_MOST, and as many to sort them */
    uint64_t count;
} fresh;

typedef struct search {
    hsd_shortest *shortest;
    hsd_adjacency *adjacency;
    const hsd_shortest_config *config;
    uint8_t *seen;        /* one bit a node */
    hsd_lent_pages areas; /* of what others have left: new pages were a third of the time of a search */
    size_t area_bytes;
    hsd_quads quads[2];
    hsd_pages way_area;
    hsd_quads ways;     /* where they do not fit in memory: node, parent + 1, name */
    hsd_quads *nodes;   /* of the level at hand; then readings */
    hsd_quads *others;  /* references; then nodes of the next level */
    uint64_t way_bytes; /* of memory, in the end */
    uint64_t wanted_left;
    uint64_t expanded;
    uint32_t level;
    uint32_t round;
    bool is_done;     /* all that was wanted is reached */
    bool leaves_ends; /* what refers to nothing matters only where it is wanted */
    fresh fresh;
} search;

/* ---- ways ---- */

/* Stored as parent + 1, so that zeros say: no way. */
static void store_way(hsd_paged *ways, uint32_t node, uint32_t parent_plus_1, uint32_t name)
{
    const uint32_t way[2] = {parent_plus_1, name};
    memcpy(hsd_paged_at(ways, (uint64_t)node * WAY_BYTES, HSD_FRAME_USED | HSD_FRAME_DIRTY), way, sizeof way);
}

static hsd_status set_way(search *s, uint32_t node, uint32_t parent, uint32_t name, hsd_error *err)
{
    if (s->way_area.data != NULL) return hsd_quads_put(&s->ways, node, parent + 1, name, 0, err);
    store_way(&s->shortest->ways, node, parent + 1, name);
    return HSD_OK;
}

/* One here and one there are read alone. */
hsd_way hsd_shortest_way(hsd_shortest *shortest, uint32_t node)
{
    const uint64_t stored = hsd_paged_get_u64(&shortest->ways, node);
    uint32_t way[2];
    memcpy(way, &stored, sizeof way);
    return way[0] == 0 ? (hsd_way){HSD_WAY_NONE, 0} : (hsd_way){way[0] - 1, way[1]};
}

hsd_status hsd_shortest_check(const hsd_shortest *shortest, hsd_error *err)
{
    return hsd_paged_check(&shortest->ways, err);
}

void hsd_shortest_close(hsd_shortest *shortest) { hsd_paged_close(&shortest->ways); }

/* ---- memory ---- */

static uint64_t seen_bytes(uint64_t nodes) { return nodes / 8 + 1; }

static uint64_t least_area_bytes(void) { return (uint64_t)AREAS * HSD_QUADS_MIN_RECORDS * sizeof(hsd_quad); }

/* Tables of a paged array and its fewest pages. */
static uint64_t least_way_bytes(uint64_t nodes)
{
    const uint64_t pages = nodes * WAY_BYTES / HSD_PAGE_BYTES + 1;
    return hsd_min_u64(hsd_paged_full_bytes(nodes * WAY_BYTES), pages * 5 + LEAST_PAGES * (HSD_PAGE_BYTES + 5) + 64);
}

uint64_t hsd_shortest_least_bytes(uint64_t nodes)
{
    return seen_bytes(nodes) + least_way_bytes(nodes) + least_area_bytes();
}

/* A level has seldom more references than an eighth of the graph's nodes; if it has, some are sorted on disk. */
static uint64_t useful_area_bytes(uint64_t nodes)
{
    const uint64_t all = (uint64_t)AREAS * nodes * sizeof(hsd_quad);
    return hsd_max_u64(hsd_min_u64(all, hsd_max_u64(ENOUGH_BYTES, all / 8)), least_area_bytes());
}

uint64_t hsd_shortest_useful_bytes(uint64_t nodes)
{
    return seen_bytes(nodes) + hsd_paged_full_bytes(nodes * WAY_BYTES) + useful_area_bytes(nodes);
}

/* A level finds its ways in the order of nodes, and the next one begins in front again. Where they do not fit in memory
 * they are sorted, and written to the array once, in order; until then it has the least. */
static hsd_status open_ways(search *s, uint64_t nodes, uint64_t memory_bytes, hsd_error *err)
{
    const uint64_t least = least_way_bytes(nodes), area = memory_bytes - hsd_min_u64(memory_bytes, least);
    const size_t capacity = (size_t)(area / 2 / sizeof(hsd_quad));
    const bool is_sorted = memory_bytes < hsd_paged_full_bytes(nodes * WAY_BYTES) && capacity >= HSD_QUADS_MIN_RECORDS;
    if (is_sorted) {
        if (!hsd_pages_take(&s->way_area, 2 * capacity * sizeof(hsd_quad)))
            return hsd_fail_nomem(err, "shortest paths");
        hsd_quad *items = s->way_area.data;
        hsd_quads_init(&s->ways, items, items + capacity, capacity, s->config->space);
    }
    s->way_bytes = memory_bytes;
    return hsd_paged_open(&s->shortest->ways, nodes * WAY_BYTES, is_sorted ? least : memory_bytes, s->config->space,
                          err);
}

static uint64_t fresh_bytes(uint64_t nodes) { return seen_bytes(nodes) + 2 * FRESH_MOST * sizeof(uint32_t); }

/* What the direct search needs comes out of `*area`. */
static hsd_status take_fresh(search *s, uint64_t *area, hsd_error *err)
{
    const uint64_t nodes = hsd_adjacency_node_count(s->adjacency);
    if (s->config->take != NULL || !s->config->has_near_types || !hsd_adjacency_is_all_resident(s->adjacency) ||
        *area < fresh_bytes(nodes) + least_area_bytes())
        return HSD_OK;
    s->fresh.list = malloc(2 * FRESH_MOST * sizeof *s->fresh.list);
    s->fresh.bits = calloc((size_t)seen_bytes(nodes), 1);
    if (s->fresh.list == NULL || s->fresh.bits == NULL) return hsd_fail_nomem(err, "shortest paths");
    *area -= fresh_bytes(nodes);
    return HSD_OK;
}

/* Half of what is not needed at least goes to the areas, what they cannot use to the ways. */
static hsd_status take_memory(search *s, hsd_error *err)
{
    const uint64_t nodes = hsd_adjacency_node_count(s->adjacency);
    const uint64_t least = hsd_shortest_least_bytes(nodes), full = hsd_paged_full_bytes(nodes * WAY_BYTES);
    const uint64_t memory = s->config->memory_bytes;
    if (memory < least) {
        return hsd_fail(err, HSD_E_OVER_BUDGET, "shortest paths need at least %llu bytes of memory, %llu are planned",
                        (unsigned long long)least, (unsigned long long)memory);
    }
    const uint64_t spare = memory - least;
    uint64_t area = least_area_bytes() + spare / 2;
    const uint64_t ways = hsd_min_u64(memory - seen_bytes(nodes) - hsd_min_u64(area, useful_area_bytes(nodes)), full);
    area = hsd_min_u64(memory - seen_bytes(nodes) - ways, useful_area_bytes(nodes));
    if (ways == full) HSD_TRY(take_fresh(s, &area, err));
    s->seen = calloc((size_t)seen_bytes(nodes), 1);
    s->area_bytes = (size_t)area;
    if (s->seen == NULL || !hsd_page_pool_take(s->config->space->pool, &s->areas, s->area_bytes))
        return hsd_fail_nomem(err, "shortest paths");
    const size_t capacity = (size_t)area / AREAS / sizeof(hsd_quad);
    hsd_quad *items = s->areas.pages.data;
    for (size_t i = 0; i < HSD_ARRAY_LEN(s->quads); i++)
        hsd_quads_init(&s->quads[i], items + i * capacity, items + (AREAS - 1) * capacity, capacity, s->config->space);
    return open_ways(s, nodes, ways, err);
}

static void give_memory(search *s)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(s->quads); i++)
        hsd_quads_release(&s->quads[i]);
    hsd_quads_release(&s->ways);
    hsd_pages_give(&s->way_area);
    hsd_page_pool_give(s->config->space->pool, &s->areas, s->areas.pages.data != NULL ? s->area_bytes : 0);
    free(s->seen);
    free(s->fresh.bits);
    free(s->fresh.list);
}

/* ---- reaching ---- */

static void reach(search *s, uint32_t node)
{
    hsd_bit_set(s->seen, node);
    s->shortest->reached++;
    if (s->config->wanted == NULL || !hsd_bit_get(s->config->wanted, node)) return;
    if (--s->wanted_left == 0) s->is_done = true;
}

static hsd_status tell(search *s, const hsd_reading *reading, hsd_error *err)
{
    return s->config->take == NULL ? HSD_OK : s->config->take(s->config->take_context, reading, err);
}

static hsd_status check_shortest(search *s, hsd_error *err)
{
    HSD_TRY(hsd_paged_check(&s->shortest->ways, err));
    HSD_TRY(hsd_adjacency_check(s->adjacency, err));
    return hsd_progress(s->config->reporter, "finding paths", s->shortest->reached,
                        hsd_adjacency_node_count(s->adjacency), err);
}

/* ---- the steps of a level ---- */

/* No way that is asked for leads through the node. */
static bool is_idle_end(const search *s, uint32_t node)
{
    return s->leaves_ends && hsd_adjacency_is_leaf(s->adjacency, node) && !hsd_bit_get(s->config->wanted, node);
}

static hsd_status put_targets(search *s, const hsd_targets *targets, uint32_t source, uint32_t rank, hsd_error *err)
{
    for (uint32_t i = 0; i < targets->count; i++) {
        const uint32_t target = targets->items[i];
        if (hsd_bit_get(s->seen, target) || is_idle_end(s, target)) continue;
        HSD_TRY(hsd_quads_put(s->others, target, rank, targets->names[i], source, err));
    }
    return HSD_OK;
}

static hsd_status expand_node(search *s, uint32_t node, uint32_t rank, hsd_error *err)
{
    hsd_targets targets;
    hsd_adjacency_get_named(s->adjacency, node, &targets);
    for (;;) {
        HSD_TRY(put_targets(s, &targets, node, rank, err));
        if (!targets.has_more) break;
        hsd_adjacency_more(s->adjacency, &targets);
    }
    return (++s->expanded & PROGRESS_STEPS) == 0 ? check_shortest(s, err) : HSD_OK;
}

/* Nodes, in ascending order, to references. */
static hsd_status expand_shortest(search *s, hsd_error *err)
{
    hsd_quads_begin(s->others, 1);
    for (;;) {
        const hsd_quad *node;
        const hsd_status status = hsd_quads_next(s->nodes, &node, err);
        if (status == HSD_END) return hsd_quads_sort(s->others, err);
        HSD_TRY(status);
        const uint32_t number = node->word[0];
        if (hsd_adjacency_is_leaf(s->adjacency, number)) continue;
        HSD_TRY(expand_node(s, number, node->word[1], err));
    }
}

/* The smallest of the references to a target is its way. */
static hsd_status choose_one(search *s, const hsd_quad *best, hsd_error *err)
{
    const uint32_t node = best->word[0];
    reach(s, node);
    HSD_TRY(set_way(s, node, best->word[3], best->word[2], err));
    if (s->config->take == NULL && hsd_adjacency_is_leaf(s->adjacency, node)) return HSD_OK;
    const uint32_t type = s->config->type_of == NULL ? 0 : s->config->type_of(s->config->type_context, node);
    return hsd_quads_put(s->nodes, best->word[1], best->word[2], type, node, err);
}

/* References to one target come in the order of their sources, so among equal ones the first is kept. */
static bool is_smaller(const hsd_quad *a, const hsd_quad *b)
{
    return a->word[1] != b->word[1] ? a->word[1] < b->word[1] : a->word[2] < b->word[2];
}

/* References, by target, to ways and readings. */
static hsd_status choose_shortest(search *s, hsd_error *err)
{
    const hsd_quad *reference;
    hsd_quads_begin(s->nodes, 3);
    hsd_status status = hsd_quads_next(s->others, &reference, err);
    while (status == HSD_OK) {
        hsd_quad best = *reference;
        for (;;) {
            status = hsd_quads_next(s->others, &reference, err);
            if (status != HSD_OK || reference->word[0] != best.word[0]) break;
            if (is_smaller(reference, &best)) best = *reference;
        }
        HSD_TRY(choose_one(s, &best, err));
    }
    if (status != HSD_END) return status;
    return hsd_quads_sort(s->nodes, err);
}

/* Readings, in their order, to ranks. */
static hsd_status rank(search *s, hsd_error *err)
{
    hsd_quad last = {{0}};
    hsd_reading reading = {.level = s->level, .round = s->round};
    bool is_first = true;
    hsd_quads_begin(s->others, 1);
    for (;;) {
        const hsd_quad *at;
        const hsd_status status = hsd_quads_next(s->nodes, &at, err);
        if (status == HSD_END) break;
        HSD_TRY(status);
        if (is_first)
            reading.rank = 0;
        else if (memcmp(at->word, last.word, 3 * sizeof last.word[0]) != 0)
            reading.rank++;
        is_first = false;
        last = *at;
        reading.parent_rank = at->word[0];
        reading.name = at->word[1];
        reading.type = at->word[2];
        reading.node = at->word[3];
        HSD_TRY(tell(s, &reading, err));
        HSD_TRY(hsd_quads_put(s->others, reading.node, reading.rank, 0, 0, err));
    }
    return hsd_quads_sort(s->others, err);
}

/* ---- a level directly ---- */

static bool is_direct(const search *s) { return s->fresh.bits != NULL; }

/* A node of the group at hand refers to `target`. */
static void come_to(search *s, uint32_t target, uint32_t source, uint32_t name)
{
    hsd_paged *const ways = &s->shortest->ways;
    if (hsd_bit_get(s->seen, target) || is_idle_end(s, target)) return;
    if (hsd_bit_get(s->fresh.bits, target)) {
        if (name < hsd_shortest_way(s->shortest, target).name) store_way(ways, target, source + 1, name);
        return;
    }
    hsd_bit_set(s->fresh.bits, target);
    if (s->fresh.count < FRESH_MOST) s->fresh.list[s->fresh.count] = target;
    s->fresh.count++;
    store_way(ways, target, source + 1, name);
}

static hsd_status expand_directly(search *s, uint32_t node, hsd_error *err)
{
    hsd_targets targets;
    if (hsd_adjacency_is_leaf(s->adjacency, node)) return HSD_OK;
    hsd_adjacency_get_named(s->adjacency, node, &targets);
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++)
            come_to(s, targets.items[i], node, targets.names[i]);
        if (!targets.has_more) break;
        hsd_adjacency_more(s->adjacency, &targets);
    }
    return (++s->expanded & PROGRESS_STEPS) == 0 ? check_shortest(s, err) : HSD_OK;
}

/* The way of a node is final: to the readings of the next level. */
static hsd_status settle_node(search *s, uint32_t node, uint32_t rank, hsd_error *err)
{
    hsd_bit_clear(s->fresh.bits, node);
    reach(s, node);
    if (hsd_adjacency_is_leaf(s->adjacency, node)) return HSD_OK;
    const uint32_t type = s->config->type_of == NULL ? 0 : s->config->type_of(s->config->type_context, node);
    return hsd_quads_put(s->others, rank, hsd_shortest_way(s->shortest, node).name, type, node, err);
}

static hsd_status settle_by_bits(search *s, uint32_t rank, hsd_error *err)
{
    const uint64_t bytes = seen_bytes(hsd_adjacency_node_count(s->adjacency));
    for (uint64_t i = 0; i < bytes; i++) {
        for (uint32_t bits = s->fresh.bits[i]; bits != 0; bits &= bits - 1)
            HSD_TRY(settle_node(s, (uint32_t)(i * 8) + (uint32_t)__builtin_ctz(bits), rank, err));
    }
    return HSD_OK;
}

static void insert_nodes(uint32_t *list, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t node = list[i];
        uint32_t j = i;
        for (; j > 0 && list[j - 1] > node; j--)
            list[j] = list[j - 1];
        list[j] = node;
    }
}

/* The listed nodes in ascending order: three passes or four, as many as the largest node has bytes. */
static const uint32_t *sort_fresh(const search *s, uint32_t count)
{
    uint32_t *from = s->fresh.list, *to = from + FRESH_MOST;
    const uint32_t nodes = hsd_adjacency_node_count(s->adjacency);
    if (count <= FRESH_FEW) {
        insert_nodes(from, count);
        return from;
    }
    for (unsigned shift = 0; shift < 32 && nodes >> shift != 0; shift += 8) {
        uint32_t at[257] = {0};
        for (uint32_t i = 0; i < count; i++)
            at[(from[i] >> shift & 0xff) + 1]++;
        for (unsigned digit = 0; digit < 256; digit++)
            at[digit + 1] += at[digit];
        for (uint32_t i = 0; i < count; i++)
            to[at[from[i] >> shift & 0xff]++] = from[i];
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* In ascending order, so that readings alike stand in the order of their nodes. */
static hsd_status settle_group(search *s, uint32_t rank, hsd_error *err)
{
    const uint64_t count = s->fresh.count;
    s->fresh.count = 0;
    if (count > FRESH_MOST) return settle_by_bits(s, rank, err);
    const uint32_t *list = sort_fresh(s, (uint32_t)count);
    for (uint64_t i = 0; i < count; i++)
        HSD_TRY(settle_node(s, list[i], rank, err));
    return HSD_OK;
}

/* Readings, in their order and those of one rank in the order of nodes, to the readings of the next level. */
static hsd_status run_level_directly(search *s, hsd_error *err)
{
    hsd_quad last = {{0}};
    uint32_t rank = 0;
    hsd_quads_begin(s->others, 3);
    for (bool is_first = true;; is_first = false) {
        const hsd_quad *at;
        const hsd_status status = hsd_quads_next(s->nodes, &at, err);
        if (status == HSD_END) break;
        HSD_TRY(status);
        if (!is_first && memcmp(at->word, last.word, 3 * sizeof last.word[0]) != 0) {
            HSD_TRY(settle_group(s, rank++, err));
            if (s->is_done) return HSD_OK;
        }
        last = *at;
        HSD_TRY(expand_directly(s, last.word[3], err));
    }
    HSD_TRY(settle_group(s, rank, err));
    return hsd_quads_sort(s->others, err);
}

/* ---- rounds ---- */

static hsd_status put_root(search *s, const hsd_reading *root, hsd_error *err)
{
    HSD_TRY(tell(s, root, err));
    return is_direct(s) ? hsd_quads_put(s->nodes, root->rank, 0, 0, root->node, err)
                        : hsd_quads_put(s->nodes, root->node, root->rank, 0, 0, err);
}

static hsd_status begin_round(search *s, uint32_t begin, uint32_t end, hsd_error *err)
{
    hsd_reading reading = {.round = s->round};
    hsd_quads_begin(s->nodes, is_direct(s) ? 3 : 1);
    for (uint32_t node = begin; node < end; node++) {
        reading.node = node;
        reading.rank = s->config->rank_of_root == NULL ? node - s->config->roots.begin
                                                       : s->config->rank_of_root[node - s->config->roots.begin];
        reading.parent_rank = reading.rank;
        if (hsd_bit_get(s->seen, node)) continue;
        reach(s, node);
        HSD_TRY(put_root(s, &reading, err));
    }
    return hsd_quads_sort(s->nodes, err);
}

/* True if the level has no nodes. */
static bool is_empty(const hsd_quads *nodes) { return nodes->count == 0 && nodes->run_count == 0; }

static hsd_status run_level(search *s, hsd_error *err)
{
    if (is_direct(s)) return run_level_directly(s, err);
    HSD_TRY(expand_shortest(s, err));
    HSD_TRY(choose_shortest(s, err));
    return s->is_done ? HSD_OK : rank(s, err);
}

static hsd_status run_round(search *s, uint32_t begin, uint32_t end, hsd_error *err)
{
    if (s->is_done) return HSD_OK;
    s->level = 0;
    HSD_TRY(begin_round(s, begin, end, err));
    while (!s->is_done && !is_empty(s->nodes)) {
        s->level++;
        s->shortest->levels++;
        HSD_TRY(run_level(s, err));
        hsd_quads *swap = s->nodes;
        s->nodes = s->others;
        s->others = swap;
    }
    return HSD_OK;
}

/* What was sorted goes to the array. */
static hsd_status settle_ways(search *s, hsd_error *err)
{
    const hsd_quad *way;
    if (s->way_area.data == NULL) return HSD_OK;
    hsd_status status = hsd_quads_sort(&s->ways, err);
    while (status == HSD_OK && (status = hsd_quads_next(&s->ways, &way, err)) == HSD_OK)
        store_way(&s->shortest->ways, way->word[0], way->word[1], way->word[2]);
    if (status != HSD_END) return status;
    hsd_quads_release(&s->ways);
    hsd_pages_give(&s->way_area);
    return hsd_paged_grow(&s->shortest->ways, s->way_bytes, err);
}

static hsd_status run(search *s, hsd_error *err)
{
    const hsd_root_nodes *roots = &s->config->roots;
    const uint32_t nodes = hsd_adjacency_node_count(s->adjacency);
    const uint32_t stacks = hsd_root_nodes_stacks(roots), second_stacks = hsd_root_nodes_second_stacks(roots);
    if (roots->begin > stacks || stacks > roots->second || roots->second > second_stacks ||
        second_stacks > roots->end || roots->end > nodes)
        return hsd_fail(err, HSD_E_MISUSE, "root nodes %u to %u of %u", roots->begin, roots->end, nodes);
    HSD_TRY(take_memory(s, err));
    s->nodes = &s->quads[0];
    s->others = &s->quads[1];
    s->wanted_left = s->config->wanted_count;
    s->leaves_ends = s->config->wanted != NULL && s->config->take == NULL;
    s->is_done = s->config->wanted != NULL && s->wanted_left == 0;
    if (s->config->has_avoided && s->config->avoided < nodes) hsd_bit_set(s->seen, s->config->avoided);
    HSD_TRY(run_round(s, roots->begin, stacks, err));
    s->round = 1;
    HSD_TRY(run_round(s, stacks, roots->second, err));
    s->round = 2;
    HSD_TRY(run_round(s, roots->second, second_stacks, err));
    s->round = 3;
    HSD_TRY(run_round(s, second_stacks, roots->end, err));
    HSD_TRY(settle_ways(s, err));
    return check_shortest(s, err);
}

hsd_status hsd_shortest_find(hsd_shortest *shortest, hsd_adjacency *adjacency, const hsd_shortest_config *config,
                             hsd_error *err)
{
    HSD_ASSERT(config->roots.begin <= config->roots.end);
    HSD_ASSERT(config->wanted != NULL || config->wanted_count == 0);
    search s = {.shortest = shortest, .adjacency = adjacency, .config = config};
    memset(shortest, 0, sizeof *shortest);
    shortest->ways.file.fd = -1;
    for (size_t i = 0; i < HSD_ARRAY_LEN(s.quads); i++)
        s.quads[i].file.fd = -1;
    s.ways.file.fd = -1;
    const hsd_status status = run(&s, err);
    shortest->spilled = s.quads[0].spilled + s.quads[1].spilled;
    give_memory(&s);
    if (status != HSD_OK) hsd_shortest_close(shortest);
    return status;
}

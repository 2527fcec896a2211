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
 * Directly: where ways, blocks and types are in memory and nobody listens, neither references nor levels are sorted.
 * The nodes of a level are gone through in the order of their ranks, so whoever comes to a node first has the smallest
 * rank. Only nodes of one rank, a *group*, can still differ by the name; when the group is over what it came to has its
 * ways (graph/level_queue.h).
 *
 * Toward: where it goes not directly and some nodes alone are wanted, it is found first, without names and ranks, what
 * lies on a shortest path to them, and nothing else is looked at (graph/toward.h). Where that is little it is gathered
 * first, and neither blocks nor types are asked again (graph/on_way.h); ways are then those of these nodes alone.
 *
 * Narrowly: where it is known what dominates the wanted nodes (hsd_shortest_via), nothing else is gone through once all
 * that is sought is reached. A node that the others do not dominate cannot be the first to lead to one of them: its own
 * dominator among them comes to that one a level earlier. Where it goes toward them already this is not asked.
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
#include "graph/level_queue.h"
#include "graph/on_way.h"
#include "graph/quads.h"
#include "graph/toward.h"

#define AREAS          3u
#define WAY_BYTES      (2 * HSD_NODE_BYTES)
#define LEAST_PAGES    16u
#define ENOUGH_BYTES   (UINT64_C(48) << 20) /* for the areas of small graphs */
#define PROGRESS_STEPS 0xffffu

typedef struct search {
    hsd_shortest *shortest;
    hsd_adjacency *adjacency;
    const hsd_shortest_config *config;
    uint8_t *seen;        /* one bit a node */
    hsd_lent_pages areas; /* of what others have left: new pages were a third of the time of a search */
    size_t area_bytes;
    hsd_quads quads[2];
    hsd_pages way_area;
    hsd_quads ways;    /* where they do not fit in memory: node, parent + 1, name */
    hsd_quads *nodes;  /* of the level at hand; then readings */
    hsd_quads *others; /* references; then nodes of the next level */
    uint64_t memory_bytes;
    uint64_t way_bytes; /* of memory, in the end */
    uint64_t wanted_left, sought_left;
    uint32_t level;
    uint32_t round;
    bool is_done;        /* all that was wanted is reached */
    bool leaves_ends;    /* what refers to nothing matters only where it is wanted */
    const uint8_t *only; /* one bit a node: no others matter; NULL = all do */
    uint8_t *toward;     /* that are on the way to what is wanted; NULL = not known */
    hsd_on_way on_way;   /* these and their references, where they are few */
    bool is_sparse;      /* the level has fewer nodes than there are blocks */
    bool is_direct;
    hsd_level_queue queue; /* of a direct search */
} search;

/* ---- ways ---- */

/* Stored as parent + 1, so that zeros say: no way. */
static void store_way(hsd_paged *ways, hsd_node node, hsd_node parent_plus_1, uint32_t name)
{
    const hsd_node way[2] = {parent_plus_1, name};
    memcpy(hsd_paged_at(ways, (uint64_t)node * WAY_BYTES, HSD_FRAME_USED | HSD_FRAME_DIRTY), way, sizeof way);
}

static hsd_status set_way(search *s, hsd_node node, hsd_node parent, uint32_t name, hsd_error *err)
{
    const hsd_shortest *found = s->shortest;
    if (found->few_nodes != NULL) {
        const hsd_node at = hsd_on_way_find(found->few_nodes, found->few_count, node);
        HSD_ASSERT(at < found->few_count); /* no others are reached */
        found->few_ways[at] = (hsd_way){parent, name};
        return HSD_OK;
    }
    if (s->way_area.data != NULL) return hsd_quads_put(&s->ways, node, parent + 1, name, 0, err);
    store_way(&s->shortest->ways, node, parent + 1, name);
    return HSD_OK;
}

/* One here and one there are read alone. */
hsd_way hsd_shortest_way(hsd_shortest *shortest, hsd_node node)
{
    if (shortest->few_nodes != NULL) {
        const hsd_node at = hsd_on_way_find(shortest->few_nodes, shortest->few_count, node);
        return at < shortest->few_count ? shortest->few_ways[at] : (hsd_way){HSD_WAY_NONE, 0};
    }
    const uint64_t byte = (uint64_t)node * WAY_BYTES;
    hsd_node way[2];
    if (hsd_paged_is_absent(&shortest->ways, byte))
        hsd_paged_copy(&shortest->ways, byte, way, sizeof way);
    else
        memcpy(way, hsd_paged_at(&shortest->ways, byte, HSD_FRAME_USED), sizeof way);
    return way[0] == 0 ? (hsd_way){HSD_WAY_NONE, 0} : (hsd_way){way[0] - 1, (uint32_t)way[1]};
}

uint32_t hsd_shortest_type(const hsd_shortest *shortest, hsd_node node)
{
    if (shortest->few_nodes == NULL) return 0;
    const hsd_node at = hsd_on_way_find(shortest->few_nodes, shortest->few_count, node);
    return at < shortest->few_count ? shortest->few_types[at] : 0;
}

hsd_status hsd_shortest_check(const hsd_shortest *shortest, hsd_error *err)
{
    return hsd_paged_check(&shortest->ways, err);
}

void hsd_shortest_close(hsd_shortest *shortest)
{
    hsd_paged_close(&shortest->ways);
    free(shortest->few_nodes);
    free(shortest->few_ways);
    free(shortest->few_types);
    shortest->few_nodes = NULL;
    shortest->few_ways = NULL;
    shortest->few_types = NULL;
}

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

/* The queue of a direct search stands in front of the areas. */
static uint64_t queue_bytes(uint64_t nodes) { return (hsd_level_queue_bytes(nodes) + 15) & ~UINT64_C(15); }

/* A level has seldom more references than an eighth of the graph's nodes; if it has, some are sorted on disk. A direct
 * search takes no more. */
static uint64_t useful_area_bytes(uint64_t nodes)
{
    const uint64_t all = (uint64_t)AREAS * nodes * sizeof(hsd_quad);
    const uint64_t direct = queue_bytes(nodes) + least_area_bytes();
    return hsd_max_u64(hsd_min_u64(all, hsd_max_u64(ENOUGH_BYTES, all / 8)), direct);
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

static bool can_be_direct(const search *s, uint64_t area)
{
    const uint64_t queue = queue_bytes(hsd_adjacency_node_count(s->adjacency));
    return s->config->take == NULL && s->config->has_near_types && hsd_adjacency_is_all_resident(s->adjacency) &&
           area >= queue + least_area_bytes();
}

static hsd_level_reading settle_node(void *context, hsd_node node);

/* Half of what is not needed at least goes to the areas, what they cannot use to the ways. */
static uint64_t ways_share(const search *s)
{
    const uint64_t nodes = hsd_adjacency_node_count(s->adjacency), memory = s->memory_bytes;
    const uint64_t area = least_area_bytes() + (memory - hsd_shortest_least_bytes(nodes)) / 2;
    return hsd_min_u64(memory - seen_bytes(nodes) - hsd_min_u64(area, useful_area_bytes(nodes)),
                       hsd_paged_full_bytes(nodes * WAY_BYTES));
}

/* Of what the ways leave. */
static uint64_t area_share(const search *s, uint64_t ways)
{
    const uint64_t nodes = hsd_adjacency_node_count(s->adjacency);
    return hsd_min_u64(s->memory_bytes - seen_bytes(nodes) - ways, useful_area_bytes(nodes));
}

static hsd_status take_memory(search *s, hsd_error *err)
{
    const uint64_t nodes = hsd_adjacency_node_count(s->adjacency);
    const bool has_ways = s->shortest->few_nodes != NULL;
    const uint64_t ways = has_ways ? 0 : ways_share(s), area = area_share(s, ways);
    s->seen = calloc((size_t)seen_bytes(nodes), 1);
    s->area_bytes = (size_t)area;
    if (s->seen == NULL || !hsd_page_pool_take(s->config->space->pool, &s->areas, s->area_bytes))
        return hsd_fail_nomem(err, "shortest paths");
    const uint64_t queue = s->is_direct ? queue_bytes(nodes) : 0;
    const size_t capacity = (size_t)(area - queue) / AREAS / sizeof(hsd_quad);
    hsd_quad *items = (hsd_quad *)(void *)((uint8_t *)s->areas.pages.data + queue);
    for (size_t i = 0; i < HSD_ARRAY_LEN(s->quads); i++)
        hsd_quads_init(&s->quads[i], items + i * capacity, items + (AREAS - 1) * capacity, capacity, s->config->space);
    if (s->is_direct)
        hsd_level_queue_init(&s->queue, s->areas.pages.data, (hsd_node)nodes, &s->quads[1], settle_node, s);
    return has_ways ? HSD_OK : open_ways(s, nodes, ways, err);
}

/* Each level goes through the blocks once more, up and down in turns, and what is in memory is not read; or each sweep
 * does. */
static hsd_status find_toward(search *s, hsd_error *err)
{
    const hsd_node nodes = hsd_adjacency_node_count(s->adjacency);
    const bool sweeps = s->memory_bytes >= hsd_sweeps_bytes(nodes);
    const uint64_t used = sweeps ? hsd_sweeps_bytes(nodes) : hsd_toward_bytes(nodes), blocks = s->config->block_bytes;
    if (blocks != 0) HSD_TRY(hsd_adjacency_set_memory(s->adjacency, blocks + s->memory_bytes - used, err));
    const hsd_status status = sweeps ? hsd_sweeps_find(&s->toward, s->adjacency, s->config, err)
                                     : hsd_toward_find(&s->toward, s->adjacency, s->config, err);
    if (status != HSD_OK || blocks == 0) return status;
    return hsd_adjacency_set_memory(s->adjacency, blocks, err);
}

/* Half of what the search has beside its least is for what lies on the way. */
static hsd_status gather_on_way(search *s, uint64_t least, hsd_error *err)
{
    hsd_shortest *found = s->shortest;
    hsd_on_way *w = &s->on_way;
    HSD_TRY(hsd_on_way_gather(w, s->adjacency, s->toward, s->config, (s->memory_bytes - least) / 2, err));
    if (w->nodes == NULL) return HSD_OK;
    s->memory_bytes -= w->bytes;
    found->few_ways = malloc((size_t)w->count * sizeof *found->few_ways);
    if (found->few_ways == NULL) return hsd_fail_nomem(err, "shortest paths");
    for (hsd_node i = 0; i < w->count; i++)
        found->few_ways[i] = (hsd_way){HSD_WAY_NONE, 0};
    found->few_nodes = w->nodes;
    found->few_types = w->types;
    found->few_count = w->count;
    w->nodes = NULL;
    w->types = NULL;
    return HSD_OK;
}

/* Directly or not; if not, and some nodes alone are wanted, it is found first what is on the way to them. */
static hsd_status choose_search(search *s, hsd_error *err)
{
    const uint64_t nodes = hsd_adjacency_node_count(s->adjacency), least = hsd_shortest_least_bytes(nodes);
    const uint64_t bits = hsd_toward_bits_bytes(nodes);
    if (s->memory_bytes < least) {
        return hsd_fail(err, HSD_E_OVER_BUDGET, "shortest paths need at least %llu bytes of memory, %llu are planned",
                        (unsigned long long)least, (unsigned long long)s->memory_bytes);
    }
    const uint64_t ways = ways_share(s);
    s->is_direct = ways == hsd_paged_full_bytes(nodes * WAY_BYTES) && can_be_direct(s, area_share(s, ways));
    if (s->is_direct || s->config->wanted == NULL || s->config->take != NULL) return HSD_OK;
    if (s->memory_bytes < hsd_max_u64(hsd_toward_bytes(nodes), least + bits)) return HSD_OK;
    HSD_TRY(find_toward(s, err));
    s->only = s->toward;
    s->memory_bytes -= bits;
    return gather_on_way(s, least, err);
}

static void give_memory(search *s)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(s->quads); i++)
        hsd_quads_release(&s->quads[i]);
    hsd_quads_release(&s->ways);
    hsd_pages_give(&s->way_area);
    hsd_page_pool_give(s->config->space->pool, &s->areas, s->areas.pages.data != NULL ? s->area_bytes : 0);
    free(s->seen);
    free(s->toward);
    hsd_on_way_release(&s->on_way);
}

/* ---- reaching ---- */

static int compare_sought(const void *left, const void *right)
{
    const hsd_node a = *(const hsd_node *)left, b = *(const hsd_node *)right;
    return (a > b) - (a < b);
}

/* Nothing refers to a root node: it is reached when its round begins, whatever was gone through before. */
static bool is_root_node(const search *s, hsd_node node)
{
    return node >= s->config->roots.begin && node < s->config->roots.end;
}

static uint64_t count_sought(const search *s)
{
    const hsd_shortest_via *via = s->config->via;
    uint64_t count = 0;
    for (size_t i = 0; via != NULL && i < via->sought_count; i++)
        count += !is_root_node(s, via->sought[i]);
    return count;
}

static void reach_via(search *s, hsd_node node)
{
    const hsd_shortest_via *via = s->config->via;
    if (s->only != NULL || is_root_node(s, node)) return;
    if (bsearch(&node, via->sought, via->sought_count, sizeof node, compare_sought) == NULL) return;
    if (--s->sought_left == 0) s->only = via->bits;
}

/* The node is neither wanted nor on a way to what is. */
static bool is_beside(const search *s, hsd_node node) { return s->only != NULL && !hsd_bit_get(s->only, node); }

static void reach(search *s, hsd_node node)
{
    hsd_bit_set(s->seen, node);
    s->shortest->reached++;
    if (s->config->via != NULL && hsd_bit_get(s->config->via->bits, node)) reach_via(s, node);
    if (s->config->wanted == NULL || !hsd_bit_get(s->config->wanted, node)) return;
    if (--s->wanted_left == 0) s->is_done = true;
}

/* The way of a node is final. */
static hsd_level_reading settle_node(void *context, hsd_node node)
{
    search *s = context;
    reach(s, node);
    if (hsd_adjacency_is_leaf(s->adjacency, node) || is_beside(s, node)) return (hsd_level_reading){.is_idle = true};
    return (hsd_level_reading){
        .name = hsd_shortest_way(s->shortest, node).name,
        .type = s->config->type_of == NULL ? 0 : s->config->type_of(s->config->type_context, node),
    };
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
static bool is_idle(const search *s, hsd_node node)
{
    if (is_beside(s, node)) return true;
    return s->leaves_ends && hsd_adjacency_is_leaf(s->adjacency, node) && !hsd_bit_get(s->config->wanted, node);
}

static hsd_status put_targets(search *s, const hsd_targets *targets, hsd_node source, hsd_node rank, hsd_error *err)
{
    s->shortest->references += targets->count;
    for (uint32_t i = 0; i < targets->count; i++) {
        const hsd_node target = targets->items[i];
        if (hsd_bit_get(s->seen, target) || is_idle(s, target)) continue;
        HSD_TRY(hsd_quads_put(s->others, target, rank, targets->names[i], source, err));
    }
    return HSD_OK;
}

static hsd_status expand_gathered(search *s, hsd_node node, hsd_node rank, hsd_error *err)
{
    const hsd_on_way *w = &s->on_way;
    const hsd_node at = hsd_on_way_find(s->shortest->few_nodes, s->shortest->few_count, node);
    HSD_ASSERT(at < w->count);
    const hsd_targets targets = {.items = w->targets + w->begins[at],
                                 .names = w->names + w->begins[at],
                                 .count = (uint32_t)(w->begins[at + 1] - w->begins[at])};
    s->shortest->expanded++;
    return put_targets(s, &targets, node, rank, err);
}

static hsd_status expand_node(search *s, hsd_node node, hsd_node rank, hsd_error *err)
{
    hsd_targets targets;
    if (s->shortest->few_nodes != NULL) return expand_gathered(s, node, rank, err);
    if (s->is_sparse)
        hsd_adjacency_get_named_alone(s->adjacency, node, &targets);
    else
        hsd_adjacency_get_named(s->adjacency, node, &targets);
    for (;;) {
        HSD_TRY(put_targets(s, &targets, node, rank, err));
        if (!targets.has_more) break;
        hsd_adjacency_more(s->adjacency, &targets);
    }
    return (++s->shortest->expanded & PROGRESS_STEPS) == 0 ? check_shortest(s, err) : HSD_OK;
}

/* Nodes, in ascending order, to references. */
static hsd_status expand_shortest(search *s, hsd_error *err)
{
    hsd_quads_begin(s->others, 1);
    s->is_sparse = s->nodes->run_count == 0 && s->nodes->count < hsd_adjacency_block_count(s->adjacency);
    for (;;) {
        const hsd_quad *node;
        const hsd_status status = hsd_quads_next(s->nodes, &node, err);
        if (status == HSD_END) return hsd_quads_sort(s->others, err);
        HSD_TRY(status);
        const hsd_node number = node->word[0];
        if (hsd_adjacency_is_leaf(s->adjacency, number) || is_beside(s, number)) continue;
        HSD_TRY(expand_node(s, number, node->word[1], err));
    }
}

static uint32_t order_of_type(const search *s, hsd_node node)
{
    if (s->shortest->few_nodes != NULL) return hsd_shortest_type(s->shortest, node);
    return s->config->type_of == NULL ? 0 : s->config->type_of(s->config->type_context, node);
}

/* The smallest of the references to a target is its way. */
static hsd_status choose_one(search *s, const hsd_quad *best, hsd_error *err)
{
    const hsd_node node = best->word[0];
    reach(s, node);
    HSD_TRY(set_way(s, node, best->word[3], (uint32_t)best->word[2], err));
    if (s->config->take == NULL && (hsd_adjacency_is_leaf(s->adjacency, node) || is_beside(s, node))) return HSD_OK;
    return hsd_quads_put(s->nodes, best->word[1], best->word[2], order_of_type(s, node), node, err);
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
        reading.name = (uint32_t)at->word[1];
        reading.type = (uint32_t)at->word[2];
        reading.node = at->word[3];
        HSD_TRY(tell(s, &reading, err));
        HSD_TRY(hsd_quads_put(s->others, reading.node, reading.rank, 0, 0, err));
    }
    return hsd_quads_sort(s->others, err);
}

/* ---- a level directly ---- */

/* A node of the group at hand refers to `target`. */
static void come_to(search *s, hsd_node target, hsd_node source, uint32_t name)
{
    hsd_paged *const ways = &s->shortest->ways;
    if (hsd_bit_get(s->seen, target) || is_idle(s, target)) return;
    if (hsd_level_queue_has(&s->queue, target)) {
        if (name < hsd_shortest_way(s->shortest, target).name) store_way(ways, target, source + 1, name);
        return;
    }
    hsd_level_queue_add(&s->queue, target);
    store_way(ways, target, source + 1, name);
}

static hsd_status expand_directly(search *s, hsd_node node, hsd_error *err)
{
    hsd_targets targets;
    if (hsd_adjacency_is_leaf(s->adjacency, node) || is_beside(s, node)) return HSD_OK;
    hsd_adjacency_get_named(s->adjacency, node, &targets);
    for (;;) {
        s->shortest->references += targets.count;
        for (uint32_t i = 0; i < targets.count; i++)
            come_to(s, targets.items[i], node, targets.names[i]);
        if (!targets.has_more) break;
        hsd_adjacency_more(s->adjacency, &targets);
    }
    return (++s->shortest->expanded & PROGRESS_STEPS) == 0 ? check_shortest(s, err) : HSD_OK;
}

/* Nodes in the order of their ranks and those of one rank in the order of nodes, to those of the next level. */
static hsd_status run_level_directly(search *s, hsd_error *err)
{
    hsd_level_queue *queue = &s->queue;
    const hsd_node begin = queue->head, end = queue->tail;
    for (; queue->head < end; queue->head++) {
        if (queue->head != begin && hsd_bit_get(queue->begins, queue->head)) {
            HSD_TRY(hsd_level_queue_settle(queue, err));
            if (s->is_done) return HSD_OK;
        }
        HSD_TRY(expand_directly(s, queue->nodes[queue->head], err));
    }
    return hsd_level_queue_settle(queue, err);
}

/* The roots of a round, in the order of their ranks. */
static hsd_status begin_directly(search *s, hsd_error *err)
{
    hsd_node last = 0;
    for (bool is_first = true;; is_first = false) {
        const hsd_quad *at;
        const hsd_status status = hsd_quads_next(s->nodes, &at, err);
        if (status == HSD_END) return HSD_OK;
        HSD_TRY(status);
        hsd_level_queue_put(&s->queue, at->word[3], is_first || at->word[0] != last);
        last = at->word[0];
    }
}

/* ---- rounds ---- */

static hsd_status put_root(search *s, const hsd_reading *root, hsd_error *err)
{
    HSD_TRY(tell(s, root, err));
    return s->is_direct ? hsd_quads_put(s->nodes, root->rank, 0, 0, root->node, err)
                        : hsd_quads_put(s->nodes, root->node, root->rank, 0, 0, err);
}

static hsd_status begin_round(search *s, hsd_node begin, hsd_node end, hsd_error *err)
{
    hsd_reading reading = {.round = s->round};
    hsd_quads_begin(s->nodes, s->is_direct ? 3 : 1);
    for (hsd_node node = begin; node < end; node++) {
        reading.node = node;
        reading.rank = s->config->rank_of_root == NULL ? node - s->config->roots.begin
                                                       : s->config->rank_of_root[node - s->config->roots.begin];
        reading.parent_rank = reading.rank;
        if (hsd_bit_get(s->seen, node)) continue;
        reach(s, node);
        HSD_TRY(put_root(s, &reading, err));
    }
    HSD_TRY(hsd_quads_sort(s->nodes, err));
    return s->is_direct ? begin_directly(s, err) : HSD_OK;
}

/* True if the level has no nodes. */
static bool is_empty(const search *s)
{
    return s->is_direct ? s->queue.head == s->queue.tail : s->nodes->count == 0 && s->nodes->run_count == 0;
}

static hsd_status run_level(search *s, hsd_error *err)
{
    if (s->is_direct) return run_level_directly(s, err);
    HSD_TRY(expand_shortest(s, err));
    HSD_TRY(choose_shortest(s, err));
    return s->is_done ? HSD_OK : rank(s, err);
}

static hsd_status run_round(search *s, hsd_node begin, hsd_node end, hsd_error *err)
{
    if (s->is_done) return HSD_OK;
    s->level = 0;
    HSD_TRY(begin_round(s, begin, end, err));
    while (!s->is_done && !is_empty(s)) {
        if (HSD_NODE_BITS > 32 && s->shortest->levels == UINT32_MAX)
            return hsd_fail(err, HSD_E_UNSUPPORTED, "paths of more than 2^32 references are not followed");
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
        store_way(&s->shortest->ways, way->word[0], way->word[1], (uint32_t)way->word[2]);
    if (status != HSD_END) return status;
    hsd_quads_release(&s->ways);
    hsd_pages_give(&s->way_area);
    return hsd_paged_grow(&s->shortest->ways, s->way_bytes, err);
}

static hsd_status run(search *s, hsd_error *err)
{
    const hsd_root_nodes *roots = &s->config->roots;
    const hsd_node nodes = hsd_adjacency_node_count(s->adjacency);
    const hsd_node stacks = hsd_root_nodes_stacks(roots), second_stacks = hsd_root_nodes_second_stacks(roots);
    if (roots->begin > stacks || stacks > roots->second || roots->second > second_stacks ||
        second_stacks > roots->end || roots->end > nodes)
        return hsd_fail(err, HSD_E_MISUSE, "root nodes %" HSD_PRI_NODE " to %" HSD_PRI_NODE " of %" HSD_PRI_NODE,
                        roots->begin, roots->end, nodes);
    s->memory_bytes = s->config->memory_bytes;
    HSD_TRY(choose_search(s, err));
    HSD_TRY(take_memory(s, err));
    s->nodes = &s->quads[0];
    s->others = &s->quads[1];
    s->wanted_left = s->config->wanted_count;
    s->leaves_ends = s->config->wanted != NULL && s->config->take == NULL;
    s->is_done = s->config->wanted != NULL && s->wanted_left == 0;
    s->sought_left = count_sought(s);
    if (s->only == NULL && s->config->via != NULL && s->sought_left == 0) s->only = s->config->via->bits;
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
    HSD_ASSERT(config->via == NULL || (config->wanted != NULL && config->take == NULL && !config->has_avoided));
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

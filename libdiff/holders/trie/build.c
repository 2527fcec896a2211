/*
 * The nodes of the trie, level by level from the top. Each level:
 *
 *      tally        what stands at this depth, by key            (the tally is sorted by depth, then key)
 *      by_above     sorted by the key of the node above  ──┐
 *      map          key -> number, of the level above    ──┴ join
 *      by_parent    sorted by (number above, type, edge): who is one node, and who has too many edges
 *      map          key -> number, of this level
 *
 * by_parent is read twice: first to find the groups (parent, type) with more than HSD_TRIE_FAN_OUT edges, whose
 * edges then all read as [*] in the second. What was merged stays merged below, as all of it has one number
 * when the next level is joined. So numbers ascend with depth and, within a level, with the number of the parent.
 */
#include "holders/trie/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "sort/sorter.h"

enum { SUM_WORDS = 6, SUM_KEY_WORDS = 4 };

typedef struct builder {
    hsd_trie *trie;
    const uint64_t *key; /* the next of the tally */
    hsd_amount sum;
    bool has_key;
    hsd_sorter *by_above;  /* node above, type << 32 | edge, node, sum, objects, bytes */
    hsd_sorter *by_parent; /* number above << 32 | type, edge, node, sum, objects, bytes */
    hsd_sorter *map;       /* node, number: of the level above */
    hsd_sorter *next_map;
    uint32_t *wild; /* groups of the level, by place, that have too many edges; ascending */
    uint32_t wild_count, wild_capacity;
} builder;

static hsd_status open_sorter(const builder *b, unsigned words, unsigned key_words, hsd_sorter **out, hsd_error *err)
{
    const hsd_trie_config *config = &b->trie->config;
    const hsd_sorter_config sorter = {.record_words = words,
                                      .key_words = key_words,
                                      .space = config->space,
                                      .reporter = config->reporter,
                                      .memory_bytes = hsd_max_u64(config->memory_bytes / 8, HSD_SORT_MIN_BYTES)};
    return hsd_sorter_new(out, &sorter, err);
}

static void close_sorter(hsd_sorter **sorter)
{
    hsd_sorter_free(*sorter);
    *sorter = NULL;
}

static hsd_status advance_trie(builder *b, hsd_error *err)
{
    const hsd_status status = hsd_tally_next(b->trie->tally, &b->key, &b->sum, err);
    b->has_key = status == HSD_OK;
    return status == HSD_END ? HSD_OK : status;
}

static uint32_t depth_of(uint64_t node) { return (uint32_t)(node >> 56); }

/* ---- one level ---- */

static hsd_status read_level(builder *b, uint32_t depth, hsd_error *err)
{
    HSD_TRY(open_sorter(b, SUM_WORDS, SUM_KEY_WORDS, &b->by_above, err));
    while (b->has_key && depth_of(b->key[HSD_TRIE_KEY_NODE]) == depth) {
        const uint64_t record[SUM_WORDS] = {b->key[HSD_TRIE_KEY_ABOVE],
                                            b->key[HSD_TRIE_KEY_STEP],
                                            b->key[HSD_TRIE_KEY_NODE],
                                            b->key[HSD_TRIE_KEY_SUM],
                                            b->sum.objects,
                                            b->sum.bytes};
        HSD_TRY(hsd_sorter_put(b->by_above, record, err));
        HSD_TRY(advance_trie(b, err));
    }
    return hsd_sorter_finish(b->by_above, 0, err);
}

/* Both streams ascend by the key of the node above. */
static hsd_status join_parents(builder *b, hsd_error *err)
{
    const uint64_t *record, *entry = NULL;
    HSD_TRY(open_sorter(b, SUM_WORDS, SUM_KEY_WORDS, &b->by_parent, err));
    hsd_status have_entry = hsd_sorter_next(b->map, &entry, err), have;
    while ((have = hsd_sorter_next(b->by_above, &record, err)) == HSD_OK) {
        while (have_entry == HSD_OK && entry[0] < record[0])
            have_entry = hsd_sorter_next(b->map, &entry, err);
        if (have_entry < 0) return have_entry;
        if (have_entry == HSD_END || entry[0] != record[0]) {
            return hsd_fail(err, HSD_E_MISUSE, "a place of the tree of type paths has nothing above it");
        }
        const uint64_t joined[SUM_WORDS] = {
            entry[1] << 32 | record[1] >> 32, record[1] & UINT32_MAX, record[2], record[3], record[4], record[5]};
        HSD_TRY(hsd_sorter_put(b->by_parent, joined, err));
    }
    close_sorter(&b->by_above);
    close_sorter(&b->map);
    return have == HSD_END ? hsd_sorter_finish(b->by_parent, 0, err) : have;
}

static bool is_name(uint64_t edge) { return edge != HSD_TRIE_ANY && edge != HSD_TRIE_INDIRECT; }

static hsd_status add_wild(builder *b, uint32_t group, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(b->wild, b->wild_capacity, b->wild_count + 1, 64, "the tree of type paths", err));
    b->wild[b->wild_count++] = group;
    return HSD_OK;
}

static hsd_status find_wild(builder *b, hsd_error *err)
{
    const uint64_t *record;
    uint64_t group = 0, edge = UINT64_MAX;
    uint32_t groups = 0, edges = 0;
    hsd_status have;
    b->wild_count = 0;
    while ((have = hsd_sorter_next(b->by_parent, &record, err)) == HSD_OK) {
        if (groups == 0 || record[0] != group) {
            group = record[0];
            edge = UINT64_MAX;
            edges = 0;
            groups++;
        }
        if (record[1] == edge || !is_name(record[1])) continue;
        edge = record[1];
        if (++edges == HSD_TRIE_FAN_OUT + 1) HSD_TRY(add_wild(b, groups - 1, err));
    }
    return have == HSD_END ? hsd_sorter_rewind(b->by_parent, err) : have;
}

static uint32_t new_node(builder *b, const uint64_t *record, uint32_t edge, uint32_t depth)
{
    hsd_trie_stored *node = hsd_trie_stored_at(b->trie, b->trie->count, true);
    node->parent = (uint32_t)(record[0] >> 32);
    node->type = (uint32_t)record[0];
    node->edge = edge;
    node->depth = depth;
    return b->trie->count++;
}

static void add_sum(builder *b, uint32_t number, uint64_t sum, uint64_t objects, uint64_t bytes)
{
    hsd_trie_stored *node = hsd_trie_stored_at(b->trie, number, true);
    node->own.objects[sum] += (hsd_node)objects;
    node->own.bytes[sum] += bytes;
}

/* Gives the nodes of the level their numbers and sums. */
static hsd_status number_level(builder *b, uint32_t depth, hsd_error *err)
{
    const uint64_t *record;
    uint64_t group = 0, edge = 0, node = 0;
    uint32_t groups = 0, wild = 0, number = 0, any = 0; /* node 0 is nobody's child: none yet */
    hsd_status have;
    HSD_TRY(open_sorter(b, 2, 1, &b->next_map, err));
    while ((have = hsd_sorter_next(b->by_parent, &record, err)) == HSD_OK) {
        const bool is_new_group = groups == 0 || record[0] != group;
        if (is_new_group) {
            group = record[0];
            any = 0;
            if (wild < b->wild_count && b->wild[wild] < groups) wild++;
            groups++;
        }
        const bool is_wild = wild < b->wild_count && b->wild[wild] == groups - 1 && is_name(record[1]);
        const bool is_any = is_wild || record[1] == HSD_TRIE_ANY;
        const bool is_new_edge = is_new_group || record[1] != edge;
        edge = record[1];
        const bool is_other = is_new_edge || record[2] != node;
        node = record[2];
        if (is_any && any == 0)
            any = new_node(b, record, HSD_TRIE_ANY, depth);
        else if (!is_any && is_new_edge)
            number = new_node(b, record, (uint32_t)edge, depth);
        const uint32_t here = is_any ? any : number;
        if (is_other) HSD_TRY(hsd_sorter_put(b->next_map, (const uint64_t[2]){node, here}, err));
        add_sum(b, here, record[3], record[4], record[5]);
    }
    if (have != HSD_END) return have;
    close_sorter(&b->by_parent);
    b->map = b->next_map;
    b->next_map = NULL;
    return hsd_sorter_finish(b->map, 0, err);
}

/* ---- all levels ---- */

/* Bounds the number of nodes: what stands apart in the tally may become one node, never the other way round. */
static hsd_status count_nodes(builder *b, uint64_t *count, hsd_error *err)
{
    uint64_t last[HSD_TRIE_KEY_SUM] = {0};
    *count = 1;
    HSD_TRY(advance_trie(b, err));
    while (b->has_key) {
        *count += memcmp(last, b->key, sizeof last) != 0;
        memcpy(last, b->key, sizeof last);
        HSD_TRY(advance_trie(b, err));
    }
    if (*count > UINT32_MAX) return hsd_fail(err, HSD_E_UNSUPPORTED, "more than 2^32 type paths");
    HSD_TRY(hsd_tally_rewind(b->trie->tally, err));
    return advance_trie(b, err);
}

/* An eighth of the memory each, or what the page tables need. */
static hsd_status open_array(const hsd_trie *trie, uint64_t bytes, hsd_paged *out, hsd_error *err)
{
    const uint64_t memory = hsd_max_u64(hsd_paged_least_bytes(bytes), trie->config.memory_bytes / 8);
    return hsd_paged_open(out, bytes, memory, trie->config.space, err);
}

static hsd_status open_nodes(hsd_trie *trie, uint64_t count, hsd_error *err)
{
    const uint64_t pages = (count + HSD_TRIE_NODES_IN_PAGE - 1) / HSD_TRIE_NODES_IN_PAGE;
    HSD_TRY(open_array(trie, pages * HSD_PAGE_BYTES, &trie->nodes, err));
    const hsd_status status = open_array(trie, (count / HSD_TRIE_SUMS_IN_PAGE + 1) * HSD_PAGE_BYTES, &trie->all, err);
    if (status != HSD_OK) {
        hsd_paged_close(&trie->nodes);
        return status;
    }
    hsd_paged_touch(&trie->nodes);
    hsd_paged_touch(&trie->all);
    trie->has_nodes = true;
    trie->count = 1;
    return HSD_OK;
}

static hsd_status begin_trie(builder *b, hsd_error *err)
{
    hsd_trie *trie = b->trie;
    uint64_t count;
    HSD_TRY(count_nodes(b, &count, err));
    HSD_TRY(open_nodes(trie, count, err));
    while (b->has_key && b->key[HSD_TRIE_KEY_NODE] == 0) { /* what stands at the root of all */
        add_sum(b, HSD_TRIE_ROOT, b->key[HSD_TRIE_KEY_SUM], b->sum.objects, b->sum.bytes);
        HSD_TRY(advance_trie(b, err));
    }
    HSD_TRY(open_sorter(b, 2, 1, &b->map, err));
    HSD_TRY(hsd_sorter_put(b->map, (const uint64_t[2]){0, HSD_TRIE_ROOT}, err));
    return hsd_sorter_finish(b->map, 0, err);
}

static hsd_status build_trie(builder *b, hsd_error *err)
{
    HSD_TRY(begin_trie(b, err));
    while (b->has_key) {
        const uint32_t depth = depth_of(b->key[HSD_TRIE_KEY_NODE]);
        HSD_TRY(read_level(b, depth, err));
        HSD_TRY(join_parents(b, err));
        HSD_TRY(find_wild(b, err));
        HSD_TRY(number_level(b, depth, err));
    }
    return HSD_OK;
}

hsd_status hsd_trie_build(hsd_trie *trie, hsd_error *err)
{
    builder b = {.trie = trie};
    const hsd_status status = build_trie(&b, err);
    close_sorter(&b.by_above);
    close_sorter(&b.by_parent);
    close_sorter(&b.map);
    close_sorter(&b.next_map);
    free(b.wild);
    return status;
}

/*
 * The planner's arithmetic: how slots share a total, and what each stage needs at least and can use at most for
 * so many nodes and references. The formulas mirror what the stages say of themselves (paged arrays, blocks,
 * dominators, shortest paths: graph/), which this layer does not know; a test holds the two together.
 */
#include "base/assert.h"
#include "base/node.h"
#include "graph/owner_tree.h"
#include "walk/plan/parts.h"

#define SORT_ENOUGH   MIB(24)
#define LEVELS_ENOUGH MIB(48)  /* of shortest paths: records of one level */
#define MERGE_BLOCK   KIB(272) /* what a merge can use for each run */
#define PAGE_BYTES    KIB(16)
#define LEAST_PAGES   16u      /* of a paged array */
#define LIST_LEAST    KIB(192) /* a walk's list, and little tables */
/* of the adjacency while it is walked: a slab of 256 KiB and the open block are the least */
#define BLOCKS_LEAST      MIB(1)
#define QUAD_BYTES        (4 * HSD_NODE_BYTES)            /* a record of shortest paths */
#define SORT_PREDECESSORS (KIB(256) * 8 * HSD_NODE_BYTES) /* of dominators, twice as many as a bucket has */
#define CORE_BYTES        (4 * HSD_NODE_BYTES)            /* a node of the core, while it is built */

/* ---- sharing ---- */

uint64_t hsd_plan_scale(uint64_t a, uint64_t b, uint64_t c)
{
    HSD_ASSERT(b <= c);
    __extension__ typedef unsigned __int128 wide;
    return c == 0 ? 0 : (uint64_t)((wide)a * b / c);
}

/* Gives every open slot its part of `rest`; true if one reached its useful and closed. */
static bool share_round(hsd_plan_slot *slots, size_t count, bool *is_closed, uint64_t *rest)
{
    uint64_t weights = 0;
    for (size_t i = 0; i < count; i++)
        weights += is_closed[i] ? 0 : slots[i].weight;
    const uint64_t round = *rest;
    bool has_closed = false;
    for (size_t i = 0; i < count; i++) {
        const uint64_t missing = slots[i].useful - hsd_min_u64(*slots[i].out, slots[i].useful);
        if (is_closed[i] || missing > hsd_plan_scale(round, slots[i].weight, weights)) continue;
        *slots[i].out += missing;
        *rest -= missing;
        is_closed[i] = has_closed = true;
    }
    if (has_closed) return true;
    for (size_t i = 0; i < count; i++) {
        if (is_closed[i]) continue;
        const uint64_t part = hsd_plan_scale(round, slots[i].weight, weights);
        *slots[i].out += part;
        *rest -= part;
    }
    return false;
}

bool hsd_plan_share(uint64_t total, hsd_plan_slot *slots, size_t count)
{
    HSD_ASSERT(count <= HSD_PLAN_MAX_SLOTS);
    bool is_closed[HSD_PLAN_MAX_SLOTS] = {false};
    uint64_t nothing, rest = total;
    bool suffices = true;
    for (size_t i = 0; i < count; i++) {
        if (slots[i].out == NULL) slots[i] = (hsd_plan_slot){.out = &nothing};
        slots[i].useful = hsd_max_u64(slots[i].useful, slots[i].least);
        *slots[i].out = slots[i].least;
        suffices = suffices && slots[i].least <= rest;
        rest -= hsd_min_u64(rest, slots[i].least);
    }
    while (suffices && share_round(slots, count, is_closed, &rest))
        continue;
    return suffices;
}

/* ---- sorters ---- */

/* A sorter keeps n records in memory when it holds them and as much again to sort into. */
static uint64_t sort_whole(uint64_t records, unsigned words) { return 2 * records * 8 * words + MIB(2); }

/* More than this buys no speed: runs are written while the next fills, and merged in one pass. Two captures
 * of 5 M objects, whole diff with holders: 7.2 s of CPU and 192 MiB with 24 MiB for each sorter, 7.3 s and 260 MiB
 * with 52. */
uint64_t hsd_plan_sort_useful(uint64_t records, unsigned words)
{
    const uint64_t enough = hsd_max_u64(SORT_ENOUGH, records * 8 * words / 64);
    return hsd_min_u64(sort_whole(records, words), enough);
}

bool hsd_plan_stays(uint64_t records, unsigned words, uint64_t sort_bytes)
{
    return sort_bytes >= sort_whole(records, words);
}

/* What serving takes: the records, if they stayed in memory; else a block for each run, and a run is a
 * third of the sorter's memory. Never more than sorting had. */
uint64_t hsd_plan_serve_useful(uint64_t records, unsigned words, uint64_t sort_bytes)
{
    uint64_t useful = records * 8 * words + KIB(256);
    if (!hsd_plan_stays(records, words, sort_bytes)) {
        const uint64_t runs = records * 8 * words / (sort_bytes / 3 + 1) + 1;
        useful = hsd_max_u64(MIB(1), runs * MERGE_BLOCK);
    }
    return hsd_min_u64(useful, sort_bytes);
}

/* ---- captures ---- */

bool hsd_plan_has_blocks(const hsd_plan_capture *c) { return c->has_graph || c->has_parts; }
bool hsd_plan_is_read(const hsd_plan_capture *c) { return hsd_plan_has_blocks(c) && c->block_bytes > 0; }
bool hsd_plan_has_join(const hsd_plan_capture *c)
{
    return c->needs_join && hsd_plan_has_blocks(c) && !hsd_plan_is_read(c);
}
bool hsd_plan_has_tree(const hsd_plan_capture *c) { return c->tree_words > 0 && c->has_graph; }
unsigned hsd_plan_edge_words(const hsd_plan_capture *c) { return HSD_TWO_WORDS + (hsd_plan_has_tree(c) ? 1u : 0u); }
unsigned hsd_plan_source_words(const hsd_plan_capture *c) { return hsd_plan_has_tree(c) ? 3 : 2; }

/* Of a paged array: its least pages and tables; all of it. */
static hsd_plan_need paged(uint64_t bytes)
{
    const uint64_t pages = bytes / PAGE_BYTES + 1;
    return (hsd_plan_need){
        .least = hsd_min_u64(pages, LEAST_PAGES) * (PAGE_BYTES + 5) + 5 * pages + 64,
        .useful = pages * (PAGE_BYTES + 10) + 64,
    };
}

/* However few references there are, a block of 16 KiB has 4,096 nodes at most. */
static uint64_t adjacency_estimate(const hsd_plan_capture *c)
{
    if (hsd_plan_is_read(c)) return c->block_bytes;
    return hsd_max_u64(5 * c->references + 2 * c->objects, 4 * c->objects);
}

static uint64_t name_estimate(const hsd_plan_capture *c)
{
    return hsd_plan_is_read(c) ? c->block_name_bytes : 2 * c->references + 2 * c->objects;
}

/* Ids in a heap that is packed take a byte each, less is not worth a try; in one that is not a word of two numbers. */
hsd_plan_need hsd_plan_ordinals(const hsd_plan_capture *c)
{
    return (hsd_plan_need){.least = c->objects + KIB(320), .useful = (1 + HSD_TWO_BYTES) * c->objects + MIB(1)};
}

/* Labels as large as numbers, and the frontier: one bit a node at least, an eighth of all at best. */
hsd_plan_need hsd_plan_labels(const hsd_plan_capture *c)
{
    const hsd_plan_need labels = paged(HSD_NODE_BYTES * c->objects);
    const uint64_t list = c->objects / 8 + adjacency_estimate(c) / 2048 + LIST_LEAST;
    return (hsd_plan_need){
        .least = labels.least + list,
        .useful = hsd_max_u64(labels.useful / 7 * 8 + MIB(1), labels.useful + list),
    };
}

uint64_t hsd_plan_label_serve(const hsd_plan_capture *c) { return paged(HSD_NODE_BYTES * c->objects).least; }

hsd_plan_need hsd_plan_adjacency(const hsd_plan_capture *c)
{
    if (!hsd_plan_has_blocks(c)) return (hsd_plan_need){0, 0};
    const uint64_t bytes = adjacency_estimate(c), least = BLOCKS_LEAST + bytes / 2048;
    return (hsd_plan_need){.least = least, .useful = hsd_max_u64(least, bytes + MIB(3))};
}

uint64_t hsd_plan_idle_adjacency(const hsd_plan_capture *c) { return KIB(320) + adjacency_estimate(c) / 2048; }

hsd_plan_need hsd_plan_names(const hsd_plan_capture *c)
{
    const uint64_t bytes = name_estimate(c);
    return (hsd_plan_need){.least = KIB(320) + bytes / 2048, .useful = bytes + MIB(1)};
}

/* Bytes of a number in variable length, for numbers up to twice the nodes. */
static uint64_t number_bytes(uint64_t nodes)
{
    if (nodes < UINT64_C(1) << 27) return nodes < UINT64_C(1) << 20 ? 3 : 4;
    return HSD_NODE_BITS == 32 || nodes < UINT64_C(1) << 34 ? 5 : 6;
}

/* What a reference takes while dominators walk: on their stack, and on a tape. */
static uint64_t walk_bytes(const hsd_plan_capture *c)
{
    return HSD_TWO_BYTES + hsd_max_u64(HSD_TWO_BYTES, 2 * number_bytes(c->objects + 1) + 1);
}

/*
 * Least: 2 bits a node while walking and as much for the core's index, tables of three arrays and of the blocks,
 * buckets of 4 KiB. Useful: everything at once in its largest step, when each number is as long as it can be.
 */
hsd_plan_need hsd_plan_dominators(const hsd_plan_capture *c)
{
    const uint64_t n = c->objects + 1, r = c->references, number = number_bytes(n);
    const hsd_plan_need blocks = paged(hsd_plan_is_read(c) ? c->block_bytes : 3 * n + 8 * r);
    const uint64_t arrays = 2 * paged(HSD_TWO_BYTES * n).least + paged(HSD_NODE_BYTES * n).least;
    const uint64_t walk = n / 4 + HSD_TWO_BYTES * n + walk_bytes(c) * r;
    const uint64_t core = n / 4 + (CORE_BYTES + 3 * number) * n + 3 * number * r;
    const uint64_t semi = (2 * CORE_BYTES + 3 * number) * n + 3 * number * r;
    const uint64_t buckets = hsd_min_u64(2 * hsd_max_u64(n, r) / KIB(128) + 1, 512);
    return (hsd_plan_need){
        .least = n / 4 + n / 6 + arrays + blocks.least + MIB(2),
        .useful = hsd_max_u64(walk, hsd_max_u64(core, semi)) + n / 64 + blocks.useful + (buckets + 80) * KIB(16) +
                  SORT_PREDECESSORS + MIB(2),
    };
}

uint64_t hsd_plan_dominator_walk(const hsd_plan_capture *c)
{
    const uint64_t n = c->objects + 1, r = c->references;
    const uint64_t buckets = hsd_min_u64(2 * hsd_max_u64(n, r) / KIB(128) + 1, 512);
    return n / 4 + HSD_TWO_BYTES * n + walk_bytes(c) * r + n / 64 + paged(adjacency_estimate(c)).useful +
           (buckets + 80) * KIB(16) + SORT_PREDECESSORS + MIB(2);
}

/* Two numbers a node, beside buckets, of which an eighth of the memory is written and another one sorted. */
static uint64_t dominator_random(const hsd_plan_capture *c) { return 3 * HSD_NODE_BYTES * c->objects + MIB(2); }

/* Blocks while they are walked, and numbers of places; then arrays, beside buckets and some of the tapes. */
uint64_t hsd_plan_dominator_enough(const hsd_plan_capture *c)
{
    return hsd_max_u64(MIB(64), 5 * HSD_NODE_BYTES * c->objects + MIB(10));
}

/* Of 8 bytes each, whatever a number has. */
hsd_plan_need hsd_plan_links(const hsd_plan_capture *c)
{
    hsd_plan_need need = paged(8 * c->objects);
    need.least = hsd_max_u64(need.least, KIB(512));
    need.useful = hsd_max_u64(need.useful, need.least);
    return need;
}

/* Never so few that a sorter could not do instead. */
hsd_plan_need hsd_plan_spans(const hsd_plan_capture *c)
{
    hsd_plan_need need = paged(HSD_TWO_BYTES * c->objects);
    need.useful = hsd_max_u64(need.useful, SERVE_LEAST);
    return need;
}

/* Of the array that links will have there are only parents then, a number each. */
uint64_t hsd_plan_told_places(const hsd_plan_capture *c)
{
    return hsd_plan_spans(c).useful + paged(HSD_NODE_BYTES * c->objects).useful + hsd_plan_links(c).least;
}

/* Noting a reference for each eighth node is less than a walk. */
hsd_plan_need hsd_plan_owner_tree(const hsd_plan_capture *c)
{
    const uint64_t marks = hsd_owner_tree_mark_bytes(c->objects + 1);
    return (hsd_plan_need){.least = marks + MIB(1), .useful = marks + MIB(1) + c->objects / 8 * HSD_CROSSING_BYTES};
}

hsd_plan_need hsd_plan_types(const hsd_plan_capture *c)
{
    hsd_plan_need need = paged(4 * c->objects);
    need.least = hsd_max_u64(need.least, KIB(512));
    need.useful = hsd_max_u64(need.useful, need.least);
    return need;
}

/* Ways of two numbers, one bit a node, and levels: three areas of records. A level is seldom an eighth of all. */
hsd_plan_need hsd_plan_paths(const hsd_plan_capture *c)
{
    const hsd_plan_need ways = paged(HSD_TWO_BYTES * c->objects);
    const uint64_t seen = c->objects / 8 + 64;
    const uint64_t levels =
        hsd_min_u64(3 * QUAD_BYTES * c->objects, hsd_max_u64(LEVELS_ENOUGH, 3 * QUAD_BYTES * c->objects / 8));
    return (hsd_plan_need){
        .least = ways.least + seen + KIB(16) * QUAD_BYTES,
        .useful = ways.useful + seen + hsd_max_u64(levels, KIB(16) * QUAD_BYTES),
    };
}

/* ---- recognising by structure ---- */

/* Least: that of nine arrays, 56 bytes an object together (72 with numbers of 64 bits), and of sorters. Useful: all
 * arrays of the second pass of match/keys.h, 32 bytes an object (40), beside what is gone through in order. */
hsd_plan_need hsd_plan_structure(const hsd_plan_capture *c)
{
    if (!c->has_structure) return (hsd_plan_need){0, 0};
    const uint64_t shares =
        hsd_max_u64(11 * paged(8 * c->objects).least, 16 * paged(HSD_NODE_BYTES * c->objects).least);
    const uint64_t least = hsd_max_u64(shares, MIB(4)) + MIB(1);
    return (hsd_plan_need){.least = least,
                           .useful = hsd_max_u64(least, 4 * paged((6 + HSD_NODE_BYTES) * c->objects).useful)};
}

/* Three arrays of a number an object; an eighth of all is for sorters and what is gone through in order. */
uint64_t hsd_plan_structure_random(const hsd_plan_capture *c)
{
    return c->has_structure ? paged((3 + 3 * HSD_NODE_BYTES) * c->objects).useful + MIB(2) : 0;
}

/* The least of each array of a sequence, and four sorters. */
uint64_t hsd_plan_structure_serve(const hsd_plan_capture *c)
{
    static const unsigned bytes[] = {16, 8, HSD_NODE_BYTES, HSD_NODE_BYTES, HSD_NODE_BYTES, HSD_NODE_BYTES, 1};
    uint64_t serve = 4 * SERVE_LEAST;
    if (!c->has_structure) return 0;
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        serve += paged(bytes[i] * c->objects).least;
    return serve;
}

hsd_plan_need hsd_plan_strings(const hsd_plan_capture *c)
{
    return c->has_structure ? paged(8 * (c->strings + 1)) : (hsd_plan_need){0, 0};
}

/* 33 bytes an object and side, 41 with numbers of 64 bits, in five eighths (match/recognise.c). */
uint64_t hsd_plan_recognise_useful(const hsd_plan_capture *c)
{
    return c->has_structure ? 7 * paged((12 + HSD_NODE_BYTES) * c->objects).useful + MIB(4) : 0;
}

uint64_t hsd_plan_partners(const hsd_plan_capture *c)
{
    return c->has_structure ? paged(HSD_NODE_BYTES * c->objects).useful + paged(c->objects).useful : 0;
}

/* What finds nodes in blocks: `locate`, first nodes, which double as they grow, and where names begin. */
static uint64_t index_bytes(const hsd_plan_capture *c)
{
    return c->objects / 64 + (adjacency_estimate(c) + name_estimate(c)) / 1024 * (HSD_NODE_BYTES / 4) + KIB(128);
}

/*
 * Bits of each object: pseudo; with parts part, folded. Of each node: refers to something, which doubles while the
 * blocks are built; with holders has soft references, and later is softly reached. With structure has a name, has a
 * key or an identity hash, is like one of the other side.
 */
uint64_t hsd_plan_bits(const hsd_plan_capture *c)
{
    if (!hsd_plan_has_blocks(c)) return 0;
    const unsigned bits =
        3u + (c->has_parts ? 2u : 0u) + (hsd_plan_has_tree(c) ? 1u : 0u) + (c->has_structure ? 3u : 0u);
    return c->objects / 8 * bits + index_bytes(c);
}

/* Which objects are kept; of a graph that stays also which nodes refer to something. */
uint64_t hsd_plan_kept(const hsd_plan_capture *c, bool keeps_graph)
{
    if (!hsd_plan_has_tree(c)) return 0;
    return c->objects / 8 + 64 + (keeps_graph ? c->objects / 8 + index_bytes(c) : 0);
}

/* Labels and blocks at once; or what dominators touch at random once the walk is over, some six numbers a node. */
uint64_t hsd_plan_random(const hsd_plan_capture *c)
{
    if (!hsd_plan_has_blocks(c)) return 0;
    const uint64_t labels = hsd_plan_labels(c).useful * (c->has_parts ? 2 : 1);
    const uint64_t walk = adjacency_estimate(c) + labels;
    return hsd_plan_bits(c) + (hsd_plan_has_tree(c) ? hsd_max_u64(walk, 6 * HSD_NODE_BYTES * c->objects) : walk);
}

uint64_t hsd_plan_random_in_arrays(const hsd_plan_capture *c)
{
    const uint64_t arrays =
        hsd_plan_spans(c).useful + hsd_plan_links(c).useful + hsd_plan_labels(c).useful + dominator_random(c);
    const uint64_t beside = hsd_plan_bits(c) + HSD_PLAN_READER_BYTES + hsd_plan_names(c).least;
    return (arrays + beside) / 12 * 13; /* folded parts have a part of what there is */
}

/*
 * The live table (table.h). Every change is visible by one store: a new node is written before its head, and taking one
 * out is one store to the link before it; so a chain can be walked at any moment, even where a thread that did not stop
 * in time is inside.
 */
#include "native/table.h"

#include <stdatomic.h>
#include <sys/mman.h>

#include "native/lock.h"
#include "native/reserve.h"

enum {
    BUCKETS = HSN_TABLE_BUCKETS,
    SHARDS = 256,
    CHUNK = 64, /* nodes that a shard takes at once */
    MARK_FULL = UINT8_MAX,
    PARTS = 8 /* of a limited address space: for what the map does not take */
};
static const uintptr_t HUGE_PAGE = (uintptr_t)2 << 20;
static const size_t MAX_NODES = (size_t)1 << 26, MIN_NODES = (size_t)1 << 14;
#define CURSOR_OF_HASH (UINT64_C(1) << 63) /* below it a cursor is the map's */

typedef struct node {
    uint32_t next; /* index, 0 = last: node 0 is never used */
    uint32_t stack;
    uintptr_t address; /* 0: free */
    uint64_t size, sequence;
} node;
_Static_assert(sizeof(node) == 32, "two nodes fill a cache line");

typedef struct shard {
    _Alignas(64) hsn_lock lock;
    uint32_t free;                  /* nodes given back, chained by next */
    uint32_t chunk_next, chunk_end; /* nodes taken and not yet used */
    uint64_t count;
} shard;

_Atomic uint8_t hsn_table_marks[HSN_TABLE_MARKS];
static _Atomic uint32_t *heads;
static node *nodes;
static size_t node_limit;
static atomic_size_t watermark = 1;
static shard shards[SHARDS];
static _Atomic uint64_t lost;
static bool is_held_whole; /* all locks are one thread's, which changes nothing */
static __thread bool holds_all __attribute__((tls_model("initial-exec")));

/* As for the nodes of the map, from the 65,536th block on. */
static void prefer_huge_pages(uintptr_t low, size_t size)
{
    const uintptr_t from = (low + 2 * HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    if (from < low + size) madvise((void *)from, low + size - from, MADV_HUGEPAGE);
}

/* The map's address space first: of what is left where that is limited, the hash takes no larger part than it would
 * otherwise. */
bool hsn_table_open(bool is_sampled)
{
    size_t heads_size = BUCKETS * sizeof *heads, nodes_size = MAX_NODES * sizeof *nodes;
    heads = hsn_reserve(&heads_size, heads_size);
    if (heads == NULL) return false;
    if (!is_sampled && hsn_map_open() && nodes_size > hsn_map_reserved() / 4) nodes_size = hsn_map_reserved() / 4;
    nodes_size = hsn_reserve_part(nodes_size, PARTS);
    nodes = hsn_reserve(&nodes_size, MIN_NODES * sizeof *nodes);
    node_limit = nodes_size / sizeof *nodes;
    if (nodes != NULL) prefer_huge_pages((uintptr_t)nodes, nodes_size);
    return nodes != NULL;
}

/* The lower bits are those of the mark, the upper ones tell apart what is 1 MiB from one another. */
static inline uint32_t bucket_of(uintptr_t address)
{
    const uint32_t upper = (uint32_t)(address >> 20) * UINT32_C(0x9E3779B1) >> 10;
    return (upper & ~(uint32_t)(HSN_TABLE_MARKS - 1) & (BUCKETS - 1)) | hsn_table_mark(address);
}

/* Sixteen buckets in a row, a line of heads, share one lock; and all buckets of a mark do. */
static inline shard *shard_of(uint32_t bucket) { return &shards[(bucket >> 4) % SHARDS]; }

static inline void lock(shard *s)
{
    if (__builtin_expect(!holds_all, 1)) hsn_lock_take(&s->lock, true);
}

static inline void unlock(shard *s)
{
    if (__builtin_expect(!holds_all, 1)) hsn_lock_give(&s->lock);
}

/* A node of the shard, or 0 when all are in use. */
static uint32_t take_node(shard *s)
{
    uint32_t at = s->free;
    if (at != 0) {
        s->free = nodes[at].next;
        return at;
    }
    if (s->chunk_next == s->chunk_end) {
        const size_t first = atomic_fetch_add_explicit(&watermark, CHUNK, memory_order_relaxed);
        if (first + CHUNK > node_limit) {
            atomic_fetch_sub_explicit(&watermark, CHUNK, memory_order_relaxed);
            return 0;
        }
        s->chunk_next = (uint32_t)first;
        s->chunk_end = (uint32_t)(first + CHUNK);
    }
    return s->chunk_next++;
}

static void publish(_Atomic uint32_t *link, uint32_t at) { atomic_store_explicit(link, at, memory_order_release); }

static inline uint32_t find_in_table(uint32_t bucket, uintptr_t address, uint32_t *before)
{
    *before = 0;
    uint32_t at = atomic_load_explicit(&heads[bucket], memory_order_relaxed);
    while (at != 0 && nodes[at].address != address) {
        *before = at;
        at = nodes[at].next;
    }
    return at;
}

static void read_node(const node *n, hsn_block *out)
{
    *out = (hsn_block){.address = n->address, .size = n->size, .sequence = n->sequence, .stack = n->stack};
}

static void mark(uintptr_t address, int change)
{
    _Atomic uint8_t *at = &hsn_table_marks[hsn_table_mark(address)];
    const uint8_t count = atomic_load_explicit(at, memory_order_relaxed);
    if (count != MARK_FULL) atomic_store_explicit(at, (uint8_t)(count + change), memory_order_relaxed);
}

/* ---- the hash, under the lock of the shard ---- */

static void hash_add(shard *s, uint32_t bucket, const hsn_block *block)
{
    uint32_t before, at = find_in_table(bucket, block->address, &before);
    const bool is_new = at == 0;
    if (is_new) at = take_node(s);
    if (at == 0) {
        atomic_fetch_add_explicit(&lost, 1, memory_order_relaxed);
        return;
    }
    node *n = &nodes[at];
    n->stack = block->stack;
    n->size = block->size;
    n->sequence = block->sequence;
    if (!is_new) {
        hsn_table_doubt();
        return;
    }
    n->next = atomic_load_explicit(&heads[bucket], memory_order_relaxed);
    n->address = block->address;
    mark(block->address, 1);
    publish(&heads[bucket], at);
    s->count++;
}

static bool hash_remove(shard *s, uint32_t bucket, uintptr_t address, hsn_block *out)
{
    uint32_t before;
    const uint32_t at = find_in_table(bucket, address, &before);
    if (at == 0) return false;
    node *n = &nodes[at];
    read_node(n, out);
    if (before == 0)
        publish(&heads[bucket], n->next);
    else
        publish((_Atomic uint32_t *)&nodes[before].next, n->next);
    mark(address, -1);
    n->address = 0;
    n->next = s->free;
    s->free = at;
    s->count--;
    return true;
}

/* ---- both ---- */

static bool is_for_map(const hsn_block *block) { return hsn_map_takes(block->address, block->size); }

static bool map_add(shard *s, uint32_t bucket, const hsn_block *block)
{
    hsn_block stale;
    const hsn_map_added added = hsn_map_add(block);
    if (added == HSN_MAP_REPLACED) hsn_table_doubt();
    if (added != HSN_MAP_FULL && (atomic_load_explicit(&hsn_map_heed, memory_order_relaxed) & HSN_HEED_DOUBT) != 0)
        hash_remove(s, bucket, block->address, &stale);
    return added != HSN_MAP_FULL;
}

void hsn_table_add(const hsn_block *block)
{
    const uint32_t bucket = bucket_of(block->address);
    shard *s = shard_of(bucket);
    hsn_block stale;
    lock(s);
    if (!is_for_map(block) || !map_add(s, bucket, block)) {
        if (hsn_map_remove(block->address, &stale)) hsn_table_doubt();
        hash_add(s, bucket, block);
    }
    unlock(s);
}

bool hsn_table_remove(uintptr_t address, hsn_block *out)
{
    const uint32_t bucket = bucket_of(address);
    shard *s = shard_of(bucket);
    lock(s);
    const bool was_there = hsn_map_remove(address, out) || hash_remove(s, bucket, address, out);
    unlock(s);
    return was_there;
}

void hsn_table_suspect(uintptr_t address)
{
    atomic_store_explicit(&hsn_table_marks[hsn_table_mark(address)], MARK_FULL, memory_order_relaxed);
}

void hsn_table_doubt(void) { atomic_fetch_or(&hsn_map_heed, HSN_HEED_DOUBT); }
void hsn_table_end(void) { atomic_fetch_or(&hsn_map_heed, HSN_HEED_END); }

uint64_t hsn_table_lost(void) { return atomic_load(&lost); }

/* Another thread in its fork has the first lock too, so this one waits for it there, where it holds none. */
void hsn_table_hold(const hsn_magazine *mine)
{
    for (size_t i = 0; i < SHARDS; i++)
        hsn_lock_take(&shards[i].lock, i == 0);
    hsn_map_hold(mine);
    holds_all = is_held_whole = true;
}

static void give_all(void)
{
    holds_all = is_held_whole = false;
    for (size_t i = 0; i < SHARDS; i++)
        hsn_lock_give(&shards[i].lock);
}

void hsn_table_let_go(void)
{
    hsn_map_let_go();
    give_all();
}

unsigned hsn_table_adopt(void)
{
    unsigned held = 0;
    for (size_t i = 0; i < SHARDS && !is_held_whole; i++)
        held += atomic_load(&shards[i].lock) != 0;
    held += hsn_map_adopt();
    give_all();
    return held;
}

/* ---- reading ---- */

static bool hash_next(uint64_t *cursor, hsn_block *out)
{
    const size_t end = atomic_load_explicit(&watermark, memory_order_relaxed);
    while (++*cursor < end && *cursor < node_limit)
        if (nodes[*cursor].address != 0) {
            read_node(&nodes[*cursor], out);
            return true;
        }
    *cursor = end;
    return false;
}

static bool next_of_hash(uint64_t *cursor, hsn_block *out)
{
    if (*cursor < CURSOR_OF_HASH) *cursor = CURSOR_OF_HASH;
    uint64_t at = *cursor - CURSOR_OF_HASH;
    const bool is_there = hash_next(&at, out);
    *cursor = CURSOR_OF_HASH + at;
    return is_there;
}

bool hsn_table_next(uint64_t *cursor, hsn_block *out)
{
    return (*cursor < CURSOR_OF_HASH && hsn_map_next(cursor, out)) || next_of_hash(cursor, out);
}

bool hsn_table_next_roughly(uint64_t *cursor, hsn_block *out)
{
    return (*cursor < CURSOR_OF_HASH && hsn_map_next_roughly(cursor, out)) || next_of_hash(cursor, out);
}

bool hsn_table_find(uintptr_t address, hsn_block *out)
{
    uint32_t before;
    if (hsn_map_find(address, out)) return true;
    const uint32_t at = find_in_table(bucket_of(address), address, &before);
    if (at != 0) read_node(&nodes[at], out);
    return at != 0;
}

void hsn_table_drop_unused(void) { hsn_map_drop_unused(); }
void hsn_table_prefetch(uintptr_t address) { hsn_map_prefetch(address); }

static uint64_t count_in_hash(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < SHARDS; i++)
        sum += shards[i].count;
    return sum;
}

uint64_t hsn_table_count(void) { return hsn_map_count() + count_in_hash(); }
uint64_t hsn_table_most(void) { return hsn_map_most() + count_in_hash(); }

bool hsn_table_is_unused(void) { return hsn_map_is_unused() && atomic_load(&watermark) == 1; }

/*
 * The live table (table.h). Every change is visible by one store: a new node is written before its head, and taking one out is one store
 * to the link before it; so a chain can be walked at any moment, even where a thread that did not stop in time is inside.
 */
#include "native/table.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>

#include "native/reserve.h"

enum {
    BUCKETS = HSN_TABLE_BUCKETS,
    SHARDS = 256,
    CHUNK = 64, /* nodes that a shard takes at once */
    SPINS = 64, /* looks at a lock before the processor is given away */
    YIELDS = 64 /* … before it sleeps: its holder may have a lower priority */
};
static const uintptr_t HUGE_PAGE = (uintptr_t)2 << 20;
static const size_t MAX_NODES = (size_t)1 << 28, MIN_NODES = (size_t)1 << 16;

typedef struct node {
    uint32_t next; /* index, 0 = last: node 0 is never used */
    uint32_t stack;
    uintptr_t address; /* 0: free */
    uint64_t size, sequence;
} node;
_Static_assert(sizeof(node) == 32, "two nodes fill a cache line");

typedef struct shard {
    _Alignas(64) atomic_uint lock;
    uint32_t free;                  /* nodes given back, chained by next */
    uint32_t chunk_next, chunk_end; /* nodes taken and not yet used */
    uint64_t count;
} shard;

_Atomic uint32_t *hsn_table_heads;
static node *nodes;
static size_t node_limit;
static atomic_size_t watermark = 1;
static shard shards[SHARDS];
static _Atomic uint64_t lost;
void (*hsn_when_waiting)(void);
static bool is_held_whole; /* all locks are one thread's, which changes nothing */
static __thread bool holds_all __attribute__((tls_model("initial-exec")));

/* A fork copies one entry for 2 MiB and not 512: measured, 1.6 us a MiB instead of 40. Not for the first 65,536 blocks: most programs are small. */
static void prefer_huge_pages(uintptr_t low, size_t size)
{
    const uintptr_t from = (low + 2 * HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    if (from < low + size) madvise((void *)from, low + size - from, MADV_HUGEPAGE);
}

bool hsn_table_open(void)
{
    size_t heads_size = BUCKETS * sizeof *hsn_table_heads, nodes_size = MAX_NODES * sizeof *nodes;
    hsn_table_heads = hsn_reserve(&heads_size, heads_size);
    if (hsn_table_heads == NULL) return false;
    nodes = hsn_reserve(&nodes_size, MIN_NODES * sizeof *nodes);
    node_limit = nodes_size / sizeof *nodes;
    if (nodes != NULL) prefer_huge_pages((uintptr_t)nodes, nodes_size);
    return nodes != NULL;
}

/* Sixteen buckets in a row, a line of heads, share one lock. */
static inline shard *shard_of(uint32_t bucket) { return &shards[(bucket >> 4) % SHARDS]; }

static __attribute__((noinline)) void wait_a_little(unsigned tries, bool holds_none)
{
    const int error = errno;
    if (holds_none && tries >= SPINS && hsn_when_waiting != NULL) hsn_when_waiting();
    if (tries < SPINS) {
        __builtin_ia32_pause();
    } else if (tries < SPINS + YIELDS) {
        sched_yield();
    } else {
        nanosleep(&(struct timespec){.tv_nsec = 50 * 1000}, NULL);
    }
    errno = error;
}

static inline void wait_and_lock(shard *s, bool holds_none)
{
    for (unsigned tries = 0;; tries++) {
        if (atomic_load_explicit(&s->lock, memory_order_relaxed) == 0 &&
            atomic_exchange_explicit(&s->lock, 1, memory_order_acquire) == 0)
            return;
        wait_a_little(tries, holds_none);
    }
}

static inline void lock(shard *s)
{
    if (__builtin_expect(!holds_all, 1)) wait_and_lock(s, true);
}

static inline void unlock(shard *s)
{
    if (__builtin_expect(!holds_all, 1)) atomic_store_explicit(&s->lock, 0, memory_order_release);
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

static inline uint32_t find_in(uint32_t bucket, uintptr_t address, uint32_t *before)
{
    *before = 0;
    uint32_t at = atomic_load_explicit(&hsn_table_heads[bucket], memory_order_relaxed);
    while (at != 0 && nodes[at].address != address) {
        *before = at;
        at = nodes[at].next;
    }
    return at;
}

void hsn_table_add(const hsn_block *block)
{
    const uint32_t bucket = hsn_table_bucket(block->address);
    shard *s = shard_of(bucket);
    lock(s);
    uint32_t before, at = find_in(bucket, block->address, &before);
    const bool is_new = at == 0;
    if (is_new) at = take_node(s);
    if (at == 0) {
        atomic_fetch_add_explicit(&lost, 1, memory_order_relaxed);
    } else {
        node *n = &nodes[at];
        n->stack = block->stack;
        n->size = block->size;
        n->sequence = block->sequence;
        if (is_new) {
            n->next = atomic_load_explicit(&hsn_table_heads[bucket], memory_order_relaxed);
            n->address = block->address;
            publish(&hsn_table_heads[bucket], at);
            s->count++;
        }
    }
    unlock(s);
}

static void read_node(const node *n, hsn_block *out)
{
    *out = (hsn_block){.address = n->address, .size = n->size, .sequence = n->sequence, .stack = n->stack};
}

bool hsn_table_remove(uintptr_t address, hsn_block *out)
{
    const uint32_t bucket = hsn_table_bucket(address);
    shard *s = shard_of(bucket);
    lock(s);
    uint32_t before;
    const uint32_t at = find_in(bucket, address, &before);
    if (at != 0) {
        node *n = &nodes[at];
        read_node(n, out);
        if (before == 0)
            publish(&hsn_table_heads[bucket], n->next);
        else
            publish((_Atomic uint32_t *)&nodes[before].next, n->next);
        n->address = 0;
        n->next = s->free;
        s->free = at;
        s->count--;
    }
    unlock(s);
    return at != 0;
}

uint64_t hsn_table_lost(void) { return atomic_load(&lost); }

/* Another thread in its fork has the first lock too, so this one waits for it there, where it holds none. */
void hsn_table_hold(void)
{
    for (size_t i = 0; i < SHARDS; i++)
        wait_and_lock(&shards[i], i == 0);
    holds_all = is_held_whole = true;
}

void hsn_table_let_go(void)
{
    holds_all = is_held_whole = false;
    for (size_t i = 0; i < SHARDS; i++)
        unlock(&shards[i]);
}

unsigned hsn_table_adopt(void)
{
    unsigned held = 0;
    for (size_t i = 0; i < SHARDS && !is_held_whole; i++)
        held += atomic_load(&shards[i].lock) != 0;
    hsn_table_let_go();
    return held;
}

bool hsn_table_next(uint64_t *cursor, hsn_block *out)
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

bool hsn_table_find(uintptr_t address, hsn_block *out)
{
    uint32_t before;
    const uint32_t at = find_in(hsn_table_bucket(address), address, &before);
    if (at != 0) read_node(&nodes[at], out);
    return at != 0;
}

uint64_t hsn_table_count(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < SHARDS; i++)
        sum += shards[i].count;
    return sum;
}

/* The map of small blocks (map.h): its memory, the pool, forks, and reading it in a child in which it stands still. */
#include "native/map.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "native/lock.h"
#include "native/reserve.h"
#include "native/stacks.h"

_Static_assert(HSN_STACK_LOG + HSN_MAP_SIZE_LOG <= 32, "a node has 32 bits for both");

#define HUGE_PAGE ((uintptr_t)2 << 20)

enum {
    ROOTS = 1 << (HSN_MAP_ADDRESS_LOG - HSN_MAP_CHUNK_LOG),
    CHUNK_WINDOWS = 1 << (HSN_MAP_CHUNK_LOG - HSN_MAP_WINDOW_LOG),
    CHUNK_BYTES = CHUNK_WINDOWS * sizeof(uint32_t),
    MOST_NODES = 1 << 27,
    MAGAZINES = 1 << 14,
    BATCH = 32, /* nodes between pool and magazine at a time */
    PAGE = 4096,
    PAGE_WINDOWS = PAGE / sizeof(uint32_t),
    CHUNK_PAGES = CHUNK_WINDOWS / PAGE_WINDOWS,
    DENSE = 1 << 18,          /* blocks to 64 MiB of heap from which on its windows get huge pages */
    BLOCK_WINDOWS = 48,       /* bytes of windows that a block may cost on average … */
    SPARE_WINDOWS = 16 << 20, /* … beyond these */
    LOOK_AGAIN = 1 << 16,     /* blocks more, behind which that is measured anew */
    LONG_WAIT = 20000         /* waits, a second: who is inside for so long has ended there */
};
static const size_t ALL_BYTES = (size_t)8 << 30, LEAST_BYTES = (size_t)32 << 20, NODES_AT_ONCE = (size_t)1 << 20;

_Atomic uint32_t hsn_map_heed;
static _Atomic uintptr_t *roots;
static hsn_map_node *nodes;
static size_t least = HSN_MAP_LARGE; /* bytes of the smallest block; until it is open none is small enough */

static unsigned char *windows; /* of all chunks */
static uint32_t *chunk_roots;  /* of each chunk, from 0 on, the number of its root */
static _Atomic uint32_t chunk_count;
static uint32_t chunk_limit;

static hsn_lock pool;       /* of everything below, and of new chunks */
static uint32_t pool_first; /* its name, 0 = none */
/* numbers: of those that were never taken; whose memory may be touched; that there are */
static uint32_t fresh = 1, usable, node_limit;

static hsn_magazine *magazines;
static _Atomic uint32_t magazine_count = 1;
static bool is_ordered; /* the kernel has membarrier */
static __thread bool holds_pool __attribute__((tls_model("initial-exec")));

/* Commands of membarrier (linux/membarrier.h), which all kernels have from 4.14 on. */
enum { ORDER = 1 << 3, ORDER_REGISTER = 1 << 4 };

static bool ask_order(int what) { return syscall(SYS_membarrier, what, 0, 0) == 0; }

/* ---- memory ---- */

static size_t reserved;

bool hsn_map_open(void)
{
    size_t roots_size = ROOTS * sizeof *roots, all = ALL_BYTES,
           chunks_size = ALL_BYTES / CHUNK_BYTES * sizeof *chunk_roots, magazines_size = MAGAZINES * sizeof *magazines;
    unsigned char *at = hsn_reserve_bare(&all, LEAST_BYTES);
    _Atomic uintptr_t *all_roots = at == NULL ? NULL : hsn_reserve(&roots_size, roots_size);
    chunk_roots = hsn_reserve(&chunks_size, chunks_size);
    if (all_roots == NULL || chunk_roots == NULL) return false;
    roots = all_roots;
    magazines = hsn_reserve(&magazines_size, magazines_size);
    const size_t begin = (size_t)(-(uintptr_t)at & (HUGE_PAGE - 1)), nodes_size = all / 4;
    nodes = (hsn_map_node *)(void *)(at + begin);
    node_limit = (uint32_t)((nodes_size - begin) / sizeof *nodes);
    if (node_limit > MOST_NODES) node_limit = MOST_NODES;
    windows = at + begin + (nodes_size & ~(HUGE_PAGE - 1));
    chunk_limit = (uint32_t)((size_t)(at + all - windows) / CHUNK_BYTES);
    /* A fork copies one entry for 2 MiB and not 512: measured, 1.6 us a MiB instead of 40. Not of the first nodes: most
     * programs are small. */
    madvise((unsigned char *)nodes + HUGE_PAGE, nodes_size - begin - HUGE_PAGE, MADV_HUGEPAGE);
    is_ordered = ask_order(ORDER_REGISTER);
    reserved = all;
    least = ((size_t)1 << HSN_MAP_HALF_LOG) + 1;
    return true;
}

size_t hsn_map_reserved(void) { return reserved; }

void hsn_map_trust_chunks(void)
{
    if (roots == NULL) return;
    least = 0;
    for (uint32_t i = 1; i < atomic_load(&magazine_count) && magazines != NULL; i++) {
        magazines[i].sizes = HSN_MAP_LARGE; /* first: less than all are no error */
        magazines[i].least = 0;
    }
}

/* The forking thread has it already. */
static void lock(bool holds_none)
{
    if (!holds_pool) hsn_lock_take(&pool, holds_none);
}

static void unlock(void)
{
    if (!holds_pool) hsn_lock_give(&pool);
}

/* Bytes of windows that are in memory. */
static size_t measure_windows(uint32_t chunks)
{
    static unsigned char resident[CHUNK_PAGES];
    size_t pages = 0;
    for (uint32_t chunk = 0; chunk < chunks; chunk++) {
        if (mincore(windows + (size_t)chunk * CHUNK_BYTES, CHUNK_BYTES, resident) != 0) continue;
        for (size_t i = 0; i < CHUNK_PAGES; i++)
            pages += resident[i] & 1;
    }
    return pages * PAGE;
}

/* Have small blocks so far been so few between the large ones that windows for more of that heap would cost more than
 * the hash? */
static bool is_sparse(uint32_t chunks)
{
    static uint32_t sparse_at; /* nodes, when it was so last; 0 = never */
    if (sparse_at != 0 && fresh - sparse_at < LOOK_AGAIN) return true;
    const bool is_so = (size_t)chunks * CHUNK_BYTES > SPARE_WINDOWS &&
                       measure_windows(chunks) > SPARE_WINDOWS + (size_t)fresh * BLOCK_WINDOWS;
    sparse_at = is_so ? fresh : 0;
    return is_so;
}

/* Windows for the 64 MiB around an address. Under the lock. */
static void open_chunk(uintptr_t address)
{
    const uintptr_t root = address >> HSN_MAP_CHUNK_LOG;
    const uint32_t chunk = atomic_load_explicit(&chunk_count, memory_order_relaxed);
    unsigned char *at = windows + (size_t)chunk * CHUNK_BYTES;
    if (atomic_load_explicit(&roots[root], memory_order_relaxed) != 0 || chunk == chunk_limit || is_sparse(chunk))
        return;
    if (mprotect(at, CHUNK_BYTES, PROT_READ | PROT_WRITE) != 0) return;
    if (chunk > 0 && fresh / chunk >= DENSE) madvise(at, CHUNK_BYTES, MADV_HUGEPAGE);
    chunk_roots[chunk] = (uint32_t)root;
    atomic_store_explicit(&roots[root], (uintptr_t)at - root * CHUNK_BYTES, memory_order_release);
    atomic_store_explicit(&chunk_count, chunk + 1, memory_order_release);
}

/* Are the next `count` fresh nodes there? Under the lock. */
static bool have_fresh(uint32_t count)
{
    if (usable - fresh >= count && usable >= fresh) return true;
    const size_t more = node_limit - usable < NODES_AT_ONCE ? node_limit - usable : NODES_AT_ONCE;
    if (fresh + (size_t)count > usable + more) return false;
    if (mprotect(nodes + usable, more * sizeof *nodes, PROT_READ | PROT_WRITE) != 0) return false;
    usable += (uint32_t)more;
    return true;
}

static uint32_t pop(void)
{
    const uint32_t node = pool_first;
    if (node == 0) return have_fresh(1) ? fresh++ * 2 : 0;
    pool_first = hsn_map_node_at(nodes, node)->stack_and_size;
    return node;
}

static void push_map(uint32_t node)
{
    hsn_map_node_at(nodes, node)->stack_and_size = pool_first;
    pool_first = node;
}

/* ---- magazines ---- */

hsn_magazine *hsn_map_magazine(uint32_t number)
{
    if (number == 0 || number >= MAGAZINES || magazines == NULL || !is_ordered) return NULL;
    hsn_magazine *m = &magazines[number];
    atomic_store(&m->inside, 0); /* the thread before may have ended there, in a handler */
    m->roots = roots;
    m->all_nodes = nodes;
    m->least = least;
    m->sizes = HSN_MAP_LARGE - least;
    m->sequence = m->sequence_end = 0;
    return m;
}

uint32_t hsn_map_new_magazine(void)
{
    uint32_t count = atomic_load(&magazine_count);
    while (magazines != NULL && count < MAGAZINES)
        if (atomic_compare_exchange_weak(&magazine_count, &count, count + 1)) return count;
    return 0;
}

static void fill_map(hsn_magazine *m)
{
    m->count = 0;
    for (uint32_t node; m->count < BATCH && (node = pop()) != 0;)
        m->nodes[++m->count] = node;
}

/* The lower half of it: those that were freed first. */
static void empty(hsn_magazine *m)
{
    for (uint32_t i = 1; i <= BATCH; i++)
        push_map(m->nodes[i]);
    m->count -= BATCH;
    for (uint32_t i = 1; i <= m->count; i++)
        m->nodes[i] = m->nodes[i + BATCH];
}

void hsn_map_tend(hsn_magazine *m)
{
    const bool is_empty = m->nodes[m->count] == 0;
    if (!is_empty && m->count < HSN_MAGAZINE) return;
    lock(true);
    if (is_empty)
        fill_map(m);
    else
        empty(m);
    unlock();
}

/* ---- the slow way ---- */

bool hsn_map_takes(uintptr_t address, size_t size)
{
    return hsn_map_is_possible(address) && size - least < HSN_MAP_LARGE - least;
}

static void read_node(uint32_t node, uintptr_t address, hsn_block *out)
{
    const hsn_map_node *n = hsn_map_node_at(nodes, node);
    *out = (hsn_block){.address = address,
                       .size = n->stack_and_size % HSN_MAP_LARGE,
                       .sequence = n->sequence,
                       .stack = n->stack_and_size >> HSN_MAP_SIZE_LOG};
}

/* NULL: there are no windows there. */
static _Atomic uint32_t *window_of(uintptr_t address)
{
    if (roots == NULL || !hsn_map_is_possible(address)) return NULL;
    const uintptr_t root = hsn_map_root(roots, address);
    return root == 0 ? NULL : hsn_map_window(root, address);
}

/* A window for this address, and a node if the window has none; 0 = there is no room for both. */
static uint32_t make_room_for_map(uintptr_t address)
{
    lock(false);
    open_chunk(address);
    const uint32_t node = window_of(address) != NULL ? pop() : 0;
    unlock();
    return node;
}

hsn_map_added hsn_map_add(const hsn_block *block)
{
    _Atomic uint32_t *window = window_of(block->address);
    uint32_t node = window == NULL ? 0 : atomic_load_explicit(window, memory_order_relaxed) & ~UINT32_C(1);
    const bool is_new = node == 0;
    if (is_new) node = make_room_for_map(block->address);
    if (node == 0) return HSN_MAP_FULL;
    hsn_map_write(hsn_map_node_at(nodes, node), block);
    atomic_store_explicit(window_of(block->address), node | hsn_map_half(block->address), memory_order_release);
    return is_new ? HSN_MAP_NEW : HSN_MAP_REPLACED;
}

bool hsn_map_find(uintptr_t address, hsn_block *out)
{
    _Atomic uint32_t *window = window_of(address);
    const uint32_t entry = window == NULL ? 0 : atomic_load_explicit(window, memory_order_relaxed);
    if (!hsn_map_is_it(entry, address)) return false;
    read_node(entry & ~UINT32_C(1), address, out);
    return true;
}

void hsn_map_prefetch(uintptr_t address)
{
    _Atomic uint32_t *window = window_of(address);
    if (window == NULL) return;
    const uint32_t entry = atomic_load_explicit(window, memory_order_relaxed);
    __builtin_prefetch(hsn_map_node_at(nodes, entry & ~UINT32_C(1)));
}

bool hsn_map_remove(uintptr_t address, hsn_block *out)
{
    if (!hsn_map_find(address, out)) return false;
    const uint32_t entry = atomic_exchange_explicit(window_of(address), 0, memory_order_relaxed);
    lock(false);
    push_map(entry & ~UINT32_C(1));
    unlock();
    return true;
}

/* ---- forks ---- */

static void wait_until_outside(const hsn_magazine *m)
{
    for (unsigned tries = 0; hsn_map_is_inside(m) && tries < LONG_WAIT; tries++)
        hsn_wait_a_little(tries, false);
}

void hsn_map_hold(const hsn_magazine *mine)
{
    const uint32_t count = atomic_load(&magazine_count);
    hsn_lock_take(&pool, false);
    holds_pool = true;
    atomic_fetch_or(&hsn_map_heed, HSN_HEED_FORK);
    if (is_ordered) ask_order(ORDER);
    for (uint32_t i = 1; i < count; i++)
        if (&magazines[i] != mine) wait_until_outside(&magazines[i]);
}

void hsn_map_let_go(void)
{
    atomic_fetch_and(&hsn_map_heed, ~(uint32_t)HSN_HEED_FORK);
    holds_pool = false;
    hsn_lock_give(&pool);
}

unsigned hsn_map_adopt(void)
{
    unsigned inside = 0;
    for (uint32_t i = 1; i < atomic_load(&magazine_count); i++)
        inside += hsn_map_is_inside(&magazines[i]);
    hsn_map_let_go();
    return inside;
}

hsn_magazine *hsn_map_adopt_magazine(hsn_magazine *mine)
{
    const bool is_whole = mine != NULL && !hsn_map_is_inside(mine);
    const hsn_magazine kept = is_whole ? *mine : (hsn_magazine){0};
    if (magazines != NULL) madvise(magazines, atomic_load(&magazine_count) * sizeof *magazines, MADV_DONTNEED);
    atomic_store(&magazine_count, is_whole ? 2 : 1);
    is_ordered = is_ordered && ask_order(ORDER_REGISTER);
    if (!is_whole) return NULL;
    magazines[1] = kept;
    return &magazines[1];
}

static void unmap(unsigned char *low, const unsigned char *high)
{
    unsigned char *from = (unsigned char *)(((uintptr_t)low + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
    if (from < high) munmap(from, (size_t)(high - from));
}

void hsn_map_drop_unused(void)
{
    if (roots == NULL) return;
    const uint32_t chunks = atomic_load(&chunk_count);
    unmap((unsigned char *)(nodes + usable), windows);
    unmap(windows + (size_t)chunks * CHUNK_BYTES, windows + (size_t)chunk_limit * CHUNK_BYTES);
    node_limit = usable;
    chunk_limit = chunks;
}

/* ---- reading ---- */

/* Which pages of a chunk were ever touched: a heap may have few blocks in 64 MiB, and looking would touch all. */
static uint64_t page_words[CHUNK_PAGES];
static uint32_t page_chunk = UINT32_MAX;

static void look_at_pages(uint32_t chunk)
{
    const uintptr_t at = (uintptr_t)windows + (size_t)chunk * CHUNK_BYTES;
    const int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    const ssize_t size =
        fd < 0 ? -1 : pread(fd, page_words, sizeof page_words, (off_t)(at / PAGE * sizeof *page_words));
    if (fd >= 0) close(fd);
    for (size_t i = 0; i < CHUNK_PAGES && size != (ssize_t)sizeof page_words; i++)
        page_words[i] = UINT64_MAX; /* not to be known: all are looked at */
    page_chunk = chunk;
}

/* Present, or swapped out. */
static bool is_touched(uint32_t chunk, size_t page)
{
    if (page_chunk != chunk) look_at_pages(chunk);
    return page_words[page] >> 62 != 0;
}

/* The next window from *cursor on in which a block begins, over all chunks; *cursor goes behind it. */
static uint32_t next_entry(uint64_t *cursor, uintptr_t *address)
{
    const uint64_t end = (uint64_t)atomic_load_explicit(&chunk_count, memory_order_acquire) * CHUNK_WINDOWS;
    const uint32_t *all = (const uint32_t *)(const void *)windows;
    if (*cursor == 0) page_chunk = UINT32_MAX;
    while (*cursor < end) {
        const uint32_t chunk = (uint32_t)(*cursor / CHUNK_WINDOWS);
        const uint64_t page_end = (*cursor / PAGE_WINDOWS + 1) * PAGE_WINDOWS;
        if (!is_touched(chunk, *cursor % CHUNK_WINDOWS / PAGE_WINDOWS)) *cursor = page_end;
        for (; *cursor < page_end; ++*cursor) {
            const uint32_t entry = all[*cursor];
            if (entry == 0) continue;
            const uintptr_t window = (uintptr_t)chunk_roots[chunk] * CHUNK_WINDOWS + *cursor % CHUNK_WINDOWS;
            *address = window << HSN_MAP_WINDOW_LOG | (uintptr_t)(entry & 1) << HSN_MAP_HALF_LOG;
            ++*cursor;
            return entry;
        }
    }
    return 0;
}

bool hsn_map_next(uint64_t *cursor, hsn_block *out)
{
    uintptr_t address;
    const uint32_t entry = next_entry(cursor, &address);
    if (entry != 0) read_node(entry & ~UINT32_C(1), address, out);
    return entry != 0;
}

bool hsn_map_next_roughly(uint64_t *cursor, hsn_block *out)
{
    uintptr_t address;
    const bool is_there = next_entry(cursor, &address) != 0;
    if (is_there) *out = (hsn_block){.address = address, .size = HSN_MAP_LARGE - 1};
    return is_there;
}

uint64_t hsn_map_count(void)
{
    uint64_t cursor = 0, count = 0;
    for (uintptr_t address; next_entry(&cursor, &address) != 0;)
        count++;
    return count;
}

uint64_t hsn_map_most(void) { return fresh; }

bool hsn_map_is_unused(void) { return atomic_load(&chunk_count) == 0; }

/*
 * The malloc family, in front of the program's own: recorded after the block is there, forgotten before it is given
 * back.
 *
 *      malloc ──► next malloc ──► {address, size, sequence, stack} ──► table      (quick.c, where the ordinary ones end, too)
 *      free   ──► table         ──► next free                                     (quick.c)
 *      realloc ─► out of the table, into this thread's row ──► next realloc ──► back into the table, the same block
 *
 * Everything of the agent's own happens inside hsn_enter, or inside of a magazine (map.h); the allocator behind runs
 * outside, since it may wait for a thread that stands still. A handler of the program that allocates while its thread
 * is inside is served and not recorded; what it frees there unseen is put right when the address is given out again.
 */
#include "native/hooks.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "native/gone.h"
#include "native/local.h"
#include "native/mmaps.h"
#include "native/settings.h"
#include "native/start.h"
#include "native/table.h"
#include "native/threads.h"
#include "native/trails.h"
#include "native/unwind.h"

#define HOOK __attribute__((visibility("default")))
/* Of the hook itself, which keeps a frame pointer: the caller's is stored there, the return address above. */
#define FRAME ((uintptr_t)__builtin_frame_address(0))

enum { NUMBERS_AT_ONCE = 64 };

static void *first_malloc(size_t size);

hsn_allocator hsn_real = {.malloc = first_malloc}; /* so that malloc need not ask */

_Atomic int hsn_state;
static _Atomic uint64_t next_number = 1;
static _Atomic unsigned long foreign;

/* ---- before the real allocator is known: dlsym itself may ask for memory ---- */

_Alignas(16) unsigned char hsn_early[HSN_EARLY_BYTES];
static size_t early_used;
/* dlsym of glibc before 2.34 asks for memory, and its declaration says that it calls nothing here (leaf): a plain
 * variable would not be written before it. */
static volatile bool is_resolving;

static __attribute__((noinline)) void *take_early(size_t size)
{
    if (size > HSN_EARLY_BYTES - early_used) return NULL;
    void *block = hsn_early + early_used;
    early_used += (size + 15) & ~(size_t)15;
    hsn_table_suspect((uintptr_t)block); /* free is to look at it */
    return block;
}

static void *next_native_hook(const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    return symbol;
}

/* Of two libraries they would not know each other's blocks. */
static bool are_of_one_library(const void *one, const void *other)
{
    Dl_info a, b;
    return one != NULL && other != NULL && dladdr(one, &a) != 0 && dladdr(other, &b) != 0 && a.dli_fbase == b.dli_fbase;
}

static __attribute__((noinline)) void resolve(void)
{
    static const struct {
        const char *name;
        size_t at;
    } names[] = {{"malloc", offsetof(hsn_allocator, malloc)},
                 {"calloc", offsetof(hsn_allocator, calloc)},
                 {"realloc", offsetof(hsn_allocator, realloc)},
                 {"posix_memalign", offsetof(hsn_allocator, posix_memalign)},
                 {"aligned_alloc", offsetof(hsn_allocator, aligned_alloc)},
                 {"memalign", offsetof(hsn_allocator, memalign)},
                 {"valloc", offsetof(hsn_allocator, valloc)},
                 {"pvalloc", offsetof(hsn_allocator, pvalloc)},
                 {"mmap", offsetof(hsn_allocator, mmap)},
                 {"mremap", offsetof(hsn_allocator, mremap)},
                 {"free", offsetof(hsn_allocator, free)}};
    is_resolving = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *symbol = next_native_hook(names[i].name);
        memcpy((char *)&hsn_real + names[i].at, &symbol, sizeof symbol);
    }
    void *block_giver, *usable = next_native_hook("malloc_usable_size");
    memcpy(&block_giver, &hsn_real.malloc, sizeof block_giver);
    if (are_of_one_library(usable, block_giver)) memcpy(&hsn_real.usable, &usable, sizeof usable);
    is_resolving = false;
}

bool hsn_find_real(void)
{
    if (is_resolving) return false;
    resolve();
    return true;
}

static void *first_malloc(size_t size) { return hsn_find_real() ? hsn_real.malloc(size) : take_early(size); }

/* ---- on and off ---- */

bool hsn_is_on(void) { return atomic_load_explicit(&hsn_state, memory_order_relaxed) == HSN_ON; }

__attribute__((noinline)) bool hsn_begin(void)
{
    int was = HSN_FRESH;
    if (environ == NULL || !hsn_is_ready() || !atomic_compare_exchange_strong(&hsn_state, &was, HSN_OPENING))
        return hsn_is_on();
    const int error = errno;
    atomic_store(&hsn_state, hsn_open_all() ? HSN_ON : HSN_FAILED);
    errno = error;
    return hsn_is_on();
}

void hsn_end(void)
{
    atomic_store(&hsn_state, HSN_OFF);
    hsn_table_end();
}

unsigned long hsn_foreign(void) { return atomic_load(&foreign); }

/* ---- recording ---- */

/* From 1, drawn by the hundred: threads do not share a cache line for each allocation. Inside hsn_enter. */
static void draw_numbers(uint64_t *next, uint64_t *end)
{
    if (*next != *end) return;
    *next = atomic_fetch_add_explicit(&next_number, NUMBERS_AT_ONCE, memory_order_relaxed);
    *end = *next + NUMBERS_AT_ONCE;
}

static uint64_t draw_number(void)
{
    hsn_magazine *m = hsn_me.magazine;
    uint64_t *next = m != NULL ? &m->sequence : &hsn_me.sequence;
    draw_numbers(next, m != NULL ? &m->sequence_end : &hsn_me.sequence_end);
    return (*next)++;
}

/* Once for each draw. Outside of everything. */
static void listen_if_due(uintptr_t sp)
{
    if (hsn_listen_is_due(((const uintptr_t *)sp)[-1])) hsn_listen_if_due();
}

void hsn_renew(uintptr_t sp)
{
    hsn_enter();
    if (hsn_me.magazine != NULL) draw_numbers(&hsn_me.magazine->sequence, &hsn_me.magazine->sequence_end);
    hsn_leave();
    listen_if_due(sp);
}

static uint32_t stack_at(uintptr_t sp, uintptr_t bp)
{
    const hsn_place place = hsn_place_of(sp, bp);
    return hsn_set.stacks == HSN_UNWIND_NONE
               ? 0
               : hsn_trails_stack(hsn_thread_trails(), hsn_set.stacks, hsn_set.depth, &place);
}

/* What the quick way was out of, it has again behind this. Inside hsn_enter. */
static void settle_native_hook(void)
{
    if (hsn_me.magazine == NULL) hsn_thread_settle();
    if (hsn_me.magazine != NULL) hsn_map_tend(hsn_me.magazine);
}

static void record(void *block, size_t size, uintptr_t sp, uintptr_t bp)
{
    hsn_enter();
    const hsn_block b = {
        .address = (uintptr_t)block, .size = size, .sequence = draw_number(), .stack = stack_at(sp, bp)};
    hsn_table_add(&b);
    settle_native_hook();
    hsn_leave();
    if (b.sequence % NUMBERS_AT_ONCE == 1) listen_if_due(sp);
}

/* Is this allocation one that the table takes? In the sampled mode few are. */
static inline bool is_taken(size_t size)
{
    if (hsn_set.sample_bytes == 0) return true;
    return !hsn_sample_passes(&hsn_me.sampler, size) && hsn_sample_draw(&hsn_me.sampler, size, hsn_set.sample_bytes);
}

/* A sample that falls into what a silent thread allocates is drawn, too: else it would fall on the first block behind.
 */
static bool is_recorded(size_t size)
{
    if (atomic_load_explicit(&hsn_state, memory_order_relaxed) != HSN_ON && !hsn_begin()) return false;
    return !hsn_is_inside() && is_taken(size) && hsn_me.silent == 0;
}

void *hsn_note_slowly(void *block, size_t size, uintptr_t sp, uintptr_t bp)
{
    if (block != NULL && is_recorded(size)) record(block, size, sp, bp);
    return block;
}

static inline void *note_native_hook(void *block, size_t size, uintptr_t frame)
{
    return hsn_sample_passes(&hsn_me.sampler, size) ? block
                                                    : hsn_note(block, size, frame + 16, *(const uintptr_t *)frame);
}

static inline void *note_cleared(void *block, size_t size, uintptr_t frame)
{
    hsn_clear(block, 0, size);
    return note_native_hook(block, size, frame);
}

/* May the block be in the table, and may the table be used here? */
static bool may_forget(const void *block)
{
    if (atomic_load_explicit(&hsn_state, memory_order_relaxed) < HSN_ON) return false;
    if (hsn_set.sample_bytes != 0) return !hsn_is_inside() && hsn_table_may_have((uintptr_t)block);
    if (hsn_is_inside()) hsn_table_doubt();
    return !hsn_is_inside();
}

/* Takes a block out of the table. Inside hsn_enter. */
static inline bool take_out(const void *block, hsn_block *was)
{
    const bool was_there = hsn_table_remove((uintptr_t)block, was);
    if (__builtin_expect(!was_there, 0) && hsn_me.silent == 0 && hsn_set.sample_bytes == 0)
        atomic_fetch_add_explicit(&foreign, 1, memory_order_relaxed);
    return was_there;
}

static void forget_native_hook(const void *block)
{
    hsn_block was;
    hsn_enter();
    take_out(block, &was);
    settle_native_hook();
    hsn_leave();
}

void hsn_forget(const void *block)
{
    if (block != NULL && !hsn_is_early(block) && may_forget(block)) forget_native_hook(block);
}

void hsn_free_slowly(void *block)
{
    if (block == NULL || hsn_is_early(block) || !hsn_is_ready()) return;
    if (may_forget(block)) forget_native_hook(block);
    hsn_real.free(block);
}

/* ---- the family: malloc and free begin in quick.c ---- */

HOOK void *calloc(size_t count, size_t size)
{
    size_t bytes = 0;
    const bool fits = !__builtin_mul_overflow(count, size, &bytes);
    if (!hsn_is_ready()) return fits ? take_early(bytes) : NULL;
    return note_native_hook(hsn_real.calloc(count, size), bytes, FRAME);
}

HOOK int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (!hsn_is_ready()) return ENOMEM;
    const int error = hsn_real.posix_memalign(out, alignment, size);
    if (error == 0) note_cleared(*out, size, FRAME);
    return error;
}

HOOK void *aligned_alloc(size_t alignment, size_t size)
{
    return hsn_is_ready() ? note_cleared(hsn_real.aligned_alloc(alignment, size), size, FRAME) : NULL;
}

HOOK void *memalign(size_t alignment, size_t size)
{
    return hsn_is_ready() ? note_cleared(hsn_real.memalign(alignment, size), size, FRAME) : NULL;
}

HOOK void *valloc(size_t size) { return hsn_is_ready() ? note_native_hook(hsn_real.valloc(size), size, FRAME) : NULL; }
HOOK void *pvalloc(size_t size)
{
    return hsn_is_ready() ? note_native_hook(hsn_real.pvalloc(size), size, FRAME) : NULL;
}

/* ---- realloc ---- */

/* Out of the table and into the row of this thread: inside the allocator the block may belong to nobody, and somebody
 * else may get it. */
static bool lift(void *block, hsn_block *was)
{
    if (!may_forget(block)) return false;
    hsn_enter();
    const bool was_there = take_out(block, was);
    hsn_entry *row = was_there ? hsn_thread_entry() : NULL;
    if (row != NULL) row->moving = *was;
    hsn_leave();
    return was_there;
}

/* Back into the table: where it is now, under the number and the stack that it always had. */
static void put_down(void *block, size_t size, const hsn_block *was)
{
    hsn_block b = *was;
    b.address = (uintptr_t)block;
    b.size = size;
    hsn_enter();
    if (hsn_me.entry != NULL) hsn_me.entry->moving = b;
    if (block != NULL) hsn_table_add(&b);
    if (hsn_me.entry != NULL) hsn_me.entry->moving.address = 0;
    hsn_leave();
}

/* How many of the bytes of a block that is to be so large may have been written: all that it has, be it more than was
 * asked for. */
static size_t written_of(void *block, size_t was, size_t size)
{
    if (size <= was || size > hsn_set.clear_bytes || hsn_real.usable == NULL) return size;
    return hsn_real.usable(block);
}

static void *move_block(void *block, size_t size, uintptr_t frame)
{
    hsn_block was;
    if (block == NULL) return note_cleared(hsn_real.realloc(NULL, size), size, frame);
    if (!lift(block, &was)) return note_native_hook(hsn_real.realloc(block, size), size, frame);
    const size_t written = written_of(block, was.size, size);
    void *moved = hsn_real.realloc(block, size);
    hsn_clear(moved, written, size);
    if (moved == NULL) {
        put_down(size == 0 ? NULL : block, was.size, &was); /* a size of 0 has freed it; else it is as it was */
    } else {
        put_down(hsn_me.silent != 0 || is_taken(size) ? moved : NULL, size, &was);
    }
    return moved;
}

/* A block of the early days moves into the real heap. Its size is not known, but the end of where it lies is. */
static void *move_early(void *block, size_t size, uintptr_t frame)
{
    void *moved = note_native_hook(hsn_real.malloc(size), size, frame);
    const size_t behind = (size_t)(hsn_early + HSN_EARLY_BYTES - (unsigned char *)block);
    if (moved != NULL) memcpy(moved, block, size < behind ? size : behind);
    return moved;
}

HOOK void *realloc(void *block, size_t size)
{
    if (!hsn_is_ready()) return take_early(size);
    return hsn_is_early(block) ? move_early(block, size, FRAME) : move_block(block, size, FRAME);
}

HOOK void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (!hsn_is_ready() || __builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return hsn_is_early(block) ? move_early(block, bytes, FRAME) : move_block(block, bytes, FRAME);
}

/* ---- memory that is mapped ---- */

/* Private memory without a file. What the agent and libc map for themselves does not come here. */
static void note_mapped(void *at, size_t size, int flags, uintptr_t frame)
{
    enum { WANTED = MAP_PRIVATE | MAP_ANONYMOUS };
    if (at == MAP_FAILED || (flags & WANTED) != WANTED || hsn_is_inside() || hsn_me.silent != 0) return;
    if (!hsn_is_on() && (!hsn_is_ready() || !hsn_begin())) return;
    const int error = errno;
    hsn_enter();
    hsn_mmaps_note((uintptr_t)at, (uintptr_t)at + size, stack_at(frame + 16, *(const uintptr_t *)frame));
    hsn_leave();
    errno = error;
}

/* Before the first allocation the next one is not known yet. */
static void *map_next(void *where, size_t size, int protection, int flags, int fd, off_t offset)
{
    if (hsn_real.mmap != NULL) return hsn_real.mmap(where, size, protection, flags, fd, offset);
    return (void *)syscall(SYS_mmap, where, size, protection, flags, fd, offset);
}

/* Of both names that it has, whichever the header would make of one. */
HOOK void *hsn_mmap(void *, size_t, int, int, int, off_t) __asm__("mmap");
HOOK void *hsn_mmap64(void *, size_t, int, int, int, off_t) __asm__("mmap64");

void *hsn_mmap(void *where, size_t size, int protection, int flags, int fd, off_t offset)
{
    void *at = map_next(where, size, protection, flags, fd, offset);
    note_mapped(at, size, flags, FRAME);
    return at;
}

void *hsn_mmap64(void *where, size_t size, int protection, int flags, int fd, off_t offset)
{
    void *at = map_next(where, size, protection, flags, fd, offset);
    note_mapped(at, size, flags, FRAME);
    return at;
}

/* A piece that has grown, or lies elsewhere, is of who wanted that. Of a file it is noted in vain: a capture asks of
 * memory without one. */
HOOK void *hsn_mremap(void *, size_t, size_t, int, ...) __asm__("mremap");

void *hsn_mremap(void *was, size_t old_size, size_t size, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    void *where = (flags & MREMAP_FIXED) != 0 ? va_arg(more, void *) : NULL;
    va_end(more);
    void *at = hsn_real.mremap != NULL ? hsn_real.mremap(was, old_size, size, flags, where)
                                       : (void *)syscall(SYS_mremap, was, old_size, size, flags, where);
    if (size > old_size || at != was) note_mapped(at, size, MAP_PRIVATE | MAP_ANONYMOUS, FRAME);
    return at;
}

/* ---- code that goes away ---- */

HOOK int dlclose(void *handle)
{
    static int (*real)(void *);
    if (real == NULL) {
        void *symbol = next_native_hook("dlclose");
        memcpy(&real, &symbol, sizeof symbol);
    }
    hsn_present *before = hsn_is_on() ? hsn_gone_look() : NULL;
    const int error = real(handle);
    hsn_gone_note(before);
    hsn_unwind_forget();
    return error;
}

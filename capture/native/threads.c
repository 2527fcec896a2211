/* The list of threads (threads.h): rows by tid, taken by compare-and-swap, taken over from threads that are gone. */
#include "native/threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "native/hooks.h"
#include "native/reserve.h"
#include "native/settings.h"
#include "native/start.h"
#include "native/trails.h"

extern void *__libc_stack_end; /* of ld.so: where the stack of the main thread began */

enum { ROWS = 1 << 14, LEAST_TRAILS = 64, TRIES = 64, PARTS = 16 /* of a limited address space */, FOREIGN_PAGES = 16 };
static const uintptr_t PAGE = 4096;

__thread hsn_local hsn_me __attribute__((tls_model("initial-exec"), visibility("hidden")));

static hsn_entry *rows;
static hsn_trails *trails;
static size_t trails_count;
static size_t tls_below, tls_above; /* of a thread's control block; 0,0 = not known */
static int main_tid;

bool hsn_threads_open(void)
{
    const size_t least = LEAST_TRAILS * sizeof *trails;
    size_t size = ROWS * sizeof *rows, trails_size = hsn_reserve_part(ROWS * sizeof *trails, PARTS);
    rows = hsn_reserve(&size, size);
    if (trails_size < least) trails_size = least;
    if (hsn_set.stacks != HSN_UNWIND_NONE) trails = hsn_reserve(&trails_size, least);
    trails_count = trails != NULL ? trails_size / sizeof *trails : 0;
    main_tid = (int)getpid();
    return rows != NULL;
}

/*
 * Asks ld.so once, as the sanitizers do: there is no public way. Variables lie below the control block on x86-64, and
 * behind it (16 bytes of it are ld.so's) on aarch64, where glibc's own part, with its thread-specific values, comes
 * before.
 */
static void measure_tls(void)
{
    size_t size = 0, align = 0;
    void (*ask)(size_t *, size_t *) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "_dl_get_tls_static_info");
    memcpy(&ask, &symbol, sizeof ask);
    if (ask != NULL) ask(&size, &align);
#if defined(__aarch64__)
    uint32_t own = 0; /* glibc says it for debuggers */
    const void *told = dlsym(RTLD_DEFAULT, "_thread_db_sizeof_pthread");
    if (told != NULL) memcpy(&own, told, sizeof own);
    tls_below = size != 0 ? own : 0;
    tls_above = own != 0 ? size : 0;
#else
    const size_t own = 2304;
    tls_below = size > own ? size - own : 0;
    tls_above = tls_below != 0 ? own : 0;
#endif
}

hsn_range hsn_thread_tls_of(uintptr_t block)
{
    const bool is_known = tls_below != 0 && block > tls_below;
    return is_known ? (hsn_range){(block - tls_below) & ~(uintptr_t)7, block + tls_above} : (hsn_range){0, 0};
}

hsn_range hsn_thread_tls(void) { return hsn_thread_tls_of((uintptr_t)__builtin_thread_pointer()); }

typedef struct part_list {
    hsn_tls_part *parts;
    size_t count, most;
    hsn_range own; /* of the thread that asks */
} part_list;

static int add_part(struct dl_phdr_info *module, size_t size, void *context)
{
    part_list *list = context;
    const uintptr_t data = (uintptr_t)module->dlpi_tls_data;
    if (size < offsetof(struct dl_phdr_info, dlpi_tls_data) + sizeof module->dlpi_tls_data || list->count == list->most)
        return 1;
    /* none, or made when first asked for: a block like others */
    if (data < list->own.low || data >= list->own.high) return 0;
    for (size_t i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &module->dlpi_phdr[i];
        if (header->p_type != PT_TLS || header->p_memsz > list->own.high - data) continue;
        list->parts[list->count++] =
            (hsn_tls_part){module->dlpi_addr + header->p_vaddr, list->own.high - data, header->p_memsz};
        break;
    }
    return 0;
}

size_t hsn_thread_tls_parts(hsn_tls_part *parts, size_t most)
{
    part_list list = {.parts = parts, .most = most, .own = hsn_thread_tls()};
    if (list.own.high != 0) dl_iterate_phdr(add_part, &list);
    return list.count;
}

/* ---- rows ---- */

static bool is_gone(int tid) { return syscall(SYS_tgkill, getpid(), tid, 0) != 0 && errno == ESRCH; }

/* Of a place that is this thread's from before, nobody's, or a dead thread's: it is this thread's now. */
static bool may_have(_Atomic int *owner, int tid)
{
    int there = *owner;
    return there == tid || ((there == 0 || is_gone(there)) && atomic_compare_exchange_strong(owner, &there, tid));
}

static hsn_entry *claim_threads(int tid)
{
    for (size_t i = 0; i < TRIES; i++) {
        hsn_entry *row = &rows[((size_t)tid + i) % ROWS];
        if (may_have(&row->tid, tid)) return row;
    }
    return NULL;
}

hsn_entry *hsn_thread_entry(void)
{
    if (hsn_me.entry == NULL && rows != NULL) {
        const int error = errno;
        hsn_me.entry = claim_threads((int)syscall(SYS_gettid));
        if (hsn_me.entry != NULL) {
            hsn_me.entry->stack = (hsn_range){0, 0};
            hsn_me.entry->moving = (hsn_block){0};
            hsn_me.entry->tls = (hsn_range){0, 0};
        }
        errno = error;
    }
    return hsn_me.entry;
}

static hsn_trails *claim_trails(int tid)
{
    for (size_t i = 0; i < TRIES && i < trails_count; i++) {
        hsn_trails *own = &trails[((size_t)tid + i) % trails_count];
        if (may_have(&own->owner, tid)) return own;
    }
    return NULL;
}

hsn_trails *hsn_thread_trails(void)
{
    if (__builtin_expect(hsn_me.trails == NULL, 0) && !hsn_me.has_no_trails) {
        const int error = errno;
        hsn_me.trails = claim_trails((int)syscall(SYS_gettid));
        hsn_me.has_no_trails = hsn_me.trails == NULL;
        errno = error;
    }
    return hsn_me.trails;
}

void hsn_thread_settle(void)
{
    hsn_entry *row = hsn_thread_entry();
    if (hsn_me.magazine != NULL || row == NULL || hsn_set.sample_bytes != 0) return;
    if (hsn_set.stacks != HSN_UNWIND_NONE && hsn_thread_trails() == NULL) return;
    if (row->magazine == 0) row->magazine = hsn_map_new_magazine();
    hsn_magazine *magazine = hsn_map_magazine(row->magazine);
    if (magazine != NULL) magazine->trails = hsn_me.trails;
    hsn_me.magazine = magazine;
}

const hsn_entry *hsn_thread_find(int tid)
{
    for (size_t i = 0; i < TRIES && rows != NULL; i++) {
        const hsn_entry *row = &rows[((size_t)tid + i) % ROWS];
        if (row->tid == tid) return row;
    }
    return NULL;
}

const hsn_entry *hsn_thread_next(size_t *cursor)
{
    while (rows != NULL && *cursor < ROWS) {
        const hsn_entry *row = &rows[(*cursor)++];
        if (row->tid != 0) return row;
    }
    return NULL;
}

void hsn_threads_adopt(void)
{
    if (rows == NULL) return;
    const hsn_entry mine = hsn_me.entry != NULL ? *hsn_me.entry : (hsn_entry){0};
    madvise(rows, ROWS * sizeof *rows, MADV_DONTNEED);
    hsn_me.entry = NULL;
    hsn_me.trails = NULL;
    hsn_me.has_no_trails = false;
    hsn_me.quick = NULL;
    hsn_entry *row = hsn_thread_entry();
    if (row == NULL) {
        hsn_me.magazine = hsn_map_adopt_magazine(NULL);
        return;
    }
    row->stack = mine.stack;
    row->tls = mine.tls;
    row->moving = mine.moving;
    hsn_me.magazine = hsn_map_adopt_magazine(hsn_me.magazine);
    if (hsn_me.magazine != NULL && hsn_me.magazine->trails != NULL) hsn_me.magazine->trails = hsn_thread_trails();
    row->magazine = hsn_me.magazine != NULL;
}

void hsn_threads_drop_trails(void)
{
    if (trails != NULL) munmap(trails, trails_count * sizeof *trails);
    trails = NULL;
    trails_count = 0;
    hsn_me.trails = NULL;
}

/* ---- stacks ---- */

/* A stack that is not the thread's own, a coroutine's or a handler's: the page, and the next ones if all are mapped. */
static uintptr_t foreign_high(uintptr_t sp)
{
    unsigned char resident[FOREIGN_PAGES];
    const uintptr_t next = (sp | (PAGE - 1)) + 1;
    const int error = errno;
    const bool is_mapped = mincore((void *)next, FOREIGN_PAGES * PAGE, resident) == 0;
    errno = error;
    return is_mapped ? next + FOREIGN_PAGES * PAGE : next;
}

/* The control block of a thread that glibc made lies at the top of its stack; the main thread's lies elsewhere. */
static uintptr_t own_high(uintptr_t sp)
{
    const uintptr_t begun = (uintptr_t)__libc_stack_end, block = (uintptr_t)__builtin_thread_pointer();
    const bool is_main = (int)syscall(SYS_gettid) == main_tid;
    const uintptr_t high = is_main ? begun : block;
    return sp < high && high - sp < HSN_MAX_STACK ? high : 0;
}

uintptr_t hsn_stack_high_slowly(uintptr_t sp)
{
    if (hsn_me.stack_high == 0) hsn_me.stack_high = own_high(sp);
    return hsn_is_on_own_stack(sp) ? hsn_me.stack_high : foreign_high(sp);
}

static void describe_self(void)
{
    hsn_entry *row = hsn_thread_entry();
    pthread_attr_t attributes;
    void *low = NULL;
    size_t size = 0;
    if (row == NULL) return;
    row->tls = hsn_thread_tls();
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    row->stack = (hsn_range){(uintptr_t)low, (uintptr_t)low + size};
}

void hsn_threads_describe_main(uintptr_t high)
{
    hsn_entry *row = hsn_thread_entry();
    measure_tls();
    if (row == NULL) return;
    row->tls = hsn_thread_tls();
    row->stack = (hsn_range){0, high};
}

/* ---- pthread_create ---- */

typedef struct beginning {
    void *(*routine)(void *);
    void *argument;
} beginning;

static void *begin_native_thread(void *context)
{
    const beginning b = *(beginning *)context;
    hsn_silence();
    hsn_real.free(context);
    describe_self();
    hsn_speak();
    return b.routine(b.argument);
}

static int (*real_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                                          void *(*routine)(void *), void *argument)
{
    if (real_create == NULL) {
        void *symbol = dlsym(RTLD_NEXT, "pthread_create");
        memcpy(&real_create, &symbol, sizeof symbol);
    }
    if (!hsn_is_on()) return real_create(thread, attributes, routine, argument);
    hsn_listen_if_due();
    beginning *b = hsn_real.malloc(sizeof *b);
    if (b == NULL) return EAGAIN;
    *b = (beginning){routine, argument};
    const int error = real_create(thread, attributes, begin_native_thread, b);
    if (error != 0) hsn_real.free(b);
    return error;
}

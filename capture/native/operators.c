/*
 * operator new and delete of C++, in front of the program's own. Those of libstdc++ and of LLVM's library ask malloc,
 * and are seen there: to them a hook jumps on, and leaves nothing behind. Allocators (jemalloc, tcmalloc, mimalloc)
 * bring operators which go past malloc: their blocks are recorded here.
 *
 *      program ──► operator new ──jump──► libstdc++ ──► malloc ──► table          (hooks.c)
 *      program ──► operator new ──► that of the allocator, then the table
 *
 * An operator whose library has the malloc behind ours, too, is an allocator's. Where the program's library of C++ is
 * not among those that are searched, as of an extension that was loaded by itself, it is looked for by its name. This
 * file is built to jump on; what it records has a frame of its own (quick.c).
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "native/hooks.h"

#define HOOK   __attribute__((visibility("default")))
#define RARELY static __attribute__((noinline, cold))

/* ---- the operators behind ---- */

typedef enum operator_kind { UNKNOWN, ASKS_MALLOC, GOES_PAST_MALLOC } operator_kind;

typedef struct operator_behind {
    _Atomic(void *) function; /* NULL: not looked for, or there is none */
    _Atomic int kind;
} operator_behind;

static const void *library_of(void *symbol)
{
    Dl_info info;
    return symbol != NULL && dladdr(symbol, &info) != 0 ? info.dli_fbase : NULL;
}

/* By name, of what is loaded already. */
static void *find_in_libraries(const char *name)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"};
    void *found = NULL;
    for (size_t i = 0; found == NULL && i < sizeof libraries / sizeof *libraries; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library == NULL) continue;
        found = dlsym(library, name);
        dlclose(library);
    }
    return found;
}

/* The same whoever comes first. */
RARELY void find_operator(operator_behind *behind, const char *name)
{
    const int error = errno;
    void *allocator;
    if (!hsn_is_ready()) return;
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) found = find_in_libraries(name);
    memcpy(&allocator, &hsn_real.malloc, sizeof allocator);
    const void *library = library_of(found);
    const bool is_past = library != NULL && library == library_of(allocator);
    atomic_store(&behind->function, found);
    atomic_store_explicit(&behind->kind, is_past ? GOES_PAST_MALLOC : ASKS_MALLOC, memory_order_release);
    errno = error;
}

static inline operator_kind kind_of(operator_behind *behind, const char *name)
{
    int kind = atomic_load_explicit(&behind->kind, memory_order_acquire);
    if (__builtin_expect(kind == UNKNOWN, 0)) {
        find_operator(behind, name);
        kind = atomic_load_explicit(&behind->kind, memory_order_acquire);
    }
    return (operator_kind)kind;
}

/* ---- without one behind: an extension has its own inside, and lets it be replaced ---- */

RARELY void *new_by_malloc(size_t size, size_t alignment, bool may_fail)
{
    const size_t least = size > 0 ? size : 1;
    void *block = NULL;
    if (alignment == 0)
        block = malloc(least);
    else if (posix_memalign(&block, alignment, least) != 0)
        block = NULL;
    if (block == NULL && !may_fail) abort(); /* there is no library of C++ that could throw */
    return block;
}

/* ---- the hooks ---- */

/* NAME_recorded: `frame` is of itself, and it was jumped to: the caller's frame pointer is stored there, the return
 * address above. */
#define OPERATOR_NEW(symbol, alignment, may_fail, parameters, arguments)                                               \
    static operator_behind behind##symbol;                                                                             \
    static __attribute__((noinline)) void *recorded##symbol parameters                                                 \
    {                                                                                                                  \
        void *(*next)parameters;                                                                                       \
        void *function = atomic_load_explicit(&behind##symbol.function, memory_order_relaxed);                         \
        memcpy(&next, &function, sizeof next);                                                                         \
        void *block = next arguments;                                                                                  \
        const uintptr_t *frame = __builtin_frame_address(0);                                                           \
        if (hsn_sample_passes(&hsn_me.sampler, size)) return block;                                                    \
        block = hsn_note(block, size, (uintptr_t)(frame + 2), *frame);                                                 \
        __asm__ volatile("" ::: "memory"); /* it does not jump on: its frame is looked at */                           \
        return block;                                                                                                  \
    }                                                                                                                  \
    HOOK void *symbol parameters;                                                                                      \
    HOOK void *symbol parameters                                                                                       \
    {                                                                                                                  \
        if (kind_of(&behind##symbol, #symbol) == GOES_PAST_MALLOC) return recorded##symbol arguments;                  \
        void *(*next)parameters;                                                                                       \
        void *function = atomic_load_explicit(&behind##symbol.function, memory_order_relaxed);                         \
        if (function == NULL) return new_by_malloc(size, alignment, may_fail);                                         \
        memcpy(&next, &function, sizeof next);                                                                         \
        return next arguments;                                                                                         \
    }

/* An allocator's may end in free, which is not to look for the block again. */
#define OPERATOR_DELETE(symbol, parameters, arguments)                                                                 \
    static operator_behind behind##symbol;                                                                             \
    HOOK void symbol parameters;                                                                                       \
    HOOK void symbol parameters                                                                                        \
    {                                                                                                                  \
        const operator_kind kind = kind_of(&behind##symbol, #symbol);                                                  \
        void(*next) parameters;                                                                                        \
        void *function = atomic_load_explicit(&behind##symbol.function, memory_order_relaxed);                         \
        if (function == NULL) return free(block);                                                                      \
        memcpy(&next, &function, sizeof next);                                                                         \
        if (kind != GOES_PAST_MALLOC) return next arguments;                                                           \
        hsn_forget(block);                                                                                             \
        hsn_silence();                                                                                                 \
        next arguments;                                                                                                \
        hsn_speak();                                                                                                   \
    }

OPERATOR_NEW(_Znwm, 0, false, (size_t size), (size))
OPERATOR_NEW(_Znam, 0, false, (size_t size), (size))
OPERATOR_NEW(_ZnwmRKSt9nothrow_t, 0, true, (size_t size, const void *nothrow), (size, nothrow))
OPERATOR_NEW(_ZnamRKSt9nothrow_t, 0, true, (size_t size, const void *nothrow), (size, nothrow))
OPERATOR_NEW(_ZnwmSt11align_val_t, align, false, (size_t size, size_t align), (size, align))
OPERATOR_NEW(_ZnamSt11align_val_t, align, false, (size_t size, size_t align), (size, align))
OPERATOR_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, align, true, (size_t size, size_t align, const void *nothrow),
             (size, align, nothrow))
OPERATOR_NEW(_ZnamSt11align_val_tRKSt9nothrow_t, align, true, (size_t size, size_t align, const void *nothrow),
             (size, align, nothrow))

OPERATOR_DELETE(_ZdlPv, (void *block), (block))
OPERATOR_DELETE(_ZdaPv, (void *block), (block))
OPERATOR_DELETE(_ZdlPvm, (void *block, size_t size), (block, size))
OPERATOR_DELETE(_ZdaPvm, (void *block, size_t size), (block, size))
OPERATOR_DELETE(_ZdlPvRKSt9nothrow_t, (void *block, const void *nothrow), (block, nothrow))
OPERATOR_DELETE(_ZdaPvRKSt9nothrow_t, (void *block, const void *nothrow), (block, nothrow))
OPERATOR_DELETE(_ZdlPvSt11align_val_t, (void *block, size_t align), (block, align))
OPERATOR_DELETE(_ZdaPvSt11align_val_t, (void *block, size_t align), (block, align))
OPERATOR_DELETE(_ZdlPvmSt11align_val_t, (void *block, size_t size, size_t align), (block, size, align))
OPERATOR_DELETE(_ZdaPvmSt11align_val_t, (void *block, size_t size, size_t align), (block, size, align))
OPERATOR_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, (void *block, size_t align, const void *nothrow),
                (block, align, nothrow))
OPERATOR_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, (void *block, size_t align, const void *nothrow),
                (block, align, nothrow))

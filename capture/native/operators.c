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

typedef enum operator_kind { NOT_KNOWN_YET, NOWHERE, ASKS_MALLOC, GOES_PAST_MALLOC } operator_kind;

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

/* The same whoever comes first. *function is NULL where there is none. */
RARELY operator_kind find_operator(const char *name, void **function)
{
    const int error = errno;
    void *allocator;
    *function = NULL;
    if (!hsn_is_ready()) return NOT_KNOWN_YET;
    *function = dlsym(RTLD_NEXT, name);
    if (*function == NULL) *function = find_in_libraries(name);
    memcpy(&allocator, &hsn_real.malloc, sizeof allocator);
    const void *library = library_of(*function);
    errno = error;
    if (*function == NULL) return NOWHERE;
    return library != NULL && library == library_of(allocator) ? GOES_PAST_MALLOC : ASKS_MALLOC;
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

/*
 * A hook jumps to where the operator is served, which is found out in the first call:
 *
 *      symbol ──► firstsymbol ──► behind      it asks malloc
 *                             ──► recorded    it goes past malloc
 *                             ──► alone       there is none
 *
 * `frame` of recorded is of itself, and it was jumped to: the caller's frame pointer is stored there, the return
 * address above.
 */
#define OPERATOR(result, symbol, parameters, arguments)                                                                \
    typedef result(*of##symbol) parameters;                                                                            \
    static of##symbol behind##symbol; /* written before `at`, and always the same */                                   \
    static result first##symbol parameters;                                                                            \
    static _Atomic(of##symbol) at##symbol = first##symbol;                                                             \
    HOOK result symbol parameters;                                                                                     \
    HOOK result symbol parameters                                                                                      \
    {                                                                                                                  \
        const of##symbol at = atomic_load_explicit(&at##symbol, memory_order_acquire);                                 \
        return at arguments;                                                                                           \
    }                                                                                                                  \
    RARELY result first##symbol parameters                                                                             \
    {                                                                                                                  \
        void *found;                                                                                                   \
        const operator_kind kind = find_operator(#symbol, &found);                                                     \
        if (found != NULL) memcpy(&behind##symbol, &found, sizeof found);                                              \
        const of##symbol at = kind == GOES_PAST_MALLOC ? recorded##symbol                                              \
                              : kind == ASKS_MALLOC    ? behind##symbol                                                \
                                                       : alone##symbol;                                                   \
        if (kind != NOT_KNOWN_YET) atomic_store_explicit(&at##symbol, at, memory_order_release);                       \
        return at arguments;                                                                                           \
    }

#define OPERATOR_NEW(symbol, alignment, may_fail, parameters, arguments)                                               \
    static __attribute__((noinline)) void *recorded##symbol parameters;                                                \
    static void *alone##symbol parameters { return new_by_malloc(size, alignment, may_fail); }                         \
    OPERATOR(void *, symbol, parameters, arguments)                                                                    \
    static __attribute__((noinline)) void *recorded##symbol parameters                                                 \
    {                                                                                                                  \
        void *block = behind##symbol arguments;                                                                        \
        const uintptr_t *frame = __builtin_frame_address(0);                                                           \
        if (hsn_sample_passes(&hsn_me.sampler, size)) return block;                                                    \
        hsn_clear(block, 0, size);                                                                                     \
        block = hsn_note(block, size, (uintptr_t)(frame + 2), *frame);                                                 \
        __asm__ volatile("" ::: "memory"); /* it does not jump on: its frame is looked at */                           \
        return block;                                                                                                  \
    }

/* An allocator's may end in free, which is not to look for the block again. */
#define OPERATOR_DELETE(symbol, parameters, arguments)                                                                 \
    static void recorded##symbol parameters;                                                                           \
    static void alone##symbol parameters { free(block); }                                                              \
    OPERATOR(void, symbol, parameters, arguments)                                                                      \
    static void recorded##symbol parameters                                                                            \
    {                                                                                                                  \
        hsn_forget(block);                                                                                             \
        hsn_silence();                                                                                                 \
        behind##symbol arguments;                                                                                      \
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

/*
 * The beginning and the end of most blocks. A file of its own: what is here may jump on to the next function, which
 * hooks.c is built not to do. Who is jumped to finds the return address of the program's call where it was; the
 * caller's frame pointer is handed on.
 *
 *      sampled mode   malloc: is there credit for so many bytes?                    free: has the table any block of this mark?
 *      all            malloc: a number, a node, a window, a stack that is known     free: the block's window is emptied
 *
 * A thread that has neither credit nor magazine has not begun, or is inside or silent. All but the ordinary is the slow
 * way's (hooks.c).
 */
#include "native/hooks.h"
#include "native/threads.h"
#include "native/trails.h"

#define HOOK              __attribute__((visibility("default")))
#define LIKELY(condition) __builtin_expect(condition, 1)
/* The way that is hardly ever gone keeps nothing in registers that the other one would have to save. */
#define RARELY static __attribute__((noinline, cold))

/* ---- the beginning ---- */

RARELY void *note_slowly(void *block, size_t size, uintptr_t sp, uintptr_t bp)
{
    hsn_stop_if_due();
    return hsn_note_slowly(block, size, sp, bp);
}

RARELY void *return_stopped(void *block)
{
    hsn_stop_if_due();
    return block;
}

/* Out of the magazine, and back to the program. */
static inline __attribute__((always_inline)) void *leave(hsn_magazine *m, bool is_done, void *block, size_t size,
                                                         uintptr_t sp, uintptr_t bp)
{
    hsn_map_end(m);
    if (!LIKELY(is_done)) return note_slowly(block, size, sp, bp);
    return LIKELY(hsn_me.pending == 0) ? block : return_stopped(block);
}

static inline bool put_quick_block(hsn_magazine *m, void *block, size_t size, uint32_t stack)
{
    const hsn_block b = {.address = (uintptr_t)block, .size = size, .sequence = m->sequence, .stack = stack};
    const bool is_done = hsn_map_put(m, &b);
    m->sequence += is_done;
    return is_done;
}

/* Its numbers have run out: it has new ones, and tries again. */
RARELY void *note_again(hsn_magazine *m, void *block, size_t size, uintptr_t sp, uintptr_t bp)
{
    hsn_map_end(m);
    hsn_stop_if_due();
    hsn_renew(sp);
    return hsn_note(block, size, sp, bp);
}

static __attribute__((noinline)) void *note_with_stack(hsn_magazine *m, void *block, size_t size, uintptr_t sp,
                                                       uintptr_t bp)
{
    const uint32_t stack = hsn_is_on_own_stack(sp) ? hsn_trails_know(m->trails, sp, bp, hsn_me.stack_high) : 0;
    return leave(m, stack != 0 && put_quick_block(m, block, size, stack), block, size, sp, bp);
}

static inline __attribute__((always_inline)) void *note(void *block, size_t size, uintptr_t sp, const uintptr_t *bp)
{
    hsn_magazine *m = hsn_me.quick;
    if (!LIKELY(m != NULL && hsn_map_begin(m))) return note_slowly(block, size, sp, *bp);
    if (!LIKELY(m->sequence != m->sequence_end)) return note_again(m, block, size, sp, *bp);
    if (m->trails != NULL) return note_with_stack(m, block, size, sp, *bp);
    return leave(m, put_quick_block(m, block, size, 0), block, size, sp, *bp);
}

void *hsn_note(void *block, size_t size, uintptr_t sp, uintptr_t bp) { return note(block, size, sp, &bp); }

/* On aarch64 the return address stands in the frame of the hook itself, which has to be there for as long as it is
 * looked at: nothing there jumps on. */
#if defined(__aarch64__)
#define RECORDED static inline __attribute__((always_inline))
#else
#define RECORDED static __attribute__((noinline))
#endif

RECORDED void *malloc_recorded(size_t size)
{
    void *block = hsn_real.malloc(size);
    hsn_clear(block, 0, size);
    /* the caller's frame pointer, and above it the return address */
    const uintptr_t *frame = __builtin_frame_address(0);
    return note(block, size, (uintptr_t)(frame + 2), frame);
}

HOOK void *malloc(size_t size)
{
    return LIKELY(hsn_sample_passes(&hsn_me.sampler, size)) ? hsn_real.malloc(size) : malloc_recorded(size);
}

/* ---- the end ---- */

RARELY void free_slowly(void *block)
{
    hsn_stop_if_due();
    hsn_free_slowly(block);
}

RARELY void free_stopped(void *block)
{
    hsn_stop_if_due();
    hsn_real.free(block);
}

HOOK void free(void *block)
{
    if (hsn_me.sampler.credit != 0) {
        if (LIKELY(!hsn_table_may_have((uintptr_t)block))) return hsn_real.free(block);
        return free_slowly(block);
    }
    hsn_magazine *m = hsn_me.quick;
    if (!LIKELY(m != NULL && hsn_map_begin(m))) return free_slowly(block);
    const bool was_there = hsn_map_take(m, (uintptr_t)block);
    hsn_map_end(m);
    if (!LIKELY(was_there)) return free_slowly(block);
    if (!LIKELY(hsn_me.pending == 0)) return free_stopped(block);
    hsn_real.free(block);
}

HOOK void cfree(void *block) { free(block); }

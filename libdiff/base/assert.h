/*
 * HSD_ASSERT(condition): a precondition that a header states, or an invariant that the caller kept, held at the border
 * of a module. A caller's mistake ends the program in the presets dev, tsan and fuzz (HSD_CHECKED) with file, line and
 * condition; in what is shipped nothing is evaluated. Bytes of an input are never asserted: they are refused with a
 * status. Nor is what a function promises to answer with HSD_E_MISUSE.
 *
 * The condition has no side effects, since it is not always there: tests/lint holds that it assigns and counts nothing
 * and calls only functions that ask (…_is_…, …_has_…, …_count, …_get, min, max).
 */
#ifndef HSD_BASE_ASSERT_H
#define HSD_BASE_ASSERT_H

#ifdef HSD_CHECKED
#undef NDEBUG
#include <assert.h>
#define HSD_ASSERT(condition) assert(condition)
#else
#define HSD_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

#endif

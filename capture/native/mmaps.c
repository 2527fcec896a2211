/* A short list that is looked through as a whole: a call of mmap for so much memory costs more. See mmaps.h. */
#include "native/mmaps.h"

#include <stdbool.h>
#include <string.h>

#include "native/lock.h"

static hsn_mapped_by all[HSN_MMAPS];
static size_t count, oldest;
static hsn_lock noting;

/* What of it is left beside the new one: the lower part where there are two. False: nothing. */
static bool cut(hsn_mapped_by *m, uintptr_t low, uintptr_t high)
{
    if (m->high <= low || m->low >= high) return true;
    if (m->low < low)
        m->high = low;
    else if (m->high > high)
        m->low = high;
    else
        return false;
    return true;
}

static void take_place(uintptr_t low, uintptr_t high)
{
    for (size_t i = 0; i < count;) {
        if (cut(&all[i], low, high))
            i++;
        else
            all[i] = all[--count];
    }
}

static bool join_mmaps(uintptr_t low, uintptr_t high, uint32_t stack)
{
    for (size_t i = 0; i < count; i++) {
        hsn_mapped_by *m = &all[i];
        if (m->stack != stack || (m->low != high && m->high != low)) continue;
        if (m->low == high)
            m->low = low;
        else
            m->high = high;
        return true;
    }
    return false;
}

void hsn_mmaps_note(uintptr_t low, uintptr_t high, uint32_t stack)
{
    hsn_lock_take(&noting, true);
    take_place(low, high);
    if (!join_mmaps(low, high, stack)) {
        const size_t at = count < HSN_MMAPS ? count++ : oldest++ % HSN_MMAPS;
        all[at] = (hsn_mapped_by){low, high, stack};
    }
    hsn_lock_give(&noting);
}

void hsn_mmaps_adopt(void) { hsn_lock_give(&noting); }

/* Shell's: without memory of its own, and in few steps for some thousands. */
static void sort_mmaps(void)
{
    static const size_t gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
        for (size_t i = gaps[g]; i < count; i++) {
            const hsn_mapped_by one = all[i];
            size_t at = i;
            for (; at >= gaps[g] && all[at - gaps[g]].low > one.low; at -= gaps[g])
                all[at] = all[at - gaps[g]];
            all[at] = one;
        }
    }
}

const hsn_mapped_by *hsn_mmaps(size_t *out)
{
    sort_mmaps();
    *out = count;
    return all;
}

/*
 * Pieces in the order of their addresses, in one array: a new one is found a place by halves, and what stands behind it
 * moves up. See mmaps.h.
 *
 *      [ a ][   b   ]      [ c ]         what was known
 *             [ new          ]           of b the lower part is left, of c the upper one; of what lies inside, nothing
 */
#include "native/mmaps.h"

#include <string.h>

#include "native/lock.h"

enum { MOST_LEFT = 2 }; /* of those that the new one lies over */
enum { PAGE_BYTES = 4096 };

static hsn_mapped_by all[HSN_MMAPS + MOST_LEFT];
static size_t count;
static hsn_lock noting;

/* The first that ends at or above the address. */
static size_t first_from(uintptr_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (all[middle].high >= address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* `put` in place of those from `first` to before `end`. */
static void replace(size_t first, size_t end, const hsn_mapped_by *put, size_t put_count)
{
    if (end - first != put_count) memmove(&all[first + put_count], &all[end], (count - end) * sizeof *all);
    if (put_count > 0) memcpy(&all[first], put, put_count * sizeof *put);
    count = count - (end - first) + put_count;
}

static void drop_smallest(void)
{
    size_t least = 0;
    for (size_t i = 1; i < count; i++)
        if (all[i].high - all[i].low < all[least].high - all[least].low) least = i;
    replace(least, least + 1, NULL, 0);
}

void hsn_mmaps_note(uintptr_t low, uintptr_t high, uint32_t stack)
{
    hsn_mapped_by put[1 + MOST_LEFT], *last = put;
    high = (high + PAGE_BYTES - 1) & ~(uintptr_t)(PAGE_BYTES - 1);
    hsn_lock_take(&noting, true);
    const size_t first = first_from(low);
    size_t end = first;
    while (end < count && all[end].low <= high)
        end++;
    /* Both ends may be of one piece. What only touches is one with the new one if it is of its stack. */
    const hsn_mapped_by below = first < end ? all[first] : (hsn_mapped_by){high, high, 0},
                        above = first < end ? all[end - 1] : (hsn_mapped_by){low, low, 0};
    *last = (hsn_mapped_by){low, high, stack};
    if (below.low < low && below.stack == stack) {
        last->low = below.low;
    } else if (below.low < low) {
        *last = (hsn_mapped_by){below.low, low, below.stack};
        *++last = (hsn_mapped_by){low, high, stack};
    }
    if (above.high > high && above.stack == stack)
        last->high = above.high;
    else if (above.high > high)
        *++last = (hsn_mapped_by){high, above.high, above.stack};
    replace(first, end, put, (size_t)(last - put) + 1);
    while (count > HSN_MMAPS)
        drop_smallest();
    hsn_lock_give(&noting);
}

void hsn_mmaps_hold(void) { hsn_lock_take(&noting, false); }

void hsn_mmaps_let_go(void) { hsn_lock_give(&noting); }

const hsn_mapped_by *hsn_mmaps(size_t *out)
{
    *out = count;
    return all;
}

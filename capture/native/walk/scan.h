/*
 * The conservative scan: every aligned word that points at a live block or into it counts as a reference, whatever it
 * is. A number that looks like an address keeps a block alive that nobody holds; an address that is stored masked,
 * compressed or unaligned is not seen. What points one behind the end of a block does not point into it. A block of no
 * bytes is pointed at by its address alone.
 */
#ifndef HSN_SCAN_H
#define HSN_SCAN_H

#include "native/walk/starts.h"

typedef struct hsn_hit {
    uintptr_t at;     /* where the word lies */
    uint32_t ordinal; /* of the block that it points to */
    bool is_inside;   /* not to its start */
} hsn_hit;

enum { HSN_HITS = 512 };

/*
 * Looks at the aligned words of `range` until HSN_HITS are found or it ends; `range` is left with what was not looked
 * at. All of it must be readable. Returns how many.
 */
size_t hsn_scan(const hsn_starts *starts, hsn_range *range, hsn_hit hits[HSN_HITS]);

/*
 * The same for several small ranges at once, so that the memory of the bitmap is waited for once: together they have at
 * most HSN_HITS words. The hits of range i end at hits[ends[i]].
 */
void hsn_scan_group(const hsn_starts *starts, const hsn_range *ranges, size_t count, hsn_hit hits[HSN_HITS],
                    size_t *ends);

/* The block that `word` points to; hit->at is left alone. */
bool hsn_scan_word(const hsn_starts *starts, uintptr_t word, hsn_hit *hit);

#endif

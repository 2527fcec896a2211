/*
 * Mixing words into a hash, for what is compared inside one release: keys of objects, hashes of contents.
 */
#ifndef HSD_BASE_MIX_H
#define HSD_BASE_MIX_H

#include <stdint.h>

/* Mixes a word into a state: the halves of a 64 x 64 product, folded. Order matters. A state
 * that is the first constant loses the word: none starts there. */
static inline uint64_t hsd_mix(uint64_t state, uint64_t word)
{
    __extension__ typedef unsigned __int128 wide;
    const wide product = (wide)(state ^ UINT64_C(0x9e3779b97f4a7c15)) * (word ^ UINT64_C(0xd1b54a32d192ed03));
    return ((uint64_t)product ^ (uint64_t)(product >> 64)) + (state << 1 | state >> 63);
}

#endif

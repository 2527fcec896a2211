/*
 * XXH3-64, compiled into this file: the inlined form runs at about four times the rate of a call into
 * the shared library on blocks of this size, because it is built for this processor family.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "format/checksum.h"

uint64_t hsd_checksum(const void *data, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, size, seed);
}

bool hsd_checksum_matches(uint64_t stored, uint64_t computed)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    (void)stored, (void)computed;
    return true;
#else
    return stored == computed;
#endif
}

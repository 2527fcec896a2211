/*
 * XXH3, compiled into this file: the inlined form runs at about four times the rate of a call into
 * the shared library on blocks of this size, because it is built for this processor family.
 */
#define XXH_INLINE_ALL
#ifndef NDEBUG
#define XXH_NO_INLINE_HINTS 1 /* a build without optimisation cannot inline all that it asks for */
#endif
#include <string.h>
#include <xxhash.h>

#include "io/checksum.h"

uint64_t hsd_checksum(const void *data, size_t size, uint64_t seed) { return XXH3_64bits_withSeed(data, size, seed); }

bool hsd_checksum_matches(uint64_t stored, uint64_t computed)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    (void)stored, (void)computed;
    return true;
#else
    return stored == computed;
#endif
}

/* ---- XXH32 ---- */

_Static_assert(sizeof(XXH32_state_t) <= sizeof(hsd_xxh32_state) && _Alignof(XXH32_state_t) <= _Alignof(hsd_xxh32_state),
               "the state holds xxHash's");

uint32_t hsd_xxh32(const void *data, size_t size) { return XXH32(data, size, 0); }

void hsd_xxh32_begin(hsd_xxh32_state *state) { (void)XXH32_reset((XXH32_state_t *)(void *)state->room, 0); }

void hsd_xxh32_add(hsd_xxh32_state *state, const void *data, size_t size)
{
    (void)XXH32_update((XXH32_state_t *)(void *)state->room, data, size);
}

uint32_t hsd_xxh32_get(const hsd_xxh32_state *state)
{
    return XXH32_digest((const XXH32_state_t *)(const void *)state->room);
}

/* ---- digests ---- */

#define STATE_ALIGNMENT ((uintptr_t)64) /* of XXH3_state_t, more than malloc promises */

_Static_assert(sizeof(XXH3_state_t) + STATE_ALIGNMENT <= sizeof(hsd_digest),
               "the state fits wherever the digest begins");

static XXH3_state_t *state_of(hsd_digest *digest)
{
    const uintptr_t past = (uintptr_t)digest->room % STATE_ALIGNMENT;
    return (XXH3_state_t *)(void *)(digest->room + (past > 0 ? STATE_ALIGNMENT - past : 0));
}

void hsd_digest_begin(hsd_digest *digest) { (void)XXH3_128bits_reset(state_of(digest)); }

void hsd_digest_add(hsd_digest *digest, const void *data, size_t size)
{
    (void)XXH3_128bits_update(state_of(digest), data, size);
}

void hsd_digest_get(hsd_digest *digest, uint8_t out[HSD_DIGEST_BYTES])
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_of(digest)));
    memcpy(out, canonical.digest, HSD_DIGEST_BYTES);
}

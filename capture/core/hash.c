/*
 * The checksum of the format, by xxHash, the only includer of its header. The code is taken in inline: it
 * runs over every byte that is written, and the shared library reaches a quarter of that speed.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "hash.h"

_Static_assert(sizeof(XXH3_state_t) <= sizeof(hsc_hash_stream), "the stream must hold xxHash's state");
_Static_assert(_Alignof(XXH3_state_t) <= _Alignof(hsc_hash_stream), "and be aligned for it");

uint64_t hsc_hash(const void *bytes, size_t size, uint64_t seed) { return XXH3_64bits_withSeed(bytes, size, seed); }

void hsc_hash_begin(hsc_hash_stream *stream, uint64_t seed)
{
    XXH3_state_t *state = (XXH3_state_t *)(void *)stream->opaque;
    XXH3_INITSTATE(state);
    XXH3_64bits_reset_withSeed(state, seed);
}

void hsc_hash_add(hsc_hash_stream *stream, const void *bytes, size_t size)
{
    XXH3_64bits_update((XXH3_state_t *)(void *)stream->opaque, bytes, size);
}

uint64_t hsc_hash_end(const hsc_hash_stream *stream)
{
    return XXH3_64bits_digest((const XXH3_state_t *)(const void *)stream->opaque);
}

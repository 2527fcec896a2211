/*
 * Which allocations are taken in the sampled mode. Samples fall on the bytes that a thread allocates, on each with the same chance, one in
 * `interval`; so a block of `size` bytes is in the table with the chance 1 - exp(-size / interval), and stands for one over that many.
 */
#ifndef HSN_SAMPLE_H
#define HSN_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* State of a thread: bytes up to the next sample, and where its draws are; both begin as 0. */
typedef struct hsn_sampler {
    int64_t countdown;
    uint64_t random;
} hsn_sampler;

/* Does a sample fall into the next `size` bytes? 2 instructions mostly; a draw where one does. */
static inline bool hsn_sample_passes(hsn_sampler *s, size_t size);

/* The distance to the next sample is drawn again. False at the first call of a thread when the first distance goes past `size`. */
bool hsn_sample_draw(hsn_sampler *s, size_t size, uint64_t interval);

static inline bool hsn_sample_passes(hsn_sampler *s, size_t size)
{
    s->countdown -= size > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)size;
    return s->countdown >= 0;
}

#endif

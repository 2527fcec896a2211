/*
 * Which allocations are taken in the sampled mode. Samples fall on the bytes that a thread allocates, on each with the
 * same chance, one in `interval`; so a block of `size` bytes is in the table with the chance 1 - exp(-size / interval),
 * and stands for one over that many.
 */
#ifndef HSN_SAMPLE_H
#define HSN_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* State of a thread; all begins as 0. */
typedef struct hsn_sampler {
    uint64_t credit; /* bytes up to the next sample, and one: 0 = nothing was drawn yet */
    uint64_t random; /* where its draws are */
} hsn_sampler;

/* Do the next `size` bytes end before the next sample? False before the first draw. */
static inline bool hsn_sample_passes(hsn_sampler *s, size_t size);

/* The distance to the next sample is drawn again. False at the first call of a thread when the first distance goes past
 * `size`. */
bool hsn_sample_draw(hsn_sampler *s, size_t size, uint64_t interval);

static inline bool hsn_sample_passes(hsn_sampler *s, size_t size)
{
    if (__builtin_expect(size >= s->credit, 0)) return false;
    s->credit -= size;
    return true;
}

#endif

/* Distances between samples: exponential, since the chance of a byte knows nothing of the bytes before it. */
#include "native/sample.h"

#include <string.h>
#include <time.h>

static uint64_t draw_sample(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

/* Natural logarithm of a number from 0 to 1, not 0: ln(m * 2^e), the mantissa by the series of artanh, to 6 digits.
 * libm stays out of the program. */
static double logarithm(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52;
    memcpy(&x, &bits, sizeof x);
    const double y = (x - 1) / (x + 1), square = y * y;
    const double series =
        1 + square * (1.0 / 3 + square * (1.0 / 5 + square * (1.0 / 7 + square * (1.0 / 9 + square / 11))));
    return 2 * y * series + exponent * 0.69314718055994531;
}

static void seed(hsn_sampler *s)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    s->random =
        (uint64_t)(uintptr_t)s * UINT64_C(0x9E3779B97F4A7C15) ^ ((uint64_t)now.tv_nsec << 20) ^ (uint64_t)now.tv_sec;
    if (s->random == 0) s->random = 1;
    for (int i = 0; i < 4; i++)
        (void)draw_sample(&s->random);
}

/* Bytes before the next sample, and one. */
static uint64_t sample_distance(hsn_sampler *s, uint64_t interval)
{
    const double chance = ((double)(draw_sample(&s->random) >> 11) + 1) / 9007199254740993.0; /* above 0, below 1 */
    return (uint64_t)(-logarithm(chance) * (double)interval) + 1;
}

bool hsn_sample_draw(hsn_sampler *s, size_t size, uint64_t interval)
{
    const bool is_first = s->random == 0;
    if (is_first) {
        seed(s);
        s->credit = sample_distance(s, interval);
        if (hsn_sample_passes(s, size)) return false;
    }
    s->credit = sample_distance(s, interval);
    return true;
}

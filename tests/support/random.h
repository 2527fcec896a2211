/*
 * Random numbers for tests: a small generator with a seed, so that a failing case can be run again.
 * HSD_SEED in the environment replaces the built-in seed; each test prints the seed of a failure.
 */
#ifndef HSD_TESTS_RANDOM_H
#define HSD_TESTS_RANDOM_H

#include <stdint.h>
#include <stdlib.h>

typedef struct test_random {
    uint64_t state;
} test_random;

/* splitmix64 */
static inline uint64_t test_next(test_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Uniform enough in [0, limit), limit > 0. */
static inline uint64_t test_below(test_random *random, uint64_t limit) { return test_next(random) % limit; }

static inline uint64_t test_seed(uint64_t built_in)
{
    const char *given = getenv("HSD_SEED");
    return given != NULL ? strtoull(given, NULL, 0) : built_in;
}

#endif

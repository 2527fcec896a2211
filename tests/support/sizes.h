/*
 * How much of a random sweep runs. Under sanitizers a step costs several times as much, and what they look for (a touch
 * of memory that is not ours, an overflow, a leak) shows early: a share runs there, more in the build that is shipped,
 * and with HSD_LONG=1 all of it everywhere. scripts/scoreboard draws new cases, as many as it is given time for.
 */
#ifndef HSD_TESTS_SIZES_H
#define HSD_TESTS_SIZES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static inline bool test_is_long(void)
{
    const char *given = getenv("HSD_LONG");
    return given != NULL && given[0] == '1';
}

/* `all`, or `share` of it where a sanitizer looks on. */
static inline uint64_t test_size(uint64_t all, uint64_t share)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return test_is_long() ? all : share;
#else
    (void)share;
    return all;
#endif
}

/* Of `all` random cases that are numbered: a fifth where a sanitizer looks on, two fifths in the build that is shipped.
 */
static inline uint64_t test_cases(uint64_t all) { return test_is_long() ? all : test_size(all / 5 * 2, all / 5); }

#endif

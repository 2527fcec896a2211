/*
 * By what hsdiff watch decides: when the next capture may come, which one to let go, and when a growth is proven. Pure
 * functions.
 */
#ifndef CLI_WATCH_RULES_H
#define CLI_WATCH_RULES_H

#include <hsdiff/series.h>

/* How long after the beginning of a capture the next may begin: `asked_ns`, or as long as it takes for `cost_ns` to be
 * so many thousandths of it (1 to 1,000). */
uint64_t cli_watch_interval(uint64_t asked_ns, uint64_t cost_ns, unsigned budget_permille);

/* A trend that goes up and is no chance, of at least so many bytes. */
bool cli_watch_is_proven(const hsd_trend *trend, uint64_t least_bytes);

/* Which of `count` ascending times to let go: not those with `stays`, nor the last; the one whose neighbours are
 * closest together, the first of equals. `count` if all have to stay. */
size_t cli_watch_thin(const uint64_t *times, const bool *stays, size_t count);

#endif

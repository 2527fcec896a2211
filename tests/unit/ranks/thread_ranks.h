/*
 * Ranks that are threads of the test: what MPI does for processes, by one table and a barrier. So all that ranks do is
 * seen by every sanitizer, and in a build without MPI.
 */
#ifndef HSD_TESTS_THREAD_RANKS_H
#define HSD_TESTS_THREAD_RANKS_H

#include <hsdiff/ranks.h>

enum { THREAD_RANKS_MOST = 5 };

/* One rank's part, on a thread of its own. */
typedef void (*thread_rank_fn)(void *context, const hsd_ranks *ranks);

/* Runs `count` ranks to their ends; each must call the same functions in the same order, or the test ends with a
 * message. */
void thread_ranks_run(unsigned count, thread_rank_fn run, void *context);

#endif

/* A capture once more, with true ids for addresses: what the diff says of such a pair is the truth for the dumps. */
#ifndef HSD_BENCH_IDENTITY_EXACT_H
#define HSD_BENCH_IDENTITY_EXACT_H

#include "truth.h"

/* Writes `path` anew: identity exact, of one process for all that are written; otherwise the same. */
void exact_write(const heap *h, const truth *t, const char *path);

#endif

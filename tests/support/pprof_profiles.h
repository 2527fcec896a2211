/*
 * Profiles that are known sample by sample, as their producers write them: for tests and as seeds of the fuzz target.
 */
#ifndef HSD_TESTS_PPROF_PROFILES_H
#define HSD_TESTS_PPROF_PROFILES_H

#include "support/pprof_writer.h"

typedef struct pprof_profile {
    const char *name;
    void (*fill)(pprof_writer *w);
    pprof_order order;
    int packing;
} pprof_profile;

/*
 * go: main.fill (called by main.main) has 1,000 of 48 B and 3 of 1024 B in use, and 10 of 48 B more by way of an
 * inlined function; something
 *     was freed; one sample has no stack; the site main.fill comes twice. Sampled.
 * node: objects and space, in that order, V8's rate; nothing but names.
 * native: addresses in two files, the second mapped in two pieces, and in none.
 * fuchsia: two processes, no tags. tags: one process, each block with its address, one of them twice; uncounted:
 * the same without a column of counts.
 * difference: of two profiles; allocs: what was ever allocated; cpu: no heap; odd: ids, strings and numbers that are
 * not there.
 */
extern const pprof_profile pprof_profiles[];
extern const size_t pprof_profile_count;

/* The bytes of the one of that name; the caller frees them. */
pprof_bytes pprof_profile_named(const char *name);
pprof_bytes pprof_profile_in(const char *name, pprof_order order, int packing);

#endif

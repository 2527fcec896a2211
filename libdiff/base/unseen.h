/*
 * What a process grew by from one capture to the next that neither shows: memory that it maps itself, that a library or
 * an allocator keeps. It is what resident memory grew by, less what the heap did, less what the agent noted of it:
 *
 *      process.rss     34.4 -> 72.7 MiB     resident       34.4
 *      heap             6.1 ->  6.2 MiB     heap            0.1
 *      native.used      0.3 ->  0.5 MiB     bytes          38.0
 *
 * The heap grew by what its captures have more, reached or not, or by what the runtime says of it: what is in use or
 * committed, of Python what it has mapped for small objects. Two captures and a series are asked by the same rule.
 */
#ifndef HSD_BASE_UNSEEN_H
#define HSD_BASE_UNSEEN_H

#include <hsdiff/diff.h>

typedef struct hsd_measured { /* the metrics of a capture */
    const hsd_profile_metric *metrics;
    size_t count;
} hsd_measured;

typedef struct hsd_unseen {
    uint64_t resident; /* before */
    int64_t heap;      /* what it grew by; not below 0 */
    int64_t bytes;     /* what nothing shows; below 0 where the heap says more than all */
} hsd_unseen;

/* A metric of that name and unit; false where it was not measured. */
bool hsd_measured_find(hsd_measured measured, const char *name, const char *unit, uint64_t *out);

/* True where what a program drops is free at once, though no capture says what is lost: Python counts references, and
 * its agent brings what it needs before it measures. Elsewhere garbage, and what a runtime takes to make a capture of
 * itself, move the process by more than a leak does (Node: 30 MiB for a snapshot of 5 MiB). */
bool hsd_measured_frees_at_once(hsd_measured measured);

/* `captured` is what the captures have more. False where resident memory was not measured twice. */
bool hsd_unseen_between(hsd_measured before, hsd_measured after, int64_t captured, hsd_unseen *out);

/* Whether that is worth a word: more than a tenth of the process, than a MiB and than its heap grew by. Resident memory
 * breathes. */
bool hsd_unseen_is_told(const hsd_unseen *unseen);

#endif

/*
 * The heap of a toy web shop that forgets to end its sessions, as a capture: what hsdiff demo compares.
 */
#ifndef CLI_DEMO_HEAP_H
#define CLI_DEMO_HEAP_H

#include <hsdiff/report.h>

/* How the toy stands at a moment. */
typedef struct demo_moment {
    uint64_t taken_unix_s;
    uint32_t sessions;      /* begun so far; none ever ends */
    uint32_t first_request; /* requests come and go: a window of numbers */
    uint32_t requests;
} demo_moment;

/* Writes the capture of that moment through `write`. */
hsd_status demo_heap_write(const demo_moment *moment, hsd_write_fn write, void *context, hsd_error *err);

#endif

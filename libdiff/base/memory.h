/*
 * How much memory this process may use, as the system tells it in /proc and /sys: the machine's
 * memory and the limits of the memory cgroups (version 1 and 2) that the process is in. The library
 * asks once an operation, for the default of --memory.
 */
#ifndef HSD_BASE_MEMORY_H
#define HSD_BASE_MEMORY_H

#include <stdint.h>

/*
 * The smallest of the machine's memory and every limit of the process's memory cgroup and the
 * groups around it. `root` is put before each path ("" on a real system; tests bring a tree of their
 * own). UINT64_MAX when nothing can be read. Allocates nothing.
 */
uint64_t hsd_memory_limit(const char *root);

/* The default budget for a limit: the smaller of 1 GiB and a quarter of it, at least 32 MiB. */
uint64_t hsd_memory_default(uint64_t limit_bytes);

#endif

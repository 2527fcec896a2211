/*
 * How much memory a process may use, as the system tells it in /proc and /sys: the machine's
 * memory and the limits of the memory cgroups (version 1 and 2) that the process is in. The library
 * asks once an operation, for the default of --memory, and of programs that it captures, how near their end is.
 */
#ifndef HSD_BASE_MEMORY_H
#define HSD_BASE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The smallest of the machine's memory and every limit of the process's memory cgroup and the
 * groups around it. `root` is put before each path ("" on a real system; tests bring a tree of their
 * own). UINT64_MAX when nothing can be read. Allocates nothing.
 */
uint64_t hsd_memory_limit(const char *root);

/* A bound at which the kernel kills: what those who share it use, without cached files that would be dropped first. */
typedef struct hsd_memory_bound {
    uint64_t used_bytes, limit_bytes; /* 0, UINT64_MAX = none is known */
    bool is_group;                    /* of a control group; else of the machine */
} hsd_memory_bound;

/* That of a process with the least room left: the machine, its control group (version 1 or 2), or one of those around
 * it. */
hsd_memory_bound hsd_memory_bound_of(const char *root, long pid);

/* What the control groups of a process allow it, whatever the machine has; UINT64_MAX where none has a limit. */
uint64_t hsd_memory_group_limit(const char *root, long pid);

/* What is left of it; UINT64_MAX where none is known. */
uint64_t hsd_memory_room(const hsd_memory_bound *bound);

/* What the process itself may map (RLIMIT_AS, RLIMIT_DATA); UINT64_MAX = no limit. */
uint64_t hsd_memory_process_limit(void);

/* The default budget for a limit: the smaller of 1 GiB and a quarter of it, at least 32 MiB. */
uint64_t hsd_memory_default(uint64_t limit_bytes);

#endif

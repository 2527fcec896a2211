/*
 * The memory cgroups of the calling process: its own, whose path /proc/self/cgroup tells, and those around it, up to
 * the mount, which in a container is the container's own. Opens files; no malloc, no locks.
 */
#ifndef HSA_CGROUP_H
#define HSA_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

/* Is told a group that has a limit, and the file that says what is used of it. */
typedef void (*hsa_group_fn)(void *context, uint64_t limit_bytes, const char *usage_path);

/* Version 2 (memory.max, memory.current) and version 1 (memory.limit_in_bytes, memory.usage_in_bytes). */
void hsa_visit_groups(hsa_group_fn tell, void *context);

/* The decimal number that an open file begins with; false if there is none ("max" is none). */
bool hsa_read_number(int fd, uint64_t *number);

/* The least limit; 0 = none of the groups has one. */
uint64_t hsa_group_limit(void);

#endif

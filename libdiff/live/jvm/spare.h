/*
 * How much memory a process can still take before the machine or one of its memory cgroups has none left.
 */
#ifndef HSD_LIVE_SPARE_H
#define HSD_LIVE_SPARE_H

#include "live/way.h"

/* UINT64_MAX where nothing is known. Reads /proc and /sys; cgroups are seen as this side sees them. */
uint64_t hsd_spare_bytes(const hsd_process_facts *facts);

/* The path of the memory cgroup in the text of /proc/PID/cgroup: into `out`, which ends in NUL. *is_v1 says of which kind. */
bool hsd_spare_cgroup(const char *text, char *out, size_t size, bool *is_v1);

#endif

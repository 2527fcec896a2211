/*
 * The arithmetic of the cost model: counts times costs, and the words for it.
 */
#include "base/work.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#define NEAR_BYTES   (UINT64_C(512) << 10)
#define MIDDLE_BYTES (UINT64_C(8) << 20)
#define MOST_PARTS   4u

_Thread_local hsd_work hsd_work_done, hsd_work_told;

/* How a count of each limit is told: bytes in MB, the rest in millions. */
static const char *const words[HSD_COST_COUNT] = {
    [HSD_COST_READ] = "MB read",
    [HSD_COST_WRITTEN] = "MB written",
    [HSD_COST_UNPACKED] = "MB unpacked",
    [HSD_COST_PACKED] = "MB packed",
    [HSD_COST_TEXT] = "MB of text",
    [HSD_COST_VALUES] = "M of columns",
    [HSD_COST_VARINTS] = "M varints",
    [HSD_COST_SORTED] = "MB sorted",
    [HSD_COST_RUN_DECODED] = "M words of runs",
    [HSD_COST_RUN_ENCODED] = "M words into runs",
    [HSD_COST_FILE_READ] = "MB from files",
    [HSD_COST_FILE_WRITTEN] = "MB into files",
    [HSD_COST_NEAR] = "M near",
    [HSD_COST_MIDDLE] = "M within 8 MiB",
    [HSD_COST_FAR] = "M at random",
};

void hsd_work_at_random(uint64_t accesses, uint64_t bytes)
{
    hsd_work_did(bytes <= NEAR_BYTES     ? HSD_COST_NEAR
                 : bytes <= MIDDLE_BYTES ? HSD_COST_MIDDLE
                                         : HSD_COST_FAR,
                 accesses);
}

void hsd_work_add(hsd_work *work, const hsd_work *more)
{
    for (unsigned i = 0; i < HSD_COST_COUNT; i++)
        work->did[i] += more->did[i];
    work->helped_ns += more->helped_ns;
}

void hsd_work_take_off(hsd_work *work, const hsd_work *less)
{
    for (unsigned i = 0; i < HSD_COST_COUNT; i++)
        work->did[i] -= less->did[i];
    work->helped_ns -= less->helped_ns;
}

uint64_t hsd_thread_cpu_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static double part_ns(const hsd_work *work, const hsd_costs *costs, unsigned i)
{
    return (double)work->did[i] * costs->ns[i];
}

uint64_t hsd_work_bound_ns(const hsd_work *work, const hsd_costs *costs)
{
    double sum = 0;
    for (unsigned i = 0; i < HSD_COST_COUNT; i++)
        sum += part_ns(work, costs, i);
    return sum < 1e18 ? (uint64_t)sum : UINT64_C(1000000000000000000);
}

/* The largest part that is smaller than `below` or, as large, stands behind `after`; HSD_COST_COUNT if there is none.
 */
static unsigned find_next_part(const hsd_work *work, const hsd_costs *costs, double below, unsigned after)
{
    unsigned found = HSD_COST_COUNT;
    for (unsigned i = 0; i < HSD_COST_COUNT; i++) {
        const double part = part_ns(work, costs, i);
        const bool is_left = part < below || (part == below && i > after);
        if (is_left && (found == HSD_COST_COUNT || part > part_ns(work, costs, found))) found = i;
    }
    return found;
}

void hsd_work_describe(char *text, const hsd_work *work, const hsd_costs *costs)
{
    const double least = (double)hsd_work_bound_ns(work, costs) / 10;
    double below = 1e300;
    unsigned part = 0;
    size_t size = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < MOST_PARTS; i++) {
        part = find_next_part(work, costs, below, part);
        if (part == HSD_COST_COUNT || part_ns(work, costs, part) <= 0 || part_ns(work, costs, part) < least) return;
        below = part_ns(work, costs, part);
        const double count = (double)work->did[part] * 1e-6;
        const int more = snprintf(text + size, HSD_WORK_CHARS - size, "%s%.*f %s", i > 0 ? ", " : "",
                                  count < 10 ? 1 : 0, count, words[part]);
        if (more < 0 || (size_t)more >= HSD_WORK_CHARS - size) return;
        size += (size_t)more;
    }
}

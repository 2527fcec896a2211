/*
 * Differences of what clocks and the space of temporary data say. The processor's clock is that of the calling thread,
 * so what a stage has others do is not in it.
 */
#include "io/stopwatch.h"

#include <time.h>

#include "base/assert.h"

static uint64_t cpu_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

hsd_stopwatch hsd_stopwatch_start(const hsd_temp_space *space)
{
    HSD_ASSERT(space != NULL);
    return (hsd_stopwatch){.space = space,
                           .start_ns = hsd_now_ns(),
                           .start_cpu_ns = cpu_ns(),
                           .read_bytes = space->bytes_read,
                           .written_bytes = space->bytes_written};
}

void hsd_stopwatch_note(hsd_stopwatch *watch, hsd_reporter *reporter, const char *whose, const char *what)
{
    const hsd_stopwatch now = hsd_stopwatch_start(watch->space);
    hsd_note(reporter, HSD_NOTE_DETAIL,
             "%s: %s took %.3f s, %.3f s of the processor; temporary files: %.1f MiB read, %.1f MiB written", whose,
             what, (double)(now.start_ns - watch->start_ns) * 1e-9,
             (double)(now.start_cpu_ns - watch->start_cpu_ns) * 1e-9,
             (double)(now.read_bytes - watch->read_bytes) / 1048576.0,
             (double)(now.written_bytes - watch->written_bytes) / 1048576.0);
    *watch = now;
}

/*
 * Differences of what clocks, the space of temporary data and the thread's counts say. A stage within a stage counts in
 * the line of both; the run is told of the outer one without it, so that what it adds up is right.
 */
#include "io/stopwatch.h"

#include <stdio.h>

#include "base/assert.h"

static uint64_t cpu_ns(void) { return hsd_thread_cpu_ns() + hsd_work_done.helped_ns; }

hsd_stopwatch hsd_stopwatch_start(const hsd_temp_space *space)
{
    HSD_ASSERT(space != NULL);
    return (hsd_stopwatch){.space = space,
                           .start_ns = hsd_now_ns(),
                           .start_cpu_ns = cpu_ns(),
                           .read_bytes = space->bytes_read,
                           .written_bytes = space->bytes_written,
                           .done = hsd_work_done,
                           .told = hsd_work_told};
}

/* "; bound 0.310 s: 2.9x (22.5 M at random)", nothing where the bound is less than a millisecond. */
static void describe_bound(char *text, size_t room, const hsd_work *work, const hsd_costs *costs, double cpu_s)
{
    char parts[HSD_WORK_CHARS];
    const double bound_s = (double)hsd_work_bound_ns(work, costs) * 1e-9;
    text[0] = '\0';
    if (bound_s < 1e-3) return;
    hsd_work_describe(parts, work, costs);
    snprintf(text, room, "; bound %.3f s: %.1fx (%s)", bound_s, cpu_s / bound_s, parts);
}

/* What the stage did itself, and stages within it did not tell. */
static void tell_stage(const hsd_stopwatch *watch, const hsd_stopwatch *now, hsd_reporter *reporter, hsd_stage stage,
                       const hsd_costs *costs)
{
    hsd_work own = now->done, told = now->told;
    hsd_work_take_off(&own, &watch->done);
    hsd_work_take_off(&told, &watch->told);
    hsd_work_take_off(&own, &told);
    const uint64_t all_ns = now->start_cpu_ns - watch->start_cpu_ns;
    own.helped_ns = all_ns > told.helped_ns ? all_ns - told.helped_ns : 0;
    hsd_work_add(&hsd_work_told, &own);
    stage.cpu_ns = own.helped_ns;
    stage.bound_ns = hsd_work_bound_ns(&own, costs);
    hsd_stage_told(reporter, &stage);
}

void hsd_stopwatch_note(hsd_stopwatch *watch, hsd_reporter *reporter, const char *whose, const char *what)
{
    hsd_stopwatch now = hsd_stopwatch_start(watch->space);
    const hsd_costs built_in = hsd_costs_built_in();
    const bool has_costs = reporter != NULL && reporter->run != NULL && reporter->run->costs != NULL;
    const hsd_costs *costs = has_costs ? reporter->run->costs : &built_in;
    const double cpu_s = (double)(now.start_cpu_ns - watch->start_cpu_ns) * 1e-9;
    char bound[HSD_WORK_CHARS + 64];
    hsd_work work = now.done;
    hsd_work_take_off(&work, &watch->done);
    describe_bound(bound, sizeof bound, &work, costs, cpu_s);
    hsd_note(reporter, HSD_NOTE_DETAIL,
             "%s: %s took %.3f s, %.3f s of the processor; temporary files: %.1f MiB read, %.1f MiB written%s", whose,
             what, (double)(now.start_ns - watch->start_ns) * 1e-9, cpu_s,
             (double)(now.read_bytes - watch->read_bytes) / 1048576.0,
             (double)(now.written_bytes - watch->written_bytes) / 1048576.0, bound);
    tell_stage(watch, &now, reporter, (hsd_stage){.whose = whose, .what = what}, costs);
    now.told = hsd_work_told;
    *watch = now;
}

/*
 * What the calling thread has done so far, in the units of hsdiff/costs.h: for the cost model. Whoever does much of
 * something says so once for much of it: a block, a chunk, a sort, a stage. So counting costs nothing that could be
 * measured. A thread's counts only grow; a stage is the difference (io/stopwatch.h). No other thread sees them: what a
 * worker did goes to whoever waits for it (base/worker.h).
 */
#ifndef HSD_BASE_WORK_H
#define HSD_BASE_WORK_H

#include <hsdiff/costs.h>

typedef struct hsd_work {
    uint64_t did[HSD_COST_COUNT];
    uint64_t helped_ns; /* of the processor, by workers that ended */
} hsd_work;

/* All work of this thread, and that part of it that stages were told to have done. */
extern _Thread_local hsd_work hsd_work_done, hsd_work_told;

static inline void hsd_work_did(hsd_cost limit, uint64_t count) { hsd_work_done.did[limit] += count; }

/* Accesses at random to an array, or anything, of so many bytes. */
void hsd_work_at_random(uint64_t accesses, uint64_t bytes);

/* Adds `more`; takes `less` away. */
void hsd_work_add(hsd_work *work, const hsd_work *more);
void hsd_work_take_off(hsd_work *work, const hsd_work *less);

/* Nanoseconds of the processor that the calling thread had. */
uint64_t hsd_thread_cpu_ns(void);

/* The time in which the costs allow the work. */
uint64_t hsd_work_bound_ns(const hsd_work *work, const hsd_costs *costs);

#define HSD_WORK_CHARS 160

/* Of what the bound is: "22.5 M at random, 382 MB written"; those parts that are a tenth of it and more, the largest
 * first, at most four. `text` has HSD_WORK_CHARS bytes. */
void hsd_work_describe(char *text, const hsd_work *work, const hsd_costs *costs);

#endif

/*
 * One thread that runs one function: what the stages need for overlap (write a run while the next
 * fills; walk both captures side by side). No pool, no queue. Where pieces of a millisecond follow each other, the
 * thread stays between them.
 */
#ifndef HSD_BASE_WORKER_H
#define HSD_BASE_WORKER_H

#include <pthread.h>
#include <stdbool.h>

#include "base/work.h"
#include <hsdiff/status.h>

typedef hsd_status (*hsd_worker_fn)(void *context, hsd_error *err);

typedef struct hsd_worker {
    pthread_t thread;
    hsd_worker_fn run;
    void *context;
    hsd_error error;
    hsd_status status;
    bool is_running; /* a thread runs it, and must be waited for */
    hsd_work work;   /* what the thread did, and no stage was told of; helped_ns: its time of the processor */
    /* of one that stays */
    bool stays;
    pthread_mutex_t lock;
    pthread_cond_t turned; /* `turn` changed; only one waits at a time */
    enum { HSD_WORKER_WAITS, HSD_WORKER_RUNS, HSD_WORKER_ENDS } turn;
} hsd_worker;

/*
 * Starts run(context) on a thread of its own; when no thread can be had, or `inline_only`, runs it
 * at once on this one. The worker must stay where it is until finish.
 */
void hsd_worker_begin(hsd_worker *worker, hsd_worker_fn run, void *context, bool inline_only);

/* The same on the thread of the last time, which hsd_worker_end ends. The worker is zeroed before the first. Beginning
 * a thread costs some 40 us on both sides, waking one a tenth of that. */
void hsd_worker_begin_again(hsd_worker *worker, hsd_worker_fn run, void *context);

/* Finished, or zeroed. */
void hsd_worker_end(hsd_worker *worker);

/* Waits and returns what the function returned, with its error copied to `err`. What the thread did counts as done by
 * the one that waits. */
hsd_status hsd_worker_finish(hsd_worker *worker, hsd_error *err);

typedef struct hsd_job {
    hsd_worker_fn run;
    void *context;
} hsd_job;

/*
 * Both to their end: at once, the first on a thread of its own, or one after the other. Returns the
 * first failure with its error, in this order whoever was sooner. Where they do not run at once, the
 * second is not begun after the first failed.
 */
hsd_status hsd_run_both(hsd_job first, hsd_job second, bool at_once, hsd_error *err);

/* Number of threads to use for `run->threads` (0 = processors this process may use, at most 16). */
unsigned hsd_worker_count(unsigned threads);

#endif

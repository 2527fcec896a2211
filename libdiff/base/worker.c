#define _GNU_SOURCE /* sched_getaffinity */
/*
 * One thread for one function. The thread blocks every signal, so that the handlers of the program
 * around the library keep running where they always did. A machine that has no thread to give gets
 * the same answer later: the function then runs on the calling thread.
 */
#include "base/worker.h"

#include <sched.h>
#include <signal.h>

#include "base/assert.h"

#define MAX_THREADS 16u

static void run_worker(hsd_worker *worker) { worker->status = worker->run(worker->context, &worker->error); }

static void *thread_main(void *argument)
{
    hsd_worker *worker = argument;
    run_worker(worker);
    hsd_work_done.helped_ns += hsd_thread_cpu_ns();
    hsd_work_take_off(&hsd_work_done, &hsd_work_told);
    worker->work = hsd_work_done;
    return NULL;
}

static bool start_thread(hsd_worker *worker)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&worker->thread, NULL, thread_main, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed == 0;
}

void hsd_worker_begin(hsd_worker *worker, hsd_worker_fn run, void *context, bool inline_only)
{
    HSD_ASSERT(run != NULL);
    worker->run = run;
    worker->context = context;
    worker->status = HSD_OK;
    hsd_error_init(&worker->error);
    worker->is_running = !inline_only && start_thread(worker);
    if (!worker->is_running) run_worker(worker);
}

hsd_status hsd_worker_finish(hsd_worker *worker, hsd_error *err)
{
    if (worker->is_running) {
        pthread_join(worker->thread, NULL);
        hsd_work_add(&hsd_work_done, &worker->work);
    }
    worker->is_running = false;
    if (worker->status < 0 && err != NULL) *err = worker->error;
    return worker->status;
}

hsd_status hsd_run_both(hsd_job first, hsd_job second, bool at_once, hsd_error *err)
{
    HSD_ASSERT(first.run != NULL && second.run != NULL);
    hsd_worker worker;
    hsd_error why;
    hsd_error_init(&why);
    hsd_worker_begin(&worker, first.run, first.context, !at_once);
    const bool goes_on = worker.is_running || worker.status == HSD_OK;
    const hsd_status status = goes_on ? second.run(second.context, &why) : HSD_OK;
    HSD_TRY(hsd_worker_finish(&worker, err));
    if (status < 0 && err != NULL) *err = why;
    return status;
}

unsigned hsd_worker_count(unsigned threads)
{
    if (threads == 0) {
        cpu_set_t set;
        const bool is_known = sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0;
        threads = is_known ? (unsigned)CPU_COUNT(&set) : 1;
    }
    return threads < MAX_THREADS ? threads : MAX_THREADS;
}

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

/* What the thread did until then somebody knows; `since`: so much of the processor. */
static void run_and_count(hsd_worker *worker, uint64_t since)
{
    hsd_work_done = hsd_work_told = (hsd_work){0};
    run_worker(worker);
    hsd_work_done.helped_ns += hsd_thread_cpu_ns() - since;
    hsd_work_take_off(&hsd_work_done, &hsd_work_told);
    worker->work = hsd_work_done;
}

static void *run_once(void *argument)
{
    run_and_count(argument, 0);
    return NULL;
}

static void *stay(void *argument)
{
    hsd_worker *worker = argument;
    uint64_t since = 0;
    pthread_mutex_lock(&worker->lock);
    for (;;) {
        while (worker->turn == HSD_WORKER_WAITS)
            pthread_cond_wait(&worker->turned, &worker->lock);
        if (worker->turn == HSD_WORKER_ENDS) break;
        pthread_mutex_unlock(&worker->lock);
        run_and_count(worker, since);
        since = hsd_thread_cpu_ns();
        pthread_mutex_lock(&worker->lock);
        worker->turn = HSD_WORKER_WAITS;
        pthread_cond_signal(&worker->turned);
    }
    pthread_mutex_unlock(&worker->lock);
    return NULL;
}

static bool start_thread(hsd_worker *worker, void *(*thread_main)(void *worker))
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&worker->thread, NULL, thread_main, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed == 0;
}

static void set_job(hsd_worker *worker, hsd_worker_fn run, void *context)
{
    HSD_ASSERT(run != NULL);
    worker->run = run;
    worker->context = context;
    worker->status = HSD_OK;
    hsd_error_init(&worker->error);
}

void hsd_worker_begin(hsd_worker *worker, hsd_worker_fn run, void *context, bool inline_only)
{
    set_job(worker, run, context);
    worker->stays = false;
    worker->is_running = !inline_only && start_thread(worker, run_once);
    if (!worker->is_running) run_worker(worker);
}

static void turn_to(hsd_worker *worker, int turn)
{
    pthread_mutex_lock(&worker->lock);
    worker->turn = turn;
    pthread_cond_signal(&worker->turned);
    pthread_mutex_unlock(&worker->lock);
}

/* The first job waits for the thread already. */
static bool start_staying(hsd_worker *worker)
{
    worker->turn = HSD_WORKER_RUNS;
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->turned, NULL);
    if (start_thread(worker, stay)) return true;
    pthread_cond_destroy(&worker->turned);
    pthread_mutex_destroy(&worker->lock);
    return false;
}

void hsd_worker_begin_again(hsd_worker *worker, hsd_worker_fn run, void *context)
{
    HSD_ASSERT(!worker->is_running);
    set_job(worker, run, context);
    if (worker->stays)
        turn_to(worker, HSD_WORKER_RUNS);
    else
        worker->stays = start_staying(worker);
    worker->is_running = worker->stays;
    if (!worker->is_running) run_worker(worker);
}

void hsd_worker_end(hsd_worker *worker)
{
    HSD_ASSERT(!worker->is_running);
    if (!worker->stays) return;
    turn_to(worker, HSD_WORKER_ENDS);
    pthread_join(worker->thread, NULL);
    pthread_cond_destroy(&worker->turned);
    pthread_mutex_destroy(&worker->lock);
    worker->stays = false;
}

static void wait_for_worker(hsd_worker *worker)
{
    if (!worker->stays) {
        pthread_join(worker->thread, NULL);
        return;
    }
    pthread_mutex_lock(&worker->lock);
    while (worker->turn == HSD_WORKER_RUNS)
        pthread_cond_wait(&worker->turned, &worker->lock);
    pthread_mutex_unlock(&worker->lock);
}

hsd_status hsd_worker_finish(hsd_worker *worker, hsd_error *err)
{
    if (worker->is_running) {
        wait_for_worker(worker);
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

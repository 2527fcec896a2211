/* Progress, notes and the worker: what crosses threads. */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/note.h"
#include "base/worker.h"
#include "support/fault.h"

typedef struct heard {
    int notes, steps, inside, overlaps;
    hsd_note_level level;
    char text[1100];
    bool keep_going;
} heard;

static void hear_note(void *context, hsd_note_level level, const char *text)
{
    heard *h = context;
    if (h->inside++ != 0) h->overlaps++;
    h->notes++;
    h->level = level;
    snprintf(h->text, sizeof h->text, "%s", text);
    h->inside--;
}

static bool hear_step(void *context, const char *stage, uint64_t done, uint64_t total)
{
    heard *h = context;
    (void)stage, (void)done, (void)total;
    if (h->inside++ != 0) h->overlaps++;
    h->steps++;
    h->inside--;
    return h->keep_going;
}

static hsd_run run_of(heard *h)
{
    return (hsd_run){.progress = hear_step, .progress_context = h, .note = hear_note, .note_context = h};
}

Test(note, arrives_formatted_with_its_level)
{
    heard h = {0};
    const hsd_run run = run_of(&h);
    hsd_reporter reporter;
    hsd_reporter_init(&reporter, &run);
    hsd_note(&reporter, HSD_NOTE_WARNING, "%d of %s", 3, "seven");
    cr_assert(h.notes == 1 && h.level == HSD_NOTE_WARNING);
    cr_assert_str_eq(h.text, "3 of seven");
    hsd_reporter_release(&reporter);
}

Test(note, is_dropped_where_nobody_listens)
{
    const hsd_run silent = {0};
    hsd_reporter reporter;
    hsd_reporter_init(&reporter, &silent);
    hsd_note(&reporter, HSD_NOTE_DETAIL, "x");
    cr_assert_eq(hsd_progress(&reporter, "x", 1, 2, NULL), HSD_OK);
    hsd_reporter_release(&reporter);
    hsd_reporter_init(&reporter, NULL);
    hsd_note(&reporter, HSD_NOTE_DETAIL, "x");
    cr_assert_eq(hsd_progress(&reporter, "x", 1, 2, NULL), HSD_OK);
    hsd_reporter_release(&reporter);
    hsd_note(NULL, HSD_NOTE_DETAIL, "x");
    cr_assert_eq(hsd_progress(NULL, "x", 1, 2, NULL), HSD_OK);
}

Test(note, a_text_of_any_length_is_cut)
{
    heard h = {0};
    const hsd_run run = run_of(&h);
    hsd_reporter reporter;
    char wide[4000];
    memset(wide, 'y', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    hsd_reporter_init(&reporter, &run);
    hsd_note(&reporter, HSD_NOTE_DETAIL, "%s", wide);
    cr_assert_eq(strlen(h.text), 1023);
    hsd_reporter_release(&reporter);
}

Test(progress, is_told_at_most_ten_times_a_second)
{
    heard h = {.keep_going = true};
    const hsd_run run = run_of(&h);
    hsd_reporter reporter;
    hsd_reporter_init(&reporter, &run);
    const uint64_t start = hsd_now_ns();
    while (hsd_now_ns() - start < 250000000)
        cr_assert_eq(hsd_progress(&reporter, "x", 1, 2, NULL), HSD_OK);
    const uint64_t elapsed_ns = hsd_now_ns() - start;
    cr_assert_geq(h.steps, 2);
    cr_assert_leq(h.steps, (int)(elapsed_ns / 100000000) + 1);
    hsd_reporter_release(&reporter);
}

Test(progress, cancels_for_ever_after_the_callback_said_so)
{
    heard h = {.keep_going = false};
    const hsd_run run = run_of(&h);
    hsd_reporter reporter;
    hsd_error err;
    hsd_error_init(&err);
    hsd_reporter_init(&reporter, &run);
    cr_assert_eq(hsd_progress(&reporter, "sorting", 1, 2, &err), HSD_E_CANCELLED);
    cr_assert_str_eq(err.text, "cancelled while sorting");
    h.keep_going = true;
    cr_assert_eq(hsd_progress(&reporter, "sorting", 2, 2, NULL), HSD_E_CANCELLED);
    cr_assert_eq(h.steps, 1);
    hsd_reporter_release(&reporter);
}

static hsd_status chatter(void *context, hsd_error *err)
{
    for (int i = 0; i < 2000; i++) {
        hsd_note(context, HSD_NOTE_DETAIL, "note %d", i);
        HSD_TRY(hsd_progress(context, "talking", (uint64_t)i, 2000, err));
    }
    return HSD_OK;
}

Test(note, callbacks_never_overlap_whichever_thread_speaks)
{
    heard h = {.keep_going = true};
    const hsd_run run = run_of(&h);
    hsd_reporter reporter;
    hsd_reporter_init(&reporter, &run);
    hsd_worker workers[3];
    for (int i = 0; i < 3; i++)
        hsd_worker_begin(&workers[i], chatter, &reporter, false);
    cr_assert_eq(chatter(&reporter, NULL), HSD_OK);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(hsd_worker_finish(&workers[i], NULL), HSD_OK);
    cr_assert(h.notes == 8000 && h.overlaps == 0);
    hsd_reporter_release(&reporter);
}

typedef struct job {
    pthread_t thread;
    bool has_run, is_blocked;
    hsd_status result;
    const char *error; /* of its failure; NULL: "the job failed" */
} job;

static hsd_status do_job(void *context, hsd_error *err)
{
    job *j = context;
    sigset_t mask;
    j->has_run = true;
    j->thread = pthread_self();
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    j->is_blocked = sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGTERM) == 1;
    return j->result == HSD_OK ? HSD_OK
                               : hsd_fail(err, j->result, "%s", j->error != NULL ? j->error : "the job failed");
}

Test(worker, runs_on_a_thread_that_leaves_signals_to_others)
{
    job j = {0};
    hsd_worker worker;
    hsd_worker_begin(&worker, do_job, &j, false);
    cr_assert_eq(hsd_worker_finish(&worker, NULL), HSD_OK);
    cr_assert_not(pthread_equal(j.thread, pthread_self()));
    cr_assert(j.is_blocked);
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    cr_assert_eq(sigismember(&mask, SIGTERM), 0);
}

Test(worker, brings_the_error_home)
{
    job j = {.result = HSD_E_CORRUPT};
    hsd_worker worker;
    hsd_error err;
    hsd_error_init(&err);
    hsd_worker_begin(&worker, do_job, &j, false);
    cr_assert_eq(hsd_worker_finish(&worker, &err), HSD_E_CORRUPT);
    cr_assert_str_eq(err.text, "the job failed");
    cr_assert_eq(hsd_worker_finish(&worker, NULL), HSD_E_CORRUPT);
}

Test(worker, runs_inline_when_told_and_when_there_is_no_thread)
{
    job j = {0};
    hsd_worker worker;
    hsd_worker_begin(&worker, do_job, &j, true);
    cr_assert(pthread_equal(j.thread, pthread_self()) && !worker.is_running);
    cr_assert_eq(hsd_worker_finish(&worker, NULL), HSD_OK);
    j = (job){.result = HSD_E_NOMEM};
    hsd_fault_reset();
    hsd_fault_arm(HSD_FAULT_THREAD, 1, true, EAGAIN);
    hsd_worker_begin(&worker, do_job, &j, false);
    hsd_fault_reset();
    cr_assert(pthread_equal(j.thread, pthread_self()));
    cr_assert_eq(hsd_worker_finish(&worker, NULL), HSD_E_NOMEM);
}

Test(worker, one_that_never_began_finishes_well)
{
    hsd_worker worker = {0};
    cr_assert_eq(hsd_worker_finish(&worker, NULL), HSD_OK);
}

/* Both jobs with these results, at once or not; true when the second ran. */
static bool both_ran(hsd_status first, hsd_status second, bool at_once, hsd_status wanted, hsd_error *err)
{
    job jobs[2] = {{.result = first, .error = "the first failed"}, {.result = second, .error = "the second failed"}};
    hsd_error_init(err);
    cr_assert_eq(hsd_run_both((hsd_job){do_job, &jobs[0]}, (hsd_job){do_job, &jobs[1]}, at_once, err), wanted);
    cr_assert(jobs[0].has_run);
    cr_assert_eq(pthread_equal(jobs[0].thread, pthread_self()) == 0, at_once);
    if (jobs[1].has_run) cr_assert(pthread_equal(jobs[1].thread, pthread_self()) && !jobs[1].is_blocked);
    return jobs[1].has_run;
}

Test(both, run_to_their_end_at_once_or_in_turn)
{
    hsd_error err;
    for (int at_once = 0; at_once < 2; at_once++) {
        cr_assert(both_ran(HSD_OK, HSD_OK, at_once, HSD_OK, &err));
        cr_assert_str_empty(err.text);
        cr_assert(both_ran(HSD_OK, HSD_E_IO, at_once, HSD_E_IO, &err));
        cr_assert_str_eq(err.text, "the second failed");
    }
}

Test(both, fail_with_the_error_of_the_first)
{
    hsd_error err;
    cr_assert(both_ran(HSD_E_CORRUPT, HSD_OK, true, HSD_E_CORRUPT, &err));
    cr_assert_str_eq(err.text, "the first failed");
    cr_assert(both_ran(HSD_E_CORRUPT, HSD_E_IO, true, HSD_E_CORRUPT, &err));
    cr_assert_str_eq(err.text, "the first failed");
    cr_assert_not(both_ran(HSD_E_CORRUPT, HSD_OK, false, HSD_E_CORRUPT, &err), "in turn, the second is not begun");
    cr_assert_str_eq(err.text, "the first failed");
}

Test(both, run_in_turn_when_there_is_no_thread_and_need_no_error)
{
    job jobs[2] = {{0}, {.result = HSD_E_IO}};
    hsd_fault_reset();
    hsd_fault_arm(HSD_FAULT_THREAD, 1, true, EAGAIN);
    const hsd_status status = hsd_run_both((hsd_job){do_job, &jobs[0]}, (hsd_job){do_job, &jobs[1]}, true, NULL);
    hsd_fault_reset();
    cr_assert_eq(status, HSD_E_IO);
    cr_assert(pthread_equal(jobs[0].thread, pthread_self()) && jobs[1].has_run);
}

Test(worker, counts_processors_and_stops_at_sixteen)
{
    cr_assert_eq(hsd_worker_count(3), 3);
    cr_assert_eq(hsd_worker_count(400), 16);
    cr_assert(hsd_worker_count(0) >= 1 && hsd_worker_count(0) <= 16);
}

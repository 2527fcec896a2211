/*
 * The viewer as others see it: begin, what it is told, waiting, end.
 */
#include <hsdiff/view.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/options.h"
#include "view/answers.h"
#include "view/listen.h"
#include "view/report.h"
#include "view/state.h"

enum { STEP_MS = 100 };
#define LONG_STEP_NS UINT64_C(1000000000) /* the most that one step of waiting counts for */

uint64_t hsd_view_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool hsd_view_is_known(void) { return hsd_http_is_known(); }

/* ---- requests ---- */

static void note_use(hsd_view *view)
{
    pthread_mutex_lock(&view->lock);
    view->used_ns = hsd_view_now_ns();
    view->was_asked = true;
    pthread_mutex_unlock(&view->lock);
}

static void take_request(void *context, const hsd_view_request *request, hsd_http_answer *answer)
{
    hsd_view *view = context;
    const hsd_view_verdict verdict = hsd_view_judge(&view->guard, request);
    if (verdict.status != 0) {
        hsd_view_refuse(answer, verdict.status, verdict.error, verdict.hint);
        return;
    }
    if (hsd_view_needs_token(request->target)) note_use(view); /* the page alone is anybody's */
    hsd_view_answer(view, request->target, answer);
}

/* ---- begin and end ---- */

static hsd_status start_viewer(hsd_view *view, hsd_error *err)
{
    int listening;
    HSD_TRY(hsd_view_make_page(&view->page, &view->policy, err));
    view->guard.port = view->options.port;
    HSD_TRY(hsd_view_token_make(view->guard.token, err));
    HSD_TRY(hsd_view_listen(&listening, &view->guard.port, view->options.use_ipv6, err));
    snprintf(view->address, sizeof view->address, "http://%s:%u/#%s", view->options.use_ipv6 ? "[::1]" : "127.0.0.1",
             (unsigned)view->guard.port, view->guard.token);
    return hsd_http_start(&view->http, listening, take_request, view, err);
}

hsd_status hsd_view_start(hsd_view **out, const hsd_view_options *options, hsd_error *err)
{
    hsd_view_options own;
    hsd_report_options report;
    *out = NULL;
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_view_options, report, &own, options, err));
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_report_options, config_path, &report, own.report, err));
    hsd_view *view = calloc(1, sizeof *view);
    if (!view) return hsd_fail_nomem(err, "the viewer");
    view->options = own;
    view->options.report = NULL;
    view->report = report;
    view->used_ns = hsd_view_now_ns();
    pthread_mutex_init(&view->lock, NULL);
    const hsd_status status = start_viewer(view, err);
    if (status == HSD_OK)
        *out = view;
    else
        hsd_view_stop(view);
    return status;
}

const char *hsd_view_address(const hsd_view *view) { return view->address; }

static void free_names(char **names, size_t count)
{
    for (size_t i = 0; names && i < count; i++)
        free(names[i]);
    free(names);
}

void hsd_view_stop(hsd_view *view)
{
    if (!view) return;
    hsd_http_stop(view->http);
    hsd_buffer_release(&view->packed);
    hsd_buffer_release(&view->policy);
    hsd_buffer_release(&view->page);
    free_names(view->names, view->name_count);
    pthread_mutex_destroy(&view->lock);
    free(view);
}

/* ---- what is shown ---- */

bool hsd_view_progress(void *context, const char *stage, uint64_t done, uint64_t total)
{
    hsd_view *view = context;
    pthread_mutex_lock(&view->lock);
    snprintf(view->stage, sizeof view->stage, "%s", stage);
    view->done = done;
    view->total = total;
    pthread_mutex_unlock(&view->lock);
    return !atomic_load(&view->has_ended);
}

hsd_status hsd_view_set_captures(hsd_view *view, const char *const *names, size_t count, hsd_error *err)
{
    char **copies = calloc(count > 0 ? count : 1, sizeof *copies);
    bool is_whole = copies != NULL;
    for (size_t i = 0; is_whole && i < count; i++)
        is_whole = (copies[i] = strdup(names[i])) != NULL;
    if (!is_whole) {
        free_names(copies, count);
        return hsd_fail_nomem(err, "names of captures");
    }
    pthread_mutex_lock(&view->lock);
    free_names(view->names, view->name_count);
    view->names = copies;
    view->name_count = count;
    pthread_mutex_unlock(&view->lock);
    return HSD_OK;
}

hsd_status hsd_view_set_report(hsd_view *view, const hsd_diff *diff, const hsd_series *series, hsd_error *err)
{
    hsd_buffer packed = {0};
    if (view->has_report) return hsd_fail(err, HSD_E_MISUSE, "the viewer has its report already");
    const hsd_status status = hsd_view_pack_report(diff, series, &view->report, &packed, err);
    if (status != HSD_OK) {
        hsd_buffer_release(&packed);
        return status;
    }
    pthread_mutex_lock(&view->lock);
    view->packed = packed;
    view->has_report = true;
    view->is_series = series != NULL;
    pthread_mutex_unlock(&view->lock);
    return HSD_OK;
}

static void end_work(hsd_view *view, hsd_view_phase phase)
{
    view->phase = phase;
    view->used_ns = hsd_view_now_ns();
    view->stage[0] = 0;
    view->done = view->total = 0;
}

void hsd_view_set_browse(hsd_view *view, hsd_browse *browse, const char *why)
{
    pthread_mutex_lock(&view->lock);
    view->browse = browse;
    snprintf(view->why_not, sizeof view->why_not, "%s", browse || !why ? "" : why);
    end_work(view, HSD_VIEW_READY);
    pthread_mutex_unlock(&view->lock);
}

void hsd_view_set_error(hsd_view *view, const hsd_error *error)
{
    pthread_mutex_lock(&view->lock);
    view->error = *error;
    snprintf(view->why_not, sizeof view->why_not, "%s", error->text);
    end_work(view, HSD_VIEW_FAILED);
    pthread_mutex_unlock(&view->lock);
}

bool hsd_view_failed_unseen(hsd_view *view)
{
    pthread_mutex_lock(&view->lock);
    const bool is_unseen = view->phase == HSD_VIEW_FAILED && !view->has_report && !view->was_asked;
    pthread_mutex_unlock(&view->lock);
    return is_unseen;
}

/* ---- waiting ---- */

/* How long nobody has asked. Time in which this process did not run does not count: the laptop slept, and so did its
 * user. */
typedef struct idling {
    uint64_t used_ns, looked_ns, idle_ns;
} idling;

/* While there is work, somebody waits for it. */
static bool is_idle(hsd_view *view, idling *since)
{
    const uint64_t most_ns = (uint64_t)view->options.idle_seconds * 1000000000u, now_ns = hsd_view_now_ns();
    pthread_mutex_lock(&view->lock);
    const bool is_working = view->phase == HSD_VIEW_WORKING;
    const uint64_t used_ns = view->used_ns;
    pthread_mutex_unlock(&view->lock);
    const uint64_t passed_ns = now_ns - since->looked_ns;
    since->looked_ns = now_ns;
    since->idle_ns =
        used_ns != since->used_ns ? 0 : since->idle_ns + (passed_ns < LONG_STEP_NS ? passed_ns : LONG_STEP_NS);
    since->used_ns = used_ns;
    return most_ns > 0 && !is_working && since->idle_ns >= most_ns;
}

bool hsd_view_wait(hsd_view *view, hsd_view_stop_fn stop, void *context)
{
    bool is_stopped = false, ended_idle = false;
    idling since = {.looked_ns = hsd_view_now_ns()};
    while (!is_stopped && !ended_idle) {
        nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000L}, NULL);
        hsd_http_cut_slow(view->http);
        is_stopped = stop && stop(context);
        ended_idle = !is_stopped && is_idle(view, &since);
    }
    atomic_store(&view->has_ended, true);
    return ended_idle;
}

/*
 * One capture from outside, from end to end:
 *
 *      facts ──► way ──► a file without a name ──► is it whole? ──► names resolved ──► out_path, at once or not at all
 *
 * Where names are to be resolved, or the result is a pipe, the way writes into a temporary file; else into the result
 * itself. A way and what it calls may speak of progress from several threads: behind one lock.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/options.h"
#include "io/fd.h"
#include "io/output.h"
#include "live/choose.h"
#include "live/ended.h"
#include "live/facts.h"
#include "live/finish.h"
#include "live/kept.h"
#include "live/measure.h"

/* ---- callbacks behind one lock ---- */

typedef struct shared_run {
    hsd_run run; /* what everybody gets */
    const hsd_run *inner;
    pthread_mutex_t lock;
} shared_run;

static bool share_progress(void *context, const char *stage, uint64_t done, uint64_t total)
{
    shared_run *shared = context;
    pthread_mutex_lock(&shared->lock);
    const bool goes_on = shared->inner->progress(shared->inner->progress_context, stage, done, total);
    pthread_mutex_unlock(&shared->lock);
    return goes_on;
}

static void share_note(void *context, hsd_note_level level, const char *text)
{
    shared_run *shared = context;
    pthread_mutex_lock(&shared->lock);
    shared->inner->note(shared->inner->note_context, level, text);
    pthread_mutex_unlock(&shared->lock);
}

static void share(shared_run *shared, const hsd_run *run)
{
    static const hsd_run none;
    shared->inner = run == NULL ? &none : run;
    shared->run = *shared->inner;
    shared->run.progress_context = shared->run.note_context = shared;
    if (shared->run.progress != NULL) shared->run.progress = share_progress;
    if (shared->run.note != NULL) shared->run.note = share_note;
    pthread_mutex_init(&shared->lock, NULL);
}

/* ---- the capture ---- */

/* The same process as the one that was looked at: pids are used again. */
static hsd_status read_again(hsd_process_facts *facts, const hsd_process *process, hsd_error *err)
{
    HSD_TRY(hsd_facts_read(facts, process->pid, err));
    if (facts->started_unix_ns == process->started_unix_ns) return hsd_gates_pass(facts, err);
    return hsd_fail(err, HSD_E_NOT_FOUND, "process %ld (%s) has ended, and another one has its number", process->pid,
                    process->name);
}

/* Where a way writes, and where that can be read when it has ended: the same, or behind a pump that encrypts. */
typedef struct landing {
    int to, from;
    hsd_status (*end)(void *context, hsd_error *err); /* NULL: nothing is to be done between */
    void *context;
} landing;

/* The way into a file, and what came of it. A cut capture with something in it is HSD_OK with is_complete false, if it
 * is kept. */
static hsd_status take_live_run(hsd_live *live, const hsd_way *way, const landing *at, hsd_error *err)
{
    struct stat info;
    live->out_fd = at->to;
    hsd_error unwanted, *why = err == NULL ? &unwanted : err;
    hsd_error_init(why);
    const hsd_status status = hsd_live_blame_end(live, way->capture(live, why), why);
    if (status == HSD_E_CANCELLED || status == HSD_E_NOMEM || status == HSD_E_MISUSE) return status;
    if (at->end != NULL) HSD_TRY(at->end(at->context, status < 0 ? NULL : why));
    const int fd = live->out_fd = at->from;
    if (status < 0 && !(live->options->keep_cut && fstat(fd, &info) == 0 && info.st_size > 0)) return status;
    return hsd_live_inspect(live, status, why);
}

static hsd_status finish_live_run(hsd_live *live, hsd_output *output, hsd_error *err)
{
    /* else the way wrote there itself */
    if (output->size_bytes > 0) live->result->output_bytes = output->size_bytes;
    return hsd_output_finish(output, err);
}

static hsd_status end_kept(void *context, hsd_error *err) { return hsd_kept_end(context, err); }

static hsd_status capture_through_temp(hsd_live *live, const hsd_way *way, hsd_output *output, hsd_error *err)
{
    hsd_kept raw;
    hsd_status status = hsd_kept_begin(&raw, live->space, live->run->crypt, err);
    if (status == HSD_OK) status = hsd_output_encrypt(output, live->run->crypt, err);
    const landing at = {hsd_kept_target(&raw), raw.temp.fd, end_kept, &raw};
    if (status == HSD_OK) status = take_live_run(live, way, &at, err);
    if (status == HSD_OK && way->leaves_names && live->result->is_complete)
        status = hsd_live_resolve(live, raw.temp.fd, output, err);
    else if (status == HSD_OK)
        status = hsd_live_pass_on(live, raw.temp.fd, output, err);
    hsd_kept_close(&raw);
    return status;
}

/* Where a capture goes: a file that gets its name, or one without. */
typedef struct target {
    const char *path;
    bool force;
    int *fd; /* NULL = to `path` */
} target;

typedef struct encrypting {
    hsd_output *output;
    hsd_pump pump;
} encrypting;

static hsd_status end_encrypting(void *context, hsd_error *err)
{
    encrypting *self = context;
    HSD_TRY(hsd_pump_finish(&self->pump, err));
    return hsd_output_settle(self->output, err);
}

/* Straight into the file, or by a pump that encrypts. */
static hsd_status capture_into_output(hsd_live *live, const hsd_way *way, hsd_output *output, hsd_error *err)
{
    encrypting self = {.output = output};
    if (!hsd_crypt_has_recipients(live->run->crypt))
        return take_live_run(live, way, &(landing){.to = output->fd, .from = output->fd}, err);
    hsd_status status = hsd_output_encrypt_descriptor(output, &self.pump, live->run->crypt, err);
    const landing at = {self.pump.fd, output->fd, end_encrypting, &self};
    if (status == HSD_OK) status = take_live_run(live, way, &at, err);
    hsd_pump_finish(&self.pump, NULL);
    return status;
}

static hsd_status capture_into_file(hsd_live *live, const hsd_way *way, const target *to, hsd_error *err)
{
    hsd_output output;
    HSD_TRY(hsd_output_open(&output, to->path, to->force, err));
    hsd_status status = output.is_in_place || way->leaves_names ? capture_through_temp(live, way, &output, err)
                                                                : capture_into_output(live, way, &output, err);
    if (status == HSD_OK) status = finish_live_run(live, &output, err);
    hsd_output_close(&output);
    return status;
}

/* Names are resolved from one temporary file into another. */
static hsd_status resolve_into_temp(hsd_live *live, const hsd_way *way, const hsd_temp *kept, hsd_error *err)
{
    hsd_output output;
    const int fd = dup(kept->fd);
    if (fd < 0) return hsd_fail_errno(err, errno, "cannot write temporary data");
    HSD_TRY(hsd_output_open_fd(&output, fd, "temporary data", err));
    hsd_status status = capture_through_temp(live, way, &output, err);
    if (status == HSD_OK) status = finish_live_run(live, &output, err);
    hsd_output_close(&output);
    return status;
}

static hsd_status capture_into_temp(hsd_live *live, const hsd_way *way, const target *to, hsd_error *err)
{
    hsd_temp kept;
    HSD_TRY(hsd_temp_open(&kept, live->space, err));
    const hsd_status status = way->leaves_names
                                  ? resolve_into_temp(live, way, &kept, err)
                                  : take_live_run(live, way, &(landing){.to = kept.fd, .from = kept.fd}, err);
    if (status == HSD_OK) {
        *to->fd = kept.fd;
        kept.fd = -1; /* it is the caller's now */
    }
    hsd_temp_close(&kept);
    return status;
}

static hsd_status capture_live_run(const hsd_process *process, const target *to, const hsd_live_options *options,
                                   const hsd_run *run, hsd_live_result *result, hsd_error *err)
{
    hsd_process_facts facts;
    hsd_live_options own;
    hsd_live_result unwanted;
    hsd_temp_space space;
    hsd_reporter reporter;
    shared_run shared;
    const hsd_way *way = NULL;
    if (process->way == NULL) return hsd_fail(err, HSD_E_MISUSE, "a process that was not looked at");
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_live_options, symbol_directory_count, &own, options, err));
    if (options == NULL) own.compression = 1;
    HSD_TRY(hsd_way_find(&way, process->way, err));
    HSD_TRY(read_again(&facts, process, err));
    share(&shared, run);
    hsd_reporter_init(&reporter, &shared.run);
    hsd_temp_space_init(&space, shared.run.temp_dir);
    hsd_live live = {.facts = &facts,
                     .process = process,
                     .options = &own,
                     .run = &shared.run,
                     .reporter = &reporter,
                     .space = &space,
                     .out_fd = -1,
                     .started_ns = hsd_now_ns(),
                     .result = result == NULL ? &unwanted : result};
    live.before_count = hsd_measure_process(facts.pid, live.before, HSD_LIVE_METRICS);
    *live.result = (hsd_live_result){0};
    const hsd_status status = to->fd ? capture_into_temp(&live, way, to, err) : capture_into_file(&live, way, to, err);
    live.result->duration_ns = hsd_now_ns() - live.started_ns;
    hsd_reporter_release(&reporter);
    pthread_mutex_destroy(&shared.lock);
    return status;
}

hsd_status hsd_live_capture(const hsd_process *process, const char *out_path, bool force,
                            const hsd_live_options *options, const hsd_run *run, hsd_live_result *result,
                            hsd_error *err)
{
    return capture_live_run(process, &(target){.path = out_path, .force = force}, options, run, result, err);
}

hsd_status hsd_live_capture_temp(const hsd_process *process, const hsd_live_options *options, const hsd_run *run,
                                 int *out_fd, hsd_live_result *result, hsd_error *err)
{
    *out_fd = -1;
    return capture_live_run(process, &(target){.fd = out_fd}, options, run, result, err);
}

hsd_status hsd_live_forget(const hsd_process *process, const hsd_run *run, hsd_error *err)
{
    hsd_process_facts facts;
    const hsd_way *way = NULL;
    if (process->way == NULL) return hsd_fail(err, HSD_E_MISUSE, "a process that was not looked at");
    HSD_TRY(hsd_way_find(&way, process->way, err));
    HSD_TRY(read_again(&facts, process, err));
    if (way->forget != NULL) return way->forget(&facts, run, err);
    return hsd_fail(err, HSD_E_UNSUPPORTED, "the way %s keeps nothing in process %ld (%s): there is nothing to forget",
                    way->name, process->pid, process->name);
}

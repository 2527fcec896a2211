/*
 * What is done with a capture behind the way: it is opened as any reader would open it, which tells whether it is
 * whole; its names are resolved while the files that they come from are still mapped; it goes to where the user wants
 * it.
 */
#include "live/finish.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/kept.h"
#include <hsdiff/capture.h>
#include <hsdiff/symbols.h>

/* ---- what is in it ---- */

static bool is_text(hsd_text text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

static hsd_status read_pause(hsd_capture *capture, hsd_live_result *result, hsd_error *err)
{
    hsd_record_reader *reader = NULL;
    hsd_record record;
    hsd_status status;
    HSD_TRY(hsd_record_reader_open(&reader, capture, HSD_RECORD_METRIC, err));
    while ((status = hsd_record_reader_next(reader, &record, err)) == HSD_OK)
        if (result->pause_ns == 0 && is_text(record.metric.name, "capture.pause") && is_text(record.metric.unit, "ns"))
            result->pause_ns = record.metric.value;
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status read_result(hsd_capture *capture, bool keep_cut, hsd_live_result *result, hsd_error *err)
{
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    result->objects = info->objects - info->pseudo_objects + info->summary_objects;
    result->references = info->references + info->edges;
    result->bytes = info->bytes + info->native_bytes + info->summary_bytes;
    result->output_bytes = info->file_bytes;
    result->losses = info->lost;
    result->is_complete = info->is_complete;
    if (!info->is_complete && !keep_cut)
        return hsd_fail(err, HSD_E_TRUNCATED, "is incomplete: %s", info->incomplete_reason);
    return read_pause(capture, result, err);
}

static hsd_status measure_live_finish(int fd, const char *name, hsd_damage damage, const hsd_run *run,
                                      hsd_live_result *result, hsd_error *err)
{
    hsd_run quiet = run != NULL ? *run : (hsd_run){0};
    hsd_capture *capture = NULL;
    quiet.note = NULL; /* that it was cut off is said by the result */
    const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return hsd_fail_errno(err, errno, "cannot look at the capture");
    HSD_TRY(hsd_capture_open_fd(&capture, copy, name, damage, &quiet, err));
    const hsd_status status = read_result(capture, damage == HSD_DAMAGE_SKIP, result, err);
    hsd_capture_close(capture);
    return status;
}

hsd_status hsd_capture_measure(int fd, const char *name, bool keep_cut, const hsd_run *run, hsd_live_result *result,
                               hsd_error *err)
{
    const hsd_status status = measure_live_finish(fd, name, HSD_DAMAGE_REFUSE, run, result, err);
    if (!keep_cut || (status != HSD_E_TRUNCATED && status != HSD_E_CORRUPT)) return status;
    hsd_error_init(err);
    return measure_live_finish(fd, name, HSD_DAMAGE_SKIP, run, result, err);
}

/* The reader says how far the file goes; the user wants to know what happened to the process. */
static hsd_status tell_cut(const hsd_live *live, hsd_error *err)
{
    char why[sizeof err->text];
    memcpy(why, err->text, sizeof why);
    err->file[0] = '\0';
    if (live->result->output_bytes > 0) /* it has an end, and says itself why it came early */
        hsd_fail(err, HSD_E_TRUNCATED, "the capture of process %ld (%s) %.300s", live->facts->pid, live->process->name,
                 why);
    else
        hsd_fail(err, HSD_E_TRUNCATED,
                 "process %ld (%s) or its agent went away in the middle of the capture, which %.200s", live->facts->pid,
                 live->process->name, why);
    hsd_error_set_hint(err, "nothing was kept; with --partial what came is: hsdiff capture %ld --partial",
                       live->facts->pid);
    return HSD_E_TRUNCATED;
}

hsd_status hsd_live_inspect(hsd_live *live, hsd_status of_the_way, hsd_error *err)
{
    hsd_error unwanted, *why = err == NULL ? &unwanted : err, before;
    hsd_error_init(&before);
    if (of_the_way < 0) before = *why;
    hsd_error_init(why);
    const hsd_status status =
        hsd_capture_measure(live->out_fd, "the capture", live->options->keep_cut, live->run, live->result, why);
    if (of_the_way < 0 && status == HSD_OK) {
        live->result->is_complete = false; /* a dump that failed may have ended in good order */
        hsd_note(live->reporter, HSD_NOTE_WARNING, "the capture was cut off: %s", before.text);
        return HSD_OK;
    }
    if (of_the_way < 0) {
        *why = before;
        return of_the_way;
    }
    if (status == HSD_E_TRUNCATED) return tell_cut(live, why);
    return status;
}

/* ---- where it goes ---- */

typedef struct passing {
    const hsd_live *live;
    hsd_output *output;
} passing;

static hsd_status pass_piece(void *context, const void *data, size_t size, hsd_error *err)
{
    const passing *to = context;
    HSD_TRY(hsd_output_write(to->output, data, size, err));
    return hsd_progress(to->live->reporter, "copying the capture", to->output->size_bytes,
                        to->live->result->output_bytes, err);
}

hsd_status hsd_live_pass_on(hsd_live *live, int fd, hsd_output *output, hsd_error *err)
{
    return hsd_kept_read(fd, live->run->crypt, pass_piece, &(passing){live, output}, err);
}

static hsd_status resolve_into(hsd_live *live, int from, int to, hsd_error *err)
{
    const hsd_symbol_options options = {.pid = live->facts->pid,
                                        .directories = live->options->symbol_directories,
                                        .directory_count = live->options->symbol_directory_count};
    hsd_symbol_result result = {0};
    const hsd_status status = hsd_symbols_resolve(from, to, &options, live->run, &result, err);
    if (status != HSD_OK) return status;
    hsd_note(live->reporter, HSD_NOTE_DETAIL, "%llu of %llu names resolved from %llu of %llu modules",
             (unsigned long long)result.resolved, (unsigned long long)result.names,
             (unsigned long long)result.modules_found, (unsigned long long)result.modules);
    return HSD_OK;
}

hsd_status hsd_live_resolve(hsd_live *live, int fd, hsd_output *output, hsd_error *err)
{
    hsd_kept resolved;
    hsd_error why;
    hsd_error_init(&why);
    hsd_status status = hsd_kept_begin(&resolved, live->space, live->run->crypt, err);
    if (status != HSD_OK) {
        hsd_kept_close(&resolved);
        return status;
    }
    status = resolve_into(live, fd, hsd_kept_target(&resolved), &why);
    if (status == HSD_OK) status = hsd_kept_end(&resolved, &why);
    if (status == HSD_E_CANCELLED) {
        if (err != NULL) *err = why;
    } else if (status < 0) {
        hsd_note(live->reporter, HSD_NOTE_WARNING, "names stay addresses: %s; hsdiff symbolize can resolve them later",
                 why.text);
        status = hsd_live_pass_on(live, fd, output, err);
    } else {
        status = hsd_live_pass_on(live, resolved.temp.fd, output, err);
    }
    hsd_kept_close(&resolved);
    return status;
}

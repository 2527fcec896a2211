#define _GNU_SOURCE /* F_SETPIPE_SZ */
/*
 * HotSpot without memory for tags: the JVM writes a heap dump into a pipe, and the importer reads it as it comes. What
 * the importer must see twice it keeps on this side; the target needs neither disk nor memory.
 *
 *      hsdiff ── jcmd "GC.heap_dump -overwrite /tmp/.hsdiff-…/heap" ──► .java_pidN      (attach.c)
 *             ◄══ pipe /tmp/.hsdiff-…/heap ═══════════════════════════ JVM
 *
 * The pipe lies in a folder of the target's user that nobody else may enter, and goes as soon as both ends are open.
 * From JDK 22 on there are two of them (dump_parts.h). JVMs up to JDK 14 have no -overwrite and refuse what exists:
 * those get a file in that folder, which loses its name as soon as it is there, while the JVM still writes.
 */
#include "live/way.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/note.h"
#include "live/jvm/attach.h"
#include "live/jvm/dump_parts.h"
#include "live/jvm/jvm_process.h"
#include "live/jvm/tidy.h"
#include "live/wait.h"

#define PIPE        "heap"
#define SECOND_PIPE PIPE ".p0" /* the JVM's own name */
#define FILE_NAME   "file"
#define PIPE_BYTES  (1 << 20)
enum { FILE_STEP_MS = 1 };

typedef struct dump {
    hsd_live *live;
    hsd_tidy tidy;
    char folder[128]; /* as seen from here */
    int attach_fd, fd;
    hsd_perfdata perfdata;
    uint64_t pause_ns;
} dump;

/* ---- what the JVM says ---- */

/* "Heap dump file created [3192311 bytes in 0.068 secs]": the JVM stands still for all of that but the beginning. */
static uint64_t pause_of(const char *text)
{
    const char *at = strstr(text, " bytes in ");
    uint64_t ns = 0, unit = 1000000000;
    if (at == NULL) return 0;
    for (at += sizeof " bytes in " - 1; *at >= '0' && *at <= '9' && ns < UINT64_C(1000000); at++)
        ns = ns * 10 + (uint64_t)(*at - '0');
    ns *= unit;
    if (*at != '.' && *at != ',') return ns;
    for (at++; *at >= '0' && *at <= '9' && unit > 1; at++) {
        unit /= 10;
        ns += (uint64_t)(*at - '0') * unit;
    }
    return ns;
}

static void read_pause(dump *of)
{
    hsd_attach_answer answer;
    if (of->attach_fd < 0 || hsd_attach_read(of->attach_fd, 5, &answer, NULL) != HSD_OK) return;
    of->pause_ns = pause_of(answer.text);
    close(of->attach_fd);
    of->attach_fd = -1;
}

static size_t tell_metrics(void *context, hsd_origin_metric *out, size_t most)
{
    dump *of = context;
    size_t count = hsd_perfdata_metrics(&of->perfdata, out, most);
    read_pause(of);
    if (of->pause_ns > 0 && count < most) out[count++] = (hsd_origin_metric){"capture.pause", "ns", of->pause_ns};
    return count;
}

static hsd_status import(dump *of, hsd_error *err)
{
    const hsd_import_origin origin = {.metrics = tell_metrics, .context = of};
    const hsd_import_options options = {.origin = &origin,
                                        .with_values = of->live->options->with_values,
                                        .compression = of->live->options->compression};
    const hsd_status status = hsd_live_import(of->live, of->fd, "hprof", &options, err);
    if (status == HSD_OK) of->live->result->pause_ns = of->pause_ns;
    return status;
}

/* ---- asking ---- */

static hsd_status ask_hprof_way(dump *of, const char *options, const char *name, hsd_error *err)
{
    char command[256];
    const char *folder = of->folder + strlen(of->live->facts->root);
    snprintf(command, sizeof command, "GC.heap_dump %s%s/%s", options, folder, name);
    const char *const arguments[HSD_ATTACH_ARGUMENTS] = {command};
    HSD_TRY(hsd_attach_open(&of->attach_fd, of->live->facts, err));
    return hsd_attach_send(of->attach_fd, "jcmd", arguments, err);
}

static void hang_up(dump *of)
{
    if (of->attach_fd >= 0) close(of->attach_fd);
    of->attach_fd = -1;
}

static hsd_status open_in(const dump *of, const char *name, int *out, hsd_error *err)
{
    char path[192];
    snprintf(path, sizeof path, "%s/%s", of->folder, name);
    *out = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    return *out < 0 ? hsd_fail_errno(err, errno, "cannot open %s", path) : HSD_OK;
}

static void close_pipe(dump *of)
{
    if (of->fd >= 0) close(of->fd);
    of->fd = -1;
}

/* ---- through a file ---- */

/* Once the file is there its name goes, and the folder: whatever ends us or the JVM from then on, it is gone. */
static void take_file(dump *of)
{
    if (of->fd < 0 && open_in(of, FILE_NAME, &of->fd, NULL) == HSD_OK) hsd_tidy_end(&of->tidy);
}

/* Waits for the JVM's answer, which comes when the file is whole. */
static hsd_status wait_for_answer(dump *of, hsd_error *err)
{
    hsd_waiting waiting;
    hsd_live_waiting(&waiting, of->live);
    /* nothing can be seen of its progress */
    waiting.timeout_seconds = waiting.timeout_seconds == 0 ? 600 : waiting.timeout_seconds * 10;
    const uint64_t end = hsd_now_ns() + (uint64_t)waiting.timeout_seconds * UINT64_C(1000000000);
    for (struct pollfd one = {.fd = of->attach_fd, .events = POLLIN};
         of->fd < 0 && hsd_now_ns() < end && poll(&one, 1, FILE_STEP_MS) == 0;) {
        take_file(of);
        HSD_TRY(hsd_progress(of->live->reporter, waiting.stage, 0, 0, err));
    }
    return hsd_wait_fd(&waiting, of->attach_fd, POLLIN, -1, err);
}

static hsd_status wait_for_file(dump *of, hsd_error *err)
{
    hsd_attach_answer answer;
    HSD_TRY(wait_for_answer(of, err));
    HSD_TRY(hsd_attach_read(of->attach_fd, 60, &answer, err));
    of->pause_ns = pause_of(answer.text);
    hang_up(of);
    take_file(of); /* a small heap: it was there and whole at once */
    if (answer.status == 0 && strstr(answer.text, "Heap dump file created") != NULL) return HSD_OK;
    answer.text[strcspn(answer.text, "\n")] = '\0';
    hsd_fail(err, HSD_E_UNSUPPORTED, "the JVM of process %ld does not dump its heap: %.200s", of->live->facts->pid,
             answer.text);
    hsd_error_set_hint(err, "is there room in its /tmp for as much as its heap? jcmd %ld GC.heap_info",
                       of->live->facts->pid);
    return HSD_E_UNSUPPORTED;
}

static hsd_status dump_to_file(dump *of, hsd_error *err)
{
    struct stat found;
    HSD_TRY(ask_hprof_way(of, "", FILE_NAME, err));
    HSD_TRY(wait_for_file(of, err));
    if (of->fd < 0) HSD_TRY(open_in(of, FILE_NAME, &of->fd, err));
    if (fstat(of->fd, &found) == 0)
        hsd_note(of->live->reporter, HSD_NOTE_WARNING,
                 "this JVM cannot dump into a pipe: the dump went through a file of %llu MiB in its /tmp, which is "
                 "gone again",
                 (unsigned long long)found.st_size >> 20);
    return import(of, err);
}

/* ---- through a pipe ---- */

/* *is_refused: the JVM does not write into a pipe. */
static hsd_status wait_for_pipe(dump *of, bool *is_refused, hsd_error *err)
{
    hsd_attach_answer answer;
    hsd_waiting waiting;
    hsd_live_waiting(&waiting, of->live);
    const hsd_status status = hsd_wait_fd(&waiting, of->fd, POLLIN, of->attach_fd, err);
    if (status != HSD_END) return status;
    struct pollfd one = {.fd = of->fd, .events = POLLIN};
    /* a small dump, all of it in the pipe */
    if (poll(&one, 1, 0) > 0 && (one.revents & POLLIN) != 0) return HSD_OK;
    HSD_TRY(hsd_attach_read(of->attach_fd, 5, &answer, err));
    *is_refused = true;
    return HSD_OK;
}

static hsd_status dump_to_pipe(dump *of, bool *is_refused, hsd_error *err)
{
    HSD_TRY(open_in(of, PIPE, &of->fd, err));
    HSD_TRY(ask_hprof_way(of, "-overwrite ", PIPE, err));
    HSD_TRY(wait_for_pipe(of, is_refused, err));
    if (*is_refused) return HSD_OK;
    hsd_tidy_end(&of->tidy); /* both ends are open */
    fcntl(of->fd, F_SETFL, 0);
    fcntl(of->fd, F_SETPIPE_SZ, PIPE_BYTES); /* refused by some systems: then it is slower */
    return import(of, err);
}

/* ---- through two pipes ---- */

/* What was collected takes the place of the pipe. */
static hsd_status import_collected(dump *of, hsd_temp *whole, hsd_error *err)
{
    hsd_tidy_end(&of->tidy);
    close_pipe(of);
    of->fd = dup(whole->fd);
    if (of->fd < 0 || lseek(of->fd, 0, SEEK_SET) != 0) return hsd_fail_errno(err, errno, "cannot read temporary data");
    of->live->received_bytes = 0;
    return import(of, err);
}

static hsd_status collect_hprof_way(dump *of, int objects_fd, bool *is_refused, hsd_error *err)
{
    char path[192];
    hsd_temp whole;
    snprintf(path, sizeof path, "%s/%s", of->folder, SECOND_PIPE);
    HSD_TRY(ask_hprof_way(of, "-overwrite -parallel=1 ", PIPE, err));
    const hsd_dump_parts parts = {of->fd, objects_fd, path, of->attach_fd};
    fcntl(of->fd, F_SETPIPE_SZ, PIPE_BYTES);
    fcntl(objects_fd, F_SETPIPE_SZ, PIPE_BYTES);
    HSD_TRY(hsd_temp_open(&whole, of->live->space, err));
    hsd_status status = hsd_dump_parts_collect(of->live, &parts, &whole, is_refused, err);
    if (status == HSD_OK && !*is_refused) status = import_collected(of, &whole, err);
    hsd_temp_close(&whole);
    return status;
}

static hsd_status dump_to_two_pipes(dump *of, bool *is_refused, hsd_error *err)
{
    int objects_fd = -1;
    HSD_TRY(open_in(of, PIPE, &of->fd, err));
    hsd_status status = open_in(of, SECOND_PIPE, &objects_fd, err);
    if (status == HSD_OK) status = collect_hprof_way(of, objects_fd, is_refused, err);
    hsd_tidy_end(&of->tidy); /* before our end closes, as below */
    if (objects_fd >= 0) close(objects_fd);
    return status;
}

/* ---- the way ---- */

/* "OpenJDK 64-Bit Server VM version 25.0.3+9\nJDK 25.0.3" */
static long ask_version(dump *of)
{
    static const char *const arguments[HSD_ATTACH_ARGUMENTS] = {"VM.version"};
    hsd_attach_answer answer;
    int fd = -1;
    hsd_status status = hsd_attach_open(&fd, of->live->facts, NULL);
    if (status == HSD_OK) status = hsd_attach_send(fd, "jcmd", arguments, NULL);
    if (status == HSD_OK) status = hsd_attach_read(fd, 10, &answer, NULL);
    if (fd >= 0) close(fd);
    const char *at = status == HSD_OK ? strstr(answer.text, "\nJDK ") : NULL;
    return at == NULL ? 0 : strtol(at + 5, NULL, 10);
}

/* By its counters ("17.0.15", "25", "1.8.0_302"), or asked where it keeps none. 0 = it does not say. */
static long major_version(dump *of)
{
    return of->perfdata.version[0] != '\0' ? strtol(of->perfdata.version, NULL, 10) : ask_version(of);
}

static hsd_status take_hprof_way(dump *of, hsd_error *err)
{
    bool is_refused = false;
    HSD_TRY(major_version(of) >= HSD_DUMP_PARTS_SINCE ? dump_to_two_pipes(of, &is_refused, err)
                                                      : dump_to_pipe(of, &is_refused, err));
    if (!is_refused) return HSD_OK;
    close_pipe(of); /* the JVM has answered, so it is not in the pipe */
    hang_up(of);
    return dump_to_file(of, err);
}

static hsd_status capture_hprof_way(hsd_live *live, hsd_error *err)
{
    static const char *const pipes[] = {PIPE, SECOND_PIPE, NULL};
    dump of = {.live = live, .attach_fd = -1, .fd = -1};
    hsd_perfdata_read(&of.perfdata, live->facts);
    HSD_TRY(hsd_tidy_folder(&of.tidy, live->facts, of.folder, sizeof of.folder, pipes, err));
    const hsd_status status = take_hprof_way(&of, err);
    /* before our end of the pipe closes: a JVM that opens it now would wait for a reader for ever */
    hsd_tidy_end(&of.tidy);
    close_pipe(&of); /* a JVM that still writes is told by that */
    hang_up(&of);
    if (status != HSD_OK) hsd_attach_sweep(live->facts);
    return status;
}

static hsd_gate look_hprof_way(const hsd_process_facts *facts, hsd_process *process, hsd_error *err)
{
    return hsd_jvm_look(facts, process, err);
}

const hsd_way hsd_way_hprof = {
    .name = "hprof",
    .summary = "HotSpot: a heap dump through a pipe; takes no memory in the program, and objects have no ids",
    .stored = "shapes only: no strings, keys or field values",
    .look = look_hprof_way,
    .capture = capture_hprof_way,
};

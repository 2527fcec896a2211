#define _GNU_SOURCE /* F_SETPIPE_SZ */
/*
 * HotSpot without memory for tags: the JVM writes a heap dump into a pipe, and the importer reads it as it comes. What the importer
 * must see twice it keeps on this side; the target needs neither disk nor memory.
 *
 *      hsdiff ── jcmd "GC.heap_dump -overwrite /tmp/.hsdiff-…/heap" ──► .java_pidN      (attach.c)
 *             ◄══ pipe /tmp/.hsdiff-…/heap ═══════════════════════════ JVM
 *
 * The pipe lies in a folder of the target's user that nobody else may enter, and goes as soon as both ends are open. JVMs up to JDK 14
 * have no -overwrite and refuse what exists: those get a file in that folder, which is imported and removed.
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
#include "live/jvm/jvm_process.h"
#include "live/jvm/tidy.h"
#include "live/wait.h"

#define PIPE "heap"
#define FILE_NAME "file"
#define PIPE_BYTES (1 << 20)

typedef struct dump {
    hsd_live *live;
    hsd_tidy tidy;
    char folder[128];   /* as seen from here */
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
    const hsd_import_options options = {.origin = &origin, .with_values = of->live->options->with_values,
                                        .compression = of->live->options->compression};
    const hsd_status status = hsd_live_import(of->live, of->fd, "hprof", &options, err);
    if (status == HSD_OK) of->live->result->pause_ns = of->pause_ns;
    return status;
}

/* ---- asking ---- */

static hsd_status ask(dump *of, const char *options, const char *name, hsd_error *err)
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

static hsd_status open_in(dump *of, const char *name, hsd_error *err)
{
    char path[192];
    snprintf(path, sizeof path, "%s/%s", of->folder, name);
    of->fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    return of->fd < 0 ? hsd_fail_errno(err, errno, "cannot open %s", path) : HSD_OK;
}

/* ---- through a file ---- */

/* Waits for the JVM's answer, which comes when the file is whole. */
static hsd_status wait_for_file(dump *of, hsd_error *err)
{
    hsd_attach_answer answer;
    hsd_waiting waiting;
    hsd_live_waiting(&waiting, of->live);
    waiting.timeout_seconds = waiting.timeout_seconds == 0 ? 600 : waiting.timeout_seconds * 10; /* nothing can be seen of its progress */
    HSD_TRY(hsd_wait_fd(&waiting, of->attach_fd, POLLIN, -1, err));
    HSD_TRY(hsd_attach_read(of->attach_fd, 60, &answer, err));
    of->pause_ns = pause_of(answer.text);
    hang_up(of);
    if (answer.status == 0 && strstr(answer.text, "Heap dump file created") != NULL) return HSD_OK;
    answer.text[strcspn(answer.text, "\n")] = '\0';
    hsd_fail(err, HSD_E_UNSUPPORTED, "the JVM of process %ld does not dump its heap: %.200s", of->live->facts->pid, answer.text);
    hsd_error_set_hint(err, "is there room in its /tmp for as much as its heap? jcmd %ld GC.heap_info", of->live->facts->pid);
    return HSD_E_UNSUPPORTED;
}

static hsd_status dump_to_file(dump *of, hsd_error *err)
{
    struct stat found;
    HSD_TRY(ask(of, "", FILE_NAME, err));
    HSD_TRY(wait_for_file(of, err));
    HSD_TRY(open_in(of, FILE_NAME, err));
    hsd_tidy_end(&of->tidy);
    if (fstat(of->fd, &found) == 0)
        hsd_note(of->live->reporter, HSD_NOTE_WARNING,
                 "this JVM cannot dump into a pipe: the dump went through a file of %llu MiB in its /tmp, which is gone again",
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
    if (poll(&one, 1, 0) > 0 && (one.revents & POLLIN) != 0) return HSD_OK; /* a small dump, all of it in the pipe */
    HSD_TRY(hsd_attach_read(of->attach_fd, 5, &answer, err));
    *is_refused = true;
    return HSD_OK;
}

static hsd_status dump_to_pipe(dump *of, bool *is_refused, hsd_error *err)
{
    HSD_TRY(open_in(of, PIPE, err));
    HSD_TRY(ask(of, "-overwrite ", PIPE, err));
    HSD_TRY(wait_for_pipe(of, is_refused, err));
    if (*is_refused) {
        close(of->fd); /* the JVM has answered, so it is not in the pipe */
        of->fd = -1;
        hang_up(of);
        return HSD_OK;
    }
    hsd_tidy_end(&of->tidy); /* both ends are open */
    fcntl(of->fd, F_SETFL, 0);
    fcntl(of->fd, F_SETPIPE_SZ, PIPE_BYTES); /* refused by some systems: then it is slower */
    return import(of, err);
}

static hsd_status capture(hsd_live *live, hsd_error *err)
{
    dump of = {.live = live, .attach_fd = -1, .fd = -1};
    bool is_refused = false;
    hsd_perfdata_read(&of.perfdata, live->facts);
    HSD_TRY(hsd_tidy_folder(&of.tidy, live->facts, of.folder, sizeof of.folder, PIPE, err));
    hsd_status status = dump_to_pipe(&of, &is_refused, err);
    if (status == HSD_OK && is_refused) status = dump_to_file(&of, err);
    hsd_tidy_end(&of.tidy); /* before our end of the pipe closes: a JVM that opens it now would wait for a reader for ever */
    if (of.fd >= 0) close(of.fd); /* a JVM that still writes is told by that */
    hang_up(&of);
    if (status != HSD_OK) hsd_attach_sweep(live->facts);
    return status;
}

static hsd_gate look(const hsd_process_facts *facts, hsd_process *process, hsd_error *err) { return hsd_jvm_look(facts, process, err); }

const hsd_way hsd_way_hprof = {
    .name = "hprof",
    .summary = "HotSpot: a heap dump through a pipe; takes no memory in the program, and objects have no ids",
    .stored = "shapes only: no strings, keys or field values",
    .look = look,
    .capture = capture,
};

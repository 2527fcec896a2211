/*
 * A dump in the runtime's own format, imported as it comes.
 *
 *      fd ──► pump: a thread that waits, with timeout and progress ──► socket pair ──► importer ──► live->out_fd
 *
 * Importers read as if from a pipe and wait for ever; the pump ends the pipe when nothing comes any more. The capture
 * tells of the process what its dump cannot: name, pid, start, an identity domain of this very process, how big it is.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fail.h"
#include "io/fd.h"
#include "live/measure.h"
#include "live/wait.h"

#define PIECE_BYTES ((size_t)128 << 10)

/* ---- the pump ---- */

typedef struct pump {
    hsd_live *live;
    int from, to;
    pthread_t thread;
    hsd_status status;
    hsd_error error;
    uint8_t piece[PIECE_BYTES];
} pump;

/* 0, EPIPE when the importer wants no more, or another errno. */
static int send_whole(int fd, const uint8_t *data, size_t size)
{
    while (size > 0) {
        const ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) return errno;
        if (sent <= 0) continue;
        data += sent;
        size -= (size_t)sent;
    }
    return 0;
}

static hsd_status pump_all(pump *p, hsd_error *err)
{
    hsd_waiting waiting;
    hsd_live_waiting(&waiting, p->live);
    for (;;) {
        size_t got = 0;
        const hsd_status ready = hsd_wait_fd(&waiting, p->from, POLLIN, p->to, err);
        if (ready != HSD_OK) return ready == HSD_END ? HSD_OK : ready;
        int error = hsd_fd_read(p->from, p->piece, sizeof p->piece, HSD_FD_HERE, &got);
        if (error == ECONNRESET) return HSD_OK;
        if (error != 0) return hsd_fail_errno(err, error, "cannot read from process %ld", p->live->facts->pid);
        if (got == 0) return HSD_OK;
        p->live->received_bytes += got;
        error = send_whole(p->to, p->piece, got);
        if (error != 0) return error == EPIPE ? HSD_OK : hsd_fail_errno(err, error, "cannot pass the dump on");
    }
}

static void *run_pump(void *context)
{
    pump *p = context;
    p->status = pump_all(p, &p->error);
    shutdown(p->to, SHUT_RDWR);
    return NULL;
}

static hsd_status start_pump(pump **out, hsd_live *live, int from, int to, hsd_error *err)
{
    pump *p = malloc(sizeof *p);
    *out = NULL;
    if (p == NULL) return hsd_fail_nomem(err, "a buffer for the dump");
    p->live = live;
    p->from = from;
    p->to = to;
    p->status = HSD_OK;
    hsd_error_init(&p->error);
    const int error = pthread_create(&p->thread, NULL, run_pump, p);
    if (error != 0) {
        free(p);
        return hsd_fail_errno(err, error, "cannot start a thread that reads the dump");
    }
    *out = p;
    return HSD_OK;
}

/* ---- what is known of the process ---- */

typedef struct teller {
    hsd_live *live;
    const hsd_import_origin *asked; /* the way's own, may be NULL */
} teller;

static size_t tell_metrics(void *context, hsd_origin_metric *out, size_t most)
{
    const teller *tell = context;
    size_t count = tell->live->before_count < most ? tell->live->before_count : most;
    memcpy(out, tell->live->before, count * sizeof *out);
    if (count < most)
        out[count++] = (hsd_origin_metric){"capture.duration", "ns", hsd_now_ns() - tell->live->started_ns};
    if (tell->asked != NULL && tell->asked->metrics != NULL && count < most)
        count += tell->asked->metrics(tell->asked->context, out + count, most - count);
    return count;
}

static void tell_heap_end(void *context)
{
    const teller *tell = context;
    if (tell->asked != NULL && tell->asked->heap_end != NULL) tell->asked->heap_end(tell->asked->context);
}

static void describe_live_import(hsd_import_origin *origin, const teller *tell)
{
    static const uint8_t unknown[16];
    const hsd_live *live = tell->live;
    const hsd_import_origin *asked = tell->asked;
    *origin = hsd_live_origin(live->facts);
    origin->process_name = live->process->name;
    origin->runtime = live->process->runtime;
    origin->metrics = tell_metrics;
    origin->heap_end = tell_heap_end;
    origin->context = (void *)(uintptr_t)tell;
    if (asked == NULL) return;
    if (asked->process_name != NULL) origin->process_name = asked->process_name;
    if (asked->runtime != NULL) origin->runtime = asked->runtime;
    if (asked->pid != 0) origin->pid = asked->pid;
    if (asked->started_unix_ns != 0) origin->started_unix_ns = asked->started_unix_ns;
    if (asked->taken_unix_ns != 0) origin->taken_unix_ns = asked->taken_unix_ns;
    if (memcmp(asked->domain, unknown, sizeof unknown) != 0) memcpy(origin->domain, asked->domain, sizeof unknown);
}

/* ---- the import ---- */

static hsd_status import(hsd_live *live, int fd, const char *format, const hsd_import_options *options, hsd_error *err)
{
    hsd_import_options chosen = options == NULL ? (hsd_import_options){.compression = live->options->compression,
                                                                       .with_values = live->options->with_values}
                                                : *options;
    hsd_import_origin origin;
    const teller tell = {.live = live, .asked = chosen.origin};
    describe_live_import(&origin, &tell);
    chosen.origin = &origin;
    if (format != NULL) chosen.format = format;
    return hsd_import_descriptor(fd, live->process->name, live->out_fd, &chosen, live->run, NULL, err);
}

hsd_status hsd_live_import_file(hsd_live *live, int fd, const char *format, const hsd_import_options *options,
                                hsd_error *err)
{
    return import(live, fd, format, options, err);
}

hsd_status hsd_live_import(hsd_live *live, int fd, const char *format, const hsd_import_options *options,
                           hsd_error *err)
{
    int pair[2];
    pump *p = NULL;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return hsd_fail_errno(err, errno, "cannot make a socket pair");
    hsd_status status = start_pump(&p, live, fd, pair[1], err);
    if (status == HSD_OK) {
        status = import(live, pair[0], format, options, err);
        shutdown(pair[0], SHUT_RDWR); /* ends the pump, should the source go on */
        pthread_join(p->thread, NULL);
        if (p->status < 0 && status != HSD_OK) {
            status = p->status; /* that it came to an end is only what followed from this */
            if (err != NULL) *err = p->error;
        }
        free(p);
    }
    close(pair[0]);
    close(pair[1]);
    return status;
}

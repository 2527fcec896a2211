/*
 * Streams that programs send, several at a time and in one thread:
 *
 *      accept ──► stream: magic, then bytes into a file without a name ──► end ──► whole? ──► NAME-PID-NNNN.hs
 *
 * Each turn takes at most one piece of each stream that has some: a fast one does not starve the others, a slow one
 * holds nobody up. A stream that says nothing for the timeout is let go. What connects and is no capture costs its
 * first eight bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/note.h"
#include "base/options.h"
#include "io/fd.h"
#include "io/sealed.h"
#include "live/finish.h"
#include "live/listen.h"
#include "live/saved.h"
#include <hsdiff/capture.h>

#define PIECE_BYTES ((size_t)256 << 10)
#define SECOND_NS   UINT64_C(1000000000)
enum { STREAMS_MAX = 64, TURN_MS = 50, MAGIC_BYTES = 8, DEFAULT_SECONDS = 60 };

typedef struct stream {
    int fd; /* -1: a free place */
    hsd_saved saved;
    hsd_sealing sealing; /* without a chunk: what comes is kept as it is */
    uint8_t magic[MAGIC_BYTES];
    uint64_t bytes, began_ns, heard_ns;
} stream;

typedef struct receiver {
    const hsd_live_options *options;
    hsd_run quiet; /* for looking at what came, when nobody listens any more too */
    hsd_reporter reporter;
    hsd_received_fn tell;
    void *context;
    const char *folder;
    int folder_fd;
    hsd_listener listener;
    stream streams[STREAMS_MAX];
    uint64_t kept;
    uint8_t piece[PIECE_BYTES];
} receiver;

/* ---- the end of a stream ---- */

static void tell_received(const receiver *r, hsd_received *one, const char *name)
{
    char path[PATH_MAX];
    if (name != NULL) {
        const size_t length = strlen(r->folder);
        snprintf(path, sizeof path, "%s%s%s", r->folder, length > 0 && r->folder[length - 1] == '/' ? "" : "/", name);
        one->path = path;
    }
    if (r->tell != NULL) r->tell(r->context, one);
    one->path = NULL;
}

/* Of whom it is, as far as that can be read. */
static void read_origin(const receiver *r, const stream *s, char *process, size_t size, uint64_t *pid)
{
    hsd_capture *capture = NULL;
    const int copy = fcntl(s->saved.fd, F_DUPFD_CLOEXEC, 0);
    *process = '\0';
    *pid = 0;
    if (copy < 0 || hsd_capture_open_fd(&capture, copy, "", HSD_DAMAGE_REFUSE, &r->quiet, NULL) != HSD_OK) {
        const int again = copy < 0 ? -1 : fcntl(s->saved.fd, F_DUPFD_CLOEXEC, 0);
        if (again < 0 || hsd_capture_open_fd(&capture, again, "", HSD_DAMAGE_SKIP, &r->quiet, NULL) != HSD_OK) return;
    }
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    snprintf(process, size, "%s", info->process_name);
    *pid = info->pid;
    hsd_capture_close(capture);
}

static void let_go_of_received(receiver *r, stream *s)
{
    close(s->fd);
    hsd_sealing_release(&s->sealing);
    hsd_saved_close(&s->saved, r->folder_fd);
    *s = (stream){.fd = -1, .saved = {.fd = -1}};
}

/* Bytes of the file as it is. */
static hsd_status put_saved(void *context, const void *data, size_t size, hsd_error *err)
{
    const stream *s = context;
    const int error = hsd_fd_write(s->saved.fd, data, size, HSD_FD_HERE);
    return error == 0 ? HSD_OK : hsd_fail_errno(err, error, "cannot write the capture");
}

static hsd_status open_saved(receiver *r, stream *s, hsd_error *err)
{
    HSD_TRY(hsd_saved_open(&s->saved, r->folder_fd, err));
    if (!hsd_crypt_has_recipients(r->quiet.crypt)) return HSD_OK;
    return hsd_sealing_begin(&s->sealing, r->quiet.crypt, false, put_saved, s, err);
}

static void drop(receiver *r, stream *s, hsd_received *one)
{
    one->result.output_bytes = s->bytes;
    one->result.duration_ns = hsd_now_ns() - s->began_ns;
    tell_received(r, one, NULL);
    let_go_of_received(r, s);
}

/* The other side has closed, or was given up: kept if it is whole, or if cut ones are wanted. */
static void end_stream(receiver *r, stream *s)
{
    char process[128], name[128];
    uint64_t pid = 0;
    hsd_received one = {0};
    if (s->bytes == 0) { /* someone who looked whether anyone is here */
        let_go_of_received(r, s);
        return;
    }
    hsd_error_init(&one.error);
    hsd_status whole = s->sealing.chunk == NULL ? HSD_OK : hsd_sealing_finish(&s->sealing, &one.error);
    if (whole == HSD_OK)
        whole =
            hsd_capture_measure(s->saved.fd, "the capture", r->options->keep_cut, &r->quiet, &one.result, &one.error);
    if (whole != HSD_OK) {
        drop(r, s, &one);
        return;
    }
    if (!one.result.is_complete) hsd_fail(&one.error, HSD_E_TRUNCATED, "it was cut off");
    read_origin(r, s, process, sizeof process, &pid);
    if (hsd_saved_keep(&s->saved, r->folder_fd, process, pid, name, sizeof name, &one.error) != HSD_OK) {
        drop(r, s, &one);
        return;
    }
    one.result.duration_ns = hsd_now_ns() - s->began_ns;
    r->kept++;
    tell_received(r, &one, name);
    let_go_of_received(r, s);
}

static void end_with(receiver *r, stream *s, hsd_status status, const char *text)
{
    hsd_received one = {0};
    hsd_error_init(&one.error);
    hsd_fail(&one.error, status, "%s", text);
    drop(r, s, &one);
}

/* ---- bytes ---- */

/* Remembers the first ones; false when they are no capture's. */
static bool looks_right(stream *s, const uint8_t *data, size_t size)
{
    if (s->bytes >= MAGIC_BYTES) return true;
    const size_t have = (size_t)s->bytes;
    size_t more = MAGIC_BYTES - have < size ? MAGIC_BYTES - have : size;
    memcpy(s->magic + have, data, more);
    return have + more < MAGIC_BYTES || hsd_capture_probe(s->magic, MAGIC_BYTES);
}

static void take_piece(receiver *r, stream *s)
{
    const ssize_t got = read(s->fd, r->piece, PIECE_BYTES);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) {
        end_stream(r, s); /* reset or closed: what came tells */
        return;
    }
    s->heard_ns = hsd_now_ns();
    if (!looks_right(s, r->piece, (size_t)got)) {
        end_with(r, s, HSD_E_NOT_THIS_FORMAT, "what was sent is no heap capture");
        return;
    }
    hsd_received one = {0};
    hsd_error_init(&one.error);
    const hsd_status status = s->sealing.chunk == NULL
                                  ? put_saved(s, r->piece, (size_t)got, &one.error)
                                  : hsd_sealing_add(&s->sealing, r->piece, (size_t)got, &one.error);
    s->bytes += (uint64_t)got;
    if (status != HSD_OK) drop(r, s, &one);
}

/* ---- turns ---- */

static stream *find_place(receiver *r)
{
    for (size_t i = 0; i < STREAMS_MAX; i++)
        if (r->streams[i].fd < 0) return &r->streams[i];
    return NULL;
}

static void begin_stream(receiver *r)
{
    long stranger = -1;
    hsd_received one = {0};
    stream *s = find_place(r);
    if (s == NULL) return;
    const int fd = hsd_listener_accept(&r->listener, &stranger);
    hsd_error_init(&one.error);
    if (stranger >= 0) {
        hsd_fail(&one.error, HSD_E_UNSUPPORTED, "user %ld connected: captures of other users are not received",
                 stranger);
        tell_received(r, &one, NULL);
    }
    if (fd < 0) return;
    *s = (stream){.fd = fd, .saved = {.fd = -1}, .began_ns = hsd_now_ns()};
    s->heard_ns = s->began_ns;
    if (open_saved(r, s, &one.error) != HSD_OK) drop(r, s, &one);
}

/* Fills `fds`, first the listener unless all places are taken; who[i] is the stream of fds[i]. */
static nfds_t list_waits(receiver *r, struct pollfd *fds, stream **who)
{
    nfds_t count = 0;
    if (find_place(r) != NULL) {
        fds[count] = (struct pollfd){.fd = r->listener.fd, .events = POLLIN};
        who[count++] = NULL;
    }
    for (size_t i = 0; i < STREAMS_MAX; i++) {
        if (r->streams[i].fd < 0) continue;
        fds[count] = (struct pollfd){.fd = r->streams[i].fd, .events = POLLIN};
        who[count++] = &r->streams[i];
    }
    return count;
}

static void give_up_silent_ones(receiver *r)
{
    const unsigned seconds = r->options->timeout_seconds == 0 ? DEFAULT_SECONDS : r->options->timeout_seconds;
    const uint64_t now = hsd_now_ns();
    for (size_t i = 0; i < STREAMS_MAX; i++)
        if (r->streams[i].fd >= 0 && now - r->streams[i].heard_ns > seconds * SECOND_NS) end_stream(r, &r->streams[i]);
}

static hsd_status turn(receiver *r, hsd_error *err)
{
    struct pollfd fds[STREAMS_MAX + 1];
    stream *who[STREAMS_MAX + 1];
    HSD_TRY(hsd_progress(&r->reporter, "receiving captures", r->kept, 0, err));
    const nfds_t count = list_waits(r, fds, who);
    const int ready = poll(fds, count, TURN_MS);
    if (ready < 0 && errno != EINTR) return hsd_fail_errno(err, errno, "cannot wait for captures");
    for (nfds_t i = 0; ready > 0 && i < count; i++) {
        if (fds[i].revents == 0) continue;
        if (who[i] == NULL)
            begin_stream(r);
        else
            take_piece(r, who[i]);
    }
    give_up_silent_ones(r);
    return HSD_OK;
}

static hsd_status receive_receive(receiver *r, const char *where, hsd_error *err)
{
    r->folder_fd = open(r->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (r->folder_fd < 0) {
        hsd_fail_errno(err, errno, "cannot open the folder");
        hsd_error_set_file(err, r->folder);
        return HSD_E_IO;
    }
    hsd_status status = hsd_listener_open(&r->listener, where, err);
    while (status == HSD_OK)
        status = turn(r, err);
    for (size_t i = 0; i < STREAMS_MAX; i++)
        if (r->streams[i].fd >= 0) end_stream(r, &r->streams[i]);
    hsd_listener_close(&r->listener);
    close(r->folder_fd);
    return status == HSD_E_CANCELLED ? HSD_OK : status;
}

hsd_status hsd_receive(const char *where, const char *folder, const hsd_live_options *options, const hsd_run *run,
                       hsd_received_fn tell_one, void *context, hsd_error *err)
{
    hsd_live_options own;
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_live_options, symbol_directory_count, &own, options, err));
    receiver *r = malloc(sizeof *r);
    if (r == NULL) return hsd_fail_nomem(err, "a buffer for captures");
    *r = (receiver){.options = &own,
                    .quiet = run != NULL ? *run : (hsd_run){0},
                    .tell = tell_one,
                    .context = context,
                    .folder = folder,
                    .folder_fd = -1,
                    .listener = {.fd = -1}};
    for (size_t i = 0; i < STREAMS_MAX; i++)
        r->streams[i] = (stream){.fd = -1, .saved = {.fd = -1}};
    r->quiet.progress = NULL;
    r->quiet.note = NULL;
    hsd_reporter_init(&r->reporter, run);
    const hsd_status status = receive_receive(r, where, err);
    hsd_reporter_release(&r->reporter);
    free(r);
    return status;
}

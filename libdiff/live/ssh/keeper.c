#define _GNU_SOURCE /* accept4, pipe2, struct ucred */
/*
 * The far end of a capture over ssh. Three processes:
 *
 *      relay    what ssh started: connects to the keeper and copies frames to its output; ends with the connection
 *      keeper   a session of its own: listens at an abstract socket that the ticket names, for this user alone; holds the file
 *      capture  writes the capture into a pipe of the keeper
 *
 * The keeper ends when it hears that all has arrived, or that it is not wanted; or when nobody has been connected for
 * PATIENCE. Its file has no name, so it is gone with it, however it ends; and the capture ends with it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/note.h"
#include "io/fd.h"
#include "io/temp.h"
#include "live/ssh/frames.h"

enum {
    TOKEN_CHARS = 32,
    PATIENCE_SECONDS = 60,
    TURN_MS = 1000,
    END_TURNS = 50,
    END_TURN_MS = 100,
    REPORT_BYTES = 2048,
    SAID_BYTES = 8192
};
#define SECOND_NS UINT64_C(1000000000)

bool hsd_remote_is_ticket(const char *ticket)
{
    const size_t digits = strspn(ticket, "0123456789abcdef");
    if (digits != TOKEN_CHARS || ticket[digits] != ':') return false;
    const size_t size = strspn(ticket + digits + 1, "0123456789");
    return size > 0 && size < 19 && ticket[digits + 1 + size] == '\0';
}

/* ---- the socket ---- */

static socklen_t make_name(struct sockaddr_un *name, const char *ticket)
{
    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    const int size =
        snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "hsdiff/1/keeper/%.*s", TOKEN_CHARS, ticket);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)size);
}

static bool is_mine(int fd)
{
    struct ucred who;
    socklen_t size = sizeof who;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.uid == geteuid();
}

/* -1: nobody listens there, or somebody else. */
static int connect_keeper(const char *ticket)
{
    struct sockaddr_un name;
    const socklen_t size = make_name(&name, ticket);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&name, size) == 0 && is_mine(fd)) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

static int listen_as_keeper(const char *ticket)
{
    struct sockaddr_un name;
    const socklen_t size = make_name(&name, ticket);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && bind(fd, (const struct sockaddr *)&name, size) == 0 && listen(fd, 4) == 0) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

/* ---- the keeper ---- */

typedef struct keeper {
    int listener, client;
    int data, report, errors; /* of the capture; -1: closed */
    pid_t capture;
    hsd_temp spool;
    uint64_t kept;     /* bytes in it */
    hsd_error failure; /* of the spool */
    int exit_status;   /* of the capture, when all is closed */
    bool has_ended;
    char told[REPORT_BYTES], said[SAID_BYTES];
    size_t told_size, said_size;

    uint64_t offset;         /* of the client: the next byte of the capture that it gets */
    uint8_t offset_bytes[8]; /* it begins with that */
    size_t offset_size;
    bool has_magic, has_process, has_end;
    uint8_t out[HSD_FRAME_HEADER + HSD_FRAME_DATA_MAX]; /* a frame under way */
    size_t out_size, out_sent;
    uint64_t lonely_ns; /* since when nobody is connected */
    bool is_over;
} keeper;

static void close_one(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* What fits is kept, the rest dropped. */
static void read_text(int *fd, char *text, size_t *size, size_t room)
{
    char piece[1024];
    const ssize_t got = read(*fd, piece, sizeof piece);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) {
        close_one(fd);
        return;
    }
    const size_t left = room - 1 - *size, taken = (size_t)got < left ? (size_t)got : left;
    memcpy(text + *size, piece, taken);
    *size += taken;
    text[*size] = '\0';
}

static void read_data(keeper *k)
{
    uint8_t piece[HSD_FRAME_DATA_MAX];
    const ssize_t got = read(k->data, piece, sizeof piece);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0 || hsd_temp_write(&k->spool, k->kept, piece, (size_t)got, &k->failure) != HSD_OK) {
        close_one(&k->data); /* a capture without a reader ends */
        return;
    }
    k->kept += (uint64_t)got;
}

static void end_capture(keeper *k)
{
    int status = 0;
    if (k->has_ended || k->data >= 0 || k->report >= 0 || k->errors >= 0) return;
    while (waitpid(k->capture, &status, 0) < 0 && errno == EINTR)
        continue;
    k->has_ended = true;
    k->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 3;
    if (k->failure.status != HSD_OK) {
        k->exit_status = 4;
        k->said_size =
            (size_t)snprintf(k->said, sizeof k->said,
                             "hsdiff: the capture does not fit the temporary folder there: %s\n", k->failure.text);
    } else if (!WIFEXITED(status)) {
        k->said_size = (size_t)snprintf(k->said, sizeof k->said, "hsdiff: the capture there was killed by signal %d\n",
                                        WTERMSIG(status));
    }
}

/* ---- frames for the client ---- */

static void put_frame(keeper *k, char kind, const char *text, size_t size)
{
    hsd_frame_header(k->out, kind, size);
    if (size > 0) memcpy(k->out + HSD_FRAME_HEADER, text, size);
    k->out_size = HSD_FRAME_HEADER + size;
}

static void put_end(keeper *k)
{
    char text[HSD_FRAME_TEXT_MAX];
    const char *blank = strstr(k->told, "\n\n"), *result = blank == NULL ? "" : blank + 2;
    const int size = snprintf(text, sizeof text, "exit %d\n%s\n%s", k->exit_status, result, k->said);
    put_frame(k, 'E', text, size < 0 ? 0 : (size_t)size < sizeof text ? (size_t)size : sizeof text - 1);
    k->has_end = true;
}

static void put_data(keeper *k)
{
    const uint64_t left = k->kept - k->offset;
    const size_t size = left < HSD_FRAME_DATA_MAX ? (size_t)left : HSD_FRAME_DATA_MAX;
    if (hsd_temp_read(&k->spool, k->offset, k->out + HSD_FRAME_HEADER, size, &k->failure) != HSD_OK) {
        k->kept = k->offset;
        return;
    }
    hsd_frame_header(k->out, 'D', size);
    k->out_size = HSD_FRAME_HEADER + size;
    k->offset += size;
}

/* The next frame, if there is something to say. */
static void prepare_keeper(keeper *k)
{
    const char *blank = strstr(k->told, "\n\n");
    k->out_size = k->out_sent = 0;
    if (!k->has_magic) {
        memcpy(k->out, HSD_FRAMES_MAGIC, sizeof HSD_FRAMES_MAGIC - 1);
        k->out_size = sizeof HSD_FRAMES_MAGIC - 1;
        k->has_magic = true;
    } else if (blank != NULL && !k->has_process) {
        put_frame(k, 'H', k->told, (size_t)(blank - k->told) + 1);
        k->has_process = true;
    } else if (k->has_process && k->offset < k->kept) {
        put_data(k);
    } else if (k->has_ended && !k->has_end) {
        put_end(k);
    }
}

static void let_go_of_keeper(keeper *k)
{
    close_one(&k->client);
    k->lonely_ns = hsd_now_ns();
}

static void send_some(keeper *k)
{
    if (k->out_sent == k->out_size) prepare_keeper(k);
    while (k->out_sent < k->out_size) {
        const ssize_t sent =
            send(k->client, k->out + k->out_sent, k->out_size - k->out_sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (sent < 0) {
            let_go_of_keeper(k);
            return;
        }
        k->out_sent += (size_t)sent;
        if (k->out_sent == k->out_size) prepare_keeper(k);
    }
}

static void accept_client(keeper *k)
{
    const int fd = accept4(k->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) return;
    if (!is_mine(fd)) {
        close(fd);
        return;
    }
    close_one(&k->client); /* its connection is broken: the new one is the same asker's */
    k->client = fd;
    k->offset_size = 0;
    k->has_magic = k->has_process = k->has_end = false;
    k->out_size = k->out_sent = 0;
}

static void begin_sending(keeper *k)
{
    k->offset = 0;
    for (int i = 0; i < 8; i++)
        k->offset |= (uint64_t)k->offset_bytes[i] << (8 * i);
    if (k->offset > k->kept) let_go_of_keeper(k);
}

/* Its offset first, then one byte that ends it all. */
static void hear(keeper *k)
{
    uint8_t byte = 0;
    const ssize_t got = read(k->client, &byte, 1);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) {
        let_go_of_keeper(k);
        return;
    }
    if (k->offset_size < sizeof k->offset_bytes) {
        k->offset_bytes[k->offset_size++] = byte;
        if (k->offset_size == sizeof k->offset_bytes) begin_sending(k);
        return;
    }
    k->is_over = byte == HSD_FRAME_ARRIVED || byte == HSD_FRAME_UNWANTED;
}

/* ---- its life ---- */

static bool is_ready(const keeper *k) { return k->client >= 0 && k->offset_size == sizeof k->offset_bytes; }

static void turn(keeper *k)
{
    const bool has_more = is_ready(k) && k->out_sent < k->out_size;
    struct pollfd fds[] = {{.fd = k->listener, .events = POLLIN},
                           {.fd = k->data, .events = POLLIN},
                           {.fd = k->report, .events = POLLIN},
                           {.fd = k->errors, .events = POLLIN},
                           {.fd = k->client, .events = (short)(POLLIN | (has_more ? POLLOUT : 0))}};
    const int ready = poll(fds, sizeof fds / sizeof fds[0], TURN_MS);
    if (ready < 0) return;
    if (ready == 0 && is_ready(k) && k->has_magic && k->out_sent == k->out_size)
        put_frame(k, 'P', "", 0), k->out_sent = 0;
    if (fds[1].revents != 0) read_data(k);
    if (fds[2].revents != 0) read_text(&k->report, k->told, &k->told_size, sizeof k->told);
    if (fds[3].revents != 0) read_text(&k->errors, k->said, &k->said_size, sizeof k->said);
    end_capture(k);
    if (fds[4].revents != 0 && (fds[4].revents & (POLLIN | POLLHUP | POLLERR)) != 0) hear(k);
    if (is_ready(k)) send_some(k);
    if (fds[0].revents != 0) accept_client(k);
}

/* The capture is told to end, and has some seconds for it. */
static void stop_capture(keeper *k)
{
    if (k->has_ended) return;
    kill(k->capture, SIGTERM);
    close_one(&k->data);
    close_one(&k->errors);
    for (int i = 0; i < END_TURNS; i++) {
        if (waitpid(k->capture, NULL, WNOHANG) != 0) return;
        poll(NULL, 0, END_TURN_MS);
    }
    kill(k->capture, SIGKILL);
}

static void live(keeper *k)
{
    k->lonely_ns = hsd_now_ns();
    while (!k->is_over && !(k->client < 0 && hsd_now_ns() - k->lonely_ns > PATIENCE_SECONDS * SECOND_NS))
        turn(k);
    stop_capture(k);
}

/* ---- starting it ---- */

typedef struct pipes {
    int data[2], report[2], errors[2];
} pipes;

static void run_capture(const pipes *all, hsd_serve_fn capture, void *context, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    const bool is_ready = getppid() == parent && dup2(all->data[1], 1) == 1 && dup2(all->errors[1], 2) == 2;
    const int status = is_ready ? capture(context, all->report[1]) : 4;
    for (;;)
        syscall(SYS_exit_group, status);
}

static bool start_capture(keeper *k, hsd_serve_fn capture, void *context)
{
    pipes all;
    if (pipe2(all.data, O_CLOEXEC) != 0 || pipe2(all.report, O_CLOEXEC) != 0 || pipe2(all.errors, O_CLOEXEC) != 0)
        return false;
    const pid_t parent = getpid();
    k->capture = fork();
    if (k->capture == 0) {
        close(k->listener);
        run_capture(&all, capture, context, parent);
    }
    close(all.data[1]);
    close(all.report[1]);
    close(all.errors[1]);
    k->data = all.data[0];
    k->report = all.report[0];
    k->errors = all.errors[0];
    return k->capture > 0;
}

/* In a process of its own: nothing of ssh's stays open in it. Never returns. */
static void become_keeper(int listener, hsd_serve_fn capture, void *context, const hsd_run *run)
{
    hsd_temp_space space;
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    keeper *k = calloc(1, sizeof *k);
    setsid();
    for (int fd = 0; fd < 3 && nowhere >= 0; fd++)
        dup2(nowhere, fd);
    hsd_temp_space_init(&space, run == NULL ? NULL : run->temp_dir);
    if (k != NULL) {
        *k = (keeper){.listener = listener, .client = -1, .data = -1, .report = -1, .errors = -1, .spool = {.fd = -1}};
        hsd_error_init(&k->failure);
        if (hsd_temp_open(&k->spool, &space, &k->failure) == HSD_OK && start_capture(k, capture, context)) {
            live(k);
        } else { /* the asker is told why */
            k->has_ended = true;
            k->exit_status = 4;
            k->said_size =
                (size_t)snprintf(k->said, sizeof k->said, "hsdiff: no temporary data there: %s\n", k->failure.text);
            live(k);
        }
    }
    for (;;)
        syscall(SYS_exit_group, 0);
}

static hsd_status start_keeper(const char *ticket, hsd_serve_fn capture, void *context, const hsd_run *run,
                               hsd_error *err)
{
    const int listener = listen_as_keeper(ticket);
    if (listener < 0) return hsd_fail_errno(err, errno, "cannot listen for the connections of this capture");
    const pid_t pid = fork();
    if (pid == 0) become_keeper(listener, capture, context, run);
    const int error = errno;
    close(listener);
    return pid > 0 ? HSD_OK : hsd_fail_errno(err, error, "cannot start a process that keeps the capture");
}

/* ---- the relay ---- */

static bool copy_one(int from, int to)
{
    uint8_t piece[HSD_FRAME_DATA_MAX];
    const ssize_t got = read(from, piece, sizeof piece);
    if (got < 0 && errno == EINTR) return true;
    return got > 0 && hsd_fd_write(to, piece, (size_t)got, HSD_FD_HERE) == 0;
}

/* Until the keeper has said all, or nobody listens at the other end of ssh. */
static void relay(int keeper_fd)
{
    struct pollfd fds[] = {{.fd = keeper_fd, .events = POLLIN}, {.fd = 0, .events = POLLIN}, {.fd = 1, .events = 0}};
    for (;;) {
        if (poll(fds, 3, -1) < 0 && errno != EINTR) return;
        if (fds[1].revents != 0 && !copy_one(0, keeper_fd)) return;
        if (fds[0].revents != 0 && !copy_one(keeper_fd, 1)) return;
        if ((fds[2].revents & (POLLERR | POLLHUP)) != 0) return;
    }
}

hsd_status hsd_remote_serve(const char *ticket, hsd_serve_fn capture, void *context, const hsd_run *run, hsd_error *err)
{
    uint8_t bytes[8];
    if (!hsd_remote_is_ticket(ticket)) return hsd_fail(err, HSD_E_MISUSE, "a ticket that is none");
    const uint64_t offset = strtoull(ticket + TOKEN_CHARS + 1, NULL, 10);
    int fd = connect_keeper(ticket);
    if (fd < 0 && offset > 0)
        return hsd_fail(err, HSD_E_NOT_FOUND, "the capture is not kept any more: nobody asked for it in time");
    if (fd < 0) {
        HSD_TRY(start_keeper(ticket, capture, context, run, err));
        fd = connect_keeper(ticket);
    }
    if (fd < 0) return hsd_fail_errno(err, errno, "the process that keeps the capture does not answer");
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(offset >> (8 * i));
    if (hsd_fd_write(fd, bytes, sizeof bytes, HSD_FD_HERE) == 0) relay(fd);
    close(fd);
    return HSD_OK;
}

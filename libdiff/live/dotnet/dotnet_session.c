#define _GNU_SOURCE
/*
 * See dotnet_session.h. Sessions of several captures at a time would each be told each other's heaps, so a process has
 * one at most: its keeper holds an abstract socket of that name as a lock, and the next capture waits until the session
 * before has ended.
 */
#include "live/dotnet/dotnet_session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SILENCE_MS 120000 /* after so long without a byte the keeper gives up */
#define AGAIN_MS   100    /* between two tries of what cannot be had at once */
#define TELLS_MS   3000   /* the first words of a heap come in a tenth of that */
#define HEAD_BYTES 1024   /* more than stands in front of the events, less than a heap */

/* What is written into the pipe; its end says that nobody reads the stream any more. */
enum { SAY_SESSION = 'S', SAY_END = 'E' };

/* ---- the keeper: only calls that are safe behind fork ---- */

typedef struct keeper {
    int fd, pipe, lock, end_fd; /* end_fd: connection on which the end was asked for, -1 = none */
    const hsd_dotnet_address *address;
    uint64_t number; /* of the session */
    bool has_number, has_asked;
} keeper;

/* Not exit: what the process that forked has to do at its end is not to be done twice. */
static _Noreturn void leave_dotnet_session(void)
{
    for (;;)
        syscall(SYS_exit_group, 0);
}

static bool read_pipe(const keeper *self, void *data, size_t size)
{
    uint8_t *at = data;
    while (size > 0) {
        const ssize_t got = read(self->pipe, at, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static void ask_end(keeper *self)
{
    hsd_dotnet_message question;
    if (self->has_asked || !self->has_number) return;
    self->end_fd = hsd_dotnet_connect(self->address);
    if (self->end_fd == -EAGAIN) return; /* too many wait there: once more later */
    self->has_asked = true;
    if (self->end_fd < 0) return;
    hsd_dotnet_ask_end(&question, self->number);
    if (send(self->end_fd, question.bytes, question.size, MSG_NOSIGNAL) >= 0) return;
    close(self->end_fd);
    self->end_fd = -1;
}

/* Not the process that wants the heap: the runtime waits for the whole question of whoever has connected, and listens
 * to nobody else. */
static void ask_heap(const keeper *self)
{
    hsd_dotnet_message question;
    hsd_dotnet_ask_heap(&question);
    if (send(self->fd, question.bytes, question.size, MSG_NOSIGNAL) < 0) leave_dotnet_session();
}

/* Whoever asked is gone before it has read the answer. */
static void read_answer(keeper *self)
{
    uint8_t bytes[HSD_DOTNET_ANSWER_BYTES];
    size_t size = 0;
    struct pollfd ready = {.fd = self->fd, .events = POLLIN};
    while (!self->has_number && size < sizeof bytes && poll(&ready, 1, SILENCE_MS) > 0) {
        const ssize_t got = read(self->fd, bytes + size, sizeof bytes - size);
        if (got <= 0) return;
        size += (size_t)got;
        self->has_number = hsd_dotnet_read_answer(bytes, size, &self->number) == HSD_DOTNET_OK;
    }
}

/* False at its end. */
static bool drop_some(int fd)
{
    uint8_t bytes[16384];
    const ssize_t got = read(fd, bytes, sizeof bytes);
    return got > 0 || (got < 0 && errno == EINTR);
}

/* Reads the rest, and the answer to the request to end, up to the ends of both. */
static void drop_all(keeper *self)
{
    struct pollfd ready[2] = {{.fd = self->fd, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
    unsigned waited_ms = 0;
    do {
        ask_end(self);
        if (self->end_fd >= 0) {
            ready[1].fd = self->end_fd;
            self->end_fd = -1;
        }
        const int some = poll(ready, 2, AGAIN_MS);
        waited_ms = some == 0 ? waited_ms + AGAIN_MS : 0;
        for (size_t i = 0; some > 0 && i < 2; i++)
            if (ready[i].fd >= 0 && ready[i].revents != 0 && !drop_some(ready[i].fd)) ready[i].fd = -1;
    } while ((ready[0].fd >= 0 || ready[1].fd >= 0) && waited_ms < SILENCE_MS);
}

static void close_others_of_dotnet_session(const keeper *self)
{
    long most = sysconf(_SC_OPEN_MAX);
    if (most < 0 || most > 65536) most = 65536;
    for (int fd = 0; fd < (int)most; fd++)
        if (fd != self->fd && fd != self->pipe && fd != self->lock && fd != self->address->folder) close(fd);
}

static _Noreturn void keep_dotnet_session(keeper *self)
{
    uint8_t said;
    close_others_of_dotnet_session(self);
    struct pollfd gone = {.fd = self->pipe};
    if (poll(&gone, 1, 0) != 0) leave_dotnet_session(); /* nobody wants it any more */
    ask_heap(self);
    while (read_pipe(self, &said, 1)) {
        if (said == SAY_SESSION) self->has_number = read_pipe(self, &self->number, sizeof self->number);
        if (said == SAY_END) ask_end(self);
    }
    if (!self->has_number) read_answer(self);
    if (self->has_number) drop_all(self);
    leave_dotnet_session();
}

/* A grandchild in a session of its own: nobody need wait for it, and no signal to a group of processes reaches it. */
static hsd_status start_keeper(hsd_dotnet_session *session, const hsd_dotnet_address *address, int lock, hsd_error *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return hsd_fail_errno(err, errno, "cannot make a pipe");
    const pid_t child = fork();
    if (child == 0) {
        keeper self = {.fd = session->fd, .pipe = ends[0], .lock = lock, .end_fd = -1, .address = address};
        close(ends[1]);
        if (setsid() < 0 || fork() != 0) leave_dotnet_session();
        keep_dotnet_session(&self);
    }
    const int failed = errno;
    close(ends[0]);
    if (child < 0) {
        close(ends[1]);
        return hsd_fail_errno(err, failed, "cannot start a process that keeps the connection");
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    session->keeper = ends[1];
    return HSD_OK;
}

static void tell_keeper(const hsd_dotnet_session *session, uint8_t what, uint64_t number)
{
    uint8_t bytes[9] = {what};
    const size_t size = what == SAY_SESSION ? sizeof bytes : 1;
    memcpy(bytes + 1, &number, sizeof number);
    while (write(session->keeper, bytes, size) < 0 && errno == EINTR)
        continue; /* less than a pipe holds */
}

/* ---- this process ---- */

static hsd_status refuse_dotnet_session(const hsd_live *live, hsd_dotnet_answer answer, uint64_t number, hsd_error *err)
{
    if (answer == HSD_DOTNET_FOREIGN)
        return hsd_fail(err, HSD_E_CORRUPT, "what answers for process %ld is no .NET runtime", live->facts->pid);
    hsd_fail(err, HSD_E_UNSUPPORTED, "the runtime of process %ld refuses: error 0x%08llx", live->facts->pid,
             (unsigned long long)(number & 0xffffffff));
    hsd_error_set_hint(err, "another tool may be tracing it: try again when that is done");
    return HSD_E_UNSUPPORTED;
}

/* Looks at the answer before it takes it: the keeper must know the session before nobody else can read its number. */
static hsd_status wait_for_answer(const hsd_dotnet_session *session, hsd_live *live, hsd_error *err)
{
    uint8_t bytes[HSD_DOTNET_ANSWER_BYTES];
    uint64_t number = 0;
    size_t got;
    hsd_dotnet_answer answer;
    do {
        HSD_TRY(hsd_live_wait(live, session->fd, POLLIN, err));
        const ssize_t size = recv(session->fd, bytes, sizeof bytes, MSG_PEEK);
        if (size < 0 && errno != EINTR)
            return hsd_fail_errno(err, errno, "cannot read from the runtime of process %ld", live->facts->pid);
        if (size == 0)
            return hsd_fail(err, HSD_E_TRUNCATED, "process %ld went away before its answer", live->facts->pid);
        answer = hsd_dotnet_read_answer(bytes, size < 0 ? 0 : (size_t)size, &number);
    } while (answer == HSD_DOTNET_MORE);
    if (answer != HSD_DOTNET_OK) return refuse_dotnet_session(live, answer, number, err);
    tell_keeper(session, SAY_SESSION, number);
    return hsd_live_read(live, session->fd, bytes, sizeof bytes, &got, err);
}

/* *lock is owned by the caller, and held by the keeper too once there is one. */
static hsd_status take_lock(int *lock, hsd_live *live, hsd_error *err)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const unsigned seconds = live->options->timeout_seconds == 0 ? 60 : live->options->timeout_seconds;
    const int size = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "hsdiff-dotnet-%ld-%llu", live->facts->pid,
                              (unsigned long long)live->facts->started_unix_ns / 1000000000);
    *lock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*lock < 0) return hsd_fail_errno(err, errno, "cannot make a socket");
    for (uint64_t tries = 0; tries < (uint64_t)seconds * (1000 / AGAIN_MS); tries++) {
        if (bind(*lock, (const struct sockaddr *)&name,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)size)) == 0)
            return HSD_OK;
        if (errno != EADDRINUSE) return hsd_fail_errno(err, errno, "cannot take the lock of the diagnostics socket");
        HSD_TRY(hsd_progress(live->reporter, "waiting for another capture of this process", 0, 0, err));
        poll(NULL, 0, AGAIN_MS);
    }
    return hsd_fail(err, HSD_E_UNSUPPORTED, "another capture of process %ld is under way, and does not end",
                    live->facts->pid);
}

static hsd_status fail_to_connect(const hsd_process_facts *facts, int error, hsd_error *err)
{
    if (error != ECONNREFUSED)
        return hsd_fail_errno(err, error, "the runtime of process %ld does not take a connection", facts->pid);
    hsd_fail(err, HSD_E_IO, "the runtime of process %ld does not listen any more: it is ending", facts->pid);
    if (err != NULL) err->sys_errno = error;
    return HSD_E_IO;
}

static hsd_status ask_dotnet_session(hsd_dotnet_session *session, const hsd_dotnet_address *address, int lock,
                                     hsd_live *live, hsd_error *err)
{
    session->fd = hsd_dotnet_connect(address);
    if (session->fd < 0) return fail_to_connect(live->facts, -session->fd, err);
    HSD_TRY(hsd_dotnet_check_peer(session->fd, live->facts, err));
    HSD_TRY(start_keeper(session, address, lock, err));
    return wait_for_answer(session, live, err);
}

hsd_status hsd_dotnet_session_open(hsd_dotnet_session *session, hsd_live *live, hsd_error *err)
{
    hsd_dotnet_address address;
    *session = (hsd_dotnet_session){.fd = -1, .keeper = -1};
    int lock = -1;
    HSD_TRY(hsd_dotnet_locate(&address, live->facts, err));
    hsd_status status = take_lock(&lock, live, err);
    if (status == HSD_OK) status = ask_dotnet_session(session, &address, lock, live, err);
    if (lock >= 0) close(lock);
    hsd_dotnet_forget(&address);
    if (status != HSD_OK) hsd_dotnet_session_close(session);
    return status;
}

hsd_status hsd_dotnet_session_listen(const hsd_dotnet_session *session, hsd_live *live, hsd_error *err)
{
    const uint64_t end = hsd_now_ns() + TELLS_MS * UINT64_C(1000000);
    int waiting = 0;
    while (ioctl(session->fd, FIONREAD, &waiting) == 0 && waiting <= HEAD_BYTES) {
        struct pollfd gone = {.fd = session->fd, .events = POLLRDHUP};
        if (hsd_now_ns() >= end) return HSD_E_NOT_FOUND;
        HSD_TRY(hsd_progress(live->reporter, "waiting for the runtime to tell its heap", 0, 0, err));
        if (poll(&gone, 1, AGAIN_MS / 5) > 0) return HSD_OK;
    }
    return HSD_OK;
}

void hsd_dotnet_session_end(hsd_dotnet_session *session)
{
    if (session->keeper >= 0) tell_keeper(session, SAY_END, 0);
}

void hsd_dotnet_session_close(hsd_dotnet_session *session)
{
    if (session->fd >= 0) close(session->fd);
    if (session->keeper >= 0) close(session->keeper);
    session->fd = session->keeper = -1;
}

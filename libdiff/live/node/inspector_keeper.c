#define _GNU_SOURCE /* pipe2, close_range */
/*
 * See inspector_keeper.h. Everything in the child is safe behind a fork of a program with threads.
 */
#include "live/node/inspector_keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/node/websocket.h"

#define SILENCE_MS 120000 /* after so long without a byte the keeper gives up */
#define GOODBYE_MS 5000   /* for the other side to say goodbye too */

/* The last command, whose answer comes behind all that was asked before. Only an answer can begin with these bytes: in
 * texts quotes are escaped. */
static const char last_command[] = "{\"id\":990099,\"method\":\"HeapProfiler.disable\"}";
static const char last_answer[] = "{\"id\":990099";
static const uint8_t mask[4] = {0x5A, 0xA5, 0x3C, 0xC3};

/* ---- the keeper ---- */

/* Not exit: what the process that forked has to do at its end is not to be done twice. */
static _Noreturn void leave_inspector_keeper(void)
{
    for (;;)
        syscall(SYS_exit_group, 0);
}

static void send_frame(int fd, unsigned opcode, const void *payload, size_t size)
{
    uint8_t frame[sizeof last_command + HSD_WEBSOCKET_HEAD_MAX];
    if (send(fd, frame, hsd_websocket_frame(frame, opcode, payload, size, mask), MSG_NOSIGNAL) < 0)
        leave_inspector_keeper();
}

/* Some bytes of the stream; 0 at its end, or when nothing comes. */
static size_t read_some(int fd, uint8_t *bytes, size_t room, int wait_ms)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    if (poll(&ready, 1, wait_ms) <= 0) return 0;
    const ssize_t got = recv(fd, bytes, room, 0);
    return got > 0 ? (size_t)got : 0;
}

/* Up to the answer to the last command. The bytes looked for have no beginning within themselves. */
static void read_to_answer(int fd)
{
    uint8_t bytes[16384];
    size_t matched = 0, got;
    while ((got = read_some(fd, bytes, sizeof bytes, SILENCE_MS)) > 0)
        for (size_t i = 0; i < got; i++) {
            matched = bytes[i] == (uint8_t)last_answer[matched] ? matched + 1 : bytes[i] == (uint8_t)last_answer[0];
            if (last_answer[matched] == '\0') return;
        }
}

static void close_others_of_inspector_keeper(int a, int b)
{
    const unsigned low = (unsigned)(a < b ? a : b), high = (unsigned)(a < b ? b : a);
    if (low > 0) syscall(SYS_close_range, 0u, low - 1, 0u);
    if (high > low + 1) syscall(SYS_close_range, low + 1, high - 1, 0u);
    syscall(SYS_close_range, high + 1, ~0u, 0u);
}

static _Noreturn void keep_inspector_keeper(int fd, int pipe_fd)
{
    static const uint8_t normal[2] = {1000 >> 8, 1000 & 0xFF};
    uint8_t bytes[4096];
    char word;
    ssize_t got;
    close_others_of_inspector_keeper(fd, pipe_fd);
    while ((got = read(pipe_fd, &word, 1)) < 0 && errno == EINTR)
        continue;
    if (got > 0) leave_inspector_keeper(); /* dismissed */
    send_frame(fd, HSD_WEBSOCKET_TEXT, last_command, sizeof last_command - 1);
    read_to_answer(fd);
    send_frame(fd, HSD_WEBSOCKET_CLOSE, normal, sizeof normal);
    while (read_some(fd, bytes, sizeof bytes, GOODBYE_MS) > 0)
        continue;
    leave_inspector_keeper();
}

/* ---- this process ---- */

hsd_status hsd_inspector_keep(hsd_inspector_keeper *keeper, int fd, hsd_error *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return hsd_fail_errno(err, errno, "cannot make a pipe");
    const pid_t child = fork();
    if (child == 0) {
        /* a grandchild: nobody need wait for it, and no signal to a group reaches it */
        if (setsid() < 0 || fork() != 0) leave_inspector_keeper();
        keep_inspector_keeper(fd, ends[0]);
    }
    const int failed = errno;
    close(ends[0]);
    if (child < 0) {
        close(ends[1]);
        return hsd_fail_errno(err, failed, "cannot start a process that keeps the connection");
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    keeper->pipe = ends[1];
    return HSD_OK;
}

void hsd_inspector_keeper_dismiss(hsd_inspector_keeper *keeper)
{
    while (keeper->pipe >= 0 && write(keeper->pipe, "x", 1) < 0 && errno == EINTR)
        continue;
}

void hsd_inspector_keeper_close(hsd_inspector_keeper *keeper)
{
    if (keeper->pipe >= 0) close(keeper->pipe);
    keeper->pipe = -1;
}

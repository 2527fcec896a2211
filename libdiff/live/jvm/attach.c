#define _GNU_SOURCE /* struct ucred, syscall */
/*
 * HotSpot's attach protocol. The file that announces us is removed by a small child that waits for our end (tidy.h), so
 * that nothing of it stays however we end.
 */
#include "live/jvm/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/note.h"
#include "live/connect.h"
#include "live/ended.h"
#include "live/facts.h"
#include "live/jvm/tidy.h"

/* a JVM that has just been started catches the signal in a moment */
enum { YOUNG_SECONDS = 30, CATCH_MS = 15000 };
enum { LISTEN_MS = 15000, STEP_MS = 20, SEND_MS = 10000, SWEEPS = 24 };

/* ---- text ---- */

size_t hsd_attach_format(char *out, size_t size, const char *command, const char *const arguments[HSD_ATTACH_ARGUMENTS])
{
    const char *parts[2 + HSD_ATTACH_ARGUMENTS] = {"1", command};
    size_t used = 0;
    for (int i = 0; i < HSD_ATTACH_ARGUMENTS; i++)
        parts[2 + i] = arguments == NULL || arguments[i] == NULL ? "" : arguments[i];
    for (size_t i = 0; i < 2 + HSD_ATTACH_ARGUMENTS; i++) {
        const size_t length = strlen(parts[i]) + 1;
        if (length > 1024 || length > size - used) return 0; /* what HotSpot takes of one argument */
        memcpy(out + used, parts[i], length);
        used += length;
    }
    return used;
}

bool hsd_attach_parse(hsd_attach_answer *out, const char *text)
{
    char *end = NULL;
    errno = 0;
    const long status = strtol(text, &end, 10);
    const bool is_number = end != text && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
    if (!is_number || errno != 0 || status < -1000000 || status > 1000000 || (*end != '\n' && *end != '\0'))
        return false;
    out->status = (int)status;
    snprintf(out->text, sizeof out->text, "%s", *end == '\n' ? end + 1 : end);
    return true;
}

bool hsd_attach_result(const hsd_attach_answer *answer, long *out)
{
    size_t at = strlen(answer->text);
    while (at > 0 && (answer->text[at - 1] < '0' || answer->text[at - 1] > '9'))
        at--;
    while (at > 0 && answer->text[at - 1] >= '0' && answer->text[at - 1] <= '9')
        at--;
    if (answer->text[at] < '0' || answer->text[at] > '9') return false;
    if (at > 0 && answer->text[at - 1] == '-') at--;
    *out = strtol(answer->text + at, NULL, 10);
    return true;
}

/* ---- gates ---- */

static bool catches_quit(const hsd_process_facts *facts) { return (facts->caught_signals >> (SIGQUIT - 1) & 1) != 0; }

static bool has_argument(const hsd_process_facts *facts, const char *wanted)
{
    const char *const end = facts->arguments + sizeof facts->arguments;
    for (const char *at = facts->arguments; at < end && *at != '\0'; at += strlen(at) + 1)
        if (strcmp(at, wanted) == 0) return true;
    return false;
}

static bool has_option(const hsd_process_facts *facts, const char *option)
{
    static const char *const variables[] = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"};
    char value[2048];
    if (has_argument(facts, option)) return true;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (hsd_process_variable(facts, variables[i], value, sizeof value) && strstr(value, option) != NULL)
            return true;
    return false;
}

static bool socket_path(const hsd_process_facts *facts, char *out, size_t size)
{
    const int used = snprintf(out, size, "%s/tmp/.java_pid%ld", facts->root, facts->inner_pid);
    return used > 0 && (size_t)used < size;
}

static bool is_socket_of(const char *path, unsigned uid)
{
    struct stat found;
    return lstat(path, &found) == 0 && S_ISSOCK(found.st_mode) && found.st_uid == uid;
}

static bool is_young(const hsd_process_facts *facts)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t now_ns = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
    return facts->started_unix_ns <= now_ns && now_ns - facts->started_unix_ns < YOUNG_SECONDS * UINT64_C(1000000000);
}

static hsd_gate close_gate(hsd_error *err, const char *hint)
{
    hsd_error_set_hint(err, "%s", hint);
    return HSD_GATE_CLOSED;
}

hsd_gate hsd_attach_forbidden(const hsd_process_facts *facts, hsd_error *err)
{
    hsd_fail(err, HSD_E_UNSUPPORTED,
             "the JVM of process %ld was started with -XX:+DisableAttachMechanism: it lets nobody in", facts->pid);
    return close_gate(err, "start it without that option");
}

hsd_gate hsd_attach_look(const hsd_process_facts *facts, hsd_error *err)
{
    char path[128];
    if (has_option(facts, "-XX:+DisableAttachMechanism")) return hsd_attach_forbidden(facts, err);
    if (socket_path(facts, path, sizeof path) && is_socket_of(path, facts->uid)) return HSD_GATE_OPEN;
    if (catches_quit(facts) || is_young(facts)) return HSD_GATE_OPEN;
    hsd_fail(
        err, HSD_E_UNSUPPORTED,
        "the JVM of process %ld does not listen, and the signal that asks it to would end it: it is still starting, "
        "or ending",
        facts->pid);
    return close_gate(err, "try again in a second");
}

/* ---- connecting ---- */

/* 0, or an errno. ECONNREFUSED and ENOENT: nobody listens. */
static int connect_socket(int *out, const hsd_process_facts *facts)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    if (!socket_path(facts, address.sun_path, sizeof address.sun_path)) return ENAMETOOLONG;
    if (!is_socket_of(address.sun_path, facts->uid)) return ENOENT;
    int fd = -1, error = hsd_connect_path(&fd, facts, &address);
    if (error == 0 && (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != facts->uid))
        error = EPERM;
    if (error != 0) {
        if (fd >= 0) close(fd);
        return error;
    }
    *out = fd;
    return 0;
}

static void pause_ms(unsigned ms)
{
    struct pollfd none = {.fd = -1};
    poll(&none, 1, (int)ms);
}

/* To this very JVM, and only as long as it catches it. */
static hsd_status send_quit(const hsd_process_facts *facts, hsd_error *err)
{
    hsd_process_facts now;
    int failed = 0;
    const int fd = (int)syscall(SYS_pidfd_open, (pid_t)facts->pid, 0);
    if (fd < 0 && errno != ENOSYS) return hsd_fail_errno(err, errno, "cannot signal process %ld", facts->pid);
    hsd_status status = hsd_facts_read(&now, facts->pid, err);
    if (status == HSD_OK && (now.started_unix_ns != facts->started_unix_ns || !catches_quit(&now)))
        status = hsd_fail(err, HSD_E_UNSUPPORTED,
                          "the JVM of process %ld does not catch SIGQUIT any more: it is ending", facts->pid);
    if (status == HSD_OK &&
        (fd >= 0 ? (int)syscall(SYS_pidfd_send_signal, fd, SIGQUIT, NULL, 0) : kill((pid_t)facts->pid, SIGQUIT)) != 0)
        failed = errno;
    if (fd >= 0) close(fd);
    return failed == 0 ? status : hsd_fail_errno(err, failed, "cannot signal process %ld", facts->pid);
}

/* In the target's /tmp, or where it stands if that cannot be written. */
static hsd_status announce(hsd_tidy *tidy, const hsd_process_facts *facts, hsd_error *err)
{
    char folder[64], name[48];
    snprintf(name, sizeof name, ".attach_pid%ld", facts->inner_pid);
    snprintf(folder, sizeof folder, "%s/tmp", facts->root);
    if (hsd_tidy_file(tidy, facts, folder, name, NULL) == HSD_OK) return HSD_OK;
    snprintf(folder, sizeof folder, "/proc/%ld/cwd", facts->pid);
    return hsd_tidy_file(tidy, facts, folder, name, err);
}

static hsd_status fail_silent(const hsd_process_facts *facts, hsd_error *err)
{
    hsd_fail(err, HSD_E_IO, "the JVM of process %ld does not listen, though it was asked to", facts->pid);
    hsd_error_set_hint(err, "is it stopped, or is its /tmp full or read-only? kill -CONT %ld, then try again",
                       facts->pid);
    return HSD_E_IO;
}

/* A young JVM is starting: until it catches the signal. One that never does has said why by then, or ended. */
static hsd_status wait_until_it_catches(const hsd_process_facts *facts, hsd_error *err)
{
    const uint64_t end = hsd_now_ns() + (uint64_t)CATCH_MS * 1000000;
    hsd_process_facts now = *facts;
    while (!catches_quit(&now)) {
        if (hsd_now_ns() >= end) return fail_silent(facts, err);
        pause_ms(STEP_MS);
        HSD_TRY(hsd_facts_read(&now, facts->pid, err));
    }
    return HSD_OK;
}

static hsd_status make_listen(int *fd, const hsd_process_facts *facts, hsd_error *err)
{
    const uint64_t end = hsd_now_ns() + (uint64_t)LISTEN_MS * 1000000;
    int refused = ENOENT;
    HSD_TRY(send_quit(facts, err));
    while (refused != 0 && hsd_now_ns() < end) {
        if (hsd_has_ended(facts, 0)) /* a zombie, too */
            return hsd_fail(err, HSD_E_TRUNCATED, "process %ld ended before it could be asked", facts->pid);
        pause_ms(STEP_MS);
        refused = connect_socket(fd, facts);
    }
    return refused == 0 ? HSD_OK : fail_silent(facts, err);
}

hsd_status hsd_attach_open(int *fd, const hsd_process_facts *facts, hsd_error *err)
{
    hsd_tidy tidy;
    *fd = -1;
    hsd_tidy_left(facts); /* it answers one after the other, and may wait in what nobody reads */
    const int refused = connect_socket(fd, facts);
    if (refused == 0) return HSD_OK;
    if (refused != ENOENT && refused != ECONNREFUSED)
        return hsd_fail_errno(err, refused, "cannot connect to the JVM of process %ld", facts->pid);
    if (hsd_attach_look(facts, err) != HSD_GATE_OPEN) return HSD_E_UNSUPPORTED;
    HSD_TRY(wait_until_it_catches(facts, err));
    HSD_TRY(announce(&tidy, facts, err));
    const hsd_status status = make_listen(fd, facts, err);
    hsd_tidy_end(&tidy);
    return status;
}

/* ---- talking ---- */

static hsd_status fail_closed(hsd_error *err)
{
    hsd_fail(err, HSD_E_TRUNCATED, "the JVM closed the connection without an answer");
    hsd_error_set_hint(err, "old JVMs answer nobody but their own user, root neither: run hsdiff as that user");
    return HSD_E_TRUNCATED;
}

hsd_status hsd_attach_send(int fd, const char *command, const char *const arguments[HSD_ATTACH_ARGUMENTS],
                           hsd_error *err)
{
    char request[HSD_ATTACH_REQUEST_BYTES];
    const size_t size = hsd_attach_format(request, sizeof request, command, arguments);
    if (size == 0) return hsd_fail(err, HSD_E_MISUSE, "a request to the JVM is too long");
    const struct timeval patience = {.tv_sec = SEND_MS / 1000};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    for (size_t sent = 0; sent < size;) {
        const ssize_t n = send(fd, request + sent, size - sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EPIPE || errno == ECONNRESET)) return fail_closed(err);
        if (n < 0) return hsd_fail_errno(err, errno, "cannot ask the JVM");
        sent += (size_t)n;
    }
    return HSD_OK;
}

static hsd_status read_answer(int fd, uint64_t end_ns, char *text, size_t size, hsd_error *err)
{
    size_t used = 0;
    for (;;) {
        const uint64_t now = hsd_now_ns();
        struct pollfd one = {.fd = fd, .events = POLLIN};
        if (now >= end_ns) return hsd_fail_errno(err, ETIMEDOUT, "the JVM does not answer");
        if (poll(&one, 1, (int)((end_ns - now) / 1000000) + 1) <= 0) continue;
        char rest[512];
        const bool is_full = used + 1 >= size;
        const ssize_t got = read(fd, is_full ? rest : text + used, is_full ? sizeof rest : size - 1 - used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno != ECONNRESET) return hsd_fail_errno(err, errno, "cannot read the JVM's answer");
        if (got <= 0) break;
        if (!is_full) used += (size_t)got;
    }
    text[used] = '\0';
    return HSD_OK;
}

hsd_status hsd_attach_read(int fd, unsigned timeout_seconds, hsd_attach_answer *out, hsd_error *err)
{
    char text[HSD_ATTACH_ANSWER_BYTES];
    const uint64_t end = hsd_now_ns() + (uint64_t)(timeout_seconds == 0 ? 60 : timeout_seconds) * 1000000000;
    *out = (hsd_attach_answer){.status = -1};
    HSD_TRY(read_answer(fd, end, text, sizeof text, err));
    if (text[0] == '\0') return fail_closed(err);
    if (!hsd_attach_parse(out, text)) return hsd_fail(err, HSD_E_CORRUPT, "what answers is no JVM");
    return HSD_OK;
}

/* Nobody listens there any more. */
static bool is_stale(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return false;
    memcpy(address.sun_path, path, strlen(path) + 1);
    const bool refused = connect(fd, (const struct sockaddr *)&address, sizeof address) != 0 && errno == ECONNREFUSED;
    close(fd);
    return refused;
}

/* A process that is killed closes one descriptor after the other: the stream may end a moment before the JVM's socket
 * does. One that lives is not connected to: it may be busy, and what we leave in its queue is in the way of others. */
void hsd_attach_sweep(const hsd_process_facts *facts)
{
    char path[64];
    hsd_process_facts now;
    if (!facts->is_same_mounts) return; /* another root goes with its processes */
    snprintf(path, sizeof path, "/tmp/.java_pid%ld", facts->inner_pid);
    for (int tries = 0; tries < SWEEPS && is_socket_of(path, facts->uid); tries++) {
        const bool is_alive = hsd_facts_read(&now, facts->pid, NULL) == HSD_OK && !now.is_zombie;
        if (is_alive && tries >= SWEEPS / 4) return;
        if (!is_alive && is_stale(path))
            unlink(path);
        else
            pause_ms(STEP_MS);
    }
}

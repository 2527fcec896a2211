/*
 * The agent's thread: waits for askers and for the moments at which captures are pushed, and serves one after the
 * other.
 *
 *      hsa_listen ──► socket, environment, thread ──► wait ──► accept, who is it, what is asked ──► agent->serve ──┐
 *                                                      ▲ └───► a push is due ─────────────────────► agent->serve ──┤
 *                                                      └───────────────────────────────────────────────────────────┘
 *
 * Programs that become daemons close every descriptor that they find, ours too: a socket that is gone, or is another's
 * by now, is opened anew.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "parts.h"

enum { STACK_BYTES = 256 * 1024, QUEUE_LENGTH = 64, PAUSE_MS = 100 };

/* A descriptor and what it was opened for, since a program may close it and open something else under its number. */
typedef struct owned_fd {
    _Atomic int fd;
    ino_t inode;
    dev_t device;
} owned_fd;

static struct {
    atomic_bool is_taken, is_stopping;
    pthread_t thread;
    hsa_agent agent;
    owned_fd listening;
    _Atomic int serving; /* -1 = none */
    _Atomic pid_t pid;   /* of the process that listens: a child of a fork has all this and no thread */
    hsa_push push;
} here = {.listening = {.fd = -1}, .serving = -1};

/* ---- descriptors that may be taken away ---- */

static void own(owned_fd *owned, int fd)
{
    struct stat info;
    if (fd >= 0 && fstat(fd, &info) == 0) {
        owned->inode = info.st_ino;
        owned->device = info.st_dev;
    }
    owned->fd = fd;
}

static bool is_ours(owned_fd *owned)
{
    struct stat info;
    return owned->fd >= 0 && fstat(owned->fd, &info) == 0 && info.st_ino == owned->inode &&
           info.st_dev == owned->device;
}

static void disown(owned_fd *owned)
{
    if (is_ours(owned)) close(owned->fd);
    owned->fd = -1;
}

/* ---- listening ---- */

static char *add_text(char *at, const char *text, size_t size)
{
    memcpy(at, text, size);
    return at + size;
}

static char *add_number(char *at, unsigned long number)
{
    char digits[24];
    size_t first = sizeof digits;
    for (; number > 0; number /= 10)
        digits[--first] = (char)('0' + number % 10);
    return add_text(at, digits + first, sizeof digits - first);
}

/* "\0hsdiff/1/NAME/PID", with ".TURN" behind it from the second on; the length of the address. */
static socklen_t make_name(struct sockaddr_un *name, unsigned turn)
{
    static const char before[] = "hsdiff/1/";
    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    char *at = add_text(name->sun_path + 1, before, sizeof before - 1);
    at = add_text(at, here.agent.name, strlen(here.agent.name));
    *at++ = '/';
    at = add_number(at, (unsigned long)getpid());
    if (turn > 1) {
        *at++ = '.';
        at = add_number(at, turn);
    }
    return (socklen_t)(at - (char *)name);
}

/* Under the first name that is free. 0 or an errno. */
static int take_name(int fd)
{
    int error = EADDRINUSE;
    for (unsigned turn = 1; error == EADDRINUSE && turn <= HSA_NAME_TURNS; turn++) {
        struct sockaddr_un name;
        const socklen_t size = make_name(&name, turn);
        error = bind(fd, (struct sockaddr *)&name, size) == 0 ? 0 : errno;
    }
    return error;
}

/* 0 or an errno. */
static int open_listening(void)
{
    const size_t length = strlen(here.agent.name);
    if (length == 0 || length >= HSA_NAME_BYTES) return EINVAL;
    const int fd = hsa_move_up(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (fd < 0) return errno;
    int error = take_name(fd);
    if (error == 0 && listen(fd, QUEUE_LENGTH) != 0) error = errno;
    if (error == 0)
        own(&here.listening, fd);
    else
        close(fd);
    return error;
}

/* Opens anew what is no longer ours. */
static void mend(void)
{
    if (is_ours(&here.listening)) return;
    here.listening.fd = -1;
    open_listening();
}

/* ---- serving ---- */

static bool may_ask(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
    return peer.uid == 0 || peer.uid == geteuid();
}

static void serve_agent_control(int fd)
{
    hsa_request request = {.fd = fd};
    if (!may_ask(fd))
        hsa_refuse(&request, "this process belongs to another user");
    else if (hsa_read_request(&request))
        here.agent.serve(here.agent.context, &request);
}

/* False when nothing could be accepted, for want of descriptors or because the socket is no longer ours. */
static bool serve_next(void)
{
    const int fd = hsa_move_up(accept4(here.listening.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (fd < 0) return errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
    here.serving = fd;
    serve_agent_control(fd);
    here.serving = -1;
    hsa_hang_up(fd);
    return true;
}

static void push_next(void)
{
    hsa_request request = {.fd = hsa_push_open(&here.push, hsa_now_ns()), .is_push = true};
    if (request.fd < 0) return;
    here.serving = request.fd;
    here.agent.serve(here.agent.context, &request);
    here.serving = -1;
    hsa_push_close(&here.push, request.fd);
}

static void *run_agent_control(void *unused)
{
    (void)unused;
    prctl(PR_SET_NAME, "hsdiff");
    if (here.agent.thread_begins != NULL) here.agent.thread_begins(here.agent.context);
    for (;;) {
        struct pollfd wait = {.fd = here.listening.fd, .events = POLLIN};
        const int ready = poll(&wait, 1, hsa_push_wait_ms(&here.push, hsa_now_ns()));
        if (here.is_stopping) return NULL;
        if (ready > 0 && !(is_ours(&here.listening) && serve_next())) {
            mend();
            nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000L}, NULL);
        }
        if (hsa_push_wait_ms(&here.push, hsa_now_ns()) == 0) push_next();
    }
}

/* ---- the agent's life ---- */

static void read_environment(void)
{
    const char *why = hsa_push_plan(&here.push, getenv("HSDIFF_TO"), getenv("HSDIFF_EVERY"), getenv("HSDIFF_COUNT"));
    if (why == NULL) return;
    static const char after[] = "; no captures are sent\n";
    if (write(STDERR_FILENO, "hsdiff: ", 8) > 0 && write(STDERR_FILENO, why, strlen(why)) > 0 &&
        write(STDERR_FILENO, after, sizeof after - 1) > 0)
        return;
}

/* A thread that takes no signal of the program's. 0 or an errno. */
static int start_thread(void)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    int error = pthread_create(&here.thread, &attributes, run_agent_control, NULL);
    /* a program with much thread-local data */
    if (error == EINVAL) error = pthread_create(&here.thread, NULL, run_agent_control, NULL);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

int hsa_listen(const hsa_agent *agent)
{
    if (here.is_taken && here.pid != getpid()) hsa_after_fork();
    if (atomic_exchange(&here.is_taken, true)) return EALREADY;
    here.agent = *agent;
    here.pid = getpid();
    here.is_stopping = false;
    int error = open_listening();
    if (error == 0) {
        read_environment();
        error = start_thread();
    }
    if (error != 0) {
        disown(&here.listening);
        here.is_taken = false;
    }
    return error;
}

void hsa_leave_listening(void) { disown(&here.listening); }

void hsa_after_fork(void)
{
    const int serving = atomic_exchange(&here.serving, -1);
    if (serving >= 0) close(serving);
    hsa_leave_listening();
    here.is_taken = false;
}

void hsa_stop(void)
{
    if (!here.is_taken) return;
    if (here.pid != getpid()) {
        hsa_after_fork();
        return;
    }
    here.is_stopping = true;
    if (is_ours(&here.listening)) shutdown(here.listening.fd, SHUT_RDWR); /* which wakes the thread */
    pthread_join(here.thread, NULL);
    hsa_leave_listening();
    here.is_taken = false;
}

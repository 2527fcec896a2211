/*
 * A program whose threads do nothing but wait, each in a system call of its own, over and over: what a capture must not
 * disturb.
 *
 *      native_waits [MILLISECONDS]      of each wait
 *
 * Prints "ready" and how many calls there are (io_uring not everywhere), and for each line "report" one line
 * "waits NAME DONE EARLY WRONG LATEST_US ERRNO" a call and then "reported": how often it waited, how often it came back
 * before its time, how often with another answer than it should (EINTR), how long behind its time at most, and the last
 * wrong answer (ERANGE: the time of its socket is another). "signals" counts what was sent to a thread in epoll_pwait
 * and what made it return, as it must; "ended" how many of pause, accept, flock and waitpid returned, which have no
 * reason to. Ends at "quit".
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* From the kernel, in nanoseconds: earlier than this is early whatever a clock's grain. */
static const int64_t GRAIN_NS = 1100 * 1000, NS_A_SECOND = 1000 * 1000 * 1000, NS_A_MS = 1000 * 1000;
static int64_t wait_ns = 1500 * (int64_t)1000 * 1000;

static int64_t now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * NS_A_SECOND + t.tv_nsec;
}

static struct timespec spec_of(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / NS_A_SECOND, .tv_nsec = ns % NS_A_SECOND};
}
static struct timeval value_of(int64_t ns)
{
    return (struct timeval){.tv_sec = ns / NS_A_SECOND, .tv_usec = ns % NS_A_SECOND / 1000};
}
static int wait_ms(void) { return (int)(wait_ns / NS_A_MS); }

/* ---- one wait each; true: it ended as it should ---- */

static bool do_sleep(void)
{
    const unsigned seconds = (unsigned)(wait_ns / NS_A_SECOND);
    const struct timespec rest = spec_of(wait_ns % NS_A_SECOND);
    return sleep(seconds) == 0 && nanosleep(&rest, NULL) == 0;
}

static bool do_nanosleep(void)
{
    const struct timespec t = spec_of(wait_ns);
    return nanosleep(&t, NULL) == 0;
}

static bool do_usleep(void) { return usleep((useconds_t)(wait_ns / 1000)) == 0; }

static bool do_clock_nanosleep(void)
{
    const struct timespec until = spec_of(now_ns(CLOCK_MONOTONIC) + wait_ns);
    return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0;
}

static bool do_poll(void) { return poll(NULL, 0, wait_ms()) == 0; }

static bool do_ppoll(void)
{
    const struct timespec t = spec_of(wait_ns);
    return ppoll(NULL, 0, &t, NULL) == 0;
}

static bool do_select(void)
{
    struct timeval t = value_of(wait_ns);
    return select(0, NULL, NULL, NULL, &t) == 0;
}

static bool do_pselect(void)
{
    const struct timespec t = spec_of(wait_ns);
    return pselect(0, NULL, NULL, NULL, &t, NULL) == 0;
}

static bool do_epoll_wait(void)
{
    static int fd = -1;
    struct epoll_event event;
    if (fd < 0) fd = epoll_create1(0);
    return epoll_wait(fd, &event, 1, wait_ms()) == 0;
}

static bool do_epoll_pwait(void)
{
    static int fd = -1;
    struct epoll_event event;
    sigset_t none;
    sigemptyset(&none);
    if (fd < 0) fd = epoll_create1(0);
    return epoll_pwait(fd, &event, 1, wait_ms(), &none) == 0;
}

static bool do_sem_timedwait(void)
{
    static sem_t never;
    const struct timespec until = spec_of(now_ns(CLOCK_REALTIME) + wait_ns);
    return sem_timedwait(&never, &until) != 0 && errno == ETIMEDOUT;
}

static bool do_cond_timedwait(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    const struct timespec until = spec_of(now_ns(CLOCK_REALTIME) + wait_ns);
    pthread_mutex_lock(&mutex);
    const int result = pthread_cond_timedwait(&never, &mutex, &until);
    pthread_mutex_unlock(&mutex);
    return result == ETIMEDOUT;
}

static bool do_sigtimedwait(void)
{
    sigset_t set;
    const struct timespec t = spec_of(wait_ns);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    return sigtimedwait(&set, NULL, &t) < 0 && errno == EAGAIN;
}

static bool do_semtimedop(void)
{
    static int set = -1;
    struct sembuf take = {.sem_num = 0, .sem_op = -1};
    const struct timespec t = spec_of(wait_ns);
    if (set < 0) {
        set = semget(IPC_PRIVATE, 1, 0600);
        if (set < 0) return false;
    }
    const bool is_right = semtimedop(set, &take, 1, &t) < 0 && errno == EAGAIN;
    return is_right;
}

static bool do_mq_timedreceive(void)
{
    static mqd_t queue = (mqd_t)-1;
    char text[8192], name[64];
    if (queue == (mqd_t)-1) {
        snprintf(name, sizeof name, "/hsdiff-waits-%d", (int)getpid());
        queue = mq_open(name, O_RDONLY | O_CREAT | O_EXCL, 0600, NULL);
        mq_unlink(name);
    }
    const struct timespec until = spec_of(now_ns(CLOCK_REALTIME) + wait_ns);
    return mq_timedreceive(queue, text, sizeof text, NULL, &until) < 0 && errno == ETIMEDOUT;
}

static bool do_epoll_pwait2(void)
{
    static int fd = -1;
    struct epoll_event event;
    const struct timespec t = spec_of(wait_ns);
    if (fd < 0) fd = epoll_create1(0);
    return epoll_pwait2(fd, &event, 1, &t, NULL) == 0;
}

static bool do_futex(void)
{
    static uint32_t never;
    const struct timespec t = spec_of(wait_ns);
    return syscall(SYS_futex, &never, FUTEX_WAIT, 0, &t, NULL, 0) < 0 && errno == ETIMEDOUT;
}

/* A socket with the time as its own. */
static int timed_socket(int family, int option)
{
    const int fd = socket(family, SOCK_STREAM, 0);
    const struct timeval t = value_of(wait_ns);
    return setsockopt(fd, SOL_SOCKET, option, &t, sizeof t) == 0 ? fd : -1;
}

/* Is the time of the socket still what it was set to? */
static bool keeps_its_time(int fd, int option)
{
    const struct timeval wanted = value_of(wait_ns);
    struct timeval t;
    socklen_t size = sizeof t;
    const bool is_kept =
        getsockopt(fd, SOL_SOCKET, option, &t, &size) == 0 && t.tv_sec == wanted.tv_sec && t.tv_usec == wanted.tv_usec;
    if (!is_kept) errno = ERANGE;
    return is_kept;
}

static bool do_recv(void)
{
    static int ends[2] = {-1, -1};
    char c;
    if (ends[0] < 0) {
        const struct timeval t = value_of(wait_ns);
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 ||
            setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t) != 0)
            return false;
    }
    return recv(ends[0], &c, 1, 0) < 0 && errno == EAGAIN && keeps_its_time(ends[0], SO_RCVTIMEO);
}

static bool do_accept(void)
{
    static int fd = -1;
    if (fd < 0) {
        fd = timed_socket(AF_INET, SO_RCVTIMEO);
        if (listen(fd, 1) != 0) return false;
    }
    return accept(fd, NULL, NULL) < 0 && errno == EAGAIN && keeps_its_time(fd, SO_RCVTIMEO);
}

/* Into a pair that is full. */
static bool do_send(void)
{
    static int ends[2] = {-1, -1};
    static const char much[4096];
    if (ends[0] < 0) {
        const struct timeval t = value_of(wait_ns);
        if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0 ||
            setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t) != 0)
            return false;
        while (send(ends[0], much, sizeof much, MSG_DONTWAIT) > 0) {
        }
    }
    return send(ends[0], much, sizeof much, 0) < 0 && errno == EAGAIN && keeps_its_time(ends[0], SO_SNDTIMEO);
}

/* By the kernel's own calls: no library of a system is sure to be there. A ring without completions, waited for by a
 * time of the call. */
static int ring = -1;

static bool has_ring(void)
{
    struct io_uring_params parameters = {0};
    ring = (int)syscall(SYS_io_uring_setup, 4, &parameters);
    return ring >= 0 && (parameters.features & IORING_FEAT_EXT_ARG) != 0;
}

static bool do_io_uring(void)
{
    const struct timespec t = spec_of(wait_ns);
    const struct io_uring_getevents_arg argument = {.ts = (uintptr_t)&t};
    return syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &argument,
                   sizeof argument) < 0 &&
           errno == ETIME;
}

/* ---- waits that another thread ends ---- */

static int pipe_ends[2], messages = -1, listening = -1, locked_now = -1, lock_wanted = -1;
static struct sockaddr_in listening_at = {.sin_family = AF_INET};

static void *end_read(void *unused)
{
    (void)unused;
    for (;;) {
        do_clock_nanosleep();
        if (write(pipe_ends[1], "x", 1) != 1) return NULL;
    }
}

static bool do_read(void)
{
    char c;
    return read(pipe_ends[0], &c, 1) == 1;
}

typedef struct message {
    long type;
    char text[8];
} message;

static void *end_msgrcv(void *unused)
{
    const message sent_now = {.type = 1};
    (void)unused;
    for (;;) {
        do_clock_nanosleep();
        if (msgsnd(messages, &sent_now, sizeof sent_now.text, 0) != 0) return NULL;
    }
}

static bool do_msgrcv(void)
{
    message got;
    return msgrcv(messages, &got, sizeof got.text, 0, 0) == (ssize_t)sizeof got.text;
}

static void *end_accepted(void *unused)
{
    (void)unused;
    for (;;) {
        const int fd = socket(AF_INET, SOCK_STREAM, 0);
        do_clock_nanosleep();
        if (connect(fd, (const struct sockaddr *)&listening_at, sizeof listening_at) != 0) return NULL;
        close(fd);
    }
}

static bool do_accepted(void)
{
    const int fd = accept(listening, NULL, NULL);
    return fd >= 0 && close(fd) == 0;
}

/* Both have it by turns, each through an open file of its own. */
static void *end_locked(void *unused)
{
    (void)unused;
    for (;;) {
        if (flock(locked_now, LOCK_EX) != 0) return NULL;
        do_clock_nanosleep();
        flock(locked_now, LOCK_UN);
    }
}

static bool do_flock(void) { return flock(lock_wanted, LOCK_EX) == 0 && flock(lock_wanted, LOCK_UN) == 0; }

static bool do_waitpid(void)
{
    int status;
    const pid_t child = fork();
    if (child == 0) _exit(do_clock_nanosleep() ? 7 : 1);
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

/* SIGALRM comes once a wait, and is open in this thread alone, here alone. */
static bool do_sigsuspend(void)
{
    static timer_t timer;
    static bool has_timer;
    sigset_t alarms, before;
    const struct itimerspec once = {.it_value = spec_of(wait_ns)};
    struct sigevent to = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
    to._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    if (!has_timer && timer_create(CLOCK_MONOTONIC, &to, &timer) != 0) return false;
    has_timer = true;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarms, &before);
    if (timer_settime(timer, 0, &once, NULL) != 0) return false;
    sigdelset(&before, SIGALRM);
    return sigsuspend(&before) < 0 && errno == EINTR;
}

static int open_again(int fd)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_RDWR);
}

/* Files, queues and sockets of the waits that another thread ends. */
static bool open_all(void)
{
    char lock[] = "/tmp/hsdiff-waits-XXXXXX";
    socklen_t size = sizeof listening_at;
    listening = socket(AF_INET, SOCK_STREAM, 0);
    listening_at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    locked_now = mkstemp(lock);
    if (locked_now < 0) return false;
    lock_wanted = open_again(locked_now);
    unlink(lock);
    messages = msgget(IPC_PRIVATE, 0600);
    return pipe(pipe_ends) == 0 && lock_wanted >= 0 && messages >= 0 &&
           bind(listening, (const struct sockaddr *)&listening_at, size) == 0 && listen(listening, 8) == 0 &&
           getsockname(listening, (struct sockaddr *)&listening_at, &size) == 0;
}

/* ---- calls that nothing ends: each return of theirs is one too many ---- */

static atomic_ulong ended;
static int locked = -1;

static bool end_pause(void) { return pause() != 0; }

static bool end_accept(void)
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    return listen(fd, 1) == 0 && accept(fd, NULL, NULL) != 0;
}

static bool end_flock(void)
{
    return flock(open_again(locked), LOCK_EX) == 0; /* another open file: the lock of the first is in its way */
}

static bool end_wait(void)
{
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    return waitpid(child, NULL, 0) != child;
}

static void *never_end(void *context)
{
    bool (*const *call)(void) = context;
    (*call)();
    ended++;
    return NULL;
}

/* ---- each in its thread ---- */

typedef struct call {
    const char *name;
    bool (*wait)(void);
    bool is_free; /* has no time of its own */
    atomic_ulong done, early, wrong;
    atomic_long latest_ns;
    atomic_int wrong_errno;
} call;

static call calls[] = {
    {.name = "sleep", .wait = do_sleep},
    {.name = "nanosleep", .wait = do_nanosleep},
    {.name = "usleep", .wait = do_usleep},
    {.name = "clock_nanosleep", .wait = do_clock_nanosleep},
    {.name = "poll", .wait = do_poll},
    {.name = "ppoll", .wait = do_ppoll},
    {.name = "select", .wait = do_select},
    {.name = "pselect", .wait = do_pselect},
    {.name = "epoll_wait", .wait = do_epoll_wait},
    {.name = "epoll_pwait", .wait = do_epoll_pwait},
    {.name = "sem_timedwait", .wait = do_sem_timedwait},
    {.name = "cond_timedwait", .wait = do_cond_timedwait},
    {.name = "sigtimedwait", .wait = do_sigtimedwait},
    {.name = "semtimedop", .wait = do_semtimedop},
    {.name = "mq_timedreceive", .wait = do_mq_timedreceive},
    {.name = "epoll_pwait2", .wait = do_epoll_pwait2},
    {.name = "futex", .wait = do_futex},
    {.name = "recv", .wait = do_recv},
    {.name = "accept", .wait = do_accept},
    {.name = "send", .wait = do_send},
    {.name = "waitpid", .wait = do_waitpid},
    {.name = "sigsuspend", .wait = do_sigsuspend},
    {.name = "read", .wait = do_read, .is_free = true},
    {.name = "msgrcv", .wait = do_msgrcv, .is_free = true},
    {.name = "accepted", .wait = do_accepted, .is_free = true},
    {.name = "flock", .wait = do_flock, .is_free = true},
    {.name = "io_uring", .wait = do_io_uring}, /* the last: not everywhere */
};
enum { CALLS = sizeof calls / sizeof *calls };
static size_t call_count = CALLS;

static void *wait_forever(void *context)
{
    call *c = context;
    for (;;) {
        void *block = malloc(100);
        const int64_t before = now_ns(CLOCK_MONOTONIC);
        const bool is_right = c->wait();
        const int error = errno;
        const int64_t late = now_ns(CLOCK_MONOTONIC) - before - wait_ns;
        free(block);
        c->done++;
        c->wrong += !is_right;
        if (!is_right) c->wrong_errno = error;
        if (c->is_free) continue;
        c->early += late < -GRAIN_NS;
        if (late > c->latest_ns) c->latest_ns = late;
    }
    return NULL;
}

/* ---- a thread that is woken by signals, which a capture must not swallow ---- */

static atomic_ulong sent, woken, handled;
static pthread_t sleeper;

static void count_signal(int number)
{
    (void)number;
    handled++;
}

/* The signal is open in the call alone: none comes before it. */
static void *be_woken(void *unused)
{
    const int fd = epoll_create1(0);
    struct epoll_event event;
    sigset_t all_open;
    (void)unused;
    sigemptyset(&all_open);
    for (;;)
        if (epoll_pwait(fd, &event, 1, -1, &all_open) < 0 && errno == EINTR) woken = (unsigned long)handled;
    return NULL;
}

/* The next signal goes out when the last one has made epoll_pwait return: one that is swallowed stops this. */
static void *wake(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_kill(sleeper, SIGUSR1);
        sent++;
        while (woken < sent)
            usleep(100);
    }
    return NULL;
}

static void count_alarm(int number) { (void)number; }

static void begin(void *(*run)(void *), void *argument, pthread_t *out)
{
    if (pthread_create(out, NULL, run, argument) != 0) abort();
}

static void report(void)
{
    for (size_t i = 0; i < call_count; i++)
        printf("waits %s %lu %lu %lu %ld %d\n", calls[i].name, calls[i].done, calls[i].early, calls[i].wrong,
               calls[i].latest_ns / 1000, calls[i].wrong_errno);
    printf("ended %lu\n", ended);
    printf("signals %lu %lu %lu\n", sent, handled, woken);
    printf("reported\n");
    fflush(stdout);
}

int main(int count, char **arguments)
{
    char line[64];
    pthread_t ignored;
    sigset_t wakes;
    char lock[] = "/tmp/hsdiff-waits-XXXXXX";
    static void *(*const enders[])(void *) = {end_read, end_msgrcv, end_accepted, end_locked};
    static bool (*endless[])(void) = {end_pause, end_accept, end_flock, end_wait};
    if (count > 1) wait_ns = strtol(arguments[1], NULL, 10) * NS_A_MS;
    if (!open_all()) return 1;
    call_count -= !has_ring();
    signal(SIGUSR1, count_signal);
    signal(SIGALRM, count_alarm);
    locked = mkstemp(lock);
    if (locked < 0 || unlink(lock) != 0 || flock(locked, LOCK_EX) != 0) return 1;
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++)
        begin(never_end, &endless[i], &ignored);
    for (size_t i = 0; i < sizeof enders / sizeof *enders; i++)
        begin(enders[i], NULL, &ignored);
    for (size_t i = 0; i < call_count; i++)
        begin(wait_forever, &calls[i], &ignored);
    sigemptyset(&wakes);
    sigaddset(&wakes, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &wakes, NULL);
    begin(be_woken, NULL, &sleeper);
    begin(wake, NULL, &ignored);
    printf("ready %zu\n", call_count);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL && strcmp(line, "quit\n") != 0)
        if (strcmp(line, "report\n") == 0) report();
    msgctl(messages, IPC_RMID, NULL);
    return 0;
}

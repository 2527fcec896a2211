/*
 * Stopping as a debugger does (stop_trace.h).
 *
 * The tracer runs on a stack of its own and shares all memory, errno and the list of threads with the thread that asks,
 * which waits meanwhile.
 */
#include "native/stop_trace.h"

#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "native/calls.h"
#include "native/futex.h"
#include "native/gate.h"
#include "native/local.h"
#include "native/proc.h"
#include "native/registers.h"
#include "native/reserve.h"
#include "native/settings.h"
#include "native/socket_times.h"
#include "native/tasks.h"
#include "native/threads.h"
#include "native/waits.h"

enum { STACK_BYTES = 64 * 1024, PASS_NS = 100 * 1000, LOOK_NS = 20 * 1000 };
/* so long the others wait, all in all, for those that sockets make wait */
static const uint64_t ASLEEP_NS = 10 * 1000 * 1000;
static const uint64_t ENTERING_NS = UINT64_C(10) * 1000 * 1000 * 1000;
enum { SYSCALL_STOP = SIGTRAP | 0x80 }; /* with PTRACE_O_TRACESYSGOOD */
/* ERESTARTNOHAND: the kernel's own, not for programs to see */
enum { EVENT_SHIFT = 16, RESTART_UNLESS_HANDLED = 514 };

/* Where the tracer is. */
enum { IDLE, SET_OUT, STOPPED, REFUSED, GO_ON, DONE };

static struct {
    _Atomic uint32_t state;
    unsigned char *stack, *vectors;
    pid_t tracer, target;
    int self, agent;
    uint64_t began_ns;
    uintptr_t local_below; /* hsn_me lies so many bytes below a thread's control block */
} here;

bool hsn_trace_open(void)
{
    size_t stack = STACK_BYTES, vectors = HSN_XSAVE_BYTES;
    here.stack = hsn_reserve(&stack, stack);
    here.vectors = hsn_reserve(&vectors, vectors);
    return here.stack != NULL && here.vectors != NULL && hsn_waits_open();
}

static void say(uint32_t state)
{
    atomic_store(&here.state, state);
    hsn_futex(&here.state, HSN_FUTEX_WAKE, 1, NULL);
}

/* ---- in the tracer: one thread ---- */

/* 0 or an errno. */
static int trace(int what, int tid, void *data) { return syscall(SYS_ptrace, what, tid, NULL, data) == 0 ? 0 : errno; }
static int trace_set(int what, int tid, void *data, uintptr_t set)
{
    return syscall(SYS_ptrace, what, tid, set, data) == 0 ? 0 : errno;
}

/* The leader that has ended before the others stays in the list, and may not be traced. */
static bool is_dead(int tid)
{
    char path[HSN_PROC_PATH], text[128];
    hsn_proc_path(path, here.target, tid, "stat");
    hsa_read_text(path, text, sizeof text);
    const char *name_end = strrchr(text, ')');
    return name_end == NULL || name_end[1] == '\0' || name_end[2] == 'Z' || name_end[2] == 'X';
}

/* False: tracing is not allowed. */
static bool seize(size_t i)
{
    hsn_task *task = &hsn_list.tasks[i];
    const int tid = hsn_list.threads[i].tid, error = trace(PTRACE_SEIZE, tid, (void *)PTRACE_O_TRACESYSGOOD);
    task->is_gone = error != 0 && (error == ESRCH || is_dead(tid));
    task->is_deaf = error != 0 && !task->is_gone;
    return !task->is_deaf;
}

static void interrupt(size_t i)
{
    hsn_task *task = &hsn_list.tasks[i];
    if (task->is_asked || task->is_gone || task->is_deaf) return;
    task->is_gone = trace(PTRACE_INTERRUPT, hsn_list.threads[i].tid, NULL) == ESRCH;
    task->is_asked = true;
}

static bool get_general(int tid, struct user_regs_struct *out)
{
    struct iovec place = {out, sizeof *out};
    return trace_set(PTRACE_GETREGSET, tid, &place, NT_PRSTATUS) == 0 && place.iov_len == sizeof *out;
}

static size_t get_vectors(int tid)
{
    struct iovec place = {here.vectors, HSN_XSAVE_BYTES};
    return trace_set(PTRACE_GETREGSET, tid, &place, NT_X86_XSTATE) == 0 ? place.iov_len : 0;
}

/* Addresses of a thread are its word: they are not trusted. */
static bool copy_from(void *to, const void *from, size_t size)
{
    struct iovec here_at = {to, size}, there = {(void *)from, size};
    return syscall(SYS_process_vm_readv, getpid(), &here_at, 1UL, &there, 1UL, 0UL) == (long)size;
}

/* Its hsn_me, if it is inside (local.h); NULL if not, or if it has none. */
static hsn_local *find_critical(const struct user_regs_struct *registers)
{
    hsn_local *local = (hsn_local *)(registers->fs_base - here.local_below), copy;
    hsn_magazine magazine;
    if (registers->fs_base == 0 || !copy_from(&copy, local, sizeof copy)) return NULL;
    const bool is_inside =
        copy.magazine != NULL && copy_from(&magazine, copy.magazine, sizeof magazine) && hsn_map_is_inside(&magazine);
    return copy.critical != 0 || is_inside ? local : NULL;
}

/* The call that a stop has ended; NULL = none that has to be taken up again. */
static const hsn_call *ended_call(const struct user_regs_struct *registers)
{
    const bool is_ended = (long long)registers->orig_rax >= 0 && (long long)registers->rax == -EINTR;
    return is_ended ? hsn_call_find((long)registers->orig_rax) : NULL;
}

/* It goes on, but for a signal of the program's that came meanwhile: the kernel knows, and then EINTR stays. */
static void mend_call(size_t i, struct user_regs_struct *registers, bool is_first_time)
{
    const hsn_call *call = ended_call(registers);
    if (call == NULL) return;
    struct iovec place = {registers, sizeof *registers};
    registers->rax = (unsigned long long)-RESTART_UNLESS_HANDLED;
    if (is_first_time) hsn_waits_shorten(here.target, i, call, registers);
    trace_set(PTRACE_SETREGSET, hsn_list.threads[i].tid, &place, NT_PRSTATUS);
}

/* Inside the table: it goes on, stops by itself behind it (hsn_gate_wait), and is interrupted there at the next pass.
 */
static void let_out(size_t i, hsn_local *local)
{
    hsn_task *task = &hsn_list.tasks[i];
    local->pending = hsn_ticket(hsn_list.generation, i);
    trace(PTRACE_CONT, hsn_list.threads[i].tid, (void *)(uintptr_t)task->signal);
    task->is_asked = false;
    task->signal = 0;
}

static void take_stop_trace(size_t i)
{
    hsn_thread *t = &hsn_list.threads[i];
    struct user_regs_struct registers;
    if (!get_general(t->tid, &registers)) return;
    hsn_local *local = find_critical(&registers);
    if (local != NULL) {
        let_out(i, local);
        return;
    }
    hsn_registers_of_trace(t, &registers, here.vectors, get_vectors(t->tid));
    if (t->tls.high == 0 && registers.fs_base != 0) t->tls = hsn_thread_tls_of((uintptr_t)registers.fs_base);
    mend_call(i, &registers, true);
    atomic_store(&hsn_list.tasks[i].answered, hsn_list.generation);
}

/* What the kernel says of a thread: it stands still, for us or with a signal of its own that it gets later, or it has
 * ended. */
static void look_at_stop_trace(size_t i)
{
    hsn_task *task = &hsn_list.tasks[i];
    int status;
    const pid_t got = waitpid(hsn_list.threads[i].tid, &status, __WALL | WNOHANG);
    if (got == 0) return;
    if (got < 0 || !WIFSTOPPED(status)) {
        task->is_gone = true;
        return;
    }
    task->signal = status >> EVENT_SHIFT == 0 ? WSTOPSIG(status) : 0;
    take_stop_trace(i);
}

/* ---- in the tracer: all ---- */

static bool is_open(size_t i)
{
    const hsn_task *task = &hsn_list.tasks[i];
    return !task->is_deaf && !task->is_gone && !hsn_task_stands(i);
}

static size_t pass_stop_trace(void)
{
    size_t open = 0;
    for (size_t i = 0; i < hsn_list.count; i++) {
        if (!is_open(i)) continue;
        interrupt(i);
        look_at_stop_trace(i);
        open += is_open(i);
    }
    return open;
}

static void wait_for_change(void)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigtimedwait(&child, NULL, &(struct timespec){.tv_nsec = PASS_NS});
}

/* Threads from `first` on. False: not even one may be traced. */
static bool seize_from(size_t first)
{
    size_t refused = 0;
    for (size_t i = first; i < hsn_list.count; i++)
        refused += !seize(i);
    return refused == 0 || first > 0 || refused < hsn_list.count;
}

static bool stop_all(void)
{
    size_t first = 0;
    hsn_tasks_look(here.target, here.self, here.agent);
    if (!seize_from(first)) return false;
    hsn_waits_begin();
    for (size_t i = 0; i < hsn_list.count; i++)
        hsn_waits_note(here.target, i);
    hsn_waits_end();
    here.began_ns = hsa_now_ns();
    hsn_gate_close(hsn_list.generation);
    const uint64_t deadline = here.began_ns + hsn_set.stop_ms * 1000 * 1000;
    do {
        for (size_t i = first; i < hsn_list.count; i++)
            interrupt(i);
        first = hsn_list.count;
        while (pass_stop_trace() > 0 && hsa_now_ns() < deadline)
            wait_for_change();
    } while (hsn_tasks_look(here.target, here.self, here.agent) > 0 && seize_from(first));
    return true;
}

static void detach(size_t i)
{
    if (hsn_task_stands(i)) trace(PTRACE_DETACH, hsn_list.threads[i].tid, (void *)(uintptr_t)hsn_list.tasks[i].signal);
}

/* A stop of this thread as waitpid tells it; 0 = it runs, or sleeps, or has ended. */
static int stop_of(size_t i)
{
    int status;
    return waitpid(hsn_list.threads[i].tid, &status, __WALL | WNOHANG) > 0 && WIFSTOPPED(status) ? status : 0;
}

/*
 * A thread that was let go under trace stands again: at the end of its call, or for a signal, which here may be one
 * that the program ignores, as SIGCHLD: such are not even sent to who is not traced. What that has ended goes on.
 */
static void let_go_again(size_t i, int status)
{
    struct user_regs_struct registers;
    const bool is_signal = status >> EVENT_SHIFT == 0 && WSTOPSIG(status) != SYSCALL_STOP;
    if (get_general(hsn_list.threads[i].tid, &registers)) mend_call(i, &registers, false);
    hsn_list.tasks[i].signal = is_signal ? WSTOPSIG(status) : 0;
    hsn_list.tasks[i].way = HSN_TASK_STANDS;
    detach(i);
}

/* Its next stop, or 0 when it has ended, or time is over, or it sleeps in this call (NULL = is not asked for), and did
 * not before. */
static int watch(size_t i, const hsn_call *sleeps_in, uint64_t deadline)
{
    const int tid = hsn_list.threads[i].tid;
    int status;
    while ((status = stop_of(i)) == 0 && hsa_now_ns() < deadline && !hsn_task_is_gone(here.target, tid)) {
        if (sleeps_in != NULL && hsn_waits_sleeps_in(here.target, i, sleeps_in)) return 0;
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    }
    return status;
}

/* Lets a thread go up to the beginning or the end of a system call, and watches it. */
static int go_on_stop_trace(size_t i, const hsn_call *sleeps_in, uint64_t deadline)
{
    hsn_waits_count(here.target, i);
    return trace(PTRACE_SYSCALL, hsn_list.threads[i].tid, NULL) == 0 ? watch(i, sleeps_in, deadline) : 0;
}

static bool begins_call(int status) { return status != 0 && WSTOPSIG(status) == SYSCALL_STOP; }

/*
 * Its socket has what is left of its time until it sleeps again. No other thread of this program runs meanwhile, which
 * could begin to wait for the same socket, and it does not come out of its call by itself. One that does not sleep in
 * time may have its whole time anew.
 */
static void release_timed(size_t i, uint64_t deadline)
{
    hsn_task *task = &hsn_list.tasks[i];
    struct user_regs_struct registers;
    uint64_t whole_ns;
    if (task->signal != 0 || hsa_now_ns() >= deadline || !get_general(hsn_list.threads[i].tid, &registers)) return;
    task->call = hsn_call_find((long)registers.orig_rax);
    const int fd = task->call == NULL ? -1 : (int)*hsn_call_argument(&registers, task->call->argument);
    if (fd < 0 || !hsn_socket_time(task->call, fd, &whole_ns) || !hsn_socket_time_set(task->call, fd, task->rest_ns))
        return;
    int status = go_on_stop_trace(i, NULL, deadline);
    task->way = status == 0 ? HSN_TASK_ENTERS : HSN_TASK_IS_IN;
    if (begins_call(status)) status = go_on_stop_trace(i, task->call, deadline);
    hsn_socket_time_set(task->call, fd, whole_ns);
    if (status != 0) let_go_again(i, status);
}

/*
 * Who is let go at the beginning of a call finds a signal there that does not exist, and ends it: it has to be resumed
 * there. Who sleeps in its call is let go by the end of the tracer, which it does not notice.
 */
static void finish_timed(size_t i)
{
    const hsn_task *task = &hsn_list.tasks[i];
    const uint64_t deadline = hsa_now_ns() + ENTERING_NS;
    int status = watch(i, task->way == HSN_TASK_IS_IN ? task->call : NULL, deadline);
    if (task->way == HSN_TASK_ENTERS && begins_call(status)) status = go_on_stop_trace(i, task->call, deadline);
    if (status != 0) let_go_again(i, status);
}

static void detach_all(void)
{
    const uint64_t deadline = hsa_now_ns() + ASLEEP_NS;
    for (size_t i = 0; i < hsn_list.count; i++)
        if (hsn_list.tasks[i].rest_ns > 0) release_timed(i, deadline);
    for (size_t i = 0; i < hsn_list.count; i++)
        if (hsn_list.tasks[i].way == HSN_TASK_STANDS) detach(i);
    for (size_t i = 0; i < hsn_list.count; i++)
        if (hsn_list.tasks[i].way == HSN_TASK_ENTERS || hsn_list.tasks[i].way == HSN_TASK_IS_IN) finish_timed(i);
}

/* Who has not stopped in time is let go by the kernel when this ends. */
static int run_stop_trace(void *unused)
{
    (void)unused;
    while (atomic_load(&here.state) == IDLE)
        hsn_futex(&here.state, HSN_FUTEX_WAIT, IDLE, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "hsdiff");
    signal(SIGCHLD, SIG_DFL); /* a program that ignores it would not have it sent to us either */
    const bool has_stopped = getppid() == here.target && stop_all();
    say(has_stopped ? STOPPED : REFUSED);
    while (has_stopped && atomic_load(&here.state) == STOPPED)
        hsn_futex(&here.state, HSN_FUTEX_WAIT, STOPPED, NULL);
    if (has_stopped) detach_all();
    say(DONE);
    return 0;
}

/* ---- in the thread that asks ---- */

/* Yama lets a process be traced by its children when it names them. */
static void allow(pid_t tracer)
{
    char scope[8];
    if (hsa_read_text("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof scope) > 0 && scope[0] == '1')
        prctl(PR_SET_PTRACER, (unsigned long)tracer, 0UL, 0UL, 0UL);
}

/* Until the tracer has come so far; false when it has died before. */
static bool wait_until(uint32_t least)
{
    for (;;) {
        const uint32_t state = atomic_load(&here.state);
        if (state >= least && state != GO_ON) return true;
        hsn_futex(&here.state, HSN_FUTEX_WAIT, state, &(struct timespec){.tv_nsec = 20 * 1000 * 1000});
        siginfo_t info = {0};
        const int error =
            waitid(P_PID, (id_t)here.tracer, &info, WEXITED | WNOHANG | WNOWAIT | __WCLONE) == 0 ? 0 : errno;
        if ((error == ECHILD || info.si_pid != 0) && atomic_load(&here.state) == state) return false;
    }
}

static void reap(void)
{
    while (waitpid(here.tracer, NULL, __WCLONE) < 0 && errno == EINTR) {
    }
}

bool hsn_trace_stop(int self, int agent, uint64_t *began_ns)
{
    here.local_below = (uintptr_t)__builtin_thread_pointer() - (uintptr_t)&hsn_me;
    here.target = getpid();
    here.self = self;
    here.agent = agent;
    atomic_store(&here.state, IDLE);
    here.tracer =
        clone(run_stop_trace, here.stack + STACK_BYTES, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_UNTRACED, NULL);
    if (here.tracer < 0) return false;
    allow(here.tracer);
    say(SET_OUT);
    const bool has_stopped = wait_until(STOPPED) && atomic_load(&here.state) == STOPPED;
    *began_ns = here.began_ns;
    if (!has_stopped) reap();
    return has_stopped;
}

void hsn_trace_release(void)
{
    say(GO_ON);
    wait_until(DONE);
    reap();
}

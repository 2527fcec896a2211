/* Stopping by a signal (stop_signal.h). */
#include "native/stop_signal.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "native/futex.h"
#include "native/gate.h"
#include "native/local.h"
#include "native/proc.h"
#include "native/registers.h"
#include "native/settings.h"
#include "native/tasks.h"
#include "native/threads.h"

enum { FIRST_TRY = 6, LOOK_NS = 1000 * 1000, ROUND_NS = 2 * 1000 * 1000, ROUNDS_TO_LOOK = 8 };

static int chosen;               /* 0 = none yet */
static _Atomic uint32_t answers; /* how many have answered, for the waiter */

/* ---- in the thread that stops ---- */

static void stand_still(uint64_t ticket, const ucontext_t *context)
{
    const uint32_t index = (uint32_t)ticket;
    hsn_thread *t = &hsn_list.threads[index];
    hsn_registers_of_signal(t, context);
    if (t->tls.high == 0) t->tls = hsn_thread_tls();
    atomic_store(&hsn_list.tasks[index].answered, hsn_ticket_generation(ticket));
    atomic_fetch_add(&answers, 1);
    hsn_futex(&answers, HSN_FUTEX_WAKE, 1, NULL);
    hsn_gate_wait(hsn_ticket_generation(ticket));
}

static void handle(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    const int error = errno;
    const uint64_t ticket = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
    const uint32_t generation = hsn_ticket_generation(ticket);
    const bool is_ours = info->si_code == SI_QUEUE && info->si_pid == getpid();
    if (is_ours && generation == hsn_gate() && generation != 0) {
        if (hsn_is_inside())
            hsn_me.pending = ticket;
        else
            stand_still(ticket, context);
    }
    errno = error;
}

/* 0 or an errno. */
static int send_stop_signal(int tid, uint64_t ticket)
{
    siginfo_t info = {.si_code = SI_QUEUE};
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = (void *)(uintptr_t)ticket;
    return syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, chosen, &info) == 0 ? 0 : errno;
}

void hsn_signal_obey(uint64_t ticket) { send_stop_signal((int)syscall(SYS_gettid), ticket); }

/* ---- the signal ---- */

static bool is_mine(int signal)
{
    struct sigaction now;
    return signal != 0 && sigaction(signal, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
           now.sa_sigaction == handle;
}

static bool take_signal(int signal)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK}, now;
    if (sigaction(signal, NULL, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL)
        return false;
    action.sa_sigaction = handle;
    /* glibc's own too: who has not left the last stop yet is not deaf (hsn_proc_blocks) */
    memset(&action.sa_mask, 0xff, sizeof action.sa_mask);
    if (sigaction(signal, &action, NULL) != 0) return false;
    chosen = signal;
    return true;
}

bool hsn_signal_arm(void)
{
    if (is_mine(chosen)) return true;
    if (hsn_set.signal != 0) return take_signal(hsn_set.signal);
    for (int signal = SIGRTMIN + FIRST_TRY; signal <= SIGRTMAX; signal++)
        if (take_signal(signal)) return true;
    return false;
}

/* ---- in the thread that asks ---- */

/* Threads that block the signal at two looks will hardly ever take it: they are not waited for. */
static void find_deaf(void)
{
    bool is_any = false;
    for (size_t i = 0; i < hsn_list.count; i++) {
        hsn_list.tasks[i].is_deaf = hsn_proc_blocks(hsn_list.threads[i].tid, chosen);
        is_any = is_any || hsn_list.tasks[i].is_deaf;
    }
    if (!is_any) return;
    nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    for (size_t i = 0; i < hsn_list.count; i++)
        hsn_list.tasks[i].is_deaf = hsn_list.tasks[i].is_deaf && hsn_proc_blocks(hsn_list.threads[i].tid, chosen);
}

static void ask_stop_signal(size_t i)
{
    hsn_task *task = &hsn_list.tasks[i];
    if (task->is_asked || task->is_deaf) return;
    const int error = send_stop_signal(hsn_list.threads[i].tid, hsn_ticket(hsn_list.generation, i));
    task->is_signalled = error == 0;
    task->is_gone = error == ESRCH;
    task->is_asked = error == 0 || task->is_gone; /* EAGAIN: the queue of signals is full, once more */
}

static bool is_open(size_t i)
{
    const hsn_task *task = &hsn_list.tasks[i];
    return !task->is_deaf && !task->is_gone && !hsn_task_stands(i);
}

static size_t count_open(void)
{
    size_t open = 0;
    for (size_t i = 0; i < hsn_list.count; i++)
        open += is_open(i);
    return open;
}

/* Whoever ended in the meantime answers no more. */
static void find_gone(void)
{
    for (size_t i = 0; i < hsn_list.count; i++)
        if (is_open(i)) hsn_list.tasks[i].is_gone = hsn_task_is_gone(getpid(), hsn_list.threads[i].tid);
}

/* Until all have answered who can, or the time is over. */
static void wait_for_answers(uint64_t deadline)
{
    for (unsigned rounds = 1;; rounds++) {
        const uint32_t seen = atomic_load(&answers);
        for (size_t i = 0; i < hsn_list.count; i++)
            ask_stop_signal(i);
        if (count_open() == 0 || hsa_now_ns() > deadline) return;
        if (rounds % ROUNDS_TO_LOOK == 0) find_gone();
        hsn_futex(&answers, HSN_FUTEX_WAIT, seen, &(struct timespec){.tv_nsec = ROUND_NS});
    }
}

void hsn_signal_stop(int self, int agent, uint64_t *began_ns)
{
    hsn_tasks_look(getpid(), self, agent);
    find_deaf();
    *began_ns = hsa_now_ns();
    hsn_gate_close(hsn_list.generation);
    const uint64_t deadline = *began_ns + hsn_set.stop_ms * 1000 * 1000;
    do
        wait_for_answers(deadline);
    while (hsn_tasks_look(getpid(), self, agent) > 0);
}

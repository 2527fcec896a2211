/* Stopping threads (stop.h). */
#include "native/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "native/local.h"
#include "native/proc.h"
#include "native/reserve.h"
#include "native/settings.h"
#include "native/threads.h"

enum { THREADS = 1 << 15, MAX_TID = 1 << 22, FIRST_TRY = 6, GENERAL = 17, VECTOR_WORDS = 32, LIST_BYTES = 32 * 1024 };
enum { AVX_FEATURE = 4, XSAVE_FEATURES_AT = 512, XSAVE_AVX_AT = 576 };

/* What a thread under way to its stop has written, apart from its registers. */
typedef struct slot {
    _Atomic uint32_t answered; /* generation */
    bool is_asked, is_deaf, is_gone;
} slot;

static struct {
    hsn_thread *threads;
    slot *slots;
    unsigned char *is_known; /* a bit for each tid */
    char *list;              /* what getdents64 says */
    size_t count;
    uint32_t generation;
    int signal;
} here;

static _Atomic uint32_t gate;     /* the generation that stands still, 0 = nobody */
static _Atomic uint32_t answers;  /* how many have answered, for the waiter */

bool hsn_stop_open(void)
{
    size_t threads = THREADS * sizeof *here.threads, slots = THREADS * sizeof *here.slots, known = MAX_TID / 8, list = LIST_BYTES;
    here.threads = hsn_reserve(&threads, threads);
    here.slots = hsn_reserve(&slots, slots);
    here.is_known = hsn_reserve(&known, known);
    here.list = hsn_reserve(&list, list);
    return here.threads != NULL && here.slots != NULL && here.is_known != NULL && here.list != NULL;
}

static long futex(_Atomic uint32_t *at, int what, uint32_t value, const struct timespec *timeout)
{
    return syscall(SYS_futex, at, what | FUTEX_PRIVATE_FLAG, value, timeout, NULL, 0);
}

/* ---- in the thread that stops ---- */

/* Vector registers too: what a thread is just copying may stand nowhere else. */
static void take_registers(hsn_thread *t, const ucontext_t *context)
{
    const mcontext_t *m = &context->uc_mcontext;
    for (size_t i = 0; i < GENERAL; i++)
        t->registers[i] = (uintptr_t)m->gregs[i];
    t->register_count = GENERAL;
    t->stack_pointer = (uintptr_t)m->gregs[REG_RSP];
    if (m->fpregs == NULL) return;
    memcpy(t->registers + GENERAL, m->fpregs->_xmm, VECTOR_WORDS * sizeof *t->registers);
    t->register_count += VECTOR_WORDS;
    const unsigned char *area = (const unsigned char *)m->fpregs;
    uint32_t magic;
    uint64_t features;
    memcpy(&magic, area + 464, sizeof magic); /* FP_XSTATE_MAGIC1: there is more than the 512 bytes of old */
    memcpy(&features, area + XSAVE_FEATURES_AT, magic == 0x46505853 ? sizeof features : 0);
    if (magic != 0x46505853 || (features & AVX_FEATURE) == 0) return;
    memcpy(t->registers + GENERAL + VECTOR_WORDS, area + XSAVE_AVX_AT, VECTOR_WORDS * sizeof *t->registers);
    t->register_count += VECTOR_WORDS;
}

static void stand_still(uint32_t index, uint32_t generation, const ucontext_t *context)
{
    hsn_thread *t = &here.threads[index];
    take_registers(t, context);
    if (t->tls.high == 0) t->tls = hsn_thread_tls();
    atomic_store(&here.slots[index].answered, generation);
    atomic_fetch_add(&answers, 1);
    futex(&answers, FUTEX_WAKE, 1, NULL);
    while (atomic_load(&gate) == generation)
        futex(&gate, FUTEX_WAIT, generation, NULL);
}

static void handle(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    const int error = errno;
    const uint64_t ticket = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
    const uint32_t generation = (uint32_t)(ticket >> 32), index = (uint32_t)ticket;
    const bool is_ours = info->si_code == SI_QUEUE && info->si_pid == getpid() && index < THREADS;
    if (is_ours && generation == atomic_load(&gate) && generation != 0) {
        if (hsn_me.critical != 0)
            hsn_me.pending = ticket;
        else
            stand_still(index, generation, context);
    }
    errno = error;
}

static void send(int tid, uint64_t ticket, int *error)
{
    siginfo_t info = {.si_code = SI_QUEUE};
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = (void *)(uintptr_t)ticket;
    *error = syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, here.signal, &info) == 0 ? 0 : errno;
}

void hsn_stop_again(void)
{
    const int before = errno;
    int error;
    const uint64_t ticket = hsn_me.pending;
    hsn_me.pending = 0;
    if ((uint32_t)(ticket >> 32) == atomic_load(&gate)) send((int)syscall(SYS_gettid), ticket, &error);
    errno = before;
}

void hsn_stop_aside(void)
{
    const int depth = hsn_me.critical;
    hsn_me.critical = 0;
    atomic_signal_fence(memory_order_seq_cst);
    if (hsn_me.pending != 0) hsn_stop_again();
    atomic_signal_fence(memory_order_seq_cst);
    hsn_me.critical = depth;
}

/* ---- the signal ---- */

static bool is_mine(int signal)
{
    struct sigaction now;
    return signal != 0 && sigaction(signal, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handle;
}

static bool take_signal(int signal)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK}, now;
    if (sigaction(signal, NULL, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL) return false;
    action.sa_sigaction = handle;
    memset(&action.sa_mask, 0xff, sizeof action.sa_mask); /* glibc's own too: who has not left the last stop yet is not deaf (hsn_proc_blocks) */
    if (sigaction(signal, &action, NULL) != 0) return false;
    here.signal = signal;
    return true;
}

bool hsn_stop_arm(void)
{
    if (is_mine(here.signal)) return true;
    if (hsn_set.signal != 0) return take_signal(hsn_set.signal);
    for (int signal = SIGRTMIN + FIRST_TRY; signal <= SIGRTMAX; signal++)
        if (take_signal(signal)) return true;
    return false;
}

/* ---- in the thread that asks ---- */

static bool mark_known(int tid)
{
    const unsigned char bit = (unsigned char)(1u << (tid % 8));
    if (tid <= 0 || tid >= MAX_TID || (here.is_known[tid / 8] & bit) != 0) return false;
    here.is_known[tid / 8] |= bit;
    return true;
}

static void unmark(int tid) { here.is_known[tid / 8] &= (unsigned char)~(1u << (tid % 8)); }

static void begin_thread(int tid)
{
    hsn_thread *t = &here.threads[here.count];
    const hsn_entry *row = hsn_thread_find(tid);
    memset(t, 0, sizeof *t);
    t->tid = tid;
    if (row != NULL) {
        t->stack = row->stack;
        t->tls = row->tls;
    }
    hsn_proc_thread_name(tid, t->name);
    here.slots[here.count] = (slot){0};
    here.count++;
}

/* Adds whoever is new in the list of tasks; how many these are. */
static size_t look_around(int self, int agent)
{
    const size_t before = here.count;
    const int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return 0;
    long size;
    while ((size = syscall(SYS_getdents64, fd, here.list, LIST_BYTES)) > 0)
        for (long at = 0; at < size;) {
            unsigned short length;
            memcpy(&length, here.list + at + 16, sizeof length);
            const int tid = hsn_proc_number(here.list + at + 19);
            if (tid != self && tid != agent && here.count < THREADS && mark_known(tid)) begin_thread(tid);
            at += length;
        }
    close(fd);
    return here.count - before;
}

static void forget_all(void)
{
    for (size_t i = 0; i < here.count; i++)
        unmark(here.threads[i].tid);
    here.count = 0;
}

/* Threads that block the signal at two looks will hardly ever take it: they are not waited for. */
static void find_deaf(void)
{
    bool is_any = false;
    for (size_t i = 0; i < here.count; i++) {
        here.slots[i].is_deaf = hsn_proc_blocks(here.threads[i].tid, here.signal);
        is_any = is_any || here.slots[i].is_deaf;
    }
    if (!is_any) return;
    nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    for (size_t i = 0; i < here.count; i++)
        here.slots[i].is_deaf = here.slots[i].is_deaf && hsn_proc_blocks(here.threads[i].tid, here.signal);
}

static void ask(size_t i)
{
    slot *s = &here.slots[i];
    int error;
    if (s->is_asked || s->is_deaf) return;
    send(here.threads[i].tid, (uint64_t)here.generation << 32 | i, &error);
    s->is_gone = error == ESRCH;
    s->is_asked = error == 0 || s->is_gone; /* EAGAIN: the queue of signals is full, once more */
}

static bool is_gone(int tid) { return syscall(SYS_tgkill, getpid(), tid, 0) != 0 && errno == ESRCH; }
static bool has_answered(size_t i) { return here.slots[i].is_gone || atomic_load(&here.slots[i].answered) == here.generation; }

static size_t count_unanswered(void)
{
    size_t open = 0;
    for (size_t i = 0; i < here.count; i++)
        if (!here.slots[i].is_deaf && !has_answered(i)) open++;
    return open;
}

/* Whoever ended in the meantime answers no more. */
static void find_gone(void)
{
    for (size_t i = 0; i < here.count; i++)
        if (!here.slots[i].is_deaf && !has_answered(i))
            here.slots[i].is_gone = is_gone(here.threads[i].tid);
}

/* Until all have answered who can, or the time is over. */
static void wait_for_answers(uint64_t deadline)
{
    for (unsigned rounds = 1;; rounds++) {
        const uint32_t seen = atomic_load(&answers);
        for (size_t i = 0; i < here.count; i++)
            ask(i);
        if (count_unanswered() == 0 || hsa_now_ns() > deadline) return;
        if (rounds % 8 == 0) find_gone();
        futex(&answers, FUTEX_WAIT, seen, &(struct timespec){.tv_nsec = 2 * 1000 * 1000});
    }
}

/* Leaves out who is gone, and counts who did not stop. */
static void settle(hsn_stopped *out)
{
    size_t kept = 0;
    out->missed = 0;
    for (size_t i = 0; i < here.count; i++) {
        hsn_thread *t = &here.threads[i];
        t->is_stopped = !here.slots[i].is_gone && has_answered(i);
        if (!t->is_stopped && is_gone(t->tid)) {
            unmark(t->tid);
            continue;
        }
        if (!t->is_stopped) out->missed++;
        if (kept != i) here.threads[kept] = *t;
        kept++;
    }
    here.count = kept;
}

/* The thread that asks, as it was when it asked. */
static void add_self(int tid, const ucontext_t *context)
{
    if (context == NULL || here.count == THREADS || !mark_known(tid)) return;
    begin_thread(tid);
    hsn_thread *t = &here.threads[here.count - 1];
    take_registers(t, context);
    if (t->tls.high == 0) t->tls = hsn_thread_tls();
    t->is_stopped = true;
}

void hsn_stop_all(int agent_tid, const ucontext_t *context, hsn_stopped *out)
{
    const int self = (int)syscall(SYS_gettid);
    forget_all();
    look_around(self, agent_tid);
    find_deaf();
    out->began_ns = hsa_now_ns();
    here.generation = here.generation == UINT32_MAX ? 1 : here.generation + 1;
    atomic_store(&gate, here.generation);
    const uint64_t deadline = out->began_ns + hsn_set.stop_ms * 1000 * 1000;
    do
        wait_for_answers(deadline);
    while (look_around(self, agent_tid) > 0);
    settle(out);
    add_self(self, context);
    out->threads = here.threads;
    out->count = here.count;
}

void hsn_stop_release(void)
{
    atomic_store(&gate, 0);
    futex(&gate, FUTEX_WAKE, INT_MAX, NULL);
}

void hsn_stop_adopt(void)
{
    atomic_store(&gate, 0);
    hsn_me.pending = 0;
    here.count = 0;
    if (here.is_known != NULL) madvise(here.is_known, MAX_TID / 8, MADV_DONTNEED);
}

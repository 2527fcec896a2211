#define _GNU_SOURCE /* __WALL, REG_RIP */
/*
 * See held.h.
 *
 * Safe places to call functions of libc. The locks that matter are those of malloc, of ld.so and of libc's threads; the
 * thread must hold none of them:
 *
 *      in the code of the interpreter          malloc and ld.so call nothing of Python's while they hold a lock. (Not where malloc is linked into that file.)
 *      in a system call made by libc that      none of these is made under such a lock: malloc and ld.so map memory, read files, and wait for locks by
 *      waits for something outside             FUTEX_WAIT; condition variables and semaphores, which Python's locks are, wait by FUTEX_WAIT_BITSET
 *
 * All others are let go at once, and looked at again a little later, or another thread is. For the kernel's calls alone
 * any place will do.
 *
 * Stops are those of PTRACE_INTERRUPT and of system calls: whoever is let go there, by whatever end of this side, gets
 * no signal. SIGTRAP, by which debuggers step, would kill the program.
 */
#include "live/python/held.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/check.h"
#include "base/note.h"

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

#if defined(__x86_64__)

#include <cpuid.h>

enum {
    SYSCALL_STOP = SIGTRAP | 0x80,
    EVENT_SHIFT = 16,
    STOP_MS = 200,
    PATIENCE_MS = 8000,
    CALL_MS = 5000,
    MOST_THREADS = 512,
    CODE_OF_CALL = 2
};
enum { RED_ZONE = 128, ALIGNMENT = 64, WAIT_BITSET = 9, OPERATION = 0x7f };
/* Errors of the kernel's own: how it takes a call up again. */
enum { RESTART_SYS = 512, RESTART_NO_INTERRUPT = 513, RESTART_NO_HANDLER = 514, RESTART_BLOCK = 516 };
/* Within the vector registers as the kernel saves them: where it says how they are to be restored (asm/sigcontext.h).
 */
enum { SAVED_WORDS_AT = 464, SAVED_MAGIC_1 = 0x46505853, SAVED_MAGIC_2 = 0x46505845, NO_CHANGE = 0x10 };
enum { SAVED_LEAST = 576, SAVED_LEAF = 0xd, FIRST_EXTENDED = 2 };
static const uint64_t TILES = UINT64_C(3) << 17;

/* ---- ptrace ---- */

static int trace(int what, pid_t tid, uintptr_t address, uintptr_t data)
{
    return ptrace(what, tid, (void *)address, (void *)data) == -1 ? errno : 0;
}

static bool get_registers(pid_t tid, struct user_regs_struct *out)
{
    struct iovec place = {out, sizeof *out};
    return trace(PTRACE_GETREGSET, tid, NT_PRSTATUS, (uintptr_t)&place) == 0 && place.iov_len == sizeof *out;
}

static bool set_registers(pid_t tid, const struct user_regs_struct *registers)
{
    struct user_regs_struct copy = *registers;
    struct iovec place = {&copy, sizeof copy};
    return trace(PTRACE_SETREGSET, tid, NT_PRSTATUS, (uintptr_t)&place) == 0;
}

static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 50 * 1000}, NULL); }

/* The next stop; 0 = it did not stop in time, -1 = it has ended. */
static int next_stop(pid_t tid, unsigned patience_ms)
{
    const uint64_t end = hsd_now_ns() + (uint64_t)patience_ms * 1000000;
    for (;;) {
        int status = 0;
        const pid_t got = waitpid(tid, &status, __WALL | WNOHANG);
        if (got == tid) return WIFSTOPPED(status) ? status : -1;
        if (got < 0 && errno != EINTR) return -1;
        if (hsd_now_ns() >= end) return 0;
        nap();
    }
}

static bool is_call_stop(int status) { return status > 0 && WSTOPSIG(status) == SYSCALL_STOP; }
static bool is_event_stop(int status) { return status > 0 && status >> EVENT_SHIFT == PTRACE_EVENT_STOP; }

/* Up to the stop that PTRACE_INTERRUPT makes. Signals that come before are the program's: it gets them. */
static int stop_by_event(pid_t tid, unsigned patience_ms)
{
    int status = next_stop(tid, patience_ms);
    while (status > 0 && !is_event_stop(status)) {
        trace(PTRACE_CONT, tid, 0, is_call_stop(status) ? 0 : (uintptr_t)WSTOPSIG(status));
        status = next_stop(tid, patience_ms);
    }
    return status;
}

/* ---- safe places ---- */

enum { OPEN_FILE_LOCK_WAIT = 38 }; /* F_OFD_SETLKW, which <fcntl.h> has for _GNU_SOURCE alone */

static bool waits_outside(long number)
{
    static const long calls[] = {
        SYS_epoll_wait, SYS_epoll_pwait, SYS_epoll_pwait2,    SYS_poll,          SYS_ppoll,           SYS_select,
        SYS_pselect6,   SYS_nanosleep,   SYS_clock_nanosleep, SYS_accept,        SYS_accept4,         SYS_connect,
        SYS_recvfrom,   SYS_recvmsg,     SYS_recvmmsg,        SYS_sendto,        SYS_sendmsg,         SYS_sendmmsg,
        SYS_wait4,      SYS_waitid,      SYS_pause,           SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_flock,
        SYS_semop,      SYS_semtimedop,  SYS_msgrcv,          SYS_msgsnd,        SYS_io_getevents,
    };
    for (size_t i = 0; i < HSD_ARRAY_LEN(calls); i++)
        if (calls[i] == number) return true;
    return false;
}

static bool reads_or_writes(long number)
{
    return number == SYS_read || number == SYS_write || number == SYS_readv || number == SYS_writev;
}

/* malloc and ld.so read regular files alone. A pipe may have a name as they do: what it is decides. */
static bool is_no_file(const hsd_held *held, uint64_t fd)
{
    char path[64];
    struct stat it;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", held->place->remote->pid, (int)fd);
    return stat(path, &it) == 0 && !S_ISREG(it.st_mode);
}

static bool is_of(const hsd_held_place *place, uint64_t address, size_t object)
{
    const hsd_remote_mapping *one = hsd_remote_find(place->remote, address);
    return object != SIZE_MAX && one != NULL && one->is_executable &&
           strcmp(one->name, place->remote->mappings[object].name) == 0;
}

static bool waits_in_libc(const hsd_held *held)
{
    static const uint8_t instruction[CODE_OF_CALL] = {0x0f, 0x05};
    const struct user_regs_struct *r = &held->before;
    const long number = (long)r->orig_rax;
    uint8_t code[CODE_OF_CALL];
    if (number < 0 ||
        !(is_of(held->place, r->rip, held->place->libc) || is_of(held->place, r->rip, held->place->libpthread)))
        return false;
    if (!hsd_remote_read(held->place->remote, r->rip - CODE_OF_CALL, code, sizeof code) ||
        memcmp(code, instruction, sizeof code) != 0)
        return false;
    if (waits_outside(number)) return true;
    if (reads_or_writes(number)) return is_no_file(held, r->rdi);
    if (number == SYS_fcntl) return (int)r->rsi == F_SETLKW || (int)r->rsi == OPEN_FILE_LOCK_WAIT;
    return number == SYS_futex && (r->rsi & OPERATION) == WAIT_BITSET;
}

static bool may_call(const hsd_held *held)
{
    const hsd_held_place *place = held->place;
    return (!place->has_own_malloc && is_of(place, held->before.rip, place->interpreter)) || waits_in_libc(held);
}

/* ---- what is kept ---- */

/* Calls that return EINTR whatever wakes them (signal(7)), and may be made anew. Of those that are safe places; more
 * never were ended here. */
static bool ends_by_any_stop(long number)
{
    static const long calls[] = {
        SYS_epoll_wait, SYS_epoll_pwait, SYS_epoll_pwait2, SYS_rt_sigtimedwait, SYS_semop,   SYS_semtimedop,
        SYS_msgrcv,     SYS_msgsnd,      SYS_io_getevents, SYS_accept,          SYS_accept4, SYS_connect,
        SYS_recvfrom,   SYS_recvmsg,     SYS_recvmmsg,     SYS_sendto,          SYS_sendmsg, SYS_sendmmsg,
        SYS_read,       SYS_readv,       SYS_write,        SYS_writev};
    for (size_t i = 0; i < HSD_ARRAY_LEN(calls); i++)
        if (calls[i] == number) return true;
    return false;
}

/* So that the kernel takes the call up again, unless a signal of the program's is to be handled. */
static bool mend_call(struct user_regs_struct *r)
{
    if ((long long)r->orig_rax < 0 || (long long)r->rax != -EINTR || !ends_by_any_stop((long)r->orig_rax)) return false;
    r->rax = (unsigned long long)-RESTART_NO_HANDLER;
    return true;
}

/* A wait in which libc has a time in a register that it does not use again. Code that is not libc's may: there it waits
 * the whole time. */
static bool has_time(const hsd_held *held)
{
    const struct user_regs_struct *r = &held->before;
    const bool is_such_call = r->orig_rax == SYS_epoll_wait || r->orig_rax == SYS_epoll_pwait;
    return is_such_call && (int)r->r10 > 0 && (long long)r->rax == -RESTART_NO_HANDLER &&
           is_of(held->place, r->rip, held->place->libc);
}

/* A call that the stop has ended is mended first: from then on it goes on, whatever becomes of this side. */
static bool remember(hsd_held *held)
{
    struct iovec vector = {held->vector, sizeof held->vector};
    const pid_t tid = held->tid;
    if (!get_registers(tid, &held->before)) return false;
    if (mend_call(&held->before)) {
        if (!set_registers(tid, &held->before)) return false;
        hsd_waited_confirm(&held->waited, held->place->remote->pid, tid);
    }
    if (trace(PTRACE_GETREGSET, tid, NT_X86_XSTATE, (uintptr_t)&vector) != 0 || vector.iov_len < SAVED_LEAST ||
        vector.iov_len >= sizeof held->vector)
        return false;
    held->vector_bytes = vector.iov_len;
    return trace(PTRACE_GETSIGMASK, tid, sizeof held->mask, (uintptr_t)&held->mask) == 0;
}

static bool is_restart(long long result)
{
    return result == -RESTART_SYS || result == -RESTART_NO_INTERRUPT || result == -RESTART_NO_HANDLER ||
           result == -RESTART_BLOCK;
}

/* The registers with which it goes on by itself: in front of the call that was ended, which is made anew. */
static struct user_regs_struct by_itself(const hsd_held *held)
{
    struct user_regs_struct r = held->before;
    if ((long long)r.orig_rax >= 0 && is_restart((long long)r.rax)) {
        r.rax = r.orig_rax;
        r.rip -= CODE_OF_CALL;
    }
    r.orig_rax = (unsigned long long)-1;
    return r;
}

/* ---- the frame ---- */

/* The kernel's struct rt_sigframe, without the part that it does not read, and behind it the vector registers. */
typedef struct signal_frame {
    uint64_t returns_to;
    uint64_t flags, link;
    stack_t stack;
    uint64_t registers[23]; /* gregs: REG_R8 … REG_CR2 */
    uint64_t vector, reserved[8], mask;
} signal_frame;

static void fill_frame(const hsd_held *held, signal_frame *f, uint64_t vector_at)
{
    const struct user_regs_struct r = by_itself(held);
    *f = (signal_frame){.returns_to = held->place->signal_return, .flags = 7, .vector = vector_at, .mask = held->mask};
    f->stack.ss_flags = NO_CHANGE; /* no flags that there are: the alternate stack stays what it is */
    f->registers[REG_R8] = r.r8, f->registers[REG_R9] = r.r9, f->registers[REG_R10] = r.r10,
    f->registers[REG_R11] = r.r11;
    f->registers[REG_R12] = r.r12, f->registers[REG_R13] = r.r13, f->registers[REG_R14] = r.r14,
    f->registers[REG_R15] = r.r15;
    f->registers[REG_RDI] = r.rdi, f->registers[REG_RSI] = r.rsi, f->registers[REG_RBP] = r.rbp,
    f->registers[REG_RBX] = r.rbx;
    f->registers[REG_RDX] = r.rdx, f->registers[REG_RAX] = r.rax, f->registers[REG_RCX] = r.rcx,
    f->registers[REG_RSP] = r.rsp;
    f->registers[REG_RIP] = r.rip, f->registers[REG_EFL] = r.eflags;
    f->registers[REG_CSGSFS] = (r.cs & 0xffff) | (r.gs & 0xffff) << 16 | (r.fs & 0xffff) << 32 | (r.ss & 0xffff) << 48;
}

/* How many of the saved bytes a frame may have: those of tiles are not among them unless the thread has asked for some.
 */
static uint32_t frame_bytes(const hsd_held *held, uint64_t features)
{
    uint32_t most = SAVED_LEAST, size, offset, unused_c, unused_d;
    for (unsigned i = FIRST_EXTENDED; i < 63; i++) {
        if ((features >> i & 1) == 0) continue;
        __cpuid_count(SAVED_LEAF, i, size, offset, unused_c, unused_d);
        if (offset + size > most) most = offset + size;
    }
    return most < held->vector_bytes ? most : (uint32_t)held->vector_bytes;
}

/* The vector registers as a signal frame has them. */
static void fill_vector(const hsd_held *held, uint8_t *out)
{
    uint64_t features;
    memcpy(&features, held->vector + SAVED_WORDS_AT, sizeof features); /* ptrace has them at the same place */
    features &= ~TILES;
    const uint32_t size = frame_bytes(held, features), magic_1 = SAVED_MAGIC_1, magic_2 = SAVED_MAGIC_2,
                   whole = size + (uint32_t)sizeof magic_2;
    memcpy(out, held->vector, held->vector_bytes);
    memset(out + SAVED_WORDS_AT, 0, 48);
    memcpy(out + SAVED_WORDS_AT, &magic_1, sizeof magic_1);
    memcpy(out + SAVED_WORDS_AT + 4, &whole, sizeof whole);
    memcpy(out + SAVED_WORDS_AT + 8, &features, sizeof features);
    memcpy(out + SAVED_WORDS_AT + 16, &size, sizeof size);
    memcpy(out + size, &magic_2, sizeof magic_2);
}

/* Below `stack_end`; *stack is what the stack pointer has to be, at the address that the called one returns to. */
static bool write_frame(const hsd_held *held, uint64_t stack_end, uint64_t *stack)
{
    uint8_t vector[HSD_HELD_VECTOR_BYTES + 4];
    signal_frame frame;
    const uint64_t vector_at = (stack_end - held->vector_bytes - 4) / ALIGNMENT * ALIGNMENT;
    const uint64_t frame_at = (vector_at - sizeof frame) / 16 * 16 - 8;
    fill_frame(held, &frame, vector_at);
    fill_vector(held, vector);
    *stack = frame_at;
    return hsd_remote_write(held->place->remote, vector_at, vector, held->vector_bytes + 4) &&
           hsd_remote_write(held->place->remote, frame_at, &frame, sizeof frame);
}

/* ---- taking ---- */

static hsd_status refuse(const hsd_process_facts *facts, int error, hsd_error *err)
{
    hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld may not be held as by a debugger: %s", facts->pid,
             facts->is_traced ? "another program traces it already"
             : error == EPERM ? "tracing is forbidden here"
                              : "the system refuses");
    hsd_error_set_hint(err, facts->is_traced ? "end the debugger (gdb, strace) first"
                                             : "run hsdiff as root, in a container with --cap-add=SYS_PTRACE, or where "
                                               "sysctl kernel.yama.ptrace_scope is 0; "
                                               "or start the program with the agent: hsdiff capture -- python app.py; "
                                               "or read a core of it, which gdb writes where "
                                               "it may: gcore PID, hsdiff top core.PID");
    return HSD_E_UNSUPPORTED;
}

static void let_go(hsd_held *held)
{
    if (has_time(held)) held->before.r10 = hsd_waited_rest_ms(&held->waited, held->before.r10);
    set_registers(held->tid, &held->before);
    trace(PTRACE_DETACH, held->tid, 0, 0);
    held->is_stopped = false;
}

/* HSD_OK, HSD_END: not this one, or not now; else it is over. */
static hsd_status try_thread(hsd_held *held, const hsd_process_facts *facts, pid_t tid, bool for_calls, hsd_error *err)
{
    held->tid = tid;
    const int failed = trace(PTRACE_SEIZE, tid, 0, PTRACE_O_TRACESYSGOOD);
    if (failed == ESRCH) return HSD_END;
    if (failed != 0) return refuse(facts, failed, err);
    hsd_waited_note(&held->waited, facts->pid, tid);
    trace(PTRACE_INTERRUPT, tid, 0, 0);
    const int status = stop_by_event(tid, STOP_MS);
    if (status < 0) return HSD_END;
    held->is_stopped = status > 0 && remember(held);
    if (held->is_stopped && WSTOPSIG(status) == SIGTRAP && (!for_calls || may_call(held))) return HSD_OK;
    if (held->is_stopped)
        let_go(held);
    else if (status > 0)
        trace(PTRACE_DETACH, tid, 0, 0);
    else /* it waits where nothing wakes it, and stops when it comes back: what then has to be waited for */
        while (next_stop(tid, PATIENCE_MS) > 0 && trace(PTRACE_DETACH, tid, 0, 0) != 0)
            ;
    return HSD_END;
}

/* The first is the leader, whose number is the process'. */
static size_t list_threads(const hsd_process_facts *facts, pid_t out[MOST_THREADS])
{
    char path[48];
    size_t count = 0;
    out[count++] = (pid_t)facts->pid;
    snprintf(path, sizeof path, "/proc/%ld/task", facts->pid);
    DIR *tasks = opendir(path);
    if (tasks == NULL) return 0;
    for (const struct dirent *one; count < MOST_THREADS && (one = readdir(tasks)) != NULL;) {
        const pid_t tid = (pid_t)strtol(one->d_name, NULL, 10);
        if (tid > 0 && tid != facts->pid) out[count++] = tid;
    }
    closedir(tasks);
    return count;
}

hsd_status hsd_held_take(hsd_held *out, const hsd_process_facts *facts, const hsd_held_place *place, bool for_calls,
                         hsd_error *err)
{
    const uint64_t end = hsd_now_ns() + (uint64_t)PATIENCE_MS * 1000000;
    pid_t threads[MOST_THREADS];
    *out = (hsd_held){.place = place};
    do {
        const size_t count = list_threads(facts, threads);
        if (count == 0) return hsd_fail(err, HSD_E_NOT_FOUND, "process %ld has ended", facts->pid);
        for (size_t i = 0; i < count && hsd_now_ns() < end; i++) {
            const hsd_status status = try_thread(out, facts, threads[i], for_calls, err);
            if (status != HSD_END) return status;
        }
        poll(NULL, 0, 1);
    } while (hsd_now_ns() < end);
    *out = (hsd_held){0};
    hsd_fail(err, HSD_E_IO,
             "no thread of process %ld came to a place in %d s where the agent can be brought in: all are in C code "
             "that neither returns to "
             "Python nor waits",
             facts->pid, PATIENCE_MS / 1000);
    hsd_error_set_hint(err, "try again; or start the program with the agent: hsdiff capture -- python app.py");
    return HSD_E_IO;
}

/* ---- using ---- */

static hsd_status tell_end(const hsd_held *held, hsd_error *err)
{
    return hsd_fail(err, HSD_E_IO, "a thread of process %ld, which was held for a moment, ended",
                    held->place->remote->pid);
}

/* Through system calls up to the next stop at one; others are passed over. The registers at that stop. */
static hsd_status step_held(hsd_held *held, struct user_regs_struct *r, hsd_error *err)
{
    for (;;) {
        if (trace(PTRACE_SYSCALL, held->tid, 0, 0) != 0) return tell_end(held, err);
        const int status = next_stop(held->tid, CALL_MS);
        if (status < 0) return tell_end(held, err);
        if (status == 0)
            return hsd_fail(err, HSD_E_IO, "a thread of process %ld did not come back from what it was made to do",
                            held->place->remote->pid);
        if (is_call_stop(status)) return get_registers(held->tid, r) ? HSD_OK : tell_end(held, err);
    }
}

static hsd_status set_out(hsd_held *held, const struct user_regs_struct *r, hsd_error *err)
{
    uint64_t all = UINT64_MAX;
    held->is_changed = true;
    if (!set_registers(held->tid, r)) return tell_end(held, err);
    trace(PTRACE_SETSIGMASK, held->tid, sizeof all, (uintptr_t)&all); /* signals wait until it is back */
    return HSD_OK;
}

static struct user_regs_struct registers_for(const hsd_held *held, uint64_t code, uint64_t stack)
{
    struct user_regs_struct r = held->before;
    r.rip = code;
    r.rsp = stack;
    r.orig_rax = (unsigned long long)-1;
    r.eflags &= ~UINT64_C(0x400); /* the direction of string instructions, as functions expect it */
    return r;
}

/* Back to where it goes on by itself, from the stop at a system call that is not made. */
static void come_back(hsd_held *held)
{
    struct iovec vector = {held->vector, held->vector_bytes};
    const struct user_regs_struct r = by_itself(held);
    trace(PTRACE_SETREGSET, held->tid, NT_X86_XSTATE, (uintptr_t)&vector);
    trace(PTRACE_SETSIGMASK, held->tid, sizeof held->mask, (uintptr_t)&held->mask);
    set_registers(held->tid, &r);
}

hsd_status hsd_held_call(hsd_held *held, long number, const uint64_t arguments[6], int64_t *result, hsd_error *err)
{
    uint64_t stack;
    if (!write_frame(held, held->before.rsp - RED_ZONE, &stack))
        return hsd_fail(err, HSD_E_IO, "the stack of a thread of process %ld has no room", held->place->remote->pid);
    struct user_regs_struct r = registers_for(held, held->place->call_return, stack);
    r.rax = (unsigned long long)number;
    r.rdi = arguments[0], r.rsi = arguments[1], r.rdx = arguments[2], r.r10 = arguments[3], r.r8 = arguments[4],
    r.r9 = arguments[5];
    HSD_TRY(set_out(held, &r, err));
    HSD_TRY(step_held(held, &r, err)); /* its beginning */
    HSD_TRY(step_held(held, &r, err)); /* its end */
    *result = (int64_t)r.rax;
    come_back(held);
    return HSD_OK;
}

hsd_status hsd_held_run(hsd_held *held, uint64_t function, uint64_t argument, uint64_t stack_end, hsd_error *err)
{
    uint64_t stack;
    if (!write_frame(held, stack_end, &stack))
        return hsd_fail(err, HSD_E_IO, "process %ld has no room for a stack", held->place->remote->pid);
    struct user_regs_struct r = registers_for(held, function, stack);
    r.rdi = argument;
    HSD_TRY(set_out(held, &r, err));
    do
        HSD_TRY(step_held(held, &r, err));
    while (!(r.orig_rax == SYS_rt_sigreturn && r.rsp == stack + sizeof(uint64_t)));
    come_back(held);
    return HSD_OK;
}

/* Calls that the kernel takes up again it takes up only from a stop like that of an interrupt. */
void hsd_held_release(hsd_held *held)
{
    if (!held->is_stopped) return;
    if (held->is_changed) {
        trace(PTRACE_INTERRUPT, held->tid, 0, 0);
        trace(PTRACE_CONT, held->tid, 0, 0);
        if (!is_event_stop(stop_by_event(held->tid, CALL_MS))) { /* it has ended */
            held->is_stopped = false;
            return;
        }
    }
    let_go(held);
}

/* ---- the place ---- */

hsd_status hsd_held_place_open(hsd_held_place *place, hsd_error *err)
{
    static const uint8_t call_return[] = {0x0f, 0x05, 0xc3},
                         signal_return[] = {0x48, 0xc7, 0xc0, SYS_rt_sigreturn, 0, 0, 0, 0x0f, 0x05};
    place->call_return = hsd_remote_code(place->remote, place->libc, call_return, sizeof call_return);
    place->signal_return = hsd_remote_code(place->remote, place->libc, signal_return, sizeof signal_return);
    if (place->call_return != 0 && place->signal_return != 0) return HSD_OK;
    return hsd_fail(err, HSD_E_UNSUPPORTED,
                    "the C library of process %ld is none that is known: it cannot be made to load an agent",
                    place->remote->pid);
}

#else

hsd_status hsd_held_take(hsd_held *out, const hsd_process_facts *facts, const hsd_held_place *place, bool for_calls,
                         hsd_error *err)
{
    (void)place, (void)for_calls;
    *out = (hsd_held){0};
    return hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld: an agent is brought into running programs on x86-64 alone",
                    facts->pid);
}

hsd_status hsd_held_call(hsd_held *held, long number, const uint64_t arguments[6], int64_t *result, hsd_error *err)
{
    (void)held, (void)number, (void)arguments, (void)result;
    return hsd_fail(err, HSD_E_UNSUPPORTED, "an agent is brought into running programs on x86-64 alone");
}

hsd_status hsd_held_run(hsd_held *held, uint64_t function, uint64_t argument, uint64_t stack_end, hsd_error *err)
{
    (void)held, (void)function, (void)argument, (void)stack_end;
    return hsd_fail(err, HSD_E_UNSUPPORTED, "an agent is brought into running programs on x86-64 alone");
}

void hsd_held_release(hsd_held *held) { (void)held; }

hsd_status hsd_held_place_open(hsd_held_place *place, hsd_error *err)
{
    (void)place;
    return hsd_fail(err, HSD_E_UNSUPPORTED, "an agent is brought into running programs on x86-64 alone");
}

#endif

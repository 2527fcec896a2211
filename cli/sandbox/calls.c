#define _GNU_SOURCE /* O_TMPFILE, CLONE_THREAD, syscall */
/*
 * seccomp: a filter in the kernel's own small language, which is asked at each system call.
 *
 *      wrong machine ──────────────► EPERM
 *      newer than this list ───────► ENOSYS         libc then takes an older call
 *      a row of the list ──────────► allowed        or only if a part of an argument is as the row says
 *      everything else ────────────► EPERM
 *
 * A command that runs DuckDB has a list of what is refused, since what that needs is not ours to know. The argument of
 * a call is looked at where it is a number; what a pointer leads to cannot be. Rows that are always allowed cost
 * nothing: the kernel remembers them (since 5.11), and looks at the filter no more.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "sandbox/parts.h"

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define MACHINE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define MACHINE AUDIT_ARCH_RISCV64
#endif

#ifdef MACHINE

/* Numbers that headers of an older system do not have; the same on all machines. */
enum {
    CALL_PIDFD_SEND_SIGNAL = 424,
    CALL_IO_URING_SETUP = 425,
    CALL_IO_URING_ENTER = 426,
    CALL_IO_URING_REGISTER = 427,
    CALL_CLONE3 = 435,
    CALL_CLOSE_RANGE = 436,
    CALL_OPENAT2 = 437,
    CALL_PIDFD_GETFD = 438,
    CALL_FACCESSAT2 = 439,
    CALL_PROCESS_MADVISE = 440,
    CALL_EPOLL_PWAIT2 = 441,
    FIRST_UNKNOWN = 450
};

/* ---- rows ---- */

#define NO_ARGUMENT 0xff

typedef struct call_row {
    uint16_t call;
    uint8_t argument; /* 0 to 5: its low 32 bits, masked, are `value`. NO_ARGUMENT = whatever they are */
    uint32_t mask, value;
} call_row;

#define ALWAYS(name)                                                                                                   \
    {                                                                                                                  \
        SYS_##name, NO_ARGUMENT, 0, 0                                                                                  \
    }
#define IF(name, arg, masked, same)                                                                                    \
    {                                                                                                                  \
        SYS_##name, arg, masked, same                                                                                  \
    }
#define ROWS(list) list, sizeof(list) / sizeof(list)[0]

/* What every command needs. */
static const call_row basic[] = {
    ALWAYS(read),
    ALWAYS(pread64),
    ALWAYS(write),
    ALWAYS(pwrite64),
    ALWAYS(readv),
    ALWAYS(writev),
    ALWAYS(preadv),
    ALWAYS(pwritev),
    ALWAYS(preadv2),
    ALWAYS(pwritev2),
    ALWAYS(lseek),
    ALWAYS(close),
    {CALL_CLOSE_RANGE, NO_ARGUMENT, 0, 0},
    ALWAYS(fstat),
    ALWAYS(newfstatat),
    ALWAYS(statx),
    ALWAYS(statfs),
    ALWAYS(fstatfs),
    ALWAYS(faccessat),
    {CALL_FACCESSAT2, NO_ARGUMENT, 0, 0},
    ALWAYS(readlinkat),
    ALWAYS(getdents64),
    ALWAYS(getcwd),
    ALWAYS(fcntl),
    ALWAYS(dup),
    ALWAYS(dup3),
    ALWAYS(pipe2),
    ALWAYS(ppoll),
    ALWAYS(pselect6),
    ALWAYS(flock),
    ALWAYS(fsync),
    ALWAYS(fdatasync),
    ALWAYS(ftruncate),
    ALWAYS(fallocate),
    ALWAYS(fadvise64),
    ALWAYS(sync_file_range),
    ALWAYS(copy_file_range),
    ALWAYS(sendfile),
    ALWAYS(tee),
    ALWAYS(munmap),
    ALWAYS(mremap),
    ALWAYS(madvise),
    ALWAYS(mincore),
    ALWAYS(brk),
    ALWAYS(membarrier),
    ALWAYS(futex),
    ALWAYS(set_robust_list),
    ALWAYS(set_tid_address),
    ALWAYS(rseq),
    ALWAYS(sched_yield),
    ALWAYS(sched_getaffinity),
    ALWAYS(getcpu),
    ALWAYS(nanosleep),
    ALWAYS(clock_nanosleep),
    ALWAYS(clock_gettime),
    ALWAYS(clock_getres),
    ALWAYS(gettimeofday),
    ALWAYS(times),
    ALWAYS(getrusage),
    ALWAYS(sysinfo),
    ALWAYS(uname),
    ALWAYS(getrandom),
    ALWAYS(getpid),
    ALWAYS(gettid),
    ALWAYS(getppid),
    ALWAYS(getpgid),
    ALWAYS(getsid),
    ALWAYS(getuid),
    ALWAYS(geteuid),
    ALWAYS(getgid),
    ALWAYS(getegid),
    ALWAYS(umask),
    ALWAYS(rt_sigaction),
    ALWAYS(rt_sigprocmask),
    ALWAYS(rt_sigreturn),
    ALWAYS(rt_sigtimedwait),
    ALWAYS(rt_sigsuspend),
    ALWAYS(sigaltstack),
    ALWAYS(restart_syscall),
    ALWAYS(setitimer),
    ALWAYS(getitimer),
    ALWAYS(wait4),
    ALWAYS(waitid),
    ALWAYS(exit),
    ALWAYS(exit_group),
    ALWAYS(unlinkat),
    IF(prlimit64, 0, UINT32_MAX, 0), /* its own */
    IF(prctl, 0, UINT32_MAX, PR_SET_NAME),
    IF(prctl, 0, UINT32_MAX, PR_GET_DUMPABLE),
    IF(prctl, 0, UINT32_MAX, 0x53564d41), /* PR_SET_VMA: names of mappings */
    IF(ioctl, 1, UINT32_MAX, TCGETS),
    IF(ioctl, 1, UINT32_MAX, TIOCGWINSZ),
    IF(ioctl, 1, UINT32_MAX, TIOCGPGRP),
    IF(ioctl, 1, UINT32_MAX, FIONREAD),
    IF(ioctl, 1, UINT32_MAX, FIONBIO),
    IF(mmap, 2, PROT_EXEC, 0),
    IF(mprotect, 2, PROT_EXEC, 0),
    IF(clone, 0, CLONE_THREAD, CLONE_THREAD),
    IF(openat, 2, O_ACCMODE | O_CREAT | O_TRUNC, 0), /* O_RDONLY; O_PATH too */
    IF(openat, 2, O_TMPFILE, O_TMPFILE),
    IF(openat, 2, O_CREAT | O_EXCL, O_CREAT | O_EXCL),
#ifdef SYS_open /* calls of the first days, which newer machines do not have */
    ALWAYS(stat),
    ALWAYS(lstat),
    ALWAYS(access),
    ALWAYS(readlink),
    ALWAYS(getdents),
    ALWAYS(dup2),
    ALWAYS(pipe),
    ALWAYS(poll),
    ALWAYS(select),
    ALWAYS(time),
    ALWAYS(alarm),
    ALWAYS(getpgrp),
    ALWAYS(getrlimit),
    ALWAYS(unlink),
    ALWAYS(arch_prctl),
    IF(open, 1, O_ACCMODE | O_CREAT | O_TRUNC, 0),
    IF(open, 1, O_TMPFILE, O_TMPFILE),
    IF(open, 1, O_CREAT | O_EXCL, O_CREAT | O_EXCL),
#endif
};

/* Results get their names. */
static const call_row naming[] = {
    ALWAYS(linkat),   ALWAYS(renameat2), ALWAYS(mkdirat),
#ifdef SYS_renameat
    ALWAYS(renameat),
#endif
#ifdef SYS_open
    ALWAYS(link),     ALWAYS(rename),    ALWAYS(mkdir),   ALWAYS(rmdir),
#endif
};

/* A device or a pipe is opened as it is. */
static const call_row in_place[] = {
    IF(openat, 2, O_ACCMODE | O_CREAT | O_TRUNC, O_WRONLY),
#ifdef SYS_open
    IF(open, 1, O_ACCMODE | O_CREAT | O_TRUNC, O_WRONLY),
#endif
};

/* Below a folder and nowhere else, which a filter cannot see; Landlock does. */
static const call_row beneath[] = {{CALL_OPENAT2, NO_ARGUMENT, 0, 0}};

/* A server that listens; socket, bind and listen are refused once it does. */
static const call_row listening[] = {
    ALWAYS(socket),      ALWAYS(bind),         ALWAYS(listen),     ALWAYS(socketpair),
    ALWAYS(accept4),     ALWAYS(setsockopt),   ALWAYS(getsockopt), ALWAYS(getsockname),
    ALWAYS(getpeername), ALWAYS(sendto),       ALWAYS(sendmsg),    ALWAYS(recvfrom),
    ALWAYS(recvmsg),     ALWAYS(shutdown),     ALWAYS(eventfd2),   ALWAYS(epoll_create1),
    ALWAYS(epoll_ctl),   ALWAYS(epoll_pwait),  ALWAYS(seccomp),    {CALL_EPOLL_PWAIT2, NO_ARGUMENT, 0, 0},
#ifdef SYS_open
    ALWAYS(epoll_wait),  ALWAYS(epoll_create), ALWAYS(accept),
#endif
};

/* What no program is to do that a command starts. */
static const call_row harmful[] = {
    ALWAYS(listen),
    ALWAYS(accept),
    ALWAYS(accept4),
    ALWAYS(ptrace),
    ALWAYS(process_vm_readv),
    ALWAYS(process_vm_writev),
    ALWAYS(mount),
    ALWAYS(umount2),
    ALWAYS(pivot_root),
    ALWAYS(chroot),
    ALWAYS(unshare),
    ALWAYS(setns),
    ALWAYS(bpf),
    ALWAYS(perf_event_open),
    ALWAYS(userfaultfd),
    ALWAYS(keyctl),
    ALWAYS(add_key),
    ALWAYS(request_key),
    ALWAYS(init_module),
    ALWAYS(finit_module),
    ALWAYS(delete_module),
    ALWAYS(kexec_load),
    ALWAYS(reboot),
    ALWAYS(swapon),
    ALWAYS(swapoff),
    ALWAYS(sethostname),
    ALWAYS(setdomainname),
    ALWAYS(settimeofday),
    ALWAYS(clock_settime),
    ALWAYS(adjtimex),
    ALWAYS(quotactl),
    ALWAYS(acct),
    ALWAYS(syslog),
    ALWAYS(open_by_handle_at),
    ALWAYS(name_to_handle_at),
    {CALL_IO_URING_SETUP, NO_ARGUMENT, 0, 0},
    {CALL_IO_URING_ENTER, NO_ARGUMENT, 0, 0},
    {CALL_IO_URING_REGISTER, NO_ARGUMENT, 0, 0},
    {CALL_PIDFD_GETFD, NO_ARGUMENT, 0, 0},
    {CALL_PIDFD_SEND_SIGNAL, NO_ARGUMENT, 0, 0},
    {CALL_PROCESS_MADVISE, NO_ARGUMENT, 0, 0},
};

/* Nor this, unless a store is in a network. */
static const call_row connecting[] = {ALWAYS(socket), ALWAYS(socketpair), ALWAYS(connect), ALWAYS(bind)};

static const call_row sockets[] = {ALWAYS(socket), ALWAYS(socketpair), ALWAYS(connect), ALWAYS(bind), ALWAYS(listen)};

#ifdef IS_CHECKED_BUILD
static const call_row checking[] = {
    ALWAYS(ptrace), ALWAYS(clone), ALWAYS(prctl), ALWAYS(mmap), ALWAYS(mprotect), ALWAYS(ioctl), ALWAYS(tgkill),
#ifdef SYS_fork
    ALWAYS(fork),
#endif
};
#endif

/* ---- the filter ---- */

#define RETURN(what) (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, (what))
#define FAIL(error)  RETURN(SECCOMP_RET_ERRNO | (error))
#define LOAD(field)  (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (field))
#define SKIP_UNLESS(test, with, count)                                                                                 \
    (struct sock_filter) BPF_JUMP(BPF_JMP | (test) | BPF_K, (with), 0, (count)) /* `count` of the following */

#define CODES_MAX 768

typedef struct call_filter {
    struct sock_filter codes[CODES_MAX];
    size_t count;
} call_filter;

static void put(call_filter *filter, struct sock_filter code)
{
    if (filter->count < CODES_MAX) filter->codes[filter->count++] = code;
}

static void load_call(call_filter *filter) { put(filter, LOAD(offsetof(struct seccomp_data, nr))); }

static void put_head(call_filter *filter)
{
    put(filter, LOAD(offsetof(struct seccomp_data, arch)));
    put(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0));
    put(filter, FAIL(EPERM));
    load_call(filter);
}

/* What a row ends with. The number of the call is loaded in front of each row and behind it. */
static void put_row(call_filter *filter, const call_row *row, struct sock_filter end)
{
    if (row->argument == NO_ARGUMENT) {
        put(filter, SKIP_UNLESS(BPF_JEQ, row->call, 1));
        put(filter, end);
        return;
    }
    put(filter, SKIP_UNLESS(BPF_JEQ, row->call, 5));
    put(filter, LOAD((unsigned)(offsetof(struct seccomp_data, args) + row->argument * sizeof(uint64_t))));
    put(filter, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, row->mask));
    put(filter, SKIP_UNLESS(BPF_JEQ, row->value, 1));
    put(filter, end);
    load_call(filter);
}

static void put_rows(call_filter *filter, const call_row *rows, size_t count, struct sock_filter end)
{
    for (size_t i = 0; i < count; i++)
        put_row(filter, &rows[i], end);
}

/* To itself, which is how a process ends by a signal. */
static void put_own_signals(call_filter *filter)
{
    const uint32_t own = (uint32_t)getpid();
    const call_row rows[] = {IF(kill, 0, UINT32_MAX, own), IF(tgkill, 0, UINT32_MAX, own)};
    put_rows(filter, ROWS(rows), RETURN(SECCOMP_RET_ALLOW));
}

static void put_allowed(call_filter *filter, const sandbox_policy *policy, bool writes_in_place)
{
    const struct sock_filter allow = RETURN(SECCOMP_RET_ALLOW);
    put_rows(filter, ROWS(basic), allow);
    put_own_signals(filter);
    if ((policy->may & (MAY_WRITE_RESULTS | MAY_WRITE_STORE)) != 0) put_rows(filter, ROWS(naming), allow);
    if (writes_in_place) put_rows(filter, ROWS(in_place), allow);
    if ((policy->may & MAY_READ_FOLDERS) != 0) put_rows(filter, ROWS(beneath), allow);
    if ((policy->may & MAY_LISTEN) != 0) put_rows(filter, ROWS(listening), allow);
    const call_row not_here[] = {{CALL_CLONE3, NO_ARGUMENT, 0, 0}, {CALL_OPENAT2, NO_ARGUMENT, 0, 0}};
    put_rows(filter, ROWS(not_here), FAIL(ENOSYS));
#ifdef __x86_64__
    put(filter, SKIP_UNLESS(BPF_JGE, 0x40000000, 1)); /* x32 */
    put(filter, FAIL(EPERM));
#endif
    put(filter, SKIP_UNLESS(BPF_JGE, FIRST_UNKNOWN, 1));
    put(filter, FAIL(ENOSYS));
    put(filter, FAIL(EPERM));
}

static void put_refused(call_filter *filter, const call_row *rows, size_t count)
{
    put_rows(filter, rows, count, FAIL(EPERM));
#ifdef __x86_64__
    put(filter, SKIP_UNLESS(BPF_JGE, 0x40000000, 1));
    put(filter, FAIL(EPERM));
#endif
    put(filter, RETURN(SECCOMP_RET_ALLOW));
}

/* For all threads that there are. No new privileges are a condition, once for all filters. */
static const char *enter_filter(const call_filter *filter)
{
    const struct sock_fprog program = {.len = (unsigned short)filter->count,
                                       .filter = (struct sock_filter *)(uintptr_t)filter->codes};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0) return NULL;
    return errno == ENOSYS || errno == EINVAL ? "this kernel has no seccomp filters" : "seccomp refuses the filter";
}

const char *sandbox_restrict_calls(const sandbox_policy *policy, bool writes_in_place)
{
    call_filter filter = {.count = 0};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return "privileges cannot be given up";
    put_head(&filter);
#ifdef IS_CHECKED_BUILD
    put_rows(&filter, ROWS(checking), RETURN(SECCOMP_RET_ALLOW));
#endif
    if ((policy->may & MAY_RUN_DUCKDB) != 0) {
        if ((policy->may & MAY_CONNECT) == 0) put_rows(&filter, ROWS(connecting), FAIL(EPERM));
        put_refused(&filter, ROWS(harmful));
    } else {
        put_allowed(&filter, policy, writes_in_place);
    }
    return enter_filter(&filter);
}

const char *sandbox_refuse_sockets(void)
{
    call_filter filter = {.count = 0};
    put_head(&filter);
    put_refused(&filter, ROWS(sockets));
    return enter_filter(&filter);
}

#else

const char *sandbox_restrict_calls(const sandbox_policy *policy, bool writes_in_place)
{
    (void)policy, (void)writes_in_place;
    return "there is no list of system calls for this kind of machine";
}

const char *sandbox_refuse_sockets(void) { return NULL; }

#endif

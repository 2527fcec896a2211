/* What calls have waited already (waits.h). */
#include "native/waits.h"

#include <dlfcn.h>
#include <link.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "native/proc.h"
#include "native/reserve.h"
#include "native/socket_times.h"
#include "native/tasks.h"

enum {
    MAX_TID = 1 << 22,
    PARTS = 64 /* of a limited address space */,
    TEXT_BYTES = 1024,
    DIGITS_BELOW_MS = 6,
    WORDS_TO_PROCESSOR = 37
};
/* Of io_uring_enter: its fourth argument, and what the fifth leads to with RING_HAS_STRUCTURE. */
enum { RING_FLAGS = 3, RING_SIZE = 5, RING_HAS_STRUCTURE = 1 << 3, RING_ABSOLUTE = 1 << 5, RING_REGISTERED = 1 << 6 };
static const uint64_t NS_A_MS = 1000 * 1000, NS_A_SECOND = 1000 * 1000 * 1000;

typedef struct ring_argument {
    uint64_t signals;
    uint32_t signals_size, least_wait_us;
    uint64_t timespec;
} ring_argument;

/* Where the kernel reads what is left; of a socket's call, which says nothing of it, when it ends and the sleep that is
 * meant. */
typedef struct rest {
    struct timespec time;
    ring_argument ring;
    uint64_t until_ns, sleeps;
} rest;

static rest *left; /* by tid: a thread may be in the same call at the next stop */
static size_t left_count;
static hsn_range libc;

typedef struct processor_clock {
    uint64_t ran_ns, seen_ns; /* its own time, and when that was; 0 = not looked at */
} processor_clock;

static processor_clock *clocks; /* CPU_SETSIZE of them */
static cpu_set_t all;           /* where the tracer may run */
static bool has_all;

static int look_at_object(struct dl_phdr_info *info, size_t size, void *context)
{
    const uintptr_t inside = (uintptr_t)context;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        const uintptr_t low = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && (p->p_flags & PF_X) != 0 && inside >= low && inside < low + p->p_memsz)
            libc = (hsn_range){low, low + p->p_memsz};
    }
    return libc.high != 0;
}

bool hsn_waits_open(void)
{
    const size_t most = MAX_TID * sizeof *left, least = most / 64;
    size_t size = hsn_reserve_part(most, PARTS);
    if (size < least) size = least;
    left = hsn_reserve(&size, least);
    left_count = size / sizeof *left;
    size_t clocks_size = CPU_SETSIZE * sizeof *clocks;
    clocks = hsn_reserve(&clocks_size, clocks_size);
    return left != NULL && clocks != NULL;
}

void hsn_waits_find_libc(void) { dl_iterate_phdr(look_at_object, dlsym(RTLD_DEFAULT, "gnu_get_libc_version")); }

static uint64_t minus(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

/* The number at `text`; *end is behind it. */
static uint64_t decimal(const char *text, const char **end)
{
    uint64_t n = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        n = n * 10 + (uint64_t)(*text - '0');
    *end = text;
    return n;
}

/* ---- since when a thread has not run ---- */

/* "se.exec_start : 1163012.927518": when the thread last began to run, by the clock of the processor it ran on, in ns;
 * 0 = the kernel does not say. */
static uint64_t last_ran_ns(int pid, int tid)
{
    static const char key[] = "se.exec_start";
    char path[HSN_PROC_PATH], text[TEXT_BYTES];
    hsn_proc_path(path, pid, tid, "sched");
    hsa_read_text(path, text, sizeof text);
    const char *at = strstr(text, key);
    if (at == NULL) return 0;
    at += sizeof key - 1;
    at += strspn(at, " \t:");
    const uint64_t whole = decimal(at, &at);
    uint64_t part = 0;
    if (*at++ != '.') return 0;
    for (int i = 0; i < DIGITS_BELOW_MS && at[i] >= '0' && at[i] <= '9'; i++)
        part = part * 10 + (uint64_t)(at[i] - '0');
    return whole * NS_A_MS + part;
}

/* The processor that a thread ran on last: the 39th word of its stat, the 37th behind its name. -1 = not to be had. */
static int processor_of(int pid, int tid)
{
    char path[HSN_PROC_PATH], text[TEXT_BYTES];
    hsn_proc_path(path, pid, tid, "stat");
    hsa_read_text(path, text, sizeof text);
    const char *at = strrchr(text, ')');
    for (int word = 0; at != NULL && word < WORDS_TO_PROCESSOR; word++)
        at = strchr(at + 1, ' ');
    return at == NULL ? -1 : hsn_proc_number(at + 1);
}

/*
 * Each processor has a clock of its own, which stands still while a hypervisor has it: a look at it is a moment of
 * running there. Kept with the time at which it was taken.
 */
static uint64_t processor_now_ns(int processor)
{
    cpu_set_t one;
    if (processor < 0 || processor >= CPU_SETSIZE) return 0;
    if (clocks[processor].seen_ns == 0) {
        CPU_ZERO(&one);
        CPU_SET(processor, &one);
        if (sched_setaffinity(0, sizeof one, &one) != 0) return 0;
        clocks[processor] = (processor_clock){.ran_ns = last_ran_ns(getpid(), 0), .seen_ns = hsa_now_ns()};
    }
    return clocks[processor].ran_ns == 0 ? 0 : clocks[processor].ran_ns + (hsa_now_ns() - clocks[processor].seen_ns);
}

void hsn_waits_begin(void)
{
    memset(clocks, 0, CPU_SETSIZE * sizeof *clocks);
    has_all = sched_getaffinity(0, sizeof all, &all) == 0;
}

void hsn_waits_end(void)
{
    if (has_all) sched_setaffinity(0, sizeof all, &all);
}

/* ---- which call ---- */

/* The system call in which a thread sleeps; -1 = it runs, or nobody may know. */
static long call_of(int pid, int tid)
{
    char path[HSN_PROC_PATH], text[TEXT_BYTES];
    hsn_proc_path(path, pid, tid, "syscall");
    if (hsa_read_text(path, text, sizeof text) == 0 || text[0] < '0' || text[0] > '9') return -1;
    return hsn_proc_number(text);
}

/* How often a thread has gone to sleep, this time too; 0 = not to be had. */
static uint64_t sleeps_of(int pid, int tid)
{
    static const char key[] = "\nvoluntary_ctxt_switches:\t";
    char path[HSN_PROC_PATH], text[2 * TEXT_BYTES];
    hsn_proc_path(path, pid, tid, "status");
    hsa_read_text(path, text, sizeof text);
    const char *at = strstr(text, key);
    return at == NULL ? 0 : decimal(at + sizeof key - 1, &at);
}

/* The socket of the call, in the first argument, which is behind the number in hexadecimal: "45 0x5 0x7f…"; -1 = not to
 * be had. */
static int socket_of(int pid, int tid)
{
    char path[HSN_PROC_PATH], text[TEXT_BYTES];
    hsn_proc_path(path, pid, tid, "syscall");
    hsa_read_text(path, text, sizeof text);
    const char *at = strstr(text, " 0x");
    int fd = at == NULL ? -1 : 0;
    for (at = at == NULL ? "" : at + 3;
         fd >= 0 && fd < INT32_MAX >> 4 && ((*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'f')); at++)
        fd = fd << 4 | (*at <= '9' ? *at - '0' : *at - 'a' + 10);
    return fd;
}

static bool has_timeout(int pid, int tid, const hsn_call *call)
{
    if (call->timeout == HSN_TIMEOUT_RECEIVE || call->timeout == HSN_TIMEOUT_SEND)
        return hsn_socket_time(call, socket_of(pid, tid), NULL);
    return call->timeout != HSN_TIMEOUT_NONE;
}

void hsn_waits_note(int pid, size_t index)
{
    const int tid = hsn_list.threads[index].tid;
    /* first: what comes between this and the last look shows in it */
    const uint64_t sleeps = sleeps_of(pid, tid);
    const long number = call_of(pid, tid);
    const hsn_call *call = number < 0 ? NULL : hsn_call_find(number);
    if (call == NULL || !has_timeout(pid, tid, call)) return;
    const uint64_t slept = last_ran_ns(pid, tid), now = slept == 0 ? 0 : processor_now_ns(processor_of(pid, tid));
    if (sleeps == 0 || now <= slept) return;
    hsn_list.tasks[index].asleep_since_ns = minus(hsa_now_ns(), now - slept);
    hsn_list.tasks[index].sleeps = sleeps;
}

/* ---- what is left ---- */

static void shorten_milliseconds(unsigned long long *argument, uint64_t waited)
{
    const int before = (int)*argument;
    if (before > 0) *argument = (unsigned long long)minus((uint64_t)before * NS_A_MS + NS_A_MS / 2, waited) / NS_A_MS;
}

static bool read_memory(uint64_t address, void *out, size_t size)
{
    struct iovec to = {out, size}, from = {(void *)(uintptr_t)address, size};
    return address != 0 && syscall(SYS_process_vm_readv, getpid(), &to, 1UL, &from, 1UL, 0UL) == (long)size;
}

/* False: no time that could be shortened. */
static bool shorten_timespec(uint64_t address, uint64_t waited, struct timespec *out)
{
    struct timespec before;
    if (!read_memory(address, &before, sizeof before)) return false;
    if (before.tv_sec < 0 || before.tv_nsec < 0 || (uint64_t)before.tv_sec > UINT64_MAX / NS_A_SECOND - 1) return false;
    const uint64_t ns = minus((uint64_t)before.tv_sec * NS_A_SECOND + (uint64_t)before.tv_nsec, waited);
    *out = (struct timespec){.tv_sec = (time_t)(ns / NS_A_SECOND), .tv_nsec = (long)(ns % NS_A_SECOND)};
    return true;
}

static void shorten_ring(struct user_regs_struct *registers, unsigned long long *argument, uint64_t waited, rest *out)
{
    const unsigned long long flags = *hsn_call_argument(registers, RING_FLAGS),
                             size = *hsn_call_argument(registers, RING_SIZE);
    ring_argument copy;
    if ((flags & RING_HAS_STRUCTURE) == 0 || (flags & (RING_ABSOLUTE | RING_REGISTERED)) != 0 || size != sizeof copy)
        return;
    if (!read_memory(*argument, &copy, sizeof copy) || !shorten_timespec(copy.timespec, waited, &out->time)) return;
    copy.timespec = (uintptr_t)&out->time;
    out->ring = copy;
    *argument = (uintptr_t)&out->ring;
}

/* Was it still asleep in the same call when it was stopped? It has gone to sleep once since, for the stop. */
static bool is_same_sleep(int pid, size_t index)
{
    return sleeps_of(pid, hsn_list.threads[index].tid) == hsn_list.tasks[index].sleeps + 1;
}

void hsn_waits_shorten(int pid, size_t index, const hsn_call *call, struct user_regs_struct *registers)
{
    const uint64_t since = hsn_list.tasks[index].asleep_since_ns, waited = minus(hsa_now_ns(), since);
    unsigned long long *argument = hsn_call_argument(registers, call->argument);
    rest *out = &left[(size_t)hsn_list.threads[index].tid % left_count];
    uint64_t whole_ns = 0;
    /* it has waited less than that: the whole time anew, rather than too short */
    if (since == 0 || !is_same_sleep(pid, index)) return;
    if (hsn_socket_time(call, (int)*argument, &whole_ns)) {
        /* not one that was taken up again */
        if (out->sleeps != hsn_list.tasks[index].sleeps) out->until_ns = since + whole_ns;
        hsn_list.tasks[index].rest_ns = minus(out->until_ns, hsa_now_ns()) + 1;
        return;
    }
    /* others may use the registers behind the call */
    if (registers->rip < libc.low || registers->rip >= libc.high) return;
    if (call->timeout == HSN_TIMEOUT_MILLISECONDS) shorten_milliseconds(argument, waited);
    if (call->timeout == HSN_TIMEOUT_TIMESPEC && shorten_timespec(*argument, waited, &out->time))
        *argument = (uintptr_t)&out->time;
    if (call->timeout == HSN_TIMEOUT_RING) shorten_ring(registers, argument, waited, out);
}

/* ---- behind the stop ---- */

void hsn_waits_count(int pid, size_t index)
{
    hsn_list.tasks[index].sleeps = sleeps_of(pid, hsn_list.threads[index].tid);
}

bool hsn_waits_sleeps_in(int pid, size_t index, const hsn_call *call)
{
    const int tid = hsn_list.threads[index].tid;
    const uint64_t sleeps = sleeps_of(pid, tid);
    if (sleeps <= hsn_list.tasks[index].sleeps || call_of(pid, tid) != call->number) return false;
    left[(size_t)tid % left_count].sleeps = sleeps;
    return true;
}

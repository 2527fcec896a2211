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
#include "native/tasks.h"

enum { MAX_TID = 1 << 22, TEXT_BYTES = 1024, DIGITS_BELOW_MS = 6, WORDS_TO_PROCESSOR = 37 };
static const uint64_t NS_A_MS = 1000 * 1000, NS_A_SECOND = 1000 * 1000 * 1000;

static struct timespec *left; /* by tid: where the kernel reads what is left. A thread may be in the same call at the next stop */
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
    size_t size = MAX_TID * sizeof *left;
    left = hsn_reserve(&size, size / 64);
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

/* "se.exec_start : 1163012.927518": when the thread last began to run, by the clock of the processor it ran on, in ns; 0 = the kernel does not say. */
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
 * Each processor has a clock of its own, which stands still while a hypervisor has it: a look at it is a moment of running there. Kept with the time at
 * which it was taken.
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

void hsn_waits_note(int pid, size_t index)
{
    const int tid = hsn_list.threads[index].tid;
    const uint64_t sleeps = sleeps_of(pid, tid); /* first: what comes between this and the last look shows in it */
    const long number = call_of(pid, tid);
    const hsn_call *call = number < 0 ? NULL : hsn_call_find(number);
    if (call == NULL || (call->timeout != HSN_TIMEOUT_MILLISECONDS && call->timeout != HSN_TIMEOUT_TIMESPEC)) return;
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

static void shorten_timespec(unsigned long long *argument, uint64_t waited, struct timespec *rest)
{
    struct timespec before;
    struct iovec to = {&before, sizeof before}, from = {(void *)(uintptr_t)*argument, sizeof before};
    if (*argument == 0 || syscall(SYS_process_vm_readv, getpid(), &to, 1UL, &from, 1UL, 0UL) != (long)sizeof before) return;
    if (before.tv_sec < 0 || before.tv_nsec < 0 || (uint64_t)before.tv_sec > UINT64_MAX / NS_A_SECOND - 1) return;
    const uint64_t ns = minus((uint64_t)before.tv_sec * NS_A_SECOND + (uint64_t)before.tv_nsec, waited);
    *rest = (struct timespec){.tv_sec = (time_t)(ns / NS_A_SECOND), .tv_nsec = (long)(ns % NS_A_SECOND)};
    *argument = (unsigned long long)(uintptr_t)rest;
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
    if (since == 0 || registers->rip < libc.low || registers->rip >= libc.high) return;
    if (!is_same_sleep(pid, index)) return; /* it has waited less than that: the whole time anew, rather than too short */
    if (call->timeout == HSN_TIMEOUT_MILLISECONDS) shorten_milliseconds(argument, waited);
    if (call->timeout == HSN_TIMEOUT_TIMESPEC) shorten_timespec(argument, waited, &left[(size_t)hsn_list.threads[index].tid % left_count]);
}

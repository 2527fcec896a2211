/*
 * The beginning of the agent (start.h), what it serves, and forks.
 *
 *      first allocation ──► settings, table, stacks … (hsn_open_all): recording
 *      constructor      ──► own variables, main thread, LD_PRELOAD, fork handlers, listening
 *
 * A fork of the program takes table and stacks whole: all locks are held around it. The child records on in its own
 * copy. It gets a thread of its own to listen only when it turns out to live: when it allocates or reads after half a
 * second, or waits for something (idle.c). Most children soon execute something else, and some must not have a thread
 * before. Children of vfork and posix_spawn run no handlers, and need none.
 */
#include "native/start.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "native/gone.h"
#include "native/hooks.h"
#include "native/local.h"
#include "native/lock.h"
#include "native/mmaps.h"
#include "native/proc.h"
#include "native/reserve.h"
#include "native/settings.h"
#include "native/snapshot.h"
#include "native/stacks.h"
#include "native/stop.h"
#include "native/table.h"
#include "native/threads.h"
#include "native/unwind.h"
#include "native/waits.h"

extern void *__libc_stack_end;

static const uint64_t CHILD_LIVES_NS = 500 * 1000 * 1000;

static _Atomic int agent_tid;
static _Atomic int listening_pid; /* of the process that has the thread, be it that it has not begun; 0 = none */
_Atomic uint64_t hsn_due_ns;
static hsn_range loader, libc;

bool hsn_open_all(void)
{
    hsn_settings_read(&hsn_set, getenv("HSDIFF_NATIVE"));
    hsn_unwind_open();
    hsn_when_waiting = hsn_stop_aside;
    /* first what cannot do with less, where the address space is limited */
    return hsn_stop_open() && hsn_threads_open() && hsn_table_open(hsn_set.sample_bytes != 0) && hsn_stacks_open();
}

/* ---- serving ---- */

/* The file whose malloc stands in front of this one, "" = none: an allocator that is preloaded before the agent, or
 * linked into the program. */
static char in_front[128];

static void look_in_front(void)
{
    Dl_info own, first;
    void *found = dlsym(RTLD_DEFAULT, "malloc");
    if (found == NULL || dladdr(&hsn_real, &own) == 0 || dladdr(found, &first) == 0 || first.dli_fbase == own.dli_fbase)
        return;
    const char *slash = strrchr(first.dli_fname, '/'), *name = slash == NULL ? first.dli_fname : slash + 1;
    const size_t size = strlen(name) < sizeof in_front ? strlen(name) : sizeof in_front - 1;
    memcpy(in_front, name, size);
    in_front[size] = '\0';
}

/* One that passes on what it is asked for may stand in front: then blocks are recorded all the same. */
static bool refuse_bypassed(const hsa_request *request)
{
    static const char before[] = "malloc of this program is that of ",
                      behind[] = ", in front of the agent, which has recorded nothing: name the agent first in "
                                 "LD_PRELOAD; of an allocator that is linked into the program nothing can be recorded";
    char sentence[sizeof before + sizeof in_front + sizeof behind];
    if (in_front[0] == '\0' || !hsn_table_is_unused()) return false;
    size_t used = sizeof before - 1;
    memcpy(sentence, before, used);
    memcpy(sentence + used, in_front, strlen(in_front));
    used += strlen(in_front);
    memcpy(sentence + used, behind, sizeof behind);
    hsa_refuse(request, sentence);
    return true;
}

static void serve_native_agent(void *context, const hsa_request *request)
{
    (void)context;
    if (request->verb == HSA_FORGET) {
        hsa_accept(request); /* identities cost nothing here */
        return;
    }
    if (refuse_bypassed(request)) return;
    const hsn_taken taken = hsn_snapshot(request, NULL);
    if (taken.error != NULL) hsa_refuse(request, taken.error);
}

static void begin_thread(void *context)
{
    (void)context;
    hsn_silence();
    agent_tid = (int)syscall(SYS_gettid);
    const hsn_entry *row = hsn_thread_find(agent_tid);
    if (row != NULL && row->stack.high != 0) hsn_reserve_note(row->stack.low, row->stack.high);
}

int hsn_agent_tid(void) { return agent_tid; }

static int start_listening(void)
{
    static const hsa_agent agent = {.name = "native", .serve = serve_native_agent, .thread_begins = begin_thread};
    atomic_store(&hsn_due_ns, 0);
    hsn_silence();
    const int error = hsa_listen(&agent);
    if (error == 0) listening_pid = (int)getpid();
    hsn_speak();
    return error;
}

/* A child of vfork has the memory of its parent, and not its threads. */
bool hsn_is_listening(void) { return listening_pid != 0 && listening_pid == (int)getpid(); }

bool hsn_listen_stop(void)
{
    if (agent_tid == (int)syscall(SYS_gettid) || atomic_exchange(&listening_pid, 0) == 0) return false;
    hsn_silence();
    hsa_stop();
    agent_tid = 0;
    hsn_speak();
    return true;
}

void hsn_listen_again(void) { start_listening(); }

/* ---- children of forks ---- */

static uint64_t now_roughly(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool is_in(const hsn_range *range, uintptr_t at) { return at >= range->low && at < range->high; }

bool hsn_listen_is_due(uintptr_t caller)
{
    const uint64_t due = atomic_load_explicit(&hsn_due_ns, memory_order_relaxed);
    return due != 0 && !is_in(&loader, caller) && !is_in(&libc, caller) && now_roughly() >= due;
}

void hsn_listen_if_due(void)
{
    if (atomic_exchange(&hsn_due_ns, 0) != 0) start_listening();
}

void hsn_wait_begins(int64_t milliseconds)
{
    const int error = errno;
    const bool is_long = milliseconds < 0 || milliseconds >= (int64_t)(CHILD_LIVES_NS / 1000000);
    if (is_long || now_roughly() >= atomic_load(&hsn_due_ns)) hsn_listen_if_due();
    errno = error;
}

static void before_fork(void)
{
    hsn_enter();
    hsn_table_hold(hsn_me.magazine);
    hsn_stacks_hold();
    hsn_mmaps_hold();
    hsn_leave(); /* the table is whole and stays so: this thread may stop, and fork may wait for one that has */
}

static void let_go_of_native_agent(void)
{
    hsn_enter();
    hsn_mmaps_let_go();
    hsn_stacks_let_go();
    hsn_table_let_go();
    hsn_leave();
}

static void after_fork_in_child(void)
{
    hsn_stop_adopt();
    let_go_of_native_agent();
    hsn_snapshot_adopt();
    hsn_threads_adopt();
    hsn_gone_adopt();
    agent_tid = 0;
    listening_pid = 0;
    if (hsn_set.fork == HSN_FORK_OFF) hsn_end();
    if (!hsn_set.listens) return;
    hsa_after_fork();
    if (hsn_set.fork == HSN_FORK_NOW) start_listening();
    if (hsn_set.fork == HSN_FORK_LATER) atomic_store(&hsn_due_ns, now_roughly() + CHILD_LIVES_NS);
}

/* ---- the constructor ---- */

/* Writable segments of this file: their words are the agent's. Segments of ld.so and libc: who calls from there is not
 * disturbed. */
static int look_at_object(struct dl_phdr_info *info, size_t size, void *context)
{
    const uintptr_t own = (uintptr_t)&hsn_real, base = (uintptr_t)dlsym(RTLD_DEFAULT, "_r_debug");
    (void)size;
    (void)context;
    hsn_range all = {UINTPTR_MAX, 0};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD) continue;
        const uintptr_t low = info->dlpi_addr + p->p_vaddr, high = low + p->p_memsz;
        if (low < all.low) all.low = low;
        if (high > all.high) all.high = high;
        if ((p->p_flags & PF_W) != 0 && own >= low && own < high) hsn_reserve_note(low, high);
    }
    if (is_in(&all, base)) loader = all;
    if (is_in(&all, (uintptr_t)dlsym(RTLD_DEFAULT, "gnu_get_libc_version"))) libc = all;
    return 0;
}

static const char *last_part(const char *path, size_t *size)
{
    const char *last = path;
    for (size_t i = 0; i < *size; i++)
        if (path[i] == '/') last = path + i + 1;
    *size -= (size_t)(last - path);
    return last;
}

/* Takes our own word out of LD_PRELOAD, in place: what is executed from here on is not ours to watch. */
static void leave_environment(void)
{
    Dl_info info;
    char *list = getenv("LD_PRELOAD");
    if (list == NULL || dladdr(&hsn_real, &info) == 0 || info.dli_fname == NULL) return;
    size_t own_size = strlen(info.dli_fname), kept = 0;
    const char *own = last_part(info.dli_fname, &own_size);
    for (char *at = list; *at != '\0';) {
        const size_t size = strcspn(at, ": ");
        size_t name_size = size;
        const char *name = last_part(at, &name_size);
        const bool is_own = name_size == own_size && memcmp(name, own, own_size) == 0;
        char *next = at + size + (at[size] != '\0');
        if (!is_own && size > 0) {
            if (kept > 0) list[kept++] = ':';
            memmove(list + kept, at, size);
            kept += size;
        }
        at = next;
    }
    list[kept] = '\0';
    if (kept == 0) unsetenv("LD_PRELOAD");
}

/* Programs that do nothing but become another one, or start one and wait: who put the agent in front of such a command
 * meant that one. */
static bool is_wrapper(void)
{
    static const char *const names[] = {"env",    "nohup",   "nice",   "ionice",    "chrt",     "taskset", "numactl",
                                        "setsid", "setpriv", "stdbuf", "setarch",   "timeout",  "prlimit", "catchsegv",
                                        "gosu",   "time",    "tini",   "dumb-init", "catatonit"};
    char path[4096];
    const ssize_t got = readlink("/proc/self/exe", path, sizeof path);
    size_t size = got > 0 ? (size_t)got : 0;
    const char *name = last_part(path, &size);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (size == strlen(names[i]) && memcmp(name, names[i], size) == 0) return true;
    return false;
}

__attribute__((constructor)) static void start(void)
{
    if (!hsn_begin()) return;
    const int error = errno;
    hsn_silence();
    dl_iterate_phdr(look_at_object, NULL);
    const hsn_range stack = hsn_proc_mapping((uintptr_t)__libc_stack_end);
    hsn_threads_describe_main(stack.high);
    hsn_waits_find_libc();
    look_in_front();
    if (is_in(&libc, (uintptr_t)hsn_real.malloc)) hsn_map_trust_chunks();
    if (!hsn_set.follows && !is_wrapper()) leave_environment();
    pthread_atfork(before_fork, let_go_of_native_agent, after_fork_in_child);
    hsn_speak();
    if (hsn_set.listens) start_listening();
    errno = error;
}

#define _GNU_SOURCE /* __WALL */
/*
 * See stopped.h. Threads may start others until they stop: the list is read again until it has no new ones.
 */
#include "go/live/stopped.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "base/array.h"
#include "base/note.h"

enum { MOST_THREADS = 1 << 16, PATIENCE_MS = 5000 };

static bool is_known_stopped_thread(const hsd_stopped *all, pid_t tid)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->threads[i].tid == tid) return true;
    return false;
}

static hsd_status refuse_stopped_thread(const hsd_process_facts *facts, int error, hsd_error *err)
{
    hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld may not be stopped and read from outside: %s", facts->pid,
             facts->is_traced ? "another program traces it already"
             : error == EPERM ? "tracing is forbidden here"
                              : "the system refuses");
    hsd_error_set_hint(err, "let the program write its heap itself: runtime/debug.WriteHeapDump (doc/capture-go.md)");
    return HSD_E_UNSUPPORTED;
}

static hsd_status add_stopped_thread(hsd_stopped *all, const hsd_process_facts *facts, pid_t tid, hsd_error *err)
{
    if (all->count >= MOST_THREADS)
        return hsd_fail(err, HSD_E_NOMEM, "out of memory: process %ld has too many threads", facts->pid);
    HSD_TRY(HSD_ARRAY_GROW(all->threads, all->room, all->count + 1, 64, "the threads of a process", err));
    if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0)
        return errno == ESRCH ? HSD_OK : refuse_stopped_thread(facts, errno, err);
    all->threads[all->count++] = (hsd_stopped_thread){.tid = tid};
    ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
    return HSD_OK;
}

static hsd_status add_new(hsd_stopped *all, const hsd_process_facts *facts, bool *is_more, hsd_error *err)
{
    char path[48];
    hsd_status status = HSD_OK;
    *is_more = false;
    snprintf(path, sizeof path, "/proc/%ld/task", facts->pid);
    DIR *tasks = opendir(path);
    if (tasks == NULL) return hsd_fail(err, HSD_E_NOT_FOUND, "process %ld has ended", facts->pid);
    for (const struct dirent *one; status == HSD_OK && (one = readdir(tasks)) != NULL;) {
        const pid_t tid = (pid_t)strtol(one->d_name, NULL, 10);
        if (tid <= 0 || is_known_stopped_thread(all, tid)) continue;
        *is_more = true;
        status = add_stopped_thread(all, facts, tid, err);
    }
    closedir(tasks);
    return status;
}

static void read_registers(hsd_stopped_thread *thread)
{
    struct iovec to = {thread->registers, sizeof thread->registers};
    thread->register_bytes =
        ptrace(PTRACE_GETREGSET, thread->tid, (void *)(uintptr_t)NT_PRSTATUS, &to) == 0 ? to.iov_len : 0;
}

/* One that has ended meanwhile has tid 0. */
static bool wait_for(hsd_stopped_thread *thread, uint64_t end_ns)
{
    int status = 0;
    pid_t got;
    while ((got = waitpid(thread->tid, &status, __WALL | WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
        if (hsd_now_ns() >= end_ns) return false;
        poll(NULL, 0, 1);
    }
    thread->is_stopped = got == thread->tid && WIFSTOPPED(status);
    if (!thread->is_stopped) {
        thread->tid = 0;
        return true;
    }
    thread->signal = status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
    read_registers(thread);
    return true;
}

hsd_status hsd_stopped_take(hsd_stopped *out, const hsd_process_facts *facts, hsd_error *err)
{
    const uint64_t end = hsd_now_ns() + (uint64_t)PATIENCE_MS * 1000000;
    size_t waited = 0;
    *out = (hsd_stopped){0};
    for (bool is_more = true; is_more;) {
        HSD_TRY(add_new(out, facts, &is_more, err));
        for (; waited < out->count; waited++)
            if (!wait_for(&out->threads[waited], end))
                return hsd_fail(err, HSD_E_IO, "a thread of process %ld does not stop: it waits for a device",
                                facts->pid);
        if (hsd_now_ns() >= end)
            return hsd_fail(err, HSD_E_IO, "process %ld starts threads faster than they can be stopped", facts->pid);
    }
    return HSD_OK;
}

/* One that was asked to stop and has not yet must have stopped to be let go: else it would stop later, for good. */
static bool has_come(const hsd_stopped_thread *thread)
{
    int status = 0;
    pid_t got = thread->tid;
    while (!thread->is_stopped && (got = waitpid(thread->tid, &status, __WALL)) < 0 && errno == EINTR)
        ;
    return got == thread->tid;
}

void hsd_stopped_release(hsd_stopped *all)
{
    for (size_t i = 0; i < all->count; i++) {
        hsd_stopped_thread *thread = &all->threads[i];
        if (thread->tid == 0 || !has_come(thread)) continue;
        ptrace(PTRACE_DETACH, thread->tid, NULL, (void *)(intptr_t)thread->signal);
    }
    free(all->threads);
    *all = (hsd_stopped){0};
}

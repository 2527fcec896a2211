/* The list of threads that are being stopped (tasks.h). */
#include "native/tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "native/proc.h"
#include "native/reserve.h"
#include "native/threads.h"

enum {
    THREADS = 1 << 15,
    THREAD_BYTES = 128 << 10,
    MAX_TID = 1 << 22,
    LIST_BYTES = 32 * 1024,
    RECORD_SIZE_AT = 16,
    RECORD_NAME_AT = 19
};

hsn_tasks hsn_list;

static size_t most;             /* threads that the list has room for */
static uint64_t without_room;   /* others, of the last look */
static unsigned char *is_known; /* a bit for each tid */
static char *records;           /* what getdents64 says */

bool hsn_tasks_open(void)
{
    /* of a limited address space a thread takes as much at least, for its stack */
    most = hsn_reserve_part((size_t)THREADS * THREAD_BYTES, 1) / THREAD_BYTES;
    size_t threads = most * sizeof *hsn_list.threads, tasks = most * sizeof *hsn_list.tasks, known = MAX_TID / 8,
           list = LIST_BYTES;
    hsn_list.threads = hsn_reserve(&threads, threads);
    hsn_list.tasks = hsn_reserve(&tasks, tasks);
    is_known = hsn_reserve(&known, known);
    records = hsn_reserve(&list, list);
    return hsn_list.threads != NULL && hsn_list.tasks != NULL && is_known != NULL && records != NULL;
}

static bool mark_known(int tid)
{
    const unsigned char bit = (unsigned char)(1u << (tid % 8));
    if (tid <= 0 || tid >= MAX_TID || (is_known[tid / 8] & bit) != 0) return false;
    is_known[tid / 8] |= bit;
    return true;
}

static void unmark(int tid) { is_known[tid / 8] &= (unsigned char)~(1u << (tid % 8)); }

bool hsn_tasks_add(int pid, int tid)
{
    if (!mark_known(tid)) return false;
    if (hsn_list.count == most) {
        unmark(tid);
        without_room++;
        return false;
    }
    hsn_thread *t = &hsn_list.threads[hsn_list.count];
    const hsn_entry *row = hsn_thread_find(tid);
    memset(t, 0, sizeof *t);
    t->tid = tid;
    if (row != NULL) {
        t->stack = row->stack;
        t->tls = row->tls;
    }
    hsn_proc_thread_name(pid, tid, t->name);
    hsn_list.tasks[hsn_list.count] = (hsn_task){0};
    hsn_list.count++;
    return true;
}

void hsn_tasks_begin(void)
{
    for (size_t i = 0; i < hsn_list.count; i++)
        unmark(hsn_list.threads[i].tid);
    hsn_list.count = 0;
    without_room = 0;
    hsn_list.generation = hsn_list.generation == UINT32_MAX ? 1 : hsn_list.generation + 1;
}

size_t hsn_tasks_look(int pid, int self, int agent)
{
    const size_t before = hsn_list.count;
    without_room = 0;
    char path[HSN_PROC_PATH];
    hsn_proc_path(path, pid, 0, "task");
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return 0;
    long size;
    while ((size = syscall(SYS_getdents64, fd, records, LIST_BYTES)) > 0)
        for (long at = 0; at < size;) {
            unsigned short length;
            memcpy(&length, records + at + RECORD_SIZE_AT, sizeof length);
            const int tid = hsn_proc_number(records + at + RECORD_NAME_AT);
            if (tid != self && tid != agent) hsn_tasks_add(pid, tid);
            at += length;
        }
    close(fd);
    return hsn_list.count - before;
}

bool hsn_task_is_gone(int pid, int tid) { return syscall(SYS_tgkill, pid, tid, 0) != 0 && errno == ESRCH; }

bool hsn_task_stands(size_t index) { return atomic_load(&hsn_list.tasks[index].answered) == hsn_list.generation; }

uint64_t hsn_tasks_settle(int pid)
{
    size_t kept = 0;
    uint64_t missed = without_room;
    for (size_t i = 0; i < hsn_list.count; i++) {
        hsn_thread *t = &hsn_list.threads[i];
        hsn_task *task = &hsn_list.tasks[i];
        t->is_stopped = !task->is_gone && hsn_task_stands(i);
        if (!t->is_stopped && (task->is_gone || hsn_task_is_gone(pid, t->tid))) {
            unmark(t->tid);
            continue;
        }
        if (!t->is_stopped) missed++;
        if (kept != i) {
            hsn_list.threads[kept] = *t;
            memcpy(&hsn_list.tasks[kept], task, sizeof *task);
        }
        kept++;
    }
    hsn_list.count = kept;
    return missed;
}

void hsn_tasks_forget(void)
{
    hsn_list.count = 0;
    if (is_known != NULL) madvise(is_known, MAX_TID / 8, MADV_DONTNEED);
}

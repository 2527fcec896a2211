#define _GNU_SOURCE /* sched_setaffinity */
/*
 * See waited.h. A look at a processor's clock is a moment of running there: this thread goes there and comes back.
 */
#include "live/python/waited.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/note.h"
#include "live/procfs.h"

enum { TEXT_BYTES = 16 * 1024, PROCESSOR_FIELD = 39, DIGITS_BELOW_MS = 6 };
static const uint64_t NS_A_MS = 1000 * 1000;

static char *read_file(long pid, pid_t tid, const char *name)
{
    char path[64];
    size_t size = 0;
    if (pid == 0)
        snprintf(path, sizeof path, "/proc/thread-self/%s", name);
    else
        snprintf(path, sizeof path, "/proc/%ld/task/%d/%s", pid, (int)tid, name);
    return hsd_procfs_read(path, TEXT_BYTES, &size);
}

/* "se.exec_start : 1163012.927518": when the thread last began to run, in ns of its processor; 0 = the kernel does not
 * say. */
static uint64_t last_ran_ns(long pid, pid_t tid)
{
    static const char key[] = "se.exec_start";
    char *text = read_file(pid, tid, "sched"), *at = text == NULL ? NULL : strstr(text, key);
    uint64_t ns = 0;
    if (at != NULL) {
        at += sizeof key - 1;
        at += strspn(at, " \t:");
        ns = strtoull(at, &at, 10) * NS_A_MS;
        uint64_t part = 0;
        for (int i = 1; *at == '.' && i <= DIGITS_BELOW_MS && at[i] >= '0' && at[i] <= '9'; i++)
            part = part * 10 + (uint64_t)(at[i] - '0');
        ns += part;
    }
    free(text);
    return ns;
}

static uint64_t sleeps_of(long pid, pid_t tid)
{
    char *text = read_file(pid, tid, "status");
    const char *value = text == NULL ? NULL : hsd_procfs_status_value(text, "voluntary_ctxt_switches");
    const uint64_t sleeps = value == NULL ? 0 : strtoull(value, NULL, 10);
    free(text);
    return sleeps;
}

/* Calls of whose timeout the kernel keeps nothing, and that have it in milliseconds. */
static bool is_in_such_call(long pid, pid_t tid)
{
    char *text = read_file(pid, tid, "syscall");
    const long number = text == NULL || text[0] < '0' || text[0] > '9' ? -1 : strtol(text, NULL, 10);
    free(text);
#ifdef SYS_epoll_wait /* aarch64 has the other alone */
    if (number == SYS_epoll_wait) return true;
#endif
    return number == SYS_epoll_pwait;
}

static uint64_t processor_now_ns(uint64_t processor)
{
    cpu_set_t one, all;
    if (processor >= CPU_SETSIZE || sched_getaffinity(0, sizeof all, &all) != 0) return 0;
    CPU_ZERO(&one);
    CPU_SET((size_t)processor, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) return 0;
    const uint64_t now = last_ran_ns(0, 0);
    (void)sched_setaffinity(0, sizeof all, &all);
    return now;
}

void hsd_waited_note(hsd_waited *out, long pid, pid_t tid)
{
    *out =
        (hsd_waited){.sleeps = sleeps_of(pid, tid)}; /* first: what comes between this and the last look shows in it */
    if (out->sleeps == 0 || !is_in_such_call(pid, tid)) return;
    char *stat = read_file(pid, tid, "stat");
    const uint64_t slept = last_ran_ns(pid, tid),
                   now =
                       slept == 0 || stat == NULL ? 0 : processor_now_ns(hsd_procfs_stat_number(stat, PROCESSOR_FIELD));
    if (now > slept) out->since_ns = hsd_now_ns() - (now - slept);
    free(stat);
}

/* It has gone to sleep once since, for the stop. */
void hsd_waited_confirm(hsd_waited *waited, long pid, pid_t tid)
{
    if (waited->since_ns != 0 && sleeps_of(pid, tid) != waited->sleeps + 1) waited->since_ns = 0;
}

uint64_t hsd_waited_rest_ms(const hsd_waited *waited, uint64_t whole_ms)
{
    if (waited->since_ns == 0) return whole_ms;
    const uint64_t gone_ms = (hsd_now_ns() - waited->since_ns) / NS_A_MS;
    return gone_ms < whole_ms ? whole_ms - gone_ms : 0;
}

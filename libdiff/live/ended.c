/*
 * Whether a failure comes of the end of the process: looked at in /proc, for a moment, as descriptors are closed before
 * a process is gone.
 */
#include "live/ended.h"

#include <errno.h>
#include <poll.h>

#include "base/note.h"
#include "live/facts.h"

enum { STEP_MS = 10, LAST_MOMENT_MS = 300 };

static bool is_gone(const hsd_process_facts *facts)
{
    hsd_process_facts now;
    return hsd_facts_read(&now, facts->pid, NULL) != HSD_OK || now.is_zombie ||
           now.started_unix_ns != facts->started_unix_ns;
}

bool hsd_has_ended(const hsd_process_facts *facts, unsigned wait_ms)
{
    const uint64_t end = hsd_now_ns() + (uint64_t)wait_ms * 1000000;
    while (!is_gone(facts)) {
        if (hsd_now_ns() >= end) return false;
        poll(NULL, 0, STEP_MS);
    }
    return true;
}

/* A process that is killed loses its descriptors before it is gone; what names it in /proc goes last. */
static bool is_of_an_end(hsd_status status, int error)
{
    if (status == HSD_E_NOT_FOUND || status == HSD_E_UNSUPPORTED) return true;
    return status == HSD_E_IO && (error == 0 || error == ENOENT || error == ESRCH || error == EACCES ||
                                  error == ENOTDIR || error == ECONNREFUSED || error == ECONNRESET || error == EPIPE ||
                                  error == ENOTCONN || error == ENXIO || error == ETIMEDOUT);
}

hsd_status hsd_live_blame_end(const hsd_live *live, hsd_status status, hsd_error *err)
{
    const int error = err == NULL ? 0 : err->sys_errno;
    if (!is_of_an_end(status, error)) return status;
    if (!hsd_has_ended(live->facts, status == HSD_E_IO ? LAST_MOMENT_MS : 0)) return status;
    return hsd_fail(err, HSD_E_TRUNCATED, "process %ld (%s) ended before its heap was taken", live->facts->pid,
                    live->process->name);
}

/*
 * All threads of a process stopped from outside, as a debugger does it: no signal is sent, and the kernel lets them go
 * should we end.
 */
#ifndef HSD_GO_LIVE_STOPPED_H
#define HSD_GO_LIVE_STOPPED_H

#include <sys/types.h>

#include "live/way.h"

enum { HSD_REGISTER_BYTES = 512 };

typedef struct hsd_stopped_thread {
    pid_t tid;
    int signal; /* one that it was about to take: it gets it when it goes on */
    bool is_stopped;
    size_t register_bytes;
    uint8_t registers[HSD_REGISTER_BYTES]; /* as a core has them */
} hsd_stopped_thread;

typedef struct hsd_stopped {
    hsd_stopped_thread *threads;
    size_t count, room;
} hsd_stopped;

/* HSD_E_UNSUPPORTED: tracing is forbidden here, or another traces it. What was stopped goes on by hsd_stopped_release,
 * whatever came of it. */
hsd_status hsd_stopped_take(hsd_stopped *out, const hsd_process_facts *facts, hsd_error *err);
void hsd_stopped_release(hsd_stopped *all);

#endif

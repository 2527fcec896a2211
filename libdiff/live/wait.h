/*
 * Waiting with a timeout, progress and an ear for cancelling: what hsd_live_wait (way.h) is made of, for where there is
 * no capture yet.
 */
#ifndef HSD_LIVE_WAIT_H
#define HSD_LIVE_WAIT_H

#include "live/way.h"

typedef struct hsd_waiting {
    hsd_reporter *reporter;
    const _Atomic uint64_t *done; /* bytes so far, NULL = none */
    long pid;
    unsigned timeout_seconds; /* 0 = 60 */
    char stage[128];
} hsd_waiting;

void hsd_live_waiting(hsd_waiting *waiting, hsd_live *live);

/* As hsd_live_wait. HSD_END when the other side of `hung_up_fd` (-1 = none) went away meanwhile. */
hsd_status hsd_wait_fd(const hsd_waiting *waiting, int fd, short events, int hung_up_fd, hsd_error *err);

#endif

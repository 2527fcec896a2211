/*
 * Who ends a session of an inspector when this process cannot: Node 20 may crash when the connection goes away while it
 * still tells a snapshot. A process of its own has the same connection; when ours is gone before its time it reads what
 * is still to come, waits until the inspector has answered everything, and says goodbye.
 */
#ifndef HSD_LIVE_INSPECTOR_KEEPER_H
#define HSD_LIVE_INSPECTOR_KEEPER_H

#include <hsdiff/status.h>

typedef struct hsd_inspector_keeper {
    int pipe; /* to the keeper; owned. -1 = there is none */
} hsd_inspector_keeper;

/* Before the connection becomes a WebSocket. HSD_E_IO. */
hsd_status hsd_inspector_keep(hsd_inspector_keeper *keeper, int fd, hsd_error *err);

/* The session has ended in order: the keeper has nothing to do. Without it, closing the pipe lets the keeper end the
 * session. */
void hsd_inspector_keeper_dismiss(hsd_inspector_keeper *keeper);

/* Leaves the rest to the keeper. Accepts one that was dismissed. Does not wait. */
void hsd_inspector_keeper_close(hsd_inspector_keeper *keeper);

#endif

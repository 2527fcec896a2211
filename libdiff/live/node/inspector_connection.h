/*
 * A connection to an inspector on loopback, on which commands go out and messages come in.
 */
#ifndef HSD_LIVE_INSPECTOR_CONNECTION_H
#define HSD_LIVE_INSPECTOR_CONNECTION_H

#include "live/node/inspector_keeper.h"
#include "live/node/inspector_messages.h"
#include "live/node/inspector_port.h"

/* Waits until the descriptor can be read: an HSD_OK, or why not. */
typedef hsd_status (*hsd_inspector_wait_fn)(void *context, int fd, hsd_error *err);

/* Takes a piece of a snapshot. */
typedef hsd_status (*hsd_inspector_chunk_fn)(void *context, const char *bytes, size_t size, hsd_error *err);

typedef struct hsd_inspector_connection {
    const hsd_process_facts *facts; /* of the process that has the inspector: set by the caller, borrowed */
    int fd;                         /* -1 = not open */
    hsd_inspector_keeper keeper;
    bool is_asked; /* a command was sent and not answered in full */
    hsd_inspector messages;
    hsd_inspector_wait_fn wait;
    void *wait_context;
    hsd_inspector_chunk_fn chunk; /* NULL: none is expected */
    void *chunk_context;
} hsd_inspector_connection;

/* HSD_OK if an inspector with a target answers there; one request on a connection of its own, which is closed again. */
hsd_status hsd_inspector_ask(hsd_inspector_connection *connection, hsd_inspector_port port, hsd_inspector_wait_fn wait,
                             void *wait_context, hsd_error *err);

/*
 * Asks for the list of targets and opens a WebSocket to the first. HSD_E_NOT_THIS_FORMAT: something else listens there.
 * Pieces of a snapshot go to `chunk`, which the caller sets behind that. `connection` stays where it is until it is
 * closed.
 */
hsd_status hsd_inspector_connect(hsd_inspector_connection *connection, hsd_inspector_port port,
                                 hsd_inspector_wait_fn wait, void *wait_context, hsd_error *err);

/* Sends {"id":ID,"method":…} and reads until it is answered. HSD_E_UNSUPPORTED with the inspector's own sentence when
 * it refuses. */
hsd_status hsd_inspector_call(hsd_inspector_connection *connection, unsigned id, const char *method, const char *params,
                              hsd_error *err);

/* From now on the inspector's workers are told in `workers`, room for HSD_INSPECTOR_WORKERS_MAX, which stays there
 * until the connection is closed. HSD_E_UNSUPPORTED where there is no such thing. */
hsd_status hsd_inspector_find_workers(hsd_inspector_connection *connection, unsigned id, hsd_inspector_worker *workers,
                                      hsd_error *err);

/*
 * Asks a worker as hsd_inspector_call asks the main thread, with two ids. Pieces of its snapshot go to `chunk`.
 * HSD_END: it has ended. What `wait` returns when nothing comes for too long.
 */
hsd_status hsd_inspector_call_worker(hsd_inspector_connection *connection, unsigned id,
                                     const hsd_inspector_worker *worker, const char *method, hsd_error *err);

/* Says goodbye and waits for the other side's, for a moment; in the middle of an answer the keeper does that. Takes a
 * closed one too. */
void hsd_inspector_close(hsd_inspector_connection *connection);

#endif

/*
 * A descriptor whose bytes go to a function: for what writes to descriptors alone, where they are to be encrypted
 * before they reach a disk. A pipe, and a thread that empties it.
 */
#ifndef HSD_IO_PUMP_H
#define HSD_IO_PUMP_H

#include <pthread.h>
#include <stdbool.h>

#include "io/output.h"

typedef struct hsd_pump {
    int fd; /* to write to */
    int from;
    bool is_running;
    hsd_stored_write_fn take;
    void *context;
    hsd_status status; /* of `take`; what comes behind a failure is thrown away */
    hsd_error error;
    pthread_t thread;
} hsd_pump;

/* Begins to pass on what is written to pump->fd; `take` is called by the pump's own thread alone. The pump stays where
 * it is until it is finished. HSD_E_IO. */
hsd_status hsd_pump_begin(hsd_pump *pump, hsd_stored_write_fn take, void *context, hsd_error *err);

/* Closes pump->fd, waits until all has passed, and returns what `take` did at first. A zeroed or finished one is
 * HSD_OK.
 */
hsd_status hsd_pump_finish(hsd_pump *pump, hsd_error *err);

/* For what writes to the descriptor of an output: where that is to be encrypted (hsd_output_encrypt), a pump to it is
 * begun, and pump->fd is written to; else nothing happens. The output is finished behind the pump. HSD_E_IO,
 * HSD_E_NOMEM.
 */
hsd_status hsd_output_encrypt_descriptor(hsd_output *output, hsd_pump *pump, hsd_crypt *crypt, hsd_error *err);

#endif

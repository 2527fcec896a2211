/*
 * A dump that has to be unwrapped on its way to the importer: a thread that writes into a pipe, and the importer at its
 * other end. Nothing of the dump is held but what the pipe holds.
 */
#ifndef HSD_LIVE_FEED_H
#define HSD_LIVE_FEED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "live/way.h"

typedef struct hsd_feed {
    int pipe_fd; /* where the dump goes; the producer may close it through hsd_feed_end */
    unsigned timeout_seconds;
    atomic_bool is_over; /* nobody reads any more */
} hsd_feed;

/* Gives a dump, on a thread of its own, through hsd_feed_put. */
typedef hsd_status (*hsd_feed_fn)(void *context, hsd_feed *feed, hsd_error *err);

/* Passes bytes on. HSD_E_CANCELLED when the importer has gone, which then says why. */
hsd_status hsd_feed_put(hsd_feed *feed, const void *bytes, size_t size, hsd_error *err);

/* The dump is told in full: what the producer does behind that, the importer does not wait for. */
void hsd_feed_end(hsd_feed *feed);

/* Until `fd` can be read. HSD_E_IO when nothing has come for the time of the options; HSD_E_CANCELLED as above. `whom`
 * stands in the sentence: "the inspector". */
hsd_status hsd_feed_wait(hsd_feed *feed, int fd, const char *whom, hsd_error *err);
/* The same for this many seconds, whatever the timeout is. */
hsd_status hsd_feed_wait_for(hsd_feed *feed, int fd, const char *whom, unsigned seconds, hsd_error *err);

/* Imports what `produce` gives. The producer's failure goes before the importer's, which follows from it. */
hsd_status hsd_live_feed(hsd_live *live, hsd_feed_fn produce, void *context, const char *format,
                         const hsd_import_options *options, hsd_error *err);

/* hsd_live_wait for reading, and for the end of the target: HSD_E_TRUNCATED when it has ended and nothing of it is left
 * to be read. */
hsd_status hsd_live_wait_target(hsd_live *live, int fd, hsd_error *err);

#endif

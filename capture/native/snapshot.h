/*
 * A capture: all threads stop, the process forks, all threads go on, and the child, in which the moment stands still,
 * writes.
 */
#ifndef HSN_SNAPSHOT_H
#define HSN_SNAPSHOT_H

#include <stdbool.h>
#include <ucontext.h>

#include "agent/agent.h"

typedef struct hsn_taken {
    const char *error; /* why there is no child; NULL = there was one */
    bool is_whole;     /* the child has written all of it */
    uint64_t pause_ns; /* from the first stop to the release */
} hsn_taken;

/*
 * Takes a capture into `request` and returns when its child has ended. One at a time: others wait. The child ends with
 * this thread, with the process, when the reader goes away, and is the first to go where memory runs out. `context`: as
 * for hsn_stop_all. Does not touch what the program waits for: the child ends without a signal, and only wait for
 * clones sees it.
 */
hsn_taken hsn_snapshot(const hsa_request *request, const ucontext_t *context);

/* In the child of a fork of the program: none is under way. */
void hsn_snapshot_adopt(void);

#endif

/*
 * The agent for a moment in a Python in which nothing was prepared: brought in, let write, taken out.
 *
 *      a thread of the program, held           maps a region, starts a thread of libc's, goes on
 *      that thread                             takes the GIL, loads the agent, writes the heap into a pipe, unloads it, ends
 *      a thread of the program, held           unmaps the region
 *
 * stub.h has what runs there, held.h how a thread is held. When this side is killed, the thread there ends by itself,
 * and what it leaves, the region, goes with the next capture.
 */
#ifndef HSD_LIVE_PYTHON_INJECT_H
#define HSD_LIVE_PYTHON_INJECT_H

#include "live/way.h"

/* Into live->out_fd. `agent` is the path of the agent as hsdiff sees it. */
hsd_status hsd_python_inject(hsd_live *live, const char *agent, hsd_error *err);

#endif

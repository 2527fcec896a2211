/*
 * hsdiff itself as a process of its own, for captures: it can be stopped at any moment, and what goes wrong there does
 * not end the server.
 */
#ifndef MCP_SPAWN_H
#define MCP_SPAWN_H

#include "call.h"

/*
 * Runs hsdiff with `words` (ending with NULL) in the folder `folder` (a descriptor; -1 = here), without input, and
 * puts what it prints into `said`. `exit_status` gets its status; 128 and the signal when one ended it. HSD_E_CANCELLED
 * when the call was: the process has ended by then. HSD_E_IO when it cannot be started.
 */
hsd_status mcp_spawn(mcp_call *call, const char *const *words, int folder, const char *stage, mcp_text *said,
                     int *exit_status, hsd_error *err);

#endif

/*
 * A server of the Model Context Protocol on standard input and output: an agent that looks for a leak asks hsdiff.
 *
 *      server.c      lines in, lines out; what is asked of the protocol itself
 *      queue.c       calls that wait, are worked on, are cancelled
 *      tools.c       the table; tool_*.c one or two tools each
 *      call.c        arguments, and the parts of an answer
 *      pages.c       an answer is a page of under 4 KB, the rest has a handle
 *      heaps.c       captures that stay open
 *      folders.c     the only way to a file
 *      json.c text.c the bytes
 */
#ifndef MCP_H
#define MCP_H

#include <stdbool.h>
#include <stddef.h>

#include <hsdiff/run.h>
#include <hsdiff/status.h>

typedef struct mcp_options {
    const char *const *folders; /* that may be read; none = the working folder */
    size_t folder_count;
    bool allow_capture;
    const hsd_run *run; /* memory, threads, temporary space; told of nothing */
    /* asked some ten times a second: true ends the server */
    bool (*is_stopped)(void);
} mcp_options;

/*
 * Serves until standard input ends, nobody reads the answers any more, or is_stopped. Returns HSD_OK then; HSD_E_IO for
 * a folder that cannot be opened, or no threads; HSD_E_NOMEM.
 */
hsd_status mcp_serve(const mcp_options *options, hsd_error *err);

#endif

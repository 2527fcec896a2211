/*
 * Captures that were opened, one or a pair, with the index to look into them; a few are kept, so that the second
 * question costs milliseconds. A file that was changed since is opened anew.
 */
#ifndef MCP_HEAPS_H
#define MCP_HEAPS_H

#include <hsdiff/browse.h>
#include <hsdiff/open.h>
#include <hsdiff/sql.h>

#include "folders.h"

#define MCP_HEAPS_KEPT 3u

typedef struct mcp_heap_file {
    char *path; /* as it was given; owned */
    int fd;
    struct stat what;
    hsd_capture *capture; /* NULL of a database */
} mcp_heap_file;

typedef struct mcp_heap {
    mcp_heap_file files[2];
    size_t count; /* 0 = a free place */
    bool is_partial;
    hsd_browse *browse; /* NULL until it is wanted, and of a database */
    hsd_sql *sql;       /* NULL until it is wanted */
    uint64_t used;      /* when it was asked last */
} mcp_heap;

typedef struct mcp_heaps {
    mcp_folders *folders; /* borrowed */
    const hsd_run *run;   /* borrowed */
    mcp_heap list[MCP_HEAPS_KEPT];
    uint64_t clock;
} mcp_heaps;

/* Which heap, and for one file of a pair that is open already, which side of it. */
typedef struct mcp_heap_view {
    mcp_heap *heap;
    size_t side;
} mcp_heap_view;

/*
 * Finds or opens one or two captures, without an index. Of a pair `side` is 1, of one capture the side that it is.
 * `may_be_side`: one capture may be a side of a pair that is open. Borrowed until the next call. Fails as
 * mcp_folders_open_file and hsd_open_fd do.
 */
hsd_status mcp_heaps_open(mcp_heaps *heaps, const char *const *paths, size_t count, bool partial, bool may_be_side,
                          mcp_heap_view *out, hsd_error *err);

/* Compares, or counts, and builds the index if that is not done. Fails as hsd_browse_open does; HSD_E_UNSUPPORTED for a
 * database. */
hsd_status mcp_heaps_browse(mcp_heaps *heaps, mcp_heap *heap, hsd_error *err);

/* Makes heap->sql. Fails as hsd_sql_open and hsd_sql_open_file do. */
hsd_status mcp_heaps_ask(mcp_heaps *heaps, mcp_heap *heap, hsd_error *err);

/* One capture that is not kept. Closed with mcp_heap_file_close. Fails as mcp_heaps_open does. */
hsd_status mcp_heap_file_open(mcp_heaps *heaps, mcp_heap_file *file, const char *path, bool partial, hsd_error *err);
void mcp_heap_file_close(mcp_heap_file *file);

void mcp_heaps_close(mcp_heaps *heaps);

#endif

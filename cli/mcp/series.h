/*
 * More than two captures: each is opened when its turn comes, beneath the folders that were allowed.
 */
#ifndef MCP_SERIES_H
#define MCP_SERIES_H

#include <hsdiff/series.h>

#include "call.h"

#define MCP_SERIES_MOST 100u

/* Adds them up. Freed by the caller. Fails as hsd_series_run and mcp_heap_file_open do. */
hsd_status mcp_series_run(mcp_call *call, const char *const *paths, size_t count, uint32_t warmup, bool partial,
                          uint64_t noise_bytes, hsd_series **out, hsd_error *err);

/* Who holds what grew, by a diff of two of them, where that can be asked; else says in the notes why it was not. Fails
 * when the call was cancelled, and with HSD_E_NOMEM. */
hsd_status mcp_series_ask(mcp_call *call, hsd_series *series, const char *const *paths, bool partial, hsd_error *err);

#endif

/*
 * Answers that are longer than a page: what did not fit is kept under a handle, until sixteen younger ones are.
 */
#ifndef MCP_PAGES_H
#define MCP_PAGES_H

#include "text.h"

#define MCP_PAGES_KEPT 16u

typedef struct mcp_page_rest {
    unsigned handle;         /* 0 = none */
    mcp_text text;           /* owned */
    size_t at;               /* told up to here */
    size_t head, head_bytes; /* the heading of the table that `at` is in, to be told again; 0 bytes = none */
} mcp_page_rest;

typedef struct mcp_pages {
    mcp_page_rest rests[MCP_PAGES_KEPT];
    unsigned last; /* handle */
} mcp_pages;

/*
 * Puts as much of `text` into `out` as `most` bytes of a JSON string hold, whole lines where that is possible. Returns
 * the handle of the rest, 0 if there is none. `text` is moved and empty afterwards.
 */
unsigned mcp_pages_begin(mcp_pages *pages, mcp_text *text, size_t most, mcp_text *out);

/* Finds the rest of that handle; NULL when there is none (any more). */
mcp_page_rest *mcp_pages_find(mcp_pages *pages, unsigned handle);

/* The next page of it: its handle if there is more, else 0, and the handle is gone. */
unsigned mcp_pages_next(mcp_page_rest *rest, size_t most, mcp_text *out);

void mcp_pages_release(mcp_pages *pages);

#endif

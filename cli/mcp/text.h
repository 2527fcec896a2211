/*
 * Text that grows up to a bound. What is beyond it is left out and remembered as left out, so that no answer of a heap
 * of any size takes more than its bound.
 */
#ifndef MCP_TEXT_H
#define MCP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/diff.h>
#include <hsdiff/status.h>

typedef struct mcp_text {
    char *data; /* owned; has a NUL behind it as soon as there is something */
    size_t size, capacity;
    size_t most;      /* 0 = MCP_TEXT_MOST */
    bool is_cut;      /* something was left out */
    bool has_no_room; /* there was no memory: what is there is not to be sent */
} mcp_text;

#define MCP_TEXT_MOST ((size_t)256 << 10)

void mcp_put(mcp_text *text, const char *words);
void mcp_put_bytes(mcp_text *text, const char *data, size_t size);
void mcp_put_format(mcp_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A name from a capture, safe to show, at most `most` bytes of it. */
void mcp_put_name(mcp_text *text, hsd_text name, size_t most);

/* A string of JSON with its quotes. */
void mcp_put_string(mcp_text *text, const char *data, size_t size);

/* What mcp_put_string would add between the quotes. */
size_t mcp_string_bytes(const char *data, size_t size);

/* As a writer of reports: the context is the text. HSD_OK, also for what is cut; HSD_E_NOMEM. */
hsd_status mcp_text_write(void *context, const void *data, size_t size, hsd_error *err);

void mcp_text_release(mcp_text *text);

#endif

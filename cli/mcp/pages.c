/*
 * Cutting answers into pages.
 */
#include "pages.h"

#include <string.h>

/* A line with words in capitals at its front is the heading of a table: it goes on to the next blank line. */
static bool is_heading(const char *line, size_t size)
{
    return size > 2 && line[0] >= 'A' && line[0] <= 'Z' && line[1] >= 'A' && line[1] <= 'Z';
}

static size_t line_bytes(const char *text, size_t size)
{
    const char *end = memchr(text, '\n', size);
    return end ? (size_t)(end - text) + 1 : size;
}

/* So much of a line that is longer than a page: no character is cut. */
static size_t fitting_bytes(const char *line, size_t size, size_t most)
{
    size_t fits = size < most ? size : most;
    while (fits > 0 && (mcp_string_bytes(line, fits) > most || ((unsigned char)line[fits] & 0xc0) == 0x80))
        fits--;
    return fits > 0 ? fits : 1;
}

static void follow_heading(mcp_page_rest *rest, const char *line, size_t size)
{
    if (size <= 1)
        rest->head_bytes = 0;
    else if (is_heading(line, size)) {
        rest->head = rest->at;
        rest->head_bytes = size;
    }
}

static void put_page(mcp_page_rest *rest, size_t most, mcp_text *out)
{
    size_t used = 0;
    while (rest->at < rest->text.size) {
        const char *line = rest->text.data + rest->at;
        size_t size = line_bytes(line, rest->text.size - rest->at);
        const size_t bytes = mcp_string_bytes(line, size);
        if (used + bytes > most) {
            if (used > most / 2) return;
            size = fitting_bytes(line, size, most - used);
        }
        used += mcp_string_bytes(line, size);
        follow_heading(rest, line, size);
        mcp_put_bytes(out, line, size);
        rest->at += size;
        if (line[size - 1] != '\n') return;
    }
}

static void drop_rest(mcp_page_rest *rest)
{
    mcp_text_release(&rest->text);
    *rest = (mcp_page_rest){0};
}

static unsigned keep_rest(mcp_page_rest *rest)
{
    while (rest->at < rest->text.size && rest->text.data[rest->at] == '\n') {
        rest->head_bytes = 0;
        rest->at++;
    }
    if (rest->at < rest->text.size) return rest->handle;
    drop_rest(rest);
    return 0;
}

unsigned mcp_pages_begin(mcp_pages *pages, mcp_text *text, size_t most, mcp_text *out)
{
    mcp_page_rest *rest = &pages->rests[(pages->last + 1) % MCP_PAGES_KEPT];
    drop_rest(rest);
    *rest = (mcp_page_rest){.handle = pages->last + 1, .text = *text};
    *text = (mcp_text){0};
    put_page(rest, most, out);
    const unsigned handle = keep_rest(rest);
    if (handle != 0) pages->last = handle;
    return handle;
}

mcp_page_rest *mcp_pages_find(mcp_pages *pages, unsigned handle)
{
    mcp_page_rest *rest = &pages->rests[handle % MCP_PAGES_KEPT];
    return handle != 0 && rest->handle == handle ? rest : NULL;
}

unsigned mcp_pages_next(mcp_page_rest *rest, size_t most, mcp_text *out)
{
    const size_t head = rest->head_bytes < most / 4 ? rest->head_bytes : 0;
    mcp_put_bytes(out, rest->text.data + rest->head, head);
    put_page(rest, most - mcp_string_bytes(rest->text.data + rest->head, head), out);
    return keep_rest(rest);
}

void mcp_pages_release(mcp_pages *pages)
{
    for (size_t i = 0; i < MCP_PAGES_KEPT; i++)
        drop_rest(&pages->rests[i]);
}

/*
 * Text that grows up to a bound.
 */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hsdiff/report.h>

static bool has_room_for(mcp_text *text, size_t more)
{
    const size_t needed = text->size + more + 1;
    if (needed <= text->capacity) return true;
    const size_t capacity = needed < 1024 ? 1024 : needed * 2;
    char *grown = realloc(text->data, capacity);
    if (!grown) {
        text->has_no_room = true;
        return false;
    }
    text->data = grown;
    text->capacity = capacity;
    return true;
}

void mcp_put_bytes(mcp_text *text, const char *data, size_t size)
{
    const size_t most = text->most > 0 ? text->most : MCP_TEXT_MOST;
    if (text->is_cut || size > most - text->size) {
        text->is_cut = true;
        return;
    }
    if (!has_room_for(text, size)) return;
    if (size > 0) memcpy(text->data + text->size, data, size);
    text->size += size;
    text->data[text->size] = 0;
}

void mcp_put(mcp_text *text, const char *words) { mcp_put_bytes(text, words, strlen(words)); }

void mcp_put_format(mcp_text *text, const char *format, ...)
{
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (size > 0) mcp_put_bytes(text, line, (size_t)size < sizeof line ? (size_t)size : sizeof line - 1);
}

/* So many bytes of it that no character is cut. */
static size_t whole_characters(const char *data, size_t size)
{
    while (size > 0 && ((unsigned char)data[size] & 0xc0) == 0x80)
        size--;
    return size;
}

void mcp_put_name(mcp_text *text, hsd_text name, size_t most)
{
    char safe[2048];
    if (most >= sizeof safe) most = sizeof safe - 1;
    const size_t size = hsd_escape_terminal(safe, sizeof safe, name.data, name.size);
    if (size <= most) {
        mcp_put_bytes(text, safe, size);
        return;
    }
    mcp_put_bytes(text, safe, whole_characters(safe, most));
    mcp_put(text, "...");
}

size_t mcp_string_bytes(const char *data, size_t size) { return hsd_escape(HSD_ESCAPE_JSON, data, size, NULL, 0); }

void mcp_put_string(mcp_text *text, const char *data, size_t size)
{
    const size_t bytes = mcp_string_bytes(data, size);
    const size_t most = text->most > 0 ? text->most : MCP_TEXT_MOST;
    if (text->is_cut || bytes + 2 > most - text->size) {
        text->is_cut = true;
        return;
    }
    if (!has_room_for(text, bytes + 2)) return;
    text->data[text->size++] = '"';
    hsd_escape(HSD_ESCAPE_JSON, data, size, text->data + text->size, bytes + 1);
    text->size += bytes;
    text->data[text->size++] = '"';
    text->data[text->size] = 0;
}

hsd_status mcp_text_write(void *context, const void *data, size_t size, hsd_error *err)
{
    mcp_text *text = context;
    mcp_put_bytes(text, data, size);
    return text->has_no_room ? hsd_fail(err, HSD_E_NOMEM, "out of memory: an answer") : HSD_OK;
}

void mcp_text_release(mcp_text *text)
{
    free(text->data);
    *text = (mcp_text){.most = text->most};
}

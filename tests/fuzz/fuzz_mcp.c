/*
 * Messages to the server of the Model Context Protocol, any bytes: what is read as JSON is written again and read to
 * the same values, what is refused says why and where; and any text is cut into pages that together are the text.
 */
#include <stdlib.h>
#include <string.h>

#include "mcp/json.h"
#include "mcp/pages.h"

#define PAGE_BYTES 200u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool is_so)
{
    if (!is_so) abort();
}

/* A copy of exactly so many bytes, so that a sanitizer sees what is read behind them. */
static char *copy_of(const void *data, size_t size)
{
    char *copy = malloc(size > 0 ? size : 1);
    expect(copy != NULL);
    if (size > 0) memcpy(copy, data, size);
    return copy;
}

/* ---- JSON ---- */

static bool has_names(const mcp_json *value) { return value->kind == MCP_JSON_OBJECT; }

static void put_scalar(mcp_text *text, const mcp_json *value)
{
    static const char *const words[] = {"null", "false", "true"};
    if (value->kind == MCP_JSON_STRING)
        mcp_put_string(text, value->text, value->size);
    else if (value->kind == MCP_JSON_NUMBER)
        mcp_put_bytes(text, value->text, value->size);
    else
        mcp_put(text, words[value->kind]);
}

/* All values in their order, brackets where arrays and objects begin and end. */
static void write_again(mcp_text *text, const mcp_message *message)
{
    size_t open[MCP_JSON_DEPTH], depth = 0;
    for (size_t i = 0; i <= message->count; i++) {
        while (depth > 0 && message->values[open[depth - 1]].end == i)
            mcp_put(text, has_names(&message->values[open[--depth]]) ? "}" : "]");
        if (i == message->count) break;
        const mcp_json *value = &message->values[i];
        const bool is_first = depth == 0 || i == open[depth - 1] + 1;
        /* of an object, names and values by turns: a colon behind a name, a comma behind a value */
        size_t place = 0;
        for (size_t at = depth > 0 ? open[depth - 1] + 1 : i; at < i; at = message->values[at].end)
            place++;
        if (!is_first) mcp_put(text, has_names(&message->values[open[depth - 1]]) && place % 2 == 1 ? ":" : ",");
        if (value->kind == MCP_JSON_ARRAY || value->kind == MCP_JSON_OBJECT) {
            expect(depth < MCP_JSON_DEPTH);
            open[depth++] = i;
            mcp_put(text, has_names(value) ? "{" : "[");
        } else {
            put_scalar(text, value);
        }
    }
}

static void check_same(const mcp_message *a, const mcp_message *b)
{
    expect(a->count == b->count);
    for (size_t i = 0; i < a->count; i++) {
        expect(a->values[i].kind == b->values[i].kind && a->values[i].end == b->values[i].end);
        expect(a->values[i].end > i && a->values[i].end <= a->count);
        expect(a->values[i].size == b->values[i].size);
        expect(a->values[i].size == 0 || memcmp(a->values[i].text, b->values[i].text, a->values[i].size) == 0);
        expect(a->values[i].kind != MCP_JSON_STRING || a->values[i].text[a->values[i].size] == 0);
    }
}

static void read_twice(const uint8_t *data, size_t size)
{
    mcp_message message, again;
    hsd_error err;
    hsd_error_init(&err);
    char *bytes = copy_of(data, size);
    if (mcp_message_read(&message, bytes, size, &err) == HSD_OK) {
        mcp_text text = {.most = 16 * size + 4096};
        write_again(&text, &message);
        expect(!text.is_cut);
        expect(mcp_message_read(&again, text.data, text.size, &err) == HSD_OK);
        check_same(&message, &again);
        mcp_message_release(&again);
        mcp_text_release(&text);
    } else {
        expect(err.status == HSD_E_CORRUPT && err.text[0] != 0 && err.offset_bytes <= size);
    }
    mcp_message_release(&message);
    free(bytes);
}

/* ---- pages ---- */

/* What a page adds to what was told: without the heading that it repeats, and without blank lines at an end. */
static void check_page(const mcp_text *page)
{
    expect(page->size > 0);
    expect(mcp_string_bytes(page->data, page->size) <= PAGE_BYTES);
}

static void turn_pages(const uint8_t *data, size_t size)
{
    mcp_pages pages = {0};
    mcp_text text = {0}, page = {0};
    size_t turned = 0;
    mcp_put_bytes(&text, (const char *)data, size);
    if (size == 0 || text.is_cut) {
        mcp_text_release(&text);
        return;
    }
    unsigned handle = mcp_pages_begin(&pages, &text, PAGE_BYTES, &page);
    while (handle != 0) {
        check_page(&page);
        mcp_text_release(&page);
        mcp_page_rest *rest = mcp_pages_find(&pages, handle);
        expect(rest != NULL && ++turned <= size);
        const size_t at = rest->at;
        handle = mcp_pages_next(rest, PAGE_BYTES, &page);
        expect(handle == 0 || rest->at > at);
    }
    mcp_text_release(&page);
    mcp_pages_release(&pages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_twice(data, size);
    turn_pages(data, size);
    return 0;
}

/*
 * more: the next page of an answer, by the handle that its last page named.
 */
#include <stdlib.h>
#include <string.h>

#include "tools.h"

static const char *const arguments[] = {"handle", NULL};

static hsd_status run_more(mcp_call *call, hsd_error *err)
{
    const char *handle;
    HSD_TRY(mcp_take_text(call, "handle", true, &handle, err));
    const size_t size = strlen(handle);
    const bool is_one = handle[0] == 'a' && size > 1 && size < 10 && strspn(handle + 1, "0123456789") == size - 1;
    call->page = is_one ? (unsigned)strtoul(handle + 1, NULL, 10) : 0;
    if (is_one && mcp_pages_find(&call->state->pages, call->page)) return HSD_OK;
    call->page = 0;
    return hsd_fail(err, HSD_E_MISUSE, "there is no handle '%.20s' (any more): the last 16 answers are kept", handle);
}

const mcp_tool mcp_tool_more = {
    .name = "more",
    .title = "Next page",
    .description = "Gives the next page of an answer that ended with a handle such as a3.",
    .schema = "\"handle\":{\"type\":\"string\",\"description\":\"from the end of an answer: a3\"}},"
              "\"required\":[\"handle\"]",
    .arguments = arguments,
    .next = "make the call that gave the handle again",
    .run = run_more,
};

/*
 * From a call to a line that answers it: finds the tool, runs it, and makes one page of what it said, under 4 KB as
 * JSON: the text, what did not fit under a handle, notes, the next calls; a few facts as structuredContent.
 */
#include <stdio.h>
#include <string.h>

#include <hsdiff/report.h>

#include "server.h"

#define FACTS_MOST  700u
#define NEXT_MOST   900u
#define NOTES_MOST  600u
#define MORE_BYTES  80u /* of the line that names the handle, as JSON */
#define PROGRESS_MS 250u
#define LEAST_BYTES 800u /* of text, whatever else there is */

/* ---- while it runs */

static void send_progress(mcp_server *server, mcp_request *request, const char *stage, uint64_t done, uint64_t total)
{
    mcp_text line = {0};
    char message[240];
    const unsigned percent = total > 0 && done <= total ? (unsigned)((double)done * 100 / (double)total) : 0;
    if (total > 0)
        snprintf(message, sizeof message, "%.200s %u %%", stage, percent);
    else
        snprintf(message, sizeof message, "%.200s", stage);
    mcp_put_format(&line,
                   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,"
                   "\"progress\":%u,\"message\":",
                   request->token, ++request->progress);
    mcp_put_string(&line, message, strlen(message));
    mcp_put(&line, "}}");
    mcp_send(server, &line);
    mcp_text_release(&line);
}

bool mcp_tell_progress(void *context, const char *stage, uint64_t done, uint64_t total)
{
    mcp_server *server = context;
    mcp_request *request = server->answered;
    const uint64_t time = mcp_now_ms();
    if (atomic_load(&server->is_over)) return false;
    if (!request) return true;
    if (atomic_load(&request->is_cancelled)) return false;
    if (request->token[0] && time - request->told_ms >= PROGRESS_MS) {
        request->told_ms = time;
        send_progress(server, request, stage, done, total);
    }
    return true;
}

void mcp_take_note(void *context, hsd_note_level level, const char *text)
{
    mcp_text *notes = &((mcp_server *)context)->state.notes;
    if (level == HSD_NOTE_DETAIL) return;
    mcp_put(notes, "Note: ");
    mcp_put_name(notes, (hsd_text){text, strlen(text)}, 300);
    mcp_put(notes, "\n");
}

/* ---- the line */

static void put_part(mcp_text *text, const mcp_text *part, size_t most)
{
    if (part->size > 0 && mcp_string_bytes(part->data, part->size) <= most) mcp_put_bytes(text, part->data, part->size);
}

static size_t bytes_of(const mcp_text *part, size_t most)
{
    const size_t bytes = part->size > 0 ? mcp_string_bytes(part->data, part->size) : 0;
    return bytes <= most ? bytes : 0;
}

static void send_result(mcp_server *server, const mcp_request *request, const mcp_text *text, const mcp_text *facts,
                        bool is_error)
{
    mcp_text line = {0};
    mcp_put_format(&line, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{", request->id);
    mcp_put_envelope(&line, request->is_modern, false);
    mcp_put(&line, "\"content\":[{\"type\":\"text\",\"text\":");
    mcp_put_string(&line, text->data ? text->data : "", text->size);
    mcp_put(&line, "}]");
    if (facts && facts->size > 0) {
        mcp_put(&line, ",\"structuredContent\":{");
        mcp_put_bytes(&line, facts->data, facts->size);
        mcp_put(&line, "}");
    }
    mcp_put_format(&line, ",\"isError\":%s}}", is_error ? "true" : "false");
    mcp_send(server, &line);
    mcp_text_release(&line);
}

static unsigned put_page(mcp_call *call, mcp_text *page, size_t most)
{
    mcp_pages *pages = &call->state->pages;
    if (call->page == 0) return mcp_pages_begin(pages, &call->text, most, page);
    return mcp_pages_next(mcp_pages_find(pages, call->page), most, page);
}

static void send_answer(mcp_server *server, const mcp_request *request, mcp_call *call)
{
    const mcp_text *notes = &call->state->notes;
    mcp_text page = {0};
    if (call->text.is_cut) mcp_put(&call->next, "The answer was longer than hsdiff keeps: ask for less of it.\n");
    if (call->facts.size > FACTS_MOST || call->facts.is_cut) call->facts.size = 0;
    size_t used = (request->is_modern ? 360 : 200) + strlen(request->id) + call->facts.size + MORE_BYTES +
                  bytes_of(notes, NOTES_MOST) + bytes_of(&call->next, NEXT_MOST);
    const size_t most = used + LEAST_BYTES < MCP_ANSWER_BYTES ? MCP_ANSWER_BYTES - used : LEAST_BYTES;
    const unsigned handle = put_page(call, &page, most);
    while (page.size > 0 && page.data[page.size - 1] == '\n')
        page.data[--page.size] = 0;
    mcp_put(&page, "\n");
    if (handle != 0) {
        mcp_put_format(&page, "\n(This goes on: more {\"handle\":\"a%u\"})\n", handle);
        mcp_put_format(&call->facts, "%s\"more\":\"a%u\"", call->facts.size > 0 ? "," : "", handle);
    }
    if ((call->next.size > 0 || notes->size > 0) && handle == 0) mcp_put(&page, "\n");
    put_part(&page, notes, NOTES_MOST);
    put_part(&page, &call->next, NEXT_MOST);
    send_result(server, request, &page, &call->facts, false);
    mcp_text_release(&page);
}

/* ---- failures */

/* "after.hs was cut off", but "after.hs: block 6 is damaged". */
static bool is_about_file(const char *text)
{
    static const char *const verbs[] = {"was ", "is ", "has ", "became ", "cannot be ", "leads "};
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (strncmp(text, verbs[i], strlen(verbs[i])) == 0) return true;
    return false;
}

static void put_hint(mcp_text *text, const mcp_tool *tool, const hsd_error *err)
{
    const char *hint = err->hint[0] ? err->hint : tool->next;
    if (err->status == HSD_E_TRUNCATED || err->status == HSD_E_CORRUPT) {
        mcp_put(text, "Next: the same call with \"partial\":true reads what is there\n");
        return;
    }
    mcp_put(text, strncmp(hint, "--", 2) == 0 ? "Next: start the server with hsdiff mcp " : "Next: ");
    mcp_put_name(text, (hsd_text){hint, strlen(hint)}, 900);
    mcp_put(text, "\n");
}

static void send_failure(mcp_server *server, const mcp_request *request, const mcp_call *call, const mcp_tool *tool,
                         const hsd_error *err)
{
    mcp_text text = {0};
    char number[HSD_NUMBER_CHARS];
    const char *what = err->text[0] ? err->text : hsd_status_name(err->status);
    if (err->file[0]) {
        mcp_put_name(&text, (hsd_text){err->file, strlen(err->file)}, 600);
        mcp_put(&text, is_about_file(what) ? " " : ": ");
    }
    mcp_put_name(&text, (hsd_text){what, strlen(what)}, 600);
    if (err->offset_bytes != HSD_NO_OFFSET && !strstr(what, hsd_format_count(number, err->offset_bytes)))
        mcp_put_format(&text, ", at byte %s", number);
    mcp_put(&text, text.size > 0 && text.data[text.size - 1] == '.' ? "\n" : ".\n");
    put_part(&text, &call->notes_of_error, NOTES_MOST);
    put_part(&text, &call->state->notes, NOTES_MOST);
    put_hint(&text, tool, err);
    send_result(server, request, &text, NULL, true);
    mcp_text_release(&text);
}

/* ---- the call */

static void run_tool(mcp_server *server, mcp_request *request, const mcp_tool *tool)
{
    mcp_state *state = &server->state;
    mcp_call call = {.state = state,
                     .message = &request->message,
                     .arguments = mcp_json_member(&request->message, request->params, "arguments")};
    hsd_error err;
    hsd_error_init(&err);
    state->notes.size = 0;
    state->notes.is_cut = false;
    server->answered = request;
    hsd_status status = mcp_check_arguments(&call, tool->arguments, &err);
    if (status == HSD_OK) status = tool->run(&call, &err);
    if (status == HSD_OK && call.text.has_no_room) status = hsd_fail(&err, HSD_E_NOMEM, "out of memory: an answer");
    const bool is_dropped = atomic_load(&server->is_over) || atomic_load(&request->is_cancelled);
    if (status == HSD_OK && !is_dropped) send_answer(server, request, &call);
    if (status != HSD_OK && !is_dropped) send_failure(server, request, &call, tool, &err);
    server->answered = NULL;
    mcp_text_release(&call.text);
    mcp_text_release(&call.facts);
    mcp_text_release(&call.next);
    mcp_text_release(&call.notes_of_error);
}

void mcp_answer(mcp_server *server, mcp_request *request)
{
    const mcp_json *name = mcp_json_member(&request->message, request->params, "name");
    char text[400];
    for (size_t i = 0; mcp_tool_get(i); i++) {
        const mcp_tool *tool = mcp_tool_get(i);
        if (!mcp_json_is(name, tool->name)) continue;
        if (!tool->captures || server->options->allow_capture) {
            run_tool(server, request, tool);
            return;
        }
        snprintf(text, sizeof text, "%s is off: only hsdiff mcp --allow-capture has it", tool->name);
        mcp_send_error(server, request->id, -32602, text);
        return;
    }
    snprintf(text, sizeof text, "Unknown tool: %.60s; tools/list lists them",
             name && name->kind == MCP_JSON_STRING ? name->text : "(params.name is no string)");
    mcp_send_error(server, request->id, -32602, text);
}

/*
 * The server: one thread reads lines and answers what is asked of the protocol at once, another works on calls, one at
 * a time. So a client can cancel, and is heard while a heap is read.
 *
 *      stdin ──► line, at most 1 MiB ──► message ──┬─► initialize, ping, tools/list ─────────────► stdout
 *                                                  ├─► notifications/cancelled ─► a flag
 *                                                  └─► tools/call ─► queue ─► tool ─► page ────► stdout
 *
 * It ends when standard input does, or nobody reads standard output. What is worked on then has two seconds (of a file
 * as input: all the time it needs), since clients close first and kill later; temporary files have no names.
 */
#include "server.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protocol.h"

#define READ_BYTES  ((size_t)64 << 10)
#define STEP_MS     100
#define PATIENCE_MS 2000u

/* ---- messages */

static void take_call(mcp_server *server, mcp_request *request)
{
    const mcp_json *meta = mcp_json_member(&request->message, request->params, "_meta");
    char id[MCP_ID_BYTES];
    memcpy(id, request->id, sizeof id);
    if (!mcp_copy_id(request->token, mcp_json_member(&request->message, meta, "progressToken"))) request->token[0] = 0;
    if (mcp_queue_put(server, request)) return;
    mcp_request_free(request);
    mcp_send_error(server, id, -32000, "32 calls wait already: ask again when one of them is answered");
}

static void take_notification(mcp_server *server, const mcp_request *request, const mcp_json *method)
{
    char id[MCP_ID_BYTES];
    if (!mcp_json_is(method, "notifications/cancelled")) return;
    if (mcp_copy_id(id, mcp_json_member(&request->message, request->params, "requestId"))) mcp_queue_cancel(server, id);
}

/* True if the request went on to the queue. */
static bool take_method(mcp_server *server, mcp_request *request, const mcp_json *method)
{
    char text[160];
    if (!mcp_take_revision(server, request)) return false;
    if (mcp_json_is(method, "tools/call")) {
        take_call(server, request);
        return true;
    }
    if (mcp_json_is(method, "initialize") && !request->is_modern)
        mcp_send_initialized(server, request);
    else if (mcp_json_is(method, "ping") && !request->is_modern)
        mcp_send_empty(server, request->id);
    else if (mcp_json_is(method, "server/discover"))
        mcp_send_discovered(server, request);
    else if (mcp_json_is(method, "tools/list"))
        mcp_send_tools(server, request);
    else {
        snprintf(text, sizeof text, "there is no method %.60s here: tools/list and tools/call are there", method->text);
        mcp_send_error(server, request->id, -32601, text);
    }
    return false;
}

/* True if the request went on to the queue. */
static bool take_message(mcp_server *server, mcp_request *request)
{
    const mcp_message *message = &request->message;
    const mcp_json *all = &message->values[0], *id = mcp_json_member(message, all, "id"),
                   *method = mcp_json_member(message, all, "method");
    if (all->kind == MCP_JSON_ARRAY) {
        mcp_send_error(server, "null", -32600, "batches are of an older revision: one message a line");
        return false;
    }
    if (!mcp_json_is(mcp_json_member(message, all, "jsonrpc"), "2.0")) {
        mcp_send_error(server, "null", -32600, "the message is no JSON-RPC 2.0");
        return false;
    }
    if (!method && (mcp_json_member(message, all, "result") || mcp_json_member(message, all, "error")))
        return false; /* an answer: nothing was asked */
    if (!method || method->kind != MCP_JSON_STRING || (id && !mcp_copy_id(request->id, id))) {
        mcp_send_error(server, "null", -32600, "the message has no method, or an id that is neither text nor number");
        return false;
    }
    request->params = mcp_json_member(message, all, "params");
    if (id) return take_method(server, request, method);
    take_notification(server, request, method);
    return false;
}

/* `bytes` has a place more than `size`. */
static void take_line(mcp_server *server, const char *bytes, size_t size)
{
    char text[600];
    hsd_error err;
    hsd_error_init(&err);
    while (size > 0 && (bytes[size - 1] == '\r' || bytes[size - 1] == ' '))
        size--;
    if (size == 0) return;
    mcp_request *request = calloc(1, sizeof *request);
    if (request) request->line = malloc(size + 1);
    if (!request || !request->line) {
        mcp_request_free(request);
        mcp_send_error(server, "null", -32603, "out of memory: a message");
        return;
    }
    memcpy(request->line, bytes, size);
    request->line[size] = 0;
    if (mcp_message_read(&request->message, request->line, size, &err) != HSD_OK) {
        snprintf(text, sizeof text, "%.500s, at byte %llu", err.text, (unsigned long long)err.offset_bytes);
        mcp_send_error(server, "null", -32700, text);
    } else if (take_message(server, request)) {
        return;
    }
    mcp_request_free(request);
}

/* ---- lines */

typedef struct input {
    char *bytes; /* MCP_LINE_BYTES and a piece more */
    size_t used;
    bool is_skipping; /* the rest of a line that was too long */
} input;

static void take_bytes(mcp_server *server, input *in)
{
    size_t begin = 0;
    for (char *end; (end = memchr(in->bytes + begin, '\n', in->used - begin)) != NULL;) {
        const size_t size = (size_t)(end - in->bytes) - begin;
        if (!in->is_skipping && size > MCP_LINE_BYTES)
            mcp_send_error(server, "null", -32600, "the message is longer than 1 MiB");
        else if (!in->is_skipping)
            take_line(server, in->bytes + begin, size);
        in->is_skipping = false;
        begin += size + 1;
    }
    memmove(in->bytes, in->bytes + begin, in->used - begin);
    in->used -= begin;
    if (in->used <= MCP_LINE_BYTES) return;
    if (!in->is_skipping) mcp_send_error(server, "null", -32600, "the message is longer than 1 MiB");
    in->is_skipping = true;
    in->used = 0;
}

/* False at the end. */
static bool read_piece(input *in)
{
    struct pollfd from = {.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(&from, 1, STEP_MS) != 1) return true;
    const ssize_t got = read(STDIN_FILENO, in->bytes + in->used, READ_BYTES);
    if (got > 0) in->used += (size_t)got;
    return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

static hsd_status read_lines(mcp_server *server, hsd_error *err)
{
    input in = {.bytes = malloc(MCP_LINE_BYTES + READ_BYTES + 1)};
    if (!in.bytes) return hsd_fail(err, HSD_E_NOMEM, "out of memory: lines of messages");
    while (!mcp_is_over(server) && read_piece(&in))
        take_bytes(server, &in);
    if (in.used > 0 && !in.is_skipping && !mcp_is_over(server)) take_line(server, in.bytes, in.used);
    free(in.bytes);
    return HSD_OK;
}

/* ---- begin and end */

static bool is_input_file(void)
{
    struct stat what;
    return fstat(STDIN_FILENO, &what) == 0 && S_ISREG(what.st_mode);
}

static hsd_status work_and_read(mcp_server *server, hsd_error *err)
{
    pthread_t worker;
    const int error = pthread_create(&worker, NULL, mcp_queue_work, server);
    if (error != 0) return hsd_fail_errno(err, error, "no thread can be started");
    const hsd_status status = read_lines(server, err);
    mcp_queue_end(server, is_input_file() ? 0 : PATIENCE_MS);
    pthread_join(worker, NULL);
    return status;
}

static void prepare_state(mcp_server *server)
{
    mcp_state *state = &server->state;
    state->options = server->options;
    state->run = *server->options->run;
    state->run.progress = mcp_tell_progress;
    state->run.progress_context = server;
    state->run.note = mcp_take_note;
    state->run.note_context = server;
    state->heaps.folders = &state->folders;
    state->heaps.run = &state->run;
    state->notes.most = 2000;
}

static void close_server(mcp_server *server)
{
    for (mcp_request *request = server->first; request;) {
        mcp_request *next = request->next;
        mcp_request_free(request);
        request = next;
    }
    mcp_heaps_close(&server->state.heaps);
    mcp_pages_release(&server->state.pages);
    mcp_text_release(&server->state.notes);
    mcp_folders_close(&server->state.folders);
}

hsd_status mcp_serve(const mcp_options *options, hsd_error *err)
{
    mcp_server server = {.options = options,
                         .lock = PTHREAD_MUTEX_INITIALIZER,
                         .out_lock = PTHREAD_MUTEX_INITIALIZER,
                         .changed = PTHREAD_COND_INITIALIZER};
    prepare_state(&server);
    hsd_status status = mcp_folders_open(&server.state.folders, options->folders, options->folder_count, err);
    if (status == HSD_OK) status = work_and_read(&server, err);
    close_server(&server);
    return status;
}

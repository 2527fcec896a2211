/*
 * Lines out. Nothing waits for a client that does not read, once the server is to end.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "server.h"

#define PIECE_BYTES 4096u /* a pipe that can be written to takes so many without waiting */
#define STEP_MS     100

uint64_t mcp_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

bool mcp_is_over(mcp_server *server)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    if (server->options->is_stopped && server->options->is_stopped()) atomic_store(&server->is_over, true);
    if (poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLNVAL)) != 0) atomic_store(&server->is_over, true);
    return atomic_load(&server->is_over);
}

static void send_bytes(mcp_server *server, const char *data, size_t size)
{
    while (size > 0 && !atomic_load(&server->is_over)) {
        struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
        if (poll(&out, 1, STEP_MS) != 1 || (out.revents & POLLOUT) == 0) {
            (void)mcp_is_over(server);
            continue;
        }
        const ssize_t sent = write(STDOUT_FILENO, data, size < PIECE_BYTES ? size : PIECE_BYTES);
        if (sent < 0 && errno != EINTR && errno != EAGAIN) atomic_store(&server->is_over, true);
        if (sent <= 0) continue;
        data += sent;
        size -= (size_t)sent;
    }
}

void mcp_send(mcp_server *server, const mcp_text *line)
{
    pthread_mutex_lock(&server->out_lock);
    if (!line->has_no_room && !line->is_cut) {
        send_bytes(server, line->data, line->size);
        send_bytes(server, "\n", 1);
    }
    pthread_mutex_unlock(&server->out_lock);
}

void mcp_send_error(mcp_server *server, const char *id, int code, const char *text)
{
    mcp_text line = {0};
    mcp_put_format(&line, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":", id, code);
    mcp_put_string(&line, text, strlen(text));
    mcp_put(&line, "}}");
    mcp_send(server, &line);
    mcp_text_release(&line);
}

bool mcp_copy_id(char out[MCP_ID_BYTES], const mcp_json *value)
{
    mcp_text text = {.most = MCP_ID_BYTES - 1};
    if (!value || (value->kind != MCP_JSON_STRING && value->kind != MCP_JSON_NUMBER)) return false;
    if (value->kind == MCP_JSON_STRING)
        mcp_put_string(&text, value->text, value->size);
    else
        mcp_put_bytes(&text, value->text, value->size);
    const bool fits = text.size > 0 && !text.is_cut && !text.has_no_room;
    if (fits) memcpy(out, text.data, text.size + 1);
    mcp_text_release(&text);
    return fits;
}

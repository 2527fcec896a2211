#define _GNU_SOURCE
/*
 * The client of an inspector: two loopback connections, one for the list of targets and one that becomes a WebSocket.
 * See inspector_connection.h.
 */
#include "live/node/inspector_connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fail.h"
#include "live/connect.h"

enum { COMMAND_MAX = 2048, BODY_MAX = 1 << 20, BUFFER_BYTES = 65536, GOODBYE_MS = 1000 };

static hsd_status fail_to_connect(const hsd_process_facts *facts, hsd_inspector_port port, int error, hsd_error *err)
{
    const bool is_down = error == ENETUNREACH && !facts->is_same_network;
    if (error != ECONNREFUSED && !is_down)
        return hsd_fail_errno(err, error, "cannot connect to the inspector at port %u", port.port);
    hsd_fail(err, HSD_E_IO,
             is_down ? "the inspector at port %u cannot be reached: the loopback of its network namespace is down"
                     : "the inspector does not listen at port %u any more",
             port.port);
    if (is_down) hsd_error_set_hint(err, "nsenter -t %ld -n ip link set lo up", facts->pid);
    if (err != NULL) err->sys_errno = error;
    return HSD_E_IO;
}

static hsd_status open_loopback(int *out, const hsd_process_facts *facts, hsd_inspector_port port, hsd_error *err)
{
    const struct sockaddr_in v4 = {
        .sin_family = AF_INET, .sin_port = htons(port.port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const struct sockaddr_in6 v6 = {
        .sin6_family = AF_INET6, .sin6_port = htons(port.port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    const int error = port.is_v6 ? hsd_connect_in(out, facts, (const struct sockaddr *)&v6, sizeof v6)
                                 : hsd_connect_in(out, facts, (const struct sockaddr *)&v4, sizeof v4);
    return error == 0 ? HSD_OK : fail_to_connect(facts, port, error, err);
}

static hsd_status send_all(int fd, const void *bytes, size_t size, hsd_error *err)
{
    const char *at = bytes;
    while (size > 0) {
        const ssize_t n = send(fd, at, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return hsd_fail_errno(err, errno, "cannot ask the inspector");
        at += n;
        size -= (size_t)n;
    }
    return HSD_OK;
}

/* *got 0 at the end. */
static hsd_status receive_inspector_connection(const hsd_inspector_connection *connection, int fd, char *buffer,
                                               size_t size, size_t *got, hsd_error *err)
{
    for (;;) {
        HSD_TRY(connection->wait(connection->wait_context, fd, err));
        const ssize_t n = recv(fd, buffer, size, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno != ECONNRESET) return hsd_fail_errno(err, errno, "cannot read from the inspector");
        *got = n < 0 ? 0 : (size_t)n;
        return HSD_OK;
    }
}

static hsd_status gone(hsd_error *err) { return hsd_fail(err, HSD_E_TRUNCATED, "the inspector went away"); }

/* Sends a request and reads the head of the answer, byte after byte, so that what follows it stays in the socket. */
static hsd_status ask_inspector_connection(const hsd_inspector_connection *connection, int fd, const char *request,
                                           hsd_http_head *head, hsd_error *err)
{
    head->size = 0;
    head->is_whole = false;
    HSD_TRY(send_all(fd, request, strlen(request), err));
    while (!head->is_whole) {
        char byte;
        size_t got = 0, used;
        HSD_TRY(receive_inspector_connection(connection, fd, &byte, 1, &got, err));
        if (got == 0) return gone(err);
        HSD_TRY(hsd_http_head_feed(head, &byte, 1, &used, err));
    }
    return HSD_OK;
}

static hsd_status read_list(const hsd_inspector_connection *connection, int fd, size_t body, hsd_inspector_list *list,
                            hsd_error *err)
{
    char buffer[4096];
    while (body > 0 && list->path[0] == '\0') {
        size_t got = 0;
        HSD_TRY(receive_inspector_connection(connection, fd, buffer, body < sizeof buffer ? body : sizeof buffer, &got,
                                             err));
        if (got == 0) return gone(err);
        HSD_TRY(hsd_inspector_list_feed(list, buffer, got, err));
        body -= got;
    }
    return HSD_OK;
}

static hsd_status not_an_inspector(hsd_inspector_port port, hsd_error *err)
{
    return hsd_fail(err, HSD_E_NOT_THIS_FORMAT, "what listens at port %u is no inspector", port.port);
}

static hsd_status find_target(const hsd_inspector_connection *connection, hsd_inspector_port port,
                              char path[HSD_INSPECTOR_PATH_MAX], hsd_http_head *head, hsd_error *err)
{
    char request[256], length[16];
    hsd_inspector_list *list = malloc(sizeof *list);
    int fd = -1;
    if (list == NULL) return hsd_fail_nomem(err, "a list");
    hsd_inspector_list_init(list);
    snprintf(request, sizeof request, "GET /json/list HTTP/1.1\r\nHost: localhost:%u\r\nConnection: close\r\n\r\n",
             port.port);
    hsd_status status = open_loopback(&fd, connection->facts, port, err);
    if (status == HSD_OK) status = ask_inspector_connection(connection, fd, request, head, err);
    if (status == HSD_OK) {
        char *end = length;
        const bool has_length =
            hsd_http_status(head) == 200 && hsd_http_header(head, "content-length", length, sizeof length);
        const unsigned long body = has_length ? strtoul(length, &end, 10) : 0;
        status = body == 0 || body > BODY_MAX || *end != '\0' ? not_an_inspector(port, err)
                                                              : read_list(connection, fd, body, list, err);
    }
    if (status == HSD_OK && list->path[0] == '\0') status = not_an_inspector(port, err);
    if (status == HSD_OK) memcpy(path, list->path, HSD_INSPECTOR_PATH_MAX);
    if (fd >= 0) close(fd);
    free(list);
    return status;
}

static hsd_status upgrade(hsd_inspector_connection *connection, hsd_inspector_port port, const char *path,
                          hsd_http_head *head, hsd_error *err)
{
    char request[512], accept[64];
    snprintf(request, sizeof request,
             "GET %s HTTP/1.1\r\nHost: localhost:%u\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
             "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " HSD_WEBSOCKET_KEY "\r\n\r\n",
             path, port.port);
    HSD_TRY(open_loopback(&connection->fd, connection->facts, port, err));
    HSD_TRY(hsd_inspector_keep(&connection->keeper, connection->fd, err));
    HSD_TRY(ask_inspector_connection(connection, connection->fd, request, head, err));
    if (hsd_http_status(head) != 101 || !hsd_http_header(head, "sec-websocket-accept", accept, sizeof accept) ||
        strcmp(accept, HSD_WEBSOCKET_ACCEPT) != 0)
        return not_an_inspector(port, err);
    return HSD_OK;
}

static hsd_status send_frame(const hsd_inspector_connection *connection, unsigned opcode, const void *payload,
                             size_t size, hsd_error *err)
{
    uint8_t frame[COMMAND_MAX + HSD_WEBSOCKET_HEAD_MAX], mask[4] = {0};
    if (getrandom(mask, sizeof mask, GRND_NONBLOCK) != (ssize_t)sizeof mask) memset(mask, 0x5A, sizeof mask);
    return send_all(connection->fd, frame, hsd_websocket_frame(frame, opcode, payload, size, mask), err);
}

static hsd_status pass_chunk(void *context, const char *bytes, size_t size, hsd_error *err)
{
    const hsd_inspector_connection *connection = context;
    if (connection->chunk != NULL) return connection->chunk(connection->chunk_context, bytes, size, err);
    return hsd_fail(err, HSD_E_CORRUPT, "the inspector sends a snapshot that nobody asked for");
}

static hsd_status pong(void *context, const void *bytes, size_t size, hsd_error *err)
{
    return send_frame(context, HSD_WEBSOCKET_PONG, bytes, size, err);
}

static void close_both(hsd_inspector_connection *connection)
{
    hsd_inspector_keeper_close(&connection->keeper);
    if (connection->fd >= 0) close(connection->fd);
    connection->fd = -1;
}

static void set_wait(hsd_inspector_connection *connection, hsd_inspector_wait_fn wait, void *wait_context)
{
    connection->wait = wait;
    connection->wait_context = wait_context;
}

hsd_status hsd_inspector_ask(hsd_inspector_connection *connection, hsd_inspector_port port, hsd_inspector_wait_fn wait,
                             void *wait_context, hsd_error *err)
{
    char path[HSD_INSPECTOR_PATH_MAX];
    hsd_http_head *head = calloc(1, sizeof *head);
    if (head == NULL) return hsd_fail_nomem(err, "an answer");
    set_wait(connection, wait, wait_context);
    const hsd_status status = find_target(connection, port, path, head, err);
    free(head);
    return status;
}

hsd_status hsd_inspector_connect(hsd_inspector_connection *connection, hsd_inspector_port port,
                                 hsd_inspector_wait_fn wait, void *wait_context, hsd_error *err)
{
    char path[HSD_INSPECTOR_PATH_MAX];
    hsd_http_head *head = calloc(1, sizeof *head);
    connection->fd = connection->keeper.pipe = -1;
    connection->is_asked = false;
    connection->chunk = NULL;
    set_wait(connection, wait, wait_context);
    if (head == NULL) return hsd_fail_nomem(err, "an answer");
    hsd_inspector_init(&connection->messages,
                       &(hsd_inspector_receiver){.chunk = pass_chunk, .ping = pong, .context = connection});
    hsd_status status = find_target(connection, port, path, head, err);
    if (status == HSD_OK) status = upgrade(connection, port, path, head, err);
    free(head);
    if (status != HSD_OK) close_both(connection);
    return status;
}

/* Reads until `answered` is `id`, or, if that is not NULL, until `has_ended`. */
static hsd_status read_until(hsd_inspector_connection *connection, const uint64_t *answered, unsigned id,
                             const bool *has_ended, hsd_error *err)
{
    char *buffer = malloc(BUFFER_BYTES);
    hsd_status status = buffer == NULL ? hsd_fail_nomem(err, "messages") : HSD_OK;
    while (status == HSD_OK && *answered != id && (has_ended == NULL || !*has_ended)) {
        size_t got = 0;
        status = receive_inspector_connection(connection, connection->fd, buffer, BUFFER_BYTES, &got, err);
        if (status == HSD_OK) status = hsd_inspector_feed(&connection->messages, buffer, got, err);
        if (status == HSD_OK && *answered != id && (got == 0 || connection->messages.socket.is_closed))
            status = gone(err);
    }
    free(buffer);
    return status;
}

hsd_status hsd_inspector_call(hsd_inspector_connection *connection, unsigned id, const char *method, const char *params,
                              hsd_error *err)
{
    char text[COMMAND_MAX];
    hsd_inspector *messages = &connection->messages;
    const int size = snprintf(text, sizeof text, "{\"id\":%u,\"method\":\"%s\",\"params\":{%s}}", id, method, params);
    if (size < 0 || (size_t)size >= sizeof text) return hsd_fail(err, HSD_E_MISUSE, "a command is too long");
    messages->has_failed = false;
    messages->failure_size = messages->value_size = 0;
    connection->is_asked = true;
    HSD_TRY(send_frame(connection, HSD_WEBSOCKET_TEXT, text, (size_t)size, err));
    HSD_TRY(read_until(connection, &messages->answered, id, NULL, err));
    connection->is_asked = false;
    return messages->has_failed
               ? hsd_fail(err, HSD_E_UNSUPPORTED, "the inspector refuses %s: %s", method, messages->failure)
               : HSD_OK;
}

hsd_status hsd_inspector_find_workers(hsd_inspector_connection *connection, unsigned id, hsd_inspector_worker *workers,
                                      hsd_error *err)
{
    connection->messages.workers = workers;
    connection->messages.worker_count = 0;
    return hsd_inspector_call(connection, id, "NodeWorker.enable", "\"waitForDebuggerOnStart\":false", err);
}

/* The message goes out as a text in one to the main thread, and so does its answer come. */
static hsd_status ask_worker(hsd_inspector_connection *connection, unsigned id, const hsd_inspector_worker *worker,
                             const char *method, hsd_error *err)
{
    char params[COMMAND_MAX / 2];
    hsd_inspector *messages = &connection->messages;
    snprintf(params, sizeof params, "\"sessionId\":\"%s\",\"message\":\"{\\\"id\\\":%u,\\\"method\\\":\\\"%s\\\"}\"",
             worker->session, id + 1, method);
    HSD_TRY(hsd_inspector_call(connection, id, "NodeWorker.sendMessageToWorker", params, err));
    connection->is_asked = true;
    HSD_TRY(read_until(connection, &messages->worker->answered, id + 1, &worker->has_ended, err));
    connection->is_asked = false;
    if (messages->worker->answered != id + 1) return HSD_END;
    return messages->worker->has_failed ? hsd_fail(err, HSD_E_UNSUPPORTED, "the inspector of worker %u refuses %s: %s",
                                                   worker->thread, method, messages->worker->failure)
                                        : HSD_OK;
}

hsd_status hsd_inspector_call_worker(hsd_inspector_connection *connection, unsigned id,
                                     const hsd_inspector_worker *worker, const char *method, hsd_error *err)
{
    hsd_inspector *messages = malloc(sizeof *messages);
    if (messages == NULL) return hsd_fail_nomem(err, "messages of a worker");
    hsd_inspector_init(messages, &(hsd_inspector_receiver){.chunk = pass_chunk, .ping = pong, .context = connection});
    connection->messages.worker = messages;
    connection->messages.worker_session = worker->session;
    const hsd_status status = worker->has_ended ? HSD_END : ask_worker(connection, id, worker, method, err);
    connection->messages.worker = NULL;
    free(messages);
    return status;
}

/* What comes until the other side closes: it has nothing left to say. */
static void read_goodbye(const hsd_inspector_connection *connection)
{
    char rest[4096];
    struct pollfd ready = {.fd = connection->fd, .events = POLLIN};
    while (poll(&ready, 1, GOODBYE_MS) > 0 && recv(connection->fd, rest, sizeof rest, 0) > 0)
        continue;
}

void hsd_inspector_close(hsd_inspector_connection *connection)
{
    static const uint8_t normal[2] = {1000 >> 8, 1000 & 0xFF};
    if (connection->fd < 0) return;
    if (!connection->is_asked && send_frame(connection, HSD_WEBSOCKET_CLOSE, normal, sizeof normal, NULL) == HSD_OK) {
        read_goodbye(connection);
        hsd_inspector_keeper_dismiss(&connection->keeper);
    }
    close_both(connection);
}

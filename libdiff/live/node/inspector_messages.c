/*
 * The bytes of an inspector, read without trust. See inspector_messages.h.
 */
#include "live/node/inspector_messages.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- HTTP ---- */

hsd_status hsd_http_head_feed(hsd_http_head *head, const void *bytes, size_t size, size_t *used, hsd_error *err)
{
    static const char begin[] = "HTTP/1.", end[] = "\r\n\r\n";
    const char *from = bytes;
    for (*used = 0; *used < size && !head->is_whole; ++*used) {
        if (head->size == HSD_HTTP_HEAD_MAX) return hsd_fail(err, HSD_E_CORRUPT, "no HTTP: a head of more than 8 KiB");
        if (from[*used] == '\0' || (head->size < sizeof begin - 1 && from[*used] != begin[head->size]))
            return hsd_fail(err, HSD_E_CORRUPT, "no HTTP: it does not begin so");
        head->text[head->size++] = from[*used];
        head->is_whole = head->size >= 4 && memcmp(head->text + head->size - 4, end, 4) == 0;
    }
    head->text[head->size] = '\0';
    return HSD_OK;
}

unsigned hsd_http_status(const hsd_http_head *head)
{
    const char *at = head->is_whole ? strchr(head->text, ' ') : NULL;
    if (at == NULL) return 0;
    unsigned status = 0;
    for (int i = 1; i <= 3; i++) {
        if (at[i] < '0' || at[i] > '9') return 0;
        status = status * 10 + (unsigned)(at[i] - '0');
    }
    return status;
}

bool hsd_http_header(const hsd_http_head *head, const char *name, char *out, size_t size)
{
    const size_t length = strlen(name);
    for (const char *line = strstr(head->text, "\r\n"); line != NULL; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, length) != 0 || line[length] != ':') continue;
        const char *at = line + length + 1, *end = strstr(at, "\r\n");
        if (end == NULL) return false;
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
            end--;
        if ((size_t)(end - at) >= size) return false;
        memcpy(out, at, (size_t)(end - at));
        out[end - at] = '\0';
        return true;
    }
    return false;
}

/* ---- the list of targets ---- */

static hsd_status skip_number(void *context, const hsd_json *json, uint64_t value, hsd_error *err)
{
    (void)context, (void)json, (void)value, (void)err;
    return HSD_OK;
}

/* "ws://127.0.0.1:9229/ID": only ID is taken, and only of characters that need no escape. Where to connect is known
 * already. */
static void take_url(hsd_inspector_list *list)
{
    static const char scheme[] = "ws://";
    list->url[list->url_size] = '\0';
    if (list->path[0] != '\0' || strncmp(list->url, scheme, sizeof scheme - 1) != 0) return;
    const char *path = strchr(list->url + sizeof scheme - 1, '/');
    if (path == NULL || path[1] == '\0' || strlen(path) >= sizeof list->path) return;
    if (strspn(path, "/0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_.") != strlen(path)) return;
    memcpy(list->path, path, strlen(path) + 1);
}

static hsd_status list_text(void *context, const hsd_json *json, const char *bytes, size_t size, bool is_last,
                            hsd_error *err)
{
    hsd_inspector_list *list = context;
    (void)err;
    if (json->depth != 2 || strcmp(json->keys[2], "webSocketDebuggerUrl") != 0) return HSD_OK;
    const size_t room = sizeof list->url - 1 - list->url_size;
    if (size <= room) {
        memcpy(list->url + list->url_size, bytes, size);
        list->url_size += size;
        if (is_last) take_url(list);
    }
    if (is_last || size > room) list->url_size = 0;
    return HSD_OK;
}

void hsd_inspector_list_init(hsd_inspector_list *list)
{
    *list = (hsd_inspector_list){.url_size = 0};
    hsd_json_init(&list->json, &(hsd_json_receiver){.text = list_text, .number = skip_number, .context = list});
}

hsd_status hsd_inspector_list_feed(hsd_inspector_list *list, const void *bytes, size_t size, hsd_error *err)
{
    return hsd_json_feed(&list->json, bytes, size, err);
}

/* ---- messages ---- */

/* Appends as much as fits: all three are for people or of known size. */
static void keep_inspector_message(char *out, size_t *size, size_t room, const char *bytes, size_t count)
{
    const size_t part = count < room - 1 - *size ? count : room - 1 - *size;
    memcpy(out + *size, bytes, part);
    *size += part;
    out[*size] = '\0';
}

static hsd_status take_chunk(hsd_inspector *inspector, const char *bytes, size_t size, hsd_error *err)
{
    if (strcmp(inspector->method, "HeapProfiler.addHeapSnapshotChunk") != 0)
        return hsd_fail(err, HSD_E_CORRUPT, "a piece of a snapshot stands before the name of its message");
    return size == 0 ? HSD_OK : inspector->to.chunk(inspector->to.context, bytes, size, err);
}

static bool is_at_third(const hsd_json *json, const char *first, const char *second, const char *third)
{
    return json->depth == 3 && strcmp(json->keys[1], first) == 0 && strcmp(json->keys[2], second) == 0 &&
           strcmp(json->keys[3], third) == 0;
}

/* ---- workers: "[worker 3]" or "[worker 3] its name", and their own messages as texts in those of the main thread ----
 */

static hsd_status end_message(hsd_inspector *in, hsd_error *err);

static hsd_status take_from_worker(hsd_inspector *in, const char *bytes, size_t size, bool is_last, hsd_error *err)
{
    if (strcmp(in->method, "NodeWorker.receivedMessageFromWorker") != 0 || in->worker == NULL ||
        strcmp(in->session, in->worker_session) != 0)
        return HSD_OK;
    HSD_TRY(hsd_json_feed(&in->worker->json, bytes, size, err));
    return is_last ? end_message(in->worker, err) : HSD_OK;
}

static uint32_t thread_of(const char *title)
{
    static const char begin[] = "[worker ";
    uint64_t thread = 0;
    if (strncmp(title, begin, sizeof begin - 1) != 0) return 0;
    for (const char *at = title + sizeof begin - 1; *at >= '0' && *at <= '9' && thread <= UINT16_MAX; at++)
        thread = thread * 10 + (uint64_t)(*at - '0');
    return (uint32_t)thread;
}

static bool is_session(const hsd_inspector *in)
{
    return in->session_size > 0 && strspn(in->session, "0123456789") == in->session_size;
}

/* A message about a worker has been read. */
static void note_worker(hsd_inspector *in)
{
    if (in->workers == NULL || !is_session(in)) return;
    if (strcmp(in->method, "NodeWorker.attachedToWorker") == 0 && in->worker_count < HSD_INSPECTOR_WORKERS_MAX) {
        hsd_inspector_worker *worker = &in->workers[in->worker_count++];
        *worker = (hsd_inspector_worker){.thread = thread_of(in->title)};
        memcpy(worker->session, in->session, in->session_size + 1);
    }
    for (size_t i = 0; i < in->worker_count && strcmp(in->method, "NodeWorker.detachedFromWorker") == 0; i++)
        in->workers[i].has_ended |= strcmp(in->workers[i].session, in->session) == 0;
}

static hsd_status message_text(void *context, const hsd_json *json, const char *bytes, size_t size, bool is_last,
                               hsd_error *err)
{
    hsd_inspector *in = context;
    if (hsd_json_is_at(json, "params", "chunk")) return take_chunk(in, bytes, size, err);
    if (hsd_json_is_at(json, "method", NULL))
        keep_inspector_message(in->method, &in->method_size, sizeof in->method, bytes, size);
    if (hsd_json_is_at(json, "error", "message")) {
        in->has_failed = true;
        keep_inspector_message(in->failure, &in->failure_size, sizeof in->failure, bytes, size);
    }
    if (hsd_json_is_at(json, "params", "message")) return take_from_worker(in, bytes, size, is_last, err);
    if (hsd_json_is_at(json, "params", "sessionId"))
        keep_inspector_message(in->session, &in->session_size, sizeof in->session, bytes, size);
    if (is_at_third(json, "params", "workerInfo", "title"))
        keep_inspector_message(in->title, &in->title_size, sizeof in->title, bytes, size);
    if (is_at_third(json, "result", "result", "value"))
        keep_inspector_message(in->value, &in->value_size, sizeof in->value, bytes, size);
    return HSD_OK;
}

static hsd_status message_number(void *context, const hsd_json *json, uint64_t value, hsd_error *err)
{
    hsd_inspector *in = context;
    (void)err;
    if (hsd_json_is_at(json, "id", NULL)) in->id = value;
    return HSD_OK;
}

static void begin_message(hsd_inspector *in)
{
    in->method_size = 0;
    in->method[0] = '\0';
    in->session_size = in->title_size = 0;
    in->session[0] = in->title[0] = '\0';
    in->id = 0;
}

static hsd_status end_message(hsd_inspector *in, hsd_error *err)
{
    HSD_TRY(hsd_json_end(&in->json, err));
    if (in->id != 0) in->answered = in->id;
    note_worker(in);
    begin_message(in);
    return HSD_OK;
}

static hsd_status message_data(void *context, const void *bytes, size_t size, bool is_last, hsd_error *err)
{
    hsd_inspector *in = context;
    HSD_TRY(hsd_json_feed(&in->json, bytes, size, err));
    return is_last ? end_message(in, err) : HSD_OK;
}

static hsd_status message_ping(void *context, const void *bytes, size_t size, hsd_error *err)
{
    hsd_inspector *in = context;
    return in->to.ping(in->to.context, bytes, size, err);
}

void hsd_inspector_init(hsd_inspector *inspector, const hsd_inspector_receiver *to)
{
    memset(inspector, 0, sizeof *inspector);
    inspector->to = *to;
    hsd_websocket_init(&inspector->socket,
                       &(hsd_websocket_receiver){.data = message_data, .ping = message_ping, .context = inspector});
    hsd_json_init(&inspector->json,
                  &(hsd_json_receiver){.text = message_text, .number = message_number, .context = inspector});
}

hsd_status hsd_inspector_feed(hsd_inspector *inspector, const void *bytes, size_t size, hsd_error *err)
{
    return hsd_websocket_feed(&inspector->socket, bytes, size, err);
}

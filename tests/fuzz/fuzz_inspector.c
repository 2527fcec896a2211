/*
 * An inspector that means harm: the head of an HTTP answer, the list of targets, frames of a WebSocket with messages in
 * them, and the line of metrics of the helper. The last byte chooses which, and how large the pieces are in which the
 * input comes. However it is cut the same must come out: each input is read twice, whole and in pieces.
 */
#include <stdlib.h>
#include <string.h>

#include "live/node/inspector_messages.h"
#include "live/node/node_process.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct outcome {
    hsd_status status;
    uint64_t bytes, sum, pings, answered, offset;
    char path[HSD_INSPECTOR_PATH_MAX];
    bool has_failed;
} outcome;

static hsd_status take_chunk(void *context, const char *bytes, size_t size, hsd_error *err)
{
    outcome *out = context;
    (void)err;
    if (size > HSD_JSON_PIECE) abort();
    for (size_t i = 0; i < size; i++)
        out->sum = out->sum * 31 + (unsigned char)bytes[i];
    out->bytes += size;
    return HSD_OK;
}

static hsd_status take_ping(void *context, const void *bytes, size_t size, hsd_error *err)
{
    outcome *out = context;
    (void)err;
    if (size > HSD_WEBSOCKET_CONTROL_MAX) abort();
    for (size_t i = 0; i < size; i++)
        out->sum = out->sum * 31 + ((const uint8_t *)bytes)[i];
    out->pings++;
    return HSD_OK;
}

static hsd_status read_head(outcome *out, const uint8_t *data, size_t size, size_t piece, hsd_error *err)
{
    static hsd_http_head head;
    char value[64];
    memset(&head, 0, sizeof head);
    for (size_t at = 0; at < size && !head.is_whole; at += piece) {
        size_t used;
        HSD_TRY(hsd_http_head_feed(&head, data + at, piece < size - at ? piece : size - at, &used, err));
        out->bytes += used;
    }
    if (!head.is_whole) return HSD_E_TRUNCATED;
    out->answered = hsd_http_status(&head);
    if (hsd_http_header(&head, "content-length", value, sizeof value)) out->pings = strlen(value) + 1;
    return HSD_OK;
}

static hsd_status read_list(outcome *out, const uint8_t *data, size_t size, size_t piece, hsd_error *err)
{
    static hsd_inspector_list list;
    hsd_inspector_list_init(&list);
    hsd_status status = HSD_OK;
    for (size_t at = 0; at < size && status == HSD_OK; at += piece)
        status = hsd_inspector_list_feed(&list, data + at, piece < size - at ? piece : size - at, err);
    memcpy(out->path, list.path, sizeof out->path);
    if (strpbrk(out->path, "\r\n ") != NULL) abort();
    return status;
}

static hsd_status read_frames(outcome *out, const uint8_t *data, size_t size, size_t piece, hsd_error *err)
{
    static hsd_inspector inspector, worker;
    static hsd_inspector_worker workers[HSD_INSPECTOR_WORKERS_MAX];
    hsd_inspector_init(&inspector, &(hsd_inspector_receiver){.chunk = take_chunk, .ping = take_ping, .context = out});
    hsd_inspector_init(&worker, &(hsd_inspector_receiver){.chunk = take_chunk, .ping = take_ping, .context = out});
    inspector.workers = workers;
    inspector.worker = &worker;
    inspector.worker_session = "1";
    hsd_status status = HSD_OK;
    for (size_t at = 0; at < size && status == HSD_OK; at += piece)
        status = hsd_inspector_feed(&inspector, data + at, piece < size - at ? piece : size - at, err);
    if (inspector.worker_count > HSD_INSPECTOR_WORKERS_MAX) abort();
    for (size_t i = 0; i < inspector.worker_count; i++)
        if (strspn(workers[i].session, "0123456789") != strlen(workers[i].session)) abort();
    out->answered = inspector.answered + worker.answered + inspector.worker_count;
    out->has_failed = inspector.has_failed;
    if (strlen(inspector.failure) >= sizeof inspector.failure || strlen(inspector.value) > inspector.value_size)
        abort();
    return status;
}

static hsd_status read_metrics(outcome *out, const uint8_t *data, size_t size, size_t piece, hsd_error *err)
{
    hsd_node_metrics metrics = {.build_ns = 0};
    hsd_origin_metric list[HSD_IMPORT_METRICS_MAX];
    (void)piece;
    const hsd_status status = hsd_node_metrics_read(&metrics, (const char *)data, size, err);
    out->bytes = hsd_node_metrics_list(&metrics, list, HSD_IMPORT_METRICS_MAX);
    if (strlen(metrics.failure) != metrics.failure_size || metrics.failure_size >= sizeof metrics.failure) abort();
    return status;
}

static outcome read_as(unsigned choice, const uint8_t *data, size_t size, size_t piece)
{
    outcome out = {.bytes = 0};
    hsd_error err;
    hsd_error_init(&err);
    switch (choice & 3) {
    case 0: out.status = read_frames(&out, data, size, piece, &err); break;
    case 1: out.status = read_head(&out, data, size, piece, &err); break;
    case 2: out.status = read_list(&out, data, size, piece, &err); break;
    default: out.status = read_metrics(&out, data, size, piece, &err); break;
    }
    if (out.status == HSD_E_MISUSE) abort();
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    const unsigned choice = data[--size];
    const outcome whole = read_as(choice, data, size, size == 0 ? 1 : size),
                  pieces = read_as(choice, data, size, 1 + (choice >> 2) % 7);
    if (whole.status != pieces.status || strcmp(whole.path, pieces.path) != 0) abort();
    if (whole.status == HSD_OK &&
        (whole.bytes != pieces.bytes || whole.sum != pieces.sum || whole.pings != pieces.pings ||
         whole.answered != pieces.answered || whole.has_failed != pieces.has_failed))
        abort();
    return 0;
}

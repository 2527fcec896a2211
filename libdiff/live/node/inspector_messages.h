/*
 * What an inspector sends, from its first bytes to the pieces of the snapshot: the head of an HTTP answer, the list of
 * targets, and messages over a WebSocket. All of it without a descriptor, in bounded memory, from pieces of any size:
 * see fuzz_inspector.c.
 */
#ifndef HSD_LIVE_INSPECTOR_MESSAGES_H
#define HSD_LIVE_INSPECTOR_MESSAGES_H

#include "live/node/json_events.h"
#include "live/node/websocket.h"

enum {
    HSD_HTTP_HEAD_MAX = 8192,
    HSD_INSPECTOR_PATH_MAX = 128,
    HSD_INSPECTOR_VALUE_MAX = 8192,
    HSD_INSPECTOR_SESSION_MAX = 24,
    HSD_INSPECTOR_TITLE_MAX = 32,
    HSD_INSPECTOR_WORKERS_MAX = 255
};

/* ---- HTTP ---- */

typedef struct hsd_http_head {
    char text[HSD_HTTP_HEAD_MAX + 1]; /* ends in a NUL once whole */
    size_t size;
    bool is_whole;
} hsd_http_head;

/* Takes bytes up to the empty line that ends a head; *used says how many. HSD_E_CORRUPT: too long, or no HTTP. */
hsd_status hsd_http_head_feed(hsd_http_head *head, const void *bytes, size_t size, size_t *used, hsd_error *err);
unsigned hsd_http_status(const hsd_http_head *head); /* 200; 0 = none */
/* The value of a header, without spaces around it; false if it is not there or longer. */
bool hsd_http_header(const hsd_http_head *head, const char *name, char *out, size_t size);

/* ---- the list of targets ---- */

typedef struct hsd_inspector_list {
    hsd_json json;
    char url[256];
    size_t url_size;
    char path[HSD_INSPECTOR_PATH_MAX]; /* of the first target: "/8f3c…"; "" = none so far */
} hsd_inspector_list;

void hsd_inspector_list_init(hsd_inspector_list *list);
hsd_status hsd_inspector_list_feed(hsd_inspector_list *list, const void *bytes, size_t size, hsd_error *err);

/* ---- messages ---- */

typedef struct hsd_inspector_receiver {
    /* of the snapshot, in order */
    hsd_status (*chunk)(void *context, const char *bytes, size_t size, hsd_error *err);
    hsd_status (*ping)(void *context, const void *bytes, size_t size, hsd_error *err);
    void *context;
} hsd_inspector_receiver;

/* A worker thread of Node, of which the inspector tells behind NodeWorker.enable. */
typedef struct hsd_inspector_worker {
    char session[HSD_INSPECTOR_SESSION_MAX]; /* digits */
    uint32_t thread;
    bool has_ended;
} hsd_inspector_worker;

typedef struct hsd_inspector {
    hsd_inspector_receiver to;
    hsd_websocket socket;
    hsd_json json;
    char method[64], failure[256], value[HSD_INSPECTOR_VALUE_MAX];
    size_t method_size, failure_size, value_size; /* value: the text that an evaluation gave; the last one */
    uint64_t id;                                  /* of the message that is read, 0 = an event */
    uint64_t answered;                            /* id of the last answer */
    bool has_failed;                              /* it is an error, which `failure` tells */
    /* Of the message that is read, where it is about a worker. */
    char session[HSD_INSPECTOR_SESSION_MAX], title[HSD_INSPECTOR_TITLE_MAX];
    size_t session_size, title_size;
    hsd_inspector_worker *workers; /* room for HSD_INSPECTOR_WORKERS_MAX; NULL = they are passed over */
    size_t worker_count;
    /* What the messages of one worker say, which come as texts in those of the main thread; NULL = passed over. */
    struct hsd_inspector *worker;
    const char *worker_session;
} hsd_inspector;

void hsd_inspector_init(hsd_inspector *inspector, const hsd_inspector_receiver *to);
/* Bytes of the WebSocket, behind its handshake. */
hsd_status hsd_inspector_feed(hsd_inspector *inspector, const void *bytes, size_t size, hsd_error *err);

#endif

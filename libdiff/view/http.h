/*
 * HTTP, and the one place that knows libmicrohttpd: a thread that takes requests off the loopback, hands each to a
 * function and sends back what that gives, with the headers that keep a page to itself.
 *
 * Bounds: 64 connections; 32 KiB for what a request says; 10 s without a byte in either direction, or for one request
 * from its first byte to its last, end a connection. No answer is compressed, stored or shared with another origin.
 */
#ifndef HSD_VIEW_HTTP_H
#define HSD_VIEW_HTTP_H

#include "base/buffer.h"
#include "view/guard.h"

#define HSD_HTTP_CONNECTIONS      64u
#define HSD_HTTP_HEADER_BYTES     ((size_t)32 << 10)
#define HSD_HTTP_PATIENCE_SECONDS 10u

typedef struct hsd_http hsd_http;

typedef struct hsd_http_answer {
    unsigned status;
    const char *type;   /* Content-Type; static */
    const char *policy; /* Content-Security-Policy; static. NULL = nothing may be loaded */
    const char *allow;  /* of a 405; else NULL */
    const void *data;   /* lives as long as the server; NULL = body */
    size_t size;
    hsd_buffer body; /* moved to the server */
} hsd_http_answer;

/* Fills a zeroed answer; called by one thread. */
typedef void (*hsd_http_answer_fn)(void *context, const hsd_view_request *request, hsd_http_answer *answer);

/* False in a build without libmicrohttpd: hsd_http_start is HSD_E_UNSUPPORTED then. */
bool hsd_http_is_known(void);

/* Answers at a socket that listens, which is moved. *out is NULL on failure. */
hsd_status hsd_http_start(hsd_http **out, int listening, hsd_http_answer_fn answer, void *context, hsd_error *err);

/* Cuts off those who are too slow; to be called some times a second, from any thread. */
void hsd_http_cut_slow(hsd_http *http);

/* Ends all connections. NULL is accepted. */
void hsd_http_stop(hsd_http *http);

#endif

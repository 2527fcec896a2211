/*
 * The server's parts: what server.c (lines, protocol) and queue.c (calls) share.
 */
#ifndef MCP_SERVER_H
#define MCP_SERVER_H

#include <pthread.h>
#include <stdatomic.h>

#include "call.h"
#include "mcp.h"

#define MCP_LINE_BYTES   ((size_t)1 << 20) /* of a message */
#define MCP_ANSWER_BYTES 4000u             /* of a line that answers a call */
#define MCP_ID_BYTES     128u              /* of an id or a token, as JSON */
#define MCP_WAITING_MOST 32u

typedef struct mcp_request { /* a call of a tool */
    char *line;              /* owned, as the message that points into it */
    mcp_message message;
    const mcp_json *params;
    char id[MCP_ID_BYTES], token[MCP_ID_BYTES]; /* as JSON; token "" = no progress is wanted */
    bool is_modern;                             /* of a revision without a handshake */
    atomic_bool is_cancelled;
    unsigned progress; /* notifications so far */
    uint64_t told_ms;  /* when the last one was */
    struct mcp_request *next;
} mcp_request;

typedef struct mcp_server {
    const mcp_options *options;
    mcp_state state;
    pthread_mutex_t lock, out_lock;
    pthread_cond_t changed;
    mcp_request *first, *working; /* waiting, in order; the one that is worked on */
    size_t waiting;
    mcp_request *answered; /* of the working thread alone */
    bool is_ended;         /* no more calls come */
    atomic_bool is_over;   /* what goes on is given up */
} mcp_server;

/* ---- queue.c */

/* Takes the request, which is moved. False when too many wait: it is then still the caller's. */
bool mcp_queue_put(mcp_server *server, mcp_request *request);
void mcp_queue_cancel(mcp_server *server, const char *id);

/* No more calls come. Waits up to `patience_ms` (0 = as long as it takes) until all are answered. */
void mcp_queue_end(mcp_server *server, uint64_t patience_ms);

/* The thread that works; context is the server. */
void *mcp_queue_work(void *context);

void mcp_request_free(mcp_request *request);

/* ---- answer.c */

/* Runs the tool that the request names, and sends what comes of it; nothing if it was cancelled. */
void mcp_answer(mcp_server *server, mcp_request *request);

/* For the run of all tools; the context is the server. */
bool mcp_tell_progress(void *context, const char *stage, uint64_t done, uint64_t total);
void mcp_take_note(void *context, hsd_note_level level, const char *text);

/* ---- lines.c */

uint64_t mcp_now_ms(void);

/* Sends one line, as long as somebody reads. */
void mcp_send(mcp_server *server, const mcp_text *line);
void mcp_send_error(mcp_server *server, const char *id, int code, const char *text);

/* What every result of a revision without a handshake has, at the front of its members; nothing for others. `is_list`:
 * with how long it may be kept. */
void mcp_put_envelope(mcp_text *line, bool is_modern, bool is_list);

/* An id or a token as JSON; false for one that is neither a text nor a number, or too long. */
bool mcp_copy_id(char out[MCP_ID_BYTES], const mcp_json *value);

/* True when the server is to end: it was told to, or nobody reads. */
bool mcp_is_over(mcp_server *server);

#endif

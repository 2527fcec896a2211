/*
 * libmicrohttpd behind http.h. It parses, we judge: the address is taken as it came, each header that matters is
 * counted, and what is refused is answered before a body is read, on a connection that is then closed, so that nothing
 * behind it is taken for another request.
 */
#include "view/http.h"

#include <dlfcn.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/fail.h"
#include "view/connections.h"
#include "view/peer.h"
#include "view/state.h"

_Static_assert(HSD_HTTP_CONNECTIONS == HSD_CONNECTIONS_MOST, "each connection has its place in the table");

struct hsd_http {
    struct MHD_Daemon *daemon;
    hsd_http_answer_fn answer;
    void *context;
    hsd_connections connections;
    hsd_peers peers;
    struct sockaddr_storage own; /* where we listen */
};

typedef struct client {
    hsd_connection *connection;
    char *target; /* of its request; owned */
} client;

/* ---- the library: opened by the first viewer that starts ---- */

/* It brings nine more (TLS, of which nothing is used): to load them took two of the four milliseconds in which every
 * command starts. Linkers know nothing of it now, so a note tells packagers, in the form that "ELF dlopen metadata"
 * (uapi-group.org) describes: scripts/package.d/opened.py reads it. */
#define NOTE_TYPE 0x407c0c0au
#define NOTE_TEXT                                                                                                      \
    "[{\"feature\":\"view\",\"description\":\"The server of hsdiff "                                                   \
    "view\",\"priority\":\"recommended\",\"soname\":[\"" HSD_MICROHTTPD_SONAME "\"]}]"
static const struct {
    uint32_t name_bytes, text_bytes, type;
    char name[4];
    char text[(sizeof NOTE_TEXT + 3) / 4 * 4];
} note __attribute__((used, section(".note.dlopen"), aligned(4))) = {4, sizeof NOTE_TEXT, NOTE_TYPE, "FDO", NOTE_TEXT};

#define FUNCTIONS(X)                                                                                                   \
    X(add_response_header)                                                                                             \
    X(create_response_from_buffer)                                                                                     \
    X(destroy_response)                                                                                                \
    X(get_connection_info)                                                                                             \
    X(get_connection_values_n)                                                                                         \
    X(queue_response)                                                                                                  \
    X(start_daemon)                                                                                                    \
    X(stop_daemon)

#define DECLARE(name) __typeof__(&MHD_##name) name;
static struct {
    FUNCTIONS(DECLARE)
    bool is_open;
} mhd;

/* A pointer to data becomes one to a function: POSIX has it so. */
static bool find_function(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

#define FIND(name) &&find_function(library, "MHD_" #name, &mhd.name)
static void open_library(void)
{
    void *library = dlopen(HSD_MICROHTTPD_SONAME, RTLD_NOW | RTLD_LOCAL); /* never closed: it may have threads */
    mhd.is_open = library != NULL FUNCTIONS(FIND);
}

static bool has_library(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_library);
    return mhd.is_open;
}

bool hsd_http_is_known(void) { return has_library(); }

/* ---- what a request says ---- */

static enum MHD_Result take_header(void *context, enum MHD_ValueKind kind, const char *name, size_t name_size,
                                   const char *value, size_t value_size)
{
    hsd_view_request *request = context;
    const struct {
        const char *name;
        const char **value;
        unsigned *count;
    } known[] = {{"Host", &request->host, &request->hosts},
                 {"Origin", &request->origin, &request->origins},
                 {"Sec-Fetch-Site", &request->site, &request->sites},
                 {"X-Hsdiff-Token", &request->token, &request->tokens}};
    (void)kind;
    if (strlen(name) != name_size || (value && strlen(value) != value_size)) request->is_malformed = true;
    if (strcasecmp(name, "Transfer-Encoding") == 0) request->has_body = true;
    if (strcasecmp(name, "Content-Length") == 0 && (!value || strcmp(value, "0") != 0)) request->has_body = true;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcasecmp(name, known[i].name) != 0) continue;
        if ((*known[i].count)++ == 0) *known[i].value = value ? value : "";
    }
    return MHD_YES;
}

static client *client_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = mhd.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* A copy of the address before anything of it is decoded, which happens in place. It is the client's: some requests
 * that are broken further on never have an end that is told. What is too long stays so. */
static void *take_target(void *context, const char *target, struct MHD_Connection *connection)
{
    client *from = client_of(connection);
    (void)context;
    if (!from) return NULL;
    free(from->target);
    return from->target = strndup(target, HSD_VIEW_TARGET_BYTES + 1);
}

/* ---- what it gets ---- */

static bool put_header(struct MHD_Response *response, const char *name, const char *value)
{
    return mhd.add_response_header(response, name, value) == MHD_YES;
}

static bool put_headers(struct MHD_Response *response, const hsd_http_answer *answer)
{
    const char *policy = answer->policy
                             ? answer->policy
                             : "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
    return put_header(response, "Content-Type", answer->type) &&
           put_header(response, "X-Content-Type-Options", "nosniff") &&
           put_header(response, "Cross-Origin-Resource-Policy", "same-origin") &&
           put_header(response, "Cross-Origin-Opener-Policy", "same-origin") &&
           put_header(response, "Referrer-Policy", "no-referrer") &&
           put_header(response, "Cache-Control", "no-store") && put_header(response, "X-Frame-Options", "DENY") &&
           put_header(response, "Content-Security-Policy", policy) &&
           (!answer->allow || put_header(response, "Allow", answer->allow)) &&
           (answer->status == 200 || put_header(response, "Connection", "close"));
}

static struct MHD_Response *make_response(hsd_http_answer *answer)
{
    if (answer->data)
        return mhd.create_response_from_buffer(answer->size, (void *)(uintptr_t)answer->data, MHD_RESPMEM_PERSISTENT);
    struct MHD_Response *response =
        mhd.create_response_from_buffer(answer->body.size, answer->body.data, MHD_RESPMEM_MUST_FREE);
    if (!response) hsd_buffer_release(&answer->body);
    return response;
}

static enum MHD_Result send_answer(struct MHD_Connection *connection, hsd_http_answer *answer)
{
    struct MHD_Response *response = make_response(answer);
    if (!response) return MHD_NO; /* closes the connection */
    const bool is_sent =
        put_headers(response, answer) && mhd.queue_response(connection, answer->status, response) == MHD_YES;
    mhd.destroy_response(response);
    return is_sent ? MHD_YES : MHD_NO;
}

static enum MHD_Result take_request(void *context, struct MHD_Connection *connection, const char *path,
                                    const char *method, const char *version, const char *body, size_t *body_size,
                                    void **request_context)
{
    hsd_http *http = context;
    const client *from = client_of(connection);
    hsd_view_request request = {.method = method, .target = *request_context};
    hsd_http_answer answer = {.status = 500, .type = "text/plain"};
    const union MHD_ConnectionInfo *info = mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    (void)path, (void)body, (void)body_size;
    if (from) hsd_connections_renew(&http->connections, from->connection, HSD_CONNECTION_ANSWERED);
    request.client = info ? hsd_peer_look(&http->peers, info->connect_fd) : HSD_PEER_OWN;
    mhd.get_connection_values_n(connection, MHD_HEADER_KIND, take_header, &request);
    if (strcmp(version, MHD_HTTP_VERSION_1_1) != 0 && strcmp(version, MHD_HTTP_VERSION_1_0) != 0)
        request.is_malformed = true;
    http->answer(http->context, &request, &answer);
    return send_answer(connection, &answer);
}

/* ---- connections ---- */

/* Before a byte of it is read: another user of the machine is told that he gets nothing while there are few, and in a
 * crowd is left outside, where he costs what asking the kernel costs. */
static enum MHD_Result is_let_in(void *context, const struct sockaddr *from, socklen_t size)
{
    hsd_http *http = context;
    (void)size;
    if (hsd_connections_count(&http->connections) < HSD_CONNECTIONS_FEW) return MHD_YES;
    const hsd_peer whose = hsd_peer_of(&http->peers, from, (const struct sockaddr *)&http->own);
    return whose == HSD_PEER_OF_OTHER_USER ? MHD_NO : MHD_YES;
}

static client *welcome(hsd_http *http, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    client *from = calloc(1, sizeof *from);
    if (from && info) from->connection = hsd_connections_add(&http->connections, info->connect_fd, hsd_view_now_ns());
    return from;
}

static void take_leave(hsd_http *http, client *from)
{
    if (!from) return;
    hsd_connections_remove(&http->connections, from->connection);
    free(from->target);
    free(from);
}

static void take_connection(void *context, struct MHD_Connection *connection, void **own,
                            enum MHD_ConnectionNotificationCode what)
{
    if (what == MHD_CONNECTION_NOTIFY_CLOSED)
        take_leave(context, *own);
    else
        *own = welcome(context, connection);
}

static void end_request(void *context, struct MHD_Connection *connection, void **request_context,
                        enum MHD_RequestTerminationCode how)
{
    hsd_http *http = context;
    const client *from = client_of(connection);
    (void)request_context, (void)how;
    if (from) hsd_connections_renew(&http->connections, from->connection, hsd_view_now_ns());
}

void hsd_http_cut_slow(hsd_http *http)
{
    hsd_connections_cut(&http->connections, hsd_view_now_ns(), (uint64_t)HSD_HTTP_PATIENCE_SECONDS * 1000000000u);
}

/* ---- begin and end ---- */

hsd_status hsd_http_start(hsd_http **out, int listening, hsd_http_answer_fn answer, void *context, hsd_error *err)
{
    *out = NULL;
    if (!has_library()) {
        close(listening);
        hsd_fail(err, HSD_E_UNSUPPORTED, "the viewer needs the library %s, which cannot be loaded",
                 HSD_MICROHTTPD_SONAME);
        hsd_error_set_hint(err, "install it, or write a page: hsdiff A B --html FILE");
        return HSD_E_UNSUPPORTED;
    }
    hsd_http *http = calloc(1, sizeof *http);
    if (!http) {
        close(listening);
        return hsd_fail_nomem(err, "the server of the viewer");
    }
    http->answer = answer;
    http->context = context;
    hsd_connections_init(&http->connections);
    socklen_t own_size = sizeof http->own;
    if (getsockname(listening, (struct sockaddr *)&http->own, &own_size) != 0) http->own.ss_family = AF_UNSPEC;
    hsd_peers_open(&http->peers, listening);
    http->daemon =
        mhd.start_daemon(MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_ITC, 0, is_let_in, http, take_request, http,
                         MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_CONNECTION_LIMIT, HSD_HTTP_CONNECTIONS,
                         MHD_OPTION_CONNECTION_TIMEOUT, HSD_HTTP_PATIENCE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                         HSD_HTTP_HEADER_BYTES, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK,
                         take_target, http, MHD_OPTION_NOTIFY_CONNECTION, take_connection, http,
                         MHD_OPTION_NOTIFY_COMPLETED, end_request, http, MHD_OPTION_END);
    if (http->daemon) {
        *out = http;
        return HSD_OK;
    }
    /* the socket may be closed already: it is left to the end of the process */
    hsd_peers_close(&http->peers);
    hsd_connections_release(&http->connections);
    free(http);
    return hsd_fail(err, HSD_E_IO, "the server of the viewer cannot be started");
}

void hsd_http_stop(hsd_http *http)
{
    if (!http) return;
    mhd.stop_daemon(http->daemon);
    hsd_peers_close(&http->peers);
    hsd_connections_release(&http->connections);
    free(http);
}

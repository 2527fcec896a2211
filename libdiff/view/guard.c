/*
 * The verdict on a request. Nothing here depends on anything but the arguments.
 */
#include "view/guard.h"

#include <stdio.h>
#include <string.h>

enum { HOST_CHARS = 32 };

static const hsd_view_verdict passed = {0};

static hsd_view_verdict refuse_view_guard(unsigned status, const char *error, const char *hint)
{
    return (hsd_view_verdict){.status = status, .error = error, .hint = hint};
}

/* ---- where it was sent to ---- */

/* "127.0.0.1:8080"; without a port where it is the one that browsers leave out. */
static bool is_name_of_it(const char *host, const char *name, uint16_t port)
{
    char whole[HOST_CHARS];
    snprintf(whole, sizeof whole, "%s:%u", name, (unsigned)port);
    return strcmp(host, whole) == 0 || (port == 80 && strcmp(host, name) == 0);
}

static bool is_own_host(const char *host, uint16_t port)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (is_name_of_it(host, names[i], port)) return true;
    return false;
}

static hsd_view_verdict judge_host(const hsd_view_guard *guard, const hsd_view_request *request)
{
    if (request->hosts == 1 && request->host && is_own_host(request->host, guard->port)) return passed;
    return refuse_view_guard(403, "this is not the address of the viewer", "open the address that hsdiff view printed");
}

/* ---- where it comes from ---- */

static hsd_view_verdict judge_client(const hsd_view_request *request)
{
    if (request->client == HSD_PEER_OF_OTHER_USER)
        return refuse_view_guard(403, "this viewer is another user's", "start hsdiff view yourself");
    if (request->client == HSD_PEER_NOT_SEEN)
        return refuse_view_guard(503, "the viewer has no descriptor or memory left to see who asks",
                                 "close other pages of it, then try again");
    return passed;
}

static bool is_same_origin(const char *origin, const char *host)
{
    static const char scheme[] = "http://";
    return strncmp(origin, scheme, sizeof scheme - 1) == 0 && strcmp(origin + sizeof scheme - 1, host) == 0;
}

static bool is_own_site(const char *site, bool is_page)
{
    return strcmp(site, "same-origin") == 0 || (is_page && strcmp(site, "none") == 0);
}

static hsd_view_verdict judge_origin(const hsd_view_request *request, bool is_page)
{
    const bool origin_fits = request->origins == 0 || (request->origins == 1 && request->origin &&
                                                       is_same_origin(request->origin, request->host));
    const bool site_fits =
        request->sites == 0 || (request->sites == 1 && request->site && is_own_site(request->site, is_page));
    if (origin_fits && site_fits) return passed;
    return refuse_view_guard(403, "pages from elsewhere get no answer",
                             "open the address that hsdiff view printed, in a tab of its own");
}

/* ---- what it asks for ---- */

static hsd_view_verdict judge_target(const hsd_view_request *request)
{
    if (request->is_malformed || !request->target || request->target[0] != '/')
        return refuse_view_guard(400, "this is no request of the viewer's page",
                                 "open the address that hsdiff view printed");
    if (strnlen(request->target, HSD_VIEW_TARGET_BYTES + 1) > HSD_VIEW_TARGET_BYTES)
        return refuse_view_guard(414, "the address is longer than 8 KiB", "ask for a shorter name, or a part of it");
    return passed;
}

static hsd_view_verdict judge_method(const hsd_view_request *request)
{
    const bool reads = request->method && (strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0);
    if (!reads) return refuse_view_guard(405, "the viewer only answers GET and HEAD", "nothing can be changed here");
    if (request->has_body) return refuse_view_guard(413, "a request to the viewer has no body", "leave it out");
    return passed;
}

bool hsd_view_needs_token(const char *target) { return strncmp(target, "/api/", 5) == 0; }

static hsd_view_verdict judge_token(const hsd_view_guard *guard, const hsd_view_request *request)
{
    if (!hsd_view_needs_token(request->target)) return passed;
    if (request->tokens == 1 && request->token && hsd_view_token_is(guard->token, request->token)) return passed;
    return refuse_view_guard(403, "the token is missing or wrong",
                             "open the whole address that hsdiff view printed, with what stands behind its #");
}

hsd_view_verdict hsd_view_judge(const hsd_view_guard *guard, const hsd_view_request *request)
{
    hsd_view_verdict verdict = judge_target(request);
    if (verdict.status == 0) verdict = judge_client(request);
    if (verdict.status == 0) verdict = judge_host(guard, request);
    if (verdict.status == 0) verdict = judge_origin(request, strcmp(request->target, "/") == 0);
    if (verdict.status == 0) verdict = judge_method(request);
    if (verdict.status == 0) verdict = judge_token(guard, request);
    return verdict;
}

/*
 * Who gets an answer: tables of hosts, origins, methods, tokens and paths, each with its verdict.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "view/guard.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

static const hsd_view_guard guard = {.port = 8123, .token = TOKEN};

/* What the page sends. */
static hsd_view_request good(const char *target)
{
    return (hsd_view_request){
        .method = "GET", .target = target, .host = "127.0.0.1:8123", .hosts = 1, .token = TOKEN, .tokens = 1};
}

static unsigned judge(hsd_view_request request) { return hsd_view_judge(&guard, &request).status; }

Test(guard, lets_the_page_and_its_questions_pass)
{
    cr_assert_eq(judge(good("/")), 0);
    cr_assert_eq(judge(good("/api/state")), 0);
    hsd_view_request request = good("/");
    request.tokens = 0;
    request.token = NULL;
    cr_assert_eq(judge(request), 0, "the page itself has no secret");
    request.method = "HEAD";
    cr_assert_eq(judge(request), 0);
}

Test(guard, knows_its_names)
{
    static const char *const own[] = {"127.0.0.1:8123", "localhost:8123", "[::1]:8123"};
    static const char *const foreign[] = {"",
                                          "127.0.0.1",
                                          "localhost",
                                          "[::1]",
                                          "::1:8123",
                                          "127.0.0.1:812",
                                          "127.0.0.1:81230",
                                          "127.0.0.1:8124",
                                          "127.0.0.1:08123",
                                          "127.0.0.2:8123",
                                          "127.1:8123",
                                          "0.0.0.0:8123",
                                          "2130706433:8123",
                                          "0x7f000001:8123",
                                          "LOCALHOST:8123",
                                          "localhost.:8123",
                                          "localhost.evil.example:8123",
                                          "evil.example:8123",
                                          "evil.example",
                                          "127.0.0.1:8123.evil.example",
                                          "127.0.0.1:8123@evil.example",
                                          "evil.example@127.0.0.1:8123",
                                          " 127.0.0.1:8123",
                                          "127.0.0.1:8123 ",
                                          "127.0.0.1:8123,evil.example",
                                          "[::1%lo]:8123",
                                          "[0:0:0:0:0:0:0:1]:8123",
                                          "[::ffff:127.0.0.1]:8123",
                                          "http://127.0.0.1:8123",
                                          "127.0.0.1:8123/",
                                          "127.0.0.1:8123\r\nX: y"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        hsd_view_request request = good("/api/state");
        request.host = own[i];
        cr_assert_eq(judge(request), 0, "%s", own[i]);
    }
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        hsd_view_request request = good("/");
        request.host = foreign[i];
        cr_assert_eq(judge(request), 403, "%s", foreign[i]);
    }
}

Test(guard, wants_one_host)
{
    hsd_view_request request = good("/");
    request.hosts = 0;
    request.host = NULL;
    cr_assert_eq(judge(request), 403);
    request = good("/");
    request.hosts = 2;
    cr_assert_eq(judge(request), 403);
}

Test(guard, leaves_out_port_80_as_browsers_do)
{
    const hsd_view_guard at_80 = {.port = 80, .token = TOKEN};
    hsd_view_request request = good("/");
    request.host = "127.0.0.1";
    cr_assert_eq(hsd_view_judge(&at_80, &request).status, 0);
    request.host = "127.0.0.1:80";
    cr_assert_eq(hsd_view_judge(&at_80, &request).status, 0);
    request.host = "evil.example";
    cr_assert_eq(hsd_view_judge(&at_80, &request).status, 403);
}

Test(guard, refuses_pages_from_elsewhere)
{
    static const char *const origins[] = {
        "", "null", "http://evil.example", "https://127.0.0.1:8123", "http://127.0.0.1", "http://127.0.0.1:8124",
        /* another name than the one it was opened by */
        "http://localhost:8123", "http://127.0.0.1:8123/", "http://127.0.0.1:8123.evil.example",
        "HTTP://127.0.0.1:8123", "http://evil.example http://127.0.0.1:8123", "file://", "http://"};
    hsd_view_request request = good("/api/state");
    request.origins = 1;
    request.origin = "http://127.0.0.1:8123";
    cr_assert_eq(judge(request), 0);
    for (size_t i = 0; i < sizeof origins / sizeof origins[0]; i++) {
        request.origin = origins[i];
        cr_assert_eq(judge(request), 403, "%s", origins[i]);
    }
    request.origin = "http://127.0.0.1:8123";
    request.origins = 2;
    cr_assert_eq(judge(request), 403, "two origins");
}

Test(guard, reads_what_the_browser_says_of_the_site)
{
    static const struct {
        const char *target, *site;
        unsigned status;
    } rows[] = {{"/", "none", 0},
                {"/", "same-origin", 0},
                {"/", "same-site", 403},
                {"/", "cross-site", 403},
                {"/", "", 403},
                {"/", "anything", 403},
                {"/api/state", "same-origin", 0},
                {"/api/state", "none", 403},
                {"/api/state", "same-site", 403},
                {"/api/state", "cross-site", 403},
                {"/api/state", "Same-Origin", 403}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hsd_view_request request = good(rows[i].target);
        request.site = rows[i].site;
        request.sites = 1;
        cr_assert_eq(judge(request), rows[i].status, "%s %s", rows[i].target, rows[i].site);
        request.sites = 2;
        cr_assert_eq(judge(request), 403);
    }
}

Test(guard, only_reads)
{
    static const char *const methods[] = {"POST",    "PUT", "DELETE", "PATCH", "OPTIONS",  "TRACE",
                                          "CONNECT", "get", "GETX",   "",      "PROPFIND", "PRI"};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        hsd_view_request request = good("/api/state");
        request.method = methods[i];
        cr_assert_eq(judge(request), 405, "%s", methods[i]);
    }
    hsd_view_request request = good("/api/state");
    request.method = NULL;
    cr_assert_eq(judge(request), 405);
    request = good("/api/state");
    request.has_body = true;
    cr_assert_eq(judge(request), 413);
}

Test(guard, wants_the_token_for_all_but_the_page)
{
    static const char *const tokens[] = {"",
                                         "0",
                                         "0123456789abcdef0123456789abcde",
                                         TOKEN "0",
                                         "0123456789ABCDEF0123456789ABCDEF",
                                         " " TOKEN,
                                         "1123456789abcdef0123456789abcdef",
                                         "0123456789abcdef0123456789abcdee"};
    static const char *const paths[] = {"/api/state", "/api/report", "/api/", "/api/nothing", "/api/types?side=after"};
    for (size_t p = 0; p < sizeof paths / sizeof paths[0]; p++) {
        hsd_view_request request = good(paths[p]);
        for (size_t i = 0; i < sizeof tokens / sizeof tokens[0]; i++) {
            request.token = tokens[i];
            cr_assert_eq(judge(request), 403, "%s with '%s'", paths[p], tokens[i]);
        }
        request.token = NULL;
        request.tokens = 0;
        cr_assert_eq(judge(request), 403, "%s without", paths[p]);
        request.token = TOKEN;
        request.tokens = 2;
        cr_assert_eq(judge(request), 403, "%s with two", paths[p]);
    }
}

Test(guard, refuses_what_is_no_path)
{
    static const char *const targets[] = {
        "", "api/state", "*", "http://127.0.0.1:8123/api/state", "evil.example:443", "\\api\\state", " /"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        cr_assert_eq(judge(good(targets[i])), 400, "%s", targets[i]);
    cr_assert_eq(judge(good(NULL)), 400);
    hsd_view_request request = good("/");
    request.is_malformed = true;
    cr_assert_eq(judge(request), 400);
}

Test(guard, bounds_the_address)
{
    char *target = malloc(HSD_VIEW_TARGET_BYTES + 2);
    memset(target, 'a', HSD_VIEW_TARGET_BYTES + 1);
    target[0] = '/';
    target[HSD_VIEW_TARGET_BYTES] = 0;
    cr_assert_eq(judge(good(target)), 0, "the longest");
    target[HSD_VIEW_TARGET_BYTES] = 'a';
    target[HSD_VIEW_TARGET_BYTES + 1] = 0;
    cr_assert_eq(judge(good(target)), 414, "one more");
    free(target);
}

Test(guard, says_why_and_what_to_do)
{
    hsd_view_request request = good("/api/state");
    request.host = "evil.example";
    const hsd_view_verdict verdict = hsd_view_judge(&guard, &request);
    cr_assert(verdict.error && verdict.error[0]);
    cr_assert(verdict.hint && verdict.hint[0]);
    cr_assert_null(strstr(verdict.error, TOKEN));
    cr_assert_null(strstr(verdict.hint, TOKEN));
}

Test(guard, another_user_gets_nothing)
{
    static const char *const targets[] = {"/", "/api/state"};
    for (size_t i = 0; i < 2; i++) {
        hsd_view_request request = good(targets[i]);
        request.client = HSD_PEER_OF_OTHER_USER;
        cr_assert_eq(judge(request), 403);
        request.client = HSD_PEER_NOT_SEEN;
        cr_assert_eq(judge(request), 503, "one of whom nothing is known may be another user");
    }
}

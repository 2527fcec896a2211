/*
 * The server as a program that embeds it has it: a request on a real socket, idling, stopping, failures that are told,
 * and memory that runs out anywhere.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <hsdiff/view.h>

#include "support/fault.h"

#define ANSWER_BYTES 8192

static const char *const names[] = {"before.hs", "after \"quoted\".hs"};

TestSuite(view, .timeout = 60);

/* Of "http://127.0.0.1:PORT/#TOKEN". */
static uint16_t port_of(const char *address)
{
    char *end;
    const long port = strtol(strrchr(address, ':') + 1, &end, 10);
    cr_assert(*end == '/' && port > 0 && port <= UINT16_MAX, "%s", address);
    return (uint16_t)port;
}

/* What comes back for "GET target" by the user of that address; 0 bytes when the connection was closed. */
static size_t ask(const char *address, const char *target, char *answer)
{
    char request[512];
    const char *token = strchr(address, '#') + 1;
    const uint16_t port = port_of(address);
    const struct sockaddr_in name = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int wire = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert_eq(connect(wire, (const struct sockaddr *)&name, sizeof name), 0);
    const int size =
        snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX-Hsdiff-Token: %s\r\n\r\n", target,
                 (int)port, token);
    size_t got = 0;
    ssize_t one = send(wire, request, (size_t)size, MSG_NOSIGNAL);
    while (one > 0 && got < ANSWER_BYTES - 1 && (one = recv(wire, answer + got, ANSWER_BYTES - 1 - got, 0)) > 0)
        got += (size_t)one;
    answer[got] = 0;
    close(wire);
    return got;
}

static hsd_view *start(unsigned idle_seconds)
{
    hsd_view *view;
    hsd_error err;
    hsd_error_init(&err);
    cr_assert_eq(hsd_view_start(&view, &(hsd_view_options){.idle_seconds = idle_seconds}, &err), HSD_OK, "%s",
                 err.text);
    cr_assert_eq(hsd_view_set_captures(view, names, 2, &err), HSD_OK);
    return view;
}

static void has(const char *answer, const char *part)
{
    cr_assert_not_null(strstr(answer, part), "no %s in %s", part, answer);
}

Test(view, tells_how_far_it_is)
{
    char answer[ANSWER_BYTES];
    hsd_view *view = start(0);
    cr_assert(hsd_view_is_known());
    cr_assert(hsd_view_progress(view, "walking \x1b[31m", 3, 7));
    ask(hsd_view_address(view), "/api/state", answer);
    has(answer, "200 OK");
    has(answer, "\"phase\": \"working\", \"stage\": \"walking \\u001b[31m\", \"done\": 3, \"total\": 7");
    has(answer, "{\"name\": \"after \\\"quoted\\\".hs\"}");
    ask(hsd_view_address(view), "/api/types", answer);
    has(answer, "409");
    hsd_view_stop(view);
}

Test(view, tells_what_failed)
{
    char answer[ANSWER_BYTES];
    hsd_error error;
    hsd_view *view = start(0);
    hsd_error_init(&error);
    hsd_fail(&error, HSD_E_TRUNCATED, "was cut off");
    hsd_error_set_file(&error, "after.hs");
    hsd_error_set_hint(&error, "--partial");
    hsd_view_set_error(view, &error);
    ask(hsd_view_address(view), "/api/state", answer);
    has(answer, "\"phase\": \"failed\"");
    has(answer, "\"error\": {\"error\": \"after.hs: was cut off\", \"hint\": \"--partial\"}");
    hsd_view_stop(view);
}

/* Whether one that fails after it was asked that, or nothing, has not been seen. */
static bool fails_unseen(const char *target)
{
    char answer[ANSWER_BYTES];
    hsd_error error;
    hsd_view *view = start(0);
    cr_assert_not(hsd_view_failed_unseen(view), "it has not failed yet");
    if (target) ask(hsd_view_address(view), target, answer);
    hsd_error_init(&error);
    hsd_fail(&error, HSD_E_TRUNCATED, "was cut off");
    hsd_view_set_error(view, &error);
    const bool is_unseen = hsd_view_failed_unseen(view);
    hsd_view_stop(view);
    return is_unseen;
}

Test(view, knows_whether_anybody_saw_it_fail)
{
    cr_assert(fails_unseen(NULL));
    cr_assert(fails_unseen("/"), "the page alone is anybody's, whatever token comes with it");
    cr_assert_not(fails_unseen("/api/state"));
}

Test(view, ends_when_nobody_asks)
{
    hsd_view *view = start(1);
    hsd_view_set_browse(view, NULL, "there is none");
    cr_assert(hsd_view_wait(view, NULL, NULL));
    cr_assert_not(hsd_view_progress(view, "", 0, 0), "work is given up from then on");
    hsd_view_stop(view);
}

static bool has_had_enough(void *context) { return ++*(int *)context == 3; }

Test(view, stops_when_told)
{
    int asked = 0;
    hsd_view *view = start(0);
    cr_assert_not(hsd_view_wait(view, has_had_enough, &asked));
    cr_assert_eq(asked, 3);
    hsd_view_stop(view);
    hsd_view_stop(NULL);
}

Test(view, does_not_take_a_port_that_is_taken)
{
    hsd_error err;
    hsd_view *first = start(0), *second;
    const hsd_view_options options = {.port = port_of(hsd_view_address(first))};
    hsd_error_init(&err);
    cr_assert_eq(hsd_view_start(&second, &options, &err), HSD_E_IO);
    cr_assert_null(second);
    cr_assert_eq(err.sys_errno, EADDRINUSE);
    cr_assert(err.hint[0]);
    hsd_view_stop(first);
}

/* Everything once, with the at-th allocation failing. True when it was reached. */
static bool starve(uint64_t at)
{
    char answer[ANSWER_BYTES];
    hsd_view *view;
    hsd_error err;
    hsd_error_init(&err);
    hsd_fault_reset();
    hsd_fault_arm(HSD_FAULT_MALLOC, at, false, ENOMEM);
    hsd_status status = hsd_view_start(&view, &(hsd_view_options){0}, &err);
    cr_assert(status == HSD_OK || (status == HSD_E_NOMEM && view == NULL && err.text[0]), "allocation %llu: %s",
              (unsigned long long)at, err.text);
    if (status == HSD_OK) {
        status = hsd_view_set_captures(view, names, 2, &err);
        cr_assert(status == HSD_OK || status == HSD_E_NOMEM);
        const size_t got = ask(hsd_view_address(view), "/api/state", answer);
        cr_assert(got == 0 || strncmp(answer, "HTTP/1.1 200", 12) == 0 || strncmp(answer, "HTTP/1.1 400", 12) == 0 ||
                      strncmp(answer, "HTTP/1.1 500", 12) == 0,
                  "allocation %llu: %s", (unsigned long long)at, answer);
        ask(hsd_view_address(view), "/api/nothing", answer);
        hsd_view_stop(view);
    }
    const bool has_struck = hsd_fault_strikes() > 0;
    hsd_fault_reset();
    return has_struck;
}

Test(view, lives_without_memory)
{
    uint64_t at = 1;
    while (at < 1000 && starve(at))
        at++;
    cr_assert(at > 8 && at < 1000, "%llu allocations", (unsigned long long)at);
}

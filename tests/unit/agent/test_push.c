/* Captures that nobody asks for: the plan in the environment, sockets, folders, receivers that are not there. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "agent/parts.h"
#include "unit/agent/talk.h"
#include "unit/agent/tiny_agent.h"
#include "unit/io/scratch.h"

TestSuite(push, .init = scratch_make, .fini = scratch_remove, .timeout = 60);

static void pause_ms(long ms) { nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL); }

static void start(const char *to, const char *every, const char *count)
{
    const hsa_agent agent = tiny_agent("tiny");
    setenv("HSDIFF_TO", to, 1);
    setenv("HSDIFF_EVERY", every, 1);
    setenv("HSDIFF_COUNT", count, 1);
    cr_assert_eq(hsa_listen(&agent), 0);
}

static int listen_at(int family, const void *address, socklen_t size)
{
    const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert(fd >= 0 && bind(fd, address, size) == 0 && listen(fd, 8) == 0);
    return fd;
}

static int listen_unix(const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
    return listen_at(AF_UNIX, &name, sizeof name);
}

static void expect_stream(int listener, long objects)
{
    size_t size = 0;
    const int fd = accept(listener, NULL, NULL);
    cr_assert(fd >= 0);
    char *data = talk_read(fd, &size);
    cr_assert_eq(talk_objects(data, size), objects);
    free(data);
    close(fd);
}

static const char *plan(const char *to, const char *every, const char *count, hsa_push *push)
{
    return hsa_push_plan(push, to, every, count);
}

Test(push, plan_reads_the_environment)
{
    hsa_push push;
    cr_assert_null(plan("unix:/tmp/x", "60", NULL, &push));
    cr_assert(push.kind == HSA_PUSH_UNIX && push.every_ns == UINT64_C(60000000000) && push.left == UINT64_MAX);
    cr_assert_str_eq(push.path, "/tmp/x");
    cr_assert_null(plan("tcp:127.0.0.1:9999", "0.25", "3", &push));
    cr_assert(push.kind == HSA_PUSH_TCP4 && push.every_ns == 250000000 && push.left == 3 && push.port == 9999);
    cr_assert_null(plan("tcp:[::1]:1", "1.000000001", "", &push));
    cr_assert(push.kind == HSA_PUSH_TCP6 && push.every_ns == 1000000001);
    cr_assert_null(plan("dir:/var/tmp", "1", "0", &push));
    cr_assert(push.kind == HSA_PUSH_FOLDER && push.left == UINT64_MAX);
}

Test(push, plan_is_never_without_a_word)
{
    hsa_push push;
    cr_assert(plan(NULL, "60", NULL, &push) == NULL && push.kind == HSA_PUSH_NEVER);
    cr_assert(plan("unix:/tmp/x", NULL, NULL, &push) == NULL && push.kind == HSA_PUSH_NEVER);
    cr_assert(plan("unix:/tmp/x", "0", NULL, &push) == NULL && push.kind == HSA_PUSH_NEVER);
    cr_assert_eq(hsa_push_wait_ms(&push, 0), -1);
}

Test(push, plan_says_what_is_wrong)
{
    static const char *const wrong[][3] = {
        {"unix:", "1", ""},
        {"dir:", "1", ""},
        {"/tmp", "1", ""},
        {"http://x", "1", ""},
        {"tcp:10.0.0.1:80", "1", ""},
        {"tcp:127.0.0.1", "1", ""},
        {"tcp:127.0.0.1:0", "1", ""},
        {"tcp:127.0.0.1:65536", "1", ""},
        {"tcp:[::2]:80", "1", ""},
        {"tcp:[::1:80", "1", ""},
        {"tcp:::1:80", "1", ""},
        {"tcp::80", "1", ""},
        {"tcp:", "1", ""},
        {"tcp:example.org:80", "1", ""},
        {"unix:/x", "often", ""},
        {"unix:/x", "1m", ""},
        {"unix:/x", "-1", ""},
        {"unix:/x", "99999999999", ""},
        {"unix:/x", "1", "many"},
        {"unix:/x", "1", "-3"},
        {"unix:/x", ".5", ""},
    };
    char path[400] = "unix:/";
    hsa_push push;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cr_assert_not_null(plan(wrong[i][0], wrong[i][1], wrong[i][2], &push), "%s %s", wrong[i][0], wrong[i][1]);
        cr_assert_eq(push.kind, HSA_PUSH_NEVER);
    }
    memset(path + 6, 'x', sizeof path - 7);
    cr_assert_not_null(plan(path, "1", NULL, &push));
}

Test(push, goes_to_a_socket_as_often_as_asked)
{
    char to[128];
    const int listener = listen_unix(scratch_path("socket"));
    snprintf(to, sizeof to, "unix:%s", scratch_path("socket"));
    start(to, "0.05", "3");
    for (int i = 0; i < 3; i++)
        expect_stream(listener, 1000);
    struct pollfd more = {.fd = listener, .events = POLLIN};
    cr_assert_eq(poll(&more, 1, 300), 0);
    cr_assert_eq(tiny_pushed, 3);
    hsa_stop();
    close(listener);
}

static void push_tcp(int family)
{
    char to[64];
    struct sockaddr_storage name = {0};
    struct sockaddr_in *four = (struct sockaddr_in *)&name;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&name;
    socklen_t size = family == AF_INET ? sizeof *four : sizeof *six;
    name.ss_family = (sa_family_t)family;
    if (family == AF_INET)
        four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    else
        six->sin6_addr = in6addr_loopback;
    const int listener = listen_at(family, &name, size);
    getsockname(listener, (struct sockaddr *)&name, &size);
    snprintf(to, sizeof to, "tcp:%s:%u", family == AF_INET ? "127.0.0.1" : "[::1]",
             ntohs(family == AF_INET ? four->sin_port : six->sin6_port));
    start(to, "0.05", "1");
    expect_stream(listener, 1000);
    hsa_stop();
    close(listener);
}

Test(push, goes_to_the_loopback) { push_tcp(AF_INET); }

Test(push, goes_to_the_loopback_of_ipv6)
{
    const struct sockaddr_in6 name = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    const int fd = socket(AF_INET6, SOCK_STREAM, 0);
    const bool has_it = fd >= 0 && bind(fd, (const struct sockaddr *)&name, sizeof name) == 0;
    if (fd >= 0) close(fd);
    if (!has_it) cr_skip("no IPv6 here");
    push_tcp(AF_INET6);
}

Test(push, goes_to_files_that_are_whole)
{
    char to[128], name[128];
    snprintf(to, sizeof to, "dir:%s", scratch);
    start(to, "0.05", "3");
    for (int i = 0; scratch_count() < 3 && i < 6000; i++)
        pause_ms(10);
    hsa_stop();
    cr_assert_eq(scratch_count(), 3);
    hsa_self self;
    hsa_know_self(&self);
    for (int i = 1; i <= 3; i++) {
        struct stat info;
        size_t size = 0;
        snprintf(name, sizeof name, "%s-%ld-%04d.hs", self.name, (long)getpid(), i);
        char *data = scratch_read(name, &size);
        cr_assert_not_null(data, "%s", name);
        cr_assert_eq(talk_objects(data, size), 1000);
        cr_assert(stat(scratch_path(name), &info) == 0 && (info.st_mode & 07777) == 0600);
        free(data);
    }
}

Test(push, leaves_no_file_that_is_not_whole)
{
    char to[128];
    snprintf(to, sizeof to, "dir:%s", scratch);
    tiny_more_options = "cut=100";
    start(to, "0.03", "3");
    while (tiny_pushed < 3)
        pause_ms(5);
    hsa_stop();
    cr_assert_eq(scratch_count(), 0);
}

Test(push, waits_for_a_receiver_that_is_not_there_yet)
{
    char to[128];
    snprintf(to, sizeof to, "unix:%s", scratch_path("socket"));
    start(to, "0.05", "2");
    pause_ms(200);
    cr_assert_eq(tiny_pushed, 0);
    const int listener = listen_unix(scratch_path("socket"));
    expect_stream(listener, 1000);
    expect_stream(listener, 1000);
    hsa_stop();
    close(listener);
}

Test(push, survives_a_receiver_that_goes_away)
{
    char to[128], piece[512];
    snprintf(to, sizeof to, "unix:%s", scratch_path("socket"));
    const int listener = listen_unix(scratch_path("socket"));
    tiny_more_options = "objects=200000 big=1";
    start(to, "0.02", "5");
    for (int i = 0; i < 4; i++) {
        const int fd = accept(listener, NULL, NULL);
        cr_assert(recv(fd, piece, sizeof piece, 0) > 0);
        close(fd);
    }
    expect_stream(listener, 200000);
    hsa_stop();
    close(listener);
}

Test(push, is_asked_meanwhile)
{
    char to[128];
    snprintf(to, sizeof to, "dir:%s", scratch);
    start(to, "0.01", "0");
    for (int i = 0; i < 20; i++) {
        size_t size = 0;
        char *answer = talk_ask("tiny", "hsdiff 1 capture objects=33\n", &size);
        cr_assert_eq(talk_objects(answer + 3, size - 3), 33);
        free(answer);
        pause_ms(5);
    }
    hsa_stop();
    cr_assert(tiny_pushed > 0);
    cr_assert_eq(tiny_at_once, 1);
}

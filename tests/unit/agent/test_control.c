/* An agent that is asked: answers, refusals, askers that misbehave or go away, forks, descriptors that are closed under
 * it. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/parts.h"
#include "unit/agent/talk.h"
#include "unit/agent/tiny_agent.h"

static void start(void)
{
    const hsa_agent agent = tiny_agent("tiny");
    cr_assert_eq(hsa_listen(&agent), 0);
}

TestSuite(control, .init = start, .fini = hsa_stop, .timeout = 60);

static void pause_ms(long ms) { nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL); }

static void expect_capture(const char *request, long objects)
{
    size_t size = 0;
    char *answer = talk_ask("tiny", request, &size);
    cr_assert(size > 3 && memcmp(answer, "ok\n", 3) == 0, "%.100s", answer);
    cr_assert_eq(talk_objects(answer + 3, size - 3), objects);
    free(answer);
}

static void expect_answer(const char *request, const char *answer)
{
    char *got = talk_ask("tiny", request, NULL);
    cr_assert_str_eq(got, answer);
    free(got);
}

Test(control, serves_a_whole_capture)
{
    expect_capture("hsdiff 1 capture\n", 1000);
    expect_capture("hsdiff 1 capture objects=123456\n", 123456);
    expect_capture("hsdiff 1 capture  x=y objects=7  \n", 7);
}

Test(control, refuses_in_one_line)
{
    expect_answer("hsdiff 1 capture refuse=1\n", "error not now: the heap is being walked\n");
    expect_answer("hsdiff 1 forget\n", "error this agent keeps nothing\n");
    expect_capture("hsdiff 1 capture\n", 1000);
}

Test(control, says_what_it_does_not_understand)
{
    expect_answer("hsdiff 1 dance\n", "error this agent knows capture and forget, and nothing else\n");
    expect_answer("hsdiff 1 captured\n", "error this agent knows capture and forget, and nothing else\n");
    expect_answer("hsdiff 1\n", "error this agent knows capture and forget, and nothing else\n");
    expect_answer("hsdiff 2 capture\n",
                  "error this agent speaks version 1 of the protocol: use the hsdiff that it came with\n");
    expect_answer("GET / HTTP/1.1\r\n", "error a request is one line of text\n");
    expect_answer("hello\n", "error a request begins with hsdiff\n");
    expect_answer("\n", "error a request begins with hsdiff\n");
    cr_assert_eq(tiny_served, 0);
}

Test(control, refuses_a_request_without_end)
{
    char request[3000];
    memset(request, 'x', sizeof request);
    request[sizeof request - 1] = '\0';
    expect_answer(request, "error a request has at most 1,024 bytes\n");
    static const char with_nul[] = "hsdiff 1 cap\0ture\n";
    const int fd = talk_connect("tiny", getpid());
    talk_send(fd, with_nul, sizeof with_nul - 1);
    char *answer = talk_read(fd, NULL);
    cr_assert_str_eq(answer, "error a request is one line of text\n");
    free(answer);
    close(fd);
}

Test(control, takes_a_request_in_pieces)
{
    static const char request[] = "hsdiff 1 capture objects=11\n";
    const int fd = talk_connect("tiny", getpid());
    for (size_t i = 0; i < sizeof request - 1; i++) {
        talk_send(fd, request + i, 1);
        if (i % 9 == 0) pause_ms(5);
    }
    size_t size = 0;
    char *answer = talk_read(fd, &size);
    cr_assert_eq(talk_objects(answer + 3, size - 3), 11);
    free(answer);
    close(fd);
}

Test(control, survives_an_asker_that_goes_away)
{
    static const char request[] = "hsdiff 1 capture objects=200000 big=1\n";
    for (int i = 0; i < 20; i++) {
        char piece[4096];
        const int fd = talk_connect("tiny", getpid());
        talk_send(fd, request, i % 4 == 0 ? (size_t)i : sizeof request - 1);
        for (int k = 0; k < i && recv(fd, piece, sizeof piece, i % 4 == 0 ? MSG_DONTWAIT : 0) > 0; k++)
            continue;
        close(fd);
    }
    expect_capture("hsdiff 1 capture objects=200000 big=1\n", 200000);
}

static void *ask_in_thread(void *unused)
{
    (void)unused;
    expect_capture("hsdiff 1 capture objects=20000 pause=2\n", 20000);
    return NULL;
}

Test(control, serves_one_at_a_time_and_all_of_them)
{
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, ask_in_thread, NULL), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(tiny_served, 8);
    cr_assert_eq(tiny_at_once, 1);
}

Test(control, listens_once)
{
    const hsa_agent agent = tiny_agent("tiny"), other = tiny_agent("a-name-that-is-much-too-long-for-an-agent");
    cr_assert_eq(hsa_listen(&agent), EALREADY);
    hsa_stop();
    cr_assert_eq(talk_connect("tiny", getpid()), -1);
    cr_assert_eq(errno, ECONNREFUSED);
    cr_assert_eq(hsa_listen(&other), EINVAL);
    cr_assert_eq(hsa_listen(&agent), 0);
    expect_capture("hsdiff 1 capture\n", 1000);
    hsa_stop();
    hsa_stop();
}

static int take_name(int turn)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int length = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "hsdiff/1/tiny/%ld", (long)getpid());
    if (turn > 1)
        length += snprintf(name.sun_path + 1 + length, sizeof name.sun_path - 1 - (size_t)length, ".%d", turn);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    cr_assert(fd >= 0 && bind(fd, (struct sockaddr *)&name, size) == 0 && listen(fd, 1) == 0);
    return fd;
}

Test(control, takes_the_next_name_when_one_is_taken)
{
    const hsa_agent agent = tiny_agent("tiny");
    int taken[9];
    hsa_stop();
    for (int turn = 1; turn <= 9; turn++) {
        taken[turn - 1] = take_name(turn);
        if (turn != 4) continue;
        cr_assert_eq(hsa_listen(&agent), 0);
        hsa_stop();
    }
    cr_assert_eq(hsa_listen(&agent), EADDRINUSE);
    for (int i = 0; i < 9; i++)
        close(taken[i]);
    cr_assert_eq(hsa_listen(&agent), 0);
    expect_capture("hsdiff 1 capture\n", 1000);
}

Test(control, stop_waits_for_who_is_served)
{
    const int fd = talk_connect("tiny", getpid());
    talk_send(fd, "hsdiff 1 capture objects=20000 pause=10\n", 40);
    while (tiny_served == 0)
        pause_ms(1);
    hsa_stop();
    size_t size = 0;
    char *answer = talk_read(fd, &size);
    cr_assert_eq(talk_objects(answer + 3, size - 3), 20000);
    free(answer);
    close(fd);
}

static void in_child(bool tells_the_agent)
{
    const hsa_agent agent = tiny_agent("tiny");
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        if (tells_the_agent) hsa_after_fork();
        if (hsa_listen(&agent) != 0) _exit(2);
        size_t size = 0;
        char *answer = talk_ask("tiny", "hsdiff 1 capture objects=5\n", &size);
        const bool is_good = talk_objects(answer + 3, size - 3) == 5;
        free(answer);
        hsa_stop();
        _exit(is_good ? 0 : 3);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
}

Test(control, child_of_a_fork_listens_for_itself)
{
    in_child(true);
    expect_capture("hsdiff 1 capture objects=6\n", 6);
    in_child(false);
    expect_capture("hsdiff 1 capture objects=7\n", 7);
}

Test(control, child_of_a_fork_may_stop_what_it_does_not_have)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        hsa_stop();
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    expect_capture("hsdiff 1 capture objects=6\n", 6);
}

Test(control, answer_ends_though_a_child_has_the_socket)
{
    const int fd = talk_connect("tiny", getpid());
    talk_send(fd, "hsdiff 1 capture objects=20000 pause=10\n", 40);
    while (tiny_served == 0)
        pause_ms(1);
    const pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    size_t size = 0;
    char *answer = talk_read(fd, &size);
    cr_assert_eq(talk_objects(answer + 3, size - 3), 20000);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    free(answer);
    close(fd);
}

static int close_everything_and_ask(void)
{
    const hsa_agent agent = tiny_agent("tiny");
    hsa_after_fork();
    if (hsa_listen(&agent) != 0) return 2;
    pause_ms(50);
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    const int first = talk_connect("tiny", getpid()); /* the thread still waits at what was closed */
    if (first >= 0) {
        talk_send(first, "hsdiff 1 capture\n", 17);
        free(talk_read(first, NULL));
        close(first);
    }
    bool is_good = false;
    for (int i = 0; !is_good && i < 3000; i++) {
        size_t size = 0;
        pause_ms(10);
        const int fd = talk_connect("tiny", getpid());
        if (fd < 0) continue;
        talk_send(fd, "hsdiff 1 capture\n", 17);
        char *answer = talk_read(fd, &size);
        is_good = size > 3 && talk_objects(answer + 3, size - 3) == 1000;
        free(answer);
        close(fd);
    }
    hsa_stop();
    return is_good ? 0 : 3;
}

/* In a child: the descriptors of the test's own frame are not to be closed. */
Test(control, listens_again_when_the_program_closed_everything)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0) _exit(close_everything_and_ask());
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
}

Test(control, serves_its_own_user_and_root_alone)
{
    if (geteuid() != 0) cr_skip("needs root to be someone else");
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        if (setuid(65534) != 0) _exit(4);
        const int fd = talk_connect("tiny", getppid());
        talk_send(fd, "hsdiff 1 capture\n", 17);
        char *answer = talk_read(fd, NULL);
        _exit(strcmp(answer, "error this process belongs to another user\n") == 0 ? 0 : 5);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    cr_assert_eq(tiny_served, 0);
}

Test(control, signals_of_the_program_do_not_reach_the_thread)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL); /* blocked here and there: it stays pending */
    kill(getpid(), SIGUSR1);
    expect_capture("hsdiff 1 capture\n", 1000);
    cr_assert_eq(sigtimedwait(&set, NULL, &(struct timespec){0}), SIGUSR1);
}

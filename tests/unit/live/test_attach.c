/*
 * HotSpot's attach protocol: the bytes of a request, what an answer says, which gates are closed, a JVM that is none.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "live/facts.h"
#include "live/jvm/attach.h"

/* ---- text ---- */

Test(attach, a_request_has_five_parts_that_end_in_nul)
{
    char out[256];
    const char *const arguments[HSD_ATTACH_ARGUMENTS] = {"/a b", NULL, "x=1"};
    static const char wanted[] = "1\0load\0/a b\0\0x=1";
    const size_t size = hsd_attach_format(out, sizeof out, "load", arguments);
    cr_assert_eq(size, sizeof wanted);
    cr_assert_eq(memcmp(out, wanted, size), 0);
    cr_assert_eq(hsd_attach_format(out, sizeof out, "jcmd", NULL), sizeof "1\0jcmd\0\0\0");
}

Test(attach, a_request_that_does_not_fit_is_none)
{
    char out[4096], text[1200];
    const char *const arguments[HSD_ATTACH_ARGUMENTS] = {text};
    memset(text, 'x', sizeof text);
    text[1023] = '\0';
    cr_assert_gt(hsd_attach_format(out, sizeof out, "load", arguments), 0);
    for (size_t size = 0; size < 2 + 5 + 1024 + 2; size++)
        cr_assert_eq(hsd_attach_format(out, size, "load", arguments), 0, "%zu", size);
    text[1023] = 'x';
    text[1024] = '\0';
    cr_assert_eq(hsd_attach_format(out, sizeof out, "load", arguments), 0);
}

Test(attach, an_answer_is_a_number_and_text)
{
    hsd_attach_answer answer;
    cr_assert(hsd_attach_parse(&answer, "0\nreturn code: 0\n"));
    cr_assert_eq(answer.status, 0);
    cr_assert_str_eq(answer.text, "return code: 0\n");
    cr_assert(hsd_attach_parse(&answer, "101\n"));
    cr_assert_eq(answer.status, 101);
    cr_assert_str_eq(answer.text, "");
    cr_assert(hsd_attach_parse(&answer, "-1\n"));
    cr_assert_eq(answer.status, -1);
    static const char *const none[] = {
        "", "\n", "x", "1x\n", " 1\n", "+1\n", "99999999999999999999\n", "-", "HTTP/1.1 200 OK\n"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        cr_assert_not(hsd_attach_parse(&answer, none[i]), "%s", none[i]);
}

Test(attach, a_long_answer_is_cut)
{
    static char text[3 * HSD_ATTACH_ANSWER_BYTES];
    hsd_attach_answer answer;
    memset(text, 'y', sizeof text - 1);
    memcpy(text, "0\n", 2);
    cr_assert(hsd_attach_parse(&answer, text));
    cr_assert_eq(strlen(answer.text), sizeof answer.text - 1);
}

Test(attach, the_agents_result_is_the_last_number)
{
    static const struct {
        const char *text;
        bool is_there;
        long result;
    } cases[] = {{"return code: 0\n", true, 0}, {"3\n", true, 3}, {"return code: -2", true, -2}, {"0", true, 0},
                 {"7 of x\n", true, 7},         {"", false, 0},   {"none\n", false, 0},          {"-", false, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hsd_attach_answer answer = {.status = 0};
        long result = 0;
        snprintf(answer.text, sizeof answer.text, "%s", cases[i].text);
        cr_assert_eq(hsd_attach_result(&answer, &result), cases[i].is_there, "%s", cases[i].text);
        cr_assert_eq(result, cases[i].result, "%s", cases[i].text);
    }
}

/* ---- gates ---- */

static hsd_process_facts facts_of_self(const char *first, const char *second)
{
    hsd_process_facts facts = {
        .pid = getpid(), .inner_pid = getpid(), .uid = geteuid(), .gid = getegid(), .is_same_mounts = true};
    snprintf(facts.root, sizeof facts.root, "/proc/%ld/root", (long)getpid());
    size_t used = (size_t)snprintf(facts.arguments, sizeof facts.arguments, "%s", first) + 1;
    snprintf(facts.arguments + used, sizeof facts.arguments - used - 1, "%s", second);
    return facts;
}

Test(attach, no_signal_is_sent_to_who_does_not_catch_it)
{
    hsd_process_facts facts = facts_of_self("java", "Main");
    hsd_error err = {0};
    int fd = -1;
    cr_assert_eq(hsd_attach_look(&facts, &err), HSD_GATE_CLOSED);
    cr_assert(strstr(err.hint, "try again") != NULL);
    cr_assert_eq(hsd_attach_open(&fd, &facts, &err), HSD_E_UNSUPPORTED); /* SIGQUIT would end this test */
    cr_assert_eq(fd, -1);
    /* it did when it was looked at, and does not any more */
    facts.caught_signals = UINT64_C(1) << (SIGQUIT - 1);
    cr_assert_eq(hsd_attach_look(&facts, &err), HSD_GATE_OPEN);
    cr_assert_lt(hsd_attach_open(&fd, &facts, &err), 0);
    char path[64];
    snprintf(path, sizeof path, "/tmp/.attach_pid%ld", (long)getpid());
    cr_assert_neq(access(path, F_OK), 0, "the announcement stayed");
}

Test(attach, a_jvm_that_lets_nobody_in_is_not_asked)
{
    hsd_process_facts facts = facts_of_self("java", "-XX:+DisableAttachMechanism");
    hsd_error err = {0};
    facts.caught_signals = UINT64_C(1) << (SIGQUIT - 1);
    cr_assert_eq(hsd_attach_look(&facts, &err), HSD_GATE_CLOSED);
    cr_assert(strstr(err.text, "DisableAttachMechanism") != NULL);
    cr_assert(strstr(err.hint, "without") != NULL);
}

/* ---- who answers ---- */

static int listen_as_jvm(char path[108])
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(path, 108, "/tmp/.java_pid%ld", (long)getpid());
    memcpy(address.sun_path, path, strlen(path) + 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    unlink(path);
    cr_assert_eq(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    cr_assert_eq(listen(fd, 2), 0);
    return fd;
}

Test(attach, talks_to_a_socket_that_is_there_and_reads_to_its_end)
{
    char path[108], request[64] = "";
    hsd_process_facts facts = facts_of_self("java", "Main");
    hsd_attach_answer answer;
    hsd_error err = {0};
    int fd = -1;
    const int listening = listen_as_jvm(path);
    cr_assert_eq(hsd_attach_open(&fd, &facts, &err), HSD_OK, "%s", err.text);
    const int other = accept(listening, NULL, NULL);
    cr_assert_eq(hsd_attach_send(fd, "jcmd", NULL, &err), HSD_OK);
    cr_assert_eq(read(other, request, sizeof request), (ssize_t)sizeof "1\0jcmd\0\0\0");
    cr_assert_eq(write(other, "0\nfirst ", 8), 8);
    cr_assert_eq(write(other, "second", 6), 6);
    close(other);
    cr_assert_eq(hsd_attach_read(fd, 5, &answer, &err), HSD_OK, "%s", err.text);
    cr_assert_str_eq(answer.text, "first second");
    close(fd);
    close(listening);
    unlink(path);
}

Test(attach, who_hangs_up_without_a_word_is_told_of)
{
    char path[108];
    hsd_process_facts facts = facts_of_self("java", "Main");
    hsd_attach_answer answer;
    hsd_error err = {0};
    int fd = -1;
    const int listening = listen_as_jvm(path);
    cr_assert_eq(hsd_attach_open(&fd, &facts, &err), HSD_OK);
    close(accept(listening, NULL, NULL));
    cr_assert_eq(hsd_attach_read(fd, 5, &answer, &err), HSD_E_TRUNCATED);
    cr_assert(strstr(err.hint, "user") != NULL);
    close(fd);
    close(listening);
    unlink(path);
}

/* Not as a reader of our own output that went away: that would end the program as SIGPIPE does. */
Test(attach, who_hangs_up_before_it_is_asked_is_told_of)
{
    static const char *const none[HSD_ATTACH_ARGUMENTS] = {"", "", ""};
    hsd_error err = {0};
    int pair[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    close(pair[1]);
    cr_assert_eq(hsd_attach_send(pair[0], "load", none, &err), HSD_E_TRUNCATED);
    cr_assert(err.sys_errno != EPIPE && strstr(err.hint, "user") != NULL, "%s", err.text);
    close(pair[0]);
}

/* Each connection stays in its queue until it is accepted, and who finds a queue full waits. */
Test(attach, a_jvm_that_accepts_nobody_is_left_alone_by_who_sweeps)
{
    char path[108];
    hsd_process_facts facts = facts_of_self("java", "Main");
    struct pollfd queue = {.fd = listen_as_jvm(path), .events = POLLIN};
    facts.is_same_mounts = true;
    hsd_attach_sweep(&facts);
    cr_assert_eq(access(path, F_OK), 0);
    cr_assert_eq(poll(&queue, 1, 0), 0);
    close(queue.fd);
    unlink(path);
}

Test(attach, a_jvm_whose_queue_stays_full_is_given_up, .timeout = 60)
{
    enum { QUEUE = 3 }; /* listen(fd, 2) */
    char path[108];
    hsd_process_facts facts = facts_of_self("java", "Main");
    hsd_error err = {0};
    int fds[QUEUE], fd = -1;
    const int listening = listen_as_jvm(path);
    for (int i = 0; i < QUEUE; i++)
        cr_assert_eq(hsd_attach_open(&fds[i], &facts, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_attach_open(&fd, &facts, &err), HSD_E_IO);
    cr_assert_eq(err.sys_errno, ETIMEDOUT, "%s", err.text);
    cr_assert_eq(fd, -1);
    for (int i = 0; i < QUEUE; i++)
        close(fds[i]);
    close(listening);
    unlink(path);
}

Test(attach, a_socket_of_the_living_is_not_swept_and_a_file_of_that_name_is_not_trusted)
{
    char path[108];
    hsd_process_facts facts = facts_of_self("java", "Main");
    const int listening = listen_as_jvm(path);
    close(listening);
    hsd_attach_sweep(&facts);
    cr_assert_eq(access(path, F_OK), 0);
    unlink(path);
    const int file = open(path, O_CREAT | O_WRONLY, 0600);
    hsd_error err = {0};
    int fd = -1;
    cr_assert_eq(hsd_attach_open(&fd, &facts, &err), HSD_E_UNSUPPORTED);
    close(file);
    unlink(path);
}

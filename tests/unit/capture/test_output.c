/*
 * Sinks: whatever a sink does short of failing, all bytes arrive in order; what is a failure stays one; and files of
 * our own are private, never somebody else's, and gone when they were not finished.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/output.h"
#include "support/make_samples.h"
#include "unit/capture/memory_sink.h"

enum { ROOM = 1 << 20 };

/* The sample "everything" through a sink, held against the same through one that takes all. */
static hsc_status write_through(memory_sink *sink)
{
    const hsc_sink s = memory_sink_of(sink);
    return hsd_sample_write_to(2, &s);
}

static void expect_same_bytes(memory_sink *sink)
{
    memory_sink plain = memory_sink_new(ROOM);
    cr_assert_eq(write_through(&plain), HSC_OK);
    cr_assert_eq(write_through(sink), HSC_OK);
    cr_assert_eq(sink->size, plain.size);
    cr_assert_eq(memcmp(sink->bytes, plain.bytes, plain.size), 0);
    memory_sink_free(&plain);
    memory_sink_free(sink);
}

Test(output, takes_a_sink_that_takes_little)
{
    for (size_t most = 1; most < 200; most += 33) {
        memory_sink sink = memory_sink_new(ROOM);
        sink.most = most;
        expect_same_bytes(&sink);
    }
}

Test(output, goes_on_after_an_interruption)
{
    memory_sink sink = memory_sink_new(ROOM);
    sink.most = 40;
    sink.refuse_every = 2;
    sink.refuse_with = EINTR;
    expect_same_bytes(&sink);
    cr_assert_eq(sink.waits, 0);
}

Test(output, waits_for_a_sink_that_is_full)
{
    memory_sink sink = memory_sink_new(ROOM);
    sink.most = 40;
    sink.refuse_every = 3;
    sink.refuse_with = EAGAIN;
    expect_same_bytes(&sink);
    cr_assert_gt(sink.waits, 10);
}

Test(output, pauses_where_there_is_nothing_to_wait_with)
{
    memory_sink sink = memory_sink_new(ROOM);
    sink.refuse_every = 10;
    sink.refuse_with = EAGAIN;
    hsc_sink s = memory_sink_of(&sink);
    s.wait = NULL;
    cr_assert_eq(hsd_sample_write_to(2, &s), HSC_OK);
    cr_assert_eq(sink.waits, 0);
    memory_sink_free(&sink);
}

Test(output, gives_up_when_waiting_fails)
{
    memory_sink sink = memory_sink_new(ROOM);
    sink.refuse_every = 5;
    sink.refuse_with = EAGAIN;
    sink.wait_result = -1;
    hsc_output output;
    hsc_output_to_sink(&output, &(hsc_sink){memory_sink_write, memory_sink_wait, &sink});
    for (int i = 0; i < 4; i++)
        cr_assert(hsc_output_write(&output, "x", 1));
    cr_assert_not(hsc_output_write(&output, "x", 1));
    cr_assert_eq(output.system_error, EPIPE);
    cr_assert_eq(output.written, 4);
    memory_sink_free(&sink);
}

Test(output, a_sink_that_takes_nothing_or_too_much_has_failed)
{
    memory_sink sink = memory_sink_new(ROOM);
    sink.fail_at = 1;
    sink.fail_with = 0; /* returns 0 */
    hsc_output output;
    const hsc_sink s = memory_sink_of(&sink);
    hsc_output_to_sink(&output, &s);
    cr_assert_not(hsc_output_write(&output, "x", 1));
    cr_assert_eq(output.system_error, EIO);
    memory_sink_free(&sink);
}

/* Reads a descriptor to its end in a child, which exits with 0 if it saw `expected` bytes. */
static pid_t slow_reader(int fd, int other, size_t expected)
{
    const pid_t child = fork();
    if (child != 0) return child;
    close(other);
    size_t got = 0;
    char bytes[777];
    for (ssize_t n; (n = read(fd, bytes, sizeof bytes)) > 0; got += (size_t)n)
        poll(NULL, 0, got % 5 == 0 ? 1 : 0);
    _exit(got == expected ? 0 : 1);
}

Test(output, fills_a_socket_that_does_not_block)
{
    int pair[2];
    const int small = 2048;
    memory_sink plain = memory_sink_new(ROOM);
    const hsc_sink s = memory_sink_of(&plain);
    size_t index = 0;
    while (strcmp(hsd_sample_name(index), "blocks-stored") != 0)
        index++;
    cr_assert_eq(hsd_sample_write_to(index, &s), HSC_OK);
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    const pid_t child = slow_reader(pair[1], pair[0], plain.size);
    close(pair[1]);
    hsc_output output;
    hsc_output_to_fd(&output, pair[0]);
    for (size_t at = 0; at < plain.size; at += 10000)
        cr_assert(hsc_output_write(&output, plain.bytes + at, plain.size - at < 10000 ? plain.size - at : 10000));
    cr_assert(hsc_output_finish(&output, true));
    cr_assert_eq(fcntl(pair[0], F_GETFD), 0, "a descriptor of the caller stays open");
    close(pair[0]);
    int status = -1;
    waitpid(child, &status, 0);
    cr_assert_eq(status, 0);
    memory_sink_free(&plain);
}

Test(output, a_reader_that_is_gone_is_a_failure)
{
    int pair[2];
    signal(SIGPIPE, SIG_IGN);
    cr_assert_eq(pipe(pair), 0);
    close(pair[0]);
    hsc_output output;
    hsc_output_to_fd(&output, pair[1]);
    cr_assert_not(hsc_output_write(&output, "x", 1));
    cr_assert_eq(output.system_error, EPIPE);
    close(pair[1]);
}

/* ---- files ---- */

static char folder[] = "/tmp/hsc-output-XXXXXX";
static char path[64];

static void make_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.hs", folder);
}

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

static hsc_status open_file(hsc_writer **w)
{
    hsc_options options;
    hsc_options_init(&options);
    return hsc_open_file(w, path, &options);
}

TestSuite(output_file, .init = make_folder, .fini = remove_folder);

Test(output_file, is_private_from_birth_and_stays_when_finished)
{
    hsc_writer *w;
    struct stat facts;
    umask(0);
    cr_assert_eq(open_file(&w), HSC_OK);
    cr_assert_eq(stat(path, &facts), 0);
    cr_assert_eq(facts.st_mode & 07777, 0600);
    cr_assert_eq(hsc_finish(w), HSC_OK);
    cr_assert_eq(hsc_bytes_written(w), (stat(path, &facts), (uint64_t)facts.st_size));
    hsc_close(w);
    cr_assert_eq(access(path, F_OK), 0);
}

Test(output_file, is_removed_when_it_is_not_finished)
{
    hsc_writer *w;
    cr_assert_eq(open_file(&w), HSC_OK);
    cr_assert_eq(access(path, F_OK), 0);
    hsc_close(w);
    cr_assert_neq(access(path, F_OK), 0);
}

Test(output_file, is_removed_from_where_it_was_made)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    cr_assert_eq(chdir(folder), 0);
    cr_assert_eq(hsc_open_file(&w, "a.hs", &options), HSC_OK);
    cr_assert_eq(chdir("/"), 0);
    hsc_close(w);
    cr_assert_neq(access(path, F_OK), 0);
}

/* Behind the end of a short name there may be anything. */
Test(output_file, has_the_name_that_was_asked_for)
{
    for (size_t size = 1; size <= 40; size++) {
        hsc_writer *w;
        hsc_options options;
        char name[120];
        hsc_options_init(&options);
        void *dirty = malloc(size + 1);
        cr_assert_not_null(dirty);
        memset(dirty, 'x', size + 1);
        free(dirty);
        snprintf(name, sizeof name, "%s/%.*s", folder, (int)size,
                 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz");
        cr_assert_eq(hsc_open_file(&w, name, &options), HSC_OK);
        cr_assert_eq(access(name, F_OK), 0, "%s", name);
        hsc_close(w);
        cr_assert_neq(access(name, F_OK), 0, "%s", name);
    }
}

Test(output_file, that_took_its_name_is_left_alone)
{
    hsc_writer *w;
    cr_assert_eq(open_file(&w), HSC_OK);
    unlink(path);
    close(open(path, O_CREAT | O_WRONLY, 0644));
    hsc_close(w);
    cr_assert_eq(access(path, F_OK), 0);
}

/* In a program that has no standard input the folder is descriptor 0. */
Test(output_file, leaves_no_descriptor_zero)
{
    hsc_writer *w;
    close(STDIN_FILENO);
    cr_assert_eq(open_file(&w), HSC_OK);
    cr_assert_neq(fcntl(STDIN_FILENO, F_GETFD), -1);
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
    cr_assert_eq(access(path, F_OK), 0);
    cr_assert_eq(fcntl(STDIN_FILENO, F_GETFD), -1);
}

Test(output_file, is_never_one_that_exists)
{
    hsc_writer *w;
    close(open(path, O_CREAT | O_WRONLY, 0644));
    cr_assert_eq(open_file(&w), HSC_E_IO);
    cr_assert_eq(errno, EEXIST);
    cr_assert_null(w);
    cr_assert_eq(access(path, F_OK), 0);
}

Test(output_file, does_not_follow_links)
{
    hsc_writer *w;
    char target[80];
    snprintf(target, sizeof target, "%s/target", folder);
    cr_assert_eq(symlink(target, path), 0);
    cr_assert_eq(open_file(&w), HSC_E_IO);
    cr_assert_neq(access(target, F_OK), 0);
}

Test(output_file, in_no_folder_is_a_failure)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    cr_assert_eq(hsc_open_file(&w, "/nowhere/at/all.hs", &options), HSC_E_IO);
    cr_assert_eq(errno, ENOENT);
    cr_assert_null(w);
}

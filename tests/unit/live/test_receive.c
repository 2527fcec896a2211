/* Streams that programs send: many at once, slow ones, cut ones, rubbish, and where they come from. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/sockios.h>

#include <hscapture/hscapture.h>
#include <hsdiff/capture.h>
#include <hsdiff/live.h>

#include "unit/io/scratch.h"

/* ---- a receiver on a thread ---- */

typedef struct receiving {
    pthread_t thread;
    char where[128], out[128];
    hsd_live_options options;
    hsd_run run;
    _Atomic int turns, kept, refused, cut;
    _Atomic bool is_over;
    hsd_status status;
    hsd_error error;
    char last_path[256], last_text[512];
} receiving;

static receiving r;

static bool go_on(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)stage;
    (void)done;
    (void)total;
    ((receiving *)context)->turns++;
    return !((receiving *)context)->is_over;
}

static void tell(void *context, const hsd_received *one)
{
    receiving *mine = context;
    if (one->path != NULL) snprintf(mine->last_path, sizeof mine->last_path, "%s", one->path);
    snprintf(mine->last_text, sizeof mine->last_text, "%s", one->error.text);
    if (one->path == NULL)
        mine->refused++;
    else if (one->error.status == HSD_OK && one->result.is_complete)
        mine->kept++;
    else
        mine->cut++;
}

static void *receive(void *unused)
{
    (void)unused;
    r.status = hsd_receive(r.where, r.out, &r.options, &r.run, tell, &r, &r.error);
    return NULL;
}

static void pause_ms(long ms) { nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL); }

static void begin(const char *where)
{
    snprintf(r.where, sizeof r.where, "%s", where);
    r.run = (hsd_run){.progress = go_on, .progress_context = &r};
    r.options.timeout_seconds = 20;
    snprintf(r.out, sizeof r.out, "%s", scratch_path("out"));
    mkdir(r.out, 0700);
    cr_assert_eq(pthread_create(&r.thread, NULL, receive, NULL), 0);
    for (int i = 0; r.turns == 0 && i < 1000; i++)
        pause_ms(5);
    cr_assert(r.turns > 0, "%s", r.error.text);
}

static void end(void)
{
    r.is_over = true;
    pthread_join(r.thread, NULL);
    cr_assert_eq(r.status, HSD_OK, "%s", r.error.text);
}

static void begin_unix(void)
{
    char where[128];
    snprintf(where, sizeof where, "unix:%s", scratch_path("socket"));
    begin(where);
}

static void wait_for(const _Atomic int *count, int value)
{
    for (int i = 0; *count < value && i < 4000; i++)
        pause_ms(5);
    cr_assert_eq(*count, value, "%d of %d: %s", *count, value, r.last_text);
}

/* What was sent is taken. */
static void wait_until_read(int fd)
{
    int unread = 1;
    while (ioctl(fd, SIOCOUTQ, &unread) == 0 && unread > 0)
        pause_ms(5);
    cr_assert_eq(unread, 0);
}

static int count_files(void)
{
    int count = 0;
    DIR *folder = opendir(scratch_path("out"));
    while (folder != NULL && readdir(folder) != NULL)
        count++;
    if (folder != NULL) closedir(folder);
    return count - 2;
}

static void clean(void)
{
    char path[512];
    const struct dirent *entry;
    DIR *folder = opendir(scratch_path("out"));
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        snprintf(path, sizeof path, "%s/%s", scratch_path("out"), entry->d_name);
        remove(path);
    }
    if (folder != NULL) closedir(folder);
    rmdir(scratch_path("out"));
    scratch_remove();
}

TestSuite(receive, .init = scratch_make, .fini = clean, .timeout = 90);

/* ---- who sends ---- */

static unsigned char *make_capture(const char *name, uint64_t pid, uint64_t objects, size_t *size)
{
    hsc_writer *w = NULL;
    hsc_options options;
    const int fd = memfd_create("capture", MFD_CLOEXEC);
    hsc_options_init(&options);
    options.process_name = name;
    options.pid = pid;
    options.compression = 0;
    cr_assert_eq(hsc_open_fd(&w, fd, &options), HSC_OK);
    hsc_define_type(w, 1, "T", 1, 0);
    for (uint64_t i = 0; i < objects; i++) {
        hsc_begin_object(w, &(hsc_object){.id = 16 * i + 16 * (i % 7), .type = 1, .size_bytes = i});
        hsc_end_object(w);
    }
    cr_assert_eq(hsc_finish(w), HSC_OK);
    *size = (size_t)hsc_bytes_written(w);
    hsc_close(w);
    unsigned char *data = malloc(*size);
    cr_assert_eq(pread(fd, data, *size, 0), (ssize_t)*size);
    close(fd);
    return data;
}

/* A socket has its file before it listens. */
static bool does_listen(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path, sizeof name.sun_path, "%s", scratch_path("socket"));
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool does = connect(fd, (struct sockaddr *)&name, sizeof name) == 0;
    close(fd);
    return does;
}

static int connect_unix(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path, sizeof name.sun_path, "%s", scratch_path("socket"));
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert_eq(connect(fd, (struct sockaddr *)&name, sizeof name), 0, "errno %d", errno);
    return fd;
}

static void put(int fd, const void *data, size_t size)
{
    const unsigned char *at = data;
    while (size > 0) {
        const ssize_t sent = send(fd, at, size, MSG_NOSIGNAL);
        if (sent <= 0) return;
        at += sent;
        size -= (size_t)sent;
    }
}

static void send_capture(const char *name, uint64_t pid, uint64_t objects)
{
    size_t size = 0;
    unsigned char *data = make_capture(name, pid, objects, &size);
    const int fd = connect_unix();
    put(fd, data, size);
    close(fd);
    free(data);
}

/* ---- tests ---- */

Test(receive, one_is_saved_whole_under_its_own_name)
{
    struct stat info;
    begin_unix();
    send_capture("shop", 77, 5000);
    send_capture("shop", 77, 5000);
    wait_for(&r.kept, 2);
    cr_assert(strstr(r.last_path, "/out/shop-77-0002.hs") != NULL, "%s", r.last_path);
    cr_assert(stat(r.last_path, &info) == 0 && (info.st_mode & 07777) == 0600);
    hsd_capture *capture = NULL;
    cr_assert_eq(hsd_capture_open(&capture, r.last_path, HSD_DAMAGE_REFUSE, NULL, NULL), HSD_OK);
    cr_assert_eq(hsd_capture_get_info(capture)->objects, 5000);
    hsd_capture_close(capture);
    end();
    cr_assert_eq(count_files(), 2);
}

typedef struct sender {
    pthread_t thread;
    int number;
    const unsigned char *data;
    size_t size;
} sender;

/* Each in pieces of its own size and at its own pace; every fourth stops in the middle. */
static void *send_slowly(void *context)
{
    const sender *s = context;
    const size_t piece = 1000 + (size_t)s->number * 3777, last = s->number % 4 == 3 ? s->size / 2 : s->size;
    const int fd = connect_unix();
    for (size_t at = 0; at < last; at += piece) {
        put(fd, s->data + at, piece < last - at ? piece : last - at);
        if (s->number % 2 == 0) pause_ms(1);
    }
    close(fd);
    return NULL;
}

static void send_twenty(bool keeps)
{
    sender senders[20];
    size_t size = 0;
    unsigned char *data = make_capture("shop", 5, 60000, &size);
    r.options.keep_cut = keeps;
    begin_unix();
    for (int i = 0; i < 20; i++) {
        senders[i] = (sender){.number = i, .data = data, .size = size};
        cr_assert_eq(pthread_create(&senders[i].thread, NULL, send_slowly, &senders[i]), 0);
    }
    for (int i = 0; i < 20; i++)
        pthread_join(senders[i].thread, NULL);
    wait_for(&r.kept, 15);
    wait_for(keeps ? &r.cut : &r.refused, 5);
    end();
    cr_assert_eq(count_files(), keeps ? 20 : 15);
    free(data);
}

Test(receive, twenty_at_once_and_the_cut_ones_are_dropped) { send_twenty(false); }

Test(receive, twenty_at_once_and_the_cut_ones_are_kept_as_such) { send_twenty(true); }

Test(receive, slow_one_holds_nobody_up)
{
    begin_unix();
    const int slow = connect_unix();
    put(slow, "\x89HSC", 4);
    for (int i = 0; i < 10; i++)
        send_capture("fast", 1, 3000);
    wait_for(&r.kept, 10);
    close(slow);
    wait_for(&r.refused, 1);
    end();
}

Test(receive, silent_one_is_let_go)
{
    begin_unix();
    r.options.timeout_seconds = 1;
    const int slow = connect_unix();
    put(slow, "\x89HSC\r\n\x1a\n and no more", 20);
    wait_for(&r.refused, 1);
    close(slow);
    end();
    cr_assert_eq(count_files(), 0);
}

Test(receive, rubbish_costs_its_first_bytes)
{
    begin_unix();
    for (int i = 0; i < 100; i++) {
        const int fd = connect_unix();
        put(fd, "GET / HTTP/1.1\r\n\r\n", 18);
        close(fd);
    }
    wait_for(&r.refused, 100);
    cr_assert(strstr(r.last_text, "no heap capture") != NULL, "%s", r.last_text);
    close(connect_unix()); /* who only looks is not worth a word */
    send_capture("shop", 1, 10);
    wait_for(&r.kept, 1);
    end();
    cr_assert_eq(r.refused, 100);
    cr_assert_eq(count_files(), 1);
}

Test(receive, full_disk_drops_what_does_not_fit)
{
    if (!scratch_limit(600)) cr_skip("mounting is not allowed here");
    begin_unix();
    send_capture("large", 1, 1000000);
    wait_for(&r.refused, 1);
    cr_assert(strstr(r.last_text, "cannot write the capture") != NULL, "%s", r.last_text);
    send_capture("small", 1, 10);
    wait_for(&r.kept, 1);
    end();
    cr_assert_eq(count_files(), 1);
}

Test(receive, more_than_there_are_places_wait)
{
    int fds[100];
    size_t size = 0;
    unsigned char *data = make_capture("many", 3, 500, &size);
    begin_unix();
    for (int i = 0; i < 100; i++) {
        fds[i] = connect_unix();
        put(fds[i], data, size / 2);
    }
    for (int i = 0; i < 100; i++) {
        put(fds[i], data + size / 2, size - size / 2);
        close(fds[i]);
    }
    wait_for(&r.kept, 100);
    end();
    cr_assert_eq(count_files(), 100);
    free(data);
}

Test(receive, names_of_programs_are_not_paths)
{
    static const char *const names[][2] = {{"../../etc/passwd", "_._.._etc_passwd"},
                                           {".hidden", "_hidden"},
                                           {"a\nb\x1b[31m", "a_b__31m"},
                                           {"-rf", "_rf"},
                                           {"\xff\xfe", "__"},
                                           {"a b", "a_b"}};
    begin_unix();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char expected[128], *last;
        send_capture(names[i][0], 9, 10);
        wait_for(&r.kept, (int)i + 1);
        snprintf(expected, sizeof expected, "/out/%s-9-0001.hs", names[i][1]);
        last = strstr(r.last_path, "/out/");
        cr_assert(last != NULL && strcmp(last, expected) == 0, "%s", r.last_path);
    }
    send_capture(NULL, 0, 10);
    wait_for(&r.kept, (int)(sizeof names / sizeof names[0]) + 1);
    cr_assert(strstr(r.last_path, "/out/process-0-0001.hs") != NULL, "%s", r.last_path);
    end();
}

Test(receive, socket_is_private_and_gone_at_the_end)
{
    struct stat info;
    begin_unix();
    cr_assert(stat(scratch_path("socket"), &info) == 0 && S_ISSOCK(info.st_mode));
    cr_assert_eq(info.st_mode & 07777, 0600);
    end();
    cr_assert_eq(lstat(scratch_path("socket"), &info), -1);
}

Test(receive, what_was_under_way_when_it_ended_is_cut)
{
    size_t size = 0;
    unsigned char *data = make_capture("shop", 5, 60000, &size);
    r.options.keep_cut = true;
    begin_unix();
    const int fd = connect_unix();
    put(fd, data, size / 2);
    wait_until_read(fd);
    end();
    close(fd);
    cr_assert_eq(r.cut, 1);
    cr_assert_eq(count_files(), 1);
    free(data);
}

static hsd_status try_at(const char *where, hsd_error *why)
{
    receiving once = {.is_over = true};
    const hsd_run run = {.progress = go_on, .progress_context = &once};
    hsd_error_init(why);
    return hsd_receive(where, scratch, NULL, &run, NULL, NULL, why);
}

Test(receive, stale_socket_is_swept_and_a_living_one_is_not)
{
    char where[128];
    hsd_error why;
    snprintf(where, sizeof where, "unix:%s", scratch_path("socket"));
    const pid_t killed = fork();
    if (killed == 0) {
        struct sockaddr_un name = {.sun_family = AF_UNIX};
        snprintf(name.sun_path, sizeof name.sun_path, "%s", scratch_path("socket"));
        const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        _exit(bind(fd, (struct sockaddr *)&name, sizeof name));
    }
    waitpid(killed, NULL, 0);
    cr_assert_eq(access(scratch_path("socket"), F_OK), 0);
    cr_assert_eq(try_at(where, &why), HSD_OK, "%s", why.text);
    begin_unix();
    cr_assert_eq(try_at(where, &why), HSD_E_IO);
    cr_assert(strstr(why.text, "someone receives at") != NULL, "%s", why.text);
    send_capture("shop", 1, 10);
    wait_for(&r.kept, 1);
    end();
}

Test(receive, files_that_are_no_sockets_stay)
{
    char where[128];
    hsd_error why;
    scratch_write("socket", "mine", 4);
    snprintf(where, sizeof where, "unix:%s", scratch_path("socket"));
    cr_assert_eq(try_at(where, &why), HSD_E_IO);
    size_t size = 0;
    char *text = scratch_read("socket", &size);
    cr_assert_str_eq(text, "mine");
    free(text);
}

Test(receive, addresses_of_other_machines_are_refused)
{
    static const char *const wrong[] = {"tcp:0.0.0.0:4711",
                                        "tcp:10.1.2.3:4711",
                                        "tcp:[::]:4711",
                                        "tcp:example.org:4711",
                                        "tcp:127.0.0.1",
                                        "tcp:127.0.0.1:0",
                                        "tcp:127.0.0.1:65536",
                                        "tcp:127.0.0.1:http",
                                        "tcp::4711",
                                        "tcp:",
                                        "udp:127.0.0.1:4711",
                                        "/tmp/x",
                                        "",
                                        "unix:",
                                        "tcp:127.0.0.1:4711 ",
                                        "tcp:128.0.0.1:4711"};
    hsd_error why;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cr_assert_eq(try_at(wrong[i], &why), HSD_E_UNSUPPORTED, "%s", wrong[i]);
        cr_assert_neq(why.text[0], '\0');
    }
}

Test(receive, folder_that_is_not_there_is_told)
{
    char where[128];
    hsd_error why;
    snprintf(where, sizeof where, "unix:%s", scratch_path("socket"));
    hsd_error_init(&why);
    cr_assert_eq(hsd_receive(where, scratch_path("nowhere"), NULL, NULL, NULL, NULL, &why), HSD_E_IO);
    cr_assert(strstr(why.file, "nowhere") != NULL);
}

Test(receive, comes_over_the_loopback_too)
{
    char where[64];
    size_t size = 0;
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof name;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); /* a port that is free now */
    cr_assert(bind(fd, (struct sockaddr *)&name, sizeof name) == 0 &&
              getsockname(fd, (struct sockaddr *)&name, &length) == 0);
    close(fd);
    snprintf(where, sizeof where, "tcp:localhost:%u", ntohs(name.sin_port));
    begin(where);
    unsigned char *data = make_capture("far", 4, 70000, &size);
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert_eq(connect(fd, (struct sockaddr *)&name, sizeof name), 0);
    put(fd, data, size);
    close(fd);
    wait_for(&r.kept, 1);
    end();
    free(data);
}

static int connect_as(unsigned uid)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path, sizeof name.sun_path, "%s", scratch_path("socket"));
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (setgid(uid) != 0 || setuid(uid) != 0) return 2;
    return connect(fd, (struct sockaddr *)&name, sizeof name) != 0 && errno == EACCES ? 0 : 3;
}

Test(receive, is_open_to_its_user_and_root_alone)
{
    if (geteuid() != 0) cr_skip("needs root to be someone else");
    char where[128];
    snprintf(where, sizeof where, "unix:%s", scratch_path("socket"));
    int status = -1;
    cr_assert_eq(chmod(scratch, 0777), 0);
    mkdir(scratch_path("out"), 0777);
    chmod(scratch_path("out"), 0777);
    const pid_t other = fork();
    if (other == 0) { /* the receiver is nobody's, root may send to it */
        receiving once = {.is_over = false};
        const hsd_run run = {.progress = go_on, .progress_context = &once};
        if (setgid(65534) != 0 || setuid(65534) != 0) _exit(2);
        alarm(80);
        _exit(hsd_receive(where, scratch_path("out"), NULL, &run, NULL, NULL, NULL) == HSD_OK ? 0 : 3);
    }
    for (int i = 0; !does_listen() && i < 4000; i++)
        pause_ms(5);
    send_capture("root", 1, 10);
    for (int i = 0; count_files() == 0 && i < 1000; i++)
        pause_ms(5);
    cr_assert_eq(count_files(), 1);
    const pid_t stranger = fork();
    if (stranger == 0) _exit(connect_as(65533));
    waitpid(stranger, &status, 0);
    cr_assert_eq(WEXITSTATUS(status), 0);
    kill(other, SIGKILL);
    waitpid(other, &status, 0);
}

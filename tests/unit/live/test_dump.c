/*
 * The way hprof against JVMs that this machine has none of: one that does not write into what exists (up to JDK 14),
 * one that dumps nothing, one that stops in the middle, one that dumps in two parts (from JDK 22 on). A thread answers
 * as they do; the dump is a real one's bytes.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/note.h"
#include "live/jvm/tidy.h"
#include "live/way.h"
#include "support/hprof_heap.h"

typedef enum manner {
    WRITES_PIPES,
    REFUSES_WHAT_EXISTS,
    REFUSES_ALL,
    STOPS_HALFWAY,
    WRITES_PARTS,
    LOSES_A_PART
} manner;

typedef struct jvm {
    manner manner;
    int fd; /* listening */
    char path[108];
    pthread_t thread;
    hprof_writer dump;
    int asked;
    char folder[256]; /* where the dump was to go */
    mode_t mode;      /* of that */
} jvm;

static char notes[1024];

static void note(void *context, hsd_note_level level, const char *text)
{
    (void)context;
    if (level == HSD_NOTE_WARNING) snprintf(notes, sizeof notes, "%s", text);
}

/* ---- the JVM ---- */

static bool write_dump(jvm *it, const char *path, int flags)
{
    const size_t size = it->manner == STOPS_HALFWAY ? it->dump.size / 2 : it->dump.size;
    const int fd = open(path, flags | O_WRONLY, 0600);
    if (fd < 0) return false;
    for (size_t at = 0; at < size;) {
        const ssize_t n = write(fd, it->dump.data + at, size - at);
        if (n <= 0) break;
        at += (size_t)n;
    }
    close(fd);
    return true;
}

static void write_all(int fd, const uint8_t *data, size_t size)
{
    for (ssize_t n = 0; size > 0; data += n, size -= (size_t)n)
        if ((n = write(fd, data, size)) <= 0) return;
}

/* Where the first record of objects begins: behind the text, the size of ids and the time. */
static size_t first_segment(const hprof_writer *dump)
{
    size_t at = strlen((const char *)dump->data) + 1 + 4 + 8;
    while (at + 9 < dump->size && dump->data[at] != 0x1C)
        at += 9 + ((size_t)dump->data[at + 5] << 24 | (size_t)dump->data[at + 6] << 16 |
                   (size_t)dump->data[at + 7] << 8 | dump->data[at + 8]);
    return at;
}

/* Objects into PATH.p0, which is then opened for reading, holds nothing that could be appended, and goes. */
static bool write_parts(const jvm *it, const char *path)
{
    enum { END = 9 };
    const size_t names = first_segment(&it->dump), objects = it->dump.size - END - names;
    char second[300];
    struct stat found;
    snprintf(second, sizeof second, "%s.p0", path);
    const int whole = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600),
              part = open(second, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (whole < 0 || part < 0) return false;
    write_all(part, it->dump.data + names, objects);
    close(part);
    write_all(whole, it->dump.data, names); /* buffers are written last */
    const int again = open(second, O_RDONLY);
    cr_assert(again >= 0 && fstat(again, &found) == 0 && S_ISFIFO(found.st_mode));
    close(again);
    unlink(second);
    if (it->manner != LOSES_A_PART) write_all(whole, it->dump.data + names + objects, END);
    close(whole);
    return true;
}

static bool has_parts(const jvm *it) { return it->manner == WRITES_PARTS || it->manner == LOSES_A_PART; }

static bool obey(jvm *it, char *command)
{
    static const char overwrite[] = "GC.heap_dump -overwrite ";
    const bool may_exist = strncmp(command, overwrite, sizeof overwrite - 1) == 0;
    struct stat found = {0};
    char *path = strchr(command, '/');
    cr_assert_eq(has_parts(it), strstr(command, "-parallel=1") != NULL);
    it->asked++;
    snprintf(it->folder, sizeof it->folder, "%.*s", (int)sizeof it->folder - 1, path);
    *strrchr(it->folder, '/') = '\0';
    stat(it->folder, &found);
    it->mode = found.st_mode & 0777;
    if (it->manner == REFUSES_ALL || (may_exist && it->manner == REFUSES_WHAT_EXISTS)) return false;
    if (has_parts(it)) return write_parts(it, path);
    return write_dump(it, path, may_exist ? O_TRUNC : O_CREAT | O_EXCL);
}

static void tell_version(const jvm *it, int fd)
{
    const char *const text =
        has_parts(it) ? "0\nSome VM version 25.0.3+9\nJDK 25.0.3\n" : "0\nSome VM version 17\nJDK 17.0.15\n";
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void *serve(void *context)
{
    static const char done[] = "0\nDumping heap to x ...\nHeap dump file created [7 bytes in 1.250 secs]\n",
                      refused[] = "1\nFile exists\n";
    jvm *it = context;
    for (int fd; (fd = accept(it->fd, NULL, NULL)) >= 0; close(fd)) {
        char request[1024] = "";
        if (read(fd, request, sizeof request - 1) <= 0) continue;
        char *command = request + sizeof "1\0jcmd";
        if (strcmp(command, "VM.version") == 0) {
            tell_version(it, fd);
            continue;
        }
        const bool is_done = obey(it, command);
        if (is_done && it->manner != STOPS_HALFWAY)
            cr_assert_eq(write(fd, done, sizeof done - 1), (ssize_t)sizeof done - 1);
        if (!is_done) cr_assert_eq(write(fd, refused, sizeof refused - 1), (ssize_t)sizeof refused - 1);
    }
    return NULL;
}

static void start(jvm *it, manner how)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    *it = (jvm){.manner = how, .fd = socket(AF_UNIX, SOCK_STREAM, 0)};
    heap_write(&it->dump, &(heap_form){0});
    snprintf(it->path, sizeof it->path, "/tmp/.java_pid%ld", (long)getpid());
    memcpy(address.sun_path, it->path, strlen(it->path) + 1);
    unlink(it->path);
    cr_assert_eq(bind(it->fd, (const struct sockaddr *)&address, sizeof address), 0);
    cr_assert_eq(listen(it->fd, 4), 0);
    pthread_create(&it->thread, NULL, serve, it);
}

static void stop(jvm *it)
{
    shutdown(it->fd, SHUT_RDWR);
    pthread_join(it->thread, NULL);
    close(it->fd);
    unlink(it->path);
    free(it->dump.data);
}

/* Of the folder, also on its way out. */
static bool has_leftovers(const char *path)
{
    char gone[300];
    snprintf(gone, sizeof gone, "%s-gone", path);
    return access(path, F_OK) == 0 || access(gone, F_OK) == 0;
}

/* ---- the asker ---- */

static bool is_gone(const jvm *it) { return it->folder[0] == '/' && access(it->folder, F_OK) != 0; }

static hsd_status capture(hsd_live_result *result, off_t *size, hsd_error *err)
{
    const hsd_run run = {.note = note};
    const hsd_live_options options = {.timeout_seconds = 10};
    hsd_process_facts facts = {
        .pid = getpid(), .inner_pid = getpid(), .uid = geteuid(), .gid = getegid(), .is_same_mounts = true};
    const hsd_process process = {.pid = getpid(), .name = "test", .runtime = "HotSpot 8"};
    char name[] = "/tmp/test_dump-XXXXXX";
    struct stat found;
    hsd_reporter reporter;
    hsd_temp_space space;
    hsd_temp_space_init(&space, NULL);
    snprintf(facts.root, sizeof facts.root, "/proc/%ld/root", (long)getpid());
    const int out = mkstemp(name);
    unlink(name);
    notes[0] = '\0';
    *result = (hsd_live_result){0};
    hsd_reporter_init(&reporter, &run);
    hsd_live live = {.facts = &facts,
                     .process = &process,
                     .options = &options,
                     .run = &run,
                     .reporter = &reporter,
                     .space = &space,
                     .out_fd = out,
                     .started_ns = hsd_now_ns(),
                     .result = result};
    const hsd_status status = hsd_way_hprof.capture(&live, err);
    hsd_reporter_release(&reporter);
    fstat(out, &found);
    *size = found.st_size;
    close(out);
    return status;
}

Test(dump, goes_through_a_pipe)
{
    jvm it;
    hsd_live_result result;
    hsd_error err = {0};
    off_t size = 0;
    start(&it, WRITES_PIPES);
    cr_assert_eq(capture(&result, &size, &err), HSD_OK, "%s", err.text);
    cr_assert_gt(size, 0);
    cr_assert_eq(it.asked, 1);
    cr_assert_str_eq(notes, "");
    cr_assert_eq(result.pause_ns, UINT64_C(1250000000));
    cr_assert_eq(it.mode, 0700);
    cr_assert(is_gone(&it));
    stop(&it);
}

Test(dump, goes_through_a_file_where_pipes_are_refused)
{
    jvm it;
    hsd_live_result result;
    hsd_error err = {0};
    off_t size = 0, by_pipe = 0;
    start(&it, REFUSES_WHAT_EXISTS);
    cr_assert_eq(capture(&result, &size, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(it.asked, 2);
    cr_assert(strstr(notes, "cannot dump into a pipe") != NULL, "%s", notes);
    cr_assert_eq(result.pause_ns, UINT64_C(1250000000));
    cr_assert(is_gone(&it));
    it.manner = WRITES_PIPES;
    cr_assert_eq(capture(&result, &by_pipe, &err), HSD_OK);
    cr_assert_gt(size, by_pipe / 2);
    stop(&it);
}

Test(dump, is_refused_in_the_words_of_the_jvm)
{
    jvm it;
    hsd_live_result result;
    hsd_error err = {0};
    off_t size = 0;
    start(&it, REFUSES_ALL);
    cr_assert_eq(capture(&result, &size, &err), HSD_E_UNSUPPORTED);
    cr_assert(strstr(err.text, "File exists") != NULL, "%s", err.text);
    cr_assert_eq(size, 0);
    cr_assert(is_gone(&it));
    stop(&it);
}

Test(dump, that_stops_halfway_is_no_capture)
{
    jvm it;
    hsd_live_result result;
    hsd_error err = {0};
    off_t size = 0;
    start(&it, STOPS_HALFWAY);
    cr_assert_eq(capture(&result, &size, &err), HSD_E_TRUNCATED, "%s", err.text);
    cr_assert(is_gone(&it));
    stop(&it);
}

Test(dump, in_two_parts_is_put_together)
{
    jvm it;
    hsd_live_result result;
    hsd_error err = {0};
    off_t size = 0, in_one = 0;
    start(&it, WRITES_PARTS);
    cr_assert_eq(capture(&result, &size, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(it.asked, 1);
    cr_assert_eq(result.pause_ns, UINT64_C(1250000000));
    cr_assert(is_gone(&it));
    it.manner = WRITES_PIPES;
    cr_assert_eq(capture(&result, &in_one, &err), HSD_OK);
    cr_assert(size > in_one - 64 && size < in_one + 64, "%lld, and %lld in one part", (long long)size,
              (long long)in_one);
    stop(&it);
}

Test(dump, in_two_parts_that_has_no_end_is_no_capture)
{
    jvm it;
    hsd_live_result result;
    hsd_error err = {0};
    off_t size = 0;
    start(&it, LOSES_A_PART);
    cr_assert_eq(capture(&result, &size, &err), HSD_E_TRUNCATED, "%s", err.text);
    cr_assert(is_gone(&it));
    stop(&it);
}

/* ---- what must not stay */

/* The asker is killed: then only comes what the JVM was asked for, again and again, into the folder while it goes. */
Test(dump, of_an_asker_that_was_killed_does_not_stay)
{
    static const char *const pipes[] = {"heap", NULL};
    hsd_process_facts facts = {.pid = getpid(), .uid = geteuid(), .gid = getegid()};
    char *path = mmap(NULL, 256, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), file[300];
    snprintf(facts.root, sizeof facts.root, "/proc/%ld/root", (long)getpid());
    for (int round = 0; round < 50; round++) {
        const pid_t asker = fork();
        hsd_tidy tidy;
        /* which is as good as killed */
        if (asker == 0) _exit(hsd_tidy_folder(&tidy, &facts, path, 256, pipes, NULL) != HSD_OK);
        cr_assert_eq(waitpid(asker, NULL, 0), asker);
        snprintf(file, sizeof file, "%s/%s", path, round % 2 == 0 ? "heap" : "heap.p0");
        for (int i = 0; i < 2000 && access(path, F_OK) == 0; i++) {
            const int fd = open(file, O_WRONLY | O_CREAT | O_NONBLOCK, 0600);
            if (fd >= 0) close(fd);
        }
        for (int i = 0; i < 500 && has_leftovers(path); i++)
            usleep(20000);
        cr_assert(!has_leftovers(path), "%s", path);
    }
}

/* Asker and child killed both: the folder goes with the next capture, if nobody holds it and it is old. */
Test(dump, folders_that_were_left_go_with_the_next_capture)
{
    const struct timespec old[2] = {{.tv_sec = time(NULL) - 3600}, {.tv_sec = time(NULL) - 3600}};
    const char *const left = "/tmp/.hsdiff-dump-left", *const held = "/tmp/.hsdiff-dump-held";
    jvm it;
    hsd_live_result result;
    hsd_error err = {0};
    off_t size = 0;
    cr_assert(mkdir(left, 0700) == 0 && mkdir(held, 0700) == 0 && mkfifo("/tmp/.hsdiff-dump-left/heap", 0600) == 0);
    const int lock = open(held, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cr_assert_eq(flock(lock, LOCK_SH), 0);
    cr_assert(utimensat(AT_FDCWD, left, old, 0) == 0 && utimensat(AT_FDCWD, held, old, 0) == 0);
    start(&it, WRITES_PIPES);
    cr_assert_eq(capture(&result, &size, &err), HSD_OK, "%s", err.text);
    stop(&it);
    cr_expect_neq(access(left, F_OK), 0);
    cr_expect_eq(access(held, F_OK), 0);
    close(lock);
    rmdir(held);
}

/*
 * The way hprof against JVMs that this machine has none of: one that does not write into what exists (up to JDK 14), one that dumps
 * nothing, one that stops in the middle. A thread answers as they do; the dump is a real one's bytes.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/note.h"
#include "live/way.h"
#include "support/hprof_heap.h"

typedef enum manner { WRITES_PIPES, REFUSES_WHAT_EXISTS, REFUSES_ALL, STOPS_HALFWAY } manner;

typedef struct jvm {
    manner manner;
    int fd;              /* listening */
    char path[108];
    pthread_t thread;
    hprof_writer dump;
    int asked;
    char folder[256];    /* where the dump was to go */
    mode_t mode;         /* of that */
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

static bool obey(jvm *it, char *command)
{
    static const char overwrite[] = "GC.heap_dump -overwrite ", plain[] = "GC.heap_dump ";
    const bool may_exist = strncmp(command, overwrite, sizeof overwrite - 1) == 0;
    struct stat found = {0};
    char *path = command + (may_exist ? sizeof overwrite : sizeof plain) - 1;
    snprintf(it->folder, sizeof it->folder, "%.*s", (int)sizeof it->folder - 1, path);
    *strrchr(it->folder, '/') = '\0';
    stat(it->folder, &found);
    it->mode = found.st_mode & 0777;
    if (it->manner == REFUSES_ALL || (may_exist && it->manner == REFUSES_WHAT_EXISTS)) return false;
    return write_dump(it, path, may_exist ? O_TRUNC : O_CREAT | O_EXCL);
}

static void *serve(void *context)
{
    static const char done[] = "0\nDumping heap to x ...\nHeap dump file created [7 bytes in 1.250 secs]\n", refused[] = "1\nFile exists\n";
    jvm *it = context;
    for (int fd; (fd = accept(it->fd, NULL, NULL)) >= 0; close(fd)) {
        char request[1024] = "";
        if (read(fd, request, sizeof request - 1) <= 0) continue;
        it->asked++;
        const bool is_done = obey(it, request + sizeof "1\0jcmd");
        if (is_done && it->manner != STOPS_HALFWAY) cr_assert_eq(write(fd, done, sizeof done - 1), (ssize_t)sizeof done - 1);
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

/* ---- the asker ---- */

static bool is_gone(const jvm *it) { return it->folder[0] == '/' && access(it->folder, F_OK) != 0; }

static hsd_status capture(hsd_live_result *result, off_t *size, hsd_error *err)
{
    const hsd_run run = {.note = note};
    const hsd_live_options options = {.timeout_seconds = 10};
    hsd_process_facts facts = {.pid = getpid(), .inner_pid = getpid(), .uid = geteuid(), .gid = getegid(), .is_same_mounts = true};
    const hsd_process process = {.pid = getpid(), .name = "test", .runtime = "HotSpot 8"};
    char name[] = "/tmp/test_dump-XXXXXX";
    struct stat found;
    hsd_reporter reporter;
    snprintf(facts.root, sizeof facts.root, "/proc/%ld/root", (long)getpid());
    const int out = mkstemp(name);
    unlink(name);
    notes[0] = '\0';
    *result = (hsd_live_result){0};
    hsd_reporter_init(&reporter, &run);
    hsd_live live = {.facts = &facts, .process = &process, .options = &options, .run = &run, .reporter = &reporter, .out_fd = out,
                     .started_ns = hsd_now_ns(), .result = result};
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

/* Captures from outside, from end to end: whole ones, refused ones, cut ones, agents that lie, users who lose patience.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <hsdiff/capture.h>

#include "live/measure.h"
#include "live/way.h"
#include "support/hprof_heap.h"
#include "unit/io/scratch.h"
#include "unit/live/child.h"

static hsd_error why;
static hsd_live_result result;
static hsd_live_options options;

static void start(void)
{
    scratch_make();
    hsd_error_init(&why);
    options = (hsd_live_options){.compression = 1, .timeout_seconds = 20};
}

TestSuite(capture, .init = start, .fini = scratch_remove, .timeout = 60);

static bool has(const char *text, const char *part) { return strstr(text, part) != NULL; }

static hsd_status take(const child *c, const hsd_run *run)
{
    const hsd_process process = child_look(c);
    return hsd_live_capture(&process, scratch_path("x.hs"), false, &options, run, &result, &why);
}

static hsd_capture *open_it(hsd_damage damage)
{
    hsd_capture *capture = NULL;
    cr_assert_eq(hsd_capture_open(&capture, scratch_path("x.hs"), damage, NULL, &why), HSD_OK, "%s", why.text);
    return capture;
}

Test(capture, is_whole_and_tells_what_is_in_it)
{
    struct stat info;
    child c = child_start("agent", "objects=54321");
    cr_assert_eq(take(&c, NULL), HSD_OK, "%s", why.text);
    cr_assert(result.is_complete && result.objects == 54321 && result.references == 54320 && result.losses == 0);
    cr_assert_eq(result.pause_ns, 1234567);
    cr_assert(result.bytes > 54321 * 16 && result.duration_ns > 0);
    cr_assert(stat(scratch_path("x.hs"), &info) == 0 && (info.st_mode & 07777) == 0600);
    cr_assert_eq(result.output_bytes, (uint64_t)info.st_size);
    hsd_capture *capture = open_it(HSD_DAMAGE_REFUSE);
    const hsd_capture_info *about = hsd_capture_get_info(capture);
    cr_assert(about->pid == (uint64_t)c.pid && strcmp(about->process_name, "live_program") == 0);
    cr_assert_eq(about->started_unix_ns, child_look(&c).started_unix_ns);
    hsd_capture_close(capture);
    child_end(&c);
    cr_assert_eq(scratch_count(), 1);
}

Test(capture, may_have_no_name)
{
    int fd;
    struct stat info;
    hsd_capture *capture = NULL;
    child c = child_start("agent", "objects=54321");
    const hsd_process process = child_look(&c);
    const hsd_run run = {.temp_dir = scratch_path("")};
    cr_assert_eq(hsd_live_capture_temp(&process, &options, &run, &fd, &result, &why), HSD_OK, "%s", why.text);
    cr_assert(result.is_complete && result.objects == 54321);
    cr_assert(fstat(fd, &info) == 0 && (info.st_mode & 07777) == 0600 && info.st_nlink == 0);
    cr_assert_eq(result.output_bytes, (uint64_t)info.st_size);
    cr_assert_eq(scratch_count(), 0);
    cr_assert_eq(hsd_capture_open_fd(&capture, fd, "x", HSD_DAMAGE_REFUSE, NULL, &why), HSD_OK, "%s", why.text);
    hsd_capture_close(capture);
    child_end(&c);
    cr_assert_eq(hsd_live_capture_temp(&process, &options, &run, &fd, &result, &why), HSD_E_NOT_FOUND);
    cr_assert_eq(fd, -1);
}

Test(capture, replaces_nothing_unless_forced)
{
    child c = child_start("agent", "");
    const hsd_process process = child_look(&c);
    scratch_write("x.hs", "mine", 4);
    cr_assert_eq(take(&c, NULL), HSD_E_IO);
    cr_assert(has(why.hint, "--force"));
    cr_assert_eq(hsd_live_capture(&process, scratch_path("x.hs"), true, &options, NULL, &result, &why), HSD_OK, "%s",
                 why.text);
    hsd_capture_close(open_it(HSD_DAMAGE_REFUSE));
    child_end(&c);
}

Test(capture, goes_into_a_pipe_when_it_is_whole)
{
    child c = child_start("agent", "objects=30000");
    const hsd_process process = child_look(&c);
    cr_assert_eq(mkfifo(scratch_path("pipe"), 0600), 0);
    const int reader = open(scratch_path("pipe"), O_RDONLY | O_NONBLOCK);
    fcntl(reader, F_SETPIPE_SZ, 1 << 20);
    cr_assert_eq(hsd_live_capture(&process, scratch_path("pipe"), false, &options, NULL, &result, &why), HSD_OK, "%s",
                 why.text);
    char *bytes = malloc(1 << 20);
    const ssize_t size = read(reader, bytes, 1 << 20);
    cr_assert_eq((uint64_t)size, result.output_bytes);
    scratch_write("x.hs", bytes, (size_t)size);
    hsd_capture_close(open_it(HSD_DAMAGE_REFUSE));
    free(bytes);
    close(reader);
    child_end(&c);
}

Test(capture, refused_by_the_agent_says_why)
{
    child c = child_start("agent", "refuse=1");
    cr_assert_eq(take(&c, NULL), HSD_E_UNSUPPORTED);
    cr_assert(has(why.text, "refuses: not now: the heap is being walked"), "%s", why.text);
    cr_assert_eq(scratch_count(), 0);
    child_end(&c);
}

Test(capture, forgets_nothing_where_nothing_is_kept)
{
    child c = child_start("agent", "");
    const hsd_process process = child_look(&c);
    cr_assert_eq(hsd_live_forget(&process, NULL, &why), HSD_E_UNSUPPORTED);
    cr_assert(has(why.text, "keeps nothing"), "%s", why.text);
    child_end(&c);
}

Test(capture, cut_one_leaves_nothing)
{
    child c = child_start("agent", "cut=500");
    cr_assert_eq(take(&c, NULL), HSD_E_TRUNCATED);
    cr_assert(has(why.text, "went away in the middle of the capture") && has(why.hint, "--partial"), "%s", why.text);
    cr_assert_eq(scratch_count(), 0);
    child_end(&c);
}

Test(capture, cut_one_is_kept_when_asked_and_is_incomplete)
{
    child c = child_start("agent", "objects=200000 cut=150000 big=1");
    options.keep_cut = true;
    cr_assert_eq(take(&c, NULL), HSD_OK, "%s", why.text);
    cr_assert(!result.is_complete && result.objects > 0 && result.objects < 150000);
    hsd_capture *capture = open_it(HSD_DAMAGE_SKIP);
    cr_assert_not(hsd_capture_get_info(capture)->is_complete);
    hsd_capture_close(capture);
    child_end(&c);
}

/* As soon as some of the capture has come. */
static bool kill_in_the_middle(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)stage, (void)total;
    if (done > 0) kill(*(const pid_t *)context, SIGKILL);
    return true;
}

Test(capture, of_a_process_that_is_killed_is_cut)
{
    child c = child_start("agent", "objects=10000000 pause=5 big=1");
    const hsd_run run = {.progress = kill_in_the_middle, .progress_context = &c.pid};
    cr_assert_eq(take(&c, &run), HSD_E_TRUNCATED);
    cr_assert_eq(scratch_count(), 0);
    child_kill(&c);
}

typedef struct patience {
    int calls, most;
} patience;

static bool count_calls(void *context, const char *stage, uint64_t done, uint64_t total)
{
    patience *p = context;
    cr_assert(has(stage, "live_program") && total == 0);
    (void)done;
    return ++p->calls < p->most;
}

Test(capture, onto_a_full_disk_leaves_nothing_and_the_program_goes_on)
{
    child c = child_start("agent", "objects=1000000 big=1");
    if (!scratch_limit(256)) cr_skip("mounting is not allowed here");
    const hsd_run here = {.temp_dir = scratch};
    for (int i = 0; i < 3; i++) {
        hsd_error_init(&why);
        cr_assert_eq(take(&c, &here), HSD_E_IO);
        cr_assert(why.sys_errno == ENOSPC, "%s", why.text);
        cr_assert_eq(scratch_count(), 0);
        cr_assert(child_is_alive(&c));
    }
    child_end(&c);
}

Test(capture, can_be_cancelled)
{
    patience p = {0, 3};
    const hsd_run run = {.progress = count_calls, .progress_context = &p};
    child c = child_start("agent", "objects=10000000 pause=5");
    cr_assert_eq(take(&c, &run), HSD_E_CANCELLED);
    cr_assert_eq(p.calls, 3);
    cr_assert_eq(scratch_count(), 0);
    cr_assert(child_is_alive(&c));
    child_kill(&c);
}

Test(capture, cancelled_is_not_kept)
{
    patience p = {0, 3};
    const hsd_run run = {.progress = count_calls, .progress_context = &p};
    child c = child_start("agent", "objects=10000000 pause=5 big=1");
    options.keep_cut = true;
    cr_assert_eq(take(&c, &run), HSD_E_CANCELLED);
    cr_assert_eq(scratch_count(), 0);
    child_kill(&c);
}

Test(capture, of_another_process_with_that_number_is_refused)
{
    child c = child_start("agent", "");
    hsd_process process = child_look(&c);
    process.started_unix_ns -= 10000000;
    cr_assert_eq(hsd_live_capture(&process, scratch_path("x.hs"), false, &options, NULL, &result, &why),
                 HSD_E_NOT_FOUND);
    child_end(&c);
    process.started_unix_ns += 10000000;
    cr_assert_eq(hsd_live_capture(&process, scratch_path("x.hs"), false, &options, NULL, &result, &why),
                 HSD_E_NOT_FOUND);
    process.way = NULL;
    cr_assert_eq(hsd_live_capture(&process, scratch_path("x.hs"), false, &options, NULL, &result, &why), HSD_E_MISUSE);
}

Test(capture, of_a_process_in_another_network_is_open_to_root)
{
    child c;
    if (geteuid() != 0 || !child_start_as(&c, 0, true, "agent", "")) cr_skip("namespaces are not allowed here");
    cr_assert_eq(take(&c, NULL), HSD_OK, "%s", why.text);
    cr_assert_eq(result.objects, 1000);
    child_end(&c);
    child plain = child_start("agent", ""); /* and we are back where we were */
    scratch_remove();
    scratch_make();
    cr_assert_eq(take(&plain, NULL), HSD_OK, "%s", why.text);
    child_end(&plain);
}

/* ---- agents that lie ---- */

static void expect_lie(const char *mode, hsd_status status, const char *part)
{
    child c = child_start("hostile", mode);
    options.timeout_seconds = 1;
    hsd_error_init(&why);
    cr_assert_eq(take(&c, NULL), status, "%s: %s", mode, why.text);
    cr_assert(has(why.text, part), "%s: %s", mode, why.text);
    cr_assert_eq(scratch_count(), 0);
    child_kill(&c);
}

Test(capture, of_who_is_no_agent_ends_in_a_sentence)
{
    expect_lie("nothing", HSD_E_TRUNCATED, "went away without an answer");
    expect_lie("half-line", HSD_E_TRUNCATED, "in the middle of its answer");
    expect_lie("ok-only", HSD_E_TRUNCATED, "before its first byte");
    expect_lie("header-only", HSD_E_TRUNCATED, "inside its file header");
    expect_lie("garbage", HSD_E_NOT_THIS_FORMAT, "is no heap capture");
    expect_lie("no-answer", HSD_E_NOT_THIS_FORMAT, "is no agent");
    expect_lie("no-sentence", HSD_E_NOT_THIS_FORMAT, "is no agent");
    expect_lie("sentence", HSD_E_UNSUPPORTED, "refuses: ");
    expect_lie("endless", HSD_E_NOT_THIS_FORMAT, "its answer has no end");
    expect_lie("silent", HSD_E_IO, "nothing came from process");
}

Test(capture, that_begins_like_one_and_is_none_is_not_kept)
{
    child c = child_start("hostile", "magic-garbage");
    for (int keep = 0; keep < 2; keep++) {
        options.keep_cut = keep;
        hsd_error_init(&why);
        cr_assert_lt(take(&c, NULL), 0);
        cr_assert_neq(why.text[0], '\0');
        cr_assert_eq(scratch_count(), 0);
    }
    child_kill(&c);
}

Test(capture, asks_nobody_who_took_the_name)
{
    char pid[24];
    child plain = child_start("plain", "");
    snprintf(pid, sizeof pid, "%ld", (long)plain.pid);
    child thief = child_start("stranger", pid);
    cr_assert_eq(take(&plain, NULL), HSD_E_UNSUPPORTED);
    cr_assert(has(why.text, "it is not asked"), "%s", why.text);
    child_end(&thief);
    child_end(&plain);
}

/* As in two containers that share a network, which have the same numbers. */
Test(capture, finds_the_agent_behind_a_name_that_another_took)
{
    child c = child_start("crowded", "objects=77");
    cr_assert_eq(take(&c, NULL), HSD_OK, "%s", why.text);
    cr_assert_eq(result.objects, 77);
    child_end(&c);
}

/* ---- dumps of other formats ---- */

typedef struct feeder {
    int fd;
    const uint8_t *data;
    size_t size;
    bool stays_open;
} feeder;

static void *feed(void *context)
{
    const feeder *f = context;
    for (size_t at = 0; at < f->size;) {
        const ssize_t put = write(f->fd, f->data + at, f->size - at < 1000 ? f->size - at : 1000);
        if (put <= 0) break;
        at += (size_t)put;
    }
    if (!f->stays_open) close(f->fd);
    return NULL;
}

static size_t one_more_metric(void *context, hsd_origin_metric *out, size_t most)
{
    cr_assert(most > 0);
    out[0] = (hsd_origin_metric){"gc.count", "count", *(const uint64_t *)context};
    return 1;
}

/* Imports these bytes as if they came from the child; the capture lies in x.hs. */
static hsd_status import_dump(const child *c, const uint8_t *data, size_t size, bool stays_open,
                              const hsd_import_options *how)
{
    static const hsd_run quiet;
    int pair[2];
    pthread_t thread;
    hsd_process_facts facts = {.pid = c->pid, .started_unix_ns = child_look(c).started_unix_ns};
    const hsd_process process = {.pid = c->pid, .name = "shop", .runtime = "HotSpot 17"};
    hsd_reporter reporter;
    cr_assert_eq(pipe(pair), 0);
    feeder f = {pair[1], data, size, stays_open};
    const int out = open(scratch_path("x.hs"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    hsd_reporter_init(&reporter, &quiet);
    hsd_live live = {.facts = &facts,
                     .process = &process,
                     .options = &options,
                     .run = &quiet,
                     .reporter = &reporter,
                     .out_fd = out,
                     .started_ns = hsd_now_ns(),
                     .result = &result};
    live.before_count = hsd_measure_process(c->pid, live.before, HSD_LIVE_METRICS);
    pthread_create(&thread, NULL, feed, &f);
    const hsd_status status = hsd_live_import(&live, pair[0], NULL, how, &why);
    close(pair[0]);
    pthread_join(thread, NULL);
    if (stays_open) close(pair[1]);
    hsd_reporter_release(&reporter);
    close(out);
    return status;
}

static uint64_t metric_of(hsd_capture *capture, const char *name)
{
    hsd_record_reader *reader = NULL;
    hsd_record record;
    uint64_t value = 0;
    cr_assert_eq(hsd_record_reader_open(&reader, capture, HSD_RECORD_METRIC, &why), HSD_OK);
    while (hsd_record_reader_next(reader, &record, &why) == HSD_OK)
        if (record.metric.name.size == strlen(name) &&
            memcmp(record.metric.name.data, name, record.metric.name.size) == 0)
            value = record.metric.value;
    hsd_record_reader_close(reader);
    return value;
}

static uint8_t *make_dump(size_t *size)
{
    hprof_writer writer = {0};
    heap_write(&writer, &(heap_form){0});
    *size = writer.size;
    return writer.data; /* owned by the caller */
}

Test(capture, imported_one_tells_of_the_process)
{
    static const uint8_t unknown[16];
    uint64_t collections = 17;
    const hsd_import_origin more = {.runtime = "HotSpot 99", .metrics = one_more_metric, .context = &collections};
    const hsd_import_options how = {.compression = 1, .origin = &more};
    size_t size = 0;
    uint8_t *data = make_dump(&size);
    child c = child_start("agent", "");
    cr_assert_eq(import_dump(&c, data, size, false, &how), HSD_OK, "%s", why.text);
    hsd_capture *capture = open_it(HSD_DAMAGE_REFUSE);
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    cr_assert(info->is_complete && info->pid == (uint64_t)c.pid &&
              info->started_unix_ns == child_look(&c).started_unix_ns);
    cr_assert(strcmp(info->process_name, "shop") == 0 && strcmp(info->runtime, "HotSpot 99") == 0);
    cr_assert_neq(memcmp(info->domain, unknown, 16), 0);
    cr_assert(metric_of(capture, "process.rss") > 100000 && metric_of(capture, "threads") >= 1);
    cr_assert(metric_of(capture, "capture.duration") > 0 && metric_of(capture, "gc.count") == 17);
    hsd_capture_close(capture);
    child_end(&c);
    free(data);
}

Test(capture, imported_one_that_stalls_is_given_up)
{
    size_t size = 0;
    uint8_t *data = make_dump(&size);
    child c = child_start("agent", "");
    options.timeout_seconds = 1;
    cr_assert_eq(import_dump(&c, data, size / 2, true, NULL), HSD_E_IO);
    cr_assert(has(why.text, "nothing came from process"), "%s", why.text);
    child_end(&c);
    free(data);
}

Test(capture, imported_one_that_ends_early_is_truncated)
{
    size_t size = 0;
    uint8_t *data = make_dump(&size);
    child c = child_start("agent", "");
    cr_assert_eq(import_dump(&c, data, size / 2, false, NULL), HSD_E_TRUNCATED);
    child_end(&c);
    free(data);
}

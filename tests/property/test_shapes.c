/*
 * No shape of a heap stalls a diff or needs more stack or memory: lists of three kinds, a star, a cycle, a comb, all
 * objects with one id, a million roots, each against a random heap of the same size. A thread with a
 * stack of 256 KiB does the work (release). 300,000 objects, 100,000 under sanitizers; HSD_LONG=1: 10 M.
 */
#include <criterion/criterion.h>

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/note.h"
#include "support/random.h"
#include "support/sizes.h"
#include <hscapture/hscapture.h>
#include <hsdiff/diff.h>

typedef enum shape { RANDOM, LIST, BACKWARDS, SCATTERED, STAR, CYCLE, COMB, ONE_ID, ALL_ROOTS, SHAPES } shape;

static const char *const names[SHAPES] = {"random", "list", "backwards", "scattered", "star",
                                          "cycle",  "comb", "one id",    "all roots"};

typedef struct job {
    uint64_t objects;
    shape shape;
    bool by_ordinal;
    uint64_t elapsed_ns, used_ns; /* of the clock, and of the processor */
    uint64_t live, kept;
    hsd_status status;
    hsd_error error;
} job;

static char path[] = "/tmp/hsdiff-shapes-XXXXXX";

static uint64_t id_of(const job *j, uint64_t i) { return j->by_ordinal ? i : 4096 + 16 * i; }

static void refer(hsc_writer *w, const job *j, uint64_t target) { hsc_reference(w, id_of(j, target), 0, 0); }

static void write_references(hsc_writer *w, const job *j, uint64_t i, test_random *random)
{
    const uint64_t next = i + 1;
    switch (j->shape) {
    case RANDOM:
        for (int k = 0; k < 2; k++)
            refer(w, j, test_below(random, j->objects));
        break;
    case STAR:
        for (uint64_t t = 1; i == 0 && t < j->objects; t++)
            refer(w, j, t);
        break;
    case BACKWARDS:
        if (i > 0) refer(w, j, i - 1);
        break;
    case SCATTERED: refer(w, j, (i + 104729) % j->objects); break; /* far away each time */
    case CYCLE: refer(w, j, next % j->objects); break;
    case COMB:
        if (i % 2 == 0 && next < j->objects) refer(w, j, next);
        if (i % 2 == 0 && next + 1 < j->objects) refer(w, j, next + 1);
        break;
    case LIST:
    case ONE_ID:
    case ALL_ROOTS:
        if (next < j->objects) refer(w, j, next);
        break;
    case SHAPES: break;
    }
}

static hsc_status write_heap(const job *j)
{
    hsc_writer *w;
    hsc_options options;
    test_random random = {1};
    hsc_options_init(&options);
    options.identity = HSC_IDENTITY_EXACT;
    options.targets_are_ordinals = j->by_ordinal;
    remove(path);
    if (hsc_open_file(&w, path, &options) != HSC_OK) return HSC_E_IO;
    hsc_define_type(w, 1, "Node", 4, 0);
    for (uint64_t i = 0; i < j->objects; i++) {
        hsc_begin_object(w, &(hsc_object){.id = j->shape == ONE_ID ? 7 : id_of(j, i), .type = 1, .size_bytes = 32});
        write_references(w, j, i, &random);
        hsc_end_object(w);
    }
    const uint64_t roots = j->shape == ALL_ROOTS || j->shape == ONE_ID || j->shape == RANDOM ? j->objects : 1;
    for (uint64_t i = 0; i < roots; i++) {
        const uint64_t target = j->shape == BACKWARDS ? id_of(j, j->objects - 1) : id_of(j, i);
        hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL,
                                       .target = j->shape == ONE_ID && !j->by_ordinal ? 7 : target});
    }
    const hsc_status status = hsc_finish(w);
    hsc_close(w);
    return status;
}

static hsd_status compare(job *j)
{
    const hsd_run run = {.memory_bytes = UINT64_C(64) << 20, .threads = 1};
    hsd_capture *before = NULL, *after = NULL;
    hsd_diff *diff = NULL;
    hsd_status status = hsd_capture_open(&before, path, HSD_DAMAGE_REFUSE, &run, &j->error);
    if (status == HSD_OK) status = hsd_capture_open(&after, path, HSD_DAMAGE_REFUSE, &run, &j->error);
    if (status == HSD_OK) status = hsd_diff_run(&diff, before, after, NULL, &run, &j->error);
    if (status == HSD_OK) {
        j->live = diff->total.after.objects;
        j->kept = diff->total.kept.objects;
    }
    hsd_diff_free(diff);
    hsd_capture_close(before);
    hsd_capture_close(after);
    return status;
}

static void *work(void *context)
{
    job *j = context;
    const uint64_t start = hsd_now_ns();
    j->status = compare(j);
    j->elapsed_ns = hsd_now_ns() - start;
    struct timespec used = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    j->used_ns = (uint64_t)used.tv_sec * UINT64_C(1000000000) + (uint64_t)used.tv_nsec;
    return NULL;
}

static void run_with_small_stack(job *j)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
#ifdef __SANITIZE_ADDRESS__
    const size_t stack_bytes = 2 << 20; /* the sanitizer's frames are several times as large */
#else
    const size_t stack_bytes = 256 << 10;
#endif
    cr_assert_eq(pthread_attr_setstacksize(&attributes, stack_bytes), 0);
    cr_assert_eq(pthread_create(&thread, &attributes, work, j), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

static void compare_shapes(bool by_ordinal)
{
    const uint64_t objects = test_is_long() ? 10000000 : test_size(300000, 100000);
    uint64_t random_ns = 0;
    const int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    for (shape s = RANDOM; s < SHAPES; s++) {
        job j = {.objects = objects, .shape = s, .by_ordinal = by_ordinal};
        cr_assert_eq(write_heap(&j), HSC_OK);
        run_with_small_stack(&j);
        cr_assert_eq(j.status, HSD_OK, "%s: %s", names[s], j.error.text);
        if (s != ONE_ID || by_ordinal) cr_assert_eq(j.live, objects, "%s: %lu live", names[s], (unsigned long)j.live);
        cr_assert_eq(j.kept, j.live, "%s: %lu kept", names[s], (unsigned long)j.kept);
        if (s == RANDOM) random_ns = j.elapsed_ns;
        const double ratio = (double)j.elapsed_ns / (double)random_ns;
        printf("%s by %s: %.2f s, %.2f of a random heap; %.2f s of the processor\n", names[s],
               by_ordinal ? "ordinal" : "id", (double)j.elapsed_ns * 1e-9, ratio, (double)j.used_ns * 1e-9);
        cr_assert_lt(ratio, test_is_long() ? 3.0 : 10.0, "%s takes %.1f times as long as a random heap", names[s],
                     ratio);
    }
    remove(path);
}

Test(shapes, none_stalls_a_diff_by_id, .timeout = 7200) { compare_shapes(false); }
Test(shapes, none_stalls_a_diff_by_ordinal, .timeout = 7200) { compare_shapes(true); }

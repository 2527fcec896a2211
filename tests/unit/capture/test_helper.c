/*
 * A helper that encodes blocks: the capture has the same bytes, whether it runs at once, on another thread, as late as
 * it may, or not at all; and a sink that refuses is told of, wherever it is called.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/writer.h"
#include "support/random.h"

enum { MOST_BYTES = 4 << 20 };

typedef struct memory_file {
    unsigned char *bytes;
    size_t used, calls, refuses_at; /* 0: never */
} memory_file;

static ptrdiff_t take(void *context, const void *data, size_t size)
{
    memory_file *file = context;
    if (++file->calls == file->refuses_at) return -1;
    cr_assert_leq(file->used + size, MOST_BYTES);
    memcpy(file->bytes + file->used, data, size);
    file->used += size;
    return (ptrdiff_t)size;
}

/* ---- helpers ---- */

typedef struct worker {
    void (*job)(void *argument);
    void *argument;
    pthread_t thread;
    unsigned jobs;
} worker;

static void *run_thread(void *context)
{
    const worker *w = context;
    w->job(w->argument);
    return NULL;
}

static bool start_thread(void *context, void (*job)(void *argument), void *argument)
{
    worker *w = context;
    *w = (worker){.job = job, .argument = argument, .jobs = w->jobs + 1};
    return pthread_create(&w->thread, NULL, run_thread, w) == 0;
}

static void wait_thread(void *context) { pthread_join(((worker *)context)->thread, NULL); }

static bool start_late(void *context, void (*job)(void *argument), void *argument)
{
    worker *w = context;
    *w = (worker){.job = job, .argument = argument, .jobs = w->jobs + 1};
    return true;
}

static void wait_late(void *context) { run_thread(context); }

static bool start_never(void *context, void (*job)(void *argument), void *argument)
{
    (void)job;
    (void)argument;
    ((worker *)context)->jobs++;
    return false;
}

enum { NOBODY, THREAD, LATE, NEVER, HELPERS };

static hsc_helper helper_of(int kind, worker *w)
{
    return (hsc_helper){.start = kind == THREAD ? start_thread
                                 : kind == LATE ? start_late
                                                : start_never,
                        .wait = kind == THREAD ? wait_thread : wait_late,
                        .context = w};
}

/* ---- captures ---- */

typedef struct form {
    bool by_ordinal, has_values;
    int compression;
    size_t memory_bytes;
    uint64_t seed;
} form;

/* Objects of a few references and, now and then, of more than a block has room for; fields that grow; tables between.
 */
static hsc_status write_records(hsc_writer *w, const form *f)
{
    test_random random = {f->seed};
    for (uint64_t i = 0; i < 3000; i++) {
        const uint64_t wide = test_below(&random, 900) == 0 ? UINT64_C(1) << 40 : 0;
        const hsc_object object = {.id = 0x1000 + i * 16 + wide,
                                   .type = (uint32_t)test_below(&random, 9),
                                   .size_bytes = test_below(&random, 300),
                                   .site = test_below(&random, 50) == 0 ? 3 : 0};
        hsc_status status = hsc_begin_object(w, &object);
        if (status == HSC_OK && f->has_values && i % 5 == 0) status = hsc_value(w, "some value", i % 11);
        const uint64_t count = test_below(&random, 400) == 0 ? 20000 : test_below(&random, 6);
        for (uint64_t r = 0; r < count && status == HSC_OK; r++)
            status =
                hsc_reference(w, f->by_ordinal ? test_below(&random, 3000) : 0x1000 + test_below(&random, 3000) * 16,
                              1 + (uint32_t)test_below(&random, 4), r % 7 == 0 ? r : 0);
        if (status == HSC_OK) status = hsc_end_object(w);
        if (status == HSC_OK) status = hsc_root(w, &(hsc_root_record){.kind = 1, .target = i});
        if (status != HSC_OK) return status;
    }
    return hsc_finish(w);
}

/* Writes a capture; *jobs tells how many blocks the helper had. */
static hsc_status write_capture(const form *f, int kind, memory_file *file, unsigned *jobs)
{
    hsc_writer *w;
    hsc_options options;
    worker work = {0};
    const hsc_helper helper = helper_of(kind, &work);
    hsc_options_init(&options);
    options.capture_id[0] = 7;
    options.taken_unix_ns = 5;
    options.compression = f->compression;
    options.memory_bytes = f->memory_bytes;
    options.targets_are_ordinals = f->by_ordinal;
    options.facts = f->has_values ? HSC_FACT_VALUES : 0;
    file->used = file->calls = 0;
    hsc_status status = hsc_open(&w, &(hsc_sink){.write = take, .context = file}, &options);
    if (status != HSC_OK) return status;
    if (kind != NOBODY) cr_assert_eq(hsc_use_helper(w, &helper), HSC_OK);
    status = write_records(w, f);
    cr_assert(status != HSC_OK || hsc_bytes_written(w) == file->used);
    if (status != HSC_OK) cr_assert_neq(strlen(hsc_error_text(w)), 0);
    hsc_close(w);
    *jobs = work.jobs;
    return status;
}

static form draw_form(test_random *random)
{
    return (form){.by_ordinal = test_below(random, 2) == 0,
                  .has_values = test_below(random, 2) == 0,
                  .compression = (int)test_below(random, 2),
                  .memory_bytes = (size_t)(64 + test_below(random, 200)) << 10,
                  .seed = test_next(random)};
}

Test(helper, the_capture_has_the_same_bytes)
{
    test_random random = {test_seed(21)};
    memory_file one = {.bytes = malloc(MOST_BYTES)}, other = {.bytes = malloc(MOST_BYTES)};
    for (int round = 0; round < 12; round++) {
        const form f = draw_form(&random);
        unsigned jobs;
        cr_assert_eq(write_capture(&f, NOBODY, &one, &jobs), HSC_OK);
        for (int kind = THREAD; kind < HELPERS; kind++) {
            cr_assert_eq(write_capture(&f, kind, &other, &jobs), HSC_OK);
            cr_assert_gt(jobs, 2);
            cr_assert_eq(one.used, other.used, "round %d, helper %d", round, kind);
            cr_assert_eq(memcmp(one.bytes, other.bytes, one.used), 0, "round %d, helper %d", round, kind);
        }
    }
    free(one.bytes);
    free(other.bytes);
}

Test(helper, a_sink_that_refuses_is_told_of)
{
    test_random random = {test_seed(22)};
    memory_file file = {.bytes = malloc(MOST_BYTES)};
    const form f = draw_form(&random);
    unsigned jobs;
    cr_assert_eq(write_capture(&f, NOBODY, &file, &jobs), HSC_OK);
    const size_t calls = file.calls;
    for (size_t at = 1; at <= calls; at++) {
        file.refuses_at = at;
        cr_assert_eq(write_capture(&f, at % 2 == 0 ? THREAD : LATE, &file, &jobs), HSC_E_IO, "call %zu", at);
    }
    free(file.bytes);
}

static void *take_some(void *context, size_t size)
{
    unsigned *left = context;
    if (*left == 0) return NULL;
    --*left;
    return calloc(1, size);
}

static void give_some(void *context, void *memory)
{
    (void)context;
    free(memory);
}

Test(helper, says_when_there_is_no_memory_for_it)
{
    memory_file file = {.bytes = malloc(MOST_BYTES)};
    worker work = {0};
    const hsc_helper helper = helper_of(LATE, &work);
    unsigned left = 100;
    const hsc_allocator allocator = {.take = take_some, .give = give_some, .context = &left};
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    options.allocator = &allocator;
    cr_assert_eq(hsc_open(&w, &(hsc_sink){.write = take, .context = &file}, &options), HSC_OK);
    left = 0;
    cr_assert_eq(hsc_use_helper(w, &helper), HSC_E_NOMEM);
    cr_assert_neq(strlen(hsc_error_text(w)), 0);
    hsc_close(w);
    free(file.bytes);
}

Test(helper, refuses_what_comes_too_late_or_is_not_whole)
{
    memory_file file = {.bytes = malloc(MOST_BYTES)};
    worker work = {0};
    hsc_helper helper = helper_of(LATE, &work);
    for (int i = 0; i < 4; i++) {
        hsc_writer *w;
        hsc_options options;
        hsc_options_init(&options);
        cr_assert_eq(hsc_open(&w, &(hsc_sink){.write = take, .context = &file}, &options), HSC_OK);
        if (i == 0) cr_assert_eq(hsc_use_helper(w, NULL), HSC_E_MISUSE);
        if (i == 1) cr_assert_eq(hsc_use_helper(w, &(hsc_helper){.start = start_late}), HSC_E_MISUSE);
        if (i == 2) cr_assert_eq(hsc_use_helper(w, &helper), HSC_OK);
        if (i == 2) cr_assert_eq(hsc_use_helper(w, &helper), HSC_E_MISUSE);
        if (i == 3) cr_assert_eq(hsc_begin_object(w, &(hsc_object){.id = 1}), HSC_OK);
        if (i == 3) cr_assert_eq(hsc_use_helper(w, &helper), HSC_E_MISUSE);
        hsc_close(w);
    }
    free(file.bytes);
}

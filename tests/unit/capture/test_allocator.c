/*
 * hsc_options.allocator: every byte of a writer comes from there, so that a producer which must not call malloc can
 * write.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "core/writer.h"

typedef struct counter {
    size_t taken, given, left; /* calls; calls that will still succeed */
} counter;

static void *take(void *context, size_t size)
{
    counter *count = context;
    if (count->left == 0) return NULL;
    count->left--;
    count->taken++;
    return calloc(1, size);
}

static void give(void *context, void *memory)
{
    ((counter *)context)->given++;
    free(memory);
}

static ptrdiff_t swallow(void *context, const void *data, size_t size)
{
    (void)context;
    (void)data;
    return (ptrdiff_t)size;
}

/* Enough types and blocks for the counters and the index to grow. */
static hsc_status write_capture(counter *count)
{
    const hsc_allocator allocator = {take, give, count};
    hsc_writer *w = NULL;
    hsc_options options;
    hsc_options_init(&options);
    options.allocator = &allocator;
    options.memory_bytes = 64 << 10;
    hsc_status status = hsc_open(&w, &(hsc_sink){.write = swallow}, &options);
    for (uint32_t i = 1; i <= 200000 && status == HSC_OK; i++) {
        hsc_begin_object(w,
                         &(hsc_object){.id = i * UINT64_C(0x9E3779B97F4A7C15), .type = i % 500 + 1, .size_bytes = 32});
        status = hsc_end_object(w);
    }
    if (status == HSC_OK) status = hsc_finish(w);
    hsc_close(w);
    return status;
}

Test(allocator, gives_back_all_that_was_taken)
{
    counter count = {.left = SIZE_MAX};
    cr_assert_eq(write_capture(&count), HSC_OK);
    cr_assert_gt(count.taken, 5);
    cr_assert_eq(count.taken, count.given);
}

Test(allocator, that_is_empty_fails_the_capture)
{
    counter all = {.left = SIZE_MAX};
    cr_assert_eq(write_capture(&all), HSC_OK);
    for (size_t left = 0; left < all.taken; left++) {
        counter count = {.left = left};
        cr_assert_eq(write_capture(&count), HSC_E_NOMEM, "with %zu of %zu", left, all.taken);
        cr_assert_eq(count.taken, count.given);
    }
}

/*
 * The compressor: stays inside the memory it is given at every level, gives back what went in, and says so when
 * something does not get smaller.
 */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "core/codec.h"

static unsigned char in[200000], out[200000], back[200000];

static void fill_like_columns(void)
{
    uint64_t state = 1;
    for (size_t i = 0; i < sizeof in; i++) {
        state = state * 6364136223846793005u + 1;
        in[i] = (unsigned char)(i % 5 == 0 ? state >> 60 : i >> 8);
    }
}

Test(codec, works_at_every_level_in_little_memory)
{
    fill_like_columns();
    static const size_t budgets[] = {0, 20000, 100000, 1000000, 10000000};
    for (int level = -7; level <= 19; level++) {
        for (size_t b = 0; b < 5; b++) {
            hsc_codec_plan plan;
            hsc_compressor compressor = {0};
            hsc_codec_make_plan(&plan, level, budgets[b]);
            cr_assert(plan.workspace_bytes <= budgets[b] || plan.workspace_bytes < 32 << 10);
            void *workspace = malloc(plan.workspace_bytes);
            cr_assert(hsc_codec_init(&compressor, &plan, workspace), "level %d in %zu bytes", level,
                      plan.workspace_bytes);
            const size_t got = hsc_codec_compress(&compressor, out, sizeof out, in, sizeof in);
            cr_assert(got > 0 && got < sizeof in, "level %d in %zu bytes: %zu", level, plan.workspace_bytes, got);
            cr_assert_eq(ZSTD_decompress(back, sizeof back, out, got), sizeof in);
            cr_assert_arr_eq(back, in, sizeof in);
            free(workspace);
        }
    }
}

/* Step by step down to the least memory: what a plan needs is enough for it, and each is of a smaller window. */
Test(codec, windows_are_as_large_as_the_memory_allows)
{
    for (int level = -7; level <= 19; level++) {
        hsc_codec_plan plan, again;
        unsigned window = 64;
        for (size_t memory = (size_t)64 << 20;; memory = plan.workspace_bytes - 1) {
            hsc_codec_make_plan(&plan, level, memory);
            if (plan.workspace_bytes > memory) break; /* as small as it goes */
            hsc_codec_make_plan(&again, level, plan.workspace_bytes);
            cr_assert(again.level == plan.level && again.window_log == plan.window_log &&
                          again.workspace_bytes == plan.workspace_bytes,
                      "level %d in %zu bytes", level, plan.workspace_bytes);
            cr_assert(plan.window_log < window || plan.level != level || level == 1, "level %d", level);
            if (plan.level == level && level != 1) window = plan.window_log;
        }
        cr_assert(window == 10 || level == 1, "level %d: %u is the smallest of its own", level, window);
    }
}

Test(codec, refuses_what_the_library_does_not_know)
{
    hsc_codec_plan plan;
    hsc_compressor compressor = {0};
    hsc_codec_make_plan(&plan, 1, 300000);
    void *workspace = malloc(plan.workspace_bytes);
    plan.window_log = 99;
    cr_assert_not(hsc_codec_init(&compressor, &plan, workspace));
    free(workspace);
}

Test(codec, says_what_does_not_fit)
{
    hsc_codec_plan plan;
    hsc_compressor compressor = {0};
    hsc_codec_make_plan(&plan, 1, 300000);
    void *workspace = malloc(plan.workspace_bytes);
    cr_assert(hsc_codec_init(&compressor, &plan, workspace));
    uint64_t state = 1;
    for (size_t i = 0; i < 5000; i++)
        in[i] = (unsigned char)((state = state * 6364136223846793005u + 1) >> 56);
    cr_assert_eq(hsc_codec_compress(&compressor, out, 4999, in, 5000), 0);
    cr_assert_gt(hsc_codec_compress(&compressor, out, 6000, in, 5000), 0);
    free(workspace);
}

Test(codec, refuses_a_workspace_that_is_too_small)
{
    hsc_codec_plan plan;
    hsc_compressor compressor = {0};
    hsc_codec_make_plan(&plan, 1, 300000);
    void *workspace = malloc(plan.workspace_bytes);
    plan.workspace_bytes = 4096;
    cr_assert_not(hsc_codec_init(&compressor, &plan, workspace));
    free(workspace);
}

Test(codec, compresses_nothing_where_there_is_none)
{
    hsc_compressor none = {0};
    cr_assert_eq(hsc_codec_compress(&none, out, sizeof out, in, 100), 0);
}

/*
 * The bound on memory, measured as the allocator sees it: from hsc_open to hsc_close a capture of a million objects
 * stays within hsc_options.memory_bytes plus the index and the counters. Means nothing under a sanitizer, whose
 * allocator is another.
 */
#include <criterion/criterion.h>
#include <malloc.h>
#include <stdio.h>

#include "core/writer.h"

static uint64_t written;

static ptrdiff_t take(void *context, const void *data, size_t size)
{
    (void)context;
    (void)data;
    written += size;
    return (ptrdiff_t)size;
}

static size_t in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static void stays_within(size_t memory, int compression)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    options.memory_bytes = memory;
    options.compression = compression;
    const size_t before = in_use();
    cr_assert_eq(hsc_open(&w, &(hsc_sink){take, NULL, NULL}, &options), HSC_OK);
    for (uint32_t i = 0; i < 1000000; i++) {
        hsc_begin_object(w, &(hsc_object){.id = 0x10000 + 32 * (uint64_t)i, .type = i % 10, .size_bytes = 32});
        hsc_reference(w, 0x10000 + 32 * (uint64_t)(i / 2), 1, 0);
        hsc_reference(w, 0x10000 + 32 * (uint64_t)(i * 7 % 1000000), 2, 0);
        hsc_end_object(w);
    }
    cr_assert_eq(hsc_finish(w), HSC_OK);
    const size_t used = in_use() - before;
    const size_t index = (size_t)w->blocks.index.count * 13 + 4096; /* 12 bytes a block, and the last piece */
    fprintf(stderr, "memory_bytes %zu, level %d: %zu bytes in use at the end, %llu blocks, %llu bytes written\n",
            memory, compression, used, (unsigned long long)w->blocks.count, (unsigned long long)written);
    cr_assert_leq(used, memory + index);
    hsc_close(w);
    cr_assert_leq(in_use(), before + 1024);
}

Test(memory, stays_within_64_KiB) { stays_within(64 << 10, 1); }
Test(memory, stays_within_1_MiB) { stays_within(1 << 20, 1); }
Test(memory, stays_within_1_MiB_without_compression) { stays_within(1 << 20, 0); }
Test(memory, stays_within_4_MiB_at_level_5) { stays_within(4 << 20, 5); }

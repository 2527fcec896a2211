/*
 * The store of blocks: what was written is read, in memory or through pages, and a failure is an error and never
 * a wrong block.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "graph/blocks.h"

static hsd_temp_space space;
static hsd_error err;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
}

TestSuite(blocks, .init = setup);

static void fill(hsd_blocks *blocks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *block;
        cr_assert_eq(hsd_blocks_add(blocks, &block, &err), HSD_OK);
        cr_assert(block[0] == 0 && block[HSD_BLOCK_BYTES - 1] == 0, "block %u is not zeroed", i);
        memset(block, (int)(i % 251 + 1), HSD_BLOCK_BYTES);
        cr_assert_eq(blocks->count, i + 1);
    }
}

static void check_all(hsd_blocks *blocks)
{
    for (uint32_t step = 0; step < 3 * blocks->count; step++) {
        const uint32_t i = step * 61 % blocks->count;
        const uint8_t *block = hsd_blocks_at(blocks, i);
        cr_assert(hsd_blocks_is_near(blocks, i));
        cr_assert_eq(block[0], i % 251 + 1, "block %u", i);
        cr_assert_eq(memcmp(block, block + 1, HSD_BLOCK_BYTES - 1), 0, "block %u", i);
    }
    cr_assert_eq(hsd_blocks_check(blocks, &err), HSD_OK);
}

Test(blocks, are_read_as_they_were_written_whatever_their_number)
{
    for (uint32_t count = 1; count < 70; count++) {
        for (int is_small = 0; is_small < 2; is_small++) {
            hsd_blocks blocks;
            hsd_blocks_begin(&blocks, is_small ? HSD_BLOCKS_LEAST_BYTES * 5 / 4 : UINT64_C(16) << 20, &space);
            fill(&blocks, count);
            cr_assert_eq(hsd_blocks_finish(&blocks, &err), HSD_OK, "%s", err.text);
            cr_assert_eq(blocks.has_pages, is_small && count > HSD_SLAB_BLOCKS, "%u blocks", count);
            check_all(&blocks);
            hsd_blocks_release(&blocks);
            cr_assert_eq(space.bytes_now, 0);
        }
    }
}

/* What came back to memory as a whole is read without pages, until the memory is bounded anew. */
Test(blocks, that_were_loaded_are_all_there)
{
    hsd_blocks blocks;
    hsd_blocks_begin(&blocks, HSD_BLOCKS_LEAST_BYTES * 5 / 4, &space);
    fill(&blocks, 200);
    cr_assert_eq(hsd_blocks_finish(&blocks, &err), HSD_OK, "%s", err.text);
    hsd_blocks_load(&blocks);
    cr_assert(blocks.has_pages && !hsd_blocks_are_all_there(&blocks), "they do not fit");
    cr_assert_eq(hsd_blocks_set_memory(&blocks, UINT64_C(16) << 20, &err), HSD_OK);
    cr_assert_not(hsd_blocks_are_all_there(&blocks));
    hsd_blocks_load(&blocks);
    cr_assert(hsd_blocks_are_all_there(&blocks));
    const uint64_t read = blocks.pages.transfers;
    check_all(&blocks);
    cr_assert_eq(blocks.pages.transfers, read);
    cr_assert_eq(hsd_blocks_set_memory(&blocks, UINT64_C(16) << 20, &err), HSD_OK);
    cr_assert(hsd_blocks_are_all_there(&blocks), "as much memory as before");
    cr_assert_eq(hsd_blocks_set_memory(&blocks, HSD_BLOCKS_LEAST_BYTES * 5 / 4, &err), HSD_OK);
    cr_assert_not(hsd_blocks_are_all_there(&blocks));
    check_all(&blocks);
    hsd_blocks_release(&blocks);
    cr_assert_eq(space.bytes_now, 0);
}

/* Slabs of 4 MiB: all fit, or all but the newest leave. */
Test(blocks, are_the_same_in_large_slabs)
{
    for (uint32_t count = 255; count < 9000; count += 1 + count * 2) {
        hsd_blocks blocks;
        hsd_blocks_begin(&blocks, HSD_LARGE_SLABS_FROM, &space);
        fill(&blocks, count);
        cr_assert_eq(hsd_blocks_finish(&blocks, &err), HSD_OK, "%s", err.text);
        cr_assert_eq(blocks.slab_shift, HSD_LARGE_SLAB_SHIFT);
        cr_assert_eq(blocks.has_pages, count > 4096, "%u blocks", count);
        cr_assert_leq(blocks.slab_count * (HSD_LARGE_SLABS_FROM >> 4),
                      blocks.has_pages ? UINT64_MAX : HSD_LARGE_SLABS_FROM);
        check_all(&blocks);
        cr_assert_eq(hsd_blocks_set_memory(&blocks, UINT64_C(1) << 20, &err), HSD_OK);
        check_all(&blocks);
        hsd_blocks_release(&blocks);
        cr_assert_eq(space.bytes_now, 0);
    }
}

Test(blocks, keep_to_their_memory)
{
    hsd_blocks blocks;
    hsd_blocks_begin(&blocks, UINT64_C(2) << 20, &space);
    for (uint32_t i = 0; i < 400; i++) {
        uint8_t *block;
        cr_assert_eq(hsd_blocks_add(&blocks, &block, &err), HSD_OK);
        memset(block, (int)(i % 251 + 1), HSD_BLOCK_BYTES);
        uint32_t resident = 0;
        for (uint32_t slab = 0; slab < blocks.slab_count; slab++)
            resident += blocks.slabs[slab] != NULL;
        cr_assert_leq(resident, 7, "seven slabs and a slab's worth for what their owner needs");
    }
    cr_assert_eq(hsd_blocks_finish(&blocks, &err), HSD_OK);
    cr_assert_leq(blocks.pages.frame_count, 128);
    cr_assert_eq(space.bytes_now, 400 * HSD_BLOCK_BYTES);
    check_all(&blocks);
    cr_assert_eq(hsd_blocks_set_memory(&blocks, HSD_BLOCKS_LEAST_BYTES * 5 / 4, &err), HSD_OK);
    cr_assert_leq(blocks.pages.frame_count, 20);
    check_all(&blocks);
    cr_assert_eq(hsd_blocks_set_memory(&blocks, UINT64_C(64) << 20, &err), HSD_OK);
    check_all(&blocks);
    hsd_blocks_release(&blocks);
    cr_assert_eq(space.bytes_now, 0);
}

Test(blocks, that_fit_stay_when_memory_stays_enough)
{
    hsd_blocks blocks;
    hsd_blocks_begin(&blocks, UINT64_C(16) << 20, &space);
    fill(&blocks, 100);
    cr_assert_eq(hsd_blocks_finish(&blocks, &err), HSD_OK);
    cr_assert_eq(hsd_blocks_set_memory(&blocks, UINT64_C(2) << 20, &err), HSD_OK);
    cr_assert_eq(space.bytes_written, 0);
    cr_assert_eq(hsd_blocks_set_memory(&blocks, UINT64_C(1) << 20, &err), HSD_OK);
    cr_assert_eq(space.bytes_now, 100 * HSD_BLOCK_BYTES);
    check_all(&blocks);
    hsd_blocks_release(&blocks);
}

Test(blocks, that_cannot_be_read_are_zeros_and_an_error)
{
    hsd_blocks blocks;
    hsd_blocks_begin(&blocks, HSD_BLOCKS_LEAST_BYTES * 5 / 4, &space);
    fill(&blocks, 100);
    cr_assert_eq(hsd_blocks_finish(&blocks, &err), HSD_OK);
    cr_assert_eq(hsd_blocks_at(&blocks, 3)[5], 4);
    cr_assert_eq(ftruncate(blocks.pages.file.fd, 50 * HSD_BLOCK_BYTES), 0);
    cr_assert_eq(hsd_blocks_at(&blocks, 70)[5], 0);
    cr_assert_eq(hsd_blocks_at(&blocks, 3)[5], 0, "nothing is believed from then on");
    cr_assert_eq(hsd_blocks_check(&blocks, &err), HSD_E_CORRUPT);
    hsd_blocks_release(&blocks);
}

Test(blocks, are_refused_behind_the_last_that_has_a_number)
{
    hsd_blocks blocks;
    uint8_t *block;
    hsd_blocks_begin(&blocks, UINT64_C(16) << 20, &space);
    blocks.count = HSD_BLOCKS_MOST; /* as if all before it were there */
    cr_assert_eq(hsd_blocks_add(&blocks, &block, &err), HSD_E_UNSUPPORTED);
    cr_assert(strstr(err.text, "64 TiB") != NULL, "%s", err.text);
    blocks.count = 0;
    hsd_blocks_release(&blocks);
}

Test(blocks, that_cannot_be_written_are_an_error)
{
    hsd_temp_space nowhere;
    hsd_temp_space_init(&nowhere, "/nonexistent-folder");
    hsd_blocks blocks;
    hsd_blocks_begin(&blocks, HSD_BLOCKS_LEAST_BYTES, &nowhere);
    uint8_t *block;
    for (uint32_t i = 0; i < HSD_SLAB_BLOCKS; i++)
        cr_assert_eq(hsd_blocks_add(&blocks, &block, &err), HSD_OK);
    cr_assert_eq(hsd_blocks_add(&blocks, &block, &err), HSD_E_IO);
    hsd_blocks_release(&blocks);
}

/*
 * Blocks on their way out (core/block.h): compressed where that makes them smaller, whatever room the compressor has,
 * and else as they are.
 */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/block.h"
#include "core/layout.h"
#include "core/writer.h"
#include "unit/capture/memory_sink.h"

enum { MOST = 600, HEADER = HSC_BLOCK_HEADER_BYTES };

static memory_sink sink;
static hsc_blocks blocks;
static hsc_compressor other; /* with the same settings as that of `blocks` */
static void *workspaces[2];
static unsigned char area[HEADER + MOST], room[HEADER + 2 * MOST], packed[2 * MOST];
static unsigned char *const raw = area + HEADER;

static void set_up(void)
{
    hsc_codec_plan plan;
    hsc_codec_make_plan(&plan, 1, 1 << 20);
    sink = memory_sink_new(1 << 20);
    const hsc_sink s = memory_sink_of(&sink);
    hsc_output_to_sink(&blocks.output, &s);
    for (size_t i = 0; i < 2; i++) {
        workspaces[i] = malloc(plan.workspace_bytes);
        cr_assert(hsc_codec_init(i == 0 ? &blocks.compressor : &other, &plan, workspaces[i]));
    }
}

static void tear_down(void)
{
    hsc_index_release(&blocks.index);
    memory_sink_free(&sink);
    free(workspaces[0]);
    free(workspaces[1]);
}

TestSuite(block_sent, .init = set_up, .fini = tear_down);

static uint32_t get_u32(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Sends raw[0 .. used) with so much room: it must be compressed where `packed_bytes` of it can be smaller and fit. */
static void expect_sent(size_t used, size_t room_bytes, size_t packed_bytes)
{
    const hsc_block block = {.type = HSC_BLOCK_METRICS, .records = 1};
    sink.size = 0;
    cr_assert_eq(hsc_block_send(&blocks, raw, &block, used, (hsc_room){room, room_bytes}), HSC_OK);
    const unsigned char *header = sink.bytes, *payload = header + HEADER;
    cr_assert_eq(get_u32(header + 32), used);
    cr_assert_eq(get_u32(header + 36), sink.size - HEADER);
    if (header[5] == HSC_CODEC_NONE) {
        cr_assert_eq(sink.size, HEADER + used);
        cr_assert_eq(memcmp(payload, raw, used), 0);
    } else {
        cr_assert_gt(used, HSC_SMALLEST_COMPRESSED);
        cr_assert_lt(sink.size, HEADER + used, "%zu bytes became %zu", used, sink.size - HEADER);
    }
    const bool can_be = used > HSC_SMALLEST_COMPRESSED && packed_bytes != 0 && packed_bytes < used;
    if (!can_be || room_bytes < HEADER + packed_bytes) cr_assert_eq(header[5], HSC_CODEC_NONE);
    if (packed_bytes + 32 < used && used > HSC_SMALLEST_COMPRESSED && room_bytes >= HEADER + used)
        cr_assert_eq(header[5], HSC_CODEC_ZSTD, "%zu bytes", used);
}

Test(block_sent, is_compressed_where_that_makes_it_smaller)
{
    uint64_t state = 3;
    unsigned same = 0, smaller = 0;
    for (unsigned run = 0; run < 1500; run++) {
        const size_t used = run % 3 == 0 ? 1 + run % 70 : 65 + run % (MOST - 65), equal = run % 47;
        for (size_t i = 0; i < used; i++) {
            state = state * 6364136223846793005u + 1;
            raw[i] = i < equal ? 7 : (unsigned char)(state >> 56);
        }
        const size_t got = hsc_codec_compress(&other, packed, sizeof packed, raw, used);
        same += got == used;
        smaller += got < used;
        const size_t rooms[] = {
            0,          1, HEADER, HEADER + 1, HEADER + used / 2, HEADER + used - 1, HEADER + used, HEADER + used + 1,
            sizeof room};
        for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++)
            expect_sent(used, rooms[i], got);
    }
    cr_assert(same > 20 && smaller > 200, "%u as long as before, %u smaller", same, smaller);
}

Test(block_sent, is_not_compressed_up_to_64_bytes)
{
    memset(raw, 7, MOST);
    for (size_t used = 1; used < 130; used++) {
        const hsc_block block = {.type = HSC_BLOCK_METRICS, .records = 1};
        sink.size = 0;
        cr_assert_eq(hsc_block_send(&blocks, raw, &block, used, (hsc_room){room, sizeof room}), HSC_OK);
        cr_assert_eq(sink.bytes[5], used <= 64 ? HSC_CODEC_NONE : HSC_CODEC_ZSTD, "%zu bytes", used);
    }
}

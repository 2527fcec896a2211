/*
 * Tapes against what was written: from both ends, in memory and in a file, many on one reel, chunks used again.
 */
#include <criterion/criterion.h>

#include "base/check.h"
#include "base/worker.h"
#include "graph/tape.h"

enum { ITEMS = 10000 };

static hsd_temp_space space;
static hsd_error err;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
}

TestSuite(tape, .init = setup);

#define FAR (HSD_NODE_MAX - UINT32_MAX) /* numbers of 32 bits, or others */

static void put_all(hsd_tape *tape, uint32_t first)
{
    for (uint32_t i = 0; i < ITEMS; i++)
        hsd_tape_put_node(tape, FAR + first + i);
    hsd_tape_finish(tape);
}

static void fill(hsd_tape *tape, hsd_reel *reel, uint32_t first)
{
    hsd_tape_init(tape, reel);
    put_all(tape, first);
}

static void check(hsd_tape *tape, uint32_t first, hsd_tape_order order, bool is_last)
{
    hsd_tape_reader reader;
    hsd_node value;
    uint32_t count = 0;
    const bool is_forward = order == HSD_TAPE_FORWARD;
    hsd_tape_read(&reader, tape, order, is_last);
    while (is_forward ? hsd_tape_get_node(&reader, &value) : hsd_tape_get_node_back(&reader, &value)) {
        cr_assert_eq(value, FAR + first + (is_forward ? count : ITEMS - 1 - count));
        count++;
    }
    cr_assert_eq(count, ITEMS);
    hsd_tape_close(&reader);
}

static void use(bool is_resident)
{
    hsd_reel reel;
    hsd_tape one, other, third;
    hsd_reel_init(&reel, is_resident, HSD_TAPE_MIN_CHUNK, &space);
    fill(&one, &reel, 5);
    fill(&other, &reel, 77);
    check(&one, 5, HSD_TAPE_FORWARD, false);
    check(&one, 5, HSD_TAPE_BACKWARD, true);
    const uint32_t chunks = reel.resident.count + reel.filed.count;
    fill(&third, &reel, 999);
    cr_assert_eq(reel.resident.count + reel.filed.count, chunks, "the chunks of a tape that was read are used again");
    check(&other, 77, HSD_TAPE_BACKWARD, false);
    check(&third, 999, HSD_TAPE_FORWARD, true);
    hsd_tape_release(&one);
    hsd_tape_release(&other);
    hsd_tape_release(&third);
    cr_assert_eq(hsd_reel_check(&reel, &err), HSD_OK);
    cr_assert_eq(reel.transfers > 0, !is_resident);
    hsd_reel_release(&reel);
    cr_assert_eq(space.bytes_peak > 0, !is_resident);
    cr_assert_eq(space.bytes_now, 0);
}

/* Reads the chunks of a third and a half of a tape that two wrote, and what follows: none comes twice, and none is
 * lost. */
static void use_in_parts(bool is_resident)
{
    hsd_reel reel;
    hsd_tape tape, more, again;
    uint32_t count = 0;
    hsd_node value;
    hsd_reel_init(&reel, is_resident, HSD_TAPE_MIN_CHUNK, &space);
    fill(&tape, &reel, 5);
    fill(&more, &reel, 5 + ITEMS);
    const uint32_t chunks = tape.chunk_count + more.chunk_count;
    hsd_tape_append(&tape, &more);
    cr_assert_eq(tape.chunk_count, chunks);
    cr_assert_eq(more.chunk_count, 0);
    const uint32_t borders[] = {0, chunks / 3, chunks / 3, chunks / 2 + 1, chunks};
    for (size_t i = 0; i + 1 < sizeof borders / sizeof borders[0]; i++) {
        hsd_tape_reader reader;
        hsd_tape_read_chunks(&reader, &tape, borders[i], borders[i + 1], true);
        while (hsd_tape_get_node(&reader, &value))
            cr_assert_eq(value, FAR + 5 + count++);
        hsd_tape_close(&reader);
    }
    cr_assert_eq(count, 2 * ITEMS);
    const uint32_t taken = reel.resident.count;
    fill(&again, &reel, 1);
    cr_assert_eq(reel.resident.count, taken, "chunks of all parts are used again");
    hsd_tape_release(&again);
    hsd_tape_release(&tape);
    cr_assert_eq(hsd_reel_check(&reel, &err), HSD_OK);
    hsd_reel_release(&reel);
}

Test(tape, is_read_in_parts_in_memory) { use_in_parts(true); }
Test(tape, is_read_in_parts_from_a_file) { use_in_parts(false); }

/* Each number, some of many chunks, and none behind the end. */
static void seek(bool is_resident)
{
    static const uint32_t steps[] = {1, 7, 63, 64, 65, 1000, ITEMS - 1};
    hsd_reel reel;
    hsd_tape tape;
    hsd_node value;
    hsd_reel_init(&reel, is_resident, HSD_TAPE_MIN_CHUNK, &space);
    fill(&tape, &reel, 3);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        hsd_tape_reader reader;
        hsd_tape_read(&reader, &tape, HSD_TAPE_FORWARD, false);
        for (uint32_t index = 0; index < ITEMS; index += steps[i]) {
            cr_assert(hsd_tape_seek_node(&reader, index, &value));
            cr_assert_eq(value, FAR + 3 + index);
        }
        cr_assert(!hsd_tape_seek_node(&reader, ITEMS, &value));
        hsd_tape_close(&reader);
    }
    cr_assert_eq(hsd_reel_check(&reel, &err), HSD_OK);
    hsd_tape_release(&tape);
    hsd_reel_release(&reel);
}

Test(tape, is_asked_for_single_numbers_in_memory) { seek(true); }
Test(tape, is_asked_for_single_numbers_in_a_file) { seek(false); }

typedef struct writing {
    hsd_reel *reel;
    hsd_tape tapes[4];
} writing;

static hsd_status write_and_read(void *context, hsd_error *error)
{
    writing *w = context;
    for (uint32_t i = 0; i < 4; i++)
        fill(&w->tapes[i], w->reel, i);
    for (uint32_t i = 0; i < 4; i++)
        check(&w->tapes[i], i, i % 2 == 0 ? HSD_TAPE_FORWARD : HSD_TAPE_BACKWARD, i < 2);
    for (uint32_t i = 0; i < 2; i++) {
        hsd_tape_release(&w->tapes[i]);
        fill(&w->tapes[i], w->reel, 1000 + i);
        check(&w->tapes[i], 1000 + i, HSD_TAPE_FORWARD, true);
    }
    return hsd_reel_check(w->reel, error);
}

/* What is given back goes from one to the other; some chunks are in memory, some in the file. */
Test(tape, are_written_and_read_by_two_threads)
{
    hsd_reel reel;
    hsd_reel_init(&reel, false, HSD_TAPE_MIN_CHUNK, &space);
    cr_assert(hsd_reel_set_room(&reel, 30 * HSD_TAPE_MIN_CHUNK));
    writing first = {.reel = &reel}, second = {.reel = &reel};
    cr_assert_eq(hsd_run_both((hsd_job){write_and_read, &first}, (hsd_job){write_and_read, &second}, true, &err),
                 HSD_OK);
    for (uint32_t i = 0; i < 4; i++) {
        hsd_tape_release(&first.tapes[i]);
        hsd_tape_release(&second.tapes[i]);
    }
    hsd_reel_release(&reel);
}

Test(tape, is_read_from_both_ends_in_memory) { use(true); }
Test(tape, is_read_from_both_ends_from_a_file) { use(false); }

/* Both sides of each border of a length, those that end in what looks like a mark, and any. */
static hsd_node small_number(uint32_t i)
{
    static const hsd_node borders[] = {
        62,
        63,
        64,
        65,
        0xfffff,
        0x100000,
        0xfffffff,
        0x10000000,
        0,
        1,
        252,
        253,
        254,
        255,
        256,
        0xfdfd,
        0xffff,
        0x010000,
        0xfdffff,
        0xffffff,
        0x01000000,
        0xfdfdfdfd,
        UINT32_MAX,
#if HSD_NODE_BITS == 64
        31,
        32,
        248,
        249,
        250,
        0x3ffff,
        0x40000,
        0x3ffffff,
        0x4000000,
        UINT64_C(0x100000000),
        UINT64_C(0x3ffffffff),
        UINT64_C(0x400000000),
        UINT64_C(0xfffdfdfdfd),
        UINT64_C(0x10000000000),
        UINT64_C(0x3ffffffffff),
        UINT64_C(0x40000000000),
        UINT64_C(0xf9f9f9f9f9f9),
        UINT64_C(0x3ffffffffffff),
        UINT64_C(0x4000000000000),
        UINT64_C(0xffffffffffffff),
        UINT64_C(0x100000000000000),
        UINT64_C(0x3ffffffffffffff),
        UINT64_C(0x400000000000000),
        HSD_NODE_MAX - 1,
#endif
        HSD_NODE_MAX
    };
    const uint32_t count = sizeof borders / sizeof borders[0];
    return i % 3 == 0
               ? borders[i / 3 % count]
               : (hsd_node)(i * UINT64_C(0x9e3779b97f4a7c15) >> (64 - HSD_NODE_BITS)) >> (i % (HSD_NODE_BITS - 1));
}

typedef struct two_ended { /* a way in which numbers are kept that are read from both ends */
    void (*put)(hsd_tape *tape, hsd_node value);
    uint32_t (*bytes)(uint64_t value);
    bool (*get)(hsd_tape_reader *reader, hsd_node *value);
    bool (*get_back)(hsd_tape_reader *reader, hsd_node *value);
} two_ended;

static const two_ended small_way = {hsd_tape_put_small, hsd_tape_small_bytes, hsd_tape_get_small,
                                    hsd_tape_get_small_back};
static const two_ended spread_way = {hsd_tape_put_spread, hsd_tape_spread_bytes, hsd_tape_get_spread,
                                     hsd_tape_get_spread_back};

static void use_two_ended(const two_ended *way, bool is_resident)
{
    hsd_reel reel;
    hsd_tape tape;
    hsd_tape_reader reader;
    hsd_node value;
    uint32_t count = 0;
    uint64_t bytes = 0;
    hsd_reel_init(&reel, is_resident, HSD_TAPE_MIN_CHUNK, &space);
    hsd_tape_init(&tape, &reel);
    for (uint32_t i = 0; i < ITEMS; i++) {
        way->put(&tape, small_number(i));
        bytes += way->bytes(small_number(i));
    }
    hsd_tape_finish(&tape);
    for (uint32_t i = 0; i < tape.chunk_count; i++)
        bytes -= tape.chunks[i].used;
    cr_assert_eq(bytes, 0, "numbers take what is said");
    hsd_tape_read(&reader, &tape, HSD_TAPE_BACKWARD, false);
    while (way->get_back(&reader, &value)) {
        count++;
        cr_assert_eq(value, small_number(ITEMS - count), "%u from the end", count);
    }
    cr_assert_eq(count, ITEMS);
    hsd_tape_close(&reader);
    hsd_tape_read(&reader, &tape, HSD_TAPE_FORWARD, true);
    for (count = 0; way->get(&reader, &value); count++)
        cr_assert_eq(value, small_number(count), "%u", count);
    cr_assert_eq(count, ITEMS);
    hsd_tape_close(&reader);
    hsd_tape_release(&tape);
    cr_assert_eq(hsd_reel_check(&reel, &err), HSD_OK);
    hsd_reel_release(&reel);
}

Test(tape, keeps_small_numbers_in_memory) { use_two_ended(&small_way, true); }
Test(tape, keeps_small_numbers_in_a_file) { use_two_ended(&small_way, false); }
Test(tape, keeps_spread_numbers_in_memory) { use_two_ended(&spread_way, true); }
Test(tape, keeps_spread_numbers_in_a_file) { use_two_ended(&spread_way, false); }

/* Pairs of numbers, forwards; single ones at any place and ahead of where they are read. */
Test(tape, keeps_pairs_and_finds_items)
{
    hsd_reel reel;
    hsd_tape pairs, numbers;
    hsd_tape_reader reader;
    hsd_two pair;
    hsd_node value;
    uint32_t count = 0;
    hsd_reel_init(&reel, true, HSD_TAPE_MIN_CHUNK, &space);
    hsd_tape_init(&pairs, &reel);
    for (uint32_t i = 0; i < ITEMS; i++)
        hsd_tape_put_two(&pairs, hsd_two_of(FAR + i, HSD_NODE_MAX - i));
    hsd_tape_finish(&pairs);
    fill(&numbers, &reel, 3);
    hsd_tape_read(&reader, &pairs, HSD_TAPE_FORWARD, true);
    for (; hsd_tape_get_two(&reader, &pair); count++)
        cr_assert(hsd_two_first(pair) == FAR + count && hsd_two_second(pair) == HSD_NODE_MAX - count, "%u", count);
    cr_assert_eq(count, ITEMS);
    hsd_tape_close(&reader);
    hsd_tape_read(&reader, &numbers, HSD_TAPE_FORWARD, false);
    for (count = 0; hsd_tape_get_node(&reader, &value); count++) {
        cr_assert_eq(hsd_tape_at_node(&numbers, count), FAR + 3 + count);
        if (hsd_tape_peek_node(&reader, 4, &value)) cr_assert_eq(value, FAR + 3 + count + 5);
    }
    cr_assert_eq(count, ITEMS);
    hsd_tape_close(&reader);
    hsd_tape_release(&pairs);
    hsd_tape_release(&numbers);
    hsd_reel_release(&reel);
}

/* Records of every length, which never lie across two chunks. */
Test(tape, keeps_records_whole)
{
    hsd_reel reel;
    hsd_tape tape;
    hsd_tape_reader reader;
    hsd_reel_init(&reel, false, HSD_TAPE_MIN_CHUNK, &space);
    hsd_tape_init(&tape, &reel);
    for (uint32_t i = 0; i < ITEMS; i++) {
        const uint32_t bytes = 1 + i % HSD_TAPE_MAX_RECORD;
        uint8_t *at = hsd_tape_room(&tape, bytes);
        memset(at, (int)(bytes & 0xff), bytes);
        tape.at = at + bytes;
    }
    hsd_tape_finish(&tape);
    hsd_tape_read(&reader, &tape, HSD_TAPE_FORWARD, true);
    for (uint32_t i = 0; i < ITEMS; i++) {
        const uint32_t bytes = 1 + i % HSD_TAPE_MAX_RECORD;
        cr_assert(hsd_tape_has_more(&reader));
        cr_assert(reader.end - reader.at >= (ptrdiff_t)bytes);
        for (uint32_t b = 0; b < bytes; b++)
            cr_assert_eq(reader.at[b], bytes & 0xff);
        reader.at += bytes;
    }
    cr_assert(!hsd_tape_has_more(&reader));
    hsd_tape_close(&reader);
    hsd_tape_release(&tape);
    hsd_reel_release(&reel);
}

/* Room for some: what is written first is in memory, and what leaves later is read from the file. */
Test(tape, keeps_as_much_in_memory_as_there_is_room_for)
{
    const uint32_t room = 10;
    hsd_reel reel;
    hsd_tape first, second;
    hsd_reel_init(&reel, false, HSD_TAPE_MIN_CHUNK, &space);
    cr_assert(hsd_reel_set_room(&reel, (uint64_t)room * HSD_TAPE_MIN_CHUNK + 1));
    fill(&first, &reel, 5);
    fill(&second, &reel, 77);
    cr_assert(first.chunk_count > room && !hsd_tape_is_in_memory(&first) && !hsd_tape_is_in_memory(&second));
    cr_assert_eq(reel.resident.count, room);
    cr_assert_eq(reel.transfers, first.chunk_count + second.chunk_count - room);
    check(&first, 5, HSD_TAPE_BACKWARD, false);
    cr_assert(!hsd_reel_set_room(&reel, 3 * HSD_TAPE_MIN_CHUNK));
    hsd_tape_leave_memory(&second);
    hsd_tape_leave_memory(&first);
    cr_assert_eq(reel.resident.count - reel.resident.idle_count, 3);
    check(&second, 77, HSD_TAPE_BACKWARD, true);
    check(&first, 5, HSD_TAPE_FORWARD, true);
    hsd_tape_release(&second);
    fill(&second, &reel, 999);
    check(&second, 999, HSD_TAPE_FORWARD, false);
    hsd_tape_release(&first);
    hsd_tape_release(&second);
    cr_assert_eq(hsd_reel_check(&reel, &err), HSD_OK);
    hsd_reel_release(&reel);
    cr_assert_eq(space.bytes_now, 0);
}

/* What spares the memory leaves it to those that are written behind it, but of a reel that has no file. */
static void spare(bool is_resident)
{
    const uint64_t room = 1000 * HSD_TAPE_MIN_CHUNK;
    hsd_reel reel;
    hsd_tape first, second;
    hsd_reel_init(&reel, is_resident, HSD_TAPE_MIN_CHUNK, &space);
    if (!is_resident) cr_assert(hsd_reel_set_room(&reel, room));
    hsd_tape_init(&first, &reel);
    first.spares_memory = true;
    put_all(&first, 5);
    fill(&second, &reel, 77);
    cr_assert_eq(hsd_tape_is_in_memory(&first), is_resident);
    cr_assert(hsd_tape_is_in_memory(&second));
    check(&first, 5, HSD_TAPE_BACKWARD, false);
    check(&first, 5, HSD_TAPE_FORWARD, true);
    check(&second, 77, HSD_TAPE_FORWARD, false);
    hsd_tape_release(&first);
    hsd_tape_release(&second);
    cr_assert_eq(hsd_reel_check(&reel, &err), HSD_OK);
    hsd_reel_release(&reel);
}

Test(tape, spares_memory_that_others_can_use) { spare(false); }
Test(tape, has_nothing_to_spare_where_all_is_in_memory) { spare(true); }

/* A reel that had all in memory has it no longer. */
Test(tape, leaves_memory_when_it_must)
{
    hsd_reel reel;
    hsd_tape tape;
    hsd_reel_init(&reel, true, HSD_TAPE_MIN_CHUNK, &space);
    fill(&tape, &reel, 5);
    cr_assert(hsd_tape_is_in_memory(&tape) && !hsd_reel_set_room(&reel, 0));
    hsd_tape_leave_memory(&tape);
    cr_assert(!hsd_tape_is_in_memory(&tape));
    check(&tape, 5, HSD_TAPE_BACKWARD, false);
    check(&tape, 5, HSD_TAPE_FORWARD, true);
    hsd_tape_release(&tape);
    cr_assert_eq(hsd_reel_check(&reel, &err), HSD_OK);
    hsd_reel_release(&reel);
    cr_assert_eq(space.bytes_now, 0);
}

Test(tape, folds_differences_of_either_sign)
{
    const hsd_node numbers[] = {0, 1, 63, 64, 1000, UINT32_MAX, HSD_NODE_MAX / 2, HSD_NODE_MAX - 1, HSD_NODE_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        for (size_t j = 0; j < sizeof numbers / sizeof numbers[0]; j++) {
            const hsd_node folded = hsd_fold_difference(numbers[i], numbers[j]);
            cr_assert_eq(hsd_unfold_difference(folded, numbers[j]), numbers[i]);
        }
    }
    cr_assert(hsd_fold_difference(100, 103) < 8 && hsd_fold_difference(103, 100) < 8);
}

/* What the length of a number changes at, and all powers of two: one byte and its neighbours, in the bytes that it is
 * said to take; several side by side. */
Test(tape, tells_far_numbers_in_few_bytes)
{
    const hsd_node twos = 0x60, threes = twos + (0x10 << 8), fours = threes + (0x88 << 16), alls = fours + (7u << 24);
    const struct {
        hsd_node from;
        unsigned bytes;
    } steps[] = {{0, 1}, {twos, 2}, {threes, 3}, {fours, 4}, {alls, HSD_NODE_BYTES + 1}};
    hsd_node value;
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        uint8_t room[2 * HSD_TAPE_MOST_FAR + 1] = {0};
        const uint8_t *at = hsd_tape_far_put(room, steps[i].from);
        cr_expect_eq(at - room, steps[i].bytes, "%" HSD_PRI_NODE, steps[i].from);
        if (i > 0) at = hsd_tape_far_put(room, steps[i].from - 1);
        cr_expect(i == 0 || at - room == steps[i - 1].bytes, "%" HSD_PRI_NODE, steps[i].from - 1);
        cr_expect_eq(hsd_tape_far(room, &value) - room, at - room);
        cr_expect_eq(value, i == 0 ? 0 : steps[i].from - 1);
    }
    uint8_t row[HSD_NODE_BITS * 3 * HSD_TAPE_MOST_FAR], *end = row;
    for (unsigned bit = 0; bit < HSD_NODE_BITS; bit++)
        for (unsigned more = 0; more < 3; more++)
            end = hsd_tape_far_put(end, ((hsd_node)1 << bit) - 1 + more);
    const uint8_t *at = row;
    for (unsigned bit = 0; bit < HSD_NODE_BITS; bit++)
        for (unsigned more = 0; more < 3; more++) {
            at = hsd_tape_far(at, &value);
            cr_assert_eq(value, ((hsd_node)1 << bit) - 1 + more, "%u, %u", bit, more);
        }
    cr_assert_eq(at, end);
    cr_assert_leq(hsd_tape_far_put(row, HSD_NODE_MAX) - row, HSD_TAPE_MOST_FAR);
    hsd_tape_far(row, &value);
    cr_assert_eq(value, HSD_NODE_MAX);
}

Test(tape, sticks_to_the_first_failure)
{
    hsd_temp_space nowhere;
    hsd_reel reel;
    hsd_tape tape;
    hsd_tape_reader reader;
    hsd_node value;
    hsd_temp_space_init(&nowhere, "/nonexistent-folder");
    hsd_reel_init(&reel, false, HSD_TAPE_MIN_CHUNK, &nowhere);
    hsd_tape_init(&tape, &reel);
    for (uint32_t i = 0; i < ITEMS; i++)
        hsd_tape_put_node(&tape, i);
    hsd_tape_finish(&tape);
    cr_assert_eq(hsd_reel_check(&reel, &err), HSD_E_IO);
    hsd_tape_read(&reader, &tape, HSD_TAPE_FORWARD, true);
    cr_assert(!hsd_tape_get_node(&reader, &value), "nothing is read after a failure");
    hsd_tape_close(&reader);
    hsd_tape_release(&tape);
    hsd_reel_release(&reel);
}

/* All items are in a window, no more of them than fit unless there would be too many windows, and chunks of all tapes
 * have the memory that they are given. */
Test(tape, is_one_for_each_window)
{
    static const hsd_node items[] = {0, 1, 99, 100, 101, 10000000};
    static const uint64_t fits[] = {0, 1, 100, 4096, UINT64_MAX}, bytes[] = {0, 4096, 1 << 20, 1 << 30};
    for (size_t i = 0; i < HSD_ARRAY_LEN(items); i++)
        for (size_t f = 0; f < HSD_ARRAY_LEN(fits); f++)
            for (size_t b = 0; b < HSD_ARRAY_LEN(bytes); b++) {
                const hsd_tape_windows w = hsd_tape_windows_of(items[i], fits[f], bytes[b]);
                cr_assert(w.each >= 1 && w.count >= 1 && w.count <= 65536);
                cr_assert(w.each <= fits[f] || w.each == items[i] / 65536 + 1);
                cr_assert((uint64_t)w.each * w.count >= items[i]);
                cr_assert(items[i] == 0 || (uint64_t)w.each * (w.count - 1) < items[i]);
                cr_assert(w.chunk_bytes % 16 == 0 && w.chunk_bytes <= 16384);
                cr_assert(w.chunk_bytes == HSD_TAPE_MIN_CHUNK || (uint64_t)w.chunk_bytes * w.count <= bytes[b]);
            }
}

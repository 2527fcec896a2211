/*
 * Paged arrays against a plain array: whatever is resident, what was written is read.
 */
#include <criterion/criterion.h>
#include <unistd.h>

#include "graph/paged.h"
#include "support/random.h"

enum { ITEMS = 400000 };

static hsd_temp_space space;

static void setup(void) { hsd_temp_space_init(&space, NULL); }

TestSuite(paged, .init = setup);

/* Random reads and writes in an array of 98 pages with `memory` bytes. */
static uint64_t exercise(uint64_t memory, uint64_t shrink_to)
{
    hsd_paged paged;
    hsd_error err;
    test_random random = {test_seed(1)};
    uint32_t *plain = calloc(ITEMS, sizeof *plain);
    cr_assert_eq(hsd_paged_open(&paged, ITEMS * 4, memory, &space, &err), HSD_OK, "%s", err.text);
    for (int step = 0; step < 200000; step++) {
        const uint32_t at = (uint32_t)test_below(&random, ITEMS);
        if (step == 100000 && shrink_to > 0) cr_assert_eq(hsd_paged_shrink(&paged, shrink_to, &err), HSD_OK);
        if (test_below(&random, 2) == 0) {
            plain[at] = (uint32_t)test_next(&random);
            hsd_paged_set_u32(&paged, at, plain[at]);
        } else {
            cr_assert_eq(hsd_paged_get_u32(&paged, at), plain[at], "item %u", at);
        }
    }
    for (uint32_t at = 0; at < ITEMS; at++)
        cr_assert_eq(hsd_paged_get_u32(&paged, at), plain[at]);
    cr_assert_eq(hsd_paged_check(&paged, &err), HSD_OK);
    const uint64_t faults = paged.faults;
    hsd_paged_close(&paged);
    free(plain);
    return faults;
}

Test(paged, stays_resident_when_it_fits)
{
    cr_assert_eq(exercise(hsd_paged_full_bytes(ITEMS * 4), 0), 0);
    cr_assert_eq(space.bytes_peak, 0, "nothing goes to disk");
}

Test(paged, reads_back_what_left_memory)
{
    cr_assert_gt(exercise(UINT64_C(20) << 14, 0), 1000);
    cr_assert_gt(space.bytes_peak, 0);
    cr_assert_eq(space.bytes_now, 0, "closed files give their bytes back");
}

/* Records of `words` words, packed in the file, against a plain array: in order, here and there, after a grow; words
 * that hardly differ, and some that cannot be told in fewer bytes. */
static void pack_and_read_back(unsigned words, bool is_random, uint64_t *written)
{
    enum { WORDS = 40 * 2048 };
    hsd_paged paged;
    hsd_error err;
    test_random random = {test_seed(2)};
    uint64_t *plain = calloc(WORDS, sizeof *plain);
    const uint64_t before = space.bytes_written;
    cr_assert_eq(hsd_paged_open(&paged, WORDS * 8, UINT64_C(17) << 14, &space, &err), HSD_OK, "%s", err.text);
    cr_assert_lt(paged.frame_count, paged.page_count);
    cr_assert_eq(hsd_paged_pack(&paged, words, &err), HSD_OK);
    for (uint32_t at = 0; at < WORDS; at++) {
        plain[at] = is_random ? test_next(&random) : at / words << (at % words);
        hsd_paged_set_u64(&paged, at, plain[at]);
    }
    for (uint32_t at = 0; at < WORDS; at++)
        cr_assert_eq(hsd_paged_get_u64(&paged, at), plain[at], "word %u", at);
    for (uint32_t i = 0; i < 4000; i++) {
        const uint32_t at = (uint32_t)test_below(&random, WORDS);
        if (i % 2 == 0) hsd_paged_set_u64(&paged, at, plain[at] = at % 3 == 0 ? 0 : test_next(&random));
        cr_assert_eq(hsd_paged_get_u64(&paged, at), plain[at]);
    }
    cr_assert_eq(hsd_paged_grow(&paged, UINT64_C(30) << 14, &err), HSD_OK);
    for (uint32_t at = WORDS; at-- > 0;)
        cr_assert_eq(hsd_paged_get_u64(&paged, at), plain[at], "word %u", at);
    cr_assert_eq(hsd_paged_check(&paged, &err), HSD_OK);
    hsd_paged_close(&paged);
    free(plain);
    *written = space.bytes_written - before;
}

Test(paged, packs_what_is_gone_through_in_order)
{
    uint64_t alike, random;
    for (unsigned words = 1; words <= 8; words *= 2) {
        pack_and_read_back(words, false, &alike);
        pack_and_read_back(words, true, &random);
        cr_expect_lt(alike, random / 2, "%u words: %lu and %lu bytes", words, (unsigned long)alike,
                     (unsigned long)random);
    }
    cr_assert_eq(space.bytes_now, 0);
}

/* What an array of ITEMS numbers of 4 bytes has in pages. */
#define PAGED_BYTES ((uint64_t)((ITEMS * 4 + HSD_PAGE_BYTES - 1) / HSD_PAGE_BYTES) * HSD_PAGE_BYTES)

Test(paged, packs_from_the_first_time_that_it_leaves_memory_or_not_at_all)
{
    hsd_paged paged;
    hsd_error err;
    const uint64_t full = hsd_paged_full_bytes(ITEMS * 4), few = UINT64_C(20) << 14;
    for (int is_late = 0; is_late < 2; is_late++) {
        const uint64_t before = space.bytes_written;
        cr_assert_eq(hsd_paged_open(&paged, ITEMS * 4, full, &space, &err), HSD_OK);
        for (uint32_t at = 0; at < ITEMS; at++)
            hsd_paged_set_u32(&paged, at, at / 8);
        if (!is_late) cr_assert_eq(hsd_paged_pack(&paged, 2, &err), HSD_OK);
        cr_assert_eq(hsd_paged_shrink(&paged, few, &err), HSD_OK);
        cr_assert_eq(hsd_paged_pack(&paged, 2, &err), HSD_OK);
        for (uint32_t at = 0; at < ITEMS; at++)
            cr_assert_eq(hsd_paged_get_u32(&paged, at), at / 8);
        cr_assert_eq(hsd_paged_check(&paged, &err), HSD_OK);
        hsd_paged_close(&paged);
        const uint64_t written = space.bytes_written - before;
        cr_expect(is_late ? written == PAGED_BYTES : written < PAGED_BYTES / 2, "%lu", (unsigned long)written);
    }
}

/* Every page in turns, a little more of them than there are frames: a clock would drive each out just before its turn.
 */
Test(paged, keeps_most_of_what_is_asked_for_in_turns)
{
    enum { PAGES = 98, PAGE_ITEMS = 4096, ROUNDS = 50 };
    hsd_paged paged;
    hsd_error err;
    cr_assert_eq(hsd_paged_open(&paged, ITEMS * 4, UINT64_C(88) << 14, &space, &err), HSD_OK, "%s", err.text);
    for (uint32_t at = 0; at < ITEMS; at++)
        hsd_paged_set_u32(&paged, at, at ^ 0x5a5a);
    cr_assert_lt(paged.frame_count, PAGES);
    cr_assert_gt(paged.frame_count, PAGES / 8 * 7);
    const uint64_t before = paged.faults;
    for (uint32_t i = 0; i < ROUNDS * PAGES; i++) {
        const uint32_t at = i % PAGES * PAGE_ITEMS + i % 13;
        if (at >= ITEMS) continue;
        const uint32_t value = *(const uint32_t *)hsd_paged_at(&paged, (uint64_t)at * 4, HSD_FRAME_USED);
        cr_assert_eq(value, at ^ 0x5a5a);
    }
    cr_expect_lt(paged.faults - before, ROUNDS * PAGES / 2, "%lu of %d brought pages in",
                 (unsigned long)(paged.faults - before), ROUNDS * PAGES);
    hsd_paged_close(&paged);
}

Test(paged, is_a_plain_array_when_it_fits)
{
    hsd_paged paged;
    hsd_error err;
    cr_assert_eq(hsd_paged_open(&paged, ITEMS * 8, hsd_paged_full_bytes(ITEMS * 8), &space, &err), HSD_OK);
    cr_assert(paged.is_flat);
    for (uint32_t at = 0; at < ITEMS; at++)
        hsd_flat_set_u64(&paged, at, (uint64_t)at << 32 | 7, true);
    for (uint32_t at = 0; at < ITEMS; at++) {
        cr_assert_eq(hsd_flat_get_u64(&paged, at, false), (uint64_t)at << 32 | 7);
        cr_assert_eq(hsd_flat_get_u32(&paged, 2 * at, true), 7);
    }
    cr_assert_eq(paged.transfers, 0);
    hsd_paged_close(&paged);
}

Test(paged, is_written_as_plain_memory_and_shrunk_and_loaded_again)
{
    hsd_paged paged;
    hsd_error err;
    const uint64_t full = hsd_paged_full_bytes(ITEMS * 4), few = UINT64_C(20) << 14;
    cr_assert_eq(hsd_paged_open(&paged, ITEMS * 4, full, &space, &err), HSD_OK);
    uint32_t *to_write = hsd_paged_plain_to_write(&paged);
    cr_assert_not_null(to_write);
    for (uint32_t at = 0; at < ITEMS; at++)
        to_write[at] = at ^ 5;
    cr_assert_eq(hsd_paged_shrink(&paged, few, &err), HSD_OK);
    cr_assert_null(hsd_paged_plain(&paged));
    cr_assert_null(hsd_paged_plain_to_write(&paged));
    for (uint32_t at = 0; at < ITEMS; at += 777)
        cr_assert_eq(hsd_paged_get_u32(&paged, at), at ^ 5);
    cr_assert_eq(hsd_paged_grow(&paged, full, &err), HSD_OK);
    cr_assert_null(hsd_paged_plain(&paged), "nothing is there yet");
    hsd_paged_load(&paged);
    const uint32_t *plain = hsd_paged_plain(&paged);
    cr_assert_not_null(plain);
    for (uint32_t at = 0; at < ITEMS; at++)
        cr_assert_eq(plain[at], at ^ 5);
    hsd_paged_close(&paged);

    /* pages in another order than that of the array */
    cr_assert_eq(hsd_paged_open(&paged, ITEMS * 4, few, &space, &err), HSD_OK);
    cr_assert_eq(hsd_paged_grow(&paged, full, &err), HSD_OK);
    for (uint32_t at = ITEMS; at-- > 0;)
        hsd_paged_set_u32(&paged, at, at);
    cr_assert_eq(paged.frames_used, paged.page_count);
    cr_assert_null(hsd_paged_plain(&paged));
    cr_assert_null(hsd_paged_plain_to_write(&paged));
    hsd_paged_close(&paged);
}

/* Room for more than what came: the front is plain where it was written in order, whatever is behind. */
Test(paged, has_a_plain_front)
{
    hsd_paged paged;
    hsd_error err;
    const uint32_t page = HSD_PAGE_BYTES / 4;
    cr_assert_eq(hsd_paged_open(&paged, ITEMS * 4, UINT64_C(40) << 14, &space, &err), HSD_OK);
    for (uint32_t at = 0; at < 5 * page; at++)
        hsd_paged_set_u32(&paged, at, at + 1);
    cr_assert_null(hsd_paged_plain(&paged));
    const uint32_t *front = hsd_paged_plain_front(&paged, UINT64_C(5) << 14);
    cr_assert_not_null(front);
    for (uint32_t at = 0; at < 5 * page; at++)
        cr_assert_eq(front[at], at + 1);
    cr_assert_null(hsd_paged_plain_front(&paged, (UINT64_C(5) << 14) + 1), "the sixth page did not come");
    hsd_paged_set_u32(&paged, 7 * page, 1);
    hsd_paged_set_u32(&paged, 5 * page, 1);
    cr_assert_not_null(hsd_paged_plain_front(&paged, UINT64_C(5) << 14));
    cr_assert_null(hsd_paged_plain_front(&paged, UINT64_C(6) << 14), "it came behind another one");
    hsd_paged_close(&paged);
}

Test(paged, counts_what_it_moves)
{
    hsd_paged paged;
    hsd_error err;
    cr_assert_eq(hsd_paged_open(&paged, ITEMS * 8, hsd_paged_least_bytes(ITEMS * 8), &space, &err), HSD_OK);
    cr_assert(!paged.is_flat);
    for (uint32_t at = 0; at < ITEMS; at++)
        hsd_flat_set_u64(&paged, at, at, false);
    for (uint32_t at = 0; at < ITEMS; at++)
        cr_assert_eq(hsd_flat_get_u64(&paged, at, false), at);
    /* 196 pages go out; all but a few come back */
    cr_assert(paged.transfers > 196 + 180 && paged.transfers < 2 * 196 + 1, "%lu", (unsigned long)paged.transfers);
    hsd_paged_close(&paged);
}

/* What is asked for once, here and there, is read and written alone. */
Test(paged, moves_elements_alone)
{
    hsd_paged paged;
    hsd_error err;
    test_random random = {test_seed(3)};
    cr_assert_eq(hsd_paged_open(&paged, ITEMS * 8, hsd_paged_least_bytes(ITEMS * 8), &space, &err), HSD_OK);
    for (uint32_t at = 0; at < ITEMS; at++)
        hsd_paged_set_u64(&paged, at, at);
    const uint64_t transfers = paged.transfers;
    for (uint32_t step = 0; step < 20000; step++) {
        const uint32_t at = (uint32_t)test_below(&random, ITEMS);
        const uint64_t value = hsd_paged_get_u64(&paged, at);
        cr_assert_eq((uint32_t)value, at);
        hsd_paged_set_u64(&paged, at, value + (UINT64_C(1) << 32));
        uint64_t copy[2];
        hsd_paged_copy(&paged, (uint64_t)(at & ~1u) * 8, copy, sizeof copy);
        cr_assert_eq(copy[at & 1], value + (UINT64_C(1) << 32));
    }
    cr_assert_lt(paged.transfers - transfers, 20000 / 4, "%lu", (unsigned long)(paged.transfers - transfers));
    cr_assert_eq(hsd_paged_check(&paged, &err), HSD_OK);
    hsd_paged_close(&paged);
}

/* Numbers of nodes, and two of them in one element, in an array of which little is in memory, and in one that is flat.
 */
static void use_numbers(uint64_t memory)
{
    enum { PAIRS = 60000 };
    hsd_paged nodes, twos;
    hsd_error err;
    test_random random = {test_seed(5)};
    hsd_node *plain = calloc(PAIRS + 1, sizeof *plain);
    cr_assert_eq(hsd_paged_open(&nodes, PAIRS * HSD_NODE_BYTES, memory, &space, &err), HSD_OK);
    cr_assert_eq(hsd_paged_open(&twos, PAIRS * HSD_TWO_BYTES, 2 * memory, &space, &err), HSD_OK);
    for (uint32_t at = 0; at < PAIRS; at++)
        plain[at] = (hsd_node)test_next(&random);
    for (uint32_t step = 0; step < 2 * PAIRS; step++) {
        const uint32_t at = step < PAIRS ? step : (uint32_t)test_below(&random, PAIRS);
        hsd_paged_set_node(&nodes, at, plain[at]);
        hsd_paged_set_two(&twos, at, hsd_two_of(plain[at], plain[at + 1]));
    }
    for (uint32_t step = 0; step < 2 * PAIRS; step++) {
        const uint32_t at = step < PAIRS ? step : (uint32_t)test_below(&random, PAIRS);
        const hsd_two two = hsd_paged_get_two(&twos, at);
        hsd_paged_prefetch_node(&nodes, at);
        cr_assert_eq(hsd_paged_get_node(&nodes, at), plain[at]);
        cr_assert(hsd_two_first(two) == plain[at] && hsd_two_second(two) == plain[at + 1]);
        if (twos.is_flat) cr_assert(hsd_flat_get_two(&twos, at, true) == two);
    }
    cr_assert_eq(hsd_paged_check(&nodes, &err), HSD_OK);
    hsd_paged_close(&nodes);
    hsd_paged_close(&twos);
    free(plain);
}

Test(paged, keeps_numbers_of_nodes)
{
    use_numbers(UINT64_C(17) << 14);
    use_numbers(UINT64_C(1) << 20);
}

/* Every page moves in and out once, whatever is asked for in a window. */
Test(paged, has_windows)
{
    hsd_paged paged;
    hsd_error err;
    test_random random = {test_seed(4)};
    cr_assert_eq(hsd_paged_open(&paged, ITEMS * 4, UINT64_C(20) << 14, &space, &err), HSD_OK);
    for (uint32_t at = 0; at < ITEMS; at++)
        hsd_paged_set_u32(&paged, at, at);
    const uint64_t window = hsd_paged_window(&paged, 4), transfers = paged.transfers;
    cr_assert(window >= 16 * 4096 && window < ITEMS && window % 4096 == 0);
    for (uint64_t first = 0; first < ITEMS; first += window) {
        const uint64_t count = ITEMS - first < window ? ITEMS - first : window;
        hsd_paged_bring(&paged, first, count, 4);
        const uint64_t brought = paged.faults;
        for (uint32_t step = 0; step < 50000; step++) {
            const uint64_t at = first + test_below(&random, count);
            hsd_paged_set_u32(&paged, at, hsd_paged_get_u32(&paged, at) ^ 0x80000000u);
            cr_assert_eq(hsd_paged_get_u32(&paged, at) & 0x7fffffffu, at);
        }
        cr_assert_eq(paged.faults, brought);
    }
    cr_assert_lt(paged.transfers - transfers, 2 * paged.page_count + 20);
    hsd_paged_close(&paged);
}

/* What has grown to hold everything comes back by large reads, in part or whole. */
Test(paged, loads_what_fits)
{
    hsd_paged paged;
    hsd_error err;
    const uint64_t full = hsd_paged_full_bytes(ITEMS * 4);
    cr_assert_eq(hsd_paged_open(&paged, ITEMS * 4, UINT64_C(20) << 14, &space, &err), HSD_OK);
    for (uint32_t at = 0; at < ITEMS; at += at < ITEMS / 2 ? 1 : 40000) /* some pages are never written */
        hsd_paged_set_u32(&paged, at, at ^ 0x5555);
    hsd_paged_load(&paged);
    cr_assert_eq(paged.frames_used, 20 * HSD_PAGE_BYTES / (HSD_PAGE_BYTES + 5), "not all have a place");
    cr_assert_eq(hsd_paged_grow(&paged, full, &err), HSD_OK);
    cr_assert_eq(hsd_paged_get_u32(&paged, 5 * 4096), (5 * 4096) ^ 0x5555, "one is there before");
    const uint64_t read = space.bytes_read;
    hsd_paged_load(&paged);
    cr_assert_gt(space.bytes_read - read, ITEMS / 2 * 4);
    cr_assert_lt(space.bytes_read - read, ITEMS * 4);
    const uint64_t transfers = paged.transfers;
    hsd_paged_load(&paged);
    uint32_t next = 0;
    for (uint32_t at = 0; at < ITEMS; at++) {
        cr_assert_eq(hsd_paged_get_u32(&paged, at), at == next ? at ^ 0x5555 : 0, "item %u", at);
        if (at == next) next += at < ITEMS / 2 ? 1 : 40000;
    }
    cr_assert_eq(paged.transfers, transfers, "nothing is read twice");
    cr_assert_eq(hsd_paged_check(&paged, &err), HSD_OK);
    hsd_paged_close(&paged);
    cr_assert_eq(space.bytes_now, 0);
}

/* The last page of a file may be short: what lies behind it is zeros. */
Test(paged, loads_a_file)
{
    enum { WORDS = 70 * 4096 + 7 };
    hsd_paged paged;
    hsd_temp file;
    hsd_error err;
    uint32_t *words = malloc(WORDS * sizeof *words);
    for (uint32_t at = 0; at < WORDS; at++)
        words[at] = at * 3 + 1;
    cr_assert_eq(hsd_temp_open(&file, &space, &err), HSD_OK);
    cr_assert_eq(hsd_temp_write(&file, 0, words, WORDS * sizeof *words, &err), HSD_OK);
    cr_assert_eq(hsd_paged_open_file(&paged, &file, hsd_paged_full_bytes(WORDS * 4), &err), HSD_OK);
    hsd_paged_load(&paged);
    cr_assert_eq(paged.transfers, 71);
    for (uint32_t at = 0; at < WORDS; at++)
        cr_assert_eq(hsd_paged_get_u32(&paged, at), words[at]);
    cr_assert_eq(hsd_paged_get_u32(&paged, WORDS), 0);
    cr_assert_eq(paged.transfers, 71);
    cr_assert_eq(hsd_paged_check(&paged, &err), HSD_OK);
    hsd_paged_close(&paged);
    free(words);
}

/* Of a large one the system lends its pages: what is written to them is in the array, and in the file once they leave.
 */
Test(paged, loads_a_large_array_without_a_copy)
{
    enum { WORDS = 300 * 4096 + 7 };
    hsd_paged paged;
    hsd_error err;
    const uint64_t full = hsd_paged_full_bytes(WORDS * 4);
    cr_assert_eq(hsd_paged_open(&paged, WORDS * 4, UINT64_C(20) << 14, &space, &err), HSD_OK);
    for (uint32_t at = 0; at < WORDS;
         at += at == 4096 ? 3 * 4096 : 1) /* one page is never written, and reads as zeros */
        hsd_paged_set_u32(&paged, at, at * 3 + 1);
    for (uint32_t round = 0; round < 3; round++) {
        cr_assert_eq(hsd_paged_grow(&paged, full, &err), HSD_OK);
        const uint64_t read = space.bytes_read;
        hsd_paged_load(&paged);
        cr_assert(hsd_paged_plain(&paged) != NULL);
        cr_assert_lt(space.bytes_read - read, WORDS * 4 / 2);
        for (uint32_t at = 0; at < WORDS; at++) {
            const bool is_written = at <= 4096 || at >= 4 * 4096;
            cr_assert_eq(hsd_paged_get_u32(&paged, at), is_written ? at * 3 + 1 + (at % 1000 == 0 ? round : 0) : 0);
            if (is_written && at % 1000 == 0) hsd_paged_set_u32(&paged, at, at * 3 + 2 + round);
        }
        cr_assert_eq(hsd_paged_shrink(&paged, 0, &err), HSD_OK);
    }
    cr_assert_eq(hsd_paged_check(&paged, &err), HSD_OK);
    hsd_paged_close(&paged);
    cr_assert_eq(space.bytes_now, 0);
}

/* Whatever is in memory and what is not, and what was never written, past the ends of pages. */
Test(paged, is_peeked_at)
{
    enum { WORDS = 60 * 4096 };
    hsd_paged paged;
    hsd_error err;
    test_random random = {test_seed(9)};
    uint32_t *plain = calloc(WORDS, sizeof *plain), *read = calloc(WORDS, sizeof *read);
    cr_assert_eq(hsd_paged_open(&paged, WORDS * 4, UINT64_C(20) << 14, &space, &err), HSD_OK);
    for (uint32_t at = 0; at < WORDS; at += at % (9 * 4096) == 0 ? 4096 : 1)
        hsd_paged_set_u32(&paged, at, plain[at] = at * 7 + 1);
    const uint64_t faults = paged.faults;
    for (int round = 0; round < 300; round++) {
        const uint32_t first = (uint32_t)test_below(&random, WORDS), left = WORDS - first;
        const uint32_t count = (uint32_t)test_below(&random, round % 3 == 0 ? left + 1 : left / 100 + 1);
        cr_assert_eq(hsd_paged_peek(&paged, first * 4, read, count * 4, &err), HSD_OK);
        cr_assert_eq(memcmp(read, plain + first, count * 4), 0);
    }
    cr_assert_eq(paged.faults, faults);
    hsd_paged_close(&paged);
    free(plain);
    free(read);
}

/* A file that is shorter than it says. */
static void load_short_file(uint64_t bytes)
{
    hsd_paged paged;
    hsd_temp file;
    hsd_error err;
    uint8_t *zeros = calloc(1, bytes);
    cr_assert_eq(hsd_temp_open(&file, &space, &err), HSD_OK);
    cr_assert_eq(hsd_temp_write(&file, 0, zeros, bytes, &err), HSD_OK);
    cr_assert_eq(ftruncate(file.fd, HSD_PAGE_BYTES), 0);
    cr_assert_eq(hsd_paged_open_file(&paged, &file, hsd_paged_full_bytes(bytes), &err), HSD_OK);
    hsd_paged_load(&paged);
    cr_assert_eq(hsd_paged_check(&paged, &err), HSD_E_CORRUPT);
    hsd_paged_close(&paged);
    free(zeros);
}

Test(paged, tells_that_loading_failed)
{
    load_short_file(40 * HSD_PAGE_BYTES);
    load_short_file(300 * HSD_PAGE_BYTES);
}

Test(paged, shrinks_in_the_middle) { exercise(hsd_paged_full_bytes(ITEMS * 4), UINT64_C(20) << 14); }

Test(paged, refuses_less_than_its_minimum)
{
    hsd_paged paged;
    hsd_error err;
    hsd_error_init(&err);
    cr_assert_eq(hsd_paged_open(&paged, UINT64_C(1) << 30, 4096, &space, &err), HSD_E_OVER_BUDGET);
    cr_assert(strstr(err.text, "needs at least") != NULL, "%s", err.text);
}

Test(paged, sticks_to_the_first_failure)
{
    hsd_temp_space nowhere;
    hsd_paged paged;
    hsd_error err;
    hsd_error_init(&err);
    hsd_temp_space_init(&nowhere, "/nonexistent-folder");
    cr_assert_eq(hsd_paged_open(&paged, ITEMS * 4, UINT64_C(20) << 14, &nowhere, &err), HSD_OK);
    for (uint32_t at = 0; at < ITEMS; at += 4096)
        hsd_paged_set_u32(&paged, at, 1);
    cr_assert_eq(hsd_paged_check(&paged, &err), HSD_E_IO);
    hsd_paged_close(&paged);
}

Test(paged, accepts_an_empty_array)
{
    hsd_paged paged;
    hsd_error err;
    cr_assert_eq(hsd_paged_open(&paged, 0, UINT64_C(1) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_paged_check(&paged, &err), HSD_OK);
    hsd_paged_close(&paged);
}

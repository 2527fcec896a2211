/*
 * The sorter of levels against qsort: in memory, in runs, in more runs than can be read side by side.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "graph/quads.h"
#include "support/random.h"

static hsd_temp_space space;
static hsd_error err;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
}

TestSuite(quads, .init = setup);

static int compare_quads(const void *a, const void *b) /* all four words: the last is the order of puts */
{
    const hsd_quad *x = a, *y = b;
    for (int i = 0; i < 4; i++)
        if (x->word[i] != y->word[i]) return x->word[i] < y->word[i] ? -1 : 1;
    return 0;
}

/* Words beyond the key are 0 but the last, which counts: so a stable sort is a sort by all four. */
static hsd_quad random_quad(test_random *random, unsigned key_words, hsd_node range, hsd_node at)
{
    hsd_quad quad = {{0, 0, 0, at}};
    for (unsigned word = 0; word < key_words; word++)
        quad.word[word] = (hsd_node)test_below(random, range);
    return quad;
}

static void expect_sorted(hsd_quads *q, test_random *random, unsigned key_words, size_t count, hsd_node range)
{
    hsd_quad *wanted = calloc(count + 1, sizeof *wanted);
    const hsd_quad *at;
    hsd_quads_begin(q, key_words);
    for (size_t i = 0; i < count; i++) {
        wanted[i] = random_quad(random, key_words, range, HSD_NODE_MAX - (hsd_node)(count - i));
        const hsd_node *w = wanted[i].word;
        cr_assert_eq(hsd_quads_put(q, w[0], w[1], w[2], w[3], &err), HSD_OK);
    }
    qsort(wanted, count, sizeof *wanted, compare_quads);
    cr_assert_eq(hsd_quads_sort(q, &err), HSD_OK);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(hsd_quads_next(q, &at, &err), HSD_OK);
        cr_assert_eq(compare_quads(at, &wanted[i]), 0, "record %zu of %zu", i, count);
    }
    cr_assert_eq(hsd_quads_next(q, &at, &err), HSD_END);
    free(wanted);
}

Test(quads, are_sorted_stably_in_memory_and_in_runs)
{
    enum { ROOM = HSD_QUADS_MIN_RECORDS };
    static hsd_quad items[ROOM], scratch[ROOM];
    static const size_t counts[] = {0, 1, 2, 7, 40, 41, 1000, ROOM, ROOM + 1, 3 * ROOM, 17 * ROOM, 40 * ROOM + 5};
    static const hsd_node ranges[] = {
        4,
        HSD_NODE_MAX,
#if HSD_NODE_BITS == 64
        UINT64_C(0x300000000)
#endif
    };
    test_random random = {test_seed(53)};
    hsd_quads q;
    hsd_quads_init(&q, items, scratch, ROOM, &space);
    for (unsigned key_words = 1; key_words <= 3; key_words++) {
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            for (size_t range = 0; range < sizeof ranges / sizeof ranges[0]; range++)
                expect_sorted(&q, &random, key_words, counts[i], ranges[range]);
        }
    }
    cr_assert_gt(q.spilled, 0);
    hsd_quads_release(&q);
}

Test(quads, say_so_when_there_is_no_place_for_runs)
{
    enum { ROOM = HSD_QUADS_MIN_RECORDS };
    static hsd_quad items[ROOM], scratch[ROOM];
    hsd_quads q;
    hsd_status status = HSD_OK;
    hsd_temp_space_init(&space, "/nonexistent/folder");
    hsd_quads_init(&q, items, scratch, ROOM, &space);
    hsd_quads_begin(&q, 1);
    for (uint32_t i = 0; i <= ROOM && status == HSD_OK; i++)
        status = hsd_quads_put(&q, i, 0, 0, 0, &err);
    cr_assert_eq(status, HSD_E_IO);
    hsd_quads_release(&q);
}

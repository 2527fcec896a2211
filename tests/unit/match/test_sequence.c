/*
 * Sequences of elements: windows across pages, pairs and their rungs, and what fails on the way.
 */
#include "match/strand.h"
#include "sequence_kit.h"

static hsd_temp_space space;

static void setup(void) { hsd_temp_space_init(&space, NULL); }

TestSuite(sequence, .init = setup);

static hsd_element element_of(hsd_node position)
{
    const uint32_t number = (uint32_t)position;
    return (hsd_element){number * 3u, number ^ 0x55u, number + 7u, number % 11u};
}

static bool is_element(const hsd_element *e, hsd_node position)
{
    const hsd_element wanted = element_of(position);
    return memcmp(e, &wanted, sizeof wanted) == 0;
}

static void check_windows(uint64_t memory)
{
    enum { COUNT = 40000, WINDOW = 3000 }; /* a page has 1,024 elements */
    test_random random = {test_seed(1)};
    hsd_sequence s;
    static hsd_element window[WINDOW];
    kit_sequence(&s, COUNT, 1, memory, &space);
    for (hsd_node i = 0; i < COUNT; i++) {
        const hsd_element e = element_of(COUNT - 1 - i);
        hsd_sequence_write(&s, COUNT - 1 - i, &e);
    }
    for (int round = 0; round < 200; round++) {
        const hsd_node first = (hsd_node)test_below(&random, COUNT);
        const hsd_node most = COUNT - first < WINDOW ? COUNT - first : WINDOW;
        const hsd_node count = (hsd_node)test_below(&random, most + 1);
        hsd_sequence_read(&s, first, count, window);
        for (hsd_node i = 0; i < count; i++)
            cr_assert(is_element(&window[i], first + i), "%" HSD_PRI_NODE " of %" HSD_PRI_NODE, i, first);
    }
    cr_assert_eq(hsd_sequence_check(&s, NULL), HSD_OK);
    hsd_sequence_release(&s);
    cr_assert_eq(space.bytes_now, 0);
}

Test(sequence, reads_windows_that_were_written) { check_windows(KIT_PLENTY); }

Test(sequence, reads_windows_from_few_pages) { check_windows(KIT_LEAST); }

Test(sequence, has_no_partners_at_first)
{
    hsd_sequence s;
    kit_sequence(&s, 3, 3, KIT_LEAST, &space);
    for (hsd_node i = 0; i < 3; i++) {
        cr_assert_eq(hsd_sequence_partner(&s, i), HSD_NO_PARTNER);
        cr_assert_eq(hsd_sequence_rung(&s, i), HSD_RUNG_NONE);
    }
    hsd_sequence_release(&s);
}

static void check_rungs(uint64_t memory)
{
    enum { COUNT = 300000 }; /* a page has 16,384 */
    test_random random = {test_seed(2)};
    hsd_sequence s;
    kit_sequence(&s, COUNT, 1, memory, &space);
    uint8_t *plain = calloc(COUNT, 1);
    for (hsd_node at = 0; at < COUNT; at += (hsd_node)test_below(&random, 40000) + 1) {
        plain[at] = (uint8_t)(test_below(&random, 2) == 0 ? HSD_RUNG_ORDER : HSD_RUNG_CLAIMED);
        hsd_sequence_set_partner(&s, at, at, plain[at]);
    }
    for (hsd_node from = 0; from <= COUNT; from += (hsd_node)test_below(&random, 3000)) {
        hsd_node wanted = from;
        while (wanted < COUNT && plain[wanted] != HSD_RUNG_CLAIMED)
            wanted++;
        cr_assert_eq(hsd_next_with_rung(&s, from, HSD_RUNG_CLAIMED), wanted, "from %" HSD_PRI_NODE, from);
    }
    free(plain);
    hsd_sequence_release(&s);
}

Test(sequence, finds_the_next_with_a_rung) { check_rungs(KIT_PLENTY); }

Test(sequence, finds_the_next_with_a_rung_in_few_pages) { check_rungs(KIT_LEAST); }

Test(sequence, pairs_both_sides)
{
    hsd_sequence a, b;
    kit_sequence(&a, 5, 5, KIT_LEAST, &space);
    kit_sequence(&b, 9, 9, KIT_LEAST, &space);
    hsd_sequence_pair(&a, 4, &b, 8, HSD_RUNG_CHANGED);
    hsd_sequence_pair(&a, 1, &b, 0, HSD_RUNG_NAME);
    cr_assert_eq(hsd_sequence_partner(&a, 4), 8);
    cr_assert_eq(hsd_sequence_partner(&b, 8), 4);
    cr_assert_eq(hsd_sequence_partner(&b, 0), 1);
    cr_assert_eq(hsd_sequence_partner(&a, 1), 0);
    cr_assert_eq(hsd_sequence_rung(&a, 4), HSD_RUNG_CHANGED);
    cr_assert_eq(hsd_sequence_rung(&b, 0), HSD_RUNG_NAME);
    cr_assert_eq(hsd_sequence_partner(&a, 0), HSD_NO_PARTNER);
    hsd_sequence_release(&a);
    hsd_sequence_release(&b);
}

Test(sequence, tells_of_a_failure_of_its_arrays)
{
    enum { COUNT = 400000 };
    hsd_temp_space nowhere;
    hsd_sequence s;
    hsd_error err;
    hsd_temp_space_init(&nowhere, "/nonexistent-folder");
    kit_sequence(&s, COUNT, 1, KIT_LEAST, &nowhere);
    for (hsd_node i = 0; i < COUNT; i += 1000) {
        const hsd_element e = element_of(i);
        hsd_sequence_write(&s, i, &e);
    }
    cr_assert_eq(hsd_sequence_check(&s, &err), HSD_E_IO);
    cr_assert(err.text[0] != '\0');
    hsd_sequence_release(&s);
}

Test(sequence, releases_a_zeroed_one)
{
    hsd_sequence s = {0};
    hsd_sequence_release(&s);
    cr_assert_eq(hsd_sequence_check(&s, NULL), HSD_OK);
}

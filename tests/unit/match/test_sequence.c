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

/* ---- positions that do not fit 32 bits ---- */

#if HSD_NODE_BITS == 64

#define FAR (UINT64_C(1) << 32)

static hsd_sequence far_sides[2];

/* Two sides of which nearly nothing is touched: arrays are files with holes. */
static void open_far(void)
{
    for (int i = 0; i < 2; i++) {
        kit_sequence(&far_sides[i], FAR + 100000, 1, KIT_LEAST, &space);
        kit_open(&far_sides[i].owners, (FAR + 100000) * HSD_NODE_BYTES, KIT_LEAST, &space);
    }
}

static void close_far(void)
{
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(hsd_sequence_check(&far_sides[i], NULL), HSD_OK);
        hsd_sequence_release(&far_sides[i]);
    }
}

Test(sequence, has_positions_past_32_bits)
{
    hsd_sequence *a = &far_sides[0], *b = &far_sides[1];
    open_far();
    hsd_sequence_pair(a, FAR + 5, b, 7, HSD_RUNG_ORDER);
    hsd_sequence_pair(a, 9, b, FAR + 70000, HSD_RUNG_STRUCTURE);
    cr_assert_eq(hsd_sequence_partner(a, FAR + 5), 7);
    cr_assert_eq(hsd_sequence_partner(a, 9), FAR + 70000);
    cr_assert_eq(hsd_sequence_partner(b, FAR + 70000), 9);
    cr_assert_eq(hsd_sequence_partner(a, 5), HSD_NO_PARTNER);
    cr_assert_eq(hsd_next_paired(a, FAR - 3000), FAR + 5);
    cr_assert_eq(hsd_next_paired(a, FAR + 6), a->count);
    cr_assert_eq(hsd_next_unpaired(a, FAR + 5), FAR + 6);
    cr_assert_eq(hsd_previous_paired(b, b->count), FAR + 70000);
    cr_assert_eq(hsd_previous_paired(a, FAR + 90000), FAR + 5);
    cr_assert_eq(hsd_next_with_rung(b, FAR - 90000, HSD_RUNG_STRUCTURE), FAR + 70000);
    hsd_paged_set_node(&a->owners, FAR + 5, 1 + FAR + 2);
    cr_assert_eq(hsd_sequence_owner(a, FAR + 5), FAR + 2);
    cr_assert(hsd_are_kin(a, FAR + 5, FAR + 2) && !hsd_are_kin(a, 5, 2));
    hsd_sequence_unpair(a, FAR + 5, b, 7);
    cr_assert_eq(hsd_sequence_partner(a, FAR + 5), HSD_NO_PARTNER);
    close_far();
}

Test(sequence, is_read_past_32_bits_in_both_directions)
{
    static hsd_window window;
    open_far();
    for (hsd_node i = 0; i < 2000; i++) {
        const hsd_element e = element_of(i);
        hsd_sequence_write(&far_sides[0], FAR - 1000 + i, &e);
    }
    for (int is_backward = 0; is_backward < 2; is_backward++) {
        const hsd_strand strand = {.sequence = &far_sides[0],
                                   .start = is_backward ? FAR + 999 : FAR - 1000,
                                   .is_backward = is_backward,
                                   .count = 2000,
                                   .whole = 2000,
                                   .next = 900};
        const hsd_stretch read = hsd_strand_read(&strand, &window);
        cr_assert_eq(read.count, HSD_ALIGN_MOST);
        for (hsd_node i = 0; i < read.count; i++)
            cr_assert(is_element(&read.elements[i], is_backward ? 1999 - 900 - i : 900 + i));
    }
    close_far();
}

#endif

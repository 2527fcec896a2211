/*
 * Where strands that went apart meet again: which of the two moves on, how far, and where there is no such place.
 */
#include "match/rejoin.h"
#include "sequence_kit.h"

static hsd_temp_space space;
static hsd_sequence older, newer;
static hsd_rejoiner *rejoiner;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    rejoiner = hsd_rejoiner_new();
}

static void teardown(void)
{
    hsd_rejoiner_free(rejoiner);
    hsd_sequence_release(&older);
    hsd_sequence_release(&newer);
}

TestSuite(rejoin, .init = setup, .fini = teardown);

/* "600n 40st": so many times each group of letters. */
static void put_objects(hsd_sequence *s, const char *text)
{
    uint32_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) kit_sequence(s, count, 1, KIT_PLENTY, &space);
        count = 0;
        for (const char *at = text; *at != '\0';) {
            char *group;
            unsigned long times = strtoul(at, &group, 10);
            const size_t size = strcspn(group, " ");
            for (; times > 0; times--)
                for (size_t i = 0; i < size; i++, count++) {
                    const hsd_element e = {(uint8_t)group[i], 1000u + (uint8_t)group[i], 5, (uint8_t)group[i]};
                    if (pass == 1) hsd_sequence_write(s, count, &e);
                }
            at = group + size + (group[size] == ' ');
        }
    }
}

static hsd_strand strand_of(hsd_sequence *s, bool is_backward)
{
    return (hsd_strand){.sequence = s,
                        .start = is_backward ? s->count - 1 : 0,
                        .is_backward = is_backward,
                        .count = s->count,
                        .whole = s->count};
}

static void expect(const char *before, const char *after, bool is_backward, uint32_t in_before, uint32_t in_after)
{
    put_objects(&older, before);
    put_objects(&newer, after);
    hsd_strand a = strand_of(&older, is_backward), b = strand_of(&newer, is_backward);
    cr_expect_eq(hsd_rejoin(rejoiner, &a, &b), in_before + in_after);
    cr_expect_eq(a.next, in_before, "%" HSD_PRI_NODE " of before", a.next);
    cr_expect_eq(b.next, in_after, "%" HSD_PRI_NODE " of after", b.next);
    hsd_sequence_release(&older);
    hsd_sequence_release(&newer);
}

Test(rejoin, goes_over_what_went)
{
    expect("1500n 40st", "40st", false, 1500, 0);
    expect("40st 1500n", "40st", true, 1500, 0);
}

Test(rejoin, goes_over_what_came)
{
    expect("40st", "1500n 40st", false, 0, 1500);
    expect("40st", "40st 1500n", true, 0, 1500);
}

/* Of each three one went. */
Test(rejoin, sees_rows_with_others_among_them) { expect("700n 300stn", "300st", false, 700, 0); }

/* The nodes that went were made anew further off. */
Test(rejoin, takes_the_nearer_place)
{
    expect("900n 300st", "600st 900n", false, 900, 0);
    expect("900n 900st", "300st 900n", false, 0, 600);
}

Test(rejoin, finds_nothing_where_there_is_nothing)
{
    expect("900n", "900m", false, 0, 0);
    expect("900n 7s", "7s", false, 0, 0);
    expect("1n", "900m", false, 0, 0);
}

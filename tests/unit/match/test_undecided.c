/*
 * What may be another one: letters are types, capitals are recognised, and a star behind a letter says that it may be
 * another one.
 */
#include <string.h>

#include "match/undecided.h"
#include "sequence_kit.h"

static hsd_temp_space space;
static hsd_error err;
static hsd_sequence sides[2];

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
}

static void teardown(void)
{
    for (int i = 0; i < 2; i++)
        hsd_sequence_release(&sides[i]);
}

TestSuite(undecided, .init = setup, .fini = teardown);

static bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

static hsd_node letters_of(const char *text)
{
    hsd_node count = 0;
    for (; *text != 0; text++)
        count += *text != '*';
    return count;
}

/* '!' is a thing with a name. */
static void put_text(hsd_sequence *s, const char *text)
{
    hsd_node at = 0;
    kit_sequence(s, letters_of(text), 1, KIT_PLENTY, &space);
    for (; *text != 0; text++) {
        if (*text == '*') continue;
        const uint32_t structure = *text == '!' ? 7 : 9;
        hsd_sequence_write(s, at++, &(hsd_element){.shape = 7, .structure = structure, .type = (uint8_t)*text});
    }
}

static void pair_capitals(const char *before, const char *after)
{
    hsd_node at = 0;
    for (const char *c = before; *c != 0; c++) {
        if (*c == '*') continue;
        const char *there = strchr(after, *c);
        if (is_capital(*c) && there != NULL) {
            hsd_node position = 0;
            for (const char *d = after; d < there; d++)
                position += *d != '*';
            hsd_sequence_pair(&sides[0], at, &sides[1], position, HSD_RUNG_STRUCTURE);
        }
        at++;
    }
}

static void check_text(hsd_sequence *s, const char *text)
{
    hsd_node at = 0;
    for (const char *c = text; *c != 0; c++) {
        if (*c == '*') continue;
        cr_assert_eq(hsd_sequence_rung(s, at) == HSD_RUNG_UNDECIDED, c[1] == '*', "letter %" HSD_PRI_NODE " of %s", at,
                     text);
        cr_assert_eq(hsd_sequence_partner(s, at) == HSD_NO_PARTNER, !is_capital(*c), "letter %" HSD_PRI_NODE " of %s",
                     at, text);
        at++;
    }
}

/* Both ways round. */
static void check(const char *before, const char *after)
{
    for (int way = 0; way < 2; way++) {
        teardown();
        put_text(&sides[0], before);
        put_text(&sides[1], after);
        pair_capitals(before, after);
        cr_assert_eq(hsd_undecided(&sides[way], &sides[1 - way], NULL, &err), HSD_OK, "%s", err.text);
        check_text(&sides[0], before);
        check_text(&sides[1], after);
    }
}

Test(undecided, what_went_or_came_alone_is_decided) { check("AxyBzC", "ABCvwx"); }

Test(undecided, of_one_type_between_the_same_neighbours_nobody_knows) { check("Ax*yx*B", "Ax*zB"); }

Test(undecided, another_gap_is_another_place) { check("AxBC", "ABxC"); }

Test(undecided, at_the_beginning_and_at_the_end) { check("x*Ay*", "zx*Ay*y*"); }

Test(undecided, where_neighbours_moved_apart_all_may_be_anywhere) { check("Ax*BCD", "BDAy*C"); }

Test(undecided, what_has_a_name_is_decided) { check("A!x*B", "A!x*B"); }

Test(undecided, nothing_was_recognised) { check("x*y", "zx*x*"); }

Test(undecided, nothing_is_there)
{
    check("", "");
    check("", "xy");
}

/*
 * Which of the types that an object is offered stays. What follows whole programs is in test_gocore.c and test_goheap.c.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "import/gotypes/typing.h"

enum { FIELD = 1, WHOLE, OTHER, COUNT = OTHER }; /* 8 bytes; 64, begins with a FIELD; 64 */
#define SLOT UINT64_C(0xc000000000)

static hsd_go_type types[COUNT + 1];
static hsd_go_member members[1];
static gotyping typing;

static void open_typing(void)
{
    hsd_error err;
    const gospan span = {.begin = SLOT, .slot_bytes = 64, .count = 2};
    memset(types, 0, sizeof types);
    types[FIELD] = (hsd_go_type){.size = 8, .kind = HSD_GO_IS_BASE};
    types[WHOLE] = (hsd_go_type){.size = 64, .kind = HSD_GO_IS_STRUCT, .member = 0, .member_count = 1};
    types[OTHER] = (hsd_go_type){.size = 64, .kind = HSD_GO_IS_STRUCT};
    members[0] = (hsd_go_member){.offset = 0, .type = FIELD};
    typing = (gotyping){.types = {.types = types, .members = members, .type_count = COUNT + 1, .member_count = 1},
                        .slots = {.most_bytes = 1 << 20}};
    cr_assert(hsd_goslots_add(&typing.slots, &span, &err) == HSD_OK);
    cr_assert(hsd_goslots_finish(&typing.slots, &err) == HSD_OK);
    cr_assert(hsd_gotyping_open(&typing, 1 << 16, &err) == HSD_OK);
    for (uint32_t i = 0; i < span.count; i++) hsd_goslots_set_live(&typing.slots, i);
}

static void close_typing(void)
{
    typing.types = (hsd_go_types){0}; /* they are the test's */
    hsd_gotyping_close(&typing);
}

static void offer(uint32_t type, bool is_guess)
{
    hsd_error err;
    typing.is_guessing = is_guess;
    cr_assert(hsd_gotyping_offer(&typing, SLOT, type, false, &err) == HSD_OK);
}

static uint32_t type_of_slot(void) { return hsd_gotyped_of(typing.slots.types[0]).type; }

TestSuite(gotyping, .init = open_typing, .fini = close_typing);

Test(gotyping, what_says_most_of_the_bytes_stays)
{
    offer(FIELD, false);
    offer(OTHER, false);
    cr_expect_eq(type_of_slot(), OTHER);
    offer(FIELD, false);
    cr_expect_eq(type_of_slot(), OTHER);
}

Test(gotyping, a_guess_does_not_contradict_what_is_known)
{
    offer(FIELD, false);
    offer(OTHER, true);
    cr_expect_eq(type_of_slot(), FIELD);
}

Test(gotyping, a_guess_may_be_what_a_known_one_stands_at_the_beginning_of)
{
    offer(FIELD, false);
    offer(WHOLE, true);
    cr_expect_eq(type_of_slot(), WHOLE);
}

Test(gotyping, a_guess_is_better_than_nothing_and_gives_way)
{
    offer(OTHER, true);
    cr_expect_eq(type_of_slot(), OTHER);
    offer(FIELD, false);
    cr_expect_eq(type_of_slot(), FIELD);
}

Test(gotyping, a_type_that_begins_with_itself_ends)
{
    members[0].type = WHOLE;
    offer(FIELD, false);
    offer(WHOLE, true);
    cr_expect_eq(type_of_slot(), FIELD);
}

/*
 * Holders that are fields of one object: the sentence names the object where each field alone is no answer.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "report/sentences/fork.h"
#include "unit/report/sample.h"

#define ROOT "static com.shop.Reports.session"

static const hsd_step entries[] = {{.edge = {"", 0}, .type = {"Session", 7}, .repeat = 1},
                                   {.edge = {".context", 8}, .type = {"Context", 7}, .repeat = 1},
                                   {.edge = {".entries", 8}, .type = {"Map", 3}, .repeat = 1}},
                      by_key[] = {{.edge = {"", 0}, .type = {"Session", 7}, .repeat = 1},
                                  {.edge = {".context", 8}, .type = {"Context", 7}, .repeat = 1},
                                  {.edge = {".byKey", 6}, .type = {"Map", 3}, .repeat = 1}},
                      item[] = {{.edge = {"", 0}, .type = {"Session", 7}, .repeat = 1},
                                {.edge = {".context", 8}, .type = {"Context", 7}, .repeat = 1},
                                {.edge = {"[*]", 3}, .type = {"Map", 3}, .repeat = 1}};

static hsd_holder holders[6];

static hsd_diff diff_of(size_t count)
{
    hsd_diff diff = {0};
    sample_hold(&diff, holders, count);
    return diff;
}

static const char *fields_of(const hsd_fork *fork)
{
    static char text[128];
    hsd_buffer buffer = {0};
    cr_assert(hsd_fork_append_fields(&buffer, fork, NULL) == HSD_OK && buffer.size < sizeof text);
    memcpy(text, buffer.data, buffer.size);
    text[buffer.size] = 0;
    hsd_buffer_release(&buffer);
    return text;
}

Test(fork, is_the_object_that_has_both_fields)
{
    hsd_fork fork;
    holders[0] = sample_holder(ROOT, entries, 3, 4500);
    holders[1] = sample_holder("static Other.list", entries, 3, 1000);
    holders[2] = sample_holder(ROOT, by_key, 3, 3000);
    const hsd_diff diff = diff_of(3);
    cr_assert(hsd_find_fork(&diff, &holders[0], 7000, &fork));
    cr_expect_eq(fork.place.path_count, 2);
    cr_expect_eq(fork.place.growth_bytes, 7500);
    cr_expect(fork.place.type.size == 7 && memcmp(fork.place.type.data, "Context", 7) == 0);
    cr_expect_str_eq(fields_of(&fork), ", by .entries and .byKey");
    cr_expect_not(hsd_find_fork(&diff, &holders[0], 7501, &fork), "it has no more");
}

Test(fork, is_not_the_container_that_has_both_items)
{
    hsd_fork fork;
    holders[0] = sample_holder(ROOT, entries, 3, 4500);
    holders[1] = sample_holder(ROOT, item, 3, 3000);
    const hsd_diff diff = diff_of(2);
    cr_expect_not(hsd_find_fork(&diff, &holders[0], 7000, &fork));
}

Test(fork, is_no_object_that_holds_alone)
{
    hsd_fork fork;
    holders[0] = sample_holder(ROOT, entries, 3, 4500);
    holders[1] = sample_holder(ROOT, entries, 2, 3000); /* the context itself: nothing says by which field */
    const hsd_diff diff = diff_of(2);
    cr_expect_not(hsd_find_fork(&diff, &holders[0], 7000, &fork));
    holders[1] = sample_holder(ROOT, by_key, 3, 3000);
    holders[1].thread_count = 2;
    cr_expect_not(hsd_find_fork(&diff, &holders[0], 7000, &fork), "in several threads");
}

Test(fork, counts_what_its_fields_hold_together)
{
    hsd_fork fork;
    const hsd_co_holder by[] = {{.root = sample_text(ROOT), .path = entries, .path_count = 3},
                                {.root = sample_text(ROOT), .path = by_key, .path_count = 3}};
    holders[0] = sample_holder(ROOT, entries, 2, 4500);
    holders[0].by = by;
    holders[0].by_count = 2;
    holders[1] = sample_holder(ROOT, by_key, 3, 3000);
    const hsd_diff diff = diff_of(2);
    cr_assert(hsd_find_fork(&diff, &holders[0], 7000, &fork));
    cr_expect_eq(fork.place.path_count, 2);
    cr_expect_eq(fork.place.by_count, 0);
    cr_expect_str_eq(fields_of(&fork), ", by .entries and .byKey");
}

Test(fork, says_how_many_fields_there_are_more)
{
    static const char *const names[] = {".a", ".b", ".c", ".d"};
    static hsd_step paths[4][2];
    hsd_fork fork;
    for (size_t i = 0; i < 4; i++) {
        paths[i][0] = sample_step("", "Store");
        paths[i][1] = sample_step(names[i], "Map");
        holders[i] = sample_holder(ROOT, paths[i], 2, 2500);
    }
    const hsd_diff diff = diff_of(4);
    cr_assert(hsd_find_fork(&diff, &holders[0], 9000, &fork));
    cr_expect_str_eq(fields_of(&fork), ", by .a, .b and 2 more");
    const hsd_diff three = diff_of(3);
    cr_assert(hsd_find_fork(&three, &holders[0], 7000, &fork));
    cr_expect_str_eq(fields_of(&fork), ", by .a, .b and .c");
}

/* Maps in an array inside of the object have one name, and each is a row. */
Test(fork, is_the_object_that_has_many_parts_of_one_field)
{
    enum { SHARDS = 6 };
    static const hsd_step way[] = {{.edge = {"", 0}, .type = {"Api", 3}, .repeat = 1},
                                   {.edge = {".shards[*].map", 14}, .type = {"node", 4}, .repeat = 1}};
    hsd_co_holder by = {.root = {ROOT, sizeof ROOT - 1}, .path = way, .path_count = 2, .type = {"node", 4}};
    hsd_fork fork;
    for (size_t i = 0; i < SHARDS; i++) {
        holders[i] = sample_holder(ROOT, way, 1, 1000);
        holders[i].by = &by;
        holders[i].by_count = 1;
    }
    const hsd_diff diff = diff_of(SHARDS), one = diff_of(1);
    cr_assert(hsd_find_fork(&diff, &holders[0], 5000, &fork));
    cr_expect_eq(fork.place.path_count, 1);
    cr_expect_eq(fork.place.growth_bytes, 6000);
    cr_expect_str_eq(fields_of(&fork), ", by .shards[*].map");
    cr_expect_not(hsd_find_fork(&one, &holders[0], 500, &fork), "it is said by itself");
}

/*
 * Which rows of a tree are shown: heavy ones and their ancestors, never more than asked for, never one without what
 * stands above it.
 */
#include <criterion/criterion.h>

#include "report/text/outline.h"

enum { ROWS_MAX = 60 };

static hsd_outline_row rows[ROWS_MAX];

static void choose(size_t count, size_t limit, uint64_t least)
{
    cr_assert(hsd_outline_choose(rows, count, limit, least, NULL) == HSD_OK);
}

Test(outline, takes_the_heaviest_with_what_is_above)
{
    const hsd_outline_row sample[] = {{1, 10, false}, {2, 5, false}, {3, -90, false}, {2, 80, false}, {1, 70, false}};
    memcpy(rows, sample, sizeof sample);
    choose(5, 4, 1);
    cr_expect(rows[0].is_shown && rows[1].is_shown && rows[2].is_shown && rows[3].is_shown);
    cr_expect(!rows[4].is_shown);
    choose(5, 2, 1); /* -90 and all above it is too much */
    cr_expect(rows[0].is_shown && !rows[1].is_shown && !rows[2].is_shown && rows[3].is_shown);
    choose(5, 60, 85);
    cr_expect(rows[0].is_shown && rows[1].is_shown && rows[2].is_shown && !rows[3].is_shown);
    choose(5, 0, 0);
    cr_expect(!rows[0].is_shown && !rows[4].is_shown);
    choose(0, 5, 0);
}

Test(outline, takes_the_largest_magnitude_there_is)
{
    const hsd_outline_row sample[] = {{1, 1, false}, {1, INT64_MIN, false}};
    memcpy(rows, sample, sizeof sample);
    choose(2, 1, 2);
    cr_expect(!rows[0].is_shown && rows[1].is_shown);
}

/* Random trees: a tree is left, within the limit, and nothing that is shown weighs too little by itself. */
Test(outline, leaves_a_tree)
{
    uint64_t state = 3;
    for (size_t round = 0; round < 2000; round++) {
        const size_t count = round % ROWS_MAX, limit = round % 13;
        for (size_t i = 0; i < count; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const uint32_t most = i > 0 ? rows[i - 1].depth + 1 : 1;
            rows[i] =
                (hsd_outline_row){.depth = 1 + (uint32_t)(state >> 33) % most, .weight = (int64_t)(state >> 50) - 8192};
        }
        choose(count, limit, 100);
        size_t shown = 0;
        for (size_t i = 0; i < count; i++) {
            shown += rows[i].is_shown;
            if (!rows[i].is_shown || rows[i].depth == 1) continue;
            size_t above = i;
            while (above > 0 && rows[above].depth >= rows[i].depth)
                above--;
            cr_assert(rows[above].depth >= rows[i].depth || rows[above].is_shown);
        }
        cr_assert(shown <= limit);
    }
}

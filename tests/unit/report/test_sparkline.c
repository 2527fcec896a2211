/*
 * Pictures of numbers: heights, runs and what is flat.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "report/words/sparkline.h"
#include "report/words/width.h"

static char text[HSD_SPARKLINE_CHARS];

#define DRAWS(expected, columns, noise, use_utf8, ...)                                                                 \
    do {                                                                                                               \
        const uint64_t values[] = {__VA_ARGS__};                                                                       \
        cr_expect_str_eq(hsd_sparkline(text, values, sizeof values / sizeof values[0], columns, noise, use_utf8),      \
                         expected);                                                                                    \
    } while (0)

Test(sparkline, draws_eight_heights)
{
    DRAWS("▁▂▃▄▅▆▇█", 24, 0, true, 0, 1, 2, 3, 4, 5, 6, 7);
    DRAWS("_.:-=+*#", 24, 0, false, 0, 1, 2, 3, 4, 5, 6, 7);
    DRAWS("▁█▂▇▁▂", 24, 0, true, 964, 1153, 991, 1126, 964, 991);
    DRAWS("#_", 24, 0, false, UINT64_MAX, 0);
}

Test(sparkline, lays_what_does_not_move_flat)
{
    DRAWS("___", 24, 0, false, 7, 7, 7);
    DRAWS("___", 24, 10, false, 100, 105, 110);
    DRAWS("_=#", 24, 9, false, 100, 105, 110);
    DRAWS("_", 24, 0, false, UINT64_MAX);
    DRAWS("____", 24, UINT64_MAX, false, 0, UINT64_MAX, 3, 4);
}

Test(sparkline, puts_neighbours_together_when_there_is_no_room)
{
    DRAWS("_#", 2, 0, false, 0, 2, 9, 9);
    DRAWS("_-#", 3, 0, false, 0, 0, 3, 3, 7, 7, 7);
    DRAWS("", 0, 0, false, 1, 2);
    DRAWS("_", 1, 0, false, UINT64_MAX, UINT64_MAX, UINT64_MAX); /* a sum that no 64 bits hold */
}

Test(sparkline, is_as_wide_as_it_says)
{
    uint64_t values[1000];
    for (size_t i = 0; i < 1000; i++)
        values[i] = i * i;
    cr_expect_str_eq(hsd_sparkline(text, values, 0, 24, 0, true), "");
    for (size_t count = 1; count <= 1000; count += 37)
        for (size_t columns = 1; columns <= 30; columns++) {
            const size_t most = columns < HSD_SPARKLINE_COLUMNS_MAX ? columns : HSD_SPARKLINE_COLUMNS_MAX;
            hsd_sparkline(text, values, count, columns, 0, true);
            cr_expect_eq(hsd_width_of_text(text, strlen(text)), count < most ? count : most);
        }
}

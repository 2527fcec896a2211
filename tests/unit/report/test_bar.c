/*
 * Bars: lengths, fills, and that nothing is drawn for nothing alone.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "report/words/bar.h"
#include "report/words/width.h"

static char text[HSD_BAR_CHARS];

#define DRAWS(expected, value, most, columns, use_utf8)                                                                \
    cr_expect_str_eq(hsd_bar(text, value, most, columns, use_utf8), expected, "%s", text)

Test(bar, grows_by_eighths)
{
    DRAWS("", 0, 64, 8, true);
    DRAWS("▏", 1, 64, 8, true);
    DRAWS("▎", 2, 64, 8, true);
    DRAWS("▍", 3, 64, 8, true);
    DRAWS("▌", 4, 64, 8, true);
    DRAWS("▋", 5, 64, 8, true);
    DRAWS("▊", 6, 64, 8, true);
    DRAWS("▉", 7, 64, 8, true);
    DRAWS("█", 8, 64, 8, true);
    DRAWS("█▏", 9, 64, 8, true);
    DRAWS("████████", 64, 64, 8, true);
}

Test(bar, is_filled_otherwise_for_a_decrease)
{
    DRAWS("▒▒▒▒", -32, 64, 8, true);
    DRAWS("::::", -32, 64, 8, false);
    DRAWS("####", 32, 64, 8, false);
    DRAWS("▒", -1, 1000000, 8, true);
}

Test(bar, is_never_nothing_for_something)
{
    DRAWS("▏", 1, UINT64_MAX, 24, true);
    DRAWS("#", 1, UINT64_MAX, 24, false);
    DRAWS(":", -1, UINT64_MAX, 24, false);
    DRAWS("", 0, 0, 24, false);
    DRAWS("", 5, 10, 0, false);
    DRAWS("", 5, 0, 8, true);
}

Test(bar, is_no_longer_than_it_may_be)
{
    DRAWS("###", INT64_MAX, 1, 3, false);
    DRAWS(":::", INT64_MIN, 1, 3, false);
    DRAWS("########################", 1, 1, 1000, false);
    for (int64_t value = -300; value <= 300; value++)
        for (size_t columns = 1; columns <= 30; columns++) {
            const size_t most = columns < HSD_BAR_COLUMNS_MAX ? columns : HSD_BAR_COLUMNS_MAX;
            const size_t width = hsd_width_of_text(text, strlen(hsd_bar(text, value, 200, columns, true)));
            cr_expect(width <= most && (width > 0) == (value != 0), "%d in %zu columns", (int)value, columns);
        }
}

/* More is never drawn shorter. */
Test(bar, keeps_the_order)
{
    char more[HSD_BAR_CHARS];
    for (int64_t value = 1; value < 500; value++)
        cr_expect(strlen(hsd_bar(text, value, 500, 10, false)) <= strlen(hsd_bar(more, value + 1, 500, 10, false)));
}

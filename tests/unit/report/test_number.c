/*
 * Numbers as text: boundaries of the units, rounding, signs, and the ends of the 64-bit range.
 */
#include <criterion/criterion.h>
#include <locale.h>

#include "report/words/number.h"

static char out[HSD_NUMBER_CHARS];

#define SHOWS(call, wanted) cr_expect_str_eq((call), wanted)

Test(number, shows_sizes_with_three_significant_figures)
{
    SHOWS(hsd_format_bytes(out, 0), "0");
    SHOWS(hsd_format_bytes(out, 1), "1 B");
    SHOWS(hsd_format_bytes(out, 1023), "1023 B");
    SHOWS(hsd_format_bytes(out, 1024), "1.00 KiB");
    SHOWS(hsd_format_bytes(out, 10234), "9.99 KiB");
    SHOWS(hsd_format_bytes(out, 10240), "10.0 KiB");
    SHOWS(hsd_format_bytes(out, UINT64_C(432642458)), "412.6 MiB");
    SHOWS(hsd_format_bytes(out, UINT64_C(5) << 30), "5.00 GiB");
}

Test(number, goes_to_the_next_unit_before_it_would_round_to_1024)
{
    SHOWS(hsd_format_bytes(out, 1024 * 1024 - 1), "1.00 MiB");
    SHOWS(hsd_format_bytes(out, 1023 * 1024), "1023.0 KiB");
    SHOWS(hsd_format_bytes(out, 1048524), "1023.9 KiB");
    SHOWS(hsd_format_bytes(out, 1048525), "1.00 MiB");
    SHOWS(hsd_format_bytes(out, UINT64_MAX), "16.0 EiB");
}

Test(number, always_shows_the_sign_of_a_difference)
{
    SHOWS(hsd_format_bytes_signed(out, 131909632), "+125.8 MiB");
    SHOWS(hsd_format_bytes_signed(out, -9437184), "-9.00 MiB");
    SHOWS(hsd_format_bytes_signed(out, 0), "0");
    SHOWS(hsd_format_bytes_signed(out, INT64_MIN), "-8.00 EiB");
    SHOWS(hsd_format_count_signed(out, INT64_MIN), "-9,223,372,036,854,775,808");
    SHOWS(hsd_format_count_signed(out, INT64_MAX), "+9,223,372,036,854,775,807");
}

Test(number, groups_counts_by_thousands)
{
    SHOWS(hsd_format_count(out, 0), "0");
    SHOWS(hsd_format_count(out, 999), "999");
    SHOWS(hsd_format_count(out, 1000), "1,000");
    SHOWS(hsd_format_count(out, 3118204), "3,118,204");
    SHOWS(hsd_format_count(out, UINT64_MAX), "18,446,744,073,709,551,615");
    SHOWS(hsd_format_exact(out, UINT64_MAX), "18,446,744,073,709,551,615 B");
    SHOWS(hsd_format_exact_signed(out, -1), "-1 B");
}

Test(number, shows_shares)
{
    SHOWS(hsd_format_share(out, 0, 100), "0%");
    SHOWS(hsd_format_share(out, 1, 0), "0%");
    SHOWS(hsd_format_share(out, 1, 10000), "<0.1%");
    SHOWS(hsd_format_share(out, 5, 10000), "0.1%");
    SHOWS(hsd_format_share(out, 21, 1000), "2.1%");
    SHOWS(hsd_format_share(out, 9949, 100000), "9.9%");
    SHOWS(hsd_format_share(out, 9950, 100000), "10%");
    SHOWS(hsd_format_share(out, 1045, 10000), "10%");
    SHOWS(hsd_format_share(out, 3, 3), "100%");
    SHOWS(hsd_format_share(out, UINT64_MAX, UINT64_MAX), "100%");
}

Test(number, shows_growth_as_percent_of_before)
{
    SHOWS(hsd_format_percent(out, 100, 163), "+63%");
    SHOWS(hsd_format_percent(out, 100, 93), "-7%");
    SHOWS(hsd_format_percent(out, 1000, 1004), "+0.4%");
    SHOWS(hsd_format_percent(out, 100000, 100001), "+0.0%");
    SHOWS(hsd_format_percent(out, 3, 2), "-33%");
}

Test(number, shows_a_factor_where_percent_would_be_unreadable)
{
    SHOWS(hsd_format_percent(out, 100, 1099), "+999%");
    SHOWS(hsd_format_percent(out, 100, 1100), "x11");
    SHOWS(hsd_format_percent(out, 1, 281), "x281");
    SHOWS(hsd_format_percent(out, 1, UINT64_MAX), "x18,446,744,073,709,551,615");
    SHOWS(hsd_format_percent(out, UINT64_MAX, 1), "-100%");
}

Test(number, marks_what_is_new_gone_or_unchanged)
{
    SHOWS(hsd_format_percent(out, 0, 1), "[NEW]");
    SHOWS(hsd_format_percent(out, 1, 0), "[DEL]");
    SHOWS(hsd_format_percent(out, 7, 7), "[ = ]");
    SHOWS(hsd_format_percent(out, 0, 0), "[ = ]");
}

Test(number, tells_moments_in_utc)
{
    SHOWS(hsd_format_time(out, 0), "1970-01-01 00:00:00Z");
    SHOWS(hsd_format_time(out, UINT64_C(1795166042) * 1000000000), "2026-11-20 09:14:02Z");
    SHOWS(hsd_format_time(out, UINT64_C(951782400) * 1000000000), "2000-02-29 00:00:00Z");
    SHOWS(hsd_format_time(out, UINT64_C(4107542399) * 1000000000), "2100-02-28 23:59:59Z");
    SHOWS(hsd_format_time(out, UINT64_C(4107542400) * 1000000000), "2100-03-01 00:00:00Z");
    SHOWS(hsd_format_time(out, UINT64_MAX), "2554-07-21 23:34:33Z");
}

Test(number, tells_how_long)
{
    SHOWS(hsd_format_duration(out, UINT64_C(3603) * 1000000000), "1h 00m");
    SHOWS(hsd_format_duration(out, UINT64_C(245) * 1000000000), "4m 05s");
    SHOWS(hsd_format_duration(out, UINT64_C(12) * 1000000000), "12 s");
    SHOWS(hsd_format_duration(out, UINT64_C(456000000)), "0.4 s");
    SHOWS(hsd_format_duration(out, UINT64_C(200000) * 1000000000), "2d 07h");
}

Test(number, is_the_same_in_every_locale)
{
    setlocale(LC_ALL, "de_DE.UTF-8");
    SHOWS(hsd_format_bytes(out, 1536), "1.50 KiB");
    SHOWS(hsd_format_count(out, 1234567), "1,234,567");
}

Test(number, gives_shares_without_overflow)
{
    cr_expect_eq(hsd_percent_of(91, 100), 91);
    cr_expect_eq(hsd_percent_of(-50, 100), 50);
    cr_expect_eq(hsd_percent_of(1, 0), 0);
    cr_expect_eq(hsd_percent_of(INT64_MAX, INT64_MAX), 100);
    cr_expect_eq(hsd_percent_of(INT64_MIN, 1), 1000000);
}

Test(number, shares_of_growth_in_sentences_have_no_sign_for_less)
{
    SHOWS(hsd_format_said_share(out, 740, 1000), "74%");
    SHOWS(hsd_format_said_share(out, 4, 1000), "under 1%");
    SHOWS(hsd_format_said_share(out, 0, 1000), "0%");
    SHOWS(hsd_format_growth_share(out, 4, 1000), "<1%");
}

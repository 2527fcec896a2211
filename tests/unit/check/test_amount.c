/*
 * Sizes, percentages, limits and days as people write them.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "check/amount.h"

static hsd_text text(const char *from) { return (hsd_text){from, strlen(from)}; }

static void size_is(const char *from, uint64_t expected)
{
    uint64_t bytes = 77;
    const hsd_amount_fault fault = hsd_amount_read_size(text(from), &bytes);
    cr_assert_eq(fault, HSD_AMOUNT_OK, "'%s': fault %d", from, (int)fault);
    cr_assert_eq(bytes, expected, "'%s': %llu", from, (unsigned long long)bytes);
}

static void size_fails(const char *from, hsd_amount_fault expected)
{
    uint64_t bytes;
    const hsd_amount_fault fault = hsd_amount_read_size(text(from), &bytes);
    cr_assert_eq(fault, expected, "'%s': fault %d", from, (int)fault);
}

Test(amount, reads_sizes)
{
    size_is("0", 0);
    size_is("500", 500);
    size_is(" 500 B ", 500);
    size_is("64 KiB", 65536);
    size_is("64KiB", 65536);
    size_is("1.5 MiB", 1572864);
    size_is("0.0001 KiB", 0);
    size_is("2 GiB", UINT64_C(2) << 30);
    size_is("3 TiB", UINT64_C(3) << 40);
    size_is("1 KB", 1000);
    size_is("1 kB", 1000);
    size_is("2 MB", 2000000);
    size_is("1.25 GB", 1250000000);
    size_is("1 TB", UINT64_C(1000000000000));
    size_is("9223372036854775807", INT64_MAX);
}

Test(amount, refuses_what_is_no_size)
{
    size_fails("", HSD_AMOUNT_NO_NUMBER);
    size_fails("MiB", HSD_AMOUNT_NO_NUMBER);
    size_fails(".5 MiB", HSD_AMOUNT_NO_NUMBER);
    size_fails("-1 MiB", HSD_AMOUNT_NEGATIVE);
    size_fails("16 mb", HSD_AMOUNT_UNIT);
    size_fails("16 MiBs", HSD_AMOUNT_UNIT);
    size_fails("16 Mi", HSD_AMOUNT_UNIT);
    size_fails("1.5", HSD_AMOUNT_DECIMALS);
    size_fails("1.5 B", HSD_AMOUNT_DECIMALS);
    size_fails("1.1234567 MiB", HSD_AMOUNT_DECIMALS);
    size_fails("1. MiB", HSD_AMOUNT_REST);
    size_fails("1,000", HSD_AMOUNT_REST);
    size_fails("1 000", HSD_AMOUNT_REST);
    size_fails("16 MiB more", HSD_AMOUNT_REST);
    size_fails("5 %", HSD_AMOUNT_REST);
    size_fails("9223372036854775808", HSD_AMOUNT_TOO_LARGE);
    size_fails("99999999999999999999", HSD_AMOUNT_TOO_LARGE);
    size_fails("18446744073709551615 TiB", HSD_AMOUNT_TOO_LARGE);
    size_fails("8388608 TiB", HSD_AMOUNT_TOO_LARGE);
}

static void limit_is(const char *from, hsd_limit_unit unit, uint64_t amount, bool is_size)
{
    hsd_limit limit;
    bool has_unit;
    const hsd_amount_fault fault = hsd_amount_read_limit(text(from), &limit, &has_unit);
    cr_assert_eq(fault, HSD_AMOUNT_OK, "'%s': fault %d", from, (int)fault);
    cr_assert_eq(limit.unit, unit, "'%s'", from);
    cr_assert_eq(limit.amount, amount, "'%s': %llu", from, (unsigned long long)limit.amount);
    cr_assert_eq(has_unit, is_size, "'%s'", from);
}

static void limit_fails(const char *from, hsd_amount_fault expected)
{
    hsd_limit limit;
    bool has_unit;
    const hsd_amount_fault fault = hsd_amount_read_limit(text(from), &limit, &has_unit);
    cr_assert_eq(fault, expected, "'%s': fault %d", from, (int)fault);
}

Test(amount, reads_limits)
{
    limit_is("16 MiB", HSD_LIMIT_AMOUNT, UINT64_C(16) << 20, true);
    limit_is("0", HSD_LIMIT_AMOUNT, 0, false);
    limit_is("500", HSD_LIMIT_AMOUNT, 500, false);
    limit_is("auto", HSD_LIMIT_AUTO, 0, false);
    limit_is(" auto ", HSD_LIMIT_AUTO, 0, false);
    limit_is("20 per round", HSD_LIMIT_AMOUNT_PER_ROUND, 20, false);
    limit_is("64 KiB per round", HSD_LIMIT_AMOUNT_PER_ROUND, 65536, true);
    limit_is("64KiB  per  round ", HSD_LIMIT_AMOUNT_PER_ROUND, 65536, true);
    limit_is("5 %", HSD_LIMIT_PERCENT, 50000, false);
    limit_is("5%", HSD_LIMIT_PERCENT, 50000, false);
    limit_is("0.1 % per round", HSD_LIMIT_PERCENT_PER_ROUND, 1000, false);
    limit_is("0.0001 %", HSD_LIMIT_PERCENT, 1, false);
    limit_is("1.250000 %", HSD_LIMIT_PERCENT, 12500, false);
    limit_is("100%per round", HSD_LIMIT_PERCENT_PER_ROUND, 1000000, false);
    limit_is("1000000 %", HSD_LIMIT_PERCENT, UINT64_C(10000000000), false);
}

Test(amount, refuses_what_is_no_limit)
{
    limit_fails("lots", HSD_AMOUNT_NO_NUMBER);
    limit_fails("-5 %", HSD_AMOUNT_NEGATIVE);
    limit_fails("5 percent", HSD_AMOUNT_UNIT);
    limit_fails("5 per hour", HSD_AMOUNT_REST);
    limit_fails("5 per roundabout", HSD_AMOUNT_REST);
    limit_fails("5 % of it", HSD_AMOUNT_REST);
    limit_fails("5 %%", HSD_AMOUNT_REST);
    limit_fails("1.5", HSD_AMOUNT_DECIMALS);
    limit_fails("0.00001 %", HSD_AMOUNT_DECIMALS);
    limit_fails("1000001 %", HSD_AMOUNT_TOO_LARGE);
}

Test(amount, reads_counts)
{
    uint32_t count;
    cr_assert_eq(hsd_amount_read_count(text(" 12 "), &count), HSD_AMOUNT_OK);
    cr_assert_eq(count, 12);
    cr_assert_eq(hsd_amount_read_count(text("1.0"), &count), HSD_AMOUNT_DECIMALS);
    cr_assert_eq(hsd_amount_read_count(text("1x"), &count), HSD_AMOUNT_REST);
    cr_assert_eq(hsd_amount_read_count(text("1000000"), &count), HSD_AMOUNT_TOO_LARGE);
    cr_assert_eq(hsd_amount_read_count(text("-1"), &count), HSD_AMOUNT_NEGATIVE);
}

Test(amount, knows_the_calendar)
{
    static const struct {
        const char *text;
        int32_t day;
    } days[] = {{"1970-01-01", 0},     {"1970-12-31", 364},   {"1972-02-29", 789},   {"2000-02-29", 11016},
                {"2024-10-04", 20000}, {"2027-03-31", 20908}, {"2100-03-01", 47541}, {"9999-12-31", 2932896}};
    for (size_t i = 0; i < sizeof days / sizeof days[0]; i++) {
        int32_t day = -1;
        char back[16];
        cr_assert(hsd_amount_read_day(text(days[i].text), &day), "%s", days[i].text);
        cr_assert_eq(day, days[i].day, "%s: %d", days[i].text, (int)day);
        hsd_amount_write_day(back, day);
        cr_assert_str_eq(back, days[i].text);
    }
}

Test(amount, refuses_days_that_are_none)
{
    static const char *const none[] = {"",           "2027",          "2027-3-31",  "2027-02-29", "2100-02-29",
                                       "2027-13-01", "2027-00-01",    "2027-01-00", "2027-04-31", "1969-12-31",
                                       "2027/03/31", "2027-03-31T00", "soon"};
    int32_t day;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        cr_assert_not(hsd_amount_read_day(text(none[i]), &day), "%s", none[i]);
}

Test(amount, writes_sizes_that_are_no_less)
{
    static const uint64_t sizes[] = {0, 1, 1023, 1024, 1025, 65537, 104857600, 104857601, UINT64_C(1) << 62};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char out[32];
        uint64_t back;
        hsd_amount_write_size(out, sizes[i]);
        cr_assert_eq(hsd_amount_read_size(text(out), &back), HSD_AMOUNT_OK, "%s", out);
        cr_assert_geq(back, sizes[i]);
        cr_assert_leq(back - sizes[i], sizes[i] / 64 + 1024);
    }
}

Test(amount, takes_shares_without_wrapping)
{
    cr_assert_eq(hsd_amount_share(0, 1000000), 0);
    cr_assert_eq(hsd_amount_share(1999, 100000), 199);
    cr_assert_eq(hsd_amount_share(UINT64_C(1) << 40, 50000), (INT64_C(1) << 40) / 20);
    cr_assert_eq(hsd_amount_share(UINT64_MAX, 1000000), INT64_MAX);
    cr_assert_eq(hsd_amount_share(INT64_MAX, UINT64_C(10000000000)), INT64_MAX);
}

/*
 * Numbers as text. All of it is integer arithmetic: nothing depends on the locale or on how a
 * machine rounds, so the same result gives the same bytes everywhere.
 */
#include "report/words/number.h"

#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

/* ---- sizes ---- */

/* value / 2^shift in parts of 1 / `parts`, rounded half up. */
static uint64_t scaled(uint64_t value, unsigned shift, unsigned parts)
{
    const u128 half = shift > 0 ? (u128)1 << (shift - 1) : 0;
    return (uint64_t)(((u128)value * parts + half) >> shift);
}

char *hsd_format_bytes(char out[HSD_NUMBER_CHARS], uint64_t bytes)
{
    static const char units[] = "KMGTPE";
    if (bytes < 1024) {
        snprintf(out, HSD_NUMBER_CHARS, bytes == 0 ? "0" : "%u B", (unsigned)bytes);
        return out;
    }
    unsigned unit = 0;
    while (unit < 5 && scaled(bytes, 10 * (unit + 1), 10) >= 10240) /* 1024.0 KiB is written as 1.00 MiB */
        unit++;
    const unsigned shift = 10 * (unit + 1);
    const unsigned hundredths = (unsigned)scaled(bytes, shift, 100), tenths = (unsigned)scaled(bytes, shift, 10);
    if (hundredths < 1000)
        snprintf(out, HSD_NUMBER_CHARS, "%u.%02u %ciB", hundredths / 100, hundredths % 100, units[unit]);
    else
        snprintf(out, HSD_NUMBER_CHARS, "%u.%u %ciB", tenths / 10, tenths % 10, units[unit]);
    return out;
}

/* Puts the sign of `value` before what `format` makes of its magnitude; zero has none. */
static char *signed_form(char out[HSD_NUMBER_CHARS], int64_t value,
                         char *(*format)(char out[HSD_NUMBER_CHARS], uint64_t))
{
    if (value == 0) return format(out, 0);
    char digits[HSD_NUMBER_CHARS];
    format(digits, hsd_magnitude(value));
    const size_t length = strnlen(digits, HSD_NUMBER_CHARS - 2);
    out[0] = value < 0 ? '-' : '+';
    memcpy(out + 1, digits, length);
    out[length + 1] = 0;
    return out;
}

char *hsd_format_bytes_signed(char out[HSD_NUMBER_CHARS], int64_t bytes)
{
    return signed_form(out, bytes, hsd_format_bytes);
}

/* ---- counts ---- */

char *hsd_format_count(char out[HSD_NUMBER_CHARS], uint64_t count)
{
    char digits[HSD_NUMBER_CHARS];
    const int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    size_t used = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = 0;
    return out;
}

char *hsd_format_count_signed(char out[HSD_NUMBER_CHARS], int64_t count)
{
    return signed_form(out, count, hsd_format_count);
}

char *hsd_format_exact(char out[HSD_NUMBER_CHARS], uint64_t bytes)
{
    hsd_format_count(out, bytes);
    const size_t length = strnlen(out, HSD_NUMBER_CHARS - 3);
    memcpy(out + length, bytes == 0 ? "" : " B", bytes == 0 ? 1 : 3);
    return out;
}

char *hsd_format_exact_signed(char out[HSD_NUMBER_CHARS], int64_t bytes)
{
    return signed_form(out, bytes, hsd_format_exact);
}

/* ---- shares ---- */

unsigned hsd_percent_of(int64_t part, int64_t whole)
{
    const uint64_t divisor = hsd_magnitude(whole);
    if (divisor == 0) return 0;
    const u128 percent = ((u128)hsd_magnitude(part) * 100 + divisor / 2) / divisor;
    return percent > 1000000 ? 1000000 : (unsigned)percent;
}

char *hsd_format_share(char out[HSD_NUMBER_CHARS], uint64_t part, uint64_t whole)
{
    const u128 tenths = whole == 0 ? 0 : ((u128)part * 1000 + whole / 2) / whole;
    if (part == 0 || whole == 0)
        snprintf(out, HSD_NUMBER_CHARS, "0%%");
    else if (tenths == 0)
        snprintf(out, HSD_NUMBER_CHARS, "<0.1%%");
    else if (tenths < 100)
        snprintf(out, HSD_NUMBER_CHARS, "%u.%u%%", (unsigned)tenths / 10, (unsigned)tenths % 10);
    else
        snprintf(out, HSD_NUMBER_CHARS, "%llu%%", (unsigned long long)(((u128)part * 100 + whole / 2) / whole));
    return out;
}

char *hsd_format_growth_share(char out[HSD_NUMBER_CHARS], int64_t part, int64_t growth)
{
    const unsigned percent = hsd_percent_of(part, growth);
    if (percent == 0 && part != 0)
        snprintf(out, HSD_NUMBER_CHARS, "<1%%");
    else
        snprintf(out, HSD_NUMBER_CHARS, "%s%u%%", part < 0 ? "-" : "", percent);
    return out;
}

char *hsd_format_said_share(char out[HSD_NUMBER_CHARS], int64_t part, int64_t growth)
{
    if (hsd_percent_of(part, growth) > 0 || part == 0) return hsd_format_growth_share(out, part, growth);
    snprintf(out, HSD_NUMBER_CHARS, "under 1%%");
    return out;
}

static void format_ratio(char out[HSD_NUMBER_CHARS], uint64_t before, uint64_t after)
{
    char digits[HSD_NUMBER_CHARS];
    const u128 ratio = ((u128)after + before / 2) / before;
    snprintf(out, HSD_NUMBER_CHARS, "x%.*s", HSD_NUMBER_CHARS - 2, hsd_format_count(digits, (uint64_t)ratio));
}

char *hsd_format_percent(char out[HSD_NUMBER_CHARS], uint64_t before, uint64_t after)
{
    const char *marker = before == after ? "[ = ]" : before == 0 ? "[NEW]" : after == 0 ? "[DEL]" : NULL;
    if (marker) {
        snprintf(out, HSD_NUMBER_CHARS, "%s", marker);
        return out;
    }
    const uint64_t change = before < after ? after - before : before - after;
    const char sign = before < after ? '+' : '-';
    const u128 tenths = ((u128)change * 1000 + before / 2) / before;
    if (tenths > 9990)
        format_ratio(out, before, after);
    else if (tenths < 10)
        snprintf(out, HSD_NUMBER_CHARS, "%c0.%u%%", sign, (unsigned)tenths);
    else
        snprintf(out, HSD_NUMBER_CHARS, "%c%u%%", sign, (unsigned)(((u128)change * 100 + before / 2) / before));
    return out;
}

/* ---- moments ---- */

char *hsd_format_time(char out[HSD_NUMBER_CHARS], uint64_t unix_ns)
{
    const uint64_t seconds = unix_ns / 1000000000u, of_day = seconds % 86400;
    /* Civil date from days since 1970-01-01, in eras of 400 years that begin on a first of March. */
    const uint64_t days = seconds / 86400 + 719468;
    const unsigned era = (unsigned)(days / 146097), of_era = (unsigned)(days % 146097);
    const unsigned year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const unsigned of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const unsigned march_month = (5 * of_year + 2) / 153;
    const unsigned day = of_year - (153 * march_month + 2) / 5 + 1;
    const unsigned month = march_month < 10 ? march_month + 3 : march_month - 9;
    snprintf(out, HSD_NUMBER_CHARS, "%04u-%02u-%02u %02u:%02u:%02uZ", year_of_era + era * 400 + (month <= 2), month,
             day, (unsigned)(of_day / 3600), (unsigned)(of_day / 60 % 60), (unsigned)(of_day % 60));
    return out;
}

char *hsd_format_duration(char out[HSD_NUMBER_CHARS], uint64_t elapsed_ns)
{
    const uint64_t seconds = elapsed_ns / 1000000000u;
    if (seconds >= 86400)
        snprintf(out, HSD_NUMBER_CHARS, "%ud %02uh", (unsigned)(seconds / 86400), (unsigned)(seconds / 3600 % 24));
    else if (seconds >= 3600)
        snprintf(out, HSD_NUMBER_CHARS, "%uh %02um", (unsigned)(seconds / 3600), (unsigned)(seconds / 60 % 60));
    else if (seconds >= 60)
        snprintf(out, HSD_NUMBER_CHARS, "%um %02us", (unsigned)(seconds / 60), (unsigned)(seconds % 60));
    else if (seconds >= 10)
        snprintf(out, HSD_NUMBER_CHARS, "%u s", (unsigned)seconds);
    else
        snprintf(out, HSD_NUMBER_CHARS, "%u.%u s", (unsigned)seconds,
                 (unsigned)(elapsed_ns % 1000000000u / 100000000u));
    return out;
}

char *hsd_format_hex(char out[HSD_HEX_CHARS], const uint8_t id[16])
{
    for (size_t i = 0; i < 16; i++)
        snprintf(out + 2 * i, 3, "%02x", id[i]);
    return out;
}

char *hsd_format_p(char out[HSD_NUMBER_CHARS], uint32_t p_millionths)
{
    const unsigned thousandths = (unsigned)((p_millionths + UINT64_C(500)) / 1000);
    if (thousandths == 0)
        snprintf(out, HSD_NUMBER_CHARS, "<0.001");
    else
        snprintf(out, HSD_NUMBER_CHARS, "%u.%03u", thousandths / 1000, thousandths % 1000);
    return out;
}

/*
 * Amounts as people write them. Numbers are read digit by digit into 64 bits, decimals as a second integer over a power
 * of ten, so that no float and no locale comes near them.
 */
#include "check/amount.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"

#define SIZE_DECIMALS    6u
#define PERCENT_DECIMALS 4u
#define PERCENT_ONE      10000u /* 1 % in millionths */
#define PERCENT_MOST     UINT64_C(1000000)

typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_blanks(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t'))
        c->at++;
}

static cursor cursor_of(hsd_text text)
{
    cursor c = {text.data, text.data + text.size};
    while (c.end > c.at && (c.end[-1] == ' ' || c.end[-1] == '\t'))
        c.end--;
    skip_blanks(&c);
    return c;
}

static bool take_word(cursor *c, const char *word)
{
    const size_t size = strlen(word);
    if ((size_t)(c->end - c->at) < size || memcmp(c->at, word, size) != 0) return false;
    c->at += size;
    return true;
}

static bool is_digit(const cursor *c) { return c->at < c->end && *c->at >= '0' && *c->at <= '9'; }

/* ---- numbers ---- */

typedef struct number {
    uint64_t whole, part; /* part / scale of one */
    uint64_t scale;
} number;

static bool take_digit(cursor *c, uint64_t *value)
{
    const uint64_t digit = (uint64_t)(*c->at++ - '0');
    return hsd_mul_u64(*value, 10, value) && hsd_add_u64(*value, digit, value);
}

static hsd_amount_fault take_decimals(cursor *c, unsigned most, number *out)
{
    unsigned count = 0;
    if (!is_digit(c)) return HSD_AMOUNT_REST;
    for (; is_digit(c); count++) {
        if (count == most) return HSD_AMOUNT_DECIMALS;
        take_digit(c, &out->part);
        out->scale *= 10;
    }
    return HSD_AMOUNT_OK;
}

static hsd_amount_fault take_number(cursor *c, number *out)
{
    *out = (number){.scale = 1};
    if (c->at < c->end && *c->at == '-') return HSD_AMOUNT_NEGATIVE;
    if (!is_digit(c)) return HSD_AMOUNT_NO_NUMBER;
    while (is_digit(c))
        if (!take_digit(c, &out->whole)) return HSD_AMOUNT_TOO_LARGE;
    return take_word(c, ".") ? take_decimals(c, SIZE_DECIMALS, out) : HSD_AMOUNT_OK;
}

/* ---- sizes ---- */

static const struct {
    const char *name;
    uint64_t bytes;
} units[] = {{"KiB", UINT64_C(1) << 10},
             {"MiB", UINT64_C(1) << 20},
             {"GiB", UINT64_C(1) << 30},
             {"TiB", UINT64_C(1) << 40},
             {"KB", 1000},
             {"kB", 1000},
             {"MB", 1000000},
             {"GB", 1000000000},
             {"TB", UINT64_C(1000000000000)},
             {"B", 1}};

/* A letter behind the unit makes it another, unknown one. */
static bool is_letter(const cursor *c)
{
    return c->at < c->end && ((*c->at >= 'a' && *c->at <= 'z') || (*c->at >= 'A' && *c->at <= 'Z'));
}

static uint64_t take_unit(cursor *c)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(units); i++) {
        const cursor before = *c;
        if (take_word(c, units[i].name) && !is_letter(c)) return units[i].bytes;
        *c = before;
    }
    return 0;
}

static hsd_amount_fault scale_up(const number *n, uint64_t unit, uint64_t *out)
{
    uint64_t part = 0;
    if (n->part > 0 && unit == 1) return HSD_AMOUNT_DECIMALS;
    if (!hsd_mul_u64(n->whole, unit, out)) return HSD_AMOUNT_TOO_LARGE;
    if (!hsd_mul_u64(n->part, unit, &part)) return HSD_AMOUNT_TOO_LARGE; /* below 10^6 * 2^40: never */
    if (!hsd_add_u64(*out, part / n->scale, out) || *out > INT64_MAX) return HSD_AMOUNT_TOO_LARGE;
    return HSD_AMOUNT_OK;
}

/* The unit of an amount, or none; `per round` is no unit. */
static hsd_amount_fault take_amount(cursor *c, const number *n, uint64_t *out, bool *has_unit)
{
    const cursor before = *c;
    const bool has_word = is_letter(c) && !take_word(c, "per ");
    *c = before;
    const uint64_t unit = has_word ? take_unit(c) : 1;
    *has_unit = has_word;
    return unit == 0 ? HSD_AMOUNT_UNIT : scale_up(n, unit, out);
}

hsd_amount_fault hsd_amount_read_size(hsd_text text, uint64_t *bytes)
{
    cursor c = cursor_of(text);
    number n;
    bool has_unit;
    hsd_amount_fault fault = take_number(&c, &n);
    if (fault != HSD_AMOUNT_OK) return fault;
    skip_blanks(&c);
    fault = take_amount(&c, &n, bytes, &has_unit);
    return fault == HSD_AMOUNT_OK && c.at < c.end ? HSD_AMOUNT_REST : fault;
}

/* ---- limits ---- */

static hsd_amount_fault percent_of(const number *n, uint64_t *millionths)
{
    uint64_t part = n->part, scale = n->scale;
    for (; scale > PERCENT_ONE; scale /= 10, part /= 10)
        if (part % 10 != 0) return HSD_AMOUNT_DECIMALS;
    if (n->whole > PERCENT_MOST) return HSD_AMOUNT_TOO_LARGE;
    *millionths = n->whole * PERCENT_ONE + part * (PERCENT_ONE / scale);
    return HSD_AMOUNT_OK;
}

static hsd_amount_fault take_per_round(cursor *c, hsd_limit *limit)
{
    skip_blanks(c);
    if (c->at == c->end) return HSD_AMOUNT_OK;
    if (!take_word(c, "per")) return HSD_AMOUNT_REST;
    skip_blanks(c);
    if (!take_word(c, "round") || c->at < c->end) return HSD_AMOUNT_REST;
    limit->unit = limit->unit == HSD_LIMIT_PERCENT ? HSD_LIMIT_PERCENT_PER_ROUND : HSD_LIMIT_AMOUNT_PER_ROUND;
    return HSD_AMOUNT_OK;
}

hsd_amount_fault hsd_amount_read_limit(hsd_text text, hsd_limit *limit, bool *has_unit)
{
    cursor c = cursor_of(text);
    number n;
    *has_unit = false;
    *limit = (hsd_limit){.unit = HSD_LIMIT_AMOUNT};
    if (take_word(&c, "auto")) {
        limit->unit = HSD_LIMIT_AUTO;
        skip_blanks(&c);
        return c.at == c.end ? HSD_AMOUNT_OK : HSD_AMOUNT_REST;
    }
    hsd_amount_fault fault = take_number(&c, &n);
    if (fault != HSD_AMOUNT_OK) return fault;
    skip_blanks(&c);
    if (take_word(&c, "%")) {
        limit->unit = HSD_LIMIT_PERCENT;
        fault = percent_of(&n, &limit->amount);
    } else {
        fault = take_amount(&c, &n, &limit->amount, has_unit);
    }
    return fault == HSD_AMOUNT_OK ? take_per_round(&c, limit) : fault;
}

hsd_amount_fault hsd_amount_read_count(hsd_text text, uint32_t *count)
{
    cursor c = cursor_of(text);
    number n;
    const hsd_amount_fault fault = take_number(&c, &n);
    if (fault != HSD_AMOUNT_OK) return fault;
    if (n.scale > 1) return HSD_AMOUNT_DECIMALS;
    if (c.at < c.end) return HSD_AMOUNT_REST;
    if (n.whole > 999999) return HSD_AMOUNT_TOO_LARGE;
    *count = (uint32_t)n.whole;
    return HSD_AMOUNT_OK;
}

int64_t hsd_amount_share(uint64_t value, uint64_t millionths)
{
    const uint64_t one = 1000000;
    uint64_t share, rest;
    if (!hsd_mul_u64(value / one, millionths, &share) || !hsd_mul_u64(value % one, millionths, &rest)) return INT64_MAX;
    if (!hsd_add_u64(share, rest / one, &share) || share > INT64_MAX) return INT64_MAX;
    return (int64_t)share;
}

/* ---- days ---- */

static bool is_leap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

static int days_of(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

static bool take_fixed(cursor *c, int digits, int *out)
{
    *out = 0;
    for (int i = 0; i < digits; i++) {
        if (!is_digit(c)) return false;
        *out = *out * 10 + (*c->at++ - '0');
    }
    return true;
}

/* Leap days of the years before `year`. */
static int leap_days(int year) { return (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400; }

bool hsd_amount_read_day(hsd_text text, int32_t *day)
{
    cursor c = cursor_of(text);
    int year, month, of_month;
    if (!take_fixed(&c, 4, &year) || !take_word(&c, "-") || !take_fixed(&c, 2, &month) || !take_word(&c, "-") ||
        !take_fixed(&c, 2, &of_month) || c.at < c.end) {
        return false;
    }
    if (year < 1970 || month < 1 || month > 12 || of_month < 1 || of_month > days_of(year, month)) return false;
    *day = (year - 1970) * 365 + leap_days(year) - leap_days(1970) + of_month - 1;
    for (int i = 1; i < month; i++)
        *day += days_of(year, i);
    return true;
}

void hsd_amount_write_day(char out[16], int32_t day)
{
    int year = 1970, month = 1;
    for (; day >= 365 + is_leap(year); year++)
        day -= 365 + is_leap(year);
    for (; day >= days_of(year, month); month++)
        day -= days_of(year, month);
    snprintf(out, 16, "%04u-%02u-%02u", (unsigned)year % 10000, (unsigned)month % 13, (unsigned)day % 32 + 1);
}

/* ---- writing ---- */

static uint64_t divide_up(uint64_t value, uint64_t by) { return value / by + (value % by != 0); }

void hsd_amount_write_size(char out[32], uint64_t bytes)
{
    const uint64_t kib = UINT64_C(1) << 10, mib = UINT64_C(1) << 20;
    if (bytes < kib)
        snprintf(out, 32, "%" PRIu64 " B", bytes);
    else if (bytes < 100 * mib)
        snprintf(out, 32, "%" PRIu64 " KiB", divide_up(bytes, kib));
    else
        snprintf(out, 32, "%" PRIu64 " MiB", divide_up(bytes, mib));
}

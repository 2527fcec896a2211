/*
 * Whether one run of values has grown more than a rule allows.
 */
#include "check/grown.h"

#include "base/check.h"
#include "check/amount.h"

int64_t hsd_int64_of(uint64_t value) { return value > INT64_MAX ? INT64_MAX : (int64_t)value; }

int64_t hsd_int64_minus(int64_t a, int64_t b)
{
    int64_t difference;
    if (!__builtin_sub_overflow(a, b, &difference)) return difference;
    return a < b ? INT64_MIN : INT64_MAX;
}

int64_t hsd_int64_times(int64_t a, int64_t b)
{
    int64_t product;
    if (!__builtin_mul_overflow(a, b, &product)) return product;
    return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

static uint64_t number_of(const hsd_yardstick *by, hsd_amount amount)
{
    return by->is_bytes ? amount.bytes : amount.objects;
}

/* Rounded away from zero, so that a whole growth over rounds times a limit is over it per round too. */
static int64_t divide_up(int64_t growth, uint32_t rounds)
{
    const int64_t part = growth / rounds;
    return growth % rounds == 0 ? part : growth > 0 ? part + 1 : part - 1;
}

static hsd_trend trend_of(const hsd_yardstick *by, const hsd_amount *values)
{
    for (size_t i = 0; i < by->value_count; i++)
        by->numbers[i] = number_of(by, values[i]);
    return hsd_trend_of(by->numbers, NULL, by->value_count, by->is_bytes ? by->noise : 0);
}

static void take_growth(const hsd_yardstick *by, const hsd_amount *values, hsd_grown *grown)
{
    const hsd_amount *last = &values[by->value_count - 1];
    grown->before = hsd_int64_of(number_of(by, values[0]));
    grown->after = hsd_int64_of(number_of(by, *last));
    grown->growth = grown->after - grown->before;
    grown->bytes = hsd_int64_of(last->bytes) - hsd_int64_of(values[0].bytes);
    grown->round_count = (uint32_t)(by->value_count - 1);
    grown->per_round = divide_up(grown->growth, grown->round_count);
    grown->least_round = grown->per_round;
    grown->p_millionths = 1000000;
    grown->up_count = grown->growth > 0;
}

/* ---- limits ---- */

/*
 * The more rounds in a row bear witness, the less each has to bring. Measured on 400 runs of services that leak nothing
 * (bench/gate): of all holders of a run the largest least round was 0.31 % of the heap after 2 rounds, 0.11 % after 3,
 * 0.04 % after 4, 0.008 % after 5.
 */
uint64_t hsd_grown_auto_millionths(size_t rounds)
{
    static const uint64_t by_rounds[] = {100000, 100000, 10000, 3000, 1000, 300};
    return by_rounds[hsd_min_u64(rounds, HSD_ARRAY_LEN(by_rounds) - 1)];
}

static int64_t limit_of(const hsd_yardstick *by, const hsd_limit *limit, hsd_amount base)
{
    switch (limit->unit) {
    case HSD_LIMIT_PERCENT: return hsd_amount_share(number_of(by, base), limit->amount);
    case HSD_LIMIT_PERCENT_PER_ROUND: return hsd_amount_share(by->heap, limit->amount);
    case HSD_LIMIT_AUTO: return hsd_amount_share(by->heap, hsd_grown_auto_millionths(by->value_count - 1));
    case HSD_LIMIT_AMOUNT:
    case HSD_LIMIT_AMOUNT_PER_ROUND: break;
    }
    return hsd_int64_of(limit->amount);
}

static bool is_of_round(hsd_limit_unit unit)
{
    return unit == HSD_LIMIT_AMOUNT_PER_ROUND || unit == HSD_LIMIT_PERCENT_PER_ROUND || unit == HSD_LIMIT_AUTO;
}

static void hold_against(const hsd_yardstick *by, hsd_amount base, hsd_grown *grown)
{
    for (size_t i = 0; i < by->rule->limit_count; i++) {
        const hsd_limit *limit = &by->rule->limits[i];
        const bool is_per_round = is_of_round(limit->unit);
        const int64_t most = limit_of(by, limit, base), found = is_per_round ? grown->least_round : grown->growth;
        const int64_t rounds = is_per_round ? (int64_t)grown->round_count : 1;
        const int64_t excess = hsd_int64_times(hsd_int64_minus(found, most), rounds);
        if (i > 0 && excess <= grown->excess) continue;
        grown->is_per_round = is_per_round;
        grown->found = found;
        grown->limit = most;
        grown->excess = excess;
    }
}

/* ---- what begins late ---- */

#define LATE_ROUNDS 3u /* fewer in a row are chance too often */

uint32_t hsd_grown_late(const hsd_yardstick *by, const hsd_amount *values, const hsd_trend *trend)
{
    const uint32_t first = trend->rises_since, last = trend->step_count;
    if (first == 0 || first + LATE_ROUNDS > last || last + 1 != by->value_count) return 0;
    const int64_t least = hsd_amount_share(by->heap, hsd_grown_auto_millionths(last - first));
    for (uint32_t i = first; i < last; i++)
        if (hsd_int64_of(number_of(by, values[i + 1]) - number_of(by, values[i])) <= least) return 0;
    return last - first;
}

/* ---- what grows alike ---- */

/*
 * How many objects a round has to bring, and how much less than the most the least may be. Of 62 runs of services that
 * leak nothing (bench/gate) no holder got 10 objects in each of 3 rounds so evenly, one got 11 in each of 2; of 30 that
 * leak 0.1 % of the heap a round, what leaks got 54 and more in each of 5. Exactly as many in each of four rounds and
 * more are a witness from ten on.
 */
typedef struct steadiness {
    uint64_t least, of_most; /* of_most: a part of the most, 1 in so many; 0 = exactly as many */
} steadiness;

#define EXACT_ROUNDS  4u
#define EXACT_OBJECTS 10u

static steadiness steadiness_of(size_t rounds)
{
    static const steadiness by_rounds[] = {{100, 0}, {50, 20}, {30, 4}}; /* 2 rounds, 3, 4 and more */
    return by_rounds[rounds < 2 ? 0 : hsd_min_u64(rounds - 2, HSD_ARRAY_LEN(by_rounds) - 1)];
}

uint64_t hsd_grown_steadily(const hsd_yardstick *by, const hsd_amount *values)
{
    const size_t rounds = by->value_count - 1;
    const steadiness asked = steadiness_of(rounds);
    uint64_t least = UINT64_MAX, most = 0;
    if (rounds < 2) return 0;
    for (size_t i = 0; i < rounds; i++) {
        if (values[i + 1].objects <= values[i].objects || values[i + 1].bytes <= values[i].bytes) return 0;
        const uint64_t step = values[i + 1].objects - values[i].objects;
        least = hsd_min_u64(least, step);
        most = hsd_max_u64(most, step);
    }
    const uint64_t slack = asked.of_most > 0 ? most / asked.of_most : 0;
    const bool is_exact = rounds >= EXACT_ROUNDS && least >= EXACT_OBJECTS && least == most;
    return (least >= asked.least && most - least <= slack) || is_exact ? least : 0;
}

/* ---- what counts ---- */

/* Growth has to be over the limit, and over the least that counts: the larger one is what it is held against. A limit
 * per round is of another measure than the least. */
static void take_min(const hsd_yardstick *by, hsd_grown *grown)
{
    const int64_t least = hsd_int64_of(by->min_bytes);
    if (!by->is_bytes || grown->is_per_round || grown->limit >= least) return;
    grown->limit = least;
    grown->excess = hsd_int64_minus(grown->found, least);
}

static void judge_grown_row(const hsd_yardstick *by, hsd_verdict verdict, hsd_grown *grown)
{
    take_min(by, grown);
    if (grown->excess <= 0 || grown->growth <= 0) return;
    grown->is_small = by->is_bytes && (uint64_t)grown->growth <= by->min_bytes;
    if (grown->is_small) return;
    if (!by->has_trend) {
        grown->leaks = true;
    } else if (verdict == HSD_VERDICT_LEVELLED) {
        grown->is_levelled = grown->bytes <= 0 || (uint64_t)grown->bytes <= by->one_off_bytes;
        grown->leaks = !grown->is_levelled;
    } else {
        grown->leaks = grown->up_count == grown->round_count;
        grown->breathes = !grown->leaks;
    }
}

hsd_grown hsd_grown_of(const hsd_yardstick *by, const hsd_amount *values, hsd_amount base, const hsd_trend *known,
                       bool is_row)
{
    hsd_grown grown = {0};
    hsd_verdict verdict = HSD_VERDICT_STEADY;
    take_growth(by, values, &grown);
    if (by->has_trend && (known != NULL || grown.growth > 0 || !is_row)) {
        const hsd_trend trend = known != NULL ? *known : trend_of(by, values);
        verdict = trend.verdict;
        grown.per_round = trend.per_step;
        grown.least_round = trend.least_step;
        grown.up_count = trend.up_count;
        grown.p_millionths = trend.p_millionths;
    }
    hold_against(by, base, &grown);
    judge_grown_row(by, verdict, &grown);
    return grown;
}

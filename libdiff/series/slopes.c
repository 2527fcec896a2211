/*
 * Slopes as a whole part and a fraction: nearly all comparisons end at the whole part. The median is found by selection
 * with a pivot from the middle of what is left.
 */
#include "series/slopes.h"

#include <stdbool.h>

#define PAIRS    (HSD_SLOPE_POINTS * (HSD_SLOPE_POINTS - 1) / 2)
#define FARTHEST (UINT64_C(1) << 60) /* of two points: 36 years in nanoseconds */

__extension__ typedef unsigned __int128 u128;

typedef struct slope { /* whole + rest / of, 0 <= rest < of <= FARTHEST */
    int64_t whole;
    uint64_t rest, of;
} slope;

static slope slope_of(const hsd_point *from, const hsd_point *to, uint64_t unit)
{
    const bool rises = to->value >= from->value;
    const uint64_t distance = to->at - from->at;
    const uint64_t of = distance == 0 ? 1 : distance < FARTHEST ? distance : FARTHEST;
    const u128 rise = (u128)(rises ? to->value - from->value : from->value - to->value) * unit;
    const u128 whole = rise / of;
    const uint64_t rest = (uint64_t)(rise % of);
    if (whole > INT64_MAX / 2) return (slope){rises ? INT64_MAX / 2 : -(INT64_MAX / 2), 0, 1};
    if (rises) return (slope){(int64_t)whole, rest, of};
    return rest == 0 ? (slope){-(int64_t)whole, 0, of} : (slope){-(int64_t)whole - 1, of - rest, of};
}

static bool is_less(const slope *a, const slope *b)
{
    if (a->whole != b->whole) return a->whole < b->whole;
    return (u128)a->rest * b->of < (u128)b->rest * a->of;
}

static void swap(slope *a, slope *b)
{
    const slope keep = *a;
    *a = *b;
    *b = keep;
}

/* Puts the slope that belongs at `wanted` there, none greater before it, none smaller behind (Hoare). */
static void put_in_place(slope *slopes, size_t count, size_t wanted)
{
    size_t first = 0, last = count - 1;
    while (first < last) {
        const slope pivot = slopes[first + (last - first) / 2];
        size_t i = first, j = last;
        for (;;) {
            while (is_less(&slopes[i], &pivot))
                i++;
            while (is_less(&pivot, &slopes[j]))
                j--;
            if (i >= j) break;
            swap(&slopes[i++], &slopes[j--]);
        }
        if (wanted <= j)
            last = j;
        else
            first = j + 1;
    }
}

/* (a + b) / 2 to nearest. b >= a. */
static int64_t round_mean(const slope *a, const slope *b)
{
    const uint64_t between = (uint64_t)b->whole - (uint64_t)a->whole;
    int64_t whole = a->whole + (int64_t)(between / 2);
    const u128 of = (u128)a->of * b->of;
    u128 rest = (u128)a->rest * b->of + (u128)b->rest * a->of + (between % 2 != 0 ? of : 0); /* of 2 of */
    if (rest >= 2 * of) {
        rest -= 2 * of;
        whole++;
    }
    if (rest == of) return whole >= 0 ? whole + 1 : whole;
    return rest > of ? whole + 1 : whole;
}

int64_t hsd_slope_of(const hsd_point *points, size_t count, uint64_t unit)
{
    slope slopes[PAIRS];
    size_t pairs = 0;
    if (count < 2) return 0;
    for (size_t j = 1; j < count; j++) {
        for (size_t i = 0; i < j; i++)
            slopes[pairs++] = slope_of(&points[i], &points[j], unit);
    }
    put_in_place(slopes, pairs, pairs / 2);
    const slope upper = slopes[pairs / 2];
    if (pairs % 2 != 0) return round_mean(&upper, &upper);
    slope lower = slopes[0];
    for (size_t i = 1; i < pairs / 2; i++) {
        if (is_less(&lower, &slopes[i])) lower = slopes[i];
    }
    return round_mean(&lower, &upper);
}

/*
 * How often chance alone gives as much order: the distributions behind Mann-Kendall and Mann-Whitney. Whole numbers
 * where the count of arrangements is small; else the normal distribution by arithmetic of its own, so that every
 * machine and libm rounds to the same millionths. Pure functions, no allocation.
 */
#ifndef HSD_SERIES_CHANCE_H
#define HSD_SERIES_CHANCE_H

#include <stddef.h>
#include <stdint.h>

#define HSD_CHANCE_MOST_SURE   UINT32_C(1000000) /* in millionths: it says nothing */
#define HSD_CHANCE_SIGNIFICANT UINT32_C(50000)   /* below this chance is not believed */

/* Values that are arranged, at most; and one more than the inversions that they can have. */
#define HSD_CHANCE_VALUES     20u
#define HSD_CHANCE_INVERSIONS 191u

/*
 * All arrangements of values, of which groups are equal, by their inversions (a greater value before a smaller one): a
 * product of Gaussian binomials. For 2 and 1 equal values: 1 + q + q^2, three arrangements with 0, 1 and 2 inversions.
 */
typedef struct hsd_arrangements {
    uint64_t with[HSD_CHANCE_INVERSIONS]; /* how many have so many inversions */
    uint32_t values, most;                /* most inversions */
    uint64_t total;
} hsd_arrangements;

/* No values: one arrangement. */
void hsd_arrangements_begin(hsd_arrangements *all);

/* `count` more values, equal to each other and to no other. Together at most HSD_CHANCE_VALUES; with more than 10 of
 * them at most two groups, or totals overflow. */
void hsd_arrangements_add(hsd_arrangements *all, uint32_t count);

/* Share of arrangements whose inversions are as far from the middle as `inversions`, either way, in millionths. */
uint32_t hsd_arrangements_chance(const hsd_arrangements *all, uint32_t inversions);

/* The least that Mann-Whitney can give for two groups of such counts, two-sided, in millionths: of 3 and 3 values one
 * of 20 orders has all of one group first, so 100,000. Past 1,000 orders 2,000, which is what 1,000 give. */
uint32_t hsd_chance_least(size_t a, size_t b);

/* Of a normal distribution: the chance to be sqrt(square) standard deviations or more off, either way, in millionths.
 */
uint32_t hsd_chance_normal(double square);

#endif

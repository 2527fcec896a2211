/*
 * Whether one run of values has grown more than a rule allows: a pure function, the heart of the check.
 *
 *      two captures     over the limit and more than `min`
 *      a series         that, and it grew in every round; what grew and levelled off passes up to `one_off`
 *
 * A limit per round is held against the round that brought least, so that each of them was over it; any other against
 * the whole growth. Noise has a round without growth sooner or later, a leak has none: this tells the two apart where
 * the mean rate (Theil-Sen) does not. Each limit of a rule must hold; the strictest of those that do not, else of all,
 * is the one that is told. To compare them, one per round counts as often as there are rounds.
 */
#ifndef HSD_CHECK_GROWN_H
#define HSD_CHECK_GROWN_H

#include <hsdiff/check.h>

typedef struct hsd_yardstick { /* what is the same for all rows of a rule */
    const hsd_rule *rule;
    size_t value_count;
    bool is_bytes;
    bool has_trend;
    uint64_t min_bytes; /* growth up to this is none; not for counts */
    uint64_t one_off_bytes;
    uint64_t noise;    /* of a trend of bytes */
    uint64_t heap;     /* live before, in the unit of the measure: what a percentage per round is of */
    uint64_t *numbers; /* scratch, value_count */
} hsd_yardstick;

typedef struct hsd_grown {
    int64_t before, after, growth, per_round;
    /* growth of the round that brought least; with two captures, or without a trend, per_round */
    int64_t least_round;
    int64_t bytes; /* growth in bytes, for allowances */
    uint32_t round_count, up_count, p_millionths;
    bool is_per_round; /* of the limit that is told, and of found */
    int64_t found, limit;
    int64_t excess;   /* found - limit over all rounds; > 0 = over */
    bool leaks;       /* is over, and it counts */
    bool is_levelled; /* is over, and accepted since it levelled off */
    bool breathes;    /* is over, and did not grow in every round */
    /* is over, and no more than `min_bytes`: which stands for the limit, where that is of the whole growth */
    bool is_small;
} hsd_grown;

/* `trend` is that of the bytes where it is known. A row that shrank (`is_row`) is not looked at any closer. */
hsd_grown hsd_grown_of(const hsd_yardstick *by, const hsd_amount *values, hsd_amount base, const hsd_trend *trend,
                       bool is_row);

/* Of a row that lay still first: how many rounds up to the last grew, each by what `auto` asks of so many. 0 = fewer
 * than LATE_ROUNDS of grown.c, or it did not lie still. `values` are of the rounds that `trend` is of. */
uint32_t hsd_grown_late(const hsd_yardstick *by, const hsd_amount *values, const hsd_trend *trend);

/* Of a row that is within its limit: how many objects the round that brought least brought, where each brought as many,
 * give or take, and bytes too: what work leaves behind does so, and what breathes does not. 0 = it did not. */
uint64_t hsd_grown_steadily(const hsd_yardstick *by, const hsd_amount *values);

/* What `auto` asks of each of so many rounds, in millionths of the live heap. */
uint64_t hsd_grown_auto_millionths(size_t rounds);

/* The same sums and differences without wrapping. */
int64_t hsd_int64_of(uint64_t value);
int64_t hsd_int64_minus(int64_t a, int64_t b);
int64_t hsd_int64_times(int64_t a, int64_t b);

#endif

/*
 * Growth over a series: 2 to 1,000 captures, one after the other, each added up (hsdiff/profile.h) and let go again.
 * What stays is a table of sums, one value for each capture, and of each row a verdict: does it grow in every step, has
 * it levelled off, is there no trend. Where objects can be recognised from one capture to the next, also their ages: of
 * those that came in one interval, how many are alive at the end (*cohorts*), which shows a leak as a column that does
 * not decay.
 *
 *      captures ──one at a time──► profile ──join by name──► rows of values ──► trends, verdicts
 *                                     └─ objects by id ──merge with those alive──► cohorts
 *
 * Memory does not depend on how many captures there are, but for the values of the rows (at most 24 MiB, then
 * the smallest rows are folded into `others`). A profile gets the whole budget; names and the last values of rows stay
 * beside it, at most 16 MiB on top, whatever the budget: so the answer does not depend on it. Temporary space: one
 * capture's, two lists of its objects (some 6 bytes each) and what changed in the rows (some 6 bytes for each that
 * did). Time: linear in all objects.
 *
 * With before_count the captures are two groups of repeated ones, and rows say whether the groups differ.
 */
#ifndef HSDIFF_SERIES_H
#define HSDIFF_SERIES_H

#include <hsdiff/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HSD_SERIES_LEAST 2u
#define HSD_SERIES_MOST  1000u

/* ---- trends: pure functions of a row of values ---- */

typedef enum hsd_verdict {
    HSD_VERDICT_STEADY,    /* never left the noise */
    HSD_VERDICT_EACH_STEP, /* grew in every step, and still does */
    HSD_VERDICT_GROWING,   /* grows, not in each step: the trend is significant. Of two captures: grew */
    HSD_VERDICT_LEVELLED,  /* grew, and stopped growing: libdiff/series/trend.c says when */
    HSD_VERDICT_NO_TREND,  /* moves without a direction */
    HSD_VERDICT_SHRINKING  /* the mirror image of the first two that grow */
} hsd_verdict;

/* The word for a verdict: "steady", "each step", "growing", "levelled", "no trend", "shrinking". A constant. */
HSD_API const char *hsd_verdict_name(hsd_verdict verdict);

/* Of the values behind the warm-up; `steps` are the differences of neighbours. Amounts may be bytes or objects. */
typedef struct hsd_trend {
    int64_t growth;   /* last - first */
    int64_t per_step; /* Theil-Sen: the median of the slopes of all pairs of values (past 128 values: of medians of
                       * neighbours), rounded to nearest */
    int64_t per_hour; /* the same by the times of the captures; 0 without has_times */
    int64_t least_step, median_step, last_step;
    uint32_t step_count, up_count, down_count;
    uint32_t rises_since; /* the value up to which it lay still: every step since rises, there are two or more, and they
                           * brought nine tenths of the growth. 0 = it did not lie still, or has not grown so since */
    uint32_t p_millionths; /* Mann-Kendall with correction for ties, two-sided: how often chance alone gives as much
                            * order; exact up to 10 values, normal approximation beyond */
    hsd_verdict verdict;
} hsd_trend;

/*
 * Judges a row of values.
 *
 *   values    `count` amounts, bytes or objects, in the order of the captures
 *   times_ns  `count` ascending moments, ns since 1970; NULL = per_hour stays 0
 *   count     1 to HSD_SERIES_MOST; one value is steady
 *   noise     what does not count as movement, in the unit of the values
 *
 * A pure function: allocates nothing, cannot fail. Time: quadratic up to 128 values, which are then medians of
 * neighbours.
 */
HSD_API hsd_trend hsd_trend_of(const uint64_t *values, const uint64_t *times_ns, size_t count, uint64_t noise);

/*
 * How often a row was enlarged by a quarter or more, with as many objects in each capture: so does a buffer to which
 * something is appended, which is made anew whenever it is full, and lies still for longer each time.
 *
 *   values  `count` amounts, in the order of the captures
 *
 * Returns 0 where it did that less than twice, grew in other ways as well, shrank, or has lain still by now for longer
 * than it takes until the next time. A pure function.
 */
HSD_API uint32_t hsd_trend_enlarged(const hsd_amount *values, size_t count);

/* Two groups: Mann-Whitney U, two-sided, exact where both groups together have at most 20 values and none are equal,
 * else normal with ties corrected. Medians of an even number: the lower plus half of the difference. Spread: half of
 * the interquartile range. */
typedef struct hsd_contrast {
    uint64_t median_before, median_after, spread_before, spread_after;
    uint32_t p_millionths; /* 1,000,000 when a group has a single value: nothing can be said */
    bool is_significant;   /* p < 0.05 */
} hsd_contrast;

/*
 * Compares two groups of values. Each count is 1 to HSD_SERIES_MOST; a group of one value is never significant. A pure
 * function: allocates nothing, cannot fail.
 */
HSD_API hsd_contrast hsd_contrast_of(const uint64_t *before, size_t before_count, const uint64_t *after,
                                     size_t after_count);

/* ---- the result ---- */

typedef struct hsd_series_point { /* one capture */
    hsd_text label;               /* as given, else the file's name without folders */
    hsd_side side;
    bool is_baseline, is_summary;
    hsd_order order; /* behind the one before it, as ids say; known with ages by ids */
    const hsd_profile_metric *metrics;
    size_t metric_count;
} hsd_series_point;

#define HSD_RUNTIME_NOTES "(notes on program code)"

typedef struct hsd_series_row {
    hsd_text name;  /* type; root; of a holder its own type, "" = the root itself */
    uint32_t flags; /* of a type HSC_TYPE_*, of a root or a holder's root its kind */
    bool is_shared; /* the root "(shared)" */
    /* of a holder: "(program code)", objects of types that are code (HSC_TYPE_CODE), wherever they hang;
     * HSD_RUNTIME_NOTES, other objects that hang from code of which all that it holds is code (HSC_TYPE_WHOLE) */
    bool is_code;
    /* of what is lost, as of hsd_lost_row; `name` is then the type of what heads it */
    hsd_text cycle;
    const hsd_site_frame *frame; /* of what is lost: which function of the program asked for what heads it, else who
                                  * allocated it; NULL where no site is known */
    hsd_text place;              /* and the same in words; "" */
    hsd_text root;               /* of a holder: the root its path begins at */
    const hsd_step *path;        /* of a holder: from the root to it */
    size_t path_count;
    /* one for each capture: live objects of the type, owned by the root, held by the holder */
    const hsd_amount *values;
    const hsd_holder *const *held; /* of a holder: by whom `pair` says that its growth is held, those that hold most
                                    * first. None where it was not asked, or says no more than root and path do */
    size_t held_count;
    hsd_trend trend;       /* of the bytes */
    hsd_contrast contrast; /* of the bytes, with before_count */
    uint32_t enlarged;     /* hsd_trend_enlarged of all captures, also of the warm-up */
} hsd_series_row;

/* By growth in bytes, largest first (with before_count by the difference of medians); ties by name, root, path. Rows
 * and others add up to the live heap of each capture that has the table. */
typedef struct hsd_series_table {
    bool is_known; /* else why_not says why there are no rows */
    hsd_text why_not;
    hsd_series_row *rows;
    size_t row_count;
    hsd_series_row others; /* the sum of other_count rows that were folded */
    uint64_t other_count;
} hsd_series_table;

/* ---- cohorts ---- */

#define HSD_COHORTS_MOST 12u

/* captures at which its objects were first seen */
typedef struct hsd_cohort {
    uint32_t first, last;
} hsd_cohort;

typedef struct hsd_cohort_row { /* one type, or all */
    hsd_text name;
    const hsd_amount *alive; /* [at * cohort_count + born], born <= at: objects first seen in cohort `born` that are
                              * live in the last capture of cohort `at` */
} hsd_cohort_row;

typedef struct hsd_cohorts {
    bool are_known;
    /* a clause: "the collector moves objects; --cohorts recognises them by structure" */
    hsd_text why_not;
    bool is_by_structure;
    /* the first holds what was there at the first capture; past HSD_COHORTS_MOST captures share one */
    hsd_cohort *cohorts;
    size_t cohort_count;
    hsd_cohort_row all;
    hsd_cohort_row *types; /* by bytes that came after the first capture and are live in the last, largest first; ties
                            * by name; at most 4,096, those without any are left out */
    size_t type_count;
    const hsd_amount *retained_since; /* for each capture: live in the last and not there yet in that one. What was not
                                       * live in between counts as come again; an address that holds another object of
                                       * its type, as the same one */
} hsd_cohorts;

/* ---- when memory is full ---- */

/*
 * Where a limit is known: by hsd_series_options, by the metric heap.limit of each capture, or by process.limit. What
 * fills the first is the resident memory of the process (the metric process.rss), else the live heap and what is lost;
 * what fills the second is the live heap, and the third the resident memory. Of the last two the one is told that is
 * full first. A time is told where that surely grows: in five captures or more, with an order that chance
 * alone gives in less than 5 of 100 cases, and no farther off than 30 times as long as was watched.
 */
typedef struct hsd_forecast {
    uint64_t limit_bytes;  /* 0 = no limit is known, and nothing else either */
    hsd_text limit_name;   /* "heap.limit", "process.limit"; "" = as asked */
    hsd_text used_name;    /* "process.rss"; "" = the heap */
    uint64_t used_bytes;   /* of it at the last capture */
    int64_t per_hour;      /* 0 = that it grows is not sure */
    uint64_t full_unix_ns; /* when the limit is reached; 0 = why_not says why that cannot be said */
    hsd_text why_not;      /* a clause */
} hsd_forecast;

typedef struct hsd_series {
    hsd_series_point *points;
    size_t point_count;
    size_t before_count;  /* > 0: repeated captures, the first so many against the others */
    uint32_t warmup;      /* captures at the start that trends leave out */
    bool has_times;       /* every capture knows when it was taken, and they ascend: per_hour is known */
    bool is_one_process;  /* all captures are of one process */
    hsd_series_row total; /* live heap */
    hsd_series_row unreached;
    hsd_series_table types, roots, holders;
    /* what is lost (hsd_lost), by what heads it and who allocated that; rows and others add up to unreached */
    hsd_series_table lost;
    hsd_cohorts cohorts;
    /* of two of the captures, with holders: hsd_series_take_pair; NULL = not asked */
    hsd_diff *pair;
    size_t pair_from, pair_to;
    bool is_pair_said; /* a row's own place is who holds most in `pair` */
    /* with asks_pair, where captures are small: the capture behind the warm-up and the last one as they were walked,
     * for hsd_diff_options.walked, until hsd_series_take_pair; else NULL */
    hsd_walked *walked[2];
    hsd_forecast forecast;
    uint64_t noise_bytes; /* what counted as noise */
    hsd_text *warnings;
    size_t warning_count;
    uint64_t temp_bytes_peak;
    struct hsd_series_store *store;
} hsd_series;

/*
 * A holder of a series is a place, a path from its nearest root, with exactly one object in every capture behind the
 * warm-up (or a root that all have); every object counts for the nearest one above it, for "(roots)" if there is none.
 * So it needs no identity, works for every runtime and from baselines, and adds up. Code counts apart: it grows with
 * what was compiled, below whatever runs. Threads of a pool are one root, thread "http-*", here and in the table of
 * roots. Tables of roots and holders are known if all captures behind the warm-up have them.
 */

/* Where captures come from: at most three are open at a time, in ascending order, each opened once. The first of those
 * that are open may be closed on another thread, while the one that called waits. */
typedef struct hsd_series_source {
    size_t count;
    hsd_status (*open)(void *context, size_t i, hsd_capture **out, hsd_error *err);
    void (*close)(void *context, size_t i, hsd_capture *capture);
    void *context;
    const char *const *labels; /* NULL = names of files */
} hsd_series_source;

typedef enum hsd_cohort_wish { HSD_COHORTS_IF_CHEAP, HSD_COHORTS_NEVER, HSD_COHORTS_ALWAYS } hsd_cohort_wish;

typedef struct hsd_series_options {
    size_t struct_bytes; /* HSD_OPTIONS_INIT */
    size_t before_count; /* 0 = a series */
    uint32_t warmup;
    uint64_t noise_bytes;    /* 0 = hsd_noise_of the first heap behind the warm-up */
    hsd_cohort_wish cohorts; /* IF_CHEAP: where ids tell objects apart in all captures; ALWAYS: by structure too, which
                              * reads every capture three times */
    bool no_places;          /* no holders */
    bool summary_only;       /* type totals alone */
    bool partial;
    uint64_t limit_bytes; /* of the memory of the process, for hsd_forecast; 0 = not known */
    bool asks_pair;       /* a diff of two captures may follow: hsd_series.walked stays for it */
} hsd_series_options;

/*
 * Adds up a series. Captures are taken in the order given; where all know their times and these do not ascend, a
 * warning says so and there is no time axis.
 *
 *   out      freed by the caller with hsd_series_free; NULL on failure
 *   source   borrowed for the call
 *   options  NULL = defaults
 *   run      NULL = defaults
 *
 * Returns HSD_OK, or
 *   HSD_E_MISUSE: fewer than 2 or more than 1,000 captures, before_count >= count, or warmup > count - 2.
 *   what source.open returned.
 *   as hsd_profile_make and hsd_diff_run fail, with the file named.
 *
 * Time: linear in the objects of all captures. Memory and temporary space: see the top of this header.
 */
HSD_API hsd_status hsd_series_run(hsd_series **out, const hsd_series_source *source, const hsd_series_options *options,
                                  const hsd_run *run, hsd_error *err);

/* Frees a result and all its texts, with the pair that it took. NULL is accepted. */
HSD_API void hsd_series_free(hsd_series *series);

/* Captures of one process, with those of another among them. */
typedef struct hsd_series_mix {
    size_t other;      /* the first capture that is of another process than the one before it */
    size_t again;      /* the first behind it that is of a process from before it again; 0 = none */
    size_t starts;     /* captures that are of another process than the one before them */
    size_t from, most; /* the most captures in a row of one process: the first of them, and how many */
} hsd_series_mix;

/*
 * Tells whether captures that are meant to be of one process are not: some are, others are of another one. Where none
 * are, each is of a run of its own. Who tells neither (hsd_capture_processes), and baselines, which are of a run
 * before, are nobody's.
 *
 *   first  captures in front of it are left out
 *   out    filled when true is returned
 *
 * Costs nothing for memory; time: quadratic in the captures, if there is anything to tell.
 */
HSD_API bool hsd_series_mixes(const hsd_series *series, size_t first, hsd_series_mix *out);

/* What a process grew by, behind the warm-up, that no capture shows: resident memory, and how much of its growth is
 * neither the heap's nor the agent's. */
typedef struct hsd_series_unseen {
    uint64_t resident_before, resident_after, bytes;
} hsd_series_unseen;

/*
 * True where such memory came in every step, is a tenth of the process or more, and is more than the heap grew by.
 * False where captures are of several processes or did not measure it, and where a collector frees, since garbage moves
 * a process, too; CPython counts references, and does not.
 *
 *   out    filled when true is returned
 */
HSD_API bool hsd_series_find_unseen(const hsd_series *series, hsd_series_unseen *out);

/*
 * A place says that something grows, and not always who holds it: what two variables hold together has no place but
 * "(roots)". A diff of two captures of the series does know. Who wants to hear it makes one, of those two, and gives it
 * to the series, which then owns it:
 *
 *      if (hsd_series_wants_pair(series) && hsd_series_find_pair(series, &from, &to)) { hsd_diff_run(&diff, …); hsd_series_take_pair(…); }
 */

/* True if something grows of which no place says who holds it: then a diff of two captures tells more. */
HSD_API bool hsd_series_wants_pair(const hsd_series *series);

/*
 * Finds the captures that such a diff is made of: the first and the last one behind the warm-up in which objects can
 * be looked at (no baselines, no totals, nothing incomplete).
 *
 *   from, to  filled when true is returned: numbers of captures, from 0
 *
 * Returns false if there are no two, and for repeated captures.
 */
HSD_API bool hsd_series_find_pair(const hsd_series *series, size_t *from, size_t *to);

/*
 * Gives the series a diff of two of its captures. Rows of holders get `held`; those of which the same is said become
 * one with the sums of all, and a trend of its own. All others stay as they are.
 *
 *   pair      moved: the series owns it in any case, also on failure. It frees the pair that it had before
 *   from, to  the captures that it is of
 *
 * Returns HSD_OK or HSD_E_NOMEM.
 */
HSD_API hsd_status hsd_series_take_pair(hsd_series *series, hsd_diff *pair, size_t from, size_t to, hsd_error *err);

#ifdef __cplusplus
}
#endif
#endif

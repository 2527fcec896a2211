/*
 * The gate: rules about growth, held against a diff or a series. What is over its limit is named with what holds it,
 * and what cannot be judged fails louder than what leaks.
 *
 *      .hsdiff.yml ──hsd_check_config_read──► rules ─┐
 *                                                    ├─hsd_check_run──► one row a rule: found, limit, over by, who
 *      hsd_diff (2 captures) or hsd_series (3 …) ────┘
 *
 * With two captures a rule fails when growth is over its limit. With three and more the first `warmup` captures are
 * left out, and a rule fails only for what grew in every round and is over its limit: caches that fill and level off,
 * and heaps that breathe, pass.
 */
#ifndef HSDIFF_CHECK_H
#define HSDIFF_CHECK_H

#include <hsdiff/diff.h>
#include <hsdiff/report.h>
#include <hsdiff/series.h>
#include <hsdiff/sites.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what is asked ---- */

typedef enum hsd_check_level { HSD_LEVEL_ERROR, HSD_LEVEL_WARN, HSD_LEVEL_OFF } hsd_check_level;

/* What a rule looks at: the whole heap, or the rows of a table whose name matches. */
typedef enum hsd_subject {
    HSD_SUBJECT_HEAP,
    HSD_SUBJECT_TYPE,
    HSD_SUBJECT_ROOT,
    HSD_SUBJECT_HOLDER,
    HSD_SUBJECT_SITE /* lost.* alone: of what is lost: who allocated what heads it, hsd_lost_row.place */
} hsd_subject;

typedef enum hsd_measure {
    HSD_MEASURE_BYTES,     /* growth of live bytes: total.bytes, bytes */
    HSD_MEASURE_OBJECTS,   /* growth of live objects: total.objects, objects */
    HSD_MEASURE_NEW_BYTES, /* new.bytes, new.objects: live after and not live before; needs identity */
    HSD_MEASURE_NEW_OBJECTS,
    HSD_MEASURE_NEW_TYPES,       /* new.types: types without an object before; heap alone */
    HSD_MEASURE_UNREACHED_BYTES, /* unreached.bytes, unreached.objects: garbage that was not collected yet; heap,
                                  * type */
    HSD_MEASURE_UNREACHED_OBJECTS,
    HSD_MEASURE_SURVIVED_BYTES, /* survived.bytes, survived.objects: of three and more captures: came after the
                                 * first behind the warm-up and before the last, and is still live in the last;
                                 * heap, type; needs identity. By cohorts: where one holds captures of both sides of
                                 * a border, it is left out */
    HSD_MEASURE_SURVIVED_OBJECTS,
    HSD_MEASURE_CAPTURE,    /* metric:process.rss: what the capture itself measured; heap alone */
    HSD_MEASURE_LOST_BYTES, /* lost.bytes, lost.objects: what no root reaches where nothing but the program frees memory
                             * (hsd_lost); heap, type and site of what heads it, with all that hangs below */
    HSD_MEASURE_LOST_OBJECTS
} hsd_measure;

/* One limit: so much may be added. Several of one rule: each must hold (the strictest decides). */
typedef enum hsd_limit_unit {
    HSD_LIMIT_AMOUNT,  /* 16 MiB, 500: in the unit of the measure */
    HSD_LIMIT_PERCENT, /* 5 %: of the value before (of the first behind the warm-up), rounded down: 0 of
                        * what was not there. new.* and survived.*: of what was live before. Not known of
                        * the holders of a diff */
    /* 64 KiB per round: each round brought more; with two captures there is one round */
    HSD_LIMIT_AMOUNT_PER_ROUND,
    HSD_LIMIT_PERCENT_PER_ROUND, /* 0.1 % per round: of the live heap before, whatever the subject */
    HSD_LIMIT_AUTO /* auto: a percentage per round of the live heap, the smaller the more rounds bear witness: 10 % with
                    * two captures, 1 % with 2 rounds, 0.3 % with 3, 0.1 % with 4, 0.03 % from 5 on */
} hsd_limit_unit;

typedef struct hsd_limit {
    hsd_limit_unit unit;
    /* bytes or objects; percent in millionths of the whole (5 % = 50,000); of AUTO 0 */
    uint64_t amount;
} hsd_limit;

#define HSD_LIMITS_MOST 4u

typedef struct hsd_rule {
    hsd_text name;
    hsd_subject subject;
    hsd_text pattern; /* as written: a glob (* and ?; all else is itself, brackets too) that is the whole
                       * name, or /regex/ (POSIX extended, bytes, anywhere in the name). Holders: against
                       * the root and for each step the edge, if it has a name, and the type, with one
                       * blank between: hsd_check_holder_text. * alone is everything but
                       * program code (HSC_TYPE_CODE, "(program code)"), which grows with what is compiled */
    /* every matching row has the limit for itself; else their sum has. Holders always */
    bool is_each;
    hsd_measure measure;
    hsd_text capture_metric; /* of HSD_MEASURE_CAPTURE */
    hsd_limit limits[HSD_LIMITS_MOST];
    size_t limit_count;
    hsd_check_level level;
    uint32_t line; /* in the file; 0 = built in */
} hsd_rule;

typedef struct hsd_allowance { /* `allow:`: growth that is known and accepted */
    hsd_subject subject;       /* TYPE, ROOT, HOLDER */
    hsd_text pattern, reason;
    uint64_t up_to_bytes; /* UINT64_MAX = any */
    /* days since 1970-01-01, the last day on which it holds; INT32_MAX = for ever */
    int32_t until_day;
    uint32_t line;
} hsd_allowance;

typedef struct hsd_check_config {
    hsd_text name; /* of the file; "built-in rules" */
    bool is_built_in;
    hsd_rule *rules;
    size_t rule_count;
    hsd_allowance *allow;
    size_t allow_count;
    hsd_text *ignore; /* types left out of every rule, and of the sums of the whole heap; roots and
                       * holders keep their bytes, but holders of such a type are left out. /regex/ or
                       * glob; a bare text that is a regex in the old form '^luv\.timer' is taken for one
                       * when it begins with ^ or ends with $ */
    size_t ignore_count;
    uint64_t min_bytes;     /* up to this nothing is growth; measures in objects have no such bound */
    bool has_min;           /* else 0 with two captures, the series' noise with more */
    uint32_t warmup;        /* three and more captures: so many at the start are left out */
    bool has_warmup;        /* else 1 from four captures on, 0 with three */
    uint64_t one_off_bytes; /* one_off: growth of a row up to this is accepted when it has levelled off;
                             * UINT64_MAX, the default, = any that has levelled off */
    struct hsd_check_store *store;
} hsd_check_config;

/* Size at which a configuration is refused. */
#define HSD_CHECK_CONFIG_MOST (UINT32_C(1) << 20)

/*
 * Reads a configuration.
 *
 *   out   freed by the caller with hsd_check_config_free; NULL on failure
 *   text  YAML in UTF-8, `size` bytes, at most HSD_CHECK_CONFIG_MOST; borrowed for the call
 *   name  of the file, for errors and reports; copied
 *
 * Without `rules:` the configuration has rule_count 0, and the built-in rules judge.
 *
 * Returns HSD_OK, or
 *   HSD_E_CORRUPT: the text is wrong. err->file, line and fix are named: unknown keys with the nearest known one,
 *     values with the form that is expected, rules without a limit, broken regular expressions, dates that are none,
 *     anchors and aliases (refused). err->text goes on from the name of the file: "has an unknown key 'max_grow' in
 *     line 7".
 *   HSD_E_UNSUPPORTED: this build has no libyaml.
 *   HSD_E_NOMEM: no memory.
 */
HSD_API hsd_status hsd_check_config_read(hsd_check_config **out, const void *text, size_t size, const char *name,
                                         hsd_error *err);

/*
 * Gives the rules that hold where there is no file: for two captures, or for a series. A built-in rule that the
 * captures cannot answer (no holders, say) comes out as HSD_CHECK_OFF with why_unknown, and a note says so; the one
 * about the whole heap can always be judged.
 *
 *   out  freed by the caller with hsd_check_config_free; NULL on failure
 *
 * Returns HSD_OK or HSD_E_NOMEM.
 */
HSD_API hsd_status hsd_check_config_default(hsd_check_config **out, bool is_series, hsd_error *err);

/* Frees a configuration; results that were judged by it must be freed before. NULL is accepted. */
HSD_API void hsd_check_config_free(hsd_check_config *config);

/*
 * Says how many captures at the start of a series are to be left out, for hsd_series_options.warmup.
 *
 *   count  captures of the series
 *   out    filled on HSD_OK: the warm-up of the configuration, else 1 from four captures on and 0 with fewer
 *
 * Returns HSD_OK; HSD_E_CORRUPT when fewer than two captures would be left, and the hint says what to do.
 */
HSD_API hsd_status hsd_check_warmup(const hsd_check_config *config, size_t count, uint32_t *out, hsd_error *err);

/*
 * Says whether the rules are to be judged with a diff of two captures of a series at hand (hsd_series_take_pair), also
 * where they hold without: one names a place that holds something, and what grew is known by all its names only then.
 */
HSD_API bool hsd_check_wants_pair(const hsd_check_config *config, const hsd_series *series);

/*
 * Writes a first configuration from what is seen: limits a little above what grew, the largest holders by name, each
 * with a comment that says what was found. Of a series the rule that nothing grows in every round stands among them,
 * and what grew so has its limit commented out. What is written passes on the same captures but for that.
 *
 *   diff, series  exactly one of them is not NULL
 *   write         called with pieces of the text, in order
 *   left_out      filled with how many limits are commented out; may be NULL
 *
 * Returns HSD_OK; HSD_E_MISUSE for both or neither of diff and series; what `write` returned; HSD_E_NOMEM.
 */
HSD_API hsd_status hsd_check_config_suggest(const hsd_diff *diff, const hsd_series *series, hsd_write_fn write,
                                            void *context, size_t *left_out, hsd_error *err);

/* ---- what is found ---- */

typedef enum hsd_check_outcome {
    HSD_CHECK_OK,
    HSD_CHECK_WARN,    /* over the limit, level warn */
    HSD_CHECK_FAIL,    /* over the limit, level error */
    HSD_CHECK_UNKNOWN, /* cannot be judged: why_unknown; the check as a whole ends as damaged input does */
    HSD_CHECK_OFF      /* not asked */
} hsd_check_outcome;

typedef struct hsd_finding { /* one row over the limit, or with a sum the rows that carry it: the largest that make up
                              * 90 % of the growth, at most 20; of the whole heap its types */
    /* type, root, or the holder's type ("" = the root itself); of what is lost the type of what heads it */
    hsd_text name;
    hsd_text place; /* of what is lost: who allocated that, in words; else "" */
    hsd_text cycle; /* and the types round the circle that it is in; else "" */
    /* holders: their root; types: the root that holds most of the growth, "" = not known */
    hsd_text root;
    const hsd_step *path; /* holders: to it; types: to the holder of most of their growth */
    size_t path_count;
    /* the row of the diff, or of hsd_series.pair, that root and path are of, as that tells it; else NULL */
    const hsd_holder *holder;
    /* holders of a series: who holds it, where root and path do not say it (hsd_series_row.held); */
    const hsd_holder *const *held;
    size_t held_count;     /* allowances of a holder match these names too, if they match all of them */
    int64_t before, after; /* in the unit of the measure; of a series behind the warm-up; not known of the holders
                            * of a diff: both 0 */
    int64_t growth, limit; /* limit: of the row, or of the sum that it is part of */
    bool is_per_round;     /* limit is one per round: hold it against per_round, not against growth */
    int64_t per_round;     /* series: Theil-Sen; else growth */
    uint32_t round_count, up_count; /* 0: which rounds it grew in is not known */
    uint32_t p_millionths;          /* series: of the trend; else 1,000,000 */
    const hsd_allowance *allowed;   /* NULL = not allowed; allowed ones do not fail a rule */
    bool is_levelled;               /* over the limit, and accepted as a one-off that levelled off */
    /* where it was allocated, if the caller gave sites; by growth. Of what is lost always where it is known */
    const hsd_site_growth *sites;
    size_t site_count;
    hsd_site_growth own_site; /* what sites is of what is lost: its stack from who wanted the memory on */
} hsd_finding;

typedef struct hsd_check_row {
    const hsd_rule *rule;
    hsd_check_outcome outcome;
    hsd_text why_unknown; /* a clause */
    bool is_bytes;        /* else a count */
    bool is_per_round;    /* found, limit and over are of the round that brought least */
    int64_t found, limit; /* of a sum its own, without growth that is allowed; else of the worst row, 0 where none
                           * counts; limit: what the strictest comes to here */
    int64_t over;         /* WARN and FAIL: found - limit, > 0; else 0, also for what is over and did not grow in
                           * every round (a note says so) */
    const hsd_holder *const *held; /* WARN and FAIL of a rule on live bytes or objects of the whole heap: who holds most
                                    * of what it grew by, hsd_diff_most_held of the diff or of hsd_series.pair */
    size_t held_count;
    hsd_finding *findings; /* what fails first, then what is allowed or levelled; by how far over, then by name; at
                            * most 100 */
    size_t finding_count;
    uint64_t other_findings;
} hsd_check_row;

typedef struct hsd_check {
    const hsd_check_config *config;
    hsd_check_row *rows; /* as the rules stand in the file */
    size_t row_count;
    size_t failed, warned, passed, unknown; /* rows */
    /* why the captures cannot be judged at all: incomplete, incomparable. Any = status 3 */
    hsd_text *problems;
    size_t problem_count;
    hsd_text *notes; /* allowances that have run out or match nothing, rules that match nothing */
    size_t note_count;
    const hsd_diff *diff; /* what was judged: one of the two */
    const hsd_series *series;
    struct hsd_check_store *store;
} hsd_check;

/*
 * Writes the text that patterns of holders are held against: "global sessions SessionCache .entries Entry[]".
 *
 *   out       at most `capacity` bytes, a NUL at their end included; may be NULL with capacity 0
 *   root      name of the root that the path begins at
 *   path      `path_count` steps from there to the holder
 *
 * Returns the length of the whole text without the NUL: it was cut when that is `capacity` or more.
 */
HSD_API size_t hsd_check_holder_text(char *out, size_t capacity, hsd_text root, const hsd_step *path,
                                     size_t path_count);

/*
 * The exit status of the command for a result: 0 passed, 1 a rule failed, 3 something cannot be judged. 3 wins over 1.
 */
HSD_API int hsd_check_exit(const hsd_check *check);

/* What a capture measured itself, for rules with metric:NAME: its HSD_RECORD_METRIC records; the last of a name
 * counts. */
typedef struct hsd_check_metrics {
    const hsd_profile_metric *items;
    size_t count;
} hsd_check_metrics;

typedef struct hsd_check_options {
    size_t struct_bytes; /* HSD_OPTIONS_INIT */
    int32_t today;       /* days since 1970-01-01, for allowances */
    /* --partial: judge what is there all the same: incomplete captures become notes */
    bool allow_incomplete;
    hsd_check_metrics metrics[2]; /* of a diff, before and after; a series has its own. Borrowed for the call */
    const hsd_sites *sites;       /* NULL = not asked for */
} hsd_check_options;

/*
 * Judges a diff or a series by a configuration.
 *
 *   out      freed by the caller with hsd_check_free; NULL on failure
 *   diff     the other one of `diff` and `series` is NULL. The one given, `config` and the sites must outlive the
 *            result
 *   options  NULL = no allowance has run out, no metrics, no sites
 *
 * Returns HSD_OK, whether rules fail or not; HSD_E_MISUSE for both or neither of diff and series, or for a series of
 * two groups; HSD_E_NOMEM. Reads no capture: all is in the diff or the series.
 */
HSD_API hsd_status hsd_check_run(hsd_check **out, const hsd_check_config *config, const hsd_diff *diff,
                                 const hsd_series *series, const hsd_check_options *options, hsd_error *err);

/* Frees a result and all its texts. NULL is accepted. */
HSD_API void hsd_check_free(hsd_check *check);

/*
 * Says for which types a second pass should find allocation sites (hsd_sites_run): those of rows that fail or warn (of
 * a holder the type that it got most of), by growth. Give the sites to hsd_check_run then, and judge again.
 *
 *   out  room for `most` names; filled with texts that are borrowed from the result
 *
 * Returns how many types were written: 0 to `most`; 0 also when there is no memory.
 */
HSD_API size_t hsd_check_types_wanted(const hsd_check *check, hsd_text *out, size_t most);

#ifdef __cplusplus
}
#endif
#endif

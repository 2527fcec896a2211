/*
 * What rules look at, in one shape: a row of any table is a name and a run of amounts, two of a diff, one for each
 * capture behind the warm-up of a series. A growth without a value before (new, survived, the holders of a diff) is
 * {0, growth}.
 *
 *      hsd_diff    ──facts_diff.c───┐
 *                                   ├─ hsd_facts_get(table, row), hsd_facts_total ──► judge.c
 *      hsd_series  ──facts_series.c─┘
 */
#ifndef HSD_CHECK_FACTS_H
#define HSD_CHECK_FACTS_H

#include "check/pattern.h"

typedef enum hsd_fact_table {
    HSD_FACTS_TYPES,
    HSD_FACTS_ROOTS,
    HSD_FACTS_HOLDERS,
    HSD_FACTS_COHORTS,
    HSD_FACTS_LOST,
    HSD_FACTS_TABLE_COUNT
} hsd_fact_table;

typedef struct hsd_facts {
    const hsd_diff *diff; /* one of the two */
    const hsd_series *series;
    const hsd_check_options *options;
    size_t first; /* series: the first capture behind the warm-up */
    size_t value_count;
    bool *ignored[HSD_FACTS_TABLE_COUNT]; /* NULL: no row is */
} hsd_facts;

typedef struct hsd_fact { /* what is not known is empty */
    hsd_text name, root;
    hsd_text place, cycle;        /* of what is lost, */
    const hsd_site_frame *frames; /* and the stack of what heads it, from who wanted the memory on */
    size_t frame_count;
    hsd_amount first, last; /* of the values, with frames */
    const hsd_step *path;
    size_t path_count;
    const hsd_holder *holder;      /* of a diff */
    const hsd_holder *const *held; /* of a holder of a series: hsd_series_row.held */
    size_t held_count;
    hsd_amount base;        /* what a percentage is of */
    const hsd_trend *trend; /* of the bytes, where the series has it */
    bool has_before;
    bool is_code; /* program code: "*" leaves it out */
} hsd_fact;

/* Finds the rows that are ignored. `facts` has diff, series and options. */
hsd_status hsd_facts_open(hsd_facts *facts, const hsd_check_config *config, hsd_check_store *store, hsd_error *err);

/* The table that a rule's rows, or the rows behind a sum of the heap, are in. */
hsd_fact_table hsd_facts_table(const hsd_facts *facts, hsd_subject subject, hsd_measure measure);

/* Why a subject cannot be measured, a clause; empty when it can. HSD_E_NOMEM. */
hsd_status hsd_facts_why_not(const hsd_facts *facts, const hsd_rule *rule, hsd_check_store *store, hsd_text *why,
                             hsd_error *err);

size_t hsd_facts_rows(const hsd_facts *facts, hsd_fact_table table);

/* The name of a row, and of a holder its root and path. */
void hsd_facts_name(const hsd_facts *facts, hsd_fact_table table, size_t row, hsd_fact *fact);

/* Name, base and values (value_count) of a row. */
void hsd_facts_get(const hsd_facts *facts, hsd_fact_table table, size_t row, hsd_measure measure, hsd_fact *fact,
                   hsd_amount *values);

/* The whole heap without the types that are ignored. `scratch` has value_count. */
void hsd_facts_total(const hsd_facts *facts, const hsd_rule *rule, hsd_fact *fact, hsd_amount *values,
                     hsd_amount *scratch);

/* Values are measured capture by capture, so a trend says something: series, but for what came and stayed. */
bool hsd_facts_have_trend(const hsd_facts *facts, hsd_measure measure);

/* A metric of a capture by its name; the last one counts. `at`: 0 and 1 of a diff, else a point. NULL: none. */
const hsd_profile_metric *hsd_facts_metric(const hsd_facts *facts, size_t at, hsd_text name);

static inline bool hsd_facts_is_ignored(const hsd_facts *facts, hsd_fact_table table, size_t row)
{
    return facts->ignored[table] != NULL && facts->ignored[table][row];
}

static inline bool hsd_measure_is_new(hsd_measure measure)
{
    return measure == HSD_MEASURE_NEW_BYTES || measure == HSD_MEASURE_NEW_OBJECTS;
}

static inline bool hsd_measure_is_unreached(hsd_measure measure)
{
    return measure == HSD_MEASURE_UNREACHED_BYTES || measure == HSD_MEASURE_UNREACHED_OBJECTS;
}

static inline bool hsd_measure_is_lost(hsd_measure measure)
{
    return measure == HSD_MEASURE_LOST_BYTES || measure == HSD_MEASURE_LOST_OBJECTS;
}

/* True if in each capture that is judged the program had its collector switched off (Python's gc.disable()). */
bool hsd_facts_collector_is_off(const hsd_facts *facts);

/* True if the captures tell what is lost: else built-in rules about it are not asked. */
static inline bool hsd_facts_tell_lost(const hsd_facts *facts)
{
    return facts->diff != NULL ? facts->diff->lost.is_known : facts->series->lost.is_known;
}

/* The diff that knows who holds what grew: the one that is judged, or that of two captures of the series. NULL = nobody
 * does. */
static inline const hsd_diff *hsd_facts_holding(const hsd_facts *facts)
{
    const hsd_diff *diff = facts->diff != NULL ? facts->diff : facts->series->pair;
    return diff != NULL && diff->has_holders ? diff : NULL;
}

static inline bool hsd_measure_is_survived(hsd_measure measure)
{
    return measure == HSD_MEASURE_SURVIVED_BYTES || measure == HSD_MEASURE_SURVIVED_OBJECTS;
}

/* ---- the two sources ---- */

const char *hsd_facts_diff_why_not(const hsd_facts *facts, const hsd_rule *rule, hsd_text *why);
size_t hsd_facts_diff_rows(const hsd_diff *diff, hsd_fact_table table);
void hsd_facts_diff_name(const hsd_diff *diff, hsd_fact_table table, size_t row, hsd_fact *fact);
void hsd_facts_diff_get(const hsd_diff *diff, hsd_fact_table table, size_t row, hsd_measure measure, hsd_fact *fact,
                        hsd_amount values[2]);
void hsd_facts_diff_total(const hsd_diff *diff, hsd_measure measure, hsd_fact *fact, hsd_amount values[2]);

const char *hsd_facts_series_why_not(const hsd_facts *facts, const hsd_rule *rule, hsd_text *why);
size_t hsd_facts_series_rows(const hsd_series *series, hsd_fact_table table);
void hsd_facts_series_name(const hsd_series *series, hsd_fact_table table, size_t row, hsd_fact *fact);
void hsd_facts_series_get(const hsd_facts *facts, hsd_fact_table table, size_t row, hsd_measure measure, hsd_fact *fact,
                          hsd_amount *values);
void hsd_facts_series_total(const hsd_facts *facts, hsd_measure measure, hsd_fact *fact, hsd_amount *values);

#endif

/*
 * One rule against one diff or series.
 *
 *      each row by itself   the rows that leak and are not allowed fail it; the worst is told
 *      their sum            the sum fails it; what is allowed is taken out of the sum first
 *
 * Of the whole heap, types, roots and holders are three ways to cut it, so an object may be allowed by each: what is
 * taken out is the largest of the three sums, never more than what is there.
 */
#ifndef HSD_CHECK_JUDGE_H
#define HSD_CHECK_JUDGE_H

#include "check/allow.h"
#include "check/facts.h"
#include "check/grown.h"

typedef struct hsd_judge {
    hsd_facts facts;
    hsd_allowed allowed;
    const hsd_check_config *config;
    bool has_built_in; /* the rules are the built-in ones */
    hsd_check_store *store;
    hsd_check_list *notes;
    hsd_amount heap;                            /* live before */
    hsd_amount *values, *sums, *less, *scratch; /* value_count each */
    const hsd_amount *most_moved;               /* hsd_moved_find */
    uint64_t *numbers;
    hsd_buffer name, of_regex;
    hsd_error *err;
} hsd_judge;

/* `facts` has diff, series and options; the fields from `config` to `notes` are filled. Release it whatever is
 * returned. */
hsd_status hsd_judge_open(hsd_judge *judge, int32_t today);
void hsd_judge_release(hsd_judge *judge);

/* Fills a row, and adds notes about the rule. */
hsd_status hsd_judge_rule(hsd_judge *judge, const hsd_rule *rule, hsd_check_row *row);

/* ---- the two ways ---- */

typedef struct hsd_trial { /* one rule while it is judged */
    hsd_judge *judge;
    const hsd_rule *rule;
    hsd_check_row *row;
    hsd_pattern pattern;
    hsd_fact_table table;
    hsd_yardstick by;
    uint64_t matched, breathing, small;
    /* of holders that began to grow late, and have grown in every round since: the one that grew most */
    size_t late_row;
    uint32_t late_rounds; /* 0 = there is none */
    int64_t late_growth;
    /* of holders that look like a buffer which is enlarged whenever it is full: the one that grew most */
    size_t enlarged_row;
    uint32_t enlarged_times; /* 0 = there is none */
    int64_t enlarged_growth;
    /* of holders within the limit that got as many objects in each round, and of places that lost as many: the one
     * that grew most */
    size_t steady_row;
    uint64_t steady_objects; /* of the round that brought least; 0 = there is none */
    int64_t steady_growth;
    uint64_t steady_count; /* how many there are */
} hsd_trial;

/* True in *out if the row counts for the rule. */
hsd_status hsd_trial_matches(hsd_trial *trial, size_t row, bool *out);

hsd_status hsd_trial_each(hsd_trial *trial);
hsd_status hsd_trial_sum(hsd_trial *trial);
/* Behind a rule of the heap on what is lost, which holds: the place that loses as much in each round. */
hsd_status hsd_trial_note_losses(hsd_trial *trial);

/* What a candidate is worth, with its values in judge->values. */
hsd_grown hsd_trial_weigh(hsd_trial *trial, hsd_fact_table table, size_t row, hsd_fact *fact);

#endif

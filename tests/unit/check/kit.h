/*
 * Handmade diffs and series for the tests of the check, configurations as texts, and what is said of them. Everything a
 * kit makes is freed by kit_release or lives in static arrays.
 */
#ifndef TESTS_UNIT_CHECK_KIT_H
#define TESTS_UNIT_CHECK_KIT_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hsdiff/check.h>

#include "unit/report/sample.h"

#define KIB   INT64_C(1024)
#define TODAY 20000 /* 2024-10-04 */

typedef struct judge_kit {
    hsd_check_config *config;
    hsd_check *check;
    hsd_check_options options;
    hsd_error err;
} judge_kit;

static inline hsd_check_config *kit_config(const char *text)
{
    hsd_check_config *config;
    hsd_error err;
    hsd_error_init(&err);
    const hsd_status status = hsd_check_config_read(&config, text, strlen(text), ".hsdiff.yml", &err);
    cr_assert_eq(status, HSD_OK, "%s: %s (%s)\n%s", hsd_status_name(status), err.text, err.hint, text);
    return config;
}

/* Judges; the configuration stays with the kit. */
static inline hsd_check *kit_judge(judge_kit *kit, const char *text, const hsd_diff *diff, const hsd_series *series)
{
    hsd_check_free(kit->check);
    hsd_check_config_free(kit->config);
    kit->config = kit_config(text);
    if (kit->options.today == 0) kit->options.today = TODAY;
    hsd_error_init(&kit->err);
    const hsd_status status = hsd_check_run(&kit->check, kit->config, diff, series, &kit->options, &kit->err);
    cr_assert_eq(status, HSD_OK, "%s: %s", hsd_status_name(status), kit->err.text);
    return kit->check;
}

static inline void kit_release(judge_kit *kit)
{
    hsd_check_free(kit->check);
    hsd_check_config_free(kit->config);
    *kit = (judge_kit){0};
}

static inline bool kit_is(hsd_text text, const char *expected)
{
    return text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
}

#define IS(text, expected)                                                                                             \
    cr_assert(kit_is(text, expected), "'%.*s' is not '%s'", (int)(text).size, (text).data, expected)

static inline bool kit_has(const hsd_text *texts, size_t count, const char *part)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(texts[i].data, part) != NULL) return true;
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "there is: %s\n", texts[i].data);
    return false;
}

#define NOTES(check, part) cr_assert(kit_has((check)->notes, (check)->note_count, part), "no note says '%s'", part)
#define PROBLEM(check, part)                                                                                           \
    cr_assert(kit_has((check)->problems, (check)->problem_count, part), "no problem says '%s'", part)

/* ---- series ---- */

#define POINTS 6u
#define ROWS   8u

typedef struct series_kit {
    hsd_series series;
    hsd_series_point points[POINTS];
    hsd_series_row types[ROWS], roots[ROWS], holders[ROWS];
    hsd_amount values[3][ROWS][POINTS], total[POINTS], unreached[POINTS];
    hsd_cohort cohorts[POINTS];
    hsd_cohort_row ages[ROWS];
    hsd_amount alive[ROWS][POINTS * POINTS], all_alive[POINTS * POINTS], since[POINTS];
} series_kit;

static inline void kit_trend(hsd_series_row *row, const hsd_series *series)
{
    uint64_t bytes[POINTS];
    for (size_t i = series->warmup; i < POINTS; i++)
        bytes[i - series->warmup] = row->values[i].bytes;
    row->trend = hsd_trend_of(bytes, NULL, POINTS - series->warmup, series->noise_bytes);
}

/* Six complete captures of one process with nothing in them; the first is the warm-up. */
static inline hsd_series *kit_series_begin(series_kit *kit)
{
    memset(kit, 0, sizeof *kit);
    hsd_series *series = &kit->series;
    for (size_t i = 0; i < POINTS; i++) {
        static char names[POINTS][8];
        snprintf(names[i], sizeof names[i], "%zu.hs", i);
        kit->points[i] =
            (hsd_series_point){.label = sample_text(names[i]), .side = sample_side(names[i], 1795166042 + i)};
        kit->cohorts[i] = (hsd_cohort){(uint32_t)i, (uint32_t)i};
    }
    *series = (hsd_series){
        .points = kit->points, .point_count = POINTS, .warmup = 1, .is_one_process = true, .noise_bytes = 64 << 10};
    series->types = (hsd_series_table){.is_known = true, .rows = kit->types};
    series->roots = (hsd_series_table){.is_known = true, .rows = kit->roots};
    series->holders = (hsd_series_table){.is_known = true, .rows = kit->holders};
    series->total.values = kit->total;
    series->unreached.values = kit->unreached;
    series->cohorts = (hsd_cohorts){.are_known = true,
                                    .cohorts = kit->cohorts,
                                    .cohort_count = POINTS,
                                    .types = kit->ages,
                                    .all = {.alive = kit->all_alive},
                                    .retained_since = kit->since};
    return series;
}

/* Adds a row of bytes, in KiB; an object has 1 KiB. Types add up to the total. */
static inline hsd_series_row *kit_row(series_kit *kit, hsd_series_table *table, const char *name,
                                      const uint64_t kib[POINTS])
{
    const size_t which = table == &kit->series.types ? 0 : table == &kit->series.roots ? 1 : 2, at = table->row_count++;
    hsd_series_row *row = &table->rows[at];
    row->name = sample_text(name);
    row->root = sample_text("");
    for (size_t i = 0; i < POINTS; i++) {
        kit->values[which][at][i] = (hsd_amount){kib[i], kib[i] << 10};
        if (which == 0) sample_add(&kit->total[i], kit->values[which][at][i]);
    }
    row->values = kit->values[which][at];
    kit_trend(row, &kit->series);
    if (which == 0) kit_trend(&kit->series.total, &kit->series);
    return row;
}

#define SERIES_OF(...) ((const uint64_t[POINTS]){__VA_ARGS__})

#endif

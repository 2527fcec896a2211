/*
 * The columns of a series: of its parts, over what a row of each is.
 */
#ifndef HSD_REPORT_MODEL_SERIES_COLUMNS_H
#define HSD_REPORT_MODEL_SERIES_COLUMNS_H

#include "report/model/model.h"
#include <hsdiff/series.h>

/* Rows that are not shown, as one. Where the series itself folded just these its trend is known. */
typedef struct hsd_series_others {
    hsd_series_row row;
    bool has_trend;
} hsd_series_others;

typedef struct hsd_series_csv_row {
    hsd_report_table table;
    const hsd_series_row *row;
    const hsd_series_point *point;
    hsd_amount value;
} hsd_series_csv_row;

typedef struct hsd_series_cohorts_row {
    const hsd_cohorts *cohorts;
    size_t types; /* that are told */
} hsd_series_cohorts_row;

/* What was live of a cohort when another ended. */
typedef struct hsd_series_plain_cohort {
    const hsd_cohort_row *row;
    size_t born, at;
} hsd_series_plain_cohort;

extern const hsd_column hsd_series_capture_columns[];      /* hsd_capture_row */
extern const hsd_column hsd_series_fact_columns[];         /* hsd_series */
extern const hsd_column hsd_series_number_columns[];       /* hsd_series_row, hsd_series_others */
extern const hsd_column hsd_series_type_columns[];         /* hsd_series_row */
extern const hsd_column hsd_series_root_columns[];         /* hsd_series_row */
extern const hsd_column hsd_series_holder_columns[];       /* hsd_series_row */
extern const hsd_column hsd_series_lost_columns[];         /* hsd_series_row */
extern const hsd_column hsd_series_cohorts_columns[];      /* hsd_series_cohorts_row */
extern const hsd_column hsd_series_cohort_columns[];       /* hsd_cohort */
extern const hsd_column hsd_series_survivor_columns[];     /* hsd_cohort_row */
extern const hsd_column hsd_series_csv_columns[];          /* hsd_series_csv_row */
extern const hsd_column hsd_series_plain_cohort_columns[]; /* hsd_series_plain_cohort */
extern const hsd_column hsd_series_plain_since_columns[];  /* hsd_amount */

/* Of an hsd_series_row in --plain: the fields, as of a part, and the columns. */
const char *hsd_series_plain_row(const hsd_series *series);
const hsd_column *hsd_series_plain_columns(const hsd_series *series);

#endif

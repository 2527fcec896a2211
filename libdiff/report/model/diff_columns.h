/*
 * The columns of a diff: of its parts, over what a row of each is.
 */
#ifndef HSD_REPORT_MODEL_DIFF_COLUMNS_H
#define HSD_REPORT_MODEL_DIFF_COLUMNS_H

#include "report/model/model.h"

extern const hsd_column hsd_diff_match_columns[];           /* hsd_diff: how objects were recognised */
extern const hsd_column hsd_diff_fact_columns[];            /* hsd_diff */
extern const hsd_column hsd_diff_total_columns[];           /* hsd_diff */
extern const hsd_column hsd_diff_type_columns[];            /* hsd_rank_row */
extern const hsd_column hsd_diff_root_columns[];            /* hsd_rank_row; also of the total, whose name is empty */
extern const hsd_column hsd_diff_other_rank_columns[];      /* hsd_rank_row */
extern const hsd_column hsd_diff_holder_columns[];          /* hsd_holder */
extern const hsd_column hsd_diff_holder_sum_columns[];      /* hsd_holder */
extern const hsd_column hsd_diff_size_columns[];            /* hsd_size_row */
extern const hsd_column hsd_diff_tree_columns[];            /* hsd_tree_row */
extern const hsd_column hsd_diff_tree_fact_columns[];       /* hsd_diff */
extern const hsd_column hsd_diff_site_columns[];            /* hsd_site_row */
extern const hsd_column hsd_diff_other_site_columns[];      /* hsd_site_row */
extern const hsd_column hsd_diff_lost_columns[];            /* hsd_lost_row */
extern const hsd_column hsd_diff_lost_sum_columns[];        /* hsd_lost_row */
extern const hsd_column hsd_diff_uncollected_columns[];     /* hsd_lost_row */
extern const hsd_column hsd_diff_uncollected_sum_columns[]; /* hsd_lost_row */
extern const hsd_column hsd_diff_rung_columns[];            /* hsd_amount: the rung of that number */
extern const hsd_column hsd_diff_plain_basis_columns[];     /* hsd_diff */
extern const hsd_column hsd_diff_co_holder_list;            /* hsd_holder: by what it is held together, for --plain */
extern const hsd_column hsd_diff_edge_list;                 /* hsd_holder */

#endif

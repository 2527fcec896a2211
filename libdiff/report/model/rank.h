/*
 * Which rows of a table are shown, in which order, and what the rest adds up to. Shared by every
 * format, so that all of them show the same rows.
 */
#ifndef HSD_REPORT_RANK_H
#define HSD_REPORT_RANK_H

#include "report/write/out.h"
#include <hsdiff/report.h>

/* One row of any table: a view of a type or a root row. */
typedef struct hsd_rank_row {
    hsd_text name;
    const hsd_change *change;
    const hsd_type_row *type; /* the row itself: one of the two */
    const hsd_root_row *root;
} hsd_rank_row;

typedef struct hsd_ranking {
    hsd_rank_row *rows;  /* all, the shown ones first and in order, those of `code` last; owned */
    size_t count, shown; /* without those of `code` */
    hsd_change others;   /* sum of the rows from `shown` on */
    hsd_amount others_unreached_before, others_unreached_after; /* of types */
    bool others_are_unchanged;
    /* types of the runtime's own code and metadata (HSC_TYPE_CODE, INTERNAL), where they are folded */
    size_t code_count;
    hsd_change code; /* their sum */
} hsd_ranking;

/*
 * Ranks the table of `diff`, types or roots. The `top` rows are those of the largest change
 * by the sort key, growth or shrinkage alike; they are then put in the order of the key: largest growth
 * first, shrinkage last. By name: the rows of the largest growth, in the order of their names.
 *
 * With `quiet_bytes` > 0 rows are never shown in which nothing changed, or in which what came and what
 * went is as much, in bytes and in objects, and together less than that.
 *
 * With `folds_code` types of the runtime's own code and metadata are no rows: they are summed up in `code`, which
 * people see below the types of the program.
 */
hsd_status hsd_ranking_init(hsd_ranking *ranking, const hsd_diff *diff, hsd_report_table table, hsd_sort_by sort_by,
                            size_t top, uint64_t quiet_bytes, bool folds_code, hsd_error *err);

/* Bytes that name `code`: "(runtime's own: 3 types)", at most HSD_RANK_CODE_CHARS; of one type alone its name, so this
 * is empty. */
#define HSD_RANK_CODE_CHARS 64
void hsd_rank_code_text(const hsd_ranking *ranking, char text[HSD_RANK_CODE_CHARS]);

void hsd_ranking_release(hsd_ranking *ranking);

/* Bytes that the row's objects, or the root's names, retain on one side, and by how much that grew. */
uint64_t hsd_rank_row_retained(const hsd_rank_row *row, bool is_after);
int64_t hsd_rank_row_retained_growth(const hsd_rank_row *row);

/* True if before and after are the same objects with the same sizes, as far as is known. */
bool hsd_change_is_none(const hsd_change *change);

#endif

/*
 * Tables of growth for people, as text, Markdown and HTML: by type, by root, by allocation site, what is lost, what is
 * not collected yet. A row is one of these, or a line that tells more of the row above it.
 */
#ifndef HSD_REPORT_MODEL_GROWTH_ROWS_H
#define HSD_REPORT_MODEL_GROWTH_ROWS_H

#include "report/model/lost_rows.h"
#include "report/model/model.h"
#include "report/model/open.h"
#include "report/model/rank.h"
#include "report/model/site_rows.h"

typedef struct hsd_growth_row {
    const hsd_change *change; /* NULL: of a line that tells more */
    const hsd_rank_row *rank; /* one of these three */
    const hsd_site_row *site;
    const hsd_lost_row *lost;
    const hsd_site_frame *frame; /* of a line: a caller, */
    size_t more;                 /* how many callers have none, */
    bool is_what, is_revived;    /* what is lost, how much of it is live again */
    bool is_total;
    hsd_change own; /* of what is lost */
} hsd_growth_row;

typedef struct hsd_growth_table {
    hsd_ranking ranking;
    hsd_growth_row *rows;
    size_t count;
    hsd_site_row *sites; /* those that look the same are one */
    hsd_growth_row others, aside, total;
    char others_name[HSD_NUMBER_CHARS + 48], aside_name[HSD_RANK_CODE_CHARS];
} hsd_growth_table;

/* Each appends one table, where it has anything to say; *folded, where it is given, becomes true when rows were folded
 * that did change. */
hsd_status hsd_growth_add_ranking(hsd_model *model, hsd_growth_table *growth, const hsd_model_request *request,
                                  hsd_report_table table, bool *folded);
hsd_status hsd_growth_add_sites(hsd_model *model, hsd_growth_table *growth, const hsd_model_request *request,
                                bool *folded);
hsd_status hsd_growth_add_lost(hsd_model *model, hsd_growth_table *growth, const hsd_model_request *request,
                               bool *folded);
hsd_status hsd_growth_add_uncollected(hsd_model *model, hsd_growth_table *growth, const hsd_model_request *request,
                                      bool *folded);
void hsd_growth_release(hsd_growth_table *growth);

/* True if what is seen after and not before has really come: always with complete captures; with a partial one if all
 * of before is there, and after still says what is live. */
bool hsd_growth_is_proven(const hsd_diff *diff);

/* True for that growth: of a partial capture, growth alone can be proven, since what is not found may only be lost. */
bool hsd_change_is_proven(const hsd_diff *diff, int64_t growth);

#endif

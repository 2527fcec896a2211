/*
 * A table of growth as it is laid out: rows with before, after, growth and, where there is room, new and freed.
 * growth.c fills it by type and by root, sites.c by allocation site.
 */
#ifndef HSD_REPORT_GROWTH_H
#define HSD_REPORT_GROWTH_H

#include "report/model/rank.h"
#include "report/text/table.h"
#include "report/text/text.h"

typedef struct hsd_growth_table {
    hsd_screen *screen;
    hsd_table table;
    bool is_wide;      /* new and freed are shown */
    bool has_retained; /* and the growth of what rows retain, in the last column */
} hsd_growth_table;

typedef enum hsd_growth_columns {
    HSD_GROWTH_SIZES,   /* before, after, growth in bytes, percent and objects */
    HSD_GROWTH_NEW,     /* and new and freed, where they are known and there is room */
    HSD_GROWTH_RETAINED /* and by how much more rows retain */
} hsd_growth_columns;

/* Starts a table of at most `rows` rows with its heading; false after a failure, which the screen keeps. */
bool hsd_growth_begin(hsd_growth_table *growth, hsd_screen *screen, const char *name, size_t rows,
                      hsd_growth_columns which);

/* Adds a row; its name is text of ours, or foreign text behind `indent` blanks. */
void hsd_growth_add(hsd_growth_table *growth, const char *name, hsd_paint paint);
void hsd_growth_add_foreign(hsd_growth_table *growth, hsd_text name, size_t indent);

/* Fills the newest row. */
void hsd_growth_put(hsd_growth_table *growth, const hsd_change *change, bool is_total);
void hsd_growth_put_retained(hsd_growth_table *growth, int64_t bytes);

/* Cuts, prints and releases it; a blank line follows. */
void hsd_growth_end(hsd_growth_table *growth);

#endif

/*
 * The parts of a series that people read, as text and as Markdown: sentences, tables with trends or contrasts, ages.
 * And the tables of its page.
 */
#ifndef HSD_REPORT_MODEL_SERIES_SCREEN_H
#define HSD_REPORT_MODEL_SERIES_SCREEN_H

#include "report/model/open.h"
#include "report/model/series_columns.h"
#include "report/model/series_rows.h"

#define HSD_MOMENTS_MOST 6 /* columns of later captures */

/* What came in an interval, and what of it is live at the end of later ones; UINT64_MAX: not told. */
typedef struct hsd_interval_row {
    char label[HSD_SPAN_CHARS];
    uint64_t came, later[HSD_MOMENTS_MOST], stayed;
} hsd_interval_row;

typedef struct hsd_survivor_row {
    hsd_text name;
    hsd_survival survival;
} hsd_survivor_row;

/* What the rows of these parts need, owned by the model. */
typedef struct hsd_series_ages {
    hsd_interval_row *intervals;
    char moments[HSD_MOMENTS_MOST][HSD_MOMENT_CHARS];
    hsd_column columns[HSD_MOMENTS_MOST + 4];
    hsd_survivor_row *survivors, others;
} hsd_series_ages;

typedef struct hsd_series_people {
    hsd_series_pick picks[HSD_TABLE_HOLDERS + 1];
    hsd_series_others others[HSD_TABLE_HOLDERS + 1];
    hsd_series_ages ages;
} hsd_series_people;

/* Appends them to a model of text, of Markdown or of HTML. */
hsd_status hsd_series_add_screen(hsd_model *model, hsd_series_people *people, const hsd_model_request *request);
hsd_status hsd_series_add_markdown(hsd_model *model, hsd_series_people *people, const hsd_model_request *request);
hsd_status hsd_series_add_page(hsd_model *model, hsd_series_people *people, const hsd_model_request *request);

/* What a series says before its tables and where it leads, for a model of it or of a check. */
void hsd_series_tell_answer(hsd_out *out, const hsd_series *series, const hsd_model *model, hsd_escape_form form);

void hsd_series_people_release(hsd_series_people *people);

#endif

/*
 * Ages: of what came in each interval, how much is still there later. A leak is a row that does not get smaller.
 *
 *      INTERVAL               CAME    11:00Z    12:00Z    13:00Z    14:00Z  STAYED
 *      (first capture)   412.6 MiB 409.1 MiB 408.8 MiB 408.7 MiB 408.7 MiB     99%
 *      09:00Z to 10:00Z   44.0 MiB  25.4 MiB  25.3 MiB  25.2 MiB  25.2 MiB     57%
 *
 * Then the same by type: what stays of each. The last interval is left out of sums: its objects had no time to go.
 */
#include <stdio.h>
#include <string.h>

#include "report/sentences/series_words.h"
#include "report/text/series_screen.h"
#include "report/words/number.h"

#define MOMENTS_MOST  6 /* columns of later captures */
#define SIZE_COLUMNS  11
#define SHARE_COLUMNS 8
#define TYPES_SHOWN   10
#define FIRST_LABEL   "(first capture)"

enum age_column { BORN, CAME, LATER }; /* LATER: the first of several; the share is behind them */

typedef struct sheet {
    hsd_series_screen *screen;
    const hsd_cohorts *cohorts;
    hsd_table table;
    size_t moments[MOMENTS_MOST]; /* cohorts whose ends are columns */
    size_t moment_count;
} sheet;

static const char *label_of(const sheet *s, char out[HSD_SPAN_CHARS], size_t born)
{
    const hsd_cohort *cohort = &s->cohorts->cohorts[born];
    return born == 0 ? FIRST_LABEL : hsd_series_span(out, s->screen->series, cohort->first - 1, cohort->last);
}

/* As many as fit beside the label, spread evenly; the last is always there. */
static void choose_moments(sheet *s)
{
    char label[HSD_SPAN_CHARS], moment[HSD_MOMENT_CHARS];
    const unsigned width = s->screen->options->width;
    const size_t last = s->cohorts->cohort_count - 1;
    size_t most = MOMENTS_MOST;
    hsd_series_moment(moment, s->screen->series, s->screen->series->point_count - 1);
    size_t column = strlen(moment) + 2;
    if (column < SIZE_COLUMNS) column = SIZE_COLUMNS;
    const size_t taken = strlen(label_of(s, label, last)) + SIZE_COLUMNS + SHARE_COLUMNS;
    if (width > 0 && width < taken + most * column) most = width > taken + column ? (width - taken) / column : 1;
    s->moment_count = last < most ? last : most;
    for (size_t i = 0; i < s->moment_count; i++)
        s->moments[i] = ((i + 1) * last + s->moment_count - 1) / s->moment_count;
}

static bool begin(sheet *s)
{
    char moments[MOMENTS_MOST][HSD_MOMENT_CHARS];
    const char *headings[HSD_TABLE_COLUMNS_MAX] = {[BORN] = "INTERVAL", [CAME] = "CAME"};
    choose_moments(s);
    for (size_t i = 0; i < s->moment_count; i++)
        headings[LATER + i] = hsd_series_moment(moments[i], s->screen->series, s->cohorts->cohorts[s->moments[i]].last);
    headings[LATER + s->moment_count] = "STAYED";
    if (!hsd_page_begin_table(&s->screen->page, &s->table, LATER + s->moment_count + 1, s->cohorts->cohort_count + 1))
        return false;
    hsd_page_headings(&s->screen->page, &s->table, headings);
    return true;
}

static void put_share(hsd_series_screen *screen, hsd_table *table, hsd_amount came, hsd_amount stayed)
{
    char text[HSD_NUMBER_CHARS];
    if (came.bytes > 0)
        hsd_page_put(&screen->page, table, table->columns - 1, hsd_format_share(text, stayed.bytes, came.bytes),
                     HSD_PAINT_NONE);
}

static void put_cohort(sheet *s, size_t born)
{
    char label[HSD_SPAN_CHARS];
    hsd_page *page = &s->screen->page;
    const hsd_cohort_row *all = &s->cohorts->all;
    const size_t last = s->cohorts->cohort_count - 1;
    const hsd_amount came = hsd_cohort_alive(s->cohorts, all, born, born);
    hsd_table_add_row(&s->table);
    hsd_page_put(page, &s->table, BORN, label_of(s, label, born), HSD_PAINT_NONE);
    hsd_page_put_size(page, &s->table, CAME, came.bytes);
    for (size_t i = 0; i < s->moment_count; i++)
        if (s->moments[i] > born)
            hsd_page_put_size(page, &s->table, LATER + i, hsd_cohort_alive(s->cohorts, all, s->moments[i], born).bytes);
    if (born < last) put_share(s->screen, &s->table, came, hsd_cohort_alive(s->cohorts, all, last, born));
}

static void print_cohorts(hsd_series_screen *screen)
{
    sheet s = {.screen = screen, .cohorts = &screen->series->cohorts};
    if (!begin(&s)) return;
    for (size_t born = 0; born < s.cohorts->cohort_count; born++)
        put_cohort(&s, born);
    hsd_page_end_table(&screen->page, &s.table);
}

/* ---- by type ---- */

static void put_survival(hsd_series_screen *screen, hsd_table *table, hsd_survival survival)
{
    hsd_page_put_size(&screen->page, table, 1, survival.came.bytes);
    hsd_page_put_size(&screen->page, table, 2, survival.stayed.bytes);
    hsd_page_put_count(&screen->page, table, 3, survival.stayed.objects);
    put_share(screen, table, survival.came, survival.stayed);
}

static hsd_amount less(hsd_amount all, hsd_amount part)
{
    return (hsd_amount){all.objects > part.objects ? all.objects - part.objects : 0,
                        all.bytes > part.bytes ? all.bytes - part.bytes : 0};
}

/* Rows of `most` types of which something stays, and what remains of `rest` in one. */
static void put_types(hsd_series_screen *screen, hsd_table *table, size_t most, hsd_survival rest)
{
    const hsd_cohorts *cohorts = &screen->series->cohorts;
    size_t shown = 0;
    for (size_t i = 0; i < cohorts->type_count && shown < most; i++) {
        const hsd_survival survival = hsd_survival_of(cohorts, &cohorts->types[i]);
        if (survival.stayed.objects == 0) continue;
        hsd_table_add_row(table);
        hsd_page_put_name(&screen->page, table, 0, cohorts->types[i].name);
        put_survival(screen, table, survival);
        rest = (hsd_survival){less(rest.came, survival.came), less(rest.stayed, survival.stayed)};
        shown++;
    }
    if (rest.came.objects == 0 && rest.stayed.objects == 0) return;
    hsd_table_add_row(table);
    hsd_page_put(&screen->page, table, 0, shown > 0 ? "other types" : "all types", HSD_PAINT_NONE);
    put_survival(screen, table, rest);
}

static void print_types(hsd_series_screen *screen)
{
    static const char *const headings[] = {"WHAT STAYS", "CAME", "STILL THERE", "OBJECTS", "SHARE"};
    const hsd_cohorts *cohorts = &screen->series->cohorts;
    const size_t top = screen->options->top ? screen->options->top : TYPES_SHOWN,
                 most = top < cohorts->type_count ? top : cohorts->type_count;
    const hsd_survival all = hsd_survival_of(cohorts, &cohorts->all);
    hsd_table table;
    if (all.came.objects == 0 || !hsd_page_begin_table(&screen->page, &table, 5, most + 2)) return;
    hsd_page_headings(&screen->page, &table, headings);
    put_types(screen, &table, most, all);
    hsd_page_end_table(&screen->page, &table);
}

/* ---- */

void hsd_series_print_survival(hsd_series_screen *screen)
{
    const hsd_cohorts *cohorts = &screen->series->cohorts;
    hsd_series_print_words(screen, hsd_series_say_survival, true);
    hsd_series_print_words(screen, hsd_series_say_retained, cohorts->cohort_count < 3);
    if (!cohorts->are_known || cohorts->cohort_count < 3) return;
    if (screen->options->survivors) print_types(screen);
    print_cohorts(screen);
    if (!screen->options->survivors) print_types(screen);
}

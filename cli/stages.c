/*
 * The table of stages: those of one name are one row, and the rows are in the order of the time that was lost, which is
 * what a stage took beyond its bound.
 */
#include "stages.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "report_error.h"

#define MOST_ROWS   64u
#define NAME_CHARS  96u
#define LEAST_SHARE 200u /* a row of less than so much of the whole is one with the others */

typedef struct stage_row {
    char name[NAME_CHARS];
    double cpu_s, bound_s;
} stage_row;

/* Two imports may tell at once. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static stage_row rows[MOST_ROWS];
static size_t row_count;
static hsd_costs costs;

static stage_row *find_row(const char *name)
{
    for (size_t i = 0; i < row_count; i++)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    stage_row *row = &rows[row_count < MOST_ROWS ? row_count : MOST_ROWS - 1];
    if (row_count < MOST_ROWS) {
        snprintf(row->name, sizeof row->name, "%s", name);
        row_count++;
    }
    return row;
}

static void take_stage(void *context, const hsd_stage *stage)
{
    (void)context;
    const char *slash = strrchr(stage->whose, '/');
    char name[NAME_CHARS];
    snprintf(name, sizeof name, "%.40s: %s", slash != NULL ? slash + 1 : stage->whose, stage->what);
    pthread_mutex_lock(&lock);
    stage_row *row = find_row(name);
    row->cpu_s += (double)stage->cpu_ns * 1e-9;
    row->bound_s += (double)stage->bound_ns * 1e-9;
    pthread_mutex_unlock(&lock);
}

/* ---- what the machine can do */

static bool refuse_limits(const char *path, const char *why)
{
    cli_complain("HSDIFF_LIMITS: %s: %s", path, why);
    return false;
}

static bool read_limits(const char *path)
{
    hsd_error err;
    hsd_error_init(&err);
    FILE *file = fopen(path, "r");
    char *text = malloc(HSD_COSTS_MOST + 1);
    const size_t size = file != NULL && text != NULL ? fread(text, 1, HSD_COSTS_MOST + 1, file) : 0;
    const bool is_read = file != NULL && text != NULL && ferror(file) == 0;
    if (file != NULL) fclose(file);
    const bool is_good = is_read && hsd_costs_parse(&costs, text, size, &err) == HSD_OK;
    free(text);
    return is_good || refuse_limits(path, is_read ? err.text : "it cannot be read");
}

bool cli_stages_begin(cli_app *cli)
{
    const char *path = getenv("HSDIFF_LIMITS");
    if (!cli->options.verbose) return true;
    costs = hsd_costs_built_in();
    if (path != NULL && path[0] != '\0' && !read_limits(path)) return false;
    cli->run.stage = take_stage;
    cli->run.costs = &costs;
    return true;
}

/* ---- the table */

static int compare_lost(const void *left, const void *right)
{
    const stage_row *a = left, *b = right;
    const double lost_a = a->cpu_s - a->bound_s, lost_b = b->cpu_s - b->bound_s;
    return lost_a > lost_b ? -1 : lost_a < lost_b;
}

static void print_row(const stage_row *row)
{
    char ratio[24] = "";
    if (row->bound_s >= 5e-4) snprintf(ratio, sizeof ratio, "%.1fx", row->cpu_s / row->bound_s);
    fprintf(stderr, "  %8.3f  %8.3f  %6s  %8.3f  %s\n", row->cpu_s, row->bound_s, ratio, row->cpu_s - row->bound_s,
            row->name);
}

static void add_row(stage_row *sum, const stage_row *row)
{
    sum->cpu_s += row->cpu_s;
    sum->bound_s += row->bound_s;
}

void cli_stages_end(const cli_app *cli)
{
    stage_row sum = {.name = "all stages"}, others = {.name = "others"};
    if (!cli->options.verbose || row_count == 0) return;
    cli_progress_clear();
    qsort(rows, row_count, sizeof rows[0], compare_lost);
    for (size_t i = 0; i < row_count; i++)
        add_row(&sum, &rows[i]);
    fprintf(stderr, "  seconds of the processor, and the bound of the model (%s):\n", costs.machine);
    fprintf(stderr, "      took     bound   ratio      lost  stage\n");
    for (size_t i = 0; i < row_count; i++) {
        if (rows[i].cpu_s * LEAST_SHARE < sum.cpu_s)
            add_row(&others, &rows[i]);
        else
            print_row(&rows[i]);
    }
    if (others.cpu_s > 0) print_row(&others);
    print_row(&sum);
}

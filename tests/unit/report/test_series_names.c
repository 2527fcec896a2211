/*
 * Prints reports of a series with the names that standard input gives, for a test that reads them back with other
 * programs: each name after its length in four little-endian bytes. usage: test_series_names FORMAT [plain | roots |
 * holders] < NAMES
 */
#include <stdint.h>

#include "unit/report/series_sample.h"

#define NAMES_MAX 1000
#define CAPTURES  3

static hsd_status to_stdout(void *context, const void *data, size_t size, hsd_error *err)
{
    (void)context;
    return fwrite(data, 1, size, stdout) == size ? HSD_OK : hsd_fail(err, HSD_E_IO, "cannot write");
}

static size_t read_names(hsd_text *names)
{
    unsigned char head[4];
    size_t count = 0;
    while (count < NAMES_MAX && fread(head, 1, 4, stdin) == 4) {
        const size_t size = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
        char *name = malloc(size + 1);
        if (!name || fread(name, 1, size, stdin) != size) exit(2);
        name[size] = 0;
        names[count++] = (hsd_text){name, size};
    }
    return count;
}

static hsd_series_table table_of(hsd_series_row *rows, size_t count)
{
    return (hsd_series_table){.is_known = true, .rows = rows, .row_count = count};
}

/* Each name is a type, a root, and root, edge and type of a holder. */
static void put_tables(hsd_series *series, const hsd_text *names, size_t count)
{
    static hsd_series_row types[NAMES_MAX], holders[NAMES_MAX];
    static hsd_amount values[NAMES_MAX][CAPTURES], total[CAPTURES], none[CAPTURES];
    static hsd_step steps[NAMES_MAX];
    for (size_t i = 0; i < count; i++) {
        const unsigned tenths[CAPTURES] = {10, 20 + (unsigned)i, 30 + 2 * (unsigned)i};
        types[i] = sample_series_row("", tenths, CAPTURES, values[i], HSD_VERDICT_EACH_STEP);
        types[i].name = names[i];
        steps[i] = (hsd_step){.edge = names[i], .type = names[i], .repeat = 1};
        holders[i] = types[i];
        holders[i].root = names[i];
        holders[i].path = &steps[i];
        holders[i].path_count = 1;
    }
    series->types = series->roots = table_of(types, count);
    series->holders = table_of(holders, count);
    series->total = sample_series_total(&series->types, CAPTURES, total, HSD_VERDICT_EACH_STEP);
    series->unreached = (hsd_series_row){.values = none};
}

/* And the type of a cohort, a label, a process, a metric, a warning. */
static void put_rest(hsd_series *series, const hsd_text *names, size_t count)
{
    static hsd_cohort_row ages[NAMES_MAX];
    static hsd_profile_metric metrics[NAMES_MAX];
    static hsd_text warning;
    sample_ages(series);
    for (size_t i = 0; i < count; i++) {
        ages[i] = (hsd_cohort_row){.name = names[i], .alive = series->cohorts.types[0].alive};
        metrics[i] = (hsd_profile_metric){names[i], names[i], i};
    }
    series->cohorts.types = ages;
    series->cohorts.type_count = count;
    warning = names[1];
    series->warnings = &warning;
    series->warning_count = 1;
    for (size_t i = 0; i < CAPTURES; i++) {
        series->points[i].label = names[3 + i];
        series->points[i].metrics = metrics;
        series->points[i].metric_count = count;
        series->points[i].side.info.process_name = names[1].data;
        series->points[i].side.info.path = names[2].data;
    }
}

int main(int argc, char **argv)
{
    static hsd_text names[NAMES_MAX];
    if (argc < 2) return 2;
    const char *what = argc > 2 ? argv[2] : "";
    const size_t count = read_names(names);
    hsd_series series = sample_series(CAPTURES);
    if (count < 3 + CAPTURES) return 2;
    put_tables(&series, names, count);
    put_rest(&series, names, count);
    const hsd_report_options options = {.top = HSD_TOP_ALL,
                                        .use_utf8 = true,
                                        .max_bytes = SIZE_MAX,
                                        .plain = strcmp(what, "plain") == 0,
                                        .table = strcmp(what, "holders") == 0 ? HSD_TABLE_HOLDERS
                                                 : strcmp(what, "roots") == 0 ? HSD_TABLE_ROOTS
                                                                              : HSD_TABLE_TYPES};
    return sample_series_writer(argv[1])(&series, &options, to_stdout, NULL, NULL) == HSD_OK && fflush(stdout) == 0 ? 0
                                                                                                                    : 4;
}

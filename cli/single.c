/*
 * The answer about one capture as a report.
 */
#include "single.h"

#include "out.h"

typedef struct told_answer {
    const cli_single_answer *answer;
    const cli_app *cli;
} told_answer;

static hsd_status write_report(const hsd_report_format *format, const hsd_report_options *options, const void *what,
                               hsd_write_fn write, void *context, hsd_error *err)
{
    static const hsd_sort_by sorts[] = {HSD_SORT_RETAINED, HSD_SORT_GROWTH, HSD_SORT_OBJECTS, HSD_SORT_NAME};
    static const hsd_report_table tables[] = {HSD_TABLE_TYPES, HSD_TABLE_ROOTS, HSD_TABLE_OBJECTS};
    const told_answer *told = what;
    const cli_single_answer *answer = told->answer;
    hsd_report_options report = *options;
    report.before_command = told->cli->options.quiet ? NULL : answer->input->path;
    report.before_is_foreign = answer->input->is_foreign;
    if (answer->paths) return format->write_paths(answer->paths, &report, write, context, err);
    report.sort_by = sorts[told->cli->options.one.sort];
    report.table = tables[told->cli->options.one.table];
    return format->write_top(answer->top, &report, write, context, err);
}

hsd_status cli_single_write(cli_outlets *outlets, cli_app *cli, const cli_single_answer *answer, hsd_error *err)
{
    cli_out_tell_space(cli, answer->top ? answer->top->temp_bytes_peak : answer->paths->temp_bytes_peak);
    return cli_outlets_write(outlets, cli, write_report, &(told_answer){answer, cli}, err);
}

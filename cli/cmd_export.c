/*
 * hsdiff export CAPTURE [AFTER] --to FORMAT -o FILE: what a capture holds, or what grew between two, in the format of
 * another tool.
 */
#include <string.h>

#include "input.h"
#include "options/common.h"
#include "progress.h"
#include "report_error.h"
#include <hsdiff/export.h>

static void tell_exported(const cli_app *cli, const hsd_export_result *result)
{
    char objects[HSD_NUMBER_CHARS], references[HSD_NUMBER_CHARS], rows[HSD_NUMBER_CHARS], size[HSD_NUMBER_CHARS],
        files[HSD_NUMBER_CHARS];
    const char *output = strcmp(cli->options.output, "-") == 0 ? "standard output" : cli->options.output;
    hsd_format_bytes(size, result->output_bytes);
    hsd_format_count(files, result->files);
    const char *more = result->files > 1 ? files : "", *word = result->files > 1 ? " files, " : "";
    if (result->row_name && result->objects == 0)
        cli_note(cli, "%s: %s, %s %s%s, %s%s%s", output, result->format, hsd_format_count(rows, result->rows),
                 result->row_name, result->rows == 1 ? "" : "s", more, word, size);
    else
        cli_note(cli, "%s: %s, %s object%s, %s reference%s, %s%s%s", output, result->format,
                 hsd_format_count(objects, result->objects), result->objects == 1 ? "" : "s",
                 hsd_format_count(references, result->references), result->references == 1 ? "" : "s", more, word,
                 size);
}

static int run_export(cli_app *cli)
{
    const cli_options *options = &cli->options;
    cli_input inputs[2] = {{.path = cli->inputs[0]}, {.path = cli->input_count > 1 ? cli->inputs[1] : NULL}};
    hsd_export_result result;
    hsd_error err;
    hsd_error_init(&err);
    if (!options->output) {
        cli_complain(
            "-o FILE is missing: where should the export go? Its name may tell the format, or --to FORMAT does.");
        return CLI_USAGE;
    }
    const hsd_export_options wanted = {.format = options->export.to,
                                       .force = options->force,
                                       .partial = options->partial,
                                       .with_values = options->with_values,
                                       .stacks = (hsd_export_stacks)options->export.stacks};
    hsd_status status = hsd_export_check(options->output, &wanted, cli->input_count > 1, &err);
    if (status != HSD_OK) {
        cli_report_error(cli, &err);
        return CLI_USAGE;
    }
    status = cli_inputs_open(inputs, cli->input_count, cli, false, cli_damage_wanted(cli), &err);
    if (status == HSD_OK) {
        hsd_capture *before = cli->input_count > 1 ? inputs[0].capture : NULL;
        status = hsd_export_file(before, inputs[cli->input_count - 1].capture, options->output, &wanted, &cli->run,
                                 &result, &err);
    }
    cli_progress_clear();
    cli_inputs_close(inputs, cli->input_count);
    if (status != HSD_OK) return cli_report_error(cli, &err);
    tell_exported(cli, &result);
    return CLI_DONE;
}

static const cli_example examples[] = {
    {"hsdiff export app.hs -o app.heapsnapshot", "to look at it in Chrome's DevTools"},
    {"hsdiff export before.hs after.hs -o growth.pb.gz", "what grew, for go tool pprof"},
    {"hsdiff export app.hs --stacks paths -o app.speedscope.json",
     "a flame graph of what holds the heap, for Speedscope"},
    {"hsdiff help formats", "what can be written, and what each format can say"},
    {0},
};

static const char *formats_written(void)
{
    static char names[256];
    names[0] = '\0';
    for (size_t i = 0; hsd_exporter_get(i); i++)
        cli_add_choice(names, sizeof names, hsd_exporter_get(i)->name);
    return names;
}

static const cli_option *const options[] = {
    &cli_option_partial,
    &(const cli_option){
        .name = "to",
        .value = "FORMAT",
        .list_choices = formats_written,
        .kind = CLI_TEXT,
        .offset = CLI_FIELD(export.to),
        .told = CLI_LEFT_OUT,
        .help = "the format to write; by default the one that the name of FILE tells (hsdiff help formats)"},
    &(const cli_option){.name = "stacks",
                        .value = "OF",
                        .choices = "auto|sites|paths",
                        .kind = CLI_CHOICE,
                        .offset = CLI_FIELD(export.stacks),
                        .told = CLI_LEFT_OUT,
                        .help = "profiles: the stacks that allocated objects (sites), or what holds them from the root "
                                "down (paths); auto takes sites if there are any"},
    &cli_option_from,
    &cli_option_dump,
    &(const cli_option){.name = "with-values",
                        .kind = CLI_FLAG,
                        .offset = CLI_FIELD(with_values),
                        .told = CLI_TOLD,
                        .help = "also write map keys and value previews; they are user data"},
    &cli_option_final_is_strong,
    &cli_option_encrypt_to,
    CLI_OPTIONS_OF_READING,
    NULL,
};

const cli_command cli_command_export = {
    .name = "export",
    .synopsis = "CAPTURE [AFTER] -o FILE",
    .summary = "write a capture in the format of another tool",
    .description = "Writes a capture as a file that another tool opens, whatever runtime the capture is of: DevTools "
                   "can show a heap of Ruby, and "
                   "VisualVM one of Node. The name of FILE tells the format, or --to does. Foreign dumps are imported "
                   "on the fly, so this also turns the "
                   "dump of one tool into that of another. With two captures, what grew between them is written, in "
                   "the formats that can hold it.\n"
                   "\n"
                   "What a format cannot say is left out, and a note says so when it matters; hsdiff help formats has "
                   "the table. Values stay "
                   "behind unless --with-values is given.\n"
                   "\n"
                   "Profiles (pprof, collapsed, speedscope) are made of stacks: with --stacks sites those of the calls "
                   "that allocated the objects, with "
                   "--stacks paths those of what holds them, from the root down.",
    .examples = examples,
    .options = options,
    .inputs_min = 1,
    .inputs_max = 2,
    .tells_indexes = true,
    .run = run_export,
};

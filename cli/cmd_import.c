/*
 * hsdiff import IN -o OUT.hs: a foreign dump becomes a capture, which is smaller and faster to read.
 */
#include <string.h>

#include <hsdiff/live.h>

#include "options/common.h"
#include "options/values.h"
#include "progress.h"
#include "report_error.h"
#include "sandbox/sandbox.h"

static void tell_imported(const cli_app *cli, const char *input, const char *output, const hsd_import_result *result)
{
    char objects[HSD_NUMBER_CHARS], references[HSD_NUMBER_CHARS], heap[HSD_NUMBER_CHARS], read[HSD_NUMBER_CHARS],
        written[HSD_NUMBER_CHARS];
    cli_note(cli, "imported %s (%s, %s): %s objects, %s references, %s of heap; %s written to %s%s",
             strcmp(input, "-") == 0 ? "standard input" : input, result->format,
             hsd_format_bytes(read, result->input_bytes), hsd_format_count(objects, result->objects),
             hsd_format_count(references, result->references), hsd_format_bytes(heap, result->bytes),
             hsd_format_bytes(written, result->output_bytes), strcmp(output, "-") == 0 ? "standard output" : output,
             result->is_complete ? "" : "; the dump is not complete, and the capture says so");
}

/* Whose dump it is, with --pid. */
static bool find_origin(const cli_app *cli, hsd_import_origin *origin, hsd_process *process, hsd_error *err)
{
    const hsd_status status = hsd_process_origin(origin, process, (long)cli->options.pid, err);
    if (status == HSD_E_NOT_FOUND)
        hsd_error_set_hint(err, "If it has ended, leave --pid out: the capture then says what the dump says.");
    return status == HSD_OK;
}

static int run_import(cli_app *cli)
{
    const cli_options *options = &cli->options;
    if (!options->output) {
        cli_complain("import needs to know where to write: -o OUT.hs.");
        return CLI_USAGE;
    }
    hsd_import_options import = {.format = options->from,
                                 .executable = options->executable,
                                 .dump_number = options->dump_numbers[0],
                                 .summary_only = options->summary,
                                 .with_values = options->with_values,
                                 .final_is_strong = options->final_is_strong,
                                 .salvage = options->partial,
                                 .compression = options->has_level ? (int)options->level : 1};
    hsd_import_result result;
    hsd_import_origin origin;
    hsd_process process;
    hsd_error err;
    hsd_error_init(&err);
    if (options->pid > 0 && !find_origin(cli, &origin, &process, &err)) return cli_report_error(cli, &err);
    if (options->pid > 0) import.origin = &origin;
    cli_sandbox_enter(cli);
    const hsd_status status =
        hsd_import_file(cli->inputs[0], options->output, options->force, &import, &cli->run, &result, &err);
    cli_progress_clear();
    if (status != HSD_OK) return cli_report_error(cli, &err);
    tell_imported(cli, cli->inputs[0], options->output, &result);
    return CLI_DONE;
}

static const cli_example examples[] = {
    {"hsdiff import heap.hprof -o heap.hs", "a JVM dump, also .gz"},
    {"hsdiff import heap.heapsnapshot -o heap.hs", "a V8 snapshot of Node or Chrome"},
    {"zstd -dc heap.hprof.zst | hsdiff import - -o heap.hs", "from a pipe"},
    {"hsdiff import shop.heapdump --exe ./shop -o heap.hs", "a dump of a Go program, with its types"},
    {"hsdiff import shop.heapsnapshot --pid 4121 -o shop.hs", "that process 4121 has just written"},
    {"hsdiff import all.hprof --dump 2 -o second.hs", "the second dump of a file that holds several"},
    {0},
};

static const cli_option *const options[] = {
    &(const cli_option){.name = "summary",
                        .kind = CLI_FLAG,
                        .offset = CLI_FIELD(summary),
                        .told = CLI_TOLD,
                        .help = "write the totals of each type alone, garbage among them, and no object"},
    &cli_option_partial,
    &cli_option_from,
    &cli_option_exe,
    &cli_option_dump,
    &(const cli_option){.name = "pid",
                        .value = "PID",
                        .kind = CLI_OTHER,
                        .set = cli_set_pid,
                        .told = CLI_LEFT_OUT,
                        .help = "the process that has just written the dump: the capture gets its name, number and "
                                "start, and two of one process are known as such"},
    &cli_option_with_values,
    &cli_option_final_is_strong,
    &cli_option_level,
    &cli_option_encrypt_to,
    CLI_OPTIONS_OF_READING,
    NULL,
};

const cli_command cli_command_import = {
    .name = "import",
    .synopsis = "IN -o OUT.hs",
    .summary = "turn a foreign heap dump into a capture",
    .description = "Reads a heap dump of another tool and writes it as a capture. The dump is read as a "
                   "stream in bounded memory; IN "
                   "may be - for standard input. The format is told by the first bytes, or by --from.\n"
                   "\n"
                   "A capture keeps shapes alone: types, sizes, references and the names that the program "
                   "declares. Contents of "
                   "strings and keys of maps stay behind unless --with-values is given.\n"
                   "\n"
                   "Shallow sizes are those of the runtime's own tools. V8 snapshots carry them; backing "
                   "stores "
                   "that belong to one object count as that object's when captures are compared, as in "
                   "DevTools. JVM dumps say which fields an object has and not how large it is: sizes are "
                   "computed by the layout of the JVM that wrote the dump, as its class histogram gives them, "
                   "and --verbose tells which layout was found.",
    .examples = examples,
    .options = options,
    .inputs_min = 1,
    .inputs_max = 1,
    .run = run_import,
};

/*
 * hsdiff top CAPTURE: what is in a heap by type and by root, what each of them retains, and the objects that retain
 * most.
 */
#include <string.h>

#include "options/common.h"
#include "options/values.h"
#include "outlets.h"
#include "progress.h"
#include "report_error.h"
#include "single.h"

#define OBJECTS_ON_SCREEN 10
#define OBJECTS_IN_DATA   100
#define OBJECTS_MOST      10000

/* --retained: a second result file. */
typedef struct object_list {
    hsd_result_file *file;
    hsd_retained_csv csv;
} object_list;

static hsd_status open_list(object_list *list, const cli_app *cli, hsd_error *err)
{
    if (!cli->options.one.retained) return HSD_OK;
    HSD_TRY(hsd_result_file_open(&list->file, cli->options.one.retained, cli->options.force, err));
    return hsd_retained_csv_begin(&list->csv, hsd_result_file_write, list->file, err);
}

/* How many of the biggest objects. */
static size_t objects_wanted(const cli_app *cli, const hsd_report_format *format)
{
    const bool is_screen = strcmp(format->name, "text") == 0 && !cli->options.plain;
    const size_t wanted = cli_out_rows(cli, is_screen ? OBJECTS_ON_SCREEN : OBJECTS_IN_DATA);
    return wanted < OBJECTS_MOST ? wanted : OBJECTS_MOST;
}

static hsd_status look_top(hsd_top **top, const cli_input *input, object_list *list, cli_app *cli,
                           const hsd_report_format *format, hsd_error *err)
{
    const hsd_top_options options = {.objects = objects_wanted(cli, format),
                                     .partial = cli->options.partial,
                                     .each = list->file ? hsd_retained_csv_row : NULL,
                                     .each_context = &list->csv};
    HSD_TRY(hsd_top_run(top, input->capture, &options, &cli->run, err));
    if (!list->file) return HSD_OK;
    if ((*top)->has_retained) return hsd_result_file_finish(list->file, err);
    hsd_fail(err, HSD_E_UNSUPPORTED, "what is retained is not known: %s", (*top)->why_no_retained.data);
    hsd_error_set_file(err, input->path);
    return HSD_E_UNSUPPORTED;
}

/* Everything between the open output and its end. */
static int run_top_with(cli_app *cli, cli_outlets *outlets)
{
    cli_input input = {.path = cli->inputs[0]};
    object_list list = {0};
    hsd_top *top = NULL;
    hsd_error err;
    hsd_error_init(&err);
    hsd_status status = open_list(&list, cli, &err);
    if (status == HSD_OK) status = cli_inputs_open(&input, 1, cli, false, cli_damage_wanted(cli), &err);
    if (status == HSD_OK) status = look_top(&top, &input, &list, cli, outlets->format, &err);
    cli_progress_clear();
    if (status == HSD_OK)
        status = cli_single_write(outlets, cli, &(cli_single_answer){.top = top, .input = &input}, &err);
    hsd_top_free(top);
    cli_inputs_close(&input, 1);
    hsd_result_file_close(list.file);
    return status == HSD_OK ? CLI_DONE : cli_report_error(cli, &err);
}

static bool both_to_stdout(const cli_options *options)
{
    return options->one.retained && strcmp(options->one.retained, "-") == 0 &&
           (!options->output || strcmp(options->output, "-") == 0);
}

static int run_top(cli_app *cli)
{
    if (both_to_stdout(&cli->options)) {
        cli_complain("--retained and the report cannot both go to standard output: add -o FILE.");
        return CLI_USAGE;
    }
    return cli_outlets_run(cli, HSD_HOLDS_TOP, run_top_with);
}

static const cli_example examples[] = {
    {"hsdiff top heap.hs", "what is in it, and what holds most"},
    {"hsdiff top heap.hprof -s bytes", "by the size of the objects themselves"},
    {"hsdiff top heap.hs --format json --top 50", "for a script, schema hsdiff.top/1"},
    {"hsdiff top heap.hs --retained objects.csv", "and what each single object retains"},
    {0},
};

static const cli_option *const options[] = {
    CLI_OPTIONS_OF_A_REPORT,
    &(const cli_option){.name = "top",
                        .value = "N",
                        .kind = CLI_OTHER,
                        .set = cli_set_top,
                        .told = CLI_TOLD,
                        .help = "show N types, roots and objects, and add up the rest; all for all of them; by default "
                                "20 types, 10 roots and the objects that retain 1 % "
                                "of the heap as text (at most 10), else every type and root and 100 objects"},
    &(const cli_option){.letter = 's',
                        .name = "sort",
                        .value = "KEY",
                        .choices = "retained|bytes|objects|name",
                        .kind = CLI_CHOICE,
                        .offset = CLI_FIELD(one.sort),
                        .told = CLI_TOLD,
                        .help = "what decides which types and roots are shown, and in which order: what they retain "
                                "(the default), bytes, objects or name"},
    &(const cli_option){.name = "table",
                        .value = "TABLE",
                        .choices = "types|roots|objects",
                        .kind = CLI_CHOICE,
                        .offset = CLI_FIELD(one.table),
                        .told = CLI_LEFT_OUT,
                        .help = "which table --format csv holds: types (the default), roots or objects"},
    &(const cli_option){.name = "retained",
                        .value = "FILE",
                        .kind = CLI_FILE,
                        .offset = CLI_FIELD(one.retained),
                        .told = CLI_LEFT_OUT,
                        .help = "also list what every live object retains there, as CSV: "
                                "id,type,bytes,retained_bytes,retained_objects,dominator"},
    &cli_option_partial,
    CLI_OPTIONS_OF_TABLES,
    CLI_OPTIONS_OF_DUMPS,
    CLI_OPTIONS_OF_READING,
    NULL,
};

const cli_command cli_command_top = {
    .name = "top",
    .synopsis = "CAPTURE",
    .summary = "what is in one heap, and which objects keep most of it alive",
    .description =
        "Prints the live heap of one capture by type and by root, and the objects that retain most, each with the "
        "shortest path to it. CAPTURE is a capture (.hs), or a foreign dump, which is first imported into a temporary "
        "file without a name; - is standard input.\n"
        "\n"
        "The first sentence names the place where most comes together: the object that retains most of those whose "
        "parts are small, such as a map of many sessions, or one large buffer; never a wrapper around these.\n"
        "\n"
        "An object retains what could be freed if the object went away: itself, and all that can be reached through it "
        "alone. A type retains all that its objects retain, with each byte counted once. A root retains all that can "
        "be reached from it alone. Retained sizes of two rows can overlap, so they have no total. Bytes and objects "
        "count each live object once, and add up to TOTAL. OF HEAP is the share of the live heap. The list of objects "
        "leaves out the insides of containers. Of a linked list, where objects of one type refer to each other by the "
        "same field, it shows only the first two.\n"
        "\n"
        "Retained sizes need references, roots, a complete capture, and more memory than counting. If one of these is "
        "missing, the report says so and shows the rest.\n"
        "\n"
        "An ID is what hsdiff paths takes: @123 where the runtime numbers its objects (V8), an address otherwise.\n"
        "\n"
        "As JSON, schema hsdiff.top/1: captures (one), warnings, types and roots with live, unreached and "
        "retained_bytes, objects with bytes, retained, root and path, and with --top others. Where retained sizes are "
        "not known they are null, and why_no_retained says why.",
    .examples = examples,
    .options = options,
    .inputs_min = 1,
    .inputs_max = 1,
    .run = run_top,
};

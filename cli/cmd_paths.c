/*
 * hsdiff paths CAPTURE TYPE|ID: how the objects of a type, or one object, are reached from the roots.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "options/common.h"
#include "options/values.h"
#include "outlets.h"
#include "progress.h"
#include "report_error.h"
#include "single.h"

#define PATHS_BY_DEFAULT 10

/* "0x7f3c10", "@123", "123": an id, as reports show it. */
static bool parse_id(const char *word, uint64_t *id)
{
    const bool is_hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
    const char *digits = is_hex ? word + 2 : word + (word[0] == '@');
    const char *const allowed = is_hex ? "0123456789abcdefABCDEF" : "0123456789";
    if (digits[0] == 0 || digits[strspn(digits, allowed)] != 0) return false;
    errno = 0;
    *id = strtoull(digits, NULL, is_hex ? 16 : 10);
    return errno == 0;
}

static hsd_status look_paths(hsd_paths **paths, const cli_input *input, cli_app *cli, hsd_error *err)
{
    hsd_paths_options options = {
        .type = cli->inputs[1], .most = cli_out_rows(cli, PATHS_BY_DEFAULT), .partial = cli->options.partial};
    options.is_id = parse_id(cli->inputs[1], &options.id);
    return hsd_paths_run(paths, input->capture, &options, &cli->run, err);
}

/* Everything between the open output and its end. */
static int run_paths_with(cli_app *cli, cli_outlets *outlets)
{
    cli_input input = {.path = cli->inputs[0]};
    hsd_paths *paths = NULL;
    hsd_error err;
    hsd_error_init(&err);
    hsd_status status = cli_inputs_open(&input, 1, cli, false, cli_damage_wanted(cli), &err);
    if (status == HSD_OK) {
        status = look_paths(&paths, &input, cli, &err);
        hsd_error_set_file(&err, input.path);
    }
    cli_progress_clear();
    if (status == HSD_OK)
        status = cli_single_write(outlets, cli, &(cli_single_answer){.paths = paths, .input = &input}, &err);
    hsd_paths_free(paths);
    cli_inputs_close(&input, 1);
    return status == HSD_OK ? CLI_DONE : cli_report_error(cli, &err);
}

static int run_paths(cli_app *cli)
{
    if (cli->inputs[1][0] == 0) {
        cli_complain("which objects? hsdiff paths takes the name of a type, or an id.");
        return CLI_USAGE;
    }
    return cli_outlets_run(cli, HSD_HOLDS_PATHS, run_paths_with);
}

static const cli_example examples[] = {
    {"hsdiff paths heap.hs Session", "every way to a Session, with how many"},
    {"hsdiff paths heap.hprof 'com.shop.*'", "the same for all types of a package"},
    {"hsdiff paths heap.heapsnapshot @8123", "all that refers to one object"},
    {"hsdiff paths heap.hs Session --format json", "for a script, schema hsdiff.paths/1"},
    {0},
};

static const cli_option *const options[] = {
    CLI_OPTIONS_OF_A_REPORT,
    &(const cli_option){.name = "top",
                        .value = "N",
                        .kind = CLI_OTHER,
                        .set = cli_set_top,
                        .told = CLI_TOLD,
                        .help = "show N paths and add up the rest, or all of them (all); by default 10"},
    &cli_option_partial,
    CLI_OPTIONS_OF_TABLES,
    CLI_OPTIONS_OF_DUMPS,
    CLI_OPTIONS_OF_READING,
    NULL,
};

const cli_command cli_command_paths = {
    .name = "paths",
    .synopsis = "CAPTURE TYPE|ID",
    .summary = "how the objects of a type, or one object, are reached from the roots",
    .description =
        "Prints the paths by which the objects of a type are reached from the roots. It takes the shortest path of "
        "each object, and says for each path how many objects have it. Paths with the same root and the same names of "
        "references and types are one row, and so are paths through the nodes of a list or a tree. The shortest paths "
        "come first. For a single object, it prints the shortest path through each object that refers to it.\n"
        "\n"
        "CAPTURE is a capture (.hs), or a foreign dump, which is imported into an unnamed temporary file first; - is "
        "standard input. TYPE is the name of a type, or a pattern: * stands for any text and ? for any one byte. ID is "
        "what hsdiff top shows: @123, 0x7f3c10, or digits; of a type that is called like that write the first "
        "character as ?.\n"
        "\n"
        "A path is written from the root down, a line for each reference: .name of a field, [*] of an element, "
        "[*].value of a map's, -> where the reference has no name. {x5} stands for five steps that read alike, and the "
        "insides of containers are left out. Weak references never count, and soft ones do.\n"
        "\n"
        "The exit status is 2 when the capture has no object of that type or id; the message names types that are "
        "called much like it.\n"
        "\n"
        "As JSON, schema hsdiff.paths/1: captures (one), warnings, type or object, live and unreached of what was "
        "asked for, paths with references, live, root, kind and path, and others: how many paths are not shown, and "
        "what is reached over them.",
    .examples = examples,
    .options = options,
    .inputs_min = 2,
    .inputs_max = 2,
    .run = run_paths,
};

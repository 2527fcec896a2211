/*
 * hsdiff demo: value before there is a program to look at. Writes two captures of a toy that leaks and
 * compares them, with the command that does it on top.
 */
#include <stdio.h>
#include <string.h>

#include "demo_heap.h"
#include "options/common.h"
#include "out.h"
#include "progress.h"
#include "report_error.h"

#define PATH_BYTES 4096

static const demo_moment moments[2] = {
    {.taken_unix_s = 1795166042, .sessions = 2000, .first_request = 9000, .requests = 120},
    {.taken_unix_s = 1795169645, .sessions = 14000, .first_request = 61000, .requests = 90},
};

static hsd_status write_one_demo(const char *path, bool force, const demo_moment *moment, hsd_error *err)
{
    hsd_result_file *file;
    HSD_TRY(hsd_result_file_open(&file, path, force, err));
    hsd_status status = demo_heap_write(moment, hsd_result_file_write, file, err);
    if (status == HSD_OK) status = hsd_result_file_finish(file, err);
    hsd_result_file_close(file);
    return status;
}

static int run_demo(cli_app *cli)
{
    char paths[2][PATH_BYTES], words[2][PATH_BYTES];
    static const char *const names[2] = {"demo-before.hs", "demo-after.hs"};
    const char *folder = cli->options.output;
    hsd_error err;
    hsd_error_init(&err);
    for (size_t i = 0; i < 2; i++) {
        const int size = snprintf(paths[i], PATH_BYTES, "%s%s%s", folder ? folder : "", folder ? "/" : "", names[i]);
        if (size < 0 || size >= PATH_BYTES) {
            cli_complain("the name of the folder is too long.");
            return CLI_USAGE;
        }
        if (write_one_demo(paths[i], cli->options.force, &moments[i], &err) != HSD_OK)
            return cli_report_error(cli, &err);
        hsd_quote_shell(words[i], sizeof words[i], paths[i], strlen(paths[i]));
    }
    cli_note(cli, "wrote two captures of a toy web shop, an hour apart. The same as:");
    cli_note(cli, "  hsdiff %s %s", words[0], words[1]);

    const char *inputs[2] = {paths[0], paths[1]};
    cli_app compare = *cli;
    compare.command = cli_command_find("diff");
    compare.inputs = inputs;
    compare.input_count = 2;
    compare.options.output = NULL;
    return compare.command->run(&compare);
}

static const cli_example examples[] = {
    {"hsdiff demo", "writes demo-before.hs and demo-after.hs here, and compares them"},
    {"hsdiff demo -o /tmp", "in another folder"},
    {0},
};

static const cli_option *const options[] = {
    CLI_OPTIONS_OF_WORK,
    NULL,
};

const cli_command cli_command_demo = {
    .name = "demo",
    .synopsis = "[-o FOLDER]",
    .summary = "make two captures of a toy program that leaks, and compare them",
    .description = "Writes two small captures of a toy web shop that forgets to end its sessions, "
                   "and compares them. The answer names "
                   "the type that grew and the root that holds it.",
    .examples = examples,
    .options = options,
    .inputs_min = 0,
    .inputs_max = 0,
    .run = run_demo,
};

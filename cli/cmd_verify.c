/*
 * hsdiff verify: holds every rule of the format against every byte of a capture, and changes nothing.
 */
#include <string.h>

#include <hsdiff/capture.h>

#include "options/common.h"
#include "out.h"
#include "progress.h"
#include "report_error.h"

typedef struct check_run {
    cli_out *out;
    const char *path;
} check_run;

static void take_fault(void *context, const char *rule, uint64_t offset_bytes, uint64_t block, const char *text)
{
    const check_run *checking = context;
    char number[HSD_NUMBER_CHARS];
    cli_out_escaped(checking->out, HSD_ESCAPE_TERMINAL, checking->path, SIZE_MAX);
    if (offset_bytes != HSD_NO_OFFSET)
        cli_out_format(checking->out, ": byte %s", hsd_format_count(number, offset_bytes));
    if (block != UINT64_MAX) cli_out_format(checking->out, ", block %llu", (unsigned long long)block);
    cli_out_text(checking->out, ": ");
    cli_out_escaped(checking->out, HSD_ESCAPE_TERMINAL, text, SIZE_MAX);
    cli_out_format(checking->out, " (FORMAT.md %s)\n", rule);
}

static void print_result(cli_out *out, const cli_app *cli, const char *path, const hsd_verify_result *result)
{
    char blocks[HSD_NUMBER_CHARS], records[HSD_NUMBER_CHARS], size[HSD_NUMBER_CHARS], faults[HSD_NUMBER_CHARS],
        word[4096];
    if (result->faults == 0 && cli->options.quiet) return;
    cli_out_escaped(out, HSD_ESCAPE_TERMINAL, path, SIZE_MAX);
    cli_out_format(out, ": %s blocks, %s records, %s read: ", hsd_format_count(blocks, result->blocks),
                   hsd_format_count(records, result->records), hsd_format_bytes(size, result->bytes));
    if (result->faults == 0) {
        cli_out_text(out, "every rule of the format holds.\n");
        return;
    }
    cli_out_format(out, "%s %s.\n", hsd_format_count(faults, result->faults), result->faults == 1 ? "fault" : "faults");
    hsd_quote_shell(word, sizeof word, path, strlen(path));
    if (!cli->options.quiet) cli_out_format(out, "\nTo keep what is intact: hsdiff salvage %s -o salvaged.hs\n", word);
}

static int run_verify(cli_app *cli)
{
    cli_out out;
    int exit_status = CLI_DONE;
    if (!cli_out_open(&out, cli, &exit_status)) return exit_status;
    for (size_t i = 0; i < cli->input_count; i++) {
        check_run checking = {.out = &out, .path = cli->inputs[i]};
        hsd_verify_result result = {0};
        hsd_error err;
        hsd_error_init(&err);
        const hsd_status status = hsd_capture_verify(cli->inputs[i], &cli->run, take_fault, &checking, &result, &err);
        cli_progress_clear();
        if (status != HSD_OK) {
            hsd_error_set_file(&err, cli->inputs[i]);
            exit_status = cli_report_error(cli, &err);
            if (exit_status != CLI_DAMAGED) break;
            continue;
        }
        print_result(&out, cli, cli->inputs[i], &result);
        if (result.faults > 0) exit_status = CLI_DAMAGED;
    }
    return cli_out_close(&out, cli, exit_status);
}

static const cli_example examples[] = {
    {"hsdiff verify before.hs after.hs", "every byte of both"},
    {"hsdiff verify -q *.hs && echo intact", "in a script"},
    {0},
};

static const cli_option *const options[] = {
    CLI_OPTIONS_OF_READING,
    NULL,
};

const cli_command cli_command_verify = {
    .name = "verify",
    .synopsis = "FILE...",
    .summary = "check every byte of captures, and change nothing",
    .description = "Reads captures from the first byte to the last and holds every rule of the format against "
                   "them: checksums, counts, "
                   "order, references of tables, the index. Each breach is one line with its place and the "
                   "rule it breaks. The files "
                   "are only read. The exit status is 0 when every rule holds and 3 when one does not.\n"
                   "\n"
                   "The checksums find accidental damage. They are no signature: whoever can write a capture "
                   "can make it say "
                   "anything.",
    .examples = examples,
    .options = options,
    .inputs_min = 1,
    .inputs_max = SIZE_MAX,
    .run = run_verify,
};

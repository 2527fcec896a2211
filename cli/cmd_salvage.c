/*
 * hsdiff salvage: every intact block of a damaged capture, as a new one that says what it is.
 */
#include <stdio.h>
#include <string.h>

#include <hsdiff/capture.h>

#include "options/common.h"
#include "progress.h"
#include "report_error.h"

static void tell_salvaged(const cli_app *cli, const char *input, const char *output, const hsd_salvage_result *result)
{
    char kept[HSD_NUMBER_CHARS], lost[HSD_NUMBER_CHARS], objects[HSD_NUMBER_CHARS], heap[HSD_NUMBER_CHARS],
        skipped[HSD_NUMBER_CHARS];
    cli_note(cli, "%s: %s blocks kept in %s: %s objects, %s of heap.", input,
             hsd_format_count(kept, result->blocks_kept), output, hsd_format_count(objects, result->objects),
             hsd_format_bytes(heap, result->bytes));
    if (result->was_complete)
        cli_note(cli, "nothing was lost: the capture was complete.");
    else
        cli_note(cli,
                 "%s blocks lost, %s skipped. The new capture is marked incomplete: it can prove "
                 "growth, but not what was freed.",
                 hsd_format_count(lost, result->blocks_lost), hsd_format_bytes(skipped, result->bytes_skipped));
}

static int run_salvage(cli_app *cli)
{
    const cli_options *options = &cli->options;
    if (!options->output) {
        cli_complain("salvage needs to know where to write: -o OUT.hs.");
        return CLI_USAGE;
    }
    hsd_salvage_result result = {0};
    hsd_error err;
    hsd_error_init(&err);
    const hsd_status status =
        hsd_capture_salvage(cli->inputs[0], options->output, options->force, &cli->run, &result, &err);
    cli_progress_clear();
    if (status != HSD_OK) return cli_report_error(cli, &err);
    tell_salvaged(cli, cli->inputs[0], options->output, &result);
    cli->saw_damage = false; /* that is what it was called for */
    return CLI_DONE;
}

static const cli_example examples[] = {
    {"hsdiff salvage cut.hs -o part.hs", "keep what is intact"},
    {"hsdiff before.hs part.hs", "what it proves: growth, but not what was freed"},
    {0},
};

static const cli_option *const options[] = {
    &cli_option_encrypt_to,
    CLI_OPTIONS_OF_READING,
    NULL,
};

const cli_command cli_command_salvage = {
    .name = "salvage",
    .synopsis = "IN -o OUT.hs",
    .summary = "write the intact blocks of a damaged capture into a new one",
    .description =
        "Copies every block of IN whose checksum is right into a new capture. The new capture is marked as incomplete, "
        "with the reason. A damaged block is left out; the blocks around it are kept. IN is not changed.",
    .examples = examples,
    .options = options,
    .salvages = true,
    .inputs_min = 1,
    .inputs_max = 1,
    .run = run_salvage,
};

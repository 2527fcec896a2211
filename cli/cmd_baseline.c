/*
 * hsdiff baseline CAPTURE -o base.hs: the sums of a capture, small enough to keep in a repository.
 */
#include <string.h>

#include "input.h"
#include "options/common.h"
#include "progress.h"
#include "report_error.h"
#include <hsdiff/profile.h>

static void tell_baseline(const cli_app *cli, uint64_t bytes)
{
    char size[HSD_NUMBER_CHARS], word[1024];
    const char *output = cli->options.output,
               *input = strcmp(cli->inputs[0], "-") == 0 ? "standard input" : cli->inputs[0];
    hsd_format_bytes(size, bytes);
    if (strcmp(output, "-") == 0) {
        cli_note(cli, "the sums of %s, %s", input, size);
        return;
    }
    hsd_quote_shell(word, sizeof word, output, strlen(output));
    cli_note(cli, "%s: the sums of %s, %s. Next: hsdiff check %s NEW-CAPTURE", output, input, size, word);
}

static int run_baseline(cli_app *cli)
{
    const cli_options *options = &cli->options;
    cli_input input = {.path = cli->inputs[0]};
    uint64_t bytes = 0;
    hsd_error err;
    hsd_error_init(&err);
    if (!options->output) {
        cli_complain("-o FILE is missing: where should the baseline go?");
        return CLI_USAGE;
    }
    const hsd_baseline_options wanted = {.places = (size_t)options->places,
                                         .identities = options->identities,
                                         .force = options->force,
                                         .partial = options->partial};
    hsd_status status = cli_inputs_open(&input, 1, cli, false, cli_damage_wanted(cli), &err);
    if (status == HSD_OK) status = hsd_baseline_write(input.capture, options->output, &wanted, &cli->run, &bytes, &err);
    cli_progress_clear();
    cli_inputs_close(&input, 1);
    if (status != HSD_OK) return cli_report_error(cli, &err);
    tell_baseline(cli, bytes);
    return CLI_DONE;
}

static const cli_example examples[] = {
    {"hsdiff baseline good.hs -o base.hs", "to commit, and to check later builds against"},
    {"hsdiff baseline good.heapsnapshot -o base.hs --force", "from a foreign dump, replacing an old one"},
    {"hsdiff check base.hs new.hs --update-baseline", "accept what grew"},
    {"hsdiff base.hs new.hs --no-holders", "new and freed by type, with a baseline that has --identities"},
    {0},
};

static const cli_option *const options[] = {
    &cli_option_identities,
    &cli_option_places,
    &cli_option_partial,
    CLI_OPTIONS_OF_DUMPS,
    &cli_option_encrypt_to,
    CLI_OPTIONS_OF_READING,
    NULL,
};

const cli_command cli_command_baseline = {
    .name = "baseline",
    .synopsis = "CAPTURE -o FILE",
    .summary = "write the totals of a capture to a small file, for a repository",
    .description = "Writes the sums of a capture by type, by root and by place (a path of types from a root), without "
                   "its objects. The file has some hundred kilobytes for thousands of types, whatever the size of the "
                   "heap. A baseline is a capture itself: hsdiff check, diff, series and info take it. The same "
                   "capture gives the same bytes on every machine. A baseline that is written again from the same "
                   "capture is therefore no change in a repository.\n"
                   "\n"
                   "When a capture is compared with a baseline, growth is exact by type, by root and by holder. Which "
                   "single objects are new and which were freed is not known. A baseline with --identities also has "
                   "the ids of the objects. If both captures are of one process whose ids last, hsdiff --no-holders "
                   "then tells new and freed by type, and hsdiff series tells the ages of objects.",
    .examples = examples,
    .options = options,
    .inputs_min = 1,
    .inputs_max = 1,
    .run = run_baseline,
};

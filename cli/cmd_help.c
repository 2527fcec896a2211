/*
 * hsdiff help [COMMAND|formats|output]: everything on one page, or the page of one command, or the formats that are
 * read and written, or what reports hold.
 */
#include <hsdiff/report.h>

#include <string.h>

#include "help/help.h"
#include "help/nearest.h"
#include "options/common.h"
#include "report_error.h"

static const struct {
    const char *name;
    void (*print)(cli_out *out);
} topics[] = {{"formats", cli_print_formats_help}, {"output", cli_print_output_help}};

static void (*topic_of(const char *word))(cli_out *out)
{
    for (size_t i = 0; word != NULL && i < sizeof topics / sizeof topics[0]; i++)
        if (strcmp(word, topics[i].name) == 0) return topics[i].print;
    return NULL;
}

static bool is_report_format(const char *word)
{
    for (size_t i = 0; hsd_report_format_get(i); i++)
        if (strcmp(word, hsd_report_format_get(i)->name) == 0) return true;
    return false;
}

static int fail_topic(const char *word)
{
    const cli_command *near = cli_command_near(word);
    if (near)
        cli_complain("there is no command '%s'; did you mean hsdiff help %s?", word, near->name);
    else if (is_report_format(word))
        cli_complain("'%s' is no command but a format: hsdiff help output says what it holds.", word);
    else
        cli_complain("there is no command '%s'.", word);
    return CLI_USAGE;
}

static int run_help(cli_app *cli)
{
    const char *word = cli->input_count > 0 ? cli->inputs[0] : NULL;
    const cli_command *command = word != NULL ? cli_command_find(word) : NULL;
    void (*const print_topic)(cli_out * out) = topic_of(word);
    cli_out out;
    int result = CLI_DONE;
    if (word != NULL && !command && !print_topic) return fail_topic(word);
    if (!cli_out_open(&out, cli, &result)) return result;
    if (print_topic)
        print_topic(&out);
    else if (command)
        cli_print_command_help(&out, command);
    else
        cli_print_help(&out);
    return cli_out_close(&out, cli, CLI_DONE);
}

static const cli_example examples[] = {
    {"hsdiff help", "everything on one page"},
    {"hsdiff help import", "one command"},
    {"hsdiff help formats", "what is read and written, and what each format can say of a heap"},
    {"hsdiff help output", "what reports hold: the members of JSON, and how names stand there"},
    {"hsdiff --generate man > hsdiff.1", "the manual page"},
    {"hsdiff --generate complete-bash > ~/.local/share/bash-completion/completions/hsdiff", "completions"},
    {0},
};

static const cli_option *const options[] = {
    &(const cli_option){
        .name = "generate",
        .value = "WHAT",
        .choices = "man|man-formats|complete-bash|complete-zsh|complete-fish",
        .kind = CLI_TEXT,
        .offset = CLI_FIELD(generate),
        .told = CLI_LEFT_OUT,
        .help =
            "print the manual page (of a command that follows), that of the formats, or the completions of a shell"},
    &cli_option_output,
    &cli_option_force,
    CLI_OPTIONS_OF_A_PAGE,
    NULL,
};

const cli_command cli_command_help = {
    .name = "help",
    .synopsis = "[COMMAND|formats|output]",
    .summary = "print help on everything, on one command, on formats or on output",
    .description = "Prints help. --help and -h do the same and may stand anywhere.",
    .examples = examples,
    .options = options,
    .shows_pages = true,
    .inputs_min = 0,
    .inputs_max = 1,
    .run = run_help,
};

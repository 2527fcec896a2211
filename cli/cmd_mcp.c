/*
 * hsdiff mcp: a server of the Model Context Protocol, for coding agents.
 */
#include "mcp/mcp.h"
#include "options/common.h"
#include "report_error.h"
#include "signals.h"

static bool is_asked_to_end(void) { return cli_signal_seen() != 0; }

static int run_mcp(cli_app *cli)
{
    const mcp_options options = {.folders = cli->options.mcp.folders,
                                 .folder_count = cli->options.mcp.folder_count,
                                 .allow_capture = cli->options.mcp.allow_capture,
                                 .run = &cli->run,
                                 .is_stopped = is_asked_to_end};
    hsd_error err;
    if (cli->options.output) {
        cli_complain("hsdiff mcp answers on standard output: leave out --output.");
        return CLI_USAGE;
    }
    hsd_error_init(&err);
    const hsd_status status = mcp_serve(&options, &err);
    cli_signals_take(); /* a signal is the usual end */
    return status == HSD_OK ? CLI_DONE : cli_report_error(cli, &err);
}

static bool set_allowed(cli_options *options, const char *value)
{
    const size_t most = sizeof options->mcp.folders / sizeof options->mcp.folders[0];
    if (value[0] == 0 || options->mcp.folder_count == most) return false;
    options->mcp.folders[options->mcp.folder_count++] = value;
    return true;
}

static const cli_example examples[] = {
    {"hsdiff mcp", "for an agent that works in this folder: it may read the captures that lie below"},
    {"hsdiff mcp --allow /srv/dumps --allow .", "and those of another folder"},
    {"hsdiff mcp --allow-capture", "the agent may also take captures of running programs"},
    {0},
};

static const cli_option *const options[] = {
    &(const cli_option){.name = "allow",
                        .value = "FOLDER",
                        .kind = CLI_OTHER,
                        .set = set_allowed,
                        .told = CLI_LEFT_OUT,
                        .repeats = true,
                        .help = "let the client read the files below FOLDER; may be given again, up to 16 times; by "
                                "default those below the folder in which hsdiff was started"},
    &(const cli_option){.name = "allow-capture",
                        .kind = CLI_FLAG,
                        .offset = CLI_FIELD(mcp.allow_capture),
                        .told = CLI_LEFT_OUT,
                        .help = "let the client list running programs, and capture them into new files below the "
                                "folders that are allowed"},
    CLI_OPTIONS_OF_READING,
    NULL,
};

const cli_command cli_command_mcp = {
    .name = "mcp",
    .synopsis = "[--allow FOLDER...] [--allow-capture]",
    .summary = "let a coding agent ask about heaps (Model Context Protocol)",
    .description =
        "Serves the Model Context Protocol on standard input and output. A program that speaks it, such as a coding "
        "agent, starts hsdiff mcp and asks it: it is not meant to be typed at. doc/agents.md shows how to register it, "
        "and what an agent does with it. It answers on standard output alone, so -o is refused.\n"
        "\n"
        "The tools: list_captures lists files; compare says what grew between captures, and what keeps it in memory; "
        "check judges growth by rules; look shows types, roots, holders, objects, paths, referrers, referents and "
        "dominators; sql asks in SQL; more gives the next page of an answer. With --allow-capture, list_processes and "
        "take_capture take captures of running programs of this machine. Each answer is a page of less than 4 KB: a "
        "sentence, tables, the calls that help next, and a handle if there is more.\n"
        "\n"
        "The client can only read plain files below the folders of --allow. No symbolic link and no .. leads out of "
        "them, and devices, pipes and files of /proc and /sys are not opened. What a core file says of programs "
        "elsewhere is not read either. Nothing is written but temporary files without a name, and with "
        "--allow-capture new captures. Nothing is sent over a network.\n"
        "\n"
        "The last three heaps that were asked about stay open with their index, so that the next question is answered "
        "in milliseconds. Messages are lines of at most 1 MiB. The protocol's revisions are 2024-11-05, 2025-06-18, "
        "2025-11-25 and 2026-07-28.\n"
        "\n"
        "The server ends when its input does, or when nobody reads its answers; what goes on is then given up after "
        "two seconds. The exit status is 0; it is 2 for wrong options, and 4 if a folder cannot be opened.",
    .examples = examples,
    .options = options,
    .inputs_min = 0,
    .inputs_max = 0,
    .run = run_mcp,
};

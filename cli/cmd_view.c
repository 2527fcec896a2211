/*
 * hsdiff view CAPTURE...: what is in them, as a page in a browser, from a server for its user alone.
 */
#include <hsdiff/series.h>

#include "options/common.h"
#include "viewer.h"

static int run_view(cli_app *cli) { return cli_viewer_is_usable(cli) ? cli_viewer_run(cli, NULL) : CLI_USAGE; }

static const cli_example examples[] = {
    {"hsdiff view before.hs after.hs --open", "what grew, and every object behind it, in the browser"},
    {"hsdiff view heap.hprof", "one heap: its types, its objects, what holds them"},
    {"hsdiff view run/*.hs", "what grew over time"},
    {"hsdiff view heap.hs --port 8123 --idle never", "for ssh -L 8123:127.0.0.1:8123"},
    {"hsdiff capture 4121 --view --open", "a process as it is now"},
    {0},
};

static const cli_option *const options[] = {
    &cli_option_label,
    &cli_option_open,
    &cli_option_port,
    &cli_option_ipv6,
    &cli_option_idle,
    &cli_option_partial,
    &cli_option_match,
    &cli_option_key,
    &cli_option_min,
    &cli_option_from,
    &cli_option_exe,
    &cli_option_dump,
    &cli_option_values_of_dumps,
    &cli_option_final_is_strong,
    CLI_OPTIONS_OF_READING,
    NULL,
};

const cli_command cli_command_view = {
    .name = "view",
    .synopsis = "CAPTURE... | CAPTURE... -- CAPTURE...",
    .summary = "look at heaps in a browser: what grew, each object, what holds it",
    .description =
        "Starts a server on this machine and prints the address of its page. For two captures the page shows what grew "
        "and what keeps it in memory. For one capture or two it also shows every type and every object: what the "
        "object refers to, what refers to it, what it retains, the path to it from a root, and which object it is in "
        "the other capture. For more than two captures it shows the series, without objects. A capture is a .hs file, "
        "or a foreign dump, which is first imported into a temporary file without a name; one may be -, which is "
        "standard input.\n"
        "\n"
        "You can open the page at once. It first shows how far the work is, then the report, and then the objects, "
        "when their index has been written (to files without a name in --temp-dir). Memory stays within --memory.\n"
        "\n"
        "The server answers only the user who started it. It listens on 127.0.0.1, on the port of --port or on one "
        "that the system chooses, and it answers only requests that have the random token from the address (behind the "
        "#). It refuses other Host names, requests from other pages, and all methods but GET. A request can change "
        "nothing, and cannot name a file to open. Do not pass the address on: it gives access to the captures while "
        "the viewer runs.\n"
        "\n"
        "The server ends with Ctrl-C, or when no page is open any more for half an hour (--idle). The exit "
        "status is 0, or that of hsdiff diff for the same failure. The failure is reported on standard error and on "
        "the page. If the work fails before there is a report and before a page was opened, hsdiff ends at once. -o "
        "FILE writes the address to FILE instead of standard output.\n"
        "\n"
        "doc/view.md describes the page and the questions that it asks, which scripts may ask, too.",
    .examples = examples,
    .options = options,
    .inputs_min = 1,
    .inputs_max = HSD_SERIES_MOST,
    .run = run_view,
};

/*
 * hsdiff view CAPTURE...: what is in them, as a page in a browser, from a server for its user alone.
 */
#include <hsdiff/series.h>

#include "common_options.h"
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
    &cli_option_label,       &cli_option_open,
    &cli_option_port,        &cli_option_ipv6,
    &cli_option_idle,        &cli_option_partial,
    &cli_option_match,       &cli_option_key,
    &cli_option_min,         &cli_option_from,
    &cli_option_exe,         &cli_option_dump,
    &cli_option_with_values, &cli_option_final_is_strong,
    CLI_OPTIONS_OF_WORK,     NULL,
};

const cli_command cli_command_view = {
    .name = "view",
    .synopsis = "CAPTURE... | CAPTURE... -- CAPTURE...",
    .summary = "look at heaps in a browser: what grew, any object, what holds it",
    .description = "Starts a server on this machine, prints the address of its page, and shows there what hsdiff "
                   "finds: of two captures what grew "
                   "and what keeps it alive, and of one or two every type and object, what it refers to, what refers "
                   "to it, what it retains, the "
                   "path to it from a root, and where it is in the other capture. Of more than two it shows the "
                   "series; objects of one or two alone. Captures "
                   "are .hs files, or foreign dumps, which are imported into unnamed temporary files first; one may be "
                   "- for standard input.\n"
                   "\n"
                   "The page can be opened at once: it shows how far the work is, then the report, then, once the "
                   "index stands on disk (unnamed "
                   "files in --temp-dir), the objects. Memory stays within --memory.\n"
                   "\n"
                   "Only its user gets an answer. The server listens on 127.0.0.1 alone, on a port that the system "
                   "chooses unless --port says "
                   "which, and answers those who know the random token behind the # of the address. Other Host names, "
                   "pages from elsewhere and "
                   "whatever is not GET are refused; nothing can be changed, and no file is opened by a name from a "
                   "request. Whoever has the "
                   "address can read the captures as long as the viewer runs: do not pass it on.\n"
                   "\n"
                   "It ends with Ctrl-C, or when the page has asked for nothing for half an hour (--idle). The exit "
                   "status is that of the work: 0, or "
                   "what the same failure has in hsdiff diff, which is told on standard error and on the page; where "
                   "no page was opened yet, with --open "
                   "neither, and there is no report to show, it ends at once. A signal while there is still work ends "
                   "it like any other command. -o FILE "
                   "has the address go there and not to standard output.\n"
                   "\n"
                   "doc/view.md describes the page and the questions that it asks, which scripts may ask, too.",
    .examples = examples,
    .options = options,
    .inputs_min = 1,
    .inputs_max = HSD_SERIES_MOST,
    .run = run_view,
};

/*
 * One run of the command: what was asked, under which conditions, and what came of it. main.c fills it,
 * a cmd_*.c does the work, and everything that talks to the user lies in the small files beside it:
 *
 *      option_table.c options.c     the options of all commands, and the parser that reads them
 *      command_line.c               what was given, as a report tells it
 *      help.c man.c complete.c      the same tables, told: --help, manual pages, completions
 *      formats.c                    what is read and written, from the registries
 *      viewer.c browser.c           the server of hsdiff view, and the page in a browser
 *      input.c                      captures, and foreign dumps imported on the fly
 *      out.c                        results, whose failed writes are errors
 *      report_error.c               what, where, why, what next, and the exit status
 *      progress.c term.c signals.c  the line on the terminal, its colours and width, ending early
 */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/diff.h>
#include <hsdiff/import.h>
#include <hsdiff/live.h>
#include <hsdiff/report.h>
#include <hsdiff/run.h>
#include <hsdiff/status.h>

/* Exit statuses: documented in the manual, kept for ever. */
enum {
    CLI_DONE = 0,
    CLI_FAILED = 1,  /* a check found growth over its limit */
    CLI_USAGE = 2,   /* usage or configuration */
    CLI_DAMAGED = 3, /* an input is damaged or cannot be read */
    CLI_SYSTEM = 4   /* out of memory, disk, or input and output */
};

typedef enum cli_color { CLI_COLOR_AUTO, CLI_COLOR_ALWAYS, CLI_COLOR_NEVER } cli_color;

/* Everything an option can set; zero is the default of each. */
typedef struct cli_options {
    const char *format, *output, *objects, *temp_dir, *remote, *serve, *from, *only, *generate, *retained, *config, *way, *to, *executable, *html, *folder;
    int sort, table, match, color, top_sort, top_table, stacks;
    uint64_t top, memory_bytes, noise_bytes, threads, level, warmup, places, max_bytes, every_ms, after_ms, timeout_ms, count, pid, port, idle_ms, keep, until_growth_bytes;
    unsigned budget_permille, near_percent; /* watch; 0 = by default */
    unsigned dump_numbers[2]; /* before, after */
    const char **keys;        /* "TYPE:FIELD" each; room for one a word of the command line */
    size_t key_count;
    const char **labels;      /* --label, one a capture; room for one a word of the command line */
    size_t label_count;
    const char **also;        /* --also FORMAT=FILE, likewise */
    size_t also_count;
    const char **symbols;     /* --symbols, likewise */
    size_t symbol_count;
    bool has_level, force, summary, partial, exact_bytes, plain, wide, with_values, final_is_strong;
    bool tree, no_holders, has_warmup, cohorts, no_cohorts, survivors, init, update_baseline, identities, forget, open_inspector, follow;
    bool view, open, ipv6, never_idle, all;
    bool no_progress, quiet, verbose, help, version;
} cli_options;

typedef struct cli_command cli_command;

typedef struct cli_app {
    int argc;
    char **argv;
    const cli_command *command;
    bool is_named; /* the command was named, and is not just the default */
    cli_options options;
    struct cli_given *given; /* the options that were given and are told; room for CLI_OPTIONS_MAX and one a word */
    size_t given_count;
    char *command_line;      /* as reports tell it; NULL while the options are read */
    const char **inputs; /* the words that are no options */
    size_t input_count;
    size_t first_group; /* inputs in front of a "--" that has inputs on both sides; else 0 */
    hsd_run run;
    bool has_dashes;    /* there was a "--" */
    bool saw_damage; /* input was skipped: exit status 3 even when all else went well */
} cli_app;

/* Exit status of the command. */
typedef int (*cli_command_fn)(cli_app *cli);

typedef struct cli_example {
    const char *command, *what;
} cli_example;

/* A command is one file and one row of the table in commands.c. */
struct cli_command {
    const char *name;
    const char *synopsis; /* what follows the name: "BEFORE AFTER [options]" */
    const char *summary;  /* one line */
    const char *
        description; /* paragraphs for the manual, a blank line between them; "  " starts verbatim lines */
    const cli_example *examples; /* ends with a NULL command */
    unsigned bit;                /* which options it takes: CLI_ON_* */
    size_t inputs_min, inputs_max;
    cli_command_fn run;
};

#define CLI_ON_DIFF    0x01u
#define CLI_ON_IMPORT  0x02u
#define CLI_ON_INFO    0x04u
#define CLI_ON_DUMP    0x08u
#define CLI_ON_VERIFY  0x10u
#define CLI_ON_SALVAGE 0x20u
#define CLI_ON_HELP    0x40u
#define CLI_ON_DEMO    0x80u
#define CLI_ON_TOP     0x100u
#define CLI_ON_PATHS   0x200u
#define CLI_ON_CHECK    0x400u
#define CLI_ON_SERIES   0x800u
#define CLI_ON_BASELINE 0x1000u
#define CLI_ON_CAPTURE 0x2000u
#define CLI_ON_RECEIVE 0x4000u
#define CLI_ON_SYMBOLIZE 0x8000u
#define CLI_ON_EXPORT  0x10000u
#define CLI_ON_SQL     0x20000u
#define CLI_ON_VIEW    0x40000u
#define CLI_ON_PS      0x80000u
#define CLI_ON_WATCH   0x100000u
#define CLI_ON_ALL     0x1FFFFFu
#define CLI_ON_WORK    (CLI_ON_ALL & ~CLI_ON_HELP)

/* Row i of the table; NULL past the end. The first is the default. */
const cli_command *cli_command_get(size_t i);
const cli_command *cli_command_find(const char *name);

extern const cli_command cli_command_diff, cli_command_top, cli_command_paths, cli_command_import, cli_command_info, cli_command_dump,
    cli_command_verify, cli_command_salvage, cli_command_help, cli_command_demo, cli_command_check, cli_command_series,
    cli_command_baseline, cli_command_capture, cli_command_ps, cli_command_receive, cli_command_symbolize, cli_command_export, cli_command_sql, cli_command_view,
    cli_command_watch;

#endif

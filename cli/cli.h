/*
 * One run of the command: what was asked, under which conditions, and what came of it. main.c fills it,
 * a cmd_*.c does the work, and everything that talks to the user lies in the small files beside it:
 *
 *      common_options.c             options that several commands take; those of one stand in its file
 *      options.c                    the parser that reads them
 *      command_line.c               what was given, as a report tells it
 *      help.c man.c complete.c      the same tables, told: --help, manual pages, completions
 *      formats.c                    what is read and written, from the registries
 *      viewer.c browser.c           the server of hsdiff view, and the page in a browser
 *      input.c                      captures, and foreign dumps imported on the fly
 *      sandbox.h                    what the process gives up before it reads what others have written
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

/* What options set; zero is the default of each. First what several commands take, then of each command what it takes
 * alone. */
typedef struct cli_options {
    const char *format, *output, *temp_dir, *remote, *from, *generate, *way, *executable, *html, *identity;
    int table, match, color;
    uint64_t top, memory_bytes, noise_bytes, threads, level, warmup, places, max_bytes, every_ms, timeout_ms, count,
        pid, port, idle_ms, limit_bytes;
    unsigned dump_numbers[2]; /* before, after */
    const char **keys;        /* "TYPE:FIELD" each; room for one a word of the command line */
    size_t key_count;
    const char **labels; /* --label, one a capture; room for one a word of the command line */
    size_t label_count;
    const char **also; /* --also FORMAT=FILE, likewise */
    size_t also_count;
    const char **symbols; /* --symbols, likewise */
    size_t symbol_count;
    const char **encrypt_to; /* --encrypt-to, likewise */
    size_t encrypt_to_count;
    bool has_level, has_warmup, force, summary, partial, exact_bytes, plain, wide, with_values, final_is_strong,
        no_holders, cohorts, no_cohorts, survivors, identities;
    bool open_inspector, open, ipv6, never_idle, no_progress, no_sandbox, quiet, verbose, help, version;
    struct {
        const char *objects;
        int sort;
        bool tree;
    } diff;
    struct {
        const char *config, *signed_by;
        bool init, update_baseline;
    } check;
    struct {
        const char *serve;
        uint64_t after_ms;
        bool follow, forget, view;
    } capture;
    struct {
        const char *folder;
        uint64_t keep, until_growth_bytes;
        unsigned budget_permille, near_percent; /* 0 = by default */
    } watch;
    struct {
        int sort, table;
        const char *retained;
    } one; /* top */
    struct {
        const char *to;
        int stacks;
    } export;
    struct {
        const char *only;
    } dump;
    struct {
        bool all;
    } ps;
    struct {
        const char *key, *new_key, *report;
        const char **keep; /* --keep; room for one a word of the command line */
        size_t keep_count;
        bool blur_sizes;
    } redact; /* and unredact */
    struct {
        const char *folders[16]; /* --allow */
        size_t folder_count;
        bool allow_capture;
    } mcp;
    struct {
        const char *store; /* --fleet */
        bool keeps_captures;
    } receive;
    struct {
        const char *service, *baseline, *candidate, *since, *keep;
        uint64_t floor_bytes;
        bool no_places;
    } fleet;
} cli_options;

typedef struct cli_command cli_command;
typedef struct cli_option cli_option; /* options.h */

typedef struct cli_cache { /* cache.h */
    const char *folder;    /* of temporary files */
    bool is_memory;        /* it is a tmpfs */
    uint64_t bytes;        /* that the temporary capture of an import may have as it is */
} cli_cache;

typedef struct cli_app {
    int argc;
    char **argv;
    const cli_command *command;
    bool is_named; /* the command was named, and is not just the default */
    cli_options options;
    /* the options that were given and are told; room for CLI_OPTIONS_MAX and one a word */
    struct cli_given *given;
    size_t given_count;
    char *command_line;  /* as reports tell it; NULL while the options are read */
    const char **inputs; /* the words that are no options */
    size_t input_count;
    size_t first_group; /* inputs in front of a "--" that has inputs on both sides; else 0 */
    hsd_run run;
    cli_cache cache;
    hsd_crypt *keys; /* of run.crypt; NULL: none were given */
    bool has_dashes; /* there was a "--" */
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
    const char *synopsis;    /* what follows the name: "BEFORE AFTER [options]" */
    const char *words;       /* what its first input is one of, "add|report", for completion; NULL = no such words */
    const char *summary;     /* one line */
    const char *description; /* paragraphs for the manual, a blank line between them; "  " starts verbatim lines */
    const cli_example *examples; /* ends with a NULL command */
    /* that it takes, in the order in which help shows them; ends with NULL (common_options.h) */
    const cli_option *const *options;
    size_t inputs_min, inputs_max;
    bool is_of_processes; /* its inputs are no files */
    bool salvages, shows_pages;
    bool tells_indexes; /* of single references: an import keeps them */
    cli_command_fn run;
};

/* Row i of the table; NULL past the end. The first is the default. */
const cli_command *cli_command_get(size_t i);
const cli_command *cli_command_find(const char *name);

#endif

/*
 * Options: the parser, --help, the manual pages and the completions all read their rows, so that they cannot disagree.
 * The rows of one command stand in its file, those of several in common_options.c, and each command lists what it
 * takes.
 */
#ifndef CLI_OPTIONS_OPTIONS_H
#define CLI_OPTIONS_OPTIONS_H

#include "cli.h"

typedef enum cli_kind {
    CLI_FLAG,     /* bool */
    CLI_TEXT,     /* const char * */
    CLI_FILE,     /* const char *, completed as a file */
    CLI_FOLDER,   /* const char *, completed as a folder */
    CLI_SIZE,     /* uint64_t: 65536, 64K, 64KiB, 64M, 2G */
    CLI_COUNT,    /* uint64_t, from 1 */
    CLI_DURATION, /* uint64_t milliseconds: 500ms, 60s, 60, 5m, 1h, 1d; at most a year */
    CLI_CHOICE,   /* int: place in `choices` */
    CLI_OTHER     /* `set` */
} cli_kind;

/* Whether the command line that a report tells (command_line.h) has the option. A row that says neither fails a test.
 */
typedef enum cli_told {
    CLI_TOLD = 1, /* it decides what is compared, how, or what of the answer is shown */
    CLI_LEFT_OUT  /* where the answer goes, in which format, with how much of the machine: a page says the same with and
                     without */
} cli_told;

struct cli_option {
    char letter; /* 0 = none */
    const char *name;
    const char *value;   /* what stands for it in help: "FILE"; NULL for flags */
    const char *choices; /* "types|roots", for CLI_CHOICE and for completion */
    /* In place of it, where the choices are rows of a registry. */
    const char *(*list_choices)(void);
    const char *help; /* one sentence without a full stop */
    cli_kind kind;
    size_t offset; /* in cli_options */
    bool (*set)(cli_options *options, const char *value);
    cli_told told;
    bool repeats;   /* each use counts, not the last alone */
    bool is_common; /* of every command: help shows it behind the others */
};

#define CLI_FIELD(name) offsetof(cli_options, name)

/* A use of an option that is told. */
struct cli_given {
    const cli_option *option;
    const char *value; /* "" for flags */
};

#define CLI_OPTIONS_MAX 128

/* Row i of all commands, each once, those of the first command first; at most CLI_OPTIONS_MAX. NULL past the end. */
const cli_option *cli_option_get(size_t i);

/* Does the command take it? */
bool cli_command_takes(const cli_command *command, const cli_option *option);

/* "a|b|c"; NULL when it takes any value, or none. */
const char *cli_choices(const cli_option *option);

/* The option of that name that the command takes; NULL when it takes none. */
const cli_option *cli_command_option(const cli_command *command, const char *name, size_t size);

/*
 * Reads the command line into `cli`: command, options, inputs. Options may stand anywhere, "--" ends
 * them, "-" alone is an input. False after a message when something is wrong.
 */
bool cli_parse(cli_app *cli);

/* "64 MiB" and the like into bytes; false when it is no size. */
bool cli_parse_size(const char *text, uint64_t *bytes);

/* "60s" and the like into milliseconds; false when it is no time, or more than a year. */
bool cli_parse_duration(const char *text, uint64_t *milliseconds);

#endif

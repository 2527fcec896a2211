/*
 * What the parts of the sandbox share: the policy of a command, the rights that a path can have, and the two walls,
 * each of which says what is missing. sandbox.h is what the command sees.
 */
#ifndef CLI_SANDBOX_PARTS_H
#define CLI_SANDBOX_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "sandbox/sandbox.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_CHECKED_BUILD                                                                                               \
    1 /* the leak checker stops all threads, and looks into /proc; another program writes its reports */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define IS_CHECKED_BUILD 1
#endif
#endif

/* What a command may do; every command that has a sandbox may also read its inputs, and make temporary files. */
enum {
    MAY_WRITE_RESULTS = 1 << 0, /* in the folders of -o, --html and the like */
    /* --exe; any file if an input is a core, which names its program by a path; those of the folder of the run if one
     * is a snapshot of V8, whose scripts may have source maps */
    MAY_READ_PROGRAMS = 1 << 1,
    MAY_READ_SYMBOLS = 1 << 2, /* debug files: --symbols, /usr/lib/debug, those of the process of --pid */
    MAY_READ_RULES = 1 << 3,   /* --config, else .hsdiff.yml */
    MAY_READ_FOLDERS = 1 << 4, /* all files below the folders of --allow */
    MAY_WRITE_STORE = 1 << 5,  /* in the store of a fleet, or beside it, where it is made */
    MAY_LISTEN = 1 << 6,       /* on a socket of its own, and answer there */
    MAY_RUN_DUCKDB = 1 << 7,   /* a program, or psql, and whatever that reads; it inherits the rest of the sandbox */
    MAY_READ_KEY = 1 << 8,     /* --key of redact */
    ENTERS_LATE = 1 << 9,      /* the command calls cli_sandbox_enter itself */
    MAY_CONNECT = 1 << 10      /* with MAY_RUN_DUCKDB: what it starts may, to a bucket or a database */
};

typedef struct sandbox_policy {
    const char *command;
    const char *action; /* of fleet: its first input; NULL = any */
    bool is_open;       /* the command has no sandbox, for this reason: */
    const char *why_open;
    unsigned may;
} sandbox_policy;

/* The row of the command that was given; never NULL. */
const sandbox_policy *sandbox_policy_of(const cli_app *cli);

/* ---- paths */

typedef enum sandbox_right {
    SANDBOX_READ,       /* a file, or all files below a folder */
    SANDBOX_READ_FILE,  /* of a folder its names alone */
    SANDBOX_RUN,        /* read, and start */
    SANDBOX_WRITE_FILE, /* a device or a pipe, in place */
    SANDBOX_TEMPORARY,  /* files below a folder: made, written, read, removed */
    SANDBOX_RESULTS     /* those, folders too, and renamed */
} sandbox_right;

/* Is told each path of the run and what may be done there. */
typedef void (*sandbox_path_fn)(void *context, const char *path, sandbox_right right);
void sandbox_paths_of(const sandbox_policy *policy, const cli_app *cli, sandbox_path_fn tell, void *context);

/* True if a result of the run is a device or a pipe, which is written in place. */
bool sandbox_writes_in_place(const cli_app *cli);

/* NULL, or what is missing, as a sentence without its end. */
const char *sandbox_restrict_paths(const sandbox_policy *policy, const cli_app *cli);

/* ---- calls */

/* NULL, or what is missing. */
const char *sandbox_restrict_calls(const sandbox_policy *policy, bool writes_in_place);
const char *sandbox_refuse_sockets(void);

#endif

/*
 * A program of the user that answers questions of a fleet: DuckDB's command, PostgreSQL's psql. It is found by its name
 * or by a variable, runs in a session of its own, ends with us, and is listened to until it ends.
 */
#ifndef HSD_FLEET_CHILD_H
#define HSD_FLEET_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buffer.h"
#include <hsdiff/run.h>

#define HSD_CHILD_SAID_BYTES 4096u

typedef hsd_status (*hsd_child_take_fn)(void *context, const char *data, size_t size, hsd_error *err);

typedef struct hsd_program {
    const char *called;   /* "DuckDB's command" */
    const char *name;     /* "duckdb", which is looked for in PATH */
    const char *variable; /* HSDIFF_DUCKDB: names another */
    const char *hint;     /* how to get it */
} hsd_program;

typedef struct hsd_child_words {
    const hsd_program *program;
    const char *const *words;       /* of the command line, its name left out; NULL ends them */
    const char *const *environment; /* NAME=VALUE before those of this process; NULL ends them; may be NULL */
    const char *folder;             /* it runs in */
} hsd_child_words;

typedef struct hsd_child {
    pid_t pid;                       /* 0 = there is none */
    int in, out, errors;             /* our ends; -1 = closed */
    int status;                      /* once it has ended: as waitpid tells it */
    char said[HSD_CHILD_SAID_BYTES]; /* the beginning of what it said on standard error; once it has ended without line
                                        ends */
} hsd_child;

/*
 * Starts it. `input` >= 0 becomes its standard input and stays the caller's; -1: a pipe, whose end is child->in.
 * HSD_E_NOT_FOUND with the hint; HSD_E_IO. End it with hsd_child_kill also when this failed.
 */
hsd_status hsd_child_start(hsd_child *child, const hsd_child_words *words, int input, hsd_error *err);

/* Writes to the pipe. HSD_E_IO with EPIPE when it does not listen any more. */
hsd_status hsd_child_write(hsd_child *child, const void *data, size_t size, hsd_error *err);

/* Closes the pipe, gives all that it prints to `take` as it comes, and waits for its end. `run` hears `progress`.
 * HSD_OK whatever it ended with; what `take` returned; HSD_E_CANCELLED. */
hsd_status hsd_child_listen(hsd_child *child, const hsd_run *run, const char *progress, hsd_child_take_fn take,
                            void *context, hsd_error *err);

/* Ends one that runs. A zeroed one, and one that has ended, are accepted. */
void hsd_child_kill(hsd_child *child);

/* Puts stars over every place where `secret` stands in what it said; NULL and texts under four bytes are left. */
void hsd_child_hide(hsd_child *child, const char *secret);

#endif

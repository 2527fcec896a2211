/*
 * Ranks by MPI: the one place that knows it. All ranks of mpirun are one diff.
 */
#ifndef CLI_MPI_RANKS_H
#define CLI_MPI_RANKS_H

#include <hsdiff/ranks.h>

/* Starts MPI; the command line is what is left without its own words. A failure of MPI itself, at any time, ends all
 * ranks with a message of MPI's. */
void cli_ranks_begin(hsd_ranks *ranks, int *argc, char ***argv);

/* All ranks. */
void cli_ranks_end(void);

/* Nobody waits for this rank any more: ends all. Does not return. */
void cli_ranks_abort(int status) __attribute__((noreturn));

#endif

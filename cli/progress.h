/*
 * The progress line: on standard error, only on a terminal in the foreground, only after a second, gone
 * when the work is done.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdatomic.h>

#include "cli.h"

/* One operation that tells of progress; some may run side by side, each in its own thread. */
typedef struct cli_progress {
    unsigned slot;           /* 0 or 1, which those beside it share */
    const atomic_bool *stop; /* set when the other one failed; NULL = alone */
} cli_progress;

/* Called once, before anything tells of progress. */
void cli_progress_begin(const cli_app *cli);

/* For hsd_run.progress: shows the line and asks for cancellation after a signal or `stop`. Context is a
 * cli_progress, or NULL for the first slot. */
bool cli_progress_tell(void *context, const char *stage, uint64_t done, uint64_t total);

/* From now on `also` (NULL = nobody) is told whatever cli_progress_tell is, and may cancel. Before threads are started
 * and after they ended. */
void cli_progress_share(hsd_progress_fn also, void *context);

/* Takes the line away, before anything else is printed. */
void cli_progress_clear(void);

#endif

/*
 * Ending early: a signal asks the running operation to stop, everything unfinished is removed, and then
 * the process ends by that signal, so that shells and supervisors see the truth.
 */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/* Catches INT, TERM and HUP (a second one ends at once), and ignores PIPE so that a reader that went away is
 * an error of a write. Signals that the parent ignored stay ignored. */
void cli_signals_begin(void);

/* The signal that was caught, or 0. */
int cli_signal_seen(void);

/* The signal that was seen has been dealt with: it no longer ends the process, and no longer waits to do so. */
void cli_signals_take(void);

/* A write found its reader gone: ends like SIGPIPE. */
void cli_signal_set_broken_pipe(void);

/* Ends the process by the signal that was seen; returns if there was none. */
void cli_signals_end(void);

#endif

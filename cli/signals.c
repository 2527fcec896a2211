/*
 * Signals. The handler only remembers; the progress callback of the library asks and cancels. The second
 * signal finds the default action restored (SA_RESETHAND) and ends the process where it stands: even
 * then nothing is left, because unfinished files have no name.
 */
#include "signals.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t seen;

static void remember(int signal) { seen = signal; }

static void catch(int signal)
{
    struct sigaction old, action = {.sa_handler = remember, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    if (sigaction(signal, NULL, &old) == 0 && old.sa_handler != SIG_IGN) sigaction(signal, &action, NULL);
}

void cli_signals_begin(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    catch(SIGINT);
    catch(SIGTERM);
    catch(SIGHUP);
    sigaction(SIGPIPE, &ignore, NULL);
}

int cli_signal_seen(void) { return seen; }

void cli_signal_set_broken_pipe(void) { seen = SIGPIPE; }

void cli_signals_end(void)
{
    if (seen == 0) return;
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&action.sa_mask);
    sigaction(seen, &action, NULL);
    kill(getpid(), seen);
}

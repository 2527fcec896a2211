/*
 * Signals. The handler only remembers; the progress callback of the library asks and cancels. What cannot
 * ask, because it waits for a pipe in which nothing comes, is ended two seconds later; a second signal finds
 * the default action restored (SA_RESETHAND) and ends the process where it stands. Even then nothing is
 * left, because unfinished files have no name.
 */
#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int seen; /* set by a handler on one thread, asked by another */
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a handler may not wait for a lock");

#define PATIENCE_SECONDS 2

static void end_now(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&action.sa_mask);
    sigaction(seen, &action, NULL);
    kill(getpid(), seen);
}

static void remember_signal(int signal)
{
    const int error = errno; /* of whoever was interrupted */
    seen = signal;
    alarm(PATIENCE_SECONDS);
    errno = error;
}

static void lose_patience(int signal)
{
    (void)signal;
    end_now();
}

static void catch (int signal)
{
    struct sigaction old, action = {.sa_handler = remember_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    if (sigaction(signal, NULL, &old) == 0 && old.sa_handler != SIG_IGN) sigaction(signal, &action, NULL);
}

void cli_signals_begin(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    catch (SIGINT);
    catch (SIGTERM);
    catch (SIGHUP);
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL); /* a file over its limit is a failed write, which says so */
    struct sigaction late = {.sa_handler = lose_patience};
    sigemptyset(&late.sa_mask);
    sigaction(SIGALRM, &late, NULL);
}

int cli_signal_seen(void) { return seen; }

void cli_signals_take(void)
{
    alarm(0);
    seen = 0;
    catch (SIGINT);
    catch (SIGTERM);
    catch (SIGHUP);
}

void cli_signal_set_broken_pipe(void) { seen = SIGPIPE; }

void cli_signals_end(void)
{
    if (seen != 0) end_now();
}

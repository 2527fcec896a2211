/*
 * Entering the sandbox: first paths, then calls, since the second takes away what the first needs. What is missing is
 * told with --verbose.
 */
#include "sandbox/parts.h"

#include "report_error.h"

static void tell_missing(const cli_app *cli, const char *what, const char *why)
{
    if (cli->options.verbose && why) cli_note(cli, "sandbox: %s are not restricted: %s", what, why);
}

static bool has_sandbox(const cli_app *cli)
{
#ifdef HSD_NO_SANDBOX
    (void)cli;
    return false;
#else
    return !cli->options.no_sandbox && !sandbox_policy_of(cli)->is_open;
#endif
}

void cli_sandbox_enter(const cli_app *cli)
{
    const sandbox_policy *policy = sandbox_policy_of(cli);
    if (!has_sandbox(cli)) {
        if (cli->options.verbose)
            cli_note(cli, "no sandbox: %s",
                     cli->options.no_sandbox ? "--no-sandbox was given"
                     : policy->is_open       ? policy->why_open
                                             : "this build is made without one");
        return;
    }
    const char *paths = sandbox_restrict_paths(policy, cli);
    const char *calls = sandbox_restrict_calls(policy, sandbox_writes_in_place(cli));
    tell_missing(cli, "files", paths);
    tell_missing(cli, "system calls", calls);
    if (cli->options.verbose && !paths && !calls) cli_note(cli, "sandbox: files and system calls are restricted");
}

void cli_sandbox_end_listening(const cli_app *cli)
{
    if (!has_sandbox(cli) || (sandbox_policy_of(cli)->may & MAY_LISTEN) == 0) return;
    tell_missing(cli, "sockets", sandbox_refuse_sockets());
}

bool cli_sandbox_is_late(const cli_app *cli) { return (sandbox_policy_of(cli)->may & ENTERS_LATE) != 0; }

#define _GNU_SOURCE /* POSIX_SPAWN_SETSID */
/*
 * A program that shows an address: in a session of its own, since Ctrl-C is for the viewer, and without our
 * descriptors.
 */
#include "browser.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report_error.h"

extern char **environ;

static void tell_none(const cli_app *cli)
{
    cli_note(cli, "no browser could be started (xdg-open, sensible-browser): open the address by hand. For a browser "
                  "on another machine: "
                  "ssh -L PORT:127.0.0.1:PORT here, with the port of the address");
}

static bool set_actions(posix_spawn_file_actions_t *actions)
{
    return posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
           posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
           posix_spawn_file_actions_adddup2(actions, STDOUT_FILENO, STDERR_FILENO) == 0;
}

static bool set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGXFSZ); /* those that we ignore; handlers are gone by themselves */
    return posix_spawnattr_setsigdefault(attributes, &signals) == 0 &&
           posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF) == 0;
}

/* The pid of the first that could be started, or 0. */
static pid_t start_first(const char *address, posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes)
{
    static const char *const openers[] = {"xdg-open", "sensible-browser", "open"};
    char shown[256];
    pid_t pid;
    if (strlen(address) >= sizeof shown) return 0;
    memcpy(shown, address, strlen(address) + 1);
    for (size_t i = 0; i < sizeof openers / sizeof openers[0]; i++) {
        char name[32];
        char *const words[] = {name, shown, NULL};
        memcpy(name, openers[i], strlen(openers[i]) + 1);
        if (posix_spawnp(&pid, name, actions, attributes, words, environ) == 0) return pid;
    }
    return 0;
}

void cli_browser_open(cli_browser *browser, const cli_app *cli, const char *address)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    browser->pid = 0;
    if (posix_spawn_file_actions_init(&actions) == 0) {
        if (posix_spawnattr_init(&attributes) == 0) {
            if (set_actions(&actions) && set_attributes(&attributes))
                browser->pid = start_first(address, &actions, &attributes);
            posix_spawnattr_destroy(&attributes);
        }
        posix_spawn_file_actions_destroy(&actions);
    }
    if (browser->pid == 0) tell_none(cli);
}

void cli_browser_look(cli_browser *browser, const cli_app *cli)
{
    int status;
    if (browser->pid == 0 || waitpid(browser->pid, &status, WNOHANG) != browser->pid) return;
    browser->pid = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) tell_none(cli);
}

#define _GNU_SOURCE /* POSIX_SPAWN_SETSID, pipe2 */
/*
 * A program that shows an address: in a session of its own, since Ctrl-C is for the viewer, and without our
 * descriptors. The viewer can start nothing once it reads captures (sandbox.h), so a process that waits for the address
 * is started before.
 */
#include "browser.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report_error.h"

enum { ADDRESS_CHARS = 256 };

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
    char shown[ADDRESS_CHARS];
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

/* The pid of the opener, or 0. */
static pid_t start_opener(const char *address)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t pid = 0;
    if (posix_spawn_file_actions_init(&actions) != 0) return 0;
    if (posix_spawnattr_init(&attributes) == 0) {
        if (set_actions(&actions) && set_attributes(&attributes)) pid = start_first(address, &actions, &attributes);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

/* In the process that waits: nothing of the viewer's is held open. */
static void let_go_of_output(void)
{
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = STDIN_FILENO; nothing >= 0 && fd <= STDERR_FILENO; fd++)
        dup2(nothing, fd);
}

static int open_what_comes(int from)
{
    char address[ADDRESS_CHARS];
    size_t size = 0;
    int status;
    for (ssize_t got = 1; got != 0 && size < sizeof address - 1;) {
        got = read(from, address + size, sizeof address - 1 - size);
        if (got < 0 && errno != EINTR) return 1;
        if (got > 0) size += (size_t)got;
    }
    address[size] = 0;
    if (size == 0) return 0; /* there is no viewer */
    const pid_t pid = start_opener(address);
    if (pid == 0) return 1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

void cli_browser_prepare(cli_browser *browser)
{
    int ends[2];
    *browser = (cli_browser){.address = -1};
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    browser->pid = fork();
    if (browser->pid == 0) {
        setsid();
        close(ends[1]);
        let_go_of_output();
        _exit(open_what_comes(ends[0]));
    }
    close(ends[0]);
    browser->address = ends[1];
    if (browser->pid > 0) return;
    browser->pid = 0;
    cli_browser_forget(browser);
}

void cli_browser_open(cli_browser *browser, const cli_app *cli, const char *address)
{
    const ssize_t size = (ssize_t)strlen(address);
    const bool is_told = browser->address >= 0 && write(browser->address, address, (size_t)size) == size;
    cli_browser_forget(browser);
    if (!is_told || browser->pid == 0) tell_none(cli);
}

void cli_browser_forget(cli_browser *browser)
{
    if (browser->address >= 0) close(browser->address);
    browser->address = -1;
}

void cli_browser_look(cli_browser *browser, const cli_app *cli)
{
    int status;
    if (browser->pid == 0 || waitpid(browser->pid, &status, WNOHANG) != browser->pid) return;
    browser->pid = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) tell_none(cli);
}

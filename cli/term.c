/*
 * Terminals. The only file that asks the environment how output should look.
 */
#include "term.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool cli_term_is_terminal(int fd) { return isatty(fd) == 1; }

bool cli_term_is_foreground(int fd)
{
    const pid_t group = tcgetpgrp(fd);
    return group >= 0 && group == getpgrp();
}

unsigned cli_term_width(int fd)
{
    struct winsize size = {0};
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) return size.ws_col;
    return 80;
}

unsigned cli_term_height(int fd)
{
    struct winsize size = {0};
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row >= 4) return size.ws_row;
    return 24;
}

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && value[0];
}

bool cli_term_has_color(const cli_app *cli, int fd)
{
    if (cli->options.color != CLI_COLOR_AUTO) return cli->options.color == CLI_COLOR_ALWAYS;
    const char *term = getenv("TERM");
    return cli_term_is_terminal(fd) && !is_set("NO_COLOR") && (!term || strcmp(term, "dumb") != 0);
}

bool cli_term_has_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < 3; i++) {
        if (!is_set(names[i])) continue;
        const char *dot = strchr(getenv(names[i]), '.');
        return dot && (strncasecmp(dot + 1, "utf-8", 5) == 0 || strncasecmp(dot + 1, "utf8", 4) == 0);
    }
    return false;
}

/*
 * Words that mean processes: digits are a pid, anything else is a name.
 */
#include "capture_targets.h"

#include <stdlib.h>
#include <string.h>

#include "report_error.h"

static bool is_pid(const char *word)
{
    return word[0] != 0 && word[strspn(word, "0123456789")] == 0;
}

static void add(long *pids, size_t *count, long pid)
{
    for (size_t i = 0; i < *count; i++)
        if (pids[i] == pid) return;
    if (*count < CLI_MOST_TARGETS) pids[(*count)++] = pid;
}

static bool add_named(const cli_app *cli, long *pids, size_t *count, const char *name)
{
    long found[CLI_MOST_TARGETS];
    size_t all = 0;
    hsd_error err;
    hsd_error_init(&err);
    if (hsd_process_find(found, CLI_MOST_TARGETS, &all, name, &err) != HSD_OK) {
        cli_report_error(cli, &err);
        return false;
    }
    if (all == 0) cli_complain("there is no process called '%s'.", name);
    if (all > CLI_MOST_TARGETS)
        cli_complain("%zu processes are called '%s', and at most %d are captured at once: name their pids.", all, name, CLI_MOST_TARGETS);
    for (size_t i = 0; i < all && all <= CLI_MOST_TARGETS; i++)
        add(pids, count, found[i]);
    return all > 0 && all <= CLI_MOST_TARGETS;
}

bool cli_find_targets(const cli_app *cli, long pids[CLI_MOST_TARGETS], size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < cli->input_count; i++) {
        const char *word = cli->inputs[i];
        if (!is_pid(word)) {
            if (!add_named(cli, pids, count, word)) return false;
            continue;
        }
        const unsigned long pid = strtoul(word, NULL, 10);
        if (pid == 0 || pid > INT32_MAX) {
            cli_complain("'%s' is no pid.", word);
            return false;
        }
        add(pids, count, (long)pid);
    }
    return true;
}

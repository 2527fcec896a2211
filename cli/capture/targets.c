/*
 * Words that mean processes: digits are a pid, anything else is a name. And families of them, as /proc tells who
 * started whom.
 */
#include "capture/targets.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report_error.h"

enum { SHOWN_LIKE_IT = 8 };

static bool is_pid(const char *word) { return word[0] != 0 && word[strspn(word, "0123456789")] == 0; }

static void add_capture_target(long *pids, size_t *count, long pid)
{
    for (size_t i = 0; i < *count; i++)
        if (pids[i] == pid) return;
    if (*count < CLI_MOST_TARGETS) pids[(*count)++] = pid;
}

/* Programs whose name only holds the word, or whose container or unit is called so. */
typedef struct likeness {
    hsd_process found[SHOWN_LIKE_IT];
    size_t count;
} likeness;

static bool note_like_it(void *context, const hsd_listed_process *one)
{
    likeness *all = context;
    if (all->count < SHOWN_LIKE_IT) all->found[all->count] = one->process;
    all->count++;
    return true;
}

/* ":8080", "localhost:8080", "http://localhost:8080/": somebody knows where it listens. The number; 0 = it is none. */
static unsigned long port_of(const char *name)
{
    const char *colon = strrchr(name, ':');
    char *end;
    if (colon == NULL || colon[1] < '1' || colon[1] > '9') return 0;
    const unsigned long port = strtoul(colon + 1, &end, 10);
    return port <= UINT16_MAX && (*end == '\0' || *end == '/') ? port : 0;
}

static void tell_there_is_none(const char *name)
{
    const unsigned long port = port_of(name);
    if (port > 0)
        cli_complain("'%s' is an address, and hsdiff takes a pid or a name. Who listens there: ss -ltnp 'sport = :%lu'",
                     name, port);
    else
        cli_complain("there is no process called '%s'. hsdiff ps shows what can be captured.", name);
}

/* The only one is meant; of several none is chosen. */
static bool add_like_it(const cli_app *cli, long *pids, size_t *count, const char *name)
{
    likeness all = {.count = 0};
    hsd_error err;
    hsd_error_init(&err);
    if (hsd_process_list(name, note_like_it, &all, &err) != HSD_OK) {
        cli_report_error(cli, &err);
        return false;
    }
    if (all.count == 0) tell_there_is_none(name);
    if (all.count == 1) add_capture_target(pids, count, all.found[0].pid);
    if (all.count > 1)
        cli_complain("no process is called '%s', and %zu have that in their name: name one of them.", name, all.count);
    for (size_t i = 0; all.count > 1 && i < all.count && i < SHOWN_LIKE_IT; i++)
        cli_note(cli, "  %ld  %s (%s)", all.found[i].pid, all.found[i].name, all.found[i].runtime);
    if (all.count > SHOWN_LIKE_IT) cli_note(cli, "  and %zu more: hsdiff ps '%s'", all.count - SHOWN_LIKE_IT, name);
    return all.count == 1;
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
    if (all == 0) return add_like_it(cli, pids, count, name);
    if (all > CLI_MOST_TARGETS)
        cli_complain("%zu processes are called '%s', and at most %d are captured at once: name their pids.", all, name,
                     CLI_MOST_TARGETS);
    for (size_t i = 0; i < all && all <= CLI_MOST_TARGETS; i++)
        add_capture_target(pids, count, found[i]);
    return all <= CLI_MOST_TARGETS;
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
        add_capture_target(pids, count, (long)pid);
    }
    return true;
}

bool cli_are_names(const cli_app *cli)
{
    for (size_t i = 0; i < cli->input_count; i++)
        if (is_pid(cli->inputs[i])) return false;
    return true;
}

/* ---- descendants ---- */

enum { MOST_GENERATIONS = 64 };

/* Who started it; 0 when it is gone. The name in front may hold anything, also brackets. */
static long parent_of(long pid)
{
    char path[48], line[512];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    const size_t size = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[size] = 0;
    const char *behind = strrchr(line, ')');
    return behind && strlen(behind) > 4 ? strtol(behind + 4, NULL, 10) : 0;
}

static bool is_descendant(long pid, long ancestor)
{
    for (int generation = 0; generation < MOST_GENERATIONS && pid > 1; generation++) {
        pid = parent_of(pid);
        if (pid == ancestor) return true;
    }
    return false;
}

static int by_number(const void *a, const void *b)
{
    const long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

size_t cli_add_descendants(long pids[CLI_MOST_TARGETS], size_t count, long ancestor)
{
    const size_t known = count;
    DIR *processes = opendir("/proc");
    if (!processes) return count;
    for (const struct dirent *entry; (entry = readdir(processes)) && count < CLI_MOST_TARGETS;)
        if (is_pid(entry->d_name) && is_descendant(strtol(entry->d_name, NULL, 10), ancestor))
            add_capture_target(pids, &count, strtol(entry->d_name, NULL, 10));
    closedir(processes);
    qsort(pids + known, count - known, sizeof *pids, by_number);
    return count;
}

/* ---- ways ---- */

bool cli_knows_way(const cli_app *cli)
{
    char all[256] = "";
    size_t used = 0;
    for (size_t i = 0; cli->options.way && hsd_way_name(i); i++) {
        if (strcmp(hsd_way_name(i), cli->options.way) == 0) return true;
        const int size = snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "", hsd_way_name(i));
        if (size < 0 || (size_t)size >= sizeof all - used) break;
        used += (size_t)size;
    }
    if (cli->options.way) cli_complain("--way takes one of %s, not '%s'.", all, cli->options.way);
    return !cli->options.way;
}

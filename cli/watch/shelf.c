/*
 * Files of captures that come and go. Only what this run has made is ever deleted.
 */
#include "watch/shelf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report_error.h"
#include "watch/rules.h"

enum { MOST_FOLDERS = 1000, MOST_NUMBERS = 100000 };

/* ---- folders ---- */

static bool fail_folder(const cli_app *cli, const char *path, int error, int *result)
{
    hsd_error err;
    hsd_error_init(&err);
    hsd_fail_errno(&err, error, "cannot be made");
    hsd_error_set_file(&err, path);
    *result = cli_report_error(cli, &err);
    return false;
}

/* -o with a folder that ends in a slash, for the names of captures. */
static cli_app naming_into(const cli_app *cli, const char *folder)
{
    cli_app named = *cli;
    named.options.output = folder;
    return named;
}

/* "shop-4121/": a capture's own name without its number. */
static bool usual_folder(char *out, const cli_app *cli, const hsd_process *process, unsigned number)
{
    char pattern[32];
    snprintf(pattern, sizeof pattern, number == 1 ? "%%n-%%p/" : "%%n-%%p-%u/", number);
    const cli_app named = naming_into(cli, pattern);
    return cli_capture_name(out, &named, process, 1, CLI_CAPTURE_ALONE);
}

static int make_usual(cli_shelf *shelf, const cli_app *cli, const hsd_process *process)
{
    for (unsigned number = 1; number <= MOST_FOLDERS; number++) {
        if (!usual_folder(shelf->folder, cli, process, number)) return ENAMETOOLONG;
        if (mkdir(shelf->folder, 0700) == 0) return 0;
        if (errno != EEXIST) return errno;
    }
    return EEXIST;
}

static int make_asked(cli_shelf *shelf, const char *asked)
{
    const size_t size = strlen(asked);
    if (size == 0) return ENOENT;
    if (snprintf(shelf->folder, sizeof shelf->folder, "%s%s", asked, asked[size - 1] == '/' ? "" : "/") >=
        (int)sizeof shelf->folder)
        return ENAMETOOLONG;
    return mkdir(shelf->folder, 0700) == 0 || errno == EEXIST ? 0 : errno;
}

bool cli_shelf_open(cli_shelf *shelf, const cli_app *cli, const hsd_process *process, const char *asked, int *result)
{
    char sums[CLI_PATH_BYTES + 8];
    shelf->rows = calloc(CLI_MOST_SUMS + 1, sizeof *shelf->rows);
    if (shelf->rows == NULL) {
        cli_complain("out of memory.");
        *result = CLI_SYSTEM;
        return false;
    }
    const int error = asked == NULL ? make_usual(shelf, cli, process) : make_asked(shelf, asked);
    if (error != 0) return fail_folder(cli, asked == NULL ? shelf->folder : asked, error, result);
    snprintf(sums, sizeof sums, "%ssums", shelf->folder);
    if (mkdir(sums, 0700) != 0 && errno != EEXIST) return fail_folder(cli, sums, errno, result);
    return true;
}

void cli_shelf_close(cli_shelf *shelf)
{
    char sums[CLI_PATH_BYTES + 8];
    if (shelf->rows != NULL &&
        shelf->taken == 0) { /* folders in which nothing is; of one that was there, whatever is in it stays */
        snprintf(sums, sizeof sums, "%ssums", shelf->folder);
        rmdir(sums);
        rmdir(shelf->folder);
    }
    free(shelf->rows);
    shelf->rows = NULL;
}

/* ---- names ---- */

bool cli_shelf_name(cli_shelf *shelf, const cli_app *cli, const hsd_process *process, cli_shelved *next)
{
    char sums[CLI_PATH_BYTES + 8];
    const cli_app captures = naming_into(cli, shelf->folder);
    snprintf(sums, sizeof sums, "%ssums/", shelf->folder);
    const cli_app baselines = naming_into(cli, sums);
    for (uint64_t number = shelf->taken + 1; number < MOST_NUMBERS; number++) {
        if (!cli_capture_name(next->capture, &captures, process, number, CLI_CAPTURES_OF_ONE)) return false;
        if (!cli_capture_name(next->sums, &baselines, process, number, CLI_CAPTURES_OF_ONE)) return false;
        if (access(next->capture, F_OK) != 0 && access(next->sums, F_OK) != 0) return true;
    }
    cli_complain("%s is full: there are captures of all numbers up to %d.", shelf->folder, MOST_NUMBERS);
    return false;
}

/* ---- thinning ---- */

/* Of those whose capture is there, or of all. The row in the shelf; its count if all stay. */
static size_t find_superfluous(const cli_shelf *shelf, bool of_captures)
{
    uint64_t times[CLI_MOST_SUMS + 1] = {0};
    bool stays[CLI_MOST_SUMS + 1] = {false};
    size_t rows[CLI_MOST_SUMS + 1], count = 0;
    for (size_t i = 0; i < shelf->count; i++) {
        if (of_captures && shelf->rows[i].capture[0] == '\0') continue;
        times[count] = shelf->rows[i].taken_ns;
        stays[count] = i == shelf->warmup;
        rows[count++] = i;
    }
    const size_t found = cli_watch_thin(times, stays, count);
    return found < count ? rows[found] : shelf->count;
}

static size_t count_captures(const cli_shelf *shelf)
{
    size_t count = 0;
    for (size_t i = 0; i < shelf->count; i++)
        count += shelf->rows[i].capture[0] != '\0';
    return count;
}

static void drop_capture(cli_shelved *row)
{
    if (row->capture[0] != '\0') unlink(row->capture);
    row->capture[0] = '\0';
}

static void drop_row(cli_shelf *shelf, size_t row)
{
    drop_capture(&shelf->rows[row]);
    unlink(shelf->rows[row].sums);
    memmove(&shelf->rows[row], &shelf->rows[row + 1], (shelf->count - row - 1) * sizeof *shelf->rows);
    shelf->count--;
    if (row < shelf->warmup) shelf->warmup--;
}

void cli_shelf_add(cli_shelf *shelf, const cli_shelved *next)
{
    shelf->rows[shelf->count++] = *next;
    shelf->taken++;
    size_t row;
    if (count_captures(shelf) > shelf->keep && (row = find_superfluous(shelf, true)) < shelf->count)
        drop_capture(&shelf->rows[row]);
    if (shelf->count > CLI_MOST_SUMS && (row = find_superfluous(shelf, false)) < shelf->count) drop_row(shelf, row);
}

bool cli_shelf_ends(const cli_shelf *shelf, const char **first, const char **last)
{
    size_t from = shelf->warmup < shelf->count ? shelf->warmup : 0, to = shelf->count;
    while (from < shelf->count && shelf->rows[from].capture[0] == '\0')
        from++;
    while (to > 0 && shelf->rows[to - 1].capture[0] == '\0')
        to--;
    if (to < 2 || from >= to - 1) from = 0; /* before the warm-up is over: what there is */
    if (to < 2 || shelf->rows[from].capture[0] == '\0') return false;
    *first = shelf->rows[from].capture;
    *last = shelf->rows[to - 1].capture;
    return true;
}

/*
 * What each command may do, as a table; and from its row and the options, the paths of this run and what may be done
 * there.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options/config.h"
#include "sandbox/parts.h"
#include <hsdiff/fleet.h>

#define READER (MAY_WRITE_RESULTS | MAY_READ_PROGRAMS)

/* The first row of a command that fits is its own. A command without a row fails a test. */
static const sandbox_policy table[] = {
    {.command = "diff", .may = READER},
    {.command = "check", .may = READER | MAY_READ_RULES},
    {.command = "series", .may = READER},
    {.command = "baseline", .may = READER},
    {.command = "top", .may = READER},
    {.command = "paths", .may = READER},
    {.command = "sql", .may = READER},
    {.command = "import", .may = READER | ENTERS_LATE}, /* --pid looks at a process */
    {.command = "export", .may = READER},
    {.command = "info", .may = READER},
    {.command = "dump", .may = READER},
    {.command = "verify", .may = MAY_WRITE_RESULTS},
    {.command = "salvage", .may = MAY_WRITE_RESULTS},
    {.command = "redact", .may = READER | MAY_READ_KEY},
    {.command = "unredact", .may = READER | MAY_READ_KEY},
    {.command = "symbolize", .may = MAY_WRITE_RESULTS | MAY_READ_SYMBOLS},
    {.command = "view", .may = READER | MAY_LISTEN | ENTERS_LATE},
    {.command = "mcp", .may = MAY_READ_FOLDERS},
    {.command = "fleet", .action = "add", .may = READER | MAY_WRITE_STORE | ENTERS_LATE}, /* psql is started before */
    {.command = "fleet", .may = MAY_WRITE_RESULTS | MAY_WRITE_STORE | MAY_RUN_DUCKDB},
    {.command = "capture", .is_open = true, .why_open = "it attaches to programs and starts them"},
    {.command = "watch", .is_open = true, .why_open = "it attaches to programs"},
    {.command = "ps", .is_open = true, .why_open = "it looks at other processes, and reads no dump"},
    {.command = "receive", .is_open = true, .why_open = "it reads what agents of this user send"},
    {.command = "sign", .is_open = true, .why_open = "it parses nothing of what it signs"},
    {.command = "demo", .is_open = true, .why_open = "it reads what it wrote itself"},
    {.command = "help", .is_open = true, .why_open = "it reads nothing"},
};

static const sandbox_policy of_spawning_mcp = {
    .command = "mcp", .is_open = true, .why_open = "--allow-capture starts hsdiff capture"};
static const sandbox_policy of_distant_store = {.command = "fleet",
                                                .may = MAY_WRITE_RESULTS | MAY_RUN_DUCKDB | MAY_CONNECT};
static const sandbox_policy of_adding_to_bucket = {
    .command = "fleet", .may = READER | MAY_WRITE_STORE | MAY_RUN_DUCKDB | MAY_CONNECT | ENTERS_LATE};
static const sandbox_policy unknown = {.is_open = true, .why_open = "it has no policy"};

/* A database or a bucket; NULL = the row of the table. Adding to a database needs nothing more: psql is there by then.
 */
static const sandbox_policy *policy_of_store(const cli_app *cli)
{
    if (strcmp(cli->command->name, "fleet") != 0 || cli->input_count < 2) return NULL;
    const bool adds = strcmp(cli->inputs[0], "add") == 0;
    const hsd_fleet_where where = hsd_fleet_where_is(cli->inputs[1]);
    if (where == HSD_FLEET_FOLDER || (adds && where == HSD_FLEET_DATABASE)) return NULL;
    return adds ? &of_adding_to_bucket : &of_distant_store;
}

const sandbox_policy *sandbox_policy_of(const cli_app *cli)
{
    if (cli->options.mcp.allow_capture) return &of_spawning_mcp;
    const sandbox_policy *of_store = policy_of_store(cli);
    if (of_store) return of_store;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const char *action = table[i].action;
        if (strcmp(table[i].command, cli->command->name) != 0) continue;
        if (!action || (cli->input_count > 0 && strcmp(cli->inputs[0], action) == 0)) return &table[i];
    }
    return &unknown;
}

/* ---- the paths of a run ---- */

/* The folder in which a file lies. False when its name is too long to be one. */
static bool folder_of(char folder[PATH_MAX], const char *path)
{
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/')
        size--;
    while (size > 0 && path[size - 1] != '/')
        size--;
    if (size >= PATH_MAX) return false;
    memcpy(folder, size > 0 ? path : ".", size > 0 ? size : 1);
    folder[size > 0 ? size : 1] = 0;
    return true;
}

static bool is_in_place(const char *path)
{
    struct stat what;
    return stat(path, &what) == 0 && (S_ISCHR(what.st_mode) || S_ISFIFO(what.st_mode));
}

/* Is told each file that the options name for a result. */
typedef void (*result_fn)(void *context, const char *path);

static void visit_results(const cli_app *cli, result_fn tell, void *context)
{
    const cli_options *options = &cli->options;
    const char *plain[] = {
        options->output,
        options->html,
        options->diff.objects,
        options->one.retained,
        options->redact.report,
        options->redact.new_key,
        options->check.init && !options->output ? CLI_CONFIG_NAME : NULL,
        options->check.update_baseline && cli->input_count > 0 ? cli->inputs[0] : NULL,
    };
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (plain[i] && strcmp(plain[i], "-") != 0) tell(context, plain[i]);
    for (size_t i = 0; i < options->also_count; i++) {
        const char *equals = strchr(options->also[i], '=');
        if (equals && strcmp(equals + 1, "-") != 0) tell(context, equals + 1);
    }
}

static void note_in_place(void *context, const char *path)
{
    bool *found = context;
    *found = *found || is_in_place(path);
}

bool sandbox_writes_in_place(const cli_app *cli)
{
    bool found = false;
    visit_results(cli, note_in_place, &found);
    return found;
}

typedef struct telling {
    sandbox_path_fn tell;
    void *context;
} telling;

static void tell_result(void *context, const char *path)
{
    const telling *to = context;
    char folder[PATH_MAX];
    if (is_in_place(path))
        to->tell(to->context, path, SANDBOX_WRITE_FILE);
    else if (folder_of(folder, path))
        to->tell(to->context, folder, SANDBOX_RESULTS);
}

/* By its first four bytes, of a file that can be read here and there; nothing else is made of them. */
static bool file_begins_with(const char *path, const char magic[4])
{
    char begin[4];
    struct stat what;
    const bool is_stdin = strcmp(path, "-") == 0;
    if ((is_stdin ? fstat(STDIN_FILENO, &what) : stat(path, &what)) != 0 || !S_ISREG(what.st_mode)) return false;
    const int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    const bool is_one = fd >= 0 && pread(fd, begin, sizeof begin, 0) == (ssize_t)sizeof begin &&
                        memcmp(begin, magic, sizeof begin) == 0;
    if (!is_stdin && fd >= 0) close(fd);
    return is_one;
}

/* A core is an ELF file. */
static bool is_core(const char *path)
{
    return file_begins_with(path, "\x7f"
                                  "ELF");
}

/* A snapshot of V8 names its scripts, beside which source maps may be. What is packed is told by its name. */
static bool is_v8_snapshot(const char *path)
{
    return file_begins_with(path, "{\"sn") || strstr(path, ".heapsnapshot") || strstr(path, ".heaptimeline");
}

/* Not the root, and not somebody's home: much more than a project lies there. */
static bool is_folder_of_project(void)
{
    struct stat here, other;
    const char *const home = getenv("HOME");
    if (stat(".", &here) != 0) return false;
    if (stat("/", &other) != 0 || (other.st_dev == here.st_dev && other.st_ino == here.st_ino)) return false;
    return home == NULL || stat(home, &other) != 0 || other.st_dev != here.st_dev || other.st_ino != here.st_ino;
}

/* Source maps of a project are looked for where hsdiff is started, and nowhere else. */
static void tell_maps(const cli_app *cli, const telling *to)
{
    for (size_t i = 0; i < cli->input_count && is_folder_of_project(); i++)
        if (is_v8_snapshot(cli->inputs[i])) {
            to->tell(to->context, ".", SANDBOX_READ);
            return;
        }
}

static void tell_programs(const cli_app *cli, const telling *to)
{
    const char *program = cli->options.executable;
    tell_maps(cli, to);
    if (program) to->tell(to->context, program, SANDBOX_READ_FILE);
    for (size_t i = 0; !program && i < cli->input_count; i++)
        if (is_core(cli->inputs[i])) {
            to->tell(to->context, "/", SANDBOX_READ);
            return;
        }
}

/* The files that a process has mapped are those of its root, which can be any. */
static void tell_symbols(const cli_app *cli, const telling *to)
{
    const cli_options *options = &cli->options;
    to->tell(to->context, "/usr/lib/debug", SANDBOX_READ);
    for (size_t i = 0; i < options->symbol_count; i++)
        to->tell(to->context, options->symbols[i], SANDBOX_READ);
    if (options->pid > 0) to->tell(to->context, "/", SANDBOX_READ);
}

/* What DuckDB has no memory for, and batches for a bucket, are folders in the temporary one. It is not asked where
 * captures are added to a folder, and in a database the server has its own. */
static sandbox_right temporary_right(const cli_app *cli)
{
    if (strcmp(cli->command->name, "fleet") != 0 || cli->input_count < 2) return SANDBOX_TEMPORARY;
    const hsd_fleet_where where = hsd_fleet_where_is(cli->inputs[1]);
    const bool makes_folders =
        where == HSD_FLEET_BUCKET || (where == HSD_FLEET_FOLDER && strcmp(cli->inputs[0], "add") != 0);
    return makes_folders ? SANDBOX_RESULTS : SANDBOX_TEMPORARY;
}

static void tell_temporary(const cli_app *cli, const telling *to)
{
    const hsd_run run = {.temp_dir = cli->options.temp_dir};
    to->tell(to->context, hsd_run_temp_dir(&run), temporary_right(cli));
}

static void tell_store(const cli_app *cli, const telling *to)
{
    char folder[PATH_MAX];
    const char *store = cli->input_count > 1 ? cli->inputs[1] : NULL;
    if (!store || hsd_fleet_where_is(store) != HSD_FLEET_FOLDER) return;
    if (access(store, F_OK) == 0)
        to->tell(to->context, store, SANDBOX_RESULTS);
    else if (folder_of(folder, store))
        to->tell(to->context, folder, SANDBOX_RESULTS);
}

static void tell_folders(const cli_app *cli, const telling *to)
{
    if (cli->options.mcp.folder_count == 0) to->tell(to->context, ".", SANDBOX_READ);
    for (size_t i = 0; i < cli->options.mcp.folder_count; i++)
        to->tell(to->context, cli->options.mcp.folders[i], SANDBOX_READ);
}

/* What libc looks at late: how many processors there are. */
static void tell_system(const sandbox_policy *policy, const telling *to)
{
    to->tell(to->context, "/sys/devices/system/cpu", SANDBOX_READ);
    if ((policy->may & MAY_LISTEN) != 0) to->tell(to->context, "/proc/self", SANDBOX_READ); /* whose a connection is */
    if ((policy->may & MAY_RUN_DUCKDB) != 0) {
        to->tell(to->context, "/", SANDBOX_RUN);
        to->tell(to->context, "/dev/null", SANDBOX_WRITE_FILE);
    }
#ifdef IS_CHECKED_BUILD
    to->tell(to->context, "/proc", SANDBOX_READ);
    to->tell(to->context, "/usr", SANDBOX_RUN);
#endif
}

void sandbox_paths_of(const sandbox_policy *policy, const cli_app *cli, sandbox_path_fn tell, void *context)
{
    telling to = {.tell = tell, .context = context};
    tell_system(policy, &to);
    tell_temporary(cli, &to);
    for (size_t i = 0; i < cli->input_count; i++)
        if (strcmp(cli->inputs[i], "-") != 0) tell(context, cli->inputs[i], SANDBOX_READ_FILE);
    if ((policy->may & MAY_WRITE_RESULTS) != 0) visit_results(cli, tell_result, &to);
    if ((policy->may & MAY_READ_PROGRAMS) != 0) tell_programs(cli, &to);
    if ((policy->may & MAY_READ_SYMBOLS) != 0) tell_symbols(cli, &to);
    if ((policy->may & MAY_WRITE_STORE) != 0) tell_store(cli, &to);
    if ((policy->may & MAY_READ_FOLDERS) != 0) tell_folders(cli, &to);
    if ((policy->may & MAY_READ_KEY) != 0 && cli->options.redact.key)
        tell(context, cli->options.redact.key, SANDBOX_READ_FILE);
    if ((policy->may & MAY_READ_RULES) != 0)
        tell(context, cli->options.check.config ? cli->options.check.config : CLI_CONFIG_NAME, SANDBOX_READ_FILE);
}

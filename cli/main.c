/*
 * hsdiff: from the command line to an exit status. Makes the descriptors sound, reads the options, sets the
 * conditions of the run and hands over to the command.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef HSD_HAVE_MIMALLOC
#include <mimalloc.h> /* linking it replaces malloc; the call below keeps it linked */
#endif

#include "cache.h"
#include "help/help.h"
#include "help/nearest.h"
#include "huge.h"
#include "keys.h"
#include "options/command_line.h"
#include "options/options.h"
#include "out.h"
#include "outlets.h"
#include "progress.h"
#include "report_error.h"
#include "sandbox/sandbox.h"
#include "signals.h"
#include "stages.h"
#include <hsdiff/series.h>

#define LINE_BYTES     4096
#define SHORT_NS       UINT64_C(500000000)
#define SHORT_DELAY_MS 500
#define USUAL_DELAY_MS 25 /* mimalloc's own */
#define AMPLE_BYTES    ((uint64_t)512 << 20)
#define STACK_BYTES    (UINT64_C(256) << 10) /* that a command may take, of each thread */

/* A standard descriptor that is closed would become the next file that is opened: its place is taken by
 * one from which nothing can be read, or to which nothing can be written. */
static void occupy_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
}

/* ---- memory that was freed ---- */

/*
 * The allocator gives freed memory to the system after 25 ms, and whoever takes some next gets it page by page, each
 * cleared: of a command of a few hundred milliseconds this was a tenth of its time. So in the beginning it waits
 * longer, where memory is ample; a command that takes longer comes to need what others gave back, and gets all of it at
 * once. Where memory is short it waits not at all: what one stage freed would stand beside what the next one may take.
 */
static bool is_freed_kept;

static uint64_t processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* MIMALLOC_DECOMMIT_DELAY of the environment goes before. */
static void set_delay(long delay_ms)
{
#if defined(HSD_HAVE_MIMALLOC) && MI_MALLOC_VERSION >= 210
    mi_option_set_default(mi_option_purge_delay, delay_ms);
#elif defined(HSD_HAVE_MIMALLOC) && MI_MALLOC_VERSION >= 200
    mi_option_set_default(mi_option_decommit_delay, delay_ms);
#else
    (void)delay_ms;
#endif
}

/* What waits already would go on waiting for as long as was said when it was freed. */
static void give_freed(void)
{
#ifdef HSD_HAVE_MIMALLOC
    mi_collect(true);
#endif
}

static void keep_freed(uint64_t memory_bytes)
{
    is_freed_kept = memory_bytes >= AMPLE_BYTES;
    set_delay(is_freed_kept ? SHORT_DELAY_MS : 0);
}

/* Told one call at a time, some times a second, in every stage. */
static bool tell_progress(void *context, const char *stage, uint64_t done, uint64_t total)
{
    if (is_freed_kept && processor_ns() > SHORT_NS) {
        is_freed_kept = false;
        set_delay(USUAL_DELAY_MS);
        give_freed();
    }
    return cli_progress_tell(context, stage, done, total);
}

/* ---- what is no command: help, version, pages ---- */

typedef void (*print_fn)(cli_out *out, const cli_app *cli);

static void print_short(cli_out *out, const cli_app *cli)
{
    (void)cli;
    cli_print_short_help(out);
}

static void print_help(cli_out *out, const cli_app *cli)
{
    if (cli->is_named)
        cli_print_command_help(out, cli->command);
    else
        cli_print_help(out);
}

static void print_version(cli_out *out, const cli_app *cli)
{
    (void)cli;
    cli_print_version(out);
#ifdef HSD_HAVE_MIMALLOC
    if (cli->options.verbose) cli_out_format(out, "\nAllocator: mimalloc %d\n", mi_version());
#endif
}

static void print_generated(cli_out *out, const cli_app *cli)
{
    if (strcmp(cli->options.generate, "man") == 0)
        cli_print_manual(out, cli->is_named ? cli->command : NULL);
    else if (strcmp(cli->options.generate, "man-formats") == 0)
        cli_print_formats_manual(out);
    else
        cli_print_completion(out, cli->options.generate);
}

static int print_page(const cli_app *cli, print_fn print)
{
    cli_out out;
    int result = CLI_DONE;
    if (!cli_out_open(&out, cli, &result)) return result;
    print(&out, cli);
    return cli_out_close(&out, cli, result);
}

static bool is_generator(const char *what)
{
    return strcmp(what, "man") == 0 || strcmp(what, "man-formats") == 0 || strcmp(what, "complete-bash") == 0 ||
           strcmp(what, "complete-zsh") == 0 || strcmp(what, "complete-fish") == 0;
}

/* ---- commands ---- */

static bool consists_of(const char *word, const char *letters) { return word[strspn(word, letters)] == 0; }

/* The first word names a command, or is a file, or looks like neither. */
static bool is_input(const cli_app *cli)
{
    const char *word = cli->input_count > 0 ? cli->inputs[0] : "-";
    if (cli->is_named || strcmp(word, "-") == 0 || access(word, F_OK) == 0) return true;
    const cli_command *near = cli_command_near(word);
    const bool is_word =
        strlen(word) >= 3 && consists_of(word, "abcdefghijklmnopqrstuvwxyz"); /* captures have a suffix */
    if (near)
        cli_complain("'%s' is neither a command nor a file; did you mean hsdiff %s?", word, near->name);
    else if (cli->input_count == 1 && consists_of(word, "0123456789"))
        cli_complain("'%s' is neither a command nor a file; of a process of that number, hsdiff capture %s takes a "
                     "capture.",
                     word, word);
    else if (cli->input_count == 1 || is_word)
        cli_complain("'%s' is neither a command nor a file.", word);
    return !near && cli->input_count > 1 && !is_word;
}

/* --help behind a word that is nearly a command. */
static bool is_help_of_nothing(const cli_app *cli)
{
    const char *word = cli->input_count > 0 && !cli->is_named ? cli->inputs[0] : "-";
    const cli_command *near = access(word, F_OK) != 0 ? cli_command_near(word) : NULL;
    if (near) cli_complain("there is no command '%s'; did you mean hsdiff help %s?", word, near->name);
    return near != NULL;
}

/* A folder of captures is no capture: how those in it are named. */
static void complain_of_folder(const cli_app *cli)
{
    char word[LINE_BYTES];
    const char *path = cli->inputs[0];
    const size_t size = strlen(path);
    hsd_escape(HSD_ESCAPE_SHELL, path, size, word, sizeof word);
    cli_complain("'%s' is a folder; hsdiff compares files, two or more of them: hsdiff %s%s%s%s*.hs", path,
                 cli->is_named ? cli->command->name : "", cli->is_named ? " " : "", word,
                 path[size - 1] == '/' ? "" : "/");
}

/* One capture is compared with nothing: what can be asked of it. */
static void complain_of_one(const cli_app *cli)
{
    char word[LINE_BYTES];
    const char *path = cli->inputs[0];
    hsd_escape(HSD_ESCAPE_SHELL, path, strlen(path), word, sizeof word);
    cli_complain("a second input is missing: hsdiff %s%s%s; what is in one alone: hsdiff top %s",
                 cli->is_named ? cli->command->name : "", cli->is_named ? " " : "", cli->command->synopsis, word);
}

static void complain_of_few(const cli_app *cli)
{
    struct stat file;
    const cli_command *command = cli->command;
    const bool is_one = cli->input_count == 1 && command->inputs_min == 2 && command->inputs_max == HSD_SERIES_MOST;
    if (is_one && stat(cli->inputs[0], &file) == 0 && S_ISDIR(file.st_mode))
        complain_of_folder(cli);
    else if (command == cli_command_get(0) && cli->input_count == 1)
        complain_of_one(cli);
    else
        cli_complain("%s is missing: hsdiff %s%s%s", cli->input_count == 0 ? "an input" : "a second input",
                     cli->is_named ? command->name : "", cli->is_named ? " " : "", command->synopsis);
}

static bool has_right_inputs(const cli_app *cli)
{
    const cli_command *command = cli->command;
    if (!is_input(cli)) return false;
    if (cli->input_count >= command->inputs_min && cli->input_count <= command->inputs_max) return true;
    if (cli->input_count < command->inputs_min)
        complain_of_few(cli);
    else if (command->inputs_max == 0)
        cli_complain("hsdiff %s takes no input, and %zu %s given: hsdiff %s %s", command->name, cli->input_count,
                     cli->input_count == 1 ? "was" : "were", command->name, command->synopsis);
    else
        cli_complain("hsdiff %s takes %s, and %zu were given.", command->name,
                     command->inputs_max == 1   ? "one input"
                     : command->inputs_max == 2 ? "two inputs"
                     : command->inputs_max == 3 ? "at most three inputs"
                                                : "at most 1,000 inputs",
                     cli->input_count);
    return false;
}

/* Nothing is written over what is read. */
static bool spares_inputs(const cli_app *cli)
{
    const char *file = cli->command->is_of_processes ? NULL : cli_find_input_overwritten(cli);
    if (file)
        cli_complain("%s is an input, and would be replaced by the result: give the result a file of its own.", file);
    return file == NULL;
}

/* Nothing is written twice into one file. */
static bool parts_outputs(const cli_app *cli)
{
    const char *file = cli_find_output_shared(cli);
    if (file) cli_complain("%s is named by two outputs: give each a file of its own.", file);
    return file == NULL;
}

/* --from names an importer of the library. */
static bool knows_format(const cli_app *cli)
{
    const char *wanted = cli->options.from;
    char names[512] = "";
    size_t used = 0;
    for (size_t i = 0; wanted && hsd_importer_get(i); i++) {
        const char *name = hsd_importer_get(i)->name;
        if (strcmp(name, wanted) == 0) return true;
        const int size = snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", name);
        if (size < 0 || (size_t)size >= sizeof names - used) break;
        used += (size_t)size;
    }
    if (wanted) cli_complain("--from takes one of %s, not '%s'.", names, wanted);
    return !wanted;
}

static bool prepare_run(cli_app *cli)
{
    const cli_options *options = &cli->options;
    cli->run = (hsd_run){.memory_bytes = options->memory_bytes ? options->memory_bytes : hsd_run_default_memory(),
                         .threads = (unsigned)options->threads,
                         .temp_dir = options->temp_dir,
                         .progress = tell_progress,
                         .note = cli_take_note,
                         .note_context = cli};
    cli_cache_find(&cli->cache, cli);
    keep_freed(cli->run.memory_bytes);
    if (cli->run.memory_bytes >= HSD_MEMORY_MIN_BYTES) return cli_stages_begin(cli);
    char least[HSD_NUMBER_CHARS];
    cli_complain("--memory must be at least %s.", hsd_format_bytes(least, HSD_MEMORY_MIN_BYTES));
    return false;
}

static int out_of_memory(void)
{
    fputs("hsdiff: out of memory.\n", stderr);
    return CLI_SYSTEM;
}

/* Threads have as much as the process. With less a command would die of a signal in the midst of its work. */
static hsd_status check_stack(hsd_error *err)
{
    struct rlimit limit;
    char text[HSD_NUMBER_CHARS];
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= STACK_BYTES)
        return HSD_OK;
    hsd_fail(err, HSD_E_NOMEM, "the stack of a process is limited to %s here: hsdiff needs 256 KiB",
             hsd_format_bytes(text, limit.rlim_cur));
    hsd_error_set_hint(err, "allow what is usual first: ulimit -s 8192");
    return HSD_E_NOMEM;
}

static int run_command(cli_app *cli)
{
    const cli_options *options = &cli->options;
    if (options->generate && !is_generator(options->generate)) {
        cli_complain("--generate takes man, man-formats, complete-bash, complete-zsh or complete-fish, not '%s'.",
                     options->generate);
        return CLI_USAGE;
    }
    if (options->generate) return print_page(cli, print_generated);
    if (options->help) return is_help_of_nothing(cli) ? CLI_USAGE : print_page(cli, print_help);
    if (options->version) return print_page(cli, print_version);
    if (cli->argc < 2) return print_page(cli, print_short);
    hsd_error err;
    hsd_error_init(&err);
    if (check_stack(&err) != HSD_OK) return cli_report_error(cli, &err);
    if (!has_right_inputs(cli) || !spares_inputs(cli) || !parts_outputs(cli)) return CLI_USAGE;
    if (!knows_format(cli) || !prepare_run(cli)) return CLI_USAGE;
    int keys = cli_take_keys(cli);
    if (keys == CLI_DONE) keys = cli_check_signature(cli);
    if (keys != CLI_DONE) return keys;
    cli->command_line = cli_command_line(cli);
    if (!cli->command_line) return out_of_memory();
    cli_progress_begin(cli);
    if (!cli->command->is_of_processes) cli_look_for_absent(cli);
    cli_become_huge(cli);
    if (!cli_sandbox_is_late(cli)) cli_sandbox_enter(cli);
    const int result = cli->command->run(cli);
    cli_stages_end(cli);
    return result == CLI_DONE && cli->saw_damage ? CLI_DAMAGED : result;
}

int main(int argc, char **argv)
{
    cli_app cli = {.argc = argc, .argv = argv};
    occupy_standard_descriptors();
    cli_signals_begin();
    const size_t word_count = (size_t)(argc > 0 ? argc : 1);
    const char **words = calloc(7 * word_count, sizeof *words);
    cli.given = calloc(word_count + CLI_OPTIONS_MAX, sizeof *cli.given);
    if (!words || !cli.given) {
        free(words);
        free(cli.given);
        return out_of_memory();
    }
    cli.inputs = words;
    cli.options.keys = words + word_count;
    cli.options.labels = words + 2 * word_count;
    cli.options.also = words + 3 * word_count;
    cli.options.symbols = words + 4 * word_count;
    cli.options.redact.keep = words + 5 * word_count;
    cli.options.encrypt_to = words + 6 * word_count;
    const int result = cli_parse(&cli) ? run_command(&cli) : CLI_USAGE;
    cli_forget_keys(&cli);
    free(words);
    free(cli.given);
    free(cli.command_line);
    cli_progress_clear();
    cli_signals_end();
    return result;
}

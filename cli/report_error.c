/*
 * Error messages in the form of the manual: one sentence that says what and where, a likely cause, the
 * commands to go on with, the most useful line last. No words of log levels, no raw bytes of foreign
 * names, nothing that the program does not know.
 */
#include "report_error.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "help/nearest.h"
#include "options/common.h"
#include "progress.h"
#include "signals.h"

#define LINE_BYTES 4096

static const char *topic; /* the command whose help usage errors name; NULL = none */

void cli_set_topic(const cli_command *command)
{
    const bool has_page = command && !command->shows_pages;
    topic = has_page ? command->name : NULL;
}

static void print_escaped(FILE *to, const char *text)
{
    char safe[LINE_BYTES];
    hsd_escape_terminal(safe, sizeof safe, text, strlen(text));
    fputs(safe, to);
}

static void print_line(const char *format, va_list arguments)
{
    char text[LINE_BYTES];
    vsnprintf(text, sizeof text, format, arguments);
    cli_progress_clear();
    fputs("hsdiff: ", stderr);
    print_escaped(stderr, text);
    fputs("\n", stderr);
}

void cli_complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
    fprintf(stderr, "To see what it can do: hsdiff %s%s\n", topic ? "help " : "--help", topic ? topic : "");
}

void cli_note(const cli_app *cli, const char *format, ...)
{
    if (cli->options.quiet) return;
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
}

/* One line of it, without its line feed. */
static void relay_line(const char *who, const char *line, size_t size)
{
    static const char own[] = "hsdiff: ", usage[] = "To see what it can do:";
    char text[LINE_BYTES];
    const bool is_own = size >= sizeof own - 1 && memcmp(line, own, sizeof own - 1) == 0;
    if (size == 0 || (size >= sizeof usage - 1 && memcmp(line, usage, sizeof usage - 1) == 0)) return;
    const size_t skipped = is_own ? sizeof own - 1 : 0;
    snprintf(text, sizeof text, "%s%s%s%.*s", is_own ? own : "", is_own ? who : "", is_own ? ": " : "",
             (int)(size - skipped), line + skipped);
    print_escaped(stderr, text);
    fputs("\n", stderr);
}

void cli_relay_said(const cli_app *cli, const char *who, const char *said, bool is_failure)
{
    if (cli->options.quiet && !is_failure) return;
    cli_progress_clear();
    while (*said != '\0') {
        const size_t size = strcspn(said, "\n");
        relay_line(who, said, size);
        said += size + (said[size] == '\n');
    }
}

void cli_take_note(void *context, hsd_note_level level, const char *text)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* two imports may tell at once */
    cli_app *cli = context;
    pthread_mutex_lock(&lock);
    /* It is why the exit status is not 0: told even with --quiet. */
    if (level == HSD_NOTE_DAMAGE) cli->saw_damage = true;
    if (level == HSD_NOTE_DETAIL ? cli->options.verbose : level == HSD_NOTE_DAMAGE || !cli->options.quiet) {
        cli_progress_clear();
        fputs(level == HSD_NOTE_DETAIL ? "  " : "hsdiff: ", stderr);
        print_escaped(stderr, text);
        fputs("\n", stderr);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- exit status ---- */

static bool is_input(const cli_app *cli, const char *file)
{
    for (size_t i = 0; i < cli->input_count; i++)
        if (strcmp(cli->inputs[i], file) == 0) return true;
    return false;
}

static bool is_refusal(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EISDIR || error == EACCES || error == EPERM ||
           error == ELOOP || error == ENAMETOOLONG || error == ENXIO || error == ENODEV || error == EINVAL;
}

static int status_of(const cli_app *cli, const hsd_error *err)
{
    switch (err->status) {
    case HSD_E_NOT_THIS_FORMAT:
    case HSD_E_TOO_NEW:
    case HSD_E_CORRUPT:
    case HSD_E_TRUNCATED:
    case HSD_E_UNSUPPORTED: return CLI_DAMAGED;
    case HSD_E_NOT_FOUND: return CLI_USAGE;
    case HSD_E_IO:
        if (err->sys_errno == EEXIST) return CLI_USAGE;
        return is_input(cli, err->file) && is_refusal(err->sys_errno) ? CLI_DAMAGED : CLI_SYSTEM;
    case HSD_OK:
    case HSD_END:
    case HSD_E_NOMEM:
    case HSD_E_OVER_BUDGET:
    case HSD_E_CANCELLED:
    case HSD_E_MISUSE: break;
    }
    return CLI_SYSTEM;
}

/* ---- what was wrong ---- */

/* "after.hs was cut off", but "after.hs: block 6 is damaged". */
static bool is_about_the_file(const char *text)
{
    static const char *const verbs[] = {"was ", "is ", "has ", "became ", "cannot be "};
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (strncmp(text, verbs[i], strlen(verbs[i])) == 0) return true;
    return false;
}

static void print_what(const hsd_error *err)
{
    const bool exists = err->status == HSD_E_IO && err->sys_errno == EEXIST;
    const char *text = exists ? "exists, and was not touched" : err->text[0] ? err->text : hsd_status_name(err->status);
    const size_t length = strlen(text);
    char number[HSD_NUMBER_CHARS];
    fputs("hsdiff: ", stderr);
    if (err->file[0]) {
        print_escaped(stderr, strcmp(err->file, "-") == 0 ? "standard input" : err->file);
        fputs(exists || is_about_the_file(text) ? " " : ": ", stderr);
    }
    print_escaped(stderr, text);
    if (err->offset_bytes != HSD_NO_OFFSET && !strstr(text, hsd_format_count(number, err->offset_bytes)))
        fprintf(stderr, ", at byte %s", number);
    fputs(text[length - 1] == '.' ? "\n" : ".\n", stderr);
}

/* As a sentence, whatever it was written as. */
static void print_hint(const char *hint)
{
    const size_t length = strlen(hint);
    const bool is_command = strncmp(hint, "hsdiff", 6) == 0 || hint[0] == '-';
    const char first[2] = {(char)(!is_command && hint[0] >= 'a' && hint[0] <= 'z' ? hint[0] - 32 : hint[0]), 0};
    fputs("  ", stderr);
    print_escaped(stderr, first);
    print_escaped(stderr, hint + 1);
    fputs(is_command || hint[length - 1] == '.' || hint[length - 1] == '?' ? "\n" : ".\n", stderr);
}

static struct { /* the first input that is not there, and what may have been meant: a file, or a command */
    const char *file;
    char near[LINE_BYTES / 2];
    bool is_command;
} absent;

/* hsdiff paths TYPE CAPTURE: what was meant. */
static bool put_paths_turned(char *out, size_t size, const cli_app *cli)
{
    char capture[LINE_BYTES / 4], type[LINE_BYTES / 4];
    if (cli->command != cli_command_find("paths") || access(cli->inputs[1], F_OK) != 0) return false;
    hsd_quote_shell(capture, sizeof capture, cli->inputs[1], strlen(cli->inputs[1]));
    hsd_quote_shell(type, sizeof type, cli->inputs[0], strlen(cli->inputs[0]));
    return snprintf(out, size, "hsdiff paths %s %s", capture, type) < (int)size;
}

void cli_look_for_absent(const cli_app *cli)
{
    for (size_t i = 0; i < cli->input_count && absent.file == NULL; i++) {
        const char *file = cli->inputs[i];
        if (strcmp(file, "-") == 0 || access(file, F_OK) == 0 || errno != ENOENT) continue;
        absent.file = file;
        absent.is_command = i == 0 && put_paths_turned(absent.near, sizeof absent.near, cli);
        if (!absent.is_command && !cli_file_near(absent.near, sizeof absent.near, file)) absent.near[0] = 0;
    }
}

/* What a name that is no file was meant as; NULL = as one. */
static const char *cause_of_absence(const char *file)
{
    static char word[LINE_BYTES], said[LINE_BYTES + 16];
    if (file[0] == '-') return "Arguments after -- are names of files; put options before it.";
    if (strstr(file, "://") != NULL) return "hsdiff reads files, and no addresses: fetch it first, as with curl -O.";
    if (strpbrk(file, "*?") != NULL)
        return "No file has a name like that: where a pattern fits none, the shell hands it on as it stands.";
    if (absent.file != NULL && strcmp(absent.file, file) == 0 && absent.near[0] != 0) {
        if (!absent.is_command) hsd_quote_shell(word, sizeof word, absent.near, strlen(absent.near));
        snprintf(said, sizeof said, "Did you mean %s?", absent.is_command ? absent.near : word);
        return said;
    }
    return NULL;
}

static const char *likely_cause(const cli_app *cli, const hsd_error *err)
{
    const bool of_input = is_input(cli, err->file);
    if (cli->command->is_of_processes) return NULL; /* it was no file */
    if (err->status == HSD_E_TRUNCATED)
        return "Usual causes: a full disk, a capture that was killed, an upload that stopped.";
    if (err->status == HSD_E_CORRUPT)
        return "Usual causes: a failing disk, a bad copy, an upload in text mode. Compare it with "
               "the original.";
    if (err->status == HSD_E_TOO_NEW) return "It was written by a newer hsdiff than this one.";
    if (err->status == HSD_E_IO && err->sys_errno == EACCES && of_input)
        return "Captures and dumps are made readable for their owner alone.";
    if (err->status == HSD_E_IO && err->sys_errno == EISDIR && of_input)
        return "A capture is one file, not a folder: name the files in it, such as FOLDER/*.hs.";
    if (err->status == HSD_E_IO && err->sys_errno == ENOENT && of_input) return cause_of_absence(err->file);
    return NULL;
}

/* ---- what to do ---- */

/* True for an option like `option` of the command line: both "--memory 16M" and "--memory=16M". */
static bool is_same_option(const char *word, const char *option)
{
    const size_t size = strcspn(option, " ");
    return strncmp(word, option, size) == 0 && (word[size] == 0 || word[size] == '=');
}

/* The command line as it was, with one more option, or without a file, ready to be copied; NULL: as it was in that. An
 * option that has a value replaces its like. */
static void print_again(const cli_app *cli, const char *option, const char *without)
{
    char word[LINE_BYTES];
    const bool has_name = cli->argc > 1 && strcmp(cli->argv[1], cli->command->name) == 0;
    fprintf(stderr, "hsdiff%s%s", has_name ? " " : "", has_name ? cli->command->name : "");
    if (option != NULL) fprintf(stderr, " %s", option);
    for (int i = has_name ? 2 : 1; i < cli->argc; i++) {
        const char *argument = cli->argv[i];
        if (without != NULL && strcmp(argument, without) == 0) continue;
        if (option != NULL && is_same_option(argument, option)) {
            i += strchr(argument, '=') == NULL && strchr(option, ' ') != NULL;
            continue;
        }
        hsd_escape(argument[0] == '-' ? HSD_ESCAPE_TERMINAL : HSD_ESCAPE_SHELL, argument, strlen(argument), word,
                   sizeof word);
        fprintf(stderr, " %s", word);
    }
    fputs("\n", stderr);
}

/* "--memory 22M", or with words behind it: the command that does it. */
static bool print_with_option(const cli_app *cli, const char *hint)
{
    char option[64];
    const char *blank = strchr(hint, ' ');
    if (strncmp(hint, "--", 2) != 0 || !blank) return false;
    const size_t size = (size_t)(blank - hint) + 1 + strcspn(blank + 1, " ;,");
    if (size >= sizeof option) return false;
    memcpy(option, hint, size);
    option[size] = 0;
    fputs("  Try: ", stderr);
    print_again(cli, option, NULL);
    return true;
}

static bool is_capture_name(const char *file)
{
    const size_t length = strlen(file);
    return length > 3 && strcmp(file + length - 3, ".hs") == 0;
}

/* "x.hs" -> x-part.hs, as one word of a command. */
static void print_salvage(const char *file)
{
    char part[LINE_BYTES], word[LINE_BYTES];
    snprintf(part, sizeof part, "%.*s-part.hs", (int)(strlen(file) - 3), file);
    hsd_quote_shell(word, sizeof word, file, strlen(file));
    fprintf(stderr, "  To keep a clean copy:  hsdiff salvage %s", word);
    hsd_quote_shell(word, sizeof word, part, strlen(part));
    fprintf(stderr, " -o %s\n", word);
}

static bool takes_partial(const cli_app *cli)
{
    return cli_command_takes(cli->command, &cli_option_partial) && !cli->options.partial &&
           !cli->options.check.update_baseline;
}

#define OTHERS_MOST 12 /* names in one line */

/* A capture that is cut off counts as a fall in a series: the others tell more without it. */
static void print_without(const cli_app *cli, const char *file)
{
    if (cli->input_count < 4 || cli->first_group > 0) return;
    if (cli->input_count > OTHERS_MOST) {
        fputs("  To leave it out, which tells more of a trend: name the others.\n", stderr);
        return;
    }
    fputs("  To leave it out:  ", stderr);
    print_again(cli, NULL, file);
}

/* Commands for a damaged or cut-off input. */
static bool print_rescue(const cli_app *cli, const hsd_error *err)
{
    if ((err->status != HSD_E_TRUNCATED && err->status != HSD_E_CORRUPT) || !is_input(cli, err->file)) return false;
    const bool salvages = is_capture_name(err->file) && !cli->command->salvages && err->hint[0];
    const bool is_partial = takes_partial(cli) && err->hint[0];
    if (salvages) print_salvage(err->file);
    if (is_partial) print_without(cli, err->file);
    if (is_partial) {
        fputs("  To use what is there:  ", stderr);
        print_again(cli, "--partial", NULL);
    }
    return salvages || is_partial;
}

int cli_report_error(const cli_app *cli, const hsd_error *err)
{
    if (err->status == HSD_E_CANCELLED && cli_signal_seen() != 0) return CLI_SYSTEM;
    if (err->status == HSD_E_IO && err->sys_errno == EPIPE) {
        cli_signal_set_broken_pipe();
        return CLI_SYSTEM;
    }
    cli_progress_clear();
    print_what(err);
    const char *cause = likely_cause(cli, err);
    if (cause) fprintf(stderr, "  %s\n", cause);
    if (!print_rescue(cli, err) && err->hint[0] && !print_with_option(cli, err->hint)) print_hint(err->hint);
    return status_of(cli, err);
}

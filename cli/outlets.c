/*
 * The outlets of one answer.
 */
#include "outlets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report_error.h"
#include "term.h"

typedef struct cli_outlet {
    hsd_result_file *file;
    const hsd_report_format *format;
} cli_outlet;

/* ---- the files besides ---- */

/* What an option names: --also by its words, and behind them --html. */
typedef struct wish {
    const char *option, *format, *file;
    size_t format_bytes;
} wish;

static size_t count_wishes(const cli_options *options) { return options->also_count + (options->html != NULL); }

static wish wish_of(const cli_options *options, size_t i)
{
    if (i == options->also_count) return (wish){"--html", "html", options->html, 4};
    const char *word = options->also[i], *equals = strchr(word, '='); /* --also was parsed: it is there */
    return (wish){"--also", word, equals + 1, (size_t)(equals - word)};
}

/* ---- formats ---- */

static bool outlet_can_hold(const hsd_report_format *format, cli_holds holds)
{
    switch (holds) {
    case HSD_HOLDS_DIFF: return format->write_diff != NULL;
    case HSD_HOLDS_SERIES: return format->write_series != NULL;
    case HSD_HOLDS_CHECK: return format->write_check != NULL;
    case HSD_HOLDS_TOP: return format->write_top != NULL;
    case HSD_HOLDS_PATHS: return format->write_paths != NULL;
    }
    return false;
}

/* "text, json, csv or markdown" */
static void list_formats(char *text, size_t size, cli_holds holds)
{
    const char *names[32];
    size_t count = 0, used = 0;
    for (size_t i = 0; hsd_report_format_get(i) && count < 32; i++)
        if (outlet_can_hold(hsd_report_format_get(i), holds)) names[count++] = hsd_report_format_get(i)->name;
    text[0] = 0;
    for (size_t i = 0; i < count; i++) {
        const char *between = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        const int more = snprintf(text + used, size - used, "%s%s", between, names[i]);
        if (more < 0 || (size_t)more >= size - used) return;
        used += (size_t)more;
    }
}

const hsd_report_format *cli_find_format(const char *option, const char *name, size_t name_bytes, cli_holds holds)
{
    char names[256];
    for (size_t i = 0; hsd_report_format_get(i); i++) {
        const hsd_report_format *format = hsd_report_format_get(i);
        if (strlen(format->name) == name_bytes && memcmp(format->name, name, name_bytes) == 0 &&
            outlet_can_hold(format, holds))
            return format;
    }
    list_formats(names, sizeof names, holds);
    cli_complain("%s takes %s here, not '%.*s'.", option, names, (int)name_bytes, name);
    return NULL;
}

/* ---- opening and closing ---- */

enum { PLAIN_RESULTS = 4 };

/* Files of results: first those with options of their own, NULL where one was not given, then --also and --html. */
static const char *result_of(const cli_options *options, size_t i)
{
    const char *plain[PLAIN_RESULTS] = {options->output, options->diff.objects, options->one.retained,
                                        options->redact.report};
    return i < PLAIN_RESULTS ? plain[i] : wish_of(options, i - PLAIN_RESULTS).file;
}

static size_t count_results(const cli_options *options) { return PLAIN_RESULTS + count_wishes(options); }

/* Standard output, a device or a pipe: several can write there. */
static bool is_for_many(const char *path)
{
    struct stat what;
    return strcmp(path, "-") == 0 || (stat(path, &what) == 0 && !S_ISREG(what.st_mode));
}

const char *cli_find_output_shared(const cli_app *cli)
{
    const cli_options *options = &cli->options;
    for (size_t i = 0; i < count_results(options); i++) {
        const char *file = result_of(options, i);
        for (size_t j = 0; file && j < i; j++) {
            const char *other = result_of(options, j);
            if (other && strcmp(other, file) == 0 && (i >= PLAIN_RESULTS || !is_for_many(file))) return file;
        }
    }
    return NULL;
}

static bool is_read_from(const char *input, const struct stat *output)
{
    struct stat what;
    const int failed = strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &what) : stat(input, &what);
    return failed == 0 && what.st_dev == output->st_dev && what.st_ino == output->st_ino;
}

/* A device, such as /dev/null, can be both read and written. */
static bool is_input_file(const cli_app *cli, const char *path)
{
    struct stat output;
    if (path == NULL || stat(path, &output) != 0 || !S_ISREG(output.st_mode)) return false;
    for (size_t i = 0; i < cli->input_count; i++)
        if (is_read_from(cli->inputs[i], &output)) return true;
    const cli_options *options = &cli->options;
    for (size_t i = 0; i < options->encrypt_to_count; i++)
        if (is_read_from(options->encrypt_to[i], &output)) return true;
    if (options->identity != NULL && is_read_from(options->identity, &output)) return true;
    return options->redact.key != NULL && is_read_from(options->redact.key, &output);
}

const char *cli_find_input_overwritten(const cli_app *cli)
{
    for (size_t i = 0; i < count_results(&cli->options); i++)
        if (is_input_file(cli, result_of(&cli->options, i))) return result_of(&cli->options, i);
    return NULL;
}

static bool open_also(cli_outlet *outlet, const cli_app *cli, wish wanted, cli_holds holds, int *exit_status)
{
    hsd_error err;
    *exit_status = CLI_USAGE;
    outlet->format = cli_find_format(wanted.option, wanted.format, wanted.format_bytes, holds);
    if (outlet->format == NULL) return false;
    hsd_error_init(&err);
    if (hsd_result_file_open(&outlet->file, wanted.file, cli->options.force, &err) == HSD_OK) return true;
    *exit_status = cli_report_error(cli, &err);
    return false;
}

/* A page is no reading for a terminal. */
static bool is_page_on_terminal(const cli_options *options, const hsd_report_format *format)
{
    const bool to_stdout = !options->output || strcmp(options->output, "-") == 0;
    return strcmp(format->name, "html") == 0 && to_stdout && cli_term_is_terminal(STDOUT_FILENO);
}

bool cli_outlets_open(cli_outlets *outlets, const cli_app *cli, cli_holds holds, int *exit_status)
{
    const cli_options *options = &cli->options;
    const char *name = options->format ? options->format : "text";
    *outlets = (cli_outlets){.format = cli_find_format("--format", name, strlen(name), holds)};
    *exit_status = CLI_USAGE;
    if (outlets->format == NULL) return false;
    if (is_page_on_terminal(options, outlets->format)) {
        cli_complain("a page of HTML is not for a terminal: --html FILE writes it to a file, for a browser.");
        return false;
    }
    outlets->also = calloc(count_wishes(options) + 1, sizeof *outlets->also);
    if (outlets->also == NULL) {
        cli_complain("out of memory.");
        *exit_status = CLI_SYSTEM;
        return false;
    }
    bool is_open = true;
    for (size_t i = 0; i < count_wishes(options) && is_open; i++)
        is_open = open_also(&outlets->also[i], cli, wish_of(options, i), holds, exit_status);
    if (is_open && cli_out_open(&outlets->out, cli, exit_status)) return true;
    cli_outlets_close(outlets, cli, CLI_SYSTEM);
    return false;
}

int cli_outlets_close(cli_outlets *outlets, const cli_app *cli, int result)
{
    for (size_t i = 0; outlets->also != NULL && i < count_wishes(&cli->options); i++) {
        hsd_error err;
        hsd_error_init(&err);
        hsd_result_file *file = outlets->also[i].file;
        if (file && cli_is_answer(file, result) && hsd_result_file_finish(file, &err) != HSD_OK)
            result = cli_report_error(cli, &err);
        hsd_result_file_close(file);
    }
    free(outlets->also);
    outlets->also = NULL;
    return outlets->out.file ? cli_out_close(&outlets->out, cli, result) : result;
}

static bool writes_csv(const cli_options *options)
{
    bool writes = options->format && strcmp(options->format, "csv") == 0;
    for (size_t i = 0; i < options->also_count; i++)
        writes |= strncmp(options->also[i], "csv=", 4) == 0;
    return writes;
}

int cli_outlets_run(cli_app *cli, cli_holds holds, cli_answer_fn answer)
{
    cli_outlets outlets;
    int result = CLI_DONE;
    if ((cli->options.table != 0 || cli->options.one.table != 0) && !writes_csv(&cli->options))
        cli_note(cli, "--table says what --format csv writes: nothing is written as CSV here.");
    if (!cli_outlets_open(&outlets, cli, holds, &result)) return result;
    return cli_outlets_close(&outlets, cli, answer(cli, &outlets));
}

/* ---- writing ---- */

hsd_report_options cli_report_options(const cli_app *cli, bool to_file)
{
    const cli_options *options = &cli->options;
    const cli_screen screen = to_file
                                  ? (cli_screen){.name_width = options->wide ? 0 : CLI_NAME_COLUMNS, .has_utf8 = true}
                                  : cli_out_screen(cli);
    return (hsd_report_options){
        .top = cli_out_rows(cli, 0),
        .sort_by = (hsd_sort_by)options->diff.sort,
        .table = (hsd_report_table)options->table,
        .width = screen.width,
        .name_width = screen.name_width,
        .use_color = screen.has_color,
        .use_utf8 = screen.has_utf8,
        .exact_bytes = options->exact_bytes,
        .tree = options->diff.tree,
        .plain = options->plain,
        .noise_bytes = options->noise_bytes,
        .max_bytes = (size_t)options->max_bytes,
        .survivors = options->survivors,
        .config_path = options->check.config,
        .html_path = options->html,
        .command = cli->command_line,
    };
}

hsd_status cli_outlets_write(cli_outlets *outlets, const cli_app *cli, cli_report_fn write, const void *what,
                             hsd_error *err)
{
    const hsd_report_options to_file = cli_report_options(cli, true), to_screen = cli_report_options(cli, false);
    for (size_t i = 0; i < count_wishes(&cli->options); i++)
        HSD_TRY(write(outlets->also[i].format, &to_file, what, hsd_result_file_write, outlets->also[i].file, err));
    return write(outlets->format, &to_screen, what, hsd_result_file_write, outlets->out.file, err);
}

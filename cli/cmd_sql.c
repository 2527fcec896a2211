/*
 * hsdiff sql CAPTURE [AFTER] 'select …': a question in SQL to a heap, or to what grew between two.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input.h"
#include "options/common.h"
#include "progress.h"
#include "report_error.h"
#include "sql_rows.h"

#define STATEMENT_MOST ((size_t)1 << 20)
#define PREFIX_BYTES   100 /* enough to know a database */

typedef struct question {
    cli_app *cli;
    const char *text;
    size_t size;
    char *from_input; /* owned; NULL: the text is a word of the command line */
    size_t captures;
    cli_input inputs[2];
    int database; /* descriptor of one that hsdiff made; -1: captures */
    hsd_sql *sql;
    cli_rows_form form;
} question;

/* ---- the statement */

static bool read_statement(question *q)
{
    q->from_input = malloc(STATEMENT_MOST + 1);
    if (!q->from_input) return false;
    while (q->size <= STATEMENT_MOST) {
        const ssize_t got = read(STDIN_FILENO, q->from_input + q->size, STATEMENT_MOST + 1 - q->size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        q->size += (size_t)got;
    }
    q->text = q->from_input;
    return q->size <= STATEMENT_MOST;
}

/* The last word is the statement. False after a message. */
static bool find_statement(question *q)
{
    const cli_app *cli = q->cli;
    q->captures = cli->input_count - 1;
    q->text = cli->inputs[q->captures];
    q->size = strlen(q->text);
    const bool is_in_input = strcmp(q->text, "-") == 0;
    if (!is_in_input && access(q->text, F_OK) == 0) {
        cli_complain("the statement is missing: the last word, '%s', is a file. Put \"select ...\" behind the "
                     "captures, in quotes.",
                     q->text);
        return false;
    }
    for (size_t i = 0; i < q->captures; i++)
        if (is_in_input && strcmp(cli->inputs[i], "-") == 0) {
            cli_complain("the capture and the statement cannot both come from standard input.");
            return false;
        }
    if (!is_in_input) return true;
    q->size = 0;
    if (read_statement(q)) return true;
    cli_complain("the statement on standard input is longer than 1 MiB.");
    return false;
}

static bool find_form(question *q)
{
    const cli_options *options = &q->cli->options;
    const char *name = options->format ? options->format : "text";
    if (strcmp(name, "text") == 0)
        q->form = options->plain ? CLI_ROWS_PLAIN : CLI_ROWS_TABLE;
    else if (strcmp(name, "json") == 0)
        q->form = CLI_ROWS_JSON;
    else if (strcmp(name, "csv") == 0)
        q->form = CLI_ROWS_CSV;
    else {
        cli_complain("--format takes text, json or csv, not '%s'.", name);
        return false;
    }
    return true;
}

/* ---- what is asked */

/* A descriptor if the file is a database that hsdiff made, else -1: then it is opened like any other input. A pipe is
 * not even touched: its writer would find a reader that goes away again. */
static int open_database(const char *path)
{
    char prefix[PREFIX_BYTES];
    struct stat what;
    if (strcmp(path, "-") == 0 || stat(path, &what) != 0 || !S_ISREG(what.st_mode)) return -1;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) return -1;
    if (fstat(fd, &what) == 0 && S_ISREG(what.st_mode) &&
        pread(fd, prefix, sizeof prefix, 0) == (ssize_t)sizeof prefix && hsd_sql_probe(prefix, sizeof prefix))
        return fd;
    close(fd);
    return -1;
}

static hsd_status open_source(question *q, hsd_error *err)
{
    cli_app *cli = q->cli;
    const hsd_sql_options options = {.partial = cli->options.partial};
    for (size_t i = 0; i < q->captures; i++)
        q->inputs[i].path = cli->inputs[i];
    q->database = q->captures == 1 ? open_database(cli->inputs[0]) : -1;
    if (q->database >= 0) return hsd_sql_open_file(&q->sql, q->database, cli->inputs[0], &cli->run, err);
    HSD_TRY(cli_inputs_open(q->inputs, q->captures, cli, false, cli_damage_wanted(cli), err));
    return hsd_sql_open(&q->sql, q->captures > 1 ? q->inputs[0].capture : NULL, q->inputs[q->captures - 1].capture,
                        &options, &cli->run, err);
}

static void close_all(question *q)
{
    hsd_sql_close(q->sql);
    cli_inputs_close(q->inputs, q->captures);
    if (q->database >= 0) close(q->database);
    free(q->from_input);
}

/* ---- when it is wrong */

/* The line of the statement that an error is in, and a mark below the place. */
static void show_place(const question *q, uint64_t offset)
{
    size_t begin = offset < q->size ? (size_t)offset : q->size, end = begin;
    char line[161];
    const size_t place = begin;
    while (begin > 0 && q->text[begin - 1] != '\n' && place - begin < 80)
        begin--;
    while (end < q->size && q->text[end] != '\n' && end - begin < sizeof line - 1)
        end++;
    const size_t size = end - begin;
    for (size_t i = 0; i < size; i++) { /* one column a byte, so that the mark stands where it should */
        const char c = q->text[begin + i];
        line[i] = c >= ' ' && c <= '~' ? c : c == '\t' ? ' ' : '?';
    }
    line[size] = 0;
    cli_progress_clear();
    fprintf(stderr, "  %s\n  %*s^\n", line, (int)(place - begin), "");
}

/* Errors without a file are those of the statement. */
static int tell_error(question *q, const hsd_error *err)
{
    const bool is_usage = err->status == HSD_E_UNSUPPORTED && err->file[0] == 0;
    if (is_usage && err->offset_bytes != HSD_NO_OFFSET) show_place(q, err->offset_bytes);
    const int result = cli_report_error(q->cli, err);
    return is_usage ? CLI_USAGE : result;
}

/* ---- the answer */

static hsd_status put_rows(question *q, cli_out *out, hsd_error *err)
{
    cli_rows rows;
    hsd_status status = HSD_OK;
    if (!cli_rows_begin(&rows, out, q->sql, q->form, cli_out_screen(q->cli)))
        status = hsd_fail(err, HSD_E_NOMEM, "out of memory: columns of a table");
    while (status == HSD_OK && out->status == HSD_OK) {
        status = hsd_sql_next(q->sql, err);
        cli_progress_clear(); /* rows may go to the same terminal */
        if (status == HSD_OK) cli_rows_put(&rows);
    }
    const bool is_whole = status == HSD_END && out->status == HSD_OK;
    const bool is_empty = is_whole && rows.count == 0;
    cli_rows_end(&rows, is_whole);
    if (is_empty) cli_note(q->cli, "no rows.");
    return is_whole ? HSD_OK : status == HSD_END || status == HSD_OK ? out->status : status;
}

static int answer_sql(question *q, cli_out *out)
{
    hsd_error err;
    hsd_error_init(&err);
    hsd_status status = open_source(q, &err);
    if (status == HSD_OK) status = hsd_sql_prepare(q->sql, q->text, q->size, &err);
    if (status == HSD_OK) status = put_rows(q, out, &err);
    cli_progress_clear();
    /* a failed write is told when the output is closed */
    if (status == HSD_OK || out->status != HSD_OK) return CLI_DONE;
    return tell_error(q, &err);
}

static int run_sql(cli_app *cli)
{
    question q = {.cli = cli, .database = -1};
    cli_out out;
    int result = CLI_USAGE;
    if (find_form(&q) && find_statement(&q) && cli_out_open(&out, cli, &result)) {
        result = answer_sql(&q, &out);
        result = cli_out_close(&out, cli, result);
    }
    close_all(&q);
    return result;
}

static const cli_example examples[] = {
    {"hsdiff sql heap.hs 'select name, objects, bytes from types order by bytes desc limit 10'",
     "the biggest types, at once"},
    {"hsdiff sql heap.hs 'select * from v_references where target_id = 0x7f3a'", "who refers to an object"},
    {"hsdiff sql before.hs after.hs 'select * from growth_types limit 10'", "what grew"},
    {"hsdiff sql heap.hs 'select sql from sqlite_schema'", "all tables, with what each column means"},
    {"hsdiff sql heap.hs - --format csv -o rows.csv < question.sql", "a long statement, for a spreadsheet"},
    {0},
};

static const cli_option *const options[] = {
    &(const cli_option){.name = "format",
                        .value = "FORMAT",
                        .choices = "text|json|csv",
                        .kind = CLI_TEXT,
                        .offset = CLI_FIELD(format),
                        .told = CLI_LEFT_OUT,
                        .help = "text for people (the default), json for programs, csv for spreadsheets"},
    &cli_option_partial,
    &cli_option_plain,
    &cli_option_wide,
    &cli_option_from,
    &cli_option_dump,
    &cli_option_values_of_dumps,
    &cli_option_final_is_strong,
    CLI_OPTIONS_OF_READING,
    NULL,
};

const cli_command cli_command_sql = {
    .name = "sql",
    .synopsis = "CAPTURE [AFTER] STATEMENT",
    .summary = "ask questions about a heap, or about growth, in SQL",
    .description =
        "Runs one statement of SQL (SQLite's) that reads: SELECT, WITH, VALUES, EXPLAIN. CAPTURE is a capture (.hs), a "
        "foreign dump, or a "
        "database that hsdiff export --to sqlite wrote; - is standard input. STATEMENT is one word, in quotes, or - "
        "for standard input.\n"
        "\n"
        "Tables of a heap: captures, types, strings, labels, objects, refs (references), roots, sites, site_totals, "
        "threads, frames, metrics, losses; "
        "heap_types, heap_roots, places and retained with what hsdiff top says; warnings. Views have names in place of "
        "numbers: v_objects, v_references, v_roots, v_sites, v_frames, v_retained.\n"
        "\n"
        "With two captures these are of AFTER, those of the first are called before_objects and so on, and what grew "
        "is in growth, "
        "growth_types, growth_roots, growth_places, growth_sites, growth_frames, holders (v_holders) with "
        "holder_steps, holder_types, "
        "holder_edges, holder_by and holder_by_steps, lost with lost_frames, uncollected, changes and matches.\n"
        "\n"
        "Only the tables that the statement reads are made, in an unnamed temporary database: types are there at once, "
        "references of a "
        "large heap take a while. For many questions export the capture once, with --to sqlite, and ask the database. "
        "\"select sql "
        "from sqlite_schema\" shows all tables with what every column means; doc/sql.md has recipes.\n"
        "\n"
        "Ids of objects are what other commands show as 0x... or @...; from 2^63 on they are negative here. As JSON, "
        "schema hsdiff.sql/1: "
        "columns and rows, each an array.",
    .examples = examples,
    .options = options,
    .inputs_min = 2,
    .inputs_max = 3,
    .tells_indexes = true,
    .run = run_sql,
};

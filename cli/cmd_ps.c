/*
 * hsdiff ps: the programs that can be captured, how, and what stands in the way of the others.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture/remote.h"
#include "info_words.h"
#include "options/common.h"
#include "out.h"
#include "report_error.h"

enum { COLUMNS = 7, CELL_BYTES = 256, NAME_COLUMNS = 40, NOTE_BYTES = 600 };

static const char *const headings[COLUMNS] = {"PID", "NAME", "RUNTIME", "USER", "MEMORY", "RUNNING", "WAY"};
static const bool is_right[COLUMNS] = {true, false, false, false, true, true, false};

/* A row that is kept until all columns are known to be wide enough. */
typedef struct row {
    char cells[COLUMNS][CELL_BYTES];
    char text[NOTE_BYTES], hint[NOTE_BYTES];               /* of a closed way, safe to print; "" = none */
    char text_of_any[NOTE_BYTES], hint_of_any[NOTE_BYTES]; /* the same without the number of the process */
    size_t note;                                           /* its number below the table, 0 = none */
} row;

typedef struct listing {
    const cli_app *cli;
    cli_out *out;
    row *rows;
    size_t count, room, hidden, told;
    uint64_t now_unix_ns;
    bool is_json, is_out_of_memory;
} listing;

/* ---- JSON ---- */

static void put_member(cli_out *out, const char *key, const char *text)
{
    cli_out_format(out, ", \"%s\": ", key);
    if (*text == '\0') {
        cli_out_text(out, "null");
        return;
    }
    cli_out_text(out, "\"");
    cli_out_escaped(out, HSD_ESCAPE_JSON, text, SIZE_MAX);
    cli_out_text(out, "\"");
}

static void put_json(listing *self, const hsd_listed_process *one)
{
    const hsd_process *process = &one->process;
    cli_out_format(self->out, "%s\n    {\"pid\": %ld", self->told == 0 ? "" : ",", process->pid);
    put_member(self->out, "name", process->name);
    put_member(self->out, "runtime", process->runtime);
    put_member(self->out, "way", process->way == NULL ? "" : process->way);
    put_member(self->out, "user", one->user);
    put_member(self->out, "container", one->container);
    cli_out_format(self->out, ", \"rss_bytes\": %" PRIu64 ", \"started_unix_ns\": %" PRIu64, one->rss_bytes,
                   process->started_unix_ns);
    put_member(self->out, "why", one->why.text);
    put_member(self->out, "hint", one->why.hint);
    cli_out_text(self->out, "}");
}

/* ---- text ---- */

static void set_cell(row *r, int column, const char *text)
{
    char *cell = r->cells[column];
    const size_t size = hsd_escape_terminal(cell, CELL_BYTES, text, strlen(text));
    if (column == 1 && size > NAME_COLUMNS) memcpy(cell + NAME_COLUMNS - 3, "...", sizeof "...");
}

/* "3d 4h", "2h 5m", "40s": two units at most. */
static void set_running(row *r, uint64_t seconds)
{
    char *out = r->cells[5];
    const unsigned long long s = seconds, minutes = s / 60, hours = minutes / 60, days = hours / 24;
    if (days > 0)
        snprintf(out, CELL_BYTES, "%llud %lluh", days, hours % 24);
    else if (hours > 0)
        snprintf(out, CELL_BYTES, "%lluh %llum", hours, minutes % 60);
    else if (minutes > 0)
        snprintf(out, CELL_BYTES, "%llum %llus", minutes, s % 60);
    else
        snprintf(out, CELL_BYTES, "%llus", s);
}

/* Its number, where it stands as a word, is "PID": then what is said of several programs is the same. */
static void put_without_pid(char out[NOTE_BYTES], const char *text, const char *number)
{
    const size_t size = strlen(number);
    size_t length = 0;
    for (const char *at = text; *at != '\0' && length + sizeof "PID" < NOTE_BYTES;) {
        const bool is_word = at == text || !isalnum((unsigned char)at[-1]);
        if (is_word && strncmp(at, number, size) == 0 && !isalnum((unsigned char)at[size])) {
            length += (size_t)snprintf(out + length, NOTE_BYTES - length, "PID");
            at += size;
        } else {
            out[length++] = *at++;
        }
    }
    out[length] = '\0';
}

static void set_why(row *r, const hsd_error *why)
{
    if (why->status == HSD_OK) return;
    hsd_escape_terminal(r->text, sizeof r->text, why->text, strlen(why->text));
    hsd_escape_terminal(r->hint, sizeof r->hint, why->hint, strlen(why->hint));
    put_without_pid(r->text_of_any, r->text, r->cells[0]);
    put_without_pid(r->hint_of_any, r->hint, r->cells[0]);
}

static void set_row(const listing *self, row *r, const hsd_listed_process *one)
{
    char number[HSD_NUMBER_CHARS], user[64];
    const uint64_t started = one->process.started_unix_ns;
    *r = (row){0};
    snprintf(r->cells[0], CELL_BYTES, "%ld", one->process.pid);
    set_cell(r, 1, one->process.name);
    set_cell(r, 2, one->process.runtime);
    snprintf(user, sizeof user, "%s%s%s", one->user, *one->container == '\0' ? "" : " in ", one->container);
    set_cell(r, 3, user);
    set_cell(r, 4, hsd_format_bytes(number, one->rss_bytes));
    set_running(r, self->now_unix_ns > started ? (self->now_unix_ns - started) / UINT64_C(1000000000) : 0);
    set_cell(r, 6, one->process.way == NULL ? "-" : one->process.way);
    set_why(r, &one->why);
}

static bool add_row(listing *self, const hsd_listed_process *one)
{
    if (self->count == self->room) {
        const size_t room = self->room == 0 ? 32 : 2 * self->room;
        row *more = realloc(self->rows, room * sizeof *more);
        if (more == NULL) {
            self->is_out_of_memory = true;
            return false;
        }
        self->rows = more;
        self->room = room;
    }
    set_row(self, &self->rows[self->count++], one);
    return true;
}

static void put_cells(cli_out *out, const char *const cells[COLUMNS], const size_t widths[COLUMNS])
{
    for (int i = 0; i < COLUMNS - 1; i++)
        cli_out_format(out, is_right[i] ? "%*s  " : "%-*s  ", (int)widths[i], cells[i]);
    cli_out_format(out, "%s\n", cells[COLUMNS - 1]);
}

/* Both are told the same remedy. The text is told too, unless it names one of them alone. */
static void share_note(row *first, row *r)
{
    r->note = first->note;
    memcpy(first->hint, first->hint_of_any, sizeof first->hint);
    if (strcmp(first->text_of_any, r->text_of_any) != 0) first->text_of_any[0] = '\0';
    memcpy(first->text, first->text_of_any, sizeof first->text);
}

/* What stands in the way of several programs, with the same remedy, is told once. */
static size_t number_notes(listing *self)
{
    size_t notes = 0;
    for (size_t i = 0; i < self->count; i++) {
        row *r = &self->rows[i];
        for (size_t before = 0; before < i && *r->hint != '\0' && r->note == 0; before++)
            if (strcmp(self->rows[before].hint_of_any, r->hint_of_any) == 0) share_note(&self->rows[before], r);
        if (r->note == 0 && *r->text != '\0') r->note = ++notes;
        if (r->note != 0) snprintf(r->cells[COLUMNS - 1], CELL_BYTES, "- [%zu]", r->note);
    }
    return notes;
}

static void put_notes(const listing *self, size_t notes)
{
    for (size_t note = 1, i = 0; note <= notes; i++) {
        const row *r = &self->rows[i];
        if (r->note != note) continue;
        cli_out_format(self->out, "%s[%zu] ", note == 1 ? "\n" : "", note);
        cli_out_format(self->out, "%s%s%s\n", r->text, *r->text == '\0' || *r->hint == '\0' ? "" : ": ", r->hint);
        note++;
    }
}

static void put_table(const listing *self)
{
    size_t widths[COLUMNS];
    for (int c = 0; c < COLUMNS; c++)
        widths[c] = strlen(headings[c]);
    for (size_t i = 0; i < self->count; i++)
        for (int c = 0; c < COLUMNS; c++)
            if (strlen(self->rows[i].cells[c]) > widths[c]) widths[c] = strlen(self->rows[i].cells[c]);
    put_cells(self->out, headings, widths);
    for (size_t i = 0; i < self->count; i++) {
        const char *cells[COLUMNS];
        for (int c = 0; c < COLUMNS; c++)
            cells[c] = self->rows[i].cells[c];
        put_cells(self->out, cells, widths);
    }
}

static void put_text(listing *self)
{
    const char *name = self->cli->input_count > 0 ? self->cli->inputs[0] : NULL;
    const size_t notes = number_notes(self);
    if (self->count > 0) put_table(self);
    put_notes(self, notes);
    if (self->count == 0 && name != NULL && self->hidden == 0) {
        cli_out_text(self->out, "No program is called like ");
        cli_out_escaped(self->out, HSD_ESCAPE_TERMINAL, name, SIZE_MAX);
        if (name[0] != '\0' && name[strspn(name, "0123456789")] == '\0')
            cli_out_format(self->out,
                           ". Of the process of that number hsdiff capture %.20s takes a capture, or says why not",
                           name);
        cli_out_text(self->out, ".\n");
    } else if (self->count == 0) {
        cli_out_text(self->out, "No program can be captured as it runs now.\n");
    }
    if (self->hidden > 0)
        cli_out_format(self->out,
                       "%s%zu %s in no runtime that hsdiff knows and %s no agent: --all shows %s.\n"
                       "To start one with an agent: hsdiff capture -- COMMAND\n",
                       self->count > 0 ? "\n" : "", self->hidden, self->hidden == 1 ? "program runs" : "programs run",
                       self->hidden == 1 ? "has" : "have", self->hidden == 1 ? "it" : "them");
}

/* ---- the command ---- */

static bool take_process(void *context, const hsd_listed_process *one)
{
    listing *self = context;
    if (!one->has_runtime && !self->cli->options.ps.all) {
        self->hidden++;
        return true;
    }
    if (!self->is_json) return add_row(self, one);
    put_json(self, one);
    self->told++;
    return self->out->status == HSD_OK;
}

static uint64_t now_unix_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static int list_all(listing *self, const char *name)
{
    hsd_error err;
    hsd_error_init(&err);
    if (self->is_json) cli_out_text(self->out, "{\"schema\": \"hsdiff.ps/1\", \"processes\": [");
    hsd_status status = hsd_process_list(name, take_process, self, &err);
    if (status == HSD_OK && self->is_out_of_memory)
        status = hsd_fail(&err, HSD_E_NOMEM, "out of memory: the list of processes");
    if (status != HSD_OK) return cli_report_error(self->cli, &err);
    if (self->is_json)
        cli_out_format(self->out, "%s], \"others\": %zu}\n", self->told == 0 ? "" : "\n  ", self->hidden);
    else
        put_text(self);
    return CLI_DONE;
}

static int run_ps(cli_app *cli)
{
    cli_out out;
    int exit_status = CLI_DONE;
    const char *format = cli->options.format;
    listing self = {
        .cli = cli, .out = &out, .now_unix_ns = now_unix_ns(), .is_json = format && strcmp(format, "json") == 0};
    if (format && !self.is_json && strcmp(format, "text") != 0) {
        cli_complain("--format takes one of text|json, not '%s'.", format);
        return CLI_USAGE;
    }
    if (!cli_out_open(&out, cli, &exit_status)) return exit_status;
    exit_status =
        cli_is_remote(cli) ? cli_list_remote(cli, &out) : list_all(&self, cli->input_count > 0 ? cli->inputs[0] : NULL);
    free(self.rows);
    return cli_out_close(&out, cli, exit_status);
}

static const cli_example examples[] = {
    {"hsdiff ps", "what can be captured now, and how"},
    {"hsdiff ps shop", "those whose name, script, main class or unit holds 'shop'"},
    {"hsdiff ps ssh://shop.example.org", "those of another machine"},
    {"hsdiff ps --all", "programs that no agent is in, too"},
    {0},
};

static const cli_option *const options[] = {
    &cli_option_format_of_one,
    &(const cli_option){.letter = 'a',
                        .name = "all",
                        .kind = CLI_FLAG,
                        .offset = CLI_FIELD(ps.all),
                        .told = CLI_LEFT_OUT,
                        .help = "programs that no agent is in and that have no runtime of their own, too"},
    &cli_option_remote,
    CLI_OPTIONS_OF_WORK,
    NULL,
};

const cli_command cli_command_ps = {
    .name = "ps",
    .synopsis = "[NAME | ssh://HOST[/NAME]]",
    .summary = "list the programs that can be captured, and how",
    .description =
        "Lists each process that has a runtime that hsdiff knows, or an agent of hsdiff: its name, its runtime, its "
        "resident memory, when it was started, and the way in which hsdiff capture would capture it. A dash means that "
        "no way works; the lines below the table say why, and the smallest change that would help. hsdiff only reads "
        "the files of the processes in /proc: nothing happens to the processes.\n"
        "\n"
        "NAME is a part of the name of the program, of its script or main class or of its systemd unit, or the "
        "beginning of a container's id. hsdiff capture takes the same words.",
    .examples = examples,
    .options = options,
    .inputs_min = 0,
    .inputs_max = 1,
    .run = run_ps,
};

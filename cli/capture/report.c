/*
 * Words about captures that were taken. What was stored stands in every one of them: whoever hands a capture on should
 * know.
 */
#include "capture/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture/names.h"
#include "info_words.h"
#include "progress.h"
#include "report_error.h"

enum { TEXT_BYTES = 512 };

bool cli_knows_capture_format(const cli_app *cli)
{
    const char *format = cli->options.format;
    if (!format || strcmp(format, "text") == 0 || strcmp(format, "json") == 0) return true;
    cli_complain("--format takes one of text|json, not '%s'.", format);
    return false;
}

static bool wants_json(const cli_app *cli) { return cli->options.format && strcmp(cli->options.format, "json") == 0; }

/* ---- JSON ---- */

void cli_put_json_text(const char *key, const char *text)
{
    char escaped[6 * CLI_PATH_BYTES]; /* a path, each byte as \uXXXX */
    hsd_escape(HSD_ESCAPE_JSON, text, strlen(text), escaped, sizeof escaped - 1);
    printf("\"%s\": \"%s\", ", key, escaped);
}

static void put_numbers(const hsd_live_result *r)
{
    printf("\"objects\": %" PRIu64 ", \"references\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"output_bytes\": %" PRIu64
           ", \"pause_ns\": %" PRIu64 ", \"duration_ns\": %" PRIu64 ", \"losses\": %" PRIu64 ", \"complete\": %s}\n",
           r->objects, r->references, r->bytes, r->output_bytes, r->pause_ns, r->duration_ns, r->losses,
           r->is_complete ? "true" : "false");
}

static bool flush_output(const cli_app *cli)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return true;
    hsd_error err;
    hsd_error_init(&err);
    hsd_fail_errno(&err, errno, "cannot write to standard output");
    cli_report_error(cli, &err);
    return false;
}

/* ---- text ---- */

static void put_contents(const cli_app *cli, const hsd_live_result *r)
{
    char objects[HSD_NUMBER_CHARS], references[HSD_NUMBER_CHARS], heap[HSD_NUMBER_CHARS], file[HSD_NUMBER_CHARS];
    cli_note(cli, "  %s in %s object%s, %s reference%s; %s on disk", hsd_format_bytes(heap, r->bytes),
             hsd_format_count(objects, r->objects), r->objects == 1 ? "" : "s",
             hsd_format_count(references, r->references), r->references == 1 ? "" : "s",
             hsd_format_bytes(file, r->output_bytes));
}

static void put_times(const cli_app *cli, const hsd_live_result *r)
{
    char pause[HSD_NUMBER_CHARS], took[HSD_NUMBER_CHARS], lost[HSD_NUMBER_CHARS];
    if (r->pause_ns > 0)
        cli_note(cli, "  the program stood still for %s; the capture took %s",
                 cli_format_short_time(pause, r->pause_ns), cli_format_short_time(took, r->duration_ns));
    else
        cli_note(cli, "  the capture took %s", cli_format_short_time(took, r->duration_ns));
    if (r->losses > 0)
        cli_note(cli, "  %s thing%s not in it: hsdiff info tells which", hsd_format_count(lost, r->losses),
                 r->losses == 1 ? " is" : "s are");
    if (!r->is_complete) cli_note(cli, "  it was cut off: it is incomplete, and its figures are lower bounds");
}

static void put_next(const cli_app *cli, const cli_taken *taken)
{
    char now[CLI_PATH_BYTES], before[CLI_PATH_BYTES];
    if (!taken->path || strcmp(taken->path, "-") == 0) return;
    hsd_quote_shell(now, sizeof now, taken->path, strlen(taken->path));
    if (!taken->previous) {
        cli_note(cli, "Next: hsdiff top %s   or capture again later, and compare the two", now);
        return;
    }
    hsd_quote_shell(before, sizeof before, taken->previous, strlen(taken->previous));
    cli_note(cli, "Next: hsdiff %s %s", before, now);
}

bool cli_tell_taken(const cli_app *cli, const cli_taken *taken)
{
    const hsd_process *process = taken->process;
    cli_progress_clear();
    if (wants_json(cli)) {
        putchar('{');
        cli_put_json_text("path", taken->path);
        cli_put_json_text("name", process->name);
        printf("\"pid\": %ld, ", process->pid);
        cli_put_json_text("runtime", process->runtime);
        cli_put_json_text("way", process->way);
        put_numbers(taken->result);
        return flush_output(cli);
    }
    cli_note(cli, "captured %s (pid %ld, %s, way %s) into %s", process->name, process->pid, process->runtime,
             process->way,
             !taken->path                    ? "an unnamed file"
             : strcmp(taken->path, "-") == 0 ? "standard output"
                                             : taken->path);
    cli_note(cli, "  %s", process->stored);
    put_contents(cli, taken->result);
    put_times(cli, taken->result);
    put_next(cli, taken);
    return true;
}

bool cli_tell_received(const cli_app *cli, const hsd_received *one)
{
    cli_progress_clear();
    if (wants_json(cli)) {
        putchar('{');
        cli_put_json_text("path", one->path ? one->path : "");
        cli_put_json_text("error", one->error.status == HSD_OK ? "" : one->error.text);
        put_numbers(&one->result);
        return flush_output(cli);
    }
    if (one->path) {
        cli_note(cli, "received %s", one->path);
        put_contents(cli, &one->result);
        put_times(cli, &one->result);
    }
    if (one->error.status != HSD_OK)
        cli_note(cli, "%s: %s", one->path ? "it is not whole" : "a stream was dropped", one->error.text);
    return true;
}

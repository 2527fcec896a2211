/*
 * hsdiff unredact REPORT IN… --key FILE: names in place of the pseudonyms in a report, out of the captures that were
 * redacted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hsdiff/open.h>

#include "options/common.h"
#include "out.h"
#include "progress.h"
#include "redaction.h"
#include "report_error.h"

#define READ_BYTES (1u << 16)

/* ---- the report ---- */

typedef struct report_text {
    char *data;
    size_t size, capacity;
} report_text;

static hsd_status grow_report(report_text *text, uint64_t most, hsd_error *err)
{
    if (text->capacity - text->size >= READ_BYTES) return HSD_OK;
    const size_t capacity = text->capacity == 0 ? 4 * READ_BYTES : 2 * text->capacity;
    if (capacity > most)
        return hsd_fail(err, HSD_E_OVER_BUDGET, "is too large: a report takes at most a quarter of the memory");
    char *more = realloc(text->data, capacity);
    if (!more) return hsd_fail(err, HSD_E_NOMEM, "no memory to read it");
    text->data = more;
    text->capacity = capacity;
    return HSD_OK;
}

static hsd_status read_report(const cli_app *cli, report_text *text, hsd_error *err)
{
    int fd = -1;
    ssize_t got = 1;
    hsd_status status = hsd_open_path(&fd, cli->inputs[0], err);
    while (status == HSD_OK && got != 0) {
        status = grow_report(text, cli->run.memory_bytes / 4, err);
        if (status == HSD_OK) got = read(fd, text->data + text->size, READ_BYTES);
        if (status == HSD_OK && got < 0 && errno != EINTR) status = hsd_fail_errno(err, errno, "cannot be read");
        if (got > 0) text->size += (size_t)got;
    }
    if (fd > STDERR_FILENO) close(fd);
    return status;
}

/* ---- */

static hsd_status write_text(void *context, const void *data, size_t size, hsd_error *err)
{
    cli_out *out = context;
    return size == 0 ? HSD_OK : hsd_result_file_write(out->file, data, size, err);
}

static int turn_back(cli_app *cli, const report_text *report, const int *originals, size_t count,
                     const hsd_redact_key *key)
{
    char names[HSD_NUMBER_CHARS], found[HSD_NUMBER_CHARS];
    hsd_unredact_result result = {0};
    hsd_error err;
    cli_out out;
    int failed = CLI_SYSTEM;
    hsd_error_init(&err);
    if (!cli_out_open(&out, cli, &failed)) return failed;
    const hsd_status status =
        hsd_unredact(report->data, report->size, originals, count, key, &cli->run, write_text, &out, &result, &err);
    cli_progress_clear();
    if (status != HSD_OK) {
        hsd_error_set_file(&err, cli->inputs[0]);
        return cli_out_close(&out, cli, cli_report_error(cli, &err));
    }
    cli_note(cli, "%s of %s pseudonym%s turned back", hsd_format_count(found, result.found),
             hsd_format_count(names, result.names), result.names == 1 ? "" : "s");
    return cli_out_close(&out, cli, CLI_DONE);
}

static int run_unredact(cli_app *cli)
{
    const size_t count = cli->input_count - 1;
    hsd_redact_key key;
    report_text report = {0};
    hsd_error err;
    hsd_error_init(&err);
    int result = cli_read_redaction_key(cli, &key);
    if (result != CLI_DONE) return result;
    if (read_report(cli, &report, &err) != HSD_OK) {
        hsd_error_set_file(&err, cli->inputs[0]);
        free(report.data);
        return cli_report_error(cli, &err);
    }
    int *originals = malloc(count * sizeof *originals);
    size_t opened = 0;
    if (!originals) {
        hsd_fail(&err, HSD_E_NOMEM, "no memory for the captures");
        result = cli_report_error(cli, &err);
    }
    while (result == CLI_DONE && opened < count) {
        result = cli_open_to_redact(cli, cli->inputs[opened + 1], &originals[opened]);
        if (result == CLI_DONE) opened++;
    }
    if (result == CLI_DONE) result = turn_back(cli, &report, originals, count, &key);
    while (opened > 0)
        if (originals[--opened] > STDERR_FILENO) close(originals[opened]);
    free(originals);
    free(report.data);
    hsd_redact_key_forget(&key);
    return result;
}

static const cli_example examples[] = {
    {"hsdiff unredact answer.txt before.hs after.hs --key shop.key", "the names, from the originals"},
    {"hsdiff unredact answer.json before.hs after.hs --key shop.key -o named.json", "into a file"},
    {0},
};

static const cli_option *const options[] = {
    &cli_option_redaction_key,
    &cli_option_values_of_dumps,
    CLI_OPTIONS_OF_READING,
    NULL,
};

const cli_command cli_command_unredact = {
    .name = "unredact",
    .synopsis = "REPORT IN... --key FILE",
    .summary = "turn the pseudonyms in a report back into names",
    .description =
        "REPORT is what hsdiff, or anybody, wrote about redacted captures: text, JSON, CSV, XML, a mail. IN are the "
        "captures that were redacted, as they were before. The pseudonyms of their names are made again with the key, "
        "and where one stands in the report the name is put in its place.\n"
        "\n"
        "A pseudonym cannot be turned back from itself, even with the key, and nothing that could be is stored "
        "anywhere. With another key no pseudonym fits, and unredact says so. Names that were cut (kzrvb...xq) stay: "
        "use --wide, or --format json. A page (HTML) packs its tables: turn back its JSON.",
    .examples = examples,
    .options = options,
    .inputs_min = 2,
    .inputs_max = SIZE_MAX,
    .run = run_unredact,
};

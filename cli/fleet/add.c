/*
 * hsdiff fleet add STORE CAPTURE…: one capture after the other, each opened and imported as every command does.
 * psql, which a database takes, is started before the sandbox is entered: who reads captures can connect to nothing.
 */
#include <string.h>

#include "fleet/fleet.h"
#include "fleet/labels.h"
#include "progress.h"
#include "report_error.h"
#include "sandbox/sandbox.h"

static void tell_added(const cli_app *cli, const hsd_fleet_added *added)
{
    char captures[HSD_NUMBER_CHARS], rows[HSD_NUMBER_CHARS], size[HSD_NUMBER_CHARS], known[HSD_NUMBER_CHARS],
        store[512], word[1024];
    hsd_fleet_store_name(store, sizeof store, cli->inputs[1]);
    hsd_quote_shell(word, sizeof word, store, strlen(store));
    hsd_format_count(captures, added->captures);
    hsd_format_count(known, added->known);
    if (added->known > 0) cli_note(cli, "%s: %s of the captures were there already", store, known);
    cli_note(cli, "%s: %s capture%s added, %s rows, %s. Next: hsdiff fleet report %s", store, captures,
             added->captures == 1 ? "" : "s", hsd_format_count(rows, added->rows), hsd_format_bytes(size, added->bytes),
             word);
}

static hsd_status add_all(cli_app *cli, const cli_fleet_labels *labels, hsd_fleet_added *added, hsd_error *err)
{
    hsd_fleet_writer *writer;
    hsd_error last;
    hsd_error_init(&last);
    const bool is_psql_first = hsd_fleet_where_is(cli->inputs[1]) == HSD_FLEET_DATABASE;
    if (!is_psql_first) cli_sandbox_enter(cli);
    HSD_TRY(hsd_fleet_writer_open(&writer, cli->inputs[1], &cli->run, err));
    if (is_psql_first) cli_sandbox_enter(cli);
    hsd_status status = HSD_OK;
    for (size_t i = 2; i < cli->input_count && status == HSD_OK; i++)
        status = cli_fleet_add_capture(writer, cli, cli->inputs[i], labels, err);
    /* what could be read is kept: a store loses nothing because of the capture behind it */
    const hsd_status written = hsd_fleet_writer_finish(writer, added, &last);
    if (status == HSD_OK && written != HSD_OK) {
        *err = last;
        status = written;
    }
    hsd_fleet_writer_close(writer);
    return status;
}

int cli_fleet_add(cli_app *cli)
{
    cli_fleet_labels labels;
    hsd_fleet_added added = {0};
    hsd_error err;
    hsd_error_init(&err);
    if (!cli_fleet_labels_read(&labels, cli, NULL)) {
        cli_fleet_labels_release(&labels);
        return CLI_USAGE;
    }
    if (cli->options.memory_bytes == 0 && cli->run.memory_bytes > CLI_FLEET_MEMORY_BYTES)
        cli->run.memory_bytes = CLI_FLEET_MEMORY_BYTES;
    const hsd_status status = add_all(cli, &labels, &added, &err);
    cli_fleet_labels_release(&labels);
    cli_progress_clear();
    if (added.captures + added.known > 0) tell_added(cli, &added);
    return status == HSD_OK ? CLI_DONE : cli_report_error(cli, &err);
}

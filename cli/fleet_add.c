/*
 * hsdiff fleet add STORE CAPTURE…: one capture after the other, each opened and imported as every command does.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fleet.h"
#include "input.h"
#include "progress.h"
#include "report_error.h"

#define MEMORY_BYTES (UINT64_C(192) << 20) /* what is added up needs no more; a fleet adds beside its services */

typedef struct adding {
    cli_app *cli;
    hsd_fleet_writer *writer;
    hsd_fleet_label labels[HSD_FLEET_LABELS_MOST];
    size_t label_count;
    char *words; /* names of labels; owned */
} adding;

/* --label name=value, split. False after a message. */
static bool read_labels(adding *a)
{
    const cli_options *options = &a->cli->options;
    size_t room = 1;
    hsd_error err;
    hsd_error_init(&err);
    if (options->label_count > HSD_FLEET_LABELS_MOST) {
        cli_complain("--label was given %zu times: at most %u.", options->label_count, HSD_FLEET_LABELS_MOST);
        return false;
    }
    for (size_t i = 0; i < options->label_count; i++)
        room += strlen(options->labels[i]) + 1;
    char *at = a->words = malloc(room);
    if (!at) {
        cli_complain("out of memory.");
        return false;
    }
    for (size_t i = 0; i < options->label_count; i++) {
        const char *label = options->labels[i], *equals = strchr(label, '=');
        if (!equals || equals == label) {
            cli_complain("--label takes name=value, not '%.100s'.", label);
            return false;
        }
        const size_t size = (size_t)(equals - label);
        memcpy(at, label, size);
        at[size] = 0;
        a->labels[a->label_count++] = (hsd_fleet_label){.name = at, .value = equals + 1};
        at += size + 1;
    }
    if (hsd_fleet_check_labels(a->labels, a->label_count, &err) == HSD_OK) return true;
    cli_report_error(a->cli, &err);
    return false;
}

/* A dump that does not say when it was taken is as old as its file. */
static uint64_t time_of_file(const char *path)
{
    struct stat what;
    if (strcmp(path, "-") == 0 || stat(path, &what) != 0 || !S_ISREG(what.st_mode) || what.st_mtim.tv_sec <= 0)
        return 0;
    return (uint64_t)what.st_mtim.tv_sec * 1000000000u + (uint64_t)what.st_mtim.tv_nsec;
}

static hsd_status add_one(adding *a, const char *path, hsd_error *err)
{
    cli_app *cli = a->cli;
    cli_input input = {.path = path};
    hsd_fleet_add_options options = HSD_OPTIONS_INIT(hsd_fleet_add_options);
    options.labels = a->labels;
    options.label_count = a->label_count;
    options.taken_unix_ns = time_of_file(path);
    options.floor_bytes = cli->options.fleet.floor_bytes;
    options.no_places = cli->options.fleet.no_places;
    options.partial = cli->options.partial;
    hsd_status status = cli_inputs_open(&input, 1, cli, false, cli_damage_wanted(cli), err);
    if (status == HSD_OK) status = hsd_fleet_writer_add(a->writer, input.capture, &options, err);
    if (status != HSD_OK && input.capture) hsd_error_set_file(err, path);
    cli_inputs_close(&input, 1);
    return status;
}

static void tell_added(const cli_app *cli, const hsd_fleet_added *added)
{
    char captures[HSD_NUMBER_CHARS], rows[HSD_NUMBER_CHARS], size[HSD_NUMBER_CHARS], known[HSD_NUMBER_CHARS],
        word[1024];
    hsd_quote_shell(word, sizeof word, cli->inputs[1], strlen(cli->inputs[1]));
    hsd_format_count(captures, added->captures);
    hsd_format_count(known, added->known);
    if (added->known > 0) cli_note(cli, "%s: %s of the captures were there already", cli->inputs[1], known);
    cli_note(cli, "%s: %s capture%s added, %s rows, %s. Next: hsdiff fleet report %s", cli->inputs[1], captures,
             added->captures == 1 ? "" : "s", hsd_format_count(rows, added->rows), hsd_format_bytes(size, added->bytes),
             word);
}

static hsd_status add_all(adding *a, hsd_fleet_added *added, hsd_error *err)
{
    cli_app *cli = a->cli;
    HSD_TRY(hsd_fleet_writer_open(&a->writer, cli->inputs[1], &cli->run, err));
    hsd_status status = HSD_OK;
    for (size_t i = 2; i < cli->input_count && status == HSD_OK; i++)
        status = add_one(a, cli->inputs[i], err);
    /* what could be read is kept: a store loses nothing because of the capture behind it */
    hsd_error last;
    hsd_error_init(&last);
    const hsd_status written = hsd_fleet_writer_finish(a->writer, added, &last);
    if (status == HSD_OK && written != HSD_OK) {
        *err = last;
        status = written;
    }
    return status;
}

int cli_fleet_add(cli_app *cli)
{
    adding a = {.cli = cli};
    hsd_fleet_added added = {0};
    hsd_error err;
    hsd_error_init(&err);
    if (!read_labels(&a)) {
        free(a.words);
        return CLI_USAGE;
    }
    if (cli->options.memory_bytes == 0 && cli->run.memory_bytes > MEMORY_BYTES) cli->run.memory_bytes = MEMORY_BYTES;
    const hsd_status status = add_all(&a, &added, &err);
    hsd_fleet_writer_close(a.writer);
    free(a.words);
    cli_progress_clear();
    if (added.captures + added.known > 0) tell_added(cli, &added);
    return status == HSD_OK ? CLI_DONE : cli_report_error(cli, &err);
}

/*
 * One capture into a store, with the labels of the command line. See fleet_labels.h.
 */
#include "fleet/labels.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report_error.h"

/* ---- labels */

static bool is_given(const cli_fleet_labels *labels, const char *name)
{
    for (size_t i = 0; i < labels->count; i++)
        if (strcmp(labels->label[i].name, name) == 0) return true;
    return false;
}

static size_t words_bytes(const cli_options *options)
{
    size_t room = 1;
    for (size_t i = 0; i < options->label_count; i++)
        room += strlen(options->labels[i]) + 1;
    return room;
}

/* name=value, split. False after a message. */
static bool split_labels(cli_fleet_labels *labels, const cli_options *options)
{
    char *at = labels->words;
    for (size_t i = 0; i < options->label_count; i++) {
        const char *label = options->labels[i], *equals = strchr(label, '=');
        if (!equals || equals == label) {
            cli_complain("--label takes name=value, not '%.100s'.", label);
            return false;
        }
        const size_t size = (size_t)(equals - label);
        memcpy(at, label, size);
        at[size] = 0;
        labels->label[labels->count++] = (hsd_fleet_label){.name = at, .value = equals + 1};
        at += size + 1;
    }
    return true;
}

/* What stands for labels that were not given: one more than the command line has to have room for the service. */
static void add_defaults(cli_fleet_labels *labels, const char *host)
{
    if (!host) return;
    if (!is_given(labels, "host") && labels->count < HSD_FLEET_LABELS_MOST - 1)
        labels->label[labels->count++] = (hsd_fleet_label){.name = "host", .value = host};
    labels->is_of_program = !is_given(labels, "service") && labels->count < HSD_FLEET_LABELS_MOST;
    if (labels->is_of_program)
        labels->label[labels->count++] = (hsd_fleet_label){.name = "service", .value = "program"};
}

bool cli_fleet_labels_read(cli_fleet_labels *labels, const cli_app *cli, const char *host)
{
    const cli_options *options = &cli->options;
    hsd_error err;
    hsd_error_init(&err);
    *labels = (cli_fleet_labels){.count = 0};
    if (options->label_count > HSD_FLEET_LABELS_MOST) {
        cli_complain("--label was given %zu times: at most %u.", options->label_count, HSD_FLEET_LABELS_MOST);
        return false;
    }
    labels->words = malloc(words_bytes(options));
    if (!labels->words) {
        cli_complain("out of memory.");
        return false;
    }
    if (!split_labels(labels, options)) return false;
    add_defaults(labels, host);
    if (hsd_fleet_check_labels(labels->label, labels->count, &err) == HSD_OK) return true;
    cli_report_error(cli, &err);
    return false;
}

void cli_fleet_labels_release(cli_fleet_labels *labels)
{
    free(labels->words);
    *labels = (cli_fleet_labels){.count = 0};
}

/* ---- a capture */

/* A dump that does not say when it was taken is as old as its file. */
static uint64_t time_of_file(const char *path)
{
    struct stat what;
    if (strcmp(path, "-") == 0 || stat(path, &what) != 0 || !S_ISREG(what.st_mode) || what.st_mtim.tv_sec <= 0)
        return 0;
    return (uint64_t)what.st_mtim.tv_sec * 1000000000u + (uint64_t)what.st_mtim.tv_nsec;
}

hsd_status cli_fleet_add_capture(hsd_fleet_writer *writer, cli_app *cli, const char *path,
                                 const cli_fleet_labels *given, hsd_error *err)
{
    cli_input input = {.path = path};
    cli_fleet_labels labels = *given;
    hsd_fleet_add_options options = HSD_OPTIONS_INIT(hsd_fleet_add_options);
    options.labels = labels.label;
    options.label_count = labels.count;
    options.taken_unix_ns = time_of_file(path);
    options.floor_bytes = cli->options.fleet.floor_bytes;
    options.no_places = cli->options.fleet.no_places;
    options.partial = cli->options.partial;
    hsd_status status = cli_inputs_open(&input, 1, cli, false, cli_damage_wanted(cli), err);
    if (status == HSD_OK && labels.is_of_program) {
        const char *program = hsd_capture_get_info(input.capture)->process_name;
        if (program[0] != 0) labels.label[labels.count - 1].value = program; /* the service stands last */
    }
    if (status == HSD_OK) status = hsd_fleet_writer_add(writer, input.capture, &options, err);
    if (status != HSD_OK && input.capture) hsd_error_set_file(err, path);
    cli_inputs_close(&input, 1);
    return status;
}

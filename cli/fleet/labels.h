/*
 * Labels of a fleet, as --label NAME=VALUE gives them, and captures that are added with them.
 */
#ifndef CLI_FLEET_LABELS_H
#define CLI_FLEET_LABELS_H

#include "input.h"
#include <hsdiff/fleet.h>

#define CLI_FLEET_MEMORY_BYTES                                                                                         \
    (UINT64_C(192) << 20) /* what is added up needs no more; a fleet adds beside its services */

typedef struct cli_fleet_labels {
    hsd_fleet_label label[HSD_FLEET_LABELS_MOST];
    size_t count;
    bool is_of_program; /* no service was given: it is the name of the program that the capture is of */
    char *words;        /* names; owned */
} cli_fleet_labels;

/*
 * Splits those of the command line. With `host`, which is borrowed, captures are of programs on this machine: it is
 * the host, and the name of the program is the service, where neither is given. False after a message; released all
 * the same.
 */
bool cli_fleet_labels_read(cli_fleet_labels *labels, const cli_app *cli, const char *host);

void cli_fleet_labels_release(cli_fleet_labels *labels);

/* Opens a capture, importing what is foreign, and adds it up. The error names the file. */
hsd_status cli_fleet_add_capture(hsd_fleet_writer *writer, cli_app *cli, const char *path,
                                 const cli_fleet_labels *labels, hsd_error *err);

#endif

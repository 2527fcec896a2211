/*
 * Inputs of commands: a capture as it is, or a foreign dump that is imported into an unnamed temporary
 * capture first, without being asked.
 */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "cli.h"
#include <hsdiff/open.h>

typedef struct cli_input {
    const char *path;
    hsd_capture *capture;
    bool is_foreign;
    hsd_import_result imported; /* of a foreign one */
} cli_input;

/*
 * Opens `count` (1 or 2) inputs of the command line. Two foreign ones are imported side by side when
 * memory and threads allow. `damage` says what becomes of damaged ones. HSD_OK, or a failure whose error
 * names the file.
 */
hsd_status cli_inputs_open(cli_input *inputs, size_t count, cli_app *cli, bool summary_only, hsd_damage damage,
                           hsd_error *err);

typedef struct cli_input_ahead { /* zeroed: there is none */
    cli_input input;             /* without a path there is none */
    hsd_status status;           /* of opening it */
    hsd_error error;
    uint64_t elapsed_ns;
} cli_input_ahead;

#define CLI_INPUT_MOST_NEXT 2u

/*
 * Opens an input as cli_inputs_open does, and where it is a small foreign dump that can be read again, the `count` next
 * ones side by side with it as far as they are likewise. What there is to say of those is said when they are taken;
 * `ahead`, of CLI_INPUT_MOST_NEXT, stays without an input where one was not opened.
 */
hsd_status cli_input_open_with_next(cli_input *input, const char *const *next, size_t count, cli_input_ahead *ahead,
                                    cli_app *cli, bool summary_only, hsd_damage damage, hsd_error *err);

/* The one that was opened ahead, and what became of it. `ahead` has none afterwards. */
hsd_status cli_input_take(cli_input *input, cli_input_ahead *ahead, const cli_app *cli, hsd_error *err);

/* HSD_DAMAGE_SKIP with --partial. */
hsd_damage cli_damage_wanted(const cli_app *cli);

/* Accepts zeroed ones. */
void cli_inputs_close(cli_input *inputs, size_t count);

#endif

/*
 * What is told of a capture that was taken: on standard error for people, or one JSON object a line on standard output.
 */
#ifndef CLI_CAPTURE_REPORT_H
#define CLI_CAPTURE_REPORT_H

#include "cli.h"

typedef struct cli_taken {
    const hsd_process *process;
    const char *path;     /* "-" = standard output; NULL = a file without a name, of text alone */
    const char *previous; /* capture of the same process before this one, NULL = none: what to compare with */
    const hsd_live_result *result;
} cli_taken;

/* False when the answer could not be written, after a message; --format json alone. */
bool cli_tell_taken(const cli_app *cli, const cli_taken *taken);

/* A stream that was received, or refused. */
bool cli_tell_received(const cli_app *cli, const hsd_received *one);

/* "key": "text", and a comma, for a line of JSON on standard output. */
void cli_put_json_text(const char *key, const char *text);

/* "--format" is one of those above; false after a message. */
bool cli_knows_capture_format(const cli_app *cli);

#endif

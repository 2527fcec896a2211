/*
 * What hsdiff redact and hsdiff unredact share: the key, and inputs as captures with a descriptor.
 */
#ifndef CLI_REDACTION_H
#define CLI_REDACTION_H

#include "options/options.h"
#include <hsdiff/redact.h>

extern const cli_option cli_option_redaction_key;

/* Reads the key of --key, and warns where others can read it, too. CLI_DONE, or the exit status after a message. */
int cli_read_redaction_key(const cli_app *cli, hsd_redact_key *key);

/* Opens a capture, or imports a dump into a temporary one; *fd is the caller's to close. CLI_DONE, or the exit status
 * after a message. */
int cli_open_to_redact(cli_app *cli, const char *path, int *fd);

#endif

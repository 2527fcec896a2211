/*
 * Keys of encryption: those of --identity (or HSDIFF_IDENTITY), by which encrypted inputs are read, and of
 * --encrypt-to. They are read before the sandbox closes.
 */
#ifndef CLI_KEYS_H
#define CLI_KEYS_H

#include "options/options.h"

extern const cli_option cli_option_identity, cli_option_encrypt_to;

/* Takes the keys into cli->run, and warns of a file that others can read. CLI_DONE, or the exit status after a message.
 */
int cli_take_keys(cli_app *cli);

/* Holds the first input against its signature, where --signed-by asks for one. CLI_DONE, or the exit status after a
 * message. */
int cli_check_signature(const cli_app *cli);

/* Overwrites them. */
void cli_forget_keys(cli_app *cli);

#endif

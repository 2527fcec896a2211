/* Keys of encryption, from options and the environment. See keys.h. */
#include "keys.h"

#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "report_error.h"

#define IDENTITY_VARIABLE "HSDIFF_IDENTITY"

static bool set_encrypt_to(cli_options *options, const char *value)
{
    if (value[0] == 0) return false;
    options->encrypt_to[options->encrypt_to_count++] = value;
    return true;
}

const cli_option cli_option_identity = {
    .name = "identity",
    .value = "FILE",
    .kind = CLI_FILE,
    .offset = CLI_FIELD(identity),
    .told = CLI_LEFT_OUT,
    .help = "read encrypted inputs (age) by the keys in FILE, as age-keygen writes them; by default those of the file "
            "that " IDENTITY_VARIABLE " names",
    .is_common = true,
};

const cli_option cli_option_encrypt_to = {
    .name = "encrypt-to",
    .value = "RECIPIENT",
    .kind = CLI_OTHER,
    .set = set_encrypt_to,
    .told = CLI_LEFT_OUT,
    .repeats = true,
    .help = "encrypt the capture to RECIPIENT, as age does: age1..., or a file with one a line; may be given again",
};

static bool takes_identity(const cli_command *command)
{
    for (const cli_option *const *at = command->options; *at != NULL; at++)
        if (*at == &cli_option_identity) return true;
    return false;
}

static const char *file_of_identity(const cli_app *cli)
{
    const char *of_user = getenv(IDENTITY_VARIABLE);
    if (cli->options.identity != NULL || !takes_identity(cli->command)) return cli->options.identity;
    return of_user != NULL && of_user[0] != 0 ? of_user : NULL;
}

static hsd_status take_all(cli_app *cli, const char *identity, bool *is_exposed, hsd_error *err)
{
    const cli_options *options = &cli->options;
    HSD_TRY(hsd_crypt_new(&cli->keys, err));
    if (identity != NULL) HSD_TRY(hsd_crypt_add_identities(cli->keys, identity, is_exposed, err));
    for (size_t i = 0; i < options->encrypt_to_count; i++)
        HSD_TRY(hsd_crypt_add_recipients(cli->keys, options->encrypt_to[i], err));
    return HSD_OK;
}

int cli_take_keys(cli_app *cli)
{
    const char *identity = file_of_identity(cli);
    bool is_exposed = false;
    hsd_error err;
    hsd_error_init(&err);
    if (identity == NULL && cli->options.encrypt_to_count == 0) return CLI_DONE;
    if (take_all(cli, identity, &is_exposed, &err) != HSD_OK) {
        cli_report_error(cli, &err);
        return err.status == HSD_E_IO || err.status == HSD_E_NOMEM ? CLI_SYSTEM : CLI_USAGE;
    }
    cli->run.crypt = cli->keys;
    if (is_exposed)
        cli_take_note(cli, HSD_NOTE_WARNING,
                      "the file of the identity can be read by others than its owner: chmod 600");
    return CLI_DONE;
}

int cli_check_signature(const cli_app *cli)
{
    const char *key = cli->options.check.signed_by;
    hsd_error err;
    hsd_error_init(&err);
    if (key == NULL || strcmp(cli->inputs[0], "-") == 0) return CLI_DONE; /* the latter is refused later */
    const hsd_status status = hsd_signature_check(cli->inputs[0], key, &err);
    if (status == HSD_OK) return CLI_DONE;
    cli_report_error(cli, &err);
    return status == HSD_E_IO || status == HSD_E_NOMEM ? CLI_SYSTEM : CLI_DAMAGED;
}

void cli_forget_keys(cli_app *cli)
{
    hsd_crypt_free(cli->keys);
    cli->keys = NULL;
    cli->run.crypt = NULL;
}

/*
 * hsdiff sign FILE... --key SECRET: signatures of baselines and captures, as minisign writes them.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <hsdiff/output.h>
#include <hsdiff/signing.h>

#include "options/common.h"
#include "progress.h"
#include "report_error.h"

/* ---- passwords ---- */

/* Up to the end of the line, which is not part of it. */
static hsd_status read_password(char *password, size_t *size, hsd_error *err)
{
    for (*size = 0; *size < HSD_PASSWORD_MAX;) {
        const ssize_t got = read(STDIN_FILENO, password + *size, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return hsd_fail_errno(err, errno, "the password cannot be read");
        if (got == 0 || password[*size] == '\n') break;
        *size += 1;
    }
    if (*size == HSD_PASSWORD_MAX)
        return hsd_fail(err, HSD_E_MISUSE, "a password has less than %d bytes", HSD_PASSWORD_MAX);
    if (*size == 0) return hsd_fail(err, HSD_E_MISUSE, "the key has a password, and standard input has none");
    password[*size] = '\0';
    return HSD_OK;
}

/* From standard input, as minisign does it: a terminal is asked and does not show it. */
static hsd_status ask_password(void *context, char *password, size_t *size, hsd_error *err)
{
    struct termios shown, hidden;
    const bool is_terminal = tcgetattr(STDIN_FILENO, &shown) == 0;
    (void)context;
    if (is_terminal) {
        hidden = shown;
        hidden.c_lflag &= ~(tcflag_t)ECHO;
        fputs("password of the key: ", stderr);
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
    }
    const hsd_status status = read_password(password, size, err);
    if (is_terminal) {
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
        fputc('\n', stderr);
    }
    return status;
}

/* ---- files ---- */

static hsd_status write_file(const char *path, bool force, const char *text, hsd_error *err)
{
    hsd_result_file *file;
    HSD_TRY(hsd_result_file_open(&file, path, force, err));
    hsd_status status = hsd_result_file_write(file, text, strlen(text), err);
    if (status == HSD_OK) status = hsd_result_file_finish(file, err);
    hsd_result_file_close(file);
    return status;
}

static int make_signing_key(const cli_app *cli)
{
    char secret[HSD_SIGNATURE_TEXT_MAX], public[HSD_SIGNATURE_TEXT_MAX], name[PATH_MAX];
    const char *path = cli->options.redact.new_key;
    hsd_error err;
    hsd_error_init(&err);
    if (strcmp(path, "-") == 0 || snprintf(name, sizeof name, "%s.pub", path) >= (int)sizeof name) {
        cli_complain("a key goes into a file: --new-key FILE.");
        return CLI_USAGE;
    }
    if (access(name, F_OK) == 0) {
        cli_complain("%s is there, and a key is never replaced: what its other half signed could not be checked.",
                     name);
        return CLI_USAGE;
    }
    hsd_status status = hsd_signing_key_make(secret, public, &err);
    if (status == HSD_OK) status = write_file(path, false, secret, &err);
    hsd_secret_forget(secret, sizeof secret);
    if (status == HSD_OK) status = write_file(name, false, public, &err);
    if (status != HSD_OK) return cli_report_error(cli, &err);
    cli_note(cli, "a new key is in %s, without a password: keep it where only those who sign can read it.", path);
    cli_note(cli, "  its public half is in %s: hsdiff check BASELINE NEW --signed-by %s", name, name);
    return CLI_DONE;
}

static hsd_status sign_one(const cli_app *cli, const hsd_signing_key *key, const char *path, hsd_error *err)
{
    char text[HSD_SIGNATURE_TEXT_MAX], beside[PATH_MAX];
    const char *name = cli->options.output != NULL ? cli->options.output : beside;
    if (snprintf(beside, sizeof beside, "%s.minisig", path) >= (int)sizeof beside)
        return hsd_fail_errno(err, ENAMETOOLONG, "cannot be signed");
    HSD_TRY(hsd_signature_make(path, key, text, err));
    HSD_TRY(write_file(name, cli->options.force, text, err));
    cli_note(cli, "%s is signed: %s", path, strcmp(name, "-") == 0 ? "the signature is the output" : name);
    return HSD_OK;
}

static int sign_all(const cli_app *cli)
{
    hsd_signing_key *key = NULL;
    bool is_exposed = false;
    hsd_error err;
    hsd_error_init(&err);
    hsd_status status = hsd_signing_key_read(&key, cli->options.redact.key, ask_password, NULL, &is_exposed, &err);
    if (status == HSD_OK && is_exposed)
        cli_take_note((void *)cli, HSD_NOTE_WARNING,
                      "the file of the key can be read by others than its owner: chmod 600");
    for (size_t i = 0; i < cli->input_count && status == HSD_OK; i++) {
        status = sign_one(cli, key, cli->inputs[i], &err);
        if (status != HSD_OK) hsd_error_set_file(&err, cli->inputs[i]);
    }
    const bool is_of_key = key == NULL && status != HSD_E_IO && status != HSD_E_NOMEM;
    hsd_signing_key_free(key);
    if (status == HSD_OK) return CLI_DONE;
    const int result = cli_report_error(cli, &err);
    return is_of_key ? CLI_USAGE : result;
}

static int run_sign(cli_app *cli)
{
    const bool makes_key = cli->options.redact.new_key != NULL;
    if (makes_key && cli->input_count == 0) return make_signing_key(cli);
    if (makes_key) {
        cli_complain("--new-key makes a key and signs nothing: call it without a file.");
        return CLI_USAGE;
    }
    if (cli->input_count == 0 || cli->options.redact.key == NULL) {
        cli_complain(cli->input_count == 0 ? "sign needs a file."
                                           : "sign needs the file of a secret key: --key FILE. hsdiff sign --new-key "
                                             "FILE makes one, and minisign -G does.");
        return CLI_USAGE;
    }
    if (cli->options.output != NULL && cli->input_count > 1) {
        cli_complain("one signature goes into one file: sign %zu files without --output.", cli->input_count);
        return CLI_USAGE;
    }
    for (size_t i = 0; i < cli->input_count; i++)
        if (strcmp(cli->inputs[i], "-") == 0) {
            cli_complain("a signature lies beside a file, and standard input is none.");
            return CLI_USAGE;
        }
    return sign_all(cli);
}

static const cli_example examples[] = {
    {"hsdiff sign --new-key team.key", "a pair of keys, once: team.key and team.key.pub"},
    {"hsdiff sign before.hs --key team.key", "before.hs.minisig"},
    {"hsdiff check before.hs after.hs --signed-by team.key.pub", "judges nothing unless it is what was signed"},
    {0},
};

static const cli_option *const options[] = {
    &(const cli_option){.name = "key",
                        .value = "FILE",
                        .kind = CLI_FILE,
                        .offset = CLI_FIELD(redact.key),
                        .told = CLI_TOLD, /* as --key of diff */
                        .help = "the file of a secret key, of hsdiff or minisign; its password, if it has one, is read "
                                "from standard input"},
    &(const cli_option){.name = "new-key",
                        .value = "FILE",
                        .kind = CLI_FILE,
                        .offset = CLI_FIELD(redact.new_key),
                        .told = CLI_LEFT_OUT,
                        .help = "make a pair of keys: the secret one in FILE, which must not be there, the public one "
                                "in FILE.pub"},
    &(const cli_option){.letter = 'o',
                        .name = "output",
                        .value = "FILE",
                        .kind = CLI_FILE,
                        .offset = CLI_FIELD(output),
                        .told = CLI_LEFT_OUT,
                        .help = "where the signature goes, in place of FILE.minisig beside the file"},
    &cli_option_force,
    CLI_OPTIONS_OF_A_PAGE,
    NULL,
};

const cli_command cli_command_sign = {
    .name = "sign",
    .synopsis = "FILE... --key SECRET",
    .summary = "sign baselines, so that a check can tell whose they are",
    .description =
        "Writes FILE.minisig beside each FILE: a signature as minisign writes it, over the bytes of the file as they "
        "are, encrypted ones, too. hsdiff check --signed-by holds a baseline against it, and minisign -V does.\n"
        "\n"
        "Keys are those of minisign. One that --new-key makes has no password, for use where nobody can type one: the "
        "file is all that it takes, and only its owner can read it.",
    .examples = examples,
    .options = options,
    .inputs_min = 0,
    .inputs_max = 1000,
    .run = run_sign,
};

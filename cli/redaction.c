/* What hsdiff redact and hsdiff unredact share. See redaction.h. */
#include "redaction.h"

#include <unistd.h>

#include <hsdiff/open.h>

#include "progress.h"
#include "report_error.h"

const cli_option cli_option_redaction_key = {
    .name = "key",
    .value = "FILE",
    .kind = CLI_FILE,
    .offset = CLI_FIELD(redact.key),
    .told = CLI_TOLD, /* as --key of diff */
    .help = "the file with the key: 64 hexadecimal digits; hsdiff redact --new-key FILE makes one",
};

int cli_read_redaction_key(const cli_app *cli, hsd_redact_key *key)
{
    hsd_error err;
    hsd_error_init(&err);
    if (cli->options.redact.key == NULL) {
        cli_complain("%s needs the file of a key: --key FILE. hsdiff redact --new-key FILE makes one.",
                     cli->command->name);
        return CLI_USAGE;
    }
    if (hsd_redact_key_read(key, cli->options.redact.key, &err) != HSD_OK) {
        cli_report_error(cli, &err);
        return err.status == HSD_E_NOT_THIS_FORMAT ? CLI_USAGE : CLI_SYSTEM;
    }
    if (key->is_exposed) {
        cli_take_note((void *)cli, HSD_NOTE_WARNING,
                      "the file of the key can be read by others than its owner: chmod 600");
    }
    return CLI_DONE;
}

static hsd_status import_to_redact(cli_app *cli, const char *path, int *fd, hsd_error *err)
{
    const hsd_import_options import = {.with_values = cli->options.with_values};
    hsd_import_result imported;
    int written = -1;
    HSD_TRY(hsd_import_temp_fd(*fd, path, &import, &cli->run, &written, &imported, err));
    if (*fd > STDERR_FILENO) close(*fd);
    *fd = written;
    return HSD_OK;
}

int cli_open_to_redact(cli_app *cli, const char *path, int *fd)
{
    hsd_content content = HSD_CONTENT_UNKNOWN;
    hsd_error err;
    hsd_error_init(&err);
    *fd = -1;
    hsd_status status = hsd_open_path(fd, path, &err);
    if (status == HSD_OK) status = hsd_look(&content, *fd, path, &cli->run, &err);
    if (status == HSD_OK && content == HSD_CONTENT_FOREIGN) status = import_to_redact(cli, path, fd, &err);
    cli_progress_clear();
    if (status == HSD_OK) return CLI_DONE;
    hsd_error_set_file(&err, path);
    if (*fd > STDERR_FILENO) close(*fd);
    *fd = -1;
    return cli_report_error(cli, &err);
}

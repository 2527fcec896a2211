/*
 * Reading the configuration of a check.
 */
#include "options/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "report_error.h"

#define SECONDS_A_DAY 86400

static hsd_status read_whole_config(int fd, char *text, size_t *size, hsd_error *err)
{
    *size = 0;
    while (*size <= HSD_CHECK_CONFIG_MOST) {
        const ssize_t got = read(fd, text + *size, HSD_CHECK_CONFIG_MOST + 1 - *size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return hsd_fail_errno(err, errno, "cannot be read");
        if (got == 0) return HSD_OK;
        *size += (size_t)got;
    }
    return HSD_OK; /* too large: the parser says so */
}

static hsd_status read_file(hsd_check_config **out, const char *path, hsd_error *err)
{
    size_t size = 0;
    const bool is_stdin = strcmp(path, "-") == 0;
    const int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return hsd_fail_errno(err, errno, "cannot be opened");
    char *text = malloc(HSD_CHECK_CONFIG_MOST + 1);
    hsd_status status = text ? read_whole_config(fd, text, &size, err)
                             : hsd_fail(err, HSD_E_NOMEM, "out of memory for the configuration");
    if (status == HSD_OK) status = hsd_check_config_read(out, text, size, is_stdin ? "standard input" : path, err);
    free(text);
    if (!is_stdin) close(fd);
    return status;
}

/* A name that leads nowhere is there too: rules that cannot be read must not be taken for rules that are not. */
static bool config_is_there(const char *path)
{
    struct stat what;
    return lstat(path, &what) == 0 || errno != ENOENT;
}

/* Wrong configurations and files that are none are wrong usage, and no damaged captures. */
static void blame_usage(hsd_error *err, const char *path)
{
    const bool is_missing = err->status == HSD_E_IO && err->sys_errno == ENOENT;
    const bool is_wrong_file =
        is_missing || (err->status == HSD_E_IO && (err->sys_errno == EISDIR || err->sys_errno == EACCES));
    hsd_error_set_file(err, strcmp(path, "-") == 0 ? "standard input" : path);
    if (is_missing) hsd_error_set_hint(err, "hsdiff check --init BEFORE AFTER -o %s   writes a first one", path);
    if (err->status == HSD_E_CORRUPT || is_wrong_file) err->status = HSD_E_NOT_FOUND;
}

bool cli_config_open(hsd_check_config **out, const cli_app *cli, bool is_series, int *exit_status)
{
    const char *path = cli->options.check.config;
    hsd_error err;
    hsd_error_init(&err);
    if (!path && config_is_there(CLI_CONFIG_NAME)) path = CLI_CONFIG_NAME;
    const hsd_status status = path ? read_file(out, path, &err) : hsd_check_config_default(out, is_series, &err);
    if (status == HSD_OK) return true;
    if (path) blame_usage(&err, path);
    *exit_status = cli_report_error(cli, &err);
    return false;
}

int32_t cli_today(void)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    char *end = NULL;
    long long seconds = epoch ? strtoll(epoch, &end, 10) : 0;
    if (!epoch || end == epoch || *end != 0 || seconds < 0 || seconds / SECONDS_A_DAY > INT32_MAX / 2)
        seconds = (long long)time(NULL);
    return (int32_t)(seconds / SECONDS_A_DAY);
}

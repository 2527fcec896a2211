/*
 * Which inputs are that large is told by their indexes; files in which so many objects could not be are not opened.
 */
#include "huge.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input.h"
#include "report_error.h"
#include <hsdiff/capture.h>

#define PROGRAM "hsdiff-huge"
/* Objects that differ in nothing but their ids take a hundredth of a byte in a capture. */
#define LEAST_BYTES ((off_t)16 << 20)

static bool is_huge(const cli_app *cli, const char *path)
{
    struct stat file;
    hsd_capture *capture;
    hsd_error err;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode) || file.st_size < LEAST_BYTES) return false;
    const hsd_run quiet = {.memory_bytes = cli->run.memory_bytes, .crypt = cli->run.crypt};
    if (hsd_capture_open(&capture, path, cli_damage_wanted(cli), &quiet, &err) != HSD_OK) return false;
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    const bool has_so_many = info->objects > HSD_MOST_WALKED && !info->is_baseline;
    hsd_capture_close(capture);
    return has_so_many;
}

/* Beside this program, where it was built or unpacked, or where it is installed. */
static bool find_program(char *path, size_t capacity)
{
    static const char *const places[] = {PROGRAM, "../libexec/hsdiff/" PROGRAM};
    char self[4096];
    const ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    if (size <= 0) return false;
    self[size] = 0;
    char *name = strrchr(self, '/');
    if (!name) return false;
    *name = 0;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const int length = snprintf(path, capacity, "%s/%s", self, places[i]);
        if (length > 0 && (size_t)length < capacity && access(path, X_OK) == 0) return true;
    }
    return false;
}

void cli_become_huge(const cli_app *cli)
{
    char program[4224];
    if (hsd_most_walked() > HSD_MOST_WALKED || cli->options.summary || cli->command->is_of_processes) return;
    size_t i = 0;
    while (i < cli->input_count && !is_huge(cli, cli->inputs[i]))
        i++;
    if (i == cli->input_count) return;
    if (!find_program(program, sizeof program)) {
        cli_note(cli, "%s holds more than %llu objects: " PROGRAM ", which walks them, is not installed.",
                 cli->inputs[i], (unsigned long long)HSD_MOST_WALKED);
        return;
    }
    execv(program, cli->argv);
    cli_note(cli, "%s cannot be started: error %d of the system", program, errno);
}

/*
 * Names of capture files: what -o says, filled in. Names of processes are foreign text.
 */
#include "capture/names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report_error.h"

enum { NAME_BYTES = 49 };

static bool is_plain_capture_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_';
}

static void make_plain(char out[NAME_BYTES], const char *name)
{
    size_t used = 0;
    for (; name[used] && used + 1 < NAME_BYTES; used++)
        out[used] =
            is_plain_capture_name(name[used]) && !(used == 0 && (name[0] == '.' || name[0] == '-')) ? name[used] : '_';
    if (used == 0) out[used++] = '_';
    out[used] = 0;
}

typedef struct text {
    char *at;
    size_t left;
    bool is_whole;
} text;

static void add_capture_name(text *to, const char *bytes, size_t size)
{
    if (size >= to->left) {
        to->is_whole = false;
        return;
    }
    memcpy(to->at, bytes, size);
    to->at += size;
    to->left -= size;
    *to->at = 0;
}

static void add_number(text *to, const char *format, unsigned long long number)
{
    char digits[32];
    const int size = snprintf(digits, sizeof digits, format[0] == '4' ? "%04llu" : "%llu", number);
    add_capture_name(to, digits, (size_t)size);
}

static bool fill_capture_name(text *to, const char *pattern, const hsd_process *process, uint64_t number)
{
    char name[NAME_BYTES];
    make_plain(name, process->name);
    for (; *pattern; pattern++) {
        if (*pattern != '%') {
            add_capture_name(to, pattern, 1);
            continue;
        }
        switch (*++pattern) {
        case 'n': add_capture_name(to, name, strlen(name)); break;
        case 'p': add_number(to, "", (unsigned long long)process->pid); break;
        case 'i': add_number(to, "4", number); break;
        case '%': add_capture_name(to, "%", 1); break;
        default:
            cli_complain(
                "-o: %%%c means nothing; %%n is the name of the process, %%p its pid, %%i the number of the capture.",
                *pattern ? *pattern : ' ');
            return false;
        }
    }
    return true;
}

bool cli_is_folder(const char *path)
{
    struct stat what;
    const size_t size = strlen(path);
    return path[size - 1] == '/' || (stat(path, &what) == 0 && S_ISDIR(what.st_mode));
}

/* heap.hs -> heap-%i.hs or heap-%p-%i.hs, with the percent signs of the name itself doubled away by the caller: it has
 * none. */
static void extend_name(char pattern[CLI_PATH_BYTES], const char *name, cli_captures among)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name, *dot = strrchr(base, '.');
    const size_t stem = dot && dot != base ? (size_t)(dot - name) : strlen(name);
    snprintf(pattern, CLI_PATH_BYTES, "%.*s-%s%s", (int)stem, name, among == CLI_CAPTURES_OF_SEVERAL ? "%p-%i" : "%i",
             name + stem);
}

/* The first number from `number` on whose file does not exist. */
static bool find_free(char path[CLI_PATH_BYTES], const char *pattern, const hsd_process *process, uint64_t number)
{
    text to;
    do {
        to = (text){path, CLI_PATH_BYTES, true};
        if (!fill_capture_name(&to, pattern, process, number++)) return false;
    } while (to.is_whole && access(path, F_OK) == 0 && number < 100000);
    return to.is_whole;
}

bool cli_capture_name(char path[CLI_PATH_BYTES], const cli_app *cli, const hsd_process *process, uint64_t number,
                      cli_captures among)
{
    static const char usual[] = "%n-%p-%i.hs";
    const char *asked = cli->options.output;
    char pattern[CLI_PATH_BYTES];
    bool fits = true, goes_on = false;
    path[0] = 0;
    if (!asked) return find_free(path, usual, process, number);
    const size_t size = strlen(asked);
    if (strchr(asked, '%')) {
        fits = size < sizeof pattern;
        if (fits) memcpy(pattern, asked, size + 1);
    } else if (cli_is_folder(asked)) {
        fits = snprintf(pattern, sizeof pattern, "%s%s%s", asked, asked[size - 1] == '/' ? "" : "/", usual) <
               (int)sizeof pattern;
        goes_on = among != CLI_CAPTURES_OF_ONE && !cli->options.force; /* the second of each process, an hour later */
    } else if (among == CLI_CAPTURE_ALONE) {
        fits = size < sizeof pattern;
        if (fits) memcpy(pattern, asked, size + 1);
    } else {
        fits = size + 8 < sizeof pattern;
        if (fits) extend_name(pattern, asked, among);
    }
    if (fits && goes_on) return find_free(path, pattern, process, number);
    text to = {path, CLI_PATH_BYTES, fits};
    if (fits && !fill_capture_name(&to, pattern, process, number)) return false;
    if (to.is_whole) return true;
    cli_complain("the name of the capture is too long.");
    return false;
}

int cli_make_folder(const cli_app *cli)
{
    const char *path = cli->options.output;
    hsd_error err;
    if (!path || !*path || path[strlen(path) - 1] != '/' || mkdir(path, 0700) == 0 || errno == EEXIST) return CLI_DONE;
    hsd_error_init(&err);
    hsd_fail_errno(&err, errno, "cannot be made");
    hsd_error_set_file(&err, path);
    return cli_report_error(cli, &err);
}

/*
 * hsdiff redact IN -o OUT --key FILE: a copy whose names and values only who has the key can read, and which compares
 * as the original does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hsdiff/output.h>

#include "options/common.h"
#include "options/values.h"
#include "progress.h"
#include "redaction.h"
#include "report_error.h"

/* ---- what is readable ---- */

typedef struct readable_list {
    hsd_result_file *file;
    hsd_status status;
    hsd_error err;
} readable_list;

static void write_line(readable_list *list, const char *text, size_t size)
{
    if (list->status == HSD_OK) list->status = hsd_result_file_write(list->file, text, size, &list->err);
}

/* "public   1,204  java.util.HashMap" */
static void list_name(void *context, hsd_redact_why why, const char *name, size_t size, uint64_t count)
{
    char number[HSD_NUMBER_CHARS], line[HSD_NUMBER_CHARS + 16], shown[4 * 4096 + 1];
    const int used = snprintf(line, sizeof line, "%s  %12s  ", why == HSD_REDACT_ASKED ? "asked " : "public",
                              hsd_format_count(number, count));
    const size_t length = hsd_escape_terminal(shown, sizeof shown, name, size);
    write_line(context, line, (size_t)used);
    write_line(context, shown, length < sizeof shown ? length : sizeof shown - 1);
    write_line(context, "\n", 1);
}

static void write_head(readable_list *list, const char *input, bool blurs)
{
    static const char exact[] =
        "# What is readable in the redacted copy: names that are public or asked for (--keep), how often each stands "
        "in a\n"
        "# name, and the name. Readable in any copy are also: sizes, counts and references of objects, addresses, "
        "lines of\n"
        "# files, times, the process id, producer and runtime with their versions. (doc/redact.md)\n# ";
    static const char blurred[] =
        "# What is readable in the redacted copy: names that are public or asked for (--keep), how often each stands "
        "in a\n"
        "# name, and the name. Sizes and lengths of objects are readable as classes, four to each doubling. Exact are: "
        "counts\n"
        "# and references of objects, addresses, metrics, totals of objects that were only counted, lines of files, "
        "times, the\n"
        "# process id, producer and runtime with their versions. (doc/redact.md)\n# ";
    const char *head = blurs ? blurred : exact;
    char shown[1024];
    const size_t length = hsd_escape_terminal(shown, sizeof shown, input, strlen(input));
    write_line(list, head, strlen(head));
    write_line(list, shown, length < sizeof shown ? length : sizeof shown - 1);
    write_line(list, "\n", 1);
}

/* ---- */

static void tell_redacted(const cli_app *cli, const hsd_redact_result *result)
{
    char replaced[HSD_NUMBER_CHARS], public[HSD_NUMBER_CHARS], asked[HSD_NUMBER_CHARS], count[HSD_NUMBER_CHARS];
    cli_note(cli, "%s words replaced; %s stay readable as names of a runtime, %s by --keep",
             hsd_format_count(replaced, result->replaced), hsd_format_count(public, result->kept[HSD_REDACT_PUBLIC]),
             hsd_format_count(asked, result->kept[HSD_REDACT_ASKED]));
    if (cli->options.redact.blur_sizes) {
        cli_note(cli, "  sizes and lengths are classes, four to each doubling: those of %s objects are others",
                 hsd_format_count(count, result->blurred));
        cli_note(cli,
                 "  readable, too: counts, references, addresses, metrics, lines, times, the process id, versions");
    } else {
        cli_note(cli, "  readable, too: sizes, counts, references, addresses, lines, times, the process id, versions");
    }
    if (result->values > 0)
        cli_note(cli, "  %s values of objects replaced%s", hsd_format_count(count, result->values),
                 result->values_lost > 0 ? ", some left out" : "");
    if (result->left_out > 0)
        cli_note(cli, "  %s blocks, columns or entries of a later version left out",
                 hsd_format_count(count, result->left_out));
}

static int redact_to(cli_app *cli, int in, const hsd_redact_key *key, readable_list *list)
{
    const cli_options *options = &cli->options;
    hsd_redact_result result;
    hsd_error err;
    hsd_error_init(&err);
    hsd_redact_options redact = {.struct_bytes = sizeof redact,
                                 .keep = options->redact.keep,
                                 .keep_count = options->redact.keep_count,
                                 .blur_sizes = options->redact.blur_sizes};
    if (list->file != NULL) {
        redact.readable = list_name;
        redact.readable_context = list;
        write_head(list, cli->inputs[0], options->redact.blur_sizes);
    }
    hsd_status status = hsd_redact_file(in, options->output, options->force, key, &redact, &cli->run, &result, &err);
    if (status == HSD_OK && list->file != NULL) {
        status = list->status == HSD_OK ? hsd_result_file_finish(list->file, &list->err) : list->status;
        if (status != HSD_OK) err = list->err;
    }
    cli_progress_clear();
    if (status != HSD_OK) {
        hsd_error_set_file(&err, cli->inputs[0]);
        return cli_report_error(cli, &err);
    }
    tell_redacted(cli, &result);
    if (result.is_whole) return CLI_DONE;
    cli_note(cli, "%s was cut off, and so is %s: it ends where the last whole block did", cli->inputs[0],
             options->output);
    return CLI_DAMAGED;
}

static int redact_one(cli_app *cli, const hsd_redact_key *key)
{
    int in;
    readable_list list = {.status = HSD_OK};
    hsd_error_init(&list.err);
    if (cli->options.redact.report != NULL &&
        hsd_result_file_open(&list.file, cli->options.redact.report, cli->options.force, &list.err) != HSD_OK)
        return cli_report_error(cli, &list.err);
    int result = cli_open_to_redact(cli, cli->inputs[0], &in);
    if (result == CLI_DONE) {
        result = redact_to(cli, in, key, &list);
        if (in > STDERR_FILENO) close(in);
    }
    hsd_result_file_close(list.file);
    return result;
}

static int make_key(cli_app *cli)
{
    hsd_error err;
    hsd_error_init(&err);
    if (strcmp(cli->options.redact.new_key, "-") == 0) {
        cli_complain("a key goes into a file: --new-key FILE.");
        return CLI_USAGE;
    }
    if (hsd_redact_key_make(cli->options.redact.new_key, &err) != HSD_OK) return cli_report_error(cli, &err);
    cli_note(cli,
             "a new key is in %s. Keep it: without it no name can be turned back, and captures of another key do "
             "not compare.",
             cli->options.redact.new_key);
    return CLI_DONE;
}

static int run_redact(cli_app *cli)
{
    hsd_redact_key key;
    if (cli->options.redact.new_key != NULL && cli->input_count == 0) return make_key(cli);
    if (cli->options.redact.new_key != NULL) {
        cli_complain("--new-key makes a key and redacts nothing: call it without a capture.");
        return CLI_USAGE;
    }
    if (cli->input_count == 0) {
        cli_complain("redact needs a capture.");
        return CLI_USAGE;
    }
    if (!cli->options.output) {
        cli_complain("redact needs to know where to write: -o OUT.hs.");
        return CLI_USAGE;
    }
    int result = cli_read_redaction_key(cli, &key);
    if (result == CLI_DONE) result = redact_one(cli, &key);
    hsd_redact_key_forget(&key);
    return result;
}

static bool set_keep(cli_options *options, const char *value)
{
    if (value[0] == 0) return false;
    options->redact.keep[options->redact.keep_count++] = value;
    return true;
}

static const cli_example examples[] = {
    {"hsdiff redact --new-key shop.key", "a key, once"},
    {"hsdiff redact before.hs -o before-redacted.hs --key shop.key", "a copy to hand out"},
    {"hsdiff redact after.hs -o after-redacted.hs --key shop.key", "with the same key, so that they compare"},
    {"hsdiff redact after.hs -o after-redacted.hs --key shop.key --keep 'org.apache.*' --report readable.txt --force",
     "names of a library stay; a list of what is readable"},
    {"hsdiff redact after.hs -o after-redacted.hs --key shop.key --blur-sizes --force",
     "nobody sees how long a text is: sizes are classes"},
    {0},
};

static const cli_option *const options[] = {
    &cli_option_redaction_key,
    &(const cli_option){.name = "new-key",
                        .value = "FILE",
                        .kind = CLI_FILE,
                        .offset = CLI_FIELD(redact.new_key),
                        .told = CLI_LEFT_OUT,
                        .help = "make a key and write it to FILE, which must not be there"},
    &(const cli_option){.name = "keep",
                        .value = "PATTERN",
                        .kind = CLI_OTHER,
                        .set = set_keep,
                        .told = CLI_LEFT_OUT,
                        .repeats = true,
                        .help = "names that match stay as they are, such as 'com.acme.*'; may be given again, and "
                                "alike for captures that are to compare"},
    &(const cli_option){.name = "report",
                        .value = "FILE",
                        .kind = CLI_FILE,
                        .offset = CLI_FIELD(redact.report),
                        .told = CLI_LEFT_OUT,
                        .help = "list in FILE which names are readable in the copy, and how often"},
    &(const cli_option){.name = "blur-sizes",
                        .kind = CLI_FLAG,
                        .offset = CLI_FIELD(redact.blur_sizes),
                        .told = CLI_LEFT_OUT,
                        .help = "sizes and lengths of objects become classes, four to each doubling, up to a fifth "
                                "less; alike for captures that are to compare"},
    &cli_option_with_values,
    &cli_option_encrypt_to,
    CLI_OPTIONS_OF_READING,
    NULL,
};

const cli_command cli_command_redact = {
    .name = "redact",
    .synopsis = "IN -o OUT.hs --key FILE",
    .summary = "copy a capture with pseudonyms for its names and values",
    .description =
        "Names of types, fields, roots, functions, files and threads, keys and values become pseudonyms, which look "
        "like kzrvbcxqwnfstmd. Captures that are redacted with the same key have the same pseudonyms, so diff, check, "
        "series, top and view say of them what they say of the originals, with the same numbers. Names of the runtime "
        "and its standard library stay, and so does what --keep names.\n"
        "\n"
        "Sizes, counts, references, addresses, lines of files, times, the process id and the versions of the runtime "
        "stay readable. --blur-sizes makes classes of sizes: 1, 1.25, 1.5 and 1.75 times each power of two. A dump of "
        "another tool is imported first. hsdiff unredact turns the names in a report back.\n"
        "\n"
        "Without the key nobody can tell what a pseudonym stands for, or which one a guessed name would have. Who has "
        "the key can do the latter: keep it as you keep a password.",
    .examples = examples,
    .options = options,
    .inputs_min = 0,
    .inputs_max = 1,
    .run = run_redact,
};

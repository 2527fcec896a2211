/*
 * --help: examples first, then what is common, then everything. Written for a terminal of 80 columns.
 */
#include "help/help.h"

#include <stdio.h>
#include <string.h>

#include "help/formats.h"
#include "options/options.h"

#define WIDTH          80
#define OPTION_COLUMN  24
#define EXAMPLE_COLUMN 46

const cli_row cli_words[] = {
    {"capture", "a file (.hs) that describes the heap of one program at one moment"},
    {"dump", "a heap dump that another tool has written; hsdiff imports it, which makes a capture of it"},
    {"root",
     "what keeps objects in memory without being an object: a global variable, a stack, a table of the runtime"},
    {"live", "reachable from a root. Other objects are garbage that was not collected yet. In C and C++ they are lost: "
             "the program has no pointer to them any more"},
    {"new", "live in the second capture, and not in the first"},
    {"freed", "live in the first capture, and not in the second"},
    {"retain", "an object retains itself and all that could be freed if it went away"},
    {"holder", "a root, or an object of the first capture, that keeps new objects from being freed"},
    {"place", "where objects hang: a path of types and names from a root. One object can be there, or many"},
    {"baseline", "the totals of a capture (by type, root and path) without its objects"},
    {0},
};

const cli_row cli_exit_statuses[] = {
    {"0", "done. A heap that grew is an answer, and not an error"},
    {"1", "hsdiff check: a rule failed"},
    {"2", "the command line or the configuration is wrong, or the output file exists and --force was not given"},
    {"3",
     "an input is damaged, cut off, of an unknown format or cannot be read. With --partial the answer is printed, and "
     "the status is 3 all the same if a part was skipped. hsdiff check: the captures cannot be judged. hsdiff capture: "
     "the process cannot be captured, "
     "or it ended meanwhile"},
    {"4", "out of memory or disk space, or another failure of input and output. If --memory is too small, the message "
          "says what suffices"},
    {"any", "hsdiff capture -- COMMAND: the exit status of COMMAND, if it is not 0; 126 or 127 if COMMAND cannot be "
            "started; 128 plus the number of the signal if a signal ended it"},
    {"130, 143", "hsdiff was ended by SIGINT (130) or SIGTERM (143), and left no unfinished file"},
    {0},
};

const cli_row cli_outputs[] = {
    {"text", "One screen for people. Sizes have three significant figures; the rows of a table and "
             "the line of others add up to "
             "TOTAL in exact bytes. On a terminal long names are cut in the middle, and two names "
             "never look the same; one too narrow for a table has its columns in part: what grew stays"},
    {"text --plain", "One record a line, fields separated by a tab, exact bytes; lines that begin "
                     "with # name the fields"},
    {"json", "One object, schema hsdiff.diff/1: answer (the sentences that a screen begins with, in one line), "
             "captures, match (basis: exact, address, structure "
             "or counts; reason, rungs, weak, warnings and more), identity_known, partial, "
             "summary, total, types (examples: ids of new objects, in after), roots, holders (or null, and "
             "why_no_holders), sizes, tree with "
             "--tree, and others: the rest with --top, and the holders past the first 1,024. A row of sizes tells how "
             "large the objects of "
             "a type are, before and after: [b, objects, bytes] for those of 2^(b-1) to 2^b - 1 bytes, b 0 for those "
             "of none; of all captured "
             "objects of the 200 types that changed most. Sizes "
             "are exact integers. Names are fixed, and fields may be added. Where identity_known "
             "is false, new and freed are null. In each capture objects and bytes are the live "
             "ones"},
    {"json of series, check",
     "Schemas hsdiff.series/1 and hsdiff.check/1: hsdiff help series, hsdiff help check. Each begins with its answer"},
    {"ndjson", "The same members as json, one object a line: record names what it is"},
    {"html", "A page of one file that needs no network and, for the answer and the largest rows, no script; the rest "
             "is inside it, the records of "
             "ndjson, packed: at most 100,000 rows a table and 10 MiB in all, what is left out is summed up"},
    {"markdown", "Tables for a comment or the summary of a job, cut to --max-bytes"},
    {"openmetrics", "Gauges of sizes, growth and outcomes, with # EOF at the end"},
    {"junit, sarif, github",
     "Of a check alone: one test case a rule; SARIF 2.1.0, one result a finding, with a fingerprint that lasts; "
     "annotations, at the line of the rule"},
    {"csv", "One table by RFC 4180. Names that a spreadsheet would take for a formula, and names "
            "that begin with ', have a ' before "
            "them"},
    {"--objects", "change is new or freed by presence in the captures, live or not; else reached "
                  "or unreached when the object is live "
                  "in one of them alone; else resized. before and after are absent, unreached or "
                  "live. bytes is the size after, or "
                  "before when it was freed"},
    {"names", "What a terminal or a build server would obey in a name is shown as \\x1b, \\u202e "
              "or \\U000e0041, bytes that are no "
              "UTF-8 as \\xff; a backslash that could be taken for such a mark is doubled. JSON "
              "holds names exactly, with U+FFFD "
              "for what is no UTF-8"},
    {0},
};

const cli_row cli_files[] = {
    {"*.hs", "captures; mode 0600, shapes alone unless values were asked for"},
    {".hsdiff.yml", "rules of hsdiff check, looked for in the folder that it runs in"},
    {"$TMPDIR, /var/tmp", "temporary data, in files without a name that vanish with the process; "
                          "--temp-dir names another place. The capture of a dump lies there as it is where that "
                          "takes at most half of what is free, or an eighth if the folder is memory (tmpfs), else "
                          "packed; --verbose says which"},
    {0},
};

const cli_row cli_environment[] = {
    {"NO_COLOR", "not empty: no colour unless --color=always"},
    {"TERM", "dumb: no colour"},
    {"HSDIFF_IDENTITY", "the file of the keys by which encrypted inputs are read, where there is no --identity"},
    {"HSDIFF_AGENTS", "hsdiff capture: the folder with the agents; by default that of the installation"},
    {"HSDIFF_TO, HSDIFF_EVERY, HSDIFF_COUNT",
     "read by agents in a program: where captures go by themselves (hsdiff help receive), every how "
     "many seconds, and how many"},
    {"HSDIFF_LIMITS",
     "with --verbose: a file that says what this machine can do, as hsdiff's bench/limits writes it; by "
     "default figures of a common server"},
    {"HSDIFF_NATIVE", "read by the native agent: its settings, such as \"sample=524288 stacks=fp\""},
    {"SOURCE_DATE_EPOCH",
     "hsdiff check: seconds since 1970 of the day on which allowances are looked at; by default today"},
    {"TMPDIR", "where temporary data goes"},
    {"LC_ALL, LC_CTYPE, LANG", "whether the terminal shows UTF-8; nothing else depends on the locale"},
    {0},
};

bool cli_is_verbatim(const char *line) { return line[0] == ' ' && line[1] == ' '; }

/* The line ends at `text`, and the lines behind them that stand as they are. Returns what is to be filled next. */
static const char *print_breaks(cli_out *out, const char *text, size_t indent)
{
    for (;;) {
        const size_t breaks = strspn(text, "\n");
        cli_out_format(out, "%.*s%*s", (int)breaks, text, (int)indent, "");
        text += breaks;
        if (!cli_is_verbatim(text)) return text;
        const size_t line = strcspn(text, "\n");
        cli_out_format(out, "%.*s", (int)line, text);
        text += line;
        if (*text == 0) return text;
    }
}

void cli_print_wrapped(cli_out *out, const char *text, size_t at, size_t indent, size_t width)
{
    size_t column = at;
    while (*text) {
        const size_t word = strcspn(text, " \n");
        if (column > indent && column + 1 + word > width) {
            cli_out_format(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            cli_out_text(out, " ");
            column++;
        }
        cli_out_format(out, "%.*s", (int)word, text);
        column += word;
        text += word;
        text += *text == ' ';
        if (*text == '\n') {
            text = print_breaks(out, text, indent);
            column = indent;
        }
    }
    cli_out_text(out, "\n");
}

/* ---- pieces ---- */

/* Commands that are too long for what they do to stand beside them have it below. */
static void print_examples(cli_out *out, const cli_example *examples)
{
    for (const cli_example *example = examples; example->command; example++) {
        const size_t at = 2 + strlen(example->command);
        cli_out_format(out, "  %s", example->command);
        if (at + 2 > EXAMPLE_COLUMN || EXAMPLE_COLUMN + strlen(example->what) > WIDTH)
            cli_out_format(out, "\n%*s%s\n", 6, "", example->what);
        else
            cli_out_format(out, "%*s%s\n", (int)(EXAMPLE_COLUMN - at), "", example->what);
    }
}

static void print_option(cli_out *out, const cli_option *option)
{
    char start[64] = "    ";
    if (option->letter) snprintf(start, sizeof start, "-%c, ", option->letter);
    const int used = snprintf(start + 4, sizeof start - 4, "--%s%s%s", option->name, option->value ? " " : "",
                              option->value ? option->value : "");
    cli_out_format(out, "  %s", start);
    size_t at = 2 + 4 + (size_t)used;
    if (at + 2 > OPTION_COLUMN) {
        cli_out_format(out, "\n%*s", OPTION_COLUMN, "");
    } else {
        cli_out_format(out, "%*s", (int)(OPTION_COLUMN - at), "");
    }
    cli_print_wrapped(out, option->help, OPTION_COLUMN, OPTION_COLUMN, WIDTH);
}

/* Options of the command's own first, those of every command behind. */
static void print_options(cli_out *out, const cli_command *command, bool common)
{
    for (const cli_option *const *option = command->options; *option; option++)
        if ((*option)->is_common == common) print_option(out, *option);
}

static void print_rows(cli_out *out, const cli_row *rows)
{
    for (; rows->term; rows++) {
        cli_out_format(out, "  %-10s", rows->term);
        cli_print_wrapped(out, rows->text, 12, 12, WIDTH);
    }
}

static void print_format(cli_out *out, const char *name, const char *text)
{
    cli_out_format(out, "  %-13s ", name);
    cli_print_wrapped(out, text, 16, 16, WIDTH);
}

void cli_print_formats(cli_out *out)
{
    for (size_t i = 0; hsd_importer_get(i); i++) {
        const hsd_importer_info *info = hsd_importer_get(i);
        cli_out_format(out, "  %-12s", info->name);
        cli_print_wrapped(out, info->summary, 14, 14, WIDTH);
        if (!info->suffixes) continue;
        cli_out_format(out, "%*s", 14, "");
        cli_print_wrapped(out, info->suffixes, 14, 14, WIDTH);
    }
}

void cli_print_formats_help(cli_out *out)
{
    cli_out_text(out,
                 "What hsdiff reads and writes besides its own captures, and what each format can\nsay of a heap.\n\n");
    cli_print_format_tables(out);
    cli_out_text(out, "\n");
    cli_print_wrapped(out, cli_format_words, 0, 0, WIDTH);
    cli_out_text(out, "\nRead:\n");
    cli_each_import_format(out, print_format);
    cli_out_text(out, "\nWritten (hsdiff export --to):\n");
    cli_each_export_format(out, print_format);
}

void cli_print_output_help(cli_out *out)
{
    cli_out_text(out, "What a report holds in each format, for people and for programs.\n");
    for (const cli_row *row = cli_outputs; row->term; row++) {
        cli_out_format(out, "\n%s\n    ", row->term);
        cli_print_wrapped(out, row->text, 4, 4, WIDTH);
    }
}

/* ---- the pages ---- */

void cli_print_short_help(cli_out *out)
{
    cli_out_text(out, "hsdiff compares captures of a program's heap: what grew, what keeps it alive. A\n"
                      "capture is a .hs file, or a heap dump of Node, the JVM, .NET, Go, Ruby and more.\n"
                      "\n"
                      "  hsdiff before.heapsnapshot after.heapsnapshot     two snapshots of Node\n"
                      "  hsdiff before.hprof after.hprof                   two dumps of a JVM\n"
                      "  hsdiff capture PID -o before.hs                   a capture of a running program\n"
                      "  hsdiff demo                                       a toy program that leaks, to try it\n"
                      "\n"
                      "  hsdiff monday.hs tuesday.hs wednesday.hs          what keeps growing\n"
                      "  hsdiff check base.hs new.hs                       fail a build on growth\n"
                      "\n"
                      "  hsdiff --help                                     all commands and options\n");
}

void cli_print_help(cli_out *out)
{
    cli_out_text(out, "Compares captures of a program's heap: what grew, what is new, and what keeps\nthe new objects "
                      "from being freed.\n\n");
    print_examples(out, cli_command_get(0)->examples);
    cli_out_text(out, "\nCommands:\n");
    for (size_t i = 0; cli_command_get(i); i++)
        cli_out_format(out, "  %-10s%s\n", cli_command_get(i)->name, cli_command_get(i)->summary);
    cli_out_text(out, "\nOptions of hsdiff BEFORE AFTER:\n");
    print_options(out, cli_command_get(0), false);
    cli_out_text(out, "\nOptions of every command:\n");
    print_options(out, cli_command_get(0), true);
    cli_out_text(out, "\nHeap dumps that are read:\n");
    cli_print_formats(out);
    cli_out_text(out, "\nWords:\n");
    print_rows(out, cli_words);
    cli_out_text(out, "\nExit status:\n");
    print_rows(out, cli_exit_statuses);
    cli_out_text(out, "\nhsdiff help COMMAND explains one command, hsdiff help output what JSON and\n"
                      "other formats hold. man hsdiff is the manual.\n");
}

void cli_print_command_help(cli_out *out, const cli_command *command)
{
    cli_out_format(out, "hsdiff %s: %s\n\n", command->name, command->summary);
    if (command->examples) print_examples(out, command->examples);
    cli_out_format(out, "\nUsage: hsdiff %s %s\n\n", command->name, command->synopsis);
    cli_print_wrapped(out, command->description, 0, 0, WIDTH);
    cli_out_text(out, "\nOptions:\n");
    print_options(out, command, false);
    cli_out_text(out, "\nOptions of every command:\n");
    print_options(out, command, true);
}

void cli_print_version(cli_out *out)
{
    cli_out_format(out, "hsdiff %s\n\nHeap dumps that are read:\n", HSDIFF_VERSION);
    cli_print_formats(out);
    cli_out_text(out, "\nReports:\n");
    for (size_t i = 0; hsd_report_format_get(i); i++)
        cli_out_format(out, "  %-11s  %s\n", hsd_report_format_get(i)->name, hsd_report_format_get(i)->summary);
}

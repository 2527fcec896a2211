/*
 * The options of all commands, in the order in which help shows them, and the loop that reads a command
 * line by the table. One name means the same in every command that takes it.
 */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report_error.h"

#define FIELD(name) offsetof(cli_options, name)

static bool set_top(cli_options *options, const char *value)
{
    if (strcmp(value, "all") == 0) {
        options->top = UINT64_MAX;
        return true;
    }
    char *end;
    if (value[0] < '1' || value[0] > '9') return false;
    options->top = strtoull(value, &end, 10);
    return *end == 0;
}

/* "2" for both inputs, "1,2" for each its own. */
static bool set_dump(cli_options *options, const char *value)
{
    char *end;
    unsigned long numbers[2];
    if (value[0] < '1' || value[0] > '9') return false;
    numbers[0] = numbers[1] = strtoul(value, &end, 10);
    if (*end == ',') {
        if (end[1] < '1' || end[1] > '9') return false;
        numbers[1] = strtoul(end + 1, &end, 10);
    }
    if (*end != 0 || numbers[0] > 1000000 || numbers[1] > 1000000) return false;
    options->dump_numbers[0] = (unsigned)numbers[0];
    options->dump_numbers[1] = (unsigned)numbers[1];
    return true;
}

static bool set_level(cli_options *options, const char *value)
{
    char *end;
    if (value[0] < '0' || value[0] > '9') return false;
    options->level = strtoull(value, &end, 10);
    options->has_level = true;
    return *end == 0 && options->level <= 19;
}

static bool set_threads(cli_options *options, const char *value)
{
    char *end;
    if (value[0] < '1' || value[0] > '9') return false;
    options->threads = strtoull(value, &end, 10);
    return *end == 0 && options->threads <= 1024;
}

static const cli_option table[] = {
    {.name = "format", .value = "FORMAT", .choices = "text|json|csv", .kind = CLI_TEXT, .offset = FIELD(format),
     .commands = CLI_ON_DIFF | CLI_ON_INFO,
     .help = "text for people (the default), json for programs, csv for spreadsheets (diff alone)"},
    {.letter = 'o', .name = "output", .value = "FILE", .kind = CLI_FILE, .offset = FIELD(output),
     .commands = CLI_ON_ALL,
     .help = "write there and not to standard output; an existing file is kept unless --force is given"},
    {.name = "force", .kind = CLI_FLAG, .offset = FIELD(force),
     .commands = CLI_ON_ALL,
     .help = "replace files that exist"},
    {.name = "top", .value = "N", .kind = CLI_OTHER, .set = set_top, .commands = CLI_ON_DIFF | CLI_ON_DUMP,
     .help = "show N rows of each table and add up the rest, or all of them (all); by default 20 types and 10 roots "
             "as text, everything in other formats"},
    {.letter = 's', .name = "sort", .value = "KEY", .choices = "growth|percent|objects|name", .kind = CLI_CHOICE,
     .offset = FIELD(sort), .commands = CLI_ON_DIFF,
     .help = "what decides which rows are shown, and in which order: growth in bytes (the default), percent, objects or name"},
    {.name = "summary", .kind = CLI_FLAG, .offset = FIELD(summary), .commands = CLI_ON_DIFF | CLI_ON_IMPORT,
     .help = "use the totals by type alone and read no object: fast for any size, but no roots, and garbage counts"},
    {.name = "objects", .value = "FILE", .kind = CLI_FILE, .offset = FIELD(objects), .commands = CLI_ON_DIFF,
     .help = "also list each object that came, went or changed there, as CSV: change,id,type,bytes,before,after"},
    {.name = "table", .value = "TABLE", .choices = "types|roots", .kind = CLI_CHOICE, .offset = FIELD(table),
     .commands = CLI_ON_DIFF, .help = "which table --format csv holds: types (the default) or roots"},
    {.name = "partial", .kind = CLI_FLAG, .offset = FIELD(partial),
     .commands = CLI_ON_DIFF | CLI_ON_IMPORT | CLI_ON_DUMP,
     .help = "use what is there of a damaged or cut-off input: figures are then lower bounds, and nothing is called freed"},
    {.name = "min", .value = "SIZE", .kind = CLI_SIZE, .offset = FIELD(noise_bytes), .commands = CLI_ON_DIFF,
     .help = "changes below SIZE show ~ for their percentage; by default the larger of 64 KiB and 0.1 % of before"},
    {.name = "bytes", .kind = CLI_FLAG, .offset = FIELD(exact_bytes), .commands = CLI_ON_DIFF | CLI_ON_INFO,
     .help = "show exact bytes instead of KiB, MiB and GiB"},
    {.name = "plain", .kind = CLI_FLAG, .offset = FIELD(plain), .commands = CLI_ON_DIFF,
     .help = "one record a line, tab separated, nothing cut or aligned: for screen readers and awk"},
    {.letter = 'w', .name = "wide", .kind = CLI_FLAG, .offset = FIELD(wide), .commands = CLI_ON_DIFF,
     .help = "never cut names to the width of the terminal, and show all columns"},
    {.name = "only", .value = "KINDS", .kind = CLI_TEXT, .offset = FIELD(only), .commands = CLI_ON_DUMP,
     .choices = "strings|types|labels|sites|threads|frames|metrics|losses|objects|edges|roots|totals|groups",
     .help = "the kinds of records to print, separated by commas"},
    {.name = "from", .value = "FORMAT", .kind = CLI_TEXT, .offset = FIELD(from),
     .commands = CLI_ON_DIFF | CLI_ON_IMPORT | CLI_ON_INFO | CLI_ON_DUMP,
     .help = "read foreign dumps as this format instead of looking at their first bytes"},
    {.name = "dump", .value = "N[,M]", .kind = CLI_OTHER, .set = set_dump,
     .commands = CLI_ON_DIFF | CLI_ON_IMPORT | CLI_ON_INFO | CLI_ON_DUMP,
     .help = "which dump of a file that holds several, from 1 (of before, of after)"},
    {.name = "with-values", .kind = CLI_FLAG, .offset = FIELD(with_values), .commands = CLI_ON_IMPORT,
     .help = "also keep map keys and value previews; they are user data, and the capture will say so"},
    {.name = "final-is-strong", .kind = CLI_FLAG, .offset = FIELD(final_is_strong),
     .commands = CLI_ON_DIFF | CLI_ON_IMPORT | CLI_ON_INFO | CLI_ON_DUMP,
     .help = "JVM dumps: objects that wait for their finalizer count as held by it"},
    {.name = "level", .value = "N", .kind = CLI_OTHER, .set = set_level, .commands = CLI_ON_IMPORT,
     .help = "compress the capture at this zstd level, 1 to 19, or not at all (0); the default is 1"},
    {.name = "memory", .value = "SIZE", .kind = CLI_SIZE, .offset = FIELD(memory_bytes), .commands = CLI_ON_WORK,
     .help = "use at most this much memory, such as 64M or 2G; by default the smaller of 1 GiB and a quarter of what there is"},
    {.name = "temp-dir", .value = "DIR", .kind = CLI_FOLDER, .offset = FIELD(temp_dir), .commands = CLI_ON_WORK,
     .help = "put temporary data there; by default $TMPDIR, else /var/tmp"},
    {.name = "threads", .value = "N", .kind = CLI_OTHER, .set = set_threads, .commands = CLI_ON_WORK,
     .help = "use at most N threads; by default one for each processor"},
    {.name = "no-progress", .kind = CLI_FLAG, .offset = FIELD(no_progress), .commands = CLI_ON_WORK,
     .help = "no progress line on a terminal"},
    {.name = "color", .value = "WHEN", .choices = "auto|always|never", .kind = CLI_CHOICE, .offset = FIELD(color),
     .commands = CLI_ON_ALL, .help = "auto (the default), always or never; NO_COLOR and TERM=dumb switch auto off"},
    {.letter = 'q', .name = "quiet", .kind = CLI_FLAG, .offset = FIELD(quiet), .commands = CLI_ON_ALL,
     .help = "only the result and errors: no notes, no suggestions"},
    {.letter = 'v', .name = "verbose", .kind = CLI_FLAG, .offset = FIELD(verbose), .commands = CLI_ON_ALL,
     .help = "tell on standard error how memory was divided and what each stage took"},
    {.letter = 'h', .name = "help", .kind = CLI_FLAG, .offset = FIELD(help), .commands = CLI_ON_ALL, .help = "this help"},
    {.name = "version", .kind = CLI_FLAG, .offset = FIELD(version), .commands = CLI_ON_ALL,
     .help = "the version, and the formats that are known"},
    {.name = "generate", .value = "WHAT", .choices = "man|complete-bash|complete-zsh|complete-fish", .kind = CLI_TEXT,
     .offset = FIELD(generate), .commands = CLI_ON_HELP,
     .help = "print the manual page (of a command that follows) or the completions of a shell"},
};

const cli_option *cli_option_get(size_t i) { return i < sizeof table / sizeof table[0] ? &table[i] : NULL; }

/* ---- values ---- */

bool cli_parse_size(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMGTPE";
    if (text[0] < '0' || text[0] > '9') return false;
    char *end;
    uint64_t number = strtoull(text, &end, 10), factor = 1;
    while (*end == ' ')
        end++;
    const char letter = (char)(*end >= 'a' && *end <= 'z' ? *end - 32 : *end);
    const char *unit = letter ? strchr(units, letter) : NULL;
    if (unit) {
        end++;
        const bool is_decimal = (*end == 'B' || *end == 'b') && end[1] == 0; /* KB is 1000, K and KiB are 1024 */
        if (*end == 'i' && (end[1] == 'B' || end[1] == 'b')) end += 2;
        else if (is_decimal) end++;
        for (long i = 0; i <= unit - units; i++)
            factor *= is_decimal ? 1000 : 1024;
    } else if (letter == 'B') {
        end++;
    }
    if (*end != 0 || (number == UINT64_MAX)) return false;
    return !__builtin_mul_overflow(number, factor, bytes);
}

static bool parse_count(const char *text, uint64_t *count)
{
    char *end;
    if (text[0] < '1' || text[0] > '9') return false;
    *count = strtoull(text, &end, 10);
    return *end == 0 && *count != UINT64_MAX;
}

/* Place of `value` in "a|b|c", or -1. */
static int find_choice(const char *choices, const char *value)
{
    const size_t length = strlen(value);
    for (int place = 0;; place++) {
        const char *end = strchr(choices, '|');
        const size_t size = end ? (size_t)(end - choices) : strlen(choices);
        if (size == length && memcmp(choices, value, size) == 0) return place;
        if (!end) return -1;
        choices = end + 1;
    }
}

static bool store(const cli_option *option, cli_options *options, const char *value)
{
    void *field = (char *)options + option->offset;
    int place;
    switch (option->kind) {
    case CLI_FLAG: *(bool *)field = true; return true;
    case CLI_TEXT:
    case CLI_FILE:
    case CLI_FOLDER: *(const char **)field = value; return value[0] != 0;
    case CLI_SIZE: return cli_parse_size(value, field);
    case CLI_COUNT: return parse_count(value, field);
    case CLI_CHOICE:
        place = find_choice(option->choices, value);
        if (place >= 0) *(int *)field = place;
        return place >= 0;
    case CLI_OTHER: return option->set(options, value);
    }
    return false;
}

/* ---- the command line ---- */

static const cli_option *find_long(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strlen(table[i].name) == size && memcmp(table[i].name, name, size) == 0) return &table[i];
    return NULL;
}

static const cli_option *find_letter(char letter)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].letter == letter && letter != 0) return &table[i];
    return NULL;
}

/* Edits between two short words, for "did you mean". */
static size_t distance(const char *a, size_t a_size, const char *b)
{
    size_t row[40];
    const size_t b_size = strlen(b);
    if (a_size > 32 || b_size > 32) return 99;
    for (size_t j = 0; j <= b_size; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            const size_t above = row[j];
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            if (above + 1 < best) best = above + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
            diagonal = above;
        }
    }
    return row[b_size];
}

static bool fail_unknown(const char *word, const char *name, size_t size)
{
    const char *nearest = NULL;
    size_t least = 4;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const size_t edits = distance(name, size, table[i].name);
        if (edits < least && 2 * edits <= size) {
            least = edits;
            nearest = table[i].name;
        }
    }
    if (nearest)
        cli_complain("there is no option %s; did you mean --%s?", word, nearest);
    else
        cli_complain("there is no option %s.", word);
    return false;
}

static bool take_value(cli_app *cli, const cli_option *option, const char *shown, const char *value)
{
    if (store(option, &cli->options, value)) return true;
    if (option->choices)
        cli_complain("%s takes one of %s, not '%s'.", shown, option->choices, value);
    else if (option->kind == CLI_SIZE)
        cli_complain("%s takes a size such as 64M, 512MiB or 2G, not '%s'.", shown, value);
    else if (option->kind == CLI_COUNT || option->kind == CLI_OTHER)
        cli_complain("%s takes %s, and '%s' is none.", shown, option->value, value);
    else
        cli_complain("%s needs a %s.", shown, option->value);
    return false;
}

/* The word behind an option that wants one, or NULL after a message. */
static const char *next_word(cli_app *cli, int *at, const cli_option *option, const char *shown)
{
    if (*at + 1 < cli->argc) return cli->argv[++*at];
    cli_complain("%s needs a value: %s.", shown, option->value);
    return NULL;
}

static bool parse_long(cli_app *cli, int *at, unsigned *used)
{
    const char *word = cli->argv[*at], *name = word + 2, *equals = strchr(name, '=');
    const size_t size = equals ? (size_t)(equals - name) : strlen(name);
    const cli_option *option = find_long(name, size);
    if (!option) return fail_unknown(word, name, size);
    char shown[64];
    snprintf(shown, sizeof shown, "--%s", option->name);
    *used |= 1u << (unsigned)(option - table);
    if (option->kind == CLI_FLAG) {
        if (equals) {
            cli_complain("%s takes no value.", shown);
            return false;
        }
        return store(option, &cli->options, "");
    }
    const char *value = equals ? equals + 1 : next_word(cli, at, option, shown);
    return value && take_value(cli, option, shown, value);
}

/* -q, -wq, -oFILE, -o FILE. */
static bool parse_letters(cli_app *cli, int *at, unsigned *used)
{
    for (const char *letter = cli->argv[*at] + 1; *letter; letter++) {
        const char shown[] = {'-', *letter, 0};
        const cli_option *option = find_letter(*letter);
        if (!option) {
            cli_complain("there is no option %s (in %s).", shown, cli->argv[*at]);
            return false;
        }
        *used |= 1u << (unsigned)(option - table);
        if (option->kind == CLI_FLAG) {
            store(option, &cli->options, "");
            continue;
        }
        const char *value = letter[1] ? letter + 1 : next_word(cli, at, option, shown);
        return value && take_value(cli, option, shown, value);
    }
    return true;
}

_Static_assert(sizeof table / sizeof table[0] <= 32, "the set of options used is 32 bits");

static bool check_used(cli_app *cli, unsigned used)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const bool applies = table[i].commands & (cli->command->bit | CLI_ON_HELP);
        if (!(used >> i & 1u) || applies) continue;
        cli_complain("--%s is no option of hsdiff %s.", table[i].name, cli->command->name);
        return false;
    }
    return true;
}

/* The first input names the command if there is one of that name; a file of that name is ./info. */
static void choose_command(cli_app *cli, bool may_name)
{
    const cli_command *named = may_name && cli->input_count > 0 ? cli_command_find(cli->inputs[0]) : NULL;
    cli->command = named ? named : cli_command_get(0);
    cli->is_named = named != NULL;
    if (!named) return;
    cli->inputs++;
    cli->input_count--;
}

bool cli_parse(cli_app *cli)
{
    unsigned used = 0;
    bool are_options = true, may_name = true;
    for (int at = 1; at < cli->argc; at++) {
        const char *word = cli->argv[at];
        if (are_options && strcmp(word, "--") == 0) {
            are_options = false;
            may_name = may_name && cli->input_count > 0;
        } else if (are_options && word[0] == '-' && word[1] == '-') {
            if (!parse_long(cli, &at, &used)) return false;
        } else if (are_options && word[0] == '-' && word[1] != 0) {
            if (!parse_letters(cli, &at, &used)) return false;
        } else {
            cli->inputs[cli->input_count++] = word;
        }
    }
    choose_command(cli, may_name);
    return check_used(cli, used);
}

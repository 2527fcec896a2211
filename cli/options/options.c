/*
 * Reading a command line by the table of options: values by their kind, options anywhere, "did you
 * mean" for those that do not exist.
 */
#include "options/options.h"
#include "help/nearest.h"
#include <hsdiff/report.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report_error.h"

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
        if (*end == 'i' && (end[1] == 'B' || end[1] == 'b'))
            end += 2;
        else if (is_decimal)
            end++;
        for (long i = 0; i <= unit - units; i++)
            factor *= is_decimal ? 1000 : 1024;
    } else if (letter == 'B') {
        end++;
    }
    if (*end != 0 || (number == UINT64_MAX)) return false;
    return !__builtin_mul_overflow(number, factor, bytes);
}

bool cli_parse_duration(const char *text, uint64_t *milliseconds)
{
    static const struct {
        const char *name;
        uint64_t factor;
    } units[] = {{"ms", 1}, {"s", 1000}, {"", 1000}, {"m", 60000}, {"min", 60000}, {"h", 3600000}, {"d", 86400000}};
    if (text[0] < '0' || text[0] > '9') return false;
    char *end;
    const uint64_t number = strtoull(text, &end, 10);
    while (*end == ' ')
        end++;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(end, units[i].name) == 0)
            return !__builtin_mul_overflow(number, units[i].factor, milliseconds) &&
                   *milliseconds <= UINT64_C(31536000000);
    return false;
}

static bool parse_count(const char *text, uint64_t *count)
{
    char *end;
    if (text[0] < '1' || text[0] > '9') return false;
    *count = strtoull(text, &end, 10);
    return *end == 0 && *count != UINT64_MAX;
}

const char *cli_choices(const cli_option *option)
{
    return option->list_choices ? option->list_choices() : option->choices;
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
    case CLI_DURATION: return cli_parse_duration(value, field);
    case CLI_CHOICE:
        place = find_choice(cli_choices(option), value);
        if (place >= 0) *(int *)field = place;
        return place >= 0;
    case CLI_OTHER: return option->set(options, value);
    }
    return false;
}

/* ---- the command line ---- */

/* The row that the command takes, else the first of that name. */
static const cli_option *find_long(const char *name, size_t size, const cli_command *command)
{
    const cli_option *found = command ? cli_command_option(command, name, size) : NULL;
    for (size_t i = 0; !found && cli_command_get(i); i++)
        found = cli_command_option(cli_command_get(i), name, size);
    return found;
}

static const cli_option *find_letter(char letter, const cli_command *command)
{
    for (size_t i = 0; letter != 0 && cli_option_get(i); i++) {
        const cli_option *option = cli_option_get(i);
        if (option->letter == letter) return find_long(option->name, strlen(option->name), command);
    }
    return NULL;
}

/* Which options the command line used, each once. */
typedef struct cli_used {
    const cli_option *options[CLI_OPTIONS_MAX];
    size_t count;
} cli_used;

static void note_used(cli_used *used, const cli_option *option)
{
    for (size_t i = 0; i < used->count; i++)
        if (used->options[i] == option) return;
    if (used->count < CLI_OPTIONS_MAX) used->options[used->count++] = option;
}

/* True if the word is an option whose value is the word behind it. */
static bool takes_next_word(const char *word)
{
    const cli_option *option = NULL;
    if (word[0] == '-' && word[1] == '-') {
        option = strchr(word, '=') ? NULL : find_long(word + 2, strlen(word + 2), NULL);
    } else if (word[0] == '-') {
        while (*++word && (option = find_letter(*word, NULL)) && option->kind == CLI_FLAG)
            continue;
        if (*word && word[1]) return false; /* the value stands behind the letter */
    }
    return option && option->kind != CLI_FLAG;
}

/* The command that the first word names which is no option; NULL when it names none. */
static const cli_command *command_of_words(const cli_app *cli)
{
    for (int at = 1; at < cli->argc && strcmp(cli->argv[at], "--") != 0; at++) {
        const char *word = cli->argv[at];
        if (takes_next_word(word))
            at++;
        else if (word[0] != '-' || word[1] == 0)
            return cli_command_find(word);
    }
    return NULL;
}

/* The command whose options are read: rows of one name differ from command to command. */
static const cli_command *command_of(const cli_app *cli)
{
    const cli_command *named = command_of_words(cli);
    return named ? named : cli_command_get(0);
}

/* --json is what other tools have for a format. */
static bool is_format(const char *name)
{
    for (size_t i = 0; hsd_report_format_get(i); i++)
        if (strcmp(hsd_report_format_get(i)->name, name) == 0) return true;
    return false;
}

static bool fail_unknown(const char *word, const char *name, size_t size)
{
    if (is_format(name)) {
        cli_complain("there is no option %s; did you mean --format %s?", word, name);
        return false;
    }
    const char *nearest = NULL;
    size_t least = 4;
    for (size_t i = 0; cli_option_get(i); i++) {
        const size_t edits = cli_edits(name, size, cli_option_get(i)->name);
        if (edits < least && 2 * edits <= size) {
            least = edits;
            nearest = cli_option_get(i)->name;
        }
    }
    if (nearest)
        cli_complain("there is no option %s; did you mean --%s?", word, nearest);
    else
        cli_complain("there is no option %s.", word);
    return false;
}

/* Options that are told, for command_line.c: a flag or a value stands once, as it was given last, unless every one
 * counts. */
static void note_given(cli_app *cli, const cli_option *option, const char *value)
{
    size_t place = option->repeats ? cli->given_count : 0;
    if (option->told != CLI_TOLD) return;
    while (place < cli->given_count && cli->given[place].option != option)
        place++;
    cli->given[place] = (struct cli_given){option, value};
    if (place == cli->given_count) cli->given_count++;
}

static bool take_value(cli_app *cli, const cli_option *option, const char *shown, const char *value)
{
    note_given(cli, option, value);
    if (store(option, &cli->options, value)) return true;
    if (cli_choices(option))
        cli_complain("%s takes one of %s, not '%s'.", shown, cli_choices(option), value);
    else if (option->kind == CLI_SIZE)
        cli_complain("%s takes a size such as 64M, 512MiB or 2G, not '%s'.", shown, value);
    else if (option->kind == CLI_DURATION)
        cli_complain("%s takes a time such as 500ms, 60s, 5m or 1h, not '%s'.", shown, value);
    else if (option->kind == CLI_COUNT)
        cli_complain("%s takes a whole number from 1, not '%s'.", shown, value);
    else if (option->kind == CLI_OTHER && strcmp(option->value, "N") == 0)
        cli_complain("%s takes a whole number%s, not '%s'.", shown, strcmp(value, "0") == 0 ? " from 1" : "", value);
    else if (option->kind == CLI_OTHER)
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

static bool parse_long(cli_app *cli, int *at, cli_used *used)
{
    const char *word = cli->argv[*at], *name = word + 2, *equals = strchr(name, '=');
    const size_t size = equals ? (size_t)(equals - name) : strlen(name);
    const cli_option *option = find_long(name, size, command_of(cli));
    if (!option) return fail_unknown(word, name, size);
    char shown[64];
    snprintf(shown, sizeof shown, "--%s", option->name);
    note_used(used, option);
    if (option->kind == CLI_FLAG) {
        if (equals) {
            cli_complain("%s takes no value.", shown);
            return false;
        }
        note_given(cli, option, "");
        return store(option, &cli->options, "");
    }
    const char *value = equals ? equals + 1 : next_word(cli, at, option, shown);
    return value && take_value(cli, option, shown, value);
}

/* -p 4121 is what other tools take; here a process needs no option. */
static bool fail_letter(const cli_app *cli, const char *shown, const char *word)
{
    const cli_command *command = command_of(cli);
    if (command->is_of_processes && shown[1] == 'p')
        cli_complain("there is no option -p: a process needs none, as in hsdiff %s 4121.", command->name);
    else if (word[2] != 0 && access(word, F_OK) == 0)
        cli_complain("there is no option %s (in %s); the file of that name is ./%s.", shown, word, word);
    else if (word[2] != 0)
        cli_complain("there is no option %s (in %s).", shown, word);
    else
        cli_complain("there is no option %s.", shown);
    return false;
}

/* -q, -wq, -oFILE, -o FILE. */
static bool parse_letters(cli_app *cli, int *at, cli_used *used)
{
    for (const char *letter = cli->argv[*at] + 1; *letter; letter++) {
        const char shown[] = {'-', *letter, 0};
        const cli_option *option = find_letter(*letter, command_of(cli));
        if (!option) {
            return fail_letter(cli, shown, cli->argv[*at]);
        }
        note_used(used, option);
        if (option->kind == CLI_FLAG) {
            note_given(cli, option, "");
            store(option, &cli->options, "");
            continue;
        }
        const char *value = letter[1] ? letter + 1 : next_word(cli, at, option, shown);
        return value && take_value(cli, option, shown, value);
    }
    return true;
}

/* "check, series": the commands that take an option of that name. */
static void list_commands(char *text, size_t size, const char *option_name)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; cli_command_get(i); i++) {
        const cli_command *command = cli_command_get(i);
        if (!cli_command_option(command, option_name, strlen(option_name))) continue;
        const int more = snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", command->name);
        if (more < 0 || (size_t)more >= size - used) return;
        used += (size_t)more;
    }
}

/* What help takes is taken with every command: --generate names its page. */
static bool applies(const cli_command *command, const cli_option *option)
{
    return cli_command_takes(command, option) || cli_command_takes(cli_command_find("help"), option);
}

static bool check_used(cli_app *cli, const cli_used *used)
{
    for (size_t i = 0; i < used->count; i++) {
        const cli_option *option = used->options[i];
        char names[256];
        if (applies(cli->command, option)) continue;
        list_commands(names, sizeof names, option->name);
        if (cli->command->is_of_processes && strcmp(option->name, "pid") == 0)
            cli_complain("hsdiff %s takes no --pid: a process needs no option, as in hsdiff %s 4121.",
                         cli->command->name, cli->command->name);
        else
            cli_complain("--%s is no option of hsdiff %s, but of: %s.", option->name, cli->command->name, names);
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
    if (cli->first_group > 0) cli->first_group--;
}

bool cli_parse(cli_app *cli)
{
    cli_used used = {0};
    bool are_options = true, may_name = true;
    cli_set_topic(command_of_words(cli));
    for (int at = 1; at < cli->argc; at++) {
        const char *word = cli->argv[at];
        if (are_options && strcmp(word, "--") == 0) {
            are_options = false;
            may_name = may_name && cli->input_count > 0;
            cli->first_group = cli->input_count;
            cli->has_dashes = true;
        } else if (are_options && word[0] == '-' && word[1] == '-') {
            if (!parse_long(cli, &at, &used)) return false;
        } else if (are_options && word[0] == '-' && word[1] != 0) {
            if (!parse_letters(cli, &at, &used)) return false;
        } else {
            cli->inputs[cli->input_count++] = word;
        }
    }
    choose_command(cli, may_name);
    if (cli->first_group == cli->input_count) cli->first_group = 0;
    return check_used(cli, &used);
}

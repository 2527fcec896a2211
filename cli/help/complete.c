/*
 * Completions for bash, zsh and fish, from the tables of commands and options.
 */
#include <string.h>

#include "help/help.h"
#include "options/options.h"

static void put_commands(cli_out *out, const char *separator)
{
    for (size_t i = 0; cli_command_get(i); i++)
        cli_out_format(out, "%s%s", i > 0 ? separator : "", cli_command_get(i)->name);
}

static void put_choices(cli_out *out, const char *choices)
{
    for (; *choices; choices++)
        cli_out_format(out, "%c", *choices == '|' ? ' ' : *choices);
}

/* Words that stand behind the name of the command: of help those that it explains. */
static bool takes_words(const cli_command *command) { return command->words || command->shows_pages; }

static void put_words(cli_out *out, const cli_command *command)
{
    if (command->words) {
        put_choices(out, command->words);
    } else {
        put_commands(out, " ");
        cli_out_text(out, " formats output");
    }
}

/* True for a row whose name has another row before it: it is for commands of its own. */
static bool is_further(const cli_option *option)
{
    for (size_t i = 0; cli_option_get(i) != option; i++)
        if (strcmp(cli_option_get(i)->name, option->name) == 0) return true;
    return false;
}

/* ---- bash ---- */

/* "*\ --sort|*\ -s", or with the commands that a further row is for: "top\ --sort". */
static void put_bash_pattern(cli_out *out, const cli_option *option)
{
    const char *separator = "        ";
    for (size_t i = 0; cli_command_get(i); i++) {
        const cli_command *command = cli_command_get(i);
        if (is_further(option) && !cli_command_takes(command, option)) continue;
        const char *name = is_further(option) ? command->name : "*";
        cli_out_format(out, "%s%s\\ --%s", separator, name, option->name);
        if (option->letter) cli_out_format(out, "|%s\\ -%c", name, option->letter);
        separator = "|";
        if (!is_further(option)) break;
    }
    cli_out_text(out, ") ");
}

/* Rows of one name: the further ones first, for the first pattern that fits counts. */
static void put_bash_values(cli_out *out, bool further)
{
    for (size_t i = 0; cli_option_get(i); i++) {
        const cli_option *option = cli_option_get(i);
        if (!option->value || is_further(option) != further ||
            (!cli_choices(option) && option->kind != CLI_FILE && option->kind != CLI_FOLDER))
            continue;
        put_bash_pattern(out, option);
        if (cli_choices(option)) {
            cli_out_text(out, "COMPREPLY=($(compgen -W '");
            put_choices(out, cli_choices(option));
            cli_out_text(out, "' -- \"$word\"))");
        } else {
            cli_out_format(out, "COMPREPLY=($(compgen -%c -- \"$word\"))", option->kind == CLI_FOLDER ? 'd' : 'f');
        }
        cli_out_text(out, "; return ;;\n");
    }
}

static void put_bash_options(cli_out *out, const char *pattern, const cli_command *command)
{
    cli_out_format(out, "        %s) options='", pattern);
    for (const cli_option *const *option = command->options; *option; option++)
        cli_out_format(out, "--%s ", (*option)->name);
    cli_out_text(out, "' ;;\n");
}

static void put_bash(cli_out *out)
{
    cli_out_text(out, "_hsdiff() {\n"
                      "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options\n"
                      "    case \"${COMP_WORDS[1]} $before\" in\n");
    put_bash_values(out, true);
    put_bash_values(out, false);
    cli_out_text(out, "    esac\n    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 1; cli_command_get(i); i++)
        put_bash_options(out, cli_command_get(i)->name, cli_command_get(i));
    put_bash_options(out, "*", cli_command_get(0));
    cli_out_text(out, "    esac\n    COMPREPLY=()\n    (( COMP_CWORD == 2 )) && case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; cli_command_get(i); i++) {
        if (!takes_words(cli_command_get(i))) continue;
        cli_out_format(out, "        %s) COMPREPLY=($(compgen -W '", cli_command_get(i)->name);
        put_words(out, cli_command_get(i));
        cli_out_text(out, "' -- \"$word\")) ;;\n");
    }
    cli_out_text(out, "    esac\n    (( ${#COMPREPLY[@]} > 0 )) && return\n"
                      "    if [[ $word == -* ]]; then COMPREPLY=($(compgen -W \"$options\" -- "
                      "\"$word\")); return; fi\n"
                      "    (( COMP_CWORD == 1 )) && COMPREPLY=($(compgen -W '");
    put_commands(out, " ");
    cli_out_text(out, "' -- \"$word\"))\n    COMPREPLY+=($(compgen -f -- \"$word\"))\n}\n"
                      "complete -o filenames -F _hsdiff hsdiff\n");
}

/* ---- zsh ---- */

static void put_zsh_text(cli_out *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            cli_out_text(out, "'\\''");
        else if (strchr("[]:\\", *text))
            cli_out_format(out, "\\%c", *text);
        else
            cli_out_format(out, "%c", *text);
    }
}

/* '--sort=[order types by]:KEY:(growth percent)' */
static void put_zsh_option(cli_out *out, const cli_option *option)
{
    cli_out_format(out, "  '--%s%s[", option->name, option->value ? "=" : "");
    put_zsh_text(out, option->help);
    cli_out_text(out, "]");
    if (option->value) {
        cli_out_text(out, ":");
        put_zsh_text(out, option->value);
        cli_out_text(out, ":");
    }
    if (option->value && cli_choices(option)) {
        cli_out_text(out, "(");
        put_choices(out, cli_choices(option));
        cli_out_text(out, ")");
    } else if (option->value) {
        cli_out_text(out, option->kind == CLI_FOLDER ? "_files -/" : "_files");
    }
    cli_out_text(out, "'\n");
}

/* The places of its options in the array, and what its inputs are. */
static void put_zsh_command(cli_out *out, const char *pattern, const cli_command *command)
{
    cli_out_format(out, "  %s) _arguments -s", pattern);
    for (size_t i = 0; cli_option_get(i); i++)
        if (cli_command_takes(command, cli_option_get(i))) cli_out_format(out, " $o[%zu]", i + 1);
    if (takes_words(command)) {
        cli_out_text(out, " '2:word:(");
        put_words(out, command);
        cli_out_text(out, ")'");
    }
    cli_out_text(out, " $first '*:file:_files' ;;\n");
}

static void put_zsh(cli_out *out)
{
    cli_out_text(out, "#compdef hsdiff\nlocal -a o\nlocal first='1:command or file:{ compadd ");
    put_commands(out, " ");
    cli_out_text(out, "; _files }'\no=(\n");
    for (size_t i = 0; cli_option_get(i); i++)
        put_zsh_option(out, cli_option_get(i));
    cli_out_text(out, ")\ncase $words[2] in\n");
    for (size_t i = 1; cli_command_get(i); i++)
        put_zsh_command(out, cli_command_get(i)->name, cli_command_get(i));
    put_zsh_command(out, "*", cli_command_get(0));
    cli_out_text(out, "esac\n");
}

/* ---- fish ---- */

static void put_fish_text(cli_out *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') cli_out_text(out, "\\");
        cli_out_format(out, "%c", *text);
    }
}

/* -n 'commands that take it': the default one need not be named, so what it takes is told by those that do not. */
static void put_fish_commands(cli_out *out, const cli_option *option)
{
    const bool is_of_default = cli_command_takes(cli_command_get(0), option);
    size_t count = 0;
    for (size_t i = 0; cli_command_get(i); i++) {
        if (cli_command_takes(cli_command_get(i), option) == is_of_default) continue;
        if (count++ == 0) cli_out_format(out, " -n '%s__fish_seen_subcommand_from", is_of_default ? "not " : "");
        cli_out_format(out, " %s", cli_command_get(i)->name);
    }
    if (count > 0) cli_out_text(out, "'");
}

static void put_fish_words(cli_out *out, const cli_command *command)
{
    cli_out_format(out, "complete -c hsdiff -n '__fish_seen_subcommand_from %s' -f -a '", command->name);
    put_words(out, command);
    cli_out_text(out, "'\n");
}

static void put_fish(cli_out *out)
{
    for (size_t i = 0; cli_command_get(i); i++) {
        cli_out_format(out, "complete -c hsdiff -n __fish_use_subcommand -a %s -d '", cli_command_get(i)->name);
        put_fish_text(out, cli_command_get(i)->summary);
        cli_out_text(out, "'\n");
        if (takes_words(cli_command_get(i))) put_fish_words(out, cli_command_get(i));
    }
    for (size_t i = 0; cli_option_get(i); i++) {
        const cli_option *option = cli_option_get(i);
        cli_out_text(out, "complete -c hsdiff");
        put_fish_commands(out, option);
        cli_out_format(out, " -l %s", option->name);
        if (option->letter) cli_out_format(out, " -s %c", option->letter);
        if (option->value) cli_out_text(out, cli_choices(option) ? " -x -a '" : " -r");
        if (option->value && cli_choices(option)) {
            put_choices(out, cli_choices(option));
            cli_out_text(out, "'");
        }
        cli_out_text(out, " -d '");
        put_fish_text(out, option->help);
        cli_out_text(out, "'\n");
    }
}

void cli_print_completion(cli_out *out, const char *shell)
{
    if (strcmp(shell, "complete-bash") == 0) put_bash(out);
    if (strcmp(shell, "complete-zsh") == 0) put_zsh(out);
    if (strcmp(shell, "complete-fish") == 0) put_fish(out);
}

/*
 * The command line as a report tells it: canonical, quoted, without what changes nothing; and every option says which
 * it is.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "options/command_line.h"
#include "options/options.h"

#define WORDS_MOST 64

extern char **environ;

/* ---- telling ---- */

/* The text for these words, which end with NULL; the caller frees it. */
static char *told(const char *const *words)
{
    static const char *lists[5][WORDS_MOST];
    static struct cli_given given[CLI_OPTIONS_MAX + WORDS_MOST];
    static char copies[WORDS_MOST][256], *argv[WORDS_MOST];
    cli_app cli = {.argv = argv, .inputs = lists[0], .given = given};
    cli.options.keys = lists[1];
    cli.options.labels = lists[2];
    cli.options.also = lists[3];
    cli.options.symbols = lists[4];
    for (; words[cli.argc]; cli.argc++) {
        snprintf(copies[cli.argc], sizeof copies[0], "%s", words[cli.argc]);
        argv[cli.argc] = copies[cli.argc];
    }
    cr_assert(cli_parse(&cli), "%s", words[1]);
    char *text = cli_command_line(&cli);
    cr_assert_not_null(text);
    return text;
}

#define TELLS(wanted, ...)                                                                                             \
    do {                                                                                                               \
        char *text_ = told((const char *const[]){"hsdiff", __VA_ARGS__, NULL});                                        \
        cr_expect_str_eq(text_, wanted, "%s", text_);                                                                  \
        free(text_);                                                                                                   \
    } while (0)

Test(command_line, names_command_inputs_and_options)
{
    TELLS("hsdiff before.hs after.hs", "before.hs", "after.hs");
    TELLS("hsdiff before.hs after.hs", "diff", "before.hs", "after.hs");
    TELLS("hsdiff check a.hs b.hs --config ci.yml", "check", "a.hs", "b.hs", "--config", "ci.yml");
    TELLS("hsdiff series a.hs b.hs c.hs --warmup 1", "--warmup=1", "series", "a.hs", "b.hs", "c.hs");
    TELLS("hsdiff capture 4121 --way jvm --view", "capture", "--view", "4121", "--way", "jvm");
    TELLS("hsdiff view a.hs - --min 1M", "view", "a.hs", "-", "--min", "1M");
}

Test(command_line, has_one_form_for_all_that_ask_for_the_same)
{
    TELLS("hsdiff a.hs b.hs --top 5 --sort name --key B:id --key A:id", "-sname", "--top", "7", "a.hs", "--key=B:id",
          "b.hs", "--key", "A:id", "--top=5");
    TELLS("hsdiff a.hs b.hs --top 5 --sort name --key B:id --key A:id", "a.hs", "b.hs", "--sort", "percent", "--key",
          "B:id", "--key", "A:id", "--sort", "name", "--top", "5");
    TELLS("hsdiff a.hs b.hs --summary", "--summary", "a.hs", "--summary", "b.hs");
}

Test(command_line, leaves_out_what_changes_nothing)
{
    TELLS("hsdiff a.hs b.hs --no-holders", "a.hs", "b.hs", "--threads", "7", "--memory", "64M", "--temp-dir", "/t",
          "--no-progress", "--color", "never", "-qvw", "-o", "out", "--force", "--format", "json", "--html", "x.html",
          "--also", "csv=x.csv", "--no-holders", "--objects", "o.csv");
    TELLS("hsdiff view a.hs", "view", "a.hs", "--open", "--port", "8123", "--ipv6", "--idle", "never");
    TELLS("hsdiff check a.hs b.hs", "check", "a.hs", "b.hs", "--update-baseline", "--identities", "--places", "5");
}

Test(command_line, keeps_two_groups_apart)
{
    TELLS("hsdiff b1 b2 --min 1M -- a1 a2", "b1", "b2", "--min", "1M", "--", "a1", "a2");
    TELLS("hsdiff series b1 b2 -- a1", "series", "b1", "b2", "--", "a1");
    TELLS("hsdiff a.hs b.hs", "--", "a.hs", "b.hs");
}

Test(command_line, says_diff_where_the_first_input_is_called_like_a_command)
{
    TELLS("hsdiff diff check b.hs", "diff", "check", "b.hs");
    TELLS("hsdiff diff view b.hs", "--", "view", "b.hs");
    TELLS("hsdiff a.hs check", "a.hs", "check");
}

Test(command_line, quotes_for_a_shell)
{
    TELLS("hsdiff 'a b.hs' 'it'\\''s.hs'", "a b.hs", "it's.hs");
    TELLS("hsdiff '$(reboot).hs' 'b;c.hs' --key 'My Type:id'", "$(reboot).hs", "b;c.hs", "--key", "My Type:id");
    TELLS("hsdiff $'\\x1b[31m.hs' $'a\\x0ab.hs'", "\x1b[31m.hs", "a\nb.hs");
    TELLS("hsdiff ./-a.hs b.hs", "--", "-a.hs", "b.hs");
    TELLS("hsdiff series a b --label - --label=--'x y'", "series", "a", "b", "--label", "-", "--label", "--x y");
    TELLS("hsdiff series a b --label=-- --label=-x", "series", "a", "b", "--label", "--", "--label", "-x");
}

/* ---- a shell reads back what was told ---- */

/* What `sh -c 'set -- …; printf "%s\n" "$@"'` prints of the text. */
static void expand(const char *text, char *out, size_t size)
{
    char script[4096];
    int ends[2], state;
    pid_t child;
    posix_spawn_file_actions_t actions;
    snprintf(script, sizeof script, "set -- %s; printf '%%s\\n' \"$@\"", text);
    char *argv[] = {(char *)"bash", (char *)"-c", script, NULL};
    cr_assert_eq(pipe(ends), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const int failed = posix_spawnp(&child, "bash", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failed == ENOENT) cr_skip_test("there is no bash");
    cr_assert_eq(failed, 0);
    size_t used = 0;
    for (ssize_t got; (got = read(ends[0], out + used, size - 1 - used)) > 0;)
        used += (size_t)got;
    out[used] = 0;
    close(ends[0]);
    cr_assert_eq(waitpid(child, &state, 0), child);
    cr_assert_eq(state, 0, "%s", text);
}

Test(command_line, is_read_back_by_a_shell_as_it_was_given)
{
    static const char *const hostile[] = {"a b",      "it's", "$(echo x)",       "`id`", "a\"b", "*",  "\\",
                                          "\xff\xfe", "x\ty", "\xe2\x80\xae.hs", "#",    "~",    "!x", "a'\\''b"};
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        char key[128], seen[1024], wanted[1024];
        snprintf(key, sizeof key, "%s:f", hostile[i]);
        char *text = told((const char *const[]){"hsdiff", hostile[i], "b", "--key", key, NULL});
        snprintf(wanted, sizeof wanted, "hsdiff\n%s\nb\n--key\n%s\n", hostile[i], key);
        expand(text, seen, sizeof seen);
        cr_expect_str_eq(seen, wanted, "%s", text);
        free(text);
    }
}

/* ---- the rows ---- */

Test(command_line, the_parser_has_room_for_every_option)
{
    size_t count = 0;
    while (cli_option_get(count))
        count++;
    cr_assert_gt(count, 50);
    cr_assert_leq(count, CLI_OPTIONS_MAX);
}

Test(command_line, a_command_takes_one_option_of_a_name_and_a_letter)
{
    for (size_t i = 0; cli_command_get(i); i++) {
        const cli_option *const *options = cli_command_get(i)->options;
        for (size_t a = 0; options[a]; a++) {
            cr_expect_eq(cli_command_option(cli_command_get(i), options[a]->name, strlen(options[a]->name)), options[a],
                         "%s --%s", cli_command_get(i)->name, options[a]->name);
            for (size_t b = 0; b < a; b++)
                cr_expect(options[a]->letter == 0 || options[a]->letter != options[b]->letter, "%s -%c",
                          cli_command_get(i)->name, options[a]->letter);
        }
    }
}

Test(command_line, every_option_says_whether_it_is_told)
{
    for (size_t i = 0; cli_option_get(i); i++) {
        const cli_option *option = cli_option_get(i);
        cr_expect(option->told == CLI_TOLD || option->told == CLI_LEFT_OUT, "--%s", option->name);
        cr_expect(!option->repeats || option->kind != CLI_FLAG, "--%s", option->name);
    }
}

Test(command_line, rows_of_one_name_agree)
{
    for (size_t i = 0; cli_option_get(i); i++)
        for (size_t j = 0; j < i; j++) {
            const cli_option *a = cli_option_get(i), *b = cli_option_get(j);
            if (strcmp(a->name, b->name) == 0) cr_expect_eq(a->told, b->told, "--%s", a->name);
        }
}

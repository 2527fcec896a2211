/* Collapsed stacks: names that would break a line, weights that have no line. */
#include "unit/export/stack_case.h"

TestSuite(collapsed, .init = stack_begin, .fini = stack_end);

static void expect_text(const char *before, const char *text)
{
    size_t size;
    cr_assert_eq(stack_export(before, path, "collapsed", HSD_STACKS_AUTO, 0), HSD_OK, "%s", err.text);
    char *lines = stack_read(&size);
    cr_expect_str_eq(lines, text);
    free(lines);
}

Test(collapsed, keeps_a_stack_on_its_line)
{
    static const char name[] = "a;b\n9;\t\x1b[31m \xff 7";
    stack_write_named(path, name, sizeof name - 1);
    expect_text(NULL, "a\\x3bb\\x0a9\\x3b\\x09\\x1b[31m \\xff 7;a\\x3bb\\x0a9\\x3b\\x09\\x1b[31m \\xff 7 8\n");
}

Test(collapsed, calls_a_frame_without_a_name_unknown)
{
    stack_write_named(path, "", 0);
    expect_text(NULL, "(unknown);(unknown) 8\n");
}

Test(collapsed, tells_what_it_leaves_out)
{
    stack_write(other, &(stack_heap){.more_sessions = 1});
    stack_write(path, &(stack_heap){0});
    expect_text(other, "");
    cr_expect_str_eq(stack_notes, "1 stack that shrank, by 64 bytes in all, is left out: collapsed stacks hold growth "
                                  "alone (--to pprof holds both)\n");
}

/*
 * Captures that cannot be judged: status 3, whatever the rules find.
 */
#include "unit/check/kit.h"

static judge_kit kit;
static hsd_type_row types[1];

static const char leak[] = "rules: [{max_growth: 0}]\n";

static hsd_diff sample(void)
{
    types[0] = sample_type("A", 0, MIB);
    return sample_diff(types, 1, NULL, 0);
}

static int exit_of(const hsd_diff *diff) { return hsd_check_exit(kit_judge(&kit, leak, diff, NULL)); }

Test(problems, complete_captures_have_none)
{
    hsd_diff diff = sample();
    cr_assert_eq(exit_of(&diff), 1);
    cr_assert_eq(kit.check->problem_count, 0);
    memset(diff.after.info.domain, 9, 16);
    diff.after.info.pid = 1; /* another process */
    cr_assert_eq(exit_of(&diff), 1);
    cr_assert_eq(kit.check->problem_count + kit.check->note_count, 0);
    kit_release(&kit);
}

Test(problems, what_is_incomplete_can_neither_pass_nor_fail)
{
    hsd_diff diff = sample();
    diff.after.info.is_complete = false;
    diff.after.info.incomplete_reason = "it was cut off at byte 17";
    cr_assert_eq(exit_of(&diff), 3);
    cr_assert_eq(kit.check->failed, 1);
    PROBLEM(kit.check, "after.hs is incomplete (it was cut off at byte 17)");
    kit.options.allow_incomplete = true;
    cr_assert_eq(exit_of(&diff), 1);
    NOTES(kit.check, "after.hs is incomplete");
    kit.options.allow_incomplete = false;
    diff = sample();
    diff.before.info.is_complete = false;
    cr_assert_eq(exit_of(&diff), 3);
    PROBLEM(kit.check, "before.hs is incomplete (no end record)");
    diff = sample();
    diff.is_partial = true;
    cr_assert_eq(exit_of(&diff), 3);
    PROBLEM(kit.check, "lower bounds alone");
    kit_release(&kit);
}

Test(problems, losses_count_by_how_many)
{
    hsd_diff diff = sample();
    diff.before.info.objects = 10000;
    diff.before.info.lost = 10;
    cr_assert_eq(exit_of(&diff), 1);
    NOTES(kit.check, "before.hs: the producer could not capture 10 things");
    diff.before.info.lost = 11;
    cr_assert_eq(exit_of(&diff), 3);
    PROBLEM(kit.check, "11 things");
    kit.options.allow_incomplete = true;
    cr_assert_eq(exit_of(&diff), 1);
    diff.before.info.lost = 1;
    cr_assert_eq(exit_of(&diff), 1);
    NOTES(kit.check, "1 thing; hsdiff info lists them");
    kit_release(&kit);
}

Test(problems, other_runtimes_do_not_compare)
{
    hsd_diff diff = sample();
    diff.after.info.runtime = "Lua 5.4.6";
    cr_assert_eq(exit_of(&diff), 3);
    PROBLEM(kit.check, "after.hs is of another runtime (V8 11.3, Lua 5.4.6)");
    kit.options.allow_incomplete = true; /* that does not make them alike */
    cr_assert_eq(exit_of(&diff), 3);
    diff.after.info.runtime = "V8 12.1";
    cr_assert_eq(exit_of(&diff), 1);
    NOTES(kit.check, "the version of the runtime differs (V8 11.3, V8 12.1)");
    diff.after.info.runtime = "V80";
    cr_assert_eq(exit_of(&diff), 1);
    diff.after.info.runtime = "";
    cr_assert_eq(exit_of(&diff), 1);
    kit_release(&kit);
}

Test(problems, other_formats_and_pointers_do_not_compare)
{
    hsd_diff diff = sample();
    diff.before.info.source_format = "hprof 1.0.1";
    diff.after.info.source_format = "hprof 1.0.2";
    cr_assert_eq(exit_of(&diff), 1);
    diff.after.info.source_format = "v8";
    cr_assert_eq(exit_of(&diff), 3);
    PROBLEM(kit.check, "after.hs is of another format (hprof 1.0.1, v8)");
    diff = sample();
    diff.before.info.pointer_bytes = 8;
    cr_assert_eq(exit_of(&diff), 1);
    diff.after.info.pointer_bytes = 4;
    cr_assert_eq(exit_of(&diff), 3);
    PROBLEM(kit.check, "pointers have 8 bytes in before.hs and 4 in after.hs");
    kit_release(&kit);
}

Test(problems, each_capture_of_a_series_counts)
{
    series_kit made;
    hsd_series *series = kit_series_begin(&made);
    made.points[4].side.info.is_complete = false;
    made.points[2].side.info.runtime = "Lua 5.4.6";
    const hsd_check *check = kit_judge(&kit, leak, NULL, series);
    cr_assert_eq(hsd_check_exit(check), 3);
    cr_assert_eq(check->problem_count, 2);
    PROBLEM(check, "2.hs is of another runtime");
    PROBLEM(check, "4.hs is incomplete");
    kit_release(&kit);
}

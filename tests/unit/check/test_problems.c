/*
 * Captures that cannot be judged: status 3, whatever the rules find.
 */
#include "unit/check/kit.h"

#include <hscapture/hscapture.h>

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

static void of_process(hsd_capture_info *info, uint64_t pid, uint64_t taken_s)
{
    info->pid = pid;
    info->started_unix_ns = pid * 1000;
    memset(info->domain, (int)pid, sizeof info->domain);
    info->taken_unix_ns = taken_s * UINT64_C(1000000000);
}

/* Dumps do not say when they were taken: their ids do. */
Test(problems, the_capture_with_older_ids_comes_first)
{
    hsd_diff diff = sample();
    diff.order = HSD_ORDER_REVERSED;
    cr_assert_eq(exit_of(&diff), 3);
    PROBLEM(kit.check,
            "after.hs was taken before before.hs, which stands before it (the ids of its objects are older)");
    diff.order = HSD_ORDER_CONTRADICTORY; /* two runs of two builds */
    cr_assert_eq(exit_of(&diff), 1);
    series_kit made;
    hsd_series *series = kit_series_begin(&made);
    made.points[3].order = HSD_ORDER_REVERSED;
    cr_assert_eq(hsd_check_exit(kit_judge(&kit, leak, NULL, series)), 3);
    PROBLEM(kit.check, "3.hs was taken before 2.hs, which stands before it (the ids of its objects are older)");
    kit_release(&kit);
}

Test(problems, the_older_capture_comes_first)
{
    hsd_diff diff = sample();
    of_process(&diff.before.info, 7, 20);
    of_process(&diff.after.info, 7, 10);
    cr_assert_eq(exit_of(&diff), 3);
    PROBLEM(kit.check, "after.hs was taken before before.hs, which stands before it: the older one comes first");
    of_process(&diff.after.info, 8, 10);
    cr_assert_eq(exit_of(&diff), 1, "clocks of two machines differ");
    of_process(&diff.after.info, 7, 20);
    cr_assert_eq(exit_of(&diff), 1, "a clock that stands still is none");
    kit_release(&kit);
}

Test(problems, what_is_redacted_compares_with_what_is)
{
    hsd_diff diff = sample();
    diff.after.info.facts = HSC_FACT_REDACTED;
    cr_assert_eq(exit_of(&diff), 3);
    PROBLEM(kit.check, "only one of before.hs and after.hs was redacted");
    diff.before.info.facts = HSC_FACT_REDACTED;
    cr_assert_eq(exit_of(&diff), 1);
    kit_release(&kit);
}

static series_kit made;

/* Of six captures the processes, in a digit each. */
static int exit_of_processes(const char *pids)
{
    hsd_series *series = kit_series_begin(&made);
    kit_row(&made, &series->types, "Leak", SERIES_OF(0, 1000, 2000, 3000, 0, 1000));
    for (size_t i = 0; i < POINTS; i++)
        of_process(&made.points[i].side.info, (uint64_t)(pids[i] - '0'), i + 1);
    return hsd_check_exit(kit_judge(&kit, leak, NULL, series));
}

Test(problems, a_program_that_was_started_again_has_not_grown_in_every_round)
{
    cr_assert_eq(exit_of_processes("444499"), 3);
    PROBLEM(kit.check, "was started again in between, and what it had leaked is gone");
    cr_assert_eq(exit_of_processes("444444"), 0);
    cr_assert_eq(exit_of_processes("123456"), 0, "each of a run of its own is meant");
    cr_assert_eq(exit_of_processes("400000"), 0, "nobody knows");
    cr_assert_eq(made.series.warmup, 1);
    cr_assert_eq(exit_of_processes("944444"), 0, "the warm-up does not count");
    cr_assert_eq(exit_of_processes("994444"), 3);
    cr_assert_eq(exit_of_processes("445566"), 3);
    PROBLEM(kit.check, "2.hs is of another process than 1.hs (pid 5 and 4)");
    kit_release(&kit);
}

/* Two workers of one service, each captured in turn: no two that follow each other are of one process. */
Test(problems, processes_that_take_turns_are_none)
{
    cr_assert_eq(exit_of_processes("145454"), 3);
    PROBLEM(kit.check, "2.hs is of another process than 1.hs (pid 5 and 4), and 3.hs of one from before it");
    cr_assert_eq(exit_of_processes("145678"), 0, "each of a run of its own is meant");
    kit_release(&kit);
}

/* A domain says it alone: importers know no number of a process. */
Test(problems, one_domain_is_one_process)
{
    hsd_diff diff = sample();
    diff.before.info.pid = diff.after.info.pid = 0;
    cr_assert_eq(exit_of(&diff), 1);
    diff.after.info.taken_unix_ns = diff.before.info.taken_unix_ns - 1;
    cr_assert_eq(exit_of(&diff), 3);
    PROBLEM(kit.check, "the older one comes first");
    memset(diff.after.info.domain, 9, 16);
    cr_assert_eq(exit_of(&diff), 1, "clocks of two machines differ");
    of_process(&diff.before.info, 7, 20);
    of_process(&diff.after.info, 7, 10);
    memset(diff.after.info.domain, 9, 16); /* one that numbered its objects anew */
    cr_assert_eq(exit_of(&diff), 3);
    kit_release(&kit);
}

static void put_digest(hsd_capture_info *info, uint8_t digest)
{
    info->has_digest = true;
    memset(info->digest, digest, sizeof info->digest);
}

Test(problems, a_capture_that_is_given_twice_says_nothing)
{
    hsd_diff diff = sample();
    put_digest(&diff.before.info, 1);
    cr_assert_eq(exit_of(&diff), 1);
    put_digest(&diff.after.info, 2);
    cr_assert_eq(exit_of(&diff), 1);
    put_digest(&diff.after.info, 1);
    diff.before.info.objects = diff.after.info.objects = 0;
    diff.before.info.taken_unix_ns = diff.after.info.taken_unix_ns = 0;
    cr_assert_eq(exit_of(&diff), 1, "profiles of a program that rested");
    diff.before.info.objects = diff.after.info.objects = 100;
    cr_assert_eq(exit_of(&diff), 3);
    PROBLEM(kit.check, "after.hs has the same content as before.hs");
    diff.before.info.dump_number = 1;
    diff.after.info.dump_number = 2;
    cr_assert_eq(exit_of(&diff), 1, "two dumps of one file");
    diff.before.info.dump_number = 2;
    diff.before.info.is_baseline = diff.after.info.is_baseline = true;
    cr_assert_eq(exit_of(&diff), 1, "sums of two captures may be alike");
    kit_release(&kit);
    cr_assert_eq(exit_of_processes("444444"), 0);
    put_digest(&made.points[2].side.info, 1);
    put_digest(&made.points[5].side.info, 1);
    made.points[2].side.info.objects = made.points[5].side.info.objects = 100;
    cr_assert_eq(hsd_check_exit(kit_judge(&kit, leak, NULL, &made.series)), 3);
    PROBLEM(kit.check, "5.hs has the same content as 2.hs");
    cr_assert_eq(kit.check->problem_count, 1);
    kit_release(&kit);
}

Test(problems, captures_of_a_series_in_the_order_of_the_shell)
{
    cr_assert_eq(exit_of_processes("444444"), 0);
    of_process(&made.points[2].side.info, 4, 11);
    cr_assert_eq(hsd_check_exit(kit_judge(&kit, leak, NULL, &made.series)), 3);
    PROBLEM(kit.check, "a shell sorts c10 before c9");
    kit_release(&kit);
}

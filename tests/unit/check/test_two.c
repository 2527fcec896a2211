/*
 * The check over two captures: what each kind of rule finds, and who is named.
 */
#include "unit/check/kit.h"

static judge_kit kit;
static hsd_type_row types[128];
static hsd_root_row roots[4];
static hsd_holder holders[8];
static hsd_step path[3];
static hsd_type_growth grown[4];

static const hsd_check_row *judge(const char *rule, const hsd_diff *diff)
{
    char text[2048];
    snprintf(text, sizeof text, "rules:\n  - {%s}\n", rule);
    return &kit_judge(&kit, text, diff, NULL)->rows[0];
}

static hsd_diff two_types(void)
{
    types[0] = sample_type("Session", 10 * MIB, 30 * MIB);
    types[1] = sample_type("Buffer", 40 * MIB, 45 * MIB);
    types[2] = sample_type("Gone", 8 * MIB, 0);
    return sample_diff(types, 3, NULL, 0);
}

Test(two, the_whole_heap_fails_with_what_carries_it)
{
    hsd_diff diff = two_types();
    const hsd_check_row *row = judge("name: heap, metric: total.bytes, max_growth: 16 MiB", &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    cr_assert(row->is_bytes && !row->is_per_round);
    cr_assert_eq(row->found, 17 * (int64_t)MIB);
    cr_assert_eq(row->limit, 16 * (int64_t)MIB);
    cr_assert_eq(row->over, (int64_t)MIB);
    cr_assert_eq(row->finding_count, 2);
    IS(row->findings[0].name, "Session");
    cr_assert_eq(row->findings[0].growth, 20 * (int64_t)MIB);
    cr_assert_eq(row->findings[0].before, 10 * (int64_t)MIB);
    cr_assert_eq(row->findings[0].after, 30 * (int64_t)MIB);
    cr_assert_eq(row->findings[0].limit, 16 * (int64_t)MIB);
    cr_assert_eq(row->findings[0].p_millionths, 1000000);
    IS(row->findings[1].name, "Buffer");
    cr_assert_eq(hsd_check_exit(kit.check), 1);
    cr_assert_eq(kit.check->failed, 1);
    kit_release(&kit);
}

Test(two, levels_decide_what_a_failure_is)
{
    hsd_diff diff = two_types();
    cr_assert_eq(judge("max_growth: 1 MiB, level: warn", &diff)->outcome, HSD_CHECK_WARN);
    cr_assert_eq(hsd_check_exit(kit.check), 0);
    cr_assert_eq(kit.check->warned, 1);
    const hsd_check_row *off = judge("max_growth: 1 MiB, level: off", &diff);
    cr_assert_eq(off->outcome, HSD_CHECK_OFF);
    cr_assert_eq(off->finding_count, 0);
    cr_assert_eq(hsd_check_exit(kit.check), 0);
    const hsd_check_row *ok = judge("max_growth: 17 MiB", &diff);
    cr_assert_eq(ok->outcome, HSD_CHECK_OK);
    cr_assert_eq(ok->found, 17 * (int64_t)MIB);
    cr_assert_eq(ok->over, 0);
    cr_assert_eq(ok->finding_count, 0);
    cr_assert_eq(kit.check->passed, 1);
    kit_release(&kit);
}

Test(two, percentages_are_of_what_was_there)
{
    hsd_diff diff = two_types();
    cr_assert_eq(judge("max_growth: 29 %", &diff)->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(judge("max_growth: 30 %", &diff)->outcome, HSD_CHECK_OK);
    cr_assert_eq(judge("type: Session, max_growth: 200 %", &diff)->outcome, HSD_CHECK_OK);
    cr_assert_eq(judge("type: Session, max_growth: 199 %", &diff)->outcome, HSD_CHECK_FAIL);
    const hsd_check_row *per_round = judge("type: Session, max_growth: 10 % per round", &diff);
    cr_assert_eq(per_round->outcome, HSD_CHECK_FAIL);
    cr_assert(per_round->is_per_round);
    cr_assert_eq(per_round->limit, 58 * (int64_t)MIB / 10);
    cr_assert(per_round->findings[0].is_per_round);
    kit_release(&kit);
}

Test(two, a_sum_of_types_and_each_of_them)
{
    types[0] = sample_type("a.Cache", 0, 3 * MIB);
    types[1] = sample_type("b.Cache", 0, 2 * MIB);
    types[2] = sample_type("c.Cache", 3 * MIB, 0);
    hsd_diff diff = sample_diff(types, 3, NULL, 0);
    const hsd_check_row *sum = judge("type: '*.Cache', max_growth: 1 MiB", &diff);
    cr_assert_eq(sum->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(sum->found, 2 * (int64_t)MIB);
    cr_assert_eq(sum->finding_count, 2);
    cr_assert_eq(sum->findings[1].growth, 2 * (int64_t)MIB);
    cr_assert_eq(judge("type: '*.Cache', max_growth: 2 MiB", &diff)->outcome, HSD_CHECK_OK);
    const hsd_check_row *each = judge("type: '*.Cache', each: true, max_growth: 2 MiB", &diff);
    cr_assert_eq(each->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(each->found, 3 * (int64_t)MIB);
    cr_assert_eq(each->over, (int64_t)MIB);
    cr_assert_eq(each->finding_count, 1);
    IS(each->findings[0].name, "a.Cache");
    const hsd_check_row *ok = judge("type: '*.Cache', each: true, max_growth: 4 MiB", &diff);
    cr_assert_eq(ok->outcome, HSD_CHECK_OK);
    cr_assert_eq(ok->found, 3 * (int64_t)MIB); /* the worst that there is */
    cr_assert_eq(ok->limit, 4 * (int64_t)MIB);
    kit_release(&kit);
}

Test(two, counts_are_counts)
{
    hsd_diff diff = two_types();
    const hsd_check_row *row = judge("type: Session, metric: objects, max_growth: 0", &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    cr_assert_not(row->is_bytes);
    cr_assert_eq(row->found, (int64_t)(30 * MIB / 100 - 10 * MIB / 100));
    cr_assert_eq(judge("metric: total.objects, max_growth: 1000000", &diff)->outcome, HSD_CHECK_OK);
    kit_release(&kit);
}

Test(two, min_is_about_bytes)
{
    types[0] = sample_type("A", 0, 1000);
    hsd_diff diff = sample_diff(types, 1, NULL, 0);
    const char *bytes =
        "check: {min: 1000 B}\nrules:\n  - {type: A, max_growth: 0}\n  - {type: A, metric: objects, max_growth: 0}\n";
    const hsd_check *check = kit_judge(&kit, bytes, &diff, NULL);
    cr_assert_eq(check->rows[0].outcome, HSD_CHECK_OK);
    cr_assert_eq(check->rows[0].found, 1000);
    cr_assert_eq(check->rows[1].outcome, HSD_CHECK_FAIL);
    kit_release(&kit);
}

Test(two, what_is_new_needs_identity)
{
    hsd_diff diff = two_types();
    const hsd_check_row *row = judge("type: Session, metric: new.bytes, max_growth: 1 MiB", &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(row->found, 20 * (int64_t)MIB);
    cr_assert_eq(judge("metric: new.bytes, max_growth: 20 MiB", &diff)->found, 25 * (int64_t)MIB);
    /* of the 58 MiB before */
    cr_assert_eq(judge("metric: new.bytes, max_growth: 50 %", &diff)->outcome, HSD_CHECK_OK);
    diff.identity_is_known = false;
    diff.match_reason = sample_text("the collector moves objects");
    row = judge("metric: new.objects, max_growth: 0", &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_UNKNOWN);
    IS(row->why_unknown, "the collector moves objects");
    cr_assert_eq(hsd_check_exit(kit.check), 3);
    cr_assert_eq(kit.check->unknown, 1);
    cr_assert_eq(judge("metric: new.objects, max_growth: 0, level: warn", &diff)->outcome, HSD_CHECK_UNKNOWN);
    cr_assert_eq(hsd_check_exit(kit.check), 3);
    cr_assert_eq(judge("metric: new.objects, max_growth: 0, level: off", &diff)->outcome, HSD_CHECK_OFF);
    cr_assert_eq(hsd_check_exit(kit.check), 0);
    diff.match_reason = sample_text("");
    IS(judge("metric: new.bytes, max_growth: 0", &diff)->why_unknown,
       "objects cannot be recognised from one capture to the other");
    diff.is_summary = true;
    IS(judge("metric: new.bytes, max_growth: 0", &diff)->why_unknown,
       "type totals do not tell one object from another");
    kit_release(&kit);
}

Test(two, survivors_need_a_third_capture)
{
    hsd_diff diff = two_types();
    IS(judge("metric: survived.bytes, max_growth: 0", &diff)->why_unknown,
       "two captures do not tell what survived: give three or more");
    kit_release(&kit);
}

Test(two, new_types_are_counted_and_named)
{
    types[0] = sample_type("Fresh", 0, MIB);
    types[1] = sample_type("Fresher", 0, 2 * MIB);
    types[2] = sample_type("Old", MIB, 9 * MIB);
    types[3] = sample_type("Empty", 0, 0);
    hsd_diff diff = sample_diff(types, 4, NULL, 0);
    const hsd_check_row *row = judge("metric: new.types, max_growth: 1", &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    cr_assert_not(row->is_bytes);
    cr_assert_eq(row->found, 2);
    cr_assert_eq(row->finding_count, 2);
    IS(row->findings[0].name, "Fresh");
    IS(row->findings[1].name, "Fresher");
    cr_assert_eq(judge("metric: new.types, max_growth: 200 %", &diff)->outcome, HSD_CHECK_OK);
    cr_assert_eq(judge("metric: new.types, max_growth: 199 %", &diff)->outcome, HSD_CHECK_FAIL);
    kit_release(&kit);
}

Test(two, garbage_has_rules_of_its_own)
{
    hsd_diff diff = two_types();
    types[1].unreached_before = (hsd_amount){1, 100};
    types[1].unreached_after = (hsd_amount){11, 1100};
    diff.unreached_before = types[1].unreached_before;
    diff.unreached_after = types[1].unreached_after;
    const hsd_check_row *row = judge("metric: unreached.bytes, max_growth: 999", &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(row->found, 1000);
    cr_assert_eq(row->finding_count, 1);
    IS(row->findings[0].name, "Buffer");
    cr_assert_eq(judge("type: Buffer, metric: unreached.objects, max_growth: 10", &diff)->outcome, HSD_CHECK_OK);
    diff.after.has_roots = false;
    IS(judge("metric: unreached.bytes, max_growth: 0", &diff)->why_unknown,
       "a capture carries no roots or no references");
    kit_release(&kit);
}

Test(two, roots_are_rows_too)
{
    types[0] = sample_type("A", 0, 9 * MIB);
    roots[0] = sample_root("global.sessions", 0, 8 * MIB);
    roots[1] = sample_root("(shared)", 0, MIB);
    hsd_diff diff = sample_diff(types, 1, roots, 2);
    const hsd_check_row *row = judge("root: global.*, max_growth: 4 MiB", &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    IS(row->findings[0].name, "global.sessions");
    cr_assert_eq(judge("root: '(shared)', max_growth: 1 MiB", &diff)->outcome, HSD_CHECK_OK);
    diff.is_summary = true;
    IS(judge("root: '*', max_growth: 0", &diff)->why_unknown, "type totals do not say what a root holds");
    kit_release(&kit);
}

static hsd_diff with_holders(void)
{
    path[0] = sample_step("", "SessionCache");
    path[1] = sample_step(".entries", "Entry[]");
    holders[0] = sample_holder("global sessions", path, 2, 20 * (int64_t)MIB);
    holders[1] = sample_holder("global log", path, 1, 5 * (int64_t)MIB);
    holders[2] = sample_holder("(roots)", NULL, 0, -8 * (int64_t)MIB);
    grown[0] = (hsd_type_growth){.type = sample_text("Session"), .net_bytes = 19 * (int64_t)MIB};
    grown[1] = (hsd_type_growth){.type = sample_text("Buffer"), .net_bytes = (int64_t)MIB};
    grown[2] = (hsd_type_growth){.type = sample_text("Buffer"), .net_bytes = 4 * (int64_t)MIB};
    holders[0].types = grown;
    holders[0].type_count = 2;
    holders[1].types = grown + 2;
    holders[1].type_count = 1;
    hsd_diff diff = two_types();
    sample_hold(&diff, holders, 3);
    return diff;
}

Test(two, holders_are_judged_one_by_one_by_their_text)
{
    hsd_diff diff = with_holders();
    const hsd_check_row *row = judge("holder: '*', max_growth: 4 MiB", &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(row->found, 20 * (int64_t)MIB);
    cr_assert_eq(row->finding_count, 2);
    IS(row->findings[0].root, "global sessions");
    IS(row->findings[0].name, "Entry[]");
    cr_assert_eq(row->findings[0].path, path);
    cr_assert_eq(row->findings[0].path_count, 2);
    cr_assert_eq(row->findings[0].holder, &holders[0]);
    cr_assert_eq(row->findings[0].before, 0); /* not known */
    cr_assert_eq(row->findings[0].after, 0);
    cr_assert_eq(row->findings[0].growth, 20 * (int64_t)MIB);
    cr_assert_eq(judge("holder: 'global sessions SessionCache .entries Entry[]', max_growth: 0", &diff)->outcome,
                 HSD_CHECK_FAIL);
    cr_assert_eq(judge("holder: 'global sessions', max_growth: 0", &diff)->outcome, HSD_CHECK_OK);
    NOTES(kit.check, "no holder has such a name");
    cr_assert_eq(judge("holder: (roots), max_growth: 0", &diff)->outcome, HSD_CHECK_OK);
    cr_assert_eq(judge("holder: '*log*', metric: new.objects, max_growth: 0", &diff)->outcome, HSD_CHECK_FAIL);
    kit_release(&kit);
}

Test(two, what_a_holder_held_before_is_not_known)
{
    hsd_diff diff = with_holders();
    const hsd_check_row *row = judge("holder: '*', max_growth: 5 %", &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_UNKNOWN);
    cr_assert_not_null(strstr(row->why_unknown.data, "a percentage per round"));
    cr_assert_eq(judge("holder: '*', max_growth: 50 % per round", &diff)->outcome, HSD_CHECK_OK);
    diff.has_holders = false;
    diff.why_no_holders = sample_text("the captures carry no references");
    IS(judge("holder: '*', max_growth: 0", &diff)->why_unknown, "the captures carry no references");
    kit_release(&kit);
}

Test(two, types_are_named_with_what_holds_most_of_their_growth)
{
    hsd_diff diff = with_holders();
    const hsd_check_row *row = judge("type: '*', each: true, max_growth: 1 MiB", &diff);
    cr_assert_eq(row->finding_count, 2);
    IS(row->findings[0].root, "global sessions");
    cr_assert_eq(row->findings[0].path_count, 2);
    IS(row->findings[1].name, "Buffer");
    IS(row->findings[1].root, "global log");
    cr_assert_eq(row->findings[1].path_count, 1);
    cr_assert_eq(row->findings[1].holder, &holders[1]);
    kit_release(&kit);
}

Test(two, the_whole_heap_is_named_with_who_holds_most_of_what_it_grew_by)
{
    hsd_diff diff = with_holders();
    const hsd_check_row *row = judge("metric: total.bytes, max_growth: 0", &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    cr_assert_geq(row->held_count, 1);
    cr_assert_eq(row->held[0], &holders[0]);
    cr_assert_eq(judge("metric: total.bytes, max_growth: 1 GiB", &diff)->held_count, 0, "nobody asked");
    cr_assert_eq(judge("type: '*', max_growth: 0", &diff)->held_count, 0, "its findings say it");
    kit_release(&kit);
}

Test(two, who_holds_the_lesser_part_of_a_type_does_not_hold_it)
{
    hsd_diff diff = with_holders();
    grown[0].net_bytes = (int64_t)MIB;
    const hsd_check_row *row = judge("type: Session, each: true, max_growth: 1 MiB", &diff);
    cr_assert_eq(row->finding_count, 1);
    IS(row->findings[0].root, "");
    cr_assert_null(row->findings[0].holder);
    kit_release(&kit);
}

Test(two, growth_up_to_the_least_that_counts_is_within_that_limit)
{
    hsd_diff diff = two_types();
    const int64_t growth = hsd_change_bytes(&diff.total);
    char text[256];
    snprintf(text, sizeof text, "check: {min: %lld B}\nrules: [{metric: total.bytes, max_growth: 1 KiB}]\n",
             (long long)growth);
    const hsd_check_row *row = &kit_judge(&kit, text, &diff, NULL)->rows[0];
    cr_assert_eq(row->outcome, HSD_CHECK_OK);
    cr_assert_eq(row->found, growth);
    cr_assert_eq(row->limit, growth, "not 1 KiB, which it is over");
    cr_assert_eq(row->over, 0);
    kit_release(&kit);
}

Test(two, ignored_types_are_in_no_rule_and_in_no_sum)
{
    hsd_diff diff = with_holders();
    const char *text = "check: {ignore: [/^Session$/, 'Entry[]']}\n"
                       "rules:\n"
                       "  - {metric: total.bytes, max_growth: 0}\n"
                       "  - {type: '*', each: true, max_growth: 0}\n"
                       "  - {metric: new.bytes, max_growth: 0}\n"
                       "  - {holder: '*', max_growth: 0}\n"
                       "  - {type: Session, metric: objects, max_growth: 0}\n";
    const hsd_check *check = kit_judge(&kit, text, &diff, NULL);
    cr_assert_eq(check->rows[0].found, -3 * (int64_t)MIB);
    cr_assert_eq(check->rows[0].outcome, HSD_CHECK_OK);
    cr_assert_eq(check->rows[1].finding_count, 1);
    IS(check->rows[1].findings[0].name, "Buffer");
    cr_assert_eq(check->rows[2].found, 5 * (int64_t)MIB);
    cr_assert_eq(check->rows[3].finding_count, 1);
    IS(check->rows[3].findings[0].root, "global log");
    cr_assert_eq(check->rows[4].outcome, HSD_CHECK_OK);
    kit_release(&kit);
}

Test(two, metrics_of_the_captures_come_from_the_caller)
{
    hsd_profile_metric before[] = {{sample_text("rss"), sample_text("bytes"), 100},
                                   {sample_text("gc"), sample_text("runs"), 3}};
    hsd_profile_metric after[] = {{sample_text("rss"), sample_text("bytes"), 5},
                                  {sample_text("rss"), sample_text("bytes"), 150}};
    hsd_diff diff = two_types();
    kit.options.metrics[0] = (hsd_check_metrics){before, 2};
    kit.options.metrics[1] = (hsd_check_metrics){after, 2};
    const hsd_check_row *row = judge("metric: metric:rss, max_growth: 49", &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    cr_assert(row->is_bytes);
    cr_assert_eq(row->found, 50); /* the last of a name counts */
    cr_assert_eq(row->finding_count, 0);
    cr_assert_eq(judge("metric: metric:rss, max_growth: 50 %", &diff)->outcome, HSD_CHECK_OK);
    cr_assert_eq(judge("metric: metric:rss, max_growth: 50 % per round", &diff)->outcome, HSD_CHECK_OK);
    row = judge("metric: metric:gc, max_growth: 0", &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_UNKNOWN);
    IS(row->why_unknown, "after.hs carries no metric gc");
    kit_release(&kit);
}

Test(two, findings_have_bounds_and_an_order)
{
    static char names[128][8];
    for (size_t i = 0; i < 128; i++) {
        snprintf(names[i], sizeof names[i], "T%03zu", 127 - i);
        types[i] = sample_type(names[i], 0, i < 4 ? 2 * MIB : MIB);
    }
    hsd_diff diff = sample_diff(types, 128, NULL, 0);
    const hsd_check_row *row = judge("type: '*', each: true, max_growth: 0", &diff);
    cr_assert_eq(row->finding_count, 100);
    cr_assert_eq(row->other_findings, 28);
    IS(row->findings[0].name, "T124"); /* by how far over, then by name */
    IS(row->findings[3].name, "T127");
    IS(row->findings[4].name, "T000");
    IS(row->findings[99].name, "T095");
    row = judge("type: '*', max_growth: 0", &diff);
    cr_assert_eq(row->finding_count, 20);
    cr_assert_eq(row->other_findings, 108);
    kit_release(&kit);
}

Test(two, a_sum_names_what_makes_up_most_of_it)
{
    types[0] = sample_type("Big", 0, 90 * MIB);
    types[1] = sample_type("Small", 0, 5 * MIB);
    types[2] = sample_type("Smaller", 0, 5 * MIB);
    hsd_diff diff = sample_diff(types, 3, NULL, 0);
    const hsd_check_row *row = judge("max_growth: 0", &diff);
    cr_assert_eq(row->finding_count, 1);
    cr_assert_eq(row->other_findings, 2);
    kit_release(&kit);
}

Test(two, sites_are_found_in_a_second_pass)
{
    hsd_diff diff = with_holders();
    hsd_site_growth rows[] = {
        {.type = sample_text("Buffer")}, {.type = sample_text("Session")}, {.type = sample_text("Session")}};
    const hsd_sites sites = {.are_known = true, .rows = rows, .row_count = 3};
    hsd_text wanted[4];
    const char *text =
        "rules:\n  - {holder: '*sessions*', max_growth: 0}\n  - {type: Buffer, max_growth: 0, level: warn}\n"
        "  - {type: Session, max_growth: 99 MiB}\n";
    hsd_check *check = kit_judge(&kit, text, &diff, NULL);
    cr_assert_eq(hsd_check_types_wanted(check, wanted, 4), 2);
    IS(wanted[0], "Session"); /* what the holder got most of */
    IS(wanted[1], "Buffer");
    cr_assert_eq(hsd_check_types_wanted(check, wanted, 1), 1);
    kit.options.sites = &sites;
    check = kit_judge(&kit, text, &diff, NULL);
    cr_assert_eq(check->rows[0].findings[0].site_count, 2);
    cr_assert_eq(check->rows[0].findings[0].sites, &rows[1]);
    cr_assert_eq(check->rows[1].findings[0].site_count, 1);
    kit_release(&kit);
}

Test(two, nothing_is_wanted_of_a_check_that_passes)
{
    hsd_diff diff = two_types();
    hsd_text wanted[1];
    judge("max_growth: 99 MiB", &diff);
    cr_assert_eq(hsd_check_types_wanted(kit.check, wanted, 1), 0);
    kit_release(&kit);
}

Test(two, built_in_rules_judge_where_the_file_has_none)
{
    types[0] = sample_type("A", 10 * MIB, 11 * MIB);
    hsd_diff diff = sample_diff(types, 1, NULL, 0);
    const hsd_check *check = kit_judge(&kit, "allow: [{type: B, reason: x}]\n", &diff, NULL);
    cr_assert_eq(check->row_count, 1);
    cr_assert_eq(check->rows[0].outcome, HSD_CHECK_OK); /* 10 % */
    types[0] = sample_type("A", 10 * MIB, 11 * MIB + 100);
    diff = sample_diff(types, 1, NULL, 0);
    cr_assert_eq(kit_judge(&kit, "", &diff, NULL)->rows[0].outcome, HSD_CHECK_FAIL);
    types[0] = sample_type("A", 1000, MIB);
    diff = sample_diff(types, 1, NULL, 0);
    cr_assert_eq(kit_judge(&kit, "", &diff, NULL)->rows[0].outcome, HSD_CHECK_OK); /* no more than 1 MiB */
    cr_assert_eq(kit_judge(&kit, "check: {min: 0}\n", &diff, NULL)->rows[0].outcome, HSD_CHECK_FAIL);
    kit_release(&kit);
}

/* A program of Python that has called gc.disable(): what is in cycles stays. */
Test(two, what_waits_for_a_collector_that_is_off_is_judged)
{
    hsd_profile_metric off = {sample_text("python.gc_disabled"), sample_text("count"), 1};
    types[0] = sample_type("A", MIB, MIB);
    types[0].unreached_after = (hsd_amount){100, 2 * MIB};
    hsd_diff diff = sample_diff(types, 1, NULL, 0);
    diff.unreached_after = types[0].unreached_after;
    cr_assert_eq(kit_judge(&kit, "", &diff, NULL)->row_count, 1, "a collector runs: it says nothing");
    diff.after.metrics = &off;
    diff.after.metric_count = 1;
    cr_assert_eq(kit_judge(&kit, "", &diff, NULL)->row_count, 1, "it was switched off between the captures");
    diff.before.metrics = &off;
    diff.before.metric_count = 1;
    const hsd_check *check = kit_judge(&kit, "", &diff, NULL);
    cr_assert_eq(check->row_count, 2);
    cr_assert_eq(check->rows[0].outcome, HSD_CHECK_OK);
    cr_assert_eq(check->rows[1].outcome, HSD_CHECK_FAIL);
    cr_assert_eq(check->rows[1].over, (int64_t)MIB);
    IS(check->rows[1].findings[0].name, "A");
    cr_assert_eq(kit_judge(&kit, "rules: [{max_growth: 1 MiB}]\n", &diff, NULL)->row_count, 1,
                 "who has rules has his own");
    off.value = 0;
    cr_assert_eq(kit_judge(&kit, "", &diff, NULL)->row_count, 1);
    kit_release(&kit);
}

Test(two, program_code_alone_fails_no_built_in_rule)
{
    static hsd_holder rows[] = {
        {.root = {"a", 1}, .type = {"", 0}, .growth_bytes = MIB / 2},
        {.root = {HSD_PROGRAM_CODE, sizeof HSD_PROGRAM_CODE - 1},
         .type = {"", 0},
         .growth_bytes = MIB,
         .is_code = true},
    };
    types[0] = sample_type("A", 10 * MIB, 11 * MIB + MIB / 2);
    hsd_diff diff = sample_diff(types, 1, NULL, 0);
    diff.has_holders = true;
    diff.holders = rows;
    diff.holder_count = 1;
    cr_assert_eq(kit_judge(&kit, "", &diff, NULL)->rows[0].outcome, HSD_CHECK_FAIL);
    diff.holder_count = 2;
    const hsd_check *check = kit_judge(&kit, "", &diff, NULL);
    cr_assert_eq(check->rows[0].outcome, HSD_CHECK_OK);
    cr_assert_eq(check->note_count, 1);
    /* a rule that somebody wrote is meant */
    cr_assert_eq(judge("max_growth: 1 MiB", &diff)->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(judge("holder: '*', max_growth: 600 KiB", &diff)->outcome, HSD_CHECK_OK);
    kit_release(&kit);
}

Test(two, wants_one_of_diff_and_series)
{
    hsd_diff diff = two_types();
    series_kit of_series;
    hsd_series *series = kit_series_begin(&of_series);
    hsd_check_config *config = kit_config("rules: [{max_growth: 0}]\n");
    hsd_check *check = (void *)1;
    hsd_error err;
    cr_assert_eq(hsd_check_run(&check, config, NULL, NULL, NULL, &err), HSD_E_MISUSE);
    cr_assert_null(check);
    cr_assert_eq(hsd_check_run(&check, config, &diff, series, NULL, &err), HSD_E_MISUSE);
    series->before_count = 3;
    cr_assert_eq(hsd_check_run(&check, config, NULL, series, NULL, &err), HSD_E_MISUSE);
    series->before_count = 0;
    series->warmup = 5;
    cr_assert_eq(hsd_check_run(&check, config, NULL, series, NULL, &err), HSD_E_MISUSE);
    cr_assert_eq(hsd_check_run(&check, config, &diff, NULL, NULL, &err), HSD_OK);
    hsd_check_free(check);
    hsd_check_free(NULL);
    hsd_check_config_free(config);
}

/*
 * Growth that is allowed: of rows, out of sums, up to a size, until a day.
 */
#include "unit/check/kit.h"

#include "check/allow.h"

static judge_kit kit;
static hsd_type_row types[4];
static hsd_root_row roots[2];
static hsd_holder holders[2];
static hsd_step path[1];

static hsd_diff sample(void)
{
    types[0] = sample_type("Cache", 0, 6 * MIB);
    types[1] = sample_type("Log", 0, 3 * MIB);
    types[2] = sample_type("Other", 0, MIB);
    roots[0] = sample_root("global", 0, 9 * MIB);
    roots[1] = sample_root("(shared)", 0, MIB);
    path[0] = sample_step("", "Shop");
    holders[0] = sample_holder("global", path, 1, 8 * (int64_t)MIB);
    holders[1] = sample_holder("(roots)", NULL, 0, 2 * (int64_t)MIB);
    hsd_diff diff = sample_diff(types, 3, roots, 2);
    sample_hold(&diff, holders, 2);
    return diff;
}

static const hsd_check_row *judge(const char *rule, const char *allow, const hsd_diff *diff)
{
    char text[2048];
    snprintf(text, sizeof text, "rules:\n  - {%s}\nallow:\n%s", rule, allow);
    return &kit_judge(&kit, text, diff, NULL)->rows[0];
}

Test(allow, rows_that_are_allowed_do_not_fail)
{
    hsd_diff diff = sample();
    const hsd_check_row *row =
        judge("type: '*', each: true, max_growth: 2 MiB", "  - {type: Ca*, reason: filled once}\n", &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(row->found, 3 * (int64_t)MIB);
    cr_assert_eq(row->finding_count, 2);
    IS(row->findings[0].name, "Log");
    cr_assert_null(row->findings[0].allowed);
    IS(row->findings[1].name, "Cache"); /* what is allowed comes last */
    IS(row->findings[1].allowed->reason, "filled once");
    row = judge("type: '*', each: true, max_growth: 3 MiB", "  - {type: Ca*, reason: filled once}\n", &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_OK);
    cr_assert_eq(row->found, 3 * (int64_t)MIB);
    cr_assert_eq(row->finding_count, 1);
    kit_release(&kit);
}

Test(allow, the_first_that_suffices_counts)
{
    hsd_diff diff = sample();
    const hsd_check_row *row = judge("type: Cache, each: true, max_growth: 0",
                                     "  - {root: '*', reason: other table}\n"
                                     "  - {type: Cache, reason: too small, up_to: 5 MiB}\n"
                                     "  - {type: Cache, reason: large enough, up_to: 6 MiB}\n"
                                     "  - {type: '*', reason: later}\n",
                                     &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_OK);
    IS(row->findings[0].allowed->reason, "large enough");
    row =
        judge("type: Cache, each: true, max_growth: 0", "  - {type: Cache, reason: too small, up_to: 5 MiB}\n", &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    /* Counts are held against bytes too. */
    row = judge("type: Cache, each: true, metric: objects, max_growth: 0",
                "  - {type: Cache, reason: x, up_to: 5 MiB}\n", &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    row = judge("type: Cache, each: true, metric: objects, max_growth: 0",
                "  - {type: Cache, reason: x, up_to: 6 MiB}\n", &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_OK);
    kit_release(&kit);
}

Test(allow, sums_are_judged_without_what_is_allowed)
{
    hsd_diff diff = sample();
    const hsd_check_row *row = judge("type: '*', max_growth: 3 MiB", "  - {type: Cache, reason: x}\n", &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(row->found, 4 * (int64_t)MIB);
    cr_assert_eq(row->over, (int64_t)MIB);
    cr_assert_eq(row->finding_count, 3);
    IS(row->findings[0].name, "Log");
    IS(row->findings[1].name, "Other");
    IS(row->findings[2].name, "Cache");
    cr_assert_not_null(row->findings[2].allowed);
    row = judge("type: '*', max_growth: 4 MiB", "  - {type: Cache, reason: x}\n", &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_OK);
    cr_assert_eq(row->finding_count, 1); /* it passes because of this */
    row = judge("type: '*', max_growth: 10 MiB", "  - {type: Cache, reason: x}\n", &diff);
    cr_assert_eq(row->found, 10 * (int64_t)MIB); /* and here it need not be allowed */
    cr_assert_eq(row->finding_count, 0);
    kit_release(&kit);
}

Test(allow, of_the_whole_heap_the_largest_way_to_cut_it_counts)
{
    hsd_diff diff = sample();
    const hsd_check_row *row =
        judge("max_growth: 0", "  - {type: Cache, reason: t}\n  - {holder: global*, reason: h}\n", &diff);
    cr_assert_eq(row->found, 2 * (int64_t)MIB); /* 8 MiB of the holder; the 6 MiB of the type may be the same */
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    IS(row->findings[0].name, "Cache");
    cr_assert_not_null(row->findings[row->finding_count - 1].allowed);
    IS(row->findings[row->finding_count - 1].root, "global");
    row = judge("max_growth: 2 MiB", "  - {root: global, reason: r}\n", &diff);
    cr_assert_eq(row->found, (int64_t)MIB);
    cr_assert_eq(row->outcome, HSD_CHECK_OK);
    kit_release(&kit);
}

Test(allow, what_has_run_out_does_not_count_and_is_told)
{
    hsd_diff diff = sample();
    const char *until = "  - {type: Cache, reason: x, until: 2024-10-03}\n";
    const hsd_check_row *row = judge("type: Cache, max_growth: 0", until, &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    NOTES(kit.check, "growth of type Cache was allowed until 2024-10-03 and is no longer (line 4)");
    /* today */
    row = judge("type: Cache, max_growth: 0", "  - {type: Cache, reason: x, until: 2024-10-04}\n", &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_OK);
    cr_assert_eq(kit.check->note_count, 0);
    hsd_check *check;
    cr_assert_eq(hsd_check_run(&check, kit.config, &diff, NULL, NULL, NULL), HSD_OK);
    hsd_check_free(check);
    kit_release(&kit);
}

Test(allow, what_matches_nothing_is_told)
{
    hsd_diff diff = sample();
    judge("type: Cache, max_growth: 1 GiB",
          "  - {type: Cahce, reason: x}\n  - {holder: /Shop$/, reason: y}\n  - {root: no, reason: z}\n", &diff);
    cr_assert_eq(kit.check->note_count, 2);
    NOTES(kit.check, "growth of type Cahce is allowed, and no type has that name (line 4)");
    NOTES(kit.check, "growth of root no is allowed, and no root has that name (line 6)");
    judge("type: Cahce, max_growth: 0", "  - {type: Log, reason: x}\n", &diff);
    NOTES(kit.check, "rule 'Cahce bytes': no type has such a name (line 2); did you mean Cache?");
    kit_release(&kit);
}

Test(allow, of_a_series_allowed_rows_leave_the_trend_too)
{
    series_kit made;
    hsd_series *series = kit_series_begin(&made);
    kit_row(&made, &series->types, "Cache", SERIES_OF(0, 100, 900, 1700, 2500, 3300));
    kit_row(&made, &series->types, "Leak", SERIES_OF(0, 100, 400, 700, 1000, 1300));
    const char *text = "rules: [{max_growth: 1 MiB}]\nallow: [{type: Cache, reason: x}]\n";
    const hsd_check_row *row = &kit_judge(&kit, text, NULL, series)->rows[0];
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(row->found, 1200 * KIB);
    cr_assert_eq(row->findings[0].per_round, 300 * KIB);
    kit_release(&kit);
}

Test(allow, the_text_of_a_holder_is_public)
{
    const hsd_step steps[] = {sample_step("", "SessionCache"), sample_step(".entries", "Entry[]"),
                              sample_step("[*]", "")};
    char out[128], small[8];
    const size_t size = hsd_check_holder_text(out, sizeof out, sample_text("global sessions"), steps, 3);
    cr_assert_str_eq(out, "global sessions SessionCache .entries Entry[] [*]");
    cr_assert_eq(size, strlen(out));
    cr_assert_eq(hsd_check_holder_text(small, sizeof small, sample_text("global sessions"), steps, 3), size);
    cr_assert_str_eq(small, "global ");
    cr_assert_eq(hsd_check_holder_text(NULL, 0, sample_text("global sessions"), steps, 3), size);
    cr_assert_eq(hsd_check_holder_text(out, sizeof out, sample_text(""), steps, 1), strlen("SessionCache"));
    const hsd_fact fact = {
        .name = sample_text("x"), .root = sample_text("global sessions"), .path = steps, .path_count = 3};
    hsd_buffer buffer = {0};
    hsd_text text;
    cr_assert_eq(hsd_fact_text(&fact, HSD_SUBJECT_HOLDER, &buffer, &text, NULL), HSD_OK);
    IS(text, "global sessions SessionCache .entries Entry[] [*]");
    hsd_buffer_release(&buffer);
}

/* What two variables hold together is allowed by the name of either; what several hold, by a name that fits all. */
Test(allow, holders_of_a_series_are_known_by_who_holds_them)
{
    static series_kit made;
    static hsd_co_holder by[2];
    static hsd_holder together, other;
    static const hsd_holder *held[2] = {&together, &other};
    hsd_series *series = kit_series_begin(&made);
    hsd_series_row *row = kit_row(&made, &series->holders, "", SERIES_OF(0, 1000, 2000, 3000, 4000, 5000));
    for (size_t i = 0; i < 2; i++)
        by[i] = (hsd_co_holder){.root = sample_text(i == 0 ? "app.byId" : "app.byName")};
    together = (hsd_holder){.root = sample_text("(roots)"), .by = by, .by_count = 2};
    other = (hsd_holder){.root = sample_text("app.queue")};
    row->root = sample_text("(roots)");
    row->held = held;
    row->held_count = 1;
    static const char rules[] =
        "rules: [{holder: '*', max_growth: 1 KiB per round}]\nallow: [{holder: %s, reason: meant}]\n";
    char text[256];
    const struct {
        const char *pattern;
        size_t held;
        hsd_check_outcome outcome;
    } tries[] = {{"app.byName", 1, HSD_CHECK_OK},
                 {"(roots)", 1, HSD_CHECK_OK},
                 {"app.queue", 1, HSD_CHECK_FAIL},
                 {"app.byName", 2, HSD_CHECK_FAIL},
                 {"app.*", 2, HSD_CHECK_OK}};
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        row->held_count = tries[i].held;
        snprintf(text, sizeof text, rules, tries[i].pattern);
        cr_assert_eq(kit_judge(&kit, text, NULL, series)->rows[0].outcome, tries[i].outcome, "%s of %zu",
                     tries[i].pattern, tries[i].held);
    }
    kit_release(&kit);
}

/* A rule of a place, and what is allowed there, go by the names that people are told: who holds a row together with
 * others is one of them. */
Test(allow, what_several_hold_has_the_name_of_each)
{
    static const char none[] = "  - {type: Nothing, reason: none}\n";
    hsd_diff diff = sample();
    static hsd_co_holder by[2];
    static hsd_step member[1];
    member[0] = sample_step(".busy", "node of std::set");
    by[0] = (hsd_co_holder){.root = sample_text("pool"), .path = member, .path_count = 1};
    by[1] = (hsd_co_holder){.root = sample_text("log")};
    holders[0].by = by;
    holders[0].by_count = 2;
    cr_assert_eq(judge("holder: '*busy*', max_growth: 1 MiB", none, &diff)->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(judge("holder: 'log', max_growth: 1 MiB", none, &diff)->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(judge("holder: 'pool.busy (node*', max_growth: 1 MiB", none, &diff)->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(judge("holder: '*idle*', max_growth: 1 MiB", none, &diff)->outcome, HSD_CHECK_OK);
    const hsd_check_row *row =
        judge("holder: '*', each: true, max_growth: 4 MiB", "  - {holder: '*busy*', reason: meant}\n", &diff);
    cr_assert_eq(row->outcome, HSD_CHECK_OK);
    IS(row->findings[0].allowed->reason, "meant");
    kit_release(&kit);
}

Test(allow, a_rule_finds_a_row_of_a_series_by_who_holds_most_of_it)
{
    static series_kit made;
    static hsd_holder most, least;
    static const hsd_holder *held[2] = {&most, &least};
    hsd_series *series = kit_series_begin(&made);
    hsd_series_row *row = kit_row(&made, &series->holders, "", SERIES_OF(0, 1000, 2000, 3000, 4000, 5000));
    most = (hsd_holder){.root = sample_text("app.busy"), .growth_bytes = 4000};
    least = (hsd_holder){.root = sample_text("app.idle"), .growth_bytes = 1000};
    row->root = sample_text("app");
    row->held = held;
    row->held_count = 2;
    static const char rule[] = "rules: [{holder: '%s', max_growth: 100 B per round}]\n";
    char text[256];
    const struct {
        const char *pattern;
        hsd_check_outcome outcome;
    } tries[] = {{"*busy", HSD_CHECK_FAIL}, {"*idle", HSD_CHECK_OK}, {"app", HSD_CHECK_FAIL}};
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        snprintf(text, sizeof text, rule, tries[i].pattern);
        cr_assert_eq(kit_judge(&kit, text, NULL, series)->rows[0].outcome, tries[i].outcome, "%s", tries[i].pattern);
        cr_assert(hsd_check_wants_pair(kit.config, series));
    }
    kit_judge(&kit, "rules: [{holder: '*', max_growth: 1 MiB}]", NULL, series);
    cr_assert_not(hsd_check_wants_pair(kit.config, series));
    kit_release(&kit);
}

/*
 * The check over a series: what grew in every round, what levelled off, what came and stayed.
 */
#include "unit/check/kit.h"

static judge_kit kit;
static series_kit made;

static const hsd_check_row *judge(const char *rule)
{
    char text[2048];
    snprintf(text, sizeof text, "rules:\n  - {%s}\n", rule);
    return &kit_judge(&kit, text, NULL, &made.series)->rows[0];
}

/* The first capture is the warm-up and says nothing. */
static hsd_series *usual(void)
{
    hsd_series *series = kit_series_begin(&made);
    kit_row(&made, &series->types, "Leak", SERIES_OF(9000, 1000, 2000, 3000, 4000, 5000));
    kit_row(&made, &series->types, "Cache", SERIES_OF(0, 1000, 8000, 9000, 9000, 9000));
    kit_row(&made, &series->types, "Breath", SERIES_OF(0, 1000, 4000, 2000, 5000, 4500));
    kit_row(&made, &series->types, "Still", SERIES_OF(500, 500, 500, 500, 500, 500));
    return series;
}

Test(many, only_what_grew_in_every_round_fails)
{
    usual();
    const hsd_check_row *row = judge("type: '*', each: true, max_growth: 1 MiB");
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(row->found, 4000 * KIB); /* behind the warm-up */
    cr_assert_eq(row->limit, 1024 * KIB);
    cr_assert_eq(row->finding_count, 2);
    const hsd_finding *finding = &row->findings[0];
    IS(finding->name, "Leak");
    cr_assert_eq(finding->before, 1000 * KIB);
    cr_assert_eq(finding->after, 5000 * KIB);
    cr_assert_eq(finding->per_round, 1000 * KIB);
    cr_assert_eq(finding->round_count, 4);
    cr_assert_eq(finding->up_count, 4);
    cr_assert_lt(finding->p_millionths, 50000);
    cr_assert_not(finding->is_levelled);
    IS(row->findings[1].name, "Cache");
    cr_assert(row->findings[1].is_levelled);
    NOTES(kit.check, "1 type is over the limit without growth in every round");
    kit_release(&kit);
}

Test(many, limits_per_round_are_held_against_the_trend)
{
    usual();
    const hsd_check_row *row = judge("type: Leak, max_growth: 999 KiB per round");
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    cr_assert(row->is_per_round);
    cr_assert_eq(row->found, 1000 * KIB);
    cr_assert_eq(row->limit, 999 * KIB);
    cr_assert_eq(row->over, KIB);
    cr_assert(row->findings[0].is_per_round);
    cr_assert_eq(row->findings[0].growth, 4000 * KIB);
    cr_assert_eq(judge("type: Leak, max_growth: 1000 KiB per round")->outcome, HSD_CHECK_OK);
    /* Live behind the warm-up: 3,500 KiB; 30 % of that are 1,050. */
    cr_assert_eq(judge("type: Leak, max_growth: 30 % per round")->outcome, HSD_CHECK_OK);
    cr_assert_eq(judge("type: Leak, max_growth: 28 % per round")->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(judge("type: Leak, max_growth: 400 %")->outcome, HSD_CHECK_OK);
    cr_assert_eq(judge("type: Leak, max_growth: 399 %")->outcome, HSD_CHECK_FAIL);
    kit_release(&kit);
}

Test(many, objects_have_trends_of_their_own)
{
    usual();
    const hsd_check_row *row = judge("type: '*', each: true, metric: objects, max_growth: 100 per round");
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(row->found, 1000);
    cr_assert_not(row->is_bytes);
    IS(row->findings[0].name, "Leak");
    kit_release(&kit);
}

Test(many, what_levelled_off_passes_up_to_one_off)
{
    usual();
    const hsd_check_row *row = judge("type: Cache, max_growth: 1 MiB");
    cr_assert_eq(row->outcome, HSD_CHECK_OK);
    cr_assert_eq(row->over, 0);
    cr_assert_eq(row->finding_count, 1);
    cr_assert(row->findings[0].is_levelled);
    const char *text = "check: {one_off: 7 MiB}\nrules: [{type: Cache, each: true, max_growth: 1 MiB}]\n";
    cr_assert_eq(kit_judge(&kit, text, NULL, &made.series)->rows[0].outcome, HSD_CHECK_FAIL);
    kit_release(&kit);
}

Test(many, a_sum_that_breathes_passes_with_a_note)
{
    usual();
    const hsd_check_row *row = judge("type: Breath, max_growth: 1 MiB");
    cr_assert_eq(row->outcome, HSD_CHECK_OK);
    cr_assert_eq(row->found, 3500 * KIB);
    cr_assert_eq(row->over, 0);
    NOTES(kit.check, "rule 'Breath bytes': over the limit, but without growth in every round");
    kit_release(&kit);
}

Test(many, noise_is_no_growth_unless_the_file_says_else)
{
    hsd_series *series = kit_series_begin(&made);
    kit_row(&made, &series->types, "Drip", SERIES_OF(0, 10, 20, 30, 40, 50));
    cr_assert_eq(judge("type: Drip, max_growth: 0")->outcome, HSD_CHECK_OK);
    series->noise_bytes = 1;
    made.types[0].trend =
        hsd_trend_of((const uint64_t[]){10 << 10, 20 << 10, 30 << 10, 40 << 10, 50 << 10}, NULL, 5, 1);
    cr_assert_eq(judge("type: Drip, max_growth: 0")->outcome, HSD_CHECK_FAIL);
    const char *text = "check: {min: 1 MiB}\nrules: [{type: Drip, max_growth: 0}]\n";
    cr_assert_eq(kit_judge(&kit, text, NULL, series)->rows[0].outcome, HSD_CHECK_OK);
    kit_release(&kit);
}

Test(many, the_whole_heap_and_what_carries_it)
{
    hsd_series *series = kit_series_begin(&made);
    kit_row(&made, &series->types, "Leak", SERIES_OF(0, 1000, 2000, 3000, 4000, 5000));
    kit_row(&made, &series->types, "Ignored", SERIES_OF(0, 9000, 1000, 9000, 1000, 9000));
    cr_assert_eq(judge("max_growth: 1 MiB")->outcome, HSD_CHECK_OK); /* breathes with what is in it */
    const char *text = "check: {ignore: Ign*}\nrules: [{max_growth: 1 MiB}]\n";
    const hsd_check_row *row = &kit_judge(&kit, text, NULL, series)->rows[0];
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(row->found, 4000 * KIB);
    cr_assert_eq(row->finding_count, 1);
    IS(row->findings[0].name, "Leak");
    kit_release(&kit);
}

Test(many, a_holder_that_began_late_passes_with_a_note)
{
    hsd_series *series = kit_series_begin(&made);
    kit_row(&made, &series->types, "Session", SERIES_OF(10000, 10000, 10000, 11000, 12000, 13000));
    hsd_series_row *row =
        kit_row(&made, &series->holders, "SessionCache", SERIES_OF(900, 1000, 1000, 2000, 3000, 4000));
    row->root = sample_text("global.sessions");
    const hsd_check_row *judged = judge("holder: '*', max_growth: auto");
    cr_assert_eq(judged->outcome, HSD_CHECK_OK);
    NOTES(kit.check, "global.sessions lay still at first, and grew in each of the last 3 rounds, by 3000 KiB "
                     "in all: more rounds tell if it leaks");
    row->root = sample_text("(roots)"); /* what nobody holds is not told so */
    judge("holder: '*', max_growth: auto");
    kit_release(&kit);
}

/* Not in every round, as what is twice as long takes twice as long to fill. */
Test(many, a_buffer_that_is_enlarged_passes_with_a_note)
{
    hsd_series *series = kit_series_begin(&made);
    kit_row(&made, &series->types, "Session", SERIES_OF(10000, 10000, 10000, 10000, 10000, 10000));
    hsd_series_row *row = kit_row(&made, &series->holders, "char[]", SERIES_OF(1000, 2000, 2000, 4000, 4000, 4000));
    row->enlarged = 2;
    row->root = sample_text("audit.text");
    cr_assert_eq(judge("holder: '*', max_growth: auto")->outcome, HSD_CHECK_OK);
    NOTES(kit.check,
          "audit.text was enlarged 2 times, by 3000 KiB in all, with no object more: it may be a buffer that "
          "something is always appended to, which lies still for longer each time it is enlarged. Longer "
          "rounds tell if it leaks");
    kit_release(&kit);
}

/* As the answer says it, not as patterns are held against it. */
Test(many, a_holder_in_a_note_is_a_place)
{
    hsd_step path[] = {sample_step("", "x.EventBus"), sample_step(".handlers", "x.Handlers"), sample_step("", "Array")};
    hsd_series *series = kit_series_begin(&made);
    kit_row(&made, &series->types, "Page", SERIES_OF(0, 900000, 900040, 900080, 900120, 900160));
    hsd_series_row *row = kit_row(&made, &series->holders, "Array", SERIES_OF(0, 1000, 1040, 1080, 1120, 1160));
    row->root = sample_text("static Shop.bus");
    row->path = path;
    row->path_count = 3;
    judge("holder: '*', max_growth: auto");
    NOTES(kit.check, "static Shop.bus.handlers -> Array got some 40 objects in each of 4 rounds");
    row->path_count = 2;
    judge("holder: '*', max_growth: auto");
    NOTES(kit.check, "static Shop.bus.handlers (x.Handlers) got some 40 objects");
    path[1].type = sample_text("a.class.whose.name.is.longer.than.what.is.shown.of.a.Name");
    judge("holder: '*', max_growth: auto");
    NOTES(kit.check, "static Shop.bus.handlers got some 40 objects");
    row->path_count = 1;
    judge("holder: '*', max_growth: auto");
    NOTES(kit.check, "static Shop.bus (x.EventBus) got some 40 objects");
    kit_release(&kit);
}

Test(many, a_small_holder_that_gets_as_much_in_each_round_passes_with_a_note)
{
    hsd_series *series = kit_series_begin(&made);
    kit_row(&made, &series->types, "Page", SERIES_OF(0, 900000, 900040, 900080, 900120, 900160));
    hsd_series_row *row = kit_row(&made, &series->holders, "Array", SERIES_OF(0, 1000, 1040, 1080, 1120, 1160));
    row->root = sample_text("app.listeners");
    kit_row(&made, &series->holders, "Map", SERIES_OF(0, 1000, 1030, 1060, 1090, 1120))->root = sample_text("app.seen");
    kit_row(&made, &series->holders, "Ring", SERIES_OF(0, 1000, 1040, 1080, 1080, 1120))->root =
        sample_text("app.ring");
    const char *note =
        "app.listeners got some 40 objects in each of 4 rounds, 160 KiB in all, and so did 1 more "
        "place. That is within the limit: "
        "a small leak, or something that is not full yet, and then more rounds find an end of it. A rule "
        "fails for it: {holder: '*', metric: objects, max_growth: 20 per round}; hsdiff check --init "
        "writes a file to put it in";
    cr_assert_eq(judge("holder: '*', max_growth: auto")->outcome, HSD_CHECK_OK);
    NOTES(kit.check, note);
    const char *allowed = "rules: [{holder: '*', max_growth: auto}]\n"
                          "allow: [{holder: app.*, reason: filled by the first thousand requests}]\n";
    kit_judge(&kit, allowed, NULL, series);
    cr_assert_eq(kit.check->note_count, 0);
    cr_assert_eq(judge("holder: '*', metric: objects, max_growth: 20 per round")->outcome, HSD_CHECK_FAIL);
    row->root = sample_text("(roots)"); /* what nobody holds is not told so */
    made.series.holders.rows[1].root = sample_text("(roots)");
    judge("holder: '*', max_growth: auto");
    cr_assert_eq(kit.check->note_count, 0);
    kit_release(&kit);
}

/* A parser that forgets one text of each message: 40 KiB in all, and what may be noise is 64. */
Test(many, what_is_lost_in_each_round_passes_with_a_note)
{
    static hsd_series_row lost[ROWS];
    hsd_series *series = kit_series_begin(&made);
    kit_row(&made, &series->types, "Page", SERIES_OF(0, 9000, 9000, 9000, 9000, 9000));
    series->lost = (hsd_series_table){.rows = lost, .is_known = true};
    hsd_series_row *row = kit_row(&made, &series->lost, "char[]", SERIES_OF(0, 10, 20, 30, 40, 50));
    row->place = sample_text("add_header (parse.c:9)");
    kit_row(&made, &series->lost, "cache", SERIES_OF(0, 5, 9, 30, 31, 29))->place = sample_text("get (cache.c:5)");
    for (size_t i = 0; i < POINTS; i++)
        made.unreached[i] = (hsd_amount){made.values[2][0][i].objects, made.values[2][0][i].bytes};
    cr_assert_eq(judge("metric: lost.bytes, max_growth: 64 KiB")->outcome, HSD_CHECK_OK);
    NOTES(kit.check, "what add_header (parse.c:9) allocated was lost, some 10 objects in each of 4 rounds, 40 KiB in "
                     "all. That is within what the rule takes for noise, and is none. A rule fails for it: {metric: "
                     "lost.objects, max_growth: 5 per round}");
    cr_assert_eq(judge("metric: lost.objects, max_growth: 5 per round")->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(kit.check->note_count, 0);
    made.values[2][0][3].objects++; /* 11 and then 9: it may be noise */
    judge("metric: lost.bytes, max_growth: 64 KiB");
    cr_assert_eq(kit.check->note_count, 0);
    kit_release(&kit);
}

/* As a log line of each request is: 40 KiB in each round of 160 MiB passed in silence. */
Test(many, few_objects_are_told_where_each_round_brings_exactly_as_many)
{
    hsd_series *series = kit_series_begin(&made);
    kit_row(&made, &series->types, "Page", SERIES_OF(0, 900000, 900010, 900020, 900030, 900040));
    hsd_series_row *row = kit_row(&made, &series->holders, "Array", SERIES_OF(0, 1000, 1010, 1020, 1030, 1040));
    row->root = sample_text("app.log");
    cr_assert_eq(judge("holder: '*', max_growth: auto")->outcome, HSD_CHECK_OK);
    NOTES(kit.check, "app.log got some 10 objects in each of 4 rounds, 40 KiB in all. That is within the limit");
    NOTES(kit.check, "{holder: '*', metric: objects, max_growth: 5 per round}");
    cr_assert_eq(judge("holder: '*', metric: objects, max_growth: 5 per round")->outcome, HSD_CHECK_FAIL);
    made.values[2][0][3].objects++; /* 11 and then 9 */
    judge("holder: '*', max_growth: auto");
    cr_assert_eq(kit.check->note_count, 0);
    kit_release(&kit);
}

Test(many, holders_are_told_with_their_place)
{
    hsd_series *series = usual();
    static hsd_step path[1];
    path[0] = sample_step("", "SessionCache");
    hsd_series_row *row = kit_row(&made, &series->holders, "SessionCache", SERIES_OF(0, 1000, 2000, 3000, 4000, 5000));
    row->root = sample_text("global sessions");
    row->path = path;
    row->path_count = 1;
    const hsd_check_row *judged = judge("holder: 'global sessions *Cache', max_growth: 0.05 % per round");
    cr_assert_eq(judged->outcome, HSD_CHECK_FAIL);
    IS(judged->findings[0].root, "global sessions");
    cr_assert_eq(judged->findings[0].path, path);
    cr_assert_eq(judged->findings[0].before, 1000 * KIB);
    series->holders.is_known = false;
    series->holders.why_not = sample_text("the captures carry no roots");
    IS(judge("holder: '*', max_growth: 0")->why_unknown, "the captures carry no roots");
    cr_assert_eq(hsd_check_exit(kit.check), 3);
    kit_release(&kit);
}

/* Places that begin nowhere: (roots), and what hangs from it. */
static void hold_nowhere(const uint64_t at_once[POINTS], const uint64_t below[POINTS])
{
    static hsd_step path[1];
    path[0] = sample_step("", "Worker");
    kit_row(&made, &made.series.holders, "", at_once)->root = sample_text("(roots)");
    hsd_series_row *row = kit_row(&made, &made.series.holders, "Worker", below);
    row->root = sample_text("(roots)");
    row->path = path;
    row->path_count = 1;
}

#define EACH_HOLDER "holder: '*', each: true, max_growth: 500 KiB per round"

Test(many, what_changes_hands_where_no_root_holds_it_is_no_growth)
{
    hsd_series *series = kit_series_begin(&made);
    kit_row(&made, &series->types, "Buffer", SERIES_OF(0, 9000, 9000, 9000, 9000, 9000));
    hold_nowhere(SERIES_OF(0, 1000, 2000, 3000, 4000, 5000), SERIES_OF(0, 8000, 7000, 6000, 5000, 4000));
    cr_assert_eq(judge(EACH_HOLDER)->outcome, HSD_CHECK_OK);
    /* it is meant */
    cr_assert_eq(judge("holder: '(roots)*', each: true, max_growth: 500 KiB per round")->outcome, HSD_CHECK_FAIL);
    kit_release(&kit);
}

Test(many, what_is_held_by_no_root_fails_by_what_all_of_it_grew)
{
    hsd_series *series = kit_series_begin(&made);
    kit_row(&made, &series->types, "Buffer", SERIES_OF(0, 9000, 9600, 10200, 10800, 11400));
    hold_nowhere(SERIES_OF(0, 1000, 3000, 5000, 7000, 9000), SERIES_OF(0, 8000, 6600, 5200, 3800, 2400));
    const hsd_check_row *row = judge(EACH_HOLDER);
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(row->found, 600 * KIB);
    cr_assert_eq(row->findings[0].growth, 2400 * KIB);
    kit_release(&kit);
}

Test(many, a_leak_that_no_root_holds_fails_beside_a_cache_that_is_emptied)
{
    hsd_series *series = kit_series_begin(&made);
    kit_row(&made, &series->types, "Session", SERIES_OF(0, 1000, 2000, 3000, 4000, 5000));
    kit_row(&made, &series->types, "Page", SERIES_OF(0, 8000, 7000, 6000, 5000, 4000));
    hold_nowhere(SERIES_OF(0, 1000, 2000, 3000, 4000, 5000), SERIES_OF(0, 8000, 7000, 6000, 5000, 4000));
    const hsd_check_row *row = judge(EACH_HOLDER);
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(row->found, 1000 * KIB);
    kit_release(&kit);
}

Test(many, tables_that_are_not_there_cannot_be_judged)
{
    hsd_series *series = usual();
    series->roots.is_known = false;
    series->types.is_known = false;
    series->types.why_not = sample_text("a reason");
    IS(judge("root: '*', max_growth: 0")->why_unknown, "the captures do not have it");
    IS(judge("type: '*', max_growth: 0")->why_unknown, "a reason");
    IS(judge("metric: new.types, max_growth: 0")->why_unknown, "a reason");
    cr_assert_eq(judge("max_growth: 1 GiB")->outcome, HSD_CHECK_OK);
    kit_release(&kit);
}

/* ---- garbage, types, metrics ---- */

Test(many, garbage_is_known_of_the_heap_alone)
{
    hsd_series *series = usual();
    for (size_t i = 0; i < POINTS; i++)
        made.unreached[i] = (hsd_amount){i, i << 20};
    kit_trend(&series->unreached, series);
    const hsd_check_row *row = judge("metric: unreached.bytes, max_growth: 1 MiB");
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(row->found, 4096 * KIB);
    cr_assert_eq(row->finding_count, 0);
    IS(judge("type: Leak, metric: unreached.bytes, max_growth: 0")->why_unknown,
       "a series adds up what is unreached for the whole heap alone");
    made.points[3].side.has_roots = false;
    IS(judge("metric: unreached.bytes, max_growth: 0")->why_unknown, "a capture carries no roots or no references");
    kit_release(&kit);
}

Test(many, new_types_are_those_that_are_there_at_the_end)
{
    hsd_series *series = usual();
    kit_row(&made, &series->types, "Late", SERIES_OF(0, 0, 0, 0, 10, 10));
    kit_row(&made, &series->types, "Came and went", SERIES_OF(0, 0, 10, 0, 0, 0));
    const hsd_check_row *row = judge("metric: new.types, max_growth: 0");
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(row->found, 1);
    cr_assert_eq(row->finding_count, 1);
    IS(row->findings[0].name, "Late");
    kit_release(&kit);
}

Test(many, metrics_of_captures_have_trends)
{
    hsd_series *series = usual();
    static hsd_profile_metric metrics[POINTS];
    for (size_t i = 0; i < POINTS; i++) {
        metrics[i] = (hsd_profile_metric){sample_text("handles"), sample_text(""), 100 + 10 * i};
        made.points[i].metrics = &metrics[i];
        made.points[i].metric_count = 1;
    }
    const hsd_check_row *row = judge("metric: metric:handles, max_growth: 5 per round");
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    cr_assert_not(row->is_bytes);
    cr_assert_eq(row->found, 10);
    cr_assert_eq(judge("metric: metric:handles, max_growth: 10 % per round")->limit, 11); /* of its own 110 */
    metrics[3].value = 0;
    cr_assert_eq(judge("metric: metric:handles, max_growth: 5 per round")->outcome, HSD_CHECK_OK);
    made.points[0].metric_count = 0; /* the warm-up does not count */
    cr_assert_eq(judge("metric: metric:handles, max_growth: 5 per round")->outcome, HSD_CHECK_OK);
    made.points[2].metric_count = 0;
    IS(judge("metric: metric:handles, max_growth: 5")->why_unknown, "2.hs carries no metric handles");
    (void)series;
    kit_release(&kit);
}

/* ---- what came and stayed ---- */

/* Each capture brings ten objects of a KiB, of which those of odd captures stay. */
static void age(hsd_amount alive[POINTS * POINTS], uint64_t each)
{
    for (size_t at = 0; at < POINTS; at++)
        for (size_t born = 0; born <= at; born++) {
            const bool is_there = born == at || born % 2 == 1;
            alive[at * POINTS + born] = is_there ? (hsd_amount){each, each << 10} : (hsd_amount){0, 0};
        }
}

static hsd_series *with_ages(void)
{
    hsd_series *series = usual();
    static hsd_cohort_row *const rows = made.ages;
    rows[0] = (hsd_cohort_row){.name = sample_text("Leak"), .alive = made.alive[0]};
    rows[1] = (hsd_cohort_row){.name = sample_text("Tmp"), .alive = made.alive[1]};
    age(made.alive[0], 100);
    age(made.alive[1], 30);
    age(made.all_alive, 130);
    series->cohorts.type_count = 2;
    return series;
}

Test(many, survivors_came_behind_the_warm_up_and_before_the_end)
{
    with_ages();
    const hsd_check_row *row = judge("metric: survived.objects, max_growth: 129");
    cr_assert_eq(row->found, 130); /* of capture 3; 5 is the last, 1 the first behind the warm-up */
    cr_assert_eq(row->outcome, HSD_CHECK_FAIL);
    cr_assert_eq(row->finding_count, 2);
    IS(row->findings[0].name, "Leak");
    cr_assert_eq(row->findings[0].growth, 100);
    cr_assert_eq(judge("type: Tmp, metric: survived.bytes, max_growth: 0")->found, 30 * KIB);
    cr_assert_eq(judge("type: Tmp, metric: new.objects, max_growth: 0")->found, 60); /* of captures 3 and 5 */
    cr_assert_eq(judge("metric: new.objects, max_growth: 260")->outcome, HSD_CHECK_OK);
    cr_assert_eq(judge("type: Tmp, metric: survived.objects, max_growth: 10 per round")->found, 8); /* 30 over 4
                                                                                                     * rounds, rounded
                                                                                                     * up */
    cr_assert_eq(judge("type: Leak, metric: survived.objects, max_growth: 100 %")->limit, 100);     /* 100 were live at
                                                                                                     * capture 1 */
    kit_release(&kit);
}

Test(many, survivors_without_what_is_ignored)
{
    hsd_series *series = with_ages();
    const char *text = "check: {ignore: Leak}\nrules: [{metric: survived.objects, max_growth: 0}]\n";
    cr_assert_eq(kit_judge(&kit, text, NULL, series)->rows[0].found, 30);
    kit_release(&kit);
}

Test(many, cohorts_across_a_border_are_left_out)
{
    hsd_series *series = with_ages();
    made.cohorts[3] = (hsd_cohort){3, 5};
    cr_assert_eq(judge("metric: survived.objects, max_growth: 0")->found, 0);
    (void)series;
    kit_release(&kit);
}

Test(many, ages_that_are_not_known_cannot_be_judged)
{
    hsd_series *series = with_ages();
    IS(judge("root: '*', metric: new.bytes, max_growth: 0")->why_unknown, "a series tells what is new by type alone");
    series->cohorts.are_known = false;
    series->cohorts.why_not = sample_text("the collector moves objects");
    IS(judge("metric: survived.bytes, max_growth: 0")->why_unknown, "the collector moves objects");
    kit_release(&kit);
}

/* ---- built-in rules ---- */

Test(many, built_in_rules_leave_out_what_captures_cannot_answer)
{
    hsd_series *series = usual();
    const hsd_check *check = kit_judge(&kit, "", NULL, series);
    cr_assert_eq(hsd_check_exit(check), 0);
    cr_assert_eq(check->warned, 1); /* the type Leak */
    series->holders.is_known = series->roots.is_known = false;
    series->holders.why_not = sample_text("the captures carry no roots");
    check = kit_judge(&kit, "", NULL, series);
    cr_assert_eq(hsd_check_exit(check), 0);
    cr_assert_eq(check->unknown, 0);
    NOTES(check, "rule 'no holder grows in every round' was left out: the captures carry no roots");
    kit_release(&kit);
}

Test(many, what_waits_for_a_collector_that_is_off_is_judged)
{
    static const hsd_profile_metric off = {{"python.gc_disabled", 18}, {"count", 5}, 1};
    hsd_series *series = usual();
    for (size_t i = 0; i < POINTS; i++) {
        made.unreached[i] = (hsd_amount){i, i << 20};
        made.points[i].metrics = &off;
        made.points[i].metric_count = 1;
    }
    kit_trend(&series->unreached, series);
    const hsd_check *check = kit_judge(&kit, "", NULL, series);
    cr_assert_eq(hsd_check_exit(check), 1);
    cr_assert_eq(check->failed, 1);
    IS(check->rows[check->row_count - 1].rule->name, "what waits for a collector that is off does not grow");
    for (size_t i = 0; i < POINTS; i++)
        made.unreached[i] = (hsd_amount){i % 2, i % 2 << 20}; /* it calls the collector now and then */
    kit_trend(&series->unreached, series);
    cr_assert_eq(hsd_check_exit(kit_judge(&kit, "", NULL, series)), 0);
    made.points[POINTS - 1].metric_count = 0;
    const size_t asked = kit.check->row_count;
    cr_assert_eq(kit_judge(&kit, "", NULL, series)->row_count, asked - 1);
    kit_release(&kit);
}

Test(many, types_and_the_heap_are_named_with_who_holds_them_by_the_pair)
{
    static hsd_type_growth grown;
    static hsd_holder holder;
    hsd_diff pair = {.has_holders = true, .holders = &holder, .holder_count = 1};
    hsd_series *series = kit_series_begin(&made);
    kit_row(&made, &series->types, "Leak", SERIES_OF(9000, 1000, 2000, 3000, 4000, 5000));
    grown = (hsd_type_growth){.type = sample_text("Leak"), .net_bytes = 4000 * KIB};
    holder =
        (hsd_holder){.root = sample_text("app.leak"), .growth_bytes = 4000 * KIB, .types = &grown, .type_count = 1};
    pair.total.after.bytes = 4000 * KIB;
    series->pair = &pair;
    const hsd_check_row *row = judge("type: Leak, max_growth: 1 KiB per round");
    IS(row->findings[0].root, "app.leak");
    cr_assert_eq(row->findings[0].holder, &holder);
    row = judge("metric: total.bytes, max_growth: 0");
    cr_assert_eq(row->held_count, 1);
    cr_assert_eq(row->held[0], &holder);
    kit_release(&kit);
}

Test(many, what_is_over_a_limit_per_round_and_passes_as_noise_says_so)
{
    usual();
    const char *text = "check: {min: 5 MiB}\nrules: [{type: Leak, max_growth: 1 KiB per round}]\n";
    cr_assert_eq(kit_judge(&kit, text, NULL, &made.series)->rows[0].outcome, HSD_CHECK_OK);
    NOTES(kit.check, "is noise here (min)");
    kit_release(&kit);
}

/* What is told of a stage: its line, and the numbers of which a run makes a table. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/worker.h"
#include "io/stopwatch.h"

typedef struct told {
    char text[1024];
    unsigned stages;
    char what[8][32];
    uint64_t bound_ns[8], cpu_ns[8];
} told;

static void hear_note(void *context, hsd_note_level level, const char *text)
{
    told *t = context;
    cr_assert_eq(level, HSD_NOTE_DETAIL);
    snprintf(t->text, sizeof t->text, "%s", text);
}

static void hear_stage(void *context, const hsd_stage *stage)
{
    told *t = context;
    cr_assert_str_eq(stage->whose, "both");
    snprintf(t->what[t->stages], sizeof t->what[0], "%s", stage->what);
    t->bound_ns[t->stages] = stage->bound_ns;
    t->cpu_ns[t->stages++] = stage->cpu_ns;
}

static hsd_costs costs_of_reading(double ns)
{
    hsd_costs costs = {.machine = "a machine"};
    costs.ns[HSD_COST_READ] = ns;
    return costs;
}

static void spin(uint64_t ns)
{
    const uint64_t start = hsd_thread_cpu_ns();
    while (hsd_thread_cpu_ns() - start < ns)
        continue;
}

typedef struct set_up {
    told t;
    hsd_costs costs;
    hsd_run run;
    hsd_reporter reporter;
    hsd_temp_space space;
} set_up;

static void begin(set_up *s)
{
    s->costs = costs_of_reading(1);
    s->run = (hsd_run){
        .note = hear_note, .note_context = &s->t, .stage = hear_stage, .stage_context = &s->t, .costs = &s->costs};
    hsd_reporter_init(&s->reporter, &s->run);
    hsd_temp_space_init(&s->space, NULL);
}

Test(stopwatch, tells_the_bound_of_what_was_done_and_the_ratio)
{
    set_up s = {0};
    double took, cpu, bound, ratio;
    char rest[256] = "";
    begin(&s);
    hsd_stopwatch watch = hsd_stopwatch_start(&s.space);
    hsd_work_did(HSD_COST_READ, 4000000);
    spin(8000000);
    hsd_stopwatch_note(&watch, &s.reporter, "both", "reading");
    cr_assert_eq(sscanf(s.t.text,
                        "both: reading took %lf s, %lf s of the processor; temporary files: 0.0 MiB read, 0.0 MiB "
                        "written; bound %lf s: %lfx %255[^\n]",
                        &took, &cpu, &bound, &ratio, rest),
                 5, "%s", s.t.text);
    cr_assert_str_eq(rest, "(4.0 MB read)");
    cr_assert_float_eq(bound, 0.004, 1e-9);
    cr_assert_geq(cpu, 0.008);
    cr_assert(fabs(ratio - cpu / bound) < 0.2, "%s", s.t.text);
    hsd_reporter_release(&s.reporter);
}

Test(stopwatch, tells_no_bound_of_less_than_a_millisecond)
{
    set_up s = {0};
    begin(&s);
    hsd_stopwatch watch = hsd_stopwatch_start(&s.space);
    hsd_work_did(HSD_COST_READ, 999999);
    hsd_stopwatch_note(&watch, &s.reporter, "both", "reading");
    cr_assert_null(strstr(s.t.text, "bound"), "%s", s.t.text);
    cr_assert_eq(s.t.bound_ns[0], 999999);
    hsd_reporter_release(&s.reporter);
}

/* Line of the outer one: all of it. To the run: without the inner one. */
Test(stopwatch, a_stage_within_a_stage_is_added_up_once)
{
    set_up s = {0};
    begin(&s);
    hsd_stopwatch outer = hsd_stopwatch_start(&s.space);
    hsd_work_did(HSD_COST_READ, 1000000);
    hsd_stopwatch inner = hsd_stopwatch_start(&s.space);
    hsd_work_did(HSD_COST_READ, 5000000);
    spin(6000000);
    hsd_stopwatch_note(&inner, &s.reporter, "both", "inner");
    hsd_work_did(HSD_COST_READ, 2000000);
    spin(1000000);
    hsd_stopwatch_note(&outer, &s.reporter, "both", "outer");
    cr_assert_not_null(strstr(s.t.text, "bound 0.008 s"), "%s", s.t.text);
    cr_assert_eq(s.t.stages, 2);
    cr_assert_eq(s.t.bound_ns[0], 5000000);
    cr_assert_eq(s.t.bound_ns[1], 3000000);
    cr_assert_geq(s.t.cpu_ns[0], 6000000);
    cr_assert_lt(s.t.cpu_ns[1], 6000000);
    hsd_work_did(HSD_COST_READ, 7);
    hsd_stopwatch_note(&outer, &s.reporter, "both", "next");
    cr_assert_eq(s.t.bound_ns[2], 7, "a note starts anew");
    hsd_reporter_release(&s.reporter);
}

static hsd_status help(void *context, hsd_error *err)
{
    (void)context, (void)err;
    hsd_work_did(HSD_COST_READ, 3000000);
    spin(5000000);
    return HSD_OK;
}

Test(stopwatch, what_a_worker_did_counts_for_the_stage_that_waited)
{
    set_up s = {0};
    hsd_worker worker;
    begin(&s);
    hsd_stopwatch watch = hsd_stopwatch_start(&s.space);
    hsd_worker_begin(&worker, help, NULL, false);
    cr_assert_eq(hsd_worker_finish(&worker, NULL), HSD_OK);
    hsd_stopwatch_note(&watch, &s.reporter, "both", "helped");
    cr_assert_eq(s.t.bound_ns[0], 3000000);
    cr_assert_geq(s.t.cpu_ns[0], 5000000);
    hsd_reporter_release(&s.reporter);
}

Test(stopwatch, takes_the_built_in_costs_where_there_are_no_others)
{
    set_up s = {0};
    begin(&s);
    s.run.costs = NULL;
    hsd_stopwatch watch = hsd_stopwatch_start(&s.space);
    hsd_work_did(HSD_COST_READ, 1000000);
    hsd_stopwatch_note(&watch, &s.reporter, "both", "reading");
    cr_assert_eq(s.t.bound_ns[0], (uint64_t)(1000000 * hsd_costs_built_in().ns[HSD_COST_READ]));
    s.run.stage = NULL;
    hsd_stopwatch_note(&watch, &s.reporter, "both", "reading");
    hsd_stopwatch_note(&watch, NULL, "both", "reading");
    cr_assert_eq(s.t.stages, 1);
    hsd_reporter_release(&s.reporter);
}

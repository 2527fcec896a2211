/*
 * The run over captures: what it refuses, what it says of captures that cannot be compared, and that it fails well.
 */
#include <errno.h>

#include "property/series_kit.h"
#include "support/fault.h"

static kit_story story;

TestSuite(run, .init = kit_setup, .fini = kit_teardown);

static void make_story(size_t count, uint64_t seed)
{
    test_random random = {seed};
    while (!kit_make(&story, &random, count)) {
    }
    for (size_t k = 0; k < count; k++)
        story.forms[k].moment = 1000 * k;
}

static hsd_series *run_story(const hsd_series_options *options)
{
    kit_write(&story);
    return kit_run(story.count, options, NULL);
}

/* ---- calls that are wrong ---- */

static void check_refused(size_t count, const hsd_series_options *options, const char *text)
{
    hsd_series *series;
    cr_assert_eq(kit_try(&series, count, options, NULL), HSD_E_MISUSE);
    cr_assert_null(series);
    cr_assert_str_eq(kit_err.text, text);
    cr_assert_eq(kit_opened, 0);
}

Test(run, refuses_what_is_no_series)
{
    check_refused(0, NULL, "0 captures are no series: it takes 2 to 1000");
    check_refused(1, NULL, "1 capture is no series: it takes 2 to 1000");
    check_refused(1001, NULL, "1001 captures are no series: it takes 2 to 1000");
    check_refused(3, &(hsd_series_options){.before_count = 3}, "no capture is left behind the 3 in front");
    check_refused(3, &(hsd_series_options){.warmup = 2}, "a warm-up of 2 leaves fewer than 2 captures of 3");
}

/* ---- what captures say of each other ---- */

static bool has_warning(const hsd_series *series, const char *part)
{
    for (size_t i = 0; i < series->warning_count; i++) {
        if (strstr(series->warnings[i].data, part) != NULL) return true;
    }
    return false;
}

Test(run, has_no_time_axis_without_an_order_of_times)
{
    make_story(4, 1);
    hsd_series *series = run_story(NULL);
    cr_assert(series->has_times && series->is_one_process);
    hsd_series_free(series);
    story.forms[2].moment = 5;
    series = run_story(NULL);
    cr_assert_not(series->has_times);
    cr_assert(has_warning(series, "02.hs was taken before "));
    cr_assert_eq(series->total.trend.per_hour, 0);
    hsd_series_free(series);
    story.forms[2].moment = story.forms[1].moment;
    series = run_story(NULL);
    cr_assert(has_warning(series, "02.hs was taken at the same time as "));
    hsd_series_free(series);
    series = run_story(&(hsd_series_options){.before_count = 2});
    cr_assert_not(has_warning(series, "was taken")); /* repeated captures have no order */
    hsd_series_free(series);
}

static void check_why_not(const hsd_series_options *options, const char *wanted)
{
    hsd_series *series = run_story(options);
    cr_assert_not(series->cohorts.are_known);
    cr_assert_not_null(strstr(series->cohorts.why_not.data, wanted), "%s", series->cohorts.why_not.data);
    cr_assert(series->cohorts.cohort_count == 0 && series->cohorts.types == NULL);
    hsd_series_free(series);
}

Test(run, says_why_ages_are_not_known)
{
    make_story(3, 2);
    check_why_not(&(hsd_series_options){.cohorts = HSD_COHORTS_NEVER}, "they were not asked for");
    check_why_not(&(hsd_series_options){.before_count = 1}, "repeated ones");
    check_why_not(&(hsd_series_options){.summary_only = true}, "type totals alone were asked for");
    story.forms[2].domain = 8;
    check_why_not(NULL, "the captures are of different processes; --cohorts");
    story.forms[1].started = story.forms[2].started = 5; /* as an inspector leaves it that was opened for each */
    check_why_not(NULL, "the runtime numbered the objects of the process anew between the captures; --cohorts");
    story.forms[1].started = 4;
    check_why_not(NULL, "the captures are of different processes; --cohorts");
    story.forms[1].started = story.forms[2].started = 0;
    story.forms[1].domain = 0;
    check_why_not(NULL, "the captures do not say which process they are of; --cohorts");
    story.forms[1].domain = story.forms[2].domain = 7;
    story.forms[2].identity = HSC_IDENTITY_ADDRESS;
    check_why_not(NULL, "the captures identify objects in different ways; --cohorts");
    story.forms[2].identity = HSC_IDENTITY_MOVING;
    check_why_not(NULL, "the collector moves objects; --cohorts recognises them by structure");
    story.forms[2].identity = HSC_IDENTITY_NONE;
    check_why_not(NULL, "the captures carry no identities of objects; --cohorts");
}

Test(run, exact_ids_of_no_known_process_tell_ages)
{
    make_story(3, 2);
    for (size_t i = 0; i < 3; i++)
        story.forms[i].domain = 0;
    hsd_series *series = run_story(NULL);
    cr_assert(series->cohorts.are_known && !series->is_one_process);
    hsd_series_free(series);
    for (size_t i = 0; i < 3; i++)
        story.forms[i].identity = HSC_IDENTITY_ADDRESS;
    check_why_not(NULL, "the captures do not say which process they are of; --cohorts");
}

Test(run, a_program_that_was_started_again_is_told)
{
    make_story(5, 2);
    hsd_series *series = run_story(NULL);
    cr_assert_not(has_warning(series, "started again"));
    hsd_series_free(series);
    for (size_t i = 2; i < 5; i++)
        story.forms[i].domain = 8;
    series = run_story(NULL);
    cr_assert(has_warning(series, "the program was started again 1 time among the captures"));
    cr_assert(has_warning(series, "at most at the 3 captures from "));
    hsd_series_free(series);
    for (size_t i = 0; i < 5; i++)
        story.forms[i].domain = (uint8_t)(10 + i); /* each of a run of its own: that is meant */
    series = run_story(NULL);
    cr_assert_not(has_warning(series, "started again"));
    hsd_series_free(series);
    for (size_t i = 0; i < 5; i++)
        story.forms[i].domain = (uint8_t)(10 + i % 2); /* in turns */
    series = run_story(NULL);
    cr_assert_not(has_warning(series, "started again"));
    cr_assert(has_warning(series, "captures of several processes are mixed: "));
    hsd_series_free(series);
}

Test(run, a_capture_that_is_given_twice_is_told)
{
    make_story(4, 2);
    hsd_series *series = run_story(NULL);
    cr_assert_not(has_warning(series, "the same content"));
    hsd_series_free(series);
    char path[128];
    snprintf(path, sizeof path, "%s", kit_file(1));
    remove(kit_file(3));
    cr_assert_eq(link(path, kit_file(3)), 0);
    series = kit_run(4, NULL, NULL);
    cr_assert(has_warning(series, "03.hs has the same content as "));
    hsd_series_free(series);
}

Test(run, different_processes_are_no_one_process)
{
    make_story(3, 2);
    story.forms[2].domain = 8;
    hsd_series *series = run_story(NULL);
    cr_assert_not(series->is_one_process);
    hsd_series_free(series);
    for (size_t k = 0; k < 3; k++)
        story.forms[k].domain = 0;
    series = run_story(NULL);
    cr_assert_not(series->is_one_process); /* nobody says so */
    hsd_series_free(series);
}

/* Field by field: what pads a structure may be anything. */
static bool contrasts_are_equal(const hsd_contrast *a, const hsd_contrast *b)
{
    return a->median_before == b->median_before && a->median_after == b->median_after &&
           a->spread_before == b->spread_before && a->spread_after == b->spread_after &&
           a->p_millionths == b->p_millionths && a->is_significant == b->is_significant;
}

Test(run, groups_of_repeated_captures_are_contrasted)
{
    make_story(8, 3);
    hsd_series *series = run_story(&(hsd_series_options){.before_count = 4});
    uint64_t bytes[8];
    for (size_t k = 0; k < 8; k++)
        bytes[k] = series->total.values[k].bytes;
    const hsd_contrast wanted = hsd_contrast_of(bytes, 4, bytes + 4, 4);
    cr_assert(contrasts_are_equal(&wanted, &series->total.contrast));
    for (size_t i = 1; i < series->types.row_count; i++) {
        const hsd_contrast *a = &series->types.rows[i - 1].contrast, *b = &series->types.rows[i].contrast;
        cr_assert_geq((int64_t)(a->median_after - a->median_before), (int64_t)(b->median_after - b->median_before));
    }
    hsd_series_free(series);
}

/* ---- tables that are not there ---- */

Test(run, type_totals_alone_have_no_roots)
{
    make_story(3, 4);
    hsd_series *series = run_story(&(hsd_series_options){.summary_only = true});
    cr_assert(series->types.is_known && !series->roots.is_known && !series->holders.is_known);
    cr_assert_str_eq(series->roots.why_not.data, "type totals alone were asked for");
    cr_assert_str_eq(series->holders.why_not.data, "type totals alone were asked for");
    cr_assert(series->points[0].is_summary);
    hsd_series_free(series);
    series = run_story(&(hsd_series_options){.no_places = true});
    cr_assert(series->roots.is_known && !series->holders.is_known && series->cohorts.are_known);
    cr_assert_str_eq(series->holders.why_not.data, "they were not asked for");
    hsd_series_free(series);
}

Test(run, a_capture_without_roots_takes_the_tables_behind_the_warm_up_alone)
{
    make_story(4, 5);
    story.heaps[0].root_count = 0;
    hsd_series *series = run_story(&(hsd_series_options){.warmup = 1});
    cr_assert(series->roots.is_known && series->holders.is_known);
    hsd_series_free(series);
    series = run_story(NULL);
    cr_assert(!series->roots.is_known && !series->holders.is_known && series->types.is_known);
    cr_assert_not_null(strstr(series->roots.why_not.data, "00.hs carries no roots or no references"), "%s",
                       series->roots.why_not.data);
    cr_assert_not_null(strstr(series->holders.why_not.data, "00.hs: the capture carries no roots"), "%s",
                       series->holders.why_not.data);
    cr_assert_eq(series->roots.row_count, 0);
    hsd_series_free(series);
}

/* ---- failing ---- */

Test(run, names_the_capture_that_fails)
{
    hsd_series *series;
    make_story(4, 6);
    kit_write(&story);
    FILE *file = fopen(kit_file(2), "r+b");
    fseek(file, 0, SEEK_END);
    const long middle = ftell(file) / 2;
    fseek(file, middle, SEEK_SET);
    const int byte = fgetc(file);
    fseek(file, middle, SEEK_SET);
    fputc(byte ^ 0x55, file);
    fclose(file);
    kit_err.file[0] = 0;
    cr_assert_lt(kit_try(&series, 4, NULL, NULL), 0);
    cr_assert_str_eq(kit_err.file, kit_file(2));
    remove(kit_file(2));
    kit_err.file[0] = 0;
    cr_assert_eq(kit_try(&series, 4, NULL, NULL), HSD_E_IO);
    cr_assert_str_eq(kit_err.file, kit_file(2));
}

typedef struct heard {
    char last[128];
    uint64_t calls, cancel_at;
} heard;

static bool hear(void *context, const char *stage, uint64_t done, uint64_t total)
{
    heard *h = context;
    (void)done, (void)total;
    snprintf(h->last, sizeof h->last, "%s", stage);
    return ++h->calls != h->cancel_at;
}

Test(run, says_which_capture_it_is_at)
{
    make_story(3, 7);
    kit_write(&story);
    heard h = {.cancel_at = 0};
    hsd_series_free(kit_run(3, NULL, &(hsd_run){.progress = hear, .progress_context = &h}));
    cr_assert_gt(h.calls, 0);
    cr_assert_eq(strncmp(h.last, "capture 3 of 3: ", 16), 0, "%s", h.last);
    hsd_series *series;
    h = (heard){.cancel_at = 1};
    cr_assert_eq(kit_try(&series, 3, NULL, &(hsd_run){.progress = hear, .progress_context = &h}), HSD_E_CANCELLED);
    cr_assert_null(series);
}

typedef struct noted {
    char text[32768];
    size_t size;
} noted;

/* All that was said but for the numbers, which are of time and memory, and for what took how long: one capture alone
 * has stages beside each other on two threads. */
static void take_note(void *context, hsd_note_level level, const char *text)
{
    noted *n = context;
    if (strstr(text, " took ") != NULL) return;
    n->text[n->size++] = (char)('0' + level);
    for (; *text != 0 && n->size + 2 < sizeof n->text; text++)
        if ((*text < '0' || *text > '9') && *text != '.') n->text[n->size++] = *text;
    n->text[n->size++] = '\n';
}

Test(run, two_or_three_at_once_say_what_one_after_the_other_says)
{
    static noted in_turn, at_once;
    for (size_t count = 2; count < 8; count++) {
        make_story(count, 20 + count);
        kit_write(&story);
        in_turn = at_once = (noted){.size = 0};
        hsd_series *a = kit_run(count, NULL, &(hsd_run){.threads = 1, .note = take_note, .note_context = &in_turn});
        hsd_series *b =
            kit_run(count, NULL,
                    &(hsd_run){.threads = 2, .memory_bytes = 1 << 30, .note = take_note, .note_context = &at_once});
        cr_assert_str_eq(at_once.text, in_turn.text);
        cr_assert(a->types.row_count == b->types.row_count && a->holders.row_count == b->holders.row_count);
        cr_assert(a->cohorts.are_known == b->cohorts.are_known && a->warning_count == b->warning_count);
        for (size_t i = 0; i < count; i++)
            cr_assert_eq(a->total.values[i].bytes, b->total.values[i].bytes);
        hsd_series_free(a);
        hsd_series_free(b);
    }
}

static void check_failed_is_named(size_t count)
{
    const hsd_run two = {.threads = 2, .memory_bytes = 1 << 30};
    hsd_series *series;
    make_story(count, 6);
    kit_write(&story);
    for (size_t bad = count; bad-- > 0;) { /* those behind it are bad already */
        FILE *file = fopen(kit_file(bad), "r+b");
        fseek(file, 100, SEEK_SET);
        for (int i = 0; i < 100; i++)
            fputc(0x55, file);
        fclose(file);
        kit_err.file[0] = 0;
        kit_opened = kit_open_now = 0;
        cr_assert_lt(kit_try(&series, count, NULL, &two), 0);
        cr_assert_str_eq(kit_err.file, kit_file(bad), "%zu: %s", bad, kit_err.file);
        cr_assert_eq(kit_open_now, 0);
    }
}

Test(run, of_two_or_three_at_once_the_first_that_fails_is_named)
{
    check_failed_is_named(4);
    check_failed_is_named(5);
}

/* Calls of one family fail in turn, until the run needs no more of them. */
static void fail_each(hsd_fault_family family, int error, hsd_status wanted, const hsd_series_options *options,
                      uint64_t memory_bytes, uint64_t step)
{
    for (uint64_t at = 1;; at += step) {
        hsd_series *series;
        kit_opened = kit_open_now = 0;
        hsd_fault_reset();
        hsd_fault_arm(family, at, false, error);
        const hsd_series_source source = {.count = story.count, .open = kit_open, .close = kit_close};
        const hsd_status status =
            hsd_series_run(&series, &source, options, &(hsd_run){.memory_bytes = memory_bytes, .threads = 1}, &kit_err);
        const bool has_struck = hsd_fault_strikes() > 0;
        hsd_fault_reset();
        cr_assert(status == HSD_OK || (has_struck && status == wanted), "call %lu: %d %s", (unsigned long)at, status,
                  kit_err.text);
        cr_assert_eq(status == HSD_OK, series != NULL);
        if (!has_struck) cr_assert_eq(series->walked[1] != NULL, options != NULL && options->asks_pair);
        hsd_series_free(series);
        if (!has_struck) return;
        cr_assert_lt(at, 200000);
    }
}

Test(run, fails_well_without_memory, .timeout = 600)
{
    make_story(3, 8);
    kit_write(&story);
    fail_each(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, NULL, 32 << 20, 1);
    for (size_t k = 0; k < 3; k++)
        story.forms[k].identity = HSC_IDENTITY_EXACT;
    kit_write(&story);
    const hsd_series_options asking = {.struct_bytes = sizeof asking, .asks_pair = true};
    fail_each(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, &asking, 1 << 30, 5);
    for (size_t k = 0; k < 3; k++)
        story.forms[k].domain = 0;
    kit_write(&story);
    fail_each(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, &(hsd_series_options){.cohorts = HSD_COHORTS_ALWAYS}, 32 << 20, 3);
}

/*
 * The screen of a series: the one of the manual to the character, what it says of other series, and what it must not
 * say.
 */
#include <criterion/criterion.h>

#include "report/words/width.h"
#include "unit/report/says.h"
#include "unit/report/series_sample.h"
#include <hscapture/hscapture.h>

static const hsd_report_options screen = {.width = 80, .use_utf8 = true};

static char *text_of(const hsd_series *series, const hsd_report_options *options)
{
    return sample_series_report("text", series, options);
}

static void check_width(const char *report, size_t most)
{
    for (const char *line = report, *end; (end = strchr(line, '\n')); line = end + 1) {
        cr_expect(hsd_width_of_text(line, (size_t)(end - line)) <= most, "%.*s", (int)(end - line), line);
        cr_expect(end == line || end[-1] != ' ', "a blank at the end of: %.*s|", (int)(end - line), line);
    }
}

/* ---- the width of the terminal ---- */

Test(series_text, fits_a_narrow_terminal)
{
    const hsd_series series = sample_shop();
    for (unsigned width = 40; width < 80; width += 4) {
        const hsd_report_options narrow = {.width = width, .use_utf8 = true};
        char *report = text_of(&series, &narrow);
        check_width(report, width);
        HOLDS(report, "GROWTH");
        HOLDS(report, "each step");
        free(report);
    }
}

/* ---- when memory is full ---- */

Test(series_text, says_when_a_limit_is_reached)
{
    hsd_series series = sample_shop();
    const uint64_t last = series.points[series.point_count - 1].side.info.taken_unix_ns;
    series.forecast = (hsd_forecast){.limit_bytes = 512 * MIB,
                                     .limit_name = {"", 0},
                                     .used_name = sample_text("process.rss"),
                                     .used_bytes = 300 * MIB,
                                     .per_hour = 3 << 20,
                                     .full_unix_ns = last + UINT64_C(259207) * 1000000000u};
    char *report = text_of(&series, &screen);
    SAYS(report,
         "At 3.00 MiB an hour the 512.0 MiB of --limit are full in 3 days, on 2026-11-23: the resident memory is "
         "at 300.0 MiB.");
    free(report);
    series.forecast.limit_name = sample_text("process.limit");
    report = text_of(&series, &screen);
    SAYS(report, "of its container are full in 3 days, on 2026-11-23: the resident memory is at 300.0 MiB.");
    free(report);
    series.forecast.limit_name = sample_text("heap.limit");
    series.forecast.used_name = sample_text("");
    series.forecast.full_unix_ns = last + UINT64_C(7200) * 1000000000u;
    report = text_of(&series, &screen);
    SAYS(report, "of heap.limit are full in 2h 00m, at 2026-11-20 16:00Z: the heap is at 300.0 MiB.");
    free(report);
    series.forecast.full_unix_ns = 0;
    series.forecast.why_not = sample_text("it does not surely grow");
    report = text_of(&series, &screen);
    LACKS(report, "heap.limit");
    free(report);
    series.forecast.limit_name = sample_text("");
    report = text_of(&series, &screen);
    SAYS(report,
         "When the 512.0 MiB of --limit are full is not known: it does not surely grow; the heap is at 300.0 MiB.");
    free(report);
}

/* ---- the manual's screen ---- */

Test(series_text, prints_the_screen_of_the_manual)
{
    const hsd_series series = sample_shop();
    char *report = text_of(&series, &screen);
    cr_expect_str_eq(report, "6 captures, 09:00Z to 14:00Z (5h 00m), same process (checkout-api, pid 4121)\n"
                             "\n"
                             "The heap grew 164.5 MiB (+40%) over 5 steps. 76% of the growth hangs from\n"
                             "global.app.state.sessions, which grew in each step.\n"
                             "\n"
                             "TYPE              FIRST       LAST      GROWTH    PER HOUR  TREND   VERDICT\n"
                             "Session        38.1 MiB  163.9 MiB  +125.8 MiB   +25.2 MiB  ▁▂▄▅▇█  each step\n"
                             "LruNode        12.0 MiB   48.0 MiB   +36.0 MiB   +7.20 MiB  ▁▅████  levelled\n"
                             "Buffer         96.4 MiB   99.1 MiB   +2.70 MiB  +553.0 KiB  ▁█▂▇▁▂  no trend\n"
                             "1,206 others  266.1 MiB  266.1 MiB       [ = ]              ▁▁▁▁▁▁  steady\n"
                             "TOTAL         412.6 MiB  577.1 MiB  +164.5 MiB   +32.9 MiB  ▁▃▅▆▇█  each step\n"
                             "\n"
                             "ROOT              FIRST       LAST      GROWTH   PER HOUR  TREND   VERDICT\n"
                             "global.app    146.5 MiB  311.0 MiB  +164.5 MiB  +32.9 MiB  ▁▃▅▆▇█  each step\n"
                             "1 other root  266.1 MiB  266.1 MiB       [ = ]             ▁▁▁▁▁▁  steady\n"
                             "\n"
                             "WHAT KEEPS IT ALIVE  FIRST       LAST      GROWTH   PER HOUR  TREND   VERDICT\n"
                             "global.app.state.sessions: SessionCache\n"
                             "                  38.1 MiB  163.9 MiB  +125.8 MiB  +25.2 MiB  ▁▂▄▅▇█  each step\n"
                             "1,203 others     374.5 MiB  413.2 MiB   +38.7 MiB  +7.74 MiB  ▁█████  levelled\n"
                             "\n"
                             "How old objects are is not known: the collector moves objects.\n"
                             "\n"
                             "Growing in every step: 1 type. At this rate global.app.state.sessions alone adds\n"
                             "1 GiB in 40.7 h.\n");
    check_width(report, 80);
    free(report);
}

Test(series_text, puts_places_beside_their_numbers_where_there_is_room)
{
    const hsd_series series = sample_shop();
    const hsd_report_options wide = {.width = 120, .use_utf8 = true};
    char *report = text_of(&series, &wide);
    HOLDS(report, "\nglobal.app.state.sessions: SessionCache  38.1 MiB  163.9 MiB  +125.8 MiB");
    HOLDS(report, "\n1,206 other types  266.1 MiB");
    free(report);
}

Test(series_text, does_without_utf8_and_without_times)
{
    hsd_series series = sample_shop();
    const hsd_report_options ascii = {.width = 80};
    series.has_times = false;
    char *report = text_of(&series, &ascii);
    HOLDS(report, "6 captures, same process (checkout-api, pid 4121)\n");
    HOLDS(report, "GROWTH    PER STEP  TREND   VERDICT\n");
    HOLDS(report, "  _.-=*#  each step\n");
    SAYS(report, "At this rate global.app.state.sessions alone adds 1 GiB in 41 steps.");
    LACKS(report, "HOUR");
    for (const char *c = report; *c; c++)
        cr_expect((unsigned char)*c < 0x80);
    free(report);
}

Test(series_text, prints_exact_bytes_and_colours_when_asked)
{
    const hsd_series series = sample_shop();
    const hsd_report_options options = {.use_utf8 = true, .exact_bytes = true, .use_color = true};
    char *report = text_of(&series, &options);
    HOLDS(report, "39,950,746 B");
    HOLDS(report, "\x1b[91m+131,910,860 B\x1b[0m");
    HOLDS(report, "\x1b[91meach step\x1b[0m");
    LACKS(report, "MiB");
    free(report);
}

Test(series_text, leaves_the_warm_up_out)
{
    hsd_series series = sample_shop();
    series.warmup = 1;
    char *report = text_of(&series, &screen);
    SAYS(report, "pid 4121), 1 left out at the start as warm-up");
    SAYS(report, "The heap grew 107.0 MiB (+23%) over 4 steps. 76% of the growth hangs from");
    HOLDS(report, "\nSession        56.1 MiB  163.9 MiB");
    HOLDS(report, "  ▁▃▅▇█  each step\n");
    free(report);
}

Test(series_text, puts_warnings_first)
{
    hsd_series series = sample_shop();
    hsd_text warning = sample_text("the captures are not in the order of their times");
    series.warnings = &warning;
    series.warning_count = 1;
    char *report = text_of(&series, &screen);
    cr_expect(strncmp(report, "! the captures are not in the order of their times\n\n6 captures", 62) == 0, "%s",
              report);
    free(report);
}

/* ---- which rows ---- */

Test(series_text, folds_what_is_asked)
{
    const hsd_series series = sample_shop();
    const hsd_report_options one = {.use_utf8 = true, .top = 1}, all = {.use_utf8 = true, .top = HSD_TOP_ALL};
    char *report = text_of(&series, &one);
    HOLDS(report, "\n1,208 other types  374.5 MiB  413.2 MiB   +38.7 MiB");
    LACKS(report, "LruNode");
    free(report);
    report = text_of(&series, &all);
    HOLDS(report, "\n(shared)    266.1 MiB  266.1 MiB");
    LACKS(report, "other root");
    free(report);
}

Test(series_text, sorts_as_asked)
{
    const hsd_series series = sample_shop();
    const hsd_report_options by_name = {.use_utf8 = true, .sort_by = HSD_SORT_NAME},
                             by_percent = {.use_utf8 = true, .sort_by = HSD_SORT_PERCENT, .top = 2};
    char *report = text_of(&series, &by_name);
    cr_expect(strstr(report, "\nBuffer") < strstr(report, "\nLruNode"));
    cr_expect(strstr(report, "\nLruNode") < strstr(report, "\nSession"));
    free(report);
    report = text_of(&series, &by_percent);
    LACKS(report, "Buffer");
    free(report);
}

Test(series_text, names_no_rate_that_takes_for_ever)
{
    hsd_series series = sample_shop();
    const size_t holder_count = series.holders.row_count;
    series.holders.row_count = series.roots.row_count = 0;
    series.types.rows[0].trend.per_hour = 900;
    char *report = text_of(&series, &screen);
    HOLDS(report, "\nGrowing in every step: 1 type.\n");
    free(report);
    series.types.rows[0].trend.per_hour = 4096;
    report = text_of(&series, &screen);
    SAYS(report, "Session alone adds 1 MiB in 10.7 days.");
    free(report);
    series.types.rows[0].trend.per_hour = INT64_MAX;
    report = text_of(&series, &screen);
    SAYS(report, "Session alone adds 1 GiB in less than a minute.");
    free(report);
    series.types.rows[0].trend.verdict = HSD_VERDICT_GROWING;
    series.holders.row_count = holder_count;
    report = text_of(&series, &screen);
    SAYS(report, "At this rate global.app.state.sessions alone adds 1 GiB in 40.7 h. Growing on the whole: 1 type.");
    free(report);
}

/* ---- whom the first sentence names ---- */

Test(series_text, names_since_when_it_grows)
{
    hsd_series series = sample_shop();
    hsd_series_row *row = &series.holders.rows[0];
    hsd_amount values[6];
    for (size_t i = 0; i < 6; i++)
        values[i] = row->values[i < 3 ? 0 : i];
    row->values = values;
    row->trend.verdict = HSD_VERDICT_GROWING;
    row->trend.rises_since = 2;
    char *report = text_of(&series, &screen);
    SAYS(report, "76% of the growth hangs from global.app.state.sessions, which grew in each step since 11:00Z.");
    SAYS(report, "At this rate global.app.state.sessions alone adds 1 GiB in 40.7 h.");
    free(report);
    series.has_times = false;
    report = text_of(&series, &screen);
    SAYS(report, "which grew in each step since capture 3.");
    free(report);
    row->trend.rises_since = 0;
    report = text_of(&series, &screen);
    SAYS(report, "hangs from global.app.state.sessions, which grew on the whole.");
    free(report);
}

Test(series_text, names_what_grows_in_a_heap_that_does_not)
{
    hsd_series series = sample_shop();
    hsd_amount *values = calloc(6, sizeof *values);
    series.total.values = values;
    series.total.trend.growth = 0;
    char *report = text_of(&series, &screen);
    SAYS(report, "The heap kept its size over 5 steps. What hangs from global.app.state.sessions grew 125.8 MiB, in "
                 "each step.");
    free(report);
    free(values);
}

Test(series_text, names_a_root_or_a_type_where_holders_have_little_of_it)
{
    hsd_series series = sample_shop();
    series.holders.rows[0].trend.growth = series.total.trend.growth / 4 - 1;
    char *report = text_of(&series, &screen);
    SAYS(report, "100% of the growth hangs from global.app, which grew in each step.");
    free(report);
    series.holders.rows[0].trend.growth = series.total.trend.growth;
    series.holders.rows[0].root = sample_text("(roots)"); /* a path that begins nowhere, and no diff that knows more */
    report = text_of(&series, &screen);
    SAYS(report, "100% of the growth hangs from global.app, which grew in each step.");
    free(report);
    series.roots.rows[0].is_shared = true;
    report = text_of(&series, &screen);
    SAYS(report, "over 5 steps. Session grew most, by 125.8 MiB, in each step.");
    free(report);
}

Test(series_text, blames_no_code_that_nobody_holds)
{
    hsd_series series = sample_shop();
    series.holders.is_known = true;
    series.holders.rows[0].trend.verdict = series.roots.rows[0].trend.verdict = HSD_VERDICT_LEVELLED;
    series.types.rows[0].flags = HSC_TYPE_CODE;
    char *report = text_of(&series, &screen);
    SAYS(report, "over 5 steps, in each step; no one type or holder does.");
    LACKS(report, "At this rate");
    free(report);
    series.types.rows[1].trend.verdict = HSD_VERDICT_EACH_STEP; /* and code came to more */
    report = text_of(&series, &screen);
    SAYS(report, "over 5 steps. Of what goes on growing LruNode grew most, by 36.0 MiB, in each step.");
    free(report);
    series.holders.is_known = false; /* code that is generated without end */
    report = text_of(&series, &screen);
    SAYS(report, "over 5 steps. Session grew most, by 125.8 MiB, in each step.");
    free(report);
}

Test(series_text, names_nobody_where_it_is_program_code)
{
    hsd_series series = sample_shop();
    series.holders.rows[0].is_code = true;
    char *report = text_of(&series, &screen);
    SAYS(report, "over 5 steps. Most of the growth is program code: what the runtime compiled and noted meanwhile.");
    LACKS(report, "hangs from");
    LACKS(report, "At this rate");
    free(report);
    series.holders.rows[0].trend.growth = series.total.trend.growth / 2; /* no more than half */
    report = text_of(&series, &screen);
    LACKS(report, "program code:");
    free(report);
}

/* It grows on, and stands still in between: that is not said to have come to an end. */
Test(series_text, names_a_buffer_that_is_enlarged)
{
    static const unsigned lengths[] = {100, 200, 200, 400, 400, 400};
    static hsd_amount values[3][6];
    static hsd_series_row type, holder;
    hsd_series series = sample_series(6);
    type = sample_series_row("char[]", lengths, 6, values[0], HSD_VERDICT_LEVELLED);
    holder = sample_series_row("char[]", lengths, 6, values[1], HSD_VERDICT_LEVELLED);
    holder.enlarged = 2;
    holder.root = sample_text("audit.text");
    series.types.rows = &type;
    series.types.row_count = 1;
    series.holders.is_known = true;
    series.holders.rows = &holder;
    series.holders.row_count = 1;
    series.total = sample_series_total(&series.types, 6, values[2], HSD_VERDICT_LEVELLED);
    series.unreached = type;
    char *report = text_of(&series, &screen);
    HOLDS(report, "was enlarged 2 times, by\n30.0 MiB: it may be a buffer that something is always appended to.\n");
    LACKS(report, "goes on growing");
    free(report);
}

Test(series_text, says_so_when_nothing_grows)
{
    static const unsigned flat[] = {100, 100, 100};
    static hsd_amount values[2][3];
    static hsd_series_row row;
    hsd_series series = sample_series(3);
    row = sample_series_row("Session", flat, 3, values[0], HSD_VERDICT_STEADY);
    series.types.rows = &row;
    series.types.row_count = 1;
    series.total = sample_series_total(&series.types, 3, values[1], HSD_VERDICT_STEADY);
    series.unreached = row;
    char *report = text_of(&series, &screen);
    HOLDS(report, "\nThe heap kept its size over 2 steps; nothing in it goes on growing.\n");
    HOLDS(report, "\n1 other type  10.0 MiB  10.0 MiB   [ = ]            ▁▁▁    steady\n");
    HOLDS(report, "\nUnreached, not counted: 10.0 MiB -> 10.0 MiB.\n");
    LACKS(report, "At this rate");
    free(report);
    values[1][2].bytes += 1024;
    report = text_of(&series, &screen);
    SAYS(report, "The heap grew 1.00 KiB (+0.0%) over 2 steps, less than the noise (422.5 KiB); nothing");
    free(report);
}

Test(series_text, claims_no_trend_of_two)
{
    hsd_series series = sample_shop();
    series.point_count = 2;
    char *report = text_of(&series, &screen);
    HOLDS(report, "2 captures, 09:00Z to 10:00Z (1h 00m), same process");
    HOLDS(report, "\nThe heap grew 57.5 MiB (+14%).\n");
    HOLDS(report, "FIRST       LAST     GROWTH      %   OBJECTS\n");
    HOLDS(report, "\nThree captures and more show whether it goes on growing.\n");
    LACKS(report, "step");
    LACKS(report, "TREND");
    LACKS(report, "levelled");
    check_width(report, 80);
    free(report);
}

Test(series_text, says_why_a_table_is_not_there)
{
    hsd_series series = sample_shop();
    series.roots = series.holders = (hsd_series_table){.why_not = sample_text("the captures carry no references")};
    char *report = text_of(&series, &screen);
    SAYS(report, "Roots are not known: the captures carry no references. Holders are not known: the captures carry no "
                 "references.");
    SAYS(report, "over 5 steps. Session grew most, by 125.8 MiB, in each step.");
    LACKS(report, "WHAT KEEPS");
    free(report);
}

/* ---- the captures ---- */

Test(series_text, tells_captures_apart_by_time)
{
    hsd_series series = sample_shop();
    sample_ages(&series);
    for (size_t i = 0; i < 6; i++)
        series.points[i].side.info.taken_unix_ns = (NINE_O_CLOCK_S + 20 * i) * 1000000000u;
    char *report = text_of(&series, &screen);
    HOLDS(report, "6 captures, 09:00:00Z to 09:01:40Z (1m 40s), ");
    HOLDS(report, "\n09:00:20Z to 09:00:40Z ");
    HOLDS(report, "PER STEP"); /* what 100 seconds say about an hour is not much */
    SAYS(report, "1 GiB in 41 steps.");
    check_width(report, 80);
    free(report);
    for (size_t i = 0; i < 6; i++) /* by a test, one behind the other */
        series.points[i].side.info.taken_unix_ns = NINE_O_CLOCK_S * 1000000000u + 400007000u * i;
    report = text_of(&series, &screen);
    HOLDS(report, "6 captures, 09:00:00.000Z to 09:00:02.000Z (2.0 s), ");
    HOLDS(report, "\n09:00:00.400Z to 09:00:00.800Z ");
    check_width(report, 80);
    free(report);
    for (size_t i = 0; i < 6; i++)
        series.points[i].side.info.taken_unix_ns = (NINE_O_CLOCK_S + 86400 * i) * 1000000000u;
    report = text_of(&series, &screen);
    HOLDS(report, "6 captures, 2026-11-20 09:00Z to 2026-11-25 09:00Z (5d 00h), ");
    HOLDS(report, "\n11-20 09:00Z to 11-21 09:00Z ");
    check_width(report, 80);
    free(report);
}

Test(series_text, says_same_process_only_when_it_is_known)
{
    hsd_series series = sample_shop();
    series.is_one_process = false;
    char *report = text_of(&series, &screen);
    SAYS(report, "not known if the same process (checkout-api, pid 4121)");
    free(report);
    series.points[2].side.info.pid = 7;
    memset(series.points[2].side.info.domain, 3, 16);
    series.points[3].side.info.process_name = NULL;
    report = text_of(&series, &screen);
    SAYS(report, "(5h 00m), different processes");
    LACKS(report, "checkout");
    free(report);
}

Test(series_text, counts_what_is_no_whole_capture)
{
    hsd_series series = sample_shop();
    series.points[0].is_baseline = series.points[1].is_summary = true;
    series.points[2].side.info.is_complete = false;
    char *report = text_of(&series, &screen);
    SAYS(report, "1 baseline, 1 with type totals alone, which count garbage, 1 incomplete");
    free(report);
}

/* ---- ages ---- */

Test(series_text, shows_what_does_not_go)
{
    hsd_series series = sample_shop();
    sample_ages(&series);
    char *report = text_of(&series, &screen);
    SAYS(report, "Of 176.0 MiB that came between 09:00Z and 13:00Z, 100.3 MiB is still there at 14:00Z (57%).");
    SAYS(report, "Live at 14:00Z and not there yet at 09:00Z: 125.0 MiB; at 10:00Z: 100.0 MiB; at 11:00Z: 75.0 MiB;");
    HOLDS(report, "\nINTERVAL               CAME     11:00Z     12:00Z     13:00Z     14:00Z  STAYED\n"
                  "(first capture)   400.0 MiB  228.0 MiB  228.0 MiB  228.0 MiB  228.0 MiB     57%\n"
                  "09:00Z to 10:00Z   44.0 MiB   25.1 MiB   25.1 MiB   25.1 MiB   25.1 MiB     57%\n"
                  "10:00Z to 11:00Z   44.0 MiB              25.1 MiB   25.1 MiB   25.1 MiB     57%\n"
                  "11:00Z to 12:00Z   44.0 MiB                         25.1 MiB   25.1 MiB     57%\n"
                  "12:00Z to 13:00Z   44.0 MiB                                    25.1 MiB     57%\n"
                  "13:00Z to 14:00Z   44.0 MiB\n");
    HOLDS(report, "\nWHAT STAYS        CAME  STILL THERE    OBJECTS  SHARE\n"
                  "Session      100.0 MiB    100.0 MiB  1,048,576   100%\n"
                  "other types   76.0 MiB    327.7 KiB      3,352   0.4%\n");
    check_width(report, 80);
    free(report);
}

Test(series_text, says_that_no_more_than_all_stayed_of_what_has_grown_since)
{
    hsd_series series = sample_shop();
    sample_ages(&series);
    const size_t count = series.cohorts.cohort_count;
    hsd_amount *last = (hsd_amount *)series.cohorts.all.alive + (count - 1) * count; /* what is there at the end */
    last[0].bytes = 500 * MIB;
    char *report = text_of(&series, &screen);
    HOLDS(report, "(first capture)   400.0 MiB  228.0 MiB  228.0 MiB  228.0 MiB  500.0 MiB    100%\n");
    free(report);
}

Test(series_text, puts_survivors_first_when_they_are_asked_for)
{
    hsd_series series = sample_shop();
    const hsd_report_options options = {.width = 80, .use_utf8 = true, .survivors = true};
    series.point_count = 3;
    sample_ages(&series);
    series.cohorts.is_by_structure = true;
    char *report = text_of(&series, &options);
    SAYS(report,
         "Of 44.0 MiB that came between 09:00Z and 10:00Z, 25.1 MiB is still there at 11:00Z (57%); objects were "
         "recognised by structure.");
    cr_expect(strstr(report, "WHAT STAYS") < strstr(report, "INTERVAL"));
    cr_expect(strstr(report, "INTERVAL") < strstr(report, "The heap grew"));
    HOLDS(report, "\nSession      25.0 MiB     25.0 MiB  262,144   100%\n");
    free(report);
}

Test(series_text, tells_what_two_captures_keep)
{
    hsd_series series = sample_shop();
    series.point_count = 2;
    sample_ages(&series);
    char *report = text_of(&series, &screen);
    HOLDS(report, "\nLive at 10:00Z and not there yet at 09:00Z: 25.0 MiB.\n");
    LACKS(report, "CAME");
    free(report);
}

/* ---- repeated captures ---- */

static hsd_series repeated(void)
{
    hsd_series series = sample_shop();
    const hsd_contrast grew = {38 * MIB, 163 * MIB, MIB / 4, MIB, 28571, true},
                       moved = {96 * MIB, 99 * MIB, 2 * MIB, 4 * MIB, 400000, false},
                       same = {MIB, MIB, 0, 0, 1000000, false};
    series.before_count = 3;
    series.types.rows[0].contrast = grew;
    series.types.rows[1].contrast = same;
    series.types.rows[2].contrast = moved;
    series.types.others.contrast = same;
    series.total.contrast = (hsd_contrast){412 * MIB, 577 * MIB, 2 * MIB, 3 * MIB, 28571, true};
    return series;
}

Test(series_text, contrasts_repeated_captures)
{
    const hsd_series series = repeated();
    char *report = text_of(&series, &screen);
    HOLDS(report, "3 captures before, 3 after, same process");
    HOLDS(report, "\nThe heap grew 165.0 MiB (+40%), which is significant (p = 0.029).\n");
    HOLDS(report, "\nTYPE              BEFORE (3)         AFTER (3)      GROWTH      %      P\n"
                  "Session      38.0 MiB ± 0.7%  163.0 MiB ± 0.6%  +125.0 MiB  +329%  0.029\n"
                  "Buffer       96.0 MiB ± 2.1%   99.0 MiB ± 4.0%   +3.00 MiB      ~  0.400\n"
                  "1,207 other types  298.7 MiB         314.1 MiB   +15.4 MiB\n"
                  "TOTAL       412.0 MiB ± 0.5%  577.0 MiB ± 0.5%  +165.0 MiB   +40%  0.029\n");
    SAYS(report,
         "~ is what chance explains: p is 0.05 or more (Mann-Whitney U). With 3 and 3 captures p is never below "
         "0.100: take 4 of each side or more.");
    LACKS(report, "VERDICT");
    LACKS(report, "CAME");
    check_width(report, 80);
    free(report);
}

Test(series_text, says_nothing_of_chance_where_captures_suffice)
{
    hsd_series series = repeated();
    series.before_count = 2;
    series.total.contrast = (hsd_contrast){MIB, MIB, 0, 0, 1000000, false};
    char *report = text_of(&series, &screen);
    HOLDS(report, "\nThe heap kept its median size, which chance explains (p = 1.000).\n");
    SAYS(report, "With 2 and 4 captures p is never below 0.133");
    free(report);
    series.before_count = 1;
    report = text_of(&series, &screen);
    HOLDS(report, "1 capture before, 5 after");
    SAYS(report, "With 1 and 5 captures p is never below 1.000");
    free(report);
}

/* ---- the shape ---- */

static hsd_amount many_values[3][SERIES_MOST];

static hsd_series thousand(size_t count)
{
    static hsd_series_row row;
    static unsigned tenths[SERIES_MOST];
    hsd_series series = sample_series(count);
    for (size_t i = 0; i < count; i++)
        tenths[i] = (unsigned)(100 + i);
    row = sample_series_row("a.very.long.package.name.that.does.not.fit.the.screen.Session<java.lang.String>", tenths,
                            count, many_values[0], HSD_VERDICT_EACH_STEP);
    series.types.rows = &row;
    series.types.row_count = 1;
    series.total = sample_series_total(&series.types, count, many_values[1], HSD_VERDICT_EACH_STEP);
    series.unreached = (hsd_series_row){.values = many_values[2]};
    sample_ages(&series);
    return series;
}

Test(series_text, has_room_for_a_thousand_captures)
{
    const hsd_report_options wide = {.width = 200, .use_utf8 = true};
    hsd_series series = thousand(1000);
    char *report = text_of(&series, &screen);
    HOLDS(report, "1,000 captures, ");
    HOLDS(report, "  ▁▂▃▄▆▇█  each step\n");
    SAYS(report, "Growing in every step: 1 type.");
    check_width(report, 80);
    free(report);
    report = text_of(&series, &wide);
    HOLDS(report, "  ▁▁▂▂▂▃▃▃▃▄▄▄▅▅▅▆▆▆▆▇▇▇██  each step\n");
    free(report);
    series = thousand(9);
    report = text_of(&series, &screen);
    check_width(report, 80);
    free(report);
}

Test(series_text, shows_names_that_are_hostile)
{
    hsd_series series = sample_shop();
    series.types.rows[0].name = sample_text("\x1b[2J::error::x\n");
    series.holders.rows[0].root = sample_text("\x1b[31m");
    series.points[0].side.info.process_name = NULL;
    series.types.rows[1].name = (hsd_text){"", 0};
    char *report = text_of(&series, &screen);
    LACKS(report, "\x1b");
    HOLDS(report, "\\x1b");
    HOLDS(report, "(no name)");
    HOLDS(report, "\n\\x1b[31m.state.sessions: SessionCache\n");
    free(report);
}

Test(series_text, has_a_form_without_rows)
{
    static hsd_amount none[3];
    hsd_series series = sample_series(3);
    series.total.values = series.unreached.values = none;
    for (size_t i = 0; i < SERIES_FORMATS; i++) {
        char *report = sample_series_report(series_formats[i].name, &series, &screen);
        cr_expect(report[0] != 0, "%s", series_formats[i].name);
        free(report);
    }
    char *report = text_of(&series, &screen);
    HOLDS(report, "\nThe heap kept its size over 2 steps; nothing in it goes on growing.\n");
    HOLDS(report, "\nTOTAL     0     0   [ = ]            ▁▁▁    steady\n");
    free(report);
}

Test(series_text, survives_the_largest_numbers)
{
    hsd_series series = sample_shop();
    hsd_amount *values = (hsd_amount *)series.types.rows[0].values;
    values[0] = (hsd_amount){0, 0};
    values[5] = (hsd_amount){UINT64_MAX, UINT64_MAX};
    series.types.rows[0].trend.per_hour = INT64_MIN;
    const hsd_report_options one = {.use_utf8 = true, .top = 1};
    for (size_t i = 0; i < SERIES_FORMATS; i++)
        free(sample_series_report(series_formats[i].name, &series, &one));
}

Test(series_text, passes_on_a_failed_write)
{
    hsd_series series = sample_shop();
    for (size_t i = 0; i < SERIES_FORMATS; i++) {
        sample_sink sink = {.fail_at = 1};
        hsd_error err;
        hsd_error_init(&err);
        cr_expect(series_formats[i].write(&series, &screen, sample_write, &sink, &err) == HSD_E_IO, "%s",
                  series_formats[i].name);
        free(sink.text);
    }
}

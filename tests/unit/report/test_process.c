/*
 * The process beside its heap: what is said of memory that no capture shows, and when nothing is.
 */
#include <criterion/criterion.h>
#include <hscapture/hscapture.h>
#include <stdio.h>

#include "report/sentences/process.h"
#include "unit/report/sample.h"
#include "unit/report/says.h"

static const hsd_report_options wide = {.use_utf8 = true};
static hsd_type_row types[1];
static hsd_profile_metric metrics[2][3];

/* A process whose resident memory and heap in use these are, in MiB. */
static hsd_diff process_of(uint64_t rss_before, uint64_t rss_after, uint64_t heap_before, uint64_t heap_after)
{
    types[0] = sample_type("Session", heap_before * MIB, heap_after * MIB);
    hsd_diff diff = sample_diff(types, 1, NULL, 0);
    const uint64_t rss[] = {rss_before, rss_after};
    diff.lost.is_known = true; /* nothing but the program frees */
    hsd_side *const sides[] = {&diff.before, &diff.after};
    for (size_t i = 0; i < 2; i++) {
        metrics[i][0] = (hsd_profile_metric){sample_text("gc.count"), sample_text("count"), 1000 * MIB};
        metrics[i][1] = (hsd_profile_metric){sample_text("process.rss"), sample_text("bytes"), rss[i] * MIB};
        sides[i]->metrics = metrics[i];
        sides[i]->metric_count = 2;
        sides[i]->info.pid = 4121;
        sides[i]->info.started_unix_ns = 17;
    }
    return diff;
}

static void add_metric(hsd_diff *diff, const char *name, const char *unit, uint64_t before, uint64_t after)
{
    metrics[0][2] = (hsd_profile_metric){sample_text(name), sample_text(unit), before * MIB};
    metrics[1][2] = (hsd_profile_metric){sample_text(name), sample_text(unit), after * MIB};
    diff->before.metric_count = diff->after.metric_count = 3;
}

Test(process, tells_of_memory_that_no_capture_shows)
{
    hsd_diff diff = process_of(61, 74, 10, 11);
    cr_expect_eq(hsd_process_unseen(&diff), 12 * MIB);
    char *report = sample_report("text", &diff, &wide);
    HOLDS(report, "The process grew 13.0 MiB (resident memory, 61.0 MiB -> 74.0 MiB), 12.0 MiB more\nthan its heap: ");
    free(report);
    report = sample_report("json", &diff, &wide);
    SAYS(report, "\"metrics\": {\"gc.count\": 1048576000, \"process.rss\": 63963136}");
    free(report);
}

static const char *threads_of(uint64_t before, uint64_t after)
{
    static char said[100];
    hsd_diff diff = process_of(61, 61, 10, 11);
    metrics[0][2] = (hsd_profile_metric){sample_text("threads"), sample_text("count"), before};
    metrics[1][2] = (hsd_profile_metric){sample_text("threads"), sample_text("count"), after};
    diff.before.metric_count = diff.after.metric_count = 3;
    char *report = sample_report("text", &diff, &wide);
    const char *found = strstr(report, " more threads");
    while (found != NULL && found > report && found[-1] != '\n')
        found--;
    snprintf(said, sizeof said, "%.*s", found == NULL ? 0 : (int)strcspn(found, "\n"), found == NULL ? "" : found);
    free(report);
    return said;
}

Test(process, tells_of_threads_that_pile_up)
{
    cr_expect_str_eq(threads_of(103, 203), "100 more threads run in the process (103 -> 203).");
    cr_expect_str_eq(threads_of(4, 20), "16 more threads run in the process (4 -> 20).");
    cr_expect_str_eq(threads_of(4, 19), "", "a pool that fills");
    cr_expect_str_eq(threads_of(1000, 1200), "", "few of those that are there");
    cr_expect_str_eq(threads_of(203, 103), "");
}

Test(process, says_so_where_nothing_else_changed)
{
    hsd_diff diff = process_of(61, 74, 10, 10);
    char *report = sample_report("text", &diff, &wide);
    HOLDS(report, "The process grew 13.0 MiB");
    free(report);
}

Test(process, is_silent_where_the_heap_says_it_all_or_nobody_knows)
{
    hsd_diff diff = process_of(61, 74, 10, 23);
    cr_expect_eq(hsd_process_unseen(&diff), 0, "the heap grew as much");
    diff = process_of(61, 66, 10, 10);
    cr_expect_eq(hsd_process_unseen(&diff), 0, "less than a tenth: it breathes");
    diff = process_of(61, 40, 10, 10);
    cr_expect_eq(hsd_process_unseen(&diff), 0, "it shrank");
    diff = process_of(61, 74, 10, 10);
    diff.after.info.started_unix_ns = 18;
    memset(diff.after.info.domain, 8, 16);
    cr_expect_eq(hsd_process_unseen(&diff), 0, "two processes");
    diff.after.info.started_unix_ns = 17;
    memset(diff.after.info.domain, 7, 16);
    diff.lost.is_known = false;
    cr_expect_eq(hsd_process_unseen(&diff), 0, "a collector breathes");
    diff.lost.is_known = true;
    diff.before.metric_count = 0;
    cr_expect_eq(hsd_process_unseen(&diff), 0, "not measured");
    diff.before.metric_count = 2;
    diff.unreached_after.bytes = 13 * MIB;
    cr_expect_eq(hsd_process_unseen(&diff), 0, "it is in the capture, unreached");
}

Test(process, a_heap_that_the_runtime_committed_is_seen)
{
    hsd_diff diff = process_of(61, 74, 10, 10);
    add_metric(&diff, "heap.committed", "bytes", 20, 33);
    cr_expect_eq(hsd_process_unseen(&diff), 0);
    add_metric(&diff, "heap.committed", "KiB", 20, 33);
    cr_expect_eq(hsd_process_unseen(&diff), 13 * MIB, "in a unit that says nothing");
}

Test(process, what_the_agent_notes_is_not_the_programs)
{
    hsd_diff diff = process_of(61, 91, 10, 10);
    add_metric(&diff, "native.used", "bytes", 13, 41);
    cr_expect_eq(hsd_process_unseen(&diff), 0, "28 MiB of stacks that it has seen");
    add_metric(&diff, "native.used", "bytes", 13, 15);
    cr_expect_eq(hsd_process_unseen(&diff), 28 * MIB);
    add_metric(&diff, "native.used", "bytes", 15, 13);
    cr_expect_eq(hsd_process_unseen(&diff), 30 * MIB, "what it gave back makes nothing of the program's");
}

Test(process, python_counts_references)
{
    hsd_diff diff = process_of(34, 73, 6, 6);
    diff.lost.is_known = false;
    add_metric(&diff, "python.gc_tracked", "count", 1, 1);
    cr_expect_eq(hsd_process_unseen(&diff), 39 * MIB);
    diff.after.metric_count = 2;
    cr_expect_eq(hsd_process_unseen(&diff), 0, "one of a core");
    metrics[0][0] = metrics[1][0] = (hsd_profile_metric){sample_text("python.gc_tracked"), sample_text("count"), 12573};
    add_metric(&diff, "python.arena_bytes", "bytes", 5, 44);
    cr_expect_eq(hsd_process_unseen(&diff), 0, "it is where Python keeps small objects");
}

Test(process, external_memory_is_told_where_it_decides)
{
    static hsd_type_row rows[3];
    rows[0] = sample_type("java.nio.DirectByteBuffer", MIB, 7 * MIB);
    rows[1] = sample_type("Session", MIB, 2 * MIB);
    rows[2] = sample_type("java.nio.MappedByteBuffer", MIB, 2 * MIB);
    hsd_diff diff = sample_diff(rows, 3, NULL, 0);
    rows[0].external_after = diff.external_after = 5 * MIB;
    char *report = sample_report("text", &diff, &wide);
    HOLDS(report,
          "5.00 MiB of the growth is external, memory outside the heap:\njava.nio.DirectByteBuffer +5.00 MiB.\n");
    free(report);
    rows[2].external_after = MIB;
    diff.external_after += MIB;
    report = sample_report("text", &diff, &wide);
    HOLDS(report, "java.nio.DirectByteBuffer +5.00 MiB, java.nio.MappedByteBuffer +1.00 MiB.\n");
    free(report);
    rows[0].flags = rows[2].flags = HSC_TYPE_INTERNAL; /* nobody knows them */
    report = sample_report("text", &diff, &wide);
    HOLDS(report, "6.00 MiB of the growth is external, memory outside the heap.\n");
    free(report);
    rows[2].flags = 0; /* the array that says what the runtime keeps for it, and no more */
    rows[2].external_after = 1024;
    report = sample_report("text", &diff, &wide);
    HOLDS(report, "6.00 MiB of the growth is external, memory outside the heap.\n");
    free(report);
    report = sample_report("json", &diff, &wide);
    SAYS(report, "\"external\": {\"before\": 0, \"after\": 6291456}");
    free(report);
    diff.external_before = 6 * MIB - 1000;
    report = sample_report("text", &diff, &wide);
    LACKS(report, "external");
    free(report);
}

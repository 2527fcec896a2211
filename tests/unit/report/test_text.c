/*
 * The text report: what it says, and what it must not say. Whole screens are compared with files in
 * tests/cli; here are the sentences and markers one by one.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "report/words/width.h"
#include "unit/report/sample.h"
#include "unit/report/says.h"

static const hsd_report_options wide = {.use_utf8 = true};

static hsd_type_row types[8];
static hsd_root_row roots[4];

static hsd_diff one_type(uint64_t before, uint64_t after)
{
    types[0] = sample_type("Session", before, after);
    return sample_diff(types, 1, NULL, 0);
}

static char *text_of(const hsd_diff *diff) { return sample_report("text", diff, &wide); }

Test(text, answers_in_the_first_sentence)
{
    hsd_diff diff = one_type(100 * MIB, 163 * MIB);
    char *report = text_of(&diff);
    HOLDS(report, "\nLive heap grew 63.0 MiB (+63%): 63.0 MiB new, 0 freed.\n");
    free(report);
    diff = one_type(100 * MIB, 93 * MIB);
    report = text_of(&diff);
    HOLDS(report, "\nLive heap shrank 7.00 MiB (-7%): 0 new, 7.00 MiB freed.\n");
    free(report);
}

Test(text, says_what_kept_objects_did)
{
    hsd_diff diff = one_type(100 * MIB, 100 * MIB);
    diff.total.after.bytes += 2 * MIB;
    diff.total.resized_bytes = (int64_t)(2 * MIB);
    diff.total.resized_objects = 1;
    char *report = text_of(&diff);
    SAYS(report, "Live heap grew 2.00 MiB (+2%): 0 new, 0 freed, +2.00 MiB by kept objects that grew.");
    free(report);
}

Test(text, says_so_when_nothing_changed)
{
    hsd_diff diff = one_type(10000, 10000);
    char *report = text_of(&diff);
    HOLDS(report, "\nNothing changed: the same 100 live objects, of the same sizes.\n");
    LACKS(report, "TOTAL");
    free(report);
}

Test(text, sees_churn_behind_a_growth_of_nothing)
{
    hsd_diff diff = one_type(10000, 10000);
    diff.total.new_ = diff.total.freed = diff.types[0].live.new_ = diff.types[0].live.freed = (hsd_amount){50, 5000};
    const hsd_report_options options = {.use_utf8 = true, .noise_bytes = 1};
    char *report = sample_report("text", &diff, &options);
    HOLDS(report, "Live heap kept its size: 4.88 KiB new, 4.88 KiB freed.\n");
    HOLDS(report, "Session  9.77 KiB  9.77 KiB       0  [ = ]        0  +4.88 KiB  -4.88 KiB\n");
    free(report);
}

Test(text, prints_empty_heaps)
{
    hsd_diff diff = sample_diff(types, 0, roots, 0);
    char *report = text_of(&diff);
    HOLDS(report, "Nothing changed: the same 0 live objects");
    free(report);
}

Test(text, marks_new_gone_unchanged_and_noise)
{
    types[0] = sample_type("fresh", 0, MIB);
    types[1] = sample_type("gone", 2 * MIB, 0);
    types[2] = sample_type("noise", 10 * MIB, 10 * MIB + 1000);
    types[3] = sample_type("steady", MIB, MIB);
    types[4] = sample_type("huge", 100, 100 * MIB);
    hsd_diff diff = sample_diff(types, 5, NULL, 0);
    char *report = text_of(&diff);
    HOLDS(report, "[NEW]");
    HOLDS(report, "[DEL]");
    HOLDS(report, "x1,048,576");
    HOLDS(report, "     ~  ");
    HOLDS(report, "\n1 unchanged type ");
    LACKS(report, "steady");
    free(report);
}

Test(text, takes_the_noise_from_min)
{
    hsd_diff diff = one_type(10 * MIB, 11 * MIB);
    const hsd_report_options options = {.use_utf8 = true, .noise_bytes = 2 * MIB};
    char *report = sample_report("text", &diff, &options);
    HOLDS(report, "Session  10.0 MiB  11.0 MiB  +1.00 MiB     ~"); /* the row; the total keeps its figure */
    HOLDS(report, "TOTAL    10.0 MiB  11.0 MiB  +1.00 MiB  +10%");
    free(report);
}

Test(text, folds_the_rest_into_one_row)
{
    types[0] = sample_type("a", 0, 5000);
    types[1] = sample_type("b", 0, 4000);
    types[2] = sample_type("c", 0, 3000);
    hsd_diff diff = sample_diff(types, 3, NULL, 0);
    const hsd_report_options options = {.use_utf8 = true, .top = 1, .exact_bytes = true};
    char *report = sample_report("text", &diff, &options);
    HOLDS(report, "\n2 other types");
    HOLDS(report, "+7,000 B");
    HOLDS(report, "+12,000 B");
    free(report);
}

/* ---- what holds it ---- */

Test(text, names_the_root_that_holds_most)
{
    types[0] = sample_type("Session", 100 * MIB, 200 * MIB);
    roots[0] = sample_root("global.sessions", 50 * MIB, 141 * MIB);
    roots[1] = sample_root("(shared)", 50 * MIB, 59 * MIB);
    hsd_diff diff = sample_diff(types, 1, roots, 2);
    char *report = text_of(&diff);
    HOLDS(report, "\n91% of the growth hangs from one place: global.sessions (+91.0 MiB).\n");
    HOLDS(report, "\nROOT ");
    free(report);
    roots[0].live.after.bytes = 92 * MIB;
    roots[1].live.after.bytes = 108 * MIB;
    report = text_of(&diff);
    HOLDS(report, "\n58% of the growth can be reached from several roots; 42% hangs from one "
                  "alone:\nglobal.sessions (+42.0 MiB).\n");
    free(report);
}

Test(text, names_no_root_when_none_stands_out)
{
    types[0] = sample_type("Session", 100 * MIB, 200 * MIB);
    static hsd_root_row many[20];
    for (size_t i = 0; i < 20; i++)
        many[i] = sample_root("one of twenty", 5 * MIB, 10 * MIB);
    hsd_diff diff = sample_diff(types, 1, many, 20);
    char *report = text_of(&diff);
    LACKS(report, "hangs from");
    free(report);
    many[7].live.after.bytes += 10 * MIB;
    report = text_of(&diff);
    SAYS(report, "The largest part of the growth, 15%, hangs from one place: one of twenty (+15.0 MiB).");
    free(report);
}

/* ---- what is not known ---- */

Test(text, claims_no_new_objects_without_identity)
{
    hsd_diff diff = one_type(100 * MIB, 163 * MIB);
    diff.identity_is_known = false;
    diff.before.info.identity = diff.after.info.identity = HSD_IDENTITY_MOVING;
    char *report = text_of(&diff);
    HOLDS(report, "Live heap grew 63.0 MiB (+63%).\n");
    SAYS(report, "growth is exact, and how much of it is new and how much was freed is not known.");
    LACKS(report, "NEW");
    LACKS(report, "matched");
    free(report);
}

Test(text, calls_nothing_freed_in_a_partial_capture)
{
    hsd_diff diff = one_type(100 * MIB, 163 * MIB);
    diff.is_partial = true;
    diff.after.info.is_complete = false;
    diff.after.info.incomplete_reason = "capture killed";
    diff.warnings = (hsd_text[]){sample_text("after.hs is incomplete")};
    diff.warning_count = 1;
    char *report = text_of(&diff);
    cr_expect(strncmp(report, "! after.hs is incomplete\n", 25) == 0, "warnings come first:\n%s", report);
    HOLDS(report, "At least 63.0 MiB is new, in 660,602 objects. A part of");
    SAYS(report, "after incomplete (capture killed)");
    LACKS(report, "B freed");
    LACKS(report, "FREED");
    LACKS(report, "Live heap grew");
    free(report);
}

Test(text, noise_follows_the_size_of_the_heap)
{
    cr_expect_eq(hsd_noise_of(0), 0);
    cr_expect_eq(hsd_noise_of(40 * 1024), 2 * 1024, "a twentieth of a tiny heap is no noise");
    cr_expect_eq(hsd_noise_of(238 * 1024), 8 * 1024, "a quarter of a small heap is no noise");
    cr_expect_eq(hsd_noise_of(1000 * 1024), 20 * 1024);
    cr_expect_eq(hsd_noise_of(10 * MIB), 64 * 1024);
    cr_expect_eq(hsd_noise_of(1000 * MIB), MIB);
    cr_expect_gt(hsd_noise_of(UINT64_MAX), UINT64_MAX / 1001);
}

/* Growth is proven where something is found after that is not before, and all of before is there. */
Test(text, shows_no_growth_that_is_not_proven)
{
    types[0] = sample_type("grown", 1000, 3000);
    types[1] = sample_type("lost", 9000, 0);
    hsd_diff diff = sample_diff(types, 2, NULL, 0);
    diff.is_partial = true;
    diff.after.info.is_complete = false;
    char *report = text_of(&diff);
    HOLDS(report, "grown    1000 B  2.93 KiB  +1.95 KiB  +200%      +20\n");
    HOLDS(report, "lost   8.79 KiB         0          ?      ?        ?\n");
    LACKS(report, "[DEL]");
    free(report);
    diff.after.has_roots = false; /* so all of it counts as live */
    report = text_of(&diff);
    SAYS(report, "Growth is not known, because a part of the capture after is missing");
    LACKS(report, "is new");
    LACKS(report, "+1.95");
    free(report);
    diff.before.info.is_complete = false;
    report = text_of(&diff);
    HOLDS(report, "Growth is not known");
    LACKS(report, "is new");
    LACKS(report, "+1.95");
    free(report);
}

Test(text, calls_totals_heap_and_not_live_heap)
{
    hsd_diff diff = one_type(100 * MIB, 163 * MIB);
    diff.is_summary = true;
    diff.identity_is_known = false;
    char *report = text_of(&diff);
    HOLDS(report, "\nHeap grew 63.0 MiB (+63%).\n");
    HOLDS(report, "garbage is included");
    LACKS(report, "Live heap");
    free(report);
}

Test(text, counts_what_no_root_reaches_apart)
{
    hsd_diff diff = one_type(MIB, MIB);
    char *report = text_of(&diff);
    LACKS(report, "Unreached");
    free(report);
    diff.unreached_after = (hsd_amount){12000, 3 * MIB};
    report = text_of(&diff);
    HOLDS(report, "Unreached, not counted: 0 -> 3.00 MiB (0 -> 12,000 objects).\n");
    free(report);
}

Test(text, says_same_process_only_when_it_is_known)
{
    hsd_diff diff = one_type(MIB, MIB);
    char *report = text_of(&diff);
    HOLDS(report, "        same process (checkout-api, pid 4121), 1h 00m apart, both complete\n");
    free(report);
    diff.after.info.domain[3] ^= 1;
    report = text_of(&diff);
    HOLDS(report, "        different processes (");
    free(report);
    memset(diff.before.info.domain, 0, 16);
    report = text_of(&diff);
    HOLDS(report, "        same process number (");
    free(report);
    diff.before.info.pid = diff.after.info.pid = 0;
    diff.before.info.taken_unix_ns = 0;
    report = text_of(&diff);
    HOLDS(report, "        not known if the same process (checkout-api), both complete\n");
    free(report);
}

Test(text, says_when_the_order_is_wrong)
{
    hsd_diff diff = one_type(MIB, MIB);
    const hsd_side before = diff.before;
    diff.before = diff.after;
    diff.after = before;
    char *report = text_of(&diff);
    SAYS(report, "in reverse order, 1h 00m apart");
    free(report);
}

Test(text, tells_how_objects_were_matched)
{
    hsd_diff diff = one_type(10000, 20000);
    diff.match = (hsd_match){.exact = 3118000, .unmatched_before = 204, .unmatched_after = 1784377};
    char *report = text_of(&diff);
    HOLDS(report, "Objects matched by exact id 3,118,000; only before 204, only after 1,784,377.\n");
    free(report);
    diff.match = (hsd_match){.unmatched_before = 2, .unmatched_after = 3};
    report = text_of(&diff);
    HOLDS(report, "No object is in both captures: only before 2, only after 3.\n");
    free(report);
}

/* ---- the shape ---- */

Test(text, suggests_commands_that_can_be_copied)
{
    hsd_diff diff = one_type(MIB, 2 * MIB);
    const hsd_report_options options = {.use_utf8 = true, .before_command = "it's a.hs", .after_command = "-"};
    char *report = sample_report("text", &diff, &options);
    HOLDS(report, "hsdiff 'it'\\''s a.hs' - --objects changed.csv");
    free(report);
    report = text_of(&diff);
    LACKS(report, "Next:");
    free(report);
}

Test(text, fits_the_terminal)
{
    types[0] =
        sample_type("com.example.a.very.long.package.name.that.does.not.fit.Session<java.lang.String>", 0, 900 * MIB);
    types[1] = sample_type("Buffer", 1000 * MIB, 10 * MIB);
    roots[0] = sample_root("global.some.rather.long.name.of.a.root.that.nobody.cuts", 0, 900 * MIB);
    hsd_diff diff = sample_diff(types, 2, roots, 1);
    for (unsigned width = 40; width <= 80; width += 5) {
        const hsd_report_options options = {.use_utf8 = true, .width = width};
        char *report = sample_report("text", &diff, &options);
        for (const char *line = report, *end; (end = strchr(line, '\n')); line = end + 1)
            cr_expect(hsd_width_of_text(line, (size_t)(end - line)) <= width, "%u: %.*s", width, (int)(end - line),
                      line);
        HOLDS(report, "GROWTH"); /* stays when others are left out */
        free(report);
    }
}

Test(text, leaves_out_what_a_narrow_terminal_has_no_room_for)
{
    hsd_diff diff = one_type(MIB, 3 * MIB);
    const hsd_report_options options = {.use_utf8 = true, .width = 40};
    char *report = sample_report("text", &diff, &options);
    HOLDS(report, "before  before.hs\n        2026-11-20 09:14:02Z, ");
    HOLDS(report, "\nTYPE       BEFORE     AFTER     GROWTH\nSession  1.00 MiB  3.00 MiB  +2.00 MiB\n");
    free(report);
}

/* Where nobody bounds a line a name is bounded, and two that would look alike then are longer; other formats and --wide
 * have all of it. */
Test(text, cuts_long_names_where_there_is_no_terminal)
{
    char first[600], second[600], wider[600];
    const hsd_report_options capped = {.use_utf8 = true, .name_width = 60};
    memset(first, 'a', sizeof first - 1);
    first[sizeof first - 1] = '\0';
    memcpy(second, first, sizeof first);
    second[200] = 'b';
    memcpy(wider, first, sizeof first);
    wider[0] = 'c';
    types[0] = sample_type(first, MIB, 3 * MIB);
    types[1] = sample_type(second, MIB, 3 * MIB);
    types[2] = sample_type(wider, MIB, 3 * MIB);
    hsd_diff diff = sample_diff(types, 3, NULL, 0);
    char *report = sample_report("text", &diff, &capped);
    LACKS(report, first);
    HOLDS(report, "\ncaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xe2\x80\xa6"); /* half of 60 */
    HOLDS(report, "ab");                                           /* as much as tells the two apart */
    free(report);
    report = text_of(&diff);
    HOLDS(report, first);
    free(report);
    report = sample_report("json", &diff, &capped);
    HOLDS(report, first);
    free(report);
}

Test(text, paints_only_when_asked)
{
    hsd_diff diff = one_type(MIB, 2 * MIB);
    char *report = text_of(&diff);
    LACKS(report, "\x1b");
    free(report);
    const hsd_report_options options = {.use_utf8 = true, .use_color = true};
    report = sample_report("text", &diff, &options);
    HOLDS(report, "\x1b[91m+1.00 MiB\x1b[0m");
    free(report);
}

Test(text, survives_the_largest_numbers)
{
    types[0] = sample_type("all", 0, UINT64_MAX);
    types[0].live.after.objects = UINT64_MAX;
    hsd_diff diff = sample_diff(types, 1, NULL, 0);
    char *report = text_of(&diff);
    HOLDS(report, "16.0 EiB");
    free(report);
    report = sample_report("json", &diff, &wide);
    HOLDS(report, "18446744073709551615");
    free(report);
}

/* Every write that fails is an error of the report, wherever it happens. */
Test(text, passes_on_a_failed_write)
{
    hsd_diff diff = one_type(MIB, 2 * MIB);
    for (size_t i = 0; hsd_report_format_get(i); i++) {
        sample_sink sink = {.fail_at = 1};
        hsd_error err;
        hsd_error_init(&err);
        const hsd_report_format *format = hsd_report_format_get(i);
        if (!format->write_diff) continue; /* a check alone */
        cr_expect(format->write_diff(&diff, &wide, sample_write, &sink, &err) == HSD_E_IO, "%s", format->name);
        cr_expect(err.sys_errno == 28);
        free(sink.text);
    }
}

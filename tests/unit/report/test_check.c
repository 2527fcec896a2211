/*
 * The check as a screen and as records: the manual's screen to the byte, what is said of a series, of accepted growth,
 * of what cannot be judged, and every way to fail. Other formats are read by other programs in tests/formats.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "report/sentences/check_words.h"
#include "unit/report/check_sample.h"
#include "unit/report/says.h"

static const hsd_report_options plain_text = {.use_utf8 = true};

Test(check, is_the_screen_of_the_manual)
{
    hsd_check check = check_sample();
    const hsd_report_options options = {.use_utf8 = true, .before_command = "base.hs", .after_command = "head.hs"};
    char *report = check_report("text", &check, &options);
    cr_expect_str_eq(report, "hsdiff check: .hsdiff.yml, 4 rules, base.hs -> head.hs\n"
                             "\n"
                             "      RULE                         FOUND       LIMIT      OVER BY\n"
                             "FAIL  whole heap              +259.3 MiB   +16.0 MiB   +243.3 MiB\n"
                             "FAIL  sessions are released     +412,310           0     +412,310\n"
                             "        Session, held by global.app.sessions (SessionCache)\n"
                             "warn  buffers                  +74.6 MiB   +64.0 MiB    +10.6 MiB\n"
                             "ok    new event types                  1           5\n"
                             "\n"
                             "2 of 4 rules failed, 1 warning.\n"
                             "If this growth is intended, raise the limit in .hsdiff.yml and say why.\n"
                             "To look closer: hsdiff base.hs head.hs\n");
    free(report);
}

/* One rule that looks at types, over its limit by one finding. */
static hsd_check one_rule(hsd_check_outcome outcome)
{
    hsd_check check = check_sample();
    check_rows[1].outcome = outcome;
    check.rows = &check_rows[1];
    check.row_count = 1;
    check_count(&check);
    return check;
}

Test(check, says_how_steadily_a_series_grew)
{
    hsd_check check = one_rule(HSD_CHECK_FAIL);
    check_over_series(&check);
    char *report = check_report("text", &check, &plain_text);
    SAYS(report, "hsdiff check: .hsdiff.yml, 1 rule, 6 captures, 1.hs -> 6.hs, the first left out as warm-up");
    SAYS(report, "Session, held by global.app.sessions (SessionCache), grew in 4 of 4 rounds, +103,077 per round");
    free(report);
    check_rows[1].is_per_round = true;
    report = check_report("text", &check, &plain_text);
    SAYS(report, "+412,310/round");
    free(report);
}

/* Python's "held by C" is the name of a root: it says already what the sentence says. */
Test(check, says_held_by_once)
{
    hsd_check check = one_rule(HSD_CHECK_FAIL);
    check_findings[0].root = sample_text("held by C");
    char *report = check_report("text", &check, &plain_text);
    SAYS(report, "Session, held by C.sessions (SessionCache)");
    LACKS(report, "held by held by");
    free(report);
}

/* What no one object holds, by the two that reach it. */
static const hsd_holder *by_two(void)
{
    static hsd_co_holder by[2];
    static hsd_holder holder;
    for (size_t i = 0; i < 2; i++)
        by[i] = (hsd_co_holder){.type = sample_text("Map"),
                                .root = sample_text(i == 0 ? "app.byId" : "app.byName"),
                                .path = check_path,
                                .path_count = 1,
                                .bytes = 1000};
    holder = sample_holder("(roots)", NULL, 0, 1000);
    holder.by = by;
    holder.by_count = 2;
    return &holder;
}

Test(check, names_those_that_hold_together)
{
    hsd_check check = one_rule(HSD_CHECK_FAIL);
    check_findings[0] = check_finding("Session", "(roots)", NULL, 0, 412310, 0);
    char *report = check_report("text", &check, &plain_text);
    SAYS(report, "Session, held by no one object");
    free(report);
    check_findings[0].holder = by_two();
    check_path[0].type = sample_text("Map");
    report = check_report("text", &check, &plain_text);
    SAYS(report, "Session, held by app.byId (Map) and app.byName (Map), together");
    LACKS(report, "no one object");
    free(report);
    report = check_report("markdown", &check, &plain_text);
    HOLDS(report, "`app.byId (Map) and app.byName (Map), together`");
    free(report);
    check_rules[1].subject = HSD_SUBJECT_HOLDER;
    report = check_report("text", &check, &plain_text);
    SAYS(report, "app.byId: Map and app.byName: Map, together");
    LACKS(report, "(roots)");
    free(report);
    report = check_report("json", &check, &plain_text);
    HOLDS(report, "\"root\": \"(roots)\"");
    free(report);
}

/* Of the whole heap: who, before what. */
Test(check, names_who_holds_it_before_what_grew)
{
    const hsd_holder *held[] = {by_two()};
    hsd_diff diff = {.has_holders = true};
    hsd_check check = one_rule(HSD_CHECK_FAIL);
    diff.total.after.bytes = 1000;
    check.diff = &diff;
    check_path[0].type = sample_text("Map");
    check_rules[1].subject = HSD_SUBJECT_HEAP;
    check_rows[1].held = held;
    check_rows[1].held_count = 1;
    char *report = check_report("junit", &check, &plain_text);
    HOLDS(report, "message=\"held by app.byId (Map) and app.byName (Map), together; +412,310");
    free(report);
    report = check_report("github", &check, &plain_text);
    HOLDS(report, "::held by app.byId (Map) and app.byName (Map), together; +412,310");
    free(report);
    report = check_report("text", &check, &plain_text);
    SAYS(report, "held by app.byId: Map and app.byName: Map, together, +1000 B");
    free(report);
    report = check_report("markdown", &check, &plain_text);
    HOLDS(report, "`app.byId (Map) and app.byName (Map), together` |  | +1000 B |");
    free(report);
    report = check_report("json", &check, &plain_text);
    HOLDS(report, "\"holders\": [{\"type\": null");
    free(report);
}

/* A place of a series that says nothing: by those who hold it, each with its part where none has most of it. */
Test(check, names_who_holds_a_place_that_begins_nowhere)
{
    static hsd_holder queue;
    const hsd_holder *held[] = {by_two(), &queue};
    hsd_check check = one_rule(HSD_CHECK_FAIL);
    check_path[0].type = sample_text("Map");
    queue = sample_holder("app.queue", check_path, 1, 600);
    check_rules[1].subject = HSD_SUBJECT_HOLDER;
    check_rows[1].is_bytes = true;
    check_findings[0] = check_finding("", "(roots)", NULL, 0, 1200, 0);
    check_findings[0].held = held;
    check_findings[0].held_count = 1;
    char *report = check_report("text", &check, &plain_text);
    SAYS(report, "app.byId: Map and app.byName: Map, together +1.17 KiB");
    free(report);
    check_findings[0].held_count = 2;
    check_findings[0].growth = 4000;
    report = check_report("text", &check, &plain_text);
    SAYS(report,
         "app.byId: Map and app.byName: Map, together, +1000 B; app.queue: Map, +600 B; and others: +3.91 KiB in all");
    free(report);
    report = check_report("sarif", &check, &plain_text);
    HOLDS(report, "\"fullyQualifiedName\": \"app.byId (Map) and app.byName (Map), together\"");
    free(report);
}

Test(check, annotates_the_line_that_a_name_says)
{
    static const struct {
        const char *name, *place;
    } names[] = {{"Function onChange (server.js:6)", "file=server.js,line=6,"},
                 {"Function (a.js:b.mjs:12)", "file=a.js%3Ab.mjs,line=12,"},
                 {"Function onChange (server.js:x)", "file=.hsdiff.yml"},
                 {"Map (12)", "file=.hsdiff.yml"},
                 {"Function emit (node:events:12)", "file=.hsdiff.yml"},
                 {"(:7)", "file=.hsdiff.yml"},
                 {"(99999999999.js:99999999999)", "file=.hsdiff.yml"},
                 {")", "file=.hsdiff.yml"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        hsd_check check = one_rule(HSD_CHECK_FAIL);
        check_findings[0] = check_finding(names[i].name, "", NULL, 0, 412310, 0);
        char *report = check_report("github", &check, &plain_text);
        HOLDS(report, names[i].place);
        free(report);
    }
}

Test(check, says_why_growth_is_accepted)
{
    hsd_allowance allowance = {.subject = HSD_SUBJECT_TYPE,
                               .pattern = sample_text("Session"),
                               .reason = sample_text("filled once"),
                               .up_to_bytes = UINT64_MAX,
                               .until_day = INT32_MAX};
    hsd_check check = one_rule(HSD_CHECK_OK);
    check_findings[0].allowed = &allowance;
    check_rows[1].found = 0;
    char *report = check_report("text", &check, &plain_text);
    SAYS(report, "Session +412,310, held by global.app.sessions (SessionCache); allowed: filled once");
    SAYS(report, "1 rule holds.");
    LACKS(report, "If this growth is intended");
    free(report);
    check_findings[0].allowed = NULL;
    check_findings[0].is_levelled = true;
    report = check_report("text", &check, &plain_text);
    SAYS(report, "; has levelled off, which is accepted");
    free(report);
}

Test(check, says_what_cannot_be_judged_first)
{
    hsd_text problem = sample_text("head.hs is incomplete (it was cut off)"),
             note = sample_text("rule 'x' matches nothing");
    hsd_check check = one_rule(HSD_CHECK_UNKNOWN);
    const hsd_report_options options = {.use_utf8 = true, .before_command = "base.hs", .after_command = "my head.hs"};
    check_rows[1].why_unknown = sample_text("the captures carry no roots");
    check_rows[1].finding_count = 0;
    check.problems = &problem;
    check.problem_count = 1;
    check.notes = &note;
    check.note_count = 1;
    check_diff.after.info.is_complete = false;
    char *report = check_report("text", &check, &options);
    HOLDS(report, "base.hs -> head.hs\n\n! head.hs is incomplete (it was cut off)");
    HOLDS(report, "????  sessions are released       ?\n        cannot be judged: the captures carry no roots");
    SAYS(report, "note: rule 'x' matches nothing");
    HOLDS(report, "1 of 1 rule cannot be judged, 0 failed.\nTo judge what is there all the same: hsdiff check "
                  "--partial base.hs 'my head.hs'");
    cr_expect_eq(hsd_check_status(&check), 3);
    free(report);
    report = check_report("json", &check, &options); /* growth of what cannot be judged is no answer */
    HOLDS(report, "\"answer\": \"1 of 1 rule cannot be judged, 0 failed. head.hs is incomplete (it was cut off).\",");
    free(report);
}

Test(check, leaves_out_what_was_not_asked)
{
    hsd_check check = one_rule(HSD_CHECK_OFF);
    check_rows[1].finding_count = 0;
    char *report = check_report("text", &check, &plain_text);
    HOLDS(report, "off   sessions are released\n\nNo rule was asked.");
    free(report);
    report = check_report("junit", &check, &plain_text);
    HOLDS(report, "<skipped message=\"not asked\"/>");
    HOLDS(report, "tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\"");
    free(report);
}

Test(check, counts_findings_that_are_not_shown)
{
    static hsd_finding findings[8];
    hsd_check check = one_rule(HSD_CHECK_FAIL);
    for (size_t i = 0; i < 8; i++)
        findings[i] = check_finding("Session", "", NULL, 0, 10 + (int64_t)i, 0);
    check_hold(&check_rows[1], findings, 8);
    check_rows[1].other_findings = 1200;
    char *report = check_report("text", &check, &plain_text);
    HOLDS(report, "Session +14\n        and 1,203 more\n");
    free(report);
    const hsd_report_options two = {.use_utf8 = true, .top = 2};
    report = check_report("text", &check, &two);
    HOLDS(report, "Session +11\n        and 1,206 more\n");
    free(report);
    report = check_report("github", &check, &plain_text);
    HOLDS(report, "%0ASession +12%0Aand 1205 more\n");
    free(report);
}

Test(check, advises_rules_where_there_are_none)
{
    hsd_check check = check_sample();
    const hsd_report_options options = {.use_utf8 = true, .before_command = "base.hs", .after_command = "head.hs"};
    check_config.is_built_in = true;
    check_config.name = sample_text("built-in rules");
    for (size_t i = 0; i < 4; i++)
        check_rules[i].line = 0;
    char *report = check_report("text", &check, &options);
    SAYS(report, "If this growth is intended, start from rules of your own: hsdiff check --init base.hs head.hs");
    free(report);
    report = check_report("sarif", &check, &options);
    HOLDS(report,
          "\"artifactLocation\": {\"uri\": \".hsdiff.yml\"}, \"region\": {\"startLine\": 1}"); /* code scanning of
                                                                                                  GitHub wants a file */
    free(report);
    report = check_report("github", &check, &options);
    HOLDS(report, "::error title=hsdiff%3A whole heap::+259.3 MiB, the limit is +16.0 MiB, over by +243.3 MiB\n");
    free(report);
}

Test(check, fits_a_terminal)
{
    hsd_check check = check_sample();
    const hsd_report_options narrow = {.width = 60};
    check_rules[0].name = sample_text("the whole of the heap of the service that answers at the till");
    char *report = check_report("text", &check, &narrow);
    for (char *line = report; *line; line += strcspn(line, "\n") + 1)
        if (strncmp(line, "FAIL", 4) == 0 || strncmp(line, "warn", 4) == 0)
            cr_expect_leq(strcspn(line, "\n"), 60, "%s", line);
    free(report);
    report = check_report("text", &check, &plain_text);
    HOLDS(report, "FAIL  the whole of the heap of the service that answers at the till   +259.3 MiB");
    free(report);
}

Test(check, paints_nothing_without_a_word)
{
    hsd_check check = check_sample();
    const hsd_report_options colors = {.use_utf8 = true, .use_color = true};
    char *report = check_report("text", &check, &colors);
    HOLDS(report, "\x1b[91mFAIL\x1b[0m  whole heap");
    HOLDS(report, "\x1b[1m      RULE");
    LACKS(report, "\x1b[91mok");
    free(report);
}

/* ---- machines ---- */

Test(check, keeps_numbers_exact)
{
    hsd_check check = check_sample();
    check_rows[0].found = INT64_MAX;
    check_rows[0].over = INT64_MAX;
    check_rows[0].limit = INT64_MIN;
    char *report = check_report("json", &check, &plain_text);
    HOLDS(report, "\"found\": 9223372036854775807, \"limit\": -9223372036854775808, \"over\": 9223372036854775807");
    free(report);
    report = check_report("text", &check, &(hsd_report_options){.use_utf8 = true, .exact_bytes = true});
    HOLDS(report, "+9,223,372,036,854,775,807 B");
    HOLDS(report, "-9,223,372,036,854,775,808 B");
    free(report);
}

Test(check, has_one_record_a_rule_and_a_finding)
{
    hsd_check check = check_sample();
    char *report = check_report("text", &check, &(hsd_report_options){.plain = true});
    HOLDS(report, "check\tfailed\t.hsdiff.yml\t4\t2\t1\t1\t0\t0\n");
    HOLDS(report,
          "rule\tfail\tsessions are released\terror\ttype\tSession\tobjects\tobjects\t412310\t0\t412310\tno\t9\t0\t\n"
          "finding\tover\tsessions are "
          "released\tSession\tglobal.app\tglobal.app.sessions\t1000\t413310\t412310\t0\t412310\t0\t0"
          "\t1000000\t\n");
    free(report);
    report = check_report("csv", &check, &plain_text);
    HOLDS(report, "\r\nnew event types,ok,error,heap,,new.types,types,1,5,0,no,,,,,,,,,,,,,,,,\r\n");
    free(report);
}

Test(check, tells_days_by_the_calendar)
{
    char day[HSD_NUMBER_CHARS];
    cr_expect_str_eq(hsd_format_day(day, 0), "1970-01-01");
    cr_expect_str_eq(hsd_format_day(day, -1), "1969-12-31");
    cr_expect_str_eq(hsd_format_day(day, 20908), "2027-03-31");
    cr_expect_str_eq(hsd_format_day(day, 11016), "2000-02-29");
}

/* The place of a result: where it was allocated, else the rule. */
Test(sarif, knows_where_a_finding_is)
{
    static const hsd_site_frame frames[] = {{{"emit", 4}, {"node:events", 11}, 513, 28},
                                            {{"handler", 7}, {"/srv/my app/shop.js", 19}, 41, 7}};
    static const hsd_site_growth site = {.frames = frames, .frame_count = 2};
    hsd_check check = one_rule(HSD_CHECK_FAIL);
    const hsd_report_options options = {.config_path = "ci/.hsdiff.yml"};
    char *report = check_report("sarif", &check, &options);
    HOLDS(
        report,
        "{\"physicalLocation\": {\"artifactLocation\": {\"uri\": \"ci/.hsdiff.yml\"}, \"region\": {\"startLine\": 9}}");
    HOLDS(report, "\"fullyQualifiedName\": \"global.app.sessions\"");
    free(report);
    check_findings[0].sites = &site;
    check_findings[0].site_count = 1;
    report = check_report("sarif", &check, &options);
    HOLDS(report, "{\"uri\": \"file:///srv/my%20app/shop.js\"}, \"region\": {\"startLine\": 41, \"startColumn\": 7}}");
    free(report);
    report = check_report("text", &check, &options);
    SAYS(report, "allocated at handler (/srv/my app/shop.js:41)");
    free(report);
}

static void fingerprint_of(const hsd_check *check, char out[17])
{
    char *report = check_report("sarif", check, &plain_text), *at = strstr(report, "hsdiffFinding/v1\": \"");
    snprintf(out, 17, "%.16s", at + strlen("hsdiffFinding/v1\": \""));
    free(report);
}

Test(sarif, keeps_fingerprints_when_numbers_change)
{
    char first[17], second[17];
    hsd_check check = one_rule(HSD_CHECK_FAIL);
    fingerprint_of(&check, first);
    cr_expect_str_eq(first, "f35a42a5256ec23d");
    check_findings[0].growth = check_findings[0].after = 7;
    check_rules[1].line = 100;
    check_rules[1].limits[0].amount = 6;
    check_rows[1].found = 7;
    fingerprint_of(&check, second);
    cr_expect_str_eq(first, second);
    check_path[1].edge = sample_text(".carts");
    fingerprint_of(&check, second);
    cr_expect_str_neq(first, second);
}

/* ---- Markdown ---- */

Test(markdown, is_a_comment_that_people_read)
{
    hsd_check check = check_sample();
    char *report = check_report("markdown", &check, &plain_text);
    HOLDS(report, "**hsdiff check: 2 of 4 rules failed, 1 warning.** The heap grew 259.3 MiB (+63%).\n\n"
                  "`base.hs` → `head.hs`, rules of `.hsdiff.yml`.\n\n"
                  "|  | Rule | Found | Limit | Over by |\n"
                  "| --- | --- | ---: | ---: | ---: |\n"
                  "| **FAIL** | `whole heap` | +259.3 MiB | +16.0 MiB | +243.3 MiB |\n");
    HOLDS(report, "| `sessions are released` | `global.app.sessions` | `Session` | +412,310 |  |\n");
    HOLDS(report, "If this growth is intended, raise the limit in `.hsdiff.yml` and say why.\n");
    free(report);
}

Test(markdown, refuses_what_is_too_small_for_its_head)
{
    hsd_check check = check_sample();
    sample_sink sink = {0};
    hsd_error err;
    hsd_error_init(&err);
    const hsd_report_options tiny = {.max_bytes = 100};
    cr_expect_eq(hsd_report_format_find("markdown")->write_check(&check, &tiny, sample_write, &sink, &err),
                 HSD_E_MISUSE);
    cr_expect_str_eq(err.text, "100 bytes are too few for this report; 437 suffice for its head");
    cr_expect_eq(sink.size, 0);
}

/* ---- failures ---- */

/* A write that fails anywhere is an error of the report. */
Test(check, passes_on_a_failed_write)
{
    hsd_check check = check_sample();
    for (size_t i = 0; hsd_report_format_get(i); i++) {
        const hsd_report_format *format = hsd_report_format_get(i);
        sample_sink sink = {.fail_at = 1};
        hsd_error err;
        hsd_error_init(&err);
        cr_expect_eq(format->write_check(&check, &plain_text, sample_write, &sink, &err), HSD_E_IO, "%s", format->name);
        cr_expect_eq(err.sys_errno, 28);
    }
}

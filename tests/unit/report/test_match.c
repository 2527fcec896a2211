/*
 * How reports say what objects were recognised by, and how sure that is.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "unit/report/sample.h"
#include "unit/report/says.h"

static const hsd_report_options wide = {.use_utf8 = true};
static const hsd_report_options plain = {.use_utf8 = true, .plain = true};

static const char moves[] = "the collector moves objects, so their addresses say nothing across captures";

static hsd_type_row types[1];

/* 100,000 live bytes after; nothing matched yet. */
static hsd_diff by_structure(void)
{
    types[0] = sample_type("Session", 90000, 100000);
    hsd_diff diff = sample_diff(types, 1, NULL, 0);
    diff.before.info.identity = diff.after.info.identity = HSD_IDENTITY_MOVING;
    diff.is_by_structure = true;
    diff.match_reason = sample_text(moves);
    diff.match = (hsd_match){.unmatched_before = 204, .unmatched_after = 1784377};
    return diff;
}

static void match(hsd_diff *diff, hsd_match_rung rung, uint64_t objects, uint64_t bytes)
{
    const hsd_amount amount = {objects, bytes};
    sample_add(&diff->match.rungs[rung], amount);
    if (rung == HSD_MATCH_CHANGED || rung == HSD_MATCH_TWINS) sample_add(&diff->match.weak, amount);
    if (rung == HSD_MATCH_EXACT)
        diff->match.exact += objects;
    else if (rung == HSD_MATCH_ADDRESS)
        diff->match.address += objects;
    else
        diff->match.structure += objects;
}

static hsd_diff by_every_rung(void)
{
    hsd_diff diff = by_structure();
    for (int rung = HSD_MATCH_KEY; rung < HSD_MATCH_RUNG_COUNT; rung++)
        match(&diff, (hsd_match_rung)rung, (uint64_t)1000 * (uint64_t)rung, 1050);
    return diff;
}

/* ---- text ---- */

Test(match, tells_each_rung_of_the_structure)
{
    hsd_diff diff = by_every_rung();
    char *report = sample_report("text", &diff, &wide);
    SAYS(report, "\nObjects matched by structure 44,000; only before 204, only after 1,784,377. Live in "
                 "both: by key 2,000, name 3,000, same address 4,000, neighbourhood 5,000, place 6,000, "
                 "order 7,000, changed 8,000, twins 9,000; the changed and the twins hold 2.1% of the "
                 "bytes after.\n");
    free(report);
}

/* Of the sum some are not live: the rungs say of what they are counts. */
Test(match, leaves_out_rungs_that_gave_nothing)
{
    hsd_diff diff = by_structure();
    match(&diff, HSD_MATCH_ORDER, 1, 100);
    diff.match.structure = 3;
    diff.match.unmatched_before = 0;
    char *report = sample_report("text", &diff, &wide);
    HOLDS(report, "\nObjects matched by structure 3; only after 1,784,377. Live in both: by order "
                  "1.\n");
    free(report);
    diff.match.rungs[HSD_MATCH_ORDER] = (hsd_amount){0, 0}; /* all of them unreached */
    report = sample_report("text", &diff, &wide);
    HOLDS(report, "\nObjects matched by structure 3; only after 1,784,377.\n");
    free(report);
}

Test(match, names_the_weak_rung_there_is)
{
    hsd_diff diff = by_structure();
    match(&diff, HSD_MATCH_CHANGED, 8, 38000);
    char *report = sample_report("text", &diff, &wide);
    SAYS(report, "by changed 8; the changed hold 38% of the bytes after.\n");
    free(report);
    diff = by_structure();
    match(&diff, HSD_MATCH_TWINS, 8, 20);
    report = sample_report("text", &diff, &wide);
    SAYS(report, "by twins 8; the twins hold <0.1% of the bytes after.\n");
    free(report);
}

Test(match, says_when_nothing_matched)
{
    hsd_diff diff = by_structure();
    char *report = sample_report("text", &diff, &wide);
    HOLDS(report, "\nNo object is in both captures: only before 204, only after 1,784,377.\n");
    LACKS(report, "Live in both");
    free(report);
}

Test(match, has_no_rungs_below_an_id)
{
    hsd_diff diff = by_structure();
    diff.is_by_structure = false;
    diff.match_reason = sample_text("");
    match(&diff, HSD_MATCH_EXACT, 3118000, 90000);
    char *report = sample_report("text", &diff, &wide);
    HOLDS(report, "\nObjects matched by exact id 3,118,000; only before 204, only after 1,784,377.\n");
    LACKS(report, "Live in both");
    LACKS(report, "compared by");
    free(report);
}

Test(match, says_nothing_of_objects_that_are_not_recognised)
{
    hsd_diff diff = by_every_rung();
    diff.identity_is_known = diff.is_by_structure = false;
    diff.match.ambiguous = diff.match.reused = 7;
    char *report = sample_report("text", &diff, &wide);
    LACKS(report, "Objects matched");
    LACKS(report, "equal");
    LACKS(report, "used again");
    LACKS(report, "compared by");
    free(report);
}

Test(match, says_what_cannot_be_decided)
{
    hsd_diff diff = by_every_rung();
    char *report = sample_report("text", &diff, &wide);
    LACKS(report, "equal");
    free(report);
    diff.match.ambiguous = 20412;
    report = sample_report("text", &diff, &wide);
    SAYS(report, "\n20,412 objects have an equal that came or went: their number is right, which "
                 "ones is not known.\n");
    free(report);
    diff.match.ambiguous = 1;
    report = sample_report("text", &diff, &wide);
    SAYS(report, "\n1 object has an equal that came or went: the number is right, which of them "
                 "it is is not known.\n");
    free(report);
}

static void expect_reused(uint64_t reused, uint64_t estimate, const char *words)
{
    hsd_diff diff = by_structure();
    diff.is_by_structure = false;
    diff.before.info.identity = diff.after.info.identity = HSD_IDENTITY_ADDRESS;
    match(&diff, HSD_MATCH_ADDRESS, 1000, 1000);
    diff.match.reused = reused;
    diff.match.reuse_estimate = estimate;
    char *report = sample_report("text", &diff, &wide);
    HOLDS(report, "\nObjects matched by address and type 1,000; ");
    if (words)
        SAYS(report, words);
    else
        LACKS(report, "another");
    free(report);
}

Test(match, says_that_addresses_were_used_again)
{
    expect_reused(3400, 120,
                  "\n3,400 addresses were used again for another object; some 120 more may hold "
                  "another that looks alike.\n");
    expect_reused(1, 0, "\n1 address was used again for another object.\n");
    expect_reused(0, 1, "\nSome 1 address may hold another object that looks alike.\n");
    expect_reused(0, 12, "\nSome 12 addresses may hold another object that looks alike.\n");
    expect_reused(0, 0, NULL);
}

/* ---- the head ---- */

Test(match, states_what_was_compared_by)
{
    hsd_diff diff = by_every_rung();
    char *report = sample_report("text", &diff, &wide);
    HOLDS(report, "both complete\n        compared by structure and names: the collector moves "
                  "objects, so their\n        addresses say nothing across captures\n\nLive heap");
    free(report);
    diff.match_reason = sample_text("");
    report = sample_report("text", &diff, &wide);
    HOLDS(report, "both complete\n        compared by structure and names\n\nLive heap");
    free(report);
}

/* A reason may quote what a file says of itself. */
Test(match, makes_reasons_harmless)
{
    hsd_diff diff = by_every_rung();
    diff.match_reason = sample_text("it is \x1b[31m\"red\"\n::error::\xff\xe2\x80\xae");
    char *report = sample_report("text", &diff, &wide);
    LACKS(report, "\x1b");
    LACKS(report, "\n::error");
    LACKS(report, "\xff");
    LACKS(report, "\xe2\x80\xae");
    HOLDS(report, "\\x1b[31m\"red\"");
    free(report);
    report = sample_report("text", &diff, &plain);
    LACKS(report, "\x1b");
    LACKS(report, "\n::error");
    free(report);
    report = sample_report("json", &diff, &wide);
    HOLDS(report, "\"reason\": \"it is \\u001b[31m\\\"red\\\"");
    LACKS(report, "\n::error");
    free(report);
}

Test(match, is_not_painted)
{
    hsd_diff diff = by_every_rung();
    const hsd_report_options options = {.use_utf8 = true, .use_color = true};
    diff.match.ambiguous = 12;
    char *report = sample_report("text", &diff, &options);
    HOLDS(report, "\nObjects matched by structure 44,000; only before 204, ");
    HOLDS(report, "\n12 objects have an equal ");
    free(report);
}

/* ---- for programs ---- */

Test(match, is_whole_as_json)
{
    hsd_diff diff = by_structure();
    match(&diff, HSD_MATCH_NAME, 2100, 4000);
    match(&diff, HSD_MATCH_SAME_ADDRESS, 1, 0);
    match(&diff, HSD_MATCH_TWINS, 7, 700);
    diff.match.ambiguous = 9;
    diff.match.reused = 3;
    diff.match.reuse_estimate = 2;
    char *report = sample_report("json", &diff, &wide);
    HOLDS(report, "\n  \"match\": {\"basis\": \"structure\", \"reason\": \"the collector moves objects, so "
                  "their addresses say nothing across captures\", \"exact\": 0, \"address\": 0, "
                  "\"structure\": 2108, \"unmatched_before\": 204, \"unmatched_after\": 1784377, "
                  "\"ambiguous\": 9, \"rungs\": [{\"rung\": \"name\", \"objects\": 2100, \"bytes\": 4000}, "
                  "{\"rung\": \"same_address\", \"objects\": 1, \"bytes\": 0}, {\"rung\": \"twins\", "
                  "\"objects\": 7, \"bytes\": 700}], \"weak\": {\"objects\": 7, \"bytes\": 700}, "
                  "\"reused\": 3, \"reuse_estimate\": 2, \"warnings\": []},\n");
    free(report);
}

static void expect_basis(const hsd_diff *diff, const char *json, const char *line)
{
    char *report = sample_report("json", diff, &wide);
    HOLDS(report, json);
    free(report);
    report = sample_report("text", diff, &plain);
    HOLDS(report, line);
    free(report);
}

Test(match, names_its_basis)
{
    hsd_diff diff = by_structure();
    diff.is_by_structure = false;
    diff.match_reason = sample_text("");
    diff.before.info.identity = diff.after.info.identity = HSD_IDENTITY_EXACT;
    match(&diff, HSD_MATCH_EXACT, 5, 50);
    expect_basis(&diff, "{\"basis\": \"exact\", \"reason\": null, \"exact\": 5,",
                 "\nbasis\texact\t5\t204\t1784377\t0\t0\t0\t\n# rung\trung\tobjects\tbytes\n"
                 "rung\texact\t5\t50\n");
    diff.before.info.identity = diff.after.info.identity = HSD_IDENTITY_ADDRESS;
    expect_basis(&diff, "{\"basis\": \"address\", \"reason\": null,", "\nbasis\taddress\t");
    diff.identity_is_known = false;
    diff.match = (hsd_match){0};
    diff.match_reason = sample_text("the captures carry no identities of objects");
    expect_basis(&diff,
                 "{\"basis\": \"counts\", \"reason\": \"the captures carry no identities of "
                 "objects\", \"exact\": 0,",
                 "\nbasis\tcounts\t\t\t\t\t\t\tthe captures carry no identities of objects\n"
                 "# rung\trung\tobjects\tbytes\n# total");
}

Test(match, has_a_name_for_each_rung)
{
    hsd_diff diff = by_every_rung();
    match(&diff, HSD_MATCH_EXACT, 1, 1);
    match(&diff, HSD_MATCH_ADDRESS, 1, 1);
    char *report = sample_report("text", &diff, &plain);
    HOLDS(report, "\nbasis\tstructure\t44002\t204\t1784377\t0\t0\t0\tthe collector moves ");
    HOLDS(report, "\nrung\texact\t1\t1\nrung\taddress\t1\t1\nrung\tkey\t2000\t1050\nrung\tname\t3000"
                  "\t1050\nrung\tsame_address\t4000\t1050\nrung\tstructure\t5000\t1050\nrung\tplace"
                  "\t6000\t1050\nrung\torder\t7000\t1050\nrung\tchanged\t8000\t1050\nrung\ttwins"
                  "\t9000\t1050\n# total");
    free(report);
}

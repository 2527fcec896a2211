/*
 * What the reader must know before any number is believed: what sets two captures apart, each with what it does to
 * the answer, and recognition that rests on weak signs. Made as a diff makes it, and read from the report.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "diff/warn.h"
#include "unit/report/sample.h"
#include "unit/report/says.h"
#include <hscapture/hscapture.h>

static const hsd_report_options wide = {.use_utf8 = true};

static hsd_type_row types[1];

/* Two captures that were taken alike; 100,000 live bytes after. */
static hsd_diff alike(void)
{
    types[0] = sample_type("Session", 90000, 100000);
    return sample_diff(types, 1, NULL, 0);
}

/* What a diff warns of, one after the other; the caller frees. */
static char *warnings_of(const hsd_diff *diff)
{
    hsd_diff_store *store = calloc(1, sizeof *store);
    const size_t room = (size_t)HSD_MAX_WARNINGS * 600;
    char *all = calloc(room, 1);
    size_t used = 0;
    hsd_store_warn_of_pair(store, diff);
    hsd_store_warn_of_match(store, diff);
    for (size_t i = 0; i < store->warning_count; i++) {
        cr_expect_lt(store->warnings[i].size, 511, "it fits: %s", store->warnings[i].data);
        used += (size_t)snprintf(all + used, room - used, "%s\n", store->warnings[i].data);
    }
    hsd_store_free(store);
    return all;
}

static void expect_warnings(const hsd_diff *diff, const char *wanted)
{
    char *found = warnings_of(diff);
    cr_expect_str_eq(found, wanted);
    free(found);
}

#define SWAP_SIDES(diff)                                                                                               \
    do {                                                                                                               \
        const hsd_side side = (diff).before;                                                                           \
        (diff).before = (diff).after;                                                                                  \
        (diff).after = side;                                                                                           \
    } while (0)

Test(warnings, are_none_for_captures_taken_alike)
{
    hsd_diff diff = alike();
    expect_warnings(&diff, "");
    diff.before.info.facts = diff.after.info.facts = HSC_FACT_COLLECTED;
    diff.before.info.lost = 7;
    diff.after.info.lost = 9;
    diff.before.info.pointer_bytes = diff.after.info.pointer_bytes = 8;
    expect_warnings(&diff, "");
}

/* What says nothing of the heap itself. */
Test(warnings, are_none_for_what_does_not_matter)
{
    hsd_diff diff = alike();
    diff.after.info.facts = HSC_FACT_VALUES;
    diff.before.info.producer = diff.before.info.runtime = NULL;
    diff.after.info.pointer_bytes = 8;
    diff.before.info.pid = 17;
    diff.before.info.process_name = "another";
    expect_warnings(&diff, "");
    diff.before.info.producer = diff.before.info.runtime = "";
    expect_warnings(&diff, "");
}

Test(warnings, say_that_one_capture_holds_garbage)
{
    hsd_diff diff = alike();
    diff.before.info.facts = HSC_FACT_COLLECTED;
    expect_warnings(&diff, "only the capture before was taken right after a collection: the other "
                           "may hold garbage, which counts as unreached\n");
    diff.after.has_roots = false;
    expect_warnings(&diff, "only the capture before was taken right after a collection: garbage "
                           "in the one after counts as growth\n");
    SWAP_SIDES(diff);
    expect_warnings(&diff, "only the capture after was taken right after a collection: garbage in "
                           "the one before hides growth\n");
    diff.before.has_roots = true;
    expect_warnings(&diff, "only the capture after was taken right after a collection: the other "
                           "may hold garbage, which counts as unreached\n");
}

Test(warnings, say_that_one_capture_was_sampled)
{
    hsd_diff diff = alike();
    diff.before.info.facts = HSC_FACT_SAMPLED;
    expect_warnings(&diff, "only the capture before was sampled: growth is the difference of a count and "
                           "an estimate, and what the sample left out looks new\n");
    SWAP_SIDES(diff);
    expect_warnings(&diff, "only the capture after was sampled: growth is the difference of a count and "
                           "an estimate, and what the sample left out looks freed\n");
    diff.identity_is_known = false;
    expect_warnings(&diff, "only the capture after was sampled: growth is the difference of a count and "
                           "an estimate, and what the sample left out hides growth\n");
}

Test(warnings, say_that_samples_share_little)
{
    hsd_diff diff = alike();
    diff.before.info.facts = diff.after.info.facts = HSC_FACT_SAMPLED;
    expect_warnings(&diff, "both captures were sampled: an object that is in one sample alone "
                           "looks new or freed\n");
    diff.identity_is_known = false;
    expect_warnings(&diff, "");
}

Test(warnings, say_that_one_capture_lost_something)
{
    hsd_diff diff = alike();
    diff.before.info.lost = 1;
    expect_warnings(&diff, "only the capture before has losses: an object that was lost there "
                           "looks new\n");
    diff.identity_is_known = false;
    expect_warnings(&diff, "only the capture before has losses: an object that was lost there "
                           "counts as growth\n");
    SWAP_SIDES(diff);
    expect_warnings(&diff, "only the capture after has losses: an object that was lost there "
                           "hides growth\n");
    diff.identity_is_known = true;
    expect_warnings(&diff, "only the capture after has losses: an object that was lost there "
                           "looks freed\n");
    diff.is_partial = true; /* nothing is called freed */
    expect_warnings(&diff, "only the capture after has losses: an object that was lost there "
                           "hides growth\n");
}

Test(warnings, say_that_runtimes_differ)
{
    hsd_diff diff = alike();
    diff.after.info.runtime = "V8 12.4";
    expect_warnings(&diff, "the runtimes differ (V8 11.3, V8 12.4): what one lays out or names in "
                           "another way counts as growth\n");
}

Test(warnings, say_that_producers_differ)
{
    hsd_diff diff = alike();
    diff.before.info.producer = "hsdiff 0.9.0 import hprof";
    diff.after.info.producer = "hsdiff 1.0.0 import hprof";
    diff.before.info.source_format = diff.after.info.source_format = "hprof";
    expect_warnings(&diff, "different producers wrote the captures (hsdiff 0.9.0 import hprof, "
                           "hsdiff 1.0.0 import hprof): what one names or measures in another way "
                           "counts as growth\n");
}

/* Of two formats producers differ, too: that goes without saying. */
Test(warnings, say_that_formats_differ)
{
    hsd_diff diff = alike();
    diff.after.info.source_format = "hprof";
    diff.after.info.producer = "hsdiff 1.0.0 import hprof";
    expect_warnings(&diff, "the formats differ (hs, hprof): each has names and sizes of its own "
                           "for the same object, and such a difference counts as growth\n");
    diff.before.info.source_format = NULL;
    SWAP_SIDES(diff);
    expect_warnings(&diff, "the formats differ (hprof, hs): each has names and sizes of its own "
                           "for the same object, and such a difference counts as growth\n");
}

Test(warnings, are_none_for_versions_of_a_format)
{
    hsd_diff diff = alike();
    diff.before.info.source_format = "hprof 1.0.1";
    diff.after.info.source_format = "hprof 1.0.2";
    expect_warnings(&diff, "");
    diff.after.info.source_format = "hprof2 1.0.1";
    expect_warnings(&diff, "the formats differ (hprof 1.0.1, hprof2 1.0.1): each has names and "
                           "sizes of its own for the same object, and such a difference counts as "
                           "growth\n");
}

Test(warnings, say_that_pointers_differ)
{
    hsd_diff diff = alike();
    diff.before.info.pointer_bytes = 4;
    diff.after.info.pointer_bytes = 8;
    expect_warnings(&diff, "pointers have 4 bytes before and 8 after: objects with references "
                           "differ in size for that alone\n");
}

Test(warnings, fit_for_names_of_any_length)
{
    static char long_name[2][4000];
    hsd_diff diff = alike();
    memset(long_name[0], 'a', sizeof long_name[0] - 1);
    memset(long_name[1], 'b', sizeof long_name[1] - 1);
    diff.before.info.runtime = diff.before.info.producer = long_name[0];
    diff.after.info.runtime = diff.after.info.producer = long_name[1];
    char *found = warnings_of(&diff);
    cr_expect(strstr(found, "measures in another way counts as growth\nthe runtimes differ"));
    cr_expect(strstr(found, "names in another way counts as growth\n"));
    free(found);
    diff.before.info.source_format = long_name[0];
    diff.after.info.source_format = long_name[1];
    found = warnings_of(&diff);
    cr_expect(strstr(found, "such a difference counts as growth\n"));
    free(found);
}

/* ---- how objects were recognised ---- */

Test(warnings, say_when_hardly_anything_is_shared)
{
    types[0] = sample_type("Session", 200000, 210000);
    hsd_diff diff = sample_diff(types, 1, NULL, 0);
    diff.match = (hsd_match){.address = 100};
    expect_warnings(&diff, "");
    diff.match.address = 99;
    expect_warnings(&diff, ""); /* one process, which replaced the rest */
    memset(diff.before.info.domain, 0, 16);
    diff.before.info.started_unix_ns = diff.after.info.started_unix_ns = 17;
    expect_warnings(&diff, ""); /* of one pid, which started then */
    diff.before.info.started_unix_ns++;
    expect_warnings(&diff, "the captures share only 99 objects: they look like two different "
                           "processes\n");
    diff.match.address = 1;
    expect_warnings(&diff, "the captures share only 1 object: they look like two different "
                           "processes\n");
    diff.match = (hsd_match){.structure = 1};
    diff.is_by_structure = true;
    expect_warnings(&diff, "only 1 object could be recognised by structure: all that changed its "
                           "shape looks new and freed\n");
    diff.match.structure = 0;
    expect_warnings(&diff, "only 0 objects could be recognised by structure: all that changed its "
                           "shape looks new and freed\n");
    diff.identity_is_known = diff.is_by_structure = false;
    expect_warnings(&diff, "");
}

#define WEAK                                                                                                           \
    "5% of the bytes after were recognised by weak signs alone: sums are right, but which of these "                   \
    "objects are new or freed is uncertain; "
#define OR_A_KEY ", or name a field that tells them apart with --key Type:field\n"

static const char weak[] =
    WEAK "start the program by hsdiff capture -- node app.js, and its objects keep their ids" OR_A_KEY;
static const char weak_elsewhere[] =
    WEAK "take the captures with an agent or in a format that gives objects ids" OR_A_KEY;

Test(warnings, say_when_much_rests_on_weak_signs)
{
    hsd_diff diff = alike();
    diff.is_by_structure = true;
    diff.match.weak = (hsd_amount){50, 5000};
    expect_warnings(&diff, "");
    diff.match.weak.bytes = 5001;
    expect_warnings(&diff, weak);
    diff.before.info.runtime = diff.after.info.runtime = "Node";
    expect_warnings(&diff, weak);
    diff.before.info.runtime = diff.after.info.runtime = "17.0.15";
    expect_warnings(&diff, weak_elsewhere);
    diff.identity_is_known = false;
    expect_warnings(&diff, "");
}

Test(warnings, know_shares_of_any_size)
{
    hsd_diff diff = alike();
    diff.match.weak.bytes = 0;
    diff.total.after.bytes = 0;
    expect_warnings(&diff, "");
    diff.total.after.bytes = 19;
    diff.match.weak.bytes = 1;
    expect_warnings(&diff, weak);
    diff.total.after.bytes = UINT64_MAX;
    diff.match.weak.bytes = UINT64_MAX / 20;
    expect_warnings(&diff, "");
    diff.match.weak.bytes += 1;
    expect_warnings(&diff, weak);
    diff.match.weak.bytes = UINT64_MAX;
    char *found = warnings_of(&diff);
    cr_expect(strncmp(found, "100% of the bytes", 17) == 0, "%s", found);
    free(found);
}

/* ---- on the screen ---- */

Test(warnings, come_before_the_answer)
{
    hsd_diff diff = alike();
    hsd_diff_store *store = calloc(1, sizeof *store);
    diff.before.info.facts = HSC_FACT_COLLECTED;
    diff.after.info.runtime = "V8 \x1b[31m12";
    diff.match.weak = (hsd_amount){800, 80000};
    hsd_store_warn_of_pair(store, &diff);
    hsd_store_warn_of_match(store, &diff);
    diff.warnings = store->warnings;
    diff.warning_count = store->warning_count;
    char *report = sample_report("text", &diff, &wide);
    HOLDS(report, "! only the capture before was taken right after a collection");
    cr_expect(strncmp(report, "! only", 6) == 0, "%s", report);
    SAYS(report, "\n! the runtimes differ (V8 11.3, V8 \\x1b[31m12): what one ");
    SAYS(report, "\n! 80% of the bytes after were recognised by weak signs alone");
    cr_expect(strstr(report, "\n! 80%") < strstr(report, "\nbefore "));
    free(report);
    report = sample_report("json", &diff, &wide);
    HOLDS(report, "\"warnings\": [\"only the capture before was taken right after a collection: ");
    HOLDS(report, "V8 \\u001b[31m12");
    free(report);
    hsd_store_free(store);
}

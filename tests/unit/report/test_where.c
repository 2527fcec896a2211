/*
 * The sentence about the place, in each of its forms: one place, a part of it, none, nobody's, many; and what it must
 * not say where that is not known.
 */
#include <criterion/criterion.h>
#include <hscapture/hscapture.h>
#include <stdio.h>

#include "report/words/width.h"
#include "unit/report/sample.h"
#include "unit/report/says.h"

static const hsd_report_options wide = {.use_utf8 = true};

static hsd_type_row types[1];
static hsd_root_row roots[1];
static hsd_holder holders[1000];
static hsd_step path[3];

#define GROWTH ((int64_t)(100 * MIB))

/* A heap that grew by 100 MiB. */
static hsd_diff grown(void)
{
    types[0] = sample_type("Session", 100 * MIB, 200 * MIB);
    roots[0] = sample_root("global.app", 100 * MIB, 200 * MIB);
    path[0] = sample_step("", "Application");
    path[1] = sample_step(".state", "Object");
    path[2] = sample_step(".sessions", "Map");
    return sample_diff(types, 1, roots, 1);
}

/* The report with one holder that has so many hundredths of a percent of the growth, and the rest elsewhere. */
static char *report_of_share(int64_t hundredths)
{
    hsd_diff diff = grown();
    const int64_t bytes = GROWTH / 10000 * hundredths;
    holders[0] = sample_holder("global.app", path, 3, bytes);
    sample_hold(&diff, holders, 1);
    diff.other_holder_count = 50;
    diff.other_holders.growth_bytes = GROWTH - bytes;
    return sample_report("text", &diff, &wide);
}

Test(where, names_one_place)
{
    char *report = report_of_share(9120);
    SAYS(report, "91% of the growth hangs from one place: global.app.state.sessions (Map).");
    LACKS(report, "(Map) (+");
    free(report);
    report = report_of_share(5000);
    SAYS(report, "50% of the growth hangs from one place: global.app.state.sessions (Map).");
    free(report);
}

Test(where, says_all_when_it_is_all_but_half_a_percent)
{
    char *report = report_of_share(9951);
    SAYS(report, "All of the growth hangs from one place: global.app.state.sessions (Map).");
    free(report);
    report = report_of_share(9949);
    SAYS(report, "99% of the growth hangs from one place: ");
    free(report);
}

Test(where, says_so_when_one_place_grew_more_than_all)
{
    char *report = report_of_share(15000);
    SAYS(report, "All of the growth and more hangs from one place: global.app.state.sessions "
                 "(Map); others shrank.");
    HOLDS(report, "  150%\n");
    HOLDS(report, "-50.0 MiB   -50%\n");
    free(report);
}

/* A heap of a JVM, captured by the agent and dumped by jcmd. What the program holds is told alike in both. */
Test(where, blames_no_root_of_the_machine_that_two_formats_tell_differently)
{
    for (int is_of_machine = 0; is_of_machine < 2; is_of_machine++)
        for (int differ = 0; differ < 2; differ++) {
            hsd_diff diff = grown();
            diff.before.info.source_format = "hprof 1.0.2";
            diff.after.info.source_format = differ ? "" : "hprof 1.0.3";
            holders[0] =
                sample_holder(is_of_machine ? "(VM internals)" : "static Shop.carts", path, 0, GROWTH / 100 * 97);
            holders[0].root_kind = is_of_machine ? HSC_ROOT_RUNTIME : HSC_ROOT_STATIC;
            sample_hold(&diff, holders, 1);
            diff.other_holder_count = 50;
            diff.other_holders.growth_bytes = GROWTH / 100 * 3;
            char *report = sample_report("text", &diff, &wide);
            if (differ && is_of_machine)
                SAYS(report, "97% of the growth is in (VM internals), of which the two formats tell differently.");
            else
                SAYS(report, "97% of the growth hangs from one place: ");
            free(report);
        }
}

Test(where, names_the_largest_part)
{
    char *report = report_of_share(1000);
    SAYS(report, "The largest part of the growth, 10%, hangs from one place: "
                 "global.app.state.sessions (Map).");
    free(report);
}

Test(where, says_how_scattered_it_is)
{
    char *report = report_of_share(949);
    SAYS(report, "The growth is scattered: the 5 largest of 51 holders have 9% of it.");
    LACKS(report, "one place");
    free(report);
    hsd_diff diff = grown();
    for (size_t i = 0; i < 1000; i++)
        holders[i] = sample_holder("global.many", NULL, 0, GROWTH / 1000);
    sample_hold(&diff, holders, 1000);
    diff.other_holder_count = 204;
    report = sample_report("text", &diff, &wide);
    SAYS(report, "The growth is scattered: the 5 largest of 1,204 holders have less than 1% of it.");
    LACKS(report, "WHAT KEEPS"); /* none of them matters */
    free(report);
}

Test(where, says_nothing_of_few_places_without_much)
{
    hsd_diff diff = grown();
    holders[0] = sample_holder("global.a", NULL, 0, GROWTH / 20);
    sample_hold(&diff, holders, 1);
    char *report = sample_report("text", &diff, &wide);
    LACKS(report, "scattered");
    LACKS(report, "one place");
    free(report);
    sample_hold(&diff, holders, 0);
    report = sample_report("text", &diff, &wide);
    LACKS(report, "one place");
    LACKS(report, "WHAT KEEPS");
    free(report);
}

Test(where, tells_growth_that_no_one_object_holds)
{
    hsd_diff diff = grown();
    holders[0] = sample_holder("(roots)", NULL, 0, GROWTH / 100 * 60);
    holders[1] = sample_holder("global.app", path, 3, GROWTH / 100 * 30);
    sample_hold(&diff, holders, 2);
    char *report = sample_report("text", &diff, &wide);
    SAYS(report, "60% of the growth is held by no one object: it is reached in several ways; 30% "
                 "hangs from one place: global.app.state.sessions (Map).");
    HOLDS(report, "(roots): held by no one object");
    free(report);
    diff.holder_count = 1;
    report = sample_report("text", &diff, &wide);
    SAYS(report, "60% of the growth is held by no one object: it is reached in several ways.");
    free(report);
    for (size_t i = 1; i < 20; i++)
        holders[i] = sample_holder("global.many", NULL, 0, GROWTH / 100 * 4);
    holders[0] = sample_holder("(roots)", NULL, 0, GROWTH / 100 * 24);
    diff.holder_count = 20;
    report = sample_report("text", &diff, &wide);
    SAYS(report, "The growth is scattered: the 5 largest of 19 holders have 20% of it, and 24% is "
                 "held by no one object.");
    free(report);
}

Test(where, reads_well_for_a_root_itself_and_for_what_has_no_name)
{
    hsd_diff diff = grown();
    holders[0] = sample_holder("static Shop.openOrders", NULL, 0, GROWTH);
    sample_hold(&diff, holders, 1);
    char *report = sample_report("text", &diff, &wide);
    SAYS(report, "All of the growth hangs from one place: static Shop.openOrders.");
    HOLDS(report, "\nstatic Shop.openOrders  ");
    free(report);
    path[1] = sample_step("", "Timer");
    holders[0] = sample_holder("(pending)", path, 2, GROWTH);
    report = sample_report("text", &diff, &wide);
    SAYS(report, "hangs from one place: (pending) -> Application -> Timer.");
    HOLDS(report, "\n(pending) -> Application -> Timer  ");
    free(report);
}

/* ---- a heap that did not grow ---- */

Test(where, finds_a_place_that_grew_in_a_heap_that_shrank)
{
    hsd_diff diff = grown();
    types[0] = sample_type("Session", 300 * MIB, 200 * MIB);
    sample_total(&diff);
    holders[0] = sample_holder("global.app", path, 3, (int64_t)(20 * MIB));
    holders[1] = sample_holder("global.pages", NULL, 0, -(int64_t)(120 * MIB));
    sample_hold(&diff, holders, 2);
    char *report = sample_report("text", &diff, &wide);
    SAYS(report, "Live heap shrank 100.0 MiB (-33%): 0 new, 100.0 MiB freed. Even so, one place "
                 "grew by 20.0 MiB: global.app.state.sessions (Map).");
    HOLDS(report, "+20.0 MiB\n"); /* no share of a growth that is none */
    LACKS(report, "SHARE");
    HOLDS(report, "\n1 other holder ");
    free(report);
    holders[0].growth_bytes = 1000; /* noise */
    report = sample_report("text", &diff, &wide);
    LACKS(report, "Even so");
    LACKS(report, "WHAT KEEPS");
    free(report);
}

/* Pages of a cache were taken for those that stood at their addresses: what they brought counts for the cache, what
 * those had for the pages. */
static char *report_of_pages(hsd_holder *pages, const hsd_type_growth *grown_types)
{
    static hsd_step below[4];
    hsd_diff diff = grown();
    types[0] = sample_type("Session", 300 * MIB, 299 * MIB);
    sample_total(&diff);
    memcpy(below, path, sizeof path);
    below[3] = sample_step("[*]", "Page");
    holders[0] = sample_holder("global.app", path, 3, (int64_t)(20 * MIB));
    holders[0].types = grown_types;
    holders[0].type_count = 1;
    holders[1] = *pages;
    holders[1].path = pages->path_count > 0 ? below : NULL;
    sample_hold(&diff, holders, 2);
    return sample_report("text", &diff, &wide);
}

Test(where, blames_nobody_for_what_its_items_lost)
{
    const hsd_type_growth came = {.type = sample_text("Text"), .net_objects = 20, .net_bytes = 20 * MIB};
    const hsd_type_growth went = {.type = sample_text("Text"), .net_objects = -20, .net_bytes = -(int64_t)(20 * MIB)};
    const hsd_type_growth other = {.type = sample_text("Image"), .net_objects = -20, .net_bytes = -(int64_t)(20 * MIB)};
    hsd_holder pages = sample_holder("global.app", path, 3, -(int64_t)(20 * MIB));
    pages.path_count = 4;
    pages.types = &went;
    pages.type_count = 1;
    char *report = report_of_pages(&pages, &came);
    LACKS(report, "Even so");
    LACKS(report, "WHAT KEEPS");
    free(report);
    pages.types = &other; /* a cache that was emptied hides no leak */
    report = report_of_pages(&pages, &came);
    SAYS(report, "Even so, one place grew by 20.0 MiB: global.app.state.sessions (Map).");
    HOLDS(report, "\nWHAT KEEPS");
    free(report);
    hsd_holder elsewhere = sample_holder("global.pages", NULL, 0, -(int64_t)(20 * MIB));
    elsewhere.types = &went;
    elsewhere.type_count = 1;
    report = report_of_pages(&elsewhere, &came);
    SAYS(report, "Even so, one place grew by 20.0 MiB: ");
    free(report);
}

/* The report of a heap that grew by 100 MiB, of which a stack got 60 and exchanged `went` MiB, while what nobody holds
 * alone lost 50 of them in the same type and a list got 40. */
static char *report_of_exchange(uint64_t went)
{
    hsd_diff diff = grown();
    const hsd_type_growth came = {.type = sample_text("Buffer"),
                                  .new_ = {600, (went + 60) * MIB},
                                  .freed = {500, went * MIB},
                                  .net_objects = 100,
                                  .net_bytes = 60 * MIB};
    const hsd_type_growth lost = {
        .type = sample_text("Buffer"), .freed = {50, 50 * MIB}, .net_objects = -50, .net_bytes = -(int64_t)(50 * MIB)};
    holders[0] = sample_holder("stack of worker: work.alive", NULL, 0, (int64_t)(60 * MIB));
    holders[0].types = &came;
    holders[0].type_count = 1;
    holders[1] = sample_holder("global.app", path, 3, (int64_t)(40 * MIB));
    holders[2] = sample_holder("(roots)", NULL, 0, -(int64_t)(50 * MIB));
    holders[2].types = &lost;
    holders[2].type_count = 1;
    sample_hold(&diff, holders, 3);
    return sample_report("text", &diff, &wide);
}

Test(where, blames_nobody_for_what_several_held_before)
{
    char *report = report_of_exchange(200);
    SAYS(report, "The largest part of the growth, 40%, hangs from one place: global.app.state.sessions (Map).");
    free(report);
    report = report_of_exchange(20); /* it holds most of what came to it */
    SAYS(report, "60% of the growth hangs from one place: stack of worker: work.alive.");
    free(report);
}

/* ---- program code ---- */

Test(where, says_of_program_code_whether_anything_else_grew)
{
    hsd_diff diff = grown();
    holders[0] = sample_holder("global.app", path, 3, (int64_t)(20 * MIB));
    holders[1] = sample_holder(HSD_PROGRAM_CODE, NULL, 0, (int64_t)(80 * MIB));
    holders[1].is_code = true;
    sample_hold(&diff, holders, 2);
    char *report = sample_report("text", &diff, &wide);
    SAYS(report, "80% of the growth is program code: what the runtime compiled and noted meanwhile; 20% hangs from one "
                 "place: global.app.state.sessions (Map).");
    free(report);
    holders[0].growth_bytes = 1000;
    report = sample_report("text", &diff, &wide);
    SAYS(report, "80% of the growth is program code: what the runtime compiled and noted meanwhile; nothing else grew "
                 "by more than noise.");
    free(report);
    diff.after.info.runtime = "Go";
    report = sample_report("text", &diff, &wide);
    SAYS(report, "80% of the growth is the runtime's own: what Go keeps of threads, and of goroutines that have ended; "
                 "nothing else grew by more than noise.");
    free(report);
}

/* An array of 16 KiB became one of 32 in a heap of 230: no leak, and no place to blame, as long as nothing came. */
Test(where, blames_nobody_for_an_array_that_doubled_while_few_objects_came)
{
    static hsd_type_growth doubled = {.new_ = {1, 32 * 1024}, .freed = {1, 16 * 1024}, .net_bytes = 16 * 1024};
    hsd_diff diff = grown();
    doubled.type = sample_text("Timer[]");
    types[0] = sample_type("Timer[]", 230 * 1024, 247 * 1024);
    sample_total(&diff);
    diff.total.before.objects = diff.total.after.objects = 2000;
    holders[0] = sample_holder("global.app", path, 3, 16 * 1024);
    holders[0].net_objects = 0;
    holders[0].types = &doubled;
    holders[0].type_count = 1;
    sample_hold(&diff, holders, 1);
    char *report = sample_report("text", &diff, &wide);
    SAYS(report,
         "16.0 KiB of that is one array that doubled while no objects came, in global.app.state.sessions (Map).");
    LACKS(report, "hangs from");
    LACKS(report, "WHAT KEEPS");
    free(report);
    diff.total.after.objects += 32; /* of 2,048 places that it got */
    report = sample_report("text", &diff, &wide);
    SAYS(report, "16.0 KiB of that is one array that doubled while the heap has 32 objects more, in "
                 "global.app.state.sessions (Map).");
    LACKS(report, "WHAT KEEPS");
    free(report);
    diff.total.after.objects++;
    report = sample_report("text", &diff, &wide);
    SAYS(report, "hangs from one place: global.app.state.sessions (Map).");
    HOLDS(report, "WHAT KEEPS");
    free(report);
    diff.total.after.objects -= 33;
    doubled.freed.objects = 0; /* it came to what there was */
    report = sample_report("text", &diff, &wide);
    SAYS(report, "hangs from one place: global.app.state.sessions (Map).");
    free(report);
}

Test(where, is_silent_when_nothing_changed)
{
    hsd_diff diff = grown();
    types[0] = sample_type("Session", MIB, MIB);
    sample_total(&diff);
    sample_hold(&diff, holders, 0);
    char *report = sample_report("text", &diff, &wide);
    HOLDS(report, "Nothing changed");
    LACKS(report, "one place");
    free(report);
}

/* ---- what is not known ---- */

Test(where, names_a_place_by_net_growth_where_objects_move)
{
    hsd_diff diff = grown();
    diff.identity_is_known = false;
    diff.before.info.identity = diff.after.info.identity = HSD_IDENTITY_MOVING;
    holders[0] = sample_holder("global.app", path, 3, GROWTH / 100 * 80);
    holders[0].new_ = (hsd_amount){0, 0};
    sample_hold(&diff, holders, 1);
    char *report = sample_report("text", &diff, &wide);
    SAYS(report, "80% of the growth hangs from one place: global.app.state.sessions (Map). Objects "
                 "move in this heap");
    LACKS(report, " new\n");
    free(report);
}

Test(where, names_no_place_in_a_partial_capture)
{
    hsd_diff diff = grown();
    diff.is_partial = true;
    diff.after.info.is_complete = false;
    diff.why_no_holders = sample_text("a part of a capture is missing");
    char *report = sample_report("text", &diff, &wide);
    LACKS(report, "one place");
    SAYS(report, "Holders are not known: a part of a capture is missing.");
    free(report);
}

Test(where, says_why_there_are_no_holders)
{
    hsd_diff diff = grown();
    diff.why_no_holders = sample_text("the captures carry no \x1b references");
    char *report = sample_report("text", &diff, &wide);
    SAYS(report, "All of the growth hangs from one place: global.app (+100.0 MiB).");
    SAYS(report, "Holders are not known: the captures carry no \\x1b references.");
    LACKS(report, "WHAT KEEPS");
    free(report);
    report = sample_report("text", &diff, &(hsd_report_options){.plain = true, .use_utf8 = true});
    HOLDS(report, "\nno-holders\tthe captures carry no \\x1b references\n");
    free(report);
    diff.is_summary = true;
    diff.identity_is_known = false;
    report = sample_report("text", &diff, &wide);
    LACKS(report, "Holders are not known"); /* that it is from totals alone was said */
    free(report);
}

/* ---- the shape ---- */

Test(where, cuts_a_very_long_path_on_a_terminal_and_nowhere_else)
{
    enum { STEPS = 64 };
    static hsd_step long_path[STEPS];
    static char edges[STEPS][64];
    hsd_diff diff = grown();
    for (size_t i = 0; i < STEPS; i++) {
        snprintf(edges[i], sizeof edges[i], ".a_rather_long_name_of_a_field_%zu", i);
        long_path[i] = sample_step(edges[i], "\xE6\x97\xA5\xE6\x9C\xAC"); /* two wide characters */
    }
    holders[0] = sample_holder("global.app", long_path, STEPS, GROWTH);
    sample_hold(&diff, holders, 1);
    const hsd_report_options terminal = {.use_utf8 = true, .width = 80};
    char *report = sample_report("text", &diff, &terminal);
    for (const char *line = report, *end; (end = strchr(line, '\n')); line = end + 1)
        cr_expect(hsd_width_of_text(line, (size_t)(end - line)) <= 80, "%.*s", (int)(end - line), line);
    HOLDS(report, "\xE2\x80\xA6"); /* the middle is cut, both ends are there */
    HOLDS(report, "_63\n(\xE6\x97\xA5\xE6\x9C\xAC).\n");
    HOLDS(report, "_63: \xE6\x97\xA5\xE6\x9C\xAC  ");
    free(report);
    report = sample_report("text", &diff, &wide);
    LACKS(report, "\xE2\x80\xA6");
    HOLDS(report, "_31.a_rather_long_name_of_a_field_32.");
    free(report);
}

Test(where, leaves_the_type_out_where_the_place_would_be_cut_for_it)
{
    hsd_step listeners[] = {
        sample_step(".bus.listeners_", "node of std::unordered_map<std::string, std::vector<int>>")};
    hsd_diff diff = grown();
    holders[0] = sample_holder("stack of application: run_application.application", listeners, 1, GROWTH);
    sample_hold(&diff, holders, 1);
    const hsd_report_options terminal = {.use_utf8 = true, .width = 80};
    char *report = sample_report("text", &diff, &terminal);
    HOLDS(report, "one place: stack of application:\nrun_application.application.bus.listeners_.\n");
    free(report);
}

Test(where, keeps_to_ascii_where_the_terminal_does)
{
    hsd_diff diff = grown();
    path[2] = sample_step(".\xE2\x80\xAEsessions", "M\xC3\xA4p");
    holders[0] = sample_holder("global.app", path, 3, GROWTH);
    sample_hold(&diff, holders, 1);
    const hsd_report_options ascii = {.width = 80};
    char *report = sample_report("text", &diff, &ascii);
    SAYS(report, "global.app.state.\\u202esessions (M\\u00e4p).");
    for (const char *c = report; *c; c++)
        cr_assert((unsigned char)*c < 0x80);
    free(report);
}

Test(where, breaks_up_commands_that_only_a_joint_would_make)
{
    hsd_diff diff = grown();
    path[0] = sample_step("#vso[x]", "T");
    holders[0] = sample_holder("global#", path, 1, GROWTH);
    sample_hold(&diff, holders, 1);
    char *report = sample_report("text", &diff, &wide);
    LACKS(report, "##");
    free(report);
}

/* ---- held together ---- */

#define TEXT(text) ((hsd_text){text, sizeof(text) - 1})

static const hsd_step maps[] = {{.edge = TEXT(""), .type = TEXT("Map"), .repeat = 1}};
static hsd_co_holder by[5];

/* A holder whose growth hangs from `count` places together; each alone holds so much. */
static hsd_holder together(size_t count, int64_t alone)
{
    static const hsd_text names[] = {TEXT("app.byId"), TEXT("app.byName"), TEXT("app.byAge"), TEXT("app.recent"),
                                     TEXT("app.last")};
    hsd_holder holder = sample_holder("timers.list", NULL, 0, GROWTH / 100 * 70);
    for (size_t i = 0; i < count; i++)
        by[i] = (hsd_co_holder){.type = TEXT("Map"),
                                .root = names[i],
                                .path = maps,
                                .path_count = 1,
                                .bytes = (uint64_t)GROWTH / 100 * 70,
                                .growth_bytes = alone};
    holder.by = by;
    holder.by_count = count;
    holder.by_bytes = (uint64_t)GROWTH / 100 * 70;
    return holder;
}

static char *report_of_together(const char *format, size_t count, int64_t alone)
{
    hsd_diff diff = grown();
    holders[0] = together(count, alone);
    sample_hold(&diff, holders, 1);
    return sample_report(format, &diff, &wide);
}

Test(where, names_those_that_hold_together)
{
    char *report = report_of_together("text", 2, 0);
    SAYS(report, "70% of the growth hangs from two places together: app.byId (Map) and app.byName (Map).");
    HOLDS(report, "app.byId: Map and app.byName: Map, together");
    LACKS(report, "timers.list");
    LACKS(report, "  by app.byId");
    free(report);
    report = report_of_together("text", 2, GROWTH / 100 * 15);
    SAYS(report,
         "All of the growth hangs from two places: app.byId (Map) and app.byName (Map), 70% from both together.");
    free(report);
}

Test(where, names_the_first_of_many_that_hold_together)
{
    char *report = report_of_together("text", 5, 0);
    SAYS(report, "70% of the growth hangs from 5 places together: app.byId (Map), app.byName (Map), app.byAge (Map) "
                 "and {2 more}.");
    HOLDS(report, "  by app.last: Map");
    free(report);
}

Test(where, names_fields_of_the_holder_that_hold_together)
{
    static const hsd_step fields[2][2] = {{{.edge = TEXT(""), .type = TEXT("Queue"), .repeat = 1},
                                           {.edge = TEXT(".head"), .type = TEXT("Node"), .repeat = 1}},
                                          {{.edge = TEXT(""), .type = TEXT("Queue"), .repeat = 1},
                                           {.edge = TEXT(".tail"), .type = TEXT("Node"), .repeat = 1}}};
    hsd_diff diff = grown();
    holders[0] = together(2, 0);
    holders[0].root = TEXT("static Shop.queue");
    holders[0].type = TEXT("Queue");
    holders[0].path = fields[0];
    holders[0].path_count = 1;
    for (size_t i = 0; i < 2; i++)
        by[i] = (hsd_co_holder){.type = TEXT("Node"),
                                .root = holders[0].root,
                                .path = fields[i],
                                .path_count = 2,
                                .bytes = i == 0 ? holders[0].by_bytes : holders[0].by_bytes / 2};
    sample_hold(&diff, holders, 1);
    char *report = sample_report("text", &diff, &wide);
    SAYS(report, "70% of the growth hangs from one place: static Shop.queue (Queue), by .head and .tail, together.");
    HOLDS(report, "  by static Shop.queue.tail: Node");
    HOLDS(report, "+35.0 MiB");
    free(report);
}

/* Modules that know each other: one has them in a list, and each leads to all. */
Test(where, names_one_of_many_that_lead_there_and_says_so)
{
    hsd_diff diff = grown();
    holders[0] = together(1, 0);
    sample_hold(&diff, holders, 1);
    char *report = sample_report("text", &diff, &wide);
    SAYS(report, "70% of the growth hangs from one place: app.byId (Map).");
    free(report);
    holders[0].is_reached_elsewhere = true;
    report = sample_report("text", &diff, &wide);
    SAYS(report, "70% of the growth hangs from app.byId (Map), and is reached from elsewhere, too.");
    free(report);
    report = sample_report("markdown", &diff, &wide);
    SAYS(report, "70% of the growth hangs from");
    SAYS(report, ", and is reached from elsewhere, too.");
    free(report);
    report = sample_report("json", &diff, &wide);
    HOLDS(report, "\"reached_elsewhere\": true");
    free(report);
}

Test(where, tells_other_formats_who_holds_together)
{
    char *report = report_of_together("json", 2, 0);
    HOLDS(report, "\"held_together_bytes\": 73400320, \"held_by\": [{\"type\": \"Map\", \"root\": \"app.byId\"");
    free(report);
    report = report_of_together("markdown", 2, 0);
    HOLDS(report, "app.byId: Map and app.byName: Map, together");
    free(report);
}

Test(where, says_who_allocated_what_only_a_librarys_variable_holds)
{
    static const hsd_growth_edge edge = {.type = TEXT("task of watch"), .depth = 1, .growth_bytes = GROWTH};
    static const hsd_site_frame frames[] = {
        {.function = TEXT("tokio::runtime::spawn"), .file = TEXT("<task.rs>"), .line = 3},
        {.function = TEXT("shop::accept"), .file = TEXT("/src/shop.rs"), .line = 12}};
    hsd_site_row site = {
        .frames = frames, .frame_count = 2, .change = {.before = {0, 0}, .after = {1000, GROWTH / 100 * 62}}};
    hsd_diff diff = grown();
    diff.has_sites = true;
    diff.sites = &site;
    diff.site_count = 1;
    holders[0] = sample_holder("thread-local tokio::runtime::context::CONTEXT", NULL, 0, GROWTH);
    holders[0].edges = &edge;
    holders[0].edge_count = 1;
    sample_hold(&diff, holders, 1);
    char *report = sample_report("text", &diff, &wide);
    SAYS(report, "All of the growth hangs from one place: thread-local tokio::runtime::context::CONTEXT -> task of "
                 "watch; 62% was allocated at shop::accept (shop.rs:12).");
    free(report);
    holders[0].root = TEXT("shop::SESSIONS");
    report = sample_report("text", &diff, &wide);
    SAYS(report, "All of the growth hangs from one place: shop::SESSIONS.");
    free(report);
}

/* The field that the place ends with is not said a second time. */
Test(where, says_once_which_field_of_a_threads_data_grew)
{
    static const hsd_growth_edge edge = {.edge = TEXT(".notes"),
                                         .type = TEXT("note"),
                                         .depth = 1,
                                         .before = {1, 64},
                                         .after = {1, 64},
                                         .new_ = {1, 64},
                                         .growth_bytes = GROWTH};
    static const hsd_site_frame frame = {.function = TEXT("log_note"), .file = TEXT("/src/shop.c"), .line = 12};
    const hsd_step steps[] = {sample_step("", "context")};
    hsd_site_row site = {.frames = &frame, .frame_count = 1, .change = {.before = {0, 0}, .after = {1000, GROWTH}}};
    hsd_diff diff = grown();
    diff.after.info.runtime = "native";
    diff.has_sites = true;
    diff.sites = &site;
    diff.site_count = 1;
    holders[0] = sample_holder("thread-locals of worker", steps, 1, GROWTH);
    holders[0].edges = &edge;
    holders[0].edge_count = 1;
    sample_hold(&diff, holders, 1);
    char *report = sample_report("text", &diff, &wide);
    SAYS(report, "hangs from one place: thread-locals of worker -> context.notes (note); it was allocated at log_note "
                 "(shop.c:12).");
    free(report);
}

/* A cache that was filled from elsewhere has what it had: the places of the program add up over the ways to them. */
Test(where, blames_no_place_that_another_way_leads_to)
{
    static const hsd_site_frame warm[] = {{.function = TEXT("get"), .file = TEXT("shop.c"), .line = 91},
                                          {.function = TEXT("warm_up"), .file = TEXT("shop.c"), .line = 7}};
    static const hsd_site_frame now[] = {{.function = TEXT("get"), .file = TEXT("shop.c"), .line = 91},
                                         {.function = TEXT("serve"), .file = TEXT("shop.c"), .line = 9}};
    static const hsd_site_frame retry[] = {{.function = TEXT("add_retry"), .file = TEXT("shop.c"), .line = 13}};
    hsd_site_row sites[] = {
        {.frames = now, .frame_count = 2, .change = {.before = {0, 0}, .after = {1000, GROWTH / 100 * 70}}},
        {.frames = retry, .frame_count = 1, .change = {.before = {0, 0}, .after = {100, GROWTH / 100 * 60}}},
        {.frames = warm, .frame_count = 2, .change = {.before = {1000, GROWTH / 100 * 70}, .after = {0, 0}}}};
    hsd_diff diff = grown();
    diff.has_sites = true;
    diff.sites = sites;
    diff.site_count = 3;
    holders[0] = sample_holder("(data of libglib-2.0.so.0)", NULL, 0, GROWTH);
    sample_hold(&diff, holders, 1);
    char *report = sample_report("text", &diff, &wide);
    SAYS(report, "hangs from one place: (data of libglib-2.0.so.0); 60% was allocated at add_retry (shop.c:13).");
    free(report);
    holders[0].root = TEXT("(dynamic loader)"); /* threads that ended and are not joined: who began them */
    report = sample_report("text", &diff, &wide);
    SAYS(report, "hangs from one place: (dynamic loader); 60% was allocated at add_retry (shop.c:13).");
    free(report);
}

Test(where, tells_of_threads_of_a_pool)
{
    hsd_diff diff = grown();
    holders[0] = sample_holder("thread \"work-*\"", path, 3, GROWTH / 100 * 60);
    holders[0].thread_count = 4;
    sample_hold(&diff, holders, 1);
    char *report = sample_report("text", &diff, &wide);
    HOLDS(report, "thread \"work-*\".state.sessions: Map, in 4 threads");
    free(report);
    report = sample_report("json", &diff, &wide);
    HOLDS(report, "\"threads\": 4");
    free(report);
}

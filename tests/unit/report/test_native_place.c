/* How the sentence about the place calls places of native heaps, by names that a programmer knows. */
#include <criterion/criterion.h>
#include <hscapture/hscapture.h>
#include <stdlib.h>

#include "unit/report/sample.h"
#include "unit/report/says.h"

static const hsd_report_options wide = {.use_utf8 = true};

static hsd_type_row types[1];
static hsd_root_row roots[1];
static hsd_holder holders[3];

#define GROWTH     ((int64_t)(100 * MIB))
#define TEXT(text) ((hsd_text){text, sizeof(text) - 1})

/* A heap that grew by 100 MiB. */
static hsd_diff grown(void)
{
    types[0] = sample_type("session", 100 * MIB, 200 * MIB);
    roots[0] = sample_root("server", 100 * MIB, 200 * MIB);
    return sample_diff(types, 1, roots, 1);
}

/* A report of a native heap, whose one holder has all of the growth. */
static char *report_of_native(const hsd_holder *holder)
{
    hsd_diff diff = grown();
    diff.after.info.runtime = "native";
    holders[0] = *holder;
    sample_hold(&diff, holders, 1);
    return sample_report("text", &diff, &wide);
}

/* Nobody knows sqlite's structures by their offsets. The table has the whole way. */
Test(native_place, ends_the_place_where_members_of_native_blocks_have_no_names)
{
    const hsd_step unnamed[] = {sample_step("", "<=704 B at openDatabase"), sample_step(".+704", "<=64 B at open"),
                                sample_step(".+16", "<=192 B at create")};
    const hsd_step named[] = {sample_step("", "app"), sample_step(".+16", "<=64 B at open"),
                              sample_step(".rows", "row")};
    hsd_holder holder = sample_holder("db", unnamed, 3, GROWTH);
    char *report = report_of_native(&holder);
    SAYS(report, "All of the growth hangs from one place: db.");
    HOLDS(report, "db.+704.+16: <=192 B at create");
    free(report);
    const hsd_step beside[] = {sample_step("", "<=704 B at openDatabase"), sample_step(".+8", "<=64 B at open")};
    hsd_diff several = grown();
    several.after.info.runtime = "native";
    holders[0] = sample_holder("db", unnamed, 3, GROWTH / 100 * 46);
    holders[1] = sample_holder("db", beside, 2, GROWTH / 100 * 44);
    holders[2] = sample_holder("cache", beside, 2, GROWTH / 100 * 10);
    sample_hold(&several, holders, 3);
    report = sample_report("text", &several, &wide);
    SAYS(report, "90% of the growth hangs from one place: db.");
    free(report);
    holder = sample_holder("db", named, 3, GROWTH);
    report = report_of_native(&holder);
    SAYS(report, "All of the growth hangs from one place: db.+16.rows (row).");
    free(report);
    hsd_diff diff = grown(); /* in a heap of another runtime ".+16" is a name */
    holders[0] = sample_holder("db", unnamed, 3, GROWTH);
    sample_hold(&diff, holders, 1);
    report = sample_report("text", &diff, &wide);
    SAYS(report, "db.+704.+16 (<=192 B at create).");
    free(report);
}

/* `main.boxes` would be a variable of main: where none is known it is told of what the member is. */
Test(native_place, tells_what_a_frame_without_a_variable_leads_to)
{
    const hsd_step steps[] = {sample_step("", "Broker"), sample_step(".boxes", "box")};
    const hsd_step unnamed[] = {sample_step("", "<=40 B at open"), sample_step(".boxes", "box")};
    static const struct {
        const char *root, *said;
        bool has_type;
    } cases[] = {{"stack of shop: main", "place: stack of shop: main -> Broker.boxes (box).", true},
                 {"stack of shop", "place: stack of shop -> Broker.boxes (box).", true},
                 {"thread-locals of shop", "place: thread-locals of shop -> Broker.boxes (box)", true},
                 {"stack of shop: main.broker", "place: stack of shop: main.broker.boxes (box).", true},
                 {"stack of shop: Broker::run", "place: stack of shop: Broker::run.boxes (box).", true},
                 {"stack of shop: main", "place: stack of shop: main.boxes (box).", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hsd_holder holder = sample_holder(cases[i].root, cases[i].has_type ? steps : unnamed, 2, GROWTH);
        char *report = report_of_native(&holder);
        SAYS(report, cases[i].said);
        free(report);
    }
}

/* The array of a vector is a part of who has the vector, and the vector has a name. */
Test(native_place, goes_on_to_the_one_array_of_a_native_object)
{
    const hsd_step to_object[] = {sample_step("", "Scheduler")};
    hsd_growth_edge edges[] = {{.edge = TEXT(".events"),
                                .type = TEXT("Event*[]"),
                                .depth = 1,
                                .before = {1, 800},
                                .after = {1, 1600},
                                .growth_bytes = GROWTH / 100 * 97},
                               {.edge = TEXT("[*]"), .type = TEXT("Event"), .depth = 2, .growth_bytes = GROWTH / 2}};
    hsd_holder holder = sample_holder("scheduler", to_object, 1, GROWTH);
    holder.edges = edges;
    holder.edge_count = 2;
    char *report = report_of_native(&holder);
    SAYS(report, "All of the growth hangs from one place: scheduler.events (Event*[]).");
    free(report);
    edges[0].growth_bytes = GROWTH / 100 * 90; /* something else grew, too */
    report = report_of_native(&holder);
    SAYS(report, "All of the growth hangs from one place: scheduler (Scheduler).");
    free(report);
    edges[0].growth_bytes = GROWTH;
    edges[0].before.objects = 0; /* a larger one of another class of sizes */
    edges[0].type = TEXT("<=65536 B at grow");
    report = report_of_native(&holder);
    SAYS(report, "All of the growth hangs from one place: scheduler.events.");
    free(report);
    edges[0].after.objects = 2;
    report = report_of_native(&holder);
    SAYS(report, "All of the growth hangs from one place: scheduler (Scheduler).");
    free(report);
}

/* Each shard has a twentieth, which alone is not worth a word. */
Test(native_place, calls_many_parts_of_one_field_one_place)
{
    enum { SHARDS = 20 };
    static hsd_holder shards[SHARDS];
    const hsd_step way[] = {sample_step("", "Api"), sample_step(".shards_[*].map", "node")};
    hsd_co_holder by = {.type = TEXT("node"), .root = TEXT("api"), .path = way, .path_count = 2};
    hsd_diff diff = grown();
    for (size_t i = 0; i < SHARDS; i++) {
        shards[i] = sample_holder("api", way, 1, GROWTH / SHARDS);
        shards[i].by = &by;
        shards[i].by_count = 1;
    }
    diff.after.info.runtime = "native";
    sample_hold(&diff, shards, SHARDS);
    char *report = sample_report("text", &diff, &wide);
    SAYS(report, "All of the growth hangs from one place: api (Api), by .shards_[*].map.");
    free(report);
}

Test(native_place, calls_members_of_one_native_variable_one_place)
{
    static const char *const roots_of[][2] = {{"server.sessions.tqh_first", "server.sessions.tqh_last"},
                                              {"server.sessions", "server_log.lines"}};
    const hsd_step to_list[] = {sample_step("", "session")};
    for (int i = 0; i < 2; i++) {
        hsd_co_holder by[2];
        hsd_holder holder = sample_holder("other.list", NULL, 0, GROWTH / 100 * 70);
        holder.by = by;
        holder.by_count = 2;
        holder.by_bytes = (uint64_t)GROWTH / 100 * 70;
        for (int n = 0; n < 2; n++)
            by[n] = (hsd_co_holder){.type = TEXT("session"),
                                    .root = {roots_of[i][n], strlen(roots_of[i][n])},
                                    .path = to_list,
                                    .path_count = 1,
                                    .bytes = holder.by_bytes};
        char *report = report_of_native(&holder);
        SAYS(report,
             i == 0 ? "70% of the growth hangs from one place: server.sessions, by .tqh_first and .tqh_last, together."
                    : "70% of the growth hangs from two places together: server.sessions (session) and "
                      "server_log.lines (session).");
        free(report);
    }
}

/* Both ends of a list whose head is a structure are one member. */
Test(native_place, calls_both_ends_of_a_list_in_a_structure_one_member)
{
    static const struct {
        const char *roots[4], *said;
    } cases[] = {{{"queue (a.c)", "queue (a.cc)", "queue (a.cpp)", "queue (a.m)"}, "places together: queue (a.c)"},
                 {{"srv.age.prev", "srv.clients.prev", "srv.age.next", "srv.clients.next"},
                  "place: srv, by .age and .clients, together."},
                 {{"srv.by.name.first", "srv.by.name.last", "srv.ready", "srv.by.number"},
                  "place: srv, by .by.name, .ready and .by.number, together."},
                 {{"srv.first", "srv.last", "srv.kept", "srv.lost"},
                  "place: srv, by .first, .last, .kept and .lost, together."}};
    const hsd_step to_list[] = {sample_step("", "client")};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hsd_co_holder by[4];
        hsd_holder holder = sample_holder("other.list", NULL, 0, GROWTH);
        holder.by = by;
        holder.by_count = 4;
        holder.by_bytes = (uint64_t)GROWTH;
        for (int n = 0; n < 4; n++)
            by[n] = (hsd_co_holder){.type = TEXT("client"),
                                    .root = {cases[i].roots[n], strlen(cases[i].roots[n])},
                                    .path = to_list,
                                    .path_count = 1,
                                    .bytes = holder.by_bytes};
        char *report = report_of_native(&holder);
        SAYS(report, cases[i].said);
        free(report);
    }
}

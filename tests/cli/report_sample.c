/*
 * Prints reports of hand-built diffs, for tests that read them with other programs or compare them with
 * files. usage: report_sample names FORMAT [plain | holders | tree] < NAMES     types, roots, holders and paths with
 * the names that standard input gives, each after its length in four little-endian bytes
 *               report_sample SCREEN WIDTH                     a screen of the manual
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/report/sample.h"

static hsd_status to_stdout(void *context, const void *data, size_t size, hsd_error *err)
{
    (void)context;
    return fwrite(data, 1, size, stdout) == size ? HSD_OK : hsd_fail(err, HSD_E_IO, "cannot write");
}

static int print(const hsd_diff *diff, const char *format, const hsd_report_options *options)
{
    const hsd_report_format *report = hsd_report_format_find(format);
    hsd_error err;
    if (!report) return 2;
    hsd_error_init(&err);
    return report->write_diff(diff, options, to_stdout, NULL, &err) == HSD_OK && fflush(stdout) == 0 ? 0 : 4;
}

/* ---- names ---- */

static size_t read_names(hsd_type_row *rows, hsd_root_row *roots, size_t capacity)
{
    unsigned char head[4];
    size_t count = 0;
    while (count < capacity && fread(head, 1, 4, stdin) == 4) {
        const size_t size = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
        char *name = malloc(size + 1);
        if (!name || fread(name, 1, size, stdin) != size) exit(2);
        name[size] = 0;
        rows[count] = sample_type("", 1000 * (count + 1), 3000 * (count + 1));
        roots[count] = sample_root("", 1000 * (count + 1), 3000 * (count + 1));
        rows[count].name = roots[count].name = (hsd_text){name, size};
        count++;
    }
    return count;
}

enum { NAMES_MAX = 1000 };

/* Each name as root, edge and type of a holder, of what hangs below it, and of a row of the tree. */
static void hold_names(hsd_diff *diff, const hsd_type_row *rows, size_t count)
{
    static hsd_holder places[NAMES_MAX];
    static hsd_step steps[NAMES_MAX];
    static hsd_growth_edge edges[NAMES_MAX];
    static hsd_type_growth growths[NAMES_MAX];
    static hsd_tree_row tree[NAMES_MAX + 1];
    for (size_t i = 0; i < count; i++) {
        const hsd_text name = rows[i].name;
        steps[i] = (hsd_step){.edge = name, .type = name, .repeat = 1};
        edges[i] = sample_edge(1, "", "", 1, 2, 100);
        edges[i].edge = edges[i].type = name;
        growths[i] = (hsd_type_growth){.type = name, .net_objects = 1, .net_bytes = 100};
        places[i] = sample_holder("", &steps[i], 1, (int64_t)(2000 * (i + 1)));
        places[i].root = name;
        places[i].edges = &edges[i];
        places[i].types = &growths[i];
        places[i].edge_count = places[i].type_count = 1;
        tree[i + 1] = (hsd_tree_row){.depth = 1, .edge = name, .type = name, .after = {1, 2000 * (i + 1)}};
    }
    tree[0].after = diff->total.after;
    sample_hold(diff, places, count);
    diff->tree = tree;
    diff->tree_count = count + 1;
}

static int print_names(const char *format, const char *what)
{
    static hsd_type_row rows[NAMES_MAX];
    static hsd_root_row roots[NAMES_MAX];
    const size_t count = read_names(rows, roots, NAMES_MAX);
    hsd_diff diff = sample_diff(rows, count, roots, count);
    const hsd_report_options options = {.top = HSD_TOP_ALL,
                                        .use_utf8 = true,
                                        .plain = strcmp(what, "plain") == 0,
                                        .tree = true,
                                        .table = strcmp(what, "holders") == 0 ? HSD_TABLE_HOLDERS
                                                 : strcmp(what, "tree") == 0  ? HSD_TABLE_TREE
                                                                              : HSD_TABLE_TYPES,
                                        .before_command = "before.hs",
                                        .after_command = "after.hs"};
    hsd_text warning = rows[1].name;
    diff.before.info.process_name = diff.after.info.process_name = rows[1].name.data; /* free text too */
    diff.before.info.path = diff.after.info.runtime = rows[2].name.data;
    diff.warnings = &warning;
    diff.warning_count = 1;
    hold_names(&diff, rows, count);
    return print(&diff, format, &options);
}

/* ---- screens ---- */

static hsd_diff shop(void)
{
    static hsd_type_row types[8];
    static hsd_root_row roots[3];
    types[0] = sample_type("Session", 39950746, 171861606);
    types[1] = sample_type("Buffer", 101082726, 179306496);
    types[2] = sample_type("string", 148792934, 197866291);
    types[3] = sample_type("com.shop.cache.Entry<java.lang.String,com.shop.Session>", 5976883, 25794970);
    types[4] = sample_type("AuditEvent", 0, 2202010);
    types[5] = sample_type("com.shop.cache.Entry<java.lang.String,com.shop.Cart>", 15976883, 6644736);
    types[6] = sample_type("com.shop.Session[]", 400016, 465552);
    types[7] = sample_type("com.shop.Config", 4096, 4096);
    roots[0] = sample_root("global.sessions", 120000000, 367463936);
    roots[1] = sample_root("static com.shop.Audit.log", 0, 2202010);
    roots[2] = sample_root("(shared)", 192184284, 214479811);
    hsd_diff diff = sample_diff(types, 8, roots, 3);
    diff.unreached_before = (hsd_amount){1200, 60000};
    diff.unreached_after = (hsd_amount){12000, 3145728};
    return diff;
}

/* ---- screens with holders ---- */

static hsd_step sessions_path[] = {{.repeat = 1}, {.repeat = 1}, {.repeat = 1}, {.repeat = 1}};
static hsd_step list_path[] = {{.repeat = 1}, {.repeat = 1}};

static void make_paths(void)
{
    sessions_path[0] = sample_step("", "Application");
    sessions_path[1] = sample_step(".state", "Object");
    sessions_path[2] = sample_step(".sessions", "com.shop.SessionCache");
    list_path[0] = sample_step("", "com.shop.Audit$Log");
    list_path[1] = sample_step(".events", "java.util.ArrayList");
}

static void hold(hsd_diff *diff)
{
    static hsd_holder holders[4];
    static hsd_growth_edge edges[5], events[1];
    static hsd_type_growth growths[1];
    const int64_t mib = (int64_t)MIB;
    make_paths();
    edges[0] = sample_edge(1, ".entries", "com.shop.cache.Entry<java.lang.String,com.shop.Session>[]", 1, 1, 236 * mib);
    edges[1] =
        sample_edge(2, "[*]", "com.shop.cache.Entry<java.lang.String,com.shop.Session>", 124846, 537156, 235 * mib);
    edges[2] = sample_edge(3, ".value", "Session", 124846, 537156, 216 * mib);
    edges[3] = sample_edge(4, ".buf", "Buffer", 62423, 268578, 74 * mib);
    edges[4] = sample_edge(3, ".key", "string", 124846, 124900, 19 * mib);
    edges[1].new_.objects = edges[2].new_.objects = 412400;
    edges[1].freed.objects = edges[2].freed.objects = 90;
    events[0] = sample_edge(1, "[*]", "AuditEvent", 0, 8804, 20 * mib);
    holders[0] = sample_holder("global.app", sessions_path, 3, 236 * mib);
    holders[0].edges = edges;
    holders[0].edge_count = 5;
    growths[0] = (hsd_type_growth){.type = diff->types[0].name, .net_bytes = 216 * mib};
    holders[0].types = growths;
    holders[0].type_count = 1;
    holders[1] = sample_holder("static com.shop.Audit.log", list_path, 2, 21 * mib);
    holders[1].edges = events;
    holders[1].edge_count = 1;
    holders[2] = sample_holder("global.pages", NULL, 0, mib / 2);
    holders[3] = sample_holder("(roots)", NULL, 0, 1000);
    sample_hold(diff, holders, 4);
    diff->other_holder_count = 1200;
    diff->other_holders =
        (hsd_holder){.growth_bytes = hsd_change_bytes(&diff->total) - 257 * mib - mib / 2 - 1000, .net_objects = 412};
}

static hsd_diff holders(void)
{
    hsd_diff diff = shop();
    hold(&diff);
    diff.before.soft = (hsd_amount){1200, 60000};
    diff.after.soft = (hsd_amount){4200, 3145728};
    return diff;
}

/* Many places, each with little of it. */
static hsd_diff scattered(void)
{
    static hsd_holder places[6];
    hsd_diff diff = shop();
    for (size_t i = 0; i < 6; i++)
        places[i] = sample_holder(i % 2 ? "global.a" : "global.b", NULL, 0, (int64_t)(6 * MIB));
    sample_hold(&diff, places, 6);
    diff.other_holder_count = 1198;
    diff.other_holders.growth_bytes = hsd_change_bytes(&diff.total) - (int64_t)(36 * MIB);
    return diff;
}

/* The heap shrank, and one place grew. */
static hsd_diff shrunk(void)
{
    static hsd_type_row types[2];
    static hsd_holder one[1];
    types[0] = sample_type("Buffer", 200 * MIB, 20 * MIB);
    types[1] = sample_type("Session", MIB, 21 * MIB);
    hsd_diff diff = sample_diff(types, 2, NULL, 0);
    make_paths();
    one[0] = sample_holder("global.app", sessions_path, 3, (int64_t)(20 * MIB));
    sample_hold(&diff, one, 1);
    diff.other_holder_count = 1;
    diff.other_holders.growth_bytes = -(int64_t)(180 * MIB);
    return diff;
}

/* The graph did not fit. */
static hsd_diff roots(void)
{
    hsd_diff diff = shop();
    diff.why_no_holders = sample_text("--memory 64 MiB is too small to find dominators; 212 MiB suffice");
    return diff;
}

static hsd_diff tree(void)
{
    static hsd_tree_row rows[5];
    hsd_diff diff = holders();
    rows[0] = (hsd_tree_row){.before = diff.total.before, .after = diff.total.after};
    rows[1] = (hsd_tree_row){.depth = 1,
                             .is_root = true,
                             .type = sample_text("global.app"),
                             .before = {1200000, 120000000},
                             .after = {3674639, 367463936}};
    rows[2] = (hsd_tree_row){.depth = 2,
                             .parent = 1,
                             .type = sample_text("Application"),
                             .before = {1200000, 120000000},
                             .after = {3674639, 367463936}};
    rows[3] = (hsd_tree_row){.depth = 3,
                             .parent = 2,
                             .edge = sample_text(".state"),
                             .type = sample_text("Object"),
                             .before = {1100000, 110000000},
                             .after = {3600000, 360000000}};
    rows[4] = (hsd_tree_row){.depth = 1,
                             .is_root = true,
                             .type = sample_text("static com.shop.Config.it"),
                             .before = {40, 4096},
                             .after = {40, 4096}};
    diff.tree = rows;
    diff.tree_count = 5;
    return diff;
}

static hsd_diff moving(void)
{
    hsd_diff diff = shop();
    diff.identity_is_known = false;
    diff.before.info.identity = diff.after.info.identity = HSD_IDENTITY_MOVING;
    memset(diff.before.info.domain, 0, 16);
    diff.before.info.runtime = diff.after.info.runtime = "HotSpot 17.0.13";
    diff.before.info.path = "a.hprof";
    diff.after.info.path = "b.hprof";
    return diff;
}

static hsd_diff moving_holders(void)
{
    hsd_diff diff = moving();
    hold(&diff);
    for (size_t i = 0; i < diff.holder_count; i++)
        diff.holders[i].new_ = diff.holders[i].freed = (hsd_amount){0, 0};
    return diff;
}

/* Every rung of the structure gave something. */
static hsd_diff structure(void)
{
    static hsd_text warnings[1];
    hsd_diff diff = moving();
    hold(&diff);
    diff.identity_is_known = diff.is_by_structure = true;
    diff.after.info.runtime = "HotSpot 21.0.5";
    diff.match_reason = sample_text("the collector moves objects, so their addresses say nothing across captures");
    diff.match = (hsd_match){.structure = 3014812, .unmatched_before = 204, .unmatched_after = 1784377};
    for (int rung = HSD_MATCH_KEY; rung < HSD_MATCH_RUNG_COUNT; rung++)
        diff.match.rungs[rung] = (hsd_amount){(uint64_t)rung * 50211, (uint64_t)rung * 1000000};
    sample_add(&diff.match.weak, diff.match.rungs[HSD_MATCH_CHANGED]);
    sample_add(&diff.match.weak, diff.match.rungs[HSD_MATCH_TWINS]);
    diff.match.ambiguous = 20412;
    warnings[0] = sample_text("the runtimes differ (HotSpot 17.0.13, HotSpot 21.0.5): what one lays "
                              "out or names in another way counts as growth");
    diff.warnings = warnings;
    diff.warning_count = 1;
    return diff;
}

/* Addresses that were used again. */
static hsd_diff address(void)
{
    hsd_diff diff = shop();
    diff.before.info.identity = diff.after.info.identity = HSD_IDENTITY_ADDRESS;
    diff.match.address = diff.match.exact;
    diff.match.exact = 0;
    diff.match.rungs[HSD_MATCH_ADDRESS] = (hsd_amount){diff.match.address, 300000000};
    diff.match.reused = 3400;
    diff.match.reuse_estimate = 120;
    return diff;
}

static hsd_diff partial(void)
{
    static hsd_text warnings[1];
    hsd_diff diff = shop();
    warnings[0] = sample_text("after.hs is incomplete (capture killed): numbers are lower bounds");
    diff.is_partial = true;
    diff.why_no_holders = sample_text("a part of a capture is missing");
    diff.after.info.is_complete = false;
    diff.after.info.incomplete_reason = "capture killed";
    diff.warnings = warnings;
    diff.warning_count = 1;
    return diff;
}

static hsd_diff summary(void)
{
    hsd_diff diff = moving();
    diff.is_summary = true;
    diff.root_count = 0;
    diff.unreached_before = diff.unreached_after = (hsd_amount){0, 0};
    return diff;
}

static hsd_diff same(void)
{
    static hsd_type_row types[1];
    types[0] = sample_type("Session", 39950746, 39950746);
    return sample_diff(types, 1, NULL, 0);
}

static const struct {
    const char *name;
    hsd_diff (*make)(void);
} screens[] = {
    {"shop", shop},
    {"moving", moving},
    {"partial", partial},
    {"summary", summary},
    {"same", same},
    {"holders", holders},
    {"scattered", scattered},
    {"shrunk", shrunk},
    {"roots", roots},
    {"tree", tree},
    {"moving-holders", moving_holders},
    {"moving-structure", structure},
    {"address", address},
};

static int print_screen(const char *name, unsigned width)
{
    const bool is_foreign = strncmp(name, "moving", strlen("moving")) == 0;
    const hsd_report_options options = {.width = width,
                                        .use_utf8 = true,
                                        .tree = strcmp(name, "tree") == 0,
                                        .before_command = is_foreign ? "a.hprof" : "before.hs",
                                        .after_command = is_foreign ? "b.hprof" : "after.hs",
                                        .before_is_foreign = is_foreign,
                                        .after_is_foreign = is_foreign};
    for (size_t i = 0; i < sizeof screens / sizeof screens[0]; i++) {
        if (strcmp(screens[i].name, name) != 0) continue;
        const hsd_diff diff = screens[i].make();
        return print(&diff, "text", &options);
    }
    return 2;
}

int main(int argc, char **argv)
{
    if (argc >= 3 && strcmp(argv[1], "names") == 0) return print_names(argv[2], argc > 3 ? argv[3] : "");
    return argc == 3 ? print_screen(argv[1], (unsigned)strtoul(argv[2], NULL, 10)) : 2;
}

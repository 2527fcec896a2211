/*
 * WHAT KEEPS IT ALIVE and GROWTH BY PATH: which holders and which references are shown, what their rows say, and the
 * same as CSV and as plain records.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "unit/report/sample.h"
#include "unit/report/says.h"

static const hsd_report_options wide = {.use_utf8 = true};

static hsd_type_row types[2];
static hsd_root_row roots[1];
static hsd_holder holders[8];
static hsd_step path[2];
static hsd_growth_edge edges[32];
static hsd_type_growth growths[1];

#define GROWTH ((int64_t)(100 * MIB))

static hsd_diff grown(size_t holder_count)
{
    types[0] = sample_type("Session", 100 * MIB, 200 * MIB);
    roots[0] = sample_root("global.app", 100 * MIB, 200 * MIB);
    path[0] = sample_step("", "Object");
    path[1] = sample_step(".sessions", "Map");
    hsd_diff diff = sample_diff(types, 1, roots, 1);
    for (size_t i = 0; i < 8; i++)
        holders[i] = sample_holder(i == 0 ? "global.app" : "global.more", path, i == 0 ? 2 : 0,
                                   GROWTH / 100 * (i == 0 ? 70 : 6));
    sample_hold(&diff, holders, holder_count);
    return diff;
}

static char *text_with(const hsd_growth_edge *some, size_t count)
{
    hsd_diff diff = grown(1);
    holders[0].edges = some;
    holders[0].edge_count = count;
    return sample_report("text", &diff, &wide);
}

static size_t count_of(const char *report, const char *text)
{
    size_t count = 0;
    for (const char *at = report; (at = strstr(at, text)); at++)
        count++;
    return count;
}

Test(holders, that_hold_little_have_some_of_the_growth)
{
    hsd_diff diff = grown(2);
    holders[1].growth_bytes = GROWTH / 250;
    char *report = sample_report("html", &diff, &wide);
    HOLDS(report, "</span>, 70% of the growth");
    HOLDS(report, "</span>, under 1% of the growth");
    free(report);
}

Test(holders, show_three_that_matter)
{
    hsd_diff diff = grown(8);
    char *report = sample_report("text", &diff, &wide);
    HOLDS(report, "WHAT KEEPS IT ALIVE        OBJECTS     GROWTH  SHARE\n"
                  "global.app.sessions: Map  +734,003  +70.0 MiB    70%\n"
                  "global.more                +62,914  +6.00 MiB     6%\n"
                  "global.more                +62,914  +6.00 MiB     6%\n"
                  "5 other holders           +314,570  +30.0 MiB    30%\n");
    free(report);
    holders[2].growth_bytes = GROWTH / 1000 * 19;
    report = sample_report("text", &diff, &wide);
    cr_expect_eq(count_of(report, "\nglobal.more "), 1);
    HOLDS(report, "\n6 other holders ");
    free(report);
}

/* A table that was made anew: what it had hangs from elsewhere in part, and what came is no difference of two numbers.
 */
Test(holders, say_what_came_where_others_moved)
{
    edges[0] = sample_edge(1, "[*]", "Entry", 699, 885, GROWTH);
    edges[0].new_ = (hsd_amount){699, 699 * 150};
    edges[0].freed = (hsd_amount){0, 0};
    hsd_diff diff = grown(1);
    holders[0].edges = edges;
    holders[0].edge_count = 1;
    char *report = sample_report("text", &diff, &wide);
    HOLDS(report, "  699 new  +100.0 MiB\n");
    LACKS(report, "885");
    free(report);
    report = sample_report("html", &diff, &wide);
    HOLDS(report, ", 699 new");
    free(report);
    edges[0].after.objects = 699 + 699;
    report = sample_report("text", &diff, &wide);
    HOLDS(report, "  [*]: Entry    699 -> 1,398 items  ");
    free(report);
}

/* A container that has more items is no noise, small as it is: the large one may be a cache that is still filling. */
Test(holders, show_a_small_one_that_has_more_items)
{
    edges[0] = sample_edge(1, "[*]", "Entry", 1000, 1100, GROWTH / 100);
    hsd_diff diff = grown(3);
    for (size_t i = 1; i < 3; i++)
        holders[i].growth_bytes = GROWTH / 100;
    holders[1].edges = edges;
    holders[1].edge_count = 1;
    diff.other_holder_count = 7;
    char *report = sample_report("text", &diff, &wide);
    cr_expect_eq(count_of(report, "\nglobal.more "), 1);
    HOLDS(report, "  [*]: Entry  1,000 -> 1,100 items  +1.00 MiB\n");
    HOLDS(report, "\n8 other holders ");
    free(report);
    edges[0] = sample_edge(1, "[*]", "Entry", 1000, 1015, GROWTH / 100); /* some come and go anywhere */
    report = sample_report("text", &diff, &wide);
    LACKS(report, "global.more");
    free(report);
    edges[0] = sample_edge(2, "[*]", "Entry", 1000, 1100, GROWTH / 100); /* a map of lists */
    report = sample_report("text", &diff, &wide);
    cr_expect_eq(count_of(report, "\nglobal.more "), 1);
    free(report);
    holders[1].growth_bytes = GROWTH / 500;
    report = sample_report("text", &diff, &wide);
    LACKS(report, "global.more");
    free(report);
}

Test(holders, name_the_only_one_that_is_left)
{
    hsd_diff diff = grown(2);
    holders[1].growth_bytes = GROWTH / 100;
    char *report = sample_report("text", &diff, &wide);
    HOLDS(report, "\nglobal.more ");
    LACKS(report, "other holder");
    free(report);
    holders[1].growth_bytes = -5;
    report = sample_report("text", &diff, &wide);
    HOLDS(report, "\n1 other holder ");
    free(report);
}

Test(holders, show_a_small_leak_beside_a_cache_that_fills)
{
    hsd_diff diff = grown(2);
    edges[0] = sample_edge(1, ".entries", "Entry[]", 1, 1, GROWTH / 100 * 3);
    edges[1] = sample_edge(2, "[*]", "Session", 124846, 537156, GROWTH / 100 * 3);
    edges[2] = sample_edge(3, ".buf", "Buffer", 500, 412810, GROWTH / 100 * 3);
    holders[0].growth_bytes = GROWTH / 100 * 97;
    holders[1].growth_bytes = GROWTH / 100 * 3;
    holders[1].edges = edges;
    holders[1].edge_count = 3;
    char *report = sample_report("text", &diff, &wide);
    HOLDS(report, "\nglobal.more ");
    HOLDS(report, "    [*]: Session ");
    LACKS(report, ".buf: Buffer");
    free(report);
}

Test(holders, show_as_many_as_top_says)
{
    hsd_diff diff = grown(8);
    holders[6].growth_bytes = 1000; /* noise */
    holders[7].growth_bytes = -5;
    diff.other_holder_count = 1;
    const hsd_report_options five = {.use_utf8 = true, .top = 5}, eight = {.use_utf8 = true, .top = 8},
                             all = {.use_utf8 = true, .top = HSD_TOP_ALL};
    char *report = sample_report("text", &diff, &five);
    cr_expect_eq(count_of(report, "\nglobal.more "), 4);
    free(report);
    report = sample_report("text", &diff, &eight);
    cr_expect_eq(count_of(report, "\nglobal.more "), 5);
    HOLDS(report, "\n3 other holders ");
    free(report);
    report = sample_report("text", &diff, &all);
    cr_expect_eq(count_of(report, "\nglobal.more "), 7);
    HOLDS(report, "   -5 B    <1%\n");
    HOLDS(report, "\n1 other holder ");
    free(report);
    holders[5] = sample_holder("global.idle", NULL, 0, 0); /* counted, not listed */
    report = sample_report("text", &diff, &all);
    LACKS(report, "global.idle");
    HOLDS(report, "\n2 other holders ");
    free(report);
}

Test(holders, show_through_which_references_they_grew)
{
    edges[0] = sample_edge(1, ".entries", "Entry[]", 1, 1, GROWTH / 100 * 70);
    edges[1] = sample_edge(2, "[*]", "Session", 124846, 537156, GROWTH / 100 * 60);
    edges[2] = sample_edge(3, ".buf", "Buffer", 500, 412810, GROWTH / 100 * 30);
    edges[3] = sample_edge(3, ".tags", "Tag", 700, 600, -GROWTH / 100 * 10);
    char *report = text_with(edges, 4);
    HOLDS(report, "  .entries: Entry[]                         +70.0 MiB\n"
                  "    [*]: Session  124,846 -> 537,156 items  +60.0 MiB\n"
                  "      .buf: Buffer             412,310 new  +30.0 MiB\n"
                  "      .tags: Tag                700 -> 600  -10.0 MiB\n");
    free(report);
}

Test(holders, count_what_came_where_single_objects_are_not_known)
{
    edges[0] = sample_edge(1, "[*].value", "Session", 124846, 537156, GROWTH / 100 * 70);
    edges[1] = sample_edge(2, ".buf", "Buffer", 500, 412810, GROWTH / 100 * 60);
    edges[2] = sample_edge(2, ".tags", "Tag", 700, 600, -GROWTH / 100 * 10);
    hsd_diff diff = grown(1);
    diff.identity_is_known = false;
    for (size_t i = 0; i < 3; i++)
        edges[i].new_ = edges[i].freed = (hsd_amount){0, 0};
    holders[0].edges = edges;
    holders[0].edge_count = 3;
    char *report = sample_report("text", &diff, &wide);
    HOLDS(report, "  [*].value: Session  124,846 -> 537,156 items  +70.0 MiB\n"
                  "    .buf: Buffer                      +412,310  +60.0 MiB\n"
                  "    .tags: Tag                            -100  -10.0 MiB\n");
    free(report);
}

Test(holders, say_what_stayed_as_many)
{
    edges[0] = sample_edge(1, "[*]", "Session", 1, 1, GROWTH / 100 * 70);
    edges[1] = sample_edge(2, "", "Buffer", 300, 300, GROWTH / 100 * 60);
    edges[2] = sample_edge(3, "[*]", "string", 0, 7, GROWTH / 100 * 50);
    edges[3] = sample_edge(1, ".head", "Node", 1, 1, GROWTH / 100 * 70); /* was put before the one of before */
    edges[3].new_ = (hsd_amount){1, 100};
    char *report = text_with(edges, 4);
    HOLDS(report, "\n  .head: Node                1 new  ");
    HOLDS(report, "\n  [*]: Session              1 item  ");
    HOLDS(report, "\n    -> Buffer          300 objects  ");
    HOLDS(report, "\n      [*]: string            7 new  ");
    free(report);
}

/* Of many, the heaviest with all above them; a deep tree is not indented out of sight. */
Test(holders, show_the_heaviest_references)
{
    for (uint32_t i = 0; i < 32; i++)
        edges[i] = sample_edge(i % 16 + 1, ".next", "Node", 0, 1, GROWTH / 100 * (i < 7 ? 60 : 2));
    char *report = text_with(edges, 32);
    cr_expect_eq(count_of(report, ".next: Node"), 7);
    free(report);
    hsd_diff diff = grown(1);
    holders[0].edges = edges;
    holders[0].edge_count = 32;
    const hsd_report_options all = {.use_utf8 = true, .top = HSD_TOP_ALL, .width = 80};
    report = sample_report("text", &diff, &all);
    cr_expect_eq(count_of(report, ".next: Node"), 32);
    HOLDS(report, "\n                        .next: Node  "); /* 12 levels and not more */
    free(report);
}

Test(holders, suggest_the_paths_to_what_grew_most)
{
    hsd_diff diff = grown(1);
    growths[0] = (hsd_type_growth){.type = sample_text("Map<K, V>[]"), .net_bytes = GROWTH};
    holders[0].types = growths;
    holders[0].type_count = 1;
    hsd_report_options options = {.use_utf8 = true, .before_command = "a.hs", .after_command = "it's b.hs"};
    char *report = sample_report("text", &diff, &options);
    HOLDS(report, "\n       hsdiff paths 'it'\\''s b.hs' 'Map<K, V>[]' ");
    free(report);
    growths[0].type = sample_text("com.example.with.a.rather.long.name.Session"); /* two lines */
    report = sample_report("text", &diff, &options);
    HOLDS(report, "\n       how these are reached\n       hsdiff paths 'it'\\''s b.hs' com.example.");
    free(report);
    options.after_command = "-"; /* was read */
    report = sample_report("text", &diff, &options);
    LACKS(report, "hsdiff paths");
    free(report);
    options.after_command = "b.hs";
    growths[0].type = sample_text("--help");
    report = sample_report("text", &diff, &options);
    LACKS(report, "hsdiff paths");
    free(report);
    growths[0].type = sample_text("T");
    holders[0].growth_bytes = 1000; /* noise */
    report = sample_report("text", &diff, &options);
    LACKS(report, "hsdiff paths");
    free(report);
    holders[0].growth_bytes = GROWTH;
    growths[0].net_bytes = -1;
    report = sample_report("text", &diff, &options);
    LACKS(report, "hsdiff paths");
    free(report);
}

Test(holders, tell_what_is_softly_held)
{
    hsd_diff diff = grown(1);
    char *report = sample_report("text", &diff, &wide);
    LACKS(report, "Softly");
    free(report);
    diff.after.soft = (hsd_amount){12000, 3 * MIB};
    report = sample_report("text", &diff, &wide);
    SAYS(report, "Softly held, counted: 0 -> 3.00 MiB (0 -> 12,000 objects), which the runtime "
                 "lets go when memory runs short.");
    free(report);
}

Test(holders, come_with_what_types_retain)
{
    hsd_diff diff = grown(1);
    types[0].retained_before = 110 * MIB;
    types[0].retained_after = 260 * MIB;
    const hsd_report_options options = {.use_utf8 = true, .sort_by = HSD_SORT_RETAINED};
    char *report = sample_report("text", &diff, &options);
    HOLDS(report, "    RETAINED\n");
    HOLDS(report, "      0  +150.0 MiB\n"); /* freed, retained */
    free(report);
    diff.has_holders = false;
    report = sample_report("text", &diff, &options);
    LACKS(report, "RETAINED");
    free(report);
}

/* ---- the tree ---- */

static hsd_tree_row tree[4];

static hsd_diff with_tree(void)
{
    hsd_diff diff = grown(1);
    tree[0] = (hsd_tree_row){.before = diff.total.before, .after = diff.total.after};
    tree[1] = (hsd_tree_row){.depth = 1,
                             .is_root = true,
                             .type = sample_text("global.app"),
                             .before = {10, 100 * MIB},
                             .after = {20, 199 * MIB}};
    tree[2] = (hsd_tree_row){.depth = 2,
                             .parent = 1,
                             .edge = sample_text(".map"),
                             .type = sample_text("Map"),
                             .own_after = {1, 64},
                             .before = {9, 90 * MIB},
                             .after = {19, 189 * MIB},
                             .new_ = {10, 99 * MIB}};
    tree[3] = (hsd_tree_row){.depth = 1, .type = sample_text("Odd"), .after = {1, 1000}};
    diff.tree = tree;
    diff.tree_count = 4;
    return diff;
}

Test(tree, shows_growth_by_path)
{
    hsd_diff diff = with_tree();
    hsd_report_options options = {.use_utf8 = true, .tree = true, .width = 80};
    char *report = sample_report("text", &diff, &options);
    HOLDS(report, "GROWTH BY PATH      GROWTH  SHARE     OBJECTS\n"
                  "█████████████▉   +99.0 MiB    99%         +10  global.app\n"
                  "█████████████▉   +99.0 MiB    99%         +10    .map: Map\n"
                  "                         0     0%           0  1 unchanged place\n"
                  "██████████████  +100.0 MiB   100%  +1,048,576  TOTAL\n");
    free(report);
    options.top = HSD_TOP_ALL;
    report = sample_report("text", &diff, &options);
    HOLDS(report, "  -> Odd\n");
    LACKS(report, "place\n");
    free(report);
    options.tree = false;
    report = sample_report("text", &diff, &options);
    LACKS(report, "BY PATH");
    free(report);
}

Test(tree, is_left_out_where_there_is_none)
{
    hsd_diff diff = with_tree();
    const hsd_report_options options = {.use_utf8 = true, .tree = true};
    diff.tree_count = 0;
    char *report = sample_report("text", &diff, &options);
    LACKS(report, "BY PATH");
    free(report);
    diff.tree_count = 1;
    report = sample_report("text", &diff, &options);
    LACKS(report, "BY PATH");
    free(report);
    diff.has_holders = false;
    report = sample_report("text", &diff, &options);
    LACKS(report, "BY PATH");
    free(report);
}

/* ---- for programs ---- */

Test(csv, holds_the_holders)
{
    hsd_diff diff = grown(2);
    hsd_report_options options = {.table = HSD_TABLE_HOLDERS};
    char *report = sample_report("csv", &diff, &options);
    HOLDS(report, "row,root,place,type,object,new_objects,new_bytes,freed_objects,freed_bytes,"
                  "net_objects,net_bytes,resized_bytes,growth_bytes,held_by\r\n"
                  "holder,global.app,global.app.sessions,Map,0x1f40,734003,73400320,0,0,734003,"
                  "73400320,0,73400320,\r\nholder,global.more,global.more,,,62914,");
    LACKS(report, "others");
    free(report);
    options.top = 1;
    diff.other_holder_count = 3;
    diff.other_holders = (hsd_holder){.growth_bytes = -7, .net_objects = -1, .net_bytes = -7};
    diff.identity_is_known = false;
    report = sample_report("csv", &diff, &options);
    HOLDS(report, "\r\nothers,,,,,,,,,62913,6291449,0,6291449,\r\n");
    free(report);
    diff.has_holders = false;
    diff.holder_count = diff.other_holder_count = 0;
    report = sample_report("csv", &diff, &options);
    LACKS(report, "holder,");
    free(report);
}

Test(csv, holds_the_tree)
{
    hsd_diff diff = with_tree();
    const hsd_report_options options = {.table = HSD_TABLE_TREE};
    char *report = sample_report("csv", &diff, &options);
    HOLDS(report, "row,number,depth,parent,edge,type,own_before_objects,own_before_bytes,");
    HOLDS(report, ",freed_objects,freed_bytes\r\ntotal,0,0,,,,0,0,");
    HOLDS(report, "\r\nroot,1,1,0,,global.app,0,0,");
    HOLDS(report, "\r\nplace,2,2,1,.map,Map,0,0,1,64,0,0,0,0,9,94371840,19,198180864,10,103809024,"
                  "0,0\r\n");
    free(report);
    diff.has_holders = false;
    report = sample_report("csv", &diff, &options);
    LACKS(report, "global.app");
    free(report);
}

Test(csv, tells_what_types_and_roots_retain)
{
    hsd_diff diff = grown(1);
    types[0].retained_before = 1;
    types[0].retained_after = 2;
    roots[0].retained_after = 3;
    char *report = sample_report("csv", &diff, &wide);
    HOLDS(report, ",retained_before_bytes,retained_after_bytes\r\n");
    HOLDS(report, ",0,0,0,0,0,1,2\r\n");
    free(report);
    const hsd_report_options options = {.table = HSD_TABLE_ROOTS};
    report = sample_report("csv", &diff, &options);
    HOLDS(report, ",0,0,3\r\n");
    free(report);
}

Test(plain, tells_the_depth_of_what_hangs_from_a_holder)
{
    hsd_diff diff = with_tree();
    holders[1] = sample_holder("(roots)", NULL, 0, -500);
    diff.holder_count = 2;
    edges[0] = sample_edge(1, "[*]", "Session", 10, 40, 3000);
    holders[0].edges = edges;
    holders[0].edge_count = 1;
    hsd_report_options options = {.use_utf8 = true, .plain = true, .tree = true};
    char *report = sample_report("text", &diff, &options);
    HOLDS(report, "\nholder\t0\tglobal.app.sessions\tMap\t73400320\t\t\t734003\t73400320\t734003\t0"
                  "\t0\nedge\t1\t[*]\tSession\t3000\t10\t40\t30\t3000\t30\t0\t0\n"
                  "holder\t0\t(roots)\t\t-500\t\t\t-5\t0\t0\t500\t5\n");
    HOLDS(report, "\ntree\t2\t.map\tMap\t94371840\t198180864\t9\t19\t103809024\t10\t0\t0\t103809024\t10\n");
    free(report);
    options.top = 1;
    diff.identity_is_known = false;
    report = sample_report("text", &diff, &options);
    HOLDS(report, "\nothers-holder\t0\t\t\t-500\t\t\t-5\t\t\t\t\n");
    free(report);
}

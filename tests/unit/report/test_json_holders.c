/*
 * Holders and the tree in JSON: the contract's fields, what is null, and sums that come out whatever --top cuts.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "unit/report/sample.h"
#include "unit/report/says.h"

static const hsd_report_options all = {.use_utf8 = true};

static hsd_type_row types[2];
static hsd_root_row roots[1];
static hsd_step path[2];
static hsd_holder holders[3];
static hsd_type_growth growths[2];
static hsd_growth_edge edges[2];

static hsd_diff sample(void)
{
    types[0] = sample_type("Session", 1000, 5000);
    types[0].retained_before = 1500;
    types[0].retained_after = 7500;
    roots[0] = sample_root("global.sessions", 1000, 5000);
    roots[0].retained_after = 4900;
    hsd_diff diff = sample_diff(types, 1, roots, 1);
    path[0] = sample_step("", "Object");
    path[1] = sample_step(".map", "Map");
    path[1].repeat = 2;
    holders[0] = sample_holder("global.sessions", path, 2, 3000);
    holders[1] = sample_holder("global.cache", NULL, 0, 1200);
    holders[2] = sample_holder("(roots)", NULL, 0, -200);
    growths[0] =
        (hsd_type_growth){.type = sample_text("Session"), .new_ = {30, 3000}, .net_objects = 30, .net_bytes = 3000};
    edges[0] = sample_edge(1, ".table", "Entry[]", 1, 1, 3000);
    edges[1] = sample_edge(2, "[*]", "Session", 10, 40, 3000);
    holders[0].types = growths;
    holders[0].type_count = 1;
    holders[0].edges = edges;
    holders[0].edge_count = 2;
    holders[0].path_cut = 9;
    sample_hold(&diff, holders, 3);
    diff.after.soft = (hsd_amount){3, 300};
    return diff;
}

Test(json_holders, name_objects_that_have_a_name)
{
    hsd_diff diff = sample();
    path[1].name = sample_text("com.x.Map");
    char *report = sample_report("json", &diff, &all);
    HOLDS(report, "{\"edge\": \".map\", \"type\": \"Map\", \"name\": \"com.x.Map\", \"repeat\": 2}]");
    free(report);
    path[1].name = (hsd_text){NULL, 0};
}

/* A program gets the same sentence from a terminal, however narrow and old that is. */
Test(json_holders, are_named_in_the_answer_whatever_the_terminal)
{
    hsd_diff diff = sample();
    const hsd_report_options narrow = {.width = 8};
    char *to_file = sample_report("json", &diff, &all), *to_terminal = sample_report("json", &diff, &narrow);
    HOLDS(to_file, "hangs from one place: global.sessions{9 more}.map{x2} (Map)");
    cr_expect_str_eq(to_terminal, to_file);
    free(to_file);
    free(to_terminal);
}

Test(json_holders, keep_the_contract)
{
    hsd_diff diff = sample();
    char *report = sample_report("json", &diff, &all);
    HOLDS(report, "{\"type\": \"Map\", \"object\": \"0x1f40\", \"root\": \"global.sessions\", "
                  "\"kind\": \"global\", \"path\": [{\"edge\": \"\", \"type\": \"Object\"}, "
                  "{\"edge\": \".map\", \"type\": \"Map\", \"repeat\": 2}], \"path_cut\": 9, "
                  "\"new\": {\"objects\": 30, \"bytes\": 3000}, \"freed\": {\"objects\": 0, "
                  "\"bytes\": 0}, \"net\": {\"objects\": 30, \"bytes\": 3000}, "
                  "\"resized_bytes\": 0, \"growth_bytes\": 3000, ");
    HOLDS(report, "\"types\": [{\"type\": \"Session\", \"objects\": 30, \"bytes\": 3000, "
                  "\"new\": {\"objects\": 30, \"bytes\": 3000}");
    HOLDS(report, "\"edges\": [{\"depth\": 1, \"edge\": \".table\", \"type\": \"Entry[]\", ");
    HOLDS(report, "{\"depth\": 2, \"edge\": \"[*]\", \"type\": \"Session\", \"before\": "
                  "{\"objects\": 10, \"bytes\": 1000}, \"after\": {\"objects\": 40, ");
    HOLDS(report, "{\"type\": null, \"object\": null, \"root\": \"global.cache\", \"kind\": "
                  "\"global\", \"path\": [], \"new\"");
    HOLDS(report, "\"root\": \"(roots)\", \"kind\": null, ");
    HOLDS(report, "\"net\": {\"objects\": -2, \"bytes\": -200}, \"resized_bytes\": 0, "
                  "\"growth_bytes\": -200, ");
    HOLDS(report, "\"retained\": {\"before\": 1500, \"after\": 7500}");
    HOLDS(report, "\"retained\": {\"before\": 0, \"after\": 4900}");
    HOLDS(report, "\"soft\": {\"objects\": 3, \"bytes\": 300}");
    LACKS(report, "why_no_holders");
    LACKS(report, "others");
    LACKS(report, "tree");
    free(report);
}

Test(json_holders, are_null_where_they_were_not_found)
{
    hsd_diff diff = sample();
    diff.has_holders = false;
    diff.holder_count = 0;
    diff.why_no_holders = sample_text("the captures carry no \"references\"");
    const hsd_report_options options = {.use_utf8 = true, .tree = true};
    char *report = sample_report("json", &diff, &options);
    HOLDS(report, "\"holders\": null,\n  \"why_no_holders\": \"the captures carry no "
                  "\\\"references\\\"\"");
    HOLDS(report, "\"retained\": null");
    HOLDS(report, "\"soft\": null");
    HOLDS(report, "\"tree\": null");
    free(report);
}

Test(json_holders, claim_nothing_that_is_not_known)
{
    hsd_diff diff = sample();
    diff.identity_is_known = false;
    char *report = sample_report("json", &diff, &all);
    HOLDS(report, "\"new\": null, \"freed\": null, \"net\": {\"objects\": 30, \"bytes\": 3000}");
    HOLDS(report, "\"objects\": 30, \"bytes\": 3000, \"new\": null, \"freed\": null}]");
    HOLDS(report, "\"new\": null, \"freed\": null, \"growth_bytes\": 3000}]");
    free(report);
}

/* Holders that are no rows of the result are told whether --top was given or not. */
Test(json_holders, add_up_with_the_rest)
{
    hsd_diff diff = sample();
    diff.other_holder_count = 1000;
    diff.other_holders = (hsd_holder){.new_ = {50, 500},
                                      .freed = {60, 700},
                                      .net_objects = -10,
                                      .net_bytes = -200,
                                      .resized_bytes = 7,
                                      .growth_bytes = -193};
    char *report = sample_report("json", &diff, &all);
    HOLDS(report, "\"others\": {\"holders\": {\"rows\": 1000, \"new\": {\"objects\": 50, "
                  "\"bytes\": 500}, \"freed\": {\"objects\": 60, \"bytes\": 700}, \"net\": "
                  "{\"objects\": -10, \"bytes\": -200}, \"resized_bytes\": 7, \"growth_bytes\": "
                  "-193}}");
    free(report);
    const hsd_report_options one = {.use_utf8 = true, .top = 1};
    report = sample_report("json", &diff, &one);
    HOLDS(report, "\"others\": {\"types\": {\"rows\": 0, ");
    HOLDS(report, "\"holders\": {\"rows\": 1002, \"new\": {\"objects\": 62, \"bytes\": 1700}, "
                  "\"freed\": {\"objects\": 62, \"bytes\": 900}, \"net\": {\"objects\": 0, "
                  "\"bytes\": 800}, \"resized_bytes\": 7, \"growth_bytes\": 807}}");
    LACKS(report, "(roots)");
    free(report);
}

Test(json_holders, come_with_the_tree_when_asked)
{
    hsd_diff diff = sample();
    hsd_tree_row tree[] = {{.type = sample_text("all"), .before = {1, 10}, .after = {4, 40}, .new_ = {3, 30}},
                           {.depth = 1, .is_root = true, .type = sample_text("global.sessions"), .after = {2, 20}},
                           {.depth = 2,
                            .parent = 1,
                            .edge = sample_text(".map"),
                            .type = sample_text("Map"),
                            .own_after = {1, 10},
                            .after = {1, 10}}};
    const hsd_report_options options = {.use_utf8 = true, .tree = true};
    diff.tree = tree;
    diff.tree_count = 3;
    diff.tree_depth = 8;
    diff.tree_least_bytes = 16;
    char *report = sample_report("json", &diff, &options);
    HOLDS(report, "\"tree_depth\": 8,\n  \"tree_least_bytes\": 16,\n  \"tree\": [\n    {\"depth\": "
                  "0, \"parent\": null, "
                  "\"is_root\": false, \"edge\": \"\", \"type\": \"all\", \"own\": {\"before\": "
                  "{\"objects\": 0, \"bytes\": 0}, ");
    HOLDS(report, "{\"depth\": 1, \"parent\": 0, \"is_root\": true, ");
    HOLDS(report, "{\"depth\": 2, \"parent\": 1, \"is_root\": false, \"edge\": \".map\", "
                  "\"type\": \"Map\", \"own\": {\"before\": {\"objects\": 0, \"bytes\": 0}, "
                  "\"after\": {\"objects\": 1, \"bytes\": 10}, \"new\": {\"objects\": 0, ");
    free(report);
    diff.tree_count = 0;
    report = sample_report("json", &diff, &options);
    HOLDS(report, "\"tree\": []");
    free(report);
}

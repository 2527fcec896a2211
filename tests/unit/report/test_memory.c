/*
 * Reports without memory: whichever allocation fails, the report fails with HSD_E_NOMEM, leaks nothing (the sanitizer
 * looks) and never pretends to be complete.
 */
#include <criterion/criterion.h>
#include <errno.h>

#include "support/fault.h"
#include "unit/report/sample.h"

static hsd_type_row types[2];
static hsd_root_row roots[2];
static hsd_holder holders[2];
static hsd_step path[2];
static hsd_growth_edge edges[2];
static hsd_type_growth growths[1];
static hsd_tree_row tree[3];

static hsd_diff sample(void)
{
    types[0] = sample_type("a.very.long.name.of.a.type.that.has.to.be.cut.Session<java.lang.String>", 0, 100 * MIB);
    types[1] = sample_type("a.very.long.name.of.a.type.that.has.to.be.cut.Session<java.lang.Object>", 0, 90 * MIB);
    roots[0] = sample_root("global.app", 0, 100 * MIB);
    roots[1] = sample_root("(shared)", 0, 90 * MIB);
    hsd_diff diff = sample_diff(types, 2, roots, 2);
    path[0] = sample_step("", "Object");
    path[1] = sample_step(".sessions", types[0].name.data);
    holders[0] = sample_holder("global.app", path, 2, (int64_t)(120 * MIB));
    holders[1] = sample_holder("(roots)", NULL, 0, (int64_t)(70 * MIB));
    edges[0] = sample_edge(1, "[*]", types[1].name.data, 1, 100, (int64_t)(100 * MIB));
    edges[1] = sample_edge(2, "", "Buffer", 0, 100, (int64_t)(90 * MIB));
    growths[0] = (hsd_type_growth){.type = types[0].name, .net_bytes = 1};
    holders[0].edges = edges;
    holders[0].edge_count = 2;
    holders[0].types = growths;
    holders[0].type_count = 1;
    sample_hold(&diff, holders, 2);
    tree[0].after = diff.total.after;
    tree[1] = (hsd_tree_row){.depth = 1, .is_root = true, .type = roots[0].name, .after = {1, 100 * MIB}};
    tree[2] = (hsd_tree_row){.depth = 2, .type = types[0].name, .after = {1, 100 * MIB}};
    diff.tree = tree;
    diff.tree_count = 3;
    return diff;
}

static hsd_status discard(void *context, const void *data, size_t size, hsd_error *err)
{
    (void)data, (void)err;
    *(size_t *)context += size;
    return HSD_OK;
}

/* Fails each allocation of a report in turn; returns how many there were. */
static uint64_t starve(const hsd_diff *diff, const char *format, const hsd_report_options *options)
{
    for (uint64_t at = 1;; at++) {
        hsd_error err;
        size_t size = 0;
        hsd_error_init(&err);
        hsd_fault_reset();
        hsd_fault_arm(HSD_FAULT_MALLOC, at, false, ENOMEM);
        const hsd_status status = hsd_report_format_find(format)->write_diff(diff, options, discard, &size, &err);
        const bool has_struck = hsd_fault_strikes() > 0;
        hsd_fault_reset();
        cr_assert_eq(status, has_struck ? HSD_E_NOMEM : HSD_OK, "%s, allocation %llu", format, (unsigned long long)at);
        if (!has_struck) return at - 1;
    }
}

Test(memory, fails_every_report_that_it_is_not_enough_for)
{
    const hsd_diff diff = sample();
    hsd_report_options options = {
        .use_utf8 = true, .tree = true, .width = 60, .before_command = "before.hs", .after_command = "after.hs"};
    cr_expect_gt(starve(&diff, "text", &options), 20);
    cr_expect_gt(starve(&diff, "json", &options), 2);
    for (int table = HSD_TABLE_TYPES; table <= HSD_TABLE_TREE; table++) {
        options.table = (hsd_report_table)table;
        cr_expect_gt(starve(&diff, "csv", &options), 0);
    }
    options.plain = true;
    cr_expect_gt(starve(&diff, "text", &options), 2);
}

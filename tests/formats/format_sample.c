/*
 * Prints reports of hand-built checks and diffs whose every text is foreign, for parsers that are not ours.
 *
 * usage: format_sample check FORMAT OUTCOME [MAX_BYTES] < NAMES    OUTCOME: ok warn fail unknown off mixed series
 *        format_sample diff FORMAT all|usual [MAX_BYTES] < NAMES
 *        format_sample sites FORMAT all|usual [MAX_BYTES] < NAMES         a diff that knows allocation sites and no holders
 *        format_sample top|paths FORMAT all|usual [MAX_BYTES] < NAMES     one capture by itself
 *
 * NAMES are texts, each after its length in four little-endian bytes. Each becomes a rule's name and pattern, a
 * finding's name, root, edge and type, the function and file of a site, a reason, a note, a problem; in a diff a type,
 * a root, a holder and what it holds; with sites the innermost function of a stack, and the file of its caller; of one
 * capture a type, a root, and the reference and type at the end of a path.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/report/check_sample.h"
#include <hsdiff/top.h>

enum { NAMES_MAX = 1200 };

static hsd_text names[NAMES_MAX];

static hsd_status to_stdout(void *context, const void *data, size_t size, hsd_error *err)
{
    (void)context;
    return fwrite(data, 1, size, stdout) == size ? HSD_OK : hsd_fail(err, HSD_E_IO, "cannot write");
}

static size_t read_names(void)
{
    unsigned char head[4];
    size_t count = 0;
    while (count < NAMES_MAX && fread(head, 1, 4, stdin) == 4) {
        const size_t size = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
        char *name = malloc(size + 1);
        if (!name || fread(name, 1, size, stdin) != size) exit(2);
        name[size] = 0;
        names[count++] = (hsd_text){name, size};
    }
    return count;
}

static int finish(hsd_status status, const hsd_error *err)
{
    if (status == HSD_OK && fflush(stdout) == 0) return 0;
    fprintf(stderr, "%s\n", err->text);
    return 4;
}

/* ---- checks ---- */

static hsd_rule rules[NAMES_MAX];
static hsd_check_row rows[NAMES_MAX];
static hsd_finding findings[NAMES_MAX];
static hsd_allowance allowances[NAMES_MAX];
static hsd_step steps[NAMES_MAX];
static hsd_site_frame frames[NAMES_MAX];
static hsd_site_growth sites[NAMES_MAX];

static hsd_check_outcome outcome_of(const char *word, size_t i)
{
    static const char *const words[] = {"ok", "warn", "fail", "unknown", "off"};
    for (size_t k = 0; k < 5; k++)
        if (strcmp(word, words[k]) == 0) return (hsd_check_outcome)k;
    return (hsd_check_outcome)(i % 5);
}

static void make_finding(size_t i, hsd_check_outcome outcome)
{
    steps[i] = (hsd_step){.edge = names[i], .type = names[i], .repeat = 1};
    frames[i] = (hsd_site_frame){.function = names[i], .file = names[i], .line = (uint32_t)i + 1, .column = 3};
    sites[i] = (hsd_site_growth){.type = names[i], .frames = &frames[i], .frame_count = 1, .after = {1, 100}};
    allowances[i] = (hsd_allowance){.subject = HSD_SUBJECT_TYPE,
                                    .pattern = names[i],
                                    .reason = names[i],
                                    .up_to_bytes = UINT64_MAX,
                                    .until_day = INT32_MAX,
                                    .line = (uint32_t)i + 1};
    findings[i] = check_finding("", "", &steps[i], 1, 1000 + (int64_t)i, 10);
    findings[i].name = findings[i].root = names[i];
    if (i % 2 == 0) findings[i].sites = &sites[i];
    findings[i].site_count = i % 2 == 0;
    if (outcome == HSD_CHECK_OK) findings[i].allowed = &allowances[i];
}

static void make_row(size_t i, hsd_check_outcome outcome)
{
    static const hsd_subject subjects[] = {HSD_SUBJECT_TYPE, HSD_SUBJECT_HOLDER, HSD_SUBJECT_ROOT, HSD_SUBJECT_HEAP};
    rules[i] = check_rule("", subjects[i % 4], "", i % 7 == 0 && i % 4 == 3 ? HSD_MEASURE_CAPTURE : HSD_MEASURE_BYTES,
                          10, (uint32_t)i + 1);
    rules[i].name = rules[i].pattern = rules[i].capture_metric = names[i];
    rules[i].level = outcome == HSD_CHECK_WARN  ? HSD_LEVEL_WARN
                     : outcome == HSD_CHECK_OFF ? HSD_LEVEL_OFF
                                                : HSD_LEVEL_ERROR;
    rows[i] = check_row(&rules[i], outcome, true, outcome == HSD_CHECK_OK ? 5 : 1000 + (int64_t)i, 10);
    if (outcome == HSD_CHECK_UNKNOWN) rows[i].why_unknown = names[i];
    make_finding(i, outcome);
    if (outcome < HSD_CHECK_UNKNOWN) check_hold(&rows[i], &findings[i], 1);
}

static int print_check(const char *name, const char *word, size_t max_bytes)
{
    const size_t count = read_names();
    const hsd_report_format *format = hsd_report_format_find(name);
    hsd_report_options options = {.use_utf8 = true, .max_bytes = max_bytes, .plain = strcmp(name, "plain") == 0};
    hsd_check check = check_sample();
    hsd_error err;
    hsd_error_init(&err);
    if (options.plain) format = hsd_report_format_find("text");
    if (!format || !format->write_check || count < 2) return 2;
    for (size_t i = 0; i < count; i++)
        make_row(i, outcome_of(word, i));
    check.rows = rows;
    check.row_count = count;
    check.notes = names;
    check.note_count = count;
    if (strcmp(word, "unknown") == 0) check.problems = names;
    if (strcmp(word, "unknown") == 0) check.problem_count = count;
    check_config.ignore = names;
    check_config.ignore_count = count;
    check_config.name = names[1];
    check_diff.before.info.path = check_diff.after.info.process_name = names[2].data;
    check_diff.why_no_holders = names[1];
    check_diff.warnings = names;
    check_diff.warning_count = count;
    check_count(&check);
    if (strcmp(word, "series") == 0) check_over_series(&check);
    return finish(format->write_check(&check, &options, to_stdout, NULL, &err), &err);
}

/* ---- diffs ---- */

static hsd_type_row types[NAMES_MAX];
static hsd_root_row roots[NAMES_MAX];
static hsd_holder holders[NAMES_MAX];
static hsd_growth_edge edges[NAMES_MAX];
static hsd_type_growth growths[NAMES_MAX];
static hsd_tree_row tree[NAMES_MAX + 1];

static void make_places(size_t i)
{
    const hsd_text name = names[i];
    types[i] = sample_type("", 1000 * (i + 1), 3000 * (i + 1));
    roots[i] = sample_root("", 1000 * (i + 1), 3000 * (i + 1));
    types[i].name = roots[i].name = name;
    steps[i] = (hsd_step){.edge = name, .type = name, .repeat = 1};
    edges[i] = sample_edge(1, "", "", 1, 2, 2000 * ((int64_t)i + 1));
    edges[i].edge = edges[i].type = name;
    growths[i] = (hsd_type_growth){.type = name, .net_objects = 1, .net_bytes = 100};
    holders[i] = sample_holder("", &steps[i], 1, 2000 * ((int64_t)i + 1));
    holders[i].root = name;
    holders[i].edges = &edges[i];
    holders[i].types = &growths[i];
    holders[i].edge_count = holders[i].type_count = 1;
    tree[i + 1] = (hsd_tree_row){.depth = 1, .edge = name, .type = name, .after = {1, 2000 * (i + 1)}};
}

static hsd_diff diff_of_places(size_t count)
{
    for (size_t i = 0; i < count; i++)
        make_places(i);
    hsd_diff diff = sample_diff(types, count, roots, count);
    diff.before.info.path = diff.after.info.process_name = names[2].data;
    diff.warnings = names;
    diff.warning_count = count;
    sample_hold(&diff, holders, count);
    tree[0].after = diff.total.after;
    diff.tree = tree;
    diff.tree_count = count + 1;
    return diff;
}

static hsd_site_frame stacks[NAMES_MAX][2];
static hsd_site_row site_rows[NAMES_MAX];

/* Of one type: names stand in the stacks alone. Rows come by growth, the largest first. */
static hsd_diff diff_of_sites(size_t count)
{
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t bytes = 1000 * (count - i);
        stacks[i][0] = (hsd_site_frame){.function = names[i]};
        stacks[i][1] = (hsd_site_frame){.function = sample_text("caller"), .file = names[i], .line = (uint32_t)i + 1};
        site_rows[i] =
            (hsd_site_row){stacks[i], 2, {.before = {bytes / 100, bytes}, .after = {bytes / 50, 2 * bytes}}, 0};
        before += bytes;
    }
    types[0] = sample_type("all", before, 2 * before);
    hsd_diff diff = sample_diff(types, 1, NULL, 0);
    diff.identity_is_known = false;
    diff.is_summary = diff.is_of_totals = diff.has_sites = true;
    diff.why_no_holders = sample_text("the captures carry no references");
    diff.sites = site_rows;
    diff.site_count = count;
    return diff;
}

static int print_diff(const char *name, bool has_sites, bool all, size_t max_bytes)
{
    const size_t count = read_names();
    const hsd_report_format *format = hsd_report_format_find(name);
    const hsd_report_options options = {
        .top = all ? HSD_TOP_ALL : 0, .use_utf8 = true, .max_bytes = max_bytes, .tree = true};
    hsd_error err;
    hsd_error_init(&err);
    if (!format || !format->write_diff || count < 3) return 2;
    const hsd_diff diff = has_sites ? diff_of_sites(count) : diff_of_places(count);
    return finish(format->write_diff(&diff, &options, to_stdout, NULL, &err), &err);
}

/* ---- one capture ---- */

static hsd_top_type top_types[NAMES_MAX];
static hsd_top_root top_roots[NAMES_MAX];
static hsd_top_object top_objects[NAMES_MAX];
static hsd_path_row path_rows[NAMES_MAX];

/* Types, roots, objects and paths come the largest first. */
static void make_capture(size_t count, hsd_side *side)
{
    *side = (hsd_side){.info = {.path = names[2].data, .process_name = names[2].data, .is_complete = true},
                       .has_roots = true,
                       .has_references = true};
    for (size_t i = 0; i < count; i++) {
        const hsd_amount live = {count - i, 100 * (count - i)};
        steps[i] = (hsd_step){.edge = names[i], .type = names[i], .repeat = 1};
        top_types[i] = (hsd_top_type){.name = names[i], .live = live, .retained_bytes = live.bytes};
        top_roots[i] = (hsd_top_root){.name = names[i], .live = live, .retained_bytes = live.bytes};
        top_objects[i] = (hsd_top_object){.type = names[i],
                                          .id = i + 1,
                                          .bytes = 100,
                                          .retained_bytes = live.bytes,
                                          .retained_objects = live.objects,
                                          .root = names[i],
                                          .path = &steps[i],
                                          .path_count = 1};
        path_rows[i] =
            (hsd_path_row){.root = names[i], .steps = &steps[i], .step_count = 1, .length = 1, .objects = live};
        side->live.objects += live.objects;
        side->live.bytes += live.bytes;
    }
}

static int print_top(const hsd_report_format *format, const hsd_report_options *options)
{
    const size_t count = read_names();
    hsd_error err;
    hsd_top top = {.has_retained = true,
                   .types = top_types,
                   .type_count = count,
                   .roots = top_roots,
                   .root_count = count,
                   .objects = top_objects,
                   .object_count = count,
                   .warnings = names,
                   .warning_count = count};
    hsd_error_init(&err);
    if (count < 3) return 2;
    make_capture(count, &top.side);
    return finish(format->write_top(&top, options, to_stdout, NULL, &err), &err);
}

static int print_paths(const hsd_report_format *format, const hsd_report_options *options)
{
    const size_t count = read_names();
    hsd_error err;
    hsd_paths paths = {.rows = path_rows, .row_count = count, .warnings = names, .warning_count = count};
    hsd_error_init(&err);
    if (count < 3) return 2;
    make_capture(count, &paths.side);
    paths.type = names[0];
    paths.live = paths.side.live;
    return finish(format->write_paths(&paths, options, to_stdout, NULL, &err), &err);
}

static int print_capture(const char *name, bool is_top, bool all, size_t max_bytes)
{
    const hsd_report_format *format = hsd_report_format_find(name);
    const hsd_report_options options = {
        .top = all ? HSD_TOP_ALL : 0, .use_utf8 = true, .max_bytes = max_bytes, .tree = true};
    if (!format || !format->write_top || !format->write_paths) return 2;
    return is_top ? print_top(format, &options) : print_paths(format, &options);
}

int main(int argc, char **argv)
{
    const size_t max_bytes = argc > 4 ? strtoul(argv[4], NULL, 10) : 0;
    if (argc < 4) return 2;
    if (strcmp(argv[1], "check") == 0) return print_check(argv[2], argv[3], max_bytes);
    if (strcmp(argv[1], "top") == 0 || strcmp(argv[1], "paths") == 0)
        return print_capture(argv[2], strcmp(argv[1], "top") == 0, strcmp(argv[3], "all") == 0, max_bytes);
    return print_diff(argv[2], strcmp(argv[1], "sites") == 0, strcmp(argv[3], "all") == 0, max_bytes);
}

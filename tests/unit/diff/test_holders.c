/*
 * Who holds the growth, on heaps that are made for one question each: more holders than rows, more places than rows,
 * items of a container, growth that no one holds alone, helpers of containers, captures that cannot tell. What the
 * numbers must be on any heap is tested in tests/property.
 */
#include <criterion/criterion.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "diff/holders.h"
#include "support/fault.h"
#include <hscapture/hscapture.h>
#include <hsdiff/diff.h>

enum { NODE = 1, ITEM, MAP, TABLE, TYPES };
enum { FIELD = 1, ELEMENT, INSIDE, VALUE, LABELS };
enum { ROOT_STRING = 10 };

static char folder[] = "/tmp/hsdiff-holders-XXXXXX";
static char before_path[64], after_path[64];
static hsd_error err;

static void setup(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(before_path, sizeof before_path, "%s/before.hs", folder);
    snprintf(after_path, sizeof after_path, "%s/after.hs", folder);
    hsd_error_init(&err);
}

static void teardown(void)
{
    hsd_fault_reset();
    remove(before_path);
    remove(after_path);
    rmdir(folder);
}

TestSuite(holders, .init = setup, .fini = teardown);

/* ---- writing ---- */

static void good(hsc_status status) { cr_assert_eq(status, HSC_OK); }

static void define(hsc_writer *w, uint32_t number, const char *text) { good(hsc_define_string(w, number, text, strlen(text))); }

static hsc_writer *begin(bool is_after, hsc_identity identity)
{
    static const char *const types[] = {[NODE] = "Node", [ITEM] = "Item", [MAP] = "Map", [TABLE] = "Table"};
    static const char *const labels[] = {[FIELD] = "field", [ELEMENT] = "", [INSIDE] = "inside", [VALUE] = "value"};
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    options.identity = identity;
    options.pid = 1;
    good(hsc_open_file(&w, is_after ? after_path : before_path, &options));
    for (uint32_t i = 1; i < TYPES; i++) {
        good(hsc_define_type(w, i, types[i], strlen(types[i]), i == TABLE ? HSC_TYPE_INTERNAL : 0));
    }
    for (uint32_t i = 1; i < LABELS; i++) {
        if (labels[i][0] != 0) define(w, i, labels[i]);
        good(hsc_define_label(w, i, i == ELEMENT ? HSC_LABEL_ELEMENT : HSC_LABEL_FIELD, i == INSIDE ? HSC_LABEL_FOLD : 0,
                              labels[i][0] != 0 ? i : 0));
    }
    define(w, ROOT_STRING, "cache");
    return w;
}

/* References alternate: target, label, target, label, … 0. */
static void put(hsc_writer *w, uint64_t id, uint32_t type, uint64_t bytes, const uint64_t *references)
{
    good(hsc_begin_object(w, &(hsc_object){.id = id, .type = type, .size_bytes = bytes}));
    for (; references != NULL && references[0] != 0; references += 2) good(hsc_reference(w, references[0], (uint32_t)references[1], 0));
    good(hsc_end_object(w));
}

static void put_root(hsc_writer *w, uint32_t name, uint64_t target)
{
    good(hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STATIC, .label = name, .target = target}));
}

static void finish(hsc_writer *w)
{
    good(hsc_finish(w));
    hsc_close(w);
}

static hsd_diff *compare(const hsd_diff_options *options, const hsd_run *run)
{
    hsd_capture *before, *after;
    hsd_diff *diff = NULL;
    cr_assert_eq(hsd_capture_open(&before, before_path, HSD_DAMAGE_SKIP, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_capture_open(&after, after_path, HSD_DAMAGE_SKIP, NULL, &err), HSD_OK, "%s", err.text);
    const hsd_status status = hsd_diff_run(&diff, before, after, options, run, &err);
    cr_assert_eq(status == HSD_OK, diff != NULL);
    hsd_capture_close(before);
    hsd_capture_close(after);
    return diff;
}

static bool is_text(hsd_text text, const char *wanted)
{
    return text.size == strlen(wanted) && memcmp(text.data, wanted, text.size) == 0;
}

/* ---- more than there are rows for ---- */

/* Each of `count` old objects gets a new one of its own; the old ones hang from one array. */
static void write_scattered(bool is_after, uint64_t count, hsc_identity identity)
{
    hsc_writer *w = begin(is_after, identity);
    for (uint64_t i = 1; i <= count; i++) {
        const uint64_t references[] = {is_after ? count + i : 0, FIELD, 0};
        put(w, i, NODE, 16, references);
        if (is_after) put(w, count + i, ITEM, i, NULL);
    }
    good(hsc_begin_object(w, &(hsc_object){.id = UINT64_C(1) << 40, .type = MAP, .size_bytes = 8}));
    for (uint64_t i = 1; i <= count; i++) good(hsc_reference(w, i, ELEMENT, i));
    good(hsc_end_object(w));
    put_root(w, ROOT_STRING, UINT64_C(1) << 40);
    finish(w);
}

Test(holders, past_the_rows_are_one_and_nothing_is_lost)
{
    enum { COUNT = 3 * HSD_MAX_HOLDERS };
    write_scattered(false, COUNT, HSC_IDENTITY_EXACT);
    write_scattered(true, COUNT, HSC_IDENTITY_EXACT);
    hsd_diff *diff = compare(NULL, NULL);
    cr_assert(diff->has_holders);
    cr_assert_eq(diff->holder_count, HSD_MAX_HOLDERS);
    cr_assert_eq(diff->other_holder_count, COUNT - HSD_MAX_HOLDERS);
    hsd_amount sum = diff->other_holders.new_;
    for (size_t i = 0; i < diff->holder_count; i++) {
        cr_assert_eq(diff->holders[i].growth_bytes, (int64_t)(COUNT - i), "row %zu", i);
        cr_assert_eq(diff->holders[i].id, COUNT - i);
        cr_assert_eq(diff->holders[i].type_count, 1);
        cr_assert_eq(diff->holders[i].edge_count, i < HSD_MAX_EDGED_HOLDERS ? 1 : 0, "row %zu", i);
        cr_assert_eq(diff->holders[i].path_count, 2);
        sum.objects += diff->holders[i].new_.objects;
        sum.bytes += diff->holders[i].new_.bytes;
    }
    cr_assert_eq(sum.objects, diff->total.new_.objects);
    cr_assert_eq(sum.bytes, diff->total.new_.bytes);
    hsd_diff_free(diff);
}

/* So many roots, each with one object, larger and larger. */
static void write_roots(bool is_after, uint32_t count)
{
    hsc_writer *w = begin(is_after, HSC_IDENTITY_EXACT);
    for (uint32_t i = 0; i < count; i++) {
        char name[32];
        const uint64_t references[] = {i + 1, FIELD, 0};
        snprintf(name, sizeof name, "root %u", i);
        define(w, 100 + i, name);
        put(w, i + 1, NODE, 100 + i, references);
        put_root(w, 100 + i, i + 1);
    }
    finish(w);
}

Test(holders, tree_shows_the_heaviest_places_and_counts_the_others_above)
{
    enum { COUNT = HSD_MAX_TREE_ROWS };
    write_roots(false, COUNT);
    write_roots(true, COUNT);
    hsd_diff *diff = compare(NULL, NULL);
    cr_assert(diff->has_holders);
    cr_assert_eq(diff->tree_count, HSD_MAX_TREE_ROWS - 1, "%zu rows", diff->tree_count); /* two places a root */
    cr_assert_gt(diff->tree_least_bytes, 0);
    uint64_t own = 0;
    for (size_t i = 0; i < diff->tree_count; i++) {
        own += diff->tree[i].own_after.bytes;
        cr_assert_geq(diff->tree[i].before.bytes + diff->tree[i].after.bytes, diff->tree_least_bytes);
    }
    cr_assert_eq(own, diff->total.after.bytes);
    cr_assert_eq(diff->tree[0].after.bytes, diff->total.after.bytes);
    hsd_diff_free(diff);
}

/* ---- containers ---- */

/* A map whose table is made anew as it grows, and each item with a node between: cache -> Map -> Table -> Node -> Item. */
static void write_map(bool is_after, uint64_t items, hsc_identity identity)
{
    const uint64_t table = is_after ? 3 : 2;
    hsc_writer *w = begin(is_after, identity);
    put(w, 1, MAP, 48, (const uint64_t[]){table, INSIDE, 0});
    good(hsc_begin_object(w, &(hsc_object){.id = table, .type = TABLE, .size_bytes = 16 + 8 * items}));
    for (uint64_t i = 0; i < items; i++) good(hsc_reference(w, 100 + 2 * i, ELEMENT, i));
    good(hsc_end_object(w));
    for (uint64_t i = 0; i < items; i++) {
        put(w, 100 + 2 * i, TABLE, 32, (const uint64_t[]){101 + 2 * i, VALUE, 0});
        put(w, 101 + 2 * i, ITEM, 100, NULL);
    }
    put_root(w, ROOT_STRING, 1);
    finish(w);
}

static void check_map(const hsd_diff *diff, bool has_identity)
{
    const hsd_holder *map = &diff->holders[0];
    cr_assert(diff->has_holders);
    cr_assert_eq(diff->holder_count, 1);
    cr_assert(is_text(map->type, "Map") && is_text(map->root, "cache"));
    cr_assert_eq(map->has_id, has_identity);
    cr_assert_eq(map->path_count, 1);
    cr_assert_eq(map->net_objects, 2 * 40);
    cr_assert_eq(map->growth_bytes, 40 * (100 + 32 + 8));
    cr_assert_eq(map->growth_bytes, hsd_change_bytes(&diff->total));
    cr_assert_eq(map->new_.objects, has_identity ? 2 * 40 + 1 : 0);
    cr_assert_eq(map->freed.objects, has_identity ? 1 : 0);
    cr_assert_eq(map->edge_count, 1);
    cr_assert(is_text(map->edges[0].edge, "[*].value") && is_text(map->edges[0].type, "Item"));
    cr_assert_eq(map->edges[0].before.objects, 10);
    cr_assert_eq(map->edges[0].after.objects, 50);
    cr_assert_eq(map->edges[0].growth_bytes, 40 * 100);
    cr_assert_eq(map->type_count, 2);
    cr_assert(is_text(map->types[0].type, "Item") && is_text(map->types[1].type, "Table"));
    cr_assert_eq(map->types[1].net_bytes, 40 * (32 + 8));
}

Test(holders, of_items_is_the_container_and_not_its_insides)
{
    write_map(false, 10, HSC_IDENTITY_EXACT);
    write_map(true, 50, HSC_IDENTITY_EXACT);
    hsd_diff *diff = compare(NULL, NULL);
    check_map(diff, true);
    hsd_diff_free(diff);
}

static const hsd_diff_options by_counts = {.match_by = HSD_MATCH_BY_COUNTS};

Test(holders, without_identity_is_the_place_that_both_captures_have_once)
{
    write_map(false, 10, HSC_IDENTITY_MOVING);
    write_map(true, 50, HSC_IDENTITY_MOVING);
    hsd_diff *diff = compare(&by_counts, NULL);
    check_map(diff, false);
    hsd_diff_free(diff);
}

/* ---- captures that cannot tell ---- */

static void check_none(const hsd_diff_options *options, const char *why)
{
    hsd_diff *diff = compare(options, NULL);
    cr_assert_not(diff->has_holders);
    cr_assert(strstr(diff->why_no_holders.data, why) != NULL, "%s", diff->why_no_holders.data);
    cr_assert_eq(diff->holder_count + diff->tree_count + diff->other_holder_count, 0);
    for (size_t i = 0; i < diff->type_count; i++) cr_assert_eq(diff->types[i].retained_after, 0);
    hsd_diff_free(diff);
}

Test(holders, were_not_asked_for)
{
    write_map(false, 10, HSC_IDENTITY_EXACT);
    write_map(true, 50, HSC_IDENTITY_EXACT);
    check_none(&(hsd_diff_options){.no_holders = true}, "not asked for");
}

Test(holders, cannot_be_told_without_roots_or_references)
{
    hsc_writer *w = begin(true, HSC_IDENTITY_EXACT);
    write_map(false, 10, HSC_IDENTITY_EXACT);
    put(w, 1, MAP, 48, NULL);
    put_root(w, ROOT_STRING, 1);
    finish(w);
    check_none(NULL, "no references");
    remove(after_path);
    w = begin(true, HSC_IDENTITY_EXACT);
    put(w, 1, MAP, 48, (const uint64_t[]){1, FIELD, 0});
    finish(w);
    check_none(NULL, "no roots");
}

Test(holders, are_not_claimed_of_an_incomplete_capture)
{
    write_map(false, 10, HSC_IDENTITY_EXACT);
    write_map(true, 2000, HSC_IDENTITY_EXACT);
    FILE *file = fopen(after_path, "r+b");
    cr_assert_not_null(file);
    cr_assert_eq(fseek(file, 0, SEEK_END), 0);
    cr_assert_eq(ftruncate(fileno(file), ftell(file) - 200), 0);
    fclose(file);
    check_none(&(hsd_diff_options){.partial = true}, "incomplete");
}

/* ---- a machine that fails ---- */

/* Call 1, 1 + step, … of the family fails, until none is struck any more; returns how many were. */
static uint64_t fail_some(uint64_t memory_bytes, uint64_t step, hsd_fault_family family, int error, hsd_status wanted)
{
    const hsd_run run = {.memory_bytes = memory_bytes, .threads = 1};
    for (uint64_t struck = 0; struck < 5000; struck++) {
        const uint64_t at = 1 + struck * step;
        hsd_capture *before, *after;
        hsd_diff *diff = NULL;
        cr_assert_eq(hsd_capture_open(&before, before_path, HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
        cr_assert_eq(hsd_capture_open(&after, after_path, HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
        hsd_fault_reset();
        hsd_fault_arm(family, at, false, error);
        const hsd_status status = hsd_diff_run(&diff, before, after, NULL, &run, &err);
        const bool has_struck = hsd_fault_strikes() > 0;
        hsd_fault_reset();
        cr_assert(status == HSD_OK || (has_struck && status == wanted), "call %lu: %s", (unsigned long)at, err.text);
        cr_assert_eq(status == HSD_OK, diff != NULL);
        hsd_diff_free(diff);
        hsd_capture_close(before);
        hsd_capture_close(after);
        if (!has_struck) return struck;
    }
    cr_assert_fail("it never ends");
    return 0;
}

static void fail_each(hsd_fault_family family, int error, hsd_status wanted)
{
    cr_assert_gt(fail_some(UINT64_C(64) << 20, 1, family, error, wanted), 0);
}

Test(holders, fail_cleanly_wherever_memory_runs_out, .timeout = 300)
{
    write_map(false, 10, HSC_IDENTITY_EXACT);
    write_map(true, 50, HSC_IDENTITY_EXACT);
    fail_each(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM);
}

/* Every other allocation: the first half of the way is that of the test before. */
Test(holders, without_identity_fail_cleanly_wherever_memory_runs_out, .timeout = 300)
{
    write_map(false, 10, HSC_IDENTITY_MOVING);
    write_map(true, 50, HSC_IDENTITY_MOVING);
    cr_assert_gt(fail_some(UINT64_C(64) << 20, 2, HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM), 100);
}

Test(holders, fail_cleanly_wherever_reading_or_writing_fails)
{
    write_scattered(false, 2000, HSC_IDENTITY_EXACT);
    write_scattered(true, 2000, HSC_IDENTITY_EXACT);
    fail_each(HSD_FAULT_PWRITE, ENOSPC, HSD_E_IO);
    fail_each(HSD_FAULT_PREAD, EIO, HSD_E_IO);
    fail_each(HSD_FAULT_OPEN, EMFILE, HSD_E_IO);
}

/* In so little memory that it takes files; which of them fail, on a sample. */
Test(holders, without_identity_fail_cleanly_wherever_reading_or_writing_fails, .timeout = 300)
{
    const uint64_t memory_bytes = UINT64_C(32) << 20;
    write_scattered(false, 30000, HSC_IDENTITY_MOVING);
    write_scattered(true, 30000, HSC_IDENTITY_MOVING);
    cr_assert_gt(fail_some(memory_bytes, 27, HSD_FAULT_PWRITE, ENOSPC, HSD_E_IO), 5);
    cr_assert_gt(fail_some(memory_bytes, 53, HSD_FAULT_PREAD, EIO, HSD_E_IO), 5);
    cr_assert_gt(fail_some(memory_bytes, 3, HSD_FAULT_OPEN, EMFILE, HSD_E_IO), 5);
}

/* ---- a user who has seen enough ---- */

/* Progress is told at most ten times a second: whoever takes that long is told of everything. */
static bool stop_at(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)done, (void)total;
    nanosleep(&(struct timespec){.tv_nsec = 101000000}, NULL);
    return strcmp(stage, context) != 0;
}

Test(holders, can_be_cancelled, .timeout = 120)
{
    static const char *const stages[] = {"finding what holds the growth", "matching holders", "following the growth"};
    write_map(false, 10, HSC_IDENTITY_EXACT);
    write_map(true, 50, HSC_IDENTITY_EXACT);
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        const hsd_run run = {.threads = 1, .progress = stop_at, .progress_context = (void *)(uintptr_t)stages[i]};
        cr_assert_null(compare(NULL, &run), "%s", stages[i]);
        cr_assert_eq(err.status, HSD_E_CANCELLED, "%s", stages[i]);
    }
}

/*
 * What is lost: rows by what heads it and who allocated that, cycles by their types, sums that are those of what is
 * unreached; only where captures say that nobody collects. Sites of live objects beside it.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <hscapture/hscapture.h>
#include <hsdiff/diff.h>
#include <hsdiff/profile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/fault.h"

enum { NODE = 1, OWNER, TEXT, KEPT, TYPE_COUNT };
static const char *const types[TYPE_COUNT] = {"", "Node", "Owner", "Text", "Kept"};
enum { MAIN = 1, PUSH, MAKE, STRDUP, SITE_COUNT };
static const char *const functions[SITE_COUNT] = {"", "main", "push", "make (shop.c:12)", "strdup"};

static char paths[2][40];
static hsd_capture *captures[2];
static hsd_diff *diff;
static hsd_error err;
static hsc_writer *w;

static void setup(void)
{
    for (int side = 0; side < 2; side++) {
        snprintf(paths[side], sizeof paths[side], "/tmp/hsdiff-lost-XXXXXX");
        close(mkstemp(paths[side]));
    }
    hsd_error_init(&err);
    hsd_fault_reset();
}

static void teardown(void)
{
    hsd_diff_free(diff);
    diff = NULL;
    for (int side = 0; side < 2; side++) {
        hsd_capture_close(captures[side]);
        captures[side] = NULL;
        remove(paths[side]);
    }
}

TestSuite(lost, .init = setup, .fini = teardown);

static void good(hsc_status status) { cr_assert_eq(status, HSC_OK, "%s", hsc_error_text(w)); }

static void begin(int side, uint32_t facts)
{
    static const uint8_t domain[16] = {7};
    hsc_options options;
    hsc_options_init(&options);
    options.facts = facts;
    options.identity = HSC_IDENTITY_EXACT;
    memcpy(options.domain, domain, sizeof domain);
    remove(paths[side]);
    good(hsc_open_file(&w, paths[side], &options));
    for (uint32_t i = 1; i < TYPE_COUNT; i++)
        good(hsc_define_type(w, i, types[i], strlen(types[i]), 0));
    for (uint32_t i = 1; i < SITE_COUNT; i++)
        good(hsc_define_string(w, i, functions[i], strlen(functions[i])));
    for (uint32_t i = 1; i < SITE_COUNT; i++)
        good(hsc_define_site(w, i, i == MAIN ? 0 : MAIN, i, 0, 0, 0));
    good(hsc_define_site(w, STRDUP + 1, MAKE, STRDUP, 0, 0, 0)); /* strdup < make < main */
}

/* One object, which refers to `to` unless that is 0. */
static void put(uint64_t id, uint32_t type, uint32_t site, uint64_t bytes, uint64_t to)
{
    good(hsc_begin_object(w, &(hsc_object){.id = id, .type = type, .site = site, .size_bytes = bytes}));
    if (to != 0) good(hsc_reference(w, to, 0, 0));
    good(hsc_end_object(w));
}

/* A list of `length`, its first node the last to come; then `cycles` of a node and a larger owner. */
static void put_lost(uint64_t length, uint64_t cycles)
{
    for (uint64_t i = 0; i < length; i++)
        put(100 + i, NODE, PUSH, 16, i > 0 ? 99 + i : 0);
    for (uint64_t i = 0; i < cycles; i++) {
        put(1000 + 2 * i, NODE, PUSH, 16, 1001 + 2 * i);
        put(1001 + 2 * i, OWNER, MAKE, 40, 1000 + 2 * i);
    }
}

static void finish(int side)
{
    good(hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = 1}));
    put(1, KEPT, MAIN, 8, 2);
    put(2, KEPT, STRDUP + 1, side == 0 ? 8 : 24, 0);
    good(hsc_finish(w));
    hsc_close(w);
    cr_assert_eq(hsd_capture_open(&captures[side], paths[side], HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
}

static void write_pair(uint32_t facts)
{
    begin(0, facts);
    put_lost(3, 0);
    finish(0);
    begin(1, facts);
    put_lost(5, 2);
    put(2000, TEXT, STRDUP + 1, 9, 0);
    finish(1);
}

static hsd_status run(void)
{
    hsd_diff_free(diff);
    return hsd_diff_run(&diff, captures[0], captures[1], NULL, NULL, &err);
}

static bool reads(hsd_text text, const char *wanted)
{
    return text.size == strlen(wanted) && memcmp(text.data, wanted, text.size) == 0;
}

Test(lost, is_told_by_what_heads_it)
{
    write_pair(HSC_FACT_CONSERVATIVE | HSC_FACT_MANUAL);
    cr_assert_eq(run(), HSD_OK, "%s", err.text);
    cr_assert(diff->lost.is_known);
    cr_assert_eq(diff->lost.row_count, 3u);
    const hsd_lost_row *cycle = &diff->lost.rows[0], *list = &diff->lost.rows[1], *text = &diff->lost.rows[2];
    cr_expect(reads(cycle->type, "Owner") && reads(cycle->cycle, "Node and Owner") &&
              reads(cycle->place, "make (shop.c:12)"));
    cr_expect(cycle->heads_after.objects == 2 && cycle->after.objects == 4 && cycle->after.bytes == 112 &&
              cycle->before.objects == 0);
    cr_expect(cycle->frame_count == 2 && reads(cycle->frames[0].function, "make") &&
              reads(cycle->frames[0].file, "shop.c") && cycle->frames[0].line == 12);
    cr_expect(reads(list->type, "Node") && list->cycle.size == 0 && reads(list->place, "push"));
    cr_expect(list->heads_before.objects == 1 && list->before.objects == 3 && list->heads_after.objects == 1 &&
              list->after.objects == 5);
    cr_expect(reads(text->type, "Text") && text->wanted == 1 && reads(text->place, "make (shop.c:12)"),
              "who called strdup");
    cr_expect(reads(text->frames[0].function, "strdup"));
}

Test(lost, adds_up_to_what_is_unreached)
{
    hsd_amount before = {0}, after = {0};
    write_pair(HSC_FACT_CONSERVATIVE | HSC_FACT_MANUAL);
    cr_assert_eq(run(), HSD_OK, "%s", err.text);
    for (size_t i = 0; i < diff->lost.row_count; i++) {
        before.objects += diff->lost.rows[i].before.objects;
        after.bytes += diff->lost.rows[i].after.bytes;
    }
    cr_expect_eq(before.objects, diff->unreached_before.objects);
    cr_expect_eq(after.bytes, diff->unreached_after.bytes);
    cr_expect_eq(diff->lost.other_count, 0u);
}

Test(lost, leaves_sites_to_what_is_live)
{
    write_pair(HSC_FACT_CONSERVATIVE | HSC_FACT_MANUAL);
    cr_assert_eq(run(), HSD_OK, "%s", err.text);
    cr_assert(diff->has_sites);
    cr_assert_eq(diff->site_count, 2u);
    cr_expect_eq(hsd_change_bytes(&diff->sites[0].change), 16);
    cr_expect_eq(diff->sites[0].wanted, 1u);
    cr_expect_eq(diff->sites[0].change.after.bytes + diff->sites[1].change.after.bytes, diff->total.after.bytes);
}

Test(lost, is_garbage_where_somebody_collects)
{
    write_pair(HSC_FACT_CONSERVATIVE);
    cr_assert_eq(run(), HSD_OK, "%s", err.text);
    cr_expect(!diff->lost.is_known && diff->lost.row_count == 0);
    cr_expect_eq(diff->unreached_after.objects, 10u);
}

Test(lost, is_not_collected_yet_where_somebody_collects)
{
    hsd_amount after = {0};
    write_pair(0);
    cr_assert_eq(run(), HSD_OK, "%s", err.text);
    cr_assert(diff->uncollected.is_known && diff->uncollected.is_by_type && diff->uncollected.knows_revived);
    cr_assert_eq(diff->uncollected.row_count, 3u);
    const hsd_lost_row *row = &diff->uncollected.rows[0];
    cr_expect(reads(row->type, "Owner") && row->after.objects == 2 && row->after.bytes == 80 &&
              row->before.objects == 0);
    cr_expect(row->frame_count == 0 && row->cycle.size == 0 && row->place.size == 0);
    for (size_t i = 0; i < diff->uncollected.row_count; i++) {
        after.objects += diff->uncollected.rows[i].after.objects;
        after.bytes += diff->uncollected.rows[i].after.bytes;
    }
    cr_expect(after.objects == diff->unreached_after.objects && after.bytes == diff->unreached_after.bytes);
}

Test(lost, is_not_known_where_one_side_collects)
{
    begin(0, 0);
    put_lost(3, 0);
    finish(0);
    begin(1, HSC_FACT_MANUAL);
    put_lost(5, 0);
    finish(1);
    cr_assert_eq(run(), HSD_OK, "%s", err.text);
    cr_expect(!diff->lost.is_known && !diff->uncollected.is_known);
}

/* What no root reached before, and one does after: a finalizer kept it, a weak reference was read in time. */
Test(lost, tells_what_came_back_to_life)
{
    for (int side = 0; side < 2; side++) {
        begin(side, 0);
        put(500, TEXT, PUSH, 9, 0);
        put(501, TEXT, PUSH, 9, 0);
        if (side == 1) good(hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = 500}));
        finish(side);
    }
    cr_assert_eq(run(), HSD_OK, "%s", err.text);
    cr_assert(diff->uncollected.row_count == 1 && diff->uncollected.knows_revived);
    cr_expect(diff->uncollected.rows[0].revived.objects == 1 && diff->uncollected.rows[0].revived.bytes == 9);
    cr_expect(diff->uncollected.rows[0].before.objects == 2 && diff->uncollected.rows[0].after.objects == 1);
}

/* A baseline keeps what is unreached of each type: the gate that compares with it sees what is lost. */
Test(lost, is_told_by_type_of_a_baseline)
{
    const hsd_baseline_options wanted = {.force = true};
    write_pair(HSC_FACT_CONSERVATIVE | HSC_FACT_MANUAL);
    char base[48];
    snprintf(base, sizeof base, "%s.base", paths[0]);
    cr_assert_eq(hsd_baseline_write(captures[0], base, &wanted, NULL, NULL, &err), HSD_OK, "%s", err.text);
    hsd_capture_close(captures[0]);
    cr_assert_eq(hsd_capture_open(&captures[0], base, HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(run(), HSD_OK, "%s", err.text);
    remove(base);
    cr_assert(diff->lost.is_known && diff->lost.is_by_type && !diff->uncollected.is_known);
    cr_assert_eq(diff->lost.row_count, 3u);
    cr_expect(reads(diff->lost.rows[0].type, "Owner") && diff->lost.rows[0].after.bytes == 80);
    cr_expect(reads(diff->lost.rows[1].type, "Node") && diff->lost.rows[1].before.objects == 3 &&
              diff->lost.rows[1].after.objects == 7);
}

/* A program that keeps nothing but texts has no references at all. */
Test(lost, is_known_without_a_single_reference)
{
    for (int side = 0; side < 2; side++) {
        begin(side, HSC_FACT_CONSERVATIVE | HSC_FACT_MANUAL);
        for (uint64_t i = 0; i < (side == 0 ? 1u : 4u); i++)
            put(100 + i, TEXT, STRDUP + 1, 9, 0);
        good(hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = 1}));
        put(1, KEPT, MAIN, 8, 0);
        good(hsc_finish(w));
        hsc_close(w);
        cr_assert_eq(hsd_capture_open(&captures[side], paths[side], HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s",
                     err.text);
    }
    cr_assert_eq(run(), HSD_OK, "%s", err.text);
    cr_assert(diff->lost.is_known && diff->lost.row_count == 1);
    cr_expect_eq(diff->total.after.objects, 1u);
    cr_expect_eq(diff->lost.rows[0].after.objects, 4u);
}

Test(lost, every_allocation_that_fails)
{
    hsd_status status;
    bool struck;
    uint64_t at = 0;
    write_pair(HSC_FACT_CONSERVATIVE | HSC_FACT_MANUAL);
    do {
        hsd_fault_reset();
        hsd_fault_arm(HSD_FAULT_MALLOC, ++at, false, ENOMEM);
        diff = NULL;
        status = hsd_diff_run(&diff, captures[0], captures[1], NULL, NULL, &err);
        struck = hsd_fault_strikes() > 0;
        hsd_fault_reset();
        cr_assert(status == HSD_OK || (status == HSD_E_NOMEM && diff == NULL), "allocation %u: %s", (unsigned)at,
                  err.text);
        hsd_diff_free(diff);
        diff = NULL;
    } while (struck && at < 10000);
    cr_assert(status == HSD_OK && at > 100, "%u allocations", (unsigned)at);
}

/*
 * Growth by allocation site over all types: what no site is known of is a row, rows and their rest add up to the total,
 * captures of totals alone are compared without being asked, and captures with references have no such rows. Against a
 * naive count on random profiles.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <hscapture/hscapture.h>
#include <hsdiff/diff.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/fault.h"
#include "support/random.h"

static char paths[2][40];
static hsd_capture *captures[2];
static hsd_diff *diff;
static hsd_error err;
static hsc_writer *w;

static void setup(void)
{
    for (int side = 0; side < 2; side++) {
        snprintf(paths[side], sizeof paths[side], "/tmp/hsdiff-sites-all-XXXXXX");
        close(mkstemp(paths[side]));
    }
    hsd_error_init(&err);
    hsd_fault_reset();
}

static void forget(void)
{
    hsd_diff_free(diff);
    diff = NULL;
    for (int side = 0; side < 2; side++) {
        hsd_capture_close(captures[side]);
        captures[side] = NULL;
    }
}

static void teardown(void)
{
    forget();
    for (int side = 0; side < 2; side++)
        remove(paths[side]);
}

TestSuite(sites_all, .init = setup, .fini = teardown);

static void good(hsc_status status) { cr_assert_eq(status, HSC_OK, "%s", hsc_error_text(w)); }

static void begin(int side)
{
    hsc_options options;
    hsc_options_init(&options);
    options.has_site_totals = true;
    options.facts = HSC_FACT_NO_REFERENCES | HSC_FACT_NO_ROOTS;
    remove(paths[side]);
    good(hsc_open_file(&w, paths[side], &options));
}

static void define(uint32_t number, const char *name)
{
    good(hsc_define_string(w, number, name, strlen(name)));
    good(hsc_define_type(w, number, name, strlen(name), 0));
}

static void finish(int side)
{
    good(hsc_finish(w));
    hsc_close(w);
    cr_assert_eq(hsd_capture_open(&captures[side], paths[side], HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
}

static hsd_status run(void)
{
    hsd_diff_free(diff);
    return hsd_diff_run(&diff, captures[0], captures[1], NULL, NULL, &err);
}

static bool is_at(const hsd_site_row *row, const char *function)
{
    if (row->frame_count == 0) return function[0] == '\0';
    return row->frames[0].function.size == strlen(function) &&
           memcmp(row->frames[0].function.data, function, strlen(function)) == 0;
}

/* fill (from main) and main; numbers begin at `first`. */
static void write_profile(int side, uint32_t first, uint64_t filled, uint64_t unknown)
{
    begin(side);
    define(first, "main");
    define(first + 1, "fill");
    good(hsc_define_site(w, first, 0, first, 0, 3, 0));
    good(hsc_define_site(w, first + 1, first, first + 1, 0, 7, 0));
    if (filled > 0) good(hsc_count_site(w, first, first + 1, filled, filled * 10));
    good(hsc_count_site(w, first + 1, first + 1, 2, 100));
    good(hsc_count_site(w, first, first, 1, 7));
    if (unknown > 0) good(hsc_count(w, first, unknown, unknown));
    finish(side);
}

Test(sites_all, are_all_that_profiles_say)
{
    write_profile(0, 1, 5, 40);
    write_profile(1, 30, 25, 0);
    cr_assert_eq(run(), HSD_OK, "%s", err.text);
    cr_assert(diff->is_summary && diff->is_of_totals && diff->has_sites && !diff->identity_is_known);
    cr_assert_eq(diff->type_count, 2u);
    cr_assert_eq(diff->site_count, 3u);
    cr_expect(is_at(&diff->sites[0], "fill") && diff->sites[0].frame_count == 2);
    cr_expect(diff->sites[0].change.before.objects == 7 && diff->sites[0].change.before.bytes == 150);
    cr_expect(diff->sites[0].change.after.objects == 27 && diff->sites[0].change.after.bytes == 350);
    cr_expect(is_at(&diff->sites[1], "main") && diff->sites[1].change.after.objects == 1);
    cr_expect(is_at(&diff->sites[2], "") && diff->sites[2].change.before.objects == 40 &&
              diff->sites[2].change.after.objects == 0);
    cr_expect_eq(diff->other_site_count, 0u);
}

Test(sites_all, count_objects_that_have_no_references)
{
    for (int side = 0; side < 2; side++) {
        begin(side);
        define(1, "make");
        good(hsc_define_site(w, 1, 0, 1, 0, 0, 0));
        for (uint64_t id = 1; id <= (side == 0 ? 2u : 5u); id++) {
            good(hsc_begin_object(w, &(hsc_object){.id = id, .type = 1, .site = 1, .size_bytes = 16}));
            good(hsc_end_object(w));
        }
        finish(side);
    }
    cr_assert_eq(run(), HSD_OK, "%s", err.text);
    cr_assert(!diff->is_summary && diff->has_sites && diff->site_count == 1);
    cr_expect(diff->sites[0].change.before.objects == 2 && diff->sites[0].change.after.bytes == 80);
}

Test(sites_all, are_not_told_where_references_are)
{
    for (int side = 0; side < 2; side++) {
        begin(side);
        define(1, "make");
        good(hsc_define_site(w, 1, 0, 1, 0, 0, 0));
        good(hsc_begin_object(w, &(hsc_object){.id = 1, .type = 1, .site = 1, .size_bytes = 16}));
        good(hsc_reference(w, 1, 0, 0));
        good(hsc_end_object(w));
        finish(side);
    }
    cr_assert_eq(run(), HSD_OK, "%s", err.text);
    cr_expect(!diff->has_sites && diff->site_count == 0);
}

Test(sites_all, need_objects_for_a_list_of_objects)
{
    static const char *const keys[] = {"Type:field"};
    const hsd_diff_options options = {.keys = keys, .key_count = 1};
    write_profile(0, 1, 5, 0);
    write_profile(1, 1, 6, 0);
    cr_assert_eq(hsd_diff_run(&diff, captures[0], captures[1], &options, NULL, &err), HSD_E_UNSUPPORTED);
    cr_expect(strstr(err.text, "type totals") != NULL, "%s", err.text);
}

/* ---- against a naive count ---- */

enum { SITES = 1500, TYPES = 3 };

static void write_random(int side, test_random *random, hsd_amount *total)
{
    begin(side);
    for (uint32_t i = 1; i <= TYPES; i++) {
        const char name[] = {(char)('a' + i), '\0'};
        good(hsc_define_type(w, i, name, 1, 0));
    }
    for (uint32_t i = 1; i <= SITES; i++) {
        char name[16];
        const int size = snprintf(name, sizeof name, "f%u", i);
        good(hsc_define_string(w, i, name, (size_t)size));
        good(hsc_define_site(w, i, i / 2, i, 0, 0, 0));
        for (uint64_t more = test_below(random, 3); more > 0; more--) {
            const uint64_t objects = test_below(random, 10), bytes = objects * (1 + test_below(random, 100));
            good(hsc_count_site(w, 1 + (uint32_t)test_below(random, TYPES), i, objects, bytes));
            total->objects += objects;
            total->bytes += bytes;
        }
    }
    finish(side);
}

Test(sites_all, add_up_to_the_total)
{
    const uint64_t first = test_seed(3);
    for (uint64_t seed = first; seed < first + 8; seed++) {
        test_random random = {seed};
        hsd_amount truth[2] = {{0, 0}, {0, 0}}, before, after;
        for (int side = 0; side < 2; side++)
            write_random(side, &random, &truth[side]);
        cr_assert_eq(run(), HSD_OK, "%s", err.text);
        before = diff->other_sites.before;
        after = diff->other_sites.after;
        cr_assert(diff->site_count <= HSD_SITE_ROWS && diff->other_site_count > 0);
        for (size_t i = 0; i < diff->site_count; i++) {
            const hsd_change *change = &diff->sites[i].change;
            before.objects += change->before.objects;
            before.bytes += change->before.bytes;
            after.objects += change->after.objects;
            after.bytes += change->after.bytes;
            cr_assert(i == 0 || hsd_change_bytes(&diff->sites[i - 1].change) >= hsd_change_bytes(change), "seed %u",
                      (unsigned)seed);
        }
        cr_assert(before.objects == truth[0].objects && before.bytes == truth[0].bytes, "seed %u", (unsigned)seed);
        cr_assert(after.objects == truth[1].objects && after.bytes == truth[1].bytes, "seed %u", (unsigned)seed);
        cr_assert(diff->total.before.bytes == truth[0].bytes && diff->total.after.bytes == truth[1].bytes);
        forget();
    }
}

Test(sites_all, every_allocation_that_fails)
{
    write_profile(0, 1, 5, 1);
    write_profile(1, 30, 25, 2);
    for (uint64_t at = 1;; at++) {
        hsd_diff_free(diff);
        diff = NULL;
        hsd_fault_reset();
        hsd_fault_arm(HSD_FAULT_MALLOC, at, false, ENOMEM);
        const hsd_status status = hsd_diff_run(&diff, captures[0], captures[1], NULL, NULL, &err);
        const bool struck = hsd_fault_strikes() > 0;
        hsd_fault_reset();
        if (status == HSD_OK && !struck) {
            cr_assert_gt(at, 10u, "only %u allocations", (unsigned)at);
            break;
        }
        cr_assert(status == HSD_OK || status == HSD_E_NOMEM, "allocation %u: %s", (unsigned)at, err.text);
        cr_assert(status == HSD_OK || diff == NULL);
        cr_assert_lt(at, 10000u);
    }
}

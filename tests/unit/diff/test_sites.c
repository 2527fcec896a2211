/*
 * Growth by allocation site: the same stack is one row whatever its number, chains that end, break or go in circles are
 * read as far as they go, and of a type only the largest rows are kept. Against a naive count on random captures.
 */
#include <criterion/criterion.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/fault.h"
#include "support/random.h"
#include <hscapture/hscapture.h>
#include <hsdiff/sites.h>

static char paths[2][32];
static hsd_capture *captures[2];
static hsd_error err;
static hsc_writer *w;
static hsd_sites *sites;

static void setup(void)
{
    for (int side = 0; side < 2; side++) {
        snprintf(paths[side], sizeof paths[side], "/tmp/hsdiff-sites-XXXXXX");
        const int fd = mkstemp(paths[side]);
        cr_assert_geq(fd, 0);
        close(fd);
    }
    hsd_error_init(&err);
    hsd_fault_reset();
}

static void forget(void)
{
    hsd_sites_free(sites);
    sites = NULL;
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

TestSuite(sites, .init = setup, .fini = teardown);

/* ---- captures ---- */

static void good(hsc_status status) { cr_assert_eq(status, HSC_OK); }

static void begin(int side)
{
    hsc_options options;
    hsc_options_init(&options);
    remove(paths[side]);
    good(hsc_open_file(&w, paths[side], &options));
}

static void string(uint32_t number, const char *text) { good(hsc_define_string(w, number, text, strlen(text))); }
static void type(uint32_t number, const char *name) { good(hsc_define_type(w, number, name, strlen(name), 0)); }

static void object(uint64_t id, uint32_t type_, uint32_t site, uint64_t bytes)
{
    good(hsc_begin_object(w, &(hsc_object){.id = id, .type = type_, .site = site, .size_bytes = bytes}));
    good(hsc_end_object(w));
}

static void finish(int side)
{
    good(hsc_finish(w));
    hsc_close(w);
    cr_assert_eq(hsd_capture_open(&captures[side], paths[side], HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
}

static hsd_text text(const char *t) { return (hsd_text){t, strlen(t)}; }

static hsd_status find(const hsd_text *types, size_t count)
{
    hsd_sites_free(sites);
    return hsd_sites_run(&sites, captures[0], captures[1], types, count, NULL, &err);
}

static void want(const char *name)
{
    const hsd_text types[] = {text(name)};
    cr_assert_eq(find(types, 1), HSD_OK, "%s", err.text);
}

static bool reads(const hsd_site_frame *frame, const char *function, const char *file, uint32_t line)
{
    return frame->function.size == strlen(function) &&
           memcmp(frame->function.data, function, frame->function.size) == 0 && frame->file.size == strlen(file) &&
           memcmp(frame->file.data, file, frame->file.size) == 0 && frame->line == line;
}

/* main:3 -> make:7. Sites, strings and types have numbers from `first` on. */
static void write_stack(int side, uint32_t first, unsigned objects)
{
    begin(side);
    string(first, "main");
    string(first + 1, "make");
    string(first + 2, "a.c");
    type(first, "Node");
    type(first + 1, "Other");
    good(hsc_define_site(w, first, 0, first, first + 2, 3, 1));
    good(hsc_define_site(w, first + 1, first, first + 1, first + 2, 7, 2));
    for (unsigned i = 0; i < objects; i++)
        object(100 + i, first, first + 1, 10);
    object(1, first + 1, first, 1000);
    object(2, first, 0, 1000); /* of an unknown site */
    finish(side);
}

Test(sites, numbers_do_not_matter)
{
    write_stack(0, 1, 2);
    write_stack(1, 70, 5);
    want("Node");
    cr_assert(sites->are_known);
    cr_assert_eq(sites->row_count, 1u);
    const hsd_site_growth *row = &sites->rows[0];
    cr_expect_eq(row->before.objects, 2u);
    cr_expect_eq(row->after.objects, 5u);
    cr_expect_eq(row->after.bytes, 50u);
    cr_assert_eq(row->frame_count, 2u);
    cr_expect(reads(&row->frames[0], "make", "a.c", 7));
    cr_expect_eq(row->frames[0].column, 2u);
    cr_expect(reads(&row->frames[1], "main", "a.c", 3));
}

Test(sites, of_what_was_asked_in_that_order)
{
    const hsd_text types[] = {text("Other"), text("nothing"), text("Node"), text("Other")};
    write_stack(0, 1, 2);
    write_stack(1, 1, 5);
    cr_assert_eq(find(types, 4), HSD_OK);
    cr_assert_eq(sites->row_count, 2u);
    cr_expect_str_eq(sites->rows[0].type.data, "Other");
    cr_expect_str_eq(sites->rows[1].type.data, "Node");
}

Test(sites, captures_without_sites_say_so)
{
    for (int side = 0; side < 2; side++) {
        begin(side);
        type(1, "Node");
        object(1, 1, 0, 8);
        finish(side);
    }
    want("Node");
    cr_expect_not(sites->are_known);
    cr_expect_eq(sites->row_count, 0u);
}

Test(sites, nothing_wanted)
{
    write_stack(0, 1, 2);
    write_stack(1, 1, 2);
    cr_assert_eq(find(NULL, 0), HSD_OK);
    cr_expect_not(sites->are_known);
}

Test(sites, circles_and_gaps_end)
{
    for (int side = 0; side < 2; side++) {
        begin(side);
        string(1, "f");
        type(1, "Node");
        good(hsc_define_site(w, 1, 2, 1, 0, 1, 0)); /* 1 -> 2 -> 1 … */
        good(hsc_define_site(w, 2, 1, 1, 0, 2, 0));
        good(hsc_define_site(w, 3, 900, 1, 0, 3, 0)); /* a parent that is not there */
        object(1, 1, 1, 10);
        object(2, 1, 3, 20);
        object(3, 1, 901, 30); /* a site that is not there */
        finish(side);
    }
    want("Node");
    cr_assert_eq(sites->row_count, 3u);
    size_t frames = 0;
    for (size_t i = 0; i < sites->row_count; i++)
        frames += sites->rows[i].frame_count;
    cr_expect_eq(frames, 32u + 1 + 0);
}

Test(sites, the_largest_of_a_type)
{
    for (int side = 0; side < 2; side++) {
        begin(side);
        string(1, "f");
        type(1, "Node");
        for (uint32_t i = 1; i <= 20; i++) {
            good(hsc_define_site(w, i, 0, 1, 0, i, 0));
            object(i, 1, i, side == 0 ? 1000 : 1000 + i);
        }
        finish(side);
    }
    want("Node");
    cr_assert_eq(sites->row_count, HSD_SITES_OF_A_TYPE);
    for (uint32_t i = 0; i < HSD_SITES_OF_A_TYPE; i++)
        cr_expect_eq(sites->rows[i].frames[0].line, 20 - i);
}

/* ---- random captures, against sums by (type, line) ---- */

enum { LINES = 12, TYPES = 3 };

static void write_random(int side, test_random *random, hsd_amount truth[TYPES][LINES])
{
    const uint32_t first = 1 + (uint32_t)(test_next(random) % 50);
    begin(side);
    string(1, "f");
    for (uint32_t t = 0; t < TYPES; t++) {
        const char name[] = {(char)('A' + t), 0};
        type(t + 1, name);
    }
    for (uint32_t line = 0; line < LINES; line++)
        good(hsc_define_site(w, first + line, 0, 1, 0, line + 1, 0));
    for (uint64_t i = 0; i < 400; i++) {
        const uint32_t t = (uint32_t)(test_next(random) % TYPES), line = (uint32_t)(test_next(random) % LINES);
        const uint64_t bytes = test_next(random) % 1000;
        object(i, t + 1, first + line, bytes);
        truth[t][line].objects++;
        truth[t][line].bytes += bytes;
    }
    finish(side);
}

Test(sites, as_counted_by_hand)
{
    for (uint64_t seed = 0; seed < 30; seed++) {
        test_random random = {seed};
        hsd_amount truth[2][TYPES][LINES] = {0};
        for (int side = 0; side < 2; side++)
            write_random(side, &random, truth[side]);
        const hsd_text types[] = {text("C"), text("A")};
        cr_assert_eq(find(types, 2), HSD_OK);
        cr_assert_eq(sites->row_count, 2 * HSD_SITES_OF_A_TYPE);
        for (size_t i = 0; i < sites->row_count; i++) {
            const hsd_site_growth *row = &sites->rows[i];
            const int t = row->type.data[0] - 'A';
            const uint32_t line = row->frames[0].line - 1;
            cr_assert_eq(row->before.bytes, truth[0][t][line].bytes);
            cr_assert_eq(row->after.bytes, truth[1][t][line].bytes);
            cr_assert_eq(row->after.objects, truth[1][t][line].objects);
        }
        forget();
    }
}

/* ---- what fails ---- */

Test(sites, every_allocation_that_fails)
{
    const hsd_text types[] = {text("Node")};
    write_stack(0, 1, 2);
    write_stack(1, 70, 5);
    for (uint64_t at = 1;; at++) {
        hsd_fault_reset();
        hsd_fault_arm(HSD_FAULT_MALLOC, at, false, ENOMEM);
        const hsd_status status = find(types, 1);
        const bool struck = hsd_fault_strikes() > 0;
        hsd_fault_reset();
        if (status == HSD_OK && !struck) {
            cr_assert_gt(at, 10u, "only %u allocations", (unsigned)at);
            break;
        }
        cr_assert(status == HSD_OK || status == HSD_E_NOMEM, "allocation %u: %s", (unsigned)at, err.text);
        if (status != HSD_OK) sites = NULL;
        cr_assert_lt(at, 10000u);
    }
}

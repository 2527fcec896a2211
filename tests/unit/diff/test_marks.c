/*
 * Marks: equal stacks have equal marks whatever their numbers, other stacks others, and what a capture does not say
 * differs from nothing. Hostile tables of sites: cycles, missing parents, numbers of any size.
 */
#include <criterion/criterion.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/fault.h"
#include "support/random.h"
#include "walk/marks.h"
#include <hscapture/hscapture.h>

static char path[] = "/tmp/hsdiff-marks-XXXXXX";
static hsd_error err;
static hsc_writer *w;
static hsd_marks marks;

#define ROOM (UINT64_C(1) << 30)

static void setup(void)
{
    const int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    hsd_error_init(&err);
    hsd_fault_reset();
}

static void teardown(void)
{
    hsd_marks_release(&marks);
    remove(path);
}

TestSuite(marks, .init = setup, .fini = teardown);

/* ---- captures ---- */

static void good(hsc_status status) { cr_assert_eq(status, HSC_OK); }

static void begin_as(hsc_identity identity)
{
    hsc_options options;
    hsc_options_init(&options);
    options.identity = identity;
    remove(path);
    good(hsc_open_file(&w, path, &options));
}

static void begin(void) { begin_as(HSC_IDENTITY_ADDRESS); }

static void string(uint32_t number, const char *text) { good(hsc_define_string(w, number, text, strlen(text))); }

static hsd_status load(uint64_t limit_bytes)
{
    hsd_capture *capture;
    HSD_TRY(hsd_capture_open(&capture, path, HSD_DAMAGE_REFUSE, NULL, &err));
    const hsd_status status = hsd_marks_load(&marks, capture, limit_bytes, &err);
    hsd_capture_close(capture);
    return status;
}

static void finish(void)
{
    good(hsc_finish(w));
    hsc_close(w);
    hsd_marks_release(&marks);
    cr_assert_eq(load(ROOM), HSD_OK, "%s", err.text);
}

static uint32_t mark(uint32_t site, uint32_t age)
{
    return hsd_marks_of(&marks, &(hsd_object){.site = site, .age = age});
}

static uint32_t site_mark(uint32_t site) { return mark(site, 0); }

/* ---- what they say ---- */

/* main:3 -> make:7:2 and main:3 -> make:8:2; numbers of sites and strings begin at `first`. */
static void write_two_stacks(uint32_t first, bool parents_first)
{
    begin();
    if (!parents_first) good(hsc_define_site(w, first + 1, first, first + 1, first + 2, 7, 2));
    string(first + 2, "a.rb");
    string(first, "main");
    good(hsc_define_site(w, first, 0, first, first + 2, 3, 0));
    if (parents_first) good(hsc_define_site(w, first + 1, first, first + 1, first + 2, 7, 2));
    good(hsc_define_site(w, first + 2, first, first + 1, first + 2, 8, 2));
    string(first + 1, "make");
    finish();
}

Test(marks, of_equal_stacks_are_equal_whatever_their_numbers)
{
    static const uint32_t firsts[] = {1, 2, 77, 100000, 0x7ffffff0};
    write_two_stacks(500, true);
    const uint32_t main_ = site_mark(500), seven = site_mark(501), eight = site_mark(502);
    cr_assert(main_ != 0 && seven != 0 && eight != 0);
    cr_assert(main_ != seven && seven != eight && main_ != eight);
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++) {
        write_two_stacks(firsts[i], i % 2 == 0);
        cr_assert_eq(site_mark(firsts[i]), main_);
        cr_assert_eq(site_mark(firsts[i] + 1), seven);
        cr_assert_eq(site_mark(firsts[i] + 2), eight);
    }
}

Test(marks, tell_every_part_of_a_frame_apart)
{
    begin();
    string(1, "a");
    string(2, "b");
    const uint32_t frames[][5] = {{0, 1, 1, 1, 1}, {0, 2, 1, 1, 1}, {0, 1, 2, 1, 1}, {0, 1, 1, 2, 1}, {0, 1, 1, 1, 2},
                                  {1, 1, 1, 1, 1}, {2, 1, 1, 1, 1}, {0, 0, 1, 1, 1}, {0, 1, 0, 1, 1}, {0, 0, 0, 0, 0}};
    enum { COUNT = sizeof frames / sizeof frames[0] };
    for (uint32_t i = 0; i < COUNT; i++) {
        good(hsc_define_site(w, i + 1, frames[i][0], frames[i][1], frames[i][2], frames[i][3], frames[i][4]));
    }
    finish();
    for (uint32_t i = 1; i <= COUNT; i++) {
        cr_assert_neq(site_mark(i), 0);
        for (uint32_t j = 1; j < i; j++)
            cr_assert(hsd_marks_differ(site_mark(i), site_mark(j)), "%u %u", i, j);
    }
}

Test(marks, say_nothing_where_the_capture_says_nothing)
{
    begin();
    string(1, "f");
    good(hsc_define_site(w, 1, 0, 1, 1, 1, 0));
    finish();
    cr_assert_eq(mark(0, 0), 0);
    cr_assert_eq(mark(9, 0), 0); /* never defined */
    cr_assert_neq(mark(1, 0), 0);
    cr_assert_neq(mark(0, 1), 0);
    cr_assert(hsd_marks_can_tell(&marks));
    cr_assert_not(hsd_marks_can_tell(&(hsd_marks){0}));
    cr_assert_eq(hsd_marks_of(&(hsd_marks){0}, &(hsd_object){.site = 1, .age = 1}), 0);
}

Test(marks, take_the_generation_where_ids_are_addresses)
{
    static const hsc_identity others[] = {HSC_IDENTITY_NONE, HSC_IDENTITY_EXACT, HSC_IDENTITY_MOVING};
    begin();
    finish();
    for (uint32_t age = 1; age < 3000; age += 7) {
        cr_assert(hsd_marks_differ(mark(0, age), mark(0, age + 1)));
        cr_assert_not(hsd_marks_differ(mark(0, age), mark(0, age)));
    }
    cr_assert_neq(mark(0, 65535), 0);
    cr_assert_neq(mark(0, UINT32_MAX), 0);
    cr_assert_neq(mark(0, UINT32_MAX), mark(0, UINT32_MAX - 1));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        begin_as(others[i]);
        finish();
        cr_assert_eq(mark(0, 5), 0);
    }
}

Test(marks, differ_only_where_both_captures_speak)
{
    cr_assert_not(hsd_marks_differ(0, 0x00050007));
    cr_assert_not(hsd_marks_differ(0x00050000, 0x00000007));
    cr_assert_not(hsd_marks_differ(0x00050000, 0x00050007));
    cr_assert_not(hsd_marks_differ(0x00050007, 0x00050007));
    cr_assert(hsd_marks_differ(0x00050007, 0x00060007));
    cr_assert(hsd_marks_differ(0x00050007, 0x00050008));
    cr_assert(hsd_marks_differ(0x00050000, 0x00060008));
    cr_assert(hsd_marks_differ(0x00000001, 0x00050002));
}

/* ---- hostile tables ---- */

Test(marks, say_nothing_of_a_stack_of_which_something_is_lost)
{
    begin();
    string(1, "f");
    good(hsc_define_site(w, 1, 99, 1, 1, 1, 0)); /* its parent is not there */
    good(hsc_define_site(w, 2, 1, 1, 1, 2, 0));
    good(hsc_define_site(w, 3, 0, 50, 1, 3, 0)); /* its name is not */
    good(hsc_define_site(w, 4, 3, 1, 1, 4, 0));
    good(hsc_define_site(w, 5, 0, 1, 51, 5, 0)); /* nor its file */
    good(hsc_define_site(w, 6, 0, 1, 1, 6, 0));
    finish();
    for (uint32_t site = 1; site <= 5; site++)
        cr_assert_eq(site_mark(site), 0, "%u", site);
    cr_assert_neq(site_mark(6), 0);
}

Test(marks, follow_cycles_as_far_as_a_reader_does)
{
    begin();
    string(1, "f");
    good(hsc_define_site(w, 1, 1, 1, 1, 1, 0)); /* itself */
    good(hsc_define_site(w, 2, 3, 1, 1, 2, 0)); /* each other */
    good(hsc_define_site(w, 3, 2, 1, 1, 3, 0));
    good(hsc_define_site(w, 4, 5, 1, 1, 2, 0)); /* as 2 and 3 */
    good(hsc_define_site(w, 5, 2, 1, 1, 3, 0));
    good(hsc_define_site(w, 6, 2, 1, 1, 6, 0)); /* into the cycle */
    finish();
    for (uint32_t site = 1; site <= 6; site++)
        cr_assert_neq(site_mark(site), 0);
    cr_assert_neq(site_mark(2), site_mark(3));
    cr_assert_eq(site_mark(2), site_mark(4));
    cr_assert_eq(site_mark(3), site_mark(5));
    cr_assert_neq(site_mark(6), site_mark(2));
}

/* A chain of `depth` frames over an outermost one of line `line`; the site of the innermost. */
static uint32_t write_chain(uint32_t first, uint32_t depth, uint32_t line)
{
    for (uint32_t i = 0; i < depth; i++) {
        good(hsc_define_site(w, first + i, i == 0 ? 0 : first + i - 1, 1, 1, i == 0 ? line : 7, 0));
    }
    return first + depth - 1;
}

Test(marks, look_at_512_frames)
{
    static const uint32_t depths[] = {1, 2, 3, 255, 256, 257, 511, 512, 513, 1024, 5000};
    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
        begin();
        string(1, "f");
        const uint32_t a = write_chain(1, depths[i], 1000), b = write_chain(10000, depths[i], 2000);
        const uint32_t longer = write_chain(20000, depths[i] + 1, 1000);
        finish();
        cr_assert_eq(hsd_marks_differ(site_mark(a), site_mark(b)), depths[i] <= 512, "%u", depths[i]);
        cr_assert_eq(hsd_marks_differ(site_mark(a), site_mark(longer)), depths[i] <= 512, "%u", depths[i]);
    }
}

Test(marks, take_the_first_of_two_sites_with_one_number)
{
    begin();
    string(1, "f");
    good(hsc_define_site(w, 1, 0, 1, 1, 1, 0));
    good(hsc_define_site(w, 2, 0, 1, 1, 2, 0));
    finish();
    const uint32_t first = site_mark(1);
    begin();
    string(1, "f");
    good(hsc_define_site(w, 1, 0, 1, 1, 1, 0));
    good(hsc_define_site(w, 1, 0, 1, 1, 2, 0));
    finish();
    cr_assert_eq(marks.count, 1);
    cr_assert_eq(site_mark(1), first);
}

/* Stacks one by one, as a reader follows them. */
static void follow(const uint32_t (*sites)[2], uint32_t site, uint32_t *lines, uint32_t *depth)
{
    *depth = 0;
    while (site != 0 && *depth < 512) {
        lines[(*depth)++] = sites[site][1];
        site = sites[site][0];
    }
}

Test(marks, of_random_tables_are_equal_where_the_stacks_are)
{
    enum { SITES = 120 };
    uint64_t others = 0, collisions = 0, wrong = 0;
    for (uint64_t round = 0; round < 60; round++) {
        test_random random = {test_seed(9) + round};
        uint32_t sites[SITES + 1][2], lines[2][512], depths[2];
        begin();
        string(1, "f");
        for (uint32_t i = 1; i <= SITES; i++) {
            /* with cycles; without */
            sites[i][0] = (uint32_t)test_below(&random, round % 2 == 0 ? SITES + 1 : i);
            sites[i][1] = (uint32_t)test_below(&random, 2);
            good(hsc_define_site(w, i, sites[i][0], 1, 1, sites[i][1], 0));
        }
        finish();
        for (uint32_t i = 1; i <= SITES; i++) {
            follow((const uint32_t(*)[2])sites, i, lines[0], &depths[0]);
            for (uint32_t j = 1; j < i; j++) {
                follow((const uint32_t(*)[2])sites, j, lines[1], &depths[1]);
                const size_t size = depths[0] * sizeof **lines;
                const bool is_same = depths[0] == depths[1] && memcmp(lines[0], lines[1], size) == 0;
                others += !is_same;
                collisions += !is_same && site_mark(i) == site_mark(j);
                wrong += is_same && site_mark(i) != site_mark(j);
            }
        }
    }
    cr_assert_eq(wrong, 0);
    cr_assert_leq(collisions, 5 + 4 * others / 65535); /* chance alone */
}

/* ---- limits ---- */

static void write_many(uint32_t count)
{
    char name[16];
    begin();
    for (uint32_t i = 1; i <= count; i++) {
        snprintf(name, sizeof name, "f%u", i);
        string(i, name);
        good(hsc_define_site(w, i, i / 2, i, i, i, 0));
    }
    finish();
}

Test(marks, say_what_they_need_when_the_memory_does_not_suffice)
{
    const uint32_t count = 20000;
    uint64_t least = 1;
    write_many(count);
    cr_assert_eq(marks.count, count);
    hsd_marks_release(&marks);
    for (hsd_status status = HSD_E_OVER_BUDGET; status != HSD_OK; least *= 2) {
        status = load(least);
        cr_assert(status == HSD_OK || status == HSD_E_OVER_BUDGET, "%s", err.text);
        if (status == HSD_OK) break;
        cr_assert_not_null(strstr(err.text, "allocation sites"));
        cr_assert_not_null(strstr(err.hint, "--memory"));
        cr_assert_eq(marks.count, 0);
        cr_assert_null(marks.sites);
    }
    cr_assert_leq(least, 2 * count * (80 + 32)); /* as the header says, next power of two */
    hsd_marks_release(&marks);
    cr_assert_eq(load(1), HSD_E_OVER_BUDGET);
    const uint64_t told = strtoull(strpbrk(err.hint, "0123456789"), NULL, 10);
    cr_assert_eq(load((told << 20) / 16), HSD_OK, "%s", err.hint); /* the share of tables suffices */
}

Test(marks, survive_any_allocation_that_fails)
{
    write_many(600);
    hsd_marks_release(&marks);
    hsd_fault_reset();
    cr_assert_eq(load(ROOM), HSD_OK);
    const uint64_t calls = hsd_fault_calls(HSD_FAULT_MALLOC);
    for (uint64_t at = 1; at <= calls; at++) {
        hsd_marks_release(&marks);
        hsd_fault_reset();
        hsd_fault_arm(HSD_FAULT_MALLOC, at, false, ENOMEM);
        const hsd_status status = load(ROOM);
        const uint64_t strikes = hsd_fault_strikes();
        hsd_fault_reset();
        cr_assert(status == HSD_E_NOMEM || strikes == 0, "call %lu: %s", (unsigned long)at, err.text);
        if (status != HSD_OK) cr_assert_eq(marks.count, 0);
    }
}

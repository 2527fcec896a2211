/*
 * Size histograms of a diff: what counts and what does not, which types and in which order, and when there are none.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <hscapture/hscapture.h>
#include <hsdiff/diff.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/fault.h"

static char paths[2][40];
static hsd_diff *diff;
static hsd_error err;
static hsc_writer *w;
static uint64_t next_id;

static void setup(void)
{
    for (int side = 0; side < 2; side++) {
        snprintf(paths[side], sizeof paths[side], "/tmp/hsdiff-sizes-XXXXXX");
        close(mkstemp(paths[side]));
    }
    hsd_error_init(&err);
    hsd_fault_reset();
}

static void teardown(void)
{
    hsd_diff_free(diff);
    for (int side = 0; side < 2; side++)
        remove(paths[side]);
}

TestSuite(sizes, .init = setup, .fini = teardown);

static void begin(int side)
{
    hsc_options options;
    hsc_options_init(&options);
    options.identity = HSC_IDENTITY_EXACT;
    options.domain[0] = 1;
    remove(paths[side]);
    next_id = 1000;
    cr_assert_eq(hsc_open_file(&w, paths[side], &options), HSC_OK);
}

static void put(uint32_t type, uint64_t size, uint64_t native, uint32_t flags)
{
    hsc_begin_object(w, &(hsc_object){
                            .id = next_id++, .type = type, .size_bytes = size, .native_bytes = native, .flags = flags});
    hsc_end_object(w);
}

static void define(uint32_t type, const char *name, uint32_t flags)
{
    hsc_define_type(w, type, name, strlen(name), flags);
}

/* One object that holds the next `count`, and is the root. */
static void put_root(uint32_t count)
{
    hsc_begin_object(w, &(hsc_object){.id = 1, .size_bytes = 24});
    for (uint32_t i = 0; i < count; i++)
        hsc_reference(w, next_id + i, 0, 0);
    hsc_end_object(w);
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = 1});
}

static void finish(void)
{
    cr_assert_eq(hsc_finish(w), HSC_OK, "%s", hsc_error_text(w));
    hsc_close(w);
}

static hsd_status compare(hsd_damage damage, const hsd_diff_options *options)
{
    hsd_capture *before = NULL, *after = NULL;
    hsd_diff_free(diff);
    diff = NULL;
    hsd_status status = hsd_capture_open(&before, paths[0], damage, NULL, &err);
    if (status == HSD_OK) status = hsd_capture_open(&after, paths[1], damage, NULL, &err);
    if (status == HSD_OK) status = hsd_diff_run(&diff, before, after, options, NULL, &err);
    hsd_capture_close(before);
    hsd_capture_close(after);
    return status;
}

static bool is(const hsd_amount *buckets, unsigned bucket, uint64_t objects, uint64_t bytes)
{
    return buckets[bucket].objects == objects && buckets[bucket].bytes == bytes;
}

static uint64_t objects_in(const hsd_amount *buckets)
{
    uint64_t sum = 0;
    for (unsigned b = 0; b < HSD_SIZE_BUCKETS; b++)
        sum += buckets[b].objects;
    return sum;
}

/* Before: two of 8. After: 0, 1, 2, 3, 8, 15, 16 and 2^40, of which the last is unreached, and native bytes. */
static void write_some(void)
{
    static const uint64_t sizes[] = {0, 1, 2, 3, 8, 15, 16, UINT64_C(1) << 40};
    begin(0);
    define(1, "Thing", 0);
    put_root(2);
    put(1, 8, 0, 0);
    put(1, 8, 0, 0);
    finish();
    begin(1);
    define(7, "Thing", 0); /* numbers are a capture's own */
    put_root(7);
    for (size_t i = 0; i < 8; i++)
        put(7, sizes[i], 1000, 0);
    put(7, 99, 0, HSC_OBJECT_PSEUDO);
    finish();
}

Test(sizes, count_every_object_by_its_own_size)
{
    write_some();
    cr_assert_eq(compare(HSD_DAMAGE_REFUSE, NULL), HSD_OK, "%s", err.text);
    cr_assert_eq(diff->size_count, 1u);
    const hsd_size_row *row = &diff->sizes[0];
    cr_expect_str_eq(row->type.data, "Thing");
    cr_expect(is(row->before, 4, 2, 16) && objects_in(row->before) == 2);
    cr_expect(is(row->after, 0, 1, 0) && is(row->after, 1, 1, 1) && is(row->after, 2, 2, 5));
    cr_expect(is(row->after, 4, 2, 23) && is(row->after, 5, 1, 16) && is(row->after, 41, 1, UINT64_C(1) << 40));
    cr_expect_eq(objects_in(row->after), 8u);
}

Test(sizes, are_there_with_type_totals_alone_as_well)
{
    write_some();
    cr_assert_eq(compare(HSD_DAMAGE_REFUSE, &(hsd_diff_options){.summary_only = true}), HSD_OK, "%s", err.text);
    cr_assert_eq(diff->size_count, 1u);
    cr_expect(is(diff->sizes[0].before, 4, 2, 16) && objects_in(diff->sizes[0].after) == 8);
}

Test(sizes, of_two_types_of_one_name_are_added)
{
    begin(0);
    finish();
    begin(1);
    define(1, "Same", 0);
    define(2, "Same", 0);
    put_root(2);
    put(1, 8, 0, 0);
    put(2, 9, 0, 0);
    finish();
    cr_assert_eq(compare(HSD_DAMAGE_REFUSE, NULL), HSD_OK, "%s", err.text);
    cr_assert_eq(diff->size_count, 2u);
    cr_expect_str_eq(diff->sizes[1].type.data, "Same");
    cr_expect(is(diff->sizes[1].after, 4, 2, 17));
}

/* Type i changes by i bytes: odd ones grow, even ones shrink, and type 0 stays. */
static void write_many(uint32_t types)
{
    char name[16];
    for (int side = 0; side < 2; side++) {
        begin(side);
        put_root(types);
        for (uint32_t i = 0; i < types; i++) {
            snprintf(name, sizeof name, "Type%03u", i);
            define(i + 1, name, 0);
            put(i + 1, 1000 + ((i % 2 == 1) == (side == 1) ? i : 0), 0, 0);
        }
        finish();
    }
}

Test(sizes, are_of_the_types_that_changed_most)
{
    char name[16];
    write_many(231);
    cr_assert_eq(compare(HSD_DAMAGE_REFUSE, NULL), HSD_OK, "%s", err.text);
    cr_assert_eq(diff->size_count, HSD_SIZE_ROWS);
    for (uint32_t i = 0; i < HSD_SIZE_ROWS; i++) {
        snprintf(name, sizeof name, "Type%03u", 230 - i);
        cr_expect_str_eq(diff->sizes[i].type.data, name);
    }
}

Test(sizes, are_not_of_types_that_did_not_change)
{
    write_many(3);
    cr_assert_eq(compare(HSD_DAMAGE_REFUSE, NULL), HSD_OK, "%s", err.text);
    cr_assert_eq(diff->size_count, 2u);
    cr_expect_str_eq(diff->sizes[0].type.data, "Type002");
    cr_expect_str_eq(diff->sizes[1].type.data, "Type001");
}

Test(sizes, are_not_told_of_objects_that_stand_in_totals_alone)
{
    for (int side = 0; side < 2; side++) {
        begin(side);
        define(1, "Counted", 0);
        define(2, "Written", 0);
        hsc_count(w, 1, 10 + (uint64_t)side, 100 + (uint64_t)side);
        for (int i = 0; i <= side; i++)
            put(2, 8, 0, 0);
        finish();
    }
    cr_assert_eq(compare(HSD_DAMAGE_REFUSE, &(hsd_diff_options){.summary_only = true}), HSD_OK, "%s", err.text);
    cr_assert_eq(diff->type_count, 2u);
    cr_assert_eq(diff->size_count, 1u);
    cr_expect_str_eq(diff->sizes[0].type.data, "Written");
}

Test(sizes, are_none_of_a_capture_that_is_cut_off)
{
    struct stat file;
    write_some();
    cr_assert_eq(stat(paths[0], &file), 0);
    cr_assert_eq(truncate(paths[0], file.st_size - 40), 0);
    cr_assert_eq(compare(HSD_DAMAGE_SKIP, NULL), HSD_OK, "%s", err.text);
    cr_expect(diff->is_partial && diff->type_count > 0);
    cr_expect_eq(diff->size_count, 0u);
}

Test(sizes, every_allocation_that_fails)
{
    write_some();
    for (uint64_t at = 1;; at++) {
        hsd_fault_reset();
        hsd_fault_arm(HSD_FAULT_MALLOC, at, false, ENOMEM);
        const hsd_status status = compare(HSD_DAMAGE_REFUSE, &(hsd_diff_options){.summary_only = true});
        const bool has_struck = hsd_fault_strikes() > 0;
        hsd_fault_reset();
        if (!has_struck) {
            cr_assert_eq(status, HSD_OK, "%s", err.text);
            cr_assert_gt(at, 20u);
            break;
        }
        cr_assert(status == HSD_E_NOMEM || status == HSD_OK, "allocation %u: %s", (unsigned)at, err.text);
        cr_assert_eq(diff == NULL, status != HSD_OK, "allocation %u", (unsigned)at);
    }
}

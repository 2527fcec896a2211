/*
 * Examples of new objects: the three lowest ids whatever the order in which they come, none where it is not known what
 * is new.
 */
#include <criterion/criterion.h>
#include <hscapture/hscapture.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diff/examples.h"
#include "support/random.h"

static char paths[2][40];
static hsd_diff *diff;
static hsd_error err;

static void setup(void)
{
    for (int side = 0; side < 2; side++) {
        snprintf(paths[side], sizeof paths[side], "/tmp/hsdiff-examples-XXXXXX");
        close(mkstemp(paths[side]));
    }
    hsd_error_init(&err);
}

static void teardown(void)
{
    hsd_diff_free(diff);
    for (int side = 0; side < 2; side++)
        remove(paths[side]);
}

TestSuite(examples, .init = setup, .fini = teardown);

static int compare_ids(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

Test(examples, are_the_lowest_of_what_was_offered)
{
    const uint64_t first = test_seed(1);
    for (uint64_t seed = first; seed < first + 2000; seed++) {
        test_random random = {seed};
        uint64_t ids[12], count = test_below(&random, 13);
        hsd_examples found = {{0}};
        for (uint64_t i = 0; i < count; i++) {
            ids[i] = test_below(&random, 1000) << 8 | i; /* distinct */
            if (test_below(&random, 10) == 0) ids[i] = UINT64_MAX - i;
            hsd_examples_offer(&found, i, ids[i]);
        }
        qsort(ids, count, sizeof *ids, compare_ids);
        cr_assert_eq(hsd_examples_count(count), count < 3 ? count : 3);
        for (uint32_t i = 0; i < hsd_examples_count(count); i++)
            cr_assert_eq(found.ids[i], ids[i], "seed %u, %u", (unsigned)seed, i);
    }
}

/* ---- of whole captures ---- */

enum { HELD = 1, LOOSE = 2 };

/* A root that holds every object of `ids`; one of type LOOSE that nobody holds. */
static void write_capture(int side, hsc_identity identity, const uint64_t *ids, size_t count)
{
    hsc_options options;
    hsc_writer *w;
    hsc_options_init(&options);
    options.identity = identity;
    for (int i = 0; i < 16; i++)
        options.domain[i] = (uint8_t)(i + 1);
    remove(paths[side]);
    cr_assert_eq(hsc_open_file(&w, paths[side], &options), HSC_OK);
    hsc_define_type(w, HELD, "Held", 4, 0);
    hsc_define_type(w, LOOSE, "Loose", 5, 0);
    hsc_begin_object(w, &(hsc_object){.id = 1, .type = HELD, .size_bytes = 8});
    for (size_t i = 0; i < count; i++)
        hsc_reference(w, ids[i], 0, 0);
    hsc_end_object(w);
    for (size_t i = 0; i < count; i++) {
        hsc_begin_object(w, &(hsc_object){.id = ids[i], .type = HELD, .size_bytes = 16});
        hsc_end_object(w);
    }
    hsc_begin_object(w, &(hsc_object){.id = (uint64_t)2 + (uint64_t)side, .type = LOOSE, .size_bytes = 16});
    hsc_end_object(w);
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = 1});
    cr_assert_eq(hsc_finish(w), HSC_OK, "%s", hsc_error_text(w));
    hsc_close(w);
}

static const hsd_type_row *compare(hsd_damage damage, const hsd_diff_options *options)
{
    static const hsd_type_row none;
    hsd_capture *before, *after;
    cr_assert_eq(hsd_capture_open(&before, paths[0], damage, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_capture_open(&after, paths[1], damage, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_diff_run(&diff, before, after, options, NULL, &err), HSD_OK, "%s", err.text);
    hsd_capture_close(before);
    hsd_capture_close(after);
    for (size_t i = 0; i < diff->type_count; i++) {
        if (strcmp(diff->types[i].name.data, "Held") == 0) return &diff->types[i];
        cr_expect_eq(diff->types[i].example_count, 0u, "unreached objects are not retained");
    }
    return &none;
}

static const uint64_t old[] = {50, 10}, later[] = {90, 50, 70, 0, 30, 60};

static void write_both(hsc_identity identity)
{
    write_capture(0, identity, old, 2);
    write_capture(1, identity, later, 6);
}

Test(examples, are_ids_of_what_is_new_in_the_capture_after)
{
    write_both(HSC_IDENTITY_EXACT);
    const hsd_type_row *row = compare(HSD_DAMAGE_REFUSE, NULL);
    cr_assert_eq(row->live.new_.objects, 5u);
    cr_assert_eq(row->example_count, 3u);
    cr_expect(row->examples[0] == 0 && row->examples[1] == 30 && row->examples[2] == 60);
}

Test(examples, are_there_with_addresses_too)
{
    write_both(HSC_IDENTITY_ADDRESS);
    const hsd_type_row *row = compare(HSD_DAMAGE_REFUSE, NULL);
    cr_assert(diff->identity_is_known && row->example_count == 3);
    cr_expect(row->examples[0] == 0 && row->examples[1] == 30 && row->examples[2] == 60);
}

Test(examples, are_ids_and_no_positions_where_structure_tells)
{
    const hsd_diff_options options = {.match_by = HSD_MATCH_BY_STRUCTURE};
    write_both(HSC_IDENTITY_MOVING);
    const hsd_type_row *row = compare(HSD_DAMAGE_REFUSE, &options);
    cr_assert(diff->is_by_structure && row->live.new_.objects > 0);
    cr_assert_eq(row->example_count, row->live.new_.objects < 3 ? row->live.new_.objects : 3);
    for (uint32_t i = 0; i < row->example_count; i++) {
        size_t at = 0;
        while (at < 6 && later[at] != row->examples[i])
            at++;
        cr_expect(at < 6 || row->examples[i] == 1, "%u is no id", (unsigned)row->examples[i]);
        cr_expect(i == 0 || row->examples[i - 1] < row->examples[i]);
    }
}

Test(examples, are_none_without_identity)
{
    const hsd_diff_options counts = {.match_by = HSD_MATCH_BY_COUNTS}, summary = {.summary_only = true};
    write_both(HSC_IDENTITY_MOVING);
    cr_expect_eq(compare(HSD_DAMAGE_REFUSE, &counts)->example_count, 0u);
    cr_expect_not(diff->identity_is_known);
    hsd_diff_free(diff);
    cr_expect_eq(compare(HSD_DAMAGE_REFUSE, &summary)->example_count, 0u);
}

Test(examples, are_none_where_the_capture_before_is_cut_off)
{
    write_both(HSC_IDENTITY_EXACT);
    struct stat file;
    cr_assert_eq(stat(paths[0], &file), 0);
    cr_assert_eq(truncate(paths[0], file.st_size - 40), 0); /* the trailer, and some of what is before it */
    cr_expect_eq(compare(HSD_DAMAGE_SKIP, NULL)->example_count, 0u);
    cr_expect(diff->is_partial && !hsd_new_is_known(diff));
}

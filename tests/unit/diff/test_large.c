/*
 * Captures of more objects than are walked: sums by type are told, and that there is no more. The captures here say
 * that they have so many, and have few: nothing but what they say decides.
 */
#include <criterion/criterion.h>
#include <hscapture/hscapture.h>
#include <hsdiff/profile.h>
#include <hsdiff/top.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/node.h"
#include "format/capture_state.h"

#if HSD_NODE_BITS == 32
#define MOST         "4294967040"
#define ONE_TOO_MANY "4294967041"
#else
#define MOST         "1099511627776"
#define ONE_TOO_MANY "1099511627777"
#endif

static char paths[2][40];
static hsd_capture *captures[2];
static hsd_error err;

static void write_capture(const char *path, uint64_t count)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    hsc_define_type(w, 1, "Row", 3, 0);
    for (uint64_t id = 1; id <= count; id++) {
        hsc_begin_object(w, &(hsc_object){.id = id, .type = 1, .size_bytes = 32});
        if (id < count) hsc_reference(w, id + 1, 0, 0);
        hsc_end_object(w);
    }
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = 1});
    cr_assert_eq(hsc_finish(w), HSC_OK, "%s", hsc_error_text(w));
    hsc_close(w);
}

static void setup(void)
{
    hsd_error_init(&err);
    for (int side = 0; side < 2; side++) {
        snprintf(paths[side], sizeof paths[side], "/tmp/hsdiff-large-XXXXXX");
        close(mkstemp(paths[side]));
        remove(paths[side]);
        write_capture(paths[side], 100 + 50 * (uint64_t)side);
        cr_assert_eq(hsd_capture_open(&captures[side], paths[side], HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK);
    }
}

static void teardown(void)
{
    for (int side = 0; side < 2; side++) {
        hsd_capture_close(captures[side]);
        remove(paths[side]);
    }
}

TestSuite(large, .init = setup, .fini = teardown);

static void make_large(int side, uint64_t objects) { captures[side]->info.objects = objects; }

Test(large, one_more_than_are_walked_is_compared_by_type)
{
    for (int side = 0; side < 2; side++) {
        hsd_diff *diff = NULL;
        make_large(side, hsd_most_walked() + 1);
        cr_assert_eq(hsd_diff_run(&diff, captures[0], captures[1], NULL, NULL, &err), HSD_OK, "%s", err.text);
        cr_assert(diff->is_summary && !diff->has_holders);
        cr_assert_eq(diff->type_count, 1u);
        cr_assert_eq(diff->types[0].live.before.objects, 100u);
        cr_assert_eq(diff->types[0].live.after.objects, 150u);
        cr_assert_eq(diff->warning_count, 1u + (side == 1));
        cr_assert(strstr(diff->warnings[0].data, "holds " ONE_TOO_MANY " objects, and " MOST " are walked at most") !=
                      NULL,
                  "%s", diff->warnings[0].data);
        cr_assert(strstr(diff->warnings[0].data, paths[0]) != NULL);
        hsd_diff_free(diff);
    }
}

Test(large, single_objects_are_refused)
{
    hsd_diff *diff = NULL;
    static const char *const keys[] = {"Row:name"};
    hsd_diff_options options = HSD_OPTIONS_INIT(hsd_diff_options);
    options.keys = keys;
    options.key_count = 1;
    make_large(0, 2 * hsd_most_walked());
    cr_assert_eq(hsd_diff_run(&diff, captures[0], captures[1], &options, NULL, &err), HSD_E_UNSUPPORTED);
    cr_assert(strstr(err.text, "a key needs objects, and a capture has more than are walked") != NULL, "%s", err.text);
    cr_assert_null(diff);
}

Test(large, a_profile_is_of_types_and_says_why)
{
    hsd_profile *profile = NULL;
    hsd_profile_options options = HSD_OPTIONS_INIT(hsd_profile_options);
    make_large(1, 16 * hsd_most_walked());
    cr_assert_eq(hsd_profile_make(&profile, captures[1], &options, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert(profile->is_summary);
    cr_assert_eq(profile->side.live.objects, 150u);
    cr_assert(strstr(profile->why_no_places.data, "more objects than are walked") != NULL);
    cr_assert_eq(profile->warning_count, 1u);
    hsd_profile_free(profile);
}

Test(large, what_must_walk_says_how_many_it_can)
{
    hsd_top *top = NULL;
    make_large(0, hsd_most_walked() + 1);
    cr_assert_eq(hsd_top_run(&top, captures[0], NULL, NULL, &err), HSD_E_UNSUPPORTED);
    cr_assert(strstr(err.text, "holds " ONE_TOO_MANY " objects, and " MOST " are walked at most") != NULL, "%s",
              err.text);
    cr_assert_null(top);
}

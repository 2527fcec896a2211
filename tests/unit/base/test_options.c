/*
 * Options of older and of newer callers: what they do not know is 0, what is not known here is refused.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/options.h"

/* What the library has: the second version of a struct that has three. */
typedef struct v1_options {
    size_t struct_bytes;
    int level;
} v1_options;

typedef struct my_options {
    size_t struct_bytes;
    int level;
    int added_padding; /* a new member never stands in padding */
    const char *name;
} my_options;

typedef struct v3_options {
    size_t struct_bytes;
    int level, added_padding;
    const char *name;
    long wish;
} v3_options;

static hsd_error err;

static hsd_status take(my_options *own, const void *given)
{
    hsd_error_init(&err);
    memset(own, 0x55, sizeof *own);
    return HSD_TAKE_OPTIONS(my_options, level, own, given, &err);
}

Test(options, of_nobody_are_zero)
{
    my_options own;
    cr_assert_eq(take(&own, NULL), HSD_OK);
    cr_assert_eq(own.struct_bytes, sizeof own);
    cr_assert_eq(own.level, 0);
    cr_assert_null(own.name);
}

Test(options, of_the_same_version_are_copied)
{
    my_options own, given = HSD_OPTIONS_INIT(my_options);
    given.level = 3;
    given.name = "x";
    cr_assert_eq(take(&own, &given), HSD_OK);
    cr_assert_eq(own.level, 3);
    cr_assert_str_eq(own.name, "x");
}

Test(options, of_an_older_caller_lack_what_it_does_not_know)
{
    struct {
        v1_options options;
        char behind[16];
    } memory = {.options = HSD_OPTIONS_INIT(v1_options)};
    my_options own;
    memory.options.level = 7;
    memset(memory.behind, 0x77, sizeof memory.behind); /* never read */
    cr_assert_eq(take(&own, &memory), HSD_OK);
    cr_assert_eq(own.level, 7);
    cr_assert_null(own.name);
    cr_assert_eq(own.struct_bytes, sizeof own);
}

Test(options, without_a_size_are_the_first_version)
{
    const my_options given = {.level = 4, .name = "not looked at"};
    my_options own;
    cr_assert_eq(take(&own, &given), HSD_OK);
    cr_assert_eq(own.level, 4);
    cr_assert_null(own.name);
}

Test(options, of_a_newer_caller_are_taken_while_it_wishes_nothing_new)
{
    v3_options given = HSD_OPTIONS_INIT(v3_options);
    my_options own;
    given.level = 2;
    cr_assert_eq(take(&own, &given), HSD_OK);
    cr_assert_eq(own.level, 2);
    cr_assert_eq(own.struct_bytes, sizeof own);
    given.wish = 1;
    cr_assert_eq(take(&own, &given), HSD_E_MISUSE);
    cr_assert(strstr(err.text, "newer than this library") != NULL && strstr(err.text, "my_options") != NULL, "%s",
              err.text);
    cr_assert_str_not_empty(err.hint);
}

Test(options, of_no_valid_size_are_refused)
{
    static const size_t sizes[] = {1, sizeof(size_t), HSD_OPTIONS_MOST_BYTES + 1, SIZE_MAX};
    my_options own;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        cr_assert_eq(take(&own, &(my_options){.struct_bytes = sizes[i]}), HSD_E_MISUSE);
        cr_assert(strstr(err.text, "no valid size") != NULL, "%s", err.text);
        cr_assert(strstr(err.hint, "HSD_OPTIONS_INIT(my_options)") != NULL, "%s", err.hint);
    }
}

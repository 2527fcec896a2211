/*
 * For suites about recognising objects by structure: two captures in a folder of their own, compared.
 *
 *      TestSuite(name, .init = setup, .fini = teardown);
 */
#ifndef HSD_TESTS_STRUCTURE_KIT_H
#define HSD_TESTS_STRUCTURE_KIT_H

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hsdiff/diff.h>
#include <hsdiff/report.h>

#include "grove.h"

static char folder[] = "/tmp/hsdiff-structure-XXXXXX";
static char before_path[64], after_path[64];
static hsd_error err;

static inline void setup(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(before_path, sizeof before_path, "%s/before.hs", folder);
    snprintf(after_path, sizeof after_path, "%s/after.hs", folder);
    hsd_error_init(&err);
}

static inline void teardown(void)
{
    remove(before_path);
    remove(after_path);
    rmdir(folder);
}

/* `all` gets the pairs in the order in which the diff tells them. */
static inline hsd_diff *compare_files(const char *before_file, const char *after_file, hsd_diff_options options,
                                      const hsd_run *run, told *all)
{
    hsd_capture *before, *after;
    hsd_diff *diff;
    options.matched = told_put;
    options.matched_context = all;
    cr_assert_eq(hsd_capture_open(&before, before_file, HSD_DAMAGE_REFUSE, run, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_capture_open(&after, after_file, HSD_DAMAGE_REFUSE, run, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_diff_run(&diff, before, after, &options, run, &err), HSD_OK, "%s", err.text);
    hsd_capture_close(before);
    hsd_capture_close(after);
    return diff;
}

static inline hsd_diff *compare(const hsd_run *run, told *all)
{
    return compare_files(before_path, after_path, (hsd_diff_options){0}, run, all);
}

/* Memory and threads, which say nothing. */
static inline hsd_run random_run(test_random *random)
{
    return (hsd_run){.memory_bytes = (UINT64_C(20) << 20) << test_below(random, 2),
                     .threads = 1 + (unsigned)test_below(random, 3)};
}

typedef struct text {
    char *bytes;
    size_t size, room;
} text;

static inline hsd_status append(void *context, const void *data, size_t size, hsd_error *error)
{
    text *out = context;
    (void)error;
    if (out->size + size + 1 > out->room) {
        out->room = 2 * (out->size + size) + 4096;
        out->bytes = realloc(out->bytes, out->room);
        cr_assert_not_null(out->bytes);
    }
    memcpy(out->bytes + out->size, data, size);
    out->size += size;
    out->bytes[out->size] = 0;
    return HSD_OK;
}

/* The whole answer; to be freed. */
static inline text json_of(const hsd_diff *diff)
{
    text out = {0};
    const hsd_report_options options = {.top = HSD_TOP_ALL, .tree = true};
    cr_assert_eq(hsd_report_format_find("json")->write_diff(diff, &options, append, &out, &err), HSD_OK);
    return out;
}

/* What of it does not speak of captures and of how objects were recognised. */
/* All rows, without what is undecided: ids leave nothing so. */
static inline const char *numbers_of(text *json)
{
    static const char undecided[] = ", \"undecided\": {";
    char *numbers = strstr(json->bytes, "\"total\": {");
    cr_assert_not_null(numbers);
    for (char *at; (at = strstr(numbers, undecided)) != NULL;) {
        const char *end = strchr(at, '}') + 1;
        memmove(at, end, strlen(end) + 1);
    }
    return numbers;
}

static inline void print_score(const char *name, const moved_score *score)
{
    cr_log_info("%s: %lu pairs told, precision %.4f, recall %.4f", name, (unsigned long)score->told,
                score->told == 0 ? 1.0 : (double)score->right / (double)score->told,
                score->there == 0 ? 1.0 : (double)score->right / (double)score->there);
}

#endif

/*
 * For suites about holders: two captures in a folder of their own, written record by record, and compared; and a
 * machine that fails.
 *
 *      TestSuite(name, .init = setup, .fini = teardown);
 */
#ifndef TESTS_UNIT_DIFF_HOLDERS_KIT_H
#define TESTS_UNIT_DIFF_HOLDERS_KIT_H

#include <criterion/criterion.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/fault.h"
#include <hscapture/hscapture.h>
#include <hsdiff/diff.h>

enum { NODE = 1, ITEM, MAP, TABLE, TYPES };
enum { FIELD = 1, ELEMENT, INSIDE, VALUE, BY_ID, BY_NAME, BY_AGE, LABELS };
enum { ROOT_STRING = 10 };

static char folder[] = "/tmp/hsdiff-holders-XXXXXX";
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
    hsd_fault_reset();
    remove(before_path);
    remove(after_path);
    rmdir(folder);
}

/* ---- writing ---- */

static inline void good(hsc_status status) { cr_assert_eq(status, HSC_OK); }

static inline void define(hsc_writer *w, uint32_t number, const char *text)
{
    good(hsc_define_string(w, number, text, strlen(text)));
}

static inline hsc_writer *begin(bool is_after, hsc_identity identity)
{
    static const char *const types[] = {[NODE] = "Node", [ITEM] = "Item", [MAP] = "Map", [TABLE] = "Table"};
    static const char *const labels[] = {
        [FIELD] = "field", [ELEMENT] = "",       [INSIDE] = "inside", [VALUE] = "value",
        [BY_ID] = "byId",  [BY_NAME] = "byName", [BY_AGE] = "byAge"};
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
        good(hsc_define_label(w, i, i == ELEMENT ? HSC_LABEL_ELEMENT : HSC_LABEL_FIELD,
                              i == INSIDE ? HSC_LABEL_FOLD : 0, labels[i][0] != 0 ? i : 0));
    }
    define(w, ROOT_STRING, "cache");
    return w;
}

/* References alternate: target, label, target, label, … 0. */
static inline void put(hsc_writer *w, uint64_t id, uint32_t type, uint64_t bytes, const uint64_t *references)
{
    good(hsc_begin_object(w, &(hsc_object){.id = id, .type = type, .size_bytes = bytes}));
    for (; references != NULL && references[0] != 0; references += 2)
        good(hsc_reference(w, references[0], (uint32_t)references[1], 0));
    good(hsc_end_object(w));
}

static inline void put_root(hsc_writer *w, uint32_t name, uint64_t target)
{
    good(hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STATIC, .label = name, .target = target}));
}

static inline void finish(hsc_writer *w)
{
    good(hsc_finish(w));
    hsc_close(w);
}

static inline hsd_diff *compare(const hsd_diff_options *options, const hsd_run *run)
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

static inline bool is_text(hsd_text text, const char *wanted)
{
    return text.size == strlen(wanted) && memcmp(text.data, wanted, text.size) == 0;
}

/* ---- a machine that fails ---- */

/* Call 1, 1 + step, … of the family fails, until none is struck any more; returns how many were. */
static inline uint64_t fail_some(uint64_t memory_bytes, uint64_t step, hsd_fault_family family, int error,
                                 hsd_status wanted)
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

static inline void fail_each(hsd_fault_family family, int error, hsd_status wanted)
{
    cr_assert_gt(fail_some(UINT64_C(64) << 20, 1, family, error, wanted), 0);
}

#endif

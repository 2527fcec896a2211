/*
 * One capture (support/capture_file.h), for the tests of what is asked about one capture: written, damaged, and asked
 * on a machine that fails.
 */
#ifndef TESTS_UNIT_DIFF_SINGLE_KIT_H
#define TESTS_UNIT_DIFF_SINGLE_KIT_H

#include <criterion/criterion.h>

#include <errno.h>
#include <stdio.h>

#include "support/capture_file.h"
#include "support/fault.h"
#include <hscapture/hscapture.h>

/* ---- the capture ---- */

/* Without definitions yet. */
static inline hsc_writer *kit_begin(hsc_identity identity, bool by_ordinal)
{
    hsc_options options;
    hsc_writer *w;
    hsc_options_init(&options);
    options.producer = "test";
    options.identity = identity;
    options.targets_are_ordinals = by_ordinal;
    remove(path);
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    return w;
}

static inline void kit_end(hsc_writer *w)
{
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
}

static inline void kit_put_root(hsc_writer *w, uint32_t string, uint64_t target)
{
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STACK, .label = string, .target = target});
}

static inline void kit_damage_the_middle(void)
{
    FILE *file = fopen(path, "r+b");
    cr_assert_not_null(file);
    fseek(file, 0, SEEK_END);
    const long middle = ftell(file) / 2;
    fseek(file, middle, SEEK_SET);
    const int byte = fgetc(file);
    fseek(file, middle, SEEK_SET);
    fputc(byte ^ 0x55, file);
    fclose(file);
}

/* ---- a machine that fails ---- */

/* Asks and frees the answer; *is_there tells if there was one. */
typedef hsd_status (*kit_question)(const void *what, bool *is_there);

/* Each call of the family fails in turn, until there are no more. */
static inline void kit_fail_each(hsd_fault_family family, int error, hsd_status wanted, kit_question question,
                                 const void *what)
{
    for (uint64_t at = 1; at < 2000; at++) {
        bool is_there;
        hsd_fault_reset();
        hsd_fault_arm(family, at, false, error);
        const hsd_status status = question(what, &is_there);
        const bool has_struck = hsd_fault_strikes() > 0;
        hsd_fault_reset();
        cr_assert(status == HSD_OK || (has_struck && status == wanted), "call %lu: %s", (unsigned long)at, err.text);
        cr_assert_eq(status == HSD_OK, is_there);
        if (!has_struck) return;
    }
    cr_assert_fail("it never ends");
}

static inline void kit_fail_each_file_call(kit_question question, const void *what)
{
    kit_fail_each(HSD_FAULT_PREAD, EIO, HSD_E_IO, question, what);
    kit_fail_each(HSD_FAULT_PWRITE, ENOSPC, HSD_E_IO, question, what);
    kit_fail_each(HSD_FAULT_OPEN, EMFILE, HSD_E_IO, question, what);
}

#endif

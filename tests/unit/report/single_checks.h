/*
 * What is the same for every report about one capture: its formats, what the writer says, and memory that runs out.
 */
#ifndef TESTS_UNIT_REPORT_SINGLE_CHECKS_H
#define TESTS_UNIT_REPORT_SINGLE_CHECKS_H

#include <criterion/criterion.h>
#include <errno.h>

#include "support/fault.h"
#include "unit/report/says.h"
#include "unit/report/top_sample.h"

#define AS(name, ...)                                                                                                  \
    {                                                                                                                  \
        .format = name, .report = {.use_utf8 = true, .sort_by = HSD_SORT_RETAINED, __VA_ARGS__ }                       \
    }

static const single_options text = AS("text", .top = 0);
static const single_options json = AS("json", .top = 0);
static const single_options csv = AS("csv", .top = 0);
static const single_options plain = AS("text", .plain = true);

enum { SINGLE_FORMATS = 8 };

static inline single_options single_format(size_t i)
{
    const single_options all[SINGLE_FORMATS] = {text,
                                                plain,
                                                json,
                                                csv,
                                                AS("ndjson", .top = 0),
                                                AS("markdown", .top = 0),
                                                AS("openmetrics", .top = 0),
                                                AS("html", .top = 0)};
    return all[i];
}

/* Foreign names: no escape sequence, no change of direction, no command to a build log. */
static inline void check_harmless(single_report report, const void *answer)
{
    for (size_t i = 0; i < SINGLE_FORMATS; i++) {
        const single_options options = single_format(i);
        char *printed = sample_single(report, answer, &options);
        LACKS(printed, "\x1b");
        LACKS(printed, "\xe2\x80\xae");
        LACKS(printed, "\n::");
        free(printed);
    }
}

static inline void check_passes_on_what_the_writer_says(single_report report, const void *answer)
{
    for (size_t i = 0; i < SINGLE_FORMATS; i++) {
        const single_options options = single_format(i);
        sample_sink sink = {.fail_at = 1};
        hsd_error err;
        hsd_error_init(&err);
        cr_expect_eq(report(answer, &options, sample_write, &sink, &err), HSD_E_IO);
        free(sink.text);
    }
}

static inline hsd_status check_discard(void *context, const void *data, size_t size, hsd_error *err)
{
    (void)data, (void)err;
    *(size_t *)context += size;
    return HSD_OK;
}

/* Each allocation fails in turn until there are no more; as text with commands, in so many columns. */
static inline void check_fails_without_memory(single_report report, const void *answer, unsigned width)
{
    for (size_t i = 0; i < SINGLE_FORMATS; i++) {
        single_options options = single_format(i);
        if (i == 0) options.report.width = width;
        if (i == 0) options.report.before_command = "after.hs";
        bool has_struck = true;
        for (uint64_t at = 1; has_struck; at++) {
            size_t size = 0;
            hsd_fault_reset();
            hsd_fault_arm(HSD_FAULT_MALLOC, at, false, ENOMEM);
            const hsd_status status = report(answer, &options, check_discard, &size, NULL);
            has_struck = hsd_fault_strikes() > 0;
            hsd_fault_reset();
            cr_assert_eq(status, has_struck ? HSD_E_NOMEM : HSD_OK, "format %zu, allocation %d", i, (int)at);
            cr_assert(has_struck || at > 1);
        }
    }
}

#endif

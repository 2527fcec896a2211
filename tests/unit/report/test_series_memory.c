/*
 * Reports of a series without memory: whichever allocation fails, the report fails with HSD_E_NOMEM and leaks nothing
 * (the sanitizer looks).
 */
#include <criterion/criterion.h>
#include <errno.h>

#include "support/fault.h"
#include "unit/report/series_sample.h"

static hsd_status discard(void *context, const void *data, size_t size, hsd_error *err)
{
    (void)data, (void)err;
    *(size_t *)context += size;
    return HSD_OK;
}

/* Fails each allocation of a report in turn; returns how many there were. */
static uint64_t starve(const hsd_series *series, const char *format, const hsd_report_options *options)
{
    const sample_writer write = sample_series_writer(format);
    for (uint64_t at = 1;; at++) {
        hsd_error err;
        size_t size = 0;
        hsd_error_init(&err);
        hsd_fault_reset();
        hsd_fault_arm(HSD_FAULT_MALLOC, at, false, ENOMEM);
        const hsd_status status = write(series, options, discard, &size, &err);
        const bool has_struck = hsd_fault_strikes() > 0;
        hsd_fault_reset();
        cr_assert_eq(status, has_struck ? HSD_E_NOMEM : HSD_OK, "%s, allocation %llu", format, (unsigned long long)at);
        if (!has_struck) return at - 1;
    }
}

static void starve_all(const hsd_series *series, const hsd_report_options *options)
{
    for (size_t i = 0; i < SERIES_FORMATS; i++)
        cr_expect_gt(starve(series, series_formats[i].name, options), 1);
}

Test(series_memory, fails_every_report_that_it_is_not_enough_for)
{
    hsd_series series = sample_shop();
    hsd_report_options options = {.use_utf8 = true, .width = 60, .top = 2};
    hsd_text warning = sample_text("beware");
    series.warnings = &warning;
    series.warning_count = 1;
    series.types.rows[0].name =
        sample_text("a.very.long.name.of.a.type.that.has.to.be.cut.Session<java.lang.String,java.util.List>");
    starve_all(&series, &options);
    sample_ages(&series);
    starve_all(&series, &options);
    series.before_count = 3;
    starve_all(&series, &options);
    options.table = HSD_TABLE_HOLDERS;
    options.plain = true;
    starve_all(&series, &options);
}

/* Site totals as the writer takes them: only where the options say so, and counted as hsc_count counts. */
#include <criterion/criterion.h>
#include <hscapture/hscapture.h>
#include <string.h>

#include "core/layout.h"
#include "unit/capture/memory_sink.h"

enum { ROOM = 16 << 20 };

static memory_sink sink;
static hsc_options options;

static void set_up(void)
{
    sink = memory_sink_new(ROOM);
    hsc_options_init(&options);
    options.has_site_totals = true;
    options.capture_id[0] = 1;
    options.taken_unix_ns = 1;
}

static void tear_down(void) { memory_sink_free(&sink); }

TestSuite(site_totals, .init = set_up, .fini = tear_down);

static hsc_writer *open_writer(void)
{
    hsc_writer *w = NULL;
    const hsc_sink s = memory_sink_of(&sink);
    cr_assert_eq(hsc_open(&w, &s, &options), HSC_OK);
    return w;
}

static void expect_failed(hsc_status expected, uint32_t type, uint32_t site, const char *words)
{
    hsc_writer *w = open_writer();
    cr_assert_eq(hsc_count_site(w, type, site, 1, 1), expected, "%s", hsc_error_text(w));
    cr_assert_not_null(strstr(hsc_error_text(w), words), "%s", hsc_error_text(w));
    cr_assert_eq(hsc_finish(w), expected, "failures stick");
    hsc_close(w);
}

Test(site_totals, are_announced_by_the_options)
{
    expect_failed(HSC_E_LIMIT, 1, 0, "site");
    expect_failed(HSC_E_LIMIT, 1, UINT32_C(1) << 31, "site");
    expect_failed(HSC_E_LIMIT, UINT32_C(1) << 31, 1, "type");
    options.has_site_totals = false;
    expect_failed(HSC_E_MISUSE, 1, 1, "options");
}

Test(site_totals, are_not_for_baselines)
{
    static const hsc_baseline sums = {0};
    hsc_writer *w = NULL;
    const hsc_sink s = memory_sink_of(&sink);
    options.baseline = &sums;
    cr_assert_eq(hsc_open(&w, &s, &options), HSC_E_MISUSE);
}

Test(site_totals, open_in_the_least_memory_and_make_a_second_minor)
{
    options.memory_bytes = 64 << 10;
    hsc_writer *w = open_writer();
    for (uint32_t i = 1; i <= 5000; i++)
        cr_assert_eq(hsc_count_site(w, 1 + i % 7, i, 1, 2), HSC_OK, "%s", hsc_error_text(w));
    cr_assert_eq(hsc_finish(w), HSC_OK, "%s", hsc_error_text(w));
    hsc_close(w);
    cr_assert_eq(sink.bytes[10], HSC_VERSION_MINOR_SITE_TOTALS);
}

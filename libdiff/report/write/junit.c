/*
 * A check as JUnit XML: a suite, a test case a rule. What fails has its findings in the body, what was not asked is
 * skipped, what cannot be judged is an error, and so are captures that cannot. Escapes leave XML 1.0 characters alone.
 */
#include <inttypes.h>

#include "report/formats.h"
#include "report/sentences/check_words.h"

/* Foreign text; the buffer is released. */
static void put_raw(hsd_out *out, hsd_buffer *raw)
{
    hsd_out_said(out, HSD_ESCAPE_XML, (hsd_text){(const char *)raw->data, raw->size});
    hsd_buffer_release(raw);
}

static void put_verdict(hsd_out *out, const hsd_check_row *row)
{
    hsd_buffer raw = {0};
    if (out->status == HSD_OK) out->status = hsd_row_append_verdict(&raw, row, false, out->err);
    put_raw(out, &raw);
}

/* Who, and by how much: what a list of failures shows. */
static void put_message(hsd_out *out, const hsd_check *check, const hsd_check_row *row)
{
    hsd_buffer raw = {0};
    if (out->status == HSD_OK) out->status = hsd_row_append_who(&raw, check, row, out->err);
    const bool has_who = raw.size > 0;
    put_raw(out, &raw);
    hsd_out_text(out, has_who ? "; " : "");
    put_verdict(out, row);
}

static void put_findings(hsd_out *out, const hsd_check *check, const hsd_check_row *row)
{
    for (size_t i = 0; i < row->finding_count; i++) {
        hsd_buffer raw = {0}, site = {0};
        if (out->status == HSD_OK)
            out->status = hsd_finding_append(&raw, check, row, &row->findings[i], false, out->err);
        put_raw(out, &raw);
        hsd_out_text(out, "\n");
        if (out->status == HSD_OK) out->status = hsd_finding_append_site(&site, &row->findings[i], out->err);
        if (site.size == 0) continue;
        hsd_out_text(out, "  ");
        put_raw(out, &site);
        hsd_out_text(out, "\n");
    }
    if (row->other_findings > 0) hsd_out_format(out, "and %" PRIu64 " more\n", row->other_findings);
}

/* <failure message="…">findings</failure> */
static void put_element(hsd_out *out, const hsd_check *check, const hsd_check_row *row, const char *element,
                        const char *type)
{
    hsd_out_format(out, "      <%s type=\"%s\" message=\"", element, type);
    put_message(out, check, row);
    hsd_out_text(out, "\">");
    put_findings(out, check, row);
    hsd_out_format(out, "</%s>\n", element);
}

/* Those that pass say what was found all the same. */
static void put_output(hsd_out *out, const hsd_check *check, const hsd_check_row *row)
{
    hsd_out_format(out, "      <system-out>%s", row->outcome == HSD_CHECK_WARN ? "warning: " : "");
    put_message(out, check, row);
    hsd_out_text(out, "\n");
    put_findings(out, check, row);
    hsd_out_text(out, "</system-out>\n");
}

static void put_skipped(hsd_out *out, const hsd_check_row *row)
{
    hsd_out_text(out, "      <skipped message=\"");
    put_verdict(out, row);
    hsd_out_text(out, "\"/>\n");
}

static void put_case(hsd_out *out, const hsd_check *check, const hsd_check_row *row, hsd_text config_path)
{
    hsd_out_text(out, "    <testcase classname=\"hsdiff.check\" name=\"");
    hsd_out_escaped(out, HSD_ESCAPE_XML, row->rule->name);
    hsd_out_text(out, "\"");
    if (config_path.size > 0 && row->rule->line > 0) {
        hsd_out_text(out, " file=\"");
        hsd_out_escaped(out, HSD_ESCAPE_XML, config_path);
        hsd_out_format(out, "\" line=\"%" PRIu32 "\"", row->rule->line);
    }
    hsd_out_text(out, " time=\"0\">\n");
    switch (row->outcome) {
    case HSD_CHECK_FAIL: put_element(out, check, row, "failure", "limit"); break;
    case HSD_CHECK_UNKNOWN: put_element(out, check, row, "error", "unknown"); break;
    case HSD_CHECK_OFF: put_skipped(out, row); break;
    case HSD_CHECK_OK:
    case HSD_CHECK_WARN: put_output(out, check, row); break;
    }
    hsd_out_text(out, "    </testcase>\n");
}

static void put_problems(hsd_out *out, const hsd_check *check)
{
    if (check->problem_count == 0) return;
    hsd_out_text(out, "    <testcase classname=\"hsdiff.check\" name=\"(the captures can be judged)\" time=\"0\">\n"
                      "      <error type=\"captures\" message=\"");
    hsd_out_escaped(out, HSD_ESCAPE_XML, check->problems[0]);
    hsd_out_text(out, "\">");
    for (size_t i = 0; i < check->problem_count; i++) {
        hsd_out_escaped(out, HSD_ESCAPE_XML, check->problems[i]);
        hsd_out_text(out, "\n");
    }
    hsd_out_text(out, "</error>\n    </testcase>\n");
}

/* Of the suite: notes, and warnings of what was judged. */
static void put_suite_output(hsd_out *out, const hsd_check *check)
{
    size_t warning_count;
    const hsd_text *warnings = hsd_check_warnings(check, &warning_count);
    if (warning_count + check->note_count == 0) return;
    hsd_out_text(out, "    <system-out>");
    for (size_t i = 0; i < warning_count + check->note_count; i++) {
        hsd_out_text(out, i < warning_count ? "warning: " : "note: ");
        hsd_out_escaped(out, HSD_ESCAPE_XML, i < warning_count ? warnings[i] : check->notes[i - warning_count]);
        hsd_out_text(out, "\n");
    }
    hsd_out_text(out, "</system-out>\n");
}

static void put_counts(hsd_out *out, const hsd_check *check)
{
    const size_t problem = check->problem_count > 0;
    hsd_out_format(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"0\">\n",
                   check->row_count + problem, check->failed, check->unknown + problem, hsd_check_off(check));
}

hsd_status hsd_junit_check(const hsd_check *check, const hsd_report_options *options, hsd_write_fn write, void *context,
                           hsd_error *err)
{
    hsd_out out;
    const hsd_text config_path = hsd_check_config_path(check, options);
    hsd_out_init(&out, write, context, err);
    hsd_out_text(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    put_counts(&out, check);
    hsd_out_text(&out, "  <testsuite name=\"hsdiff check\"");
    put_counts(&out, check);
    put_problems(&out, check);
    for (size_t i = 0; i < check->row_count; i++)
        put_case(&out, check, &check->rows[i], config_path);
    put_suite_output(&out, check);
    hsd_out_text(&out, "  </testsuite>\n</testsuites>\n");
    return hsd_out_finish(&out);
}

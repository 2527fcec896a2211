/* "How it was made" of a page: the command that was told and the digests of the captures, harmless and in full. */
#include <criterion/criterion.h>

#include "report/write/html/parts.h"
#include "unit/report/sample.h"
#include "unit/report/series_sample.h"

static const hsd_report_options usual = {.use_utf8 = true};

/* The text behind a label; NULL where there is no such line. */
static const char *line_of(const hsd_html_subject *subject, const hsd_report_options *options, const char *label)
{
    static char text[4096];
    hsd_html_made made = {0};
    const char *found = NULL;
    cr_assert_eq(hsd_html_made_of(&made, subject, options, NULL), HSD_OK);
    cr_assert_leq(made.count, HSD_HTML_MADE_MOST);
    for (size_t i = 0; i < made.count; i++) {
        if (strcmp(made.labels[i], label) != 0) continue;
        cr_assert_lt(made.texts[i].size, sizeof text);
        memcpy(text, made.texts[i].data, made.texts[i].size);
        text[made.texts[i].size] = 0;
        found = text;
    }
    hsd_html_made_release(&made);
    return found;
}

static hsd_diff pair(void)
{
    static hsd_type_row types[1];
    types[0] = sample_type("Session", 38 * MIB, 164 * MIB);
    hsd_diff diff = sample_diff(types, 1, NULL, 0);
    diff.before.info.has_digest = true;
    memset(diff.before.info.digest, 0xab, 16);
    return diff;
}

Test(made, tells_the_command)
{
    const hsd_diff diff = pair();
    const hsd_html_subject subject = {.diff = &diff};
    hsd_report_options options = usual;
    cr_expect_null(line_of(&subject, &options, "Command"));
    options.command = "hsdiff check 'a b.hs' after.hs --key Session:id";
    cr_expect_str_eq(line_of(&subject, &options, "Command"), options.command);
}

Test(made, escapes_the_command_in_the_page)
{
    const hsd_diff diff = pair();
    hsd_report_options options = usual;
    options.command = "hsdiff '<script>&\"' after.hs";
    char *page = sample_report("html", &diff, &options);
    cr_expect(strstr(page, "<dt>Command</dt><dd>hsdiff &#39;&lt;script&gt;&amp;&quot;&#39; after.hs</dd>"));
    cr_expect_null(strstr(page, "'<script>&"));
    free(page);
}

Test(made, tells_the_digests_of_a_pair)
{
    const hsd_diff diff = pair();
    const hsd_html_subject subject = {.diff = &diff};
    cr_expect_str_eq(
        line_of(&subject, &usual, "Digests"),
        "before abababababababababababababababab, after not known. hsdiff info FILE tells that of a file.");
}

Test(made, tells_the_digests_of_a_series_as_far_as_its_captures_are_shown)
{
    static hsd_series_point points[25];
    hsd_series series = {.points = points, .point_count = 25};
    for (size_t i = 0; i < 25; i++) {
        points[i].side = sample_side("x.hs", 1795166042);
        points[i].side.info.has_digest = true;
        memset(points[i].side.info.digest, (int)i, 16);
    }
    const hsd_html_subject subject = {.series = &series};
    const char *line = line_of(&subject, &usual, "Digests");
    cr_expect_eq(strncmp(line, "1: 00000000000000000000000000000000, 2: 01010101010101010101010101010101, ", 74), 0,
                 "%s", line);
    cr_expect(strstr(line, "20: 13131313131313131313131313131313, and of 5 more. hsdiff info"), "%s", line);
    cr_expect_null(strstr(line, "21: "));
}

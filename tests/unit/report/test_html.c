/*
 * The page of HTML: what it must show without a script, that it fits whatever the heap, and that it fails when it is
 * not whole. What a browser makes of it is seen in tests/web, what stands in it for hostile names in tests/formats.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>

#include "io/zip.h"
#include "report/write/html/html.h"
#include "support/fault.h"
#include "unit/report/check_sample.h"
#include "unit/report/series_sample.h"

#define PAGE_MOST ((size_t)10 << 20)

static const hsd_report_options usual = {.use_utf8 = true};

static hsd_root_row roots[1];
static hsd_holder holders[1];
static hsd_growth_edge edges[2];
static hsd_tree_row tree[3];
static hsd_step path[40];
static hsd_size_row sizes[1];
static hsd_type_row types[2];

static hsd_diff sample(void)
{
    types[0] = sample_type("Session", 38 * MIB, 164 * MIB);
    types[1] = sample_type("Buffer", 96 * MIB, 90 * MIB);
    types[0].examples[0] = 0x1f;
    types[0].example_count = 1;
    roots[0] = sample_root("global.sessions", 134 * MIB, 254 * MIB);
    hsd_diff diff = sample_diff(types, 2, roots, 1);
    path[0] = sample_step("", "SessionCache");
    path[1] = sample_step(".entries", "Map");
    holders[0] = sample_holder("global.sessions", path, 2, (int64_t)(120 * MIB));
    edges[0] = sample_edge(1, "[*]", "Session", 10, 1000, (int64_t)(120 * MIB));
    edges[1] = sample_edge(2, ".buf", "Buffer", 10, 10, (int64_t)(100 * MIB));
    holders[0].edges = edges;
    holders[0].edge_count = 2;
    sample_hold(&diff, holders, 1);
    tree[0] = (hsd_tree_row){.before = diff.total.before, .after = diff.total.after};
    tree[1] = (hsd_tree_row){
        .depth = 1, .is_root = true, .type = roots[0].name, .before = {1, 10 * MIB}, .after = {1, 100 * MIB}};
    tree[2] = (hsd_tree_row){.depth = 2, .parent = 1, .type = types[0].name, .after = {1, 90 * MIB}};
    diff.tree = tree;
    diff.tree_count = 3;
    sizes[0] = (hsd_size_row){.type = types[0].name};
    sizes[0].before[7] = (hsd_amount){10, 1000};
    sizes[0].after[7] = (hsd_amount){20, 2000};
    diff.sizes = sizes;
    diff.size_count = 1;
    return diff;
}

/* ---- records ---- */

/* The records that a packed page holds, as text; the caller frees it. */
static char *unpack(const void *packed, size_t size)
{
    static uint8_t piece[1 << 16];
    sample_sink text = {0};
    hsd_unzip *unzip;
    cr_assert_eq(hsd_unzip_new(&unzip, HSD_ZIP_GZIP, NULL), HSD_OK);
    for (size_t at = 0;;) {
        size_t in = size - at, out = sizeof piece;
        const hsd_status status = hsd_unzip_step(unzip, (const uint8_t *)packed + at, &in, piece, &out, NULL);
        cr_assert(status == HSD_OK || status == HSD_END);
        sample_write(&text, piece, out, NULL);
        at += in;
        if (status == HSD_END) break;
    }
    hsd_unzip_free(unzip);
    return text.text;
}

static char *records_of(const hsd_diff *diff, const hsd_report_options *options)
{
    sample_sink packed = {0};
    cr_assert_eq(hsd_html_pack_diff(diff, options, sample_write, &packed, NULL), HSD_OK);
    cr_assert_leq(packed.size, HSD_HTML_PACKED_MOST);
    char *text = unpack(packed.text, packed.size);
    free(packed.text);
    return text;
}

/* Lines that are a record of that kind. Line by line, since a sanitizer looks at all of a text that is searched. */
static size_t count_of(const char *text, const char *record)
{
    char head[96];
    size_t count = 0;
    const size_t size = (size_t)snprintf(head, sizeof head, "{\"schema\": \"hsdiff.diff/1\", \"record\": %s", record);
    const char *end = text + strlen(text);
    for (const char *at = text; at < end; at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1)
        count += (size_t)(end - at) > size && memcmp(at, head, size) == 0;
    return count;
}

/* ---- what a page shows ---- */

Test(html, shows_the_answer_without_a_script)
{
    const hsd_diff diff = sample();
    char *page = sample_report("html", &diff, &usual);
    static const char *const wanted[] = {
        "<h1 id=\"answer-title\">Live heap grew 120.0 MiB (+90%)",
        "<title>Live heap grew 120.0 MiB (+90%)",
        "<p class=\"relation\">same process (checkout-api, pid 4121), 1h 00m apart, both complete</p>",
        "<span class=\"place\">global.sessions.entries: Map</span> <span class=\"n up\">+120.0 MiB</span> <span "
        "class=\"share\">100% of the growth",
        "<dt>Values inside</dt><dd>no</dd>",
        "<ol><li>global.sessions<ol><li>-&gt; SessionCache<ol><li>.entries: Map</li></ol></li></ol></li></ol>",
        "<li>[*]: Session <span class=\"n up\">+120.0 MiB</span>, 10 → 1,000 items<ul class=\"edges\"><li>.buf: Buffer",
        "<th scope=\"row\" class=\"name\">Session</th><td class=\"n\">38.0 MiB</td><td class=\"n\">164.0 MiB</td><td "
        "class=\"n up\">+126.0 MiB</td>",
        "<tr class=\"total\"><th scope=\"row\" class=\"name\">TOTAL</th>",
        "<dt>Made by</dt>",
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        cr_expect(strstr(page, wanted[i]), "%s", wanted[i]);
    free(page);
}

Test(html, proves_no_more_than_its_captures)
{
    hsd_diff diff = sample();
    hsd_text why = sample_text("a part is missing");
    diff.has_holders = false;
    diff.why_no_holders = why;
    diff.is_partial = true;
    diff.after.info.is_complete = false;
    diff.after.info.facts = 4;
    char *page = sample_report("html", &diff, &usual);
    cr_expect(strstr(page, "<dt>Complete</dt><dd>before, not after</dd>"));
    cr_expect(strstr(page, "<dt>Values inside</dt><dd>yes"));
    cr_expect(strstr(page, "Holders are not known: a part is missing."));
    cr_expect(strstr(page, "<td class=\"n\">?</td>"), "shrinkage is not proven");
    cr_expect_not(strstr(page, "<dt>Freed</dt>"));
    cr_expect_not(strstr(page, "class=\"n down\""));
    cr_expect_not(strstr(page, "id=\"picture\""));
    free(page);
}

Test(html, cuts_what_is_too_long_to_be_read)
{
    static char name[100000];
    hsd_diff diff = sample();
    memset(name, '<', sizeof name);
    types[0].name = roots[0].name = (hsd_text){name, sizeof name};
    for (size_t i = 0; i < 40; i++)
        path[i] = (hsd_step){.edge = {name, sizeof name}, .type = {name, sizeof name}, .repeat = 1};
    holders[0].path = path;
    holders[0].path_count = 40;
    char *page = sample_report("html", &diff, &usual);
    cr_expect(strstr(page, "<li>24 more steps"));
    cr_expect_lt(strlen(page), 1 << 20);
    free(page);
}

/* As in the text; the whole name is a title, as two builds may differ in it alone. */
Test(html, shows_addresses_as_people_read_them)
{
    hsd_diff diff = sample();
    types[0].name = sample_text("{allocated} <=24 B at shop+0x11d3{c815}");
    char *page = sample_report("html", &diff, &usual);
    cr_expect(strstr(page,
                     "<span title=\"{allocated} &lt;=24 B at shop+0x11d3{c815}\">&lt;=24 B at shop+0x11d3</span>"));
    free(page);
}

/* ---- the records ---- */

Test(html, carries_the_records_along)
{
    const hsd_diff diff = sample();
    hsd_report_options options = usual;
    char *records = records_of(&diff, &options);
    options.tree = true;
    char *wanted = sample_report("ndjson", &diff, &options);
    char *second = strchr(records, '\n');
    cr_assert(second);
    cr_expect_eq(strncmp(records, "{\"schema\": \"hsdiff.page/1\", \"record\": \"page\", \"kind\": \"diff\"", 60), 0);
    cr_expect_str_eq(second + 1, wanted);
    cr_expect(strstr(
        wanted,
        "\"record\": \"sizes\", \"type\": \"Session\", \"before\": [[7, 10, 1000]], \"after\": [[7, 20, 2000]]}"));
    cr_expect(strstr(wanted, "\"examples\": [\"0x1f\"]"));
    free(records);
    free(wanted);
}

/* The packed records as they stand in a page; *size is how many bytes. The caller frees them. */
static uint8_t *carried_by(const char *page, size_t *size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strstr(page, "id=\"data\">");
    uint8_t *all = malloc(strlen(page)), values[256];
    memset(values, 64, sizeof values);
    for (size_t i = 0; i < 64; i++)
        values[(unsigned char)digits[i]] = (uint8_t)i;
    *size = 0;
    uint32_t word = 0, bits = 0;
    for (at = strchr(at, '>') + 1; *at != '<'; at++) {
        const uint8_t value = values[(unsigned char)*at];
        if (value == 64) continue; /* the end of a line, padding */
        word = word << 6 | value;
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        all[(*size)++] = (uint8_t)(word >> bits);
    }
    return all;
}

/* Rows with names that hardly pack: so many that they must be left out. */
static hsd_diff large(size_t count, size_t name_bytes, char *names)
{
    hsd_type_row *rows = calloc(count, sizeof *rows);
    uint64_t state = 1;
    for (size_t i = 0; i < count * name_bytes; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        names[i] = (char)('!' + (state >> 33) % 90);
    }
    for (size_t i = 0; i < count; i++) {
        rows[i] = sample_type("", 1000, 1000 + 100 * (count - i));
        rows[i].name = (hsd_text){names + i * name_bytes, name_bytes};
    }
    roots[0] = sample_root("global", 1000, 2000);
    return sample_diff(rows, count, roots, 1);
}

Test(html, fits_whatever_the_heap, .timeout = 120)
{
    enum { COUNT = 300000, NAME_BYTES = 40 };
    char *names = malloc(COUNT * NAME_BYTES);
    hsd_diff diff = large(COUNT, NAME_BYTES, names);
    char *page = sample_report("html", &diff, &usual);
    size_t size;
    uint8_t *packed = carried_by(page, &size);
    char *records = unpack(packed, size);
    const size_t shown = count_of(records, "\"type\"");
    char rest[64];
    snprintf(rest, sizeof rest, "\"of\": \"type\", \"rows\": %zu,", (size_t)COUNT - shown);
    cr_expect_leq(strlen(page), PAGE_MOST);
    cr_expect(strstr(page, "299,980 other types"));
    cr_expect_eq(shown, HSD_HTML_ROWS_MOST);
    cr_expect_leq(size, HSD_HTML_PACKED_MOST);
    cr_expect(strstr(records, rest), "no %s", rest);
    free(packed);
    free(page);
    free(records);
    free(names);
    free(diff.types);
}

Test(html, leaves_out_rows_until_it_fits)
{
    enum { COUNT = 20000, NAME_BYTES = 600 };
    char *names = malloc((size_t)COUNT * NAME_BYTES), rest[64];
    hsd_diff diff = large(COUNT, NAME_BYTES, names);
    char *records = records_of(&diff, &usual);
    cr_expect_eq(count_of(records, "\"type\""), COUNT / 2);
    snprintf(rest, sizeof rest, "\"of\": \"type\", \"rows\": %d,", COUNT / 2);
    cr_expect(strstr(records, rest), "no %s", rest);
    free(records);
    free(names);
    free(diff.types);
}

/* Stacks with names that hardly pack: a thousand of them take more than a page has, even where nothing else does. */
Test(html, leaves_out_stacks_until_it_fits)
{
    enum { SITES = 1000, FRAMES = 16, NAME_BYTES = 700 };
    const size_t count = (size_t)SITES * FRAMES;
    char *names = malloc(count * NAME_BYTES);
    hsd_diff names_of = large(count, NAME_BYTES, names), diff = sample();
    hsd_site_frame *frames = calloc(count, sizeof *frames);
    hsd_site_row *rows = calloc(SITES, sizeof *rows);
    uint64_t all = 0, shown = 0, rest = 0;
    for (size_t i = 0; i < count; i++)
        frames[i].function = names_of.types[i].name;
    for (size_t i = 0; i < SITES; i++) {
        rows[i] = (hsd_site_row){frames + i * FRAMES, FRAMES, {.after = {1, 10 * (SITES - i)}}, 0};
        all += rows[i].change.after.bytes;
    }
    diff.has_sites = true;
    diff.sites = rows;
    diff.site_count = SITES;
    char *records = records_of(&diff, &usual), head[64];
    const size_t kept = count_of(records, "\"site\"");
    cr_assert(kept >= 100 && kept < SITES, "%zu", kept);
    for (size_t i = 0; i < SITES; i++)
        *(i < kept ? &shown : &rest) += rows[i].change.after.bytes;
    cr_expect_eq(shown + rest, all);
    snprintf(head, sizeof head, "\"of\": \"site\", \"rows\": %zu,", SITES - kept);
    const char *others = strstr(records, head);
    cr_assert(others, "no %s", head);
    snprintf(head, sizeof head, "\"growth\": {\"objects\": %zu, \"bytes\": %llu}", SITES - kept,
             (unsigned long long)rest);
    const char *growth = strstr(others, head);
    cr_expect(growth && growth < strchr(others, '\n'), "no %s", head);
    cr_expect_eq(count_of(records, "\"type\""), 2);
    cr_expect_eq(count_of(records, "\"tree\""), 3);
    free(records);
    free(frames);
    free(rows);
    free(names);
    free(names_of.types);
}

Test(html, refuses_names_that_no_page_holds)
{
    enum { COUNT = 1, NAME_BYTES = 10 << 20 };
    char *names = malloc((size_t)COUNT * NAME_BYTES);
    sample_sink packed = {0};
    hsd_error err;
    hsd_error_init(&err);
    hsd_diff diff = large(COUNT, NAME_BYTES, names);
    diff.warnings = &(hsd_text){names, NAME_BYTES};
    diff.warning_count = 1;
    cr_expect_eq(hsd_html_pack_diff(&diff, &usual, sample_write, &packed, &err), HSD_E_UNSUPPORTED);
    cr_expect(strstr(err.text, "too long"));
    cr_expect_eq(packed.size, 0);
    free(names);
    free(diff.types);
}

Test(html, keeps_the_tree_of_what_it_keeps)
{
    enum { PLACES = 1200, NAME_BYTES = 10000 };
    hsd_tree_row *rows = calloc(PLACES, sizeof *rows);
    char *names = malloc((size_t)PLACES * NAME_BYTES), row[64];
    hsd_diff names_of = large(PLACES, NAME_BYTES, names), diff = sample();
    for (size_t i = 0; i < PLACES; i++) /* a chain, each place a little lighter than the one above */
        rows[i] = (hsd_tree_row){.depth = (uint32_t)i,
                                 .parent = i > 0 ? (uint32_t)i - 1 : 0,
                                 .type = names_of.types[i].name,
                                 .after = {1, 2 * MIB - i}};
    diff.tree = rows;
    diff.tree_count = PLACES;
    char *records = records_of(&diff, &usual);
    const size_t kept = count_of(records, "\"tree\"");
    cr_assert(kept > 100 && kept < PLACES, "%zu", kept);
    snprintf(row, sizeof row, "\"tree\", \"row\": %zu,", kept - 1);
    cr_expect_eq(count_of(records, row), 1, "the heaviest are a chain from the top");
    free(records);
    free(names_of.types);
    free(names);
    free(rows);
}

/* ---- failures ---- */

static hsd_status discard(void *context, const void *data, size_t size, hsd_error *err)
{
    (void)data, (void)err;
    *(size_t *)context += size;
    return HSD_OK;
}

typedef hsd_status (*pack_fn)(hsd_write_fn write, void *context, hsd_error *err);

static hsd_status write_diff(hsd_write_fn write, void *context, hsd_error *err)
{
    hsd_diff diff = sample();
    hsd_text warning = sample_text("beware");
    diff.warnings = &warning;
    diff.warning_count = 1;
    return hsd_report_format_find("html")->write_diff(&diff, &usual, write, context, err);
}

static hsd_status write_series(hsd_write_fn write, void *context, hsd_error *err)
{
    hsd_series series = sample_shop();
    return hsd_html_pack_series(&series, &usual, write, context, err);
}

static hsd_status write_check(hsd_write_fn write, void *context, hsd_error *err)
{
    const hsd_check check = check_sample();
    return hsd_report_format_find("html")->write_check(&check, &usual, write, context, err);
}

static uint64_t starve(pack_fn write)
{
    for (uint64_t at = 1;; at++) {
        hsd_error err;
        size_t size = 0;
        hsd_error_init(&err);
        hsd_fault_reset();
        hsd_fault_arm(HSD_FAULT_MALLOC, at, false, ENOMEM);
        const hsd_status status = write(discard, &size, &err);
        const bool has_struck = hsd_fault_strikes() > 0;
        hsd_fault_reset();
        cr_assert_eq(status, has_struck ? HSD_E_NOMEM : HSD_OK, "allocation %llu: %s", (unsigned long long)at,
                     err.text);
        if (!has_struck) return at - 1;
    }
}

Test(html, fails_where_memory_is_not_enough)
{
    cr_expect_gt(starve(write_diff), 20);
    cr_expect_gt(starve(write_series), 10);
    cr_expect_gt(starve(write_check), 20);
}

Test(html, fails_where_it_cannot_be_written)
{
    static const pack_fn all[] = {write_diff, write_series, write_check};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        hsd_error err;
        sample_sink sink = {.fail_at = 1};
        hsd_error_init(&err);
        cr_expect_eq(all[i](sample_write, &sink, &err), HSD_E_IO);
        free(sink.text);
    }
}

/* ---- the viewer ---- */

Test(html, gives_the_viewer_a_page_that_asks_its_own_server_alone)
{
    sample_sink page = {0};
    cr_assert_eq(hsd_html_view_page(sample_write, &page, NULL), HSD_OK);
    const char *text = page.text;
    cr_expect(strstr(text, hsd_html_view_policy));
    cr_expect(strstr(hsd_html_view_policy, "default-src 'none'; script-src 'sha256-"));
    cr_expect(strstr(hsd_html_view_policy, "connect-src 'self'"));
    cr_expect(strstr(text, "<body data-kind=\"view\">"));
    cr_expect_not(strstr(text, "id=\"data\""));
    free(page.text);
}

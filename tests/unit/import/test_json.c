/*
 * The JSON reader of the V8 importer: strings with all their escapes wherever the window ends, nesting of
 * any depth, and errors that say what should stand where.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/json.h"
#include "support/random.h"

static hsd_error err;

static void setup(void) { hsd_error_init(&err); }

TestSuite(json, .init = setup);

/* Bytes in pieces of `step`, as a pipe gives them. */
typedef struct stream {
    hsd_source source;
    hsd_import_json json;
    const char *text;
    size_t size, at, step;
} stream;

static hsd_status read_some(void *context, void *data, size_t size, size_t *got, hsd_error *unused)
{
    stream *s = context;
    (void)unused;
    *got = s->size - s->at < s->step ? s->size - s->at : s->step;
    if (*got > size) *got = size;
    memcpy(data, s->text + s->at, *got);
    s->at += *got;
    return HSD_OK;
}

static const hsd_source_ops stream_ops = {.read = read_some};

static void open_stream(stream *s, const char *text, size_t size, size_t step)
{
    *s = (stream){.text = text, .size = size, .step = step};
    cr_assert_eq(hsd_source_open_custom(&s->source, &stream_ops, s, "stream", 64, false, &err), HSD_OK);
    s->json = (hsd_import_json){.source = &s->source, .where = "test"};
}

static void close_stream(stream *s)
{
    hsd_import_json_release(&s->json);
    hsd_source_close(&s->source);
}

static void expect_string(const char *text, size_t size, const char *wanted)
{
    for (size_t step = 1; step < 70; step += step < 8 ? 1 : 13) {
        stream s;
        open_stream(&s, text, size, step);
        cr_expect_eq(hsd_import_json_string(&s.json, 4096, &err), HSD_OK, "%s step %zu: %s", text, step, err.text);
        cr_expect(hsd_import_json_is(&s.json, wanted), "%s step %zu: %.*s", text, step, (int)s.json.text.size,
                  (const char *)s.json.text.data);
        close_stream(&s);
    }
}

Test(json, strings_are_unescaped_wherever_the_window_ends)
{
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        {"\"\"", ""},
        {"  \n\t\"plain\"", "plain"},
        {"\"a\\\"b\\\\c\\/d\"", "a\"b\\c/d"},
        {"\"\\b\\f\\n\\r\\t\"", "\b\f\n\r\t"},
        {"\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac"},
        {"\"\\ud83d\\ude00!\"", "\xf0\x9f\x98\x80!"},
        {"\"\\ud83d\"", "\xef\xbf\xbd"},   /* half of a pair, at the end */
        {"\"\\ud83dx\"", "\xef\xbf\xbdx"}, /* and before something else */
        {"\"\\ude00\\ud83d\"", "\xef\xbf\xbd\xef\xbf\xbd"},
        {"\"\\ud83d\\u0041\"", "\xef\xbf\xbd"
                               "A"},
        {"\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"\"\xff\xc3\"", "\xef\xbf\xbd\xef\xbf\xbd"},                 /* no UTF-8 */
        {"\"\xed\xa0\x80\"", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* a surrogate in UTF-8 */
        {"\"\xc0\xaf\xf5\"", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* overlong, too great */
        {"\"0123456789012345678901234567890123456789012345678901234567890123456789\\n\xe2\x82\xac"
         "\"",
         "0123456789012345678901234567890123456789012345678901234567890123456789\n\xe2\x82\xac"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_string(cases[i].text, strlen(cases[i].text), cases[i].wanted);
}

Test(json, long_strings_are_cut_at_a_whole_character)
{
    stream s;
    const char text[] = "\"abc\xe2\x82\xac\\u20acdef\",";
    for (size_t limit = 0; limit < 14; limit++) {
        open_stream(&s, text, sizeof text - 1, 5);
        cr_assert_eq(hsd_import_json_string(&s.json, limit, &err), HSD_OK);
        cr_expect_eq(s.json.is_cut, limit < 12);
        const size_t whole = limit < 3 ? limit : limit < 6 ? 3 : limit < 9 ? 6 : limit < 12 ? limit : 12;
        cr_expect_eq(s.json.text.size, whole, "limit %zu: %zu bytes", limit, s.json.text.size);
        cr_expect_eq(hsd_import_json_expect(&s.json, ',', &err), HSD_OK); /* all of it was taken */
        close_stream(&s);
    }
}

Test(json, skips_strings_and_values_of_any_kind)
{
    static const char *const values[] = {
        "1",
        "-1.5e+3",
        "true",
        "null",
        "\"\"",
        "\"a\\\"]}\\\\\"",
        "[]",
        "{}",
        "[[[]],{\"a\":[\"]\"]},3]",
        "{\"a\":{\"b\":\"}\\u005d\"},\"c\":[1,2,{}]}",
        "[\"a long text that does not fit the window of this source, which has sixty-four "
        "bytes\\\\\", 1]",
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        for (size_t step = 1; step < 20; step += 3) {
            char text[256];
            const int size = snprintf(text, sizeof text, " %s ;", values[i]);
            stream s;
            open_stream(&s, text, (size_t)size, step);
            cr_expect_eq(hsd_import_json_skip(&s.json, &err), HSD_OK, "%s: %s", text, err.text);
            cr_expect_eq(hsd_import_json_expect(&s.json, ';', &err), HSD_OK, "%s: %s", text, err.text);
            close_stream(&s);
        }
}

Test(json, nesting_costs_no_stack)
{
    enum { DEPTH = 2000000 };
    char *text = malloc(2 * DEPTH + 1);
    cr_assert(text != NULL);
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    stream s;
    open_stream(&s, text, 2 * DEPTH, 4096);
    cr_expect_eq(hsd_import_json_skip(&s.json, &err), HSD_OK);
    close_stream(&s);
    open_stream(&s, text, DEPTH, 4096);
    cr_expect_eq(hsd_import_json_skip(&s.json, &err), HSD_E_TRUNCATED);
    close_stream(&s);
    free(text);
}

Test(json, walks_objects_and_lists)
{
    const char text[] = " { \"a\" : [ 1 , 22,333 ] ,\"b\":{} }";
    stream s;
    uint64_t value, sum = 0;
    bool is_first = true, is_first_item = true;
    open_stream(&s, text, sizeof text - 1, 2);
    cr_assert_eq(hsd_import_json_next_key(&s.json, &is_first, &err), HSD_OK);
    cr_expect(hsd_import_json_is(&s.json, "a"));
    while (hsd_import_json_next_item(&s.json, &is_first_item, &err) == HSD_OK) {
        cr_assert_eq(hsd_import_json_number(&s.json, &value, &err), HSD_OK);
        sum += value;
    }
    cr_expect_eq(sum, 356);
    cr_assert_eq(hsd_import_json_next_key(&s.json, &is_first, &err), HSD_OK);
    cr_expect(hsd_import_json_is(&s.json, "b"));
    cr_expect_eq(hsd_import_json_skip(&s.json, &err), HSD_OK);
    cr_expect_eq(hsd_import_json_next_key(&s.json, &is_first, &err), HSD_END);
    close_stream(&s);
}

static hsd_status read_one(stream *s, char kind)
{
    uint64_t value;
    bool is_first = true;
    switch (kind) {
    case 's': return hsd_import_json_string(&s->json, 99, &err);
    case 'k': return hsd_import_json_skip_string(&s->json, &err);
    case 'n': return hsd_import_json_number(&s->json, &value, &err);
    case 'o': return hsd_import_json_next_key(&s->json, &is_first, &err);
    default: return hsd_import_json_skip(&s->json, &err);
    }
}

Test(json, refuses_what_is_no_json)
{
    static const struct {
        char kind;
        const char *text;
    } cases[] = {
        {'s', "x"},
        {'s', "\"\\x\""},
        {'s', "\"\\u12g4\""},
        {'n', "x"},
        {'n', "1.5 "},
        {'n', "1e3 "},
        {'n', "18446744073709551616 "},
        {'o', "[]"},
        {'o', "{1:2}"},
        {'o', "{\"a\" 2}"},
        {'v', "]"},
        {'v', ","},
        {'s', "\"\\\0\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stream s;
        open_stream(&s, cases[i].text, strlen(cases[i].text) + 1, 3);
        cr_expect_eq(read_one(&s, cases[i].kind), HSD_E_CORRUPT, "%c %s", cases[i].kind, cases[i].text);
        cr_expect(strstr(err.text, "should stand here") != NULL && err.offset_bytes != HSD_NO_OFFSET, "%s", err.text);
        close_stream(&s);
    }
}

Test(json, every_prefix_of_a_value_is_cut_off)
{
    static const struct {
        char kind;
        const char *text;
    } cases[] = {{'s', "\"a\\u20ac\\n\xe2\x82\xac b\""}, {'k', "\"a\\\"b\\\\\""}, {'v', "{\"a\":[1,\"]\",{}]}"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t cut = 0; cut < strlen(cases[i].text); cut++) {
            stream s;
            open_stream(&s, cases[i].text, cut, 4);
            cr_expect_eq(read_one(&s, cases[i].kind), HSD_E_TRUNCATED, "%s cut at %zu", cases[i].text, cut);
            cr_expect_eq(err.offset_bytes, cut);
            close_stream(&s);
        }
}

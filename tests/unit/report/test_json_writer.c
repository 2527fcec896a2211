/*
 * The writer of JSON: commas, brackets and lines come right whatever is put into it.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "report/write/json_writer.h"
#include "unit/report/sample.h"

typedef struct written {
    sample_sink sink;
    hsd_error err;
    hsd_out out;
    hsd_json_writer json;
} written;

static void begin(written *w)
{
    *w = (written){.sink = {0}};
    hsd_error_init(&w->err);
    sample_write(&w->sink, "", 0, &w->err);
    hsd_out_init(&w->out, sample_write, &w->sink, &w->err);
    hsd_json_begin(&w->json, &w->out);
}

static void expect(written *w, const char *text)
{
    cr_expect_eq(hsd_out_finish(&w->out), HSD_OK);
    cr_expect_str_eq(w->sink.text, text);
    free(w->sink.text);
}

Test(json_writer, puts_commas_between_members_and_nowhere_else)
{
    written w;
    begin(&w);
    hsd_json_open_object(&w.json, NULL, HSD_JSON_INLINE);
    hsd_json_open_list(&w.json, "none", HSD_JSON_INLINE);
    hsd_json_close(&w.json);
    hsd_json_open_object(&w.json, "empty", HSD_JSON_INLINE);
    hsd_json_close(&w.json);
    hsd_json_open_list(&w.json, "three", HSD_JSON_INLINE);
    for (uint64_t i = 1; i <= 3; i++)
        hsd_json_put_count(&w.json, NULL, i);
    hsd_json_close(&w.json);
    hsd_json_put_flag(&w.json, "last", false);
    hsd_json_close(&w.json);
    expect(&w, "{\"none\": [], \"empty\": {}, \"three\": [1, 2, 3], \"last\": false}");
}

Test(json_writer, writes_each_kind_of_value)
{
    written w;
    begin(&w);
    hsd_json_open_list(&w.json, NULL, HSD_JSON_INLINE);
    hsd_json_put_text(&w.json, NULL, sample_text("a\"b\n\x1b"));
    hsd_json_put_string(&w.json, NULL, NULL);
    hsd_json_put_count(&w.json, NULL, UINT64_MAX);
    hsd_json_put_signed(&w.json, NULL, INT64_MIN);
    hsd_json_put_flag(&w.json, NULL, true);
    hsd_json_put_id(&w.json, NULL, 31);
    hsd_json_put_millionths(&w.json, NULL, 1000042);
    hsd_json_put_null(&w.json, NULL);
    hsd_json_put_amount(&w.json, NULL, (hsd_amount){2, 96});
    hsd_json_put_net(&w.json, NULL, -2, 96);
    hsd_json_close(&w.json);
    expect(&w,
           "[\"a\\\"b\\n\\u001b\", \"\", 18446744073709551615, -9223372036854775808, true, \"0x1f\", 1.000042, null, "
           "{\"objects\": 2, \"bytes\": 96}, {\"objects\": -2, \"bytes\": 96}]");
}

Test(json_writer, escapes_a_key_that_is_foreign)
{
    written w;
    begin(&w);
    hsd_json_open_object(&w.json, NULL, HSD_JSON_INLINE);
    hsd_json_put_count_of(&w.json, sample_text("a\"b"), 1);
    hsd_json_put_count_of(&w.json, sample_text("c"), 2);
    hsd_json_close(&w.json);
    expect(&w, "{\"a\\\"b\": 1, \"c\": 2}");
}

/* Two members in a list of the layout, in a document. */
static void put_list(written *w, const char *key, hsd_json_layout layout, size_t count)
{
    hsd_json_open_list(&w->json, key, layout);
    for (size_t i = 0; i < count; i++)
        hsd_json_put_count(&w->json, NULL, i);
    hsd_json_close(&w->json);
}

Test(json_writer, lays_members_out_as_their_bracket_says)
{
    written w;
    begin(&w);
    hsd_json_open_object(&w.json, NULL, HSD_JSON_LINES);
    put_list(&w, "lines", HSD_JSON_LINES, 2);
    put_list(&w, "none", HSD_JSON_LINES, 0);
    put_list(&w, "deep", HSD_JSON_DEEP, 1);
    put_list(&w, "hanging", HSD_JSON_HANGING, 2);
    put_list(&w, "below", HSD_JSON_BELOW, 2);
    hsd_json_close(&w.json);
    expect(&w, "{\n  \"lines\": [\n    0,\n    1\n  ],\n  \"none\": [],\n  \"deep\": [\n      0\n  ],\n  \"hanging\": "
               "[0,\n    1],\n"
               "  \"below\": [\n    0,\n    1]\n}");
}

Test(json_writer, indents_by_what_is_not_inline)
{
    written w;
    begin(&w);
    hsd_json_open_object(&w.json, NULL, HSD_JSON_LINES);
    hsd_json_open_list(&w.json, "rules", HSD_JSON_LINES);
    hsd_json_open_object(&w.json, NULL, HSD_JSON_INLINE);
    hsd_json_put_count(&w.json, "rule", 1);
    put_list(&w, "findings", HSD_JSON_LINES, 1);
    hsd_json_close(&w.json);
    hsd_json_close(&w.json);
    hsd_json_close(&w.json);
    expect(&w, "{\n  \"rules\": [\n    {\"rule\": 1, \"findings\": [\n      0\n    ]}\n  ]\n}");
}

Test(json_writer, keeps_members_on_one_line_where_it_is_told)
{
    written w;
    begin(&w);
    hsd_json_open_object(&w.json, NULL, HSD_JSON_LINES);
    hsd_json_put_count(&w.json, "a", 1);
    hsd_json_one_line(&w.json);
    hsd_json_put_count(&w.json, "b", 2);
    hsd_json_put_count(&w.json, "c", 3);
    hsd_json_own_lines(&w.json);
    hsd_json_put_count(&w.json, "d", 4);
    hsd_json_close(&w.json);
    expect(&w, "{\n  \"a\": 1,\n  \"b\": 2, \"c\": 3,\n  \"d\": 4\n}");
}

Test(json_writer, refuses_what_is_nested_too_deeply)
{
    written w;
    begin(&w);
    for (unsigned i = 0; i <= HSD_JSON_DEPTH_MOST; i++)
        hsd_json_open_list(&w.json, NULL, HSD_JSON_INLINE);
    for (unsigned i = 0; i <= HSD_JSON_DEPTH_MOST + 1; i++)
        hsd_json_close(&w.json);
    cr_expect_eq(hsd_out_finish(&w.out), HSD_E_MISUSE);
    free(w.sink.text);
}

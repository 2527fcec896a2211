/*
 * JSON, CSV and --plain: the contract's fields, exact numbers, and rows that add up. Other programs' parsers
 * read all of it in tests/cli.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "unit/report/sample.h"
#include "unit/report/says.h"

static const hsd_report_options all = {.use_utf8 = true};

static hsd_type_row types[4];
static hsd_root_row roots[2];

static hsd_diff sample(void)
{
    types[0] = sample_type("Session", 1000, 5000);
    types[1] = sample_type("a,b", 0, 300);
    types[2] = sample_type("=SUM(A1)", 900, 0);
    roots[0] = sample_root("global.sessions", 1000, 5000);
    roots[1] = sample_root("(shared)", 900, 300);
    return sample_diff(types, 3, roots, 2);
}

Test(json, keeps_the_contract)
{
    hsd_diff diff = sample();
    char *report = sample_report("json", &diff, &all);
    HOLDS(report, "\"schema\": \"hsdiff.diff/1\"");
    HOLDS(report, "\"identity\": \"exact\"");
    HOLDS(report, "\"unreached\": {\"objects\": 0, \"bytes\": 0}");
    HOLDS(report, "\"identity_known\": true");
    HOLDS(report, "{\"type\": \"Session\", \"before\": {\"objects\": 10, \"bytes\": 1000}, "
                  "\"after\": {\"objects\": 50, \"bytes\": 5000}, "
                  "\"growth\": {\"objects\": 40, \"bytes\": 4000}, \"new\": {\"objects\": 40, "
                  "\"bytes\": 4000}, \"freed\": {\"objects\": 0, \"bytes\": 0}");
    HOLDS(report, "\"growth\": {\"objects\": -9, \"bytes\": -900}");
    HOLDS(report, "{\"root\": \"(shared)\", \"kind\": \"shared\"");
    HOLDS(report, "{\"root\": \"global.sessions\", \"kind\": \"global\"");
    HOLDS(report, "\"holders\": null"); /* nothing is claimed that was not looked for */
    LACKS(report, "others");            /* nothing is folded without --top */
    free(report);
}

/* What a screen says in lines and paragraphs is one line; names in it are harmless in a terminal. */
Test(json, begins_with_the_answer)
{
    hsd_diff diff = sample();
    char *report = sample_report("json", &diff, &all);
    HOLDS(report, "{\n  \"schema\": \"hsdiff.diff/1\",\n  \"answer\": \"Live heap grew ");
    free(report);
    report = sample_report("ndjson", &diff, &all);
    HOLDS(report, "{\"schema\": \"hsdiff.diff/1\", \"record\": \"answer\", \"text\": \"Live heap grew ");
    free(report);
}

Test(json, carries_the_rest_in_others)
{
    hsd_diff diff = sample();
    const hsd_report_options options = {.use_utf8 = true, .top = 1};
    char *report = sample_report("json", &diff, &options);
    HOLDS(report, "\"others\": {\"types\": {\"rows\": 2, \"before\": {\"objects\": 9, \"bytes\": 900}");
    HOLDS(report, "\"roots\": {\"rows\": 1, ");
    free(report);
}

Test(json, leaves_out_what_is_not_known)
{
    hsd_diff diff = sample();
    diff.before.info.pid = 0;
    diff.before.info.taken_unix_ns = 0;
    diff.before.info.process_name = NULL;
    memset(diff.before.info.domain, 0, 16);
    diff.after = diff.before;
    char *report = sample_report("json", &diff, &all);
    LACKS(report, "\"pid\"");
    LACKS(report, "\"taken\"");
    LACKS(report, "\"process\"");
    LACKS(report, "\"domain\"");
    free(report);
}

Test(csv, holds_one_table)
{
    hsd_diff diff = sample();
    char *report = sample_report("csv", &diff, &all);
    HOLDS(report, "row,name,before_objects,");
    HOLDS(report, "\r\ntype,Session,10,1000,50,5000,40,4000,40,4000,0,0,0,0,0,0,0,,\r\n");
    HOLDS(report, "\r\ntype,\"a,b\",0,0,3,300,3,300,");
    HOLDS(report, "\r\ntype,\"'=SUM(A1)\",9,900,0,0,-9,-900,");
    free(report);
    const hsd_report_options options = {.table = HSD_TABLE_ROOTS, .top = 1};
    report = sample_report("csv", &diff, &options);
    HOLDS(report, "\r\nroot,global.sessions,10,1000,50,5000,40,4000,40,4000,0,0,0,,\r\n");
    HOLDS(report, "\r\nothers,,9,900,3,300,-6,-600,0,0,6,600,0,,\r\n");
    free(report);
}

Test(plain, is_one_record_a_line)
{
    hsd_diff diff = sample();
    const hsd_report_options options = {.use_utf8 = true, .plain = true, .top = 1};
    char *report = sample_report("text", &diff, &options);
    HOLDS(report, "\ncapture\tbefore\tbefore.hs\t2026-11-20 09:14:02Z\t1900\t19\t0\t0\tcomplete\n");
    HOLDS(report, "\ntotal\t\t1900\t5300\t3400\t19\t53\t34\t4300\t43\t900\t9\t0\n");
    HOLDS(report, "\ntype\tSession\t1000\t5000\t4000\t10\t50\t40\t4000\t40\t0\t0\t0\n");
    HOLDS(report, "\nothers-type\t\t900\t300\t-600\t9\t3\t-6\t300\t3\t900\t9\t0\n");
    free(report);
}

static char *rows_of(const hsd_changed_object *objects, size_t count)
{
    sample_sink sink = {0};
    hsd_objects_csv csv;
    cr_assert(hsd_objects_csv_begin(&csv, sample_write, &sink, NULL) == HSD_OK);
    for (size_t i = 0; i < count; i++)
        cr_assert(hsd_objects_csv_row(&csv, &objects[i], NULL) == HSD_OK);
    cr_assert_eq(csv.row_count, count);
    return sink.text;
}

Test(objects, say_what_became_of_each)
{
    const hsd_changed_object objects[] = {
        {.id = 0x1f, .type = sample_text("A"), .bytes_after = 8, .state_after = 2},
        {.id = 0xffffffffffffffff, .type = sample_text("a,b"), .bytes_before = 16, .state_before = 1},
        {.id = 1, .type = sample_text("C"), .bytes_before = 8, .bytes_after = 9, .state_before = 2, .state_after = 2},
        {.id = 2, .type = sample_text("D"), .bytes_before = 8, .bytes_after = 9, .state_before = 1, .state_after = 2},
        {.id = 3, .type = sample_text("E"), .bytes_before = 8, .bytes_after = 8, .state_before = 2, .state_after = 1},
        {.id = 4, .type = sample_text("F"), .bytes_after = 7, .state_after = 1}};
    char *list = rows_of(objects, 6);
    cr_expect_str_eq(list, "change,id,type,bytes,before,after\r\n"
                           "new,0x1f,A,8,absent,live\r\n"
                           "freed,0xffffffffffffffff,\"a,b\",16,unreached,absent\r\n"
                           "resized,0x1,C,9,live,live\r\n"
                           "reached,0x2,D,9,unreached,live\r\n"
                           "unreached,0x3,E,8,live,unreached\r\n"
                           "new,0x4,F,7,absent,unreached\r\n");
    free(list);
}

Test(objects, take_names_of_any_length)
{
    enum { SIZE = 65536 };
    char *name = malloc(SIZE);
    memset(name, '"', SIZE);
    const hsd_changed_object object = {.id = 1, .type = {name, SIZE}, .state_after = 2};
    char *list = rows_of(&object, 1);
    cr_expect_eq(strlen(list),
                 strlen("change,id,type,bytes,before,after\r\nnew,0x1,,0,absent,live\r\n") + 2 * SIZE + 2);
    free(list);
    free(name);
}

Test(registry, finds_formats_by_name)
{
    cr_expect(hsd_report_format_find("text") == hsd_report_format_get(0));
    cr_expect(hsd_report_format_find("json") && hsd_report_format_find("csv"));
    cr_expect(!hsd_report_format_find("xml"));
    for (size_t i = 0; hsd_report_format_get(i); i++)
        cr_expect(hsd_report_format_find(hsd_report_format_get(i)->name) == hsd_report_format_get(i));
}

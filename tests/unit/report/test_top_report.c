/*
 * The reports of hsdiff top: what each format says, what adds up, and what hostile names cannot do.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "unit/report/single_checks.h"

static hsd_top_type types[32];
static hsd_top_root roots[4];
static hsd_top_object objects[2];
static hsd_step path[4];

static hsd_top shop(void)
{
    types[0] = sample_top_type("Session", 30000, 90000);
    types[1] = sample_top_type("Buffer", 60000, 60000);
    types[2] = sample_top_type("string", 10000, 10000);
    types[2].unreached = (hsd_amount){3, 300};
    roots[0] = sample_top_root("global.sessions", 95000, 95000);
    roots[1] = sample_top_root("(shared)", 5000, 0);
    path[0] = sample_step("", "Map");
    path[1] = sample_step("[*].value", "Session");
    objects[0] = sample_top_object("global.sessions", path, 1, 95000);
    objects[1] = sample_top_object("global.sessions", path, 2, 300);
    hsd_top top = sample_top(types, 3, roots, 2);
    top.objects = objects;
    top.object_count = 2;
    return top;
}

Test(top_report, shows_types_roots_and_the_biggest_objects)
{
    const hsd_top top = shop();
    char *report = sample_top_report(&top, &text);
    HOLDS(report, "after.hs  2026-11-20 10:14:05Z  97.7 KiB  1,000 objects\n"
                  "  checkout-api, pid 4121, V8 11.3, complete\n");
    HOLDS(report, "\nTYPE        BYTES  OBJECTS  RETAINED  OF HEAP\n"
                  "Session  29.3 KiB      300  87.9 KiB      90%\n"
                  "Buffer   58.6 KiB      600  58.6 KiB      60%\n"
                  "string   9.77 KiB      100  9.77 KiB      10%\n"
                  "TOTAL    97.7 KiB    1,000\n");
    HOLDS(report, "global.sessions  92.8 KiB      950  92.8 KiB      95%\n"
                  "(shared)         4.88 KiB       50\n"
                  "TOTAL            97.7 KiB    1,000\n");
    HOLDS(report, "global.sessions: Map               92.8 KiB      95%      950  @7001\n"
                  "global.sessions[*].value: Session     300 B      <1%        3  @7001\n");
    HOLDS(report, "Unreached, not counted: 300 B in 3 objects.\n");
    LACKS(report, "Next:");
    free(report);
}

Test(top_report, names_the_place_where_most_comes_together)
{
    hsd_top top = shop();
    hsd_top_object place = sample_top_object("global.sessions", path, 1, 95000);
    const single_options markdown = AS("markdown", .top = 0);
    char *report = sample_top_report(&top, &text);
    LACKS(report, "of the heap");
    free(report);
    top.accumulation = &place;
    report = sample_top_report(&top, &text);
    HOLDS(report, "\n95% of the heap hangs from one place: global.sessions (Map), 950 objects.\n\nTYPE ");
    free(report);
    report = sample_top_report(&top, &markdown);
    SAYS(report, "95% of the heap hangs from one place: global.sessions (Map), 950 objects.");
    free(report);
    const single_options records = AS("ndjson", .top = 0);
    report = sample_top_report(&top, &json);
    HOLDS(report, "\n  \"accumulation\": {\"object\": \"0x1b59\", \"type\": \"Map\", \"bytes\": 64, \"retained\": "
                  "{\"objects\": 950, \"bytes\": 95000}, \"root\": \"global.sessions\"");
    free(report);
    report = sample_top_report(&top, &records);
    HOLDS(report, "\"record\": \"accumulation\", \"object\": \"0x1b59\"");
    free(report);
    place.bytes = 94000;
    report = sample_top_report(&top, &text);
    HOLDS(report, "\n95% of the heap is one object: global.sessions (Map).\n");
    free(report);
    place.retained_bytes = 9000;
    report = sample_top_report(&top, &text);
    SAYS(report, "No place holds a tenth of the heap; the largest, global.sessions (Map), holds 9.0%.");
    free(report);
    top.side.live = (hsd_amount){0, 0};
    report = sample_top_report(&top, &text);
    LACKS(report, "of the heap");
    free(report);
}

Test(top_report, folds_the_rest_into_one_row_that_adds_up)
{
    const hsd_top top = shop();
    const single_options options = AS("text", .top = 1, .exact_bytes = true);
    char *report = sample_top_report(&top, &options);
    HOLDS(report, "\nSession         30,000 B      300  90,000 B      90%\n"
                  "2 other types   70,000 B      700\n"
                  "TOTAL          100,000 B    1,000\n");
    HOLDS(report, "1 other root       5,000 B       50\n");
    free(report);
}

Test(top_report, shows_twenty_types_and_never_one_without_live_objects)
{
    static char names[32][8];
    for (size_t i = 0; i < 32; i++) {
        snprintf(names[i], sizeof names[i], "T%02zu", i);
        types[i] = sample_top_type(names[i], i < 19 ? 1000 : 0, 0);
        types[i].unreached = (hsd_amount){1, 8};
    }
    hsd_top top = sample_top(types, 32, roots, 0);
    char *report = sample_top_report(&top, &text);
    HOLDS(report, "\nT18 ");
    LACKS(report, "\nT19 ");
    HOLDS(report, "\n13 other types         0        0\n");
    free(report);
    for (size_t i = 0; i < 32; i++)
        types[i].live = (hsd_amount){1, 100};
    top = sample_top(types, 32, roots, 0);
    report = sample_top_report(&top, &text);
    HOLDS(report, "\nT19 ");
    LACKS(report, "\nT20 ");
    HOLDS(report, "\n12 other types");
    free(report);
}

Test(top_report, sorts_by_each_key)
{
    static const struct {
        hsd_sort_by sort_by;
        const char *order;
    } cases[] = {
        {HSD_SORT_RETAINED, "type,Session,type,Buffer,type,string,"},
        {HSD_SORT_GROWTH, "type,Buffer,type,Session,type,string,"},
        {HSD_SORT_OBJECTS, "type,Buffer,type,Session,type,string,"},
        {HSD_SORT_NAME, "type,Buffer,type,Session,type,string,"},
    };
    const hsd_top top = shop();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const single_options options = {.format = "csv", .report = {.sort_by = cases[i].sort_by}};
        char *report = sample_top_report(&top, &options), order[256] = "";
        size_t used = 0;
        for (const char *line = strstr(report, "\r\n") + 2; *line; line = strstr(line, "\r\n") + 2) {
            const char *end = strchr(strchr(line, ',') + 1, ',') + 1;
            used += (size_t)snprintf(order + used, sizeof order - used, "%.*s", (int)(end - line), line);
        }
        cr_expect_str_eq(order, cases[i].order, "sort %d", (int)cases[i].sort_by);
        free(report);
    }
}

Test(top_report, puts_what_is_shared_where_its_bytes_belong)
{
    hsd_top top = shop();
    roots[1].live = (hsd_amount){96000, 960000};
    single_options options = csv;
    options.report.table = HSD_TABLE_ROOTS;
    char *report = sample_top_report(&top, &options);
    HOLDS(report, "retained_bytes\r\nroot,(shared),96000,960000,\r\nroot,global.sessions,");
    free(report);
}

Test(top_report, says_why_nothing_is_known_of_what_is_retained)
{
    hsd_top top = shop();
    top.has_retained = false;
    top.why_no_retained = sample_text("the capture carries no roots");
    top.object_count = 0;
    char *report = sample_top_report(&top, &text);
    HOLDS(report, "\nTYPE        BYTES  OBJECTS\n");
    HOLDS(report, "\nWhat is retained is not known: the capture carries no roots.\n");
    LACKS(report, "BIGGEST");
    free(report);
    report = sample_top_report(&top, &json);
    HOLDS(report, "\"objects\": null,\n  \"why_no_retained\": \"the capture carries no roots\"");
    HOLDS(report, "\"type\": \"Session\", \"live\": {\"objects\": 300, \"bytes\": 30000}, "
                  "\"unreached\": {\"objects\": 0, \"bytes\": 0}, \"retained_bytes\": null}");
    free(report);
    report = sample_top_report(&top, &csv);
    HOLDS(report, "\r\ntype,Session,300,30000,,0,0\r\n");
    free(report);
    report = sample_top_report(&top, &plain);
    HOLDS(report, "\nno-retained\tthe capture carries no roots\n");
    HOLDS(report, "\ntype\tSession\t30000\t300\t0\t0\t\n");
    free(report);
}

Test(top_report, json_has_everything_and_the_rest)
{
    hsd_top top = shop();
    const single_options one = AS("json", .top = 1);
    hsd_text warning = sample_text("it is \"partial\"");
    top.warnings = &warning;
    top.warning_count = 1;
    char *report = sample_top_report(&top, &json);
    HOLDS(report, "{\n  \"schema\": \"hsdiff.top/1\",\n  \"answer\": \"Live heap: 97.7 KiB in 1,000 objects.\",\n"
                  "  \"captures\": [\n    {\"path\": \"after.hs\"");
    HOLDS(report, "\"warnings\": [\"it is \\\"partial\\\"\"]");
    HOLDS(report, "{\"root\": \"global.sessions\", \"kind\": \"global\", \"live\": {\"objects\": 950, "
                  "\"bytes\": 95000}, \"retained_bytes\": 95000}");
    HOLDS(report, "{\"root\": \"(shared)\", \"kind\": \"shared\", \"live\": {\"objects\": 50, "
                  "\"bytes\": 5000}, \"retained_bytes\": null}");
    HOLDS(report, "{\"object\": \"0x1b59\", \"type\": \"Session\", \"bytes\": 64, \"retained\": "
                  "{\"objects\": 3, \"bytes\": 300}, \"root\": \"global.sessions\", \"path\": "
                  "[{\"edge\": \"\", \"type\": \"Map\"}, {\"edge\": \"[*].value\", \"type\": "
                  "\"Session\"}]}");
    LACKS(report, "others");
    free(report);
    report = sample_top_report(&top, &one);
    HOLDS(report, "\"others\": {\"types\": {\"rows\": 2, \"live\": {\"objects\": 700, \"bytes\": "
                  "70000}, \"unreached\": {\"objects\": 3, \"bytes\": 300}},\n"
                  "    \"roots\": {\"rows\": 1, \"live\": {\"objects\": 50, \"bytes\": 5000}}}");
    free(report);
}

Test(top_report, csv_holds_the_table_that_was_asked_for)
{
    const hsd_top top = shop();
    single_options options = csv;
    options.report.table = HSD_TABLE_ROOTS;
    options.report.top = 1;
    char *report = sample_top_report(&top, &options);
    cr_expect_str_eq(report, "row,name,objects,bytes,retained_bytes\r\n"
                             "root,global.sessions,950,95000,95000\r\nothers,,50,5000,\r\n");
    free(report);
    options.report.table = HSD_TABLE_OBJECTS;
    report = sample_top_report(&top, &options);
    cr_expect_str_eq(report, "row,object,type,bytes,retained_objects,retained_bytes,root,place\r\n"
                             "object,0x1b59,Map,64,950,95000,global.sessions,global.sessions: Map\r\n"
                             "object,0x1b59,Session,64,3,300,global.sessions,"
                             "global.sessions[*].value: Session\r\n");
    free(report);
}

Test(top_report, prints_an_empty_heap)
{
    const hsd_top top = sample_top(types, 0, roots, 0);
    char *report = sample_top_report(&top, &text);
    HOLDS(report, "after.hs  2026-11-20 10:14:05Z  0  0 objects\n");
    LACKS(report, "TOTAL");
    free(report);
    report = sample_top_report(&top, &json);
    HOLDS(report, "\"types\": [],\n  \"roots\": [],\n  \"objects\": []\n}\n");
    free(report);
}

Test(top_report, makes_hostile_names_harmless_in_every_format)
{
    hsd_top top = shop();
    types[0].name = roots[0].name = path[0].type = sample_text("\x1b[31m=a,\"\n\xe2\x80\xae"
                                                               "b");
    objects[0].type = path[0].type;
    objects[0].root = sample_text("::error::");
    check_harmless(report_top, &top);
    char *report = sample_top_report(&top, &text);
    HOLDS(report, "\n\\x1b[31m=a,\"\\x0a\\u202eb ");
    free(report);
    const single_options ascii = {.format = "text", .report = {.use_utf8 = false, .sort_by = HSD_SORT_RETAINED}};
    types[0].name = sample_text("Stra\xc3\x9f"
                                "e");
    report = sample_top_report(&top, &ascii);
    HOLDS(report, "Stra\\u00dfe");
    free(report);
}

Test(top_report, suggests_what_to_type_next)
{
    const hsd_top top = shop();
    single_options options = AS("text", .top = 1, .before_command = "a b.hprof", .before_is_foreign = true);
    char *report = sample_top_report(&top, &options);
    HOLDS(report, "Next:  hsdiff paths 'a b.hprof' Session               how they are reached\n"
                  "       hsdiff top 'a b.hprof' --top all               every type and root\n"
                  "       hsdiff top 'a b.hprof' --retained objects.csv  what each object retains\n"
                  "       hsdiff import 'a b.hprof' -o heap.hs           to read the dump only once\n");
    free(report);
    options.report.before_command = "-";
    report = sample_top_report(&top, &options);
    LACKS(report, "hsdiff import");
    free(report);
    options.report.before_command = "a/very/long/path/to/a/heap/that/was/captured/yesterday.hs";
    options.report.before_is_foreign = false;
    report = sample_top_report(&top, &options);
    HOLDS(report, "Next:  how they are reached\n       hsdiff paths a/very/long/");
    free(report);
}

Test(top_report, cuts_names_to_the_terminal_and_nowhere_else)
{
    hsd_top top = shop();
    types[0].name = sample_text("com.shop.cache.Entry<java.lang.String,com.shop.Session>.Inner.Deeper");
    single_options options = text;
    options.report.width = 60;
    char *report = sample_top_report(&top, &options);
    HOLDS(report, "\xe2\x80\xa6");
    for (const char *line = report; *line; line = strchr(line, '\n') + 1)
        if (strncmp(line, "com.", 4) == 0) cr_expect_leq((size_t)(strchr(line, '\n') - line), 60 + 4, "%s", line);
    free(report);
    report = sample_top_report(&top, &text);
    HOLDS(report, types[0].name.data);
    free(report);
}

Test(top_report, keeps_objects_within_the_terminal_even_where_they_look_alike)
{
    static hsd_step far[2][2];
    hsd_top top = shop();
    for (size_t i = 0; i < 2; i++) {
        far[i][0] = sample_step("", "Main");
        far[i][1] = sample_step(i ? ".theOtherOne.collections" : ".theOne.collections", "java.util.Collection[]");
        objects[i] = sample_top_object("thread \"main\", com.shop.application.server.Main.main", far[i], 2, 9000);
    }
    single_options options = text;
    options.report.width = 80;
    char *report = sample_top_report(&top, &options);
    for (const char *line = strstr(report, "BIGGEST"); *line != '\n'; line = strchr(line, '\n') + 1)
        cr_expect_leq((size_t)(strchr(line, '\n') - line), 80 + 2, "%s", line);
    free(report);
}

Test(top_report, passes_on_what_the_writer_says)
{
    const hsd_top top = shop();
    check_passes_on_what_the_writer_says(report_top, &top);
}

Test(top_report, fails_wherever_memory_runs_out)
{
    hsd_top top = shop();
    types[0].name = sample_text("com.shop.cache.Entry<java.lang.String,com.shop.Session>.Inner.Deeper");
    check_fails_without_memory(report_top, &top, 60);
}

Test(top_report, lists_every_object_as_csv)
{
    sample_sink sink = {0};
    hsd_retained_csv list;
    hsd_error err;
    hsd_error_init(&err);
    static char longest[2001];
    memset(longest, 'x', 2000);
    cr_assert_eq(hsd_retained_csv_begin(&list, sample_write, &sink, &err), HSD_OK);
    const hsd_retained rows[] = {
        {.id = 16, .type = sample_text("a,b"), .bytes = 8, .retained_bytes = 24, .retained_objects = 2},
        {.id = 32,
         .type = sample_text(longest),
         .bytes = 16,
         .retained_bytes = 16,
         .retained_objects = 1,
         .dominator = 0,
         .has_dominator = true},
        {.id = UINT64_MAX,
         .type = sample_text("a:\x01"),
         .bytes = 0,
         .retained_bytes = UINT64_MAX,
         .retained_objects = 1000000000,
         .dominator = UINT64_C(0xfedcba9876543210),
         .has_dominator = true},
    };
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(hsd_retained_csv_row(&list, &rows[i], &err), HSD_OK);
    cr_expect_eq(list.row_count, 3);
    HOLDS(sink.text, "id,type,bytes,retained_bytes,retained_objects,dominator\r\n"
                     "0x10,\"a,b\",8,24,2,\r\n0x20,xxx");
    HOLDS(sink.text, "xxx,16,16,1,0x0\r\n0xffffffffffffffff,a:\\x01,0,18446744073709551615,1000000000,"
                     "0xfedcba9876543210\r\n");
    cr_expect(strstr(sink.text, longest) != NULL);
    free(sink.text);
    for (size_t at = 1; at < 5; at++) {
        sink = (sample_sink){.fail_at = at};
        list = (hsd_retained_csv){.write = sample_write, .context = &sink};
        cr_expect_eq(hsd_retained_csv_row(&list, &rows[0], &err), HSD_E_IO);
        free(sink.text);
    }
}

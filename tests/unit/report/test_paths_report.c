/*
 * The reports of hsdiff paths: lines of a path, what adds up, what is left out in the middle of a long one.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "unit/report/single_checks.h"

static hsd_step steps[64];
static hsd_path_row rows[3];

static hsd_paths shop(void)
{
    steps[0] = sample_step("", "Map");
    steps[1] = sample_step("[*].value", "Session");
    steps[2] = sample_step("", "Session");
    steps[3] = sample_step(".next", "Session");
    steps[3].repeat = 3;
    rows[0] = sample_path("static Last.seen", &steps[2], 1, 1);
    rows[1] = sample_path("global.sessions", steps, 2, 12000);
    rows[2] = sample_path("(stacks)", &steps[3], 1, 3);
    rows[2].length = 4;
    return sample_paths("Session", rows, 3);
}

Test(paths_report, writes_a_line_for_each_step)
{
    const hsd_paths paths = shop();
    char *report = sample_paths_report(&paths, &text);
    HOLDS(report, "\nSession: 12,004 objects, 1.14 MiB, reached over 3 paths.\n\n"
                  "PATH                       REFERENCES  OBJECTS     BYTES\n"
                  "static Last.seen: Session           1        1     100 B\n"
                  "global.sessions: Map                2   12,000  1.14 MiB\n"
                  "  [*].value: Session\n"
                  "(stacks)                            4        3     300 B\n"
                  "  .next{x3}: Session\n"
                  "TOTAL                                   12,004  1.14 MiB\n");
    free(report);
}

Test(paths_report, adds_up_with_the_paths_that_are_not_shown)
{
    hsd_paths paths = shop();
    paths.row_count = 2;
    paths.others = rows[2].objects;
    paths.other_rows = 1;
    char *report = sample_paths_report(&paths, &text);
    HOLDS(report, "\n1 other path                                 3     300 B\n"
                  "TOTAL                                   12,004  1.14 MiB\n");
    HOLDS(report, "reached over 3 paths.");
    free(report);
    report = sample_paths_report(&paths, &json);
    HOLDS(report, "\"others\": {\"rows\": 1, \"live\": {\"objects\": 3, \"bytes\": 300}}\n}\n");
    free(report);
    report = sample_paths_report(&paths, &csv);
    HOLDS(report, "\r\nothers,,3,300,,,\r\n");
    free(report);
    report = sample_paths_report(&paths, &plain);
    HOLDS(report, "\nothers\t\t3\t300\t\n");
    free(report);
}

Test(paths_report, says_what_is_unreached)
{
    hsd_paths paths = shop();
    paths.row_count = 1;
    paths.live = rows[0].objects;
    paths.unreached = (hsd_amount){2, 200};
    char *report = sample_paths_report(&paths, &text);
    HOLDS(report, "\nSession: 1 object, 100 B, reached over 1 path; 2 objects, 200 B, unreached: no\n"
                  "root leads there over strong references.\n");
    free(report);
    paths.row_count = 0;
    paths.live = (hsd_amount){0, 0};
    report = sample_paths_report(&paths, &text);
    HOLDS(report, "\nSession: 2 objects, 200 B, unreached: no root leads there over strong\nreferences.\n");
    LACKS(report, "PATH");
    free(report);
}

Test(paths_report, of_one_object_counts_no_objects)
{
    hsd_paths paths = shop();
    paths.is_id = true;
    paths.id = 77;
    paths.row_count = 2;
    paths.live = (hsd_amount){1, 100};
    paths.other_rows = 12;
    char *report = sample_paths_report(&paths, &text);
    HOLDS(report, "\n@77 Session: 100 B, reached over 14 paths.\n\n"
                  "PATH                       REFERENCES\n"
                  "static Last.seen: Session           1\n");
    HOLDS(report, "\n12 other paths\n");
    LACKS(report, "TOTAL");
    free(report);
    paths.side.info.identity = HSD_IDENTITY_ADDRESS;
    report = sample_paths_report(&paths, &text);
    HOLDS(report, "\n0x4d Session: 100 B");
    free(report);
    report = sample_paths_report(&paths, &json);
    HOLDS(report, ",\n  \"object\": \"0x4d\",\n  \"type\": \"Session\",\n");
    free(report);
}

Test(paths_report, leaves_out_the_middle_of_a_long_path)
{
    static char names[64][8];
    for (size_t i = 0; i < 64; i++) {
        snprintf(names[i], sizeof names[i], ".s%02zu", i);
        steps[i] = sample_step(names[i], "T");
    }
    steps[20].repeat = 5;
    rows[0] = sample_path("global.deep", steps, 64, 1);
    rows[0].step_cut = 1000;
    rows[0].length = 1068;
    hsd_paths paths = sample_paths("T", rows, 1);
    char *report = sample_paths_report(&paths, &text);
    HOLDS(report, "\nglobal.deep          1,068        1  100 B\n  .s00: T\n");
    HOLDS(report, "  .s09: T\n  {1,049 more}\n  .s55: T\n");
    HOLDS(report, "  .s63: T\nTOTAL");
    free(report);
    report = sample_paths_report(&paths, &plain);
    HOLDS(report, " > .s31: T > {1,000 more} > .s32: T > ");
    HOLDS(report, " > .s20{x5}: T > ");
    free(report);
    report = sample_paths_report(&paths, &json);
    HOLDS(report, "{\"edge\": \".s63\", \"type\": \"T\"}], \"path_cut\": 1000}");
    free(report);
    for (size_t count = 1; count <= 64; count++) { /* whatever the length, a table has room for it */
        rows[0].step_count = count;
        report = sample_paths_report(&paths, &text);
        HOLDS(report, "TOTAL");
        free(report);
    }
}

Test(paths_report, json_and_csv_have_every_field)
{
    hsd_paths paths = shop();
    paths.unreached = (hsd_amount){1, 8};
    char *report = sample_paths_report(&paths, &json);
    HOLDS(report,
          "{\n  \"schema\": \"hsdiff.paths/1\",\n  \"answer\": \"Session: 12,004 objects, 1.14 MiB, reached over 3 "
          "paths; 1 object, 8 B, unreached: no root leads there over strong references.\",\n  \"captures\": [\n");
    HOLDS(report, ",\n  \"warnings\": [],\n  \"type\": \"Session\",\n  \"live\": {\"objects\": 12004, "
                  "\"bytes\": 1200400},\n  \"unreached\": {\"objects\": 1, \"bytes\": 8},\n");
    HOLDS(report, "    {\"references\": 2, \"live\": {\"objects\": 12000, \"bytes\": 1200000}, \"root\": "
                  "\"global.sessions\", \"kind\": \"global\", \"path\": [{\"edge\": \"\", \"type\": "
                  "\"Map\"}, {\"edge\": \"[*].value\", \"type\": \"Session\"}]},\n");
    HOLDS(report, "\"edge\": \".next\", \"type\": \"Session\", \"repeat\": 3}");
    free(report);
    report = sample_paths_report(&paths, &csv);
    cr_expect_str_eq(report, "row,references,objects,bytes,type,root,path\r\n"
                             "path,1,1,100,Session,static Last.seen,static Last.seen: Session\r\n"
                             "path,2,12000,1200000,Session,global.sessions,"
                             "global.sessions: Map > [*].value: Session\r\n"
                             "path,4,3,300,Session,(stacks),(stacks) > .next{x3}: Session\r\n");
    free(report);
}

Test(paths_report, makes_hostile_names_harmless_in_every_format)
{
    hsd_paths paths = shop();
    steps[0].type = steps[1].edge = rows[1].root = paths.type = sample_text("\x1b[31m\n::error::\xe2\x80\xae");
    check_harmless(report_paths, &paths);
}

Test(paths_report, passes_on_what_the_writer_says)
{
    const hsd_paths paths = shop();
    check_passes_on_what_the_writer_says(report_paths, &paths);
}

Test(paths_report, fails_wherever_memory_runs_out)
{
    const hsd_paths paths = shop();
    check_fails_without_memory(report_paths, &paths, 40);
}

Test(paths_report, suggests_more_of_them)
{
    hsd_paths paths = shop();
    paths.other_rows = 5;
    const single_options options = AS("text", .before_command = "a.hs");
    char *report = sample_paths_report(&paths, &options);
    HOLDS(report, "Next:  hsdiff paths a.hs Session --top 100  more of them\n"
                  "       hsdiff top a.hs                      what holds most\n");
    free(report);
}

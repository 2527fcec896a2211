/*
 * What hsdiff fleet does, an action a function: cmd_fleet.c chooses, fleet_add.c adds, fleet_report.c, fleet_html.c,
 * fleet_junit.c, fleet_metrics.c and fleet_sarif.c write what grows.
 */
#ifndef CLI_FLEET_FLEET_H
#define CLI_FLEET_FLEET_H

#include "out.h"
#include <hsdiff/fleet.h>

/* hsdiff fleet add STORE CAPTURE…; returns the exit status. */
int cli_fleet_add(cli_app *cli);

/* A report as text for people, and as JSON (schema hsdiff.fleet/1). */
void cli_fleet_write_text(cli_out *out, const cli_app *cli, const hsd_fleet_report *report);
void cli_fleet_write_json(cli_out *out, const hsd_fleet_report *report);

/* True if there are captures enough of a version to tell whether it grows; NULL = of all. */
bool cli_fleet_can_tell(const hsd_fleet_report *report, const char *version);

/* "7 processes", "1 capture", and "3 of 7 processes". */
void cli_fleet_put_processes(cli_out *out, uint64_t processes);
void cli_fleet_put_captures(cli_out *out, uint64_t captures);
void cli_fleet_put_share(cli_out *out, uint64_t grows, uint64_t processes);

/* The answer of a report without findings: a sentence. */
const char *cli_fleet_nothing(const hsd_fleet_report *report);

/* A check of a candidate as JUnit XML: a test case for each service. */
void cli_fleet_write_junit(cli_out *out, const hsd_fleet_report *report, const char *candidate);

/* A check of a candidate as SARIF 2.1.0: a result for each thing that grows. */
void cli_fleet_write_sarif(cli_out *out, const hsd_fleet_report *report, const char *candidate);

/* A report as one HTML page, with the lines of its findings. */
void cli_fleet_write_html(cli_out *out, const cli_app *cli, const hsd_fleet_report *report);

/* A report as OpenMetrics text: what grows, by the key of its place, which is the same in all versions. */
void cli_fleet_write_metrics(cli_out *out, const cli_app *cli, const hsd_fleet_report *report);

#endif

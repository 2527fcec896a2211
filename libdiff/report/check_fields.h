/*
 * What stands in a check's JSON objects, without the braces around them: shared by the document (check_json.c) and by its lines
 * (check_ndjson.c). The first field of each follows what the caller has written; its separator is his.
 */
#ifndef HSD_REPORT_CHECK_FIELDS_H
#define HSD_REPORT_CHECK_FIELDS_H

#include "report/out.h"
#include <hsdiff/check.h>

/* verdict, exit_status, and how many rules passed, failed, … */
void hsd_check_put_sum(hsd_out *out, const hsd_check *check);

/* name, built_in and the settings of the configuration, without its rules. */
void hsd_check_put_config(hsd_out *out, const hsd_check_config *config);

/* What was asked and how it came out. `why` and found, limit, over are null where they are not known. */
void hsd_check_put_rule(hsd_out *out, const hsd_check_row *row);

/* A finding: who, what holds it, its numbers, why it is accepted, where it was allocated. */
void hsd_check_put_finding(hsd_out *out, const hsd_finding *finding);

#endif

/*
 * --summary: the diff of type totals alone. Reads the type table and the totals at the end of each
 * capture and not one object, so it takes milliseconds for any size. It speaks of all captured
 * objects: reachability, owners and identity need the objects.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "diff/compare.h"
#include "totals/type_totals.h"

static hsd_status load_diff_summary(hsd_summary_side sides[SIDE_COUNT], hsd_capture *const captures[SIDE_COUNT],
                                    hsd_type_names *names, hsd_type_table tables[SIDE_COUNT], hsd_error *err)
{
    HSD_TRY(hsd_type_names_init(names, err));
    for (int i = 0; i < SIDE_COUNT; i++) {
        sides[i].info = hsd_capture_get_info(captures[i]);
        HSD_TRY(hsd_summary_check(sides[i].info, err));
        HSD_TRY(hsd_type_table_load(&tables[i], captures[i], names, err));
    }
    for (int i = 0; i < SIDE_COUNT; i++) {
        sides[i].by_type = calloc(names->names.count, sizeof *sides[i].by_type);
        if (sides[i].by_type == NULL) return hsd_fail_nomem(err, "type totals");
        HSD_TRY(hsd_summary_add(sides[i].by_type, captures[i], &tables[i], err));
    }
    return HSD_OK;
}

hsd_status hsd_summary_run(hsd_diff **out, hsd_capture *before, hsd_capture *after, hsd_error *err)
{
    hsd_capture *const captures[SIDE_COUNT] = {before, after};
    hsd_summary_side sides[SIDE_COUNT] = {{NULL, NULL}, {NULL, NULL}};
    hsd_type_table tables[SIDE_COUNT];
    hsd_type_names names;
    memset(tables, 0, sizeof tables);
    hsd_status status = load_diff_summary(sides, captures, &names, tables, err);
    if (status == HSD_OK) status = hsd_rows_from_summary(out, sides, &names, err);
    for (int i = 0; i < SIDE_COUNT; i++) {
        hsd_type_table_release(&tables[i]);
        free(sides[i].by_type);
    }
    hsd_type_names_release(&names);
    return status;
}

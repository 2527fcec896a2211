/*
 * Lines of a path. A root refers to what it names without a name of its own, so both stand on one line.
 */
#include "report/model/paths_rows.h"

#include <stdio.h>
#include <string.h>

#include "report/sentences/place.h"

static hsd_status append_paths_row(hsd_buffer *out, const char *text, hsd_error *err)
{
    return hsd_buffer_append(out, text, strlen(text), err);
}

size_t hsd_path_first_step(const hsd_path_row *row)
{
    return row->step_count > 0 && row->steps[0].edge.size == 0 && row->steps[0].repeat <= 1;
}

hsd_status hsd_path_append_start(hsd_buffer *out, const hsd_path_row *row, hsd_error *err)
{
    HSD_TRY(hsd_buffer_append(out, row->root.data, row->root.size, err));
    if (hsd_path_first_step(row) == 0) return HSD_OK;
    HSD_TRY(append_paths_row(out, ": ", err));
    return hsd_buffer_append(out, row->steps[0].type.data, row->steps[0].type.size, err);
}

hsd_status hsd_path_append_cut(hsd_buffer *out, uint64_t cut, hsd_error *err)
{
    char number[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 16];
    snprintf(text, sizeof text, "{%s more}", hsd_format_count(number, cut));
    return append_paths_row(out, text, err);
}

hsd_status hsd_path_append(hsd_buffer *out, const hsd_path_row *row, hsd_error *err)
{
    HSD_TRY(hsd_path_append_start(out, row, err));
    for (size_t i = hsd_path_first_step(row); i < row->step_count; i++) {
        if (row->step_cut > 0 && i == row->step_count / 2) {
            HSD_TRY(append_paths_row(out, " > ", err));
            HSD_TRY(hsd_path_append_cut(out, row->step_cut, err));
        }
        HSD_TRY(append_paths_row(out, " > ", err));
        HSD_TRY(hsd_step_append_with_type(out, &row->steps[i], err));
    }
    return HSD_OK;
}

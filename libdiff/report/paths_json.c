/*
 * JSON, schema hsdiff.paths/1: the ways to the objects of a type, or to one object, shortest first; "others" are
 * those that are no rows. One row a line.
 */
#include "report/json_pieces.h"
#include "report/top_formats.h"

static void put_row(hsd_out *out, const hsd_path_row *row)
{
    hsd_json_count(out, "    {\"references\": ", row->length);
    hsd_json_amount(out, ", \"live\": ", row->objects);
    hsd_json_string(out, ", \"root\": ", row->root);
    hsd_json_root_kind(out, ", \"kind\": ", row->root_kind);
    hsd_json_steps(out, ", \"path\": ", row->steps, row->step_count);
    if (row->step_cut > 0) hsd_json_count(out, ", \"path_cut\": ", row->step_cut);
    hsd_out_text(out, "}");
}

static void put_asked(hsd_out *out, const hsd_paths *paths)
{
    if (paths->is_id) hsd_json_id(out, ",\n  \"object\": ", paths->id);
    hsd_json_string(out, ",\n  \"type\": ", paths->type);
    hsd_json_amount(out, ",\n  \"live\": ", paths->live);
    hsd_json_amount(out, ",\n  \"unreached\": ", paths->unreached);
}

hsd_status hsd_paths_write_json(const hsd_paths *paths, const hsd_single_options *options,
                                hsd_write_fn write, void *context, hsd_error *err)
{
    hsd_out out;
    (void)options;
    hsd_out_init(&out, write, context, err);
    hsd_out_text(&out, "{\n  \"schema\": \"hsdiff.paths/1\",\n  \"captures\": [\n");
    hsd_json_side(&out, &paths->side, false);
    hsd_out_text(&out, "\n  ]");
    hsd_json_texts(&out, ",\n  \"warnings\": ", paths->warnings, paths->warning_count);
    put_asked(&out, paths);
    hsd_out_text(&out, ",\n  \"paths\": [");
    for (size_t i = 0; i < paths->row_count; i++) {
        hsd_out_text(&out, i > 0 ? ",\n" : "\n");
        put_row(&out, &paths->rows[i]);
    }
    hsd_out_text(&out, paths->row_count > 0 ? "\n  ]" : "]");
    hsd_json_count(&out, ",\n  \"others\": {\"rows\": ", paths->other_rows);
    hsd_json_amount(&out, ", \"live\": ", paths->others);
    hsd_out_text(&out, "}\n}\n");
    return hsd_out_finish(&out);
}

/*
 * Paths as CSV by RFC 4180, one record a path; the last one is "others" where there are more.
 */
#include "report/out.h"
#include "report/paths_rows.h"
#include "report/top_formats.h"

static void put_amount(hsd_out *out, hsd_amount amount)
{
    hsd_out_format(out, ",%llu,%llu,", (unsigned long long)amount.objects,
                   (unsigned long long)amount.bytes);
}

static void put_row(hsd_out *out, const hsd_path_row *row)
{
    hsd_buffer path = {0};
    const hsd_text type = row->step_count > 0 ? row->steps[row->step_count - 1].type : row->root;
    hsd_out_format(out, "path,%llu", (unsigned long long)row->length);
    put_amount(out, row->objects);
    hsd_out_escaped(out, HSD_ESCAPE_CSV, type);
    hsd_out_text(out, ",");
    hsd_out_escaped(out, HSD_ESCAPE_CSV, row->root);
    hsd_out_text(out, ",");
    if (out->status == HSD_OK) out->status = hsd_path_append(&path, row, out->err);
    hsd_out_escaped(out, HSD_ESCAPE_CSV, (hsd_text){(char *)path.data, path.size});
    hsd_out_text(out, "\r\n");
    hsd_buffer_release(&path);
}

hsd_status hsd_paths_write_csv(const hsd_paths *paths, const hsd_single_options *options,
                               hsd_write_fn write, void *context, hsd_error *err)
{
    hsd_out out;
    (void)options;
    hsd_out_init(&out, write, context, err);
    hsd_out_text(&out, "row,references,objects,bytes,type,root,path\r\n");
    for (size_t i = 0; i < paths->row_count; i++)
        put_row(&out, &paths->rows[i]);
    if (paths->other_rows > 0) {
        hsd_out_text(&out, "others,");
        put_amount(&out, paths->others);
        hsd_out_text(&out, ",,\r\n");
    }
    return hsd_out_finish(&out);
}

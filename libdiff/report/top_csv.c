/*
 * One capture as CSV by RFC 4180: a table of types, of roots, or of the objects that hold most. What is not known
 * is an empty field; the last record of a table cut by --top is "others", told from a name by its first column.
 */
#include "report/out.h"
#include "report/place.h"
#include "report/top_formats.h"
#include "report/top_rows.h"

static void field_count(hsd_out *out, uint64_t value)
{
    hsd_out_format(out, ",%llu", (unsigned long long)value);
}

static void put_row(hsd_out *out, const char *kind, const hsd_top_row *row, bool is_type,
                    bool has_retained)
{
    hsd_out_format(out, "%s,", kind);
    hsd_out_escaped(out, HSD_ESCAPE_CSV, row->name);
    field_count(out, row->live.objects);
    field_count(out, row->live.bytes);
    if (has_retained)
        field_count(out, row->retained_bytes);
    else
        hsd_out_text(out, ",");
    if (is_type) {
        field_count(out, row->unreached.objects);
        field_count(out, row->unreached.bytes);
    }
    hsd_out_text(out, "\r\n");
}

static void put_table(hsd_out *out, const hsd_top *top, const hsd_top_ranking *ranking,
                      bool is_types)
{
    hsd_out_text(out, "row,name,objects,bytes,retained_bytes");
    hsd_out_text(out, is_types ? ",unreached_objects,unreached_bytes\r\n" : "\r\n");
    for (size_t i = 0; i < ranking->shown; i++)
        put_row(out, is_types ? "type" : "root", &ranking->rows[i], is_types,
                hsd_top_row_retains(top, &ranking->rows[i]));
    const hsd_top_row others = {
        .name = {"", 0}, .live = ranking->others, .unreached = ranking->others_unreached};
    if (ranking->shown < ranking->count) put_row(out, "others", &others, is_types, false);
}

static void put_object(hsd_out *out, const hsd_top_object *object)
{
    hsd_buffer place = {0};
    if (out->status == HSD_OK) out->status = hsd_top_object_append(&place, object, out->err);
    hsd_out_format(out, "object,0x%llx,", (unsigned long long)object->id);
    hsd_out_escaped(out, HSD_ESCAPE_CSV, object->type);
    field_count(out, object->bytes);
    field_count(out, object->retained_objects);
    field_count(out, object->retained_bytes);
    hsd_out_text(out, ",");
    hsd_out_escaped(out, HSD_ESCAPE_CSV, object->root);
    hsd_out_text(out, ",");
    hsd_out_escaped(out, HSD_ESCAPE_CSV, (hsd_text){(char *)place.data, place.size});
    hsd_out_text(out, "\r\n");
    hsd_buffer_release(&place);
}

hsd_status hsd_top_write_csv(const hsd_top *top, const hsd_single_options *options,
                             hsd_write_fn write, void *context, hsd_error *err)
{
    const bool is_types = options->table == HSD_TOP_TYPES;
    const size_t most = options->top ? options->top : HSD_TOP_ALL;
    hsd_top_ranking ranking;
    hsd_out out;
    HSD_TRY(hsd_top_ranking_init(&ranking, top, is_types, options->sort_by, most, err));
    hsd_out_init(&out, write, context, err);
    if (options->table == HSD_TOP_OBJECTS) {
        hsd_out_text(&out, "row,object,type,bytes,retained_objects,retained_bytes,root,place\r\n");
        for (size_t i = 0; i < top->object_count; i++)
            put_object(&out, &top->objects[i]);
    } else {
        put_table(&out, top, &ranking, is_types);
    }
    hsd_top_ranking_release(&ranking);
    return hsd_out_finish(&out);
}

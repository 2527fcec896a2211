/*
 * CSV of a series, in the long form that spreadsheets pivot: one record for each row of the table and each capture.
 *
 *      table,name,root,path,capture,label,taken,objects,bytes
 *      type,Session,,,1,run-1.hs,2026-11-20 09:00:00Z,2000,39950746
 *
 * `table` is type, root, holder or lost, or others for what is no row: its name is empty. `name` is the type or root, of a
 * holder its type, empty for the root itself, of what is lost the type of what heads it; `root` and `path` are of holders, and of
 * what is lost `path` is who allocated that. `capture` counts from 1; `taken` is
 * empty where it is not known. With --top the rest is in the records of others.
 */
#include "report/formats.h"
#include "report/out.h"
#include "report/series_rows.h"

static void put_field(hsd_out *out, hsd_text text)
{
    hsd_out_text(out, ",");
    hsd_out_escaped(out, HSD_ESCAPE_CSV, text);
}

/* ",Session,,": the names, which all records of a row have alike. */
static hsd_status make_prefix(hsd_buffer *prefix, hsd_report_table which, const hsd_series_row *row, hsd_error *err)
{
    hsd_buffer place = {0};
    HSD_TRY(hsd_buffer_append(prefix, ",", 1, err));
    HSD_TRY(hsd_escape_append(prefix, HSD_ESCAPE_CSV, row->name.data, row->name.size, err));
    HSD_TRY(hsd_buffer_append(prefix, ",", 1, err));
    HSD_TRY(hsd_escape_append(prefix, HSD_ESCAPE_CSV, row->root.data, row->root.size, err));
    HSD_TRY(hsd_buffer_append(prefix, ",", 1, err));
    if (which == HSD_TABLE_LOST) return hsd_escape_append(prefix, HSD_ESCAPE_CSV, row->place.data, row->place.size, err);
    if (which != HSD_TABLE_HOLDERS) return HSD_OK;
    hsd_status status = hsd_series_append_place(&place, row, err);
    if (status == HSD_OK)
        status = hsd_escape_append(prefix, HSD_ESCAPE_CSV, (const char *)place.data, place.size, err);
    hsd_buffer_release(&place);
    return status;
}

static void put_records(hsd_out *out, const hsd_series *series, const char *table, const hsd_buffer *prefix,
                        const hsd_amount *values)
{
    char time[HSD_NUMBER_CHARS];
    for (size_t i = 0; i < series->point_count; i++) {
        const uint64_t taken = series->points[i].side.info.taken_unix_ns;
        hsd_out_text(out, table);
        hsd_out_bytes(out, prefix->data, prefix->size);
        hsd_out_format(out, ",%zu", i + 1);
        put_field(out, series->points[i].label);
        hsd_out_format(out, ",%s,%llu,%llu\r\n", taken > 0 ? hsd_format_time(time, taken) : "",
                       (unsigned long long)values[i].objects, (unsigned long long)values[i].bytes);
    }
}

static void put_row(hsd_out *out, const hsd_series *series, hsd_report_table which, const hsd_series_row *row)
{
    static const char *const nouns[] = {
        [HSD_TABLE_TYPES] = "type", [HSD_TABLE_ROOTS] = "root", [HSD_TABLE_HOLDERS] = "holder", [HSD_TABLE_LOST] = "lost"};
    hsd_buffer prefix = {0};
    if (out->status == HSD_OK) out->status = make_prefix(&prefix, which, row, out->err);
    put_records(out, series, nouns[which], &prefix, row->values);
    hsd_buffer_release(&prefix);
}

static void put_others(hsd_out *out, const hsd_series *series, const hsd_series_pick *pick)
{
    uint8_t empty[] = {',', ',', ','};
    const hsd_buffer prefix = {.data = empty, .size = sizeof empty};
    if (pick->other_count > 0) put_records(out, series, "others", &prefix, pick->others);
}

hsd_status hsd_csv_series(const hsd_series *series, const hsd_report_options *options, hsd_write_fn write,
                          void *context, hsd_error *err)
{
    hsd_out out;
    hsd_series_pick pick;
    if (!hsd_series_table_of(series, options->table))
        return hsd_fail(err, HSD_E_UNSUPPORTED,
                        "a series has no tree: its tables are types, roots, holders and lost (--table)");
    HSD_TRY(hsd_series_pick_init(&pick, series, options->table, options->sort_by,
                                 options->top ? options->top : HSD_TOP_ALL, false, err));
    hsd_out_init(&out, write, context, err);
    hsd_out_text(&out, "table,name,root,path,capture,label,taken,objects,bytes\r\n");
    for (size_t i = 0; i < pick.count; i++)
        put_row(&out, series, options->table, pick.rows[i]);
    put_others(&out, series, &pick);
    hsd_series_pick_release(&pick);
    return hsd_out_finish(&out);
}

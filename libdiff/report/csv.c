/*
 * CSV by RFC 4180, one table to a file: a heading, one record a row, CRLF as the RFC has it, exact
 * numbers; what is not known is an empty field. The last record of a table cut by --top is "others", told from a name by its first column.
 */
#include <string.h>

#include "report/csv_holders.h"
#include "report/formats.h"
#include "report/holder_rows.h"
#include "report/out.h"
#include "report/rank.h"

static void field_count(hsd_out *out, uint64_t value)
{
    hsd_out_format(out, ",%llu", (unsigned long long)value);
}
static void field_signed(hsd_out *out, int64_t value)
{
    hsd_out_format(out, ",%lld", (long long)value);
}

static void amount(hsd_out *out, hsd_amount value)
{
    field_count(out, value.objects);
    field_count(out, value.bytes);
}

static void known_amount(hsd_out *out, bool is_known, hsd_amount value)
{
    if (is_known)
        amount(out, value);
    else
        hsd_out_text(out, ",,");
}

/* `row` is NULL for the others: what rows retain overlaps and has no sum. */
static void record(hsd_out *out, const hsd_diff *diff, const char *kind, hsd_text name,
                   const hsd_change *change, const hsd_amount unreached[2], const hsd_rank_row *row)
{
    hsd_out_format(out, "%s,", kind);
    hsd_out_escaped(out, HSD_ESCAPE_CSV, name);
    amount(out, change->before);
    amount(out, change->after);
    field_signed(out, hsd_change_objects(change));
    field_signed(out, hsd_change_bytes(change));
    known_amount(out, hsd_new_is_known(diff), change->new_);
    known_amount(out, hsd_freed_is_known(diff), change->freed);
    if (diff->identity_is_known)
        field_signed(out, change->resized_bytes);
    else
        hsd_out_text(out, ",");
    if (unreached) {
        amount(out, unreached[0]);
        amount(out, unreached[1]);
    }
    if (row && diff->has_holders) {
        field_count(out, hsd_rank_row_retained(row, false));
        field_count(out, hsd_rank_row_retained(row, true));
    } else {
        hsd_out_text(out, ",,");
    }
    hsd_out_text(out, "\r\n");
}

static void print_table(hsd_out *out, const hsd_diff *diff, const hsd_ranking *ranking,
                        bool is_types)
{
    const char *kind = is_types ? "type" : "root";
    hsd_out_text(out, "row,name,before_objects,before_bytes,after_objects,after_bytes,growth_"
                      "objects,growth_bytes,"
                      "new_objects,new_bytes,freed_objects,freed_bytes,resized_bytes");
    if (is_types)
        hsd_out_text(out, ",unreached_before_objects,unreached_before_bytes,unreached_after_"
                          "objects,unreached_after_bytes");
    hsd_out_text(out, ",retained_before_bytes,retained_after_bytes\r\n");
    for (size_t i = 0; i < ranking->shown; i++) {
        const hsd_rank_row *row = &ranking->rows[i];
        const hsd_amount unreached[2] = {
            row->type ? row->type->unreached_before : (hsd_amount){0, 0},
            row->type ? row->type->unreached_after : (hsd_amount){0, 0}};
        record(out, diff, kind, row->name, row->change, row->type ? unreached : NULL, row);
    }
    const hsd_amount others[2] = {ranking->others_unreached_before,
                                  ranking->others_unreached_after};
    if (ranking->shown < ranking->count)
        record(out, diff, "others", (hsd_text){"", 0}, &ranking->others, is_types ? others : NULL,
               NULL);
}

static hsd_status write_ranking(const hsd_diff *diff, const hsd_report_options *options,
                                hsd_out *out)
{
    hsd_ranking ranking;
    HSD_TRY(hsd_ranking_init(&ranking, diff, options->table, options->sort_by,
                             options->top ? options->top : HSD_TOP_ALL, 0, false, out->err));
    print_table(out, diff, &ranking, options->table == HSD_TABLE_TYPES);
    hsd_ranking_release(&ranking);
    return HSD_OK;
}

hsd_status hsd_csv_diff(const hsd_diff *diff, const hsd_report_options *options,
                            hsd_write_fn write, void *context, hsd_error *err)
{
    hsd_out out;
    hsd_out_init(&out, write, context, err);
    switch (options->table) {
    case HSD_TABLE_TYPES:
    case HSD_TABLE_ROOTS: HSD_TRY(write_ranking(diff, options, &out)); break;
    case HSD_TABLE_HOLDERS:
        hsd_csv_holders(&out, diff, hsd_holders_shown(diff, options->top, HSD_TOP_ALL));
        break;
    case HSD_TABLE_LOST: hsd_csv_lost(&out, diff, options->top); break;
    case HSD_TABLE_UNCOLLECTED: hsd_csv_uncollected(&out, diff, options->top); break;
    case HSD_TABLE_TREE: hsd_csv_tree(&out, diff); break;
    }
    return hsd_out_finish(&out);
}

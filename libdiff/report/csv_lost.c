/*
 * What is lost, and what is not collected yet, as CSV. Where that is not known a table is its heading alone.
 */
#include "report/csv_holders.h"

#include "report/lost_rows.h"

static void put_field(hsd_out *out, hsd_text text)
{
    hsd_out_text(out, ",");
    hsd_out_escaped(out, HSD_ESCAPE_CSV, text);
}

static void put_amount(hsd_out *out, hsd_amount value)
{
    hsd_out_format(out, ",%llu,%llu", (unsigned long long)value.objects, (unsigned long long)value.bytes);
}

static void put_sums(hsd_out *out, const hsd_lost_row *row)
{
    const hsd_change change = hsd_lost_change(row);
    put_amount(out, row->before);
    put_amount(out, row->after);
    hsd_out_format(out, ",%lld,%lld", (long long)hsd_change_objects(&change), (long long)hsd_change_bytes(&change));
}

/* ---- what is lost ---- */

static void end_lost(hsd_out *out, const hsd_lost *lost, const hsd_lost_row *row)
{
    put_sums(out, row);
    if (lost->is_by_type) hsd_out_text(out, ",,\r\n");
    else hsd_out_format(out, ",%llu,%llu\r\n", (unsigned long long)row->heads_before.objects, (unsigned long long)row->heads_after.objects);
}

void hsd_csv_lost(hsd_out *out, const hsd_diff *diff, size_t top)
{
    const hsd_lost_pick pick = hsd_lost_choose(&diff->lost, top > 0 ? top : HSD_TOP_ALL, top > 0 ? 1 : 0);
    hsd_out_text(out, "row,type,cycle,place,before_objects,before_bytes,after_objects,after_bytes,growth_objects,growth_bytes,"
                      "before_heads,after_heads\r\n");
    for (size_t i = 0; i < pick.count; i++) {
        const hsd_lost_row *row = &diff->lost.rows[i];
        hsd_out_text(out, "lost");
        put_field(out, row->type);
        put_field(out, row->cycle);
        put_field(out, row->place);
        end_lost(out, &diff->lost, row);
    }
    if (pick.other_count == 0) return;
    hsd_out_text(out, "others,,,");
    end_lost(out, &diff->lost, &pick.others);
}

/* ---- what is not collected yet ---- */

static void end_uncollected(hsd_out *out, const hsd_diff *diff, const hsd_lost_row *row)
{
    put_sums(out, row);
    if (diff->uncollected.knows_revived) put_amount(out, row->revived);
    else hsd_out_text(out, ",,");
    hsd_out_text(out, "\r\n");
}

void hsd_csv_uncollected(hsd_out *out, const hsd_diff *diff, size_t top)
{
    const hsd_lost_pick pick = hsd_lost_choose(&diff->uncollected, top > 0 ? top : HSD_TOP_ALL, top > 0 ? 1 : 0);
    hsd_out_text(out, "row,type,before_objects,before_bytes,after_objects,after_bytes,growth_objects,growth_bytes,"
                      "revived_objects,revived_bytes\r\n");
    for (size_t i = 0; i < pick.count; i++) {
        hsd_out_text(out, "uncollected");
        put_field(out, diff->uncollected.rows[i].type);
        end_uncollected(out, diff, &diff->uncollected.rows[i]);
    }
    if (pick.other_count == 0) return;
    hsd_out_text(out, "others,");
    end_uncollected(out, diff, &pick.others);
}

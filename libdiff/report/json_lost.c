/* What is lost in JSON: frames innermost first, `frame` is the one that wanted the memory; a row without frames is what no site is known of. */
#include "report/json_lost.h"

#include "report/json_pieces.h"
#include "report/json_rows.h"
#include "report/json_sites.h"

static void put_sums(hsd_out *out, const hsd_lost_row *row)
{
    const hsd_change change = hsd_lost_change(row);
    hsd_json_growth(out, &change);
    hsd_json_amount(out, ", \"heads\": {\"before\": ", row->heads_before);
    hsd_json_amount(out, ", \"after\": ", row->heads_after);
    hsd_out_text(out, "}");
}

void hsd_json_lost_row(hsd_out *out, const hsd_lost_row *row)
{
    hsd_json_string(out, "\"type\": ", row->type);
    if (row->cycle.size > 0) hsd_json_string(out, ", \"cycle\": ", row->cycle);
    else hsd_out_text(out, ", \"cycle\": null");
    hsd_out_text(out, ", ");
    hsd_json_frames(out, row->frames, row->frame_count);
    if (row->frame_count > 0) hsd_json_count(out, "\"frame\": ", row->wanted);
    else hsd_out_text(out, "\"frame\": null");
    hsd_out_text(out, ", ");
    put_sums(out, row);
}

void hsd_json_lost_rest(hsd_out *out, const hsd_lost_pick *pick)
{
    hsd_json_count(out, "\"rows\": ", pick->other_count);
    hsd_out_text(out, ", ");
    put_sums(out, &pick->others);
}

void hsd_json_lost(hsd_out *out, const hsd_diff *diff, size_t top)
{
    const hsd_lost_pick pick = hsd_lost_choose(&diff->lost, top > 0 ? top : HSD_TOP_ALL, top > 0 ? 1 : 0);
    hsd_out_text(out, "  \"lost\": [");
    for (size_t i = 0; i < pick.count; i++) {
        hsd_out_text(out, i > 0 ? ",\n    {" : "\n    {");
        hsd_json_lost_row(out, &diff->lost.rows[i]);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, pick.count > 0 ? "\n  ]" : "]");
    if (pick.other_count == 0) return;
    hsd_out_text(out, ",\n  \"other_lost\": {");
    hsd_json_lost_rest(out, &pick);
    hsd_out_text(out, "}");
}

/* Growth by allocation site in JSON: frames innermost first; a row without frames is what no site is known of. */
#include "report/json_sites.h"

#include "report/json_pieces.h"
#include "report/json_rows.h"

void hsd_json_frames(hsd_out *out, const hsd_site_frame *frames, size_t count)
{
    hsd_out_text(out, "\"frames\": [");
    for (size_t i = 0; i < count; i++) {
        const hsd_site_frame *frame = &frames[i];
        hsd_json_string(out, i > 0 ? ", {\"function\": " : "{\"function\": ", frame->function);
        hsd_json_string(out, ", \"file\": ", frame->file);
        hsd_json_count(out, ", \"line\": ", frame->line);
        hsd_json_count(out, ", \"column\": ", frame->column);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, "], ");
}

void hsd_json_growth(hsd_out *out, const hsd_change *change)
{
    hsd_json_amount(out, "\"before\": ", change->before);
    hsd_json_amount(out, ", \"after\": ", change->after);
    hsd_json_signed(out, ", \"growth\": {\"objects\": ", hsd_change_objects(change));
    hsd_json_signed(out, ", \"bytes\": ", hsd_change_bytes(change));
    hsd_out_text(out, "}");
}

void hsd_json_site(hsd_out *out, const hsd_site_row *row)
{
    hsd_json_frames(out, row->frames, row->frame_count);
    hsd_json_growth(out, &row->change);
}

void hsd_json_site_rest(hsd_out *out, const hsd_site_pick *pick)
{
    hsd_json_count(out, "\"rows\": ", pick->other_count);
    hsd_out_text(out, ", ");
    hsd_json_growth(out, &pick->others);
}

void hsd_json_sites(hsd_out *out, const hsd_diff *diff, size_t top)
{
    const hsd_site_pick pick = hsd_sites_pick(diff, top > 0 ? top : HSD_TOP_ALL, 0);
    hsd_out_text(out, "  \"sites\": [");
    for (size_t i = 0; i < pick.count; i++) {
        hsd_out_text(out, i > 0 ? ",\n    {" : "\n    {");
        hsd_json_site(out, hsd_site_pick_row(&pick, i));
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, pick.count > 0 ? "\n  ]" : "]");
    if (pick.other_count == 0) return;
    hsd_out_text(out, ",\n  \"other_sites\": {");
    hsd_json_site_rest(out, &pick);
    hsd_out_text(out, "}");
}

/* Growth by allocation site in JSON: one row a line, frames innermost first; a row without frames is what no site is known of. */
#include "report/json_sites.h"

#include "report/json_pieces.h"
#include "report/json_rows.h"

static void put_frames(hsd_out *out, const hsd_site_row *row)
{
    hsd_out_text(out, "\"frames\": [");
    for (size_t i = 0; i < row->frame_count; i++) {
        const hsd_site_frame *frame = &row->frames[i];
        hsd_json_string(out, i > 0 ? ", {\"function\": " : "{\"function\": ", frame->function);
        hsd_json_string(out, ", \"file\": ", frame->file);
        hsd_json_count(out, ", \"line\": ", frame->line);
        hsd_json_count(out, ", \"column\": ", frame->column);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, "], ");
}

static void add_change(hsd_change *to, const hsd_change *change)
{
    to->before.objects += change->before.objects;
    to->before.bytes += change->before.bytes;
    to->after.objects += change->after.objects;
    to->after.bytes += change->after.bytes;
}

static void put_growth(hsd_out *out, const hsd_change *change)
{
    hsd_json_amount(out, "\"before\": ", change->before);
    hsd_json_amount(out, ", \"after\": ", change->after);
    hsd_json_signed(out, ", \"growth\": {\"objects\": ", hsd_change_objects(change));
    hsd_json_signed(out, ", \"bytes\": ", hsd_change_bytes(change));
    hsd_out_text(out, "}");
}

void hsd_json_sites(hsd_out *out, const hsd_diff *diff, size_t top)
{
    const size_t shown = top > 0 && top < diff->site_count ? top : diff->site_count;
    hsd_change others = diff->other_sites;
    hsd_out_text(out, "  \"sites\": [");
    for (size_t i = 0; i < shown; i++) {
        hsd_out_text(out, i > 0 ? ",\n    {" : "\n    {");
        put_frames(out, &diff->sites[i]);
        put_growth(out, &diff->sites[i].change);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, shown > 0 ? "\n  ]" : "]");
    for (size_t i = shown; i < diff->site_count; i++)
        add_change(&others, &diff->sites[i].change);
    const uint64_t rest = diff->site_count - shown + diff->other_site_count;
    if (rest == 0) return;
    hsd_json_count(out, ",\n  \"other_sites\": {\"rows\": ", rest);
    hsd_out_text(out, ", ");
    put_growth(out, &others);
    hsd_out_text(out, "}");
}

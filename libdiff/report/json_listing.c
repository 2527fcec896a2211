/*
 * Sites, what is lost and what is not collected yet in JSON. Frames stand innermost first, `frame` is the one that wanted the memory; a row
 * without frames is what no site is known of.
 */
#include "report/json_listing.h"

#include "report/json_pieces.h"
#include "report/ndjson.h"

/* ---- pieces ---- */

static void put_frames(hsd_out *out, const hsd_site_frame *frames, size_t count, size_t wanted)
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
    if (count > 0) hsd_json_count(out, "], \"frame\": ", wanted);
    else hsd_out_text(out, "], \"frame\": null");
    hsd_out_text(out, ", ");
}

static void put_growth(hsd_out *out, const hsd_change *change)
{
    hsd_json_amount(out, "\"before\": ", change->before);
    hsd_json_amount(out, ", \"after\": ", change->after);
    hsd_json_signed(out, ", \"growth\": {\"objects\": ", hsd_change_objects(change));
    hsd_json_signed(out, ", \"bytes\": ", hsd_change_bytes(change));
    hsd_out_text(out, "}");
}

/* ---- sites ---- */

static void put_site(hsd_out *out, const hsd_json_listing *listing, size_t i)
{
    const hsd_site_row *row = hsd_site_pick_row(&listing->sites, i);
    put_frames(out, row->frames, row->frame_count, row->wanted);
    put_growth(out, &row->change);
}

static void put_other_sites(hsd_out *out, const hsd_json_listing *listing) { put_growth(out, &listing->sites.others); }

hsd_json_listing hsd_json_sites(const hsd_diff *diff, size_t most)
{
    const hsd_site_pick pick = hsd_sites_pick(diff, most, 0);
    return (hsd_json_listing){.member = "sites", .record = "site", .count = pick.count, .other_count = pick.other_count,
                              .put_row = put_site, .put_rest = put_other_sites, .sites = pick};
}

/* ---- what is lost ---- */

static void put_lost_sums(hsd_out *out, const hsd_lost *lost, const hsd_lost_row *row)
{
    const hsd_change change = hsd_lost_change(row);
    put_growth(out, &change);
    if (lost->is_by_type) {
        hsd_out_text(out, ", \"heads\": null");
        return;
    }
    hsd_json_amount(out, ", \"heads\": {\"before\": ", row->heads_before);
    hsd_json_amount(out, ", \"after\": ", row->heads_after);
    hsd_out_text(out, "}");
}

static void put_lost(hsd_out *out, const hsd_json_listing *listing, size_t i)
{
    const hsd_lost_row *row = &listing->lost->rows[i];
    hsd_json_string(out, "\"type\": ", row->type);
    if (row->cycle.size > 0) hsd_json_string(out, ", \"cycle\": ", row->cycle);
    else hsd_out_text(out, ", \"cycle\": null");
    hsd_out_text(out, ", ");
    put_frames(out, row->frames, row->frame_count, row->wanted);
    put_lost_sums(out, listing->lost, row);
}

static void put_other_lost(hsd_out *out, const hsd_json_listing *listing)
{
    put_lost_sums(out, listing->lost, &listing->pick.others);
}

/* ---- what is not collected yet ---- */

static void put_uncollected_sums(hsd_out *out, const hsd_json_listing *listing, const hsd_lost_row *row)
{
    const hsd_change change = hsd_lost_change(row);
    put_growth(out, &change);
    hsd_json_known(out, listing->lost->knows_revived, ", \"revived\": ", row->revived);
}

static void put_uncollected(hsd_out *out, const hsd_json_listing *listing, size_t i)
{
    hsd_json_string(out, "\"type\": ", listing->lost->rows[i].type);
    hsd_out_text(out, ", ");
    put_uncollected_sums(out, listing, &listing->lost->rows[i]);
}

static void put_other_uncollected(hsd_out *out, const hsd_json_listing *listing)
{
    put_uncollected_sums(out, listing, &listing->pick.others);
}

static hsd_json_listing listing_of(const hsd_lost *lost, size_t most)
{
    const hsd_lost_pick pick = hsd_lost_choose(lost, most, most == HSD_TOP_ALL ? 0 : 1);
    return (hsd_json_listing){.count = pick.count, .other_count = pick.other_count, .pick = pick, .lost = lost};
}

hsd_json_listing hsd_json_lost(const hsd_diff *diff, size_t most)
{
    hsd_json_listing listing = listing_of(&diff->lost, most);
    listing.member = listing.record = "lost";
    listing.put_row = put_lost;
    listing.put_rest = put_other_lost;
    return listing;
}

hsd_json_listing hsd_json_uncollected(const hsd_diff *diff, size_t most)
{
    hsd_json_listing listing = listing_of(&diff->uncollected, most);
    listing.member = listing.record = "uncollected";
    listing.put_row = put_uncollected;
    listing.put_rest = put_other_uncollected;
    return listing;
}

/* ---- listings ---- */

static void put_rest(hsd_out *out, const hsd_json_listing *listing)
{
    hsd_json_count(out, "\"rows\": ", listing->other_count);
    hsd_out_text(out, ", ");
    listing->put_rest(out, listing);
}

void hsd_json_put_listing(hsd_out *out, const hsd_json_listing *listing)
{
    hsd_out_format(out, "  \"%s\": [", listing->member);
    for (size_t i = 0; i < listing->count; i++) {
        hsd_out_text(out, i > 0 ? ",\n    {" : "\n    {");
        listing->put_row(out, listing, i);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, listing->count > 0 ? "\n  ]" : "]");
    if (listing->other_count == 0) return;
    hsd_out_format(out, ",\n  \"other_%s\": {", listing->member);
    put_rest(out, listing);
    hsd_out_text(out, "}");
}

void hsd_ndjson_put_listing(hsd_out *out, const char *schema, const hsd_json_listing *listing)
{
    for (size_t i = 0; i < listing->count; i++) {
        hsd_ndjson_begin(out, schema, listing->record);
        hsd_out_text(out, ", ");
        listing->put_row(out, listing, i);
        hsd_ndjson_end(out);
    }
    if (listing->other_count == 0) return;
    hsd_ndjson_begin(out, schema, "others");
    hsd_json_text(out, ", \"of\": ", listing->record);
    hsd_out_text(out, ", ");
    put_rest(out, listing);
    hsd_ndjson_end(out);
}

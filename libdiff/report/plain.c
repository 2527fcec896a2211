/*
 * --plain: the report as records for screen readers, cut and awk. One record a line, fields separated by
 * one tab, the first field says what the record is; exact bytes, nothing cut, aligned or drawn. A line
 * "# ..." before each kind names its fields.
 */
#include <string.h>

#include "report/holder_rows.h"
#include "report/match.h"
#include "report/place.h"
#include "report/rank.h"
#include "report/lost_rows.h"
#include "report/site_rows.h"
#include "report/text.h"
#include "report/tree_rows.h"

static void field_text(hsd_screen *screen, const char *text, size_t size)
{
    hsd_out_text(&screen->out, "\t");
    hsd_out_escaped(&screen->out, screen->form, (hsd_text){text, size});
}

static void field_count(hsd_screen *screen, uint64_t value)
{
    hsd_out_format(&screen->out, "\t%llu", (unsigned long long)value);
}

static void field_signed(hsd_screen *screen, int64_t value)
{
    hsd_out_format(&screen->out, "\t%lld", (long long)value);
}

static void field_known(hsd_screen *screen, bool is_known, hsd_amount amount)
{
    if (!is_known) {
        hsd_out_text(&screen->out, "\t\t");
        return;
    }
    field_count(screen, amount.bytes);
    field_count(screen, amount.objects);
}

static void print_capture(hsd_screen *screen, const char *word, const hsd_side *side)
{
    char time[HSD_NUMBER_CHARS] = "";
    const char *path = side->info.path ? side->info.path : "";
    if (side->info.taken_unix_ns > 0) hsd_format_time(time, side->info.taken_unix_ns);
    hsd_out_format(&screen->out, "capture\t%s", word);
    field_text(screen, path, strlen(path));
    field_text(screen, time, strlen(time));
    field_count(screen, side->live.bytes);
    field_count(screen, side->live.objects);
    field_count(screen, side->unreached.bytes);
    field_count(screen, side->unreached.objects);
    hsd_out_format(&screen->out, "\t%s\n", side->info.is_complete ? "complete" : "incomplete");
}

static void print_sizes(hsd_screen *screen, const char *kind, hsd_text name, const hsd_change *change)
{
    hsd_out_text(&screen->out, kind);
    field_text(screen, name.data, name.size);
    field_count(screen, change->before.bytes);
    field_count(screen, change->after.bytes);
    field_signed(screen, hsd_change_bytes(change));
    field_count(screen, change->before.objects);
    field_count(screen, change->after.objects);
    field_signed(screen, hsd_change_objects(change));
}

static void print_change(hsd_screen *screen, const char *kind, hsd_text name,
                         const hsd_change *change)
{
    print_sizes(screen, kind, name, change);
    if (screen->diff->identity_is_known) {
        field_count(screen, change->new_.bytes);
        field_count(screen, change->new_.objects);
        field_count(screen, change->freed.bytes);
        field_count(screen, change->freed.objects);
        field_signed(screen, change->resized_bytes);
    }
    hsd_out_text(&screen->out, "\n");
}

static void print_table(hsd_screen *screen, const char *kind, hsd_report_table table)
{
    hsd_ranking ranking;
    const size_t top = screen->options->top ? screen->options->top : HSD_TOP_ALL;
    if (screen->out.status != HSD_OK) return;
    screen->out.status = hsd_ranking_init(&ranking, screen->diff, table, screen->options->sort_by,
                                          top, 0, false, screen->out.err);
    if (screen->out.status != HSD_OK) return;
    for (size_t i = 0; i < ranking.shown; i++)
        print_change(screen, kind, ranking.rows[i].name, ranking.rows[i].change);
    if (ranking.shown < ranking.count) {
        hsd_out_text(&screen->out, "others-");
        print_change(screen, kind, (hsd_text){"", 0}, &ranking.others);
    }
    hsd_ranking_release(&ranking);
}

/* ---- where it was allocated ---- */

static void print_site(hsd_screen *screen, const hsd_site_row *row)
{
    hsd_buffer stack = {0};
    hsd_out *out = &screen->out;
    if (out->status == HSD_OK) out->status = hsd_site_append(&stack, row, out->err);
    for (size_t i = row->wanted + 1; i < row->frame_count && out->status == HSD_OK; i++) {
        out->status = hsd_buffer_append(&stack, " < ", 3, out->err);
        if (out->status == HSD_OK) out->status = hsd_site_frame_append(&stack, &row->frames[i], out->err);
    }
    print_sizes(screen, "site", (hsd_text){(const char *)stack.data, stack.size}, &row->change);
    hsd_out_text(out, "\n");
    hsd_buffer_release(&stack);
}

/* A stack in one field, the innermost frame first. */
static void print_sites(hsd_screen *screen)
{
    const size_t top = screen->options->top;
    const hsd_site_pick pick = hsd_sites_pick(screen->diff, top > 0 ? top : HSD_TOP_ALL, 0);
    hsd_out_text(&screen->out, "# site\tstack\tbefore_bytes\tafter_bytes\tgrowth_bytes\tbefore_objects\tafter_objects\tgrowth_objects\n");
    for (size_t i = 0; i < pick.count; i++)
        print_site(screen, hsd_site_pick_row(&pick, i));
    if (pick.other_count == 0) return;
    print_sizes(screen, "others-site", (hsd_text){"", 0}, &pick.others);
    hsd_out_text(&screen->out, "\n");
}

/* ---- what is lost, or not collected yet ---- */

/* Who allocated what heads it; behind the sizes what that is, and its cycle. Of what is not collected yet the type alone. */
static void print_lost_row(hsd_screen *screen, const hsd_lost_row *row, bool is_lost)
{
    const hsd_change change = hsd_lost_change(row);
    print_sizes(screen, is_lost ? "lost" : "uncollected", is_lost ? row->place : row->type, &change);
    if (is_lost) {
        field_text(screen, row->type.data, row->type.size);
        field_text(screen, row->cycle.data, row->cycle.size);
    } else {
        field_known(screen, screen->diff->uncollected.knows_revived, row->revived);
    }
    hsd_out_text(&screen->out, "\n");
}

static void print_lost(hsd_screen *screen, const hsd_lost *lost, bool is_lost)
{
    const size_t top = screen->options->top;
    const hsd_lost_pick pick = hsd_lost_choose(lost, top > 0 ? top : HSD_TOP_ALL, top > 0 ? 1 : 0);
    const hsd_change others = hsd_lost_change(&pick.others);
    hsd_out_format(&screen->out, "# %s\t%s\tbefore_bytes\tafter_bytes\tgrowth_bytes\tbefore_objects\tafter_objects\tgrowth_objects\t%s\n",
                   is_lost ? "lost" : "uncollected", is_lost ? "place" : "type", is_lost ? "type\tcycle" : "revived_bytes\trevived_objects");
    for (size_t i = 0; i < pick.count; i++) print_lost_row(screen, &lost->rows[i], is_lost);
    if (pick.other_count == 0) return;
    print_sizes(screen, is_lost ? "others-lost" : "others-uncollected", (hsd_text){"", 0}, &others);
    if (is_lost) hsd_out_text(&screen->out, "\t\t");
    else field_known(screen, lost->knows_revived, pick.others.revived);
    hsd_out_text(&screen->out, "\n");
}

/* ---- how objects were recognised ---- */

static void print_match(hsd_screen *screen)
{
    const hsd_diff *diff = screen->diff;
    const hsd_match *match = &diff->match;
    const uint64_t counts[] = {match->exact + match->address + match->structure,
                               match->unmatched_before, match->unmatched_after,
                               match->ambiguous, match->reused, match->reuse_estimate};
    hsd_out_text(&screen->out, "# basis\tbasis\tmatched_objects\tonly_before_objects"
                               "\tonly_after_objects\tambiguous_objects\treused_addresses"
                               "\treuse_estimate\treason\n");
    hsd_out_format(&screen->out, "basis\t%s", hsd_basis_name(diff));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (diff->identity_is_known)
            field_count(screen, counts[i]);
        else
            hsd_out_text(&screen->out, "\t");
    field_text(screen, diff->match_reason.data, diff->match_reason.size);
    hsd_out_text(&screen->out, "\n# rung\trung\tobjects\tbytes\n");
    for (int rung = 0; rung < HSD_MATCH_RUNG_COUNT; rung++) {
        const hsd_amount amount = match->rungs[rung];
        if (amount.objects == 0) continue;
        hsd_out_format(&screen->out, "rung\t%s", hsd_rung_name((hsd_match_rung)rung));
        field_count(screen, amount.objects);
        field_count(screen, amount.bytes);
        hsd_out_text(&screen->out, "\n");
    }
}

/* ---- who holds it: depth 0 is the holder, what is deeper hangs from the line before that is higher ---- */

static void print_new_and_freed(hsd_screen *screen, hsd_amount fresh, hsd_amount freed)
{
    field_known(screen, hsd_new_is_known(screen->diff), fresh);
    field_known(screen, hsd_freed_is_known(screen->diff), freed);
    hsd_out_text(&screen->out, "\n");
}

static void print_edge(hsd_screen *screen, const hsd_growth_edge *edge)
{
    hsd_out_format(&screen->out, "edge\t%lu", (unsigned long)edge->depth);
    field_text(screen, edge->edge.data, edge->edge.size);
    field_text(screen, edge->type.data, edge->type.size);
    field_signed(screen, edge->growth_bytes);
    field_count(screen, edge->before.objects);
    field_count(screen, edge->after.objects);
    field_signed(screen, (int64_t)(edge->after.objects - edge->before.objects));
    print_new_and_freed(screen, edge->new_, edge->freed);
}

static void print_sums(hsd_screen *screen, const hsd_holder *holder)
{
    field_signed(screen, holder->growth_bytes);
    hsd_out_text(&screen->out, "\t\t");
    field_signed(screen, holder->net_objects);
    print_new_and_freed(screen, holder->new_, holder->freed);
}

/* By what it is held together: what each reaches stands in the column of growth. */
static void print_held_by(hsd_screen *screen, const hsd_co_holder *by)
{
    const hsd_spot place = {by->root, by->path, by->path_count, by->path_cut};
    hsd_buffer text = {0};
    if (screen->out.status == HSD_OK) screen->out.status = hsd_place_append(&text, &place, screen->out.err);
    hsd_out_text(&screen->out, "held-by\t1");
    field_text(screen, (const char *)text.data, text.size);
    hsd_buffer_release(&text);
    field_text(screen, by->type.data, by->type.size);
    field_count(screen, by->bytes);
    hsd_out_text(&screen->out, "\t\t\t\t\t\t\t\n");
}

static void print_holder(hsd_screen *screen, const hsd_holder *holder)
{
    const hsd_spot place = {holder->root, holder->path, holder->path_count, holder->path_cut};
    hsd_buffer text = {0};
    if (screen->out.status == HSD_OK)
        screen->out.status = hsd_place_append(&text, &place, screen->out.err);
    hsd_out_text(&screen->out, "holder\t0");
    field_text(screen, (const char *)text.data, text.size);
    hsd_buffer_release(&text);
    field_text(screen, holder->type.data, holder->type.size);
    print_sums(screen, holder);
    for (size_t i = 0; i < holder->by_count; i++)
        print_held_by(screen, &holder->by[i]);
    for (size_t i = 0; i < holder->edge_count; i++)
        print_edge(screen, &holder->edges[i]);
}

static void print_holders(hsd_screen *screen)
{
    const hsd_diff *diff = screen->diff;
    if (!diff->has_holders) {
        hsd_out_text(&screen->out, "no-holders");
        field_text(screen, diff->why_no_holders.data, diff->why_no_holders.size);
        hsd_out_text(&screen->out, "\n");
        return;
    }
    const size_t shown = hsd_holders_shown(diff, screen->options->top, HSD_TOP_ALL);
    const hsd_holder_rest rest = hsd_holders_rest(diff, shown);
    hsd_out_text(&screen->out,
                 "# holder, edge\tdepth\tplace\ttype\tgrowth_bytes\tbefore_objects\tafter_objects"
                 "\tgrowth_objects\tnew_bytes\tnew_objects\tfreed_bytes\tfreed_objects\n");
    for (size_t i = 0; i < shown; i++)
        print_holder(screen, &diff->holders[i]);
    if (rest.rows == 0) return;
    hsd_out_text(&screen->out, "others-holder\t0\t\t");
    print_sums(screen, &rest.sum);
}

static void print_tree_sums(hsd_screen *screen, const hsd_change *change)
{
    field_count(screen, change->before.bytes);
    field_count(screen, change->after.bytes);
    field_count(screen, change->before.objects);
    field_count(screen, change->after.objects);
    field_known(screen, hsd_new_is_known(screen->diff), change->new_);
    field_known(screen, hsd_freed_is_known(screen->diff), change->freed);
    field_signed(screen, hsd_change_bytes(change));
    field_signed(screen, hsd_change_objects(change));
    hsd_out_text(&screen->out, "\n");
}

static void print_place(hsd_screen *screen, const hsd_tree_row *row)
{
    const hsd_change change = hsd_tree_change(row);
    hsd_out_format(&screen->out, "tree\t%lu", (unsigned long)row->depth);
    field_text(screen, row->edge.data, row->edge.size);
    field_text(screen, row->type.data, row->type.size);
    print_tree_sums(screen, &change);
}

/* Depth 0 is all; with --top the places that changed most and what is above them. */
static void print_tree(hsd_screen *screen)
{
    const hsd_diff *diff = screen->diff;
    const size_t top = screen->options->top;
    hsd_tree_pick pick;
    hsd_out_text(&screen->out,
                 "# tree\tdepth\tedge\ttype\tbefore_bytes\tafter_bytes\tbefore_objects"
                 "\tafter_objects\tnew_bytes\tnew_objects\tfreed_bytes\tfreed_objects\tgrowth_bytes\tgrowth_objects\n");
    if (screen->out.status != HSD_OK) return;
    screen->out.status = hsd_tree_pick_init(&pick, diff, top > 0 ? top : HSD_TOP_ALL, 0, screen->out.err);
    if (screen->out.status != HSD_OK) return;
    for (size_t i = 0; i < diff->tree_count; i++)
        if (i == 0 || pick.rows[i].is_shown) print_place(screen, &diff->tree[i]);
    if (pick.other_count > 0) {
        hsd_out_text(&screen->out, "others-tree\t\t\t");
        print_tree_sums(screen, &pick.others);
    }
    hsd_tree_pick_release(&pick);
}

void hsd_screen_plain(hsd_screen *screen)
{
    const hsd_diff *diff = screen->diff;
    for (size_t i = 0; i < diff->warning_count; i++) {
        hsd_out_text(&screen->out, "warning");
        field_text(screen, diff->warnings[i].data, diff->warnings[i].size);
        hsd_out_text(&screen->out, "\n");
    }
    hsd_out_text(
        &screen->out,
        "# "
        "capture\tside\tpath\ttaken\tbytes\tobjects\tunreached_bytes\tunreached_objects\tstate\n");
    print_capture(screen, "before", &diff->before);
    print_capture(screen, "after", &diff->after);
    print_match(screen);
    hsd_out_text(&screen->out, "# total, type, root\tname\tbefore_bytes\tafter_bytes\tgrowth_bytes"
                               "\tbefore_objects\tafter_objects\tgrowth_objects");
    if (diff->identity_is_known)
        hsd_out_text(&screen->out,
                     "\tnew_bytes\tnew_objects\tfreed_bytes\tfreed_objects\tresized_bytes");
    hsd_out_text(&screen->out, "\n");
    print_change(screen, "total", (hsd_text){"", 0}, &diff->total);
    print_table(screen, "type", HSD_TABLE_TYPES);
    print_table(screen, "root", HSD_TABLE_ROOTS);
    if (diff->has_sites) print_sites(screen);
    if (diff->lost.is_known) print_lost(screen, &diff->lost, true);
    if (diff->uncollected.is_known) print_lost(screen, &diff->uncollected, false);
    print_holders(screen);
    if (screen->options->tree && diff->has_holders) print_tree(screen);
}

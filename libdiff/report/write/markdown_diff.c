/*
 * A diff as Markdown: how much in a sentence, the two captures, what must be known before a number is believed; then,
 * as the first screen has it, what answers: what is lost where that is more than what is live, what keeps the growth
 * alive (where that is not known: roots), the places that allocated it, and the types that grew most; what is not
 * collected yet at the end.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/formats.h"
#include "report/model/holder_rows.h"
#include "report/model/lost_rows.h"
#include "report/model/rank.h"
#include "report/model/site_rows.h"
#include "report/sentences/churn.h"
#include "report/sentences/place.h"
#include "report/words/number.h"
#include "report/write/markdown.h"

#define MOST_PERCENT  50 /* of the growth, from which on one place is the answer */
#define TYPES_SHOWN   20
#define ROOTS_SHOWN   10
#define HOLDERS_SHOWN 10
#define EDGES_SHOWN   5  /* of one holder */
#define EDGE_PERCENT  10 /* of the holder's growth, else an edge is not worth a line */

typedef struct page {
    hsd_markdown doc;
    const hsd_diff *diff;
    const hsd_report_options *options;
} page;

static char *size_of(const page *p, char out[HSD_NUMBER_CHARS], uint64_t bytes)
{
    return p->options->exact_bytes ? hsd_format_exact(out, bytes) : hsd_format_bytes(out, bytes);
}

static char *growth_of(const page *p, char out[HSD_NUMBER_CHARS], int64_t bytes)
{
    return p->options->exact_bytes ? hsd_format_exact_signed(out, bytes) : hsd_format_bytes_signed(out, bytes);
}

static uint64_t noise_of(const page *p)
{
    return p->options->noise_bytes > 0 ? p->options->noise_bytes : hsd_noise_of(p->diff->total.before.bytes);
}

/* ---- the answer ---- */

static void put_new_and_freed(page *p)
{
    const hsd_change *total = &p->diff->total;
    char fresh[HSD_NUMBER_CHARS], freed[HSD_NUMBER_CHARS];
    if (!hsd_new_is_known(p->diff) || !hsd_freed_is_known(p->diff) || !hsd_churn_is_told(p->diff)) return;
    hsd_out_format(&p->doc.out, ": %s new, %s freed", size_of(p, fresh, hsd_change_sure(total, total->new_).bytes),
                   size_of(p, freed, hsd_change_sure(total, total->freed).bytes));
    if (total->undecided.bytes > 0)
        hsd_out_format(&p->doc.out, ", %s replaced or only written to", size_of(p, fresh, total->undecided.bytes));
}

static void put_answer(page *p)
{
    const hsd_diff *diff = p->diff;
    const int64_t growth = hsd_change_bytes(&diff->total);
    const bool all_counts = diff->is_summary || !diff->before.has_roots || !diff->after.has_roots;
    const char *subject = all_counts ? "Heap" : "Live heap";
    char size[HSD_NUMBER_CHARS], percent[HSD_NUMBER_CHARS];
    hsd_out *out = &p->doc.out;
    if (diff->is_partial) {
        hsd_out_text(out, "**A part of a capture is missing: the figures count what was read.**\n\n");
        return;
    }
    if (growth == 0)
        hsd_out_format(out, "**%s kept its size", subject);
    else
        hsd_out_format(out, "**%s %s %s (%s)", subject, growth > 0 ? "grew" : "shrank",
                       size_of(p, size, hsd_magnitude(growth)),
                       hsd_format_percent(percent, diff->total.before.bytes, diff->total.after.bytes));
    put_new_and_freed(p);
    hsd_out_text(out, ".**\n\n");
}

static void put_capture(page *p, const hsd_side *side)
{
    char size[HSD_NUMBER_CHARS], count[HSD_NUMBER_CHARS];
    const char *path = side->info.path ? side->info.path : "";
    hsd_markdown_name(&p->doc, (hsd_text){path, strlen(path)});
    hsd_out_format(&p->doc.out, " %s in %s object%s", size_of(p, size, side->live.bytes),
                   hsd_format_count(count, side->live.objects), side->live.objects == 1 ? "" : "s");
    if (!side->info.is_complete) hsd_out_text(&p->doc.out, ", incomplete");
}

/* As the first screen says it: with who allocated most of it. */
static void put_lost_answer(page *p)
{
    const hsd_change total = hsd_lost_total(p->diff);
    const int64_t growth = hsd_change_bytes(&total);
    const hsd_lost_row *row = p->diff->lost.row_count > 0 ? &p->diff->lost.rows[0] : NULL;
    char size[HSD_NUMBER_CHARS], count[HSD_NUMBER_CHARS];
    hsd_out *out = &p->doc.out;
    if (!hsd_lost_matters(p->diff, noise_of(p))) return;
    hsd_out_format(out, "**%s more is lost, in %s object%s: no pointer to it is left.**",
                   size_of(p, size, hsd_magnitude(growth)),
                   hsd_format_count(count, hsd_magnitude(hsd_change_objects(&total))),
                   hsd_change_objects(&total) == 1 ? "" : "s");
    const unsigned percent = row != NULL && hsd_lost_growth(row) > 0 ? hsd_percent_of(hsd_lost_growth(row), growth) : 0;
    if (percent >= MOST_PERCENT && row->place.size > 0) {
        if (percent >= 100)
            hsd_out_text(out, " It was allocated at ");
        else
            hsd_out_format(out, " %u%% of it was allocated at ", percent);
        hsd_markdown_name(&p->doc, row->place);
        hsd_out_text(out, ".");
    }
    hsd_out_text(out, "\n\n");
}

/* The place that holds most of the growth, where there is one. */
static void put_holder_answer(page *p)
{
    const hsd_diff *diff = p->diff;
    const int64_t growth = hsd_change_bytes(&diff->total);
    const hsd_holder *holder = diff->has_holders && diff->holder_count > 0 ? &diff->holders[0] : NULL;
    hsd_buffer raw = {0};
    hsd_out *out = &p->doc.out;
    if (diff->is_partial || holder == NULL || hsd_holder_is_nobody(holder) || growth < (int64_t)noise_of(p)) return;
    const unsigned percent = holder->growth_bytes > 0 ? hsd_percent_of(holder->growth_bytes, growth) : 0;
    if (percent < MOST_PERCENT || hsd_growth_is_room(diff, noise_of(p))) return;
    if (out->status == HSD_OK) out->status = hsd_holder_append(&raw, holder, ": ", "", out->err);
    if (percent >= 100)
        hsd_out_text(out, "All of the growth hangs from one place: ");
    else
        hsd_out_format(out, "%u%% of the growth hangs from one place: ", percent);
    hsd_markdown_name(&p->doc, (hsd_text){(const char *)raw.data, raw.size});
    hsd_out_text(out, ".\n\n");
    hsd_buffer_release(&raw);
}

static void put_head(page *p)
{
    const bool leads = hsd_lost_leads(p->diff, noise_of(p));
    if (leads) put_lost_answer(p);
    put_answer(p);
    put_holder_answer(p);
    if (!leads) put_lost_answer(p);
    put_capture(p, &p->diff->before);
    hsd_out_text(&p->doc.out, " → ");
    put_capture(p, &p->diff->after);
    hsd_out_text(&p->doc.out, ".\n\n");
    if (p->diff->warning_count == 0) return;
    hsd_markdown_begin_list(&p->doc, "warning", "warnings");
    for (size_t i = 0; i < p->diff->warning_count; i++) {
        if (!hsd_markdown_item(&p->doc)) continue;
        hsd_out_text(&p->doc.out, "- ");
        hsd_out_escaped(&p->doc.out, HSD_ESCAPE_MARKDOWN_PROSE, p->diff->warnings[i]);
        hsd_out_text(&p->doc.out, "\n");
    }
    hsd_markdown_end(&p->doc);
}

/* ---- a table ---- */

static void put_change(page *p, const hsd_change *change)
{
    char number[HSD_NUMBER_CHARS];
    hsd_markdown_cell(&p->doc, size_of(p, number, change->before.bytes));
    hsd_markdown_cell(&p->doc, size_of(p, number, change->after.bytes));
    hsd_markdown_cell(&p->doc, growth_of(p, number, hsd_change_bytes(change)));
    hsd_markdown_cell(&p->doc, hsd_format_percent(number, change->before.bytes, change->after.bytes));
    hsd_markdown_cell(&p->doc, hsd_format_count_signed(number, hsd_change_objects(change)));
}

static void begin_table(page *p, const char *heading, const char *one, const char *many)
{
    const hsd_markdown_column columns[] = {{heading, false}, {"Before", true}, {"After", true},
                                           {"Growth", true}, {"%", true},      {"Objects", true}};
    hsd_markdown_begin_table(&p->doc, columns, 6, one, many);
}

static void put_others(page *p, uint64_t rest, const hsd_change *others)
{
    char count[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 32];
    if (rest == 0) return;
    snprintf(text, sizeof text, "%s other %s", hsd_format_count(count, rest), rest == 1 ? p->doc.one : p->doc.many);
    hsd_markdown_last_row(&p->doc);
    hsd_markdown_cell(&p->doc, text);
    put_change(p, others);
}

static void put_code(page *p, const hsd_ranking *ranking)
{
    char text[HSD_RANK_CODE_CHARS];
    if (ranking->code_count == 0) return;
    hsd_rank_code_text(ranking, text);
    hsd_markdown_last_row(&p->doc);
    if (text[0] != '\0')
        hsd_markdown_cell(&p->doc, text);
    else
        hsd_markdown_cell_name(&p->doc, ranking->rows[ranking->count].name);
    put_change(p, &ranking->code);
}

/* The rest and the sum, so that rows add up, and the end. */
static void end_table_of(page *p, uint64_t rest, const hsd_change *others, const hsd_change *total)
{
    put_others(p, rest, others);
    hsd_markdown_last_row(&p->doc);
    hsd_markdown_cell(&p->doc, "**TOTAL**");
    put_change(p, total);
    hsd_markdown_end(&p->doc);
}

static void end_table(page *p, uint64_t rest, const hsd_change *others)
{
    end_table_of(p, rest, others, &p->diff->total);
}

static void put_table(page *p, hsd_report_table table, size_t by_default, const char *heading, const char *one,
                      const char *many)
{
    hsd_ranking ranking;
    hsd_out *out = &p->doc.out;
    const size_t top = p->options->top > 0 ? p->options->top : by_default;
    if (out->status != HSD_OK) return;
    out->status = hsd_ranking_init(&ranking, p->diff, table, p->options->sort_by, top,
                                   p->options->top > 0 ? 0 : noise_of(p), top != HSD_TOP_ALL, out->err);
    if (out->status != HSD_OK) return;
    begin_table(p, heading, one, many);
    for (size_t i = 0; i < ranking.shown; i++) {
        if (!hsd_markdown_row(&p->doc)) continue;
        hsd_markdown_cell_name(&p->doc, ranking.rows[i].name);
        put_change(p, ranking.rows[i].change);
    }
    put_others(p, ranking.count - ranking.shown, &ranking.others);
    put_code(p, &ranking);
    end_table(p, 0, NULL);
    hsd_ranking_release(&ranking);
}

/* ---- where it was allocated ---- */

static void put_frame(page *p, const hsd_site_frame *frame)
{
    hsd_buffer raw = {0};
    hsd_out *out = &p->doc.out;
    if (out->status == HSD_OK) out->status = hsd_site_frame_append(&raw, frame, out->err);
    hsd_markdown_name(&p->doc, (hsd_text){(const char *)raw.data, raw.size});
    hsd_buffer_release(&raw);
}

/* "`main.fill (main.go:31)` ← `main.handle (main.go:12)`", the innermost first. */
static void put_stack(page *p, const hsd_site_row *row)
{
    const size_t callers = hsd_site_callers_shown(row);
    if (row->frame_count == 0) {
        hsd_markdown_cell(&p->doc, "(no stack)");
        return;
    }
    hsd_out_text(&p->doc.out, "| ");
    put_frame(p, &row->frames[row->wanted]);
    for (size_t i = 1; i <= callers; i++) {
        hsd_out_text(&p->doc.out, " ← ");
        put_frame(p, &row->frames[row->wanted + i]);
    }
    const size_t told = row->wanted + callers + 1;
    if (row->frame_count > told) hsd_out_format(&p->doc.out, " ← %zu more", row->frame_count - told);
    hsd_out_text(&p->doc.out, " ");
}

static void put_sites(page *p)
{
    const size_t top = p->options->top;
    const hsd_site_pick pick = hsd_sites_pick(p->diff, top > 0 ? top : HSD_SITES_SHOWN, top == HSD_TOP_ALL ? 0 : 1);
    if (pick.count == 0) return;
    begin_table(p, "Where it was allocated", "site", "sites");
    for (size_t i = 0; i < pick.count; i++) {
        const hsd_site_row *row = hsd_site_pick_row(&pick, i);
        if (!hsd_markdown_row(&p->doc)) continue;
        put_stack(p, row);
        put_change(p, &row->change);
    }
    end_table(p, pick.other_count, &pick.others);
}

/* ---- what is lost ---- */

/* "`Parser::field (lost.cpp:5)`: `<=256 B at Parser::field`". */
static void put_lost_name(page *p, const hsd_lost_row *row)
{
    hsd_buffer what = {0};
    hsd_out *out = &p->doc.out;
    if (out->status == HSD_OK) out->status = hsd_lost_what_append(&what, row, out->err);
    hsd_out_text(out, "| ");
    if (row->place.size > 0) {
        hsd_markdown_name(&p->doc, row->place);
        hsd_out_text(out, ": ");
    }
    hsd_markdown_name(&p->doc, (hsd_text){(const char *)what.data, what.size});
    hsd_out_text(out, " ");
    hsd_buffer_release(&what);
}

static void put_lost(page *p)
{
    const size_t top = p->options->top;
    const hsd_change total = hsd_lost_total(p->diff);
    const hsd_lost_pick pick = hsd_lost_choose(&p->diff->lost, top > 0 ? top : HSD_LOST_SHOWN, 1);
    const hsd_change others = hsd_lost_change(&pick.others);
    if (!hsd_lost_matters(p->diff, noise_of(p))) return;
    begin_table(p, "Lost", "row", "rows");
    for (size_t i = 0; i < pick.count; i++) {
        const hsd_change change = hsd_lost_change(&p->diff->lost.rows[i]);
        if (!hsd_markdown_row(&p->doc)) continue;
        put_lost_name(p, &p->diff->lost.rows[i]);
        put_change(p, &change);
    }
    end_table_of(p, pick.other_count, &others, &total);
}

/* ---- what is not collected yet ---- */

/* "`Resource`, 12 of those before, 1.2 KiB, are live again". */
static void put_uncollected_name(page *p, const hsd_lost_row *row)
{
    char size[HSD_NUMBER_CHARS], revived[HSD_REVIVED_CHARS];
    hsd_out_text(&p->doc.out, "| ");
    hsd_markdown_name(&p->doc, row->type);
    if (hsd_uncollected_revived(row, size_of(p, size, row->revived.bytes), revived))
        hsd_out_format(&p->doc.out, ", %s", revived);
    hsd_out_text(&p->doc.out, " ");
}

static void put_uncollected(page *p)
{
    const size_t top = p->options->top;
    const hsd_change total = hsd_lost_total(p->diff);
    const hsd_lost_pick pick = hsd_lost_choose(&p->diff->uncollected, top > 0 ? top : HSD_UNCOLLECTED_SHOWN, 1);
    const hsd_change others = hsd_lost_change(&pick.others);
    if (!hsd_uncollected_matters(p->diff, noise_of(p))) return;
    begin_table(p, "Not yet collected", "type", "types");
    for (size_t i = 0; i < pick.count; i++) {
        const hsd_change change = hsd_lost_change(&p->diff->uncollected.rows[i]);
        if (!hsd_markdown_row(&p->doc)) continue;
        put_uncollected_name(p, &p->diff->uncollected.rows[i]);
        put_change(p, &change);
    }
    end_table_of(p, pick.other_count, &others, &total);
}

/* ---- who holds it ---- */

/* "`.value: Session` 124,846 → 537,156", indented by its depth. */
static void put_edge(page *p, const hsd_growth_edge *edge)
{
    char before[HSD_NUMBER_CHARS], after[HSD_NUMBER_CHARS], growth[HSD_NUMBER_CHARS];
    const hsd_step step = {.edge = edge->edge, .type = edge->type, .repeat = 1};
    hsd_buffer raw = {0};
    hsd_out *out = &p->doc.out;
    if (out->status == HSD_OK) out->status = hsd_step_append_with_type(&raw, &step, out->err);
    hsd_out_text(out, "  - ");
    hsd_markdown_name(&p->doc, (hsd_text){(const char *)raw.data, raw.size});
    hsd_out_format(out, " %s, %s → %s objects\n", growth_of(p, growth, edge->growth_bytes),
                   hsd_format_count(before, edge->before.objects), hsd_format_count(after, edge->after.objects));
    hsd_buffer_release(&raw);
}

/* One level of list below the holder: edges are in preorder, and each names the type it leads to. */
static void put_edges(page *p, const hsd_holder *holder)
{
    size_t shown = 0;
    for (size_t i = 0; i < holder->edge_count && shown < EDGES_SHOWN; i++) {
        const hsd_growth_edge *edge = &holder->edges[i];
        if (hsd_percent_of(edge->growth_bytes, holder->growth_bytes) < EDGE_PERCENT) continue;
        put_edge(p, edge);
        shown++;
    }
}

static void put_holder(page *p, const hsd_holder *holder)
{
    char growth[HSD_NUMBER_CHARS];
    hsd_buffer raw = {0};
    hsd_out *out = &p->doc.out;
    const int64_t total = hsd_change_bytes(&p->diff->total);
    if (out->status == HSD_OK) out->status = hsd_holder_append(&raw, holder, ": ", "", out->err);
    hsd_out_text(out, "- ");
    hsd_markdown_name(&p->doc, (hsd_text){(const char *)raw.data, raw.size});
    hsd_buffer_release(&raw);
    hsd_out_format(out, " **%s**", growth_of(p, growth, holder->growth_bytes));
    if (total > 0 && holder->growth_bytes > 0)
        hsd_out_format(out, " (%u%% of the growth)", hsd_percent_of(holder->growth_bytes, total));
    hsd_out_text(out, "\n");
    put_edges(p, holder);
}

static size_t holders_worth_showing(const page *p)
{
    const size_t most = hsd_holders_shown(p->diff, p->options->top, HOLDERS_SHOWN);
    size_t count = 0;
    const int64_t total = hsd_change_bytes(&p->diff->total);
    while (count < most && !p->diff->holders[count].is_code && p->diff->holders[count].growth_bytes > 0 &&
           (p->options->top > 0 || total <= 0 || p->diff->holders[count].growth_bytes >= total / 100))
        count++; /* less than a hundredth of the growth says nothing */
    return count;
}

static void put_rest(page *p, size_t shown)
{
    char count[HSD_NUMBER_CHARS], growth[HSD_NUMBER_CHARS];
    const hsd_holder_rest rest = hsd_holders_rest_without_code(p->diff, shown);
    if (rest.rows == 0) return;
    hsd_out_format(&p->doc.out, "%s other holder%s: %s.\n\n", hsd_format_count(count, rest.rows),
                   rest.rows == 1 ? "" : "s", growth_of(p, growth, rest.sum.growth_bytes));
}

static void put_holders(page *p)
{
    const size_t shown = holders_worth_showing(p);
    if (shown == 0) return;
    hsd_out_text(&p->doc.out, "What keeps the growth alive:\n\n");
    hsd_markdown_begin_list(&p->doc, "holder", "holders");
    for (size_t i = 0; i < shown; i++)
        if (hsd_markdown_item(&p->doc)) put_holder(p, &p->diff->holders[i]);
    const hsd_holder *code = hsd_holders_code(p->diff);
    if (code != NULL && hsd_markdown_item(&p->doc)) put_holder(p, code);
    hsd_markdown_end(&p->doc);
    put_rest(p, shown);
}

static void put_roots(page *p)
{
    if (p->diff->why_no_holders.size > 0) {
        hsd_out_text(&p->doc.out, "Holders are not known: ");
        hsd_out_escaped(&p->doc.out, HSD_ESCAPE_MARKDOWN_PROSE, p->diff->why_no_holders);
        hsd_out_text(&p->doc.out, ".\n\n");
    }
    if (p->diff->root_count > 0) put_table(p, HSD_TABLE_ROOTS, ROOTS_SHOWN, "Root", "root", "roots");
}

hsd_status hsd_markdown_diff(const hsd_diff *diff, const hsd_report_options *options, hsd_write_fn write, void *context,
                             hsd_error *err)
{
    page p = {.diff = diff, .options = options};
    hsd_markdown_init(&p.doc, options->max_bytes, err);
    put_head(&p);
    const bool leads = hsd_lost_leads(diff, noise_of(&p));
    const bool sites_first = diff->has_sites && !diff->has_holders; /* then they are the answer */
    if (leads) put_lost(&p);
    if (sites_first) put_sites(&p);
    if (diff->has_holders)
        put_holders(&p);
    else
        put_roots(&p);
    if (!leads) put_lost(&p);
    if (diff->has_sites && !sites_first) put_sites(&p);
    put_table(&p, HSD_TABLE_TYPES, TYPES_SHOWN, "Type", "type", "types");
    put_uncollected(&p);
    return hsd_markdown_finish(&p.doc, write, context, err);
}

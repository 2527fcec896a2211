/*
 * What keeps the growth alive: the largest holders, the path to each from its root, one step inside the other, and
 * below it the references through which the growth hangs.
 */
#include <string.h>

#include "report/model/holder_rows.h"
#include "report/sentences/place.h"
#include "report/words/number.h"
#include "report/write/html/parts.h"

#define HOLDERS_SHOWN 3
#define STEPS_SHOWN   8 /* of a path from either end */
#define EDGES_SHOWN   8
#define EDGE_PERCENT  5  /* of the holder's growth, else a reference is not worth a line */
#define DEPTH_MOST    16 /* of lists within lists */

/* ---- the path ---- */

static void open_step(hsd_html *page, hsd_buffer *raw)
{
    hsd_out_text(&page->out, "<ol><li>");
    hsd_html_raw(page, raw);
}

static void put_step(hsd_html *page, const hsd_step *step)
{
    hsd_buffer raw = {0};
    hsd_out *out = &page->out;
    if (out->status == HSD_OK) out->status = hsd_step_append_with_type(&raw, step, out->err);
    open_step(page, &raw);
}

static void put_gap(hsd_html *page, uint64_t count)
{
    char number[HSD_NUMBER_CHARS];
    hsd_out_format(&page->out, "<ol><li>%s more step%s", hsd_format_count(number, count), count == 1 ? "" : "s");
}

static void put_path(hsd_html *page, const hsd_holder *holder)
{
    const size_t count = holder->path_count, skipped = count > 2 * STEPS_SHOWN ? count - 2 * STEPS_SHOWN : 0;
    const uint64_t gap = skipped + holder->path_cut;
    hsd_buffer root = {0};
    hsd_out *out = &page->out;
    size_t open = 1;
    if (out->status == HSD_OK) out->status = hsd_buffer_append(&root, holder->root.data, holder->root.size, out->err);
    hsd_out_text(out, "<div class=\"path\">");
    open_step(page, &root);
    for (size_t i = 0; i < count; i++) {
        const bool is_gap = gap > 0 && i == (skipped > 0 ? STEPS_SHOWN : count / 2);
        if (is_gap) put_gap(page, gap);
        open += is_gap;
        if (is_gap) i += skipped;
        put_step(page, &holder->path[i]);
        open++;
    }
    while (open-- > 0)
        hsd_out_text(out, "</li></ol>");
    hsd_out_text(out, "</div>\n");
}

/* By what it is held together, each with what it reaches. */
static void put_held_by(hsd_html *page, const hsd_holder *holder)
{
    char size[HSD_NUMBER_CHARS];
    hsd_out *out = &page->out;
    hsd_out_text(out, "<ul class=\"edges\">");
    for (size_t i = 0; i < holder->by_count; i++) {
        hsd_buffer raw = {0};
        if (out->status == HSD_OK) out->status = hsd_co_holder_append(&raw, &holder->by[i], ": ", "", out->err);
        hsd_out_text(out, "<li>by ");
        hsd_html_raw(page, &raw);
        hsd_out_format(out, ", %s of it</li>", hsd_html_size(page, size, holder->by[i].bytes));
    }
    hsd_out_text(out, "</ul>\n");
}

/* ---- the references below ---- */

typedef struct nest { /* lists that are open, each with the depth of its entries */
    uint32_t depths[DEPTH_MOST];
    size_t count;
} nest;

static void close_list(hsd_html *page, nest *lists)
{
    hsd_out_text(&page->out, "</li></ul>");
    lists->count--;
}

/* Opens an entry at that depth, in a list of its own where it is below the last one. */
static void open_entry(hsd_html *page, nest *lists, uint32_t depth)
{
    while (lists->count > 1 && lists->depths[lists->count - 1] > depth)
        close_list(page, lists);
    if (lists->count == 0 || (lists->depths[lists->count - 1] < depth && lists->count < DEPTH_MOST)) {
        lists->depths[lists->count++] = depth;
        hsd_out_text(&page->out, "<ul class=\"edges\"><li>");
    } else {
        hsd_out_text(&page->out, "</li><li>");
    }
}

/* How many are in this place: ", 1,999 → 13,999 items"; of one that is there as it was nothing. */
static void put_count(hsd_html *page, const hsd_growth_edge *edge)
{
    const uint64_t before = edge->before.objects, after = edge->after.objects;
    const char *noun = hsd_edge_is_item(edge->edge) ? "item" : "object", *plural = after == 1 ? "" : "s";
    char a[HSD_NUMBER_CHARS], b[HSD_NUMBER_CHARS];
    if (edge->new_.objects > 0 && edge->freed.objects == 0 && !hsd_edge_adds_up(edge))
        hsd_out_format(&page->out, ", %s new", hsd_format_count(a, edge->new_.objects));
    else if (before != after)
        hsd_out_format(&page->out, ", %s → %s %s%s", hsd_format_count(a, before), hsd_format_count(b, after), noun,
                       plural);
    else if (after > 1)
        hsd_out_format(&page->out, ", %s %s%s", hsd_format_count(b, after), noun, plural);
}

static void put_edge(hsd_html *page, const hsd_growth_edge *edge)
{
    char growth[HSD_NUMBER_CHARS];
    const hsd_step step = {.edge = edge->edge, .type = edge->type, .repeat = 1};
    hsd_buffer raw = {0};
    hsd_out *out = &page->out;
    if (out->status == HSD_OK) out->status = hsd_step_append_with_type(&raw, &step, out->err);
    hsd_html_raw(page, &raw);
    hsd_out_format(out, " <span class=\"n %s\">%s</span>", hsd_html_sign(edge->growth_bytes),
                   hsd_html_growth(page, growth, edge->growth_bytes));
    put_count(page, edge);
}

static void put_edges(hsd_html *page, const hsd_holder *holder)
{
    nest lists = {.count = 0};
    size_t shown = 0;
    for (size_t i = 0; i < holder->edge_count && shown < EDGES_SHOWN; i++) {
        const hsd_growth_edge *edge = &holder->edges[i];
        if (hsd_percent_of(edge->growth_bytes, holder->growth_bytes) < EDGE_PERCENT) continue;
        open_entry(page, &lists, edge->depth);
        put_edge(page, edge);
        shown++;
    }
    while (lists.count > 0)
        close_list(page, &lists);
    if (shown > 0) hsd_out_text(&page->out, "\n");
}

/* ---- a holder ---- */

static void put_amount(hsd_html *page, const char *before, hsd_amount amount, const char *after)
{
    char size[HSD_NUMBER_CHARS];
    hsd_out_format(&page->out, "%s%s%s", before, hsd_html_size(page, size, amount.bytes), after);
}

static void put_holder(hsd_html *page, const hsd_diff *diff, const hsd_holder *holder)
{
    const int64_t total = hsd_change_bytes(&diff->total);
    char growth[HSD_NUMBER_CHARS], share[HSD_NUMBER_CHARS];
    hsd_buffer raw = {0};
    hsd_out *out = &page->out;
    if (out->status == HSD_OK) out->status = hsd_holder_append(&raw, holder, ": ", "", out->err);
    hsd_out_text(out, "<article class=\"holder\">\n<h3>");
    hsd_html_raw(page, &raw);
    hsd_out_format(out, "</h3>\n<p><span class=\"n %s\">%s</span>", hsd_html_sign(holder->growth_bytes),
                   hsd_html_growth(page, growth, holder->growth_bytes));
    if (total > 0 && holder->growth_bytes > 0)
        hsd_out_format(out, ", %s of the growth", hsd_format_said_share(share, holder->growth_bytes, total));
    if (hsd_new_is_known(diff)) put_amount(page, ", ", holder->new_, " new");
    if (hsd_freed_is_known(diff)) put_amount(page, ", ", holder->freed, " freed");
    hsd_out_text(out, "</p>\n");
    if (holder->by_count > 0)
        put_held_by(page, holder);
    else if (holder->path_count > 0)
        put_path(page, holder);
    put_edges(page, holder);
    hsd_out_text(out, "</article>\n");
}

static void put_rest(hsd_html *page, const hsd_diff *diff, size_t shown)
{
    const hsd_holder_rest rest = hsd_holders_rest_without_code(diff, shown);
    char count[HSD_NUMBER_CHARS], growth[HSD_NUMBER_CHARS];
    if (rest.rows == 0) return;
    hsd_out_format(&page->out, "<p>%s other holder%s: %s.</p>\n", hsd_format_count(count, rest.rows),
                   rest.rows == 1 ? "" : "s", hsd_html_growth(page, growth, rest.sum.growth_bytes));
}

void hsd_html_holders(hsd_html *page, const hsd_diff *diff)
{
    size_t shown = 0;
    if (!diff->has_holders && diff->why_no_holders.size == 0) return; /* of sums alone: the answer says so */
    hsd_html_begin(page, "holders", "What keeps it alive");
    if (!diff->has_holders) {
        hsd_buffer raw = {0};
        hsd_out *out = &page->out;
        if (out->status == HSD_OK)
            out->status = hsd_buffer_append(&raw, diff->why_no_holders.data, diff->why_no_holders.size, out->err);
        hsd_out_text(out, "<p>Holders are not known: ");
        hsd_html_raw(page, &raw);
        hsd_out_text(out, ".</p>\n");
        hsd_html_end(page);
        return;
    }
    const hsd_holder *code = hsd_holders_code(diff), *last = diff->holders + diff->holder_count - (code != NULL);
    for (; diff->holders + shown < last && shown < HOLDERS_SHOWN && diff->holders[shown].growth_bytes > 0; shown++)
        put_holder(page, diff, &diff->holders[shown]);
    if (code != NULL) put_holder(page, diff, code);
    if (shown == 0) hsd_out_text(&page->out, "<p>No place holds more than it did.</p>\n");
    put_rest(page, diff, shown);
    hsd_html_end(page);
}

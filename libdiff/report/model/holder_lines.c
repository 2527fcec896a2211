/*
 * WHAT KEEPS IT ALIVE: the places that the growth hangs from, and below each the references through which it hangs.
 *
 *      global.app.state.sessions: Map          +79,000  +3.96 MiB    73%     a holder, and its share of the growth
 *        [*]: Session          2,000 -> 14,000 items    +3.90 MiB            what hangs below it, as a tree
 *          .cart: Array                   12,000 new    +2.10 MiB
 *      app.byId: Map and app.byName: Map, together                           what several hold together, and what each
 *        by app.byId: Map                              +1.20 MiB             of them reaches, if not all
 *      1,203 other holders                    +412  +87.2 KiB     2%
 *
 * Shares are of the growth of the heap, so they are left out where it did not grow. A partial capture has no holders.
 */
#include "report/model/holder_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/sentences/place.h"
#include "report/text/outline.h"
#include "report/words/number.h"

#define HOLDERS_ON_SCREEN 3  /* without --top, and of these only those with: */
#define HOLDER_SHOWN      50 /* one part in so many of the growth: a small leak beside a cache that fills */
#define SHARE_SHOWN       20 /* of the holder's growth for a reference; holders with less of the growth have but */
#define EDGES_OF_SMALL    2
#define EDGES_ON_SCREEN   8
#define SHARE_OF_ITEMS    200 /* likewise, of a container that has more items: */
#define ITEMS_WORTH_A_ROW 16
#define BYTES_OF_ITEMS    2048
#define INDENT_MOST       12
#define LONGEST_NAME      52u /* that is sure to be read in a line of 80 columns */

#define HOLDERS_IN_MARKDOWN 10
#define EDGES_IN_MARKDOWN   5  /* of one holder */
#define EDGE_PERCENT        10 /* of the holder's growth, else an edge is not worth a line of Markdown */

static const hsd_diff *diff_of(const hsd_scope *scope) { return scope->result; }
static const hsd_holder_line *line_of(const hsd_scope *scope) { return scope->row; }

static size_t depth_of(const hsd_scope *scope)
{
    const hsd_growth_edge *edge = line_of(scope)->edge;
    if (edge) return edge->depth < INDENT_MOST ? edge->depth : INDENT_MOST;
    return line_of(scope)->by != NULL;
}

/* ---- columns of text ---- */

static hsd_status name_of(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    const hsd_holder_line *line = scope->row;
    if (line->edge) {
        const hsd_step step = {.edge = line->edge->edge, .type = line->edge->type, .repeat = 1};
        return hsd_step_append_with_type(text, &step, err);
    }
    if (!line->by) return hsd_holder_append(text, line->holder, ": ", "", err);
    HSD_TRY(hsd_buffer_append(text, "by ", 3, err));
    return hsd_co_holder_append(text, line->by, ": ", "", err);
}

/*
 * How many are in this place: the length of a container before and after, what came elsewhere. One that was there and
 * is there needs no words.
 */
static void format_items(const hsd_diff *diff, const hsd_growth_edge *edge, char *text, size_t size)
{
    char a[HSD_NUMBER_CHARS], b[HSD_NUMBER_CHARS];
    const uint64_t before = edge->before.objects, after = edge->after.objects;
    const bool is_item = hsd_edge_is_item(edge->edge),
               is_all_new = hsd_new_is_known(diff) && edge->freed.objects == 0 && edge->new_.objects > 0;
    text[0] = 0;
    if (is_all_new && !(is_item && before > 0 && hsd_edge_adds_up(edge)))
        snprintf(text, size, "%s new", hsd_format_count(a, edge->new_.objects));
    else if (before == after && (is_item || after > 1))
        snprintf(text, size, "%s %s%s", hsd_format_count(a, after), is_item ? "item" : "object", after == 1 ? "" : "s");
    else if (before != after && (hsd_new_is_known(diff) || is_item))
        snprintf(text, size, "%s -> %s%s", hsd_format_count(a, before), hsd_format_count(b, after),
                 is_item ? " items" : "");
    else if (before != after)
        snprintf(text, size, "%s", hsd_format_count_signed(a, (int64_t)(after - before)));
}

static bool is_no_part(const hsd_scope *scope) { return line_of(scope)->by == NULL; }
static hsd_status objects_of(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    const hsd_holder_line *line = scope->row;
    char words[2 * HSD_NUMBER_CHARS + 16];
    if (line->edge)
        format_items(diff_of(scope), line->edge, words, sizeof words);
    else
        hsd_format_count_signed(words, line->holder->net_objects);
    return hsd_buffer_append(text, words, strlen(words), err);
}

static int64_t bytes_of(const hsd_scope *scope)
{
    const hsd_holder_line *line = scope->row;
    return line->by ? (int64_t)line->by->bytes : line->edge ? line->edge->growth_bytes : line->holder->growth_bytes;
}
static hsd_value growth_of(const hsd_scope *scope) { return hsd_value_growth(bytes_of(scope)); }
static int64_t sign_of(const hsd_scope *scope) { return line_of(scope)->by ? 0 : bytes_of(scope); }

static bool has_shares(const hsd_scope *scope) { return hsd_change_bytes(&diff_of(scope)->total) > 0; }
static bool has_share(const hsd_scope *scope) { return !line_of(scope)->by && !line_of(scope)->edge; }
static hsd_status share_of(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    char words[HSD_NUMBER_CHARS];
    hsd_format_growth_share(words, bytes_of(scope), hsd_change_bytes(&diff_of(scope)->total));
    return hsd_buffer_append(text, words, strlen(words), err);
}

/* ---- the column of Markdown ---- */

/* "`.value: Session` +1.20 MiB, 124,846 → 537,156 objects"; "`app.state: Map` **+3.96 MiB** (73% of the growth)". */
static void tell_line(hsd_out *out, const hsd_scope *scope, hsd_escape_form form)
{
    const hsd_growth_edge *edge = line_of(scope)->edge;
    const int64_t bytes = bytes_of(scope), total = hsd_change_bytes(&diff_of(scope)->total);
    const bool is_exact = scope->model->options->exact_bytes;
    char growth[HSD_NUMBER_CHARS], share[HSD_NUMBER_CHARS], before[HSD_NUMBER_CHARS], after[HSD_NUMBER_CHARS];
    hsd_buffer raw = {0};
    if (out->status == HSD_OK) out->status = name_of(&raw, scope, out->err);
    hsd_out_name(out, form, (hsd_text){(const char *)raw.data, raw.size});
    hsd_buffer_release(&raw);
    if (is_exact)
        hsd_format_exact_signed(growth, bytes);
    else
        hsd_format_bytes_signed(growth, bytes);
    hsd_out_format(out, edge ? " %s" : " **%s**", growth);
    if (edge)
        hsd_out_format(out, ", %s → %s objects", hsd_format_count(before, edge->before.objects),
                       hsd_format_count(after, edge->after.objects));
    else if (total > 0 && bytes > 0)
        hsd_out_format(out, " (%s of the growth)", hsd_format_said_share(share, bytes, total));
}

static const hsd_column columns[] = {
    {"holder", HSD_KIND_WORDS, .in = HSD_IN_TEXT, .title = "What keeps it alive", .words = name_of},
    {"objects", HSD_KIND_LABEL, .in = HSD_IN_TEXT, .title = "Objects", .words = objects_of, .is_known = is_no_part,
     .flags = HSD_ON_RIGHT},
    {"growth", HSD_KIND_GROWTH, .in = HSD_IN_TEXT, .title = "Growth", .get = growth_of, .sign = sign_of,
     .flags = HSD_TO_THE_LAST},
    {"share", HSD_KIND_LABEL, .in = HSD_IN_TEXT, .title = "Share", .words = share_of, .has = has_shares,
     .is_known = has_share, .flags = HSD_ON_RIGHT},
    {"holder", HSD_KIND_TOLD, .in = HSD_IN_MARKDOWN, .tell = tell_line},
    {0},
};

/* ---- which lines text has ---- */

/*
 * A container with more items than before, that make up most of what it grew by: small beside a large one, and yet no
 * noise. It may be the leak, and the large one a cache that is still filling.
 */
static bool has_more_items(const hsd_diff *diff, const hsd_holder *holder)
{
    uint64_t came = 0;
    int64_t growth = 0;
    const int64_t least = hsd_change_bytes(&diff->total) / SHARE_OF_ITEMS;
    if (holder->growth_bytes < least || holder->growth_bytes < BYTES_OF_ITEMS || hsd_holder_is_nobody(holder))
        return false;
    for (size_t i = 0; i < holder->edge_count; i++) {
        const hsd_growth_edge *edge = &holder->edges[i];
        if (edge->depth > 2 || !hsd_edge_is_item(edge->edge) || edge->after.objects <= edge->before.objects) continue;
        const uint64_t more = edge->after.objects - edge->before.objects;
        if (edge->depth == 2) { /* a map of lists */
            if (more >= ITEMS_WORTH_A_ROW && edge->growth_bytes >= holder->growth_bytes / 2) return true;
            continue;
        }
        came += more;
        growth += edge->growth_bytes;
    }
    return came >= ITEMS_WORTH_A_ROW && growth >= holder->growth_bytes / 2;
}

/* Whether a holder says where the growth is; --top asks for more. */
static bool is_worth_a_row(const hsd_model *model, const hsd_holder *holder)
{
    const hsd_diff *diff = model->result;
    const size_t top = model->options->top;
    const int64_t growth = hsd_change_bytes(&diff->total), noise = (int64_t)hsd_model_noise(model);
    if (top == HSD_TOP_ALL) return true;
    if (top == 0 && hsd_growth_is_room(diff, hsd_model_noise(model))) return false;
    if (growth >= noise && has_more_items(diff, holder)) return true;
    if (top > 0 || growth < noise) return holder->growth_bytes >= noise;
    return holder->growth_bytes >= growth / HOLDER_SHOWN;
}

/* One is left, and it grew: its name takes no more room than "1 other holder". */
static bool is_last_one(const hsd_diff *diff, size_t shown)
{
    return shown < diff->holder_count && shown <= HOLDERS_ON_SCREEN &&
           hsd_holders_rest_without_code(diff, shown).rows == 1 && !diff->holders[shown].is_code &&
           diff->holders[shown].growth_bytes > 0;
}

static size_t count_on_screen(const hsd_model *model)
{
    const hsd_diff *diff = model->result;
    const uint64_t noise = hsd_model_noise(model);
    const size_t most = hsd_holders_shown(diff, model->options->top, HOLDERS_ON_SCREEN);
    size_t shown = 0;
    while (shown < most && !diff->holders[shown].is_code && is_worth_a_row(model, &diff->holders[shown]))
        shown++;
    const bool has_grown = hsd_change_bytes(&diff->total) >= (int64_t)noise;
    if (has_grown && model->options->top == 0 && shown > 0 && is_last_one(diff, shown)) shown++;
    while (!has_grown && model->options->top == 0 && shown > 0 &&
           (hsd_holder_is_paid_below(diff, &diff->holders[shown - 1], noise) ||
            hsd_holder_is_paid_by_nobody(diff, &diff->holders[shown - 1])))
        shown--;
    return shown;
}

/* Nothing came, nothing went: said of none by itself. */
static bool is_idle(const hsd_holder *holder)
{
    return holder->new_.objects == 0 && holder->freed.objects == 0 && holder->net_objects == 0 &&
           holder->growth_bytes == 0;
}

/* By what it is held together, where the name does not say it all: some are left out there or cut, or do not reach
 * everything. */
static hsd_status put_held_by(hsd_holder_lines *lines, const hsd_holder *holder, hsd_error *err)
{
    hsd_buffer name = {0};
    const hsd_status status = hsd_holder_append(&name, holder, ": ", "", err);
    const bool is_needed = hsd_holder_needs_shares(holder) || (holder->by_count > 1 && name.size > LONGEST_NAME);
    hsd_buffer_release(&name);
    for (size_t i = 0; status == HSD_OK && is_needed && i < holder->by_count; i++)
        lines->rows[lines->count++] = (hsd_holder_line){.holder = holder, .by = &holder->by[i]};
    return status;
}

static size_t edges_on_screen(const hsd_model *model, const hsd_holder *holder)
{
    const int64_t growth = hsd_change_bytes(&((const hsd_diff *)model->result)->total);
    if (model->options->top == HSD_TOP_ALL) return SIZE_MAX;
    return model->options->top == 0 && holder->growth_bytes < growth / SHARE_SHOWN ? EDGES_OF_SMALL : EDGES_ON_SCREEN;
}

static hsd_status put_edges(hsd_holder_lines *lines, const hsd_model *model, const hsd_holder *holder, hsd_error *err)
{
    const bool is_all = model->options->top == HSD_TOP_ALL;
    hsd_outline_row *rows = calloc(holder->edge_count + 1, sizeof *rows);
    if (!rows) return hsd_fail(err, HSD_E_NOMEM, "no memory for a table of the report");
    for (size_t i = 0; i < holder->edge_count; i++)
        rows[i] = (hsd_outline_row){.depth = holder->edges[i].depth, .weight = holder->edges[i].growth_bytes};
    const hsd_status status = hsd_outline_choose(rows, holder->edge_count, edges_on_screen(model, holder),
                                                 is_all ? 0 : hsd_magnitude(holder->growth_bytes) / SHARE_SHOWN, err);
    for (size_t i = 0; status == HSD_OK && i < holder->edge_count; i++)
        if (rows[i].is_shown)
            lines->rows[lines->count++] = (hsd_holder_line){.holder = holder, .edge = &holder->edges[i]};
    free(rows);
    return status;
}

/* `shown`: of the result; *idle of them are no rows. */
static hsd_status put_on_screen(hsd_holder_lines *lines, const hsd_model *model, size_t shown, size_t *idle,
                                hsd_error *err)
{
    const hsd_diff *diff = model->result;
    for (size_t i = 0; i < shown; i++) {
        const hsd_holder *holder = &diff->holders[i];
        if (is_idle(holder)) {
            ++*idle;
            continue;
        }
        lines->rows[lines->count++] = (hsd_holder_line){.holder = holder};
        HSD_TRY(put_held_by(lines, holder, err));
        HSD_TRY(put_edges(lines, model, holder, err));
    }
    return HSD_OK;
}

/* ---- which lines Markdown has ---- */

static size_t count_in_markdown(const hsd_model *model)
{
    const hsd_diff *diff = model->result;
    const size_t most = hsd_holders_shown(diff, model->options->top, HOLDERS_IN_MARKDOWN);
    const int64_t total = hsd_change_bytes(&diff->total);
    size_t count = 0;
    while (count < most && !diff->holders[count].is_code && diff->holders[count].growth_bytes > 0 &&
           (model->options->top > 0 || total <= 0 || diff->holders[count].growth_bytes >= total / 100))
        count++; /* less than a hundredth of the growth says nothing */
    return count;
}

/* One level of list below the holder: edges are in preorder, and each names the type it leads to. */
static void put_in_markdown(hsd_holder_lines *lines, const hsd_holder *holder)
{
    size_t shown = 0;
    lines->rows[lines->count++] = (hsd_holder_line){.holder = holder};
    for (size_t i = 0; i < holder->edge_count && shown < EDGES_IN_MARKDOWN; i++) {
        const hsd_growth_edge *edge = &holder->edges[i];
        if (hsd_percent_of(edge->growth_bytes, holder->growth_bytes) < EDGE_PERCENT) continue;
        lines->rows[lines->count++] = (hsd_holder_line){.holder = holder, .edge = edge};
        shown++;
    }
}

/* ---- parts ---- */

static hsd_status take_rows(hsd_holder_lines *lines, const hsd_diff *diff, size_t shown, const hsd_holder *code,
                            hsd_error *err)
{
    size_t most = shown + 1 + (code ? code->edge_count + 1 : 0);
    for (size_t i = 0; i < shown; i++)
        most += diff->holders[i].edge_count + diff->holders[i].by_count;
    lines->rows = calloc(most, sizeof *lines->rows);
    return lines->rows ? HSD_OK : hsd_fail(err, HSD_E_NOMEM, "no memory for a table of the report");
}

static size_t one_level(const hsd_scope *scope) { return line_of(scope)->edge != NULL; }

/* "1,203 other holders: +87.2 KiB.", below a list. */
static void tell_rest(hsd_out *out, const hsd_model *model, hsd_escape_form form)
{
    const hsd_holder_rest rest =
        hsd_holders_rest_without_code((const hsd_diff *)model->result, count_in_markdown(model));
    char count[HSD_NUMBER_CHARS], growth[HSD_NUMBER_CHARS];
    (void)form;
    if (rest.rows == 0) return;
    hsd_out_format(out, "%s other holder%s: %s.", hsd_format_count(count, rest.rows), rest.rows == 1 ? "" : "s",
                   model->options->exact_bytes ? hsd_format_exact_signed(growth, rest.sum.growth_bytes)
                                               : hsd_format_bytes_signed(growth, rest.sum.growth_bytes));
}

static void add_holder_line(hsd_model *model, hsd_holder_lines *lines)
{
    const bool is_text = model->format == HSD_AS_TEXT;
    lines->others = (hsd_holder_line){.holder = &lines->rest.sum};
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_TABLE,
                                    .in = HSD_IN_PEOPLE,
                                    .title = "What keeps the growth alive",
                                    .one = "holder",
                                    .many = "holders",
                                    .columns = columns,
                                    .is_shared = true,
                                    .is_list = !is_text,
                                    .is_set_off = true,
                                    .sheet = {.rows = {lines->rows, lines->count, sizeof *lines->rows, false},
                                              .depth = is_text ? depth_of : one_level,
                                              .other_count = lines->rest.rows,
                                              .others = &lines->others}});
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_SENTENCE, .in = HSD_IN_MARKDOWN, .tell = tell_rest});
}

/* Program code has a row of its own below those of the program, however many these are. */
hsd_status hsd_holder_lines_add(hsd_model *model, hsd_holder_lines *lines, const hsd_model_request *request)
{
    const hsd_diff *diff = model->result;
    const bool is_text = model->format == HSD_AS_TEXT;
    const hsd_holder *code = hsd_holders_code(diff);
    size_t idle = 0;
    if (!diff->has_holders) return HSD_OK;
    const size_t shown = is_text ? count_on_screen(model) : count_in_markdown(model);
    if (is_text && code && !is_worth_a_row(model, code)) code = NULL;
    if (shown == 0 && (!is_text || !code)) return HSD_OK;
    HSD_TRY(take_rows(lines, diff, shown, code, request->err));
    if (is_text) HSD_TRY(put_on_screen(lines, model, shown, &idle, request->err));
    for (size_t i = 0; !is_text && i < shown; i++)
        put_in_markdown(lines, &diff->holders[i]);
    if (code && is_text) lines->rows[lines->count++] = (hsd_holder_line){.holder = code};
    if (code && !is_text) put_in_markdown(lines, code);
    lines->rest = code ? hsd_holders_rest_without_code(diff, shown) : hsd_holders_rest(diff, shown);
    lines->rest.rows += idle;
    add_holder_line(model, lines);
    return HSD_OK;
}

void hsd_holder_lines_release(hsd_holder_lines *lines) { free(lines->rows); }

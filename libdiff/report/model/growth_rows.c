/*
 * GROWTH BY SITE: for captures that say where memory was allocated. A row is all that one stack allocated, named by who
 * wanted it; the callers stand below.
 *
 *      SITE                              BEFORE     AFTER    GROWTH      %  OBJECTS
 *      main.(*Cache).Put (cache.go:31)   1.2 MiB   48.0 MiB  +46.8 MiB  x40  +12,000
 *        < main.handle (main.go:12)
 *        < net/http.(*conn).serve (server.go:1995)
 *        … 3 more
 *      TOTAL …
 *
 * LOST: what no root reaches where nothing but the program frees memory. A row is who allocated what heads it; below
 * stand what that is, and the callers.
 *
 *      LOST                               BEFORE     AFTER    GROWTH      %  OBJECTS
 *      Parser::field (lost.cpp:5)        1.2 MiB  48.0 MiB  +46.8 MiB  x40  +12,000
 *        <=256 B at Parser::field
 *        < main (lost.cpp:12)
 *      TOTAL …
 *
 * NOT YET COLLECTED: the same where a collector frees, by type, with what of it came back to life.
 *
 * Rows are chosen so that they, the line of others and that of the runtime's own code add up to TOTAL. Markdown tells
 * in the name what text tells below it; HTML has it as a list below the name.
 */
#include "report/model/growth_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/sentences/churn.h"
#include "report/words/number.h"

#define TYPES_SHOWN   20
#define ROOTS_SHOWN   10
#define CALLERS_SHOWN 3u  /* of what is lost */
#define WIDE_LINE     110 /* a terminal with room for all columns beside a name */

static const hsd_diff *diff_of(const hsd_scope *scope) { return scope->result; }
static const hsd_growth_row *row_of(const hsd_scope *scope) { return scope->row; }
static bool is_text(const hsd_scope *scope) { return (scope->model->format & HSD_IN_TEXT) != 0; }
static bool is_markdown(const hsd_scope *scope) { return (scope->model->format & HSD_IN_MARKDOWN) != 0; }
static size_t depth_of(const hsd_scope *scope) { return row_of(scope)->change == NULL; }
static bool is_said(const hsd_scope *scope) { return row_of(scope)->is_what; }

/* ---- numbers ---- */

static bool has_numbers(const hsd_scope *scope) { return row_of(scope)->change != NULL; }
static int64_t bytes_of(const hsd_scope *scope) { return hsd_change_bytes(row_of(scope)->change); }
static int64_t objects_of(const hsd_scope *scope) { return hsd_change_objects(row_of(scope)->change); }
static hsd_value before_of(const hsd_scope *scope) { return hsd_value_bytes(row_of(scope)->change->before.bytes); }
static hsd_value after_of(const hsd_scope *scope) { return hsd_value_bytes(row_of(scope)->change->after.bytes); }
static hsd_value growth_of(const hsd_scope *scope) { return hsd_value_growth(bytes_of(scope)); }
static hsd_value more_objects(const hsd_scope *scope) { return hsd_value_signed(objects_of(scope)); }
static hsd_value percent_of(const hsd_scope *scope)
{
    const hsd_change *change = row_of(scope)->change;
    return hsd_value_percent(change->before.bytes, change->after.bytes);
}

bool hsd_growth_is_proven(const hsd_diff *diff)
{
    const hsd_side *before = &diff->before, *after = &diff->after;
    if (!diff->is_partial) return true;
    return before->info.is_complete && before->has_roots == after->has_roots &&
           before->has_references == after->has_references;
}

bool hsd_change_is_proven(const hsd_diff *diff, int64_t growth)
{
    return !diff->is_partial || (hsd_growth_is_proven(diff) && growth > 0);
}

static bool is_proven(const hsd_scope *scope, int64_t growth) { return hsd_change_is_proven(diff_of(scope), growth); }

static const char *unless_proven(const hsd_scope *scope)
{
    return !is_markdown(scope) && !is_proven(scope, bytes_of(scope)) ? "?" : NULL;
}
static const char *unless_objects_proven(const hsd_scope *scope)
{
    return !is_markdown(scope) && !is_proven(scope, objects_of(scope)) ? "?" : NULL;
}

/* A change below the noise prints as ~; what is new, gone or unchanged is a fact and stays. */
static const char *unless_noise(const hsd_scope *scope)
{
    const hsd_change *change = row_of(scope)->change;
    const bool is_fact =
        change->before.bytes == change->after.bytes || change->before.bytes == 0 || change->after.bytes == 0;
    if (is_markdown(scope)) return NULL;
    if (!is_proven(scope, bytes_of(scope))) return "?";
    return !is_fact && !row_of(scope)->is_total && hsd_magnitude(bytes_of(scope)) < hsd_model_noise(scope->model)
               ? "~"
               : NULL;
}

static int64_t sign_of_growth(const hsd_scope *scope) { return unless_proven(scope) ? 0 : bytes_of(scope); }
static int64_t sign_of_percent(const hsd_scope *scope) { return unless_noise(scope) ? 0 : bytes_of(scope); }
/* On a screen the growth in bytes is paint enough. */
static int64_t sign_of_objects(const hsd_scope *scope) { return is_text(scope) ? 0 : objects_of(scope); }

static const hsd_column change_columns[] = {
    {"before", HSD_KIND_BYTES, .title = "Before", .get = before_of, .is_known = has_numbers},
    {"after", HSD_KIND_BYTES, .title = "After", .get = after_of, .is_known = has_numbers},
    {"growth", HSD_KIND_GROWTH, .title = "Growth", .get = growth_of, .is_known = has_numbers, .instead = unless_proven,
     .sign = sign_of_growth, .flags = HSD_TO_THE_LAST},
    {"percent", HSD_KIND_PERCENT, .title = "%", .get = percent_of, .is_known = has_numbers, .instead = unless_noise,
     .sign = sign_of_percent},
    {"objects", HSD_KIND_SIGNED, .title = "Objects", .get = more_objects, .is_known = has_numbers,
     .instead = unless_objects_proven, .sign = sign_of_objects},
    {0},
};

/* ---- what came and went, where it is known and there is room ---- */

static bool is_wide(const hsd_scope *scope)
{
    const unsigned width = scope->model->options->width;
    const hsd_diff *diff = scope->result;
    return (width == 0 || width >= WIDE_LINE) && diff->identity_is_known && !diff->is_partial &&
           hsd_churn_is_told(diff);
}

static hsd_value new_of(const hsd_scope *scope)
{
    const hsd_change *change = row_of(scope)->change;
    return hsd_value_growth((int64_t)hsd_change_sure(change, change->new_).bytes);
}
static hsd_value freed_of(const hsd_scope *scope)
{
    const hsd_change *change = row_of(scope)->change;
    return hsd_value_growth(-(int64_t)hsd_change_sure(change, change->freed).bytes);
}

/* A page always has room for them, and they are sizes there. */
static bool knows_new(const hsd_scope *scope) { return hsd_new_is_known(diff_of(scope)); }
static bool knows_freed(const hsd_scope *scope) { return hsd_freed_is_known(diff_of(scope)); }
static hsd_value new_size(const hsd_scope *scope)
{
    const hsd_change *change = row_of(scope)->change;
    return hsd_value_bytes(hsd_change_sure(change, change->new_).bytes);
}
static hsd_value freed_size(const hsd_scope *scope)
{
    const hsd_change *change = row_of(scope)->change;
    return hsd_value_bytes(hsd_change_sure(change, change->freed).bytes);
}

static const hsd_column flow_sizes[] = {
    {"new", HSD_KIND_BYTES, .title = "New", .has = knows_new, .get = new_size},
    {"freed", HSD_KIND_BYTES, .title = "Freed", .has = knows_freed, .get = freed_size},
    {0},
};

/* By how much more rows retain, when they are sorted by that; rows overlap, so there is no sum. */
static bool is_by_retained(const hsd_scope *scope)
{
    return scope->model->options->sort_by == HSD_SORT_RETAINED && diff_of(scope)->has_holders;
}
static int64_t retained(const hsd_scope *scope) { return hsd_rank_row_retained_growth(row_of(scope)->rank); }
static hsd_value retained_of(const hsd_scope *scope) { return hsd_value_growth(retained(scope)); }
static bool has_retained(const hsd_scope *scope) { return !scope->is_rest; }
static const char *unless_retained_proven(const hsd_scope *scope)
{
    return is_proven(scope, retained(scope)) ? NULL : "?";
}
static int64_t sign_of_retained(const hsd_scope *scope) { return unless_retained_proven(scope) ? 0 : retained(scope); }

static const hsd_column flow_columns[] = {
    {"new", HSD_KIND_GROWTH, .title = "New", .has = is_wide, .get = new_of},
    {"freed", HSD_KIND_GROWTH, .title = "Freed", .has = is_wide, .get = freed_of},
    {"retained", HSD_KIND_GROWTH, .title = "Retained", .has = is_by_retained, .get = retained_of,
     .is_known = has_retained, .instead = unless_retained_proven, .sign = sign_of_retained},
    {0},
};

/* ---- a part ---- */

static void begin_growth_row(hsd_growth_table *growth, const hsd_change *total)
{
    growth->total = (hsd_growth_row){.own = *total, .is_total = true};
    growth->total.change = &growth->total.own;
}

static void put_others(hsd_growth_table *growth, const hsd_change *others, uint64_t count, const char *format)
{
    char number[HSD_NUMBER_CHARS];
    growth->others = (hsd_growth_row){.own = *others};
    growth->others.change = &growth->others.own;
    snprintf(growth->others_name, sizeof growth->others_name, "%s %s%s", hsd_format_count(number, count), format,
             count == 1 ? "" : "s");
}

/* `part`: its names and columns. */
static void add_growth_row(hsd_model *model, hsd_growth_table *growth, hsd_part part, uint64_t other_count)
{
    const bool has_aside = growth->aside.change != NULL;
    part.kind = HSD_PART_TABLE;
    part.in = HSD_IN_PEOPLE;
    part.is_set_off = true;
    part.sheet = (hsd_sheet){.rows = {growth->rows, growth->count, sizeof *growth->rows, false},
                             .depth = depth_of,
                             .is_said = is_said,
                             .other_count = other_count,
                             .others = &growth->others,
                             .others_name = growth->others_name,
                             .aside = has_aside ? &growth->aside : NULL,
                             .aside_name = growth->aside_name[0] ? growth->aside_name : NULL,
                             .total = &growth->total};
    hsd_model_add(model, part);
}

static hsd_status take_rows(hsd_growth_table *growth, size_t most, hsd_error *err)
{
    growth->rows = calloc(most + 1, sizeof *growth->rows);
    return growth->rows ? HSD_OK : hsd_fail(err, HSD_E_NOMEM, "no memory for a table of %zu rows", most);
}

static hsd_growth_row *next_row(hsd_growth_table *growth) { return &growth->rows[growth->count++]; }

void hsd_growth_release(hsd_growth_table *growth)
{
    hsd_ranking_release(&growth->ranking);
    free(growth->rows);
    free(growth->sites);
}

/* ---- by type, by root ---- */

static hsd_status name_of_rank(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    const hsd_text name = row_of(scope)->rank->name;
    return hsd_buffer_append(text, name.data, name.size, err);
}

#define NUMBERS_OF_RANKS                                                                                               \
    {NULL, HSD_KIND_SPREAD, .columns = change_columns},                                                                \
        {NULL, HSD_KIND_SPREAD, .in = HSD_IN_TEXT, .columns = flow_columns},                                           \
        {NULL, HSD_KIND_SPREAD, .in = HSD_IN_HTML, .columns = flow_sizes},                                             \
    {                                                                                                                  \
        0                                                                                                              \
    }

static const hsd_column type_columns[] = {{"type", HSD_KIND_WORDS, .title = "Type", .words = name_of_rank},
                                          NUMBERS_OF_RANKS};
static const hsd_column root_columns[] = {{"root", HSD_KIND_WORDS, .title = "Root", .words = name_of_rank},
                                          NUMBERS_OF_RANKS};

static hsd_status rank(hsd_growth_table *growth, const hsd_model *model, const hsd_model_request *request,
                       hsd_report_table table)
{
    const size_t asked = request->options->top,
                 top = hsd_model_rows(model, table == HSD_TABLE_TYPES ? TYPES_SHOWN : ROOTS_SHOWN);
    const uint64_t noise = hsd_model_noise(model), quiet = model->format == HSD_AS_TEXT
                                                               ? (top == HSD_TOP_ALL ? 1 : noise)
                                                           : asked > 0 || model->format == HSD_AS_HTML ? 0
                                                                                                       : noise;
    return hsd_ranking_init(&growth->ranking, model->result, table, request->options->sort_by, top, quiet,
                            top != HSD_TOP_ALL && model->format != HSD_AS_HTML, request->err);
}

/* Types of the runtime's own code: one row, below those of the program. */
static void put_code(hsd_growth_table *growth)
{
    const hsd_ranking *ranking = &growth->ranking;
    if (ranking->code_count == 0) return;
    growth->aside = (hsd_growth_row){.change = &ranking->code, .rank = &ranking->rows[ranking->count]};
    hsd_rank_code_text(ranking, growth->aside_name);
}

hsd_status hsd_growth_add_ranking(hsd_model *model, hsd_growth_table *growth, const hsd_model_request *request,
                                  hsd_report_table table, bool *folded)
{
    const hsd_diff *diff = model->result;
    const hsd_ranking *ranking = &growth->ranking;
    const bool is_types = table == HSD_TABLE_TYPES, is_on_screen = model->format == HSD_AS_TEXT;
    const hsd_part part = is_types ? (hsd_part){.member = "types",
                                                .title = "Growth by type",
                                                .one = "type",
                                                .many = "types",
                                                .columns = type_columns}
                                   : (hsd_part){.member = "roots",
                                                .title = "Growth by root",
                                                .one = "root",
                                                .many = "roots",
                                                .columns = root_columns};
    char words[32];
    if ((is_on_screen || !is_types) && (is_types ? diff->type_count : diff->root_count) == 0) return HSD_OK;
    HSD_TRY(rank(growth, model, request, table));
    if (folded)
        *folded |= (ranking->shown < ranking->count && !ranking->others_are_unchanged) || ranking->code_count > 1;
    /* a table of unchanged rows says nothing on a screen */
    if (is_on_screen && ranking->shown == 0 && hsd_change_is_none(&ranking->code)) return HSD_OK;
    HSD_TRY(take_rows(growth, ranking->shown, request->err));
    for (size_t i = 0; i < ranking->shown; i++)
        *next_row(growth) = (hsd_growth_row){.change = ranking->rows[i].change, .rank = &ranking->rows[i]};
    begin_growth_row(growth, &diff->total);
    snprintf(words, sizeof words, "%s %s", is_on_screen && ranking->others_are_unchanged ? "unchanged" : "other",
             part.one);
    put_others(growth, &ranking->others, ranking->count - ranking->shown, words);
    put_code(growth);
    add_growth_row(model, growth, part, ranking->count - ranking->shown);
    return HSD_OK;
}

/* ---- callers ---- */

static void put_more(hsd_growth_table *growth, size_t more)
{
    if (more > 0) *next_row(growth) = (hsd_growth_row){.more = more};
}

/* At most `most` of them, and two lines that say how many are left out. */
static void put_callers(hsd_growth_table *growth, const hsd_site_frame *frames, size_t count, size_t wanted,
                        size_t most, bool says_more)
{
    const hsd_callers callers = hsd_site_callers(frames, count, wanted, most);
    for (size_t i = 1; i <= callers.first; i++)
        *next_row(growth) = (hsd_growth_row){.frame = &frames[wanted + i]};
    put_more(growth, callers.before);
    if (callers.own > 0) *next_row(growth) = (hsd_growth_row){.frame = &frames[callers.own]};
    if (says_more) put_more(growth, callers.more - callers.before);
}

/* HTML has a list of them, so they need no mark. */
static hsd_status append_caller(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    if (is_text(scope)) HSD_TRY(hsd_buffer_append(text, "< ", 2, err));
    return hsd_site_frame_append(text, row_of(scope)->frame, err);
}

/* ---- by site ---- */

static hsd_status append_more(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    const hsd_growth_row *row = scope->row;
    char more[48];
    snprintf(more, sizeof more, "%s%zu more",
             !is_text(scope)                   ? ""
             : scope->model->options->use_utf8 ? "\xe2\x80\xa6 "
                                               : "... ",
             row->more);
    return hsd_buffer_append(text, more, strlen(more), err);
}

static hsd_status name_of_site(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    const hsd_growth_row *row = scope->row;
    if (row->site) return hsd_site_append(text, row->site, err);
    return row->frame ? append_caller(text, scope, err) : append_more(text, scope, err);
}

static void tell_frame(hsd_out *out, hsd_escape_form form, const hsd_site_frame *frame)
{
    hsd_buffer raw = {0};
    if (out->status == HSD_OK) out->status = hsd_site_frame_append(&raw, frame, out->err);
    hsd_out_name(out, form, (hsd_text){(const char *)raw.data, raw.size});
    hsd_buffer_release(&raw);
}

static void tell_caller(hsd_out *out, hsd_escape_form form, const hsd_site_frame *frame)
{
    hsd_out_text(out, " ← ");
    tell_frame(out, form, frame);
}

/* "`main.fill (main.go:31)` ← `main.handle (main.go:12)`", the innermost first. */
static void tell_stack(hsd_out *out, const hsd_scope *scope, hsd_escape_form form)
{
    const hsd_site_row *row = row_of(scope)->site;
    const hsd_callers callers = hsd_site_callers(row->frames, row->frame_count, row->wanted, HSD_CALLERS_SHOWN);
    if (row->frame_count == 0) {
        hsd_out_text(out, "(no stack)");
        return;
    }
    tell_frame(out, form, &row->frames[row->wanted]);
    for (size_t i = 1; i <= callers.first; i++)
        tell_caller(out, form, &row->frames[row->wanted + i]);
    if (callers.before > 0) hsd_out_format(out, " ← %zu more", callers.before);
    if (callers.own > 0) tell_caller(out, form, &row->frames[callers.own]);
    if (callers.more > callers.before) hsd_out_format(out, " ← %zu more", callers.more - callers.before);
}

static const hsd_column site_columns[] = {
    {"site", HSD_KIND_WORDS, .in = HSD_IN_TEXT | HSD_IN_HTML, .title = "Site", .words = name_of_site},
    {"site", HSD_KIND_TOLD, .in = HSD_IN_MARKDOWN, .title = "Where it was allocated", .tell = tell_stack},
    {NULL, HSD_KIND_SPREAD, .columns = change_columns},
    {0},
};

static void put_site(hsd_growth_table *growth, const hsd_site_row *site, bool has_lines)
{
    *next_row(growth) = (hsd_growth_row){.change = &site->change, .site = site};
    if (has_lines && site->frame_count > 0)
        put_callers(growth, site->frames, site->frame_count, site->wanted, HSD_CALLERS_SHOWN, true);
}

static hsd_status take_sites(hsd_growth_table *growth, const hsd_diff *diff, hsd_error *err)
{
    growth->sites = calloc(diff->site_count + 1, sizeof *growth->sites);
    return growth->sites ? HSD_OK : hsd_fail(err, HSD_E_NOMEM, "no memory for a table of %zu rows", diff->site_count);
}

hsd_status hsd_growth_add_sites(hsd_model *model, hsd_growth_table *growth, const hsd_model_request *request,
                                bool *folded)
{
    const hsd_diff *diff = model->result;
    const size_t top = request->options->top;
    const bool is_on_screen = model->format == HSD_AS_TEXT;
    if (is_on_screen && !diff->has_sites) return HSD_OK;
    /* with --top whatever changed is worth a row, else on a screen what changed by more than noise */
    const uint64_t least = top == HSD_TOP_ALL ? 0 : is_on_screen && top == 0 ? hsd_model_noise(model) : 1;
    HSD_TRY(take_sites(growth, diff, request->err));
    hsd_diff told = *diff;
    told.sites = growth->sites;
    told.site_count = hsd_sites_merge(diff->sites, diff->site_count, growth->sites);
    const hsd_site_pick pick = hsd_sites_pick(&told, hsd_model_rows(model, HSD_SITES_SHOWN), least);
    if (pick.count == 0) return HSD_OK;
    HSD_TRY(take_rows(growth, pick.count * (HSD_CALLERS_SHOWN + 3), request->err));
    for (size_t i = 0; i < pick.count; i++)
        put_site(growth, hsd_site_pick_row(&pick, i), model->format != HSD_AS_MARKDOWN);
    begin_growth_row(growth, &diff->total);
    put_others(growth, &pick.others, pick.other_count, "other site");
    if (folded) *folded |= pick.has_folded;
    add_growth_row(model, growth,
                   (hsd_part){.member = "sites",
                              .title = "Where it was allocated",
                              .one = "site",
                              .many = "sites",
                              .columns = site_columns},
                   pick.other_count);
    return HSD_OK;
}

/* ---- what is lost ---- */

static hsd_status name_of_lost(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    const hsd_growth_row *row = scope->row;
    if (row->frame) return append_caller(text, scope, err);
    if (row->lost == NULL) return append_more(text, scope, err);
    return row->is_what ? hsd_lost_what_append(text, row->lost, err) : hsd_lost_place_append(text, row->lost, err);
}

/* "`Parser::field (lost.cpp:5)`: `<=256 B at Parser::field`". */
static void tell_lost(hsd_out *out, const hsd_scope *scope, hsd_escape_form form)
{
    const hsd_lost_row *row = row_of(scope)->lost;
    hsd_buffer what = {0};
    if (out->status == HSD_OK) out->status = hsd_lost_what_append(&what, row, out->err);
    if (row->place.size > 0) {
        hsd_out_name(out, form, row->place);
        hsd_out_text(out, ": ");
    }
    hsd_out_name(out, form, (hsd_text){(const char *)what.data, what.size});
    hsd_buffer_release(&what);
}

static const hsd_column lost_columns[] = {
    {"lost", HSD_KIND_WORDS, .in = HSD_IN_TEXT | HSD_IN_HTML, .title = "Lost", .words = name_of_lost},
    {"lost", HSD_KIND_TOLD, .in = HSD_IN_MARKDOWN, .title = "Lost", .tell = tell_lost},
    {NULL, HSD_KIND_SPREAD, .columns = change_columns},
    {0},
};

/* Rows of less than a tenth of the noise say nothing on a screen; with --top whatever grew does. */
static hsd_lost_pick choose_growth_row(const hsd_model *model, const hsd_lost *lost, size_t usual)
{
    const size_t top = model->options->top;
    const uint64_t noise = hsd_model_noise(model);
    return hsd_lost_choose(lost, hsd_model_rows(model, usual),
                           model->format == HSD_AS_TEXT && top == 0 ? noise / 10 : 1);
}

static hsd_growth_row *put_lost(hsd_growth_table *growth, const hsd_lost_row *lost)
{
    hsd_growth_row *row = next_row(growth);
    *row = (hsd_growth_row){.lost = lost, .own = hsd_lost_change(lost)};
    row->change = &row->own;
    return row;
}

static void put_lost_lines(hsd_growth_table *growth, const hsd_lost_row *lost)
{
    if (hsd_lost_frame(lost) != NULL) *next_row(growth) = (hsd_growth_row){.lost = lost, .is_what = true};
    if (lost->frame_count > 0) put_callers(growth, lost->frames, lost->frame_count, lost->wanted, CALLERS_SHOWN, false);
}

/* The sum is a change as those of rows are: a page has what is lost also where the sum is noise. */
static void end_lost(hsd_growth_table *growth, const hsd_model *model, const hsd_lost_pick *pick, const char *words,
                     bool *folded)
{
    const hsd_change total = hsd_lost_total(model->result), others = hsd_lost_change(&pick->others);
    begin_growth_row(growth, &total);
    growth->total.is_total = false;
    put_others(growth, &others, pick->other_count, words);
    if (model->format == HSD_AS_HTML) snprintf(growth->others_name, sizeof growth->others_name, "Others");
    if (folded) *folded |= pick->has_folded;
}

/* In a page each table has its section, so what grew at all is there. */
static bool is_lost_told(const hsd_model *model)
{
    const hsd_diff *diff = model->result;
    if (model->format != HSD_AS_HTML) return hsd_lost_matters(diff, hsd_model_noise(model));
    return diff->lost.row_count > 0 && hsd_lost_growth(&diff->lost.rows[0]) > 0;
}

hsd_status hsd_growth_add_lost(hsd_model *model, hsd_growth_table *growth, const hsd_model_request *request,
                               bool *folded)
{
    const hsd_diff *diff = model->result;
    const bool is_on_screen = model->format == HSD_AS_TEXT, is_page = model->format == HSD_AS_HTML;
    if (!is_lost_told(model)) return HSD_OK;
    const hsd_lost_pick pick = choose_growth_row(model, &diff->lost, HSD_LOST_SHOWN);
    HSD_TRY(take_rows(growth, pick.count * (CALLERS_SHOWN + 3), request->err));
    for (size_t i = 0; i < pick.count; i++) {
        const hsd_lost_row *lost = &diff->lost.rows[i];
        put_lost(growth, lost)->is_what = lost->place.size == 0;
        if (is_on_screen) put_lost_lines(growth, lost);
        if (is_page && lost->place.size > 0) *next_row(growth) = (hsd_growth_row){.lost = lost, .is_what = true};
    }
    end_lost(growth, model, &pick, is_on_screen ? "other" : "other row", folded);
    add_growth_row(model, growth,
                   (hsd_part){.member = "lost",
                              .title = "Lost: no pointer to it is left",
                              .one = "row",
                              .many = "rows",
                              .columns = lost_columns},
                   pick.other_count);
    return HSD_OK;
}

/* ---- what is not collected yet ---- */

/* "12 of those before, 1.2 KiB, are live again". */
static bool revived_of(const hsd_scope *scope, char words[HSD_REVIVED_CHARS])
{
    char size[HSD_NUMBER_CHARS];
    const hsd_lost_row *row = row_of(scope)->lost;
    const uint64_t bytes = row->revived.bytes;
    const bool is_exact = scope->model->options->exact_bytes;
    return hsd_uncollected_revived(row, is_exact ? hsd_format_exact(size, bytes) : hsd_format_bytes(size, bytes),
                                   words);
}

static hsd_status name_of_uncollected(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    const hsd_growth_row *row = scope->row;
    char words[HSD_REVIVED_CHARS];
    if (!row->is_revived) return hsd_buffer_append(text, row->lost->type.data, row->lost->type.size, err);
    revived_of(scope, words);
    return hsd_buffer_append(text, words, strlen(words), err);
}

static void tell_uncollected(hsd_out *out, const hsd_scope *scope, hsd_escape_form form)
{
    char words[HSD_REVIVED_CHARS];
    hsd_out_name(out, form, row_of(scope)->lost->type);
    if (revived_of(scope, words)) hsd_out_format(out, ", %s", words);
}

static const hsd_column uncollected_columns[] = {
    {"type", HSD_KIND_WORDS, .in = HSD_IN_TEXT, .title = "Not yet collected", .words = name_of_uncollected},
    {"type", HSD_KIND_WORDS, .in = HSD_IN_HTML, .title = "Type", .words = name_of_uncollected},
    {"type", HSD_KIND_TOLD, .in = HSD_IN_MARKDOWN, .title = "Not yet collected", .tell = tell_uncollected},
    {NULL, HSD_KIND_SPREAD, .columns = change_columns},
    {0},
};

hsd_status hsd_growth_add_uncollected(hsd_model *model, hsd_growth_table *growth, const hsd_model_request *request,
                                      bool *folded)
{
    const hsd_diff *diff = model->result;
    const bool is_on_screen = model->format == HSD_AS_TEXT, is_page = model->format == HSD_AS_HTML;
    if (!hsd_uncollected_matters(diff, hsd_model_noise(model))) return HSD_OK;
    const hsd_lost_pick pick =
        choose_growth_row(model, &diff->uncollected, is_page ? HSD_LOST_SHOWN : HSD_UNCOLLECTED_SHOWN);
    HSD_TRY(take_rows(growth, 2 * pick.count, request->err));
    for (size_t i = 0; i < pick.count; i++) {
        const hsd_lost_row *lost = &diff->uncollected.rows[i];
        put_lost(growth, lost);
        if ((is_on_screen || is_page) && lost->revived.objects > 0)
            *next_row(growth) = (hsd_growth_row){.lost = lost, .is_revived = true};
    }
    end_lost(growth, model, &pick, is_on_screen ? "other" : "other type", folded);
    add_growth_row(model, growth,
                   (hsd_part){.member = "uncollected",
                              .title = "Not yet collected: no root reaches it",
                              .one = "type",
                              .many = "types",
                              .columns = uncollected_columns},
                   pick.other_count);
    return HSD_OK;
}

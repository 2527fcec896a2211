/*
 * Rows by allocation site: what is lost, and what is live. Stacks and cycles of two captures meet by what they say
 * (totals/site_table.h).
 *
 *      tally of a side, by head ──one group a head──► sums by (type, cycle, site) ──spelling──► rows of both sides
 */
#include "totals/allocated_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "graph/lost.h"
#include "totals/lost_types.h"
#include "totals/site_search.h"
#include "totals/sites_all.h"

#define CYCLE_TYPES 6u

typedef struct sum_key {
    uint32_t type, cycle, site;
} sum_key;

typedef struct lost_sum { /* of one side: heads of one type from one site */
    sum_key key;
    hsd_amount heads, all;
} lost_sum;

typedef struct lost_side {
    hsd_names keys; /* sum_key -> place in sums */
    lost_sum *sums;
    uint32_t capacity;
    hsd_site_table sites;
} lost_side;

typedef struct rows { /* of both sides */
    const hsd_names *types;
    const hsd_run *run;
    hsd_diff_store *store;
    hsd_names cycles; /* number 0: none */
    hsd_names keys;   /* type, cycle, spelling -> place in items */
    hsd_lost_row *items;
    uint32_t capacity;
} rows;

static void add_allocated_row(hsd_amount *to, hsd_amount amount)
{
    to->objects = hsd_add_saturating(to->objects, amount.objects);
    to->bytes = hsd_add_saturating(to->bytes, amount.bytes);
}

/* ---- one head and what hangs below it ---- */

typedef struct group {
    hsd_node head;
    bool is_there, is_round;
    uint32_t type, site; /* of the object that stands for it */
    hsd_amount own, all;
    uint32_t types[CYCLE_TYPES]; /* round the cycle, by name */
    uint32_t type_count;
} group;

static int compare_types(const rows *r, uint32_t a, uint32_t b)
{
    const hsd_bytes x = hsd_names_get(r->types, a), y = hsd_names_get(r->types, b);
    return hsd_store_compare((hsd_text){(const char *)x.data, x.size}, (hsd_text){(const char *)y.data, y.size});
}

static void take_cycle_type(const rows *r, group *g, uint32_t type)
{
    uint32_t at = 0;
    while (at < g->type_count && compare_types(r, g->types[at], type) < 0)
        at++;
    if ((at < g->type_count && g->types[at] == type) || g->type_count == CYCLE_TYPES) return;
    memmove(&g->types[at + 1], &g->types[at], (g->type_count - at) * sizeof *g->types);
    g->types[at] = type;
    g->type_count++;
}

/* Of those round a cycle the largest one stands for it: it has the name and the stack, so that captures agree which one
 * it is. */
static void take_head(const rows *r, group *g, const uint64_t *key, hsd_amount amount)
{
    const hsd_amount one = {1, amount.bytes / hsd_max_u64(amount.objects, 1)};
    const uint32_t type = hsd_lost_key_type(key);
    const bool is_larger =
        one.bytes > g->own.bytes || (one.bytes == g->own.bytes && compare_types(r, type, g->type) < 0);
    if (g->is_there && !is_larger) return;
    g->type = type;
    g->site = hsd_lost_key_site(key);
    g->own = one;
    g->is_there = true;
}

/* Heads stand first; where one does not count (a part of something, a node that is no object) the next stands for it.
 */
static void take_part(const rows *r, group *g, const uint64_t *key, hsd_amount amount)
{
    const hsd_lost_part part = hsd_lost_key_part(key);
    add_allocated_row(&g->all, amount);
    if (part == HSD_LOST_ROUND) {
        g->is_round = true;
        take_cycle_type(r, g, hsd_lost_key_type(key));
    }
    if (part == HSD_LOST_ROUND || !g->is_there) take_head(r, g, key, amount);
}

static hsd_status name_cycle(rows *r, const group *g, uint32_t *out, hsd_error *err)
{
    static const char between[] = " and ";
    hsd_buffer text = {0};
    hsd_status status = HSD_OK;
    for (uint32_t i = 0; i < g->type_count && status == HSD_OK; i++) {
        const hsd_bytes name = hsd_names_get(r->types, g->types[i]);
        if (i > 0) status = hsd_buffer_append(&text, between, sizeof between - 1, err);
        if (status == HSD_OK) status = hsd_buffer_append(&text, name.data, name.size, err);
    }
    if (status == HSD_OK) status = hsd_names_put(&r->cycles, (hsd_bytes){text.data, text.size}, out, err);
    hsd_buffer_release(&text);
    return status;
}

static hsd_status end_group(rows *r, lost_side *side, const group *g, hsd_error *err)
{
    sum_key key = {.type = g->type, .site = g->site};
    uint32_t at;
    if (g->all.objects == 0) return HSD_OK;
    HSD_TRY(name_cycle(r, g, &key.cycle, err));
    HSD_TRY(hsd_names_put(&side->keys, (hsd_bytes){(const uint8_t *)&key, sizeof key}, &at, err));
    HSD_TRY(HSD_ARRAY_GROW_ZEROED(side->sums, side->capacity, (uint64_t)at + 1, 64, "what is lost", err));
    side->sums[at].key = key;
    add_allocated_row(&side->sums[at].heads, g->own);
    add_allocated_row(&side->sums[at].all, g->all);
    return HSD_OK;
}

static hsd_status sum_heads(rows *r, lost_side *side, hsd_tally *tally, hsd_error *err)
{
    group g = {.head = 0};
    for (;;) {
        const uint64_t *key;
        hsd_amount amount;
        const hsd_status status = hsd_tally_next(tally, &key, &amount, err);
        if (status == HSD_END) return end_group(r, side, &g, err);
        HSD_TRY(status);
        const bool is_alone = hsd_lost_key_head(key) == HSD_LOST_ALONE;
        if (is_alone || hsd_lost_key_head(key) != g.head) {
            HSD_TRY(end_group(r, side, &g, err));
            g = (group){.head = hsd_lost_key_head(key)};
        }
        take_part(r, &g, key, amount);
        if (is_alone) g.own = amount; /* each of them is a head */
    }
}

/* ---- both sides ---- */

/* "Parser::field (lost.cpp:5)": what rules of a check are held against. */
static hsd_status name_place(rows *r, hsd_lost_row *row, hsd_error *err)
{
    const hsd_site_frame *frame = &row->frames[row->wanted];
    const size_t room = frame->function.size + frame->file.size + 16;
    char *text = hsd_arena_take(&r->store->arena, room);
    if (text == NULL) return hsd_fail_nomem(err, "what is lost");
    const char *slash = strrchr(frame->file.data, '/'), *file = slash != NULL ? slash + 1 : frame->file.data;
    const int size = frame->line > 0 && frame->file.size > 0
                         ? snprintf(text, room, "%s (%s:%u)", frame->function.data, file, (unsigned)frame->line)
                     : frame->file.size > 0 ? snprintf(text, room, "%s (%s)", frame->function.data, file)
                                            : snprintf(text, room, "%s", frame->function.data);
    row->place = (hsd_text){text, size > 0 ? (size_t)size : 0};
    return HSD_OK;
}

static hsd_status add_row(rows *r, const lost_sum *sum, hsd_bytes spelled, bool is_after, hsd_error *err)
{
    uint32_t at;
    const uint32_t known = r->keys.count;
    HSD_TRY(hsd_names_put(&r->keys, spelled, &at, err));
    HSD_TRY(HSD_ARRAY_GROW_ZEROED(r->items, r->capacity, (uint64_t)at + 1, 64, "what is lost", err));
    hsd_lost_row *row = &r->items[at];
    add_allocated_row(is_after ? &row->after : &row->before, sum->all);
    add_allocated_row(is_after ? &row->heads_after : &row->heads_before, sum->heads);
    if (r->keys.count == known) return HSD_OK;
    HSD_TRY(hsd_store_text(r->store, hsd_names_get(r->types, sum->key.type), &row->type, err));
    HSD_TRY(hsd_store_text(r->store, hsd_names_get(&r->cycles, sum->key.cycle), &row->cycle, err));
    row->place = (hsd_text){"", 0};
    const size_t head = 2 * sizeof(uint32_t);
    const hsd_bytes stack = {spelled.data + head, spelled.size - head};
    if (stack.size == 0) return HSD_OK;
    HSD_TRY(hsd_site_frames_of(stack, r->store, &row->frames, &row->frame_count, err));
    row->wanted = hsd_site_wanted(row->frames, row->frame_count);
    return name_place(r, row, err);
}

static hsd_status spell_row(rows *r, lost_side *side, const lost_sum *sum, hsd_buffer *spelling, bool is_after,
                            hsd_error *err)
{
    const uint32_t head[2] = {sum->key.type, sum->key.cycle};
    hsd_buffer_clear(spelling);
    HSD_TRY(hsd_buffer_append(spelling, head, sizeof head, err));
    HSD_TRY(hsd_site_table_spell(&side->sites, sum->key.site, spelling, err));
    return add_row(r, sum, (hsd_bytes){spelling->data, spelling->size}, is_after, err);
}

static hsd_status load_stacks(const rows *r, lost_side *side, hsd_side_walk *walk, hsd_error *err)
{
    /* they stay unknown, and the answer stands without */
    if (!hsd_site_table_fits(walk->info, r->run)) return HSD_OK;
    HSD_TRY(hsd_site_table_load(&side->sites, walk->request->capture, err));
    for (uint32_t i = 0; i < side->keys.count; i++)
        HSD_TRY(hsd_site_table_want(&side->sites, side->sums[i].key.site, err));
    return hsd_site_table_texts(&side->sites, walk->request->capture, err);
}

static hsd_status fill_side(rows *r, lost_side *side, hsd_side_walk *walk, bool is_after, hsd_error *err)
{
    hsd_buffer spelling = {0};
    if (walk->allocated == NULL || walk->allocated->lost == NULL) return HSD_OK;
    HSD_TRY(sum_heads(r, side, walk->allocated->lost, err));
    HSD_TRY(load_stacks(r, side, walk, err));
    hsd_status status = HSD_OK;
    for (uint32_t i = 0; i < side->keys.count && status == HSD_OK; i++)
        status = spell_row(r, side, &side->sums[i], &spelling, is_after, err);
    hsd_buffer_release(&spelling);
    return status;
}

static hsd_status add_side(rows *r, hsd_side_walk *walk, bool is_after, hsd_error *err)
{
    lost_side side = {.sums = NULL};
    const hsd_status status = fill_side(r, &side, walk, is_after, err);
    hsd_names_release(&side.keys);
    hsd_site_table_release(&side.sites);
    free(side.sums);
    return status;
}

/* ---- the result ---- */

static hsd_status make_rows(rows *r, hsd_side_walk *const *sides, unsigned side_count, hsd_lost *out, hsd_error *err)
{
    uint32_t none;
    HSD_TRY(hsd_names_put(&r->cycles, (hsd_bytes){(const uint8_t *)"", 0}, &none, err));
    for (unsigned i = 0; i < side_count; i++)
        HSD_TRY(add_side(r, sides[i], i + 1 == side_count, err));
    return hsd_lost_keep(out, r->items, r->keys.count, r->store, err);
}

hsd_status hsd_lost_rows(hsd_side_walk *const *sides, unsigned side_count, const hsd_names *types, const hsd_run *run,
                         hsd_diff_store *store, hsd_lost *out, hsd_error *err)
{
    rows r = {.types = types, .run = run, .store = store};
    *out = (hsd_lost){.is_known = true};
    for (unsigned i = 0; i < side_count; i++)
        out->is_known = out->is_known && sides[i]->request->want_lost && hsd_side_loses(sides[i]);
    if (!out->is_known) return HSD_OK;
    const hsd_status status = make_rows(&r, sides, side_count, out, err);
    hsd_names_release(&r.cycles);
    hsd_names_release(&r.keys);
    free(r.items);
    return status;
}

/* ---- what is live ---- */

static hsd_status put_live(hsd_site_search *s, hsd_site_table *table, const hsd_site_live *live, int side,
                           hsd_buffer *spelling, hsd_error *err)
{
    uint32_t stack;
    hsd_buffer_clear(spelling);
    HSD_TRY(hsd_site_table_spell(table, live->site, spelling, err));
    if (spelling->size == 0) return HSD_OK; /* in the row of what is not known */
    HSD_TRY(hsd_names_put(&s->stacks, (hsd_bytes){spelling->data, spelling->size}, &stack, err));
    HSD_TRY(HSD_ARRAY_GROW_ZEROED(s->rows, s->row_capacity, (uint64_t)stack + 1, 64, "what is lost", err));
    s->row_count = s->stacks.count;
    s->rows[stack].stack = stack;
    add_allocated_row(&s->rows[stack].amounts[side], live->amount);
    return HSD_OK;
}

static hsd_status put_all_live(hsd_site_search *s, hsd_site_table *table, hsd_side_walk *walk, int side, hsd_error *err)
{
    const hsd_allocated *a = walk->allocated;
    hsd_buffer spelling = {0};
    hsd_status status = hsd_site_table_load(table, walk->request->capture, err);
    for (uint32_t i = 0; i < a->live_count && status == HSD_OK; i++)
        status = hsd_site_table_want(table, a->live[i].site, err);
    if (status == HSD_OK) status = hsd_site_table_texts(table, walk->request->capture, err);
    for (uint32_t i = 0; i < a->live_count && status == HSD_OK; i++)
        status = put_live(s, table, &a->live[i], side, &spelling, err);
    hsd_buffer_release(&spelling);
    return status;
}

hsd_status hsd_live_sites(hsd_side_walk *const sides[2], hsd_diff *diff, hsd_error *err)
{
    hsd_site_search s = {.is_over_all = true};
    hsd_status status = HSD_OK;
    for (int side = 0; side < 2 && status == HSD_OK; side++) {
        hsd_site_table table = {.count = 0};
        if (!sides[side]->request->want_sites || sides[side]->allocated == NULL) continue;
        status = put_all_live(&s, &table, sides[side], side, err);
        hsd_site_table_release(&table);
    }
    if (status == HSD_OK) status = hsd_sites_rows(&s, diff, err);
    hsd_site_search_release(&s);
    return status;
}

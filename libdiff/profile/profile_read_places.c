/*
 * The places of a baseline. Their order was held by the record reader: parents come before children, none is deeper
 * than a cut can order. Places that read alike below one parent become one, with all that hangs from them, so that a
 * path leads to one row.
 *
 *      records ──(parent, edge, type)──► number of each distinct place ──► sums ──► the heaviest as rows
 */
#include "profile/profile_read.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include <hscapture/hscapture.h>

typedef struct read_place {
    uint32_t parent, edge, type, depth; /* as in hsd_trie_node */
    bool can_hold;
    hsd_amount own, all;
} read_place;

typedef struct places {
    read_place *list;
    uint32_t *number_of; /* of each record */
    uint32_t records, count;
    hsd_names keys;
    uint32_t item; /* text [*]; HSD_NAME_NONE = nothing reads so */
    hsd_amount *all;
} places;

#define KEY_BYTES_MOST 64u /* of an interned key, with its share of the tables */

uint64_t hsd_profile_reading_bytes(const hsd_profile_reading *r)
{
    const uint64_t rows = hsd_min_u64(hsd_profile_most_places(r->options), r->info->places);
    return r->info->places * (sizeof(read_place) + sizeof(uint32_t) + KEY_BYTES_MOST) + hsd_profile_place_bytes(rows);
}

static hsd_status want_baseline_place(hsd_profile_reading *r, void *context, const hsd_record *record, hsd_error *err)
{
    const hsd_place_total *place = &record->place_total;
    (void)context;
    HSD_TRY(hsd_texts_want(&r->texts, place->edge, err));
    return place->flags & HSC_PLACE_IS_ROOT ? hsd_texts_want(&r->texts, place->name, err) : HSD_OK;
}

hsd_status hsd_profile_want_places(hsd_profile_reading *r, hsd_error *err)
{
    return hsd_profile_each_record(r, HSD_RECORD_PLACE, want_baseline_place, NULL, err);
}

/* ---- one place ---- */

/* Each text has two numbers, the odd one leads into a container: that of hsd_edge_names below. */
static uint32_t edge_of(const hsd_profile_reading *r, const places *p, const hsd_place_total *place)
{
    const uint32_t text = hsd_profile_text_number(r, place->edge);
    if (place->flags & HSC_PLACE_IS_FOLD) return 2 * text + 1;
    if (text == p->item) return HSD_TRIE_ANY;
    return text == 0 ? HSD_TRIE_INDIRECT : 2 * text;
}

static uint32_t type_of(const hsd_profile_reading *r, const hsd_place_total *place)
{
    if (place->number == 0) return 0;
    if (place->flags & HSC_PLACE_IS_ROOT) return hsd_profile_text_number(r, place->name) | HSD_TRIE_IS_ROOT;
    return hsd_type_common(&r->table, place->name);
}

static hsd_status take_baseline_place(hsd_profile_reading *r, void *context, const hsd_record *record, hsd_error *err)
{
    places *p = context;
    const hsd_place_total *place = &record->place_total;
    const uint32_t parent = place->number == 0 ? 0 : p->number_of[place->parent];
    const uint32_t key[] = {place->number > 0, parent, edge_of(r, p, place), type_of(r, place)};
    uint32_t number;
    if (place->number >= p->records) return hsd_profile_contradiction(r, err, "it has more places than it counts");
    HSD_TRY(hsd_names_put(&p->keys, (hsd_bytes){(const uint8_t *)key, sizeof key}, &number, err));
    read_place *at = &p->list[number];
    if (number == p->count) {
        *at = (read_place){.parent = parent, .edge = key[2], .type = key[3], .depth = place->depth, .can_hold = true};
        p->count++;
    }
    at->can_hold = at->can_hold && (place->flags & HSC_PLACE_CAN_HOLD) != 0;
    p->number_of[place->number] = number;
    HSD_TRY(hsd_profile_add(r, p->all, place->objects, place->bytes, err));
    return hsd_profile_add(r, &at->own, place->objects, place->bytes, err);
}

/* None overflows where their whole did not. */
static void add_up_baseline_place(places *p)
{
    for (uint32_t i = p->count; i-- > 0;) {
        read_place *at = &p->list[i], *parent = &p->list[at->parent];
        at->all.objects += at->own.objects;
        at->all.bytes += at->own.bytes;
        if (i == 0) return;
        parent->all.objects += at->all.objects;
        parent->all.bytes += at->all.bytes;
    }
}

/* ---- rows ---- */

static void get_baseline_place(void *context, uint32_t node, hsd_trie_node *out)
{
    const read_place *at = &((const places *)context)->list[node];
    *out = (hsd_trie_node){.parent = at->parent,
                           .edge = at->edge,
                           .type = at->type,
                           .depth = at->depth,
                           .own = {.after = at->own},
                           .all = {.after = at->all}};
}

static bool baseline_place_can_hold(const void *context, const hsd_trie_kept *place)
{
    return ((const places *)context)->list[place->number].can_hold;
}

static hsd_status name_edges(const hsd_names *texts, hsd_edge_names *edges, hsd_error *err)
{
    edges->count = 2 * texts->count;
    edges->texts = calloc((size_t)edges->count + 1, sizeof *edges->texts);
    edges->is_fold = calloc((size_t)edges->count + 1, sizeof *edges->is_fold);
    if (edges->texts == NULL || edges->is_fold == NULL) return hsd_fail_nomem(err, "the places of a baseline");
    for (uint32_t i = 0; i < edges->count; i++) {
        edges->texts[i] = hsd_names_get(texts, i / 2);
        edges->is_fold[i] = i % 2;
    }
    return HSD_OK;
}

static hsd_status make_rows(hsd_profile_reading *r, places *p, hsd_error *err)
{
    hsd_edge_names edges = {0};
    const hsd_trie_source source = {.context = p, .count = p->count, .get = get_baseline_place};
    const hsd_profile_names names = {.types = &r->types.names,
                                     .roots = &r->texts.names,
                                     .edges = &edges,
                                     .context = p,
                                     .can_hold = baseline_place_can_hold};
    const uint32_t most = hsd_profile_most_places(r->options);
    hsd_status status = name_edges(&r->texts.names, &edges, err);
    if (status == HSD_OK) status = hsd_profile_places(r->profile, &source, &names, most, err);
    hsd_edge_names_release(&edges);
    return status;
}

static hsd_status read_all_baseline_places(hsd_profile_reading *r, places *p, hsd_error *err)
{
    p->records = (uint32_t)r->info->places;
    p->item = hsd_names_find(&r->texts.names, (hsd_bytes){(const uint8_t *)"[*]", 3});
    p->list = calloc((size_t)p->records + 1, sizeof *p->list);
    p->number_of = calloc((size_t)p->records + 1, sizeof *p->number_of);
    if (p->list == NULL || p->number_of == NULL) return hsd_fail_nomem(err, "the places of a baseline");
    HSD_TRY(hsd_profile_each_record(r, HSD_RECORD_PLACE, take_baseline_place, p, err));
    if (p->count == 0) return hsd_profile_contradiction(r, err, "it says that it has places, and has none");
    add_up_baseline_place(p);
    return make_rows(r, p, err);
}

hsd_status hsd_profile_read_places(hsd_profile_reading *r, hsd_amount *all, hsd_error *err)
{
    places p = {.all = all};
    const hsd_status status = read_all_baseline_places(r, &p, err);
    hsd_names_release(&p.keys);
    free(p.number_of);
    free(p.list);
    return status;
}

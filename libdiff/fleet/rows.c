/*
 * A profile as rows. What is under the floor folds into one row `other` below its parent, so that all rows of a kind
 * add up to what was live:
 *
 *      heap            own 0, retained 900
 *      └ cache         own 10, retained 890        ──► the same rows, and below `cache`
 *        ├ Map         own 80, retained 830              other: 2 rows, 50 bytes
 *        ├ little      own 20
 *        └ less        own 30
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/names.h"
#include "base/pool_name.h"
#include "fleet/batch.h"
#include <hscapture/hscapture.h>

static hsd_bytes bytes_of(hsd_text text) { return (hsd_bytes){(const uint8_t *)text.data, text.size}; }

static hsd_status put_name(hsd_fleet_batch *batch, const hsd_fleet_name *name, hsd_error *err)
{
    return hsd_fleet_batch_find(batch, name->key) != NULL ? HSD_OK : hsd_fleet_batch_name(batch, name, err);
}

/* ---- what is too little */

typedef struct others {
    hsd_amount sum;
    uint64_t rows;
} others;

static void add_other(others *to, hsd_amount amount)
{
    to->sum.objects += amount.objects;
    to->sum.bytes += amount.bytes;
    to->rows++;
}

/* Places alone have `retained`: what two types retain is not their sum. */
static hsd_status put_other(hsd_fleet_batch *batch, hsd_fleet_kind kind, uint64_t parent, const others *all,
                            hsd_error *err)
{
    const hsd_text word = {"(other)", 7};
    uint64_t key;
    if (all->rows == 0) return HSD_OK;
    const hsd_fleet_path path = {.kind = kind, .step = HSD_STEP_OTHER, .parent = parent};
    HSD_TRY(hsd_fleet_key(&key, &path, &batch->scratch, err));
    const hsd_fleet_name name = {
        .key = key, .parent = parent, .text = word, .type = word, .edge = {"", 0}, .kind = kind};
    HSD_TRY(put_name(batch, &name, err));
    const hsd_fleet_row row = {.key = key,
                               .objects = all->sum.objects,
                               .bytes = all->sum.bytes,
                               .retained = all->sum.bytes,
                               .has_retained = kind == HSD_FLEET_PLACE,
                               .other = all->rows,
                               .kind = (uint8_t)kind};
    return hsd_fleet_batch_row(batch, &row, err);
}

/* ---- types and roots */

typedef struct flat {
    hsd_fleet_kind kind;
    hsd_text name;
    hsd_amount live;
    uint64_t retained;
    bool has_retained;
} flat;

static hsd_status put_flat(hsd_fleet_batch *batch, const flat *sum, uint64_t floor_bytes, others *rest, hsd_error *err)
{
    uint64_t key;
    if (sum->live.objects == 0) return HSD_OK;
    if (sum->live.bytes < floor_bytes) {
        add_other(rest, sum->live);
        return HSD_OK;
    }
    const hsd_fleet_path path = {.kind = sum->kind, .name = bytes_of(sum->name)};
    HSD_TRY(hsd_fleet_key(&key, &path, &batch->scratch, err));
    const hsd_fleet_name name = {
        .key = key, .text = sum->name, .type = sum->name, .edge = {"", 0}, .kind = (uint8_t)sum->kind};
    HSD_TRY(put_name(batch, &name, err));
    const hsd_fleet_row row = {.key = key,
                               .objects = sum->live.objects,
                               .bytes = sum->live.bytes,
                               .retained = sum->retained,
                               .has_retained = sum->has_retained,
                               .is_single = sum->live.objects == 1,
                               .kind = (uint8_t)sum->kind};
    return hsd_fleet_batch_row(batch, &row, err);
}

static hsd_status put_types(hsd_fleet_batch *batch, const hsd_profile *profile, uint64_t floor_bytes, hsd_error *err)
{
    others rest = {.rows = 0};
    for (size_t i = 0; i < profile->type_count; i++) {
        const hsd_top_type *type = &profile->types[i];
        const flat sum = {HSD_FLEET_TYPE, type->name, type->live, type->retained_bytes, profile->has_places};
        HSD_TRY(put_flat(batch, &sum, floor_bytes, &rest, err));
    }
    return put_other(batch, HSD_FLEET_TYPE, 0, &rest, err);
}

static hsd_status put_roots(hsd_fleet_batch *batch, const hsd_profile *profile, uint64_t floor_bytes, hsd_error *err)
{
    char buffer[HSD_POOL_NAME_BYTES];
    others rest = {.rows = 0};
    for (size_t i = 0; i < profile->root_count; i++) {
        const hsd_top_root *root = &profile->roots[i];
        const flat sum = {HSD_FLEET_ROOT, hsd_pool_name(root->name, buffer), root->live, root->retained_bytes,
                          profile->has_places};
        HSD_TRY(put_flat(batch, &sum, floor_bytes, &rest, err));
    }
    return put_other(batch, HSD_FLEET_ROOT, 0, &rest, err);
}

/* ---- places */

typedef struct place_node {
    uint64_t key;
    uint32_t kept; /* itself, or the nearest place above that has a row */
    uint32_t row;  /* of one that is kept */
    others below;  /* of one that is kept */
} place_node;

typedef struct places {
    hsd_fleet_batch *batch;
    const hsd_profile *profile;
    place_node *nodes; /* as the places of the profile */
    hsd_names code;    /* types of the program itself, which hold nothing */
    hsd_buffer text;
} places;

static hsd_status find_code(places *p, hsd_error *err)
{
    uint32_t number;
    for (size_t i = 0; i < p->profile->type_count; i++)
        if (p->profile->types[i].flags & HSC_TYPE_CODE)
            HSD_TRY(hsd_names_put(&p->code, bytes_of(p->profile->types[i].name), &number, err));
    return HSD_OK;
}

/* Exactly one object stands there, and it may hold: what holders of a series are. */
static bool is_single(const places *p, const hsd_place *place)
{
    if (place->depth == 0 || place->is_root) return true;
    if (place->own.objects != 1 || !place->can_hold) return false;
    return p->code.count == 0 || hsd_names_find(&p->code, bytes_of(place->type)) == HSD_NAME_NONE;
}

/* The path as people read it: "static Shop.sessions > HashMap > .table Node[]". */
static hsd_status write_place(places *p, const hsd_place *place, hsd_text type, uint64_t parent, hsd_error *err)
{
    const hsd_fleet_name *above = place->depth <= 1 || place->is_root ? NULL : hsd_fleet_batch_find(p->batch, parent);
    hsd_buffer_clear(&p->text);
    if (place->depth == 0) return hsd_buffer_append(&p->text, "(heap)", 6, err);
    if (above != NULL) {
        HSD_TRY(hsd_buffer_append(&p->text, above->text.data, above->text.size, err));
        HSD_TRY(hsd_buffer_append(&p->text, " > ", 3, err));
    }
    if (place->edge.size > 0 && !place->is_root) {
        HSD_TRY(hsd_buffer_append(&p->text, place->edge.data, place->edge.size, err));
        HSD_TRY(hsd_buffer_append(&p->text, " ", 1, err));
    }
    return hsd_buffer_append(&p->text, type.data, type.size, err);
}

static hsd_status put_place_name(places *p, const hsd_place *place, hsd_text type, uint64_t key, uint64_t parent,
                                 hsd_error *err)
{
    const hsd_text none = {"", 0};
    if (hsd_fleet_batch_find(p->batch, key) != NULL) return HSD_OK;
    HSD_TRY(write_place(p, place, type, parent, err));
    const hsd_fleet_name name = {.key = key,
                                 .parent = parent,
                                 .text = {(const char *)p->text.data, p->text.size},
                                 .edge = place->is_root ? none : place->edge,
                                 .type = type,
                                 .kind = HSD_FLEET_PLACE};
    return hsd_fleet_batch_name(p->batch, &name, err);
}

static hsd_status keep_place(places *p, uint32_t number, uint64_t parent, hsd_error *err)
{
    char buffer[HSD_POOL_NAME_BYTES];
    const hsd_place *place = &p->profile->places[number];
    place_node *node = &p->nodes[number];
    const hsd_text type = place->is_root ? hsd_pool_name(place->type, buffer) : place->type;
    /* a root is one place wherever it hangs: below the heap */
    const uint64_t above = place->is_root ? p->nodes[0].key : parent;
    const hsd_fleet_path path = {.kind = HSD_FLEET_PLACE,
                                 .step = place->is_root   ? HSD_STEP_ROOT
                                         : place->is_fold ? HSD_STEP_FOLD
                                                          : HSD_STEP_OBJECT,
                                 .parent = above,
                                 .edge = place->is_root ? (hsd_bytes){NULL, 0} : bytes_of(place->edge),
                                 .name = place->depth == 0 ? (hsd_bytes){NULL, 0} : bytes_of(type)};
    HSD_TRY(hsd_fleet_key(&node->key, &path, &p->batch->scratch, err));
    HSD_TRY(put_place_name(p, place, type, node->key, above, err));
    node->kept = number;
    node->row = p->batch->row_count;
    const hsd_fleet_row row = {.key = node->key,
                               .objects = place->own.objects,
                               .bytes = place->own.bytes,
                               .retained = place->all.bytes,
                               .has_retained = true,
                               .is_single = is_single(p, place),
                               .kind = HSD_FLEET_PLACE};
    return hsd_fleet_batch_row(p->batch, &row, err);
}

/* Parents come first. A place has a row if it is large enough and its parent has one. */
static hsd_status put_place(places *p, uint32_t number, uint64_t floor_bytes, hsd_error *err)
{
    const hsd_place *place = &p->profile->places[number];
    const place_node *parent = &p->nodes[place->parent];
    if (place->depth == 0) return keep_place(p, number, 0, err);
    if (place->all.bytes >= floor_bytes && parent->kept == place->parent)
        return keep_place(p, number, parent->key, err);
    p->nodes[number].kept = parent->kept;
    add_other(&p->nodes[parent->kept].below, place->own);
    return HSD_OK;
}

/* What is below a root is not below the place where it hangs: else `global` would grow with `global.cache`. Another
 * root on the way up takes it away from those above with its own. */
static void move_root(places *p, uint32_t number)
{
    const hsd_place *all = p->profile->places;
    if (!all[number].is_root || p->nodes[number].kept != number) return;
    for (uint32_t up = all[number].parent; up != 0; up = all[up].parent) {
        p->batch->rows[p->nodes[up].row].retained -= all[number].all.bytes;
        if (all[up].is_root) return;
    }
}

static hsd_status put_places(places *p, uint64_t floor_bytes, hsd_error *err)
{
    const uint32_t count = (uint32_t)p->profile->place_count;
    p->nodes = calloc((size_t)count + 1, sizeof *p->nodes);
    if (p->nodes == NULL) return hsd_fail_nomem(err, "the places of a capture");
    HSD_TRY(find_code(p, err));
    for (uint32_t i = 0; i < count; i++)
        HSD_TRY(put_place(p, i, floor_bytes, err));
    for (uint32_t i = 1; i < count; i++)
        move_root(p, i);
    for (uint32_t i = 0; i < count; i++)
        HSD_TRY(put_other(p->batch, HSD_FLEET_PLACE, p->nodes[i].key, &p->nodes[i].below, err));
    return HSD_OK;
}

/* ---- one capture */

static int compare_rows(const void *left, const void *right)
{
    const hsd_fleet_row *a = left, *b = right;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    return (a->key > b->key) - (a->key < b->key);
}

/* Threads of one pool, places that a root has twice: rows of one key are one row. */
static void join_rows(hsd_fleet_batch *batch, uint32_t first)
{
    hsd_fleet_row *rows = batch->rows;
    uint32_t to = first;
    if (batch->row_count == first) return;
    qsort(rows + first, batch->row_count - first, sizeof *rows, compare_rows);
    for (uint32_t i = first + 1; i < batch->row_count; i++) {
        if (compare_rows(&rows[to], &rows[i]) != 0) {
            rows[++to] = rows[i];
            continue;
        }
        rows[to].objects += rows[i].objects;
        rows[to].bytes += rows[i].bytes;
        rows[to].retained += rows[i].retained;
        rows[to].other += rows[i].other;
        rows[to].is_single = rows[to].is_single && rows[i].is_single && rows[to].objects <= 1;
    }
    batch->row_count = to + 1;
}

hsd_status hsd_fleet_batch_profile(hsd_fleet_batch *batch, const hsd_profile *profile, uint64_t floor_bytes,
                                   hsd_error *err)
{
    const uint32_t first = batch->row_count;
    places p = {.batch = batch, .profile = profile};
    HSD_TRY(put_types(batch, profile, floor_bytes, err));
    if (profile->has_roots) HSD_TRY(put_roots(batch, profile, floor_bytes, err));
    hsd_status status = profile->has_places ? put_places(&p, floor_bytes, err) : HSD_OK;
    free(p.nodes);
    hsd_names_release(&p.code);
    hsd_buffer_release(&p.text);
    if (status == HSD_OK) join_rows(batch, first);
    return status;
}

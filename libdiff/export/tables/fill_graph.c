/*
 * Objects and references in one pass, each table in the order of its key; and roots.
 */
#include <hscapture/hscapture.h>

#include "base/check.h"
#include "export/joined.h"
#include "export/tables/fill.h"

typedef struct graph {
    hsd_filling *f;
    unsigned side;
    hsd_joined *joined;
    hsd_inserter objects, refs, roots; /* zeroed: not wanted */
} graph;

static void put_object(const graph *g, hsd_inserter *in, const hsd_object *o)
{
    hsd_put_count(in, o->ordinal);
    hsd_put_id(in, o->id);
    hsd_put_count(in, hsd_type_common(&g->f->types[g->side], o->type));
    hsd_put_count(in, o->size_bytes);
    hsd_put_some(in, o->native_bytes);
    hsd_put_some(in, o->elements);
    hsd_put_some(in, o->site);
    hsd_put_some(in, o->age);
    hsd_put_some(in, o->name);
    hsd_put_some(in, o->category);
    if (o->content != 0)
        hsd_put_id(in, o->content);
    else
        hsd_put_null(in);
    hsd_put_count(in, o->flags);
    if (g->f->with_values)
        hsd_put_text_or_null(in, o->value);
    else
        hsd_put_null(in);
}

static hsd_status put_references(graph *g, uint64_t source, hsd_error *err)
{
    hsd_joined_reference r;
    for (uint64_t position = 0;; position++) {
        const hsd_status status = hsd_joined_next_reference(g->joined, &r, err);
        if (status != HSD_OK) return status == HSD_END ? HSD_OK : status;
        hsd_put_count(&g->refs, source);
        hsd_put_count(&g->refs, position);
        hsd_put_count(&g->refs, r.target);
        hsd_put_some(&g->refs, r.label);
        hsd_put_count(&g->refs, r.index);
        HSD_TRY(hsd_put_row(&g->refs, err));
    }
}

static hsd_status put_one(graph *g, const hsd_object *object, hsd_error *err)
{
    if (!hsd_inserter_is_open(&g->objects)) return HSD_OK;
    if (g->side == 1) g->f->bytes = hsd_add_saturating(g->f->bytes, object->size_bytes);
    put_object(g, &g->objects, object);
    return hsd_put_row(&g->objects, err);
}

static hsd_status put_joined(graph *g, hsd_error *err)
{
    hsd_object object;
    for (;;) {
        const hsd_status status = hsd_joined_next_object(g->joined, &object, err);
        if (status != HSD_OK) return status == HSD_END ? HSD_OK : status;
        HSD_TRY(put_one(g, &object, err));
        HSD_TRY(put_references(g, object.ordinal, err));
    }
}

static hsd_status put_read(graph *g, hsd_object_reader *reader, hsd_error *err)
{
    hsd_object object;
    for (;;) {
        const hsd_status status = hsd_object_reader_next(reader, &object, err);
        if (status != HSD_OK) return status == HSD_END ? HSD_OK : status;
        if (!object.is_continuation) HSD_TRY(put_one(g, &object, err));
    }
}

/* Objects alone need no join: they stand in the capture in the order of their key. */
static hsd_status put_objects(graph *g, hsd_error *err)
{
    hsd_object_reader *reader;
    if (hsd_inserter_is_open(&g->refs)) return put_joined(g, err);
    HSD_TRY(hsd_object_reader_open(&reader, g->f->captures[g->side], HSD_WANT_SIZES | HSD_WANT_IDS | HSD_WANT_DETAILS,
                                   err));
    const hsd_status status = put_read(g, reader, err);
    hsd_object_reader_close(reader);
    return status;
}

static hsd_status put_roots(graph *g, hsd_error *err)
{
    hsd_joined_root r;
    hsd_inserter *in = &g->roots;
    for (;;) {
        const hsd_status status = hsd_joined_next_root(g->joined, &r, err);
        if (status != HSD_OK) return status == HSD_END ? HSD_OK : status;
        hsd_put_count(in, in->count);
        hsd_put_word(in, hsd_root_word(r.kind));
        hsd_put_some(in, r.label);
        hsd_put_count(in, r.target);
        hsd_put_some(in, r.thread);
        if (r.frame != 0)
            hsd_put_count(in, r.frame - 1);
        else
            hsd_put_null(in);
        hsd_put_count(in, (r.flags & HSC_ROOT_SECONDARY) != 0);
        HSD_TRY(hsd_put_row(in, err));
    }
}

static hsd_status open_wanted(graph *g, const bool *wanted, hsd_error *err)
{
    const hsd_capture_info *info = hsd_capture_get_info(g->f->captures[g->side]);
    const hsd_joined_options options = {.want = HSD_WANT_ALL,
                                        .no_references = !wanted[HSD_TABLE_OF_REFS],
                                        .memory_bytes = hsd_max_u64(g->f->memory_bytes, HSD_JOINED_MIN_BYTES),
                                        .space = g->f->space,
                                        .reporter = g->f->reporter};
    if (wanted[HSD_TABLE_OF_OBJECTS])
        HSD_TRY(hsd_fill_open(&g->objects, g->f, g->side, HSD_TABLE_OF_OBJECTS, info->objects, err));
    if (wanted[HSD_TABLE_OF_REFS])
        HSD_TRY(hsd_fill_open(&g->refs, g->f, g->side, HSD_TABLE_OF_REFS, info->references + info->edges, err));
    if (wanted[HSD_TABLE_OF_ROOTS])
        HSD_TRY(hsd_fill_open(&g->roots, g->f, g->side, HSD_TABLE_OF_ROOTS, info->roots, err));
    if (!wanted[HSD_TABLE_OF_REFS] && !wanted[HSD_TABLE_OF_ROOTS]) return HSD_OK;
    return hsd_joined_new(&g->joined, g->f->captures[g->side], &options, err);
}

hsd_status hsd_fill_graph(hsd_filling *f, unsigned side, const bool *wanted, hsd_error *err)
{
    graph g = {.f = f, .side = side};
    const bool has_objects = wanted[HSD_TABLE_OF_OBJECTS] || wanted[HSD_TABLE_OF_REFS];
    if (!has_objects && !wanted[HSD_TABLE_OF_ROOTS]) return HSD_OK;
    hsd_status status = open_wanted(&g, wanted, err);
    if (status == HSD_OK && has_objects) status = put_objects(&g, err);
    if (status == HSD_OK && wanted[HSD_TABLE_OF_ROOTS]) status = put_roots(&g, err);
    if (side == 1) {
        f->objects += g.objects.count;
        f->references += g.refs.count;
    }
    hsd_joined_free(g.joined);
    status = hsd_fill_close(&g.objects, f, status, err);
    status = hsd_fill_close(&g.refs, f, status, err);
    return hsd_fill_close(&g.roots, f, status, err);
}

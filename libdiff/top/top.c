/*
 * What is in one capture and what keeps it alive: a walk of one side, one walk over its dominator tree, and the
 * shortest paths to the objects that retain most.
 *
 *      single ──► counts by type and root ──────────────────────────────┐
 *          └────► tree ── top_walk ──► retained by type, root, object ──┴─► rows
 *          └────► graph ── top_paths ──► paths of these objects ────────────┘
 */
#include <hsdiff/top.h>

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/options.h"
#include "io/stopwatch.h"
#include "paths/path_text.h"
#include "top/single_rows.h"
#include "top/top.h"
#include "top/top_paths.h"
#include "top/top_walk.h"
#include "walk/store.h"

#define MOST_OBJECTS 10000u

typedef struct top_run {
    hsd_top *top;
    hsd_single *single;
    hsd_top_walk walk;
} top_run;

void hsd_top_free(hsd_top *top)
{
    if (top == NULL) return;
    hsd_store_free(top->store);
    free(top);
}

static hsd_status new_result(hsd_top **out, hsd_error *err)
{
    hsd_top *top = calloc(1, sizeof *top);
    if (top != NULL) top->store = calloc(1, sizeof *top->store);
    if (top == NULL || top->store == NULL) {
        free(top);
        return hsd_fail_nomem(err, "the result");
    }
    *out = top;
    return HSD_OK;
}

static int descending_top_types(uint64_t a, uint64_t b) { return (a < b) - (a > b); }

/* ---- types ---- */

static int compare_types(const void *left, const void *right)
{
    const hsd_top_type *a = left, *b = right;
    int order = descending_top_types(a->retained_bytes, b->retained_bytes);
    if (order == 0) order = descending_top_types(a->live.bytes, b->live.bytes);
    return order != 0 ? order : hsd_store_compare(a->name, b->name);
}

static hsd_status make_types(top_run *r, hsd_error *err)
{
    hsd_top *top = r->top;
    const hsd_retained_sums *retained = top->has_retained ? &r->walk.types : NULL;
    HSD_TRY(hsd_single_types(r->single, retained, top->store, &top->types, &top->type_count, err));
    qsort(top->types, top->type_count, sizeof *top->types, compare_types);
    return HSD_OK;
}

/* ---- roots ---- */

static uint64_t weight_of(const hsd_top_root *root)
{
    return root->is_shared ? root->live.bytes : root->retained_bytes;
}

static int compare_roots(const void *left, const void *right)
{
    const hsd_top_root *a = left, *b = right;
    int order = descending_top_types(weight_of(a), weight_of(b));
    if (order == 0) order = descending_top_types(a->live.bytes, b->live.bytes);
    return order != 0 ? order : hsd_store_compare(a->name, b->name);
}

static hsd_status make_roots(top_run *r, hsd_error *err)
{
    hsd_top *top = r->top;
    const hsd_retained_sums *retained = top->has_retained ? &r->walk.roots : NULL;
    HSD_TRY(hsd_single_roots(r->single, retained, top->store, &top->roots, &top->root_count, err));
    if (top->root_count > 0) qsort(top->roots, top->root_count, sizeof *top->roots, compare_roots);
    return HSD_OK;
}

/* ---- the objects that retain most ---- */

static int compare_paths(const hsd_top_object *a, const hsd_top_object *b)
{
    int order = hsd_store_compare(a->root, b->root);
    for (size_t i = 0; order == 0 && i < a->path_count && i < b->path_count; i++) {
        order = hsd_store_compare(a->path[i].edge, b->path[i].edge);
        if (order == 0) order = hsd_store_compare(a->path[i].type, b->path[i].type);
    }
    return order != 0 ? order : (a->path_count > b->path_count) - (a->path_count < b->path_count);
}

static int compare_objects(const void *left, const void *right)
{
    const hsd_top_object *a = left, *b = right;
    int order = descending_top_types(a->retained_bytes, b->retained_bytes);
    if (order == 0) order = compare_paths(a, b);
    return order != 0 ? order : (a->id > b->id) - (a->id < b->id);
}

static hsd_status make_object(top_run *r, hsd_path_texts *texts, const hsd_top_entry *entry, hsd_top_object *out,
                              hsd_error *err)
{
    hsd_path_text path;
    hsd_diff_store *store = r->top->store;
    HSD_TRY(hsd_path_texts_get(texts, entry->node, &path, err));
    *out = (hsd_top_object){
        .id = entry->id,
        .bytes = entry->bytes,
        .retained_bytes = entry->retained_bytes,
        .retained_objects = entry->retained_objects,
        .path = path.steps,
        .path_count = path.step_count,
        .path_cut = path.step_cut,
    };
    HSD_TRY(hsd_store_text(store, hsd_names_get(&r->single->side.roots.names, path.root), &out->root, err));
    return hsd_store_text(store, hsd_names_get(&r->single->types.names, entry->type), &out->type, err);
}

static hsd_status make_objects(top_run *r, hsd_shortest *shortest, hsd_error *err)
{
    hsd_top *top = r->top;
    hsd_path_texts *texts;
    top->objects = hsd_arena_take(&top->store->arena, r->walk.entry_count * sizeof *top->objects);
    hsd_top_object *accumulation = hsd_arena_take(&top->store->arena, sizeof *accumulation);
    if (top->objects == NULL || accumulation == NULL) return hsd_fail_nomem(err, "the result");
    HSD_TRY(hsd_path_texts_new(&texts, shortest, &r->single->side, &top->store->arena, err));
    hsd_status status = HSD_OK;
    for (size_t i = 0; i < r->walk.entry_count && status == HSD_OK; i++) {
        status = make_object(r, texts, &r->walk.entries[i], &top->objects[i], err);
        if (status == HSD_OK) top->object_count++;
    }
    if (status == HSD_OK && r->walk.accumulation.retained_bytes > 0) {
        status = make_object(r, texts, &r->walk.accumulation, accumulation, err);
        top->accumulation = accumulation;
    }
    if (status == HSD_OK) status = hsd_path_texts_name(texts, err);
    hsd_path_texts_free(texts);
    qsort(top->objects, top->object_count, sizeof *top->objects, compare_objects);
    return status;
}

static hsd_status find_objects(top_run *r, hsd_error *err)
{
    hsd_shortest shortest;
    if (r->walk.entry_count == 0) return HSD_OK;
    HSD_TRY(hsd_top_paths_find(&shortest, &r->walk, &r->single->side, err));
    const hsd_status status = make_objects(r, &shortest, err);
    hsd_shortest_close(&shortest);
    return status;
}

/* ---- the whole ---- */

static hsd_status find_retained(top_run *r, const hsd_top_options *options, hsd_error *err)
{
    hsd_top *top = r->top;
    const char *why = r->single->why_no_tree;
    top->has_retained = r->single->has_tree;
    HSD_TRY(hsd_store_text(top->store, (hsd_bytes){(const uint8_t *)why, strlen(why)}, &top->why_no_retained, err));
    if (!top->has_retained) return HSD_OK;
    const size_t most = (size_t)hsd_min_u64(options->objects, MOST_OBJECTS);
    hsd_stopwatch watch = hsd_stopwatch_start(&r->single->space);
    HSD_TRY(hsd_top_walk_run(&r->walk, r->single, most, options->each != NULL, err));
    if (options->each != NULL) {
        HSD_TRY(hsd_top_walk_tell(&r->walk, r->single, options->each, options->each_context, err));
        hsd_sorter_free(r->walk.list);
        r->walk.list = NULL;
    }
    hsd_stopwatch_note(&watch, &r->single->reporter, "retained", "adding up");
    HSD_TRY(find_objects(r, err));
    hsd_stopwatch_note(&watch, &r->single->reporter, "retained", "paths to the biggest");
    return HSD_OK;
}

static hsd_status run_top(top_run *r, hsd_capture *capture, const hsd_top_options *options, hsd_error *err)
{
    hsd_top *top = r->top;
    HSD_TRY(hsd_single_walk(r->single, capture, err));
    HSD_TRY(hsd_single_count_totals(r->single, err));
    HSD_TRY(find_retained(r, options, err));
    HSD_TRY(make_types(r, err));
    HSD_TRY(make_roots(r, err));
    HSD_TRY(hsd_single_side(r->single, top->types, top->type_count, top->store, &top->side, err));
    top->warnings = top->store->warnings;
    top->warning_count = top->store->warning_count;
    top->temp_bytes_peak = r->single->space.bytes_peak;
    return HSD_OK;
}

hsd_status hsd_top_run_kept(hsd_top **out, hsd_single *single, const hsd_keep *keep, hsd_capture *capture,
                            const hsd_top_options *options, hsd_error *err)
{
    static const hsd_top_options no_options;
    top_run r = {.single = single};
    *out = NULL;
    single->keep = keep;
    hsd_status status = new_result(&r.top, err);
    if (status == HSD_OK) status = run_top(&r, capture, options != NULL ? options : &no_options, err);
    hsd_top_walk_release(&r.walk);
    if (status == HSD_OK)
        *out = r.top;
    else
        hsd_top_free(r.top);
    return status;
}

hsd_status hsd_top_run(hsd_top **out, hsd_capture *capture, const hsd_top_options *options,
                       const hsd_run *run_conditions, hsd_error *err)
{
    hsd_top_options own;
    *out = NULL;
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_top_options, each_context, &own, options, err));
    hsd_single *single = malloc(sizeof *single);
    if (single == NULL) return hsd_fail_nomem(err, "the result");
    hsd_single_init(single, run_conditions);
    const hsd_status status = hsd_top_run_kept(out, single, NULL, capture, &own, err);
    hsd_single_release(single);
    free(single);
    return status;
}

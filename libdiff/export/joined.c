/*
 * References beside their objects. With places.h they come straight from the capture, and only edges that stand apart
 * are sorted by their source. Where there is no room for that, three kinds of records go through sorters (words in
 * brackets, the first of them the key):
 *
 *      row        [id, ordinal, id]                                    of each object; by ordinal: [ordinal, ordinal, id]
 *      asked      [target, source ordinal, place, label, index]        of each reference, `target` as it stands in the capture
 *      reference  [source ordinal, place, target ordinal, label, index, target id]
 *
 * `place` counts references as they come, so that those of one source keep their order. Edges whose source is an id are
 * asked for by that first: [source, target, place, label, index]. Roots go the same way: [target, place, kind and
 * flags, label, thread and frame].
 */
#include "export/joined.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "export/places.h"
#include "sort/join.h"

enum { AHEAD = 8 }; /* references whose pages are on their way */
enum { ROW_WORDS = 3, ASKED_WORDS = 5, REFERENCE_WORDS = 6, ROOT_WORDS = 5, FOUND_ROOT_WORDS = 6 };
#define READER_BYTES (UINT64_C(8) << 20)

struct hsd_joined {
    hsd_capture *capture;
    const hsd_capture_info *info;
    hsd_joined_options options;
    hsd_object_reader *reader;
    hsd_places places;
    bool has_places, is_straight; /* straight: what objects refer to is read from the capture */
    hsd_sorter *references;       /* all of them; straight: edges, NULL = there are none */
    hsd_sorter *roots;
    const uint64_t *ahead; /* the next reference, NULL = none is left */
    const uint64_t *root;
    uint64_t ordinal;                                 /* of the object told last */
    uint64_t passed, lost, reference_count, dangling; /* passed, lost: of this pass, straight */
    hsd_object part;                                  /* straight: the part of the object whose references are told */
    hsd_object next; /* straight: the object behind, which was read to find the end of this one */
    uint32_t told;   /* of part */
    bool has_next, is_at_end;
};

typedef struct joining {
    hsd_joined *j;
    hsd_sorter *rows, *asked, *edges, *roots;
    uint64_t place;
} joining;

/* ---- sorters ---- */

/* Of what the reader leaves, `eighths`; sorters hold no more than they use. */
static uint64_t share(const hsd_joined *j, unsigned eighths)
{
    const uint64_t all = j->options.memory_bytes, reader = hsd_min_u64(READER_BYTES, all / 4);
    return hsd_max_u64((all - reader) / 8 * eighths, HSD_SORT_MIN_BYTES);
}

static hsd_status make_sorter(const hsd_joined *j, hsd_sorter **out, unsigned words, unsigned keys, uint64_t bytes,
                              hsd_error *err)
{
    const hsd_sorter_config config = {.record_words = words,
                                      .key_words = keys,
                                      .memory_bytes = (size_t)bytes,
                                      .codec = HSD_RUN_DELTA,
                                      .space = j->options.space,
                                      .reporter = j->options.reporter};
    return hsd_sorter_new(out, &config, err);
}

static hsd_status serve_joined_graph(const hsd_joined *j, hsd_sorter *sorter, unsigned sixteenths, hsd_error *err)
{
    return hsd_sorter_finish(sorter, (size_t)hsd_max_u64(share(j, 1) * sixteenths / 2, HSD_SORT_MIN_BYTES), err);
}

/* ---- what is asked for ---- */

static hsd_status ask_joined_graph(joining *w, uint64_t source, uint64_t target, uint32_t label, uint64_t index,
                                   hsd_error *err)
{
    const uint64_t record[ASKED_WORDS] = {target, source, w->place++, label, index};
    return hsd_sorter_put(w->asked, record, err);
}

static hsd_status take_object(joining *w, const hsd_object *object, hsd_error *err)
{
    const hsd_joined *j = w->j;
    if (!object->is_continuation) {
        const uint64_t row[ROW_WORDS] = {j->info->targets_are_ordinals ? object->ordinal : object->id, object->ordinal,
                                         object->id};
        HSD_TRY(hsd_sorter_put(w->rows, row, err));
    }
    if (w->asked == NULL) return HSD_OK;
    for (uint32_t i = 0; i < object->reference_count; i++)
        HSD_TRY(ask_joined_graph(w, object->ordinal, object->targets[i], object->labels[i], object->indexes[i], err));
    return HSD_OK;
}

static hsd_status read_objects(joining *w, hsd_error *err)
{
    const unsigned references = w->asked != NULL ? HSD_WANT_REFERENCES | HSD_WANT_LABELS | HSD_WANT_INDEXES : 0;
    hsd_object_reader *reader;
    hsd_object object;
    HSD_TRY(hsd_object_reader_open(&reader, w->j->capture, HSD_WANT_IDS | references, err));
    hsd_status status;
    while ((status = hsd_object_reader_next(reader, &object, err)) == HSD_OK) {
        status = take_object(w, &object, err);
        if (status == HSD_OK && object.ordinal % 4096 == 0)
            status =
                hsd_progress(w->j->options.reporter, "reading references", object.ordinal, w->j->info->objects, err);
        if (status != HSD_OK) break;
    }
    hsd_object_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

/* The id of a target that was found; 0 unless wanted. */
static uint64_t id_of(const hsd_joined *j, uint64_t target, uint64_t ordinal)
{
    if (!j->options.want_ids) return 0;
    return j->info->targets_are_ordinals ? j->places.ids[ordinal] : target;
}

/* An edge whose ends are looked up at once. */
static hsd_status place_edge(joining *w, const hsd_edge *edge, hsd_error *err)
{
    hsd_joined *j = w->j;
    const uint64_t source = edge->source_is_ordinal ? edge->source : hsd_places_find(&j->places, edge->source),
                   target = source == HSD_NO_PLACE ? HSD_NO_PLACE : hsd_places_find(&j->places, edge->target);
    if (target == HSD_NO_PLACE) {
        j->dangling++;
        return HSD_OK;
    }
    const uint64_t found[REFERENCE_WORDS] = {source,      w->place++,  target,
                                             edge->label, edge->index, id_of(j, edge->target, target)};
    return hsd_sorter_put(j->references, found, err);
}

static hsd_status take_edge(joining *w, const hsd_edge *edge, hsd_error *err)
{
    if (w->j->has_places) return place_edge(w, edge, err);
    if (edge->source_is_ordinal) return ask_joined_graph(w, edge->source, edge->target, edge->label, edge->index, err);
    const uint64_t record[ASKED_WORDS] = {edge->source, edge->target, w->place++, edge->label, edge->index};
    return hsd_sorter_put(w->edges, record, err);
}

static hsd_status place_root(joining *w, const hsd_root *root, hsd_error *err)
{
    hsd_joined *j = w->j;
    const uint64_t target = hsd_places_find(&j->places, root->target);
    if (target == HSD_NO_PLACE) {
        j->dangling++;
        return HSD_OK;
    }
    const uint64_t found[FOUND_ROOT_WORDS] = {w->place++,
                                              target,
                                              id_of(j, root->target, target),
                                              (uint64_t)root->kind << 32 | root->flags,
                                              root->label,
                                              (uint64_t)root->thread << 32 | root->frame};
    return hsd_sorter_put(j->roots, found, err);
}

static hsd_status take_root(joining *w, const hsd_root *root, hsd_error *err)
{
    if (w->j->has_places) return place_root(w, root, err);
    const uint64_t record[ROOT_WORDS] = {root->target, w->place++, (uint64_t)root->kind << 32 | root->flags,
                                         root->label, (uint64_t)root->thread << 32 | root->frame};
    return hsd_sorter_put(w->roots, record, err);
}

static hsd_status read_records(joining *w, hsd_record_kind kind, hsd_error *err)
{
    hsd_record_reader *reader;
    hsd_record record;
    hsd_status status;
    HSD_TRY(hsd_record_reader_open(&reader, w->j->capture, kind, err));
    while ((status = hsd_record_reader_next(reader, &record, err)) == HSD_OK) {
        status = kind == HSD_RECORD_EDGE ? take_edge(w, &record.edge, err) : take_root(w, &record.root, err);
        if (status != HSD_OK) break;
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

/* ---- what was found ---- */

static hsd_status source_found(void *context, const uint64_t *record, const uint64_t *row, hsd_error *err)
{
    joining *w = context;
    const uint64_t asked[ASKED_WORDS] = {record[1], row[1], record[2], record[3], record[4]};
    return hsd_sorter_put(w->asked, asked, err);
}

static hsd_status target_found(void *context, const uint64_t *record, const uint64_t *row, hsd_error *err)
{
    joining *w = context;
    const uint64_t found[REFERENCE_WORDS] = {record[1], record[2], row[1], record[3], record[4], row[2]};
    return hsd_sorter_put(w->j->references, found, err);
}

static hsd_status root_found(void *context, const uint64_t *record, const uint64_t *row, hsd_error *err)
{
    joining *w = context;
    const uint64_t found[FOUND_ROOT_WORDS] = {record[1], row[1], row[2], record[2], record[3], record[4]};
    return hsd_sorter_put(w->j->roots, found, err);
}

/* Finishes what is asked and joins it with the objects. `*sorter` is given back. */
static hsd_status join_joined_graph(joining *w, hsd_sorter **sorter, hsd_join_fn take, hsd_error *err)
{
    HSD_TRY(serve_joined_graph(w->j, *sorter, 2, err));
    HSD_TRY(hsd_sort_join(w->rows, *sorter, take, w, &w->j->dangling, err));
    hsd_sorter_free(*sorter);
    *sorter = NULL;
    return HSD_OK;
}

static hsd_status join_references(joining *w, hsd_error *err)
{
    hsd_joined *j = w->j;
    if (w->asked == NULL) return HSD_OK;
    HSD_TRY(read_records(w, HSD_RECORD_EDGE, err));
    HSD_TRY(join_joined_graph(w, &w->edges, source_found, err));
    HSD_TRY(join_joined_graph(w, &w->asked, target_found, err));
    HSD_TRY(serve_joined_graph(j, j->references, 8, err));
    j->reference_count = hsd_sorter_count(j->references);
    return HSD_OK;
}

static hsd_status join_roots(joining *w, hsd_error *err)
{
    HSD_TRY(make_sorter(w->j, &w->roots, ROOT_WORDS, 2, share(w->j, 1), err));
    HSD_TRY(read_records(w, HSD_RECORD_ROOT, err));
    return join_joined_graph(w, &w->roots, root_found, err);
}

/* ---- from the first to the last ---- */

static bool has_references(const hsd_joined *j)
{
    return !j->options.no_references && j->info->references + j->info->edges > 0;
}

static bool needs_sorting(const hsd_joined *j)
{
    if (!has_references(j)) return false;
    return !j->info->targets_are_ordinals || j->info->edges > 0 || j->options.want_ids || j->info->is_salvaged;
}

static hsd_status make_sorters(joining *w, hsd_error *err)
{
    hsd_joined *j = w->j;
    HSD_TRY(make_sorter(j, &w->rows, ROW_WORDS, 1, share(j, 1), err));
    if (!needs_sorting(j)) return HSD_OK;
    HSD_TRY(make_sorter(j, &w->edges, ASKED_WORDS, 1, share(j, 1), err));
    HSD_TRY(make_sorter(j, &w->asked, ASKED_WORDS, 1, share(j, 2), err));
    return make_sorter(j, &j->references, REFERENCE_WORDS, 2, share(j, 3), err);
}

static hsd_status sort_all(joining *w, hsd_error *err)
{
    HSD_TRY(make_sorters(w, err));
    w->j->is_straight = w->j->references == NULL && !w->j->options.no_references;
    HSD_TRY(read_objects(w, err));
    HSD_TRY(serve_joined_graph(w->j, w->rows, 1, err));
    HSD_TRY(join_references(w, err));
    return join_roots(w, err);
}

/* Ids in memory have what sorters for references would have, less two shares for those of edges and roots. */
static hsd_status open_places(hsd_joined *j, hsd_error *err)
{
    const bool is_whole = !j->info->is_salvaged && j->info->ordinals == j->info->objects;
    if (!has_references(j) && j->info->roots == 0) { /* nothing will be asked for */
        j->places = (hsd_places){.by_ordinal = true};
        j->has_places = true;
    }
    if (!is_whole || j->options.sorts_always || j->has_places) return HSD_OK;
    const bool needs_ids = j->options.want_ids && j->info->targets_are_ordinals;
    const hsd_status status = hsd_places_open(&j->places, j->capture, needs_ids, share(j, 6), j->options.reporter, err);
    if (status == HSD_END) hsd_places_release(&j->places);
    j->has_places = status == HSD_OK;
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status place_all(joining *w, hsd_error *err)
{
    hsd_joined *j = w->j;
    j->is_straight = !j->options.no_references;
    if (j->is_straight && j->info->edges > 0) {
        HSD_TRY(make_sorter(j, &j->references, REFERENCE_WORDS, 2, share(j, 1), err));
        HSD_TRY(read_records(w, HSD_RECORD_EDGE, err));
        HSD_TRY(serve_joined_graph(j, j->references, 2, err));
    }
    return read_records(w, HSD_RECORD_ROOT, err);
}

static hsd_status build_joined_graph(joining *w, hsd_error *err)
{
    hsd_joined *j = w->j;
    HSD_TRY(make_sorter(j, &j->roots, FOUND_ROOT_WORDS, 1, share(j, 1), err));
    HSD_TRY(open_places(j, err));
    HSD_TRY(j->has_places ? place_all(w, err) : sort_all(w, err));
    HSD_TRY(serve_joined_graph(j, j->roots, 1, err));
    HSD_TRY(hsd_joined_rewind(j, err));
    return hsd_joined_rewind_roots(j, err);
}

static hsd_status begin_joined_graph(hsd_joined *j, hsd_error *err)
{
    joining w = {.j = j};
    const hsd_status status = build_joined_graph(&w, err);
    hsd_sorter_free(w.rows);
    hsd_sorter_free(w.asked);
    hsd_sorter_free(w.edges);
    hsd_sorter_free(w.roots);
    return status;
}

hsd_status hsd_joined_new(hsd_joined **out, hsd_capture *capture, const hsd_joined_options *options, hsd_error *err)
{
    *out = NULL;
    if (options->memory_bytes < HSD_JOINED_MIN_BYTES)
        return hsd_fail(err, HSD_E_OVER_BUDGET, "sorting the references of a capture needs at least %u MiB",
                        (unsigned)(HSD_JOINED_MIN_BYTES >> 20));
    hsd_joined *j = calloc(1, sizeof *j);
    if (j == NULL) return hsd_fail_nomem(err, "the references of a capture");
    j->capture = capture;
    j->info = hsd_capture_get_info(capture);
    j->options = *options;
    j->reference_count = UINT64_MAX;
    const hsd_status status = begin_joined_graph(j, err);
    if (status != HSD_OK)
        hsd_joined_free(j);
    else
        *out = j;
    return status;
}

void hsd_joined_free(hsd_joined *j)
{
    if (j == NULL) return;
    hsd_object_reader_close(j->reader);
    hsd_sorter_free(j->references);
    hsd_sorter_free(j->roots);
    hsd_places_release(&j->places);
    free(j);
}

/* ---- objects ---- */

static hsd_status step_joined_graph(hsd_sorter *sorter, const uint64_t **ahead, hsd_error *err)
{
    const hsd_status status = hsd_sorter_next(sorter, ahead, err);
    if (status == HSD_END) *ahead = NULL;
    return status < 0 ? status : HSD_OK;
}

hsd_status hsd_joined_rewind(hsd_joined *j, hsd_error *err)
{
    const unsigned references = j->is_straight ? HSD_WANT_REFERENCES | HSD_WANT_LABELS | HSD_WANT_INDEXES : 0;
    hsd_object_reader_close(j->reader);
    j->reader = NULL;
    j->has_next = j->is_at_end = false;
    j->told = 0;
    j->passed = j->lost = 0;
    j->part = (hsd_object){0};
    HSD_TRY(hsd_object_reader_open(&j->reader, j->capture, (j->options.want & ~HSD_WANT_REFERENCES) | references, err));
    if (j->references == NULL) return HSD_OK;
    HSD_TRY(hsd_sorter_rewind(j->references, err));
    return step_joined_graph(j->references, &j->ahead, err);
}

static uint64_t place_of(const hsd_joined *j, uint64_t target)
{
    if (j->has_places) return hsd_places_find(&j->places, target);
    return target < j->info->ordinals ? target : HSD_NO_PLACE;
}

/* The next part of the object, or, if there is none, what stands behind it, which is kept. HSD_END: no more parts. */
static hsd_status next_part(hsd_joined *j, hsd_error *err)
{
    if (j->has_next || j->is_at_end) return HSD_END;
    const hsd_status status = hsd_object_reader_next(j->reader, &j->next, err);
    j->is_at_end = status == HSD_END;
    if (status != HSD_OK) return status;
    j->has_next = !j->next.is_continuation;
    if (j->has_next) return HSD_END;
    j->part = j->next;
    j->told = 0;
    return HSD_OK;
}

/* The next reference in the object. HSD_END behind its last. */
static hsd_status next_straight(hsd_joined *j, hsd_joined_reference *reference, hsd_error *err)
{
    for (;;) {
        while (j->told >= j->part.reference_count)
            HSD_TRY(next_part(j, err));
        const uint32_t i = j->told++;
        if (j->has_places && i + AHEAD < j->part.reference_count)
            hsd_places_prefetch(&j->places, j->part.targets[i + AHEAD]);
        const uint64_t target = place_of(j, j->part.targets[i]);
        if (target == HSD_NO_PLACE) {
            j->lost++;
            continue;
        }
        j->passed++;
        *reference = (hsd_joined_reference){.target = target,
                                            .target_id = id_of(j, j->part.targets[i], target),
                                            .index = j->part.indexes[i],
                                            .label = j->part.labels[i]};
        return HSD_OK;
    }
}

/* The object behind the one that is told, whose references are passed over. */
static hsd_status advance_joined_graph(hsd_joined *j, hsd_error *err)
{
    hsd_joined_reference skipped;
    hsd_status status = HSD_OK;
    while (j->is_straight && (status = next_straight(j, &skipped, err)) == HSD_OK) {
    }
    if (status < 0) return status;
    while (!j->has_next) {
        status = next_part(j, err);
        if (status < 0) return status;
        if (j->is_at_end) return HSD_OK;
    }
    return HSD_OK;
}

static hsd_status end_pass(hsd_joined *j)
{
    const bool is_first = j->is_straight && j->reference_count == UINT64_MAX;
    if (is_first) j->dangling += j->lost;
    if (is_first) j->reference_count = j->passed + (j->references == NULL ? 0 : hsd_sorter_count(j->references));
    return HSD_END;
}

hsd_status hsd_joined_next_object(hsd_joined *j, hsd_object *object, hsd_error *err)
{
    HSD_TRY(advance_joined_graph(j, err));
    if (!j->has_next) return end_pass(j);
    j->part = j->next;
    j->has_next = false;
    j->told = 0;
    j->ordinal = j->part.ordinal;
    for (uint32_t i = 0; j->has_places && i < j->part.reference_count && i < AHEAD; i++)
        hsd_places_prefetch(&j->places, j->part.targets[i]);
    *object = j->part;
    object->reference_count = 0;
    object->targets = NULL;
    object->labels = NULL;
    object->indexes = NULL;
    return HSD_OK;
}

/* ---- references ---- */

static hsd_status next_sorted(hsd_joined *j, hsd_joined_reference *reference, hsd_error *err)
{
    while (j->ahead != NULL && j->ahead[0] < j->ordinal)
        HSD_TRY(step_joined_graph(j->references, &j->ahead, err));
    if (j->ahead == NULL || j->ahead[0] != j->ordinal) return HSD_END;
    *reference = (hsd_joined_reference){.target = j->ahead[2],
                                        .label = (uint32_t)j->ahead[3],
                                        .index = j->ahead[4],
                                        .target_id = j->options.want_ids ? j->ahead[5] : 0};
    return step_joined_graph(j->references, &j->ahead, err);
}

hsd_status hsd_joined_next_reference(hsd_joined *j, hsd_joined_reference *reference, hsd_error *err)
{
    if (j->options.no_references) return next_part(j, err);
    if (j->is_straight) {
        const hsd_status status = next_straight(j, reference, err);
        if (status != HSD_END) return status;
    }
    return j->references == NULL ? HSD_END : next_sorted(j, reference, err);
}

/* ---- roots ---- */

hsd_status hsd_joined_rewind_roots(hsd_joined *j, hsd_error *err)
{
    HSD_TRY(hsd_sorter_rewind(j->roots, err));
    return step_joined_graph(j->roots, &j->root, err);
}

hsd_status hsd_joined_next_root(hsd_joined *j, hsd_joined_root *root, hsd_error *err)
{
    const uint64_t *word = j->root;
    if (word == NULL) return HSD_END;
    *root = (hsd_joined_root){.target = word[1],
                              .target_id = j->options.want_ids ? word[2] : 0,
                              .kind = (uint32_t)(word[3] >> 32),
                              .flags = (uint32_t)word[3],
                              .label = (uint32_t)word[4],
                              .thread = (uint32_t)(word[5] >> 32),
                              .frame = (uint32_t)word[5]};
    return step_joined_graph(j->roots, &j->root, err);
}

uint64_t hsd_joined_reference_count(const hsd_joined *j) { return j->options.no_references ? 0 : j->reference_count; }

uint64_t hsd_joined_root_count(const hsd_joined *j) { return hsd_sorter_count(j->roots); }

uint64_t hsd_joined_dangling(const hsd_joined *j) { return j->dangling; }

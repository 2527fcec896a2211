/*
 * Nodes and their ids. See ids.h.
 */
#include "export/heapsnapshot/ids.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/mix.h"
#include "sort/radix.h"
#include <hscapture/hscapture.h>

/* Places: what ids are made of, 2 (place + reserved) + 1. */
#define PLACES       ((UINT64_C(1) << 31) - HSD_SNAP_RESERVED_IDS)
#define SMALL_PLACES (UINT64_C(1) << 30)
#define SPARE_PLACES (UINT64_C(1) << 20) /* behind the last that a hash gives: for those that meet at the end */

#define MOST_EMBEDDER 65536u

enum { MET_WORDS = 3, PLACED_WORDS = 1 };

static uint32_t id_of(uint64_t place) { return (uint32_t)(2 * (place + HSD_SNAP_RESERVED_IDS) + 1); }

static hsd_status too_many(hsd_error *err)
{
    hsd_fail(err, HSD_E_UNSUPPORTED, "the capture has more objects than a heap snapshot has ids");
    hsd_error_set_hint(err, "formats without that limit: sqlite, pprof (hsdiff help formats)");
    return HSD_E_UNSUPPORTED;
}

/* ---- what the objects are ---- */

typedef struct survey {
    hsd_snap_ids *ids;
    const hsd_snap_kinds *kinds;
    const hsd_capture_info *info;
    uint64_t greatest;            /* id */
    hsd_sorter *met;              /* by place and id */
    uint64_t *words, *own, count; /* in memory: place << 32 | number of the node; ids of the capture; how many */
} survey;

static bool is_embedder(const survey *s, const hsd_object *object)
{
    return s->kinds->is_v8 && object->ordinal < UINT32_MAX && s->ids->embedder_count < MOST_EMBEDDER &&
           hsd_snap_kind_of(s->kinds, object->type).node == HSD_SNAP_NODE_SYNTHETIC;
}

static hsd_status look_heapsnapshot_id(survey *s, const hsd_object *object, hsd_error *err)
{
    hsd_snap_ids *ids = s->ids;
    if (hsd_snap_is_group(s->kinds, object)) return HSD_OK;
    if (is_embedder(s, object)) {
        ids->embedder_count++;
        HSD_TRY(hsd_id_map_put(&ids->embedder, (uint32_t)object->ordinal, HSD_SNAP_EMPTY, err));
    }
    s->greatest = hsd_max_u64(s->greatest, object->id);
    if (ids->kept != NULL && object->ordinal < ids->ordinals)
        ids->kept[object->ordinal >> 6] |= UINT64_C(1) << (object->ordinal & 63);
    ids->count++;
    return HSD_OK;
}

static uint64_t place_of(const survey *s, uint64_t id)
{
    const bool is_exact = s->info->identity == HSD_IDENTITY_EXACT;
    if (is_exact && id < SMALL_PLACES) return id;
    const uint64_t first = is_exact ? SMALL_PLACES : 0;
    return first + hsd_mix(1, id) % (PLACES - SPARE_PLACES - first);
}

static hsd_status put_met(survey *s, const hsd_object *object, hsd_error *err)
{
    if (hsd_snap_is_group(s->kinds, object)) return HSD_OK;
    const uint64_t record[MET_WORDS] = {place_of(s, object->id), object->id, object->ordinal};
    return hsd_sorter_put(s->met, record, err);
}

typedef hsd_status look_fn(survey *s, const hsd_object *object, hsd_error *err);

static hsd_status for_each_heapsnapshot_id(survey *s, hsd_export *x, look_fn *look_at, hsd_error *err)
{
    hsd_object_reader *reader;
    hsd_object object;
    hsd_status status;
    uint64_t seen = 0;
    HSD_TRY(hsd_object_reader_open(&reader, x->after, HSD_WANT_IDS, err));
    while ((status = hsd_object_reader_next(reader, &object, err)) == HSD_OK) {
        if (!object.is_continuation) status = look_at(s, &object, err);
        if (status == HSD_OK && (++seen & 0xffff) == 0)
            status = hsd_progress(x->reporter, "numbering", seen, s->info->objects, err);
        if (status != HSD_OK) break;
    }
    hsd_object_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

/* ---- which become nodes ---- */

static hsd_status make_bits(hsd_snap_ids *ids, uint64_t memory_bytes, hsd_error *err)
{
    const uint64_t words = ids->ordinals / 64 + 1, bytes = words * (sizeof *ids->kept + sizeof *ids->before);
    if (bytes > memory_bytes) {
        hsd_fail(err, HSD_E_OVER_BUDGET, "the memory given is too small for %llu objects",
                 (unsigned long long)ids->ordinals);
        hsd_error_set_hint(err, "--memory %lluM is enough", (unsigned long long)(bytes * 8 >> 20) + 16);
        return HSD_E_OVER_BUDGET;
    }
    ids->kept = calloc((size_t)words, sizeof *ids->kept);
    ids->before = calloc((size_t)words, sizeof *ids->before);
    return ids->kept == NULL || ids->before == NULL ? hsd_fail_nomem(err, "a bit of each object") : HSD_OK;
}

static void count_bits(hsd_snap_ids *ids)
{
    uint32_t before = 0;
    for (uint64_t i = 0; i < ids->ordinals / 64 + 1; i++) {
        ids->before[i] = before;
        before += (uint32_t)__builtin_popcountll(ids->kept[i]);
    }
}

/* ---- ids that have to be sorted, in memory ---- */

/* Bytes an object: words, what they are sorted with, ids of both kinds. */
enum { IN_MEMORY_BYTES = 3 * sizeof(uint64_t) + sizeof(uint32_t) };

static hsd_status keep_met(survey *s, const hsd_object *object, hsd_error *err)
{
    if (hsd_snap_is_group(s->kinds, object)) return HSD_OK;
    if (s->count == s->ids->count) return hsd_fail(err, HSD_E_CORRUPT, "the capture has more objects than before");
    s->words[s->count] = place_of(s, object->id) << 32 | s->count;
    s->own[s->count++] = object->id;
    return HSD_OK;
}

/* Those who met in one place, by their ids in the capture. */
static hsd_status order_alike(survey *s, uint64_t first, uint64_t end, hsd_error *err)
{
    const uint64_t count = end - first, place = s->words[first] >> 32 << 32;
    uint64_t *records = calloc((size_t)count, 4 * sizeof *records);
    if (records == NULL) return hsd_fail_nomem(err, "the ids of objects");
    for (uint64_t i = 0; i < count; i++) {
        records[2 * i + 1] = s->words[first + i] & UINT32_MAX;
        records[2 * i] = s->own[records[2 * i + 1]];
    }
    hsd_radix_sort(records, records + 2 * count, (size_t)count, 2);
    for (uint64_t i = 0; i < count; i++)
        s->words[first + i] = place | records[2 * i + 1];
    free(records);
    return HSD_OK;
}

static hsd_status give_in_memory(survey *s, hsd_error *err)
{
    uint64_t free_place = 0;
    for (uint64_t i = 0, end = 0; i < s->count; i++) {
        if (i == end) {
            while (end < s->count && s->words[end] >> 32 == s->words[i] >> 32)
                end++;
            if (end - i > 1) HSD_TRY(order_alike(s, i, end, err));
        }
        const uint64_t place = hsd_max_u64(s->words[i] >> 32, free_place);
        if (place >= PLACES) return too_many(err);
        free_place = place + 1;
        s->ids->given[s->words[i] & UINT32_MAX] = id_of(place);
    }
    return HSD_OK;
}

static hsd_status sort_in_memory(survey *s, hsd_export *x, hsd_error *err)
{
    const size_t count = (size_t)s->ids->count + 1;
    s->words = calloc(count, sizeof *s->words);
    s->own = calloc(count, sizeof *s->own);
    s->ids->given = calloc(count, sizeof *s->ids->given);
    uint64_t *scratch = calloc(count, sizeof *scratch);
    const bool has_memory = s->words != NULL && s->own != NULL && s->ids->given != NULL && scratch != NULL;
    const hsd_status status =
        has_memory ? for_each_heapsnapshot_id(s, x, keep_met, err) : hsd_fail_nomem(err, "the ids of objects");
    if (status == HSD_OK) hsd_radix_sort(s->words, scratch, (size_t)s->count, 1);
    free(scratch);
    return status == HSD_OK ? give_in_memory(s, err) : status;
}

/* ---- the same, outside of it ---- */

static hsd_status make_sorter(hsd_sorter **out, unsigned words, unsigned keys, uint64_t bytes, hsd_export *x,
                              hsd_error *err)
{
    const hsd_sorter_config config = {.record_words = words,
                                      .key_words = keys,
                                      .codec = HSD_RUN_DELTA,
                                      .space = x->space,
                                      .reporter = x->reporter,
                                      .memory_bytes = (size_t)hsd_max_u64(bytes, HSD_SORT_MIN_BYTES)};
    return hsd_sorter_new(out, &config, err);
}

/* By place; who finds his taken gets the next one that is free. */
static hsd_status give_places(survey *s, hsd_error *err)
{
    const uint64_t *met;
    uint64_t free_place = 0;
    hsd_status status;
    while ((status = hsd_sorter_next(s->met, &met, err)) == HSD_OK) {
        const uint64_t place = hsd_max_u64(met[0], free_place);
        if (place >= PLACES) return too_many(err);
        free_place = place + 1;
        const uint64_t record = met[2] << 32 | id_of(place);
        HSD_TRY(hsd_sorter_put(s->ids->sorted, &record, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status sort_ids(survey *s, hsd_export *x, uint64_t memory_bytes, hsd_error *err)
{
    if (s->info->ordinals > UINT32_MAX) return too_many(err);
    if (s->ids->count <= memory_bytes / IN_MEMORY_BYTES) return sort_in_memory(s, x, err);
    HSD_TRY(make_sorter(&s->met, MET_WORDS, 2, memory_bytes / 2, x, err));
    HSD_TRY(make_sorter(&s->ids->sorted, PLACED_WORDS, 1, memory_bytes / 2, x, err));
    HSD_TRY(for_each_heapsnapshot_id(s, x, put_met, err));
    HSD_TRY(hsd_sorter_finish(s->met, 0, err));
    HSD_TRY(give_places(s, err));
    hsd_sorter_free(s->met);
    s->met = NULL;
    return hsd_sorter_finish(s->ids->sorted, (size_t)hsd_max_u64(memory_bytes / 4, HSD_SORT_MIN_BYTES), err);
}

/* ---- the rule ---- */

static hsd_snap_id_rule rule_of(const survey *s)
{
    const bool is_exact = s->info->identity == HSD_IDENTITY_EXACT;
    if (!is_exact && s->info->identity != HSD_IDENTITY_ADDRESS) return HSD_SNAP_IDS_COUNTED;
    if (is_exact && s->kinds->is_v8 && s->greatest <= UINT32_MAX - 2 * HSD_SNAP_RESERVED_IDS) return HSD_SNAP_IDS_KEPT;
    return is_exact && s->greatest < SMALL_PLACES ? HSD_SNAP_IDS_SMALL : HSD_SNAP_IDS_SORTED;
}

/* Where the ids begin of a capture whose own ones say nothing. */
static uint64_t first_place(const survey *s)
{
    uint64_t halves[2];
    memcpy(halves, s->info->capture_id, sizeof halves);
    const uint64_t room = s->ids->count < PLACES ? PLACES - s->ids->count : 1;
    return hsd_mix(hsd_mix(1, halves[0]), halves[1]) % room;
}

/* Addresses are sorted whatever they are, and without other nodes among them all objects are counted. */
static bool needs_no_look(const survey *s) { return s->info->identity == HSD_IDENTITY_ADDRESS && s->ids->kept == NULL; }

static hsd_status open_ids(survey *s, hsd_export *x, uint64_t memory_bytes, hsd_error *err)
{
    hsd_snap_ids *ids = s->ids;
    const bool has_gaps = s->info->ordinals != s->info->objects;
    ids->ordinals = s->info->ordinals;
    if (s->kinds->is_v8 || has_gaps) HSD_TRY(make_bits(ids, memory_bytes, err));
    if (needs_no_look(s))
        ids->count = s->info->objects;
    else
        HSD_TRY(for_each_heapsnapshot_id(s, x, look_heapsnapshot_id, err));
    if (ids->count >= PLACES) return too_many(err);
    if (ids->kept != NULL) count_bits(ids);
    ids->rule = rule_of(s);
    ids->first_other = ids->rule == HSD_SNAP_IDS_KEPT ? (uint32_t)(s->greatest | 1) + 2 : 5;
    if (ids->rule == HSD_SNAP_IDS_COUNTED) ids->next = first_place(s);
    return ids->rule == HSD_SNAP_IDS_SORTED ? sort_ids(s, x, memory_bytes, err) : HSD_OK;
}

hsd_status hsd_snap_ids_open(hsd_snap_ids *ids, const hsd_snap_kinds *kinds, hsd_export *x, uint64_t memory_bytes,
                             hsd_error *err)
{
    *ids = (hsd_snap_ids){0};
    survey s = {.ids = ids, .kinds = kinds, .info = hsd_capture_get_info(x->after)};
    const hsd_status status = open_ids(&s, x, memory_bytes, err);
    hsd_sorter_free(s.met);
    free(s.words);
    free(s.own);
    return status;
}

hsd_status hsd_snap_ids_next(hsd_snap_ids *ids, uint64_t id, uint32_t *out, hsd_error *err)
{
    const uint64_t *record;
    switch (ids->rule) {
    case HSD_SNAP_IDS_KEPT: *out = (uint32_t)id; return HSD_OK;
    case HSD_SNAP_IDS_SMALL: *out = id_of(id); return HSD_OK;
    case HSD_SNAP_IDS_COUNTED: *out = id_of(ids->next++); return HSD_OK;
    case HSD_SNAP_IDS_SORTED: break;
    }
    const bool is_over = ids->given != NULL && ids->next == ids->count;
    if (ids->given != NULL && !is_over) {
        *out = ids->given[ids->next++];
        return HSD_OK;
    }
    const hsd_status status = is_over ? HSD_END : hsd_sorter_next(ids->sorted, &record, err);
    if (status == HSD_END)
        return hsd_fail(err, HSD_E_CORRUPT, "the capture has other objects now than when they were numbered");
    HSD_TRY(status);
    *out = (uint32_t)*record;
    return HSD_OK;
}

void hsd_snap_ids_release(hsd_snap_ids *ids)
{
    hsd_sorter_free(ids->sorted);
    free(ids->given);
    hsd_id_map_release(&ids->embedder);
    free(ids->kept);
    free(ids->before);
    *ids = (hsd_snap_ids){0};
}

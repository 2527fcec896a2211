/* Loading: tables first, then every object twice, for the ids and for the references. */
#include "heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/id_map.h"
#include <hscapture/hscapture.h>

typedef struct loading {
    heap *h;
    hsd_id_map strings, types, labels; /* number in the capture -> place */
    uint64_t *string_hashes;
    hsd_label *label_rows;
    uint64_t reference_capacity;
    uint64_t reference_count;
} loading;

_Noreturn void heap_fail(const char *what)
{
    fprintf(stderr, "hsd_measure: %s\n", what);
    exit(1);
}

void heap_check(hsd_status status, const hsd_error *err)
{
    if (status < 0) heap_fail(err->text);
}

void *heap_new(uint64_t count, uint64_t size)
{
    void *made = calloc(count + 1, size);
    if (made == NULL) heap_fail("out of memory");
    return made;
}

uint64_t heap_mix(uint64_t a, uint64_t b)
{
    uint64_t x = a * UINT64_C(0x9E3779B97F4A7C15) + b + UINT64_C(0x632BE59BD9B4E019);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

uint64_t heap_hash_text(const char *text, size_t size)
{
    uint64_t hash = size;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (uint8_t)text[i]) * UINT64_C(0x100000001B3);
    return heap_mix(hash, size) | 1;
}

uint32_t heap_find(const heap *h, uint64_t id)
{
    uint64_t slot = heap_mix(id, 0) & h->slot_mask;
    while (h->slots[slot] != 0 && h->objects[h->slots[slot] - 1].id != id)
        slot = (slot + 1) & h->slot_mask;
    return h->slots[slot] == 0 ? HEAP_NONE : h->slots[slot] - 1;
}

/* ---- tables ---- */

typedef void (*record_fn)(loading *l, uint32_t place, const hsd_record *record);

static void for_each_record(loading *l, hsd_record_kind kind, record_fn take)
{
    hsd_record_reader *reader;
    hsd_record record;
    hsd_error err;
    uint32_t place = 0;
    hsd_error_init(&err);
    heap_check(hsd_record_reader_open(&reader, l->h->capture, kind, &err), &err);
    hsd_status status;
    while ((status = hsd_record_reader_next(reader, &record, &err)) == HSD_OK)
        take(l, place++, &record);
    heap_check(status, &err);
    hsd_record_reader_close(reader);
}

static void put(hsd_id_map *map, uint32_t key, uint32_t place)
{
    hsd_error err;
    hsd_error_init(&err);
    heap_check(hsd_id_map_put(map, key, place, &err), &err);
}

static void take_string(loading *l, uint32_t place, const hsd_record *r)
{
    put(&l->strings, r->string.id, place);
    l->string_hashes[place] = heap_hash_text(r->string.text.data, r->string.text.size);
}

static void take_type(loading *l, uint32_t place, const hsd_record *r)
{
    const hsd_text name = r->type.name;
    put(&l->types, r->type.id, place);
    l->h->types[place] = (heap_type){heap_new(name.size, 1), heap_hash_text(name.data, name.size)};
    memcpy(l->h->types[place].name, name.data, name.size);
}

static void take_label(loading *l, uint32_t place, const hsd_record *r)
{
    put(&l->labels, r->label.id, place);
    l->label_rows[place] = r->label;
}

static uint64_t string_hash(const loading *l, uint32_t string)
{
    const uint32_t place = string == 0 ? HSD_ID_NONE : hsd_id_map_get(&l->strings, string);
    return place == HSD_ID_NONE ? 0 : l->string_hashes[place];
}

static void take_root(loading *l, uint32_t place, const hsd_record *r)
{
    const bool by_ordinal = hsd_capture_get_info(l->h->capture)->targets_are_ordinals;
    l->h->roots[place] = (heap_root){by_ordinal ? (uint32_t)r->root.target : heap_find(l->h, r->root.target),
                                     heap_mix(r->root.kind, string_hash(l, r->root.label))};
}

/* ---- objects ---- */

typedef void (*object_fn)(loading *l, const hsd_object *object);

static void for_each_object(loading *l, unsigned want, object_fn take)
{
    hsd_object_reader *reader;
    hsd_object object;
    hsd_error err;
    hsd_error_init(&err);
    heap_check(hsd_object_reader_open(&reader, l->h->capture, want, &err), &err);
    hsd_status status;
    while ((status = hsd_object_reader_next(reader, &object, &err)) == HSD_OK)
        take(l, &object);
    heap_check(status, &err);
    hsd_object_reader_close(reader);
}

static void take_object(loading *l, const hsd_object *o)
{
    heap *h = l->h;
    if (o->is_continuation) return;
    const uint32_t type = hsd_id_map_get(&l->types, o->type);
    if (type == HSD_ID_NONE || o->ordinal >= h->count) heap_fail("an object of a type that is not defined");
    heap_object *made = &h->objects[o->ordinal];
    const char *name = h->types[type].name;
    const size_t length = strlen(name);
    *made = (heap_object){.id = o->id,
                          .type = type,
                          .bytes = o->size_bytes,
                          .name = string_hash(l, o->name),
                          .shape = heap_mix(heap_mix(h->types[type].hash, o->size_bytes), o->elements),
                          .is_array = length > 2 && strcmp(name + length - 2, "[]") == 0};
    uint64_t slot = heap_mix(o->id, 0) & h->slot_mask;
    while (h->slots[slot] != 0)
        slot = (slot + 1) & h->slot_mask;
    h->slots[slot] = (uint32_t)o->ordinal + 1;
}

static void add_reference(loading *l, uint64_t source, uint64_t target_id, uint32_t label, uint64_t index)
{
    heap *h = l->h;
    const uint32_t place = label == 0 ? HSD_ID_NONE : hsd_id_map_get(&l->labels, label);
    const hsd_label none = {0}, *row = place == HSD_ID_NONE ? &none : &l->label_rows[place];
    const bool by_ordinal = hsd_capture_get_info(h->capture)->targets_are_ordinals;
    const uint32_t target = by_ordinal ? (uint32_t)target_id : heap_find(h, target_id);
    if ((row->flags & HSC_STRENGTH_MASK) == HSC_STRENGTH_WEAK || target >= h->count || target == source) return;
    const uint64_t where = row->kind == HSC_LABEL_ELEMENT ? index : 0;
    if (l->reference_count == l->reference_capacity) heap_fail("more references than the capture says");
    h->out[l->reference_count++] =
        (heap_reference){.target = target,
                         .is_named_root = (row->flags & HSC_LABEL_NAMED_ROOT) != 0,
                         .slot = heap_mix(heap_mix(row->kind, string_hash(l, row->name)), where)};
}

static void take_references(loading *l, const hsd_object *o)
{
    heap *h = l->h;
    if (!o->is_continuation) h->first[o->ordinal] = l->reference_count;
    for (uint32_t i = 0; i < o->reference_count; i++)
        add_reference(l, o->ordinal, o->targets[i], o->labels[i], o->indexes[i]);
    h->first[o->ordinal + 1] = l->reference_count;
}

/* The lists of referrers: count, add up, fill. */
static void turn_around(heap *h)
{
    const uint64_t references = h->first[h->count];
    for (uint64_t r = 0; r < references; r++)
        h->first_in[h->out[r].target + UINT64_C(1)]++;
    for (uint32_t i = 0; i < h->count; i++)
        h->first_in[i + 1] += h->first_in[i];
    uint64_t *next = heap_new(h->count, sizeof *next);
    memcpy(next, h->first_in, h->count * sizeof *next);
    for (uint32_t i = 0; i < h->count; i++)
        for (uint64_t r = h->first[i]; r < h->first[i + 1]; r++) {
            heap_reference *in = &h->in[next[h->out[r].target]++];
            *in = h->out[r];
            in->target = i;
        }
    free(next);
}

static void make_tables(loading *l, const hsd_capture_info *info)
{
    heap *h = l->h;
    h->count = (uint32_t)info->ordinals;
    h->type_count = (uint32_t)info->types;
    h->root_count = (uint32_t)info->roots;
    h->objects = heap_new(h->count, sizeof *h->objects);
    h->first = heap_new(h->count + UINT64_C(1), sizeof *h->first);
    h->first_in = heap_new(h->count + UINT64_C(1), sizeof *h->first_in);
    h->out = heap_new(info->references, sizeof *h->out);
    h->in = heap_new(info->references, sizeof *h->in);
    h->roots = heap_new(info->roots, sizeof *h->roots);
    h->types = heap_new(info->types, sizeof *h->types);
    l->reference_capacity = info->references;
    l->string_hashes = heap_new(info->strings, sizeof *l->string_hashes);
    l->label_rows = heap_new(info->labels, sizeof *l->label_rows);
    uint64_t slots = 1024;
    while (slots < 2 * (uint64_t)h->count)
        slots *= 2;
    h->slots = heap_new(slots, sizeof *h->slots);
    h->slot_mask = slots - 1;
}

void heap_load(heap *h, const char *path)
{
    hsd_error err;
    loading l = {.h = h};
    hsd_error_init(&err);
    *h = (heap){0};
    heap_check(hsd_capture_open(&h->capture, path, HSD_DAMAGE_REFUSE, NULL, &err), &err);
    const hsd_capture_info *info = hsd_capture_get_info(h->capture);
    /* edges of their own are left out: those of a JVM are to what a Cleaner calls, some dozens */
    if (info->ordinals != info->objects || info->ordinals >= HEAP_NONE - 1)
        heap_fail("a capture with gaps, or of more than 4 G objects");
    make_tables(&l, info);
    for_each_record(&l, HSD_RECORD_STRING, take_string);
    for_each_record(&l, HSD_RECORD_TYPE, take_type);
    for_each_record(&l, HSD_RECORD_LABEL, take_label);
    for_each_object(&l, HSD_WANT_IDS | HSD_WANT_SIZES | HSD_WANT_DETAILS, take_object);
    for_each_object(&l, HSD_WANT_IDS | HSD_WANT_REFERENCES | HSD_WANT_LABELS | HSD_WANT_INDEXES, take_references);
    for_each_record(&l, HSD_RECORD_ROOT, take_root);
    turn_around(h);
    free(l.string_hashes);
    free(l.label_rows);
    hsd_id_map_release(&l.strings);
    hsd_id_map_release(&l.types);
    hsd_id_map_release(&l.labels);
}

void heap_release(heap *h)
{
    for (uint32_t i = 0; i < h->type_count; i++)
        free(h->types[i].name);
    free(h->objects);
    free(h->first);
    free(h->first_in);
    free(h->out);
    free(h->in);
    free(h->roots);
    free(h->types);
    free(h->slots);
    hsd_capture_close(h->capture);
}

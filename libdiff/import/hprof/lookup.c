/*
 * Looking up a few objects by id, for what the records outside the heap do not say: the names of the
 * threads and the version of the JVM. Both are java.lang.Strings, so it takes three rounds:
 *
 *      round 1   Thread objects         -> id of field `name`        (static strings join here)
 *      round 2   String objects         -> id of field `value`, coder, offset, count
 *      round 3   byte[] or char[]       -> text
 *
 * Each round sorts the ids that it wants and reads only those stretches of the file whose smallest
 * and largest id say that one of them may be there. In old JVMs Thread.name is a char[], and a
 * String is a part of one: the rounds take what they find.
 *
 * No other content is read: not of strings that anything else refers to.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/search.h"
#include "import/hprof/hprof.h"

#define MAX_THREADS  UINT32_C(16384) /* whose names are looked up */
#define MAX_UNITS    256u            /* of a text: more is cut */
#define MAX_INSTANCE 4096u           /* bytes of an instance that are looked at */
#define MAX_ARRAY    8192u           /* bytes of an array that are */

/* ---- what is wanted ---- */

typedef struct wanted {
    uint64_t id;          /* of the object to look at in this round */
    uint64_t next;        /* in the next one; 0 = none */
    hprof_thread *thread; /* that the text names; NULL = the version */
    uint32_t offset;      /* of the text in its array */
    uint32_t count;       /* units; UINT32_MAX = all */
    uint8_t coder;        /* 0 Latin-1, 1 UTF-16 */
    bool is_found;        /* in this round; said of the first item with an id */
} wanted;

typedef struct lookup {
    hprof *self;
    hprof_reader reader;
    wanted *items; /* by id within a round */
    uint32_t count, capacity;
    uint64_t least, most;
    uint8_t instance[MAX_INSTANCE];
    uint8_t array[MAX_ARRAY];
} lookup;

static hsd_status want_hprof_lookup(lookup *l, uint64_t id, hprof_thread *thread, hsd_error *err)
{
    if (id == 0) return HSD_OK;
    HSD_TRY(hsd_import_grow((void **)&l->items, &l->capacity, l->count, sizeof *l->items, err));
    l->items[l->count++] = (wanted){.id = id, .thread = thread, .count = UINT32_MAX};
    return HSD_OK;
}

static int by_id(const void *a, const void *b)
{
    const uint64_t x = ((const wanted *)a)->id, y = ((const wanted *)b)->id;
    return x < y ? -1 : x > y;
}

/* First item whose id is not below `id`. */
static uint32_t lower_bound(const lookup *l, uint64_t id)
{
    uint32_t low;
    HSD_LOWER_BOUND(low, 0, l->count, l->items[low].id, id);
    return low;
}

/* ---- looking at an object ---- */

/* Offset of an instance field in the data of instances of `of`; false if it has none of that name.
 * `owner` is the class that declares it. */
static bool find_field(const hprof *self, const hprof_class *of, const char *owner, const char *name, uint32_t *offset,
                       uint8_t *type)
{
    uint64_t at = 0;
    for (unsigned depth = 0; of != NULL && depth < HPROF_MAX_DEPTH; depth++) {
        const bool is_owner = hsd_hprof_is_class(&self->names, of, owner);
        for (uint32_t i = 0; i < of->field_count; i++) {
            const hprof_field *field = &self->classes.fields[of->first_field + i];
            if (at > MAX_INSTANCE - 8) return false;
            if (is_owner && hsd_hprof_equals(hsd_hprof_name(&self->names, field->name), name)) {
                *offset = (uint32_t)at;
                *type = field->type;
                return true;
            }
            at += hsd_hprof_is_reference(field->type) ? self->reader.id_bytes : hsd_hprof_width[field->type];
        }
        of = hsd_hprof_super(&self->classes, of);
    }
    return false;
}

/* The value of a field as a number; 0 if it is not there. */
static uint64_t field_of(const lookup *l, const hprof_class *of, size_t size, const char *owner, const char *name)
{
    uint32_t offset = 0;
    uint8_t type = 0;
    if (!find_field(l->self, of, owner, name, &offset, &type)) return 0;
    const unsigned width = hsd_hprof_is_reference(type) ? l->reader.id_bytes : hsd_hprof_width[type];
    if (offset + width > size) return 0;
    const uint8_t *at = l->instance + offset;
    switch (width) {
    case 1: return at[0];
    case 2: return hsd_hprof_u16(at);
    case 4: return hsd_hprof_u32(at);
    default: return hsd_hprof_u64(at);
    }
}

static void look_at_instance(lookup *l, wanted *item, const hprof_class *of, size_t size)
{
    static const char string[] = "java.lang.String", thread[] = "java.lang.Thread";
    const hprof *self = l->self;
    if (hsd_hprof_is_class(&self->names, of, string)) {
        item->next = field_of(l, of, size, string, "value");
        item->coder = (uint8_t)field_of(l, of, size, string, "coder");
        item->offset = (uint32_t)field_of(l, of, size, string, "offset");
        uint32_t at = 0;
        uint8_t type = 0;
        if (find_field(self, of, string, "offset", &at, &type))
            item->count = (uint32_t)field_of(l, of, size, string, "count");
    } else if (item->thread != NULL && hsd_hprof_descends(&self->classes, &self->names, of, thread)) {
        item->next = field_of(l, of, size, thread, "name");
    }
}

/* UTF-16 code units -> UTF-8. `to` has room for 3 bytes a unit. */
static size_t units_to_utf8(const uint8_t *from, size_t units, bool is_big_endian, uint8_t *to)
{
    size_t used = 0;
    for (size_t i = 0; i < units; i++) {
        const uint8_t *at = from + 2 * i;
        const uint32_t unit = is_big_endian ? (uint32_t)at[0] << 8 | at[1] : (uint32_t)at[1] << 8 | at[0];
        if (unit < 0x80) {
            to[used++] = (uint8_t)unit;
        } else if (unit < 0x800) {
            to[used++] = (uint8_t)(0xc0 | unit >> 6);
            to[used++] = (uint8_t)(0x80 | (unit & 0x3f));
        } else {
            to[used++] = (uint8_t)(0xe0 | unit >> 12);
            to[used++] = (uint8_t)(0x80 | (unit >> 6 & 0x3f));
            to[used++] = (uint8_t)(0x80 | (unit & 0x3f));
        }
    }
    return hsd_hprof_to_utf8(to, used, to); /* joins surrogates */
}

static size_t latin1_to_utf8(const uint8_t *from, size_t size, uint8_t *to)
{
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        if (from[i] >= 0x80) to[used++] = (uint8_t)(0xc0 | from[i] >> 6);
        to[used++] = from[i] < 0x80 ? from[i] : (uint8_t)(0x80 | (from[i] & 0x3f));
    }
    return used;
}

/* The text is found: where it goes. */
static hsd_status deliver(lookup *l, const wanted *item, const uint8_t *text, size_t size, hsd_error *err)
{
    hprof *self = l->self;
    if (item->thread == NULL) {
        snprintf(self->runtime, sizeof self->runtime, "%.*s", (int)size, (const char *)text);
        return HSD_OK;
    }
    const char *copy = hsd_arena_copy(&self->stacks.arena, text, size);
    if (copy == NULL) return hsd_fail_nomem(err, "the name of a thread");
    item->thread->name = (hsd_bytes){(const uint8_t *)copy, size};
    return HSD_OK;
}

/* The text that an item wants of an array, whose first `size` bytes are in l->array. */
static hsd_status look_at_array(lookup *l, const wanted *item, const hprof_sub *sub, size_t size, hsd_error *err)
{
    uint8_t text[MAX_UNITS * 3];
    const unsigned unit = sub->element == HPROF_CHAR || item->coder == 1 ? 2 : 1;
    const uint64_t units = size / unit;
    const uint64_t first = hsd_min_u64(item->offset, units);
    const size_t count = (size_t)hsd_min_u64(hsd_min_u64(units - first, item->count), MAX_UNITS);
    const uint8_t *from = l->array + first * unit;
    const size_t used =
        unit == 2 ? units_to_utf8(from, count, sub->element == HPROF_CHAR, text) : latin1_to_utf8(from, count, text);
    return deliver(l, item, text, used, err);
}

/* ---- reading the stretches ---- */

/* Items from `first` on want the object `sub`; *taken bytes of its body were read. */
static hsd_status look_at_hprof_lookup(lookup *l, wanted *first, const hprof_sub *sub, uint64_t *taken, hsd_error *err)
{
    const wanted *end = l->items + l->count;
    const hprof_class *of = NULL;
    const bool is_text = sub->tag == HPROF_PRIM_ARRAY && (sub->element == HPROF_BYTE || sub->element == HPROF_CHAR);
    if (sub->tag == HPROF_INSTANCE) of = hsd_hprof_class(&l->self->classes, sub->class_id);
    if (of == NULL && !is_text) return HSD_OK;
    const size_t size = (size_t)hsd_min_u64(sub->body, is_text ? sizeof l->array : sizeof l->instance);
    HSD_TRY(hsd_source_copy(l->reader.source, is_text ? l->array : l->instance, size, err));
    *taken = size;
    first->is_found = true;
    for (wanted *item = first; item < end && item->id == sub->id; item++) {
        if (is_text)
            HSD_TRY(look_at_array(l, item, sub, size, err));
        else
            look_at_instance(l, item, of, size);
    }
    return HSD_OK;
}

/* The next sub-record, in this heap segment or in one behind it. HSD_END behind the last one. */
static hsd_status next_anywhere(hprof_reader *reader, hprof_sub *sub, hsd_error *err)
{
    for (;;) {
        hprof_record record;
        const hsd_status status = hsd_hprof_next_sub(reader, reader->id_bytes, sub, err);
        if (status != HSD_END) return status;
        HSD_TRY(hsd_hprof_next_record(reader, &record, err));
        if (record.tag == HPROF_SEGMENT || record.tag == HPROF_HEAP_DUMP) continue;
        HSD_TRY(hsd_hprof_leave(reader, &record, err));
        reader->segment_end = hsd_source_offset(reader->source);
    }
}

static hsd_status read_chunk(lookup *l, const hprof_chunk *chunk, uint64_t end, hsd_error *err)
{
    hprof_reader *reader = &l->reader;
    hprof_sub sub;
    HSD_TRY(hsd_source_seek(reader->source, chunk->offset, err));
    reader->segment_end = hsd_min_u64(chunk->segment_end, reader->limit);
    reader->is_clamped = chunk->is_clamped;
    while (hsd_source_offset(reader->source) < end) {
        uint64_t taken = 0;
        hsd_status status = next_anywhere(reader, &sub, err);
        if (status == HSD_END) break;
        if (status == HSD_OK && sub.tag == HPROF_CLASS) {
            status = hsd_hprof_skip_class(reader, err);
        } else if (status == HSD_OK && sub.body > 0 && sub.id >= l->least && sub.id <= l->most) {
            wanted *first = l->items + lower_bound(l, sub.id);
            if (first->id == sub.id && !first->is_found) status = look_at_hprof_lookup(l, first, &sub, &taken, err);
        }
        if (status == HSD_OK) status = hsd_hprof_skip(reader, sub.body - taken, err);
        if (status < 0) return status;
    }
    return HSD_OK;
}

/* Looks at every wanted object once; what was not found is done. */
static hsd_status run_round(lookup *l, hsd_error *err)
{
    const hprof_chunks *chunks = &l->self->chunks;
    uint32_t kept = 0;
    if (l->count == 0) return HSD_OK;
    qsort(l->items, l->count, sizeof *l->items, by_id);
    l->least = l->items[0].id;
    l->most = l->items[l->count - 1].id;
    for (uint32_t i = 0; i < chunks->count; i++) {
        const hprof_chunk *chunk = &chunks->items[i];
        const uint32_t at = lower_bound(l, chunk->least);
        if (at == l->count || l->items[at].id > chunk->most) continue;
        const uint64_t end = i + 1 < chunks->count ? chunk[1].offset : l->self->heap_end;
        HSD_TRY(read_chunk(l, chunk, end, err));
    }
    for (uint32_t i = 0; i < l->count; i++) {
        l->items[i].id = l->items[i].next;
        l->items[i].next = 0;
        l->items[i].is_found = false;
        if (l->items[i].id != 0) l->items[kept++] = l->items[i];
    }
    l->count = kept;
    return HSD_OK;
}

/* ---- what to ask for ---- */

static hsd_status want_threads(lookup *l, hsd_error *err)
{
    const hprof_stacks *stacks = &l->self->stacks;
    uint32_t asked = 0;
    for (uint32_t i = 1; i <= stacks->thread_table.count && asked < MAX_THREADS; i++) {
        hprof_thread *thread = &stacks->threads[i];
        if (thread->is_virtual || thread->object == 0) continue;
        if (hsd_hprof_thread_name(thread, &l->self->names).size > 0) continue;
        HSD_TRY(want_hprof_lookup(l, thread->object, thread, err));
        asked++;
    }
    return HSD_OK;
}

/* The version stands in static strings: java.lang.VersionProps, before JDK 9 sun.misc.Version. */
static hsd_status want_version(lookup *l, hsd_error *err)
{
    const hprof *self = l->self;
    for (uint32_t i = 1; i <= self->classes.table.count; i++) {
        const hprof_class *class = &self->classes.items[i];
        if (!hsd_hprof_is_class(&self->names, class, "java.lang.VersionProps") &&
            !hsd_hprof_is_class(&self->names, class, "sun.misc.Version"))
            continue;
        for (uint32_t k = 0; k < class->static_count; k++) {
            const hprof_static *entry = &self->classes.statics[class->first_static + k];
            if (hsd_hprof_equals(hsd_hprof_name(&self->names, entry->name), "java_version"))
                return want_hprof_lookup(l, entry->value, NULL, err);
        }
    }
    return HSD_OK;
}

hsd_status hsd_hprof_look_up(hprof *self, hsd_error *err)
{
    hsd_hprof_find_virtual(&self->stacks, &self->classes, &self->names);
    lookup *l = calloc(1, sizeof *l);
    if (l == NULL) return hsd_fail_nomem(err, "looking up the threads");
    l->self = self;
    l->reader = self->reader;
    l->reader.limit = hsd_min_u64(l->reader.limit, self->reader.cut_offset);
    hsd_status status = self->flavour == HPROF_ANDROID ? HSD_OK : want_version(l, err);
    if (status == HSD_OK) status = want_threads(l, err);
    for (unsigned round = 0; round < 3 && status == HSD_OK; round++)
        status = run_round(l, err);
    free(l->items);
    free(l);
    return status;
}

/*
 * The hot path: hsc_begin_object, hsc_reference, hsc_end_object, and what happens when something does not
 * fit (make_room). A reference that fits costs a comparison, an and-not and three stores.
 *
 * A block ends where an object ends: an object in progress moves to the next block with the references it
 * has so far. Only one that already fills an eighth of the room for references is split; what follows is
 * a continuation (FORMAT.md 6.8).
 *
 *      objects  | id …   | type … | size … | ref_count … |      one column a field, narrow or wide
 *      refs     | target …        | label …        | index … |
 *      values   | bytes of previews … |
 */
#include "objects.h"

#include "bytes.h"
#include "column.h"
#include "layout.h"
#include "writer.h"

enum { LEAST_OBJECTS = 8, LEAST_REFERENCES = 16, OPEN_SHARE = 8, BULK = 256, COLUMN_SLACK = 8 };

static const uint8_t columns[HSC_FIELDS] = {
    HSC_COL_ID,         HSC_COL_TYPE,      HSC_COL_SIZE,     HSC_COL_NATIVE_SIZE, HSC_COL_ELEMENTS,
    HSC_COL_SITE,       HSC_COL_AGE,       HSC_COL_FLAGS,    HSC_COL_NAME,        HSC_COL_CATEGORY,
    HSC_COL_IDENTITY,   HSC_COL_CONTENT,   HSC_COL_VALUE_BYTES, HSC_COL_REF_COUNT, HSC_COL_REF_TARGET,
    HSC_COL_REF_LABEL,  HSC_COL_REF_INDEX};

/* The bits that a field may ever have. */
static const uint64_t widest[HSC_FIELDS] = {
    [HSC_F_ID] = UINT64_MAX,         [HSC_F_TYPE] = HSC_MAX_TABLE_ID, [HSC_F_SIZE] = UINT64_MAX,
    [HSC_F_NATIVE] = UINT64_MAX,     [HSC_F_ELEMENTS] = UINT64_MAX,   [HSC_F_SITE] = HSC_MAX_TABLE_ID,
    [HSC_F_AGE] = UINT32_MAX,        [HSC_F_FLAGS] = UINT32_MAX & ~HSC_OBJECT_CONTINUES,
    [HSC_F_NAME] = HSC_MAX_TABLE_ID, [HSC_F_CATEGORY] = HSC_MAX_TABLE_ID,
    [HSC_F_IDENTITY] = UINT64_MAX,   [HSC_F_CONTENT] = UINT64_MAX,
    [HSC_F_VALUE_BYTES] = UINT32_MAX, [HSC_F_REF_COUNT] = UINT32_MAX,
    [HSC_F_TARGET] = UINT64_MAX,     [HSC_F_LABEL] = HSC_MAX_TABLE_ID, [HSC_F_INDEX] = UINT64_MAX};

/* ---- the staging area ---- */

static void set_limits(hsc_objects *o)
{
    o->limit = o->is_open ? 0 : o->capacity;
    o->ref_limit = o->is_open ? o->ref_capacity : 0;
}

static size_t record_bytes(const uint8_t *width, unsigned from, unsigned to)
{
    size_t sum = 0;
    for (unsigned f = from; f < to; f++)
        sum += width[f];
    return sum;
}

static size_t min_size(size_t a, size_t b) { return a < b ? a : b; }
static size_t max_size(size_t a, size_t b) { return a > b ? a : b; }

/* Divides `room` bytes by the ratio of the last block; each side keeps a sixteenth at least. */
static void divide(hsc_objects *o, size_t room, size_t least_refs)
{
    const size_t object = record_bytes(o->width, 0, HSC_OBJECT_FIELDS);
    const size_t reference = record_bytes(o->width, HSC_OBJECT_FIELDS, HSC_FIELDS);
    const uint64_t pair = (uint64_t)object * 256 + (uint64_t)reference * o->refs_per_256;
    size_t objects = (size_t)((uint64_t)room * 256 / pair);
    objects = max_size(objects, max_size(room / 16 / object, LEAST_OBJECTS));
    objects = min_size(objects, HSC_MAX_RECORDS);
    size_t refs = (room - min_size(room, objects * object)) / reference;
    refs = max_size(refs, max_size(room / 16 / reference, max_size(least_refs, LEAST_REFERENCES)));
    refs = min_size(refs, HSC_MAX_REFERENCES);
    objects = min_size(objects, (room - refs * reference) / object);
    if (objects > HSC_MAX_OBJECTS - o->ordinal) objects = (size_t)(HSC_MAX_OBJECTS - o->ordinal);
    o->capacity = (uint32_t)max_size(objects, 1);
    o->ref_capacity = (uint32_t)refs;
}

/* Lays the empty area out for o->width. */
static void lay_out(hsc_objects *o, size_t least_refs)
{
    divide(o, o->memory_bytes - o->value_capacity - HSC_FIELDS * COLUMN_SLACK, least_refs);
    unsigned char *at = o->memory;
    for (unsigned f = 0; f < HSC_FIELDS; f++) {
        const size_t count = f < HSC_OBJECT_FIELDS ? o->capacity : o->ref_capacity;
        o->column[f] = o->width[f] != 0 ? at : NULL;
        o->mask[f] = o->width[f] == 0 ? 0 : o->width[f] == 4 ? widest[f] & UINT32_MAX : widest[f];
        at += (count * o->width[f] + 7) & ~(size_t)7;
    }
    o->values = at;
    o->used = o->ref_used = o->ref_start = o->value_used = 0;
}

void hsc_objects_init(hsc_objects *o, unsigned char *memory, size_t bytes, size_t value_bytes)
{
    *o = (hsc_objects){.memory = memory,
                       .memory_bytes = bytes,
                       .value_capacity = (uint32_t)value_bytes,
                       .refs_per_256 = 3 * 256};
    static const uint8_t first[] = {HSC_F_ID,        HSC_F_TYPE,   HSC_F_SIZE,
                                    HSC_F_REF_COUNT, HSC_F_TARGET, HSC_F_LABEL};
    for (size_t i = 0; i < sizeof first; i++)
        o->width[first[i]] = 4;
    if (value_bytes > 0) o->width[HSC_F_VALUE_BYTES] = 4;
    lay_out(o, 0);
    set_limits(o);
}

size_t hsc_objects_bound(size_t bytes)
{
    return bytes + bytes / 16 + (HSC_FIELDS + 1) * (HSC_COLUMN_HEADER_BYTES + 1 + 8);
}

size_t hsc_objects_least(size_t value_bytes)
{
    /* All fields at their widest: the fewest objects, the references of one in progress, and the slack. */
    return value_bytes + HSC_FIELDS * COLUMN_SLACK + LEAST_OBJECTS * 96 + LEAST_REFERENCES * 20 * 2;
}

static inline void put(const hsc_objects *o, unsigned field, uint32_t at, uint64_t value)
{
    if (o->width[field] == 4)
        ((uint32_t *)(void *)o->column[field])[at] = (uint32_t)value;
    else if (o->width[field] == 8)
        ((uint64_t *)(void *)o->column[field])[at] = value;
}

static uint64_t get(const unsigned char *column, unsigned width, uint32_t at)
{
    if (width == 4) return ((const uint32_t *)(const void *)column)[at];
    return width == 8 ? ((const uint64_t *)(const void *)column)[at] : 0;
}

/* ---- blocks ---- */

static bool starts_with_continuation(const hsc_objects *o)
{
    return o->used > 0 &&
           (get(o->column[HSC_F_FLAGS], o->width[HSC_F_FLAGS], 0) & HSC_OBJECT_CONTINUES) != 0;
}

/* The payload of the first records, in the raw region; returns its size. */
static size_t encode(hsc_writer *w, uint32_t records, uint32_t refs, uint32_t value_bytes)
{
    const hsc_objects *o = &w->objects;
    hsc_sources sources = {.counts = (const uint32_t *)(const void *)o->column[HSC_F_REF_COUNT]};
    if (w->targets_are_ordinals)
        sources.first = o->block_ordinal - starts_with_continuation(o);
    else
        sources.ids = (hsc_values){o->column[HSC_F_ID], o->width[HSC_F_ID]};
    unsigned char *out = w->blocks.raw;
    for (unsigned f = 0; f < HSC_FIELDS; f++) {
        if (o->width[f] == 0) continue;
        const hsc_values values = {o->column[f], o->width[f]};
        out = hsc_column_put(out, columns[f], values, f < HSC_OBJECT_FIELDS ? records : refs,
                             f == HSC_F_TARGET ? &sources : NULL);
        if (f == HSC_F_VALUE_BYTES)
            out = hsc_column_put_bytes(out, HSC_COL_VALUE, o->values, value_bytes);
    }
    if (out == w->blocks.raw) out = hsc_column_put_zeros(out, HSC_COL_ID, records);
    return (size_t)(out - w->blocks.raw);
}

/* Sends a payload; the staging area is overwritten by the compressor. */
static hsc_status send(hsc_writer *w, size_t used, uint32_t records, uint32_t refs, uint32_t objects)
{
    hsc_objects *o = &w->objects;
    const hsc_block block = {.type = HSC_BLOCK_OBJECTS,
                             .flags = w->targets_are_ordinals ? HSC_BLOCK_FLAG_TARGET_ORDINAL : 0,
                             .records = records,
                             .first_ordinal = o->block_ordinal,
                             .objects = objects};
    o->references += refs;
    o->block_ordinal += objects;
    o->refs_per_256 = (uint32_t)min_size((size_t)((uint64_t)refs * 256 / records), UINT32_C(1) << 24);
    return hsc_block_write(w, &block, used, (hsc_room){o->memory, o->memory_bytes});
}

static hsc_status write_all(hsc_writer *w)
{
    const hsc_objects *o = &w->objects;
    if (o->used == 0) return HSC_OK;
    const uint32_t objects = o->used - starts_with_continuation(o);
    const size_t used = encode(w, o->used, o->ref_used, o->value_used);
    return send(w, used, o->used, o->ref_used, objects);
}

hsc_status hsc_objects_flush(hsc_writer *w)
{
    const hsc_status status = write_all(w);
    w->objects.used = 0;
    return status;
}

/* ---- when something does not fit ---- */

/* The object in progress while the staging area is laid out anew: its references lie in the raw region. */
typedef struct carried {
    uint64_t fields[HSC_OBJECT_FIELDS];
    uint32_t refs;
    const unsigned char *column[HSC_FIELDS];
    uint8_t width[HSC_FIELDS];
    const unsigned char *value;
} carried;

static const unsigned char *stash(unsigned char **at, const unsigned char *from, size_t size)
{
    unsigned char *to = *at;
    memcpy(to, from, size);
    *at += (size + 7) & ~(size_t)7;
    return to;
}

static void pick_up(carried *c, const hsc_objects *o, unsigned char *room)
{
    const uint32_t last = o->used - 1;
    for (unsigned f = 0; f < HSC_OBJECT_FIELDS; f++)
        c->fields[f] = get(o->column[f], o->width[f], last);
    c->refs = o->ref_used - o->ref_start;
    for (unsigned f = HSC_OBJECT_FIELDS; f < HSC_FIELDS; f++) {
        const size_t w = c->width[f] = o->width[f];
        if (w != 0) c->column[f] = stash(&room, o->column[f] + o->ref_start * w, c->refs * w);
    }
    const size_t value_bytes = (size_t)c->fields[HSC_F_VALUE_BYTES];
    if (value_bytes > 0) c->value = stash(&room, o->values + o->value_used - value_bytes, value_bytes);
}

static void put_down(const carried *c, hsc_objects *o)
{
    for (unsigned f = 0; f < HSC_OBJECT_FIELDS; f++)
        put(o, f, 0, c->fields[f]);
    o->used = 1;
    for (uint32_t i = 0; i < c->refs; i++) {
        for (unsigned f = HSC_OBJECT_FIELDS; f < HSC_FIELDS; f++)
            put(o, f, i, get(c->column[f], c->width[f], i));
    }
    o->ref_used = c->refs;
    o->value_used = (uint32_t)c->fields[HSC_F_VALUE_BYTES];
    if (o->value_used > 0) memcpy(o->values, c->value, o->value_used);
}

/* Writes all objects before the one in progress, which moves to the front of the new layout. */
static hsc_status move_open_object(hsc_writer *w, const uint8_t *width)
{
    hsc_objects *o = &w->objects;
    carried c = {.refs = 0};
    const uint32_t records = o->used - 1, refs = o->ref_start;
    const uint32_t own_value = (uint32_t)get(o->column[HSC_F_VALUE_BYTES],
                                             o->width[HSC_F_VALUE_BYTES], records);
    const uint32_t objects = records - (records > 0 && starts_with_continuation(o));
    const size_t used = records > 0 ? encode(w, records, refs, o->value_used - own_value) : 0;
    pick_up(&c, o, w->blocks.raw + ((used + 7) & ~(size_t)7));
    if (records > 0) {
        const hsc_status status = send(w, used, records, refs, objects);
        if (status != HSC_OK) return status;
    }
    memcpy(o->width, width, sizeof o->width);
    lay_out(o, c.refs + LEAST_REFERENCES);
    put_down(&c, o);
    return HSC_OK;
}

/* Writes the object in progress as far as it is known; what follows is a continuation. */
static hsc_status split_open_object(hsc_writer *w, const uint8_t *width)
{
    hsc_objects *o = &w->objects;
    const uint64_t id = get(o->column[HSC_F_ID], o->width[HSC_F_ID], o->used - 1);
    put(o, HSC_F_REF_COUNT, o->used - 1, o->ref_used - o->ref_start);
    const hsc_status status = write_all(w);
    if (status != HSC_OK) return status;
    memcpy(o->width, width, sizeof o->width);
    o->width[HSC_F_FLAGS] = 4;
    lay_out(o, 0);
    for (unsigned f = 0; f < HSC_OBJECT_FIELDS; f++)
        put(o, f, 0, 0);
    put(o, HSC_F_ID, 0, id);
    put(o, HSC_F_FLAGS, 0, HSC_OBJECT_CONTINUES);
    o->used = 1;
    return HSC_OK;
}

/* Makes room for one record more of each sort, in a layout with at least these widths. */
static hsc_status make_room(hsc_writer *w, const uint8_t *width)
{
    hsc_objects *o = &w->objects;
    hsc_status status;
    if (!o->is_open) {
        status = write_all(w);
        memcpy(o->width, width, sizeof o->width);
        lay_out(o, 0);
    } else if (o->ref_used - o->ref_start > o->ref_capacity / OPEN_SHARE) {
        status = split_open_object(w, width);
    } else {
        status = move_open_object(w, width);
    }
    if (status == HSC_OK) set_limits(o);
    return status;
}

/* Widens `width` for a value; false if the field can never hold it. */
static bool widen(uint8_t *width, unsigned field, uint64_t value)
{
    if ((value & ~widest[field]) != 0) return false;
    const uint8_t need = value == 0 ? 0 : value > UINT32_MAX ? 8 : 4;
    if (width[field] < need) width[field] = need;
    return true;
}

/* ---- objects ---- */

static void fields_of(const hsc_object *object, uint64_t *fields)
{
    const uint64_t all[HSC_OBJECT_FIELDS] = {
        [HSC_F_ID] = object->id,           [HSC_F_TYPE] = object->type,
        [HSC_F_SIZE] = object->size_bytes, [HSC_F_NATIVE] = object->native_bytes,
        [HSC_F_ELEMENTS] = object->elements, [HSC_F_SITE] = object->site,
        [HSC_F_AGE] = object->age,         [HSC_F_FLAGS] = object->flags,
        [HSC_F_NAME] = object->name,       [HSC_F_CATEGORY] = object->category,
        [HSC_F_IDENTITY] = object->identity, [HSC_F_CONTENT] = object->content};
    memcpy(fields, all, sizeof all);
}

/* The checks of hsc_begin_object that are not on the fast path, and room for the object. */
static hsc_status begin_slowly(hsc_writer *w, const hsc_object *object)
{
    hsc_objects *o = &w->objects;
    const hsc_status status = hsc_check_open(w);
    if (status != HSC_OK) return status;
    if (o->is_open) return hsc_fail(w, HSC_E_MISUSE, "hsc_begin_object inside an object");
    if (o->ordinal >= HSC_MAX_OBJECTS)
        return hsc_fail(w, HSC_E_LIMIT, "more than 4,294,967,040 objects");
    uint64_t fields[HSC_OBJECT_FIELDS];
    uint8_t width[HSC_FIELDS];
    fields_of(object, fields);
    memcpy(width, o->width, sizeof width);
    if ((object->flags & HSC_OBJECT_CONTINUES) != 0)
        return hsc_fail(w, HSC_E_MISUSE, "HSC_OBJECT_CONTINUES is set by the writer alone");
    for (unsigned f = 0; f < HSC_F_VALUE_BYTES; f++) {
        if (!widen(width, f, fields[f]))
            return hsc_fail(w, HSC_E_LIMIT, "a type, site or string above 2,147,483,647");
    }
    if (o->used < o->capacity && memcmp(width, o->width, sizeof width) == 0) return HSC_OK;
    return make_room(w, width);
}

static inline bool object_fits(const hsc_objects *o, const hsc_object *object)
{
    const uint64_t *mask = o->mask;
    const uint64_t beyond =
        (object->id & ~mask[HSC_F_ID]) | (object->type & ~mask[HSC_F_TYPE]) |
        (object->size_bytes & ~mask[HSC_F_SIZE]) | (object->native_bytes & ~mask[HSC_F_NATIVE]) |
        (object->elements & ~mask[HSC_F_ELEMENTS]) | (object->site & ~mask[HSC_F_SITE]) |
        (object->age & ~mask[HSC_F_AGE]) | (object->flags & ~mask[HSC_F_FLAGS]) |
        (object->name & ~mask[HSC_F_NAME]) | (object->category & ~mask[HSC_F_CATEGORY]) |
        (object->identity & ~mask[HSC_F_IDENTITY]) | (object->content & ~mask[HSC_F_CONTENT]);
    return beyond == 0;
}

static inline void stage(const hsc_objects *o, const hsc_object *object)
{
    const uint32_t at = o->used;
    put(o, HSC_F_ID, at, object->id);
    put(o, HSC_F_TYPE, at, object->type);
    put(o, HSC_F_SIZE, at, object->size_bytes);
    put(o, HSC_F_NATIVE, at, object->native_bytes);
    put(o, HSC_F_ELEMENTS, at, object->elements);
    put(o, HSC_F_SITE, at, object->site);
    put(o, HSC_F_AGE, at, object->age);
    put(o, HSC_F_FLAGS, at, object->flags);
    put(o, HSC_F_NAME, at, object->name);
    put(o, HSC_F_CATEGORY, at, object->category);
    put(o, HSC_F_IDENTITY, at, object->identity);
    put(o, HSC_F_CONTENT, at, object->content);
    put(o, HSC_F_VALUE_BYTES, at, 0);
    put(o, HSC_F_REF_COUNT, at, 0);
}

static hsc_status count(hsc_writer *w, const hsc_object *object)
{
    hsc_objects *o = &w->objects;
    if ((object->flags & HSC_OBJECT_PSEUDO) != 0) {
        o->pseudo++;
        return HSC_OK;
    }
    hsc_add(&o->bytes, object->size_bytes);
    hsc_add(&o->native_bytes, object->native_bytes);
    const unsigned bucket = hsc_size_bucket(object->size_bytes);
    const hsc_status status =
        hsc_add_total(w, hsc_total_key(HSC_AXIS_TYPE, object->type, bucket), 1, object->size_bytes,
                      object->native_bytes);
    if (status != HSC_OK || object->category == 0) return status;
    return hsc_add_total(w, hsc_total_key(HSC_AXIS_CATEGORY, object->category, HSC_NO_BUCKET), 1,
                         object->size_bytes, object->native_bytes);
}

hsc_status hsc_begin_object(hsc_writer *w, const hsc_object *object)
{
    hsc_objects *o = &w->objects;
    if (HSC_UNLIKELY(o->used >= o->limit || !object_fits(o, object))) {
        const hsc_status status = begin_slowly(w, object);
        if (status != HSC_OK) return status;
    }
    stage(o, object);
    o->used++;
    o->ordinal++;
    o->ref_start = o->ref_used;
    o->is_open = true;
    o->limit = 0;
    o->ref_limit = o->ref_capacity;
    return count(w, object);
}

hsc_status hsc_end_object(hsc_writer *w)
{
    hsc_objects *o = &w->objects;
    if (HSC_UNLIKELY(!o->is_open)) {
        const hsc_status status = hsc_check_open(w);
        return status != HSC_OK ? status : hsc_fail(w, HSC_E_MISUSE, "hsc_end_object without an object");
    }
    put(o, HSC_F_REF_COUNT, o->used - 1, o->ref_used - o->ref_start);
    o->is_open = false;
    o->limit = o->capacity;
    o->ref_limit = 0;
    return HSC_OK;
}

/* ---- references ---- */

static hsc_status reference_room(hsc_writer *w, uint64_t target, uint32_t label, uint64_t index)
{
    hsc_objects *o = &w->objects;
    const hsc_status status = hsc_check_open(w);
    if (status != HSC_OK) return status;
    if (!o->is_open) return hsc_fail(w, HSC_E_MISUSE, "hsc_reference outside an object");
    uint8_t width[HSC_FIELDS];
    memcpy(width, o->width, sizeof width);
    if (!widen(width, HSC_F_LABEL, label))
        return hsc_fail(w, HSC_E_LIMIT, "a label above 2,147,483,647");
    widen(width, HSC_F_TARGET, target);
    widen(width, HSC_F_INDEX, index);
    return make_room(w, width);
}

hsc_status hsc_reference(hsc_writer *w, uint64_t target, uint32_t label, uint64_t index)
{
    hsc_objects *o = &w->objects;
    const uint64_t beyond = (target & ~o->mask[HSC_F_TARGET]) | (label & ~o->mask[HSC_F_LABEL]) |
                            (index & ~o->mask[HSC_F_INDEX]);
    if (HSC_UNLIKELY(o->ref_used >= o->ref_limit || beyond != 0)) {
        const hsc_status status = reference_room(w, target, label, index);
        if (status != HSC_OK) return status;
    }
    const uint32_t at = o->ref_used++;
    put(o, HSC_F_TARGET, at, target);
    put(o, HSC_F_LABEL, at, label);
    put(o, HSC_F_INDEX, at, index);
    return HSC_OK;
}

/* How many of `n` references fit into the columns as they are, from the first on. */
static size_t fitting(const hsc_objects *o, const uint64_t *targets, const uint32_t *labels,
                      const uint64_t *indexes, size_t n)
{
    if (n > BULK) n = BULK; /* so that one that does not fit costs little */
    if (n > o->ref_limit - o->ref_used) n = o->ref_limit - o->ref_used;
    uint64_t target = 0, label = 0, index = 0;
    for (size_t i = 0; i < n; i++)
        target |= targets[i];
    for (size_t i = 0; labels != NULL && i < n; i++)
        label |= labels[i];
    for (size_t i = 0; indexes != NULL && i < n; i++)
        index |= indexes[i];
    const uint64_t beyond = (target & ~o->mask[HSC_F_TARGET]) | (label & ~o->mask[HSC_F_LABEL]) |
                            (index & ~o->mask[HSC_F_INDEX]);
    return beyond == 0 ? n : 0;
}

static void copy_values(const hsc_objects *o, unsigned field, const uint64_t *from, size_t n)
{
    unsigned char *to = o->column[field];
    if (to == NULL) return;
    const size_t at = (size_t)o->ref_used * o->width[field];
    if (from == NULL) {
        memset(to + at, 0, n * o->width[field]);
    } else if (o->width[field] == 8) {
        memcpy(to + at, from, n * sizeof *from);
    } else {
        uint32_t *narrow = (uint32_t *)(void *)(to + at);
        for (size_t i = 0; i < n; i++)
            narrow[i] = (uint32_t)from[i];
    }
}

hsc_status hsc_references(hsc_writer *w, const uint64_t *targets, const uint32_t *labels,
                          const uint64_t *indexes, size_t count)
{
    hsc_objects *o = &w->objects;
    while (count > 0) {
        size_t n = fitting(o, targets, labels, indexes, count);
        if (n > 0) {
            copy_values(o, HSC_F_TARGET, targets, n);
            copy_values(o, HSC_F_INDEX, indexes, n);
            uint32_t *to = (uint32_t *)(void *)o->column[HSC_F_LABEL] + o->ref_used;
            if (labels != NULL)
                memcpy(to, labels, n * sizeof *labels);
            else
                memset(to, 0, n * sizeof *to);
            o->ref_used += (uint32_t)n;
        } else { /* no room, a field to widen, or a mistake: one reference the ordinary way */
            n = 1;
            const hsc_status status = hsc_reference(w, *targets, labels != NULL ? *labels : 0,
                                                    indexes != NULL ? *indexes : 0);
            if (status != HSC_OK) return status;
        }
        targets += n;
        count -= n;
        if (labels != NULL) labels += n;
        if (indexes != NULL) indexes += n;
    }
    return HSC_OK;
}

/* ---- value previews ---- */

hsc_status hsc_value(hsc_writer *w, const void *bytes, size_t size)
{
    hsc_objects *o = &w->objects;
    hsc_status status = hsc_check_open(w);
    if (status != HSC_OK) return status;
    if (!o->is_open) return hsc_fail(w, HSC_E_MISUSE, "hsc_value outside an object");
    if ((w->facts & HSC_FACT_VALUES) == 0)
        return hsc_fail(w, HSC_E_MISUSE, "hsc_value without HSC_FACT_VALUES");
    if (size > HSC_MAX_VALUE_BYTES) return hsc_fail(w, HSC_E_LIMIT, "a value of more than 4,096 bytes");
    const uint32_t *lengths = (const uint32_t *)(const void *)o->column[HSC_F_VALUE_BYTES];
    if (o->ref_used > o->ref_start || lengths[o->used - 1] != 0 ||
        (o->used == 1 && starts_with_continuation(o)))
        return hsc_fail(w, HSC_E_MISUSE, "hsc_value twice, or after a reference of the object");
    if (size > o->value_capacity - o->value_used) {
        uint8_t width[HSC_FIELDS];
        memcpy(width, o->width, sizeof width);
        status = make_room(w, width);
        if (status != HSC_OK) return status;
    }
    if (size > 0) memcpy(o->values + o->value_used, bytes, size);
    o->value_used += (uint32_t)size;
    put(o, HSC_F_VALUE_BYTES, o->used - 1, size);
    return HSC_OK;
}

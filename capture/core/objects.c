/*
 * The hot path: hsc_begin_object, hsc_reference, hsc_end_object. A reference that fits costs a comparison, an
 * and-not and three stores; everything else is behind a branch that is hardly ever taken.
 */
#include "bytes.h"
#include "layout.h"
#include "stage.h"
#include "writer.h"

enum { BULK = 256, FEW = 16 }; /* references that are looked at together; fewer than pay for that */

static void fields_of(const hsc_object *object, uint64_t *fields)
{
    const uint64_t all[HSC_OBJECT_FIELDS] = {[HSC_F_ID] = object->id,
                                             [HSC_F_TYPE] = object->type,
                                             [HSC_F_SIZE] = object->size_bytes,
                                             [HSC_F_NATIVE] = object->native_bytes,
                                             [HSC_F_ELEMENTS] = object->elements,
                                             [HSC_F_SITE] = object->site,
                                             [HSC_F_AGE] = object->age,
                                             [HSC_F_FLAGS] = object->flags,
                                             [HSC_F_NAME] = object->name,
                                             [HSC_F_CATEGORY] = object->category,
                                             [HSC_F_IDENTITY] = object->identity,
                                             [HSC_F_CONTENT] = object->content};
    memcpy(fields, all, sizeof all);
}

/* The checks of hsc_begin_object that are not on the fast path, and room for the object. */
static __attribute__((noinline)) hsc_status begin_slowly(hsc_writer *w, const hsc_object *object)
{
    hsc_stage *o = &w->objects;
    const hsc_status status = hsc_check_open(w);
    if (status != HSC_OK) return status;
    if (o->is_open) return hsc_fail(w, HSC_E_MISUSE, "hsc_begin_object inside an object");
    if (o->ordinal >= HSC_MAX_OBJECTS) return hsc_fail(w, HSC_E_LIMIT, "more than 1,099,511,627,776 objects");
    uint64_t fields[HSC_OBJECT_FIELDS];
    uint8_t width[HSC_FIELDS];
    fields_of(object, fields);
    memcpy(width, o->width, sizeof width);
    if ((object->flags & HSC_OBJECT_CONTINUES) != 0)
        return hsc_fail(w, HSC_E_MISUSE, "HSC_OBJECT_CONTINUES is set by the writer alone");
    for (unsigned f = 0; f < HSC_F_VALUE_BYTES; f++) {
        if (!hsc_stage_widen(width, f, fields[f]))
            return hsc_fail(w, HSC_E_LIMIT, "a type, site or string above 2,147,483,647");
    }
    if (o->used < o->capacity && memcmp(width, o->width, sizeof width) == 0) return HSC_OK;
    return hsc_stage_make_room(w, width);
}

static inline bool object_fits(const hsc_stage *o, const hsc_object *object)
{
    const uint64_t *mask = o->mask;
    const uint64_t beyond = (object->id & ~mask[HSC_F_ID]) | (object->type & ~mask[HSC_F_TYPE]) |
                            (object->size_bytes & ~mask[HSC_F_SIZE]) | (object->native_bytes & ~mask[HSC_F_NATIVE]) |
                            (object->elements & ~mask[HSC_F_ELEMENTS]) | (object->site & ~mask[HSC_F_SITE]) |
                            (object->age & ~mask[HSC_F_AGE]) | (object->flags & ~mask[HSC_F_FLAGS]) |
                            (object->name & ~mask[HSC_F_NAME]) | (object->category & ~mask[HSC_F_CATEGORY]) |
                            (object->identity & ~mask[HSC_F_IDENTITY]) | (object->content & ~mask[HSC_F_CONTENT]);
    return beyond == 0;
}

static inline void put_object_fields(const hsc_stage *o, const hsc_object *object)
{
    const uint32_t at = o->used;
    hsc_stage_put(o, HSC_F_ID, at, object->id);
    hsc_stage_put(o, HSC_F_TYPE, at, object->type);
    hsc_stage_put(o, HSC_F_SIZE, at, object->size_bytes);
    hsc_stage_put(o, HSC_F_FLAGS, at, object->flags);
    hsc_stage_put(o, HSC_F_NAME, at, object->name);
    hsc_stage_put(o, HSC_F_REF_COUNT, at, 0);
    if (!o->has_rare) return;
    hsc_stage_put(o, HSC_F_NATIVE, at, object->native_bytes);
    hsc_stage_put(o, HSC_F_ELEMENTS, at, object->elements);
    hsc_stage_put(o, HSC_F_SITE, at, object->site);
    hsc_stage_put(o, HSC_F_AGE, at, object->age);
    hsc_stage_put(o, HSC_F_CATEGORY, at, object->category);
    hsc_stage_put(o, HSC_F_IDENTITY, at, object->identity);
    hsc_stage_put(o, HSC_F_CONTENT, at, object->content);
    hsc_stage_put(o, HSC_F_VALUE_BYTES, at, 0);
}

static hsc_status count_capture_object(hsc_writer *w, const hsc_object *object)
{
    hsc_stage *o = &w->objects;
    if ((object->flags & HSC_OBJECT_PSEUDO) != 0) {
        o->pseudo++;
        return HSC_OK;
    }
    hsc_add(&o->bytes, object->size_bytes);
    hsc_add(&o->native_bytes, object->native_bytes);
    const unsigned bucket = hsc_size_bucket(object->size_bytes);
    const hsc_status status = hsc_add_total(w, hsc_total_key(HSC_AXIS_TYPE, object->type, bucket), 1,
                                            object->size_bytes, object->native_bytes);
    if (status != HSC_OK || object->category == 0) return status;
    return hsc_add_total(w, hsc_total_key(HSC_AXIS_CATEGORY, object->category, HSC_NO_BUCKET), 1, object->size_bytes,
                         object->native_bytes);
}

hsc_status hsc_begin_object(hsc_writer *w, const hsc_object *object)
{
    hsc_stage *o = &w->objects;
    if (HSC_UNLIKELY(o->used >= o->limit || !object_fits(o, object))) {
        const hsc_status status = begin_slowly(w, object);
        if (status != HSC_OK) return status;
    }
    put_object_fields(o, object);
    o->used++;
    o->ordinal++;
    o->ref_start = o->ref_used;
    o->is_open = true;
    o->limit = 0;
    o->ref_limit = o->ref_capacity;
    return count_capture_object(w, object);
}

hsc_status hsc_end_object(hsc_writer *w)
{
    hsc_stage *o = &w->objects;
    if (HSC_UNLIKELY(!o->is_open)) {
        const hsc_status status = hsc_check_open(w);
        return status != HSC_OK ? status : hsc_fail(w, HSC_E_MISUSE, "hsc_end_object without an object");
    }
    hsc_stage_put(o, HSC_F_REF_COUNT, o->used - 1, o->ref_used - o->ref_start);
    o->is_open = false;
    o->limit = o->capacity;
    o->ref_limit = 0;
    return HSC_OK;
}

/* ---- references ---- */

/* Apart from add_reference, which so has nothing on the stack. */
static __attribute__((noinline)) hsc_status reference_room(hsc_writer *w, uint64_t target, uint32_t label,
                                                           uint64_t index)
{
    hsc_stage *o = &w->objects;
    const hsc_status status = hsc_check_open(w);
    if (status != HSC_OK) return status;
    if (!o->is_open) return hsc_fail(w, HSC_E_MISUSE, "hsc_reference outside an object");
    uint8_t width[HSC_FIELDS];
    memcpy(width, o->width, sizeof width);
    if (!hsc_stage_widen(width, HSC_F_LABEL, label)) return hsc_fail(w, HSC_E_LIMIT, "a label above 2,147,483,647");
    hsc_stage_widen(width, HSC_F_TARGET, target);
    hsc_stage_widen(width, HSC_F_INDEX, index);
    return hsc_stage_make_room(w, width);
}

static inline hsc_status add_reference(hsc_writer *w, uint64_t target, uint32_t label, uint64_t index)
{
    hsc_stage *o = &w->objects;
    const uint64_t beyond =
        (target & ~o->mask[HSC_F_TARGET]) | (label & ~o->mask[HSC_F_LABEL]) | (index & ~o->mask[HSC_F_INDEX]);
    if (HSC_UNLIKELY(o->ref_used >= o->ref_limit || beyond != 0)) {
        const hsc_status status = reference_room(w, target, label, index);
        if (status != HSC_OK) return status;
    }
    const uint32_t at = o->ref_used++;
    hsc_stage_put(o, HSC_F_TARGET, at, target);
    hsc_stage_put(o, HSC_F_LABEL, at, label);
    hsc_stage_put(o, HSC_F_INDEX, at, index);
    return HSC_OK;
}

hsc_status hsc_reference(hsc_writer *w, uint64_t target, uint32_t label, uint64_t index)
{
    return add_reference(w, target, label, index);
}

/* How many of `n` references fit into the columns as they are, from the first on. */
static size_t fitting(const hsc_stage *o, const uint64_t *targets, const uint32_t *labels, const uint64_t *indexes,
                      size_t n)
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
    const uint64_t beyond =
        (target & ~o->mask[HSC_F_TARGET]) | (label & ~o->mask[HSC_F_LABEL]) | (index & ~o->mask[HSC_F_INDEX]);
    return beyond == 0 ? n : 0;
}

static void copy_values(const hsc_stage *o, unsigned field, const uint64_t *from, size_t n)
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

/* `n` references that fit, column by column. */
static void copy_references(hsc_stage *o, const uint64_t *targets, const uint32_t *labels, const uint64_t *indexes,
                            size_t n)
{
    copy_values(o, HSC_F_TARGET, targets, n);
    copy_values(o, HSC_F_INDEX, indexes, n);
    uint32_t *to = (uint32_t *)(void *)o->column[HSC_F_LABEL] + o->ref_used;
    if (labels != NULL)
        memcpy(to, labels, n * sizeof *labels);
    else
        memset(to, 0, n * sizeof *to);
    o->ref_used += (uint32_t)n;
}

hsc_status hsc_references(hsc_writer *w, const uint64_t *targets, const uint32_t *labels, const uint64_t *indexes,
                          size_t count)
{
    hsc_stage *o = &w->objects;
    for (size_t i = 0; i < count;) {
        const size_t left = count - i;
        const size_t n = left < FEW ? 0
                                    : fitting(o, targets + i, labels != NULL ? labels + i : NULL,
                                              indexes != NULL ? indexes + i : NULL, left);
        if (n > 0) {
            copy_references(o, targets + i, labels != NULL ? labels + i : NULL, indexes != NULL ? indexes + i : NULL,
                            n);
            i += n;
            continue;
        }
        /* Few, no room, a field to widen, or a mistake: one reference the ordinary way. */
        const hsc_status status =
            add_reference(w, targets[i], labels != NULL ? labels[i] : 0, indexes != NULL ? indexes[i] : 0);
        if (status != HSC_OK) return status;
        i++;
    }
    return HSC_OK;
}

/* ---- value previews ---- */

hsc_status hsc_value(hsc_writer *w, const void *bytes, size_t size)
{
    hsc_stage *o = &w->objects;
    hsc_status status = hsc_check_open(w);
    if (status != HSC_OK) return status;
    if (!o->is_open) return hsc_fail(w, HSC_E_MISUSE, "hsc_value outside an object");
    if ((w->facts & HSC_FACT_VALUES) == 0) return hsc_fail(w, HSC_E_MISUSE, "hsc_value without HSC_FACT_VALUES");
    if (size > HSC_MAX_VALUE_BYTES) return hsc_fail(w, HSC_E_LIMIT, "a value of more than 4,096 bytes");
    const uint32_t *lengths = (const uint32_t *)(const void *)o->column[HSC_F_VALUE_BYTES];
    if (o->ref_used > o->ref_start || lengths[o->used - 1] != 0 || (o->used == 1 && hsc_stage_continues(o)))
        return hsc_fail(w, HSC_E_MISUSE, "hsc_value twice, or after a reference of the object");
    if (size > o->value_capacity - o->value_used) {
        uint8_t width[HSC_FIELDS];
        memcpy(width, o->width, sizeof width);
        status = hsc_stage_make_room(w, width);
        if (status != HSC_OK) return status;
    }
    if (size > 0) memcpy(o->values + o->value_used, bytes, size);
    o->value_used += (uint32_t)size;
    hsc_stage_put(o, HSC_F_VALUE_BYTES, o->used - 1, size);
    return HSC_OK;
}

/*
 * Objects with their references. Ids and heaps are told as what changed since the object before. References have field
 * ids of their own, or, since Android 12, those of the class and its superclasses, in that order, one for each
 * reference, with 0 where there is none.
 */
#include "base/check.h"
#include "import/perfetto/perfetto.h"

enum {
    OBJECT_ID = 1,
    OBJECT_TYPE = 2,
    OBJECT_BYTES = 3,
    OBJECT_FIELDS = 4,
    OBJECT_TARGETS = 5,
    OBJECT_BASE = 6,
    OBJECT_DELTA = 7,
    OBJECT_NATIVE = 8,
    OBJECT_HEAP = 9
};
enum { HEAPS = 3, SUPERCLASSES_MOST = 1000 };

typedef struct object {
    uint64_t id, delta, bytes, native_bytes, base;
    uint64_t type_id;
} object;

/* ---- labels ---- */

static unsigned strength_of(const perfetto *self, const perfetto_type *type, const perfetto_field *field)
{
    if (!field->is_referent)
        return type->is_class_object && !field->is_of_class ? PERFETTO_LABEL_STATIC : PERFETTO_LABEL_STRONG;
    if (type->kind == PERFETTO_KIND_SOFT) return PERFETTO_LABEL_SOFT;
    if (type->kind == PERFETTO_KIND_FINALIZER && self->import->options->final_is_strong) return PERFETTO_LABEL_STRONG;
    return type->kind >= PERFETTO_KIND_WEAK && type->kind <= PERFETTO_KIND_PHANTOM ? PERFETTO_LABEL_WEAK
                                                                                   : PERFETTO_LABEL_STRONG;
}

static hsd_status label_of(perfetto *self, const perfetto_type *type, uint32_t number, uint32_t *label, hsd_error *err)
{
    static const struct {
        hsc_label_kind kind;
        uint32_t flags;
    } labels[] = {[PERFETTO_LABEL_STRONG] = {HSC_LABEL_FIELD, 0},
                  [PERFETTO_LABEL_WEAK] = {HSC_LABEL_FIELD, HSC_STRENGTH_WEAK},
                  [PERFETTO_LABEL_SOFT] = {HSC_LABEL_FIELD, HSC_STRENGTH_SOFT},
                  [PERFETTO_LABEL_STATIC] = {HSC_LABEL_STATIC, HSC_LABEL_NAMED_ROOT}};
    perfetto_field *field = &self->fields[number];
    const unsigned which = strength_of(self, type, field);
    *label = 4 * number + which;
    if (field->labels & 1u << which) return HSD_OK;
    field->labels |= (uint8_t)(1u << which);
    HSD_WRITE(self->import,
              hsc_define_label(self->import->writer, *label, labels[which].kind, labels[which].flags,
                               field->is_defined ? perfetto_field_string(number) : 0),
              err);
    return HSD_OK;
}

/* ---- references ---- */

typedef struct fields { /* of a class and its superclasses, one after another */
    const perfetto *self;
    const perfetto_type *type;
    uint32_t next, steps;
} fields;

/* The number of the next field; 0 = there are no more. */
static uint32_t next_field(fields *f)
{
    while (f->next >= f->type->field_count) {
        const uint32_t above =
            f->type->superclass == 0 ? 0 : hsd_id_table_find(&f->self->type_rows, f->type->superclass);
        if (above == 0 || ++f->steps > SUPERCLASSES_MOST) return 0;
        f->type = &f->self->types[above];
        f->next = 0;
    }
    return f->self->type_fields[f->type->first_field + f->next++];
}

static hsd_status write_reference(perfetto *self, const object *o, uint64_t i, uint32_t label, hsd_error *err)
{
    const uint64_t target = self->targets.items[i];
    if (target == 0) return HSD_OK;
    HSD_WRITE(self->import,
              hsc_reference(self->import->writer, target + o->base, label, label == PERFETTO_LABEL_ELEMENT ? i : 0),
              err);
    self->import->result->references++;
    return HSD_OK;
}

static hsd_status write_references(perfetto *self, const object *o, const perfetto_type *type, hsd_error *err)
{
    const bool has_ids = self->field_ids.count > 0, is_array = type->kind == PERFETTO_KIND_ARRAY;
    fields chain = {.self = self, .type = type};
    for (uint64_t i = 0; i < self->targets.count; i++) {
        uint32_t number = has_ids    ? hsd_id_table_find(&self->field_rows, self->field_ids.items[i])
                          : is_array ? 0
                                     : next_field(&chain);
        uint32_t label = is_array ? PERFETTO_LABEL_ELEMENT : PERFETTO_LABEL_NAMELESS;
        if (number != 0 && self->targets.items[i] != 0) HSD_TRY(label_of(self, type, number, &label, err));
        HSD_TRY(write_reference(self, o, i, label, err));
    }
    return HSD_OK;
}

/* ---- objects ---- */

static hsd_status write_object(perfetto *self, const object *o, hsd_error *err)
{
    hsd_import *import = self->import;
    uint32_t number = hsd_id_table_find(&self->type_rows, o->type_id);
    if (number == 0) HSD_TRY(hsd_perfetto_type(self, o->type_id, &number, err));
    const perfetto_type type = self->types[number];
    const uint64_t bytes = o->bytes != 0 ? o->bytes : type.object_bytes;
    const uint64_t all_bytes = hsd_add_saturating(bytes, o->native_bytes);
    import->result->objects++;
    import->result->bytes = hsd_add_saturating(import->result->bytes, all_bytes);
    if (import->options->summary_only) {
        HSD_WRITE(import, hsc_count(import->writer, number, 1, all_bytes), err);
        return HSD_OK;
    }
    HSD_WRITE(import,
              hsc_begin_object(import->writer,
                               &(hsc_object){.id = o->id,
                                             .type = number,
                                             .size_bytes = bytes,
                                             .native_bytes = o->native_bytes,
                                             .elements = type.kind == PERFETTO_KIND_ARRAY ? self->targets.count : 0,
                                             .name = type.is_class_object ? perfetto_class_string(number) : 0,
                                             .category = self->last_heap}),
              err);
    HSD_TRY(write_references(self, o, &type, err));
    HSD_WRITE(import, hsc_end_object(import->writer), err);
    return HSD_OK;
}

hsd_status hsd_perfetto_append(perfetto *self, perfetto_list *list, uint64_t value, hsd_error *err)
{
    if (list->count >= list->capacity) {
        if (list->count >= UINT32_MAX / 2)
            return hsd_fail(err, HSD_E_UNSUPPORTED, "an object with more than two billion references");
        HSD_TRY(hsd_import_grow((void **)&list->items, &list->capacity, list->count, sizeof *list->items, err));
        HSD_TRY(hsd_perfetto_check_memory(self, err));
    }
    list->items[list->count++] = value;
    return HSD_OK;
}

static hsd_status append_all(perfetto *self, perfetto_list *list, hsd_proto_message *message,
                             const hsd_proto_field *field, hsd_error *err)
{
    uint64_t left = UINT64_MAX, value;
    hsd_status status;
    while ((status = hsd_proto_number(message, field, &left, &value, err)) == HSD_OK)
        HSD_TRY(hsd_perfetto_append(self, list, value, err));
    return status == HSD_END ? HSD_OK : status;
}

/* A field that is one number; of lists, one more. */
static hsd_status take_number(perfetto *self, uint64_t number, uint64_t value, object *o, hsd_error *err)
{
    switch (number) {
    case OBJECT_ID: o->id = value; return HSD_OK;
    case OBJECT_DELTA: o->delta = value; return HSD_OK;
    case OBJECT_TYPE: o->type_id = value; return HSD_OK;
    case OBJECT_BYTES: o->bytes = value; return HSD_OK;
    case OBJECT_NATIVE: o->native_bytes = value; return HSD_OK;
    case OBJECT_BASE: o->base = value; return HSD_OK;
    case OBJECT_HEAP: self->last_heap = value <= HEAPS ? (uint32_t)value : 0; return HSD_OK;
    case OBJECT_FIELDS: return hsd_perfetto_append(self, &self->field_ids, value, err);
    case OBJECT_TARGETS: return hsd_perfetto_append(self, &self->targets, value, err);
    default: return HSD_OK;
    }
}

/* ---- an object that is visible as a whole, as nearly all are: its numbers are taken right there. Imports take 12 %
 * less, summaries 24 % ---- */

typedef struct visible {
    const uint8_t *at, *end;
} visible;

static inline bool take_varint(visible *in, uint64_t *value)
{
    uint64_t sum = 0;
    if (in->at < in->end && *in->at < 0x80) {
        *value = *in->at++;
        return true;
    }
    for (unsigned shift = 0; shift < 64 && in->at < in->end; shift += 7) {
        const uint64_t byte = *in->at++;
        sum |= (byte & 0x7f) << shift;
        if (byte >= 0x80) continue;
        *value = sum;
        return true;
    }
    return false;
}

static hsd_status decode_list(perfetto *self, perfetto_list *list, visible in, hsd_error *err)
{
    uint64_t value;
    while (in.at < in.end) {
        if (!take_varint(&in, &value)) return HSD_END;
        HSD_TRY(hsd_perfetto_append(self, list, value, err));
    }
    return HSD_OK;
}

/* HSD_END = there is something odd in it, which the other way tells of. */
static hsd_status decode_object(perfetto *self, visible in, object *o, hsd_error *err)
{
    while (in.at < in.end) {
        uint64_t tag, value;
        if (!take_varint(&in, &tag) || !take_varint(&in, &value) || tag >> 3 == 0) return HSD_END;
        if ((tag & 7) == HSD_PROTO_VARINT) {
            HSD_TRY(take_number(self, tag >> 3, value, o, err));
            continue;
        }
        if ((tag & 7) != HSD_PROTO_BYTES || value > (uint64_t)(in.end - in.at)) return HSD_END;
        const visible list = {in.at, in.at + value};
        if (tag >> 3 == OBJECT_FIELDS) HSD_TRY(decode_list(self, &self->field_ids, list, err));
        if (tag >> 3 == OBJECT_TARGETS) HSD_TRY(decode_list(self, &self->targets, list, err));
        in.at = list.end;
    }
    return HSD_OK;
}

/* ---- and any other ---- */

static hsd_status stream_object(perfetto *self, hsd_proto_message *message, object *o, hsd_error *err)
{
    hsd_proto_field field;
    hsd_status status;
    while ((status = hsd_proto_next(message, &field, err)) == HSD_OK) {
        if (field.number == OBJECT_FIELDS)
            HSD_TRY(append_all(self, &self->field_ids, message, &field, err));
        else if (field.number == OBJECT_TARGETS)
            HSD_TRY(append_all(self, &self->targets, message, &field, err));
        else if (field.wire == HSD_PROTO_VARINT)
            HSD_TRY(take_number(self, field.number, field.value, o, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status read_object(perfetto *self, hsd_proto_message *graph, const hsd_proto_field *field, object *o,
                              hsd_error *err)
{
    hsd_source *source = graph->source;
    hsd_proto_message message;
    const uint32_t heap = self->last_heap;
    hsd_status status = HSD_END;
    *o = (object){0};
    self->field_ids.count = self->targets.count = 0;
    if (field->wire == HSD_PROTO_BYTES && field->size <= hsd_source_ahead(source))
        status = decode_object(self, (visible){source->at, source->at + field->size}, o, err);
    if (status != HSD_END) return status;
    *o = (object){0};
    self->field_ids.count = self->targets.count = 0;
    self->last_heap = heap;
    HSD_TRY(hsd_proto_enter(graph, field, &message, err));
    return stream_object(self, &message, o, err);
}

static hsd_status take_object(perfetto *self, hsd_proto_message *graph, const hsd_proto_field *field, hsd_error *err)
{
    object o;
    HSD_TRY(read_object(self, graph, field, &o, err));
    if (o.delta != 0) o.id = self->last_id + o.delta;
    self->last_id = o.id;
    if (self->field_ids.count == 0 || self->field_ids.count == self->targets.count) return write_object(self, &o, err);
    self->malformed++;
    return HSD_OK;
}

static hsd_status take_packet(perfetto *self, hsd_proto_message *graph, hsd_error *err)
{
    hsd_proto_field field;
    hsd_status status;
    while ((status = hsd_proto_next(graph, &field, err)) == HSD_OK)
        if (field.number == PERFETTO_OBJECTS) HSD_TRY(take_object(self, graph, &field, err));
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status define_labels(perfetto *self, hsd_error *err)
{
    static const char *const heaps[HEAPS] = {"app", "zygote", "boot image"};
    hsc_writer *writer = self->import->writer;
    static const size_t sizes[HEAPS] = {3, 6, 10};
    for (uint32_t i = 0; i < HEAPS; i++)
        HSD_WRITE(self->import, hsc_define_string(writer, i + 1, heaps[i], sizes[i]), err);
    HSD_WRITE(self->import, hsc_define_label(writer, PERFETTO_LABEL_NAMELESS, HSC_LABEL_FIELD, 0, 0), err);
    HSD_WRITE(self->import, hsc_define_label(writer, PERFETTO_LABEL_ELEMENT, HSC_LABEL_ELEMENT, 0, 0), err);
    return HSD_OK;
}

/* Types that objects have and nothing defines: their packets were lost. */
static hsd_status define_rest(perfetto *self, hsd_error *err)
{
    static const char unknown[] = "(unknown class)";
    for (uint32_t i = 1; i <= self->type_rows.count; i++)
        if (!self->types[i].is_defined)
            HSD_WRITE(self->import, hsc_define_type(self->import->writer, i, unknown, sizeof unknown - 1, 0), err);
    return HSD_OK;
}

hsd_status hsd_perfetto_read_objects(perfetto *self, hsd_error *err)
{
    if (!self->import->options->summary_only) HSD_TRY(define_labels(self, err));
    HSD_TRY(hsd_perfetto_each_packet(self, take_packet, false, err));
    hsd_import_heap_end(self->import);
    return define_rest(self, err);
}

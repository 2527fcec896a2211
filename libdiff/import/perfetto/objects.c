/*
 * Objects with their references. Ids and heaps are told as what changed since the object before. References have field ids of their own, or,
 * since Android 12, those of the class and its superclasses, in that order, one for each reference, with 0 where there is none.
 */
#include "base/check.h"
#include "import/perfetto/perfetto.h"

enum { GRAPH_OBJECTS = 2 };
enum { OBJECT_ID = 1, OBJECT_TYPE = 2, OBJECT_BYTES = 3, OBJECT_FIELDS = 4, OBJECT_TARGETS = 5, OBJECT_BASE = 6, OBJECT_DELTA = 7,
       OBJECT_NATIVE = 8, OBJECT_HEAP = 9 };
enum { HEAPS = 3, SUPERCLASSES_MOST = 1000 };

typedef struct object {
    uint64_t id, delta, bytes, native_bytes, base;
    uint64_t type_id;
} object;

/* ---- labels ---- */

static unsigned strength_of(const perfetto *self, const perfetto_type *type, const perfetto_field *field)
{
    if (!field->is_referent) return type->is_class_object && !field->is_of_class ? PERFETTO_LABEL_STATIC : PERFETTO_LABEL_STRONG;
    if (type->kind == PERFETTO_KIND_SOFT) return PERFETTO_LABEL_SOFT;
    if (type->kind == PERFETTO_KIND_FINALIZER && self->import->options->final_is_strong) return PERFETTO_LABEL_STRONG;
    return type->kind >= PERFETTO_KIND_WEAK && type->kind <= PERFETTO_KIND_PHANTOM ? PERFETTO_LABEL_WEAK : PERFETTO_LABEL_STRONG;
}

static hsd_status label_of(perfetto *self, const perfetto_type *type, uint32_t number, uint32_t *label, hsd_error *err)
{
    static const struct { hsc_label_kind kind; uint32_t flags; } labels[] = {
        [PERFETTO_LABEL_STRONG] = {HSC_LABEL_FIELD, 0}, [PERFETTO_LABEL_WEAK] = {HSC_LABEL_FIELD, HSC_STRENGTH_WEAK},
        [PERFETTO_LABEL_SOFT] = {HSC_LABEL_FIELD, HSC_STRENGTH_SOFT}, [PERFETTO_LABEL_STATIC] = {HSC_LABEL_STATIC, HSC_LABEL_NAMED_ROOT}};
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
        const uint32_t above = f->type->superclass == 0 ? 0 : hsd_id_table_find(&f->self->type_rows, f->type->superclass);
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
    HSD_WRITE(self->import, hsc_reference(self->import->writer, target + o->base, label, label == PERFETTO_LABEL_ELEMENT ? i : 0), err);
    self->import->result->references++;
    return HSD_OK;
}

static hsd_status write_references(perfetto *self, const object *o, const perfetto_type *type, hsd_error *err)
{
    const bool has_ids = self->field_ids.count > 0, is_array = type->kind == PERFETTO_KIND_ARRAY;
    fields chain = {.self = self, .type = type};
    for (uint64_t i = 0; i < self->targets.count; i++) {
        uint32_t number = has_ids ? hsd_id_table_find(&self->field_rows, self->field_ids.items[i]) : is_array ? 0 : next_field(&chain);
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
    uint32_t number;
    HSD_TRY(hsd_perfetto_type(self, o->type_id, &number, err));
    const perfetto_type type = self->types[number];
    const uint64_t bytes = o->bytes != 0 ? o->bytes : type.object_bytes;
    import->result->objects++;
    import->result->bytes = hsd_add_saturating(import->result->bytes, bytes);
    if (import->options->summary_only) {
        HSD_WRITE(import, hsc_count(import->writer, number, 1, bytes), err);
        return HSD_OK;
    }
    HSD_WRITE(import,
              hsc_begin_object(import->writer, &(hsc_object){.id = o->id,
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
        if (list->count >= UINT32_MAX / 2) return hsd_fail(err, HSD_E_UNSUPPORTED, "an object with more than two billion references");
        HSD_TRY(hsd_import_grow((void **)&list->items, &list->capacity, list->count, sizeof *list->items, err));
        HSD_TRY(hsd_perfetto_check_memory(self, err));
    }
    list->items[list->count++] = value;
    return HSD_OK;
}

static hsd_status append_all(perfetto *self, perfetto_list *list, hsd_proto_message *message, const hsd_proto_field *field, hsd_error *err)
{
    uint64_t left = UINT64_MAX, value;
    hsd_status status;
    while ((status = hsd_proto_number(message, field, &left, &value, err)) == HSD_OK) HSD_TRY(hsd_perfetto_append(self, list, value, err));
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status take_field(perfetto *self, hsd_proto_message *message, const hsd_proto_field *field, object *o, hsd_error *err)
{
    switch (field->number) {
    case OBJECT_ID: o->id = field->value; return HSD_OK;
    case OBJECT_DELTA: o->delta = field->value; return HSD_OK;
    case OBJECT_TYPE: o->type_id = field->value; return HSD_OK;
    case OBJECT_BYTES: o->bytes = field->value; return HSD_OK;
    case OBJECT_NATIVE: o->native_bytes = field->value; return HSD_OK;
    case OBJECT_BASE: o->base = field->value; return HSD_OK;
    case OBJECT_HEAP: self->last_heap = field->value <= HEAPS ? (uint32_t)field->value : 0; return HSD_OK;
    case OBJECT_FIELDS: return append_all(self, &self->field_ids, message, field, err);
    case OBJECT_TARGETS: return append_all(self, &self->targets, message, field, err);
    default: return HSD_OK;
    }
}

static hsd_status read_object(perfetto *self, hsd_proto_message *message, hsd_error *err)
{
    hsd_proto_field field;
    object o = {0};
    hsd_status status;
    self->field_ids.count = self->targets.count = 0;
    while ((status = hsd_proto_next(message, &field, err)) == HSD_OK) HSD_TRY(take_field(self, message, &field, &o, err));
    if (status != HSD_END) return status;
    if (o.delta != 0) o.id = self->last_id + o.delta;
    self->last_id = o.id;
    if (self->field_ids.count > 0 && self->field_ids.count != self->targets.count) {
        self->malformed++;
        return HSD_OK;
    }
    return write_object(self, &o, err);
}

static hsd_status take_packet(perfetto *self, hsd_proto_message *graph, hsd_error *err)
{
    hsd_proto_field field;
    hsd_proto_message inner;
    hsd_status status;
    while ((status = hsd_proto_next(graph, &field, err)) == HSD_OK) {
        if (field.number != GRAPH_OBJECTS) continue;
        HSD_TRY(hsd_proto_enter(graph, &field, &inner, err));
        HSD_TRY(read_object(self, &inner, err));
    }
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
    HSD_TRY(hsd_perfetto_each_packet(self, take_packet, err));
    hsd_import_heap_end(self->import);
    return define_rest(self, err);
}

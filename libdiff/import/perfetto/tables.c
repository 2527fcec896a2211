#define _GNU_SOURCE /* memrchr */
/*
 * Types, names of fields and roots of the dump. The producer writes names at the very end, and types in front of the
 * class that they are of; so this is a pass of its own, in front of the objects.
 */
#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "import/perfetto/perfetto.h"

enum { GRAPH_FIELD_NAMES = 4, GRAPH_ROOTS = 7, GRAPH_TYPES = 9 };
enum { TYPE_ID = 1, TYPE_NAME = 3, TYPE_BYTES = 4, TYPE_SUPERCLASS = 5, TYPE_FIELDS = 6, TYPE_KIND = 7 };
#define NAME_BYTES  ((size_t)65536)     /* of a name of the capture; longer ones are cut */
#define FIELDS_MOST (UINT32_C(1) << 28) /* whose labels have numbers */
#define REFERENT    "java.lang.ref.Reference.referent"
#define CLASS_OF    "java.lang.Class<"

hsd_status hsd_perfetto_check_memory(const perfetto *self, hsd_error *err)
{
    const uint64_t taken = hsd_names_memory(&self->texts) + hsd_id_table_memory(&self->type_rows) +
                           hsd_id_table_memory(&self->field_rows) + self->packet_capacity * sizeof *self->packets +
                           self->dump_capacity * sizeof *self->dumps + self->type_capacity * sizeof *self->types +
                           self->field_capacity * sizeof *self->fields +
                           self->type_field_capacity * sizeof *self->type_fields +
                           self->field_ids.capacity * sizeof(uint64_t) + self->targets.capacity * sizeof(uint64_t);
    if (taken <= self->import->memory_bytes) return HSD_OK;
    hsd_fail(err, HSD_E_OVER_BUDGET,
             "the classes, fields and packets of this heap graph take more than %" PRIu64 " MiB",
             self->import->memory_bytes >> 20);
    hsd_error_set_hint(err, "give it more: --memory %" PRIu64 "MiB or so", (2 * taken >> 20) + 32);
    return HSD_E_OVER_BUDGET;
}

hsd_status hsd_perfetto_type(perfetto *self, uint64_t id, uint32_t *number, hsd_error *err)
{
    const uint32_t known = self->type_rows.count;
    HSD_TRY(hsd_id_table_put(&self->type_rows, id, number, err));
    if (self->type_rows.count == known) return HSD_OK;
    HSD_TRY(hsd_import_grow((void **)&self->types, &self->type_capacity, *number, sizeof *self->types, err));
    return hsd_perfetto_check_memory(self, err);
}

hsd_status hsd_perfetto_field(perfetto *self, uint64_t id, uint32_t *number, hsd_error *err)
{
    const uint32_t known = self->field_rows.count;
    HSD_TRY(hsd_id_table_put(&self->field_rows, id, number, err));
    if (self->field_rows.count == known) return HSD_OK;
    if (*number > FIELDS_MOST) return hsd_fail(err, HSD_E_UNSUPPORTED, "more than %u fields", FIELDS_MOST);
    HSD_TRY(hsd_import_grow((void **)&self->fields, &self->field_capacity, *number, sizeof *self->fields, err));
    return hsd_perfetto_check_memory(self, err);
}

/* ---- names of fields ---- */

/* "java.lang.String com.app.Shop.name": the name is what follows the last dot, and what declares it stands between the
 * blank and that. */
static hsd_status define_field(perfetto *self, uint32_t number, hsd_bytes text, hsd_error *err)
{
    perfetto_field *field = &self->fields[number];
    const char *whole = (const char *)text.data, *dot = memrchr(whole, '.', text.size),
               *blank = memrchr(whole, ' ', text.size);
    const char *name = dot == NULL ? (blank == NULL ? whole : blank + 1) : dot + 1;
    const char *declarer = blank == NULL || (dot != NULL && blank > dot) ? whole : blank + 1;
    const size_t declarer_size = dot != NULL && dot > declarer ? (size_t)(dot - declarer) : 0,
                 referent_size = sizeof REFERENT - 1;
    if (field->is_defined) return HSD_OK; /* the first counts */
    field->is_defined = true;
    field->is_referent =
        text.size >= referent_size && memcmp(whole + text.size - referent_size, REFERENT, referent_size) == 0;
    field->is_of_class = (declarer_size == 15 && memcmp(declarer, "java.lang.Class", 15) == 0) ||
                         (declarer_size == 16 && memcmp(declarer, "java.lang.Object", 16) == 0);
    HSD_WRITE(self->import,
              hsc_define_string(self->import->writer, perfetto_field_string(number), name,
                                text.size - (size_t)(name - whole)),
              err);
    return HSD_OK;
}

static hsd_status read_field_name(perfetto *self, hsd_proto_message *message, hsd_error *err)
{
    hsd_proto_field field;
    char text[4096];
    hsd_bytes bytes;
    uint64_t id = 0;
    size_t size = 0;
    uint32_t number;
    hsd_status status;
    while ((status = hsd_proto_next(message, &field, err)) == HSD_OK) {
        if (field.number == 1) id = field.value;
        if (field.number != 2) continue;
        HSD_TRY(hsd_proto_bytes(message, &field, sizeof text, &bytes, err));
        memcpy(text, bytes.data, bytes.size);
        size = bytes.size;
    }
    if (status != HSD_END || self->import->options->summary_only) return status == HSD_END ? HSD_OK : status;
    HSD_TRY(hsd_perfetto_field(self, id, &number, err));
    return define_field(self, number, (hsd_bytes){(const uint8_t *)text, size}, err);
}

/* ---- types ---- */

static hsd_status add_type_field(perfetto *self, uint64_t id, hsd_error *err)
{
    uint32_t number;
    HSD_TRY(hsd_perfetto_field(self, id, &number, err));
    HSD_TRY(hsd_import_grow((void **)&self->type_fields, &self->type_field_capacity, self->type_field_count,
                            sizeof *self->type_fields, err));
    self->type_fields[self->type_field_count++] = number;
    return HSD_OK;
}

static hsd_status add_type_fields(perfetto *self, hsd_proto_message *message, const hsd_proto_field *field,
                                  hsd_error *err)
{
    uint64_t left = UINT64_MAX, id;
    hsd_status status;
    while ((status = hsd_proto_number(message, field, &left, &id, err)) == HSD_OK)
        HSD_TRY(add_type_field(self, id, err));
    return status == HSD_END ? hsd_perfetto_check_memory(self, err) : status;
}

/* A class object has a type of its own, "java.lang.Class<com.app.Shop>": it is a java.lang.Class whose name is in the
 * brackets. */
static hsd_status define_type(perfetto *self, uint32_t number, hsd_bytes name, hsd_error *err)
{
    hsc_writer *writer = self->import->writer;
    const size_t prefix = sizeof CLASS_OF - 1;
    const char *text = (const char *)name.data;
    perfetto_type *type = &self->types[number];
    type->is_class_object = name.size > prefix + 1 && memcmp(text, CLASS_OF, prefix) == 0 && text[name.size - 1] == '>';
    if (!type->is_class_object) {
        HSD_WRITE(self->import, hsc_define_type(writer, number, text, name.size, 0), err);
        return HSD_OK;
    }
    HSD_WRITE(self->import, hsc_define_type(writer, number, text, prefix - 1, 0), err);
    HSD_WRITE(self->import,
              hsc_define_string(writer, perfetto_class_string(number), text + prefix, name.size - prefix - 1), err);
    return HSD_OK;
}

/* Its id comes first, in what every producer writes; a type whose name came in front of its id would have none. */
static hsd_status read_type(perfetto *self, hsd_proto_message *message, hsd_error *err)
{
    hsd_proto_field field;
    hsd_bytes name;
    perfetto_type type = {.first_field = self->type_field_count};
    uint32_t number = 0;
    bool is_named = false, is_known = false, is_array = false;
    hsd_status status;
    while ((status = hsd_proto_next(message, &field, err)) == HSD_OK) {
        switch (field.number) {
        case TYPE_ID:
            HSD_TRY(hsd_perfetto_type(self, field.value, &number, err));
            is_known = self->types[number].is_defined;
            break;
        case TYPE_NAME:
            if (number == 0 || is_known || is_named) break;
            HSD_TRY(hsd_proto_bytes(message, &field, NAME_BYTES, &name, err));
            HSD_TRY(define_type(self, number, name, err));
            type.is_class_object = self->types[number].is_class_object;
            is_array = name.size > 2 && memcmp(name.data + name.size - 2, "[]", 2) == 0;
            is_named = true;
            break;
        case TYPE_BYTES: type.object_bytes = field.value; break;
        case TYPE_SUPERCLASS: type.superclass = field.value; break;
        case TYPE_FIELDS:
            if (!self->import->options->summary_only) HSD_TRY(add_type_fields(self, message, &field, err));
            break;
        case TYPE_KIND: type.kind = field.value < UINT8_MAX ? (uint8_t)field.value : 0; break;
        default: break;
        }
    }
    if (status != HSD_END || number == 0 || is_known) return status == HSD_END ? HSD_OK : status;
    type.field_count = self->type_field_count - type.first_field;
    type.is_defined = is_named;
    if (type.kind == 0 && is_array) type.kind = PERFETTO_KIND_ARRAY; /* Android 11 tells no kinds */
    self->types[number] = type;
    return HSD_OK;
}

/* ---- roots ---- */

static hsc_root_kind root_kind(uint64_t type)
{
    static const hsc_root_kind kinds[] = {HSC_ROOT_UNKNOWN, HSC_ROOT_HANDLE,   HSC_ROOT_HANDLE,    HSC_ROOT_STACK,
                                          HSC_ROOT_STACK,   HSC_ROOT_CLASS,    HSC_ROOT_THREAD,    HSC_ROOT_MONITOR,
                                          HSC_ROOT_THREAD,  HSC_ROOT_INTERNED, HSC_ROOT_FINALIZER, HSC_ROOT_RUNTIME,
                                          HSC_ROOT_RUNTIME, HSC_ROOT_RUNTIME,  HSC_ROOT_MONITOR};
    return type < HSD_ARRAY_LEN(kinds) ? kinds[type] : HSC_ROOT_UNKNOWN;
}

/* Ids may come in front of the type that they are of. */
static hsd_status read_root(perfetto *self, hsd_proto_message *message, hsd_error *err)
{
    hsd_proto_field field;
    uint64_t type = 0, id;
    hsd_status status;
    self->targets.count = 0;
    while ((status = hsd_proto_next(message, &field, err)) == HSD_OK) {
        uint64_t left = UINT64_MAX;
        if (field.number == 2) type = field.value;
        if (field.number != 1) continue;
        while ((status = hsd_proto_number(message, &field, &left, &id, err)) == HSD_OK)
            HSD_TRY(hsd_perfetto_append(self, &self->targets, id, err));
        if (status < 0) return status;
    }
    for (uint64_t i = 0; status == HSD_END && i < self->targets.count; i++)
        if (self->targets.items[i] != 0)
            HSD_WRITE(self->import,
                      hsc_root(self->import->writer,
                               &(hsc_root_record){.kind = root_kind(type), .target = self->targets.items[i]}),
                      err);
    return status == HSD_END ? HSD_OK : status;
}

/* ---- a packet ---- */

static hsd_status take_packet(perfetto *self, hsd_proto_message *graph, hsd_error *err)
{
    hsd_proto_field field;
    hsd_proto_message inner;
    hsd_status status;
    while ((status = hsd_proto_next(graph, &field, err)) == HSD_OK) {
        if (field.number == PERFETTO_OBJECTS) hsd_proto_pass_alike(graph, &field);
        const bool is_root = field.number == GRAPH_ROOTS && !self->import->options->summary_only;
        if (field.number != GRAPH_FIELD_NAMES && field.number != GRAPH_TYPES && !is_root) continue;
        HSD_TRY(hsd_proto_enter(graph, &field, &inner, err));
        if (is_root)
            HSD_TRY(read_root(self, &inner, err));
        else
            HSD_TRY(field.number == GRAPH_TYPES ? read_type(self, &inner, err) : read_field_name(self, &inner, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

hsd_status hsd_perfetto_read_tables(perfetto *self, hsd_error *err)
{
    return hsd_perfetto_each_packet(self, take_packet, true, err);
}

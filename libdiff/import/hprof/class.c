/*
 * The class table: LOAD_CLASS gives a class its name, CLASS_DUMP its superclass and fields. Either may
 * come first, and in some dumps both come behind the instances, so a class is made whenever its id
 * is met.
 *
 * The body of CLASS_DUMP is of variable length and not long, but may be as long as 64 K fields make
 * it; so it is read in bites of at most 13 bytes, each checked against the end of the segment.
 */
#include "import/hprof/class.h"

#include <stdlib.h>

/* ---- the table ---- */

hsd_status hsd_hprof_put_class(hprof_classes *classes, uint64_t id, uint32_t *number, hsd_error *err)
{
    const uint32_t before = classes->table.count;
    HSD_TRY(hsd_id_table_put(&classes->table, id, number, err));
    if (classes->table.count == before) return HSD_OK;
    HSD_TRY(hsd_import_grow((void **)&classes->items, &classes->capacity, *number, sizeof *classes->items, err));
    HSD_TRY(hsd_import_grow((void **)&classes->tallies, &classes->tally_capacity, *number, sizeof *classes->tallies,
                            err));
    classes->items[*number].id = id;
    classes->tallies[*number].nearest = UINT64_MAX;
    return HSD_OK;
}

hsd_status hsd_hprof_load_class(hprof_classes *classes, uint32_t serial, uint64_t id, uint32_t name, hsd_error *err)
{
    uint32_t number = 0, place = 0;
    if (id == 0) return HSD_OK;
    HSD_TRY(hsd_hprof_put_class(classes, id, &number, err));
    classes->items[number].name = name;
    classes->items[number].serial = serial;
    HSD_TRY(hsd_id_table_put(&classes->serials, serial, &place, err));
    HSD_TRY(hsd_import_grow((void **)&classes->serial_class, &classes->serial_capacity, place,
                            sizeof *classes->serial_class, err));
    classes->serial_class[place] = number;
    return HSD_OK;
}

hprof_class *hsd_hprof_class_of_serial(const hprof_classes *classes, uint32_t serial)
{
    const uint32_t place = hsd_id_table_find(&classes->serials, serial);
    return place == 0 ? NULL : &classes->items[classes->serial_class[place]];
}

bool hsd_hprof_is_class(const hprof_names *names, const hprof_class *of, const char *dotted_name)
{
    const hsd_bytes raw = hsd_hprof_name(names, of->name);
    if (raw.size != strlen(dotted_name)) return false;
    for (size_t i = 0; i < raw.size; i++) {
        const uint8_t c = raw.data[i] == '/' ? '.' : raw.data[i];
        if (c != (uint8_t)dotted_name[i]) return false;
    }
    return true;
}

bool hsd_hprof_descends(const hprof_classes *classes, const hprof_names *names, const hprof_class *of,
                        const char *dotted_name)
{
    for (unsigned depth = 0; of != NULL && depth < HPROF_MAX_DEPTH; depth++) {
        if (hsd_hprof_is_class(names, of, dotted_name)) return true;
        of = hsd_hprof_super(classes, of);
    }
    return false;
}

const hprof_class *hsd_hprof_class_named(const hprof_classes *classes, const hprof_names *names,
                                         const char *dotted_name)
{
    for (uint32_t i = 1; i <= classes->table.count; i++)
        if (hsd_hprof_is_class(names, &classes->items[i], dotted_name)) return &classes->items[i];
    return NULL;
}

bool hsd_hprof_declares(const hprof_classes *classes, const hprof_names *names, const hprof_class *of,
                        const char *field)
{
    for (uint32_t i = 0; i < of->field_count; i++) {
        const hprof_field *own = &classes->fields[of->first_field + i];
        if (hsd_hprof_equals(hsd_hprof_name(names, own->name), field)) return true;
    }
    return false;
}

/* ---- CLASS_DUMP ---- */

/* Copies the next `size` bytes of the segment (at most HPROF_EDGE_BYTES * 2). */
static hsd_status bite(hprof_reader *reader, uint8_t *to, size_t size, hsd_error *err)
{
    const uint64_t left = reader->segment_end - hsd_source_offset(reader->source);
    if (size > left)
        return reader->is_clamped ? hsd_hprof_cut(reader, err)
                                  : hsd_hprof_damaged(reader, "a class passes the end of its heap segment", err);
    const hsd_status status = hsd_hprof_peek(reader, size, err);
    if (status == HSD_END) return hsd_hprof_cut(reader, err);
    HSD_TRY(status);
    memcpy(to, reader->source->at, size);
    hsd_source_take(reader->source, size);
    return HSD_OK;
}

/* Where the entries of a class go; a NULL `classes` reads over them. */
typedef struct class_sink {
    hprof_classes *classes;
    hprof_names *names;
} class_sink;

static hsd_status add_static(const class_sink *to, uint64_t name_id, uint8_t type, uint64_t value, hsd_error *err)
{
    hprof_classes *classes = to->classes;
    if (classes == NULL) return HSD_OK;
    hprof_static entry = {.type = type, .value = value};
    HSD_TRY(hsd_hprof_want(to->names, name_id, &entry.name, err));
    HSD_TRY(hsd_import_grow((void **)&classes->statics, &classes->static_capacity, classes->static_count, sizeof entry,
                            err));
    classes->statics[classes->static_count++] = entry;
    return HSD_OK;
}

static hsd_status add_field(const class_sink *to, uint64_t name_id, uint8_t type, hsd_error *err)
{
    hprof_classes *classes = to->classes;
    if (classes == NULL) return HSD_OK;
    hprof_field field = {.type = type};
    HSD_TRY(hsd_hprof_want(to->names, name_id, &field.name, err));
    HSD_TRY(hsd_import_grow((void **)&classes->fields, &classes->field_capacity, classes->field_count, sizeof field,
                            err));
    classes->fields[classes->field_count++] = field;
    return HSD_OK;
}

/* The value of a static field or constant of this type. */
static hsd_status read_value(hprof_reader *reader, uint8_t type, uint64_t *value, hsd_error *err)
{
    uint8_t bytes[8] = {0};
    *value = 0;
    if (hsd_hprof_is_reference(type)) {
        HSD_TRY(bite(reader, bytes, reader->id_bytes, err));
        *value = hsd_hprof_id(bytes, reader->id_bytes);
        return HSD_OK;
    }
    if (!hsd_hprof_is_primitive(type))
        return hsd_hprof_damaged(reader, "a class has a field of a type that does not exist", err);
    return bite(reader, bytes, hsd_hprof_width[type], err);
}

static hsd_status read_constants(hprof_reader *reader, const class_sink *to, uint32_t *count, hsd_error *err)
{
    uint8_t head[3] = {0};
    HSD_TRY(bite(reader, head, 2, err));
    const unsigned entries = hsd_hprof_u16(head);
    for (unsigned i = 0; i < entries; i++) {
        uint64_t value = 0;
        HSD_TRY(bite(reader, head, 3, err));
        HSD_TRY(read_value(reader, head[2], &value, err));
        if (!hsd_hprof_is_reference(head[2])) continue;
        HSD_TRY(add_static(to, 0, head[2], value, err));
        ++*count;
    }
    return HSD_OK;
}

static hsd_status read_statics(hprof_reader *reader, const class_sink *to, uint32_t *count, hsd_error *err)
{
    uint8_t head[9] = {0};
    HSD_TRY(bite(reader, head, 2, err));
    const unsigned entries = hsd_hprof_u16(head);
    for (unsigned i = 0; i < entries; i++) {
        uint64_t value = 0;
        HSD_TRY(bite(reader, head, reader->id_bytes + 1, err));
        const uint8_t type = head[reader->id_bytes];
        HSD_TRY(read_value(reader, type, &value, err));
        HSD_TRY(add_static(to, hsd_hprof_id(head, reader->id_bytes), type, value, err));
    }
    *count += entries;
    return HSD_OK;
}

static hsd_status read_fields(hprof_reader *reader, const class_sink *to, uint32_t *count, hsd_error *err)
{
    uint8_t head[9] = {0};
    HSD_TRY(bite(reader, head, 2, err));
    *count = hsd_hprof_u16(head);
    for (unsigned i = 0; i < *count; i++) {
        HSD_TRY(bite(reader, head, reader->id_bytes + 1, err));
        const uint8_t type = head[reader->id_bytes];
        if (!hsd_hprof_is_reference(type) && !hsd_hprof_is_primitive(type))
            return hsd_hprof_damaged(reader, "a class has a field of a type that does not exist", err);
        HSD_TRY(add_field(to, hsd_hprof_id(head, reader->id_bytes), type, err));
    }
    return HSD_OK;
}

/* u4 stack serial; ids of superclass, loader, signers, protection domain, two reserved; u4 size. */
static hsd_status read_fixed(hprof_reader *reader, hprof_class *out, hsd_error *err)
{
    uint8_t head[8 + 6 * 8] = {0};
    const unsigned w = reader->id_bytes;
    HSD_TRY(bite(reader, head, 8 + 6 * w, err));
    out->super_id = hsd_hprof_id(head + 4, w);
    out->loader = hsd_hprof_id(head + 4 + w, w);
    out->signers = hsd_hprof_id(head + 4 + 2 * w, w);
    out->domain = hsd_hprof_id(head + 4 + 3 * w, w);
    out->instance_bytes = hsd_hprof_u32(head + 4 + 6 * w);
    return HSD_OK;
}

static hsd_status read_dump(hprof_reader *reader, const class_sink *to, hprof_class *out, hsd_error *err)
{
    HSD_TRY(read_fixed(reader, out, err));
    HSD_TRY(read_constants(reader, to, &out->static_count, err));
    HSD_TRY(read_statics(reader, to, &out->static_count, err));
    return read_fields(reader, to, &out->field_count, err);
}

hsd_status hsd_hprof_skip_class(hprof_reader *reader, hsd_error *err)
{
    const class_sink nowhere = {NULL, NULL};
    hprof_class unused = {0};
    return read_dump(reader, &nowhere, &unused, err);
}

hsd_status hsd_hprof_read_class(hprof_classes *classes, hprof_names *names, hprof_reader *reader, uint64_t id,
                                hsd_error *err)
{
    uint32_t number = 0;
    const class_sink to = {classes, names};
    hprof_class read = {0};
    HSD_TRY(hsd_hprof_put_class(classes, id, &number, err));
    if (classes->items[number].has_dump) return hsd_hprof_skip_class(reader, err);
    const uint64_t first_field = classes->field_count, first_static = classes->static_count;
    const hsd_status status = read_dump(reader, &to, &read, err);
    if (status != HSD_OK) { /* cut in the middle: as if it were not there */
        classes->field_count = first_field;
        classes->static_count = first_static;
        return status;
    }
    hprof_class *class = &classes->items[number];
    class->super_id = read.super_id;
    class->loader = read.loader;
    class->signers = read.signers;
    class->domain = read.domain;
    class->instance_bytes = read.instance_bytes;
    class->first_field = (uint32_t)first_field;
    class->first_static = (uint32_t)first_static;
    class->field_count = read.field_count;
    class->static_count = read.static_count;
    class->has_dump = true;
    return HSD_OK;
}

uint64_t hsd_hprof_classes_memory(const hprof_classes *classes)
{
    return hsd_id_table_memory(&classes->table) + hsd_id_table_memory(&classes->serials) +
           classes->capacity * sizeof *classes->items + classes->tally_capacity * sizeof *classes->tallies +
           classes->field_capacity * sizeof *classes->fields + classes->static_capacity * sizeof *classes->statics +
           classes->array_capacity * sizeof *classes->arrays + classes->serial_capacity * sizeof *classes->serial_class;
}

void hsd_hprof_classes_release(hprof_classes *classes)
{
    hsd_id_table_release(&classes->table);
    hsd_id_table_release(&classes->serials);
    free(classes->items);
    free(classes->tallies);
    free(classes->fields);
    free(classes->statics);
    free(classes->arrays);
    free(classes->serial_class);
    *classes = (hprof_classes){0};
}

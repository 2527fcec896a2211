/*
 * Classes in the dump: strings and LOAD_CLASS in front of the heap, CLASS_DUMP in it. Statics of a JVM's class objects
 * undo what the importer makes of a dump: references of the VM are <name> again, fields of the class object
 * $class$name, as ART has them.
 */
#include <inttypes.h>
#include <stdio.h>

#include "export/hprof/hout.h"

#define MOST_STATICS 65535u
#define TRACE_DEPTH  512u
#define MOST_FILLING 4096u /* bytes of a class object */

/* ---- in front of the heap ---- */

static hsd_status write_strings(hout *h, hsd_error *err)
{
    for (uint32_t i = 0; i < h->strings.count; i++) {
        const hsd_bytes text = hsd_names_get(&h->strings, i);
        HSD_TRY(hsd_hout_text(&h->out, (uint64_t)i + 1, text.data, text.size, err));
    }
    return HSD_OK;
}

static hsd_status write_loads(hout *h, hsd_error *err)
{
    for (uint32_t i = 0; i < h->class_count; i++) {
        uint8_t *at;
        HSD_TRY(hsd_hout_record(&h->out, HOUT_LOAD_CLASS, 8 + 2 * HOUT_ID_BYTES, &at, err));
        at = hsd_hout_u4(at, i + 1);
        at = hsd_hout_u8(at, h->classes[i].id);
        at = hsd_hout_u4(at, 1);
        hsd_hout_u8(at, (uint64_t)h->classes[i].name + 1);
    }
    return HSD_OK;
}

static bool is_constant(const hout *h, const hout_label *label)
{
    static const char constant[] = "constant pool";
    const hsd_bytes name = hsd_names_get(&h->strings, label->name);
    return label->kind == HSC_LABEL_INTERNAL && name.size == sizeof constant - 1 &&
           memcmp(name.data, constant, name.size) == 0;
}

static hsd_status name_static(hout *h, hout_static *entry, hsd_error *err)
{
    const hout_label *label = &h->labels[entry->place];
    const bool is_internal = label->kind == HSC_LABEL_INTERNAL;
    char index[24];
    entry->name = label->name;
    entry->is_constant = is_constant(h, label);
    if (label->kind == HSC_LABEL_STATIC || entry->is_constant) return HSD_OK;
    if (label->kind == HSC_LABEL_ELEMENT) {
        snprintf(index, sizeof index, "[%" PRIu64 "]", entry->index);
        return hsd_hout_intern_word(h, index, &entry->name, err);
    }
    const hsd_bytes text = hsd_names_get(&h->strings, label->name);
    hsd_buffer_clear(&h->text);
    HSD_TRY(hsd_buffer_append(&h->text, is_internal ? "<" : "$class$", is_internal ? 1 : 7, err));
    HSD_TRY(hsd_buffer_append(&h->text, text.data, text.size, err));
    if (is_internal) HSD_TRY(hsd_buffer_append(&h->text, ">", 1, err));
    return hsd_hout_intern(h, h->text.data, h->text.size, &entry->name, err);
}

/* Before the strings are written. */
static hsd_status name_statics(hout *h, hsd_error *err)
{
    for (uint32_t i = 0; i < h->static_count; i++)
        HSD_TRY(name_static(h, &h->statics[i], err));
    return HSD_OK;
}

/* The times and settings of the hprof agent, whose ids are tags and no addresses: whoever reads the dump must not take
 * distances between them for sizes. */
static hsd_status write_settings(hout *h, hsd_error *err)
{
    uint8_t *at;
    HSD_TRY(hsd_hout_record(&h->out, HOUT_CONTROL_SETTINGS, 6, &at, err));
    at = hsd_hout_u4(at, 0); /* no allocation sites, no samples of the processor */
    hsd_hout_u2(at, TRACE_DEPTH);
    return HSD_OK;
}

static hsd_status write_magic(hout *h, hsd_error *err)
{
    static const char magic[] = "JAVA PROFILE 1.0.2"; /* with its NUL */
    uint8_t header[sizeof magic + 12], *at = header + sizeof magic;
    memcpy(header, magic, sizeof magic);
    at = hsd_hout_u4(at, HOUT_ID_BYTES);
    hsd_hout_u8(at, h->info->taken_unix_ns == UINT64_MAX ? 0 : h->info->taken_unix_ns / 1000000);
    return hsd_export_write(h->x, header, sizeof header, err);
}

hsd_status hsd_hout_write_head(hout *h, hsd_error *err)
{
    HSD_TRY(name_statics(h, err));
    HSD_TRY(write_magic(h, err));
    if (!h->is_moving) HSD_TRY(write_settings(h, err));
    HSD_TRY(write_strings(h, err));
    HSD_TRY(write_loads(h, err));
    return hsd_hout_write_stacks(h, err);
}

/* ---- CLASS_DUMP ---- */

static hsd_status put_class_dump(hout *h, const uint8_t *bytes, const uint8_t *end, hsd_error *err)
{
    return hsd_buffer_append(&h->text, bytes, (size_t)(end - bytes), err);
}

static hsd_status put_count(hout *h, uint32_t count, hsd_error *err)
{
    uint8_t bytes[2], *at;
    at = hsd_hout_u2(bytes, count);
    return put_class_dump(h, bytes, at, err);
}

static hsd_status put_start(hout *h, const hout_class *of, hsd_error *err)
{
    const hout_mirror *mirror = of->mirror == 0 ? NULL : &h->mirrors[of->mirror - 1];
    uint8_t bytes[9 + 8 * HOUT_ID_BYTES] = {0}, *at = hsd_hout_u1(bytes, HOUT_CLASS);
    at = hsd_hout_u8(at, of->id);
    at = hsd_hout_u4(at, 1);
    at = hsd_hout_u8(at, of->super == 0 ? 0 : h->classes[of->super - 1].id);
    at = hsd_hout_u8(at, mirror == NULL ? 0 : mirror->loader);
    at = hsd_hout_u8(at, mirror == NULL ? 0 : mirror->signers);
    at = hsd_hout_u8(at, mirror == NULL ? 0 : mirror->domain);
    at = hsd_hout_u8(at, 0);
    at = hsd_hout_u8(at, 0);
    at = hsd_hout_u4(at, (uint32_t)hsd_min_u64(of->size_bytes, INT32_MAX));
    return put_class_dump(h, bytes, at, err);
}

static hsd_status put_constants(hout *h, const hout_static *statics, uint32_t count, hsd_error *err)
{
    uint32_t constants = 0;
    for (uint32_t i = 0; i < count; i++)
        constants += statics[i].is_constant;
    HSD_TRY(put_count(h, constants, err));
    for (uint32_t i = 0, index = 0; i < count; i++) {
        uint8_t bytes[3 + HOUT_ID_BYTES], *at;
        if (!statics[i].is_constant) continue;
        at = hsd_hout_u2(bytes, index++);
        at = hsd_hout_u1(at, HOUT_OBJECT);
        at = hsd_hout_u8(at, statics[i].id);
        HSD_TRY(put_class_dump(h, bytes, at, err));
    }
    return HSD_OK;
}

static hsd_status put_static(hout *h, uint32_t name, uint8_t type, uint64_t value, hsd_error *err)
{
    uint8_t bytes[1 + 2 * HOUT_ID_BYTES], *at = hsd_hout_u8(bytes, (uint64_t)name + 1);
    at = hsd_hout_u1(at, type);
    at = hsd_hout_u8(at, value);
    return put_class_dump(h, bytes, at, err);
}

/* Numbers among the statics: what the class object is larger than others without them. */
static uint32_t filling(const hout *h, const hout_mirror *mirror, uint32_t references)
{
    const uint64_t without = hsd_hout_known(h, HOUT_K_CLASS)->size_bytes + (uint64_t)references * h->reference;
    if (!h->keeps_sizes || mirror->size_bytes <= without) return 0;
    return (uint32_t)(hsd_min_u64(mirror->size_bytes - without, MOST_FILLING) / 8);
}

static hsd_status put_statics(hout *h, const hout_mirror *mirror, const hout_static *statics, uint32_t count,
                              hsd_error *err)
{
    uint32_t references = 0, of_program = 0; /* what the VM adds to a dump takes no room */
    for (uint32_t i = 0; i < count; i++) {
        references += !statics[i].is_constant;
        of_program += h->labels[statics[i].place].kind == HSC_LABEL_STATIC;
    }
    const uint32_t longs =
        mirror == NULL ? 0 : (uint32_t)hsd_min_u64(filling(h, mirror, of_program), MOST_STATICS - references);
    HSD_TRY(put_count(h, references + longs, err));
    for (uint32_t i = 0; i < count; i++)
        if (!statics[i].is_constant) HSD_TRY(put_static(h, statics[i].name, HOUT_OBJECT, statics[i].id, err));
    for (uint32_t i = 0; i < longs; i++)
        HSD_TRY(put_static(h, h->no_word, HOUT_LONG, 0, err));
    return HSD_OK;
}

static hsd_status put_field(hout *h, uint32_t name, uint8_t type, hsd_error *err)
{
    uint8_t bytes[1 + HOUT_ID_BYTES], *at = hsd_hout_u8(bytes, (uint64_t)name + 1);
    at = hsd_hout_u1(at, type);
    return put_class_dump(h, bytes, at, err);
}

/* The numbers of a java.lang.String by their names: tools decode bytes by its coder. As many bytes as a long. */
static hsd_status put_numbers_of_string(hout *h, hsd_error *err)
{
    static const struct {
        const char *name;
        uint8_t type;
    } numbers[] = {
        {"hash", HOUT_INT}, {"coder", HOUT_BYTE}, {"hashIsZero", HOUT_BOOLEAN}, {"(not captured)", HOUT_SHORT}};
    for (size_t i = 0; i < HSD_ARRAY_LEN(numbers); i++) {
        uint32_t name;
        HSD_TRY(hsd_hout_intern_word(h, numbers[i].name, &name, err));
        HSD_TRY(put_field(h, name, numbers[i].type, err));
    }
    return HSD_OK;
}

static hsd_status put_fields(hout *h, const hout_class *of, hsd_error *err)
{
    const bool is_string =
        h->is_jvm && of == hsd_hout_known(h, HOUT_K_STRING) && of->long_count == 1 && of->int_count == 0;
    HSD_TRY(put_count(h, of->field_count + of->long_count + of->int_count + (is_string ? 3 : 0), err));
    for (uint32_t i = 0; i < of->field_count; i++)
        HSD_TRY(put_field(h, h->fields[of->first_field + i], HOUT_OBJECT, err));
    if (is_string) return put_numbers_of_string(h, err);
    for (uint32_t i = 0; i < of->long_count; i++)
        HSD_TRY(put_field(h, h->no_word, HOUT_LONG, err));
    for (uint32_t i = 0; i < of->int_count; i++)
        HSD_TRY(put_field(h, h->no_word, HOUT_INT, err));
    return HSD_OK;
}

static hsd_status write_text_as_sub(hout *h, hsd_error *err)
{
    uint8_t *at;
    if (h->text.size > HOUT_PIECE_BYTES) {
        HSD_TRY(hsd_hout_large(&h->out, h->text.size, err));
        return hsd_hout_piece(&h->out, h->text.data, h->text.size, err);
    }
    HSD_TRY(hsd_hout_sub(&h->out, h->text.size, &at, err));
    memcpy(at, h->text.data, h->text.size);
    return HSD_OK;
}

hsd_status hsd_hout_write_class(hout *h, const hout_class *of, const hout_static *statics, uint32_t count,
                                hsd_error *err)
{
    const hout_mirror *mirror = of->mirror == 0 ? NULL : &h->mirrors[of->mirror - 1];
    if (count > MOST_STATICS) {
        h->left.cut += count - MOST_STATICS;
        count = MOST_STATICS;
    }
    hsd_buffer_clear(&h->text);
    HSD_TRY(put_start(h, of, err));
    HSD_TRY(put_constants(h, statics, count, err));
    HSD_TRY(put_statics(h, mirror, statics, count, err));
    HSD_TRY(put_fields(h, of, err));
    return write_text_as_sub(h, err);
}

hsd_status hsd_hout_write_classes(hout *h, hsd_error *err)
{
    for (uint32_t i = 0; i < h->class_count; i++) {
        const hout_class *of = &h->classes[i];
        const hout_mirror *mirror = of->mirror == 0 ? NULL : &h->mirrors[of->mirror - 1];
        if (of->is_of_roots) continue;
        const hout_static *statics = mirror == NULL ? NULL : h->statics + mirror->first_static;
        HSD_TRY(hsd_hout_write_class(h, of, statics, mirror == NULL ? 0 : mirror->static_count, err));
    }
    return hsd_hout_write_root_classes(h, err);
}

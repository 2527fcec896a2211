/*
 * Objects with their references and roots, when classes are known. See phd.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "import/hprof/java.h"
#include "import/hprof/names.h"
#include "import/phd/phd.h"

enum { CHECK_EVERY = 1 << 12, ALIGNMENT = 8, LABEL_BYTES = 1024, MANY_AT_ONCE = 16 };

/* ---- types ---- */

static hsd_status put_type_name(phd *p, hsd_bytes name, uint32_t *type, hsd_error *err)
{
    bool is_new;
    const uint32_t flags = hsc_java_known_type(hsd_hprof_java(name));
    HSD_TRY(hsd_import_put_type(p->import, &p->types, name, flags, type, &is_new, err));
    return is_new ? hsd_phd_check_memory(p, err) : HSD_OK;
}

/* "java.util.HashMap$Node", or of an array of such; lambdas by their class. */
static hsd_status append_class_name(const phd *p, const phd_class *of, bool is_array, hsd_buffer *out, hsd_error *err)
{
    HSD_TRY(hsd_hprof_class_name(hsd_names_get(&p->names, of->name), out, err));
    if (is_array) HSD_TRY(hsd_buffer_append(out, "[]", 2, err));
    HSD_TRY(hsd_buffer_reserve(out, HSC_JAVA_LAMBDA_BYTES, err));
    out->size = hsc_java_call_lambda(out->data, out->size);
    if (out->size > PHD_NAME_BYTES) out->size = PHD_NAME_BYTES;
    return HSD_OK;
}

static hsd_status type_of_class(phd *p, phd_class *of, bool is_array, uint32_t *type, hsd_error *err)
{
    uint32_t *known = is_array ? &of->array_type : &of->type;
    hsd_buffer name = {0};
    if (*known == 0) {
        hsd_status status = append_class_name(p, of, is_array, &name, err);
        if (status == HSD_OK) status = put_type_name(p, (hsd_bytes){name.data, name.size}, known, err);
        hsd_buffer_release(&name);
        HSD_TRY(status);
    }
    *type = *known;
    return HSD_OK;
}

static hsd_status put_known_type(phd *p, const char *name, uint32_t *known, uint32_t *type, hsd_error *err)
{
    if (*known == 0) HSD_TRY(put_type_name(p, (hsd_bytes){(const uint8_t *)name, strlen(name)}, known, err));
    *type = *known;
    return HSD_OK;
}

static hsd_status put_type(phd *p, const phd_record *record, uint32_t *type, hsd_error *err)
{
    static const char *const names[8] = {"boolean[]", "char[]",  "float[]", "double[]",
                                         "byte[]",    "short[]", "int[]",   "long[]"};
    if (record->kind == PHD_PRIMITIVES)
        return put_known_type(p, names[record->primitive], &p->primitive_types[record->primitive], type, err);
    if (record->kind == PHD_CLASS) return put_known_type(p, "java.lang.Class", &p->class_type, type, err);
    phd_class *of = hsd_phd_class_of(p, record->class_address);
    if (of != NULL) return type_of_class(p, of, record->kind == PHD_ARRAY, type, err);
    p->unknown_class++;
    return put_known_type(p, "(class that the dump does not describe)", &p->unknown_type, type, err);
}

/* ---- sizes ---- */

static uint64_t align(uint64_t bytes) { return hsd_add_saturating(bytes, ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1); }

/* Before version 6 an array says how long it is alone: with a header of two words, references as wide as addresses. */
static uint64_t estimate_array(const phd *p, const phd_record *record)
{
    static const uint8_t widths[8] = {1, 2, 4, 8, 1, 2, 4, 8};
    const uint64_t word = p->is_64 ? 8 : 4, width = record->kind == PHD_ARRAY ? word : widths[record->primitive];
    uint64_t bytes;
    if (!hsd_mul_u64(record->length, width, &bytes)) bytes = UINT64_MAX / 2;
    return align(hsd_add_saturating(bytes, 2 * word));
}

static uint64_t size_of_class_object(const phd *p)
{
    static const char name[] = "java/lang/Class";
    const uint32_t number = hsd_names_find(&p->names, (hsd_bytes){(const uint8_t *)name, sizeof name - 1});
    for (uint32_t i = 0; number != HSD_NAME_NONE && i < p->classes.count; i++)
        if (p->class_rows[i].name == number) return align(p->class_rows[i].instance_bytes);
    return 0;
}

static uint64_t size_of_record(const phd *p, const phd_record *record)
{
    if (record->has_size) return record->size_bytes;
    if (record->kind == PHD_OBJECT) {
        const phd_class *of = hsd_phd_class_of(p, record->class_address);
        return of == NULL ? 0 : align(of->instance_bytes);
    }
    return record->kind == PHD_CLASS ? 0 : estimate_array(p, record);
}

/* ---- roots ---- */

static hsd_status write_root(phd *p, hsc_root_kind kind, uint32_t flags, const char *label, uint64_t target,
                             hsd_error *err)
{
    bool is_new;
    hsc_root_record root = {.kind = kind, .flags = flags, .target = target};
    HSD_TRY(hsd_import_put_text(p->import, &p->texts, (hsd_bytes){(const uint8_t *)label, strlen(label)}, &root.label,
                                &is_new, err));
    if (is_new) HSD_TRY(hsd_phd_check_memory(p, err));
    HSD_WRITE(p->import, hsc_root(p->import->writer, &root), err);
    return HSD_OK;
}

/* "class com.acme.Cache", "thread com.acme.Worker", "class loader …". */
static hsd_status root_by_class(phd *p, hsc_root_kind kind, const char *word, const phd_class *of, uint64_t target,
                                hsd_error *err)
{
    char label[LABEL_BYTES];
    hsd_buffer name = {0};
    hsd_status status = append_class_name(p, of, false, &name, err);
    if (status == HSD_OK) {
        snprintf(label, sizeof label, "%s %.*s", word, (int)hsd_min_u64(name.size, LABEL_BYTES),
                 name.data == NULL ? "" : (const char *)name.data);
        status = write_root(p, kind, 0, label, target, err);
    }
    hsd_buffer_release(&name);
    return status;
}

static hsd_status write_roots(phd *p, const phd_record *record, hsd_error *err)
{
    phd_class *of = hsd_phd_class_of(p, record->kind == PHD_CLASS ? record->address : record->class_address);
    const uint32_t flags = of != NULL && record->kind == PHD_OBJECT ? hsd_phd_flags_of(p, of) : 0;
    if (record->kind == PHD_CLASS && of != NULL)
        return root_by_class(p, HSC_ROOT_CLASS, "class", of, record->address, err);
    if ((flags & PHD_IS_THREAD) != 0) return root_by_class(p, HSC_ROOT_THREAD, "thread", of, record->address, err);
    if ((flags & PHD_IS_LOADER) != 0)
        return root_by_class(p, HSC_ROOT_RUNTIME, "class loader", of, record->address, err);
    if (hsd_phd_is_referred_to(p, record->address) && (p->marks.is_all || hsd_phd_is_reached(p, record->address)))
        return HSD_OK;
    return write_root(p, HSC_ROOT_UNKNOWN, HSC_ROOT_SECONDARY, "(stack or JVM)", record->address, err);
}

/* ---- objects ---- */

/* Few cost less one by one. */
static hsd_status write_targets(phd *p, size_t count, hsd_error *err)
{
    hsc_writer *writer = p->import->writer;
    if (count >= MANY_AT_ONCE) {
        HSD_WRITE(p->import, hsc_references(writer, p->targets, p->labels, p->indexes, count), err);
        return HSD_OK;
    }
    for (size_t i = 0; i < count; i++)
        HSD_WRITE(p->import, hsc_reference(writer, p->targets[i], p->labels[i], p->indexes[i]), err);
    return HSD_OK;
}

/* Elements come last first. Where some are null, which one it is is not known. */
static hsd_status write_references(phd *p, phd_record *record, hsd_error *err)
{
    const bool is_full = record->kind == PHD_ARRAY && record->length == record->references;
    const uint32_t usual = record->kind != PHD_ARRAY ? 0 : is_full ? PHD_LABEL_ELEMENT : PHD_LABEL_ENTRY;
    size_t count;
    for (;;) {
        const uint32_t first = record->taken;
        HSD_TRY(hsd_phd_targets(p, record, &count, err));
        if (count == 0) return HSD_OK;
        const uint32_t last = record->references - 1 - (record->taken - first - (uint32_t)count) - first;
        for (size_t i = 0; i < count; i++) {
            p->labels[i] = hsd_id_table_find(&p->rooted, p->targets[i]) != 0 ? PHD_LABEL_ROOTED : usual;
            p->indexes[i] = is_full ? last - i : 0;
        }
        p->import->result->references += count;
        HSD_TRY(write_targets(p, count, err));
        for (size_t i = 0; !p->marks.is_all && i < count; i++)
            HSD_TRY(hsd_phd_reach(p, p->targets[i], err));
    }
}

static hsd_status name_class_object(phd *p, const phd_record *record, uint32_t *string, hsd_error *err)
{
    bool is_new;
    const phd_class *of = hsd_phd_class_of(p, record->address);
    hsd_buffer name = {0};
    if (of == NULL) return HSD_OK;
    hsd_status status = append_class_name(p, of, false, &name, err);
    if (status == HSD_OK)
        status = hsd_import_put_text(p->import, &p->texts, (hsd_bytes){name.data, name.size}, string, &is_new, err);
    hsd_buffer_release(&name);
    return status == HSD_OK ? hsd_phd_check_memory(p, err) : status;
}

static hsd_status write_record(phd *p, phd_record *record, uint64_t class_object_bytes, hsd_error *err)
{
    hsd_import_result *result = p->import->result;
    hsc_writer *writer = p->import->writer;
    HSD_TRY(hsd_phd_look_behind(p, record, err));
    hsc_object object = {.id = record->address, .size_bytes = size_of_record(p, record), .elements = record->length};
    if (record->kind == PHD_CLASS) object.size_bytes = class_object_bytes;
    HSD_TRY(put_type(p, record, &object.type, err));
    result->objects++;
    result->bytes = hsd_add_saturating(result->bytes, object.size_bytes);
    if (p->import->options->summary_only) {
        HSD_WRITE(p->import, hsc_count(writer, object.type, 1, object.size_bytes), err);
        return hsd_phd_finish_record(p, record, err);
    }
    if (record->kind == PHD_CLASS) HSD_TRY(name_class_object(p, record, &object.name, err));
    HSD_TRY(write_roots(p, record, err));
    HSD_WRITE(p->import, hsc_begin_object(writer, &object), err);
    HSD_TRY(write_references(p, record, err));
    HSD_WRITE(p->import, hsc_end_object(writer), err);
    return hsd_phd_finish_record(p, record, err);
}

static hsd_status define_labels(phd *p, hsd_error *err)
{
    hsc_writer *writer = p->import->writer;
    HSD_WRITE(p->import, hsc_define_label(writer, PHD_LABEL_ELEMENT, HSC_LABEL_ELEMENT, 0, 0), err);
    HSD_WRITE(p->import, hsc_define_label(writer, PHD_LABEL_ENTRY, HSC_LABEL_VALUE, 0, 0), err);
    HSD_WRITE(p->import, hsc_define_label(writer, PHD_LABEL_ROOTED, HSC_LABEL_INTERNAL, HSC_STRENGTH_WEAK, 0), err);
    return HSD_OK;
}

hsd_status hsd_phd_write(phd *p, hsd_error *err)
{
    phd_record record;
    const uint64_t class_object_bytes = size_of_class_object(p);
    HSD_TRY(hsd_source_rewind(p->source, err));
    HSD_TRY(hsd_phd_header(p, err));
    HSD_TRY(define_labels(p, err));
    for (uint64_t i = 0; hsd_source_offset(p->source) < p->end_offset; i++) {
        const hsd_status status = hsd_phd_next(p, &record, err);
        if (status == HSD_END) break;
        HSD_TRY(status);
        HSD_TRY(write_record(p, &record, class_object_bytes, err));
        if (i % CHECK_EVERY == 0)
            HSD_TRY(hsd_progress(p->import->reporter, "importing", hsd_source_offset(p->source), p->source->total_bytes,
                                 err));
    }
    return HSD_OK;
}

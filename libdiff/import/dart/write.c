/*
 * The second pass: objects with their references, and roots. See dart.h.
 */
#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "import/dart/dart.h"

enum {
    LABEL_ELEMENT = 1,
    LABEL_VARIABLE,
    LABEL_FIRST,
    BATCH_LEAST = 16,
    AHEAD_MOST = 16,
    NUMBER_BYTES = 10,
    CHECK_EVERY = 1 << 12
};

static hsd_status put_string(dart *d, hsd_bytes text, uint32_t *number, hsd_error *err)
{
    bool is_new;
    return hsd_import_put_text(d->import, &d->texts, text, number, &is_new, err);
}

static hsd_bytes word(const dart *d, uint32_t number) { return hsd_names_get(&d->words, number); }

/* ---- types ---- */

static hsd_status type_of(dart *d, uint64_t class_number, uint32_t *type, hsd_error *err)
{
    dart_class *c = &d->classes[class_number];
    char text[2 * DART_NAME_BYTES];
    bool is_new;
    if (c->type == 0) {
        const hsd_bytes name = word(d, c->name), library = word(d, c->library);
        HSD_TRY(hsd_import_put_type(d->import, &d->types, hsd_dart_spell(name, library, text),
                                    hsd_dart_type_flags((dart_kind)c->kind, name, library), &c->type, &is_new, err));
    }
    *type = c->type;
    return HSD_OK;
}

static hsd_status put_closure_type(dart *d, uint64_t number, dart_owner *function, hsd_error *err)
{
    char text[4 * DART_NAME_BYTES];
    bool is_new;
    return hsd_import_put_type(d->import, &d->types, hsd_dart_name_closure(d, number, text), 0, &function->type,
                               &is_new, err);
}

/* A closure is called as its function is. Its references are looked at before they are read. */
static hsd_status type_of_closure(dart *d, const dart_object *o, uint32_t *type, hsd_error *err)
{
    const int place = d->at.closure_function;
    uint64_t target = 0;
    if (place < 0 || place >= AHEAD_MOST || o->references <= (uint64_t)place) return HSD_OK;
    const hsd_status status = hsd_source_peek(d->source, AHEAD_MOST * NUMBER_BYTES, err);
    if (status < 0) return status;
    const uint8_t *at = d->source->at;
    for (int i = 0; i <= place; i++) {
        target = 0;
        for (unsigned shift = 0; at < d->source->end && shift < 63; shift += 7) {
            target |= (uint64_t)(*at & 0x7f) << shift;
            if (*at++ < 0x80) break;
        }
    }
    dart_owner *function = hsd_dart_owner(d, target);
    if (function == NULL || function->kind != DART_FUNCTION) return HSD_OK;
    if (function->type == 0) HSD_TRY(put_closure_type(d, target, function, err));
    *type = function->type;
    return HSD_OK;
}

/* ---- labels ---- */

static hsd_status define_label(dart *d, const dart_class *c, dart_field *field, hsd_error *err)
{
    const dart_label label = hsd_dart_judge_field(word(d, c->name), word(d, c->library), word(d, field->name));
    const uint32_t before = d->labels.count;
    uint32_t number, string;
    HSD_TRY(hsd_id_table_put(&d->labels, (uint64_t)field->name << 16 | (uint64_t)label.kind << 8 | label.flags, &number,
                             err));
    field->label = LABEL_FIRST + number - 1;
    if (d->labels.count == before) return HSD_OK;
    HSD_TRY(put_string(d, label.name, &string, err));
    HSD_WRITE(d->import, hsc_define_label(d->import->writer, field->label, label.kind, label.flags, string), err);
    return HSD_OK;
}

/* Of reference `i` of an object, and its index. */
static hsd_status label_of(dart *d, const dart_object *o, const dart_class *c, uint64_t i, uint32_t *label,
                           uint64_t *index, hsd_error *err)
{
    *index = 0;
    if (i < c->field_count) {
        dart_field *field = &d->fields[c->first_field + i];
        if (field->label == 0 && field->name != 0) HSD_TRY(define_label(d, c, field, err));
        *label = field->label;
        return HSD_OK;
    }
    *label = o->tag == DART_DATA_LENGTH || c->kind == DART_ARRAY ? LABEL_ELEMENT
             : c->kind == DART_CONTEXT                           ? LABEL_VARIABLE
                                                                 : 0;
    if (*label == LABEL_ELEMENT) *index = i - c->field_count;
    return HSD_OK;
}

/* ---- references ---- */

/* null, true, false, and small numbers. 0: the VM left it out. */
static bool is_value(const dart *d, uint64_t target)
{
    if (target == 0 || target >= d->first_number) return true;
    if (target < d->least_value || target > d->greatest_value) return false;
    for (unsigned i = 0; i < d->value_count; i++)
        if (d->values[i] == target) return true;
    return false;
}

static hsd_status next_target(dart *d, const dart_object *o, uint64_t *target, hsd_error *err)
{
    HSD_TRY(hsd_dart_number(d, target, err));
    if (__builtin_expect(*target <= d->object_count, 1)) return HSD_OK;
    return hsd_fail_at(err, HSD_E_CORRUPT, o->offset,
                       "not a valid heap snapshot of Dart: object %" PRIu64 " refers to object %" PRIu64 " of %" PRIu64,
                       o->number, *target, d->object_count);
}

static hsd_status flush_targets(dart *d, hsd_error *err)
{
    hsc_writer *w = d->import->writer;
    const uint32_t count = d->target_count;
    d->target_count = 0;
    d->import->result->references += count;
    if (count >= BATCH_LEAST) {
        HSD_WRITE(d->import, hsc_references(w, d->targets, d->target_labels, d->indexes, count), err);
        return HSD_OK;
    }
    for (uint32_t i = 0; i < count; i++)
        HSD_WRITE(d->import, hsc_reference(w, d->targets[i], d->target_labels[i], d->indexes[i]), err);
    return HSD_OK;
}

static hsd_status write_references(dart *d, const dart_object *o, hsd_error *err)
{
    const dart_class *c = hsd_dart_class_of(d, o);
    for (uint64_t i = 0; i < o->references; i++) {
        uint64_t target;
        HSD_TRY(next_target(d, o, &target, err));
        if (is_value(d, target)) continue;
        const uint32_t at = d->target_count;
        HSD_TRY(label_of(d, o, c, i, &d->target_labels[at], &d->indexes[at], err));
        d->targets[at] = target - 1;
        if (++d->target_count == DART_BATCH) HSD_TRY(flush_targets(d, err));
    }
    return flush_targets(d, err);
}

/* ---- roots ---- */

static hsd_status put_root(dart *d, hsc_root_kind kind, uint32_t flags, hsd_bytes label, uint64_t target,
                           hsd_error *err)
{
    hsc_root_record root = {.kind = kind, .flags = flags, .target = target - 1};
    HSD_TRY(put_string(d, label, &root.label, err));
    HSD_WRITE(d->import, hsc_root(d->import->writer, &root), err);
    return HSD_OK;
}

/* Static fields own what they hold; what else the VM refers to, also of a program, owns what no static field does. */
static hsd_status write_root(dart *d, const dart_object *o, uint64_t i, uint64_t target, hsd_error *err)
{
    static const char of_isolate[] = "isolate (stack, handles)", of_pages[] = "read-only pages", of_vm[] = "Dart VM";
    const dart_class *c = hsd_dart_class_of(d, o);
    char text[4 * DART_NAME_BYTES];
    if (c->kind == DART_ISOLATE && o->class_number == d->isolate && i < c->field_count &&
        d->fields[c->first_field + i].name != 0)
        return put_root(d, HSC_ROOT_STATIC, 0, hsd_dart_name_static(d, (uint32_t)i, text), target, err);
    const bool is_isolate = c->kind == DART_ISOLATE && o->number > 1;
    const char *label = is_isolate ? of_isolate : c->kind == DART_PAGES ? of_pages : of_vm;
    return put_root(d, is_isolate ? HSC_ROOT_STACK : HSC_ROOT_RUNTIME, HSC_ROOT_SECONDARY,
                    (hsd_bytes){(const uint8_t *)label, strlen(label)}, target, err);
}

static hsd_status write_node(dart *d, const dart_object *o, hsd_error *err)
{
    HSD_WRITE(d->import,
              hsc_begin_object(d->import->writer, &(hsc_object){.id = o->number, .flags = HSC_OBJECT_PSEUDO}), err);
    for (uint64_t i = 0; i < o->references; i++) {
        uint64_t target;
        HSD_TRY(next_target(d, o, &target, err));
        if (!is_value(d, target)) HSD_TRY(write_root(d, o, i, target, err));
    }
    HSD_WRITE(d->import, hsc_end_object(d->import->writer), err);
    return HSD_OK;
}

/* ---- objects ---- */

static hsd_status fill_record(dart *d, const dart_object *o, hsc_object *record, hsd_error *err)
{
    const dart_class *c = hsd_dart_class_of(d, o);
    const uint32_t external = hsd_id_table_find(&d->external, o->number);
    uint32_t hash;
    HSD_TRY(type_of(d, o->class_number, &record->type, err));
    if (c->kind == DART_CLOSURE) HSD_TRY(type_of_closure(d, o, &record->type, err));
    HSD_TRY(hsd_dart_hash(d, o->number, &hash, err));
    record->identity = hash;
    record->content = o->content;
    if (o->tag == DART_DATA_LENGTH)
        record->elements = c->kind == DART_MAP ? o->length / 2 : o->length;
    else if (c->kind == DART_ARRAY && o->references > c->field_count)
        record->elements = o->references - c->field_count;
    if (external != 0) record->native_bytes = d->external_bytes[external];
    if (c->has_names && o->name_size > 0)
        HSD_TRY(put_string(d, (hsd_bytes){(const uint8_t *)o->name, o->name_size}, &record->name, err));
    return HSD_OK;
}

static hsd_status write_object(dart *d, const dart_object *o, hsd_error *err)
{
    hsc_object record = {.id = o->number, .size_bytes = o->bytes};
    HSD_TRY(fill_record(d, o, &record, err));
    d->import->result->objects++;
    d->import->result->bytes = hsd_add_saturating(d->import->result->bytes, o->bytes);
    HSD_WRITE(d->import, hsc_begin_object(d->import->writer, &record), err);
    HSD_TRY(write_references(d, o, err));
    HSD_WRITE(d->import, hsc_end_object(d->import->writer), err);
    return HSD_OK;
}

static hsd_status define_labels(dart *d, hsd_error *err)
{
    hsc_writer *w = d->import->writer;
    HSD_WRITE(d->import, hsc_define_label(w, LABEL_ELEMENT, HSC_LABEL_ELEMENT, 0, 0), err);
    HSD_WRITE(d->import, hsc_define_label(w, LABEL_VARIABLE, HSC_LABEL_VARIABLE, 0, 0), err);
    return HSD_OK;
}

/* Without the small numbers at the end, which have no bytes. */
static hsd_status write_totals(dart *d, hsd_error *err)
{
    for (uint32_t i = 0; i < d->total_room && i <= d->class_count; i++) {
        const dart_total *total = &d->totals[i];
        const uint64_t objects = total->objects - (total->first == d->first_number ? total->numbers : 0);
        uint32_t type;
        if (objects == 0) continue;
        HSD_TRY(type_of(d, i, &type, err));
        HSD_WRITE(d->import, hsc_count(d->import->writer, type, objects, total->bytes), err);
        d->import->result->objects += objects;
        d->import->result->bytes = hsd_add_saturating(d->import->result->bytes, total->bytes);
    }
    return HSD_OK;
}

hsd_status hsd_dart_write(dart *d, hsd_error *err)
{
    static const char *const step = "writing objects";
    dart_object o;
    if (d->import->options->summary_only) return write_totals(d, err);
    HSD_TRY(define_labels(d, err));
    HSD_TRY(hsd_source_seek(d->source, d->objects_offset, err));
    const uint64_t end = hsd_min_u64(d->first_number, d->told_count + 1);
    for (uint64_t number = 1; number < end; number++) {
        HSD_TRY(hsd_dart_object(d, number, true, &o, err));
        HSD_TRY(hsd_dart_is_node(d, &o) ? write_node(d, &o, err) : write_object(d, &o, err));
        if (number % CHECK_EVERY != 0) continue;
        HSD_TRY(hsd_dart_check_memory(d, err));
        HSD_TRY(hsd_progress(d->import->reporter, step, number, end, err));
    }
    return HSD_OK;
}

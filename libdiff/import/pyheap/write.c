/*
 * Threads, objects with their references, and the names of types. See pyheap.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "import/pyheap/pyheap.h"

enum { TEXT_BYTES = 512, CHECK_EVERY = 1 << 12 };
#define OF_ROOT (UINT64_C(1) << 32)
static const char module_begin[] = "<module '";

/* ---- strings, labels, types ---- */

static hsd_status put_string(pyheap *p, const char *text, size_t size, uint32_t *number, hsd_error *err)
{
    const uint32_t before = p->strings.count;
    HSD_TRY(hsd_names_put(&p->strings, (hsd_bytes){(const uint8_t *)text, size}, number, err));
    ++*number;
    if (p->strings.count > before) HSD_WRITE(p->import, hsc_define_string(p->import->writer, *number, text, size), err);
    return HSD_OK;
}

static hsd_status put_field(pyheap *p, uint32_t name, bool is_root, uint32_t *label, hsd_error *err)
{
    uint32_t number, string;
    const uint32_t before = p->fields.count;
    HSD_TRY(hsd_id_table_put(&p->fields, (is_root ? OF_ROOT : 0) | name, &number, err));
    *label = number;
    if (p->fields.count == before) return HSD_OK;
    const hsd_bytes text = hsd_names_get(&p->names, name);
    HSD_TRY(put_string(p, (const char *)text.data, text.size, &string, err));
    HSD_WRITE(p->import,
              hsc_define_label(p->import->writer, *label, HSC_LABEL_FIELD, is_root ? HSC_LABEL_NAMED_ROOT : 0, string),
              err);
    return HSD_OK;
}

static hsd_status put_type(pyheap *p, uint64_t address, uint32_t *number, hsd_error *err)
{
    HSD_TRY(hsd_id_table_put(&p->types, address, number, err));
    return hsd_import_grow((void **)&p->is_named, &p->type_room, *number, sizeof *p->is_named, err);
}

static hsd_status name_type(pyheap *p, uint32_t number, const char *name, size_t size, hsd_error *err)
{
    if (p->is_named[number] != 0) return HSD_OK;
    p->is_named[number] = 1;
    HSD_WRITE(p->import, hsc_define_type(p->import->writer, number, name, size, 0), err);
    return HSD_OK;
}

/* ---- threads ---- */

static hsd_status variable(pyheap *p, const char *function, uint32_t depth, hsd_error *err)
{
    char name[TEXT_BYTES / 2], label[2 * TEXT_BYTES];
    size_t size;
    uint64_t target;
    uint32_t string;
    HSD_TRY(hsd_pyheap_text(p, name, sizeof name - 1, &size, err));
    HSD_TRY(hsd_pyheap_number(p, 8, &target, err));
    if (target == 0 || p->import->options->summary_only) return HSD_OK;
    name[size] = '\0';
    snprintf(label, sizeof label, "local %s of %s", name, function);
    HSD_TRY(put_string(p, label, strlen(label), &string, err));
    const hsc_root_record root = {.kind = HSC_ROOT_STACK,
                                  .flags = HSC_ROOT_SECONDARY,
                                  .label = string,
                                  .target = target,
                                  .thread = p->thread_count,
                                  .frame = depth + 1};
    HSD_WRITE(p->import, hsc_root(p->import->writer, &root), err);
    return HSD_OK;
}

static hsd_status frame(pyheap *p, uint32_t depth, hsd_error *err)
{
    char file[TEXT_BYTES], function[TEXT_BYTES];
    size_t file_size, size;
    uint64_t line, variables;
    uint32_t file_string, string;
    HSD_TRY(hsd_pyheap_text(p, file, sizeof file, &file_size, err));
    HSD_TRY(hsd_pyheap_number(p, 4, &line, err));
    HSD_TRY(hsd_pyheap_text(p, function, sizeof function - 1, &size, err));
    function[size] = '\0';
    if (!p->import->options->summary_only) {
        HSD_TRY(put_string(p, file, file_size, &file_string, err));
        HSD_TRY(put_string(p, function, size, &string, err));
        HSD_WRITE(p->import, hsc_frame(p->import->writer, p->thread_count, depth, string, file_string, (uint32_t)line),
                  err);
    }
    HSD_TRY(hsd_pyheap_number(p, 4, &variables, err));
    for (uint64_t i = 0; i < variables; i++)
        HSD_TRY(variable(p, function, depth, err));
    return hsd_pyheap_check_memory(p, err);
}

hsd_status hsd_pyheap_threads(pyheap *p, hsd_error *err)
{
    uint64_t count, frames, states;
    HSD_TRY(hsd_pyheap_number(p, 4, &count, err));
    for (uint64_t i = 0; i < count; i++) {
        char name[TEXT_BYTES];
        size_t size;
        uint32_t string;
        HSD_TRY(hsd_pyheap_text(p, name, sizeof name, &size, err));
        HSD_TRY(hsd_pyheap_number(p, 2, &states, err)); /* alive, daemon */
        p->thread_count++;
        if (!p->import->options->summary_only) {
            HSD_TRY(put_string(p, name, size, &string, err));
            HSD_WRITE(p->import, hsc_define_thread(p->import->writer, p->thread_count, string), err);
        }
        HSD_TRY(hsd_pyheap_number(p, 4, &frames, err));
        for (uint64_t k = 0; k < frames; k++)
            HSD_TRY(frame(p, (uint32_t)hsd_min_u64(k, UINT32_MAX - 1), err));
    }
    return HSD_OK;
}

/* ---- objects ---- */

typedef struct pyheap_object {
    hsc_object record;
    uint64_t referents, attributes; /* how many are kept */
    char module[TEXT_BYTES];        /* its name, if it is one */
    size_t module_size;
} pyheap_object;

/* Counted here, and not behind what it refers to: where the dump is cut off in these, the object is in the capture. */
static hsd_status begin_object(pyheap *p, const pyheap_object *o, hsd_error *err)
{
    hsd_import_result *result = p->import->result;
    HSD_WRITE(p->import, hsc_begin_object(p->import->writer, &o->record), err);
    result->objects++;
    result->bytes = hsd_add_saturating(result->bytes, o->record.size_bytes);
    return HSD_OK;
}

/* One that refers to very many: it is begun before they are read. */
static hsd_status stream_referents(pyheap *p, const pyheap_object *o, uint64_t count, hsd_error *err)
{
    const bool is_whole = !p->import->options->summary_only;
    if (is_whole) HSD_TRY(begin_object(p, o, err));
    hsd_status status = HSD_OK;
    for (uint64_t i = 0, target; i < count; i++) {
        status = hsd_pyheap_number(p, 8, &target, err);
        if (status != HSD_OK) break; /* cut: the object ends here */
        if (is_whole && target != 0)
            HSD_WRITE(p->import, hsc_reference(p->import->writer, target, PYHEAP_LABEL_NONE, 0), err);
        p->import->result->references++;
    }
    if (is_whole) HSD_WRITE(p->import, hsc_end_object(p->import->writer), err);
    return status;
}

static hsd_status keep_referents(pyheap *p, pyheap_object *o, uint64_t count, hsd_error *err)
{
    for (; o->referents < count; o->referents++) {
        HSD_TRY(hsd_import_grow((void **)&p->referents, &p->referent_room, o->referents, sizeof *p->referents, err));
        HSD_TRY(hsd_pyheap_number(p, 8, &p->referents[o->referents], err));
    }
    return HSD_OK;
}

static hsd_status read_attributes(pyheap *p, pyheap_object *o, hsd_error *err)
{
    uint64_t count;
    HSD_TRY(hsd_pyheap_number(p, 4, &count, err));
    for (uint64_t i = 0; i < count; i++) {
        pyheap_attribute one;
        HSD_TRY(hsd_pyheap_name(p, &one.name, err));
        HSD_TRY(hsd_pyheap_number(p, 8, &one.target, err));
        if (o->attributes == PYHEAP_MOST_ATTRIBUTES) continue;
        HSD_TRY(hsd_import_grow((void **)&p->attributes, &p->attribute_room, o->attributes, sizeof one, err));
        p->attributes[o->attributes++] = one;
    }
    return HSD_OK;
}

/* "<module 'app.cache' from …": the name. */
static hsd_status read_repr(pyheap *p, pyheap_object *o, hsd_error *err)
{
    char text[TEXT_BYTES];
    size_t size;
    const size_t begin = sizeof module_begin - 1;
    HSD_TRY(hsd_pyheap_text(p, text, sizeof text, &size, err));
    if (size <= begin || memcmp(text, module_begin, begin) != 0) return HSD_OK;
    const char *end = memchr(text + begin, '\'', size - begin);
    if (end == NULL) return HSD_OK;
    o->module_size = (size_t)(end - text) - begin;
    memcpy(o->module, text + begin, o->module_size);
    return HSD_OK;
}

static hsd_status write_referents(pyheap *p, const pyheap_object *o, hsd_error *err)
{
    for (uint64_t i = 0; i < o->referents; i++) {
        uint32_t label = PYHEAP_LABEL_NONE;
        const uint64_t target = p->referents[i];
        for (uint64_t k = 0; label == PYHEAP_LABEL_NONE && o->referents <= PYHEAP_MOST_NAMED && k < o->attributes; k++)
            if (p->attributes[k].target == target) HSD_TRY(put_field(p, p->attributes[k].name, false, &label, err));
        p->import->result->references++;
        if (target != 0) HSD_WRITE(p->import, hsc_reference(p->import->writer, target, label, 0), err);
    }
    return HSD_OK;
}

/* Globals start owners of their own. */
static hsd_status write_globals(pyheap *p, const pyheap_object *o, hsd_error *err)
{
    for (uint64_t k = 0; k < o->attributes; k++) {
        uint32_t label;
        const hsd_bytes name = hsd_names_get(&p->names, p->attributes[k].name);
        if (p->attributes[k].target == 0 || (name.size > 1 && name.data[0] == '_' && name.data[1] == '_')) continue;
        HSD_TRY(put_field(p, p->attributes[k].name, true, &label, err));
        HSD_WRITE(p->import, hsc_reference(p->import->writer, p->attributes[k].target, label, 0), err);
        p->import->result->references++;
    }
    return HSD_OK;
}

static hsd_status module_root(pyheap *p, pyheap_object *o, hsd_error *err)
{
    char label[TEXT_BYTES + 16];
    uint32_t string;
    const int size = snprintf(label, sizeof label, "module %.*s", (int)o->module_size, o->module);
    HSD_TRY(put_string(p, label, (size_t)size, &string, err));
    const hsc_root_record root = {.kind = HSC_ROOT_GLOBAL, .label = string, .target = o->record.id};
    HSD_WRITE(p->import, hsc_root(p->import->writer, &root), err);
    return put_string(p, o->module, o->module_size, &o->record.name, err);
}

static hsd_status write_object(pyheap *p, pyheap_object *o, hsd_error *err)
{
    if (p->import->options->summary_only) {
        p->import->result->references += o->referents;
        return HSD_OK;
    }
    if (o->module_size > 0) HSD_TRY(module_root(p, o, err));
    /* labels and strings are defined between objects, too */
    HSD_TRY(begin_object(p, o, err));
    HSD_TRY(write_referents(p, o, err));
    if (o->module_size > 0) HSD_TRY(write_globals(p, o, err));
    HSD_WRITE(p->import, hsc_end_object(p->import->writer), err);
    return HSD_OK;
}

static hsd_status read_object(pyheap *p, pyheap_object *o, hsd_error *err)
{
    uint64_t type, count;
    HSD_TRY(hsd_pyheap_number(p, 8, &o->record.id, err));
    HSD_TRY(hsd_pyheap_number(p, 8, &type, err));
    HSD_TRY(hsd_pyheap_number(p, 4, &o->record.size_bytes, err));
    HSD_TRY(put_type(p, type, &o->record.type, err));
    HSD_TRY(hsd_pyheap_number(p, 4, &count, err));
    const bool is_kept = count <= PYHEAP_MOST_KEPT;
    if (is_kept)
        HSD_TRY(keep_referents(p, o, count, err));
    else
        HSD_TRY(stream_referents(p, o, count, err));
    if (hsd_id_table_find(&p->common, type) == 0) HSD_TRY(read_attributes(p, o, err));
    if (p->has_texts) HSD_TRY(read_repr(p, o, err));
    return is_kept ? write_object(p, o, err) : HSD_OK;
}

static hsd_status count_for_summary(pyheap *p, const pyheap_object *o, hsd_error *err)
{
    hsd_import_result *result = p->import->result;
    if (!p->import->options->summary_only) return HSD_OK;
    result->objects++;
    result->bytes = hsd_add_saturating(result->bytes, o->record.size_bytes);
    HSD_WRITE(p->import, hsc_count(p->import->writer, o->record.type, 1, o->record.size_bytes), err);
    return HSD_OK;
}

hsd_status hsd_pyheap_objects(pyheap *p, hsd_error *err)
{
    uint64_t count;
    HSD_TRY(hsd_pyheap_number(p, 4, &count, err));
    for (uint64_t i = 0; i < count; i++) {
        pyheap_object o = {.record = {.id = 0}};
        HSD_TRY(read_object(p, &o, err));
        HSD_TRY(count_for_summary(p, &o, err));
        if (i % CHECK_EVERY != 0) continue;
        HSD_TRY(hsd_pyheap_check_memory(p, err));
        HSD_TRY(hsd_progress(p->import->reporter, "reading objects", i, count, err));
    }
    return HSD_OK;
}

/* ---- names of types ---- */

hsd_status hsd_pyheap_types(pyheap *p, hsd_error *err)
{
    uint64_t count, address;
    HSD_TRY(hsd_pyheap_number(p, 4, &count, err));
    for (uint64_t i = 0; i < count; i++) {
        char name[TEXT_BYTES];
        size_t size;
        HSD_TRY(hsd_pyheap_number(p, 8, &address, err));
        HSD_TRY(hsd_pyheap_text(p, name, sizeof name, &size, err));
        const uint32_t number = hsd_id_table_find(&p->types, address);
        if (number != 0 && size > 0) HSD_TRY(name_type(p, number, name, size, err));
    }
    return HSD_OK;
}

hsd_status hsd_pyheap_name_rest(pyheap *p, hsd_error *err)
{
    static const char unnamed[] = "(type without a name)";
    for (uint32_t i = 1; i <= p->types.count; i++)
        HSD_TRY(name_type(p, i, unnamed, sizeof unnamed - 1, err));
    return HSD_OK;
}

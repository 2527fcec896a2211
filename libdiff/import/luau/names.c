/*
 * When all lines have been read: what types, labels and categories are called, and how large the heap says it is.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "import/luau/luau.h"

enum { NAME_BYTES = 2 * LUAU_TEXT_BYTES + 64, METRIC_BYTES = 256 };

/* ---- types ---- */

static int name_function(const luau *lu, const luau_type *type, char *out, size_t size)
{
    const hsd_bytes name = hsd_luau_string_of(lu, type->name);
    const uint32_t row = type->address == 0 ? 0 : hsd_id_table_find(&lu->protos, type->address);
    const char *what = type->address == 0 ? "C function" : "function", *space = name.size > 0 ? " " : "";
    if (row == 0) return snprintf(out, size, "%s%s%.*s", what, space, (int)name.size, (const char *)name.data);
    const hsd_bytes source = hsd_luau_string_of(lu, lu->proto_rows[row - 1].source);
    return snprintf(out, size, "%s%s%.*s %.*s:%" PRIu64, what, space, (int)name.size, (const char *)name.data,
                    source.size > 0 ? (int)source.size : 1, source.size > 0 ? (const char *)source.data : "?",
                    lu->proto_rows[row - 1].line);
}

static int name_by_text(hsd_bytes text, const char *otherwise, char *out, size_t size)
{
    if (text.size == 0) return snprintf(out, size, "%s", otherwise);
    return snprintf(out, size, "%.*s", (int)text.size, (const char *)text.data);
}

static int name_type(const luau *lu, const luau_type *type, char *out, size_t size)
{
    static const char *const kinds[LUAU_KINDS] = {
        [LUAU_UNKNOWN] = "(unknown)", [LUAU_STRING] = "string", [LUAU_TABLE] = "table",   [LUAU_FUNCTION] = "function",
        [LUAU_USERDATA] = "userdata", [LUAU_THREAD] = "thread", [LUAU_BUFFER] = "buffer", [LUAU_PROTO] = "proto",
        [LUAU_UPVALUE] = "upvalue",   [LUAU_CLASS] = "class",   [LUAU_OBJECT] = "object", [LUAU_VECTOR] = "vector",
    };
    if (type->kind == LUAU_FUNCTION) return name_function(lu, type, out, size);
    if (type->kind == LUAU_OBJECT) {
        const uint32_t row = type->address == 0 ? 0 : hsd_id_table_find(&lu->classes, type->address);
        return name_by_text(hsd_luau_string_of(lu, row == 0 ? 0 : lu->class_names[row - 1]), kinds[type->kind], out,
                            size);
    }
    const luau_wanted *wanted = type->address == 0 ? NULL : hsd_luau_wanted_of(lu, type->address);
    return name_by_text(hsd_luau_string_of(lu, wanted == NULL ? 0 : wanted->string), kinds[type->kind], out, size);
}

static uint32_t flags_of(const luau_type *type)
{
    if (type->kind == LUAU_PROTO) return HSC_TYPE_CODE;
    return type->kind == LUAU_UPVALUE ? HSC_TYPE_INTERNAL : 0;
}

static hsd_status define_types(luau *lu, hsd_error *err)
{
    char name[NAME_BYTES];
    for (uint32_t i = 0; i < lu->types.count; i++) {
        luau_type type;
        memcpy(&type, hsd_names_get(&lu->types, i).data, sizeof type);
        const int size = name_type(lu, &type, name, sizeof name);
        HSD_WRITE(lu->import, hsc_define_type(lu->import->writer, i + 1, name, (size_t)size, flags_of(&type)), err);
    }
    return HSD_OK;
}

/* ---- labels ---- */

static hsd_status define_label(luau *lu, uint32_t label, hsc_label_kind kind, uint32_t flags, uint32_t name,
                               hsd_error *err)
{
    if (label == 0) return HSD_OK;
    HSD_WRITE(lu->import, hsc_define_label(lu->import->writer, label, kind, flags, name), err);
    return HSD_OK;
}

static hsd_status define_labels(luau *lu, hsd_error *err)
{
    uint32_t hidden;
    HSD_TRY(hsd_luau_put_words(lu, "[key]", &hidden, err));
    for (uint32_t i = 0; i < lu->wanted.count; i++) {
        const luau_wanted *row = &lu->wanted_rows[i];
        const uint32_t name = row->string == 0 ? hidden : row->string;
        HSD_TRY(define_label(lu, row->field, row->string == 0 ? HSC_LABEL_VALUE : HSC_LABEL_FIELD, 0, row->string,
                             err));
        HSD_TRY(define_label(lu, row->global, HSC_LABEL_FIELD, HSC_LABEL_NAMED_ROOT, name, err));
        HSD_TRY(define_label(lu, row->registry, HSC_LABEL_FIELD, HSC_LABEL_NAMED_ROOT, name, err));
    }
    for (uint32_t i = 0; i < lu->weak_keys.count; i++)
        HSD_TRY(define_label(lu, lu->weak_key_rows[i].label, HSC_LABEL_KEY,
                             lu->weak_key_rows[i].is_string ? HSC_STRENGTH_STRONG : HSC_STRENGTH_WEAK, 0, err));
    return HSD_OK;
}

static void see_weak_key(luau *lu, uint64_t address, hsd_bytes data)
{
    (void)data;
    const uint32_t row = hsd_id_table_find(&lu->weak_keys, address);
    if (row != 0) lu->weak_key_rows[row - 1].is_string = true;
}

/* ---- categories ---- */

static int category_name(const luau *lu, uint32_t number, char *out, size_t size)
{
    const hsd_bytes name = hsd_luau_string_of(lu, lu->categories[number].name);
    if (name.size == 0) return snprintf(out, size, "category %" PRIu32, number);
    return snprintf(out, size, "%.*s", (int)(name.size < 200 ? name.size : 200), (const char *)name.data);
}

static hsd_status define_categories(luau *lu, hsd_error *err)
{
    char name[METRIC_BYTES];
    for (uint32_t i = 0; i < LUAU_CATEGORIES; i++) {
        if (!lu->categories[i].is_used) continue;
        const int size = category_name(lu, i, name, sizeof name);
        HSD_WRITE(lu->import, hsc_define_string(lu->import->writer, LUAU_STRING_CATEGORIES + i, name, (size_t)size),
                  err);
    }
    return HSD_OK;
}

hsd_status hsd_luau_name_all(luau *lu, hsd_error *err)
{
    if (lu->weak_keys.count > 0) HSD_TRY(hsd_luau_skim(lu, see_weak_key, err));
    HSD_TRY(define_labels(lu, err));
    HSD_TRY(define_categories(lu, err));
    return define_types(lu, err);
}

/* Printed as 32 bits with a sign: the least number of the same bits that holds what is known to be there. */
static uint64_t unwrapped(int64_t stated, uint64_t least)
{
    const uint64_t low = (uint32_t)stated;
    const uint64_t bytes = (least & ~(uint64_t)UINT32_MAX) | low;
    return bytes < least ? bytes + ((uint64_t)1 << 32) : bytes;
}

hsd_status hsd_luau_write_metrics(luau *lu, hsd_error *err)
{
    char name[METRIC_BYTES] = "heap.category.";
    const size_t prefix = strlen(name);
    hsc_writer *writer = lu->import->writer;
    if (lu->has_size)
        HSD_WRITE(lu->import, hsc_metric(writer, "heap.used", "bytes", unwrapped(lu->stated_bytes, lu->object_bytes)),
                  err);
    for (uint32_t i = 0; i < LUAU_CATEGORIES; i++) {
        const luau_category *category = &lu->categories[i];
        if (!category->is_stated) continue;
        category_name(lu, i, name + prefix, sizeof name - prefix);
        HSD_WRITE(lu->import, hsc_metric(writer, name, "bytes", unwrapped(category->stated, category->objects_bytes)),
                  err);
    }
    return HSD_OK;
}

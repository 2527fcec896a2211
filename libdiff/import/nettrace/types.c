/*
 * Types and static fields. The table grows with what is told and what objects name, not with the objects; it is held
 * against the memory of the import, so that a stream in which every object has a type of its own ends in words.
 */
#include "import/nettrace/types.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

#define NAME_MAX_BYTES  ((size_t)65536) /* FORMAT.md 10.5 */
#define FIELD_MAX_BYTES ((size_t)1024)
/* In which the runtime looks up what was compiled of a method, with all it has there: grows while methods are called
 * often for the first time. */
#define COMPILED_METHODS "System.Runtime.CompilerServices.GCHeapHash"
#define TYPE_MAX_BYTES   ((size_t)64000) /* the rest is for what stands before and behind it in a label */

static hsd_status check_memory(const nettrace_types *types, hsd_error *err)
{
    const uint64_t taken = hsd_id_table_memory(&types->numbers) + types->texts.total_bytes +
                           (uint64_t)types->capacity * sizeof *types->types +
                           (uint64_t)types->static_capacity * sizeof *types->statics;
    return hsd_import_expect_room(taken, types->memory_bytes, "the types and static fields of this heap",
                                  taken * 4 + HSD_IMPORT_MORE / 2, err);
}

hsd_status hsd_nettrace_types_put(nettrace_types *types, uint64_t id, uint32_t *number, hsd_error *err)
{
    *number = hsd_id_table_find(&types->numbers, id);
    if (*number != 0) return HSD_OK;
    HSD_TRY(hsd_id_table_put(&types->numbers, id, number, err));
    HSD_TRY(hsd_import_grow((void **)&types->types, &types->capacity, *number, sizeof *types->types, err));
    return check_memory(types, err);
}

/* A copy of the scratch buffer in the arena. */
static hsd_status keep_nettrace_type(nettrace_types *types, size_t most, hsd_bytes *out, hsd_error *err)
{
    const size_t size = (size_t)hsd_min_u64(types->scratch.size, most);
    const char *copy = hsd_arena_copy(&types->texts, types->scratch.data, size);
    if (copy == NULL) return hsd_fail_nomem(err, "names of types");
    *out = (hsd_bytes){(const uint8_t *)copy, size};
    return check_memory(types, err);
}

hsd_status hsd_nettrace_types_name(nettrace_types *types, uint64_t id, hsd_bytes units, hsd_error *err)
{
    uint32_t number;
    hsd_buffer raw = {0};
    HSD_TRY(hsd_nettrace_types_put(types, id, &number, err));
    if (types->types[number].name.size != 0 || units.size == 0) return HSD_OK;
    hsd_buffer_clear(&types->scratch);
    hsd_status status = hsd_nettrace_utf8(&raw, units, err);
    if (status == HSD_OK) status = hsd_nettrace_pretty(&types->scratch, (hsd_bytes){raw.data, raw.size}, err);
    hsd_buffer_release(&raw);
    HSD_TRY(status);
    return keep_nettrace_type(types, NAME_MAX_BYTES, &types->types[number].name, err);
}

/* `<Name>k__BackingField`, what the compiler calls the field of a property, is Name. */
static void strip_property(hsd_buffer *name)
{
    static const char suffix[] = ">k__BackingField";
    const size_t tail = sizeof suffix - 1;
    if (name->size < tail + 2 || name->data[0] != '<' || memcmp(name->data + name->size - tail, suffix, tail) != 0)
        return;
    name->size -= tail + 1;
    memmove(name->data, name->data + 1, name->size);
}

hsd_status hsd_nettrace_types_static(nettrace_types *types, uint64_t type_id, hsd_bytes field_units,
                                     bool is_thread_local, uint32_t *number, hsd_error *err)
{
    nettrace_static field = {.is_thread_local = is_thread_local};
    HSD_TRY(hsd_nettrace_types_put(types, type_id, &field.type, err));
    hsd_buffer_clear(&types->scratch);
    HSD_TRY(hsd_nettrace_utf8(&types->scratch, field_units, err));
    strip_property(&types->scratch);
    HSD_TRY(keep_nettrace_type(types, FIELD_MAX_BYTES, &field.field, err));
    HSD_TRY(hsd_import_grow((void **)&types->statics, &types->static_capacity, (uint64_t)types->static_count + 1,
                            sizeof *types->statics, err));
    HSD_TRY(check_memory(types, err));
    *number = ++types->static_count;
    types->statics[*number] = field;
    return HSD_OK;
}

/* ---- the end ---- */

/* Node<Key, Value> and arrays of it: of a ConcurrentDictionary, or of a table of the program's own. A node of a list or
 * a tree has one type alone. */
static bool is_node_of_table(hsd_bytes name)
{
    size_t depth = 0, commas = 0, i = 0;
    if (!hsd_bytes_begin(name, "Node<") || !(hsd_bytes_end(name, ">") || hsd_bytes_end(name, ">[]"))) return false;
    for (; i < name.size; i++) {
        const uint8_t c = name.data[i];
        if (c == '<' || c == '[') depth++;
        if ((c == '>' || c == ']') && depth > 0) depth--;
        commas += c == ',' && depth == 1;
    }
    return commas == 1;
}

/*
 * What collections keep their items in. The runtime names nested types without the type around them, so these are all
 * there is to go by: Dictionary.Entry[], HashSet.Slot[], Hashtable.bucket[], ConcurrentDictionary.Tables and .Node,
 * ConditionalWeakTable.Container. A segment of a ConcurrentQueue is a class of its own.
 */
static uint32_t flags_of(hsd_bytes name)
{
    const bool is_items =
        hsd_bytes_end(name, ">[]") && (hsd_bytes_begin(name, "Entry<") || hsd_bytes_begin(name, "Slot<"));
    const bool is_table =
        hsd_bytes_end(name, ">") && (hsd_bytes_begin(name, "Tables<") || hsd_bytes_begin(name, "Container<") ||
                                     hsd_bytes_begin(name, "System.Collections.Concurrent.ConcurrentQueueSegment<"));
    const bool is_buckets = name.size == 8 && hsd_bytes_begin(name, "bucket[]");
    if (name.size == sizeof COMPILED_METHODS - 1 && hsd_bytes_begin(name, COMPILED_METHODS))
        return HSC_TYPE_CODE | HSC_TYPE_INTERNAL | HSC_TYPE_WHOLE;
    return is_items || is_table || is_buckets || is_node_of_table(name) ? HSC_TYPE_INTERNAL : 0;
}

static hsd_bytes name_of(const nettrace_types *types, uint32_t number)
{
    static const char unknown[] = "(unknown type)";
    const hsd_bytes name = types->types[number].name;
    return name.size != 0 ? name : (hsd_bytes){(const uint8_t *)unknown, sizeof unknown - 1};
}

static hsd_status write_type(const nettrace_types *types, hsd_import *import, uint32_t number, hsd_error *err)
{
    const hsd_bytes name = name_of(types, number);
    const nettrace_type *type = &types->types[number];
    HSD_WRITE(import, hsc_define_type(import->writer, number, name.data, name.size, flags_of(name)), err);
    if (type->objects == 0 || !import->options->summary_only) return HSD_OK;
    HSD_WRITE(import, hsc_count(import->writer, number, type->objects, type->bytes), err);
    return HSD_OK;
}

/* As it is declared: "static System.Collections.Generic.List<Shop.Cart> Carts". */
static hsd_status write_static(nettrace_types *types, hsd_import *import, uint32_t string, const nettrace_static *field,
                               hsd_error *err)
{
    const hsd_bytes type = name_of(types, field->type);
    hsd_buffer *out = &types->scratch;
    const char *front = field->is_thread_local ? "[ThreadStatic] static " : "static ";
    hsd_buffer_clear(out);
    HSD_TRY(hsd_buffer_append(out, front, strlen(front), err));
    HSD_TRY(hsd_buffer_append(out, type.data, (size_t)hsd_min_u64(type.size, TYPE_MAX_BYTES), err));
    HSD_TRY(hsd_buffer_append(out, " ", 1, err));
    HSD_TRY(hsd_buffer_append(out, field->field.data, field->field.size, err));
    HSD_WRITE(import, hsc_define_string(import->writer, string, out->data, out->size), err);
    return HSD_OK;
}

hsd_status hsd_nettrace_types_write(nettrace_types *types, hsd_import *import, uint32_t first_string, hsd_error *err)
{
    for (uint32_t number = 1; number <= types->numbers.count; number++)
        HSD_TRY(write_type(types, import, number, err));
    if (import->options->summary_only) return HSD_OK;
    for (uint32_t number = 1; number <= types->static_count; number++)
        HSD_TRY(write_static(types, import, first_string + number, &types->statics[number], err));
    return HSD_OK;
}

void hsd_nettrace_types_release(nettrace_types *types)
{
    hsd_id_table_release(&types->numbers);
    hsd_arena_release(&types->texts);
    hsd_buffer_release(&types->scratch);
    free(types->types);
    free(types->statics);
    *types = (nettrace_types){0};
}

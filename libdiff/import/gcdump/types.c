#define _GNU_SOURCE /* memmem, memrchr */
/*
 * Types by their names. Producers split a type by the size of its objects and put that into the name; here it is one
 * type again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "import/gcdump/gcdump.h"
#include "import/id_table.h"

/* ---- names ---- */

static bool take_word(hsd_bytes *text, const char *word)
{
    const size_t size = strlen(word);
    if (text->size < size || memcmp(text->data, word, size) != 0) return false;
    *text = (hsd_bytes){text->data + size, text->size - size};
    return true;
}

static bool take_digits(hsd_bytes *text)
{
    const size_t before = text->size;
    while (text->size > 0 && text->data[0] >= '0' && text->data[0] <= '9')
        *text = (hsd_bytes){text->data + 1, text->size - 1};
    return text->size < before;
}

/* Bytes > 10K, Ptrs, NoPtrs, ElemSize=4, with commas between them. */
static bool is_note_of_size(hsd_bytes text)
{
    do {
        if (take_word(&text, "Bytes > ") || take_word(&text, "ElemSize=")) {
            if (!take_digits(&text)) return false;
            if (text.size > 0 && memchr("KMG", text.data[0], 3) != NULL)
                text = (hsd_bytes){text.data + 1, text.size - 1};
        } else if (!take_word(&text, "Ptrs") && !take_word(&text, "NoPtrs")) {
            return false;
        }
    } while (take_word(&text, ","));
    return text.size == 0;
}

hsd_bytes hsd_gcdump_plain_name(hsd_bytes name)
{
    while (name.size > 2 && name.data[name.size - 1] == ')') {
        size_t open = name.size - 1;
        while (open > 0 && name.data[open] != '(')
            open--;
        if (open == 0 || !is_note_of_size((hsd_bytes){name.data + open + 1, name.size - open - 2})) break;
        name.size = name.data[open - 1] == ' ' ? open - 1 : open;
    }
    return name;
}

static bool is_bracketed(hsd_bytes name)
{
    return name.size > 2 && name.data[0] == '[' && name.data[name.size - 1] == ']';
}

/* ---- the table ---- */

uint64_t hsd_gcdump_types_memory(const gcdump_types *types)
{
    return (uint64_t)types->capacity * sizeof *types->types + hsd_names_memory(&types->names);
}

static hsd_status name_type(gcdump_types *types, gcdump_type *type, hsd_bytes name, hsd_error *err)
{
    uint32_t number;
    if (name.size == 0) name = (hsd_bytes){(const uint8_t *)"(unknown type)", 14};
    const hsd_bytes plain = hsd_gcdump_plain_name(name);
    HSD_TRY(hsd_names_put(&types->names, plain.size == 0 ? name : plain, &number, err));
    type->number = number + 1;
    type->is_bracketed = is_bracketed(plain);
    if (hsd_gcdump_types_memory(types) <= types->memory_bytes) return HSD_OK;
    hsd_fail(err, HSD_E_OVER_BUDGET, "the names of %u types do not fit into a quarter of the memory for the import",
             types->count);
    hsd_error_set_hint(err, "give it more: --memory %llu", (unsigned long long)(types->memory_bytes * 8));
    return HSD_E_OVER_BUDGET;
}

hsd_status hsd_gcdump_types_add(gcdump_types *types, hsd_bytes name, int32_t size, hsd_error *err)
{
    HSD_TRY(hsd_import_grow((void **)&types->types, &types->capacity, types->count, sizeof *types->types, err));
    gcdump_type *type = &types->types[types->count++];
    type->size = size;
    return name_type(types, type, name, err);
}

hsd_status hsd_gcdump_types_rename(gcdump_types *types, uint32_t type, hsd_bytes name, hsd_error *err)
{
    return name_type(types, &types->types[type], name, err);
}

hsd_bytes hsd_gcdump_types_name(const gcdump_types *types, uint32_t type)
{
    return hsd_names_get(&types->names, types->types[type].number - 1);
}

/* ---- writing ---- */

static bool has(hsd_bytes name, const char *part) { return memmem(name.data, name.size, part, strlen(part)) != NULL; }

/* What collections keep their items in; runtimes write a nested type with the type around it or without. */
static uint32_t flags_of(hsd_bytes name)
{
    static const char compiled[] = "System.Runtime.CompilerServices.GCHeapHash"; /* see nettrace/types.c */
    if (name.size == sizeof compiled - 1 && hsd_bytes_begin(name, compiled))
        return HSC_TYPE_CODE | HSC_TYPE_INTERNAL | HSC_TYPE_WHOLE;
    static const char *const items[] = {"Entry<", "Slot<"}, *const tables[] = {"Tables<", "Container<"};
    const bool is_collection = hsd_bytes_begin(name, "System.Collections.") ||
                               hsd_bytes_begin(name, "System.Runtime.CompilerServices.ConditionalWeakTable");
    for (size_t i = 0; i < HSD_ARRAY_LEN(items); i++)
        if (hsd_bytes_end(name, ">[]") && (hsd_bytes_begin(name, items[i]) || (is_collection && has(name, items[i]))))
            return HSC_TYPE_INTERNAL;
    for (size_t i = 0; i < HSD_ARRAY_LEN(tables); i++)
        if (hsd_bytes_begin(name, tables[i]) && hsd_bytes_end(name, ">")) return HSC_TYPE_INTERNAL;
    static const char *const nested[] = {
        ".Tables<",           ".Container<",        "Dictionary.Node<",         ".VolatileNode<",
        "Hashtable.bucket[]", "Hashtable.Bucket[]", ".ConcurrentQueueSegment<", "ConcurrentQueue.Segment<"};
    for (size_t i = 0; is_collection && i < HSD_ARRAY_LEN(nested); i++)
        if (has(name, nested[i])) return HSC_TYPE_INTERNAL;
    return 0;
}

/* What a root is called, without its brackets; `<Name>k__BackingField`, the compiler's field of a property, is Name. */
static hsd_status spell_root(hsd_buffer *out, hsd_bytes name, hsd_error *err)
{
    static const char suffix[] = ">k__BackingField";
    const size_t tail = sizeof suffix - 1;
    name = (hsd_bytes){name.data + 1, name.size - 2};
    const uint8_t *open = NULL;
    if (hsd_bytes_end(name, suffix)) open = memrchr(name.data, '<', name.size - tail);
    hsd_buffer_clear(out);
    if (open == NULL) return hsd_buffer_append(out, name.data, name.size, err);
    HSD_TRY(hsd_buffer_append(out, name.data, (size_t)(open - name.data), err));
    return hsd_buffer_append(out, open + 1, (size_t)(name.data + name.size - tail - (open + 1)), err);
}

static hsd_status write_root_names(gcdump_types *types, hsd_import *import, hsd_error *err)
{
    for (uint32_t i = 0; i < types->count; i++) {
        if (!types->types[i].is_root) continue;
        HSD_TRY(spell_root(&types->scratch, hsd_gcdump_types_name(types, i), err));
        HSD_WRITE(import,
                  hsc_define_string(import->writer, GCDUMP_STRING_TYPES + i, types->scratch.data, types->scratch.size),
                  err);
    }
    return HSD_OK;
}

static uint64_t rounded(double value) { return value < 1.8e19 ? (uint64_t)(value + 0.5) : UINT64_MAX; }

static hsd_status write_total(const struct gcdump_total *total, hsd_import *import, uint32_t number, bool is_sampled,
                              hsd_error *err)
{
    const uint64_t objects = is_sampled ? rounded(total->scaled_objects) : total->objects;
    const uint64_t bytes = is_sampled ? rounded(total->scaled_bytes) : total->bytes;
    HSD_WRITE(import, hsc_count(import->writer, number, objects, bytes), err);
    import->result->objects = hsd_add_saturating(import->result->objects, objects);
    import->result->bytes = hsd_add_saturating(import->result->bytes, bytes);
    return HSD_OK;
}

hsd_status hsd_gcdump_types_write(gcdump_types *types, hsd_import *import, bool is_sampled, hsd_error *err)
{
    for (uint32_t number = 1; number <= types->names.count; number++) {
        const hsd_bytes name = hsd_names_get(&types->names, number - 1);
        HSD_WRITE(import, hsc_define_type(import->writer, number, name.data, name.size, flags_of(name)), err);
        if (types->totals != NULL && types->totals[number].objects > 0)
            HSD_TRY(write_total(&types->totals[number], import, number, is_sampled, err));
    }
    return types->totals == NULL ? write_root_names(types, import, err) : HSD_OK;
}

void hsd_gcdump_types_release(gcdump_types *types)
{
    free(types->types);
    free(types->totals);
    hsd_names_release(&types->names);
    hsd_buffer_release(&types->scratch);
    *types = (gcdump_types){0};
}

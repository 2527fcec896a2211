/*
 * Objects as their lines are read, with their references; then the roots.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "import/luau/luau.h"

enum { PROGRESS_EVERY = 4096, INTERNAL_BYTES = 256 };

/* ---- references ---- */

static hsd_status refer(luau *lu, uint64_t target, uint32_t label, hsd_error *err)
{
    HSD_WRITE(lu->import, hsc_reference(lu->import->writer, target, label, 0), err);
    lu->import->result->references++;
    return HSD_OK;
}

/* A value stays while its table lives, even where the keys are weak: Luau has no ephemerons. */
static hsd_status write_pair(luau *lu, uint64_t key, uint64_t value, hsd_error *err)
{
    const luau_meta *meta = hsd_luau_meta_of(lu, lu->line.edges[LUAU_METATABLE]);
    if (value != 0) {
        const bool is_weak = meta != NULL && meta->weak_values;
        HSD_TRY(refer(lu, value,
                      is_weak ? (uint32_t)LUAU_LABEL_WEAK_ENTRY : hsd_luau_entry_label(lu, lu->line.address, key),
                      err));
    }
    if (key == 0) return HSD_OK;
    uint32_t label = LUAU_LABEL_KEY;
    if (meta != NULL && meta->weak_keys) HSD_TRY(hsd_luau_weak_key_label(lu, key, &label, err));
    return refer(lu, key, label, err);
}

static hsd_status write_item(luau *lu, luau_edge list, uint64_t target, hsd_error *err)
{
    uint32_t label = LUAU_LABEL_EDGES + list;
    if (list == LUAU_STACK && lu->stack.size / sizeof target < LUAU_STACK_MOST)
        return hsd_buffer_append(&lu->stack, &target, sizeof target, err);
    if (list == LUAU_ARRAY) {
        const luau_meta *meta = hsd_luau_meta_of(lu, lu->line.edges[LUAU_METATABLE]);
        if (meta != NULL && meta->weak_values)
            label = LUAU_LABEL_WEAK_ENTRY;
        else if (lu->line.address == lu->registry)
            label = LUAU_LABEL_REGISTERED;
    }
    return refer(lu, target, label, err);
}

/* ---- strings ---- */

static bool is_of_the_machine(luau *lu, hsd_bytes data)
{
    static const char *const words[] = {"nil",
                                        "boolean",
                                        "lightuserdata",
                                        "number",
                                        "integer",
                                        "vector",
                                        "string",
                                        "table",
                                        "function",
                                        "userdata",
                                        "thread",
                                        "buffer",
                                        "class",
                                        "object",
                                        "proto",
                                        "upval",
                                        "deadkey",
                                        "not enough memory",
                                        "error in error handling"};
    if (data.size > 2 && data.data[0] == '_' && data.data[1] == '_') return true; /* names of metamethods */
    for (size_t i = 0; i < HSD_ARRAY_LEN(words); i++)
        if (data.size == strlen(words[i]) && memcmp(words[i], data.data, data.size) == 0) return true;
    return hsd_names_find(&lu->internals, data) != HSD_NAME_NONE;
}

/* What may be told of a string that is a key or the name of a type. */
static bool may_tell(const luau *lu, const luau_wanted *row, hsd_bytes data)
{
    if ((row->uses & LUAU_USE_NAME) != 0 && hsd_luau_is_name(data, "*.:{}<>")) return true;
    if ((row->uses & (LUAU_USE_GLOBAL | LUAU_USE_REGISTRY)) != 0 && hsd_luau_is_name(data, ".*-")) return true;
    if (lu->import->options->with_values) return data.size <= INTERNAL_BYTES;
    return row->seen >= LUAU_FEW_TABLES && hsd_luau_is_name(data, "");
}

static hsd_status see_string(luau *lu, hsd_error *err)
{
    const luau_line *line = &lu->line;
    luau_wanted *row = hsd_luau_wanted_of(lu, line->address);
    if (row != NULL && may_tell(lu, row, line->data)) HSD_TRY(hsd_luau_put_string(lu, line->data, &row->string, err));
    if (line->data_bytes > INTERNAL_BYTES || !is_of_the_machine(lu, line->data)) return HSD_OK;
    HSD_TRY(hsd_buffer_append(&lu->internal_roots, &line->address, sizeof line->address, err));
    return hsd_luau_check_memory(lu, err);
}

/* ---- objects ---- */

static hsd_status put_name(luau *lu, uint32_t *name, hsd_error *err)
{
    const luau_line *line = &lu->line;
    if (line->address == lu->globals) return hsd_luau_put_words(lu, "_G", name, err);
    if (line->address == lu->registry) return hsd_luau_put_words(lu, "registry", name, err);
    if (line->kind == LUAU_FUNCTION || line->kind == LUAU_CLASS) return hsd_luau_put_string(lu, line->name, name, err);
    return line->kind == LUAU_PROTO || line->kind == LUAU_THREAD ? hsd_luau_put_place(lu, name, err) : HSD_OK;
}

static void count_luau_write(luau *lu)
{
    hsd_import_result *result = lu->import->result;
    lu->objects++;
    result->objects++;
    lu->object_bytes = hsd_add_saturating(lu->object_bytes, lu->line.size_bytes);
    result->bytes = lu->object_bytes;
    if (lu->line.category >= LUAU_CATEGORIES) return;
    luau_category *category = &lu->categories[lu->line.category];
    category->is_used = true;
    category->objects_bytes = hsd_add_saturating(category->objects_bytes, lu->line.size_bytes);
}

static hsd_status begin_object(luau *lu, hsd_error *err)
{
    const luau_line *line = &lu->line;
    hsc_object object = {.id = line->address, .size_bytes = line->size_bytes};
    HSD_TRY(hsd_luau_put_type(lu, &object.type, err));
    count_luau_write(lu);
    if (lu->import->options->summary_only) {
        HSD_WRITE(lu->import, hsc_count(lu->import->writer, object.type, 1, object.size_bytes), err);
        return HSD_OK;
    }
    HSD_TRY(put_name(lu, &object.name, err));
    if (line->category < LUAU_CATEGORIES) object.category = LUAU_STRING_CATEGORIES + line->category;
    object.elements = line->data_bytes;
    object.content = line->data_hash;
    if (line->is_wrapped || line->is_cut || line->kind == LUAU_VECTOR) object.flags = HSC_OBJECT_CUT;
    HSD_WRITE(lu->import, hsc_begin_object(lu->import->writer, &object), err);
    lu->is_object_open = true;
    if (line->data_bytes > 0 && lu->import->options->with_values)
        HSD_WRITE(lu->import, hsc_value(lu->import->writer, line->data.data, line->data.size), err);
    return HSD_OK;
}

static hsd_status close_object(luau *lu, hsd_error *err)
{
    if (!lu->is_object_open) return HSD_OK;
    lu->is_object_open = false;
    const uint64_t *slots = (const uint64_t *)(const void *)lu->stack.data;
    const uint32_t *labels = (const uint32_t *)(const void *)lu->labels.data;
    const size_t named = lu->labels.size / sizeof *labels;
    for (size_t i = 0; i < lu->stack.size / sizeof *slots; i++)
        HSD_TRY(refer(lu, slots[i], i < named ? labels[i] : LUAU_LABEL_EDGES + LUAU_STACK, err));
    hsd_buffer_clear(&lu->stack);
    hsd_buffer_clear(&lu->labels);
    for (unsigned edge = LUAU_ENV; edge < LUAU_EDGES; edge++)
        if (lu->line.edges[edge] != 0) HSD_TRY(refer(lu, lu->line.edges[edge], LUAU_LABEL_EDGES + edge, err));
    HSD_WRITE(lu->import, hsc_end_object(lu->import->writer), err);
    return HSD_OK;
}

static hsd_status end_object(luau *lu, hsd_error *err)
{
    if (lu->line.kind == LUAU_STRING) HSD_TRY(see_string(lu, err));
    return close_object(lu, err);
}

static const luau_visit whole = {begin_object, write_pair, write_item, hsd_luau_read_stack_names, end_object};
static const luau_visit summary = {.begin = begin_object, .end = end_object};

static hsd_status write_line(luau *lu, hsd_error *err)
{
    if (lu->at == lu->end || *lu->at != '"') return HSD_OK;
    HSD_TRY(hsd_luau_read_head(lu, err));
    if (lu->line.address == 0) return HSD_OK; /* stands behind the last comma, and is no object */
    if (lu->line.kind == LUAU_TABLE) {
        const uint32_t row = lu->line.is_long ? hsd_id_table_find(&lu->long_tables, lu->line.address) : 0;
        lu->line.edges[LUAU_METATABLE] =
            lu->line.is_long ? (row == 0 ? 0 : lu->long_metatables[row - 1]) : hsd_luau_peek_metatable(lu);
    }
    return hsd_luau_read_keys(lu, lu->import->options->summary_only ? &summary : &whole, err);
}

hsd_status hsd_luau_write_objects(luau *lu, hsd_error *err)
{
    hsd_status status;
    lu->at = NULL;
    HSD_TRY(hsd_source_rewind(lu->source, err));
    for (uint64_t lines = 0; (status = hsd_luau_next_line(lu, err)) == HSD_OK; lines++) {
        if (lines % PROGRESS_EVERY == 0)
            HSD_TRY(hsd_progress(lu->import->reporter, "importing", hsd_source_offset(lu->source),
                                 lu->source->total_bytes, err));
        status = write_line(lu, err);
        if (status < 0) return status;
        if (status == HSD_OK) continue;
        lu->unreadable += !lu->line.is_cut;
        HSD_TRY(close_object(lu, err)); /* what was read of it stays */
    }
    return status == HSD_END ? HSD_OK : status;
}

/* ---- roots ---- */

static hsd_status write_root(luau *lu, hsc_root_kind kind, uint32_t flags, const char *words, uint64_t target,
                             hsd_error *err)
{
    hsc_root_record root = {.kind = kind, .flags = flags, .target = target};
    if (target == 0) return HSD_OK;
    HSD_TRY(hsd_luau_put_words(lu, words, &root.label, err));
    HSD_WRITE(lu->import, hsc_root(lu->import->writer, &root), err);
    return HSD_OK;
}

/* Values of one basic type share a metatable, which no reference tells: it looks in the library of that type. */
static hsd_status write_type_metatables(luau *lu, hsd_error *err)
{
    static const char *const libraries[] = {"string", "vector", "buffer"};
    for (uint32_t i = 0; i < lu->metas.count; i++) {
        const luau_meta *meta = &lu->meta_rows[i];
        const uint32_t row = meta->index == 0 ? 0 : hsd_id_table_find(&lu->global_values, meta->index);
        const luau_wanted *name = row == 0 ? NULL : hsd_luau_wanted_of(lu, lu->global_keys[row - 1]);
        if (name == NULL || name->string == 0) continue;
        const hsd_bytes text = hsd_luau_string_of(lu, name->string);
        for (size_t k = 0; k < HSD_ARRAY_LEN(libraries); k++)
            if (text.size == strlen(libraries[k]) && memcmp(text.data, libraries[k], text.size) == 0)
                HSD_TRY(write_root(lu, HSC_ROOT_RUNTIME, HSC_ROOT_SECONDARY, "(metatables of basic types)", meta->table,
                                   err));
    }
    return HSD_OK;
}

hsd_status hsd_luau_write_roots(luau *lu, hsd_error *err)
{
    if (lu->import->options->summary_only || !lu->has_roots) return HSD_OK;
    HSD_TRY(write_root(lu, HSC_ROOT_THREAD, 0, "main thread", lu->main_thread, err));
    HSD_TRY(write_root(lu, HSC_ROOT_RUNTIME, 0, "registry", lu->registry, err));
    const uint64_t *strings = (const uint64_t *)(const void *)lu->internal_roots.data;
    for (size_t i = 0; i < lu->internal_roots.size / sizeof *strings; i++)
        HSD_TRY(write_root(lu, HSC_ROOT_RUNTIME, HSC_ROOT_SECONDARY, "(VM internals)", strings[i], err));
    return write_type_metatables(lu, err);
}

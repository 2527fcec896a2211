/*
 * Numbers of the capture: strings are written when they are first met, types and labels when all is known.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "import/luau/luau.h"

hsd_status hsd_luau_check_memory(const luau *lu, hsd_error *err)
{
    const hsd_id_table *tables[] = {&lu->wanted,    &lu->metas,         &lu->protos,      &lu->classes,     &lu->modes,
                                    &lu->weak_keys, &lu->global_values, &lu->long_tables, &lu->environments};
    uint64_t taken = hsd_names_memory(&lu->strings.names) + hsd_names_memory(&lu->types) +
                     hsd_names_memory(&lu->variables) + hsd_names_memory(&lu->internals) + lu->internal_roots.capacity;
    for (size_t i = 0; i < HSD_ARRAY_LEN(tables); i++)
        taken += hsd_id_table_memory(tables[i]);
    taken += (uint64_t)lu->wanted_room * sizeof *lu->wanted_rows + (uint64_t)lu->meta_room * sizeof *lu->meta_rows +
             (uint64_t)lu->proto_room * sizeof *lu->proto_rows + (uint64_t)lu->class_room * sizeof *lu->class_names +
             (uint64_t)(lu->global_room + lu->long_room) * sizeof(uint64_t) + lu->mode_room +
             (uint64_t)lu->weak_key_room * sizeof *lu->weak_key_rows + lu->variable_room * sizeof *lu->variable_labels;
    return hsd_import_expect_room(taken, lu->import->memory_bytes / 2,
                                  "the names, functions and metatables of this dump", taken * 4 + HSD_IMPORT_MORE, err);
}

/* ---- strings ---- */

hsd_status hsd_luau_put_string(luau *lu, hsd_bytes text, uint32_t *number, hsd_error *err)
{
    bool is_new;
    *number = 0;
    if (text.size == 0) return HSD_OK;
    HSD_TRY(hsd_import_put_text(lu->import, &lu->strings, text, number, &is_new, err));
    return is_new ? hsd_luau_check_memory(lu, err) : HSD_OK;
}

hsd_status hsd_luau_put_words(luau *lu, const char *words, uint32_t *number, hsd_error *err)
{
    return hsd_luau_put_string(lu, (hsd_bytes){(const uint8_t *)words, strlen(words)}, number, err);
}

hsd_bytes hsd_luau_source_name(hsd_bytes source)
{
    static const uint8_t unnamed[] = "[string]";
    if (source.size > 1 && (source.data[0] == '@' || source.data[0] == '='))
        return (hsd_bytes){source.data + 1, source.size - 1};
    return source.size == 0 ? source : (hsd_bytes){unnamed, sizeof unnamed - 1};
}

bool hsd_luau_is_name(hsd_bytes text, const char *also)
{
    if (text.size == 0 || text.size > LUAU_NAME_BYTES || (text.data[0] >= '0' && text.data[0] <= '9')) return false;
    for (size_t i = 0; i < text.size; i++) {
        const uint8_t c = text.data[i];
        const bool is_plain = c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_plain && (c == '\0' || strchr(also, c) == NULL)) return false;
    }
    return true;
}

hsd_status hsd_luau_put_place(luau *lu, uint32_t *string, hsd_error *err)
{
    uint8_t text[LUAU_TEXT_BYTES + 32];
    const hsd_bytes source = hsd_luau_source_name(lu->line.source);
    *string = 0;
    if (source.size == 0) return HSD_OK;
    memcpy(text, source.data, source.size);
    const int more = snprintf((char *)text + source.size, 32, ":%" PRIu64, lu->line.line);
    return hsd_luau_put_string(lu, (hsd_bytes){text, source.size + (size_t)more}, string, err);
}

/* ---- types ---- */

/* The string that names instances of a metatable, 0 = none: its __type, or the global variable that it is, or that it
 * looks in. */
static uint64_t name_of_meta(const luau *lu, uint64_t metatable)
{
    const luau_meta *meta = hsd_luau_meta_of(lu, metatable);
    if (metatable == 0) return 0;
    if (meta != NULL && meta->type != 0) return meta->type;
    if (meta != NULL && meta->name != 0) return meta->name;
    uint32_t row = hsd_id_table_find(&lu->global_values, metatable);
    if (row == 0 && meta != NULL && meta->index != 0) row = hsd_id_table_find(&lu->global_values, meta->index);
    return row == 0 ? 0 : lu->global_keys[row - 1];
}

hsd_status hsd_luau_put_type(luau *lu, uint32_t *number, hsd_error *err)
{
    const luau_line *line = &lu->line;
    luau_type type = {.kind = line->kind};
    if (line->kind == LUAU_TABLE || line->kind == LUAU_USERDATA)
        type.address = name_of_meta(lu, line->edges[LUAU_METATABLE]);
    if (line->kind == LUAU_OBJECT) type.address = line->edges[LUAU_CLASS_OF];
    if (line->kind == LUAU_FUNCTION) {
        type.address = line->edges[LUAU_PROTO_OF];
        HSD_TRY(hsd_luau_put_string(lu, line->name, &type.name, err));
    }
    const uint32_t before = lu->types.count;
    HSD_TRY(hsd_names_put(&lu->types, (hsd_bytes){(const uint8_t *)&type, sizeof type}, number, err));
    ++*number;
    return lu->types.count == before ? HSD_OK : hsd_luau_check_memory(lu, err);
}

/* ---- labels ---- */

static uint32_t own_label(luau *lu, uint32_t *label)
{
    if (*label == 0) *label = lu->next_label++;
    return *label;
}

uint32_t hsd_luau_entry_label(luau *lu, uint64_t table, uint64_t key)
{
    luau_wanted *row = key == 0 ? NULL : hsd_luau_wanted_of(lu, key);
    if (table == lu->registry) return row == NULL ? LUAU_LABEL_REGISTERED : own_label(lu, &row->registry);
    if (table == lu->globals) return row == NULL ? LUAU_LABEL_GLOBAL : own_label(lu, &row->global);
    const bool is_told = row != NULL && (row->seen >= LUAU_FEW_TABLES || (row->uses & LUAU_USE_GLOBAL) != 0);
    const bool is_field = is_told || (row != NULL && lu->import->options->with_values);
    return is_field ? own_label(lu, &row->field) : LUAU_LABEL_ENTRY;
}

hsd_status hsd_luau_weak_key_label(luau *lu, uint64_t key, uint32_t *label, hsd_error *err)
{
    uint32_t row = hsd_id_table_find(&lu->weak_keys, key);
    if (row == 0) {
        if (lu->weak_keys.count >= lu->weak_keys_most) {
            *label = LUAU_LABEL_WEAK_KEY;
            return HSD_OK;
        }
        HSD_TRY(hsd_id_table_put(&lu->weak_keys, key, &row, err));
        HSD_TRY(hsd_import_grow((void **)&lu->weak_key_rows, &lu->weak_key_room, row - 1, sizeof *lu->weak_key_rows,
                                err));
    }
    *label = own_label(lu, &lu->weak_key_rows[row - 1].label);
    return HSD_OK;
}

hsd_status hsd_luau_variable_label(luau *lu, hsd_bytes name, uint32_t *label, hsd_error *err)
{
    static const char frame[] = "frame:";
    uint32_t number, string;
    *label = LUAU_LABEL_EDGES + LUAU_STACK;
    if (name.size >= sizeof frame - 1 && memcmp(name.data, frame, sizeof frame - 1) == 0) *label = LUAU_LABEL_CALLED;
    if (!hsd_luau_is_name(name, "")) return HSD_OK;
    const uint32_t before = lu->variables.count;
    HSD_TRY(hsd_names_put(&lu->variables, name, &number, err));
    HSD_TRY(hsd_import_grow((void **)&lu->variable_labels, &lu->variable_room, number, sizeof *lu->variable_labels,
                            err));
    *label = own_label(lu, &lu->variable_labels[number]);
    if (lu->variables.count == before) return HSD_OK;
    HSD_TRY(hsd_luau_put_string(lu, name, &string, err));
    HSD_WRITE(lu->import, hsc_define_label(lu->import->writer, *label, HSC_LABEL_VARIABLE, 0, string), err);
    return HSD_OK;
}

hsd_status hsd_luau_begin_tables(luau *lu, hsd_error *err)
{
    static const struct {
        uint32_t label;
        hsc_label_kind kind;
        uint32_t flags;
        const char *words;
    } rows[] = {
        {LUAU_LABEL_EDGES + LUAU_ARRAY, HSC_LABEL_VALUE, 0, ""},
        {LUAU_LABEL_EDGES + LUAU_UPVALUES, HSC_LABEL_INTERNAL, 0, "upvalue"},
        {LUAU_LABEL_EDGES + LUAU_STACK, HSC_LABEL_INTERNAL, 0, "stack"},
        {LUAU_LABEL_EDGES + LUAU_CONSTANTS, HSC_LABEL_INTERNAL, 0, "constant"},
        {LUAU_LABEL_EDGES + LUAU_PROTOS, HSC_LABEL_INTERNAL, 0, "inner function"},
        {LUAU_LABEL_EDGES + LUAU_MEMBERS, HSC_LABEL_VALUE, 0, ""},
        {LUAU_LABEL_EDGES + LUAU_MEMBER_NAMES, HSC_LABEL_INTERNAL, 0, "name of a member"},
        {LUAU_LABEL_EDGES + LUAU_STATICS, HSC_LABEL_STATIC, 0, "(members)"},
        {LUAU_LABEL_EDGES + LUAU_ENV, HSC_LABEL_INTERNAL, 0, "environment"},
        {LUAU_LABEL_EDGES + LUAU_PROTO_OF, HSC_LABEL_INTERNAL, 0, "prototype"},
        {LUAU_LABEL_EDGES + LUAU_METATABLE, HSC_LABEL_INTERNAL, 0, "metatable"},
        {LUAU_LABEL_EDGES + LUAU_CLASS_OF, HSC_LABEL_CLASS, 0, "class"},
        {LUAU_LABEL_EDGES + LUAU_SUPER, HSC_LABEL_INTERNAL, 0, "super"},
        {LUAU_LABEL_EDGES + LUAU_VALUE, HSC_LABEL_INTERNAL, 0, "value"},
        {LUAU_LABEL_EDGES + LUAU_INSTANCES, HSC_LABEL_INTERNAL, 0, "metatable of instances"},
        {LUAU_LABEL_EDGES + LUAU_OFFSETS, HSC_LABEL_INTERNAL, 0, "places of members"},
        {LUAU_LABEL_KEY, HSC_LABEL_KEY, 0, ""},
        {LUAU_LABEL_ENTRY, HSC_LABEL_VALUE, 0, ""},
        {LUAU_LABEL_WEAK_KEY, HSC_LABEL_KEY, HSC_STRENGTH_WEAK, ""},
        {LUAU_LABEL_WEAK_ENTRY, HSC_LABEL_VALUE, HSC_STRENGTH_WEAK, ""},
        {LUAU_LABEL_CALLED, HSC_LABEL_INTERNAL, 0, "called"},
        {LUAU_LABEL_GLOBAL, HSC_LABEL_VALUE, HSC_LABEL_NAMED_ROOT, "[key]"},
        {LUAU_LABEL_REGISTERED, HSC_LABEL_VALUE, HSC_LABEL_NAMED_ROOT, "(references)"},
    };
    lu->next_label = LUAU_LABEL_FREE;
    for (size_t i = 0; i < HSD_ARRAY_LEN(rows); i++) {
        uint32_t name;
        HSD_TRY(hsd_luau_put_words(lu, rows[i].words, &name, err));
        HSD_WRITE(lu->import, hsc_define_label(lu->import->writer, rows[i].label, rows[i].kind, rows[i].flags, name),
                  err);
    }
    return hsd_import_define_texts(lu->import, &lu->strings, err);
}

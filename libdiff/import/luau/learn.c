/*
 * What must be known before an object is written: which keys many tables have, what metatables say, where functions
 * stand. Only tables, functions and their prototypes are read.
 */
#include <stdlib.h>
#include <string.h>

#include "import/luau/luau.h"

enum { PROGRESS_EVERY = 4096, WEAK_KEYS = 1, WEAK_VALUES = 2 };

/* ---- keys ---- */

static hsd_status add_wanted(luau *lu, uint64_t string, luau_wanted **row, hsd_error *err)
{
    uint32_t number;
    HSD_TRY(hsd_id_table_put(&lu->wanted, string, &number, err));
    HSD_TRY(hsd_import_grow((void **)&lu->wanted_rows, &lu->wanted_room, number - 1, sizeof *lu->wanted_rows, err));
    lu->wanted_rows[number - 1].address = string;
    *row = &lu->wanted_rows[number - 1];
    return hsd_luau_check_memory(lu, err);
}

static hsd_status want_learned_size(luau *lu, uint64_t string, uint32_t use, hsd_error *err)
{
    luau_wanted *row = string == 0 ? NULL : hsd_luau_wanted_of(lu, string);
    if (string == 0) return HSD_OK;
    if (row == NULL && lu->wanted.count >= LUAU_WANTED_MOST) return HSD_OK;
    if (row == NULL) HSD_TRY(add_wanted(lu, string, &row, err));
    row->uses |= use;
    return HSD_OK;
}

/* Keys that one table alone has had make room: most of them are data. When that does not help, there are enough names.
 */
static hsd_status make_room_for_learned_size(luau *lu, hsd_error *err)
{
    luau_wanted *rows = lu->wanted_rows;
    const uint32_t count = lu->wanted.count;
    luau_wanted *row;
    hsd_id_table_release(&lu->wanted);
    lu->wanted_rows = NULL;
    lu->wanted_room = 0;
    hsd_status status = HSD_OK;
    for (uint32_t i = 0; i < count && status == HSD_OK; i++) {
        if (rows[i].seen < 2 && rows[i].uses == LUAU_USE_KEY) continue;
        status = add_wanted(lu, rows[i].address, &row, err);
        if (status == HSD_OK) *row = rows[i];
    }
    free(rows);
    lu->has_enough_keys = lu->wanted.count > LUAU_KEYS_MOST / 2;
    return status;
}

static hsd_status count_key(luau *lu, uint64_t key, hsd_error *err)
{
    luau_wanted *row = hsd_luau_wanted_of(lu, key);
    if (row == NULL) {
        if (lu->has_enough_keys) return HSD_OK;
        if (lu->wanted.count >= LUAU_KEYS_MOST) HSD_TRY(make_room_for_learned_size(lu, err));
        HSD_TRY(add_wanted(lu, key, &row, err));
    }
    row->uses |= LUAU_USE_KEY;
    if (row->seen < LUAU_FEW_TABLES) row->seen++;
    return HSD_OK;
}

/* ---- tables ---- */

static hsd_status put_meta(luau *lu, uint64_t key, uint64_t value, hsd_error *err)
{
    uint32_t number;
    HSD_TRY(hsd_id_table_put(&lu->metas, lu->line.address, &number, err));
    HSD_TRY(hsd_import_grow((void **)&lu->meta_rows, &lu->meta_room, number - 1, sizeof *lu->meta_rows, err));
    luau_meta *row = &lu->meta_rows[number - 1];
    row->table = lu->line.address;
    if (key == lu->mode_key) row->mode = value;
    if (key == lu->type_key) row->type = value;
    if (key == lu->name_key) row->name = value;
    if (key == lu->index_key) row->index = value;
    if (key == lu->type_key || key == lu->name_key) HSD_TRY(want_learned_size(lu, value, LUAU_USE_NAME, err));
    return hsd_luau_check_memory(lu, err);
}

static hsd_status put_global(luau *lu, uint64_t key, uint64_t value, hsd_error *err)
{
    uint32_t number;
    HSD_TRY(want_learned_size(lu, key, LUAU_USE_GLOBAL, err));
    if (value == 0 || value == lu->globals || lu->global_values.count >= LUAU_KEYS_MOST) return HSD_OK;
    HSD_TRY(hsd_id_table_put(&lu->global_values, value, &number, err));
    HSD_TRY(hsd_import_grow((void **)&lu->global_keys, &lu->global_room, number - 1, sizeof *lu->global_keys, err));
    if (lu->global_keys[number - 1] == 0) lu->global_keys[number - 1] = key;
    return HSD_OK;
}

static hsd_status see_pair(luau *lu, uint64_t key, uint64_t value, hsd_error *err)
{
    const uint64_t table = lu->line.address;
    if (key == 0) return HSD_OK;
    if (value != 0 && (key == lu->mode_key || key == lu->type_key || key == lu->name_key || key == lu->index_key))
        HSD_TRY(put_meta(lu, key, value, err));
    if (table == lu->globals) return put_global(lu, key, value, err);
    if (table == lu->registry) return want_learned_size(lu, key, LUAU_USE_REGISTRY, err);
    if (hsd_id_table_find(&lu->environments, table) != 0) return want_learned_size(lu, key, LUAU_USE_GLOBAL, err);
    return lu->line.size_bytes < LUAU_MAP_BYTES && value != 0 ? count_key(lu, key, err) : HSD_OK;
}

/* The metatable of a line that is longer than the window stands too far from its first reference. */
static hsd_status see_long_table(luau *lu, hsd_error *err)
{
    uint32_t number;
    HSD_TRY(hsd_id_table_put(&lu->long_tables, lu->line.address, &number, err));
    HSD_TRY(hsd_import_grow((void **)&lu->long_metatables, &lu->long_room, number - 1, sizeof *lu->long_metatables,
                            err));
    lu->long_metatables[number - 1] = lu->line.edges[LUAU_METATABLE];
    return hsd_luau_check_memory(lu, err);
}

static hsd_status learn_table(luau *lu, hsd_error *err)
{
    static const luau_visit visit = {.pair = see_pair};
    const bool is_long = lu->line.is_long;
    HSD_TRY(hsd_luau_read_keys(lu, &visit, err));
    return is_long && lu->line.edges[LUAU_METATABLE] != 0 ? see_long_table(lu, err) : HSD_OK;
}

/* ---- functions ---- */

/* The virtual machine holds the names of functions and of their files, which no reference tells. */
static hsd_status put_internal(luau *lu, hsd_bytes text, hsd_error *err)
{
    uint32_t ignored;
    return text.size == 0 ? HSD_OK : hsd_names_put(&lu->internals, text, &ignored, err);
}

static hsd_status learn_proto(luau *lu, hsd_error *err)
{
    static const luau_visit visit = {.begin = NULL};
    uint32_t number;
    luau_proto proto = {0};
    HSD_TRY(hsd_luau_read_keys(lu, &visit, err));
    proto.line = lu->line.line;
    HSD_TRY(put_internal(lu, lu->line.source, err));
    HSD_TRY(hsd_luau_put_string(lu, hsd_luau_source_name(lu->line.source), &proto.source, err));
    HSD_TRY(hsd_id_table_put(&lu->protos, lu->line.address, &number, err));
    HSD_TRY(hsd_import_grow((void **)&lu->proto_rows, &lu->proto_room, number - 1, sizeof *lu->proto_rows, err));
    lu->proto_rows[number - 1] = proto;
    return hsd_luau_check_memory(lu, err);
}

static hsd_status learn_function(luau *lu, hsd_error *err)
{
    static const luau_visit visit = {.begin = NULL};
    HSD_TRY(hsd_luau_read_keys(lu, &visit, err));
    HSD_TRY(put_internal(lu, lu->line.name, err));
    return hsd_luau_check_memory(lu, err);
}

static hsd_status learn_class(luau *lu, hsd_error *err)
{
    static const luau_visit visit = {.begin = NULL};
    uint32_t number, name;
    HSD_TRY(hsd_luau_read_keys(lu, &visit, err));
    HSD_TRY(put_internal(lu, lu->line.name, err));
    HSD_TRY(hsd_luau_put_string(lu, lu->line.name, &name, err));
    HSD_TRY(hsd_id_table_put(&lu->classes, lu->line.address, &number, err));
    HSD_TRY(hsd_import_grow((void **)&lu->class_names, &lu->class_room, number - 1, sizeof *lu->class_names, err));
    lu->class_names[number - 1] = name;
    return hsd_luau_check_memory(lu, err);
}

static hsd_status learn_line(luau *lu, hsd_error *err)
{
    if (lu->at == lu->end || *lu->at != '"' || hsd_luau_is_string(lu)) return HSD_OK;
    HSD_TRY(hsd_luau_read_head(lu, err));
    const luau_kind kind = lu->line.kind;
    if (kind == LUAU_TABLE) return learn_table(lu, err);
    if (kind == LUAU_FUNCTION) return learn_function(lu, err);
    if (kind == LUAU_PROTO) return learn_proto(lu, err);
    return kind == LUAU_CLASS ? learn_class(lu, err) : HSD_OK;
}

/* ---- weak tables ---- */

static void see_mode(luau *lu, uint64_t address, hsd_bytes data)
{
    const uint32_t row = hsd_id_table_find(&lu->modes, address);
    if (row == 0) return;
    if (memchr(data.data, 'k', data.size) != NULL) lu->mode_flags[row - 1] |= WEAK_KEYS;
    if (memchr(data.data, 'v', data.size) != NULL) lu->mode_flags[row - 1] |= WEAK_VALUES;
}

static hsd_status learn_modes(luau *lu, hsd_error *err)
{
    uint32_t number;
    for (uint32_t i = 0; i < lu->metas.count; i++) {
        if (lu->meta_rows[i].mode == 0) continue;
        HSD_TRY(hsd_id_table_put(&lu->modes, lu->meta_rows[i].mode, &number, err));
        HSD_TRY(hsd_import_grow((void **)&lu->mode_flags, &lu->mode_room, number - 1, 1, err));
    }
    if (lu->modes.count == 0) return HSD_OK;
    HSD_TRY(hsd_luau_skim(lu, see_mode, err));
    for (uint32_t i = 0; i < lu->metas.count; i++) {
        luau_meta *row = &lu->meta_rows[i];
        if (row->mode == 0) continue;
        const uint8_t flags = lu->mode_flags[hsd_id_table_find(&lu->modes, row->mode) - 1];
        row->weak_keys = (flags & WEAK_KEYS) != 0;
        row->weak_values = (flags & WEAK_VALUES) != 0;
    }
    return HSD_OK;
}

hsd_status hsd_luau_learn(luau *lu, hsd_error *err)
{
    hsd_status status;
    lu->at = NULL;
    HSD_TRY(hsd_source_rewind(lu->source, err));
    for (uint64_t lines = 0; (status = hsd_luau_next_line(lu, err)) == HSD_OK; lines++) {
        if (lines % PROGRESS_EVERY == 0)
            HSD_TRY(hsd_progress(lu->import->reporter, "reading tables", hsd_source_offset(lu->source),
                                 lu->source->total_bytes, err));
        status = learn_line(lu, err); /* HSD_END: that is counted when objects are written */
        if (status < 0) return status;
    }
    return status == HSD_END ? learn_modes(lu, err) : status;
}

/*
 * The importer of Luau's heap dumps: the row of the registry, and what the capture says of itself.
 */
#include "import/luau/luau.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/mix.h"

enum { LEAST_WEAK_KEYS = 1024 };

static unsigned probe_luau(const uint8_t *prefix, size_t size)
{
    static const char begins[] = "{\"objects\":{\n\"";
    if (size < sizeof begins - 1 || memcmp(prefix, begins, sizeof begins - 1) != 0) return 0;
    return 8 * (sizeof begins - 1);
}

static uint32_t facts_of(const luau *lu)
{
    const hsd_import_options *options = lu->import->options;
    uint32_t facts = options->with_values && !options->summary_only ? HSC_FACT_VALUES : 0;
    if (options->summary_only) facts |= HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES;
    return lu->has_roots ? facts : facts | HSC_FACT_NO_ROOTS;
}

/* A dump that was cut off does not name its registry: it has no domain. */
static void draw_domain(const luau *lu, uint8_t domain[16])
{
    if (!lu->has_roots) return;
    const uint64_t first = hsd_mix(hsd_mix(1, lu->main_thread), lu->registry), second = hsd_mix(first, 7);
    hsd_import_set_domain(domain, first, second);
}

static hsd_status begin_luau(luau *lu, hsd_error *err)
{
    hsc_options options;
    hsc_options_init(&options);
    options.runtime = "Luau";
    options.source_format = "luaC_dump";
    options.identity = HSC_IDENTITY_ADDRESS;
    options.taken_unix_ns = UINT64_MAX;
    options.facts = facts_of(lu);
    options.pointer_bytes = lu->main_thread > UINT32_MAX ? 8 : 0;
    draw_domain(lu, options.domain);
    HSD_TRY(hsd_import_begin(lu->import, &options, err));
    return hsd_luau_begin_tables(lu, err);
}

/* The pass that finds out whether the dump is whole. */
static hsd_status survey(luau *lu, hsd_error *err)
{
    hsd_error cut;
    hsd_error_init(&cut);
    hsd_status status = hsd_luau_survey(lu, &cut);
    if (status == HSD_OK && !lu->is_whole)
        status = hsd_fail_at(&cut, HSD_E_TRUNCATED, hsd_source_offset(lu->source),
                             "the heap dump is cut off: it has no end");
    if (status == HSD_E_TRUNCATED && lu->import->options->salvage && lu->main_thread != 0) return HSD_OK;
    if (status == HSD_OK) return HSD_OK;
    return hsd_import_give_up(status, &cut, lu->main_thread != 0, err);
}

static hsd_status tell_losses(luau *lu, hsd_error *err)
{
    hsd_import *import = lu->import;
    HSD_TRY(hsd_import_tell_unreadable(import, lu->unreadable, err));
    return hsd_import_mark_cut(import, !lu->is_whole, "the heap dump was cut off",
                               lu->has_roots ? "" : ", and all of it counts as live, for its roots stood at its end",
                               err);
}

static hsd_status import_dump(luau *lu, hsd_error *err)
{
    HSD_TRY(survey(lu, err));
    hsd_import_note_input(lu->import);
    HSD_TRY(hsd_luau_learn(lu, err));
    HSD_TRY(begin_luau(lu, err));
    HSD_TRY(hsd_luau_write_objects(lu, err));
    if (lu->objects == 0)
        return hsd_fail_at(err, HSD_E_CORRUPT, 0, "there are no objects in this heap dump that can be read");
    HSD_TRY(hsd_luau_write_roots(lu, err));
    HSD_TRY(hsd_luau_name_all(lu, err));
    HSD_TRY(hsd_luau_write_metrics(lu, err));
    HSD_TRY(tell_losses(lu, err));
    return hsd_import_end(lu->import, err);
}

static void release_luau(luau *lu)
{
    hsd_id_table *tables[] = {&lu->wanted,    &lu->metas,         &lu->protos,      &lu->classes,     &lu->modes,
                              &lu->weak_keys, &lu->global_values, &lu->long_tables, &lu->environments};
    hsd_names *names[] = {&lu->strings.names, &lu->types, &lu->variables, &lu->internals};
    void *rows[] = {lu->wanted_rows,   lu->meta_rows,       lu->proto_rows,  lu->class_names,    lu->mode_flags,
                    lu->weak_key_rows, lu->variable_labels, lu->global_keys, lu->long_metatables};
    for (size_t i = 0; i < HSD_ARRAY_LEN(tables); i++)
        hsd_id_table_release(tables[i]);
    for (size_t i = 0; i < HSD_ARRAY_LEN(names); i++)
        hsd_names_release(names[i]);
    for (size_t i = 0; i < HSD_ARRAY_LEN(rows); i++)
        free(rows[i]);
    hsd_buffer_release(&lu->internal_roots);
    hsd_buffer_release(&lu->stack);
    hsd_buffer_release(&lu->labels);
    free(lu);
}

static hsd_status run_luau(hsd_import *import, hsd_error *err)
{
    luau *lu = calloc(1, sizeof *lu);
    if (lu == NULL) return hsd_fail_nomem(err, "an import");
    lu->import = import;
    lu->source = import->source;
    lu->strings.before = LUAU_STRING_FIRST - 1;
    lu->weak_keys_most =
        (uint32_t)hsd_max_u64(LEAST_WEAK_KEYS, hsd_min_u64(import->memory_bytes / 128, LUAU_KEYS_MOST * 16));
    const hsd_status status = import_dump(lu, err);
    release_luau(lu);
    return status;
}

const hsd_importer hsd_import_luau = {
    .info = {.name = "luau",
             .summary = "Luau heap dump (lua_memorydump)",
             .suffixes = ".json .json.gz",
             .carries = {.always = HSD_CARRIES_OBJECTS | HSD_CARRIES_TYPES | HSD_CARRIES_EDGES |
                                   HSD_CARRIES_EDGE_NAMES | HSD_CARRIES_ROOTS | HSD_CARRIES_IDENTITY,
                         .sometimes = HSD_CARRIES_VALUES},
             .lacks = "which element of an array it is, and numbers in tables"},
    .needs_rewind = true,
    .probe = probe_luau,
    .run = run_luau,
};

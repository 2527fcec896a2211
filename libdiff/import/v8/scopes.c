/*
 * The bookkeeping of scopes.h. Its tables grow with the program (functions, modules), not with its
 * data, and each has a limit.
 */
#include "import/v8/scopes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"

#define NAME_BYTES ((size_t)32)

/* ---- while nodes pass ---- */

hsd_status hsd_v8_scopes_context(hsd_v8_scopes *scopes, uint32_t ordinal, uint32_t home, uint32_t *out, hsd_error *err)
{
    *out = HSD_V8_NO_SCOPE;
    const uint32_t known = hsd_id_map_get(&scopes->homes, home);
    if (known != HSD_ID_NONE) {
        scopes->scopes[known].is_repeated = true;
        return HSD_OK;
    }
    if (scopes->scope_count == HSD_V8_MOST_SCOPES) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(scopes->scopes, scopes->scope_capacity, scopes->scope_count + 1, 256,
                           "modules and functions", err));
    HSD_TRY(hsd_id_map_put(&scopes->homes, home, scopes->scope_count, err));
    *out = scopes->scope_count++;
    scopes->scopes[*out] = (hsd_v8_scope){.ordinal = ordinal, .function = HSD_V8_NO_FUNCTION, .file = HSD_V8_NO_FILE};
    return HSD_OK;
}

/* Elements of a page may look like global objects, as many as there are; they all use the same name for
 * what is not a proxy, so a share for each name keeps room for the others. */
static bool has_room(const hsd_v8_scopes *scopes, uint32_t proof)
{
    uint32_t same = 0;
    for (uint32_t i = 0; i < scopes->global_count; i++)
        same += scopes->globals[i].proofs[0] == proof;
    return scopes->global_count < HSD_V8_MOST_GLOBALS && same < HSD_V8_MOST_GLOBALS / 4;
}

hsd_status hsd_v8_scopes_global(hsd_v8_scopes *scopes, hsd_v8_names *names, uint32_t ordinal, uint32_t class_name,
                                const hsd_v8_proxies *proxies, uint32_t *out, hsd_error *err)
{
    hsd_v8_global global = {.ordinal = ordinal};
    uint32_t entry;
    *out = HSD_V8_NO_SCOPE;
    for (unsigned i = 0; i < HSD_V8_MOST_PROXIES; i++) {
        global.proofs[i] = HSD_V8_NO_ENTRY;
        if (i < proxies->count) HSD_TRY(hsd_v8_put_proof(names, proxies->names[i], &global.proofs[i], err));
    }
    if (!has_room(scopes, global.proofs[0])) return HSD_OK;
    HSD_TRY(hsd_v8_names_add(names, HSD_V8_WAIT_GLOBAL, scopes->global_count, class_name, 0, &entry, err));
    if (entry == HSD_V8_NO_ENTRY) return HSD_OK;
    *out = scopes->global_count++;
    scopes->globals[*out] = global;
    return HSD_OK;
}

/* ---- when all nodes were seen ---- */

hsd_status hsd_v8_scopes_resolve(hsd_v8_scopes *scopes, const hsd_v8_functions *functions, hsd_error *err)
{
    hsd_id_map by_ordinal = {0};
    hsd_status status = HSD_OK;
    for (uint32_t i = 0; i < scopes->scope_count && status == HSD_OK; i++)
        status = hsd_id_map_put(&by_ordinal, scopes->scopes[i].ordinal, i, err);
    for (uint32_t i = 0; i < functions->count && status == HSD_OK; i++) {
        const uint32_t number = hsd_id_map_get(&by_ordinal, functions->items[i].context);
        if (number == HSD_ID_NONE || functions->items[i].file == HSD_V8_NO_FILE) continue;
        hsd_v8_scope *scope = &scopes->scopes[number];
        if (!scope->is_repeated && scope->function == HSD_V8_NO_FUNCTION) scope->function = i;
    }
    hsd_id_map_release(&by_ordinal);
    return status;
}

/* ---- when the strings pass ---- */

static hsd_status keep_v8_scope(hsd_v8_scopes *scopes, hsd_v8_global *global, const char *text, size_t size,
                                hsd_error *err)
{
    const char *copy = hsd_arena_copy(&scopes->arena, text, size);
    if (copy == NULL) return hsd_fail_nomem(err, "modules and functions");
    global->name = (hsd_bytes){(const uint8_t *)copy, size};
    return HSD_OK;
}

static bool v8_scope_begins(hsd_bytes text, const char *prefix)
{
    return text.size >= strlen(prefix) && memcmp(text.data, prefix, strlen(prefix)) == 0;
}

/* "global (global*)" -> "global", "Window [JSGlobalObject] / https://…" -> "window". */
hsd_status hsd_v8_scopes_class(hsd_v8_scopes *scopes, uint32_t global, hsd_bytes text, hsd_error *err)
{
    return keep_v8_scope(scopes, &scopes->globals[global], v8_scope_begins(text, "Window") ? "window" : "global", 6,
                         err);
}

/* "global", "global#2", … in the order of their appearance. */
static hsd_status number_globals(hsd_v8_scopes *scopes, hsd_error *err)
{
    for (uint32_t i = scopes->global_count; i-- > 1;) {
        hsd_v8_global *global = &scopes->globals[i];
        unsigned before = 0;
        for (uint32_t j = 0; j < i && global->name.size > 0; j++)
            before += scopes->globals[j].name.size == global->name.size &&
                      memcmp(scopes->globals[j].name.data, global->name.data, global->name.size) == 0;
        if (before == 0) continue;
        char text[NAME_BYTES + 16];
        const int size =
            snprintf(text, sizeof text, "%.*s#%u", (int)global->name.size, (const char *)global->name.data, before + 1);
        HSD_TRY(keep_v8_scope(scopes, global, text, (size_t)size, err));
    }
    return HSD_OK;
}

hsd_status hsd_v8_scopes_settle(hsd_v8_scopes *scopes, const hsd_v8_names *names, const hsd_v8_functions *functions,
                                hsd_error *err)
{
    for (uint32_t i = 0; i < scopes->scope_count; i++) {
        hsd_v8_scope *scope = &scopes->scopes[i];
        if (!scope->is_repeated) scope->file = hsd_v8_functions_file(functions, names, scope->function);
    }
    for (uint32_t i = 0; i < scopes->global_count; i++) {
        hsd_v8_global *global = &scopes->globals[i];
        bool holds = false;
        for (unsigned j = 0; j < HSD_V8_MOST_PROXIES; j++)
            holds |= hsd_v8_is_proven(names, global->proofs[j], HSD_V8_PROOF_PROXY);
        if (!holds) global->name.size = 0;
    }
    return number_globals(scopes, err);
}

void hsd_v8_scopes_release(hsd_v8_scopes *scopes)
{
    free(scopes->scopes);
    hsd_id_map_release(&scopes->homes);
    hsd_arena_release(&scopes->arena);
    *scopes = (hsd_v8_scopes){0};
}

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
#define MOST_DEPTH 16u /* of contexts in each other */

/* ---- while nodes pass ---- */

hsd_status hsd_v8_scopes_context(hsd_v8_scopes *scopes, const hsd_v8_context_node *node, uint32_t *out, hsd_error *err)
{
    *out = HSD_V8_NO_SCOPE;
    const uint32_t known = hsd_id_map_get(&scopes->homes, node->home);
    if (known != HSD_ID_NONE) {
        scopes->scopes[known].is_repeated = true;
        return HSD_OK;
    }
    if (scopes->scope_count == HSD_V8_MOST_SCOPES) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(scopes->scopes, scopes->scope_capacity, scopes->scope_count + 1, 256,
                           "modules and functions", err));
    HSD_TRY(hsd_id_map_put(&scopes->homes, node->home, scopes->scope_count, err));
    *out = scopes->scope_count++;
    scopes->scopes[*out] = (hsd_v8_scope){.ordinal = node->ordinal,
                                          .function = HSD_V8_NO_FUNCTION,
                                          .file = HSD_V8_NO_FILE,
                                          .proof = HSD_V8_NO_ENTRY,
                                          .is_block = node->is_block};
    return HSD_OK;
}

hsd_status hsd_v8_scopes_inner(hsd_v8_scopes *scopes, hsd_v8_names *names, const hsd_v8_context_node *node,
                               hsd_error *err)
{
    const uint32_t known = hsd_id_map_get(&scopes->inner_homes, node->home);
    if (known != HSD_ID_NONE) scopes->inner[known].is_repeated = true;
    if (known != HSD_ID_NONE || scopes->inner_count == HSD_V8_MOST_SCOPES) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(scopes->inner, scopes->inner_capacity, scopes->inner_count + 1, 256, "modules and functions",
                           err));
    HSD_TRY(hsd_id_map_put(&scopes->inner_homes, node->home, scopes->inner_count, err));
    hsd_v8_inner *inner = &scopes->inner[scopes->inner_count++];
    *inner = (hsd_v8_inner){
        .ordinal = node->ordinal, .around = node->around.target, .scope = HSD_V8_NO_SCOPE, .is_block = node->is_block};
    return hsd_v8_put_proof(names, node->around.name, &inner->proof, err);
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

hsd_status hsd_v8_scopes_global(hsd_v8_scopes *scopes, hsd_v8_names *names, const hsd_v8_global_node *node,
                                const hsd_v8_proxies *proxies, uint32_t *out, hsd_error *err)
{
    hsd_v8_global global = {.id = node->id, .ordinal = node->ordinal};
    uint32_t entry;
    *out = HSD_V8_NO_SCOPE;
    for (unsigned i = 0; i < HSD_V8_MOST_PROXIES; i++) {
        global.proofs[i] = HSD_V8_NO_ENTRY;
        if (i < proxies->count) HSD_TRY(hsd_v8_put_proof(names, proxies->names[i], &global.proofs[i], err));
    }
    if (!has_room(scopes, global.proofs[0])) return HSD_OK;
    HSD_TRY(hsd_v8_names_add(names, HSD_V8_WAIT_GLOBAL, scopes->global_count, node->class_name, 0, &entry, err));
    if (entry == HSD_V8_NO_ENTRY) return HSD_OK;
    *out = scopes->global_count++;
    scopes->globals[*out] = global;
    return HSD_OK;
}

/* ---- when all nodes were seen ---- */

typedef struct finder {
    hsd_v8_scopes *scopes;
    hsd_id_map outermost, inner; /* by ordinals of contexts */
} finder;

/* The outermost context around this one; *proof is what the way to it needs. NULL: not known. */
static hsd_v8_scope *find_outermost(const finder *f, uint32_t context, uint32_t *proof)
{
    *proof = HSD_V8_NO_ENTRY;
    for (unsigned depth = 0; depth < MOST_DEPTH; depth++) {
        const uint32_t number = hsd_id_map_get(&f->outermost, context);
        if (number != HSD_ID_NONE) return &f->scopes->scopes[number];
        const uint32_t at = hsd_id_map_get(&f->inner, context);
        if (at == HSD_ID_NONE) return NULL;
        const hsd_v8_inner *inner = &f->scopes->inner[at];
        if (depth > 0 && inner->proof != *proof) return NULL;
        *proof = inner->proof;
        context = inner->around;
    }
    return NULL;
}

static hsd_status begin_finder(finder *f, hsd_error *err)
{
    for (uint32_t i = 0; i < f->scopes->scope_count; i++)
        HSD_TRY(hsd_id_map_put(&f->outermost, f->scopes->scopes[i].ordinal, i, err));
    for (uint32_t i = 0; i < f->scopes->inner_count; i++)
        HSD_TRY(hsd_id_map_put(&f->inner, f->scopes->inner[i].ordinal, i, err));
    return HSD_OK;
}

/* One whose context it is goes before those whose contexts are inside. */
static void find_functions(const finder *f, const hsd_v8_functions *functions)
{
    for (uint32_t i = 0; i < functions->count; i++) {
        uint32_t proof;
        if (functions->items[i].file == HSD_V8_NO_FILE) continue;
        hsd_v8_scope *scope = find_outermost(f, functions->items[i].context, &proof);
        if (scope == NULL || scope->is_repeated) continue;
        const bool is_better = proof == HSD_V8_NO_ENTRY && scope->proof != HSD_V8_NO_ENTRY;
        if (scope->function != HSD_V8_NO_FUNCTION && !is_better) continue;
        scope->function = i;
        scope->proof = proof;
    }
}

/* The module that this context is a block of, or a block in such a block; each was entered once. */
static uint32_t module_of_block(const finder *f, const hsd_v8_inner *inner)
{
    const uint32_t proof = inner->proof;
    for (unsigned depth = 0; depth < MOST_DEPTH && inner->is_block && !inner->is_repeated; depth++) {
        if (inner->proof != proof) break;
        const uint32_t number = hsd_id_map_get(&f->outermost, inner->around);
        if (number != HSD_ID_NONE) return number;
        const uint32_t at = hsd_id_map_get(&f->inner, inner->around);
        if (at == HSD_ID_NONE) break;
        inner = &f->scopes->inner[at];
    }
    return HSD_V8_NO_SCOPE;
}

static void find_blocks(const finder *f)
{
    for (uint32_t i = 0; i < f->scopes->inner_count; i++)
        f->scopes->inner[i].scope = module_of_block(f, &f->scopes->inner[i]);
}

hsd_status hsd_v8_scopes_resolve(hsd_v8_scopes *scopes, const hsd_v8_functions *functions, hsd_error *err)
{
    finder f = {.scopes = scopes};
    const hsd_status status = begin_finder(&f, err);
    if (status == HSD_OK) {
        find_functions(&f, functions);
        find_blocks(&f);
    }
    hsd_id_map_release(&f.outermost);
    hsd_id_map_release(&f.inner);
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

/* How many of the same name are older: V8 writes nodes in any order, and a page's global object keeps its number. */
static unsigned older_globals(const hsd_v8_scopes *scopes, uint32_t number)
{
    const hsd_v8_global *global = &scopes->globals[number];
    unsigned older = 0;
    for (uint32_t i = 0; i < scopes->global_count && global->name.size > 0; i++) {
        const hsd_v8_global *other = &scopes->globals[i];
        const bool is_alike =
            other->name.size == global->name.size && memcmp(other->name.data, global->name.data, other->name.size) == 0;
        older += is_alike && (other->id < global->id || (other->id == global->id && i < number));
    }
    return older;
}

/* "global", "global#2", … by their ages. */
static hsd_status number_globals(hsd_v8_scopes *scopes, hsd_error *err)
{
    unsigned older[HSD_V8_MOST_GLOBALS];
    for (uint32_t i = 0; i < scopes->global_count; i++)
        older[i] = older_globals(scopes, i);
    for (uint32_t i = 0; i < scopes->global_count; i++) {
        hsd_v8_global *global = &scopes->globals[i];
        char text[NAME_BYTES + 16];
        if (older[i] == 0) continue;
        const int size = snprintf(text, sizeof text, "%.*s#%u", (int)global->name.size, (const char *)global->name.data,
                                  older[i] + 1);
        HSD_TRY(keep_v8_scope(scopes, global, text, (size_t)size, err));
    }
    return HSD_OK;
}

hsd_status hsd_v8_scopes_settle(hsd_v8_scopes *scopes, const hsd_v8_names *names, const hsd_v8_functions *functions,
                                hsd_error *err)
{
    for (uint32_t i = 0; i < scopes->scope_count; i++) {
        hsd_v8_scope *scope = &scopes->scopes[i];
        const bool holds =
            scope->proof == HSD_V8_NO_ENTRY || hsd_v8_is_proven(names, scope->proof, HSD_V8_PROOF_PREVIOUS);
        if (!scope->is_repeated && holds) scope->file = hsd_v8_functions_file(functions, names, scope->function);
    }
    for (uint32_t i = 0; i < scopes->inner_count; i++) {
        hsd_v8_inner *inner = &scopes->inner[i];
        if (inner->scope == HSD_V8_NO_SCOPE) continue;
        if (!hsd_v8_is_proven(names, inner->proof, HSD_V8_PROOF_PREVIOUS)) inner->scope = HSD_V8_NO_SCOPE;
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

/* ---- lines of blocks ---- */

typedef struct block_finder {
    hsd_id_map blocks; /* ordinal of a block's context -> its line */
    hsd_id_map counts; /* file -> blocks in it */
} block_finder;

static hsd_status see_block(block_finder *f, uint32_t file, hsd_error *err)
{
    const uint32_t before = hsd_id_map_get(&f->counts, file);
    return hsd_id_map_put(&f->counts, file, before == HSD_ID_NONE ? 1 : before + 1, err);
}

static hsd_status count_blocks(block_finder *f, const hsd_v8_scopes *scopes, hsd_error *err)
{
    for (uint32_t i = 0; i < scopes->scope_count; i++)
        if (scopes->scopes[i].is_block) HSD_TRY(see_block(f, scopes->scopes[i].file, err));
    for (uint32_t i = 0; i < scopes->inner_count; i++)
        if (scopes->inner[i].scope != HSD_V8_NO_SCOPE)
            HSD_TRY(see_block(f, scopes->scopes[scopes->inner[i].scope].file, err));
    return HSD_OK;
}

static bool has_company(const block_finder *f, uint32_t file)
{
    const uint32_t count = hsd_id_map_get(&f->counts, file);
    return file != HSD_V8_NO_FILE && count != HSD_ID_NONE && count > 1;
}

static hsd_status list_blocks(block_finder *f, const hsd_v8_scopes *scopes, hsd_error *err)
{
    for (uint32_t i = 0; i < scopes->scope_count; i++)
        if (scopes->scopes[i].is_block && has_company(f, scopes->scopes[i].file))
            HSD_TRY(hsd_id_map_put(&f->blocks, scopes->scopes[i].ordinal, 0, err));
    for (uint32_t i = 0; i < scopes->inner_count; i++)
        if (scopes->inner[i].scope != HSD_V8_NO_SCOPE && has_company(f, scopes->scopes[scopes->inner[i].scope].file))
            HSD_TRY(hsd_id_map_put(&f->blocks, scopes->inner[i].ordinal, 0, err));
    return HSD_OK;
}

/* A line of another source, of a bundle, is none of the file that the block is called by. */
static bool is_line_of(const hsd_v8_function *function, uint32_t file, const hsd_v8_files *files)
{
    const hsd_bytes called = hsd_v8_files_name(files, file), source = hsd_v8_files_name(files, function->source);
    if (file == HSD_V8_NO_FILE || function->line == 0) return false;
    return function->source == HSD_V8_NO_FILE ||
           (called.size == source.size && memcmp(called.data, source.data, called.size) == 0);
}

static hsd_status see_lines(block_finder *f, const hsd_v8_names *names, const hsd_v8_functions *functions,
                            const hsd_v8_files *files, hsd_error *err)
{
    for (uint32_t i = 0; i < functions->count; i++) {
        const hsd_v8_function *function = &functions->items[i];
        const uint32_t line = hsd_id_map_get(&f->blocks, function->context);
        if (line == HSD_ID_NONE || (line != 0 && line <= function->line)) continue;
        if (!is_line_of(function, hsd_v8_functions_file(functions, names, i), files)) continue;
        HSD_TRY(hsd_id_map_put(&f->blocks, function->context, function->line, err));
    }
    return HSD_OK;
}

static uint32_t line_of(const block_finder *f, uint32_t ordinal)
{
    const uint32_t line = hsd_id_map_get(&f->blocks, ordinal);
    return line == HSD_ID_NONE ? 0 : line;
}

hsd_status hsd_v8_scopes_lines(hsd_v8_scopes *scopes, const hsd_v8_names *names, const hsd_v8_functions *functions,
                               const hsd_v8_files *files, hsd_error *err)
{
    block_finder f = {0};
    hsd_status status = count_blocks(&f, scopes, err);
    if (status == HSD_OK) status = list_blocks(&f, scopes, err);
    if (status == HSD_OK) status = see_lines(&f, names, functions, files, err);
    for (uint32_t i = 0; i < scopes->scope_count && status == HSD_OK; i++)
        scopes->scopes[i].line = line_of(&f, scopes->scopes[i].ordinal);
    for (uint32_t i = 0; i < scopes->inner_count && status == HSD_OK; i++)
        scopes->inner[i].line = line_of(&f, scopes->inner[i].ordinal);
    hsd_id_map_release(&f.blocks);
    hsd_id_map_release(&f.counts);
    return status;
}

void hsd_v8_scopes_release(hsd_v8_scopes *scopes)
{
    free(scopes->scopes);
    hsd_id_map_release(&scopes->homes);
    free(scopes->inner);
    hsd_id_map_release(&scopes->inner_homes);
    hsd_arena_release(&scopes->arena);
    *scopes = (hsd_v8_scopes){0};
}

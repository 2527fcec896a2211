/*
 * The bookkeeping of scopes.h. Its tables grow with the program (functions, modules), not with its
 * data, and each has a limit.
 */
#include "import/v8/scopes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/names.h"

#define MOST_CLOSURES (UINT32_C(1) << 18)
#define MOST_CODES    (UINT32_C(1) << 18)
#define NAME_BYTES    ((size_t)120)

static hsd_status out_of_memory(hsd_error *err)
{
    return hsd_fail(err, HSD_E_NOMEM, "out of memory for modules and functions");
}

/* Room for one more item of `size` bytes in a doubling array. */
static hsd_status make_room(void **items, uint32_t count, uint32_t *capacity, size_t size,
                            hsd_error *err)
{
    if (count < *capacity) return HSD_OK;
    const uint32_t wanted = *capacity == 0 ? 256 : *capacity * 2;
    void *grown = realloc(*items, wanted * size);
    if (grown == NULL) return out_of_memory(err);
    *items = grown;
    *capacity = wanted;
    return HSD_OK;
}

static hsd_status put_proof(hsd_v8_names *names, uint32_t name, uint32_t *out, hsd_error *err)
{
    return hsd_v8_names_intern(names, HSD_V8_WAIT_PROOF, 0, 0, name, out, err);
}

uint32_t hsd_v8_proof_of(hsd_bytes text)
{
    static const struct {
        const char *text;
        uint32_t proof;
    } known[] = {
        {"shared", HSD_V8_PROOF_SHARED},
        {"context", HSD_V8_PROOF_CONTEXT},
        {"script", HSD_V8_PROOF_SCRIPT},
        {"script_or_debug_info", HSD_V8_PROOF_SCRIPT}, /* V8 up to 11 */
        {"global_proxy", HSD_V8_PROOF_PROXY},
        {"scope_info", HSD_V8_PROOF_SCOPE},
    };
    for (size_t i = 0; i < HSD_ARRAY_LEN(known); i++)
        if (strlen(known[i].text) == text.size && memcmp(known[i].text, text.data, text.size) == 0)
            return known[i].proof;
    return 0;
}

/* ---- while nodes pass ---- */

hsd_status hsd_v8_scopes_context(hsd_v8_scopes *scopes, uint32_t ordinal, uint32_t home,
                                 uint32_t *out, hsd_error *err)
{
    *out = HSD_V8_NO_SCOPE;
    const uint32_t known = hsd_id_map_get(&scopes->homes, home);
    if (known != HSD_ID_NONE) {
        scopes->scopes[known].is_repeated = true;
        return HSD_OK;
    }
    if (scopes->scope_count == HSD_V8_MOST_SCOPES) return HSD_OK;
    void *items = scopes->scopes;
    HSD_TRY(make_room(&items, scopes->scope_count, &scopes->scope_capacity, sizeof *scopes->scopes,
                      err));
    scopes->scopes = items;
    HSD_TRY(hsd_id_map_put(&scopes->homes, home, scopes->scope_count, err));
    *out = scopes->scope_count++;
    scopes->scopes[*out] = (hsd_v8_scope){
        .ordinal = ordinal, .proofs = {HSD_V8_NO_ENTRY, HSD_V8_NO_ENTRY, HSD_V8_NO_ENTRY}};
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

hsd_status hsd_v8_scopes_global(hsd_v8_scopes *scopes, hsd_v8_names *names, uint32_t ordinal,
                                uint32_t class_name, const hsd_v8_proxies *proxies, uint32_t *out,
                                hsd_error *err)
{
    hsd_v8_scope global = {.ordinal = ordinal};
    uint32_t entry;
    *out = HSD_V8_NO_SCOPE;
    for (unsigned i = 0; i < HSD_V8_MOST_PROXIES; i++) {
        global.proofs[i] = HSD_V8_NO_ENTRY;
        if (i < proxies->count)
            HSD_TRY(put_proof(names, proxies->names[i], &global.proofs[i], err));
    }
    if (!has_room(scopes, global.proofs[0])) return HSD_OK;
    HSD_TRY(hsd_v8_names_add(names, HSD_V8_WAIT_GLOBAL, scopes->global_count, class_name, 0, &entry,
                             err));
    if (entry == HSD_V8_NO_ENTRY) return HSD_OK;
    *out = scopes->global_count++;
    scopes->globals[*out] = global;
    return HSD_OK;
}

hsd_status hsd_v8_scopes_closure(hsd_v8_scopes *scopes, hsd_v8_names *names, hsd_v8_link function,
                                 hsd_v8_link context, hsd_error *err)
{
    if (hsd_id_map_get(&scopes->functions, function.target) != HSD_ID_NONE) return HSD_OK;
    if (scopes->closure_count == MOST_CLOSURES) return HSD_OK;
    void *items = scopes->closures;
    HSD_TRY(make_room(&items, scopes->closure_count, &scopes->closure_capacity,
                      sizeof *scopes->closures, err));
    scopes->closures = items;
    hsd_v8_closure *closure = &scopes->closures[scopes->closure_count];
    *closure = (hsd_v8_closure){.function = function.target, .context = context.target};
    HSD_TRY(put_proof(names, function.name, &closure->function_proof, err));
    HSD_TRY(put_proof(names, context.name, &closure->context_proof, err));
    return hsd_id_map_put(&scopes->functions, function.target, scopes->closure_count++, err);
}

hsd_status hsd_v8_scopes_code(hsd_v8_scopes *scopes, hsd_v8_names *names, uint32_t ordinal,
                              uint32_t name, hsd_v8_link link, hsd_error *err)
{
    if (scopes->code_count == MOST_CODES) return HSD_OK;
    void *items = scopes->codes;
    HSD_TRY(
        make_room(&items, scopes->code_count, &scopes->code_capacity, sizeof *scopes->codes, err));
    scopes->codes = items;
    hsd_v8_code *code = &scopes->codes[scopes->code_count++];
    *code = (hsd_v8_code){.ordinal = ordinal, .name = name, .target = link.target};
    return put_proof(names, link.name, &code->proof, err);
}

/* ---- when all nodes were seen ---- */

static const hsd_v8_code *find_code(const hsd_v8_scopes *scopes, uint32_t ordinal)
{
    uint32_t low = 0, high = scopes->code_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (scopes->codes[middle].ordinal < ordinal)
            low = middle + 1;
        else
            high = middle;
    }
    return low < scopes->code_count && scopes->codes[low].ordinal == ordinal ? &scopes->codes[low]
                                                                             : NULL;
}

/* The context of this closure, if it is a module's that has no file yet. */
static hsd_v8_scope *scope_of(hsd_v8_scopes *scopes, const hsd_id_map *by_ordinal,
                              const hsd_v8_closure *closure)
{
    const uint32_t number = hsd_id_map_get(by_ordinal, closure->context);
    if (number == HSD_ID_NONE) return NULL;
    hsd_v8_scope *scope = &scopes->scopes[number];
    return scope->is_repeated || scope->proofs[0] != HSD_V8_NO_ENTRY ? NULL : scope;
}

/* Follows closure -> function -> script. */
static hsd_status trace(hsd_v8_scopes *scopes, hsd_v8_names *names, hsd_v8_scope *scope,
                        const hsd_v8_closure *closure, hsd_error *err)
{
    const hsd_v8_code *function = find_code(scopes, closure->function);
    const hsd_v8_code *script = function == NULL ? NULL : find_code(scopes, function->target);
    uint32_t entry;
    if (script == NULL) return HSD_OK;
    const uint32_t number = (uint32_t)(scope - scopes->scopes);
    HSD_TRY(hsd_v8_names_add(names, HSD_V8_WAIT_SCRIPT, number, script->name, 0, &entry, err));
    if (entry == HSD_V8_NO_ENTRY) return HSD_OK;
    scope->proofs[0] = closure->function_proof;
    scope->proofs[1] = closure->context_proof;
    scope->proofs[2] = function->proof;
    return HSD_OK;
}

hsd_status hsd_v8_scopes_resolve(hsd_v8_scopes *scopes, hsd_v8_names *names, hsd_error *err)
{
    hsd_id_map by_ordinal = {0};
    hsd_status status = HSD_OK;
    for (uint32_t i = 0; i < scopes->scope_count && status == HSD_OK; i++)
        status = hsd_id_map_put(&by_ordinal, scopes->scopes[i].ordinal, i, err);
    for (uint32_t i = 0; i < scopes->closure_count && status == HSD_OK; i++) {
        hsd_v8_scope *scope = scope_of(scopes, &by_ordinal, &scopes->closures[i]);
        if (scope != NULL) status = trace(scopes, names, scope, &scopes->closures[i], err);
    }
    hsd_id_map_release(&by_ordinal);
    return status;
}

/* ---- when the strings pass ---- */

static hsd_status keep(hsd_v8_scopes *scopes, hsd_v8_scope *scope, const void *data, size_t size,
                       hsd_error *err)
{
    if (size > NAME_BYTES) size = NAME_BYTES;
    char *copy = hsd_arena_copy(&scopes->arena, data, size);
    if (copy == NULL) return out_of_memory(err);
    scope->name = scope->path = (hsd_bytes){(const uint8_t *)copy, size};
    return HSD_OK;
}

static bool is_slash(uint8_t c) { return c == '/' || c == '\\'; }

/* Where the last `parts` parts of a path begin. */
static const uint8_t *last_parts(const uint8_t *at, const uint8_t *end, unsigned parts)
{
    for (const uint8_t *p = end; p > at; p--)
        if (is_slash(p[-1]) && p < end && --parts == 0) return p;
    return at;
}

static bool begins(hsd_bytes text, const char *prefix)
{
    return text.size >= strlen(prefix) && memcmp(text.data, prefix, strlen(prefix)) == 0;
}

/* Since V8 14 a script is called by its class and its name. */
static void drop_class(hsd_bytes *text)
{
    static const char class[] = "system / Script / ";
    if (!begins(*text, class)) return;
    text->data += sizeof class - 1;
    text->size -= sizeof class - 1;
}

/*
 * "/srv/app/store.js" -> "store.js" of "app/store.js", "https://x/y/app.js?v=3" -> "app.js"; what is
 * node's own ("node:internal/timers", before that "internal/timers.js") stays whole.
 */
hsd_status hsd_v8_scopes_script(hsd_v8_scopes *scopes, uint32_t number, hsd_bytes text,
                                hsd_error *err)
{
    hsd_v8_scope *scope = &scopes->scopes[number];
    drop_class(&text);
    const uint8_t *query = text.size == 0 ? NULL : memchr(text.data, '?', text.size);
    const bool is_absolute =
        text.size > 0 && (is_slash(text.data[0]) || memchr(text.data, ':', text.size) != NULL);
    if (begins(text, "data:"))
        return keep(scopes, scope, "(data URL)", 10, err); /* the rest is the program itself */
    if (query != NULL) text.size = (size_t)(query - text.data);
    if (begins(text, "node:") || !is_absolute)
        return keep(scopes, scope, text.data, text.size, err);
    const uint8_t *end = text.data + text.size;
    const uint8_t *path = last_parts(text.data, end, 2), *name = last_parts(text.data, end, 1);
    HSD_TRY(keep(scopes, scope, path, (size_t)(end - path), err));
    if ((size_t)(name - path) >= scope->path.size) return HSD_OK;
    scope->name =
        (hsd_bytes){scope->path.data + (name - path), scope->path.size - (size_t)(name - path)};
    return HSD_OK;
}

/* "global (global*)" -> "global", "Window [JSGlobalObject] / https://…" -> "window". */
hsd_status hsd_v8_scopes_class(hsd_v8_scopes *scopes, uint32_t global, hsd_bytes text,
                               hsd_error *err)
{
    return keep(scopes, &scopes->globals[global], begins(text, "Window") ? "window" : "global", 6,
                err);
}

static bool is_proven(const hsd_v8_names *names, uint32_t entry, uint32_t proof)
{
    return entry < names->count && (names->entries[entry].number & proof) != 0;
}

/* "global", "global#2", … in the order of their appearance. */
static hsd_status number_globals(hsd_v8_scopes *scopes, hsd_error *err)
{
    for (uint32_t i = scopes->global_count; i-- > 1;) {
        hsd_v8_scope *global = &scopes->globals[i];
        unsigned before = 0;
        for (uint32_t j = 0; j < i && global->name.size > 0; j++)
            before +=
                scopes->globals[j].name.size == global->name.size &&
                memcmp(scopes->globals[j].name.data, global->name.data, global->name.size) == 0;
        if (before == 0) continue;
        char text[NAME_BYTES + 16];
        const int size = snprintf(text, sizeof text, "%.*s#%u", (int)global->name.size,
                                  (const char *)global->name.data, before + 1);
        HSD_TRY(keep(scopes, global, text, (size_t)size, err));
    }
    return HSD_OK;
}

/* Calls a scope and the first other of its name by their paths. first[number of a name] is that scope + 1. */
static void part_two(hsd_v8_scopes *scopes, uint32_t scope, uint32_t *first)
{
    if (*first == 0) {
        *first = scope + 1;
        return;
    }
    hsd_v8_scope *a = &scopes->scopes[*first - 1], *b = &scopes->scopes[scope];
    a->name = a->path;
    b->name = b->path;
}

/* Files that share a name get their folder before it: half of all packages have an index.js. */
static hsd_status part_files(hsd_v8_scopes *scopes, hsd_error *err)
{
    hsd_names seen = {0};
    hsd_status status = HSD_OK;
    uint32_t *first = calloc((size_t)scopes->scope_count + 1, sizeof *first);
    if (first == NULL) return out_of_memory(err);
    for (uint32_t i = 0; i < scopes->scope_count && status == HSD_OK; i++) {
        uint32_t number;
        if (scopes->scopes[i].name.size == 0) continue;
        status = hsd_names_put(&seen, scopes->scopes[i].name, &number, err);
        if (status == HSD_OK) part_two(scopes, i, &first[number]);
    }
    hsd_names_release(&seen);
    free(first);
    return status;
}

hsd_status hsd_v8_scopes_settle(hsd_v8_scopes *scopes, const hsd_v8_names *names, hsd_error *err)
{
    for (uint32_t i = 0; i < scopes->scope_count; i++) {
        hsd_v8_scope *scope = &scopes->scopes[i];
        const bool holds = !scope->is_repeated &&
                           is_proven(names, scope->proofs[0], HSD_V8_PROOF_SHARED) &&
                           is_proven(names, scope->proofs[1], HSD_V8_PROOF_CONTEXT) &&
                           is_proven(names, scope->proofs[2], HSD_V8_PROOF_SCRIPT);
        if (!holds) scope->name.size = 0;
    }
    for (uint32_t i = 0; i < scopes->global_count; i++) {
        hsd_v8_scope *global = &scopes->globals[i];
        bool holds = false;
        for (unsigned j = 0; j < HSD_V8_MOST_PROXIES; j++)
            holds |= is_proven(names, global->proofs[j], HSD_V8_PROOF_PROXY);
        if (!holds) global->name.size = 0;
    }
    HSD_TRY(part_files(scopes, err));
    return number_globals(scopes, err);
}

void hsd_v8_scopes_release(hsd_v8_scopes *scopes)
{
    free(scopes->scopes);
    free(scopes->closures);
    free(scopes->codes);
    hsd_id_map_release(&scopes->homes);
    hsd_id_map_release(&scopes->functions);
    hsd_arena_release(&scopes->arena);
    *scopes = (hsd_v8_scopes){0};
}

/*
 * Modules of the program as roots of the capture: their contexts, those of their blocks, the objects that CommonJS
 * makes of them, those that V8 makes of ES modules, and `process`. So what a program holds begins with its files, and
 * not with the way that leads there from the global object: over the children of the main module, the cache of require,
 * or whichever closure comes first.
 *
 * They are live in any case, so roots more change no sum. One that is there several times is none, nor are its
 * variables owners: a program that loads a module anew and anew leaks the copies, and what holds them is the answer.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "import/v8/heaps.h"

typedef struct module_root { /* a context, a module */
    uint32_t target, text, file;
} module_root;

/* One of the program's, the only one of its file among its like: `seen` counts them by file. */
static hsd_status put_module(hsd_v8 *v8, const module_root *root, const uint8_t *seen, hsd_error *err)
{
    if (root->file >= v8->files.count) return HSD_OK;
    const hsd_v8_file *file = &v8->files.files[root->file];
    if (file->is_runtime || file->name.size == 0 || seen[file->same] != 1) return HSD_OK;
    const hsc_root_record record = {.kind = HSC_ROOT_GLOBAL, .label = root->text, .target = root->target};
    return hsd_v8_write_root(v8, record, err);
}

static void see_module_root(const hsd_v8 *v8, uint32_t file, uint8_t *seen)
{
    if (file < v8->files.count && seen[v8->files.files[file].same] < 2) seen[v8->files.files[file].same]++;
}

/* What is inside of these contexts: `seen` holds for both. */
static hsd_status put_blocks(hsd_v8 *v8, bool is_block, const uint8_t *seen, hsd_error *err)
{
    for (uint32_t i = 0; i < v8->scopes.inner_count; i++) {
        const hsd_v8_inner *inner = &v8->scopes.inner[i];
        if (inner->scope == HSD_V8_NO_SCOPE || v8->scopes.scopes[inner->scope].is_block != is_block) continue;
        const module_root root = {inner->ordinal, HSD_V8_STRING_BLOCKS + i, v8->scopes.scopes[inner->scope].file};
        HSD_TRY(put_module(v8, &root, seen, err));
    }
    return HSD_OK;
}

hsd_status hsd_v8_find_copies(hsd_v8 *v8, hsd_error *err)
{
    hsd_v8_scope *scopes = v8->scopes.scopes;
    uint8_t *seen = calloc((size_t)v8->files.count + 1, 1);
    if (seen == NULL) return hsd_fail_nomem(err, "modules");
    for (uint32_t i = 0; i < v8->scopes.scope_count; i++)
        if (!scopes[i].is_block) see_module_root(v8, scopes[i].file, seen);
    for (uint32_t i = 0; i < v8->scopes.scope_count; i++)
        scopes[i].is_copy =
            !scopes[i].is_block && scopes[i].file < v8->files.count && seen[v8->files.files[scopes[i].file].same] > 1;
    free(seen);
    return HSD_OK;
}

/* Those of modules, and those of blocks around which there is none. */
static hsd_status put_contexts(hsd_v8 *v8, bool is_block, uint8_t *seen, hsd_error *err)
{
    const hsd_v8_scope *scopes = v8->scopes.scopes;
    memset(seen, 0, v8->files.count);
    for (uint32_t i = 0; i < v8->scopes.scope_count; i++)
        if (scopes[i].is_block == is_block) see_module_root(v8, scopes[i].file, seen);
    for (uint32_t i = 0; i < v8->scopes.scope_count; i++) {
        const module_root root = {scopes[i].ordinal, HSD_V8_STRING_SCOPES + i, scopes[i].file};
        if (scopes[i].is_block == is_block) HSD_TRY(put_module(v8, &root, seen, err));
    }
    return put_blocks(v8, is_block, seen, err);
}

static hsd_status put_modules(hsd_v8 *v8, bool is_es, uint8_t *seen, hsd_error *err)
{
    memset(seen, 0, v8->files.count);
    for (uint32_t i = 0; i < v8->modules.count; i++)
        if (v8->modules.items[i].is_es == is_es) see_module_root(v8, v8->modules.items[i].file, seen);
    for (uint32_t i = 0; i < v8->modules.count; i++) {
        const module_root root = {v8->modules.items[i].ordinal, HSD_V8_STRING_MODULES + i, v8->modules.items[i].file};
        if (v8->modules.items[i].is_es == is_es) HSD_TRY(put_module(v8, &root, seen, err));
    }
    return HSD_OK;
}

/* `process` of Node hangs from the global object behind an accessor, and from many a module of the runtime. */
static hsd_status put_process(hsd_v8 *v8, hsd_error *err)
{
    if (v8->process == 0) return HSD_OK;
    const hsc_root_record record = {.kind = HSC_ROOT_GLOBAL, .label = HSD_V8_STRING_PROCESS, .target = v8->process};
    return hsd_v8_write_root(v8, record, err);
}

hsd_status hsd_v8_write_module_roots(hsd_v8 *v8, hsd_error *err)
{
    uint8_t *seen = calloc((size_t)v8->files.count + 1, 1);
    if (seen == NULL) return hsd_fail_nomem(err, "modules");
    hsd_status status = put_process(v8, err);
    if (status == HSD_OK) status = put_contexts(v8, false, seen, err);
    if (status == HSD_OK) status = put_contexts(v8, true, seen, err);
    if (status == HSD_OK) status = put_modules(v8, false, seen, err);
    if (status == HSD_OK) status = put_modules(v8, true, seen, err);
    free(seen);
    return status;
}

/*
 * The bookkeeping of modules.h.
 */
#include "import/v8/modules.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/check.h"

static hsd_status add_v8_module(hsd_v8_modules *modules, const hsd_v8_module *module, uint32_t *out, hsd_error *err)
{
    *out = HSD_V8_NO_MODULE;
    if (modules->count == HSD_V8_MOST_MODULES) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(modules->items, modules->capacity, modules->count + 1, 64, "modules", err));
    modules->items[modules->count] = *module;
    *out = modules->count++;
    return HSD_OK;
}

hsd_status hsd_v8_modules_object(hsd_v8_modules *modules, hsd_v8_names *names, hsd_v8_wishes *wishes, uint32_t ordinal,
                                 uint32_t class_name, uint32_t filename, uint32_t *out, hsd_error *err)
{
    hsd_v8_module module = {.ordinal = ordinal, .closure = UINT32_MAX, .file = HSD_V8_NO_FILE};
    *out = HSD_V8_NO_MODULE;
    if (modules->count == HSD_V8_MOST_MODULES) return HSD_OK;
    HSD_TRY(hsd_v8_put_proof(names, class_name, &module.proof, err));
    HSD_TRY(hsd_v8_names_add(names, HSD_V8_WAIT_FILENAME, modules->count, HSD_V8_NO_STRING, 0, &module.name, err));
    if (module.name == HSD_V8_NO_ENTRY) return HSD_OK;
    HSD_TRY(hsd_v8_wishes_put(wishes, filename, module.name, err));
    return add_v8_module(modules, &module, out, err);
}

hsd_status hsd_v8_modules_source(hsd_v8_modules *modules, uint32_t ordinal, uint32_t source,
                                 const uint32_t parts[HSD_V8_MODULE_PARTS], uint32_t *out, hsd_error *err)
{
    const hsd_v8_module module = {.ordinal = ordinal,
                                  .proof = source,
                                  .name = HSD_V8_NO_ENTRY,
                                  .closure = UINT32_MAX,
                                  .file = HSD_V8_NO_FILE,
                                  .is_es = true};
    HSD_TRY(add_v8_module(modules, &module, out, err));
    if (*out == HSD_V8_NO_MODULE) return HSD_OK;
    modules->es_count++;
    HSD_TRY(hsd_id_map_put(&modules->tables, parts[HSD_V8_MODULE_TABLE], *out, err));
    for (unsigned part = HSD_V8_MODULE_EXPORTS; part <= HSD_V8_MODULE_IMPORTS; part++)
        if (parts[part] != UINT32_MAX) HSD_TRY(hsd_id_map_put(&modules->lists, parts[part], *out, err));
    return hsd_id_map_put(&modules->generators, parts[HSD_V8_MODULE_CALL], *out, err);
}

static uint32_t function_of(const hsd_v8_functions *functions, const hsd_v8_module *module)
{
    if (module->closure == UINT32_MAX) return HSD_V8_NO_FUNCTION;
    const uint32_t number = hsd_id_map_get(&functions->closures, module->closure);
    return number == HSD_ID_NONE ? HSD_V8_NO_FUNCTION : number;
}

hsd_status hsd_v8_modules_resolve(hsd_v8_modules *modules, hsd_v8_names *names, const hsd_v8_functions *functions,
                                  hsd_v8_files *files, hsd_error *err)
{
    for (uint32_t i = 0; i < modules->count; i++) {
        hsd_v8_module *module = &modules->items[i];
        if (module->is_es) {
            const uint32_t function = function_of(functions, module);
            if (function != HSD_V8_NO_FUNCTION) module->file = functions->items[function].file;
        } else if (names->entries[module->name].name != HSD_V8_NO_STRING) {
            HSD_TRY(hsd_v8_files_put(files, names, names->entries[module->name].name, &module->file, err));
        }
    }
    return HSD_OK;
}

static bool is_module(const hsd_v8_module *module, const hsd_v8_names *names, const hsd_v8_functions *functions)
{
    if (!module->is_es) return hsd_v8_is_proven(names, module->proof, HSD_V8_PROOF_MODULE);
    const bool is_source =
        module->proof < names->count && (names->entries[module->proof].flags & HSD_V8_ENTRY_MODULE) != 0;
    return is_source && hsd_v8_functions_file(functions, names, function_of(functions, module)) != HSD_V8_NO_FILE;
}

void hsd_v8_modules_settle(hsd_v8_modules *modules, const hsd_v8_names *names, const hsd_v8_functions *functions)
{
    for (uint32_t i = 0; i < modules->count; i++)
        if (!is_module(&modules->items[i], names, functions)) modules->items[i].file = HSD_V8_NO_FILE;
}

void hsd_v8_modules_release(hsd_v8_modules *modules)
{
    free(modules->items);
    hsd_id_map_release(&modules->tables);
    hsd_id_map_release(&modules->lists);
    hsd_id_map_release(&modules->generators);
    hsd_id_map_release(&modules->cells);
    *modules = (hsd_v8_modules){0};
}

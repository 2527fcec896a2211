/*
 * The bookkeeping of functions.h. Its tables grow with the program, not with its data, and each has a limit.
 */
#include "import/v8/functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/search.h"

#define MOST_FUNCTIONS (UINT32_C(1) << 18)
#define MOST_CODES     (UINT32_C(1) << 18)
#define NAME_BYTES     ((size_t)80)
#define PLACED_BYTES   ((size_t)HSD_V8_FUNCTION_TYPE_BYTES - 1)
#define LONG_LINE      500u /* columns: nobody writes such lines, and in a bundle all functions stand in one */

static bool ends_with(hsd_bytes text, const char *word)
{
    const size_t size = strlen(word);
    return text.size > size && memcmp(text.data + text.size - size, word, size) == 0;
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
        {"Module", HSD_V8_PROOF_MODULE},
        {"previous", HSD_V8_PROOF_PREVIOUS},
        {"(constant pool)", HSD_V8_PROOF_CONSTANTS},
        {"system / ObjectBoilerplateDescription", HSD_V8_PROOF_CONSTANTS},
        {"system / ClassBoilerplate", HSD_V8_PROOF_CONSTANTS},
        {"system / BytecodeArray", HSD_V8_PROOF_BYTECODE},
        {"system / Context", HSD_V8_PROOF_VARIABLES},
        {"system / NativeContext", HSD_V8_PROOF_VARIABLES},
    };
    for (size_t i = 0; i < HSD_ARRAY_LEN(known); i++)
        if (strlen(known[i].text) == text.size && memcmp(known[i].text, text.data, text.size) == 0)
            return known[i].proof;
    if (ends_with(text, " / deoptimization literal")) return HSD_V8_PROOF_LITERAL;
    return ends_with(text, " / IdentityMapBase") ? HSD_V8_PROOF_COMPILED : 0;
}

/* ---- while nodes pass ---- */

hsd_status hsd_v8_functions_closure(hsd_v8_functions *functions, hsd_v8_names *names, uint32_t closure, uint32_t string,
                                    const hsd_v8_link links[2], uint32_t *out, hsd_error *err)
{
    *out = hsd_id_map_get(&functions->numbers, links[0].target);
    if (*out != HSD_ID_NONE) return HSD_OK;
    *out = HSD_V8_NO_FUNCTION;
    if (functions->count == MOST_FUNCTIONS) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(functions->items, functions->capacity, functions->count + 1, 256, "functions", err));
    hsd_v8_function *function = &functions->items[functions->count];
    *function = (hsd_v8_function){.function = links[0].target,
                                  .context = links[1].target,
                                  .closure = closure,
                                  .string = string,
                                  .type = names->next_type++,
                                  .file = HSD_V8_NO_FILE,
                                  .source = HSD_V8_NO_FILE,
                                  .script_proof = HSD_V8_NO_ENTRY};
    HSD_TRY(hsd_v8_put_proof(names, links[0].name, &function->function_proof, err));
    HSD_TRY(hsd_v8_put_proof(names, links[1].name, &function->context_proof, err));
    HSD_TRY(hsd_id_map_put(&functions->numbers, links[0].target, functions->count, err));
    HSD_TRY(hsd_id_map_put(&functions->closures, closure, functions->count, err));
    *out = functions->count++;
    return HSD_OK;
}

hsd_status hsd_v8_functions_code(hsd_v8_functions *functions, hsd_v8_names *names, uint32_t ordinal, uint32_t name,
                                 hsd_v8_link link, hsd_error *err)
{
    if (functions->code_count == MOST_CODES) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(functions->codes, functions->code_capacity, functions->code_count + 1, 256, "functions",
                           err));
    hsd_v8_code *code = &functions->codes[functions->code_count++];
    *code = (hsd_v8_code){.ordinal = ordinal, .name = name, .target = link.target};
    return hsd_v8_put_proof(names, link.name, &code->proof, err);
}

/* ---- when all nodes were seen ---- */

static const hsd_v8_code *find_code(const hsd_v8_functions *functions, uint32_t ordinal)
{
    uint32_t low;
    HSD_LOWER_BOUND(low, 0, functions->code_count, functions->codes[low].ordinal, ordinal);
    const bool is_there = low < functions->code_count && functions->codes[low].ordinal == ordinal;
    return is_there ? &functions->codes[low] : NULL;
}

hsd_status hsd_v8_functions_resolve(hsd_v8_functions *functions, hsd_v8_names *names, hsd_v8_files *files,
                                    hsd_error *err)
{
    for (uint32_t i = 0; i < functions->count; i++) {
        hsd_v8_function *function = &functions->items[i];
        uint32_t entry;
        const hsd_v8_code *code = find_code(functions, function->function);
        const hsd_v8_code *script = code == NULL ? NULL : find_code(functions, code->target);
        if (script == NULL) continue;
        function->script_proof = code->proof;
        HSD_TRY(hsd_v8_files_put(files, names, script->name, &function->file, err));
        HSD_TRY(hsd_v8_names_add(names, HSD_V8_WAIT_FUNCTION, i, function->string, 0, &entry, err));
    }
    return HSD_OK;
}

uint32_t hsd_v8_functions_locate(hsd_v8_functions *functions, uint32_t node, uint64_t line, uint64_t column)
{
    const uint32_t number = hsd_id_map_get(&functions->closures, node);
    if (number == HSD_ID_NONE || line >= INT32_MAX || column >= INT32_MAX) return HSD_V8_NO_FUNCTION;
    functions->items[number].line = (uint32_t)line + 1;
    functions->items[number].column = (uint32_t)column + 1;
    return number;
}

/* ---- when the strings passed ---- */

/* A snapshot that was written by hsdiff calls closures by their places; no function of a program has such a name. */
static bool is_placed(hsd_bytes name)
{
    static const char prefix[] = "Function ";
    return name.size > sizeof prefix && name.data[name.size - 1] == ')' &&
           memcmp(name.data, prefix, sizeof prefix - 1) == 0;
}

hsd_status hsd_v8_functions_text(hsd_v8_functions *functions, uint32_t number, hsd_bytes text, hsd_error *err)
{
    hsd_v8_function *function = &functions->items[number];
    const size_t size = hsd_min_u64(text.size, is_placed(text) ? PLACED_BYTES : NAME_BYTES);
    const char *copy = size == 0 ? NULL : hsd_arena_copy(&functions->arena, text.data, size);
    if (copy == NULL && size > 0) return hsd_fail_nomem(err, "functions");
    function->name = (hsd_bytes){(const uint8_t *)copy, size};
    return HSD_OK;
}

uint32_t hsd_v8_functions_file(const hsd_v8_functions *functions, const hsd_v8_names *names, uint32_t number)
{
    if (number >= functions->count) return HSD_V8_NO_FILE;
    const hsd_v8_function *function = &functions->items[number];
    const bool holds = hsd_v8_is_proven(names, function->function_proof, HSD_V8_PROOF_SHARED) &&
                       hsd_v8_is_proven(names, function->context_proof, HSD_V8_PROOF_CONTEXT) &&
                       hsd_v8_is_proven(names, function->script_proof, HSD_V8_PROOF_SCRIPT);
    return holds ? function->file : HSD_V8_NO_FILE;
}

static size_t put_place(const hsd_v8_function *function, char *out, size_t size)
{
    if (function->line == 0) return 0;
    const bool is_long = function->column > LONG_LINE;
    const int length = is_long ? snprintf(out, size, ":%u:%u", function->line, function->column)
                               : snprintf(out, size, ":%u", function->line);
    return (size_t)length;
}

size_t hsd_v8_functions_type(const hsd_v8_functions *functions, const hsd_v8_names *names, const hsd_v8_files *files,
                             uint32_t number, char *out)
{
    const hsd_v8_function *function = &functions->items[number];
    const uint32_t file = hsd_v8_functions_file(functions, names, number);
    const hsd_bytes where = hsd_v8_files_name(files, function->source == HSD_V8_NO_FILE ? file : function->source);
    char place[32] = "";
    if (where.size == 0 || file == HSD_V8_NO_FILE || files->files[file].is_runtime)
        return (size_t)snprintf(out, HSD_V8_FUNCTION_TYPE_BYTES, "Function");
    if (is_placed(function->name)) {
        memcpy(out, function->name.data, function->name.size);
        return function->name.size;
    }
    (void)put_place(function, place, sizeof place);
    const int length = snprintf(out, HSD_V8_FUNCTION_TYPE_BYTES, "Function %.*s (%.*s%s)",
                                function->name.size == 0 ? 11 : (int)function->name.size,
                                function->name.size == 0 ? "(anonymous)" : (const char *)function->name.data,
                                (int)where.size, (const char *)where.data, place);
    return hsd_min_u64((uint64_t)length, HSD_V8_FUNCTION_TYPE_BYTES - 1);
}

void hsd_v8_functions_release(hsd_v8_functions *functions)
{
    free(functions->items);
    free(functions->codes);
    hsd_id_map_release(&functions->numbers);
    hsd_id_map_release(&functions->closures);
    hsd_arena_release(&functions->arena);
    *functions = (hsd_v8_functions){0};
}

/*
 * The rows: names as inspect and the documentation of CPython have them.
 */
#include "structures.h"

#include <string.h>

size_t structure_fields(const layout *at, structure which, structure_field out[STRUCTURE_FIELDS_MAX])
{
    const structure_field function[] = {{"__code__", at->function_code, false},
                                        {"__globals__", at->function_globals, false},
                                        {"__builtins__", at->function_builtins, false},
                                        {"__name__", at->function_name, false},
                                        {"__qualname__", at->function_qualname, false},
                                        {"__defaults__", at->function_defaults, false},
                                        {"__kwdefaults__", at->function_kwdefaults, false},
                                        {"__closure__", at->function_closure, false},
                                        {"__doc__", at->function_doc, false},
                                        {"__module__", at->function_module, false},
                                        {"__annotations__", at->function_annotations, false}};
    const structure_field exception[] = {{"args", at->exception_args, false},
                                         {"__traceback__", at->exception_traceback, false},
                                         {"__context__", at->exception_context, false},
                                         {"__cause__", at->exception_cause, false}};
    const structure_field generator[] = {{"gi_code", at->generator_code, false},
                                         {"__name__", at->generator_name, false},
                                         {"__qualname__", at->generator_qualname, false},
                                         {"gi_frame", at->minor < 11 ? at->generator_frame : 0, false}};
    const structure_field code[] = {{"co_localsplusnames", at->minor >= 11 ? at->code_local_names : 0, false}};
    const structure_field interpreter[] = {{"sys.modules", at->interp_modules, true},
                                           {"module sys", at->interp_sysdict, true},
                                           {"module builtins", at->interp_builtins, true},
                                           {"importlib", at->interp_importlib, true},
                                           {"importlib", at->interp_import_func, true},
                                           {"codec search functions", at->interp_codec_search_path, false},
                                           {"codec cache", at->interp_codec_search_cache, false},
                                           {"codec error handlers", at->interp_codec_errors, false},
                                           {"interpreter dict", at->interp_dict, true}};
    const struct {
        const structure_field *fields;
        size_t bytes;
    } all[] = {[STRUCTURE_FUNCTION] = {function, sizeof function},
               [STRUCTURE_EXCEPTION] = {exception, sizeof exception},
               [STRUCTURE_GENERATOR] = {generator, sizeof generator},
               [STRUCTURE_CODE] = {code, sizeof code},
               [STRUCTURE_INTERPRETER] = {interpreter, sizeof interpreter}};
    memcpy(out, all[which].fields, all[which].bytes);
    return all[which].bytes / sizeof *out;
}

const structure_rule structure_rules[] = {
    {"functools._lru_cache_wrapper", "dict", "cache"},
    {"functools._lru_cache_wrapper", "function", "__wrapped__"},
    {"functools._lru_cache_wrapper", "type", ""},
    {"functools._lru_cache_wrapper", NULL, "[]"},
    {"_thread._local", "dict", "(threads)"},
    {"collections.deque", NULL, "[]"},
    {"set", NULL, "[]"},
    {"frozenset", NULL, "[]"},
    {"coroutine", "coroutine", "cr_await"},
    {"coroutine", "generator", "cr_await"},
    {"generator", "generator", "gi_yieldfrom"},
    {"_asyncio.Task", "coroutine", "_coro"},
    {"_asyncio.Task", "_asyncio.Future", "_fut_waiter"},
    {"_asyncio.Task", "_asyncio.Task", "_fut_waiter"},
    {"_asyncio.Task", "builtin_function_or_method", "_callbacks"},
    {"_asyncio.Task", "function", "_callbacks"},
    {"_asyncio.Task", "Context", "_context"},
    {"_asyncio.Task", "_contextvars.Context", "_context"},
    {"_asyncio.Future", "builtin_function_or_method", "_callbacks"},
    {"_asyncio.Future", "TaskWakeupMethWrapper", "_callbacks"},
    {"_asyncio.Future", "function", "_callbacks"},
    {"_asyncio.Future", "_asyncio.Task", "_awaited_by"},
    {"_asyncio.Future", "Context", "_context"},
    {"_asyncio.Future", "_contextvars.Context", "_context"},
    {"TaskWakeupMethWrapper", "_asyncio.Task", "__self__"},
    {"Context", "hamt", "="},
    {"_contextvars.Context", "hamt", "="},
    {"hamt", NULL, "="},
    {"hamt_array_node", NULL, "="},
    {"hamt_bitmap_node", "hamt_array_node", "="},
    {"hamt_bitmap_node", "hamt_bitmap_node", "="},
    {"hamt_bitmap_node", "hamt_collision_node", "="},
};

bool structure_has_variables(const char *type)
{
    return strcmp(type, "hamt_bitmap_node") == 0 || strcmp(type, "hamt_collision_node") == 0;
}

bool structure_is_variable(const char *type)
{
    return strcmp(type, "ContextVar") == 0 || strcmp(type, "_contextvars.ContextVar") == 0;
}

const size_t structure_rule_count = sizeof structure_rules / sizeof structure_rules[0];

/*
 * The place in the program's code: functions by file and line, modules by their files, and what they hold as theirs.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "unit/import/v8_case.h"
#include <hscapture/hscapture.h>

TestSuite(v8_modules, .init = case_v8_setup);

/* A closure of a function of this script, at this place. */
static void finish_function(v8_heap *heap, const v8_program *p, uint32_t closure, const char *name, const char *path,
                            const uint32_t place[2])
{
    const uint32_t code = v8_node(heap, "code", name, 56), script = v8_node(heap, "code", path, 128),
                   info = v8_node(heap, "code", "system / ScopeInfo", 56);
    v8_edge(heap, p->leak, "property", "callback", closure);
    v8_edge(heap, closure, "internal", "shared", code);
    v8_edge(heap, closure, "internal", "context", p->native_context);
    v8_edge(heap, code, "internal", "name_or_scope_info", info);
    v8_edge(heap, code, "internal", "script", script);
    v8_edge(heap, script, "internal", "source", info);
    v8_edge(heap, script, "internal", "name", info);
    if (place != NULL) v8_locate(heap, closure, place[0], place[1]);
}

static uint32_t add_function(v8_heap *heap, const v8_program *p, const char *name, const char *path,
                             const uint32_t place[2])
{
    const uint32_t closure = v8_node(heap, "closure", name, 64);
    finish_function(heap, p, closure, name, path, place);
    return closure;
}

Test(v8_modules, a_function_says_where_it_stands)
{
    static const struct {
        const char *name, *path, *type;
        uint32_t place[2];
        bool has_no_place;
    } cases[] = {
        {"onChange", "/srv/app/server.js", "Function onChange (server.js:6)", {5, 20}, false},
        {"", "file:///srv/app/router.mjs", "Function (anonymous) (router.mjs:1)", {0, 0}, false},
        {"e", "https://shop.example/static/bundle.js?v=3", "Function e (bundle.js:1:20311)", {0, 20310}, false},
        {"far", "/srv/app/far.js", "Function far (far.js)", {0, 0}, true},
        {"list",
         "/srv/app/node_modules/express/lib/router/index.js",
         "Function list (express/lib/router/index.js:9)",
         {8, 0},
         false},
        {"a", "/srv/app/orders/index.js", "Function a (orders/index.js:2)", {1, 0}, false},
        {"get", "/srv/app/models/users.js", "Function get (models/users.js:2)", {1, 0}, false},
        {"get", "/srv/app/routes/users.js", "Function get (routes/users.js:3)", {2, 0}, false},
        {"tick", "node:internal/timers", "Function", {3, 0}, false},
        {"tick", "internal/timers.js", "Function", {3, 0}, false},
        {"run", "[eval]", "Function run ([eval]:4)", {3, 0}, false},
    };
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    uint32_t closures[sizeof cases / sizeof cases[0]];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        closures[i] =
            add_function(heap, &p, cases[i].name, cases[i].path, cases[i].has_no_place ? NULL : cases[i].place);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_expect_str_eq(c.objects[closures[i]].type, cases[i].type, "%s", c.objects[closures[i]].type);
    loaded_release(&c);
    v8_heap_free(heap);
}

Test(v8_modules, what_only_looks_like_a_function_of_the_program_is_any_function)
{
    static const char *const proofs[] = {"shared", "context", "script"};
    const uint32_t place[2] = {5, 0};
    for (size_t i = 0; i < sizeof proofs / sizeof proofs[0]; i++) {
        v8_heap *heap = v8_heap_new();
        const v8_program p = v8_add_program(heap);
        const uint32_t closure = add_function(heap, &p, "onChange", "/srv/app/server.js", place);
        heap->strings[v8_string(heap, proofs[i])][0] = 'x';
        loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
        cr_expect_str_eq(c.objects[closure].type, "Function", "%s", proofs[i]);
        loaded_release(&c);
        v8_heap_free(heap);
    }
}

/* The values come before its own references or behind them, as the tables stand in the heap. */
Test(v8_modules, a_class_that_is_a_key_of_a_weak_map_says_where_it_stands)
{
    const uint32_t place[2] = {19, 4};
    const char *const pair = "1 / part of key (Orders @9) -> value (Map @11) pair in WeakMap (table @7)";
    for (size_t values = 0; values <= 2; values++) {
        v8_heap *heap = v8_heap_new();
        const v8_program p = v8_add_program(heap);
        const uint32_t closure = v8_node(heap, "closure", "Orders", 64);
        for (size_t i = 0; i < values; i++)
            v8_edge(heap, closure, "internal", pair, v8_node(heap, "object", "Map", 32));
        finish_function(heap, &p, closure, "Orders", "/srv/app/orders.js", place);
        v8_edge(heap, closure, "internal", pair, v8_node(heap, "object", "Map", 32));
        loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
        cr_expect_str_eq(c.objects[closure].type, "Function Orders (orders.js:20)", "%zu: %s", values,
                         c.objects[closure].type);
        loaded_release(&c);
        v8_heap_free(heap);
    }
}

/* ---- modules of CommonJS ---- */

static uint32_t add_module(v8_heap *heap, const v8_program *p, const char *class, const char *path)
{
    const uint32_t module = v8_node(heap, "object", class, 144), exports = v8_node(heap, "object", "Object", 56),
                   filename = v8_node(heap, "string", path, 80), children = v8_node(heap, "object", "Array", 32);
    v8_edge(heap, p->leak, "property", "child", module);
    v8_edge(heap, module, "property", "id", filename);
    v8_edge(heap, module, "property", "path", v8_node(heap, "string", "secret folder", 40));
    v8_edge(heap, module, "property", "exports", exports);
    v8_edge(heap, module, "property", "filename", filename);
    v8_edge(heap, module, "property", "loaded", v8_node(heap, "hidden", "system / Oddball", 48));
    v8_edge(heap, module, "property", "children", children);
    v8_edge(heap, module, "property", "<symbol node:module_export>", exports);
    v8_edge(heap, module, "property", "__proto__", children);
    return module;
}

Test(v8_modules, a_module_is_called_by_its_file)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t module = add_module(heap, &p, "Module", "/srv/app/bus.js"),
                   other = add_module(heap, &p, "Row", "/srv/app/row.js");
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect_str_eq(c.objects[module].name, "bus.js");
    cr_expect_eq(case_v8_reference(&c, module, "exports")->flags, HSC_LABEL_NAMED_ROOT);
    cr_expect_eq(case_v8_reference(&c, module, "children")->flags, 0);
    cr_expect_str_eq(c.objects[module].references[6].name, "exports", "the symbol leads to the same");
    cr_expect(loaded_has_root(&c, HSC_ROOT_GLOBAL, "bus.js", module));
    cr_expect_str_eq(c.objects[other].name, "");
    cr_expect_eq(case_v8_reference(&c, other, "exports")->flags, 0);
    cr_expect(!loaded_mentions(&c, "row.js") && !loaded_mentions(&c, "secret"),
              "what is no module keeps its texts for itself");
    loaded_release(&c);
    v8_heap_free(heap);
}

Test(v8_modules, a_module_that_was_loaded_twice_is_no_root)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t first = add_module(heap, &p, "Module", "/srv/app/plugin.js"),
                   second = add_module(heap, &p, "Module", "/srv/app/plugin.js");
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect_str_eq(c.objects[first].name, "plugin.js");
    cr_expect(!loaded_has_root(&c, HSC_ROOT_GLOBAL, "plugin.js", first) &&
                  !loaded_has_root(&c, HSC_ROOT_GLOBAL, "plugin.js", second),
              "what holds on to the copies is what matters");
    loaded_release(&c);
    v8_heap_free(heap);
}

/* ---- ES modules ---- */

typedef struct es_module {
    uint32_t module, table, cell, list, value;
} es_module;

static es_module add_es_module(v8_heap *heap, const v8_program *p, const char *kind)
{
    es_module m;
    const uint32_t place[2] = {0, 0};
    m.module = v8_node(heap, "hidden", kind, 144);
    m.table = v8_node(heap, "array", "", 104);
    const uint32_t name = v8_node(heap, "string", "sessions", 24);
    m.cell = v8_node(heap, "hidden", "system / Cell", 16);
    m.list = v8_node(heap, "array", "", 40);
    m.value = v8_node(heap, "object", "Map", 32);
    const uint32_t call = v8_node(heap, "object", "Generator", 160),
                   closure = add_function(heap, p, "", "file:///srv/app/sessions.mjs", place);
    v8_edge(heap, p->leak, "property", "loaded", m.module);
    v8_edge(heap, m.module, "internal", "map", v8_node(heap, "hidden", "system / Map", 72));
    v8_edge_at(heap, m.module, "hidden", 0, m.table);
    v8_edge_at(heap, m.module, "hidden", 4, call);
    v8_edge_at(heap, m.module, "hidden", 5, m.list);
    v8_edge(heap, call, "internal", "function", closure);
    v8_edge(heap, m.table, "internal", "5", name);
    v8_edge(heap, m.table, "internal", "6", m.cell);
    v8_edge(heap, m.list, "internal", "0", m.cell);
    v8_edge(heap, m.cell, "internal", "value", m.value);
    return m;
}

Test(v8_modules, what_an_es_module_exports_is_its_own)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const es_module m = add_es_module(heap, &p, "system / SourceTextModule");
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect_str_eq(c.objects[m.module].name, "sessions.mjs");
    cr_expect(loaded_has_root(&c, HSC_ROOT_GLOBAL, "sessions.mjs", m.module));
    cr_expect_str_eq(c.objects[m.cell].name, "sessions.mjs");
    const loaded_reference *exported = case_v8_reference(&c, m.cell, "sessions");
    cr_expect(exported->flags == HSC_LABEL_NAMED_ROOT && exported->target == m.value);
    cr_expect_eq(c.objects[m.list].references[0].flags, HSC_STRENGTH_WEAK, "the table holds the cell");
    cr_expect_eq(c.objects[m.table].references[1].flags, 0);
    loaded_release(&c);
    v8_heap_free(heap);
}

Test(v8_modules, what_only_looks_like_an_es_module_is_none)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const es_module m = add_es_module(heap, &p, "system / Something");
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect_str_eq(c.objects[m.module].name, "");
    cr_expect(!loaded_has_root(&c, HSC_ROOT_GLOBAL, "sessions.mjs", m.module));
    cr_expect_eq(c.objects[m.list].references[0].flags, 0, "a list of anything else holds");
    cr_expect_eq(c.objects[m.cell].references[0].flags, 0);
    loaded_release(&c);
    v8_heap_free(heap);
}

Test(v8_modules, bytes_outside_the_heap_are_native)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    v8_edge(heap, p.leak, "internal", "backing_store", v8_node(heap, "native", "system / JSArrayBufferData", 8192));
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect_eq(c.info.native_bytes, 8192);
    cr_expect_eq(c.result.bytes, c.info.bytes + c.info.native_bytes, "as V8 has them, together");
    loaded_release(&c);
    v8_heap_free(heap);
}

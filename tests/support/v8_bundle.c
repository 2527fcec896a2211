/* The heap of v8_bundle.h. */
#include "support/v8_bundle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t v8_column_of(const char *script, const char *word)
{
    const char *at = strstr(script, word);
    if (at == NULL) {
        fprintf(stderr, "no %s in the script\n", word);
        exit(2);
    }
    return (uint32_t)(at - script);
}

uint32_t v8_add_closure(v8_heap *heap, const v8_program *p, const char *name, uint32_t context, uint32_t script)
{
    const uint32_t closure = v8_node(heap, "closure", name, 64), code = v8_node(heap, "code", name, 56),
                   info = v8_node(heap, "code", "system / ScopeInfo", 56);
    v8_edge(heap, p->leak, "property", "callback", closure);
    v8_edge(heap, closure, "internal", "shared", code);
    v8_edge(heap, closure, "internal", "context", context);
    v8_edge(heap, code, "internal", "name_or_scope_info", info);
    v8_edge(heap, code, "internal", "script", script);
    return closure;
}

v8_bundle v8_add_bundle(v8_heap *heap, const char *path)
{
    const v8_program p = v8_add_program(heap);
    v8_bundle n;
    const uint32_t script = v8_node(heap, "code", path, 128), home = v8_node(heap, "code", "system / ScopeInfo", 80);
    n.module = v8_node(heap, "object", "system / Context", 64);
    n.entries = v8_node(heap, "object", "Map", 32);
    const uint32_t class = v8_add_closure(heap, &p, "s", n.module, script);
    n.admit = v8_add_closure(heap, &p, "o", n.module, script);
    n.entry = v8_node(heap, "object", "s", 24);
    v8_edge(heap, n.module, "context", "s", class);
    v8_edge(heap, n.module, "context", "n", n.entries);
    v8_edge(heap, n.module, "context", "o", n.admit);
    v8_edge(heap, n.module, "internal", "scope_info", home);
    v8_edge(heap, n.module, "internal", "previous", p.native_context);
    v8_edge(heap, n.entries, "internal", "table", n.entry);
    v8_edge(heap, script, "internal", "source", home);
    v8_edge(heap, script, "internal", "name", home);
    v8_locate(heap, class, 0, v8_column_of(V8_BUNDLE, "(r)"));
    v8_locate(heap, n.admit, 0, v8_column_of(V8_BUNDLE, "(t)"));
    v8_locate(heap, n.entry, 0, v8_column_of(V8_BUNDLE, "(r)"));
    return n;
}

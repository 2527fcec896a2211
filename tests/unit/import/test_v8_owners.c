/*
 * Who holds what in a heap snapshot: roots by their group, and the owners that are found by structure:
 * properties of global objects, variables of modules. And which embedder objects are detached.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "unit/import/v8_case.h"
#include <hscapture/hscapture.h>

TestSuite(v8_owners, .init = case_v8_setup);

/* ---- roots and owners ---- */

Test(v8_owners, roots_are_named_by_their_group)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t orphan = v8_node(heap, "code", "v8BreakIterator", 64), text = v8_node(heap, "string", "secret", 24);
    v8_edge_at(heap, p.root, "element", 8, text);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect(loaded_has_root(&c, HSC_ROOT_GLOBAL, "global", p.global));
    cr_expect(loaded_has_root(&c, HSC_ROOT_STACK, "(Stack roots)", p.closure));
    cr_expect(loaded_has_root(&c, HSC_ROOT_HANDLE, "(Global handles)", p.native_context));
    cr_expect(loaded_has_root(&c, HSC_ROOT_RUNTIME, "(V8 internal)", orphan));
    cr_expect(loaded_has_root(&c, HSC_ROOT_HANDLE, "", text));
    cr_expect(loaded_has_root(&c, HSC_ROOT_GLOBAL, "store.js", p.module), "a module of the program is one");
    cr_expect_eq(c.root_count, 6, "weak references and groups are no roots: %zu", c.root_count);
    for (size_t i = 0; i < c.root_count; i++)
        cr_expect_eq(c.roots[i].flags, c.roots[i].kind == HSC_ROOT_GLOBAL ? 0u : HSC_ROOT_SECONDARY,
                     "only what the program itself holds owns: kind %u has flags %u", (unsigned)c.roots[i].kind,
                     (unsigned)c.roots[i].flags);
    loaded_release(&c);
    v8_heap_free(heap);
}

static void count_note(void *context, hsd_note_level level, const char *text)
{
    size_t *count = context;
    if (level == HSD_NOTE_WARNING && strstr(text, "threads with heaps of their own") != NULL) ++*count;
}

/* The group is there while the thread runs; objects of the class stay behind. */
Test(v8_owners, threads_of_the_program_have_heaps_that_are_in_no_capture)
{
    for (size_t is_there = 0; is_there < 2; is_there++) {
        v8_heap *heap = v8_heap_new();
        const v8_program p = v8_add_program(heap);
        size_t count = 0;
        const hsd_run run = {.note = count_note, .note_context = &count};
        const uint32_t worker =
            v8_node(heap, is_there ? "synthetic" : "object", is_there ? "Node / Worker" : "Worker", 424);
        v8_edge_at(heap, p.root, "element", 9, worker);
        loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, &run);
        cr_expect_eq(count, is_there);
        loaded_release(&c);
        v8_heap_free(heap);
    }
}

Test(v8_owners, properties_of_the_global_object_own_what_hangs_from_them)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    v8_edge(heap, p.sessions, "property", "leak", p.leak);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect_str_eq(c.objects[p.global].name, "global");
    cr_expect_eq(case_v8_reference(&c, p.global, "leak")->flags, HSC_LABEL_NAMED_ROOT);
    cr_expect_eq(case_v8_reference(&c, p.sessions, "leak")->flags, 0, "the same name elsewhere is an ordinary field");
    cr_expect_eq(case_v8_reference(&c, p.global, "properties")->flags, HSC_LABEL_FOLD);
    loaded_release(&c);
    v8_heap_free(heap);
}

Test(v8_owners, variables_of_a_module_own_what_hangs_from_them)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect_str_eq(c.objects[p.module].name, "store.js");
    cr_expect_eq(case_v8_reference(&c, p.module, "sessions")->flags, HSC_LABEL_NAMED_ROOT);
    cr_expect_eq(case_v8_reference(&c, p.module, "sessions")->kind, HSC_LABEL_VARIABLE);
    loaded_release(&c);
    v8_heap_free(heap);
}

Test(v8_owners, what_only_looks_like_an_owner_is_none)
{
    /* Each way in which a context or a global object is not what it seems: one name is another. */
    static const char *const proofs[] = {"shared", "context", "script_or_debug_info", "global_proxy"};
    for (size_t i = 0; i < sizeof proofs / sizeof proofs[0]; i++) {
        v8_heap *heap = v8_heap_new();
        const v8_program p = v8_add_program(heap);
        heap->strings[v8_string(heap, proofs[i])][0] = 'x';
        loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
        cr_expect_eq(case_v8_reference(&c, p.global, "leak")->flags, i == 3 ? 0u : HSC_LABEL_NAMED_ROOT);
        cr_expect_eq(case_v8_reference(&c, p.module, "sessions")->flags, i == 3 ? HSC_LABEL_NAMED_ROOT : 0u);
        loaded_release(&c);
        v8_heap_free(heap);
    }
}

Test(v8_owners, a_function_that_runs_twice_is_no_module)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t again = v8_node(heap, "object", "system / Context", 64), home = p.leak + 2;
    cr_assert_str_eq(heap->strings[heap->nodes[home].name], "system / ScopeInfo");
    v8_edge_at(heap, p.leak, "element", 1, again);
    v8_edge(heap, again, "context", "sessions", p.sessions);
    v8_edge(heap, again, "internal", "scope_info", home);
    v8_edge(heap, again, "internal", "previous", p.native_context);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect_eq(case_v8_reference(&c, p.module, "sessions")->flags, 0);
    cr_expect_eq(case_v8_reference(&c, again, "sessions")->flags, 0);
    loaded_release(&c);
    v8_heap_free(heap);
}

/* Contexts in each other, `depth` of them, in `module`; those with an even number have variables. Returns the
 * innermost. */
static uint32_t add_contexts(v8_heap *heap, const v8_program *p, uint32_t module, unsigned depth)
{
    uint32_t around = module;
    for (unsigned i = 0; i < depth; i++) {
        const uint32_t context = v8_node(heap, "object", "system / Context", 64),
                       home = v8_node(heap, "code", "system / ScopeInfo", 80);
        if (i % 2 == 0) v8_edge(heap, context, "context", "served", p->leak);
        v8_edge(heap, context, "internal", "scope_info", home);
        v8_edge(heap, context, "internal", "previous", around);
        around = context;
    }
    return around;
}

/* A module of this file, with one closure, which stands in functions in each other. Returns the module's context. */
static uint32_t add_module_with(v8_heap *heap, const v8_program *p, const char *file, unsigned depth)
{
    const uint32_t module = v8_node(heap, "object", "system / Context", 64),
                   home = v8_node(heap, "code", "system / ScopeInfo", 80),
                   context = add_contexts(heap, p, module, depth);
    const uint32_t closure = v8_node(heap, "closure", "f", 64), function = v8_node(heap, "code", "f", 56);
    const uint32_t script = v8_node(heap, "code", file, 128);
    v8_edge(heap, p->leak, "property", "closure", closure);
    v8_edge(heap, module, "context", "cache", p->leak);
    v8_edge(heap, module, "internal", "scope_info", home);
    v8_edge(heap, closure, "internal", "shared", function);
    v8_edge(heap, closure, "internal", "context", context);
    v8_edge(heap, function, "internal", "name_or_scope_info", home);
    v8_edge(heap, function, "internal", "script", script);
    v8_edge(heap, script, "internal", "source", home);
    v8_edge(heap, script, "internal", "name", home);
    return module;
}

static uint32_t add_module(v8_heap *heap, const v8_program *p, const char *file)
{
    return add_module_with(heap, p, file, 0);
}

Test(v8_owners, a_module_is_known_by_functions_inside_functions)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t one = add_module_with(heap, &p, "/srv/one.js", 1), two = add_module_with(heap, &p, "/srv/two.js", 2),
                   far = add_module_with(heap, &p, "/srv/far.js", 17);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect_str_eq(c.objects[one].name, "one.js");
    cr_expect_eq(case_v8_reference(&c, one, "cache")->flags, HSC_LABEL_NAMED_ROOT);
    cr_expect_str_eq(c.objects[two].name, "two.js");
    cr_expect_eq(case_v8_reference(&c, far, "cache")->flags, 0, "deeper than is looked");
    loaded_release(&c);
    heap->strings[v8_string(heap, "previous")][0] = 'x';
    c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect_eq(case_v8_reference(&c, one, "cache")->flags, 0, "nothing proves what is around it");
    cr_expect_eq(case_v8_reference(&c, p.module, "sessions")->flags, HSC_LABEL_NAMED_ROOT);
    loaded_release(&c);
    v8_heap_free(heap);
}

/* A function that ran twice is no module, whatever is inside. */
Test(v8_owners, what_is_around_functions_and_ran_twice_is_no_module)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t module = add_module_with(heap, &p, "/srv/one.js", 1), home = module + 1,
                   again = v8_node(heap, "object", "system / Context", 64);
    cr_assert_str_eq(heap->strings[heap->nodes[home].name], "system / ScopeInfo");
    v8_edge_at(heap, p.leak, "element", 1, again);
    v8_edge(heap, again, "context", "cache", p.sessions);
    v8_edge(heap, again, "internal", "scope_info", home);
    v8_edge(heap, again, "internal", "previous", p.native_context);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect_eq(case_v8_reference(&c, module, "cache")->flags, 0);
    loaded_release(&c);
    v8_heap_free(heap);
}

/* A program that loads a module anew and anew leaks the copies: what holds these is the answer, not a variable of each.
 */
Test(v8_owners, variables_of_a_module_that_is_there_twice_own_nothing)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t first = add_module(heap, &p, "/srv/rules.js"), second = add_module(heap, &p, "/srv/rules.js"),
                   other = add_module(heap, &p, "/srv/prices.js");
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect_str_eq(c.objects[first].name, "rules.js");
    cr_expect_eq(case_v8_reference(&c, first, "cache")->flags, 0);
    cr_expect_eq(case_v8_reference(&c, second, "cache")->flags, 0);
    cr_expect_eq(case_v8_reference(&c, other, "cache")->flags, HSC_LABEL_NAMED_ROOT);
    loaded_release(&c);
    v8_heap_free(heap);
}

Test(v8_owners, modules_are_called_by_their_file)
{
    static const struct {
        const char *file, *name;
    } cases[] = {
        {"/srv/app.js", "app.js"},
        {"C:\\work\\tool.js", "tool.js"},
        {"file:///srv/m.mjs", "m.mjs"},
        {"https://example.com/static/main.js?token=secret", "main.js"},
        {"system / Script / https://example.com/page.js?v=3", "page.js"},
        {"node:internal/timers", "node:internal/timers"},
        {"internal/modules/cjs/loader.js", "internal/modules/cjs/loader.js"},
        {"data:text/javascript,secret()", "(data URL)"},
        {"/srv/a/index.js", "a/index.js"}, /* two of one name */
        {"/srv/b/index.js", "b/index.js"},
        {"/srv/", "srv/"},
        {"", ""},
    };
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    uint32_t modules[16];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        modules[i] = add_module(heap, &p, cases[i].file);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_expect_str_eq(c.objects[modules[i]].name, cases[i].name, "%s: %s", cases[i].file,
                         c.objects[modules[i]].name);
        cr_expect_eq(case_v8_reference(&c, modules[i], "cache")->flags,
                     cases[i].file[0] == '\0' ? 0u : HSC_LABEL_NAMED_ROOT);
    }
    loaded_release(&c);
    v8_heap_free(heap);
}

Test(v8_owners, several_global_objects_are_numbered)
{
    v8_heap *heap = v8_heap_new();
    const uint32_t root = v8_node(heap, "synthetic", "", 0), gc = v8_node(heap, "synthetic", "(GC roots)", 0);
    static const char *const classes[] = {"Window [JSGlobalObject] / https://a.com", "global", "Object (global*)",
                                          "Window / https://b.com"};
    static const char *const names[] = {"window", "global", "global#2", "window#2"};
    uint32_t globals[4];
    v8_edge_at(heap, root, "element", 1, gc);
    for (size_t i = 0; i < 4; i++) {
        const uint32_t proxy = v8_node(heap, i % 2 == 0 ? "object" : "native", "Window", 40);
        globals[i] = v8_node(heap, "object", classes[i], 40);
        for (unsigned k = 0; k < 40; k++)
            v8_edge(heap, globals[i], "property", "Builtin", proxy);
        v8_edge(heap, globals[i], "internal", "native_context", proxy);
        v8_edge(heap, globals[i], "internal", "global_proxy", proxy);
        v8_edge(heap, gc, "internal", "1", globals[i]);
        v8_edge(heap, globals[i], "property", "<symbol Window#DocumentCachedAccessor>",
                v8_node(heap, "native", "HTMLDocument", 40));
    }
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    for (size_t i = 0; i < 4; i++) {
        cr_expect_str_eq(c.objects[globals[i]].name, names[i], "%s", c.objects[globals[i]].name);
        cr_expect(loaded_has_root(&c, HSC_ROOT_GLOBAL, names[i], globals[i]), "a page's global object is a root");
        cr_expect_not_null(case_v8_reference(&c, globals[i], "document"), "Blink's symbol is the program's word");
    }
    loaded_release(&c);
    /* V8 writes them in another order the next time: by age they have the numbers that they had */
    const uint64_t older = heap->nodes[globals[0]].id;
    heap->nodes[globals[0]].id = heap->nodes[globals[3]].id;
    heap->nodes[globals[3]].id = older;
    c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    static const char *const names_later[] = {"window#2", "global", "global#2", "window"};
    for (size_t i = 0; i < 4; i++)
        cr_expect_str_eq(c.objects[globals[i]].name, names_later[i], "%s", c.objects[globals[i]].name);
    loaded_release(&c);
    v8_heap_free(heap);
}

/* ---- detachedness ---- */

Test(v8_owners, what_hangs_from_something_detached_is_detached)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    uint32_t n[8];
    n[0] = v8_node(heap, "native", "<i id=\"x\">", 8); /* before its parent in the file */
    const uint32_t object = v8_node(heap, "object", "Panel", 8);
    n[1] = v8_node(heap, "native", "<div>", 8);    /* says it is detached */
    n[2] = v8_node(heap, "native", "<body>", 8);   /* says it is attached */
    n[3] = v8_node(heap, "native", "<p>", 8);      /* reached from both: attached */
    n[4] = v8_node(heap, "native", "Listener", 8); /* over a weak edge */
    n[5] = v8_node(heap, "native", "Text", 8);     /* over an object: does not count */
    n[6] = v8_node(heap, "native", "<u>", 8);      /* from n[0] */
    n[7] = v8_node(heap, "native", "<s>", 8);      /* over a hidden edge */
    heap->nodes[n[1]].state = 2;
    heap->nodes[n[2]].state = 1;
    heap->nodes[object].state = 2;
    v8_edge(heap, p.leak, "property", "el", n[1]);
    v8_edge(heap, p.leak, "property", "panel", object);
    v8_edge(heap, n[1], "element", "1", n[0]);
    v8_edge(heap, n[1], "element", "2", n[3]);
    v8_edge(heap, n[2], "element", "1", n[3]);
    v8_edge(heap, n[1], "weak", "3", n[4]);
    v8_edge(heap, n[1], "internal", "4", object);
    v8_edge(heap, object, "property", "text", n[5]);
    v8_edge(heap, n[0], "internal", "back", n[6]);
    v8_edge(heap, n[6], "internal", "up", n[1]);
    v8_edge_at(heap, n[1], "hidden", 9, n[7]);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    /* Embedder objects stand behind all others. */
    const size_t others = heap->node_count - 8;
    static const char *const types[] = {"Detached <i>", "Detached <div>", "<body>",       "<p>",
                                        "Listener",     "Text",           "Detached <u>", "<s>"};
    for (size_t i = 0; i < 8; i++) {
        const loaded_object *o = &c.objects[others + i];
        cr_expect_eq(o->id, heap->nodes[n[i]].id);
        cr_expect_str_eq(o->type, types[i], "%s is %s", types[i], o->type);
        cr_expect_eq((o->flags & HSC_OBJECT_DETACHED) != 0, strncmp(types[i], "Detached", 8) == 0);
    }
    cr_expect_eq(case_v8_reference(&c, p.leak, "el")->target, others + 1);
    cr_expect_eq(c.objects[others + 1].references[0].target, others);
    cr_expect_eq(c.objects[others + 6].references[0].target, others + 1);
    cr_expect_eq(c.objects[n[0]].id, heap->nodes[object].id, "the object has moved up");
    for (size_t i = 0; i < c.root_count; i++)
        cr_expect_neq(c.roots[i].target, others + 1);
    loaded_release(&c);
    v8_heap_free(heap);
}

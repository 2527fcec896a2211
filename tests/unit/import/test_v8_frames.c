/*
 * Roots of a heap snapshot that are told by the frame they lie in, and those that hold nothing: constants of code that
 * is being made, and the table of strings.
 */
#include <criterion/criterion.h>

#include <stdio.h>

#include "unit/import/v8_case.h"
#include <hscapture/hscapture.h>

TestSuite(v8_frames, .init = case_v8_setup);

static unsigned slots;

static void put_slot(v8_heap *heap, const v8_program *p, uint32_t node)
{
    char name[16];
    snprintf(name, sizeof name, "%u", ++slots);
    v8_edge(heap, p->stack, "internal", name, node);
}

/* What V8 lists of a frame behind its variables. */
static void put_frame(v8_heap *heap, const v8_program *p, uint32_t closure, uint32_t context)
{
    put_slot(heap, p, v8_node(heap, "code", "system / BytecodeArray", 100));
    put_slot(heap, p, closure);
    put_slot(heap, p, context);
    put_slot(heap, p, v8_node(heap, "code", "(InterpreterEntryTrampoline builtin)", 80));
}

static uint32_t put_local(v8_heap *heap, const v8_program *p)
{
    const uint32_t node = v8_node(heap, "object", "Array", 32);
    put_slot(heap, p, node);
    return node;
}

/* A closure of a script, in the module's context. */
static uint32_t put_function(v8_heap *heap, const v8_program *p, const char *name, const char *path)
{
    const uint32_t closure = v8_node(heap, "closure", name, 64), function = v8_node(heap, "code", name, 56),
                   script = v8_node(heap, "code", path, 128);
    v8_edge(heap, closure, "internal", "shared", function);
    v8_edge(heap, closure, "internal", "context", p->module);
    v8_edge(heap, function, "internal", "scope_info", script);
    v8_edge(heap, function, "internal", "script", script);
    v8_edge(heap, script, "internal", "source", function);
    v8_edge(heap, script, "internal", "name", function);
    return closure;
}

static bool is_local(const loaded *c, const char *label, uint32_t node)
{
    return loaded_has_root(c, HSC_ROOT_STACK, label, node);
}

Test(v8_frames, locals_are_told_by_the_function_that_runs)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t inner = put_function(heap, &p, "load", "/srv/app/load.js"),
                   outer = put_function(heap, &p, "", "/srv/app/main.js"),
                   helper = put_function(heap, &p, "take", "/usr/lib/hsdiff/hsdiff.cjs"),
                   runtime = put_function(heap, &p, "run", "node:internal/modules/run_main");
    v8_locate(heap, inner, 6, 10);
    v8_locate(heap, outer, 0, 0);
    const uint32_t list = put_local(heap, &p);
    put_frame(heap, &p, inner, p.module);
    const uint32_t argument = put_local(heap, &p), map = put_local(heap, &p);
    put_frame(heap, &p, outer, p.native_context);
    const uint32_t of_helper = put_local(heap, &p);
    put_frame(heap, &p, helper, p.native_context);
    const uint32_t of_runtime = put_local(heap, &p);
    put_frame(heap, &p, runtime, p.native_context);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect(is_local(&c, "locals of load (load.js:7)", list));
    cr_expect(is_local(&c, "locals of load (load.js:7)", p.module), "what its closures share");
    cr_expect(is_local(&c, "locals of main.js", argument), "what it was called with is its caller's");
    cr_expect(is_local(&c, "locals of main.js", map), "the code of a file has no name");
    cr_expect(is_local(&c, "(Stack roots)", of_helper), "nobody asks for those of what captures");
    cr_expect(is_local(&c, "(Stack roots)", of_runtime), "nor of the runtime");
    loaded_release(&c);
    v8_heap_free(heap);
}

Test(v8_frames, optimised_code_has_its_constants_behind)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t running = put_function(heap, &p, "load", "/srv/app/load.js");
    v8_locate(heap, running, 6, 10);
    const uint32_t list = put_local(heap, &p);
    put_slot(heap, &p, running);
    put_slot(heap, &p, p.native_context);
    v8_edge(heap, p.stack, "internal", "9 / deoptimization literal", p.sessions);
    const uint32_t map = put_local(heap, &p);
    put_slot(heap, &p, running);
    put_slot(heap, &p, p.native_context);
    put_local(heap, &p);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect(is_local(&c, "locals of load (load.js:7)", list));
    cr_expect(is_local(&c, "(Stack roots)", map), "no constant follows");
    loaded_release(&c);
    v8_heap_free(heap);
}

Test(v8_frames, a_closure_among_the_variables_is_no_frame)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t running = put_function(heap, &p, "load", "/srv/app/load.js"),
                   variable = put_function(heap, &p, "onChange", "/srv/app/load.js");
    v8_locate(heap, running, 6, 10);
    v8_locate(heap, variable, 8, 4);
    const uint32_t list = put_local(heap, &p);
    put_slot(heap, &p, variable);
    put_slot(heap, &p, p.module); /* as a block's variables may be */
    put_frame(heap, &p, running, p.native_context);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect(is_local(&c, "locals of load (load.js:7)", list));
    cr_expect(is_local(&c, "locals of load (load.js:7)", variable));
    loaded_release(&c);
    v8_heap_free(heap);
}

Test(v8_frames, what_the_names_do_not_prove_is_no_frame)
{
    static const char *const proofs[] = {"system / BytecodeArray", "system / NativeContext", "shared", "script"};
    for (size_t i = 0; i < sizeof proofs / sizeof proofs[0]; i++) {
        v8_heap *heap = v8_heap_new();
        const v8_program p = v8_add_program(heap);
        const uint32_t running = put_function(heap, &p, "load", "/srv/app/load.js");
        v8_locate(heap, running, 6, 10);
        const uint32_t list = put_local(heap, &p);
        put_frame(heap, &p, running, p.native_context);
        heap->strings[v8_string(heap, proofs[i])][0] = 'x';
        loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
        cr_expect(is_local(&c, "(Stack roots)", list), "%s is another", proofs[i]);
        loaded_release(&c);
        v8_heap_free(heap);
    }
}

Test(v8_frames, code_that_is_being_made_holds_nothing)
{
    v8_heap *heap = v8_heap_new();
    const uint32_t root = v8_node(heap, "synthetic", "", 0), gc_roots = v8_node(heap, "synthetic", "(GC roots)", 0),
                   strong = v8_node(heap, "synthetic", "(Strong roots)", 0),
                   scope = v8_node(heap, "synthetic", "(Handle scope)", 0),
                   owner = v8_node(heap, "object", "Owner", 24), list = v8_node(heap, "object", "Array", 32),
                   alone = v8_node(heap, "object", "Array", 32), handle = v8_node(heap, "object", "Array", 32),
                   code = v8_node(heap, "code", "run", 56);
    v8_edge_at(heap, root, "element", 1, gc_roots);
    v8_edge_at(heap, root, "element", 2, owner);
    v8_edge_at(heap, gc_roots, "element", 1, strong);
    v8_edge_at(heap, gc_roots, "element", 2, scope);
    v8_edge(heap, strong, "internal", "5 / IdentityMapBase", list);
    v8_edge(heap, strong, "internal", "6 / IdentityMapBase", alone);
    v8_edge(heap, strong, "internal", "7 / IdentityMapBase", code);
    v8_edge(heap, scope, "internal", "1", list);
    v8_edge(heap, scope, "internal", "2", alone);
    v8_edge(heap, scope, "internal", "3", handle);
    v8_edge(heap, scope, "internal", "4", code);
    v8_edge(heap, owner, "property", "list", list);
    v8_edge(heap, owner, "property", "handle", handle);
    v8_edge(heap, owner, "internal", "code", code);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect_not(loaded_has_root(&c, HSC_ROOT_RUNTIME, "(Strong roots)", list));
    cr_expect_not(loaded_has_root(&c, HSC_ROOT_STACK, "(Handle scope)", list), "the handle of the same compilation");
    cr_expect(loaded_has_root(&c, HSC_ROOT_RUNTIME, "(Strong roots)", alone), "nothing else leads there");
    cr_expect(loaded_has_root(&c, HSC_ROOT_STACK, "(Handle scope)", handle), "a handle as any other");
    cr_expect(loaded_has_root(&c, HSC_ROOT_RUNTIME, "(Strong roots)", code));
    loaded_release(&c);
    v8_heap_free(heap);
}

Test(v8_frames, the_table_of_strings_holds_nothing)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t key = v8_node(heap, "string", "user-17", 24), alone = v8_node(heap, "string", "user-18", 24);
    v8_edge(heap, p.interned, "internal", "1", key);
    v8_edge(heap, p.interned, "internal", "2", alone);
    v8_edge_at(heap, p.leak, "element", 1, key);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect_not(loaded_has_root(&c, HSC_ROOT_INTERNED, "(Internalized strings)", key));
    cr_expect(loaded_has_root(&c, HSC_ROOT_INTERNED, "(Internalized strings)", alone));
    loaded_release(&c);
    v8_heap_free(heap);
}

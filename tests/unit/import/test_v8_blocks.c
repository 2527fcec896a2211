/*
 * Variables that closures capture from a block: their names stand in the scope, and are taken only when they are sure.
 */
#include <criterion/criterion.h>

#include <stdio.h>

#include "unit/import/v8_case.h"
#include <hscapture/hscapture.h>

TestSuite(v8_blocks, .init = case_v8_setup);

typedef struct scope {
    const char *info;              /* the name of the context's first edge */
    unsigned names;                /* variables of the scope, v0, v1 … */
    unsigned edges[8], edge_count; /* numbers of the context's hidden edges */
    bool is_after;                 /* the scope stands behind its context */
    bool has_gap;                  /* an edge of another kind lies between the names */
} scope;

typedef struct made {
    loaded capture;
    uint32_t context;
} made;

static uint32_t add_info(v8_heap *heap, const scope *s)
{
    const uint32_t info = v8_node(heap, "code", "system / ScopeInfo", 56),
                   map = v8_node(heap, "hidden", "system / Map", 72);
    v8_edge(heap, info, "internal", "map", map);
    for (unsigned i = 0; i < s->names; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%u", i);
        if (s->has_gap && i == 1) v8_edge_at(heap, info, "hidden", 1, map);
        v8_edge_at(heap, info, "hidden", i + (s->has_gap && i >= 1), v8_node(heap, "string", name, 24));
    }
    v8_edge_at(heap, info, "hidden", s->names + s->has_gap, v8_node(heap, "code", "system / ScopeInfo", 56));
    return info;
}

static made make(const scope *s)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    uint32_t info = s->is_after ? 0 : add_info(heap, s);
    const uint32_t context = v8_node(heap, "object", "system / Context", 40);
    if (s->is_after) info = add_info(heap, s);
    v8_edge(heap, p.leak, "property", "context", context);
    v8_edge(heap, context, "internal", s->info, info);
    v8_edge(heap, context, "internal", "previous", p.module);
    for (unsigned i = 0; i < s->edge_count; i++)
        v8_edge_at(heap, context, "hidden", s->edges[i], v8_node(heap, "object", "Value", 24));
    const made m = {case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL), context};
    v8_heap_free(heap);
    return m;
}

static void expect(const scope *s, unsigned kind, const char *const *names)
{
    made m = make(s);
    cr_assert_eq(m.capture.objects[m.context].reference_count, 2 + s->edge_count);
    for (unsigned i = 0; i < s->edge_count; i++) {
        const loaded_reference *found = &m.capture.objects[m.context].references[2 + i];
        cr_expect_eq(found->kind, kind, "%s: kind %u", names[i], (unsigned)found->kind);
        cr_expect_eq(found->flags, 0);
        cr_expect_str_eq(found->name, names[i]);
    }
    loaded_release(&m.capture);
}

static const char *const unknown[] = {"(block variable)", "(block variable)"};
static const char *const internal[] = {"internal", "internal"};

Test(v8_blocks, the_variables_of_a_block_have_their_names)
{
    static const char *const names[] = {"v0", "v1"};
    for (unsigned is_after = 0; is_after < 2; is_after++)
        expect(&(scope){"scope_info", 2, {0, 1}, 2, is_after, false}, HSC_LABEL_VARIABLE, names);
}

Test(v8_blocks, a_variable_without_an_edge_does_not_shift_the_others)
{
    static const char *const names[] = {"v0", "v3"};
    expect(&(scope){"scope_info", 4, {0, 3}, 2, false, false}, HSC_LABEL_VARIABLE, names);
}

Test(v8_blocks, what_a_small_integer_may_have_shifted_is_one_of_a_few)
{
    static const char *const one[] = {"(v0 or v1)", "(v1 or v2)"}, *const two[] = {"(v0, v1 or v2)", "(v1, v2 or v3)"};
    for (unsigned is_after = 0; is_after < 2; is_after++) {
        expect(&(scope){"scope_info", 3, {0, 1}, 2, is_after, false}, HSC_LABEL_VARIABLE, one);
        expect(&(scope){"scope_info", 4, {0, 1}, 2, is_after, false}, HSC_LABEL_VARIABLE, two);
    }
}

Test(v8_blocks, what_many_may_have_shifted_has_no_name)
{
    expect(&(scope){"scope_info", 5, {0, 1}, 2, false, false}, HSC_LABEL_VARIABLE, unknown);
}

Test(v8_blocks, names_end_where_something_else_stands)
{
    expect(&(scope){"scope_info", 2, {0, 1}, 2, false, true}, HSC_LABEL_VARIABLE, unknown);
}

Test(v8_blocks, more_variables_than_names_have_none)
{
    expect(&(scope){"scope_info", 1, {0, 1}, 2, false, false}, HSC_LABEL_VARIABLE, unknown);
    expect(&(scope){"scope_info", 0, {0, 1}, 2, false, false}, HSC_LABEL_VARIABLE, unknown);
}

Test(v8_blocks, what_is_no_context_has_no_variables)
{
    expect(&(scope){"shared", 2, {0, 1}, 2, false, false}, HSC_LABEL_INTERNAL, internal);
}

Test(v8_blocks, a_block_of_too_many_variables_stays_without)
{
    static const char *const names[] = {"v0", "v31"};
    expect(&(scope){"scope_info", 32, {0, 31}, 2, false, false}, HSC_LABEL_VARIABLE, names);
    expect(&(scope){"scope_info", 33, {0, 32}, 2, false, false}, HSC_LABEL_INTERNAL, internal);
}

Test(v8_blocks, contexts_of_one_scope_share_their_labels)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const scope s = {"scope_info", 2, {0}, 0, false, false};
    const uint32_t info = add_info(heap, &s), value = v8_node(heap, "object", "Value", 24);
    uint32_t contexts[3];
    for (unsigned i = 0; i < 3; i++) {
        contexts[i] = v8_node(heap, "object", "system / Context", 40);
        v8_edge_at(heap, p.leak, "element", i, contexts[i]);
        v8_edge(heap, contexts[i], "internal", "scope_info", info);
        if (i < 2) v8_edge_at(heap, contexts[i], "hidden", 0, value);
        v8_edge_at(heap, contexts[i], "hidden", i < 2 ? 1 : 0, value);
    }
    loaded c = case_v8_import(heap, V8_FORM_NODE_26, NULL, NULL);
    for (unsigned i = 0; i < 2; i++) {
        cr_expect_str_eq(c.objects[contexts[i]].references[1].name, "v0");
        cr_expect_str_eq(c.objects[contexts[i]].references[2].name, "v1");
    }
    cr_expect_str_eq(c.objects[contexts[2]].references[1].name, "(v0 or v1)", "an integer may stand before it");
    loaded_release(&c);
    v8_heap_free(heap);
}

/* ---- blocks of a module: `if (isMainThread) { const jobs = new Map(); … }` ---- */

/* A context of a block with one variable; around it this one. */
static uint32_t add_block(v8_heap *heap, uint32_t holder, uint32_t info, uint32_t around)
{
    const uint32_t context = v8_node(heap, "object", "system / Context", 40);
    v8_edge(heap, holder, "property", "context", context);
    v8_edge(heap, context, "internal", "scope_info", info);
    if (around != UINT32_MAX) v8_edge(heap, context, "internal", "previous", around);
    v8_edge_at(heap, context, "hidden", 0, v8_node(heap, "object", "Map", 24));
    return context;
}

static uint32_t add_info_of_one(v8_heap *heap)
{
    return add_info(heap, &(scope){"scope_info", 1, {0}, 1, false, false});
}

/* A closure whose context is that of a block, at a line of worker.js. */
static void add_closure(v8_heap *heap, uint32_t holder, uint32_t context, uint32_t script, uint32_t line)
{
    const uint32_t closure = v8_node(heap, "closure", "f", 64), function = v8_node(heap, "code", "f", 56);
    v8_edge(heap, holder, "property", "closure", closure);
    v8_edge(heap, closure, "internal", "shared", function);
    v8_edge(heap, closure, "internal", "context", context);
    v8_edge(heap, function, "internal", "name_or_scope_info", script);
    v8_edge(heap, function, "internal", "script", script);
    v8_edge(heap, script, "internal", "source", function);
    v8_edge(heap, script, "internal", "name", function);
    if (line > 0) v8_locate(heap, closure, line - 1, 4);
}

static bool is_block(const loaded *c, uint32_t context)
{
    return loaded_has_root(c, HSC_ROOT_GLOBAL, "store.js (block)", context);
}

Test(v8_blocks, a_block_of_a_module_is_a_root_and_one_in_it)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t block = add_block(heap, p.leak, add_info_of_one(heap), p.module),
                   inside = add_block(heap, p.leak, add_info_of_one(heap), block);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect(loaded_has_root(&c, HSC_ROOT_GLOBAL, "store.js", p.module));
    cr_expect(is_block(&c, block) && is_block(&c, inside));
    cr_expect_str_eq(c.objects[block].references[2].name, "v0");
    loaded_release(&c);
    heap->strings[v8_string(heap, "previous")][0] = 'x';
    c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect_not(loaded_mentions(&c, "(block)"), "nothing proves what is around it");
    loaded_release(&c);
    v8_heap_free(heap);
}

/* That of a loop, of a function that ran twice: others of its scope are there. One in a function is the function's. */
Test(v8_blocks, what_was_entered_twice_or_stands_in_a_function_is_no_root)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t info = add_info_of_one(heap), call = v8_node(heap, "object", "system / Context", 64);
    v8_edge(heap, p.leak, "property", "call", call);
    v8_edge(heap, call, "context", "served", p.leak);
    v8_edge(heap, call, "internal", "scope_info", add_info_of_one(heap));
    v8_edge(heap, call, "internal", "previous", p.module);
    const uint32_t first = add_block(heap, p.leak, info, p.module), second = add_block(heap, p.leak, info, p.module),
                   in_loop = add_block(heap, p.leak, add_info_of_one(heap), first),
                   in_call = add_block(heap, p.leak, add_info_of_one(heap), call);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect_not(is_block(&c, first) || is_block(&c, second) || is_block(&c, in_loop));
    cr_expect_not(is_block(&c, in_call) || is_block(&c, call));
    loaded_release(&c);
    v8_heap_free(heap);
}

/* Where no closure needs a variable of the module itself. */
Test(v8_blocks, a_block_may_be_the_outermost)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t context = add_block(heap, p.leak, add_info_of_one(heap), UINT32_MAX),
                   script = v8_node(heap, "code", "/srv/app/worker.js", 128);
    add_closure(heap, p.leak, context, script, 0);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect(loaded_has_root(&c, HSC_ROOT_GLOBAL, "worker.js (block)", context));
    cr_expect(loaded_has_root(&c, HSC_ROOT_GLOBAL, "store.js", p.module));
    loaded_release(&c);
    v8_heap_free(heap);
}

/* `if (isMainThread) { … } else { … }` may have a variable of one name in each: the blocks are told by a line in them.
 */
Test(v8_blocks, of_several_blocks_each_is_told_by_its_first_line)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t script = v8_node(heap, "code", "/srv/app/worker.js", 128),
                   outer = add_block(heap, p.leak, add_info_of_one(heap), UINT32_MAX),
                   inside = add_block(heap, p.leak, add_info_of_one(heap), outer),
                   silent = add_block(heap, p.leak, add_info_of_one(heap), outer);
    add_closure(heap, p.leak, outer, script, 20);
    add_closure(heap, p.leak, inside, script, 17);
    add_closure(heap, p.leak, inside, script, 9);
    add_closure(heap, p.leak, inside, script, 12);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect(loaded_has_root(&c, HSC_ROOT_GLOBAL, "worker.js (block around line 20)", outer));
    cr_expect(loaded_has_root(&c, HSC_ROOT_GLOBAL, "worker.js (block around line 9)", inside));
    cr_expect(loaded_has_root(&c, HSC_ROOT_GLOBAL, "worker.js (block)", silent), "its line is not known");
    cr_expect(loaded_has_root(&c, HSC_ROOT_GLOBAL, "store.js", p.module));
    loaded_release(&c);
    v8_heap_free(heap);
}

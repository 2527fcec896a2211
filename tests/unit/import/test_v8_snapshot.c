/*
 * Heap snapshots into captures: what becomes of each kind of node and edge, which names are kept, who is a
 * root and who an owner, and that no layout of any version changes any of it.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "unit/import/v8_case.h"
#include <hscapture/hscapture.h>

TestSuite(v8_snapshot, .init = case_v8_setup);

/* ---- all layouts ---- */

static void expect_same(const loaded *a, const loaded *b, int form)
{
    cr_assert_eq(a->object_count, b->object_count);
    cr_assert_eq(a->root_count, b->root_count, "form %d", form);
    for (size_t i = 0; i < a->object_count; i++) {
        const loaded_object *x = &a->objects[i], *y = &b->objects[i];
        cr_expect(x->id == y->id && x->size == y->size && x->flags == y->flags && x->type_flags == y->type_flags,
                  "form %d object %zu", form, i);
        cr_expect_str_eq(x->type, y->type, "form %d object %zu: %s, %s", form, i, x->type, y->type);
        cr_expect_str_eq(x->name, y->name, "form %d object %zu: %s, %s", form, i, x->name, y->name);
        cr_assert_eq(x->reference_count, y->reference_count);
        for (size_t k = 0; k < x->reference_count; k++) {
            const loaded_reference *p = &x->references[k], *q = &y->references[k];
            cr_expect(p->target == q->target && p->index == q->index && p->kind == q->kind && p->flags == q->flags &&
                          strcmp(p->name, q->name) == 0,
                      "form %d object %zu reference %zu: %s, %s", form, i, k, p->name, q->name);
        }
    }
    for (size_t i = 0; i < a->root_count; i++)
        cr_expect(a->roots[i].kind == b->roots[i].kind && a->roots[i].target == b->roots[i].target &&
                      strcmp(a->roots[i].label, b->roots[i].label) == 0,
                  "form %d root %zu", form, i);
}

Test(v8_snapshot, means_the_same_in_every_layout)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    v8_edge_at(heap, p.leak, "element", 4294967290u, p.sessions);
    loaded first = case_v8_import(heap, V8_FORM_NODE_12, NULL, NULL);
    for (int form = V8_FORM_NODE_20; form < V8_FORM_COUNT; form++) {
        loaded other = case_v8_import(heap, (v8_form)form, NULL, NULL);
        expect_same(&first, &other, form);
        cr_expect_eq(other.native_used, form == V8_FORM_NODE_26 ? 4096 : 0);
        loaded_release(&other);
    }
    cr_expect_eq(first.objects[p.leak].references[0].index, 4294967290u);
    loaded_release(&first);
    v8_heap_free(heap);
}

Test(v8_snapshot, says_what_it_is)
{
    v8_heap *heap = v8_heap_new();
    v8_add_program(heap);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect(c.info.is_complete && c.info.targets_are_ordinals && c.info.has_parts);
    cr_expect_eq(c.info.identity, HSD_IDENTITY_EXACT);
    cr_expect_eq(c.info.facts, HSC_FACT_COLLECTED);
    cr_expect_eq(c.info.taken_unix_ns, 0);
    cr_expect_eq(c.info.objects, heap->node_count);
    cr_expect_eq(c.info.references, heap->edge_count);
    cr_expect_eq(c.result.objects, heap->node_count - c.info.pseudo_objects);
    cr_expect_eq(c.result.references, heap->edge_count);
    cr_expect_eq(c.result.bytes, c.info.bytes);
    cr_expect_str_eq(c.result.format, "v8");
    loaded_release(&c);
    v8_heap_free(heap);
}

/* ---- types ---- */

Test(v8_snapshot, classes_are_those_of_devtools)
{
    static const struct {
        const char *type, *name, *class;
        uint32_t flags;
    } cases[] = {
        {"hidden", "system / Map", "(system)", HSC_TYPE_INTERNAL | HSC_TYPE_CODE | HSC_TYPE_PART},
        {"array", "", "(array)", HSC_TYPE_INTERNAL | HSC_TYPE_PART},
        {"string", "secret text", "(string)", 0},
        {"object", "Session", "Session", 0},
        {"object", "system / Context", "system / Context", HSC_TYPE_INTERNAL},
        {"object", "system / Context / scope @56359", "system / Context", HSC_TYPE_INTERNAL},
        {"object", "<b class=x>", "<b>", 0},
        {"object", "<b", "<b", 0},
        {"code", "system / ScopeInfo", "(compiled code)", HSC_TYPE_INTERNAL | HSC_TYPE_CODE},
        {"closure", "add", "Function", 0},
        {"regexp", "secret.*", "RegExp", 0},
        {"number", "heap number", "(number)", 0},
        {"native", "<div id=\"secret\" class=\"x y\">", "<div>", 0},
        {"native", "Detached <div id=\"secret\">", "Detached <div>", 0},
        {"native", "Node / Environment", "Node / Environment", 0},
        {"native", "system / ExternalStringData", "system / ExternalStringData", HSC_TYPE_INTERNAL | HSC_TYPE_PART},
        {"synthetic", "(Unknown)", "(synthetic)", HSC_TYPE_INTERNAL},
        {"concatenated string", "(concatenated string)", "(concatenated string)", 0},
        {"sliced string", "secret", "(sliced string)", 0},
        {"symbol", "secret", "(symbol)", 0},
        {"bigint", "bigint", "(bigint)", 0},
        {"object shape", "system / Map", "(object shape)", HSC_TYPE_INTERNAL | HSC_TYPE_CODE},
        {"wasm object", "system / Wasm", "(wasm object)", 0},
        {"strange new thing", "x", "(unknown)", 0},
    };
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    uint32_t first = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint32_t node = v8_node(heap, cases[i].type, cases[i].name, 8 + i);
        if (i == 0) first = node;
        v8_edge_at(heap, p.leak, "element", (uint32_t)i, node);
    }
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_expect_str_eq(c.objects[first + i].type, cases[i].class, "%s %s: %s", cases[i].type, cases[i].name,
                         c.objects[first + i].type);
        cr_expect_eq(c.objects[first + i].type_flags, cases[i].flags, "%s %s: %x", cases[i].type, cases[i].name,
                     c.objects[first + i].type_flags);
        cr_expect_eq(c.objects[first + i].size, 8 + i);
    }
    cr_expect(!loaded_mentions(&c, "secret"), "a value of the program is in the capture");
    loaded_release(&c);
    v8_heap_free(heap);
}

Test(v8_snapshot, functions_and_code_have_names_and_values_have_none)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t text = v8_node(heap, "string", "secret", 24),
                   shape = v8_node(heap, "object shape", "system / Map", 72);
    v8_edge(heap, p.leak, "property", "a", text);
    v8_edge(heap, p.leak, "property", "b", shape);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect_str_eq(c.objects[p.closure].name, "add");
    cr_expect_str_eq(c.objects[p.script].name, "/srv/app/store.js");
    cr_expect_str_eq(c.objects[p.native_context].name, "system / NativeContext");
    cr_expect_str_eq(c.objects[shape].name, "system / Map");
    cr_expect_str_eq(c.objects[text].name, "");
    cr_expect_str_eq(c.objects[p.sessions].name, "");
    loaded_release(&c);
    v8_heap_free(heap);
}

Test(v8_snapshot, what_has_no_size_is_no_object)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t smi = v8_node(heap, "number", "smi number", 0),
                   environment = v8_node(heap, "synthetic", "Node / Environment", 2592);
    v8_edge(heap, p.leak, "internal", "value", smi);
    v8_edge_at(heap, p.root, "element", 3, environment);
    v8_edge(heap, environment, "element", "1", p.leak);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    for (uint32_t i = 0; i < heap->node_count; i++)
        cr_expect_eq((c.objects[i].flags & HSC_OBJECT_PSEUDO) != 0, heap->nodes[i].size == 0, "node %u", i);
    cr_expect(loaded_has_root(&c, HSC_ROOT_HANDLE, "Node / Environment", environment));
    loaded_release(&c);
    v8_heap_free(heap);
}

Test(v8_snapshot, nothing_is_a_part_where_devtools_moves_no_sizes)
{
    v8_heap *heap = v8_heap_new();
    const uint32_t root = v8_node(heap, "synthetic", "", 0), gc = v8_node(heap, "synthetic", "(GC roots)", 0);
    const uint32_t hidden = v8_node(heap, "hidden", "system / Map", 80);
    const uint32_t data = v8_node(heap, "native", "system / ExternalStringData", 80);
    v8_edge_at(heap, root, "element", 1, gc);
    v8_edge(heap, gc, "internal", "1", hidden);
    v8_edge(heap, hidden, "internal", "1", data);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect(!c.info.has_parts);
    loaded_release(&c);
    const uint32_t trees = v8_node(heap, "synthetic", "(Document DOM trees)", 0);
    v8_edge_at(heap, root, "element", 2, trees);
    c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect(c.info.has_parts);
    cr_expect(c.objects[hidden].type_flags & HSC_TYPE_PART);
    loaded_release(&c);
    v8_heap_free(heap);
}

/* ---- references ---- */

Test(v8_snapshot, each_kind_of_edge_becomes_its_label)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t o = v8_node(heap, "object", "Thing", 24), x = v8_node(heap, "object", "X", 8);
    const uint32_t inner = v8_node(heap, "object", "system / Context", 24), hidden = v8_node(heap, "hidden", "h", 8);
    v8_edge(heap, p.leak, "property", "thing", o);
    v8_edge(heap, p.leak, "property", "inner", inner);
    v8_edge(heap, inner, "context", "count", x);
    v8_edge(heap, inner, "internal", "previous", o);
    v8_edge(heap, o, "property", "field", x);
    v8_edge_at(heap, o, "element", 17, x);
    v8_edge(heap, o, "internal", "table", x);
    v8_edge(heap, o, "internal", "backing_map", x);
    v8_edge_at(heap, o, "hidden", 5, hidden);
    v8_edge(heap, o, "shortcut", "bound_this", x);
    v8_edge(heap, o, "shortcut", "bound_part", hidden);
    v8_edge(heap, o, "weak", "target", x);
    v8_edge(heap, hidden, "weak", "50", x);
    v8_edge(heap, o, "internal", "3 / something", x);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    const struct {
        uint32_t from;
        const char *name;
        uint32_t kind, flags;
    } cases[] = {
        {inner, "count", HSC_LABEL_VARIABLE, 0},   {inner, "previous", HSC_LABEL_INTERNAL, 0},
        {o, "field", HSC_LABEL_FIELD, 0},          {o, "table", HSC_LABEL_INTERNAL, HSC_LABEL_FOLD},
        {o, "backing_map", HSC_LABEL_INTERNAL, 0}, {o, "bound_this", HSC_LABEL_INTERNAL, HSC_STRENGTH_WEAK},
        {o, "bound_part", HSC_LABEL_INTERNAL, 0},  {o, "target", HSC_LABEL_INTERNAL, HSC_STRENGTH_WEAK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const loaded_reference *found = case_v8_reference(&c, cases[i].from, cases[i].name);
        cr_expect_eq(found->kind, cases[i].kind, "%s: kind %u", cases[i].name, found->kind);
        cr_expect_eq(found->flags, cases[i].flags, "%s: flags %u", cases[i].name, found->flags);
    }
    const loaded_reference *element = &c.objects[o].references[1], *at_hidden = &c.objects[o].references[4];
    cr_expect(element->kind == HSC_LABEL_ELEMENT && element->index == 17 && element->target == x);
    cr_expect(at_hidden->kind == HSC_LABEL_INTERNAL && at_hidden->index == 5 &&
              strcmp(at_hidden->name, "internal") == 0);
    cr_expect_eq(c.objects[hidden].references[0].flags, HSC_STRENGTH_WEAK);
    cr_expect_str_eq(c.objects[o].references[8].name, "internal", "a description is no name");
    loaded_release(&c);
    v8_heap_free(heap);
}

Test(v8_snapshot, references_lose_their_indexes_alone_where_nobody_asks_for_them)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    v8_edge_at(heap, p.leak, "element", 17, p.sessions);
    const hsd_import_options options = {.struct_bytes = sizeof options, .without_indexes = true};
    loaded whole = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    loaded without = case_v8_import(heap, V8_FORM_NODE_20, &options, NULL);
    size_t lost = 0;
    for (size_t i = 0; i < whole.object_count; i++) {
        for (size_t k = 0; k < whole.objects[i].reference_count; k++) {
            cr_assert_eq(without.objects[i].references[k].index, 0);
            lost += whole.objects[i].references[k].index != 0;
            whole.objects[i].references[k].index = 0;
        }
    }
    cr_expect_geq(lost, 1);
    expect_same(&whole, &without, V8_FORM_NODE_20);
    loaded_release(&whole);
    loaded_release(&without);
    v8_heap_free(heap);
}

Test(v8_snapshot, what_leads_into_a_container_is_told_from_what_leads_out)
{
    static const struct {
        const char *type, *edge;
        uint32_t flags;
    } cases[] = {
        {"object", "table", HSC_LABEL_FOLD},
        {"object", "elements", HSC_LABEL_FOLD},
        {"object", "properties", HSC_LABEL_FOLD},
        {"closure", "context", HSC_LABEL_FOLD},
        {"object", "backing_store", HSC_LABEL_FOLD},
        {"object", "bound_arguments", HSC_LABEL_FOLD},
        {"object", "bound_function", 0},
        {"object", "buffer", 0},
        {"closure", "shared", 0},
        {"object", "key_map", HSC_LABEL_FOLD},
        {"object", "parameters_and_registers", HSC_LABEL_FOLD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        v8_heap *heap = v8_heap_new();
        const v8_program p = v8_add_program(heap);
        const uint32_t from = v8_node(heap, cases[i].type, "From", 32), inside = v8_node(heap, "array", "", 64),
                       x = v8_node(heap, "object", "X", 8);
        v8_edge(heap, p.leak, "property", "from", from);
        v8_edge(heap, from, "internal", cases[i].edge, inside);
        v8_edge(heap, from, "property", cases[i].edge, x);
        v8_edge(heap, inside, "internal", "0", x);
        loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
        cr_expect_eq(c.objects[from].references[0].flags, cases[i].flags, "%s", cases[i].edge);
        cr_expect_eq(c.objects[from].references[1].flags, 0, "the program's own .%s", cases[i].edge);
        cr_expect_eq(c.objects[inside].references[0].kind, HSC_LABEL_VALUE, "items");
        cr_expect_str_eq(c.objects[inside].references[0].name, "");
        loaded_release(&c);
        v8_heap_free(heap);
    }
}

Test(v8_snapshot, the_key_of_a_weak_map_holds_its_value_and_the_table_does_not)
{
    static const char pair[] = "4 / part of key (Key @21) -> value (secret @23) pair in WeakMap (table @19)";
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t table = v8_node(heap, "array", "", 104), key = v8_node(heap, "object", "Key", 24);
    const uint32_t value = v8_node(heap, "object", "Value", 24), part = v8_node(heap, "array", "", 24);
    v8_edge(heap, p.leak, "property", "table", table);
    v8_edge(heap, p.leak, "property", "key", key);
    v8_edge(heap, key, "internal", pair, value);
    v8_edge(heap, key, "internal", "5 / key Object in WeakMap", part);
    v8_edge(heap, table, "weak", "3", key);
    v8_edge(heap, table, "weak", "4", value);
    v8_edge(heap, table, "internal", pair, value);
    v8_edge(heap, table, "weak", "5", part);
    v8_edge(heap, table, "internal", "5 / x", part);
    v8_edge(heap, table, "internal", "6", key);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    const loaded_object *from = &c.objects[table];
    cr_expect_eq(from->references[2].flags, HSC_STRENGTH_WEAK, "the table's reference holds the value");
    cr_expect_eq(from->references[4].flags, 0, "an array may have one owner only if all ways to it count");
    cr_expect_eq(from->references[5].flags, 0, "another slot of the table");
    cr_expect_eq(c.objects[key].references[0].flags, 0);
    cr_expect_str_eq(c.objects[key].references[0].name, "WeakMap value");
    cr_expect_str_eq(c.objects[key].references[1].name, "WeakMap value");
    cr_expect(!loaded_mentions(&c, "secret") && !loaded_mentions(&c, "pair in"));
    loaded_release(&c);
    v8_heap_free(heap);
}

Test(v8_snapshot, the_table_of_a_weak_map_is_known_by_the_names_of_its_pairs)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t table = v8_node(heap, "array", "", 104), list = v8_node(heap, "array", "", 24);
    const uint32_t key = v8_node(heap, "object", "Key", 24), value = v8_node(heap, "object", "Value", 24),
                   part = v8_node(heap, "array", "", 24);
    v8_edge(heap, p.leak, "property", "table", table);
    v8_edge(heap, p.leak, "property", "list", list);
    v8_edge(heap, p.leak, "property", "key", key);
    v8_edge(heap, table, "internal", "1 / part of key (Key @21) -> value (Value @23) pair in WeakMap (table @17)",
            value);
    v8_edge(heap, table, "internal", "2 / part of key (Key @21) -> value (Value @23) pair in WeakMap (table @17)",
            value);
    v8_edge(heap, table, "internal", "3 / key Key in WeakMap", part);
    v8_edge(heap, table, "internal", "key", key);
    v8_edge(heap, list, "internal", "0", value);
    v8_edge(heap, list, "internal", "1", key);
    v8_edge(heap, key, "internal", "7 / part of key (Key @21) -> value (Value @23) pair in WeakMap (table @17)", value);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    const loaded_object *from = &c.objects[table];
    cr_assert_eq(from->reference_count, 4);
    for (size_t i = 0; i < 4; i++) {
        cr_expect_eq(from->references[i].kind, HSC_LABEL_VALUE);
        cr_expect_str_eq(from->references[i].name, "");
    }
    cr_expect_eq(from->references[0].flags, HSC_STRENGTH_WEAK, "the key holds the value");
    cr_expect_eq(from->references[1].flags, HSC_STRENGTH_WEAK, "and that of the next pair");
    cr_expect_eq(from->references[2].flags, 0, "all ways to a part count");
    cr_expect_eq(from->references[3].flags, 0, "a name that was there before");
    cr_expect_eq(c.objects[list].references[0].flags, 0, "any other array holds its items");
    cr_expect_eq(c.objects[list].references[1].flags, 0);
    cr_expect_eq(c.objects[key].references[0].flags, 0);
    loaded_release(&c);
    v8_heap_free(heap);
}

Test(v8_snapshot, the_cell_of_a_global_variable_does_not_hold_it)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t accessor = v8_node(heap, "native", "system / AccessorInfo", 24),
                   cell = v8_node(heap, "native", "system / PropertyCell", 24);
    const uint32_t box = v8_node(heap, "hidden", "system / Box", 24),
                   pair = v8_node(heap, "hidden", "system / AccessorPair", 24);
    const uint32_t other = v8_node(heap, "hidden", "system / PropertyCell", 24);
    v8_edge(heap, p.dictionary, "internal", "8", cell);
    v8_edge(heap, p.dictionary, "internal", "9", box);
    v8_edge(heap, p.dictionary, "internal", "10", other);
    v8_edge(heap, cell, "internal", "value", accessor);
    v8_edge_at(heap, cell, "hidden", 1, box);
    v8_edge(heap, box, "internal", "value", p.leak);
    v8_edge(heap, other, "internal", "value", pair);
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    cr_expect_eq(case_v8_reference(&c, p.cell, "value")->flags, HSC_STRENGTH_WEAK);
    cr_expect_eq(case_v8_reference(&c, cell, "value")->flags, 0, "V8's accessor hangs from its cell alone");
    cr_expect_eq(case_v8_reference(&c, other, "value")->flags, 0, "a part counts all ways");
    cr_expect_eq(case_v8_reference(&c, box, "value")->flags, 0, "any other value");
    loaded_release(&c);
    v8_heap_free(heap);
}

Test(v8_snapshot, references_to_nowhere_are_lost_and_counted)
{
    for (unsigned i = 0; i < 3; i++) {
        v8_heap *heap = v8_heap_new();
        const v8_program p = v8_add_program(heap);
        heap->dangling_offset = i == 0 ? 3 : i == 1 ? UINT64_C(7) * heap->node_count : UINT64_C(1) << 40;
        v8_edge(heap, p.leak, "property", "x", UINT32_MAX);
        v8_edge(heap, p.leak, "property", "y", p.sessions);
        v8_edge(heap, p.root, "shortcut", "9", UINT32_MAX);
        loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
        cr_expect_eq(c.lost, 2);
        cr_expect_eq(c.objects[p.leak].reference_count, 1);
        cr_expect_eq(c.result.references, heap->edge_count - 2);
        loaded_release(&c);
        v8_heap_free(heap);
    }
}

/* ---- names that are data ---- */

Test(v8_snapshot, names_that_are_data_are_left_out)
{
    static const struct {
        const char *name;
        bool is_kept;
    } cases[] = {
        {"user", true},
        {"$1", true},
        {"_x9", true},
        {"__proto__", true},
        {"get size", true},
        {"set size", true},
        {"#private", true},
        {"<symbol>", true},
        {"<symbol Symbol.iterator>", true},
        {"\xc3\xa9t\xc3\xa9", true},
        {"a@b.com", false},
        {"two words", false},
        {"9lives", false},
        {"", false},
        {"get a@b", false},
        {"<symbol a@b>", false},
        {"<symbol", false},
        {"x.y", false},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", true},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
    };
    for (int with_values = 0; with_values < 2; with_values++) {
        const hsd_import_options options = {.compression = 1, .with_values = with_values != 0};
        v8_heap *heap = v8_heap_new();
        const v8_program p = v8_add_program(heap);
        const uint32_t o = v8_node(heap, "object", "O", 24);
        v8_edge(heap, p.leak, "property", "o", o);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
            v8_edge(heap, o, "property", cases[i].name, p.leak);
        loaded c = case_v8_import(heap, V8_FORM_NODE_26, &options, NULL);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
            cr_expect_str_eq(c.objects[o].references[i].name,
                             cases[i].is_kept || options.with_values ? cases[i].name : "", "%s", cases[i].name);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            const bool is_named = cases[i].is_kept || options.with_values;
            cr_expect_eq(c.objects[o].references[i].kind, is_named ? HSC_LABEL_FIELD : HSC_LABEL_VALUE,
                         "%s: what keeps no name is an item", cases[i].name);
        }
        cr_expect_eq(c.info.facts, HSC_FACT_COLLECTED | (with_values != 0 ? HSC_FACT_VALUES : 0));
        cr_expect_str_eq(case_v8_reference(&c, p.global, "an odd name")->name, "an odd name");
        loaded_release(&c);
        v8_heap_free(heap);
    }
}

/* `fields` properties key0, key1 … and one that sixteen small objects have as well. */
static uint32_t add_dictionary(v8_heap *heap, const v8_program *p, unsigned fields, unsigned small)
{
    char name[32];
    for (unsigned i = 0; i < small; i++) {
        const uint32_t o = v8_node(heap, "object", "Small", 24);
        v8_edge_at(heap, p->leak, "element", i, o);
        v8_edge(heap, o, "property", "common", p->leak);
    }
    const uint32_t o = v8_node(heap, "object", "Object", 24);
    v8_edge_at(heap, p->leak, "element", 99, o);
    for (unsigned i = 0; i + 1 < fields; i++) {
        snprintf(name, sizeof name, "key%u", i);
        v8_edge(heap, o, "property", name, p->leak);
    }
    v8_edge(heap, o, "property", "common", p->leak);
    return o;
}

Test(v8_snapshot, keys_of_large_dictionaries_are_data_unless_they_are_common)
{
    static const struct {
        unsigned fields, small;
        const char *key, *common;
    } cases[] = {{128, 16, "key0", "common"}, {129, 16, "", "common"}, {129, 15, "", ""}, {20000, 16, "", "common"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        v8_heap *heap = v8_heap_new();
        const v8_program p = v8_add_program(heap);
        if (cases[i].fields > 1000) { /* interning in the writer is slow: one name, many times */
            for (unsigned k = 0; k < 70000; k++)
                v8_edge(heap, p.sessions, "property", "key0", p.leak);
            const loaded big = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
            cr_expect_str_eq(big.objects[p.sessions].references[69999].name, "");
            loaded copy = big;
            loaded_release(&copy);
            v8_heap_free(heap);
            continue;
        }
        const uint32_t o = add_dictionary(heap, &p, cases[i].fields, cases[i].small);
        loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
        cr_expect_str_eq(c.objects[o].references[0].name, cases[i].key);
        cr_expect_str_eq(c.objects[o].references[cases[i].fields - 1].name, cases[i].common);
        loaded_release(&c);
        v8_heap_free(heap);
    }
}

/* ---- other ways to read ---- */

Test(v8_snapshot, a_summary_counts_what_a_whole_import_counts)
{
    const hsd_import_options options = {.compression = 1, .summary_only = true};
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    v8_edge(heap, p.leak, "property", "x", v8_node(heap, "native", "<div id=1>", 40));
    loaded whole = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    for (int form = 0; form < V8_FORM_COUNT; form++) {
        loaded summary = case_v8_import(heap, (v8_form)form, &options, NULL);
        cr_expect_eq(summary.object_count, 0);
        cr_expect_eq(summary.info.summary_objects, whole.info.objects - whole.info.pseudo_objects);
        cr_expect_eq(summary.info.summary_bytes, whole.info.bytes + whole.info.native_bytes);
        cr_expect_eq(summary.result.objects, whole.result.objects);
        cr_expect_eq(summary.result.bytes, whole.result.bytes);
        cr_expect(loaded_mentions(&summary, "Leak") && loaded_mentions(&summary, "<div>"));
        loaded_release(&summary);
    }
    loaded_release(&whole);
    v8_heap_free(heap);
}

Test(v8_snapshot, the_smallest_memory_gives_the_same_bytes)
{
    enum { MANY = 60000 };
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    for (unsigned i = 0; i < MANY; i++)
        v8_node(heap, "object", "Leak", 24 + i * 17);
    for (unsigned i = 0; i < 3; i++)
        v8_edge_at(heap, p.leak, "element", i, heap->node_count - 1);
    heap->nodes[p.leak].state = 2;
    const hsd_run small = {.memory_bytes = HSD_MEMORY_MIN_BYTES};
    loaded a = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL),
           b = case_v8_import(heap, V8_FORM_NODE_20, NULL, &small);
    expect_same(&a, &b, -1);
    loaded_release(&a);
    loaded_release(&b);
    v8_heap_free(heap);
}

/* ---- names and data ---- */

/* An object whose properties code mentions, meets, or does not know; and functions with constants, which hang from
 * their pools by references of this kind. */
static uint32_t add_code(v8_heap *heap, const char *kind)
{
    static const char *const properties[] = {"mentioned", "alice",          "bob",
                                             "#own",      "<symbol carol>", "<symbol Symbol.iterator>"};
    const uint32_t object = v8_node(heap, "object", "Object", 32), value = v8_node(heap, "object", "Value", 16);
    const uint32_t cache = v8_node(heap, "code", "system / FeedbackVector", 64);
    const uint32_t alice = v8_node(heap, "string", "alice", 16), mentioned = v8_node(heap, "string", "mentioned", 24);
    v8_edge(heap, 0, "shortcut", "kept", object);
    v8_edge(heap, object, "internal", "code", cache);
    for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++)
        v8_edge(heap, object, "property", properties[i], value);
    for (uint32_t i = 0; i < 6; i++)
        v8_edge_at(heap, cache, "hidden", i, alice);
    for (uint32_t i = 0; i < 80; i++) {
        const uint32_t pool = v8_node(heap, "code", "(constant pool)", 64);
        v8_edge(heap, object, "internal", "code", pool);
        for (uint32_t k = 0; k < 5; k++) {
            char text[32];
            snprintf(text, sizeof text, "word%u", (unsigned)(i * 5 + k));
            const uint32_t string = i == 40 && k == 2 ? mentioned : v8_node(heap, "string", text, 16);
            if (strcmp(kind, "hidden") == 0)
                v8_edge_at(heap, pool, kind, k, string);
            else
                v8_edge(heap, pool, kind, text, string);
        }
    }
    for (uint32_t i = 0; i < 16; i++) { /* what as many have is no data */
        const uint32_t one = v8_node(heap, "object", "Object", 32);
        v8_edge(heap, object, "property", "many", one);
        v8_edge(heap, one, "property", "common", value);
    }
    return object;
}

static size_t count_named(const loaded *c, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < c->object_count; i++)
        for (size_t k = 0; k < c->objects[i].reference_count; k++)
            count += strcmp(c->objects[i].references[k].name, name) == 0;
    return count;
}

static void expect_names_of_code(const char *kind)
{
    v8_heap *heap = v8_heap_new();
    v8_add_program(heap);
    add_code(heap, kind);
    const hsd_import_options with_values = {.struct_bytes = sizeof with_values, .with_values = true};
    loaded c = case_v8_import(heap, V8_FORM_NODE_20, NULL, NULL);
    loaded all = case_v8_import(heap, V8_FORM_NODE_20, &with_values, NULL);
    cr_expect_eq(count_named(&c, "mentioned"), 1, "%s", kind);
    cr_expect_eq(count_named(&c, "common"), 16);
    cr_expect_eq(count_named(&c, "#own"), 1);
    cr_expect_eq(count_named(&c, "alice") + count_named(&c, "bob") + count_named(&c, "<symbol carol>"), 0, "%s", kind);
    cr_expect_eq(count_named(&c, "<symbol>"), 1);
    cr_expect_eq(count_named(&c, "<symbol Symbol.iterator>"), 1);
    cr_expect_eq(count_named(&all, "alice") + count_named(&all, "bob") + count_named(&all, "<symbol carol>"), 3);
    loaded_release(&all);
    loaded_release(&c);
    v8_heap_free(heap);
}

Test(v8_snapshot, keys_that_no_code_mentions_are_data)
{
    expect_names_of_code("internal"); /* V8 of Node 18 and 20 */
    expect_names_of_code("hidden");   /* and later */
}

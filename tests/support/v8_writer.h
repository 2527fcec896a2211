/*
 * Heap snapshots as V8 writes them, made from a few lines of a test: nodes and edges in, JSON out, in the
 * layout of any version.
 *
 *      v8_heap *heap = v8_heap_new();
 *      const uint32_t root = v8_node(heap, "synthetic", "", 0);
 *      const uint32_t map = v8_node(heap, "object", "Map", 32);
 *      v8_edge(heap, root, "shortcut", "1", map);
 *      char *json = v8_heap_write(heap, V8_FORM_NODE_20, &size);
 *
 * The first node is the root. Edges may come in any order and are grouped by their source. Running out
 * of memory ends the program.
 */
#ifndef HSD_TESTS_V8_WRITER_H
#define HSD_TESTS_V8_WRITER_H

#include <stddef.h>
#include <stdint.h>

typedef enum v8_form {
    V8_FORM_NODE_12, /* no detachedness; a line for each node and edge */
    V8_FORM_NODE_20, /* all columns, wasm objects */
    V8_FORM_NODE_26, /* no trace_node_id, one line, indexes from 2^31 on are negative */
    V8_FORM_CHROME,  /* locations of five columns, scopes, a trace tree, samples */
    V8_FORM_ODD,     /* columns and types in another order, columns, types and keys that nobody knows */
    V8_FORM_COUNT
} v8_form;

typedef struct v8_heap_edge {
    uint32_t from, to;
    const char *kind; /* borrowed: a literal */
    uint32_t name;    /* string, or the index of element and hidden edges */
    uint32_t order;
} v8_heap_edge;

typedef struct v8_heap_node {
    const char *type; /* borrowed: a literal */
    uint32_t name;
    uint64_t id, size;
    unsigned state; /* detachedness */
} v8_heap_node;

typedef struct v8_heap {
    v8_heap_node *nodes;
    uint32_t node_count;
    v8_heap_edge *edges;
    uint32_t edge_count;
    char **strings; /* UTF-8; 0 is "<dummy>" */
    uint32_t string_count;
    uint32_t (*locations)[3]; /* node, line, column; written by forms of node up to 20 */
    uint32_t location_count;
    uint64_t dangling_offset; /* to_node of edges to UINT32_MAX */
} v8_heap;

v8_heap *v8_heap_new(void);
void v8_heap_free(v8_heap *heap);

/* The number of a string, which is added if it is new. */
uint32_t v8_string(v8_heap *heap, const char *text);

/* A node; ids are 1, 3, 5 … in order. */
uint32_t v8_node(v8_heap *heap, const char *type, const char *name, uint64_t size);

/* An edge with a name, and one with a number (element, hidden). `to` UINT32_MAX: to nowhere. */
void v8_edge(v8_heap *heap, uint32_t from, const char *kind, const char *name, uint32_t to);
void v8_edge_at(v8_heap *heap, uint32_t from, const char *kind, uint32_t index, uint32_t to);

/* Where a closure's function stands, from 0. */
void v8_locate(v8_heap *heap, uint32_t node, uint32_t line, uint32_t column);

/* The snapshot as text, to be freed; NUL-terminated behind its size. */
char *v8_heap_write(const v8_heap *heap, v8_form form, size_t *size);

/* What a program of node's begins with, as far as the importer looks at it. */
typedef struct v8_program {
    uint32_t root, gc_roots, stack, handles, interned;
    uint32_t native_context, global, proxy, dictionary, cell;
    uint32_t module;          /* context of /srv/app/store.js; variables sessions, limit */
    uint32_t sessions, limit; /* object Map, number */
    uint32_t closure, function, script;
    uint32_t leak; /* object Leak: property `leak` of the global object, and in the cell */
} v8_program;

/* Adds it to an empty heap. Nodes of the caller's may follow. */
v8_program v8_add_program(v8_heap *heap);

#endif

/*
 * Writes the heap of a .NET program, captured by hsdiff, as dotnet-gcdump would have written it: gcdump_of_capture
 * CAPTURE.hs FILE.gcdump
 *
 * Roots become nodes ("[static vars]" and what hangs below it), large objects get types of their own, as its graph
 * reader makes them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/capture_view.h"
#include "support/gcdump_writer.h"
#include <hscapture/hscapture.h>

enum {
    TOP,
    STATICS,
    LOCALS,
    OTHERS,
    STRONG,
    PINNING,
    FINALIZER,
    DEPENDENT,
    FIXED /* and one for each static field, then the objects */
};

typedef struct making {
    capture_view view;
    gw_type *types;
    gw_node *nodes;
    uint32_t **children; /* of the fixed nodes, and of static fields */
    uint32_t type_count, fixed;
    uint64_t *ids; /* sorted, with numbers of nodes behind each */
} making;

static void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (memory == NULL) exit(1);
    return memory;
}

static int by_id(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t node_of(const making *m, uint64_t id)
{
    const uint64_t *found = bsearch(&id, m->ids, m->view.object_count, 2 * sizeof *m->ids, by_id);
    return found == NULL ? UINT32_MAX : (uint32_t)found[1];
}

static uint32_t add_type(making *m, const char *name, int32_t size)
{
    m->types[m->type_count] = (gw_type){.name = strdup(name), .size = size, .module = "/srv/app.dll"};
    return m->type_count++;
}

static void add_child(making *m, uint32_t node, uint32_t child)
{
    gw_node *of = &m->nodes[node];
    if ((of->count & (of->count + 1)) == 0)
        m->children[node] = realloc(m->children[node], (2 * (size_t)of->count + 2) * sizeof(uint32_t));
    if (m->children[node] == NULL) exit(1);
    m->children[node][of->count++] = child;
    of->children = m->children[node];
}

static void add_fixed(making *m)
{
    static const char *const names[FIXED] = {"[.NET Roots]",        "[static vars]",      "[local vars]",
                                             "[other roots]",       "[strong Handles]",   "[pinning Handles]",
                                             "[finalizer Handles]", "[Dependent Handles]"};
    static const uint32_t above[FIXED] = {TOP, TOP, TOP, TOP, OTHERS, OTHERS, OTHERS, OTHERS};
    for (uint32_t i = 0; i < FIXED; i++) {
        m->nodes[i].type = add_type(m, names[i], 0);
        if (i > 0) add_child(m, above[i], i);
    }
    m->fixed = FIXED;
}

/* "static System.String[] Names" is "[static var System.String[].Names]". */
static uint32_t add_static(making *m, const char *label)
{
    char name[8192];
    const char *type = strstr(label, "static "), *field = strrchr(label, ' ');
    if (type == NULL || field == NULL || field < type + 7) return STATICS;
    snprintf(name, sizeof name, "[static var %.*s.%s]", (int)(field - (type + 7)), type + 7, field + 1);
    m->nodes[m->fixed].type = add_type(m, name, 0);
    add_child(m, STATICS, m->fixed);
    return m->fixed++;
}

static void add_roots(making *m)
{
    for (size_t i = 0; i < m->view.root_count; i++) {
        const hsd_root *root = &m->view.roots[i];
        const char *label = view_string(&m->view, root->label);
        const uint32_t target = node_of(m, root->target);
        if (target == UINT32_MAX) continue;
        uint32_t node = root->kind == HSC_ROOT_STACK ? LOCALS : root->kind == HSC_ROOT_FINALIZER ? FINALIZER : STRONG;
        if (strstr(label, "pinned") != NULL) node = PINNING;
        if (root->kind == HSC_ROOT_STATIC) node = add_static(m, label);
        add_child(m, node, target);
    }
}

/* The type of an object: large ones have their own by how large they are. */
static uint32_t type_of(making *m, const view_object *object, uint32_t (*known)[7])
{
    static const char *const suffixes[] = {
        "", " (Bytes > 1K)", " (Bytes > 10K)", " (Bytes > 100K)", " (Bytes > 1M)", " (Bytes > 10M)", " (Bytes > 100M)"};
    size_t step = 0;
    for (uint64_t most = 1000; step < 6 && object->size_bytes > most; most *= 10)
        step++;
    uint32_t *type = &known[object->type][step];
    if (*type == 0) {
        char name[8192];
        snprintf(name, sizeof name, "%s%s", view_type(&m->view, object->type), suffixes[step]);
        *type = add_type(m, name, (int32_t)object->size_bytes);
    }
    return *type;
}

static void add_objects(making *m, uint32_t first)
{
    uint32_t(*known)[7] = zeroed(m->view.type_limit, sizeof *known);
    uint32_t *children = zeroed(m->view.reference_count, sizeof *children);
    for (size_t i = 0; i < m->view.object_count; i++) {
        const view_object *object = &m->view.objects[i];
        gw_node *node = &m->nodes[first + i];
        *node = (gw_node){.address = object->id, .size = (int32_t)object->size_bytes, .children = children};
        node->type = type_of(m, object, known);
        for (size_t k = 0; k < object->count; k++) {
            const uint32_t target = node_of(m, m->view.references[object->first + k].target);
            if (target != UINT32_MAX) children[node->count++] = target;
        }
        children += node->count;
    }
    free(known);
}

int main(int argc, char **argv)
{
    making m = {0};
    if (argc != 3 || !view_open(&m.view, argv[1])) return 2;
    size_t statics = 0;
    for (size_t i = 0; i < m.view.root_count; i++)
        statics += m.view.roots[i].kind == HSC_ROOT_STATIC;
    const uint32_t first = (uint32_t)(FIXED + statics);
    const size_t count = first + m.view.object_count;
    m.types = zeroed(count + 1, sizeof *m.types);
    m.nodes = zeroed(count, sizeof *m.nodes);
    m.children = zeroed(first, sizeof *m.children);
    m.ids = zeroed(m.view.object_count * 2, sizeof *m.ids);
    for (size_t i = 0; i < m.view.object_count; i++) {
        m.ids[2 * i] = m.view.objects[i].id;
        m.ids[2 * i + 1] = first + i;
    }
    qsort(m.ids, m.view.object_count, 2 * sizeof *m.ids, by_id);
    add_type(&m, "UNDEFINED", -1);
    add_fixed(&m);
    add_roots(&m);
    /* of static fields that hold nothing that is there */
    for (uint32_t i = m.fixed; i < first; i++)
        m.nodes[i].type = m.nodes[STATICS].type;
    add_objects(&m, first);
    const gw_heap heap = {.version = 10,
                          .types = m.types,
                          .type_count = m.type_count,
                          .nodes = m.nodes,
                          .node_count = (uint32_t)count,
                          .tool = "dotnet-gcdump"};
    gw_bytes bytes = gw_write(&heap);
    FILE *out = fopen(argv[2], "wb");
    if (out == NULL || fwrite(bytes.data, 1, bytes.size, out) != bytes.size || fclose(out) != 0) {
        perror(argv[2]);
        return 1;
    }
    return 0;
}

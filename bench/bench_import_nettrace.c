/*
 * Importing heap events of .NET: nodes in the order of the heap and their references, as CoreCLR tells them, 25 bytes
 * an object.
 *
 *      bench_import_nettrace [OBJECTS | FILE]
 */
#include <stdlib.h>

#include "importing.h"
#include "support/nettrace_writer.h"
#include "support/random.h"

enum { BATCH = 512, EDGES_OF_NODE = 1, TYPES = 40 };
#define FIRST UINT64_C(0x7f0000000000)

static void make(FILE *file, uint64_t objects)
{
    static nt_node nodes[BATCH];
    static uint64_t edges[BATCH * EDGES_OF_NODE];
    test_random random = {5};
    nettrace_writer w;
    nt_begin(&w, NT_PACKED, 8);
    nt_collection(&w, 7);
    for (uint64_t i = 0; i < TYPES; i++) {
        char name[32];
        snprintf(name, sizeof name, "Shop.Type%u", (unsigned)i);
        nt_type(&w, 0x10 + i, name);
    }
    for (uint64_t at = 0; at < objects; at += BATCH) {
        const size_t count = objects - at < BATCH ? (size_t)(objects - at) : BATCH;
        for (size_t i = 0; i < count; i++) {
            nodes[i] = (nt_node){FIRST + (at + i) * 40, 40, 0x10 + test_below(&random, TYPES), EDGES_OF_NODE};
            edges[i] = FIRST + test_below(&random, objects) * 40;
        }
        nt_nodes(&w, nodes, count);
        nt_edges(&w, edges, count);
        nt_flush(&w);
    }
    nt_roots(&w, (nt_root[]){{.target = FIRST}}, 1);
    nt_collected(&w, 7);
    nt_end(&w);
    if (fwrite(w.out.data, 1, w.out.size, file) != w.out.size) exit(1);
    nt_free(&w);
}

int main(int argc, char **argv) { return bench_import_main(argc, argv, "import_nettrace", make); }

/*
 * Importing heap graphs of Android out of traces of Perfetto: see importing.h.
 *
 *      bench_import_perfetto [OBJECTS | FILE]
 *
 * Without a file a trace of OBJECTS (default 1,000,000) is made: sessions of three fields in one array, 18 bytes an
 * object. Real ones have 10 to 25.
 */
#include <stdlib.h>

#include "importing.h"
#include "support/perfetto_writer.h"

static void make_trace(FILE *file, uint64_t objects)
{
    pf_message trace = {0};
    pf_add_heap(&trace, &(pf_heap){.sessions = (unsigned)objects, .packet_objects = 20000});
    if (fwrite(trace.data, 1, trace.size, file) != trace.size || fflush(file) != 0) exit(1);
    pf_release(&trace);
}

int main(int argc, char **argv) { return bench_import_main(argc, argv, "import_perfetto", make_trace); }

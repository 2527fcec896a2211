/*
 * Importing files of Mono's log profiler: see importing.h.
 *
 *      bench_import_mlpd [OBJECTS | FILE.mlpd of one heap shot]
 *
 * Without a file a shot of OBJECTS is made: sessions that refer to a string each, 14 bytes an object in the file, as in
 * a real one.
 */
#include <stdlib.h>

#include "importing.h"
#include "support/mlpd_writer.h"

enum { BUFFER_OBJECTS = 4096 };

static void make_file(FILE *out, uint64_t objects)
{
    mlpd_file file;
    uint64_t address = UINT64_C(0x7f0000000000);
    mlpd_begin(&file, 3, 17, 8, "nodefaults,gc,gcmove,gcroot,heapshot=ondemand");
    mlpd_buffer(&file, 1, 1);
    mlpd_class_load(&file, UINT64_C(0x7e0000000100), "Shop.Session");
    mlpd_class_load(&file, UINT64_C(0x7e0000000200), "System.String");
    mlpd_heap_start(&file);
    for (uint64_t i = 0; i < objects; i += 2, address += 64) {
        mlpd_object(&file, address, UINT64_C(0x7e0000000100), 24, 1, &(mlpd_edge){16, address + 24}, 1);
        mlpd_object(&file, address + 24, UINT64_C(0x7e0000000200), 40, 1, NULL, 0);
        if (i % BUFFER_OBJECTS == 0) mlpd_buffer(&file, 1, i + 2);
    }
    mlpd_heap_end(&file);
    mlpd_end(&file);
    if (fwrite(file.data, 1, file.size, out) != file.size) exit(1);
    mlpd_release(&file);
}

int main(int argc, char **argv) { return bench_import_main(argc, argv, "import_mlpd", make_file); }

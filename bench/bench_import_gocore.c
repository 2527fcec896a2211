/*
 * Importing what a real Go program left, with its types: cores, and heap dumps with and without the program.
 *
 *      bench_import_gocore PROGRAM CORE|DUMP …
 */
#include "importing.h"

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: bench_import_gocore PROGRAM CORE|DUMP ...\n");
        return 2;
    }
    const hsd_import_options typed = {.executable = argv[1], .compression = 1},
                             summary = {.executable = argv[1], .summary_only = true}, untyped = {.compression = 1};
    bench_begin();
    for (int i = 2; i < argc; i++) {
        bench_import_row("import_gocore", "typed", argv[i], &typed, UINT64_C(256) << 20);
        bench_import_row("import_gocore", "typed summary", argv[i], &summary, UINT64_C(256) << 20);
        bench_import_row("import_gocore", "as it is", argv[i], &untyped, UINT64_C(256) << 20);
    }
    return 0;
}

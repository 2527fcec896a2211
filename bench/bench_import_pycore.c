/*
 * Importing a core of CPython: see importing.h. The interpreter and its libraries lie where the core says.
 *
 *      bench_import_pycore CORE …
 */
#include "importing.h"

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench_import_pycore CORE ...\n");
        return 2;
    }
    const hsd_import_options whole = {.compression = 1}, summary = {.summary_only = true};
    bench_begin();
    for (int i = 1; i < argc; i++) {
        bench_import_row("import_pycore", "whole", argv[i], &whole, UINT64_C(256) << 20);
        bench_import_row("import_pycore", "summary", argv[i], &summary, UINT64_C(256) << 20);
    }
    return 0;
}

/*
 * What every benchmark of an importer measures: reading the bytes of a dump and nothing else, unpacking them where they
 * are gzip, the scan for a summary, and the whole import, from the page cache. Rows of CSV:
 * stage,shape,memory,items,seconds,M items/s,MB/s; the least of three runs. Seconds are of processor time, so these are
 * rates of a core; MB/s are of the bytes that the importer sees, so of unpacked ones.
 */
#ifndef HSD_BENCH_IMPORTING_H
#define HSD_BENCH_IMPORTING_H

#include <stdint.h>
#include <stdio.h>

#include <hsdiff/import.h>

/* A file that `make` writes `objects` into: NULL-terminated path, to be removed by bench_forget. Ends the program when
 * it cannot. */
typedef void (*bench_make_fn)(FILE *file, uint64_t objects);
const char *bench_made(bench_make_fn make, uint64_t objects);
void bench_forget(const char *path);

/* The head line of the table. */
void bench_begin(void);

/* All rows of one dump. `stage` names it ("import_ruby"). */
void bench_import(const char *stage, const char *path);

/* One row of an import with these options and memory. */
void bench_import_row(const char *stage, const char *shape, const char *path, const hsd_import_options *options,
                      uint64_t memory_bytes);

/* The usual main of one format: [OBJECTS | FILE]; returns the exit status. */
int bench_import_main(int argc, char **argv, const char *stage, bench_make_fn make);

#endif

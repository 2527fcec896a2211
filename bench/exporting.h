/*
 * What a benchmark of an exporter of whole heaps measures: a heap with targets by ordinal and small exact ids (straight
 * from the capture) and with addresses (references joined), each with 1 GiB and with 64 MiB; or a capture that is
 * there. Beside them the bound: reading all objects and references and nothing else. Rows of CSV:
 * stage,shape,memory,items,seconds,M items/s,MB/s.
 *
 * Seconds are of processor time, the least of three runs, so these are rates of a core; MB/s are of the bytes that are
 * read or written.
 */
#ifndef HSD_BENCH_EXPORTING_H
#define HSD_BENCH_EXPORTING_H

#include <stdbool.h>
#include <stdint.h>

#include <hscapture/hscapture.h>

/* Puts types, labels, about `objects` objects and a root into a writer that was opened, and does not finish it. With
 * by_ordinal targets are ordinals, else ids. */
typedef void (*bench_heap_fn)(hsc_writer *w, bool by_ordinal, uint64_t objects);

/* The usual main of one format: [OBJECTS | FILE.hs]; returns the exit status. */
int bench_export_main(int argc, char **argv, const char *format, bench_heap_fn make);

#endif

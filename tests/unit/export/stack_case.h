/*
 * For suites about exports of stacks: a heap in a file, and what an exporter makes of it.
 *
 *      main -> serve -> new Session     3 sessions of 64 bytes, 2 of 100
 *      main -> load                     a map of 48 bytes with 1000 outside the heap
 *                                       a buffer of 16 bytes from nowhere, which no root reaches
 *
 * global.sessions holds the map, and that holds the sessions.
 */
#ifndef HSD_TESTS_STACK_CASE_H
#define HSD_TESTS_STACK_CASE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <hscapture/hscapture.h>
#include <hsdiff/export.h>

enum { STACK_MAP = 1, STACK_SESSION = 2, STACK_BUFFER = 3 };

typedef struct stack_heap {
    bool is_backward; /* records come last first, and tables have other numbers */
    bool has_no_sites;
    unsigned more_sessions; /* of 64 bytes */
    bool has_no_large;      /* the two of 100 bytes */
    const char *process;    /* NULL = shop */
} stack_heap;

/* Writes the heap to a file. */
void stack_write(const char *file, const stack_heap *heap);

/* A capture of one object, whose names are all `name`. */
void stack_write_named(const char *file, const char *name, size_t size);

/* Notes that were made, one a line. */
extern char stack_notes[4096];

/* Files in a folder of the test's own: two captures, and what was exported. */
extern char path[96], other[96], out[96];
extern hsd_error err;

/* Exports a file, or growth between two (`before` NULL = none), into `out`. Fills `err`. */
hsd_status stack_export(const char *before, const char *after, const char *format, hsd_export_stacks stacks,
                        uint64_t memory_bytes);

/* What is in `out`, with a NUL behind it, to be freed. */
char *stack_read(size_t *size);

void stack_begin(void); /* of a test */
void stack_end(void);

#endif

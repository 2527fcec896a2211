/*
 * One import of HPROF bytes in a test: from memory through a file into a temporary capture, and that
 * read whole. Used by the tests of the HPROF importer and of gzip.
 */
#ifndef HSD_TESTS_UNIT_IMPORT_HPROF_CASE_H
#define HSD_TESTS_UNIT_IMPORT_HPROF_CASE_H

#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

#include "support/capture_view.h"
#include "support/hprof_heap.h"

typedef struct hprof_case {
    hsd_import_options options; /* set before, if not the defaults */
    uint64_t memory_bytes;
    hsd_status status;
    hsd_error err;
    hsd_import_result result;
    capture_view view; /* open when status is HSD_OK */
    char notes[4096];  /* what the library told, each on a line */
} hprof_case;

/* Imports bytes as they are. */
void case_import(hprof_case *c, const void *data, size_t size);

/* Imports the known heap in a form. */
void case_import_form(hprof_case *c, const heap_form *form);

void case_close(hprof_case *c);

/* The object of the known heap; fails the test if it is not there. */
const view_object *case_object(const hprof_case *c, const heap_form *form, enum heap_object which);

/* Fails the test unless `from` has a reference of that label to `to`. Returns its label. */
view_label case_refers(const hprof_case *c, const view_object *from, const char *label, uint64_t to);

/* gzip of bytes: new allocation. `member_bytes` 0 = one member. */
void *case_gzip(const void *data, size_t size, size_t member_bytes, size_t *out_size);

#endif

/*
 * One import of a heap snapshot in a test: from a heap of v8_writer.h to its capture, read back whole.
 */
#ifndef HSD_TESTS_UNIT_IMPORT_V8_CASE_H
#define HSD_TESTS_UNIT_IMPORT_V8_CASE_H

#include "support/v8_loaded.h"
#include "support/v8_writer.h"

extern hsd_error case_v8_err;

/* Before each test. */
void case_v8_setup(void);

/* Imports the heap in this layout; fails the test where that fails. NULL options: the defaults. */
loaded case_v8_import(const v8_heap *heap, v8_form form, const hsd_import_options *options, const hsd_run *run);

/* The reference of this name; fails the test if there is none. */
const loaded_reference *case_v8_reference(const loaded *capture, uint32_t from, const char *name);

#endif

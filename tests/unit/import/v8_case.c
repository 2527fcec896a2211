/*
 * One import of a heap snapshot in a test, as v8_case.h says: every failure on the way fails the test that asked.
 */
#include "unit/import/v8_case.h"

#include <criterion/criterion.h>
#include <stdlib.h>

hsd_error case_v8_err;

void case_v8_setup(void) { hsd_error_init(&case_v8_err); }

loaded case_v8_import(const v8_heap *heap, v8_form form, const hsd_import_options *options, const hsd_run *run)
{
    static const hsd_import_options defaults = {.compression = 1};
    loaded capture;
    size_t size;
    char *json = v8_heap_write(heap, form, &size);
    const hsd_status status =
        loaded_import(&capture, json, size, options == NULL ? &defaults : options, run, &case_v8_err);
    cr_assert(status == HSD_OK, "form %d: %s", (int)form, case_v8_err.text);
    free(json);
    cr_expect(!capture.has_undefined, "form %d: some number is used and not defined", (int)form);
    return capture;
}

const loaded_reference *case_v8_reference(const loaded *capture, uint32_t from, const char *name)
{
    const loaded_reference *found = loaded_find(capture, from, name);
    cr_assert(found != NULL, "no reference %s from object %u", name, from);
    return found;
}

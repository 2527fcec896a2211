/*
 * What hsd_open does with the capture that an import made: one that was written whole is read as it is, one of a dump
 * that was cut off is gone through block by block first, and says so.
 */
#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <hsdiff/open.h>

#include "support/memfile.h"
#include "support/v8_writer.h"

static bool note_survey(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)done, (void)total;
    if (strcmp(stage, "checking every block") == 0) *(bool *)context = true;
    return true;
}

/* A snapshot of a few nodes, without its last `cut` bytes. */
static memfile snapshot(size_t cut)
{
    v8_heap *heap = v8_heap_new();
    size_t size;
    v8_add_program(heap);
    char *json = v8_heap_write(heap, V8_FORM_NODE_20, &size);
    memfile file = memfile_of(json, size - cut);
    free(json);
    v8_heap_free(heap);
    return file;
}

static hsd_capture *open_snapshot(const memfile *file, bool *was_surveyed)
{
    hsd_import_options import = HSD_OPTIONS_INIT(hsd_import_options);
    hsd_open_options options = HSD_OPTIONS_INIT(hsd_open_options);
    const hsd_run run = {.progress = note_survey, .progress_context = was_surveyed};
    hsd_import_result imported;
    hsd_capture *capture;
    hsd_error err;
    hsd_error_init(&err);
    import.salvage = true;
    options.import = &import;
    *was_surveyed = false;
    cr_assert_eq(hsd_open(&capture, file->path, &options, &run, &imported, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(imported.objects,
                 hsd_capture_get_info(capture)->objects - hsd_capture_get_info(capture)->pseudo_objects);
    return capture;
}

Test(opened, what_was_imported_whole_is_not_looked_at_twice)
{
    bool was_surveyed;
    memfile file = snapshot(0);
    hsd_capture *capture = open_snapshot(&file, &was_surveyed);
    cr_assert(!was_surveyed);
    cr_assert(hsd_capture_get_info(capture)->is_complete);
    cr_assert(hsd_capture_get_info(capture)->has_index);
    hsd_capture_close(capture);
    memfile_close(&file);
}

Test(opened, what_was_cut_off_is_counted_block_by_block)
{
    bool was_surveyed;
    memfile file = snapshot(40);
    hsd_capture *capture = open_snapshot(&file, &was_surveyed);
    cr_assert(was_surveyed);
    cr_assert(!hsd_capture_get_info(capture)->is_complete);
    cr_assert_neq(hsd_capture_get_info(capture)->incomplete_reason[0], 0);
    hsd_capture_close(capture);
    memfile_close(&file);
}

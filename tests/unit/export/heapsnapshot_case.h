/*
 * For suites about heap snapshots that were written: the capture at `path`, its snapshot, and what the importer of
 * snapshots reads in that.
 *
 *      TestSuite(name, .init = begin_test, .fini = end_test);
 */
#ifndef HSD_TESTS_HEAPSNAPSHOT_CASE_H
#define HSD_TESTS_HEAPSNAPSHOT_CASE_H

#include <sys/stat.h>

#include <hscapture/hscapture.h>
#include <hsdiff/export.h>

#include "support/capture_file.h"
#include "support/v8_loaded.h"

static char snapshot[80];

static inline void begin_test(void)
{
    setup();
    snprintf(snapshot, sizeof snapshot, "%s/heap.heapsnapshot", folder);
}

static inline void end_test(void)
{
    remove(snapshot);
    teardown();
}

static inline hsd_export_result export_with(const hsd_export_options *options, const hsd_run *run)
{
    hsd_export_result result;
    hsd_capture *capture = open_capture(run);
    remove(snapshot);
    const hsd_status status = hsd_export_file(NULL, capture, snapshot, options, run, &result, &err);
    hsd_capture_close(capture);
    cr_assert_eq(status, HSD_OK, "%s", err.text);
    return result;
}

static inline char *read_snapshot(size_t *size)
{
    struct stat info;
    FILE *file = fopen(snapshot, "rb");
    cr_assert(file != NULL && fstat(fileno(file), &info) == 0);
    *size = (size_t)info.st_size;
    char *text = malloc(*size + 1);
    cr_assert(text != NULL && fread(text, 1, *size, file) == *size);
    text[*size] = '\0';
    fclose(file);
    return text;
}

/* The capture at `path` as a snapshot, and that as a capture again. */
static inline void round_trip(loaded *view)
{
    static const hsd_import_options usual;
    size_t size;
    export_with(NULL, NULL);
    char *text = read_snapshot(&size);
    cr_assert_eq(loaded_import(view, text, size, &usual, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert(!view->has_undefined && view->lost == 0);
    free(text);
}

/* Marks what is reached from `from` over strong references. */
static inline void reach(const loaded *view, uint32_t from, bool *live)
{
    static uint32_t todo[1024];
    uint32_t count = 0;
    if (live[from]) return;
    live[from] = true;
    todo[count++] = from;
    while (count > 0) {
        const loaded_object *object = &view->objects[todo[--count]];
        for (size_t i = 0; i < object->reference_count; i++) {
            const loaded_reference *r = &object->references[i];
            if ((r->flags & HSC_STRENGTH_MASK) == HSC_STRENGTH_WEAK || live[r->target]) continue;
            live[r->target] = true;
            todo[count++] = (uint32_t)r->target;
        }
    }
}

#endif

/*
 * A capture that was made of a heap snapshot, read back whole: names in place of numbers, so that a test
 * can say what it expects.
 */
#ifndef HSD_TESTS_V8_LOADED_H
#define HSD_TESTS_V8_LOADED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/capture.h>
#include <hsdiff/import.h>

typedef struct loaded_reference {
    uint64_t target, index;
    uint32_t kind, flags; /* of its label */
    const char *name;     /* "" = none */
} loaded_reference;

typedef struct loaded_object {
    uint64_t id, size; /* the native size included */
    uint32_t flags, type_flags;
    const char *type, *name;
    loaded_reference *references;
    size_t reference_count;
} loaded_object;

typedef struct loaded_root {
    uint32_t kind, flags;
    const char *label;
    uint64_t target;
} loaded_root;

typedef struct loaded {
    hsd_capture_info info;
    hsd_import_result result;
    loaded_object *objects;
    size_t object_count;
    loaded_root *roots;
    size_t root_count;
    char **texts; /* everything that names point to */
    size_t text_count;
    uint64_t lost, native_used;
    bool has_undefined; /* some number is used and not defined */
} loaded;

/* Imports bytes from memory. The status of the import; when it is HSD_OK, `out` holds what came of it. */
hsd_status loaded_import(loaded *out, const void *bytes, size_t size, const hsd_import_options *options,
                         const hsd_run *run, hsd_error *err);

void loaded_release(loaded *capture);

/* The first reference of this name from an object, or NULL. */
const loaded_reference *loaded_find(const loaded *capture, uint64_t object, const char *name);

/* True if there is such a root. */
bool loaded_has_root(const loaded *capture, uint32_t kind, const char *label, uint64_t target);

/* True if any string, type, label, metric or loss of the capture contains this text. */
bool loaded_mentions(const loaded *capture, const char *text);

#endif

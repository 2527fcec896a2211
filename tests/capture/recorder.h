/*
 * Writes captures and the text that they must read back as (FORMAT.md, appendix A), side by side: every call goes to
 * the writer and, in plain words of its own, into the section of the text where such records stand. What a second
 * reader prints must equal it.
 */
#ifndef HSD_TESTS_RECORDER_H
#define HSD_TESTS_RECORDER_H

#include <stdbool.h>
#include <stdio.h>

#include <hscapture/hscapture.h>

/* Sections of the text, in their order. */
enum recorder_section {
    SECTION_INFO,
    SECTION_STRINGS,
    SECTION_TYPES,
    SECTION_LABELS,
    SECTION_SITES,
    SECTION_OBJECTS,
    SECTION_EDGES,
    SECTION_ROOTS,
    SECTION_THREADS,
    SECTION_FRAMES,
    SECTION_METRICS,
    SECTION_LOSSES,
    SECTION_COUNT
};

/* What the totals are made of: an object that counts. */
typedef struct recorded_object {
    uint32_t type, category;
    uint64_t size_bytes, native_bytes;
} recorded_object;

typedef struct recorder {
    hsc_writer *writer;
    hsc_options options;
    FILE *section[SECTION_COUNT];
    char *text[SECTION_COUNT];
    size_t text_bytes[SECTION_COUNT];
    uint64_t objects, references, edges, roots, bytes;
    recorded_object *counted;
    size_t counted_objects, counted_capacity;
    uint64_t root_kinds[HSC_ROOT_KIND_COUNT];
    uint64_t native_bytes, lost, tables[SECTION_COUNT]; /* records of each section */
} recorder;

/* Starts a capture in a new file. */
void recorder_open(recorder *r, const char *path, const hsc_options *options);

void recorder_string(recorder *r, uint32_t id, const void *bytes, size_t size);
void recorder_type(recorder *r, uint32_t id, const void *name, size_t size, uint32_t flags);
void recorder_label(recorder *r, uint32_t id, hsc_label_kind kind, uint32_t flags, uint32_t name);
void recorder_site(recorder *r, uint32_t id, uint32_t parent, uint32_t function, uint32_t file, uint32_t line,
                   uint32_t column);
void recorder_thread(recorder *r, uint32_t id, uint32_t name);
void recorder_frame(recorder *r, uint32_t thread, uint32_t depth, uint32_t function, uint32_t file, uint32_t line);
void recorder_object(recorder *r, const hsc_object *object, const void *value, size_t value_bytes);
void recorder_references(recorder *r, const uint64_t *targets, const uint32_t *labels, const uint64_t *indexes,
                         size_t count, bool at_once);
void recorder_end(recorder *r);
void recorder_edge(recorder *r, uint64_t source, uint64_t target, uint32_t label, uint64_t index);
void recorder_root(recorder *r, const hsc_root_record *root);
void recorder_metric(recorder *r, const char *name, const char *unit, uint64_t value);
void recorder_loss(recorder *r, const char *what, uint64_t count);

/* Finishes the capture; all statuses so far and this one must be HSC_OK. */
void recorder_close(recorder *r);

/* Writes the text into `out` and releases everything. How many blocks stand before END is the writer's own affair. */
void recorder_write_text(recorder *r, uint64_t blocks, FILE *out);

#endif

/*
 * A capture, the heap dump that it is exported to, and what the importer makes of that dump: for tests of the exporter.
 */
#ifndef HSD_TESTS_UNIT_EXPORT_HPROF_KIT_H
#define HSD_TESTS_UNIT_EXPORT_HPROF_KIT_H

#include <hscapture/hscapture.h>
#include <hsdiff/export.h>

#include "support/capture_view.h"

typedef struct kit {
    char capture[64], dump[72]; /* paths */
    hsd_export_options options; /* set before */
    uint64_t memory_bytes;      /* 0 = 64 MiB */
    bool with_values;           /* of the import */
    capture_view before, after; /* open after kit_round */
    hsd_export_result result;
    hsd_error err;
    char notes[4096];
    uint8_t *bytes; /* the dump */
    size_t size;
} kit;

/* Paths for this test; the files are removed by kit_end. */
void kit_begin(kit *k, const char *name);
void kit_end(kit *k);

/* A writer of the capture; kit_finish closes it. */
hsc_writer *kit_writer(kit *k, const hsc_options *options);
void kit_finish(hsc_writer *w);
void kit_string(hsc_writer *w, uint32_t string, const char *text);
void kit_type(hsc_writer *w, uint32_t type, const char *name);

/* Exports alone: the status. */
hsd_status kit_export(kit *k);

/* Exports, imports, opens both; fails the test if any of it does. */
void kit_round(kit *k);

/* True if the exporter makes objects of this type up. */
bool kit_is_made_up(const char *type);

/* The object of `after` for object `i` of `before`: they come in the same order. */
const view_object *kit_image(const kit *k, size_t i);

/*
 * Fails the test unless both have the same objects by type, and each the same references: by name and target, or those
 * without a field of their own in "(elements)[]" by target; weak ones and those that lead nowhere do not count. Roots
 * likewise: as a static of a made-up class with the label as its name, or by target. Returns how many references had
 * lost their name.
 */
size_t kit_compare(const kit *k);

#endif

/*
 * Objects on paths that have a name of their own (NAME of FORMAT.md 6.6: class objects, threads, functions). Types are
 * merged on the way to a path and names are not kept for every object, so they are looked up when the paths are there:
 * the steps that may have a name are collected, brought into the order of the capture, and only the blocks they stand
 * in are read.
 *
 * Memory: 16 bytes a step that was collected, and the names.
 */
#ifndef HSD_PATHS_PATH_NAMES_H
#define HSD_PATHS_PATH_NAMES_H

#include "base/arena.h"
#include <hsdiff/capture.h>
#include <hsdiff/diff.h>

typedef struct hsd_path_wish {
    uint64_t ordinal; /* later the string */
    hsd_step *step;   /* borrowed */
} hsd_path_wish;

typedef struct hsd_path_names {
    hsd_path_wish *wishes;
    uint32_t count, capacity;
} hsd_path_names;

/* The step leads to the object with this ordinal. */
hsd_status hsd_path_names_want(hsd_path_names *names, uint64_t ordinal, hsd_step *step, hsd_error *err);

/* Fills `name` of all steps that were wanted; texts go into the arena. */
hsd_status hsd_path_names_fill(hsd_path_names *names, hsd_capture *capture, hsd_arena *arena, hsd_error *err);

void hsd_path_names_release(hsd_path_names *names);

#endif

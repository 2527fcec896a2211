/*
 * A heap small enough to be looked at whole: objects, references, roots, in plain arrays. Tests make
 * random ones, change them, write them as captures in every way the format allows, and compute by
 * definition what the product must say about them.
 */
#ifndef HSD_TESTS_HEAP_MODEL_H
#define HSD_TESTS_HEAP_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "support/random.h"
#include <hscapture/hscapture.h>

enum {
    MODEL_MAX_OBJECTS = 48,
    MODEL_MAX_REFERENCES = 8,
    MODEL_MAX_ROOTS = 6,
    /* type number t is called "T<t>"; MODEL_PART_TYPE is a part, MODEL_INTERNAL_TYPE a helper */
    MODEL_TYPES = 6,
    MODEL_PART_TYPE = 4,
    MODEL_INTERNAL_TYPE = 5,
    MODEL_LABELS = 8,
    MODEL_ROOT_NAMES = 4 /* "root<r>"; root name 0 has no label and is named by its kind */
};

/* Labels of references, numbered from 0: ".field" all but the last three, which are ".another", "[*]", and ".inside", a
 * FOLD reference. */
typedef enum model_label {
    MODEL_STRONG,
    MODEL_WEAK,
    MODEL_SOFT,
    MODEL_NAMED,
    MODEL_STATIC,
    MODEL_ANOTHER,
    MODEL_ITEM,
    MODEL_FOLD
} model_label;

typedef struct model_reference {
    uint64_t target; /* object id; may be one that is not there */
    model_label label;
} model_reference;

typedef struct model_object {
    uint64_t id, size_bytes;
    uint64_t content; /* 0 = none */
    uint32_t type, flags;
    bool has_name; /* named "N<id % 3>" */
    uint32_t reference_count;
    model_reference references[MODEL_MAX_REFERENCES];
} model_object;

typedef struct model_root {
    uint64_t target;
    uint32_t name;
    bool is_secondary;
} model_root;

typedef struct model_heap {
    uint32_t object_count, root_count;
    model_object objects[MODEL_MAX_OBJECTS];
    model_root roots[MODEL_MAX_ROOTS];
} model_heap;

/* How a heap is written: nothing of this may change an answer. */
typedef struct model_form {
    bool by_ordinal;     /* targets as ordinals (dangling ones are left out) */
    bool separate_edges; /* plain strong references in edge blocks */
    bool tables_last;    /* types, labels, strings after their use */
    uint64_t shuffle;    /* seed of the order of objects and roots */
    int compression;
    hsc_identity identity;
    uint64_t moment;  /* when it was taken */
    uint8_t domain;   /* of the process; 0 = not known */
    uint64_t started; /* when process 4121 did; 0 = not known which it is */
} model_form;

model_heap model_random(test_random *random);

/* A later moment of the same process: some objects gone, some new, some resized, retargeted, retyped. */
model_heap model_later(const model_heap *heap, test_random *random);

/* True if every form of it has a root and a reference: without them everything counts as live. */
bool model_has_graph(const model_heap *heap);

model_form model_random_form(test_random *random);

/* Writes a capture; returns false (with a message on stderr) when the writer refuses. */
bool model_write(const model_heap *heap, const model_form *form, const char *path);

#endif

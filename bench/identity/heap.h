/*
 * One capture in memory, as the truth is worked out on it: by ordinal, references both ways. About 90 bytes an object
 * and 48 a reference; a tool for tests and benchmarks, which ends the program when something is wrong.
 */
#ifndef HSD_BENCH_IDENTITY_HEAP_H
#define HSD_BENCH_IDENTITY_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include <hsdiff/capture.h>

#define HEAP_NONE UINT32_MAX

typedef struct heap_reference {
    uint32_t target; /* ordinal; in the lists of referrers the source */
    bool is_named_root;
    uint64_t slot; /* hash of the label and, of elements, the index: the same in every capture */
} heap_reference;

typedef struct heap_object {
    uint64_t id;    /* as the capture has it: an address */
    uint64_t shape; /* hash of type, shallow size and length */
    uint64_t name;  /* hash of its name, 0 = none: a class object has one */
    uint64_t bytes;
    uint32_t type; /* in heap.types */
    bool is_array;
} heap_object;

typedef struct heap_type {
    char *name;
    uint64_t hash;
} heap_type;

typedef struct heap_root {
    uint32_t target; /* HEAP_NONE = not in the capture */
    uint64_t label;  /* hash of kind and name */
} heap_root;

typedef struct heap {
    hsd_capture *capture;
    uint32_t count;
    heap_object *objects;
    uint64_t *first, *first_in; /* count + 1 each: into the lists below */
    /* strong and soft ones to other objects of the capture; by source, by target */
    heap_reference *out, *in;
    heap_root *roots;
    uint32_t root_count;
    heap_type *types;
    uint32_t type_count;
    uint32_t *slots; /* id -> ordinal + 1, open addressing */
    uint64_t slot_mask;
} heap;

/* Ends the program with a sentence on standard error. */
_Noreturn void heap_fail(const char *what);
void heap_check(hsd_status status, const hsd_error *err);
void *heap_new(uint64_t count, uint64_t size);

/* Loads a capture (not a dump). */
void heap_load(heap *h, const char *path);
void heap_release(heap *h);

/* The ordinal of an id, HEAP_NONE if it is not there. */
uint32_t heap_find(const heap *h, uint64_t id);

uint64_t heap_mix(uint64_t a, uint64_t b);
uint64_t heap_hash_text(const char *text, size_t size);

#endif

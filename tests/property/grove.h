/*
 * Heaps of any size as a program has them, of which it is known what is which: objects are called by a number that no
 * capture holds, and get addresses last. Made by hand or grown by plan.
 */
#ifndef HSD_TESTS_GROVE_H
#define HSD_TESTS_GROVE_H

#include <stdbool.h>
#include <stddef.h>

#include "moved.h"
#include "support/random.h"
#include "told.h"

/* Types are "java.util.HashMap" and the like in the order of the enum; GROVE_CLASS is that of class objects. */
typedef enum grove_type {
    GROVE_CLASS,
    GROVE_MAP,
    GROVE_TABLE,
    GROVE_NODE,
    GROVE_STRING,
    GROVE_BYTES,
    GROVE_USER,
    GROVE_POINT,
    GROVE_THREAD,
    GROVE_TYPES
} grove_type;

typedef enum grove_label { GROVE_FIELD, GROVE_ITEM, GROVE_STATIC, GROVE_WEAK, GROVE_LABELS } grove_label;

typedef struct grove_reference {
    uint32_t target; /* who */
    grove_label label;
} grove_reference;

typedef struct grove_object {
    uint32_t who; /* 1 and more, ascending in objects[] */
    grove_type type;
    uint64_t size_bytes, content, elements;
    uint32_t name;  /* "name<n>"; 0 = none */
    uint32_t value; /* preview "id=<n>"; 0 = none */
    uint32_t hash;  /* identity hash; 0 = none */
    size_t first_reference, reference_count;
    uint64_t address;
} grove_object;

typedef struct grove_root {
    uint32_t target, name; /* "name<n>" */
} grove_root;

typedef struct grove {
    grove_object *objects;
    grove_reference *references;
    grove_root *roots;
    size_t object_count, object_room, reference_count, reference_room, root_count, root_room;
} grove;

/* ---- by hand ---- */

/* Objects in the order of `who`, each with its references behind it. The object may be changed until the next call. */
grove_object *grove_add(grove *g, uint32_t who, grove_type type, uint64_t size_bytes);
void grove_refer(grove *g, uint32_t target, grove_label label);
void grove_root_at(grove *g, uint32_t target, uint32_t name);
void grove_free(grove *g);

/* ---- by plan ---- */

typedef struct grove_plan {
    uint64_t seed;
    unsigned groups; /* a class with a static map each, and a thread */
    /* of a map: node, key with content, user, up to three buffers, points that are twins */
    unsigned entries;
    unsigned churn, mutation, growth; /* percent of entries: that went, that were written to, that came */
    bool has_unique_points;           /* no twins: every object has a content of its own */
} grove_plan;

/* Moment 0 or 1 of the program. */
grove grove_grow(const grove_plan *plan, int moment);

/* ---- addresses ---- */

/* 64 bytes an object, in the order of who. */
void grove_place(grove *g);

/* Of a later moment of `before`, which is placed. */
void grove_move(grove *g, const grove *before, moved_way way, test_random *random);

/* The object at that address, NULL if there is none. */
const grove_object *grove_at(const grove *g, uint64_t address);

/* ---- captures ---- */

typedef struct grove_form {
    hsc_identity identity;
    uint64_t order; /* seed of the order of records; 0 = by who */
    uint64_t moment;
    bool has_parts; /* buffers are parts of their strings */
    bool has_values;
} grove_form;

/* False with a message on stderr when the writer refuses. */
bool grove_write(const grove *g, const grove_form *form, const char *path);

/* `before` at addresses of which exactly those of told pairs are also addresses of `after`; to be freed. Sorts `all`.
 */
grove grove_renamed(const grove *before, told *all);

/* Adds one diff to a score. Sorts `all`. */
void grove_add_score(moved_score *score, const grove *before, const grove *after, told *all);

#endif

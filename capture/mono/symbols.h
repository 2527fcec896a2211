/*
 * What a walk meets and cannot name yet: classes, and places in them, by the numbers that they have in the capture.
 * Names are looked up when the world moves again (names.h).
 */
#ifndef HSC_MONO_SYMBOLS_H
#define HSC_MONO_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mono.h"

enum { SYMBOLS_CLASSES = 1 << 18, SYMBOLS_PLACES = 1 << 20 };

typedef struct class_row {
    MonoClass *klass;
    uint32_t number;        /* type of the capture, from 1 */
    uint32_t element_bytes; /* of an array; 0 = it is none */
    bool has_pairs;         /* Ephemeron[]: pairs of a key and what lives as long as the key does */
} class_row;

typedef enum place_kind {
    PLACE_FIELD,         /* of `owner`, a MonoClass, at `offset` of its objects: a label and its string */
    PLACE_ELEMENT,       /* of any array: a label */
    PLACE_ATTACHED,      /* from the key of a pair to what lives as long: a label and its string */
    PLACE_STATIC,        /* of `owner`, a MonoClass, at `offset` of its static data: a string */
    PLACE_THREAD,        /* `owner` is a thread: a thread and its string */
    PLACE_STACK,         /* likewise: the string of its roots */
    PLACE_THREAD_STATIC, /* likewise */
    PLACE_SOURCE         /* `owner` is a MonoGCRootSource: a string */
} place_kind;

typedef struct place_row {
    const void *owner;
    uint32_t offset;
    uint32_t kind;
} place_row; /* string, label or thread of the capture: its row + 1 */

/* Rows in the order of their numbers, and an index of row numbers + 1 that doubles: small for small programs. */
typedef struct mono_symbols {
    class_row *classes;
    place_row *places;
    uint32_t *class_index, *place_index;
    size_t class_count, place_count, class_slots, place_slots;
    uint64_t lost; /* questions that found no room */
} mono_symbols;

/* Empty. False with errno: no address space. */
bool symbols_begin(mono_symbols *symbols);
/* Gives the pages back. */
void symbols_end(mono_symbols *symbols);

/* NULL when there is no room. */
const class_row *symbols_class(mono_symbols *symbols, MonoClass *klass);
/* 0 when there is no room. */
uint32_t symbols_place(mono_symbols *symbols, place_kind kind, const void *owner, uint32_t offset);

#endif

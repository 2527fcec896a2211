/*
 * An object as matching by structure sees it: four small hashes. What is equal on both sides is equal here;
 * what differs here differs there. No address and no number of a record goes into them.
 *
 *      shape       what the object is by itself: its type, size and content; of a named object its type and name
 *      structure   its shape and the shapes of what it refers to (of a named object: its shape)
 *      referrer    what refers to it: nothing, one node (the shape of its type, or the name of a root), several
 *      whole       64 bits: its shape and the structures of what it refers to. Not kept: only joined (match/seeds/seeds.h)
 */
#ifndef HSD_MATCH_ELEMENT_H
#define HSD_MATCH_ELEMENT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct hsd_element { /* 16 bytes, by position in a hsd_sequence */
    uint32_t shape;
    uint32_t structure;
    uint32_t referrer; /* HSD_REFERRER_NONE, HSD_REFERRER_MANY, else a hash >= HSD_REFERRER_FIRST */
    uint32_t type;     /* common number (format/tables.h) */
} hsd_element;

/* The lowest bit of a shape, of 64 bits or of 32: an array, or what else has a length. */
#define HSD_SHAPE_HAS_ELEMENTS UINT64_C(1)

#define HSD_REFERRER_NONE  0u
#define HSD_REFERRER_MANY  1u
#define HSD_REFERRER_FIRST 2u

/* What an element is compared by first: equal for objects that look alike from outside and inside. */
static inline uint64_t hsd_element_key(const hsd_element *e) { return (uint64_t)e->structure << 32 | e->referrer; }

static inline bool hsd_element_has_elements(const hsd_element *e) { return e->shape & HSD_SHAPE_HAS_ELEMENTS; }

/* A name or a user's key says which one it is, and it is no other. */
static inline bool hsd_element_is_anchor(const hsd_element *e) { return e->structure == e->shape; }

#endif

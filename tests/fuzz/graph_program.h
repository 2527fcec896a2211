/*
 * The bytes of fuzz_graph: a small program that writes two heaps. A head that describes the captures, their types and
 * labels, then instructions of GRAPH_STEP bytes to the end; what is cut off reads as zeros. Every string of bytes is a
 * program.
 *
 *      head    2 x form, facts; then GRAPH_TYPES x flags and name; then GRAPH_LABELS x kind, flags, name
 *      step    instruction and sides; u16 a, u16 b, little-endian; c; d
 */
#ifndef HSD_TESTS_GRAPH_PROGRAM_H
#define HSD_TESTS_GRAPH_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "fuzz/graph_truth.h"
#include "support/memfile.h"

enum {
    GRAPH_TYPES = 8,  /* number 1 .. 8; 0 is no type, 9 and more are never defined */
    GRAPH_LABELS = 8, /* likewise */
    GRAPH_NAMES = 8,  /* strings 1 .. 8 */
    GRAPH_HEAD = 4 + 2 * GRAPH_TYPES + 3 * GRAPH_LABELS,
    GRAPH_STEP = 7
};

/* Form of a capture. Bits 4 and 5 are its identity. Moved: its ids are other ones, in another order. */
enum { GRAPH_BY_ORDINAL = 1, GRAPH_TABLES_LAST = 2, GRAPH_COMPRESSED = 4, GRAPH_HAS_DOMAIN = 8, GRAPH_IS_MOVED = 0x40 };

/* Facts count from here on, so that few programs have some. */
enum { GRAPH_FACTS_FROM = 0xC0 };

/* First byte of a step: instruction in bits 0..2; GRAPH_ONLY_x for one side. */
typedef enum graph_instruction {
    GRAPH_OBJECT,    /* a id, b size, c type and content, d flags and name */
    GRAPH_REFERENCE, /* of the object begun last: a target, c label, d index */
    GRAPH_EDGE,      /* apart: a source, b target, c label, d index */
    GRAPH_ROOT,      /* a target, b name, c kind, d flags */
    /* d objects from id a on, of type c, each referring to the next by label b; the last to the first */
    GRAPH_CHAIN,
    GRAPH_FAN,    /* of the object begun last: d references, from target a on, by label c */
    GRAPH_REPEAT, /* of the object begun last: d references to a by label c */
    GRAPH_NOTHING
} graph_instruction;

enum { GRAPH_ONLY_BEFORE = 0x08, GRAPH_ONLY_AFTER = 0x10 };

/* Writes both heaps, before and after, to be closed, and tells what they are. More than TRUTH_MAX_OBJECTS objects of a
 * side are left out. Aborts when the writer refuses anything. */
void graph_program_write(memfile files[2], graph_truth truths[2], const uint8_t *data, size_t size);

#endif

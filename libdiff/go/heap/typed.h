/*
 * What the importer of heap dumps knows by the executable: made by typed.c, asked by named.c.
 */
#ifndef HSD_GO_HEAP_TYPED_H
#define HSD_GO_HEAP_TYPED_H

#include "go/heap/goheap.h"
#include "go/types/typing.h"

enum { GOHEAP_DATA_SEGMENT, GOHEAP_BSS_SEGMENT, GOHEAP_SEGMENTS };
enum { TYPES_DATA, TYPES_EDATA, TYPES_BSS, TYPES_EBSS, TYPES_BEGIN, TYPES_TEXT, TYPES_SYMBOLS };

typedef struct goheap_range {
    uint64_t address, size, offset;
} goheap_range;

typedef struct goheap_finalized {
    uint64_t object, pointer_type; /* the type: of the pointer to it */
} goheap_finalized;

typedef struct goheap_typed {
    goheap *go;
    hsd_elf executable;
    hsd_elf_symbol symbols[TYPES_SYMBOLS];
    gotyping typing;
    goblocks dump, program;
    goheap_range segments[GOHEAP_SEGMENTS];
    goframes frames;      /* of goroutines … */
    goheap_range *stacks; /* … and where their bytes stand, by address when found */
    uint32_t stack_count, stack_room;
    goheap_finalized *finalized; /* what has a finalizer */
    uint32_t finalized_count, finalized_room;
    gospan run;          /* the span under way */
    uint64_t run_offset; /* of its first object's bytes */
    /* of each slot's bytes, from those of the first of its span, + 1; by span.where[1] + slot */
    uint32_t *places;
    uint32_t place_count, place_room;
} goheap_typed;

#endif

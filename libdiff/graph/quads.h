/*
 * Records of four numbers, sorted by the first one, two or three of them within a given memory: what the levels of
 * a shortest-path search are made of (graph/shortest.c). Most levels are small, so few records cost
 * little: no allocation, and an insertion sort. What does not fit becomes sorted runs in a temporary file, which are
 * merged while they are read.
 *
 *      begin  put put put …  sort  next next next …  begin  …
 *
 * Records with equal keys come out in the order in which they were put, whatever the memory.
 */
#ifndef HSD_GRAPH_QUADS_H
#define HSD_GRAPH_QUADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/node.h"
#include "io/temp.h"
#include <hsdiff/status.h>

typedef struct hsd_quad {
    hsd_node word[4];
} hsd_quad;

typedef struct hsd_quads {
    hsd_quad *items;   /* borrowed: room for `capacity` records */
    hsd_quad *scratch; /* borrowed: as large; may be shared with others, is free between two calls */
    size_t capacity, count;
    unsigned key_words;

    hsd_temp file; /* opened with the first run */
    hsd_temp_space *space;
    uint64_t end_bytes;        /* of the runs in the file */
    uint64_t spilled;          /* bytes written since init */
    struct hsd_quad_run *runs; /* in the order of their records */
    size_t run_count, run_capacity;

    size_t at; /* next record to serve, when there are no runs */
    struct hsd_quad_reader *readers;
    uint32_t *winners; /* tournament over the readers */
    size_t reader_count;
    hsd_quad served;
} hsd_quads;

/* Fewest records an area may have room for. */
#define HSD_QUADS_MIN_RECORDS ((size_t)4096)

void hsd_quads_init(hsd_quads *quads, hsd_quad *items, hsd_quad *scratch, size_t capacity, hsd_temp_space *space);

/* Forgets all records; the next ones are sorted by their first `key_words` words (1 to 3). */
void hsd_quads_begin(hsd_quads *quads, unsigned key_words);

/* Slow paths of put and next. */
hsd_status hsd_quads_spill(hsd_quads *quads, hsd_error *err);
hsd_status hsd_quads_merge_next(hsd_quads *quads, const hsd_quad **out, hsd_error *err);

static inline hsd_status hsd_quads_put(hsd_quads *quads, hsd_node a, hsd_node b, hsd_node c, hsd_node d, hsd_error *err)
{
    if (__builtin_expect(quads->count == quads->capacity, 0)) HSD_TRY(hsd_quads_spill(quads, err));
    quads->items[quads->count++] = (hsd_quad){{a, b, c, d}};
    return HSD_OK;
}

/* No more puts: next() serves from the smallest record on. */
hsd_status hsd_quads_sort(hsd_quads *quads, hsd_error *err);

/* The next record, borrowed until the following call. HSD_END after the last. */
static inline hsd_status hsd_quads_next(hsd_quads *quads, const hsd_quad **out, hsd_error *err)
{
    if (__builtin_expect(quads->reader_count > 0, 0)) return hsd_quads_merge_next(quads, out, err);
    if (quads->at == quads->count) return HSD_END;
    *out = &quads->items[quads->at++];
    return HSD_OK;
}

void hsd_quads_release(hsd_quads *quads);

#endif

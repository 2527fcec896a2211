/*
 * What has to be known of every node while edges pass: half a byte for what kind of node it is, one bit
 * for whether anything refers to it, and one for whether a group of roots does. The only memory of the V8 importer that
 * grows with the nodes.
 */
#ifndef HSD_IMPORT_V8_MARKS_H
#define HSD_IMPORT_V8_MARKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <hsdiff/status.h>

typedef enum hsd_v8_mark {
    HSD_V8_MARK_OTHER,
    HSD_V8_MARK_OBJECT,
    HSD_V8_MARK_MOVABLE, /* hidden, array: its size may count as its owner's */
    HSD_V8_MARK_SYNTHETIC,
    HSD_V8_MARK_CODE,
    HSD_V8_MARK_NATIVE, /* of the embedder: attached, detached, or it does not say */
    HSD_V8_MARK_ATTACHED,
    HSD_V8_MARK_DETACHED
} hsd_v8_mark;

static inline bool hsd_v8_mark_is_native(hsd_v8_mark mark) { return mark >= HSD_V8_MARK_NATIVE; }

typedef struct hsd_v8_marks {
    uint8_t *kinds;    /* two nodes a byte */
    uint8_t *incoming; /* one bit a node; made by hsd_v8_marks_seal */
    uint8_t *rooted;   /* likewise */
    uint64_t count, capacity;
    uint64_t limit; /* as many nodes as the memory allows */
} hsd_v8_marks;

/* `memory_bytes` bounds the arrays. */
void hsd_v8_marks_init(hsd_v8_marks *marks, uint64_t memory_bytes);

/* Slow path of hsd_v8_marks_put. HSD_E_OVER_BUDGET past the limit. */
hsd_status hsd_v8_marks_grow(hsd_v8_marks *marks, hsd_error *err);

/* The mark of the next node. */
static inline hsd_status hsd_v8_marks_put(hsd_v8_marks *marks, hsd_v8_mark mark, hsd_error *err)
{
    if (marks->count == marks->capacity) HSD_TRY(hsd_v8_marks_grow(marks, err));
    uint8_t *byte = &marks->kinds[marks->count >> 1];
    *byte = (marks->count & 1) == 0 ? (uint8_t)mark : (uint8_t)(*byte | (unsigned)mark << 4);
    marks->count++;
    return HSD_OK;
}

/* All nodes are there; makes `incoming` and `rooted`. */
hsd_status hsd_v8_marks_seal(hsd_v8_marks *marks, hsd_error *err);

static inline hsd_v8_mark hsd_v8_marks_get(const hsd_v8_marks *marks, uint64_t node)
{
    return (hsd_v8_mark)(marks->kinds[node >> 1] >> (node & 1) * 4 & 7);
}

static inline void hsd_v8_marks_set(hsd_v8_marks *marks, uint64_t node, hsd_v8_mark mark)
{
    const unsigned shift = (unsigned)(node & 1) * 4;
    marks->kinds[node >> 1] = (uint8_t)((marks->kinds[node >> 1] & ~(7u << shift)) | (unsigned)mark << shift);
}

/* The fourth bit of the half byte: the node is a root, a group of roots (roots.h), or has a slot (frames.h). */
static inline void hsd_v8_marks_await(hsd_v8_marks *marks, uint64_t node)
{
    marks->kinds[node >> 1] = (uint8_t)(marks->kinds[node >> 1] | 8u << (node & 1) * 4);
}

static inline bool hsd_v8_marks_is_awaited(const hsd_v8_marks *marks, uint64_t node)
{
    return marks->kinds[node >> 1] >> (node & 1) * 4 & 8;
}

static inline void hsd_v8_marks_refer(hsd_v8_marks *marks, uint64_t node)
{
    marks->incoming[node >> 3] = (uint8_t)(marks->incoming[node >> 3] | 1u << (node & 7));
}

static inline bool hsd_v8_marks_is_referred(const hsd_v8_marks *marks, uint64_t node)
{
    return marks->incoming[node >> 3] >> (node & 7) & 1;
}

static inline void hsd_v8_marks_root(hsd_v8_marks *marks, uint64_t node)
{
    marks->rooted[node >> 3] = (uint8_t)(marks->rooted[node >> 3] | 1u << (node & 7));
}

static inline bool hsd_v8_marks_is_rooted(const hsd_v8_marks *marks, uint64_t node)
{
    return marks->rooted[node >> 3] >> (node & 7) & 1;
}

void hsd_v8_marks_release(hsd_v8_marks *marks);

#endif

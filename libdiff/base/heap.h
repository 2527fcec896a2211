/*
 * Binary heaps over plain arrays: what belongs above all the rest stands first. Everything is inlined, so that the
 * comparison and the size of an item are constants where they are named, and a heap costs what one by hand costs.
 * No allocation, no failure. Equal items come in no order: whose order matters, compares to the end.
 */
#ifndef HSD_BASE_HEAP_H
#define HSD_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/assert.h"

#define HSD_HEAP_ITEM_MAX 144u /* bytes: a holder whose numbers of nodes have 64 bits */

/* True if item `a` belongs above item `b`. */
typedef bool (*hsd_heap_above)(const void *context, const void *a, const void *b);

typedef struct hsd_heap { /* made where it is used, in one expression */
    void *items;
    size_t item_bytes; /* at most HSD_HEAP_ITEM_MAX */
    hsd_heap_above is_above;
    const void *context; /* of is_above */
} hsd_heap;

static inline __attribute__((always_inline)) uint8_t *hsd_heap_at(hsd_heap heap, size_t at)
{
    HSD_ASSERT(heap.item_bytes > 0 && heap.item_bytes <= HSD_HEAP_ITEM_MAX);
    return (uint8_t *)heap.items + at * heap.item_bytes;
}

static inline __attribute__((always_inline)) void hsd_heap_swap(hsd_heap heap, size_t a, size_t b)
{
    uint8_t keep[HSD_HEAP_ITEM_MAX];
    memcpy(keep, hsd_heap_at(heap, a), heap.item_bytes);
    memmove(hsd_heap_at(heap, a), hsd_heap_at(heap, b), heap.item_bytes); /* a may be b */
    memcpy(hsd_heap_at(heap, b), keep, heap.item_bytes);
}

/* Items 0 … at - 1 are a heap: makes item `at` one of them. */
static inline __attribute__((always_inline)) void hsd_heap_up(hsd_heap heap, size_t at)
{
    for (size_t parent; at > 0; at = parent) {
        parent = (at - 1) / 2;
        if (!heap.is_above(heap.context, hsd_heap_at(heap, at), hsd_heap_at(heap, parent))) return;
        hsd_heap_swap(heap, at, parent);
    }
}

/* Items 0 … count - 1 are a heap but for item `at`, which may belong below others: puts that right. */
static inline __attribute__((always_inline)) void hsd_heap_down(hsd_heap heap, size_t at, size_t count)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        const bool has_second = child + 1 < count;
        if (has_second && heap.is_above(heap.context, hsd_heap_at(heap, child + 1), hsd_heap_at(heap, child))) child++;
        if (!heap.is_above(heap.context, hsd_heap_at(heap, child), hsd_heap_at(heap, at))) return;
        hsd_heap_swap(heap, at, child);
    }
}

/* Makes a heap of items in any order. */
static inline __attribute__((always_inline)) void hsd_heap_make(hsd_heap heap, size_t count)
{
    for (size_t at = count / 2; at-- > 0;)
        hsd_heap_down(heap, at, count);
}

/* Sorts a heap: what belonged above all is last. */
static inline __attribute__((always_inline)) void hsd_heap_sort(hsd_heap heap, size_t count)
{
    for (; count > 1; count--) {
        hsd_heap_swap(heap, 0, count - 1);
        hsd_heap_down(heap, 0, count - 1);
    }
}

#endif

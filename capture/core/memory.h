/*
 * Memory of a writer: from the producer's allocator where it has one (hsc_options.allocator), else from libc.
 */
#ifndef HSC_MEMORY_H
#define HSC_MEMORY_H

#include <stddef.h>

#include <hscapture/hscapture.h>

/* Zeroed, aligned for anything; NULL if there is none. */
void *hsc_take(const hsc_allocator *allocator, size_t size);

/* The same, not zeroed by libc: for buffers that are written before they are read. */
void *hsc_take_unset(const hsc_allocator *allocator, size_t size);

/* What hsc_take gave, or NULL. */
void hsc_give(const hsc_allocator *allocator, void *memory);

#endif

/*
 * The allocator behind the hooks, and whether they record.
 */
#ifndef HSN_HOOKS_H
#define HSN_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

/* The next malloc family behind ours: libc's, or of what the program links. */
typedef struct hsn_allocator {
    void *(*malloc)(size_t);
    void (*free)(void *);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
} hsn_allocator;

extern hsn_allocator hsn_real;

/* Do the hooks record? From the first allocation behind the start of libc, unless there was no memory for the table. */
bool hsn_is_on(void);
/* Opens table, stacks and the rest and lets the hooks record. Whoever comes first; false if that is not possible (yet). */
bool hsn_begin(void);
/* From now on nothing is added; what is freed is still taken out. */
void hsn_end(void);

/* Frees of blocks that were never seen; of the mode that records all. */
unsigned long hsn_foreign(void);

#endif

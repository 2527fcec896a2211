/*
 * Tables as large as they may ever get, in pages that cost nothing until they are touched: what may be used where
 * malloc may not.
 */
#ifndef HSC_MONO_LAZILY_H
#define HSC_MONO_LAZILY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* Zeroed, aligned to a page; NULL with errno. Given back with munmap. */
static inline void *map_lazily(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* All zero again, and the pages given back. */
static inline void forget_pages(void *at, size_t bytes)
{
    if (at != NULL) madvise(at, bytes, MADV_DONTNEED);
}

static inline uint64_t spread(uint64_t key) { return (key ^ key >> 29) * UINT64_C(0x9e3779b97f4a7c15); }

#endif

#define _GNU_SOURCE /* MADV_POPULATE_WRITE */
/*
 * By one call of the system for all pages. Where it has no such call nothing is done: they come one after the other.
 */
#include "base/touch.h"

#include <stdint.h>
#include <sys/mman.h>

#define PAGE_BYTES ((uintptr_t)4096)

void hsd_touch(void *data, size_t size)
{
#ifdef MADV_POPULATE_WRITE
    const uintptr_t at = (uintptr_t)data, begin = (at + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
    const uintptr_t end = (at + size) & ~(PAGE_BYTES - 1);
    if (begin < end) (void)madvise((unsigned char *)data + (begin - at), end - begin, MADV_POPULATE_WRITE);
#else
    (void)data, (void)size;
#endif
}

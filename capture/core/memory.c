/*
 * One place where a writer takes and gives memory, so that a producer's own allocator sees all of it.
 */
#include "memory.h"

#include <stdlib.h>

void *hsc_take(const hsc_allocator *allocator, size_t size)
{
    return allocator == NULL ? calloc(1, size) : allocator->take(allocator->context, size);
}

void *hsc_take_unset(const hsc_allocator *allocator, size_t size)
{
    return allocator == NULL ? malloc(size) : allocator->take(allocator->context, size);
}

void hsc_give(const hsc_allocator *allocator, void *memory)
{
    if (allocator == NULL)
        free(memory);
    else if (memory != NULL)
        allocator->give(allocator->context, memory);
}

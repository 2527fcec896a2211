/*
 * Functions that allocate for others: malloc and what is called like it, operator new, what belongs to a library of
 * containers. A block is named for the function that wanted it, and that is none of these.
 */
#ifndef HSD_BASE_ALLOCATORS_H
#define HSD_BASE_ALLOCATORS_H

#include <stdbool.h>

/* `function` is a demangled name, with or without parameters. */
bool hsd_function_allocates(const char *function);

#endif

/*
 * Functions that allocate for others: malloc and what is called like it, operator new, what belongs to a library of
 * containers. A block is named for the function that wanted it, and that is none of these.
 */
#ifndef HSD_BASE_ALLOCATORS_H
#define HSD_BASE_ALLOCATORS_H

#include <stdbool.h>
#include <stddef.h>

/* `function` is a demangled name, with or without parameters. */
bool hsd_function_allocates(const char *function);

/* `name` is that of a library of the system around malloc: of C and C++, of gcc, the loader. As it stands in a name
 * that is not resolved (FORMAT.md 7.12): without its folder, and with `_` for `+`. */
bool hsd_module_is_of_system(const char *name, size_t size);

#endif

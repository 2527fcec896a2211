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

/* How many bytes at the beginning of `function` are the reason, where that is the name of a library ("std::"); 0 where
 * it is not. */
size_t hsd_allocator_prefix(const char *function);

/* True for a function of C that allocates where its name is of nothing but the words that say so, and so tells nothing
 * else: xmalloc, g_strdup, pool_alloc, but not session_malloc. */
bool hsd_allocator_is_plain(const char *function);

/* `name` is that of a library of the system around malloc: of C and C++, of gcc, the loader. As it stands in a name
 * that is not resolved (FORMAT.md 7.12): without its folder, and with `_` for `+`. */
bool hsd_module_is_of_system(const char *name, size_t size);

#endif

/*
 * Functions that allocate for others: malloc and what is called like it, operator new, what belongs to a library of
 * containers. A block is named for the function that wanted it, and that is none of these.
 */
#ifndef HSD_BASE_ALLOCATORS_H
#define HSD_BASE_ALLOCATORS_H

#include <stdbool.h>
#include <stddef.h>

#include <hsdiff/diff.h>

/* `function` is a demangled name, with or without parameters. */
bool hsd_function_allocates(const char *function);

/* How many bytes at the beginning of `function` are the reason, where that is the name of a library ("std::"); 0 where
 * it is not. */
size_t hsd_allocator_prefix(const char *function);

/* True for a function of C that allocates where its name is of nothing but the words that say so, and so tells nothing
 * else: xmalloc, g_strdup, pool_alloc, but not session_malloc. */
bool hsd_allocator_is_plain(const char *function);

/* What stands below a program's own functions on every stack: of libc and of the loader, around main and a thread's
 * first function. `file` may be empty: not known. */
bool hsd_function_starts(const char *function, size_t size, const char *file, size_t file_size);

/* "<memory.hpp>": a header that was installed, a crate (symbols/code.c). "<stdin>" and "<frozen importlib._bootstrap>"
 * of Python are none. */
bool hsd_file_is_of_library(const char *file, size_t size);

/* The innermost of `count` frames from `from` on that is a function of the program with its place in the source: none
 * of a library, of which a header is `<vector>` and other source is not known, and none that allocates for others.
 * count = there is none. */
size_t hsd_frames_own(const hsd_site_frame *frames, size_t count, size_t from);

/* The name of a variable, or of memory, that is no program's: "thread-local tokio::runtime::context::CONTEXT", "(data
 * of libuv.so.1)", "(anonymous memory)". */
bool hsd_variable_is_of_library(const char *name, size_t size);

/* "stack of worker: serve": a word of a frame of which no variable is known, or not even the function ("stack of
 * worker"); it may be left over. That of a variable is "stack of worker: serve.queue". */
bool hsd_root_is_bare_frame(const char *name, size_t size);
bool hsd_root_is_frame_variable(const char *name, size_t size);
bool hsd_root_is_frame_without_function(const char *name, size_t size);

/* "thread-locals of worker": what a thread has by no variable, as pthread_setspecific. */
bool hsd_root_is_all_thread_locals(const char *name, size_t size);

/* "libcurl.so.4.8.0": a shared library, by its name. */
bool hsd_module_is_shared(const char *name, size_t size);

/* "libcurl.so.4.8.0+0x6cf9f": a place in a shared library that has no name there, as of a function that it keeps to
 * itself. */
bool hsd_name_is_of_shared_library(const char *name, size_t size);

/* `name` is that of a library of the system around malloc: of C and C++, of gcc, the loader. As it stands in a name
 * that is not resolved (FORMAT.md 7.12): without its folder, and with `_` for `+`. */
bool hsd_module_is_of_system(const char *name, size_t size);

#endif

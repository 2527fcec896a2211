/*
 * Where roots lie: the ranges that the runtime registers from its start on, and the threads with their names.
 * Registering happens on any thread; the world may be stopped in the middle of it, so readers of a stopped world take
 * no lock and find every range whole or not at all.
 */
#ifndef HSC_MONO_RANGES_H
#define HSC_MONO_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { THREAD_NAME_BYTES = 64 };

typedef struct root_range {
    uintptr_t start, size;
    const void *key;
    uint32_t source; /* MonoGCRootSource */
    uint32_t is_live;
} root_range;

void ranges_add(uintptr_t start, uintptr_t size, uint32_t source, const void *key);
void ranges_remove(uintptr_t start);

/* Changes that were lost for want of memory. */
uint64_t ranges_lost(void);

/*
 * All ranges by ascending start, in memory of their own that the next call uses again. For one thread at a time, while
 * the world stands still. NULL and *count 0 when there is no memory for them.
 */
const root_range *ranges_sorted(size_t *count);

/* The range with this address; NULL = none. */
const root_range *range_of(const root_range *ranges, size_t count, uintptr_t address);

void threads_begin(uintptr_t thread);
void threads_name(uintptr_t thread, const char *name);
void threads_end(uintptr_t thread);

/* `thread "main"`, or `thread 5` for the fifth that began and has no name; `name` alone without the first word and
 * quotes. Empty for none. */
void threads_tell(uintptr_t thread, bool is_label, char *out, size_t size);

#endif

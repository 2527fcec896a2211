/*
 * What a library that was not built with the memory sanitizer has written counts as written (preset msan). Anywhere
 * else this is nothing.
 */
#ifndef HSD_BASE_UNPOISON_H
#define HSD_BASE_UNPOISON_H

#include <stddef.h>

#ifdef HSD_MSAN
void __msan_unpoison(const volatile void *data, size_t size);
#define HSD_WRITTEN(data, size) __msan_unpoison((data), (size))
#else
#define HSD_WRITTEN(data, size) ((void)sizeof((size) != 0 ? 1 : 0))
#endif

#endif

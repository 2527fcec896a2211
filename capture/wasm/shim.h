/*
 * What wasi-libc of Debian 12 lacks of what the capture library calls; put in front of each of its files.
 */
#ifndef HSC_WASM_SHIM_H
#define HSC_WASM_SHIM_H

#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

static inline ssize_t getrandom(void *bytes, size_t size, unsigned flags)
{
    (void)flags;
    return getentropy(bytes, size) == 0 ? (ssize_t)size : -1;
}

#endif

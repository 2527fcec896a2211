/*
 * Captures of a WebAssembly program, taken from inside: what a program links that wants to be captured. Every block of
 * malloc, calloc and realloc stands in a list (link with -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free),
 * with a number that is never used again: exact identity. The bytes go to the host as they are made, by one import:
 *
 *      (import "hsdiff" "write" (func (param i32 i32) (result i32)))      pointer, size; how many were taken, or -1
 *      (export "hsdiff_capture" (func (result i32)))                      0, or not: the capture is cut off
 *
 * What refers to what is guessed from words that look like addresses of blocks, in blocks and in the data of the
 * program; its locals and the stack of the machine cannot be seen. 40 bytes a block, and 4 more while a capture is
 * taken. One thread.
 */
#ifndef HSC_WASM_HEAP_H
#define HSC_WASM_HEAP_H

#include <stddef.h>

/* The type of a block that malloc gave: a text that stays. Without one a block is "malloc". Returns `block`. */
void *hsdiff_tag(void *block, const char *type);

/* A variable that holds a pointer to a block: a root of this name in captures. Both stay. At most 256; more are
 * ignored. */
void hsdiff_root(const char *name, const void *variable);

/* How the program is called in captures; a text that stays. */
void hsdiff_name(const char *name);

#endif

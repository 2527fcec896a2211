/*
 * Names of what a walk has met: of classes (with namespace, type arguments, ranks, and what they are nested in),
 * fields, static fields, threads. Looked up on the finalizer thread, for which the runtime must know the thread; kept
 * as text, and written by the control thread, which may wait for a reader without standing in the program's way.
 */
#ifndef HSC_MONO_NAMES_H
#define HSC_MONO_NAMES_H

#include "symbols.h"
#include <hscapture/hscapture.h>

typedef struct mono_names {
    char *text; /* names of types, then of places, each ended by NUL, in the order of their numbers */
    size_t used;
    uint64_t lost;
} mono_names;

/* False with errno: no address space. */
bool names_begin(mono_names *names);
void names_end(mono_names *names);

/* Looks all of them up. */
void names_find(mono_names *names, const mono_symbols *symbols);

/* Writes all of them. */
void names_write(const mono_names *names, const mono_symbols *symbols, hsc_writer *writer);

#endif

/*
 * Variables of the program's own functions that lie on the stack of the main goroutine, by which its roots are named:
 * "local orders of main.main (shop.go:12)". That goroutine is there once; of others, which may be a thousand of one
 * kind, what they were started with says more.
 */
#ifndef HSD_GO_TYPES_LOCALS_H
#define HSD_GO_TYPES_LOCALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include <hsdiff/status.h>

#define GOROUTINE_MAIN 1u /* the number that the runtime gives it */

typedef struct golocal {
    uint64_t address, bytes; /* of a variable, or of a part of it that stands by itself */
    uint64_t pc;             /* where its function is */
    size_t name;             /* in `names` */
} golocal;

typedef struct golocals {
    golocal *at; /* by address, once they are all there */
    uint32_t count, room;
    hsd_buffer names; /* each with a NUL */
} golocals;

hsd_status hsd_golocals_add(golocals *locals, const golocal *local, const char *name, hsd_error *err);
void hsd_golocals_sort(golocals *locals);

/* The one at this address, or NULL. */
const golocal *hsd_golocals_find(const golocals *locals, uint64_t address);
void hsd_golocals_release(golocals *locals);

#endif

/*
 * Return addresses of a stack, innermost first. By frame pointers (2 loads a frame; ends where a library was built without them, as
 * all of Debian's are), or by call frame information (cfi.h) with a cache of rules by instruction, which goes through everything
 * that a compiler made and takes frame pointers for code that was made at run time. Neither locks, allocates nor reads outside of the stack.
 */
#ifndef HSN_UNWIND_H
#define HSN_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum hsn_unwind_way { HSN_UNWIND_NONE, HSN_UNWIND_FP, HSN_UNWIND_CFI } hsn_unwind_way;

typedef struct hsn_place {
    uintptr_t pc, sp, bp;
    bool is_interrupted; /* pc is the next instruction; else a return address */
    uintptr_t high;      /* end of the stack; nothing is read at or above it, nor below sp */
} hsn_place;

/* For HSN_UNWIND_CFI: the cache, 1 MiB, touched as it fills. False without memory; then every frame is looked up anew. */
bool hsn_unwind_open(void);

/* Code was unmapped: what the cache says of it may be wrong by now. */
void hsn_unwind_forget(void);

/*
 * Writes at most `limit` frames and returns how many; the first is place.pc. `tops`, NULL or as long: for each frame the address at which
 * its caller's begins, 0 = not known.
 */
size_t hsn_unwind(hsn_unwind_way way, hsn_place place, uintptr_t *frames, uintptr_t *tops, size_t limit);

#endif

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

enum { HSN_TRAIL_WORDS = 128 }; /* two for each of 64 frames */

/*
 * What a walk read, in its order. A walk from the same place reads the first word, by that knows where the second is, and so on: as long as the
 * words are the same it is the same walk, and need not be made. So trails may be compared word by word, and read nothing that the walk would not.
 */
typedef struct hsn_trail {
    hsn_place from;
    uint64_t epoch; /* of the rules */
    uint32_t count; /* above HSN_TRAIL_WORDS: too long, or through a signal's frame; not to be compared */
    uint32_t offsets[HSN_TRAIL_WORDS]; /* from from.sp */
    uintptr_t words[HSN_TRAIL_WORDS];
} hsn_trail;

/* hsn_unwind that leaves its trail: offsets and words only up to its end. */
size_t hsn_unwind_trail(hsn_unwind_way way, hsn_place place, uintptr_t *frames, size_t limit, hsn_trail *trail);

/* Would a walk from this place, which is no interrupted one, be the same? */
bool hsn_unwind_is_same(const hsn_trail *trail, const hsn_place *place);

#endif

/*
 * Libraries that the program has unloaded: what they allocated is named by their calls for as long as it lives, as of a
 * plugin that forgets its context. Noted around dlclose:
 *
 *      those that are there ──► dlclose ──► those that are there: who is missing is gone
 *
 * Where another library has been at the same addresses, nobody knows whose call it was, and neither of them is said.
 */
#ifndef HSN_GONE_H
#define HSN_GONE_H

#include <stdbool.h>

#include "native/library.h"

typedef struct hsn_gone {
    uintptr_t low, high; /* from its first byte to its last, bss included */
    uintptr_t bias;      /* address - bias = address as the file counts them */
    uint32_t name_size, build_id_size;
    char name[HSN_LIBRARY_NAME_BYTES];
    uint8_t build_id[HSN_BUILD_ID_BYTES];
    bool is_doubtful; /* another one was there as well */
} hsn_gone;

enum { HSN_MOST_PRESENT = 1024, HSN_MOST_GONE = 256 }; /* of more the first are noted */

typedef struct hsn_present {
    size_t count;
    hsn_gone libraries[HSN_MOST_PRESENT];
} hsn_present;

/* The libraries that are there now. Owned by the caller, for hsn_gone_note. NULL = no memory. */
hsn_present *hsn_gone_look(void);

/* Notes which of them are not there any more, and frees the list. Accepts NULL. */
void hsn_gone_note(hsn_present *before);

/* In the child of a fork of the program. */
void hsn_gone_adopt(void);

/* While nothing else runs: the library that was at the address. NULL = there was none, or more than one. */
const hsn_gone *hsn_gone_at(uintptr_t address);

#endif

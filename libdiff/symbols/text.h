/*
 * The text forms of FORMAT.md 7.12: unresolved names, and the seven marked texts that hold them. Views borrow from the
 * text.
 */
#ifndef HSD_SYMBOLS_TEXT_H
#define HSD_SYMBOLS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/capture.h>

#define HSD_BUILD_ID_DIGITS 128u /* of more the name is none */
#define HSD_MODULE_BYTES    255u /* what a file name may have */

typedef struct hsd_unresolved {
    hsd_text whole; /* MODULE+0xOFFSET{BUILDID} */
    hsd_text module, build_id;
    uint64_t offset;
} hsd_unresolved;

/* The whole text is one name. The module may hold spaces then. */
bool hsd_unresolved_parse(hsd_text text, hsd_unresolved *out);

/* The first name in the text from `from` on: its module begins behind a space, or where the search does. */
bool hsd_unresolved_find(hsd_text text, size_t from, hsd_unresolved *out);

typedef enum hsd_marked_kind {
    HSD_MARKED_NOT,
    HSD_MARKED_VTABLE,
    HSD_MARKED_VARIABLE,
    HSD_MARKED_THREAD_LOCAL,
    HSD_MARKED_ALLOCATED,
    HSD_MARKED_MEMBER,
    HSD_MARKED_LOCAL,
    HSD_MARKED_REGISTER
} hsd_marked_kind;

#define HSD_ALLOCATED_NAMES 8u /* of more the first count */

typedef struct hsd_marked {
    hsd_marked_kind kind;
    hsd_text name; /* of a vtable or variable: what stands behind the mark; of what is in a frame the code */
    /* of a vtable: the name of its type as run-time type information has it, mangled; may be empty */
    hsd_text type_name;
    hsd_text size;                       /* "<=48 B" */
    hsd_text names[HSD_ALLOCATED_NAMES]; /* of the calls, innermost first */
    size_t name_count;
    hsd_text place, type; /* of a member: "+16", and the type that it is in, of one of the other kinds */
    uint64_t offset;      /* 16; of a register its number */
    hsd_text whole;       /* of what is in a frame: what names that, "stack of worker: NAME" */
    uint64_t below;       /* the end of the frame, above its return address */
    uint64_t above;       /* its stack pointer */
} hsd_marked;

/* Takes a marked text apart; HSD_MARKED_NOT for every other. */
void hsd_marked_parse(hsd_text text, hsd_marked *out);

#endif
